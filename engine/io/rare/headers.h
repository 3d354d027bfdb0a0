#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

namespace flcc::io::detail {

/// What the header of a file says before ITK reads it. ITK must find the same sizes and type, so
/// that a header which either of the two misreads is refused.
struct ItkHeader {
    std::filesystem::path voxels; ///< the file that holds them
    std::int64_t offset = 0;      ///< of the first voxel in it
    base::Extents extents;
    std::int64_t frames = 1;
    int components = 1;  ///< numbers of a voxel
    bool colour = false; ///< they are a colour; otherwise each is a channel
    base::PixelType stored = base::PixelType::UInt8;
    base::PixelType pixel = base::PixelType::UInt8; ///< as ITK gives it
    base::Geometry geometry;                        ///< without its unit
    std::string unit;                               ///< empty: not stated
    std::vector<std::string> notes;
    /// Bytes of voxels that are there; -1: the size of the file says it.
    std::int64_t present = -1;
    bool text = false; ///< the voxels are numbers in text
};

/// Read the header of a file. **Errors**: Input, without the path, for a file that is cut, that
/// contradicts itself, or of a kind that ITK misreads.
[[nodiscard]] ItkHeader vtkHeader(const std::filesystem::path& file);
[[nodiscard]] ItkHeader giplHeader(const std::filesystem::path& file);
[[nodiscard]] ItkHeader bioRadHeader(const std::filesystem::path& file);
[[nodiscard]] ItkHeader stimulateHeader(const std::filesystem::path& file);
[[nodiscard]] ItkHeader brukerHeader(const std::filesystem::path& file);

/// Bytes of the voxels of all frames. **Errors**: Input for sizes that no file has.
[[nodiscard]] std::int64_t promisedBytes(const ItkHeader& header);

/// A note where more is there than the header says. **Errors**: Input where less is there.
void requireVoxels(ItkHeader& header);

/// Throws Input with the sentence.
[[noreturn]] void refuseItk(const std::string& sentence);

/// The words of a line; a number from a word. **Errors**: Input where `word` is none.
[[nodiscard]] std::vector<std::string> wordsOf(std::string_view line);
[[nodiscard]] double numberOf(const std::string& word);
/// A number as a length of an axis. **Errors**: Input where it is none.
[[nodiscard]] std::int64_t lengthOf(double number);

} // namespace flcc::io::detail
