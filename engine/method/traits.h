#pragma once

#include <string_view>

namespace flcc::method {

/// Properties of a method, the same on every device. Code that plans or lists methods asks for them
/// instead of comparing names.
struct Traits {
    std::string_view title; ///< the method's name in a list: "Tiled Fourier"
    /// True: numerators are sums of products, and Candidate::tile is in placements. False:
    /// numerators come from Fourier transforms, and Candidate::tile is in points of a transform.
    bool byDefinition = false;
    bool wholeScene = false; ///< one transform covers the whole scene
    /// Numerators are sums of products axis by axis, for templates of a small Problem::residual.
    bool axisByAxis = false;
    /// Takes less memory than the other method that transforms whole scenes, and more time. `auto`
    /// considers it where that one does not fit.
    bool savesMemory = false;
    bool cutsTemplate = false; ///< a template that does not fit into the tile is cut into blocks
};

} // namespace flcc::method
