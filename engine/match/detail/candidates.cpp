#include "engine/match/detail/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/base/widest.h"

namespace flcc::match::detail {

namespace {

/// Voxels of a row tested at once for whether any can pass.
constexpr std::int64_t kBlock = 64;

/// A row of the map and its neighbours in the slice; at the border the row itself.
template <class Real> struct Rows {
    const Real* here;
    const Real* above;
    const Real* below;
};

/// The score that a voxel must reach, and the difference from which a neighbour is certainly
/// higher. Scores times `sign` are largest for the best.
template <class Real> struct Limits {
    Real threshold;
    Real margin;
    Real sign;
};

/// Marks the voxels of a block of a row that reach the threshold and that none of the eight
/// neighbours in the slice certainly exceeds; without branches, so that it is vectorised. A
/// neighbour of value 0 may have none, so it excludes nothing.
template <class Real> struct MarkBlock {
    Rows<Real> rows; ///< at the first voxel of the block
    std::int64_t length;
    Limits<Real> limits;
    std::int32_t* marks;
    bool& any; ///< set if a voxel is marked

    void operator()() const {
        const Real* const here = rows.here;
        const Real* const above = rows.above;
        const Real* const below = rows.below;
        const Real sign = limits.sign;
        const Real threshold = limits.threshold;
        const Real margin = limits.margin;
        std::int32_t* const to = marks;
        std::int32_t high = 0;
        for (std::int64_t i = 0; i < length; ++i) {
            high |= static_cast<std::int32_t>(sign * here[i] >= threshold);
        }
        if (high == 0) {
            any = false;
            return;
        }
        std::int32_t found = 0;
        for (std::int64_t i = 0; i < length; ++i) {
            const Real least = sign * here[i] + margin;
            const auto exceeds = [least, sign](Real neighbour) {
                return static_cast<std::int32_t>(sign * neighbour > least) &
                       static_cast<std::int32_t>(neighbour != 0);
            };
            const std::int32_t lower = exceeds(here[i - 1]) | exceeds(here[i + 1]) |
                                       exceeds(above[i - 1]) | exceeds(above[i]) |
                                       exceeds(above[i + 1]) | exceeds(below[i - 1]) |
                                       exceeds(below[i]) | exceeds(below[i + 1]);
            to[i] = static_cast<std::int32_t>(sign * here[i] >= threshold) & (lower ^ 1);
            found |= to[i];
        }
        any = found != 0;
    }
};

/// The largest float that is not above `value`.
float floorToFloat(double value) {
    const float rounded = static_cast<float>(value);
    return static_cast<double>(rounded) > value
               ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
               : rounded;
}

class Scanner {
  public:
    Scanner(const Scores& scores, double minScore, double below)
        : m_scores(scores), m_value(scores.values()), m_minScore(minScore), m_below(below) {}

    void scanRow(std::int64_t y, std::int64_t z, std::vector<Candidate>& found) const {
        if (m_scores.exact().data() != nullptr) {
            // Margins and thresholds are those of test().
            scanMarked<double>(m_scores.exact(), y, z,
                               {m_minScore - m_scores.largestMargin(), 2 * m_scores.largestMargin(),
                                m_scores.sign()},
                               found);
        } else {
            // Both rounded towards more candidates; test() decides in double. A margin of values
            // of any size is at least four roundings of the largest of them.
            const bool absolute = m_scores.map().operation.traits().absolutePromise;
            scanMarked<float>(m_value, y, z,
                              {floorToFloat(m_minScore - m_scores.largestMargin()),
                               absolute ? static_cast<float>(2 * m_scores.largestMargin()) + 1e-6F
                                        : static_cast<float>(4 * m_scores.largestMargin()),
                               static_cast<float>(m_scores.sign())},
                              found);
        }
    }

    /// Scans a part of a reduced map.
    void scanPart(const method::ReducedMap::Part& part, const std::stop_token& stop,
                  std::vector<Candidate>& found) const {
        const base::Extents& extents = part.box.extents;
        const auto testVoxel = [&](std::int64_t i) {
            test({part.box.corner.x + i % extents.x, part.box.corner.y + i / extents.x % extents.y,
                  part.box.corner.z + i / (extents.x * extents.y)},
                 found);
        };
        const double least = m_minScore - m_scores.largestMargin();
        const std::int64_t count = part.whole ? base::voxelCount(extents) : std::ssize(part.kept);
        for (std::int64_t i = 0; i < count && !stop.stop_requested(); ++i) {
            if (part.whole && static_cast<double>(part.value.data()[i]) >= least) {
                testVoxel(i);
            } else if (!part.whole) {
                const auto& kept = part.kept[static_cast<std::size_t>(i)];
                if (kept.value >= least) {
                    testVoxel(kept.at);
                }
            }
        }
    }

  private:
    /// True if a voxel of three rows may have a value and still exclude no neighbour.
    [[nodiscard]] bool anyLeftOut(const base::Index& from, std::int64_t length) const {
        if (m_scores.onlyFromAbove()) {
            return true;
        }
        const base::View<const base::Status>& statuses = m_scores.statuses();
        const std::int64_t last = std::min(from.y + 1, m_value.extents().y - 1);
        for (std::int64_t y = std::max<std::int64_t>(from.y - 1, 0); y <= last; ++y) {
            const base::Status* const row = statuses.row(y, from.z) + from.x;
            if (std::any_of(row, row + length, [](base::Status status) {
                    return base::hasValue(status) && status != base::Status::Ok;
                })) {
                return true;
            }
        }
        return false;
    }

