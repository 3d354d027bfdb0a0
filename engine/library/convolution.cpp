#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/geometry.h"
#include "engine/base/tile_pool.h"
#include "engine/filter/planner.h"
#include "engine/library/detail/choices.h"
#include "engine/library/detail/guard.h"

namespace flcc::library {

using base::Error;
using base::ErrorCode;

namespace {

/// Why a plan has no chosen candidate.
Error refusalOf(const filter::Plan& plan) {
    std::string reasons;
    bool memory = false;
    for (const method::CandidateReport& row : plan.candidates) {
        memory = memory || row.forMemory;
        const std::string reason = row.candidate.label() + ": " + row.reason;
        if (reasons.find(reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
    }
    return memory ? Error(ErrorCode::Memory, "no method fits the memory limit (" + reasons + ")")
                  : Error(ErrorCode::Problem, "no method can do this: " + reasons);
}

/// A kind of kernel and the candidate for it, or why there is none.
struct Decision {
    std::optional<method::Candidate> candidate;
    std::optional<Error> refusal;
};

filter::Wanted::Timing timingOf(plan::Planning planning) {
    using Timing = filter::Wanted::Timing;
    return planning == plan::Planning::Estimate  ? Timing::None
           : planning == plan::Planning::Measure ? Timing::Sample
                                                 : Timing::Whole;
}

} // namespace

/// What flcc_conv points to.
class Convolution {
  public:
    Convolution(const flcc_extents& scene, const flcc_extents& kernel, const flcc_options* options)
        : m_choices(choicesOf(options)), m_pool(m_choices.limits.threads) {
        m_problem = {.scene = extentsOf(scene, "scene"),
                     .scenePixel = m_choices.scenePixel,
                     .kernel = {},
                     .extent = m_choices.extent.value_or(method::Extent::Same),
                     .border = m_choices.border.value_or(filter::Border::Zero),
                     .precision = m_choices.precision};
        if (m_choices.kernel) {
            m_kernel.emplace(
                filter::kernelByName(*m_choices.kernel, m_problem.scene, base::Geometry{}));
            m_problem.kernel = m_kernel->extents();
        } else {
            m_problem.kernel = extentsOf(kernel, "kernel");
        }
        requirePossible(filter::resultExtents(m_problem), "result");
        plan();
    }

    [[nodiscard]] base::Extents extents() const { return filter::resultExtents(m_problem); }

    void execute(const void* scenes, const void* weights, void* results) {
        if (weights != nullptr) {
            takeKernel(weights, imageAt(scenes, m_problem.scenePixel, m_problem.scene));
        } else if (!m_kernel) {
            throw Error(ErrorCode::CommandLine,
                        "argument kernel is a null pointer, but no call before gave weights");
        }
        if (m_problem.precision == method::Precision::Single) {
            run(scenes, static_cast<float*>(results));
        } else {
            run(scenes, static_cast<double*>(results));
        }
    }

  private:
    // Weights are known when the plan is run only. So random ones are planned: such that no method
    // can use their structure, and an outer product, which method separable can use.
    void plan() {
        const bool timed = m_choices.planning != plan::Planning::Estimate;
        const base::AnyImage scene =
            randomImage(m_problem.scenePixel, timed ? m_problem.scene : base::Extents{1, 1, 1}, 1);
        if (m_kernel) {
            m_general = decide(*m_kernel, base::viewOf(scene));
            if (m_general.refusal) {
                throw Error(*m_general.refusal);
            }
            return;
        }
        const base::Extents& m = m_problem.kernel;
        const base::AnyImage weights = randomImage(base::PixelType::Float64, m, 2);
        base::Image<double> product(m);
        const base::View<const double> taps = std::get<base::Image<double>>(weights).view();
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                for (std::int64_t x = 0; x < m.x; ++x) {
                    product.view().at(x, y, z) =
                        taps.at(x, 0, 0) * taps.at(0, y, 0) * taps.at(0, 0, z);
                }
            }
        }
        const auto kernelOf = [&](const base::AnyView& of) {
            return filter::Kernel("of random weights", of, m_problem.precision);
        };
        m_general = decide(kernelOf(base::viewOf(weights)), base::viewOf(scene));
        m_separable = decide(kernelOf(product.view()), base::viewOf(scene));
        if (m_general.refusal && m_separable.refusal) {
            throw Error(*m_general.refusal);
        }
    }

