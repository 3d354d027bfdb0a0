// Columns, bytes and conventions of formats, as the programs that read them want them.

#include <QTemporaryDir>
#include <QtTest>

#include <bit>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/io/list_file.h"
#include "engine/io/lists/preset.h"
#include "engine/io/lists/zip.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using io::ListFormat;
namespace lists = io::detail::lists;

namespace {

/// One position of a turned particle in a box of nine voxels.
io::PositionList particle(const base::Point& centre, bool flat = false) {
    io::PositionList list;
    list.place.scene = flat ? "Micrographs/m1.mrc" : "TS_01.mrc";
    list.place.extents = {60, 50, flat ? 1 : 40};
    list.place.geometry.unit = "A";
    list.place.geometry.unitSource = base::UnitSource::Header;
    list.place.geometry.spacing = {10, 10, 10};
    io::ListedPosition& position = list.positions.emplace_back();
    position.centre = centre;
    position.box = {9, 9, flat ? 1 : 9};
    position.score = 0.5;
    position.angles = flat ? base::Point{0, 0, 30} : base::Point{20, 35, -70};
    io::fillPeakCells(list);
    return list;
}

/// The lines of a text that are no comments.
QStringList linesOf(const std::string& text) {
    QStringList lines;
    for (const QString& line : QString::fromStdString(text).split('\n')) {
        if (!line.startsWith('#') && !line.isEmpty()) {
            lines << line;
        }
    }
    return lines;
}

/// The names of the columns of a STAR file.
QStringList starColumns(const std::string& text) {
    QStringList columns;
    for (const QString& line : linesOf(text)) {
        if (line.startsWith('_')) {
            columns << line.mid(1).split(' ').front();
        }
    }
    return columns;
}

bool holdsText(const std::vector<std::string>& notes, const std::string& part) {
    return std::ranges::any_of(
        notes, [&](const std::string& note) { return note.find(part) != note.npos; });
}

std::string sentenceOf(const std::function<void()>& call) {
    const auto error = test::errorOf(call);
    return error ? error->what() : "";
}

bool isNear(const base::Point& a, const base::Point& b, double most = 1e-9) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= most;
}

/// The rotation of STOPGAP (sg_euler2matrix): Rz(psi) Rx(the) Rz(phi).
lists::Matrix stopgapTurn(double phi, double psi, double the) {
    const auto radians = [](double degrees) { return degrees * 3.14159265358979323846 / 180; };
    const auto aboutZ = [&](double degrees) {
        const double c = std::cos(radians(degrees));
        const double s = std::sin(radians(degrees));
        return lists::Matrix{c, -s, 0, s, c, 0, 0, 0, 1};
    };
    const double c = std::cos(radians(the));
    const double s = std::sin(radians(the));
    const lists::Matrix aboutX{1, 0, 0, 0, c, -s, 0, s, c};
    return rotation::product(aboutZ(psi), rotation::product(aboutX, aboutZ(phi)));
}

double turnBetween(const lists::Matrix& a, const lists::Matrix& b) {
    double most = 0;
    for (std::size_t i = 0; i < 9; ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
    }
    return most;
}

/// A list of STOPGAP of two tomograms.
constexpr const char* kMotl =
    "\ndata_stopgap_motivelist\n\nloop_\n_motl_idx\n_tomo_num\n_object\n_subtomo_num\n_halfset\n"
    "_orig_x\n_orig_y\n_orig_z\n_score\n_x_shift\n_y_shift\n_z_shift\n_phi\n_psi\n_the\n_class\n\n"
    "6.000000\t24.000000\t1.000000\t6.000000\tA\t24.000000\t14.000000\t33.000000\t0.545200\t"
    "0.212100\t0.601200\t5.467600\t33.258400\t65.255699\t8.651600\t3\n";

/// Numbers of IMOD: big-endian.
test::ByteWriter modelHeader(std::int32_t x, std::int32_t y, std::int32_t z, float pixel,
                             std::int32_t unit) {
    test::ByteWriter to(true);
    const std::string mark = "IMODV1.2";
    to.append({mark.begin(), mark.end()});
    to.append(test::Bytes(128, 0));
    to.put(x).put(y).put(z).put(std::int32_t{1}).put(std::uint32_t{0});
    for (int i = 0; i < 4; ++i) {
        to.put(std::int32_t{0});
    }
    for (const float value : {0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F}) {
        to.put(value);
    }
    for (int i = 0; i < 5; ++i) {
        to.put(std::int32_t{0});
    }
    to.put(pixel).put(unit).put(std::int32_t{0});
    return to.put(0.0F).put(0.0F).put(0.0F);
}

