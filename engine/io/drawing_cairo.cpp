// Drawings as pixels and as PDF by cairo. Texts are placed by its simple interface, which finds
// fonts by name and needs no shaping for the words of figures.

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/drawing.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/backends.h"

namespace flcc::io {

namespace {

struct FreeSurface {
    void operator()(cairo_surface_t* surface) const { ::cairo_surface_destroy(surface); }
};
struct FreeContext {
    void operator()(cairo_t* context) const { ::cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, FreeSurface>;
using Context = std::unique_ptr<cairo_t, FreeContext>;

void setColour(cairo_t* to, const match::Colour& colour) {
    ::cairo_set_source_rgb(to, colour[0] / 255.0, colour[1] / 255.0, colour[2] / 255.0);
}

/// Fills and strokes the current path.
void ink(cairo_t* to, const std::optional<match::Colour>& fill,
         const std::optional<match::Colour>& stroke, double width, bool dashed) {
    if (fill) {
        setColour(to, *fill);
        ::cairo_fill_preserve(to);
    }
    if (stroke) {
        constexpr double kDashes[] = {3, 2};
        ::cairo_set_dash(to, kDashes, dashed ? 2 : 0, 0);
        ::cairo_set_line_width(to, width);
        setColour(to, *stroke);
        ::cairo_stroke_preserve(to);
    }
    ::cairo_new_path(to);
}

void draw(cairo_t* to, const DrawnPath& path) {
    for (const DrawingPoint& point : path.points) {
        ::cairo_line_to(to, point.x, point.y);
    }
    if (path.closed) {
        ::cairo_close_path(to);
    }
    ink(to, path.fill, path.stroke, path.width, path.dashed);
}

void draw(cairo_t* to, const DrawnDisc& disc) {
    constexpr double kTurn = 6.283185307179586;
    ::cairo_arc(to, disc.centre.x, disc.centre.y, disc.radius, 0, kTurn);
    ink(to, disc.fill, disc.stroke, disc.width, false);
}

void draw(cairo_t* to, const DrawnText& text) {
    ::cairo_save(to);
    ::cairo_select_font_face(to, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                             text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    ::cairo_set_font_size(to, text.size);
    cairo_text_extents_t extents{};
    const std::string visible = base::visibleText(text.text); // cairo refuses what is no UTF-8
    ::cairo_text_extents(to, visible.c_str(), &extents);
    const double share = text.anchor == TextAnchor::Start    ? 0
                         : text.anchor == TextAnchor::Middle ? 0.5
                                                             : 1;
    ::cairo_move_to(to, text.at.x, text.at.y);
    if (text.upwards) {
        constexpr double kQuarter = -1.5707963267948966;
        ::cairo_rotate(to, kQuarter);
    }
    ::cairo_rel_move_to(to, -share * extents.x_advance, 0);
    setColour(to, text.colour);
    ::cairo_show_text(to, visible.c_str());
    ::cairo_new_path(to);
    ::cairo_restore(to);
}

void draw(cairo_t* to, const DrawnImage& image) {
    const Surface pixels(
        ::cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.columns, image.rows));
    if (::cairo_surface_status(pixels.get()) != CAIRO_STATUS_SUCCESS) {
        throw std::bad_alloc();
    }
    ::cairo_surface_flush(pixels.get());
    unsigned char* const bytes = ::cairo_image_surface_get_data(pixels.get());
    const int stride = ::cairo_image_surface_get_stride(pixels.get());
    for (int y = 0; y < image.rows; ++y) {
        for (int x = 0; x < image.columns; ++x) {
            const match::Colour& colour =
                image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.columns) +
                             static_cast<std::size_t>(x)];
            const std::uint32_t word =
                std::uint32_t{colour[0]} << 16 | std::uint32_t{colour[1]} << 8 | colour[2];
            std::memcpy(bytes + std::ptrdiff_t{y} * stride + std::ptrdiff_t{x} * 4, &word, 4);
        }
    }
    ::cairo_surface_mark_dirty(pixels.get());
    ::cairo_save(to);
    ::cairo_translate(to, image.corner.x, image.corner.y);
    ::cairo_scale(to, image.width / image.columns, image.height / image.rows);
    ::cairo_set_source_surface(to, pixels.get(), 0, 0);
    ::cairo_pattern_set_filter(::cairo_get_source(to), CAIRO_FILTER_NEAREST);
    ::cairo_rectangle(to, 0, 0, image.columns, image.rows);
    ::cairo_fill(to);
    ::cairo_restore(to);
}

/// Draws everything on a surface, `scale` of whose units are a point. **Errors**: Output.
void drawOn(cairo_surface_t* surface, const Drawing& drawing, double scale) {
    const Context context(::cairo_create(surface));
    cairo_t* const to = context.get();
    ::cairo_scale(to, scale, scale);
    setColour(to, kWhite);
    ::cairo_paint(to);
    ::cairo_set_line_join(to, CAIRO_LINE_JOIN_MITER);
    for (const DrawnItem& item : drawing.items) {
        std::visit([&](const auto& one) { draw(to, one); }, item);
    }
    if (::cairo_status(to) != CAIRO_STATUS_SUCCESS) {
        throw base::Error(base::ErrorCode::Output,
                          std::string("the figure could not be drawn: ") +
                              ::cairo_status_to_string(::cairo_status(to)));
    }
}

struct Pixels {
    Surface surface;
    int columns;
    int rows;

