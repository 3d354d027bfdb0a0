#include "engine/job/match/group_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/knowledge.h"
#include "engine/job/report/spread.h"
#include "engine/job/steps/audit.h"
#include "engine/method/bank.h"
#include "engine/method/method_on_device.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

namespace {

/// The template of every score where there is one alone.
void fillIndex(const method::MatchMap& map, base::Image<std::int32_t>& index) {
    std::transform(map.status.data(), map.status.data() + map.status.count(), index.data(),
                   [](base::Status status) { return base::hasValue(status) ? 0 : -1; });
}

} // namespace

GroupRun::GroupRun(const Job& job, const Inputs& inputs, std::vector<int> numbers,
                   const Wants& wants, const std::stop_token& stop)
    : m_job(job), m_inputs(inputs), m_numbers(std::move(numbers)), m_bank(inputs.bankOf(m_numbers)),
      m_placements(inputs.placementsOf(m_numbers)),
      m_keeps(wants.keeps && !m_bank && !job.preparation.whiten), m_hold(wants.hold),
      m_problem(inputs.problem(job, m_numbers)),
      m_statistics(method::sceneStatistics(inputs.sceneView(), m_problem.templ, stop)) {
    if (!m_bank) {
        method::addTemplates(inputs.templViews(m_numbers), m_statistics);
    }
    m_problem.onDevice.map =
        wants.map || m_bank != nullptr || mapDecidesThreshold(job) || // whose law needs neighbours
        job.null != match::NullTemplate::None ||                      // competes with low peaks
        match::needsWholeMap(m_problem, inputs.templViews(m_numbers), job.partialPeaks);
    m_problem.onDevice.runs = wants.runs;
    m_report.templates = m_numbers;
    m_report.plan.problem = m_problem;
    m_report.mapBytes = method::mapBytes(m_problem);
}

void GroupRun::takeOver(Shared shared) {
    m_shared = std::move(shared);
    if (m_shared.images != images()) {
        m_shared.session = {};
    }
    m_tookOver = true;
    m_plan = m_shared.plan;
    m_report.plan = m_shared.report;
}

std::optional<int> GroupRun::planOf() const {
    return m_tookOver ? std::optional(m_shared.scene) : std::nullopt;
}

std::optional<int> GroupRun::preparedOf() const {
    return m_shared.session.isPrepared() ? planOf() : std::nullopt;
}

std::vector<std::shared_ptr<const void>> GroupRun::images() const {
    std::vector<std::shared_ptr<const void>> all;
    for (const int number : m_numbers) {
        const TemplateInput& templ = m_inputs.templates[static_cast<std::size_t>(number)];
        all.insert(all.end(), {templ.image, templ.mask});
    }
    return all;
}

Shared GroupRun::whatIsShared(int number) const {
    Shared shared{.scene = m_tookOver ? m_shared.scene : number,
                  .problem = m_problem,
                  .plan = m_plan,
                  .report = m_report.plan,
                  .images = images()};
    shared.report.planningMs = 0; // the next scene spends no time on planning
    return shared;
}

Shared GroupRun::leave(int number) {
    Shared shared = whatIsShared(number);
    shared.session = std::move(m_shared.session);
    return shared;
}

Shared GroupRun::share(int number) const {
    Shared shared = whatIsShared(number);
    if (!m_job.preparation.whiten) { // each scene has a filter of its own
        shared.session = m_shared.session.sharing();
    }
    return shared;
}

