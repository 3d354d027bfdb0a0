#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/cpu/tile_transform.h"
#include "engine/filter/detail/decimation.h"
#include "engine/filter/detail/dif_run.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/planner.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::filter {

namespace detail {

namespace {

using base::Extents;
using cpu::PartKind;
using method::shared::nextSmooth;

/// Numbers of parts that the planner considers. Odd ones take more memory than two parts and are
/// for those who ask for them.
constexpr std::array<int, 9> kParts{2, 4, 6, 8, 12, 16, 24, 32, 64};

// Nanoseconds of one thread: to load a voxel of a strip; to add it to a part, and to add a value of
// a part to the result, for each real number of the part; of one step of a part. Strips are narrow,
// and those of volumes meet a slice in each row. Measured as those of tile_tasks.h, on two cores.
constexpr double kLoadStripNs = 1.3;
constexpr double kAddNs = 0.8;
constexpr double kGiveNs = 0.8;
constexpr double kStepNs = 5000;
constexpr double kSlices = 1.5; ///< multiplies the first three in volumes
/// Time of the transforms of a part over that of a whole real transform of its points.
constexpr double kTransforms = 0.9;

class DifFilter final : public FilterMethod {
  public:
    [[nodiscard]] std::string_view name() const override { return "dif"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Shape& shape) const override {
        const std::int64_t axis = neededPoints(problem).z;
        if (shape.parts > axis) {
            throw base::Error(
                base::ErrorCode::Problem,
                fmt::format("{} parts are more than the {} points of the slowest axis; {}",
                            shape.parts, axis,
                            axis < 2 ? "use --method fourier"
                                     : fmt::format("use --parts from 2 to {}", axis)));
        }
        std::vector<method::Candidate> list;
        const auto add = [&](int parts) {
            using method::Transforms;
            const Extents points = shape.tile.x > 0 ? shape.tile : pointsOf(problem, parts);
            for (const Transforms transforms : {Transforms::Own, Transforms::Fftw}) {
                if (limits.transforms == transforms ||
                    (limits.transforms == Transforms::Auto &&
                     (isSmooth(points) || transforms == Transforms::Fftw))) {
                    list.push_back({.method = std::string(name()),
                                    .tile = points,
                                    .threads = limits.threads,
                                    .parts = parts,
                                    .transforms = transforms});
                }
            }
        };
        if (shape.parts > 0) {
            add(shape.parts);
            return list;
        }
        for (const int parts : kParts) {
            if (parts == kParts.front() || parts <= axis / 2) {
                add(parts);
            }
        }
        return list;
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        if (!kernel.hasWeights()) {
            return method::Refusal{"the kernel has too many voxels to be transformed"};
        }
        const Extents needed = neededPoints(problem);
        if (candidate.parts < 2 || candidate.parts > needed.z) {
            return method::Refusal{
                fmt::format("the slowest axis has {} points, too few for {} parts; use fourier",
                            needed.z, std::max(candidate.parts, 2))};
        }
        const Decimation cut = Decimation::of(problem, candidate);
        const Extents& points = cut.points;
        if (points.x < needed.x || points.y < needed.y || points.z * cut.parts < needed.z ||
            !(cut.fftw || isSmooth(points))) {
            return method::Refusal{fmt::format(
                "{} parts need transforms of at least {} points{}; leave out --tile", cut.parts,
                base::toString(cut.turned(
                    Extents{needed.x, needed.y, (needed.z + cut.parts - 1) / cut.parts})),
                cut.fftw ? "" : ", whose lengths are products of 2, 3, 5 and 7")};
        }
        method::Prediction prediction;
        const bool single = problem.precision == method::Precision::Single;
        setTimes(problem, cut, candidate.threads, model, prediction);
        prediction.hostBytes = single ? hostBytes<float>(problem, cut, candidate.threads)
                                      : hostBytes<double>(problem, cut, candidate.threads);
        const auto whole = static_cast<double>(cut.parts * base::voxelCount(points));
        prediction.errorBound =
            errorOfParts(whole, cut.parts, unitOf(problem.precision)) * kernel.norm() *
                std::sqrt(static_cast<double>(base::voxelCount(needed))) / kernel.divisor() +
            roundingBound(problem, kernel);
        // Plans of parts are estimates, or come from wisdom.
        prediction.fftPlanning = cut.fftw ? "estimate" : "own";
        prediction.tilesInFlight = 1;
        prediction.paddingWaste = 1 - resultVoxels(problem) / whole;
        return prediction;
    }

