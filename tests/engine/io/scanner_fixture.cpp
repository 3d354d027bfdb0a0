#include "tests/engine/io/scanner_fixture.h"

namespace flcc::test {

std::string vtkHead(const std::string& voxels, const std::string& coding,
                    const std::string& places) {
    return "# vtk DataFile Version 3.0\ntitle\n" + coding +
           "\nDATASET STRUCTURED_POINTS\nDIMENSIONS 5 3 2\n" + places + "POINT_DATA 30\n" + voxels +
           "\n" + (voxels.starts_with("SCALARS") ? "LOOKUP_TABLE default\n" : "");
}

Bytes giplHead(const std::array<std::uint16_t, 4>& sizes, std::uint16_t type) {
    ByteWriter out(true);
    for (const std::uint16_t size : sizes) {
        out.put(size);
    }
    out.put(type);
    for (const float spacing : {0.5F, 0.25F, 2.0F, 1.0F}) {
        out.put(spacing);
    }
    out.padTo(204);
    for (const double origin : {-1.0, 2.0, 3.5, 0.0}) {
        out.put(origin);
    }
    out.padTo(252);
    out.put(std::uint32_t{0xefffe9b0});
    return out.bytes;
}

Bytes bioRadHead(std::uint16_t x, std::uint16_t y, std::uint16_t z, bool oneByte, bool notes) {
    Bytes head(76);
    put(head, 0, x);
    put(head, 2, y);
    put(head, 4, z);
    put(head, 10, std::int32_t{notes ? 1 : 0});
    put(head, 14, static_cast<std::int16_t>(oneByte ? 1 : 0));
    put(head, 54, std::uint16_t{12345});
    put(head, 64, std::int16_t{20}); // the lens
    put(head, 66, 1.0F);
    return head;
}

Bytes bioRadNote(const std::string& text, std::int16_t type) {
    Bytes note(96);
    put(note, 2, std::int32_t{1});
    put(note, 10, type);
    std::copy(text.begin(), text.end(), note.begin() + 16);
    return note;
}

std::string visuPars(const VisuPars& values) {
    std::string text;
    for (const char* line :
         {"TITLE=", "JCAMPDX=4.24", "DATATYPE=Parameter Values", "ORIGIN=Bruker", "OWNER=nobody"}) {
        text += std::string("##") + line + "\n";
    }
    text += "$$ a\n$$ b\n$$ c\n";
    for (const auto& [name, value] : {std::pair("VisuCoreDim", std::to_string(values.axes)),
                                      {"VisuCoreFrameCount", std::to_string(values.frames)},
                                      {"VisuCoreWordType", values.type},
                                      {"VisuCoreByteOrder", values.order},
                                      {"VisuCoreSize", values.size},
                                      {"VisuCoreExtent", values.extent},
                                      {"VisuCorePosition", values.position},
                                      {"VisuCoreOrientation", values.orientation},
                                      {"VisuCoreDataSlope", values.slope},
                                      {"VisuCoreDataOffs", values.offset}}) {
        text += std::string("##$") + name + "=" + value + "\n";
    }
    return text + values.more + "##END=\n";
}

namespace {

constexpr int kVoxels = 12;

/// Voxels of a slice, 100 times its number beyond those of slice 0, the high byte first.
void addSlice(Bytes& file, int count, int number) {
    ByteWriter out(true);
    for (int i = 0; i < count; ++i) {
        out.put(static_cast<std::int16_t>(scannerValue<std::int16_t>(i) + 100 * number));
    }
    file.insert(file.end(), out.bytes.begin(), out.bytes.end());
}

void putText(Bytes& file, std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
}

/// A number of a Data General computer, of 1, 0.5, 0.25 and their multiples below 16.
std::uint32_t dataGeneral(double value) {
    const int exponent = value < 1 ? 0 : 1;
    const auto mantissa = static_cast<std::uint32_t>(value / (exponent == 0 ? 1 : 16) * (1 << 24));
    return static_cast<std::uint32_t>(64 + exponent) << 24 | mantissa;
}

} // namespace

Bytes ge5Slice(int number, bool packed, bool down) {
    constexpr std::size_t kExam = 2418;
    constexpr std::size_t kSeries = 3442;
    constexpr std::size_t kImage = 4462;
    constexpr std::int32_t kHeader = 5506;
    Bytes file(kHeader);
    for (const auto& [at, value] : {std::pair(0, 0x494d4746),
                                    {4, kHeader},
                                    {8, 4},
                                    {12, 3},
                                    {16, 16},
                                    {20, packed ? 3 : 1},
                                    {132, 2418},
                                    {136, 1024},
                                    {140, 3442},
                                    {144, 1020},
                                    {148, 4462},
                                    {152, 1044}}) {
        put(file, static_cast<std::size_t>(at), std::int32_t{value}, true);
    }
    put(file, 52, std::int16_t{3}, true);
    putText(file, kExam + 305, "MR");
    put(file, kSeries + 10, std::int16_t{7}, true);
    put(file, kImage + 12, static_cast<std::int16_t>(number), true);
    put(file, kImage + 26, 2.0F, true);
    put(file, kImage + 30, std::int16_t{4}, true);
    put(file, kImage + 32, std::int16_t{3}, true);
    put(file, kImage + 50, 0.5F, true);
    put(file, kImage + 54, 0.25F, true);
    put(file, kImage + 114, std::int16_t{2}, true); // axial
    const float up = 10.0F + 2.0F * static_cast<float>(number);
    put(file, kImage + 126, down ? -up : up, true);
    put(file, kImage + 150, down ? -1.0F : 1.0F, true); // the normal
    // Corners in right, front, up: top left, top right, bottom right.
    const std::array<std::array<float, 2>, 3> corners{{{10, 20}, {8, 20}, {8, 19.25F}}};
    for (std::size_t i = 0; i < 3; ++i) {
        put(file, kImage + 154 + 12 * i, corners[i][0], true);
        put(file, kImage + 158 + 12 * i, corners[i][1], true);
        put(file, kImage + 162 + 12 * i, up, true);
    }
    addSlice(file, kVoxels, number);
    return file;
}

Bytes ge4Slice(int number) {
    Bytes file(14336);
    const auto at = [](int block, int word) {
        return static_cast<std::size_t>(2 * (block + word));
    };
    constexpr int kSeries = 2048;
    constexpr int kImage = 2560;
    putText(file, at(kSeries, 139), "CORONAL");
    putText(file, at(kSeries, 31), "007");
    put(file, at(kSeries, 151), dataGeneral(2), true);
    putText(file, at(kImage, 44), "00" + std::to_string(number));
    putText(file, at(kImage, 300), "001");
    put(file, at(kImage, 73), dataGeneral(1.5 * (number + 1)), true);
    put(file, at(kImage, 77), dataGeneral(1), true);
    put(file, at(kImage, 79), dataGeneral(0.5), true);
    put(file, at(kImage, 137), std::int16_t{4}, true);
    put(file, at(kImage, 138), std::int16_t{3}, true);
    put(file, at(kImage, 139), dataGeneral(0.75), true);
    addSlice(file, kVoxels, number);
    return file;
}

Bytes geAdwSlice(int number) {
    Bytes file(3300);
    putText(file, 425, "MR");
    put(file, 1166, std::int16_t{7}, true);
    put(file, 2196, static_cast<std::int16_t>(number), true);
    put(file, 2212, 2.0F, true);
    put(file, 2216, std::int16_t{4}, true);
    put(file, 2218, std::int16_t{3}, true);
    put(file, 2236, 0.5F, true);
    put(file, 2240, 0.25F, true);
    put(file, 2300, std::int16_t{2}, true); // axial
    put(file, 2316, 2.0F * static_cast<float>(number), true);
    put(file, 3232, std::int32_t{3300 - 3228}, true);
    addSlice(file, kVoxels, number);
    return file;
}

Bytes siemensSlice(int number) {
    Bytes file(6144);
    putText(file, 96, "SIEMENS");
    put(file, 2864, std::int32_t{3}, true);
    put(file, 5000, 0.5, true);
    put(file, 5008, 0.25, true);
    for (const auto& [at, text] : {std::pair(5546, "   1"),
                                   {5695, "  3"},
                                   {5700, "  3"},
                                   {5752, "1"},
                                   {5794, "   2.50"},
                                   {5814, "Tra"},
                                   {5842, "  2"},
                                   {5846, "  2"},
                                   {5999, " 7"}}) {
        putText(file, static_cast<std::size_t>(at), text);
    }
    putText(file, 5806, "  " + std::to_string(2.5 * number).substr(0, 4));
    addSlice(file, 9, number);
    return file;
}

} // namespace flcc::test
