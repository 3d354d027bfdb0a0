#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/io/image_file.h"
#include "engine/method/canonical.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/bound_attacks.h"
#include "tests/engine/cpu/bound_checks.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/kinds.h"
#include "tests/engine/cpu/masks.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;

namespace {

constexpr std::array kPictures{
    "camera.png",           "coins.png", "page.png", "moon.png", "brick.png", "retina.jpg",
    "hubble_deep_field.jpg"};

/// A picture of scikit-image in grey, 8 bit; without voxels where it is not installed.
base::AnyImage picture(const char* name) {
    const std::filesystem::path path =
        std::filesystem::path("/usr/lib/python3/dist-packages/skimage/data") / name;
    if (!std::filesystem::exists(path)) {
        return base::Image<std::uint8_t>();
    }
    return io::toScalar(io::readImage(path)).pixels;
}

/// Gives the template of a problem a mask with at least two different voxels.
void mask(test::Submitted& submitted, int number) {
    const Extents m = base::extentsOf(submitted.templ);
    std::vector<test::NamedMask> masks = test::masksFor(m);
    for (std::size_t i = 0; i < masks.size(); ++i) {
        test::Mask& one = masks[(i + static_cast<std::size_t>(number)) % masks.size()].mask;
        const method::MaskedView view(base::viewOf(submitted.templ), one.view());
        try {
            method::requireUsableTemplate(view);
        } catch (const base::Error&) {
            continue;
        }
        if (method::isMasked(view)) {
            submitted.mask = std::move(one);
            return;
        }
    }
}

/// Per cent of the voxels with a value whose bound exceeds the promise, and the candidate that the
/// planner chose for `name`.
double shareBeyond(const std::string& name, const base::AnyImage& scene,
                   const base::AnyImage& templ, std::string& candidate) {
    const base::AnyView view = base::viewOf(scene);
    method::Problem problem = test::problemOf(view, base::viewOf(templ));
    problem.recompute = false;
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    request.method = name;
    request.limits.threads = 2;
    if (base::extentsOf(templ).x < 32 && (name == "auto" || name == "tiled")) {
        request.tile = {128, 126, 1}; // the bound grows with the tile
    }
    base::TilePool pool(2);
    const plan::Planned planned = plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool);
    const test::Way way{&planned.plan->method(), planned.plan->candidate(),
                        method::Precision::Single, false};
    candidate = std::string(way.method->name()) + " " + base::toString(way.candidate.tile);
    const auto counts = test::runMethod(way, view, base::viewOf(templ)).outcome.facts.statusCounts;
    const auto beyond =
        static_cast<double>(counts[static_cast<std::size_t>(base::Status::LowConf)]);
    return 100 * beyond / (beyond + static_cast<double>(counts[0]));
}

} // namespace

