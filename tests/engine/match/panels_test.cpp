#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "engine/base/error.h"
#include "engine/match/panels.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

match::Peak peakAt(double x, double y, double z = 0) {
    match::Peak peak;
    peak.centre = {x, y, z};
    return peak;
}

template <class Value> base::Image<double> imageOf(const Extents& n, const Value& value) {
    base::Image<double> image(n);
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                image.view().at(x, y, z) =
                    value(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
            }
        }
    }
    return image;
}

base::Image<double> noise(const Extents& n, unsigned seed) {
    std::mt19937 random(seed);
    return imageOf(
        n, [&](double, double, double) { return static_cast<double>(random() % 1000) / 500 - 1; });
}

base::AnyView viewOf(const base::Image<double>& image) {
    return base::View<const double>(image.view());
}

} // namespace

class MatchPanelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theParticleLiesOnTheMiddleVoxelInAllPhases();
    void theReferenceVoxelTurnsWithTheTemplate();
    void wholeBoxesHoldTheVoxels();
    void interpolationIsExactForQuadratics();
    void boxesAreTurnedBackExactlyForQuadratics();
    void boxesThatLeaveTheSceneAreLeftOutAndCounted();
    void normalisedBoxesHaveMeanZeroAndDeviationOne();
    void theAverageIsMeanAndVariance();
    void darkBoxesAreInverted();
    void turnedParticlesAverageToTheirTemplate();
    void badSizesAreRefused();
};

// The scene says where a box was cut: its voxels hold their own coordinates.
void MatchPanelsTest::theParticleLiesOnTheMiddleVoxelInAllPhases() {
    const base::Image<double> scene =
        imageOf({40, 40, 40}, [](double x, double y, double z) { return x + 64 * (y + 64 * z); });
    constexpr int kPhases = 16;
    for (std::int64_t templ = 6; templ <= 7; ++templ) {
        for (std::int64_t edge = 7; edge <= 8; ++edge) {
            const Extents size{edge, edge + 1, edge}; // even and odd ones in one box
            match::PanelOptions options{.size = size};
            options.references = {rotation::toReferenceVoxel({templ, templ, templ})};
            const double half = templ % 2 == 0 ? 0.5 : 0;
            std::vector<match::Peak> peaks;
            for (int phase = -kPhases; phase <= kPhases; ++phase) { // -1/2 to 1/2 of a voxel
                const double at = 20 + phase / (2.0 * kPhases);
                peaks.push_back(peakAt(at - half, at + 0.25 - half, at - 0.375 - half));
            }
            const match::Panels panels = match::cutPanels(viewOf(scene), peaks, options);
            QCOMPARE(panels.taken.size(), peaks.size());
            for (std::size_t i = 0; i < peaks.size(); ++i) {
                auto first = static_cast<std::int64_t>(panels.at(i).at(0, 0, 0));
                for (const auto& [axis, extent] :
                     {std::pair{0U, size.x}, std::pair{1U, size.y}, std::pair{2U, size.z}}) {
                    const double point = peaks[i].centre[axis] + half;
                    const double inBox = point - static_cast<double>(first % 64);
                    QCOMPARE(static_cast<std::int64_t>(std::floor(inBox + 0.5)), extent / 2);
                    first /= 64;
                }
            }
        }
    }
    QVERIFY((match::cornerAt({5, 6, 7}, {3, 3, 3}) == Index{4, 5, 6}));
    QVERIFY((match::cornerAt({5.5, 5.4, 0}, {4, 4, 1}) == Index{4, 3, 0}));
}

// Turned, scaled and mirrored, the reference voxel of an even template moves with its frame; the
// turn is one of lengths.
void MatchPanelsTest::theReferenceVoxelTurnsWithTheTemplate() {
    match::Peak peak = peakAt(20, 20, 20);
    match::PanelOptions options{.size = {8, 8, 8}};
    options.references = {{0, 0, 0}, {0.5, 0.5, 0.5}};
    QVERIFY((match::referenceOf(peak, options) == base::Point{20, 20, 20}));
    peak.templ = 1;
    QVERIFY((match::referenceOf(peak, options) == base::Point{20.5, 20.5, 20.5}));
    peak.pose = rotation::Pose{rotation::inPlane(90), 1, false}; // x to -y, y to x
    QVERIFY((match::referenceOf(peak, options) == base::Point{20.5, 19.5, 20.5}));
    peak.pose->mirrored = true;
    QVERIFY((match::referenceOf(peak, options) == base::Point{20.5, 20.5, 20.5}));
    peak.pose->scale = 2;
    options.edges = {1, 4, 1}; // half a voxel of 1 in x is an eighth of one of 4 in y
    QVERIFY((match::referenceOf(peak, options) == base::Point{24, 20.25, 21}));
}

