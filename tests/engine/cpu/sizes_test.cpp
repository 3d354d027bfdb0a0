#include <QtTest>

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;

namespace {

struct Sizes {
    Extents scene;
    Extents templ;
};

const std::vector<Sizes> kTwoDimensional{
    {{2, 1, 1}, {2, 1, 1}},     {{1, 2, 1}, {1, 2, 1}},      {{2, 2, 1}, {2, 2, 1}},
    {{3, 3, 1}, {2, 1, 1}},     {{3, 3, 1}, {1, 2, 1}},      {{7, 5, 1}, {3, 2, 1}},
    {{13, 11, 1}, {5, 7, 1}},   {{31, 17, 1}, {4, 4, 1}},    {{64, 64, 1}, {8, 8, 1}},
    {{65, 63, 1}, {16, 16, 1}}, {{97, 101, 1}, {31, 37, 1}}, {{130, 67, 1}, {32, 9, 1}},
    {{67, 130, 1}, {9, 32, 1}}, {{127, 41, 1}, {33, 33, 1}}, {{90, 50, 1}, {64, 2, 1}},
    {{257, 3, 1}, {2, 2, 1}},   {{3, 257, 1}, {2, 2, 1}},    {{200, 33, 1}, {12, 13, 1}}};

const std::vector<Sizes> kLines{{{300, 1, 1}, {17, 1, 1}}, {{1, 300, 1}, {1, 17, 1}},
                                {{5000, 1, 1}, {2, 1, 1}}, {{1, 2000, 1}, {1, 2, 1}},
                                {{1, 1, 300}, {1, 1, 17}}, {{1, 1, 2}, {1, 1, 2}},
                                {{1, 1, 2000}, {1, 1, 3}}, {{1, 40, 30}, {1, 5, 4}},
                                {{40, 1, 30}, {5, 1, 4}},  {{1000, 2, 1}, {300, 2, 1}}};

const std::vector<Sizes> kThreeDimensional{
    {{2, 2, 2}, {2, 2, 2}},    {{5, 5, 5}, {2, 2, 2}},    {{13, 11, 7}, {5, 3, 7}},
    {{17, 19, 23}, {3, 4, 5}}, {{33, 20, 18}, {9, 8, 7}}, {{70, 9, 6}, {8, 8, 5}},
    {{9, 70, 6}, {8, 8, 5}},   {{6, 9, 70}, {5, 8, 8}},   {{40, 24, 21}, {10, 10, 10}}};

const std::vector<Sizes> kAsLargeAsTheScene{
    {{40, 40, 1}, {40, 40, 1}},   {{40, 40, 1}, {40, 7, 1}},     {{40, 40, 1}, {7, 40, 1}},
    {{17, 16, 15}, {17, 16, 15}}, {{17, 16, 15}, {17, 3, 4}},    {{17, 16, 15}, {3, 16, 4}},
    {{17, 16, 15}, {3, 4, 15}},   {{17, 16, 15}, {17, 16, 4}},   {{17, 16, 15}, {17, 3, 15}},
    {{17, 16, 15}, {3, 16, 15}},  {{101, 101, 1}, {100, 100, 1}}};

void rows(const std::vector<Sizes>& table) {
    QTest::addColumn<Extents>("scene");
    QTest::addColumn<Extents>("templ");
    test::Thinned some(5);
    for (const Sizes& sizes : table) {
        if (!some.next()) {
            continue;
        }
        QTest::newRow((base::toString(sizes.templ) + " in " + base::toString(sizes.scene)).c_str())
            << sizes.scene << sizes.templ;
    }
}

/// Noise and texture in turn, each pixel type; the template is a part of the scene or a stranger.
std::string judgeSizes(const Extents& n, const Extents& m) {
    std::uint64_t seed = 1;
    for (const PixelType type : test::kernelTypes()) {
        const base::AnyImage scene =
            seed % 2 == 1 ? test::noise(type, n, seed) : test::texture(type, n, seed);
        const base::AnyImage templ = test::noise(type, m, 100 + seed);
        const std::string fault = test::judgeAll(scene, templ);
        if (!fault.empty()) {
            return fault;
        }
        ++seed;
    }
    return {};
}

} // namespace

class SizesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyMethodAgreesOnImages_data() { rows(kTwoDimensional); }
    void everyMethodAgreesOnImages() { judgeRow(); }
    void everyMethodAgreesOnLines_data() { rows(kLines); }
    void everyMethodAgreesOnLines() { judgeRow(); }
    void everyMethodAgreesOnVolumes_data() { rows(kThreeDimensional); }
    void everyMethodAgreesOnVolumes() { judgeRow(); }
    void everyMethodAgreesOnTemplatesAsLargeAsTheScene_data() { rows(kAsLargeAsTheScene); }
    void everyMethodAgreesOnTemplatesAsLargeAsTheScene() { judgeRow(); }

    // A sample of all sizes up to 24 with every template that fits; the whole is a slow test.
    void aSampleOfAllSmallImagesAgrees() {
        test::Random random(24);
        for (int i = 0; i < 150; ++i) {
            const Extents n{1 + random.below(24), 1 + random.below(24), 1};
            const Extents m{1 + random.below(n.x), 1 + random.below(n.y), 1};
            if (base::voxelCount(m) < 2) {
                continue;
            }
            const PixelType type = test::kernelTypes().at(static_cast<std::size_t>(i % 4));
            const std::string fault = test::judgeAll(test::noise(type, n, random.bits()),
                                                     test::noise(type, m, random.bits()));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void aSampleOfAllSmallVolumesAgrees() {
        test::Random random(12);
        for (int i = 0; i < 100; ++i) {
            const Extents n{1 + random.below(12), 1 + random.below(12), 2 + random.below(11)};
            const Extents m{1 + random.below(n.x), 1 + random.below(n.y), 1 + random.below(n.z)};
            if (base::voxelCount(m) < 2) {
                continue;
            }
            const PixelType type = test::kernelTypes().at(static_cast<std::size_t>(i % 4));
            const std::string fault = test::judgeAll(test::noise(type, n, random.bits()),
                                                     test::noise(type, m, random.bits()));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void everyMethodOfTheTableTakesAnOrdinaryProblem() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {200, 150, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::Float32, {16, 16, 1}, 2);
        QStringList names;
        const base::AnyImage row = test::noise(PixelType::Float32, {16, 1, 1}, 2); // a product
        for (const base::AnyImage* const ordinary : {&templ, &row}) {
            for (const test::Way& way : test::waysFor(scene, *ordinary)) {
                if (way.method->traits().axisByAxis == (ordinary == &row)) {
                    names << QString::fromStdString(way.candidate.method);
                }
            }
        }
        for (const method::Method* method : test::judgedMethods()) {
            QVERIFY(names.contains(QString::fromUtf8(method->name())));
        }
    }

    void aTemplateLargerThanTheSceneIsAProblem() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {9, 9, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {10, 2, 1}, 2);
        try {
            QVERIFY(test::waysFor(scene, templ).empty()); // a refusal is as good
        } catch (const base::Error& error) {
            QVERIFY(error.code() == base::ErrorCode::Problem);
        }
    }

  private:
    void judgeRow() {
        QFETCH(Extents, scene);
        QFETCH(Extents, templ);
        const std::string fault = judgeSizes(scene, templ);
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<SizesTest> kSizesTest;
#include "sizes_test.moc"
