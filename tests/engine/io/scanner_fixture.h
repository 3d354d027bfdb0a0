#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/engine/io/fixtures.h"

// Files of formats that ITK reads, made byte by byte after their documents.

namespace flcc::test {

/// Voxels of `count` numbers that differ and use both signs where the type has them: (7 i) mod 97 -
/// 20 of voxel i, plus 20 of unsigned types.
template <class Voxel> [[nodiscard]] Voxel scannerValue(int i) {
    const int value = 7 * i % 97 - (std::is_unsigned_v<Voxel> ? 0 : 20);
    return static_cast<Voxel>(std::is_floating_point_v<Voxel> ? value + 0.25 : value);
}
template <class Voxel> [[nodiscard]] Bytes scannerVoxels(int count, bool turned) {
    ByteWriter out(turned);
    for (int i = 0; i < count; ++i) {
        out.put(scannerValue<Voxel>(i));
    }
    return out.bytes;
}

/// A header of VTK's legacy format of 5x3x2 points; `voxels` is its last line but one.
[[nodiscard]] std::string vtkHead(const std::string& voxels, const std::string& coding = "BINARY",
                                  const std::string& places = "SPACING 0.5 0.25 2\n"
                                                              "ORIGIN -1 2 3.5\n");

/// A header of GIPL, 256 bytes, big-endian.
[[nodiscard]] Bytes giplHead(const std::array<std::uint16_t, 4>& sizes, std::uint16_t type);

/// A header of BioRad, 76 bytes, little-endian.
[[nodiscard]] Bytes bioRadHead(std::uint16_t x, std::uint16_t y, std::uint16_t z, bool oneByte,
                               bool notes);
/// A note behind the voxels.
[[nodiscard]] Bytes bioRadNote(const std::string& text, std::int16_t type = 20);

/// A file visu_pars. Values of arrays begin with their sizes in parentheses.
struct VisuPars {
    int axes = 3;
    int frames = 1;
    std::string type = "_16BIT_SGN_INT";
    std::string order = "littleEndian";
    std::string size = "( 3 )\n5 3 2";
    std::string extent = "( 3 )\n2.5 0.75 4";
    std::string position = "( 1, 3 )\n-1 2 3.5";
    std::string orientation = "( 1, 9 )\n1 0 0 0 1 0 0 0 1";
    std::string slope = "( 1 )\n2";
    std::string offset = "( 1 )\n-3";
    std::string more{};
};
[[nodiscard]] std::string visuPars(const VisuPars& values);

/// A slice of 4x3 voxels, 2 bytes each, of a scanner; its number tells its place and its voxels.
[[nodiscard]] Bytes ge5Slice(int number, bool packed = false, bool down = false);
[[nodiscard]] Bytes ge4Slice(int number);
[[nodiscard]] Bytes geAdwSlice(int number);
/// 3x3 voxels.
[[nodiscard]] Bytes siemensSlice(int number);

} // namespace flcc::test
