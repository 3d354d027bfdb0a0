#include <QtTest>

#include <cmath>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "engine/match/overlap.h"
#include "tests/support/test_class.h"

// How much of their supports two placements have in common, by counting voxels.

using namespace flcc;
using base::Extents;
using base::Index;
using base::Point;
using match::Lying;
using match::Overlaps;
using match::Peak;

namespace {

using Voxels = std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;

/// An L in the plane, in a volume with a short third arm: no turn but none takes it to itself.
base::Image<std::uint8_t> lShape(const Extents& n) {
    base::Image<std::uint8_t> mask(n, 0);
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        const Index at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
        const bool bar = at.y < 3 && at.z < 3;
        const bool foot = at.x < 3 && at.z < 3;
        const bool up = at.x < 3 && at.y < 3;
        mask.data()[i] = bar || foot || up ? 1 : 0;
    }
    return mask;
}

struct Bank {
    base::Image<float> pixels;
    base::Image<std::uint8_t> mask;
    std::shared_ptr<const rotation::PoseBank> bank;
    match::SearchedMap map;

    Bank(const Extents& n, const rotation::Cover& cover, const rotation::VoxelEdges& edges)
        : pixels(n, 0.0F), mask(lShape(n)) {
        for (std::int64_t i = 0; i < pixels.count(); ++i) {
            pixels.data()[i] = static_cast<float>(i % 7);
        }
        std::vector<rotation::Turner> turners;
        turners.emplace_back(base::AnyView(base::View<const float>(pixels.view())), mask.view(),
                             n.z == 1, false, base::View<const double>(), edges);
        bank = std::make_shared<rotation::PoseBank>(std::move(turners), cover);
        map.numbers = {0};
        map.poses = bank;
    }

    /// Voxels of the scene whose nearest voxel of the template counts, with its centre at `centre`.
    [[nodiscard]] Voxels voxelsAt(const rotation::Pose& pose, const Point& centre) const {
        const rotation::Matrix back = rotation::inverse(bank->matrixOf(0, pose));
        const Extents n = mask.extents();
        const std::array<std::int64_t, 3> size{n.x, n.y, n.z};
        Voxels voxels;
        constexpr int kReach = 30;
        const bool flat = n.z == 1;
        for (int z = flat ? 0 : -kReach; z <= (flat ? 0 : kReach); ++z) {
            for (int y = -kReach; y <= kReach; ++y) {
                for (int x = -kReach; x <= kReach; ++x) {
                    const Point v{std::round(centre[0]) + x, std::round(centre[1]) + y,
                                  std::round(centre[2]) + z};
                    std::array<std::int64_t, 3> own{};
                    bool counts = true;
                    for (std::size_t row = 0; row < 3; ++row) {
                        double place = static_cast<double>(size[row] - 1) / 2;
                        for (std::size_t axis = 0; axis < 3; ++axis) {
                            place += back[3 * row + axis] * (v[axis] - centre[axis]);
                        }
                        own[row] = std::llround(place);
                        counts = counts && own[row] >= 0 && own[row] < size[row];
                    }
                    if (counts && mask.view().at({own[0], own[1], own[2]}) != 0) {
                        voxels.emplace(std::llround(v[0]), std::llround(v[1]), std::llround(v[2]));
                    }
                }
            }
        }
        return voxels;
    }
    [[nodiscard]] Voxels voxelsOf(const Peak& peak) const {
        Point centre{static_cast<double>(peak.corner.x), static_cast<double>(peak.corner.y),
                     static_cast<double>(peak.corner.z)};
        const Point own = bank->centreOf(0, *peak.pose);
        const Extents& box = bank->box();
        const Point half{static_cast<double>(box.x - 1) / 2, static_cast<double>(box.y - 1) / 2,
                         static_cast<double>(box.z - 1) / 2};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            centre[axis] += peak.refinement ? half[axis] + peak.shift[axis] : own[axis];
        }
        return voxelsAt(*peak.pose, centre);
    }
};

double shareOf(const Voxels& a, const Voxels& b) {
    const auto common =
        std::ranges::count_if(a, [&b](const auto& each) { return b.contains(each); });
    return static_cast<double>(common) / static_cast<double>(std::min(a.size(), b.size()));
}

} // namespace

class OverlapTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void theShareIsThatOfTheVoxels_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<double>("high"); // a voxel is as many times as high as wide
        QTest::newRow("image") << true << 1.0;
        QTest::newRow("image of oblong pixels") << true << 1.7;
        QTest::newRow("volume of oblong voxels") << false << 2.3;
    }
    static void theShareIsThatOfTheVoxels() {
        QFETCH(bool, flat);
        QFETCH(double, high);
        const Extents n = flat ? Extents{17, 10, 1} : Extents{13, 9, 5};
        const Point edges = flat ? Point{1, high, 1} : Point{1, 1, high};
        rotation::Cover cover = rotation::flatCover(rotation::parseRotations("24"), {});
        if (!flat) {
            cover.flat = false;
            cover.turns.clear();
            for (int i = 0; i < 9; ++i) {
                cover.turns.push_back(rotation::fromEuler({41.3 * i, 23.7 * i + 5, 77.1 * i}));
            }
        }
        const Bank made(n, cover, {edges, edges});
        std::mt19937 random(5);
        const auto any = [&random](double most) {
            return std::uniform_real_distribution<double>(-most, most)(random);
        };
        std::vector<Peak> peaks;
        for (int i = 0; i < (flat ? 60 : 24); ++i) {
            Peak peak;
            peak.score = 1 - 0.01 * i;
            peak.corner = {std::llround(any(20)), std::llround(any(20)),
                           flat ? 0 : std::llround(any(4))};
            peak.pose = made.bank->pose(std::llround(any(1000) + 1000) % made.bank->count());
            if (i % 2 == 1) { // between poses and voxels
                peak.refinement = match::Refinement{.searched = *peak.pose};
                peak.shift = {any(2.4), any(2.4), flat ? 0 : any(2.4)};
                peak.pose->turn = rotation::product(
                    rotation::aboutAxis(flat ? Point{0, 0, 1} : Point{0.6, 0, 0.8}, any(9)),
                    peak.pose->turn);
            }
            peaks.push_back(peak);
        }
        Overlaps overlaps(match::largestLying({made.map}));
        std::vector<Voxels> before;
        int met = 0;
        for (const Peak& peak : peaks) {
            const Voxels own = made.voxelsOf(peak);
            Overlaps::Most want;
            for (std::size_t i = 0; i < before.size(); ++i) {
                if (const double share = shareOf(before[i], own); share > want.share) {
                    want = {share, i};
                }
            }
            Lying lying = match::lyingAt(made.map, peak);
            const Overlaps::Most got = overlaps.most(lying);
            QCOMPARE(got.share, want.share);
            QCOMPARE(got.of, want.of);
            met += want.share > 0 ? 1 : 0;
            overlaps.add(std::move(lying));
            before.push_back(own);
        }
        QVERIFY(met > std::ssize(peaks) / 2 && met < std::ssize(peaks));
        match::setOverlaps(peaks, {made.map});
        QCOMPARE(std::ranges::count_if(peaks, [](const Peak& p) { return p.overlap.has_value(); }),
                 std::ptrdiff_t{met});
    }

    /// Two L lie in each other: their boxes have half of their voxels in common.
    static void masksAreCountedAndNotTheirBoxes() {
        const Extents n{17, 10, 1};
        const base::Image<float> pixels(n, 1.0F);
        const base::Image<std::uint8_t> mask = lShape(n);
        base::Image<std::uint8_t> turned(n, 0); // by half a turn
        std::reverse_copy(mask.data(), mask.data() + mask.count(), turned.data());
        match::SearchedMap map;
        map.numbers = {0, 1};
        const base::AnyView values = base::View<const float>(pixels.view());
        map.templates = {method::MaskedView(values, mask.view()),
                         method::MaskedView(values, turned.view())};
        const auto shareWith = [](const match::SearchedMap& of) {
            Overlaps overlaps({17, 10, 1});
            overlaps.add(match::searchedAt(of, 0, {4, 4, 0}));
            Lying other = match::searchedAt(of, 1, {8, 8, 0});
            return overlaps.most(other).share;
        };
        QCOMPARE(shareWith(map), 0.0);
        map.templates = {method::MaskedView(values), method::MaskedView(values)};
        QCOMPARE(shareWith(map), 13 * 6 / 170.0);
    }
};

const flcc::test::TestClass<OverlapTest> kOverlapTest;
#include "overlap_test.moc"
