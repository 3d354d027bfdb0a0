#include "engine/cpu/operation_sums.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/cpu/support_scorer.h"

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

/// Sums over all voxels that count, P and T less one level a, over a number type.
template <class Number> struct LevelSums {
    Number pq, p, pp, n, q, qq, a;

    [[nodiscard]] std::array<Number, 8> quantities() const {
        const Number two = number(2);
        return {pq + a * (p + q) + n * a * a,
                pp + two * a * p + n * a * a,
                qq + two * a * q + n * a * a,
                pq - p * q / n,
                pp - p * p / n,
                qq - q * q / n,
                pp + qq - two * pq,
                number(0)};
    }

  private:
    static Number number(double value) {
        if constexpr (std::is_same_v<Number, double>) {
            return value;
        } else {
            return {value, 0};
        }
    }
};

template <class Number> Quantities asQuantities(const std::array<Number, 8>& of) {
    const auto bounded = [](const Number& value) {
        if constexpr (std::is_same_v<Number, double>) {
            return Bounded{value, 0};
        } else {
            return value;
        }
    };
    return {.products = bounded(of[0]),
            .panelSquares = bounded(of[1]),
            .templSquares = bounded(of[2]),
            .covariance = bounded(of[3]),
            .panelVariance = bounded(of[4]),
            .templVariance = bounded(of[5]),
            .squaredDifferences = bounded(of[6]),
            .absoluteDifferences = bounded(of[7])};
}

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
    m_own->clear();
    m_frame = loadSupport(scene, seen, m_own->input());
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
    decideExact();
    return !stop.stop_requested();
}

/// Decides whether every sum of the tile, and what is made of them, is a whole number below 2^53
/// whose error is below 1/2 before it is rounded.
void OperationSums::decideExact() {
    const SupportTemplate& weights = *m_templ->weights();
    const double unit = m_frame.tile.unit;
    const double c = m_frame.level * unit;
    const double a = m_templ->level();
    const auto count = static_cast<double>(weights.count());
    const double norm = m_frame.norm * unit; // ||p|| of the tile
    const double squares = m_frame.squareNorm * unit * unit;
    const double inTile = norm * norm + count * (c - a) * (c - a);
    const double raw = inTile + count * a * a;
    const double templ = weights.norm(Weights::That) * weights.norm(Weights::That);
    const double rawTempl = templ + count * a * a;
    const double most = 8 * (raw + rawTempl);
    // The sums of products of whole numbers are exact in `direct` while below 2^53.
    const double tile = m_own->tileError();
    const double errors = std::max({tile * norm * weights.norm(Weights::That),
                                    tile * norm * weights.norm(Weights::Support),
                                    tile * squares * weights.norm(Weights::Support),
                                    tile * m_insideNorm * weights.norm(Weights::That),
                                    tile * m_insideNorm * weights.norm(Weights::Square)});
    m_exact = m_whole && m_frame.integer && most < 0x1p53 && errors < 0.25;
}

double OperationSums::sum(std::int64_t slot, const Index& at) const {
    const simd::DoubleBox& box = m_boxes[static_cast<std::size_t>(slot)];
    return box.data[at.z * box.sliceStride + at.y * box.rowStride + at.x];
}

Bounded OperationSums::known(std::int64_t slot, const Index& at, double unit, double tileError,
                             double magnitude) const {
    const double value = sum(slot, at) * unit;
    return {value, tileError + (m_own->panelError() + 6 * kSumUnit) * magnitude};
}

std::optional<method::OperationValue> OperationSums::value(const Index& at) const {
    const SupportTemplate& weights = *m_templ->weights();
    const auto count = static_cast<double>(weights.count());
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
    const double unit = m_frame.tile.unit;
    const double c = m_frame.level * unit;
    const double a = m_templ->level();
    const bool whole = inside == count;
    const bool padded = !whole && m_problem->outside != Outside::Overlap;
    const double templSum = m_templ->sum();
    const double templSquares = m_templ->squares();
    if (m_exact) {
        const auto rounded = [&](std::int64_t slot, double by) {
            return std::nearbyint(sum(slot, at) * by);
        };
        LevelSums<double> of{rounded(kSumPq, unit),
                             rounded(kSumP, unit),
                             rounded(kSumPp, unit * unit),
                             inside,
                             templSum,
                             templSquares,
                             a};
        if (!whole) {
            of.q = rounded(kSumQ, 1);
            of.qq = padded ? templSquares : rounded(kSumQq, 1);
        }
        const double d = c - a;
        of.pq += d * of.q;
        of.pp += 2 * d * of.p + inside * d * d;
        of.p += d * inside;
        if (padded) { // voxels outside are 0, that is -a in this frame
            const double out = count - inside;
            of.pq -= a * (templSum - of.q);
            of.p -= a * out;
            of.pp += a * a * out;
            of.n = count;
            of.q = templSum;
            of.qq = templSquares;
        }
        // Quotients are rounded; nothing else is.
        auto quantities = of.quantities();
        Quantities quotients = asQuantities(quantities);
        for (Bounded* each :
             {&quotients.covariance, &quotients.panelVariance, &quotients.templVariance}) {
            each->error = 4 * kSumUnit * (of.pp + of.qq);
        }
        return m_templ->templ().finish(m_problem->operation, quotients, whole);
    }
    if (m_whole || m_templ->rounded()) {
        return std::nullopt;
    }
    const double tile = m_own->tileError();
    const double norm = weights.norm(Weights::That);
    const double root = std::sqrt(count);
    const double ppValue = std::max(0.0, sum(kSumPp, at) * unit * unit);
    const double ppTile = tile * m_frame.squareNorm * unit * unit * root;
    const double size = std::sqrt(ppValue + ppTile) * (1 + 1e-3); // ||p||
    LevelSums<Bounded> of{known(kSumPq, at, unit, tile * m_frame.norm * unit * norm, size * norm),
                          known(kSumP, at, unit, tile * m_frame.norm * unit * root, size * root),
                          known(kSumPp, at, unit * unit, ppTile, ppValue + ppTile),
                          {inside, 0},
                          {templSum, 4 * count * kSumUnit * norm * root},
                          {templSquares, 4 * count * kSumUnit * norm * norm},
                          {a, 0}};
    const Bounded all = of.q;
    const Bounded allSquares = of.qq;
    if (!whole) {
        of.q = known(kSumQ, at, 1, tile * m_insideNorm * norm, norm * root);
        of.qq = padded ? allSquares
                       : known(kSumQq, at, 1, tile * m_insideNorm * weights.norm(Weights::Square),
                               norm * norm);
    }
    const Bounded level{a, 0};
    const Bounded d = Bounded{c, 0} - level;
    of.pq = of.pq + d * of.q;
    of.pp = of.pp + Bounded{2, 0} * d * of.p + of.n * d * d;
    of.p = of.p + d * of.n;
    if (padded) {
        const Bounded out{count - inside, 0};
        of.pq = of.pq - level * (all - of.q);
        of.p = of.p - level * out;
        of.pp = of.pp + level * level * out;
        of.n = {count, 0};
        of.q = all;
        of.qq = allSquares;
    }
    const method::OperationValue found =
        m_templ->templ().finish(m_problem->operation, asQuantities(of.quantities()), whole);
    const bool good = base::hasValue(found.status) && std::isfinite(found.bound);
    return good ? std::optional(found) : std::nullopt;
}

} // namespace flcc::cpu
