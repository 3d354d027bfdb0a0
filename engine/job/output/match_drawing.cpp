#include "engine/job/output/match_drawing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/exports.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace detail {

using io::Drawing;
using io::DrawingPoint;
using io::TextAnchor;
using match::Colour;

namespace {

constexpr Colour kMark{230, 120, 0};
constexpr Colour kRejected{150, 150, 150};
constexpr Colour kFrame{120, 120, 120};
constexpr std::int64_t kMostPixels = 1000;

double centreOffset(std::int64_t extent) { return static_cast<double>(extent - 1) / 2; }

/// The colours of blocks of `step` * `step` voxels; `colour` gets the first voxel of each and its
/// end.
template <class ColourOf>
SlicePixels pixelsOf(const base::Extents& n, std::int64_t most, const ColourOf& colour) {
    SlicePixels slice;
    slice.step = std::max<std::int64_t>(1, (std::max(n.x, n.y) + most - 1) / most);
    slice.columns = static_cast<int>((n.x + slice.step - 1) / slice.step);
    slice.rows = static_cast<int>((n.y + slice.step - 1) / slice.step);
    slice.pixels.reserve(static_cast<std::size_t>(slice.columns) *
                         static_cast<std::size_t>(slice.rows));
    for (std::int64_t y = 0; y < n.y; y += slice.step) {
        for (std::int64_t x = 0; x < n.x; x += slice.step) {
            slice.pixels.push_back(
                colour(x, y, std::min(x + slice.step, n.x), std::min(y + slice.step, n.y)));
        }
    }
    return slice;
}

SlicePixels mapSlice(const method::MatchMap& map, std::int64_t z,
                     const match::HeatmapScale& scale) {
    const bool largest = !scale.reversed;
    return pixelsOf(
        map.value.extents(), kMostPixels,
        [&](std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1) {
            bool any = false;
            float best = 0;
            base::Status status = base::Status::Ok;
            for (std::int64_t y = y0; y < y1; ++y) {
                for (std::int64_t x = x0; x < x1; ++x) {
                    const base::Status here = map.status.view().at(x, y, z);
                    const float value = map.value.view().at(x, y, z);
                    if (base::hasValue(here) && (!any || (largest ? value > best : value < best))) {
                        any = true;
                        best = value;
                        status = here;
                    }
                }
            }
            if (!any) {
                return match::hatchColour(x0, y0);
            }
            const Colour colour = match::colourOf(scale, static_cast<double>(best));
            return status == base::Status::LowConf ? match::lowConfColour(colour) : colour;
        });
}

void drawSlice(Drawing& drawing, SlicePixels slice, DrawingPoint corner, double pixelWidth,
               double pixelHeight) {
    const double width = pixelWidth * slice.columns;
    const double height = pixelHeight * slice.rows;
    drawing.add(
        io::DrawnImage{corner, width, height, slice.columns, slice.rows, std::move(slice.pixels)});
}

const SceneImage& templateOf(const JobResult& result, const match::Peak& peak) {
    return *result.templates[static_cast<std::size_t>(peak.templ)];
}

/// "0.5", "200".
std::string roundText(double value) { return shortest(std::round(value * 1e6) / 1e6); }

/// The largest 1, 2 or 5 times a power of ten that is not above `most`.
double roundLength(double most) {
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    const double lead = most / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

} // namespace

match::HeatmapScale heatmapScale(const JobReport& report) {
    const method::Operation operation = report.plan.problem.operation;
    if (operation.traits().drawnFromZero) {
        // A map without positive scores still gets a scale of one colour step.
        return {.low = 0, .high = std::max(largestOfOthers(report), 1.0 / 256)};
    }
    const match::MapStatistics& statistics = report.map->statistics;
    return {.low = statistics.minimum,
            .high = statistics.maximum,
            .reversed = operation.traits().best == method::Best::Smallest};
}

std::string operationText(const JobResult& result) {
    const method::Operation operation = result.report.plan.problem.operation;
    const std::string_view name = method::nameUnlessDefault(operation);
    return std::string(name.empty() ? operation.traits().label : name);
}

std::int64_t drawnSlice(const JobResult& result, std::optional<std::int64_t> slice) {
    const std::int64_t best =
        result.peaks.empty() ? 0 : result.peaks.front().corner.z - result.mapCorner.z;
    return slice.value_or(best);
}

SlicePixels greySlice(const base::AnyView& image, std::int64_t z, std::int64_t most) {
    const base::Extents n = base::extentsOf(image);
    std::vector<double> means;
    SlicePixels slice =
        pixelsOf(n, most, [&](std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1) {
            double sum = 0;
            std::visit(
                [&](const auto& view) {
                    for (std::int64_t y = y0; y < y1; ++y) {
                        for (std::int64_t x = x0; x < x1; ++x) {
                            sum += static_cast<double>(view.at(x, y, z));
                        }
                    }
                },
                image);
            means.push_back(sum / static_cast<double>((x1 - x0) * (y1 - y0)));
            return Colour{};
        });
    std::vector<double> ordered;
    std::ranges::copy_if(means, std::back_inserter(ordered),
                         [](double value) { return std::isfinite(value); });
    std::ranges::sort(ordered);
    const auto percentile = [&](double share) {
        const double place = share * static_cast<double>(ordered.size() - 1);
        return ordered[static_cast<std::size_t>(std::lround(place))];
    };
    const double low = ordered.empty() ? 0 : percentile(0.005);
    const double high = ordered.empty() ? 0 : percentile(0.995);
    for (std::size_t i = 0; i < means.size(); ++i) {
        const auto columns = static_cast<std::size_t>(slice.columns);
        const double share =
            high > low ? std::clamp((means[i] - low) / (high - low), 0.0, 1.0) : 0.5;
        const auto grey =
            static_cast<std::uint8_t>(std::lround(255 * (std::isfinite(means[i]) ? share : 0.0)));
        slice.pixels[i] = std::isfinite(means[i])
                              ? Colour{grey, grey, grey}
                              : match::hatchColour(static_cast<std::int64_t>(i % columns),
                                                   static_cast<std::int64_t>(i / columns));
    }
    return slice;
}

PanelPlace placeOf(const JobResult& result, DrawingPoint corner, double width, double height) {
    PanelPlace place;
    place.corner = corner;
    place.scene = result.scene->extents();
    const base::Point& spacing = result.geometry.spacing;
    const double unitsX = spacing[0] * static_cast<double>(place.scene.x);
    const double unitsY = spacing[1] * static_cast<double>(place.scene.y);
    const double perUnit = std::min(width / unitsX, height / unitsY);
    place.perVoxelX = perUnit * spacing[0];
    place.perVoxelY = perUnit * spacing[1];
    return place;
}

/// Rejected peaks are grey, as in the views.
Colour markOf(const JobResult& result, const match::Peak& peak) {
    return result.report.decisions.of(match::keyOf(peak)) == match::Decision::Reject ? kRejected
                                                                                     : kMark;
}

/// The box of a turned template in a flat scene, with a tick from its upper edge to its middle.
void drawTurned(Drawing& drawing, const PanelPlace& place, const match::Peak& peak,
                const base::Extents& templ, const base::Point& edges, const Colour& colour) {
    const rotation::Matrix m = rotation::matrixOf(*peak.pose, edges);
    const auto at = [&](double x, double y) {
        return place.at(peak.centre[0] + m[0] * x + m[1] * y, peak.centre[1] + m[3] * x + m[4] * y);
    };
    const double x = static_cast<double>(templ.x) / 2;
    const double y = static_cast<double>(templ.y) / 2;
    drawing.add(
        io::DrawnPath{{at(-x, -y), at(x, -y), at(x, y), at(-x, y)}, true, {}, colour, 0.9, false});
    drawing.line(at(0, -y), at(0, -y / 2), colour, 0.9);
}

void drawScene(Drawing& drawing, const JobResult& result, const PanelPlace& place, std::int64_t z) {
    const double depth = centreOffset(result.templates.front()->extents().z);
    const double middle = static_cast<double>(z + result.mapCorner.z) + depth;
    const auto slice = std::clamp<std::int64_t>(std::llround(middle), 0, place.scene.z - 1);
    SlicePixels pixels = greySlice(base::viewOf(result.scene->pixels), slice, kMostPixels);
    const auto step = static_cast<double>(pixels.step);
    drawSlice(drawing, std::move(pixels), place.corner, place.perVoxelX * step,
              place.perVoxelY * step);
    if (const auto& region = result.report.region) {
        const base::Index& at = region->corner;
        drawing.add(io::DrawnPath{
            {{place.corner.x + place.perVoxelX * static_cast<double>(at.x),
              place.corner.y + place.perVoxelY * static_cast<double>(at.y)},
             {place.corner.x + place.perVoxelX * static_cast<double>(at.x + region->extents.x),
              place.corner.y + place.perVoxelY * static_cast<double>(at.y)},
             {place.corner.x + place.perVoxelX * static_cast<double>(at.x + region->extents.x),
              place.corner.y + place.perVoxelY * static_cast<double>(at.y + region->extents.y)},
             {place.corner.x + place.perVoxelX * static_cast<double>(at.x),
              place.corner.y + place.perVoxelY * static_cast<double>(at.y + region->extents.y)}},
            true,
            {},
            kFrame,
            0.75,
            true});
    }
    constexpr double kLeastBox = 4; // points
    for (const match::Peak& peak : result.peaks) {
        const base::Extents templ = templateOf(result, peak).extents();
        if (std::abs(peak.centre[2] - static_cast<double>(slice)) >
            static_cast<double>(templ.z) / 2) {
            continue;
        }
        const DrawingPoint centre = place.at(peak.centre[0], peak.centre[1]);
        const double width = place.perVoxelX * static_cast<double>(templ.x);
        const double height = place.perVoxelY * static_cast<double>(templ.y);
        const Colour colour = markOf(result, peak);
        if (std::max(width, height) < kLeastBox) {
            drawing.add(io::DrawnDisc{centre, 2, {}, colour, 0.75});
        } else if (peak.pose && templ.z == 1) {
            drawTurned(drawing, place, peak, templ, result.geometry.spacing, colour);
        } else {
            drawing.box(centre.x - width / 2, centre.y - height / 2, width, height, {}, colour,
                        0.9);
        }
    }
    drawing.box(place.corner.x, place.corner.y, place.width(), place.height(), {}, kFrame, 0.5);
}

void drawHeatmap(Drawing& drawing, const JobResult& result, const PanelPlace& place,
                 std::int64_t z) {
    const method::MatchMap& map = *result.map;
    const match::HeatmapScale scale = heatmapScale(result.report);
    SlicePixels pixels = mapSlice(map, z, scale);
    const base::Extents templ = result.templates.front()->extents();
    const auto step = static_cast<double>(pixels.step);
    const DrawingPoint corner{
        place.corner.x +
            place.perVoxelX * (static_cast<double>(result.mapCorner.x) + centreOffset(templ.x)),
        place.corner.y +
            place.perVoxelY * (static_cast<double>(result.mapCorner.y) + centreOffset(templ.y))};
    drawing.box(place.corner.x, place.corner.y, place.width(), place.height(),
                Colour{240, 240, 240});
    drawSlice(drawing, std::move(pixels), corner, place.perVoxelX * step, place.perVoxelY * step);
    drawing.box(place.corner.x, place.corner.y, place.width(), place.height(), {}, kFrame, 0.5);
}

void drawScaleBar(Drawing& drawing, const JobResult& result, const PanelPlace& place) {
    const double spacing = result.geometry.spacing[0];
    const double units = spacing * static_cast<double>(place.scene.x);
    const double length = roundLength(units / 4);
    const double width = length / spacing * place.perVoxelX;
    const double y = place.corner.y + place.height() + 6;
    drawing.box(place.corner.x, y, width, 2.5, io::kBlack);
    const std::string unit = result.geometry.unit == "A"    ? "\u00c5"
                             : result.geometry.unit == "um" ? "\u00b5m"
                                                            : result.geometry.unit;
    drawing.text({place.corner.x + width + 5, y + 4.5}, roundText(length) + " " + unit, 8);
}

void drawColourBar(Drawing& drawing, const JobResult& result, DrawingPoint corner, double height) {
    constexpr int kSteps = 128;
    constexpr double kWidth = 10;
    const match::HeatmapScale scale = heatmapScale(result.report);
    io::DrawnImage bar{corner, kWidth, height, 1, kSteps, {}};
    const auto valueAt = [&](double share) { return scale.low + share * (scale.high - scale.low); };
    for (int i = 0; i < kSteps; ++i) {
        bar.pixels.push_back(match::colourOf(scale, valueAt(1 - (i + 0.5) / kSteps)));
    }
    drawing.add(std::move(bar));
    drawing.box(corner.x, corner.y, kWidth, height, {}, kFrame, 0.5);
    constexpr int kTicks = 4;
    for (int tick = 0; tick <= kTicks; ++tick) {
        const double share = static_cast<double>(tick) / kTicks;
        const double y = corner.y + (1 - share) * height;
        drawing.line({corner.x + kWidth, y}, {corner.x + kWidth + 3, y}, kFrame, 0.5);
        const double value = valueAt(share);
        const bool plain = std::abs(value) < 1e4 && (value == 0 || std::abs(value) >= 0.01);
        std::string label = plain ? fixed(value, std::abs(value) < 10 ? 2 : 0) : shortest(value);
        if (!plain) {
            char text[16];
            (void)std::snprintf(text, sizeof text, "%.1e", value);
            label = text;
        }
        drawing.text({corner.x + kWidth + 5, y + 2.8}, label, 7.5);
    }
}

} // namespace detail

