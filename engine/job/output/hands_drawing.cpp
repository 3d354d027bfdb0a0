#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/job/output/match_drawing.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

io::Drawing handsOf(const HandednessReport& hands) {
    constexpr double kWide = 470;
    constexpr double kHigh = 190;
    constexpr double kFirst = 46;
    constexpr double kLast = 460;
    constexpr double kUpper = 12;
    constexpr double kLower = 156;
    constexpr match::Colour kGiven{40, 90, 160};
    constexpr match::Colour kMirrored{210, 120, 0};
    constexpr match::Colour kLimit{200, 40, 40};
    io::Drawing drawing{kWide, kHigh};
    const std::size_t ranks =
        std::min({std::max({hands.given.size(), hands.mirrored.size(), std::size_t{2}}),
                  static_cast<std::size_t>(std::max<std::int64_t>(20, 4 * hands.compared))});
    double low = std::isfinite(hands.threshold) ? hands.threshold : 0;
    double high = low + 1e-6;
    for (const auto* scores : {&hands.given, &hands.mirrored}) {
        for (std::size_t i = 0; i < std::min(ranks, scores->size()); ++i) {
            low = std::min(low, (*scores)[i]);
            high = std::max(high, (*scores)[i]);
        }
    }
    const auto place = [&](std::size_t rank, double score) {
        return io::DrawingPoint{kFirst + static_cast<double>(rank) /
                                             static_cast<double>(ranks - 1) * (kLast - kFirst),
                                kLower - (score - low) / (high - low) * (kLower - kUpper)};
    };
    const auto curve = [&](const std::vector<double>& scores, const match::Colour& colour,
                           bool dashed) {
        std::vector<io::DrawingPoint> points;
        for (std::size_t i = 0; i < std::min(ranks, scores.size()); ++i) {
            points.push_back(place(i, scores[i]));
        }
        if (points.size() > 1) {
            drawing.add(io::DrawnPath{std::move(points), false, {}, colour, 1.5, dashed});
        }
    };
    drawing.line({kFirst, kLower}, {kLast, kLower});
    drawing.line({kFirst, kUpper}, {kFirst, kLower});
    for (const double score : {low, (low + high) / 2, high}) {
        drawing.text({kFirst - 5, place(0, score).y + 3}, fixed(score, 3), 8, io::TextAnchor::End);
    }
    if (std::isfinite(hands.threshold)) {
        drawing.line(place(0, hands.threshold), place(ranks - 1, hands.threshold), kLimit, 0.5);
    }
    curve(hands.given, kGiven, false);
    curve(hands.mirrored, kMirrored, true);
    drawing.text({kFirst, kLower + 14}, "1", 8, io::TextAnchor::Middle);
    drawing.text({kLast, kLower + 14}, std::to_string(ranks), 8, io::TextAnchor::Middle);
    drawing.text({(kFirst + kLast) / 2, kHigh - 6},
                 "rank of the peak; blue: as given; orange, dashed: mirrored; red: threshold", 8.5,
                 io::TextAnchor::Middle);
    return drawing;
}

} // namespace flcc::job::detail