bool GroupRun::plan(const plan::Request& request, bool warmUp, const std::stop_token& stop) {
    if (m_tookOver && staysWithin(request.limits)) {
        return !stop.stop_requested();
    }
    m_tookOver = false;
    m_timesKey.clear();
    m_shared = {};
    plan::Request asked = request;
    // A tile given with fewer numbers than axes: one counts for all axes, two for an image.
    if (asked.tile.x > 0 && base::isFlat2D(m_problem.scene)) {
        asked.tile.z = 1;
    } else if (asked.tile.x > 0 && asked.tile.z == 0) {
        throw Error(ErrorCode::CommandLine, "--tile needs one number or three for the volume " +
                                                base::toString(m_problem.scene));
    }
    if (!m_job.planReport.empty()) {
        asked.replay = chosenCandidate(m_job.planReport.string(), m_problem.templ);
    }
    base::TilePool pool(asked.limits.threads);
    if (m_bank && !m_job.resume.empty()) {
        m_kept = std::make_unique<KeptSearch>(
            m_job.resume, searchIdentity(m_job, m_inputs, m_numbers, m_problem), members());
        if (m_kept->part()) {
            asked.replay = m_kept->part()->candidate; // no other has the same bits
            m_keptMembers = m_kept->part()->members;
        }
    }
    const std::shared_ptr<const plan::Knowledge> known = knowledge();
    asked.knowledge = known.get();
    plan::Planned made = planned(asked, pool, stop);
    m_report.plan = std::move(made.report);
    if (made.cancelled || stop.stop_requested()) {
        return false;
    }
    m_timesKey = std::move(made.key);
    if (made.learnt) {
        learn(std::move(*made.learnt), asked.planning == plan::Planning::Exhaustive);
    }
    m_plan = std::move(made.plan);
    m_times.reset();
    if (m_plan && m_bank && asked.planning != plan::Planning::Estimate) {
        const base::Stopwatch watch;
        timeBatches(asked, pool, stop);
        m_report.plan.planningMs += watch.ms();
    }
    if (m_plan && warmUp) {
        const base::Stopwatch watch;
        m_plan->method().warmUp(m_problem, m_plan->candidate());
        m_report.plan.planningMs += watch.ms();
        nameFftPlanning(asked);
    }
    return !stop.stop_requested();
}

/// Predicts the memory that the plan of another scene needs for this scene: here, more voxels may
/// need recomputing. False if that is more than before and above the limit.
bool GroupRun::staysWithin(const method::Limits& limits) {
    if (!m_plan || byGpu()) {
        return true;
    }
    method::Limits all = limits;
    all.memoryBytes = std::numeric_limits<std::int64_t>::max();
    const auto verdict =
        m_plan->method().predict(m_problem, m_plan->candidate(), all, {}, &m_statistics);
    const auto* const now = std::get_if<method::Prediction>(&verdict);
    bool fits = true;
    for (plan::CandidateReport& row : m_report.plan.candidates) {
        if (now != nullptr && row.verdict == plan::CandidateVerdict::Chosen && row.prediction) {
            fits = now->hostBytes <= std::max(row.prediction->hostBytes, limits.memoryBytes);
            row.prediction->hostBytes = now->hostBytes;
        }
    }
    return fits;
}

