#include "engine/io/list_file.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/io/files/paths.h"
#include "engine/io/format/headers.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/format/reading.h"
#include "engine/io/lists/imod_model.h"
#include "engine/io/lists/json_lists.h"
#include "engine/io/lists/plain_text.h"
#include "engine/io/lists/read_back.h"
#include "engine/io/lists/roi_set.h"
#include "engine/io/lists/text_lists.h"
#include "engine/io/lists/tomograms.h"

namespace flcc::io {

namespace lists = detail::lists;
using base::Error;
using base::ErrorCode;
using lists::Preset;
using lists::Syntax;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

/// The column by which the loop of a STAR file is known.
std::string_view knownColumn(const Preset& preset) {
    return std::ranges::find(preset.fields, lists::Holds::X, &lists::Field::holds)->name;
}

std::string starFile(const PositionList& list, const Preset& preset) {
    lists::Sheet sheet = lists::sheetOf(list, preset);
    sheet.comments = lists::formatComments(list, preset, '\t');
    const base::Point edge = lists::voxelAngstrom(list.place);
    if (edge[0] > 0) {
        sheet.comments.push_back("voxel of the scene: " + detail::numberText(edge[0]) +
                                 " angstrom");
    }
    if (preset.info.format != ListFormat::Cbox) {
        return lists::starText(sheet, preset.block, preset.numbered);
    }
    std::vector<std::string> comments;
    std::swap(comments, sheet.comments);
    constexpr std::int64_t kMostSlices = 1 << 20;
    if (list.place.extents.z > kMostSlices) {
        throw Error(ErrorCode::Problem, "cbox names each slice of the volume; " +
                                            base::toString(list.place.extents) +
                                            " voxels are too many");
    }
    std::string slices;
    for (std::int64_t z = 0; z < list.place.extents.z; ++z) {
        slices += std::to_string(z) + "\n";
    }
    std::string text;
    for (const std::string& line : comments) {
        text += "# " + line + "\n";
    }
    return text + "\ndata_global\n\n_cbox_format_version 1.0\n" +
           lists::starText(sheet, "data_cryolo") +
           "\ndata_cryolo_include\n\nloop_\n_slice_index #1\n" + slices;
}

std::string tableFile(const PositionList& list, const Preset& preset) {
    lists::Sheet sheet = lists::sheetOf(list, preset);
    if (!preset.header) {
        sheet.columns.clear();
    }
    if (preset.comments) {
        sheet.comments = lists::formatComments(list, preset, preset.separator);
    }
    return lists::tableText(sheet, preset.separator);
}

/// Of a scene with slices, positions of a table without z are those of one slice.
void noteLostDepth(PositionList& list) {
    const bool deep = list.place.extents.z > 1;
    const auto isAtZero = [](const ListedPosition& each) { return each.centre[2] == 0; };
    if (deep && list.format != ListFormat::Auto && !list.positions.empty() &&
        std::ranges::all_of(list.positions, isAtZero)) {
        list.notes.push_back(
            "the list states no z, or 0 for all: its positions were taken as those "
            "of the first of " +
            std::to_string(list.place.extents.z) + " slices");
    }
}

/// Whether the bytes of a format are no text.
bool isBinary(const Preset& preset) {
    return preset.syntax == Syntax::Roi || preset.syntax == Syntax::Model;
}

std::string optionOf(ListNeed need) {
    switch (need) {
    case ListNeed::Binning:
        return "--binning";
    case ListNeed::UnbinnedPixel:
        return "--unbinned-pixel";
    case ListNeed::UnbinnedSize:
        return "--unbinned-size";
    case ListNeed::Box:
        return "--box";
    case ListNeed::VoxelSize:
        return "--binning and --unbinned-pixel (its scene states no voxel size)";
    case ListNeed::Scene:
        return "--scene";
    case ListNeed::Flat:
    case ListNeed::None:
        break;
    }
    return "";
}

bool isKnown(ListNeed need, const ListPlace& place, bool boxes) {
    switch (need) {
    case ListNeed::Binning:
        return place.unknowns.binning.has_value();
    case ListNeed::UnbinnedPixel:
        return place.unknowns.unbinnedPixel.has_value();
    case ListNeed::UnbinnedSize:
        return place.unknowns.unbinnedSize.has_value();
    case ListNeed::Box:
        return boxes;
    case ListNeed::VoxelSize:
        return lists::voxelAngstrom(place)[0] > 0;
    case ListNeed::Scene:
        return place.extents.x > 0;
    case ListNeed::Flat:
    case ListNeed::None:
        break;
    }
    return true;
}

} // namespace

