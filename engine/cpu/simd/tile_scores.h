// Scores of all placements of a tile, from window sums that run on or are added
// (engine/method/NUMERICS.md, section 4). Files that include <hwy/foreach_target.h> compile this
// one once for every instruction set. Each kind of numerator has a file of its own, so that they
// are compiled side by side.
#if defined(FLCC_TILE_SCORES_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_TILE_SCORES_ONCE
#undef FLCC_TILE_SCORES_ONCE
#else
#define FLCC_TILE_SCORES_ONCE
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/cpu/simd/best_rows.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/row_finisher.h"
#include "engine/cpu/simd/row_scorer.h"
#include "engine/cpu/simd/running_sums.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

/// A box of placements of a tile: whole slices, or a part of them whose sums stay in cache.
struct Part {
    std::int64_t column = 0;
    std::int64_t columns = 0;
    std::int64_t row = 0;
    std::int64_t rows = 0;
    std::int64_t slice = 0;
    std::int64_t slices = 0;
};

// Calls `use` for parts of at most `columns` x `rows` placements.
template <class Use>
void forParts(const Part& whole, std::int64_t columns, std::int64_t rows, Use&& use) {
    for (std::int64_t row = 0; row < whole.rows; row += rows) {
        for (std::int64_t column = 0; column < whole.columns; column += columns) {
            Part part = whole;
            part.column += column;
            part.columns = std::min(columns, whole.columns - column);
            part.row += row;
            part.rows = std::min(rows, whole.rows - row);
            use(part);
        }
    }
}

/// Scores rows of window sums by a scorer whose type is erased, so that the window sums are
/// compiled once for all scorers. A call through a pointer, once for each row, costs nothing beside
/// its row.
class RowSink {
  public:
    /// Refers to `scorer`.
    template <class Scorer>
    explicit RowSink(Scorer& scorer)
        : m_scorer(&scorer), m_sums(&call<Scorer, Sums>), m_running(&call<Scorer, PrefixSums>) {}

    /// Scores `count` voxels of row (y, z) from `column` on. False if `sums` are running sums and
    /// not accurate enough.
    bool operator()(const Sums& sums, std::int64_t column, std::int64_t count, std::int64_t y,
                    std::int64_t z) const {
        return m_sums(m_scorer, sums, column, count, y, z);
    }
    bool operator()(const PrefixSums& sums, std::int64_t column, std::int64_t count, std::int64_t y,
                    std::int64_t z) const {
        return m_running(m_scorer, sums, column, count, y, z);
    }

  private:
    template <class S>
    using Call = bool (*)(void*, const S&, std::int64_t, std::int64_t, std::int64_t, std::int64_t);

    template <class Scorer, class S>
    static bool call(void* scorer, const S& sums, std::int64_t column, std::int64_t count,
                     std::int64_t y, std::int64_t z) {
        return (*static_cast<Scorer*>(scorer))(sums, column, count, y, z);
    }

    void* m_scorer;
    Call<Sums> m_sums;
    Call<PrefixSums> m_running;
};

/// What window sums are made of.
template <class Real> struct WindowInput {
    VoxelBox<Real> x;
    base::Extents m;
    base::Extents tile; ///< extents of the largest tile
    double* scratch = nullptr;

    /// Address of the first voxel under a part.
    [[nodiscard]] const Real* cornerOf(const Part& part) const {
        return x.data + part.slice * x.sliceStride + part.row * x.rowStride + part.column;
    }
};

// Scores the rows of one slice of a part. `from` holds its voxels, or their window sums along z. By
// value: the copies stay in registers, whatever the sink writes.
template <class From>
HWY_NOINLINE void scoreSlice(From from, base::Extents m, Part part, std::int64_t z, double* scratch,
                             const RowSink& sink) {
    const std::int64_t columns = part.columns + m.x - 1;
    const std::int64_t together = rowsTogether(columns);
    const SumRows to{scratch, sumsRow(columns)};
    windowsOfRows(from, m.y, part.rows, 1, columns, rowGroup(m.y, columns), to.at(together).s1,
                  [&](const SumRows& windows, std::int64_t first, std::int64_t rows) {
                      for (std::int64_t done = 0; done < rows; done += together) {
                          const std::int64_t count = std::min(together, rows - done);
                          const SumRows some{windows.at(done).s1, windows.stride};
                          const SumRows sums = windowsAlongRows(some, to, m.x, count, part.columns);
                          for (std::int64_t j = 0; j < count; ++j) {
                              (void)sink(sums.at(j), part.column, part.columns,
                                         part.row + first + done + j, z);
                          }
                      }
                  });
}

