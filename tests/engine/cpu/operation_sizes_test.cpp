#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include "engine/plan/planner.h"
#include "engine/reference/match_operation.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using method::MaskedView;
using method::Operation;

namespace {

constexpr double kPromise = 1e-4;

/// Values of a type from 0 to 2 times `size`.
base::AnyImage sized(PixelType type, const Extents& extents, std::uint64_t seed, double size) {
    return test::mapped(test::noise(PixelType::Float64, extents, seed), type,
                        [&](double v) { return (1 + std::tanh(v - 1)) * size; });
}

/// Compares every placement by every method with the definition. Empty, or what is wrong.
std::string judged(Operation operation, const base::AnyImage& scene, const base::AnyImage& templ) {
    method::Problem problem;
    problem.operation = operation;
    problem.scene = base::extentsOf(scene);
    problem.templ = base::extentsOf(templ);
    problem.scenePixel = base::pixelType(scene);
    problem.templPixel = base::pixelType(templ);
    problem.precision = method::Precision::Double;
    problem.promise = kPromise;
    const MaskedView in(scene);
    const MaskedView of(templ);
    const reference::MatchOperation definition(operation, of);
    base::TilePool pool(1);
    for (const method::Method* method : plan::methods()) {
        if (!method->refusal(problem).empty()) {
            continue;
        }
        const method::Candidate candidate =
            method->candidates(problem, {.threads = 1}, {0, 0, 0}).front();
        if (std::holds_alternative<method::Refusal>(
                method->predict(problem, candidate, {.threads = 1}, {}, nullptr))) {
            continue;
        }
        const auto prepared = method->prepare(problem, candidate, of, pool);
        const auto workspace = method->makeWorkspace(problem, candidate);
        method::MatchMap map(method::mapExtents(problem), true);
        (void)method->execute(problem, candidate, *prepared, in, *workspace,
                              {.pool = pool, .stop = {}, .regionFinished = {}, .onDevice = {}},
                              method::viewOf(map));
        const Extents n = map.value.extents();
        for (std::int64_t i = 0; i < map.value.count(); ++i) {
            const base::Index at{i % n.x, i / n.x, 0};
            const reference::Score truth = definition.at(in, at);
            const double value = map.exact.data()[i];
            // A value or a norm that no double can hold has no digits.
            const double scale = definition.scaleAt(in, at);
            const bool representable =
                std::isfinite(truth.value) && std::isfinite(scale) && scale > 1e-290;
            const double allowed = kPromise * scale + definition.errorAt(in, at);
            const Status status = map.status.data()[i];
            const bool right =
                status == truth.status && std::abs(value - truth.value) <=
                                              allowed + std::numeric_limits<double>::denorm_min();
            const bool good = right || (!representable && status == Status::LowConf);
            if (!good) {
                return std::string(method->name()) + " at " + base::toString(at) + ": " +
                       QString::number(value, 'g', 17).toStdString() + " " +
                       std::string(base::name(status)) + ", not " +
                       QString::number(truth.value, 'g', 17).toStdString() + " " +
                       std::string(base::name(truth.status));
            }
        }
    }
    return {};
}

} // namespace

class CpuOperationSizesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void sidesFarApartAreRight_data() {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("templ");
        QTest::addColumn<int>("scene");
        for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
            const std::string name(method::operationTable()[row].name);
            for (const int scene : {-320, -170, -60, -15, -12, 12, 15, 60, 156, 170, 305}) {
                for (const int templ : {-300, -160, 0, 160, 300}) {
                    QTest::addRow("%s of 1e%d and 1e%d", name.c_str(), scene, templ)
                        << static_cast<int>(row) << templ << scene;
                }
            }
        }
    }
    void sidesFarApartAreRight() {
        QFETCH(int, row);
        QFETCH(int, templ);
        QFETCH(int, scene);
        const std::string fault =
            judged(Operation(static_cast<std::size_t>(row)),
                   sized(PixelType::Float64, {14, 11, 1}, 3, std::pow(10.0, scene)),
                   sized(PixelType::Float64, {4, 3, 1}, 4, std::pow(10.0, templ)));
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // One level for both sides loses a scene of 1e-12 beside a template of bytes.
    void bytesFindTheirCopiesInTinyScenes() {
        const base::AnyImage bytes = sized(PixelType::UInt8, {5, 4, 1}, 4, 120);
        for (const double size : {1e-15, 1e-12, 1e12, 1e15}) {
            base::AnyImage scene = sized(PixelType::Float32, {30, 22, 1}, 3, size);
            for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
                const std::string fault = judged(Operation(row), scene, bytes);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }
};

const flcc::test::TestClass<CpuOperationSizesTest> kCpuOperationSizesTest;
#include "operation_sizes_test.moc"
