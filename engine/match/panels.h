#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/pixels.h"
#include "engine/match/peaks.h"
#include "engine/prepare/ring_correlation.h"

/// Boxes of a scene that are cut at peaks, and their average.
namespace flcc::match {

/// What is done to the values of each box. Mean: their mean is subtracted. ZScore: also, they are
/// divided by their standard deviation, unless all are equal (then they become 0).
enum class Normalise { None, Mean, ZScore };
/// "none", "mean", "zscore".
[[nodiscard]] std::string_view name(Normalise normalise);

struct PanelOptions {
    base::Extents size{0, 0, 0};
    Normalise normalise = Normalise::None;
    /// Interpolates at the reference point of the particle (referenceOf()); else the box lies on
    /// voxels, as near to it as they allow. Either way the point lies on voxel size / 2 (whole
    /// division), where programs for particles expect it, or at most half a voxel beside.
    bool subvoxel = false;
    /// Boxes of peaks with a pose are turned back: the voxel at offset o from voxel size / 2 has
    /// the scene's value at the reference point + matrixOf(pose, edges) o, interpolated. Voxels
    /// thus lie as those of the template do, whatever the size and the hand of the particle.
    bool turnedBack = false;
    /// Of each template, by Peak::templ: from its geometric centre to its reference voxel, voxels
    /// (rotation::toReferenceVoxel). Empty: the centres count.
    std::vector<base::Point> references{};
    base::Point edges{1, 1, 1}; ///< of a voxel of the scene, in any unit
};

/// Where the reference voxel of the template came to lie, scene voxels:
/// Peak::centre + matrixOf(pose, edges) references[templ].
[[nodiscard]] base::Point referenceOf(const Peak& peak, const PanelOptions& options);

/// Boxes of a scene one behind the other along z: box i has the slices from i * size.z.
struct Panels {
    base::Image<float> voxels; ///< without voxels if `taken` is empty
    base::Extents size{0, 0, 0};
    std::vector<std::size_t> taken; ///< numbers of the peaks, from 0, in their order
    std::int64_t leftOut = 0;       ///< peaks whose box, or what is interpolated, leaves the scene

    [[nodiscard]] base::View<const float> at(std::size_t number) const;
};

/// The first voxel of the box of `size` voxels whose voxel size / 2 (whole division) is nearest to
/// `reference`; of two that are equally near, the one at the larger coordinates: `reference` then
/// lies at size / 2 - 1/2 (included) to size / 2 + 1/2 (not included) of the box.
[[nodiscard]] base::Index cornerAt(const base::Point& reference, const base::Extents& size);

/// Cuts a box at every peak. With `subvoxel` the value at a position between voxels comes from the
/// four voxels about it on each axis, by the cubic convolution of Keys with a = -1/2, which gives
/// polynomials up to the second degree exactly. Values of 64-bit integers are rounded to double,
/// all results to float.
/// **Errors**: Problem for a size below 1 or larger than the scene; Memory. **Cost**: voxels of all
/// boxes, with `subvoxel` times 4 on each axis. If cancelled, the result is unspecified.
/// **Source**: R. Keys, Cubic convolution interpolation for digital image processing, 1981, eq. 15.
[[nodiscard]] Panels cutPanels(const base::AnyView& scene, std::span<const Peak> peaks,
                               const PanelOptions& options, const std::stop_token& stop = {});

/// The average of boxes that are cut at peaks.
struct Average {
    base::Image<double> mean;
    base::Image<double> variance; ///< of the values at each voxel, divided by count - 1; 0 for one
    std::int64_t count = 0;
    std::int64_t leftOut = 0;         ///< peaks whose box leaves the scene
    std::vector<std::size_t> taken{}; ///< the numbers of the peaks whose boxes it is made of
    std::int64_t inverted = 0;        ///< boxes of Peak::dark that were inverted
    /// Between the means of the odd and of the even peaks of those that count; without rings for
    /// fewer than 2. Both halves are placed by the same template, so it is an upper limit of what
    /// independent halves have.
    prepare::RingCorrelation halves;
};

/// Averages the boxes at peaks, cut by sub-voxel interpolation and turned back. A box whose peak
/// was found with the other sign (Peak::dark) is inverted first: v becomes 2 m - v, where m is the
/// mean of the box, so that it does not cancel the others. Without a box inside the scene all
/// values are 0. **Errors**: as cutPanels(). If cancelled, the result is unspecified.
[[nodiscard]] Average averageOf(const base::AnyView& scene, std::span<const Peak> peaks,
                                const PanelOptions& options, const std::stop_token& stop = {});

/// **Errors**: Problem for an average of no box.
void requireBoxes(const Average& average);

} // namespace flcc::match
