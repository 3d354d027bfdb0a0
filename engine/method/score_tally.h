#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/base/status.h"
#include "engine/method/score_units.h"

namespace flcc::method {

/// An exact sum of up to 2^30 whole numbers of at most 53 bits each.
class WholeSum {
  public:
    void add(double whole) {
        const auto value = static_cast<std::int64_t>(whole);
        m_high += value >> kBits;
        m_low += value & kMask;
    }
    void add(const WholeSum& more) {
        m_high += more.m_high;
        m_low += more.m_low;
    }
    /// The sum, rounded to double. It does not depend on the order of the additions.
    [[nodiscard]] double value() const {
        return static_cast<double>(m_high + (m_low >> kBits)) * (std::int64_t{1} << kBits) +
               static_cast<double>(m_low & kMask);
    }

  private:
    static constexpr int kBits = 30;
    static constexpr std::int64_t kMask = (std::int64_t{1} << kBits) - 1;

    std::int64_t m_high = 0;
    std::int64_t m_low = 0;
};

/// Counts and sums from which the statistics of a map are computed. They do not depend on the order
/// in which voxels are added. **Units**: `sum` and `squares` in kScoreUnit.
struct ScoreTally {
    std::int64_t count = 0;
    WholeSum sum;
    WholeSum squares;
    float minimum = 2;
    float maximum = -2;

    void add(const ScoreTally& more) {
        count += more.count;
        sum.add(more.sum);
        squares.add(more.squares);
        minimum = std::min(minimum, more.minimum);
        maximum = std::max(maximum, more.maximum);
    }
    void add(float score) {
        const auto value = static_cast<double>(score);
        count += 1;
        sum.add(inScoreUnits(value));
        squares.add(inScoreUnits(value * value));
        minimum = std::min(minimum, score);
        maximum = std::max(maximum, score);
    }
};

/// Adds the voxels of a row that have a score to a tally.
void addRow(const float* value, const base::Status* status, std::int64_t length, ScoreTally& tally);

} // namespace flcc::method
