#include <algorithm>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

namespace {

using enum ListFormat;
using enum Holds;

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
/// Of pictures: no z, and one angle.
constexpr auto kMicrographFields = std::to_array<Field>({{Tomogram, "rlnMicrographName"},
                                                         {X, "rlnCoordinateX"},
                                                         {Y, "rlnCoordinateY"},
                                                         {Angle3, "rlnAnglePsi"},
                                                         {Score, kScore}});
constexpr auto kStopgapFields = std::to_array<Field>({{Rank, "motl_idx"},
                                                      {TomogramNumber, "tomo_num", "1"},
                                                      {Constant, "object", "1"},
                                                      {Rank, "subtomo_num"},
                                                      {Constant, "halfset", "A"},
                                                      {X, "orig_x"},
                                                      {Y, "orig_y"},
                                                      {Z, "orig_z"},
                                                      {Score, "score"},
                                                      {Shift1, "x_shift"},
                                                      {Shift2, "y_shift"},
                                                      {Shift3, "z_shift"},
                                                      {Angle1, "phi"},
                                                      {Angle2, "psi"},
                                                      {Angle3, "the"},
                                                      {Constant, "class", "1"}});
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
    {.info = {Micrograph,
              "relion-micrograph",
              "RELION micrographs (2D)",
              ".star",
              "pixels of the unbinned micrograph; the centre of the first pixel is 0; flat images "
              "only",
              {Flat},
              ListFrames::None,
              true,
              true},
     .syntax = Syntax::Star,
     .unit = PlaceUnit::Unbinned,
     .fields = kMicrographFields},
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
    {.info = {Stopgap,
              "stopgap",
              "STOPGAP motive list",
              ".star",
              "voxels of the scene; the centre of the first voxel is 1; whole positions, and the "
              "rest as shifts",
              {},
              ListFrames::None,
              true},
     .syntax = Syntax::Star,
     .base = kOne,
     .split = true,
     .angles = AngleKind::Stopgap,
     .block = "data_stopgap_motivelist",
     .numbered = false,
     .complete = true,
     .fields = kStopgapFields},
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
    {.info = {ImodModel,
              "imod-model",
              "IMOD model",
              ".mod",
              "voxels of the scene; the centre of the first voxel is 0.5 0.5 0, as 3dmod draws",
              {},
              ListFrames::Slice},
     .syntax = Syntax::Model,
     .base = {0.5, 0.5, 0},
     .comments = false},
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
    {.info =
         {Slicer,
          "slicer",
          "3D Slicer markups",
          ".mrk.json",
          "units of the scene's world, which 3D Slicer takes as mm; LPS unless its axes are RAS",
          {Scene},
          ListFrames::Slice},
     .syntax = Syntax::Slicer,
     .comments = false},
    {.info = {Eman,
              "eman",
              "EMAN box",
              ".box",
              "first pixel of the box, whole pixels; the first pixel is 0; flat images only; y "
              "counts from the last row of pictures that are not MRC",
              {Box, Flat},
              ListFrames::None,
              true},
     .half = kHalf,
     .whole = true,
     .flips = true,
     .separator = '\t',
     .header = false,
     .comments = false,
     .fields = kBoxFields},
    {.info = {Cbox,
              "cbox",
              "crYOLO cbox",
              ".cbox",
              "x and y: centre less half the box; z: slice of the centre; the centre of the "
              "first voxel is 0; y counts from the last row of pictures that are not MRC",
              {Box},
              ListFrames::Slice,
              true},
     .syntax = Syntax::Star,
     .half = {0.5, 0.5, 0},
     .flips = true,
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

} // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& presetOf(ListFormat format) {
    return *std::ranges::find(presets(), format,
                              [](const Preset& preset) { return preset.info.format; });
}

} // namespace flcc::io::detail::lists
