#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "engine/io/raw_volume.h"
#include "engine/io/stack_reader.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

class RawVolumeTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder.filePath(name).toStdString();
    }

  private Q_SLOTS:
    void aNameIsReadAndWrittenAgain() {
        const auto volume = io::rawVolumeOf("a/b:c.raw:64x32x7:int16:be:512");
        QVERIFY(volume);
        QVERIFY((*volume == io::RawVolume{"a/b:c.raw", {64, 32, 7}, PixelType::Int16, true, 512}));
        QCOMPARE(io::rawPath(*volume).string(), std::string("a/b:c.raw:64x32x7:int16:be:512"));
        QVERIFY((io::rawVolumeOf("x.raw:5x4:uint8") ==
                 io::RawVolume{"x.raw", {5, 4, 1}, PixelType::UInt8, false, 0}));
        QVERIFY((io::rawVolumeOf("x.raw:5x4:uint8:8") ==
                 io::RawVolume{"x.raw", {5, 4, 1}, PixelType::UInt8, false, 8}));
        QCOMPARE(io::rawPath(*io::rawVolumeOf("x.raw:5x4:float64")).string(),
                 std::string("x.raw:5x4:float64:le:0"));
    }

    void anotherNameIsNone() {
        for (const char* name :
             {"x.raw", "x.raw:5x4", "x.raw:5:uint8", "x.raw:5x4x3x2:uint8", "x.raw:0x4:uint8",
              "x.raw:5x4:uint7", "x.raw:5x4:uint8:xe", "x.raw:5x4:uint8:le:-1", ":5x4:uint8",
              "x.raw:5x4:uint8:le:1:2", "x.raw:99999999999999999999x4:uint8", "x.h5:/5x4/uint8"}) {
            QVERIFY2(!io::rawVolumeOf(name), name);
        }
        // A file of that very name is a file.
        test::writeFile(file("y.raw:2x2:uint8"), std::string("abcd"));
        QVERIFY(!io::rawVolumeOf(file("y.raw:2x2:uint8")));
    }

    void voxelsOfEveryTypeAndOrderAreRead() {
        for (int i = 0; i < 10; ++i) {
            const auto type = static_cast<PixelType>(i);
            const base::AnyImage image = test::patternImage(type, {5, 4, 3});
            for (const bool big : {false, true}) {
                test::Bytes bytes(7, 99); // a header
                const test::Bytes voxels = test::voxelBytes(image);
                const auto width = static_cast<std::size_t>(base::bytesPerVoxel(type));
                const test::Bytes stored = big ? test::swapped(voxels, width) : voxels;
                bytes.insert(bytes.end(), stored.begin(), stored.end());
                test::writeFile(file("v.raw"), bytes);
                const auto path = io::rawPath({file("v.raw"), {5, 4, 3}, type, big, 7});
                const io::LoadedImage read = io::readImage(path, {.digests = true});
                QVERIFY(test::sameBits(read.components.front(), image));
                QCOMPARE(read.info.format, std::string("raw"));
                QVERIFY(read.info.geometry.unitSource == base::UnitSource::Missing);
                QCOMPARE(read.files.front().path, file("v.raw"));
                QCOMPARE(read.files.front().sha256.size(), std::size_t{64});
                QVERIFY(io::readImageInfo(path).complete);
            }
        }
    }

    void aFileThatIsTooShortIsASentence() {
        test::writeFile(file("s.raw"), std::string(100, 'x'));
        const auto error = test::errorOf([&] {
            (void)io::readImageInfo(io::rawPath({file("s.raw"), {10, 10, 2}, PixelType::UInt8}));
        });
        QVERIFY(error && error->code() == ErrorCode::Input);
        for (const char* part : {"s.raw", "10x10x2", "uint8", "200 bytes", "it has 100"}) {
            QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
        }
        // Extents whose product overflows.
        const auto huge = test::errorOf([&] {
            (void)io::readImageInfo(io::rawPath(
                {file("s.raw"), {1LL << 40, 1LL << 40, 9}, PixelType::Float64, false, 4}));
        });
        QVERIFY(huge && huge->code() == ErrorCode::Input);
        // Bytes left over are said, not refused.
        const io::ImageInfo info =
            io::readImageInfo(io::rawPath({file("s.raw"), {9, 10, 1}, PixelType::UInt8}));
        QVERIFY(info.notes.at(0).starts_with("10 bytes behind"));
        const auto missing = test::errorOf([&] {
            (void)io::readImageInfo(io::rawPath({file("no.raw"), {9, 10, 1}}));
        });
        QVERIFY(missing && std::string(missing->what()).find("no such file") != std::string::npos);
        const auto unknown = test::errorOf([&] { (void)io::readImageInfo(file("s.raw")); });
        QVERIFY(unknown &&
                std::string(unknown->what()).find("FILE:WxHxD:uint16:le:0") != std::string::npos);
    }

    void slicesAreReadOneAtATimeAndTheFileIsProtected() {
        const base::AnyImage image = test::patternImage(PixelType::UInt16, {6, 5, 4});
        test::writeFile(file("t.raw"), test::voxelBytes(image));
        const auto path = io::rawPath({file("t.raw"), {6, 5, 4}, PixelType::UInt16});
        io::StackReader reader(path);
        QCOMPARE(reader.count(), 4);
        const io::LoadedImage third = reader.read(2);
        QVERIFY(test::sameBits(
            third.components.front(),
            base::copyOf(base::partOf(base::viewOf(image), {{0, 0, 2}, {6, 5, 1}}))));
        io::ProtectedFiles inputs;
        inputs.addImage(path);
        QVERIFY(test::errorOf([&] { inputs.requireOther(file("t.raw")); }));
    }
};

const flcc::test::TestClass<RawVolumeTest> kRawVolumeTest;
#include "raw_volume_test.moc"
