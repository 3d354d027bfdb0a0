#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace flcc::io::detail {

/// How the pixels of a DICOM file are packed: its transfer syntax.
struct DicomPacking {
    std::string uid;           ///< empty if the file names none
    std::int64_t position = 0; ///< of the text in the file
    std::int64_t length = 0;
    std::string name;      ///< "HTJ2K"; empty for an unknown one
    bool readable = false; ///< the library here can unpack it
};

/// Reads the first elements of the file. **Errors**: none.
[[nodiscard]] DicomPacking packingOf(const std::filesystem::path& path);

/// "HTJ2K (1.2.840.10008.1.2.4.201)".
[[nodiscard]] std::string textOf(const DicomPacking& packing);

} // namespace flcc::io::detail
