#include "engine/selftest/detail/judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/reference/panel.h"
#include "engine/selftest/detail/comparison.h"
#include "engine/selftest/detail/scenes.h"

namespace flcc::selftest {

namespace {

/// value = sign * magnitude * 2^exponent with an odd magnitude; empty for 0, NaN and Inf.
struct Dyadic {
    std::int64_t value;
    int exponent;
};
std::optional<Dyadic> dyadic(double voxel) {
    if (voxel == 0 || !std::isfinite(voxel)) {
        return std::nullopt;
    }
    int exponent = 0;
    const auto whole = static_cast<std::int64_t>(std::scalbn(std::frexp(voxel, &exponent), 53));
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(whole));
    return Dyadic{whole / (std::int64_t{1} << zeros), exponent - 53 + zeros};
}

/// The voxels times a power of two that makes all of them integers, with 0 for NaN and Inf. Empty
/// if 62 bits are too few or the voxels are integers already.
std::optional<base::AnyImage> integerTwin(const base::AnyView& view) {
    if (base::isInteger(base::pixelType(view))) {
        return std::nullopt;
    }
    const base::AnyImage image = base::copyOf(view);
    return std::visit(
        [](const auto& typed) -> std::optional<base::AnyImage> {
            int lowest = std::numeric_limits<int>::max();
            int highest = std::numeric_limits<int>::min();
            for (std::int64_t i = 0; i < typed.count(); ++i) {
                const auto voxel = static_cast<double>(typed.data()[i]);
                if (const auto part = dyadic(voxel)) {
                    lowest = std::min(lowest, part->exponent);
                    highest = std::max(highest, std::ilogb(voxel));
                }
            }
            if (lowest < highest && highest - lowest > 60) {
                return std::nullopt;
            }
            base::Image<std::int64_t> twin(typed.extents(), 0);
            for (std::int64_t i = 0; i < typed.count(); ++i) {
                if (const auto part = dyadic(static_cast<double>(typed.data()[i]))) {
                    twin.data()[i] = part->value * (std::int64_t{1} << (part->exponent - lowest));
                }
            }
            return base::AnyImage(std::move(twin));
        },
        image);
}

std::string described(const Way& way, const method::MaskedView& scene,
                      const method::MaskedView& templ, const std::string& fault) {
    return fault.empty()
               ? fault
               : way.words() + ", template " + base::toString(templ.extents()) + " in " +
                     base::toString(scene.extents()) + " " +
                     std::string(base::name(base::pixelType(scene.pixels))) + ": " + fault;
}

/// Where recomputing is on nothing is LOWCONF.
std::string promiseFault(const Way& way, const MethodRun& run) {
    const std::int64_t marked =
        run.outcome.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
    return way.recompute && marked > 0 ? std::to_string(marked) + " voxels are LOWCONF" : "";
}

/// The largest bound that a run reports; that of its doubles if it has them.
double largestBoundOf(const MethodRun& run) {
    return std::max(run.outcome.facts.largestBound, run.outcome.facts.largestLowConf);
}

/// Checks the doubles of a run in double against the bound that its outcome reports.
void judgeExact(const MethodRun& run, const reference::ScoreMap& expected, Finding& finding) {
    const base::Image<double>& exact = run.map.exact;
    const double allowed = largestBoundOf(run) + 1e-11; // expected may be in double itself
    double worst = 0;
    for (std::int64_t i = 0; i < exact.count() && finding.fault.empty(); ++i) {
        const double error = std::fabs(exact.data()[i] - expected.value.data()[i]);
        worst = std::max(worst, error);
        if (!(error <= allowed) || static_cast<float>(exact.data()[i]) != run.map.value.data()[i]) {
            std::ostringstream words;
            words.precision(17);
            words << "score " << i << " in double is " << exact.data()[i] << ", expected "
                  << expected.value.data()[i] << ", off by " << error << " where " << allowed
                  << " is allowed; the float beside it is " << run.map.value.data()[i];
            finding.fault = words.str();
        }
    }
    if (!exact.empty()) {
        finding.largestError = worst;
        finding.overBound = worst / allowed;
    }
}

void addErrors(const MethodRun& run, const Comparison& found, Finding& finding) {
    const auto over = [](double error, double bound) { return error > 0 ? error / bound : 0.0; };
    const double rounding = run.map.exact.empty() ? 0.0 : 0x1p-24;
    finding.largestError = std::max(found.worstOk, found.worstLowConf);
    finding.overBound =
        std::max(over(found.worstOk, run.outcome.facts.largestBound + rounding),
                 over(found.worstLowConf, run.outcome.facts.largestLowConf + rounding));
}

} // namespace

