#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/method/shared/fourier_bound.h"

/// The inner loops of the CPU methods, compiled for every instruction set of the target
/// architecture and dispatched once a call (Highway).
namespace flcc::cpu::simd {

/// Names of the instruction sets this machine can run, widest first: "AVX3", "AVX2", "SSE4",
/// "EMU128" (portable).
[[nodiscard]] std::vector<std::string> instructionSets();

/// Restricts all kernels to one of instructionSets(); an empty name lifts that. For tests; no run
/// may be under way.
void forceInstructionSet(std::string_view name);

/// Floats a row buffer must have beyond its last voxel, so that whole vectors can be read.
inline constexpr std::int64_t kSlack = 64;

/// A box in a worker's buffer, with slack: centred voxels or sums in single or double precision,
/// voxels in steps of a quantum in 16-bit integers, pairs of them or sums of their products in 32.
template <class Element> struct VoxelBox {
    Element* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t sliceStride = 0;
};
using FloatBox = VoxelBox<float>;
using DoubleBox = VoxelBox<double>;
using IntegerBox = VoxelBox<std::int32_t>;
using StepBox = VoxelBox<std::int16_t>;

/// Sum, range and number of non-finite values of voxels, of which there are some; sum and range are
/// over the finite ones.
struct VoxelFacts {
    double sum = 0;
    double minimum = 0;
    double maximum = 0;
    std::int64_t nonFinite = 0;
};
/// **Errors**: none; of voxels that are all NaN minimum is +Inf and maximum -Inf.
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const float>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::uint8_t>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::uint16_t>& voxels);
[[nodiscard]] VoxelFacts voxelFacts(const base::View<const std::int16_t>& voxels);

/// to = (voxel - reference) * scale, in double rounded once; 0 where the voxel is not finite. The
/// reference is a value of the voxel type.
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

/// Whether the finite voxels are multiples of `quantum`, a power of two of which none is 2^24 or
/// more, by numbers without any bit of `beyond`; the bits of all of these are added to `bits`.
[[nodiscard]] bool isOnGrid(const base::View<const float>& voxels, double quantum,
                            std::uint32_t beyond, std::uint32_t& bits);

/// Pairs as correlateDirect takes them, of a run of centred voxels whose `steps` multiples are
/// integers below 2^15 in magnitude. Reads one voxel beyond the run.
void loadPairs(const float* x, std::int64_t count, float steps, std::int32_t* out);

/// Such voxels one by one. Reads and writes whole vectors, up to kSlack / 2 elements beyond the
/// run.
void loadSteps(const float* x, std::int64_t count, float steps, std::int16_t* out);

/// Sums of such voxels; exact.
struct StepSums {
    std::int64_t values = 0;
    std::int64_t squares = 0;
};
/// Adds a run of them.
void addSteps(const std::int16_t* steps, std::int64_t count, StepSums& sums);

/// Output columns and rows a block of the direct method computes at once; buffers are rounded up to
/// them.
inline constexpr std::int64_t kBlockColumns = 64;
inline constexpr std::int64_t kBlockRows = 4;

/// num(u) = sum_k x(u + k) t(k) for every u of `out` (METHODS 3.1, FLCC (10)).
/// **Shapes**: x holds out + m - 1 voxels, its rows kBlockRows - 1 more than that and kSlack
/// columns of slack beyond a multiple of kBlockColumns; t is contiguous, m.x fastest; num has rows
/// rounded up as x.
void correlateDirect(const FloatBox& x, const float* t, const base::Extents& m,
                     const base::Extents& out, const FloatBox& num);
void correlateDirect(const DoubleBox& x, const double* t, const base::Extents& m,
                     const base::Extents& out, const DoubleBox& num);

/// The same in integers, without any rounding: x holds in each element a voxel and its neighbour
/// along x as two signed 16-bit halves (the lower one first), t the weights two by two in the same
/// way, m.x counts the pairs of t. N times the largest voxel and weight fits 32 bits.
void correlateDirect(const IntegerBox& x, const std::int32_t* t, const base::Extents& m,
                     const base::Extents& out, const IntegerBox& num);

/// Rows of a template `width` voxels wide that go into one accumulator before it is added to the
/// total: as many as keep the chain of roundings near 32.
[[nodiscard]] std::int64_t rowsPerAccumulator(std::int64_t width);

