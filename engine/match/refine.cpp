#include "engine/match/refine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::match {

namespace {

constexpr double kWidestStep = 30; // degrees
constexpr std::array kAxes{&base::Index::x, &base::Index::y, &base::Index::z};
constexpr std::array kEdges{&base::Extents::x, &base::Extents::y, &base::Extents::z};

base::Index shifted(const base::Index& a, const base::Index& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// The vertex of the parabola through (-1, low), (0, middle), (1, high), within 1 of the middle;
/// the better side where it opens upwards.
double vertex(double low, double middle, double high) {
    const double second = low - 2 * middle + high;
    if (second >= 0) {
        return high > middle ? 1 : low > middle ? -1 : 0;
    }
    return std::clamp((low - high) / (2 * second), -1.0, 1.0);
}

} // namespace

PoseSteps stepsAt(const rotation::Cover& cover, const rotation::Pose& pose) {
    PoseSteps steps{.turn = cover.step};
    if (cover.step == 0) {
        for (const rotation::Quaternion& turn : cover.turns) {
            const double apart = rotation::angleBetween(turn, pose.turn);
            const bool other = apart > 1e-6;
            steps.turn = other && (steps.turn == 0 || apart < steps.turn) ? apart : steps.turn;
        }
    }
    steps.turn = cover.turns.size() > 1 ? std::min(steps.turn, kWidestStep) : 0;
    for (const double scale : cover.scales) {
        const double factor = std::max(scale / pose.scale, pose.scale / scale);
        const bool other = factor > 1 + 1e-9;
        steps.scale = other && (steps.scale == 1 || factor < steps.scale) ? factor : steps.scale;
    }
    return steps;
}

std::string name(PoseAxis axis, bool flat) {
    return axis == PoseAxis::Scale ? "scale"
           : flat                  ? "rotation"
           : axis == PoseAxis::X   ? "about x"
           : axis == PoseAxis::Y   ? "about y"
                                   : "about z";
}

std::vector<PoseAxis> axesOf(const PoseSteps& steps, bool flat) {
    std::vector<PoseAxis> axes;
    if (steps.turn > 0) {
        axes = flat ? std::vector{PoseAxis::Z} : std::vector{PoseAxis::X, PoseAxis::Y, PoseAxis::Z};
    }
    if (steps.scale > 1) {
        axes.push_back(PoseAxis::Scale);
    }
    return axes;
}

rotation::Pose moved(const rotation::Pose& pose, PoseAxis axis, double by, const PoseSteps& steps) {
    rotation::Pose to = pose;
    if (axis == PoseAxis::Scale) {
        to.scale *= std::pow(steps.scale, by);
        return to;
    }
    const base::Point about{axis == PoseAxis::X ? 1.0 : 0.0, axis == PoseAxis::Y ? 1.0 : 0.0,
                            axis == PoseAxis::Z ? 1.0 : 0.0};
    to.turn = rotation::product(rotation::aboutAxis(about, by * steps.turn), pose.turn);
    return to;
}

std::optional<PoseScorer::Member> PoseScorer::member(std::size_t templ,
                                                     const rotation::Pose& pose) const {
    const rotation::PoseBank::Turned turned = m_bank->turnedWhole(templ, pose);
    try {
        return Member(*this, method::CanonicalTemplate(method::viewOf(turned.templ)), turned.shift);
    } catch (const base::Error&) { // flat, or nothing of it is left
        return std::nullopt;
    }
}

std::optional<double> PoseScorer::Member::at(const base::Index& corner) const {
    const base::Index own = shifted(corner, m_shift);
    if (m_scorer.m_whole && !method::isWhole(m_scorer.m_scene, m_templ, own)) {
        return std::nullopt;
    }
    const method::CanonicalValue value =
        method::canonicalValue(m_scorer.m_scene, m_templ, own, m_scorer.m_outside);
    return value.scored ? std::optional(value.score) : std::nullopt;
}

namespace {

/// Climbs from the pose and placement of one peak.
class Climb {
  public:
    Climb(const PoseScorer& scorer, const SearchedMap& map, const Peak& peak)
        : m_scorer(scorer), m_flat(map.poses->cover().flat),
          m_steps(stepsAt(map.poses->cover(), *peak.pose)), m_axes(axesOf(m_steps, m_flat)),
          m_smallest(*std::ranges::min_element(map.poses->cover().scales)),
          m_largest(*std::ranges::max_element(map.poses->cover().scales)), m_bank(map.poses.get()),
          m_edges(map.poses->box()) {
        const auto own = std::ranges::find(map.numbers, peak.templ);
        m_templ = static_cast<std::size_t>(own - map.numbers.begin()) +
                  (peak.dark.value_or(false) ? map.darkFrom.value_or(0) : 0);
        m_pose = *peak.pose;
        m_corner = peak.corner;
    }