/// No score that is not marked may be further off than its bound says.
class BoundsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void boundsHoldOnScenesThatAreHardOnThem_data() {
        QTest::addColumn<int>("kind");
        for (int kind = 0; kind < test::kKinds; ++kind) {
            QTest::newRow(std::to_string(kind).c_str()) << kind;
        }
    }

    void boundsHoldOnScenesThatAreHardOnThem() {
        QFETCH(int, kind);
        for (std::uint64_t seed = 1; seed <= 3U; ++seed) {
            const std::string fault = test::judgeKind(kind, seed);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // Under a mask the variance has an error of its own, which grows with K^2.
    void boundsHoldUnderMasks() {
        test::BoundSearch search;
        for (int kind = 0; kind < test::kKinds; ++kind) {
            test::Submitted submitted = test::problemOfKind(kind, 40);
            mask(submitted, kind);
            test::searchWholeMaps(submitted, search, "tiled", 2);
            QVERIFY2(search.fault.empty(), (std::to_string(kind) + ": " + search.fault).c_str());
        }
        for (const std::uint64_t seed : {3U, 4U, 6U, 1174U}) {
            test::Submitted submitted = test::problemOfPatterns(seed);
            mask(submitted, static_cast<int>(seed));
            test::searchWholeMaps(submitted, search, "tiled", 2);
            QVERIFY2(search.fault.empty(), (std::to_string(seed) + ": " + search.fault).c_str());
        }
        qInfo("%lld voxels, largest error over its bound %.3f by %s",
              static_cast<long long>(search.voxels), search.worst, search.worstWay.c_str());
        // The search halves the promise, so it sees at least half of the largest share.
        QVERIFY(search.worst > 0.02);
    }

    // Stripes of one frequency, a template smooth along them and of another frequency across: the
    // output has single bright lines, and the errors of the transforms gather in them.
    void boundsHoldOnStripesOfAnotherFrequency() {
        for (const bool along : {true, false}) {
            const auto stripes = [along](const Extents& extents, double frequency) {
                return test::makeScene(PixelType::Float32, extents, [&](const Index& i) {
                    return std::sin(frequency * static_cast<double>(along ? i.y : i.x));
                });
            };
            const base::AnyImage scene = stripes({256, 256, 1}, 0.7);
            const base::AnyImage templ = stripes({105, 105, 1}, 0.31);
            const std::string fault = test::judgeSampled(scene, templ, {}, 300);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // Equal voxels round equally: a template of two levels whose values were rounded before its
    // transform would no longer sum to nothing, and a step in the scene, with little contrast on
    // either side, would see it.
    void boundsHoldForTemplatesOfTwoLevelsBesideAStep() {
        const std::int64_t side = 256;
        const Extents n{2 * side + 96, 2 * side, 1};
        base::Random random(7);
        const base::AnyImage scene = test::makeScene(PixelType::UInt16, n, [&](const Index& i) {
            return (i.x < n.x / 2 ? 1000 : 41000) + std::floor(random.uniform(0, 21));
        });
        const base::AnyImage templ =
            test::makeScene(PixelType::UInt16, {side, side, 1},
                            [](const Index& i) { return i.y % 8 < 3 ? 200.0 : 0.0; });
        const std::string fault = test::judgeSampled(scene, templ, {}, 300);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void patternsAreRightOrMarked() {
        for (std::uint64_t seed = 1; seed <= 8U; ++seed) {
            const test::Submitted submitted = test::problemOfPatterns(seed);
            const std::string fault = test::judgeSampled(submitted.scene, submitted.templ, {}, 40);
            QVERIFY2(fault.empty(), (std::to_string(seed) + ": " + fault).c_str());
        }
    }

    // Both broke a bound that took it for granted that the errors of a transform spread
    // over the tile.
    void patternsKeepTheirBounds() {
        for (const std::uint64_t seed : {1174U, 1595U}) {
            test::BoundSearch search;
            test::searchWholeMaps(test::problemOfPatterns(seed), search);
            QVERIFY2(search.fault.empty(), (std::to_string(seed) + ": " + search.fault).c_str());
        }
    }

    // A bright row that the template has too, a bright copy of the template: of what the transform
    // rounds off of such a match a faint copy of it appears where the scene is weak.
    void boundsHoldBesideGhosts() {
        test::BoundSearch search;
        test::Random random(3);
        const auto row = [&](const Extents& extents, std::int64_t at, double height) {
            return test::makeScene(PixelType::UInt16, extents, [&](const Index& i) {
                return (i.y == at ? height : 0) + std::floor(3 * random.uniform());
            });
        };
        const std::int64_t length = 4000;
        test::searchWholeMaps({row({256, length, 1}, 123, 60000), row({64, 9, 1}, 4, 200)}, search,
                              "fourier");
        const std::int64_t side = 1024;
        base::AnyImage copied = test::noise(PixelType::Float32, {32, 32, 1}, 5);
        base::AnyImage weak = test::mapped(test::noise(PixelType::Float32, {side, side, 1}, 7),
                                           PixelType::Float32, [](double v) { return 1e-3 * v; });
        test::paste(weak, copied, {side / 2 + 3, side / 3, 0});
        qInfo("a row: largest error over its bound %.3f", search.worst);
        test::searchWholeMaps({std::move(weak), std::move(copied)}, search, "fourier");
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // The first pass along columns multiplies a bright row of eight levels, whose roundings are
    // alike in every second column: in the rows that it mixes with that one they are the template.
    void boundsHoldBesideRowsThatRoundAlike() {
        constexpr std::array<double, 8> kLevels{57034, -57034, -63764, 63764,
                                                65329, -65329, -58599, 58599};
        const Extents extents{300, 1024, 1};
        const std::int64_t bright = 28;
        test::Random random(1);
        base::AnyImage scene = test::makeScene(PixelType::Float32, extents, [&](const Index& i) {
            const double noise = std::round(60 * (random.uniform() - 0.5));
            if (i.y == bright) {
                return kLevels[static_cast<std::size_t>(i.x % 8)];
            }
            if (i.y % (extents.y / 8) == bright) {
                return i.y == bright + extents.y / 2 && i.x % 16 == 5 ? 4 * noise : 0.0;
            }
            return noise;
        });
        base::AnyImage templ = test::makeScene(
            PixelType::Float32, {256, 1, 1}, [](const Index& i) { return i.x % 2 == 0 ? 1 : -1; });
        test::BoundSearch search;
        test::searchWholeMaps({std::move(scene), std::move(templ)}, search, "fourier");
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // Of seven bright matches in a column, an eighth of it apart, the ghosts add up.
    void boundsHoldBesideGhostsOfSeveralMatches() {
        constexpr std::array<double, 8> kLevels{-60847, -65157, -42127, -58179,
                                                62269,  0,      63540,  58089};
        const Extents extents{300, 4096, 1};
        const std::int64_t apart = extents.y / 8;
        test::Random random(1);
        std::array<double, 256> signs{};
        for (double& sign : signs) {
            sign = random.uniform() < 0.5 ? -1 : 1;
        }
        base::AnyImage scene = test::makeScene(PixelType::Float32, extents, [&](const Index& i) {
            const double noise = std::round(60 * (random.uniform() - 0.5));
            if (i.y % apart != 139) {
                return noise;
            }
            const double level = kLevels[static_cast<std::size_t>(i.y / apart)];
            if (level == 0) {
                return i.x % 16 == 5 ? 4 * noise : 0.0;
            }
            return i.x >= 3 && i.x < 259 ? level * signs[static_cast<std::size_t>(i.x - 3)] : 0.0;
        });
        base::AnyImage templ =
            test::makeScene(PixelType::Float32, {256, 1, 1},
                            [&](const Index& i) { return signs[static_cast<std::size_t>(i.x)]; });
        test::BoundSearch search;
        test::searchWholeMaps({std::move(scene), std::move(templ)}, search, "fourier", 1.1);
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // All columns of a bright row at the edge have one spectrum, all rows of spectra round alike,
    // and what they round off comes back in that row. The template is that.
    void boundsHoldWhereRowsOfSpectraRoundAlike() {
        constexpr std::int64_t kLength = 2205;
        test::Random random(1);
        std::vector<double> row;
        for (std::int64_t x = 0; x < kLength; ++x) {
            const bool weak = std::abs(x - kLength / 2) < 100;
            const double bright = x % 2 == 0 ? 32936 : -33622;
            row.push_back(weak ? std::round(300 * (random.uniform() - 0.5)) : bright);
        }
        test::BoundSearch search;
        test::searchWholeMaps(
            test::problemOfRoundings(test::Along::X, row, kLength / 2 - 50, kLength / 2 + 50),
            search, "fourier");
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // Of transforms so short that products and factors are rounded as often as sums.
    void boundsHoldForTheShortestTransforms() {
        constexpr std::array<double, 9> kScene{-0.874079347, 0.191145033,  0.947198987,
                                               0.782628,     -0.392446935, -0.00167020771,
                                               0.0087363515, 0.0027629768, 0.000707353582};
        constexpr std::array<double, 4> kTemplate{0.00685798237, 0.00934980996, -0.654021859,
                                                  -0.938601315};
        base::AnyImage scene = test::makeScene(PixelType::Float32, {9, 1, 1}, [&](const Index& i) {
            return kScene[static_cast<std::size_t>(i.x)];
        });
        base::AnyImage templ = test::makeScene(PixelType::Float32, {4, 1, 1}, [&](const Index& i) {
            return kTemplate[static_cast<std::size_t>(i.x)];
        });
        test::BoundSearch search;
        test::searchWholeMaps({std::move(scene), std::move(templ)}, search, "fourier", 1.02);
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // What is rounded off of stripes is stripes of another frequency, and the template is made of
    // them.
    void boundsHoldForTemplatesThatLookLikeErrors() {
        const std::int64_t length = 65536;
        test::BoundSearch search;
        for (std::uint64_t seed = 1; seed <= 4U; ++seed) {
            test::Random random(seed);
            const std::array<double, 2> levels{2 * random.uniform() - 1, 2 * random.uniform() - 1};
            base::AnyImage scene =
                test::makeScene(PixelType::Float32, {length, 1, 1}, [&](const Index& i) {
                    const bool weak = i.x >= 3 * length / 8 && i.x < 5 * length / 8;
                    return weak
                               ? 1e-3 * (2 * random.uniform() - 1)
                               : (i.x % 4 < 2 ? 1 : -1) * levels[static_cast<std::size_t>(i.x % 2)];
                });
            base::AnyImage templ =
                test::makeScene(PixelType::Float32, {length / 4, 1, 1},
                                [](const Index& i) { return i.x % 2 == 0 ? 1.0 : -1.0; });
            test::searchWholeMaps({std::move(scene), std::move(templ)}, search, "fourier");
        }
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // The sample of every time; the whole is among the slow tests.
    void noBoundIsExceededOnVoxelsOfAnOracle() {
        test::BoundSearch search;
        for (std::uint64_t seed = 1; search.voxels < 2000 && search.fault.empty(); ++seed) {
            test::searchBeyondBounds(test::problemForBounds(seed), 250, seed, search);
        }
        QVERIFY2(search.fault.empty(), search.fault.c_str());
    }

    // Less than canonical values can keep is promised: marked voxels stay, and no bound of others
    // is told that is larger.
    void noUnmarkedVoxelHasABoundAboveThePromise() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {90, 70, 1}, 3);
        const base::AnyImage templ = test::noise(PixelType::Float32, {9, 8, 1}, 4);
        for (test::Way way : test::waysFor(scene, templ)) {
            way.promise = way.precision == method::Precision::Double ? 1e-15 : 1e-8;
            const test::MethodRun run =
                test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
            QVERIFY2(run.outcome.facts.largestBound <= way.promise, way.words().c_str());
        }
    }

    // The first of them broke their bounds once: s1^2 / N is rounded though the sums of integers
    // are exact, and the products of a perfect match have one sign, so that roundings need not
    // cancel.
    void randomProblemsAreRightOrMarked() {
        for (const std::uint64_t seed : {99U, 116U, 2421U, 3090U, 3444U, 4510U, 5188U, 5658U, 8193U,
                                         9978U, 18619U, 19624U, 100013U}) {
            const std::string fault = test::judgeRandom(seed);
            QVERIFY2(fault.empty(), fault.c_str());
        }
        for (std::uint64_t seed = 100000; seed < 100000 + 80U; ++seed) {
            const std::string fault = test::judgeRandom(seed);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // A bound that is always kept because it is absurdly large is of no use.
    void fewVoxelsOfPicturesBreakThePromise_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<int>("side");
        std::vector<std::string> names{"auto"};
        for (const method::Method* method : plan::methods()) {
            names.emplace_back(method->name());
        }
        for (const std::string& name : names) {
            for (const int side : {16, 32, 64}) {
                QTest::newRow((name + " " + std::to_string(side)).c_str())
                    << QString::fromStdString(name) << side;
            }
        }
    }

    void fewVoxelsOfPicturesBreakThePromise() {
        QFETCH(QString, method);
        QFETCH(int, side);
        std::vector<double> shares;
        std::string table;
        std::string candidate;
        for (const char* name : kPictures) {
            const base::AnyImage scene = picture(name);
            const Extents n = base::extentsOf(scene);
            if (n.x == 0) {
                QSKIP("the pictures of python3-skimage are not installed");
            }
            const base::AnyImage templ =
                method == "separable" ? test::separableTemplate(0, {side, side, 1})
                                      : test::crop(scene, {{n.x / 3, n.y / 3, 0}, {side, side, 1}});
            shares.push_back(shareBeyond(method.toStdString(), scene, templ, candidate));
            table += " | " + QString::number(shares.back(), 'f', 3).toStdString();
        }
        qInfo("| %s | %d%s |", candidate.c_str(), side, table.c_str());
        if (method == "dif" || ((method == "fourier" || method == "tiled-template") && side < 64)) {
            return; // never planned for templates as small: the table shows by how much
        }
        QVERIFY2(*std::max_element(shares.begin(), shares.end()) < 8, table.c_str());
        std::nth_element(shares.begin(), shares.begin() + 3, shares.end());
        QVERIFY2(shares[3] < 0.5, table.c_str());
    }
};

const flcc::test::TestClass<BoundsTest> kBoundsTest;
#include "bounds_test.moc"
