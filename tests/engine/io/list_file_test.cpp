#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/list_file.h"
#include "engine/io/lists/preset.h"
#include "engine/io/lists/zip.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using io::ListFormat;
namespace lists = io::detail::lists;

namespace {

/// A geometry with an oblique direction, spacings that differ and an origin.
base::Geometry obliqueGeometry(base::WorldAxes axes) {
    const double c = std::cos(0.4);
    const double s = std::sin(0.4);
    base::Geometry geometry;
    geometry.origin = {-31.5, 12.25, 1000};
    geometry.spacing = {1.5, 1.5, 2.25};
    geometry.direction = {c, -s, 0, s * 0.8, c * 0.8, -0.6, s * 0.6, c * 0.6, 0.8};
    geometry.unit = "nm";
    geometry.unitSource = base::UnitSource::Header;
    geometry.axes = axes;
    return geometry;
}

/// Positions in boxes of `size` voxels, between voxels too.
io::PositionList listOf(bool flat, std::int64_t size, double binning, io::BinnedBy by) {
    io::PositionList list;
    list.place.scene = "a folder/tomo 1.mrc";
    list.place.sha256 = std::string(64, 'a');
    list.place.extents = {401, 200, flat ? 1 : 101};
    list.place.geometry = obliqueGeometry(flat ? base::WorldAxes::Unnamed : base::WorldAxes::Ras);
    list.place.unknowns = {.binning = binning,
                           .unbinnedPixel = 1.35,
                           .unbinnedSize = base::Extents{2772, 1381, 698},
                           .binnedBy = by};
    const double shift = size % 2 == 0 ? 0.5 : 0;
    for (const base::Point& corner :
         {base::Point{0, 0, 0}, base::Point{17, 5, 3}, base::Point{388, 180.3125, 60.25}}) {
        io::ListedPosition& position = list.positions.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            position.centre[axis] = corner[axis] + static_cast<double>(size / 2) - shift;
        }
        position.centre[2] = flat ? 0 : position.centre[2];
        position.box = {size, size, flat ? 1 : size};
        position.score = 0.25 + 0.1 * static_cast<double>(list.positions.size());
        if (!flat) {
            position.angles = base::Point{-170, 35, 12.5 * corner[0] / 17};
        }
    }
    io::fillPeakCells(list);
    return list;
}

bool isFlatOnly(ListFormat format) {
    const auto& needs = io::infoOf(format).needs;
    return std::ranges::find(needs, io::ListNeed::Flat) != needs.end();
}

/// The largest difference of two matrices.
double turnBetween(const base::Point& a, const base::Point& b) {
    const lists::Matrix one = lists::matrixOf(a);
    const lists::Matrix other = lists::matrixOf(b);
    double most = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        most = std::max(most, std::abs(one[i] - other[i]));
    }
    return most;
}

/// The first two numbers of the first row of a table, and the third if there is one.
std::vector<double> firstNumbers(const std::string& text) {
    for (const QString& line : QString::fromStdString(text).split('\n')) {
        std::vector<double> numbers;
        for (const QString& cell : line.split(QRegularExpression("[\\s,]+"), Qt::SkipEmptyParts)) {
            bool isNumber = false;
            const double value = cell.toDouble(&isNumber);
            if (isNumber) {
                numbers.push_back(value);
            }
        }
        if (numbers.size() >= 3 && !line.startsWith('#')) {
            return numbers;
        }
    }
    return {};
}

} // namespace

class ListFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void thePositionReadIsThePositionWritten_data() {
        QTest::addColumn<QString>("format");
        for (const io::ListFormatInfo& info : io::listFormats()) {
            QTest::newRow(info.name.data()) << QString::fromUtf8(info.name.data());
        }
    }

    void thePositionReadIsThePositionWritten() {
        QFETCH(QString, format);
        const ListFormat wanted = io::listFormatNamed(format.toStdString(), "--to");
        const lists::Preset& preset = lists::presetOf(wanted);
        int cases = 0;
        for (const bool flat : {true, false}) {
            for (const std::int64_t size : {8, 9, 32, 33}) {
                for (const double binning : {1.0, 2.0, 4.0, 6.91}) {
                    for (const io::BinnedBy by : {io::BinnedBy::Crop, io::BinnedBy::Average}) {
                        if (isFlatOnly(wanted) && !flat) {
                            continue;
                        }
                        const io::PositionList list = listOf(flat, size, binning, by);
                        const std::string text = io::listText(list, wanted);
                        io::ListPlace place = list.place;
                        place.unknowns.box = list.positions.front().box;
                        const io::PositionList read = io::parseList(text, wanted, place, "list");
                        QCOMPARE(read.positions.size(), list.positions.size());
                        for (std::size_t i = 0; i < read.positions.size(); ++i) {
                            const auto& a = list.positions[i];
                            const auto& b = read.positions[i];
                            // Without angles the file leads to the reference point alone.
                            const bool centres = flat || lists::holdsAngles(preset);
                            const auto pointOf = [&](const io::PositionList& of, std::size_t at) {
                                return centres ? of.positions[at].centre
                                               : lists::statedPoint(preset, of, of.positions[at]);
                            };
                            const base::Point from = pointOf(list, i);
                            const base::Point to = pointOf(read, i);
                            for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
                                const double most =
                                    lists::roundingOf(preset, list.place, from, axis);
                                QVERIFY(most <= 0.5);
                                QVERIFY2(std::abs(from[axis] - to[axis]) <= most,
                                         qPrintable(QString("%1 %2 %3")
                                                        .arg(axis)
                                                        .arg(from[axis])
                                                        .arg(to[axis])));
                            }
                            QVERIFY(!b.score || *b.score == *a.score);
                            if (a.angles && lists::holdsAngles(preset)) {
                                QVERIFY(b.angles.has_value());
                                QVERIFY(turnBetween(*a.angles, *b.angles) < 1e-12);
                            }
                        }
                        ++cases;
                    }
                }
            }
        }
        QVERIFY(cases >= 32);
    }

    void decisionsAreReadBack_data() { thePositionReadIsThePositionWritten_data(); }

    void decisionsAreReadBack() {
        QFETCH(QString, format);
        const ListFormat wanted = io::listFormatNamed(format.toStdString(), "--to");
        const bool holds = lists::holdsDecisions(lists::presetOf(wanted));
        using match::Decision;
        io::PositionList list = listOf(true, 9, 1, io::BinnedBy::Crop);
        const std::string unjudged = io::listText(list, wanted);
        QVERIFY(io::listNotes(list, wanted).empty() ||
                unjudged.find("reject") == std::string::npos);
        list.positions[0].decision = Decision::Keep;
        list.positions[1].decision = Decision::Undecided;
        list.positions[2].decision = Decision::Reject;
        io::fillPeakCells(list);
        // A format without a place for decisions writes the same file, and says so.
        const std::string text = io::listText(list, wanted);
        QCOMPARE(text == unjudged, !holds);
        const std::vector<std::string> notes = io::listNotes(list, wanted);
        QCOMPARE(std::ranges::any_of(notes,
                                     [](const std::string& note) {
                                         return note.find("1 rejected") != std::string::npos;
                                     }),
                 !holds);
        if (holds) {
            io::ListPlace place = list.place;
            place.unknowns.box = list.positions.front().box;
            const io::PositionList read = io::parseList(text, wanted, place, "list");
            for (std::size_t i = 0; i < 3; ++i) {
                QVERIFY(read.positions[i].decision == list.positions[i].decision);
            }
        }
        io::AtomicFile file(
            m_folder.filePath(format + io::infoOf(wanted).extension.data()).toStdString());
        io::writeList(file, list, wanted);
        io::leaveDecided(list, {Decision::Keep, Decision::Undecided});
        QCOMPARE(list.positions.size(), std::size_t{2});
    }

    void aFileIsRecognisedByItsContent_data() { thePositionReadIsThePositionWritten_data(); }

    void aFileIsRecognisedByItsContent() {
        QFETCH(QString, format);
        const ListFormat wanted = io::listFormatNamed(format.toStdString(), "--to");
        const bool flat = isFlatOnly(wanted);
        const std::string text = io::listText(listOf(flat, 9, 2, io::BinnedBy::Crop), wanted);
        // A table of Dynamo does not say its base: it is taken as Dynamo itself takes it.
        const ListFormat expected = wanted == ListFormat::Dynamo0 ? ListFormat::Dynamo : wanted;
        QCOMPARE(io::name(io::detectList(text, flat ? "a.box" : "a.x")), io::name(expected));
    }

    /// Numbers worked out by hand from the conventions of each format.
    void theNumbersAreThoseOfTheConvention() {
        io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        list.positions.resize(1);
        list.positions[0].centre = {10, 20, 30};
        list.positions[0].angles.reset();
        list.place.unknowns.unbinnedSize = base::Extents{1604, 800, 405};
        const auto stated = [&](ListFormat format) {
            return lists::toFormat(lists::presetOf(format), list.place, list.positions[0].centre,
                                   list.positions[0].box);
        };
        const auto is = [](const base::Point& point, double x, double y, double z) {
            const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
            return near(point[0], x) && near(point[1], y) && near(point[2], z);
        };
        QVERIFY(is(stated(ListFormat::Relion4), 40, 80, 120));
        QVERIFY(is(stated(ListFormat::Relion5), (40 - 802) * 1.35, (80 - 400) * 1.35,
                   (120 - 202.5) * 1.35));
        QVERIFY(is(stated(ListFormat::Warp), 10, 20, 30));
        QVERIFY(is(stated(ListFormat::M), 54, 108, 162));
        QVERIFY(is(stated(ListFormat::Dynamo), 11, 21, 31));
        QVERIFY(is(stated(ListFormat::Dynamo0), 10, 20, 30));
        QVERIFY(is(stated(ListFormat::Imod), 10.5, 20.5, 30));
        QVERIFY(is(stated(ListFormat::ImageJRoi), 10, 20, 31));
        QVERIFY(is(stated(ListFormat::ImageJCsv), 10, 20, 31));
        QVERIFY(is(stated(ListFormat::Cbox), 5.5, 15.5, 30));
        QVERIFY(is(stated(ListFormat::Corners), 6, 16, 26));
        QVERIFY(is(stated(ListFormat::CornersMatlab), 7, 17, 27));
        QVERIFY(is(stated(ListFormat::Copick), 54, 108, 162));
        list.place.unknowns.binnedBy = io::BinnedBy::Average;
        QVERIFY(is(stated(ListFormat::Relion4), 41.5, 81.5, 121.5));
        list.place.unknowns.binning.reset();
        QVERIFY(is(stated(ListFormat::M), 150, 300, 675)); // 1.5 and 2.25 nm in angstrom
        const std::vector<double> napari = firstNumbers(io::listText(list, ListFormat::Napari));
        QCOMPARE(napari.at(1), 30.0);
        QCOMPARE(napari.at(3), 10.0);
        list.place.extents.z = 1;
        const std::string flat = io::listText(list, ListFormat::Napari);
        QVERIFY2(flat.starts_with("index,axis-0,axis-1,score\n0,20,10,"), flat.c_str());
        QCOMPARE(io::name(io::detectList(flat, "a.csv")), "napari");
        list.place.extents.z = 101;
        const std::vector<double> skimage =
            firstNumbers(io::listText(list, ListFormat::CornersSkimage));
        QCOMPARE(skimage.at(0), 26.0);
        QCOMPARE(skimage.at(2), 6.0);
    }

    /// The matrix of Dynamo's angles acts on coordinates, so its inverse turns a template.
    void anglesOfDynamoTurnAsThoseOfRelion() {
        const base::Point relion{25, 40, -70};
        const base::Point dynamo = lists::toAngles(lists::AngleKind::Dynamo, relion);
        const auto radians = [](double d) { return d * 3.14159265358979323846 / 180; };
        const auto aboutZ = [&](double d) {
            const double c = std::cos(radians(d));
            const double s = std::sin(radians(d));
            return lists::Matrix{c, -s, 0, s, c, 0, 0, 0, 1};
        };
        const double c = std::cos(radians(dynamo[1]));
        const double s = std::sin(radians(dynamo[1]));
        const lists::Matrix aboutX{1, 0, 0, 0, c, -s, 0, s, c};
        const lists::Matrix turn =
            rotation::product(aboutZ(dynamo[2]), rotation::product(aboutX, aboutZ(dynamo[0])));
        const lists::Matrix expected = rotation::inverse(lists::matrixOf(relion));
        for (std::size_t i = 0; i < 9; ++i) {
            QVERIFY(std::abs(turn[i] - expected[i]) < 1e-12);
        }
        for (const base::Point& angles :
             {base::Point{10, 0, 20}, base::Point{10, 180, 20}, base::Point{-100, 90, 170}}) {
            QVERIFY(turnBetween(angles, lists::anglesOf(lists::matrixOf(angles))) < 1e-8);
        }
    }

    /// What a list reads, and what it says where it cannot know.
    void aListWithoutABoxSaysWhatItTook() {
        io::PositionList list = listOf(false, 8, 1, io::BinnedBy::Crop);
        list.place.unknowns = {};
        const std::string table = io::listText(list, ListFormat::Dynamo);
        io::ListPlace place = list.place;
        const io::PositionList bare = io::parseList(table, ListFormat::Dynamo, place, "a.tbl");
        QCOMPARE(bare.notes.size(), std::size_t{1});
        QVERIFY(bare.notes[0].find("--box") != std::string::npos);
        QVERIFY(io::listNotes(bare, ListFormat::Csv) == bare.notes);
        const base::Geometry& geometry = list.place.geometry;
        const auto isNear = [](const base::Point& a, const base::Point& b) {
            return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 1e-9;
        };
        place.unknowns.box = base::Extents{8, 8, 8};
        io::PositionList boxed = io::parseList(table, ListFormat::Dynamo, place, "a.tbl");
        QVERIFY(boxed.notes.empty());
        for (std::size_t i = 0; i < list.positions.size(); ++i) {
            const base::Point stated = io::referenceOf(list.positions[i], geometry);
            QVERIFY(isNear(bare.positions[i].centre, stated));
            QVERIFY(isNear(boxed.positions[i].centre, list.positions[i].centre));
            QVERIFY(!isNear(stated, list.positions[i].centre));
        }
        // Of another template, whose box is odd, the same points are the centres.
        io::takeTemplate(boxed, {9, 9, 9}, {0, 0, 0});
        QVERIFY(isNear(boxed.positions[1].centre, bare.positions[1].centre));
        // Lists of centres stay as they are.
        io::PositionList own =
            io::parseList(io::listText(list, ListFormat::Csv), ListFormat::Csv, {}, "a.csv");
        io::takeTemplate(own, {9, 9, 9}, {0, 0, 0});
        QVERIFY(isNear(own.positions[1].centre, list.positions[1].centre));
    }

    /// What a program turns back that knows neither hand nor size is the mirrored and scaled
    /// particle about its voxel m / 2.
    void handAndSizeMoveTheStatedVoxelToo() {
        io::PositionList list = listOf(true, 8, 1, io::BinnedBy::Crop);
        list.place.geometry = {};
        list.positions.resize(1);
        io::ListedPosition& position = list.positions.front();
        position.angles = base::Point{0, 0, 0};
        position.mirrored = true;
        position.scale = 1.5;
        io::fillPeakCells(list);
        const base::Point stated = io::referenceOf(position, list.place.geometry);
        QCOMPARE(stated[0], position.centre[0] - 0.75);
        QCOMPARE(stated[1], position.centre[1] + 0.75);
        // A turn is one of lengths: half a voxel of 2 in y becomes a whole one of 1 in x.
        io::ListedPosition turned = position;
        turned.angles = base::Point{0, 0, 90}; // x to -y, y to x
        turned.mirrored = false;
        turned.scale = 1;
        base::Geometry oblong;
        oblong.spacing = {1, 2, 1};
        const base::Point inLengths = io::referenceOf(turned, oblong);
        QVERIFY(std::abs(inLengths[0] - position.centre[0] - 1) < 1e-12);
        QVERIFY(std::abs(inLengths[1] - position.centre[1] + 0.25) < 1e-12);
        io::AtomicFile file(m_folder.filePath("hand.star").toStdString());
        io::writeList(file, list, ListFormat::Warp); // reads the stated point back
        const std::vector<double> numbers = firstNumbers(io::listText(list, ListFormat::Warp));
        QCOMPARE(numbers.at(0), stated[0]);
    }

    void blobsHaveNoFrameThatTurns() {
        io::PositionList list = listOf(true, 8, 1, io::BinnedBy::Crop);
        list.noun = "blob";
        const base::Point centre = list.positions[1].centre;
        QVERIFY(lists::statedPoint(lists::presetOf(ListFormat::Relion4), list, list.positions[1]) ==
                centre);
        const std::int64_t edge = io::boxOfRadius(3.7, true).x;
        QCOMPARE(edge % 2, std::int64_t{1}); // so that all formats mean the same voxel
        QVERIFY(edge >= 7 && edge <= 9);
    }

    void anUnturnedParticleHasAnglesOfZero() {
        for (const auto& [relion, tilt] : {std::pair{base::Point{-158.4, 1e-8, 158.4}, 0.0},
                                           std::pair{base::Point{20, 180, 20}, 180.0}}) {
            const base::Point read = lists::fromAngles(lists::AngleKind::Relion, relion);
            const base::Point dynamo = lists::toAngles(lists::AngleKind::Dynamo, relion);
            const base::Point back = lists::fromAngles(lists::AngleKind::Dynamo, dynamo);
            QVERIFY((read == base::Point{0, tilt, 0}));
            QVERIFY((dynamo == base::Point{0, tilt, tilt == 0 ? 0.0 : -180.0}));
            QVERIFY(turnBetween(relion, back) < 1e-8);
        }
    }

    void whatNoFileTellsIsAskedForByName() {
        io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        list.place.unknowns = {};
        list.place.geometry = {};
        const auto sentence = [&](ListFormat format) {
            const auto error = test::errorOf([&] { (void)io::listText(list, format); });
            return error && error->code() == base::ErrorCode::Problem ? std::string(error->what())
                                                                      : std::string();
        };
        for (const char* option : {"relion5", "--binning", "--unbinned-pixel", "--unbinned-size"}) {
            QVERIFY(sentence(ListFormat::Relion5).find(option) != std::string::npos);
        }
        QVERIFY(sentence(ListFormat::Relion4).find("--binning") != std::string::npos);
        QVERIFY(sentence(ListFormat::Copick).find("voxel size") != std::string::npos);
        QVERIFY(sentence(ListFormat::Eman).find("flat") != std::string::npos);
        QVERIFY(!io::listText(list, ListFormat::Imod).empty());
        list.positions.front().box = {0, 0, 0};
        QVERIFY(sentence(ListFormat::Cbox).find("--box") != std::string::npos);
    }

    void commentsBringThePlaceBack() {
        const io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Average);
        for (const ListFormat format :
             {ListFormat::Csv, ListFormat::Relion5, ListFormat::Corners}) {
            const io::PositionList read =
                io::parseList(io::listText(list, format), ListFormat::Auto, {}, "list");
            QVERIFY(read.place.extents == list.place.extents);
            QVERIFY(read.place.geometry == list.place.geometry);
            io::ListUnknowns unknowns = list.place.unknowns;
            if (format == ListFormat::Relion5) { // whose points need the box
                unknowns.box = list.positions.front().box;
            }
            QVERIFY(read.place.unknowns == unknowns);
            QCOMPARE(read.place.scene, list.place.scene);
            QCOMPARE(read.place.sha256, list.place.sha256);
        }
    }

    void aDamagedListIsRefused() {
        const io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        for (const io::ListFormatInfo& info : io::listFormats()) {
            if (isFlatOnly(info.format)) {
                continue;
            }
            const std::string text = io::listText(list, info.format);
            for (std::size_t cut = 0; cut < text.size(); cut += 1 + text.size() / 97) {
                // A cut list is read up to the cut or refused with a sentence.
                const auto error = test::errorOf([&] {
                    (void)io::parseList(text.substr(0, cut), info.format, list.place, "cut");
                });
                QVERIFY(!error || error->code() == base::ErrorCode::Input ||
                        error->code() == base::ErrorCode::Problem);
            }
        }
        const auto error = test::errorOf(
            [&] { (void)io::parseList("no list at all\n", ListFormat::Auto, {}, "text"); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
    }

    // Each was found by tests/fuzz/read_list.cpp.
    void aTableThatAnotherProgramChangedIsReadOrRefused() {
        const io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        const std::string text = io::listText(list, ListFormat::Csv);
        const auto with = [&](const std::string& from, const std::string& to) {
            std::string changed = text;
            return changed.replace(changed.find(from), from.size(), to);
        };
        // One angle of three: no array in JSON, as read back there.
        const io::PositionList two =
            io::parseList(with(",theta,", ",other,"), ListFormat::Csv, {}, "list.csv");
        QCOMPARE(io::parseList(io::listText(two, ListFormat::Json), ListFormat::Json, {}, "l.json")
                     .positions.size(),
                 list.positions.size());
        // Cells of others, with separators and quotes.
        const std::string tabs = "rank\tcx\tcy\tcz\tnote\n1\t5\t6\t7\t\"#1, \"\"good\"\"\"\n";
        const io::PositionList note = io::parseList(tabs, ListFormat::Tsv, {}, "list.tsv");
        QCOMPARE(note.positions.front().cells.back(), std::string("#1, \"good\""));
        QCOMPARE(io::parseList(io::listText(note, ListFormat::Csv), ListFormat::Csv, {}, "l.csv")
                     .positions.front()
                     .cells,
                 note.positions.front().cells);
        // Without scores.
        const io::PositionList none =
            io::parseList(with(",score,", ",strange,"), ListFormat::Csv, {}, "list.csv");
        QVERIFY(!none.positions.front().score);
        const io::PositionList again =
            io::parseList(io::listText(none, ListFormat::Json), ListFormat::Json, {}, "l.json");
        QVERIFY(!again.positions.front().score);
        // Two columns of one name, and positions that are no numbers.
        for (const auto& [from, to] :
             {std::pair{",cy,", ",cx,"}, std::pair{",388,180,60,", ",388,180,60,inf,"}}) {
            const auto error = test::errorOf([&, from = std::string(from), to = std::string(to)] {
                (void)io::parseList(with(from, to), ListFormat::Csv, {}, "list.csv");
            });
            QVERIFY(error && error->code() == base::ErrorCode::Input);
        }
    }

    /// A position without a decision is undecided, never kept.
    void onlyTheAskedDecisionsAreLeft() {
        using enum match::Decision;
        const std::string judged = "rank,score,cx,cy,cz,decision\n1,0.9,1,0,0,keep\n"
                                   "2,0.8,2,0,0,reject\n3,0.7,3,0,0,unsure\n4,0.6,4,0,0,\n"
                                   "5,0.5,5,0,0,undecided\n";
        const std::string plain = "rank,score,cx,cy,cz\n1,0.9,1,0,0\n2,0.8,2,0,0\n";
        const auto left = [](const std::string& text, const std::vector<match::Decision>& asked) {
            io::ListPlace place{};
            place.extents = {50, 40, 1};
            io::PositionList list = io::parseList(text, ListFormat::Csv, place, "a.csv");
            io::leaveDecided(list, asked);
            std::vector<double> columns;
            for (const io::ListedPosition& position : list.positions) {
                columns.push_back(position.centre[0]);
            }
            return columns;
        };
        QVERIFY((left(judged, {Keep}) == std::vector<double>{1}));
        QVERIFY((left(judged, {Reject}) == std::vector<double>{2}));
        QVERIFY((left(judged, {Keep, Unsure}) == std::vector<double>{1, 3}));
        QVERIFY((left(judged, {Undecided}) == std::vector<double>{4, 5}));
        QVERIFY(left(plain, {Keep}).empty());
        QVERIFY((left(plain, {Undecided}) == std::vector<double>{1, 2}));
    }

    void whatXAndYMeanIsAskedFor() {
        const std::string text = "x,y,score\n10,20,0.5\n3,4,\n";
        io::ListPlace place{};
        place.extents = {50, 40, 1};
        const auto errorOf = [&] {
            try {
                (void)io::parseList(text, ListFormat::Auto, place, "a.csv");
            } catch (const base::Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        QVERIFY(errorOf().find("--anchor") != std::string::npos);
        place.unknowns.anchor = io::Anchor::Corner;
        QVERIFY(errorOf().find("--box") != std::string::npos);
        place.unknowns.box = base::Extents{8, 5, 1};
        const io::PositionList corners = io::parseList(text, ListFormat::Auto, place, "a.csv");
        QVERIFY((corners.positions[0].centre == base::Point{13.5, 22, 0}));
        QCOMPARE(corners.positions[0].score, std::optional(0.5));
        QVERIFY(!corners.positions[1].score);
        place.unknowns.anchor = io::Anchor::Centre;
        const io::PositionList centres = io::parseList(text, ListFormat::Auto, place, "a.csv");
        QVERIFY((centres.positions[1].centre == base::Point{3, 4, 0}));
        // It is written with the columns of this program, which say both.
        const std::string own = io::listText(centres, ListFormat::Csv);
        place.unknowns.anchor.reset();
        QVERIFY((io::parseList(own, ListFormat::Auto, place, "b.csv").positions[1].centre ==
                 base::Point{3, 4, 0}));
    }

    /// Values in quotes, comments behind rows, a block of one row, several loops, other columns
    /// first.
    void aSliceBeyondTheFormatStaysTheLast() {
        io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        list.positions.front().centre[2] = 1e14;
        const std::string text = io::listText(list, ListFormat::ImageJRoi);
        QCOMPARE(io::parseList(text, ListFormat::ImageJRoi, list.place, "l.zip")
                     .positions.front()
                     .centre[2],
                 4294967294.0);
    }

    void aMissingScoreIsNoScoreOfZero() {
        io::PositionList list = listOf(true, 9, 1, io::BinnedBy::Crop);
        list.positions[0].score.reset();
        for (const ListFormat format :
             {ListFormat::Napari, ListFormat::Corners, ListFormat::Slicer}) {
            const std::string text = io::listText(list, format);
            QVERIFY2(text.find("nan") != std::string::npos ||
                         text.find("\"description\": \"\"") != std::string::npos,
                     text.c_str());
        }
    }

    void aCellIsNoFormulaForASpreadsheet() {
        io::PositionList list = listOf(true, 9, 1, io::BinnedBy::Crop);
        list.positions[0].cells[0] = "=1+1";
        list.positions[1].cells[0] = "-2.5"; // a number
        const std::string text = io::listText(list, ListFormat::Csv);
        QVERIFY2(text.find("\n'=1+1,") != std::string::npos, text.c_str());
        QVERIFY2(text.find("\n-2.5,") != std::string::npos, text.c_str());
        QVERIFY(test::holds(io::listNotes(list, ListFormat::Csv), "before 1 cells"));
    }

    void aZipArchiveHoldsItsEntries() {
        const std::string text = lists::zipText({{"a.roi", "one"}, {"b", std::string(5, '\0')}});
        const std::vector<lists::ZipEntry> entries = lists::readZip(text, "a.zip");
        QCOMPARE(entries.size(), std::size_t{2});
        QCOMPARE(entries[0].name, "a.roi");
        QCOMPARE(entries[0].bytes, "one");
        QCOMPARE(entries[1].bytes.size(), std::size_t{5});
    }

    void aListIsReadBackBeforeItHasItsName() {
        const std::filesystem::path folder = m_folder.path().toStdString();
        io::PositionList list = listOf(false, 9, 4, io::BinnedBy::Crop);
        list.place.unknowns.unbinnedPixel = 3.75; // of voxels of 1.5 nm
        list.place.unknowns.unbinnedSize = base::Extents{1604, 800, 404};
        io::AtomicFile file(folder / "a.star");
        io::writeList(file, list, ListFormat::Relion5);
        file.commit();
        QCOMPARE(io::readList(folder / "a.star", ListFormat::Auto, {}).positions.size(),
                 std::size_t{3});
        // A list whose cells do not agree with its positions is not saved.
        io::PositionList wrong = list;
        wrong.positions[1].cells[5] = "12";
        io::AtomicFile other(folder / "b.csv");
        const auto error = test::errorOf([&] { io::writeList(other, wrong, ListFormat::Csv); });
        QVERIFY(error && error->code() == base::ErrorCode::Internal);
        QVERIFY(!std::filesystem::exists(folder / "b.csv"));
    }
};

const flcc::test::TestClass<ListFileTest> kListFileTest;
#include "list_file_test.moc"
