#pragma once

#include <array>
#include <cstdint>

#include "tests/engine/io/fixtures.h"

// Headers of programs and instruments, byte by byte after the descriptions of their formats.

namespace flcc::test {

/// An MGH header of width, height, depth and frames; voxels of 0.5 x 2 x 4 mm in coronal slices
/// around 10, 20, 30 (right-anterior-superior).
[[nodiscard]] Bytes makeMgh(const std::array<std::int32_t, 4>& lengths, int type);

} // namespace flcc::test
