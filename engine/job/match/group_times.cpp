// The plan of a batch of poses, and what all of them take.

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/poses.h"
#include "engine/job/knowledge.h"
#include "engine/job/match/group_plan.h"
#include "engine/job/match/pose_run.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::job::detail {

namespace {

/// States the limit of the whole run, as the user gave it, in place of what is left of it for the
/// plan. `beside`: bytes of the run beside the plan.
void stateWhole(plan::PlanReport& report, std::int64_t whole, std::int64_t beside) {
    report.limits.memoryBytes = whole;
    for (plan::CandidateReport& row : report.candidates) {
        const std::size_t at = row.reason.find(", the limit is ");
        if (beside > 0 && at != std::string::npos) {
            row.reason.replace(at, std::string::npos,
                               " and " + base::bytesText(beside) + " beside it, the limit is " +
                                   base::bytesText(whole));
        }
    }
}

} // namespace

/// The plan of a batch of poses has smaller batches where memory is short; `asked` gets the memory
/// that is left for it.
plan::Planned GroupPlan::planned(plan::Request& asked, base::TilePool& pool,
                                 const std::stop_token& stop) {
    const method::MaskedView scene = m_group.inputs.sceneView();
    const std::int64_t memory = asked.limits.memoryBytes;
    const std::int64_t whole = m_group.job.memoryBytes > 0 ? m_group.job.memoryBytes : memory;
    const auto stated = [&](plan::Planned made) {
        const std::int64_t beside = whole - memory + besideBytes();
        m_group.report.besideBytes = made.plan ? 0 : beside;
        stateWhole(made.report, whole, beside);
        return made;
    };
    if (!m_group.bank) {
        const method::MaskedView templ = m_group.inputs.templViews(m_group.numbers).front();
        return stated(plan::makePlan(m_group.problem, asked, &scene, &templ, &m_group.statistics,
                                     pool, stop));
    }
    const rotation::TurnedTemplate member = m_group.bank->member(m_group.bank->typical());
    const method::MaskedView templ = method::viewOf(member);
    while (true) {
        asked.limits.memoryBytes = std::max<std::int64_t>(1, memory - besideBytes());
        plan::Planned made =
            plan::makePlan(m_group.problem, asked, &scene, &templ, &m_group.statistics, pool, stop);
        if (made.plan || made.cancelled || m_group.problem.templates <= kLeastBatch) {
            return stated(std::move(made));
        }
        const std::int64_t half =
            std::max<std::int64_t>(kLeastBatch, m_group.problem.templates / 2);
        m_group.problem.templates =
            static_cast<int>(Batches(m_group.bank->count(), half).largest());
    }
}

std::int64_t GroupPlan::besideBytes() const {
    return m_group.bank ? posesBytes(m_group.problem, !m_group.inputs.responses.empty(),
                                     threadsOf(m_group.job))
                        : 0;
}

double GroupPlan::searchMs(std::int64_t members) const {
    if (!m_plan) {
        return 0;
    }
    const double batches =
        m_group.bank ? static_cast<double>(members) / static_cast<double>(m_group.problem.templates)
                     : 1;
    const PoseTimes times =
        m_times.value_or(PoseTimes{0, m_plan->report().chosen()->expectedMs().value_or(1), 0});
    return times.onceMs + times.batchMs * batches;
}

double GroupPlan::otherMs() const {
    const double turnMs = m_times ? m_times->turnMs : 0;
    return searchMs(m_group.members()) + turnMs * static_cast<double>(m_group.members());
}

/// Everything that the time of a batch depends on.
std::string GroupPlan::timesKey(const plan::Request& request) const {
    const Preparation& prepared = m_group.job.preparation;
    return "batch of poses " +
           plan::problemKey(m_group.problem, request.limits, plan::name(request.planning),
                            request.method, request.device, request.tile, &m_group.statistics) +
           " " + base::toString(m_group.bank->templExtents()) + " " + m_group.job.poses.scales +
           (m_group.bank->isRound() ? " round" : "") + (prepared.band.empty() ? "" : " band") +
           (prepared.whiten ? " whiten" : "") + (prepared.wedge.empty() ? "" : " wedge") +
           (prepared.ctf.empty() ? "" : " ctf");
}

