#include "engine/match/detail/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flcc::match::detail {

namespace {

/// Voxels of a row tested at once for whether any can pass.
constexpr std::int64_t kBlock = 64;

bool anyReaches(const float* value, std::int64_t length, float threshold) {
    int hits = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        hits += value[i] >= threshold ? 1 : 0;
    }
    return hits != 0;
}

/// The largest float that is not above `value`.
float floorToFloat(double value) {
    const float rounded = static_cast<float>(value);
    return static_cast<double>(rounded) > value
               ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
               : rounded;
}

class Scanner {
  public:
    Scanner(const Scores& scores, double minScore)
        : m_scores(scores), m_value(scores.values()), m_status(scores.statuses()),
          m_minScore(minScore) {}

    void scanRow(std::int64_t y, std::int64_t z, std::vector<Candidate>& found) const {
        const float* const value = m_value.row(y, z);
        const float threshold = floorToFloat(m_minScore - m_scores.largestMargin());
        const std::int64_t length = m_value.extents().x;
        for (std::int64_t start = 0; start < length; start += kBlock) {
            const std::int64_t end = std::min(length, start + kBlock);
            if (!anyReaches(value + start, end - start, threshold)) {
                continue;
            }
            for (std::int64_t x = start; x < end; ++x) {
                if (value[x] >= threshold) {
                    test({x, y, z}, found);
                }
            }
        }
    }

  private:
    void test(const base::Index& at, std::vector<Candidate>& found) const {
        const base::Status status = m_status.at(at);
        if (!base::hasValue(status)) {
            return;
        }
        // A canonical score is at most 1. Saying so here lets an exact copy be accepted before all
        // candidates within a bound of 1 have been looked at.
        const double reach = static_cast<double>(m_value.at(at)) + m_scores.margin(status);
        if (reach < m_minScore) {
            return;
        }
        const auto mayStayBelow = [&](const base::Index& other) {
            const base::Status otherStatus = m_status.at(other);
            return static_cast<double>(m_value.at(other)) <= reach + m_scores.margin(otherStatus) ||
                   !base::hasValue(otherStatus);
        };
        if (forEachNeighbour(m_value.extents(), at, mayStayBelow)) {
            found.push_back({std::min(reach, 1.0), m_scores.linear(at)});
        }
    }

    const Scores& m_scores;
    base::View<const float> m_value;
    base::View<const base::Status> m_status;
    double m_minScore;
};

} // namespace

std::vector<Candidate> scanCandidates(const Scores& scores, double minScore, std::stop_token stop) {
    std::vector<Candidate> found;
    const Scanner scanner(scores, minScore);
    const base::Extents& extents = scores.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            if (stop.stop_requested()) {
                return {};
            }
            scanner.scanRow(y, z, found);
        }
    }
    return found;
}

} // namespace flcc::match::detail
