#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/image.h"
#include "engine/io/atomic_file.h"
#include "engine/match/colour_map.h"

/// Pictures made of lines, texts and images, for files that are printed.
namespace flcc::io {

inline constexpr match::Colour kBlack{0, 0, 0};
inline constexpr match::Colour kWhite{255, 255, 255};

/// A position on a drawing, in points (1/72 inch) from the upper left corner, y down.
struct DrawingPoint {
    double x = 0;
    double y = 0;
};

/// A line through points, or the outline of an area.
struct DrawnPath {
    std::vector<DrawingPoint> points;
    bool closed = false;
    std::optional<match::Colour> fill{};
    std::optional<match::Colour> stroke = kBlack;
    double width = 0.75; ///< of the line, points
    bool dashed = false;
};

struct DrawnDisc {
    DrawingPoint centre;
    double radius = 1;
    std::optional<match::Colour> fill{};
    std::optional<match::Colour> stroke = kBlack;
    double width = 0.75;
};

enum class TextAnchor { Start, Middle, End };

/// One line of text; `at` lies on its base line. Upwards: turned by 90 degrees to the left about
/// `at`.
struct DrawnText {
    DrawingPoint at;
    std::string text; ///< UTF-8
    double size = 9;  ///< height of the letters' box, points
    TextAnchor anchor = TextAnchor::Start;
    bool upwards = false;
    bool bold = false;
    match::Colour colour = kBlack;
};

/// An image whose pixels are drawn as sharp boxes. **Shapes**: `columns` * `rows` pixels, row 0 on
/// top.
struct DrawnImage {
    DrawingPoint corner;
    double width = 0;
    double height = 0;
    int columns = 0;
    int rows = 0;
    std::vector<match::Colour> pixels;
};

using DrawnItem = std::variant<DrawnPath, DrawnDisc, DrawnText, DrawnImage>;

/// A drawing on white; later items cover earlier ones. **Units**: points.
struct Drawing {
    double width = 0;
    double height = 0;
    std::vector<DrawnItem> items{};

    template <class Item> void add(Item item) {
        items.emplace_back(std::in_place_type<Item>, std::move(item));
    }
    /// The outline and the area of a box.
    void box(double x, double y, double w, double h, const std::optional<match::Colour>& fill,
             const std::optional<match::Colour>& stroke = {}, double thickness = 0.75);
    void line(DrawingPoint from, DrawingPoint to, const match::Colour& colour = kBlack,
              double thickness = 0.75);
    void text(DrawingPoint at, std::string words, double size = 9,
              TextAnchor anchor = TextAnchor::Start);
};

/// The resolution of drawings that are written as PNG, pixels on an inch.
inline constexpr double kFigureDpi = 300;

/// The width of a text in points, for layouts: an upper estimate for usual words.
[[nodiscard]] double estimatedWidth(std::string_view text, double size = 9);

/// The drawing as an SVG element that a page can hold: its images are PNG data URIs, its texts stay
/// texts. **Errors**: CommandLine for a drawing with images in a build without image libraries.
[[nodiscard]] std::string toSvg(const Drawing& drawing);

/// A picture as "data:image/png;base64,...". **Errors**: CommandLine in a build without image
/// libraries.
[[nodiscard]] std::string pngDataUri(const std::vector<match::Colour>& pixels, int columns,
                                     int rows);

/// The drawing as grey pixels, `scale` of them on a point. **Errors**: CommandLine in a build
/// without cairo.
[[nodiscard]] base::Image<std::uint8_t> toPixels(const Drawing& drawing, double scale);

/// Throws the CommandLine error that writeDrawing() would throw.
void requireDrawable(const std::filesystem::path& path);

/// Writes a drawing to the temporary name of `file`, whose extension chooses the format: .png at
/// 300 dpi, .svg or .pdf. **Errors**: CommandLine for another extension, and for .png and .pdf in a
/// build without cairo; Output.
void writeDrawing(const AtomicFile& file, const Drawing& drawing);

} // namespace flcc::io
