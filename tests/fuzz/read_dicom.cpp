// Reads the bytes as the header of a DICOM file, as flcc-reader does. GDCM ends flcc-reader by
// assertions of its own on some damaged files, and flcc-reader may take little memory; flcc-cli
// reports both in a sentence. Here an assertion ends the input only, and memory ends likewise.

#include <csetjmp>
#include <cstdlib>
#include <exception>
#include <new>

#include "engine/io/reader/dicom_header.h"
#include "tests/fuzz/input_file.h"

namespace {

std::jmp_buf nextInput; // objects of the abandoned input leak
bool reading = false;   // libFuzzer's own allocations have no limit

void* allocate(std::size_t size) {
    void* const memory = reading && size > (std::size_t{1} << 20) ? nullptr : std::malloc(size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void read(const std::filesystem::path& path) {
    namespace detail = flcc::io::detail;
    try {
        if (detail::isDicom(path)) {
            if (const auto file = detail::readDicomHeader(path)) {
                flcc::fuzz::require(file->extents.x > 0 && file->extents.y > 0 &&
                                    file->extents.z > 0);
            }
        }
    } catch (const std::exception&) { // flcc-reader answers with a sentence
    }
}

} // namespace

#pragma GCC visibility push(default)
extern "C" void __assert_fail(const char*, const char*, unsigned, const char*) noexcept {
    std::longjmp(nextInput, 1);
}
extern "C" const char* __asan_default_options() {
    return "alloc_dealloc_mismatch=0:detect_leaks=0";
}
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
#pragma GCC visibility pop

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::filesystem::path& path = flcc::fuzz::inputFile(data, size);
    reading = true;
    static const int kOwn = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (setjmp(nextInput) == 0) {
        read(path);
    } else {
        ::close_range(static_cast<unsigned>(kOwn) + 1, ~0U, 0); // the abandoned file
    }
    reading = false;
    return 0;
}
