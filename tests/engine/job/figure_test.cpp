#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/job/figure.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/drawn.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

using Picture = base::Image<std::uint8_t>;

/// Two pixels on a point.
Picture drawn(const job::Figure& figure) { return io::toPixels(job::drawingOf(figure), 2); }

/// The longest run of dark pixels in a row (`along` 0) or a column (1).
std::int64_t longestDarkRun(const Picture& picture, int along) {
    const base::Extents& n = picture.extents();
    std::int64_t longest = 0;
    for (std::int64_t line = 0; line < (along == 0 ? n.y : n.x); ++line) {
        std::int64_t run = 0;
        for (std::int64_t i = 0; i < (along == 0 ? n.x : n.y); ++i) {
            const std::uint8_t grey =
                along == 0 ? picture.view().at(i, line, 0) : picture.view().at(line, i, 0);
            run = grey < 128 ? run + 1 : 0;
            longest = std::max(longest, run);
        }
    }
    return longest;
}

/// A figure of times with one curve of each kind.
job::Figure timesOf(std::vector<double> single, std::vector<double> stream) {
    job::Figure figure;
    figure.threads = 2;
    figure.scene = {2000, 2000, 1};
    figure.templates = {2, 12, 22};
    figure.curves = {{"direct", std::move(single), std::move(stream), {"", "", ""}}};
    return figure;
}

/// The columns in which two pictures differ, first and last, as far as both reach.
std::pair<std::int64_t, std::int64_t> differingColumns(const Picture& a, const Picture& b) {
    const std::int64_t width = std::min(a.extents().x, b.extents().x);
    const std::int64_t height = std::min(a.extents().y, b.extents().y);
    std::int64_t first = width;
    std::int64_t last = -1;
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            if (a.view().at(x, y, 0) != b.view().at(x, y, 0)) {
                first = std::min(first, x);
                last = std::max(last, x);
            }
        }
    }
    return {first, last};
}

/// The lowest row of the picture in which a column holds pixels of a curve: neither white nor grid.
std::int64_t curveRow(const Picture& picture, std::int64_t x) {
    std::int64_t row = -1;
    for (std::int64_t y = 90; y < 530; ++y) {
        row = picture.view().at(x, y, 0) < 128 ? y : row;
    }
    return row;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

class JobFigureTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void criticalSidesFollowTableTwo();
    void everyMethodIsMeasured_data();
    void everyMethodIsMeasured();
    void choicesChangeAtThePredictedSide_data();
    void choicesChangeAtThePredictedSide();
    void aStoppedFigureIsNone();
    void theChartHasAxesAndFollowsItsNumbers();
    void aMethodThatDidNotRunLeavesAGap();
    void convolutionsOnAGpuAreRefused();
};

void JobFigureTest::criticalSidesFollowTableTwo() {
    using enum job::FigureOperation;
    // FLCC Table II, in voxels; the logarithm of a complex transform's 5 N log N is the binary one.
    const double images = std::log2(2048.0 * 2048.0); // 22
    const double volumes = std::log2(256.0 * 256.0 * 256.0);
    const auto same = [](double side, double voxels, int axes) {
        return std::abs(std::pow(side, axes) - voxels) <= 1e-12 * voxels;
    };
    QVERIFY(same(job::tableTwoSide(Lcc, false, false, 2048), 8.75 * images, 2));
    QVERIFY(same(job::tableTwoSide(Lcc, false, true, 2048), 6.25 * images, 2));
    QVERIFY(same(job::tableTwoSide(Convolve, false, false, 2048), 7.5 * images, 2));
    QVERIFY(same(job::tableTwoSide(Convolve, false, true, 2048), 5 * images, 2));
    QVERIFY(same(job::tableTwoSide(Lcc, true, false, 256), 8.75 * volumes, 3));
    QVERIFY(same(job::tableTwoSide(Convolve, true, true, 256), 5 * volumes, 3));
}

void JobFigureTest::everyMethodIsMeasured_data() {
    QTest::addColumn<int>("operation");
    QTest::newRow("lcc") << static_cast<int>(job::FigureOperation::Lcc);
    QTest::newRow("convolve") << static_cast<int>(job::FigureOperation::Convolve);
}

void JobFigureTest::everyMethodIsMeasured() {
    QFETCH(int, operation);
    job::FigureOptions options;
    options.operation = static_cast<job::FigureOperation>(operation);
    options.threads = 2;
    options.repeat = 3;
    options.quick = true;
    double share = 0;
    const auto figure = job::makeFigure(options, {}, [&](std::string_view doing, double now) {
        QVERIFY(!doing.empty() && now >= share && now <= 1);
        share = now;
    });
    QVERIFY(figure.has_value() && share > 0);
    for (const char* const method : {"direct", "tiled", "fourier"}) {
        const auto curve =
            std::find_if(figure->curves.begin(), figure->curves.end(),
                         [&](const job::TimesCurve& each) { return each.method == method; });
        QVERIFY2(curve != figure->curves.end(), method);
        QCOMPARE(curve->singleMs.size(), figure->templates.size());
        QCOMPARE(curve->streamMs.size(), figure->templates.size());
        for (std::size_t i = 0; i < figure->templates.size(); ++i) {
            QVERIFY2(curve->notRun[i].empty(), curve->notRun[i].c_str());
            QVERIFY(curve->singleMs[i] > 0 && curve->streamMs[i] > 0);
        }
    }
    const auto json = nlohmann::json::parse(job::toJson(*figure));
    QCOMPARE(json.at("figure").get<std::string>(), std::string("fig1"));
    QCOMPARE(json.at("methods").size(), figure->curves.size());
    QCOMPARE(json.at("methods")[0].at("stream_ms")[1].get<double>(), figure->curves[0].streamMs[1]);
}

