#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/shared/posed_view.h"
#include "engine/reference/lcc.h"
#include "engine/rotation/pose_bank.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::Point;
using base::Status;
using job::Job;
using job::JobResult;
using rotation::Pose;

namespace {

base::Image<float> floatsOf(const base::AnyImage& image) {
    base::Image<float> made(base::extentsOf(image));
    const auto& from = std::get<base::Image<float>>(image);
    std::copy_n(from.data(), from.count(), made.data());
    return made;
}

/// A picture of waves of several lengths, as smooth as a photograph: no place looks like another.
base::Image<float> waves(const Extents& n) {
    base::Image<float> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const auto x = static_cast<double>(i % n.x);
        const auto y = static_cast<double>(i / n.x % n.y);
        const auto z = static_cast<double>(i / (n.x * n.y));
        image.data()[i] = static_cast<float>(
            100 + 40 * std::sin(0.31 * x + 0.004 * x * y + 0.9 * z) +
            30 * std::cos(0.27 * y - 0.0031 * y * y - 0.41 * z) +
            25 * std::sin(0.17 * (x + y + z)) + 20 * std::cos(0.0023 * x * x + 0.05 * y * z));
    }
    return image;
}

base::Image<float> cropOf(const base::Image<float>& image, const base::Box& box) {
    base::Image<float> made(box.extents);
    for (std::int64_t i = 0; i < made.count(); ++i) {
        const Extents& m = box.extents;
        made.data()[i] = image.view().at(box.corner.x + i % m.x, box.corner.y + i / m.x % m.y,
                                         box.corner.z + i / (m.x * m.y));
    }
    return made;
}

base::Image<float> copyOf(const base::Image<float>& image) {
    return cropOf(image, {{0, 0, 0}, image.extents()});
}

/// Writes rot, tilt and psi of a list.
std::string listOf(const test::Folder& folder, const std::vector<rotation::Quaternion>& turns) {
    const std::string name = folder.path("turns.txt").string();
    std::ofstream list(name);
    for (const rotation::Quaternion& turn : turns) {
        const Point euler = rotation::eulerOf(turn);
        list << euler[0] << ' ' << euler[1] << ' ' << euler[2] << '\n';
    }
    return "list:" + name;
}

Job searching(const std::string& rotations) {
    Job job;
    job.poses.rotations = rotations;
    job.poses.refine = false;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.minScore = 0.6;
    return job;
}

/// What the map must hold at a voxel.
struct Expected {
    double score = 0;
    Status status = Status::NotComputed;
    std::int32_t member = -1;
};

/// Every score of every member by its definition on the scene without a margin: those whose support
/// lies inside go first, others follow. With `valid` no support may leave the scene.
Expected bestAt(const method::MaskedView& scene, const std::vector<reference::Lcc>& members,
                const Index& corner, bool valid) {
    Expected best;
    const method::MaskedView all(scene.pixels);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const reference::Score score = members[i].at(scene, corner);
        if (!base::hasValue(score.status) ||
            (valid && members[i].statusAt(all, corner) != Status::Ok)) {
            continue;
        }
        const bool first = score.status == Status::Ok && best.status == Status::Partial;
        const bool later = score.status == Status::Partial && best.status == Status::Ok;
        if (best.member < 0 || first || (!later && score.value > best.score)) {
            best = {score.value, score.status, static_cast<std::int32_t>(i)};
        }
    }
    return best;
}

/// A round mask about the middle of a cube or square.
base::Image<std::uint8_t> ball(const Extents& m, double radius) {
    base::Image<std::uint8_t> made(m);
    const auto middle = static_cast<double>(m.x - 1) / 2;
    for (std::int64_t i = 0; i < made.count(); ++i) {
        const auto x = static_cast<double>(i % m.x) - middle;
        const auto y = static_cast<double>(i / m.x % m.y) - middle;
        const double z = m.z == 1 ? 0 : static_cast<double>(i / (m.x * m.y)) - middle;
        made.data()[i] = std::sqrt(x * x + y * y + z * z) < radius ? 1 : 0;
    }
    return made;
}

