#pragma once

#include <string_view>

namespace flcc::method {

/// What kind of method it is, for whoever plans, samples, judges or lists methods. The same on
/// every device.
struct Traits {
    std::string_view title; ///< for people, as an entry of a list: "Tiled Fourier"
    /// Sums the products of the definition, and a candidate's tile counts placements. Else the
    /// numerators come from Fourier transforms, and the tile counts their points.
    bool byDefinition = false;
    /// One transform holds the whole scene.
    bool wholeScene = false;
    /// Cuts the template into blocks where it does not fit into the tile.
    bool cutsTemplate = false;
};

} // namespace flcc::method
