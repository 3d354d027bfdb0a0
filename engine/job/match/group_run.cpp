#include "engine/job/match/group_run.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/job/match/best_so_far.h"
#include "engine/job/match/pose_run.h"
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
    : m_group(
          std::make_unique<Group>(job, inputs, std::move(numbers), wants.map, wants.runs, stop)),
      m_plan(std::make_unique<GroupPlan>(*m_group)),
      m_keeps(wants.keeps && !m_group->bank && !job.preparation.whiten), m_hold(wants.hold) {}

void GroupRun::takeOver(Shared shared) {
    m_plan->takeOver(shared);
    m_session = shared.images == m_group->images() ? std::move(shared.session) : method::Session();
}

bool GroupRun::plan(const plan::Request& request, bool warmUp, const std::stop_token& stop) {
    if (m_plan->stands(request.limits)) {
        return !stop.stop_requested();
    }
    m_session = {};
    return m_plan->make(request, warmUp, stop);
}

bool GroupRun::fallBack(const plan::Request& request, const Error& failure,
                        const std::stop_token& stop) {
    const bool wrong = m_group->report.audit && distrust();
    return m_plan->fallBack(
        request, failure, wrong,
        [this] {
            m_session = {};
            clear();
        },
        stop);
}

std::optional<int> GroupRun::preparedOf() const {
    return m_session.isPrepared() ? planOf() : std::nullopt;
}

Shared GroupRun::whatIsShared(int number) const {
    Shared shared{.scene = planOf().value_or(number),
                  .problem = m_group->problem,
                  .plan = m_plan->shared(),
                  .report = m_group->report.plan,
                  .images = m_group->images()};
    shared.report.planningMs = 0; // the next scene spends no time on planning
    return shared;
}

Shared GroupRun::leave(int number) {
    Shared shared = whatIsShared(number);
    shared.session = std::move(m_session);
    return shared;
}

Shared GroupRun::share(int number) const {
    Shared shared = whatIsShared(number);
    if (!m_group->job.preparation.whiten) { // each scene has a filter of its own
        shared.session = m_session.sharing();
    }
    return shared;
}

std::optional<Error> GroupRun::distrust() const {
    if (!byGpu() || m_group->report.audit->verdict != AuditVerdict::Failed) {
        return std::nullopt;
    }
    return Error(ErrorCode::Device, "device '" + m_plan->candidate().device +
                                        "' gave a wrong result: " + m_group->report.audit->reason);
}

/// Whether the map stays where the plan makes it.
bool GroupRun::reduces() const {
    return method::reducerOf(m_plan->get().method(), m_group->problem) != nullptr;
}

