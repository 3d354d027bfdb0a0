#pragma once

#include <QColor>
#include <QIcon>
#include <QObject>
#include <QPalette>

#include <functional>

#include "ui/base/settings.h"

namespace flcc::ui {

/// The palette's role of secondary text; Accents::bad is QPalette::BrightText, Accents::line is
/// QPalette::Mid. A role follows the theme without code, and so does palette(...) in a style sheet.
inline constexpr QPalette::ColorRole kMutedText = QPalette::PlaceholderText;

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

/// Emits changed() when style and palette of a theme are set and every widget has them.
class ThemeNotice : public QObject {
    Q_OBJECT

  public:
    static ThemeNotice& instance();

  Q_SIGNALS:
    void changed();
};

/// Calls `colour` now and whenever the theme has changed, as long as `owner` lives. For colours
/// that are fixed when they are set: those of rich text, pixmaps, scenes and accents in a style
/// sheet. Painting widgets, icons and palette roles do not need it.
void followTheme(QObject* owner, const std::function<void()>& colour);

[[nodiscard]] bool isDark();
[[nodiscard]] const Accents& accents();

/// The icon `name` of resources/icons, drawn in the text colour of the theme at the time of
/// painting, sharp at every scale. `ink`: draws it in this colour instead.
[[nodiscard]] QIcon icon(const QString& name, const QColor& ink = {});

/// The program's own icon.
[[nodiscard]] QIcon programIcon();

/// Rich text that shows `text` in a colour.
[[nodiscard]] QString coloured(const QString& text, const QColor& colour);

} // namespace flcc::ui
