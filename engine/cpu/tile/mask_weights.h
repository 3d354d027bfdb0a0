#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/base/image.h"
#include "engine/cpu/tile/mask_edges.h"
#include "engine/cpu/tile/support_template.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/canonical.h"

namespace flcc::cpu {

/// The mask of templates as tiles inside the scene need it: the spectra of its weights, and its
/// support as runs along x. Templates with equal masks share one. **Threads**: any.
class MaskWeights {
  public:
    /// The mask of `templ`, which has one. `points`: of tiles in single precision; `inDouble`: of
    /// their parts in double. `keep`: the spectrum in double stays in memory once it is made.
    [[nodiscard]] static std::shared_ptr<const MaskWeights>
    of(const method::CanonicalTemplate& templ, const TransformShape& points,
       const TransformShape& inDouble, bool keep);

    MaskWeights(const method::CanonicalTemplate& templ, const TransformShape& points,
                const TransformShape& inDouble, bool keep);

    [[nodiscard]] double total() const { return m_total; } ///< sum w
    /// sqrt(sum w^2). The spectra are those of w / norm().
    [[nodiscard]] double norm() const { return m_norm; }
    [[nodiscard]] bool binary() const { return m_weights.empty(); } ///< all weights are 0 or 1
    [[nodiscard]] const float* spectrum() const { return m_spectrum.data(); }
    /// The spectrum in double. If it is kept, the first call makes it, with `work` as scratch.
    /// Otherwise every call makes it in `to`.
    [[nodiscard]] const double* inDouble(double* work, double* to) const;
    [[nodiscard]] const std::vector<SupportTemplate::Run>& runs() const { return m_runs; }
    /// Null unless the mask is flat and all weights are 0 or 1.
    [[nodiscard]] const MaskEdges* edges() const { return m_edges ? &*m_edges : nullptr; }

    /// For every placement in `seen`, which lies inside the scene: 1 if a voxel that counts is NaN
    /// or an infinity, else 0.
    [[nodiscard]] std::vector<std::uint8_t> nonFinitePanels(const base::AnyView& scene,
                                                            const base::Box& seen) const;

    /// Bytes kept, the spectrum in double included if `keep`.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& m, const TransformShape& points,
                                            const TransformShape& inDouble, bool keep);

  private:
    [[nodiscard]] bool serves(const method::CanonicalTemplate& templ, const TransformShape& points,
                              const TransformShape& inDouble, bool keep) const;
    [[nodiscard]] base::Image<double> normalised() const;

    TransformShape m_points;
    TransformShape m_doublePoints;
    bool m_keep;
    base::Image<std::uint8_t> m_support;
    base::Image<double> m_weights; ///< empty if all are 0 or 1
    double m_total = 0;
    double m_norm = 0;
    std::vector<SupportTemplate::Run> m_runs;
    std::optional<MaskEdges> m_edges;
    base::Image<float> m_spectrum;
    mutable std::once_flag m_once;
    mutable base::Image<double> m_inDouble;
};

} // namespace flcc::cpu
