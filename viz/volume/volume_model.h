#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "viz/pixels/map_pixels.h"
#include "viz/pixels/support.h"
#include "viz/volume_scene.h"

namespace flcc::viz::detail {

/// What a 3D view shows. The VTK world is voxel * aspect; its unit is the finest side of a voxel.
struct VolumeModel {
    std::shared_ptr<const base::AnyImage> image;
    std::shared_ptr<const ReducedVolume> reduced; ///< of a large image, when it is there
    base::Extents extents{0, 0, 0};
    base::Point aspect{1, 1, 1};
    GreyWindow window;
    VolumeContent content = VolumeContent::Scene;

    ShownMap map;
    match::HeatmapScale scale;
    ColourTable colours = colourTable(match::ColourMap::Viridis);
    bool mapVisible = true;
    double mapOpacity = 1;

    std::vector<PeakMark> peaks;
    std::optional<std::size_t> selectedPeak;
    bool peaksVisible = true;
    std::vector<TemplateShape> shapes; ///< of the peaks
    bool surfacesWanted = false;       ///< of the templates, at their peaks
    std::vector<BlobMark> blobs;
    std::optional<std::size_t> selectedBlob;
    std::optional<base::Box> box;
    std::optional<base::Box> region;
    Support templSupport;
    Support sceneSupport;
    std::optional<base::Point> crosshair;
    SliceStyle sliceStyle = SliceStyle::Transparent;
    VolumeTransfer transfer;
    VolumeClip clip = VolumeClip::None;
    std::int64_t slabSlices = 0; ///< 0: a tenth of the depth
    std::optional<double> scoreThreshold;
    bool isosurface = false;
    Anatomy anatomy;
    bool upright = true;
    bool outlineVisible = true;
    bool crosshairVisible = true;

    // Parts that must be rebuilt before the next frame.
    bool sceneTextureStale = true;
    bool mapTextureStale = true;            ///< rebuild from the whole readable map
    std::vector<base::Box> freshMapRegions; ///< to be added to the texture
    bool slicesStale = true;
    bool linesStale = true;
    bool surfacesStale = true; ///< of the template's support
    bool peakSurfacesStale = true;

    /// Coarser sampling keeps frames quick; see VolumeScene::setInteractive().
    bool interactive = false;

    [[nodiscard]] base::Point world(const base::Point& voxel) const {
        return {voxel[0] * aspect[0], voxel[1] * aspect[1], voxel[2] * aspect[2]};
    }
    /// The outer corner of the volume's first or one past its last voxel.
    [[nodiscard]] base::Point corner(bool last) const;
    [[nodiscard]] double size() const; ///< the diagonal of the volume, in the world
    /// The outer corners of a box of voxels.
    [[nodiscard]] std::array<base::Point, 2> cornersOf(const base::Box& of) const;
    /// Of a peak's box, in the order of TurnedBox::corners().
    [[nodiscard]] std::array<base::Point, 8> cornersOf(const PeakMark& peak) const;
    /// The slice along `axis` that the crosshair lies on.
    [[nodiscard]] std::int64_t sliceAt(std::size_t axis) const;
    [[nodiscard]] bool slicesShown() const {
        return image && crosshair &&
               (sliceStyle == SliceStyle::Transparent || sliceStyle == SliceStyle::Opaque);
    }
    [[nodiscard]] bool mapCast() const { return content == VolumeContent::Map && map.exists(); }
    [[nodiscard]] match::Colour colourOf(double score) const;
    [[nodiscard]] match::Colour colourOf(const PeakMark& peak) const;
    /// A peak is shown as the surface of its template.
    [[nodiscard]] bool hasSurface(std::size_t peak) const;
    /// Whether the template's support shades the template box, and which peak it shades.
    [[nodiscard]] bool boxShaded() const;
    [[nodiscard]] std::optional<base::Box> shadedPeak() const;
    [[nodiscard]] bool sceneSupportShown() const {
        return image && sceneSupport && sceneSupport->extents() == extents;
    }
    /// Call when a peak or the template box has changed.
    void marksChanged() {
        linesStale = true;
        slicesStale = slicesStale || templSupport;
    }
};

} // namespace flcc::viz::detail
