#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QDrag>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPointer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <QWheelEvent>

#include <array>
#include <ctime>
#include <random>

#include "engine/io/image_file.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/settings.h"

using namespace flcc;

namespace {

/// The event loop may not stand longer in one event. Where other programs have the processors, the
/// clock goes on while the program stands still: then the time of its own threads counts, unless
/// that is a deadlock.
constexpr qint64 kMostStallMs = test::kSanitized ? 30'000 : 5'000;
constexpr qint64 kDeadlockMs = 120'000;

/// Milliseconds that all threads of this program have computed.
qint64 computedMs() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return qint64{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// How long something took, by the clock or by the program's own threads, whichever is less.
class Stopwatch {
  public:
    Stopwatch() { m_clock.start(); }
    [[nodiscard]] qint64 ms() const {
        const qint64 clock = m_clock.elapsed();
        return clock > kDeadlockMs ? clock : std::min(clock, computedMs() - m_computed);
    }

  private:
    QElapsedTimer m_clock;
    qint64 m_computed = computedMs();
};
constexpr std::size_t kRemembered = 40;
constexpr std::array<const char*, 4> kSchemes{"http", "https", "file", "mailto"};

/// Does what somebody without a plan does: clicks, drags, keys, menus, files.
class Monkey : public QObject {
  public:
    Monkey(ui::MainWindow& window, QString folder, unsigned seed)
        : m_window(window), m_folder(std::move(folder)), m_random(seed) {
        // A step that opens a loop of its own would wait for ever.
        m_rescue.setInterval(1000);
        connect(&m_rescue, &QTimer::timeout, this, [this] {
            if (m_stepClock.isValid() && m_stepClock.elapsed() > 2000) {
                QDrag::cancel(); // of selected text: it waits for the pointer of the screen
                closeTop();
            }
        });
        m_rescue.start();
    }

    /// One deed. Returns the milliseconds of the longest event.
    qint64 step() {
        m_stepClock.start();
        const Stopwatch deed;
        act();
        qint64 longest = deed.ms();
        QElapsedTimer clock;
        clock.start();
        do {
            const Stopwatch turn;
            QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
            longest = std::max(longest, turn.ms());
        } while (clock.elapsed() < pick(30));
        if (longest > m_longest) {
            m_longest = longest;
            m_longestDeed = m_deeds.isEmpty() ? QString() : m_deeds.back();
        }
        return longest;
    }

    /// Closes menus and dialogs, one after the other.
    static bool closeTop() {
        QWidget* top = QApplication::activePopupWidget();
        top = top != nullptr ? top : QApplication::activeModalWidget();
        if (top == nullptr) {
            return false;
        }
        QTest::keyClick(top, Qt::Key_Escape);
        return true;
    }

    [[nodiscard]] QString story() const { return m_deeds.join(QStringLiteral("\n")); }
    [[nodiscard]] qint64 longest() const { return m_longest; }
    [[nodiscard]] const QString& longestDeed() const { return m_longestDeed; }

  private:
    /// 0 to `count` - 1.
    int pick(int count) {
        return count < 1 ? 0 : static_cast<int>(m_random() % static_cast<unsigned>(count));
    }
    template <class T, std::size_t N> T pickOf(const std::array<T, N>& all) {
        return all[static_cast<std::size_t>(pick(static_cast<int>(N)))];
    }

    void note(const QString& deed) {
        m_deeds << deed;
        while (m_deeds.size() > static_cast<qsizetype>(kRemembered)) {
            m_deeds.removeFirst();
        }
        if (qEnvironmentVariableIsSet("FLCC_MONKEY_VERBOSE")) {
            fprintf(stderr, "%s\n", qPrintable(deed));
        }
    }

    static QString nameOf(const QWidget* widget) {
        return QStringLiteral("%1 %2").arg(QLatin1String(widget->metaObject()->className()),
                                           widget->objectName());
    }

    /// The window that gets the next event.
    [[nodiscard]] QWidget* target() const {
        if (QWidget* popup = QApplication::activePopupWidget()) {
            return popup;
        }
        if (QWidget* modal = QApplication::activeModalWidget()) {
            return modal;
        }
        QWidget* active = QApplication::activeWindow();
        return active != nullptr ? active : &m_window;
    }

    void act() {
        if (!m_window.isVisible()) { // closed by its frame or a key
            note(QStringLiteral("show the window"));
            m_window.show();
            m_window.activateWindow();
            return;
        }
        QWidget* const top = target();
        if (auto* files = qobject_cast<QFileDialog*>(top)) {
            answer(*files);
            return;
        }
        if (top != &m_window && pick(12) == 0) {
            note(QStringLiteral("close ") + nameOf(top));
            QTest::keyClick(top, Qt::Key_Escape);
            if (auto* dialog = qobject_cast<QDialog*>(top); dialog == nullptr && pick(2) == 0) {
                top->close(); // a window without a key for that
            }
            return;
        }
        switch (pick(20)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return click(*top, Qt::LeftButton);
        case 4:
            return contextMenu(*top);
        case 5:
        case 6:
        case 7:
            return drag(*top);
        case 8:
        case 9:
            return wheel(*top);
        case 10:
        case 11:
        case 12:
        case 13:
            return key(*top);
        case 14:
        case 15:
        case 16:
            return menu();
        case 17:
            return drop();
        case 18:
            return doubleClick(*top);
        default:
            return resize();
        }
    }

    /// A widget at a random place of `top`, and the place in it.
    QPointer<QWidget> somewhere(QWidget& top, QPoint& place) {
        const QPoint at(pick(top.width()), pick(top.height()));
        QWidget* child = top.childAt(at);
        child = child != nullptr ? child : &top;
        place = child->mapFrom(&top, at);
        return child;
    }

    void click(QWidget& top, Qt::MouseButton button) {
        QPoint at;
        const QPointer<QWidget> widget = somewhere(top, at);
        const auto modifiers = pickOf(std::array<Qt::KeyboardModifiers, 4>{
            Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier, Qt::ControlModifier});
        note(QStringLiteral("click %1 at %2,%3").arg(nameOf(widget)).arg(at.x()).arg(at.y()));
        QTest::mouseClick(widget, button, modifiers, at);
    }

    void doubleClick(QWidget& top) {
        QPoint at;
        const QPointer<QWidget> widget = somewhere(top, at);
        note(QStringLiteral("double-click ") + nameOf(widget));
        QTest::mouseDClick(widget, Qt::LeftButton, Qt::NoModifier, at);
    }

    void contextMenu(QWidget& top) {
        QPoint at;
        const QPointer<QWidget> widget = somewhere(top, at);
        note(QStringLiteral("context menu of ") + nameOf(widget));
        QTest::mousePress(widget, Qt::RightButton, Qt::NoModifier, at);
        if (widget) {
            QTest::mouseRelease(widget, Qt::RightButton, Qt::NoModifier, at);
        }
        if (widget) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
            QApplication::sendEvent(widget, &event);
        }
    }

    void drag(QWidget& top) {
        QPoint at;
        const QPointer<QWidget> widget = somewhere(top, at);
        const auto button = pickOf(std::array<Qt::MouseButton, 4>{
            Qt::LeftButton, Qt::LeftButton, Qt::MiddleButton, Qt::RightButton});
        const auto modifiers = pickOf(std::array<Qt::KeyboardModifiers, 3>{
            Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier});
        note(QStringLiteral("drag ") + nameOf(widget));
        QTest::mousePress(widget, button, modifiers, at);
        for (int i = 0; i < 4 && widget; ++i) {
            at += QPoint(pick(80) - 40, pick(80) - 40);
            QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, button,
                             modifiers);
            QApplication::sendEvent(widget, &move);
        }
        if (widget) {
            QTest::mouseRelease(widget, button, modifiers, at);
        }
    }