const std::vector<ListFormatInfo>& listFormats() {
    static const std::vector<ListFormatInfo> infos = [] {
        std::vector<ListFormatInfo> all;
        for (const Preset& preset : lists::presets()) {
            all.push_back(preset.info);
        }
        return all;
    }();
    return infos;
}

const ListFormatInfo& infoOf(ListFormat format) { return lists::presetOf(format).info; }

std::string_view name(ListFormat format) {
    return format == ListFormat::Auto ? "auto" : infoOf(format).name;
}

ListFormat listFormatNamed(std::string_view name, std::string_view option) {
    std::string known = "auto";
    if (name == known) {
        return ListFormat::Auto;
    }
    for (const ListFormatInfo& info : listFormats()) {
        if (info.name == name) {
            return info.format;
        }
        known += ", " + std::string(info.name);
    }
    throw Error(ErrorCode::CommandLine, std::string(option) + " must be one of " + known +
                                            ", not \"" + base::excerpt(name) + "\"");
}

bool hasListName(const std::filesystem::path& file) {
    std::string name = file.filename().string();
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 2> kReadAlone{".fcsv", ".roi"};
    const auto ends = [&](std::string_view extension) { return name.ends_with(extension); };
    return std::ranges::any_of(kReadAlone, ends) ||
           std::ranges::any_of(listFormats(), ends, &ListFormatInfo::extension);
}

ListFormat chosenListFormat(ListFormat format, const std::filesystem::path& file,
                            std::string_view option) {
    if (format != ListFormat::Auto) {
        return format;
    }
    std::string text = file.filename().string();
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // Extensions that one format has; .mrk.json stands before .json.
    constexpr std::array<std::pair<std::string_view, ListFormat>, 8> kOwn{
        {{".mrk.json", ListFormat::Slicer},
         {".csv", ListFormat::Csv},
         {".tsv", ListFormat::Tsv},
         {".json", ListFormat::Json},
         {".box", ListFormat::Eman},
         {".cbox", ListFormat::Cbox},
         {".zip", ListFormat::ImageJRoi},
         {".mod", ListFormat::ImodModel}}};
    for (const auto& [extension, own] : kOwn) {
        if (text.ends_with(extension)) {
            return own;
        }
    }
    std::string several;
    for (const ListFormatInfo& info : listFormats()) {
        if (text.ends_with(info.extension)) {
            several += (several.empty() ? "" : ", ") + std::string(info.name);
        }
    }
    throw Error(ErrorCode::CommandLine,
                "cannot write " + detail::shown(file) + ": " +
                    (several.empty() ? "no list has this extension; use .csv, .tsv, .json, "
                                       ".mrk.json, .zip, .mod, .box or .cbox, or choose a format "
                                       "with "
                                     : "the extension does not say the format (" + several +
                                           "); choose one with ") +
                    std::string(option));
}

void requireListable(ListFormat format, const ListPlace& place, bool boxes) {
    const ListFormatInfo& info = infoOf(format);
    std::string missing;
    for (const ListNeed need : info.needs) {
        if (need == ListNeed::Flat && place.extents.x > 0 && !place.flat()) {
            throw Error(ErrorCode::Problem, "format " + std::string(info.name) +
                                                " holds positions of flat images only; the scene "
                                                "has " +
                                                std::to_string(place.extents.z) + " slices");
        }
        if (!isKnown(need, place, boxes)) {
            missing += (missing.empty() ? "" : ", ") + optionOf(need);
        }
    }
    if (!missing.empty()) {
        throw Error(ErrorCode::Problem, "format " + std::string(info.name) +
                                            " states what no file of the scene tells; give " +
                                            missing);
    }
}

