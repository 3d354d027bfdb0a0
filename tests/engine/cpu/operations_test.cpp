#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "engine/method/bank.h"
#include "engine/method/operation_template.h"
#include "engine/method/separation.h"
#include "engine/plan/planner.h"
#include "engine/reference/match_operation.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using method::Bounded;
using method::Extent;
using method::MaskedView;
using method::Operation;
using method::Outside;

namespace {

/// All operations but lcc.
std::vector<Operation> others() {
    std::vector<Operation> all;
    for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
        all.emplace_back(row);
    }
    return all;
}

/// Every third voxel of a checkered support is left out.
base::Image<std::uint8_t> holes(const Extents& extents) {
    base::Image<std::uint8_t> mask(extents, 1);
    for (std::int64_t i = 0; i < mask.count(); i += 3) {
        mask.data()[i] = 0;
    }
    return mask;
}

/// Weights by chance under a support, down to a millionth.
base::Image<double> weightsUnder(const base::Image<std::uint8_t>& support) {
    test::Random random(17);
    base::Image<double> weights(support.extents(), 0.0);
    for (std::int64_t i = 0; i < weights.count(); ++i) {
        const double weight = std::pow(random.uniform(), 6) + 1e-6;
        weights.data()[i] = support.data()[i] != 0 ? weight / 1.001 : 0.0;
    }
    return weights;
}

struct OperationCase {
    MaskedView scene;
    MaskedView templ;
    Extent extent = Extent::Valid;
    Outside outside = Outside::Zero;

    [[nodiscard]] method::Problem
    problem(Operation operation, method::Precision precision = method::Precision::Double) const {
        method::Problem made;
        made.operation = operation;
        made.extent = extent;
        made.outside = outside;
        made.scene = scene.extents();
        made.templ = templ.extents();
        made.scenePixel = base::pixelType(scene.pixels);
        made.templPixel = base::pixelType(templ.pixels);
        made.mask = method::isMasked(templ);
        made.weights = method::hasWeights(templ);
        made.sceneMask = method::isMasked(scene);
        made.precision = precision;
        made.residual = method::separabilityOf(templ).residual;
        return made;
    }
};

/// A run of one candidate.
struct OperationRun {
    method::MatchMap map;
    method::MapFacts facts;
};

OperationRun runOf(const method::Method& method, const method::Candidate& candidate,
                   const method::Problem& problem, const OperationCase& of) {
    base::TilePool pool(candidate.threads);
    const auto prepared = method.prepare(problem, candidate, of.templ, pool);
    const auto workspace = method.makeWorkspace(problem, candidate);
    const bool inDouble = problem.precision == method::Precision::Double;
    OperationRun run{method::MatchMap(method::mapExtents(problem), inDouble), {}};
    run.facts = method
                    .execute(problem, candidate, *prepared, of.scene, *workspace,
                             {.pool = pool, .stop = {}, .regionFinished = {}, .onDevice = {}},
                             method::viewOf(run.map))
                    .facts;
    return run;
}

/// True for types whose sums are whole numbers that the engine keeps exact.
bool isExact(PixelType type) {
    return type != PixelType::Float32 && type != PixelType::Float64 && type != PixelType::Int64 &&
           type != PixelType::UInt64;
}

/// True for an operation that makes whole numbers of whole sums, without their means.
bool isWhole(Operation operation) {
    const Bounded whole{3, 0};
    const Bounded rounded{3, 1e-16};
    const method::Quantities of{whole, whole, whole, rounded, rounded, rounded, whole, whole};
    return !operation.traits().isPure() && operation.traits().finish(of).error == 0;
}

