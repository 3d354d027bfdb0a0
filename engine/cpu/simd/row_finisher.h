// Values, statuses and bounds of operations other than lcc from rows of window sums
// (engine/method/NUMERICS.md, section 5). Files that include <hwy/foreach_target.h> compile this
// one once for every instruction set.
#if defined(FLCC_ROW_FINISHER_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_ROW_FINISHER_ONCE
#undef FLCC_ROW_FINISHER_ONCE
#else
#define FLCC_ROW_FINISHER_ONCE
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

#include "engine/base/status.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/score_vectors.h"
#include "engine/cpu/simd/tile_rows.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// Does for any operation what RowScorer does for r, with the same interface. `Scores` names the
// types of its numerators.
template <class Scores> class RowFinisher {
  public:
    using Rows = TileRows<Scores>;
    using Real = typename Rows::Real;
    using Arguments = typename Rows::Arguments;
    using D = typename Rows::D;
    using V = typename Rows::V;
    using W = hn::Vec<DD>;
    using FinishBound = method::shared::FinishBound;
    using FinishStatus = method::shared::FinishStatus;
    static constexpr bool kMerges = false;

    /// `least`: kLargerThanError times the error of running sums; 0 without.
    RowFinisher(const Arguments& arguments, const ScoreConstants& constants, Real least)
        : m_arguments(arguments),
          m_finish(*arguments.finish), m_limits{constants.promise,
                                                static_cast<double>(least) / kLargerThanError,
                                                kTiny, kMost} {
        const double sumsError = m_limits.sumsError;
        m_finish.error.one += (std::abs(m_finish.panel) + std::abs(m_finish.squares)) * sumsError;
        m_finish.energyError.one += (std::abs(m_finish.energyPanel) + 1) * sumsError;
    }

    /// Finishes `count` voxels of row (y, z) from `column` on. Always true: the bounds count the
    /// error of running sums.
    template <class S>
    [[nodiscard]] bool operator()(const S& sums, std::int64_t column, std::int64_t count,
                                  std::int64_t y, std::int64_t z) {
        const auto row = Rows::rowOf(m_arguments, sums, column, count, y, z);
        m_finish.normalised ? finish<true>(row) : finish<false>(row);
        return true;
    }

    [[nodiscard]] ScoreTally tally() const { return m_tally; }

  private:
    template <class S> using Row = typename Rows::template Row<S>;
    template <class Count> static constexpr bool kWhole = Rows::template kWhole<Count>;
    static constexpr bool kSingle = std::is_same_v<Real, float>;
    static constexpr std::size_t kParts = kSingle ? 2 : 1; ///< vectors of doubles of one of values
    static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(DD()));
    static constexpr double kTiny = kSingle ? 0x1p-80 : 0x1p-900;
    /// Larger values are left to the canonical value.
    static constexpr double kMost = kSingle ? 3e38 : std::numeric_limits<double>::max();

    /// What the values of a vector of panels are made of.
    struct Panels {
        W form[kParts];
        W energy[kParts];
        W square[kParts];
    };
    static HWY_INLINE W numerators(const float* at) {
        return hn::PromoteTo(DD(), hn::LoadU(hn::Rebind<float, DD>(), at));
    }
    static HWY_INLINE W numerators(const std::int32_t* at) {
        return hn::PromoteTo(DD(), hn::LoadU(hn::Rebind<std::int32_t, DD>(), at));
    }
    static HWY_INLINE W numerators(const double* at) { return hn::LoadU(DD(), at); }

    template <class S>
    static HWY_INLINE Panels panelsOf(const Row<S>& row, std::int64_t i, const FinishConstants& c) {
        const DD dd;
        Panels to;
        for (std::size_t part = 0; part < kParts; ++part) {
            const std::int64_t at = i + static_cast<std::int64_t>(part) * kLanes;
            const auto s1 = row.sums.first(at);
            const auto s2 = row.sums.second(at);
            auto products = numerators(row.num + at);
            if constexpr (!kSingle) {
                if (c.wholeProducts != 0) {
                    products = hn::Round(hn::Mul(products, hn::Set(dd, c.wholeProducts)));
                }
            }
            const auto sums =
                hn::MulAdd(hn::Set(dd, c.panel), s1,
                           hn::MulAdd(hn::Set(dd, c.squares), s2, hn::Set(dd, c.one)));
            to.form[part] = hn::MulAdd(hn::Set(dd, c.products), products, sums);
            to.energy[part] =
                hn::MulAdd(hn::Set(dd, c.energyPanel), s1, hn::Add(s2, hn::Set(dd, c.energyOne)));
            to.square[part] = s2;
        }
        return to;
    }

    static HWY_INLINE V joined(const W (&of)[kParts]) {
        if constexpr (kSingle) {
            const D d;
            const hn::Half<D> h;
            return hn::Combine(d, hn::DemoteTo(h, of[1]), hn::DemoteTo(h, of[0]));
        } else {
            return of[0];
        }
    }

    template <bool kNormalised>
    static HWY_INLINE V valuesOf(const Panels& of, const FinishConstants& c) {
        const D d;
        V value = joined(of.form);
        if constexpr (kNormalised) {
            value = hn::Mul(value, Scores::inverseRoot(joined(of.energy)));
        }
        return hn::Min(hn::Max(value, hn::Set(d, static_cast<Real>(c.lowest))),
                       hn::Set(d, static_cast<Real>(c.highest)));
    }

    template <bool kNormalised>
    [[nodiscard]] FinishBound judge(double square, double energy, double value) const {
        return method::shared::boundOfFinish<kNormalised>(m_finish, m_limits, square, energy,
                                                          value);
    }

    template <bool kNormalised, class S> void finish(const Row<S>& row) {
        if (m_remarkable > m_plain / 2 + 2 || !plainly<kNormalised>(row)) {
            ++m_remarkable;
            carefully<kNormalised>(row);
        } else {
            ++m_plain;
        }
    }

    [[nodiscard]] bool isSampled(const base::Index& at) const {
        return at.y + 1 == m_arguments.out.y;
    }

    /// Finishes a row with one bound for all its voxels. False if that bound breaks the promise or
    /// a panel may be FLAT; the values written are then meaningless.
    template <bool kNormalised, class S> [[nodiscard]] bool plainly(const Row<S>& row) {
        const D d;
        const DD dd;
        const FinishConstants c = m_finish; // a copy no store can alias
        const auto far = hn::Set(dd, std::numeric_limits<double>::max());
        auto squares = hn::Zero(dd);
        auto energies = far;
        auto values = hn::Zero(d);
        Rows::template overVectors<true>(row, [&](std::int64_t i, auto count, std::int64_t) {
            Panels panels = panelsOf(row, i, c);
            V value = valuesOf<kNormalised>(panels, c);
            if constexpr (!kWhole<decltype(count)>) {
                for (std::size_t part = 0; part < kParts; ++part) {
                    const auto inside = insideOf(count, part);
                    panels.square[part] = hn::IfThenElseZero(inside, panels.square[part]);
                    panels.energy[part] = hn::IfThenElse(inside, panels.energy[part], far);
                }
                value = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(count)), value);
            }
            for (std::size_t part = 0; part < kParts; ++part) {
                squares = hn::Max(squares, panels.square[part]);
                energies = hn::Min(energies, panels.energy[part]);
            }
            values = hn::Max(values, hn::Abs(value));
            Rows::storeScores(row, i, count, value);
        });
        Rows::clearStatuses(row);
        const auto largest = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, values)));
        const double square = hn::GetLane(hn::MaxOfLanes(dd, squares));
        const FinishBound judged =
            judge<kNormalised>(square, hn::GetLane(hn::MinOfLanes(dd, energies)), largest);
        if (judged.open || !(judged.most <= m_limits.promise) || !(largest <= kMost)) {
            return false;
        }
        m_tally.largestBound = std::max(m_tally.largestBound, judged.bound);
        m_tally.largestRelative = std::max(m_tally.largestRelative, judged.most);
        if (isSampled(row.at)) {
            std::fill_n(m_arguments.bounds + row.at.x, row.count, static_cast<float>(judged.bound));
        }
        return true;
    }

    static HWY_INLINE auto insideOf(std::int64_t count, std::size_t part) {
        const std::int64_t left = count - static_cast<std::int64_t>(part) * kLanes;
        return hn::FirstN(DD(),
                          static_cast<std::size_t>(std::clamp<std::int64_t>(left, 0, kLanes)));
    }

    template <bool kNormalised, class S> void carefully(const Row<S>& row) {
        const D d;
        const DD dd;
        const FinishConstants c = m_finish; // a copy no store can alias
        Rows::clearStatuses(row);
        Rows::template overVectors<false>(row, [&](std::int64_t i, auto count, std::int64_t) {
            constexpr std::size_t kAll = kParts * hn::MaxLanes(DD());
            const Panels panels = panelsOf(row, i, c);
            const V value = valuesOf<kNormalised>(panels, c);
            Rows::storeScores(row, i, count, value);
            HWY_ALIGN double squares[kAll];
            HWY_ALIGN double energies[kAll];
            HWY_ALIGN Real values[hn::MaxLanes(D())];
            for (std::size_t part = 0; part < kParts; ++part) {
                hn::Store(panels.square[part], dd, squares + part * hn::MaxLanes(DD()));
                hn::Store(panels.energy[part], dd, energies + part * hn::MaxLanes(DD()));
            }
            hn::Store(value, d, values);
            for (std::int64_t lane = 0; lane < count; ++lane) {
                mark(row, i + lane,
                     judge<kNormalised>(squares[lane], energies[lane],
                                        std::abs(static_cast<double>(values[lane]))),
                     energies[lane], static_cast<double>(values[lane]));
            }
        });
    }

    /// Writes the status of voxel `i` of a row and counts it.
    template <class S>
    void mark(const Row<S>& row, std::int64_t i, const FinishBound& judged, double energy,
              double value) {
        if (isSampled(row.at)) {
            m_arguments.bounds[row.at.x + i] = static_cast<float>(judged.bound);
        }
        const FinishStatus status =
            method::shared::statusOfFinish(m_finish, m_limits, judged, energy, value);
        if (status == FinishStatus::Ok) {
            m_tally.largestBound = std::max(m_tally.largestBound, judged.bound);
            m_tally.largestRelative = std::max(m_tally.largestRelative, judged.relative);
            return;
        }
        ++m_tally.marked;
        if (status == FinishStatus::LowConf) {
            row.status[i] = static_cast<std::uint8_t>(base::Status::LowConf);
            ++m_tally.lowConf;
            m_tally.largestLowConf = std::max(m_tally.largestLowConf, judged.bound);
            return;
        }
        const bool flat = status == FinishStatus::Flat;
        m_tally.suspicious += flat ? 0 : 1;
        row.status[i] = flat ? static_cast<std::uint8_t>(base::Status::Flat) : kSuspicious;
        row.value[i] = 0;
        if (row.exact != nullptr) {
            row.exact[i] = 0;
        }
    }

    const Arguments& m_arguments;
    FinishConstants m_finish;
    method::shared::FinishLimits m_limits;
    ScoreTally m_tally;
    std::int64_t m_plain = 0;      ///< rows that plainly() finished
    std::int64_t m_remarkable = 0; ///< rows that it could not finish
};

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