    /// False if the peak stays as it is.
    bool run(const std::stop_token& stop) {
        if (m_axes.empty() || !start()) {
            return false;
        }
        constexpr int kRounds = 4; // at one size of steps
        for (double size = 0.5; size > 0.05; size /= 2) {
            for (int round = 0; round < kRounds && !stop.stop_requested() && step(size); ++round) {
            }
        }
        return !stop.stop_requested();
    }

    void put(Peak& peak) const {
        peak.refinement = Refinement{*peak.pose, std::min(m_score.height, 1.0), m_score.middle};
        peak.pose = m_pose;
        const base::Point own = m_bank->centreOf(m_templ, m_pose);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double half = static_cast<double>(m_bank->box().*kEdges[axis] - 1) / 2;
            peak.curvature[axis] = m_score.curvature[axis];
            peak.shift[axis] =
                static_cast<double>(m_corner.*kAxes[axis] - peak.corner.*kAxes[axis]) + own[axis] -
                half + m_score.shift[axis];
        }
    }

  private:
    bool start() {
        const auto member = m_scorer.member(m_templ, m_pose);
        const auto top = member ? topOf(*member, m_corner) : std::nullopt;
        m_score = top.value_or(Top{});
        return top.has_value();
    }

    /// The scores of a pose beside a placement, and the vertex of the parabolas through them.
    struct Top {
        double middle = 0; ///< at the placement
        double height = 0; ///< of the vertex: poses are compared by it, since an object between
                           ///< voxels would favour other angles at the placement
        base::Point shift{0, 0, 0};
        base::Point curvature{0, 0, 0};
    };

    [[nodiscard]] std::optional<Top> topOf(const PoseScorer::Member& member,
                                           const base::Index& corner) const {
        const auto middle = member.at(corner);
        if (!middle) {
            return std::nullopt;
        }
        Top top{.middle = *middle, .height = *middle};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto low = axisLength(axis) > 1 ? member.at(beside(corner, axis, -1)) : middle;
            const auto high = axisLength(axis) > 1 ? member.at(beside(corner, axis, 1)) : middle;
            const double second = low && high ? *low - 2 * *middle + *high : 0;
            if (second < 0) {
                const double by = std::clamp((*low - *high) / (2 * second), -1.0, 1.0);
                top.shift[axis] = by;
                top.curvature[axis] = second;
                top.height += (*high - *low) / 2 * by + second / 2 * by * by;
            }
        }
        return top;
    }

    [[nodiscard]] std::int64_t axisLength(std::size_t axis) const {
        return axis == 0 ? m_edges.x : axis == 1 ? m_edges.y : m_flat ? 1 : m_edges.z;
    }

    static base::Index beside(base::Index corner, std::size_t axis, std::int64_t by) {
        corner.*kAxes[axis] += by;
        return corner;
    }

    [[nodiscard]] rotation::Pose poseAt(PoseAxis axis, double by) const {
        rotation::Pose pose = moved(m_pose, axis, by, m_steps);
        pose.scale = std::clamp(pose.scale, m_smallest, m_largest);
        return pose;
    }

    /// One step along all coordinates. False if nothing near is better, or the step was short.
    bool step(double size) {
        rotation::Pose vertexPose = m_pose;
        double far = 0;
        Trial best{m_pose, m_corner, m_score};
        for (const PoseAxis axis : m_axes) {
            const double low = consider(poseAt(axis, -size), best);
            const double high = consider(poseAt(axis, size), best);
            const double by = vertex(low, m_score.height, high);
            far = std::max(far, std::abs(by));
            vertexPose = moved(vertexPose, axis, by * size, m_steps);
        }
        vertexPose.scale = std::clamp(vertexPose.scale, m_smallest, m_largest);
        (void)consider(vertexPose, best);
        const bool better = best.top.height > m_score.height;
        m_pose = best.pose;
        m_corner = best.corner;
        m_score = best.top;
        return better && far > 0.25;
    }

