#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cuda/engine.h"
#include "engine/cuda/tiled_launch.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// cuFFT's errors against FFTW's, for which the constants of METHODS 2.2 were found: not measured
/// on any device, so twice as large.
inline constexpr double kTransformFactor = 2;

/// How a map is cut into tiles, and tiles are put together to parts that are done at once.
struct Tiling {
    base::Extents points;   ///< of a tile's transform
    base::Extents out;      ///< placements of a tile
    base::Extents together; ///< tiles of a part along each axis
    base::Extents part;     ///< placements of a part
    double tiles = 1;       ///< of the map

    [[nodiscard]] std::int64_t batch() const { return together.x * together.y * together.z; }
};

/// As many tiles at once as fill a device, and as half of its memory holds; one at least.
/// **Shapes**: `points` at least the template's extents.
[[nodiscard]] Tiling tilingOf(const method::Problem& problem, const base::Extents& points,
                              const DeviceFacts& device);

/// Tiles worth considering.
[[nodiscard]] std::vector<base::Extents> tilesFor(const method::Problem& problem);
/// The one tile that holds the scene.
[[nodiscard]] base::Extents wholeTile(const method::Problem& problem);
/// A tile that was asked for, on the axes that the scene has.
[[nodiscard]] base::Extents askedTile(const method::Problem& problem, const base::Extents& tile);

/// Why tiles of `points` cannot be used; empty when they can.
[[nodiscard]] std::string refusalOf(const method::Problem& problem, const base::Extents& points,
                                    bool whole);

/// Elements of each buffer of a run.
struct TilingRoom {
    std::int64_t valueBytes = 4; ///< of a value of data and spectrum
    std::int64_t tile = 0;       ///< values of a tile, and of a spectrum
    std::int64_t data = 0;       ///< values
    std::int64_t product = 0;    ///< values, where `data` is kept for further templates
    std::int64_t spectra = 0;    ///< values, of all templates
    std::int64_t facts = 0;
    std::int64_t shares = 0;
    std::int64_t first = 0; ///< PanelSum; the template in double too, before
    std::int64_t second = 0;
    std::int64_t weights = 0; ///< doubles
    /// At most, of transforms that are smooth: what cuFFT says of its own is known when it has
    /// planned, for which a device must be woken.
    std::int64_t workBytes = 0;

    [[nodiscard]] std::int64_t bytes() const;
};
/// Bytes of the device for all of it, those of as many parts of scene and map with it. Of a bank
/// for all templates at once.
[[nodiscard]] std::int64_t deviceBytes(const method::Problem& problem, const Tiling& tiling,
                                       std::int64_t inFlight);
[[nodiscard]] TilingRoom roomOf(const method::Problem& problem, const Tiling& tiling);

} // namespace flcc::cuda
