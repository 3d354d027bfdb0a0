#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/job.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/posed_shapes.h"
#include "tests/support/test_class.h"

// Objects are drawn turned by known matrices; boxes of the stack that are turned back hold the
// voxels of the template. Turns and shapes are of this test, not of engine/rotation.

using namespace flcc;
using base::Extents;
using base::Point;
using test::Placed;

namespace {

/// A sum of Gaussian blobs in lengths about the centre of the object.
struct Blob {
    Point at;
    double sigma;
    double value;
};

struct Case {
    Extents scene;
    Extents templ;
    Point edges; ///< of a voxel
    std::vector<Blob> shape;
    std::vector<Placed> planted; ///< centres in voxels
};

Case flatCase() {
    return {
        .scene = {110, 100, 1},
        .templ = {29, 26, 1},
        .edges = {1, 1, 1},
        .shape = {{{0, 0, 0}, 3.5, 1}, {{8, 0, 0}, 3, 0.9}, {{0, 6, 0}, 3, -0.8}},
        .planted = {
            {.centre = {30, 27.5, 0}, .turn = test::onScreen(37)},
            {.centre = {80, 28.5, 0}, .turn = test::onScreen(158), .scale = 1.25},
            {.centre = {28, 72.5, 0}, .turn = test::onScreen(251), .scale = 1.25, .mirrored = true},
            {.centre = {78, 71.5, 0}, .turn = test::onScreen(0)}}};
}

Case deepCase() {
    return {.scene = {84, 80, 44},
            .templ = {25, 24, 13},
            .edges = {1, 1, 2},
            .shape = {{{0, 0, 0}, 4.2, 1}, {{7, 0, 0}, 4, 0.9}, {{0, 5, 4}, 4, -0.8}},
            .planted = {{.centre = {27, 26.5, 20},
                         .turn = test::turnAbout({2.0 / 7, 3.0 / 7, 6.0 / 7}, 70)},
                        {.centre = {57, 52.5, 23}, .turn = test::turnAbout({0.6, 0, -0.8}, 205)}}};
}

/// The value of a placed object at an offset from its centre, lengths.
double valueOf(const Case& made, const Placed& object, const Point& o) {
    Point p{};
    for (std::size_t a = 0; a < 3; ++a) {
        p[a] = (object.turn[a] * o[0] + object.turn[3 + a] * o[1] + object.turn[6 + a] * o[2]) /
               object.scale;
    }
    p[0] *= object.mirrored ? -1 : 1;
    double sum = 0;
    for (const Blob& blob : made.shape) {
        const double square = std::pow(p[0] - blob.at[0], 2) + std::pow(p[1] - blob.at[1], 2) +
                              std::pow(p[2] - blob.at[2], 2);
        sum += blob.value * std::exp(-square / (2 * blob.sigma * blob.sigma));
    }
    return sum;
}

base::Image<float> drawn(const Case& made, const Extents& n, const std::vector<Placed>& all) {
    base::Image<float> image(n, 0.0F);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const Point v{static_cast<double>(i % n.x), static_cast<double>(i / n.x % n.y),
                      static_cast<double>(i / (n.x * n.y))};
        for (const Placed& each : all) {
            image.data()[i] += static_cast<float>(valueOf(
                made, each,
                {made.edges[0] * (v[0] - each.centre[0]), made.edges[1] * (v[1] - each.centre[1]),
                 made.edges[2] * (v[2] - each.centre[2])}));
        }
    }
    return image;
}

base::Image<float> templateOf(const Case& made) {
    const Extents& m = made.templ;
    return drawn(made, m,
                 {{.centre = {static_cast<double>(m.x - 1) / 2, static_cast<double>(m.y - 1) / 2,
                              static_cast<double>(m.z - 1) / 2}}});
}

/// How far a value that is interpolated at a place `off` voxels beside may be from the object's.
/// The cubic convolution of Keys is off along an axis by at most 9/96 of the largest third
/// derivative (Taylor: sum |w_k| |k - t|^3 / 6 <= 0.5625 / 6), and multiplies what is off on the
/// axes before by at most 5/4. A Gaussian has the third derivative 1.3802 / sigma^3 and the first
/// 0.6066 / sigma at most; both are smaller where the object is scaled up.
double toleranceOf(const Case& made, const Point& off) {
    double bound = 1e-6; // of rounding to float, twice, of values below 3
    for (const Blob& blob : made.shape) {
        for (std::size_t a = 0; a < 3 && (a < 2 || made.scene.z > 1); ++a) {
            const double width = blob.sigma / made.edges[a];
            bound +=
                std::abs(blob.value) * (1.25 * 1.25 * 0.5625 / 6 * 1.3803 / std::pow(width, 3) +
                                        std::abs(off[a]) * 0.6066 / width);
        }
    }
    return bound;
}

