#include "tests/engine/io/dicom_fixture.h"

#include <map>
#include <string_view>
#include <utility>

namespace flcc::test {

namespace {

class Elements {
  public:
    explicit Elements(bool bigEndian = false) : m_big(bigEndian) {}

    void add(std::uint16_t group, std::uint16_t element, std::string_view type, std::string value,
             char padding = ' ') {
        if (value.size() % 2 != 0) {
            value += padding;
        }
        begin(group, element, type, static_cast<std::uint32_t>(value.size()));
        out().append(Bytes(value.begin(), value.end()));
    }
    void text(std::uint16_t group, std::uint16_t element, std::string_view type,
              const std::string& value) {
        add(group, element, type, value, type == "UI" ? '\0' : ' ');
    }
    void number(std::uint16_t group, std::uint16_t element, std::uint16_t value) {
        begin(group, element, "US", 2);
        put(value);
    }
    void wide(std::uint16_t group, std::uint16_t element, std::uint32_t value) {
        begin(group, element, "UL", 4);
        put(value);
    }
    /// Numbers of floating point, "FD" or "FL"; little endian only.
    template <class Number>
    void real(std::uint16_t group, std::uint16_t element, std::string_view type, Number value) {
        begin(group, element, type, sizeof(value));
        out().put(value);
    }
    /// A sequence of items, each the elements given.
    void sequence(std::uint16_t group, std::uint16_t element, const std::vector<Elements>& items) {
        std::size_t length = 0;
        for (const Elements& item : items) {
            length += 8 + item.bytes().size();
        }
        begin(group, element, "SQ", static_cast<std::uint32_t>(length));
        for (const Elements& item : items) {
            this->item(item.bytes());
        }
    }
    /// Compressed frames: an empty table of offsets, an item each, a delimiter.
    void packedPixels(const std::vector<Bytes>& frames) {
        begin(0x7fe0, 0x0010, "OB", 0xffff'ffff);
        item({});
        for (const Bytes& frame : frames) {
            item(frame);
        }
        put(std::uint16_t{0xfffe});
        put(std::uint16_t{0xe0dd});
        put(std::uint32_t{0});
    }
    /// Any element; it replaces one of the same tag.
    void any(const DicomElement& element) {
        if (element.items.empty()) {
            add(element.group, element.element, element.type, element.value,
                element.type == "UI" ? '\0' : ' ');
            return;
        }
        std::vector<Elements> items;
        for (const std::vector<DicomElement>& from : element.items) {
            for (items.emplace_back(); const DicomElement& inner : from) {
                items.back().any(inner);
            }
        }
        sequence(element.group, element.element, items);
    }
    /// All elements in the order of their tags.
    [[nodiscard]] Bytes bytes() const {
        ByteWriter all;
        for (const auto& [tag, part] : m_parts) {
            all.append(part.bytes);
        }
        return all.bytes;
    }

  private:
    ByteWriter& out() { return m_parts[m_tag]; }
    void put(std::uint16_t value) {
        out().put(static_cast<std::uint8_t>(m_big ? value >> 8 : value & 0xff));
        out().put(static_cast<std::uint8_t>(m_big ? value & 0xff : value >> 8));
    }
    void put(std::uint32_t value) {
        const auto low = static_cast<std::uint16_t>(value & 0xffff);
        const auto high = static_cast<std::uint16_t>(value >> 16);
        put(m_big ? high : low);
        put(m_big ? low : high);
    }
    void begin(std::uint16_t group, std::uint16_t element, std::string_view type,
               std::uint32_t length) {
        m_tag = std::uint32_t{group} << 16 | element;
        m_parts[m_tag] = ByteWriter();
        put(group);
        put(element);
        out().append(Bytes(type.begin(), type.end()));
        if (type == "OB" || type == "OW" || type == "SQ") {
            put(std::uint16_t{0});
            put(length);
        } else {
            put(static_cast<std::uint16_t>(length));
        }
    }
    void item(const Bytes& content) {
        put(std::uint16_t{0xfffe});
        put(std::uint16_t{0xe000});
        put(static_cast<std::uint32_t>(content.size()));
        out().append(content);
    }

    std::map<std::uint32_t, ByteWriter> m_parts; ///< by tag
    std::uint32_t m_tag = 0;                     ///< of the element that is being written
    bool m_big;
};

std::string joined(const double* values, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        std::string number = std::to_string(values[i]);
        text += (i > 0 ? "\\" : "") + number;
    }
    return text;
}

void addPicture(Elements& data, const DicomRecipe& recipe) {
    data.number(0x0028, 0x0002, recipe.samples);
    data.text(0x0028, 0x0004, "CS",
              !recipe.colours.empty() ? recipe.colours
              : recipe.samples == 3   ? "RGB"
                                      : "MONOCHROME2");
    if (recipe.samples == 3) {
        data.number(0x0028, 0x0006, 0);
    }
    if (recipe.frames > 1 || recipe.enhanced) {
        data.text(0x0028, 0x0008, "IS", std::to_string(recipe.frames));
    }
    if (!recipe.frameTime.empty()) {
        data.add(0x0028, 0x0009, "AT", std::string("\x18\0\x63\x10", 4));
    }
    data.number(0x0028, 0x0010, recipe.rows);
    data.number(0x0028, 0x0011, recipe.columns);
    if (!recipe.spacing.empty() && !recipe.enhanced) {
        data.text(0x0028, 0x0030, "DS", recipe.spacing);
    }
    data.number(0x0028, 0x0100, recipe.bitsAllocated);
    data.number(0x0028, 0x0101, recipe.bitsStored);
    data.number(0x0028, 0x0102, static_cast<std::uint16_t>(recipe.bitsStored - 1));
    data.number(0x0028, 0x0103, recipe.sign ? 1 : 0);
    if (!recipe.intercept.empty()) {
        data.text(0x0028, 0x1052, "DS", recipe.intercept);
    }
    if (!recipe.slope.empty()) {
        data.text(0x0028, 0x1053, "DS", recipe.slope);
    }
}

void addPixels(Elements& data, const DicomRecipe& recipe) {
    if (!recipe.packed.empty()) {
        data.packedPixels(recipe.packed);
        return;
    }
    std::string pixels(recipe.pixels.begin(), recipe.pixels.end());
    for (std::size_t i = 0; recipe.bigEndian && i + 1 < pixels.size(); i += 2) {
        std::swap(pixels[i], pixels[i + 1]);
    }
    data.add(0x7fe0, 0x0010, "OW", pixels, '\0');
}

Elements one(std::uint16_t group, std::uint16_t element, const Elements& item) {
    Elements in;
    in.sequence(group, element, {item});
    return in;
}

/// The functional groups of a frame, in the order of their tags.
Elements groupsOf(const DicomFrameRecipe& frame) {
    Elements groups;
    if (frame.echo != 0) {
        Elements echo;
        echo.real(0x0018, 0x9082, "FD", frame.echo);
        groups.sequence(0x0018, 0x9114, {echo});
    }
    Elements content;
    if (!frame.stack.empty()) {
        content.text(0x0020, 0x9056, "SH", frame.stack);
    }
    if (frame.time != 0) {
        content.wide(0x0020, 0x9128, static_cast<std::uint32_t>(frame.time));
    }
    groups.sequence(0x0020, 0x9111, {content});
    Elements position;
    position.text(0x0020, 0x0032, "DS", joined(frame.position.data(), 3));
    groups.sequence(0x0020, 0x9113, {position});
    Elements axes;
    axes.text(0x0020, 0x0037, "DS", joined(frame.axes.data(), 6));
    groups.sequence(0x0020, 0x9116, {axes});
    if (!frame.spacing.empty()) {
        Elements spacing;
        spacing.text(0x0028, 0x0030, "DS", frame.spacing);
        groups.sequence(0x0028, 0x9110, {spacing});
    }
    if (!frame.slope.empty()) {
        Elements values;
        values.text(0x0028, 0x1052, "DS", frame.intercept);
        values.text(0x0028, 0x1053, "DS", frame.slope);
        groups.sequence(0x0028, 0x9145, {values});
    }
    if (frame.segment != 0) {
        Elements segment;
        segment.number(0x0062, 0x000b, static_cast<std::uint16_t>(frame.segment));
        groups.sequence(0x0062, 0x000a, {segment});
    }
    return groups;
}

/// The place of each frame of an enhanced file.
void addFrames(Elements& data, const DicomRecipe& recipe) {
    Elements spacing;
    spacing.text(0x0018, 0x0050, "DS", std::to_string(recipe.step));
    spacing.text(0x0028, 0x0030, "DS", recipe.spacing);
    Elements axes;
    axes.text(0x0020, 0x0037, "DS", joined(recipe.axes.data(), 6));
    Elements shared;
    shared.sequence(0x0020, 0x9116, {axes});
    shared.sequence(0x0028, 0x9110, {spacing});
    data.sequence(0x5200, 0x9229, {shared});
    std::vector<Elements> frames;
    for (const DicomFrameRecipe& place : recipe.places) {
        frames.push_back(groupsOf(place));
    }
    for (int i = 0; i < recipe.frames && recipe.places.empty(); ++i) {
        const base::Point& first = *recipe.position;
        const base::Point at{first[0], first[1], first[2] + i * recipe.step};
        Elements position;
        position.text(0x0020, 0x0032, "DS", joined(at.data(), 3));
        frames.push_back(one(0x0020, 0x9113, position));
    }
    data.sequence(0x5200, 0x9230, frames);
}

} // namespace

Bytes makeDicom(const DicomRecipe& recipe) {
    static int instances = 0;
    const std::string kind = !recipe.kind.empty() ? recipe.kind
                             : recipe.enhanced    ? "1.2.840.10008.5.1.4.1.1.2.1"
                             : recipe.picture ? (recipe.frames > 1 ? "1.2.840.10008.5.1.4.1.1.7.3"
                                                                   : "1.2.840.10008.5.1.4.1.1.2")
                                              : "1.2.840.10008.5.1.4.1.1.88.11";
    const std::string instance = "1.2.3.9." + std::to_string(++instances);
    Elements meta;
    meta.add(0x0002, 0x0001, "OB", std::string("\0\1", 2));
    meta.text(0x0002, 0x0002, "UI", kind);
    meta.text(0x0002, 0x0003, "UI", instance);
    meta.text(0x0002, 0x0010, "UI", recipe.bigEndian ? "1.2.840.10008.1.2.2" : recipe.syntax);
    meta.text(0x0002, 0x0012, "UI", "1.2.3.4.5");
    Elements data(recipe.bigEndian);
    data.text(0x0008, 0x0016, "UI", kind);
    data.text(0x0008, 0x0018, "UI", instance);
    data.text(0x0008, 0x0060, "CS", recipe.picture ? "CT" : "SR");
    data.text(0x0008, 0x103e, "LO", recipe.description);
    if (!recipe.frameTime.empty()) {
        data.text(0x0018, 0x1063, "DS", recipe.frameTime);
    }
    data.text(0x0020, 0x000d, "UI", "1.2.3.8");
    data.text(0x0020, 0x000e, "UI", recipe.series);
    if (recipe.position && !recipe.enhanced) {
        data.text(0x0020, 0x0032, "DS", joined(recipe.position->data(), 3));
        data.text(0x0020, 0x0037, "DS", joined(recipe.axes.data(), 6));
    }
    if (recipe.time != 0) {
        data.text(0x0020, 0x0100, "IS", std::to_string(recipe.time));
    }
    if (recipe.picture) {
        addPicture(data, recipe);
        if (recipe.philipsSlope != 0) {
            data.text(0x2005, 0x0010, "LO", "Philips MR Imaging DD 001");
            data.real(0x2005, 0x100e, "FL", static_cast<float>(recipe.philipsSlope));
        }
        if (!recipe.offsets.empty()) {
            data.text(0x3004, 0x000c, "DS", recipe.offsets);
            data.text(0x3004, 0x000e, "DS", recipe.doseScaling);
        }
        if (recipe.enhanced) {
            addFrames(data, recipe);
        }
        addPixels(data, recipe);
    }
    for (const DicomElement& element : recipe.extra) {
        data.any(element);
    }
    ByteWriter file;
    file.padTo(128);
    file.append({'D', 'I', 'C', 'M'});
    file.put(std::uint16_t{2}).put(std::uint16_t{0}).append({'U', 'L'}).put(std::uint16_t{4});
    file.put(static_cast<std::uint32_t>(meta.bytes().size()));
    file.append(meta.bytes()).append(data.bytes());
    return file.bytes;
}

} // namespace flcc::test
