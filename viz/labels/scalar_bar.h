#pragma once

#include <array>
#include <string>

#include "engine/match/colour_map.h"
#include "viz/labels/mark_batch.h"
#include "viz/labels/text_pool.h"
#include "viz/pixels/map_pixels.h"
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

/// The colour of texts on a plate, in every palette.
inline constexpr match::Colour kGlassText{242, 244, 247};

/// Draws a plate for bars and texts, and reserves it.
void drawPlate(const Canvas& canvas, const Label& plate);

/// Draws the scalar bar at the right edge: the name above, the colours from high to low, the
/// ends of the range and round numbers beside them. Left out when the view is too small for it.
/// Returns its lower edge, or 0.
double drawScalarBar(const Canvas& canvas, const match::HeatmapScale& scale,
                     const ColourTable& table, const std::string& name);

/// Writes a note at the top of a view; nothing if the note is empty.
void drawMapNote(const Canvas& canvas, const std::string& note);

/// Draws the length of a round number of units at the bottom left, beside axes that are there.
/// `unitsPerPixel`: world units of a device pixel. `picture`: edges of the image, which the bar
/// keeps off where it can.
void drawScaleBar(const Canvas& canvas, double unitsPerPixel, const std::string& unit,
                  const std::array<double, 4>& picture);

/// 1, 2 or 5 times a power of ten, at most `length`.
[[nodiscard]] double roundLength(double length);

} // namespace flcc::viz::detail
