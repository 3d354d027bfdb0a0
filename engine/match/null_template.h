#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/image.h"
#include "engine/match/exclusion.h"
#include "engine/match/peaks.h"

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

/// What a null template says beside the template: its peaks compete with those of the template for
/// their places, and the higher one has the place.
struct NullCompetition {
    /// The scores of the null that are counted as false positives, best first: of its peaks that
    /// have their places, and of the template's peaks that lost theirs to one of them.
    std::vector<double> scores;
    /// Places, of the best 1000, where the template reaches the threshold, and those of them that
    /// the null has.
    std::int64_t peaks = 0;
    std::int64_t matched = 0;
    double ratio = 0; ///< median over these places of the null's score over the template's
    /// Whether the template scores clearly more at the best places, however many: the sum of the
    /// differences is above 3.1 times the deviation that it has if both score alike and their noise
    /// is independent. Copies of the template do not count.
    bool better = false;
};

/// Lets the peaks of a template and of its null compete. Where a scene holds no template, both
/// lists are alike, and for each pair of peaks at one place that both reach a score there is one
/// that the null wins and one that it loses. So the peaks of the null that lose may be left out,
/// and objects with them, if the lower peaks of the pairs that it wins are counted in their place.
/// Of equal scores the null's is the higher one.
///
/// `zone`: the template of a peak as it lies there. A peak is at the place of a higher one if its
/// centre lies within half of the extents of that template on each of its axes. `largest`: a box
/// that holds every zone. `deviation`: of the scores of noise. Both lists are sorted, best first.
/// **Source**: Elias and Gygi, Nature Methods 4, 2007, who let spectra of proteins and of decoys
/// compete.
[[nodiscard]] NullCompetition compete(const std::vector<Peak>& peaks,
                                      const std::vector<Peak>& nulls, double threshold,
                                      double deviation, const base::Extents& largest,
                                      const std::function<Exclusion::Turned(const Peak&)>& zone);

} // namespace flcc::match
