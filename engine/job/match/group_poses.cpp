// What a group does for a search over poses.

#include <algorithm>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/poses.h"
#include "engine/job/knowledge.h"
#include "engine/job/match/best_so_far.h"
#include "engine/job/match/group_run.h"
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
plan::Planned GroupRun::planned(plan::Request& asked, base::TilePool& pool,
                                const std::stop_token& stop) {
    const method::MaskedView scene = m_inputs.sceneView();
    const std::int64_t memory = asked.limits.memoryBytes;
    const std::int64_t whole = m_job.memoryBytes > 0 ? m_job.memoryBytes : memory;
    const auto stated = [&](plan::Planned made) {
        const std::int64_t beside = whole - memory + besideBytes();
        m_report.besideBytes = made.plan ? 0 : beside;
        stateWhole(made.report, whole, beside);
        return made;
    };
    if (!m_bank) {
        const method::MaskedView templ = m_inputs.templViews(m_numbers).front();
        return stated(plan::makePlan(m_problem, asked, &scene, &templ, &m_statistics, pool, stop));
    }
    const rotation::TurnedTemplate member = m_bank->member(m_bank->typical());
    const method::MaskedView templ = method::viewOf(member);
    while (true) {
        asked.limits.memoryBytes = std::max<std::int64_t>(1, memory - besideBytes());
        plan::Planned made =
            plan::makePlan(m_problem, asked, &scene, &templ, &m_statistics, pool, stop);
        if (made.plan || made.cancelled || m_problem.templates <= kLeastBatch) {
            return stated(std::move(made));
        }
        const std::int64_t half = std::max<std::int64_t>(kLeastBatch, m_problem.templates / 2);
        m_problem.templates = static_cast<int>(Batches(m_bank->count(), half).largest());
    }
}

std::int64_t GroupRun::besideBytes() const {
    return m_bank ? posesBytes(m_problem, !m_inputs.responses.empty(), threadsOf(m_job)) : 0;
}

double GroupRun::searchMs(std::int64_t members) const {
    if (!m_plan) {
        return 0;
    }
    const double batches =
        m_bank ? static_cast<double>(members) / static_cast<double>(m_problem.templates) : 1;
    const PoseTimes times =
        m_times.value_or(PoseTimes{0, m_plan->report().chosen()->expectedMs().value_or(1), 0});
    return times.onceMs + times.batchMs * batches;
}

double GroupRun::expectedMs() const { return searchMs(members() - m_keptMembers); }

double GroupRun::otherMs() const {
    const double turnMs = m_times ? m_times->turnMs : 0;
    return searchMs(members()) + turnMs * static_cast<double>(members());
}

/// Everything that the time of a batch depends on.
std::string GroupRun::timesKey(const plan::Request& request) const {
    const Preparation& prepared = m_job.preparation;
    return "batch of poses " +
           plan::problemKey(m_problem, request.limits, plan::name(request.planning), request.method,
                            request.device, request.tile, &m_statistics) +
           " " + base::toString(m_bank->templExtents()) + " " + m_job.poses.scales +
           (m_bank->isRound() ? " round" : "") + (prepared.band.empty() ? "" : " band") +
           (prepared.whiten ? " whiten" : "") + (prepared.wedge.empty() ? "" : " wedge") +
           (prepared.ctf.empty() ? "" : " ctf");
}

/// Times batches of a search over poses, or remembers their time.
void GroupRun::timeBatches(const plan::Request& request, base::TilePool& pool,
                           const std::stop_token& stop) {
    const std::int64_t rest = members() - m_keptMembers;
    if (rest == 0) {
        return;
    }
    const method::Candidate& candidate = m_plan->candidate();
    const std::string key = timesKey(request);
    m_timesKey = key;
    const plan::KnownProblem* const known =
        request.timeAgain ? nullptr : request.knowledge->find(key);
    m_report.plan.times = {.kind = plan::TimesFrom::Kind::Sample};
    if (known != nullptr && known->timings.size() == 3 &&
        known->timings.front().candidate == candidate) {
        m_times = PoseTimes{known->timings[0].ms, known->timings[1].ms, known->timings[2].ms};
        m_report.plan.times = {.kind = known->timings[1].runs.empty()
                                           ? plan::TimesFrom::Kind::Sample
                                           : plan::TimesFrom::Kind::Run,
                               .remembered = true,
                               .when = known->when};
        return;
    }
    const method::MaskedView scene = m_inputs.sceneView();
    std::optional<base::TilePool> own; // a replayed candidate may have fewer threads than the job
    if (candidate.onProcessor() && candidate.threads < pool.threads()) {
        own.emplace(std::max(1, candidate.threads));
    }
    m_times = rehearse({.method = m_plan->method(),
                        .problem = m_problem,
                        .candidate = candidate,
                        .bank = *m_bank,
                        .scene = scene},
                       {.limits = request.limits,
                        .model = request.knowledge->model.value_or(method::CostModel{}),
                        .lowest = m_statistics.lowest,
                        .members = rest,
                        .pool = own ? *own : pool,
                        .stop = stop});
    if (m_times) {
        plan::KnownProblem learnt{key, {}};
        for (const double ms : {m_times->onceMs, m_times->batchMs, m_times->turnMs}) {
            learnt.timings.push_back({candidate, std::max(ms, 1e-6)}); // a time is positive
        }
        learn(std::move(learnt), false);
    }
}

/// Corrects the remembered times by what the run took.
void GroupRun::learnFromRun(double ms) {
    if (m_timesKey.empty() || !(ms > 0)) {
        return;
    }
    const std::shared_ptr<const plan::Knowledge> now = knowledge();
    const plan::KnownProblem* const known = now->find(m_timesKey);
    plan::KnownProblem corrected = known != nullptr ? *known : plan::KnownProblem{m_timesKey, {}};
    if (!m_bank) {
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
    learn(std::move(corrected), false);
}

std::int64_t GroupRun::batches() const {
    return m_bank ? std::max<std::int64_t>(
                        1, Batches(members() - m_keptMembers, m_problem.templates).count)
                  : 1;
}

method::Outcome GroupRun::searchPoses(const method::Execution& execution,
                                      const Progress& progress) {
    const base::Stopwatch watch;
    const method::MaskedView scene = m_inputs.sceneView();
    BestSoFar best(*m_map);
    const auto searched = [&](std::int64_t members) {
        if (progress.searched) {
            progress.searched(members, m_bank->count());
        }
        if (progress.best) {
            if (const auto copy = best.copy(execution.pool)) {
                progress.best(copy);
            }
        }
    };
    m_keptMembers = 0;
    if (m_kept && m_kept->part() && m_kept->part()->candidate == m_plan->candidate()) {
        m_keptMembers = m_kept->part()->members;
    }
    method::Outcome outcome = runPoses({.method = m_plan->method(),
                                        .problem = m_problem,
                                        .candidate = m_plan->candidate(),
                                        .bank = *m_bank,
                                        .scene = scene,
                                        .share = progress.share,
                                        .searched = searched,
                                        .kept = m_kept.get(),
                                        .likeness = m_likeness ? &*m_likeness : nullptr,
                                        .done = m_job.stream ? nullptr : &m_doneMembers},
                                       execution, bankView());
    m_streamMs.push_back(watch.ms());
    return outcome;
}

} // namespace flcc::job::detail
