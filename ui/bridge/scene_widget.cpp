#include "ui/bridge/scene_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QTimer>
#include <QWheelEvent>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkOpenGLState.h>

#include "engine/base/log.h"
#include "viz/volume_scene.h"

namespace flcc::ui {
namespace {

constexpr int kRefineAfterMs = 300;

} // namespace

/// VTK's window inside the widget, and what it asks of its host.
struct SceneWidget::Graphics {
    explicit Graphics(SceneWidget& owner) : widget(owner) {
        window->SetOwnContext(0);
        window->SetReadyForRendering(false);
        // Blitting into Qt's framebuffer is done in paintGL.
        window->SetFrameBlitModeToNoBlit();
        callback->SetCallback(&Graphics::answer);
        callback->SetClientData(this);
        for (const unsigned long event :
             {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent,
              vtkCommand::WindowSupportsOpenGLEvent, vtkCommand::WindowIsDirectEvent,
              vtkCommand::CursorChangedEvent}) {
            window->AddObserver(event, callback);
        }
    }
    ~Graphics() { window->RemoveObserver(callback); }
    Graphics(const Graphics&) = delete;
    Graphics& operator=(const Graphics&) = delete;

    static void answer(vtkObject*, unsigned long event, void* clientData, void* callData) {
        const SceneWidget& widget = static_cast<Graphics*>(clientData)->widget;
        const bool current =
            widget.context() != nullptr && QOpenGLContext::currentContext() == widget.context();
        switch (event) {
        case vtkCommand::WindowMakeCurrentEvent:
            if (!current && widget.isValid()) {
                static_cast<Graphics*>(clientData)->widget.makeCurrent();
            }
            break;
        case vtkCommand::WindowIsCurrentEvent:
            *static_cast<bool*>(callData) = current;
            break;
        case vtkCommand::WindowSupportsOpenGLEvent:
        case vtkCommand::WindowIsDirectEvent:
            *static_cast<int*>(callData) = 1;
            break;
        default:
            break; // the cursor is the tools' business
        }
    }

    SceneWidget& widget;
    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkCallbackCommand> callback;
    QMetaObject::Connection contextGoes;
    bool ready = false;
};

SceneWidget::SceneWidget(std::shared_ptr<viz::Scene> scene, QWidget* parent)
    : QOpenGLWidget(parent), m_scene(std::move(scene)),
      m_graphics(std::make_unique<Graphics>(*this)), m_refine(new QTimer(this)) {
    setUpdateBehavior(QOpenGLWidget::PartialUpdate); // a picture comes in parts, and stays
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(80, 60);
    m_refine->setSingleShot(true);
    m_refine->setInterval(kRefineAfterMs);
    connect(m_refine, &QTimer::timeout, this, [this] {
        if (auto* volume = dynamic_cast<viz::VolumeScene*>(m_scene.get())) {
            volume->setInteractive(false);
        }
    });
    m_scene->setChangedListener([this] {
        m_next = 0;
        noteInput();
        update();
    });
}

SceneWidget::~SceneWidget() {
    m_scene->setChangedListener({});
    disconnect(m_graphics->contextGoes);
    releaseGraphics();
}

void SceneWidget::noteInput() {
    // A moving 3D view is drawn coarsely until nothing has moved for a while.
    const auto* volume = dynamic_cast<const viz::VolumeScene*>(m_scene.get());
    if (volume != nullptr && volume->interactive()) {
        m_refine->start();
    }
}

void SceneWidget::initializeGL() {
    auto& window = *m_graphics->window;
    window.SetForceMaximumHardwareLineWidth(1);
    window.SetReadyForRendering(true);
    window.SetMapped(1);
    window.InitializeFromCurrentContext();
    adjustSize();
    m_scene->attach(&window);
    m_graphics->ready = true;
    disconnect(m_graphics->contextGoes);
    m_graphics->contextGoes = connect(context(), &QOpenGLContext::aboutToBeDestroyed, this,
                                      &SceneWidget::releaseGraphics, Qt::DirectConnection);
}

void SceneWidget::releaseGraphics() {
    if (!m_graphics->ready) {
        return;
    }
    m_graphics->ready = false;
    makeCurrent();
    m_scene->attach(nullptr);
    m_graphics->window->Finalize();
    m_graphics->window->SetReadyForRendering(false);
    doneCurrent();
}

void SceneWidget::adjustSize() {
    const double ratio = devicePixelRatioF();
    // The rounding of Qt's own framebuffer.
    const QSize pixels = size() * ratio;
    m_graphics->window->SetSize(pixels.width(), pixels.height());
    m_graphics->window->SetDPI(static_cast<int>(std::lround(72 * ratio)));
    m_scene->resize(pixels.width(), pixels.height(), ratio);
}

void SceneWidget::resizeGL(int, int) {
    m_next = 0; // its framebuffer is a new one
    adjustSize();
    Q_EMIT resized();
}

/// The first frame of a view compiles its shaders. Views that appear together draw their first
/// frames in turns of the event loop, so that none of the turns takes long.
bool SceneWidget::mayDraw() {
    static bool taken = false;
    if (m_drawn) {
        return true;
    }
    if (taken || !m_asked) {
        m_asked = true; // the turn that shows a view has its layout to do
        QTimer::singleShot(0, this, [this] { update(); });
        return false;
    }
    taken = m_drawn = true;
    if (auto* volume = dynamic_cast<viz::VolumeScene*>(m_scene.get())) {
        volume->deferVolume();
    }
    QTimer::singleShot(0, [] { taken = false; });
    return true;
}

void SceneWidget::paintGL() {
    if (!m_graphics->ready) {
        return;
    }
    if (!mayDraw()) {
        const match::Colour& colour = m_scene->colours().background;
        QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
        gl.glClearColor(static_cast<float>(colour[0]) / 255, static_cast<float>(colour[1]) / 255,
                        static_cast<float>(colour[2]) / 255, 1);
        gl.glClear(GL_COLOR_BUFFER_BIT);
        return;
    }
    adjustSize();
    auto* volume = dynamic_cast<viz::VolumeScene*>(m_scene.get());
    if (volume == nullptr || !m_onScreen) {
        m_next = m_parts = 1; // a picture that is grabbed is a whole one
        if (volume != nullptr) {
            volume->setPart(0, 1);
        }
        drawPart(0);
        return;
    }
    if (m_next >= m_parts && m_next > 0) {
        return; // nothing has changed since the picture was complete
    }
    if (m_next == 0) {
        m_parts = volume->fineParts();
    }
    const int part = m_next++;
    volume->setPart(part, m_parts);
    drawPart(part); // may set m_next to 0: the scene wants another frame
    if (m_next > 0 && m_next < m_parts) {
        QTimer::singleShot(0, this, [this] { update(); });
    }
}

void SceneWidget::paintEvent(QPaintEvent* event) {
    m_onScreen = true;
    QOpenGLWidget::paintEvent(event);
    m_onScreen = false;
}

/// Draws the scene, and shows part `index` of m_parts.
void SceneWidget::drawPart(int index) {
    try {
        m_scene->prepare();
        m_scene->takeOverGraphicsState();
        m_graphics->window->Render();
    } catch (const std::exception& error) {
        base::log(base::LogLevel::Error, std::string("drawing a view failed: ") + error.what());
        return;
    }
    blit(index);
}

void SceneWidget::blit(int index) {
    auto& window = *m_graphics->window;
    const int* pixels = window.GetSize();
    const auto [first, count] = viz::partRows(pixels[1], index, m_parts);
    m_scene->takeOverGraphicsState();
    auto& state = *window.GetState();
    state.vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, defaultFramebufferObject());
    window.BlitDisplayFramebuffer(0, 0, first, pixels[0], count, 0, first, pixels[0], count,
                                  GL_COLOR_BUFFER_BIT, GL_NEAREST);
    state.vtkglBindFramebuffer(GL_FRAMEBUFFER, defaultFramebufferObject());
    // An alpha below 1 would let the window behind shine through.
    QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
    gl.glDisable(GL_SCISSOR_TEST);
    gl.glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    gl.glClearColor(0, 0, 0, 1);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    gl.glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    m_scene->takeOverGraphicsState();
}

