// The poses of peaks between those of the search, and the list that they make.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/match/detail/alignment.h"
#include "engine/match/exclusion.h"
#include "engine/match/overlap.h"
#include "engine/match/refine.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::match {

namespace {

constexpr std::array kAxes{&base::Index::x, &base::Index::y, &base::Index::z};
constexpr double kRadian = 57.29577951308232; // degrees

base::Point sum(const base::Point& a, const base::Point& b, double times = 1) {
    return {a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]};
}

base::Point pointOf(const base::Index& at) {
    return {static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z)};
}

base::Point middleOf(const base::Extents& n) {
    return {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
            static_cast<double>(n.z - 1) / 2};
}

base::Index rounded(const base::Point& at) {
    return {std::llround(at[0]), std::llround(at[1]), std::llround(at[2])};
}

const SearchedMap* mapOf(const std::vector<SearchedMap>& maps, const Peak& peak) {
    const std::size_t map = mapNumberOf(maps, peak);
    return map < maps.size() ? &maps[map] : nullptr;
}

/// Refines the pose of one peak.
class Refiner {
  public:
    Refiner(const method::MaskedView& scene, const SearchedMap& map, const PeakOptions& options,
            const Peak& peak)
        : m_inner(map.room ? method::partOf(scene, *map.room) : scene),
          m_first(map.room ? pointOf(map.room->corner) : base::Point{0, 0, 0}), m_bank(*map.poses),
          m_scorer(scene, *map.poses, options.outside,
                   peak.status != base::Status::Partial && !options.partialPeaks, map.room),
          m_atBorder(m_inner, *map.poses, method::Outside::Overlap, false), m_peak(peak),
          m_steps(stepsAt(m_bank.cover(), *peak.pose)) {
        const auto own = std::ranges::find(map.numbers, peak.templ);
        m_templ = static_cast<std::size_t>(own - map.numbers.begin()) +
                  (peak.dark.value_or(false) ? map.darkFrom.value_or(0) : 0);
        m_box = middleOf(m_bank.box());
        m_start = sum(pointOf(peak.corner), m_bank.centreOf(m_templ, *peak.pose));
    }

    /// False if the peak stays as it is.
    bool run(const std::stop_token& stop) {
        // Where turns or scales lead nowhere, the place alone may be better.
        std::optional<detail::Aligned> found = aligned(true, stop);
        found = found ? found : aligned(false, stop);
        if (!found || stop.stop_requested()) {
            return false;
        }
        m_found = *found;
        if (!score()) {
            return false;
        }
        keepSearched();
        return true;
    }

    void put(Peak& peak) const {
        peak.refinement = Refinement{.searched = *peak.pose,
                                     .score = m_score,
                                     .turnError = m_found.turn,
                                     .scaleError = m_found.scale,
                                     .scaleEnds = m_found.scaleEnds};
        peak.pose = m_found.lie.pose;
        peak.shift = sum(sum(m_found.lie.centre, pointOf(peak.corner), -1), m_box, -1);
        peak.curvature = m_curvature;
        peak.error = m_found.place;
        peak.placedBy = PlacedBy::Pixels;
    }

  private:
    [[nodiscard]] std::optional<detail::Aligned> aligned(bool poses,
                                                         const std::stop_token& stop) const {
        const detail::Lie lie{*m_peak.pose, sum(sum(pointOf(m_peak.corner), m_box), m_peak.shift)};
        std::optional<detail::Aligned> found = alignedFrom(lie, poses, stop);
        // What a filter makes of a template may depend on its pose.
        return found && poses && m_bank.isPrepared() ? alignedFrom(found->lie, poses, stop) : found;
    }