void MatchPanelsTest::wholeBoxesHoldTheVoxels() {
    base::Image<std::int16_t> scene({12, 11, 9});
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] = static_cast<std::int16_t>(i * 7 % 1001 - 500);
    }
    const std::vector<match::Peak> peaks{peakAt(5, 5, 4), peakAt(6.4, 4.6, 3.5)};
    const match::Panels panels =
        match::cutPanels(base::View<const std::int16_t>(scene.view()), peaks, {.size = {5, 4, 3}});
    QCOMPARE(panels.taken.size(), std::size_t{2});
    QVERIFY((panels.voxels.extents() == Extents{5, 4, 6}));
    for (std::size_t i = 0; i < 2; ++i) {
        const Index corner = match::cornerAt(peaks[i].centre, {5, 4, 3});
        for (std::int64_t z = 0; z < 3; ++z) {
            for (std::int64_t y = 0; y < 4; ++y) {
                for (std::int64_t x = 0; x < 5; ++x) {
                    QCOMPARE(panels.at(i).at(x, y, z),
                             float(scene.view().at(corner.x + x, corner.y + y, corner.z + z)));
                }
            }
        }
    }
}

// Keys' kernel with a = -1/2 gives polynomials up to the second degree exactly.
void MatchPanelsTest::interpolationIsExactForQuadratics() {
    const auto value = [](double x, double y, double z) {
        return 3 + 0.5 * x - 2 * y + 0.25 * x * x - 0.125 * x * y + y * y + 0.0625 * z * z - z;
    };
    const base::Image<double> scene = imageOf({20, 18, 14}, value);
    const std::vector<match::Peak> peaks{peakAt(8.3, 9.75, 6.4), peakAt(9, 7.5, 5)};
    const Extents size{5, 4, 3};
    const match::Panels panels =
        match::cutPanels(viewOf(scene), peaks, {.size = size, .subvoxel = true});
    QCOMPARE(panels.taken.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
        const base::Point& c = peaks[i].centre;
        for (std::int64_t z = 0; z < size.z; ++z) {
            for (std::int64_t y = 0; y < size.y; ++y) {
                for (std::int64_t x = 0; x < size.x; ++x) {
                    const double exact =
                        value(c[0] - 2 + static_cast<double>(x), c[1] - 2 + static_cast<double>(y),
                              c[2] - 1 + static_cast<double>(z));
                    // 64 products, weights of at most 1.25 a axis, of values below 600; then float.
                    const double bound =
                        600 * 2 * (64 + 20) * kUnit + std::abs(exact) * 0x1p-24 + 600 * 0x1p-40;
                    QVERIFY2(std::abs(static_cast<double>(panels.at(i).at(x, y, z)) - exact) <=
                                 bound,
                             qPrintable(QString::number(exact)));
                }
            }
        }
    }
}

