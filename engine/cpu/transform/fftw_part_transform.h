#pragma once

#include <cstdint>
#include <memory>

#include "engine/cpu/transform/part_transform.h"

namespace flcc::cpu {

/// PartTransform by FFTW, for parts of any length. A buffer holds a box that FFTW transforms in
/// place when all strips are in it.
template <class Real>
[[nodiscard]] std::unique_ptr<const PartTransform<Real>>
fftwPartTransform(const base::Extents& points);

/// Values of a buffer.
[[nodiscard]] std::int64_t fftwPartValues(const base::Extents& points, PartKind kind);

} // namespace flcc::cpu
