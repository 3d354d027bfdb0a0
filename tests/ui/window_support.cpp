#include "tests/ui/window_support.h"

#include <QApplication>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTest>
#include <QToolButton>

#include <clocale>
#include <cmath>
#include <random>

#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/bridge/scene_widget.h"
#include "ui/match/match_flow.h"
#include "ui/views/views_panel.h"

namespace flcc::test {

std::unique_ptr<ui::MainWindow> shownWindow(Panel panel) {
    QSettings().clear();
    ui::Settings::setFlag(QStringLiteral("match/openAdvanced"), panel == Panel::Open);
    ui::Settings::setFlag(QStringLiteral("match/openPlan"), panel == Panel::Open);
    auto window = std::make_unique<ui::MainWindow>();
    constexpr int kPlanDelayMs = 30; // a test waits for each plan, and does not type on meanwhile
    window->flow().setPlanDelay(kPlanDelayMs);
    window->resize(1280, 800);
    window->show();
    window->activateWindow();
    if (!QTest::qWaitForWindowActive(window.get()) || !waitUntilIdle(*window)) {
        qFatal("the window did not come up");
    }
    return window;
}

std::unique_ptr<ui::MainWindow> windowWithTemplate(const base::Extents& scene, const base::Box& box,
                                                   const char* section) {
    auto window = shownWindow();
    window->document().setScene(noiseScene(scene, 5));
    window->document().setBox(box);
    window->document().cutTemplate();
    if (!waitUntilIdle(*window)) {
        qFatal("the template was not cut");
    }
    auto& head = child<QToolButton>(*window, section);
    if (!head.isChecked()) {
        QTest::qWait(1); // the layout
        child<QScrollArea>(*window, "matchScroll").ensureWidgetVisible(&head);
        QTest::mouseClick(&head, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
    }
    return window;
}

void type(ui::MainWindow& window, const char* field, const char* text) {
    auto& line = child<QLineEdit>(window, field);
    child<QScrollArea>(window, "matchScroll").ensureWidgetVisible(&line);
    line.setFocus();
    line.selectAll();
    QTest::keyClick(&line, Qt::Key_Delete);
    QTest::keyClicks(&line, QLatin1String(text));
    QTest::keyClick(&line, Qt::Key_Return);
}

bool waitUntilIdle(ui::MainWindow& window) {
    return QTest::qWaitFor(
        [&window] { return !window.controller().isBusy() && !window.flow().isPlanningDue(); },
        60'000);
}

ui::SceneEntry noiseScene(const base::Extents& extents, unsigned seed) {
    std::mt19937 random(seed);
    base::Image<float> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(random() % 4096) / 64.0F;
    }
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(image);
    scene->source = "memory:noise";
    ui::SceneEntry entry;
    entry.image = scene;
    entry.name = QStringLiteral("noise");
    return entry;
}

void click(QWidget& widget) {
    QTest::mouseClick(&widget, Qt::LeftButton, Qt::NoModifier, widget.rect().center());
}

QPoint pointOf(const ui::ViewFrame& frame, const base::Point& voxel) {
    return frame.widget()->fromDisplay(frame.scene().displayOf(voxel)).toPoint();
}

void drag(const ui::ViewFrame& frame, const QPoint& from, const QPoint& to, Qt::MouseButton button,
          Qt::KeyboardModifiers modifiers) {
    ui::SceneWidget* widget = frame.widget();
    const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButton which,
                          Qt::MouseButtons held) {
        QMouseEvent event(type, at, widget->mapToGlobal(at), which, held, modifiers);
        QApplication::sendEvent(widget, &event);
        QTest::qWait(1);
    };
    send(QEvent::MouseButtonPress, from, button, button);
    constexpr int kSteps = 8;
    for (int i = 1; i <= kSteps; ++i) {
        send(QEvent::MouseMove, from + (to - from) * i / kSteps, Qt::NoButton, button);
    }
    send(QEvent::MouseButtonRelease, to, button, Qt::NoButton);
}

bool runAndWait(ui::MainWindow& window) {
    const std::size_t before = window.document().results().size();
    click(child<QPushButton>(window, "runButton"));
    return QTest::qWaitFor([&] { return window.document().results().size() == before + 1; },
                           60'000) &&
           waitUntilIdle(window);
}

void keepPictures(ui::MainWindow& window, const QString& name) {
    const QString folder = qEnvironmentVariable("FLCC_TEST_PICTURES");
    if (folder.isEmpty()) {
        return;
    }
    const QSize before = window.size();
    for (const QSize& size : {QSize(1280, 800), QSize(1920, 1080)}) {
        window.resize(size);
        for (const ui::Theme theme : {ui::Theme::Dark, ui::Theme::Light}) {
            ui::applyTheme(theme);
            QTest::qWait(400); // layout and views
            window.grab().save(QStringLiteral("%1/%2-%3-%4.png")
                                   .arg(folder, name,
                                        theme == ui::Theme::Dark ? QStringLiteral("dark")
                                                                 : QStringLiteral("light"))
                                   .arg(size.width()));
        }
    }
    window.resize(before);
    QTest::qWait(50);
}

} // namespace flcc::test
