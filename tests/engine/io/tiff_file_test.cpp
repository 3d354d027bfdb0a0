#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

constexpr std::uint32_t kWidth = 5;
constexpr std::uint32_t kHeight = 3;

/// 8-bit pages; all voxels of page p hold p, but the first two: p + 100 and p + 200.
test::TiffRecipe numberedPages(int count) {
    test::TiffRecipe recipe;
    recipe.width = kWidth;
    recipe.height = kHeight;
    for (int page = 0; page < count; ++page) {
        test::Bytes bytes(kWidth * kHeight, static_cast<unsigned char>(page));
        bytes[0] = static_cast<unsigned char>(page + 100);
        bytes[1] = static_cast<unsigned char>(page + 200);
        recipe.pages.push_back(bytes);
    }
    return recipe;
}

/// The numbers of the pages that became the slices.
std::vector<int> slicesOf(const io::LoadedImage& loaded) {
    const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components.at(0));
    std::vector<int> numbers;
    for (std::int64_t z = 0; z < image.extents().z; ++z) {
        numbers.push_back(image.view().at(kWidth - 1, kHeight - 1, z));
    }
    return numbers;
}

/// Bytes that this process has read from files so far.
std::int64_t bytesRead() {
    std::ifstream in("/proc/self/io");
    std::string key;
    std::int64_t bytes = -1;
    in >> key >> bytes;
    return key == "rchar:" ? bytes : -1;
}

io::ReadOptions choose(std::optional<int> channel, std::optional<int> frame) {
    io::ReadOptions options;
    options.channel = channel;
    options.frame = frame;
    return options;
}

} // namespace

class TiffFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    void write(const test::TiffRecipe& recipe) { test::writeFile(m_path, test::makeTiff(recipe)); }

  private Q_SLOTS:
    void aDescriptionOfAThousandMillionPagesCostsNothing() {
        test::TiffRecipe recipe = numberedPages(1);
        recipe.description = "ImageJ=1.53t\nimages=1000000000\nslices=1000\nframes=1000000\n";
        write(recipe);
        QElapsedTimer timer;
        timer.start();
        for (const bool whole : {false, true}) {
            const auto error = test::errorOf([&] {
                whole ? (void)io::readImage(m_path, choose({}, 5))
                      : (void)io::readImageInfo(m_path);
            });
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    }

    void aLongStackIsReadInTheTimeOfItsPages() {
        const auto timeOf = [&](int pages) {
            write(numberedPages(pages));
            QElapsedTimer timer;
            timer.start();
            const std::vector<int> slices = slicesOf(io::readImage(m_path));
            const qint64 took = timer.nsecsElapsed();
            for (int page = 0; page < pages; ++page) {
                if (slices[static_cast<std::size_t>(page)] != page % 256) {
                    return qint64{-1};
                }
            }
            return took;
        };
        (void)timeOf(10);
        const qint64 few = timeOf(1000);
        const qint64 many = timeOf(8000);
        QVERIFY(few > 0 && many > 0);
        // Walking from the first page each time makes it 64 times.
        QVERIFY2(many < 32 * few, qPrintable(QString("%1 against %2 ns").arg(many).arg(few)));
    }

    void initTestCase() {
        m_path = std::filesystem::path(m_folder.path().toStdString()) / "stack.tif";
    }

    void everySampleTypeOrderAndSizeOfOffsetsReads_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("turned");
        QTest::addColumn<bool>("big");
        for (int type = 0; type < 10; ++type) {
            for (const bool turned : {false, true}) {
                for (const bool big : {false, true}) {
                    QTest::addRow("%d %d %d", type, turned, big) << type << turned << big;
                }
            }
        }
    }
    void everySampleTypeOrderAndSizeOfOffsetsReads() {
        QFETCH(int, type);
        QFETCH(bool, turned);
        QFETCH(bool, big);
        const auto pixel = static_cast<PixelType>(type);
        const auto image = test::patternImage(pixel, {kWidth, kHeight, 1});
        test::TiffRecipe recipe;
        recipe.width = kWidth;
        recipe.height = kHeight;
        recipe.bits = static_cast<std::uint16_t>(8 * base::bytesPerVoxel(pixel));
        recipe.sampleFormat = !base::isInteger(pixel) ? 3 : base::name(pixel)[0] == 'u' ? 1 : 2;
        recipe.pages = {test::voxelBytes(image)};
        recipe.turned = turned;
        recipe.big = big;
        write(recipe);
        const io::LoadedImage loaded = io::readImage(m_path);
        QVERIFY(test::sameBits(loaded.components.front(), image));
        // Dots per inch or none: no spacing.
        QVERIFY(loaded.info.geometry == base::Geometry{});
    }

    void pagesWithoutDescriptionAreSlices() {
        write(numberedPages(4));
        const io::LoadedImage loaded = io::readImage(m_path);
        QVERIFY((loaded.info.extents == base::Extents{kWidth, kHeight, 4}));
        QCOMPARE(slicesOf(loaded), (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(std::get<base::Image<std::uint8_t>>(loaded.components[0]).view().at(1, 0, 2),
                 std::uint8_t{202});
    }

    void dotsPerInchAreNoSpacing() {
        test::TiffRecipe recipe = numberedPages(1);
        recipe.pixelsPer1000 = 300000;
        write(recipe);
        QVERIFY(io::readImageInfo(m_path).geometry == base::Geometry{});
    }

    void imageJHyperstacksAskForChannelAndFrame() {
        test::TiffRecipe recipe = numberedPages(12);
        recipe.description = "ImageJ=1.53c\nimages=12\nchannels=2\nslices=3\nframes=2\n"
                             "hyperstack=true\nmode=composite\nunit=micron\nspacing=2.5\n";
        recipe.pixelsPer1000 = 4000; // 4 pixels on a micron
        write(recipe);
        const io::ImageInfo info = io::readImageInfo(m_path);
        QCOMPARE(info.channels, 2);
        QCOMPARE(info.frames, 2);
        QVERIFY((info.extents == base::Extents{kWidth, kHeight, 3}));
        QCOMPARE(info.geometry.unit, std::string("um"));
        QCOMPARE(info.geometry.spacing, (base::Point{0.25, 0.25, 2.5}));
        for (const auto& options : {choose({}, {}), choose(0, {}), choose({}, 1)}) {
            const auto error = test::errorOf([&] { (void)io::readImage(m_path, options); });
            QVERIFY(error && error->code() == ErrorCode::Problem);
            QVERIFY(std::string(error->what()).find("holds 2") != std::string::npos);
        }
        // Channels are fastest, then slices, then frames.
        QCOMPARE(slicesOf(io::readImage(m_path, choose(0, 0))), (std::vector<int>{0, 2, 4}));
        QCOMPARE(slicesOf(io::readImage(m_path, choose(1, 0))), (std::vector<int>{1, 3, 5}));
        QCOMPARE(slicesOf(io::readImage(m_path, choose(1, 1))), (std::vector<int>{7, 9, 11}));
        const auto error = test::errorOf([&] { (void)io::readImage(m_path, choose(2, 0)); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
    }

    void imageJPixelUnitsAreNoSpacing() {
        test::TiffRecipe recipe = numberedPages(2);
        recipe.description = "ImageJ=1.53c\nimages=2\nslices=2\nunit=pixel\n";
        recipe.pixelsPer1000 = 4000;
        write(recipe);
        QVERIFY(io::readImageInfo(m_path).geometry == base::Geometry{});
    }

    void imageJStacksBeyondFourGigabytesHaveOneDirectory() {
        // As ImageJ writes them: one directory, the other pages behind the pixels of the first.
        for (const bool turned : {false, true}) {
            const auto image = test::patternImage(PixelType::UInt16, {kWidth, kHeight, 3});
            test::TiffRecipe recipe;
            recipe.width = kWidth;
            recipe.height = kHeight;
            recipe.bits = 16;
            recipe.description = "ImageJ=1.53c\nimages=3\nslices=3\n";
            recipe.turned = turned;
            const test::Bytes all = test::voxelBytes(image);
            recipe.pages = {test::Bytes(all.begin(), all.begin() + 2 * kWidth * kHeight)};
            test::Bytes file = test::makeTiff(recipe);
            // Put the pixels at the end and let the strip begin there.
            const auto end = static_cast<std::uint32_t>(file.size());
            test::ByteWriter offset(turned);
            offset.put(std::uint16_t{273}).put(std::uint16_t{4}).put(std::uint32_t{1});
            const auto at =
                std::search(file.begin(), file.end(), offset.bytes.begin(), offset.bytes.end());
            QVERIFY(at != file.end());
            test::ByteWriter value(turned);
            value.put(end);
            std::copy(value.bytes.begin(), value.bytes.end(), at + 8);
            const test::Bytes tail = turned ? test::swapped(all, 2) : all;
            file.insert(file.end(), tail.begin(), tail.end());
            test::writeFile(m_path, file);
            QVERIFY(test::sameBits(io::readImage(m_path).components.front(), image));
            file.pop_back();
            test::writeFile(m_path, file);
            const auto error = test::errorOf([&] { (void)io::readImage(m_path); });
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
    }

    void omeOrdersPagesByItsDimensionOrder() {
        test::TiffRecipe recipe = numberedPages(12);
        recipe.description =
            "<?xml version=\"1.0\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME\">"
            "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZTC\" SizeX=\"5\" "
            "SizeY=\"3\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"2\" Type=\"uint8\" PhysicalSizeX=\"0.5\" "
            "PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"1500\" PhysicalSizeZUnit=\"nm\">"
            "<Channel ID=\"Channel:0:0\" SamplesPerPixel=\"1\"/><Channel ID=\"Channel:0:1\" "
            "SamplesPerPixel=\"1\"/><TiffData/></Pixels></Image></OME>";
        write(recipe);
        const io::ImageInfo info = io::readImageInfo(m_path);
        QCOMPARE(info.channels, 2);
        QCOMPARE(info.frames, 2);
        QCOMPARE(info.geometry.unit, std::string("um"));
        QCOMPARE(info.geometry.spacing[0], 0.5);
        QVERIFY(std::abs(info.geometry.spacing[2] - 1.5) < 1e-12);
        QCOMPARE(slicesOf(io::readImage(m_path, choose(0, 1))), (std::vector<int>{3, 4, 5}));
        QCOMPARE(slicesOf(io::readImage(m_path, choose(1, 0))), (std::vector<int>{6, 7, 8}));
    }

    void omePlanesLieWhereTiffDataSays() {
        test::TiffRecipe recipe = numberedPages(2);
        recipe.description =
            "<OME><Image><Pixels DimensionOrder=\"XYZCT\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\">"
            "<TiffData FirstZ=\"0\" IFD=\"1\" PlaneCount=\"1\"/>"
            "<TiffData FirstZ=\"1\" IFD=\"0\" PlaneCount=\"1\"/></Pixels></Image></OME>";
        write(recipe);
        QCOMPARE(slicesOf(io::readImage(m_path)), (std::vector<int>{1, 0}));
    }

    void aDescriptionThatContradictsThePagesIsRefused_data() {
        QTest::addColumn<QString>("description");
        QTest::newRow("no number") << "ImageJ=1.53c\nimages=3\nchannels=x\nslices=3\n";
        QTest::newRow("zero") << "ImageJ=1.53c\nimages=3\nchannels=0\nslices=3\n";
        QTest::newRow("no XML") << "<OME><Pixels DimensionOrder=\"XYZCT\" SizeZ=\"3\"></OME>";
        QTest::newRow("no image") << "<OME/>";
        QTest::newRow("another file without a name") << "<OME><BinaryOnly/></OME>";
        QTest::newRow("planes that are none")
            << "<OME><Pixels DimensionOrder=\"XYZCT\" SizeZ=\"3\"><TiffData FirstZ=\"3\"/></Pixels>"
               "</OME>";
        QTest::newRow("unknown order")
            << "<OME><Pixels DimensionOrder=\"XYABC\" SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\"/></OME>";
        QTest::newRow("two images") << "<OME><Pixels SizeZ=\"3\"/><Pixels SizeZ=\"3\"/></OME>";
    }
    void aDescriptionThatContradictsThePagesIsRefused() {
        QFETCH(QString, description);
        test::TiffRecipe recipe = numberedPages(3);
        recipe.description = description.toStdString();
        write(recipe);
        const auto error = test::errorOf([&] { (void)io::readImage(m_path); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void coloursAreKeptAsPlanes() {
        test::TiffRecipe recipe;
        recipe.width = 2;
        recipe.height = 1;
        recipe.samples = 3;
        recipe.photometric = 2;
        recipe.pages = {{10, 20, 30, 40, 50, 60}};
        write(recipe);
        const io::LoadedImage loaded = io::readImage(m_path);
        QCOMPARE(loaded.info.components, 3);
        for (std::size_t plane = 0; plane < 3; ++plane) {
            const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components[plane]);
            QCOMPARE(int{image.data()[0]}, static_cast<int>(10 + 10 * plane));
            QCOMPARE(int{image.data()[1]}, static_cast<int>(40 + 10 * plane));
        }
    }

    void palettesAreTurnedIntoColours() {
        test::TiffRecipe recipe;
        recipe.width = 2;
        recipe.height = 1;
        recipe.photometric = 3;
        recipe.pages = {{1, 255}};
        test::ByteWriter palette;
        for (unsigned entry = 0; entry < 768; ++entry) {
            palette.put(static_cast<std::uint16_t>(entry * 85));
        }
        recipe.palette = palette.bytes;
        write(recipe);
        const io::LoadedImage loaded = io::readImage(m_path);
        QCOMPARE(loaded.info.components, 3);
        const auto& green = std::get<base::Image<std::uint8_t>>(loaded.components[1]);
        QCOMPARE(int{green.data()[0]}, ((256 + 1) * 85 & 0xffff) >> 8);
        QCOMPARE(int{green.data()[1]}, ((256 + 255) * 85 & 0xffff) >> 8);
    }

    void fewBitsAreUnpackedAndWhiteIsBright() {
        test::TiffRecipe recipe;
        recipe.width = 10;
        recipe.height = 2;
        recipe.bits = 1;
        recipe.photometric = 0; // white is zero
        recipe.pages = {{0x80, 0x40, 0xff, 0xc0}};
        write(recipe);
        const io::LoadedImage loaded = io::readImage(m_path);
        const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components[0]);
        for (std::int64_t x = 0; x < 10; ++x) {
            QCOMPARE(int{image.view().at(x, 0, 0)}, x == 0 || x == 9 ? 0 : 1);
            QCOMPARE(int{image.view().at(x, 1, 0)}, 0);
        }
    }

    void severalSamplesThatAreNoColourAreChannels() {
        test::TiffRecipe recipe;
        recipe.width = 2;
        recipe.height = 1;
        recipe.samples = 5;
        recipe.pages = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
        write(recipe);
        QCOMPARE(io::readImageInfo(m_path).channels, 5);
        const io::LoadedImage loaded = io::readImage(m_path, choose(3, {}));
        const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components[0]);
        QCOMPARE(int{image.data()[0]}, 4);
        QCOMPARE(int{image.data()[1]}, 9);
    }

    void verifyingReadsTheFileOnce() {
        test::TiffRecipe recipe;
        recipe.width = 64;
        recipe.height = 48;
        recipe.samples = 200;
        recipe.pages = {test::Bytes(std::size_t{64} * 48 * 200, 7)};
        write(recipe);
        const std::int64_t before = bytesRead();
        const io::ImageInfo info = io::verifyImage(m_path);
        const std::int64_t read = bytesRead() - before;
        QVERIFY(info.complete);
        QCOMPARE(info.channels, 200);
        const auto size = static_cast<std::int64_t>(std::filesystem::file_size(m_path));
        QVERIFY2(size < read && read < 3 * size, qPrintable(QString::number(read)));
    }

    void everyChannelThatHasPagesIsVerified() {
        test::TiffRecipe recipe;
        recipe.width = 256;
        recipe.height = 256;
        recipe.pages.assign(4, test::Bytes(std::size_t{256} * 256, 7));
        recipe.description = "ImageJ=1.53\nimages=4\nchannels=2\nslices=2\n";
        write(recipe);
        const std::int64_t before = bytesRead();
        QCOMPARE(io::verifyImage(m_path).channels, 2);
        QVERIFY(bytesRead() - before > 4 * 256 * 256);
    }

    void volumesOfManyPagesRoundTrip() {
        const auto image = test::patternImage(PixelType::UInt16, {64, 300, 9});
        (void)io::writeImage(m_path, base::viewOf(image), {});
        QVERIFY(test::sameBits(io::readImage(m_path).components.front(), image));
    }
};

const flcc::test::TestClass<TiffFileTest> kTiffFileTest;
#include "tiff_file_test.moc"
