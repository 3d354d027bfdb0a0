#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/common/for_items.h"
#include "engine/method/shared/finish.h"
#include "engine/method/shared/fourier_bound.h"

/// The inner loops of the CPU methods. They are compiled for every instruction set of the target
/// architecture; Highway chooses one at each call.
namespace flcc::cpu::simd {

/// Names of the instruction sets this machine can run, widest first: "AVX3", "AVX2", "SSE4",
/// "EMU128" (portable).
[[nodiscard]] std::vector<std::string> instructionSets();

/// For tests: restricts all kernels to one of instructionSets(); an empty name removes the
/// restriction. No run may be in progress.
void forceInstructionSet(std::string_view name);

/// Floats that a row buffer must have behind its last voxel, so that whole vectors can be read.
inline constexpr std::int64_t kSlack = 64;

/// A box in a worker's buffer, with slack: centred voxels or sums in single or double precision,
/// voxels in steps of a quantum (16-bit), pairs of such voxels or sums of their products (32-bit).
template <class Element> struct VoxelBox {
    Element* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t sliceStride = 0;
};
using FloatBox = VoxelBox<float>;
using DoubleBox = VoxelBox<double>;
using IntegerBox = VoxelBox<std::int32_t>;
using StepBox = VoxelBox<std::int16_t>;

/// Sum, range and number of non-finite values of one or more voxels. Sum and range cover the finite
/// voxels only.
struct VoxelFacts {
    double sum = 0;
    double minimum = 0;
    double maximum = 0;
    std::int64_t nonFinite = 0;
};
/// **Errors**: none. If no voxel is finite, minimum is +Inf and maximum -Inf.
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const float>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::uint8_t>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::uint16_t>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::int16_t>& voxels);

/// to = (voxel - reference) * scale, rounded once to the type of `to`; 0 for voxels that are not
/// finite. `reference` is a value of the voxel type, `scale` a power of two.
void loadVoxels(const base::View<const float>& voxels, double reference, float scale,
                const FloatBox& to);
void loadVoxels(const base::View<const std::uint8_t>& voxels, double reference, float scale,
                const FloatBox& to);
void loadVoxels(const base::View<const std::uint16_t>& voxels, double reference, float scale,
                const FloatBox& to);
void loadVoxels(const base::View<const std::int16_t>& voxels, double reference, float scale,
                const FloatBox& to);
void loadVoxels(const base::View<const float>& voxels, double reference, double scale,
                const DoubleBox& to);
void loadVoxels(const base::View<const std::uint8_t>& voxels, double reference, double scale,
                const DoubleBox& to);
void loadVoxels(const base::View<const std::uint16_t>& voxels, double reference, double scale,
                const DoubleBox& to);
void loadVoxels(const base::View<const std::int16_t>& voxels, double reference, double scale,
                const DoubleBox& to);

/// True if all finite voxels are multiples k * quantum, k an integer without any of the bits
/// `beyond`. The bits of all k are added to `bits`. `quantum` is a power of two; no |k| reaches
/// 2^24.
[[nodiscard]] bool isOnGrid(const base::View<const float>& voxels, double quantum,
                            std::uint32_t beyond, std::uint32_t& bits);

/// Makes pairs for correlateDirect() from a run of centred voxels. Every voxel times `steps` is an
/// integer below 2^15 in magnitude. Reads one voxel behind the run.
void loadPairs(const float* x, std::int64_t count, float steps, std::int32_t* out);

/// The same as single 16-bit steps. Reads and writes whole vectors, up to kSlack / 2 elements
/// behind the run.
void loadSteps(const float* x, std::int64_t count, float steps, std::int16_t* out);

/// Exact sums of steps and of their squares.
struct StepSums {
    std::int64_t values = 0;
    std::int64_t squares = 0;
};
/// Adds a run of steps to `sums`.
void addSteps(const std::int16_t* steps, std::int64_t count, StepSums& sums);

/// Output columns and rows that correlateDirect() computes at once. Buffers are rounded up to
/// multiples of them.
inline constexpr std::int64_t kBlockColumns = 64;
inline constexpr std::int64_t kBlockRows = 4;

/// num(u) = sum_k x(u + k) t(k) for every u of `out` (FLCC (10)).
/// **Shapes**: x holds out + m - 1 voxels, with kBlockRows - 1 more rows, and rows that reach
/// kSlack columns beyond a multiple of kBlockColumns. t is contiguous, m.x fastest. The rows of num
/// are rounded up as those of x.
void correlateDirect(const FloatBox& x, const float* t, const base::Extents& m,
                     const base::Extents& out, const FloatBox& num);
void correlateDirect(const DoubleBox& x, const double* t, const base::Extents& m,
                     const base::Extents& out, const DoubleBox& num);

