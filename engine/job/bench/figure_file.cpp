#include "engine/job/bench/figure_file.h"

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"

namespace flcc::job::detail {

namespace {

bool isNumbers(const std::filesystem::path& path) { return path.extension() == ".json"; }

} // namespace

void checkFigureFile(const std::filesystem::path& path, const std::string& device) {
    if (device == "auto") {
        throw base::Error(base::ErrorCode::CommandLine,
                          "a figure cannot be made with --device auto; use --device cpu or cuda");
    }
    if (isNumbers(path)) {
        return;
    }
    try {
        io::requireWritable(path, base::PixelType::UInt8, {1, 1, 1});
    } catch (const base::Error& refused) {
        throw base::Error(refused.code(), std::string(refused.what()) +
                                              "; the numbers of a figure can be written as .json");
    }
}

void writeFigureFile(const std::filesystem::path& path, const std::string& numbers,
                     const Picture& picture) {
    if (isNumbers(path)) {
        io::writeText(path, numbers);
    } else {
        (void)io::writeImage(path, base::AnyView(picture.view()), {});
    }
}

} // namespace flcc::job::detail
