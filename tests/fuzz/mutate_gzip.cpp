// Mutants of what a gzip file holds, packed again: few others pass its check sum.

#include <cstdint>
#include <cstring>
#include <vector>

#include <zlib.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr int kGzip = 15 + 16;
constexpr std::size_t kMost = 1 << 16;

/// Empty where the bytes are no gzip file, or hold too much.
std::vector<std::uint8_t> unpacked(std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> bytes(kMost);
    z_stream stream{};
    stream.next_in = data;
    stream.avail_in = static_cast<unsigned>(size);
    stream.next_out = bytes.data();
    stream.avail_out = static_cast<unsigned>(bytes.size());
    const bool good =
        inflateInit2(&stream, kGzip) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
    bytes.resize(good ? stream.total_out : 0);
    inflateEnd(&stream);
    return bytes;
}

std::vector<std::uint8_t> packed(std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint8_t> out(bytes.size() + 1024);
    z_stream stream{};
    stream.next_in = bytes.data();
    stream.avail_in = static_cast<unsigned>(bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(out.size());
    const bool good = deflateInit2(&stream, 1, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
                      deflate(&stream, Z_FINISH) == Z_STREAM_END;
    out.resize(good ? stream.total_out : 0);
    deflateEnd(&stream);
    return out;
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    std::vector<std::uint8_t> inner =
        seed % 8 == 0 ? std::vector<std::uint8_t>() : unpacked(data, size);
    if (inner.empty()) {
        return LLVMFuzzerMutate(data, size, most);
    }
    const std::size_t before = inner.size();
    inner.resize(before + 256);
    inner.resize(LLVMFuzzerMutate(inner.data(), before, inner.size()));
    const std::vector<std::uint8_t> out = packed(inner);
    if (out.empty() || out.size() > most) {
        return LLVMFuzzerMutate(data, size, most);
    }
    std::memcpy(data, out.data(), out.size());
    return out.size();
}
