#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// SER and IMAGIC: series of pictures in one file.
class SeriesFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    void refuse(const std::string& name, const test::Bytes& file, const std::string& part) const {
        test::writeFile(at(name), file);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(at(name)); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    }
    static void compare(const base::AnyImage& stack, const std::filesystem::path& file, int frame) {
        const io::LoadedImage loaded = io::readImage(file, {.frame = frame, .digests = true});
        const base::Extents& n = loaded.info.extents;
        QVERIFY(loaded.info.complete && loaded.info.pixel == base::pixelType(stack));
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                QCOMPARE(base::valueAt(base::viewOf(loaded.components.front()), {x, y, 0}),
                         base::valueAt(base::viewOf(stack), {x, y, frame}));
            }
        }
    }

  private Q_SLOTS:
    void serOfEveryTypeIsRead_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<PixelType>("type");
        int code = 0;
        for (const PixelType type :
             {PixelType::UInt8, PixelType::UInt16, PixelType::UInt32, PixelType::Int8,
              PixelType::Int16, PixelType::Int32, PixelType::Float32, PixelType::Float64}) {
            ++code;
            QTest::addRow("%d", code) << code << type;
        }
    }
    void serOfEveryTypeIsRead() {
        QFETCH(int, code);
        QFETCH(PixelType, type);
        const base::AnyImage right = test::patternImage(type, {5, 3, 3});
        for (const bool wide : {false, true}) {
            test::writeFile(at("v.ser"), test::makeSer(right, {.type = code, .wide = wide}));
            const io::ImageInfo info = io::readImageInfo(at("v.ser"));
            QCOMPARE(info.format, std::string("SER"));
            QCOMPARE(info.frames, 3);
            QCOMPARE(info.geometry.unit, std::string("nm"));
            QCOMPARE(info.geometry.spacing[0], 0.5);
            QCOMPARE(info.geometry.spacing[1], 0.25);
            // Voxel 2 lies at 1 nm, so voxel 0 at 1 - 2 * 0.5; likewise -1 - 2 * 0.25.
            QCOMPARE(info.geometry.origin, (base::Point{0, -1.5, 0}));
            QVERIFY(info.notes.empty());
            compare(right, at("v.ser"), 2);
            compare(right, at("v.ser"), 0);
        }
    }

    void serThatCannotBeReadSaysWhy() {
        const base::AnyImage right = test::patternImage(PixelType::UInt8, {5, 3, 3});
        const test::SerRecipe plain{.type = 1};
        const test::Bytes file = test::makeSer(right, plain);
        test::Bytes cut = file;
        cut.resize(file.size() - 1);
        refuse("a.ser", cut, "promises 15 bytes of pixels and 14");
        cut.resize(60);
        refuse("a.ser", cut, "truncated");
        const auto with = [&](std::size_t place, auto value) {
            test::Bytes bad = file;
            test::put(bad, place, value);
            return bad;
        };
        refuse("a.ser", with(6, std::int32_t{0x4120}), "spectra");
        refuse("a.ser", with(18, std::int32_t{0}), "0 pictures");
        refuse("a.ser", with(18, std::int32_t{4}), "4 pictures of 3");
        refuse("a.ser", with(22, std::int32_t{-5}), "at byte -5");
        // A place from which the bytes to the end of the file have no number.
        test::Bytes wide = test::makeSer(right, {.type = 1, .wide = true});
        test::put(wide, 22, std::int64_t{INT64_MIN});
        refuse("a.ser", wide, "at byte -9223372036854775808");
        const std::size_t second = test::serPlace(right, plain, 1);
        refuse("a.ser", with(second + 42, std::int32_t{4}), "picture 1");
        const std::size_t first = test::serPlace(right, plain, 0);
        refuse("a.ser", with(first + 42, std::int32_t{0}), "axis of 0");
        refuse("a.ser", with(first + 40, std::int16_t{9}), "complex");
        refuse("a.ser", with(first + 40, std::int16_t{99}), "type 99");
        test::Bytes many = with(14, std::int32_t{INT32_MAX});
        test::put(many, 18, std::int32_t{INT32_MAX});
        refuse("a.ser", many, "promises");
        // A series that was stopped, and one of diffraction.
        test::writeFile(at("b.ser"), with(18, std::int32_t{2}));
        QVERIFY(test::holds(io::readImageInfo(at("b.ser")).notes, "2 of 3 pictures"));
        test::writeFile(at("b.ser"), with(first + 8, 1e7));
        const io::ImageInfo info = io::readImageInfo(at("b.ser"));
        QCOMPARE(info.geometry.unit, std::string("px"));
        QVERIFY(test::holds(info.notes, "no length"));
    }

    void imagicOfEveryTypeAndOrderIsRead_data() {
        QTest::addColumn<QString>("word");
        QTest::addColumn<PixelType>("type");
        QTest::newRow("REAL") << "REAL" << PixelType::Float32;
        QTest::newRow("INTG") << "INTG" << PixelType::Int16;
        QTest::newRow("PACK") << "PACK" << PixelType::UInt8;
    }
    void imagicOfEveryTypeAndOrderIsRead() {
        QFETCH(QString, word);
        QFETCH(PixelType, type);
        const base::AnyImage right = test::patternImage(type, {5, 3, 4});
        const auto width = static_cast<std::size_t>(base::bytesPerVoxel(type));
        for (const bool turned : {false, true}) {
            const test::Bytes voxels = test::voxelBytes(right);
            test::writeFile(at("i.img"), turned ? test::swapped(voxels, width) : voxels);
            test::writeFile(at("i.hed"),
                            test::makeImagic({5, 3, 4}, word.toStdString(), 1, turned));
            for (const char* name : {"i.hed", "i.img"}) {
                compare(right, at(name), 1);
                compare(right, at(name), 3);
            }
            test::writeFile(at("i.hed"),
                            test::makeImagic({5, 3, 4}, word.toStdString(), 4, turned));
            const io::LoadedImage volume = io::readImage(at("i.img"), {.digests = true});
            QCOMPARE(volume.info.format, std::string("IMAGIC"));
            QCOMPARE(volume.files.size(), std::size_t{2});
            QVERIFY(test::sameBits(volume.components.front(), right));
        }
    }

    void imagicThatCannotBeReadSaysWhy() {
        test::writeFile(at("j.img"), test::Bytes(59));
        refuse("j.hed", test::makeImagic({5, 3, 4}, "PACK", 1, false), "promises 60 bytes");
        refuse("j.hed", test::makeImagic({5, 3, 4}, "PACK", 3, false), "volumes of 3 slices");
        refuse("j.hed", test::makeImagic({5, 3, 4}, "COMP", 1, false), "complex");
        refuse("j.hed", test::makeImagic({5, 0, 4}, "PACK", 1, false), "no file can hold");
        refuse("j.hed", test::makeImagic({1 << 23, 1 << 23, 1 << 23}, "REAL", 1, false), "axis of");
        test::Bytes vax = test::makeImagic({5, 3, 1}, "REAL", 1, false);
        test::put(vax, 4 * 68, std::int32_t{0x01000000});
        refuse("j.hed", vax, "VAX");
        std::filesystem::remove(at("j.img"));
        refuse("j.hed", test::makeImagic({5, 3, 4}, "PACK", 1, false), "missing beside it");
    }
};

const flcc::test::TestClass<SeriesFileTest> kSeriesFileTest;
#include "series_file_test.moc"