    [[nodiscard]] Decision decide(const filter::Kernel& kernel, const base::AnyView& scene) {
        const filter::Plan plan = filter::makePlan(
            m_problem, kernel, m_choices.limits, {},
            {.method = m_choices.method, .timing = timingOf(m_choices.planning)}, scene, m_pool);
        if (plan.chosen() == nullptr) {
            return {.candidate = {}, .refusal = refusalOf(plan)};
        }
        return {.candidate = plan.chosen()->candidate, .refusal = {}};
    }

    void takeKernel(const void* weights, const base::AnyView& scene) {
        if (m_choices.kernel) {
            throw Error(ErrorCode::CommandLine, "the plan is for the kernel \"" +
                                                    *m_choices.kernel +
                                                    "\"; pass NULL instead of weights");
        }
        filter::Kernel kernel("of the call",
                              imageAt(weights, m_choices.templPixel, m_problem.kernel),
                              m_problem.precision);
        const Decision& decision = kernel.terms().empty() ? m_general : m_separable;
        if (decision.refusal) {
            throw Error(*decision.refusal);
        }
        // That the candidate takes these weights too.
        const filter::Plan checked = filter::makePlan(
            m_problem, kernel, m_choices.limits, {},
            {.candidate = decision.candidate, .timing = filter::Wanted::Timing::None}, scene,
            m_pool);
        if (checked.chosen() == nullptr) {
            throw refusalOf(checked);
        }
        m_kernel.emplace(std::move(kernel));
    }

    template <class Real> void run(const void* scenes, Real* results) {
        const Decision& decision =
            m_choices.kernel || m_kernel->terms().empty() ? m_general : m_separable;
        const base::Extents extents = filter::resultExtents(m_problem);
        const std::int64_t count = base::voxelCount(extents);
        for (std::int64_t i = 0; i < m_choices.scenes; ++i) {
            const base::AnyView scene = imageAt(scenes, m_problem.scenePixel, m_problem.scene, i);
            (void)filter::convolveTo(m_problem, *m_kernel, *decision.candidate, scene,
                                     base::View<Real>(results + i * count, extents), m_pool);
        }
    }

    Choices m_choices;
    base::TilePool m_pool;
    filter::Problem m_problem;
    std::optional<filter::Kernel> m_kernel; ///< by name, or of the last call
    Decision m_general;
    Decision m_separable;
};

} // namespace flcc::library

struct flcc_conv {
    flcc::library::Convolution convolution;
};

flcc_code conv_plan(flcc_conv** plan, flcc_extents scene, flcc_extents kernel,
                    const flcc_options* options) {
    return flcc::library::guarded([&] {
        flcc::library::requirePointer(plan, "plan");
        *plan = nullptr;
        *plan = new flcc_conv{flcc::library::Convolution(scene, kernel, options)};
    });
}

flcc_extents conv_extents(const flcc_conv* plan) {
    return plan == nullptr ? flcc_extents{0, 0, 0}
                           : flcc::library::extentsOf(plan->convolution.extents());
}

flcc_code conv_exec(flcc_conv* plan, const void* scenes, const void* kernel, void* results) {
    return flcc::library::guarded([&] {
        flcc::library::requirePointer(plan, "plan");
        flcc::library::requirePointer(scenes, "scenes");
        flcc::library::requirePointer(results, "results");
        plan->convolution.execute(scenes, kernel, results);
    });
}

void conv_destroy(flcc_conv* plan) { delete plan; }
