#include <QtTest>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/operation/absolute_differences.h"
#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/tile/box_sums.h"
#include "tests/support/effort.h"
#include "tests/support/extents_column.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using method::Operation;

namespace {

/// Scene and template of one type, whose levels may be far apart.
struct RowCase {
    base::AnyImage scene;
    base::AnyImage templ;
};

RowCase caseOf(PixelType type, const Extents& n, const Extents& m, bool apart) {
    RowCase made{test::noise(type, n, 5), test::noise(type, m, 6)};
    if (apart) {
        const double far = base::isInteger(type) ? 100 : 3e5;
        made.scene = test::mapped(made.scene, type, [&](double value) { return value + far; });
    }
    return made;
}

/// Every value of rows has the bits of the value at its placement. Returns how many values there
/// were, or -1.
std::int64_t compareRows(Operation operation, const RowCase& of, const Extents& points) {
    method::Problem problem;
    problem.operation = operation;
    problem.scene = base::extentsOf(of.scene);
    problem.templ = base::extentsOf(of.templ);
    problem.scenePixel = problem.templPixel = base::pixelType(of.scene);
    const method::MaskedView scene(of.scene);
    const cpu::TransformShape shape(points);
    const cpu::OperationPrepared templ(problem, method::MaskedView(of.templ), shape);
    const Extents out = method::mapExtents(problem);
    const auto values = cpu::makeValues(problem, out, shape);
    if (!values->load(problem, templ, scene, {{0, 0, 0}, out}, {})) {
        return -1;
    }
    cpu::RowValues row;
    row.resize(static_cast<std::size_t>(out.x));
    std::int64_t compared = 0;
    for (std::int64_t i = 0; i < out.y * out.z; ++i) {
        const Index at{0, i % out.y, i / out.y};
        if (!values->row(at.y, at.z, row)) {
            return 0;
        }
        for (std::int64_t x = 0; x < out.x; ++x) {
            const auto single = values->value({x, at.y, at.z});
            const auto place = static_cast<std::size_t>(x);
            if (!single || single->status != base::Status::Ok ||
                single->value != row.value[place] || single->bound != row.bound[place] ||
                single->scale != row.scale[place]) {
                qWarning("%s at %s: row %.17g +- %g of %g, placement %.17g +- %g of %g",
                         std::string(method::name(operation)).c_str(),
                         base::toString(Index{x, at.y, at.z}).c_str(), row.value[place],
                         row.bound[place], row.scale[place], single ? single->value : 0,
                         single ? single->bound : 0, single ? single->scale : 0);
                return -1;
            }
            ++compared;
        }
    }
    return compared;
}

/// x at `at` of a tile whose rows have `length` voxels.
template <class Voxel> std::vector<double> tileOf(const Extents& extents, const Voxel& voxel) {
    std::vector<double> tile;
    for (std::int64_t i = 0; i < base::voxelCount(extents); ++i) {
        tile.push_back(voxel(i));
    }
    return tile;
}

/// The largest difference of window sums from those of the definition, divided by what is allowed:
/// `error` times the sum of magnitudes. With `error` 0, any difference is infinite.
double worstWindow(std::vector<double> x, const Extents& m, const Extents& out, double error) {
    const Extents seen{out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1};
    const auto count = static_cast<std::size_t>(base::voxelCount(out));
    std::vector<double> sums(count);
    std::vector<double> squares(count);
    cpu::BoxSums windows(m, out);
    for (int again = 0; again < 2; ++again) { // buffers may be used again
        windows.sum({x.data(), seen.x, seen.x * seen.y}, out, {sums.data(), out.x, out.x * out.y},
                    {squares.data(), out.x, out.x * out.y});
    }
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const Index first{at % out.x, at / out.x % out.y, at / (out.x * out.y)};
        long double sum = 0;
        long double magnitude = 0;
        long double square = 0;
        for (std::int64_t k = 0; k < base::voxelCount(m); ++k) {
            const Index in{first.x + k % m.x, first.y + k / m.x % m.y, first.z + k / (m.x * m.y)};
            const long double value =
                x[static_cast<std::size_t>((in.z * seen.y + in.y) * seen.x + in.x)];
            sum += value;
            magnitude += std::abs(value);
            square += value * value;
        }
        const auto share = [&](double found, long double truth, long double size) {
            const double apart = static_cast<double>(std::abs(found - truth));
            return apart == 0 ? 0 : apart / (error * static_cast<double>(size));
        };
        worst =
            std::max({worst, share(sums[i], sum, magnitude), share(squares[i], square, square)});
    }
    return worst;
}

} // namespace

class CpuOperationRowsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aRowIsWhatItsPlacementsAre_data() {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("type");
        test::Thinned some(3);
        for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
            for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::UInt16,
                                         PixelType::Float32, PixelType::Float64}) {
                if (some.next()) {
                    QTest::addRow("%s of %s",
                                  std::string(method::operationTable()[row].name).c_str(),
                                  std::string(base::name(type)).c_str())
                        << static_cast<int>(row) << static_cast<int>(type);
                }
            }
        }
    }
    void aRowIsWhatItsPlacementsAre() {
        QFETCH(int, row);
        QFETCH(int, type);
        const Operation operation(static_cast<std::size_t>(row));
        for (const bool apart : {false, true}) {
            const RowCase flat =
                caseOf(static_cast<PixelType>(type), {53, 31, 1}, {7, 5, 1}, apart);
            QCOMPARE(compareRows(operation, flat, {0, 0, 0}), std::int64_t{47 * 27});
            const RowCase volume =
                caseOf(static_cast<PixelType>(type), {21, 12, 9}, {4, 3, 3}, apart);
            QCOMPARE(compareRows(operation, volume, {0, 0, 0}), std::int64_t{18 * 10 * 7});
            if (!operation.traits().byDefinition) {
                QCOMPARE(compareRows(operation, flat, {64, 32, 1}), std::int64_t{47 * 27});
                QCOMPARE(compareRows(operation, volume, {32, 16, 16}), std::int64_t{18 * 10 * 7});
            }
        }
    }

    void aTileWithNanHasSinglePlacementsOnly() {
        RowCase of = caseOf(PixelType::Float32, {20, 15, 1}, {4, 3, 1}, false);
        std::get<base::Image<float>>(of.scene).view().at(11, 9, 0) = NAN;
        for (std::size_t row = 1; row < method::operationTable().size(); ++row) {
            QCOMPARE(compareRows(Operation(row), of, {0, 0, 0}), std::int64_t{0});
        }
    }

    void windowSumsOfWholeNumbersAreExact_data() {
        QTest::addColumn<Extents>("m");
        for (const Extents& m : {Extents{1, 1, 1}, Extents{2, 1, 1}, Extents{3, 2, 1},
                                 Extents{7, 5, 1}, Extents{8, 8, 1}, Extents{1, 6, 1},
                                 Extents{33, 1, 1}, Extents{4, 3, 3}, Extents{5, 1, 6}}) {
            QTest::newRow(base::toString(m).c_str()) << m;
        }
    }
    void windowSumsOfWholeNumbersAreExact() {
        QFETCH(Extents, m);
        test::Random random(3);
        for (const Extents& out : {Extents{13, 9, 1}, Extents{6, 5, 7}, Extents{1, 1, 1}}) {
            const Extents seen{out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1};
            const auto tile = tileOf(seen, [&](std::int64_t) {
                return static_cast<double>(random.below(1 << 20) - (1 << 19));
            });
            QCOMPARE(worstWindow(tile, m, out, 0), 0.0);
        }
    }

    void windowSumsKeepTheirBoundBesideABrightVoxel() {
        // What a bright voxel leaves in sums of windows beside it would be far above their bound.
        test::Random random(4);
        for (const Extents& m : {Extents{9, 8, 1}, Extents{6, 5, 4}}) {
            const Extents out{14, 11, m.z == 1 ? 1 : 6};
            const Extents seen{out.x + m.x - 1, out.y + m.y - 1, out.z + m.z - 1};
            auto tile = tileOf(seen, [&](std::int64_t) { return random.normal(); });
            tile[tile.size() / 2] = 1e12;
            QVERIFY(worstWindow(tile, m, out, cpu::BoxSums::error(m)) <= 1);
        }
    }
};

const flcc::test::TestClass<CpuOperationRowsTest> kCpuOperationRowsTest;
#include "operation_rows_test.moc"
