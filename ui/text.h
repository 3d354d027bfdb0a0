#pragma once

#include <QString>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "engine/job/job.h"

namespace flcc::ui {

/// Numbers and facts as the window words them. Decimal points are points in every locale.
[[nodiscard]] QString toQString(std::string_view text);
/// A file's name as text and back; bytes that are no UTF-8 survive the way.
[[nodiscard]] QString pathText(const std::filesystem::path& path);
[[nodiscard]] std::filesystem::path toPath(const QString& text);
/// "mm", "µm", "Å", as everywhere in the window.
[[nodiscard]] QString unitText(const base::Geometry& geometry);

/// "1024 × 1024", with the third axis only where there is one.
[[nodiscard]] QString extentsText(const base::Extents& extents);
/// "12, 40".
[[nodiscard]] QString cornerText(const base::Index& corner, bool volume);
[[nodiscard]] QString bytesText(std::int64_t bytes); ///< "18.4 MiB"
/// "0 %", "0.31 %", "12 %" of a share; never "0 %" for more than none.
[[nodiscard]] QString percentText(double share);
[[nodiscard]] QString durationText(double milliseconds); ///< "35 ms", "2.40 s", "3 min 5 s"
[[nodiscard]] QString numberText(double value);          ///< six significant digits
/// "1 × 1 px (spacing missing)", "0.5 × 0.5 × 2 um (from the header)".
[[nodiscard]] QString spacingText(const base::Geometry& geometry, bool volume);
/// One sentence for an image that was opened: extents, type, spacing, unit and its source.
[[nodiscard]] QString announcement(const QString& name, const job::SceneImage& image);
[[nodiscard]] QString deviceText(std::string_view id); ///< "CPU", "CUDA 0"
[[nodiscard]] QString threadsText(int count);          ///< "1 thread", "2 threads"
[[nodiscard]] QString peaksText(std::int64_t count);   ///< "no peaks", "1 peak", "40 peaks"
/// "tiled 96 × 96", "direct".
[[nodiscard]] QString candidateText(const method::Candidate& candidate);
/// "(upload 1.2 ms, compute 8.0 ms, download 0.90 ms)" of a GPU.
[[nodiscard]] QString partsText(const method::DeviceTimes& times);

} // namespace flcc::ui
