#include "engine/io/lists/tomograms.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <regex>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"

namespace flcc::io {

std::string seriesOf(std::string_view name) {
    // What Warp, IMOD, AreTomo, RELION and cryoCARE add to the name of a series.
    static const std::regex kEnding("(_[0-9.]+Apx|_rec|_Vol|_vol|_full|_bin[0-9]+|_b[0-9]+|_flt|"
                                    "_SIRT|_EVN|_ODD|_corrected|_denoised|_deconv|_dose-filt|_ali|"
                                    "\\.(mrc|mrcs|rec|map|st|ali|tomostar|xml|mha|nrrd|tif|tiff|h5|"
                                    "hdf|gz))$");
    std::string series(name.substr(name.find_last_of('/') + 1));
    if (series.starts_with("rec_") && series.size() > 4 && series[4] != '.') {
        series.erase(0, 4);
    }
    for (std::smatch ending; std::regex_search(series, ending, kEnding) && ending.position() > 0;) {
        series.erase(static_cast<std::size_t>(ending.position()));
    }
    return series;
}

std::string tomogramOf(const ListPlace& place, ListFormat format) {
    if (const std::string& stated = place.unknowns.tomogram; !stated.empty()) {
        const bool ends = stated.ends_with(".tomostar");
        return format == ListFormat::Warp && !ends ? stated + ".tomostar" : stated;
    }
    // RELION names a micrograph by its path from the folder of the project.
    const bool whole = format == ListFormat::Micrograph;
    std::string name = whole ? place.scene : std::filesystem::path(place.scene).stem().string();
    for (char& letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool kept = std::isalnum(byte) != 0 || letter == '_' || letter == '-' ||
                          letter == '.' || (whole && letter == '/');
        letter = kept ? letter : '_';
    }
    // A row of a STAR file that begins with one of these reads as something else.
    const bool reserved =
        name.starts_with('_') || name.starts_with("data_") || name.starts_with("loop_");
    name = name.empty() ? "volume" : reserved ? "volume_" + name : name;
    return format == ListFormat::Warp ? name + ".tomostar" : name;
}

namespace detail::lists {

std::vector<std::string> tomogramNotes(const Preset& preset, const PositionList& list) {
    std::vector<std::string> notes;
    const std::string stem = std::filesystem::path(list.place.scene).stem().string();
    const std::string series = seriesOf(stem);
    if (preset.info.named && preset.info.format != ListFormat::Micrograph &&
        list.place.unknowns.tomogram.empty() && series != stem) {
        notes.push_back("the tomogram is named " + base::excerpt(stem) +
                        ", as its file; if its series is " + base::excerpt(series) +
                        ", say so by --tomogram");
    }
    if (preset.info.format == ListFormat::M) {
        notes.emplace_back("M itself also wants wrpRandomSubset and wrpSourceHash, a digest of the "
                           "series that only Warp's tools make: give MTools the list in the format "
                           "warp or relion4");
    }
    return notes;
}

std::vector<std::size_t> rowsOfScene(const std::vector<std::string>& names, PositionList& list,
                                     const std::filesystem::path& file) {
    constexpr std::size_t kMostNamed = 5;
    std::map<std::string, std::vector<std::size_t>> series;
    for (std::size_t row = 0; row < names.size(); ++row) {
        series[names[row]].push_back(row);
    }
    const std::string& wanted = list.place.unknowns.tomogram;
    std::vector<std::size_t> rows(names.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (series.size() <= 1 && wanted.empty()) {
        return rows;
    }
    const std::string scene = std::filesystem::path(list.place.scene).filename().string();
    const auto take = [&](const auto& fits) {
        std::vector<std::size_t> taken;
        for (const auto& [name, own] : series) {
            if (!name.empty() && fits(name)) {
                taken.insert(taken.end(), own.begin(), own.end());
            }
        }
        std::ranges::sort(taken);
        return taken;
    };
    // The name itself before names that only lead to it: "TS_01_rec" before "TS_01".
    const std::string stem = std::filesystem::path(scene).stem().string();
    const std::string& whole = wanted.empty() ? stem : wanted;
    const std::string target = wanted.empty() ? seriesOf(scene) : wanted;
    std::vector<std::size_t> found = take([&](const std::string& name) { return name == whole; });
    if (found.empty()) {
        found = take([&](const std::string& name) { return seriesOf(name) == target; });
    }
    if (found.empty()) {
        std::string all;
        std::size_t count = 0;
        for (const auto& [name, own] : series) {
            if (++count <= kMostNamed) {
                all += (all.empty() ? "" : ", ") + base::excerpt(name);
            }
        }
        failInput(file, "its rows are of " + std::to_string(series.size()) +
                            (series.size() == 1 ? " tomogram (" : " tomograms (") + all +
                            (series.size() > kMostNamed ? ", ..." : "") + "), none of which is " +
                            (!wanted.empty() ? "named " + base::excerpt(wanted)
                             : scene.empty() ? "chosen; choose one by --tomogram"
                                             : "named as the scene " + base::excerpt(scene) +
                                                   "; choose one by --tomogram"));
    }
    if (found.size() < names.size()) {
        list.notes.push_back("of " + std::to_string(names.size()) + " rows " +
                             std::to_string(found.size()) + " are of the tomogram " +
                             base::excerpt(names[found.front()]) + "; the others were left out");
    }
    return found;
}

} // namespace detail::lists

} // namespace flcc::io
