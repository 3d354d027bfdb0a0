#include "engine/cpu/transform/decimation.h"

#include <array>

#include <fmt/format.h>

#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Transforms;
using method::shared::isSmooth;
using method::shared::nextSmooth;

/// Numbers of parts that the planner considers. Odd ones take more memory than two parts and are
/// for those who ask for them.
constexpr std::array<int, 9> kParts{2, 4, 6, 8, 12, 16, 24, 32, 64};

// Nanoseconds of one thread: to load a voxel of a strip; to add it to a part, and to add a value of
// a part to the result, for each real number of the part; of one step of a part. Strips are narrow,
// and those of volumes meet a slice in each row. Measured on two cores at 2.6 GHz with AVX-512;
// only their relation to the cost model of the machine counts.
constexpr double kLoadStripNs = 1.3;
constexpr double kAddNs = 0.8;
constexpr double kGiveNs = 0.8;
constexpr double kStepNs = 5000;
constexpr double kSlices = 1.5; ///< multiplies the first three in volumes
/// Time of the transforms of a part over that of a whole real transform of its points.
constexpr double kTransforms = 0.9;

bool areSmooth(const Extents& points) {
    return isSmooth(points.x) && isSmooth(points.y) && isSmooth(points.z);
}

} // namespace

Decimation Decimation::into(int parts, const Extents& needed, bool slices, bool fftw) {
    return {
        parts,
        slices,
        {nextSmooth(needed.x), nextSmooth(needed.y), nextSmooth((needed.z + parts - 1) / parts)},
        fftw};
}

std::vector<method::Candidate> Decimation::candidates(std::string_view name, const Extents& needed,
                                                      bool slices, int parts, const Extents& tile,
                                                      const method::Limits& limits) {
    std::vector<method::Candidate> list;
    const auto add = [&](int count) {
        const Extents points =
            tile.x > 0 ? tile : turned(into(count, needed, slices, false).points, slices);
        for (const Transforms by : {Transforms::Own, Transforms::Fftw}) {
            if (limits.transforms == by || (limits.transforms == Transforms::Auto &&
                                            (areSmooth(points) || by == Transforms::Fftw))) {
                list.push_back({.method = std::string(name),
                                .tile = points,
                                .threads = limits.threads,
                                .parts = count,
                                .transforms = by});
            }
        }
    };
    if (parts > 0) {
        add(parts);
        return list;
    }
    for (const int count : kParts) {
        if (count == kParts.front() || count <= needed.z / 2) {
            add(count);
        }
    }
    return list;
}

std::string Decimation::refusal(const Extents& needed) const {
    if (parts < 2 || parts > needed.z) {
        return fmt::format("the slowest axis has {} points, too few for {} parts; use fourier",
                           needed.z, std::max(parts, 2));
    }
    if (points.x < needed.x || points.y < needed.y || points.z * parts < needed.z ||
        !(fftw || areSmooth(points))) {
        return fmt::format(
            "{} parts need transforms of at least {} points{}; leave out --tile", parts,
            base::toString(turned(Extents{needed.x, needed.y, (needed.z + parts - 1) / parts})),
            fftw ? "" : ", whose lengths are products of 2, 3, 5 and 7");
    }
    return {};
}

Decimation::Work Decimation::work(double scene, double templ, double result,
                                  const method::CostModel& model) const {
    const auto count = static_cast<double>(base::voxelCount(points));
    const double strips = slices ? kSlices : 1;
    const double factor = fftw ? timeFactor(TransformShape(points, Transforms::Fftw)) : 1;
    Work work;
    for (int part = 0; part < computed(); ++part) {
        const double numbers = kind(part) == PartKind::Complex ? 2 : 1;
        const double transforms = factor * numbers * kTransforms * model.wholeTransformNs(points);
        const double voxel = kLoadStripNs + numbers * kAddNs;
        work.scene += transforms + strips * (scene * voxel + result * numbers * kGiveNs);
        work.templ += transforms / 2 + strips * templ * voxel;
        work.steps += (points.y > 1 ? 9 : 5) * kStepNs;
        work.operations += numbers * 3 * 2.5 * count * std::log2(std::max(2.0, count));
    }
    return work;
}

} // namespace flcc::cpu
