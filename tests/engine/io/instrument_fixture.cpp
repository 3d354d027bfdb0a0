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

namespace {

/// Writes tags; lengths have 4 bytes in version 3 and 8 in version 4, in big endian.
class TagWriter {
  public:
    TagWriter(int version, bool little) : m_wide(version == 4), m_little(little) {}

    void length(std::int64_t value) { m_wide ? big(value) : big(static_cast<std::int32_t>(value)); }
    template <class T> void big(T value) {
        file.append(ByteWriter(std::endian::native == std::endian::little).put(value).bytes);
    }
    template <class T> void own(T value) {
        const bool turned = m_little != (std::endian::native == std::endian::little);
        file.append(ByteWriter(turned).put(value).bytes);
    }
    void label(unsigned char kind, const std::string& name) {
        file.append({kind});
        big(static_cast<std::int16_t>(name.size()));
        file.append(Bytes(name.begin(), name.end()));
        if (m_wide) {
            big(std::int64_t{0}); // bytes of the entry, which no reader needs
        }
    }
    void group(const std::string& name, std::int64_t entries) {
        label(20, name);
        root(entries);
    }
    void root(std::int64_t entries) {
        file.append({1, 0});
        length(entries);
    }
    void facts(const std::string& name, const std::vector<std::int64_t>& all) {
        label(21, name);
        file.append({'%', '%', '%', '%'});
        length(static_cast<std::int64_t>(all.size()));
        for (const std::int64_t fact : all) {
            length(fact);
        }
    }
    void whole(const std::string& name, std::int32_t value) {
        facts(name, {3});
        own(value);
    }
    void real(const std::string& name, float value) {
        facts(name, {6});
        own(value);
    }
    void text(const std::string& name, const std::u16string& value) {
        facts(name, {20, 4, static_cast<std::int64_t>(value.size())});
        for (const char16_t letter : value) {
            own(static_cast<std::uint16_t>(letter));
        }
    }
    [[nodiscard]] bool turned() const {
        return m_little != (std::endian::native == std::endian::little);
    }

    ByteWriter file;

  private:
    bool m_wide;
    bool m_little;
};

void putImage(TagWriter& tags, const GatanRecipe& recipe) {
    tags.group("", 1);
    tags.group("ImageData", 4);
    tags.group("Calibrations", 1);
    tags.group("Dimension", static_cast<std::int64_t>(recipe.units.size()));
    for (std::size_t i = 0; i < recipe.units.size(); ++i) {
        tags.group("", 3);
        tags.real("Origin", static_cast<float>(i + 1));
        tags.real("Scale", static_cast<float>(i + 1) / 2);
        tags.text("Units", recipe.units[i]);
    }
    tags.facts("Data",
               {20, recipe.kind, static_cast<std::int64_t>(recipe.voxels.size() / recipe.width)});
    tags.file.append(tags.turned() ? swapped(recipe.voxels, recipe.width) : recipe.voxels);
    tags.whole("DataType", recipe.type);
    tags.group("Dimensions", static_cast<std::int64_t>(recipe.lengths.size()));
    for (const std::int32_t length : recipe.lengths) {
        tags.whole("", length);
    }
}

} // namespace

Bytes makeGatan(const GatanRecipe& recipe) {
    TagWriter tags(recipe.version, recipe.little);
    tags.big(std::int32_t{recipe.version});
    tags.length(0); // bytes of the file, which no reader needs
    tags.big(std::int32_t{recipe.little ? 1 : 0});
    tags.root(recipe.thumbnail ? 4 : 3);
    tags.text("Name", u"a name");
    tags.facts("Position", {15, 0, 2, 0, 6, 0, 3}); // a structure of a float and a whole number
    tags.own(1.5F);
    tags.own(std::int32_t{7});
    tags.group("ImageList", recipe.thumbnail ? 2 : 1);
    if (recipe.thumbnail) {
        putImage(tags,
                 {.lengths = {2, 2}, .type = 23, .kind = 3, .units = {}, .voxels = Bytes(16, 9)});
    }
    putImage(tags, recipe);
    if (recipe.thumbnail) {
        tags.group("Thumbnails", 1);
        tags.group("", 1);
        tags.whole("ImageIndex", 0);
    }
    return tags.file.bytes;
}

