#include <QTemporaryDir>
#include <QtTest>

#include <array>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Point;
using test::DicomElement;
using test::dicomNumber;

namespace {

constexpr std::array kClasses{"1.2.840.10008.5.1.4.1.1.2",       // CT
                              "1.2.840.10008.5.1.4.1.1.7",       // Secondary Capture
                              "1.2.840.10008.5.1.4.1.1.1",       // CR
                              "1.2.840.10008.5.1.4.1.1.1.1",     // DX
                              "1.2.840.10008.5.1.4.1.1.1.2",     // MG
                              "1.2.840.10008.5.1.4.1.1.12.1",    // XA
                              "1.2.840.10008.5.1.4.1.1.12.2",    // RF
                              "1.2.840.10008.5.1.4.1.1.6.1",     // US
                              "1.3.46.670589.11.0.0.12.1",       // private, of Philips
                              "1.2.840.10008.5.1.4.1.1.77.1.7"}; // Dermoscopic Photography

/// 4x3 pixels of 16 bits, all `value`.
test::Bytes greyPixels(std::uint16_t value) {
    test::ByteWriter bytes;
    for (int i = 0; i < 12; ++i) {
        bytes.put(value);
    }
    return bytes.bytes;
}

/// A region of an ultrasound picture.
std::vector<DicomElement> usRegion(std::uint32_t right, double x, double y, std::uint16_t unit) {
    return {{0x0018, 0x6018, "UL", dicomNumber(std::uint32_t{0})},
            {0x0018, 0x601a, "UL", dicomNumber(std::uint32_t{0})},
            {0x0018, 0x601c, "UL", dicomNumber(right)},
            {0x0018, 0x601e, "UL", dicomNumber(std::uint32_t{2})},
            {0x0018, 0x6024, "US", dicomNumber(unit)},
            {0x0018, 0x6026, "US", dicomNumber(unit)},
            {0x0018, 0x602c, "FD", dicomNumber(x)},
            {0x0018, 0x602e, "FD", dicomNumber(y)}};
}

} // namespace

