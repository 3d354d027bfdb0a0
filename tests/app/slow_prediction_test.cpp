#include <QtTest>

#include <cmath>

#include "tests/app/prediction_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using test::Filling;
using test::PredictedRun;

namespace {

Extents partOf(const Extents& scene, double share) {
    const auto length = [&](std::int64_t whole) {
        return whole == 1
                   ? 1
                   : static_cast<std::int64_t>(std::lround(static_cast<double>(whole) * share));
    };
    return {length(scene.x), length(scene.y), length(scene.z)};
}

} // namespace

class CliSlowPredictionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyMethodTakesThePredictedMemory_data() {
        QTest::addColumn<PredictedRun>("run");
        for (const Extents& scene : {Extents{3000, 2800, 1}, Extents{220, 200, 180}}) {
            for (const double share : {0.15, 0.3, 0.55, 0.75, 0.95, 1.0}) {
                for (const PixelType type :
                     {PixelType::UInt8, PixelType::UInt16, PixelType::Float32}) {
                    for (const char* method :
                         {"direct", "tiled", "fourier", "tiled-template", "dif"}) {
                        if (method == std::string("direct") && share < 0.95) {
                            continue; // takes minutes
                        }
                        const QString name = QString("%1 %2 of %3, %4")
                                                 .arg(method)
                                                 .arg(share)
                                                 .arg(base::toString(scene).c_str())
                                                 .arg(base::name(type).data());
                        QTest::newRow(qPrintable(name))
                            << PredictedRun{method, scene, partOf(scene, share), type};
                    }
                }
            }
        }
    }
    void everyMethodTakesThePredictedMemory() {
        QFETCH(PredictedRun, run);
        test::verifyPrediction(run);
    }
};

const flcc::test::TestClass<CliSlowPredictionTest> kCliSlowPredictionTest;
#include "slow_prediction_test.moc"
