#include "engine/match/peaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "engine/base/error.h"
#include "engine/match/detail/candidates.h"
#include "engine/match/detail/exclusion.h"
#include "engine/match/detail/scores.h"

namespace flcc::match {

namespace {

constexpr std::size_t kPlateauLimit = 10'000;

/// A local maximum with its final score.
struct Maximum {
    detail::Score score;
    std::int64_t linear = 0;

    [[nodiscard]] bool before(const Maximum& other) const {
        return score.value > other.score.value ||
               (score.value == other.score.value && linear < other.linear);
    }
};

/// Takes the maxima of a map best first. Candidates wait in the order of the most they can score,
/// and get their canonical score only when nothing that has one is certainly before them; so the
/// work follows the number of peaks asked for, not that of the candidates.
class Search {
  public:
    Search(detail::Scores& scores, const base::Extents& templ, const PeakOptions& options,
           std::stop_token stop)
        : m_scores(scores), m_options(options), m_stop(std::move(stop)),
          m_exclusion(scores.extents(), templ, options.minDistance),
          m_open(detail::scanCandidates(scores, options.minScore, m_stop)) {
        std::make_heap(m_open.begin(), m_open.end(), laterCandidate);
    }

    [[nodiscard]] std::vector<Maximum> run() {
        std::vector<Maximum> accepted;
        while (std::ssize(accepted) < m_options.maxPeaks && fill()) {
            const Maximum best = m_ready.front();
            std::pop_heap(m_ready.begin(), m_ready.end(), laterMaximum);
            m_ready.pop_back();
            const base::Index corner = m_scores.index(best.linear);
            if (!m_exclusion.covers(corner)) {
                m_exclusion.add(corner);
                accepted.push_back(best);
            }
        }
        return m_stop.stop_requested() ? std::vector<Maximum>{} : accepted;
    }

  private:
    static bool laterCandidate(const detail::Candidate& a, const detail::Candidate& b) {
        return b.before(a);
    }
    static bool laterMaximum(const Maximum& a, const Maximum& b) { return b.before(a); }

    /// Resolves candidates until the front of m_ready is the best of all that are left. Returns
    /// false when nothing is left or a stop was asked for.
    bool fill() {
        while (!m_open.empty() && (m_ready.empty() || openMayBeBest())) {
            if (m_stop.stop_requested()) {
                return false;
            }
            const std::int64_t linear = m_open.front().linear;
            std::pop_heap(m_open.begin(), m_open.end(), laterCandidate);
            m_open.pop_back();
            resolve(linear);
        }
        return !m_ready.empty() && !m_stop.stop_requested();
    }

    [[nodiscard]] bool openMayBeBest() const {
        const Maximum& ready = m_ready.front();
        return m_open.front().before({ready.score.value, ready.linear});
    }

    void resolve(std::int64_t linear) {
        const base::Index at = m_scores.index(linear);
        // An accepted peak was before all that were open then, so it is before this one.
        if (m_exclusion.covers(at)) {
            return;
        }
        const detail::Score score = m_scores.score(at);
        if (score.value + score.bound >= m_options.minScore && isMaximum(at, score.value)) {
            m_ready.push_back({score, linear});
            std::push_heap(m_ready.begin(), m_ready.end(), laterMaximum);
        }
    }

    /// True when no neighbour of the plateau that `at` belongs to is higher and `at` is the
    /// plateau's first voxel.
    [[nodiscard]] bool isMaximum(const base::Index& at, double value) {
        const std::int64_t first = m_scores.linear(at);
        std::vector<base::Index> plateau{at};
        std::unordered_set<std::int64_t> seen{first};
        for (std::size_t next = 0; next < plateau.size() && next < kPlateauLimit; ++next) {
            const auto extend = [&](const base::Index& neighbour) {
                if (!base::hasValue(m_scores.statuses().at(neighbour))) {
                    return true;
                }
                const int order = m_scores.compare(neighbour, value);
                if (order > 0 || (order == 0 && m_scores.linear(neighbour) < first)) {
                    return false;
                }
                if (order == 0 && seen.insert(m_scores.linear(neighbour)).second) {
                    plateau.push_back(neighbour);
                }
                return true;
            };
            const base::Index from = plateau[next];
            if (m_stop.stop_requested() ||
                !detail::forEachNeighbour(m_scores.extents(), from, extend)) {
                return false;
            }
        }
        return true;
    }

