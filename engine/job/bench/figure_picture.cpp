#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/drawing.h"
#include "engine/job/figure.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using io::Drawing;
using io::DrawingPoint;
using io::TextAnchor;
using match::Colour;

// Points; the legend is to the right of the plot.
constexpr double kWidth = 470;
constexpr double kHeight = 310;
constexpr double kLeft = 45;
constexpr double kRight = 335;
constexpr double kTop = 40;
constexpr double kBottom = 270;
constexpr double kLetters = 8;
constexpr Colour kGrid{225, 225, 225};

/// Maps template sides (linear) and milliseconds (logarithmic) to points.
class Axes {
  public:
    explicit Axes(const Figure& figure)
        : m_first(static_cast<double>(figure.templates.front())),
          m_last(static_cast<double>(figure.templates.back())) {
        double least = INFINITY;
        double most = 0;
        for (const TimesCurve& curve : figure.curves) {
            for (const auto* const times : {&curve.singleMs, &curve.streamMs}) {
                for (const double ms : *times) {
                    if (ms > 0) { // false for NaN
                        least = std::min(least, ms);
                        most = std::max(most, ms);
                    }
                }
            }
        }
        if (most == 0) { // nothing ran
            least = most = 1;
        }
        m_low = std::log10(least) - 0.1;
        m_high = std::log10(most) + 0.1;
    }

    [[nodiscard]] double x(double side) const {
        const double share = m_last > m_first ? (side - m_first) / (m_last - m_first) : 0.5;
        return kLeft + 5 + share * (kRight - kLeft - 10);
    }
    [[nodiscard]] double y(double ms) const {
        return kBottom - (std::log10(ms) - m_low) / (m_high - m_low) * (kBottom - kTop);
    }
    /// 1, 2 and 5 times powers of ten within the axis.
    [[nodiscard]] std::vector<double> ticks() const {
        std::vector<double> list;
        for (double decade = std::floor(m_low); decade <= m_high; ++decade) {
            for (const double step : {1.0, 2.0, 5.0}) {
                const double ms = step * std::pow(10.0, decade);
                if (std::log10(ms) >= m_low && std::log10(ms) <= m_high) {
                    list.push_back(ms);
                }
            }
        }
        return list;
    }

  private:
    double m_first;
    double m_last;
    double m_low;  ///< decimal logarithm of milliseconds
    double m_high; ///< likewise
};

/// "0.05", "2", "500".
std::string tickText(double ms) {
    const int digits = ms < 1 ? static_cast<int>(std::ceil(-std::log10(ms) - 1e-9)) : 0;
    return detail::fixed(ms, digits);
}

void drawAxes(Drawing& drawing, const Figure& figure, const Axes& axes) {
    for (const double ms : axes.ticks()) {
        const double y = axes.y(ms);
        drawing.line({kLeft, y}, {kRight, y}, kGrid, 0.5);
        drawing.line({kLeft - 3, y}, {kLeft, y});
        drawing.text({kLeft - 5, y + 3}, tickText(ms), kLetters, TextAnchor::End);
    }
    double free = 0; // where the next label may begin
    for (const std::int64_t side : figure.templates) {
        const double x = axes.x(static_cast<double>(side));
        const std::string label = std::to_string(side);
        const double half = io::estimatedWidth(label, kLetters) / 2;
        drawing.line({x, kTop}, {x, kBottom}, kGrid, 0.5);
        drawing.line({x, kBottom}, {x, kBottom + 3});
        if (x - half >= free) {
            drawing.text({x, kBottom + 12}, label, kLetters, TextAnchor::Middle);
            free = x + half + 4;
        }
    }
    drawing.line({kLeft, kTop}, {kLeft, kBottom}, io::kBlack, 1);
    drawing.line({kLeft, kBottom}, {kRight, kBottom}, io::kBlack, 1);
    drawing.text({(kLeft + kRight) / 2, kBottom + 27}, "template side, voxels", kLetters,
                 TextAnchor::Middle);
    drawing.text({5, kTop - 8}, "time, ms (logarithmic)", kLetters);
}

