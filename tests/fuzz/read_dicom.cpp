// Reads the bytes as the header of a DICOM file, as flcc-reader does. GDCM may end the process by
// an assertion of its own, as flcc-reader expects of it: tests/fuzz/run runs this fuzzer in
// processes that may crash, and sorts what they leave by where it happened.

#include <exception>

#include "engine/io/detail/dicom_header.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace detail = flcc::io::detail;
    const std::filesystem::path& path = flcc::fuzz::inputFile(data, size);
    try {
        if (detail::isDicom(path)) {
            if (const auto file = detail::readDicomHeader(path)) {
                flcc::fuzz::require(file->extents.x > 0 && file->extents.y > 0 &&
                                    file->extents.z > 0);
            }
        }
    } catch (const std::exception&) { // flcc-reader answers with a sentence
    }
    return 0;
}
