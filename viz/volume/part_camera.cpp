#include "viz/volume/part_camera.h"

#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>

#include "viz/volume_scene.h"

namespace flcc::viz::detail {

PartCamera* PartCamera::New() {
    auto* camera = new PartCamera;
    camera->InitializeObjectBase();
    return camera;
}

void PartCamera::Render(vtkRenderer* renderer) {
    vtkOpenGLCamera::Render(renderer); // clears, and sets the scissor to the whole picture
    auto* window = vtkOpenGLRenderWindow::SafeDownCast(renderer->GetRenderWindow());
    if (m_count > 1 && window != nullptr) {
        const int* const size = window->GetSize();
        const PartRows rows = partRows(size[1], m_index, m_count);
        window->GetState()->vtkglScissor(0, rows.first, size[0], rows.count);
    }
}

} // namespace flcc::viz::detail

namespace flcc::viz {

PartRows partRows(int height, int index, int count) {
    const int top = height - height * index / count;
    const int bottom = height - height * (index + 1) / count;
    return {bottom, top - bottom};
}

} // namespace flcc::viz
