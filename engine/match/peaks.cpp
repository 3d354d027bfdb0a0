#include "engine/match/peaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/base/error.h"
#include "engine/match/detail/candidates.h"
#include "engine/match/detail/scores.h"
#include "engine/match/exclusion.h"
#include "engine/match/overlap.h"

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

/// Returns the maxima of a map, best first. Candidates are ordered by their upper limit. A
/// canonical score is computed only if no maximum that has one is certainly before the candidate.
/// So the work depends on the number of peaks requested, not on the number of candidates.
class Search {
  public:
    /// Skips maxima that `exclusion` covers. The caller may add maxima of this and of other
    /// searches that come before all maxima left here. About `count` maxima will be asked for.
    Search(detail::Scores& scores, double minScore, std::int64_t count, const Exclusion& exclusion,
           std::stop_token stop, std::function<void(double)> progress)
        : m_scores(&scores), m_minScore(minScore), m_stop(std::move(stop)),
          m_progress(std::move(progress)), m_exclusion(&exclusion) {
        // Most maxima of a map without a threshold are far below the best ones.
        constexpr std::int64_t kVoxelsEach = 256;
        const std::int64_t voxels = base::voxelCount(scores.extents());
        const double most = count < voxels / kVoxelsEach
                                ? detail::scoreOfTheBest(scores, count * kVoxelsEach, m_stop)
                                : minScore;
        scan(std::max(minScore, most));
    }

    /// The best maximum that is left, or null.
    [[nodiscard]] const Maximum* front() {
        while (fill() && m_exclusion->covers(cornerOf(m_ready.front()), m_scores->templExtents())) {
            pop();
        }
        return m_ready.empty() || m_stop.stop_requested() ? nullptr : &m_ready.front();
    }
    void pop() {
        std::pop_heap(m_ready.begin(), m_ready.end(), laterMaximum);
        m_ready.pop_back();
    }

    [[nodiscard]] detail::Scores& scores() const { return *m_scores; }
    [[nodiscard]] base::Index cornerOf(const Maximum& maximum) const {
        return m_scores->placement(m_scores->index(maximum.linear));
    }
    [[nodiscard]] int templOf(const Maximum& maximum) const {
        return m_scores->numberOf(maximum.score);
    }

  private:
    static bool laterCandidate(const detail::Candidate& a, const detail::Candidate& b) {
        return b.before(a);
    }
    static bool laterMaximum(const Maximum& a, const Maximum& b) { return b.before(a); }

    /// Resolves candidates until the front of m_ready is the best of all that are left. Returns
    /// false when nothing is left or a stop was asked for.
    bool fill() {
        while (true) {
            while (!m_open.empty() && (m_ready.empty() || openMayBeBest())) {
                if (m_stop.stop_requested()) {
                    return false;
                }
                const std::int64_t linear = m_open.front().linear;
                std::pop_heap(m_open.begin(), m_open.end(), laterCandidate);
                m_open.pop_back();
                resolve(linear);
            }
            const bool restMayBeBest = m_scanned > m_minScore &&
                                       (m_ready.empty() || m_ready.front().score.value < m_scanned);
            if (!restMayBeBest || m_stop.stop_requested()) {
                return !m_ready.empty() && !m_stop.stop_requested();
            }
            scan(m_minScore);
        }
    }

    /// Adds the candidates that may reach `least`.
    void scan(double least) {
        const std::vector<detail::Candidate> found =
            detail::scanCandidates(*m_scores, least, m_scanned, m_stop, m_progress);
        m_open.insert(m_open.end(), found.begin(), found.end());
        std::make_heap(m_open.begin(), m_open.end(), laterCandidate);
        m_scanned = least;
    }

    [[nodiscard]] bool openMayBeBest() const {
        const Maximum& ready = m_ready.front();
        return m_open.front().before({ready.score.value, ready.linear});
    }

