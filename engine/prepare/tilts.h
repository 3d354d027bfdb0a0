#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::prepare {

/// One image of a tilt series.
struct Tilt {
    double angle = 0;              ///< degrees about the axis y, see Response
    std::optional<double> dose;    ///< electrons a square angstrom that the object had got before
    std::optional<double> defocus; ///< angstrom, underfocus positive, the mean of both axes
    std::optional<double> phaseShift; ///< degrees, of a phase plate

    friend bool operator==(const Tilt&, const Tilt&) = default;
};

/// What a file says of a tilt series.
struct TiltSeries {
    std::string name; ///< of the tomogram; may be empty
    std::vector<Tilt> tilts;
    bool hasAngles = true;
    std::optional<double> voltage;  ///< kV
    std::optional<double> cs;       ///< spherical aberration, mm
    std::optional<double> contrast; ///< amplitude contrast, 0 to 1

    friend bool operator==(const TiltSeries&, const TiltSeries&) = default;
};

/// Tilts from -`from` to `to` degrees, so close that they leave no gap.
struct TiltRange {
    double from = 90;
    double to = 90;

    friend bool operator==(const TiltRange&, const TiltRange&) = default;
};

/// A lens and what it is set to.
struct Lens {
    double voltage = 300;   ///< kV
    double cs = 2.7;        ///< mm
    double contrast = 0.07; ///< amplitude contrast, 0 to 1
    double defocus = 0;     ///< angstrom, underfocus positive
    double phaseShift = 0;  ///< degrees

    friend bool operator==(const Lens&, const Lens&) = default;
};

/// The wavelength of electrons in angstrom, relativistic: 12.26426 / sqrt(V (1 + 0.9784756e-6 V)),
/// V in volts. **Source**: h / sqrt(2 m e V (1 + e V / (2 m c^2))), constants of CODATA 2018.
[[nodiscard]] double wavelengthOf(double voltage);

/// The contrast transfer function with the sign of the lowest frequencies positive, so that a
/// template has the contrast of its scene:
///     C(f) = sin(pi l d f^2 - pi/2 Cs l^3 f^4 + p + asin(a)),
/// l the wavelength, d the defocus (underfocus positive), p the phase shift, a the amplitude
/// contrast. **Units**: f in 1 / angstrom. **Source**: Wade, Ultramicroscopy 46, 1992, equations 4
/// and 10, with the opposite sign.
[[nodiscard]] double contrastTransfer(const Lens& lens, double frequency);

/// The dose in electrons a square angstrom after which the signal at a frequency (1 / angstrom) has
/// fallen to 1 / e: 0.24499 f^-1.6649 + 2.8141, 0.8 times that below 250 kV. **Source**: Grant and
/// Grigorieff, eLife 4, e06980, 2015, equation 3.
[[nodiscard]] double criticalDose(double frequency, double voltage);

/// What is left of the amplitude at a frequency after a dose: exp(-dose / (2 criticalDose)).
/// **Source**: the same, equation 5.
[[nodiscard]] double doseWeight(double dose, double frequency, double voltage);

/// The amount of angstrom in a unit of base::Geometry; 0 for pixels.
[[nodiscard]] double angstromsIn(std::string_view unit);

} // namespace flcc::prepare
