#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/io/format/raw_file.h"
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
};

/// The header of a file whose voxels lie in it, or beside it, one after the other. Sets
/// ImageInfo::complete if the number of bytes shows that all voxels are there. **Errors**: Input
/// when the file cannot hold what the header promises.
[[nodiscard]] Described requireRoom(const std::filesystem::path& path, Described header);

/// Reads the voxels of the chosen channel and frame. **Errors**: as readImage.
[[nodiscard]] LoadedImage readVoxels(const std::filesystem::path& path, const Described& header,
                                     const ReadOptions& options, ReadFiles* files);

/// Reads the voxels of one frame after the other. **Errors**: Input; Stopped.
class VoxelReader {
  public:
    /// `files` may be null and must outlive the reader.
    VoxelReader(const Described& header, ReadFiles* files, std::stop_token stop);
    [[nodiscard]] std::vector<base::AnyImage> read(const Choice& choice);

  private:
    VoxelPlace m_place;
    base::PixelType m_pixel;
    std::stop_token m_stop;
    RawReader m_raw;
};

/// Reads all voxels of all channels and frames and keeps none. **Errors**: Input when the file is
/// truncated or damaged; Stopped.
void readThrough(const Described& header, const std::stop_token& stop);

} // namespace flcc::io::detail
