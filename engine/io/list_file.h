#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/io/atomic_file.h"
#include "engine/match/decision.h"
#include "engine/rotation/orientation.h"

namespace flcc::io {

/// Formats of lists of positions. Auto: by extension when written, by content when read.
enum class ListFormat : std::uint8_t {
    Auto,
    Csv,
    Tsv,
    Json,
    Relion4,
    Relion5,
    Micrograph,
    Warp,
    M,
    Dynamo,
    Dynamo0,
    Stopgap,
    Imod,
    ImodModel,
    ImageJRoi,
    ImageJCsv,
    Napari,
    Slicer,
    Eman,
    Cbox,
    Copick,
    Corners,
    CornersSkimage,
    CornersMatlab
};

/// A fact about the tilt series or the templates that a format states and no image file tells.
enum class ListNeed : std::uint8_t {
    None,
    Binning,
    UnbinnedPixel,
    UnbinnedSize,
    Box,
    VoxelSize,
    Scene,
    Flat
};

/// How a list of the peaks of several frames says which frame a position is of. Slice: the frames
/// are the slices of the stack, and the frame is z.
enum class ListFrames : std::uint8_t { None, Column, Slice };

/// The name of a tilt series in that of a file or of a column of a list: without folders and what
/// programs add to it ("TS_01" of "rec_TS_01.mrc", "TS_01_10.00Apx.mrc", "TS_01_bin4_rec.mrc",
/// "TS_01.tomostar").
[[nodiscard]] std::string seriesOf(std::string_view name);

struct ListPlace;
/// The name of the tomogram that rows of a format carry: the one that is stated, else that of the
/// scene's file with letters that all programs read.
[[nodiscard]] std::string tomogramOf(const ListPlace& place, ListFormat format);

/// What a user reads about a format.
struct ListFormatInfo {
    ListFormat format = ListFormat::Auto;
    std::string_view name;           ///< as in `--peaks-format`: "relion5"
    std::string_view title;          ///< "RELION 5"
    std::string_view extension;      ///< ".star"
    std::string_view convention;     ///< base, centre and unit of the positions, as one line
    std::array<ListNeed, 3> needs{}; ///< None where there are fewer
    ListFrames frames = ListFrames::None;
    /// Positions are where the voxel m / 2 of the particle's box of m voxels lies. Else they are
    /// geometric centres or first voxels of boxes.
    bool reference = false;
    bool named = false; ///< its rows name their tomogram
};

/// The convention, with the point of a particle that is meant.
[[nodiscard]] std::string conventionText(const ListFormatInfo& info);

/// All formats but Auto.
[[nodiscard]] const std::vector<ListFormatInfo>& listFormats();
[[nodiscard]] const ListFormatInfo& infoOf(ListFormat format); ///< not of Auto
[[nodiscard]] std::string_view name(ListFormat format);
/// **Errors**: CommandLine for an unknown name; the sentence names `option`.
[[nodiscard]] ListFormat listFormatNamed(std::string_view name, std::string_view option);
/// Whether the name of a file ends as that of a list that is read.
[[nodiscard]] bool hasListName(const std::filesystem::path& file);
/// `format`, or for Auto the one of the extension. **Errors**: CommandLine for an extension that no
/// format or several formats have; the sentence names `option`.
[[nodiscard]] ListFormat chosenListFormat(ListFormat format, const std::filesystem::path& file,
                                          std::string_view option);

/// How a scene was made from a larger one. Crop: by a part of its transform or a reconstruction, so
/// that the middles of both agree and voxel i lies at i b. Average: by means of blocks, so that
/// the middle of voxel i lies at i b + (b - 1) / 2.
enum class BinnedBy : std::uint8_t { Crop, Average };
[[nodiscard]] constexpr std::string_view name(BinnedBy by) {
    return by == BinnedBy::Crop ? "crop" : "average";
}

/// What the position of a table with the columns x, y and z means, if it has no columns cx, cy and
/// cz: the first voxel of a box or its centre.
enum class Anchor : std::uint8_t { Corner, Centre };

/// Facts on the tilt series of a scene, which no file of the scene tells.
struct ListUnknowns {
    std::optional<double> binning{};       ///< voxels of the tilt series in one of the scene
    std::optional<double> unbinnedPixel{}; ///< of the tilt series, angstrom
    std::optional<base::Extents> unbinnedSize{};
    BinnedBy binnedBy = BinnedBy::Crop;
    std::optional<base::Extents> box{};     ///< of positions whose list states none, voxels
    std::optional<base::Point> reference{}; ///< the same, as ListedPosition::reference
    std::optional<Anchor> anchor{};         ///< of tables that do not say it
    std::string tomogram{}; ///< the tilt series of the scene; empty: by the name of its file

