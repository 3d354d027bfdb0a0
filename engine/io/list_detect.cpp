// The format of a list by its content.

#include <algorithm>
#include <cmath>

#include "engine/io/files/paths.h"
#include "engine/io/format/reading.h"
#include "engine/io/list_file.h"
#include "engine/io/lists/json_lists.h"
#include "engine/io/lists/plain_text.h"
#include "engine/io/lists/text_lists.h"

namespace flcc::io {

namespace lists = detail::lists;

namespace {

/// The line "# format: NAME" that lists of this program have.
std::optional<ListFormat> statedFormat(std::string_view bytes) {
    constexpr std::string_view kKey = "\n# format: ";
    const std::size_t at = bytes.substr(0, 4096).find(kKey);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = bytes.substr(at + kKey.size());
    const std::string_view word = rest.substr(0, rest.find_first_of("\r\n"));
    const auto found = std::ranges::find(listFormats(), word, &ListFormatInfo::name);
    return found == listFormats().end() ? std::nullopt : std::optional(found->format);
}

ListFormat detectStar(std::string_view bytes) {
    const auto has = [&](std::string_view word) { return bytes.find(word) != word.npos; };
    return has("_rlnCenteredCoordinateXAngst")                  ? ListFormat::Relion5
           : has("_wrpCoordinateX1")                            ? ListFormat::M
           : has("_orig_x") && has("_x_shift")                  ? ListFormat::Stopgap
           : has("_cbox_format_version") || has("_CoordinateX") ? ListFormat::Cbox
           : has(".tomostar")                                   ? ListFormat::Warp
           : has("_rlnCoordinateX") && !has("_rlnCoordinateZ")  ? ListFormat::Micrograph
                                                                : ListFormat::Relion4;
}

/// Whether it is a list of fiducial points of 3D Slicer before 5 (.fcsv).
bool isOldMarkups(std::string_view bytes) {
    return bytes.starts_with("# Markups fiducial file version") ||
           bytes.find("\n# columns = id,x,y,z") != std::string_view::npos ||
           bytes.starts_with("# columns = id,x,y,z");
}

/// Whether numbers may be points of IMOD: x y z, or behind a contour, or behind object and contour,
/// which count from 0 or 1 and do not go back.
bool arePoints(const lists::Sheet& numbers) {
    const std::size_t columns = numbers.rows.front().size();
    std::pair<double, double> last{0, 0};
    for (const auto& row : numbers.rows) {
        const auto whole = [&](std::size_t column) {
            const double value = lists::numberOf(row[column]).value_or(-1);
            return value == std::floor(value) ? value : -1;
        };
        if (columns < 3 || columns > 5 || row.size() != columns) {
            return false;
        }
        const std::pair<double, double> own{columns == 5 ? whole(0) : 0,
                                            columns > 3 ? whole(columns - 4) : 0};
        const bool first = &row == &numbers.rows.front();
        if (own < last || own.second < 0 || (first && (own.first > 1 || own.second > 1))) {
            return false;
        }
        last = own;
    }
    return true;
}

/// The format of a table by the names of its columns or by the number of columns; Auto if unknown.
ListFormat detectTable(std::string_view bytes, const std::filesystem::path& name) {
    const lists::Sheet named = lists::readTable(bytes, ',', true, name);
    const auto has = [&](std::string_view column) { return named.column(column) >= 0; };
    if ((has("rank") && has("strength")) || (has("cx") && has("cy") && has("cz"))) {
        return lists::separatorOf(bytes, ',') == '\t' ? ListFormat::Tsv : ListFormat::Csv;
    }
    if (has("axis-0") && has("axis-1")) {
        return ListFormat::Napari;
    }
    if (has("X") && has("Y") && (!has("Z") || has("Slice"))) {
        return ListFormat::ImageJCsv;
    }
    if (has("row") && has("column")) {
        return ListFormat::CornersSkimage;
    }
    if (has("x") && has("y") && has("width")) {
        return ListFormat::Corners;
    }
    if (lists::isAnchored(named)) {
        return ListFormat::Csv;
    }
    const lists::Sheet numbers = lists::readTable(bytes, ' ', false);
    if (numbers.rows.empty() ||
        !std::ranges::all_of(numbers.rows.front(), [](const std::string& cell) {
            return lists::numberOf(cell).has_value();
        })) {
        return ListFormat::Auto;
    }
    const std::size_t columns = numbers.rows.front().size();
    return columns >= 26                                         ? ListFormat::Dynamo
           : columns >= 4 && detail::extensionOf(name) == ".box" ? ListFormat::Eman
           : columns == 5 && numbers.rows.front().back() == "-3" ? ListFormat::Eman
           : arePoints(numbers)                                  ? ListFormat::Imod
                                                                 : ListFormat::Auto;
}

} // namespace

ListFormat detectList(std::string_view bytes, const std::filesystem::path& name) {
    ListFormat format = ListFormat::Auto;
    if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("Iout")) {
        return ListFormat::ImageJRoi;
    }
    if (bytes.starts_with("IMODV")) {
        return ListFormat::ImodModel;
    }
    std::string kept;
    bytes = lists::plainText(bytes, kept, name);
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (const auto stated = statedFormat(bytes)) {
        return *stated;
    }
    if (first != std::string_view::npos && bytes[first] == '{') {
        format = lists::hasKey(bytes, "markups")  ? ListFormat::Slicer
                 : lists::hasKey(bytes, "points") ? ListFormat::Copick
                 : lists::hasKey(bytes, "peaks") || lists::hasKey(bytes, "blobs")
                     ? ListFormat::Json
                     : ListFormat::Auto;
    } else if (bytes.starts_with("data_") || bytes.find("\ndata_") != std::string_view::npos) {
        format = detectStar(bytes);
    } else {
        format = isOldMarkups(bytes) ? ListFormat::Slicer : detectTable(bytes, name);
    }
    if (format == ListFormat::Auto) {
        detail::failInput(name, "its content is none of the known lists; choose one with --from");
    }
    return format;
}

} // namespace flcc::io