    void wheel(QWidget& top) {
        QPoint at;
        const QPointer<QWidget> widget = somewhere(top, at);
        const int turns = pick(2) == 0 ? 120 : -120;
        const auto modifiers = pickOf(std::array<Qt::KeyboardModifiers, 3>{
            Qt::NoModifier, Qt::ControlModifier, Qt::ShiftModifier});
        note(QStringLiteral("wheel over ") + nameOf(widget));
        QWheelEvent event(QPointF(at), QPointF(widget->mapToGlobal(at)), {}, {0, turns},
                          Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void key(QWidget& top) {
        static constexpr std::array<int, 44> kKeys{
            Qt::Key_A,      Qt::Key_B,     Qt::Key_D,         Qt::Key_F,       Qt::Key_I,
            Qt::Key_N,      Qt::Key_P,     Qt::Key_R,         Qt::Key_S,       Qt::Key_X,
            Qt::Key_0,      Qt::Key_1,     Qt::Key_2,         Qt::Key_3,       Qt::Key_4,
            Qt::Key_5,      Qt::Key_7,     Qt::Key_9,         Qt::Key_Period,  Qt::Key_Comma,
            Qt::Key_Minus,  Qt::Key_Plus,  Qt::Key_Up,        Qt::Key_Down,    Qt::Key_Left,
            Qt::Key_Right,  Qt::Key_Home,  Qt::Key_End,       Qt::Key_PageUp,  Qt::Key_PageDown,
            Qt::Key_Tab,    Qt::Key_Tab,   Qt::Key_Tab,       Qt::Key_Return,  Qt::Key_Return,
            Qt::Key_Escape, Qt::Key_Space, Qt::Key_Backspace, Qt::Key_Delete,  Qt::Key_F2,
            Qt::Key_F4,     Qt::Key_F6,    Qt::Key_F12,       Qt::Key_Question};
        static constexpr std::array<int, 13> kControl{
            Qt::Key_Z, Qt::Key_Y, Qt::Key_T, Qt::Key_K, Qt::Key_O,      Qt::Key_S,     Qt::Key_C,
            Qt::Key_V, Qt::Key_A, Qt::Key_X, Qt::Key_0, Qt::Key_Return, Qt::Key_Return};
        const bool control = pick(4) == 0;
        const auto key = static_cast<Qt::Key>(control ? pickOf(kControl) : pickOf(kKeys));
        const Qt::KeyboardModifiers modifiers = control        ? Qt::ControlModifier
                                                : pick(6) == 0 ? Qt::ShiftModifier
                                                               : Qt::NoModifier;
        QWidget* focus = QApplication::focusWidget();
        QWidget* widget =
            focus != nullptr && (focus == &top || top.isAncestorOf(focus)) ? focus : &top;
        note(QStringLiteral("key %1 to %2")
                 .arg(QKeySequence(modifiers | key).toString(), nameOf(widget)));
        QTest::keyClick(widget, key, modifiers);
    }

    /// Opens a menu of the bar and chooses one of its entries, or one of a menu in it.
    void menu() {
        if (QApplication::activeModalWidget() != nullptr ||
            QApplication::activePopupWidget() != nullptr) {
            QTest::keyClick(target(), pick(2) == 0 ? Qt::Key_Down : Qt::Key_Return);
            return;
        }
        const QList<QAction*> menus = m_window.menuBar()->actions();
        const QPointer<QMenu> menu = menus[pick(static_cast<int>(menus.size()))]->menu();
        const QPoint at = m_window.menuBar()->actionGeometry(menu->menuAction()).center();
        QTest::mouseClick(m_window.menuBar(), Qt::LeftButton, Qt::NoModifier, at);
        choose(menu);
        closeTop();
        closeTop();
    }

    void choose(const QPointer<QMenu>& menu) {
        QList<QAction*> entries;
        for (QAction* entry : menu->actions()) {
            // Quitting ends the test; self-test, calibration and benchmark take minutes.
            static const QStringList kNot{QStringLiteral("quit"), QStringLiteral("selfTestAction"),
                                          QStringLiteral("calibrateAction"),
                                          QStringLiteral("crossoverAction")};
            if (entry->isEnabled() && entry->isVisible() && !entry->isSeparator() &&
                !kNot.contains(entry->objectName())) {
                entries << entry;
            }
        }
        if (entries.isEmpty() || !menu->isVisible()) {
            return;
        }
        const QPointer<QAction> entry = entries[pick(static_cast<int>(entries.size()))];
        note(QStringLiteral("menu %1 > %2").arg(menu->title(), entry->text()));
        menu->setActiveAction(entry);
        const QPointer<QMenu> inner = entry->menu();
        QTest::keyClick(menu, inner ? Qt::Key_Right : Qt::Key_Return);
        if (inner && inner->isVisible()) {
            choose(inner);
        }
    }

    void drop() {
        if (QApplication::activeModalWidget() != nullptr) {
            return;
        }
        const QStringList files = QDir(m_folder).entryList(
            {QStringLiteral("*.mha"), QStringLiteral("*.raw"), QStringLiteral("*.txt")},
            QDir::Files);
        QList<QUrl> urls;
        for (int i = 0; i <= pick(3); ++i) {
            urls << QUrl::fromLocalFile(m_folder + QChar('/') +
                                        files[pick(static_cast<int>(files.size()))]);
        }
        note(QStringLiteral("drop %1 files, the first %2")
                 .arg(urls.size())
                 .arg(urls.front().fileName()));
        QMimeData data;
        data.setUrls(urls);
        const Qt::KeyboardModifiers modifiers = pick(3) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QApplication::sendEvent(&m_window, &enter);
        QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QApplication::sendEvent(&m_window, &event);
    }

    void resize() {
        note(QStringLiteral("resize"));
        m_window.resize(700 + pick(900), 500 + pick(500));
    }

    /// Opens or saves in the test's own folder only, or gives up.
    void answer(QFileDialog& dialog) {
        const bool saves = dialog.acceptMode() == QFileDialog::AcceptSave;
        auto* field = dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        const QStringList files =
            QDir(m_folder).entryList({QStringLiteral("*.mha"), QStringLiteral("*.raw")});
        if (field == nullptr || pick(3) == 0) {
            note(QStringLiteral("give up ") + dialog.windowTitle());
            QTest::keyClick(&dialog, Qt::Key_Escape);
            return;
        }
        const QString name =
            saves ? QStringLiteral("saved/out%1").arg(pick(1000)) // the suffix is the dialog's
                  : files[pick(static_cast<int>(files.size()))];
        note(QStringLiteral("%1: %2").arg(dialog.windowTitle(), name));
        field->setText(m_folder + QChar('/') + name);
        const QPointer<QFileDialog> open(&dialog);
        QTest::keyClick(field, Qt::Key_Return);
        if (open && open->isVisible()) { // a folder was asked for, or a question is open
            closeTop();
            closeTop();
        }
    }

    ui::MainWindow& m_window;
    QString m_folder;
    std::mt19937 m_random;
    QStringList m_deeds;
    QElapsedTimer m_stepClock;
    QTimer m_rescue;
    qint64 m_longest = 0;
    QString m_longestDeed;
};

} // namespace

/// FLCC_MONKEY_SECONDS (60) and FLCC_MONKEY_SEED (1) say how long and which; FLCC_MONKEY_VERBOSE
/// prints each deed, so that the last one before a crash is known.
class WindowMonkeyTest : public QObject {
    Q_OBJECT