void addChunk(test::ByteWriter& to, const char* name) {
    const std::string text = name;
    to.append({text.begin(), text.end()});
}

void addObject(test::ByteWriter& to, std::uint32_t flags) {
    addChunk(to, "OBJT");
    to.append(test::Bytes(64 + 64, 0)).put(std::int32_t{1}).put(flags);
    to.append(test::Bytes(2 * 4 + 3 * 4 + 4 + 8 + 8, 0));
}

void addContour(test::ByteWriter& to, const std::vector<base::Point>& points) {
    addChunk(to, "CONT");
    to.put(static_cast<std::int32_t>(points.size())).append(test::Bytes(12, 0));
    for (const base::Point& point : points) {
        for (const double value : point) {
            to.put(static_cast<float>(value));
        }
    }
}

std::string bytesOf(const test::ByteWriter& from) { return {from.bytes.begin(), from.bytes.end()}; }

float floatAt(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value = (value << 8U) | static_cast<unsigned char>(bytes.at(at + i));
    }
    return std::bit_cast<float>(value);
}

std::int32_t intAt(const std::string& bytes, std::size_t at) {
    return std::bit_cast<std::int32_t>(floatAt(bytes, at));
}

/// Two points of one ROI of ImageJ, whose counters may name a slice for each.
std::string roiOfTwo(std::uint32_t position, std::uint32_t inZ, bool counted) {
    test::ByteWriter to(true);
    addChunk(to, "Iout");
    to.put(std::uint16_t{228}).put(std::uint8_t{10}).put(std::uint8_t{0});
    for (const int edge : {5, 10, 8, 12}) { // top, left, bottom, right
        to.put(static_cast<std::uint16_t>(edge));
    }
    to.put(std::uint16_t{2});
    to.append(test::Bytes(56 - to.bytes.size(), 0)).put(position).put(std::uint32_t{72});
    for (const int value : {0, 2, 0, 3}) { // x of both, y of both
        to.put(static_cast<std::uint16_t>(value));
    }
    to.append(test::Bytes(8, 0)).put(inZ).append(test::Bytes(36, 0));
    to.put(std::uint32_t{counted ? 136U : 0U}).append(test::Bytes(12, 0));
    return bytesOf(to.put(std::uint32_t{(31U << 8U) | 1U}).put(std::uint32_t{7U << 8U}));
}

} // namespace

class ListKindsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void columnsAreThoseThatThePrograms_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("flat");
        QTest::addColumn<QString>("columns");
        const QString angles = " rlnAngleRot rlnAngleTilt rlnAnglePsi rlnAutopickFigureOfMerit";
        QTest::newRow("relion4") << "relion4" << false
                                 << "rlnTomoName rlnCoordinateX rlnCoordinateY rlnCoordinateZ" +
                                        angles;
        QTest::newRow("relion5")
            << "relion5" << false
            << "rlnTomoName rlnCenteredCoordinateXAngst rlnCenteredCoordinateYAngst "
               "rlnCenteredCoordinateZAngst" +
                   angles;
        QTest::newRow("micrograph")
            << "relion-micrograph" << true
            << "rlnMicrographName rlnCoordinateX rlnCoordinateY rlnAnglePsi "
               "rlnAutopickFigureOfMerit";
        QTest::newRow("m") << "m" << false
                           << "wrpSourceName wrpCoordinateX1 wrpCoordinateY1 wrpCoordinateZ1 "
                              "wrpAngleRot1 wrpAngleTilt1 wrpAnglePsi1";
        QTest::newRow("stopgap") << "stopgap" << false
                                 << "motl_idx tomo_num object subtomo_num halfset orig_x orig_y "
                                    "orig_z score x_shift y_shift z_shift phi psi the class";
    }

    void columnsAreThoseThatThePrograms() {
        QFETCH(QString, format);
        QFETCH(bool, flat);
        QFETCH(QString, columns);
        io::PositionList list = particle({20, 21, flat ? 0.0 : 22.0}, flat);
        list.place.unknowns = {.binning = 4,
                               .unbinnedPixel = 2.5,
                               .unbinnedSize = base::Extents{240, 200, flat ? 4 : 160}};
        const std::string text =
            io::listText(list, io::listFormatNamed(format.toStdString(), "--to"));
        QCOMPARE(starColumns(text).join(' '), columns);
        // What M wants beside them only Warp's tools can make.
        QCOMPARE(holdsText(io::listNotes(list, ListFormat::M), "wrpSourceHash"), true);
    }

    void aListOfMicrographsHasTheirNameAndNoZ() {
        const io::PositionList list = particle({20.5, 21, 0}, true);
        const std::string text = io::listText(list, ListFormat::Micrograph);
        QCOMPARE(linesOf(text).back(), QString("Micrographs/m1.mrc\t20.5\t21\t30\t0.5"));
        QCOMPARE(io::name(io::detectList(text, "a.star")), "relion-micrograph");
        io::PositionList binned = list;
        binned.place.unknowns.binning = 4;
        binned.place.unknowns.tomogram = "MotionCorr/job002/m1.mrc";
        QVERIFY(linesOf(io::listText(binned, ListFormat::Micrograph))
                    .back()
                    .startsWith("MotionCorr/job002/m1.mrc\t82\t84\t"));
        QVERIFY(sentenceOf([] {
                    (void)io::listText(particle({20, 21, 22}), ListFormat::Micrograph);
                }).find("flat images only") != std::string::npos);
        // Of several micrographs the rows of the scene; a list without names is of one.
        const std::string several = "data_\nloop_\n_rlnMicrographName\n_rlnCoordinateX\n"
                                    "_rlnCoordinateY\n_rlnAnglePsi\n"
                                    "MotionCorr/m2.mrc 1 2 0\nMotionCorr/m1.mrc 10 20 30\n";
        const io::PositionList read =
            io::parseList(several, ListFormat::Auto, list.place, "a.star");
        QCOMPARE(read.positions.size(), std::size_t{1});
        QVERIFY(isNear(read.positions[0].centre, {10, 20, 0}));
        QVERIFY(read.positions[0].angles == std::optional(base::Point{0, 0, 30}));
        const std::string alone = "data_\nloop_\n_rlnCoordinateX\n_rlnCoordinateY\n3 4\n";
        QVERIFY(isNear(
            io::parseList(alone, ListFormat::Auto, list.place, "a.star").positions.at(0).centre,
            {3, 4, 0}));
    }

    void motiveListsOfStopgapAreRead() {
        io::ListPlace place = particle({1, 1, 1}).place;
        place.unknowns.box = base::Extents{9, 9, 9};
        const io::PositionList read = io::parseList(kMotl, ListFormat::Auto, place, "m.star");
        QCOMPARE(io::name(read.format), "stopgap");
        QVERIFY(isNear(read.positions.at(0).centre, {23.2121, 13.6012, 37.4676}));
        QCOMPARE(read.positions[0].score, std::optional(0.5452));
        QVERIFY(turnBetween(lists::matrixOf(*read.positions[0].angles),
                            stopgapTurn(33.2584, 65.255699, 8.6516)) < 1e-12);
        // A tomogram is a number.
        std::string second = std::string(kMotl);
        second +=
            std::string(kMotl).substr(std::string(kMotl).find("6.000000")).replace(9, 2, "25");
        QVERIFY(sentenceOf([&] {
                    (void)io::parseList(second, ListFormat::Auto, place, "m.star");
                }).find("2 tomograms (24, 25)") != std::string::npos);
        place.unknowns.tomogram = "25";
        QCOMPARE(io::parseList(second, ListFormat::Auto, place, "m.star").positions.size(),
                 std::size_t{1});
    }

    /// STOPGAP cuts a box about the whole position, counted from 1, and adds the shift.
    void motiveListsOfStopgapAreWritten() {
        io::PositionList list = particle({20.25, 21, 21.5});
        list.place.unknowns.tomogram = "24";
        const std::string text = io::listText(list, ListFormat::Stopgap);
        QVERIFY(text.find("\ndata_stopgap_motivelist\n\nloop_\n_motl_idx\n") != text.npos);
        QVERIFY(text.find("_class\n\n") != text.npos); // its reader skips the line behind the names
        const QStringList row = linesOf(text).back().split('\t');
        QCOMPARE(row.mid(0, 12).join(' '), QString("1 24 1 1 A 21 22 23 0.5 0.25 0 -0.5"));
        QVERIFY(turnBetween(lists::matrixOf(*list.positions[0].angles),
                            stopgapTurn(row[12].toDouble(), row[13].toDouble(),
                                        row[14].toDouble())) < 1e-12);
        for (const base::Point& angles :
             {base::Point{0, 0, 40}, base::Point{0, 180, 40}, base::Point{-100, 90, 170}}) {
            const base::Point own = lists::toAngles(lists::AngleKind::Stopgap, angles);
            QVERIFY(turnBetween(lists::matrixOf(angles), stopgapTurn(own[0], own[1], own[2])) <
                    1e-12);
            QVERIFY(turnBetween(lists::matrixOf(angles),
                                lists::matrixOf(
                                    lists::fromAngles(lists::AngleKind::Stopgap, own))) < 1e-12);
        }
        list.positions[0].angles.reset();
        list.positions[0].score.reset();
        QCOMPARE(starColumns(io::listText(list, ListFormat::Stopgap)).size(), 16);
    }

    void binaryModelsOfImodAreRead() {
        test::ByteWriter to = modelHeader(60, 50, 40, 1.0F, -9);
        addObject(to, 1U << 9U);
        addContour(to, {{10.5, 20.5, 30}, {1.5, 2.5, 3.25}});
        addChunk(to, "SIZE");
        to.put(std::int32_t{8}).put(3.0F).put(-1.0F);
        addChunk(to, "MESH");
        to.put(std::int32_t{1}).put(std::int32_t{2}).append(test::Bytes(8 + 12 + 8, 7));
        addObject(to, 0);
        addContour(to, {{4.5, 5.5, 6}});
        addChunk(to, "IMAT");
        to.put(std::int32_t{16}).append(test::Bytes(16, 1));
        const test::ByteWriter open = to;
        addChunk(to, "IEOF");
        const io::ListPlace place = particle({1, 1, 1}).place;
        const io::PositionList read = io::parseList(bytesOf(to), ListFormat::Auto, place, "a.mod");
        QCOMPARE(read.positions.size(), std::size_t{3});
        QVERIFY(isNear(read.positions[0].centre, {10, 20, 30}));
        QVERIFY(isNear(read.positions[1].centre, {1, 2, 3.25}));
        QVERIFY(isNear(read.positions[2].centre, {4, 5, 6}));
        QVERIFY(holdsText(read.notes, "2 objects were joined"));
        const auto refused = [&](const std::string& bytes) {
            return sentenceOf(
                [&] { (void)io::parseList(bytes, ListFormat::Auto, place, "a.mod"); });
        };
        QVERIFY(refused(bytesOf(open)).find("cut") != std::string::npos);
        std::string many = bytesOf(to);
        many[many.find("CONT") + 4] = '\x7f';
        QVERIFY(refused(many).find("more than its bytes hold") != std::string::npos);
        test::ByteWriter other = modelHeader(60, 50, 40, 5.4F, -10);
        addChunk(other, "IEOF");
        QVERIFY(refused(bytesOf(other)).find("voxels of 10 angstrom") != std::string::npos);
        test::ByteWriter small = modelHeader(60, 50, 41, 1.0F, 0);
        addObject(small, 0);
        addContour(small, {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}});
        addChunk(small, "IEOF");
        const std::vector<std::string> notes =
            io::parseList(bytesOf(small), ListFormat::Auto, place, "a.mod").notes;
        QVERIFY(holdsText(notes, "60x50x41 voxels") &&
                holdsText(notes, "1 contour of the model is closed"));
    }

    void binaryModelsOfImodAreWritten() {
        QVERIFY(sentenceOf([] {
                    (void)io::listText(particle({1e39, 21, 22.5}), ListFormat::ImodModel);
                }).find("cannot hold the coordinate 1e+39") != std::string::npos);
        QVERIFY(sentenceOf([] {
                    (void)io::listText(particle({1e39, 21.5, 22.5}), ListFormat::ImageJRoi);
                }).find("cannot hold the coordinate 1e+39") != std::string::npos);
        const std::string bytes = io::listText(particle({20.25, 21, 22.5}), ListFormat::ImodModel);
        QVERIFY(bytes.starts_with("IMODV1.2") && bytes.ends_with("IEOF"));
        QCOMPARE(intAt(bytes, 136), 60);
        QCOMPARE(intAt(bytes, 148), 1);      // objects
        QCOMPARE(floatAt(bytes, 216), 1.0F); // pixel in nanometres
        QCOMPARE(intAt(bytes, 220), -9);
        QCOMPARE(bytes.substr(240, 4), std::string("OBJT"));
        QCOMPARE(intAt(bytes, 244 + 128 + 4), (1 << 3) | (1 << 9));
        QCOMPARE(bytes.substr(244 + 176, 4), std::string("CONT"));
        QCOMPARE(intAt(bytes, 424), 1);
        QCOMPARE(floatAt(bytes, 440), 20.75F);
        QCOMPARE(floatAt(bytes, 444), 21.5F);
        QCOMPARE(floatAt(bytes, 448), 22.5F);
        QCOMPARE(bytes.size(), std::size_t{456});
    }

    void pointsOfImageJMayHaveTheirOwnSlices() {
        const io::ListPlace place = particle({1, 1, 1}).place;
        const auto read = [&](std::uint32_t position, std::uint32_t inZ, bool counted) {
            return io::parseList(roiOfTwo(position, inZ, counted), ListFormat::Auto, place, "a.roi")
                .positions;
        };
        QVERIFY(isNear(read(9, 0, true).at(0).centre, {10, 5, 30}));
        QVERIFY(isNear(read(9, 0, true).at(1).centre, {12, 8, 6}));
        QVERIFY(isNear(read(9, 0, false).at(1).centre, {12, 8, 8}));
        QVERIFY(isNear(read(9, 4, false).at(0).centre, {10, 5, 3})); // z of a hyperstack
        std::string wild = roiOfTwo(9, 0, false);
        wild[51] = '\x80'; // sub-pixel values follow the whole ones, the first of which is NaN
        wild.replace(72, 4, std::string("\x7f\xc0\0\0", 4));
        QVERIFY(sentenceOf([&] {
                    (void)io::parseList(wild, ListFormat::Auto, place, "a.roi");
                }).find("not finite") != std::string::npos);
    }

    void filesAreListsByTheirNames() {
        for (const char* name : {"a.csv", "a.STAR", "a.mrk.json", "a.fcsv", "a.roi", "a.mod"}) {
            QVERIFY2(io::hasListName(name), name);
        }
        QVERIFY(!io::hasListName("a.mrc") && !io::hasListName("star"));
    }

    /// Row 0 of a TIFF is the last one of EMAN and crYOLO.
    void picturesThatAreNotMrcAreUpsideDown() {
        io::PositionList list = particle({20, 10, 0}, true);
        const auto first = [&](ListFormat format) {
            return linesOf(io::listText(list, format))
                .filter(QRegularExpression("^[0-9.-]"))
                .front();
        };
        QCOMPARE(first(ListFormat::Eman), QString("16\t6\t9\t9"));
        QVERIFY(first(ListFormat::Cbox).startsWith("15.5\t5.5\t0\t"));
        for (const char* picture : {"a.tif", "b.TIFF", "c.png", "d.jpg"}) {
            list.place.scene = picture;
            QCOMPARE(first(ListFormat::Eman), QString("16\t35\t9\t9")); // 49 - 10 - 4
            QVERIFY(first(ListFormat::Cbox).startsWith("15.5\t34.5\t0\t"));
            QVERIFY(holdsText(io::listNotes(list, ListFormat::Eman), "y counts from the last row"));
            const io::PositionList read = io::parseList(io::listText(list, ListFormat::Eman),
                                                        ListFormat::Eman, list.place, "a.box");
            QVERIFY(isNear(read.positions.at(0).centre, {20, 10, 0}));
            QVERIFY(holdsText(read.notes, "counted from the last row"));
        }
        QVERIFY(!lists::isUpsideDown(lists::presetOf(ListFormat::Micrograph), list.place));
        const io::PositionList bare = io::parseList("16\t6\t9\t9\n", ListFormat::Eman, {}, "a.box");
        QVERIFY(holdsText(bare.notes, "give --scene"));
    }

    void markupsOf3DSlicerAreInItsMillimetres() {
        io::PositionList list = particle({2, 3, 4});
        const auto point = [&] {
            const auto json = nlohmann::json::parse(io::listText(list, ListFormat::Slicer));
            const auto& markup = json["markups"][0];
            return markup["coordinateUnits"] == "mm"
                       ? markup["controlPoints"][0]["position"].get<base::Point>()
                       : base::Point{};
        };
        QVERIFY(isNear(point(), {20, 30, 40})); // it takes the numbers of the file as they are
        list.place.scene = "a.nii";             // but ITK turns the lengths of NIfTI
        QVERIFY(isNear(point(), {2e-6, 3e-6, 4e-6}, 1e-15));
        io::AtomicFile file(m_folder.filePath("a.mrk.json").toStdString());
        io::writeList(file, list, ListFormat::Slicer); // reads them back
        list.place.extents = {0, 0, 0};
        QVERIFY(sentenceOf([&] { (void)io::listText(list, ListFormat::Slicer); }).find("--scene") !=
                std::string::npos);
    }
};

const flcc::test::TestClass<ListKindsTest> kListKindsTest;
#include "list_kinds_test.moc"
