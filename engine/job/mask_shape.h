#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/base/pixels.h"
#include "engine/job/job.h"

namespace flcc::job {

/// A mask of a template that is made, not read: "sphere:R[,SOFT]", "cylinder:R,H[,SOFT]",
/// "box:XxYxZ[,SOFT]", all around the middle of the template, or "box" or "none", as a mask of
/// Job::masks. A file of that name is named with a folder ("./box"). Numbers with a unit behind one
/// of them, such as "sphere:12,3nm", are lengths.
struct MaskShape {
    /// A sphere, or a cylinder if `height` is above 0. Else a box; without sides all voxels of the
    /// template's box, which is no mask.
    bool round = false;
    double radius = 0;             ///< shortest edges of a voxel; a disc in an image
    double soft = 0;               ///< shortest edges of a voxel; of the edge beyond the shape
    double height = 0;             ///< voxels along z; of a cylinder
    std::array<double, 3> sides{}; ///< voxels along each axis; of a box
    std::string unit{};            ///< of all lengths: "mm", "um", "nm", "A"; empty: as above

    [[nodiscard]] std::string text() const;
    friend bool operator==(const MaskShape&, const MaskShape&) = default;
};

/// The shape that a mask of a job names; empty for a file. **Errors**: CommandLine for a shape
/// whose numbers are none, negative or infinite, or for a cylinder or a box whose lengths are 0.
[[nodiscard]] std::optional<MaskShape> maskShapeOf(const std::filesystem::path& mask);

/// The weights of a shape: 1 inside, its surface included; beyond it half a cosine from 1 to 0 over
/// the soft edge. Distances are those in space. `grid`: of the template. **Errors**: Problem for a
/// shape with a unit where the spacing is not one of lengths.
[[nodiscard]] base::Image<double> maskWeights(const MaskShape& shape, const base::Extents& templ,
                                              const base::Geometry& grid = {});

/// The grid of the masks of a template, whose voxels are compared with those of the scene: that of
/// the scene or, where it states no spacing, of the template.
[[nodiscard]] inline const base::Geometry& maskGrid(const base::Geometry& scene,
                                                    const base::Geometry& templ) {
    return scene.unitSource != base::UnitSource::Missing ? scene : templ;
}

/// The mask of a shape for a template of these extents, with a note where its box cuts the shape.
/// **Errors**: Problem if no voxel is inside, and as maskWeights().
[[nodiscard]] std::shared_ptr<const MaskImage>
makeMask(const MaskShape& shape, const base::Extents& templ, const base::Geometry& grid = {});

/// SceneImage::opacity of an image that is brought to the grid of `target`, as filter::resample()
/// does with its pixels; null without one.
[[nodiscard]] std::shared_ptr<const MaskImage> resampledOpacity(const SceneImage& image,
                                                                const base::Geometry& target,
                                                                const std::stop_token& stop);

// Drawing on a support. What lies outside of it is left out.

/// Sets the voxels whose centre is at most `radius` from the line between two points, in space.
/// `edges`: of a voxel, in the unit of `radius`.
void drawStroke(base::Image<std::uint8_t>& support, const base::Point& from, const base::Point& to,
                double radius, std::uint8_t value, const base::Point& edges = {1, 1, 1});
void drawBox(base::Image<std::uint8_t>& support, const base::Box& box, std::uint8_t value);
/// Sets the voxels whose value is from `low` to `high`; NaN is outside. **Shapes**: equal extents.
void drawRange(base::Image<std::uint8_t>& support, const base::AnyView& pixels, double low,
               double high, std::uint8_t value);

} // namespace flcc::job
