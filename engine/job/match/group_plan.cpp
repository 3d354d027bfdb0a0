#include "engine/job/match/group_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/job/input/limits.h"
#include "engine/job/knowledge.h"
#include "engine/method/method_on_device.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

Group::Group(const Job& from, const Inputs& with, std::vector<int> which, bool wholeMap, int runs,
             const std::stop_token& stop)
    : job(from), inputs(with), numbers(std::move(which)), bank(inputs.bankOf(numbers)),
      placements(inputs.placementsOf(numbers)), problem(inputs.problem(job, numbers)),
      statistics(method::sceneStatistics(inputs.sceneView(), problem.templ, stop)) {
    if (!bank) {
        method::addTemplates(inputs.templViews(numbers), statistics);
    }
    problem.onDevice.map =
        wholeMap || bank != nullptr || mapDecidesThreshold(job) || // neighbours
        job.null != match::NullTemplate::None ||                   // competes with low peaks
        match::needsWholeMap(problem, inputs.templViews(numbers), job.partialPeaks);
    problem.onDevice.runs = runs;
    report.templates = numbers;
    report.plan.problem = problem;
    report.mapBytes = method::mapBytes(problem);
}

std::vector<std::shared_ptr<const void>> Group::images() const {
    std::vector<std::shared_ptr<const void>> all;
    for (const int number : numbers) {
        const TemplateInput& templ = inputs.templates[static_cast<std::size_t>(number)];
        all.insert(all.end(), {templ.image, templ.mask});
    }
    return all;
}

void GroupPlan::takeOver(const Shared& shared) {
    m_from = shared.scene;
    m_plan = shared.plan;
    m_group.report.plan = shared.report;
}

bool GroupPlan::make(const plan::Request& request, bool warmUp, const std::stop_token& stop) {
    m_from.reset();
    m_timesKey.clear();
    plan::Request asked = request;
    // A tile given with fewer numbers than axes: one counts for all axes, two for an image.
    if (asked.tile.x > 0 && base::isFlat2D(m_group.problem.scene)) {
        asked.tile.z = 1;
    } else if (asked.tile.x > 0 && asked.tile.z == 0) {
        throw Error(ErrorCode::CommandLine, "--tile needs one number or three for the volume " +
                                                base::toString(m_group.problem.scene));
    }
    if (!m_group.job.planReport.empty()) {
        asked.replay = chosenCandidate(m_group.job.planReport.string(), m_group.problem.templ);
    }
    base::TilePool pool(asked.limits.threads);
    if (m_group.bank && !m_group.job.resume.empty()) {
        m_kept = std::make_unique<KeptSearch>(
            m_group.job.resume,
            searchIdentity(m_group.job, m_group.inputs, m_group.numbers, m_group.problem),
            m_group.members());
        if (m_kept->part()) {
            asked.replay = m_kept->part()->candidate; // no other has the same bits
            m_keptMembers = m_kept->part()->members;
        }
    }
    const std::shared_ptr<const plan::Knowledge> known = knowledge();
    asked.knowledge = known.get();
    plan::Planned made = planned(asked, pool, stop);
    m_group.report.plan = std::move(made.report);
    if (made.cancelled || stop.stop_requested()) {
        return false;
    }
    m_timesKey = std::move(made.key);
    if (made.learnt) {
        job::learn(std::move(*made.learnt), asked.planning == plan::Planning::Exhaustive);
    }
    m_plan = std::move(made.plan);
    m_times.reset();
    if (m_plan && m_group.bank && asked.planning != plan::Planning::Estimate) {
        const base::Stopwatch watch;
        timeBatches(asked, pool, stop);
        m_group.report.plan.planningMs += watch.ms();
    }
    if (m_plan && warmUp) {
        const base::Stopwatch watch;
        m_plan->method().warmUp(m_group.problem, m_plan->candidate());
        m_group.report.plan.planningMs += watch.ms();
        nameFftPlanning(asked);
    }
    return !stop.stop_requested();
}

/// Predicts the memory that the plan of another scene needs for this scene: here, more voxels may
/// need recomputing. False if that is more than before and above the limit.
bool GroupPlan::stands(const method::Limits& limits) {
    if (!m_from) {
        return false;
    }
    if (!m_plan || byGpu()) {
        return true;
    }
    method::Limits all = limits;
    all.memoryBytes = std::numeric_limits<std::int64_t>::max();
    const auto verdict = m_plan->method().predict(m_group.problem, m_plan->candidate(), all, {},
                                                  &m_group.statistics);
    const auto* const now = std::get_if<method::Prediction>(&verdict);
    bool fits = true;
    for (plan::CandidateReport& row : m_group.report.plan.candidates) {
        if (now != nullptr && row.verdict == plan::CandidateVerdict::Chosen && row.prediction) {
            fits = now->hostBytes <= std::max(row.prediction->hostBytes, limits.memoryBytes);
            row.prediction->hostBytes = now->hostBytes;
        }
    }
    return fits;
}

bool GroupPlan::fallBack(const plan::Request& request, const Error& failure, bool wrong,
                         const std::function<void()>& clear, const std::stop_token& stop) {
    const bool anyDevice = m_group.job.device == "auto";
    if (!byGpu() || !m_group.job.planReport.empty() || (!anyDevice && wrong)) {
        throw Error(failure);
    }
    m_failed.push_back(*m_plan->report().chosen());
    m_failed.back().verdict = plan::CandidateVerdict::Failed;
    m_failed.back().reason = std::string("failed in the run: ") + failure.what();
    plan::Request again = request;
    again.device =
        wrong ? std::string(method::kProcessor) : request.device; // a lost device refuses by itself
    again.failed = m_failed;
    m_from.reset(); // the data of the other scene was made for the failed GPU
    clear();
    std::optional<Error> refused;
    try {
        if (!make(again, true, stop)) {
            return false;
        }
        refused = refusal(m_group.report.plan, m_group.report.besideBytes);
    } catch (const Error& lost) { // the device that is asked for
        refused = lost;
    }
    if (refused) {
        throw anyDevice ? Error(refused->code(), std::string(failure.what()) +
                                                     "; and on the CPU: " + refused->what())
                        : failure;
    }
    std::vector<plan::CandidateReport>& rows = m_group.report.plan.candidates;
    for (const plan::CandidateReport& failed : m_failed) {
        const bool reported = std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
            return row.candidate == failed.candidate;
        });
        if (!reported) { // a plan for the processor has none of a GPU
            rows.push_back(failed);
        }
    }
    return true;
}

std::string GroupPlan::sceneOn(const std::string& before) const {
    const plan::CandidateReport* const chosen = m_plan ? m_plan->report().chosen() : nullptr;
    if (chosen == nullptr || !byGpu()) {
        return before;
    }
    return chosen->prediction->onDevice.keepsScene ? chosen->candidate.device : std::string();
}

/// The effort behind the transforms that will run, now that they are made.
void GroupPlan::nameFftPlanning(const plan::Request& request) {
    const auto verdict =
        m_plan->method().predict(m_group.problem, m_plan->candidate(), request.limits, {}, nullptr);
    const auto* made = std::get_if<method::Prediction>(&verdict);
    for (plan::CandidateReport& row : m_group.report.plan.candidates) {
        if (row.verdict == plan::CandidateVerdict::Chosen && row.prediction && made) {
            row.prediction->fftPlanning = made->fftPlanning;
        }
    }
}

} // namespace flcc::job::detail
