// BMP pictures: the header, the table of colours and the rows are read here (README.md says why).

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using Bytes = std::vector<std::uint8_t>;

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

enum Packing : std::uint32_t { Plain = 0, Runs8 = 1, Runs4 = 2, Fields = 3, FieldsWithAlpha = 6 };

/// The bits of a pixel that hold one component.
struct Field {
    std::uint32_t mask = 0;
    [[nodiscard]] std::uint8_t of(std::uint32_t pixel) const {
        const std::uint32_t most = mask >> std::countr_zero(mask);
        const std::uint64_t value = (pixel & mask) >> std::countr_zero(mask);
        return static_cast<std::uint8_t>(value * 255 / most);
    }
};

struct Header {
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool topDown = false;
    int bits = 0;
    std::uint32_t packing = Plain;
    std::int64_t pixels = 0;                          ///< position of the first one
    std::array<Field, 4> fields{};                    ///< red, green, blue, alpha
    std::vector<std::array<std::uint8_t, 3>> colours; ///< of indices: red, green, blue
    int components = 3;

    /// Bytes of a stored row, which fills up to a multiple of four.
    [[nodiscard]] std::int64_t rowBytes() const { return (width * bits + 31) / 32 * 4; }
};

class Reader {
  public:
    explicit Reader(const std::filesystem::path& path)
        : m_stream(base::openFile(path)),
          m_size(static_cast<std::int64_t>(std::filesystem::file_size(path))) {}

    [[nodiscard]] std::int64_t size() const { return m_size; }

    Bytes bytes(std::int64_t position, std::int64_t count) {
        Bytes bytes(static_cast<std::size_t>(count));
        m_stream.clear();
        m_stream.seekg(position);
        if (!m_stream.read(reinterpret_cast<char*>(bytes.data()), count)) {
            refuse("the BMP file is truncated");
        }
        return bytes;
    }

  private:
    std::ifstream m_stream;
    std::int64_t m_size;
};

std::uint32_t number(const Bytes& bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count && at + i < bytes.size(); ++i) {
        value |= std::uint32_t{bytes[at + i]} << (8 * i);
    }
    return value;
}

void setFields(Header& header, const Bytes& info, Reader& file) {
    const bool given = header.packing == Fields || header.packing == FieldsWithAlpha;
    if (!given) {
        header.fields = header.bits == 16
                            ? std::array<Field, 4>{{{0x7c00}, {0x03e0}, {0x001f}, {0}}}
                            : std::array<Field, 4>{{{0xff0000}, {0xff00}, {0xff}, {0}}};
        return;
    }
    // In the header from its third version on, behind it before.
    const std::size_t count = header.packing == FieldsWithAlpha || info.size() >= 56 ? 4 : 3;
    const Bytes masks = info.size() >= 52 ? Bytes(info.begin() + 40, info.end())
                                          : file.bytes(14 + static_cast<std::int64_t>(info.size()),
                                                       4 * static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        header.fields[i].mask = number(masks, 4 * i, 4);
        const std::uint32_t run =
            header.fields[i].mask == 0
                ? 0
                : header.fields[i].mask >> std::countr_zero(header.fields[i].mask);
        if ((run & (run + 1)) != 0 || (i < 3 && run == 0)) {
            refuse("the masks of colour of the BMP file are damaged");
        }
    }
    header.components = header.fields[3].mask != 0 ? 4 : 3;
}

void setColours(Header& header, const Bytes& info, Reader& file) {
    const bool old = info.size() == 12;
    const std::int64_t each = old ? 3 : 4;
    const std::int64_t begin = 14 + static_cast<std::int64_t>(info.size());
    std::int64_t count = old ? 0 : number(info, 32, 4);
    const std::int64_t most = std::int64_t{1} << header.bits;
    count = count < 1 || count > most ? most : count;
    count = std::min(count, (header.pixels - begin) / each); // it may be cut short
    if (count < 1) {
        refuse("the BMP file has no table of colours");
    }
    const Bytes table = file.bytes(begin, count * each);
    bool grey = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const std::size_t at = i * static_cast<std::size_t>(each);
        header.colours.push_back({table[at + 2], table[at + 1], table[at]});
        grey = grey && table[at] == table[at + 1] && table[at] == table[at + 2];
    }
    header.components = grey ? 1 : 3;
}

