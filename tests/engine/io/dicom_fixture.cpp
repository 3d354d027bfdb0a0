#include "tests/engine/io/dicom_fixture.h"

#include <string_view>

namespace flcc::test {

namespace {

class Elements {
  public:
    void add(std::uint16_t group, std::uint16_t element, std::string_view type, std::string value,
             char padding = ' ') {
        if (value.size() % 2 != 0) {
            value += padding;
        }
        m_out.put(group).put(element);
        m_out.append(Bytes(type.begin(), type.end()));
        if (type == "OB" || type == "OW") {
            m_out.put(std::uint16_t{0}).put(static_cast<std::uint32_t>(value.size()));
        } else {
            m_out.put(static_cast<std::uint16_t>(value.size()));
        }
        m_out.append(Bytes(value.begin(), value.end()));
    }
    void text(std::uint16_t group, std::uint16_t element, std::string_view type,
              const std::string& value) {
        add(group, element, type, value, type == "UI" ? '\0' : ' ');
    }
    void number(std::uint16_t group, std::uint16_t element, std::uint16_t value) {
        add(group, element, "US", {static_cast<char>(value & 0xff), static_cast<char>(value >> 8)});
    }
    [[nodiscard]] const Bytes& bytes() const { return m_out.bytes; }

  private:
    ByteWriter m_out;
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
    data.text(0x0028, 0x0004, "CS", recipe.samples == 3 ? "RGB" : "MONOCHROME2");
    if (recipe.samples == 3) {
        data.number(0x0028, 0x0006, 0);
    }
    if (recipe.frames > 1) {
        data.text(0x0028, 0x0008, "IS", std::to_string(recipe.frames));
    }
    data.number(0x0028, 0x0010, recipe.rows);
    data.number(0x0028, 0x0011, recipe.columns);
    if (!recipe.spacing.empty()) {
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
    data.add(0x7fe0, 0x0010, "OW", {recipe.pixels.begin(), recipe.pixels.end()}, '\0');
}

} // namespace

Bytes makeDicom(const DicomRecipe& recipe) {
    static int instances = 0;
    const std::string kind = recipe.picture ? (recipe.frames > 1 ? "1.2.840.10008.5.1.4.1.1.7.3"
                                                                 : "1.2.840.10008.5.1.4.1.1.2")
                                            : "1.2.840.10008.5.1.4.1.1.88.11";
    const std::string instance = "1.2.3.9." + std::to_string(++instances);
    Elements meta;
    meta.add(0x0002, 0x0001, "OB", std::string("\0\1", 2));
    meta.text(0x0002, 0x0002, "UI", kind);
    meta.text(0x0002, 0x0003, "UI", instance);
    meta.text(0x0002, 0x0010, "UI", "1.2.840.10008.1.2.1");
    meta.text(0x0002, 0x0012, "UI", "1.2.3.4.5");
    Elements data;
    data.text(0x0008, 0x0016, "UI", kind);
    data.text(0x0008, 0x0018, "UI", instance);
    data.text(0x0008, 0x0060, "CS", recipe.picture ? "CT" : "SR");
    data.text(0x0008, 0x103e, "LO", recipe.description);
    data.text(0x0020, 0x000d, "UI", "1.2.3.8");
    data.text(0x0020, 0x000e, "UI", recipe.series);
    if (recipe.position) {
        data.text(0x0020, 0x0032, "DS", joined(recipe.position->data(), 3));
        data.text(0x0020, 0x0037, "DS", joined(recipe.axes.data(), 6));
    }
    if (recipe.picture) {
        addPicture(data, recipe);
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
