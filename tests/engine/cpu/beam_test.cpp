#include <QTest>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/random.h"
#include "engine/cpu/simd/beam.h"
#include "engine/cpu/simd/kernels.h"
#include "tests/support/test_class.h"

using namespace flcc;
using cpu::beam::kElement;
using cpu::beam::kLines;

namespace {

using Complex = std::complex<long double>;

std::vector<Complex> fourierOf(const std::vector<Complex>& values) {
    const auto length = static_cast<std::int64_t>(values.size());
    std::vector<Complex> roots;
    for (std::int64_t k = 0; k < length; ++k) {
        roots.push_back(
            std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                 static_cast<long double>(length)));
    }
    std::vector<Complex> result(values.size());
    for (std::int64_t f = 0; f < length; ++f) {
        for (std::int64_t k = 0; k < length; ++k) {
            result[static_cast<std::size_t>(f)] += values[static_cast<std::size_t>(k)] *
                                                   roots[static_cast<std::size_t>(f * k % length)];
        }
    }
    return result;
}

template <class Real> base::Image<Real> randomBeam(std::int64_t length) {
    base::Image<Real> beam({length * kElement, 1, 1});
    base::Random random(7);
    for (std::int64_t i = 0; i < beam.count(); ++i) {
        beam.data()[i] = static_cast<Real>(random.uniform(-0.5, 0.5));
    }
    return beam;
}

template <class Real>
std::vector<Complex> lineOf(const base::Image<Real>& beam, std::int64_t length, std::int64_t line) {
    std::vector<Complex> result;
    for (std::int64_t k = 0; k < length; ++k) {
        const Real* const element = beam.data() + k * kElement + line;
        result.emplace_back(static_cast<long double>(element[0]),
                            static_cast<long double>(element[kLines]));
    }
    return result;
}

/// Largest relative error, in the mean square, of a transform of that length: three times the
/// expected one. Each pass rounds a product and a few sums of a value; the bounds of
/// engine/method/NUMERICS.md, section 5, allow u sqrt(log2 M).
long double tolerance(std::int64_t length, long double unit) {
    return 3 * unit * (1 + std::sqrt(std::log2(static_cast<long double>(length))));
}

template <class Real> long double errorOf(std::int64_t length) {
    const cpu::beam::Plan<Real> plan(length);
    base::Image<Real> beam = randomBeam<Real>(length);
    const std::int64_t line = 11;
    const auto exact = fourierOf(lineOf(beam, length, line));
    cpu::beam::forward(plan, beam.data(), kElement);
    const auto found = lineOf(beam, length, line);
    long double error = 0;
    long double energy = 0;
    for (std::int64_t f = 0; f < length; ++f) {
        const Complex& wanted = exact[static_cast<std::size_t>(f)];
        error += std::norm(found[static_cast<std::size_t>(plan.position(f))] - wanted);
        energy += std::norm(wanted);
    }
    return std::sqrt(error / energy);
}

/// The largest error of a part of a factor.
template <class Real> double errorOfFactors(std::int64_t length) {
    const cpu::beam::Plan<Real> plan(length);
    long double error = 0;
    for (const auto& stage : plan.stages()) {
        for (std::int64_t j = 0; j < stage.step; ++j) {
            for (std::int64_t q = 1; q < stage.radix; ++q) {
                const Complex exact = std::polar(
                    1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(j * q) /
                              static_cast<long double>(stage.radix * stage.step));
                const Real* const found =
                    stage.twiddles.data() + 2 * (j * (stage.radix - 1) + q - 1);
                error =
                    std::max({error, std::abs(static_cast<long double>(found[0]) - exact.real()),
                              std::abs(static_cast<long double>(found[1]) - exact.imag())});
            }
        }
    }
    return static_cast<double>(error);
}

} // namespace

class BeamTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBeamIsTransformedLineByLine_data() { lengths(); }
    void aBeamIsTransformedLineByLine() {
        QFETCH(int, length);
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            QVERIFY2(errorOf<float>(length) <= tolerance(length, 0x1p-24L), set.c_str());
            QVERIFY2(errorOf<double>(length) <= tolerance(length, 0x1p-53L), set.c_str());
        }
        cpu::simd::forceInstructionSet("");
    }

    void factorsAreRoundedOnce_data() { lengths(); }
    void factorsAreRoundedOnce() {
        QFETCH(int, length);
        QVERIFY(errorOfFactors<float>(length) <= 0.51 * 0x1p-24);
        QVERIFY(errorOfFactors<double>(length) <= 0.51 * 0x1p-53);
    }

    void thereAndBackIsTheLengthTimesTheBeam_data() { lengths(); }
    void thereAndBackIsTheLengthTimesTheBeam() {
        QFETCH(int, length);
        const cpu::beam::Plan<float> plan(length);
        // Elements need not lie side by side.
        constexpr std::int64_t kStep = kElement + 16;
        const base::Image<float> before = randomBeam<float>(length);
        base::Image<float> beam({length * kStep, 1, 1}, 0.0F);
        for (std::int64_t k = 0; k < length; ++k) {
            std::copy_n(before.data() + k * kElement, kElement, beam.data() + k * kStep);
        }
        cpu::beam::forward(plan, beam.data(), kStep);
        cpu::beam::backward(plan, beam.data(), kStep);
        double error = 0;
        double energy = 0;
        for (std::int64_t k = 0; k < length; ++k) {
            for (std::int64_t i = 0; i < kElement; ++i) {
                const double was = static_cast<double>(before.data()[k * kElement + i]) * length;
                error += std::pow(static_cast<double>(beam.data()[k * kStep + i]) - was, 2);
                energy += was * was;
            }
        }
        QVERIFY(std::sqrt(error / energy) <= 2 * static_cast<double>(tolerance(length, 0x1p-24L)));
    }

  private:
    static void lengths() {
        QTest::addColumn<int>("length");
        for (const int length : {1,  2,  3,  4,   5,   6,   7,   8,   14,  16,  21,  30,
                                 49, 64, 75, 128, 144, 210, 256, 320, 343, 400, 512, 1024}) {
            QTest::addRow("%d", length) << length;
        }
    }
};

const flcc::test::TestClass<BeamTest> kBeamTest;
#include "beam_test.moc"