Colour greyOfCurve(std::size_t index) {
    constexpr std::size_t kStep = 55;
    const auto grey = static_cast<std::uint8_t>(kStep * (index % 4));
    return {grey, grey, grey};
}

/// A mark of about 4 points: a square, a disc, a diamond, a triangle or a cross; another method has
/// the next shape.
void drawMark(Drawing& drawing, DrawingPoint at, std::size_t shape, const Colour& grey,
              bool filled) {
    const std::optional<Colour> fill = filled ? grey : io::kWhite;
    constexpr double kReach = 2;
    const auto outline = [&](std::vector<DrawingPoint> points) {
        drawing.add(io::DrawnPath{std::move(points), true, fill, grey, 0.5});
    };
    switch (shape % 5) {
    case 0:
        drawing.box(at.x - kReach, at.y - kReach, 2 * kReach, 2 * kReach, fill, grey, 0.5);
        break;
    case 1:
        drawing.add(io::DrawnDisc{at, kReach, fill, grey, 0.5});
        break;
    case 2:
        outline({{at.x, at.y - kReach - 0.5},
                 {at.x + kReach + 0.5, at.y},
                 {at.x, at.y + kReach + 0.5},
                 {at.x - kReach - 0.5, at.y}});
        break;
    case 3:
        outline({{at.x, at.y - kReach - 0.3},
                 {at.x + kReach + 0.3, at.y + kReach},
                 {at.x - kReach - 0.3, at.y + kReach}});
        break;
    default:
        for (const double side : {-kReach, kReach}) {
            drawing.line({at.x - kReach, at.y - side}, {at.x + kReach, at.y + side}, grey,
                         filled ? 1.2 : 0.6);
        }
    }
}

void drawCurve(Drawing& drawing, const Figure& figure, const Axes& axes, std::size_t index,
               bool stream) {
    const TimesCurve& curve = figure.curves[index];
    const std::vector<double>& times = stream ? curve.streamMs : curve.singleMs;
    const Colour grey = greyOfCurve(index);
    std::vector<DrawingPoint> line; // up to the next side that did not run
    for (std::size_t i = 0; i <= times.size(); ++i) {
        if (i < times.size() && times[i] > 0) {
            line.push_back({axes.x(static_cast<double>(figure.templates[i])), axes.y(times[i])});
        } else {
            drawing.add(io::DrawnPath{line, false, {}, grey, 1, stream});
            for (const DrawingPoint& place : line) {
                drawMark(drawing, place, index, grey, !stream);
            }
            line.clear();
        }
    }
}

void drawLegend(Drawing& drawing, const Figure& figure) {
    double y = kTop + 5;
    const double x = kRight + 10;
    for (const bool stream : {false, true}) {
        drawing.text({x, y + 3}, stream ? "stream" : "single image", kLetters);
        y += 13;
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            const Colour grey = greyOfCurve(i);
            drawing.add(io::DrawnPath{{{x, y}, {x + 21, y}}, false, {}, grey, 1, stream});
            drawMark(drawing, {x + 10.5, y}, i, grey, !stream);
            drawing.text({x + 26, y + 3}, figure.curves[i].method, kLetters);
            y += 12;
        }
        y += 7;
    }
}

Drawing timesDrawing(const Figure& figure) {
    Drawing drawing{kWidth, kHeight};
    const Axes axes(figure);
    const std::string side = std::to_string(figure.scene.x);
    const bool lcc = figure.options.operation == FigureOperation::Lcc;
    drawing.text({5, 16}, std::string(lcc ? "LCC" : "Convolution") + ", scene " + side + "x" +
                              side + " voxels, device " + figure.options.device + ", " +
                              std::to_string(figure.threads) +
                              (figure.threads == 1 ? " thread" : " threads"));
    drawAxes(drawing, figure, axes);
    for (const bool stream : {true, false}) { // single images in front
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            drawCurve(drawing, figure, axes, i, stream);
        }
    }
    drawLegend(drawing, figure);
    return drawing;
}

} // namespace

Drawing drawingOf(const Figure& figure) {
    return figure.options.kind == FigureKind::Times ? timesDrawing(figure) : drawingOf(figure.maps);
}

} // namespace flcc::job
