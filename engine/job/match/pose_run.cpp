#include "engine/job/match/pose_run.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/match/pose_batch.h"
#include "engine/method/bank.h"
#include "engine/prepare/member.h"

namespace flcc::job::detail {

std::int64_t posesBytes(const method::Problem& batch, bool filtered, int threads) {
    constexpr std::int64_t kIndex = 4;
    const std::int64_t member = // bytes of a voxel: pixel, support and weight
        base::bytesPerVoxel(batch.templPixel) + 1 + (batch.weights ? 8 : 0);
    const std::int64_t voxels = base::voxelCount(method::mapExtents(batch));
    method::Problem other = batch; // the sums are those of the search alone
    other.searchSums = false;
    return 2 * method::mapBytes(other) + kIndex * voxels +
           member * batch.templates * base::voxelCount(batch.templ) +
           (filtered ? prepare::MemberFilter::bytes(batch.templ, threads) : 0);
}

namespace {

class MemberSearch {
  public:
    MemberSearch(const PoseRun& run, const method::Execution& execution,
                 const method::BankView& best)
        : m_run(run), m_execution(execution), m_best(best),
          m_batch(run.method, run.candidate, run.bank, run.likeness) {}

    method::Outcome all() {
        method::clearSums(m_best.sums);
        takeKept();
        const std::int64_t before = m_searched;
        const Batches batches(m_run.bank.count() - before, m_run.problem.templates);
        for (std::int64_t i = 0; i < batches.count && !m_all.cancelled; ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(batches.count);
            search(batches.size(i), share, 1 / static_cast<double>(batches.count));
            if (!m_all.cancelled) {
                m_searched = before + batches.first(i + 1);
                tell();
            }
        }
        m_all.cancelled = m_all.cancelled || m_execution.stop.stop_requested();
        keep(); // also the part that was finished before the search was stopped
        if (m_run.done != nullptr) {
            *m_run.done = m_searched;
        }
        if (m_all.cancelled) {
            if (m_run.done == nullptr || m_searched == 0) {
                method::clearBest(m_best);
            }
            countStatuses();
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

    /// Goes on from the part that an earlier run finished, whose batches may be of other sizes.
    void takeKept() {
        if (m_run.kept == nullptr) {
            return;
        }
        m_run.kept->requireWritable();
        const std::optional<SearchPart>& part = m_run.kept->part();
        if (!part || !(part->candidate == m_run.candidate)) {
            return; // another candidate computes other bits
        }
        m_run.kept->load(m_best, m_run.likeness);
        m_all.facts = part->facts;
        m_kept = m_searched = part->members;
        tell();
    }

    /// Tells of a finished batch, and keeps it from time to time.
    void tell() {
        if (m_searched == m_run.bank.count()) {
            return;
        }
        if (m_run.searched) {
            m_run.searched(m_searched);
        }
        if (m_run.kept != nullptr && m_run.kept->isDue()) {
            keep();
        }
    }

    /// A search that cannot be kept goes on.
    void keep() {
        if (m_run.kept == nullptr || m_kept == m_searched || m_unkept || m_isSpoiled) {
            return;
        }
        try {
            m_run.kept->keep({m_searched, m_run.candidate, m_all.facts}, m_best, m_run.likeness);
            m_kept = m_searched;
        } catch (const base::Error& error) {
            m_unkept = true;
            m_all.onDevice.failures.emplace_back(error.what());
        }
    }

    void addStage(const char* stage, const base::Stopwatch& watch) {
        method::addStages({{stage, watch.ms() * m_execution.pool.threads()}}, m_all.stagesMs);
    }

    /// Searches the next members. `from`: finished share of the search; `share`: that of the batch.
    void search(std::int64_t count, double from, double share) {
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), m_searched);
        const base::Stopwatch turning;
        if (!m_batch.make(std::move(numbers), m_execution.pool, m_execution.stop)) {
            m_all.cancelled = true;
            return;
        }
        addStage("turning", turning);
        method::Problem problem = m_run.problem;
        problem.templates = static_cast<int>(count);
        m_batch.prepare(problem, m_execution.pool);
        const bool first = m_searched == 0;
        if (!first && !m_scores) {
            m_scores = std::make_unique<BatchMap>(m_best.map.value.extents(),
                                                  m_best.map.exact.data() != nullptr);
        }
        method::BankView to = first ? m_best : m_scores->view();
        to.sums = m_best.sums; // of all batches
        to.counted = m_best.counted;
        const auto voxels = static_cast<double>(base::voxelCount(to.map.value.extents()));
        double done = 0;
        const method::Execution execution{
            .pool = m_execution.pool,
            .stop = m_execution.stop,
            .regionFinished =
                [&](const base::Box& box) {
                    done += static_cast<double>(base::voxelCount(box.extents)) / voxels;
                    if (m_run.share) {
                        m_run.share(from + share * std::min(1.0, done));
                    }
                },
            .onDevice = m_execution.onDevice};
        const method::Outcome outcome = m_batch.match(m_run.scene, execution, to);
        m_all.cancelled = outcome.cancelled;
        method::addStages(outcome.stagesMs, m_all.stagesMs);
        m_all.onDevice.add(outcome.onDevice);
        if (m_all.cancelled) {
            // Its scores are in no map, but some are in the sums: what was kept last stays.
            m_isSpoiled = m_best.sums.sum.data() != nullptr;
            return;
        }
        method::addTemplate(outcome.facts, m_all.facts);
        if (!first) {
            const base::Stopwatch merging;
            mergeBatch(to, m_searched, m_best, problem.operation.traits().best, m_execution.pool);
            addStage("merging", merging);
        }
    }

    const PoseRun& m_run;
    const method::Execution& m_execution;
    method::BankView m_best;
    PoseBatch m_batch;
    std::int64_t m_searched = 0; ///< members
    std::int64_t m_kept = 0;     ///< members in the file of the kept search
    bool m_unkept = false;       ///< keeping failed
    bool m_isSpoiled = false;    ///< the sums hold a part of a batch
    std::unique_ptr<BatchMap> m_scores;
    method::Outcome m_all;
};

} // namespace

method::Outcome runPoses(const PoseRun& run, const method::Execution& execution,
                         const method::BankView& best) {
    return MemberSearch(run, execution, best).all();
}

} // namespace flcc::job::detail
