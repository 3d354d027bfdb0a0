#pragma once

#include <QString>

#include <exception>
#include <string_view>

namespace flcc::base {
class Error;
}

namespace flcc::ui {

/// A sentence of the engine with the names of the window's controls instead of command-line
/// options: `raise --memory` becomes `raise "Memory limit"`. Extents of images have two numbers:
/// `700x600x1` becomes `700 × 600`.
[[nodiscard]] QString inWindowWords(const QString& sentence);
[[nodiscard]] QString inWindowWords(std::string_view sentence);
[[nodiscard]] QString inWindowWords(const char* sentence);
/// The message of an error in the words of the window, without a look into the sentence; of an
/// error without a message, its sentence as above.
[[nodiscard]] QString inWindowWords(const base::Error& error);
[[nodiscard]] QString inWindowWords(const std::exception& error);

} // namespace flcc::ui