std::string listText(const PositionList& list, ListFormat format) {
    const Preset& preset = lists::presetOf(format);
    requireListable(format, list.place,
                    std::ranges::all_of(list.positions,
                                        [](const ListedPosition& each) { return each.box.x > 0; }));
    switch (preset.syntax) {
    case Syntax::Own:
        return lists::tableText(lists::ownSheet(list, preset.separator), preset.separator);
    case Syntax::Json:
        return lists::jsonText(list);
    case Syntax::Table:
        return tableFile(list, preset);
    case Syntax::Star:
        return starFile(list, preset);
    case Syntax::Slicer:
        return lists::slicerText(list);
    case Syntax::Copick:
        return lists::copickText(list, preset);
    case Syntax::Roi:
        return lists::roiSetText(list, preset);
    case Syntax::Model:
        return lists::modelText(list, preset);
    }
    return {};
}

std::vector<std::string> listNotes(const PositionList& list, ListFormat format) {
    const Preset& preset = lists::presetOf(format);
    std::vector<std::string> notes;
    const bool own = preset.syntax == Syntax::Own || preset.syntax == Syntax::Json;
    notes = list.notes;
    if (preset.syntax == Syntax::Own) {
        std::ptrdiff_t formulas = 0;
        for (const ListedPosition& position : list.positions) {
            formulas += std::ranges::count_if(position.cells, lists::isFormula);
        }
        if (formulas > 0) {
            notes.push_back("an apostrophe was put before " + std::to_string(formulas) +
                            " cells that a spreadsheet would compute");
        }
    }
    if (own) {
        return notes;
    }
    for (std::string& note : lists::pointNotes(preset, list, true)) {
        notes.push_back(std::move(note));
    }
    for (std::string& note : lists::tomogramNotes(preset, list)) {
        notes.push_back(std::move(note));
    }
    const auto rejected =
        std::ranges::count(list.positions, match::Decision::Reject, &ListedPosition::decision);
    if (rejected > 0 && !lists::holdsDecisions(preset)) {
        notes.push_back("the format has no place for decisions: " + std::to_string(rejected) +
                        " rejected positions stand among the others");
    }
    if (const auto mirrored = std::ranges::count(list.positions, true, &ListedPosition::mirrored);
        mirrored > 0) {
        notes.push_back("the format has no place for the hand: " + std::to_string(mirrored) +
                        " positions of mirrored templates stand among the others");
    }
    if (lists::isUpsideDown(preset, list.place)) {
        notes.emplace_back("y counts from the last row, as EMAN and crYOLO read pictures that are "
                           "not MRC upside down");
    }
    if (preset.whole) {
        notes.emplace_back("the format holds whole pixels: positions were rounded");
    }
    if (preset.syntax == Syntax::Roi && !list.place.flat()) {
        notes.emplace_back("the format holds whole slices: z was rounded");
    }
    const base::Geometry& geometry = list.place.geometry;
    if (preset.syntax != Syntax::Slicer && geometry.origin != base::Point{0, 0, 0}) {
        notes.emplace_back("positions are stated without the origin of the scene");
    }
    if (preset.unit != lists::PlaceUnit::Voxel && list.place.unknowns.binning.value_or(1) != 1) {
        notes.push_back("the scene was taken as binned by " +
                        std::string(list.place.unknowns.binnedBy == BinnedBy::Crop
                                        ? "cropping a transform (--binned-by crop)"
                                        : "averages of blocks (--binned-by average)"));
    }
    return notes;
}

namespace {

/// **Errors**: Input for a grid that no scene has: positions in other units would be no numbers.
void requireGrid(const base::Geometry& geometry, const std::filesystem::path& name) {
    const auto isLength = [](double length) { return detail::isPlace(length) && length > 0; };
    if (!std::ranges::all_of(geometry.spacing, isLength) ||
        !std::ranges::all_of(geometry.origin, detail::isPlace) ||
        !std::ranges::all_of(geometry.direction, detail::isPlace)) {
        detail::failInput(name, "it states a spacing, an origin or a direction that no scene has");
    }
}

} // namespace