Expected::Expected(const method::MaskedView& scene, const method::MaskedView& templ,
                   const Asked& asked)
    : m_scene(scene), m_templ(templ.extents()), m_asked(asked), m_twin(integerTwin(scene.pixels)),
      m_twinScene(m_twin ? base::viewOf(*m_twin) : scene.pixels, scene.mask),
      m_double(templ, asked.outside, asked.minOverlap) {
    const std::optional<base::AnyImage> other = integerTwin(templ.pixels);
    const bool possible = !method::hasWeights(templ) &&
                          (m_twin || base::isInteger(base::pixelType(scene.pixels))) &&
                          (other || base::isInteger(base::pixelType(templ.pixels)));
    try {
        if (possible) {
            m_exact.emplace(
                method::MaskedView(other ? base::viewOf(*other) : templ.pixels, templ.mask),
                asked.outside, asked.minOverlap);
        }
    } catch (const base::Error&) { // more than 128 bits
        m_exact.reset();
    }
}

reference::Score Expected::at(const base::Index& corner) const {
    const base::Status status = m_double.statusAt(m_scene, corner); // of the stored voxels
    if (!base::hasValue(status)) {
        return {0, status};
    }
    try {
        if (m_exact) {
            return m_exact->at(m_twinScene, corner);
        }
    } catch (const base::Error&) { // as above, for this panel
    }
    m_exactSoFar = false;
    return m_double.at(m_scene, corner);
}

reference::ScoreMap Expected::map() const {
    return reference::scoreAll(reference::placementsOf(m_scene, m_templ, m_asked.extent),
                               [&](const base::Index& corner) { return at(corner); });
}

Samples samplesOf(const method::MaskedView& scene, const method::MaskedView& templ,
                  const std::vector<base::Index>& places, int count) {
    Samples samples;
    samples.corners = places;
    Random random(count > 0 ? static_cast<std::uint64_t>(count) : 1);
    for (int i = 0; i < count; ++i) {
        samples.corners.push_back(random.corner(scene.extents(), templ.extents()));
    }
    const Expected expected(scene, templ);
    for (const base::Index& corner : samples.corners) {
        samples.scores.push_back(expected.at(corner));
    }
    return samples;
}

Judge::Judge(std::vector<const method::Method*> methods, int threads)
    : m_methods(std::move(methods)), m_pool(threads) {}

