#include "engine/job/difference.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "engine/job/options/list_options.h"
#include "engine/job/options/option_kinds.h"
#include "engine/job/options/option_table.h"
#include "engine/job/options/species_table.h"
#include "engine/job/peak_lists.h"
#include "engine/job/report/report_peaks.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

using Row = detail::Option<ListDifference>;

/// Whether distances in the scene are lengths.
bool statesLengths(const base::Geometry& geometry) {
    return geometry.unitSource != base::UnitSource::Missing && geometry.unit != "px";
}

base::Point voxelIn(const Tolerance& tolerance, const io::PositionList& a,
                    const io::PositionList& b) {
    if (tolerance.unit == "px") {
        return {1, 1, 1};
    }
    const base::Geometry& geometry =
        statesLengths(a.place.geometry) ? a.place.geometry : b.place.geometry;
    if (!statesLengths(geometry)) {
        throw Error(ErrorCode::Problem,
                    base::Message("tolerance-without-spacing",
                                  "{--tolerance} {value} needs the spacing of the scene, which "
                                  "neither list states; give it in voxels, or a scene with a "
                                  "spacing",
                                  {{"value", toString(tolerance)}}));
    }
    base::Geometry unit;
    unit.unit = tolerance.unit;
    return base::spacingRatio(geometry, unit);
}

std::vector<match::ComparedPosition> positionsOf(const io::PositionList& list) {
    std::vector<match::ComparedPosition> positions;
    for (const io::ListedPosition& position : list.positions) {
        positions.push_back({position.centre, position.score});
    }
    return positions;
}

const detail::OptionTable<ListDifference>& table() {
    static const detail::OptionTable<ListDifference> kTable({.name = "diff"}, [] {
        std::vector<Row> rows{
            {.name = "tolerance",
             .value = "DISTANCE",
             .help = "largest distance of two positions that are the same, in voxels or with a "
                     "unit, such as 2um (default: 3)",
             .get =
                 [](const ListDifference& difference) {
                     return std::optional(toString(difference.tolerance));
                 },
             .set = [](ListDifference& difference,
                       const std::string& text) { difference.tolerance = parseTolerance(text); }},
            detail::kinds::fileOption<ListDifference>(
                "scene", "FILE", "the image that the positions lie in: its extents and geometry",
                &ListDifference::scene),
            detail::kinds::fileOption<ListDifference>(
                "output", "FILE", "all positions with where they were found: .csv, .tsv or .json",
                &ListDifference::output),
            detail::kinds::fileOption<ListDifference>("report", "FILE.json",
                                                      "the comparison with pairs and curve",
                                                      &ListDifference::report)};
        for (const char* name : {"binning", "unbinned-pixel", "unbinned-size", "binned-by",
                                 "tomogram", "box", "anchor"}) {
            rows.push_back({.name = name,
                            .value = "VALUE",
                            .help = "as of peaks",
                            .get = [](const ListDifference&) { return std::nullopt; },
                            .set =
                                [name = std::string(name)](ListDifference& difference,
                                                           const std::string& text) {
                                    setListUnknown(difference.unknowns, name, text);
                                }});
        }
        return rows;
    }());
    return kTable;
}

} // namespace

Tolerance parseTolerance(const std::string& text) {
    if (text.find(',') == std::string::npos) {
        try {
            const base::Spacing length = base::parseSpacing(text);
            return {length.size[0], length.unit};
        } catch (const Error&) { // said below, by the name of this option
        }
    }
    throw Error(ErrorCode::CommandLine,
                base::Message("tolerance-value",
                              "{--tolerance} must be a number above 0 of voxels or with a unit "
                              "(mm, um, nm, A), such as 2um, not \"{value}\"",
                              {{"value", base::excerpt(text)}}));
}

std::string toString(const Tolerance& tolerance) {
    return detail::shortest(tolerance.distance) + (tolerance.unit == "px" ? "" : tolerance.unit);
}

ComparedLists compared(io::PositionList a, io::PositionList b, const Tolerance& tolerance,
                       bool smallestIsBest) {
    ComparedLists lists{.a = std::move(a),
                        .b = std::move(b),
                        .nameA = "A",
                        .nameB = "B",
                        .tolerance = tolerance,
                        .comparison = {}};
    lists.comparison = match::compareLists(positionsOf(lists.a), positionsOf(lists.b),
                                           {.tolerance = tolerance.distance,
                                            .voxel = voxelIn(tolerance, lists.a, lists.b),
                                            .smallestIsBest = smallestIsBest});
    detail::setSpeciesTable(
        lists, {.tolerance = tolerance.distance, .voxel = voxelIn(tolerance, lists.a, lists.b)});
    return lists;
}