/// The same in integers, without any rounding. Each element of x holds a voxel and its right
/// neighbour along x as two signed 16-bit halves, the voxel in the lower half. t holds the weights
/// in pairs of the same form, and m.x counts the pairs of a row. N times the largest voxel times
/// the largest weight must fit 32 bits.
void correlateDirect(const IntegerBox& x, const std::int32_t* t, const base::Extents& m,
                     const base::Extents& out, const IntegerBox& num);

/// Rows of a template of width `width` that share one accumulator before it is added to the total:
/// as many as keep the chain of roundings near 32.
[[nodiscard]] std::int64_t rowsPerAccumulator(std::int64_t width);

/// Longest chain of roundings that a product passes through in correlateDirect(): L in the error
/// bound (engine/method/NUMERICS.md, section 5).
[[nodiscard]] std::int64_t directChain(const base::Extents& m);

/// Panels that panelProducts() computes together, so that every weight is read once for all of
/// them.
inline constexpr std::size_t kPanels = 8;

/// Numerators sum x That of single panels in double, in chains of at most N + 3 roundings.
/// **Shapes**: a panel has extents m and begins at x.data + at, with kSlack floats behind its last
/// row. `that` is contiguous, m.x fastest.
void panelProducts(const FloatBox& x, const std::array<std::int64_t, kPanels>& at,
                   const double* that, const base::Extents& m, std::array<double, kPanels>& to);

/// The same in integers, without any rounding. Weights are in pairs as for correlateDirect(), with
/// kSlack elements behind the last; rows of odd width end with a 0. N times the largest voxel times
/// the largest weight must fit 32 bits.
void panelProducts(const StepBox& x, const std::array<std::int64_t, kPanels>& at,
                   const std::int32_t* pairs, const base::Extents& m,
                   std::array<double, kPanels>& to);

/// The constants of a tile that turn sums into scores, bounds and statuses
/// (engine/method/NUMERICS.md, sections 4 and 5).
struct ScoreConstants {
    double count = 1;       ///< N, voxels of the support
    bool exactSums = false; ///< the window sums are exact integers times a power of two
    double unit = 1;        ///< with exactSums, x * unit is an integer
    /// N s2 - s1^2 is exact too: a panel is flat if and only if it is 0.
    bool exactVariance = false;
    double suspicious = 0;     ///< a panel with D <= suspicious * s2 may be flat
    double boundNumerator = 0; ///< `typical` of fourierBound()
    double boundWorst = 0;     ///< `worst` of fourierBound(); infinite without transforms
    double boundScore = 0;     ///< factor of |r|
    double boundPanel = 0;     ///< factor of K
    double boundSquare = 0;    ///< factor of K^2
    double boundConstant = 0;
    double promise = 1e-4;
    // For integer numerators num = sum a b, a = x * unit and b the steps of the template:
    // r = (N num - (sum a) (sum b)) * numeratorScale / sqrt(D).
    double templSum = 0;       ///< sum b
    double numeratorScale = 1; ///< 1 / (N ||b - mean|| unit)
    /// For numerators with That less a level: the level. The scores add it times s1. 0 for others.
    double templLevel = 0;
    /// For sums under a mask, which are given and may not be exact (`hasSumErrors`): the error of D
    /// is at most varianceOne + varianceRoot sqrt(s2) + varianceSquare s2. `count` is then the sum
    /// of the weights, and a panel whose D is at most four times that error may be flat.
    bool hasSumErrors = false;
    double varianceOne = 0;
    double varianceRoot = 0;
    double varianceSquare = 0;
};

using method::shared::FinishConstants;

/// Status byte of a voxel whose D is too small to be trusted. The caller replaces it by FLAT or
/// LOWCONF; it never leaves the engine.
inline constexpr std::uint8_t kSuspicious = 255;

struct ScoreTally {
    double largestBound = 0;     ///< largest bound of voxels within the promise
    double largestLowConf = 0;   ///< largest bound of the other voxels
    double largestRelative = 0;  ///< MapFacts::largestRelative
    std::int64_t marked = 0;     ///< voxels whose status byte is not OK
    std::int64_t lowConf = 0;    ///< voxels that are LOWCONF
    std::int64_t suspicious = 0; ///< voxels that are kSuspicious
    std::int64_t overRange = 0;
};

/// A LOWCONF voxel of a tile and the window sums of its panel.
struct LowPanel {
    base::Index at;
    double s1 = 0;
    double s2 = 0;
};

/// The LOWCONF voxels of a tile, up to a limit.
struct LowPanels {
    std::vector<LowPanel> panels;
    std::size_t most = 0; ///< the limit
    bool full = false;    ///< the limit is reached: there may be further voxels

