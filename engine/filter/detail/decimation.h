#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cpu/part_transform.h"
#include "engine/filter/detail/filter_method.h"

/// How a convolution is decimated in frequency (Karas (17), (18), with their exponents exchanged):
/// along its slowest axis, as z here, into parts that are transformed one after the other.
namespace flcc::filter::detail {

/// True if scene, kernel or result is a volume, so that z is the slowest axis and not y.
[[nodiscard]] inline bool hasSlices(const Problem& problem) {
    return resultExtents(problem).z > 1 || problem.kernel.z > 1;
}

struct Decimation {
    int parts = 2; ///< d
    bool slices = false;
    base::Extents points; ///< of one part, the slowest axis as z
    bool fftw = false;    ///< makes the transforms

    [[nodiscard]] static Decimation of(const Problem& problem, const method::Candidate& candidate) {
        const bool fftw = candidate.transforms == method::Transforms::Fftw;
        Decimation decimation{candidate.parts, hasSlices(problem), {}, fftw};
        decimation.points = decimation.turned(candidate.tile);
        return decimation;
    }

    /// Extents with the slowest axis as z. Twice gives them back.
    [[nodiscard]] base::Extents turned(const base::Extents& extents) const {
        return slices ? extents : base::Extents{extents.x, extents.z, extents.y};
    }
    [[nodiscard]] base::Index turned(const base::Index& index) const {
        return slices ? index : base::Index{index.x, index.z, index.y};
    }

    /// Parts that are transformed: 0 .. d / 2. The others are their conjugates.
    [[nodiscard]] int computed() const { return parts / 2 + 1; }
    [[nodiscard]] cpu::PartKind kind(int part) const {
        return part == 0           ? cpu::PartKind::Real
               : 2 * part == parts ? cpu::PartKind::Half
                                   : cpu::PartKind::Complex;
    }
    /// Values of the buffers of scene and kernel for one part, the largest.
    template <class Real> [[nodiscard]] std::int64_t bufferValues() const {
        std::int64_t most = 0;
        for (int part = 0; part < computed(); ++part) {
            most = std::max(most, cpu::PartTransform<Real>::bufferValues(points, kind(part), fftw));
        }
        return 2 * most;
    }
    /// Values that a worker takes for a strip, and for the voxels that are added to it.
    template <class Real> [[nodiscard]] std::int64_t scratchValues() const {
        using Transform = cpu::PartTransform<Real>;
        return std::max(Transform::scratchValues(points, fftw),
                        3 * points.z * Transform::kColumns + kBehind);
    }
    /// Values behind the rows of a strip that loading may write.
    static constexpr std::int64_t kBehind = 64;
};

} // namespace flcc::filter::detail
