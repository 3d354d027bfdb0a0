#pragma once

#include <string>

#include "engine/match/colour_map.h"
#include "viz/detail/map_pixels.h"
#include "viz/detail/mark_batch.h"
#include "viz/detail/text_pool.h"
#include "viz/scene.h"

namespace flcc::viz::detail {

/// What the bars, texts and marks of a view are drawn with.
struct Canvas {
    MarkBatch& marks;
    TextPool& texts;
    int width = 1;
    int height = 1;
    double ratio = 1; ///< device pixels per logical pixel
    const ViewColours& colours;
};

/// Colours of the dark plate behind bars and texts, and of the text on it: readable over any image
/// and in every palette.
inline constexpr match::Colour kGlass{14, 16, 19};
inline constexpr std::uint8_t kGlassAlpha = 200;
inline constexpr match::Colour kGlassText{242, 244, 247};

/// Draws the scalar bar at the right edge: the name above, the colours from high to low, the
/// ends of the range and round numbers beside them. Left out when the view is too small for it.
void drawScalarBar(const Canvas& canvas, const match::HeatmapScale& scale, const ColourTable& table,
                   const std::string& name);

/// Writes a note at the top of a view; nothing if the note is empty.
void drawMapNote(const Canvas& canvas, const std::string& note);

/// Draws the length of a round number of units at the bottom left.
/// `unitsPerPixel`: world units of a device pixel.
void drawScaleBar(const Canvas& canvas, double unitsPerPixel, const std::string& unit);

/// 1, 2 or 5 times a power of ten, at most `length`.
[[nodiscard]] double roundLength(double length);

} // namespace flcc::viz::detail