/// Longest chain of roundings a product passes through in correlateDirect (METHODS 2.2).
[[nodiscard]] std::int64_t directChain(const base::Extents& m);

/// Panels that panelProducts() takes together, so that every weight is read once for all of them.
inline constexpr std::size_t kPanels = 8;

/// x * That of single panels in double, in chains of at most N + 3 roundings.
/// **Shapes**: a panel has m and begins at x.data + at, with kSlack floats behind its last row;
/// `that` is contiguous, m.x fastest.
void panelProducts(const FloatBox& x, const std::array<std::int64_t, kPanels>& at,
                   const double* that, const base::Extents& m, std::array<double, kPanels>& to);

/// The same in integers, without any rounding: weights two by two as correlateDirect takes them,
/// with kSlack elements behind the last; rows of odd width end with a 0. N times the largest voxel
/// and weight fits 32 bits.
void panelProducts(const StepBox& x, const std::array<std::int64_t, kPanels>& at,
                   const std::int32_t* pairs, const base::Extents& m,
                   std::array<double, kPanels>& to);

/// The constants of one tile that turn sums into scores, bounds and marks (METHODS 2.1, 2.2).
struct ScoreConstants {
    double count = 1;       ///< N, voxels of the support
    bool exactSums = false; ///< the window sums are exact integers times 4^-e
    double unit = 1;        ///< x * unit is an integer when exactSums
    /// N s2 - s1^2 of integer numerators is exact, too: a panel is flat where it is 0.
    bool exactVariance = false;
    double suspicious = 0;     ///< D <= suspicious * s2 needs a closer look
    double boundNumerator = 0; ///< of fourierBound(), typical
    double boundWorst = 0;     ///< likewise, guaranteed; infinite without transforms
    double boundScore = 0;     ///< factor of |r|
    double boundPanel = 0;     ///< factor of K
    double boundSquare = 0;    ///< factor of K^2
    double boundConstant = 0;
    double promise = 1e-4;
    // Of integer numerators, num = sum a b of the scene's integers a = x * unit and the template's
    // b: r = (N num - (sum a) (sum b)) * numeratorScale / sqrt(D).
    double templSum = 0;       ///< sum b
    double numeratorScale = 1; ///< 1 / (N ||b - mean|| unit)
};

/// Status byte of a voxel whose variance is too small to be trusted; the caller decides between
/// FLAT and LOWCONF. Never leaves the engine.
inline constexpr std::uint8_t kSuspicious = 255;

struct ScoreTally {
    double largestBound = 0;     ///< of voxels within the promise
    double largestLowConf = 0;   ///< of the others
    std::int64_t marked = 0;     ///< status bytes that are not OK
    std::int64_t lowConf = 0;    ///< of them LOWCONF
    std::int64_t suspicious = 0; ///< of them kSuspicious
    std::int64_t overRange = 0;
};

/// A LOWCONF voxel of a tile and the window sums of its panel.
struct LowPanel {
    base::Index at;
    double s1 = 0;
    double s2 = 0;
};

/// LOWCONF voxels of a tile, as many as there is room for.
struct LowPanels {
    std::vector<LowPanel> panels;
    std::size_t most = 0; ///< room
    bool full = false;    ///< there may be others, which are not among them

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

/// What a row whose window sums are kept says of the scores of any numerators: the largest K^2 and
/// the least D, where all panels of it can be scored plainly.
struct KeptRow {
    float square = 0;
    float variance = 0; ///< 0: they cannot
};

/// Writes scores, status bytes and bounds of one tile from numerators of either precision: window
/// sums of x and x^2 over m, D, r = num / sqrt(D), clamped to [-1, 1]. Sums run on from panel to
/// panel where they are exact or, of scores that are not kept in double, every D is 2^22 times
/// their error; elsewhere they are made by additions only (doubling along x, van Herk along y and
/// z).
/// **Shapes**: the magnitude of x is 1 at most; x as for correlateDirect; num `out`; value, status
/// the same box inside the map with their strides; bounds contiguous, out.x and kSlack. `scratch`
/// as scoreScratch() says. `exact`, where there is one, takes the scores in double. `kept`, where
/// there is room for keptSums(out) doubles, takes the window sums, and with it `inverses` (half as
/// many floats) and `rows` (out.y out.z) 1 / sqrt(D) and what is known of rows; `recall`
/// scores other numerators of the same box from them: to the bit what x would give. `low` takes the
/// LOWCONF voxels.
template <class Real, class Numerator = Real> struct ScoreArguments {
    VoxelBox<Real> x;
    VoxelBox<Numerator> num;
    base::Extents m;
    base::Extents out;
    base::Extents tile; ///< out of the largest tile
    float* value = nullptr;
    double* exact = nullptr;
    std::uint8_t* status = nullptr;
    std::int64_t mapRowStride = 0;
    std::int64_t mapSliceStride = 0;
    float* bounds = nullptr;
    double* scratch = nullptr;
    double* kept = nullptr;
    float* inverses = nullptr;
    KeptRow* rows = nullptr;
    bool recall = false; ///< x is not read
    LowPanels* low = nullptr;
};
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<float>& arguments,
                                   const ScoreConstants& constants);
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<double>& arguments,
                                   const ScoreConstants& constants);