    void start(std::size_t room) {
        panels.clear();
        panels.reserve(room);
        most = room;
        full = false;
    }
    void add(const LowPanel& panel) {
        if (!full) {
            panels.push_back(panel);
            full = panels.size() == most;
        }
    }
};

/// What scores of any numerators may use of a row whose window sums are kept: its largest K^2 and
/// its smallest D.
struct KeptRow {
    float square = 0;
    float variance = 0; ///< 0: its panels cannot be scored with one bound for the row
};

/// The best scores of a box of placements, into which scores of template `templ` are merged. The
/// larger score stays; of equal ones the older stays. The best scores of template 0 are its own, in
/// the same memory.
struct BestRows {
    std::int32_t templ = 0;
    base::Extents extents;
    FloatBox best;
    IntegerBox index;
    VoxelBox<std::uint8_t> status{}; ///< of the best scores; without data all are OK
    bool wholeFirst = false;         ///< method::Counted::wholeFirst
};
struct BestSums {
    double sum = 0;
    double squares = 0;
};

/// With ScoreArguments::recall: the scores of placements that count are merged into the best ones,
/// and nothing else is written than one row of scores, bounds and statuses, that of the last row.
/// All this only if the bounds of all rows are within the promise and no score exceeds 1.
struct MergeArguments {
    /// The rows but the last one: any whose bound is not less than that of another; all have one.
    const KeptRow* rows = nullptr;
    std::int64_t count = 0;
    BestRows to;
    base::Index corner; ///< of `to` in the tile
    BestSums sums;      ///< result: of the scores that were merged
    bool done = false;  ///< result; else the scores are to be merged again from a map
};

/// Input and output of scoreTile(), which writes scores, status bytes and bounds of one tile:
/// window sums of x and x^2 over m, D, r = num / sqrt(D), clamped to [-1, 1].
///
/// Running sums are used if they are exact, or if the scores are not kept in double and every D is
/// at least 2^22 times their error. All other window sums use additions only
/// (engine/method/NUMERICS.md, section 4).
///
/// **Shapes**: x as for correlateDirect(), with |x| <= 1; num has extents `out`; value and status
/// are the same box inside the map, with the map's strides; bounds holds out.x + kSlack values;
/// scratch holds scoreScratch() doubles.
template <class Real, class Numerator = Real> struct ScoreArguments {
    VoxelBox<Real> x;
    VoxelBox<Numerator> num;
    base::Extents m;
    base::Extents out;
    base::Extents tile; ///< extents of the largest tile
    float* value = nullptr;
    double* exact = nullptr; ///< if not null, gets the scores in double
    std::uint8_t* status = nullptr;
    std::int64_t mapRowStride = 0;
    std::int64_t mapSliceStride = 0;
    float* bounds = nullptr;
    double* scratch = nullptr;
    double* kept = nullptr;    ///< if not null, gets the window sums: keptSums(out) doubles
    float* inverses = nullptr; ///< with `kept`: 1 / sqrt(D), half as many values
    KeptRow* rows = nullptr;   ///< with `kept`: facts of the out.y * out.z rows
    /// Scores these numerators from `kept`, `inverses` and `rows`, with the bits that x would give.
    /// x is not read.
    bool recall = false;
    bool sumsOnly = false; ///< with `recall`: `inverses` and `rows` are to be filled
    /// Null: the score r. Else the values are those of another operation; `inverses` and `rows` are
    /// not used.
    const FinishConstants* finish = nullptr;
    LowPanels* low = nullptr; ///< if not null, gets the LOWCONF voxels
    MergeArguments* merge = nullptr;
};
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<float>& arguments,
                                   const ScoreConstants& constants);
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<double>& arguments,
                                   const ScoreConstants& constants);
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<float, std::int32_t>& arguments,
                                   const ScoreConstants& constants);

/// Doubles of a row of `columns` sums, with space for one more whole vector at the end.
[[nodiscard]] constexpr std::int64_t sumsRow(std::int64_t columns) {
    return (columns + 31) / 16 * 16;
}

/// Rows of `columns` sums whose windows along x scoreTile() makes together. There are enough of
/// them that stored sums have left the store buffer when the next pass reads them across vector
/// boundaries, and few enough to stay in the first-level cache.
[[nodiscard]] std::int64_t rowsTogether(std::int64_t columns);

/// Number of windows over `width` rows, or planes, that are made together; one tail is kept for
/// each group. For few rows the windows of a group stay in the first-level cache. For many rows,
/// tails of small groups would fill the last-level cache.
[[nodiscard]] std::int64_t rowGroup(std::int64_t width, std::int64_t columns);
[[nodiscard]] constexpr std::int64_t planeGroup(std::int64_t width) { return width < 16 ? 1 : 8; }
/// Rows, or planes, of sums that the windows of a group take: tails, head and windows.
[[nodiscard]] constexpr std::int64_t windowRows(std::int64_t width, std::int64_t group) {
    return (width + group - 1) / group + 1 + group;
}

