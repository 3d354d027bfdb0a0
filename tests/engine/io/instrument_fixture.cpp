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

Bytes makeEm(const base::Extents& extents, int type, std::int32_t pixel, bool turned) {
    ByteWriter file(turned);
    file.append(
        {static_cast<unsigned char>(turned ? 3 : 6), 0, 0, static_cast<unsigned char>(type)});
    for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
        file.put(static_cast<std::int32_t>(length));
    }
    file.padTo(96);
    for (int parameter = 1; parameter <= 40; ++parameter) {
        file.put(parameter == 7 ? pixel : std::int32_t{0});
    }
    file.padTo(512);
    return file.bytes;
}

Bytes makeSpider(const base::Extents& extents, int kind, const SpiderRecipe& recipe) {
    const auto width = static_cast<std::size_t>(extents.x);
    const std::size_t records = (256 + width - 1) / width;
    Bytes file(4 * width * records);
    const auto set = [&](std::size_t place, double value) { // places count from 1
        put(file, 4 * (place - 1), static_cast<float>(value), recipe.turned);
    };
    set(1, static_cast<double>(extents.z));
    set(2, static_cast<double>(extents.y));
    set(3, static_cast<double>(extents.y));
    set(5, kind);
    set(12, static_cast<double>(width));
    set(13, static_cast<double>(records));
    set(22, static_cast<double>(file.size()));
    set(23, static_cast<double>(4 * width));
    set(24, recipe.stack);
    set(26, recipe.images);
    set(27, recipe.number);
    set(38, recipe.pixel);
    return file;
}

} // namespace flcc::test
