#include "engine/job/report/text_file.h"

#include <cstdint>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/open_file.h"

namespace flcc::job::detail {

std::string readTextFile(const std::filesystem::path& path, const char* what) {
    constexpr std::size_t kMostMiB = 64;
    constexpr std::size_t kMost = kMostMiB << 20U;
    const std::string name = std::string(what) + " " + path.string();
    std::error_code ignored;
    std::ifstream in;
    if (std::filesystem::is_regular_file(path, ignored)) { // /dev/zero has no end, a pipe may wait
        in = base::openFile(path);
    }
    std::string text;
    std::string block(std::size_t{1} << 16U, '\0');
    // The limit is kept while reading: a file may grow, and files of /proc have no size.
    while (in.is_open() && text.size() <= kMost &&
           (in.read(block.data(), std::ssize(block)) || in.gcount() > 0)) {
        text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad()) {
        throw base::Error(base::ErrorCode::Input, "cannot read the " + name);
    }
    if (text.size() > kMost) {
        throw base::Error(base::ErrorCode::Input, "the " + name + " is larger than " +
                                                      std::to_string(kMostMiB) +
                                                      " MiB; no such file needs that many bytes");
    }
    return text;
}

} // namespace flcc::job::detail
