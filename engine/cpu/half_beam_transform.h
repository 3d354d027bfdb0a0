#pragma once

#include <memory>

#include "engine/cpu/tile_transform.h"

namespace flcc::cpu {

/// Real tiles by the kernels of simd/beam.h: lengths are products of 2, 3, 5 and 7, and at least
/// half of the lanes hold columns.
///
/// Thirty-two columns go through their transform as the real and the imaginary part of one beam;
/// their spectra are taken apart, and of each the frequencies 0 .. y / 2 go on, across the slices
/// and along the rows, as the others are their conjugates. Nothing is planned.
template <class Real>
[[nodiscard]] std::unique_ptr<const TileTransform<Real>>
halfBeamTransform(const base::Extents& points);

/// Whether there is one.
[[nodiscard]] bool hasHalfBeamTransform(const base::Extents& points);

/// Values of a spectrum, of the scratch that one of a template of extents `m` is made in, and of
/// what a thread takes while it transforms.
[[nodiscard]] std::int64_t halfBeamSpectrumValues(const base::Extents& points);
[[nodiscard]] std::int64_t halfBeamTemplateValues(const base::Extents& points,
                                                  const base::Extents& m);
[[nodiscard]] std::int64_t halfBeamScratchValues(const base::Extents& points);

} // namespace flcc::cpu