    [[nodiscard]] std::optional<detail::Aligned> alignedFrom(const detail::Lie& lie, bool poses,
                                                             const std::stop_token& stop) const {
        // An object half a step off takes 5 to 10; what takes more is none.
        const int steps = poses ? 15 : 8;
        const rotation::Cover& cover = m_bank.cover();
        const rotation::Pose own =
            m_bank.isPrepared()
                ? lie.pose
                : rotation::Pose{.turn = {}, .scale = lie.pose.scale, .mirrored = false};
        const rotation::PoseBank::Turned turned = m_bank.turnedWhole(m_templ, own);
        const base::Point middle = sum(m_bank.centreOf(m_templ, own), pointOf(turned.shift), -1);
        const base::Extents room = m_inner.extents();
        const detail::Freedom freedom{.place = {room.x > 1, room.y > 1, !cover.flat && room.z > 1},
                                      .turn = poses && m_steps.turn > 0,
                                      .scale = poses && m_steps.scale > 1,
                                      .flat = cover.flat};
        if (!poses && m_steps.turn == 0 && m_steps.scale == 1) {
            return std::nullopt; // the same once more
        }
        // The best place of a pose that is half a step off may be some voxels away.
        const base::Extents n = base::extentsOf(turned.templ.pixels);
        const double edge = static_cast<double>(std::max({n.x, n.y, cover.flat ? 1 : n.z}));
        const detail::Reach reach{.place = 2 + edge * m_steps.turn / kRadian / 4,
                                  .turn = 1.25 * m_steps.turn,
                                  .least = std::ranges::min(cover.scales),
                                  .most = std::ranges::max(cover.scales)};
        try {
            const method::CanonicalTemplate templ(method::viewOf(turned.templ));
            const rotation::Matrix back = rotation::inverse(m_bank.matrixOf(m_templ, own));
            const detail::Lie inner{lie.pose, sum(lie.centre, m_first, -1)};
            detail::Alignment alignment(
                m_inner, templ, middle, freedom, reach, inner, [&](const rotation::Pose& pose) {
                    return rotation::product(m_bank.matrixOf(m_templ, pose), back);
                });
            std::optional<detail::Aligned> found = alignment.run(steps, stop);
            if (found) {
                found->lie.centre = sum(found->lie.centre, m_first);
            }
            return found;
        } catch (const base::Error&) { // flat, or nothing of it is left
            return std::nullopt;
        }
    }

    /// Sets the canonical scores about what was found. False where it has none.
    bool score() {
        const base::Point way =
            sum(m_found.lie.centre, m_bank.centreOf(m_templ, m_found.lie.pose), -1);
        const base::Index corner = rounded(way);
        const base::Point by = sum(way, pointOf(corner), -1);
        auto member = m_scorer.member(m_templ, m_found.lie.pose, by);
        base::Index at = corner;
        auto middle = member ? member->at(at) : std::nullopt;
        if (!middle) { // by less than a voxel outside: what lies inside is compared
            member = m_atBorder.member(m_templ, m_found.lie.pose, by);
            at = rounded(sum(pointOf(corner), m_first, -1));
            middle = member ? member->at(at) : std::nullopt;
        }
        if (!middle) {
            return false;
        }
        m_score = std::min(*middle, 1.0);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto beside = [&](std::int64_t step) {
                base::Index place = at;
                place.*kAxes[axis] += step;
                return member->at(place);
            };
            const bool free = axis < 2 || !m_bank.cover().flat;
            const auto low = free ? beside(-1) : std::nullopt;
            const auto high = low ? beside(1) : std::nullopt;
            m_curvature[axis] = high ? *low - 2 * *middle + *high : 0;
        }
        return true;
    }

    /// A template that lies as it was searched, at whole voxels, has a score without the blur of
    /// interpolation. What moves no voxel by more than an error of the alignment is taken as that.
    void keepSearched() {
        constexpr double kSame = 0.02; // voxels
        const base::Extents n = m_bank.templExtents();
        const double radius = std::hypot(static_cast<double>(n.x), static_cast<double>(n.y),
                                         m_bank.cover().flat ? 0.0 : static_cast<double>(n.z)) /
                              2;
        const base::Point by = sum(m_found.lie.centre, m_start, -1);
        const double turned =
            rotation::angleBetween(m_found.lie.pose.turn, m_peak.pose->turn) / kRadian;
        const double grown = std::abs(std::log(m_found.lie.pose.scale / m_peak.pose->scale));
        if (m_score < m_peak.score && std::hypot(by[0], by[1], by[2]) < kSame &&
            (turned + grown) * radius < kSame) {
            m_found.lie = {*m_peak.pose, m_start};
            (void)score();
        }
    }

    method::MaskedView m_inner; ///< the scene without a margin
    base::Point m_first;        ///< of m_inner in the scene
    const rotation::PoseBank& m_bank;
    PoseScorer m_scorer;
    PoseScorer m_atBorder; ///< of m_inner
    const Peak& m_peak;
    PoseSteps m_steps;
    std::size_t m_templ = 0;
    base::Point m_box{0, 0, 0};   ///< the middle of the members' box
    base::Point m_start{0, 0, 0}; ///< centre of the template where it was searched
    detail::Aligned m_found;
    double m_score = 0;
    base::Point m_curvature{0, 0, 0};
};

