// Part of every test: a cache folder of its own beside the tests, without knowledge at the start.

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace {

const bool kOwnCache = [] {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const std::filesystem::path cache = program.parent_path() / "cache" / program.filename();
    std::error_code ignored;
    std::filesystem::remove_all(cache / "flcc", ignored);
    return ::setenv("XDG_CACHE_HOME", cache.c_str(), 1) == 0;
}();

} // namespace
