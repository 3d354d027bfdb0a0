#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/run/map_run.h"
#include "engine/method/method_on_device.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/masks.h"
#include "tests/engine/cuda/reduced_cases.h"
#include "tests/support/comparison.h"

/// Several templates on one scene, and ways to run them.
namespace flcc::test {

/// A scene and templates of one extent.
struct Bank {
    base::AnyImage scene;
    std::vector<base::AnyImage> templs;
    std::vector<Mask> masks{};
    Mask seen{}; ///< of the scene; without voxels all of it

    /// The template of a case, one of noise, others that were cut from the scene.
    static Bank of(const std::string& name, int count = 4) {
        ReducedCase own = caseOf(name);
        const base::Extents m = base::extentsOf(own.templ);
        const base::Extents n = base::extentsOf(own.scene);
        const base::PixelType type = base::pixelType(base::viewOf(own.scene));
        Bank bank{std::move(own.scene), {}};
        bank.templs.push_back(std::move(own.templ));
        Random random(31);
        while (std::ssize(bank.templs) < count) {
            base::AnyImage cut = crop(bank.scene, {random.corner(n, m), m});
            const bool noise = bank.templs.size() == 1;
            try {
                if (!noise) {
                    method::requireUsableTemplate(base::viewOf(cut));
                }
                bank.templs.push_back(noise ? test::noise(type, m, 17) : std::move(cut));
            } catch (const base::Error&) { // flat or with a hole: another one
            }
        }
        return bank;
    }
    [[nodiscard]] method::MaskedView view() const { return {base::viewOf(scene), seen.view()}; }
    [[nodiscard]] std::vector<method::MaskedView> views() const {
        std::vector<method::MaskedView> views;
        for (const base::AnyImage& templ : templs) {
            views.emplace_back(base::viewOf(templ));
            if (!masks.empty()) {
                views.back().mask = masks[views.size() - 1].view();
            }
        }
        return views;
    }
    [[nodiscard]] method::Problem problem(const Asked& asked = {}) const {
        method::Problem problem = problemOf(view(), views().front(), asked);
        const std::vector<method::MaskedView> all = views();
        problem.mask = std::any_of(all.begin(), all.end(), method::isMasked);
        problem.templates = static_cast<int>(templs.size());
        return problem;
    }
};

/// A way to run a bank, made ready.
struct Ready {
    Ready(const method::Method& by, const method::Problem& of, const Bank& bank,
          const base::Extents& tile)
        : method(by), problem(of), candidate(by.candidates(of, {2}, tile).front()),
          scene(bank.view()), views(bank.views()) {
        for (const method::MaskedView& templ : views) {
            prepared.push_back(method.prepare(problem, candidate, templ, pool));
        }
        workspace = method.makeWorkspace(problem, candidate);
    }

    [[nodiscard]] method::Prediction predicted() const {
        return std::get<method::Prediction>(method.predict(problem, candidate, {2}, {}, nullptr));
    }

    const method::Method& method;
    method::Problem problem;
    method::Candidate candidate;
    method::MaskedView scene;
    std::vector<method::MaskedView> views;
    method::PreparedTemplates prepared;
    std::unique_ptr<method::Workspace> workspace;
    base::TilePool pool{2};
};

/// A bank's run with its map.
struct Whole {
    explicit Whole(Ready& ready)
        : map(method::mapExtents(ready.problem), cuda::isDouble(ready.problem)),
          index(method::mapExtents(ready.problem), -1) {
        outcome = ready.method.executeBank(
            ready.problem, ready.candidate, ready.prepared, ready.scene, *ready.workspace,
            {ready.pool, {}, [this](const base::Box& box) { regions.push_back(box); }},
            {method::viewOf(map), index.view()});
    }

    method::MatchMap map;
    base::Image<std::int32_t> index;
    std::vector<base::Box> regions;
    method::Outcome outcome;
};

[[nodiscard]] inline method::Outcome reduced(Ready& ready, const method::Reduction& wanted) {
    return ready.method.onDevice()->reduce(ready.problem, ready.candidate, ready.prepared,
                                           ready.scene, *ready.workspace, {ready.pool, {}, {}},
                                           wanted);
}

[[nodiscard]] inline std::string difference(const Whole& a, const Whole& b) {
    const std::string bits = firstDifferentBit(a.map, b.map);
    if (!bits.empty()) {
        return bits;
    }
    if (!std::equal(a.index.data(), a.index.data() + a.index.count(), b.index.data())) {
        return "another template";
    }
    return same(a.outcome.facts, b.outcome.facts) ? "" : "other facts";
}

} // namespace flcc::test