template <class Real>
void scorePart(const WindowInput<Real>& in, const Part& part, const RowSink& sink) {
    const Real* const corner = in.cornerOf(part);
    if (in.m.z == 1) {
        for (std::int64_t z = 0; z < part.slices; ++z) {
            scoreSlice(VoxelRows<Real>{corner + z * in.x.sliceStride, in.x.rowStride, 0}, in.m,
                       part, part.slice + z, in.scratch, sink);
        }
        return;
    }
    // Windows along z first: then the longest pass, along x, has the fewest voxels.
    const std::int64_t columns = part.columns + in.m.x - 1;
    const std::int64_t lines = part.rows + in.m.y - 1;
    const std::int64_t group = planeGroup(in.m.z);
    double* const rest = in.scratch + windowRows(in.m.z, group) * lines * 2 * sumsRow(columns);
    windowsOfRows(VoxelRows<Real>{corner, in.x.sliceStride, in.x.rowStride}, in.m.z, part.slices,
                  lines, columns, group, in.scratch,
                  [&](const SumRows& planes, std::int64_t first, std::int64_t count) {
                      for (std::int64_t z = 0; z < count; ++z) {
                          scoreSlice(SumRows{planes.at(z).s1, planes.stride}, in.m, part,
                                     part.slice + first + z, rest, sink);
                      }
                  });
}

template <class Real>
void scoreByAdditions(const WindowInput<Real>& in, const Part& whole, const RowSink& sink) {
    const base::Extents strip = stripExtents(in.m, in.tile);
    forParts(whole, strip.x, strip.y, [&](const Part& part) { scorePart(in, part, sink); });
}

// Scores a part from running sums. False if these were not accurate enough; the rest of the part
// was then scored by additions.
template <class Real>
bool scoreByRunning(const WindowInput<Real>& in, const Part& part, const RowSink& sink) {
    const Real* const corner = in.cornerOf(part);
    const std::int64_t columns = part.columns + in.m.x - 1;
    const std::int64_t lines = part.rows + in.m.y - 1;
    const SumRows plane{in.scratch, sumsRow(columns)};
    for (std::int64_t z = 0; z < part.slices; ++z) {
        const auto windows = [&](const auto& from, double* scratch) {
            return runningWindows(from, in.m, part.rows, columns, scratch,
                                  [&](const PrefixSums& sums, std::int64_t row) {
                                      return sink(sums, part.column, part.columns, part.row + row,
                                                  part.slice + z);
                                  });
        };
        std::int64_t done = 0;
        if (in.m.z == 1) {
            done = windows(VoxelRows<Real>{corner + z * in.x.sliceStride, in.x.rowStride, 0},
                           in.scratch);
        } else {
            runPlanes(VoxelRows<Real>{corner, in.x.sliceStride, in.x.rowStride}, z, in.m.z, lines,
                      columns, plane);
            done = windows(plane, plane.at(lines).s1);
        }
        if (done < part.rows) {
            Part rest = part;
            rest.row += done;
            rest.rows -= done;
            rest.slice += z;
            rest.slices = 1;
            scoreByAdditions(in, rest, sink);
            rest = part;
            rest.slice += z + 1;
            rest.slices -= z + 1;
            if (rest.slices > 0) {
                scoreByAdditions(in, rest, sink);
            }
            return false;
        }
    }
    return true;
}

// Scores all placements, by running sums as long as these are accurate enough, if `running`.
template <class Real>
HWY_NOINLINE void scoreWindows(const WindowInput<Real>& in, const Part& whole, bool running,
                               const RowSink& sink) {
    const base::Extents strip = runningStrip(in.m, in.tile);
    forParts(whole, strip.x, strip.y, [&](const Part& part) {
        if (running) {
            running = scoreByRunning(in, part, sink);
        } else {
            scoreByAdditions(in, part, sink);
        }
    });
}

// Scores of row (y, z) from `column` on, from the kept 1 / sqrt(D).
template <class Arguments>
ProductScores productsAt(const Arguments& a, std::int64_t column, std::int64_t y, std::int64_t z) {
    return {a.num.data + z * a.num.sliceStride + y * a.num.rowStride + column,
            a.inverses + (z * a.out.y + y) * sumsRow(a.out.x) + column};
}

