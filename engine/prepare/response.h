#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/prepare/tilts.h"

namespace flcc::prepare {

/// The wavelengths that a band pass keeps, in the unit of the scene; 0 leaves a side open.
struct Band {
    double low = 0;  ///< shorter ones are cut off
    double high = 0; ///< longer ones are cut off

    friend bool operator==(const Band&, const Band&) = default;
};

/// What a band pass leaves of a frequency f (cycles a unit), 0 to 1. Each edge is half a period of
/// a cosine: with q = f / cut it goes from 1 to 0 while q goes from 3/4 to 5/4, and is 1/2 at the
/// cut, 1 / Band::low; the other edge is its mirror image about q = 1, at 1 / Band::high.
[[nodiscard]] double bandPass(const Band& band, double frequency);

/// Amplitudes of an image by frequency, and what whitens it.
struct Spectrum {
    double step = 0;                ///< cycles a unit between two shells
    std::vector<double> amplitudes; ///< of shell i, about the frequency i step
    double largest = 0;             ///< of them

    /// The largest amplitude divided by that at a frequency, which is taken linearly between shells
    /// and counts as at least a thousandth of the largest: 1 to 1000.
    [[nodiscard]] double whitening(double frequency) const;
};

/// What belongs to a filter, in the unit of the scene.
struct Recipe {
    std::optional<Band> band;
    std::shared_ptr<const Spectrum> spectrum; ///< of the scene, which whitens; null without
    std::optional<TiltRange> range;           ///< what was measured; or
    std::vector<Tilt> tilts;                  ///< the tilts that were
    std::optional<Lens> lens;                 ///< its defocus where a tilt states none
    bool flipped = false;                     ///< the signs of the CTF are corrected in the scene
    /// Diameter of the object: a tilt tells frequencies within 1 / thickness of its plane.
    double thickness = 1;
    double angstroms = 0; ///< in a unit; 0 for pixels, which have neither CTF nor dose
};

/// What the spectrum of a template is multiplied by at a frequency g = (gx, gy, gz), cycles a unit:
/// band(|g|) whitening(|g|) W(g).
///
/// The tilt axis is y, the beam is z: a tilt by a tells the plane through y and (cos a, 0, sin a),
/// from which g is d away. A range has W = h(d) with d to the nearest plane and h(d) = max(0, 1 - d
/// thickness), so W = 1 on what it measured. A list has W = sum_t h(d_t) cos(a_t) q_t C_t /
/// max(1, sum_t h(d_t)), q the doseWeight() and C the contrastTransfer(), its magnitude where
/// `flipped`. With neither, and with a range, C of the lens multiplies all.
/// **Threads**: const functions may be called at once.
class Response {
  public:
    explicit Response(Recipe recipe);

    /// **Cost**: that of some sines for each tilt whose plane is near.
    [[nodiscard]] double at(const base::Point& frequency) const;
    [[nodiscard]] const Recipe& recipe() const { return m_recipe; }

  private:
    [[nodiscard]] double measured(const base::Point& frequency) const;
    [[nodiscard]] double transfer(const Lens& lens, double angstroms) const;

    /// A line through 0 in the plane of x and z.
    struct Plane {
        double sine;
        double cosine;

        [[nodiscard]] double from(const base::Point& g) const;
    };
    [[nodiscard]] static Plane planeOf(double angle);
    [[nodiscard]] double fromRange(const base::Point& g) const;

    Recipe m_recipe;
    std::vector<Plane> m_planes; ///< of the tilts, or of both ends of the range
};

/// The part of a response that belongs to the scene too: band and whitening.
[[nodiscard]] Response ofScene(const Response& response);

} // namespace flcc::prepare
