// A level of a whole-slide picture, or a box of it, through OpenSlide.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <openslide.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

struct CloseSlide {
    void operator()(openslide_t* slide) const { ::openslide_close(slide); }
};
using Slide = std::unique_ptr<openslide_t, CloseSlide>;

/// **Errors**: Input when the library met an error since the slide was opened.
void requireNoError(openslide_t* slide) {
    if (const char* error = ::openslide_get_error(slide); error != nullptr) {
        refuse("the slide is truncated, damaged or not supported (" + base::excerpt(error) + ")");
    }
}

std::string propertyOf(openslide_t* slide, const char* name) {
    const char* value = ::openslide_get_property_value(slide, name);
    return value != nullptr ? base::excerpt(value) : std::string();
}

struct Level {
    std::int64_t width = 0;
    std::int64_t height = 0;
    double downsample = 1; ///< by which OpenSlide places its pixels
};

std::vector<Level> levelsOf(openslide_t* slide) {
    constexpr std::int64_t kLongest = INT32_MAX; // products of sides and scales fit into 63 bits
    constexpr double kMostDownsample = 1 << 20;
    const std::int32_t count = ::openslide_get_level_count(slide);
    requireNoError(slide);
    std::vector<Level> levels(static_cast<std::size_t>(std::clamp(count, 0, 1000)));
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        ::openslide_get_level_dimensions(slide, number, &levels[i].width, &levels[i].height);
        levels[i].downsample = ::openslide_get_level_downsample(slide, number);
        const bool sane = levels[i].width > 0 && levels[i].height > 0 &&
                          levels[i].width < kLongest && levels[i].height < kLongest &&
                          levels[i].downsample > 0 && levels[i].downsample < kMostDownsample;
        if (!sane) {
            refuse("its level " + std::to_string(i) + " has " + std::to_string(levels[i].width) +
                   "x" + std::to_string(levels[i].height) + " pixels; the slide is damaged");
        }
    }
    requireNoError(slide);
    if (levels.empty()) {
        refuse("the slide has no level");
    }
    return levels;
}

/// What is taken without a choice: the same on every machine, so not by its memory.
constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;

std::size_t usualLevel(const std::vector<Level>& levels) {
    const auto fits = [](const Level& level) { return level.width <= kMostPixels / level.height; };
    const auto found = std::ranges::find_if(levels, fits);
    return static_cast<std::size_t>((found == levels.end() ? std::prev(levels.end()) : found) -
                                    levels.begin());
}

/// Pixels of level 0 along a side of a pixel. Sizes of levels are rounded, so the ratio of two
/// sizes counts as whole where rounding explains the difference.
double scaleOf(std::int64_t full, std::int64_t reduced) {
    const double ratio = static_cast<double>(full) / static_cast<double>(reduced);
    const double whole = std::round(ratio);
    return std::abs(static_cast<double>(full) - whole * static_cast<double>(reduced)) < whole
               ? whole
               : ratio;
}

/// Micrometres on a pixel of level 0; nothing if the slide does not say.
std::optional<double> micrometresOf(openslide_t* slide, const char* property) {
    const std::string text = propertyOf(slide, property);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = error == std::errc{} && end == text.data() + text.size();
    return number && std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

void setSpacing(openslide_t* slide, const std::vector<Level>& levels, std::size_t level,
                FoundImage& found) {
    const auto x = micrometresOf(slide, OPENSLIDE_PROPERTY_NAME_MPP_X);
    const auto y = micrometresOf(slide, OPENSLIDE_PROPERTY_NAME_MPP_Y);
    if (!x || !y) {
        found.notes.emplace_back("the slide does not state the size of its pixels");
        return;
    }
    const double scaleX = scaleOf(levels[0].width, levels[level].width);
    const double scaleY = scaleOf(levels[0].height, levels[level].height);
    found.geometry.spacing = {*x * scaleX, *y * scaleY, 1};
    // The middle of its first pixel, so that a place has the same coordinates in all levels.
    found.geometry.origin = {*x * (scaleX - 1) / 2, *y * (scaleY - 1) / 2, 0};
    found.unit = "um";
}

std::string numberText(double value, int digits) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value,
                                            std::chars_format::general, digits);
    return error == std::errc{} ? std::string(text.data(), end) : std::string();
}

