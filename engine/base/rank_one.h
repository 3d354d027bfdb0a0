#pragma once

#include <array>
#include <vector>

#include "engine/base/image.h"

namespace flcc::base {

/// The outer product a(x) b(y) c(z) nearest to some weights.
struct RankOne {
    std::array<std::vector<double>, 3> factors;
    double residual = 0;    ///< ||weights - product|| / ||weights||, Frobenius norms
    double residualSum = 0; ///< sum |weights - product|
};

/// Alternating least squares from the row, column and pillar of the largest weight. For an outer
/// product with rounded weights the first round is exact up to rounding; for a matrix the rounds
/// are power iterations towards its largest singular value. `weights` are finite and not all 0.
/// **Source**: Karas (4)-(8). **Cost**: six reads of the weights, four more for each further round.
[[nodiscard]] RankOne rankOne(const View<const double>& weights, int rounds = 4);

} // namespace flcc::base