[[nodiscard]] ScoreTally scoreTile(const ScoreArguments<float, std::int32_t>& arguments,
                                   const ScoreConstants& constants);

/// Doubles in a row of `columns` sums, with room for a whole vector too many at the end.
[[nodiscard]] constexpr std::int64_t sumsRow(std::int64_t columns) {
    return (columns + 31) / 16 * 16;
}

/// Rows of `columns` sums whose windows along x scoreTile takes together: so many that what one
/// pass stored has left the store buffer when the next one reads it across vector boundaries, and
/// so few that they stay in the first-level cache.
[[nodiscard]] std::int64_t rowsTogether(std::int64_t columns);

/// Windows over `width` rows, or planes, that are made together: of each group one tail is kept.
/// Those over few rows stay in the first-level cache; of many rows the tails would fill the last.
[[nodiscard]] std::int64_t rowGroup(std::int64_t width, std::int64_t columns);
[[nodiscard]] constexpr std::int64_t planeGroup(std::int64_t width) { return width < 16 ? 1 : 8; }
/// Rows, or planes, of sums that windows over `width` of them take: tails, head and windows.
[[nodiscard]] constexpr std::int64_t windowRows(std::int64_t width, std::int64_t group) {
    return (width + group - 1) / group + 1 + group;
}

/// Rows whose running sums scoreTile takes together: so many that what one of them stored has left
/// the store buffer when it goes on from there.
inline constexpr std::int64_t kRunningRows = 4;

/// A variance from running sums is at least this many times their error, and what that adds to the
/// bound of a score: their error in 1 / sqrt(D).
inline constexpr double kLargerThanError = 0x1p22;
inline constexpr double kRunningBound = 0.51 / kLargerThanError;

/// Doubles before the running sums of a row, and of that row with room for a whole vector too many.
inline constexpr std::int64_t kRunningLead = 8;
[[nodiscard]] constexpr std::int64_t runningRow(std::int64_t columns) {
    return sumsRow(columns) + 2 * kRunningLead;
}

/// Outputs whose sums scoreTile takes together, so that they stay in cache: by additions, and of
/// sums that run on.
[[nodiscard]] base::Extents stripExtents(const base::Extents& m, const base::Extents& tile);
[[nodiscard]] base::Extents runningStrip(const base::Extents& m, const base::Extents& tile);

/// Doubles of scratch that scoreTile needs for tiles of at most `tile` placements.
[[nodiscard]] std::int64_t scoreScratch(const base::Extents& m, const base::Extents& tile);

/// Doubles of the window sums of a tile of `out` placements.
[[nodiscard]] constexpr std::int64_t keptSums(const base::Extents& out) {
    return 2 * sumsRow(out.x) * out.y * out.z;
}

/// Takes the scores of template `templ` into the best ones of the templates before it, all voxels
/// being OK: the larger one stays, of equal ones the old one. The best of template 0 are its
/// scores, in the same memory. Returns sums over its scores.
struct BestArguments {
    std::int32_t templ = 0;
    base::Extents extents;
    VoxelBox<const float> score;
    FloatBox best;
    IntegerBox index;
};
struct BestSums {
    double sum = 0;
    double squares = 0;
};
[[nodiscard]] BestSums takeBest(const BestArguments& arguments);

/// Energies of a tile and of its lines parallel to any axis.
using method::shared::TileEnergy;
[[nodiscard]] TileEnergy lineEnergy(const float* tile, const base::Extents& extents);
[[nodiscard]] TileEnergy lineEnergy(const double* tile, const base::Extents& extents);

} // namespace flcc::cpu::simd