viz::Picture SceneWidget::snapshot(bool clean) {
    if (!m_graphics->ready) {
        grabFramebuffer(); // makes the context
    }
    if (!m_graphics->ready) {
        return {};
    }
    makeCurrent();
    if (auto* volume = dynamic_cast<viz::VolumeScene*>(m_scene.get())) {
        volume->setPart(0, 1);
    }
    viz::Picture picture = m_scene->snapshot(clean);
    m_next = 0;
    doneCurrent();
    update();
    return picture;
}

viz::DisplayPoint SceneWidget::toDisplay(const QPointF& position) const {
    const double ratio = devicePixelRatioF();
    // Qt counts from the corner of a pixel, a scene from its centre; the middle of the logical
    // pixel under the cursor is meant.
    return {(position.x() + 0.5) * ratio - 0.5, (position.y() + 0.5) * ratio - 0.5};
}

QPointF SceneWidget::fromDisplay(const viz::DisplayPoint& display) const {
    const double ratio = devicePixelRatioF();
    return {(display.x + 0.5) / ratio - 0.5, (display.y + 0.5) / ratio - 0.5};
}

ScenePointer SceneWidget::pointerOf(const QMouseEvent& event) const {
    const viz::DisplayPoint display = toDisplay(event.position());
    return {display,         m_scene->voxelAt(display), event.button(),
            event.buttons(), event.modifiers(),         event.globalPosition()};
}

bool SceneWidget::event(QEvent* event) {
    if (event->type() == QEvent::ScreenChangeInternal) {
        m_next = 0;
        update(); // another pixel ratio, perhaps: paintGL takes it over
    }
    return QOpenGLWidget::event(event);
}

void SceneWidget::mousePressEvent(QMouseEvent* event) { Q_EMIT pressed(pointerOf(*event)); }
void SceneWidget::mouseMoveEvent(QMouseEvent* event) { Q_EMIT moved(pointerOf(*event)); }
void SceneWidget::mouseReleaseEvent(QMouseEvent* event) { Q_EMIT released(pointerOf(*event)); }
void SceneWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    Q_EMIT doubleClicked(pointerOf(*event));
}

void SceneWidget::wheelEvent(QWheelEvent* event) {
    const viz::DisplayPoint display = toDisplay(event->position());
    // Shift and Alt turn the wheel sideways on some systems.
    const QPoint turned = event->angleDelta();
    const int delta = turned.y() != 0 ? turned.y() : turned.x();
    Q_EMIT wheelTurned({display, m_scene->voxelAt(display), delta / 120.0, event->modifiers()});
    event->accept();
}

void SceneWidget::keyPressEvent(QKeyEvent* event) {
    event->ignore();
    Q_EMIT keyPressed(event);
}

void SceneWidget::focusInEvent(QFocusEvent* event) {
    QOpenGLWidget::focusInEvent(event);
    Q_EMIT focused();
}

void SceneWidget::leaveEvent(QEvent* event) {
    QOpenGLWidget::leaveEvent(event);
    Q_EMIT left();
}

} // namespace flcc::ui
