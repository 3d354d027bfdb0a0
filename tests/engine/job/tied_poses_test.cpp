#include <QtTest>

#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "engine/job/job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

// Templates of two to four voxels in scenes of few grey values: many poses have the same score at a
// placement, and many placements the same best score. Every search lists the same peaks, in the
// first of the poses.

using namespace flcc;
using base::Extents;

namespace {

struct Case {
    base::Image<std::uint8_t> scene;
    base::Image<std::uint8_t> templ;
    std::string rotations;
};

Case caseOf(unsigned seed) {
    constexpr std::array<Extents, 6> kShapes{
        {{2, 1, 1}, {3, 1, 1}, {2, 2, 1}, {4, 1, 1}, {1, 2, 1}, {1, 3, 1}}};
    std::mt19937 random(seed);
    const auto levels = static_cast<unsigned>(2 + random() % 3);
    const auto noise = [&](const Extents& n) {
        base::Image<std::uint8_t> image(n);
        std::generate_n(image.data(), image.count(),
                        [&] { return static_cast<std::uint8_t>(random() % levels); });
        return image;
    };
    Case made{noise({24, 20, 1}), noise(kShapes[seed % kShapes.size()]),
              std::array{"90", "45", "30"}[seed / 6 % 3]};
    if (made.templ.extents().y == 2 && made.templ.extents().x == 2) {
        made.rotations = "90"; // turned by other angles it may lose all contrast
    }
    if (std::all_of(made.templ.data(), made.templ.data() + made.templ.count(),
                    [&](std::uint8_t value) { return value == made.templ.data()[0]; })) {
        made.templ.data()[0] = static_cast<std::uint8_t>(made.templ.data()[0] + 1);
    }
    return made;
}

job::JobResult run(const Case& made, job::Search search, const std::string& method = "auto") {
    job::Job job;
    job.poses.rotations = made.rotations;
    job.poses.search = search;
    job.poses.refine = false; // a pruned search refines the peaks that it lists, and no others
    job.method = method;
    job.minScore = 0.8;
    job.maxPeaks = 30;
    job.planning = plan::Planning::Estimate;
    base::Image<std::uint8_t> scene(made.scene.extents());
    base::Image<std::uint8_t> templ(made.templ.extents());
    std::copy_n(made.scene.data(), made.scene.count(), scene.data());
    std::copy_n(made.templ.data(), made.templ.count(), templ.data());
    return job::runJob(job, test::imagesOf(std::move(scene), std::move(templ)));
}

/// Empty if both lists are the same.
QString difference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].score != b[i].score || a[i].corner != b[i].corner || a[i].pose != b[i].pose ||
            a[i].centre != b[i].centre) {
            return QString("peak %1: %2 at %3,%4 and %5 at %6,%7")
                .arg(i)
                .arg(a[i].score, 0, 'g', 17)
                .arg(a[i].corner.x)
                .arg(a[i].corner.y)
                .arg(b[i].score, 0, 'g', 17)
                .arg(b[i].corner.x)
                .arg(b[i].corner.y);
        }
    }
    return a.size() == b.size() ? QString() : QString("%1 and %2").arg(a.size()).arg(b.size());
}

} // namespace

class JobTiedPosesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everySearchHasTheSameList();
    void ofEqualPosesTheFirstIsListed();
};

void JobTiedPosesTest::everySearchHasTheSameList() {
    test::Thinned some(6);
    for (unsigned seed = 0; seed < 54; ++seed) {
        if (!some.next()) {
            continue;
        }
        const Case made = caseOf(seed);
        const job::JobResult pruned = run(made, job::Search::Pruned);
        QVERIFY(pruned.report.poses->pruned);
        QVERIFY(!pruned.peaks.empty());
        for (const char* const method : {"direct", "tiled"}) {
            const job::JobResult all = run(made, job::Search::Exhaustive, method);
            const QString other = difference(pruned.peaks, all.peaks);
            QVERIFY2(other.isEmpty(),
                     qPrintable(QString("seed %1, %2: %3").arg(seed).arg(method).arg(other)));
        }
    }
}

/// Three voxels about the middle one, turned by quarters: exact in whole numbers. With n r = cov /
/// sqrt(var), scores of one sign are compared by their squares.
void JobTiedPosesTest::ofEqualPosesTheFirstIsListed() {
    int tied = 0;
    for (unsigned seed = 1; seed < 250; seed += 18) { // 3x1 voxels by 90 degrees
        const Case made = caseOf(seed);
        QVERIFY((made.templ.extents() == Extents{3, 1, 1}) && made.rotations == "90");
        // The first and the last voxel, from the middle: right, up, left, down, y pointing down.
        constexpr std::array<std::array<int, 2>, 4> kWays{{{1, 0}, {0, -1}, {-1, 0}, {0, 1}}};
        struct Exact {
            std::int64_t product = 0; ///< 9 cov of scene and template
            std::int64_t squares = 0; ///< 9 var of the scene; 0: no score
        };
        const auto scoreAt = [&](std::int64_t x, std::int64_t y, std::size_t quarter) {
            const auto [right, down] = kWays[quarter];
            std::int64_t sum = 0;
            std::int64_t squares = 0;
            std::int64_t product = 0;
            std::int64_t templ = 0;
            for (int i = -1; i <= 1; ++i) {
                const base::Index at{x + i * right, y + i * down, 0};
                if (at.x < 0 || at.y < 0 || at.x >= 24 || at.y >= 20) {
                    return Exact{};
                }
                const std::int64_t value = made.scene.view().at(at);
                const std::int64_t own = made.templ.data()[i + 1];
                sum += value;
                squares += value * value;
                product += value * own;
                templ += own;
            }
            return Exact{3 * product - sum * templ, 3 * squares - sum * sum};
        };
        // The sign of a - b: of two scores above 0, product^2 / squares decides.
        const auto compare = [](const Exact& a, const Exact& b) {
            if (b.squares == 0 || b.product <= 0) {
                return 1;
            }
            const std::int64_t left = a.product * a.product * b.squares;
            const std::int64_t right = b.product * b.product * a.squares;
            return left < right ? -1 : left > right ? 1 : 0;
        };
        for (const job::Search search : {job::Search::Pruned, job::Search::Exhaustive}) {
            for (const match::Peak& peak : run(made, search).peaks) {
                // The corner is that of the template as it was given, about the same middle voxel.
                const std::int64_t x = peak.corner.x + 1;
                const std::int64_t y = peak.corner.y;
                const auto own = static_cast<std::size_t>(
                    std::lround(rotation::inPlaneDegrees(peak.pose->turn) / 90) % 4);
                const Exact score = scoreAt(x, y, own);
                QVERIFY(score.squares > 0 && score.product > 0);
                for (std::size_t other = 0; other < 4; ++other) {
                    const int order = compare(score, scoreAt(x, y, other));
                    QVERIFY2(order > 0 || (order == 0 && other >= own),
                             qPrintable(QString("seed %1 at %2,%3: pose %4, but %5")
                                            .arg(seed)
                                            .arg(x)
                                            .arg(y)
                                            .arg(own)
                                            .arg(other)));
                    tied += order == 0 && other != own ? 1 : 0;
                }
            }
        }
    }
    QVERIFY2(tied > 50, qPrintable(QString::number(tied))); // or the test says nothing
}

const flcc::test::TestClass<JobTiedPosesTest> kJobTiedPosesTest;
#include "tied_poses_test.moc"
