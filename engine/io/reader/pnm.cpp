// PBM, PGM, PPM and PAM through libnetpbm, which reads samples as they are stored, and PFM, which
// that library does not read.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

extern "C" {
#include <netpbm/pam.h>
}

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

std::int64_t sizeOf(const std::filesystem::path& path) {
    return static_cast<std::int64_t>(std::filesystem::file_size(path));
}

/// The library ends the process when it finds an error; the answer goes out before.
ReaderAnswer* answering = nullptr;
void answerError(const char* message) {
    std::fputs(message, stderr); // for the log
    std::fputs("\n", stderr);
    if (answering != nullptr) {
        answering->failure(base::ErrorCode::Input, "the PNM file is truncated or damaged");
    }
    std::_Exit(static_cast<int>(base::ErrorCode::Input));
}

/// Where `pixels` bytes of pixels begin. One white character ends a header, which ends at
/// `position`; programs that write lines with CR LF write two. The size of the file says whether
/// the LF is a pixel.
std::int64_t beginOfPixels(const std::filesystem::path& path, std::int64_t position,
                           std::int64_t pixels, FoundImage& found) {
    std::ifstream stream = base::openFile(path);
    std::array<char, 2> end{};
    stream.seekg(position - 1);
    const std::int64_t present = sizeOf(path) - position;
    if (!stream.read(end.data(), end.size()) || end != std::array{'\r', '\n'} ||
        present <= pixels) {
        return position;
    }
    if (present != pixels + 1) {
        refuse("its header ends with CR LF, and " + std::to_string(present - 1) +
               " bytes follow where " + std::to_string(pixels) +
               " are pixels, so that their begin is unknown; end the lines of the header with LF, "
               "and store one picture in a file");
    }
    found.notes.emplace_back("the lines of its header end with CR LF; the LF before the pixels was "
                             "taken for a part of the header");
    return position + 1;
}

/// What the samples of a voxel are.
void setSamples(const pam& file, FoundImage& found) {
    const std::string_view type(file.tuple_type);
    const bool pam = file.format == PAM_FORMAT;
    const bool known = !pam || type.starts_with("GRAYSCALE") || type.starts_with("RGB") ||
                       type.starts_with("BLACKANDWHITE") || (type.empty() && file.depth <= 4);
    const auto depth = static_cast<int>(file.depth);
    if (pam && known && !type.empty()) {
        const int colours = type.starts_with("RGB") ? 3 : 1;
        const int stated = colours + (type.ends_with("_ALPHA") ? 1 : 0);
        if (stated != depth) {
            refuse("TUPLTYPE " + std::string(type) + " has " + std::to_string(stated) +
                   (stated == 1 ? " value" : " values") + " a pixel, but DEPTH is " +
                   std::to_string(depth));
        }
    }
    if (known && depth <= 4) {
        found.components = depth;
    } else {
        found.channels = depth;
    }
    found.pixel = file.maxval > 255 ? base::PixelType::UInt16 : base::PixelType::UInt8;
    if (file.maxval == 1) {
        found.notes.emplace_back("black is 0 and white is 1");
    } else if (file.maxval != 255 && file.maxval != 65535) {
        found.notes.push_back("its values are those stored, of which " +
                              std::to_string(file.maxval) + " is white");
    }
}

/// Compares what the header, which ends at `position`, promises with the bytes of the file.
/// **Returns** where the pixels begin.
std::int64_t requireBytes(const pam& file, std::int64_t position, const std::filesystem::path& path,
                          FoundImage& found) {
    const std::int64_t size = sizeOf(path);
    const std::int64_t samples = base::byteCount({file.width, file.height, 1}, file.depth);
    std::int64_t least = 0;
    bool packed = true; // else numbers as text, of unknown length
    switch (file.format) {
    case PBM_FORMAT:
        least = samples;
        packed = false;
        break;
    case PGM_FORMAT:
    case PPM_FORMAT:
        least = 2 * samples - 1;
        packed = false;
        break;
    case RPBM_FORMAT:
        least = (std::int64_t{file.width} + 7) / 8 * file.height;
        break;
    default:
        least = samples * (file.maxval > 255 ? 2 : 1);
    }
    if (packed) {
        position = beginOfPixels(path, position, least, found);
    }
    if (size - position < least) {
        refuse("the file is truncated; its header promises " + std::to_string(least) +
               " bytes of pixels and " +
               std::to_string(std::max<std::int64_t>(0, size - position)) + " are there");
    }
    if (packed && size - position > least) {
        found.notes.push_back("the " + std::to_string(size - position - least) +
                              " bytes behind its first picture were not read");
    }
    return position;
}

