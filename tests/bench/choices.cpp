#include "tests/bench/choices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/plan/planner.h"
#include "tests/bench/bench_cases.h"
#include "tests/bench/contestants.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using base::Extents;
using nlohmann::json;

constexpr double kLeastMs = 0.2;
constexpr double kLongChoiceMs = 1000;

struct Sizes {
    Extents scene;
    Extents templ;
};

std::vector<Sizes> problems() {
    std::vector<Sizes> list;
    const auto flat = [&](std::int64_t scene, std::initializer_list<std::int64_t> templates) {
        for (const std::int64_t m : templates) {
            list.push_back({{scene, scene, 1}, {m, m, 1}});
        }
    };
    const auto volume = [&](std::int64_t scene, std::initializer_list<std::int64_t> templates) {
        for (const std::int64_t m : templates) {
            list.push_back({{scene, scene, scene}, {m, m, m}});
        }
    };
    flat(256, {2, 8, 16, 32, 64, 128});
    flat(512, {4, 8, 11, 16, 24, 32, 64, 128, 256});
    flat(1024, {3, 8, 12, 16, 32, 64, 128, 256});
    flat(2000, {4, 8, 11, 16, 24, 32, 64, 128, 256});
    flat(4096, {8, 16, 32, 64, 128, 256});
    list.push_back({{3000, 1000, 1}, {31, 17, 1}});
    list.push_back({{997, 1009, 1}, {101, 103, 1}});
    list.push_back({{4096, 128, 1}, {64, 16, 1}});
    list.push_back({{640, 480, 1}, {20, 40, 1}});
    list.push_back({{1500, 1500, 1}, {20, 20, 1}});
    list.push_back({{3000, 3000, 1}, {48, 48, 1}});
    list.push_back({{1200, 1200, 1}, {96, 96, 1}});
    list.push_back({{2500, 1200, 1}, {9, 9, 1}});
    volume(64, {2, 4, 8, 12, 16, 32});
    volume(100, {3, 5, 8, 16, 24, 48});
    volume(128, {4, 8, 16, 32});
    list.push_back({{200, 200, 100}, {7, 7, 7}});
    list.push_back({{192, 192, 96}, {21, 21, 21}});
    list.push_back({{150, 150, 150}, {20, 20, 20}});
    list.push_back({{96, 96, 96}, {10, 10, 10}});
    list.push_back({{256, 128, 64}, {6, 6, 6}});
    list.push_back({{160, 160, 160}, {40, 40, 40}});
    return list;
}

/// One problem with its pixels, on which candidates are timed.
class Contest {
  public:
    Contest(const Sizes& sizes, base::TilePool& pool)
        : m_scene(noise(base::PixelType::Float32, sizes.scene, 1)),
          m_templ(cut(m_scene, sizes.templ)), m_sceneView(base::viewOf(m_scene)),
          m_templView(base::viewOf(m_templ)), m_problem(problemOf(m_scene, m_templ)), m_pool(pool),
          m_map(method::mapExtents(m_problem)) {}

    [[nodiscard]] plan::Planned plan(plan::Planning planning,
                                     const plan::Knowledge& knowledge) const {
        const auto statistics = method::sceneStatistics(m_sceneView, m_problem.templ);
        plan::Request request;
        request.planning = planning;
        request.limits.threads = m_pool.threads();
        request.knowledge = &knowledge;
        return plan::makePlan(m_problem, request, &m_sceneView, &m_templView, &statistics, m_pool);
    }

    /// Milliseconds of prepare + workspace + execute.
    double run(const method::Candidate& candidate) {
        const method::Method& method = methodOf(candidate);
        return millisecondsOf([&] {
            method::Session session(method, m_problem, candidate);
            session.prepare({m_templView}, m_pool);
            (void)session.run(m_sceneView, {m_pool, {}, {}}, method::viewOf(m_map));
        });
    }

    [[nodiscard]] const method::Problem& problem() const { return m_problem; }

  private:
    static const method::Method& methodOf(const method::Candidate& candidate) {
        for (const method::Method* method : plan::methods()) {
            if (method->name() == candidate.method && method->device() == candidate.device) {
                return *method;
            }
        }
        throw std::runtime_error("no method " + candidate.method);
    }

    base::AnyImage m_scene;
    base::AnyImage m_templ;
    method::MaskedView m_sceneView;
    method::MaskedView m_templView;
    method::Problem m_problem;
    base::TilePool& m_pool;
    method::MatchMap m_map;
};

/// The shortest runs of a candidate, of the turns with even and with odd numbers. Other programs
/// make runs longer, never shorter.
struct Shortest {
    double even = INFINITY;
    double odd = INFINITY;

    [[nodiscard]] double ms() const { return std::min(even, odd); }
};

using Times = std::map<std::string, Shortest>;

/// Times of every candidate that comes near the best, taken in turns.
Times timeAll(Contest& contest, const std::vector<method::Candidate>& all,
              const std::vector<method::Candidate>& always, int repeat) {
    std::map<std::string, double> first;
    double best = INFINITY;
    for (const method::Candidate& candidate : all) {
        (void)contest.run(candidate); // cold
        const double ms = std::min(contest.run(candidate), contest.run(candidate));
        first[methodText(candidate)] = ms;
        best = std::min(best, ms);
    }
    Times times;
    const int turns = std::max(2, best > kLongChoiceMs ? std::min(repeat, 3) : repeat);
    for (int turn = 0; turn < turns; ++turn) {
        for (const method::Candidate& candidate : all) {
            const bool near = first[methodText(candidate)] <= 1.6 * best ||
                              std::find(always.begin(), always.end(), candidate) != always.end();
            if (near) {
                (void)contest.run(candidate); // the buffers of another one are freed
                Shortest& shortest = times[methodText(candidate)];
                double& ms = turn % 2 == 0 ? shortest.even : shortest.odd;
                ms = std::min(ms, contest.run(candidate));
            }
        }
    }
    return times;
}

