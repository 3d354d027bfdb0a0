#include "engine/base/open_file.h"

#include <cerrno>
#include <new>

namespace flcc::base {

std::ifstream openFile(const std::filesystem::path& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open() && errno == ENOMEM) {
        throw std::bad_alloc();
    }
    return file;
}

} // namespace flcc::base
