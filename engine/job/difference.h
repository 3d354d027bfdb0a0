#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/spacing.h"
#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/command_line.h"
#include "engine/match/list_comparison.h"
#include "engine/match/map_comparison.h"

namespace flcc::job {

/// The largest distance of two positions that are the same, by default 3 voxels. Other units than
/// pixels need the spacing of the scene.
struct Tolerance {
    double distance = 3;
    std::string unit = "px"; ///< as base::Spacing::unit

    friend bool operator==(const Tolerance&, const Tolerance&) = default;
};
/// Reads "3" or "2um". **Errors**: CommandLine.
[[nodiscard]] Tolerance parseTolerance(const std::string& text);
[[nodiscard]] std::string toString(const Tolerance& tolerance); ///< "3", "2um"

/// Which template found which species.
struct SpeciesTable {
    std::vector<std::string> species;   ///< of B: the rows
    std::vector<std::string> templates; ///< of A: the columns
    match::Confusion confusion;
};
/// The table as rows of cells, its head first: a column for each template, `missed`, and precision,
/// recall, F1 and F4; a row for each species, and `nothing`.
[[nodiscard]] std::vector<std::vector<std::string>> speciesRows(const SpeciesTable& table);
/// "F4 0.75, mean of 3 species": over those that a template is of.
[[nodiscard]] std::string speciesScore(const SpeciesTable& table);

/// A list of positions and what it was compared with.
struct ComparedLists {
    io::PositionList a;
    io::PositionList b; ///< the truth, where one of them is
    std::string nameA;
    std::string nameB;
    Tolerance tolerance;
    match::ListComparison comparison;
    /// Where A or B has several species and a template of A is of one of B.
    std::optional<SpeciesTable> table{};
    std::string noTable{}; ///< why there is none though B states species

    /// Every position of one list has a partner in the other one.
    [[nodiscard]] bool same() const { return comparison.onlyA.empty() && comparison.onlyB.empty(); }
};

/// Compares two lists of positions in voxels of one scene. **Errors**: Problem for a tolerance in a
/// length where neither list states a spacing in lengths.
[[nodiscard]] ComparedLists compared(io::PositionList a, io::PositionList b,
                                     const Tolerance& tolerance, bool smallestIsBest = false);

/// Reads a list in any format of io::readList, or the peaks of a report of a match. `place`: the
/// scene, where it is known. **Errors**: as io::readList.
[[nodiscard]] io::PositionList readPositions(const std::filesystem::path& file,
                                             io::ListFormat format, const io::ListPlace& place);

/// io::takeTemplate() by the first of the templates that are searched, whose extents are `box`, if
/// all have one reference (SceneImage::toReferenceVoxel); else the list does not say which is
/// meant.
void takeTemplates(io::PositionList& list, const base::Extents& box,
                   const std::vector<base::Point>& references);

/// Throws if the list states that it belongs to a scene of other extents (zeros: not known).
/// **Errors**: Problem.
void requireSameScene(const io::PositionList& list, const base::Extents& extents,
                      const std::string& name);
/// Throws if the list states voxels of another length than its scene has. **Errors**: Problem.
void requireSameSpacing(const io::PositionList& list, const base::Geometry& scene,
                        const std::string& name);

/// All positions as one list: those of both, of A alone and of B alone, with columns `found`
/// ("both", "only A", "only B"), `a` and `b` (ranks from 1), `distance`, and the centre of A or, of
/// B alone, that of B.
[[nodiscard]] io::PositionList differenceList(const ComparedLists& lists);
/// What was assumed when the lists were read.
[[nodiscard]] std::vector<std::string> notesOf(const ComparedLists& lists);
/// Counts, precision, recall, F1, the best threshold and the distances, in some lines.
[[nodiscard]] std::string countsText(const ComparedLists& lists);
/// The same and the table of species.
[[nodiscard]] std::string comparisonText(const ComparedLists& lists);
/// The same as JSON, with pairs and curve.
[[nodiscard]] std::string comparisonJson(const ComparedLists& lists);

/// Two lists of one scene that are compared: `flcc-cli diff`.
struct ListDifference {
    std::filesystem::path a;
    std::filesystem::path b;
    Tolerance tolerance{};
    std::filesystem::path scene{};  ///< its extents and geometry; may be empty
    std::filesystem::path output{}; ///< differenceList() as .csv, .tsv or .json; may be empty
    std::filesystem::path report{}; ///< comparisonJson(); may be empty
    io::ListUnknowns unknowns{};
};

/// Reads, compares and writes the outputs. **Errors**: those of readPositions, requireSameScene,
/// compared and io::writeList; CommandLine if an output is an input.
[[nodiscard]] ComparedLists diffLists(const ListDifference& difference);

/// The options of the command.
[[nodiscard]] std::vector<CommandOption> differenceOptions();
/// Sets options by their names, without dashes. **Errors**: CommandLine.
void setDifferenceOptions(ListDifference& difference, const GivenOptions& given);

/// Two image files that are compared voxel by voxel: `flcc-cli diff`.
struct MapDifference {
    std::filesystem::path a;
    std::filesystem::path b;
    double tolerance = 0; ///< largest |A - B| that counts as equal
    std::optional<int> channel{};
    std::optional<int> frame{};
    io::Reading reading{};
    std::filesystem::path output{}; ///< A - B; may be empty
    std::filesystem::path report{}; ///< mapsJson(); may be empty
};

struct ComparedMaps {
    bool cancelled = false; ///< nothing was written
    std::string nameA;
    std::string nameB;
    base::Extents extents{0, 0, 0};
    double tolerance = 0;
    std::vector<match::MapComparison> components; ///< one for each colour component
    std::vector<std::string> notes;

    [[nodiscard]] bool same() const;
};

/// Whether two files are images, as opposed to lists: by their content, lists by their extension
/// first. **Errors**: Problem if only one of them is; Input for a missing file.
[[nodiscard]] bool areImages(const std::filesystem::path& a, const std::filesystem::path& b);

/// Reads, compares and writes the outputs: all of them or none. Spacing, origin and direction do
/// not count; a note says where they differ. **Errors**: those of io::readImage and io::writeImage;
/// Problem for images of other extents or components; CommandLine if an output is an input, and for
/// the difference of images with colour components.
[[nodiscard]] ComparedMaps diffMaps(const MapDifference& difference,
                                    const std::stop_token& stop = {});

/// Counts, the greatest difference and its voxel, RMS and correlation, in some lines.
[[nodiscard]] std::string mapsText(const ComparedMaps& maps);
[[nodiscard]] std::string mapsJson(const ComparedMaps& maps);

/// The options of the command for images.
[[nodiscard]] std::vector<CommandOption> mapDifferenceOptions();
/// Sets options by their names, without dashes. **Errors**: CommandLine.
void setMapDifferenceOptions(MapDifference& difference, const GivenOptions& given);

} // namespace flcc::job
