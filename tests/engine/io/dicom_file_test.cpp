#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;

namespace {

/// Values of a slice: `first`, `first + 1`, ...
template <class T> test::Bytes ramp(std::int64_t count, T first) {
    test::ByteWriter bytes;
    for (std::int64_t i = 0; i < count; ++i) {
        bytes.put(static_cast<T>(first + static_cast<T>(i)));
    }
    return bytes.bytes;
}

test::DicomRecipe slice(double z, std::uint16_t first) {
    test::DicomRecipe recipe;
    recipe.position = base::Point{-10, 5.5, z};
    recipe.pixels = ramp<std::uint16_t>(12, first);
    return recipe;
}

double at(const io::LoadedImage& image, std::int64_t x, std::int64_t y, std::int64_t z) {
    return base::valueAt(base::viewOf(image.components.at(0)), {x, y, z});
}

} // namespace

class DicomFileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    void write(const char* name, const test::DicomRecipe& recipe) const {
        test::writeFile(folder() / name, test::makeDicom(recipe));
    }
    void requireError(const std::filesystem::path& path, ErrorCode code,
                      const std::vector<std::string>& words) const {
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        QVERIFY(error.has_value());
        const std::string sentence = error->what();
        QVERIFY2(error->code() == code, sentence.c_str());
        for (const std::string& word : words) {
            QVERIFY2(sentence.find(word) != std::string::npos, sentence.c_str());
        }
        QVERIFY2(sentence.find(path.string()) != std::string::npos, sentence.c_str());
        const auto again = test::errorOf([&] { (void)io::readImageInfo(path); });
        QVERIFY(again && again->code() == code);
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aFolderIsAVolumeSortedByPosition() {
        write("c", slice(2, 0));
        write("a", slice(6, 200));
        write("b.dcm", slice(4, 100));
        const io::LoadedImage image = io::readImage(folder(), {.digests = true});
        QCOMPARE(image.info.format, std::string("DICOM"));
        QVERIFY((image.info.extents == Extents{4, 3, 3}));
        QCOMPARE(image.info.pixel, PixelType::UInt16);
        QCOMPARE(image.info.components, 1);
        QCOMPARE(image.info.frames, 1);
        for (std::int64_t z = 0; z < 3; ++z) {
            QCOMPARE(at(image, 0, 0, z), 100.0 * static_cast<double>(z));
            QCOMPARE(at(image, 3, 2, z), 100.0 * static_cast<double>(z) + 11);
        }
        QVERIFY((image.info.geometry.spacing == base::Point{0.25, 0.5, 2}));
        QVERIFY((image.info.geometry.origin == base::Point{-10, 5.5, 2}));
        QCOMPARE(image.info.geometry.direction, base::Geometry().direction);
        QCOMPARE(image.info.geometry.unit, std::string("mm"));
        QCOMPARE(image.info.files, 3);
        QCOMPARE(image.info.skippedFiles, std::int64_t{0});
        QVERIFY(image.info.notes.empty());
        QCOMPARE(image.files.size(), std::size_t{3});
        QCOMPARE(image.files[0].path, folder() / "a");
        const test::Bytes bytes = test::readFile(folder() / "a");
        const QByteArray hash =
            QCryptographicHash::hash(QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                                static_cast<qsizetype>(bytes.size())),
                                     QCryptographicHash::Sha256);
        QCOMPARE(image.files[0].sha256, hash.toHex().toStdString());
    }

    void theDirectionIsThatOfTheSlices() {
        for (int i = 0; i < 3; ++i) { // sagittal: x of the slice is y of the patient, y is -z
            test::DicomRecipe recipe = slice(0, 0);
            recipe.axes = {0, 1, 0, 0, 0, -1};
            recipe.position = base::Point{3.0 - i, 7, 8};
            write(std::to_string(i).c_str(), recipe);
        }
        const io::ImageInfo info = io::readImageInfo(folder());
        const std::array<double, 9> expected{0, 0, -1, 1, 0, 0, 0, -1, 0};
        QCOMPARE(info.geometry.direction, expected);
        QVERIFY((info.geometry.origin == base::Point{3, 7, 8}));
        QCOMPARE(info.geometry.spacing[2], 1.0);
    }

    void shearedSlicesAreNoted() {
        for (int i = 0; i < 3; ++i) {
            test::DicomRecipe recipe = slice(4.0 * i, 0);
            (*recipe.position)[1] = 3.0 * i;
            write(std::to_string(i).c_str(), recipe);
        }
        const io::ImageInfo info = io::readImageInfo(folder());
        QCOMPARE(info.geometry.spacing[2], 5.0);
        QCOMPARE(info.geometry.direction[5], 0.6);
        QCOMPARE(info.geometry.direction[8], 0.8);
        QCOMPARE(info.notes.size(), std::size_t{1});
        QVERIFY(info.notes[0].find("sheared") != std::string::npos);
    }

    void otherFilesAreSkippedAndCounted() {
        write("a", slice(0, 0));
        write("b", slice(1, 1));
        test::DicomRecipe report;
        report.picture = false;
        write("report", report);
        test::writeFile(folder() / "notes.txt", std::string("no picture"));
        std::filesystem::create_directory(folder() / "more");
        QVERIFY(::mkfifo((folder() / "pipe").c_str(), 0600) == 0);
        const io::LoadedImage image = io::readImage(folder(), {.digests = true});
        QVERIFY((image.info.extents == Extents{4, 3, 2}));
        QCOMPARE(image.info.skippedFiles, std::int64_t{2});
        QCOMPARE(image.info.notes.size(), std::size_t{1});
        QVERIFY(image.info.notes[0].find("2 other files") != std::string::npos);
        QCOMPARE(image.files.size(), std::size_t{2});
    }

    void aFileOpensItsSeries() {
        write("a1", slice(0, 0));
        write("a2", slice(1, 1));
        test::DicomRecipe other = slice(0, 7);
        other.series = "1.2.3.2";
        other.description = "scout";
        write("b1", other);
        const io::ImageInfo info = io::readImageInfo(folder() / "a2");
        QVERIFY((info.extents == Extents{4, 3, 2}));
        QCOMPARE(info.skippedFiles, std::int64_t{1});
        const io::LoadedImage single = io::readImage(folder() / "b1");
        QVERIFY((single.info.extents == Extents{4, 3, 1}));
        QCOMPARE(at(single, 0, 0, 0), 7.0);
        QVERIFY((single.info.geometry.origin == base::Point{-10, 5.5, 0}));
        requireError(folder(), ErrorCode::Problem,
                     {"2 series", "\"scan\" (CT, 2 files, one is a1)", "\"scout\" (CT, 1 file, b1)",
                      "open a file"});
        const std::vector<io::ImageChoice> series = io::imagesIn(folder());
        QCOMPARE(series.size(), std::size_t{2});
        QCOMPARE(series[0].name, std::string("scan"));
        QCOMPARE(series[0].kind, std::string("CT"));
        QCOMPARE(series[0].count, std::int64_t{2});
        QCOMPARE(series[1].sizes, std::string("4x3"));
        QVERIFY((io::readImageInfo(series[0].path).extents == Extents{4, 3, 2}));
        QCOMPARE(at(io::readImage(series[1].path), 0, 0, 0), 7.0);
        QVERIFY(io::imagesIn(folder() / "a1").empty()); // one image
    }

    void aMissingSliceIsAnError() {
        write("a", slice(0, 0));
        write("b", slice(2, 0));
        write("c", slice(4, 0));
        write("d", slice(8, 0));
        requireError(folder(), ErrorCode::Input, {"missing", "c and d are 4 mm apart", "2 mm"});
        requireError(folder() / "a", ErrorCode::Input, {"missing"});
    }

    void slicesThatDoNotFitAreAnError_data() {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QByteArray>("word");
        QTest::newRow("same position") << 0 << QByteArray("same position");
        QTest::newRow("size") << 1 << QByteArray("differ in size");
        QTest::newRow("direction") << 2 << QByteArray("differ in direction");
        QTest::newRow("spacing") << 3 << QByteArray("differ in pixel spacing");
        QTest::newRow("sideways") << 4 << QByteArray("displaced sideways");
    }
    void slicesThatDoNotFitAreAnError() {
        QFETCH(int, fault);
        QFETCH(QByteArray, word);
        write("a", slice(0, 0));
        write("b", slice(1, 0));
        test::DicomRecipe odd = slice(fault == 0 ? 1 : 2, 0);
        if (fault == 1) {
            odd.rows = 2;
            odd.columns = 6;
        } else if (fault == 2) {
            odd.axes = {0, 1, 0, 1, 0, 0};
        } else if (fault == 3) {
            odd.spacing = "1\\1";
        } else if (fault == 4) {
            (*odd.position)[0] += 3;
        }
        write("c", odd);
        requireError(folder(), ErrorCode::Input, {word.toStdString()});
    }

    void rescaledValuesHaveTheSmallestType_data() {
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("sign");
        QTest::addColumn<QByteArray>("slope");
        QTest::addColumn<QByteArray>("intercept");
        QTest::addColumn<int>("type");
        const auto row = [](const char* name, int bits, bool sign, const char* slope,
                            const char* intercept, PixelType type) {
            QTest::newRow(name) << bits << sign << QByteArray(slope) << QByteArray(intercept)
                                << static_cast<int>(type);
        };
        row("none", 12, false, "", "", PixelType::UInt16);
        row("one and zero", 16, true, "1", "0", PixelType::Int16);
        row("12 bits, -1024", 12, false, "1", "-1024", PixelType::Int16);
        row("12 bits, +40000", 12, false, "1", "40000", PixelType::UInt16);
        row("16 bits, -1024", 16, false, "1", "-1024", PixelType::Int32);
        row("slope 2", 12, false, "2", "0", PixelType::Float32);
        row("slope 0.5", 12, false, "0.5", "-10", PixelType::Float32);
        row("intercept 0.25", 12, false, "1", "0.25", PixelType::Float32);
    }
    void rescaledValuesHaveTheSmallestType() {
        QFETCH(int, bits);
        QFETCH(bool, sign);
        QFETCH(QByteArray, slope);
        QFETCH(QByteArray, intercept);
        QFETCH(int, type);
        test::DicomRecipe recipe = slice(0, 1000);
        recipe.bitsStored = static_cast<std::uint16_t>(bits);
        recipe.sign = sign;
        recipe.slope = slope.toStdString();
        recipe.intercept = intercept.toStdString();
        write("a", recipe);
        const io::LoadedImage image = io::readImage(folder() / "a");
        QCOMPARE(static_cast<int>(image.info.pixel), type);
        const double factor = slope.isEmpty() ? 1 : slope.toDouble();
        for (int i = 0; i < 12; ++i) {
            QCOMPARE(at(image, i % 4, i / 4, 0), (1000 + i) * factor + intercept.toDouble());
        }
    }

    void slicesOfDifferentRescaleShareOneType() {
        test::DicomRecipe first = slice(0, 10);
        first.slope = "0.5";
        first.intercept = "0";
        test::DicomRecipe second = slice(1, 10);
        second.slope = "3";
        second.intercept = "1";
        write("a", first);
        write("b", second);
        const io::LoadedImage image = io::readImage(folder());
        QCOMPARE(image.info.pixel, PixelType::Float32);
        QCOMPARE(at(image, 1, 0, 0), 5.5);
        QCOMPARE(at(image, 1, 0, 1), 34.0);
    }

    void colourHasThreeComponents() {
        test::DicomRecipe recipe = slice(0, 0);
        recipe.samples = 3;
        recipe.bitsAllocated = 8;
        recipe.bitsStored = 8;
        recipe.pixels = ramp<std::uint8_t>(36, 0);
        write("a", recipe);
        const io::LoadedImage image = io::readImage(folder() / "a");
        QCOMPARE(image.info.components, 3);
        QCOMPARE(image.info.pixel, PixelType::UInt8);
        QCOMPARE(base::valueAt(base::viewOf(image.components[2]), {3, 2, 0}), 35.0);
        QCOMPARE(base::valueAt(base::viewOf(image.components[0]), {1, 0, 0}), 3.0);
    }

    void framesAreSlices() {
        test::DicomRecipe recipe = slice(0, 0);
        recipe.frames = 5;
        recipe.position.reset();
        recipe.pixels = ramp<std::uint16_t>(60, 0);
        write("a", recipe);
        const io::LoadedImage image = io::readImage(folder());
        QVERIFY((image.info.extents == Extents{4, 3, 5}));
        QCOMPARE(at(image, 3, 2, 4), 59.0);
    }

    void picturesWithoutPositionsOpenAlone() {
        test::DicomRecipe recipe = slice(0, 3);
        recipe.position.reset();
        recipe.spacing.clear();
        write("a", recipe);
        write("b", recipe);
        const io::LoadedImage image = io::readImage(folder() / "b");
        QVERIFY((image.info.extents == Extents{4, 3, 1}));
        QCOMPARE(image.info.geometry.unit, std::string("px"));
        requireError(folder(), ErrorCode::Problem, {"without positions", "open one"});
    }

    void truncatedPixelsAreAnError() {
        write("a", slice(0, 0));
        write("b", slice(1, 0));
        test::Bytes bytes = test::makeDicom(slice(2, 0));
        bytes.pop_back();
        test::writeFile(folder() / "c", bytes);
        requireError(folder(), ErrorCode::Input, {"c is truncated", "24 bytes", "23 are"});
        requireError(folder() / "c", ErrorCode::Input, {"truncated"});
    }

    void aDamagedFileOfAFolderIsNoted() {
        write("a", slice(0, 0));
        write("b", slice(1, 0));
        test::Bytes bytes = test::makeDicom(slice(2, 0));
        std::fill(bytes.begin() + 132, bytes.end(), 0xff);
        test::writeFile(folder() / "c", bytes);
        const io::ImageInfo info = io::readImageInfo(folder());
        QCOMPARE(info.extents.z, std::int64_t{2});
        QCOMPARE(info.skippedFiles, std::int64_t{1});
        QVERIFY(!info.notes.empty() && info.notes.back().find("damaged") != std::string::npos);
    }

    /// GDCM ends the program on a file that ends among its first elements.
    void aFileThatCrashesTheLibraryIsNamed() {
        write("a", slice(0, 0));
        write("c", slice(1, 0));
        test::Bytes bytes = test::makeDicom(slice(2, 0));
        bytes.resize(170);
        test::writeFile(folder() / "b", bytes);
        requireError(folder(), ErrorCode::Input, {"crashed in its file b,"});
        requireError(folder() / "b", ErrorCode::Input, {"crashed in its file b,"});
    }

    void prefixesAndMutantsGiveSentences() {
        const test::Bytes good = test::makeDicom(slice(0, 0));
        for (std::size_t i = 0; i < 24; ++i) {
            test::Bytes bytes = good;
            if (i % 2 == 0) {
                bytes.resize(132 + (good.size() - 132) * i / 24);
            } else {
                bytes[132 + (i * 7919) % (good.size() - 132 - 24)] ^= 0xff;
            }
            test::writeFile(folder() / "a", bytes);
            const auto error = test::errorOf([&] { (void)io::readImage(folder() / "a"); });
            QVERIFY(!error || !std::string(error->what()).empty());
            QVERIFY(i % 2 == 1 || error.has_value());
        }
    }

    void aLengthBeyondTheFileTakesNoMemory() {
        if (test::kSanitized) {
            QSKIP("sanitizers allow no limit of memory");
        }
        test::Bytes bytes = test::makeDicom(slice(0, 0));
        const test::Bytes good{0x20, 0, 0x37, 0, 'D', 'S'}; // an element of the header
        const auto found = std::search(bytes.begin(), bytes.end(), good.begin(), good.end());
        QVERIFY(found != bytes.end());
        found[4] = 'p'; // no type: GDCM looks for other meanings, and finds a length of 1.8 GB
        test::writeFile(folder() / "a", bytes);
        requireError(folder() / "a", ErrorCode::Input, {"damaged"});
        found[4] = 'D';
        const test::Bytes pixels{0xe0, 0x7f, 0x10, 0, 'O', 'W', 0, 0};
        const auto data = std::search(bytes.begin(), bytes.end(), pixels.begin(), pixels.end());
        QVERIFY(data != bytes.end());
        data[11] = 0x30; // 800 MB of pixels
        test::writeFile(folder() / "a", bytes);
        (void)test::errorOf([&] { (void)io::readImage(folder() / "a"); });
        rusage used{};
        QCOMPARE(::getrusage(RUSAGE_CHILDREN, &used), 0); // the largest process so far
        QVERIFY2(used.ru_maxrss < 512 * 1024, std::to_string(used.ru_maxrss).c_str());
    }

    void foldersWithoutPicturesAreAnError() {
        requireError(folder(), ErrorCode::Input, {"folder without DICOM"});
        test::DicomRecipe report;
        report.picture = false;
        write("report", report);
        requireError(folder() / "report", ErrorCode::Input, {"without a picture"});
    }

    void aMissingPathIsAnError() {
        requireError(folder() / "none", ErrorCode::Input, {"no such file"});
    }
};

const flcc::test::TestClass<DicomFileTest> kDicomFileTest;
#include "dicom_file_test.moc"