/// Compares every voxel of every method with the definition. Returns how many runs there were.
int judge(Operation operation, const OperationCase& of, bool exact, method::Precision precision) {
    const method::Problem problem = of.problem(operation, precision);
    const bool inDouble = precision == method::Precision::Double;
    const reference::MatchOperation definition(operation, of.templ, of.outside);
    const base::Index first = method::firstPlacement(problem);
    int runs = 0;
    for (const method::Method* method : plan::methods()) {
        if (!method->refusal(problem).empty()) {
            continue;
        }
        const method::Candidate candidate =
            method->candidates(problem, {.threads = 2}, {0, 0, 0}).front();
        if (std::holds_alternative<method::Refusal>(
                method->predict(problem, candidate, {.threads = 2}, {}, nullptr))) {
            continue;
        }
        const OperationRun run = runOf(*method, candidate, problem, of);
        ++runs;
        const Extents map = method::mapExtents(problem);
        std::array<std::int64_t, base::kStatusCount> counts{};
        for (std::int64_t i = 0; i < run.map.value.count(); ++i) {
            const base::Index at{i % map.x, i / map.x % map.y, i / (map.x * map.y)};
            const base::Index corner{at.x + first.x, at.y + first.y, at.z + first.z};
            const reference::Score truth = definition.at(of.scene, corner);
            const Status status = run.map.status.data()[i];
            ++counts[static_cast<std::size_t>(status)];
            const double value =
                inDouble ? run.map.exact.data()[i] : static_cast<double>(run.map.value.data()[i]);
            const double apart = std::abs(value - truth.value);
            const double error = apart == 0 || exact ? 0 : definition.errorAt(of.scene, corner);
            const double allowed =
                (exact && inDouble) || apart == 0
                    ? 0
                    : error + std::min(run.facts.largestBound,
                                       problem.promise * definition.scaleAt(of.scene, corner));
            const bool good = status == truth.status && apart <= allowed &&
                              run.map.value.data()[i] == static_cast<float>(value);
            if (!good) {
                qWarning("%s by %s at %s: %.17g, status %d, but the definition gives %.17g, status "
                         "%d; allowed %g",
                         std::string(method::name(operation)).c_str(),
                         std::string(method->name()).c_str(), base::toString(at).c_str(), value,
                         static_cast<int>(status), truth.value, static_cast<int>(truth.status),
                         allowed);
                return -1;
            }
        }
        if (counts != run.facts.statusCounts) {
            qWarning("wrong counts of statuses");
            return -1;
        }
    }
    return runs;
}

/// The same in both precisions.
int judge(Operation operation, const OperationCase& of, bool exact) {
    const int single = judge(operation, of, exact, method::Precision::Single);
    return single < 0 ? single : judge(operation, of, exact, method::Precision::Double);
}

} // namespace

class CpuOperationsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyValueIsThatOfTheDefinition_data() {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("type");
        test::Thinned some(13); // no factor of the number of types
        for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
            for (int number = 0; number < 10; ++number) {
                if (!some.next()) {
                    continue;
                }
                const auto type = static_cast<PixelType>(number);
                QTest::addRow("%s of %s", std::string(method::operationTable()[row].name).c_str(),
                              std::string(base::name(type)).c_str())
                    << static_cast<int>(row) << number;
            }
        }
    }
    void everyValueIsThatOfTheDefinition() {
        QFETCH(int, row);
        QFETCH(int, type);
        const Operation operation(static_cast<std::size_t>(row));
        const auto pixel = static_cast<PixelType>(type);
        for (const bool volume : {false, true}) {
            const Extents n = volume ? Extents{17, 12, 9} : Extents{43, 31, 1};
            const Extents m = volume ? Extents{4, 3, 3} : Extents{7, 5, 1};
            const base::AnyImage scene = test::noise(pixel, n, 5);
            const base::AnyImage templ = test::noise(pixel, m, 6);
            const auto support = holes(m);
            const auto seen = holes(n);
            const MaskedView plain(scene);
            const MaskedView masked(base::viewOf(scene), seen.view());
            const MaskedView box(templ);
            const MaskedView punched(base::viewOf(templ), support.view());
            const bool exact =
                isExact(pixel) && base::bytesPerVoxel(pixel) <= 2 && isWhole(operation);
            for (const OperationCase& each :
                 {OperationCase{plain, box}, OperationCase{plain, punched},
                  OperationCase{masked, box}, OperationCase{plain, box, Extent::Same},
                  OperationCase{plain, punched, Extent::Full, Outside::Overlap},
                  OperationCase{masked, punched, Extent::Full}}) {
                QVERIFY(judge(operation, each, exact) > 0);
            }
        }
    }

    void weightsCountInEveryValue_data() { everyValueIsThatOfTheDefinition_data(); }
    void weightsCountInEveryValue() {
        QFETCH(int, row);
        QFETCH(int, type);
        const Operation operation(static_cast<std::size_t>(row));
        const auto pixel = static_cast<PixelType>(type);
        // Every operation and type has a picture or a volume, and half of the cases.
        const int turn = row + type;
        const bool volume = turn % 3 == 0;
        const Extents n = volume ? Extents{15, 12, 9} : Extents{43, 31, 1};
        const Extents m = volume ? Extents{4, 3, 3} : Extents{7, 5, 1};
        base::AnyImage scene = test::noise(pixel, n, 15);
        const base::AnyImage templ = test::noise(pixel, m, 16);
        const auto support = holes(m);
        const auto weights = weightsUnder(support);
        const auto seen = holes(n);
        if (pixel == PixelType::Float32 || pixel == PixelType::Float64) {
            test::setVoxel(scene, {9, 8, n.z / 2}, std::nan("")); // under any weight above 0
        }
        for (std::int64_t i = 0; i < 8 * 7; ++i) { // panels of zeros
            test::setVoxel(scene, {i % 8, i / 8, 0}, 0);
        }
        const MaskedView plain(scene);
        const MaskedView masked(base::viewOf(scene), seen.view());
        const MaskedView soft(base::viewOf(templ), support.view(), weights.view());
        const std::vector<OperationCase> cases{{plain, soft},
                                               {masked, soft},
                                               {plain, soft, Extent::Same},
                                               {plain, soft, Extent::Full, Outside::Overlap}};
        for (std::size_t i = static_cast<std::size_t>(turn % 2); i < cases.size(); i += 2) {
            QVERIFY(judge(operation, cases[i], false) > 0);
        }
    }

    void boundsAreSmall() {
        // Each sum has a bound near the roundings of its terms; a copy is a minimum of exactly 0.
        const base::AnyImage scene = test::noise(PixelType::Float32, {64, 48, 1}, 9);
        const base::AnyImage templ = test::crop(scene, {{20, 10, 0}, {9, 8, 1}});
        const OperationCase of{MaskedView(scene), MaskedView(templ)};
        for (const Operation operation : others()) {
            const method::Problem problem = of.problem(operation);
            const method::Method& method = *plan::methods().front();
            QVERIFY(method.refusal(problem).empty());
            const OperationRun run = runOf(
                method, method.candidates(problem, {.threads = 1}, {0, 0, 0}).front(), problem, of);
            const double at = run.map.exact.view().at(20, 10, 0);
            const double scale = 72 * 256 * 256; // above every sum of this noise
            QVERIFY(run.facts.largestBound <= 1e-13 * scale);
            if (operation.traits().best == method::Best::Smallest) {
                QVERIFY(std::abs(at) <= run.facts.largestBound);
            }
            const double sign = operation.traits().sign();
            for (std::int64_t i = 0; operation.traits().isPure() && i < run.map.value.count();
                 ++i) {
                QVERIFY(sign * run.map.exact.data()[i] <= sign * at + 1e-12);
            }
        }
    }

    void aHighLevelWithOneCountOfContrast() {
        if (test::kSanitized) {
            QSKIP("numbers only; the other tests make the same reads and writes");
        }
        // Sums of 2^40, of which whole numbers are kept to the last unit, also by transforms.
        for (const PixelType type : {PixelType::UInt16, PixelType::Float32, PixelType::Float64}) {
            const base::AnyImage scene = test::oneCountOver(type, {70, 50, 1}, 60000, 3);
            const base::AnyImage templ = test::crop(scene, {{30, 20, 0}, {13, 11, 1}});
            for (const Operation operation : others()) {
                const bool exact = type == PixelType::UInt16 && isWhole(operation);
                for (const Extent extent : {Extent::Valid, Extent::Same}) {
                    QVERIFY(judge(operation, {MaskedView(scene), MaskedView(templ), extent},
                                  exact) > 0);
                }
            }
        }
    }

    void levelsFarApartAreWithinTheBound() {
        if (test::kSanitized) {
            QSKIP("numbers only; the other tests make the same reads and writes");
        }
        // The values are moved to one level: the rounding of that is part of the bound.
        for (const PixelType type : {PixelType::Float32, PixelType::Float64}) {
            for (const double far : {-3e4, 1e7}) {
                const auto shifted = [&](const base::AnyImage& image) {
                    return test::mapped(image, type, [&](double v) { return 0.37 * v + far; });
                };
                const base::AnyImage plain = test::noise(type, {40, 31, 1}, 5);
                const base::AnyImage small = test::noise(type, {7, 5, 1}, 6);
                const base::AnyImage scene = shifted(plain);
                const base::AnyImage templ = shifted(small);
                for (const Operation operation : others()) {
                    QVERIFY(judge(operation, {MaskedView(scene), MaskedView(small)}, false) > 0);
                    QVERIFY(judge(operation, {MaskedView(plain), MaskedView(templ)}, false) > 0);
                }
            }
        }
    }

    void aConstantZeroPanelIsFlatWhereTheValueIsUndefined() {
        const base::Image<float> scene({12, 10, 1}, 0.0F);
        const base::AnyImage templ = test::noise(PixelType::Float32, {4, 3, 1}, 3);
        const OperationCase of{MaskedView(scene.view()), MaskedView(templ)};
        for (const Operation operation : others()) {
            const method::Problem problem = of.problem(operation);
            const method::Method& method = *plan::methods().front();
            const OperationRun run = runOf(
                method, method.candidates(problem, {.threads = 1}, {0, 0, 0}).front(), problem, of);
            const Status expected = operation.traits().isPure() ? Status::Flat : Status::Ok;
            QVERIFY(run.map.status.data()[0] == expected);
        }
    }

    void aConstantPanelHasNoVariance() {
        // Sums of this level have more digits than long double: their mean is not the level.
        const base::Image<double> scene({67, 66, 1}, 0.3);
        const base::AnyImage templ = test::noise(PixelType::Float64, {65, 65, 1}, 3);
        const OperationCase of{MaskedView(scene.view()), MaskedView(templ)};
        for (const Operation operation : others()) {
            QVERIFY(judge(operation, of, false) > 0);
        }
        const Operation covariance = method::operationNamed("covariance").value();
        const method::OperationValue found =
            method::OperationTemplate(of.templ, covariance)
                .value(covariance, of.scene, {1, 1, 0}, of.outside, 0.5);
        QVERIFY(found.value == 0 && found.bound == 0); // QCOMPARE would accept 1e-29
    }

    void nonFiniteVoxelsSpoilTheirPanelsOnly() {
        base::AnyImage scene = test::noise(PixelType::Float32, {30, 20, 1}, 4);
        std::get<base::Image<float>>(scene).view().at(11, 9, 0) = NAN;
        std::get<base::Image<float>>(scene).view().at(25, 3, 0) = INFINITY;
        const base::AnyImage templ = test::noise(PixelType::Float32, {5, 4, 1}, 3);
        const OperationCase of{MaskedView(scene), MaskedView(templ)};
        for (const Operation operation : others()) {
            QVERIFY(judge(operation, of, false) > 0);
        }
    }

    void aBankHoldsTheBestOfItsTemplates() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 30, 1}, 7);
        const base::AnyImage one = test::crop(scene, {{5, 6, 0}, {6, 5, 1}});
        const base::AnyImage two = test::crop(scene, {{25, 16, 0}, {6, 5, 1}});
        const OperationCase of{MaskedView(scene), MaskedView(one)};
        const OperationCase other{of.scene, MaskedView(two)};
        for (const Operation operation : others()) {
            method::Problem problem = of.problem(operation);
            const method::Method& method = *plan::methods().front();
            const auto candidate = method.candidates(problem, {.threads = 2}, {0, 0, 0}).front();
            const OperationRun first = runOf(method, candidate, problem, of);
            const OperationRun second = runOf(method, candidate, problem, other);
            problem.templates = 2;
            base::TilePool pool(2);
            const auto workspace = method.makeWorkspace(problem, candidate);
            method::MatchMap best(method::mapExtents(problem), true);
            base::Image<std::int32_t> index(method::mapExtents(problem), -1);
            const method::PreparedTemplates prepared{
                method.prepare(problem, candidate, of.templ, pool),
                method.prepare(problem, candidate, other.templ, pool)};
            const method::Outcome outcome =
                method.executeBank(problem, candidate, prepared, of.scene, *workspace,
                                   {.pool = pool, .stop = {}, .regionFinished = {}, .onDevice = {}},
                                   {method::viewOf(best), index.view()});
            const double sign = operation.traits().sign();
            for (std::int64_t i = 0; i < index.count(); ++i) {
                const double a = sign * first.map.exact.data()[i];
                const double b = sign * second.map.exact.data()[i];
                QCOMPARE(index.data()[i], b > a ? 1 : 0);
                QCOMPARE(sign * best.exact.data()[i], std::max(a, b));
            }
            QCOMPARE(outcome.facts.scores.count, 2 * index.count());
            QCOMPARE(outcome.facts.statusCounts[0], index.count());
        }
    }

    void differencesAreRefusedByName() {
        const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 30, 1}, 7);
        const base::AnyImage templ = test::noise(PixelType::UInt8, {5, 5, 1}, 8);
        const OperationCase of{MaskedView(scene), MaskedView(templ)};
        const auto sad = method::operationNamed("sad");
        QVERIFY(sad.has_value());
        for (const method::Method* method : plan::methods()) {
            QVERIFY(method->refusal(of.problem(Operation())).empty());
            if (!method->traits().byDefinition) {
                const std::string reason = method->refusal(of.problem(*sad));
                QVERIFY2(reason.find("no operation sad; use --method direct") != std::string::npos,
                         reason.c_str());
            }
        }
        method::Problem problem = of.problem(*sad);
        problem.outside = Outside::Eibl;
        const method::Method& direct = *plan::methods().front();
        const auto verdict = direct.predict(
            problem, direct.candidates(problem, {}, {0, 0, 0}).front(), {}, {}, nullptr);
        QVERIFY(std::holds_alternative<method::Refusal>(verdict));
    }
};

const flcc::test::TestClass<CpuOperationsTest> kCpuOperationsTest;
#include "operations_test.moc"
