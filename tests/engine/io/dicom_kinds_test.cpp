#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

std::uint16_t valueAt(int x, int y) {
    return static_cast<std::uint16_t>((1000 + 37 * x + 101 * y * y) & 0xfff);
}

/// 16x12 pixels of valueAt(), of 16 bits.
test::Bytes gradient() {
    test::ByteWriter bytes;
    for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 16; ++x) {
            bytes.put(valueAt(x, y));
        }
    }
    return bytes.bytes;
}

/// gradient() in JPEG lossless, made with gdcmconv 3.0.21.
const test::Bytes kJpegLossless{
    0xff, 0xd8, 0xff, 0xc3, 0x00, 0x0b, 0x10, 0x00, 0x0c, 0x00, 0x10, 0x01, 0x01, 0x11, 0x00, 0xff,
    0xc4, 0x00, 0x1a, 0x00, 0x01, 0x00, 0x02, 0x03, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x06, 0x09, 0x0b, 0x07, 0x0a, 0x0c, 0x0f, 0xff, 0xda, 0x00, 0x08, 0x01,
    0x01, 0x00, 0x01, 0x00, 0x00, 0xf0, 0x3e, 0x74, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9,
    0x52, 0xa5, 0x4a, 0x95, 0x2e, 0x65, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a,
    0x54, 0xa9, 0x52, 0xc9, 0x7a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5,
    0x4a, 0x96, 0x7e, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54,
    0xbb, 0x61, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x77,
    0x8d, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xf2, 0x2b,
    0x25, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x6d, 0x21, 0x4a,
    0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xdb, 0xd6, 0x95, 0x2a,
    0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0xe6, 0xb4, 0x4a, 0x95, 0x2a,
    0x54, 0xa9, 0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xde, 0xfe, 0x95, 0x2a, 0x54, 0xa9,
    0x52, 0xa5, 0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0xa1, 0x21, 0x2a, 0x54, 0xa9, 0x52, 0xa5,
    0x4a, 0x95, 0x2a, 0x54, 0xa9, 0x52, 0xa5, 0x4b, 0xff, 0xd9};

/// gradient() in JPEG 2000, reversible, made with gdcmconv 3.0.21.
const test::Bytes kJpeg2000{
    0xff, 0x4f, 0xff, 0x51, 0x00, 0x29, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x0c,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x0c,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x0f, 0x01, 0x01, 0xff, 0x52, 0x00,
    0x0c, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x04, 0x04, 0x00, 0x01, 0xff, 0x5c, 0x00, 0x0a, 0x40,
    0x80, 0x88, 0x88, 0x90, 0x88, 0x88, 0x90, 0xff, 0x64, 0x00, 0x2a, 0x00, 0x01, 0x43, 0x72, 0x65,
    0x61, 0x74, 0x65, 0x64, 0x20, 0x62, 0x79, 0x20, 0x47, 0x44, 0x43, 0x4d, 0x2f, 0x4f, 0x70, 0x65,
    0x6e, 0x4a, 0x50, 0x45, 0x47, 0x20, 0x76, 0x65, 0x72, 0x73, 0x69, 0x6f, 0x6e, 0x20, 0x32, 0x2e,
    0x35, 0x2e, 0x30, 0xff, 0x90, 0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x87, 0x00, 0x01, 0xff,
    0x93, 0xcf, 0xfc, 0x30, 0x5c, 0x08, 0xec, 0x64, 0x98, 0xa7, 0x22, 0xb0, 0x33, 0xc8, 0x5f, 0xcf,
    0x9f, 0xd5, 0xed, 0x32, 0xdd, 0x49, 0xd9, 0x66, 0xde, 0x0c, 0x00, 0xb7, 0xc0, 0x07, 0xda, 0x09,
    0x01, 0xfc, 0x89, 0x00, 0x1b, 0xf5, 0xba, 0xbd, 0x0c, 0x60, 0x6b, 0x36, 0x62, 0x4b, 0x6f, 0x34,
    0x12, 0xc8, 0xe4, 0x5b, 0xf0, 0x60, 0xdd, 0xa6, 0xff, 0x7f, 0xc0, 0x03, 0xea, 0x06, 0x81, 0xfe,
    0x0c, 0x80, 0x36, 0x9d, 0x28, 0x1f, 0x28, 0x6d, 0x3c, 0xc3, 0x51, 0xbe, 0x5c, 0x1b, 0xe4, 0x54,
    0xce, 0xe1, 0xf1, 0x10, 0x11, 0x49, 0xd0, 0xc0, 0x8e, 0x91, 0x48, 0x2c, 0x4d, 0x2e, 0xbf, 0xd2,
    0xf8, 0xc0, 0x4a, 0xa8, 0x0f, 0x3f, 0x7b, 0x2b, 0xaf, 0x30, 0xe1, 0x73, 0xc3, 0x93, 0xd2, 0xe0,
    0x24, 0xf0, 0xe4, 0xf4, 0xb7, 0x5f, 0xed, 0x12, 0x42, 0x3f, 0xff, 0xd9};