    void resolve(std::int64_t linear) {
        const base::Index at = m_scores->index(linear);
        // An accepted peak was before all that were open then, so it is before this one.
        if (m_exclusion->covers(m_scores->placement(at), m_scores->templExtents())) {
            return;
        }
        const detail::Score score = m_scores->score(at);
        if (score.templ >= 0 && score.value + score.bound >= m_minScore &&
            isMaximum(at, score.value)) {
            m_ready.push_back({score, linear});
            std::push_heap(m_ready.begin(), m_ready.end(), laterMaximum);
        }
    }

    /// True when no neighbour of the plateau that `at` belongs to is higher and `at` is the
    /// plateau's first voxel.
    [[nodiscard]] bool isMaximum(const base::Index& at, double value) {
        const std::int64_t first = m_scores->linear(at);
        std::vector<base::Index> plateau{at};
        std::unordered_set<std::int64_t> seen{first};
        for (std::size_t next = 0; next < plateau.size() && next < kPlateauLimit; ++next) {
            const auto extend = [&](const base::Index& neighbour) {
                if (!m_scores->takesPart(neighbour)) {
                    return true;
                }
                const int order = m_scores->compare(neighbour, value);
                if (order > 0 || (order == 0 && m_scores->linear(neighbour) < first)) {
                    return false;
                }
                if (order == 0 && seen.insert(m_scores->linear(neighbour)).second) {
                    plateau.push_back(neighbour);
                }
                return true;
            };
            const base::Index from = plateau[next];
            if (m_stop.stop_requested() || !m_scores->forRivals(from, extend)) {
                return false;
            }
        }
        return true;
    }

    detail::Scores* m_scores;
    double m_minScore;
    std::stop_token m_stop;
    std::function<void(double)> m_progress; ///< of a scan
    const Exclusion* m_exclusion;
    /// All candidates that may reach this score are in m_open, or were.
    double m_scanned = std::numeric_limits<double>::infinity();
    std::vector<detail::Candidate> m_open; ///< heap, the most promising first
    std::vector<Maximum> m_ready;          ///< heap, the best first
};

/// An accepted maximum and the scores it comes from.
struct Found {
    Maximum maximum;
    detail::Scores* scores;
    int templ;
    base::Index corner;
    double worth; ///< PeakOptions::worth of its score
};

/// A box that holds what a peak of the map suppresses.
base::Extents zoneOf(const detail::Scores& scores) {
    const base::Extents& box = scores.templExtents();
    const auto& poses = scores.map().poses;
    if (!poses) {
        return box;
    }
    const base::Extents n = poses->largestTurned();
    return {std::max(box.x, n.x), std::max(box.y, n.y), std::max(box.z, n.z)};
}

/// The first `count` maxima of all maps that no higher one suppresses; none when stopped.
/// `minScore`: of all maps, in place of those of `options`.
std::vector<Found> takeBest(std::vector<detail::Scores>& maps, const PeakOptions& options,
                            std::optional<double> minScore, std::int64_t count,
                            const std::stop_token& stop,
                            const std::function<void(double)>& progress = {}) {
    constexpr double kScans = 0.7; // of the time, as far as anybody can say before
    base::Extents largest{1, 1, 1};
    for (const detail::Scores& scores : maps) {
        const base::Extents templ = zoneOf(scores);
        largest = {std::max(largest.x, templ.x), std::max(largest.y, templ.y),
                   std::max(largest.z, templ.z)};
    }
    Exclusion exclusion(largest, options.minDistance, options.edges);
    Overlaps overlaps(largest);
    std::vector<Search> searches;
    for (detail::Scores& scores : maps) {
        const auto number = static_cast<double>(searches.size());
        const auto all = static_cast<double>(maps.size());
        const double least = minScore.value_or(options.minScoreOf(searches.size()));
        searches.emplace_back(scores, least, count, exclusion, stop,
                              progress
                                  ? [&progress, number, all](
                                        double share) { progress(kScans * (number + share) / all); }
                                  : std::function<void(double)>{});
    }
    std::vector<Found> accepted;
    while (std::ssize(accepted) < count) {
        Search* next = nullptr;
        std::optional<Found> best;
        for (std::size_t map = 0; map < searches.size(); ++map) {
            Search& search = searches[map];
            const Maximum* const front = search.front();
            if (front == nullptr) {
                continue;
            }
            const Found found{*front, &search.scores(), search.templOf(*front),
                              search.cornerOf(*front), options.worthOf(map, front->score.value)};
            const auto rank = [](const Found& each) {
                return std::tuple(-each.worth, each.corner.z, each.corner.y, each.corner.x,
                                  each.templ);
            };
            if (!best || rank(found) < rank(*best)) {
                best = found;
                next = &search;
            }
        }
        if (next == nullptr) {
            break;
        }
        if (progress) {
            progress(kScans + (1 - kScans) * static_cast<double>(accepted.size()) /
                                  static_cast<double>(count));
        }
        next->pop();
        if (options.maxOverlap) {
            Lying lying = searchedAt(best->scores->map(), best->maximum.score.templ, best->corner);
            if (overlaps.most(lying).share > *options.maxOverlap) {
                continue;
            }
            overlaps.add(std::move(lying));
        }
        exclusion.add(best->corner, best->scores->templExtents(),
                      best->scores->turnedAs(best->maximum.score));
        accepted.push_back(*best);
    }
    return stop.stop_requested() ? std::vector<Found>{} : accepted;
}

