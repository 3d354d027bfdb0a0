#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/io/image_file.h"

namespace flcc::io {

/// Reads the images of a stack one at a time: the slices of a volume or, of a file whose frames are
/// flat, its frames. A flat image is a stack of one. **Cost**: memory for one image; reading them
/// in their order reads the file once. **Threads**: one call at a time.
class StackReader {
  public:
    /// Reads the header, and of a packed NIfTI file its length. `options.frame` chooses a frame of
    /// a file that has several. **Errors**: as readImage; Problem for DICOM and HDF5, whose slices
    /// cannot be read one at a time. If cancelled, count() is 0.
    explicit StackReader(std::filesystem::path path, const ReadOptions& options = {});
    ~StackReader();
    StackReader(const StackReader&) = delete;
    StackReader& operator=(const StackReader&) = delete;

    /// Properties of one image, except that its geometry is that of the stack.
    [[nodiscard]] const ImageInfo& info() const;
    [[nodiscard]] int count() const;

    /// The image `number`, from 0, with its own place in the world. If cancelled, it has no
    /// components. **Errors**: as readImage.
    [[nodiscard]] LoadedImage read(int number, const std::stop_token& stop = {});

    /// With `options.digests`: the digests of the files, as LoadedImage::files; reads what was not
    /// read before. Empty if cancelled. **Errors**: Input when a file changed since the reader was
    /// made.
    [[nodiscard]] std::vector<FileDigest> digests(const std::stop_token& stop = {});

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace flcc::io
