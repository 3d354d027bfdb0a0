#include <QAction>
#include <QApplication>
#include <QCryptographicHash>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <set>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/theme.h"
#include "ui/open/opener.h"
#include "ui/results/peaks_model.h"

// A window whose theme was changed looks like one that was made under that theme: no panel may keep
// an icon, a picture or a colour of the theme before.

using namespace flcc;
using ui::Theme;

class WindowThemeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void cleanup() { m_window.reset(); }
    void aChangedThemeLeavesNothingOfTheOther();

  private:
    void make(Theme theme);
    [[nodiscard]] std::set<QString> look() const;

    std::unique_ptr<ui::MainWindow> m_window;
};

namespace {

/// Where an object is, without the numbers of rows and candidates, which differ between runs.
QString placeOf(const QObject& object) {
    QString place;
    for (const QObject* each = &object; each != nullptr; each = each->parent()) {
        place.prepend(QStringLiteral("/%1 %2").arg(QLatin1String(each->metaObject()->className()),
                                                   each->objectName()));
    }
    return place.remove(QRegularExpression(QStringLiteral("\\d")));
}

QString pixelsOf(const QPixmap& pixmap) {
    const QImage image = pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
    const auto hash = QCryptographicHash::hash(
        QByteArrayView(image.constBits(), image.sizeInBytes()), QCryptographicHash::Md5);
    return QStringLiteral("%1x%2 ").arg(image.width()).arg(image.height()) +
           QString::fromLatin1(hash.toHex());
}

QString pixelsOf(const QIcon& icon, const QSize& size) {
    QString pixels;
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Disabled, QIcon::Selected}) {
        pixels += pixelsOf(icon.pixmap(size, mode)) + QChar(' ');
    }
    return pixels;
}

QString coloursOf(const QWidget& widget) {
    QString colours = widget.styleSheet();
    for (const auto role : {QPalette::Window, QPalette::WindowText, QPalette::Base, QPalette::Text,
                            QPalette::Button, QPalette::ButtonText, QPalette::Highlight,
                            QPalette::Link, QPalette::PlaceholderText, widget.foregroundRole()}) {
        colours += QChar(' ') + widget.palette().color(QPalette::Active, role).name();
    }
    return colours;
}

/// The colours that a rich text names.
QString coloursOf(const QString& text) {
    std::set<QString> colours;
    static const QRegularExpression colour(QStringLiteral("#[0-9a-f]{6}"));
    for (auto found = colour.globalMatch(text); found.hasNext();) {
        colours.insert(found.next().captured());
    }
    return QStringList(colours.begin(), colours.end()).join(QChar(' '));
}

/// The first line that only one of the two has; empty: none.
QString difference(const std::set<QString>& is, const std::set<QString>& should) {
    const auto only = [](const std::set<QString>& in, const std::set<QString>& notIn) {
        const auto found =
            std::ranges::find_if(in, [&](const QString& line) { return !notIn.contains(line); });
        return found == in.end() ? QString() : *found;
    };
    const QString wrong = only(is, should);
    return wrong.isEmpty() ? only(should, is) : wrong;
}

} // namespace

/// With a result, a selected peak, a message, a refused field and two dialogs.
void WindowThemeTest::make(Theme theme) {
    m_window.reset();
    ui::applyTheme(theme);
    m_window = test::shownWindow();
    m_window->opener().openSample(QStringLiteral("tiny"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    test::child<QAction>(*m_window, "explainPeak").trigger();
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::NoModifier,
                      table.visualRect(table.model()->index(0, ui::PeaksModel::Score)).center());
    test::type(*m_window, "tile", "none");
    test::child<QAction>(*m_window, "averagePeaks").trigger();
    test::child<QAction>(*m_window, "filterAction").trigger();
    QTRY_VERIFY(!test::child<QLabel>(*m_window, "averagePictures").pixmap().isNull());
    QTRY_VERIFY(!test::child<QLabel>(*m_window, "explainPictures").pixmap().isNull());
    QVERIFY(test::waitUntilIdle(*m_window));
}

/// What depends on the theme, one line for each icon, picture and set of colours.
std::set<QString> WindowThemeTest::look() const {
    std::set<QString> lines;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        const QString place = placeOf(*widget);
        if (place.contains(QStringLiteral("QComboBoxPrivateContainer"))) {
            continue; // a list that is made when it is needed
        }
        lines.insert(place + QStringLiteral(": ") + coloursOf(*widget));
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            lines.insert(place + QStringLiteral(": icon ") +
                         pixelsOf(button->icon(), button->iconSize()));
        } else if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            lines.insert(place + QStringLiteral(": picture ") + pixelsOf(label->pixmap()));
            lines.insert(place + QStringLiteral(": text ") + coloursOf(label->text()));
        }
        // Drawn by the style and, for the refused field, by its style sheet.
        if (widget->isVisible() && (qobject_cast<const QToolButton*>(widget) != nullptr ||
                                    qobject_cast<const QLineEdit*>(widget) != nullptr)) {
            lines.insert(place + QStringLiteral(": drawn ") +
                         pixelsOf(const_cast<QWidget*>(widget)->grab()));
        }
    }
    for (const QAction* action : m_window->findChildren<QAction*>()) {
        lines.insert(placeOf(*action) + QStringLiteral(": icon ") +
                     pixelsOf(action->icon(), {20, 20}));
    }
    return lines;
}

void WindowThemeTest::aChangedThemeLeavesNothingOfTheOther() {
    make(Theme::Light);
    const std::set<QString> light = look();
    make(Theme::Dark);
    const std::set<QString> dark = look();
    QVERIFY(light != dark);
    const auto wrong = [this](const std::set<QString>& should) {
        QString found;
        // Some pictures are drawn by the background thread.
        (void)QTest::qWaitFor([&] { return (found = difference(look(), should)).isEmpty(); });
        return found;
    };
    for (const Theme first : {Theme::Light, Theme::Dark}) {
        make(first);
        for (const Theme theme : {first == Theme::Dark ? Theme::Light : Theme::Dark, first}) {
            ui::applyTheme(theme);
            const QString found = wrong(theme == Theme::Dark ? dark : light);
            QVERIFY2(found.isEmpty(), qPrintable(found));
        }
    }
    ui::applyTheme(Theme::Dark); // as the program of the tests started
}

const flcc::test::TestClass<WindowThemeTest> kWindowThemeTest;

#include "window_theme_test.moc"
