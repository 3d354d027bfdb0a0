#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/pixels.h"
#include "engine/method/masked_view.h"
#include "engine/method/operation.h"
#include "engine/method/operation_template.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// The template of an operation other than lcc as numerators see it: W = (T - level) / unit, so
/// that
/// ||W|| is at most 1.
struct WeightFrame {
    double level = 0; ///< near the mean; a whole number for integers of up to 32 bits
    double unit = 1;  ///< a power of two
    double sum = 0;   ///< sum W
    double squares = 0;
    bool whole = false; ///< T is an integer of up to 32 bits: the sums are exact
};

/// A template normalised in double: That = (T - mean) / ||T - mean|| on its support, 0 elsewhere,
/// so sum That = 0 and sum That^2 = 1. With weights w, mean and norm are weighted and That holds
/// w (T - mean) / ||T - mean||: sum That = 0 and sum That^2 / w = 1. The norm of its errors is at
/// most shared::kTemplateError.
/// **Source**: NUMERICS.md, sections 1 and 8.
class CanonicalTemplate {
  public:
    /// **Errors**: as requireUsableTemplate().
    explicit CanonicalTemplate(const MaskedView& templ);
    /// For an operation other than lcc the values are W of weightFrame().
    CanonicalTemplate(const MaskedView& templ, Operation operation);

    [[nodiscard]] const base::Image<double>& values() const { return m_values; }
    [[nodiscard]] const base::Extents& extents() const { return m_values.extents(); }
    /// 1 on the support, 0 elsewhere; empty when the support is the whole box.
    [[nodiscard]] const base::Image<std::uint8_t>& support() const { return m_support; }
    /// N, the number of voxels of the support.
    [[nodiscard]] std::int64_t count() const { return m_count; }
    /// The weights, if one is neither 0 nor 1; else empty.
    [[nodiscard]] const base::Image<double>& weights() const { return m_weights; }
    /// With weights: That / w, 0 outside the support.
    [[nodiscard]] const base::Image<double>& levels() const { return m_levels; }
    /// W, the sum of the weights; without them N.
    [[nodiscard]] double total() const {
        return m_weights.empty() ? static_cast<double>(m_count) : m_total;
    }
    /// Gives the canonical values of an operation other than lcc; null for lcc.
    [[nodiscard]] const std::shared_ptr<const OperationTemplate>& operand() const {
        return m_operand;
    }
    [[nodiscard]] const WeightFrame& weightFrame() const { return m_frame; }

  private:
    void setSupport(const MaskedView& templ);
    void setWeighted(const MaskedView& templ);
    void setWeights(const MaskedView& templ, Operation operation);

    base::Image<double> m_values;
    base::Image<std::uint8_t> m_support;
    base::Image<double> m_weights;
    base::Image<double> m_levels;
    double m_total = 0;
    std::int64_t m_count = 0;
    std::shared_ptr<const OperationTemplate> m_operand;
    WeightFrame m_frame;
};

/// The canonical value of one placement: r in double, in two passes, with a fixed order of
/// additions, so that every build, instruction set, thread count and method gets the same bits.
/// `corner` is the scene voxel under the template's first voxel. The value is 0 when the panel is
/// FLAT or holds NaN or Inf. `outside` says how the voxels of a panel beyond the scene or outside
/// its mask count.
/// **Source**: FLCC (3); NUMERICS.md, section 8. **Cost**: two reads of the panel.
[[nodiscard]] double canonicalScore(const MaskedView& scene, const CanonicalTemplate& templ,
                                    const base::Index& corner, Outside outside = Outside::Zero);

/// A canonical value and the bound on its error.
struct CanonicalValue {
    double score = 0;
    double bound = 0;
    /// False when there is no score: the panel is FLAT (or the template is constant on the
    /// overlap), a voxel is NaN or Inf, or nothing of the support lies inside. `score` is 0 then.
    bool scored = true;
};

/// Largest term that canonicalValue() adds to the bound of an overlap that scorePanel() scored. The
/// template's variance V on such an overlap is at least 40 * 2^-53, and 16 * 2^-53 sqrt(1 / V) is
/// then below this constant.
inline constexpr double kOverlapBound = 2.7e-8;

/// canonicalScore() with the bound on its error: canonicalBound(N), plus 16 * 2^-53 sqrt(t2 / V)
/// for an overlap, where V is the template's variance and t2 its sum of squares there. That term
/// exists because the template's values are rounded before their mean over the overlap is
/// subtracted.
[[nodiscard]] CanonicalValue canonicalValue(const MaskedView& scene, const CanonicalTemplate& templ,
                                            const base::Index& corner, Outside outside);

/// The canonical value of any operation at one placement. The template must be made for the
/// operation. For one that hasRowScorer it is the score r of the function above, with scale 1; a
/// panel without a score is FLAT, whatever the reason, and no panel is PARTIAL: who asks knows.
[[nodiscard]] OperationValue canonicalValue(Operation operation, const MaskedView& scene,
                                            const CanonicalTemplate& templ,
                                            const base::Index& corner, Outside outside,
                                            double minOverlap);

/// True when every voxel of the support lies inside the scene and its mask. Other panels are
/// PARTIAL.
[[nodiscard]] bool isWhole(const MaskedView& scene, const CanonicalTemplate& templ,
                           const base::Index& corner);

/// Bound on the error of canonicalScore() for a support of N = `count` voxels: (2 N + 16) 2^-53.
/// The product with a weight adds one rounding to each term, which N counts twice over.
[[nodiscard]] double canonicalBound(std::int64_t count);

/// Checks that a template can be searched for; allocates nothing. **Errors**: Problem for a
/// template for which the operation is undefined everywhere (constant for lcc, 0 for cosine and
/// nssd), that has fewer than two voxels, or holds NaN or Inf on its support, and for a mask whose
/// extents differ from the template's.
void requireUsableTemplate(const MaskedView& templ, Operation operation = {});

} // namespace flcc::method
