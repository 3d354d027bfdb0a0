#pragma once

#include <memory>

#include "viz/picture.h"

namespace flcc::viz {

class Scene;

/// A place to render a scene without a screen: an EGL context that needs no display server.
///
/// **Errors**: the constructor throws Device when the machine has no such context.
class OffscreenWindow {
  public:
    /// `scene` must outlive this window and must not be attached to another window meanwhile.
    OffscreenWindow(Scene& scene, int width, int height, double pixelRatio = 1.0);
    ~OffscreenWindow();
    OffscreenWindow(const OffscreenWindow&) = delete;
    OffscreenWindow& operator=(const OffscreenWindow&) = delete;

    void resize(int width, int height, double pixelRatio = 1.0);
    Picture render(bool clean = false);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::viz
