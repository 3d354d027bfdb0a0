#pragma once

#include <QObject>

#include <memory>
#include <source_location>
#include <string>
#include <utility>

/// One executable holds the test classes of a room. Each test file ends with
///
///     const flcc::test::TestClass<PixelsTest> kPixelsTest;
///
/// and `cpu_tests pixels_test` runs the class of pixels_test.cpp; arguments after it are Qt Test's.
namespace flcc::test {

using MakeTest = std::unique_ptr<QObject> (*)();

/// `file`: the source file of the class; its name without folder and ending is that of the test.
void addTestClass(const std::string& file, MakeTest make);

/// Runs the class that `argv[1]` names, or every class without one, in a cache folder of its own.
/// Returns the number of tests that failed; 2 for a name that no class has.
int runTestClasses(int argc, char** argv);

template <class Test> class TestClass {
  public:
    explicit TestClass(std::source_location where = std::source_location::current()) {
        addTestClass(where.file_name(),
                     []() -> std::unique_ptr<QObject> { return std::make_unique<Test>(); });
    }
};

} // namespace flcc::test
