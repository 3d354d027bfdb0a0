#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/io/list_file.h"
#include "engine/job/difference.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/posed_shapes.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

// A particle sits at voxel m / 2 of its template and lies in a scene in six poses. Programs that
// take the lists cut a box whose voxel m / 2 is the stated position and turn it back by the stated
// angles: what they get must lie on the template. Lists are read by the small readers of
// posed_shapes.h, which know nothing of the engine.

using namespace flcc;
using base::Extents;
using base::Point;
using test::kListedVoxel;
using test::Placed;
using test::Turn;

namespace {

/// The fault is half a voxel on every axis.
constexpr double kMost = 0.05;

struct Blob {
    Point at;
    double radius;
    double height;
};

/// Many blobs about the reference voxel, which no turn takes to each other. The scores of such a
/// texture have a symmetric top, so that its parabola leads to the place.
std::vector<Blob> particleOf(bool flat) {
    std::mt19937 random(5);
    const auto next = [&random] { return static_cast<double>(random() % 2001) / 1000 - 1; };
    std::vector<Blob> blobs;
    while (blobs.size() < 48) {
        const Point at{4.2 * next(), 4.2 * next(), flat ? 0 : 4.2 * next()};
        if (std::hypot(at[0], at[1], at[2]) < 4.2) {
            blobs.push_back({at, 1.1, blobs.size() % 2 == 0 ? 1.0 : -1.0});
        }
    }
    return blobs;
}
const std::array<std::vector<Blob>, 2> kParticle{particleOf(false), particleOf(true)};

Point applied(const Turn& m, const Point& p) {
    Point to{};
    for (std::size_t a = 0; a < 3; ++a) {
        to[a] = m[3 * a] * p[0] + m[3 * a + 1] * p[1] + m[3 * a + 2] * p[2];
    }
    return to;
}

/// A turn of lengths as one of offsets in voxels with these edges.
Turn inVoxels(const Turn& turn, const Point& edges) {
    Turn m = turn;
    for (std::size_t i = 0; i < 9; ++i) {
        m.at(i) *= edges.at(i % 3) / edges.at(i / 3);
    }
    return m;
}

Point lengthsOf(const Point& voxels, const Point& edges) {
    return {voxels[0] * edges[0], voxels[1] * edges[1], voxels[2] * edges[2]};
}

/// The particle at an offset from its reference voxel, as a length. In an image, its slice.
double particleAt(const Point& p, bool flat) {
    double sum = 0;
    for (const Blob& blob : kParticle.at(flat ? 1 : 0)) {
        const double dz = flat ? 0 : p[2] - blob.at[2];
        const double square =
            std::pow(p[0] - blob.at[0], 2) + std::pow(p[1] - blob.at[1], 2) + dz * dz;
        sum += blob.height * std::exp(-square / (2 * blob.radius * blob.radius));
    }
    return sum;
}

Point pointOf(const Extents& n, std::int64_t i) {
    return {static_cast<double>(i % n.x), static_cast<double>(i / n.x % n.y),
            static_cast<double>(i / (n.x * n.y))};
}

Point difference(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double length(const Point& p) { return std::hypot(p[0], p[1], p[2]); }

base::Image<float> templateOf(const Extents& m, const Point& edges = {1, 1, 1}) {
    base::Image<float> image(m);
    const Point middle{static_cast<double>(m.x / 2), static_cast<double>(m.y / 2),
                       static_cast<double>(m.z / 2)};
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(
            particleAt(lengthsOf(difference(pointOf(m, i), middle), edges), m.z == 1));
    }
    return image;
}

base::Image<float> sceneOf(const Extents& n, const std::vector<Placed>& planted,
                           const Point& edges) {
    base::Image<float> image(n, 0.0F);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        for (const Placed& each : planted) {
            const Point o = lengthsOf(difference(pointOf(n, i), each.centre), edges);
            if (length(o) < 11) {
                image.data()[i] += static_cast<float>(
                    particleAt(applied(test::transposedOf(each.turn), o), n.z == 1));
            }
        }
    }
    return image;
}

