#pragma once

#include <memory>

#include "engine/cpu/transform/tile_transform.h"

namespace flcc::cpu {

/// Transforms of real tiles by the kernels of simd/beam.h. The lengths must be products of 2, 3, 5
/// and 7, and columns must fill at least half of the lanes.
///
/// Thirty-two columns are transformed as the real and the imaginary part of one beam; then their
/// spectra are separated. Of each spectrum only the frequencies 0 .. y / 2 are transformed across
/// the slices and along the rows, since the others are their conjugates. Nothing is planned.
template <class Real>
[[nodiscard]] std::unique_ptr<const TileTransform<Real>>
halfBeamTransform(const base::Extents& points);

/// True if halfBeamTransform() accepts these extents.
[[nodiscard]] bool hasHalfBeamTransform(const base::Extents& points);

/// Values of a spectrum; of the scratch in which the spectrum of a template of extents `m` is made;
/// of the scratch of one thread during a transform.
[[nodiscard]] std::int64_t halfBeamSpectrumValues(const base::Extents& points);
[[nodiscard]] std::int64_t halfBeamTemplateValues(const base::Extents& points,
                                                  const base::Extents& m);
[[nodiscard]] std::int64_t halfBeamScratchValues(const base::Extents& points);

} // namespace flcc::cpu
