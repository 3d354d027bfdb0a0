#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

// Files made byte by byte, so that no library's writer and reader can agree on the same mistake.

namespace flcc::test {

using Bytes = std::vector<unsigned char>;

[[nodiscard]] Bytes readFile(const std::filesystem::path& path);
void writeFile(const std::filesystem::path& path, const Bytes& bytes);
void writeFile(const std::filesystem::path& path, const std::string& text);

/// The error `call` throws; empty when it throws none.
[[nodiscard]] std::optional<base::Error> errorOf(const std::function<void()>& call);

/// Values that differ from voxel to voxel and use the whole range of the type.
[[nodiscard]] base::AnyImage patternImage(base::PixelType type, const base::Extents& extents);

/// True when both have the same type, extents and bits.
[[nodiscard]] bool sameBits(const base::AnyImage& a, const base::AnyImage& b);

/// The voxels as they lie in memory.
[[nodiscard]] Bytes voxelBytes(const base::AnyImage& image);

/// Every value of `width` bytes turned round.
[[nodiscard]] Bytes swapped(Bytes bytes, std::size_t width);

/// Joins the bytes of several values, in our order or the other one.
class ByteWriter {
  public:
    explicit ByteWriter(bool turned = false) : m_turned(turned) {}
    template <class T> ByteWriter& put(T value) {
        Bytes raw(reinterpret_cast<const unsigned char*>(&value),
                  reinterpret_cast<const unsigned char*>(&value) + sizeof(T));
        append(m_turned ? swapped(raw, sizeof(T)) : raw);
        return *this;
    }
    ByteWriter& append(const Bytes& more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
        return *this;
    }
    void padTo(std::size_t size) { bytes.resize(size); }

    Bytes bytes;

  private:
    bool m_turned;
};

/// Writes a value into a file made before.
template <class T> void put(Bytes& file, std::size_t at, T value, bool turned = false) {
    const Bytes raw = ByteWriter(turned).put(value).bytes;
    std::copy(raw.begin(), raw.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
}

/// True when one of the sentences has this part.
[[nodiscard]] inline bool holds(const std::vector<std::string>& sentences,
                                const std::string& part) {
    return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
        return sentence.find(part) != std::string::npos;
    });
}

/// An entry of a TIFF directory with one short or long, or with values that lie elsewhere.
struct TiffTag {
    std::uint16_t tag = 0;
    std::uint16_t type = 3; ///< 1 byte, 3 short, 4 long, 5 rational
    std::uint32_t value = 0;
    std::uint32_t count = 1; ///< of the values in `bytes`; these in TiffRecipe::tags only
    Bytes bytes{};           ///< in the file's order of bytes
};

/// A TIFF file of uncompressed pages, one strip each.
struct TiffRecipe {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint16_t bits = 8;
    std::uint16_t sampleFormat = 1; ///< 1 unsigned, 2 signed, 3 float
    std::uint16_t samples = 1;
    std::uint16_t photometric = 1;   ///< 0 white is zero, 1 black is zero, 2 RGB, 3 palette
    std::vector<Bytes> pages;        ///< in our order of bytes
    std::string description;         ///< of the first page
    std::uint32_t pixelsPer1000 = 0; ///< resolution: pixels on 1000 units; 0 for none
    Bytes palette;                   ///< three times 2^bits shorts, in our order of bytes
    bool turned = false;             ///< the other order of bytes
    bool big = false;                ///< BigTIFF
    std::vector<TiffTag> tags{};     ///< further entries of all pages
    /// Width and height of each page, and further entries; a page without is like the recipe.
    struct Page {
        std::uint32_t width = 0;
        std::uint32_t height = 0;
        std::vector<TiffTag> tags{};
    };
    std::vector<Page> ofPage{};
};
[[nodiscard]] Bytes makeTiff(const TiffRecipe& recipe);

/// Pages of 8 bits whose pixels all hold the number of the page, from `first` on.
[[nodiscard]] TiffRecipe numberedTiff(int count, std::uint32_t width, std::uint32_t height,
                                      int first = 0);

/// An MRC file; `lengths` are those of the cell, in angstrom.
[[nodiscard]] Bytes makeMrc(int mode, const base::Extents& extents, const base::Point& lengths,
                            const Bytes& voxels, bool turned = false);

/// A NIfTI file of up to seven dimensions.
struct NiftiRecipe {
    std::vector<std::int16_t> sizes;
    std::int16_t type = 4; ///< 2 uint8, 4 int16, 16 float32, 32 complex
    std::int16_t bits = 16;
    std::vector<float> spacing;
    char units = 2; ///< 2 mm, 3 um
    float slope = 1;
    Bytes voxels; ///< in our order of bytes
    int qform = 0;
    int sform = 0;
    std::array<double, 3> quaternion{}; ///< b, c, d
    std::array<double, 3> offset{};
    std::array<double, 12> matrix{}; ///< row after row
    float handedness = 0;
    int intent = 0;
    bool turned = false; ///< the other order of bytes
    bool second = false; ///< NIfTI-2
};
[[nodiscard]] Bytes makeNifti(const NiftiRecipe& recipe);

/// Row after row.
using Matrix = std::array<std::array<double, 3>, 3>;
/// Rotation by `angle` about a unit axis: by another formula than the quaternion's.
[[nodiscard]] Matrix rotation(const std::array<double, 3>& axis, double angle);

/// A JPEG file at best quality; `pixels` hold `components` bytes each, row after row.
[[nodiscard]] Bytes makeJpeg(unsigned width, unsigned height, int components, bool progressive,
                             const Bytes& pixels);

/// The bytes packed by gzip, and by the bare zlib format.
[[nodiscard]] Bytes joined(const std::string& header, const Bytes& data);
[[nodiscard]] Bytes gzip(const Bytes& bytes);
[[nodiscard]] Bytes deflated(const Bytes& bytes);

} // namespace flcc::test
