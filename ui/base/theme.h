#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>

#include "ui/base/settings.h"

namespace flcc::ui {

/// Colours beyond the palette's roles.
struct Accents {
    QColor good;    ///< chosen, done
    QColor warning; ///< partial, attention
    QColor bad;     ///< refused, error
    QColor muted;   ///< secondary text
    QColor line;    ///< borders and separators
    QColor card;    ///< background of a card
};

/// Sets the style Fusion and the palette of `theme` for the whole program. System uses the palette
/// that the program was started with.
void applyTheme(Theme theme);

[[nodiscard]] bool isDark();
[[nodiscard]] const Accents& accents();

/// The icon `name` of resources/icons in the palette's text colour, sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name);
[[nodiscard]] QIcon icon(const QString& name, const QColor& ink);

/// The program's own icon.
[[nodiscard]] QIcon programIcon();

/// Rich text that shows `text` in a colour.
[[nodiscard]] QString coloured(const QString& text, const QColor& colour);

} // namespace flcc::ui
