#include "engine/method/reduced_map.h"

namespace flcc::method {

void addRow(const float* value, const base::Status* status, std::int64_t length,
            ScoreTally& tally) {
    constexpr std::int64_t kExact = 4096; // WholeSum takes sums of at most 53 bits
    for (std::int64_t from = 0; from < length; from += kExact) {
        const std::int64_t end = std::min(length, from + kExact);
        double sum = 0;
        double squares = 0;
        for (std::int64_t x = from; x < end; ++x) {
            const bool scored = base::hasValue(status[x]);
            const double v = scored ? static_cast<double>(value[x]) : 0.0;
            sum += inScoreUnits(v);
            squares += inScoreUnits(v * v);
            tally.count += scored ? 1 : 0;
            tally.minimum = scored ? std::min(tally.minimum, value[x]) : tally.minimum;
            tally.maximum = scored ? std::max(tally.maximum, value[x]) : tally.maximum;
        }
        tally.sum.add(sum);
        tally.squares.add(squares);
    }
}

} // namespace flcc::method
