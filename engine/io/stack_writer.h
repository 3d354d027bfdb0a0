#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/io/atomic_file.h"

namespace flcc::io {

/// Writes a volume slice by slice, so that only one slice is in memory. The file has the bytes that
/// writeImage() gives the whole volume. **Threads**: one call at a time.
class StackWriter {
  public:
    /// Writes the header to the temporary name of `file`, which must outlive the writer; the caller
    /// calls commit() after finish(). `extents` and `geometry` are those of the volume.
    /// **Errors**: CommandLine as requireStackWritable; Output.
    StackWriter(const AtomicFile& file, base::PixelType type, const base::Extents& extents,
                const base::Geometry& geometry);
    ~StackWriter();
    StackWriter(const StackWriter&) = delete;
    StackWriter& operator=(const StackWriter&) = delete;

    /// Appends the next slice; false if cancelled, after which the file is of no use.
    /// **Errors**: Output; Internal for a slice of other extents or type, or one too many.
    [[nodiscard]] bool append(const base::AnyView& slice, const std::stop_token& stop = {});

    /// Closes the file. **Errors**: Output; Internal when slices are missing.
    void finish();

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

/// Throws for a file that StackWriter cannot write: .mha and .nrrd are possible. The sentence
/// begins with `what`, such as "--map". **Errors**: CommandLine.
void requireStackWritable(const std::filesystem::path& path, const std::string& what);

} // namespace flcc::io