void sendRows(pam& file, const FoundImage& found, int channel, ReaderAnswer& answer) {
    const auto components = static_cast<std::size_t>(found.components);
    const auto first = static_cast<std::size_t>(found.channels > 1 ? channel : 0);
    tuple* const row = pnm_allocpamrow(&file);
    base::AnyImage out = base::makeImage(found.pixel, {found.extents.x * found.components, 1, 1});
    for (int y = 0; y < file.height; ++y) {
        pnm_readpamrow(&file, row);
        std::visit(
            [&](auto& values) {
                using Value = std::decay_t<decltype(*values.data())>;
                Value* at = values.data();
                for (int x = 0; x < file.width; ++x) {
                    for (std::size_t c = 0; c < components; ++c) {
                        const sample value = row[x][first + c];
                        if (value > file.maxval) {
                            refuse("a pixel of the PNM file is above the largest value that its "
                                   "header gives");
                        }
                        *at++ = static_cast<Value>(value);
                    }
                }
                answer.voxels(values.data(),
                              values.count() * static_cast<std::int64_t>(sizeof(Value)));
            },
            out);
    }
    pm_freerow(reinterpret_cast<char*>(row));
}

/// All of a file of numbers as text, and a white character; empty for another file.
std::string textOf(const std::filesystem::path& path) {
    std::ifstream stream = base::openFile(path);
    std::string text(static_cast<std::size_t>(sizeOf(path)) + 1, '\n');
    std::array<char, 2> mark{};
    stream.read(mark.data(), mark.size());
    if (mark[1] < '1' || mark[1] > '3') {
        return {};
    }
    stream.seekg(0);
    stream.read(text.data(), static_cast<std::streamsize>(text.size() - 1));
    return text;
}

