#pragma once

#include "engine/base/extents.h"

namespace flcc::features {

/// A place that differs from its surroundings in the distribution of its values.
struct Blob {
    /// Response of the detector at `centre` and `sigma`, in the unit of the image's values; colour
    /// sums over the channels. A disc of contrast h on a flat ground has the strength h.
    double strength = 0;
    base::Index voxel{};  ///< the voxel with the largest response
    base::Point centre{}; ///< sub-voxel position, voxel coordinates, in multiples of 2^-16
    double sigma = 0;     ///< scale, in shortest edges of a voxel
    double radius = 0;    ///< sqrt(2) sigma in images, sqrt(3) sigma in volumes; the same unit
    /// The edges of a voxel in that unit: along axis a the radius is radius / edges[a] voxels.
    base::Point edges{1, 1, 1};
    friend bool operator==(const Blob&, const Blob&) = default;
};

} // namespace flcc::features
