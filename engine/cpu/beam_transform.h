#pragma once

#include <memory>

#include "engine/cpu/tile_transform.h"

namespace flcc::cpu {

/// Tiles whose lengths are products of 2, 3, 5 and 7, by kernels of our own (simd/beam.h): columns
/// forward straight from the voxels, rows forward, product and back while they are in cache,
/// columns back straight into the numerators.
///
/// Nothing is planned: the same passes, and so the same bits, every time.
[[nodiscard]] std::unique_ptr<const TileTransform> beamTransform(const base::Extents& points);

/// Whether there is one.
[[nodiscard]] bool hasBeamTransform(const base::Extents& points);

/// Floats of its buffers: of a tile between the passes, of a beam along rows, of a spectrum.
[[nodiscard]] std::int64_t beamTileValues(const base::Extents& points);
[[nodiscard]] std::int64_t beamLineValues(const base::Extents& points);
[[nodiscard]] std::int64_t beamSpectrumValues(const base::Extents& points);

} // namespace flcc::cpu
