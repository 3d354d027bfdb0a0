#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/io/format/raw_layout.h"
#include "engine/io/format/reading.h"

namespace flcc::io::detail {

class ReadFiles;
class ValueReader;

/// Reads planes of raw voxels: all components, or the chosen channel, of one frame. The bytes are
/// hashed for `files`, which may be null. **Cost**: memory for the planes and 2 MiB; what is read
/// before the place of the last call opens the file anew; see ValueReader. **Errors**: Input;
/// Stopped.
class RawReader {
  public:
    RawReader(ImageInfo info, const RawLayout& layout, ReadFiles* files,
              const std::stop_token& stop);
    ~RawReader();
    RawReader(const RawReader&) = delete;
    RawReader& operator=(const RawReader&) = delete;

    /// **Shapes**: the box lies in the image.
    [[nodiscard]] std::vector<base::AnyImage> read(const base::Box& box, const Choice& choice);

  private:
    ImageInfo m_info;
    std::vector<Step> m_steps;
    std::unique_ptr<ValueReader> m_values;
};

} // namespace flcc::io::detail