    friend bool operator==(const ListUnknowns&, const ListUnknowns&) = default;
};

/// The scene that positions lie in.
struct ListPlace {
    std::string scene;    ///< path or name
    std::string sha256{}; ///< of its file; may be empty
    base::Extents extents{0, 0, 0};
    base::Geometry geometry;
    ListUnknowns unknowns{};

    [[nodiscard]] bool flat() const { return extents.z == 1; }
};

/// One position.
struct ListedPosition {
    /// Where the geometric centre of the box lies, (m - 1) / 2 voxels from its first one: voxels of
    /// the scene; the centre of voxel i lies on i.
    base::Point centre{0, 0, 0};
    std::optional<double> score{}; ///< score or strength
    /// Rot, tilt and psi of RELION, degrees: the template is turned by
    /// Rz(-psi) Ry(-tilt) Rz(-rot).
    std::optional<base::Point> angles{};
    double scale = 1;           ///< the template was scaled before
    bool mirrored = false;      ///< the template was mirrored along x before that
    base::Extents box{0, 0, 0}; ///< of the template or blob; zeros if it is not known
    /// From the geometric centre of the template to its reference voxel, voxels; empty: to voxel
    /// m / 2 of the box, 0 where it is not known (rotation::toReferenceVoxel).
    std::optional<base::Point> reference{};
    /// What a person decided; empty in a list that nobody judged.
    std::optional<match::Decision> decision{};
    int species = -1;                 ///< in PositionList::species; -1: not known
    std::vector<std::string> cells{}; ///< its row in tables of this program
};

/// A column of the tables of this program. Three columns of one group are an array in JSON.
struct ListColumn {
    std::string name;
    std::string group{};
    bool more = false; ///< also in tables of results of ImageJ
};

/// A list of peaks or blobs with all that any format writes.
struct PositionList {
    std::string noun = "peak"; ///< or "blob"
    std::string scoreName = "score";
    ListPlace place;
    std::vector<std::string> comments{}; ///< further lines for tables of this program
    std::vector<ListColumn> columns{};   ///< of the tables of this program
    std::vector<ListedPosition> positions{};
    /// What the positions are of: names of templates in the order of their numbers, or those that a
    /// column of the list states.
    std::vector<std::string> species{};
    ListFormat format = ListFormat::Auto; ///< that it was read in
    std::vector<std::string> notes{};     ///< sentences on what was assumed when it was read

