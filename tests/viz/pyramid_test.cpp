#include <QTest>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "tests/support/test_class.h"
#include "tests/viz/pictures.h"
#include "viz/offscreen_window.h"
#include "viz/pixels/texel_grid.h"
#include "viz/pyramid.h"
#include "viz/slice_scene.h"

using namespace flcc;
using test::imageOf;
using viz::BestRule;
using viz::Pyramid;
using viz::ScoreCell;

namespace {

constexpr base::Extents kOdd{1030, 517, 1};

template <class T> base::AnyImage noiseOf(const base::Extents& extents, double low, double high) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> values(low, high);
    base::Image<T> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<T>(values(random));
    }
    return image;
}

/// The average of the finite ones of up to `block` x `block` pixels, in long double.
template <class T>
std::optional<long double> averageAt(const base::View<const T>& view, std::int64_t x,
                                     std::int64_t y, std::int64_t block) {
    long double sum = 0;
    int count = 0;
    for (std::int64_t j = y * block; j < std::min((y + 1) * block, view.extents().y); ++j) {
        for (std::int64_t i = x * block; i < std::min((x + 1) * block, view.extents().x); ++i) {
            if (std::isfinite(static_cast<double>(view.at(i, j, 0)))) {
                sum += static_cast<long double>(view.at(i, j, 0));
                ++count;
            }
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Compares every texel of every level with the average of the pixels, or texels, below it.
template <class T> bool averagesAreRight(const base::AnyImage& image) {
    const Pyramid pyramid(base::viewOf(image));
    const base::Extents n = base::extentsOf(image);
    base::AnyView below = base::viewOf(image);
    std::int64_t block = 4;
    int levels = 0;
    bool right = true;
    for (int level = Pyramid::kFirstLevel; pyramid.levelFor(std::ldexp(1.0, level)) == level;
         ++level, ++levels, block = 2) {
        pyramid.read(level, [&](const base::AnyView& any) {
            const auto& texels = std::get<base::View<const T>>(any);
            const std::int64_t side = std::int64_t{1} << level;
            right = right && texels.extents() ==
                                 base::Extents{(n.x + side - 1) / side, (n.y + side - 1) / side, 1};
            for (std::int64_t y = 0; y < texels.extents().y; ++y) {
                for (std::int64_t x = 0; x < texels.extents().x; ++x) {
                    const auto from = std::get<base::View<const T>>(below);
                    const auto wanted = averageAt<T>(from, x, y, block);
                    const T is = texels.at(x, y, 0);
                    if (!wanted) {
                        right = right && std::isnan(static_cast<double>(is));
                        continue;
                    }
                    // Integers are rounded to the nearest one; 64-bit and floats are summed in
                    // double and stored in their own type.
                    const long double most =
                        std::is_integral_v<T>
                            ? 0.5L + (sizeof(T) == 8 ? std::abs(*wanted) * 0x1p-51L : 0)
                            : std::abs(*wanted) * std::numeric_limits<T>::epsilon() + 1e-12L;
                    right = right && std::abs(static_cast<long double>(is) - *wanted) <= most;
                }
            }
            below = any;
        });
    }
    return right && levels >= 2;
}

/// A map with scores of both signs, holes and LOWCONF scores.
std::shared_ptr<method::MatchMap> mixedMap(const base::Extents& extents) {
    auto map = std::make_shared<method::MatchMap>(extents);
    std::mt19937 random(11);
    for (std::int64_t i = 0; i < map->value.count(); ++i) {
        const unsigned kind = random() % 8;
        const bool block = (i / extents.x / 16 + i % extents.x / 16) % 5 == 0; // whole texels
        // No two alike: multiples modulo a prime above the number of voxels.
        map->value.data()[i] =
            static_cast<float>(static_cast<double>(i * 7919 % 600011) / 600011 * 2 - 1);
        map->status.data()[i] = block || kind == 0 ? base::Status::Flat
                                : kind == 1        ? base::Status::LowConf
                                                   : base::Status::Ok;
    }
    return map;
}

/// Compares every texel with the best score of its block of the map.
bool bestAreRight(const Pyramid& pyramid, const method::MatchMap& map) {
    const base::Extents n = map.value.extents();
    bool right = true;
    for (int level = Pyramid::kFirstLevel; pyramid.levelFor(std::ldexp(1.0, level)) == level;
         ++level) {
        pyramid.read(level, [&](const base::AnyView& any) {
            const auto& texels = std::get<base::View<const float>>(any);
            const std::int64_t side = std::int64_t{1} << level;
            for (std::int64_t y = 0; y < texels.extents().y; ++y) {
                for (std::int64_t x = 0; x < texels.extents().x; ++x) {
                    std::optional<float> best;
                    bool marked = false;
                    const auto better = [&pyramid](float a, float b) {
                        bool is = false;
                        pyramid.rule().choose([&](const auto& than) { is = than(a, b); });
                        return is;
                    };
                    const std::int64_t bottom = std::min((y + 1) * side, n.y);
                    const std::int64_t end = std::min((x + 1) * side, n.x);
                    for (std::int64_t j = y * side; j < bottom; ++j) {
                        for (std::int64_t i = x * side; i < end; ++i) {
                            const base::Status status = map.status.view().at(i, j, 0);
                            const float value = map.value.view().at(i, j, 0);
                            if (base::hasValue(status) && (!best || better(value, *best))) {
                                best = value;
                                marked = status == base::Status::LowConf;
                            }
                        }
                    }
                    const ScoreCell cell(texels.at(x, y, 0));
                    right = right && !cell.isUnread() && cell.hasValue() == best.has_value();
                    if (best && cell.hasValue()) {
                        // The mark takes the last bit of the score.
                        right =
                            right && std::abs(cell.value() - *best) <= std::abs(*best) * 0x1p-22F;
                        right = right && (cell.isLowConf() == marked);
                    }
                }
            }
        });
    }
    return right;
}

} // namespace

class PyramidTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyVoxelIsInOneTexel();
    void texelsAreAverages();
    void voxelsThatAreNotFiniteAreLeftOut();
    void texelsOfAMapAreItsBestScores_data();
    void texelsOfAMapAreItsBestScores();
    void regionsMakeTheSameTexelsInEveryOrder();
    void whatWasNotAddedIsUnread();
    void aCellKeepsScoreAndMark();
    void aSpotOfAMapIsSeenAtEveryZoom_data();
    void aSpotOfAMapIsSeenAtEveryZoom();
    void aZoomedOutImageShowsAverages();
    void panningDrawsWhatAFreshViewDraws();
    void texturesAreAsLargeAsTheView();
};

void PyramidTest::everyVoxelIsInOneTexel() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> pitches(1, 40);
    std::uniform_real_distribution<double> shifts(-30, 30);
    for (int time = 0; time < 200; ++time) {
        const viz::detail::TexelAxis axis{997, time == 0 ? 1.0 : pitches(random),
                                          time == 0 ? 0.0 : shifts(random)};
        const std::int64_t first = axis.texelAt(0.5);
        const std::int64_t last = axis.texelAt(996.5);
        QCOMPARE(axis.firstVoxel(first), std::int64_t{0});
        QCOMPARE(axis.firstVoxel(last + 1), std::int64_t{997});
        for (std::int64_t texel = first; texel <= last; ++texel) {
            const std::int64_t begin = axis.firstVoxel(texel);
            const std::int64_t end = axis.firstVoxel(texel + 1);
            QVERIFY2(end > begin, "a texel is empty");
            for (std::int64_t voxel = begin; voxel < end; ++voxel) {
                const double at = (static_cast<double>(voxel) + 0.5 - axis.shift) / axis.pitch;
                QVERIFY(at >= static_cast<double>(texel) - 1e-9 &&
                        at <= static_cast<double>(texel + 1) + 1e-9);
            }
        }
        const auto coarse = viz::detail::TexelAxis{997, 9.5, 2.25}.atLevel(3);
        QCOMPARE(coarse.count, std::int64_t{125});
        QCOMPARE(coarse.pitch, 9.5 / 8);
        QCOMPARE(coarse.shift, 2.25 / 8);
    }
}

