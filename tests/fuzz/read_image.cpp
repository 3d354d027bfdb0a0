// Reads the bytes as an image file of one extension: header, then all pixels.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/base/error.h"
#include "engine/io/image_file.h"

namespace {

/// A file of this process in memory, so that a run leaves nothing on the disk.
std::filesystem::path filePath() {
    return "/dev/shm/flcc-fuzz-" + std::to_string(::getpid()) + "." + FLCC_EXTENSION;
}

void removeFile() {
    std::error_code ignored;
    std::filesystem::remove(filePath(), ignored);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path kPath = filePath();
    static const int kRegistered = std::atexit(removeFile);
    (void)kRegistered;
    std::ofstream(kPath, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        flcc::io::ReadOptions options;
        options.maxBytes = std::int64_t{64} << 20;
        const flcc::io::ImageInfo info = flcc::io::readImageInfo(kPath);
        options.channel = info.channels > 1 ? std::optional(0) : std::nullopt;
        options.frame = info.frames > 1 ? std::optional(0) : std::nullopt;
        (void)flcc::io::readImage(kPath, options);
    } catch (const flcc::base::Error&) { // a sentence for the user: what should happen
    }
    return 0;
}