/// The place about the peak's voxel, of the template or member that gave its score alone. What a
/// margin of the scene holds is not looked at.
Place placeAt(detail::Scores& scores, const base::Index& at, const detail::Score& score) {
    const auto own = scores.templateOf(score);
    const std::optional<base::Box>& room = scores.map().room;
    const method::MaskedView scene = room ? method::partOf(scores.scene(), *room) : scores.scene();
    const base::Index first = room ? room->corner : base::Index{};
    const base::Index placed = scores.placement(at);
    const base::Index corner{placed.x - first.x, placed.y - first.y, placed.z - first.z};
    const bool whole = room && scores.statusOf(at) != base::Status::Partial;
    return match::placeOf(
        scene, *own, corner, score.value,
        [&](const base::Index& by) -> std::optional<double> {
            const base::Index beside{corner.x + by.x, corner.y + by.y, corner.z + by.z};
            if (whole && !method::isWhole(scene, *own, beside)) {
                return std::nullopt;
            }
            return scores.scoreOf(*own, {at.x + by.x, at.y + by.y, at.z + by.z});
        },
        scores.map().operation.traits().refinesByPixels);
}

/// The score of the best maximum that does not exclude, and is not excluded by, the best one, of
/// score `best`; empty where none is positive. Looks from the top down, as low scores are many.
std::optional<double> secondBest(std::vector<detail::Scores>& maps, const PeakOptions& options,
                                 double best, const std::stop_token& stop) {
    for (const double share : {0.5, 0.25, 0.125, 0.0}) {
        const std::vector<Found> found = takeBest(maps, options, share * best, 2, stop);
        if (found.size() == 2) {
            return found[1].maximum.score.value;
        }
    }
    return std::nullopt;
}

void requireSensible(const PeakOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw base::Error(base::ErrorCode::CommandLine, what);
    };
    if (std::isnan(options.minScore) ||
        std::ranges::any_of(options.minScores, [](double score) { return std::isnan(score); })) {
        refuse("the lowest score of a peak must be a number, not NaN");
    }
    if (options.maxPeaks < 0) {
        refuse("the number of peaks must not be negative, but is " +
               std::to_string(options.maxPeaks));
    }
    if (options.maxOverlap && !(*options.maxOverlap >= 0)) {
        refuse("the largest overlap of peaks must be 0 or more, but is " +
               std::to_string(*options.maxOverlap));
    }
    if (options.minDistance && !(*options.minDistance >= 0)) {
        refuse("the distance between peaks must be 0 or more, but is " +
               std::to_string(*options.minDistance));
    }
}