void JobFigureTest::choicesChangeAtThePredictedSide_data() { everyMethodIsMeasured_data(); }

void JobFigureTest::choicesChangeAtThePredictedSide() {
    if (!test::draws("a.pdf")) {
        QSKIP("this build has no cairo");
    }
    QFETCH(int, operation);
    job::FigureOptions options;
    options.kind = job::FigureKind::Choices;
    options.operation = static_cast<job::FigureOperation>(operation);
    options.threads = 1;
    options.repeat = 3;
    options.quick = true;
    const auto figure = job::makeFigure(options);
    QVERIFY(figure.has_value());
    QCOMPARE(figure->maps.size(), std::size_t{4});
    int compared = 0;
    for (const job::Crossover& map : figure->maps) {
        QCOMPARE(map.critical.size(), std::size_t(map.volume ? 2 : 3));
        for (const job::CriticalSide& side : map.critical) {
            QCOMPARE(side.table,
                     job::tableTwoSide(options.operation, map.volume, map.stream, side.scene));
            QVERIFY(!side.measured || (*side.measured >= 2 && *side.measured <= side.scene));
            const auto row = std::find(map.scenes.begin(), map.scenes.end(), side.scene);
            const auto& chosen = map.chosen[static_cast<std::size_t>(row - map.scenes.begin())];
            for (std::size_t i = 0; side.predicted && i < map.templates.size(); ++i) {
                const std::int64_t templ = map.templates[i];
                if (templ == *side.predicted || templ == *side.predicted - 1) {
                    const std::string& name = map.methods[static_cast<std::size_t>(chosen[i])];
                    QCOMPARE(name != "direct", templ == *side.predicted);
                    ++compared;
                }
            }
        }
    }
    QVERIFY(compared > 0);
    const auto json = nlohmann::json::parse(job::toJson(*figure));
    QCOMPARE(json.at("maps")[0].at("critical").size(), std::size_t{3});
    const Picture shown = drawn(*figure);
    QVERIFY(longestDarkRun(shown, 0) >= 5 * std::ssize(figure->maps[0].templates));
    QVERIFY(longestDarkRun(shown, 1) >= 5 * std::ssize(figure->maps[0].scenes));
    // The marks of critical sides are beside the cells.
    job::Figure unmarked = *figure;
    for (job::Crossover& map : unmarked.maps) {
        map.critical.clear();
    }
    QVERIFY(differingColumns(shown, drawn(unmarked)).second >= 0);
}

void JobFigureTest::aStoppedFigureIsNone() {
    for (const job::FigureKind kind : {job::FigureKind::Times, job::FigureKind::Choices}) {
        std::stop_source stop;
        job::FigureOptions options;
        options.kind = kind;
        const auto figure = job::makeFigure(options, stop.get_token(),
                                            [&](std::string_view, double) { stop.request_stop(); });
        QVERIFY(!figure);
    }
}

void JobFigureTest::theChartHasAxesAndFollowsItsNumbers() {
    if (!test::draws("a.pdf")) {
        QSKIP("this build has no cairo");
    }
    const Picture flat = drawn(timesOf({1, 10, 100}, {1, 1, 1}));
    QVERIFY(longestDarkRun(flat, 0) >= 500); // the axis of templates
    QVERIFY(longestDarkRun(flat, 1) >= 400); // the axis of times
    const auto [first, last] = differingColumns(flat, drawn(timesOf({1, 30, 100}, {1, 1, 1})));
    // The middle side alone has another time: its curve changes between both neighbours.
    QVERIFY(first > 90 && last < 680 && last - first > 100);
    // The smallest time is lowest, and equal ratios of times are equal distances.
    const Picture rising = drawn(timesOf({1, 10, 100}, {kNaN, kNaN, kNaN}));
    const std::int64_t low = curveRow(rising, 100);
    const std::int64_t middle = curveRow(rising, 380);
    const std::int64_t high = curveRow(rising, 660);
    QVERIFY(low > middle && middle > high && high > 0);
    QVERIFY(std::abs((low - middle) - (middle - high)) <= 2);
}

void JobFigureTest::aMethodThatDidNotRunLeavesAGap() {
    if (!test::draws("a.pdf")) {
        QSKIP("this build has no cairo");
    }
    const Picture none = drawn(timesOf({kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}));
    for (const std::int64_t x : {100, 250, 380, 500, 660}) {
        QCOMPARE(curveRow(none, x), std::int64_t{-1});
    }
    const Picture gap = drawn(timesOf({1, kNaN, 4}, {kNaN, kNaN, kNaN}));
    QCOMPARE(curveRow(gap, 250), std::int64_t{-1});
    QVERIFY(curveRow(gap, 100) > 0);
    job::Figure figure = timesOf({1, kNaN, 4}, {1, kNaN, 2});
    figure.curves[0].notRun[1] = "refused";
    const auto json = nlohmann::json::parse(job::toJson(figure));
    QVERIFY(json.at("methods")[0].at("single_ms")[1].is_null());
    QCOMPARE(json.at("methods")[0].at("not_run")[1].get<std::string>(), std::string("refused"));
}

void JobFigureTest::convolutionsOnAGpuAreRefused() {
    job::FigureOptions options;
    options.operation = job::FigureOperation::Convolve;
    options.device = "cuda:0";
    QVERIFY(test::thrownBy([&] { (void)job::makeFigure(options); }).code ==
            base::ErrorCode::Device);
    options.device = "auto";
    QVERIFY(test::thrownBy([&] { job::requireFigureFile("a.png", options); }).code ==
            base::ErrorCode::CommandLine);
}

const flcc::test::TestClass<JobFigureTest> kJobFigureTest;
#include "figure_test.moc"
