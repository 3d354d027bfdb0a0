#include "engine/match/refine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::match {

namespace {

constexpr double kWidestStep = 30; // degrees

base::Index shifted(const base::Index& a, const base::Index& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
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

std::optional<PoseScorer::Member> PoseScorer::member(std::size_t templ, const rotation::Pose& pose,
                                                     const base::Point& by) const {
    const rotation::PoseBank::Turned turned = m_bank->turnedWhole(templ, pose, by);
    try {
        return Member(*this, method::CanonicalTemplate(method::viewOf(turned.templ)), turned.shift);
    } catch (const base::Error&) { // flat, or nothing of it is left
        return std::nullopt;
    }
}

std::optional<double> PoseScorer::Member::at(const base::Index& corner) const {
    const base::Index own = shifted(corner, m_shift);
    const base::Index& first = m_scorer.m_first;
    if (m_scorer.m_whole && !method::isWhole(m_scorer.m_inner, m_templ,
                                             {own.x - first.x, own.y - first.y, own.z - first.z})) {
        return std::nullopt;
    }
    const method::CanonicalValue value =
        method::canonicalValue(m_scorer.m_scene, m_templ, own, m_scorer.m_outside);
    return value.scored ? std::optional(value.score) : std::nullopt;
}

std::vector<PoseCurve> poseCurves(const PoseScorer& scorer, std::size_t templ,
                                  const rotation::Pose& pose, const PoseSteps& steps, bool flat,
                                  const base::Index& corner, const base::Point& by, int most,
                                  const std::stop_token& stop) {
    std::vector<PoseCurve> curves;
    const std::vector<PoseAxis> axes = axesOf(steps, flat);
    const int sides = std::max(2, most / (2 * std::max<int>(1, static_cast<int>(axes.size()))));
    for (const PoseAxis axis : axes) {
        PoseCurve curve{.axis = axis, .name = name(axis, flat), .at = {}, .scores = {}};
        for (int i = -sides; i <= sides && !stop.stop_requested(); ++i) {
            const double step = static_cast<double>(i) / sides;
            const rotation::Pose there = moved(pose, axis, step, steps);
            curve.at.push_back(axis == PoseAxis::Scale ? there.scale : step * steps.turn);
            const auto member = scorer.member(templ, there, by);
            curve.scores.push_back(member ? member->at(corner) : std::nullopt);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

} // namespace flcc::match
