#pragma once

#include "engine/base/image.h"
#include "engine/base/rank_one.h"
#include "engine/method/masked_view.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// A template as a constant plus an outer product: T(x, y, z) = a + f_x(x) f_y(y) f_z(z), up to the
/// residual. Gaussians, boxes, bars and gratings along an axis on a constant ground are of this
/// form. **Source**: Karas (4)-(8).
struct Separation {
    double level = 0; ///< a
    base::RankOne product;
    /// ||T - a - f_x f_y f_z|| / ||T - mean||: what leaving out the rest adds to scores, divided by
    /// K (NUMERICS.md, section 5).
    double residual = kUnknownResidual;
};

/// Finds a and the product. With the means f' of the factors and p = f - f', the part of T that
/// varies along every axis is p_x p_y p_z, and a = mean - f'_x f'_y f'_z; the projection of T on
/// the p of all axes but one gives f' of that one. Axes along which T hardly varies are left out. A
/// level far from the mean is not taken: ||T - a|| is at most 64 ||T - mean||. `values` are finite
/// and not all equal.
[[nodiscard]] Separation separate(const base::View<const double>& values);

/// The level, in the values of the template, and the residual of a template, without its product.
struct Separability {
    double level = 0;
    double residual = kUnknownResidual;
};

/// Of a large template some voxels are looked at first, and only these if they show that there is
/// no such form: the residual is then theirs. Unknown for a template with a mask, and for one that
/// requireUsableTemplate() rejects. **Cost**: about 30 reads of a template of this form, of others
/// a few microseconds.
[[nodiscard]] Separability separabilityOf(const MaskedView& templ);

} // namespace flcc::method
