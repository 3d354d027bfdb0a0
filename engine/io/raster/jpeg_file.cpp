// JPEG through libjpeg itself: it can be interrupted between rows and between the scans of a
// progressive file, and its errors come back as sentences.

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <jpeglib.h>
// The headers that jerror.h needs come first.
#include <jerror.h>

#include "engine/base/error.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/exif.h"
#include "engine/io/raster/orientation.h"

namespace flcc::io::detail {

namespace {

/// An open file with libjpeg's state. The library reports an error by a long jump, which runs no
/// destructor: functions below that set one up hold plain values only, and everything that must be
/// released lies in here, in the caller's frame.
struct JpegFile {
    JpegFile() = default;
    ~JpegFile() {
        ::jpeg_destroy_decompress(&state);
        if (file != nullptr) {
            (void)std::fclose(file);
        }
    }
    JpegFile(const JpegFile&) = delete;
    JpegFile& operator=(const JpegFile&) = delete;

    std::stop_token stop;
    bool stopped = false;
    std::FILE* file = nullptr;
    jpeg_decompress_struct state{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf back{};
    std::array<char, JMSG_LENGTH_MAX> message{};
};

JpegFile& ownerOf(j_common_ptr state) { return *static_cast<JpegFile*>(state->client_data); }

[[noreturn]] void onError(j_common_ptr state) {
    JpegFile& owner = ownerOf(state);
    state->err->format_message(state, owner.message.data());
    std::longjmp(owner.back, 1);
}

/// Warnings about a truncated file or invalid bits are errors here; warnings about oddities that
/// change no pixel are ignored.
void onMessage(j_common_ptr state, int /*level*/) {
    switch (state->err->msg_code) {
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
    case JWRN_NOT_SEQUENTIAL:
        onError(state);
    default:
        break;
    }
}

/// Called for rows and, in progressive files, while the scans are taken in.
void onProgress(j_common_ptr state) {
    JpegFile& owner = ownerOf(state);
    if (owner.stop.stop_requested()) {
        owner.stopped = true;
        std::longjmp(owner.back, 1);
    }
}

bool readHeader(JpegFile& owner) {
    if (setjmp(owner.back) != 0) {
        return false;
    }
    ::jpeg_create_decompress(&owner.state);
    owner.state.progress = &owner.progress;
    ::jpeg_stdio_src(&owner.state, owner.file);
    (void)::jpeg_read_header(&owner.state, TRUE);
    if (owner.state.jpeg_color_space == JCS_YCCK) {
        owner.state.out_color_space = JCS_CMYK;
    }
    ::jpeg_calc_output_dimensions(&owner.state);
    return true;
}

bool start(JpegFile& owner) {
    if (setjmp(owner.back) != 0) {
        return false;
    }
    return ::jpeg_start_decompress(&owner.state) != 0;
}

bool readRow(JpegFile& owner, unsigned char* row) {
    if (setjmp(owner.back) != 0) {
        return false;
    }
    return ::jpeg_read_scanlines(&owner.state, &row, 1) == 1;
}

bool finish(JpegFile& owner) {
    if (setjmp(owner.back) != 0) {
        return false;
    }
    return ::jpeg_finish_decompress(&owner.state) != 0;
}

void require(bool good, const std::filesystem::path& path, const JpegFile& owner) {
    if (owner.stopped) {
        throw Stopped{};
    }
    if (!good) {
        failInput(path, "the file is truncated, damaged or not supported (" +
                            oneLine(owner.message.data()) + ")");
    }
}

/// Bytes of a file in order, a block at a time.
class FileBytes {
  public:
    FileBytes(const std::filesystem::path& path, const std::stop_token& stop)
        : m_file(path, 0, nullptr, stop), m_block(1 << 16) {}

    /// The next byte, or -1 at the end.
    int next() {
        if (m_at == m_filled) {
            m_filled = m_file.read(m_block.data(), static_cast<std::int64_t>(m_block.size()));
            m_at = 0;
        }
        return m_at < m_filled ? m_block[static_cast<std::size_t>(m_at++)] : -1;
    }
    std::vector<unsigned char> take(std::int64_t count) {
        std::vector<unsigned char> bytes;
        for (int byte = 0; std::ssize(bytes) < count && (byte = next()) >= 0;) {
            bytes.push_back(static_cast<unsigned char>(byte));
        }
        return bytes;
    }
    void skip(std::int64_t count) {
        const std::int64_t here = std::min(count, m_filled - m_at);
        m_at += here;
        m_file.skip(count - here);
    }

