#pragma once

#include <cstdint>
#include <string>

#include "engine/base/pixels.h"
#include "engine/method/masked_view.h"
#include "tests/support/scenes.h"

/// Scenes that are hard on an error bound: what concentrates the errors of transforms, what makes
/// sums cancel, and what ordinary pictures hold.
namespace flcc::test {

inline constexpr int kKinds = 18;

/// A scene of the kind, in float32.
[[nodiscard]] base::AnyImage sceneOfKind(int kind, const base::Extents& extents,
                                         std::uint64_t seed);

inline constexpr int kSeparableKinds = 7;

/// A template that is a constant plus an outer product: a Gaussian, a box, the union of bars along
/// the axes, a grating, a product of gratings, factors of random numbers without and with signs.
/// The second and third are bytes, the others float32.
[[nodiscard]] base::AnyImage separableTemplate(int kind, const base::Extents& m,
                                               std::uint64_t seed = 1);

/// A scene and what is searched for in it.
struct Submitted {
    base::AnyImage scene;
    base::AnyImage templ;
    base::Image<std::uint8_t> mask{}; ///< of the template; without voxels: none

    [[nodiscard]] method::MaskedView masked() const {
        return mask.empty() ? method::MaskedView(templ)
                            : method::MaskedView(base::viewOf(templ), mask.view());
    }
};

/// A seeded problem of the kind: sizes, pixel type and template by chance.
[[nodiscard]] Submitted problemOfKind(int kind, std::uint64_t seed);

/// A template of extents `m` with contrast: a stranger, a smooth one or a part of the scene.
[[nodiscard]] base::AnyImage templateFor(const base::AnyImage& scene, const base::Extents& m,
                                         Random& random);

/// A seeded problem of the kind (scene and template sizes, pixel type, the template cut from the
/// scene or a stranger), judged over every voxel of every way. Empty when all is as promised.
[[nodiscard]] std::string judgeKind(int kind, std::uint64_t seed);

} // namespace flcc::test
