#include <QTemporaryDir>
#include <QtTest>

#include <random>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

constexpr base::Extents kExtents{24, 18, 4};

test::Bytes compressedMha(const base::AnyImage& image) {
    const test::Bytes packed = test::deflated(test::voxelBytes(image));
    const std::string header = "ObjectType = Image\nNDims = 3\nBinaryData = True\n"
                               "BinaryDataByteOrderMSB = False\nCompressedData = True\n"
                               "CompressedDataSize = " +
                               std::to_string(packed.size()) +
                               "\nElementSpacing = 1 1 2\nDimSize = 24 18 4\n"
                               "ElementType = MET_SHORT\nElementDataFile = LOCAL\n";
    test::Bytes file(header.begin(), header.end());
    file.insert(file.end(), packed.begin(), packed.end());
    return file;
}

test::Bytes nrrdWith(const std::string& encoding, const test::Bytes& data) {
    const std::string header = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 24 18 4\n"
                               "endian: little\nencoding: " +
                               encoding + "\n\n";
    test::Bytes file(header.begin(), header.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
}

/// A valid file of each kind; all but PNG hold the same volume.
struct Valid {
    std::string name;
    test::Bytes bytes;
    base::AnyImage image;
};

Valid validFile(const std::string& name, const std::filesystem::path& folder) {
    const bool flat = name == "png";
    const base::Extents extents = flat ? base::Extents{24, 18, 1} : kExtents;
    base::AnyImage image = test::patternImage(flat ? PixelType::UInt16 : PixelType::Int16, extents);
    const test::Bytes voxels = test::voxelBytes(image);
    test::NiftiRecipe nifti;
    nifti.sizes = {24, 18, 4};
    nifti.voxels = voxels;
    const auto path = folder / ("valid." + name);
    if (name == "packed.mha") {
        return {name, compressedMha(image), std::move(image)};
    }
    if (name == "packed.nrrd") {
        return {name, nrrdWith("gzip", test::gzip(voxels)), std::move(image)};
    }
    if (name == "mrc") {
        return {name, test::makeMrc(1, extents, {24, 18, 4}, voxels), std::move(image)};
    }
    if (name == "nii") {
        return {name, test::makeNifti(nifti), std::move(image)};
    }
    if (name == "nii.gz") {
        return {name, test::gzip(test::makeNifti(nifti)), std::move(image)};
    }
    if (name == "2.nii") {
        nifti.second = true;
        return {name, test::makeNifti(nifti), std::move(image)};
    }
    (void)io::writeImage(path, base::viewOf(image), {});
    return {name, test::readFile(path), std::move(image)};
}

constexpr std::array kKinds{"mha", "packed.mha", "nrrd", "packed.nrrd", "tif",
                            "png", "mrc",        "nii",  "2.nii",       "nii.gz"};

} // namespace

class DamagedFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }

    void everyKind() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : kKinds) {
            QTest::newRow(kind) << kind;
        }
    }

  private Q_SLOTS:
    void theValidFileReads_data() { everyKind(); }
    void theValidFileReads() {
        QFETCH(QString, kind);
        const Valid valid = validFile(kind.toStdString(), folder());
        const auto path = folder() / ("whole." + valid.name);
        test::writeFile(path, valid.bytes);
        QVERIFY(test::sameBits(io::readImage(path).components.front(), valid.image));
    }

    void aCutFileIsRefusedOrWhole_data() { everyKind(); }
    void aCutFileIsRefusedOrWhole() {
        QFETCH(QString, kind);
        const Valid valid = validFile(kind.toStdString(), folder());
        const auto path = folder() / ("cut." + valid.name);
        const std::size_t size = valid.bytes.size();
        std::size_t whole = 0;
        for (std::size_t length = 1; length < size;
             length += length < 600 || length + 64 > size ? 1 : 37) {
            test::writeFile(path,
                            test::Bytes(valid.bytes.begin(),
                                        valid.bytes.begin() + static_cast<std::ptrdiff_t>(length)));
            try {
                const io::LoadedImage loaded = io::readImage(path);
                QVERIFY2(test::sameBits(loaded.components.front(), valid.image),
                         qPrintable(QString("%1 of %2 bytes").arg(length).arg(size)));
                ++whole;
            } catch (const base::Error& error) {
                QVERIFY2(error.code() == ErrorCode::Input, error.what());
                const std::string sentence = error.what();
                QVERIFY2(sentence.find("itk") == std::string::npos &&
                             sentence.find("0x") == std::string::npos &&
                             sentence.find('\n') == std::string::npos &&
                             sentence.find(path.string()) != std::string::npos,
                         error.what());
            }
            (void)test::errorOf([&] { (void)io::readImageInfo(path); });
        }
        // The last bytes of a PNG or TIFF may be cut off without loss, others may not.
        QVERIFY2(whole <= (kind == "png" || kind == "tif" ? 16U : 0U),
                 qPrintable(QString::number(whole)));
    }

    void aChangedHeaderNeverEndsTheProgram_data() { everyKind(); }
    void aChangedHeaderNeverEndsTheProgram() {
        QFETCH(QString, kind);
        const Valid valid = validFile(kind.toStdString(), folder());
        const auto path = folder() / ("mutant." + valid.name);
        std::mt19937 random(7);
        io::ReadOptions options;
        options.maxBytes = 1 << 28;
        for (int mutant = 0; mutant < (test::kSanitized ? 300 : 1500); ++mutant) {
            test::Bytes bytes = valid.bytes;
            const auto changes = 1 + random() % 6;
            for (unsigned change = 0; change < changes; ++change) {
                // A TIFF of ours has its directories at the end.
                const std::size_t reach = std::min<std::size_t>(400, bytes.size());
                const std::size_t at = random() % reach;
                bytes[kind == "tif" && at > 16 ? bytes.size() - 1 - at : at] =
                    static_cast<unsigned char>(random());
            }
            test::writeFile(path, bytes);
            try {
                (void)io::readImage(path, options);
            } catch (const base::Error& error) {
                QVERIFY2(error.code() == ErrorCode::Input || error.code() == ErrorCode::Problem ||
                             error.code() == ErrorCode::Memory,
                         error.what());
            }
        }
    }

    void aHeaderThatLiesIsRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("lines");
        const QString mha = "ObjectType = Image\nNDims = 2\nBinaryData = True\n%1\n"
                            "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n0123456789";
        QTest::newRow("huge") << "a.mha" << mha.arg("DimSize = 2147483647 2147483647");
        QTest::newRow("overflow") << "a.mha"
                                  << mha.arg("DimSize = 9223372036854775807 9223372036854775807");
        QTest::newRow("zero") << "a.mha" << mha.arg("DimSize = 0 5");
        QTest::newRow("negative") << "a.mha" << mha.arg("DimSize = -2 5");
        QTest::newRow("too few") << "a.mha" << mha.arg("DimSize = 5");
        QTest::newRow("no number") << "a.mha" << mha.arg("DimSize = five two");
        QTest::newRow("nan spacing") << "a.mha" << mha.arg("DimSize = 5 2\nElementSpacing = nan 1");
        QTest::newRow("zero spacing") << "a.mha" << mha.arg("DimSize = 5 2\nElementSpacing = 0 1");
        QTest::newRow("negative spacing")
            << "a.mha" << mha.arg("DimSize = 5 2\nElementSpacing = -1 1");
        QTest::newRow("nan origin") << "a.mha" << mha.arg("DimSize = 5 2\nOffset = inf 1");
        QTest::newRow("elsewhere") << "a.mhd"
                                   << "NDims = 2\nDimSize = 5 2\nElementType = MET_UCHAR\n"
                                      "ElementDataFile = ../secret.raw\n";
        QTest::newRow("absolute") << "a.mhd"
                                  << "NDims = 2\nDimSize = 5 2\nElementType = MET_UCHAR\n"
                                     "ElementDataFile = /etc/passwd\n";
        QTest::newRow("list") << "a.mhd"
                              << "NDims = 2\nDimSize = 5 2\nElementType = MET_UCHAR\n"
                                 "ElementDataFile = LIST\na.raw\n";
        QTest::newRow("nrrd elsewhere")
            << "a.nhdr"
            << "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 5 2\nencoding: raw\n"
               "data file: /etc/passwd\n";
        QTest::newRow("nrrd missing")
            << "a.nhdr"
            << "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 5 2\nencoding: raw\n"
               "data file: none.raw\n";
        QTest::newRow("nrrd type") << "a.nrrd"
                                   << "NRRD0004\ntype: block\nblock size: 3\ndimension: 2\n"
                                      "sizes: 5 2\nencoding: raw\n\n0123456789";
        QTest::newRow("nrrd huge")
            << "a.nrrd"
            << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2147483647 2147483647 "
               "2147483647\nencoding: raw\n\n0123456789";
    }
    void aHeaderThatLiesIsRefused() {
        QFETCH(QString, name);
        QFETCH(QString, lines);
        const auto path = folder() / name.toStdString();
        test::writeFile(path, lines.toStdString());
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        QVERIFY(error);
        QVERIFY2(error->code() == ErrorCode::Input, error->what());
    }

    void theSameHeaderWithoutTheLieReads() {
        const auto path = folder() / "good.mha";
        test::writeFile(path, std::string("ObjectType = Image\nNDims = 2\nBinaryData = True\n"
                                          "DimSize = 5 2\nElementType = MET_UCHAR\n"
                                          "ElementDataFile = LOCAL\n0123456789"));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(path).components[0]), {4, 1, 0}),
                 static_cast<double>('9'));
    }
};

const flcc::test::TestClass<DamagedFileTest> kDamagedFileTest;
#include "damaged_file_test.moc"