base::Image<float> read(const std::filesystem::path& file) {
    io::LoadedImage image = io::readImage(file);
    return std::move(std::get<base::Image<float>>(image.components.at(0)));
}

/// The object that a peak lies on.
const Placed& nearestTo(const Case& made, const Point& centre) {
    return *std::ranges::min_element(made.planted, {}, [&](const Placed& each) {
        return std::hypot(each.centre[0] - centre[0], each.centre[1] - centre[1],
                          each.centre[2] - centre[2]);
    });
}

/// Writes a list of quaternions: the planted turns and others. Returns its name as an option.
std::string turnsOf(const Case& made, const test::Folder& folder) {
    std::ofstream rows(folder.path("turns.txt"));
    rows.precision(17);
    const auto row = [&](const Point& axis, double degrees) {
        const double s = std::sin(degrees * std::numbers::pi / 360);
        rows << std::cos(degrees * std::numbers::pi / 360) << ' ' << s * axis[0] << ' '
             << s * axis[1] << ' ' << s * axis[2] << '\n';
    };
    if (made.scene.z == 1) {
        for (const double degrees : {0.0, 37.0, 100.0, 158.0, 251.0}) {
            row({0, 0, 1}, -degrees); // counter-clockwise on a screen, where y points down
        }
    }
    for (const double more :
         made.scene.z > 1 ? std::vector{0.0, 90.0, 180.0} : std::vector<double>()) {
        row({2.0 / 7, 3.0 / 7, 6.0 / 7}, 70 + more);
        row({0.6, 0, -0.8}, 205 + more);
    }
    return "list:" + folder.path("turns.txt").string();
}

} // namespace

class JobTurnedBoxesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void turnedBoxesAreTheTemplate_data();
    void turnedBoxesAreTheTemplate();
    void withoutTurningBoxesAreTheVoxelsOfTheScene();
    void theOptionIsOfStacks();
};

void JobTurnedBoxesTest::turnedBoxesAreTheTemplate_data() {
    QTest::addColumn<bool>("deep");
    QTest::newRow("image") << false;
    QTest::newRow("volume of oblong voxels") << true;
}

void JobTurnedBoxesTest::turnedBoxesAreTheTemplate() {
    QFETCH(bool, deep);
    const Case made = deep ? deepCase() : flatCase();
    const test::Folder folder;
    base::Geometry geometry;
    geometry.spacing = made.edges;
    geometry.unit = "nm";
    geometry.unitSource = base::UnitSource::Header;
    const job::JobImages images =
        test::imagesOf(drawn(made, made.scene, made.planted), templateOf(made), geometry);
    (void)io::writeImage(folder.path("scene.mha"), base::viewOf(images.scene->pixels), geometry);
    job::Job job;
    job.minScore = 0.8;
    job.maxPeaks = static_cast<int>(made.planted.size());
    job.poses.rotations = turnsOf(made, folder);
    if (!deep) {
        job.poses.scales = "1,1.25";
        job.poses.mirror = true;
    }
    job.peaks = folder.path("peaks.json");
    job.report = folder.path("report.json");
    job.exports.stack = folder.path("stack.mha");
    job.exports.turned = true;
    const job::JobResult result = job::runJob(job, images);
    QCOMPARE(result.peaks.size(), made.planted.size());
    const base::Image<float> templ = templateOf(made);
    const auto compare = [&](const std::filesystem::path& file) {
        const base::Image<float> stack = read(file);
        QVERIFY((stack.extents() ==
                 Extents{made.templ.x, made.templ.y, made.templ.z * std::ssize(made.planted)}));
        for (std::size_t k = 0; k < result.peaks.size(); ++k) {
            const Point& centre = result.peaks[k].centre;
            const Point& planted = nearestTo(made, centre).centre;
            const Point off{centre[0] - planted[0], centre[1] - planted[1], centre[2] - planted[2]};
            QVERIFY(std::abs(off[0]) < 0.1 && std::abs(off[1]) < 0.1 && std::abs(off[2]) < 0.1);
            const double tolerance = toleranceOf(made, off);
            QVERIFY2(tolerance < 0.25, qPrintable(QString::number(tolerance)));
            double largest = 0;
            for (std::int64_t i = 0; i < templ.count(); ++i) {
                const double value = stack.data()[static_cast<std::int64_t>(k) * templ.count() + i];
                largest = std::max(largest, std::abs(value - templ.data()[i]));
            }
            QVERIFY2(largest <= tolerance,
                     qPrintable(QString("%1: box %2 is off by %3, at most %4")
                                    .arg(QString::fromStdString(file.filename().string()))
                                    .arg(k)
                                    .arg(largest)
                                    .arg(tolerance)));
        }
    };
    compare(job.exports.stack);
    const auto report = nlohmann::json::parse(test::bytesOf(job.report)).at("stack");
    QVERIFY(report.at("turned").get<bool>());
    QCOMPARE(report.at("interpolation").get<std::string>(), std::string("cubic"));
    QVERIFY(job::toText(result.report).find("turned back by their poses") != std::string::npos);
    // A list holds what is needed.
    job::ListConversion list{.input = job.peaks};
    list.scene = folder.path("scene.mha");
    list.exports = job.exports;
    list.exports.stack = folder.path("again.mha");
    const job::ConvertedList done = job::convertList(list);
    QVERIFY(done.stack && done.stack->turned);
    compare(list.exports.stack);
    // What is not turned back is something else: the test would see it.
    job.exports.turned = false;
    job.exports.subvoxel = true;
    (void)job::runJob(job, images);
    const base::Image<float> plain = read(job.exports.stack);
    double largest = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        for (std::int64_t k = 0; k < std::ssize(made.planted); ++k) {
            largest = std::max<double>(
                largest, std::abs(plain.data()[k * templ.count() + i] - templ.data()[i]));
        }
    }
    QVERIFY(largest > 0.3);
}

