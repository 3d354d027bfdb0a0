// Reads the bytes as what a file says of a tilt series: the first byte chooses the extension, and
// for STAR files what is asked for. A list of tomograms names a tilt series, whose text is what
// stands behind the first byte 0.

#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/tilt_file.h"
#include "engine/io/tilts/tilt_star.h"
#include "tests/fuzz/input_file.h"

namespace base = flcc::base;
namespace io = flcc::io;

namespace {

constexpr std::array<const char*, 5> kExtensions{".tlt", ".mdoc", ".defocus", ".xml", ".star"};

void requirePossible(const flcc::prepare::TiltSeries& series) {
    using flcc::fuzz::require;
    require(!series.tilts.empty() && series.tilts.size() <= 1000);
    for (const flcc::prepare::Tilt& tilt : series.tilts) {
        require(std::abs(tilt.angle) <= 90);
        require(!tilt.dose || (*tilt.dose >= 0 && std::isfinite(*tilt.dose)));
        require(!tilt.defocus || std::isfinite(*tilt.defocus));
        require(!tilt.phaseShift || std::isfinite(*tilt.phaseShift));
    }
    for (const auto& value : {series.voltage, series.cs, series.contrast}) {
        require(!value || std::isfinite(*value));
    }
}

/// The extensions have files of their own, which tests/fuzz/run removes.
std::filesystem::path written(std::string_view bytes, const char* extension) {
    const std::filesystem::path path =
        "/dev/shm/flcc-fuzz-" + std::to_string(::getpid()) + extension;
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
    return path;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) {
        return 0;
    }
    const char* const extension = kExtensions[data[0] % kExtensions.size()];
    const std::string wanted = data[0] / kExtensions.size() % 2 == 1 ? "TS_10" : "";
    const std::string scene = data[0] / kExtensions.size() % 4 < 2 ? "TS_10_bin4.mrc" : "b.mrc";
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    try {
        const std::filesystem::path file = written(bytes, extension);
        requirePossible(io::readTilts(
            file.string() + (wanted.empty() || extension[1] != 's' ? "" : ":" + wanted), scene));
    } catch (const base::Error&) { // a sentence for the user: what should happen
    }
    try {
        const std::size_t end = std::min(bytes.find('\0'), bytes.size());
        const std::string_view rest = bytes.substr(std::min(end + 1, bytes.size()));
        (void)io::detail::tilts::parseStar(bytes.substr(0, end), "a.star", wanted, scene,
                                           [&](const auto&) { return std::string(rest); });
    } catch (const base::Error&) {
    }
    return 0;
}
