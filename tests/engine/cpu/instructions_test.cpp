#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine/cpu/simd/kernels.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

/// Restricts the kernels while it lives.
class Restricted {
  public:
    explicit Restricted(const std::string& set) { cpu::simd::forceInstructionSet(set); }
    ~Restricted() { cpu::simd::forceInstructionSet({}); }
    Restricted(const Restricted&) = delete;
    Restricted& operator=(const Restricted&) = delete;
};

} // namespace

/// Every set of instructions this machine has against the reference.
class InstructionsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void thePortableSetIsAlwaysThere() {
        const std::vector<std::string> sets = cpu::simd::instructionSets();
        QVERIFY(std::find(sets.begin(), sets.end(), "EMU128") != sets.end());
    }

    void sizesAroundTheVectorsAgree_data() { rows(); }

    void sizesAroundTheVectorsAgree() {
        QFETCH(QString, set);
        const Restricted restricted(set.toStdString());
        std::uint64_t seed = 1;
        for (const std::int64_t nx : {3, 8, 15, 16, 17, 31, 33, 65, 130}) {
            for (const Extents& m : {Extents{2, 2, 1}, Extents{3, 1, 1}, Extents{1, 5, 1}}) {
                ++seed;
                verify({nx, 11, 1}, m, seed);
            }
        }
        verify({97, 61, 1}, {31, 17, 1}, 100);
        verify({81, 67, 1}, {16, 16, 1}, 101);
        verify({80, 40, 1}, {64, 9, 1}, 102);
        verify({200, 1, 1}, {19, 1, 1}, 103);
        verify({1, 200, 1}, {1, 19, 1}, 104);
        verify({1, 1, 200}, {1, 1, 19}, 105);
        verify({27, 21, 19}, {5, 4, 3}, 106);
        verify({33, 9, 20}, {17, 8, 8}, 107);
    }

    void flatAndNonFinitePanelsAreFound_data() { rows(); }

    void flatAndNonFinitePanelsAreFound() {
        QFETCH(QString, set);
        const Restricted restricted(set.toStdString());
        for (const PixelType type : test::kernelTypes()) {
            base::AnyImage scene = test::noise(type, {90, 70, 1}, 1);
            test::paste(scene,
                        test::makeScene(type, {30, 25, 1}, [](const Index&) { return 77.1; }),
                        {40, 20, 0});
            if (!base::isInteger(type)) {
                test::setVoxel(scene, {20, 50, 0}, std::nan(""));
                test::setVoxel(scene, {57, 30, 0}, HUGE_VAL);
                test::setVoxel(scene, {0, 0, 0}, -HUGE_VAL);
            }
            const std::string fault = test::judgeAll(scene, test::noise(type, {7, 6, 1}, 2));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void lowContrastHotPixelsAndSubnormalsAreRightOrMarked_data() { rows(); }

    void lowContrastHotPixelsAndSubnormalsAreRightOrMarked() {
        QFETCH(QString, set);
        const Restricted restricted(set.toStdString());
        const base::AnyImage high = test::oneCountOver(PixelType::UInt16, {100, 80, 1}, 60000, 1);
        std::string fault = test::judgeAll(high, test::crop(high, {{50, 40, 0}, {9, 9, 1}}));
        QVERIFY2(fault.empty(), fault.c_str());
        base::AnyImage hot = test::noise(PixelType::Float32, {100, 80, 1}, 2);
        test::setVoxel(hot, {50, 40, 0}, 1e6);
        fault = test::judgeAll(hot, test::crop(hot, {{52, 42, 0}, {9, 9, 1}}));
        QVERIFY2(fault.empty(), fault.c_str());
        const base::AnyImage tiny =
            test::mapped(test::noise(PixelType::UInt8, {100, 80, 1}, 3), PixelType::Float32,
                         [](double v) { return std::scalbn(v, -149); });
        fault = test::judgeAll(tiny, test::crop(tiny, {{52, 42, 0}, {9, 9, 1}}));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void sumsOfDifferencesOfBytesAreExact_data() { rows(); }

    void sumsOfDifferencesOfBytesAreExact() {
        QFETCH(QString, set);
        const Restricted restricted(set.toStdString());
        std::mt19937 random(1);
        std::uniform_int_distribution<int> byte(0, 255);
        for (const std::int64_t length : {1, 8, 31, 33, 64, 96, 97, 127, 160, 300}) {
            for (const std::int64_t count : {std::int64_t{1}, cpu::simd::kMostQuads}) {
                constexpr std::int64_t kPitch = 400; // of the rows that the quads lie in
                std::vector<std::uint8_t> voxels(static_cast<std::size_t>(
                    (count + 1) * kPitch + cpu::simd::QuadArguments::kSlack));
                // The last kind has the largest sums.
                for (const int least : {0, 255}) {
                    std::ranges::generate(voxels, [&] {
                        return static_cast<std::uint8_t>(std::max(byte(random), least));
                    });
                    std::vector<cpu::simd::Quad> quads;
                    for (std::int64_t i = 0; i < count; ++i) {
                        const std::uint32_t values =
                            least == 255 ? 0U : static_cast<std::uint32_t>(random());
                        quads.push_back(
                            {i * kPitch + static_cast<std::int64_t>(random() % 90), values});
                    }
                    std::vector<std::uint16_t> sums(
                        static_cast<std::size_t>(length + cpu::simd::QuadArguments::kSlack));
                    cpu::simd::addQuadDifferences(
                        {voxels.data(), quads.data(), count, length, sums.data()});
                    for (std::int64_t x = 0; x < length; ++x) {
                        int wanted = 0;
                        for (const cpu::simd::Quad& quad : quads) {
                            for (std::int64_t k = 0; k < 4; ++k) {
                                wanted +=
                                    std::abs(voxels[static_cast<std::size_t>(quad.offset + x + k)] -
                                             static_cast<int>(quad.values >> (8 * k) & 255U));
                            }
                        }
                        QCOMPARE(static_cast<int>(sums[static_cast<std::size_t>(x)]), wanted);
                    }
                }
            }
        }
    }

  private:
    static void rows() {
        QTest::addColumn<QString>("set");
        for (const std::string& set : cpu::simd::instructionSets()) {
            QTest::newRow(set.c_str()) << QString::fromStdString(set);
        }
    }

    static void verify(const Extents& n, const Extents& m, std::uint64_t seed) {
        if (m.x > n.x || QTest::currentTestFailed()) {
            return;
        }
        const PixelType type = test::kernelTypes().at(seed % 4);
        const std::string fault =
            test::judgeAll(test::noise(type, n, seed), test::noise(type, m, seed + 1000));
        QVERIFY2(fault.empty(), fault.c_str());
    }
};

const flcc::test::TestClass<InstructionsTest> kInstructionsTest;
#include "instructions_test.moc"