void PyramidTest::texelsAreAverages() {
    QVERIFY(averagesAreRight<std::uint8_t>(noiseOf<std::uint8_t>(kOdd, 0, 256)));
    QVERIFY(averagesAreRight<std::int8_t>(noiseOf<std::int8_t>(kOdd, -128, 128)));
    QVERIFY(averagesAreRight<std::uint16_t>(noiseOf<std::uint16_t>(kOdd, 0, 65536)));
    QVERIFY(averagesAreRight<std::int32_t>(noiseOf<std::int32_t>(kOdd, -2147483648.0, 2147483647)));
    QVERIFY(averagesAreRight<std::uint64_t>(noiseOf<std::uint64_t>(kOdd, 0, 1.8e19)));
    QVERIFY(averagesAreRight<float>(noiseOf<float>(kOdd, -1, 1)));
    QVERIFY(averagesAreRight<double>(noiseOf<double>(kOdd, -1, 1)));
    // The largest value of a 64-bit type is no double: its average must not overflow.
    base::Image<std::uint64_t> full(kOdd, std::numeric_limits<std::uint64_t>::max());
    const Pyramid pyramid(full.view());
    pyramid.read(Pyramid::kFirstLevel, [](const base::AnyView& any) {
        QCOMPARE(std::get<base::View<const std::uint64_t>>(any).at(0, 0, 0),
                 std::numeric_limits<std::uint64_t>::max());
    });
}

