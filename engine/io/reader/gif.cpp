// The first picture of a GIF file through giflib.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <gif_lib.h>

#include "engine/base/error.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using File = std::unique_ptr<GifFileType, int (*)(GifFileType*)>;

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

File openGif(const std::filesystem::path& path) {
    const auto close = [](GifFileType* file) { return DGifCloseFile(file, nullptr); };
    int error = 0;
    File file(DGifOpenFileName(path.c_str(), &error), close);
    if (!file) {
        refuse("the GIF file is truncated or damaged in its header");
    }
    return file;
}

/// Skips the data of a picture.
bool skipPicture(GifFileType* file) {
    int size = 0;
    GifByteType* block = nullptr;
    bool good = DGifGetCode(file, &size, &block) == GIF_OK;
    while (good && block != nullptr) {
        good = DGifGetCodeNext(file, &block) == GIF_OK;
    }
    return good;
}

/// Goes on to the next picture and reads its description. **Returns** false at the end of the file
/// or where it is damaged; `damaged` says which. `transparent` is the index of no colour, or -1.
bool nextPicture(GifFileType* file, int& transparent, bool& damaged) {
    damaged = true;
    for (GifRecordType kind{}; DGifGetRecordType(file, &kind) == GIF_OK;) {
        if (kind == TERMINATE_RECORD_TYPE) {
            damaged = false;
            return false;
        }
        if (kind == IMAGE_DESC_RECORD_TYPE) {
            const bool good = DGifGetImageDesc(file) == GIF_OK;
            damaged = !good;
            return good;
        }
        int code = 0;
        GifByteType* block = nullptr;
        bool good = DGifGetExtension(file, &code, &block) == GIF_OK;
        while (good && block != nullptr) {
            GraphicsControlBlock control{};
            if (code == GRAPHICS_EXT_FUNC_CODE && block[0] == 4 &&
                DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
                transparent = control.TransparentColor;
            }
            good = DGifGetExtensionNext(file, &block) == GIF_OK;
        }
        if (!good) {
            return false;
        }
    }
    return false;
}

/// The first picture of the file, and where it lies.
struct First {
    base::Extents canvas;
    base::Extents size;
    std::int64_t left = 0;
    std::int64_t top = 0;
    bool interlaced = false;
    std::vector<GifColorType> colours;
    int transparent = -1;
    bool grey = true;
    bool opaque = false; ///< it covers the canvas without a hole
};

First describe(const GifFileType& file, int transparent) {
    const GifImageDesc& picture = file.Image;
    const ColorMapObject* map = picture.ColorMap != nullptr ? picture.ColorMap : file.SColorMap;
    First first;
    first.size = {picture.Width, picture.Height, 1};
    first.left = picture.Left;
    first.top = picture.Top;
    if (picture.Width < 1 || picture.Height < 1 || picture.Left < 0 || picture.Top < 0) {
        refuse("its first picture has the extents " + base::toString(first.size));
    }
    if (map == nullptr || map->ColorCount < 1) {
        refuse("the GIF file has no table of colours");
    }
    first.canvas = {std::max<std::int64_t>(file.SWidth, first.left + first.size.x),
                    std::max<std::int64_t>(file.SHeight, first.top + first.size.y), 1};
    first.interlaced = picture.Interlace;
    first.colours.assign(map->Colors, map->Colors + map->ColorCount);
    first.transparent = transparent;
    first.grey = std::all_of(first.colours.begin(), first.colours.end(), [](const auto& colour) {
        return colour.Red == colour.Green && colour.Green == colour.Blue;
    });
    first.opaque = transparent < 0 && first.size == first.canvas;
    return first;
}

/// Rows of an interlaced picture in the order in which they are stored.
std::vector<std::int64_t> rowsOf(const First& first) {
    std::vector<std::int64_t> rows;
    const std::array<std::array<std::int64_t, 2>, 4> passes{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    for (const auto& [begin, step] : passes) {
        for (std::int64_t row = begin; first.interlaced && row < first.size.y; row += step) {
            rows.push_back(row);
        }
    }
    for (std::int64_t row = 0; !first.interlaced && row < first.size.y; ++row) {
        rows.push_back(row);
    }
    return rows;
}

void sendFirst(GifFileType* file, const First& first, int components, ReaderAnswer& answer) {
    const std::int64_t rowBytes = first.canvas.x * components;
    std::vector<unsigned char> canvas(
        static_cast<std::size_t>(base::byteCount(first.canvas, components)));
    std::vector<GifPixelType> indices(static_cast<std::size_t>(first.size.x));
    for (const std::int64_t row : rowsOf(first)) {
        if (DGifGetLine(file, indices.data(), static_cast<int>(first.size.x)) != GIF_OK) {
            refuse("the first picture of the GIF file is truncated or damaged");
        }
        unsigned char* out = canvas.data() + (first.top + row) * rowBytes + first.left * components;
        for (const GifPixelType index : indices) {
            if (index >= first.colours.size()) {
                refuse("the first picture of the GIF file has colours that its table lacks");
            }
            const GifColorType& colour = first.colours[index];
            *out++ = colour.Red;
            if (!first.grey) {
                *out++ = colour.Green;
                *out++ = colour.Blue;
            }
            if (!first.opaque) {
                *out++ = static_cast<int>(index) == first.transparent ? 0 : 255;
            }
        }
    }
    answer.voxels(canvas.data(), static_cast<std::int64_t>(canvas.size()));
}

} // namespace

void answerGif(const Request& request, ReaderAnswer& answer) {
    constexpr std::int64_t kMostPixelsOfByte = 4096; // longest sequence of a code of LZW
    File file = openGif(request.path);
    int transparent = -1;
    bool damaged = false;
    if (!nextPicture(file.get(), transparent, damaged)) {
        refuse(damaged ? "the GIF file is truncated or damaged before its first picture"
                       : "the GIF file holds no picture");
    }
    const First first = describe(*file, transparent);
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.path));
    if (base::voxelCount(first.size) / kMostPixelsOfByte > bytes) {
        refuse("the GIF file is truncated; its " + std::to_string(bytes) +
               " bytes cannot hold a picture of " + base::toString(first.size));
    }
    // The first picture may be smaller than its canvas, which is then filled by others.
    if (base::voxelCount(first.canvas) / kMostPixelsOfByte > bytes) {
        refuse("the " + std::to_string(bytes) +
               " bytes of the GIF file cannot fill its canvas of " + base::toString(first.canvas) +
               "; it is truncated or damaged");
    }
    bool good = skipPicture(file.get());
    std::int64_t pictures = 1;
    int ignored = -1;
    while (good && nextPicture(file.get(), ignored, damaged)) {
        good = skipPicture(file.get());
        pictures += good ? 1 : 0;
    }
    FoundImage found;
    found.extents = first.canvas;
    found.components = (first.grey ? 1 : 3) + (first.opaque ? 0 : 1);
    if (pictures > 1) {
        found.notes.push_back("the first of its " + std::to_string(pictures) +
                              " pictures; the others are not read");
    }
    if (!good || damaged) {
        found.notes.emplace_back("the file is truncated or damaged behind a picture");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (sends) {
        file = openGif(request.path);
        if (!nextPicture(file.get(), transparent, damaged)) {
            refuse("the GIF file changed while it was read");
        }
        sendFirst(file.get(), first, found.components, answer);
    }
}

} // namespace flcc::io::detail