/// Between voxels, linear.
double valueAt(const base::Image<float>& image, const Point& at) {
    const Extents& n = image.extents();
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        std::array<std::int64_t, 3> i{};
        for (std::size_t a = 0; a < 3; ++a) {
            const double first = std::floor(at[a]);
            const bool next = (corner >> a & 1) != 0;
            weight *= next ? at[a] - first : 1 - (at[a] - first);
            i.at(a) = static_cast<std::int64_t>(first) + (next ? 1 : 0);
        }
        if (weight > 0 && i[2] >= 0 && i[2] < n.z) {
            sum += weight * static_cast<double>(image.view().at(i[0], i[1], i[2]));
        }
    }
    return sum;
}

/// The template and its gradient, about the reference voxel.
struct Row {
    Point at;
    std::array<double, 4> values; ///< gradient and value
};
std::vector<Row> rowsOf(bool flat, const Point& edges) {
    std::vector<Row> rows;
    constexpr int kReach = 5;
    for (int z = flat ? 0 : -kReach; z <= (flat ? 0 : kReach); ++z) {
        for (int y = -kReach; y <= kReach; ++y) {
            for (int x = -kReach; x <= kReach; ++x) {
                const Point v{static_cast<double>(x), static_cast<double>(y),
                              static_cast<double>(z)};
                Row row{v, {}};
                for (std::size_t a = 0; a < 3; ++a) {
                    Point more = v;
                    Point less = v;
                    more[a] += 0.01;
                    less[a] -= 0.01;
                    row.values.at(a) = (particleAt(lengthsOf(more, edges), flat) -
                                        particleAt(lengthsOf(less, edges), flat)) /
                                       0.02;
                }
                row.values[3] = particleAt(lengthsOf(v, edges), flat);
                rows.push_back(row);
            }
        }
    }
    return rows;
}

/// How far what a program cuts at a listed particle and turns back lies beside the template:
/// s(v) = r(v) + grad r . d in least squares, voxels.
Point besideTemplate(const base::Image<float>& scene, const Placed& listed,
                     const std::vector<Row>& templ, const Point& edges) {
    const Turn turn = inVoxels(listed.turn, edges);
    std::array<std::array<double, 4>, 3> sums{};
    for (const Row& row : templ) {
        const Point way = applied(turn, row.at);
        const Point at{listed.centre[0] + way[0], listed.centre[1] + way[1],
                       listed.centre[2] + way[2]};
        std::array<double, 4> values = row.values;
        values[3] -= valueAt(scene, at);
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 4; ++b) {
                sums.at(a).at(b) += values.at(a) * values.at(b);
            }
        }
    }
    if (scene.extents().z == 1) {
        sums[2] = {0, 0, 1, 0};
    }
    for (std::size_t a = 0; a < 3; ++a) { // Gauss and Jordan; the matrix is positive
        for (std::size_t b = 0; b < 3; ++b) {
            const double share = sums.at(b).at(a) / sums.at(a).at(a);
            for (std::size_t k = 0; b != a && k < 4; ++k) {
                sums.at(b).at(k) -= share * sums.at(a).at(k);
            }
        }
    }
    return {sums[0][3] / sums[0][0], sums[1][3] / sums[1][1], sums[2][3] / sums[2][2]};
}

/// Six poses, their particles, and the scene and template of a job.
struct Case {
    Extents templ;
    std::vector<Placed> planted;
    std::vector<Point> centres; ///< of the geometric centres
    job::JobImages images;
    std::string turns; ///< a list of them, as quaternions
};

