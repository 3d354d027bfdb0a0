#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

template <class T> T get(const test::Bytes& file, std::size_t at) {
    T value{};
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(at), sizeof(T),
                reinterpret_cast<unsigned char*>(&value));
    return value;
}

test::Bytes plain(int mode = 2, std::size_t width = 4) {
    return test::makeMrc(mode, {4, 3, 2}, {8, 9, 10}, test::Bytes(24 * width));
}

} // namespace

class MrcFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    io::ImageInfo infoOf(const test::Bytes& file) const {
        test::writeFile(at("i.mrc"), file);
        return io::readImageInfo(at("i.mrc"));
    }
    std::optional<base::Error> refusal(const test::Bytes& file) const {
        test::writeFile(at("r.mrc"), file);
        return test::errorOf([&] { (void)io::readImage(at("r.mrc")); });
    }

  private Q_SLOTS:
    void theCellGivesTheSpacing() {
        test::Bytes file = plain();
        test::put(file, 28, std::int32_t{8}); // intervals of the first axis
        test::put(file, 196, 1.5F);
        test::put(file, 200, -2.25F);
        test::put(file, 204, 1e5F);
        const base::Geometry grid = infoOf(file).geometry;
        QCOMPARE(grid.spacing, (base::Point{1, 3, 5}));
        QCOMPARE(grid.origin, (base::Point{1.5, -2.25, 1e5}));
        QCOMPARE(grid.unit, std::string("A"));
        QVERIFY(infoOf(file).complete);
    }

    void withoutACellThereIsNoUnit() {
        const io::ImageInfo info =
            infoOf(test::makeMrc(2, {4, 3, 2}, {0, 0, 0}, test::Bytes(24 * 4)));
        QVERIFY(info.geometry == base::Geometry{});
    }

    void oldFilesHaveNoStamp() {
        for (const bool turned : {false, true}) {
            const auto image = test::patternImage(PixelType::Int16, {4, 3, 2});
            test::Bytes file =
                test::makeMrc(1, {4, 3, 2}, {8, 9, 10}, test::voxelBytes(image), turned);
            std::fill_n(file.begin() + 208, 8, static_cast<unsigned char>(0));
            test::writeFile(at("o.mrc"), file);
            QVERIFY(test::sameBits(io::readImage(at("o.mrc")).components[0], image));
        }
    }

    void imodSaysWhetherBytesAreSigned() {
        test::Bytes file = plain(0, 1);
        test::put(file, 152, std::int32_t{1146047817});
        QVERIFY(infoOf(file).pixel == PixelType::UInt8);
        test::put(file, 156, std::int32_t{1});
        QVERIFY(infoOf(file).pixel == PixelType::Int8);
        test::put(file, 156, std::int32_t{8});
        test::put(file, 76, -5.0F); // lowest value
        test::put(file, 80, 9.0F);
        QVERIFY(infoOf(file).pixel == PixelType::Int8);
    }

    void theVoxelsFollowTheExtendedHeader() {
        const auto image = test::patternImage(PixelType::Float32, {4, 3, 2});
        for (const std::size_t extension : {80U, 1024U, 131072U}) {
            test::Bytes file = test::makeMrc(2, {4, 3, 2}, {8, 9, 10}, {});
            test::put(file, 92, static_cast<std::int32_t>(extension));
            file.resize(1024 + extension, 0xab);
            const test::Bytes voxels = test::voxelBytes(image);
            file.insert(file.end(), voxels.begin(), voxels.end());
            test::writeFile(at("e.mrc"), file);
            QVERIFY(test::sameBits(io::readImage(at("e.mrc")).components[0], image));
            file.pop_back();
            QVERIFY(refusal(file));
        }
    }

    void otherExtensionsRead() {
        for (const char* name : {"m.map", "m.rec", "m.st", "m.mrcs"}) {
            test::writeFile(at(name), plain());
            QCOMPARE(io::readImageInfo(at(name)).format, std::string("MRC"));
        }
    }

    void everyBeginningOfAFileIsRefused() {
        const test::Bytes whole = plain();
        for (std::size_t length = 1; length < whole.size(); ++length) {
            const auto error = refusal(
                test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
            QVERIFY(error && error->code() == ErrorCode::Input);
        }
    }

    void lyingHeadersAreRefused_data() {
        QTest::addColumn<int>("byte");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("word");
        const auto bytes = [](auto value) {
            return QByteArray(reinterpret_cast<const char*>(&value), sizeof(value));
        };
        QTest::newRow("zero extent") << 0 << bytes(std::int32_t{0}) << "axis of 0";
        QTest::newRow("negative extent") << 4 << bytes(std::int32_t{-3}) << "axis of -3";
        QTest::newRow("2^31-1") << 8 << bytes(std::int32_t{INT32_MAX}) << "truncated";
        const std::array<std::int32_t, 3> huge{INT32_MAX, INT32_MAX, INT32_MAX};
        QTest::newRow("2^31-1 cubed") << 0 << bytes(huge) << "2147483647";
        for (const int mode : {3, 4, 5, 7, 17, 102, -1}) {
            QTest::addRow("mode %d", mode)
                << 12 << bytes(std::int32_t{mode}) << QString("mode %1 cannot").arg(mode);
        }
        QTest::newRow("NaN cell") << 40 << bytes(std::nanf("")) << "spacing of nan";
        QTest::newRow("infinite cell") << 48 << bytes(HUGE_VALF) << "spacing of inf";
        QTest::newRow("NaN origin") << 200 << bytes(std::nanf("")) << "not a number";
        QTest::newRow("axes") << 64 << bytes(std::int32_t{2}) << "axes 2, 2 and 3";
        QTest::newRow("extension") << 92 << bytes(std::int32_t{-80}) << "-80";
        QTest::newRow("long extension") << 92 << bytes(std::int32_t{INT32_MAX}) << "truncated";
        QTest::newRow("axis missing") << 64 << bytes(std::int32_t{0}) << "axes 0, 2 and 3";
        QTest::newRow("axis 4") << 72 << bytes(std::int32_t{4}) << "axes 1, 2 and 4";
        const std::array<std::int32_t, 4> stack{401, 0, 0, 0};
        QTest::newRow("stack of volumes that does not divide")
            << 88 << bytes(stack) << "2 sections";
    }
    void lyingHeadersAreRefused() {
        QFETCH(int, byte);
        QFETCH(QByteArray, value);
        QFETCH(QString, word);
        test::Bytes file = plain();
        QVERIFY(!refusal(file));
        std::copy(value.begin(), value.end(), file.begin() + byte);
        test::put(file, 36, std::int32_t{byte == 88 ? 3 : 2}); // sections of a volume
        const auto error = refusal(file);
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY2(QString::fromStdString(error->what()).contains(word), error->what());
    }

    void whatIsWrittenReadsBack_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("mode");
        QTest::newRow("int8") << static_cast<int>(PixelType::Int8) << 0;
        QTest::newRow("int16") << static_cast<int>(PixelType::Int16) << 1;
        QTest::newRow("uint16") << static_cast<int>(PixelType::UInt16) << 6;
        QTest::newRow("float32") << static_cast<int>(PixelType::Float32) << 2;
    }
    void whatIsWrittenReadsBack() {
        QFETCH(int, type);
        QFETCH(int, mode);
        for (const base::Extents extents : {base::Extents{5, 4, 3}, base::Extents{31, 17, 1}}) {
            const auto image = test::patternImage(static_cast<PixelType>(type), extents);
            base::Geometry grid;
            grid.spacing = {1.25, 0.7, 3};
            grid.origin = {10, -20.5, 1e-3};
            grid.unit = "A";
            QVERIFY(io::writeImage(at("w.mrc"), base::viewOf(image), grid)->empty());
            const io::LoadedImage loaded = io::readImage(at("w.mrc"));
            QVERIFY(test::sameBits(loaded.components[0], image));
            for (std::size_t axis = 0; axis < 3; ++axis) {
                QVERIFY(std::abs(loaded.info.geometry.spacing[axis] / grid.spacing[axis] - 1) <
                        2e-7);
                QVERIFY(std::abs(loaded.info.geometry.origin[axis] - grid.origin[axis]) < 1e-6);
            }
            QCOMPARE(loaded.info.geometry.unit, std::string("A"));
            const test::Bytes bytes = test::readFile(at("w.mrc"));
            QCOMPARE(get<std::int32_t>(bytes, 12), mode);
            QCOMPARE(get<std::int32_t>(bytes, 108), 20140);
            QCOMPARE(get<std::int32_t>(bytes, 88), extents.z == 1 ? 0 : 1);
            QVERIFY(get<float>(bytes, 80) < get<float>(bytes, 76)); // not determined
            QCOMPARE(std::string(bytes.begin() + 208, bytes.begin() + 212), std::string("MAP "));
        }
    }

    void aPartOfBytesIsWrittenAsShorts() {
        const auto image = test::patternImage(PixelType::UInt8, {40, 30, 2});
        const auto part = base::partOf(base::viewOf(image), {{5, 6, 0}, {11, 9, 2}});
        const auto said = io::writeImage(at("b.mrc"), part, {});
        QCOMPARE(said->size(), std::size_t{1});
        const io::LoadedImage loaded = io::readImage(at("b.mrc"));
        QVERIFY(loaded.info.pixel == PixelType::UInt16);
        for (std::int64_t z = 0; z < 2; ++z) {
            for (std::int64_t y = 0; y < 9; ++y) {
                for (std::int64_t x = 0; x < 11; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {x, y, z}),
                             base::valueAt(part, {x, y, z}));
                }
            }
        }
    }

    void whatMrcCannotHoldIsRefusedOrSaid() {
        for (const PixelType type : {PixelType::Float64, PixelType::Int64, PixelType::UInt64,
                                     PixelType::Int32, PixelType::UInt32}) {
            const auto error = test::errorOf([&] {
                io::requireWritable("a.mrc", type, {5, 5, 5});
            });
            QVERIFY(error && error->code() == ErrorCode::CommandLine);
            io::requireWritable("a.nii", type, {5, 5, 5});
        }
        const auto image = test::patternImage(PixelType::Float32, {5, 4, 3});
        base::Geometry grid;
        grid.unit = "mm";
        grid.spacing = {0.5, 0.5, 2};
        grid.direction = {0, -1, 0, 1, 0, 0, 0, 0, 1};
        // The unit, the direction and the text.
        QCOMPARE(io::writeImage(at("d.mrc"), base::viewOf(image), grid, {{"a", "b"}})->size(),
                 std::size_t{3});
        QVERIFY(std::abs(io::readImageInfo(at("d.mrc")).geometry.spacing[2] / 2e7 - 1) < 1e-6);
        // A grid without a unit stays without one.
        QVERIFY(io::writeImage(at("d.mrc"), base::viewOf(image), {})->empty());
        QVERIFY(io::readImageInfo(at("d.mrc")).geometry == base::Geometry{});
    }
};

const flcc::test::TestClass<MrcFileTest> kMrcFileTest;
#include "mrc_file_test.moc"
