#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The spectra of the blocks of a template in each precision, made when they are first asked for:
/// at once for small transforms; by the first run, which has threads and may be stopped, for large
/// ones. **Threads**: any.
class TemplateSpectra {
  public:
    /// Conj(F(block)) / M of every block, in order. Empty: stopped.
    template <class Real> using Spectra = std::vector<base::Image<Real>>;

    /// Blocks are boxes of the template; their first voxel goes to the origin of `points`.
    TemplateSpectra(const method::CanonicalTemplate& templ, const base::Extents& points,
                    std::vector<base::Box> blocks)
        : m_templ(templ), m_points(points), m_blocks(std::move(blocks)) {}

    /// True when all of them take a blink: those are part of preparing a template.
    [[nodiscard]] static bool areMadeAtOnce(const base::Extents& points, std::int64_t blocks) {
        return base::voxelCount(points) <= (std::int64_t{1} << 20) / blocks;
    }

    /// Makes those of the problem's precision now if that takes a blink.
    void makeIfSmall(const method::Problem& problem, base::TilePool& pool) const;

    /// Makes the transforms that a run of `problem` may need.
    static void planTransforms(const method::Problem& problem, const base::Extents& points);

    /// Waits where another run is making them, unless stopped.
    template <class Real>
    [[nodiscard]] const Spectra<Real>& of(const ForItems& each, const std::stop_token& stop) const;

    [[nodiscard]] const std::vector<base::Box>& blocks() const { return m_blocks; }

    /// Bytes of the spectra.
    template <class Real>
    [[nodiscard]] static std::int64_t bytes(const base::Extents& points, std::int64_t blocks) {
        return static_cast<std::int64_t>(sizeof(Real)) *
               TileTransform<Real>::spectrumValues(points) * blocks;
    }

    /// What is done in one precision: transforms, and bytes of the buffers beside the spectra.
    struct Part {
        base::Extents points;
        std::int64_t buffers;
    };

    /// What a template may keep of them.
    [[nodiscard]] static std::int64_t keptBytes(const method::Problem& problem, const Part& single,
                                                const Part& inDouble, std::int64_t blocks) {
        const bool inSingle = problem.precision == method::Precision::Single;
        return (inSingle ? bytes<float>(single.points, blocks) : 0) +
               (!inSingle || problem.recompute ? bytes<double>(inDouble.points, blocks) : 0);
    }

    /// The most a part of a run holds of its spectra and of what is there beside them: first while
    /// its spectra of `blocks` blocks are made, then with its buffers.
    template <class Real>
    [[nodiscard]] static std::int64_t partBytes(const Part& part, const base::Extents& block,
                                                std::int64_t blocks, int workers);

    /// The most a run holds: the part in the problem's precision, then, where that is single and
    /// may be recomputed, the one in double.
    [[nodiscard]] static std::int64_t runBytes(const method::Problem& problem,
                                               const base::Extents& block, std::int64_t blocks,
                                               int workers, const Part& single,
                                               const Part& inDouble);

  private:
    const method::CanonicalTemplate& m_templ;
    base::Extents m_points;
    std::vector<base::Box> m_blocks;
    mutable std::timed_mutex m_lock; // guards what follows; what is made stays
    mutable std::tuple<Spectra<float>, Spectra<double>> m_spectra;
};

} // namespace flcc::cpu