void noteLevels(const std::vector<Level>& levels, std::size_t level, bool chosen,
                FoundImage& found) {
    if (levels.size() > 1) {
        std::string all;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            all += (i == 0 ? "" : ", ") + std::to_string(i) + ": " +
                   std::to_string(levels[i].width) + "x" + std::to_string(levels[i].height);
        }
        const bool small = levels[level].width <= kMostPixels / levels[level].height;
        found.notes.push_back("the levels of the slide are " + all + " pixels; level " +
                              std::to_string(level) + " was taken" +
                              (chosen  ? ""
                               : small ? ", the largest of at most 67 million pixels"
                                       : ", the smallest"));
    }
    const double downsample = levels[level].downsample;
    const double shift = 0.5 / downsample;
    if (downsample != std::round(downsample)) {
        found.notes.push_back("level " + std::to_string(level) + " is " +
                              numberText(downsample, 7) +
                              " times coarser than level 0, which is no whole number: OpenSlide "
                              "may place its pixels wrongly by up to " +
                              numberText(shift, 2) + " of a pixel");
    }
}

/// The colour of places that were not scanned.
std::uint32_t backgroundOf(openslide_t* slide) {
    const std::string text = propertyOf(slide, OPENSLIDE_PROPERTY_NAME_BACKGROUND_COLOR);
    std::uint32_t colour = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), colour, 16);
    const bool valid = text.size() == 6 && error == std::errc{} && end == text.data() + 6;
    return valid ? colour : 0xffffff;
}

/// Colours of premultiplied pixels over the background.
void addColours(const std::vector<std::uint32_t>& pixels, std::uint32_t background,
                std::vector<std::uint8_t>& colours) {
    colours.clear();
    for (const std::uint32_t pixel : pixels) {
        const std::uint32_t clear = 255 - (pixel >> 24);
        for (const int shift : {16, 8, 0}) {
            const std::uint32_t behind = (((background >> shift) & 255U) * clear + 127) / 255;
            colours.push_back(static_cast<std::uint8_t>(
                std::min<std::uint32_t>(255, ((pixel >> shift) & 255U) + behind)));
        }
    }
}

void sendBox(openslide_t* slide, const Level& level, std::int32_t number, const base::Box& box,
             ReaderAnswer& answer) {
    constexpr std::int64_t kBlock = 1 << 23; // pixels read at a time
    const std::int64_t width = box.extents.x;
    const std::int64_t rows = std::clamp<std::int64_t>(kBlock / width, 1, box.extents.y);
    const std::uint32_t background = backgroundOf(slide);
    const auto full = [&](std::int64_t at) {
        return static_cast<std::int64_t>(std::llround(static_cast<double>(at) * level.downsample));
    };
    std::vector<std::uint32_t> pixels;
    std::vector<std::uint8_t> colours;
    for (std::int64_t y = 0; y < box.extents.y; y += rows) {
        const std::int64_t count = std::min(rows, box.extents.y - y);
        pixels.assign(static_cast<std::size_t>(width * count), 0);
        ::openslide_read_region(slide, pixels.data(), full(box.corner.x), full(box.corner.y + y),
                                number, width, count);
        requireNoError(slide);
        addColours(pixels, background, colours);
        answer.voxels(colours.data(), std::ssize(colours));
    }
}

} // namespace

void answerSlide(const Request& request, ReaderAnswer& answer) {
    constexpr int kMostSeconds = 50;
    answer.limitHeader(kMostSeconds, "the header of the slide is damaged: reading it did not end");
    const Slide slide(::openslide_open(request.path.c_str()));
    if (!slide) {
        refuse(
            "OpenSlide does not know this kind of slide; if it is a plain TIFF file, give it the "
            "extension .tif");
    }
    requireNoError(slide.get());
    const std::vector<Level> levels = levelsOf(slide.get());
    const auto count = static_cast<int>(levels.size());
    const bool chosen = request.image >= 0 && request.image < count; // else the program refuses
    const std::size_t level = chosen ? static_cast<std::size_t>(request.image) : usualLevel(levels);
    FoundImage found;
    found.extents = {levels[level].width, levels[level].height, 1};
    found.components = 3;
    found.images = count;
    found.image = static_cast<int>(level);
    found.regions = true;
    setSpacing(slide.get(), levels, level, found);
    noteLevels(levels, level, chosen, found);
    for (const char* name :
         {OPENSLIDE_PROPERTY_NAME_VENDOR, OPENSLIDE_PROPERTY_NAME_OBJECTIVE_POWER,
          OPENSLIDE_PROPERTY_NAME_BOUNDS_X, OPENSLIDE_PROPERTY_NAME_BOUNDS_Y,
          OPENSLIDE_PROPERTY_NAME_BOUNDS_WIDTH, OPENSLIDE_PROPERTY_NAME_BOUNDS_HEIGHT}) {
        if (const std::string value = propertyOf(slide.get(), name); !value.empty()) {
            found.metadata[name] = value;
        }
    }
    if (!request.picks(found)) {
        answer.header(found, false);
        return;
    }
    const base::Box box = request.boxOf(found);
    answer.header(found, box);
    sendBox(slide.get(), levels[level], static_cast<std::int32_t>(level), box, answer);
}

} // namespace flcc::io::detail
