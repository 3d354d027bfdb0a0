#include "engine/cpu/score/masked_sums.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/base/widest.h"
#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// Roundings of a sum that come back with it, relative to the sum itself. *Empirical*: see
/// NUMERICS.md, section 5, masks.
constexpr double kOwnRoundings = 2;

/// Rounds to the nearest whole number below 2^51; a loop of it becomes vectors.
double rounded(double value) {
    constexpr double kLarge = 0x1.8p52;
    return (value + kLarge) - kLarge;
}

template <class Real> struct WriteRow {
    const Real* from;
    double* to;
    std::int64_t count;
    double factor;
    double added;
    double steps;

    void operator()() const {
        const Real* const in = from;
        double* const out = to;
        const double f = factor;
        const double a = added;
        if (steps == 0) {
            for (std::int64_t x = 0; x < count; ++x) {
                out[x] = static_cast<double>(in[x]) * f + a;
            }
            return;
        }
        const double per = 1 / steps;
        for (std::int64_t x = 0; x < count; ++x) {
            out[x] = rounded((static_cast<double>(in[x]) * f + a) * steps) * per;
        }
    }
};

template <class Real> struct SquareRow {
    Real* x;
    std::int64_t count;
    double level;

    void operator()() const {
        Real* const of = x;
        const double less = level;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<double>(of[i]);
            of[i] = static_cast<Real>(value * value - less);
        }
    }
};

struct PoorRow {
    const double* first;
    const double* second;
    std::int64_t count;
    double per; ///< 1 / W
    double one;
    double square;
    double share; ///< the largest error of D, divided by D
    std::int64_t& to;

    void operator()() const {
        const double* const s1 = first;
        const double* const s2 = second;
        std::int64_t poor = 0;
        for (std::int64_t x = 0; x < count; ++x) {
            const double variance = s2[x] - s1[x] * s1[x] * per;
            const double error = one + square * s2[x];
            poor += error > share * variance ? 1 : 0;
        }
        to += poor;
    }
};

struct PartRow {
    float* x;
    std::int64_t count;
    double level;
    double unit;    ///< of the high part
    double perUnit; ///< 1 / unit
    bool low;

    void operator()() const {
        float* const of = x;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<double>(of[i]);
            const double square = value * value - level;
            const double high = rounded(square * perUnit) * unit;
            of[i] = static_cast<float>(low ? square - high : high);
        }
    }
};

struct AddRow {
    const float* from;
    double* to;
    std::int64_t count;
    double factor;
    double steps;

    void operator()() const {
        const float* const in = from;
        double* const out = to;
        if (steps == 0) {
            for (std::int64_t x = 0; x < count; ++x) {
                out[x] += static_cast<double>(in[x]) * factor;
            }
            return;
        }
        const double scale = factor * steps;
        const double per = 1 / steps;
        for (std::int64_t x = 0; x < count; ++x) {
            out[x] += rounded(static_cast<double>(in[x]) * scale) * per;
        }
    }
};

/// The error of sums, but for roundings of their own.
template <class Real>
double errorOf(const MaskWeights& mask, const Extents& points, const Extents& m,
               const TileEnergies& energies) {
    const BoundTerms terms = fourierTerms(points, m, energies, true, kUnitOf<Real>);
    return mask.norm() * std::min(terms.numerator, terms.worst);
}

} // namespace

SquareParts::SquareParts(const MaskWeights& mask, const Extents& points, const Extents& m,
                         const CentredTile& tile, double level)
    : m_mask(mask), m_points(points), m_m(m), m_level(level),
      m_half(std::ldexp(1.0, std::ilogb(std::max(1.0, tile.steps)) + 1)),
      m_units{1 / (tile.stepsPerUnit() * tile.stepsPerUnit()),
              m_half / (tile.stepsPerUnit() * tile.stepsPerUnit())} {}

void SquareParts::take(Part part, const Extents& seen, float* tile) const {
    for (std::int64_t z = 0; z < seen.z; ++z) {
        for (std::int64_t y = 0; y < seen.y; ++y) {
            base::inWidest(PartRow{tile + (z * m_points.y + y) * m_points.x, seen.x, m_level,
                                   m_units[kHigh], 1 / m_units[kHigh], part == kLow});
        }
    }
}

void SquareParts::add(Part part, const TileEnergies& energies, const float* from,
                      const Extents& out, const SumsRows& to) {
    const double per = 1 / m_units[part];
    const double error = errorOf<float>(m_mask, m_points, m_m, energies);
    // No part of a square is more than m_half of its units.
    const bool whole = error * per + kOwnRoundings * kUnitSingle * m_mask.total() * m_half < 0.25;
    m_error += whole ? 0 : error;
    m_whole = m_whole && whole;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            double* const row = to.data + 2 * (z * to.sliceStride + y) * to.stride + to.stride;
            base::inWidest(AddRow{from + (z * m_points.y + y) * m_points.x, row, out.x,
                                  m_mask.norm(), whole ? per : 0});
        }
    }
}

