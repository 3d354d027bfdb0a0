#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::Point;

namespace {

constexpr const char* kSecondary = "1.2.840.10008.5.1.4.1.1.7.3";

/// The value of a pixel of a frame.
int valueAt(int x, int y, int frame) { return 1000 * frame + 4 * y + x; }

/// Frames of 4x3 pixels of 16 bits.
test::Bytes pixelsOf(int frames) {
    test::ByteWriter bytes;
    for (int frame = 0; frame < frames; ++frame) {
        for (int y = 0; y < 3; ++y) {
            for (int x = 0; x < 4; ++x) {
                bytes.put(static_cast<std::uint16_t>(valueAt(x, y, frame)));
            }
        }
    }
    return bytes.bytes;
}

/// An enhanced file whose frames lie at these positions.
test::DicomRecipe enhanced(const std::vector<Point>& positions) {
    test::DicomRecipe recipe;
    recipe.enhanced = true;
    recipe.frames = static_cast<int>(positions.size());
    recipe.pixels = pixelsOf(recipe.frames);
    for (const Point& position : positions) {
        recipe.places.push_back({.position = position});
    }
    return recipe;
}

} // namespace

/// Several frames in one file, and several pictures at one place.
class DicomFramesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file(const char* name = "a.dcm") const { return folder() / name; }

    /// Compares all values with those of the frames, in this order, times a slope each.
    static void requireFrames(const io::LoadedImage& image, const std::vector<int>& frames,
                              const std::vector<double>& slopes = {}, double intercept = 0) {
        QVERIFY((image.info.extents == Extents{4, 3, static_cast<std::int64_t>(frames.size())}));
        for (std::size_t z = 0; z < frames.size(); ++z) {
            const double slope = slopes.empty() ? 1 : slopes[z];
            for (int y = 0; y < 3; ++y) {
                for (int x = 0; x < 4; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)),
                                           {x, y, static_cast<std::int64_t>(z)}),
                             valueAt(x, y, frames[z]) * slope + intercept);
                }
            }
        }
    }
    void requireRefused(const test::DicomRecipe& recipe, const std::string& words) const {
        test::writeFile(file(), test::makeDicom(recipe));
        const auto error = test::errorOf([&] { (void)io::readImage(file()); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY2(std::string(error->what()).find(words) != std::string::npos, error->what());
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void framesLieWhereTheirPositionsSay_data() {
        QTest::addColumn<QList<int>>("order");
        const std::vector<QList<int>> orders{{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (const QList<int>& order : orders) {
            QTest::addRow("%d%d%d", order[0], order[1], order[2]) << order;
        }
    }
    void framesLieWhereTheirPositionsSay() {
        QFETCH(QList<int>, order);
        // Axial, sagittal (the normal is along x), and oblique ones.
        const std::vector<std::array<double, 6>> directions{
            {1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, -1}, {0.6, 0.8, 0, -0.8, 0.6, 0}};
        const std::vector<Point> normals{{0, 0, 1}, {-1, 0, 0}, {0, 0, 1}};
        for (std::size_t i = 0; i < directions.size(); ++i) {
            std::vector<Point> positions;
            std::vector<int> frames(3);
            for (int k = 0; k < 3; ++k) {
                Point at{5, -3, 1};
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    at[axis] += 2.5 * order[k] * normals[i][axis];
                }
                positions.push_back(at);
                frames[static_cast<std::size_t>(order[k])] = k;
            }
            test::DicomRecipe recipe = enhanced(positions);
            for (test::DicomFrameRecipe& place : recipe.places) {
                place.axes = directions[i];
            }
            test::writeFile(file(), test::makeDicom(recipe));
            const io::LoadedImage image = io::readImage(file());
            requireFrames(image, frames);
            const base::Geometry& grid = image.info.geometry;
            QCOMPARE(grid.origin, (Point{5, -3, 1}));
            QCOMPARE(grid.spacing, (Point{0.25, 0.5, 2.5}));
            for (std::size_t row = 0; row < 3; ++row) {
                QCOMPARE(grid.direction[3 * row + 2] + 0.0, normals[i][row] + 0.0);
            }
            QVERIFY(image.info.notes.empty());
        }
    }

    void slopeAndInterceptOfEachFrameAreApplied() {
        test::DicomRecipe recipe = enhanced({{0, 0, 0}, {0, 0, 4}, {0, 0, 2}});
        recipe.places[0].slope = "1";
        recipe.places[1].slope = "0.5";
        recipe.places[2].slope = "3";
        for (test::DicomFrameRecipe& place : recipe.places) {
            place.intercept = "-8";
        }
        test::writeFile(file(), test::makeDicom(recipe));
        const io::LoadedImage image = io::readImage(file());
        QCOMPARE(image.info.pixel, base::PixelType::Float32);
        requireFrames(image, {0, 2, 1}, {1, 3, 0.5}, -8);
        QVERIFY(test::holds(image.info.notes, "slopes of 0.5 to 3"));
        recipe.places[1].slope = "0";
        requireRefused(recipe, "the slope 0");
    }

    void thePrivateSlopeOfPhilipsIsNamed() {
        test::DicomRecipe recipe;
        recipe.pixels = pixelsOf(1);
        recipe.slope = "1.5";
        recipe.intercept = "0";
        recipe.philipsSlope = 0.25;
        test::writeFile(file(), test::makeDicom(recipe));
        const io::LoadedImage image = io::readImage(file());
        requireFrames(image, {0}, {1.5});
        QVERIFY(test::holds(image.info.notes,
                            "slope 1.5; the private scale slope of Philips, 0.25, was not"));
    }

    void framesAtOnePlaceAreAskedFor_data() {
        QTest::addColumn<int>("mark");
        QTest::newRow("times") << 0;
        QTest::newRow("echoes") << 1;
        QTest::newRow("stacks") << 2;
        QTest::newRow("segments") << 3;
    }
    void framesAtOnePlaceAreAskedFor() {
        QFETCH(int, mark);
        // Two sets of three slices, mixed.
        const std::vector<int> set{0, 1, 1, 0, 0, 1};
        const std::vector<double> heights{2, 0, 2, 0, 4, 4};
        test::DicomRecipe recipe = enhanced(std::vector<Point>(6));
        for (std::size_t i = 0; i < 6; ++i) {
            test::DicomFrameRecipe& place = recipe.places[i];
            place.position[2] = heights[i];
            place.time = mark == 0 ? set[i] + 1 : 0;
            place.echo = mark == 1 ? 4.6 * (set[i] + 1) : 0;
            place.stack = mark == 2 ? std::to_string(set[i] + 1) : "";
            place.segment = mark == 3 ? set[i] + 1 : 0;
        }
        test::writeFile(file(), test::makeDicom(recipe));
        QCOMPARE(io::readImageInfo(file()).frames, 2);
        requireFrames(io::readImage(file(), {.frame = 0}), {3, 0, 4});
        requireFrames(io::readImage(file(), {.frame = 1}), {1, 2, 5});
        const auto error = test::errorOf([&] { (void)io::readImage(file()); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        QVERIFY2(std::string(error->what()).find("--frame") != std::string::npos, error->what());
        QVERIFY(test::holds(io::readImageInfo(file()).notes, mark == 1   ? "echo time 4.6, 9.2"
                                                             : mark == 2 ? "2 stacks"
                                                             : mark == 3 ? "segment 1, 2"
                                                                         : "time 1, 2"));
    }

    void framesThatMakeNoVolumeAreNamed() {
        requireRefused(enhanced({{0, 0, 0}, {0, 0, 2}, {0, 0, 6}}),
                       "the frames 1 and 2 are 4 mm apart, other slices 2 mm");
        requireRefused(enhanced({{0, 0, 0}, {0, 0, 2}, {0, 0, 2}}),
                       "the frames 1 and 2 have the same position");
        test::DicomRecipe recipe = enhanced({{0, 0, 0}, {0, 0, 2}, {0, 0, 4}});
        recipe.places[1].axes = {1, 0, 0, 0, 0, 1};
        requireRefused(recipe, "the frames 0 and 1 differ in direction");
        recipe.places[1].axes = recipe.places[0].axes;
        recipe.places[2].spacing = "0.5\\0.5";
        recipe.places[0].spacing = recipe.places[1].spacing = "0.5\\0.25";
        requireRefused(recipe, "the frames 0 and 2 differ in pixel spacing");
        recipe = enhanced({{0, 0, 0}, {0, 0, 2}});
        recipe.frames = 3;
        recipe.pixels = pixelsOf(3);
        requireRefused(recipe, "promises 3 frames and describes 2");
        recipe = enhanced({{0, 0, 0}, {0, 0, 2}, {0, 0, 4}});
        recipe.places[0].stack = recipe.places[1].stack = "1";
        recipe.places[2].stack = "2";
        requireRefused(recipe, "different numbers of slices, 2 and 1");
    }

    void framesWithoutPlacesAreSlicesOrTimes() {
        test::DicomRecipe recipe;
        recipe.frames = 3;
        recipe.pixels = pixelsOf(3);
        recipe.kind = kSecondary;
        recipe.position.reset();
        test::writeFile(file(), test::makeDicom(recipe));
        requireFrames(io::readImage(file()), {0, 1, 2});
        QVERIFY(test::holds(io::readImageInfo(file()).notes, "taken as slices in their order"));
        recipe.frameTime = "40";
        test::writeFile(file(), test::makeDicom(recipe));
        QCOMPARE(io::readImageInfo(file()).frames, 3);
        requireFrames(io::readImage(file(), {.frame = 2}), {2});
        QVERIFY(test::holds(io::readImageInfo(file()).notes, "in time"));
    }

    void planesOfADoseLieAtTheirOffsets() {
        test::DicomRecipe recipe;
        recipe.frames = 3;
        recipe.pixels = pixelsOf(3);
        recipe.kind = "1.2.840.10008.5.1.4.1.1.481.2";
        recipe.offsets = "0\\-3\\-6";
        recipe.doseScaling = "0.5";
        test::writeFile(file(), test::makeDicom(recipe));
        const io::LoadedImage image = io::readImage(file());
        requireFrames(image, {2, 1, 0}, {0.5, 0.5, 0.5});
        QCOMPARE(image.info.geometry.origin, (Point{0, 0, -6}));
        QCOMPARE(image.info.geometry.spacing[2], 3.0);
    }

    void timesOfASeriesAreAskedFor() {
        for (int i = 0; i < 6; ++i) {
            test::DicomRecipe recipe;
            recipe.position = Point{0, 0, 2.0 * (i % 3)};
            recipe.time = i / 3 + 1;
            const test::Bytes all = pixelsOf(6);
            recipe.pixels.assign(all.begin() + i * 24, all.begin() + (i + 1) * 24);
            test::writeFile(folder() / std::to_string(i), test::makeDicom(recipe));
        }
        QCOMPARE(io::readImageInfo(folder()).frames, 2);
        requireFrames(io::readImage(folder(), {.frame = 0}), {0, 1, 2});
        requireFrames(io::readImage(folder() / "4", {.frame = 1}), {3, 4, 5});
        QVERIFY(test::holds(io::readImageInfo(folder()).notes, "time 1, 2"));
    }

    void masksOfOneBitAreRead() {
        test::DicomRecipe recipe = enhanced({{0, 0, 2}, {0, 0, 0}});
        recipe.bitsAllocated = recipe.bitsStored = 1;
        recipe.pixels = {0x21, 0x84, 0x30}; // 24 pixels, the first one in the lowest bit
        test::writeFile(file(), test::makeDicom(recipe));
        const io::LoadedImage image = io::readImage(file());
        QCOMPARE(image.info.pixel, base::PixelType::UInt8);
        QVERIFY((image.info.extents == Extents{4, 3, 2}));
        const std::uint32_t bits = 0x308421;
        for (int i = 0; i < 24; ++i) {
            QCOMPARE(
                base::valueAt(base::viewOf(image.components.at(0)), {i % 4, i / 4 % 3, 1 - i / 12}),
                static_cast<double>(bits >> i & 1));
        }
    }

    void packingsThatCannotBeReadAreNamed_data() {
        QTest::addColumn<QByteArray>("syntax");
        QTest::addColumn<QByteArray>("name");
        const auto row = [](const char* syntax, const char* name) {
            QTest::newRow(name) << QByteArray(syntax) << QByteArray(name);
        };
        row("1.2.840.10008.1.2.4.201", "HTJ2K");
        row("1.2.840.10008.1.2.4.102", "MPEG-4 video");
        row("1.2.840.10008.1.2.4.100", "MPEG-2 video");
        row("1.2.840.10008.1.2.4.108", "HEVC video");
        row("1.2.840.10008.1.2.4.110", "JPEG XL");
        row("1.2.840.10008.1.2.4.92", "JPEG 2000 part 2");
        row("1.2.3.4.5.6.7.8.9", "an unknown format");
    }
    void packingsThatCannotBeReadAreNamed() {
        QFETCH(QByteArray, syntax);
        QFETCH(QByteArray, name);
        test::DicomRecipe recipe;
        recipe.syntax = syntax.toStdString();
        recipe.packed = {test::Bytes(20)};
        test::writeFile(file(), test::makeDicom(recipe));
        for (const std::filesystem::path& path : {file(), folder()}) {
            const auto error = test::errorOf([&] { (void)io::readImageInfo(path); });
            QVERIFY(error && error->code() == ErrorCode::Input);
            const std::string sentence = error->what();
            QVERIFY2(sentence.find(name.toStdString() + " (" + recipe.syntax + ")") !=
                         std::string::npos,
                     sentence.c_str());
        }
    }

    void coloursOfLuminanceAreTurnedToRed() {
        test::DicomRecipe recipe;
        recipe.samples = 3;
        recipe.colours = "YBR_FULL";
        recipe.bitsAllocated = recipe.bitsStored = 8;
        recipe.columns = recipe.rows = 1;
        recipe.pixels = {76, 85, 255, 0}; // pure red (JFIF), and filling
        test::writeFile(file(), test::makeDicom(recipe));
        const io::LoadedImage image = io::readImage(file());
        const std::array<double, 3> red{254, 0, 0};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(base::valueAt(base::viewOf(image.components.at(i)), {0, 0, 0}), red[i]);
        }
    }
};

const flcc::test::TestClass<DicomFramesTest> kDicomFramesTest;
#include "dicom_frames_test.moc"