void PyramidTest::voxelsThatAreNotFiniteAreLeftOut() {
    base::AnyImage image = noiseOf<float>(kOdd, 1, 2);
    auto view = std::get<base::Image<float>>(image).view();
    for (std::int64_t y = 0; y < kOdd.y; ++y) {
        for (std::int64_t x = 0; x < kOdd.x; ++x) {
            if ((x / 40 + y / 24) % 3 == 0 || (x * 7 + y) % 11 == 0) {
                view.at(x, y, 0) = std::numeric_limits<float>::quiet_NaN();
            } else if ((x + y) % 13 == 0) {
                view.at(x, y, 0) = std::numeric_limits<float>::infinity();
            }
        }
    }
    QVERIFY(averagesAreRight<float>(image));
}

void PyramidTest::texelsOfAMapAreItsBestScores_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<float>("middle");
    QTest::newRow("largest") << static_cast<int>(BestRule::Kind::Largest) << 0.0F;
    QTest::newRow("smallest") << static_cast<int>(BestRule::Kind::Smallest) << 0.0F;
    QTest::newRow("farthest") << static_cast<int>(BestRule::Kind::Farthest) << 0.25F;
}

void PyramidTest::texelsOfAMapAreItsBestScores() {
    QFETCH(int, kind);
    QFETCH(float, middle);
    const auto map = mixedMap(kOdd);
    Pyramid pyramid(kOdd, {static_cast<BestRule::Kind>(kind), middle});
    pyramid.add(*map, {{0, 0, 0}, kOdd});
    QVERIFY(bestAreRight(pyramid, *map));
    pyramid.add(*map, {{0, 0, 0}, kOdd}); // changes nothing
    QVERIFY(bestAreRight(pyramid, *map));
}

void PyramidTest::regionsMakeTheSameTexelsInEveryOrder() {
    const auto map = mixedMap(kOdd);
    std::vector<base::Box> regions;
    for (std::int64_t y = 0; y < kOdd.y; y += 101) { // no multiple of a texel
        for (std::int64_t x = 0; x < kOdd.x; x += 237) {
            regions.push_back({{x, y, 0},
                               {std::min<std::int64_t>(237, kOdd.x - x),
                                std::min<std::int64_t>(101, kOdd.y - y), 1}});
        }
    }
    std::mt19937 random(5);
    std::ranges::shuffle(regions, random);
    Pyramid pyramid(kOdd, BestRule{});
    std::jthread reader([&pyramid](const std::stop_token& stop) {
        while (!stop.stop_requested()) { // a view that draws meanwhile
            pyramid.read(Pyramid::kFirstLevel, [](const base::AnyView& any) {
                (void)base::valueAt(any, {3, 3, 0});
            });
            std::this_thread::yield();
        }
    });
    for (const base::Box& region : regions) {
        pyramid.add(*map, region);
    }
    reader.request_stop();
    reader.join();
    QVERIFY(bestAreRight(pyramid, *map));
}