Case caseOf(const Extents& templ, const Point& edges = {1, 1, 1}) {
    const bool flat = templ.z == 1;
    const double third = 1 / std::sqrt(3.0);
    const std::array<std::pair<Point, double>, 6> kTurns =
        flat ? std::array<std::pair<Point, double>, 6>{{{{0, 0, 1}, 0},
                                                        {{0, 0, 1}, 90},
                                                        {{0, 0, 1}, 180},
                                                        {{0, 0, 1}, 270},
                                                        {{0, 0, 1}, 37},
                                                        {{0, 0, 1}, 211}}}
             : std::array<std::pair<Point, double>, 6>{{{{0, 0, 1}, 0},
                                                        {{0, 1, 0}, 90},
                                                        {{1, 0, 0}, 180},
                                                        {{2.0 / 7, 3.0 / 7, 6.0 / 7}, 70},
                                                        {{-6.0 / 7, 2.0 / 7, 3.0 / 7}, 125},
                                                        {{third, third, -third}, 205}}};
    Case made{.templ = templ, .planted = {}, .centres = {}, .images = {}, .turns = {}};
    std::ostringstream turns;
    turns.precision(17);
    const std::array<std::int64_t, 3> extents{templ.x, templ.y, templ.z};
    for (std::size_t i = 0; i < kTurns.size(); ++i) {
        const auto& [axis, degrees] = kTurns.at(i);
        Placed& each = made.planted.emplace_back();
        each.turn = test::turnAbout(axis, degrees);
        Point half{};
        for (std::size_t a = 0; a < 3; ++a) {
            half[a] = extents.at(a) % 2 == 0 ? 0.5 : 0;
        }
        const Point way = applied(inVoxels(each.turn, edges), half);
        // On whole placements, where the search finds them without interpolation: a quarter turn
        // takes even extents to other axes.
        const bool quarter = std::ranges::all_of(
            each.turn, [](double m) { return std::abs(m - std::round(m)) < 1e-9; });
        Point centre{12.0 + 22 * static_cast<double>(i % 3), 12.0 + 22 * static_cast<double>(i / 3),
                     flat ? 0.0 : 12.0};
        for (std::size_t a = 0; a < 3; ++a) {
            centre[a] += quarter ? std::abs(std::round(2 * way[a]) / 2) : half[a];
        }
        each.centre = {centre[0] + way[0], centre[1] + way[1], centre[2] + way[2]};
        made.centres.push_back(centre);
        const double s = std::sin(degrees * std::numbers::pi / 360);
        turns << std::cos(degrees * std::numbers::pi / 360) << ' ' << s * axis[0] << ' '
              << s * axis[1] << ' ' << s * axis[2] << '\n';
    }
    made.turns = turns.str();
    base::Geometry geometry;
    geometry.spacing = lengthsOf({kListedVoxel, kListedVoxel, kListedVoxel}, edges);
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    made.images = test::imagesOf(sceneOf({69, 47, flat ? 1 : 25}, made.planted, edges),
                                 templateOf(templ, edges), geometry);
    return made;
}

job::Job searching(const Case& of, const test::Folder& folder) {
    std::ofstream(folder.path("turns.txt")) << of.turns;
    job::Job job;
    job.poses.rotations = "list:" + folder.path("turns.txt").string();
    job.masks = {"sphere:5.5"};
    job.poses.refine = false; // the poses are exact
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.minScore = 0.9;
    return job;
}

/// The planted one nearest to a position.
std::size_t nearestTo(const std::vector<Point>& points, const Point& at) {
    return static_cast<std::size_t>(
        std::ranges::min_element(points, {},
                                 [&](const Point& each) { return length(difference(each, at)); }) -
        points.begin());
}

io::ListUnknowns unknownsOf(const Extents& scene) {
    return {.binning = 1, .unbinnedPixel = kListedVoxel, .unbinnedSize = scene};
}

/// Positions of boxes in a table of EMAN (`whole`), or of crYOLO.
std::vector<Point> boxesIn(const std::string& text, bool whole) {
    std::vector<Point> points;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::array<double, 6> n{};
        std::size_t count = 0;
        while (count < 6 && words >> n.at(count)) {
            ++count;
        }
        if (whole && count == 4) { // RELION: corner + box / 2, both whole
            points.push_back({n[0] + std::floor(n[2] / 2), n[1] + std::floor(n[3] / 2), 0});
        } else if (!whole && count == 6) { // x, y, z, width, height, depth
            points.push_back({n[0] + n[3] / 2, n[1] + n[4] / 2, n[2]});
        }
    }
    return points;
}

} // namespace

class ReferencePointsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void whatAListCutsAndTurnsBackLiesOnTheTemplate_data() {
        QTest::addColumn<int>("x");
        QTest::addColumn<int>("y");
        QTest::addColumn<int>("z");
        QTest::addColumn<bool>("oblong");
        QTest::newRow("even") << 14 << 14 << 14 << false;
        QTest::newRow("odd") << 13 << 13 << 13 << false;
        QTest::newRow("mixed") << 14 << 13 << 12 << false;
        QTest::newRow("even image") << 14 << 14 << 1 << false;
        QTest::newRow("mixed image") << 13 << 14 << 1 << false;
        QTest::newRow("oblong image") << 14 << 14 << 1 << true;
    }

    static void whatAListCutsAndTurnsBackLiesOnTheTemplate() {
        QFETCH(int, x);
        QFETCH(int, y);
        QFETCH(int, z);
        QFETCH(bool, oblong);
        const Point edges = oblong ? Point{0.85, 1.1, 1} : Point{1, 1, 1};
        const Case made = caseOf({x, y, z}, edges);
        const auto& scene = std::get<base::Image<float>>(made.images.scene->pixels);
        const Extents& n = scene.extents();
        const test::Folder folder;
        job::Job job = searching(made, folder);
        job.peaks = folder.path("peaks.csv");
        const job::JobResult result = job::runJob(job, made.images);
        QCOMPARE(result.peaks.size(), made.planted.size());
        const std::vector<Row> rows = rowsOf(z == 1, edges);
        std::vector<Point> points;
        for (const Placed& each : made.planted) {
            points.push_back(each.centre);
        }
        for (const char* format :
             {"relion4", "warp", "dynamo", "dynamo0", "relion5", "m", "copick"}) {
            if (oblong && std::string(format) == "relion5") {
                break; // these count in lengths, of voxels that are cubes
            }
            job::ListConversion list{.input = job.peaks};
            list.to = io::listFormatNamed(format, "--to");
            list.output = folder.path(std::string("list") + format);
            list.unknowns = unknownsOf(n);
            (void)job::convertList(list);
            const std::string text = test::bytesOf(list.output);
            const std::vector<Placed> listed = test::readPlaced(format, text, n);
            QCOMPARE(listed.size(), made.planted.size());
            std::vector<int> found(made.planted.size(), 0);
            for (const Placed& each : listed) {
                const std::size_t i = nearestTo(points, each.centre);
                ++found.at(i);
                const double off = length(difference(each.centre, points.at(i)));
                const double beside = length(besideTemplate(scene, each, rows, edges));
                QVERIFY2(off < kMost && beside < kMost,
                         qPrintable(QStringLiteral("%1, pose %2: off by %3, cut beside by %4")
                                        .arg(format)
                                        .arg(i)
                                        .arg(off)
                                        .arg(beside)));
            }
            QCOMPARE(std::ranges::count(found, 1), std::ptrdiff_t{6});
            // Read by this program it means the same centres.
            io::ListPlace place{
                .scene = {}, .extents = n, .geometry = result.geometry, .unknowns = unknownsOf(n)};
            place.unknowns.box = made.templ;
            const io::PositionList read = io::readList(list.output, list.to, place);
            for (const io::ListedPosition& each : read.positions) {
                const std::size_t i = nearestTo(made.centres, each.centre);
                QVERIFY(length(difference(each.centre, made.centres.at(i))) < kMost);
            }
        }
    }

    static void boxesOfEmanAndCryoloMeanTheReferenceVoxel() {
        for (const Extents& templ : {Extents{14, 14, 1}, Extents{13, 14, 1}}) {
            const Case made = caseOf(templ);
            const Extents n = base::extentsOf(made.images.scene->pixels);
            const test::Folder folder;
            job::Job job = searching(made, folder);
            job.peaks = folder.path("peaks.csv");
            (void)job::runJob(job, made.images);
            for (const bool whole : {true, false}) {
                job::ListConversion list{.input = job.peaks};
                list.output = folder.path(whole ? "list.box" : "list.cbox");
                (void)job::convertList(list);
                const std::vector<Point> read = boxesIn(test::bytesOf(list.output), whole);
                QCOMPARE(read.size(), made.planted.size());
                for (const Placed& each : made.planted) {
                    const Point& at = read.at(nearestTo(read, each.centre));
                    for (std::size_t a = 0; a < 2; ++a) {
                        // Whole pixels are the nearest; of two equally near ones either.
                        QVERIFY2(std::abs(at[a] - each.centre[a]) < (whole ? 0.5 : 0) + kMost,
                                 qPrintable(QString::number(each.centre[a])));
                    }
                }
                QVERIFY(n.x > 0);
            }
        }
    }

    /// A list in a format without a place for boxes gets that of the template that is searched.
    static void aTruthOfReferencePointsIsReadWithTheTemplate() {
        const Case made = caseOf({14, 13, 1});
        const test::Folder folder;
        job::Job job = searching(made, folder);
        job.peaks = folder.path("peaks.tbl");
        job.peaksFormat = io::ListFormat::Dynamo;
        (void)job::runJob(job, made.images);
        job.truth = job.peaks;
        job.peaks = folder.path("peaks.csv");
        const job::JobResult result = job::runJob(job, made.images);
        const auto& distances = result.report.truth->comparison.distances;
        QVERIFY(distances && distances->largest < 1e-9);
        QVERIFY(job::notesOf(*result.report.truth).empty());
        // Two lists: the one without boxes is of the particle of the other.
        const job::ComparedLists same = job::diffLists({.a = job.truth, .b = job.peaks});
        QVERIFY(same.comparison.distances->largest < 1e-9);
    }

    /// m / 2 is the voxel of the file: half a voxel of 12 A is 0.6 of one of 10 A.
    static void aResampledTemplateKeepsTheVoxelOfItsFile() {
        const Case made = caseOf({14, 13, 1});
        job::JobImages images = made.images;
        auto templ = std::make_shared<job::SceneImage>();
        templ->pixels = templateOf(made.templ);
        templ->geometry = images.scene->geometry;
        templ->geometry.spacing = {12, 12, 12};
        templ->source = "memory:templ";
        images.templates = {templ};
        const test::Folder folder;
        job::Job job;
        job.resample = true;
        job.minScore = 0.3;
        job.maxPeaks = 1;
        job.planning = plan::Planning::Estimate;
        for (const char* name : {"peaks.csv", "peaks.json"}) {
            job.peaks = folder.path(name);
            const job::JobResult result = job::runJob(job, images);
            QCOMPARE(result.peaks.size(), std::size_t{1});
            job::ListConversion list{.input = job.peaks};
            list.to = io::ListFormat::Warp;
            const std::string star = job::convertList(list).text;
            std::istringstream row(star.substr(star.rfind("\n", star.size() - 2) + 1));
            std::string word;
            Point stated{};
            row >> word >> stated[0] >> stated[1];
            const Point& centre = result.peaks[0].centre;
            QVERIFY2(std::abs(stated[0] - centre[0] - 0.6) < 1e-6 &&
                         std::abs(stated[1] - centre[1]) < 1e-6,
                     star.c_str());
        }
    }

    /// Of an even box too the particle lies on voxel size / 2, and not beside.
    static void stacksHoldTheParticleOnTheirMiddleVoxel() {
        for (const Extents& templ : {Extents{14, 14, 1}, Extents{13, 13, 1}}) {
            const Case made = caseOf(templ);
            const auto& scene = std::get<base::Image<float>>(made.images.scene->pixels);
            const test::Folder folder;
            (void)io::writeImage(folder.path("scene.mha"), base::viewOf(made.images.scene->pixels),
                                 made.images.scene->geometry);
            job::Job job = searching(made, folder);
            job.exports.stack = folder.path("stack.mha");
            job.exports.size = Extents{16, 15, 0};
            job.peaks = folder.path("peaks.csv");
            const job::JobResult result = job::runJob(job, made.images);
            job::ListConversion list{.input = job.peaks};
            list.scene = folder.path("scene.mha");
            list.exports = job.exports;
            list.exports.stack = folder.path("again.mha");
            (void)job::convertList(list);
            for (const char* name : {"stack.mha", "again.mha"}) {
                const io::LoadedImage read = io::readImage(folder.path(name));
                const auto& stack = std::get<base::Image<float>>(read.components.at(0));
                QVERIFY((stack.extents() == Extents{16, 15, 6}));
                for (std::size_t k = 0; k < 6; ++k) {
                    const Point& point =
                        made.planted.at(nearestTo(made.centres, result.peaks[k].centre)).centre;
                    // Between two voxels, rounding of the turn decides which is nearer.
                    const auto near = [&](std::size_t a) {
                        return static_cast<std::int64_t>(std::floor(point[a] + 0.5));
                    };
                    if (std::abs(point[0] - std::floor(point[0]) - 0.5) > kMost &&
                        std::abs(point[1] - std::floor(point[1]) - 0.5) > kMost) {
                        QCOMPARE(stack.view().at(8, 7, static_cast<std::int64_t>(k)),
                                 scene.view().at(near(0), near(1), 0));
                    }
                }
            }
        }
    }
};

const flcc::test::TestClass<ReferencePointsTest> kReferencePointsTest;
#include "reference_points_test.moc"