Header readBmpHeader(Reader& file) {
    constexpr std::int64_t kMost = INT32_MAX;
    const Bytes begin = file.bytes(0, 18);
    const std::uint32_t length = number(begin, 14, 4);
    if (length != 12 && length != 40 && length != 52 && length != 56 && length != 64 &&
        length != 108 && length != 124) {
        refuse("the header of the BMP file has " + std::to_string(length) +
               " bytes, which no version of BMP has");
    }
    const Bytes info = file.bytes(14, length);
    Header header;
    header.pixels = number(begin, 10, 4);
    const bool old = length == 12;
    const auto length4 = [&](std::size_t at) {
        return std::int64_t{static_cast<std::int32_t>(number(info, at, 4))};
    };
    header.width = old ? std::int64_t{number(info, 4, 2)} : length4(4);
    header.height = old ? std::int64_t{number(info, 6, 2)} : length4(8);
    header.bits = static_cast<int>(number(info, old ? 10 : 14, 2));
    header.packing = old ? static_cast<std::uint32_t>(Plain) : number(info, 16, 4);
    header.topDown = header.height < 0;
    header.height = std::abs(header.height);
    if (header.width < 1 || header.height < 1 || header.height > kMost) {
        refuse("the header of the BMP file gives the extents " + std::to_string(header.width) +
               " x " + std::to_string(header.height));
    }
    const bool runs = (header.packing == Runs8 && header.bits == 8) ||
                      (header.packing == Runs4 && header.bits == 4);
    const bool fields = (header.packing == Fields || header.packing == FieldsWithAlpha) &&
                        (header.bits == 16 || header.bits == 32) && length != 64;
    const bool plain =
        header.packing == Plain &&
        (header.bits == 1 || header.bits == 2 || header.bits == 4 || header.bits == 8 ||
         header.bits == 16 || header.bits == 24 || header.bits == 32);
    if (!(runs && !header.topDown) && !fields && !plain) {
        const std::string what = header.packing == 4 ? "packed as JPEG"
                                 : header.packing == 5
                                     ? "packed as PNG"
                                     : "of packing " + std::to_string(header.packing);
        refuse("a BMP file of " + std::to_string(header.bits) + " bits a pixel, " + what +
               ", cannot be read; store it as PNG");
    }
    if (header.pixels < 14 + static_cast<std::int64_t>(length) || header.pixels > file.size()) {
        refuse("the BMP file is truncated before its pixels");
    }
    if (header.bits <= 8) {
        setColours(header, info, file);
    } else {
        setFields(header, info, file);
    }
    const std::int64_t present = file.size() - header.pixels;
    // Two bytes pack a run of 255 pixels or leave out the rest of a row, four leave out 255 rows:
    // 65536 pixels for each byte are above those of any picture, also of one colour.
    constexpr std::int64_t kAnyRatio = 1 << 16;
    if (runs && base::voxelCount({header.width, header.height, 1}) / kAnyRatio > file.size()) {
        refuse("the " + std::to_string(file.size()) + " bytes of the BMP file cannot hold " +
               base::toString(base::Extents{header.width, header.height, 1}) +
               " packed pixels; it is truncated or damaged");
    }
    if (!runs && present / header.rowBytes() < header.height &&
        present < header.rowBytes() * header.height - 3) { // the last row may lack its filling
        refuse("the file is truncated; its header promises " +
               std::to_string(header.rowBytes() * header.height) + " bytes of pixels and " +
               std::to_string(present) + " are there");
    }
    return header;
}

/// Indices of a row of `bits` each, the first one in the highest bits.
void takeIndices(const Bytes& row, const Header& header, std::uint8_t* out) {
    for (std::int64_t x = 0; x < header.width; ++x) {
        const std::int64_t bit = x * header.bits;
        const int shift = 8 - header.bits - static_cast<int>(bit % 8);
        out[x] = static_cast<std::uint8_t>(row[static_cast<std::size_t>(bit / 8)] >> shift &
                                           ((1 << header.bits) - 1));
    }
}

