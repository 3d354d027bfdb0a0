#include "viz/labels/text_pool.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
    m_labels.clear();
}

vtkTextActor& TextPool::prepared(const std::string& text, const TextStyle& style) {
    if (m_used == m_actors.size()) {
        m_actors.push_back(vtkSmartPointer<vtkTextActor>::New());
        m_actors.back()->PickableOff();
        m_actors.back()->SetLayerNumber(1);
        m_renderer.AddActor2D(m_actors.back());
    }
    vtkTextActor& actor = *m_actors[m_used];
    actor.SetInput(text.c_str());
    vtkTextProperty& look = *actor.GetTextProperty();
    look.SetFontFamilyToArial();
    look.SetFontSize(style.points);
    look.SetBold(style.bold ? 1 : 0);
    look.SetColor(style.colour[0] / 255.0, style.colour[1] / 255.0, style.colour[2] / 255.0);
    look.SetBackgroundColor(kGlass[0] / 255.0, kGlass[1] / 255.0, kGlass[2] / 255.0);
    look.SetBackgroundOpacity(style.plate ? kGlassAlpha / 255.0 : 0.0);
    look.SetJustification(static_cast<int>(style.alignX));
    // VTK counts from the bottom.
    look.SetVerticalJustification(style.alignY == AlignY::Top      ? VTK_TEXT_TOP
                                  : style.alignY == AlignY::Centre ? VTK_TEXT_CENTERED
                                                                   : VTK_TEXT_BOTTOM);
    return actor;
}

void TextPool::add(double x, double y, const std::string& text, const TextStyle& style) {
    vtkTextActor& actor = prepared(text, style);
    actor.SetDisplayPosition(static_cast<int>(std::lround(x)),
                             static_cast<int>(std::lround(m_viewHeight - y)));
    actor.VisibilityOn();
    ++m_used;
}

std::array<double, 2> TextPool::sizeOf(const std::string& text, const TextStyle& style) {
    std::array<double, 2> size{};
    prepared(text, style).GetSize(&m_renderer, size.data());
    return size;
}

bool TextPool::isFree(const Label& label) const {
    return std::ranges::none_of(m_labels, [&label](const Label& other) {
        return label.left < other.right && other.left < label.right && label.top < other.bottom &&
               other.top < label.bottom;
    });
}

bool TextPool::place(std::span<const Spot> spots, const std::string& text, TextStyle style) {
    style.alignX = AlignX::Left; // whatever the spot: a change would draw the text anew
    style.alignY = AlignY::Bottom;
    const auto [width, height] = sizeOf(text, style);
    if (width > m_viewWidth || height > m_viewHeight) {
        return false;
    }
    for (const Spot& spot : spots) {
        const double before = width * (spot.alignX == AlignX::Left     ? 0.0
                                       : spot.alignX == AlignX::Centre ? 0.5
                                                                       : 1.0);
        const double above = height * (spot.alignY == AlignY::Top      ? 0.0
                                       : spot.alignY == AlignY::Centre ? 0.5
                                                                       : 1.0);
        // Whole inside the view: a number on the edge of the image is read as well.
        const double left = std::clamp(std::round(spot.x - before), 0.0, m_viewWidth - width);
        const double top = std::clamp(std::round(spot.y - above), 0.0, m_viewHeight - height);
        const Label label{text, left, top, left + width, top + height};
        if (isFree(label)) {
            add(label.left, label.bottom, text, style);
            reserve(label);
            return true;
        }
    }
    return false;
}

void TextPool::finish() {
    for (std::size_t i = m_used; i < m_actors.size(); ++i) {
        m_actors[i]->VisibilityOff();
    }
}

} // namespace flcc::viz::detail