io::PositionList readPositions(const std::filesystem::path& file, io::ListFormat format,
                               const io::ListPlace& place) {
    if (format == io::ListFormat::Auto || format == io::ListFormat::Json) {
        if (std::optional<io::PositionList> peaks = detail::peaksOfReport(file, place)) {
            io::requireConsistent(peaks->place); // as readList() does
            return *std::move(peaks);
        }
    }
    return io::readList(file, format, place);
}

void takeTemplates(io::PositionList& list, const base::Extents& box,
                   const std::vector<base::Point>& references) {
    const bool one =
        !references.empty() && std::ranges::all_of(references, [&](const base::Point& each) {
            return each == references.front();
        });
    if (one) {
        io::takeTemplate(list, box, references.front());
    }
}

void requireSameScene(const io::PositionList& list, const base::Extents& extents,
                      const std::string& name) {
    const base::Extents& of = list.place.extents;
    if (of.x > 0 && extents.x > 0 && of != extents) {
        throw Error(ErrorCode::Problem, name + " belongs to a scene of " + base::toString(of) +
                                            " voxels, not of " + base::toString(extents));
    }
}

void requireSameSpacing(const io::PositionList& list, const base::Geometry& scene,
                        const std::string& name) {
    const base::Geometry& own = list.place.geometry;
    if (base::spacingsDiffer(own, scene, list.place.extents.z > 1)) {
        const auto voxel = [](const base::Geometry& geometry) {
            return detail::shortest(geometry.spacing[0]) + " " + geometry.unit;
        };
        throw Error(ErrorCode::Problem, name + " states voxels of " + voxel(own) +
                                            ", but those of its scene have " + voxel(scene) +
                                            "; correct the spacing of one of them");
    }
}

ComparedLists diffLists(const ListDifference& difference) {
    io::ProtectedFiles inputs;
    for (const std::filesystem::path* const file :
         {&difference.a, &difference.b, &difference.scene}) {
        inputs.add(*file);
    }
    for (const std::filesystem::path* const file : {&difference.output, &difference.report}) {
        if (!file->empty()) {
            inputs.requireOther(*file);
        }
    }
    io::ListFormat format = io::ListFormat::Csv;
    if (!difference.output.empty()) {
        format = io::chosenListFormat(io::ListFormat::Auto, difference.output, "--output");
    }
    io::ListPlace place{};
    place.scene = difference.scene.string();
    place.unknowns = difference.unknowns;
    if (!difference.scene.empty()) {
        const io::ImageInfo info = io::readImageInfo(difference.scene);
        place.extents = info.extents;
        place.geometry = info.geometry;
    }
    io::PositionList a = readPositions(difference.a, io::ListFormat::Auto, place);
    io::PositionList b = readPositions(difference.b, io::ListFormat::Auto, place);
    requireSameScene(a, place.extents, difference.a.string());
    requireSameScene(b, a.place.extents, difference.b.string());
    requireSameSpacing(a, place.geometry, difference.a.string());
    requireSameSpacing(b, a.place.geometry, difference.b.string());
    if (!difference.unknowns.box) { // a list without boxes is of the particle of the other one
        const auto ofA = io::templateOf(a);
        const auto ofB = io::templateOf(b);
        if (ofA && !ofB) {
            io::takeTemplate(b, ofA->first, ofA->second);
        } else if (ofB && !ofA) {
            io::takeTemplate(a, ofB->first, ofB->second);
        }
    }
    ComparedLists lists = compared(std::move(a), std::move(b), difference.tolerance);
    lists.nameA = difference.a.string();
    lists.nameB = difference.b.string();
    if (!difference.output.empty()) {
        io::AtomicFile file(difference.output);
        io::writeList(file, differenceList(lists), format);
        file.commit();
    }
    if (!difference.report.empty()) {
        io::writeText(difference.report, comparisonJson(lists));
    }
    return lists;
}

std::vector<CommandOption> differenceOptions() { return table().options(); }

void setDifferenceOptions(ListDifference& difference, const GivenOptions& given) {
    table().set(difference, given);
}

} // namespace flcc::job
