#include "ui/base/theme.h"

#include <QApplication>
#include <QDialog>
#include <QEvent>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QProxyStyle>
#include <QPushButton>
#include <QStyleOption>
#include <QSvgRenderer>

#include <algorithm>

static void initialiseResources() { Q_INIT_RESOURCE(flcc); }

namespace flcc::ui {
namespace {

struct Colours {
    QColor window, base, alternate, button, text, disabled, highlight, highlightedText, link;
};

const Colours kLight{QColor(0xf3f4f6), QColor(0xffffff), QColor(0xf7f8fa),
                     QColor(0xfafbfc), QColor(0x1c2127), QColor(0x8b939c),
                     QColor(0x1f6feb), QColor(0xffffff), QColor(0x1a5fc4)};
const Colours kDark{QColor(0x2c3037), QColor(0x1b1e22), QColor(0x21252a),
                    QColor(0x3b4149), QColor(0xe4e7eb), QColor(0x868e98),
                    QColor(0x2f6fd6), QColor(0xffffff), QColor(0x7fb2ff)};

const Accents kLightAccents{QColor(0x1a7f37), QColor(0x8a5a00), QColor(0xc01c28),
                            QColor(0x58616b), QColor(0xd3d8de), QColor(0xffffff)};
const Accents kDarkAccents{QColor(0x5fc97a), QColor(0xe3b341), QColor(0xff7b72),
                           QColor(0xa2abb6), QColor(0x4a515b), QColor(0x343940)};

bool& dark() {
    static bool value = false;
    return value;
}

/// The brightness the desktop gave the program, read before the first own palette.
bool systemIsDark() {
    static const bool value = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return value;
}

QPalette paletteOf(const Colours& c, const Accents& a) {
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.base);
    palette.setColor(QPalette::AlternateBase, c.alternate);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, a.muted);
    palette.setColor(QPalette::Button, c.button);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, a.bad);
    palette.setColor(QPalette::Highlight, c.highlight);
    palette.setColor(QPalette::HighlightedText, c.highlightedText);
    palette.setColor(QPalette::Link, c.link);
    palette.setColor(QPalette::LinkVisited, c.link);
    palette.setColor(QPalette::ToolTipBase, c.base);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Light, c.button.lighter(115));
    palette.setColor(QPalette::Midlight, c.button.lighter(105));
    palette.setColor(QPalette::Mid, a.line);
    palette.setColor(QPalette::Dark, c.window.darker(135));
    palette.setColor(QPalette::Shadow, QColor(0, 0, 0, 160));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, c.disabled);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, a.line);
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, c.disabled);
    return palette;
}

QPixmap drawn(const QByteArray& svg, int pixels) {
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter);
    return pixmap;
}

QByteArray source(const QString& name) {
    initialiseResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Fusion without its icons on the buttons of dialogs, which are dark on every palette. A click on
/// a button of the main window leaves the focus where it is: the next Space is meant for the view
/// or the list that had it, and must not press the button again.
class Look final : public QProxyStyle {
  public:
    Look() : QProxyStyle(QStringLiteral("Fusion")) {}
    using QProxyStyle::polish;
    void polish(QWidget* widget) override {
        QProxyStyle::polish(widget);
        if (qobject_cast<QPushButton*>(widget) != nullptr &&
            qobject_cast<QDialog*>(widget->window()) == nullptr) {
            widget->setFocusPolicy(Qt::TabFocus);
        }
    }
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override {
        return hint == SH_DialogButtonBox_ButtonsHaveIcons
                   ? 0
                   : QProxyStyle::styleHint(hint, option, widget, data);
    }
};

/// Draws an icon when it is painted, so that it has the colours of the theme of that moment.
class IconEngine final : public QIconEngine {
  public:
    IconEngine(const QString& name, const QColor& ink) : m_name(name), m_ink(ink) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
               QIcon::State state) override {
        const double ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, pixmap(rect.size() * ratio, mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State /*state*/) override {
        const QPalette palette = QApplication::palette();
        const bool disabled = mode == QIcon::Disabled;
        const QColor ink = m_ink.isValid() && !disabled
                               ? m_ink
                               : palette.color(disabled ? QPalette::Disabled : QPalette::Active,
                                               QPalette::ButtonText);
        const int side = std::min(size.width(), size.height());
        const QString tint =
            mode == QIcon::Selected ? palette.color(QPalette::Highlight).name() : QString();
        const QString key =
            QStringLiteral("flcc/%1/%2/%3/%4").arg(m_name, ink.name(), tint).arg(side);
        QPixmap made;
        if (!QPixmapCache::find(key, &made)) {
            made = drawn(source(m_name).replace("#ink", ink.name().toLatin1()), side);
            if (!tint.isEmpty()) {
                QStyleOption option;
                option.palette = palette;
                made = QApplication::style()->generatedIconPixmap(mode, made, &option);
            }
            QPixmapCache::insert(key, made);
        }
        return made;
    }

    QSize actualSize(const QSize& size, QIcon::Mode /*mode*/, QIcon::State /*state*/) override {
        return QSize(1, 1).scaled(size, Qt::KeepAspectRatio);
    }

    QIconEngine* clone() const override { return new IconEngine(*this); }

  private:
    QString m_name;
    QColor m_ink; ///< invalid: the text colour
};

} // namespace

void applyTheme(Theme theme) {
    const bool system = systemIsDark();
    dark() = theme == Theme::Dark || (theme == Theme::System && system);
    QApplication::setPalette(dark() ? paletteOf(kDark, kDarkAccents)
                                    : paletteOf(kLight, kLightAccents));
    // Qt sends the windows this event only from the event loop.
    for (QWidget* window : QApplication::topLevelWidgets()) {
        QEvent event(QEvent::ApplicationPaletteChange);
        QCoreApplication::sendEvent(window, &event);
    }
    // Style sheets keep the palette of the time they were applied, and Qt 6.4 sends no
    // PaletteChange to the widgets below them. A new style applies them again, to the palette set
    // above.
    QApplication::setStyle(new Look);
    Q_EMIT ThemeNotice::instance().changed();
}

ThemeNotice& ThemeNotice::instance() {
    static ThemeNotice notice;
    return notice;
}

void followTheme(QObject* owner, const std::function<void()>& colour) {
    QObject::connect(&ThemeNotice::instance(), &ThemeNotice::changed, owner, colour);
    colour();
}

bool isDark() { return dark(); }

const Accents& accents() { return dark() ? kDarkAccents : kLightAccents; }

QIcon icon(const QString& name, const QColor& ink) { return QIcon(new IconEngine(name, ink)); }

QIcon programIcon() {
    const QByteArray text = source(QStringLiteral("flcc"));
    QIcon result;
    for (const int size : {16, 32, 48, 64, 128, 256}) {
        result.addPixmap(drawn(text, size));
    }
    return result;
}

QString coloured(const QString& text, const QColor& colour) {
    return QStringLiteral("<span style='color:%1'>%2</span>")
        .arg(colour.name(), text.toHtmlEscaped());
}

} // namespace flcc::ui
