#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "viz/detail/slice_state.h"
#include "viz/slice_scene.h"

// What of the scene and of the template counts: the region that is searched, and the masks.

namespace flcc::viz {

using detail::byAxis;
using detail::Canvas;

namespace {

constexpr double kDash = 8; // logical pixels, and as much between two

/// Dashes along the edge of a rectangle, dark ones under those of `colour`.
void drawDashes(const Canvas& canvas, const std::array<double, 4>& e, const match::Colour& colour,
                std::uint8_t alpha) {
    const double r = canvas.ratio;
    const double dash = kDash * r;
    const auto across = [&](double from, double to, double limit, const auto& draw) {
        // Only what can be seen: a region may be much larger than the view.
        const double skipped = from < 0 ? std::floor(-from / (2 * dash)) * 2 * dash : 0;
        for (double at = from + skipped; at < std::min(to, limit); at += 2 * dash) {
            draw(at, std::min(at + dash, to));
        }
    };
    for (const auto& [half, shown, opacity] :
         {std::tuple(2 * r, detail::kTemplateShade, static_cast<std::uint8_t>(alpha * 3 / 4)),
          std::tuple(r, colour, alpha)}) {
        for (const double y : {e[1], e[3]}) {
            across(e[0], e[2], canvas.width, [&, y](double from, double to) {
                canvas.marks.rectangle(from, y - half, to, y + half, shown, opacity);
            });
        }
        for (const double x : {e[0], e[2]}) {
            across(e[1], e[3], canvas.height, [&, x](double from, double to) {
                canvas.marks.rectangle(x - half, from, x + half, to, shown, opacity);
            });
        }
    }
}

} // namespace

void SliceScene::State::drawRegion(const Canvas& canvas) const {
    if (region) {
        drawDashes(canvas, edges(*region), canvas.colours.region, crosses(*region) ? 255 : 110);
    }
}

void SliceScene::State::drawTemplateSupport(const Canvas& canvas, const base::Box& at) const {
    if (!templSupport || !(templSupport->extents() == at.extents) || !crosses(at)) {
        return;
    }
    const auto support = templSupport->view();
    const std::array<std::int64_t, 3> strides{1, support.rowStride(), support.sliceStride()};
    const auto corner = byAxis(at.corner);
    const auto size = byAxis(at.extents);
    const std::int64_t plane = (slice - corner[axes.depth]) * strides[axes.depth];
    for (std::int64_t j = 0; j < size[axes.down]; ++j) {
        const std::uint8_t* const row = support.data() + plane + j * strides[axes.down];
        const auto inside = [&](std::int64_t i) { return row[i * strides[axes.right]] != 0; };
        for (std::int64_t i = 0; i < size[axes.right];) {
            std::int64_t end = i;
            while (end < size[axes.right] && inside(end) == inside(i)) {
                ++end;
            }
            if (!inside(i)) {
                base::Box run = at;
                std::array<std::int64_t, 3> first = corner;
                std::array<std::int64_t, 3> count{1, 1, 1};
                first[axes.right] += i;
                first[axes.down] += j;
                first[axes.depth] = slice;
                count[axes.right] = end - i;
                run = {{first[0], first[1], first[2]}, {count[0], count[1], count[2]}};
                const auto e = edges(run);
                canvas.marks.rectangle(e[0], e[1], e[2], e[3], detail::kTemplateShade,
                                       detail::kTemplateShadeAlpha);
            }
            i = end;
        }
    }
}

void SliceScene::State::shapeSupportPlane() {
    supportPlane.clear();
    if (sceneSupportShown()) {
        const auto count = byAxis(extents);
        supportPlane.setShape(count[axes.right], count[axes.down], {0, 0});
        supportPlane.setOpacity(detail::kOutsideOpacity);
    }
}

/// A texel of several voxels shows the one in its middle.
void SliceScene::State::supportPixels(const detail::TexelGrid& grid, const detail::TexelRect& rect,
                                      std::uint8_t* out, std::int64_t rowBytes) const {
    const auto support = sceneSupport->view();
    const std::array<std::int64_t, 3> strides{1, support.rowStride(), support.sliceStride()};
    const auto middle = [](const detail::TexelAxis& axis, std::int64_t texel) {
        return (axis.firstVoxel(texel) + axis.firstVoxel(texel + 1) - 1) / 2;
    };
    std::vector<std::int64_t> columns;
    for (std::int64_t i = rect.left; i < rect.right; ++i) {
        columns.push_back(middle(grid.right, i) * strides[axes.right]);
    }
    for (std::int64_t j = rect.top; j < rect.bottom; ++j) {
        const std::uint8_t* row = support.data() + slice * strides[axes.depth] +
                                  middle(grid.down, j) * strides[axes.down];
        std::uint8_t* texel = out + (j - rect.top) * rowBytes;
        for (const std::int64_t column : columns) {
            std::copy(detail::kOutside.begin(), detail::kOutside.end(), texel);
            texel[3] = row[column] != 0 ? 0 : 255;
            texel += 4;
        }
    }
}

void SliceScene::setRegion(const std::optional<base::Box>& region) {
    m_state->region = region;
    changed();
}

void SliceScene::setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    m_state->templSupport = std::move(support);
    changed();
}

void SliceScene::setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    m_state->sceneSupport = std::move(support);
    m_state->shapeSupportPlane();
    changed();
}

} // namespace flcc::viz