/// Position and spacing of DICOM files of all classes.
class DicomPlaceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file(const std::string& name = "a.dcm") const { return folder() / name; }

    /// A picture without PixelSpacing that has these elements.
    io::ImageInfo infoWith(const std::vector<DicomElement>& extra) const {
        test::DicomRecipe recipe;
        recipe.kind = "1.2.840.10008.5.1.4.1.1.7";
        recipe.spacing = "";
        recipe.pixels = greyPixels(1);
        recipe.extra = extra;
        test::writeFile(file(), test::makeDicom(recipe));
        return io::readImageInfo(file());
    }
    static bool notes(const io::ImageInfo& info, const std::string& part) {
        return info.notes.size() == 1 && info.notes[0].find(part) != std::string::npos;
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void everyClassHasPlaceAndSpacing() {
        for (const char* const kind : kClasses) {
            test::DicomRecipe recipe;
            recipe.kind = kind;
            recipe.position = Point{10, 20, 30};
            recipe.axes = {0, 1, 0, 0, 0, -1};
            recipe.pixels = greyPixels(7);
            recipe.extra = {{0x0018, 0x0088, "DS", "4"}};
            test::writeFile(file(), test::makeDicom(recipe));
            const io::ImageInfo info = io::readImageInfo(file());
            QVERIFY2((info.geometry.spacing == Point{0.25, 0.5, 4}), kind);
            QVERIFY2((info.geometry.origin == Point{10, 20, 30}), kind);
            QVERIFY2(
                (info.geometry.direction == std::array<double, 9>{0, 0, -1, 1, 0, 0, 0, -1, 0}),
                kind);
            QCOMPARE(info.geometry.unit, std::string("mm"));
            QVERIFY(info.notes.empty());
        }
    }

    void slicesOfEveryClassMakeAVolume() {
        for (const char* const kind : kClasses) {
            for (int i = 0; i < 4; ++i) {
                test::DicomRecipe recipe;
                recipe.kind = kind;
                recipe.position = Point{0, 0, -2.0 * i};
                recipe.pixels = greyPixels(static_cast<std::uint16_t>(i));
                test::writeFile(file(std::to_string(i) + ".dcm"), test::makeDicom(recipe));
            }
            const io::LoadedImage image = io::readImage(folder());
            QVERIFY2((image.info.extents == Extents{4, 3, 4}), kind);
            QVERIFY2((image.info.geometry.spacing == Point{0.25, 0.5, 2}), kind);
            QCOMPARE(image.info.geometry.origin[2], -6.0);
            for (int z = 0; z < 4; ++z) {
                QCOMPARE(base::valueAt(base::viewOf(image.components[0]), {0, 0, z}), 3.0 - z);
            }
        }
    }

    void aVolumeWithoutPixelSpacingSaysSo() {
        for (int i = 0; i < 2; ++i) {
            test::DicomRecipe recipe;
            recipe.position = Point{0, 0, 3.0 * i};
            recipe.spacing = "";
            recipe.pixels = greyPixels(1);
            test::writeFile(file(std::to_string(i) + ".dcm"), test::makeDicom(recipe));
        }
        const io::ImageInfo info = io::readImageInfo(folder());
        QVERIFY((info.geometry.spacing == Point{1, 1, 3}));
        QVERIFY(notes(info, "1 mm was assumed"));
        init(); // another folder
        const io::ImageInfo one = infoWith({{0x0018, 0x0088, "DS", "4"}});
        QCOMPARE(one.geometry.unit, std::string("px"));
    }

    void aDirectionThatIsNoneIsSaid() {
        for (const std::array<double, 6>& axes :
             {std::array<double, 6>{1, 0, 0, 1, 0, 0}, std::array<double, 6>{}}) {
            test::DicomRecipe recipe;
            recipe.axes = axes;
            recipe.pixels = greyPixels(1);
            test::writeFile(file(), test::makeDicom(recipe));
            const io::ImageInfo info = io::readImageInfo(file());
            QVERIFY((info.geometry.direction == std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
            QVERIFY(notes(info, "ImageOrientationPatient"));
        }
    }

    void unknownClassesAreRead() {
        for (const bool shifted : {false, true}) {
            test::DicomRecipe recipe;
            recipe.kind = "1.2.3.4.5";
            recipe.slope = "2";
            recipe.intercept = "1";
            recipe.pixels = greyPixels(shifted ? 48 : 3);
            if (shifted) {
                recipe.extra = {{0x0028, 0x0101, "US", dicomNumber(std::uint16_t{12})},
                                {0x0028, 0x0102, "US", dicomNumber(std::uint16_t{15})}};
            }
            test::writeFile(file(), test::makeDicom(recipe));
            const io::LoadedImage image = io::readImage(file());
            QCOMPARE(base::valueAt(base::viewOf(image.components[0]), {3, 2, 0}), 7.0);
            QVERIFY((image.info.geometry.spacing == Point{0.25, 0.5, 1}));
        }
    }

    void otherElementsGiveTheSpacingWithANote() {
        const io::ImageInfo detector = infoWith({{0x0018, 0x1164, "DS", "0.6\\0.4"}});
        QVERIFY((detector.geometry.spacing == Point{0.4, 0.6, 1}));
        QCOMPARE(detector.geometry.unit, std::string("mm"));
        QVERIFY(notes(detector, "ImagerPixelSpacing"));
        const io::ImageInfo plane = infoWith({{0x3002, 0x0011, "DS", "0.6\\0.4"}});
        QVERIFY((plane.geometry.spacing == Point{0.4, 0.6, 1}));
        QVERIFY(notes(plane, "ImagePlanePixelSpacing"));
        const io::ImageInfo scan = infoWith({{0x0018, 0x2010, "DS", "0.6\\0.4"}});
        QVERIFY((scan.geometry.spacing == Point{0.4, 0.6, 1}));
        QVERIFY(notes(scan, "NominalScannedPixelSpacing"));
        const io::ImageInfo both =
            infoWith({{0x0018, 0x1164, "DS", "0.6\\0.4"}, {0x0028, 0x0030, "DS", "0.5\\0.5"}});
        QVERIFY((both.geometry.spacing == Point{0.5, 0.5, 1}));
        QVERIFY(notes(both, "ImagerPixelSpacing, the distance of pixels at the detector, is 0.4"));
        QVERIFY(infoWith({{0x0018, 0x1164, "DS", "0.5\\0.5"}, {0x0028, 0x0030, "DS", "0.5\\0.5"}})
                    .notes.empty());
        const io::ImageInfo none = infoWith({});
        QVERIFY((none.geometry.spacing == Point{1, 1, 1}));
        QCOMPARE(none.geometry.unit, std::string("px"));
        QVERIFY(none.notes.empty());
        const io::ImageInfo ratio = infoWith({{0x0028, 0x0034, "IS", "2\\1"}});
        QVERIFY((ratio.geometry.spacing == Point{1, 1, 1}));
        QCOMPARE(ratio.geometry.unit, std::string("px"));
        QVERIFY(notes(ratio, "2 to 1"));
    }

    void ultrasoundRegions() {
        const auto info = [&](const std::vector<std::vector<DicomElement>>& regions) {
            return infoWith({{0x0018, 0x6011, "SQ", "", regions}});
        };
        const io::ImageInfo whole = info({usRegion(3, 0.02, 0.03, 3)});
        QCOMPARE(whole.geometry.spacing[0], 0.2);
        QCOMPARE(whole.geometry.spacing[1], 0.3);
        QCOMPARE(whole.geometry.unit, std::string("mm"));
        QVERIFY(notes(whole, "PhysicalDeltaX"));
        const std::vector<std::pair<std::vector<std::vector<DicomElement>>, std::string>> unclear{
            {{usRegion(3, 0.02, 0.03, 4)}, "not measured in cm"},
            {{usRegion(1, 0.02, 0.03, 3)}, "covers it all"},
            {{usRegion(3, 0.02, 0.03, 3), usRegion(3, 0.04, 0.03, 3)}, "differ"}};
        for (const auto& [regions, text] : unclear) {
            const io::ImageInfo none = info(regions);
            QVERIFY((none.geometry.spacing == Point{1, 1, 1}));
            QCOMPARE(none.geometry.unit, std::string("px"));
            QVERIFY2(notes(none, text), text.c_str());
        }
    }

    void numbersAboveTheLowestBit() {
        // 12 bits at the high end of 16; the four below them are of something else.
        for (const bool sign : {false, true}) {
            for (const bool big : {false, true}) {
                test::DicomRecipe recipe;
                recipe.sign = sign;
                recipe.bigEndian = big;
                recipe.bitsStored = 12;
                test::ByteWriter bytes;
                for (int i = 0; i < 12; ++i) {
                    bytes.put(static_cast<std::uint16_t>((5 + 370 * i) << 4 | 9));
                }
                recipe.pixels = bytes.bytes;
                const std::uint16_t high = big ? 15 << 8 : 15;
                recipe.extra = {{0x0028, 0x0102, "US", dicomNumber(high)}};
                test::writeFile(file(), test::makeDicom(recipe));
                const io::LoadedImage image = io::readImage(file());
                for (int i = 0; i < 12; ++i) {
                    const int stored = 5 + 370 * i;
                    QCOMPARE(base::valueAt(base::viewOf(image.components[0]), {i % 4, i / 4, 0}),
                             static_cast<double>(sign && stored > 2047 ? stored - 4096 : stored));
                }
            }
        }
        test::DicomRecipe colour;
        colour.samples = 3;
        colour.bitsAllocated = 8;
        colour.bitsStored = 6;
        colour.pixels = test::Bytes(36, 1);
        colour.extra = {{0x0028, 0x0102, "US", dicomNumber(std::uint16_t{7})}};
        test::writeFile(file(), test::makeDicom(colour));
        const auto error = test::errorOf([&] { (void)io::readImageInfo(file()); });
        QVERIFY(error && std::string(error->what()).find("the bits 2 to 7") != std::string::npos);
    }

    void mosaicsOfSiemensAreRefused() {
        test::DicomRecipe recipe;
        recipe.pixels = greyPixels(1);
        recipe.extra = {{0x0008, 0x0008, "CS", "ORIGINAL\\PRIMARY\\M\\ND\\MOSAIC"}};
        test::writeFile(file(), test::makeDicom(recipe));
        const auto error = test::errorOf([&] { (void)io::readImageInfo(file()); });
        QVERIFY(error && std::string(error->what()).find("dcm2niix") != std::string::npos);
    }
};
const flcc::test::TestClass<DicomPlaceTest> kDicomPlaceTest;

#include "dicom_place_test.moc"
