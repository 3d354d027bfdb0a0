#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

namespace {

test::Bytes mha(const std::string& fields, const test::Bytes& voxels) {
    const std::string header =
        "ObjectType = Image\nNDims = 2\n" + fields + "ElementDataFile = LOCAL\n";
    test::Bytes file(header.begin(), header.end());
    file.insert(file.end(), voxels.begin(), voxels.end());
    return file;
}

} // namespace

/// The format that every build reads and writes.
class MhaFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;

  private Q_SLOTS:
    void initTestCase() {
        m_path = std::filesystem::path(m_folder.path().toStdString()) / "image.mha";
    }

    void everyTypeRoundTrips_data() {
        QTest::addColumn<int>("type");
        for (int type = 0; type < 10; ++type) {
            QTest::newRow(std::string(base::name(static_cast<PixelType>(type))).c_str()) << type;
        }
    }
    void everyTypeRoundTrips() {
        QFETCH(int, type);
        for (const base::Extents extents :
             {base::Extents{1, 1, 1}, base::Extents{1, 9, 1}, base::Extents{7, 5, 3}}) {
            const auto image = test::patternImage(static_cast<PixelType>(type), extents);
            base::Geometry grid;
            grid.spacing = {0.1, 1.0 / 3, extents.z == 1 ? 1 : 1e-9};
            grid.origin = {-1e300, 5e-324, 0};
            grid.unit = "nm";
            grid.unitSource = base::UnitSource::Header;
            QVERIFY(io::writeImage(m_path, base::viewOf(image), grid)->empty());
            const io::LoadedImage loaded = io::readImage(m_path);
            QVERIFY(test::sameBits(loaded.components.front(), image));
            QVERIFY(loaded.info.geometry == grid);
        }
    }

    void bothByteOrdersRead() {
        const auto image = test::patternImage(PixelType::Float64, {3, 2, 1});
        for (const char* key : {"BinaryDataByteOrderMSB", "ElementByteOrderMSB"}) {
            test::writeFile(m_path, mha(std::string(key) + " = True\nDimSize = 3 2\n"
                                                           "ElementType = MET_DOUBLE\n",
                                        test::swapped(test::voxelBytes(image), 8)));
            QVERIFY(test::sameBits(io::readImage(m_path).components.front(), image));
        }
    }

    void aHeaderSizeSaysWhereTheVoxelsBegin() {
        const std::string fields = "DimSize = 3 2\nElementType = MET_UCHAR\n";
        const test::Bytes voxels{1, 2, 3, 4, 5, 6};
        const auto valueOf = [&](const test::Bytes& file) {
            test::writeFile(m_path, file);
            const io::LoadedImage loaded = io::readImage(m_path);
            return static_cast<int>(
                std::get<base::Image<std::uint8_t>>(loaded.components[0]).data()[0]);
        };
        test::Bytes file = mha(fields + "HeaderSize = 300\n", {});
        file.resize(300, 'x');
        file.insert(file.end(), voxels.begin(), voxels.end());
        QCOMPARE(valueOf(file), 1);
        file = mha(fields + "HeaderSize = -1\n", {9, 9, 1, 2, 3, 4, 5, 6}); // they end the file
        QCOMPARE(valueOf(file), 1);
    }

    void coloursBecomePlanes() {
        test::writeFile(m_path, mha("ElementNumberOfChannels = 3\nDimSize = 2 1\n"
                                    "ElementType = MET_UCHAR\n",
                                    {1, 2, 3, 4, 5, 6}));
        const io::LoadedImage loaded = io::readImage(m_path);
        QCOMPARE(loaded.info.components, 3);
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[1]), {1, 0, 0}), 5.0);
    }

    void sentencesAreShortLinesWhateverTheHeaderHolds() {
        const std::string junk = "2 \x01\x02" + std::string(100000, 'x');
        for (const char* key :
             {"NDims = ", "DimSize = ", "ElementType = ", "ElementSpacing = ", "Offset = ",
              "TransformMatrix = ", "HeaderSize = ", "ElementNumberOfChannels = "}) {
            // A later field replaces an earlier one.
            test::writeFile(m_path, mha("DimSize = 2 1\nElementType = MET_UCHAR\n" +
                                            std::string(key) + junk + "\n",
                                        {1, 2}));
            const auto error = test::errorOf([&] { (void)io::readImage(m_path); });
            QVERIFY2(error && error->code() == base::ErrorCode::Input, key);
            const std::string sentence = error->what();
            QVERIFY2(sentence.size() < 300 && sentence.find('\x01') == std::string::npos, key);
        }
    }

    void linesOfOtherSystemsRead() {
        test::writeFile(m_path, std::string("NDims = 2\r\nDimSize = 2 2\r\n"
                                            "ElementType = MET_UCHAR\r\n"
                                            "ElementDataFile = LOCAL\r\nabcd"));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(m_path).components[0]), {1, 1, 0}),
                 static_cast<double>('d'));
    }

    void aSpacingWithoutUnitIsTakenForMillimetresAndCalledMissing() {
        test::writeFile(m_path, mha("DimSize = 2 1\nElementSpacing = 0.5 0.5\n"
                                    "ElementType = MET_UCHAR\n",
                                    {1, 2}));
        const base::Geometry grid = io::readImageInfo(m_path).geometry;
        QCOMPARE(grid.unit, std::string("mm"));
        QVERIFY(grid.unitSource == base::UnitSource::Missing);
    }

    void theListsOfExtensionsHoldIt() {
        const auto& readable = io::readableExtensions();
        const auto& writable = io::writableExtensions();
        QVERIFY(std::find(readable.begin(), readable.end(), "mha") != readable.end());
        QVERIFY(std::find(writable.begin(), writable.end(), "mha") != writable.end());
        QVERIFY(!io::imageLibraryVersion().empty());
    }
};

const flcc::test::TestClass<MhaFileTest> kMhaFileTest;
#include "mha_file_test.moc"