// True if all scores but those of the last row are within the promise and at most 1.
template <class Arguments, class Scorer>
bool areWithin(const Arguments& a, const MergeArguments& merge, Scorer& scorer) {
    const hn::ScalableTag<float> d;
    const std::int64_t rows = a.out.y * a.out.z - 1;
    auto most = hn::Zero(d);
    for (std::int64_t row = 0; row < rows; ++row) {
        most = productsAt(a, 0, row % a.out.y, row / a.out.y).largest(a.out.x, most);
    }
    const auto largest = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, most)));
    if (!(largest <= 1)) {
        return false;
    }
    const double limit = scorer.largestWithin(merge.rows, merge.count);
    scorer.countBounds(merge.rows, merge.count, std::min(largest, limit));
    for (std::int64_t row = 0; largest > limit && row < rows; ++row) {
        const auto own =
            productsAt(a, 0, row % a.out.y, row / a.out.y).largest(a.out.x, hn::Zero(d));
        const auto here = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, own)));
        if (here > limit && !scorer.countBounds(a.rows + row, 1, here)) {
            return false;
        }
    }
    return limit >= 0;
}

// Merges scores from the kept 1 / sqrt(D).
template <class Arguments, class Scorer>
void mergeKept(const Arguments& a, MergeArguments& merge, Scorer& scorer, const RowSink& sink) {
    const base::Index last{0, a.out.y - 1, a.out.z - 1};
    (void)sink(keptSumsAt(a, 0, last.y, last.z), 0, a.out.x, last.y, last.z);
    if (scorer.tally().marked != 0 || !areWithin(a, merge, scorer)) {
        return;
    }
    RowTaker row(merge.to);
    for (std::int64_t z = 0; z < merge.to.extents.z; ++z) {
        for (std::int64_t y = 0; y < merge.to.extents.y; ++y) {
            const base::Index at{merge.corner.x, merge.corner.y + y, merge.corner.z + z};
            if (at.y == last.y && at.z == last.z) {
                row(StoredScores{a.value + at.x}, merge.to.extents.x, y, z);
            } else {
                row(productsAt(a, at.x, at.y, at.z), merge.to.extents.x, y, z);
            }
        }
    }
    merge.sums = row.sums();
    merge.done = true;
}

// Scores from the kept window sums.
template <class Arguments> void scoreKept(const Arguments& a, const RowSink& sink) {
    for (std::int64_t z = 0; z < a.out.z; ++z) {
        for (std::int64_t y = 0; y < a.out.y; ++y) {
            (void)sink(keptSumsAt(a, 0, y, z), 0, a.out.x, y, z);
        }
    }
}

// Chooses running sums or additions (engine/method/NUMERICS.md, section 4). The choice depends on
// the voxels of the tile alone, so it is deterministic.
template <class Scorer>
HWY_INLINE ScoreTally scoreAll(const typename Scorer::Arguments& a, const ScoreConstants& given) {
    using Real = typename Scorer::Real;
    ScoreConstants constants = given;
    const base::Extents strip = runningStrip(a.m, a.tile);
    bool running = true;
    Real least = 0;
    if (constants.exactSums) {
        // Prefix sums hold all columns of a strip. At least 2 are counted, as running sums add a
        // row or plane before they subtract another.
        const std::int64_t columns = std::max<std::int64_t>(2, strip.x + a.m.x - 1);
        running = static_cast<double>(columns) * static_cast<double>(a.m.y) *
                      static_cast<double>(a.m.z) * constants.unit * constants.unit <
                  0x1p53;
    } else if (a.exact == nullptr && 4 * kRunningBound <= constants.promise) {
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(DD()));
        least = static_cast<Real>(kLargerThanError *
                                  runningError(a.m, {strip.x, strip.y, a.out.z}, lanes));
        // s1 is off by at most D / (3 * 2^22), and sqrt(D) is at most sqrt(N).
        constants.boundConstant +=
            kRunningBound * (1 + std::abs(constants.templLevel) * std::sqrt(constants.count));
    } else {
        // scores in double and small promises do not allow the error of running sums
        running = false;
    }
    if (constants.hasSumErrors) {
        constants.boundConstant = given.boundConstant; // their errors count apart
    }
    Scorer scorer(a, constants, least);
    const RowSink sink(scorer);
    if constexpr (Scorer::kMerges) {
        if (a.merge != nullptr) {
            mergeKept(a, *a.merge, scorer, sink);
            return scorer.tally();
        }
    }
    if (a.recall) {
        scoreKept(a, sink);
    } else {
        const Part whole{0, a.out.x, 0, a.out.y, 0, a.out.z};
        scoreWindows(WindowInput<Real>{a.x, a.m, a.tile, a.scratch}, whole, running, sink);
    }
    hwy::FlushStream();
    return scorer.tally();
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
