#pragma once

#include <QString>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// Texts of numbers, files and images for the window. The decimal separator is a point in every
/// locale.
[[nodiscard]] QString toQString(std::string_view text);
/// Converts a file name to text and back. Bytes that are not UTF-8 are preserved.
[[nodiscard]] QString pathText(const std::filesystem::path& path);
[[nodiscard]] std::filesystem::path toPath(const QString& text);

/// Seconds since 1970 as the local day and time: "3 November 2026, 14:02:10".
[[nodiscard]] QString momentText(std::int64_t seconds);
/// The sentence for work that was given up because memory ran out.
[[nodiscard]] QString noMemoryText();
/// "mm", "µm", "Å".
[[nodiscard]] QString unitText(const base::Geometry& geometry);

/// "1024 × 1024"; the third axis only if it is not 1.
[[nodiscard]] QString extentsText(const base::Extents& extents);
/// "voxels" of a volume, "pixels" of an image.
[[nodiscard]] QString voxelsWord(bool volume);
/// "voxel" of a volume, "pixel" of an image.
[[nodiscard]] QString voxelWord(bool volume);
/// "700 × 600 pixels", "64 × 64 × 40 voxels".
[[nodiscard]] QString sizeText(const base::Extents& extents);
/// "12, 40".
[[nodiscard]] QString cornerText(const base::Index& corner, bool volume);
[[nodiscard]] QString bytesText(std::int64_t bytes); ///< "18.4 MiB"
/// A share as "0 %", "0.31 %" or "12 %". "0 %" only if the share is 0.
[[nodiscard]] QString percentText(double share);
[[nodiscard]] QString durationText(double milliseconds); ///< "35 ms", "2.40 s", "3 min 5 s"
[[nodiscard]] QString numberText(double value);          ///< six significant digits
/// "1 × 1 px (spacing missing)", "0.5 × 0.5 × 2 um (from the header)".
[[nodiscard]] QString spacingText(const base::Geometry& geometry, bool volume);
/// One sentence about an opened image with this geometry: extents, type, spacing, unit and the
/// unit's source.
[[nodiscard]] QString announcement(const QString& name, const job::SceneImage& image,
                                   const base::Geometry& geometry);
/// The text and what was assumed on reading a file, each after a semicolon.
[[nodiscard]] QString withNotes(QString text, const std::vector<std::string>& notes);
[[nodiscard]] QString deviceText(std::string_view id); ///< "CPU", "CUDA 0"
[[nodiscard]] QString threadsText(int count);          ///< "1 thread", "2 threads"
[[nodiscard]] QString peaksText(std::int64_t count);   ///< "no peaks", "1 peak", "40 peaks"
/// Of a search over poses that was stopped: "412 of 7,112 orientations".
[[nodiscard]] QString searchedText(const job::JobReport& report);
/// "tiled 96 × 96", "direct".
[[nodiscard]] QString candidateText(const method::Candidate& candidate);
/// Times of a GPU: "(upload 1.2 ms, compute 8.0 ms, download 0.90 ms)".
[[nodiscard]] QString partsText(const method::DeviceTimes& times);

} // namespace flcc::ui