/// gradient() in the RLE of DICOM: the high bytes, then the low ones, each as literal runs.
test::Bytes runLengths(const test::Bytes& pixels) {
    std::array<test::Bytes, 2> segments;
    for (std::size_t plane = 0; plane < 2; ++plane) {
        test::Bytes& to = segments[plane];
        for (std::size_t row = 0; row < pixels.size(); row += 32) {
            to.push_back(15); // 16 literal bytes follow
            for (std::size_t i = 0; i < 16; ++i) {
                to.push_back(pixels[row + 2 * i + 1 - plane]);
            }
        }
    }
    test::ByteWriter out;
    out.put(std::uint32_t{2}).put(std::uint32_t{64});
    out.put(static_cast<std::uint32_t>(64 + segments[0].size()));
    out.padTo(64);
    return out.append(segments[0]).append(segments[1]).bytes;
}

test::DicomRecipe recipe() {
    test::DicomRecipe recipe;
    recipe.columns = 16;
    recipe.rows = 12;
    recipe.pixels = gradient();
    return recipe;
}

test::DicomRecipe packed(const char* syntax, const test::Bytes& frame) {
    test::DicomRecipe made = recipe();
    made.syntax = syntax;
    made.packed = {frame};
    return made;
}

constexpr const char* kJpegLosslessSyntax = "1.2.840.10008.1.2.4.70";
constexpr const char* kJpeg2000Syntax = "1.2.840.10008.1.2.4.90";
constexpr const char* kRleSyntax = "1.2.840.10008.1.2.5";

} // namespace

