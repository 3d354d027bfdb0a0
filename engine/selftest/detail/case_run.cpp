#include "engine/selftest/detail/case_run.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/method/bank.h"
#include "engine/method/method_on_device.h"
#include "engine/method/session.h"
#include "engine/selftest/detail/comparison.h"
#include "engine/selftest/detail/scenes.h"

namespace flcc::selftest {

namespace {

bool samePeaks(const std::vector<match::Peak>& some, const std::vector<match::Peak>& others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const match::Peak& a, const match::Peak& b) {
                          return a.corner == b.corner && a.score == b.score && a.templ == b.templ &&
                                 a.shift == b.shift && a.rival == b.rival;
                      });
}

/// Compares a map that stays on a device with `run`, whose map was copied back, and with its
/// `peaks`. Empty if there is no difference, or if no map stays on the device.
std::string reducedFault(const Way& way, const method::MaskedView& scene,
                         const method::MaskedView& templ, const match::PeakOptions& options,
                         const MethodRun& run, const std::vector<match::Peak>& peaks) {
    method::Problem problem = way.of(problemOf(scene, templ));
    problem.onDevice.map = false;
    method::Session session(*way.method, problem, way.candidate);
    if (session.reducer() == nullptr) {
        return {};
    }
    base::TilePool pool(1);
    session.prepare({templ}, pool);
    const method::Outcome outcome =
        session.reduce(scene, {pool, {}, {}}, {.minScore = options.minScore});
    const match::MapStatistics all =
        match::mapStatistics(run.map.value.view(), run.map.status.view());
    const match::MapStatistics some = match::statisticsOf(outcome.onDevice.reduced->tally());
    if (some.count != all.count || some.mean != all.mean || some.minimum != all.minimum ||
        some.maximum != all.maximum || some.standardDeviation != all.standardDeviation) {
        return "without its map the statistics differ";
    }
    if (outcome.facts.statusCounts != run.outcome.facts.statusCounts) {
        return "without its map the statuses differ";
    }
    const std::vector<match::Peak> found =
        match::findPeaks(scene,
                         {{.templates = {templ},
                           .value = {},
                           .status = {},
                           .facts = outcome.facts,
                           .statistics = some,
                           .firstPlacement = {},
                           .index = {},
                           .reduced = outcome.onDevice.reduced.get()}},
                         {}, options);
    return samePeaks(found, peaks) ? "" : "without its map the peaks differ";
}

/// Compares a bank of a template and its mirror image with the best of both, and the bank without
/// its map with the bank with it. Empty if there is no difference.
std::string bankFault(const Way& way, const method::MaskedView& scene,
                      const method::MaskedView& templ, const match::PeakOptions& options) {
    const base::AnyImage mirrored = flipped(base::copyOf(templ.pixels), true, false, false);
    const std::vector<method::MaskedView> templates{templ, base::viewOf(mirrored)};
    method::Problem problem = way.of(problemOf(scene, templ));
    problem.templates = 2;
    const base::Extents extents = method::mapExtents(problem);
    const bool inDouble = way.precision == method::Precision::Double;
    method::MatchMap best(extents, inDouble);
    method::MatchMap bank(extents, inDouble);
    base::Image<std::int32_t> bestIndex(extents, -1);
    base::Image<std::int32_t> index(extents, -1);
    base::TilePool pool(1);
    for (std::int32_t number = 0; number < 2; ++number) {
        MethodRun run =
            runMethod(way, scene, templates[static_cast<std::size_t>(number)], {.pool = &pool});
        method::mergeBest(method::viewOf(run.map), number,
                          {method::viewOf(best), bestIndex.view()});
    }
    method::Session session(*way.method, problem, way.candidate);
    session.prepare(templates, pool);
    const method::Execution execution{pool, {}, {}};
    const method::Outcome whole =
        session.run(scene, execution, method::BankView{method::viewOf(bank), index.view()});
    if (!firstDifferentBit(bank, best).empty() ||
        !std::equal(index.data(), index.data() + index.count(), bestIndex.data())) {
        return "the map of a bank does not hold the best scores of its templates";
    }
    problem.onDevice.map = false;
    method::Session without(*way.method, problem, way.candidate);
    if (without.reducer() == nullptr) {
        return {};
    }
    without.prepare(templates, pool);
    const method::Outcome reduced =
        without.reduce(scene, execution, {.minScore = options.minScore});
    match::SearchedMap map{.templates = templates,
                           .numbers = {0, 1},
                           .value = {},
                           .status = {},
                           .facts = reduced.facts,
                           .statistics = match::statisticsOf(reduced.onDevice.reduced->tally()),
                           .firstPlacement = method::firstPlacement(problem),
                           .index = {},
                           .reduced = reduced.onDevice.reduced.get()};
    const std::vector<match::Peak> some = match::findPeaks(scene, {map}, {}, options);
    map.reduced = nullptr;
    map.value = bank.value.view();
    map.status = bank.status.view();
    map.index = index.view();
    const match::MapStatistics statistics = match::mapStatistics(map.value, map.status);
    if (statistics.count != map.statistics.count || statistics.mean != map.statistics.mean ||
        reduced.facts.scores.sum != whole.facts.scores.sum ||
        reduced.facts.statusCounts != whole.facts.statusCounts) {
        return "without its map a bank reports other sums or statuses";
    }
    return samePeaks(some, match::findPeaks(scene, {map}, {}, options))
               ? ""
               : "without its map the peaks of a bank differ";
}

} // namespace

