// Mutants of PNG files with right check sums: libpng looks no further into a chunk with a wrong
// one.

#include <cstdint>
#include <cstring>

#include <zlib.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::uint32_t bigEndian(const std::uint8_t* at) {
    return (std::uint32_t{at[0]} << 24U) | (std::uint32_t{at[1]} << 16U) |
           (std::uint32_t{at[2]} << 8U) | at[3];
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 8 == 0) {
        return size;
    }
    for (std::size_t at = 8; at + 12 <= size;) {
        const std::size_t length = bigEndian(data + at);
        if (length > size - at - 12) {
            break;
        }
        const auto sum =
            static_cast<std::uint32_t>(crc32(0, data + at + 4, static_cast<unsigned>(length) + 4));
        for (unsigned i = 0; i < 4; ++i) {
            data[at + 8 + length + i] = static_cast<std::uint8_t>(sum >> (24U - 8U * i));
        }
        at += 12 + length;
    }
    return size;
}
