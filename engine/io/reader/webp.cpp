// The first picture of a WebP file through libwebp.

#include <fstream>
#include <memory>
#include <vector>

#include <webp/decode.h>
#include <webp/demux.h>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/raster/exif.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

std::vector<std::uint8_t> bytesOf(const std::filesystem::path& path) {
    constexpr std::uintmax_t kMost = std::uintmax_t{1} << 32; // the length field has 32 bits
    const std::uintmax_t size = std::filesystem::file_size(path);
    if (size > kMost) {
        refuse("a WebP file of " + std::to_string(size) +
               " bytes is larger than the format allows");
    }
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    std::ifstream stream = base::openFile(path);
    if (!stream.read(reinterpret_cast<char*>(bytes.data()),
                     static_cast<std::streamsize>(bytes.size()))) {
        refuse("the WebP file cannot be read");
    }
    return bytes;
}

/// The orientation in the EXIF block of the file, if there is one.
std::optional<std::uint32_t> orientationOf(const WebPDemuxer* file) {
    WebPChunkIterator chunk{};
    std::optional<std::uint32_t> orientation;
    if (WebPDemuxGetChunk(file, "EXIF", 1, &chunk) != 0) {
        const auto exif = parseExif({chunk.chunk.bytes, chunk.chunk.size});
        orientation = exif ? exif->orientation : std::nullopt;
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    return orientation;
}

/// Refuses a canvas that the file cannot mean. One picture of a file has at most 16384 x 16384
/// pixels, and a picture of one colour may take 30 bytes, so that a canvas as large as its first
/// picture is always read. Pictures on a larger canvas come one after another; 65536 pixels for
/// each byte of the file are far above those of any writer.
void requireCanvas(const base::Extents& canvas, const WebPIterator& first, std::int64_t bytes) {
    constexpr std::int64_t kAnyRatio = 1 << 16;
    const std::int64_t beside =
        base::voxelCount(canvas) - std::int64_t{first.width} * std::int64_t{first.height};
    if (beside / kAnyRatio > bytes) {
        refuse("its " + std::to_string(bytes) + " bytes cannot fill its canvas of " +
               base::toString(canvas) + "; the file is damaged");
    }
}

} // namespace

void answerWebP(const Request& request, ReaderAnswer& answer) {
    const std::vector<std::uint8_t> bytes = bytesOf(request.path);
    const WebPData data{bytes.data(), bytes.size()};
    const std::unique_ptr<WebPDemuxer, void (*)(WebPDemuxer*)> file(WebPDemux(&data),
                                                                    WebPDemuxDelete);
    WebPIterator first{};
    if (!file || WebPDemuxGetFrame(file.get(), 1, &first) == 0) {
        refuse("the WebP file is truncated or damaged");
    }
    const std::unique_ptr<WebPIterator, void (*)(WebPIterator*)> release(&first,
                                                                         WebPDemuxReleaseIterator);
    const std::int64_t width = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH);
    const std::int64_t height = WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT);
    const std::uint32_t pictures = WebPDemuxGetI(file.get(), WEBP_FF_FRAME_COUNT);
    FoundImage found;
    found.extents = {width, height, 1};
    requireCanvas(found.extents, first, static_cast<std::int64_t>(bytes.size()));
    found.orientation = orientationOf(file.get());
    const bool whole = first.width == width && first.height == height;
    found.components = first.has_alpha != 0 || !whole ? 4 : 3;
    if (pictures > 1) {
        found.notes.push_back("the first of its " + std::to_string(pictures) +
                              " pictures; the others are not read");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (!sends) {
        return;
    }
    const std::int64_t row = width * found.components;
    std::vector<std::uint8_t> canvas(
        static_cast<std::size_t>(base::byteCount(found.extents, found.components)));
    std::uint8_t* const out =
        canvas.data() + first.y_offset * row + std::int64_t{first.x_offset} * found.components;
    const std::size_t room = canvas.size() - static_cast<std::size_t>(out - canvas.data());
    const auto* const decoded = found.components == 4
                                    ? WebPDecodeRGBAInto(first.fragment.bytes, first.fragment.size,
                                                         out, room, static_cast<int>(row))
                                    : WebPDecodeRGBInto(first.fragment.bytes, first.fragment.size,
                                                        out, room, static_cast<int>(row));
    if (decoded == nullptr) {
        refuse("the pixels of the WebP file are truncated or damaged");
    }
    answer.voxels(canvas.data(), static_cast<std::int64_t>(canvas.size()));
}

} // namespace flcc::io::detail
