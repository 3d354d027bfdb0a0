#include <QtTest>

#include <cmath>
#include <string>

#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/kinds.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

/// No score that is not marked may be further off than its bound says.
class BoundsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void boundsHoldOnScenesThatAreHardOnThem_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < test::kKinds; ++kind) {
            QTest::newRow(std::to_string(kind).c_str()) << kind;
        }
    }

    void boundsHoldOnScenesThatAreHardOnThem() {
        QFETCH(int, kind);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const std::string fault = test::judgeKind(kind, seed);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // Stripes of one frequency, a template smooth along them and of another frequency across: the
    // output has single bright lines, and the errors of the transforms gather in them.
    void boundsHoldOnStripesOfAnotherFrequency() {
        for (const bool along : {true, false}) {
            const auto stripes = [along](const Extents& extents, double frequency) {
                return test::makeScene(PixelType::Float32, extents, [&](const Index& i) {
                    return std::sin(frequency * static_cast<double>(along ? i.y : i.x));
                });
            };
            const base::AnyImage scene = stripes({256, 256, 1}, 0.7);
            const base::AnyImage templ = stripes({105, 105, 1}, 0.31);
            const std::string fault = test::judgeSampled(scene, templ, {}, 300);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(BoundsTest)
#include "bounds_test.moc"
