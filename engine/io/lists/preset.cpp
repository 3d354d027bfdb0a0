#include "engine/io/lists/preset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/io/format/reading.h"

namespace flcc::io::detail::lists {

namespace {

using enum ListFormat;
using enum Holds;

constexpr base::Point kNone{0, 0, 0};
constexpr base::Point kHalf{0.5, 0.5, 0.5};
constexpr base::Point kOne{1, 1, 1};

/// The columns of RELION and of programs after it.
constexpr std::array<Field, 8> starFields(std::string_view tomogram,
                                          std::array<std::string_view, 3> axes,
                                          std::array<std::string_view, 3> angles,
                                          std::string_view score) {
    return {{{Tomogram, tomogram},
             {X, axes[0]},
             {Y, axes[1]},
             {Z, axes[2]},
             {Angle1, angles[0]},
             {Angle2, angles[1]},
             {Angle3, angles[2]},
             {Score, score}}};
}

constexpr std::array<std::string_view, 3> kAngles{"rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi"};
constexpr std::string_view kScore = "rlnAutopickFigureOfMerit";
constexpr auto kRelion4Fields = starFields(
    "rlnTomoName", {"rlnCoordinateX", "rlnCoordinateY", "rlnCoordinateZ"}, kAngles, kScore);
constexpr auto kRelion5Fields = starFields(
    "rlnTomoName",
    {"rlnCenteredCoordinateXAngst", "rlnCenteredCoordinateYAngst", "rlnCenteredCoordinateZAngst"},
    kAngles, kScore);
constexpr auto kMFields =
    starFields("wrpSourceName", {"wrpCoordinateX1", "wrpCoordinateY1", "wrpCoordinateZ1"},
               {"wrpAngleRot1", "wrpAngleTilt1", "wrpAnglePsi1"}, "");

/// The 35 columns of a table of Dynamo: tag, aligned, averaged, shifts, angles, correlation, ...
constexpr std::array<Field, 35> dynamoFields() {
    std::array<Field, 35> fields{};
    fields[0] = {Rank, ""};
    fields[1] = {Constant, "", "1"};
    fields[2] = {Constant, "", "1"};
    fields[3] = {Shift1, ""};
    fields[4] = {Shift2, ""};
    fields[5] = {Shift3, ""};
    fields[6] = {Angle1, ""};
    fields[7] = {Angle2, ""};
    fields[8] = {Angle3, ""};
    fields[9] = {Score, ""};
    fields[19] = {TomogramNumber, "", "1"};
    fields[23] = {X, ""};
    fields[24] = {Y, ""};
    fields[25] = {Z, ""};
    fields[30] = {Rank, ""};
    return fields;
}
constexpr auto kDynamoFields = dynamoFields();

constexpr auto kPointFields = std::to_array<Field>({{X, ""}, {Y, ""}, {Z, ""}});
constexpr auto kImageJFields = std::to_array<Field>({{Rank, " "},
                                                     {X, "X"},
                                                     {Y, "Y"},
                                                     {Z, "Slice"},
                                                     {Score, "Score"},
                                                     {Decision, "Decision"},
                                                     {More, ""}});
constexpr auto kNapariFields = std::to_array<Field>({{Holds::Index, "index"},
                                                     {Z, "axis-0"},
                                                     {Y, "axis-1"},
                                                     {X, "axis-2"},
                                                     {Score, "score"},
                                                     {Decision, "decision"}});
constexpr auto kFlatNapariFields = std::to_array<Field>({{Holds::Index, "index"},
                                                         {Y, "axis-0"},
                                                         {X, "axis-1"},
                                                         {Score, "score"},
                                                         {Decision, "decision"}});
constexpr auto kBoxFields = std::to_array<Field>({{X, ""}, {Y, ""}, {Width, ""}, {Height, ""}});
constexpr auto kCboxFields = std::to_array<Field>({{X, "CoordinateX"},
                                                   {Y, "CoordinateY"},
                                                   {Z, "CoordinateZ"},
                                                   {Width, "Width"},
                                                   {Height, "Height"},
                                                   {Depth, "Depth"},
                                                   {Constant, "EstWidth", "<NA>"},
                                                   {Constant, "EstHeight", "<NA>"},
                                                   {Score, "Confidence"},
                                                   {Constant, "NumBoxes", "1"},
                                                   {Constant, "Angle", "0"}});
constexpr auto kCornerFields = std::to_array<Field>({{X, "x"},
                                                     {Y, "y"},
                                                     {Z, "z"},
                                                     {Width, "width"},
                                                     {Height, "height"},
                                                     {Depth, "depth"},
                                                     {Score, "score"},
                                                     {Decision, "decision"}});
constexpr auto kSkimageFields = std::to_array<Field>({{Z, "plane"},
                                                      {Y, "row"},
                                                      {X, "column"},
                                                      {Depth, "planes"},
                                                      {Height, "rows"},
                                                      {Width, "columns"},
                                                      {Score, "score"},
                                                      {Decision, "decision"}});

using enum ListNeed;

constexpr auto kPresets = std::to_array<Preset>({
    {{Csv,
      "csv",
      "CSV of FLCC",
      ".csv",
      "corner and centre in voxels of the scene; the first voxel is 0",
      {},
      ListFrames::Column},
     Syntax::Own},
    {.info = {Tsv,
              "tsv",
              "TSV of FLCC",
              ".tsv",
              "corner and centre in voxels of the scene; the first voxel is 0",
              {},
              ListFrames::Column},
     .syntax = Syntax::Own,
     .separator = '\t'},
    {{Json,
      "json",
      "JSON of FLCC",
      ".json",
      "corner and centre in voxels of the scene; the first voxel is 0",
      {},
      ListFrames::Column},
     Syntax::Json},
    {.info = {Relion4,
              "relion4",
              "RELION 4 (tilt series)",
              ".star",
              "pixels of the unbinned tilt series; the centre of the first voxel is 0; "
              "RELION 4.0 adds 1 when it reads",
              {Binning},
              ListFrames::None,
              true,
              true},
     .syntax = Syntax::Star,
     .unit = PlaceUnit::Unbinned,
     .fields = kRelion4Fields},
    {.info = {Relion5,
              "relion5",
              "RELION 5 (centred)",
              ".star",
              "angstrom from half the size of the unbinned tomogram (N/2), as RELION 5 reads",
              {Binning, UnbinnedPixel, UnbinnedSize},
              ListFrames::None,
              true,
              true},
     .syntax = Syntax::Star,
     .unit = PlaceUnit::CentredAngstrom,
     .fields = kRelion5Fields},
    {.info = {Warp,
              "warp",
              "Warp",
              ".star",
              "voxels of the scene; the centre of the first voxel is 0; give Warp the voxel "
              "size as --coords_angpix",
              {},
              ListFrames::None,
              true,
              true},
     .syntax = Syntax::Star,
     .fields = kRelion4Fields},
    {.info = {M,
              "m",
              "M",
              ".star",
              "angstrom from the centre of the first voxel",
              {VoxelSize},
              ListFrames::None,
              true,
              true},
     .syntax = Syntax::Star,
     .unit = PlaceUnit::Angstrom,
     .fields = kMFields},
    {.info = {Dynamo,
              "dynamo",
              "Dynamo table",
              ".tbl",
              "voxels of the scene; the centre of the first voxel is 1, as in Dynamo itself",
              {},
              ListFrames::None,
              true},
     .base = kOne,
     .angles = AngleKind::Dynamo,
     .separator = ' ',
     .header = false,
     .comments = false,
     .fields = kDynamoFields},
    {.info = {Dynamo0,
              "dynamo0",
              "Dynamo table for converters",
              ".tbl",
              "voxels of the scene; the centre of the first voxel is 0, as dynamo2m and ArtiaX "
              "take it",
              {},
              ListFrames::None,
              true},
     .angles = AngleKind::Dynamo,
     .separator = ' ',
     .header = false,
     .comments = false,
     .fields = kDynamoFields},
    {.info = {Imod,
              "imod",
              "IMOD point text",
              ".txt",
              "voxels of the scene; the centre of the first voxel is 0.5 0.5 0, as 3dmod draws; "
              "for point2model",
              {},
              ListFrames::Slice},
     .base = {0.5, 0.5, 0},
     .separator = ' ',
     .header = false,
     .comments = false,
     .fields = kPointFields},
    {.info = {ImageJRoi,
              "imagej-roi",
              "ImageJ ROI set",
              ".zip",
              "voxels of the scene; the centre of the first voxel is 0; slices count from 1",
              {},
              ListFrames::Slice},
     .syntax = Syntax::Roi,
     .base = {0, 0, 1},
     .comments = false},
    {.info = {ImageJCsv,
              "imagej-csv",
              "ImageJ results",
              ".csv",
              "voxels of the scene; the centre of the first voxel is 0, as of points in ImageJ; "
              "slices count from 1",
              {},
              ListFrames::Slice},
     .base = {0, 0, 1},
     .comments = false,
     .fields = kImageJFields},
    {.info = {Napari,
              "napari",
              "napari points",
              ".csv",
              "voxels of the scene in the order z y x; the centre of the first voxel is 0",
              {},
              ListFrames::Slice},
     .comments = false,
     .fields = kNapariFields,
     .flatFields = kFlatNapariFields},
    {.info = {Slicer,
              "slicer",
              "3D Slicer markups",
              ".mrk.json",
              "world units of the scene, LPS unless its axes are RAS",
              {},
              ListFrames::Slice},
     .syntax = Syntax::Slicer,
     .comments = false},
    {.info = {Eman,
              "eman",
              "EMAN box",
              ".box",
              "first pixel of the box, whole pixels; the first pixel is 0; flat images only",
              {Box, Flat},
              ListFrames::None,
              true},
     .half = kHalf,
     .whole = true,
     .separator = '\t',
     .header = false,
     .comments = false,
     .fields = kBoxFields},
    {.info = {Cbox,
              "cbox",
              "crYOLO cbox",
              ".cbox",
              "x and y: centre less half the box; z: slice of the centre; the centre of the "
              "first voxel is 0",
              {Box},
              ListFrames::Slice,
              true},
     .syntax = Syntax::Star,
     .half = {0.5, 0.5, 0},
     .fields = kCboxFields},
    {.info = {Copick,
              "copick",
              "Copick picks",
              ".json",
              "angstrom from the centre of the first voxel",
              {VoxelSize},
              ListFrames::None,
              true},
     .syntax = Syntax::Copick,
     .unit = PlaceUnit::Angstrom,
     .comments = false},
    {.info = {Corners,
              "corners",
              "Corners (OpenCV)",
              ".csv",
              "first voxel of the box; the first voxel of the scene is 0",
              {Box},
              ListFrames::Slice},
     .half = kHalf,
     .base = kHalf,
     .fields = kCornerFields},
    {.info = {CornersSkimage,
              "corners-skimage",
              "Corners (scikit-image)",
              ".csv",
              "first voxel of the box in the order plane row column; the first voxel of the "
              "scene is 0",
              {Box},
              ListFrames::Slice},
     .half = kHalf,
     .base = kHalf,
     .fields = kSkimageFields},
    {.info = {CornersMatlab,
              "corners-matlab",
              "Corners (MATLAB)",
              ".csv",
              "first voxel of the box; the first voxel of the scene is 1",
              {Box},
              ListFrames::Slice},
     .half = kHalf,
     .base = {1.5, 1.5, 1.5},
     .fields = kCornerFields},
});

double radians(double degrees) { return degrees * std::numbers::pi / 180; }
double degrees(double radians) { return radians * 180 / std::numbers::pi; }

/// In [-180, 180).
double turnOf(double degrees) {
    const double turn = std::fmod(degrees + 180, 360);
    return (turn < 0 ? turn + 360 : turn) - 180;
}

/// Half of what lies in a binned voxel beyond the middle of its first voxel.
double binShift(const ListUnknowns& unknowns) {
    return unknowns.binnedBy == BinnedBy::Average ? (unknowns.binning.value_or(1) - 1) / 2 : 0;
}

double sizeOf(const base::Extents& extents, std::size_t axis) {
    return static_cast<double>(axis == 0 ? extents.x : axis == 1 ? extents.y : extents.z);
}

/// Position = scale * voxel + shift.
struct Line {
    double scale = 1;
    double shift = 0;
};

Line lineOf(const Preset& preset, const ListPlace& place, std::size_t axis) {
    const ListUnknowns& unknowns = place.unknowns;
    const double binning = unknowns.binning.value_or(1);
    switch (preset.unit) {
    case PlaceUnit::Voxel:
        break;
    case PlaceUnit::Unbinned:
        return {binning, binShift(unknowns)};
    case PlaceUnit::Angstrom:
        return {voxelAngstrom(place)[axis], 0};
    case PlaceUnit::CentredAngstrom: {
        const double pixel = unknowns.unbinnedPixel.value_or(1);
        const double half =
            sizeOf(unknowns.unbinnedSize.value_or(base::Extents{0, 0, 0}), axis) / 2;
        return {binning * pixel, (binShift(unknowns) - half) * pixel};
    }
    }
    return {};
}

/// What is subtracted of the box; of whole pixels, whole ones.
double shareOf(const Preset& preset, const base::Extents& box, std::size_t axis) {
    const double share = preset.half[axis] * sizeOf(box, axis);
    return preset.whole ? std::floor(share) : share;
}

} // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& presetOf(ListFormat format) {
    return *std::ranges::find(presets(), format,
                              [](const Preset& preset) { return preset.info.format; });
}

