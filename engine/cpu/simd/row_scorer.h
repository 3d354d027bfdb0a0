// Scores, statuses and bounds of rows of window sums (engine/method/NUMERICS.md, sections 2, 4 and
// 5). Files that include <hwy/foreach_target.h> compile this one once for every instruction set.
#if defined(FLCC_ROW_SCORER_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_ROW_SCORER_ONCE
#undef FLCC_ROW_SCORER_ONCE
#else
#define FLCC_ROW_SCORER_ONCE
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/running_sums.h"
#include "engine/cpu/simd/score_vectors.h"
#include "engine/cpu/simd/tile_rows.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// Turns rows of window sums into scores, statuses and bounds.
template <class Scores> class RowScorer {
  public:
    using Real = typename Scores::Real;
    using Numerator = typename Scores::Numerator;
    using Arguments = ScoreArguments<Real, Numerator>;
    using D = typename Scores::D;
    using V = typename Scores::V;
    static constexpr bool kMerges = Scores::kKeepsInverses; ///< ScoreArguments::merge

    RowScorer(const Arguments& arguments, const ScoreConstants& constants, Real least)
        : m_arguments(arguments), m_constants(constants), m_least(least) {}

    /// Scores `count` voxels of row (y, z) from `column` on. False if `sums` are running sums and
    /// not accurate enough.
    template <class S>
    [[nodiscard]] bool operator()(const S& sums, std::int64_t column, std::int64_t count,
                                  std::int64_t y, std::int64_t z) {
        return scoreRow(Rows::rowOf(m_arguments, sums, column, count, y, z));
    }

    /// The largest |r| for which the bounds of all these known rows are within the promise, at most
    /// 1; negative if there is none.
    [[nodiscard]] double largestWithin(const KeptRow* rows, std::int64_t count) const {
        double most = 1;
        for (std::int64_t i = 0; i < count; ++i) {
            most = std::min(most, boundOf(rows[i]).mostWithin(m_constants.promise));
        }
        return most;
    }
    /// Counts the bounds of known rows with scores of at most `most`. False if one breaks the
    /// promise.
    bool countBounds(const KeptRow* rows, std::int64_t count, double most) {
        for (std::int64_t i = 0; i < count; ++i) {
            const double bound = boundOf(rows[i]).with(most);
            if (!(bound <= m_constants.promise)) {
                return false;
            }
            m_tally.largestBound = std::max(m_tally.largestBound, bound);
        }
        return true;
    }

    [[nodiscard]] ScoreTally tally() const {
        ScoreTally tally = m_tally;
        tally.largestBound = std::max(
            tally.largestBound, static_cast<double>(hn::GetLane(hn::MaxOfLanes(D(), m_largest))));
        return tally;
    }

  private:
    using Rows = TileRows<Scores>;
    template <class S> using Row = typename Rows::template Row<S>;
    template <class Count> static constexpr bool kWhole = Rows::template kWhole<Count>;

    template <class S> [[nodiscard]] bool scoreRow(const Row<S>& row) {
        float* const bounds = m_arguments.bounds + row.at.x;
        if constexpr (std::is_same_v<Scores, IntegerScores>) {
            if (m_constants.exactVariance) {
                scoreExactly(row);
                std::fill_n(bounds, row.count, static_cast<float>(m_constants.boundConstant));
                return true;
            }
        }
        // The caller samples the bounds of the last row, so this row needs one for each voxel.
        const bool sampled = row.at.y + 1 == m_arguments.out.y && row.at.z + 1 == m_arguments.out.z;
        if (!sampled && m_arguments.recall && !m_arguments.sumsOnly && scoreFromInverses(row)) {
            return true;
        }
        const Keeper keeper(m_arguments, row.at);
        if (!sampled && m_remarkable <= m_plain / 2 + 2) {
            if (scorePlainly(row, keeper)) {
                ++m_plain;
                return true;
            }
            ++m_remarkable;
        }
        if (leastOf<S>() > 0 && !(leastVariance(row) > leastOf<S>())) {
            return false;
        }
        scoreCarefully(row, bounds);
        return true;
    }

    /// The smallest variance that sums of this kind may have; 0 if any will do.
    template <class S> [[nodiscard]] Real leastOf() const {
        return std::is_same_v<S, PrefixSums> ? m_least : Real{0};
    }

    template <class S> [[nodiscard]] Real leastVariance(const Row<S>& row) const {
        const D d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        const ScoreConstants constants = m_constants; // a copy no store can alias
        auto least = hn::Set(d, std::numeric_limits<Real>::max());
        for (std::int64_t i = 0; i < row.count; i += lanes) {
            V square;
            V variance;
            V numerator;
            Scores::panels(row.sums, row.num, i, constants, square, variance, numerator);
            const auto lanesLeft = static_cast<std::size_t>(std::min(lanes, row.count - i));
            least = hn::Min(least, hn::IfThenElse(hn::FirstN(d, lanesLeft), variance, least));
        }
        return hn::GetLane(hn::MinOfLanes(d, least));
    }

    /// Keeps 1 / sqrt(D) of a row, or of a part of it, its largest K^2 and smallest D, for other
    /// numerators of the same panels.
    class Keeper {
      public:
        Keeper(const Arguments& a, const base::Index& at) {
            if (Scores::kKeepsInverses && a.kept != nullptr && (!a.recall || a.sumsOnly)) {
                const std::int64_t row = at.z * a.out.y + at.y;
                m_inverses = a.inverses + row * sumsRow(a.out.x) + at.x;
                m_row = a.rows + row;
                m_before = at.x == 0 ? KeptRow{0, std::numeric_limits<float>::max()} : *m_row;
                *m_row = {};
            }
        }
        HWY_INLINE void keep(std::int64_t i, V inverse) const {
            if constexpr (Scores::kKeepsInverses) {
                if (m_inverses != nullptr) {
                    hn::StoreU(inverse, D(), m_inverses + i); // rows have space for a whole vector
                }
            }
        }
        void keep(Real square, Real variance) const {
            if (m_row != nullptr) {
                *m_row = {std::max(m_before.square, static_cast<float>(square)),
                          std::min(m_before.variance, static_cast<float>(variance))};
            }
        }

      private:
        float* m_inverses = nullptr;
        KeptRow* m_row = nullptr;
        KeptRow m_before; ///< facts of the parts before this one
    };

    /// The same as scorePlainly(), from the kept 1 / sqrt(D) of a row. False if that is not
    /// possible.
    template <class S> [[nodiscard]] bool scoreFromInverses(const Row<S>& row) {
        if constexpr (!Scores::kKeepsInverses) {
            return false;
        } else {
            const std::int64_t number = row.at.z * m_arguments.out.y + row.at.y;
            const KeptRow& known = m_arguments.rows[number];
            if (!(known.variance > 0)) {
                return false;
            }
            const D d;
            const float* const inverses =
                m_arguments.inverses + number * sumsRow(m_arguments.out.x) + row.at.x;
            auto scores = hn::Zero(d);
            Rows::template overVectors<true>(row, [&](std::int64_t i, auto count, std::int64_t) {
                auto score = hn::Mul(hn::LoadU(d, row.num + i), hn::LoadU(d, inverses + i));
                if constexpr (!kWhole<decltype(count)>) {
                    score =
                        hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), score);
                }
                scores = hn::Max(scores, hn::Abs(score));
                Rows::storeScores(row, i, count, score);
            });
            const float largest = hn::GetLane(hn::MaxOfLanes(d, scores));
            if (!(largest <= 1.0F) || !countBounds(&known, 1, static_cast<double>(largest))) {
                return false;
            }
            Rows::clearStatuses(row);
            return true;
        }
    }

    /// Scores a row with one bound for all its voxels. False if that bound breaks the promise or if
    /// a panel may be flat; the scores written are then meaningless.
    template <class S> [[nodiscard]] bool scorePlainly(const Row<S>& row, const Keeper& keeper) {
        const D d;
        const ScoreConstants constants = m_constants; // a copy no store can alias
        auto variances = hn::Set(d, Real{1});
        auto squares = hn::Zero(d);
        auto scores = hn::Zero(d);
        Rows::template overVectors<true>(row, [&](std::int64_t i, auto count, std::int64_t) {
            V square;
            V variance;
            V numerator;
            Scores::panels(row.sums, row.num, i, constants, square, variance, numerator);
            if constexpr (!kWhole<decltype(count)>) {
                const auto inside = hn::FirstN(d, static_cast<std::size_t>(count));
                variance = hn::IfThenElse(inside, variance, hn::Set(d, Real{1}));
                square = hn::IfThenElseZero(inside, square);
                numerator = hn::IfThenElseZero(inside, numerator);
            }
            const auto inverse = Scores::inverseRoot(variance);
            const auto score = hn::Mul(numerator, inverse);
            variances = hn::Min(variances, variance);
            squares = hn::Max(squares, hn::Mul(hn::Mul(square, inverse), inverse));
            scores = hn::Max(scores, hn::Abs(score));
            Rows::storeScores(row, i, count, score);
            keeper.keep(i, inverse);
        });
        Rows::clearStatuses(row);
        const Real variance = hn::GetLane(hn::MinOfLanes(d, variances));
        const Real square = hn::GetLane(hn::MaxOfLanes(d, squares));
        // If a variance is not positive, the scores and squares are meaningless.
        if (!(variance > std::max(Scores::kTiny, leastOf<S>()) &&
              static_cast<double>(square) * m_constants.suspicious < 0.5)) {
            return false;
        }
        if constexpr (Scores::kSumErrors) {
            if (!(8 * varianceError(static_cast<double>(square), static_cast<double>(variance)) <
                  1)) {
                return false;
            }
        }
        keeper.keep(square, variance);
        const Real largest = hn::GetLane(hn::MaxOfLanes(d, scores));
        if (!(largest <= Real{1})) {
            return false;
        }
        const double bound = boundOfAll(static_cast<double>(square), static_cast<double>(variance))
                                 .with(static_cast<double>(largest));
        if (!(bound <= m_constants.promise)) {
            return false;
        }
        m_tally.largestBound = std::max(m_tally.largestBound, bound);
        return true;
    }

    /// Scores whose only error is the rounding of the score itself.
    template <class S> void scoreExactly(const Row<S>& row) {
        const D d;
        const hn::Rebind<std::int32_t, D> di;
        const hn::Rebind<std::uint8_t, D> bytes;
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const double scale = constants.numeratorScale * std::sqrt(constants.count);
        const auto one = hn::Set(d, 1.0F);
        const auto flat = hn::Set(di, static_cast<std::int32_t>(base::Status::Flat));
        const auto most = hn::Set(d, static_cast<float>(1 + constants.boundConstant));
        Rows::clearStatuses(row);
        Rows::template overVectors<true>(row, [&](std::int64_t i, auto count, std::int64_t again) {
            V variance;
            V numerator;
            Scores::exactPanels(row.sums, row.num, i, constants, scale, variance, numerator);
            auto zero = hn::Eq(variance, hn::Zero(d));
            const auto inverse = Scores::inverseRoot(hn::IfThenElse(zero, one, variance));
            const auto score = hn::IfThenZeroElse(zero, hn::Mul(numerator, inverse));
            Rows::storeScores(row, i, count, hn::Min(hn::Max(score, hn::Neg(one)), one));
            auto over = hn::Gt(hn::Abs(score), most);
            if constexpr (!kWhole<decltype(count)>) {
                const auto inside = hn::FirstN(d, static_cast<std::size_t>(count));
                zero = hn::And(zero, inside);
                over = hn::And(over, inside);
            }
            const auto before = hn::FirstN(d, static_cast<std::size_t>(again));
            m_tally.overRange +=
                static_cast<std::int64_t>(hn::CountTrue(d, hn::AndNot(before, over)));
            if (hn::AllFalse(d, zero)) {
                return;
            }
            m_tally.marked += static_cast<std::int64_t>(hn::CountTrue(d, hn::AndNot(before, zero)));
            const auto marks =
                hn::DemoteTo(bytes, hn::IfThenElseZero(hn::RebindMask(di, zero), flat));
            if constexpr (kWhole<decltype(count)>) {
                hn::StoreU(marks, bytes, row.status + i);
            } else {
                HWY_ALIGN std::uint8_t last[hn::MaxLanes(D())];
                hn::StoreU(marks, bytes, last);
                std::copy_n(last, count, row.status + i);
            }
        });
        m_tally.largestBound = std::max(m_tally.largestBound, constants.boundConstant);
    }

    /// A bound for all panels of a row, enlarged to cover its own roundings.
    struct RowBound {
        double own;
        double relative; ///< of the errors of sums, times |r|

        [[nodiscard]] double with(double most) const {
            return kRoundings * (own + relative * std::min(1.0, most + own + relative));
        }
        /// The largest |r| that `promise` allows, at most 1; negative if there is none.
        [[nodiscard]] double mostWithin(double promise) const {
            constexpr double kLess = 0.9999; // covers the roundings of the quotient
            if (with(1) <= promise) {
                return 1;
            }
            const double most = (promise / kRoundings - own) / relative - own - relative;
            return relative > 0 && with(kLess * most) <= promise ? kLess * most : -1;
        }

      private:
        static constexpr double kRoundings = 1.0001;
    };
    [[nodiscard]] RowBound boundOf(const KeptRow& row) const {
        return boundOfAll(static_cast<double>(row.square), static_cast<double>(row.variance));
    }

    /// boundOf() with the largest K^2 and the smallest D. The largest |r| of the row counts where
    /// sums have errors; it is 1 for other errors.
    [[nodiscard]] RowBound boundOfAll(double k2, double variance) const {
        const ScoreConstants& c = m_constants;
        const double inverse = 1 / std::sqrt(variance);
        const double fourier =
            std::min(c.boundNumerator * inverse + c.boundScore, c.boundWorst * inverse);
        const double own =
            c.boundPanel * std::sqrt(k2) + fourier + c.boundSquare * k2 + c.boundConstant;
        return {own, Scores::kSumErrors ? kInverseShare * varianceError(k2, variance) : 0};
    }

    /// If the error of D is at most D/4, 1/sqrt(D) is off by at most this times the relative error.
    static constexpr double kInverseShare = 0.54;

    /// The error of D, divided by D, at the largest K^2 and the smallest D.
    [[nodiscard]] double varianceError(double k2, double variance) const {
        const ScoreConstants& c = m_constants;
        return c.varianceOne / variance + c.varianceRoot * std::sqrt(k2 / variance) +
               c.varianceSquare * k2;
    }

    template <class S> void scoreCarefully(const Row<S>& row, float* bounds) {
        const D d;
        const ScoreConstants constants = m_constants; // a copy no store can alias
        const auto one = hn::Set(d, Real{1});
        auto largest = m_largest;
        Rows::clearStatuses(row);
        Rows::template overVectors<false>(row, [&](std::int64_t i, auto count, std::int64_t) {
            V square;
            V variance;
            V numerator;
            Scores::panels(row.sums, row.num, i, constants, square, variance, numerator);
            const auto suspicious = hn::Or(isSuspicious(constants, square, variance),
                                           hn::Le(variance, hn::Set(d, Scores::kTiny)));
            const auto inverse = Scores::inverseRoot(hn::IfThenElse(suspicious, one, variance));
            const auto score = hn::IfThenZeroElse(suspicious, hn::Mul(numerator, inverse));
            const auto bound = boundOf(constants, square, inverse, hn::Abs(score));
            const auto over = hn::AndNot(suspicious, hn::Gt(hn::Abs(score), hn::Add(one, bound)));
            const auto low = hn::AndNot(suspicious, hn::Gt(bound, set(constants.promise)));
            Rows::storeScores(row, i, count, hn::Min(hn::Max(score, hn::Neg(one)), one));
            Scores::store(bound, bounds + i); // rows have space for a whole vector
            const auto marked = hn::Or(low, suspicious);
            auto plain = hn::Not(marked);
            auto reported = hn::Or(marked, over);
            if constexpr (!kWhole<decltype(count)>) {
                const auto inside = hn::FirstN(d, static_cast<std::size_t>(count));
                plain = hn::And(plain, inside);
                reported = hn::And(reported, inside);
            }
            largest = hn::Max(largest, hn::IfThenElseZero(plain, bound));
            if (hn::AllFalse(d, reported)) {
                return;
            }
            if (constants.exactVariance && hn::AllTrue(d, suspicious) && allFlat(row, i)) {
                std::fill_n(row.status + i, count, static_cast<std::uint8_t>(base::Status::Flat));
                m_tally.marked += count;
                return;
            }
            mark(Marks(low, suspicious, over, bound), count, row, i);
        });
        m_largest = largest;
    }

    /// True if all panels of the vector at `i` are flat by their sums, whose products are exact.
    template <class S> [[nodiscard]] bool allFlat(const Row<S>& row, std::int64_t i) const {
        const DD dd;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
        const auto count = hn::Set(dd, m_constants.count);
        const std::int64_t end = i + static_cast<std::int64_t>(hn::Lanes(D()));
        for (; i < end; i += lanes) {
            const auto s1 = row.sums.first(i);
            if (!hn::AllTrue(dd, hn::Eq(hn::Mul(count, row.sums.second(i)), hn::Mul(s1, s1)))) {
                return false;
            }
        }
        return true;
    }

    static HWY_INLINE V set(double value) { return hn::Set(D(), static_cast<Real>(value)); }

    /// The error of D: kSumErrors only.
    static HWY_INLINE V errorOf(const ScoreConstants& constants, V square) {
        const auto s2 = hn::Max(square, hn::Zero(D()));
        return hn::MulAdd(set(constants.varianceSquare), s2,
                          hn::MulAdd(set(constants.varianceRoot), Scores::rootAbove(s2),
                                     set(constants.varianceOne)));
    }

    static HWY_INLINE auto isSuspicious(const ScoreConstants& constants, V square, V variance) {
        if constexpr (Scores::kSumErrors) {
            return hn::Not(hn::Gt(variance, hn::Mul(set(4.001), errorOf(constants, square))));
        } else {
            return hn::Le(variance, hn::Mul(set(constants.suspicious), square));
        }
    }

    static HWY_INLINE V boundOf(const ScoreConstants& constants, V squares, V inverse,
                                V magnitude) {
        const auto k2 = hn::Mul(hn::Mul(squares, inverse), inverse);
        const auto k = Scores::rootAbove(k2);
        const auto fourier = hn::Min(hn::MulAdd(set(constants.boundNumerator), inverse,
                                                hn::Mul(set(constants.boundScore), magnitude)),
                                     hn::Mul(set(constants.boundWorst), inverse));
        const auto own =
            hn::Add(hn::MulAdd(set(constants.boundPanel), k, fourier),
                    hn::MulAdd(set(constants.boundSquare), k2, set(constants.boundConstant)));
        if constexpr (Scores::kSumErrors) {
            const auto relative =
                hn::Mul(hn::Mul(set(1.0001 * kInverseShare), errorOf(constants, squares)),
                        hn::Mul(inverse, inverse));
            const auto most = hn::Min(set(1), hn::Add(magnitude, hn::Add(own, relative)));
            return hn::MulAdd(relative, most, own);
        } else {
            return own;
        }
    }

    /// The lanes of a vector that need a status or a count of their own.
    struct Marks {
        HWY_ALIGN Real low[hn::MaxLanes(D())];
        HWY_ALIGN Real suspicious[hn::MaxLanes(D())];
        HWY_ALIGN Real over[hn::MaxLanes(D())];
        HWY_ALIGN Real bound[hn::MaxLanes(D())];

        template <class M> Marks(M isLow, M isSuspicious, M isOver, V bounds) {
            const D d;
            const auto one = hn::Set(d, Real{1});
            hn::Store(hn::IfThenElseZero(isLow, one), d, low);
            hn::Store(hn::IfThenElseZero(isSuspicious, one), d, suspicious);
            hn::Store(hn::IfThenElseZero(isOver, one), d, over);
            hn::Store(bounds, d, bound);
        }
    };

    // Writes the statuses of the `count` lanes that begin at voxel `first` of a row, and counts
    // them.
    template <class S>
    void mark(const Marks& marks, std::int64_t count, const Row<S>& row, std::int64_t first) {
        for (std::int64_t lane = 0; lane < count; ++lane) {
            const std::int64_t i = first + lane;
            if (marks.suspicious[lane] != 0) {
                const double s1 = row.sums.firstAt(i);
                double score = 0;
                row.status[i] = settle(s1, row.sums.secondAt(i),
                                       Scores::numeratorOf(row.num[i], s1, m_constants), score);
                remember(row, i);
                row.value[i] = static_cast<float>(score);
                if (row.exact != nullptr) {
                    row.exact[i] = score;
                }
                m_tally.marked += row.status[i] != 0 ? 1 : 0;
                continue; // settle() has counted its bound
            }
            m_tally.overRange += marks.over[lane] != 0 ? 1 : 0;
            const auto bound = static_cast<double>(marks.bound[lane]);
            if (marks.low[lane] != 0) {
                row.status[i] = static_cast<std::uint8_t>(base::Status::LowConf);
                ++m_tally.marked;
                ++m_tally.lowConf;
                m_tally.largestLowConf = std::max(m_tally.largestLowConf, bound);
                remember(row, i);
            } else {
                m_tally.largestBound = std::max(m_tally.largestBound, bound);
            }
        }
    }

    // Records what is needed to recompute a LOWCONF voxel.
    template <class S> void remember(const Row<S>& row, std::int64_t i) {
        auto* const low = m_arguments.low;
        if (row.status[i] == static_cast<std::uint8_t>(base::Status::LowConf) && low != nullptr) {
            low->add(
                {{row.at.x + i, row.at.y, row.at.z}, row.sums.firstAt(i), row.sums.secondAt(i)});
        }
    }

    // N s2 - s1^2 in units of 1 / unit^2, in 128-bit integers, for terms that double cannot hold
    // exactly.
    [[nodiscard]] double wideVariance(double s1, double s2) const {
        __extension__ using Wide = __int128;
        const double unit = m_constants.unit;
        const auto sum = static_cast<Wide>(s1 * unit);
        const auto square = static_cast<Wide>(s2 * unit * unit);
        return static_cast<double>(static_cast<Wide>(m_constants.count) * square - sum * sum);
    }

    // Status of a voxel whose variance is too small to be trusted. With exact sums the variance is
    // computed exactly and gives FLAT or the score. Otherwise the caller must compare the voxels of
    // the panel.
    std::uint8_t settle(double s1, double s2, double num, double& value) {
        if (!m_constants.exactSums) {
            ++m_tally.suspicious;
            return kSuspicious;
        }
        const ScoreConstants& c = m_constants;
        const double scaled = c.exactVariance
                                  ? c.count * (s2 * c.unit * c.unit) - s1 * c.unit * (s1 * c.unit)
                                  : wideVariance(s1, s2);
        if (scaled == 0) {
            return static_cast<std::uint8_t>(base::Status::Flat);
        }
        const double variance = scaled / (c.count * c.unit * c.unit);
        const double inverse = 1.0 / std::sqrt(variance);
        const double score = num * inverse;
        const double magnitude = std::abs(score);
        const double bound = std::min(c.boundNumerator * inverse + c.boundScore * magnitude,
                                      c.boundWorst * inverse) +
                             c.boundPanel * std::sqrt(s2) * inverse + c.boundConstant;
        m_tally.overRange += magnitude > 1 + bound ? 1 : 0;
        value = std::clamp(score, -1.0, 1.0);
        if (bound > c.promise) {
            m_tally.largestLowConf = std::max(m_tally.largestLowConf, bound);
            ++m_tally.lowConf;
            return static_cast<std::uint8_t>(base::Status::LowConf);
        }
        m_tally.largestBound = std::max(m_tally.largestBound, bound);
        return 0;
    }

    const Arguments& m_arguments;
    const ScoreConstants& m_constants;
    Real m_least; ///< see leastOf()
    ScoreTally m_tally;
    V m_largest = hn::Zero(D());
    std::int64_t m_plain = 0;      ///< rows that scorePlainly() scored
    std::int64_t m_remarkable = 0; ///< rows that it could not score
};

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
