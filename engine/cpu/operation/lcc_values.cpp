#include "engine/cpu/operation/lcc_values.h"

#include <algorithm>
#include <cmath>

#include "engine/cpu/operation/weighted_values.h"
#include "engine/cpu/score/support_run.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Index;
using base::Status;
using method::Outside;

} // namespace

bool LccValues::load(const GeneralRun& run, const OperationPrepared& templ, const base::Box& out,
                     const std::stop_token& stop, StageClock& clock) {
    m_run = &run;
    m_templ = &templ;
    m_out = out;
    m_first = seenBy(run.problem, out).corner;
    m_flat.start(run, templ, out);
    m_overRange = 0;
    const bool done = m_sums.load(run, *templ.weights(), templ.spectra(), out, stop, clock);
    makeFrame();
    return done;
}

/// Fills m_frame with what the placements of the tile have in common.
void LccValues::makeFrame() {
    const SupportTemplate& templ = *m_templ->weights();
    const SupportFrame& loaded = m_sums.frame();
    const double tile = m_sums.tileError();
    const double panel = m_sums.panelError();
    const double count = templ.total();
    m_frame = {};
    m_frame.count = count;
    m_frame.rootCount = std::sqrt(count);
    m_frame.level = loaded.level;
    m_frame.unit = loaded.tile.unit;
    m_frame.perUnit = 1 / loaded.tile.unit;
    m_frame.integer = loaded.integer && !templ.weighted();
    m_frame.outside = m_run->problem.outside;
    m_frame.constant = method::shared::kNormedError;
    // A voxel is rounded once when it is loaded; its square has two roundings more.
    const auto roundings = [](double number) { return number * kUnitDouble; };
    method::shared::SumErrors& errors = m_frame.errors;
    errors.cnTile = tile * loaded.norm * templ.norm(Weights::That);
    errors.cnPanel = panel + roundings(2) + method::shared::kTemplateError;
    errors.s1Tile = tile * loaded.norm * templ.norm(Weights::Support);
    errors.s1Panel = panel + roundings(2);
    errors.s2Tile = tile * loaded.squareNorm * templ.norm(Weights::Support);
    // The sum of weights is rounded too, which D sees as s1^2 / W, at most s2.
    errors.s2Panel = panel + roundings(templ.weighted() ? 6 : 4);
    const double sumOfThat = std::sqrt(count); // an upper bound of the sum of |That|
    errors.t1Tile = tile * m_sums.insideNorm() * templ.norm(Weights::That) +
                    (panel + roundings(1) + method::shared::kTemplateError) * sumOfThat;
    errors.t2Tile = tile * m_sums.insideNorm() * templ.norm(Weights::Square) + panel +
                    roundings(2) + 2 * method::shared::kTemplateError;
}

// A copy of the frame that nothing written here can change stays in registers.
[[gnu::flatten]] void LccValues::row(std::int64_t y, std::int64_t z, RowValues& to) {
    const method::shared::PanelFrame frame = m_frame;
    for (std::int64_t x = 0; x < m_out.extents.x; ++x) {
        to.set(static_cast<std::size_t>(x), value({x, y, z}, frame));
    }
}

inline method::OperationValue LccValues::value(const Index& at,
                                               const method::shared::PanelFrame& frame) {
    const method::Problem& problem = m_run->problem;
    method::shared::PanelSums sums{m_sums.at(GeneralSums::kProducts, at),
                                   m_sums.at(GeneralSums::kPanel, at),
                                   m_sums.at(GeneralSums::kSquares, at),
                                   frame.count,
                                   0,
                                   1};
    const double inside = m_sums.inside(at);
    const bool whole = inside == m_sums.count();
    method::OperationValue result;
    if (!method::isScored(inside, m_sums.count(), problem.outside, problem.minOverlap)) {
        result.status = Status::NotComputed;
        return result;
    }
    if (m_sums.hasNonFinite(at)) {
        result.status = Status::NonFinite;
        return result;
    }
    if (!whole && m_templ->weights()->weighted()) {
        result.status = weightedStatus(*m_run, *m_templ,
                                       {m_first.x + at.x, m_first.y + at.y, m_first.z + at.z});
        result.bound = base::hasValue(result.status) ? RowValues::kUnknown : 0;
        return result;
    }
    if (!whole) { // for the whole template n is N, and these are 0 and 1 by definition
        sums.n = inside;
        sums.t1 = m_sums.at(GeneralSums::kTempl, at);
        sums.t2 =
            problem.outside == Outside::Overlap ? m_sums.at(GeneralSums::kTemplSquares, at) : 1;
    }
    const method::shared::PanelScore score = scorePanel(sums, frame);
    if (score.open && m_flat.isFlat(at, whole)) {
        result.status = Status::Flat;
        return result;
    }
    const double stored = problem.precision == method::Precision::Single ? kUnitSingle : 0;
    m_overRange += std::abs(score.value) - 1 > score.bound + stored ? 1 : 0;
    result.value = std::clamp(score.value, -1.0, 1.0);
    result.bound = score.bound;
    result.status = whole ? Status::Ok : Status::Partial;
    return result;
}

} // namespace flcc::cpu