bool isJudged(const PositionList& list) {
    return std::ranges::any_of(
        list.positions, [](const ListedPosition& each) { return each.decision.has_value(); });
}

std::string decisionText(const ListedPosition& position) {
    return std::string(match::name(position.decision.value_or(match::Decision::Undecided)));
}

bool holdsDecisions(const Preset& preset) {
    return preset.syntax == Syntax::Own || preset.syntax == Syntax::Json ||
           preset.syntax == Syntax::Slicer || preset.syntax == Syntax::Roi ||
           std::ranges::find(preset.fields, Holds::Decision, &Field::holds) != preset.fields.end();
}

bool holdsAngles(const Preset& preset) {
    return preset.syntax == Syntax::Own || preset.syntax == Syntax::Json ||
           preset.syntax == Syntax::Slicer || preset.syntax == Syntax::Copick ||
           std::ranges::find(preset.fields, Holds::Angle1, &Field::holds) != preset.fields.end();
}

base::Point toFormat(const Preset& preset, const ListPlace& place, const base::Point& i,
                     const base::Extents& box) {
    base::Point stated{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Line line = lineOf(preset, place, axis);
        stated[axis] =
            line.scale * i[axis] + line.shift - shareOf(preset, box, axis) + preset.base[axis];
        stated[axis] = preset.whole ? std::floor(stated[axis] + 0.5) : stated[axis];
    }
    return stated;
}

