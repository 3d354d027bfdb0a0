#include "engine/match/score_gap.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace flcc::match {

std::optional<ScoreGap> clearGap(std::vector<double> scores) {
    constexpr double kCopy = 0.999;
    constexpr double kWide = 5;
    constexpr std::int64_t kLeastAbove = 6;
    constexpr std::int64_t kLeastBelow = 3;
    std::ranges::sort(scores, std::greater<>());
    std::optional<ScoreGap> best;
    double widest = kWide;
    double count = 0;
    double mean = 0;
    double squares = 0; // of the differences from the mean
    for (std::int64_t i = 0; i + kLeastBelow < std::ssize(scores); ++i) {
        const double score = scores[static_cast<std::size_t>(i)];
        if (score > kCopy) {
            continue;
        }
        count += 1;
        const double off = score - mean;
        mean += off / count;
        squares += off * (score - mean);
        if (count < static_cast<double>(kLeastAbove)) {
            continue;
        }
        const double next = scores[static_cast<std::size_t>(i) + 1];
        const double deviation = std::sqrt(squares / (count - 1));
        if (score - next >= widest * deviation && score > next) {
            widest = deviation > 0 ? (score - next) / deviation : widest;
            best = {i + 1, score, next};
        }
    }
    return best;
}

} // namespace flcc::match
