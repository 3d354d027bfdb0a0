#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "engine/io/detail/backends.h"

// Our own reading of headers that ITK reads too: fields that ITK does not report, and values that
// would make ITK fail.

namespace flcc::io::detail {

using Bytes = std::vector<unsigned char>;

/// Reads a number of a binary header at `offset`; reverses its bytes if `swapped`.
template <class T> [[nodiscard]] T field(const Bytes& bytes, std::size_t offset, bool swapped) {
    std::array<unsigned char, sizeof(T)> raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), raw.begin());
    if (swapped) {
        std::reverse(raw.begin(), raw.end());
    }
    return std::bit_cast<T>(raw);
}

/// True for a finite number of usable size. ITK multiplies and inverts coordinates; a value that is
/// not usable makes its matrix library end the program.
[[nodiscard]] inline bool isPlace(double value) {
    return std::isfinite(value) && std::abs(value) < 1e15;
}

/// **Errors**: Input when the header is damaged or the file is too short for it; Stopped.
void checkNifti(const std::filesystem::path& path, std::int64_t size, const std::stop_token& stop);
[[nodiscard]] VoxelPlace niftiPlace(const std::filesystem::path& path, const ImageInfo& info);
/// True if lengths are in micrometres.
[[nodiscard]] bool niftiIsMicron(const std::filesystem::path& path);

void checkNrrd(const std::filesystem::path& path);
[[nodiscard]] VoxelPlace nrrdPlace(const std::filesystem::path& path, const ImageInfo& info);
/// Reads the fields of an NRRD header that ITK does not report.
void refineNrrd(const std::filesystem::path& path, base::Geometry& geometry);

} // namespace flcc::io::detail
