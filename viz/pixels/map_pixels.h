#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/match/colour_map.h"
#include "engine/method/match_map.h"
#include "viz/pixels/texel_grid.h"
#include "viz/pyramid.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// The 256 colours of a scale, from its low to its high end.
using ColourTable = std::array<match::Colour, 256>;
[[nodiscard]] ColourTable colourTable(match::ColourMap map, bool reversed = false);

/// The map that a view shows, and which part of it may be read: the whole map or the finished
/// regions.
class ShownMap {
  public:
    void set(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ, bool finished,
             const base::Index& corner);
    void addRegion(const base::Box& region);
    void end() { m_finished = true; }

    [[nodiscard]] bool exists() const { return m_map != nullptr; }
    [[nodiscard]] bool finished() const { return m_finished; }
    [[nodiscard]] const method::MatchMap& map() const { return *m_map; }
    [[nodiscard]] const base::Extents& extents() const { return m_map->value.extents(); }
    /// The scene position of voxel 0 of the map: corner + (m - 1) / 2.
    [[nodiscard]] const std::array<double, 3>& offset() const { return m_offset; }
    [[nodiscard]] const std::vector<base::Box>& regions() const { return m_regions; }
    /// The outer edges, in scene voxels, of the union of scene and map along an axis. The half
    /// voxel by which a `same` map of an even template is shifted does not move the edges.
    [[nodiscard]] std::array<double, 2> reach(const base::Extents& scene, std::size_t axis) const;

    /// The slice of the map that is drawn on slice `sceneSlice` of the scene along `axis`; it may
    /// lie outside the map. For a template of even length it lies half a voxel behind the scene
    /// slice.
    [[nodiscard]] std::int64_t sliceAt(std::int64_t sceneSlice, std::size_t axis) const;

    /// Serves coarse texels if its rule is that of the scale; null: none.
    void setPyramid(std::shared_ptr<const Pyramid> pyramid) { m_pyramid = std::move(pyramid); }

    /// Writes a rectangle of texels of one plane of the map as VisibleTile::Kind::Colour; texels
    /// of which no voxel may be read yet are transparent. A texel of several voxels shows the best
    /// score (bestRule), so that no peak is lost.
    void pixels(const PlaneAxes& axes, std::int64_t slice, const match::HeatmapScale& scale,
                const ColourTable& colours, const TexelGrid& grid, const TexelRect& rect,
                std::uint8_t* out, std::int64_t rowBytes) const;

  private:
    void voxels(const PlaneAxes& axes, std::int64_t slice, const match::HeatmapScale& scale,
                const ColourTable& colours, const TexelRect& rect, std::uint8_t* out,
                std::int64_t rowBytes) const;
    void bestScores(const PlaneAxes& axes, std::int64_t slice, const BestRule& rule,
                    const TexelGrid& grid, const TexelRect& rect,
                    std::vector<ScoreCell>& cells) const;

    std::shared_ptr<const method::MatchMap> m_map;
    std::shared_ptr<const Pyramid> m_pyramid;
    std::array<double, 3> m_offset{0, 0, 0};
    bool m_finished = true;
    std::vector<base::Box> m_regions;
};

/// Corner and extents of a box, or an index, by axis.
[[nodiscard]] inline std::array<std::int64_t, 3> byAxis(const base::Index& i) {
    return {i.x, i.y, i.z};
}
[[nodiscard]] inline std::array<std::int64_t, 3> byAxis(const base::Extents& e) {
    return {e.x, e.y, e.z};
}

} // namespace flcc::viz::detail
