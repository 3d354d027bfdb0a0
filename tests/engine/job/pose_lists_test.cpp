#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/posed_shapes.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

// A shape with three unequal arms, drawn turned by known angles, is searched for and listed in
// every format with angles. From the lists alone the picture is drawn once more.

using namespace flcc;
using base::Extents;
using base::Point;
using test::correlation;
using test::drawn;
using test::kListedVoxel;
using test::onScreen;
using test::Placed;
using test::turnAbout;

namespace {

const std::array<std::pair<const char*, const char*>, 12> kFormats{{{"relion4", ".star"},
                                                                    {"relion5", ".star"},
                                                                    {"warp", ".star"},
                                                                    {"m", ".star"},
                                                                    {"dynamo", ".tbl"},
                                                                    {"dynamo0", ".tbl"},
                                                                    {"stopgap", ".star"},
                                                                    {"relion-micrograph", ".star"},
                                                                    {"copick", ".json"},
                                                                    {"slicer", ".mrk.json"},
                                                                    {"csv", ".csv"},
                                                                    {"json", ".json"}}};

/// A scene of placed shapes with a little noise, and the shape as template.
job::JobImages imagesOf(const Extents& n, const std::vector<Placed>& planted) {
    base::Image<float> scene = drawn(n, planted);
    const base::AnyImage noise = test::noise(base::PixelType::Float32, n, 3);
    const auto& more = std::get<base::Image<float>>(noise);
    const auto [least, most] = std::minmax_element(more.data(), more.data() + more.count());
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        scene.data()[i] += 0.2F * more.data()[i] / (*most - *least);
    }
    const std::int64_t edge = 21;
    const bool flat = n.z == 1;
    base::Image<float> templ =
        drawn({edge, edge, flat ? 1 : edge}, {{.centre = {10, 10, flat ? 0.0 : 10.0}}});
    base::Geometry geometry;
    geometry.spacing = {kListedVoxel, kListedVoxel, kListedVoxel};
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    return test::imagesOf(std::move(scene), std::move(templ), geometry);
}

/// The least that a picture drawn from a list may have in common with the scene without noise:
/// all shapes `degrees` off about an axis that moves all arms, and a third of a voxel beside.
double leastCorrelation(const Extents& n, const std::vector<Placed>& planted, double degrees) {
    std::vector<Placed> off = planted;
    const double third = 1 / std::sqrt(3.0);
    for (Placed& each : off) {
        each.centre[0] += 0.33;
        each.turn = test::productOf(
            each.turn, n.z == 1 ? onScreen(degrees) : turnAbout({third, third, third}, degrees));
    }
    return correlation(drawn(n, planted), drawn(n, off));
}

/// Draws the picture of every list; `hand`: of formats that have scales and hands.
void judge(const job::Job& search, const Extents& n, const std::vector<Placed>& planted,
           double degrees, bool hand) {
    const job::JobImages images = imagesOf(n, planted);
    const base::Image<float> scene = drawn(n, planted);
    const double least = leastCorrelation(n, planted, degrees);
    const test::Folder folder;
    test::Thinned some(5);
    for (const auto& [format, end] : kFormats) {
        const std::string name(format);
        if (name == "relion-micrograph" && n.z > 1) {
            continue; // of pictures alone
        }
        if (!some.next() || (hand && name != "csv" && name != "json")) {
            continue;
        }
        job::Job job = search;
        job.peaks = folder.path(name + end);
        job.peaksFormat = io::listFormatNamed(name, "--peaks-format");
        job.peaksUnknowns = {.binning = 1, .unbinnedPixel = kListedVoxel, .unbinnedSize = n};
        const job::JobResult result = job::runJob(job, images);
        QCOMPARE(result.peaks.size(), planted.size());
        const std::vector<Placed> read = test::readPlaced(name, test::bytesOf(job.peaks), n);
        QVERIFY2(read.size() == planted.size(), format);
        const double alike = correlation(scene, drawn(n, read));
        QVERIFY2(
            alike >= least,
            qPrintable(QStringLiteral("%1: %2, at least %3").arg(format).arg(alike).arg(least)));
        // Turned the other way round, the shapes do not fit: the test would see it.
        std::vector<Placed> wrong = read;
        for (Placed& each : wrong) {
            each.turn = test::transposedOf(each.turn);
        }
        QVERIFY(correlation(scene, drawn(n, wrong)) < least - 0.05);
    }
}

} // namespace

class PoseListsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void noOtherFormatHasAngles() {
        const Extents n{60, 50, 1};
        const job::JobImages images = imagesOf(n, {{.centre = {30, 25, 0}, .turn = onScreen(90)}});
        const test::Folder folder;
        for (const io::ListFormatInfo& info : io::listFormats()) {
            const auto isJudged = [&](const auto& each) { return info.name == each.first; };
            if (info.name == "tsv" || std::ranges::any_of(kFormats, isJudged)) {
                continue; // a table of tabs is one of commas
            }
            job::Job job = searching("90");
            job.peaks = folder.path("list" + std::string(info.extension));
            job.peaksFormat = info.format;
            job.peaksUnknowns = {.binning = 1, .unbinnedPixel = kListedVoxel, .unbinnedSize = n};
            const job::JobResult result = job::runJob(job, images);
            const io::PositionList read = io::readList(job.peaks, info.format,
                                                       {.scene = {},
                                                        .extents = n,
                                                        .geometry = result.geometry,
                                                        .unknowns = job.peaksUnknowns});
            QCOMPARE(std::ssize(read.positions), 1);
            QVERIFY2(!read.positions[0].angles, std::string(info.name).c_str());
        }
    }

    static void aPictureIsDrawnFromItsLists() {
        const Extents n{100, 96, 1};
        std::vector<Placed> planted;
        for (const auto& [x, y, degrees] : {std::tuple(24.0, 23.4, 37.0),
                                            {74.3, 25.0, 158.0},
                                            {25.0, 70.0, 251.0},
                                            {73.0, 71.6, 329.0}}) {
            planted.push_back({.centre = {x, y, 0}, .turn = onScreen(degrees)});
        }
        judge(searching("6"), n, planted, 3, false);
    }

    static void aPictureOfBothHandsAndSizesIsDrawnFromItsLists() {
        const Extents n{100, 96, 1};
        const std::vector<Placed> planted{
            {.centre = {24, 23.4, 0}, .turn = onScreen(37), .mirrored = true},
            {.centre = {74.3, 25, 0}, .turn = onScreen(158), .scale = 1.2},
            {.centre = {26, 70, 0}, .turn = onScreen(251), .scale = 1.2, .mirrored = true},
            {.centre = {73, 71.6, 0}, .turn = onScreen(329)}};
        job::Job job = searching("6");
        job.poses.scales = "1,1.2";
        job.poses.mirror = true;
        judge(job, n, planted, 3, true);
    }

    static void averagesLieAsTheTemplateDoes() {
        const Extents n{100, 96, 1};
        const std::vector<Placed> planted{
            {.centre = {24, 23.4, 0}, .turn = onScreen(37), .mirrored = true},
            {.centre = {74.3, 25, 0}, .turn = onScreen(158), .scale = 1.2},
            {.centre = {26, 70, 0}, .turn = onScreen(251), .scale = 1.2, .mirrored = true},
            {.centre = {73, 71.6, 0}, .turn = onScreen(329)}};
        const test::Folder folder;
        const job::JobImages images = imagesOf(n, planted);
        (void)io::writeImage(folder.path("scene.mha"), base::viewOf(images.scene->pixels),
                             images.scene->geometry);
        job::Job job = searching("6");
        job.poses.scales = "1,1.2";
        job.poses.mirror = true;
        job.peaks = folder.path("peaks.csv");
        job.exports.average = folder.path("average.mha");
        (void)job::runJob(job, images);
        const auto pixelsOf =
            [](const std::shared_ptr<const job::SceneImage>& image) -> const base::Image<float>& {
            return std::get<base::Image<float>>(image->pixels);
        };
        const auto average = job::loadImage(folder.path("average.mha"), {}, {});
        const double alike = correlation(pixelsOf(average), pixelsOf(images.templates[0]));
        QVERIFY2(alike > 0.97, qPrintable(QString::number(alike)));
        // The list alone gives the same, with its angles, sizes and hands.
        job::ListConversion list;
        list.input = job.peaks;
        list.scene = folder.path("scene.mha");
        list.exports.average = folder.path("again.mha");
        QCOMPARE(job::convertList(list).averages.at(0).count, std::int64_t{4});
        const auto again = job::loadImage(folder.path("again.mha"), {}, {});
        QVERIFY(correlation(pixelsOf(average), pixelsOf(again)) > 1 - 1e-9);
    }

    static void aVolumeIsDrawnFromItsLists() {
        // Turns about axes of no symmetry, as quaternions in a list: no angle of any format.
        const Extents n{60, 56, 48};
        const std::vector<std::tuple<Point, Point, double>> turns{
            {{16, 17.4, 15}, {2.0 / 7, 3.0 / 7, 6.0 / 7}, 70},
            {{42.3, 17, 31}, {-6.0 / 7, 2.0 / 7, 3.0 / 7}, 125},
            {{28, 39.6, 22}, {0.6, 0, -0.8}, 205}};
        const test::Folder folder;
        const std::string list = folder.path("list.txt").string();
        std::vector<Placed> planted;
        std::ofstream rows(list);
        rows.precision(17);
        for (const auto& [centre, axis, degrees] : turns) {
            planted.push_back({.centre = centre, .turn = turnAbout(axis, degrees)});
            for (const double angle : {degrees, degrees + 90, degrees + 180}) { // and two others
                const double s = std::sin(angle * std::numbers::pi / 360);
                rows << std::cos(angle * std::numbers::pi / 360) << ' ' << s * axis[0] << ' '
                     << s * axis[1] << ' ' << s * axis[2] << '\n';
            }
        }
        rows.close();
        job::Job job = searching("list:" + list);
        job.masks = {"sphere:10"};
        judge(job, n, planted, 1, false);
    }

  private:
    static job::Job searching(const std::string& rotations) {
        job::Job job;
        job.poses.rotations = rotations;
        job.threads = 2;
        job.planning = plan::Planning::Estimate;
        job.minScore = 0.7;
        return job;
    }
};

const flcc::test::TestClass<PoseListsTest> kPoseListsTest;
#include "pose_lists_test.moc"
