#include "engine/io/raster/tiff_programs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <tiffio.h>

#include "engine/io/format/headers.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail {

namespace {

constexpr std::uint32_t kMetaMorphPlanes = 33629;                  ///< UIC2
constexpr std::uint32_t kZeissInfo = 34412;                        ///< CZ_LSMINFO
constexpr bool kSwapped = std::endian::native == std::endian::big; ///< its bytes are little-endian
constexpr std::int64_t kMostPages = 100'000'000;

/// The entries of a tag that libtiff has no name for.
struct PrivateTag {
    std::uint32_t count = 0;
    const void* data = nullptr;
};
PrivateTag privateTag(tiff* file, std::uint32_t tag) {
    PrivateTag found;
    return ::TIFFGetField(file, tag, &found.count, &found.data) == 1 ? found : PrivateTag{};
}

/// An axis along which pages follow each other.
struct PageAxis {
    char letter = ' '; ///< T, Z or C; blank without a name
    std::int64_t length = 1;
};

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t length : shape) {
        text += (text.empty() ? "" : "x") + std::to_string(length);
    }
    return text;
}

/// The lengths of `{"shape": [2, 4, 6, 8], ...}`; empty for anything else.
std::vector<std::int64_t> shapeOf(const nlohmann::json& description) {
    std::vector<std::int64_t> shape;
    if (!description.is_object() || !description.contains("shape") ||
        !description["shape"].is_array()) {
        return shape;
    }
    std::int64_t all = 1;
    for (const nlohmann::json& length : description["shape"]) {
        if (!length.is_number_unsigned() || length == 0 ||
            length.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
            return {};
        }
        shape.push_back(length.get<std::int64_t>());
        all = cappedProduct(all, shape.back());
    }
    return all == INT64_MAX ? std::vector<std::int64_t>{} : shape;
}

/// The axes of `shape` along which pages follow each other, the slowest first.
std::vector<PageAxis> pageAxes(const std::vector<std::int64_t>& shape, const std::string& letters,
                               const TiffPage& page) {
    std::vector<PageAxis> axes;
    if (letters.size() == shape.size()) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (std::string_view("YXS").find(letters[i]) == std::string_view::npos) {
                axes.push_back({letters[i], shape[i]});
            }
        }
        return axes;
    }
    const std::size_t inPage = page.samples > 1 ? 3 : 2;
    for (std::size_t i = 0; i + inPage < shape.size(); ++i) {
        axes.push_back({' ', shape[i]});
    }
    return axes;
}

/// Sets counts and steps of the stack by the axes. False if there are more than three.
bool placeAxes(const std::vector<PageAxis>& axes, TiffStack& stack) {
    std::array<bool, 3> taken{}; // channel, slice, frame
    const std::array<int*, 3> counts{&stack.channels, &stack.slices, &stack.frames};
    const auto take = [&](std::size_t axis, std::int64_t length, std::int64_t step) {
        taken[axis] = true;
        *counts[axis] = static_cast<int>(length);
        stack.steps[axis] = step;
    };
    std::vector<std::pair<PageAxis, std::int64_t>> others;
    std::int64_t step = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const std::size_t known = std::string_view("CZT").find(axis->letter);
        if (known != std::string_view::npos && !taken[known]) {
            take(known, axis->length, step);
        } else if (axis->length > 1) {
            others.emplace_back(*axis, step);
        }
        step *= axis->length;
    }
    for (const auto& [axis, apart] : others) { // the fastest one first
        const std::array<std::size_t, 3> order{1, 2, 0};
        const auto* const free =
            std::find_if(order.begin(), order.end(), [&](std::size_t i) { return !taken[i]; });
        if (free == order.end()) {
            return false;
        }
        take(*free, axis.length, apart);
        constexpr std::array<const char*, 3> kWords{"channels", "slices", "frames"};
        stack.notes.push_back("its axis " +
                              (axis.letter == ' ' ? "of " + std::to_string(axis.length) + " pages"
                                                  : std::string(1, axis.letter)) +
                              " was read as " + kWords[*free]);
    }
    return true;
}

