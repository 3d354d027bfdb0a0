// Lists of other programs as they come: other separators, other columns, other scenes.

#include <QtTest>

#include <algorithm>
#include <cmath>

#include "engine/io/list_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using io::ListFormat;

namespace {

io::ListPlace deepPlace() {
    io::ListPlace place;
    place.scene = "TS_01.mrc";
    place.extents = {100, 90, 80};
    place.geometry.unit = "A";
    place.geometry.unitSource = base::UnitSource::Header;
    place.geometry.spacing = {10, 10, 10};
    return place;
}

io::ListPlace flatPlace() {
    io::ListPlace place = deepPlace();
    place.scene = "photo.mrc";
    place.extents.z = 1;
    return place;
}

io::PositionList readText(const std::string& text, const io::ListPlace& place = deepPlace(),
                          const char* name = "list.csv", ListFormat format = ListFormat::Auto) {
    return io::parseList(text, format, place, name);
}

/// The sentence of a refusal; empty where the list is read.
std::string refusal(const std::string& text, const io::ListPlace& place = deepPlace(),
                    const char* name = "list.csv", ListFormat format = ListFormat::Auto) {
    const auto error = test::errorOf([&] { (void)readText(text, place, name, format); });
    return error ? error->what() : "";
}

/// Whether a text has a part; shows the text where it has not.
bool has(const std::string& text, const std::string& part) {
    if (text.find(part) == std::string::npos) {
        qWarning("\"%s\" has no \"%s\"", text.c_str(), part.c_str());
        return false;
    }
    return true;
}

/// JSON whose quotes are written as apostrophes.
std::string quoted(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

bool isAt(const io::PositionList& list, std::size_t number, const base::Point& expected) {
    const base::Point& at = list.positions.at(number).centre;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs(at[axis] - expected[axis]) > 1e-9) {
            qWarning("%zu: %g %g %g", number, at[0], at[1], at[2]);
            return false;
        }
    }
    return true;
}

io::PositionList listAt(const std::vector<base::Point>& centres,
                        const io::ListPlace& place = deepPlace()) {
    io::PositionList list;
    list.place = place;
    list.format = ListFormat::Warp;
    for (const base::Point& centre : centres) {
        list.positions.emplace_back().centre = centre;
    }
    return list;
}

std::string outsideSentence(std::vector<base::Point> centres,
                            const io::ListPlace& place = deepPlace()) {
    io::PositionList list = listAt(centres, place);
    const auto error = test::errorOf([&] { io::requireInside(list, "a.star"); });
    return error && error->code() == base::ErrorCode::Problem ? error->what() : "";
}

const std::string kStarNames = "_rlnTomoName\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n";

} // namespace

class ListReadingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void positionsOutsideTheSceneAreCounted() {
        io::PositionList list = listAt({{1, 2, 3}, {99.9, 89, 79}, {101.5, 2, 3}, {5, 5, -2}});
        io::requireInside(list, "a.star");
        QCOMPARE(list.notes.size(), std::size_t{1});
        QVERIFY(has(list.notes[0], "2 of 4 positions lie outside the scene of 100x90x80 voxels"));
        io::PositionList inside = listAt({{1, 2, 3}});
        io::requireInside(inside, "a.star");
        QVERIFY(inside.notes.empty());
        io::PositionList anywhere = listAt({{1e6, 2, 3}}, {});
        io::requireInside(anywhere, "a.star"); // nobody knows the scene
    }

    void aListOutsideTheSceneIsRefusedWithItsCause() {
        QVERIFY(has(outsideSentence({{5, 4, 95}, {3, 2, 99}}), "with x and z swapped"));
        QVERIFY(has(outsideSentence({{400, 350, 300}, {390, 10, 20}}), "divided by 5"));
        QVERIFY(has(outsideSentence({{390, 350, 300}, {380, 340, 20}}), "divided by 4"));
        QVERIFY(has(outsideSentence({{-30, -20, -10}, {20, -30, 3}}), "from the middle"));
        QVERIFY(has(outsideSentence({{900, 10, 10}, {990, 880, 700}}), "as lengths in A"));
        QVERIFY(has(outsideSentence({{9e5, 3, 3}}), "another image or tomogram"));
        QVERIFY(has(outsideSentence({{5000, 3, 3}}), "x 5000 to 5000"));
        // Panels of other extents than "valid" have centres beyond the border in own lists alone.
        io::PositionList own = listAt({{-3, 10, 10}});
        own.format = ListFormat::Csv;
        own.positions[0].box = {9, 9, 9};
        io::requireInside(own, "a.csv");
        QVERIFY(!outsideSentence({{-3, 10, 10}}).empty());
    }

    void factsThatContradictAreRefused() {
        const auto sentence = [](const io::ListUnknowns& unknowns) {
            io::ListPlace place = deepPlace();
            place.unknowns = unknowns;
            const auto error = test::errorOf([&] { io::requireConsistent(place); });
            return std::string(error ? error->what() : "");
        };
        QVERIFY(sentence({.binning = 4, .unbinnedPixel = 2.5}).empty());
        QVERIFY(sentence({.binning = 4, .unbinnedPixel = 2.51}).empty()); // calibrations differ
        QVERIFY(
            has(sentence({.binning = 4, .unbinnedPixel = 1.35}), "make voxels of 5.4 angstrom"));
        QVERIFY(has(sentence({.binning = 4, .unbinnedPixel = 1.35}), "voxels of 10 angstrom"));
        QVERIFY(sentence({.binning = 4, .unbinnedSize = base::Extents{400, 364, 320}}).empty());
        QVERIFY(has(sentence({.binning = 4, .unbinnedSize = base::Extents{400, 360, 640}}),
                    "along z 320 is expected"));
        // What the list says against what is said of it.
        const std::string list = "# FLCC peaks\n# binning: 4 crop\n# unbinned pixel: 2.5 angstrom\n"
                                 "rank,score,cx,cy,cz\n1,0.5,1,2,3\n";
        io::ListPlace place = deepPlace();
        QCOMPARE(readText(list, place).place.unknowns.binning, std::optional(4.0));
        place.unknowns.binning = 4;
        QVERIFY(refusal(list, place).empty());
        place.unknowns.binning = 2;
        QVERIFY(has(refusal(list, place), "states binning 4, but --binning is 2"));
    }

    void theTablesOfAStarFileAgree() {
        const std::string optics = "data_optics\nloop_\n_rlnOpticsGroup\n"
                                   "_rlnTomoTiltSeriesPixelSize\n1 2.5\n";
        const std::string rows = "\ndata_particles\nloop_\n" + kStarNames + "TS_01 40 80 120\n";
        io::ListPlace place = deepPlace();
        place.unknowns.binning = 4;
        const io::PositionList read = readText(optics + rows, place, "p.star");
        QCOMPARE(read.place.unknowns.unbinnedPixel, std::optional(2.5));
        QVERIFY(isAt(read, 0, {10, 20, 30}));
        QVERIFY(has(refusal(optics + "2 5\n" + rows, place, "p.star"),
                    "two pixels of the tilt series: 2.5 and 5 angstrom"));
        place.unknowns.unbinnedPixel = 1.35;
        QVERIFY(has(refusal(optics + rows, place, "p.star"), "of 2.5 angstrom, but it is given as "
                                                             "1.35 angstrom"));
        // Rows of Warp that count in other pixels than the scene has.
        const std::string warp = "data_\nloop_\n" + kStarNames +
                                 "_rlnMagnification\n_rlnDetectorPixelSize\n"
                                 "TS_01.tomostar 40 80 120 10000 ";
        QVERIFY(refusal(warp + "10\n", deepPlace(), "w.star").empty());
        const std::string other = refusal(warp + "2.5\n", deepPlace(), "w.star");
        QVERIFY(has(other, "pixels of 2.5 angstrom, but the scene has voxels of 10"));
        QVERIFY(has(other, "--from relion4 and --binning 4"));
        // Two tables with positions, and one that is empty.
        const std::string more = "\ndata_more\nloop_\n" + kStarNames;
        QVERIFY(has(refusal(rows + more + "TS_01 1 2 3\n", place, "p.star"),
                    "two of its tables have positions (data_particles and data_more)"));
        QCOMPARE(readText(rows + more, place, "p.star").positions.size(), std::size_t{1});
        QCOMPARE(readText(more + rows, place, "p.star").positions.size(), std::size_t{1});
    }

    void twoSizesOfABoxAreRefused() {
        const std::string text = "x,y,z,width,height,depth\n4,5,6,9,9,9\n";
        io::ListPlace place = deepPlace();
        QVERIFY(isAt(readText(text, place), 0, {8, 9, 10}));
        place.unknowns.box = base::Extents{9, 9, 9};
        QVERIFY(isAt(readText(text, place), 0, {8, 9, 10}));
        place.unknowns.box = base::Extents{8, 8, 8};
        QVERIFY(has(refusal(text, place), "row 1 states a box of 9x9x9 voxels, but 8x8x8"));
    }

    void pointsOfImodMayHaveContoursAndObjects() {
        const io::PositionList three = readText("10.5 20.5 30\n1.5 2.5 3\n", deepPlace(), "p.txt");
        QVERIFY(three.format == ListFormat::Imod && isAt(three, 0, {10, 20, 30}));
        QVERIFY(has(three.notes.at(0), "taken as points of IMOD"));
        const io::PositionList four =
            readText(" 1 10.5 20.5 30\n 1 1.5 2.5 3\n 2 4.5 5.5 6\n", deepPlace(), "p.txt");
        QVERIFY(isAt(four, 0, {10, 20, 30}) && isAt(four, 2, {4, 5, 6}));
        QVERIFY(has(four.notes.at(0), "contour x y z"));
        QVERIFY(has(four.notes.at(0), "2 contours were joined"));
        const io::PositionList five =
            readText("1 1 10.5 20.5 30\n1 2 1.5 2.5 3\n2 1 4.5 5.5 6\n", deepPlace(), "p.txt");
        QVERIFY(isAt(five, 0, {10, 20, 30}) && isAt(five, 2, {4, 5, 6}));
        QVERIFY(has(five.notes.at(0), "object contour x y z"));
        // x y z and a score are no contour and a point.
        QVERIFY(has(refusal("10 20 30 0.5\n11 21 31 0.4\n", deepPlace(), "p.txt"),
                    "none of the known"));
        QVERIFY(
            has(refusal("1.5 20 30 4\n", deepPlace(), "p.txt", ListFormat::Imod), "no contour"));
        QVERIFY(has(refusal("1 20 30 4\n2 3 4\n", deepPlace(), "p.txt", ListFormat::Imod),
                    "line 2 of the points has 3 numbers"));
        QVERIFY(has(refusal("1 2 3 4 5 6\n", deepPlace(), "p.txt", ListFormat::Imod), "6 numbers"));
    }

    void resultsOfImageJSayTheirSlice() {
        const std::string slices = " ,X,Y,Slice\n1,10,20,31\n2,1,2,4\n";
        QVERIFY(isAt(readText(slices), 0, {10, 20, 30}) && isAt(readText(slices), 1, {1, 2, 3}));
        const std::string counter =
            " ,Area,Mean,X,Y,Ch,Slice,Frame,Counter,Count\n1,0,5,10,20,1,31,1,0,2\n"
            "2,0,5,1,2,1,4,1,0,2\n";
        QVERIFY(isAt(readText(counter), 1, {1, 2, 3}) && readText(counter).notes.empty());
        // ImageJ calls the slices of a stack without axes frames or channels.
        const std::string frames = " ,X,Y,Ch,Slice,Frame\n1,10,20,1,1,31\n2,1,2,1,1,4\n";
        const io::PositionList ofFrames = readText(frames);
        QVERIFY(isAt(ofFrames, 0, {10, 20, 30}) && isAt(ofFrames, 1, {1, 2, 3}));
        QVERIFY(has(ofFrames.notes.at(0), "the column Frame was taken as the slice"));
        QVERIFY(has(refusal(frames, flatPlace()), "2 frames"));
        QVERIFY(has(refusal(" ,X,Y,Slice,Frame\n1,1,2,3,1\n2,1,2,4,2\n"), "several frames"));
        QVERIFY(has(refusal(" ,X,Y,Slice,Frame\n1,1,2,3,1\n2,1,2,3,2\n"), "2 frames"));
        const io::PositionList channels = readText(" ,X,Y,Ch,Slice\n1,1,2,1,3\n2,3,4,2,5\n");
        QVERIFY(isAt(channels, 1, {3, 4, 4}) && has(channels.notes.at(0), "2 channels"));
        const io::PositionList none = readText(" ,X,Y\n1,1,2\n");
        QVERIFY(isAt(none, 0, {1, 2, 0}) && has(none.notes.at(0), "states no z"));
    }

    void pointsOfAHyperstackOfNapariAreThoseOfOneImage() {
        const std::string head = "index,axis-0,axis-1,axis-2,axis-3,label\n";
        const io::PositionList four = readText(head + "0,2,30,20,10,a\n1,2,3,2,1,b\n");
        QVERIFY(isAt(four, 0, {10, 20, 30}) && isAt(four, 1, {1, 2, 3}));
        QVERIFY(has(four.notes.at(0), "axis-0 (2) was left out"));
        QVERIFY(has(refusal(head + "0,2,30,20,10,a\n1,3,3,2,1,b\n"), "2 places along axis-0"));
        QVERIFY(has(refusal("index,shape-type,vertex-index,axis-0,axis-1\n0,rectangle,0,1,2\n"),
                    "shapes of napari"));
        const io::PositionList flat = readText("index,axis-0,axis-1\n0,20,10\n", flatPlace());
        QVERIFY(isAt(flat, 0, {10, 20, 0}) && flat.notes.empty());
        QVERIFY(has(readText("index,axis-0,axis-1\n0,20,10\n").notes.at(0), "states no z"));
    }

    void normalizedCoordinatesOfWarpAreShares() {
        const std::string text = "data_\nloop_\n" + kStarNames +
                                 "TS_01.tomostar 0.1 0.5 0.25\nTS_01.tomostar 1 0 0.75\n";
        const io::PositionList read = readText(text, deepPlace(), "w.star");
        QVERIFY(isAt(read, 0, {10, 45, 20}) && isAt(read, 1, {100, 0, 60}));
        QVERIFY(has(read.notes.at(0), "shares of the scene's size"));
        QVERIFY(has(refusal(text, {}, "w.star"), "give --scene"));
        const std::string corner = "data_\nloop_\n" + kStarNames + "TS_01.tomostar 1 0 1\n";
        QVERIFY(isAt(readText(corner, deepPlace(), "w.star"), 0, {1, 0, 1}));
    }

    void separatorsAndMarksOfSpreadsheetsAreRead() {
        io::ListPlace place = deepPlace();
        place.unknowns.anchor = io::Anchor::Centre;
        for (const char* text :
             {"X,Y,Z\n1.5,2,3\n", "x;y;z\n1.5;2;3\n", "X\tY\tZ\n1.5\t2\t3\n",
              "\xEF\xBB\xBFx,y,z\n1.5,2,3\n", "x,y,z\r1.5,2,3\r", "x,y,z,\r\n1.5,2,3,\r\n"}) {
            QVERIFY2(isAt(readText(text, place), 0, {1.5, 2, 3}), text);
        }
        place.unknowns.anchor.reset();
        QVERIFY(
            has(refusal("X,Y,Z\n1.5,2,3\n", place), "--anchor")); // not ImageJ's, whose z is Slice
        const std::string own = "rank;score;cx;cy;cz\n1;0.5;1.5;2;3\n";
        QVERIFY(isAt(readText(own), 0, {1.5, 2, 3}));
        QVERIFY(readText("\xEF\xBB\xBF" + own).positions[0].score == std::optional(0.5));
        QVERIFY(
            has(refusal("rank;score;cx;cy;cz\n1;0.5;1,5;2;3\n"), "\"1,5\" has a decimal comma"));
        QVERIFY(has(refusal("rank;score;cx;cy;cz\n1;0,5;1.5;2;3\n"), "decimal comma"));
        QVERIFY(has(refusal("rank,score,cx,cy,cz\n1,0,5,1,5,2,3\n"), "7 cells for 5 columns"));
        QVERIFY(has(refusal(std::string("\xFF\xFEx\0,\0", 6)), "UTF-16"));
        QVERIFY(has(refusal(std::string("x\0,\0y\0", 6)), "UTF-16"));
        const io::PositionList box = readText("10 20 9 9\n", flatPlace(), "a.box");
        QVERIFY(box.format == ListFormat::Eman && isAt(box, 0, {14, 24, 0}));
        QVERIFY(readText("10\t20\t9\t9\n", {}, "a.box").positions.size() == 1); // without a scene
    }

    void aGridThatNoSceneHasIsRefused() {
        const std::string table = "rank,score,cx,cy,cz\n1,0.5,1.5,2,3\n";
        QVERIFY(isAt(readText("# FLCC peaks\n# spacing: 2 1 1\n" + table), 0, {1.5, 2, 3}));
        // A key behind blanks is the same key, as the blanks are lost when the list is written.
        for (const char* stated : {"   spacing: 0 1 1", "spacing: 0 1 1", "spacing: -1 1 1",
                                   "spacing: 1 1 1\n# origin: 0 1e300 0",
                                   "spacing: 1 1 1\n# direction (rows): 1e300 0 0 0 1 0 0 0 1"}) {
            QVERIFY2(has(refusal("# FLCC peaks\n# " + std::string(stated) + "\n" + table),
                         "that no scene has"),
                     stated);
        }
    }

    void marksOf3DSlicerAreReadInTheirSystem() {
        io::ListPlace place = deepPlace();
        place.geometry.unit = "mm";
        place.geometry.spacing = {2, 2, 2};
        place.geometry.origin = {1, 2, 3};
        const auto old = [](const std::string& system) {
            return "# Markups fiducial file version = 4.11\n" +
                   (system.empty() ? "" : "# CoordinateSystem = " + system + "\n") +
                   "# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
                   "vtkMRMLMarkupsFiducialNode_1,21,42,63,0,0,0,1,1,1,0,F-1,,,2,0\n";
        };
        for (const char* lps : {"LPS", "1"}) {
            QVERIFY(isAt(readText(old(lps), place, "a.fcsv"), 0, {10, 20, 30}));
        }
        for (const char* ras : {"RAS", "0", ""}) {
            QVERIFY(isAt(readText(old(ras), place, "a.fcsv"), 0, {-11, -22, 30}));
        }
        QVERIFY(isAt(readText(old("2"), place, "a.fcsv"), 0, {21, 42, 63}));
        QVERIFY(has(refusal(old("LPI"), place, "a.fcsv"), "LPS, RAS and IJK"));
        QVERIFY(has(refusal(old("LPS"), {}, "a.fcsv"), "--scene"));
        const auto json = [](const std::string& more, const std::string& point) {
            return quoted(
                "{'@schema':'markups-schema-v1.0.3.json#','markups':[{'type':'Fiducial'," + more +
                "'controlPoints':[{" + point + "'position':[21,42,63]}]}]}");
        };
        QVERIFY(isAt(readText(json("", ""), place, "a.mrk.json"), 0, {10, 20, 30}));
        QVERIFY(isAt(readText(json("'coordinateSystem':'RAS',", ""), place, "a.mrk.json"), 0,
                     {-11, -22, 30}));
        QVERIFY(
            isAt(readText(json("'coordinateSystem':1,'coordinateUnits':['mm','UCUM','mm'],", ""),
                          place, "a.mrk.json"),
                 0, {10, 20, 30}));
        QVERIFY(has(refusal(json("'coordinateUnits':'um',", ""), place, "a.mrk.json"), "in um"));
        QVERIFY(has(refusal(json("", ""), {}, "a.mrk.json"), "--scene"));
        const io::PositionList unset =
            readText(json("", "'positionStatus':'undefined',"), place, "a.mrk.json");
        QVERIFY(unset.positions.empty() && has(unset.notes.at(0), "left out"));
        std::string curve = json("", "");
        curve.replace(curve.find("Fiducial"), 8, "Curve");
        QVERIFY(has(refusal(curve, place, "a.mrk.json"), "kind Curve"));
        // Slicer's library turns lengths of NIfTI into millimetres.
        place.geometry.unit = "um";
        place.scene = "a.nii.gz";
        place.geometry.origin = {0, 0, 0};
        QVERIFY(isAt(readText(json("", ""), place, "a.mrk.json"), 0, {10500, 21000, 31500}));
    }

    void aPickOfCopickIsLocationAndTranslation() {
        const auto pick = [](const char* rows, const char* unit = "angstrom") {
            return quoted(std::string("{'unit':'") + unit +
                          "','points':[{'location':{'x':100,'y':200,'z':300},'transformation_':" +
                          rows + "}]}");
        };
        io::ListPlace place = deepPlace();
        place.unknowns.box = base::Extents{9, 9, 9};
        const char* const moved = "[[0,-1,0,5],[1,0,0,-10],[0,0,1,20],[0,0,0,1]]";
        const io::PositionList read = readText(pick(moved), place, "p.json");
        QVERIFY(isAt(read, 0, {10.5, 19, 32}));
        QVERIFY(read.positions[0].angles.has_value());
        QCOMPARE((*read.positions[0].angles)[2], -90.0); // Rz(-psi) turns x to y
        QVERIFY(has(refusal(pick("[[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"), place, "p.json"),
                    "not the turn"));
        QVERIFY(has(refusal(pick("[[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]"), place, "p.json"),
                    "not the turn"));
        QVERIFY(has(refusal(pick(moved, "pixel"), place, "p.json"), "its unit is pixel"));
    }
};

const flcc::test::TestClass<ListReadingTest> kListReadingTest;
#include "list_reading_test.moc"
