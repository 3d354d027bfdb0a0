#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "engine/cpu/methods/tiled_run.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;

namespace {

/// The ways of one method.
std::vector<test::Way> waysOf(const std::string& method, const base::AnyImage& scene,
                              const base::AnyImage& templ, const Extents& tile = {0, 0, 0}) {
    std::vector<test::Way> ways = test::waysFor(scene, templ, tile);
    std::erase_if(ways, [&](const test::Way& way) { return way.candidate.method != method; });
    return ways;
}

const method::Method* methodOf(const std::string& name) {
    for (const method::Method* method : plan::methods()) {
        if (method->name() == name) {
            return method;
        }
    }
    return nullptr;
}

/// What a method says of a problem for its first candidate.
method::Verdict verdictOf(const std::string& name, const method::Problem& problem,
                          const method::Limits& limits) {
    const method::Method* const method = methodOf(name);
    const auto candidates = method->candidates(problem, limits, {0, 0, 0});
    return candidates.empty()
               ? method::Refusal{"no candidate"}
               : method->predict(problem, candidates.front(), limits, method::CostModel{}, nullptr);
}

method::Problem problemOf(const Extents& scene, const Extents& templ) {
    method::Problem problem;
    problem.scene = scene;
    problem.templ = templ;
    return problem;
}

} // namespace