void answerNetpbm(const Request& request, ReaderAnswer& answer) {
    pm_init("flcc-reader", 0);
    answering = &answer;
    pm_setusererrormsgfn(answerError);
    // A file of numbers as text may end with the last one; the library wants white space there.
    std::string text = textOf(request.path);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(
        text.empty() ? std::fopen(request.path.c_str(), "rb")
                     : ::fmemopen(text.data(), text.size(), "rb"),
        std::fclose);
    if (!stream) {
        refuse("the file cannot be opened");
    }
    pam file{};
    pnm_readpaminit(stream.get(), &file, sizeof(file));
    if (file.width < 1 || file.height < 1 || file.depth < 1 || file.depth > 4096) {
        refuse("its header gives the extents " +
               base::toString(base::Extents{file.width, file.height, 1}) + " and " +
               std::to_string(file.depth) + " values a pixel");
    }
    FoundImage found;
    found.extents = {file.width, file.height, 1};
    setSamples(file, found);
    const std::int64_t position = requireBytes(file, std::ftell(stream.get()), request.path, found);
    if (std::fseek(stream.get(), position, SEEK_SET) != 0) {
        refuse("the PNM file cannot be read");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (sends) {
        sendRows(file, found, std::max(request.channel, 0), answer);
    }
}

/// The header of a PFM file: "PF" or "Pf", width, height, and a scale whose sign says the order of
/// bytes; one white character follows.
struct Pfm {
    int components = 1;
    std::array<std::int64_t, 2> sizes{};
    double scale = 0;
    std::int64_t position = 0; ///< of the pixels
};

Pfm readPfmHeader(const std::filesystem::path& path) {
    std::string begin(1024, '\0');
    std::ifstream stream = base::openFile(path);
    stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(stream.gcount()));
    constexpr std::string_view kWhite(" \t\r\n");
    std::size_t at = 2;
    const auto word = [&] {
        at = std::min(begin.find_first_not_of(kWhite, at), begin.size());
        while (at < begin.size() && begin[at] == '#') {
            at = std::min(begin.find('\n', at), begin.size());
            at = std::min(begin.find_first_not_of(kWhite, at), begin.size());
        }
        const std::size_t from = at;
        at = std::min(begin.find_first_of(kWhite, at), begin.size());
        return std::string_view(begin).substr(from, at - from);
    };
    Pfm header;
    header.components = begin[1] == 'F' ? 3 : 1;
    bool good = true;
    for (std::int64_t& size : header.sizes) {
        const std::string_view text = word();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
        good = good && error == std::errc{} && end == text.data() + text.size();
    }
    const std::string_view scale = word();
    const auto [end, error] =
        std::from_chars(scale.data(), scale.data() + scale.size(), header.scale);
    good = good && error == std::errc{} && end == scale.data() + scale.size() &&
           std::isfinite(header.scale) && header.scale != 0 && header.sizes[0] > 0 &&
           header.sizes[1] > 0 && header.sizes[0] < INT32_MAX && header.sizes[1] < INT32_MAX;
    if (!good || at >= begin.size()) {
        refuse("the header of the PFM file is truncated or damaged");
    }
    header.position = static_cast<std::int64_t>(at) + 1;
    return header;
}

void answerPfm(const Request& request, ReaderAnswer& answer) {
    Pfm header = readPfmHeader(request.path);
    FoundImage found;
    found.pixel = base::PixelType::Float32;
    found.components = header.components;
    found.extents = {header.sizes[0], header.sizes[1], 1};
    const std::int64_t row = found.extents.x * found.components * 4;
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 55; // sizes below 2^31 each, 12 bytes
    const std::int64_t whole =
        found.extents.y > kMostBytes / row ? kMostBytes : row * found.extents.y;
    header.position = beginOfPixels(request.path, header.position, whole, found);
    const std::int64_t present = sizeOf(request.path) - header.position;
    if (present / row < found.extents.y) {
        refuse("the file is truncated; its header promises " +
               std::to_string(base::byteCount(found.extents, std::int64_t{found.components} * 4)) +
               " bytes of pixels and " + std::to_string(std::max<std::int64_t>(0, present)) +
               " are there");
    }
    if (present > whole) {
        found.notes.push_back("the " + std::to_string(present - whole) +
                              " bytes behind its pixels were not read");
    }
    if (std::abs(header.scale) != 1) {
        found.notes.push_back("its scale of " + std::to_string(std::abs(header.scale)) +
                              " was not applied; the values are those stored");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    const bool swapped = (header.scale < 0) != (std::endian::native == std::endian::little);
    std::ifstream stream = base::openFile(request.path);
    std::vector<char> bytes(static_cast<std::size_t>(row));
    for (std::int64_t y = found.extents.y; sends && y-- > 0;) { // the last row is stored first
        stream.seekg(header.position + y * row);
        if (!stream.read(bytes.data(), row)) {
            refuse("the PFM file was cut while it was read");
        }
        for (std::size_t i = 0; swapped && i < bytes.size(); i += 4) {
            std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i) + 4);
        }
        answer.voxels(bytes.data(), row);
    }
}

} // namespace

void answerPnm(const Request& request, ReaderAnswer& answer) {
    std::array<char, 2> mark{};
    base::openFile(request.path).read(mark.data(), mark.size());
    if (mark[1] == 'F' || mark[1] == 'f') {
        answerPfm(request, answer);
    } else {
        answerNetpbm(request, answer);
    }
}

} // namespace flcc::io::detail
