#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/bench/painter.h"
#include "engine/job/crossover.h"

namespace flcc::job {

namespace {

using detail::fill;
using detail::kBlack;
using detail::kLine;
using detail::kWhite;
using detail::Picture;
using detail::Place;
using detail::widthOf;
using detail::write;

constexpr std::int64_t kCell = 5;     ///< pixels a step
constexpr std::int64_t kMapLeft = 48; ///< of a map
constexpr std::int64_t kMapTop = 40;

std::uint8_t greyOf(int method, std::size_t methods) {
    return static_cast<std::uint8_t>(235 -
                                     165 * method / std::max(1, static_cast<int>(methods) - 1));
}

/// Where a template side lies on the axis of the templates, whose steps are parts of an octave.
std::int64_t columnOf(const Crossover& map, double side) {
    const double steps =
        kStepsPerOctave * std::log2(side / static_cast<double>(map.templates.front()));
    return std::llround(steps * kCell) + kCell / 2;
}

void drawTableMark(Picture& picture, std::int64_t x, std::int64_t y) {
    fill(picture, x - 2, y, 5, kCell, kWhite);
    fill(picture, x - 1, y, 3, kCell, kBlack);
}

void drawMeasuredMark(Picture& picture, std::int64_t x, std::int64_t y) {
    fill(picture, x - 4, y - 4, 9, 9, kBlack);
    fill(picture, x - 3, y - 3, 7, 7, kWhite);
    fill(picture, x - 1, y - 1, 3, 3, kBlack);
}

/// The critical sides of Table II over all scenes, and the measured ones.
void drawCritical(Picture& picture, const Crossover& map, Place at) {
    const auto rows = static_cast<std::int64_t>(map.scenes.size());
    const std::int64_t right = at.x + static_cast<std::int64_t>(map.templates.size()) * kCell;
    const auto top = [&](std::int64_t row) { return at.y + (rows - 1 - row) * kCell; };
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t scene = map.scenes[static_cast<std::size_t>(row)];
        const std::int64_t x =
            at.x + columnOf(map, tableTwoSide(map.operation, map.volume, map.stream, scene));
        if (x >= at.x && x < right) {
            drawTableMark(picture, x, top(row));
        }
    }
    for (const CriticalSide& side : map.critical) {
        const auto row = std::find(map.scenes.begin(), map.scenes.end(), side.scene);
        if (side.measured && row != map.scenes.end()) {
            drawMeasuredMark(picture, at.x + columnOf(map, static_cast<double>(*side.measured)),
                             top(row - map.scenes.begin()) + kCell / 2);
        }
    }
}

/// Axes, ticks at the powers of two, and the cells; (x, y) is the corner of the cells.
void drawMap(Picture& picture, const Crossover& map, const std::vector<std::string>& methods,
             Place at) {
    const auto columns = static_cast<std::int64_t>(map.templates.size());
    const auto rows = static_cast<std::int64_t>(map.scenes.size());
    fill(picture, at.x - 1, at.y - 1, columns * kCell + 2, rows * kCell + 2, kBlack);
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto& chosen = map.chosen[static_cast<std::size_t>(rows - 1 - row)];
        for (std::int64_t column = 0; column < columns; ++column) {
            const int method = chosen[static_cast<std::size_t>(column)];
            std::uint8_t grey = kWhite;
            if (method >= 0) {
                const std::string& name = map.methods[static_cast<std::size_t>(method)];
                const auto index = std::find(methods.begin(), methods.end(), name);
                grey = greyOf(static_cast<int>(index - methods.begin()), methods.size());
            }
            fill(picture, at.x + column * kCell, at.y + row * kCell, kCell, kCell, grey);
        }
    }
    if (!map.critical.empty()) {
        drawCritical(picture, map, at);
        fill(picture, at.x - 1, at.y - 1, 1, rows * kCell + 2, kBlack); // the axes, whole again
        fill(picture, at.x - 1, at.y + rows * kCell, columns * kCell + 2, 1, kBlack);
    }
    write(picture, at.x - kMapLeft + 4, at.y - 4 * kLine,
          std::string(map.operation == FigureOperation::Lcc ? "LCC, " : "convolution, ") +
              (map.volume ? "3D, " : "2D, ") + (map.stream ? "stream" : "single image"));
    write(picture, at.x - kMapLeft + 4, at.y - 2 * kLine, "scene side, voxels");
    const std::int64_t bottom = at.y + rows * kCell;
    for (std::int64_t i = 0; i < columns; i += kStepsPerOctave) {
        const std::string label = std::to_string(map.templates[static_cast<std::size_t>(i)]);
        fill(picture, at.x + i * kCell + kCell / 2, bottom, 1, 4, kBlack);
        write(picture, at.x + i * kCell + kCell / 2 - widthOf(label) / 2, bottom + 6, label);
    }
    for (std::int64_t i = 0; i < rows; i += kStepsPerOctave) {
        const std::string label = std::to_string(map.scenes[static_cast<std::size_t>(i)]);
        const std::int64_t y = bottom - i * kCell - kCell / 2 - 1;
        fill(picture, at.x - 5, y, 4, 1, kBlack);
        write(picture, at.x - 8 - widthOf(label), y - 3, label);
    }
    write(picture, at.x + columns * kCell / 2 - widthOf("template side, voxels") / 2, bottom + 18,
          "template side, voxels");
}

} // namespace

