#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "viz/detail/axis_marks.h"
#include "viz/detail/slice_state.h"
#include "viz/slice_scene.h"

namespace flcc::viz {

using detail::Canvas;

namespace {

constexpr match::Colour kBlobShade{12, 13,
                                   15}; // under coloured lines, so that they show on any ground

/// An ellipse inside a rectangle of left, top, right, bottom edges.
void drawEllipse(const Canvas& canvas, const std::array<double, 4>& e, double thickness,
                 const match::Colour& colour, std::uint8_t alpha) {
    const double x = (e[0] + e[2]) / 2;
    const double y = (e[1] + e[3]) / 2;
    const double rx = (e[2] - e[0]) / 2;
    const double ry = (e[3] - e[1]) / 2;
    const int count = std::clamp(static_cast<int>(2 * std::max(rx, ry)), 12, 96);
    const auto at = [&](int i) {
        const double angle = 2 * std::numbers::pi * i / count;
        return std::array<double, 2>{x + rx * std::cos(angle), y + ry * std::sin(angle)};
    };
    for (int i = 0; i < count; ++i) {
        const auto from = at(i);
        const auto to = at(i + 1);
        canvas.marks.line(from[0], from[1], to[0], to[1], thickness, colour, alpha);
    }
}

} // namespace

void SliceScene::State::drawBlobs(const Canvas& canvas) const {
    const auto draw = [&](std::size_t i) {
        const BlobMark& blob = blobs[i];
        const double off = static_cast<double>(slice) - blob.centre[axes.depth];
        const double square = blob.radius * blob.radius - off * off;
        if (extents.z > 1 && square <= 0) {
            return;
        }
        const double diameter = 2 * (extents.z > 1 ? std::sqrt(square) : blob.radius);
        const auto e = edges(blob.centre, {diameter, diameter, diameter});
        if (e[2] < 0 || e[3] < 0 || e[0] > canvas.width || e[1] > canvas.height) {
            return;
        }
        const bool selected = selectedBlob == i;
        const double r = canvas.ratio;
        drawEllipse(canvas, e, (selected ? 5 : 3.5) * r, kBlobShade, 190);
        drawEllipse(canvas, e, (selected ? 3 : 1.5) * r,
                    selected ? canvas.colours.accent : kBlobColour, 255);
    };
    // The strongest are drawn last, the selected one above all.
    for (std::size_t i = blobs.size(); i-- > 0;) {
        if (selectedBlob != i) {
            draw(i);
        }
    }
    if (selectedBlob && *selectedBlob < blobs.size()) {
        draw(*selectedBlob);
    }
}

void SliceScene::setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected) {
    m_state->blobs = std::move(blobs);
    m_state->selectedBlob = selected;
    changed();
}

} // namespace flcc::viz
