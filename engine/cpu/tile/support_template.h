#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The weights that a tile is correlated with to get the sums of a panel
/// (engine/method/NUMERICS.md, section 1): the canonical template That, its support B_T, That^2,
/// and 1 for every voxel that counts. Under weights w of a mask: w t, w, w t^2, t the template
/// without weights; Count then differs from Support.
enum class Weights : std::uint8_t { That, Support, Square, Count };
inline constexpr std::size_t kWeights = 4;

/// A template in the form that tiles other than plain boxes inside the scene need: weights in
/// double, and its support as runs of voxels along x.
class SupportTemplate {
  public:
    struct Run {
        base::Index start;
        std::int64_t length = 0; ///< along x
    };

    SupportTemplate(const method::CanonicalTemplate& canonical, const method::MaskedView& templ);
    /// With T 2^-exponent - level in place of That. Has no stored() voxels.
    SupportTemplate(const method::MaskedView& templ, double level, int exponent);

    [[nodiscard]] const base::Extents& extents() const { return m_weights[0].extents(); }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    /// True if the mask has weights other than 0 and 1.
    [[nodiscard]] bool weighted() const { return !m_weights[3].empty(); }
    /// The sum of the weights; without them count().
    [[nodiscard]] double total() const { return m_total; }
    /// The image of That, B_T, That^2 or ones.
    [[nodiscard]] const base::Image<double>& weights(Weights which) const {
        return m_weights[static_cast<std::size_t>(counting(which))];
    }
    /// Support in place of Count where they are equal, so that one spectrum serves both.
    [[nodiscard]] Weights counting(Weights which = Weights::Count) const {
        return which == Weights::Count && !weighted() ? Weights::Support : which;
    }
    /// The Euclidean norm of weights(). With weights w of a mask at least that: the roots of sum w
    /// t^2, sum w and sum w t^4.
    [[nodiscard]] double norm(Weights which) const {
        return m_norms[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] const std::vector<Run>& runs() const { return m_runs; }
    /// The template's voxels as they were given.
    [[nodiscard]] base::AnyView stored() const { return base::viewOf(m_stored); }

    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem);

  private:
    void make(const base::Extents& m, bool weighted);
    /// Sets the weights of voxel `i`: the template's value `t`, and `that`, which holds the weight.
    void set(std::int64_t i, double that, double t, double weight);
    /// Adds voxel `i`, which counts, to the runs.
    void addToRuns(std::int64_t i);

    base::Image<double> m_weights[kWeights];
    double m_norms[kWeights] = {};
    std::vector<Run> m_runs;
    base::AnyImage m_stored;
    std::int64_t m_count = 0;
    double m_total = 0;
};

/// Calls `visit(index in the template, index in the scene)` for the voxels of the support inside
/// the scene and its mask, until it returns false. Returns true if all were visited.
template <class Visit>
bool forInside(const method::MaskedView& scene, const std::vector<SupportTemplate::Run>& support,
               const base::Index& corner, const Visit& visit) {
    const base::Extents n = scene.extents();
    for (const SupportTemplate::Run& run : support) {
        const base::Index from{corner.x + run.start.x, corner.y + run.start.y,
                               corner.z + run.start.z};
        if (from.y < 0 || from.y >= n.y || from.z < 0 || from.z >= n.z) {
            continue;
        }
        const std::int64_t first = std::max<std::int64_t>(0, -from.x);
        const std::int64_t last = std::min(run.length, n.x - from.x);
        for (std::int64_t i = first; i < last; ++i) {
            const base::Index at{from.x + i, from.y, from.z};
            const bool counts = scene.mask.data() == nullptr || scene.mask.at(at) != 0;
            if (counts && !visit(base::Index{run.start.x + i, run.start.y, run.start.z}, at)) {
                return false;
            }
        }
    }
    return true;
}

/// True if all voxels of the support inside the scene and its mask hold one value; with `zero`, if
/// they all hold 0. Decides FLAT on the stored voxels. `corner` may lie outside the scene.
[[nodiscard]] bool isConstant(const method::MaskedView& scene,
                              const std::vector<SupportTemplate::Run>& support,
                              const base::Index& corner, bool zero);

/// True if the template is constant on the voxels where its support meets the scene and its mask.
[[nodiscard]] bool isTemplateConstant(const method::MaskedView& scene, const SupportTemplate& templ,
                                      const base::Index& corner);

} // namespace flcc::cpu
