#include "engine/job/detail/text_file.h"

#include <fstream>
#include <sstream>

#include "engine/base/error.h"

namespace flcc::job::detail {

std::string readTextFile(const std::filesystem::path& path, const char* what) {
    std::error_code ignored;
    std::ifstream in;
    if (std::filesystem::is_regular_file(path, ignored)) { // /dev/zero has no end, a pipe may wait
        in.open(path, std::ios::binary);
    }
    std::ostringstream text;
    if (!in.is_open() || !(text << in.rdbuf())) {
        throw base::Error(base::ErrorCode::Input,
                          std::string("cannot read the ") + what + " " + path.string());
    }
    return text.str();
}

} // namespace flcc::job::detail