void MatchPanelsTest::boxesAreTurnedBackExactlyForQuadratics() {
    const auto value = [](double x, double y, double z) {
        return x * x - 2 * x * y + 0.5 * y * y + 3 * z * z - y * z + 2 * x - y;
    };
    const base::Image<double> scene = imageOf({30, 30, 30}, value);
    match::Peak peak = peakAt(14.3, 15.6, 14);
    peak.pose = rotation::Pose{rotation::aboutAxis({1, 2, -2}, 50), 1.2, true};
    const rotation::Matrix m = rotation::matrixOf(*peak.pose);
    const Extents size{7, 5, 6};
    const match::Panels panels =
        match::cutPanels(viewOf(scene), std::vector{peak}, {.size = size, .turnedBack = true});
    QCOMPARE(panels.taken.size(), std::size_t{1});
    for (std::int64_t i = 0; i < base::voxelCount(size); ++i) {
        const base::Point o{static_cast<double>(i % 7) - 3, static_cast<double>(i / 7 % 5) - 2,
                            static_cast<double>(i / 35) - 3};
        const double expected = value(14.3 + m[0] * o[0] + m[1] * o[1] + m[2] * o[2],
                                      15.6 + m[3] * o[0] + m[4] * o[1] + m[5] * o[2],
                                      14 + m[6] * o[0] + m[7] * o[1] + m[8] * o[2]);
        // Rounded to float; values and what they are summed of stay below 4096.
        QVERIFY(std::abs(panels.voxels.data()[i] - expected) <= 4096 * 0x1p-23);
    }
    // The box of a turned peak leaves the scene where it would not if it lay along the axes.
    match::Peak edge = peakAt(4, 15, 15);
    edge.pose = rotation::Pose{rotation::inPlane(90), 1, false};
    const auto leftOut = [&](const Extents& box) {
        return match::cutPanels(viewOf(scene), std::vector{edge}, {.size = box, .turnedBack = true})
            .leftOut;
    };
    QCOMPARE(leftOut({15, 5, 5}), std::int64_t{0});
    QCOMPARE(leftOut({5, 15, 5}), std::int64_t{1});
}

void MatchPanelsTest::boxesThatLeaveTheSceneAreLeftOutAndCounted() {
    const base::Image<double> scene = noise({16, 16, 1}, 1);
    const std::vector<match::Peak> peaks{peakAt(1, 8), peakAt(8, 8), peakAt(2, 2), peakAt(13, 13),
                                         peakAt(14, 8)};
    const match::Panels whole = match::cutPanels(viewOf(scene), peaks, {.size = {5, 5, 1}});
    QCOMPARE(whole.leftOut, std::int64_t{2});
    QVERIFY((whole.taken == std::vector<std::size_t>{1, 2, 3}));
    // Between voxels one more voxel before and two after are needed.
    const std::vector<match::Peak> between{peakAt(2.5, 8), peakAt(3.5, 8), peakAt(11.5, 8),
                                           peakAt(12.5, 8)};
    const match::Panels cut =
        match::cutPanels(viewOf(scene), between, {.size = {5, 5, 1}, .subvoxel = true});
    QVERIFY((cut.taken == std::vector<std::size_t>{1, 2}));
    QCOMPARE(cut.leftOut, std::int64_t{2});
}

void MatchPanelsTest::normalisedBoxesHaveMeanZeroAndDeviationOne() {
    const base::Image<double> scene = noise({24, 24, 1}, 2);
    const std::vector<match::Peak> peaks{peakAt(8, 8), peakAt(14, 12)};
    for (const auto normalise : {match::Normalise::Mean, match::Normalise::ZScore}) {
        const match::Panels panels =
            match::cutPanels(viewOf(scene), peaks, {.size = {9, 7, 1}, .normalise = normalise});
        for (std::size_t i = 0; i < 2; ++i) {
            double sum = 0;
            double squares = 0;
            for (std::int64_t y = 0; y < 7; ++y) {
                for (std::int64_t x = 0; x < 9; ++x) {
                    const auto value = static_cast<double>(panels.at(i).at(x, y, 0));
                    sum += value;
                    squares += value * value;
                }
            }
            QVERIFY(std::abs(sum) <= 63 * 4 * 0x1p-24); // each voxel is rounded to float
            const bool one = std::abs(squares / 63 - 1) <= 8 * 0x1p-24;
            QCOMPARE(one, normalise == match::Normalise::ZScore);
        }
    }
    const base::Image<double> flat = imageOf({9, 9, 1}, [](auto...) { return 4.0; });
    const match::Panels panels =
        match::cutPanels(viewOf(flat), std::vector{peakAt(4, 4)},
                         {.size = {3, 3, 1}, .normalise = match::Normalise::ZScore});
    QCOMPARE(panels.at(0).at(1, 1, 0), 0.0F);
}

