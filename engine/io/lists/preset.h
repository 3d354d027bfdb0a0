#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "engine/io/list_file.h"
#include "engine/rotation/orientation.h"

namespace flcc::io::detail::lists {

/// How the text of a file is built.
enum class Syntax { Own, Json, Table, Star, Slicer, Copick, Roi, Model };

/// What positions are counted in.
enum class PlaceUnit {
    Voxel,          ///< of the scene
    Unbinned,       ///< pixels of the tilt series
    Angstrom,       ///< from the centre of the first voxel
    CentredAngstrom ///< from half the size of the tilt series
};

/// How angles are stated. Stopgap: phi, psi and the, in this order, of the turn of the template
/// Rz(psi) Rx(the) Rz(phi).
enum class AngleKind { Relion, Dynamo, Stopgap };

/// What a field of a row holds.
enum class Holds {
    Constant,
    Rank,  ///< from 1
    Index, ///< from 0
    X,
    Y,
    Z,
    Width,
    Height,
    Depth,
    Score,
    Angle1,
    Angle2,
    Angle3,
    Shift1, ///< added to x, y and z when read; written as 0, with Preset::split as the rest of them
    Shift2,
    Shift3,
    Tomogram,
    TomogramNumber, ///< written as 1, or as the number that names the tomogram
    Decision,       ///< "keep", "reject", ...; only of a judged list
    More            ///< all columns of the list with ListColumn::more
};

struct Field {
    Holds holds = Holds::Constant;
    std::string_view name; ///< of its column; "" where the file has no names
    std::string_view constant = "0";
};

/// A format: what its numbers mean, and what a row holds. The position written on axis a is
/// unit(i)[a] - half[a] * box[a] + base[a], i of the point that statedPoint() says.
struct Preset {
    ListFormatInfo info;
    Syntax syntax = Syntax::Table;
    PlaceUnit unit = PlaceUnit::Voxel;
    base::Point half{0, 0, 0};
    base::Point base{0, 0, 0};
    bool whole = false; ///< positions, and what is subtracted of the box, are whole numbers
    bool split = false; ///< positions are whole numbers, and shifts the rest
    /// y counts from the last row of pictures that the program reads upside down (isUpsideDown).
    bool flips = false;
    AngleKind angles = AngleKind::Relion;
    char separator = ',';                      ///< of a table
    bool header = true;                        ///< a table begins with the names of its columns
    bool comments = true;                      ///< lines that begin with '#'
    std::string_view block = "data_particles"; ///< of a STAR file
    bool numbered = true;  ///< columns of a STAR file have their numbers, its rows follow at once
    bool complete = false; ///< columns without angles and scores are there, too
    std::span<const Field> fields{};
    std::span<const Field> flatFields{}; ///< of flat images, where columns have other names
};

[[nodiscard]] std::span<const Preset> presets();
[[nodiscard]] const Preset& presetOf(ListFormat format);

/// Whether a person judged the positions, and the word for a decision ("undecided" without one).
[[nodiscard]] bool isJudged(const PositionList& list);
[[nodiscard]] std::string decisionText(const ListedPosition& position);
/// Whether files of the format say what was decided.
[[nodiscard]] bool holdsDecisions(const Preset& preset);

[[nodiscard]] bool holdsAngles(const Preset& preset);

/// Whether EMAN and crYOLO, which keep row 0 of an MRC file at the bottom, turn this picture round.
[[nodiscard]] bool isUpsideDown(const Preset& preset, const ListPlace& place);

/// The point of a position that the format states, voxels of the scene: where the reference voxel
/// of its template lies, or its centre. A blob has no frame that turns, and is its centre.
[[nodiscard]] base::Point statedPoint(const Preset& preset, const PositionList& list,
                                      const ListedPosition& position);
/// Sets the centre of a position, whose box, pose and hand are set, so that `point` is its
/// statedPoint().
void placeAt(const Preset& preset, const PositionList& list, const base::Point& point,
             ListedPosition& position);
/// What is assumed where the box, or the angles in the file, are missing.
[[nodiscard]] std::vector<std::string> pointNotes(const Preset& preset, const PositionList& list,
                                                  bool written);

/// The numbers that a file states for voxel position `i`, and the position that they mean. Each is
/// the inverse of the other, but for rounding to whole numbers. `box`: extents of the template.
[[nodiscard]] base::Point toFormat(const Preset& preset, const ListPlace& place,
                                   const base::Point& i, const base::Extents& box);
[[nodiscard]] base::Point fromFormat(const Preset& preset, const ListPlace& place,
                                     const base::Point& stated, const base::Extents& box);

/// The largest difference on axis `axis` between a position and what is read back of it.
[[nodiscard]] double roundingOf(const Preset& preset, const ListPlace& place,
                                const base::Point& position, std::size_t axis);

/// Angles of RELION as the format states them, and back; but for tilt, in [-180, 180). Where tilt
/// is 0 or 180, rot is 0 in what is read, and tdrot in what is written for Dynamo.
[[nodiscard]] base::Point toAngles(AngleKind kind, const base::Point& relion);
[[nodiscard]] base::Point fromAngles(AngleKind kind, const base::Point& stated);

/// The matrix by which angles of RELION turn a template, row-major, and the angles of a matrix.
using Matrix = rotation::Matrix;
[[nodiscard]] Matrix matrixOf(const base::Point& relion);
[[nodiscard]] base::Point anglesOf(const Matrix& matrix);

/// The voxel position of a world position in LPS (the inverse of base::toWorld without axes).
[[nodiscard]] base::Point fromWorld(const base::Geometry& geometry, const base::Point& lps);

/// Edges of a voxel in angstrom: by the unit of the scene, or by binning and unbinned pixel; zeros
/// if neither is known.
[[nodiscard]] base::Point voxelAngstrom(const ListPlace& place);

} // namespace flcc::io::detail::lists
