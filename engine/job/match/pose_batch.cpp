#include "engine/job/match/pose_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/report/text.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::job::detail {

namespace {

std::string poseText(const rotation::Pose& pose, bool flat) {
    const base::Point euler = rotation::eulerOf(pose.turn);
    std::string text =
        flat ? "turned by " + fixed(rotation::inPlaneDegrees(pose.turn), 2) + " degrees"
             : "turned by rot " + fixed(euler[0], 2) + ", tilt " + fixed(euler[1], 2) + ", psi " +
                   fixed(euler[2], 2) + " degrees";
    text += pose.scale == 1 ? "" : ", scaled by " + fixed(pose.scale, 3);
    return text + (pose.mirrored ? ", mirrored" : "");
}

/// Boxes of whole rows that are worth a task.
std::vector<base::Box> partsOf(const base::Extents& n) {
    constexpr std::int64_t kVoxels = 1 << 18;
    const std::int64_t rows = std::clamp<std::int64_t>(kVoxels / n.x, 1, n.y);
    std::vector<base::Box> parts;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; y += rows) {
            parts.push_back({{0, y, z}, {n.x, std::min(rows, n.y - y), 1}});
        }
    }
    return parts;
}

} // namespace

BatchMap::BatchMap(const base::Extents& extents, bool exact) : index(extents) {
    map.value = base::Image<float>(extents);
    map.status = base::Image<base::Status>(extents);
    if (exact) {
        map.exact = base::Image<double>(extents);
    }
}

bool PoseBatch::make(std::vector<std::int64_t> numbers, base::TilePool& pool,
                     const std::stop_token& stop) {
    m_numbers = std::move(numbers);
    m_members.clear();
    m_members.resize(m_numbers.size());
    return pool.run(
        std::ssize(m_numbers),
        [&](std::int64_t i, int) {
            const auto at = static_cast<std::size_t>(i);
            m_members[at] = m_bank.member(m_numbers[at]);
        },
        stop);
}

void PoseBatch::prepare(const method::Problem& problem, base::TilePool& pool) {
    if (!m_planned || !(problem == m_problem)) {
        m_planned = true;
        m_problem = problem;
        m_session = method::Session(m_method, m_problem, m_candidate);
    }
    std::vector<method::MaskedView> views;
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        views.push_back(method::viewOf(m_members[i]));
        try {
            method::requireUsableTemplate(views.back(), m_problem.operation);
        } catch (const base::Error& error) {
            throw error.within("the template " +
                               poseText(m_bank.pose(m_numbers[i]), m_bank.cover().flat) + ": ");
        }
    }
    if (m_likeness != nullptr) {
        m_likeness->add(views, pool);
    }
    m_session.prepare(views, pool);
}

method::Outcome PoseBatch::match(const method::MaskedView& scene,
                                 const method::Execution& execution, const method::BankView& to) {
    std::vector<base::Box> placements; // of these members
    method::BankView counted = to;
    if (!to.counted.placements.empty()) {
        for (const std::int64_t number : m_numbers) {
            placements.push_back(to.counted.placements[static_cast<std::size_t>(number)]);
        }
        counted.counted.placements = placements;
    }
    method::Outcome outcome = m_session.run(scene, execution, counted);
    if (!outcome.cancelled && m_members.size() == 1) {
        (void)method::leaveOut(to.map, 0, counted.counted);
        method::startBest(to);
    }
    return outcome;
}

void mergeBatch(const method::BankView& scores, std::int64_t first, const method::BankView& best,
                method::Best which, base::TilePool& pool) {
    const std::vector<base::Box> parts = partsOf(best.map.value.extents());
    (void)pool.run(std::ssize(parts), [&](std::int64_t part, int) {
        const base::Box& box = parts[static_cast<std::size_t>(part)];
        method::mergeBanks(method::partOf(scores, box), static_cast<std::int32_t>(first),
                           method::partOf(best, box), which);
    });
}

} // namespace flcc::job::detail
