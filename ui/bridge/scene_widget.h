#pragma once

#include <QOpenGLWidget>
#include <QPointF>
#include <memory>
#include <optional>

#include "engine/base/extents.h"
#include "viz/scene.h"

class QKeyEvent;
class QTimer;

namespace flcc::ui {

/// Sets the surface format and context sharing, and sends VTK's messages to the log. Call it once,
/// before QApplication is constructed.
void prepareGraphics();

/// True if this process can show OpenGL views; otherwise `reason` (if not null) is set to the
/// reason. Needs a QApplication.
[[nodiscard]] bool graphicsAvailable(QString* reason = nullptr);

/// A mouse event in a view.
struct ScenePointer {
    viz::DisplayPoint display;             ///< device pixels
    std::optional<base::Point> voxel;      ///< position in the scene; empty outside the scene
    Qt::MouseButton button = Qt::NoButton; ///< the button pressed or released
    Qt::MouseButtons buttons;              ///< the buttons held
    Qt::KeyboardModifiers modifiers;
    QPointF globalPosition; ///< logical, for menus
};

/// A turn of the wheel over a view.
struct SceneWheel {
    viz::DisplayPoint display;
    std::optional<base::Point> voxel;
    double steps = 0; ///< notches; positive away from the user
    Qt::KeyboardModifiers modifiers;
};

/// Hosts a viz scene in a widget and reports the mouse in its coordinates. It does not act on the
/// mouse itself, and VTK receives neither mouse nor keys.
class SceneWidget final : public QOpenGLWidget {
    Q_OBJECT

  public:
    /// The scene is shared with the caller. Another widget must not show it at the same time.
    explicit SceneWidget(std::shared_ptr<viz::Scene> scene, QWidget* parent = nullptr);
    ~SceneWidget() override;

    [[nodiscard]] viz::Scene& scene() const { return *m_scene; }
    /// A picture of the view at its size on the screen. `clean`: see viz::Scene::snapshot.
    [[nodiscard]] viz::Picture snapshot(bool clean = false);
    /// The scene's display point of a logical position in this widget.
    [[nodiscard]] viz::DisplayPoint toDisplay(const QPointF& position) const;
    /// The logical position of a display point of the scene.
    [[nodiscard]] QPointF fromDisplay(const viz::DisplayPoint& display) const;

  Q_SIGNALS:
    void pressed(const flcc::ui::ScenePointer& pointer);
    void moved(const flcc::ui::ScenePointer& pointer); ///< also without a button
    void released(const flcc::ui::ScenePointer& pointer);
    void doubleClicked(const flcc::ui::ScenePointer& pointer);
    void wheelTurned(const flcc::ui::SceneWheel& wheel);
    void left();                       ///< the cursor left the view
    void keyPressed(QKeyEvent* event); ///< if not accepted, the event goes to the parent
    void focused();
    void resized(); ///< the scene knows its new size

  protected:
    void initializeGL() override;
    void paintGL() override;
    void paintEvent(QPaintEvent* event) override;
    void resizeGL(int width, int height) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    struct Graphics;
    void releaseGraphics();
    void adjustSize();
    void noteInput();
    void drawPart(int index);
    void blit(int index);
    [[nodiscard]] bool mayDraw();
    [[nodiscard]] ScenePointer pointerOf(const QMouseEvent& event) const;

    std::shared_ptr<viz::Scene> m_scene;
    std::unique_ptr<Graphics> m_graphics;
    QTimer* m_refine = nullptr;
    bool m_asked = false; ///< for a first frame
    bool m_drawn = false; ///< the first frame was drawn
    // A volume at rest is drawn in parts, in turns of the event loop: whatever comes in between
    // gives the rest of the picture up.
    bool m_onScreen = false; ///< paintGL is called for the screen, not to grab a picture
    int m_next = 0;          ///< the part that comes next
    int m_parts = 1;
};

/// Makes a SceneWidget. If this process cannot show OpenGL views (offscreen and minimal platforms
/// crash on them), makes a label with the reason instead; use qobject_cast to distinguish.
[[nodiscard]] QWidget* makeSceneWidget(std::shared_ptr<viz::Scene> scene,
                                       QWidget* parent = nullptr);

} // namespace flcc::ui
