#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/cpu/transform/part_transform.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// How a circular correlation is decimated in frequency (Karas (17), (18), with their exponents
/// exchanged): along the slowest axis of its boxes, which is z here, into parts that are
/// transformed one after the other.
struct Decimation {
    int parts = 2;        ///< d
    bool slices = false;  ///< the slowest axis is z, not y
    base::Extents points; ///< of one part, the slowest axis as z
    bool fftw = false;    ///< makes the transforms

    /// That of a candidate: its parts, and its tile as the points of one.
    [[nodiscard]] static Decimation of(const method::Candidate& candidate, bool slices) {
        return {candidate.parts, slices, turned(candidate.tile, slices),
                candidate.transforms == method::Transforms::Fftw};
    }
    /// Into `parts` parts of the fewest smooth points, for boxes of `needed` points whose slowest
    /// axis is z.
    [[nodiscard]] static Decimation into(int parts, const base::Extents& needed, bool slices,
                                         bool fftw);
    /// The candidates of method `name` under `limits` that decimate boxes of `needed` points, whose
    /// slowest axis is z: into `parts` parts, or into each number of parts worth trying if that is
    /// 0. A `tile` other than 0 fixes the points of a part, in the order of the scene.
    [[nodiscard]] static std::vector<method::Candidate>
    candidates(std::string_view name, const base::Extents& needed, bool slices, int parts,
               const base::Extents& tile, const method::Limits& limits);
    /// Why boxes of `needed` points, whose slowest axis is z, cannot be decimated so; empty if they
    /// can.
    [[nodiscard]] std::string refusal(const base::Extents& needed) const;

    /// Extents with the slowest axis as z. Twice gives them back.
    [[nodiscard]] static base::Extents turned(const base::Extents& extents, bool slices) {
        return slices ? extents : base::Extents{extents.x, extents.z, extents.y};
    }
    [[nodiscard]] base::Extents turned(const base::Extents& extents) const {
        return turned(extents, slices);
    }
    [[nodiscard]] base::Index turned(const base::Index& index) const {
        return slices ? index : base::Index{index.x, index.z, index.y};
    }

    /// Parts that are transformed: 0 .. d / 2. The others are their conjugates.
    [[nodiscard]] int computed() const { return parts / 2 + 1; }
    [[nodiscard]] PartKind kind(int part) const {
        return part == 0 ? PartKind::Real : 2 * part == parts ? PartKind::Half : PartKind::Complex;
    }
    /// Points of the whole transform.
    [[nodiscard]] std::int64_t wholePoints() const { return parts * base::voxelCount(points); }

    /// Values of the buffers of both boxes for one part, the largest.
    template <class Real> [[nodiscard]] std::int64_t bufferValues() const {
        std::int64_t most = 0;
        for (const int part : {0, 1, parts / 2}) { // the others are as part 1
            most = std::max(most, PartTransform<Real>::bufferValues(points, kind(part), fftw));
        }
        return 2 * most;
    }
    /// Values that a worker takes for a strip, and for the voxels that are added to it.
    template <class Real> [[nodiscard]] std::int64_t scratchValues() const {
        using Transform = PartTransform<Real>;
        return std::max(Transform::scratchValues(points, fftw),
                        3 * points.z * Transform::kColumns + kBehind);
    }
    /// Values behind the rows of a strip that loading may write.
    static constexpr std::int64_t kBehind = 64;

    /// Bytes of all buffers of a run.
    template <class Real> [[nodiscard]] std::int64_t bytes(int threads) const {
        return static_cast<std::int64_t>(sizeof(Real)) *
               (bufferValues<Real>() + threads * scratchValues<Real>());
    }

    /// Predicted work: nanoseconds of one thread.
    struct Work {
        double scene = 0;      ///< to decimate and transform the scene, and to join the results
        double templ = 0;      ///< to decimate and transform the template
        double steps = 0;      ///< that all threads wait for
        double operations = 0; ///< multiplications and additions
    };
    /// The work in single precision for boxes of that many voxels.
    [[nodiscard]] Work work(double scene, double templ, double result,
                            const method::CostModel& model) const;

    /// The error of a result over the norms of both boxes. The first term is that of transforms, as
    /// in shared::fourierBound() without assumptions and with both spectra in the precision of
    /// `unit` (*empirical*). By Cauchy-Schwarz the sum over the parts keeps its form: the norms of
    /// the d parts of a box add up to sqrt(d) of its own. The other terms count each rounding of
    /// sums over d values: in both boxes, and in the result.
    [[nodiscard]] double error(double unit) const {
        const double root = std::sqrt(std::log2(std::max(static_cast<double>(wholePoints()), 2.0)));
        const double d = parts;
        return unit * (3 * std::max(2 * root, root + 4) + 2 * (d + 6) * std::sqrt(d) + d / 2 + 8);
    }
};

} // namespace flcc::cpu
