#include "engine/cpu/operation/operation_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/cpu/score/support_scorer.h"

namespace flcc::cpu {

namespace {

using base::Index;
using base::Status;
using method::Bounded;
using method::Outside;
using method::Quantities;

// Slots of the correlator's outputs.
constexpr std::int64_t kSumPq = 0;
constexpr std::int64_t kSumP = 1;
constexpr std::int64_t kSumPp = 2;
constexpr std::int64_t kSumN = 3;
constexpr std::int64_t kSumQ = 4;
constexpr std::int64_t kSumQq = 5;
constexpr std::int64_t kSumBad = 6;

constexpr double kSumUnit = 0x1p-53;

/// The most that the exponents of both sides may differ in squares that are compared.
constexpr int kMostApart = 900;

} // namespace

bool OperationSums::load(const method::Problem& problem, const OperationPrepared& templ,
                         const method::MaskedView& scene, const base::Box& out,
                         const std::stop_token& stop) {
    m_problem = &problem;
    m_templ = &templ;
    const SupportTemplate& weights = *templ.weights();
    const base::Box seen = seenBy(problem, out);
    const auto correlate = [&](Weights which, std::int64_t slot) {
        if (!stop.stop_requested()) {
            m_own->correlate(weights, which, out.extents, slot);
            m_boxes[static_cast<std::size_t>(slot)] = m_own->output(slot);
        }
    };
    if (templ.spectra() != nullptr) {
        m_own->use(*templ.spectra());
    }
    load(scene, seen);
    m_partial = m_frame.inside < base::voxelCount(seen.extents);
    m_insideNorm = std::sqrt(static_cast<double>(m_frame.inside));
    m_own->inputChanged();
    correlate(Weights::That, kSumPq);
    correlate(Weights::Support, kSumP);
    squareInPlace(seen.extents, m_own->input());
    m_own->inputChanged();
    correlate(Weights::Support, kSumPp);
    if (m_partial) {
        loadInside(scene, seen, m_own->input());
        m_own->inputChanged();
        correlate(Weights::Support, kSumN);
        correlate(Weights::That, kSumQ);
        if (problem.outside == Outside::Overlap) {
            correlate(Weights::Square, kSumQq);
        }
    }
    if (m_frame.tile.nonFinite > 0) {
        m_own->clear();
        loadNonFinite(scene, seen, m_own->input());
        m_own->inputChanged();
        correlate(Weights::Support, kSumBad);
    }
    m_whole = templ.templ().isInteger(problem.scenePixel);
    makeFrame();
    decideExact();
    return !stop.stop_requested();
}

void OperationSums::load(const method::MaskedView& scene, const base::Box& seen) {
    m_own->clear();
    if (scene.mask.data() == nullptr && base::contains(scene.extents(), seen)) {
        if (const auto frame = loadInScene(scene.pixels, seen, m_own->input())) {
            m_frame = *frame;
            return;
        }
        m_own->clear();
    }
    m_frame = loadSupport(scene, seen, m_own->input());
}

/// Fills m_level with what the placements of the tile have in common.
void OperationSums::makeFrame() {
    const SupportTemplate& weights = *m_templ->weights();
    const auto count = static_cast<double>(weights.count());
    const double root = std::sqrt(count);
    const double tile = m_own->tileError();
    // The units of P and T: 1 for whole numbers, else powers of two near their magnitudes.
    const method::Operation operation = m_problem->operation;
    int panel = m_whole ? 0 : m_frame.exponent;
    int templ = m_whole ? 0 : m_templ->exponent();
    // Where the largest values are, of a pure number that compares both sides, too.
    const int values = operation.traits().isPure()        ? std::abs(panel - templ)
                       : operation.traits().comparesSides ? 2 * std::max(panel, templ)
                                                          : panel + templ;
    constexpr int kFar = 400;
    m_exponent = std::abs(values) > kFar ? std::clamp(values, -kMostApart, kMostApart) : 0;
    m_apart = operation.traits().comparesSides && std::abs(panel - templ) > kMostApart;
    if (operation.traits().comparesSides) {
        panel = templ = method::commonExponent(operation, panel, templ);
    }
    const double templUnit = std::ldexp(1.0, m_templ->exponent() - templ);
    // Differences x and t are rounded, and a few more operations.
    constexpr double kOwn = 6 * kSumUnit;
    m_level = {};
    m_level.unit = std::ldexp(1.0, m_frame.exponent - panel);
    m_level.productUnit = m_level.unit * templUnit;
    if (!operation.traits().isPure()) {
        m_level.value = method::ValueUnit::of(panel + templ);
    }
    m_level.productsError = m_own->panelError() + kOwn;
    m_level.sumsError = m_own->panelError() + kOwn;
    m_level.tileProducts = tile * m_frame.norm * weights.norm(Weights::That);
    m_level.tilePanel = tile * m_frame.norm * root;
    m_level.tileSquares = tile * m_frame.squareNorm * root;
    const double norm = weights.norm(Weights::That) * templUnit;
    m_level.templNorm = norm;
    m_level.root = root;
    const double level = m_frame.level * m_level.unit;
    // A level of 64-bit integers may have more bits than a double.
    const bool isLong = base::isInteger(m_problem->scenePixel) && !m_frame.integer;
    m_level.panelLevel = {level, isLong ? std::abs(level) * kSumUnit : 0};
    m_level.templLevel = {m_templ->level() * templUnit, 0};
    m_level.count = {count, 0};
    m_level.templ = {m_templ->sum() * templUnit, 4 * count * kSumUnit * norm * root};
    m_level.templSquares = {m_templ->squares() * templUnit * templUnit,
                            4 * count * kSumUnit * norm * norm};
}

/// Decides whether every sum of the tile, and what is made of them, is a whole number below 2^53
/// whose error is below 1/2 before it is rounded.
void OperationSums::decideExact() {
    const SupportTemplate& weights = *m_templ->weights();
    const double unit = m_frame.tile.unit;
    const double c = m_frame.level * unit;
    const double a = m_templ->level();
    const auto count = static_cast<double>(weights.count());
    const double norm = m_frame.norm * unit; // ||P - c|| of the tile
    const double inTile = norm * norm + count * (c - a) * (c - a);
    const double raw = inTile + count * a * a;
    const double templ = weights.norm(Weights::That) * weights.norm(Weights::That);
    const double rawTempl = templ + count * a * a;
    const double most = 8 * (raw + rawTempl);
    // The sums of products of whole numbers are exact in `direct` while below 2^53.
    const double tile = m_own->tileError() * m_insideNorm;
    const double errors = std::max(
        {m_level.tileProducts * unit, m_level.tilePanel * unit, m_level.tileSquares * unit * unit,
         tile * weights.norm(Weights::That), tile * weights.norm(Weights::Square)});
    m_level.exact = m_whole && m_frame.integer && most < 0x1p53 && errors < 0.25;
    if (m_level.exact) {
        for (Bounded* each : {&m_level.panelLevel, &m_level.templ, &m_level.templSquares}) {
            each->error = 0;
        }
    }
}

double OperationSums::sum(std::int64_t slot, const Index& at) const {
    const simd::DoubleBox& box = m_boxes[static_cast<std::size_t>(slot)];
    return box.data[at.z * box.sliceStride + at.y * box.rowStride + at.x];
}

/// The quantities of a placement of which `inside` voxels lie inside the scene and its mask.
template <bool Exact> Quantities OperationSums::quantities(const Index& at, double inside) const {
    const method::PlacementSums computed{sum(kSumPq, at), sum(kSumP, at), sum(kSumPp, at)};
    const double count = m_level.count.value;
    if (inside == count) {
        return m_level.quantities<Exact>(computed);
    }
    const bool padded = m_problem->outside != Outside::Overlap;
    const SupportTemplate& weights = *m_templ->weights();
    const double norm = m_level.templNorm;
    const double tile = m_own->tileError() * m_insideNorm;
    const double templUnit = m_level.productUnit / m_level.unit;
    const auto known = [&](std::int64_t slot, double tileError, double magnitude, double unit) {
        const double value = sum(slot, at) * unit;
        return Exact ? Bounded{std::nearbyint(value), 0}
                     : Bounded{value, tileError * unit + m_level.productsError * magnitude};
    };
    method::LevelSums of = m_level.measured<Exact>(computed);
    of.count = {inside, 0};
    of.templ = known(kSumQ, tile * weights.norm(Weights::That), norm * m_level.root, templUnit);
    if (!padded) {
        of.templSquares =
            known(kSumQq, tile * weights.norm(Weights::Square), norm * norm, templUnit * templUnit);
        return of.quantities();
    }
    // Voxels outside are 0, that is -c in this frame.
    const Bounded out{count - inside, 0};
    of.products = of.products - m_level.panelLevel * (m_level.templ - of.templ);
    of.panel = of.panel - m_level.panelLevel * out;
    of.panelSquares = of.panelSquares + m_level.panelLevel * m_level.panelLevel * out;
    of.count = m_level.count;
    of.templ = m_level.templ;
    return of.quantities();
}

std::optional<method::OperationValue> OperationSums::value(const Index& at) const {
    const double count = m_level.count.value;
    const double inside = m_partial ? std::nearbyint(sum(kSumN, at)) : count;
    method::OperationValue result;
    if (!method::isScored(inside, count, m_problem->outside, m_problem->minOverlap)) {
        result.status = Status::NotComputed;
        return result;
    }
    if (m_frame.tile.nonFinite > 0 && sum(kSumBad, at) > 0.5) {
        result.status = Status::NonFinite;
        return result;
    }
    if (m_level.exact) {
        return method::OperationTemplate::finish(m_problem->operation, quantities<true>(at, inside),
                                                 inside == count, m_level.value);
    }
    if (m_whole || m_apart || m_templ->rounded()) {
        return std::nullopt;
    }
    const method::OperationValue found = method::OperationTemplate::finish(
        m_problem->operation, quantities<false>(at, inside), inside == count, m_level.value);
    const bool good = base::hasValue(found.status) && std::isfinite(found.bound);
    return good ? std::optional(found) : std::nullopt;
}

} // namespace flcc::cpu
