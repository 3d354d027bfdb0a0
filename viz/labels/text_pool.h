#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <vtkNew.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

#include "engine/match/colour_map.h"
#include "viz/scene.h"

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
    bool plate = false; ///< a dark plate behind it
};

/// Dark plates behind bars and texts: 4.5:1 for every colour of their texts, over a white image
/// too.
inline constexpr match::Colour kGlass{14, 16, 19};
inline constexpr std::uint8_t kGlassAlpha = 224;

/// Where a text may stand: the point that its alignment refers to.
struct Spot {
    double x = 0;
    double y = 0;
    AlignX alignX = AlignX::Centre;
    AlignY alignY = AlignY::Centre;
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
    /// Draws a text without looking for what is there: on a plate that is reserved as a whole.
    void add(double x, double y, const std::string& text, const TextStyle& style);
    /// Draws a text, moved into the view, at the first spot where it covers no other label; false
    /// if there is none.
    bool place(std::span<const Spot> spots, const std::string& text, TextStyle style);
    [[nodiscard]] std::array<double, 2> sizeOf(const std::string& text, const TextStyle& style);
    /// Texts that are placed later keep off this label.
    void reserve(Label label) { m_labels.push_back(std::move(label)); }
    [[nodiscard]] bool isFree(const Label& label) const;
    [[nodiscard]] const std::vector<Label>& labels() const { return m_labels; }
    void finish(); ///< hides texts that this frame did not use

  private:
    /// The next unused actor with this text and look.
    vtkTextActor& prepared(const std::string& text, const TextStyle& style);

    vtkRenderer& m_renderer;
    int m_viewWidth = 1;
    int m_viewHeight = 1;
    std::size_t m_used = 0;
    std::vector<vtkSmartPointer<vtkTextActor>> m_actors;
    std::vector<Label> m_labels;
};

} // namespace flcc::viz::detail
