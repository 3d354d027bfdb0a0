#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/stack_reader.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// EM and SPIDER: formats without a mark.
class MicroscopeFileTest : public QObject {
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

  private Q_SLOTS:
    void emOfEveryTypeAndOrderIsRead_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<PixelType>("type");
        QTest::addColumn<bool>("turned");
        for (const bool turned : {false, true}) {
            for (const auto& [code, type] : {std::pair(1, PixelType::Int8),
                                             {2, PixelType::Int16},
                                             {4, PixelType::Int32},
                                             {5, PixelType::Float32},
                                             {9, PixelType::Float64}}) {
                QTest::addRow("%d %d", code, int{turned}) << code << type << turned;
            }
        }
    }
    void emOfEveryTypeAndOrderIsRead() {
        QFETCH(int, code);
        QFETCH(PixelType, type);
        QFETCH(bool, turned);
        const base::AnyImage right = test::patternImage(type, {5, 4, 3});
        const auto width = static_cast<std::size_t>(base::bytesPerVoxel(type));
        const test::Bytes voxels = test::voxelBytes(right);
        test::Bytes file = test::makeEm({5, 4, 3}, code, 2625, turned);
        const test::Bytes stored = turned ? test::swapped(voxels, width) : voxels;
        file.insert(file.end(), stored.begin(), stored.end());
        for (const int machine : {turned ? 3 : 6, turned ? 6 : 3}) { // the size decides
            file[0] = static_cast<unsigned char>(machine);
            test::writeFile(at("v.em"), file);
            test::writeFile(at("without"), file);
            for (const char* name : {"v.em", "without"}) {
                const io::LoadedImage loaded = io::readImage(at(name));
                QCOMPARE(loaded.info.format, std::string("EM"));
                QVERIFY(test::sameBits(loaded.components.front(), right));
                QCOMPARE(loaded.info.geometry.spacing, (base::Point{2.625, 2.625, 2.625}));
                QCOMPARE(loaded.info.geometry.unit, std::string("A"));
                QVERIFY(loaded.info.complete && loaded.info.notes.empty());
            }
        }
        const io::LoadedImage part = io::readRegion(at("v.em"), {{1, 2, 1}, {3, 1, 2}});
        QCOMPARE(base::valueAt(base::viewOf(part.components.front()), {2, 0, 1}),
                 base::valueAt(base::viewOf(right), {3, 2, 2}));
    }

    void emWithoutSizeOfAPixelHasNone() {
        test::Bytes file = test::makeEm({4, 3, 1}, 1, 0, false);
        file.resize(512 + 12);
        test::writeFile(at("p.em"), file);
        const io::ImageInfo info = io::readImageInfo(at("p.em"));
        QCOMPARE(info.geometry.unit, std::string("px"));
        QVERIFY(info.geometry.unitSource == base::UnitSource::Missing);
    }

    void emThatContradictsTheFileIsRefused() {
        const test::Bytes good = test::makeEm({5, 4, 3}, 5, 0, false);
        test::Bytes file = good;
        file.resize(512 + 239);
        refuse("a.em", file, "promises 240 bytes of pixels and 239");
        refuse("a", file, "format is unknown");
        file.resize(512 + 240);
        for (const std::size_t place : {4U, 8U, 12U}) {
            for (const std::int32_t length : {0, -1, INT32_MAX}) {
                test::Bytes bad = file;
                test::put(bad, place, length);
                refuse("a.em", bad, length > 0 ? "promises" : "axis of");
            }
        }
        for (const std::size_t place : {4U, 8U, 12U}) {
            test::put(file, place, std::int32_t{INT32_MAX});
        }
        refuse("a.em", file, "axis of");
        test::Bytes complex = test::makeEm({5, 4, 3}, 8, 0, false);
        complex.resize(512 + 480);
        refuse("a.em", complex, "complex");
    }

    /// Widths whose rows fill the header exactly, and not.
    void spiderOfEverySizeIsRead_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("turned");
        for (const bool turned : {false, true}) {
            for (const int width : {1, 5, 64, 100, 256, 257}) {
                QTest::addRow("%d %d", width, int{turned}) << width << turned;
            }
        }
    }
    void spiderOfEverySizeIsRead() {
        QFETCH(int, width);
        QFETCH(bool, turned);
        const base::AnyImage right = test::patternImage(PixelType::Float32, {width, 3, 2});
        const test::Bytes voxels = test::voxelBytes(right);
        const test::Bytes stored = turned ? test::swapped(voxels, 4) : voxels;
        test::Bytes file = test::makeSpider({width, 3, 2}, 3, {.pixel = 1.25F, .turned = turned});
        file.insert(file.end(), stored.begin(), stored.end());
        test::writeFile(at("v.spi"), file);
        const io::LoadedImage loaded = io::readImage(at("v.spi"));
        QCOMPARE(loaded.info.format, std::string("SPIDER"));
        QVERIFY(test::sameBits(loaded.components.front(), right));
        QCOMPARE(loaded.info.geometry.spacing, (base::Point{1.25, 1.25, 1.25}));
        QVERIFY(loaded.info.complete && loaded.info.notes.empty());
        file.pop_back();
        refuse("v.spi", file, "truncated");
        // The same voxels as a stack of two images, each with its header.
        test::Bytes stack =
            test::makeSpider({width, 3, 1}, 1, {.stack = 2, .images = 2, .turned = turned});
        for (std::size_t i = 0; i < 2; ++i) {
            const test::Bytes head = test::makeSpider(
                {width, 3, 1}, 1, {.number = static_cast<float>(i + 1), .turned = turned});
            stack.insert(stack.end(), head.begin(), head.end());
            const auto half = static_cast<std::ptrdiff_t>(stored.size() / 2);
            const auto first = stored.begin() + static_cast<std::ptrdiff_t>(i) * half;
            stack.insert(stack.end(), first, first + half);
        }
        test::writeFile(at("s.spi"), stack);
        io::StackReader reader(at("s.spi"));
        QCOMPARE(reader.count(), 2);
        for (const int frame : {1, 0}) {
            const io::LoadedImage image =
                io::readImage(at("s.spi"), {.frame = frame, .digests = true});
            QCOMPARE(image.files.size(), std::size_t{1});
            for (const base::Index& place : {base::Index{0, 0, 0}, {width - 1, 2, 0}}) {
                const double value = base::valueAt(base::viewOf(right), {place.x, place.y, frame});
                QCOMPARE(base::valueAt(base::viewOf(image.components.front()), place), value);
                QCOMPARE(base::valueAt(base::viewOf(reader.read(frame).components.front()), place),
                         value);
            }
        }
        stack.pop_back();
        refuse("s.spi", stack, "truncated");
    }

    void spiderThatCannotBeReadSaysWhy() {
        const auto with = [](const base::Extents& extents, int kind,
                             const test::SpiderRecipe& recipe) {
            test::Bytes file = test::makeSpider(extents, kind, recipe);
            file.resize(file.size() + 4000);
            return file;
        };
        refuse("a.spi", with({8, 8, 1}, -12, {}), "Fourier");
        refuse("a.spi", with({8, 8, 1}, 1, {.stack = -5}), "indexed");
        refuse("a.spi", with({8, 8, 1}, 1, {.stack = 2, .images = 0}), "stack of 0 images");
        refuse("a.spi", with({8, 8, 1}, 1, {.stack = 2, .images = 1e9F}), "stack of 1000000000");
        refuse("a.spi", with({8, 8, 1}, 1, {.stack = 2, .images = 9e6F}), "truncated");
        refuse("a.spi", with({8, 999999999, 1}, 1, {}), "truncated");
        refuse("a.spi", with({8, 999999999, 999999999}, 3, {}), "extents 8x");
        refuse("a.spi", with({8, 0, 1}, 1, {}), ".spi file");
    }
};

const flcc::test::TestClass<MicroscopeFileTest> kMicroscopeFileTest;
#include "microscope_file_test.moc"