/// What tifffile writes where it writes neither OME-XML nor ImageJ's description.
std::optional<TiffStack> describeShaped(const std::filesystem::path& path, const TiffTexts& texts,
                                        const TiffPage& page, std::int64_t pages,
                                        const TiffRoom& room) {
    if (texts.description.rfind("{\"shape\":", 0) != 0) {
        return std::nullopt;
    }
    const auto description = nlohmann::json::parse(texts.description, nullptr, false);
    const std::vector<std::int64_t> shape = shapeOf(description);
    const std::string letters =
        description.is_object() && description.contains("axes") && description["axes"].is_string()
            ? description["axes"].get<std::string>()
            : std::string();
    const std::vector<PageAxis> axes = pageAxes(shape, letters, page);
    std::int64_t planes = 1;
    for (const PageAxis& axis : axes) {
        planes = cappedProduct(planes, axis.length);
    }
    if (shape.empty() || planes > kMostPages) {
        return std::nullopt;
    }
    TiffStack stack;
    std::int64_t values = 1;
    for (const std::int64_t length : shape) {
        values = cappedProduct(values, length);
    }
    const std::int64_t ofPage = cappedProduct(std::int64_t{page.width} * page.height, page.samples);
    const bool same = values == cappedProduct(planes, ofPage); // of another picture where not
    stack.oneDirectory = same && pages == 1 && planes > 1 && followTheFirst(path, room, planes);
    const bool fits = same && (stack.oneDirectory || planes == pages);
    if (fits && placeAxes(axes, stack)) {
        return stack;
    }
    TiffStack slices;
    slices.slices = static_cast<int>(pages);
    slices.notes.push_back("its description gives the shape " + shapeText(shape) +
                           (fits    ? ", with more axes than can be told apart"
                            : !same ? ", its pages have " + pageText(page)
                                    : "") +
                           "; its pages were read as slices");
    return slices;
}

/// One directory for all planes, whose pixels follow each other.
std::optional<TiffStack> describeMetaMorph(const std::filesystem::path& path, tiff* file,
                                           std::int64_t pages, const TiffRoom& room) {
    const std::int64_t planes = privateTag(file, kMetaMorphPlanes).count;
    if (planes < 2 || pages != 1) {
        return std::nullopt;
    }
    TiffStack stack;
    stack.slices = static_cast<int>(std::min(planes, kMostPages));
    stack.oneDirectory = followTheFirst(path, room, planes);
    if (!stack.oneDirectory) {
        failInput(path, "it is a MetaMorph stack of " + std::to_string(planes) +
                            " planes that do not follow each other unpacked; save it as TIFF with "
                            "one page a plane");
    }
    stack.notes.push_back("it is a MetaMorph stack; its planes were read as slices");
    return stack;
}

std::optional<TiffStack> describeZeiss(tiff* file, std::int64_t pages) {
    const PrivateTag info = privateTag(file, kZeissInfo);
    constexpr std::size_t kLeast = 64;
    if (info.data == nullptr || info.count < kLeast) {
        return std::nullopt;
    }
    Bytes bytes(kLeast);
    std::memcpy(bytes.data(), info.data, kLeast);
    const auto whole = [&](std::size_t at) {
        return std::int64_t{field<std::int32_t>(bytes, at, kSwapped)};
    };
    TiffStack stack;
    const std::int64_t slices = whole(16);
    const std::int64_t frames = whole(24);
    stack.samplesAreChannels = true;
    if (slices < 1 || frames < 1 || cappedProduct(slices, frames) != pages) {
        stack.slices = static_cast<int>(pages);
        stack.notes.push_back("its Zeiss header gives " + std::to_string(slices) + " slices and " +
                              std::to_string(frames) +
                              " frames, which do not fit its pages; they "
                              "were read as slices");
    } else {
        stack.slices = static_cast<int>(slices);
        stack.frames = static_cast<int>(frames);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double metres = field<double>(bytes, 40 + 8 * axis, kSwapped);
        if (metres > 1e-12 && metres < 1) {
            stack.geometry.spacing[axis] = metres * 1e6;
            stack.geometry.unit = "um";
            stack.geometry.unitSource = base::UnitSource::Header;
        }
    }
    return stack;
}

} // namespace

std::optional<TiffStack> describeByProgram(const std::filesystem::path& path, tiff* file,
                                           const TiffTexts& texts, const TiffPage& page,
                                           std::int64_t pages, const TiffRoom& room) {
    if (auto stack = describeZeiss(file, pages)) {
        return stack;
    }
    if (auto stack = describeMetaMorph(path, file, pages, room)) {
        return stack;
    }
    return describeShaped(path, texts, page, pages, room);
}

} // namespace flcc::io::detail
