#include "engine/io/drawing.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "engine/base/base64.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/backends.h"

namespace flcc::io {

namespace {

std::string colourText(const match::Colour& colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

/// A number with at most two digits after the point.
std::string numberText(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : base::visibleText(text)) { // XML holds no control characters
        safe += letter == '&'   ? "&amp;"
                : letter == '<' ? "&lt;"
                : letter == '>' ? "&gt;"
                                : std::string(1, letter);
    }
    return safe;
}

std::string inkText(const std::optional<match::Colour>& fill,
                    const std::optional<match::Colour>& stroke, double width, bool dashed) {
    std::string text = " fill=\"" + (fill ? colourText(*fill) : "none") + "\"";
    if (stroke) {
        text +=
            " stroke=\"" + colourText(*stroke) + "\" stroke-width=\"" + numberText(width) + "\"";
        text += dashed ? " stroke-dasharray=\"3 2\"" : "";
    }
    return text;
}

std::string svgOf(const DrawnPath& path) {
    std::string points;
    for (const DrawingPoint& point : path.points) {
        points += (points.empty() ? "" : " ") + numberText(point.x) + "," + numberText(point.y);
    }
    return std::string(path.closed ? "<polygon" : "<polyline") + " points=\"" + points + "\"" +
           inkText(path.fill, path.stroke, path.width, path.dashed) + "/>\n";
}

std::string svgOf(const DrawnDisc& disc) {
    return "<circle cx=\"" + numberText(disc.centre.x) + "\" cy=\"" + numberText(disc.centre.y) +
           "\" r=\"" + numberText(disc.radius) + "\"" +
           inkText(disc.fill, disc.stroke, disc.width, false) + "/>\n";
}

std::string svgOf(const DrawnText& text) {
    constexpr std::array<const char*, 3> kAnchors{"start", "middle", "end"};
    const std::string x = numberText(text.at.x);
    const std::string y = numberText(text.at.y);
    return "<text x=\"" + x + "\" y=\"" + y + "\" font-size=\"" + numberText(text.size) +
           "\" text-anchor=\"" + kAnchors[static_cast<std::size_t>(text.anchor)] + "\" fill=\"" +
           colourText(text.colour) + "\"" + (text.bold ? " font-weight=\"bold\"" : "") +
           (text.upwards ? " transform=\"rotate(-90 " + x + " " + y + ")\"" : std::string()) + ">" +
           escaped(text.text) + "</text>\n";
}

std::string svgOf(const DrawnImage& image) {
    return "<image x=\"" + numberText(image.corner.x) + "\" y=\"" + numberText(image.corner.y) +
           "\" width=\"" + numberText(image.width) + "\" height=\"" + numberText(image.height) +
           "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"" +
           pngDataUri(image.pixels, image.columns, image.rows) + "\"/>\n";
}

} // namespace

void Drawing::box(double x, double y, double w, double h, const std::optional<match::Colour>& fill,
                  const std::optional<match::Colour>& stroke, double thickness) {
    add(DrawnPath{{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, true, fill, stroke, thickness});
}

void Drawing::line(DrawingPoint from, DrawingPoint to, const match::Colour& colour,
                   double thickness) {
    add(DrawnPath{{from, to}, false, {}, colour, thickness});
}

void Drawing::text(DrawingPoint at, std::string words, double size, TextAnchor anchor) {
    add(DrawnText{at, std::move(words), size, anchor});
}

double estimatedWidth(std::string_view text, double size) {
    constexpr double kLetterWidth = 0.62; // of the size; digits of DejaVu Sans take 0.636
    return kLetterWidth * size * static_cast<double>(text.size());
}

std::string toSvg(const Drawing& drawing) {
    const std::string width = numberText(drawing.width);
    const std::string height = numberText(drawing.height);
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
                      "pt\" height=\"" + height + "pt\" viewBox=\"0 0 " + width + " " + height +
                      "\" font-family=\"DejaVu Sans, Arial, Helvetica, sans-serif\">\n"
                      "<rect width=\"" +
                      width + "\" height=\"" + height + "\" fill=\"#ffffff\"/>\n";
    for (const DrawnItem& item : drawing.items) {
        svg += std::visit([](const auto& one) { return svgOf(one); }, item);
    }
    return svg + "</svg>\n";
}

#ifdef FLCC_IMAGE_IO

std::string pngDataUri(const std::vector<match::Colour>& pixels, int columns, int rows) {
    const std::vector<unsigned char> bytes =
        detail::pngBytes({.pixels = pixels.data(),
                          .width = columns,
                          .height = rows,
                          .rowBytes = std::int64_t{3} * columns,
                          .components = 3,
                          .bytesPerComponent = 1});
    return "data:image/png;base64," +
           base::toBase64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

#else

std::string pngDataUri(const std::vector<match::Colour>& /*pixels*/, int /*columns*/,
                       int /*rows*/) {
    throw base::Error(base::ErrorCode::CommandLine,
                      "pictures cannot be made (this build has no image libraries)");
}

#endif

void requireDrawable(const std::filesystem::path& path) {
    const std::string extension = detail::extensionOf(path);
    const auto refuse = [&](const std::string& reason) {
        throw base::Error(base::ErrorCode::CommandLine,
                          "cannot write " + detail::shown(path) + ": " + reason);
    };
    if (extension != ".png" && extension != ".svg" && extension != ".pdf") {
        refuse("figures are written as .png, .svg or .pdf");
    }
#ifndef FLCC_CAIRO
    if (extension != ".svg") {
        refuse("this build draws figures as .svg only (built without cairo)");
    }
#endif
#ifndef FLCC_IMAGE_IO
    if (extension != ".pdf") {
        refuse("this build draws figures as .pdf only (built without image libraries)");
    }
#endif
}

#ifndef FLCC_CAIRO

base::Image<std::uint8_t> toPixels(const Drawing& /*drawing*/, double /*scale*/) {
    throw base::Error(base::ErrorCode::CommandLine,
                      "figures cannot be drawn as pixels (this build has no cairo)");
}

#endif

void writeDrawing(const AtomicFile& file, const Drawing& drawing) {
    requireDrawable(file.target());
    if (detail::extensionOf(file.target()) == ".svg") {
        writeText(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + toSvg(drawing));
        return;
    }
#ifdef FLCC_CAIRO
    detail::drawByCairo(file, drawing);
#endif
}

} // namespace flcc::io
