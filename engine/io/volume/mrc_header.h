#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/format/headers.h"
#include "engine/io/format/raw_layout.h"

namespace flcc::io::detail {

constexpr std::int64_t kMrcHeaderBytes = 1024;
constexpr std::size_t kMrcStampAt = 212;
constexpr unsigned char kMrcLittleStamp = 0x44;
constexpr unsigned char kMrcBigStamp = 0x11;
constexpr std::int32_t kVolumeStack = 400; ///< added to the space group of each volume

/// Reads the numbers of an MRC header, and keeps a sentence for each assumption.
class MrcHeader {
  public:
    /// Decides on the byte order: that of the machine stamp where mode, extents and axes make sense
    /// in it, else the other one. `size` is that of the file, INT64_MAX if it is packed.
    /// **Errors**: Input when the header makes sense in neither order.
    MrcHeader(const std::filesystem::path& path, Bytes bytes, std::int64_t size);

    /// Byte order, coding and axes of the voxels; extents, type and geometry. The type of bytes
    /// (mode 0) is open if `bytesUndecided`.
    void describe(ImageInfo& info, RawLayout& layout);

    /// Mode 0, and the header does not say whether bytes are signed.
    [[nodiscard]] bool bytesUndecided() const { return m_undecided; }

  private:
    [[nodiscard]] std::int32_t whole(std::size_t at) const {
        return field<std::int32_t>(m_bytes, at, m_swapped);
    }
    [[nodiscard]] float real(std::size_t at) const { return field<float>(m_bytes, at, m_swapped); }
    [[nodiscard]] bool hasMap() const;
    [[nodiscard]] bool isImod() const;
    void setOrder(std::int64_t size);
    void setType(ImageInfo& info, RawLayout& layout);
    void setBytes(ImageInfo& info);
    void setAxes(ImageInfo& info, RawLayout& layout);
    void setSpacing(ImageInfo& info);
    void setOrigin(ImageInfo& info);
    void noteStack(const ImageInfo& info);
    void say(std::string note) { m_notes.push_back(std::move(note)); }

    const std::filesystem::path& m_path;
    Bytes m_bytes;
    bool m_swapped = false;
    bool m_undecided = false;
    bool m_halfWidth = false;            ///< IMOD: two 4-bit values in each byte of a row
    std::array<std::size_t, 3> m_axes{}; ///< axis (x, y, z) of columns, rows and sections
    std::int64_t m_volumes = 1;          ///< of a stack of volumes
    std::vector<std::string> m_notes;
};

/// True if voxels of mode 0 are unsigned: values of neighbours then differ clearly less than if the
/// bytes are taken as signed, as the standard says. `bytes` are voxels in the order of the file.
[[nodiscard]] bool looksUnsigned(const Bytes& bytes);

} // namespace flcc::io::detail
