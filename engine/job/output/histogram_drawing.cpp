#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/job/output/match_drawing.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

namespace {

constexpr double kWidth = 470;
constexpr double kHeight = 190;
constexpr double kLeft = 46;
constexpr double kRight = 460;
constexpr double kTop = 18;
constexpr double kBottom = 156;
constexpr match::Colour kBars{90, 125, 165};
constexpr match::Colour kThreshold{200, 40, 40};
constexpr match::Colour kPeaks{230, 120, 0};
constexpr match::Colour kGrid{225, 225, 225};

struct Bins {
    double low = 0;
    double high = 1;
    std::vector<std::int64_t> counts = std::vector<std::int64_t>(120);

    [[nodiscard]] double width() const { return (high - low) / static_cast<double>(counts.size()); }
};

Bins binsOf(const method::MatchMap& map) {
    Bins bins;
    const auto range = match::valueRange(map.value.view(), map.status.view());
    if (range) {
        bins.low = range->first;
        bins.high = range->second > range->first ? range->second : range->first + 1;
        const float* const values = map.value.data();
        const base::Status* const status = map.status.data();
        const auto last = static_cast<std::int64_t>(bins.counts.size()) - 1;
        for (std::int64_t i = 0; i < map.value.count(); ++i) {
            if (base::hasValue(status[i])) {
                const double place = (static_cast<double>(values[i]) - bins.low) / bins.width();
                const auto bin =
                    std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, last);
                ++bins.counts[static_cast<std::size_t>(bin)];
            }
        }
    }
    return bins;
}

/// A step of 1, 2 or 5 times a power of ten, so that at most 8 lie on the range.
double tickStep(double range) {
    const double least = range / 8;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double lead : {1.0, 2.0, 5.0}) {
        if (lead * power >= least) {
            return lead * power;
        }
    }
    return 10 * power;
}

} // namespace

io::Drawing histogramOf(const JobResult& result, double threshold) {
    const Bins bins = binsOf(*result.map);
    io::Drawing drawing{kWidth, kHeight};
    const std::int64_t most = *std::ranges::max_element(bins.counts);
    const double decades = std::max(1.0, std::ceil(std::log10(static_cast<double>(most) + 1)));
    const auto x = [&](double value) {
        return kLeft + (value - bins.low) / (bins.high - bins.low) * (kRight - kLeft);
    };
    const auto y = [&](double count) { // half a count is the base line
        return kBottom - (std::log10(count) + 0.3) / (decades + 0.3) * (kBottom - kTop);
    };
    for (int decade = 0; decade <= static_cast<int>(decades); ++decade) {
        const double at = y(std::pow(10.0, decade));
        drawing.line({kLeft, at}, {kRight, at}, kGrid, 0.5);
        drawing.text({kLeft - 5, at + 3},
                     decade < 4 ? fixed(std::pow(10.0, decade), 0) : "1e" + std::to_string(decade),
                     8, io::TextAnchor::End);
    }
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
        if (bins.counts[i] > 0) {
            const double left = x(bins.low + bins.width() * static_cast<double>(i));
            const double top = y(static_cast<double>(bins.counts[i]));
            drawing.box(left, top, (kRight - kLeft) / static_cast<double>(bins.counts.size()),
                        kBottom - top, kBars);
        }
    }
    drawing.line({kLeft, kBottom}, {kRight, kBottom});
    drawing.line({kLeft, kTop}, {kLeft, kBottom});
    const double step = tickStep(bins.high - bins.low);
    for (double tick = std::ceil(bins.low / step) * step; tick <= bins.high; tick += step) {
        const double value = std::abs(tick) < step / 1e6 ? 0 : tick;
        drawing.line({x(tick), kBottom}, {x(tick), kBottom + 4});
        drawing.text({x(tick), kBottom + 14},
                     fixed(value, std::max(0, -static_cast<int>(std::floor(std::log10(step))))), 8,
                     io::TextAnchor::Middle);
    }
    for (const match::Peak& peak : result.peaks) {
        const double at = x(std::clamp(peak.score, bins.low, bins.high));
        drawing.line({at, kBottom - 8}, {at, kBottom}, kPeaks, 1);
    }
    if (threshold >= bins.low && threshold <= bins.high) {
        drawing.add(io::DrawnPath{
            {{x(threshold), kTop}, {x(threshold), kBottom}}, false, {}, kThreshold, 1, true});
        const bool right = x(threshold) < (kLeft + kRight) / 2;
        drawing.add(
            io::DrawnText{.at = {x(threshold) + (right ? 4 : -4), kTop + 8},
                          .text = "threshold " + shortest(std::round(threshold * 1e4) / 1e4),
                          .size = 8,
                          .anchor = right ? io::TextAnchor::Start : io::TextAnchor::End,
                          .colour = kThreshold});
    }
    drawing.text({(kLeft + kRight) / 2, kHeight - 6},
                 operationText(result) + "; orange: listed peaks", 8.5, io::TextAnchor::Middle);
    drawing.add(io::DrawnText{.at = {12, (kTop + kBottom) / 2},
                              .text = "placements",
                              .size = 8.5,
                              .anchor = io::TextAnchor::Middle,
                              .upwards = true});
    return drawing;
}

} // namespace flcc::job::detail
