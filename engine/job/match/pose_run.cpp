#include "engine/job/match/pose_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/report/text.h"
#include "engine/method/bank.h"
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

/// The map of a batch.
struct BatchMap {
    method::MatchMap map;
    base::Image<std::int32_t> index;

    BatchMap(const base::Extents& extents, bool exact) : index(extents) {
        map.value = base::Image<float>(extents);
        map.status = base::Image<base::Status>(extents);
        if (exact) {
            map.exact = base::Image<double>(extents);
        }
    }
    [[nodiscard]] method::BankView view() { return {method::viewOf(map), index.view()}; }
};

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

std::int64_t posesBytes(const method::Problem& batch) {
    constexpr std::int64_t kMember = 4 + 1; // bytes of a voxel: pixel and support
    constexpr std::int64_t kIndex = 4;
    const std::int64_t voxels = base::voxelCount(method::mapExtents(batch));
    method::Problem other = batch; // the sums are those of the search alone
    other.searchSums = false;
    return 2 * method::mapBytes(other) + kIndex * voxels +
           kMember * batch.templates * base::voxelCount(batch.templ);
}

namespace {

class Search {
  public:
    Search(const PoseRun& run, const method::Execution& execution, const method::BankView& best)
        : m_run(run), m_execution(execution), m_best(best),
          m_batches(batchesOf(run.bank.count(), run.bank.box())),
          m_parts(partsOf(best.map.value.extents())) {}

    method::Outcome all() {
        method::clearSums(m_best.sums);
        takeKept();
        const std::int64_t end = std::min(m_batches.count, m_run.most);
        for (std::int64_t batch = m_searched; batch < end && !m_all.cancelled; ++batch) {
            if (!make(batch)) {
                m_all.cancelled = true;
                break;
            }
            search(batch);
            if (!m_all.cancelled) {
                m_searched = batch + 1;
                tell();
            }
        }
        m_all.cancelled = m_all.cancelled || m_execution.stop.stop_requested();
        keep(); // also the part that was finished before the search was stopped
        if (m_run.done != nullptr) {
            *m_run.done = searchedMembers();
        }
        if (m_all.cancelled) {
            if (m_run.done == nullptr || m_searched == 0) {
                method::clearBest(m_best);
            }
            countStatuses();
            return std::move(m_all);
        }
        if (end < m_batches.count) {
            return std::move(m_all);
        }
        countStatuses();
        if (m_execution.regionFinished) {
            m_execution.regionFinished({{0, 0, 0}, m_best.map.value.extents()});
        }
        return std::move(m_all);
    }

  private:
    void countStatuses() {
        m_all.facts.statusCounts = {};
        method::addStatuses(m_best.map, m_all.facts);
    }

    [[nodiscard]] std::int64_t searchedMembers() const { return m_batches.first(m_searched); }

    /// Goes on from the part that an earlier run finished.
    void takeKept() {
        if (m_run.kept == nullptr) {
            return;
        }
        m_run.kept->requireWritable();
        const std::optional<SearchPart>& part = m_run.kept->part();
        if (!part || !(part->candidate == m_run.candidate)) {
            return; // another candidate computes other bits
        }
        while (m_searched < m_batches.count && searchedMembers() < part->members) {
            ++m_searched;
        }
        m_run.kept->load(m_best);
        m_all.facts = part->facts;
        m_kept = m_searched;
        tell();
    }

    /// Tells of a finished batch, and keeps it from time to time.
    void tell() {
        if (m_searched == m_batches.count) {
            return;
        }
        if (m_run.searched) {
            m_run.searched(searchedMembers());
        }
        if (m_run.kept != nullptr && m_run.kept->isDue()) {
            keep();
        }
    }

    /// A search that cannot be kept goes on.
    void keep() {
        if (m_run.kept == nullptr || m_kept == m_searched || m_unkept) {
            return;
        }
        try {
            m_run.kept->keep({searchedMembers(), m_run.candidate, m_all.facts}, m_best);
            m_kept = m_searched;
        } catch (const base::Error& error) {
            m_unkept = true;
            m_all.onDevice.failures.emplace_back(error.what());
        }
    }