    detail::Scores& m_scores;
    PeakOptions m_options;
    std::stop_token m_stop;
    detail::Exclusion m_exclusion;
    std::vector<detail::Candidate> m_open; ///< heap, the most promising first
    std::vector<Maximum> m_ready;          ///< heap, the best first
};

/// Vertex of the parabola through the scores before, at and after a maximum; within half a voxel.
void fitParabola(double before, double at, double after, double& shift, double& curvature) {
    curvature = before - 2 * at + after;
    if (curvature < 0) {
        shift = std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5);
    }
}

void fitSubVoxel(detail::Scores& scores, double score, Peak& peak) {
    const base::Extents& extents = scores.extents();
    const std::array<std::int64_t, 3> lengths{extents.x, extents.y, extents.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto moved = [&](std::int64_t step) {
            std::array<std::int64_t, 3> at{peak.corner.x, peak.corner.y, peak.corner.z};
            at[axis] += step;
            return base::Index{at[0], at[1], at[2]};
        };
        const auto known = [&](std::int64_t step) {
            const base::Index at = moved(step);
            const std::int64_t position = std::array{at.x, at.y, at.z}[axis];
            return position >= 0 && position < lengths[axis] &&
                   base::hasValue(scores.statuses().at(at));
        };
        if (known(-1) && known(1)) {
            fitParabola(scores.score(moved(-1)).value, score, scores.score(moved(1)).value,
                        peak.shift[axis], peak.curvature[axis]);
        }
    }
}

/// The score of the best maximum that does not exclude, and is not excluded by, the best one, of
/// score `best`; empty where none is positive. Looks from the top down, as low scores are many.
std::optional<double> secondBest(detail::Scores& scores, const base::Extents& templ,
                                 const PeakOptions& options, double best,
                                 const std::stop_token& stop) {
    PeakOptions two = options;
    two.maxPeaks = 2;
    for (const double share : {0.5, 0.25, 0.125, 0.0}) {
        two.minScore = share * best;
        const std::vector<Maximum> found = Search(scores, templ, two, stop).run();
        if (found.size() == 2) {
            return found[1].score.value;
        }
    }
    return std::nullopt;
}

void requireSensible(const PeakOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw base::Error(base::ErrorCode::CommandLine, what);
    };
    if (std::isnan(options.minScore)) {
        refuse("the lowest score of a peak is not a number");
    }
    if (options.maxPeaks < 0) {
        refuse("the number of peaks must not be negative, but is " +
               std::to_string(options.maxPeaks));
    }
    if (options.minDistance && !(*options.minDistance >= 0)) {
        refuse("the distance between peaks must be 0 or more, but is " +
               std::to_string(*options.minDistance));
    }
}

} // namespace

std::vector<Peak> findPeaks(const method::MaskedView& scene, const method::MaskedView& templ,
                            const base::View<const float>& value,
                            const base::View<const base::Status>& status,
                            const method::MapFacts& facts, const MapStatistics& statistics,
                            const base::Geometry& geometry, const PeakOptions& options,
                            std::stop_token stop) {
    requireSensible(options);
    const method::CanonicalTemplate canonical(templ);
    const base::Extents extents = canonical.extents();
    detail::Scores scores(scene, canonical, value, status, facts);
    const std::vector<Maximum> found = Search(scores, extents, options, stop).run();
    if (found.empty()) {
        return {};
    }
    const std::optional<double> second =
        found.size() > 1 ? std::optional(found[1].score.value)
                         : secondBest(scores, extents, options, found[0].score.value, stop);
    const base::Point half{static_cast<double>(extents.x - 1) / 2,
                           static_cast<double>(extents.y - 1) / 2,
                           static_cast<double>(extents.z - 1) / 2};
    std::vector<Peak> peaks;
    for (const Maximum& maximum : found) {
        if (stop.stop_requested()) {
            return {};
        }
        Peak peak;
        peak.score = maximum.score.value;
        peak.bound = maximum.score.bound;
        peak.corner = scores.index(maximum.linear);
        peak.status = status.at(peak.corner);
        fitSubVoxel(scores, peak.score, peak);
        const base::Point corner{static_cast<double>(peak.corner.x),
                                 static_cast<double>(peak.corner.y),
                                 static_cast<double>(peak.corner.z)};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            peak.centre[axis] = corner[axis] + half[axis] + peak.shift[axis];
        }
        peak.world = base::toWorld(geometry, peak.centre);
        const std::optional<double> rival = peaks.empty() ? second : found[0].score.value;
        if (rival && *rival > 0) {
            peak.rival = peak.score / *rival;
        }
        if (statistics.standardDeviation > 0) {
            peak.zscore = (peak.score - statistics.mean) / statistics.standardDeviation;
        }
        peaks.push_back(peak);
    }
    return peaks;
}

} // namespace flcc::match
