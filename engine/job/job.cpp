#include "engine/job/job.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/job/detail/audit.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/detail/machine.h"
#include "engine/job/detail/options.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/detail/text.h"
#include "engine/job/knowledge.h"
#include "engine/plan/planner.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Spread spreadOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    const double median =
        values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    return {values.front(), median, values.back()};
}

base::Point pointOf(const base::Index& index) {
    return {static_cast<double>(index.x), static_cast<double>(index.y),
            static_cast<double>(index.z)};
}

/// From the first voxel of a template to its centre.
base::Point halfOf(const base::Extents& templ) {
    return {static_cast<double>(templ.x - 1) / 2, static_cast<double>(templ.y - 1) / 2,
            static_cast<double>(templ.z - 1) / 2};
}

/// Runs one job step by step; each step returns false when it was cancelled.
class Runner {
  public:
    Runner(const Job& job, const JobImages& images, std::stop_token stop, JobSink& sink)
        : m_job(job), m_images(images), m_stop(std::move(stop)), m_sink(sink) {}

    [[nodiscard]] JobResult run() {
        m_result.cancelled = !(read(true) && plan(true) && execute() && findPeaks() && write());
        return std::move(m_result);
    }

    [[nodiscard]] JobReport planOnly() {
        m_result.report.cancelled = !(read(false) && plan(false));
        return std::move(m_result.report);
    }

  private:
    void enter(Phase phase) {
        m_sink.phase(phase);
        m_sink.progress(0);
    }

    [[nodiscard]] plan::Request request() const {
        plan::Request request;
        request.planning = m_job.planning;
        request.method = m_job.method;
        request.device = m_job.device;
        request.tile = m_job.tile;
        request.limits.threads = m_job.threads > 0 ? m_job.threads : base::availableThreads();
        request.limits.memoryBytes =
            m_job.memoryBytes > 0 ? m_job.memoryBytes : detail::availableMemory();
        if (!m_job.planReport.empty()) {
            request.replay = chosenCandidate(m_job.planReport.string());
        }
        return request;
    }

    /// A tile given with fewer numbers than axes: one counts for all axes, two for an image.
    void fitTile() {
        if (m_request.tile.x > 0 && base::isFlat2D(m_problem.scene)) {
            m_request.tile.z = 1;
        } else if (m_request.tile.x > 0 && m_request.tile.z == 0) {
            throw Error(ErrorCode::CommandLine, "--tile needs one number or three for the volume " +
                                                    base::toString(m_problem.scene));
        }
    }

