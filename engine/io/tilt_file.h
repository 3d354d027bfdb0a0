#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "engine/prepare/tilts.h"

namespace flcc::io {

/// The name of a file of tilts and, after ":", that of the tomogram it is asked for:
/// "tomograms.star:TS_01". Names of tomograms are only taken off ".star".
[[nodiscard]] std::pair<std::filesystem::path, std::string> splitTomogram(const std::string& text);

/// Reads what a file says of the tilt series of a scene.
///
/// | file | what it tells |
/// |---|---|
/// | `.mdoc` of SerialEM | TiltAngle; dose: PriorRecordDose, or ExposureDose of the tilts before,
/// by DateTime or else in their order; Voltage | | `.star`: `tomograms.star` of RELION 5, and the
/// tilt series that it names | rlnTomoYTilt, else rlnTomoNominalStageTiltAngle;
/// rlnMicrographPreExposure; the mean of rlnDefocusU and V; rlnPhaseShift; rlnVoltage,
/// rlnSphericalAberration, rlnAmplitudeContrast | | `.star`: a tilt series, or micrographs with
/// their CTF | the same of its own columns | | `.xml` of a tilt series of Warp or M | Angles with
/// the other sign, because Warp turns the other way than IMOD; Dose; GridCTF in um; Voltage, Cs,
/// Amplitude, PhaseShift (in pi) of CTF; tilts with UseTilt False are left out | | `.defocus` of
/// IMOD | the mean angle of each row, its defocus in nm | | any other, such as `.tlt` and `.rawtlt`
/// | an angle a line and, after it, a dose |
///
/// `text`: as splitTomogram(). Of several tomograms the one that is asked for; else the only one;
/// else the one whose name or file the name of `scene` holds. The tilt series of a tomogram is
/// looked for as it is named, from the folder of the file and from each folder above it.
/// **Units**: those of prepare::Tilt. **Errors**: Input for files that cannot be read, larger than
/// 64 MiB or without a tilt, for more than 1000 tilts, for angles beyond 90 degrees, negative doses
/// and numbers that are not finite, and where no tomogram is chosen.
[[nodiscard]] prepare::TiltSeries readTilts(const std::string& text, const std::string& scene);

} // namespace flcc::io
