#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/cpu/score/support_run.h"
#include "engine/cpu/tile/clipped_sums.h"
#include "engine/cpu/tile/mask_weights.h"
#include "engine/cpu/tile/support_template.h"

namespace flcc::cpu {

/// A template as tiles at the border of the scene need it in single precision (takesRims()).
class RimTemplate {
  public:
    /// `canonical` must outlive it.
    RimTemplate(const method::Problem& problem, const method::CanonicalTemplate& canonical,
                const SupportTemplate& templ);

    /// Of ones, of That, of the weights if there are any, and of That^2 / w with Outside::Overlap.
    [[nodiscard]] const ClippedSums& count() const { return m_count; }
    [[nodiscard]] const ClippedSums& that() const { return m_that; }
    [[nodiscard]] const ClippedSums* weights() const { return m_weights ? &*m_weights : nullptr; }
    [[nodiscard]] const ClippedSums* squares() const { return m_squares ? &*m_squares : nullptr; }

    /// The spectra for tiles of one shape.
    struct Spectra {
        TransformShape points;
        base::Image<float> that;
        std::shared_ptr<const MaskWeights> mask; ///< null without a mask
    };
    /// Made when they are first asked for. **Threads**: safe.
    [[nodiscard]] const Spectra& of(const TransformShape& points) const;

    /// Bytes of a template of `problem` whose tiles inside the scene have `points`.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem,
                                            const TransformShape& points);

  private:
    const method::CanonicalTemplate* m_canonical;
    ClippedSums m_count;
    ClippedSums m_that;
    std::optional<ClippedSums> m_weights;
    std::optional<ClippedSums> m_squares;
    mutable std::mutex m_lock;
    mutable std::list<Spectra> m_spectra;
};

} // namespace flcc::cpu
