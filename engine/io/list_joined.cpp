// One list of the positions in several scenes, whose rows name their tomogram.

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/error.h"
#include "engine/io/files/paths.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/read_back.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;
using lists::Holds;
using lists::Preset;

namespace {

bool holdsField(const Preset& preset, Holds wanted) {
    return std::ranges::find(preset.fields, wanted, &lists::Field::holds) != preset.fields.end();
}

bool isOwnTable(ListFormat format) {
    return format == ListFormat::Csv || format == ListFormat::Tsv;
}

std::string stemOf(const std::string& scene) {
    return std::filesystem::path(scene).stem().string();
}

/// The lists with names of their tomograms: numbers from 1, or the series of the files where they
/// are all different, else the names of the files. Micrographs have the paths of theirs.
std::vector<PositionList> namedLists(std::vector<PositionList> all, const Preset& preset) {
    std::set<std::string> series;
    for (const PositionList& list : all) {
        series.insert(seriesOf(stemOf(list.place.scene)));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& scene = all[i].place.scene;
        if (holdsField(preset, Holds::TomogramNumber)) {
            all[i].place.unknowns.tomogram = std::to_string(i + 1);
        } else if (preset.info.format != ListFormat::Micrograph && series.size() == all.size()) {
            all[i].place.unknowns.tomogram = seriesOf(stemOf(scene));
        }
        if (isOwnTable(preset.info.format)) {
            all[i].columns.push_back({std::string(lists::kTomogramColumn)});
            for (ListedPosition& position : all[i].positions) {
                position.cells.push_back(tomogramOf(all[i].place, preset.info.format));
            }
        }
    }
    return all;
}

/// The tables of this program with a column for the tomogram of a row. Comments are those that all
/// lists share. Ranks count within a scene.
std::string joinedTables(const std::vector<PositionList>& named, char separator) {
    lists::Sheet all;
    for (const PositionList& list : named) {
        lists::Sheet own = lists::ownSheet(list, separator);
        if (all.columns.empty()) {
            all = std::move(own);
            continue;
        }
        if (own.columns != all.columns) {
            throw base::Error(base::ErrorCode::Internal,
                              "the lists of several scenes have different columns");
        }
        std::erase_if(all.comments, [&](const std::string& line) {
            return std::ranges::find(own.comments, line) == own.comments.end();
        });
        all.rows.insert(all.rows.end(), own.rows.begin(), own.rows.end());
    }
    return lists::tableText(all, separator);
}

std::string joined(const std::vector<PositionList>& named, const Preset& preset) {
    if (isOwnTable(preset.info.format)) {
        return joinedTables(named, preset.info.format == ListFormat::Csv ? ',' : '\t');
    }
    lists::Sheet sheet;
    for (const PositionList& list : named) {
        requireListable(preset.info.format, list.place,
                        std::ranges::all_of(list.positions, [](const ListedPosition& each) {
                            return each.box.x > 0;
                        }));
        lists::Sheet own = lists::sheetOf(list, preset);
        if (sheet.rows.empty()) { // a list without rows lacks columns
            sheet.columns = own.columns;
        }
        if (!own.rows.empty() && own.columns != sheet.columns) {
            throw base::Error(base::ErrorCode::Internal,
                              "the lists of several scenes have different columns");
        }
        sheet.rows.insert(sheet.rows.end(), own.rows.begin(), own.rows.end());
    }
    for (std::size_t field = 0; field < preset.fields.size(); ++field) {
        const std::string_view name = preset.fields[field].name;
        const int column = name.empty() ? static_cast<int>(field) : sheet.column(name);
        for (std::size_t row = 0;
             preset.fields[field].holds == Holds::Rank && column >= 0 && row < sheet.rows.size();
             ++row) {
            sheet.rows[row][static_cast<std::size_t>(column)] = std::to_string(row + 1);
        }
    }
    if (preset.syntax != lists::Syntax::Star) {
        sheet.columns.clear();
        return lists::tableText(sheet, preset.separator);
    }
    // What is said of one scene alone is not said of all.
    constexpr std::array<std::string_view, 6> kOfScene{
        "scene: ", "sha256 of the scene: ", "wx wy wz: ", "spacing: ", "origin: ", "direction "};
    for (std::string& line : lists::formatComments(named.front(), preset, '\t')) {
        if (std::ranges::none_of(kOfScene,
                                 [&](std::string_view key) { return line.starts_with(key); })) {
            sheet.comments.push_back(std::move(line));
        }
    }
    return lists::starText(sheet, preset.block, preset.numbered);
}

} // namespace

bool namesTomograms(ListFormat format) {
    if (isOwnTable(format)) {
        return true;
    }
    const Preset& preset = lists::presetOf(format);
    return holdsField(preset, Holds::Tomogram) || holdsField(preset, Holds::TomogramNumber);
}

std::string joinedText(const std::vector<PositionList>& all, ListFormat format) {
    const Preset& preset = lists::presetOf(format);
    return joined(namedLists(all, preset), preset);
}

void writeJoinedList(const AtomicFile& file, const std::vector<PositionList>& all,
                     ListFormat format) {
    const Preset& preset = lists::presetOf(format);
    const std::vector<PositionList> named = namedLists(all, preset);
    const std::string text = joined(named, preset);
    writeText(file, text);
    const std::vector<unsigned char> bytes =
        detail::readBytes(file.temporary(), 0, static_cast<std::int64_t>(text.size()) + 1);
    const std::string back(bytes.begin(), bytes.end());
    std::string wrong = back == text ? "" : "other bytes";
    for (const PositionList& list : named) {
        if (!wrong.empty() || list.positions.empty()) {
            continue;
        }
        PositionList read = parseList(back, format, list.place, file.target());
        wrong = lists::difference(list, read, preset);
    }
    if (!wrong.empty()) {
        throw base::Error(base::ErrorCode::Internal, "the list written to " +
                                                         detail::shown(file.target()) +
                                                         " reads back with " + wrong);
    }
}

} // namespace flcc::io
