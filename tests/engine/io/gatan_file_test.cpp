#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

/// DM3 and DM4 files of DigitalMicrograph.
class GatanFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    io::LoadedImage read(const test::GatanRecipe& recipe) const {
        test::writeFile(at("v.dm"), test::makeGatan(recipe));
        return io::readImage(at("v.dm"));
    }
    void refuse(const test::Bytes& file, const std::string& part) const {
        test::writeFile(at("bad.dm3"), file);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(at("bad.dm3")); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    }
    static test::GatanRecipe picture(std::vector<std::u16string> units) {
        test::GatanRecipe recipe{.lengths = {3, 2}, .units = std::move(units)};
        recipe.voxels = test::voxelBytes(test::patternImage(PixelType::Float32, {3, 2, 1}));
        return recipe;
    }

  private Q_SLOTS:
    void everyTypeVersionAndOrderIsRead_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("kind");
        QTest::addColumn<PixelType>("pixel");
        struct Kind {
            int type;
            int kind;
            PixelType pixel;
        };
        for (const Kind& each : {Kind{1, 2, PixelType::Int16}, Kind{2, 6, PixelType::Float32},
                                 Kind{6, 10, PixelType::UInt8}, Kind{7, 3, PixelType::Int32},
                                 Kind{9, 9, PixelType::Int8}, Kind{10, 4, PixelType::UInt16},
                                 Kind{11, 5, PixelType::UInt32}, Kind{12, 7, PixelType::Float64},
                                 Kind{14, 8, PixelType::UInt8}, Kind{39, 11, PixelType::Int64},
                                 Kind{40, 12, PixelType::UInt64}}) {
            QTest::addRow("%d", each.type) << each.type << each.kind << each.pixel;
        }
    }
    void everyTypeVersionAndOrderIsRead() {
        QFETCH(int, type);
        QFETCH(int, kind);
        QFETCH(PixelType, pixel);
        const base::AnyImage right = test::patternImage(pixel, {5, 4, 3});
        for (const int version : {3, 4}) {
            for (const bool little : {true, false}) {
                for (const bool thumbnail : {true, false}) {
                    const io::LoadedImage loaded =
                        read({.version = version,
                              .little = little,
                              .lengths = {5, 4, 3},
                              .type = type,
                              .kind = kind,
                              .units = {u"nm", u"nm", u"nm"},
                              .voxels = test::voxelBytes(right),
                              .width = static_cast<std::size_t>(base::bytesPerVoxel(pixel)),
                              .thumbnail = thumbnail});
                    QCOMPARE(loaded.info.format, std::string("DigitalMicrograph"));
                    QVERIFY(test::sameBits(loaded.components.front(), right));
                    QCOMPARE(loaded.info.geometry.spacing, (base::Point{0.5, 1, 1.5}));
                    QCOMPARE(loaded.info.geometry.origin, (base::Point{-0.5, -2, -4.5}));
                    QCOMPARE(loaded.info.geometry.unit, std::string("nm"));
                    QVERIFY(loaded.info.complete && loaded.info.notes.empty());
                }
            }
        }
    }

    void unitsAreLengthsOrLeftOut() {
        const io::ImageInfo micro = read(picture({u"\u00b5m", u"nm"})).info;
        QCOMPARE(micro.geometry.unit, std::string("um"));
        QCOMPARE(micro.geometry.spacing, (base::Point{0.5, 0.001, 1}));
        const io::ImageInfo angstrom = read(picture({u"\u00c5", u"\u00c5"})).info;
        QCOMPARE(angstrom.geometry.unit, std::string("A"));
        const io::ImageInfo turned = read(picture({u"1/nm", u"1/nm"})).info;
        QCOMPARE(turned.geometry.unit, std::string("px"));
        QCOMPARE(turned.geometry.spacing, (base::Point{1, 1, 1}));
        QVERIFY(test::holds(turned.notes, "\"1/nm\""));
        const io::ImageInfo without = read(picture({u"", u""})).info;
        QCOMPARE(without.geometry.unit, std::string("px"));
        QVERIFY(without.notes.empty());
        // Half of a letter of two halves is no text.
        QVERIFY(test::holds(read(picture({u"\xd800", u"nm"})).info.notes, "\"?\""));
        // Pictures of a series are as far apart as pixels: a spacing of 1 would mean something.
        test::GatanRecipe series{.lengths = {3, 2, 2}, .units = {u"nm", u"nm", u"s"}};
        series.voxels = test::voxelBytes(test::patternImage(PixelType::Float32, {3, 2, 2}));
        const io::ImageInfo times = read(series).info;
        QCOMPARE(times.geometry.spacing, (base::Point{0.5, 1, 0.5}));
        QVERIFY(test::holds(times.notes, "third axis has no length"));
    }

    void whatContradictsTheFileIsRefused() {
        const test::GatanRecipe good = picture({u"nm", u"nm"});
        const test::Bytes file = test::makeGatan(good);
        for (std::size_t size = 40; size < file.size(); ++size) {
            test::Bytes cut = file;
            cut.resize(size);
            refuse(cut, "the file is truncated");
        }
        const auto with = [&](auto change) {
            test::GatanRecipe recipe = good;
            change(recipe);
            return test::makeGatan(recipe);
        };
        refuse(with([](auto& r) { r.lengths[1] = 3; }), "9 voxels of float32, but its data has 6");
        refuse(with([](auto& r) { r.lengths[1] = 0; }), "axis of 0");
        refuse(with([](auto& r) { r.lengths = {INT32_MAX, INT32_MAX, INT32_MAX}; }), "axis of");
        refuse(with([](auto& r) { r.lengths = {1, 1, 1, 6}; }), "4 dimensions");
        refuse(with([](auto& r) { r.lengths = {}; }), "0 dimensions");
        refuse(with([](auto& r) { r.type = 12; }), "values of 4 bytes");
        refuse(with([](auto& r) { r.type = 3; }), "complex");
        refuse(with([](auto& r) { r.type = 23; }), "colours");
        refuse(with([](auto& r) { r.type = 99; }), "type 99");
        refuse(with([](auto& r) { r.kind = 15; }), "damaged");
        refuse(with([](auto& r) { r.kind = 99; }), "damaged");
    }

    /// Groups in groups, as deep as a file says.
    void deepAndManyTagsAreRefused() {
        test::Bytes file{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
        test::Bytes deep = file;
        for (int i = 0; i < 100'000; ++i) {
            deep.insert(deep.end(), {20, 0, 0, 0, 0, 0, 0, 0, 1});
        }
        refuse(deep, "damaged");
        test::put(file, 14, std::uint32_t{0xffffff7f});
        file.resize(100);
        refuse(file, "damaged");
    }
};

const flcc::test::TestClass<GatanFileTest> kGatanFileTest;
#include "gatan_file_test.moc"
