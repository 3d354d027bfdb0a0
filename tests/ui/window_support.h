#pragma once

#include <QTemporaryDir>
#include <QWidget>

#include <memory>

#include "ui/document/document.h"
#include "ui/views/view_frame.h"
#include "ui/window/main_window.h"

namespace flcc::test {

/// Whether the advanced controls and the plan of the Match panel are open.
enum class Panel { Open, AsShipped };

/// A shown window at 1280x800 that has the focus.
std::unique_ptr<ui::MainWindow> shownWindow(Panel panel = Panel::Open);

/// The same with a scene of noise and a template that is cut out of it, and with an open section of
/// the Match panel (the name of its head).
std::unique_ptr<ui::MainWindow> windowWithTemplate(const base::Extents& scene, const base::Box& box,
                                                   const char* section);

/// Writes a text into a field of the Match panel in place of what it holds, and presses Return.
void type(ui::MainWindow& window, const char* field, const char* text);

/// Waits until nothing is under way and no plan is due.
bool waitUntilIdle(ui::MainWindow& window);

/// Random values over a slow background, the same on every machine.
ui::SceneEntry noiseScene(const base::Extents& extents, unsigned seed);

/// The widget named `name`; it must exist.
template <class Widget> Widget& child(QWidget& parent, const char* name) {
    auto* found = parent.findChild<Widget*>(QLatin1String(name));
    if (found == nullptr) {
        qFatal("no child %s", name);
    }
    return *found;
}

/// Clicks a button with the mouse.
void click(QWidget& widget);

/// Position of a voxel in the widget of a view.
QPoint pointOf(const ui::ViewFrame& frame, const base::Point& voxel);

/// Presses, moves in steps and releases the left button in a view.
void drag(const ui::ViewFrame& frame, const QPoint& from, const QPoint& to,
          Qt::MouseButton button = Qt::LeftButton,
          Qt::KeyboardModifiers modifiers = Qt::NoModifier);

/// The program is quicker than a person: a box with a texture of its own, cut and run.
bool runAndWait(ui::MainWindow& window);

/// Writes pictures of the window, light and dark and in two sizes, to the folder that
/// FLCC_TEST_PICTURES names, if it is set, for looking at.
void keepPictures(ui::MainWindow& window, const QString& name);

} // namespace flcc::test
