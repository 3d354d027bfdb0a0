#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/rotation/orientation.h"

namespace flcc::sample {

/// A built-in scene, its template, and the positions of the planted copies.
struct Sample {
    std::string name;
    std::string title; ///< one line for the start page
    base::AnyImage scene;
    base::AnyImage templ;
    base::Geometry geometry;          ///< of the scene; the template has the same spacing and unit
    std::vector<base::Point> centres; ///< planted centres in scene voxels, sub-voxel
    /// Of a sample of turned copies: how each lies there; else empty.
    std::vector<rotation::Pose> poses{};
};

struct SampleInfo {
    std::string_view name;
    std::string_view title;
    base::Extents extents;
    bool turned = false; ///< the copies lie in poses of their own
    // Of turned copies: options of a match that finds them.
    std::string_view rotations{};
    std::string_view scales{};
    std::string_view mask{};
};

/// "cells", "tomogram", "tiny", "turned-cells", "turned-complexes".
[[nodiscard]] const std::vector<SampleInfo>& sampleList();

/// Returns the same bits on every machine and in every call. **Errors**: CommandLine for an unknown
/// name.
[[nodiscard]] Sample makeSample(std::string_view name);

} // namespace flcc::sample