PositionList parseList(std::string_view bytes, ListFormat format, const ListPlace& place,
                       const std::filesystem::path& name) {
    const Preset& preset =
        lists::presetOf(format == ListFormat::Auto ? detectList(bytes, name) : format);
    const bool guessed = format == ListFormat::Auto;
    PositionList list;
    list.place = place;
    list.format = preset.info.format;
    std::string kept;
    if (!isBinary(preset)) {
        bytes = lists::plainText(bytes, kept, name);
    }
    const auto sheet = [&](const lists::Sheet& read) {
        lists::takeComments(read.comments, list);
        requireGrid(list.place.geometry, name);
        lists::takeStatedPixels(read, preset, list, name);
        requireListable(preset.info.format, list.place, true);
        lists::takeSheet(read, preset, list, name);
    };
    switch (preset.syntax) {
    case Syntax::Own: {
        const lists::Sheet read = lists::readTable(bytes, preset.separator, true, name);
        lists::takeComments(read.comments, list);
        requireGrid(list.place.geometry, name);
        if (lists::isAnchored(read)) {
            lists::takeAnchoredSheet(read, list, name);
            nameSpecies(list);
            break;
        }
        lists::takeOwnSheet(read, list, name);
        nameSpecies(list);
        return list;
    }
    case Syntax::Json:
        lists::takeJson(bytes, list, name);
        requireGrid(list.place.geometry, name);
        nameSpecies(list);
        return list;
    case Syntax::Table:
        // Columns without names are parted by blanks or tabs.
        sheet(lists::readTable(bytes, preset.header ? preset.separator : ' ', preset.header, name));
        if (preset.info.format == ListFormat::Imod && guessed) {
            list.notes.emplace_back(
                "a text of numbers alone was taken as points of IMOD, where the centre of the "
                "first voxel is 0.5 0.5 0; give --from if it is another list");
        }
        break;
    case Syntax::Star:
        sheet(lists::readStar(bytes, knownColumn(preset), name));
        break;
    case Syntax::Slicer:
        lists::takeSlicer(bytes, list, name);
        break;
    case Syntax::Copick:
        requireListable(preset.info.format, list.place, true);
        lists::takeCopick(bytes, preset, list, name);
        break;
    case Syntax::Roi:
        lists::takeRoiSet(bytes, preset, list, name);
        break;
    case Syntax::Model:
        lists::takeModel(bytes, preset, list, name);
        break;
    }
    noteLostDepth(list);
    if (lists::isUpsideDown(preset, list.place) && !list.positions.empty()) {
        list.notes.emplace_back(
            "y was taken as counted from the last row, as EMAN and crYOLO count "
            "it of pictures that are not MRC");
    }
    if (preset.flips && list.place.scene.empty() && !list.positions.empty()) {
        list.notes.emplace_back("y was taken as counted from the first row; EMAN and crYOLO count "
                                "it from the last row of pictures that are not MRC: give --scene");
    }
    fillPeakCells(list);
    for (std::string& note : lists::pointNotes(preset, list, false)) {
        list.notes.push_back(std::move(note));
    }
    return list;
}

namespace {

std::string bytesOf(const std::filesystem::path& file, std::int64_t size) {
    const std::vector<unsigned char> bytes = detail::readBytes(file, 0, size);
    return {bytes.begin(), bytes.end()};
}

} // namespace

PositionList readList(const std::filesystem::path& file, ListFormat format,
                      const ListPlace& place) {
    const std::int64_t size = detail::requireRegularFile(file);
    if (size > kMostBytes) {
        detail::failInput(file, "it is larger than 1 GiB, which no list of positions is");
    }
    PositionList list = parseList(bytesOf(file, size), format, place, file);
    requireConsistent(list.place);
    requireInside(list, file);
    return list;
}

void writeList(const AtomicFile& file, const PositionList& list, ListFormat format) {
    const std::string text = listText(list, format);
    writeText(file, text);
    const std::string back = bytesOf(file.temporary(), static_cast<std::int64_t>(text.size()) + 1);
    std::string wrong = back == text ? "" : "other bytes";
    if (wrong.empty()) {
        const PositionList read = parseList(back, format, list.place, file.target());
        wrong = lists::difference(list, read, lists::presetOf(format));
    }
    if (!wrong.empty()) {
        throw Error(ErrorCode::Internal, "the list written to " + detail::shown(file.target()) +
                                             " reads back with " + wrong);
    }
}

} // namespace flcc::io