base::Image<std::uint8_t> drawn(const std::vector<Crossover>& maps) {
    constexpr std::int64_t kHead = 28; // the legend
    constexpr std::int64_t kLegend = 14;
    constexpr std::int64_t kBelow = 40;
    constexpr std::int64_t kRight = 16;
    std::vector<std::string> methods;
    std::int64_t widest = 0;
    std::vector<std::int64_t> heights;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        for (const std::string& name : maps[i].methods) {
            if (std::find(methods.begin(), methods.end(), name) == methods.end()) {
                methods.push_back(name);
            }
        }
        widest = std::max(widest, static_cast<std::int64_t>(maps[i].templates.size()) * kCell);
        const auto height = static_cast<std::int64_t>(maps[i].scenes.size()) * kCell;
        if (i % 2 == 0) {
            heights.push_back(height);
        } else {
            heights.back() = std::max(heights.back(), height);
        }
    }
    std::sort(methods.begin(), methods.end());
    const std::int64_t columnWidth = kMapLeft + widest + kRight;
    std::int64_t height = kHead;
    for (const std::int64_t row : heights) {
        height += kMapTop + row + kBelow;
    }
    const bool marks = !maps.empty() && !maps.front().critical.empty();
    constexpr std::string_view kTable = "critical, FLCC Table II";
    constexpr std::string_view kMeasured = "critical, measured";
    std::int64_t legend = kMapLeft + (marks ? widthOf(kTable) + widthOf(kMeasured) + 60 : 0);
    for (const std::string& name : methods) {
        legend += 18 + widthOf(name) + 18;
    }
    Picture picture({std::max(2 * columnWidth, legend), height, 1}, kWhite);
    std::int64_t x = kMapLeft;
    for (std::size_t i = 0; i < methods.size(); ++i) { // the legend
        fill(picture, x - 1, kLegend - 1, 14, 11, kBlack);
        fill(picture, x, kLegend, 12, 9, greyOf(static_cast<int>(i), methods.size()));
        write(picture, x + 18, kLegend + 1, methods[i]);
        x += 18 + widthOf(methods[i]) + 18;
    }
    if (marks) {
        const std::int64_t y = kLegend + kLine / 2;
        drawTableMark(picture, x + 2, y - kCell / 2);
        write(picture, x + 12, kLegend + 1, kTable);
        x += 12 + widthOf(kTable) + 18;
        drawMeasuredMark(picture, x, y);
        write(picture, x + 12, kLegend + 1, kMeasured);
    }
    std::int64_t y = kHead;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        drawMap(picture, maps[i], methods,
                {kMapLeft + (i % 2 == 0 ? 0 : columnWidth), y + kMapTop});
        y += i % 2 == 0 ? 0 : kMapTop + heights[i / 2] + kBelow;
    }
    return picture;
}

} // namespace flcc::job
