#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/cpu/score/tile_finish.h"
#include "engine/method/operation_template.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Index;
using base::PixelType;
using method::shared::BoxFinish;
using method::shared::FinishStatus;

namespace {

/// Panels of a scene, whose values are made of sums by method::shared::finishBox().
class Boxes {
  public:
    Boxes(const base::AnyImage& scene, const base::AnyImage& templ, method::Operation operation)
        : m_scene(base::viewOf(scene)), m_canonical(base::viewOf(templ), operation) {
        const base::Extents n = m_scene.extents();
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (std::int64_t i = 0; i < base::voxelCount(n); ++i) {
            const double value = base::valueAt(m_scene.pixels, {i % n.x, i / n.x, 0});
            low = std::min(low, value);
            high = std::max(high, value);
        }
        const bool whole = base::pixelType(m_scene.pixels) == PixelType::UInt8;
        m_tile.level = std::nearbyint((low + high) / 2);
        m_tile.unit = std::ldexp(1.0, std::ilogb(high - low) + 1);
        m_tile.quantum = whole ? 1 : 0;
        m_tile.steps = m_tile.unit;
        m_tile.exactSums = m_tile.exact = whole;
        method::Problem problem = test::problemOf(m_scene.pixels, base::viewOf(templ));
        problem.operation = operation;
        problem.precision = method::Precision::Double;
        m_finish = cpu::finishOf(problem, m_canonical, m_tile,
                                 cpu::directTerms(problem.templ, cpu::kUnitDouble), {true, true});
    }

    [[nodiscard]] bool hasFinish() const { return m_finish.has_value(); }

    [[nodiscard]] BoxFinish at(const Index& corner, double promise = 1e-6) const {
        const base::Extents m = m_canonical.extents();
        double s1 = 0;
        double s2 = 0;
        double num = 0;
        for (std::int64_t y = 0; y < m.y; ++y) {
            for (std::int64_t x = 0; x < m.x; ++x) {
                const double pixel = base::valueAt(m_scene.pixels, {corner.x + x, corner.y + y, 0});
                const double of = (pixel - m_tile.level) / m_tile.unit;
                s1 += of;
                s2 += of * of;
                num += of * m_canonical.values().view().at(x, y, 0);
            }
        }
        return method::shared::finishBox(
            *m_finish, {promise, 0, 0x1p-900, std::numeric_limits<double>::max()}, s1, s2, num);
    }

    [[nodiscard]] method::OperationValue canonical(method::Operation operation,
                                                   const Index& corner) const {
        return method::canonicalValue(operation, m_scene, m_canonical, corner,
                                      method::Outside::Zero, 0.5);
    }

  private:
    method::MaskedView m_scene;
    method::CanonicalTemplate m_canonical;
    cpu::CentredTile m_tile;
    std::optional<method::shared::FinishConstants> m_finish;
};

} // namespace

class FinishTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBoxHasTheValueOfItsOperation() {
        int finished = 0;
        int exact = 0;
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
            const base::AnyImage scene = test::noise(type, {24, 20, 1}, 11);
            const base::AnyImage templ = test::crop(scene, {{5, 6, 0}, {6, 5, 1}});
            for (const method::OperationTraits& traits : method::operationTable()) {
                if (traits.linear == nullptr) {
                    continue;
                }
                const method::Operation operation = method::operationNamed(traits.name).value();
                const Boxes boxes(scene, templ, operation);
                QVERIFY(boxes.hasFinish());
                for (const Index& corner : {Index{0, 0, 0}, Index{5, 6, 0}, Index{18, 15, 0}}) {
                    const BoxFinish made = boxes.at(corner);
                    const method::OperationValue value = boxes.canonical(operation, corner);
                    QCOMPARE(made.status, FinishStatus::Ok);
                    QVERIFY2(std::abs(made.value - value.value) <= made.bound + value.bound,
                             traits.name.data());
                    // A bound that says nothing would let every value pass.
                    QVERIFY(made.bound <= 1e-9 * value.scale);
                    if (made.bound == 0) {
                        QCOMPARE(made.value, value.value);
                        ++exact;
                    }
                    ++finished;
                }
            }
        }
        QCOMPARE(finished, 30); // two types, five operations, three panels
        QVERIFY(exact >= 6);    // correlation and ssd of integers
    }

    // Voxels of 0 have no norm to divide by.
    void aPanelWithoutANormIsFlatOrOpen() {
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32}) {
            base::AnyImage scene = test::noise(type, {24, 20, 1}, 12);
            const base::AnyImage templ = test::crop(scene, {{12, 8, 0}, {6, 5, 1}});
            for (std::int64_t i = 0; i < 7 * 6; ++i) {
                test::setVoxel(scene, {i % 7, i / 7, 0}, 0);
            }
            for (const char* const name : {"cosine", "nssd"}) {
                const Boxes boxes(scene, templ, method::operationNamed(name).value());
                const BoxFinish made = boxes.at({0, 0, 0});
                QCOMPARE(made.status,
                         type == PixelType::UInt8 ? FinishStatus::Flat : FinishStatus::Open);
                QCOMPARE(made.value, 0.0);
                QCOMPARE(boxes.at({10, 9, 0}).status, FinishStatus::Ok);
            }
        }
    }

    void aBoundAboveThePromiseIsLowConf() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {24, 20, 1}, 13);
        const base::AnyImage templ = test::crop(scene, {{5, 6, 0}, {6, 5, 1}});
        const Boxes boxes(scene, templ, method::operationNamed("ssd").value());
        const BoxFinish good = boxes.at({9, 9, 0});
        const BoxFinish low = boxes.at({9, 9, 0}, 1e-18);
        QCOMPARE(good.status, FinishStatus::Ok);
        QCOMPARE(low.status, FinishStatus::LowConf);
        QCOMPARE(low.value, good.value);
    }
};

const flcc::test::TestClass<FinishTest> kFinishTest;
#include "finish_test.moc"
