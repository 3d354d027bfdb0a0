#pragma once

#include <utility>
#include <vector>

#include "engine/io/digest.h"

namespace flcc::job::detail {

/// Stores the digests of the files of an image (LoadedImage::files) in a SceneImage or InputReport:
/// all files of a series; else the file, and what lies beside it: one file of voxels, or several as
/// a series.
template <class Target>
void setDigests(Target& target, std::vector<io::FileDigest> files, bool series) {
    if (series || files.empty()) {
        target.series = std::move(files);
        return;
    }
    target.sha256 = files.front().sha256;
    files.erase(files.begin());
    if (files.size() == 1) {
        target.dataFile = std::move(files.front());
    } else {
        target.series = std::move(files);
    }
}

} // namespace flcc::job::detail
