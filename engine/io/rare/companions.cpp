#include "engine/io/rare/companions.h"

#include <fstream>
#include <string>

namespace flcc::io::detail {

namespace {

std::vector<std::filesystem::path> thatExist(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) ? std::vector{file}
                                                           : std::vector<std::filesystem::path>{};
}

} // namespace

std::filesystem::path sdtFileOf(const std::filesystem::path& header) {
    constexpr std::string_view kKey = "stimFileName:";
    constexpr int kMostLines = 1000;
    std::ifstream in(header);
    std::string line;
    std::string named;
    for (int count = 0; count < kMostLines && std::getline(in, line); ++count) {
        if (const auto at = line.find(kKey); at != std::string::npos) {
            named = line.substr(at + kKey.size());
            named.erase(0, named.find_first_not_of(" \t"));
            named.erase(named.find_last_not_of(" \t\r") + 1);
        }
    }
    if (!named.empty()) {
        return header.parent_path() / named;
    }
    const std::filesystem::path behind = header.string() + ".sdt";
    std::error_code ignored;
    return std::filesystem::exists(behind, ignored)
               ? behind
               : std::filesystem::path(header).replace_extension("sdt");
}

std::filesystem::path visuParsOf(const std::filesystem::path& voxels) {
    return voxels.parent_path() / "visu_pars";
}

bool isBeside(const std::filesystem::path& file, const std::filesystem::path& other) {
    std::error_code ignored;
    const auto folder = [&](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored)
            .parent_path();
    };
    return folder(file) == folder(other);
}

std::vector<std::filesystem::path> sdtFiles(const std::filesystem::path& header) {
    return thatExist(sdtFileOf(header));
}

std::vector<std::filesystem::path> visuParsFiles(const std::filesystem::path& voxels) {
    return thatExist(visuParsOf(voxels));
}

} // namespace flcc::io::detail
