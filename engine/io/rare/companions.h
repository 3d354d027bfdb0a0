#pragma once

#include <filesystem>
#include <vector>

// Files beside one that ITK reads. The programs protect them and take their digests; flcc-reader
// reads them.

namespace flcc::io::detail {

/// The voxels of a Stimulate header: the file that its line stimFileName names, else FILE.spr.sdt
/// or FILE.sdt. It need not exist.
[[nodiscard]] std::filesystem::path sdtFileOf(const std::filesystem::path& header);

/// The header of Bruker's voxels: the file visu_pars beside them. It need not exist.
[[nodiscard]] std::filesystem::path visuParsOf(const std::filesystem::path& voxels);

/// Whether a file lies in the folder of another one, also after links are resolved.
[[nodiscard]] bool isBeside(const std::filesystem::path& file, const std::filesystem::path& other);

/// sdtFileOf() and visuParsOf() as the other files of a set, if the file is there.
[[nodiscard]] std::vector<std::filesystem::path> sdtFiles(const std::filesystem::path& header);
[[nodiscard]] std::vector<std::filesystem::path> visuParsFiles(const std::filesystem::path& voxels);

} // namespace flcc::io::detail