bool GroupRun::fallBack(const plan::Request& request, const Error& failure,
                        const std::stop_token& stop) {
    const bool anyDevice = m_job.device == "auto";
    const bool wrong = m_report.audit && distrust();
    if (!byGpu() || !m_job.planReport.empty() || (!anyDevice && wrong)) {
        throw Error(failure);
    }
    m_failed.push_back(*m_plan->report().chosen());
    m_failed.back().verdict = plan::CandidateVerdict::Failed;
    m_failed.back().reason = std::string("failed in the run: ") + failure.what();
    plan::Request again = request;
    again.device =
        wrong ? std::string(method::kProcessor) : request.device; // a lost device refuses by itself
    again.failed = m_failed;
    m_tookOver = false; // the data of the other scene was made for the failed GPU
    m_shared = {};
    clear();
    std::optional<Error> refused;
    try {
        if (!plan(again, true, stop)) {
            return false;
        }
        refused = refusal(m_report.plan, m_report.besideBytes);
    } catch (const Error& lost) { // the device that is asked for
        refused = lost;
    }
    if (refused) {
        throw anyDevice ? Error(refused->code(), std::string(failure.what()) +
                                                     "; and on the CPU: " + refused->what())
                        : failure;
    }
    std::vector<plan::CandidateReport>& rows = m_report.plan.candidates;
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

std::optional<Error> GroupRun::distrust() const {
    if (!byGpu() || m_report.audit->verdict != AuditVerdict::Failed) {
        return std::nullopt;
    }
    return Error(ErrorCode::Device, "device '" + m_plan->candidate().device +
                                        "' gave a wrong result: " + m_report.audit->reason);
}

std::string GroupRun::sceneOn(const std::string& before) const {
    const plan::CandidateReport* const chosen = m_plan ? m_plan->report().chosen() : nullptr;
    if (chosen == nullptr || !byGpu()) {
        return before;
    }
    return chosen->prediction->onDevice.keepsScene ? chosen->candidate.device : std::string();
}

/// The effort behind the transforms that will run, now that they are made.
void GroupRun::nameFftPlanning(const plan::Request& request) {
    const auto verdict =
        m_plan->method().predict(m_problem, m_plan->candidate(), request.limits, {}, nullptr);
    const auto* made = std::get_if<method::Prediction>(&verdict);
    for (plan::CandidateReport& row : m_report.plan.candidates) {
        if (row.verdict == plan::CandidateVerdict::Chosen && row.prediction && made) {
            row.prediction->fftPlanning = made->fftPlanning;
        }
    }
}

/// Whether the map stays where the plan makes it.
bool GroupRun::reduces() const { return method::reducerOf(m_plan->method(), m_problem) != nullptr; }

bool GroupRun::makeMap(const std::stop_token& stop) {
    if (reduces()) {
        return true;
    }
    const base::Extents extents = method::mapExtents(m_problem);
    auto map = std::make_shared<method::MatchMap>();
    map->value = base::Image<float>(extents);
    map->status = base::Image<base::Status>(extents);
    if (m_problem.precision == method::Precision::Double) {
        map->exact = base::Image<double>(extents);
    }
    std::shared_ptr<base::Image<std::int32_t>> index;
    if (members() > 1 || m_bank || !m_job.index.empty()) {
        index = std::make_shared<base::Image<std::int32_t>>(extents);
    }
    constexpr std::int64_t kPart = std::int64_t{1} << 22; // voxels
    const std::int64_t count = base::voxelCount(extents);
    const std::int64_t parts = (count + kPart - 1) / kPart;
    const auto fill = [&](std::int64_t part, int) {
        const std::int64_t from = part * kPart;
        const std::int64_t length = std::min(kPart, count - from);
        const auto put = [from, length](auto& image, auto value) {
            if (image.data() != nullptr) {
                std::fill_n(image.data() + from, length, value);
            }
        };
        put(map->value, 0.0F);
        put(map->status, base::Status::NotComputed);
        put(map->exact, 0.0);
        if (index) {
            put(*index, std::int32_t{-1});
        }
    };
    base::TilePool pool(parts > 1 ? std::max(1, m_plan->candidate().threads) : 1);
    if (!pool.run(parts, fill, stop)) {
        return false;
    }
    m_map = std::move(map);
    m_index = std::move(index);
    if (m_problem.searchSums) {
        m_sums = std::make_unique<method::SearchTotals>(extents);
    }
    return true;
}

method::BankView GroupRun::bankView() {
    return {method::viewOf(*m_map), m_index ? m_index->view() : base::View<std::int32_t>(),
            m_sums ? m_sums->view() : method::SearchSums{}, counted()};
}

/// What counts of the scores of members.
method::Counted GroupRun::counted() const {
    return {.placements = m_placements, .wholeFirst = m_bank && !m_job.partialPeaks};
}

method::Outcome GroupRun::executePrepared(const method::Execution& execution,
                                          const Progress& progress) {
    method::Session& session = m_shared.session;
    if (m_sums) {
        method::clearSums(m_sums->view());
        m_likeness->add(m_inputs.templViews(m_numbers), execution.pool);
    }
    if (!m_tookOver ||
        !session.isPrepared()) { // in every repetition, so that executeMs includes it
        session = method::Session(m_plan->method(), m_problem, m_plan->candidate());
        session.prepare(m_inputs.templViews(m_numbers), execution.pool);
    }
    if (progress.prepared && m_job.repeat == 1) {
        progress.prepared();
    }
    session.makeWorkspace();
    const base::Stopwatch watch;
    method::Outcome outcome;
    if (session.reducer() != nullptr) {
        outcome = session.reduce(m_inputs.sceneView(), execution,
                                 {.minScore = thresholdOf(m_job),
                                  .partialPeaks = m_job.partialPeaks,
                                  .asked = auditedVoxels(m_problem, m_statistics.lowest)});
        m_reduced = outcome.onDevice.reduced;
    } else {
        outcome = session.run(m_inputs.sceneView(), execution, bankView());
    }
    m_streamMs.push_back(watch.ms());
    if (!m_keeps) {
        m_shared.session = {};
    }
    return outcome;
}

method::Outcome GroupRun::executeOnce(base::TilePool& pool, const Progress& progress, int turn,
                                      const std::stop_token& stop) {
    const auto voxels = static_cast<double>(base::voxelCount(method::mapExtents(m_problem)));
    const auto turns = static_cast<double>(m_job.repeat);
    double done = 0;
    const auto finished = [&](const base::Box& box) {
        done += static_cast<double>(base::voxelCount(box.extents));
        if (turn == m_job.repeat - 1) { // earlier repetitions write the same voxels
            progress.regionFinished(box);
        }
        progress.share(std::min(1.0, (turn + done / voxels) / turns));
    };
    const base::Stopwatch watch;
    const method::Execution execution{
        .pool = pool, .stop = stop, .regionFinished = finished, .onDevice = {.hold = m_hold}};
    Progress own = progress;
    own.share = [&](double share) { progress.share((turn + share) / turns); };
    method::Outcome outcome =
        m_bank ? searchPoses(execution, own) : executePrepared(execution, progress);
    m_executeMs.push_back(watch.ms());
    return outcome;
}

bool GroupRun::execute(const Progress& progress, const std::stop_token& stop) {
    if (!compute(progress, stop)) {
        return false;
    }
    settle();
    return true;
}

bool GroupRun::compute(const Progress& progress, const std::stop_token& stop) {
    base::TilePool pool(std::max(1, m_plan->candidate().threads));
    m_threads = pool.threads();
    m_outcome = {};
    for (int turn = 0; turn < m_job.repeat && !m_outcome.cancelled; ++turn) {
        if (m_sums) {
            m_likeness.emplace(m_problem.templ);
        }
        m_outcome = executeOnce(pool, progress, turn, stop);
    }
    if (m_index && members() == 1 && !m_bank) {
        fillIndex(*m_map, *m_index);
    }
    if (!m_outcome.cancelled) {
        m_doneMembers = members();
    }
    return !m_outcome.cancelled && !stop.stop_requested();
}

void GroupRun::settle() {
    RunReport run;
    run.executeMs = spreadOf(m_executeMs);
    run.streamMs = spreadOf(m_streamMs);
    run.stagesMs = std::move(m_outcome.stagesMs);
    run.times = m_outcome.onDevice.times;
    run.failures = std::move(m_outcome.onDevice.failures);
    run.threads = m_threads;
    run.device = m_plan->candidate().device;
    const bool ran = m_keptMembers < members() && m_doneMembers == members();
    for (plan::CandidateReport& row : m_report.plan.candidates) {
        if (ran && row.verdict == plan::CandidateVerdict::Chosen) {
            row.measuredMs = run.executeMs.median / static_cast<double>(batches());
        }
    }
    if (ran && !m_tookOver && !m_job.stream) { // further scenes share what the first one prepared
        learnFromRun(run.executeMs.median);
    }
    m_report.run = std::move(run);
    m_report.map = MapReport{{}, m_outcome.facts};
    m_outcome = {};
}

bool GroupRun::settlePart(const std::stop_token& stop) {
    if (m_doneMembers == 0 || m_doneMembers == members()) {
        return false;
    }
    m_sums.reset(); // those of a stopped batch are among them
    settle();
    (void)searched(stop);
    return true;
}

void GroupRun::clear() {
    m_doneMembers = 0;
    m_shared.session.giveWorkspace(nullptr);
    m_report.run.reset();
    m_map.reset(); // the plan counts one map
    m_index.reset();
    m_reduced.reset();
    m_sums.reset();
    m_search.reset();
    m_figures.reset();
    m_executeMs.clear();
    m_streamMs.clear();
}

void GroupRun::countSearch() {
    base::TilePool pool(std::max(1, m_threads));
    const method::SearchSums sums = m_sums->view();
    m_search = std::make_shared<const match::SearchMaps>(
        match::searchMaps(method::viewOf(*m_map), sums, pool));
    const match::SearchFigures figures = match::searchFigures(*m_search, sums);
    m_figures = {.members = members(),
                 .likeness = m_likeness->value(),
                 .voxels = figures.voxels,
                 .mean = figures.mean,
                 .deviation = figures.deviation,
                 .largestZ = figures.largestZ,
                 .at = figures.at};
    m_sums.reset();
}

match::SearchedMap GroupRun::searched(const std::stop_token& stop) {
    if (m_sums) {
        countSearch();
    }
    MapReport& report = *m_report.map;
    match::SearchedMap map{.templates = m_bank ? std::vector<method::MaskedView>()
                                               : m_inputs.templViews(m_numbers),
                           .numbers = m_inputs.numbersOf(m_numbers),
                           .value = {},
                           .status = {},
                           .facts = report.facts,
                           .statistics = {},
                           .firstPlacement = method::firstPlacement(m_problem),
                           .index = {},
                           .reduced = m_reduced.get(),
                           .operation = m_problem.operation,
                           .poses = m_bank,
                           .darkFrom = m_inputs.darkFrom(m_numbers),
                           .room = m_bank ? std::optional(m_inputs.room()) : std::nullopt};
    if (m_reduced) {
        report.statistics = match::statisticsOf(m_reduced->tally());
    } else {
        map.value = m_map->value.view();
        map.status = m_map->status.view();
        if (m_problem.operation.traits().inScoreUnits) {
            report.statistics = match::mapStatistics(map.value, map.status, stop);
        } else {
            map.exact = m_map->exact.view();
            report.statistics = map.statistics = match::valueStatistics(map, stop);
            if (m_bank) {
                map.index = m_index->view();
            }
            report.best = match::bestOf(m_inputs.sceneView(), map,
                                        {.partialPeaks = true,
                                         .outside = m_problem.outside,
                                         .minOverlap = m_problem.minOverlap},
                                        stop);
        }
    }
    map.search = m_search ? m_search->view() : match::SearchViews{};
    map.statistics = report.statistics;
    if (m_index && (members() > 1 || m_bank)) {
        map.index = m_index->view();
    }
    if (members() > 1 || m_bank) {
        map.statistics = match::bankStatistics(report.statistics, report.facts.scores);
    }
    return map;
}

void GroupRun::audit(const std::vector<match::Peak>& peaks, const std::stop_token& stop) {
    AuditInput input{.scene = m_inputs.sceneView(),
                     .templates = m_inputs.templViews(m_numbers),
                     .problem = m_problem,
                     .map = m_map.get(),
                     .reduced = m_reduced.get(),
                     .facts = m_report.map->facts,
                     .lowest = m_statistics.lowest,
                     .poses = m_bank,
                     .counted = counted()};
    if (m_index) {
        input.index = m_index->view();
    }
    for (match::Peak peak : peaks) {
        const auto own = std::find(m_numbers.begin(), m_numbers.end(), peak.templ);
        if (own != m_numbers.end()) {
            const std::size_t dark = peak.dark.value_or(false) ? *m_inputs.darkFrom(m_numbers) : 0;
            peak.templ = static_cast<int>(own - m_numbers.begin()) + static_cast<int>(dark);
            input.peaks.push_back(peak);
        }
    }
    // By the cost model, not by the clock: the same plan writes the same list of peaks.
    const double runMs = m_plan->report().chosen()->prediction->ms * static_cast<double>(batches());
    std::optional<std::string> off = auditRefusal(m_job.audit, input, runMs);
    if (byGpu()) {
        off.reset(); // results of a GPU are verified at any cost
    }
    m_report.audit = off ? AuditReport{.reason = *off} : detail::audit(input, stop);
}

} // namespace flcc::job::detail
