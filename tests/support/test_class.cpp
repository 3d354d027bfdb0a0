#include "tests/support/test_class.h"

#include <QtTest>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <system_error>
#include <vector>

namespace flcc::test {

namespace {

using Classes = std::map<std::string, MakeTest>;

Classes& classes() {
    static Classes all; // made by whichever test file comes first
    return all;
}

/// What the user's cache holds must not change a test, nor a test what it holds.
void useOwnCache(const std::string& name) {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    const char* methods = std::getenv("FLCC_TEST_METHODS");
    const std::filesystem::path cache = program.parent_path() / "cache" / program.filename() /
                                        (name + (methods == nullptr ? "" : methods));
    std::error_code ignored;
    std::filesystem::remove_all(cache / "flcc", ignored);
    ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
}

int runTestClass(const std::string& name, MakeTest make, int argc, char** argv) {
    useOwnCache(name);
    return QTest::qExec(make().get(), argc, argv);
}

} // namespace

void addTestClass(const std::string& file, MakeTest make) {
    classes().emplace(std::filesystem::path(file).stem().string(), make);
}

int runTestClasses(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') {
        int failed = 0;
        for (const auto& [name, make] : classes()) {
            failed += runTestClass(name, make, argc, argv);
        }
        return failed;
    }
    const auto found = classes().find(argv[1]);
    if (found == classes().end()) {
        std::cerr << "no test is called " << argv[1] << "; there are:\n";
        for (const auto& [name, make] : classes()) {
            std::cerr << "  " << name << '\n';
        }
        return 2;
    }
    std::vector<char*> rest(argv + 1, argv + argc);
    rest.front() = argv[0];
    return runTestClass(found->first, found->second, static_cast<int>(rest.size()), rest.data());
}

} // namespace flcc::test
