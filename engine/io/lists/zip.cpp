#include "engine/io/lists/zip.h"

#include <array>
#include <cstdint>
#include <limits>

#ifdef FLCC_IMAGE_IO
#include <zlib.h>
#endif

#include "engine/base/error.h"
#include "engine/io/files/paths.h"

namespace flcc::io::detail::lists {

namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kDirectory = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;

std::uint32_t crcOf(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
        }
    }
    return ~crc;
}

void put(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        text += static_cast<char>(value & 0xffU);
        value >>= 8;
    }
}

/// Little-endian numbers at a place that must lie in the archive.
class Bytes {
  public:
    Bytes(std::string_view bytes, const std::filesystem::path& name)
        : m_bytes(bytes), m_name(name) {}

    [[nodiscard]] std::string_view part(std::uint64_t from, std::uint64_t count) const {
        if (from > m_bytes.size() || count > m_bytes.size() - from) {
            failInput(m_name, "the zip archive is cut or damaged");
        }
        return m_bytes.substr(from, count);
    }
    [[nodiscard]] std::uint32_t number(std::uint64_t at, std::size_t count) const {
        std::uint32_t value = 0;
        const std::string_view text = part(at, count);
        for (std::size_t i = count; i-- > 0;) {
            value = (value << 8U) | static_cast<unsigned char>(text[i]);
        }
        return value;
    }

  private:
    std::string_view m_bytes;
    const std::filesystem::path& m_name;
};

std::string unpacked(std::string_view packed, std::uint32_t size,
                     const std::filesystem::path& name) {
#ifdef FLCC_IMAGE_IO
    std::string bytes(size, '\0');
    z_stream stream{};
    if (::inflateInit2(&stream, -15) != Z_OK) { // no header: as zip packs
        throw std::bad_alloc();
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    const int status = ::inflate(&stream, Z_FINISH);
    ::inflateEnd(&stream);
    if (status != Z_STREAM_END || stream.avail_out != 0) {
        failInput(name, "an entry of the zip archive is damaged");
    }
    return bytes;
#else
    (void)packed;
    (void)size;
    failInput(name, "its entries are packed; this build has no zlib");
#endif
}

} // namespace

std::string zipText(const std::vector<ZipEntry>& entries) {
    std::string text;
    std::string directory;
    for (const ZipEntry& entry : entries) {
        const std::size_t offset = text.size();
        std::string facts; // of both headers, from the flags on
        put(facts, 0, 2);
        put(facts, 0, 2);           // stored
        put(facts, 0x00210000U, 4); // time and date: 1 January 1980
        put(facts, crcOf(entry.bytes), 4);
        put(facts, entry.bytes.size(), 4);
        put(facts, entry.bytes.size(), 4);
        put(facts, entry.name.size(), 2);
        put(facts, 0, 2);
        put(text, kLocal, 4);
        put(text, 20, 2);
        text += facts + entry.name + entry.bytes;
        put(directory, kDirectory, 4);
        put(directory, 20, 2);
        put(directory, 20, 2);
        directory += facts;
        put(directory, 0, 10); // comment, disk, attributes
        put(directory, offset, 4);
        directory += entry.name;
    }
    if (entries.size() > std::numeric_limits<std::uint16_t>::max() ||
        text.size() + directory.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw base::Error(base::ErrorCode::Problem,
                          "a zip archive holds at most 65535 positions, not " +
                              std::to_string(entries.size()) + "; lower --max-peaks");
    }
    const std::size_t at = text.size();
    text += directory;
    put(text, kEnd, 4);
    put(text, 0, 4);
    put(text, entries.size(), 2);
    put(text, entries.size(), 2);
    put(text, directory.size(), 4);
    put(text, at, 4);
    put(text, 0, 2);
    return text;
}

std::vector<ZipEntry> readZip(std::string_view bytes, const std::filesystem::path& name) {
    const Bytes archive(bytes, name);
    std::string end;
    put(end, kEnd, 4);
    const std::size_t at = bytes.rfind(end);
    if (at == std::string_view::npos || at + kEndBytes > bytes.size()) {
        failInput(name, "the zip archive has no directory; it is cut");
    }
    const std::uint32_t count = archive.number(at + 10, 2);
    std::uint64_t place = archive.number(at + 16, 4);
    std::vector<ZipEntry> entries;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (archive.number(place, 4) != kDirectory) {
            failInput(name, "the directory of the zip archive is damaged");
        }
        const std::uint32_t method = archive.number(place + 10, 2);
        const std::uint32_t packed = archive.number(place + 20, 4);
        const std::uint32_t size = archive.number(place + 24, 4);
        const std::uint32_t nameBytes = archive.number(place + 28, 2);
        const std::uint64_t more =
            std::uint64_t{archive.number(place + 30, 2)} + archive.number(place + 32, 2);
        const std::uint64_t local = archive.number(place + 42, 4);
        ZipEntry entry{std::string(archive.part(place + 46, nameBytes)), {}};
        const std::uint64_t data =
            local + 30 + archive.number(local + 26, 2) + archive.number(local + 28, 2);
        const std::string_view stored = archive.part(data, packed);
        if (size > kMostBytes || (method != 0 && method != 8) || (method == 0 && size != packed)) {
            failInput(name, "an entry of the zip archive is too large or packed in a way that is "
                            "not known");
        }
        entry.bytes = method == 0 ? std::string(stored) : unpacked(stored, size, name);
        entries.push_back(std::move(entry));
        place += 46 + nameBytes + more;
    }
    return entries;
}

} // namespace flcc::io::detail::lists
