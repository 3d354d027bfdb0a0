// JPEG through libjpeg itself: it can be interrupted between rows and between the scans of a
// progressive file, and its errors come back as sentences.

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <jpeglib.h>
// The headers that jerror.h needs come first.
#include <jerror.h>

#include "engine/base/error.h"
#include "engine/io/detail/backends.h"
#include "engine/io/detail/raw_file.h"

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

/// Walks the segments to the end mark, so that a cut file is known before it is unpacked.
void requireWholeFile(const std::filesystem::path& path, const std::stop_token& stop) {
    const std::int64_t size = requireRegularFile(path);
    const std::vector<unsigned char> bytes = readBytes(path, 0, size);
    std::size_t at = 2;
    bool scan = false; // inside entropy-coded data, where only FF xx (not 00, not RST) ends it
    for (std::size_t steps = 0; at + 1 < bytes.size(); ++steps) {
        if (steps % (1U << 20U) == 0) {
            throwIfStopped(stop);
        }
        const unsigned mark = bytes[at + 1];
        if (bytes[at] != 0xff || mark == 0xff || (scan && (mark == 0 || (mark & 0xf8U) == 0xd0))) {
            ++at;
            continue;
        }
        if (mark == 0xd9) {
            return;
        }
        if (at + 3 >= bytes.size()) {
            break;
        }
        at += 2U + static_cast<std::size_t>(bytes[at + 2] * 256 + bytes[at + 3]);
        scan = mark == 0xda;
    }
    failInput(path, "the file is truncated");
}

ImageInfo openJpeg(const std::filesystem::path& path, JpegFile& owner,
                   const std::stop_token& stop) {
    requireWholeFile(path, stop);
    owner.stop = stop;
    owner.state.err = ::jpeg_std_error(&owner.errors);
    owner.errors.error_exit = onError;
    owner.errors.emit_message = onMessage;
    owner.state.client_data = &owner;
    owner.progress.progress_monitor = onProgress;
    owner.file = std::fopen(path.c_str(), "rb");
    require(owner.file != nullptr && readHeader(owner), path, owner);
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
    return info;
}

/// One row of the file to one row of every plane.
void spread(const JpegFile& owner, const std::vector<unsigned char>& row, std::int64_t y,
            std::vector<base::AnyImage>& planes) {
    const auto step = static_cast<std::size_t>(owner.state.output_components);
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
        auto& image = std::get<base::Image<std::uint8_t>>(planes[plane]);
        std::uint8_t* target = image.view().row(y, 0);
        for (std::size_t x = 0; x < owner.state.output_width; ++x) {
            const unsigned value = row[x * step + plane];
            // Adobe writes inks as the light they let through.
            target[x] = static_cast<std::uint8_t>(
                step == 4 ? value * unsigned{row[x * step + 3]} / 255U : value);
        }
    }
}

} // namespace

ImageInfo jpegInfo(const std::filesystem::path& path, const std::stop_token& stop) {
    JpegFile owner;
    return openJpeg(path, owner, stop);
}

LoadedImage readJpeg(const std::filesystem::path& path, const ReadOptions& options) {
    JpegFile owner;
    LoadedImage loaded;
    loaded.info = openJpeg(path, owner, options.stop);
    (void)choose(path, loaded.info, options);
    require(start(owner), path, owner);
    for (int plane = 0; plane < loaded.info.components; ++plane) {
        loaded.components.push_back(base::makeImage(loaded.info.pixel, loaded.info.extents));
    }
    std::vector<unsigned char> row(static_cast<std::size_t>(owner.state.output_width) *
                                   static_cast<std::size_t>(owner.state.output_components));
    for (std::int64_t y = 0; y < loaded.info.extents.y; ++y) {
        require(readRow(owner, row.data()), path, owner);
        spread(owner, row, y, loaded.components);
    }
    require(finish(owner), path, owner);
    return loaded;
}

} // namespace flcc::io::detail