double rankOf(const Peak& peak) { return peak.refinement ? peak.refinement->score : peak.score; }

/// The list as refinePeaks() states it.
void listAgain(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps,
               const PeakOptions& options) {
    std::erase_if(peaks, [&](const Peak& peak) {
        return std::max(peak.score, rankOf(peak)) + peak.bound <
               options.minScoreOf(mapNumberOf(maps, peak));
    });
    std::ranges::sort(peaks, std::less{}, [&](const Peak& peak) {
        return std::tuple(-options.worthOf(mapNumberOf(maps, peak), rankOf(peak)), peak.corner.z,
                          peak.corner.y, peak.corner.x, peak.templ);
    });
    base::Extents largest{1, 1, 1};
    for (const SearchedMap& map : maps) {
        const base::Extents box = map.poses ? map.poses->box() : map.templates.front().extents();
        const base::Extents turned = map.poses ? map.poses->largestTurned() : box;
        largest = {std::max(largest.x, turned.x), std::max(largest.y, turned.y),
                   std::max(largest.z, turned.z)};
        largest = {std::max(largest.x, box.x), std::max(largest.y, box.y),
                   std::max(largest.z, box.z)};
    }
    Exclusion exclusion(largest, options.minDistance, options.edges);
    Overlaps overlaps(largestLying(maps));
    std::vector<Peak> kept;
    for (Peak& peak : peaks) {
        const SearchedMap* const map = mapOf(maps, peak);
        if (std::ssize(kept) == options.maxPeaks) {
            break;
        }
        if (map == nullptr) {
            kept.push_back(std::move(peak));
            continue;
        }
        const base::Index by = rounded(peak.shift);
        const base::Index corner{peak.corner.x + by.x, peak.corner.y + by.y, peak.corner.z + by.z};
        const base::Extents box = map->poses ? map->poses->box() : map->templates.front().extents();
        if (exclusion.covers(corner, box)) {
            continue;
        }
        if (options.maxOverlap) {
            Lying lying = lyingAt(*map, peak);
            if (overlaps.most(lying).share > *options.maxOverlap) {
                continue;
            }
            overlaps.add(std::move(lying));
        }
        std::optional<Exclusion::Turned> turned;
        if (peak.pose && map->poses) {
            const auto own = std::ranges::find(map->numbers, peak.templ) - map->numbers.begin();
            turned = {map->poses->ownExtents(),
                      map->poses->matrixOf(static_cast<std::size_t>(own), *peak.pose)};
        }
        exclusion.add(corner, box, turned);
        kept.push_back(std::move(peak));
    }
    peaks = std::move(kept);
}

/// The score of a template with itself half a step away along all coordinates and half a voxel
/// along all axes; 1 where the cover has no steps.
double halfAStepAway(const rotation::PoseBank& bank, std::size_t templ) {
    const rotation::Cover& cover = bank.cover();
    const rotation::Pose pose = bank.pose(0);
    const PoseSteps steps = stepsAt(cover, pose);
    const std::vector<PoseAxis> axes = axesOf(steps, cover.flat);
    rotation::Pose other = pose;
    for (const PoseAxis axis : axes) {
        // Of a sphere of directions, half a step along one axis is the most.
        const double share = axis == PoseAxis::Scale || cover.flat ? 0.5 : 0.5 / std::sqrt(3.0);
        other = moved(other, axis, share, steps);
    }
    const rotation::TurnedTemplate own = bank.turned(templ, pose);
    const method::MaskedView scene = method::viewOf(own);
    const PoseScorer scorer(scene, bank, method::Outside::Overlap, false);
    const double half = cover.flat ? 0 : 0.5;
    const auto member = scorer.member(templ, other, {0.5, 0.5, half});
    return member ? member->at({0, 0, 0}).value_or(0) : 0;
}

} // namespace