/// Kinds of DICOM files beside those whose pixels are stored plainly.
class DicomKindsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file() const { return m_folder->path().toStdString() + "/a.dcm"; }

    void requireGradient(const test::DicomRecipe& made, std::int64_t frames = 1) const {
        test::writeFile(file(), test::makeDicom(made));
        const io::LoadedImage image = io::readImage(file());
        QVERIFY((image.info.extents == base::Extents{16, 12, frames}));
        QCOMPARE(image.info.pixel, base::PixelType::UInt16);
        for (std::int64_t z = 0; z < frames; ++z) {
            for (int y = 0; y < 12; ++y) {
                for (int x = 0; x < 16; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {x, y, z}),
                             static_cast<double>(valueAt(x, y)));
                }
            }
        }
    }
    void requireDamaged(const test::Bytes& bytes, const char* words = "") const {
        test::writeFile(file(), bytes);
        const auto error = test::errorOf([&] { (void)io::readImage(file()); });
        QVERIFY2(error && error->code() == ErrorCode::Input,
                 qPrintable(QString::number(bytes.size())));
        QVERIFY2(std::string_view(error->what()).find(words) != std::string_view::npos,
                 error->what());
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void compressedPixelsAreThoseStoredPlainly() {
        requireGradient(recipe());
        requireGradient(packed(kJpegLosslessSyntax, kJpegLossless));
        requireGradient(packed(kJpeg2000Syntax, kJpeg2000));
        requireGradient(packed(kRleSyntax, runLengths(gradient())));
    }

    /// A codec leaves the bits above those stored empty, so it loses the sign.
    void packedNumbersKeepTheirSign() {
        for (const auto& [syntax, frame] :
             {std::pair(kJpeg2000Syntax, kJpeg2000), std::pair(kJpegLosslessSyntax, kJpegLossless),
              std::pair(kRleSyntax, runLengths(gradient()))}) {
            test::DicomRecipe made = packed(syntax, frame);
            made.sign = true;
            made.bitsStored = 12;
            test::writeFile(file(), test::makeDicom(made));
            const io::LoadedImage image = io::readImage(file());
            QCOMPARE(image.info.pixel, base::PixelType::Int16);
            int negative = 0;
            for (int y = 0; y < 12; ++y) {
                for (int x = 0; x < 16; ++x) {
                    const int value = valueAt(x, y) >= 2048 ? valueAt(x, y) - 4096 : valueAt(x, y);
                    negative += value < 0 ? 1 : 0;
                    QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {x, y, 0}),
                             static_cast<double>(value));
                }
            }
            QVERIFY(negative > 20);
        }
    }

    /// The first 128 bytes of DICOM belong to anybody: writers of slides put a TIFF header there.
    void aPreambleOfAnotherFormatIsNoMatter() {
        for (const std::string_view mark :
             {std::string_view("II*\0", 4), {"MM\0*", 4}, {"BM", 2}}) {
            test::Bytes bytes = test::makeDicom(recipe());
            std::copy(mark.begin(), mark.end(), bytes.begin());
            test::writeFile(file(), bytes);
            QCOMPARE(io::readImageInfo(file()).format, std::string("DICOM"));
        }
    }

    void bigEndianPixelsAreThoseStoredPlainly() {
        test::DicomRecipe made = recipe();
        made.bigEndian = true;
        requireGradient(made);
    }

    void anEnhancedFileIsAVolume() {
        test::DicomRecipe made = recipe();
        made.enhanced = true;
        made.frames = 3;
        made.position = base::Point{-10, 5.5, 7};
        for (int i = 0; i < 2; ++i) {
            const test::Bytes frame = gradient();
            made.pixels.insert(made.pixels.end(), frame.begin(), frame.end());
        }
        requireGradient(made, 3);
        const base::Geometry geometry = io::readImageInfo(file()).geometry;
        QCOMPARE(geometry.spacing, (base::Point{0.25, 0.5, 2}));
        QCOMPARE(geometry.origin, (base::Point{-10, 5.5, 7}));
        made.packed = std::vector<test::Bytes>(3, kJpegLossless);
        made.syntax = kJpegLosslessSyntax;
        requireGradient(made, 3);
        made.packed.pop_back();
        requireDamaged(test::makeDicom(made), "promises 3 frames and holds 2");
    }

    void aCutCompressedFileIsNoImage_data() {
        QTest::addColumn<test::Bytes>("bytes");
        QTest::newRow("JPEG lossless")
            << test::makeDicom(packed(kJpegLosslessSyntax, kJpegLossless));
        QTest::newRow("JPEG 2000") << test::makeDicom(packed(kJpeg2000Syntax, kJpeg2000));
        QTest::newRow("RLE") << test::makeDicom(packed(kRleSyntax, runLengths(gradient())));
    }
    void aCutCompressedFileIsNoImage() {
        QFETCH(test::Bytes, bytes);
        for (const std::ptrdiff_t lost : {1, 4, 8, 9, 20, 100, 200, 240}) {
            requireDamaged({bytes.begin(), bytes.end() - lost}, "is truncated");
        }
    }
};

const flcc::test::TestClass<DicomKindsTest> kDicomKindsTest;
#include "dicom_kinds_test.moc"