    [[nodiscard]] Outcome run(const Task<float>& task) const override {
        return DifRun<float>(task).run();
    }
    [[nodiscard]] Outcome run(const Task<double>& task) const override {
        return DifRun<double>(task).run();
    }

  private:
    static bool isSmooth(const Extents& points) {
        using method::shared::isSmooth;
        return isSmooth(points.x) && isSmooth(points.y) && isSmooth(points.z);
    }

    /// Points that a circular convolution needs, the slowest axis as z.
    static Extents neededPoints(const Problem& problem) {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        return Decimation{2, hasSlices(problem), {}, false}.turned(
            Extents{out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1});
    }

    /// Points of one of `parts` parts, in the order of the scene.
    static Extents pointsOf(const Problem& problem, int parts) {
        const Extents needed = neededPoints(problem);
        return Decimation{parts, hasSlices(problem), {}, false}.turned(
            Extents{nextSmooth(needed.x), nextSmooth(needed.y),
                    nextSmooth((needed.z + parts - 1) / parts)});
    }

    static void setTimes(const Problem& problem, const Decimation& cut, int threads,
                         const method::CostModel& model, method::Prediction& prediction) {
        const auto seen = static_cast<double>(base::voxelCount(neededPoints(problem)));
        const auto weights = static_cast<double>(base::voxelCount(problem.kernel));
        const auto points = static_cast<double>(base::voxelCount(cut.points));
        const double strips = cut.slices ? kSlices : 1;
        const double factor =
            cut.fftw ? cpu::timeFactor(cpu::TransformShape(cut.points, method::Transforms::Fftw))
                     : 1;
        double scene = 0;
        double kernel = 0;
        double steps = 0;
        for (int part = 0; part < cut.computed(); ++part) {
            const double numbers = cut.kind(part) == PartKind::Complex ? 2 : 1;
            const double transforms =
                factor * numbers * kTransforms * model.wholeTransformNs(cut.points);
            const double voxel = kLoadStripNs + numbers * kAddNs;
            scene +=
                transforms + strips * (seen * voxel + resultVoxels(problem) * numbers * kGiveNs);
            kernel += transforms / 2 + strips * weights * voxel;
            steps += cut.points.y > 1 ? 9 : 5;
            prediction.operations += numbers * 3 * 2.5 * points * std::log2(std::max(2.0, points));
        }
        const double precision = problem.precision == method::Precision::Single ? 1 : 2;
        const double speedUp = model.speedUp(threads);
        prediction.setupMs = 1e-6 * precision * kernel / speedUp;
        prediction.ms = prediction.setupMs + 1e-6 * (precision * scene / speedUp + steps * kStepNs);
    }

    template <class Real>
    static std::int64_t hostBytes(const Problem& problem, const Decimation& cut, int threads) {
        constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Real));
        const std::int64_t buffers =
            kBytes * (cut.bufferValues<Real>() + threads * cut.scratchValues<Real>());
        // The weights in double end before the buffers are made.
        return resultBytes(problem) + markBytes(problem) + base::byteCount(problem.kernel, kBytes) +
               std::max(base::byteCount(problem.kernel, 8), buffers);
    }
};

} // namespace

const FilterMethod& difFilter() {
    static const DifFilter kMethod;
    return kMethod;
}

} // namespace detail

std::vector<Decomposition> decompositions(const Problem& problem, int parts) {
    const base::Extents& n = problem.scene;
    const base::Extents& m = problem.kernel;
    const double flat = n.z == 1 && m.z == 1 ? 1 : static_cast<double>(n.z + m.z);
    const double values = static_cast<double>(n.x + m.x) * static_cast<double>(n.y + m.y) * flat;
    const double d = parts;
    const double bytes = static_cast<double>(detail::bytesOf(problem.precision));
    const auto row = [&](std::string name, double operations, double transfers, double memory) {
        return Decomposition{std::move(name), operations, transfers, memory, memory * bytes};
    };
    const double memory = (parts == 2 ? 2 : 4) * values / d;
    return {row("dif", values * (4.5 * std::log2(values) + 1), 3 * values, memory),
            row("dit", values * (4.5 * std::log2(values) + 2), (d + 1) * values, memory),
            row("tiling", d * values * (4.5 * std::log2(values / d) + 1), (d + 1) * values,
                values / d)};
}

} // namespace flcc::filter
