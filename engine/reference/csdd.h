#pragma once

#include "engine/base/geometry.h"
#include "engine/base/image.h"

namespace flcc::reference {

/// The response of the center-surround distribution distance by its definition: for every level an
/// indicator image, convolved with a sampled Laplacian of Gaussian that is cut at 6 sigma.
struct CsddScale {
    double sigma = 2;           ///< in the unit of `edges`
    base::Point edges{1, 1, 1}; ///< of a voxel
    double low = 0;             ///< range of the values
    double high = 1;
    int levels = 128;
};

/// The response at one scale. Values outside the image repeat its border.
/// **Cost**: O(voxels x levels x sigma^d). **Source**: CSDD (1); engine/features/README.md.
[[nodiscard]] base::Image<double> csddResponse(base::View<const double> image,
                                               const CsddScale& scale);

} // namespace flcc::reference
