#include "engine/plan/detail/probe.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/median.h"
#include "engine/base/stopwatch.h"
#include "engine/method/match_map.h"
#include "engine/method/session.h"

namespace flcc::plan {

namespace {

base::Image<float> noise(const base::Extents& extents) {
    base::Image<float> image(extents);
    std::uint32_t state = 1;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        state = state * 1664525U + 1013904223U;
        // Voxels of few bits would take the exact integer paths, which are faster.
        image.data()[i] = static_cast<float>(state >> 8U) * 0x1.1p-24F;
    }
    return image;
}

} // namespace

double Probe::workNs() const {
    double sum = 0;
    for (const auto& [stage, ns] : stages) {
        sum += ns;
    }
    return sum;
}

Probe probe(const method::Method& method, const base::Extents& scene, const base::Extents& templ,
            const base::Extents& tile, int turns, base::TilePool& pool,
            const std::stop_token& stop) {
    const base::Image<float> image = noise(scene);
    const base::AnyView view = image.view();
    const base::Index corner{(scene.x - templ.x) / 3, (scene.y - templ.y) / 3,
                             (scene.z - templ.z) / 3};
    const base::AnyView templView = base::partOf(view, {corner, templ});
    Probe result;
    result.problem.scene = scene;
    result.problem.templ = templ;
    method::Limits limits;
    limits.threads = pool.threads();
    result.candidate = method.candidates(result.problem, limits, tile).front();
    method::Session session(method, result.problem, result.candidate);
    session.warmUp();
    method::MatchMap map(method::mapExtents(result.problem));
    result.outputs = static_cast<double>(map.value.count());
    std::vector<double> execute;
    std::vector<double> prepare;
    std::vector<double> make;
    std::map<std::string, std::vector<double>> stages;
    for (int turn = -1; turn < turns; ++turn) {
        base::Stopwatch watch;
        session.prepare({templView}, pool);
        const double prepareNs = watch.ns();
        watch = {};
        session.giveWorkspace(nullptr); // made anew
        session.makeWorkspace();
        double runNs = 0;
        double firstNs = 0;
        method::Outcome outcome;
        // A workspace may allocate its buffers in the first run. The difference between the first
        // run and the second is the time for that.
        for (int run = 0; run < 2; ++run) {
            outcome = session.run(view, {pool, stop, {}}, method::viewOf(map));
            if (outcome.cancelled || stop.stop_requested()) {
                result.stopped = true;
                return result;
            }
            (run == 0 ? firstNs : runNs) = watch.ns();
            watch = {};
        }
        if (turn < 0) {
            continue; // the first turn meets cold caches
        }
        execute.push_back(runNs);
        prepare.push_back(prepareNs);
        make.push_back(std::max(0.0, firstNs - runNs));
        for (const auto& [stage, ms] : outcome.stagesMs) {
            stages[stage].push_back(ms * 1e6);
        }
    }
    result.executeNs = base::median(std::move(execute));
    result.prepareNs = base::median(std::move(prepare));
    result.workspaceNs = base::median(std::move(make));
    for (auto& [stage, values] : stages) {
        result.stages[stage] = base::median(std::move(values));
    }
    return result;
}

} // namespace flcc::plan
