#include "engine/io/tilt_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/files/paths.h"
#include "engine/io/tilts/tilt_star.h"
#include "engine/io/tilts/tilt_text.h"
#ifdef FLCC_IMAGE_IO
#include "engine/io/tilts/warp_xml.h"
#endif

namespace flcc::io {

namespace {

constexpr std::size_t kMostTilts = 1000;

std::string extensionOf(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::ranges::transform(extension, extension.begin(), [](char letter) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    });
    return extension;
}

std::string textOf(const std::filesystem::path& file) {
    constexpr std::int64_t kMost = std::int64_t{64} << 20;
    const std::int64_t size = detail::requireRegularFile(file);
    if (size > kMost) {
        detail::failInput(file, "it is larger than 64 MiB, which no list of tilts is");
    }
    std::ifstream in = base::openFile(file);
    std::string text(static_cast<std::size_t>(size), '\0');
    in.read(text.data(), std::ssize(text));
    if (!in.is_open() || in.bad()) {
        detail::failInput(file, "reading failed");
    }
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

prepare::TiltSeries parsed(const std::string& text, const std::filesystem::path& file,
                           const std::string& wanted, const std::string& scene) {
    using namespace detail::tilts;
    const std::string extension = extensionOf(file);
    if (extension == ".mdoc") {
        return parseMdoc(text, file);
    }
    if (extension == ".star") {
        return parseStar(text, file, wanted, scene, textOf);
    }
    if (extension == ".defocus") {
        return parseDefocus(text, file);
    }
    if (extension == ".xml") {
#ifdef FLCC_IMAGE_IO
        return parseWarp(text, file);
#else
        detail::failInput(file, "this build reads no XML; give a list of tilts");
#endif
    }
    return parseAngles(text, file);
}

/// **Errors**: Input for what no tilt series has.
void requirePossible(const prepare::TiltSeries& series, const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& what) { detail::failInput(file, what); };
    if (series.tilts.empty()) {
        refuse("it lists no tilts");
    }
    if (series.tilts.size() > kMostTilts) {
        refuse("it lists " + std::to_string(series.tilts.size()) + " tilts, more than " +
               std::to_string(kMostTilts));
    }
    const auto number = [](double value) { return std::to_string(value); };
    for (const prepare::Tilt& tilt : series.tilts) {
        if (!(std::abs(tilt.angle) <= 90)) {
            refuse("it has a tilt of " + number(tilt.angle) + " degrees, beyond 90");
        }
        if (tilt.dose && !(*tilt.dose >= 0 && *tilt.dose < 1e6)) {
            refuse("it has a dose of " + number(*tilt.dose));
        }
        if (tilt.defocus && !(std::abs(*tilt.defocus) < 1e7)) {
            refuse("it has a defocus of " + number(*tilt.defocus) + " angstrom");
        }
    }
    if (series.voltage && !(*series.voltage >= 1 && *series.voltage <= 10'000)) {
        refuse("its voltage is " + number(*series.voltage) + " kV");
    }
    if (series.cs && !(std::abs(*series.cs) <= 100)) {
        refuse("its spherical aberration is " + number(*series.cs) + " mm");
    }
    if (series.contrast && !(*series.contrast >= 0 && *series.contrast <= 1)) {
        refuse("its amplitude contrast is " + number(*series.contrast) + ", not 0 to 1");
    }
}

} // namespace

std::pair<std::filesystem::path, std::string> splitTomogram(const std::string& text) {
    constexpr std::string_view kStar = ".star:";
    const std::size_t at = text.rfind(kStar);
    return at == std::string::npos
               ? std::pair(std::filesystem::path(text), std::string())
               : std::pair(std::filesystem::path(text.substr(0, at + kStar.size() - 1)),
                           text.substr(at + kStar.size()));
}

prepare::TiltSeries readTilts(const std::string& text, const std::string& scene) {
    const auto [file, wanted] = splitTomogram(text);
    prepare::TiltSeries series = parsed(textOf(file), file, wanted, scene);
    requirePossible(series, file);
    return series;
}

} // namespace flcc::io
