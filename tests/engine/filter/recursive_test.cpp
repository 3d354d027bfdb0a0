#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/filter/recursive.h"
#include "tests/support/test_class.h"

using namespace flcc;
using filter::Border;
using filter::RecursiveGaussian;

namespace {

constexpr std::array<Border, 4> kBorders{Border::Zero, Border::Replicate, Border::Mirror,
                                         Border::Wrap};

using Line = std::vector<double>;

Line filtered(const RecursiveGaussian& filter, Border border, const Line& line) {
    Line to(line.size());
    const auto n = static_cast<std::int64_t>(line.size());
    Line scratch(filter::recursiveScratch(n));
    filter::filterLines(filter, border, line.data(), 1, to.data(), 1, n, 1, false, scratch.data());
    return to;
}

/// The filter by its definition, from the closed form of its impulse response.
Line convolved(const RecursiveGaussian& filter, Border border, const Line& line) {
    const auto n = static_cast<std::int64_t>(line.size());
    const std::int64_t reach = filter.memory();
    Line response;
    for (std::int64_t k = -reach; k <= reach; ++k) {
        response.push_back(filter.response(k));
    }
    Line to(line.size());
    for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t k = -reach; k <= reach; ++k) {
            const std::int64_t at = filter::borderIndex(border, i - k, n);
            sum += at < 0 ? 0
                          : response[static_cast<std::size_t>(k + reach)] *
                                line[static_cast<std::size_t>(at)];
        }
        to[static_cast<std::size_t>(i)] = sum;
    }
    return to;
}

Line noise(std::size_t n, std::uint64_t seed) {
    base::Random random(seed);
    Line line(n);
    for (double& value : line) {
        value = random.uniform(-1, 1);
    }
    return line;
}

Line made(std::int64_t n, const std::function<double(double)>& value) {
    Line line;
    for (std::int64_t i = 0; i < n; ++i) {
        line.push_back(value(static_cast<double>(i)));
    }
    return line;
}

double largestDifference(const Line& a, const Line& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        most = difference >= most ? difference : std::isnan(difference) ? HUGE_VAL : most;
    }
    return most;
}

/// The sum of |h| beyond memory() is below 2^-60 of the peak a voxel and decays; and the sum of
/// convolved() rounds itself.
double tolerance(const RecursiveGaussian& filter) {
    double sum = 0;
    for (std::int64_t n = -filter.memory(); n <= filter.memory(); ++n) {
        sum += std::abs(filter.response(n));
    }
    return 2 * filter.roundingBound() + 0x1p-50 * static_cast<double>(filter.memory()) * sum;
}

} // namespace

class RecursiveTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Largest deviation from the sampled kernel over its peak, for sigma from 1.
    void theResponseIsCloseToTheSampledKernel_data() {
        QTest::addColumn<int>("order");
        QTest::addColumn<double>("share");
        QTest::newRow("Gaussian") << 0 << 2.7e-4;
        QTest::newRow("first derivative") << 1 << 1.6e-3;
        QTest::newRow("second derivative") << 2 << 4.7e-3;
    }

    void theResponseIsCloseToTheSampledKernel() {
        QFETCH(int, order);
        QFETCH(double, share);
        for (const double sigma : {1.0, 1.3, 2.0, 3.7, 5.0, 10.0, 31.6, 100.0}) {
            const RecursiveGaussian filter(order, sigma);
            const std::int64_t radius = 2 * filter::gaussianRadius(sigma);
            const std::vector<double> taps = filter::gaussianTaps(order, sigma, radius);
            double most = 0;
            double peak = 0;
            for (std::int64_t n = -radius; n <= radius; ++n) {
                const double tap = taps[static_cast<std::size_t>(n + radius)];
                most = std::max(most, std::abs(filter.response(n) - tap));
                peak = std::max(peak, std::abs(tap));
            }
            QVERIFY2(most <= share * peak,
                     qPrintable(QString("sigma %1: %2 of the peak").arg(sigma).arg(most / peak)));
        }
    }

    void momentsAreExactOnTheGrid() {
        for (int order = 0; order < 3; ++order) {
            for (const double sigma : {0.7, 1.0, 4.5, 20.0, 100.0, 1000.0}) {
                const RecursiveGaussian filter(order, sigma);
                std::array<long double, 3> moments{};
                long double size = 0;
                for (std::int64_t n = -filter.memory(); n <= filter.memory(); ++n) {
                    const long double h = filter.response(n);
                    const long double at = static_cast<long double>(n);
                    moments[0] += h;
                    moments[1] += h * at;
                    moments[2] += h * at * at;
                    size += std::abs(h) * std::pow(std::abs(at), static_cast<long double>(order));
                }
                const auto close = [&](long double value, double wanted) {
                    return std::abs(static_cast<double>(value) - wanted) <=
                           1e-13 * static_cast<double>(size) * sigma;
                };
                if (order == 0) {
                    QVERIFY(close(moments[0], 1));
                } else if (order == 1) {
                    QVERIFY(close(moments[0], 0) && close(moments[1], -1));
                    QCOMPARE(filter.response(0), 0.0);
                } else {
                    QVERIFY(close(moments[0], 0) && close(moments[2], 2));
                }
            }
        }
    }

    void everyBorderIsTheConvolutionWithTheResponse() {
        for (int order = 0; order < 3; ++order) {
            for (const double sigma : {0.7, 1.5, 4.0, 25.0}) {
                const RecursiveGaussian filter(order, sigma);
                for (const std::size_t n : {1U, 2U, 3U, 7U, 40U, 301U}) {
                    const Line line = noise(n, n);
                    for (const Border border : kBorders) {
                        const double most = largestDifference(filtered(filter, border, line),
                                                              convolved(filter, border, line));
                        QVERIFY2(most <= tolerance(filter),
                                 qPrintable(QString("order %1, sigma %2, %3 voxels, %4: %5 > %6")
                                                .arg(order)
                                                .arg(sigma)
                                                .arg(n)
                                                .arg(filter::name(border).data())
                                                .arg(most)
                                                .arg(tolerance(filter))));
                    }
                }
            }
        }
    }

    void constantsStayConstant() {
        for (const double sigma : {0.7, 3.0, 50.0, 1000.0}) {
            for (const Border border : {Border::Replicate, Border::Mirror, Border::Wrap}) {
                for (const std::size_t n : {1U, 5U, 200U, 3000U}) {
                    const Line line(n, 100.0);
                    const RecursiveGaussian smooth(0, sigma);
                    QVERIFY(largestDifference(filtered(smooth, border, line), line) <=
                            100 * smooth.roundingBound());
                    for (int order = 1; order < 3; ++order) {
                        const RecursiveGaussian derivative(order, sigma);
                        QVERIFY(
                            largestDifference(filtered(derivative, border, line), Line(n, 0.0)) <=
                            100 * derivative.roundingBound());
                    }
                }
            }
        }
    }

    // Away from the borders: the derivative of a ramp is its slope, the second derivative of
    // x^2 / 2 is 1, and a Gaussian blob widens.
    void polynomialsAndBlobsHaveTheirClosedForms() {
        for (const double sigma : {1.0, 2.5, 8.0}) {
            const std::int64_t reach = RecursiveGaussian(2, sigma).memory();
            const std::int64_t n = 2 * reach + 21;
            const auto middle = static_cast<double>(n / 2);
            const Line ramp = made(n, [&](double x) { return x - middle; });
            const Line bowl = made(n, [&](double x) { return (x - middle) * (x - middle) / 2; });
            const auto at = static_cast<std::size_t>(n / 2);
            const double size = middle * middle;
            const RecursiveGaussian smooth(0, sigma);
            const RecursiveGaussian first(1, sigma);
            const RecursiveGaussian second(2, sigma);
            for (std::size_t i = at - 5; i <= at + 5; ++i) {
                QVERIFY(std::abs(filtered(smooth, Border::Replicate, ramp)[i] - ramp[i]) <=
                        2 * middle * smooth.roundingBound() + 1e-12);
                QVERIFY(std::abs(filtered(first, Border::Replicate, ramp)[i] - 1) <=
                        2 * middle * first.roundingBound() + 1e-12);
                QVERIFY(std::abs(filtered(first, Border::Replicate, bowl)[i] - ramp[i]) <=
                        2 * size * first.roundingBound() + 1e-12);
                QVERIFY(std::abs(filtered(second, Border::Replicate, bowl)[i] - 1) <=
                        2 * size * second.roundingBound() + 1e-12);
            }
            const double blob = 4;
            const double wide = std::hypot(blob, sigma);
            const Line bump =
                made(n, [&](double x) { return std::exp(-std::pow((x - middle) / blob, 2) / 2); });
            const Line wider = made(n, [&](double x) {
                return blob / wide * std::exp(-std::pow((x - middle) / wide, 2) / 2);
            });
            // The design errs by 2.6e-4 of the kernel's peak, 1 / (sqrt(2 pi) sigma), on each
            // voxel of the blob, whose sum is sqrt(2 pi) blob.
            QVERIFY(largestDifference(filtered(smooth, Border::Zero, bump), wider) <=
                    2.6e-4 * blob / sigma);
        }
    }

    // Vectors across lines, rows turned into lanes, single lines and every pixel type agree.
    void linesAndRowsOfEveryTypeAgree() {
        const RecursiveGaussian filter(1, 2.2);
        const std::int64_t n = 37;
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            for (const std::int64_t lines : {1, 3, 8, 16, 29, 64}) {
                for (const Border border : kBorders) {
                    check(filter, border, n, lines);
                }
            }
        }
        cpu::simd::forceInstructionSet("");
    }

    void aSigmaOutsideTheRangeIsRefused() {
        for (const double sigma :
             {0.0, -1.0, 0.69, 1e308, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
            QVERIFY_EXCEPTION_THROWN(RecursiveGaussian(0, sigma), base::Error);
        }
        for (const double sigma : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
            QVERIFY_EXCEPTION_THROWN(filter::gaussianTaps(0, sigma, 3), base::Error);
        }
        QVERIFY_EXCEPTION_THROWN(RecursiveGaussian(3, 1), base::Error);
        QVERIFY_EXCEPTION_THROWN(filter::gaussianTaps(-1, 1, 3), base::Error);
    }

    void tapsOfNarrowKernelsAreNormalised() {
        for (const double sigma : {0.01, 0.1, 0.3, 0.5, 0.69, 3.0}) {
            for (int order = 0; order < 3; ++order) {
                const std::int64_t radius = filter::gaussianRadius(sigma);
                const std::vector<double> taps = filter::gaussianTaps(order, sigma, radius);
                std::array<double, 3> moments{};
                for (std::int64_t n = -radius; n <= radius; ++n) {
                    const double tap = taps[static_cast<std::size_t>(n + radius)];
                    const auto at = static_cast<double>(n);
                    moments[0] += tap;
                    moments[1] += tap * at;
                    moments[2] += tap * at * at;
                }
                QVERIFY(std::abs(moments[0] - (order == 0 ? 1 : 0)) < 1e-14);
                QVERIFY(order != 1 || std::abs(moments[1] + 1) < 1e-14);
                QVERIFY(order != 2 || std::abs(moments[2] - 2) < 1e-13);
            }
        }
    }

  private:
    static void check(const RecursiveGaussian& filter, Border border, std::int64_t n,
                      std::int64_t lines) {
        const auto count = static_cast<std::size_t>(n * lines);
        const Line values = noise(count, 5);
        std::vector<float> single(count); // the same values: line i, voxel x at x * lines + i
        Line across(count);
        Line along(count); // at i * n + x
        std::vector<float> singleAlong(count);
        Line wanted(count);
        for (std::int64_t i = 0; i < lines; ++i) {
            Line line;
            for (std::int64_t x = 0; x < n; ++x) {
                const auto at = static_cast<std::size_t>(x * lines + i);
                single[at] = static_cast<float>(values[at]);
                across[at] = static_cast<double>(single[at]);
                line.push_back(across[at]);
                along[static_cast<std::size_t>(i * n + x)] = across[at];
                singleAlong[static_cast<std::size_t>(i * n + x)] = single[at];
            }
            const Line one = convolved(filter, border, line);
            for (std::int64_t x = 0; x < n; ++x) {
                wanted[static_cast<std::size_t>(x * lines + i)] = one[static_cast<std::size_t>(x)];
            }
        }
        Line scratch(filter::recursiveScratch(n));
        Line out(count, 1.0);
        filter::filterLines(filter, border, single.data(), lines, out.data(), lines, n, lines,
                            false, scratch.data());
        QVERIFY(largestDifference(out, wanted) <= tolerance(filter));
        filter::filterLines(filter, border, across.data(), lines, across.data(), lines, n, lines,
                            false, scratch.data()); // in place
        QCOMPARE(across, out);
        std::vector<float> singleOut(count, 1.0F);
        filter::filterLines(filter, border, single.data(), lines, singleOut.data(), lines, n, lines,
                            true, scratch.data()); // added to 1
        for (std::size_t i = 0; i < count; ++i) {
            QCOMPARE(singleOut[i], static_cast<float>(1 + out[i]));
        }
        Line rowsOut(count, 2.0);
        filter::filterRows(filter, border, singleAlong.data(), n, rowsOut.data(), n, n, lines, true,
                           scratch.data()); // added to 2
        filter::filterRows(filter, border, along.data(), n, along.data(), n, n, lines, false,
                           scratch.data()); // in place
        for (std::int64_t i = 0; i < lines; ++i) {
            for (std::int64_t x = 0; x < n; ++x) {
                const auto row = static_cast<std::size_t>(i * n + x);
                const double value = wanted[static_cast<std::size_t>(x * lines + i)];
                QVERIFY(std::abs(along[row] - value) <= tolerance(filter));
                QVERIFY(std::abs(rowsOut[row] - 2 - value) <= tolerance(filter) + 0x1p-50);
            }
        }
    }
};

const flcc::test::TestClass<RecursiveTest> kRecursiveTest;
#include "recursive_test.moc"
