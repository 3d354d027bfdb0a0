#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/library/detail/choices.h"
#include "engine/library/detail/guard.h"
#include "engine/plan/planner.h"

namespace flcc::library {

using base::Error;
using base::ErrorCode;

namespace {

/// Why a plan has no chosen candidate.
Error refusalOf(const plan::PlanReport& report) {
    method::Limits unlimited = report.limits;
    unlimited.memoryBytes = INT64_MAX;
    std::string reasons;
    bool memory = false;
    for (const plan::CandidateReport& row : report.candidates) {
        const method::Method* const method = plan::methodOf(row.candidate);
        memory = memory ||
                 (method != nullptr && std::holds_alternative<method::Prediction>(method->predict(
                                           report.problem, row.candidate, unlimited, {}, nullptr)));
        const std::string reason = row.candidate.label() + ": " + row.reason;
        if (reasons.find(reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
    }
    return memory ? Error(ErrorCode::Memory, "no method fits the memory limit (" + reasons + ")")
                  : Error(ErrorCode::Problem, "no method can do this: " + reasons);
}

} // namespace

/// What flcc_lcorr points to.
class Correlation {
  public:
    Correlation(const flcc_extents& scene, const flcc_extents& templ, const flcc_options* options)
        : m_choices(choicesOf(options)) {
        if (m_choices.border || m_choices.kernel) {
            throw Error(ErrorCode::CommandLine,
                        std::string(m_choices.border ? "border" : "kernel") +
                            " is for convolutions only; leave it NULL for LCC");
        }
        m_problem.extent = m_choices.extent.value_or(method::Extent::Valid);
        m_problem.scene = extentsOf(scene, "scene");
        m_problem.templ = extentsOf(templ, "template");
        m_problem.scenePixel = m_choices.scenePixel;
        m_problem.templPixel = m_choices.templPixel;
        m_problem.precision = m_choices.precision;
        if (base::voxelCount(m_problem.templ) < 2) {
            throw Error(ErrorCode::Problem, "the template has one voxel, which is constant; LCC "
                                            "needs at least two voxels");
        }
        requirePossible(method::mapExtents(m_problem), "map of scores");
        plan();
        m_pool = std::make_unique<base::TilePool>(m_plan->candidate().threads);
        m_session = m_plan->session();
        m_session.warmUp();
        m_session.makeWorkspace();
    }

    [[nodiscard]] base::Extents extents() const { return method::mapExtents(m_problem); }

    void execute(const void* scenes, const void* templ, void* scores, std::uint8_t* status) {
        if (templ != nullptr) {
            m_session.prepare({imageAt(templ, m_problem.templPixel, m_problem.templ)}, *m_pool);
        } else if (!m_session.isPrepared()) {
            throw Error(ErrorCode::CommandLine,
                        "argument templ is a null pointer, but no call before gave a template");
        }
        const base::Extents map = extents();
        const std::int64_t count = base::voxelCount(map);
        const bool inDouble = m_problem.precision == method::Precision::Double;
        if (inDouble && m_scores.empty()) {
            m_scores = base::Image<float>(map);
        }
        if (status == nullptr && m_statuses.empty()) {
            m_statuses = base::Image<base::Status>(map);
        }
        for (std::int64_t i = 0; i < m_choices.scenes; ++i) {
            method::MapView to;
            to.value = inDouble ? m_scores.view()
                                : base::View<float>(static_cast<float*>(scores) + i * count, map);
            if (inDouble) {
                to.exact = base::View<double>(static_cast<double*>(scores) + i * count, map);
            }
            // A status is one byte with the value of its enumerator.
            to.status = status == nullptr
                            ? m_statuses.view()
                            : base::View<base::Status>(
                                  reinterpret_cast<base::Status*>(status) + i * count, map);
            (void)m_session.run(imageAt(scenes, m_problem.scenePixel, m_problem.scene, i),
                                {.pool = *m_pool, .stop = {}, .regionFinished = {}}, to);
        }
    }

  private:
    void plan() {
        base::TilePool pool(m_choices.limits.threads);
        plan::Request request;
        request.planning = m_choices.planning;
        request.limits = m_choices.limits;
        request.method = m_choices.method;
        request.device = method::kProcessor; // what a GPU computes is verified by jobs only
        plan::Planned planned;
        if (m_choices.planning == plan::Planning::Estimate) {
            planned = plan::makePlan(m_problem, request, nullptr, nullptr, nullptr, pool);
        } else {
            const base::AnyImage scene = randomImage(m_problem.scenePixel, m_problem.scene, 1);
            const base::AnyImage templ = randomImage(m_problem.templPixel, m_problem.templ, 2);
            const method::MaskedView pixels(scene);
            const method::MaskedView wanted(templ);
            const method::SceneStatistics statistics =
                method::sceneStatistics(pixels, m_problem.templ);
            planned = plan::makePlan(m_problem, request, &pixels, &wanted, &statistics, pool);
        }
        if (!planned.plan) {
            throw refusalOf(planned.report);
        }
        m_plan = std::move(planned.plan);
    }

    Choices m_choices;
    method::Problem m_problem;
    std::shared_ptr<const plan::Plan> m_plan;
    std::unique_ptr<base::TilePool> m_pool;
    method::Session m_session;            ///< with the template of the last call
    base::Image<float> m_scores;          ///< beside those in double
    base::Image<base::Status> m_statuses; ///< where the caller wants none
};

} // namespace flcc::library

struct flcc_lcorr {
    flcc::library::Correlation correlation;
};

flcc_code lcorr_plan(flcc_lcorr** plan, flcc_extents scene, flcc_extents templ,
                     const flcc_options* options) {
    return flcc::library::guarded([&] {
        flcc::library::requirePointer(plan, "plan");
        *plan = nullptr;
        *plan = new flcc_lcorr{flcc::library::Correlation(scene, templ, options)};
    });
}

flcc_extents lcorr_extents(const flcc_lcorr* plan) {
    return plan == nullptr ? flcc_extents{0, 0, 0}
                           : flcc::library::extentsOf(plan->correlation.extents());
}

flcc_code lcorr_exec(flcc_lcorr* plan, const void* scenes, const void* templ, void* scores,
                     uint8_t* status) {
    return flcc::library::guarded([&] {
        flcc::library::requirePointer(plan, "plan");
        flcc::library::requirePointer(scenes, "scenes");
        flcc::library::requirePointer(scores, "scores");
        plan->correlation.execute(scenes, templ, scores, status);
    });
}

void lcorr_destroy(flcc_lcorr* plan) { delete plan; }