    struct Trial {
        rotation::Pose pose;
        base::Index corner;
        Top top;
    };

    /// The height of a pose at the best placement near, well below the present one where it has no
    /// score.
    double consider(const rotation::Pose& pose, Trial& best) const {
        const auto member = m_scorer.member(m_templ, pose);
        base::Index corner = m_corner;
        auto top = member ? topOf(*member, corner) : std::nullopt;
        if (!top) {
            return m_score.height - 1;
        }
        climb(*member, corner, *top);
        if (top->height > best.top.height) {
            best = {pose, corner, *top};
        }
        return top->height;
    }

    /// Moves to the placement of whole voxels that is nearest to the vertex.
    void climb(const PoseScorer::Member& member, base::Index& corner, Top& top) const {
        constexpr int kMost = 4; // voxels
        for (int i = 0; i < kMost; ++i) {
            base::Index to = corner;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                to.*kAxes[axis] += std::llround(top.shift[axis]);
            }
            const auto there = to == corner ? std::nullopt : topOf(member, to);
            if (!there || there->middle <= top.middle) {
                break;
            }
            corner = to;
            top = *there;
        }
        for (double& by : top.shift) {
            by = std::clamp(by, -0.5, 0.5);
        }
    }

    const PoseScorer& m_scorer;
    bool m_flat;
    PoseSteps m_steps;
    std::vector<PoseAxis> m_axes;
    double m_smallest;
    double m_largest;
    const rotation::PoseBank* m_bank;
    base::Extents m_edges;
    std::size_t m_templ = 0;
    rotation::Pose m_pose;
    base::Index m_corner;
    Top m_score;
};

} // namespace

void refinePeaks(std::vector<Peak>& peaks, const method::MaskedView& scene,
                 const std::vector<SearchedMap>& maps, const PeakOptions& options,
                 base::TilePool& pool, const std::stop_token& stop) {
    const auto mapOf = [&](const Peak& peak) -> const SearchedMap* {
        const auto map = std::ranges::find_if(maps, [&](const SearchedMap& each) {
            return std::ranges::find(each.numbers, peak.templ) != each.numbers.end();
        });
        return map != maps.end() && map->poses && map->operation.isLcc() ? &*map : nullptr;
    };
    (void)pool.run(
        std::ssize(peaks),
        [&](std::int64_t i, int) {
            Peak& peak = peaks[static_cast<std::size_t>(i)];
            const SearchedMap* const map = peak.pose ? mapOf(peak) : nullptr;
            if (map == nullptr) {
                return;
            }
            const bool whole = peak.status != base::Status::Partial && !options.partialPeaks;
            const PoseScorer scorer(scene, *map->poses, options.outside, whole);
            Climb climb(scorer, *map, peak);
            if (climb.run(stop)) {
                climb.put(peak);
            }
        },
        stop);
}

std::vector<PoseCurve> poseCurves(const PoseScorer& scorer, std::size_t templ,
                                  const rotation::Pose& pose, const PoseSteps& steps, bool flat,
                                  const base::Index& corner, int most,
                                  const std::stop_token& stop) {
    std::vector<PoseCurve> curves;
    const std::vector<PoseAxis> axes = axesOf(steps, flat);
    const int sides = std::max(2, most / (2 * std::max<int>(1, static_cast<int>(axes.size()))));
    for (const PoseAxis axis : axes) {
        PoseCurve curve{.axis = axis, .name = name(axis, flat), .at = {}, .scores = {}};
        for (int i = -sides; i <= sides && !stop.stop_requested(); ++i) {
            const double by = static_cast<double>(i) / sides;
            const rotation::Pose there = moved(pose, axis, by, steps);
            curve.at.push_back(axis == PoseAxis::Scale ? there.scale : by * steps.turn);
            const auto member = scorer.member(templ, there);
            curve.scores.push_back(member ? member->at(corner) : std::nullopt);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

} // namespace flcc::match
