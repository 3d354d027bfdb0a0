#include "viz/offscreen_window.h"

#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>

#include "engine/base/error.h"
#include "viz/messages.h"
#include "viz/scene.h"

namespace flcc::viz {
namespace {

[[noreturn]] void refuse(const char* what) {
    throw base::Error(base::ErrorCode::Device,
                      std::string("cannot draw without a screen: ") + what);
}

/// An OpenGL context that belongs to no window system.
class Context {
  public:
    Context() {
        m_display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA,
                                          reinterpret_cast<void*>(EGL_DEFAULT_DISPLAY), nullptr);
        if (m_display == EGL_NO_DISPLAY ||
            eglInitialize(m_display, nullptr, nullptr) == EGL_FALSE) {
            refuse("EGL has no surfaceless display");
        }
        eglBindAPI(EGL_OPENGL_API);
        const EGLint configWords[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                      EGL_OPENGL_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (eglChooseConfig(m_display, configWords, &config, 1, &count) == EGL_FALSE || count < 1) {
            refuse("EGL has no configuration for OpenGL");
        }
        const EGLint contextWords[] = {EGL_CONTEXT_MAJOR_VERSION,
                                       3,
                                       EGL_CONTEXT_MINOR_VERSION,
                                       2,
                                       EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                       EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                       EGL_NONE};
        m_context = eglCreateContext(m_display, config, EGL_NO_CONTEXT, contextWords);
        if (m_context == EGL_NO_CONTEXT) {
            refuse("EGL gives no OpenGL 3.2 context");
        }
        makeCurrent();
    }
    ~Context() {
        eglMakeCurrent(m_display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(m_display, m_context);
        // The display stays initialised: other contexts of this process share it.
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    void makeCurrent() const {
        if (!isCurrent()) {
            eglMakeCurrent(m_display, EGL_NO_SURFACE, EGL_NO_SURFACE, m_context);
        }
    }
    [[nodiscard]] bool isCurrent() const { return eglGetCurrentContext() == m_context; }

  private:
    EGLDisplay m_display = EGL_NO_DISPLAY;
    EGLContext m_context = EGL_NO_CONTEXT;
};

void answer(vtkObject*, unsigned long event, void* clientData, void* callData) {
    const auto& context = *static_cast<Context*>(clientData);
    switch (event) {
    case vtkCommand::WindowMakeCurrentEvent:
        context.makeCurrent();
        break;
    case vtkCommand::WindowIsCurrentEvent:
        *static_cast<bool*>(callData) = context.isCurrent();
        break;
    case vtkCommand::WindowSupportsOpenGLEvent:
    case vtkCommand::WindowIsDirectEvent:
        *static_cast<int*>(callData) = 1;
        break;
    default:
        break;
    }
}

} // namespace

struct OffscreenWindow::State {
    explicit State(Scene& shown) : scene(shown) {}
    Scene& scene;
    Context context;
    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkCallbackCommand> callback;
};

OffscreenWindow::OffscreenWindow(Scene& scene, int width, int height, double pixelRatio) {
    routeVtkMessagesToLog();
    m_state = std::make_unique<State>(scene);
    auto& window = *m_state->window;
    m_state->callback->SetCallback(answer);
    m_state->callback->SetClientData(&m_state->context);
    for (const unsigned long event :
         {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent,
          vtkCommand::WindowSupportsOpenGLEvent, vtkCommand::WindowIsDirectEvent}) {
        window.AddObserver(event, m_state->callback);
    }
    window.SetOwnContext(0);
    window.SetForceMaximumHardwareLineWidth(1);
    window.SetFrameBlitModeToNoBlit();
    window.SetMapped(1);
    window.SetReadyForRendering(true);
    window.SetSize(width, height);
    window.InitializeFromCurrentContext();
    scene.attach(&window);
    resize(width, height, pixelRatio);
}

OffscreenWindow::~OffscreenWindow() {
    m_state->context.makeCurrent();
    m_state->scene.attach(nullptr);
    m_state->window->Finalize();
    m_state->window->SetReadyForRendering(false);
    m_state->window->RemoveObserver(m_state->callback);
}

void OffscreenWindow::resize(int width, int height, double pixelRatio) {
    m_state->window->SetSize(width, height);
    m_state->window->SetDPI(static_cast<int>(72 * pixelRatio + 0.5));
    m_state->scene.resize(width, height, pixelRatio);
}

Picture OffscreenWindow::render(bool clean) {
    m_state->context.makeCurrent();
    return m_state->scene.snapshot(clean);
}

} // namespace flcc::viz
