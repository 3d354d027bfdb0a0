#include "tests/engine/io/eer_fixture.h"

namespace flcc::test {

namespace {

/// Bits from the lowest of each byte on.
class BitWriter {
  public:
    void put(std::uint64_t value, unsigned count) {
        for (unsigned i = 0; i < count; ++i, ++m_bits) {
            if (m_bits % 8 == 0) {
                bytes.push_back(0);
            }
            bytes.back() =
                static_cast<unsigned char>(bytes.back() | (value >> i & 1) << m_bits % 8);
        }
    }
    test::Bytes bytes;

  private:
    std::size_t m_bits = 0;
};

/// The events of a frame as the maker's library reads them.
Bytes eventsOf(const std::vector<std::uint32_t>& electrons, const EerRecipe& coding) {
    BitWriter out;
    const std::uint32_t largest = (1U << coding.runBits) - 1;
    std::uint32_t at = 0;
    const auto run = [&](std::uint32_t pixels) {
        for (; pixels >= largest; pixels -= largest) {
            out.put(largest, coding.runBits);
            if (coding.prototype) {
                out.put(5, coding.across + coding.down);
            }
        }
        out.put(pixels, coding.runBits);
    };
    for (const std::uint32_t pixel : electrons) {
        run(pixel - at);
        out.put(pixel % 13, coding.across + coding.down);
        at = pixel + 1;
    }
    run(kEerWidth * kEerHeight - at);
    return out.bytes;
}

} // namespace

std::vector<std::uint32_t> eerElectrons(int frame) {
    std::vector<std::uint32_t> pixels{0, 1, 255 + 1, 2 * 255 + 2};
    for (std::uint32_t at = 700 + static_cast<std::uint32_t>(frame) * 13;
         at < kEerWidth * kEerHeight - 300; at += 1 + at * 7919 % 600) {
        pixels.push_back(at);
    }
    if (frame == 1) {
        pixels.push_back(kEerWidth * kEerHeight - 1);
    }
    return pixels;
}

Bytes makeEer(const EerRecipe& coding) {
    ByteWriter out;
    out.append({'I', 'I', 43, 0, 8, 0, 0, 0});
    std::size_t link = out.bytes.size(); // of the offset of the next directory
    out.put(std::uint64_t{0});
    const auto page = [&](const Bytes& pixels, std::uint16_t compression) {
        const std::uint64_t first = out.bytes.size();
        out.append(pixels);
        const std::uint64_t offsets = out.bytes.size();
        const std::uint64_t half = pixels.size() / 2;
        out.put(first).put(first + half).put(half).put(std::uint64_t{pixels.size() - half});
        put(out.bytes, link, static_cast<std::uint64_t>(out.bytes.size()));
        struct Entry {
            std::uint16_t tag;
            std::uint16_t type; // 3 short, 16 long8
            std::uint64_t count;
            std::uint64_t value;
        };
        std::vector<Entry> entries{{256, 3, 1, kEerWidth},
                                   {257, 3, 1, kEerHeight},
                                   {258, 3, 1, 8},
                                   {259, 3, 1, compression},
                                   {262, 3, 1, 1},
                                   {273, 16, 2, offsets},
                                   {277, 3, 1, 1},
                                   {278, 3, 1, kEerHeight / 2},
                                   {279, 16, 2, offsets + 16}};
        if (compression == 65002) {
            entries.push_back({65007, 3, 1, coding.runBits});
            entries.push_back({65008, 3, 1, coding.across});
            entries.push_back({65009, 3, 1, coding.down});
        }
        out.put(static_cast<std::uint64_t>(entries.size()));
        for (const Entry& entry : entries) {
            out.put(entry.tag).put(entry.type).put(entry.count).put(entry.value);
        }
        link = out.bytes.size();
        out.put(std::uint64_t{0});
    };
    if (coding.picture) {
        page(Bytes(kEerWidth * kEerHeight, 9), 1);
    }
    for (int frame = 0; frame < coding.frames; ++frame) {
        page(eventsOf(eerElectrons(frame), coding), coding.compression);
    }
    return out.bytes;
}

} // namespace flcc::test