  private:
    FileStream m_file;
    std::vector<unsigned char> m_block;
    std::int64_t m_at = 0;
    std::int64_t m_filled = 0;
};

/// What the segments of a file say before it is decoded.
struct Segments {
    std::int64_t scans = 0;
    std::optional<Exif> exif; ///< of the first block that can be read
    bool damagedExif = false; ///< a block cannot be read
};

/// Walks the segments to the end mark, so that a truncated file is known before it is decoded.
/// **Errors**: Input when there is no end mark.
Segments walkSegments(const std::filesystem::path& path, const std::stop_token& stop) {
    constexpr int kEnd = 0xd9;
    constexpr int kScan = 0xda;
    constexpr int kApplication1 = 0xe1; // EXIF, or another block such as XMP
    Segments found;
    FileBytes bytes(path, stop);
    bytes.skip(2);
    std::int64_t& scans = found.scans;
    int byte = bytes.next();
    while (byte >= 0) {
        if (byte != 0xff) {
            byte = bytes.next();
            continue;
        }
        const int mark = bytes.next();
        // Inside a scan only FF xx (not 00, not a restart) ends the entropy-coded data.
        if (mark == 0xff || (scans > 0 && (mark == 0 || (mark >= 0xd0 && mark < 0xd8)))) {
            byte = mark;
            continue;
        }
        if (mark == kEnd) {
            return found;
        }
        const int high = bytes.next();
        const int low = bytes.next();
        if (low < 0) {
            break;
        }
        const int length = std::max(0, high * 256 + low - 2);
        if (mark == kApplication1 && scans == 0 && !found.exif) {
            const std::vector<unsigned char> block = bytes.take(length);
            constexpr std::string_view kExif = "Exif";
            found.exif = parseExif(block);
            found.damagedExif =
                found.damagedExif || (!found.exif && block.size() >= kExif.size() &&
                                      std::equal(kExif.begin(), kExif.end(), block.begin()));
        } else {
            bytes.skip(length);
        }
        scans += mark == kScan ? 1 : 0;
        byte = bytes.next();
    }
    failInput(path, "the file is truncated");
}

/// Number of 8x8 blocks of all components; `padded` as libjpeg keeps them.
std::int64_t blockCount(const jpeg_decompress_struct& state, bool padded) {
    const auto length = [padded](std::int64_t count, std::int64_t step) {
        return padded ? (count + step - 1) / step * step : count;
    };
    std::int64_t blocks = 0;
    for (int i = 0; i < state.num_components; ++i) {
        const jpeg_component_info& component = state.comp_info[i];
        blocks += length(component.width_in_blocks, component.h_samp_factor) *
                  length(component.height_in_blocks, component.v_samp_factor);
    }
    return blocks;
}

/// Time and memory of decoding must be in proportion to the file.
void requireProportion(const std::filesystem::path& path, const jpeg_decompress_struct& state,
                       std::int64_t scans) {
    const std::int64_t size = requireRegularFile(path);
    const std::int64_t blocks = blockCount(state, false);
    // A Huffman code has at least one bit, and each block has one for its mean; an arithmetic code
    // may have far less.
    const std::int64_t blocksPerByte = state.arith_code != 0 ? 1024 : 8;
    if (blocks / blocksPerByte > size) {
        failInput(path, "its header promises more pixels than the file can hold");
    }
    // A scan passes over all blocks, whatever it changes. Encoders write about ten.
    constexpr std::int64_t kScans = 100;
    if (scans > kScans && cappedProduct(scans, blocks) / (kScans * 8) > size) {
        failInput(path, "it has " + std::to_string(scans) + " scans; a file of " +
                            std::to_string(size) + " bytes may have at most " +
                            std::to_string(std::max(kScans, kScans * 8 * size / blocks)));
    }
}

/// Bytes that libjpeg takes to decode.
std::int64_t bufferBytes(jpeg_decompress_struct& state) {
    std::int64_t rows = 0;
    for (int i = 0; i < state.num_components; ++i) {
        const jpeg_component_info& component = state.comp_info[i];
        // Two rows of blocks, and one row of pixels at full width for each row of samples.
        rows += std::int64_t{component.width_in_blocks} * component.v_samp_factor * 64 * 2 +
                std::int64_t{state.output_width} * state.max_v_samp_factor;
    }
    // Where a component comes in several scans, all coefficients are kept.
    const bool whole = ::jpeg_has_multiple_scans(&state) != 0;
    return rows + (whole ? blockCount(state, true) * static_cast<std::int64_t>(sizeof(JBLOCK)) : 0);
}

std::optional<Resolution> jfifResolution(const jpeg_decompress_struct& state) {
    constexpr int kInch = 1;
    constexpr int kCentimetre = 2;
    const int unit = state.saw_JFIF_marker != 0 ? int{state.density_unit} : 0;
    const double length = unit == kInch ? 25.4 : unit == kCentimetre ? 10 : 0;
    return resolutionOf(state.X_density, state.Y_density, length);
}

struct OpenJpeg {
    ImageInfo info;
    Turn turn; ///< of the rows of the file
};

OpenJpeg openJpeg(const std::filesystem::path& path, JpegFile& owner, const std::stop_token& stop,
                  const Reading& reading) {
    const Segments segments = walkSegments(path, stop);
    owner.stop = stop;
    owner.state.err = ::jpeg_std_error(&owner.errors);
    owner.errors.error_exit = onError;
    owner.errors.emit_message = onMessage;
    owner.state.client_data = &owner;
    owner.progress.progress_monitor = onProgress;
    owner.file = std::fopen(path.c_str(), "rb");
    if (owner.file == nullptr) {
        failInput(path, errno);
    }
    require(readHeader(owner), path, owner);
    ImageInfo info;
    info.format = name(Format::Jpeg);
    info.extents = {owner.state.output_width, owner.state.output_height, 1};
    // Four inks become three colours.
    info.components = owner.state.output_components == 1 ? 1 : 3;
    if (owner.state.output_components != 1 && owner.state.output_components != 3 &&
        owner.state.out_color_space != JCS_CMYK) {
        failInput(path, "its pixels have " + std::to_string(owner.state.output_components) +
                            " components, which cannot be read");
    }
    requireSaneHeader(path, info);
    requireProportion(path, owner.state, segments.scans);
    const auto orientation = segments.exif ? segments.exif->orientation : std::nullopt;
    const Turn turn = place(info, orientation, "EXIF", jfifResolution(owner.state), reading);
    if (segments.damagedExif && !segments.exif) {
        info.notes.emplace_back("its EXIF block is damaged and was ignored");
    }
    return {std::move(info), turn};
}

/// One row of the file to its place in every plane.
void spread(const JpegFile& owner, const std::vector<unsigned char>& row, std::int64_t y,
            const Turn& turn, std::vector<base::AnyImage>& planes) {
    const auto step = static_cast<std::size_t>(owner.state.output_components);
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
        auto& image = std::get<base::Image<std::uint8_t>>(planes[plane]);
        std::uint8_t* const target = image.data() + turn.origin + y * turn.stepY;
        for (std::size_t x = 0; x < owner.state.output_width; ++x) {
            const unsigned value = row[x * step + plane];
            // Adobe writes inks as the light they let through.
            target[static_cast<std::int64_t>(x) * turn.stepX] = static_cast<std::uint8_t>(
                step == 4 ? value * unsigned{row[x * step + 3]} / 255U : value);
        }
    }
}

} // namespace

ImageInfo jpegInfo(const std::filesystem::path& path, const std::stop_token& stop,
                   const Reading& reading) {
    JpegFile owner;
    return openJpeg(path, owner, stop, reading).info;
}

LoadedImage readJpeg(const std::filesystem::path& path, const ReadOptions& options) {
    JpegFile owner;
    LoadedImage loaded;
    auto [info, turn] = openJpeg(path, owner, options.stop, options.reading);
    loaded.info = std::move(info);
    (void)choose(path, loaded.info, options, bufferBytes(owner.state));
    require(start(owner), path, owner);
    for (int plane = 0; plane < loaded.info.components; ++plane) {
        loaded.components.push_back(base::makeImage(loaded.info.pixel, loaded.info.extents));
    }
    std::vector<unsigned char> row(static_cast<std::size_t>(owner.state.output_width) *
                                   static_cast<std::size_t>(owner.state.output_components));
    for (std::int64_t y = 0; y < owner.state.output_height; ++y) {
        require(readRow(owner, row.data()), path, owner);
        spread(owner, row, y, turn, loaded.components);
    }
    require(finish(owner), path, owner);
    return loaded;
}

} // namespace flcc::io::detail
