#include "engine/io/tilts/tilt_star.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/star_table.h"

namespace flcc::io::detail::tilts {

namespace {

namespace fs = std::filesystem;

std::string stemOf(std::string_view file) { return fs::path(file).stem().string(); }

/// The row that is asked for, is the only one, or whose name the scene's holds. `files`: columns of
/// files whose name may be that of the scene.
std::size_t chosenRow(const StarTable& table, std::string_view names,
                      const std::vector<std::string_view>& files, const std::string& wanted,
                      const std::string& scene, const fs::path& path) {
    const std::string own = stemOf(scene);
    std::optional<std::size_t> found;
    std::size_t length = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::string name(table.text(row, names));
        if (!wanted.empty()) {
            if (name == wanted || stemOf(name) == wanted) {
                return row;
            }
            continue;
        }
        std::size_t fits =
            !name.empty() && own.find(stemOf(name)) != std::string::npos ? stemOf(name).size() : 0;
        for (const std::string_view file : files) {
            if (!own.empty() && stemOf(table.text(row, file)) == own) {
                fits = own.size() + 1;
            }
        }
        if (fits > length) { // TS_10 is not TS_1
            length = fits;
            found = row;
        }
    }
    if (!found && wanted.empty() && table.rows.size() == 1) {
        return 0;
    }
    if (!found) {
        constexpr std::size_t kShown = 5;
        std::string known;
        for (std::size_t row = 0; row < std::min(kShown, table.rows.size()); ++row) {
            known += (row == 0 ? "" : ", ") + base::excerpt(table.text(row, names));
        }
        known += table.rows.size() > kShown ? ", ..." : "";
        failInput(path, (wanted.empty() ? "none of its " + std::to_string(table.rows.size()) +
                                              " names is in that of the scene; add :NAME"
                                        : "it has no tomogram \"" + base::excerpt(wanted) + "\"") +
                            " (it has " + known + ")");
    }
    return *found;
}

void takeOptics(const StarTable& table, std::size_t row, const fs::path& path,
                prepare::TiltSeries& series) {
    const auto take = [&](std::string_view name, std::optional<double>& to) {
        const auto value = table.number(row, name, path);
        to = value ? value : to;
    };
    take("rlnVoltage", series.voltage);
    take("rlnSphericalAberration", series.cs);
    take("rlnAmplitudeContrast", series.contrast);
}

std::optional<double> defocusOf(const StarTable& table, std::size_t row, const fs::path& path) {
    const auto u = table.number(row, "rlnDefocusU", path);
    const auto v = table.number(row, "rlnDefocusV", path);
    return u && v ? std::optional((*u + *v) / 2) : u;
}

prepare::Tilt tiltOf(const StarTable& table, std::size_t row, const fs::path& path) {
    const auto tilt = table.number(row, "rlnTomoYTilt", path);
    const auto nominal = table.number(row, "rlnTomoNominalStageTiltAngle", path);
    return {.angle = tilt.value_or(nominal.value_or(0)),
            .dose = table.number(row, "rlnMicrographPreExposure", path),
            .defocus = defocusOf(table, row, path),
            .phaseShift = table.number(row, "rlnPhaseShift", path)};
}

bool hasTilts(const StarTable& table) {
    return !table.rows.empty() &&
           (table.column("rlnTomoYTilt") || table.column("rlnTomoNominalStageTiltAngle"));
}

void takeTilts(const StarTable& table, const fs::path& path, prepare::TiltSeries& series) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        series.tilts.push_back(tiltOf(table, row, path));
    }
    takeOptics(table, 0, path, series);
}

/// Where a file lies that a project names from its own folder, which is one above the list.
fs::path foundFrom(const fs::path& list, const fs::path& named) {
    std::error_code ignored;
    fs::path folder = fs::absolute(list, ignored).parent_path();
    while (!named.is_absolute()) {
        if (fs::is_regular_file(folder / named, ignored)) {
            return folder / named;
        }
        if (!folder.has_relative_path()) {
            break;
        }
        folder = folder.parent_path();
    }
    return named;
}

const StarTable* tableOf(const std::vector<StarTable>& tables, std::string_view name) {
    const auto found = std::ranges::find(tables, name, &StarTable::name);
    return found == tables.end() || found->rows.empty() ? nullptr : &*found;
}

} // namespace

prepare::TiltSeries parseStar(std::string_view text, const fs::path& path,
                              const std::string& wanted, const std::string& scene,
                              const ReadText& read) {
    const std::vector<StarTable> tables = starTables(text, path);
    prepare::TiltSeries series;
    for (const StarTable& table : tables) {
        if (table.rows.empty() || !table.column("rlnTomoName")) {
            continue;
        }
        const std::size_t row =
            chosenRow(table, "rlnTomoName", {"rlnTomoReconstructedTomogram"}, wanted, scene, path);
        series.name = table.text(row, "rlnTomoName");
        if (const StarTable* const own = tableOf(tables, series.name)) {
            takeTilts(*own, path, series);
        } else {
            const std::string_view named = table.text(row, "rlnTomoTiltSeriesStarFile");
            if (named.empty()) {
                failInput(path, "it names no tilt series of " + base::excerpt(series.name));
            }
            const fs::path file = foundFrom(path, fs::path(named));
            const std::string inner = read(file);
            const std::vector<StarTable> others = starTables(inner, file);
            const auto tilts = std::ranges::find_if(others, hasTilts);
            if (tilts == others.end()) {
                failInput(file, "it has neither rlnTomoYTilt nor rlnTomoNominalStageTiltAngle");
            }
            takeTilts(*tilts, file, series);
        }
        takeOptics(table, row, path, series);
        return series;
    }
    for (const StarTable& table : tables) {
        if (hasTilts(table)) {
            series.name = table.name;
            takeTilts(table, path, series);
            return series;
        }
    }
    for (const StarTable& table : tables) { // micrographs
        if (table.rows.empty() || !table.column("rlnDefocusU")) {
            continue;
        }
        const std::size_t row =
            chosenRow(table, "rlnMicrographName", {"rlnMicrographName"}, wanted, scene, path);
        series.name = table.text(row, "rlnMicrographName");
        series.hasAngles = false;
        series.tilts = {tiltOf(table, row, path)};
        if (const StarTable* const optics = tableOf(tables, "optics")) {
            takeOptics(*optics, 0, path, series);
        }
        takeOptics(table, row, path, series);
        return series;
    }
    failInput(path, "it lists neither tomograms (rlnTomoName) nor tilts (rlnTomoYTilt) nor "
                    "micrographs with their defocus (rlnDefocusU)");
}

} // namespace flcc::io::detail::tilts