/// Rows whose running sums scoreTile() makes together: enough that the sums of a row have left the
/// store buffer when they are read again.
inline constexpr std::int64_t kRunningRows = 4;

/// Running sums are used if every variance is at least this many times their error. kRunningBound
/// is the error that they then add to a score: that of 1 / sqrt(D).
inline constexpr double kLargerThanError = 0x1p22;
inline constexpr double kRunningBound = 0.51 / kLargerThanError;

/// A bound on the error of N times the variance from running sums, for `out` windows over voxels of
/// magnitude 1 at most (engine/method/NUMERICS.md, section 4). Each axis adds its own roundings to
/// the error of the sums that it adds up: m roundings for the first window and two for every
/// further one. Prefix sums add one rounding for each vector and those within a vector, at both
/// ends of a window, for vectors of `lanes` doubles. The square of the mean doubles the error of
/// the sum of squares.
[[nodiscard]] inline double runningError(const base::Extents& m, const base::Extents& out,
                                         std::int64_t lanes) {
    const auto of = [](std::int64_t value) { return static_cast<double>(value); };
    double largest = 1;
    double error = 0;
    const auto run = [&](std::int64_t width, std::int64_t windows) {
        if (width > 1 || windows > 1) {
            error = of(width) * error + of(width + 1) * largest * of(width + 2 * windows);
            largest *= of(width + 1);
        }
    };
    run(m.z, m.z > 1 ? out.z : 1);
    run(m.y, out.y);
    const double columns = of(out.x + m.x - 1);
    const double vectors = columns / of(lanes) + 6;
    return 3.01 * 0x1p-53 * (of(m.x) * error + 2 * vectors * columns * largest);
}

/// Doubles before the running sums of a row; and of that row, with space for one more whole vector.
inline constexpr std::int64_t kRunningLead = 8;
[[nodiscard]] constexpr std::int64_t runningRow(std::int64_t columns) {
    return sumsRow(columns) + 2 * kRunningLead;
}

/// Extents of the placements whose sums scoreTile() makes together, so that they stay in cache: by
/// additions only (stripExtents) and as running sums (runningStrip).
[[nodiscard]] base::Extents stripExtents(const base::Extents& m, const base::Extents& tile);
[[nodiscard]] base::Extents runningStrip(const base::Extents& m, const base::Extents& tile);

/// Doubles of scratch that scoreTile() needs for tiles of at most `tile` placements.
[[nodiscard]] std::int64_t scoreScratch(const base::Extents& m, const base::Extents& tile,
                                        bool additions = true);

/// Doubles of the window sums of a tile of `out` placements.
[[nodiscard]] constexpr std::int64_t keptSums(const base::Extents& out) {
    return 2 * sumsRow(out.x) * out.y * out.z;
}

/// Input of takeBest(), which merges scores that are all OK and returns sums over them.
struct BestArguments {
    BestRows to;
    VoxelBox<const float> score;
};
[[nodiscard]] BestSums takeBest(const BestArguments& arguments);

/// Four neighbouring voxels of a template, the first in the lowest bits.
struct Quad {
    std::int64_t offset = 0; ///< of the first, in the scene's footprint
    std::uint32_t values = 0;
};
/// Quads whose sums fit 16 bits: 4 * 255 each.
inline constexpr std::int64_t kMostQuads = 64;

/// Input of addQuadDifferences(), which adds |scene - template| over at most kMostQuads quads to
/// the sums of `length` placements of a row.
struct QuadArguments {
    static constexpr std::int64_t kSlack = 192; ///< behind the voxels and sums that are used

    const std::uint8_t* row = nullptr;
    const Quad* quads = nullptr;
    std::int64_t count = 0;
    std::int64_t length = 0;
    std::uint16_t* sums = nullptr;
};
void addQuadDifferences(const QuadArguments& arguments);

/// Sums of squares of a box: the largest of a row, the largest of a line along y, all.
struct LineEnergies {
    double brightestRow = 0;
    double brightestColumn = 0;
    double total = 0;
};

/// Energies of a tile and of its lines parallel to each axis, for the error bound
/// (engine/method/NUMERICS.md, section 5), in `parts` parts that `each` runs. If `each` is stopped,
/// the result is unspecified.
using method::shared::TileEnergy;
[[nodiscard]] TileEnergy lineEnergy(const float* tile, const base::Extents& extents,
                                    std::int64_t parts = 1,
                                    const ForItems& each = oneAfterTheOther());
[[nodiscard]] TileEnergy lineEnergy(const double* tile, const base::Extents& extents,
                                    std::int64_t parts = 1,
                                    const ForItems& each = oneAfterTheOther());

} // namespace flcc::cpu::simd
