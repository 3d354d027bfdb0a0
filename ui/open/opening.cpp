#include "ui/open/opening.h"

#include <system_error>

#include "engine/base/error.h"
#include "engine/io/raw_volume.h"
#include "ui/base/text.h"

namespace flcc::ui {

QString fileName(const std::filesystem::path& path) {
    if (const auto raw = io::rawVolumeOf(path)) {
        return pathText(raw->file.filename());
    }
    return pathText(path.has_filename() ? path.filename() : path.parent_path().filename());
}

QStringList rawExtensions() {
    return {QStringLiteral("raw"), QStringLiteral("bin"), QStringLiteral("dat"),
            QStringLiteral("vol")};
}

bool isRawName(const std::filesystem::path& path) {
    std::error_code ignored;
    const QString extension = pathText(path.extension()).toLower();
    return std::filesystem::is_regular_file(path, ignored) &&
           rawExtensions().contains(extension.mid(1));
}

bool hasHeader(const std::filesystem::path& path) {
    try {
        (void)io::readImageInfo(path);
        return true;
    } catch (const base::Error&) {
        return false;
    }
}

} // namespace flcc::ui