base::Point fromFormat(const Preset& preset, const ListPlace& place, const base::Point& stated,
                       const base::Extents& box) {
    base::Point i{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Line line = lineOf(preset, place, axis);
        i[axis] = (stated[axis] - preset.base[axis] + shareOf(preset, box, axis) - line.shift) /
                  line.scale;
    }
    return i;
}

double roundingOf(const Preset& preset, const ListPlace& place, const base::Point& position,
                  std::size_t axis) {
    if (preset.whole || (preset.syntax == Syntax::Roi && axis == 2)) {
        return 0.5;
    }
    // A sum of numbers as large as these, each rounded once or twice, and scaled twice.
    constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
    const Line line = lineOf(preset, place, axis);
    const double largest =
        std::abs(position[axis]) + std::abs(line.shift / line.scale) + sizeOf(place.extents, axis);
    if (preset.syntax == Syntax::Roi) {
        return std::numeric_limits<float>::epsilon() * largest;
    }
    if (preset.syntax != Syntax::Slicer) {
        return kRounding * (largest + 64);
    }
    // A world position sums over all axes and is as large as the largest of them.
    double all = 64;
    for (std::size_t each = 0; each < 3; ++each) {
        all += std::abs(position[each] * place.geometry.spacing[each]) +
               std::abs(place.geometry.origin[each]);
    }
    return 4 * kRounding * all / std::abs(place.geometry.spacing[axis]);
}