void PyramidTest::whatWasNotAddedIsUnread() {
    const auto map = mixedMap(kOdd);
    Pyramid pyramid(kOdd, BestRule{});
    pyramid.add(*map, {{0, 0, 0}, {512, kOdd.y, 1}});
    for (const int level : {2, 3}) {
        pyramid.read(level, [&](const base::AnyView& any) {
            const auto& texels = std::get<base::View<const float>>(any);
            const std::int64_t side = std::int64_t{1} << level;
            for (std::int64_t x = 0; x < texels.extents().x; ++x) {
                QCOMPARE(ScoreCell(texels.at(x, 7, 0)).isUnread(), x >= 512 / side);
            }
        });
    }
}

void PyramidTest::aCellKeepsScoreAndMark() {
    for (const float score : {0.0F, -0.0F, 1.0F, -1.0F, 0.1F, -0.7F, 1e-30F, 3.4e38F}) {
        const ScoreCell plain(score, base::Status::Ok);
        QVERIFY(plain.hasValue() && !plain.isLowConf() && !plain.isUnread());
        QVERIFY(std::abs(plain.value() - score) <= std::abs(score) * 0x1p-22F);
        const ScoreCell marked(score, base::Status::LowConf);
        QVERIFY(marked.isLowConf());
        QCOMPARE(marked.value(), plain.value());
        QVERIFY(ScoreCell(marked.stored()).isLowConf());
    }
    const ScoreCell hole(0.5F, base::Status::Flat);
    QVERIFY(!hole.hasValue() && !hole.isUnread() && !hole.isLowConf());
    QVERIFY(ScoreCell().isUnread());
    ScoreCell cell;
    const auto larger = [](float a, float b) { return a > b; };
    cell.merge(hole, larger);
    QVERIFY(!cell.isUnread() && !cell.hasValue());
    cell.merge({-0.5F, base::Status::Ok}, larger);
    QVERIFY(cell.hasValue());
    cell.merge(hole, larger);
    cell.merge(ScoreCell(), larger);
    QCOMPARE(cell.value(), -0.5F);
}

void PyramidTest::aSpotOfAMapIsSeenAtEveryZoom_data() {
    QTest::addColumn<bool>("pyramid");
    QTest::addColumn<bool>("smallest");
    QTest::newRow("from the map") << false << false;
    QTest::newRow("from the pyramid") << true << false;
    QTest::newRow("smallest is best") << true << true;
}

void PyramidTest::aSpotOfAMapIsSeenAtEveryZoom() {
    QFETCH(bool, pyramid);
    QFETCH(bool, smallest);
    constexpr base::Extents kScene{3000, 2200, 1};
    constexpr base::Extents kTempl{8, 7, 1}; // even: between two pixels of the scene
    constexpr base::Extents kMap{2993, 2194, 1};
    const base::Index spot{1701, 903, 0};
    auto map = std::make_shared<method::MatchMap>(kMap);
    map->status.fill(base::Status::Ok);
    map->value.fill(smallest ? 1.0F : 0.0F);
    map->value.view().at(spot) = smallest ? 0.0F : 1.0F;
    viz::SliceScene scene;
    scene.setImage(imageOf(kScene, [](const base::Index&) { return 0; }), {});
    scene.setAxisLettersVisible(false);
    scene.setScaleBarVisible(false);
    scene.setScalarBarVisible(false);
    viz::OffscreenWindow window(scene, 320, 240);
    match::HeatmapScale scale;
    scale.reversed = smallest;
    scene.setMapScale(scale);
    scene.setMap(map, kTempl, true);
    if (pyramid) {
        auto best = std::make_shared<Pyramid>(kMap, viz::bestRule(scale));
        best->add(*map, {{0, 0, 0}, kMap});
        scene.setMapPyramid(best);
    }
    const match::Colour best = match::colourOf({}, 1);
    for (double zoom = 1.9; zoom > 0.03; zoom *= 0.83) {
        scene.setZoom(zoom);
        for (int step = 0; step < 3; ++step) {
            scene.centreOn({1650.0 + 31.3 * step, 880, 0});
            const viz::Picture picture = window.render();
            const test::Found found = test::find(picture, best, 8);
            QVERIFY2(found.count > 0, qPrintable(QString("zoom %1: no spot").arg(zoom)));
            const viz::DisplayPoint at = scene.displayOf({1701 + 3.5, 903 + 3.0, 0});
            QVERIFY2(std::hypot(found.x - at.x, found.y - at.y) <= 1.5,
                     qPrintable(QString("zoom %1: at %2,%3 instead of %4,%5")
                                    .arg(zoom)
                                    .arg(found.x)
                                    .arg(found.y)
                                    .arg(at.x)
                                    .arg(at.y)));
        }
    }
}

