#include "engine/io/format/byte_source.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace flcc::io::detail {

namespace {

/// Bytes as they stand in the file.
class PlainSource final : public ByteSource {
  public:
    PlainSource(const RawPart& part, ReadFiles* files, const std::stop_token& stop)
        : m_path(part.file), m_file(part.file, part.offset, files, stop) {}

    void read(void* target, std::int64_t count) override {
        if (m_file.read(target, count) < count) {
            failInput(m_path, "the file ended while its voxels were read");
        }
    }
    void skip(std::int64_t count) override { m_file.skip(count); }

  private:
    std::filesystem::path m_path;
    FileStream m_file;
};

/// Letters of a file, a block at a time.
class Letters {
  public:
    Letters(const RawPart& part, ReadFiles* files, const std::stop_token& stop)
        : m_file(part.file, part.offset, files, stop), m_block(1 << 16) {}

    /// The next letter, or -1 at the end.
    int next() {
        if (m_at == m_filled) {
            m_filled = static_cast<std::size_t>(
                m_file.read(m_block.data(), static_cast<std::int64_t>(m_block.size())));
            m_at = 0;
        }
        return m_at < m_filled ? static_cast<unsigned char>(m_block[m_at++]) : -1;
    }

  private:
    FileStream m_file;
    std::vector<char> m_block;
    std::size_t m_at = 0;
    std::size_t m_filled = 0;
};

/// Reads a number of its type. Some programs write integers as "12.0" or "1.2e+03".
template <class Number> bool takeNumber(const char* first, const char* last, Number& number) {
    const auto result = std::from_chars(first, last, number);
    if (result.ec == std::errc() && result.ptr == last) {
        return true;
    }
    if constexpr (std::is_integral_v<Number>) {
        double real = 0;
        const auto wide = std::from_chars(first, last, real);
        constexpr double kMost = 9007199254740992; // 2^53: integers up to here are exact
        if (wide.ec != std::errc() || wide.ptr != last || std::abs(real) > kMost ||
            real != std::floor(real) ||
            real < static_cast<double>(std::numeric_limits<Number>::min()) ||
            real > static_cast<double>(std::numeric_limits<Number>::max())) {
            return false;
        }
        number = static_cast<Number>(real);
        return true;
    }
    return false;
}

/// Numbers in letters, with blanks or commas between them.
class TextSource final : public ByteSource {
  public:
    TextSource(const RawPart& part, base::PixelType pixel, ReadFiles* files,
               const std::stop_token& stop)
        : m_path(part.file), m_letters(part, files, stop),
          m_voxel(base::makeImage(pixel, {1, 1, 1})), m_bytes(base::bytesPerVoxel(pixel)) {}

    void read(void* target, std::int64_t count) override {
        auto* out = static_cast<char*>(target);
        for (std::int64_t i = 0; i < count / m_bytes; ++i, out += m_bytes) {
            nextNumber();
            std::memcpy(out, bytesOf(m_voxel), static_cast<std::size_t>(m_bytes));
        }
    }
    void skip(std::int64_t count) override {
        for (std::int64_t i = 0; i < count / m_bytes; ++i) {
            nextNumber();
        }
    }

  private:
    void nextNumber() {
        const auto blank = [](int letter) {
            return letter == ',' || (letter >= 0 && std::isspace(letter) != 0);
        };
        std::array<char, 64> word{};
        std::size_t length = 0;
        int letter = m_letters.next();
        while (blank(letter)) {
            letter = m_letters.next();
        }
        for (; letter >= 0 && !blank(letter) && length < word.size(); letter = m_letters.next()) {
            word[length++] = static_cast<char>(letter);
        }
        const char* const first = word.data() + (length > 1 && word[0] == '+' ? 1 : 0);
        const char* const last = word.data() + length;
        std::visit(
            [&](auto& image) {
                if (!takeNumber(first, last, *image.data())) {
                    failInput(m_path, length == 0
                                          ? "the file ended while its voxels were read"
                                          : "a voxel is \"" + oneLine({word.data(), length}) +
                                                "\", which is not a number of its pixel type");
                }
            },
            m_voxel);
    }

    std::filesystem::path m_path;
    Letters m_letters;
    base::AnyImage m_voxel;
    std::int64_t m_bytes;
};

/// Two hexadecimal digits a byte.
class HexSource final : public ByteSource {
  public:
    HexSource(const RawPart& part, ReadFiles* files, const std::stop_token& stop)
        : m_path(part.file), m_letters(part, files, stop) {}

    void read(void* target, std::int64_t count) override {
        auto* out = static_cast<unsigned char*>(target);
        for (std::int64_t i = 0; i < count; ++i) {
            const int high = digit();
            out[i] = static_cast<unsigned char>(16 * high + digit());
        }
    }
    void skip(std::int64_t count) override {
        for (std::int64_t i = 0; i < 2 * count; ++i) {
            (void)digit();
        }
    }

  private:
    int digit() {
        int letter = m_letters.next();
        while (letter >= 0 && std::isspace(letter) != 0) {
            letter = m_letters.next();
        }
        if (letter < 0 || std::isxdigit(letter) == 0) {
            failInput(m_path, letter < 0 ? "the file ended while its voxels were read"
                                         : "its voxels are not written as hexadecimal digits");
        }
        return std::isdigit(letter) != 0 ? letter - '0' : std::tolower(letter) - 'a' + 10;
    }

    std::filesystem::path m_path;
    Letters m_letters;
};

} // namespace

std::unique_ptr<ByteSource> openBytes(const RawLayout& layout, const RawPart& part,
                                      base::PixelType pixel, ReadFiles* files,
                                      const std::stop_token& stop) {
    std::unique_ptr<ByteSource> source;
    switch (layout.encoding) {
    case Encoding::Plain:
        source = std::make_unique<PlainSource>(part, files, stop);
        break;
    case Encoding::Packed:
        source = openPacked(part.file, part.offset, files, stop);
        break;
    case Encoding::Text:
        source = std::make_unique<TextSource>(part, pixel, files, stop);
        break;
    case Encoding::Hex:
        source = std::make_unique<HexSource>(part, files, stop);
        break;
    }
    source->skip(layout.skip);
    return source;
}

std::unique_ptr<ByteSource> openBytes(const RawLayout& layout, base::PixelType pixel,
                                      ReadFiles* files, const std::stop_token& stop) {
    return openBytes(layout, {layout.file, layout.offset}, pixel, files, stop);
}

#ifndef FLCC_IMAGE_IO
std::unique_ptr<ByteSource> openPacked(const std::filesystem::path& path, std::int64_t /*offset*/,
                                       ReadFiles* /*files*/, const std::stop_token& /*stop*/) {
    failInput(path, "this build cannot read packed files (built without zlib)");
}

std::vector<unsigned char> unpackedStart(const std::filesystem::path& path,
                                         std::int64_t /*count*/) {
    failInput(path, "this build cannot read packed files (built without zlib)");
}

void writePacked(const std::filesystem::path& /*path*/, const std::filesystem::path& target,
                 const std::string& /*header*/, const base::AnyView& /*pixels*/,
                 const std::stop_token& /*stop*/) {
    failOutput(target, "this build cannot write packed files (built without zlib)");
}
#endif

} // namespace flcc::io::detail
