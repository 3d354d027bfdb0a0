#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/io/image_file.h"
#include "engine/io/stack_reader.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

namespace {

/// The value at x, y, z: other in every voxel.
std::int16_t valueOf(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::int16_t>(100 * x + 10 * y + z - 123);
}

/// Bytes as ImageJ or SerialEM would write a smooth picture, from dark to bright.
test::Bytes ramp(std::size_t count, int first, int step) {
    test::Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<unsigned char>(first + step * static_cast<int>(i));
    }
    return bytes;
}

} // namespace

/// MRC files as programs write them.
class MrcKindsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    io::LoadedImage read(const test::Bytes& file, const io::ReadOptions& options = {}) const {
        test::writeFile(at("k.mrc"), file);
        return io::readImage(at("k.mrc"), options);
    }

    /// 5 x 4 x 3 voxels (x, y, z) whose columns, rows and sections run along `axes` (1, 2, 3).
    static test::Bytes withAxes(const std::array<int, 3>& axes, bool turned) {
        constexpr std::array<std::int64_t, 3> kExtents{5, 4, 3};
        const auto length = [&](std::size_t i) {
            return kExtents[static_cast<std::size_t>(axes[i] - 1)];
        };
        test::ByteWriter voxels;
        std::array<std::int64_t, 3> place{};
        for (std::int64_t section = 0; section < length(2); ++section) {
            for (std::int64_t row = 0; row < length(1); ++row) {
                for (std::int64_t column = 0; column < length(0); ++column) {
                    place[static_cast<std::size_t>(axes[0] - 1)] = column;
                    place[static_cast<std::size_t>(axes[1] - 1)] = row;
                    place[static_cast<std::size_t>(axes[2] - 1)] = section;
                    voxels.put(valueOf(place[0], place[1], place[2]));
                }
            }
        }
        test::Bytes file = test::makeMrc(1, {length(0), length(1), length(2)}, {7.5, 10, 12},
                                         voxels.bytes, turned);
        for (std::size_t i = 0; i < 3; ++i) {
            test::put(file, 28 + 4 * i, static_cast<std::int32_t>(kExtents[i]), turned);
            test::put(file, 64 + 4 * i, std::int32_t{axes[i]}, turned);
            test::put(file, 16 + 4 * i, static_cast<std::int32_t>(10 * axes[i]), turned); // start
        }
        return file;
    }

    static void compare(const base::AnyImage& image) {
        QVERIFY((base::extentsOf(image) == base::Extents{5, 4, 3}));
        for (std::int64_t z = 0; z < 3; ++z) {
            for (std::int64_t y = 0; y < 4; ++y) {
                for (std::int64_t x = 0; x < 5; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(image), {x, y, z}),
                             static_cast<double>(valueOf(x, y, z)));
                }
            }
        }
    }

  private Q_SLOTS:
    void everyOrderOfAxesIsBroughtToXyz_data() {
        QTest::addColumn<QList<int>>("axes");
        QTest::addColumn<bool>("turned");
        QList<int> axes{1, 2, 3};
        do {
            for (const bool turned : {false, true}) {
                QTest::addRow("%d%d%d %d", axes[0], axes[1], axes[2], int{turned})
                    << axes << turned;
            }
        } while (std::next_permutation(axes.begin(), axes.end()));
    }
    void everyOrderOfAxesIsBroughtToXyz() {
        QFETCH(QList<int>, axes);
        QFETCH(bool, turned);
        const std::array<int, 3> order{axes[0], axes[1], axes[2]};
        const test::Bytes file = withAxes(order, turned);
        const io::LoadedImage loaded = read(file);
        compare(loaded.components.front());
        QCOMPARE(loaded.info.geometry.spacing, (base::Point{1.5, 2.5, 4}));
        // Start: 10 voxels along x, 20 along y, 30 along z.
        QCOMPARE(loaded.info.geometry.origin, (base::Point{15, 50, 120}));
        QVERIFY(test::holds(loaded.info.notes, "NXSTART"));
        QCOMPARE(test::holds(loaded.info.notes, "order x, y, z"), axes != QList<int>({1, 2, 3}));
        test::writeFile(at("k.mrc.gz"), test::gzip(file));
        compare(io::readImage(at("k.mrc.gz")).components.front());
        // Slice by slice, as a stack is read.
        for (const char* name : {"k.mrc", "k.mrc.gz"}) {
            io::StackReader stack(at(name));
            QCOMPARE(stack.count(), 3);
            for (int z = 0; z < 3; ++z) {
                const io::LoadedImage slice = stack.read(z);
                QCOMPARE(base::valueAt(base::viewOf(slice.components.front()), {4, 3, 0}),
                         static_cast<double>(valueOf(4, 3, z)));
            }
        }
    }

    void axesOfZeroAreXyz() {
        test::Bytes file = withAxes({1, 2, 3}, false);
        std::fill_n(file.begin() + 64, 12, static_cast<unsigned char>(0));
        const io::LoadedImage loaded = read(file);
        compare(loaded.components.front());
        QVERIFY(test::holds(loaded.info.notes, "does not say which axes"));
    }

    void theOriginCountsBeforeTheStart() {
        test::Bytes file = withAxes({2, 3, 1}, false);
        test::put(file, 200, 7.5F);
        const io::LoadedImage loaded = read(file);
        QCOMPARE(loaded.info.geometry.origin, (base::Point{0, 7.5, 0}));
        QVERIFY(test::holds(loaded.info.notes, "ORIGIN was taken"));
        // Both say the same: nothing is assumed.
        test::put(file, 196, 15.0F);
        test::put(file, 200, 50.0F);
        test::put(file, 204, 120.0F);
        QVERIFY(!test::holds(read(file).info.notes, "ORIGIN"));
    }

    void bytesAreSignedByTheExtremesOfTheHeader_data() {
        QTest::addColumn<float>("lowest");
        QTest::addColumn<float>("highest");
        QTest::addColumn<bool>("withSign");
        QTest::newRow("0 to 255") << 0.0F << 255.0F << false;
        QTest::newRow("130 to 200") << 130.0F << 200.0F << false;
        QTest::newRow("0 to 128") << 0.0F << 128.0F << false;
        QTest::newRow("-128 to 127") << -128.0F << 127.0F << true;
        QTest::newRow("-3 to -1") << -3.0F << -1.0F << true;
        QTest::newRow("0 to 100: both are the same") << 0.0F << 100.0F << true;
    }
    void bytesAreSignedByTheExtremesOfTheHeader() {
        QFETCH(float, lowest);
        QFETCH(float, highest);
        QFETCH(bool, withSign);
        for (const bool turned : {false, true}) {
            test::Bytes file = test::makeMrc(0, {8, 4, 2}, {8, 4, 2}, ramp(64, 0, 4), turned);
            test::put(file, 76, lowest, turned);
            test::put(file, 80, highest, turned);
            const io::LoadedImage loaded = read(file);
            QVERIFY(loaded.info.pixel == (withSign ? PixelType::Int8 : PixelType::UInt8));
            QVERIFY(test::holds(loaded.info.notes, withSign ? "as signed" : "as unsigned"));
        }
    }

    void bytesWithoutExtremesAreSignedByTheirValues_data() {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("withSign");
        QTest::newRow("smooth from 0 to 252") << 0 << 4 << false;
        QTest::newRow("smooth from -128 to 124") << -128 << 4 << true;
        QTest::newRow("without order") << 0 << 101 << true;
        QTest::newRow("all 0") << 0 << 0 << true;
    }
    void bytesWithoutExtremesAreSignedByTheirValues() {
        QFETCH(int, first);
        QFETCH(int, step);
        QFETCH(bool, withSign);
        test::Bytes file = test::makeMrc(0, {8, 4, 2}, {8, 4, 2}, ramp(64, first, step));
        for (const auto& [lowest, highest] :
             {std::pair{0.0F, 0.0F}, std::pair{0.0F, -1.0F}, std::pair{std::nanf(""), 1.0F},
              std::pair{-1.0F, 200.0F}}) {
            test::put(file, 76, lowest);
            test::put(file, 80, highest);
            const io::LoadedImage loaded = read(file);
            QVERIFY(loaded.info.pixel == (withSign ? PixelType::Int8 : PixelType::UInt8));
            QVERIFY(test::holds(loaded.info.notes, withSign ? "as signed" : "as unsigned"));
            test::writeFile(at("k.map.gz"), test::gzip(file));
            QVERIFY(io::readImageInfo(at("k.map.gz")).pixel == loaded.info.pixel);
        }
        const double last = base::valueAt(base::viewOf(read(file).components.front()), {7, 3, 1});
        const int byte = (first + 63 * step) & 255;
        QCOMPARE(last, static_cast<double>(withSign && byte > 127 ? byte - 256 : byte));
    }

    void halvesAreReadExactly() {
        // Bits and values of binary16, among them its largest, a subnormal and the smallest normal.
        const std::array<std::pair<std::uint16_t, double>, 8> kHalves{
            {{0x3c00, 1.0},
             {0xc500, -5.0},
             {0x7bff, 65504.0},
             {0x0001, std::ldexp(1.0, -24)},
             {0x83ff, -1023 * std::ldexp(1.0, -24)},
             {0x0400, std::ldexp(1.0, -14)},
             {0x3555, 0.333251953125},
             {0x0000, 0.0}}};
        for (const bool turned : {false, true}) {
            test::ByteWriter voxels;
            for (const auto& [bits, value] : kHalves) {
                voxels.put(bits);
            }
            const test::Bytes file = test::makeMrc(12, {4, 2, 1}, {4, 2, 1}, voxels.bytes, turned);
            const io::LoadedImage loaded = read(file);
            QVERIFY(loaded.info.pixel == PixelType::Float32);
            for (std::size_t i = 0; i < kHalves.size(); ++i) {
                const base::Index place{static_cast<std::int64_t>(i % 4),
                                        static_cast<std::int64_t>(i / 4), 0};
                QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), place),
                         kHalves[i].second);
            }
        }
        const std::array<std::uint16_t, 4> kNone{0x7c00, 0xfc00, 0x7e00, 0x7c01};
        test::ByteWriter voxels;
        for (const std::uint16_t bits : kNone) {
            voxels.put(bits);
        }
        const io::LoadedImage loaded = read(test::makeMrc(12, {4, 1, 1}, {4, 1, 1}, voxels.bytes));
        const auto view = base::viewOf(loaded.components[0]);
        QVERIFY(std::isinf(base::valueAt(view, {0, 0, 0})) && base::valueAt(view, {0, 0, 0}) > 0);
        QVERIFY(std::isinf(base::valueAt(view, {1, 0, 0})) && base::valueAt(view, {1, 0, 0}) < 0);
        QVERIFY(std::isnan(base::valueAt(view, {2, 0, 0})));
        QVERIFY(std::isnan(base::valueAt(view, {3, 0, 0})));
    }

    void fourBitsFillRowsToWholeBytes_data() {
        QTest::addColumn<int>("width");
        for (const int width : {1, 2, 5, 6, 301}) {
            QTest::addRow("%d columns", width) << width;
        }
    }
    void fourBitsFillRowsToWholeBytes() {
        QFETCH(int, width);
        constexpr int kRows = 3;
        constexpr int kSections = 2;
        const auto value = [](int x, int y, int z) { return (x + 5 * y + 7 * z) % 16; };
        test::Bytes voxels;
        for (int z = 0; z < kSections; ++z) {
            for (int y = 0; y < kRows; ++y) {
                for (int x = 0; x < width; x += 2) {
                    const int next = x + 1 < width ? value(x + 1, y, z) : 15;
                    voxels.push_back(static_cast<unsigned char>(value(x, y, z) + 16 * next));
                }
            }
        }
        test::Bytes file =
            test::makeMrc(101, {width, kRows, kSections}, {1.0 * width, kRows, kSections}, {});
        file.insert(file.end(), voxels.begin(), voxels.end());
        test::writeFile(at("n.mrc"), file);
        test::writeFile(at("n.mrc.gz"), test::gzip(file));
        for (const char* name : {"n.mrc", "n.mrc.gz"}) {
            const io::LoadedImage loaded = io::readImage(at(name));
            QVERIFY(loaded.info.pixel == PixelType::UInt8);
            for (int z = 0; z < kSections; ++z) {
                for (int y = 0; y < kRows; ++y) {
                    for (int x = 0; x < width; ++x) {
                        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {x, y, z}),
                                 static_cast<double>(value(x, y, z)));
                    }
                }
            }
            QVERIFY(io::verifyImage(at(name)).complete);
        }
        file.pop_back();
        QVERIFY(test::errorOf([&] { (void)read(file); }));
        // IMOD: two values in each byte of mode 0; the header gives the bytes of a row.
        if (width % 2 == 0) {
            test::Bytes bytes = test::makeMrc(0, {width / 2, kRows, kSections},
                                              {1.0 * width, kRows, kSections}, voxels);
            test::put(bytes, 152, std::int32_t{1146047817});
            test::put(bytes, 156, std::int32_t{16});
            const io::LoadedImage wide = read(bytes);
            QCOMPARE(wide.info.extents.x, std::int64_t{width});
            QCOMPARE(base::valueAt(base::viewOf(wide.components[0]), {width - 1, 2, 1}),
                     static_cast<double>(value(width - 1, 2, 1)));
        }
    }

    void coloursOfImodBecomePlanes() {
        const io::LoadedImage loaded =
            read(test::makeMrc(16, {2, 1, 1}, {2, 1, 1}, {1, 2, 3, 4, 5, 6}));
        QCOMPARE(loaded.info.components, 3);
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[2]), {1, 0, 0}), 6.0);
    }

    void looseStampsAreReadByModeAndExtents_data() {
        QTest::addColumn<QByteArray>("stamp");
        QTest::addColumn<QString>("word");
        QTest::newRow("68 32") << QByteArray("\x44\x20\0\0", 4) << "68 32";
        QTest::newRow("none") << QByteArray("\0\0\0\0", 4) << "no machine stamp";
        QTest::newRow("letters") << QByteArray("ABCD") << "65 66";
        QTest::newRow("17 34") << QByteArray("\x11\x22\0\0", 4) << "17 34";
        QTest::newRow("wrong") << QByteArray() << "is wrong";
    }
    void looseStampsAreReadByModeAndExtents() {
        QFETCH(QByteArray, stamp);
        QFETCH(QString, word);
        for (const bool turned : {false, true}) {
            test::Bytes file = withAxes({1, 2, 3}, turned);
            if (stamp.isEmpty()) {
                const unsigned char other = file[212] == 0x44 ? 0x11 : 0x44;
                file[212] = file[213] = other;
            } else {
                std::copy(stamp.begin(), stamp.end(), file.begin() + 212);
            }
            const io::LoadedImage loaded = read(file);
            compare(loaded.components.front());
            QVERIFY2(test::holds(loaded.info.notes, word.toStdString()), qPrintable(word));
        }
        // CCP4 writes 0x44 0x41: nothing is assumed.
        test::Bytes file = withAxes({1, 2, 3}, false);
        file[213] = 0x41;
        QVERIFY(!test::holds(read(file).info.notes, "stamp"));
    }

    void aMissingMapIsSaid() {
        test::Bytes file = withAxes({1, 2, 3}, false);
        std::copy_n("PAM ", 4, file.begin() + 208);
        for (const char* name : {"o.mrc", "o.map", "o.rec", "o.st", "o.ali", "o.mrcs"}) {
            test::writeFile(at(name), file);
            const io::LoadedImage loaded = io::readImage(at(name));
            compare(loaded.components.front());
            QVERIFY(test::holds(loaded.info.notes, "MAP is missing"));
        }
        // Something else behind the same name.
        test::put(file, 12, std::int32_t{77});
        for (const char* name : {"o.mrc", "o.map"}) {
            test::writeFile(at(name), file);
            const auto error = test::errorOf([&] { (void)io::readImage(at(name)); });
            QVERIFY(error && error->code() == base::ErrorCode::Input);
        }
    }

    void aMissingLengthIsNoSpacing() {
        const io::ImageInfo none =
            read(test::makeMrc(2, {4, 3, 2}, {0, 0, 0}, test::Bytes(96))).info;
        QVERIFY(none.geometry == base::Geometry{});
        QVERIFY(test::holds(none.notes, "spacing is unknown"));
        const io::ImageInfo part =
            read(test::makeMrc(2, {4, 3, 2}, {8, 9, 0}, test::Bytes(96))).info;
        QVERIFY(part.geometry == base::Geometry{});
        QVERIFY(test::holds(part.notes, "along z"));
        // Some write a negative length for one that they do not know.
        const io::ImageInfo negative =
            read(test::makeMrc(2, {4, 3, 2}, {-10, -10, -10}, test::Bytes(96))).info;
        QVERIFY(negative.geometry == base::Geometry{});
        QVERIFY(test::holds(negative.notes, "spacing is unknown"));
        // An image needs no length along z.
        const io::ImageInfo image =
            read(test::makeMrc(2, {4, 6, 1}, {8, 9, 0}, test::Bytes(96))).info;
        QCOMPARE(image.geometry.spacing, (base::Point{2, 1.5, 1}));
        QCOMPARE(image.geometry.unit, std::string("A"));
        test::Bytes file = test::makeMrc(2, {4, 3, 2}, {8, 9, 10}, test::Bytes(96));
        test::put(file, 28, std::int32_t{0});
        QCOMPARE(read(file).info.geometry.spacing, (base::Point{2, 3, 5}));
        QVERIFY(test::holds(read(file).info.notes, "no intervals along x"));
        test::put(file, 60, 120.0F); // an angle of the cell
        QVERIFY(test::holds(read(file).info.notes, "90, 90, 120"));
    }

    void stacksSayWhatTheyAreTakenAs() {
        const auto all = test::patternImage(PixelType::Int16, {5, 4, 6});
        test::Bytes file = test::makeMrc(1, {5, 4, 6}, {5, 4, 3}, test::voxelBytes(all));
        const io::LoadedImage images = read(file); // ISPG 0
        QVERIFY(test::sameBits(images.components.front(), all));
        QVERIFY(test::holds(images.info.notes, "stack of images (ISPG 0)"));
        test::put(file, 88, std::int32_t{1});
        QVERIFY(!test::holds(read(file).info.notes, "ISPG"));
        test::put(file, 88, std::int32_t{401});
        test::put(file, 36, std::int32_t{3});
        const io::LoadedImage second = read(file, {.frame = 1});
        QCOMPARE(second.info.frames, 2);
        QCOMPARE(second.info.geometry.spacing, (base::Point{1, 1, 1}));
        QVERIFY(test::holds(second.info.notes, "each of 2 volumes of 3 slices is a frame"));
        QCOMPARE(base::valueAt(base::viewOf(second.components[0]), {2, 1, 0}),
                 base::valueAt(base::viewOf(all), {2, 1, 3}));
    }
};

const flcc::test::TestClass<MrcKindsTest> kMrcKindsTest;
#include "mrc_kinds_test.moc"
