#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

// The language between the programs and `flcc-reader`, the process that reads files through
// libraries that may crash.
//
// Call: flcc-reader FORMAT info|read PATH DATASET FRAME CHANNEL IMAGE BOX MEMORY. FORMAT is a word
// of FormatRow::reader; of "dicom", PATH is a folder or one file of it; of "hdf5", DATASET is a
// path inside the file, or empty. FRAME, CHANNEL and IMAGE count from 0; -1 is none. BOX is
// "X,Y,Z,W,H,D" or empty. A picture of more than MEMORY bytes is answered without its voxels.
//
// Answer, on standard output: a ReaderHeader, then `textBytes` bytes of texts. If `code` is 0 and
// `voxelBytes` is not 0, blocks follow: the number of their bytes (int64), then the bytes. A number
// of kReaderFailed announces a second ReaderHeader, which says why reading ended early. Voxels are
// in x, y, z order, the components of a voxel adjacent, in the byte order of the processor.
//
// With a BOX and ReaderHeader::regions, the voxels are those of the box; without, of the image.
//
// A text is one letter (ReaderText), the text, and a 0 byte.

namespace flcc::io {

/// Sanitizers reserve terabytes of addresses, so that a limit on them would end every program.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kLimitsMemory = false;
#else
inline constexpr bool kLimitsMemory = true;
#endif
#else
inline constexpr bool kLimitsMemory = true;
#endif

/// Changes with the layout of ReaderHeader, so that programs of different versions do not
/// misunderstand each other.
inline constexpr std::uint64_t kReaderMagic = 0x34305244'43434c46; // "FLCCDR04"
inline constexpr std::int64_t kReaderFailed = -1;

/// Limits of an answer; a larger one is an error.
inline constexpr std::int64_t kMostReaderText = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostReaderBlock = std::int64_t{1} << 26;

enum class ReaderText : char {
    Sentence = 'E', ///< why reading failed, without the path
    Note = 'N',     ///< a sentence about an image that was read
    File = 'F',     ///< the name of a file of the series, without folder
    Entry = 'M',    ///< "key=value" of ImageInfo::metadata
    Choice = 'C',   ///< one of several images, beside the sentence: the name of a file of a series
                  ///< or the path of a dataset, name, kind, sizes and number of files, a line each
};

/// Extents, type and geometry as in ImageInfo. `code` is 0 or a base::ErrorCode, whose sentence is
/// a text.
struct ReaderHeader {
    std::uint64_t magic = kReaderMagic;
    std::int32_t code = 0;
    std::int32_t pixel = 0; ///< base::PixelType
    std::int32_t components = 1;
    std::int32_t frames = 1;
    std::int32_t channels = 1;
    std::int32_t orientation = -1; ///< that the EXIF block states; -1: none. Voxels are as stored
    std::int32_t images = 1;
    std::int32_t image = 0;   ///< the one that is described
    std::int64_t regions = 0; ///< 1: a box can be read without the rest
    std::array<std::int64_t, 3> extents{};
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{};
    std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::array<char, 16> unit{};   ///< as in the file, 0-terminated; empty if the file has none
    std::int64_t skippedFiles = 0; ///< other files in the folder
    std::int64_t textBytes = 0;
    std::int64_t voxelBytes = 0; ///< of all blocks
};
static_assert(std::is_trivially_copyable_v<ReaderHeader> && sizeof(ReaderHeader) == 232);

} // namespace flcc::io
