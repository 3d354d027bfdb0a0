#include "engine/io/files/paths.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/open_file.h"

namespace flcc::io::detail {

std::string shown(const std::filesystem::path& path) {
    std::string text = path.string();
    for (char& letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
            letter = '?';
        }
    }
    return text;
}

void failInput(const std::filesystem::path& path, const std::string& reason) {
    throw base::Error(base::ErrorCode::Input, "cannot read " + shown(path) + ": " + reason);
}

void failInput(const std::filesystem::path& path, int error) {
    if (error == ENOMEM) {
        throw std::bad_alloc();
    }
    failInput(path, std::generic_category().message(error));
}

void failOutput(const std::filesystem::path& path, const std::string& reason) {
    throw base::Error(base::ErrorCode::Output, "cannot write " + shown(path) + ": " + reason);
}

void failOutput(const std::filesystem::path& path, int error) {
    if (error == ENOMEM) {
        throw std::bad_alloc();
    }
    failOutput(path, error == 0 ? "it could not be written completely"
                                : std::generic_category().message(error));
}

std::int64_t requireRegularFile(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
        const std::string name = path.string();
        const std::size_t at = name.find('@');
        const bool relion = at != 0 && at != name.npos &&
                            name.find_first_not_of("0123456789") == at; // 000003@stack.mrcs
        failInput(path, relion ? "there is no such file; it is RELION's name of an image of a "
                                 "stack: name the stack alone and choose the image with --frame, "
                                 "which counts from 0"
                               : "there is no such file");
    }
    if (error) {
        failInput(path, error.message());
    }
    if (std::filesystem::is_directory(status)) {
        failInput(path, "it is a folder");
    }
    if (!std::filesystem::is_regular_file(status)) {
        failInput(path, "it is not an ordinary file");
    }
    if (::access(path.c_str(), R_OK) != 0) {
        failInput(path, "no permission to read it");
    }
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) {
        failInput(path, error.message());
    }
    if (bytes == 0) {
        failInput(path, "the file is empty");
    }
    return static_cast<std::int64_t>(bytes);
}

std::filesystem::path requireNeighbour(const std::filesystem::path& header,
                                       const std::string& file) {
    constexpr std::size_t kLongestName = 255;
    if (file.size() > kLongestName) {
        failInput(header, "the name of the file of its pixels has " + std::to_string(file.size()) +
                              " characters");
    }
    const std::string named = shown(file);
    if (file.empty() || file.find('/') != std::string::npos || file == "." || file == "..") {
        failInput(header, "its pixels lie in another folder (" + named + ")");
    }
    std::error_code error;
    const auto folder = std::filesystem::weakly_canonical(
        header.has_parent_path() ? header.parent_path() : ".", error);
    const auto resolved = error ? folder : std::filesystem::weakly_canonical(folder / file, error);
    if (error) {
        failInput(header, "its pixels cannot be found (" + named + "): " + error.message());
    }
    if (resolved.parent_path() != folder) {
        failInput(header, "its pixels lie in another folder: " + named + " is a link to " +
                              shown(resolved));
    }
    return header.parent_path() / file;
}

std::vector<unsigned char> readBytes(const std::filesystem::path& path, std::int64_t offset,
                                     std::int64_t count) {
    std::ifstream file = base::openFile(path);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    if (!file.seekg(offset)) {
        failInput(path, "it cannot be opened");
    }
    file.read(reinterpret_cast<char*>(bytes.data()), count);
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

} // namespace flcc::io::detail
