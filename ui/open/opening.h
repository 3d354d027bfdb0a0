#pragma once

#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <optional>

#include "engine/io/image_file.h"

namespace flcc::ui {

/// Called after the document has changed; `opened` is false if the file was not opened.
using ThenOpened = std::function<void(bool opened)>;

inline void tellOpened(const ThenOpened& then, bool opened) {
    if (then) {
        then(opened);
    }
}

/// What is taken of a file with several channels, frames or images.
struct OpenChoice {
    std::optional<int> channel;
    std::optional<int> frame;
    /// How the file is taken; empty: as the user wants pictures to be turned, and templates and
    /// masks as the scene.
    std::optional<io::Reading> reading;
    bool asStored = false; ///< templates and masks keep their axes, whatever directions they state
};

/// The name of a file or folder without the folders above it; of raw voxels without their layout.
[[nodiscard]] QString fileName(const std::filesystem::path& path);

/// Extensions of files that often hold voxels without a header.
[[nodiscard]] QStringList rawExtensions();
[[nodiscard]] bool isRawName(const std::filesystem::path& path);
/// True if the format of the file is known, whatever its name.
[[nodiscard]] bool hasHeader(const std::filesystem::path& path);

} // namespace flcc::ui