/// The methods that work on more than a tile at a time: whole scenes, and templates in blocks that
/// share the spectra of segments.
class WholeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void blocksNeedNotDivideAnything_data() {
        QTest::addColumn<QList<int>>("sizes"); // scene, template, transform
        test::Thinned rows(3);
        const auto row = [&](const QList<int>& s) {
            if (!rows.next()) {
                return;
            }
            QStringList words;
            for (const int size : s) {
                words << QString::number(size);
            }
            QTest::newRow(words.join(' ').toLatin1().constData()) << s;
        };
        row({90, 70, 1, 31, 23, 1, 16, 16, 1});
        row({90, 70, 1, 31, 23, 1, 15, 13, 1});
        row({90, 70, 1, 31, 23, 1, 20, 64, 1}); // cut along x alone
        row({90, 70, 1, 31, 23, 1, 64, 9, 1});  // and along y
        row({90, 70, 1, 90, 23, 1, 32, 16, 1}); // as long as the scene
        row({90, 70, 1, 31, 70, 1, 16, 32, 1});
        row({90, 70, 1, 89, 69, 1, 32, 24, 1}); // four placements
        row({61, 1, 1, 17, 1, 1, 8, 1, 1});
        row({1, 61, 1, 1, 17, 1, 1, 8, 1});
        row({34, 29, 26, 11, 9, 10, 8, 8, 8});
        row({34, 29, 26, 11, 9, 10, 8, 32, 7});
        row({34, 29, 26, 11, 9, 10, 32, 32, 8}); // cut along z alone
        row({34, 29, 26, 11, 29, 10, 12, 10, 32});
        row({20, 19, 30, 3, 4, 30, 8, 8, 16});
    }

    void blocksNeedNotDivideAnything() {
        QFETCH(QList<int>, sizes);
        const auto extents = [&](qsizetype i) {
            return Extents{sizes[i], sizes[i + 1], sizes[i + 2]};
        };
        for (const PixelType type : {PixelType::UInt8, PixelType::Float32, PixelType::Float64}) {
            const base::AnyImage scene = test::texture(type, extents(0), 7);
            const base::AnyImage templ = test::noise(type, extents(3), 8);
            const auto ways = waysOf("tiled-template", scene, templ, extents(6));
            QVERIFY(ways.size() == 4); // single, double, and each without recomputing
            const reference::ScoreMap expected = test::judged(scene, templ);
            for (const test::Way& way : ways) {
                const std::string fault = test::judge(way, scene, templ, expected);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // FFTW's lengths, and narrow scenes.
    void wholeScenesMayHaveAnyLength() {
        struct Submitted {
            Extents scene;
            Extents templ;
            Extents points;
        };
        for (const Submitted& submitted : {Submitted{{50, 40, 1}, {9, 8, 1}, {52, 44, 1}},
                                           {{30, 20, 12}, {5, 6, 4}, {33, 22, 13}},
                                           {{5, 61, 1}, {3, 7, 1}, {5, 63, 1}},
                                           {{5, 61, 1}, {3, 7, 1}, {0, 0, 0}},
                                           {{1, 61, 1}, {1, 17, 1}, {0, 0, 0}},
                                           {{3, 20, 30}, {2, 4, 5}, {0, 0, 0}}}) {
            const base::AnyImage scene = test::texture(PixelType::Float32, submitted.scene, 7);
            const base::AnyImage templ = test::noise(PixelType::Float32, submitted.templ, 8);
            const auto ways = waysOf("fourier", scene, templ, submitted.points);
            QVERIFY(!ways.empty());
            const reference::ScoreMap expected = test::judged(scene, templ);
            for (const test::Way& way : ways) {
                const std::string fault = test::judge(way, scene, templ, expected);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    // FFTW in place of our transforms keeps the bounds, and leaves FLAT and NONFINITE where they
    // are.
    void fftwGivesTheMapOfOurTransforms() {
        for (const Extents& size : {Extents{97, 90, 1}, {37, 30, 26}}) {
            base::AnyImage scene = test::texture(PixelType::Float32, size, 3);
            for (std::int64_t i = 0; i < 15 * 15 * 15;
                 ++i) { // flat, with a voxel that is no number
                const base::Index at{i % 15, i / 15 % 15, i / 225};
                if (at.z < size.z) {
                    test::setVoxel(scene, at, 0.25);
                }
            }
            test::setVoxel(scene, {30, 20, size.z / 2}, std::nan(""));
            const Extents m = size.z > 1 ? Extents{9, 8, 9} : Extents{33, 30, 1};
            const base::AnyImage templ = test::noise(PixelType::Float32, m, 4);
            const reference::ScoreMap expected = test::judged(scene, templ);
            for (const char* name : {"fourier", "tiled", "tiled-template"}) {
                const Extents tile = name != std::string("tiled-template") ? Extents{0, 0, 0}
                                     : size.z > 1                          ? Extents{16, 15, 14}
                                                                           : Extents{40, 33, 1};
                std::vector<test::Way> ways = waysOf(name, scene, templ, tile);
                if (ways.size() > 4) { // the last three are the other modes
                    ways.erase(ways.begin() + 1, ways.end() - 3);
                }
                for (test::Way way : ways) {
                    test::RunOptions options;
                    options.threads = 2;
                    const auto run = [&](method::Transforms transforms) {
                        way.candidate.transforms = transforms;
                        return test::runMethod(way, base::viewOf(scene), base::viewOf(templ),
                                               options);
                    };
                    const test::MethodRun own = run(method::Transforms::Own);
                    const test::MethodRun fftw = run(method::Transforms::Fftw);
                    const std::string fault = test::judge(way, scene, templ, expected);
                    QVERIFY2(fault.empty(), (way.words() + fault).c_str());
                    const auto found = [](const test::MethodRun& of, std::int64_t i) {
                        const Status status = of.map.status.data()[i];
                        return status == Status::Flat || status == Status::NonFinite ? status
                                                                                     : Status::Ok;
                    };
                    for (std::int64_t i = 0; i < own.map.status.count(); ++i) {
                        QCOMPARE(found(fftw, i), found(own, i));
                    }
                }
            }
        }
    }

    // The same map as by the definition's own order of sums, within the bounds of both.
    void sharedSpectraGiveTheMapOfDirect() {
        for (const bool flat : {true, false}) {
            if (test::kSanitized && !flat) {
                continue;
            }
            const Extents n = flat ? Extents{300, 280, 1} : Extents{70, 66, 60};
            const Extents m = flat ? Extents{70, 61, 1} : Extents{20, 21, 19};
            const base::AnyImage scene = test::texture(PixelType::Float32, n, 3);
            const base::AnyImage templ = test::crop(scene, {{9, 8, flat ? 0 : 7}, m});
            const test::MethodRun direct = test::runMethod(
                waysOf("direct", scene, templ).front(), base::viewOf(scene), base::viewOf(templ));
            for (const char* name : {"fourier", "tiled-template", "dif"}) {
                const auto ways = waysOf(name, scene, templ);
                QVERIFY(!ways.empty());
                for (const test::Way& way : ways) {
                    const test::MethodRun run =
                        test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                    const auto bound = [](const test::MethodRun& of) {
                        return std::max(of.outcome.facts.largestBound,
                                        of.outcome.facts.largestLowConf);
                    };
                    const double allowed = bound(direct) + bound(run) + 0x1p-23;
                    for (std::int64_t i = 0; i < run.map.value.count(); ++i) {
                        const double off = static_cast<double>(run.map.value.data()[i]) -
                                           static_cast<double>(direct.map.value.data()[i]);
                        QVERIFY2(std::fabs(off) <= allowed, way.words().c_str());
                    }
                }
            }
        }
    }

    // Some bright voxels make transforms in single precision useless for all the others.
    void whatBreaksThePromiseIsComputedAgain_data() {
        QTest::addColumn<Extents>("size");
        QTest::addColumn<Extents>("templSize");
        QTest::addColumn<int>("bright");
        const Extents picture{220, 200, 1};
        const Extents part{22, 21, 1};
        if (!test::kSanitized) {
            QTest::newRow("everywhere: in double") << picture << part << 100;
        }
        QTest::newRow("a little: by voxels") << picture << part << 0;
        if (!test::kSanitized) {
            QTest::newRow("in double, in pieces")
                << Extents{2400, 80, 1} << Extents{40, 30, 1} << 24;
        }
        QTest::newRow("pieces of a volume")
            << (test::kSanitized ? Extents{60, 40, 16} : Extents{150, 60, 28}) << Extents{12, 10, 8}
            << 15;
    }

    void whatBreaksThePromiseIsComputedAgain() {
        QFETCH(Extents, size);
        QFETCH(Extents, templSize);
        QFETCH(int, bright);
        base::AnyImage scene = test::noise(PixelType::Float32, size, 5);
        test::Random random(1);
        for (int i = 0; i < bright; ++i) {
            test::setVoxel(scene,
                           {random.below(size.x), random.below(size.y), random.below(size.z)}, 1e6);
        }
        if (bright == 0) { // a corner of little contrast
            for (std::int64_t y = 0; y < 30; ++y) {
                for (std::int64_t x = 0; x < 30; ++x) {
                    test::setVoxel(scene, {x, y, 0},
                                   0.5 + 1e-5 * static_cast<double>((x * 7 + y * 3) % 5));
                }
            }
        }
        const base::AnyImage templ = test::noise(PixelType::Float32, templSize, 6);
        const reference::ScoreMap expected = test::judged(scene, templ);
        for (const char* name : {"fourier", "tiled-template", "dif"}) {
            const auto ways = waysOf(name, scene, templ);
            QVERIFY(!ways.empty());
            for (const test::Way& way : ways) {
                const std::string fault = test::judge(way, scene, templ, expected);
                QVERIFY2(fault.empty(), fault.c_str());
                const test::MethodRun run =
                    test::runMethod(way, base::viewOf(scene), base::viewOf(templ));
                const auto lowConf =
                    run.outcome.facts.statusCounts[static_cast<std::size_t>(Status::LowConf)];
                const bool single = way.precision == method::Precision::Single;
                QCOMPARE(lowConf > 0, single && !way.recompute);
                QCOMPARE(run.outcome.facts.recomputed > 0, single && way.recompute);
            }
        }
    }

    void aStopIsAnsweredWithinLargeTransforms() {
        const base::AnyImage scene = test::noise(PixelType::Float32, {3000, 2800, 1}, 1);
        const base::AnyImage templ = test::noise(PixelType::Float32, {600, 500, 1}, 2);
        std::vector<test::Way> ways{waysOf("fourier", scene, templ).front(),
                                    waysOf("tiled-template", scene, templ).front(),
                                    waysOf("dif", scene, templ).front()};
        ways.push_back(ways.front());
        ways.back().candidate.transforms = method::Transforms::Fftw;
        for (const test::Way& way : ways) {
            for (const int delay : {20, 120, 300}) {
                if (test::kSanitized && delay == 120) {
                    continue;
                }
                std::stop_source source;
                std::chrono::steady_clock::time_point asked;
                std::jthread stopper([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
                    asked = std::chrono::steady_clock::now();
                    source.request_stop();
                });
                test::RunOptions options;
                options.stop = source.get_token();
                const test::MethodRun run =
                    test::runMethod(way, base::viewOf(scene), base::viewOf(templ), options);
                const auto ended = std::chrono::steady_clock::now();
                stopper.join();
                if (run.outcome.cancelled) {
                    QVERIFY2(ended - asked < std::chrono::seconds(test::kSanitized ? 5 : 1),
                             way.words().c_str());
                } else {
                    QVERIFY2(delay > 20, way.words().c_str()); // it had enough time
                }
                const std::string fault = test::runFault(run);
                QVERIFY2(fault.empty(), fault.c_str());
            }
        }
    }

    void moreThanTheMemoryIsRefusedWithTheNumbers() {
        const method::Problem problem = problemOf({1000, 900, 1}, {300, 300, 1});
        for (const char* name : {"fourier", "tiled-template", "dif"}) {
            method::Limits limits;
            const auto roomy = verdictOf(name, problem, limits);
            const auto* prediction = std::get_if<method::Prediction>(&roomy);
            QVERIFY(prediction != nullptr);
            // Map, statuses, template in double, and more.
            QVERIFY(prediction->hostBytes > 5 * 701 * 601 + 8 * 300 * 300);
            limits.memoryBytes = prediction->hostBytes;
            const auto exact = verdictOf(name, problem, limits);
            QVERIFY(std::holds_alternative<method::Prediction>(exact));
            --limits.memoryBytes;
            const auto tight = verdictOf(name, problem, limits);
            QVERIFY(std::holds_alternative<method::Refusal>(tight));
            QVERIFY(std::get<method::Refusal>(tight).reason.find("MiB") != std::string::npos);
        }
        // Blocks take less than the whole.
        const auto bytes = [&](const char* name) {
            return std::get<method::Prediction>(
                       verdictOf(name, problemOf({20000, 20000, 1}, {500, 500, 1}), {}))
                .hostBytes;
        };
        QVERIFY(bytes("tiled-template") < bytes("fourier") / 2);
    }

    // Whether voxels break the promise is not known beforehand, and a prediction is to be right
    // within a tenth. Templates of over two fifths of a tile are left out: tiles cannot be done
    // again in parts then.
    void whatIsComputedAgainTakesNoMemoryOfItsOwn() {
        for (const char* name : {"fourier", "tiled", "tiled-template"}) {
            for (const int threads : {1, 2}) {
                int checked = 0;
                for (method::Problem problem : {problemOf({4096, 4096, 1}, {1000, 1000, 1}),
                                                problemOf({8000, 8000, 1}, {1500, 1500, 1}),
                                                problemOf({8000, 8000, 1}, {64, 64, 1}),
                                                problemOf({400, 400, 400}, {100, 100, 100}),
                                                problemOf({400, 400, 400}, {24, 24, 24}),
                                                problemOf({640, 640, 640}, {16, 16, 16})}) {
                    method::Limits limits;
                    limits.threads = threads;
                    limits.transforms = method::Transforms::Own; // FFTW takes no such large boxes
                    const method::Method* const method = methodOf(name);
                    for (const auto& candidate : method->candidates(problem, limits, {0, 0, 0})) {
                        problem.recompute = true;
                        if (name == std::string("tiled") &&
                            cpu::doublePoints(problem, cpu::TransformShape(candidate)) ==
                                cpu::TransformShape(candidate)) {
                            continue;
                        }
                        const auto bytes = [&] {
                            return std::get<method::Prediction>(
                                       method->predict(problem, candidate, limits, {}, nullptr))
                                .hostBytes;
                        };
                        const std::int64_t with = bytes();
                        problem.recompute = false;
                        const std::int64_t without = bytes();
                        QVERIFY2(with >= without && 8 * with <= 9 * without,
                                 (name + (" " + base::toString(candidate.tile)) + ": " +
                                  std::to_string(with) + " and " + std::to_string(without))
                                     .c_str());
                        ++checked;
                    }
                }
                QVERIFY(checked >= 6);
            }
        }
    }

    // A template of over half the scene leaves no parts that are recomputed where the run was.
    void recomputingCountsWhereAScoreMayBreakThePromise() {
        const Extents extents{800, 700, 1};
        const method::Problem problem = problemOf(extents, {500, 450, 1});
        method::Problem once = problem;
        once.recompute = false;
        const auto noise = [](const base::Index& i) {
            return static_cast<double>((i.x * 7919 + i.y * 104729) % 1009);
        };
        const base::AnyImage even = test::makeScene(PixelType::Float32, extents, noise);
        const base::AnyImage dim =
            test::makeScene(PixelType::Float32, extents, [&](const base::Index& i) {
                return noise(i) * (i.x < 20 && i.y < 20 ? 1e6 : 1);
            });
        const auto ofEven = method::sceneStatistics(base::viewOf(even), problem.templ);
        const auto ofDim = method::sceneStatistics(base::viewOf(dim), problem.templ);
        for (const char* name : {"fourier", "tiled", "tiled-template"}) {
            const auto bytes = [&](const method::Problem& of,
                                   const method::SceneStatistics* statistics) {
                const method::Method* const method = methodOf(name);
                const auto candidate = method->candidates(of, {}, {0, 0, 0}).front();
                return std::get<method::Prediction>(
                           method->predict(of, candidate, {}, {}, statistics))
                    .hostBytes;
            };
            QVERIFY2(bytes(problem, &ofEven) < bytes(problem, nullptr), name);
            QCOMPARE(bytes(problem, &ofEven), bytes(once, &ofEven));
            QCOMPARE(bytes(problem, &ofDim), bytes(problem, nullptr));
        }
    }

    void morePointsThanFitIn31BitsAreCounted() {
        const method::Problem problem = problemOf({70000, 70000, 1}, {2000, 2000, 1});
        method::Limits limits;
        const auto verdict = verdictOf("fourier", problem, limits);
        const auto* prediction = std::get_if<method::Prediction>(&verdict);
        QVERIFY(prediction != nullptr);
        QVERIFY(prediction->hostBytes > std::int64_t{70000} * 70000 * 13);
        QVERIFY(prediction->ms > 1e4);
        limits.memoryBytes = std::int64_t{8} << 30;
        QVERIFY(std::holds_alternative<method::Refusal>(verdictOf("fourier", problem, limits)));
    }

    void otherSupportsAndExtentsAreRefusedWithAReason() {
        for (const char* name : {"fourier", "tiled-template", "dif"}) {
            method::Problem problem = problemOf({200, 200, 1}, {40, 40, 1});
            problem.mask = true;
            QVERIFY(std::holds_alternative<method::Refusal>(verdictOf(name, problem, {})));
            problem.mask = false;
            problem.extent = method::Extent::Same;
            QVERIFY(std::holds_alternative<method::Refusal>(verdictOf(name, problem, {})));
            problem.extent = method::Extent::Valid;
            QVERIFY(std::holds_alternative<method::Prediction>(verdictOf(name, problem, {})));
        }
    }
};

const flcc::test::TestClass<WholeTest> kWholeTest;
#include "whole_test.moc"
