#include <QtTest>

#include <cmath>
#include <limits>
#include <string>

#include "tests/engine/cpu/harness.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

class PixelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyScenePixelWithEveryTemplatePixel_data() {
        QTest::addColumn<int>("scene");
        QTest::addColumn<int>("templ");
        test::Thinned rows(3); // every type on both sides
        for (int scene = 0; scene < 10; ++scene) {
            for (int templ = 0; templ < 10; ++templ) {
                if (!rows.next()) {
                    continue;
                }
                QTest::newRow((std::string(base::name(static_cast<PixelType>(templ))) + " in " +
                               std::string(base::name(static_cast<PixelType>(scene))))
                                  .c_str())
                    << scene << templ;
            }
        }
    }

    void everyScenePixelWithEveryTemplatePixel() {
        QFETCH(int, scene);
        QFETCH(int, templ);
        const auto sceneType = static_cast<PixelType>(scene);
        const auto templType = static_cast<PixelType>(templ);
        std::string fault = test::judgeAll(test::noise(sceneType, {45, 31, 1}, 1),
                                           test::noise(templType, {7, 6, 1}, 2));
        QVERIFY2(fault.empty(), fault.c_str());
        fault = test::judgeAll(test::texture(sceneType, {17, 13, 11}, 3),
                               test::noise(templType, {4, 3, 3}, 4));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // Both ends of a type beside each other: differences need one bit more than the type has.
    void theEndsOfATypeBesideEachOther_data() {
        QTest::addColumn<int>("type");
        for (int type = 0; type < 10; ++type) {
            QTest::newRow(std::string(base::name(static_cast<PixelType>(type))).c_str()) << type;
        }
    }

    void theEndsOfATypeBesideEachOther() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        // makeScene cuts to the range of integers; the floats stay finite.
        const double end = pixel == PixelType::Float32   ? std::numeric_limits<float>::max()
                           : pixel == PixelType::Float64 ? std::numeric_limits<double>::max()
                                                         : 0x1p100;
        for (const std::uint64_t seed : {5U, 6U, 7U}) {
            test::Random random(seed);
            const auto ends = [&](const Extents& extents) {
                return test::makeScene(pixel, extents, [&](const Index&) {
                    return random.below(2) == 0 ? -end : end;
                });
            };
            const base::AnyImage scene = ends({40, 30, 1});
            const base::AnyImage templ = ends({6, 5, 1});
            const std::string fault = test::judgeAll(scene, templ);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // 32942 products of 255 by 255 are just below what a signed 32-bit sum holds; one row more is
    // above it.
    void brightBytesDoNotOverflowTheirSums() {
        for (const std::int64_t rows : {182, 183}) {
            test::Random random(5);
            const base::AnyImage scene =
                test::makeScene(PixelType::UInt8, {190, 192, 1}, [&](const base::Index&) {
                    return random.below(50) == 0 ? 254.0 : 255.0;
                });
            const base::AnyImage templ = test::crop(scene, {{4, 3, 0}, {181, rows, 1}});
            const std::string fault = test::judgeSampled(scene, templ, {{4, 3, 0}}, 20);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aLowContrastHighInTheTypeIsKept_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<qint64>("level");
        const auto row = [](PixelType type, qint64 level) {
            QTest::newRow(std::string(base::name(type)).c_str()) << static_cast<int>(type) << level;
        };
        row(PixelType::UInt8, 254);
        row(PixelType::Int8, -128);
        row(PixelType::UInt16, 60000);
        row(PixelType::Int16, -32768);
        row(PixelType::UInt32, 4294967294);
        row(PixelType::Int32, 1 << 24);
        row(PixelType::UInt64, std::numeric_limits<qint64>::max());
        row(PixelType::Int64, qint64{1} << 60);
        row(PixelType::Float32, 1 << 23);
        row(PixelType::Float64, qint64{1} << 52);
    }

    void aLowContrastHighInTheTypeIsKept() {
        QFETCH(int, type);
        QFETCH(qint64, level);
        const auto pixel = static_cast<PixelType>(type);
        const base::AnyImage scene = test::oneCountOver(pixel, {60, 50, 1}, level, 1);
        const base::AnyImage templ = test::crop(scene, {{33, 21, 0}, {9, 8, 1}});
        const std::string fault = test::judgeAll(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<PixelsTest> kPixelsTest;
#include "pixels_test.moc"
