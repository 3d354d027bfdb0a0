#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/resource.h>

#include "engine/io/reader/dicom_series.h"

namespace flcc::io::detail {

/// While it lives, the process can take only 64 MiB and `bytes` more memory. GDCM allocates and
/// clears whatever length a damaged element states, up to 4 GiB, before it reads.
class MemoryLimit {
  public:
    explicit MemoryLimit(std::int64_t bytes);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

  private:
    rlimit m_before{};
    bool m_lowered = false;
};

/// Most memory that the elements of a file may take: small ones take about 20 times their bytes.
[[nodiscard]] std::int64_t headerBytes(const std::filesystem::path& path);

/// True for an ordinary file with the mark of DICOM files.
[[nodiscard]] bool isDicom(const std::filesystem::path& path);

/// Reads the header of a DICOM file; nothing if the file holds no picture. **Errors**: Input;
/// exceptions of GDCM.
[[nodiscard]] std::optional<DicomFile> readDicomHeader(const std::filesystem::path& path);

} // namespace flcc::io::detail