MaskedSums SquareParts::sums() const {
    MaskedSums sums;
    sums.mask = &m_mask;
    sums.square = 16 * kUnitDouble;
    sums.whole = m_whole;
    if (!m_whole) {
        constexpr double kOwn = 2 * kOwnRoundings * kUnitSingle; // of both parts
        sums.one = m_error + kOwn * (m_level + m_half * m_units[kLow]) * m_mask.total();
        sums.square += kOwn;
    }
    return sums;
}

void setSquares(const Extents& out, double value, const SumsRows& to) {
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            std::fill_n(to.data + 2 * (z * to.sliceStride + y) * to.stride + to.stride, out.x,
                        value);
        }
    }
}

double levelOfSquares(const CentredTile& tile, double squares, double voxels) {
    const double mean = squares / voxels;
    if (!(tile.quantum > 0)) {
        return static_cast<double>(static_cast<float>(mean));
    }
    const double steps = tile.stepsPerUnit();
    return std::nearbyint(mean * steps * steps) / (steps * steps);
}

template <class Real>
void squareTile(const Extents& points, const Extents& seen, double level, Real* tile) {
    for (std::int64_t z = 0; z < seen.z; ++z) {
        for (std::int64_t y = 0; y < seen.y; ++y) {
            base::inWidest(SquareRow<Real>{tile + (z * points.y + y) * points.x, seen.x, level});
        }
    }
}

template <class Real> SumsErrors errorsOf(const MaskWeights& mask, const SumsKnown& known) {
    constexpr double kUnit = kUnitOf<Real>;
    const double total = mask.total();
    const double rootTotal = std::sqrt(total);
    const double first = errorOf<Real>(mask, known.points, known.m, known.sums);
    const double second = errorOf<Real>(mask, known.points, known.m, known.squares);
    // Of a sum itself: its correlation, and that of x^2 the rounding of x^2 - level.
    double own = kOwnRoundings * kUnit;
    const double steps = known.tile.stepsPerUnit();
    const double largest = known.tile.quantum > 0 ? known.tile.steps / steps : 1.0;
    const bool whole = known.tile.quantum > 0 && known.tile.exact && mask.binary();
    const double mostSteps = std::is_same_v<Real, float> ? 0x1p24 : 0x1p53;
    SumsErrors result;
    const double stepsOff = (first + own * total * largest) * steps;
    result.wholeSums = whole && stepsOff < 0.25 && total * known.tile.steps < 0x1p50;
    const double squares = known.tile.steps * known.tile.steps;
    result.wholeSquares = whole && squares <= mostSteps && total * squares < 0x1p50 &&
                          (second + own * total * largest * largest) * steps * steps < 0.25;
    result.maySplit = whole && result.wholeSums && squares <= mostSteps && total * squares < 0x1p50;
    MaskedSums& of = result.of;
    of.mask = &mask;
    of.square = 16 * kUnitDouble; // of the sums and of D in double
    of.whole = result.wholeSums && result.wholeSquares;
    if (!result.wholeSums) {
        of.one += 2 * first * first / total;
        of.root += 2 * first / rootTotal;
        of.square += 2.001 * own;
        result.first = first;
        result.firstOwn = own;
    }
    if (!result.wholeSquares) {
        own += kUnit;
        of.one += second + own * known.level * total;
        of.square += own;
        result.second = second + own * known.level * total;
        result.secondOwn = own;
        of.one += of.root * std::sqrt(second); // the exact s2 may be larger than the sum
    }
    return result;
}

template <class Real>
void writeSums(const Real* from, const Extents& points, const Extents& out, double factor,
               double added, double steps, bool second, const SumsRows& to) {
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            double* const row = to.data + 2 * (z * to.sliceStride + y) * to.stride;
            base::inWidest(WriteRow<Real>{from + (z * points.y + y) * points.x,
                                          row + (second ? to.stride : 0), out.x, factor, added,
                                          steps});
        }
    }
}

void roundSums(double steps, const Extents& out, const SumsRows& rows) {
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            double* const row = rows.data + 2 * (z * rows.sliceStride + y) * rows.stride;
            base::inWidest(WriteRow<double>{row, row, out.x, 1, 0, steps});
        }
    }
}

std::int64_t poorPlacements(const MaskedSums& sums, const SumsRows& rows, const Extents& out,
                            double promise) {
    const double share = std::min(0.25, promise / 0.54);
    std::int64_t poor = 0;
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            const double* const row = rows.data + 2 * (z * rows.sliceStride + y) * rows.stride;
            base::inWidest(PoorRow{row, row + rows.stride, out.x, 1 / sums.mask->total(), sums.one,
                                   sums.square, share, poor});
        }
    }
    return poor;
}

template void squareTile(const Extents&, const Extents&, double, float*);
template void squareTile(const Extents&, const Extents&, double, double*);
template SumsErrors errorsOf<float>(const MaskWeights&, const SumsKnown&);
template SumsErrors errorsOf<double>(const MaskWeights&, const SumsKnown&);
template void writeSums(const float*, const Extents&, const Extents&, double, double, double, bool,
                        const SumsRows&);
template void writeSums(const double*, const Extents&, const Extents&, double, double, double, bool,
                        const SumsRows&);

} // namespace flcc::cpu
