// Part of every test: a cache folder of its own in the build tree, without knowledge at the start.

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace {

const bool kOwnCache = [] {
    std::error_code ignored;
    std::filesystem::remove_all(FLCC_TEST_CACHE "/flcc", ignored);
    return ::setenv("XDG_CACHE_HOME", FLCC_TEST_CACHE, 1) == 0;
}();

} // namespace
