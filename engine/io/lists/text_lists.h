#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

/// Rows of texts, with names of the columns where the file has them.
struct Sheet {
    std::vector<std::string> comments; ///< without "# "
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;

    std::optional<double> seriesPixel{}; ///< of the tilt series, angstrom, as its tables state it
    std::optional<double> rowPixel{};    ///< what its rows count in, angstrom, as they state it

    /// Number of the column; -1 without it.
    [[nodiscard]] int column(std::string_view name) const;
    /// The same for a name in small or capital letters.
    [[nodiscard]] int anyCaseColumn(std::string_view name) const;
};

/// Cells between separators (quotes of CSV are known) or, for ' ', between white space. Empty lines
/// are skipped, lines that begin with '#' are comments. A table with names of columns may have
/// another separator (separatorOf). **Errors**: Input for a row with more cells than columns.
[[nodiscard]] Sheet readTable(std::string_view text, char separator, bool header,
                              const std::filesystem::path& name = "the list");
[[nodiscard]] std::string tableText(const Sheet& sheet, char separator);

/// The table of a STAR file that has the column `known`. **Errors**: Input, also without one, with
/// several, and for tables that state two pixels of the tilt series.
[[nodiscard]] Sheet readStar(std::string_view text, std::string_view known,
                             const std::filesystem::path& name);
/// `numbered`: the columns have their numbers, and the rows follow them at once; else behind an
/// empty line, as MATLAB readers of STOPGAP want them.
[[nodiscard]] std::string starText(const Sheet& sheet, std::string_view block,
                                   bool numbered = true);

/// What the centre of lists of this program is.
inline constexpr const char* kCentre =
    "geometric centre of the template of m voxels as it lies in the scene, (m - 1) / 2 voxels from "
    "its first one; not its voxel m / 2, which RELION and others state";

/// What is a position in formats with ListFormatInfo::reference.
inline constexpr const char* kReferencePoint =
    "where the voxel m / 2 of the particle's box of m voxels lies, which turns with the particle";

/// The comment lines of all formats that have comments: scene, geometry, facts on the tilt series.
[[nodiscard]] std::vector<std::string> placeComments(const PositionList& list, char separator);
/// The same with those of the format of another program.
[[nodiscard]] std::vector<std::string> formatComments(const PositionList& list,
                                                      const Preset& preset, char separator);
/// What such lines state, in place of what `list` holds; facts that `list` holds stay.
void takeComments(const std::vector<std::string>& comments, PositionList& list);

/// Whether two lengths differ by more than a thousandth.
[[nodiscard]] bool differ(double a, double b);
/// The pixel of the tilt series that tables state. **Errors**: Input where they state another one
/// than is known, or rows count in other voxels than those of the scene.
void takeStatedPixels(const Sheet& sheet, const Preset& preset, PositionList& list,
                      const std::filesystem::path& name);

/// A row of fields for each position, and positions from rows.
[[nodiscard]] Sheet sheetOf(const PositionList& list, const Preset& preset);
/// **Errors**: Input with `name`.
void takeSheet(const Sheet& sheet, const Preset& preset, PositionList& list,
               const std::filesystem::path& name);

/// The column of a table of this program that names the tomograms, or scenes, of its rows.
inline constexpr std::string_view kTomogramColumn = "tomogram";
/// The tables of this program.
[[nodiscard]] Sheet ownSheet(const PositionList& list, char separator);
void takeOwnSheet(const Sheet& sheet, PositionList& list, const std::filesystem::path& name);

/// The reference of a template that was resampled, by the line that says it; empty for others.
[[nodiscard]] std::optional<base::Point> referenceIn(const std::vector<std::string>& comments,
                                                     int templ);

/// True for a table with columns x and y that are neither those of peaks nor of blobs.
[[nodiscard]] bool isAnchored(const Sheet& sheet);
/// Its positions, by ListUnknowns::anchor. **Errors**: Problem where it, or the box of corners, is
/// not known; Input.
void takeAnchoredSheet(const Sheet& sheet, PositionList& list, const std::filesystem::path& name);

/// `text` as a number; empty for text that is none, or one that is not finite.
[[nodiscard]] std::optional<double> numberOf(std::string_view text);
/// The number in a cell; empty without it. **Errors**: Input with `name` for a decimal comma.
[[nodiscard]] std::optional<double> numberIn(const std::vector<std::string>& row, int column,
                                             const std::filesystem::path& name);
/// True for a text that a spreadsheet would compute: "=1+1", "@SUM(A1)"; not for a number.
[[nodiscard]] bool isFormula(const std::string& cell);

} // namespace flcc::io::detail::lists
