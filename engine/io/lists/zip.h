#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::io::detail::lists {

struct ZipEntry {
    std::string name;
    std::string bytes;
};

/// An archive of entries that are not packed. **Errors**: Problem for more than 65535 entries or
/// 4 GiB.
[[nodiscard]] std::string zipText(const std::vector<ZipEntry>& entries);
/// The entries in the order of the archive's directory. Packed entries need zlib. **Errors**: Input
/// with `name`, also for an entry of more than 16 MiB.
[[nodiscard]] std::vector<ZipEntry> readZip(std::string_view bytes,
                                            const std::filesystem::path& name);

} // namespace flcc::io::detail::lists