/// Makes a peak of a maximum; its rival is set later.
Peak peakOf(const Found& found, const base::Geometry& geometry) {
    detail::Scores& scores = *found.scores;
    const base::Index at = scores.index(found.maximum.linear);
    Peak peak;
    const double sign = scores.map().operation.traits().sign();
    peak.score = sign * found.maximum.score.value;
    peak.bound = found.maximum.score.bound;
    peak.templ = found.templ;
    peak.pose = scores.poseOf(found.maximum.score);
    peak.dark = scores.isDark(found.maximum.score);
    peak.corner = found.corner;
    peak.status = scores.statusOf(at);
    const Place place = placeAt(scores, at, found.maximum.score);
    peak.shift = place.shift;
    peak.error = place.error;
    peak.placedBy = place.by;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        peak.curvature[axis] = sign * place.curvature[axis];
    }
    const base::Point corner{static_cast<double>(peak.corner.x), static_cast<double>(peak.corner.y),
                             static_cast<double>(peak.corner.z)};
    const base::Point own = scores.centreOf(found.maximum.score);
    const base::Extents& box = scores.templExtents();
    const std::array<std::int64_t, 3> lengths{box.x, box.y, box.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = static_cast<double>(lengths[axis] - 1) / 2;
        peak.shift[axis] += own[axis] - half; // of a pose that lies half a voxel off the middle
        peak.centre[axis] = corner[axis] + half + peak.shift[axis];
    }
    peak.world = base::toWorld(geometry, peak.centre);
    const MapStatistics& statistics = scores.map().statistics;
    // Errors of the scores are about as large as their median bound; a few may be far larger.
    if (statistics.standardDeviation >
        statistics.roundingDeviation + scores.map().facts.boundMedian) {
        peak.zscore = (peak.score - statistics.mean) / statistics.standardDeviation;
    }
    return peak;
}

/// The list of findPeaks(); empty when stopped.
std::vector<Peak> listPeaks(std::vector<detail::Scores>& scores, const base::Geometry& geometry,
                            const PeakOptions& options, const std::stop_token& stop,
                            const std::function<void(double)>& progress) {
    const std::vector<Found> found =
        takeBest(scores, options, std::nullopt, options.maxPeaks, stop, progress);
    if (found.empty()) {
        return {};
    }
    const double best = found[0].maximum.score.value;
    const bool largest = scores.front().map().operation.traits().best == method::Best::Largest;
    const std::optional<double> second = !largest ? std::nullopt
                                         : found.size() > 1
                                             ? std::optional(found[1].maximum.score.value)
                                             : secondBest(scores, options, best, stop);
    std::vector<Peak> peaks;
    for (const Found& each : found) {
        if (stop.stop_requested()) {
            return {};
        }
        Peak peak = peakOf(each, geometry);
        const std::optional<double> rival =
            peaks.empty() || !largest ? second : std::optional(best);
        if (rival && *rival > 0) {
            peak.rival = peak.score / *rival;
        }
        peaks.push_back(peak);
    }
    return peaks;
}

} // namespace

std::vector<Peak> findPeaks(const method::MaskedView& scene, const std::vector<SearchedMap>& maps,
                            const base::Geometry& geometry, const PeakOptions& options,
                            std::stop_token stop, std::string* incomplete,
                            const std::function<void(double)>& progress) {
    requireSensible(options);
    std::vector<detail::Scores> scores;
    for (const SearchedMap& map : maps) {
        scores.emplace_back(scene, map, options);
    }
    std::vector<Peak> peaks = listPeaks(scores, geometry, options, stop, progress);
    if (incomplete != nullptr) {
        incomplete->clear();
        for (const detail::Scores& map : scores) {
            *incomplete += incomplete->empty() ? map.incomplete() : "";
        }
    }
    return peaks;
}

bool needsWholeMap(const method::Problem& problem, const std::vector<method::MaskedView>& templates,
                   bool partialPeaks) {
    const bool leavesSomeOut =
        !partialPeaks && (problem.sceneMask || problem.extent != method::Extent::Valid);
    return leavesSomeOut && std::any_of(templates.begin(), templates.end(), [&](const auto& templ) {
               return !method::sameSupport(templates.front(), templ);
           });
}

} // namespace flcc::match
