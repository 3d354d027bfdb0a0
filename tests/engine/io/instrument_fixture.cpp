#include "tests/engine/io/instrument_fixture.h"

#include <bit>

namespace flcc::test {

Bytes makeMgh(const std::array<std::int32_t, 4>& lengths, int type) {
    ByteWriter file(std::endian::native == std::endian::little);
    file.put(std::int32_t{1});
    for (const std::int32_t length : lengths) {
        file.put(length);
    }
    file.put(std::int32_t{type}).put(std::int32_t{0}).put(std::int16_t{1});
    for (const float spacing : {0.5F, 2.0F, 4.0F}) {
        file.put(spacing);
    }
    for (const float part : {-1.0F, 0.0F, 0.0F, 0.0F, 0.0F, -1.0F, 0.0F, 1.0F, 0.0F}) {
        file.put(part); // x to the left, y down, z to the front
    }
    for (const float place : {10.0F, 20.0F, 30.0F}) {
        file.put(place);
    }
    file.padTo(284);
    return file.bytes;
}

} // namespace flcc::test
