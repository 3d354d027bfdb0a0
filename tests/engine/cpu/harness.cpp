#include "tests/engine/cpu/harness.h"

#include <algorithm>
#include <cmath>

#include "engine/plan/planner.h"
#include "engine/reference/exact_lcc.h"
#include "engine/reference/lcc.h"
#include "tests/support/comparison.h"

namespace flcc::test {

namespace {

constexpr int kThreads = 2;

base::TilePool& sharedPool() {
    static base::TilePool pool(kThreads);
    return pool;
}

bool exactlyJudged(const base::AnyImage& image) {
    return base::isInteger(base::pixelType(image)) &&
           base::bytesPerVoxel(base::pixelType(image)) <= 4;
}

std::string described(const Way& way, const base::AnyImage& scene, const base::AnyImage& templ,
                      const std::string& fault) {
    return fault.empty() ? fault
                         : way.words() + ", template " + base::toString(base::extentsOf(templ)) +
                               " in " + base::toString(base::extentsOf(scene)) + " " +
                               std::string(base::name(base::pixelType(scene))) + ": " + fault;
}

MethodRun runShared(const Way& way, const base::AnyImage& scene, const base::AnyImage& templ) {
    RunOptions options;
    options.pool = &sharedPool();
    return runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
}

/// Where recomputing is on nothing is LOWCONF.
std::string promiseFault(const Way& way, const MethodRun& run) {
    const std::int64_t marked =
        run.outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
    return way.recompute && marked > 0 ? std::to_string(marked) + " voxels are LOWCONF" : "";
}

/// The scores in double of a run in double: within the bound its outcome tells.
std::string exactFault(const MethodRun& run, const reference::ScoreMap& expected) {
    const base::Image<double>& exact = run.map.exact;
    const double allowed =
        std::max(run.outcome.facts.largestBound, run.outcome.facts.largestLowConf) + 1e-11;
    for (std::int64_t i = 0; i < exact.count(); ++i) {
        const double error = std::fabs(exact.data()[i] - expected.value.data()[i]);
        if (!(error <= allowed) || static_cast<float>(exact.data()[i]) != run.map.value.data()[i]) {
            return "score " + std::to_string(i) + " in double is off by " + std::to_string(error) +
                   " or differs from the float beside it";
        }
    }
    return {};
}

} // namespace

std::vector<Way> waysFor(const base::AnyImage& scene, const base::AnyImage& templ,
                         const base::Extents& tile) {
    std::vector<Way> ways = acceptedWays(
        plan::methods(), problemOf(base::viewOf(scene), base::viewOf(templ)), kThreads, tile);
    std::vector<Way> more;
    const method::Method* last = nullptr;
    for (const Way& way : ways) {
        if (way.method != last) { // one candidate of each method in the other modes
            more.push_back({way.method, way.candidate, method::Precision::Double, true});
            more.push_back({way.method, way.candidate, method::Precision::Double, false});
            more.push_back({way.method, way.candidate, method::Precision::Single, false});
        }
        last = way.method;
    }
    ways.insert(ways.end(), more.begin(), more.end());
    return ways;
}

reference::ScoreMap judged(const base::AnyImage& scene, const base::AnyImage& templ) {
    if (exactlyJudged(scene) && exactlyJudged(templ)) {
        return reference::ExactLcc(base::viewOf(templ)).map(base::viewOf(scene));
    }
    return reference::Lcc(base::viewOf(templ)).map(base::viewOf(scene));
}

std::string judge(const Way& way, const base::AnyImage& scene, const base::AnyImage& templ,
                  const reference::ScoreMap& expected) {
    const MethodRun run = runShared(way, scene, templ);
    std::string fault = runFault(run);
    fault = fault.empty() ? promiseFault(way, run) : fault;
    fault = fault.empty() ? exactFault(run, expected) : fault;
    if (!fault.empty()) {
        return described(way, scene, templ, fault);
    }
    const base::AnyView view = base::viewOf(scene);
    const Tolerance tolerance(problemOf(view, base::viewOf(templ)), way.candidate, view);
    return described(way, scene, templ, mapFault(run, expected, tolerance));
}

std::string judgeAll(const base::AnyImage& scene, const base::AnyImage& templ,
                     const base::Extents& tile) {
    const std::vector<Way> ways = waysFor(scene, templ, tile);
    const reference::ScoreMap expected = judged(scene, templ);
    for (const Way& way : ways) {
        std::string fault = judge(way, scene, templ, expected);
        if (!fault.empty()) {
            return fault;
        }
    }
    return ways.empty() ? "no method accepts the problem" : "";
}

std::string judgeSampled(const base::AnyImage& scene, const base::AnyImage& templ,
                         const std::vector<base::Index>& places, int count) {
    const base::AnyView view = base::viewOf(scene);
    std::vector<base::Index> samples = places;
    Random random(count > 0 ? static_cast<std::uint64_t>(count) : 1);
    for (int i = 0; i < count; ++i) {
        samples.push_back(random.corner(base::extentsOf(scene), base::extentsOf(templ)));
    }
    const bool exact = exactlyJudged(scene) && exactlyJudged(templ);
    std::vector<reference::Score> expected;
    for (const base::Index& corner : samples) {
        expected.push_back(exact ? reference::ExactLcc(base::viewOf(templ)).at(view, corner)
                                 : reference::Lcc(base::viewOf(templ)).at(view, corner));
    }
    const std::vector<Way> ways = waysFor(scene, templ);
    for (const Way& way : ways) {
        const MethodRun run = runShared(way, scene, templ);
        std::string fault = runFault(run);
        fault = fault.empty() ? promiseFault(way, run) : fault;
        const Tolerance tolerance(problemOf(view, base::viewOf(templ)), way.candidate, view);
        Comparison comparison;
        for (std::size_t i = 0; fault.empty() && i < samples.size(); ++i) {
            fault = compareVoxel(run.map, expected[i], tolerance, samples[i], comparison);
        }
        fault = fault.empty() ? boundFault(run, comparison) : fault;
        if (!fault.empty()) {
            return described(way, scene, templ, fault);
        }
    }
    return ways.empty() ? "no method accepts the problem" : "";
}

const std::vector<base::PixelType>& kernelTypes() {
    static const std::vector<base::PixelType> types{base::PixelType::UInt8, base::PixelType::Int16,
                                                    base::PixelType::UInt16,
                                                    base::PixelType::Float32};
    return types;
}

} // namespace flcc::test