CaseRun::CaseRun(std::string name, const Options& options, Judge& judge, std::stop_token stop,
                 std::vector<Row>& rows)
    : m_name(std::move(name)),
      m_sets(options.instructionSets.empty() ? plan::instructionSets() : options.instructionSets),
      m_judge(judge), m_stop(std::move(stop)), m_rows(rows) {}

void CaseRun::judge(const method::MaskedView& scene, const method::MaskedView& templ,
                    const base::Extents& tile, const Asked& asked) {
    const std::vector<Way> ways = m_judge.waysFor(scene, templ, tile, asked);
    if (ways.empty() || m_stop.stop_requested()) {
        return;
    }
    const Expected expected(scene, templ, asked);
    const reference::ScoreMap scores = expected.map();
    forEachWay(ways, [&](const Way& way) {
        Finding finding = m_judge.judge(way, scene, templ, scores);
        if (!expected.isExact()) {
            finding.fault = "the expected scores are not exact";
        }
        return finding;
    });
}

void CaseRun::judgeSome(const method::MaskedView& scene, const method::MaskedView& templ,
                        const std::vector<base::Index>& places, int count) {
    const std::vector<Way> ways = m_judge.waysFor(scene, templ);
    if (ways.empty() || m_stop.stop_requested()) {
        return;
    }
    const Samples samples = samplesOf(scene, templ, places, count);
    forEachWay(ways, [&](const Way& way) { return m_judge.judge(way, scene, templ, samples); });
}

void CaseRun::same(const method::MaskedView& scene, const method::MaskedView& templ,
                   const method::MaskedView& scene2, const method::MaskedView& templ2) {
    forEachWay(m_judge.waysFor(scene, templ), [&](const Way& way) {
        const MethodRun first = m_judge.run(way, scene, templ);
        const MethodRun second = m_judge.run(way, scene2, templ2);
        Finding finding;
        finding.fault = firstDifferentBit(first.map, second.map);
        if (!finding.fault.empty()) {
            finding.fault = way.words() + ": " + finding.fault;
        }
        return finding;
    });
}

