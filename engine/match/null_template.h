#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/geometry.h"
#include "engine/base/image.h"

namespace flcc::match {

/// A template that a scene does not hold but that is as hard to tell from it: its peaks in the
/// scene are false positives.
enum class NullTemplate {
    None,
    Mirror, ///< mirrored along x; no null for templates that are their own mirror image
    Phase,  ///< the same power spectrum with random phases
    Sphere  ///< a ball, or a disc, of the template's size: what has nothing but its size
};
[[nodiscard]] std::string_view name(NullTemplate null); ///< "none", "mirror", "phase", "sphere"

/// The image with x reversed.
template <class T> [[nodiscard]] base::Image<T> mirrored(const base::View<const T>& image) {
    const base::Extents& extents = image.extents();
    base::Image<T> made(extents);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                made.view().at(x, y, z) = image.at(extents.x - 1 - x, y, z);
            }
        }
    }
    return made;
}

/// A real image with the mean and the power spectrum of `image` and random phases, which depend on
/// the seed alone. With `slices`, every slice has a spectrum of its own. **Cost**: voxels times the
/// sum of the extents.
[[nodiscard]] base::Image<float> phaseScrambled(const base::View<const double>& image,
                                                std::uint64_t seed, bool slices = false);

/// A ball: its radius in the shortest edge of a voxel, and its correlation with an image.
struct Ball {
    base::Image<float> image; ///< from 0 to 1, with an edge of one shortest edge of a voxel
    double radius = 0;
    double correlation = 0; ///< under the support; negative where the image is dark on bright
};

/// The ball (in a flat image the disc) about the middle of the box or about the image's centre of
/// mass that correlates most with an image, of either sign: the one that is hardest to tell from
/// it. Its centre of mass is that of the squared differences from the mean under the support. With
/// `slices`, every slice has the disc that fits all of them best. `edges`: of a voxel, the shortest
/// is 1. **Cost**: voxels times the longest half axis, times 4.
[[nodiscard]] Ball ballLike(const base::View<const double>& image,
                            const base::View<const std::uint8_t>& support, const base::Point& edges,
                            bool slices = false);

/// Pearson's correlation of two images of equal extents under a support (nonzero = inside; a view
/// without voxels: everywhere); 0 where one of them is flat.
[[nodiscard]] double correlation(const base::View<const double>& a,
                                 const base::View<const double>& b,
                                 const base::View<const std::uint8_t>& support);

} // namespace flcc::match
