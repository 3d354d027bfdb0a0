#include "engine/cpu/operation/operation_sums.h"

#include <algorithm>
#include <cmath>

namespace flcc::cpu {

namespace {

using base::Index;
using base::Status;
using method::Bounded;
using method::Outside;
using method::Quantities;

constexpr double kSumUnit = 0x1p-53;

/// The most that the exponents of both sides may differ in squares that are compared.
constexpr int kMostApart = 900;

} // namespace

bool OperationSums::load(const GeneralRun& run, const OperationPrepared& templ,
                         const base::Box& out, const std::stop_token& stop, StageClock& clock) {
    m_problem = &run.problem;
    m_templ = &templ;
    const bool done = m_sums.load(run, *templ.weights(), templ.spectra(), out, stop, clock);
    m_whole = templ.templ().isInteger(run.problem.scenePixel);
    makeFrame();
    decideExact();
    return done;
}

/// Fills m_level with what the placements of the tile have in common.
void OperationSums::makeFrame() {
    const SupportTemplate& weights = *m_templ->weights();
    const auto count = static_cast<double>(weights.count());
    const double root = std::sqrt(weights.total());
    const SupportFrame& loaded = m_sums.frame();
    const double tile = m_sums.tileError();
    // The units of P and T: 1 for whole numbers, else powers of two near their magnitudes.
    const method::Operation operation = m_problem->operation;
    int panel = m_whole ? 0 : loaded.exponent;
    int templ = m_whole ? 0 : m_templ->exponent();
    m_apart = operation.traits().comparesSides && std::abs(panel - templ) > kMostApart;
    if (operation.traits().comparesSides) {
        panel = templ = method::commonExponent(operation, panel, templ);
    }
    const double templUnit = std::ldexp(1.0, m_templ->exponent() - templ);
    // Differences x and t are rounded, and a few more operations.
    constexpr double kOwn = 6 * kSumUnit;
    m_level = {};
    m_level.unit = std::ldexp(1.0, loaded.exponent - panel);
    m_level.productUnit = m_level.unit * templUnit;
    if (!operation.traits().isPure()) {
        m_level.value = method::ValueUnit::of(panel + templ);
    }
    m_level.productsError = m_sums.panelError() + kOwn;
    m_level.sumsError = m_sums.panelError() + kOwn;
    m_level.tileProducts = tile * loaded.norm * weights.norm(Weights::That);
    m_level.tilePanel = tile * loaded.norm * root;
    m_level.tileSquares = tile * loaded.squareNorm * root;
    const double norm = weights.norm(Weights::That) * templUnit;
    m_level.templNorm = norm;
    m_level.root = root;
    const double level = loaded.level * m_level.unit;
    // A level of 64-bit integers may have more bits than a double.
    const bool isLong = base::isInteger(m_problem->scenePixel) && !loaded.integer;
    m_level.panelLevel = {level, isLong ? std::abs(level) * kSumUnit : 0};
    m_level.templLevel = {m_templ->level() * templUnit, 0};
    m_level.count = {weights.total(), weights.weighted() ? 2 * kSumUnit * weights.total() : 0};
    m_level.templ = {m_templ->sum() * templUnit, 4 * count * kSumUnit * norm * root};
    m_level.templSquares = {m_templ->squares() * templUnit * templUnit,
                            4 * count * kSumUnit * norm * norm};
}

/// Decides whether every sum of the tile, and what is made of them, is a whole number below 2^53
/// whose error is below 1/2 before it is rounded.
void OperationSums::decideExact() {
    const SupportTemplate& weights = *m_templ->weights();
    const SupportFrame& loaded = m_sums.frame();
    const double unit = loaded.tile.unit;
    const double c = loaded.level * unit;
    const double a = m_templ->level();
    const auto count = static_cast<double>(weights.count());
    const double norm = loaded.norm * unit; // ||P - c|| of the tile
    const double inTile = norm * norm + count * (c - a) * (c - a);
    const double raw = inTile + count * a * a;
    const double templ = weights.norm(Weights::That) * weights.norm(Weights::That);
    const double rawTempl = templ + count * a * a;
    const double most = 8 * (raw + rawTempl);
    // The sums of products of whole numbers are exact in `direct` while below 2^53.
    const double tile = m_sums.tileError() * m_sums.insideNorm();
    const double errors = std::max(
        {m_level.tileProducts * unit, m_level.tilePanel * unit, m_level.tileSquares * unit * unit,
         tile * weights.norm(Weights::That), tile * weights.norm(Weights::Square)});
    m_level.exact = m_whole && loaded.integer && most < 0x1p53 && errors < 0.25;
    if (m_level.exact) {
        for (Bounded* each : {&m_level.panelLevel, &m_level.templ, &m_level.templSquares}) {
            each->error = 0;
        }
    }
}

/// The quantities of a placement of which `inside` voxels lie inside the scene and its mask.
template <bool Exact> Quantities OperationSums::quantities(const Index& at, double inside) const {
    const method::PlacementSums computed{m_sums.at(GeneralSums::kProducts, at),
                                         m_sums.at(GeneralSums::kPanel, at),
                                         m_sums.at(GeneralSums::kSquares, at)};
    if (inside == m_sums.count()) {
        return m_level.quantities<Exact>(computed);
    }
    const bool padded = m_problem->outside != Outside::Overlap;
    const SupportTemplate& weights = *m_templ->weights();
    const double norm = m_level.templNorm;
    const double tile = m_sums.tileError() * m_sums.insideNorm();
    const double templUnit = m_level.productUnit / m_level.unit;
    const auto known = [&](GeneralSums::Slot slot, double tileError, double magnitude,
                           double unit) {
        const double value = m_sums.at(slot, at) * unit;
        return Exact ? Bounded{std::nearbyint(value), 0}
                     : Bounded{value, tileError * unit + m_level.productsError * magnitude};
    };
    method::LevelSums of = m_level.measured<Exact>(computed);
    of.count = {inside, 0};
    of.templ = known(GeneralSums::kTempl, tile * weights.norm(Weights::That), norm * m_level.root,
                     templUnit);
    if (!padded) {
        of.templSquares = known(GeneralSums::kTemplSquares, tile * weights.norm(Weights::Square),
                                norm * norm, templUnit * templUnit);
        return of.quantities();
    }
    // Voxels outside are 0, that is -c in this frame.
    const Bounded out{m_sums.count() - inside, 0};
    of.products = of.products - m_level.panelLevel * (m_level.templ - of.templ);
    of.panel = of.panel - m_level.panelLevel * out;
    of.panelSquares = of.panelSquares + m_level.panelLevel * m_level.panelLevel * out;
    of.count = m_level.count;
    of.templ = m_level.templ;
    return of.quantities();
}

void OperationSums::row(std::int64_t y, std::int64_t z, RowValues& to) {
    for (std::size_t x = 0; x < to.value.size(); ++x) {
        to.set(x, value({static_cast<std::int64_t>(x), y, z}));
    }
}

std::optional<method::OperationValue> OperationSums::value(const Index& at) const {
    const double count = m_sums.count();
    const double inside = m_sums.inside(at);
    method::OperationValue result;
    if (!method::isScored(inside, count, m_problem->outside, m_problem->minOverlap)) {
        result.status = Status::NotComputed;
        return result;
    }
    if (m_sums.hasNonFinite(at)) {
        result.status = Status::NonFinite;
        return result;
    }
    if (m_level.exact) {
        return method::OperationTemplate::finish(m_problem->operation, quantities<true>(at, inside),
                                                 inside == count, m_level.value);
    }
    const bool partial = inside < count;
    if (m_whole || m_apart || m_templ->rounded() || (partial && m_templ->weights()->weighted())) {
        return std::nullopt;
    }
    const method::OperationValue found = method::OperationTemplate::finish(
        m_problem->operation, quantities<false>(at, inside), inside == count, m_level.value);
    const bool good = base::hasValue(found.status) && std::isfinite(found.bound);
    return good ? std::optional(found) : std::nullopt;
}

} // namespace flcc::cpu
