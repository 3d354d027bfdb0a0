#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/engine/io/fixtures.h"

// Headers of programs and instruments, byte by byte after the descriptions of their formats.

namespace flcc::test {

/// An MGH header of width, height, depth and frames; voxels of 0.5 x 2 x 4 mm in coronal slices
/// around 10, 20, 30 (right-anterior-superior).
[[nodiscard]] Bytes makeMgh(const std::array<std::int32_t, 4>& lengths, int type);

/// An EM header; `pixel` is the size of a pixel in thousandths of an angstrom.
[[nodiscard]] Bytes makeEm(const base::Extents& extents, int type, std::int32_t pixel, bool turned);

/// What a SPIDER header says beside extents and kind; numbers as in the file.
struct SpiderRecipe {
    float stack = 0;
    float images = 0; ///< of a stack
    float number = 0; ///< of an image in a stack
    float pixel = 0;  ///< angstrom
    bool turned = false;
};
/// A SPIDER header; `kind` is 1 for an image and 3 for a volume.
[[nodiscard]] Bytes makeSpider(const base::Extents& extents, int kind, const SpiderRecipe& recipe);

/// A SER file of a stack of pictures, 0.5 x 0.25 nm a pixel; voxel 2, 2 lies at 1, -1 nm.
struct SerRecipe {
    int type = 1;
    bool wide = false; ///< version 0x220, whose places have 8 bytes
};
[[nodiscard]] Bytes makeSer(const base::AnyImage& stack, const SerRecipe& recipe);
/// Where the header of a picture lies.
[[nodiscard]] std::size_t serPlace(const base::AnyImage& stack, const SerRecipe& recipe,
                                   std::size_t picture);

/// The header of IMAGIC for pictures that make volumes of `slices`.
[[nodiscard]] Bytes makeImagic(const base::Extents& extents, const std::string& kind,
                               std::int32_t slices, bool turned);

/// A part of a FITS file: "KEY = value" cards behind SIMPLE (or the first of them, XTENSION), and
/// the values in big endian.
[[nodiscard]] Bytes makeFits(const std::vector<std::string>& cards, const Bytes& values);

/// A file of DigitalMicrograph with a small picture of 2 x 2 colours before the image.
struct GatanRecipe {
    int version = 3; ///< 3 or 4
    bool little = true;
    std::vector<std::int32_t> lengths{}; ///< x first
    int type = 2;                        ///< 2 float32, 6 uint8, 10 uint16 and so on
    std::int32_t kind = 6;               ///< of the values in the array of voxels
    std::vector<std::u16string> units{};
    Bytes voxels{}; ///< in our order of bytes
    std::size_t width = 4;
    bool thumbnail = true;
};
/// Axis a has the scale (a + 1) / 2 and voxel a + 1 at 0.
[[nodiscard]] Bytes makeGatan(const GatanRecipe& recipe);

} // namespace flcc::test