  public:
    Q_INVOKABLE void ignore(const QUrl& /*address*/) {}

  private Q_SLOTS:
    void initTestCase();
    void init();
    void nothingThatAPersonDoesHarmsTheWindow();
    void cleanupTestCase();

  private:
    static int number(const char* variable, int otherwise) {
        bool known = false;
        const int value = qEnvironmentVariableIntValue(variable, &known);
        return known ? value : otherwise;
    }
    QTemporaryDir m_folder;
};

void WindowMonkeyTest::initTestCase() {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache")).toLocal8Bit());
    QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("saved")));
    QVERIFY(QDir::setCurrent(m_folder.path()));
    for (const char* scheme : kSchemes) { // no browser
        QDesktopServices::setUrlHandler(QLatin1String(scheme), this, "ignore");
    }
}

void WindowMonkeyTest::cleanupTestCase() {
    for (const char* scheme : kSchemes) {
        QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
    }
}

void WindowMonkeyTest::init() {
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.5, 2};
    geometry.unit = "um";
    geometry.unitSource = base::UnitSource::Header;
    const auto write = [&](const char* name, const base::Extents& extents, unsigned seed) {
        const ui::SceneEntry scene = test::noiseScene(extents, seed);
        io::writeImage(m_folder.filePath(QLatin1String(name)).toStdString(),
                       base::viewOf(scene.image->pixels), geometry);
    };
    write("flat.mha", {160, 120, 1}, 1);
    write("flat2.mha", {160, 120, 1}, 2);
    write("other.mha", {90, 70, 1}, 3);
    write("volume.mha", {48, 40, 20}, 4);
    geometry.spacing = {0.25, 0.25, 1};
    write("small.mha", {14, 12, 1}, 5);
    for (const char* name : {"voxels_20x20x20.raw", "broken.mha", "notes.txt"}) {
        QFile file(m_folder.filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(8000, 'x'));
    }
}

