// PNG through libpng itself: its errors come back as sentences here, while ITK's reader lets a
// damaged header end the program and prints warnings to the screen.

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <png.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/exif.h"
#include "engine/io/raster/orientation.h"

namespace flcc::io::detail {

namespace {

/// An open file with libpng's state. The library reports an error by a long jump, which runs no
/// destructor: functions below that set one up hold plain values only, and everything that must be
/// released lies in here, in the caller's frame.
struct PngFile {
    explicit PngFile(bool forWriting) : writing(forWriting) {}
    ~PngFile() {
        if (writing) {
            ::png_destroy_write_struct(&png, &info);
        } else {
            ::png_destroy_read_struct(&png, &info, nullptr);
        }
        if (file != nullptr) {
            (void)std::fclose(file);
        }
    }
    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    bool writing;
    std::FILE* file = nullptr;
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::stop_token stop;
    std::array<char, 160> message{};
};

[[noreturn]] void onError(png_structp png, png_const_charp text) {
    auto& owner = *static_cast<PngFile*>(::png_get_error_ptr(png));
    (void)std::snprintf(owner.message.data(), owner.message.size(), "%s", text);
    std::longjmp(*::png_set_longjmp_fn(png, std::longjmp, sizeof(std::jmp_buf)), 1);
}

/// Raises a libpng error if cancelled; libpng can be left in no other way.
void leaveIfStopped(png_structp png, const PngFile& owner) {
    if (owner.stop.stop_requested()) {
        ::png_error(png, "stopped");
    }
}

/// libpng asks for some thousand packed bytes at a time: at most a few megabytes of pixels.
void readBlock(png_structp png, png_bytep target, std::size_t count) {
    auto& owner = *static_cast<PngFile*>(::png_get_io_ptr(png));
    leaveIfStopped(png, owner);
    if (std::fread(target, 1, count, owner.file) != count) {
        ::png_error(png, "the file ends early");
    }
}

void writeBlock(png_structp png, png_bytep source, std::size_t count) {
    auto& owner = *static_cast<PngFile*>(::png_get_io_ptr(png));
    leaveIfStopped(png, owner);
    if (std::fwrite(source, 1, count, owner.file) != count) {
        ::png_error(png, "it could not be written completely");
    }
}

void flushBlocks(png_structp png) {
    (void)std::fflush(static_cast<PngFile*>(::png_get_io_ptr(png))->file);
}

void onWarning(png_structp /*png*/, png_const_charp /*text*/) {}

[[noreturn]] void failPng(const std::filesystem::path& path, const PngFile& owner) {
    throwIfStopped(owner.stop);
    failInput(path, "the file is damaged (" + oneLine(owner.message.data()) + ")");
}

struct PngHeader {
    png_uint_32 width = 0;
    png_uint_32 height = 0;
    int bits = 0;
    int colour = 0;
    bool keyed = false; ///< colours that are transparent, or the opacities of a palette
};

bool readHeader(PngFile& owner, PngHeader& header) {
    if (setjmp(png_jmpbuf(owner.png)) != 0) {
        return false;
    }
    ::png_set_user_limits(owner.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // Texts, profiles and the like may unpack to far more than the pixels, and nothing here needs
    // them.
    ::png_set_keep_unknown_chunks(owner.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    ::png_set_read_fn(owner.png, &owner, readBlock);
    ::png_read_info(owner.png, owner.info);
    ::png_get_IHDR(owner.png, owner.info, &header.width, &header.height, &header.bits,
                   &header.colour, nullptr, nullptr, nullptr);
    header.keyed = ::png_get_valid(owner.png, owner.info, PNG_INFO_tRNS) != 0;
    return true;
}

/// Reads all rows, palettes as colours, transparent colours as opacity and fewer than 8 bits as 8;
/// our order of bytes.
bool readRows(PngFile& owner, png_bytepp rows, std::size_t expectedRowBytes) {
    if (setjmp(png_jmpbuf(owner.png)) != 0) {
        return false;
    }
    if (::png_get_color_type(owner.png, owner.info) == PNG_COLOR_TYPE_PALETTE) {
        ::png_set_palette_to_rgb(owner.png);
    } else if (::png_get_bit_depth(owner.png, owner.info) < 8) {
        ::png_set_expand_gray_1_2_4_to_8(owner.png);
    }
    if (::png_get_valid(owner.png, owner.info, PNG_INFO_tRNS) != 0) {
        ::png_set_tRNS_to_alpha(owner.png);
    }
    if constexpr (std::endian::native == std::endian::little) {
        ::png_set_swap(owner.png);
    }
    (void)::png_set_interlace_handling(owner.png);
    ::png_read_update_info(owner.png, owner.info);
    if (::png_get_rowbytes(owner.png, owner.info) != expectedRowBytes) {
        ::png_error(owner.png, "rows of an unexpected length");
    }
    ::png_read_image(owner.png, rows);
    ::png_read_end(owner.png, nullptr);
    return true;
}

bool writeRows(PngFile& owner, const PngHeader& header, std::int64_t pixelsPerMetre,
               png_bytepp rows) {
    if (setjmp(png_jmpbuf(owner.png)) != 0) {
        return false;
    }
    ::png_set_user_limits(owner.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    ::png_set_write_fn(owner.png, &owner, writeBlock, flushBlocks);
    ::png_set_IHDR(owner.png, owner.info, header.width, header.height, header.bits, header.colour,
                   PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (pixelsPerMetre > 0) {
        const auto resolution = static_cast<png_uint_32>(pixelsPerMetre);
        ::png_set_pHYs(owner.png, owner.info, resolution, resolution, PNG_RESOLUTION_METER);
    }
    ::png_write_info(owner.png, owner.info);
    if constexpr (std::endian::native == std::endian::little) {
        ::png_set_swap(owner.png);
    }
    ::png_write_image(owner.png, rows);
    ::png_write_end(owner.png, nullptr);
    return true;
}

std::uint32_t bigEndian32(const unsigned char* bytes) {
    return (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
           (std::uint32_t{bytes[2]} << 8) | bytes[3];
}

/// What blocks beside the pixels say.
struct PngBlocks {
    std::optional<std::uint32_t> orientation;
    std::optional<Resolution> resolution;
    bool damagedExif = false;
    std::uint32_t animated = 0; ///< pictures of an animation
    bool apart = true;          ///< the picture that is read is none of them
};

/// The content of a block of `length` bytes where the file stands; empty if its checksum is wrong.
std::vector<unsigned char> contentOf(std::ifstream& file, std::uint32_t length,
                                     const unsigned char* name) {
    std::vector<unsigned char> content(std::size_t{length} + 4);
    if (!file.read(reinterpret_cast<char*>(content.data()),
                   static_cast<std::streamsize>(content.size()))) {
        return {};
    }
    const uLong sum = ::crc32(::crc32(0, name, 4), content.data(), length);
    const std::uint32_t stated = bigEndian32(content.data() + length);
    content.resize(length);
    return sum == stated ? content : std::vector<unsigned char>{};
}

/// Walks from block to block to the last one, so that a cut file is known before it is unpacked.
/// **Errors**: Input.
PngBlocks walkBlocks(const std::filesystem::path& path) {
    const std::int64_t size = requireRegularFile(path);
    constexpr std::uint32_t kMostExif = 1 << 20; // in JPEG files it has at most 64 KiB
    std::ifstream file = base::openFile(path);
    std::array<unsigned char, 8> head{};
    PngBlocks blocks;
    bool pixels = false;
    for (std::int64_t at = 8; at + 12 <= size;) {
        file.seekg(at);
        if (!file.read(reinterpret_cast<char*>(head.data()), 8)) {
            break;
        }
        const std::uint32_t length = bigEndian32(head.data());
        at += 12 + std::int64_t{length};
        const auto named = [&](std::string_view name) {
            return std::equal(head.begin() + 4, head.end(), name.begin());
        };
        if (named("IEND") && at <= size) {
            return blocks;
        }
        if (named("eXIf") && at <= size && !blocks.orientation) {
            const std::vector<unsigned char> content =
                length > kMostExif ? std::vector<unsigned char>{}
                                   : contentOf(file, length, head.data() + 4);
            const std::optional<Exif> exif = parseExif(content);
            blocks.damagedExif = !exif;
            blocks.orientation = exif ? exif->orientation : std::nullopt;
        } else if (named("acTL") && length == 8 && at <= size) {
            const std::vector<unsigned char> content = contentOf(file, length, head.data() + 4);
            blocks.animated = content.empty() ? 0 : bigEndian32(content.data());
        } else if (named("fcTL") && !pixels) {
            blocks.apart = false;
        } else if (named("IDAT")) {
            pixels = true;
        } else if (named("pHYs") && length == 9 && at <= size) {
            const std::vector<unsigned char> content = contentOf(file, length, head.data() + 4);
            if (!content.empty() && content[8] == 1) { // pixels on a metre
                blocks.resolution =
                    resolutionOf(bigEndian32(content.data()), bigEndian32(content.data() + 4), 1e3);
            }
        }
    }
    failInput(path, "the file is truncated or damaged");
}

/// An open file and what it says. `stored` are the properties of its rows.
struct OpenPng {
    ImageInfo stored;
    ImageInfo info;
    Turn turn;
};

OpenPng openPng(const std::filesystem::path& path, PngFile& owner, const Reading& reading) {
    const PngBlocks blocks = walkBlocks(path);
    owner.file = std::fopen(path.c_str(), "rb");
    if (owner.file == nullptr) {
        failInput(path, errno);
    }
    owner.png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, &owner, onError, onWarning);
    owner.info = owner.png == nullptr ? nullptr : ::png_create_info_struct(owner.png);
    PngHeader header;
    if (owner.file == nullptr || owner.info == nullptr || !readHeader(owner, header)) {
        failPng(path, owner);
    }
    // No PNG packs more than 1032 bytes into one.
    const std::int64_t bits = std::int64_t{header.bits} * ::png_get_channels(owner.png, owner.info);
    const std::int64_t packed = (header.width * bits + 7) / 8 + 1; // a row and its filter
    if (cappedProduct(packed, header.height) / 1040 > requireRegularFile(path)) {
        failInput(path, "its header promises more pixels than the file can hold");
    }
    ImageInfo info;
    info.format = name(Format::Png);
    info.extents = {header.width, header.height, 1};
    info.pixel = header.bits == 16 ? base::PixelType::UInt16 : base::PixelType::UInt8;
    switch (header.colour) {
    case PNG_COLOR_TYPE_GRAY:
        info.components = 1;
        break;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        info.components = 2;
        break;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        info.components = 4;
        break;
    default:
        info.components = 3;
        break;
    }
    info.components += header.keyed && info.components % 2 == 1 ? 1 : 0;
    requireSaneHeader(path, info);
    OpenPng open{info, info, {}};
    open.turn = place(open.info, blocks.orientation, "EXIF", blocks.resolution, reading);
    if (blocks.damagedExif) {
        open.info.notes.emplace_back("its EXIF block is damaged and was ignored");
    }
    if (blocks.animated > 0) {
        const std::string count = std::to_string(blocks.animated);
        open.info.notes.push_back(
            blocks.apart ? "its still picture; the " + count + " of its animation are not read"
                         : "the first of its " + count + " pictures; the others are not read");
    }
    return open;
}

} // namespace

ImageInfo pngInfo(const std::filesystem::path& path, const Reading& reading) {
    PngFile owner(false);
    return openPng(path, owner, reading).info;
}

namespace {

/// Bytes that reading takes beside the planes: the pixels of a colour image with their components
/// side by side, or of an image that is turned, the addresses of the rows, and libpng's rows of up
/// to 8 bytes a pixel.
std::int64_t bufferBytes(const ImageInfo& info, bool turned) {
    const std::int64_t together =
        info.components == 1 && !turned
            ? 0
            : base::byteCount(info.extents, info.components * base::bytesPerVoxel(info.pixel));
    constexpr std::int64_t kRows = 4;
    return cappedSum(together,
                     info.extents.y * std::int64_t{sizeof(png_bytep)} + info.extents.x * kRows * 8);
}

} // namespace

namespace {

/// Copies component `component` of a row of the file to its place in `plane`.
void spreadRow(const base::AnyImage& rows, const ImageInfo& stored, std::int64_t y, int component,
               const Turn& turn, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Image = std::remove_cvref_t<decltype(image)>;
            const auto* source = std::get<Image>(rows).view().row(y, 0) + component;
            auto* const target = image.data() + turn.origin + y * turn.stepY;
            for (std::int64_t x = 0; x < stored.extents.x; ++x) {
                target[x * turn.stepX] = source[x * stored.components];
            }
        },
        plane);
}

} // namespace

LoadedImage readPng(const std::filesystem::path& path, const ReadOptions& options) {
    PngFile owner(false);
    owner.stop = options.stop;
    OpenPng open = openPng(path, owner, options.reading);
    const ImageInfo& stored = open.stored;
    const bool turned = open.turn.transposes || open.turn.stepX != 1 || open.turn.origin != 0;
    (void)choose(path, open.info, options, bufferBytes(stored, turned));
    base::AnyImage all =
        base::makeImage(stored.pixel, {stored.extents.x * stored.components, stored.extents.y, 1});
    const auto rowBytes = static_cast<std::size_t>(stored.extents.x * stored.components *
                                                   base::bytesPerVoxel(stored.pixel));
    std::vector<png_bytep> rows;
    rows.reserve(static_cast<std::size_t>(stored.extents.y));
    for (std::int64_t y = 0; y < stored.extents.y; ++y) {
        rows.push_back(static_cast<png_bytep>(bytesOf(all)) +
                       static_cast<std::size_t>(y) * rowBytes);
    }
    if (!readRows(owner, rows.data(), rowBytes)) {
        failPng(path, owner);
    }
    LoadedImage loaded;
    loaded.info = std::move(open.info);
    if (stored.components == 1 && !turned) {
        loaded.components.push_back(std::move(all));
        return loaded;
    }
    for (int component = 0; component < stored.components; ++component) {
        loaded.components.push_back(base::makeImage(stored.pixel, loaded.info.extents));
        for (std::int64_t y = 0; y < stored.extents.y; ++y) {
            throwIfStopped(options.stop);
            spreadRow(all, stored, y, component, open.turn, loaded.components.back());
        }
    }
    return loaded;
}

namespace {

/// Writes to the open file of `owner` and closes it; `target` is for errors. **Errors**: Output.
void writePngTo(PngFile& owner, const std::filesystem::path& target, const PngRows& image) {
    const PngHeader header{static_cast<png_uint_32>(image.width),
                           static_cast<png_uint_32>(image.height), 8 * image.bytesPerComponent,
                           image.components == 1   ? PNG_COLOR_TYPE_GRAY
                           : image.components == 3 ? PNG_COLOR_TYPE_RGB
                                                   : PNG_COLOR_TYPE_RGB_ALPHA};
    // libpng does not change the pixels that it writes, but its interface has no const.
    auto* first = static_cast<png_bytep>(const_cast<void*>(image.pixels));
    std::vector<png_bytep> rows;
    for (std::int64_t y = 0; y < image.height; ++y) {
        rows.push_back(first + y * image.rowBytes);
    }
    owner.png = ::png_create_write_struct(PNG_LIBPNG_VER_STRING, &owner, onError, onWarning);
    owner.info = owner.png == nullptr ? nullptr : ::png_create_info_struct(owner.png);
    if (owner.info == nullptr || !writeRows(owner, header, image.pixelsPerMetre, rows.data())) {
        throwIfStopped(owner.stop);
        failOutput(target, oneLine(owner.message.data()));
    }
    std::FILE* file = owner.file;
    owner.file = nullptr;
    if (std::fclose(file) != 0) {
        failOutput(target, "it could not be written completely");
    }
}

} // namespace

void writePng(const std::filesystem::path& path, const std::filesystem::path& target,
              const PngRows& image, const std::stop_token& stop) {
    if (image.width > PNG_UINT_31_MAX || image.height > PNG_UINT_31_MAX) {
        failOutput(target, "a PNG file has at most 2147483647 pixels in a row");
    }
    PngFile owner(true);
    owner.stop = stop;
    owner.file = std::fopen(path.c_str(), "wb");
    if (owner.file == nullptr) {
        failOutput(target, errno);
    }
    writePngTo(owner, target, image);
}

std::vector<unsigned char> pngBytes(const PngRows& image) {
    struct Memory {
        ~Memory() { std::free(bytes); }
        char* bytes = nullptr;
        std::size_t count = 0;
    } memory;
    PngFile owner(true);
    owner.file = ::open_memstream(&memory.bytes, &memory.count);
    if (owner.file == nullptr) {
        throw std::bad_alloc();
    }
    writePngTo(owner, "a picture", image);
    return {memory.bytes, memory.bytes + memory.count};
}

} // namespace flcc::io::detail
