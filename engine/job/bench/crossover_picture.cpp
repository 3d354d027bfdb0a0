#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/drawing.h"
#include "engine/job/benchmark.h"

namespace flcc::job {

namespace {

using io::Drawing;
using io::DrawingPoint;
using io::TextAnchor;
using match::Colour;

// Points.
constexpr double kCell = 2.5;   ///< a step
constexpr double kMapLeft = 34; ///< of a map: room for its labels
constexpr double kMapTop = 26;
constexpr double kMapLetters = 7;

Colour greyOf(std::size_t method, std::size_t methods) {
    const auto last = std::max<std::size_t>(1, methods - 1);
    const auto grey = static_cast<std::uint8_t>(235 - 165 * method / last);
    return {grey, grey, grey};
}

/// Where a template side lies on the axis of the templates, whose steps are parts of an octave.
double columnOf(const Crossover& map, double side) {
    const double steps =
        kStepsPerOctave * std::log2(side / static_cast<double>(map.templates.front()));
    return (steps + 0.5) * kCell;
}

void drawTableMark(Drawing& drawing, DrawingPoint at) {
    drawing.box(at.x - 1.25, at.y, 2.5, kCell, io::kWhite);
    drawing.box(at.x - 0.75, at.y, 1.5, kCell, io::kBlack);
}

void drawMeasuredMark(Drawing& drawing, DrawingPoint at) {
    drawing.box(at.x - 2.25, at.y - 2.25, 4.5, 4.5, io::kBlack);
    drawing.box(at.x - 1.75, at.y - 1.75, 3.5, 3.5, io::kWhite);
    drawing.box(at.x - 0.75, at.y - 0.75, 1.5, 1.5, io::kBlack);
}

/// The critical sides of Table II over all scenes, and the measured ones.
void drawCritical(Drawing& drawing, const Crossover& map, DrawingPoint at) {
    const auto rows = static_cast<double>(map.scenes.size());
    const double right = at.x + static_cast<double>(map.templates.size()) * kCell;
    const auto top = [&](std::size_t row) {
        return at.y + (rows - 1 - static_cast<double>(row)) * kCell;
    };
    for (std::size_t row = 0; row < map.scenes.size(); ++row) {
        const double x = at.x + columnOf(map, tableTwoSide(map.operation, map.volume, map.stream,
                                                           map.scenes[row]));
        if (x >= at.x && x < right) {
            drawTableMark(drawing, {x, top(row)});
        }
    }
    for (const CriticalSide& side : map.critical) {
        const auto row = std::find(map.scenes.begin(), map.scenes.end(), side.scene);
        if (side.measured && row != map.scenes.end()) {
            drawMeasuredMark(drawing,
                             {at.x + columnOf(map, static_cast<double>(*side.measured)),
                              top(static_cast<std::size_t>(row - map.scenes.begin())) + kCell / 2});
        }
    }
}

void drawCells(Drawing& drawing, const Crossover& map, const std::vector<std::string>& methods,
               DrawingPoint at) {
    io::DrawnImage cells{at,
                         static_cast<double>(map.templates.size()) * kCell,
                         static_cast<double>(map.scenes.size()) * kCell,
                         static_cast<int>(map.templates.size()),
                         static_cast<int>(map.scenes.size()),
                         {}};
    for (std::size_t row = map.scenes.size(); row-- > 0;) {
        for (std::size_t column = 0; column < map.templates.size(); ++column) {
            const int method = map.chosen[row][column];
            if (method < 0) {
                cells.pixels.push_back(io::kWhite);
                continue;
            }
            const std::string& name = map.methods[static_cast<std::size_t>(method)];
            const auto index = std::find(methods.begin(), methods.end(), name) - methods.begin();
            cells.pixels.push_back(greyOf(static_cast<std::size_t>(index), methods.size()));
        }
    }
    drawing.add(std::move(cells));
}

/// Axes, ticks at the powers of two, and the cells; `at` is the corner of the cells.
void drawMap(Drawing& drawing, const Crossover& map, const std::vector<std::string>& methods,
             DrawingPoint at) {
    const double width = static_cast<double>(map.templates.size()) * kCell;
    const double height = static_cast<double>(map.scenes.size()) * kCell;
    drawCells(drawing, map, methods, at);
    if (!map.critical.empty()) {
        drawCritical(drawing, map, at);
    }
    drawing.box(at.x, at.y, width, height, {}, io::kBlack, 0.75);
    drawing.text({at.x - kMapLeft + 4, at.y - 15},
                 std::string(map.operation == FigureOperation::Lcc ? "LCC, " : "convolution, ") +
                     (map.volume ? "3D, " : "2D, ") + (map.stream ? "stream" : "single image"),
                 kMapLetters);
    drawing.text({at.x - kMapLeft + 4, at.y - 5}, "scene side, voxels", kMapLetters);
    const double bottom = at.y + height;
    for (std::size_t i = 0; i < map.templates.size(); i += kStepsPerOctave) {
        const double x = at.x + (static_cast<double>(i) + 0.5) * kCell;
        drawing.line({x, bottom}, {x, bottom + 2});
        drawing.text({x, bottom + 9}, std::to_string(map.templates[i]), kMapLetters,
                     TextAnchor::Middle);
    }
    for (std::size_t i = 0; i < map.scenes.size(); i += kStepsPerOctave) {
        const double y = bottom - (static_cast<double>(i) + 0.5) * kCell;
        drawing.line({at.x - 2, y}, {at.x, y});
        drawing.text({at.x - 4, y + 2.5}, std::to_string(map.scenes[i]), kMapLetters,
                     TextAnchor::End);
    }
    drawing.text({at.x + width / 2, bottom + 18}, "template side, voxels", kMapLetters,
                 TextAnchor::Middle);
}

std::vector<std::string> methodsOf(const std::vector<Crossover>& maps) {
    std::vector<std::string> methods;
    for (const Crossover& map : maps) {
        methods.insert(methods.end(), map.methods.begin(), map.methods.end());
    }
    std::ranges::sort(methods);
    methods.erase(std::ranges::unique(methods).begin(), methods.end());
    return methods;
}

/// Draws the legend and returns its right end.
double drawLegend(Drawing& drawing, const std::vector<std::string>& methods, bool marks) {
    constexpr double kLegend = 10;
    double x = kMapLeft;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        drawing.box(x, kLegend - 6, 7, 7, greyOf(i, methods.size()), io::kBlack, 0.5);
        drawing.text({x + 10, kLegend}, methods[i], kMapLetters);
        x += 10 + io::estimatedWidth(methods[i], kMapLetters) + 8;
    }
    if (marks) {
        constexpr std::string_view kTable = "critical, FLCC Table II";
        constexpr std::string_view kMeasured = "critical, measured";
        drawTableMark(drawing, {x + 2, kLegend - 4});
        drawing.text({x + 7, kLegend}, std::string(kTable), kMapLetters);
        x += 7 + io::estimatedWidth(kTable, kMapLetters) + 8;
        drawMeasuredMark(drawing, {x + 2, kLegend - 2.5});
        drawing.text({x + 7, kLegend}, std::string(kMeasured), kMapLetters);
        x += 7 + io::estimatedWidth(kMeasured, kMapLetters) + 8;
    }
    return x;
}

} // namespace

Drawing drawingOf(const std::vector<Crossover>& maps) {
    constexpr double kHead = 18; // the legend
    constexpr double kBelow = 26;
    constexpr double kRight = 10;
    double widest = 0;
    std::vector<double> heights; // of the rows of maps
    for (std::size_t i = 0; i < maps.size(); ++i) {
        widest = std::max(widest, static_cast<double>(maps[i].templates.size()) * kCell);
        const double height = static_cast<double>(maps[i].scenes.size()) * kCell;
        if (i % 2 == 0) {
            heights.push_back(height);
        } else {
            heights.back() = std::max(heights.back(), height);
        }
    }
    const std::vector<std::string> methods = methodsOf(maps);
    const double columnWidth = kMapLeft + widest + kRight;
    Drawing drawing;
    drawing.width =
        std::max(2 * columnWidth,
                 drawLegend(drawing, methods, !maps.empty() && !maps.front().critical.empty()));
    double y = kHead;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        drawMap(drawing, maps[i], methods,
                {kMapLeft + (i % 2 == 0 ? 0 : columnWidth), y + kMapTop});
        y += i % 2 == 0 ? 0 : kMapTop + heights[i / 2] + kBelow;
    }
    drawing.height = y;
    return drawing;
}

} // namespace flcc::job