    /// Makes the members of a batch. False if cancelled.
    bool make(std::int64_t batch) {
        const base::Stopwatch watch;
        m_members.clear();
        m_members.resize(static_cast<std::size_t>(m_batches.size(batch)));
        const std::int64_t first = m_batches.first(batch);
        const bool made = m_execution.pool.run(
            m_batches.size(batch),
            [&](std::int64_t i, int) {
                m_members[static_cast<std::size_t>(i)] = m_run.bank.member(first + i);
            },
            m_execution.stop);
        method::addStages({{"turning", watch.ms() * m_execution.pool.threads()}}, m_all.stagesMs);
        return made;
    }

    void prepare(std::int64_t batch) {
        const std::int64_t count = m_batches.size(batch);
        if (!m_planned || count != m_problem.templates) {
            m_planned = true;
            m_problem = m_run.problem;
            m_problem.templates = static_cast<int>(count);
            m_session = method::Session(m_run.method, m_problem, m_run.candidate);
        }
        std::vector<method::MaskedView> views;
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            views.push_back(method::viewOf(m_members[i]));
            try {
                method::requireUsableTemplate(views.back(), m_problem.operation);
            } catch (const base::Error& error) {
                const auto number = m_batches.first(batch) + static_cast<std::int64_t>(i);
                throw error.within("the template " +
                                   poseText(m_run.bank.pose(number), m_run.bank.cover().flat) +
                                   ": ");
            }
        }
        if (m_run.likeness != nullptr) {
            m_run.likeness->add(views, m_execution.pool);
        }
        m_session.prepare(views, m_execution.pool);
    }

    void search(std::int64_t batch) {
        prepare(batch);
        const bool first = batch == 0;
        const auto single = m_problem.templates == 1;
        if (!first && !m_scores) {
            m_scores = std::make_unique<BatchMap>(m_best.map.value.extents(),
                                                  m_best.map.exact.data() != nullptr);
        }
        method::BankView to = first ? m_best : m_scores->view();
        to.sums = m_best.sums; // of all batches
        const auto voxels = static_cast<double>(base::voxelCount(to.map.value.extents()));
        double done = 0;
        const method::Execution execution{
            .pool = m_execution.pool,
            .stop = m_execution.stop,
            .regionFinished =
                [&](const base::Box& box) {
                    done += static_cast<double>(base::voxelCount(box.extents)) / voxels;
                    if (m_run.share) {
                        m_run.share((static_cast<double>(batch) + std::min(1.0, done)) /
                                    static_cast<double>(m_batches.count));
                    }
                },
            .onDevice = m_execution.onDevice};
        const method::Outcome outcome = m_session.run(m_run.scene, execution, to);
        m_all.cancelled = outcome.cancelled;
        method::addStages(outcome.stagesMs, m_all.stagesMs);
        m_all.onDevice.add(outcome.onDevice);
        if (m_all.cancelled) {
            return; // its scores are in no map
        }
        method::addTemplate(outcome.facts, m_all.facts);
        if (single) {
            method::startBest(to); // there is one member in all
        }
        if (!first) {
            merge(to, static_cast<std::int32_t>(m_batches.first(batch)));
        }
    }

    void merge(const method::BankView& scores, std::int32_t first) {
        const base::Stopwatch watch;
        const method::Best which = m_problem.operation.traits().best;
        (void)m_execution.pool.run(std::ssize(m_parts), [&](std::int64_t part, int) {
            const base::Box& box = m_parts[static_cast<std::size_t>(part)];
            method::mergeBanks(method::partOf(scores, box), first, method::partOf(m_best, box),
                               which);
        });
        method::addStages({{"merging", watch.ms() * m_execution.pool.threads()}}, m_all.stagesMs);
    }

    const PoseRun& m_run;
    const method::Execution& m_execution;
    method::BankView m_best;
    Batches m_batches;
    std::vector<base::Box> m_parts;
    std::vector<rotation::TurnedTemplate> m_members;
    std::int64_t m_searched = 0; ///< batches
    std::int64_t m_kept = 0;     ///< batches in the file of the kept search
    bool m_unkept = false;       ///< keeping failed
    bool m_planned = false;      ///< m_problem and m_session are of a batch
    method::Problem m_problem;
    method::Session m_session;
    std::unique_ptr<BatchMap> m_scores;
    method::Outcome m_all;
};

} // namespace

method::Outcome runPoses(const PoseRun& run, const method::Execution& execution,
                         const method::BankView& best) {
    return Search(run, execution, best).all();
}

} // namespace flcc::job::detail
