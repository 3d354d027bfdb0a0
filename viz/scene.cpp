#include "viz/scene.h"

#include <algorithm>
#include <utility>

#include <vtkNew.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkUnsignedCharArray.h>
#include <vtk_glew.h>

namespace flcc::viz {

Scene::Scene() = default;
Scene::~Scene() = default;

void Scene::attach(vtkRenderWindow* window) {
    if (window == m_window) {
        return;
    }
    if (m_window != nullptr) {
        removeRenderers(*m_window);
    }
    m_window = window;
    if (m_window != nullptr) {
        addRenderers(*m_window);
    }
}

vtkRenderWindow* Scene::window() const { return m_window; }

void Scene::resize(int width, int height, double pixelRatio) {
    width = std::max(width, 1);
    height = std::max(height, 1);
    if (width == m_width && height == m_height && pixelRatio == m_pixelRatio) {
        return;
    }
    m_width = width;
    m_height = height;
    m_pixelRatio = pixelRatio;
    resized();
    changed();
}

void Scene::setColours(const ViewColours& colours) {
    m_colours = colours;
    coloursChanged();
    changed();
}

void Scene::setChangedListener(std::function<void()> listener) { m_listener = std::move(listener); }

void Scene::changed() {
    if (m_listener) {
        m_listener();
    }
}

void Scene::prepare() {
    if (m_window != nullptr) {
        update();
    }
}

void Scene::takeOverGraphicsState() {
    auto* window = vtkOpenGLRenderWindow::SafeDownCast(m_window);
    if (window == nullptr) {
        return;
    }
    vtkOpenGLState& state = *window->GetState();
    state.Reset();
    // VTK counts on this one but sets it only now and then: with OpenGL's own GL_LESS marks that
    // lie over each other at one depth are lost.
    state.vtkglDepthFunc(GL_LEQUAL);
}

Picture Scene::snapshot(bool clean) {
    Picture picture;
    if (m_window == nullptr) {
        return picture;
    }
    m_clean = clean;
    try {
        prepare();
        takeOverGraphicsState();
        m_window->Render();
    } catch (...) {
        m_clean = false;
        throw;
    }
    picture.width = m_width;
    picture.height = m_height;
    const vtkNew<vtkUnsignedCharArray> pixels;
    m_window->GetRGBACharPixelData(0, 0, m_width - 1, m_height - 1, 0, pixels);
    const std::size_t rowBytes = static_cast<std::size_t>(m_width) * 4;
    picture.rgba.resize(rowBytes * static_cast<std::size_t>(m_height));
    if (pixels->GetNumberOfValues() == static_cast<vtkIdType>(picture.rgba.size())) {
        for (int y = 0; y < m_height; ++y) {
            std::copy_n(pixels->GetPointer(0) +
                            static_cast<std::size_t>(m_height - 1 - y) * rowBytes,
                        rowBytes, picture.rgba.data() + static_cast<std::size_t>(y) * rowBytes);
        }
    }
    if (!clean) {
        // What VTK blends leaves odd alphas behind; the view itself is opaque.
        for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
            picture.rgba[i] = 255;
        }
    } else {
        // An overlay and the fog of a volume leave their own opacity behind; put on another
        // background the picture would be washed through.
        for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
            picture.rgba[i] = picture.rgba[i] > 0 ? 255 : 0;
        }
        m_clean = false;
        changed();
    }
    return picture;
}

} // namespace flcc::viz