    /// Tests the voxels of a row that are marked, and those at its ends. Voxels that may not be
    /// peaks exclude no neighbour: beside them all that reach the threshold are tested.
    template <class Real>
    void scanMarked(const base::View<const Real>& values, std::int64_t y, std::int64_t z,
                    const Limits<Real>& limits, std::vector<Candidate>& found) const {
        const base::Extents& extents = values.extents();
        const Rows<Real> rows{values.row(y, z), values.row(std::max<std::int64_t>(y - 1, 0), z),
                              values.row(std::min(y + 1, extents.y - 1), z)};
        const std::int64_t last = extents.x - 1;
        test({0, y, z}, found);
        std::array<std::int32_t, kBlock> marks{};
        for (std::int64_t start = 1; start < last; start += kBlock) {
            const std::int64_t length = std::min(kBlock, last - start);
            bool any = false;
            const auto mark = [&](Real margin) {
                base::inWidest(
                    MarkBlock<Real>{{rows.here + start, rows.above + start, rows.below + start},
                                    length,
                                    {limits.threshold, margin, limits.sign},
                                    marks.data(),
                                    any});
            };
            if (m_scores.leavesSomeOut()) {
                mark(std::numeric_limits<Real>::infinity()); // no neighbour exceeds that
            }
            if (!m_scores.leavesSomeOut() || (any && !anyLeftOut({start - 1, y, z}, length + 2))) {
                mark(limits.margin);
            }
            if (!any) {
                continue;
            }
            for (std::int64_t i = 0; i < length; ++i) {
                if (marks[static_cast<std::size_t>(i)] != 0) {
                    test({start + i, y, z}, found);
                }
            }
        }
        if (last > 0) {
            test({last, y, z}, found);
        }
    }

    void test(const base::Index& at, std::vector<Candidate>& found) const {
        const Scores::Seen here = m_scores.seen(at);
        const double reach = here.value + m_scores.margin(here);
        if (!base::hasValue(here.status) || reach < m_minScore || reach >= m_below ||
            !m_scores.takesPart(at, here.status)) {
            return;
        }
        // A canonical score has a largest value. Saying so here lets an exact copy be accepted
        // before all candidates within a bound of 1 have been looked at.
        const auto mayStayBelow = [&](const base::Index& other) {
            const Scores::Seen seen = m_scores.seen(other);
            return !seen.known || seen.value <= reach + m_scores.margin(seen) ||
                   m_scores.onlyFromAbove() || !m_scores.takesPart(other, seen.status);
        };
        if (m_scores.forRivals(at, mayStayBelow)) {
            found.push_back(
                {std::min(reach, m_scores.map().operation.traits().top()), m_scores.linear(at)});
        }
    }

    const Scores& m_scores;
    base::View<const float> m_value;
    double m_minScore;
    double m_below;
};

} // namespace

double scoreOfTheBest(const Scores& scores, std::int64_t count, const std::stop_token& stop) {
    constexpr std::int64_t kStep = 16;
    constexpr std::int64_t kFewest = 16; // of a sample; fewer say little
    const double none = -std::numeric_limits<double>::infinity();
    if (scores.map().reduced != nullptr) {
        return none;
    }
    const base::Extents& extents = scores.extents();
    std::vector<double> sample;
    for (std::int64_t row = 0; row < extents.y * extents.z && !stop.stop_requested();
         row += kStep) {
        for (std::int64_t x = row % kStep; x < extents.x; x += kStep) {
            const Scores::Seen seen = scores.seen({x, row % extents.y, row / extents.y});
            if (base::hasValue(seen.status)) {
                sample.push_back(seen.value);
            }
        }
    }
    const std::int64_t rank = std::max(kFewest, count / (kStep * kStep));
    if (rank >= std::ssize(sample)) {
        return none;
    }
    const auto at = sample.begin() + rank;
    std::nth_element(sample.begin(), at, sample.end(), std::greater<>());
    return *at;
}

std::vector<Candidate> scanCandidates(const Scores& scores, double minScore, double below,
                                      std::stop_token stop,
                                      const std::function<void(double)>& progress) {
    constexpr std::int64_t kRowsAtOnce = 64; // between two reports of progress
    std::vector<Candidate> found;
    const Scanner scanner(scores, minScore, below);
    if (const method::ReducedMap* const reduced = scores.map().reduced) {
        for (const method::ReducedMap::Part& part : reduced->parts()) {
            scanner.scanPart(part, stop, found);
        }
        return stop.stop_requested() ? std::vector<Candidate>{} : found;
    }
    const base::Extents& extents = scores.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            if (stop.stop_requested()) {
                return {};
            }
            const std::int64_t row = z * extents.y + y;
            if (progress && row % kRowsAtOnce == 0) {
                progress(static_cast<double>(row) / static_cast<double>(extents.y * extents.z));
            }
            scanner.scanRow(y, z, found);
        }
    }
    return found;
}

} // namespace flcc::match::detail