    [[nodiscard]] bool isOfBlobs() const { return noun == "blob"; } ///< which have no turned frame
};

/// Sets the species of the list and of its positions: by its column `species` or else `name`, where
/// two rows have the same name; else by the names of the files of its templates, or of their
/// numbers, which the column `template` holds. A list without such a column has none.
void nameSpecies(PositionList& list);
/// The comment that gives a template a name for nameSpecies().
[[nodiscard]] std::string speciesComment(std::size_t templ, const std::string& species);

/// The numbers of templates of a list, by the column `template` of tables of this program.
struct ListedTemplates {
    std::vector<int> numbers; ///< sorted: those that comments name and those of positions
    std::vector<int> of;      ///< of each position
};
/// Nothing where the list has no such column, or another number in it.
[[nodiscard]] std::optional<ListedTemplates> templatesOf(const PositionList& list);

/// How the template lies at a position.
[[nodiscard]] rotation::Pose poseOf(const ListedPosition& position);
/// Where the reference voxel of its template lies, voxels of the scene: centre + M reference, M of
/// the pose, which turns lengths. That is the position of a particle in RELION, Warp, M, Dynamo,
/// EMAN, crYOLO and Copick.
[[nodiscard]] base::Point referenceOf(const ListedPosition& position,
                                      const base::Geometry& geometry);
/// Says of which template the positions of a list are that was read in a format of these programs:
/// its reference voxel lies at the points that the list states, and the centres move with it. Does
/// nothing to lists in other formats, which state centres. `reference`: as ListedPosition.
void takeTemplate(PositionList& list, const base::Extents& box, const base::Point& reference);
/// The template of all positions: its box and reference; empty where they differ or are not known.
[[nodiscard]] std::optional<std::pair<base::Extents, base::Point>>
templateOf(const PositionList& list);

/// The columns of lists of peaks and of blobs.
[[nodiscard]] const std::vector<ListColumn>& peakColumns();
[[nodiscard]] const std::vector<ListColumn>& blobColumns();
/// The column of decisions, which lists of judged peaks have.
inline constexpr std::string_view kDecisionColumn = "decision";
/// The column that says which box of a stack is that of a row.
inline constexpr std::string_view kStackColumn = "stack";
/// Adds that column to tables of this program. `ranks`: of each box in its order the rank of its
/// row, from 1; the others have no box.
void addStackColumn(PositionList& list, const std::vector<std::size_t>& ranks);
/// Leaves the positions whose decision is one of `decisions`; a position without one counts as
/// undecided.
void leaveDecided(PositionList& list, const std::vector<match::Decision>& decisions);
/// Makes rows with the columns of peaks for positions that another program listed.
void fillPeakCells(PositionList& list);
/// The box around a blob, of odd edges.
[[nodiscard]] base::Extents boxOfRadius(double radius, bool flat);

/// "unit um (header); axes RAS: x to the right; ...": what a comment says of world units.
[[nodiscard]] std::string unitText(const base::Geometry& geometry);

/// A text as part of a comment line: spreadsheets show the line as one cell and must not take it
/// for a formula, nor end it early.
[[nodiscard]] std::string commentText(const std::string& text, char separator);

/// Throws if `format` states what is not known of the place. `boxes`: all positions have a box.
/// **Errors**: Problem; the sentence names the missing options.
void requireListable(ListFormat format, const ListPlace& place, bool boxes);

/// Throws where facts contradict each other: binning times the pixel of the tilt series and the
/// voxel of the scene, its extents times binning and the unbinned size. **Errors**: Problem with
/// both numbers.
void requireConsistent(const ListPlace& place);

/// A note on the positions that lie outside the scene, where its extents are known. **Errors**:
/// Problem with a guess of the cause where all do.
void requireInside(PositionList& list, const std::filesystem::path& name);

/// The list as the bytes of a file. **Errors**: Problem as requireListable(). **Cost**:
/// O(positions).
[[nodiscard]] std::string listText(const PositionList& list, ListFormat format);

/// Sentences on what the format cannot hold of this list, and on what was assumed when it was read.
[[nodiscard]] std::vector<std::string> listNotes(const PositionList& list, ListFormat format);

/// Reads the bytes of a list. What its comments state replaces what `place` holds, but not what
/// `place.unknowns` holds. `name`: for sentences; its extension tells .box from point texts.
/// **Errors**: Input for a list that is damaged or of an unknown format; Problem.
[[nodiscard]] PositionList parseList(std::string_view bytes, ListFormat format,
                                     const ListPlace& place, const std::filesystem::path& name);
/// The format by the content. **Errors**: Input.
[[nodiscard]] ListFormat detectList(std::string_view bytes, const std::filesystem::path& name);

/// Reads a file of at most 1 GiB. **Errors**: as parseList, requireConsistent and requireInside.
[[nodiscard]] PositionList readList(const std::filesystem::path& file, ListFormat format,
                                    const ListPlace& place);

/// Whether the rows of a format name or number their tomogram, so that one list holds those of
/// several.
[[nodiscard]] bool namesTomograms(ListFormat format);
/// The positions in several scenes as one list. The tomograms are named by the series of their
/// files, numbered from 1, or, of micrographs, by their paths. **Shapes**: a format with
/// namesTomograms(). **Errors**: as requireListable().
[[nodiscard]] std::string joinedText(const std::vector<PositionList>& all, ListFormat format);
/// Writes such a list as writeList() does.
void writeJoinedList(const AtomicFile& file, const std::vector<PositionList>& all,
                     ListFormat format);

/// Writes a list to the temporary name of `file`, reads it back and compares; the caller calls
/// commit(). **Errors**: Problem; Output; Internal where the positions that were read differ.
void writeList(const AtomicFile& file, const PositionList& list, ListFormat format);

} // namespace flcc::io
