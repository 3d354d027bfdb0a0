#include "engine/cpu/operation/weighted_values.h"

#include <type_traits>

#include "engine/base/finite.h"

namespace flcc::cpu {

using base::Index;
using base::Status;

bool WeightedValues::load(const GeneralRun& run, const OperationPrepared& templ,
                          const base::Box& out, const std::stop_token& stop, StageClock&) {
    m_run = &run;
    m_templ = &templ;
    m_first = seenBy(run.problem, out).corner;
    return !stop.stop_requested();
}

void WeightedValues::row(std::int64_t y, std::int64_t z, RowValues& to) {
    for (std::size_t x = 0; x < to.value.size(); ++x) {
        const Index corner{m_first.x + static_cast<std::int64_t>(x), m_first.y + y, m_first.z + z};
        method::OperationValue known;
        known.status = weightedStatus(*m_run, *m_templ, corner);
        known.bound = base::hasValue(known.status) ? RowValues::kUnknown : 0;
        to.set(x, known);
    }
}

Status weightedStatus(const GeneralRun& run, const OperationPrepared& prepared,
                      const Index& corner) {
    const method::MaskedView& scene = run.scene;
    const method::Problem& problem = run.problem;
    const SupportTemplate& templ = *prepared.weights();
    std::int64_t inside = 0;
    bool finite = true;
    std::visit(
        [&](const auto& pixels) {
            forInside(scene, templ.runs(), corner, [&](const Index&, const Index& at) {
                ++inside;
                finite = finite && base::finite(pixels.at(at));
                return true;
            });
        },
        scene.pixels);
    const auto count = static_cast<double>(templ.count());
    if (!method::isScored(static_cast<double>(inside), count, problem.outside,
                          problem.minOverlap)) {
        return Status::NotComputed;
    }
    if (!finite) {
        return Status::NonFinite;
    }
    const bool partial = inside < templ.count();
    const bool overlap = problem.outside == method::Outside::Overlap;
    if (isConstant(scene, templ.runs(), corner, partial && !overlap) ||
        (partial && overlap && isTemplateConstant(scene, templ, corner))) {
        return Status::Flat;
    }
    return partial ? Status::Partial : Status::Ok;
}

} // namespace flcc::cpu