    [[nodiscard]] bool read(bool images) {
        enter(Phase::Read);
        m_result.report.environment = environment();
        m_request = request();
        const auto start = Clock::now();
        m_inputs = detail::readInputs(m_job, m_images, m_stop);
        if (m_stop.stop_requested()) {
            return false;
        }
        if (m_job.memoryBytes == 0) {
            m_request.limits.memoryBytes = detail::availableMemory(); // what the inputs left
        }
        m_result.scene = m_inputs.scene;
        m_result.templ = m_inputs.templ;
        m_result.notes = m_inputs.notes;
        m_result.report.inputs = m_inputs.reports;
        detail::requireWritableOutputs(m_job, m_inputs, images);
        m_problem = m_inputs.problem(m_job);
        m_result.report.plan.problem = m_problem;
        m_result.report.scene = base::extentsOf(m_inputs.scene->pixels);
        m_result.report.region = m_inputs.region;
        m_result.mapCorner = m_inputs.sceneCorner();
        fitTile();
        m_statistics = method::sceneStatistics(m_inputs.sceneView(), m_problem.templ, m_stop);
        m_readMs = msSince(start);
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    [[nodiscard]] bool plan(bool warmUp) {
        enter(Phase::Plan);
        base::TilePool pool(m_request.limits.threads);
        const method::MaskedView scene = m_inputs.sceneView();
        const method::MaskedView templ = m_inputs.templView();
        const std::shared_ptr<const plan::Knowledge> known = knowledge();
        plan::Request asked = m_request;
        asked.knowledge = known.get();
        plan::Planned planned =
            plan::makePlan(m_problem, asked, &scene, &templ, &m_statistics, pool, m_stop);
        m_result.report.plan = std::move(planned.report);
        if (planned.cancelled || m_stop.stop_requested()) {
            return false;
        }
        if (planned.learnt) {
            updateKnowledge([&](plan::Knowledge& now) { now.remember(*planned.learnt); });
        }
        m_plan = std::move(planned.plan);
        if (m_plan && warmUp) {
            const auto start = Clock::now();
            m_plan->method().warmUp(m_problem, m_plan->candidate());
            m_result.report.plan.planningMs += msSince(start);
            nameFftPlanning();
        }
        m_sink.planned(m_result.report.plan);
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    /// The effort behind the transforms that will run, now that they are made.
    void nameFftPlanning() {
        const auto verdict =
            m_plan->method().predict(m_problem, m_plan->candidate(), m_request.limits, {}, nullptr);
        const auto* made = std::get_if<method::Prediction>(&verdict);
        for (plan::CandidateReport& row : m_result.report.plan.candidates) {
            if (row.verdict == plan::CandidateVerdict::Chosen && row.prediction && made) {
                row.prediction->fftPlanning = made->fftPlanning;
            }
        }
    }

    [[nodiscard]] bool execute();
    [[nodiscard]] method::Outcome executeOnce(base::TilePool& pool, const method::MapView& map,
                                              int turn);

    [[nodiscard]] bool findPeaks() {
        enter(Phase::Peaks);
        const auto start = Clock::now();
        const method::MatchMap& map = *m_result.map;
        MapReport& report = *m_result.report.map;
        report.statistics = match::mapStatistics(map.value.view(), map.status.view(), m_stop);
        m_sink.progress(0.2);
        m_result.peaks = match::findPeaks(m_inputs.sceneView(), m_inputs.templView(),
                                          map.value.view(), map.status.view(), report.facts,
                                          report.statistics, m_result.scene->geometry,
                                          {.minScore = m_job.minScore,
                                           .maxPeaks = m_job.maxPeaks,
                                           .minDistance = m_job.minDistance},
                                          m_stop);
        m_result.report.run->peaksMs = msSince(start);
        m_sink.progress(0.8);
        if (!m_stop.stop_requested()) {
            audit();
        }
        moveToScene();
        m_result.report.peaks = m_result.peaks;
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    /// Computes scores again, while peaks still count from the part that is searched.
    void audit() {
        // By the cost model, not by the clock: the same plan writes the same list of peaks.
        const double runMs = m_plan->report().chosen()->prediction->ms;
        const detail::AuditInput input{m_inputs.sceneView(), m_inputs.templView(),
                                       *m_result.map,        m_result.report.map->facts,
                                       m_result.peaks,       m_statistics.lowest};
        const std::optional<std::string> off = detail::auditRefusal(m_job.audit, input, runMs);
        m_result.report.audit = off ? AuditReport{.reason = *off} : detail::audit(input, m_stop);
    }

    /// Peaks in scene voxels, added up as findPeaks does, so that they have the bits of a run
    /// without a region.
    void moveToScene() {
        const base::Index& by = m_result.mapCorner;
        const base::Point half = halfOf(m_problem.templ);
        for (match::Peak& peak : m_result.peaks) {
            peak.corner = {peak.corner.x + by.x, peak.corner.y + by.y, peak.corner.z + by.z};
            const base::Point corner = pointOf(peak.corner);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                peak.centre[axis] = corner[axis] + half[axis] + peak.shift[axis];
            }
            peak.world = base::toWorld(m_result.scene->geometry, peak.centre);
        }
    }

    [[nodiscard]] bool write() {
        enter(Phase::Write);
        return detail::writeOutputs(m_job, m_result, m_stop,
                                    [this](double share) { m_sink.progress(share); });
    }

    const Job& m_job;
    const JobImages& m_images;
    std::stop_token m_stop;
    JobSink& m_sink;
    plan::Request m_request;
    detail::Inputs m_inputs;
    method::Problem m_problem;
    method::SceneStatistics m_statistics;
    std::shared_ptr<const plan::Plan> m_plan;
    JobResult m_result;
    double m_readMs = 0;
    std::vector<double> m_executeMs;
    std::vector<double> m_streamMs;
};

method::Outcome Runner::executeOnce(base::TilePool& pool, const method::MapView& map, int turn) {
    const method::Candidate& candidate = m_plan->candidate();
    const method::Method& method = m_plan->method();
    const double voxels = static_cast<double>(base::voxelCount(map.value.extents()));
    const double turns = static_cast<double>(m_job.repeat);
    double done = 0;
    const auto finished = [&](const base::Box& box) {
        done += static_cast<double>(base::voxelCount(box.extents));
        if (turn == m_job.repeat - 1) { // the turns before write the same place again
            m_sink.regionFinished(box);
        }
        m_sink.progress(std::min(1.0, (turn + done / voxels) / turns));
    };
    const auto start = Clock::now();
    const auto prepared = method.prepare(m_problem, candidate, m_inputs.templView());
    const auto workspace = method.makeWorkspace(m_problem, candidate);
    const auto streamStart = Clock::now();
    method::Outcome outcome =
        method.execute(m_problem, candidate, *prepared, m_inputs.sceneView(), *workspace,
                       {.pool = pool, .stop = m_stop, .regionFinished = finished}, map);
    m_streamMs.push_back(msSince(streamStart));
    m_executeMs.push_back(msSince(start));
    return outcome;
}

bool Runner::execute() {
    if (!m_plan) {
        throw *refusal(m_result.report.plan);
    }
    enter(Phase::Run);
    const method::Candidate& candidate = m_plan->candidate();
    const detail::PeakMeter meter;
    auto map = std::make_shared<method::MatchMap>(method::mapExtents(m_problem),
                                                  m_problem.precision == method::Precision::Double);
    const base::Point corner = pointOf(m_result.mapCorner);
    const base::Point half = halfOf(m_problem.templ);
    const base::Point firstCentre{corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]};
    m_result.mapGeometry = base::movedTo(m_result.scene->geometry, firstCentre);
    m_result.map = map;
    m_sink.mapStarted(map);

    base::TilePool pool(std::max(1, candidate.threads));
    method::Outcome outcome;
    for (int turn = 0; turn < m_job.repeat && !outcome.cancelled; ++turn) {
        outcome = executeOnce(pool, method::viewOf(*map), turn);
    }
    if (outcome.cancelled || m_stop.stop_requested()) {
        return false;
    }
    RunReport run;
    run.executeMs = spreadOf(m_executeMs);
    run.streamMs = spreadOf(m_streamMs);
    run.readMs = m_readMs;
    run.stagesMs = std::move(outcome.stagesMs);
    run.peakHostBytes = meter.rise();
    run.threads = pool.threads();
    run.device = candidate.device;
    for (plan::CandidateReport& row : m_result.report.plan.candidates) {
        if (row.verdict == plan::CandidateVerdict::Chosen) {
            row.measuredMs = run.executeMs.median;
        }
    }
    m_result.report.run = std::move(run);
    m_result.report.map = MapReport{{}, outcome.facts};
    return true;
}

void requireSensible(const Job& job) {
    const auto refuse = [](const std::string& sentence) {
        throw Error(ErrorCode::CommandLine, sentence);
    };
    if (job.repeat < 1) {
        refuse("--repeat must be 1 or more, not " + std::to_string(job.repeat));
    }
    if (job.threads < 0) {
        refuse("--threads must be 1 or more, not " + std::to_string(job.threads));
    }
    if (!(job.promise >= kLeastPromise && job.promise <= 1)) {
        refuse("--promise must be a number from 1e-15 to 1, not " + detail::shortest(job.promise));
    }
    if (job.memoryBytes < 0) {
        refuse("--memory must be positive, not " + std::to_string(job.memoryBytes));
    }
    for (const std::string& name : detail::plannedOptions()) {
        if (!job.planReport.empty() && detail::findOption(name)->get(job)) {
            detail::refuseBesidePlan(name);
        }
    }
}

/// Calls `body` and turns failed allocations into the error they are.
template <class Body> auto withMemoryErrors(const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Memory, "the machine has too little free memory for this job (" +
                                           detail::bytesText(detail::availableMemory()) +
                                           " left); close other programs or use a smaller scene");
    }
}

} // namespace

