#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/text.h"
#include "engine/io/format/raw_layout.h"
#include "engine/io/format/reading.h"

namespace flcc::io::detail {

/// **Errors**: Input when `present` bytes are fewer than frames * voxels * bytesPerVoxel.
void requireRawBytes(const std::filesystem::path& path, const base::Extents& extents,
                     std::int64_t bytesPerVoxel, std::int64_t frames, std::int64_t present);

/// Copies `count` values of `source`, with the indices `first`, `first + step`, ..., to the voxels
/// of `target` from index `at` on. `source` has the pixel type of `target`.
void takeEvery(base::AnyImage& target, std::int64_t at, std::int64_t count, const void* source,
               std::int64_t first, std::int64_t step);

/// Calls `put` with the bytes of the voxels, at most `most` at once, until it returns false.
/// **Errors**: Stopped.
void forRows(const base::AnyView& pixels, std::int64_t most, const std::stop_token& stop,
             const std::function<bool(const char*, std::int64_t)>& put);

/// Writes `header` followed by the voxels; writePacked writes both as gzip. **Errors**: Output,
/// which names `target`; Stopped.
void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels, const std::stop_token& stop);

void writePacked(const std::filesystem::path& path, const std::filesystem::path& target,
                 const std::string& header, const base::AnyView& pixels,
                 const std::stop_token& stop);

/// Sets unit and unitSource from the unit of a header. Without a unit, a spacing of 1 gives "px";
/// any other spacing gives "mm", as in ITK, with UnitSource::Missing.
void setHeaderUnit(base::Geometry& geometry, const std::string& text);

/// The shortest text that reads back as the same double, with a decimal point.
[[nodiscard]] std::string numberText(double value);

/// Returns `key` if it consists of letters, digits, '_', '.' and '-'. **Errors**: Internal.
[[nodiscard]] std::string requireKey(const std::string& key);

using base::oneLine;

} // namespace flcc::io::detail