base::Point toAngles(AngleKind kind, const base::Point& relion) {
    const base::Point turns{turnOf(relion[0]), relion[1], turnOf(relion[2])};
    if (kind == AngleKind::Relion) {
        return turns;
    }
    // Dynamo turns by Rz(-tdrot) Rx(-tilt) Rz(-narot), and Rx(t) = Rz(-90) Ry(t) Rz(90). Where tilt
    // is 0 or 180, its tdrot is 0 and narot turns alone.
    const base::Point settled = rotation::settledEuler(turns);
    return settled[1] == 0 ? base::Point{0, 0, settled[2]}
           : settled[1] == 180
               ? base::Point{0, 180, turnOf(180 - settled[2])}
               : base::Point{turnOf(turns[2] - 90), turns[1], turnOf(turns[0] + 90)};
}

base::Point fromAngles(AngleKind kind, const base::Point& stated) {
    const base::Point turns{turnOf(stated[0]), turnOf(stated[1]), turnOf(stated[2])};
    return rotation::settledEuler(
        kind == AngleKind::Relion
            ? turns
            : base::Point{turnOf(turns[2] - 90), turns[1], turnOf(turns[0] + 90)});
}

Matrix matrixOf(const base::Point& relion) {
    const auto aboutZ = [](double degrees) {
        const double c = std::cos(radians(degrees));
        const double s = std::sin(radians(degrees));
        return Matrix{c, -s, 0, s, c, 0, 0, 0, 1};
    };
    const double c = std::cos(radians(-relion[1]));
    const double s = std::sin(radians(-relion[1]));
    const Matrix aboutY{c, 0, s, 0, 1, 0, -s, 0, c};
    return rotation::product(aboutZ(-relion[2]), rotation::product(aboutY, aboutZ(-relion[0])));
}

