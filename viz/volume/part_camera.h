#pragma once

#include <vtkOpenGLCamera.h>

namespace flcc::viz::detail {

/// A camera that lets VTK draw a horizontal part of the picture only; everything else of the frame
/// is cleared. The time of the fragments, which is most of a ray-cast frame, falls with the part.
class PartCamera : public vtkOpenGLCamera {
  public:
    static PartCamera* New();

    /// Part `index` of `count`, from the top. 1 part: the whole picture.
    void setPart(int index, int count) {
        m_index = index;
        m_count = count;
    }
    [[nodiscard]] int count() const { return m_count; }
    void Render(vtkRenderer* renderer) override;

  private:
    int m_index = 0;
    int m_count = 1;
};

} // namespace flcc::viz::detail