void MatchPanelsTest::theAverageIsMeanAndVariance() {
    const base::Image<double> scene = noise({40, 30, 1}, 3);
    const std::vector<match::Peak> peaks{peakAt(5, 6), peakAt(1, 1), peakAt(20, 12), peakAt(30, 20),
                                         peakAt(12, 22)};
    const match::Average average = match::averageOf(viewOf(scene), peaks, {.size = {7, 5, 1}});
    QCOMPARE(average.count, std::int64_t{4});
    QCOMPARE(average.leftOut, std::int64_t{1});
    for (std::int64_t y = 0; y < 5; ++y) {
        for (std::int64_t x = 0; x < 7; ++x) {
            std::vector<double> values;
            for (const std::size_t i : {0UL, 2UL, 3UL, 4UL}) {
                values.push_back(
                    scene.view().at(static_cast<std::int64_t>(peaks[i].centre[0]) - 3 + x,
                                    static_cast<std::int64_t>(peaks[i].centre[1]) - 2 + y, 0));
            }
            const double mean = (values[0] + values[1] + values[2] + values[3]) / 4;
            double squares = 0;
            for (const double value : values) {
                squares += (value - mean) * (value - mean);
            }
            QVERIFY(std::abs(average.mean.view().at(x, y, 0) - mean) <= 16 * kUnit);
            QVERIFY(std::abs(average.variance.view().at(x, y, 0) - squares / 3) <= 64 * kUnit);
        }
    }
    // The halves are the odd and the even peaks of those that count.
    const auto halfOf = [&](std::size_t a, std::size_t b) {
        return match::averageOf(viewOf(scene), std::vector{peaks[a], peaks[b]}, {.size = {7, 5, 1}})
            .mean;
    };
    const prepare::RingCorrelation halves =
        prepare::ringCorrelation(halfOf(0, 3).view(), halfOf(2, 4).view());
    QCOMPARE(halves.correlation.size(), average.halves.correlation.size());
    for (std::size_t r = 0; r < halves.correlation.size(); ++r) {
        QVERIFY(std::abs(halves.correlation[r] - average.halves.correlation[r]) <= 1e4 * kUnit);
    }
    const match::Average one =
        match::averageOf(viewOf(scene), std::vector{peaks[0]}, {.size = {7, 5, 1}});
    QVERIFY(one.count == 1 && one.halves.frequency.empty());
    QCOMPARE(one.variance.view().at(3, 2, 0), 0.0);
}

void MatchPanelsTest::darkBoxesAreInverted() {
    const base::Image<double> scene = noise({40, 30, 1}, 3);
    std::vector<match::Peak> peaks{peakAt(5, 6), peakAt(20, 12), peakAt(30, 20)};
    peaks[0].dark = false;
    peaks[1].dark = true;
    const match::Average average = match::averageOf(viewOf(scene), peaks, {.size = {7, 5, 1}});
    QCOMPARE(average.count, std::int64_t{3});
    QCOMPARE(average.inverted, std::int64_t{1});
    const auto valueOf = [&](std::size_t peak, std::int64_t x, std::int64_t y) {
        return scene.view().at(static_cast<std::int64_t>(peaks[peak].centre[0]) - 3 + x,
                               static_cast<std::int64_t>(peaks[peak].centre[1]) - 2 + y, 0);
    };
    double middle = 0; // mean of the dark box
    for (std::int64_t i = 0; i < 35; ++i) {
        middle += valueOf(1, i % 7, i / 7) / 35;
    }
    for (std::int64_t i = 0; i < 35; ++i) {
        const std::int64_t x = i % 7;
        const std::int64_t y = i / 7;
        const double mean =
            (valueOf(0, x, y) + (2 * middle - valueOf(1, x, y)) + valueOf(2, x, y)) / 3;
        // Sums of 35 values below 1, twice.
        QVERIFY(std::abs(average.mean.view().at(x, y, 0) - mean) <= 4 * 35 * kUnit);
    }
    peaks[1].dark = false;
    QCOMPARE(match::averageOf(viewOf(scene), peaks, {.size = {7, 5, 1}}).inverted, 0);
}

