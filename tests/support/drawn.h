#pragma once

#include <filesystem>

#include "engine/base/error.h"
#include "engine/io/drawing.h"

namespace flcc::test {

/// Whether this build draws figures into such a file: without cairo it writes .svg alone, without
/// image libraries .pdf alone.
[[nodiscard]] inline bool draws(const std::filesystem::path& file) {
    try {
        io::requireDrawable(file);
        return true;
    } catch (const base::Error&) {
        return false;
    }
}

} // namespace flcc::test
