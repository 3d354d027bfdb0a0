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

// Our own look into headers that ITK reads too: what it does not tell, and what would harm it.

namespace flcc::io::detail {

using Bytes = std::vector<unsigned char>;

/// A number of a binary header at `offset`, its bytes turned round when `swapped`.
template <class T> [[nodiscard]] T field(const Bytes& bytes, std::size_t offset, bool swapped) {
    std::array<unsigned char, sizeof(T)> raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), raw.begin());
    if (swapped) {
        std::reverse(raw.begin(), raw.end());
    }
    return std::bit_cast<T>(raw);
}

/// True for a number of a place in the world, which ITK multiplies and inverts: where one is none,
/// its matrix library ends the program.
[[nodiscard]] inline bool isPlace(double value) {
    return std::isfinite(value) && std::abs(value) < 1e15;
}

/// **Errors**: Input when the header is damaged or promises more than the file holds; Stopped.
void checkNifti(const std::filesystem::path& path, std::int64_t size, const std::stop_token& stop);
[[nodiscard]] VoxelPlace niftiPlace(const std::filesystem::path& path, const ImageInfo& info);
/// Whether lengths are in micrometres.
[[nodiscard]] bool niftiIsMicron(const std::filesystem::path& path);

void checkNrrd(const std::filesystem::path& path);
[[nodiscard]] VoxelPlace nrrdPlace(const std::filesystem::path& path, const ImageInfo& info);
/// The fields of an NRRD header that the library keeps to itself.
void refineNrrd(const std::filesystem::path& path, base::Geometry& geometry);

} // namespace flcc::io::detail
