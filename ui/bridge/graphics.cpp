#include <QCoreApplication>
#include <QGuiApplication>
#include <QLabel>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QSurfaceFormat>
#include <utility>

#include "ui/bridge/scene_widget.h"
#include "viz/messages.h"

namespace flcc::ui {
namespace {

/// Why this process has no OpenGL views; empty when it has. Asked once: making a trial context
/// takes a moment.
QString reasonAgainst() {
    const QString platform = QGuiApplication::platformName();
    if (platform == QStringLiteral("offscreen") || platform == QStringLiteral("vnc") ||
        platform.startsWith(QStringLiteral("minimal"))) {
        return QCoreApplication::translate("SceneWidget",
                                           "The Qt platform \"%1\" cannot show 3D views.")
            .arg(platform);
    }
    QOpenGLContext context;
    QOffscreenSurface surface;
    context.setFormat(QSurfaceFormat::defaultFormat());
    surface.setFormat(QSurfaceFormat::defaultFormat());
    surface.create();
    if (!context.create() || !context.makeCurrent(&surface)) {
        return QCoreApplication::translate(
            "SceneWidget",
            "The display provides no OpenGL context; check that a graphics driver is installed.");
    }
    const std::pair<int, int> version = context.format().version();
    context.doneCurrent();
    if (version < std::pair(3, 2)) {
        return QCoreApplication::translate(
                   "SceneWidget", "The views need OpenGL 3.2, but the display has OpenGL %1.%2.")
            .arg(version.first)
            .arg(version.second);
    }
    return {};
}

} // namespace

void prepareGraphics() {
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setStencilBufferSize(8);
    format.setAlphaBufferSize(8);
    format.setSamples(0);
    format.setSwapBehavior(QSurfaceFormat::DoubleBuffer);
    QSurfaceFormat::setDefaultFormat(format);
    // Without sharing, a view that changes its window uploads all its textures again.
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    viz::routeVtkMessagesToLog();
}

bool graphicsAvailable(QString* reason) {
    static const QString against = reasonAgainst();
    if (reason != nullptr) {
        *reason = against;
    }
    return against.isEmpty();
}

QWidget* makeSceneWidget(std::shared_ptr<viz::Scene> scene, QWidget* parent) {
    QString reason;
    if (graphicsAvailable(&reason)) {
        return new SceneWidget(std::move(scene), parent);
    }
    auto* label = new QLabel(reason, parent);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setMinimumSize(80, 60);
    return label;
}

} // namespace flcc::ui
