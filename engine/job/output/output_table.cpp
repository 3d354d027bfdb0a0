#include "engine/job/output/output_table.h"

#include <array>

#include "engine/job/boxes.h"

namespace flcc::job::detail {

using std::filesystem::path;

namespace {

/// The averages of `templates` templates: the file itself for one.
std::vector<path> averageFiles(const path& file, std::size_t templates) {
    std::vector<path> files;
    for (std::size_t i = 0; i < templates && templates > 1; ++i) {
        files.push_back(averageFile(file, static_cast<int>(i)));
    }
    return templates > 1 ? files : std::vector{file};
}

/// The same, each with the file beside it that says what it was made of.
std::vector<path> averagesWithPlaces(const path& file, std::size_t templates) {
    std::vector<path> files;
    for (const path& average : averageFiles(file, templates)) {
        files.push_back(average);
        files.push_back(madeOfFile(average));
    }
    return files;
}

std::vector<path> statisticsFiles(const path& file, std::size_t /*templates*/) {
    const auto maps = searchMapFiles(file);
    return {maps.begin(), maps.end()};
}

constexpr std::array kTable{
    OutputRow{"--report", [](MatchOutputs& o) -> path& { return o.report; }, false, true, true},
    OutputRow{"--map", [](MatchOutputs& o) -> path& { return o.map; }, true},
    OutputRow{"--status", [](MatchOutputs& o) -> path& { return o.status; }, true},
    OutputRow{"--index", [](MatchOutputs& o) -> path& { return o.index; }, true},
    OutputRow{"--template-out", [](MatchOutputs& o) -> path& { return o.templateOut; }, false,
              false},
    OutputRow{"--peaks", [](MatchOutputs& o) -> path& { return o.peaks; }},
    OutputRow{"--all-peaks", [](MatchOutputs& o) -> path& { return o.allPeaks; }, false, false},
    OutputRow{"--comparison", [](MatchOutputs& o) -> path& { return o.comparison; }},
    OutputRow{"--heatmap", [](MatchOutputs& o) -> path& { return o.heatmap; }, true},
    OutputRow{"--figure", [](MatchOutputs& o) -> path& { return o.exports.figure; }, true},
    OutputRow{"--stack", [](MatchOutputs& o) -> path& { return o.exports.stack; }},
    OutputRow{"--average-variance",
              [](MatchOutputs& o) -> path& { return o.exports.averageVariance; }, false, true,
              false, averageFiles},
    OutputRow{"--average", [](MatchOutputs& o) -> path& { return o.exports.average; }, false, true,
              false, averagesWithPlaces},
    OutputRow{"--search-statistics", [](MatchOutputs& o) -> path& { return o.searchMaps; }, true,
              true, false, statisticsFiles}};

} // namespace

std::span<const OutputRow> outputTable() { return kTable; }

} // namespace flcc::job::detail
