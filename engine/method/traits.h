#pragma once

#include <string_view>

namespace flcc::method {

/// The values of placements that a method makes. It refuses problems that need others.
struct Values {
    bool scores = false;      ///< r, of operations that have the row scorer
    bool forms = false;       ///< of other operations, from sums and canonical values
    bool differences = false; ///< of operations that are byDefinition
    bool searchSums = false;  ///< Problem::searchSums beside them
};

/// Properties of a method, all but `makes` the same on every device. Code that plans or lists
/// methods asks for them instead of comparing names.
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
    Values makes;
};

} // namespace flcc::method