std::vector<Way> Judge::waysFor(const method::MaskedView& scene, const method::MaskedView& templ,
                                const base::Extents& tile, const Asked& asked) const {
    std::vector<Way> ways =
        acceptedWays(m_methods, problemOf(scene, templ, asked), m_pool.threads(), tile);
    // Of the numbers of parts that a method proposes, the least and the most.
    for (std::size_t i = ways.size(); i-- > 0;) {
        const auto inParts = [&](std::size_t at) {
            return at < ways.size() && ways[at].method == ways[i].method &&
                   ways[at].candidate.parts > 0;
        };
        if (inParts(i - 1) && inParts(i) && inParts(i + 1)) {
            ways.erase(ways.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    const method::Problem problem = problemOf(scene, templ, asked);
    std::vector<Way> more;
    const auto add = [&](const Way& way) { // a method may refuse a mode
        const method::Limits limits{.threads = m_pool.threads()};
        const method::Verdict verdict =
            way.method->predict(way.of(problem), way.candidate, limits, {}, nullptr);
        if (std::holds_alternative<method::Prediction>(verdict)) {
            more.push_back(way);
        }
    };
    const method::Method* last = nullptr;
    for (const Way& way : ways) {
        if (way.method != last) { // one candidate of each method in the other modes
            add({way.method, way.candidate, method::Precision::Double, true, way.promise, asked});
            add({way.method, way.candidate, method::Precision::Double, false, way.promise, asked});
            add({way.method, way.candidate, method::Precision::Single, false, way.promise, asked});
        }
        last = way.method;
    }
    ways.insert(ways.end(), more.begin(), more.end());
    return ways;
}

std::vector<Way> Judge::operationWays(const method::MaskedView& scene,
                                      const method::MaskedView& templ, const Asked& asked) const {
    std::vector<Way> ways;
    for (const method::Method* method : m_methods) {
        // Two tiles of each: finish and bounds are the same for all.
        std::vector<Way> all =
            acceptedWays({method}, problemOf(scene, templ, asked), m_pool.threads());
        all.resize(std::min<std::size_t>(all.size(), 2));
        ways.insert(ways.end(), all.begin(), all.end());
        if (!all.empty() && all.front().precision == method::Precision::Single) {
            ways.push_back(all.front());
            ways.back().precision = method::Precision::Double;
        }
    }
    return ways;
}

Finding Judge::judge(const Way& way, const method::MaskedView& scene,
                     const method::MaskedView& templ, const reference::MatchOperation& definition,
                     const reference::ScoreMap& expected) {
    const MethodRun run = this->run(way, scene, templ);
    Finding finding;
    finding.fault = runFault(run);
    finding.fault = finding.fault.empty() ? promiseFault(way, run) : finding.fault;
    const base::Index first = method::firstPlacement(way.of(problemOf(scene, templ)));
    const base::Extents& map = run.map.value.extents();
    for (std::int64_t i = 0; finding.fault.empty() && i < run.map.value.count(); ++i) {
        const base::Index at{i % map.x, i / map.x % map.y, i / (map.x * map.y)};
        const double value = run.map.exact.empty() ? static_cast<double>(run.map.value.data()[i])
                                                   : run.map.exact.data()[i];
        const double error = std::fabs(value - expected.value.data()[i]);
        const double allowed =
            largestBoundOf(run) +
            definition.errorAt(scene, {at.x + first.x, at.y + first.y, at.z + first.z});
        finding.largestError = std::max(finding.largestError, error);
        finding.overBound = std::max(finding.overBound, error > 0 ? error / allowed : 0.0);
        const bool sameStatus = run.map.status.data()[i] == expected.status.data()[i];
        if (!sameStatus || !(error <= allowed)) {
            std::ostringstream words;
            words.precision(17);
            words << "voxel " << base::toString(at) << " is " << value << " "
                  << base::name(run.map.status.data()[i]) << ", expected "
                  << expected.value.data()[i] << " " << base::name(expected.status.data()[i])
                  << ", where " << allowed << " is allowed";
            finding.fault = words.str();
        }
    }
    finding.fault = described(way, scene, templ, finding.fault);
    return finding;
}

MethodRun Judge::run(const Way& way, const method::MaskedView& scene,
                     const method::MaskedView& templ) {
    RunOptions options;
    options.pool = &m_pool;
    return runMethod(way, scene, templ, options);
}

Finding Judge::judge(const Way& way, const method::MaskedView& scene,
                     const method::MaskedView& templ, const reference::ScoreMap& expected) {
    const MethodRun run = this->run(way, scene, templ);
    Finding finding;
    finding.fault = runFault(run);
    finding.fault = finding.fault.empty() ? promiseFault(way, run) : finding.fault;
    if (finding.fault.empty()) {
        const Tolerance tolerance(problemOf(scene, templ, way.asked), way.candidate, scene);
        const Comparison found = compare(run.map, expected, tolerance);
        addErrors(run, found, finding);
        finding.fault = found.fault.empty() ? boundFault(run, found) : found.fault;
    }
    judgeExact(run, expected, finding);
    finding.fault = described(way, scene, templ, finding.fault);
    return finding;
}

Finding Judge::judge(const Way& way, const method::MaskedView& scene,
                     const method::MaskedView& templ, const Samples& expected) {
    const MethodRun run = this->run(way, scene, templ);
    Finding finding;
    finding.fault = runFault(run);
    finding.fault = finding.fault.empty() ? promiseFault(way, run) : finding.fault;
    const Tolerance tolerance(problemOf(scene, templ, way.asked), way.candidate, scene);
    Comparison found;
    for (std::size_t i = 0; finding.fault.empty() && i < expected.corners.size(); ++i) {
        finding.fault =
            compareVoxel(run.map, expected.scores[i], tolerance, expected.corners[i], found);
    }
    finding.fault = finding.fault.empty() ? boundFault(run, found) : finding.fault;
    addErrors(run, found, finding);
    finding.fault = described(way, scene, templ, finding.fault);
    return finding;
}

} // namespace flcc::selftest