std::string_view name(Phase phase) {
    constexpr std::array<std::string_view, 5> kNames{"reading", "planning", "matching",
                                                     "finding peaks", "writing"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::optional<Error> refusal(const plan::PlanReport& plan) {
    if (plan.chosen() != nullptr) {
        return std::nullopt;
    }
    method::Limits unlimited = plan.limits;
    unlimited.memoryBytes = INT64_MAX;
    std::optional<std::int64_t> needed;
    std::string reasons;
    for (const plan::CandidateReport& row : plan.candidates) {
        if (reasons.find(row.reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + row.candidate.method + ": " + row.reason;
        }
        for (const method::Method* method : plan::methods()) {
            if (method->name() != row.candidate.method ||
                method->device() != row.candidate.device) {
                continue;
            }
            const method::Verdict verdict =
                method->predict(plan.problem, row.candidate, unlimited, {}, nullptr);
            if (const auto* fits = std::get_if<method::Prediction>(&verdict)) {
                needed = std::min(needed.value_or(INT64_MAX), fits->hostBytes);
            }
        }
    }
    if (needed && *needed > plan.limits.memoryBytes) {
        return Error(ErrorCode::Memory,
                     "the memory limit of " + detail::bytesText(plan.limits.memoryBytes) +
                         " is too small: scene " + base::toString(plan.problem.scene) +
                         " with template " + base::toString(plan.problem.templ) +
                         " needs at least " + detail::bytesText(*needed) +
                         "; raise --memory, use fewer --threads or a smaller scene");
    }
    return Error(ErrorCode::Problem,
                 "no method can solve this problem: " +
                     (reasons.empty() ? "there is none that fits the options" : reasons));
}

std::optional<Error> auditFailure(const JobReport& report) {
    if (!report.audit || report.audit->verdict != AuditVerdict::Failed) {
        return std::nullopt;
    }
    return Error(ErrorCode::Internal,
                 "the self-audit failed: " + report.audit->reason +
                     "; do not trust this result, and report it with the job and its report");
}

JobResult runJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    requireSensible(job);
    JobSink silent;
    return withMemoryErrors(
        [&] { return Runner(job, images, std::move(stop), sink ? *sink : silent).run(); });
}

JobReport planJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    requireSensible(job);
    JobSink silent;
    return withMemoryErrors([&] {
        JobReport report = Runner(job, images, std::move(stop), sink ? *sink : silent).planOnly();
        if (!job.report.empty() && !report.cancelled) {
            io::writeText(job.report, toJson(report));
        }
        return report;
    });
}

} // namespace flcc::job