/// Times batches of a search over poses, or remembers their time.
void GroupPlan::timeBatches(const plan::Request& request, base::TilePool& pool,
                            const std::stop_token& stop) {
    const std::int64_t rest = m_group.members() - m_keptMembers;
    if (rest == 0) {
        return;
    }
    const method::Candidate& candidate = m_plan->candidate();
    const std::string key = timesKey(request);
    m_timesKey = key;
    const plan::KnownProblem* const known =
        request.timeAgain ? nullptr : request.knowledge->find(key);
    m_group.report.plan.times = {.kind = plan::TimesFrom::Kind::Sample};
    if (known != nullptr && known->timings.size() == 3 &&
        known->timings.front().candidate == candidate) {
        m_times = PoseTimes{known->timings[0].ms, known->timings[1].ms, known->timings[2].ms};
        m_group.report.plan.times = {.kind = known->timings[1].runs.empty()
                                                 ? plan::TimesFrom::Kind::Sample
                                                 : plan::TimesFrom::Kind::Run,
                                     .remembered = true,
                                     .when = known->when};
        return;
    }
    const method::MaskedView scene = m_group.inputs.sceneView();
    std::optional<base::TilePool> own; // a replayed candidate may have fewer threads than the job
    if (candidate.onProcessor() && candidate.threads < pool.threads()) {
        own.emplace(std::max(1, candidate.threads));
    }
    m_times = rehearse({.method = m_plan->method(),
                        .problem = m_group.problem,
                        .candidate = candidate,
                        .bank = *m_group.bank,
                        .scene = scene},
                       {.limits = request.limits,
                        .model = request.knowledge->model.value_or(method::CostModel{}),
                        .lowest = m_group.statistics.lowest,
                        .members = rest,
                        .pool = own ? *own : pool,
                        .stop = stop});
    if (m_times) {
        plan::KnownProblem learnt{key, {}};
        for (const double ms : {m_times->onceMs, m_times->batchMs, m_times->turnMs}) {
            learnt.timings.push_back({candidate, std::max(ms, 1e-6)}); // a time is positive
        }
        job::learn(std::move(learnt), false);
    }
}

void GroupPlan::learn(double ms) const {
    if (m_timesKey.empty() || !(ms > 0)) {
        return;
    }
    const std::shared_ptr<const plan::Knowledge> now = knowledge();
    const plan::KnownProblem* const known = now->find(m_timesKey);
    plan::KnownProblem corrected = known != nullptr ? *known : plan::KnownProblem{m_timesKey, {}};
    if (!m_group.bank) {
        corrected.correct(m_plan->candidate(), ms);
    } else if (m_times && corrected.timings.size() == 3) {
        // The run does not tell its first batch from the others: their share is the rehearsal's.
        plan::Timing& batch = corrected.timings[1];
        const double before = batch.ms;
        batch.addRun(m_times->batchMs * ms / expectedMs());
        for (const std::size_t other : {std::size_t{0}, std::size_t{2}}) {
            corrected.timings[other].ms *= batch.ms / before;
        }
    } else {
        return;
    }
    job::learn(std::move(corrected), false);
}

std::int64_t GroupPlan::batches() const {
    return m_group.bank
               ? std::max<std::int64_t>(
                     1, Batches(m_group.members() - m_keptMembers, m_group.problem.templates).count)
               : 1;
}

void GroupPlan::countKept() {
    const bool same = m_kept && m_kept->part() && m_kept->part()->candidate == candidate();
    m_keptMembers = same ? m_kept->part()->members : 0;
}

} // namespace flcc::job::detail
