#pragma once

#include <memory>
#include <string>
#include <vector>

#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

#include "engine/match/colour_map.h"

class vtkRenderer;

namespace flcc::viz::detail {

enum class AlignX { Left, Centre, Right };
enum class AlignY { Top, Centre, Bottom };

/// How a text is drawn.
struct TextStyle {
    match::Colour colour{255, 255, 255};
    int points = 11; ///< logical pixels
    bool bold = false;
    AlignX alignX = AlignX::Left;
    AlignY alignY = AlignY::Centre;
    bool plate = false; ///< a dark plate behind it; the text is moved into the view
};

/// Short texts in device pixels (origin top left, y down). Text actors of the last frame are
/// reused, so that an unchanged text costs nothing.
class TextPool {
  public:
    explicit TextPool(vtkRenderer& renderer) : m_renderer(renderer) {}
    ~TextPool();
    TextPool(const TextPool&) = delete;
    TextPool& operator=(const TextPool&) = delete;

    void clear(int viewWidth, int viewHeight);
    void add(double x, double y, const std::string& text, const TextStyle& style);
    void finish(); ///< hides texts that this frame did not use

  private:
    vtkRenderer& m_renderer;
    int m_viewWidth = 1;
    int m_viewHeight = 1;
    std::size_t m_used = 0;
    std::vector<vtkSmartPointer<vtkTextActor>> m_actors;
};

} // namespace flcc::viz::detail