void WindowMonkeyTest::nothingThatAPersonDoesHarmsTheWindow() {
    const int seconds = number("FLCC_MONKEY_SECONDS", 60);
    const int seed = number("FLCC_MONKEY_SEED", 1);
    auto window = test::shownWindow();
    for (const char* purpose : {"open", "series", "template", "mask", "export", "job", "raw"}) {
        ui::Settings::rememberFolder(QLatin1String(purpose),
                                     m_folder.filePath(QStringLiteral("flat.mha")));
    }
    Monkey monkey(*window, m_folder.path(), static_cast<unsigned>(seed));
    QElapsedTimer clock;
    clock.start();
    int steps = 0;
    while (clock.elapsed() < 1000LL * seconds) {
        const qint64 stall = monkey.step();
        ++steps;
        QVERIFY2(stall <= kMostStallMs,
                 qPrintable(QStringLiteral("seed %1: the window stood for %2 ms after:\n%3")
                                .arg(seed)
                                .arg(stall)
                                .arg(monkey.story())));
    }
    // The window answers: dialogs close, work ends, a sample opens and is matched.
    for (int i = 0; i < 20 && Monkey::closeTop(); ++i) {
        QTest::qWait(20);
    }
    if (!window->isVisible()) {
        window->show();
    }
    window->controller().cancel();
    QVERIFY2(test::waitUntilIdle(*window), qPrintable(monkey.story()));
    window->opener().openSample(QStringLiteral("tiny"));
    QTRY_COMPARE_WITH_TIMEOUT(window->document().scene().sample, QStringLiteral("tiny"), 20'000);
    QVERIFY(test::waitUntilIdle(*window));
    qInfo("seed %d: %d deeds in %d s, the longest event %lld ms (%s)", seed, steps, seconds,
          static_cast<long long>(monkey.longest()), qPrintable(monkey.longestDeed()));
}

const flcc::test::TestClass<WindowMonkeyTest> kWindowMonkeyTest;
#include "window_monkey_test.moc"
