#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cuda/kernels/tiled_launch.h"
#include "engine/cuda/plugin/engine.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// Factor on the bounds on errors of transforms (engine/method/NUMERICS.md, section 5). Their
/// constants were found with FFTW. cuFFT's errors are not measured, so they count twice.
inline constexpr double kTransformFactor = 2;

/// How a map is cut into tiles, and tiles are grouped into parts that are computed at once.
struct Tiling {
    base::Extents points;   ///< points of a tile's transform
    base::Extents out;      ///< placements of a tile
    base::Extents together; ///< tiles of a part along each axis
    base::Extents part;     ///< placements of a part
    double tiles = 1;       ///< number of tiles of the map

    [[nodiscard]] std::int64_t batch() const { return together.x * together.y * together.z; }
};

/// The tiling for a device: a part has as many tiles as fill the device and need at most half of
/// its memory, and at least one. **Shapes**: `points` at least the template's extents.
[[nodiscard]] Tiling tilingOf(const method::Problem& problem, const base::Extents& points,
                              const DeviceFacts& device);

/// The points of tiles that are worth considering.
[[nodiscard]] std::vector<base::Extents> tilesFor(const method::Problem& problem);
/// The points of the one tile that holds the whole scene.
[[nodiscard]] base::Extents wholeTile(const method::Problem& problem);
/// The points of the tile that `--tile` asks for, with 1 along the axes that the scene does not
/// have.
[[nodiscard]] base::Extents askedTile(const method::Problem& problem, const base::Extents& tile);

/// Why tiles of `points` cannot be used; empty if they can. `whole`: for method fourier, whose one
/// tile must hold the scene.
[[nodiscard]] std::string refusalOf(const method::Problem& problem, const base::Extents& points,
                                    bool whole);

/// Number of elements of each buffer of a run.
struct TilingRoom {
    std::int64_t valueBytes = 4; ///< bytes of a value of data and spectrum
    std::int64_t tile = 0;       ///< values of a tile or of a spectrum
    std::int64_t data = 0;       ///< values
    std::int64_t product = 0;    ///< values; 0 if products overwrite `data`
    std::int64_t spectra = 0;    ///< values, of all templates
    std::int64_t facts = 0;
    std::int64_t shares = 0;
    /// PanelSums. While a run is prepared, the template's tile in double is in this buffer.
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t weights = 0; ///< doubles
    /// Upper estimate of cuFFT's work area for smooth lengths. cuFFT itself reports the size only
    /// after it has planned, which wakes a device.
    std::int64_t workBytes = 0;

    [[nodiscard]] std::int64_t bytes() const;
};
/// Bytes of device memory of a run with `inFlight` parts in flight, the parts of scene and map
/// included. For a bank: of all templates at once.
[[nodiscard]] std::int64_t deviceBytes(const method::Problem& problem, const Tiling& tiling,
                                       std::int64_t inFlight);
[[nodiscard]] TilingRoom roomOf(const method::Problem& problem, const Tiling& tiling);

} // namespace flcc::cuda
