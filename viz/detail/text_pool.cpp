#include "viz/detail/text_pool.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <vtkRenderer.h>
#include <vtkTextProperty.h>

namespace flcc::viz::detail {

TextPool::~TextPool() {
    for (const auto& actor : m_actors) {
        m_renderer.RemoveActor2D(actor);
    }
}

void TextPool::clear(int viewWidth, int viewHeight) {
    m_viewWidth = viewWidth;
    m_viewHeight = viewHeight;
    m_used = 0;
}

void TextPool::add(double x, double y, const std::string& text, const TextStyle& style) {
    if (m_used == m_actors.size()) {
        m_actors.push_back(vtkSmartPointer<vtkTextActor>::New());
        m_actors.back()->PickableOff();
        m_actors.back()->SetLayerNumber(1);
        m_renderer.AddActor2D(m_actors.back());
    }
    vtkTextActor& actor = *m_actors[m_used++];
    actor.VisibilityOn();
    actor.SetInput(text.c_str());
    vtkTextProperty& look = *actor.GetTextProperty();
    look.SetFontFamilyToArial();
    look.SetFontSize(style.points);
    look.SetBold(style.bold ? 1 : 0);
    look.SetColor(style.colour[0] / 255.0, style.colour[1] / 255.0, style.colour[2] / 255.0);
    look.SetBackgroundColor(0.06, 0.07, 0.08);
    look.SetBackgroundOpacity(style.plate ? 0.72 : 0.0);
    look.SetJustification(static_cast<int>(style.alignX));
    // VTK counts from the bottom.
    look.SetVerticalJustification(style.alignY == AlignY::Top      ? VTK_TEXT_TOP
                                  : style.alignY == AlignY::Centre ? VTK_TEXT_CENTERED
                                                                   : VTK_TEXT_BOTTOM);
    if (style.plate) {
        // Whole inside the view: a number on the edge of the image is read as well.
        std::array<double, 2> size{};
        actor.GetSize(&m_renderer, size.data());
        const double before = size[0] * (style.alignX == AlignX::Left     ? 0.0
                                         : style.alignX == AlignX::Centre ? 0.5
                                                                          : 1.0);
        const double above = size[1] * (style.alignY == AlignY::Top      ? 0.0
                                        : style.alignY == AlignY::Centre ? 0.5
                                                                         : 1.0);
        x = std::max(std::min(x - before, m_viewWidth - size[0]), 0.0) + before;
        y = std::max(std::min(y - above, m_viewHeight - size[1]), 0.0) + above;
    }
    actor.SetDisplayPosition(static_cast<int>(std::lround(x)),
                             static_cast<int>(std::lround(m_viewHeight - y)));
}

void TextPool::finish() {
    for (std::size_t i = m_used; i < m_actors.size(); ++i) {
        m_actors[i]->VisibilityOff();
    }
}

} // namespace flcc::viz::detail
