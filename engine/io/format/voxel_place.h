#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/io/format/raw_layout.h"
#include "engine/io/format/raw_reader.h"
#include "engine/io/image_file.h"

namespace flcc::io::detail {

/// Where and how the voxels of a file are stored.
struct VoxelPlace {
    RawLayout layout;
    /// Type in the file, if it is not the type of the image. Then value in the image = slope *
    /// value in the file + intercept.
    std::optional<base::PixelType> stored{};
    double slope = 1;
    double intercept = 0;
};

/// What a header says: the image and the place of its voxels.
struct Described {
    ImageInfo info;
    VoxelPlace place;
    /// The file with the header, if the voxels lie in others.
    std::filesystem::path headerFile{};
    bool hasFooter = false; ///< what lies behind the voxels belongs to the format
};

/// The header of files whose voxels lie in them, or beside them. Sets ImageInfo::complete if the
/// number of bytes shows that all voxels are there, and ImageInfo::regions. **Errors**: Input when
/// a file cannot hold what the header promises.
[[nodiscard]] Described requireRoom(const std::filesystem::path& path, Described header);

/// Reads the voxels of the chosen channel and frame. **Errors**: as readImage.
[[nodiscard]] LoadedImage readVoxels(const std::filesystem::path& path, const Described& header,
                                     const ReadOptions& options, ReadFiles* files);

/// Bytes that each file of voxels must have after its offset, undecoded. **Errors**: Input when the
/// extents are not usable.
[[nodiscard]] std::int64_t bytesPerPart(const std::filesystem::path& path, const Described& header);

/// As readVoxels, a box of the image; the information and the geometry are those of the box.
[[nodiscard]] LoadedImage readVoxelRegion(const std::filesystem::path& path,
                                          const Described& header, const base::Box& box,
                                          const ReadOptions& options, ReadFiles* files);

/// Reads the voxels of one frame after the other. **Errors**: Input; Stopped.
class VoxelReader {
  public:
    /// `files` may be null and must outlive the reader.
    VoxelReader(const Described& header, ReadFiles* files, std::stop_token stop);
    [[nodiscard]] std::vector<base::AnyImage> read(const base::Box& box, const Choice& choice);

  private:
    VoxelPlace m_place;
    base::PixelType m_pixel;
    std::stop_token m_stop;
    RawReader m_raw;
};

/// Reads all voxels of all channels and frames and keeps none. **Errors**: Input when the file is
/// truncated or damaged; Stopped.
void readThrough(const Described& header, const std::stop_token& stop);

/// Checks that a file that is packed by gzip as a whole holds all frames, where reading one of
/// several does not reach its end. **Cost**: nothing for a file of one gzip member, else the time
/// to unpack it. **Errors**: Input; Stopped.
void requireAllFrames(const Described& header, const std::stop_token& stop);

} // namespace flcc::io::detail
