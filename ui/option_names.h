#pragma once

#include <QString>

#include <string_view>

namespace flcc::ui {

/// A sentence of the engine with the names of the window's controls instead of command-line
/// options: `raise --memory` becomes `raise "Memory limit"`. Extents of images have two numbers:
/// `700x600x1` becomes `700 × 600`.
[[nodiscard]] QString inWindowWords(const QString& sentence);
[[nodiscard]] QString inWindowWords(std::string_view sentence);
[[nodiscard]] QString inWindowWords(const char* sentence);

} // namespace flcc::ui
