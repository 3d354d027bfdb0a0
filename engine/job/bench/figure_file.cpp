#include "engine/job/bench/figure_file.h"

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/drawing.h"

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
        io::requireDrawable(path);
    } catch (const base::Error& refused) {
        throw base::Error(refused.code(), std::string(refused.what()) +
                                              "; the numbers of a figure can be written as .json");
    }
}

void writeFigureFile(const std::filesystem::path& path, const std::string& numbers,
                     const io::Drawing& drawing) {
    if (isNumbers(path)) {
        io::writeText(path, numbers);
    } else {
        io::AtomicFile file(path);
        io::writeDrawing(file, drawing);
        file.commit();
    }
}

} // namespace flcc::job::detail