void CaseRun::peaks(const method::MaskedView& scene, const method::MaskedView& templ,
                    const match::PeakOptions& options, const std::vector<base::Index>& corners,
                    double score) {
    forEachWay(m_judge.waysFor(scene, templ), [&](const Way& way) {
        const MethodRun run = m_judge.run(way, scene, templ);
        const auto value = run.map.value.view();
        const auto status = run.map.status.view();
        const std::vector<match::Peak> found =
            match::findPeaks(scene,
                             {{.templates = {templ},
                               .value = value,
                               .status = status,
                               .facts = run.outcome.facts,
                               .statistics = match::mapStatistics(value, status)}},
                             {}, options);
        Finding finding;
        if (found.size() != corners.size()) {
            finding.fault = way.words() + ": " + std::to_string(found.size()) +
                            " peaks, expected " + std::to_string(corners.size());
        }
        for (std::size_t i = 0; finding.fault.empty() && i < corners.size(); ++i) {
            const double error = std::fabs(found[i].score - score);
            finding.largestError = std::max(finding.largestError, error);
            finding.overBound = std::max(finding.overBound, error / found[i].bound);
            if (!(found[i].corner == corners[i]) || !(error <= found[i].bound)) {
                finding.fault = way.words() + ": peak " + std::to_string(i) + " lies at " +
                                base::toString(found[i].corner) + ", expected " +
                                base::toString(corners[i]) + ", or its score is wrong";
            }
        }
        if (finding.fault.empty()) {
            finding.fault = reducedFault(way, scene, templ, options, run, found);
            if (finding.fault.empty()) {
                finding.fault = bankFault(way, scene, templ, options);
            }
            finding.fault = finding.fault.empty() ? "" : way.words() + ": " + finding.fault;
        }
        return finding;
    });
}

void CaseRun::judgeOperation(const method::MaskedView& scene, const method::MaskedView& templ,
                             const Asked& asked) {
    const std::vector<Way> ways = m_judge.operationWays(scene, templ, asked);
    if (ways.empty() || m_stop.stop_requested()) {
        return;
    }
    const reference::MatchOperation definition(asked.operation, templ, asked.outside,
                                               asked.minOverlap);
    const reference::ScoreMap expected = definition.map(scene, asked.extent);
    forEachWay(ways, [&](const Way& way) {
        return m_judge.judge(way, scene, templ, definition, expected);
    });
}

void CaseRun::refused(const method::MaskedView& scene, const method::MaskedView& templ) {
    forEachWay(m_judge.waysFor(scene, templ), [&](const Way& way) {
        const method::Problem problem = way.of(problemOf(scene, templ));
        base::TilePool pool(1);
        try {
            (void)way.method->prepare(problem, way.candidate, templ, pool);
        } catch (const base::Error& error) {
            if (error.code() == base::ErrorCode::Problem) {
                return Finding{};
            }
        }
        Finding finding;
        finding.fault = way.words() + ": an impossible template was not refused";
        return finding;
    });
}

void CaseRun::forEachWay(const std::vector<Way>& ways, const Visit& visit) {
    for (const std::string& set : m_sets) {
        const plan::InstructionSetLimit limit(set);
        for (const Way& way : ways) {
            if (m_stop.stop_requested()) {
                return;
            }
            const bool onProcessor = way.candidate.onProcessor();
            if (!onProcessor && set != m_sets.front()) {
                continue; // instructions of the processor change nothing there
            }
            const base::Stopwatch watch;
            Finding finding;
            try {
                finding = visit(way);
            } catch (const base::Error& error) {
                finding.fault = way.words() + ": " + error.what();
            }
            add(onProcessor ? set : std::string(), way, finding, watch.ms());
        }
    }
}

void CaseRun::add(const std::string& set, const Way& way, const Finding& finding, double ms) {
    const std::string method(way.method->name());
    auto row = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& known) {
        return known.name == m_name && known.method == method &&
               known.device == way.candidate.device && known.instructionSet == set &&
               known.precision == way.precision;
    });
    if (row == m_rows.end()) {
        Row made;
        made.name = m_name;
        made.method = method;
        made.device = way.candidate.device;
        made.instructionSet = set;
        made.precision = way.precision;
        row = m_rows.insert(row, std::move(made));
    }
    ++row->runs;
    row->largestError = std::max(row->largestError, finding.largestError);
    row->overBound = std::max(row->overBound, finding.overBound);
    row->fault = row->fault.empty() ? finding.fault : row->fault;
    row->ms += ms;
}

} // namespace flcc::selftest