base::Point anglesOf(const Matrix& m) {
    const double sine = std::hypot(m[2], m[5]);
    const double tilt = degrees(std::atan2(sine, m[8]));
    if (sine < 1e-9) { // only the sum or the difference of rot and psi is stated
        const double sign = m[8] > 0 ? 1 : -1;
        return {0, tilt, turnOf(-degrees(std::atan2(sign * m[3], sign * m[0])))};
    }
    return {turnOf(-degrees(std::atan2(-m[7], m[6]))), tilt,
            turnOf(-degrees(std::atan2(-m[5], -m[2])))};
}

base::Point fromWorld(const base::Geometry& geometry, const base::Point& lps) {
    const Matrix turn = rotation::inverse(geometry.direction);
    base::Point voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < 3; ++row) {
            voxel[axis] += turn[3 * axis + row] * (lps[row] - geometry.origin[row]);
        }
        voxel[axis] /= geometry.spacing[axis];
    }
    return voxel;
}

base::Point voxelAngstrom(const ListPlace& place) {
    if (place.unknowns.binning && place.unknowns.unbinnedPixel) {
        const double edge = *place.unknowns.binning * *place.unknowns.unbinnedPixel;
        return {edge, edge, edge};
    }
    if (place.geometry.unitSource == base::UnitSource::Missing || place.geometry.unit == "px") {
        return kNone;
    }
    const double factor = unitLength(place.geometry.unit) / unitLength("A");
    const base::Point& spacing = place.geometry.spacing;
    return {spacing[0] * factor, spacing[1] * factor, spacing[2] * factor};
}

} // namespace flcc::io::detail::lists