void PyramidTest::aZoomedOutImageShowsAverages() {
    // Columns of 0 and 200: their average is seen from afar, whatever the zoom is.
    const auto image = imageOf({4096, 2048, 1}, [](const base::Index& i) { return i.x % 2 * 200; });
    const auto averages = std::make_shared<const Pyramid>(base::viewOf(*image));
    viz::SliceScene scene;
    scene.setImage(image, {});
    scene.setGreyWindow({0, 255});
    scene.setAxisLettersVisible(false);
    scene.setScaleBarVisible(false);
    viz::OffscreenWindow window(scene, 300, 200);
    for (const bool pyramid : {false, true}) {
        if (pyramid) {
            scene.setImagePyramid(averages);
        }
        for (const double zoom : {0.25, 0.11, 0.0625}) {
            scene.setZoom(zoom);
            const viz::Picture picture = window.render();
            const int off = std::abs(int{picture.at(150, 100)[0]} - 100);
            QVERIFY2(off <= 12, qPrintable(QString("zoom %1: off by %2").arg(zoom).arg(off)));
        }
    }
}

void PyramidTest::panningDrawsWhatAFreshViewDraws() {
    const auto image = imageOf({3000, 2000, 1}, [](const base::Index& i) {
        return static_cast<int>((i.x * i.x / 97 + i.y * 5) % 251);
    });
    const auto setUp = [&](viz::SliceScene& scene) {
        scene.setImage(image, {});
        scene.setGreyWindow({0, 255});
    };
    viz::SliceScene moved;
    setUp(moved);
    viz::OffscreenWindow window(moved, 300, 200);
    for (const double zoom : {0.4, 3.0}) {
        moved.setZoom(zoom);
        moved.centreOn({1500, 1000, 0});
        (void)window.render();
        for (const auto& [dx, dy] : {std::pair(37, -12), std::pair(-80, -45), std::pair(5, 90)}) {
            moved.pan(dx, dy);
            viz::SliceScene fresh;
            setUp(fresh);
            viz::OffscreenWindow other(fresh, 300, 200);
            fresh.setZoom(zoom);
            fresh.centreOn(moved.planePointAt({149.5, 99.5}));
            const viz::Picture is = window.render();
            QCOMPARE(test::differences(is, other.render(), 1), 0);
        }
    }
}

void PyramidTest::texturesAreAsLargeAsTheView() {
    viz::SliceScene scene;
    scene.setImage(imageOf({3000, 2000, 1}, [](const base::Index&) { return 9; }), {});
    viz::OffscreenWindow window(scene, 300, 200);
    auto map = std::make_shared<method::MatchMap>(base::Extents{2990, 1990, 1});
    scene.setMap(map, {11, 11, 1}, true);
    for (double zoom = 8; zoom > 0.02; zoom /= 2) {
        scene.setZoom(zoom);
        (void)window.render();
        QVERIFY(scene.displayBytes() > 0);
        QVERIFY(scene.displayBytes() <= std::int64_t{5} * (300 + 4) * (200 + 4));
    }
}

const flcc::test::TestClass<PyramidTest> kPyramidTest;
#include "pyramid_test.moc"