void requirePixels(const JobResult& result) {
    if (!result.scene || result.scene->extents().x == 0) {
        throw base::Error(base::ErrorCode::Problem,
                          "the pixels of the scene are not in memory, so it cannot be drawn");
    }
}

io::Drawing drawingOf(const JobResult& result, std::optional<std::int64_t> slice) {
    using namespace detail;
    requirePixels(result);
    if (!result.map) {
        throw base::Error(
            base::ErrorCode::Problem,
            "there is no map to draw; templates of different extents give peaks only");
    }
    const std::int64_t z = drawnSlice(result, slice);
    if (z < 0 || z >= result.map->value.extents().z) {
        throw base::Error(base::ErrorCode::Problem, "the map has no slice " + std::to_string(z));
    }
    constexpr double kMargin = 6;
    constexpr double kPanel = 210; // of the width of two columns of a journal, 180 mm
    constexpr double kMostHeight = 560;
    constexpr double kGap = 14;
    constexpr double kHead = 16;
    constexpr double kBar = 60;
    constexpr double kFoot = 18;
    PanelPlace place = placeOf(result, {kMargin, kMargin + kHead}, kPanel, kMostHeight);
    io::Drawing drawing;
    drawing.width = 2 * place.width() + kGap + kBar + 2 * kMargin;
    drawing.height = place.height() + kHead + kFoot + 2 * kMargin;
    if (isUnfinished(result.report)) {
        drawing.text({kMargin, drawing.height - kMargin}, unfinishedText(result.report), 8.5);
    }
    const auto head = [&](const char* letter, const std::string& title) {
        drawing.add(io::DrawnText{
            .at = {place.corner.x, kMargin + 10}, .text = letter, .size = 10, .bold = true});
        drawing.text({place.corner.x + 13, kMargin + 10}, title, 8.5);
    };
    const bool flat = base::isFlat2D(place.scene);
    const double middle = static_cast<double>(z + result.mapCorner.z) +
                          static_cast<double>(result.templates.front()->extents().z - 1) / 2;
    head("a", flat ? "scene and peaks"
                   : "scene and peaks, slice z = " + std::to_string(std::llround(middle)));
    drawScene(drawing, result, place, z);
    drawScaleBar(drawing, result, place);
    place.corner.x += place.width() + kGap;
    head("b", operationText(result) + " of each placement");
    drawHeatmap(drawing, result, place, z);
    drawColourBar(drawing, result, {place.corner.x + place.width() + 10, place.corner.y},
                  place.height());
    return drawing;
}

} // namespace flcc::job