void JobTurnedBoxesTest::withoutTurningBoxesAreTheVoxelsOfTheScene() {
    const Case made = flatCase();
    const test::Folder folder;
    const job::JobImages images =
        test::imagesOf(drawn(made, made.scene, made.planted), templateOf(made));
    job::Job job;
    job.minScore = 0.8;
    job.maxPeaks = 4;
    job.poses.rotations = turnsOf(made, folder);
    job.exports.stack = folder.path("stack.mha");
    job.report = folder.path("report.json");
    const job::JobResult result = job::runJob(job, images);
    const base::Image<float> stack = read(job.exports.stack);
    const auto& scene = std::get<base::Image<float>>(images.scene->pixels);
    for (std::size_t k = 0; k < result.peaks.size(); ++k) {
        const match::Peak& peak = result.peaks[k];
        const base::Point point = match::referenceOf(
            peak, {.size = made.templ, .references = {rotation::toReferenceVoxel(made.templ)}});
        const base::Index corner = match::cornerAt(point, made.templ);
        for (std::int64_t y = 0; y < made.templ.y; ++y) {
            for (std::int64_t x = 0; x < made.templ.x; ++x) {
                QCOMPARE(stack.view().at(x, y, static_cast<std::int64_t>(k)),
                         scene.view().at(corner.x + x, corner.y + y, 0));
            }
        }
    }
    const auto report = nlohmann::json::parse(test::bytesOf(job.report)).at("stack");
    QVERIFY(!report.at("turned").get<bool>());
    QCOMPARE(report.at("interpolation").get<std::string>(), std::string("none"));
}

void JobTurnedBoxesTest::theOptionIsOfStacks() {
    const auto parsed = test::matchOf({"a.mha", "b.mha", "--stack", "s.mha", "--stack-turned"});
    QVERIFY(parsed.exports.turned && !parsed.exports.subvoxel);
    QVERIFY(test::matchOf(job::toArguments(parsed)) == parsed);
    QVERIFY(job::fromJobFile(job::toJobFile(parsed)) == parsed);
    job::Job job;
    job.exports.turned = true;
    const test::Thrown thrown = test::thrownBy([&] {
        const Case made = flatCase();
        (void)job::runJob(job,
                          test::imagesOf(drawn(made, made.scene, made.planted), templateOf(made)));
    });
    QCOMPARE(thrown.code, base::ErrorCode::CommandLine);
    QVERIFY2(thrown.sentence.find("--stack-turned") != std::string::npos, thrown.sentence.c_str());
}

const flcc::test::TestClass<JobTurnedBoxesTest> kJobTurnedBoxesTest;
#include "turned_boxes_test.moc"