std::size_t serPlace(const base::AnyImage& stack, const SerRecipe& recipe, std::size_t picture) {
    const auto count = static_cast<std::size_t>(base::extentsOf(stack).z);
    const std::size_t each = 50 + voxelBytes(stack).size() / count;
    return (recipe.wide ? 34 + 8 * count : 30 + 4 * count) + picture * each;
}

Bytes makeSer(const base::AnyImage& stack, const SerRecipe& recipe) {
    const base::Extents& n = base::extentsOf(stack);
    const Bytes voxels = voxelBytes(stack);
    const auto count = static_cast<std::size_t>(n.z);
    ByteWriter file; // the format is little-endian, as are the machines of these tests
    file.put(std::int16_t{0x4949}).put(std::int16_t{0x197});
    file.put(static_cast<std::int16_t>(recipe.wide ? 0x220 : 0x210));
    file.put(std::int32_t{0x4122}).put(std::int32_t{0x4152}); // pictures with times
    file.put(static_cast<std::int32_t>(count)).put(static_cast<std::int32_t>(count));
    if (recipe.wide) {
        file.put(std::int64_t{34});
    } else {
        file.put(std::int32_t{30});
    }
    file.put(std::int32_t{0}); // dimensions of the series
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = serPlace(stack, recipe, i);
        if (recipe.wide) {
            file.put(static_cast<std::int64_t>(place));
        } else {
            file.put(static_cast<std::int32_t>(place));
        }
    }
    const auto each = static_cast<std::ptrdiff_t>(voxels.size() / count);
    for (std::size_t i = 0; i < count; ++i) {
        file.put(1e-9).put(0.5e-9).put(std::int32_t{2});
        file.put(-1e-9).put(0.25e-9).put(std::int32_t{2});
        file.put(static_cast<std::int16_t>(recipe.type));
        file.put(static_cast<std::int32_t>(n.x)).put(static_cast<std::int32_t>(n.y));
        const auto first = voxels.begin() + static_cast<std::ptrdiff_t>(i) * each;
        file.append(Bytes(first, first + each));
    }
    return file.bytes;
}

Bytes makeImagic(const base::Extents& extents, const std::string& kind, std::int32_t slices,
                 bool turned) {
    Bytes file(1024);
    const auto set = [&](std::size_t place, std::int64_t value) { // places count from 1
        put(file, 4 * (place - 1), static_cast<std::int32_t>(value), turned);
    };
    set(1, 1);
    set(2, extents.z - 1);
    set(13, extents.y);
    set(14, extents.x);
    std::copy(kind.begin(), kind.end(), file.begin() + 56);
    set(61, slices);
    set(69, turned ? 0x04040404 : 0x02020202);
    return file;
}

Bytes makeFits(const std::vector<std::string>& cards, const Bytes& values) {
    constexpr std::size_t kBlock = 2880;
    std::string header;
    const auto add = [&](std::string card) {
        card.resize(80, ' ');
        header += card;
    };
    if (!cards.front().starts_with("XTENSION")) {
        add("SIMPLE  =                    T");
    }
    for (const std::string& card : cards) {
        const std::size_t sign = card.find('=');
        std::string key = card.substr(0, card.find_first_of(" ="));
        key.resize(8, ' ');
        add(key + "=" + card.substr(sign + 1));
    }
    add("END");
    header.resize((header.size() + kBlock - 1) / kBlock * kBlock, ' ');
    Bytes file = joined(header, values);
    file.resize((file.size() + kBlock - 1) / kBlock * kBlock);
    return file;
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