/// The best candidate by even turns. Its time is that of odd turns, as the chosen one's is: the
/// least of many noisy times would be too short.
Times::const_iterator bestOf(const Times& times) {
    return std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
        return a.second.even < b.second.even;
    });
}

/// Ratios of chosen to best.
struct Summary {
    std::vector<double> ratios;

    void print(const char* name) {
        const auto under = [&](double limit) {
            return 100.0 *
                   static_cast<double>(std::count_if(ratios.begin(), ratios.end(),
                                                     [&](double r) { return r < limit; })) /
                   static_cast<double>(ratios.size());
        };
        std::cout << "- " << name << ": geometric mean " << fixed(geometricMean(ratios), 3) << ", "
                  << fixed(under(1.25), 0) << " % under 1.25, " << fixed(under(1.3), 0)
                  << " % under 1.3, worst "
                  << fixed(*std::max_element(ratios.begin(), ratios.end()), 2) << "\n";
    }
};

} // namespace

json measureChoices(base::TilePool& pool, int repeat) {
    const plan::Knowledge& machine = machineKnowledge();
    std::cout << pool.threads() << " threads, " << (machine.model ? "calibrated" : "not calibrated")
              << ", shortest of " << repeat << "; ratios are to the best candidate of";
    for (const method::Method* method : plan::methods()) {
        std::cout << ' ' << method->name();
    }
    std::cout
        << "\n\n"
           "| scene | template | best | ms | measure | ratio | estimate | ratio | planned in, ms "
           "| again, ms | by estimate, ms "
           "|\n|---|---|---|---:|---|---:|---|---:|---:|---:|---:|\n";
    json rows = json::array();
    Summary measured;
    Summary estimated;
    for (const Sizes& sizes : problems()) {
        Contest contest(sizes, pool);
        const plan::PlanReport estimate = contest.plan(plan::Planning::Estimate, machine).report;
        const plan::Planned planned = contest.plan(plan::Planning::Measure, machine);
        const plan::PlanReport& measure = planned.report;
        plan::Knowledge seenBefore = machine;
        if (planned.learnt) {
            seenBefore.remember(*planned.learnt);
        }
        const double again = contest.plan(plan::Planning::Measure, seenBefore).report.planningMs;
        std::vector<method::Candidate> all;
        for (const plan::CandidateReport& row : estimate.candidates) {
            if (row.prediction) {
                all.push_back(row.candidate);
            }
        }
        const method::Candidate byEstimate = estimate.chosen()->candidate;
        const method::Candidate byMeasure = measure.chosen()->candidate;
        const Times times = timeAll(contest, all, {byEstimate, byMeasure}, repeat);
        const auto best = bestOf(times);
        const double bestMs = best->second.odd;
        if (bestMs < kLeastMs) {
            continue;
        }
        const double measureRatio = times.at(methodText(byMeasure)).odd / bestMs;
        const double estimateRatio = times.at(methodText(byEstimate)).odd / bestMs;
        measured.ratios.push_back(measureRatio);
        estimated.ratios.push_back(estimateRatio);
        std::cout << "| " << sizeText(sizes.scene) << " | " << sizeText(sizes.templ) << " | "
                  << best->first << " | " << fixed(bestMs, 2) << " | " << methodText(byMeasure)
                  << " | " << fixed(measureRatio, 2) << " | " << methodText(byEstimate) << " | "
                  << fixed(estimateRatio, 2) << " | " << fixed(measure.planningMs, 0) << " | "
                  << fixed(again, 2) << " | " << fixed(estimate.planningMs, 2) << " |\n"
                  << std::flush;
        json predicted = json::object();
        for (const plan::CandidateReport& row : estimate.candidates) {
            if (row.prediction && times.contains(methodText(row.candidate))) {
                predicted[methodText(row.candidate)] = row.prediction->ms;
            }
        }
        json shortest = json::object();
        for (const auto& [name, ms] : times) {
            shortest[name] = ms.ms();
        }
        json sampled = json::object();
        for (const plan::CandidateReport& row : measure.candidates) {
            if (row.measuredMs) {
                sampled[methodText(row.candidate)] = *row.measuredMs;
            }
        }
        rows.push_back({{"scene", sizeText(sizes.scene)},
                        {"template", sizeText(sizes.templ)},
                        {"best", best->first},
                        {"best_ms", bestMs},
                        {"measure", methodText(byMeasure)},
                        {"measure_ratio", measureRatio},
                        {"estimate", methodText(byEstimate)},
                        {"estimate_ratio", estimateRatio},
                        {"planning_ms", measure.planningMs},
                        {"planning_again_ms", again},
                        {"planning_estimate_ms", estimate.planningMs},
                        {"shortest_ms", shortest},
                        {"predicted_ms", predicted},
                        {"sampled_ms", sampled}});
    }
    std::cout << "\n" << rows.size() << " problems\n";
    measured.print("measure");
    estimated.print("estimate");
    return rows;
}

} // namespace flcc::bench
