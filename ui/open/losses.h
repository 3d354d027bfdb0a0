#pragma once

#include <QString>

namespace flcc::ui {

class Document;

/// What goes when another scene takes the place of all: "2 templates, 1 mask and 3 results with 12
/// decisions". Empty if nothing does.
[[nodiscard]] QString lossText(const Document& document);

/// What goes with scene `index` when it is removed from the list: its results and, with the first
/// one, the box and the templates cut from it.
[[nodiscard]] QString lossText(const Document& document, int index);

} // namespace flcc::ui
