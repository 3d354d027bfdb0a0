#pragma once

#include <filesystem>
#include <optional>

#include "engine/io/detail/dicom_series.h"

namespace flcc::io::detail {

/// True for an ordinary file with the mark of DICOM files.
[[nodiscard]] bool isDicom(const std::filesystem::path& path);

/// Reads the header of a DICOM file; nothing if the file holds no picture. **Errors**: Input;
/// exceptions of GDCM.
[[nodiscard]] std::optional<DicomFile> readDicomHeader(const std::filesystem::path& path);

} // namespace flcc::io::detail
