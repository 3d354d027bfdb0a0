#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/job/bench/painter.h"
#include "engine/job/figure.h"
#include "engine/job/report/text.h"

namespace flcc::job {

namespace {

using detail::fill;
using detail::kBlack;
using detail::kWhite;
using detail::Picture;
using detail::Place;
using detail::widthOf;
using detail::write;

constexpr std::int64_t kWidth = 940;
constexpr std::int64_t kHeight = 620;
constexpr std::int64_t kLeft = 90;
constexpr std::int64_t kRight = 670; ///< of the plot; the legend is beside it
constexpr std::int64_t kTop = 80;
constexpr std::int64_t kBottom = 540;
constexpr std::int64_t kScale = 2; ///< of letters
constexpr std::int64_t kHalfLetter = 7;
constexpr std::uint8_t kGrid = 225;

/// Maps template sides (linear) and milliseconds (logarithmic) to pixels.
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

    [[nodiscard]] std::int64_t x(double side) const {
        const double share = m_last > m_first ? (side - m_first) / (m_last - m_first) : 0.5;
        return kLeft + 10 + std::llround(share * (kRight - kLeft - 20));
    }
    [[nodiscard]] std::int64_t y(double ms) const {
        return kBottom -
               std::llround((std::log10(ms) - m_low) / (m_high - m_low) * (kBottom - kTop));
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

void drawAxes(Picture& picture, const Figure& figure, const Axes& axes) {
    for (const double ms : axes.ticks()) {
        const std::string label = tickText(ms);
        fill(picture, kLeft, axes.y(ms), kRight - kLeft, 1, kGrid);
        fill(picture, kLeft - 6, axes.y(ms), 6, 1, kBlack);
        write(picture, kLeft - 10 - widthOf(label, kScale), axes.y(ms) - kHalfLetter, label,
              kScale);
    }
    std::int64_t free = 0; // where the next label may begin
    for (const std::int64_t side : figure.templates) {
        const std::int64_t x = axes.x(static_cast<double>(side));
        const std::string label = std::to_string(side);
        const std::int64_t begin = x - widthOf(label, kScale) / 2;
        fill(picture, x, kTop, 1, kBottom - kTop, kGrid);
        fill(picture, x, kBottom, 1, 6, kBlack);
        if (begin >= free) {
            write(picture, begin, kBottom + 10, label, kScale);
            free = begin + widthOf(label, kScale) + 8;
        }
    }
    fill(picture, kLeft, kTop, 1, kBottom - kTop, kBlack);
    fill(picture, kLeft, kBottom, kRight - kLeft, 1, kBlack);
    const std::string title = "template side, voxels";
    write(picture, (kLeft + kRight - widthOf(title, kScale)) / 2, kBottom + 36, title, kScale);
    write(picture, 10, kTop - 26, "time, ms (logarithmic)", kScale);
}

std::uint8_t greyOfCurve(std::size_t index) {
    constexpr std::uint8_t kStep = 55;
    return static_cast<std::uint8_t>(kStep * (index % 4));
}

void drawCurve(Picture& picture, const Figure& figure, const Axes& axes, std::size_t index,
               bool stream) {
    const TimesCurve& curve = figure.curves[index];
    const std::vector<double>& times = stream ? curve.streamMs : curve.singleMs;
    const std::uint8_t grey = greyOfCurve(index);
    std::vector<Place> line; // up to the next side that did not run
    for (std::size_t i = 0; i <= times.size(); ++i) {
        if (i < times.size() && times[i] > 0) {
            line.push_back({axes.x(static_cast<double>(figure.templates[i])), axes.y(times[i])});
        } else {
            detail::drawLine(picture, line, grey, stream);
            for (const Place& place : line) {
                detail::drawMark(picture, place, static_cast<int>(index), grey, !stream);
            }
            line.clear();
        }
    }
}

void drawLegend(Picture& picture, const Figure& figure) {
    std::int64_t y = kTop + 10;
    const std::int64_t x = kRight + 20;
    for (const bool stream : {false, true}) {
        write(picture, x, y - kHalfLetter, stream ? "stream" : "single image", kScale);
        y += 26;
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            const std::uint8_t grey = greyOfCurve(i);
            detail::drawLine(picture, {{x, y}, {x + 42, y}}, grey, stream);
            detail::drawMark(picture, {x + 21, y}, static_cast<int>(i), grey, !stream);
            write(picture, x + 52, y - kHalfLetter, figure.curves[i].method, kScale);
            y += 24;
        }
        y += 14;
    }
}

Picture drawnTimes(const Figure& figure) {
    Picture picture({kWidth, kHeight, 1}, kWhite);
    const Axes axes(figure);
    const std::string side = std::to_string(figure.scene.x);
    const bool lcc = figure.options.operation == FigureOperation::Lcc;
    write(picture, 10, 16,
          std::string(lcc ? "LCC" : "Convolution") + ", scene " + side + "x" + side +
              " voxels, device " + figure.options.device + ", " + std::to_string(figure.threads) +
              (figure.threads == 1 ? " thread" : " threads"),
          kScale);
    drawAxes(picture, figure, axes);
    for (const bool stream : {true, false}) { // single images in front
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            drawCurve(picture, figure, axes, i, stream);
        }
    }
    drawLegend(picture, figure);
    return picture;
}

} // namespace

base::Image<std::uint8_t> drawn(const Figure& figure) {
    return figure.options.kind == FigureKind::Times ? drawnTimes(figure) : drawn(figure.maps);
}

} // namespace flcc::job
