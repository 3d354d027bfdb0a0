// Voxels packed by zlib or gzip, unpacked and packed a block at a time.

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include <zlib.h>

#include "engine/io/format/byte_source.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kUnpackedBlock = 1 << 20;

class PackedSource final : public ByteSource {
  public:
    PackedSource(const std::filesystem::path& path, std::int64_t offset, ReadFiles* files,
                 const std::stop_token& stop)
        : m_path(path), m_stop(stop), m_file(path, offset, files, stop),
          m_packed(std::size_t{1} << 18) {
        // 32: zlib's own format or gzip's, by the first bytes.
        if (::inflateInit2(&m_stream, 15 + 32) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ~PackedSource() override { ::inflateEnd(&m_stream); }
    PackedSource(const PackedSource&) = delete;
    PackedSource& operator=(const PackedSource&) = delete;

    void read(void* target, std::int64_t count) override {
        auto* out = static_cast<unsigned char*>(target);
        while (count > 0) {
            const std::int64_t got = unpack(out, std::min(count, kUnpackedBlock));
            if (got == 0) {
                failInput(m_path, "its packed voxels are truncated or damaged");
            }
            out += got;
            count -= got;
        }
    }

    void skip(std::int64_t count) override {
        std::vector<unsigned char> scratch(
            static_cast<std::size_t>(std::min(count, kUnpackedBlock)));
        for (; count > 0; count -= std::min(count, kUnpackedBlock)) {
            read(scratch.data(), std::min(count, kUnpackedBlock));
        }
    }

    void finish() override {
        unsigned char more = 0;
        if (m_status == Z_STREAM_END && onlyPadding()) {
            return;
        }
        const bool ended = unpack(&more, 1) == 0;
        if (m_status == Z_DATA_ERROR) {
            failInput(m_path, "its packed voxels are damaged: their check sum differs");
        }
        if (ended && m_status != Z_STREAM_END) {
            failInput(m_path, "the file is truncated: the check sum of its voxels is missing");
        }
    }

    /// Unpacks up to `room` bytes; returns fewer at the end of the data or if the rest is damaged.
    std::int64_t readSome(unsigned char* out, std::int64_t room) { return unpack(out, room); }

  private:
    /// Unpacks up to `room` bytes; returns 0 at the end of the data or if the rest is damaged.
    std::int64_t unpack(unsigned char* out, std::int64_t room) {
        m_stream.next_out = out;
        m_stream.avail_out = static_cast<uInt>(room);
        while (m_stream.avail_out > 0 && (m_status == Z_OK || m_status == Z_STREAM_END)) {
            throwIfStopped(m_stop);
            if (m_stream.avail_in == 0 && !refill()) {
                break;
            }
            // Several streams of gzip one after the other are one file.
            if (m_status == Z_STREAM_END && ::inflateReset(&m_stream) != Z_OK) {
                break;
            }
            m_status = ::inflate(&m_stream, Z_NO_FLUSH);
        }
        return room - m_stream.avail_out;
    }

    /// Whether zeros or blanks are all that is left behind a stream. Several programs fill up so.
    [[nodiscard]] bool onlyPadding() {
        while (m_stream.avail_in > 0 || refill()) {
            throwIfStopped(m_stop);
            const unsigned char next = *m_stream.next_in;
            if (next != 0 && next != '\n' && next != '\r' && next != ' ') {
                return false; // another stream
            }
            ++m_stream.next_in;
            --m_stream.avail_in;
        }
        return true;
    }

    bool refill() {
        m_stream.next_in = m_packed.data();
        m_stream.avail_in = static_cast<uInt>(
            m_file.read(m_packed.data(), static_cast<std::int64_t>(m_packed.size())));
        return m_stream.avail_in > 0;
    }

    std::filesystem::path m_path;
    std::stop_token m_stop;
    FileStream m_file;
    std::vector<unsigned char> m_packed;
    z_stream m_stream{};
    int m_status = Z_OK;
};

} // namespace

std::unique_ptr<ByteSource> openPacked(const std::filesystem::path& path, std::int64_t offset,
                                       ReadFiles* files, const std::stop_token& stop) {
    return std::make_unique<PackedSource>(path, offset, files, stop);
}

std::vector<unsigned char> unpackedStart(const std::filesystem::path& path, std::int64_t count) {
    PackedSource source(path, 0, nullptr, {});
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    bytes.resize(static_cast<std::size_t>(source.readSome(bytes.data(), count)));
    return bytes;
}

void writePacked(const std::filesystem::path& path, const std::filesystem::path& target,
                 const std::string& header, const base::AnyView& pixels,
                 const std::stop_token& stop) {
    errno = 0;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "wb"), ::gzclose);
    const auto put = [&](const char* bytes, std::int64_t count) {
        return ::gzwrite(file.get(), bytes, static_cast<unsigned>(count)) == count;
    };
    bool good = file && put(header.data(), static_cast<std::int64_t>(header.size()));
    if (good) {
        // Small parts: packing is slow, and a stop is looked for before each.
        forRows(pixels, 1 << 20, stop, [&](const char* bytes, std::int64_t count) {
            good = put(bytes, count);
            return good;
        });
    }
    if (file && ::gzclose(file.release()) != Z_OK) {
        good = false;
    }
    if (!good) {
        failOutput(target, errno);
    }
}

} // namespace flcc::io::detail
