#include "ui/open/opening.h"

#include "engine/io/raw_volume.h"
#include "ui/base/text.h"

namespace flcc::ui {

QString fileName(const std::filesystem::path& path) {
    if (const auto raw = io::rawVolumeOf(path)) {
        return pathText(raw->file.filename());
    }
    return pathText(path.has_filename() ? path.filename() : path.parent_path().filename());
}

} // namespace flcc::ui