bool GroupRun::makeMap(const std::stop_token& stop) {
    if (reduces()) {
        return true;
    }
    const base::Extents extents = method::mapExtents(m_group->problem);
    auto map = std::make_shared<method::MatchMap>();
    map->value = base::Image<float>(extents);
    map->status = base::Image<base::Status>(extents);
    if (m_group->problem.precision == method::Precision::Double) {
        map->exact = base::Image<double>(extents);
    }
    std::shared_ptr<base::Image<std::int32_t>> index;
    if (members() > 1 || m_group->bank || !m_group->job.index.empty()) {
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
    m_made.map = std::move(map);
    m_made.index = std::move(index);
    if (m_group->problem.searchSums) {
        m_made.sums = std::make_unique<method::SearchTotals>(extents);
    }
    return true;
}

method::BankView GroupRun::bankView() {
    return {method::viewOf(*m_made.map),
            m_made.index ? m_made.index->view() : base::View<std::int32_t>(),
            m_made.sums ? m_made.sums->view() : method::SearchSums{}, counted()};
}

/// What counts of the scores of members.
method::Counted GroupRun::counted() const {
    return {.placements = m_group->placements,
            .wholeFirst = m_group->bank && !m_group->job.partialPeaks};
}

method::Outcome GroupRun::executePrepared(const method::Execution& execution,
                                          const Progress& progress) {
    method::Session& session = m_session;
    if (m_made.sums) {
        method::clearSums(m_made.sums->view());
        m_made.likeness->add(m_group->inputs.templViews(m_group->numbers), execution.pool);
    }
    if (!planOf() || !session.isPrepared()) { // in every repetition, so that executeMs includes it
        session = method::Session(m_plan->get().method(), m_group->problem, m_plan->candidate());
        session.prepare(m_group->inputs.templViews(m_group->numbers), execution.pool);
    }
    if (progress.prepared && m_group->job.repeat == 1) {
        progress.prepared();
    }
    session.makeWorkspace();
    const base::Stopwatch watch;
    method::Outcome outcome;
    if (session.reducer() != nullptr) {
        outcome =
            session.reduce(m_group->inputs.sceneView(), execution,
                           {.minScore = thresholdOf(m_group->job),
                            .partialPeaks = m_group->job.partialPeaks,
                            .asked = auditedVoxels(m_group->problem, m_group->statistics.lowest)});
        m_made.reduced = outcome.onDevice.reduced;
    } else {
        outcome = session.run(m_group->inputs.sceneView(), execution, bankView());
    }
    m_made.streamMs.push_back(watch.ms());
    if (!m_keeps) {
        m_session = {};
    }
    return outcome;
}

method::Outcome GroupRun::executeOnce(base::TilePool& pool, const Progress& progress, int turn,
                                      const std::stop_token& stop) {
    const auto voxels = static_cast<double>(base::voxelCount(method::mapExtents(m_group->problem)));
    const auto turns = static_cast<double>(m_group->job.repeat);
    double done = 0;
    const auto finished = [&](const base::Box& box) {
        done += static_cast<double>(base::voxelCount(box.extents));
        if (turn == m_group->job.repeat - 1) { // earlier repetitions write the same voxels
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
        m_group->bank ? searchPoses(execution, own) : executePrepared(execution, progress);
    m_made.executeMs.push_back(watch.ms());
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
    m_made.threads = pool.threads();
    m_made.outcome = {};
    for (int turn = 0; turn < m_group->job.repeat && !m_made.outcome.cancelled; ++turn) {
        if (m_made.sums) {
            m_made.likeness.emplace(m_group->problem.templ);
        }
        m_made.outcome = executeOnce(pool, progress, turn, stop);
    }
    if (m_made.index && members() == 1 && !m_group->bank) {
        fillIndex(*m_made.map, *m_made.index);
    }
    if (!m_made.outcome.cancelled) {
        m_made.doneMembers = members();
    }
    return !m_made.outcome.cancelled && !stop.stop_requested();
}

void GroupRun::settle() {
    RunReport run;
    run.executeMs = spreadOf(m_made.executeMs);
    run.streamMs = spreadOf(m_made.streamMs);
    run.stagesMs = std::move(m_made.outcome.stagesMs);
    run.times = m_made.outcome.onDevice.times;
    run.failures = std::move(m_made.outcome.onDevice.failures);
    run.threads = m_made.threads;
    run.device = m_plan->candidate().device;
    const bool ran = m_plan->keptMembers() < members() && m_made.doneMembers == members();
    for (plan::CandidateReport& row : m_group->report.plan.candidates) {
        if (ran && row.verdict == plan::CandidateVerdict::Chosen) {
            row.measuredMs = run.executeMs.median / static_cast<double>(m_plan->batches());
        }
    }
    if (ran && !planOf() &&
        !m_group->job.stream) { // further scenes share what the first one prepared
        m_plan->learn(run.executeMs.median);
    }
    m_group->report.run = std::move(run);
    m_group->report.map = MapReport{{}, m_made.outcome.facts};
    m_made.outcome = {};
}

bool GroupRun::settlePart(const std::stop_token& stop) {
    if (m_made.doneMembers == 0 || m_made.doneMembers == members()) {
        return false;
    }
    m_made.sums.reset(); // those of a stopped batch are among them
    settle();
    (void)searched(stop);
    return true;
}

void GroupRun::clear() {
    m_session.giveWorkspace(nullptr);
    m_group->report.run.reset();
    m_made = {}; // the plan counts one map
}

void GroupRun::countSearch() {
    base::TilePool pool(std::max(1, m_made.threads));
    const method::SearchSums sums = m_made.sums->view();
    m_made.search = std::make_shared<const match::SearchMaps>(
        match::searchMaps(method::viewOf(*m_made.map), sums, pool));
    const match::SearchFigures figures = match::searchFigures(*m_made.search, sums);
    m_made.figures = {.members = members(),
                      .likeness = m_made.likeness->value(),
                      .voxels = figures.voxels,
                      .mean = figures.mean,
                      .deviation = figures.deviation,
                      .largestZ = figures.largestZ,
                      .at = figures.at};
    m_made.sums.reset();
}

match::SearchedMap GroupRun::searched(const std::stop_token& stop) {
    if (m_made.sums) {
        countSearch();
    }
    MapReport& report = *m_group->report.map;
    match::SearchedMap map{
        .templates = m_group->bank ? std::vector<method::MaskedView>()
                                   : m_group->inputs.templViews(m_group->numbers),
        .numbers = m_group->inputs.numbersOf(m_group->numbers),
        .value = {},
        .status = {},
        .facts = report.facts,
        .statistics = {},
        .firstPlacement = method::firstPlacement(m_group->problem),
        .index = {},
        .reduced = m_made.reduced.get(),
        .operation = m_group->problem.operation,
        .poses = m_group->bank,
        .darkFrom = m_group->inputs.darkFrom(m_group->numbers),
        .room = m_group->bank ? std::optional(m_group->inputs.room()) : std::nullopt};
    if (m_made.reduced) {
        report.statistics = match::statisticsOf(m_made.reduced->tally());
    } else {
        map.value = m_made.map->value.view();
        map.status = m_made.map->status.view();
        if (m_group->problem.operation.traits().inScoreUnits) {
            report.statistics = match::mapStatistics(map.value, map.status, stop);
        } else {
            map.exact = m_made.map->exact.view();
            report.statistics = map.statistics = match::valueStatistics(map, stop);
            if (m_group->bank) {
                map.index = m_made.index->view();
            }
            report.best = match::bestOf(m_group->inputs.sceneView(), map,
                                        {.partialPeaks = true,
                                         .outside = m_group->problem.outside,
                                         .minOverlap = m_group->problem.minOverlap},
                                        stop);
        }
    }
    map.search = m_made.search ? m_made.search->view() : match::SearchViews{};
    map.statistics = report.statistics;
    if (m_made.index && (members() > 1 || m_group->bank)) {
        map.index = m_made.index->view();
    }
    if (members() > 1 || m_group->bank) {
        map.statistics = match::bankStatistics(report.statistics, report.facts.scores);
    }
    return map;
}

void GroupRun::audit(const std::vector<match::Peak>& peaks, const std::stop_token& stop) {
    AuditInput input{.scene = m_group->inputs.sceneView(),
                     .templates = m_group->inputs.templViews(m_group->numbers),
                     .problem = m_group->problem,
                     .map = m_made.map.get(),
                     .reduced = m_made.reduced.get(),
                     .facts = m_group->report.map->facts,
                     .lowest = m_group->statistics.lowest,
                     .poses = m_group->bank,
                     .counted = counted()};
    if (m_made.index) {
        input.index = m_made.index->view();
    }
    for (match::Peak peak : peaks) {
        const auto own = std::find(m_group->numbers.begin(), m_group->numbers.end(), peak.templ);
        if (own != m_group->numbers.end()) {
            const std::size_t dark =
                peak.dark.value_or(false) ? *m_group->inputs.darkFrom(m_group->numbers) : 0;
            peak.templ = static_cast<int>(own - m_group->numbers.begin()) + static_cast<int>(dark);
            input.peaks.push_back(peak);
        }
    }
    // By the cost model, not by the clock: the same plan writes the same list of peaks.
    const double runMs =
        m_plan->get().report().chosen()->prediction->ms * static_cast<double>(m_plan->batches());
    std::optional<std::string> off = auditRefusal(m_group->job.audit, input, runMs);
    if (byGpu()) {
        off.reset(); // results of a GPU are verified at any cost
    }
    m_group->report.audit = off ? AuditReport{.reason = *off} : detail::audit(input, stop);
}

method::Outcome GroupRun::searchPoses(const method::Execution& execution,
                                      const Progress& progress) {
    const base::Stopwatch watch;
    const method::MaskedView scene = m_group->inputs.sceneView();
    BestSoFar best(*m_made.map);
    const auto searched = [&](std::int64_t members) {
        if (progress.searched) {
            progress.searched(members, m_group->bank->count());
        }
        if (progress.best) {
            if (const auto copy = best.copy(execution.pool)) {
                progress.best(copy);
            }
        }
    };
    m_plan->countKept();
    method::Outcome outcome =
        runPoses({.method = m_plan->get().method(),
                  .problem = m_group->problem,
                  .candidate = m_plan->candidate(),
                  .bank = *m_group->bank,
                  .scene = scene,
                  .share = progress.share,
                  .searched = searched,
                  .kept = m_plan->kept(),
                  .likeness = m_made.likeness ? &*m_made.likeness : nullptr,
                  .done = m_group->job.stream ? nullptr : &m_made.doneMembers},
                 execution, bankView());
    m_made.streamMs.push_back(watch.ms());
    return outcome;
}

} // namespace flcc::job::detail