/// Two arms: the shape of every particle, at offsets from its centre.
static double particleAt(double x, double y) {
    const auto blob = [&](double atX, double atY, double radius) {
        return std::exp(-(std::pow(x - atX, 2) + std::pow(y - atY, 2)) / (2 * radius * radius));
    };
    return blob(0, 0, 2) + blob(4, 0, 1.6) - 0.8 * blob(0, 4.5, 1.7);
}

void MatchPanelsTest::turnedParticlesAverageToTheirTemplate() {
    base::Image<double> scene = noise({120, 120, 1}, 7);
    std::vector<match::Peak> peaks;
    for (int i = 0; i < 16; ++i) {
        match::Peak peak = peakAt(17 + i % 4 * 28.3, 16 + i / 4 * 28.7);
        peak.pose = rotation::Pose{rotation::inPlane(37.0 * i), i % 3 == 0 ? 1.2 : 1.0, i % 2 == 1};
        const rotation::Matrix m = rotation::matrixOf(*peak.pose);
        const double square = peak.pose->scale * peak.pose->scale;
        for (std::int64_t v = 0; v < scene.count(); ++v) {
            const double x = static_cast<double>(v % 120) - peak.centre[0];
            const double y = static_cast<double>(v / 120) - peak.centre[1];
            scene.data()[v] +=
                particleAt((m[0] * x + m[3] * y) / square, (m[1] * x + m[4] * y) / square);
        }
        peaks.push_back(peak);
    }
    const Extents size{17, 17, 1};
    const base::Image<double> templ =
        imageOf(size, [](double x, double y, double) { return particleAt(x - 8, y - 8); });
    const auto alike = [&](const base::Image<double>& other) {
        const auto count = static_cast<double>(other.count());
        const double a = std::reduce(templ.data(), templ.data() + templ.count(), 0.0) / count;
        const double b = std::reduce(other.data(), other.data() + other.count(), 0.0) / count;
        double products = 0;
        double squaresA = 0;
        double squaresB = 0;
        for (std::int64_t i = 0; i < other.count(); ++i) {
            products += (templ.data()[i] - a) * (other.data()[i] - b);
            squaresA += std::pow(templ.data()[i] - a, 2);
            squaresB += std::pow(other.data()[i] - b, 2);
        }
        return products / std::sqrt(squaresA * squaresB);
    };
    const match::Average turned = match::averageOf(viewOf(scene), peaks, {.size = size});
    QCOMPARE(turned.count, std::int64_t{16});
    // Noise of deviation 0.58 in 16 particles against the deviation of the template.
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        sum += templ.data()[i];
        squares += templ.data()[i] * templ.data()[i];
    }
    const auto voxels = static_cast<double>(templ.count());
    const double variance = squares / voxels - sum * sum / voxels / voxels;
    const double least = 1 / std::sqrt(1 + 1.0 / 3 / 16 / variance) - 0.02;
    QVERIFY2(alike(turned.mean) > least, qPrintable(QString::number(alike(turned.mean))));
    std::vector<match::Peak> plain = peaks;
    for (match::Peak& peak : plain) {
        peak.pose.reset();
    }
    const match::Average lying = match::averageOf(viewOf(scene), plain, {.size = size});
    QVERIFY2(alike(lying.mean) < least - 0.1, qPrintable(QString::number(alike(lying.mean))));
    // The halves agree down to finer detail.
    QVERIFY(turned.halves.resolution.value_or(0) < lying.halves.resolution.value_or(100));
}

void MatchPanelsTest::badSizesAreRefused() {
    const base::Image<double> scene = noise({16, 16, 1}, 1);
    const std::vector<match::Peak> peaks{peakAt(1, 1)};
    for (const Extents& size : {Extents{0, 3, 1}, Extents{17, 3, 1}, Extents{3, 3, 2}}) {
        QVERIFY_EXCEPTION_THROWN((void)match::cutPanels(viewOf(scene), peaks, {.size = size}),
                                 base::Error);
    }
    const match::Average nothing = match::averageOf(viewOf(scene), peaks, {.size = {5, 5, 1}});
    QCOMPARE(nothing.count, 0); // no box lies inside
    QVERIFY_EXCEPTION_THROWN(match::requireBoxes(nothing), base::Error);
}

const flcc::test::TestClass<MatchPanelsTest> kMatchPanelsTest;
#include "panels_test.moc"