    [[nodiscard]] const unsigned char* row(int y) const {
        return ::cairo_image_surface_get_data(surface.get()) +
               std::ptrdiff_t{y} * ::cairo_image_surface_get_stride(surface.get());
    }
    [[nodiscard]] match::Colour at(int x, int y) const {
        std::uint32_t word = 0;
        std::memcpy(&word, row(y) + std::ptrdiff_t{x} * 4, 4);
        return {static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 8),
                static_cast<std::uint8_t>(word)};
    }
};

Pixels pixelsOf(const Drawing& drawing, double scale) {
    const int columns = std::max(1, static_cast<int>(std::lround(drawing.width * scale)));
    const int rows = std::max(1, static_cast<int>(std::lround(drawing.height * scale)));
    Pixels pixels{Surface(::cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows)), columns,
                  rows};
    if (::cairo_surface_status(pixels.surface.get()) != CAIRO_STATUS_SUCCESS) {
        throw std::bad_alloc();
    }
    drawOn(pixels.surface.get(), drawing, scale);
    ::cairo_surface_flush(pixels.surface.get());
    return pixels;
}

#ifdef FLCC_IMAGE_IO
void writePngOf(const AtomicFile& file, const Drawing& drawing) {
    const Pixels pixels = pixelsOf(drawing, kFigureDpi / 72);
    std::vector<match::Colour> colours;
    colours.reserve(static_cast<std::size_t>(pixels.columns) *
                    static_cast<std::size_t>(pixels.rows));
    for (int y = 0; y < pixels.rows; ++y) {
        for (int x = 0; x < pixels.columns; ++x) {
            colours.push_back(pixels.at(x, y));
        }
    }
    constexpr double kInchesOnMetre = 1 / 0.0254;
    detail::writePng(file.temporary(), file.target(),
                     {.pixels = colours.data(),
                      .width = pixels.columns,
                      .height = pixels.rows,
                      .rowBytes = std::int64_t{3} * pixels.columns,
                      .components = 3,
                      .bytesPerComponent = 1,
                      .pixelsPerMetre = std::lround(kFigureDpi * kInchesOnMetre)},
                     {});
}
#endif

void writePdfOf(const AtomicFile& file, const Drawing& drawing) {
    const Surface surface(
        ::cairo_pdf_surface_create(file.temporary().c_str(), drawing.width, drawing.height));
    ::cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, nullptr);
    drawOn(surface.get(), drawing, 1);
    ::cairo_surface_finish(surface.get());
    if (const cairo_status_t status = ::cairo_surface_status(surface.get());
        status != CAIRO_STATUS_SUCCESS) {
        throw base::Error(base::ErrorCode::Output, "cannot write " + detail::shown(file.target()) +
                                                       ": " + ::cairo_status_to_string(status));
    }
}

} // namespace

base::Image<std::uint8_t> toPixels(const Drawing& drawing, double scale) {
    const Pixels pixels = pixelsOf(drawing, scale);
    base::Image<std::uint8_t> grey({pixels.columns, pixels.rows, 1});
    for (int y = 0; y < pixels.rows; ++y) {
        for (int x = 0; x < pixels.columns; ++x) {
            const match::Colour colour = pixels.at(x, y);
            grey.view().at(x, y, 0) = static_cast<std::uint8_t>(
                (299 * colour[0] + 587 * colour[1] + 114 * colour[2] + 500) / 1000);
        }
    }
    return grey;
}

namespace detail {

void drawByCairo(const AtomicFile& file, const Drawing& drawing) {
#ifdef FLCC_IMAGE_IO
    if (extensionOf(file.target()) == ".png") {
        writePngOf(file, drawing);
        return;
    }
#endif
    writePdfOf(file, drawing);
}

} // namespace detail

} // namespace flcc::io
