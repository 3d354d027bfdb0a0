#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The spectra of the blocks of a template in each precision. Small transforms are made when the
/// template is prepared. Large ones are made by the first run that needs them, which has threads
/// and can be stopped. **Threads**: any.
class TemplateSpectra {
  public:
    /// conj(F(block)) / M of every block, in order; M is the number of points. Empty if stopped.
    /// They lie in one buffer: many small ones would leave as much memory idle between them.
    template <class Real> struct Spectra {
        base::Image<Real> values;
        std::int64_t step = 0; ///< from one spectrum to the next

        [[nodiscard]] bool empty() const { return values.empty(); }
        [[nodiscard]] const Real* of(std::size_t block) const {
            return values.data() + static_cast<std::int64_t>(block) * step;
        }
    };

    /// `blocks` are boxes of the template. The first voxel of a block goes to the origin of
    /// `points`.
    TemplateSpectra(const method::CanonicalTemplate& templ, const TransformShape& points,
                    std::vector<base::Box> blocks)
        : m_templ(templ), m_points(points), m_blocks(std::move(blocks)) {}

    /// True if all transforms together are so short that prepare() makes them.
    [[nodiscard]] static bool areMadeAtOnce(const TransformShape& points, std::int64_t blocks) {
        return base::voxelCount(points) <= (std::int64_t{1} << 20) / blocks;
    }

    /// Makes the spectra in the problem's precision if areMadeAtOnce().
    void makeIfSmall(const method::Problem& problem, base::TilePool& pool) const;

    /// Makes the transforms (plans) that a run of `problem` needs in its precision.
    static void planTransforms(const method::Problem& problem, const TransformShape& points);

    /// The spectra, which the first call makes. A call waits while another thread makes them,
    /// unless it is stopped. Empty if stopped.
    template <class Real>
    [[nodiscard]] const Spectra<Real>& of(const Sharers& sharers,
                                          const std::stop_token& stop) const;

    [[nodiscard]] const std::vector<base::Box>& blocks() const { return m_blocks; }

    /// Bytes of the spectra.
    template <class Real>
    [[nodiscard]] static std::int64_t bytes(const TransformShape& points, std::int64_t blocks) {
        return static_cast<std::int64_t>(sizeof(Real)) * stepOf<Real>(points) * blocks;
    }

    /// A computation in one precision: the points of its transforms, and the bytes of its buffers
    /// without the spectra.
    struct Part {
        TransformShape points;
        std::int64_t buffers;
    };

    /// Bytes of the spectra that a template may keep.
    [[nodiscard]] static std::int64_t keptBytes(const method::Problem& problem, const Part& single,
                                                const Part& inDouble, std::int64_t blocks) {
        const bool inSingle = problem.precision == method::Precision::Single;
        return (inSingle ? bytes<float>(single.points, blocks) : 0) +
               (!inSingle || problem.recompute ? bytes<double>(inDouble.points, blocks) : 0);
    }

    /// Most bytes that a computation in one precision holds, its spectra included: scratch while
    /// the spectra of `blocks` blocks are made, buffers afterwards.
    template <class Real>
    [[nodiscard]] static std::int64_t partBytes(const Part& part, const base::Extents& block,
                                                std::int64_t blocks, int workers);

    /// Most bytes that a run holds: in the problem's precision first; then, if that is single and
    /// the problem recomputes, in double.
    [[nodiscard]] static std::int64_t runBytes(const method::Problem& problem,
                                               const base::Extents& block, std::int64_t blocks,
                                               int workers, const Part& single,
                                               const Part& inDouble);

  private:
    /// Values of a spectrum, rounded up so that every spectrum is as aligned as the first.
    template <class Real> [[nodiscard]] static std::int64_t stepOf(const TransformShape& points) {
        return roundUp(TileTransform<Real>::spectrumValues(points), TileTransform<Real>::kTogether);
    }

    const method::CanonicalTemplate& m_templ;
    TransformShape m_points;
    std::vector<base::Box> m_blocks;
    mutable std::timed_mutex m_lock; // guards m_spectra, whose spectra never change once made
    mutable std::tuple<Spectra<float>, Spectra<double>> m_spectra;
};

} // namespace flcc::cpu
