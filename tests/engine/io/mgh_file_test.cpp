#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// MGH files of FreeSurfer, packed and not.
class MghFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    void refuse(const test::Bytes& file, const std::string& part) const {
        test::writeFile(at("bad.mgh"), file);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(at("bad.mgh")); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    }

  private Q_SLOTS:
    void everyTypeIsRead_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<PixelType>("type");
        QTest::newRow("uint8") << 0 << PixelType::UInt8;
        QTest::newRow("int32") << 1 << PixelType::Int32;
        QTest::newRow("float32") << 3 << PixelType::Float32;
        QTest::newRow("int16") << 4 << PixelType::Int16;
        QTest::newRow("uint16") << 10 << PixelType::UInt16;
    }
    void everyTypeIsRead() {
        QFETCH(int, code);
        QFETCH(PixelType, type);
        const base::AnyImage right = test::patternImage(type, {5, 4, 3});
        const auto width = static_cast<std::size_t>(base::bytesPerVoxel(type));
        test::Bytes file = test::makeMgh({5, 4, 3, 1}, code);
        const test::Bytes voxels = test::swapped(test::voxelBytes(right), width);
        file.insert(file.end(), voxels.begin(), voxels.end());
        file.resize(file.size() + 20); // the times of the scan, of which no note speaks
        test::writeFile(at("v.mgh"), file);
        for (const char* name : {"v.mgh", "v.mgz", "v.mgh.gz", "without"}) {
            const bool packed = std::string(name).find('z') != std::string::npos;
            test::writeFile(at(name), packed ? test::gzip(file) : file);
            const io::LoadedImage loaded = io::readImage(at(name));
            QCOMPARE(loaded.info.format, std::string("MGH"));
            QVERIFY(test::sameBits(loaded.components.front(), right));
            QVERIFY(loaded.info.notes.empty());
            QCOMPARE(loaded.info.complete, !packed);
        }
    }

    /// The middle lies at voxel (5, 4, 3) / 2 = (2.5, 2, 1.5), whatever the sizes.
    void theMiddlePlacesTheGrid() {
        test::Bytes file = test::makeMgh({5, 4, 3, 1}, 0);
        file.resize(284 + 60);
        test::writeFile(at("p.mgh"), file);
        const base::Geometry geometry = io::readImageInfo(at("p.mgh")).geometry;
        QCOMPARE(geometry.spacing, (base::Point{0.5, 2, 4}));
        QCOMPARE(geometry.unit, std::string("mm"));
        QVERIFY(geometry.unitSource == base::UnitSource::Header);
        // Right-anterior-superior: x to the left, y down, z to the front; the middle at 10, 20, 30.
        // First voxel: 10 + 2.5 * 0.5, 20 - 1.5 * 4, 30 + 2 * 2, then left-posterior.
        QCOMPARE(geometry.origin, (base::Point{-11.25, -14, 34}));
        QCOMPARE(geometry.direction, (std::array<double, 9>{1, 0, 0, 0, 0, -1, 0, -1, 0}));
        test::put(file, 28, std::int16_t{0}, true);
        test::writeFile(at("p.mgh"), file);
        const io::ImageInfo open = io::readImageInfo(at("p.mgh"));
        QVERIFY(test::holds(open.notes, "does not place it"));
        QCOMPARE(open.geometry.spacing, (base::Point{1, 1, 1}));
        QCOMPARE(open.geometry.origin, (base::Point{-2.5, 1.5, 2}));
    }

    void framesFollowEachOther() {
        test::Bytes file = test::makeMgh({2, 2, 1, 3}, 0);
        for (unsigned char i = 0; i < 12; ++i) {
            file.push_back(i);
        }
        test::writeFile(at("f.mgh"), file);
        const io::LoadedImage second = io::readImage(at("f.mgh"), {.frame = 1});
        QCOMPARE(base::valueAt(base::viewOf(second.components.front()), {1, 1, 0}), 7.0);
        const io::LoadedImage part =
            io::readRegion(at("f.mgh"), {{1, 0, 0}, {1, 2, 1}}, {.frame = 2});
        QCOMPARE(base::valueAt(base::viewOf(part.components.front()), {0, 1, 0}), 11.0);
        QVERIFY(test::errorOf([&] { (void)io::readImage(at("f.mgh")); }));
    }

    void whatContradictsTheFileIsRefused() {
        const test::Bytes good = test::makeMgh({5, 4, 3, 1}, 4);
        test::Bytes cut = good;
        cut.resize(284 + 119);
        refuse(cut, "promises 120 bytes of pixels and 119");
        cut.resize(200);
        refuse(cut, "284");
        for (const std::size_t place : {4U, 8U, 12U, 16U}) {
            for (const std::int32_t length : {0, -1, INT32_MAX}) {
                test::Bytes file = good;
                file.resize(284 + 120);
                test::put(file, place, length, true);
                refuse(file, length <= 0   ? "axis of"
                             : place == 16 ? "too many frames"
                                           : "promises");
            }
        }
        test::Bytes huge = good;
        huge.resize(284 + 120);
        for (const std::size_t place : {4U, 8U, 12U, 16U}) {
            test::put(huge, place, std::int32_t{INT32_MAX}, true);
        }
        refuse(huge, "axis of");
        test::Bytes kind = good;
        test::put(kind, 20, std::int32_t{7}, true);
        refuse(kind, "MGH type 7");
        test::Bytes flat = good;
        flat.resize(284 + 120);
        test::put(flat, 30, 0.0F, true);
        refuse(flat, "spacing");
        test::put(flat, 30, 1.0F, true);
        test::put(flat, 42, NAN, true);
        refuse(flat, "position");
        test::put(flat, 42, 0.0F, true);
        refuse(flat, "one plane");
    }
};

const flcc::test::TestClass<MghFileTest> kMghFileTest;
#include "mgh_file_test.moc"