CandidateOptions candidateOptions(const PeakOptions& options,
                                  const std::vector<SearchedMap>& maps) {
    constexpr std::size_t kTemplates = 4;
    constexpr std::int64_t kMore = 50;
    // What refining takes away from the overlap of neighbours at most: half a step of 10 degrees
    // and half a voxel of each of two ellipses of 40x10 voxels side by side are a share of 0.2.
    constexpr double kMoreOverlap = 0.2;
    CandidateOptions made{.peaks = options, .hidden = {}};
    double shortest = 0; // edge of a template, in the unit of PeakOptions::edges
    for (const SearchedMap& map : maps) {
        if (!map.poses) {
            continue;
        }
        for (std::size_t i = 0; i < std::min(kTemplates, map.numbers.size()); ++i) {
            made.likeness = std::min(made.likeness, halfAStepAway(*map.poses, i));
        }
        const base::Extents n = map.poses->templExtents();
        const double across = std::min(static_cast<double>(n.x) * options.edges[0],
                                       static_cast<double>(n.y) * options.edges[1]);
        const double edge = map.poses->cover().flat
                                ? across
                                : std::min(across, static_cast<double>(n.z) * options.edges[2]);
        shortest = shortest == 0 ? edge : std::min(shortest, edge);
    }
    if (shortest == 0) {
        return made;
    }
    made.likeness = std::max(0.5, made.likeness);
    made.peaks.minScore *= options.minScore > 0 ? made.likeness : 1;
    for (double& score : made.peaks.minScores) {
        score *= score > 0 ? made.likeness : 1;
    }
    made.peaks.maxPeaks += kMore;
    const double apart = std::max(2.0, shortest / 4);
    if (!options.minDistance || *options.minDistance > apart || options.maxOverlap ||
        maps.size() > 1) {
        made.hidden = made.peaks;
        made.hidden->minDistance = std::min(apart, options.minDistance.value_or(apart));
        made.hidden->maxOverlap.reset();
    }
    if (options.maxOverlap) {
        made.peaks.maxOverlap = *options.maxOverlap + kMoreOverlap;
    }
    return made;
}

namespace {

/// Takes those from `hidden` that are peaks already, or that no refinement is expected to lift
/// above the peaks beside.
void leaveHidden(std::vector<Peak>& hidden, const std::vector<Peak>& peaks,
                 const std::vector<SearchedMap>& maps, double likeness,
                 const PeakOptions& options) {
    const auto worth = [&](const Peak& peak, double score) {
        return options.worthOf(mapNumberOf(maps, peak), score);
    };
    std::erase_if(hidden, [&](const Peak& each) {
        const SearchedMap* const map = mapOf(maps, each);
        if (map == nullptr || !map->poses) {
            return true;
        }
        const double most = worth(each, each.score / likeness);
        const base::Extents n = map->poses->largestTurned();
        return std::ranges::any_of(peaks, [&](const Peak& peak) {
            const bool same = peak.corner == each.corner && peak.templ == each.templ;
            const bool near = std::abs(peak.corner.x - each.corner.x) <= n.x / 2 &&
                              std::abs(peak.corner.y - each.corner.y) <= n.y / 2 &&
                              std::abs(peak.corner.z - each.corner.z) <= n.z / 2;
            return same || (near && most < worth(peak, rankOf(peak)));
        });
    });
}

} // namespace

void refinePeaks(std::vector<Peak>& peaks, const method::MaskedView& scene,
                 const std::vector<SearchedMap>& maps, const PeakOptions& options,
                 base::TilePool& pool, const std::stop_token& stop,
                 const std::function<void(double)>& progress, std::vector<Peak> hidden,
                 double likeness) {
    const auto all = static_cast<double>(peaks.size() + hidden.size());
    double before = 0;
    const auto refine = [&](std::vector<Peak>& list) {
        (void)pool.run(
            std::ssize(list),
            [&](std::int64_t i, int) {
                Peak& peak = list[static_cast<std::size_t>(i)];
                const SearchedMap* const map = mapOf(maps, peak);
                if (!peak.pose || map == nullptr || !map->poses ||
                    !map->operation.traits().refinesByPixels) {
                    return;
                }
                Refiner refiner(scene, *map, options, peak);
                if (refiner.run(stop)) {
                    refiner.put(peak);
                }
            },
            stop,
            progress
                ? [&](std::int64_t done) { progress((before + static_cast<double>(done)) / all); }
                : base::TilePool::Progress());
    };
    refine(peaks);
    leaveHidden(hidden, peaks, maps, likeness, options);
    before = all - static_cast<double>(hidden.size());
    refine(hidden);
    if (!stop.stop_requested()) {
        std::ranges::move(hidden, std::back_inserter(peaks));
        listAgain(peaks, maps, options);
    }
}

double refineMs(std::int64_t voxels, bool flat) {
    // Between the time where there is an object and where there is none. Measured: 43^3 voxels
    // under a sphere 24 and 82 ms; of a photograph, where most candidates are none, 24^2, 64^2 and
    // 128^2 pixels 1.2, 2.8 and 13 ms.
    return 0.3 + static_cast<double>(voxels) * (flat ? 4e-4 : 5e-4);
}

} // namespace flcc::match