/// Three unequal arms: no turn is the same. `p` in lengths.
double armsAt(const Point& p, bool flat) {
    const auto blob = [&p](double x, double y, double z, double radius) {
        return std::exp(
            -((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z)) /
            (2 * radius * radius));
    };
    return 1.2 * blob(0, 0, 0, 2.2) + blob(6, 0, 0, 1.8) + blob(3, 0, 0, 1.8) +
           0.9 * blob(0, 4, 0, 1.9) + (flat ? 0 : 1.4 * blob(0, 0, 5, 2));
}

/// Adds the arms in a pose about a voxel of an image whose voxels have these edges.
void plant(base::Image<float>& image, const Point& centre, const Pose& pose, const Point& edges,
           bool flat) {
    const rotation::Matrix m = rotation::matrixOf(pose.turn);
    const Extents& n = image.extents();
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const Point o{edges[0] * (static_cast<double>(i % n.x) - centre[0]),
                      edges[1] * (static_cast<double>(i / n.x % n.y) - centre[1]),
                      edges[2] * (static_cast<double>(i / (n.x * n.y)) - centre[2])};
        Point p{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            p[axis] = m[axis] * o[0] + m[3 + axis] * o[1] + m[6 + axis] * o[2];
        }
        image.data()[i] += static_cast<float>(armsAt(p, flat));
    }
}

} // namespace

class PoseBordersTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Where the picture is flat no pose has a score, and the index names none.
    void theAuditReadsNoPoseWhereThereIsNone() {
        base::Image<float> scene = waves({48, 40, 1});
        const base::Image<float> templ = cropOf(scene, {{30, 20, 0}, {7, 6, 1}});
        for (std::int64_t i = 0; i < 48 * 20; ++i) { // the upper half
            scene.data()[i] = 7;
        }
        for (const method::Extent extent :
             {method::Extent::Valid, method::Extent::Same, method::Extent::Full}) {
            Job job = searching("90");
            job.extent = extent;
            job.audit = job::Audit::On;
            const job::JobResult result =
                job::runJob(job, test::imagesOf(copyOf(scene), copyOf(templ)));
            QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                     result.report.audit->reason.c_str());
            const auto& flat = result.report.map->facts.statusCounts;
            QVERIFY(flat[static_cast<std::size_t>(base::Status::Flat)] > 300);
        }
    }

    static void aPoseCountsWhereItsOwnSupportLiesInside_data() {
        QTest::addColumn<Extents>("n");
        QTest::addColumn<Extents>("m");
        QTest::addColumn<QString>("extent");
        QTest::addColumn<bool>("seen");     // a mask of the scene
        QTest::addColumn<QString>("turns"); // 6: several batches
        const Extents picture{27, 22, 1};
        const Extents thin{13, 12, 6}; // less than the template's longest edge
        QTest::newRow("picture") << picture << Extents{9, 6, 1} << "valid" << false << "6";
        QTest::newRow("picture, same") << picture << Extents{9, 6, 1} << "same" << false << "8";
        QTest::newRow("picture, full")
            << Extents{15, 12, 1} << Extents{7, 4, 1} << "full" << false << "30";
        QTest::newRow("picture with a mask")
            << picture << Extents{8, 5, 1} << "valid" << true << "30";
        QTest::newRow("narrow picture")
            << Extents{30, 8, 1} << Extents{14, 5, 1} << "valid" << false << "30";
        QTest::newRow("narrow picture, same")
            << Extents{20, 8, 1} << Extents{14, 5, 1} << "same" << false << "30";
        QTest::newRow("thin volume") << thin << Extents{7, 5, 4} << "valid" << false << "90";
        QTest::newRow("thin volume, same") << thin << Extents{7, 5, 4} << "same" << false << "90";
    }

    static void aPoseCountsWhereItsOwnSupportLiesInside() {
        QFETCH(Extents, n);
        QFETCH(Extents, m);
        QFETCH(QString, extent);
        QFETCH(bool, seen);
        QFETCH(QString, turns);
        const bool flat = n.z == 1;
        const base::AnyImage picture = test::noise(base::PixelType::Float32, n, 7);
        const base::AnyImage templ = test::noise(base::PixelType::Float32, m, 8);
        Job job = searching(turns.toStdString());
        job.precision = method::Precision::Double;
        job.audit = job::Audit::On;
        job.extent = extent == "valid"  ? method::Extent::Valid
                     : extent == "same" ? method::Extent::Same
                                        : method::Extent::Full;
        job.minScore = 0.2;
        job::JobImages images = test::imagesOf(floatsOf(picture), floatsOf(templ));
        method::MaskedView scene(base::viewOf(picture));
        base::Image<std::uint8_t> mask(n, 1);
        if (seen) {
            for (std::int64_t i = 0; i < mask.count(); ++i) {
                mask.data()[i] = i % n.x > 17 && i / n.x < 9 ? 0 : 1;
            }
            auto own = std::make_shared<job::MaskImage>();
            own->support = base::Image<std::uint8_t>(n);
            std::copy_n(mask.data(), mask.count(), own->support.data());
            images.sceneMask = own;
            scene.mask = mask.view();
        }
        const JobResult result = job::runJob(job, images);
        QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                 result.report.audit->reason.c_str());

        const rotation::Cover cover =
            flat ? rotation::flatCover(rotation::parseRotations(turns.toStdString()), {})
                 : rotation::spaceCover(rotation::parseRotations("90"), {});
        std::vector<rotation::Turner> turners;
        turners.emplace_back(base::viewOf(templ), base::View<const std::uint8_t>(), flat, false);
        const rotation::PoseBank bank(std::move(turners), cover);
        std::vector<reference::Lcc> members;
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            members.emplace_back(method::viewOf(bank.member(i)));
        }
        const Extents map = result.map->value.extents();
        const Index shift = bank.shift();
        std::int64_t scored = 0;
        std::int64_t none = 0;
        for (std::int64_t i = 0; i < base::voxelCount(map); ++i) {
            const Index corner{result.mapCorner.x - shift.x + i % map.x,
                               result.mapCorner.y - shift.y + i / map.x % map.y,
                               result.mapCorner.z - shift.z + i / (map.x * map.y)};
            const Expected best = bestAt(scene, members, corner, extent == "valid");
            const Status status = result.map->status.data()[i];
            QCOMPARE(result.index->data()[i], best.member);
            // Of panels with a few voxels inside the contrast may be small.
            QVERIFY(std::abs(result.map->exact.data()[i] - best.score) <
                    (best.status == Status::Partial ? 1e-8 : 1e-12));
            QVERIFY(best.member < 0 ? !base::hasValue(status) : status == best.status);
            scored += best.status == Status::Ok ? 1 : 0;
            none += best.member < 0 ? 1 : 0;
        }
        // All scores of all members are counted: none lies outside of the map.
        if (flat) {
            std::int64_t all = 0;
            for (const reference::Lcc& member : members) {
                for (std::int64_t y = -bank.box().y; y <= n.y; ++y) {
                    for (std::int64_t x = -bank.box().x; x <= n.x; ++x) {
                        all += member.statusAt(scene, {x, y, 0}) == Status::Ok ? 1 : 0;
                    }
                }
            }
            const std::int64_t counted = result.report.map->facts.scores.count;
            QVERIFY(extent == "valid" && !seen ? counted == all : counted > all);
        }
        QVERIFY(extent != "valid" || seen || scored + none == base::voxelCount(map));
        for (const match::Peak& peak : result.peaks) {
            QVERIFY(peak.status == Status::Ok);
        }
    }

    /// In tiles in single precision, whose scores go into the best ones row by row: under round
    /// masks, which the poses of a template share, and for boxes that count at different
    /// placements.
    static void scoresOfTilesAreMergedWhereTheyCount_data() {
        QTest::addColumn<Extents>("m");
        QTest::addColumn<QList<double>>("radii"); // of each template; 0: no mask
        QTest::newRow("round masks") << Extents{13, 13, 1} << QList{5.5, 3.5};
        QTest::newRow("boxes") << Extents{17, 9, 1} << QList{0.0};
        QTest::newRow("round mask in a volume") << Extents{7, 7, 7} << QList{2.7};
    }

    static void scoresOfTilesAreMergedWhereTheyCount() {
        QFETCH(Extents, m);
        QFETCH(QList<double>, radii);
        const bool flat = m.z == 1;
        const Extents n = flat ? Extents{75, 66, 1} : Extents{34, 31, 18};
        const base::AnyImage picture = test::noise(base::PixelType::Float32, n, 17);
        Job job = searching("90");
        job.method = "tiled";
        job.tile = flat ? Extents{64, 64, 1} : Extents{32, 32, 16};
        job.minScore = 0.2;
        job::JobImages images;
        std::vector<base::AnyImage> templs;
        std::vector<base::Image<std::uint8_t>> masks;
        for (const double radius : radii) {
            templs.push_back(test::noise(base::PixelType::Float32, m, 18 + templs.size()));
            masks.push_back(ball(m, radius));
            job::JobImages one = test::imagesOf(floatsOf(picture), floatsOf(templs.back()));
            images.scene = one.scene;
            images.templates.push_back(one.templates.front());
            if (radius > 0) {
                auto own = std::make_shared<job::MaskImage>();
                own->support = ball(m, radius);
                images.masks.push_back(own);
            }
        }
        const JobResult result = job::runJob(job, images);
        const rotation::Cover cover =
            flat ? rotation::flatCover(rotation::parseRotations("90"), {})
                 : rotation::spaceCover(rotation::parseRotations("90"), {});
        std::vector<rotation::Turner> turners;
        for (std::size_t i = 0; i < templs.size(); ++i) {
            turners.emplace_back(base::viewOf(templs[i]),
                                 images.masks.empty() ? base::View<const std::uint8_t>()
                                                      : masks[i].view(),
                                 flat, false);
        }
        const rotation::PoseBank bank(std::move(turners), cover);
        std::vector<reference::Lcc> members;
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            members.emplace_back(method::viewOf(bank.member(i)));
        }
        const Extents map = result.map->value.extents();
        const Index shift = bank.shift();
        std::int64_t negative = 0;
        for (std::int64_t i = 0; i < base::voxelCount(map); ++i) {
            const Index corner{result.mapCorner.x - shift.x + i % map.x,
                               result.mapCorner.y - shift.y + i / map.x % map.y,
                               result.mapCorner.z - shift.z + i / (map.x * map.y)};
            const Expected best = bestAt(base::viewOf(picture), members, corner, true);
            const auto value = static_cast<double>(result.map->value.data()[i]);
            QVERIFY(std::abs(value - best.score) <= job.promise);
            QVERIFY(result.map->status.data()[i] == best.status);
            const std::int32_t index = result.index->data()[i];
            QCOMPARE(index < 0, best.member < 0);
            if (index >= 0) { // another member may be as good
                const auto named =
                    members[static_cast<std::size_t>(index)].at(base::viewOf(picture), corner);
                QVERIFY(std::abs(named.value - value) <= job.promise);
            }
            negative += best.score < 0 ? 1 : 0;
        }
        QVERIFY(!flat || negative > 0);
    }

    /// An object that lies wholly inside is found, wherever it is.
    static void cropsAreFoundAtEveryBorder_data() {
        QTest::addColumn<Extents>("n");
        QTest::addColumn<Extents>("m");
        QTest::newRow("picture") << Extents{90, 70, 1} << Extents{33, 20, 1};
        QTest::newRow("picture, narrow") << Extents{80, 30, 1} << Extents{35, 21, 1};
        QTest::newRow("volume") << Extents{24, 22, 12} << Extents{11, 10, 10};
    }

    static void cropsAreFoundAtEveryBorder() {
        QFETCH(Extents, n);
        QFETCH(Extents, m);
        const base::Image<float> picture = waves(n);
        const test::Folder folder;
        const std::string turns =
            n.z == 1
                ? "20"
                : listOf(folder,
                         {{}, rotation::fromEuler({0, 90, 0}), rotation::fromEuler({30, 40, 50})});
        const std::vector<Index> corners{{0, 0, 0},
                                         {n.x - m.x, 0, n.z - m.z},
                                         {0, n.y - m.y, n.z > 1 ? 1 : 0},
                                         {n.x - m.x, n.y - m.y, 0},
                                         {(n.x - m.x) / 2, n.y - m.y, n.z - m.z}};
        for (const Index& corner : corners) {
            Job job = searching(turns);
            job.minScore = 0.9;
            const JobResult result =
                job::runJob(job, test::imagesOf(copyOf(picture), cropOf(picture, {corner, m})));
            QVERIFY(!result.peaks.empty());
            const match::Peak& best = result.peaks.front();
            QVERIFY(best.score > 1 - 1e-9);
            QVERIFY2(best.corner == corner, base::toString(best.corner).c_str());
            QVERIFY(rotation::angleBetween(best.pose->turn, {}) < 1e-6);
        }
    }

    /// Odd and even edges change places in a quarter turn: their voxels stay whole.
    static void quarterTurnsOfUnevenBoxesAreExact_data() {
        QTest::addColumn<Extents>("m");
        QTest::newRow("even and odd") << Extents{20, 13, 1};
        QTest::newRow("odd and even") << Extents{9, 16, 1};
        QTest::newRow("both even") << Extents{14, 10, 1};
        QTest::newRow("volume") << Extents{9, 8, 6};
    }

    static void quarterTurnsOfUnevenBoxesAreExact() {
        QFETCH(Extents, m);
        const bool flat = m.z == 1;
        const Extents n{74, 60, flat ? 1 : 14};
        const base::Image<float> templ = cropOf(waves(n), {{20, 11, 0}, m});
        base::Image<float> scene = floatsOf(test::noise(base::PixelType::Float32, n, 3));
        const std::vector<Index> corners{{3, 4, 1}, {40, 5, 2}, {8, 34, 3}, {44, 33, 4}};
        std::vector<Point> centres;
        for (int quarter = 0; quarter < 4; ++quarter) {
            const Index at = corners[static_cast<std::size_t>(quarter)];
            const std::int64_t width = quarter % 2 == 0 ? m.x : m.y;
            const std::int64_t height = quarter % 2 == 0 ? m.y : m.x;
            const std::int64_t from = flat ? 0 : at.z;
            centres.push_back({static_cast<double>(at.x) + static_cast<double>(width - 1) / 2,
                               static_cast<double>(at.y) + static_cast<double>(height - 1) / 2,
                               static_cast<double>(from) + static_cast<double>(m.z - 1) / 2});
            for (std::int64_t i = 0; i < templ.count(); ++i) {
                std::int64_t x = i % m.x;
                std::int64_t y = i / m.x % m.y;
                std::int64_t wide = m.x;
                std::int64_t high = m.y;
                for (int turn = 0; turn < quarter; ++turn) { // right goes up
                    const std::int64_t before = x;
                    x = y;
                    y = wide - 1 - before;
                    std::swap(wide, high);
                }
                scene.view().at(at.x + x, at.y + y, from + i / (m.x * m.y)) = templ.data()[i];
            }
        }
        const test::Folder folder;
        Job job = searching(flat ? "90"
                                 : listOf(folder, {{},
                                                   rotation::inPlane(90),
                                                   rotation::inPlane(180),
                                                   rotation::inPlane(270)}));
        job.minScore = 0.99;
        const JobResult result = job::runJob(job, test::imagesOf(std::move(scene), copyOf(templ)));
        QCOMPARE(result.peaks.size(), std::size_t{4});
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            const auto own = std::ranges::find_if(result.peaks, [&](const match::Peak& peak) {
                // Between voxels only a fit through scores in noise says more.
                const auto off = [&](std::size_t axis) {
                    return std::abs(peak.centre[axis] - centres[quarter][axis]);
                };
                return std::max({off(0), off(1), off(2)}) < 0.45;
            });
            QVERIFY2(own != result.peaks.end(), QByteArray::number(int(quarter)).constData());
            QVERIFY(own->score > 1 - 1e-9);
            const auto turn = rotation::inPlane(90.0 * static_cast<double>(quarter));
            QVERIFY(rotation::angleBetween(own->pose->turn, turn) < 1e-6);
        }
    }

    /// Voxels of 1 x 2 and of 1 x 1 x 2: turned in voxels, the objects would score 0.8 and less.
    static void objectsKeepTheirShapeInOblongVoxels_data() {
        QTest::addColumn<bool>("flat");
        QTest::newRow("picture") << true;
        QTest::newRow("volume") << false;
    }

    static void objectsKeepTheirShapeInOblongVoxels() {
        QFETCH(bool, flat);
        const Point edges = flat ? Point{1, 2, 1} : Point{1, 1, 2};
        const Extents m = flat ? Extents{23, 13, 1} : Extents{21, 20, 11};
        const Extents n = flat ? Extents{120, 56, 1} : Extents{52, 50, 26};
        base::Image<float> templ(m, 0.0F);
        plant(templ,
              {static_cast<double>(m.x - 1) / 2, static_cast<double>(m.y - 1) / 2,
               static_cast<double>(m.z - 1) / 2},
              {}, edges, flat);
        base::Image<float> scene = floatsOf(test::noise(base::PixelType::Float32, n, 3));
        std::ranges::transform(std::span(scene.data(), static_cast<std::size_t>(scene.count())),
                               scene.data(), [](float value) { return 0.02F * value; });
        struct Planted {
            Point centre;
            rotation::Quaternion turn;
        };
        const std::vector<Planted> planted =
            flat ? std::vector<Planted>{{{22, 15, 0}, rotation::inPlane(0)},
                                        {{60, 16, 0}, rotation::inPlane(90)},
                                        {{98, 15, 0}, rotation::inPlane(45)},
                                        {{25, 42, 0}, rotation::inPlane(130)},
                                        {{80, 41, 0}, rotation::inPlane(200)}}
                 : std::vector<Planted>{{{13, 12, 7}, {}},
                                        {{38, 13, 12}, rotation::fromEuler({0, 90, 0})},
                                        {{13, 37, 18}, rotation::fromEuler({0, 90, 90})},
                                        {{38, 37, 13}, rotation::fromEuler({90, 90, 0})}};
        const test::Folder folder;
        std::vector<rotation::Quaternion> turns;
        for (const Planted& each : planted) {
            plant(scene, each.centre, {each.turn}, edges, flat);
            turns.push_back(each.turn);
        }
        base::Geometry geometry;
        geometry.spacing = edges;
        geometry.unit = "mm";
        geometry.unitSource = base::UnitSource::Header;
        const Job job = searching(flat ? "5" : listOf(folder, turns));
        const JobResult result =
            job::runJob(job, test::imagesOf(std::move(scene), std::move(templ), geometry));
        for (const Planted& each : planted) {
            const auto own = std::ranges::find_if(result.peaks, [&](const match::Peak& peak) {
                return std::hypot(peak.centre[0] - each.centre[0], peak.centre[1] - each.centre[1],
                                  peak.centre[2] - each.centre[2]) < 0.7;
            });
            QVERIFY(own != result.peaks.end());
            QVERIFY2(own->score > 0.92, QByteArray::number(own->score).constData());
            QVERIFY(rotation::angleBetween(own->pose->turn, each.turn) <= 5 + 1e-6);
        }
    }

    static void aTemplateThatFitsInNoPoseIsRefused() {
        const base::Image<float> picture = waves({60, 20, 1});
        const auto images = [&] {
            return test::imagesOf(copyOf(picture), cropOf(picture, {{3, 2, 0}, {30, 12, 1}}));
        };
        QCOMPARE(test::thrownBy([&] { (void)job::runJob(searching("90:90:5"), images()); }).code,
                 base::ErrorCode::Problem);
        const JobResult some = job::runJob(searching("45"), images());
        QVERIFY(some.peaks.front().score > 1 - 1e-9);
        QVERIFY(std::ranges::any_of(some.notes, [](const std::string& note) {
            return note.find("fits into the scene in 2 of 8 poses") != std::string::npos;
        }));
    }
};

const flcc::test::TestClass<PoseBordersTest> kPoseBordersTest;
#include "pose_borders_test.moc"