/// Unpacks runs into the indices of all rows, the lowest row first. Pixels that are left out have
/// the index 0.
Bytes unpackRuns(const Header& header, const Bytes& packed) {
    Bytes indices(static_cast<std::size_t>(base::byteCount({header.width, header.height, 1}, 1)));
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::size_t at = 0;
    const bool nibbles = header.packing == Runs4;
    const auto put = [&](std::uint8_t index) {
        if (x >= header.width || y >= header.height) {
            refuse("the packed pixels of the BMP file are damaged");
        }
        indices[static_cast<std::size_t>(y * header.width + x++)] = index;
    };
    const auto next = [&] {
        if (at >= packed.size()) {
            refuse("the BMP file is truncated within its packed pixels");
        }
        return packed[at++];
    };
    const auto of = [&](std::uint8_t byte, int i) {
        return static_cast<std::uint8_t>(!nibbles ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
    };
    while (true) {
        const int count = next();
        const std::uint8_t code = next();
        if (count > 0) {
            for (int i = 0; i < count; ++i) {
                put(of(code, i));
            }
        } else if (code == 0) { // end of a row
            x = 0;
            ++y;
        } else if (code == 1) { // end of the picture
            return indices;
        } else if (code == 2) { // onwards
            x += next();
            y += next();
        } else { // pixels as they are, up to an even number of bytes
            const int bytes = nibbles ? (code + 1) / 2 : code;
            std::uint8_t byte = 0;
            for (int i = 0; i < code; ++i) {
                byte = !nibbles || i % 2 == 0 ? next() : byte;
                put(of(byte, i));
            }
            at += static_cast<std::size_t>(bytes % 2);
        }
        if (y >= header.height && at + 2 > packed.size()) {
            return indices; // without its end mark
        }
    }
}

void putColours(const Header& header, const std::uint8_t* indices, Bytes& out) {
    auto* to = out.data();
    for (std::int64_t x = 0; x < header.width; ++x) {
        if (indices[x] >= header.colours.size()) {
            refuse("a pixel of the BMP file has a colour that its table lacks");
        }
        const auto& colour = header.colours[indices[x]];
        to = std::copy_n(colour.begin(), header.components, to);
    }
}

void putFields(const Header& header, const Bytes& row, Bytes& out) {
    const auto bytes = static_cast<std::size_t>(header.bits / 8);
    auto* to = out.data();
    for (std::size_t x = 0; x < static_cast<std::size_t>(header.width); ++x) {
        const std::uint32_t pixel = number(row, x * bytes, bytes);
        for (std::size_t c = 0; c < static_cast<std::size_t>(header.components); ++c) {
            *to++ = header.fields[c].of(pixel);
        }
    }
}

void sendRows(const Header& header, Reader& file, ReaderAnswer& answer) {
    const bool runs = header.packing == Runs8 || header.packing == Runs4;
    const Bytes all =
        runs ? unpackRuns(header, file.bytes(header.pixels, file.size() - header.pixels)) : Bytes{};
    Bytes indices(static_cast<std::size_t>(header.width));
    Bytes out(static_cast<std::size_t>(header.width * header.components));
    for (std::int64_t y = 0; y < header.height; ++y) {
        const std::int64_t stored = header.topDown ? y : header.height - 1 - y;
        if (runs) {
            putColours(header, all.data() + stored * header.width, out);
        } else {
            const std::int64_t at = header.pixels + stored * header.rowBytes();
            Bytes row = file.bytes(at, std::min(header.rowBytes(), file.size() - at));
            row.resize(static_cast<std::size_t>(header.rowBytes()));
            if (header.bits <= 8) {
                takeIndices(row, header, indices.data());
                putColours(header, indices.data(), out);
            } else {
                putFields(header, row, out);
            }
        }
        answer.voxels(out.data(), static_cast<std::int64_t>(out.size()));
    }
}

} // namespace

void answerBmp(const Request& request, ReaderAnswer& answer) {
    Reader file(request.path);
    const Header header = readBmpHeader(file);
    FoundImage found;
    found.extents = {header.width, header.height, 1};
    found.components = header.components;
    if (header.bits == 16) {
        found.notes.emplace_back("its colours of 5 or 6 bits were widened to 8");
    }
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (sends) {
        sendRows(header, file, answer);
    }
}

} // namespace flcc::io::detail
