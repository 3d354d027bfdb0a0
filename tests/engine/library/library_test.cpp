#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/filter/planner.h"
#include "engine/library/flcc.h"
#include "engine/plan/planner.h"
#include "engine/reference/lcc.h"
#include "tests/engine/filter/convolution_judge.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;

namespace {

struct DestroyPlan {
    void operator()(flcc_conv* plan) const { conv_destroy(plan); }
    void operator()(flcc_lcorr* plan) const { lcorr_destroy(plan); }
};
using Conv = std::unique_ptr<flcc_conv, DestroyPlan>;
using Lcorr = std::unique_ptr<flcc_lcorr, DestroyPlan>;

flcc_extents plain(const Extents& extents) { return {extents.x, extents.y, extents.z}; }

Conv convPlan(const Extents& scene, const Extents& kernel, const flcc_options& options) {
    flcc_conv* plan = nullptr;
    (void)conv_plan(&plan, plain(scene), plain(kernel), &options);
    return Conv(plan);
}

Lcorr lcorrPlan(const Extents& scene, const Extents& templ, const flcc_options& options) {
    flcc_lcorr* plan = nullptr;
    (void)lcorr_plan(&plan, plain(scene), plain(templ), &options);
    return Lcorr(plan);
}

const void* dataOf(const base::AnyImage& image) {
    return std::visit([](const auto& one) { return static_cast<const void*>(one.data()); }, image);
}

/// Empty if `code` is expected and the sentence contains `words`; else what was found.
QByteArray wrong(flcc_code code, flcc_code expected, const char* words) {
    const QByteArray sentence = flcc_last_error();
    return code == expected && !sentence.isEmpty() && sentence.contains(words)
               ? QByteArray()
               : "code " + QByteArray::number(int{code}) + ": " + sentence;
}

template <class Real>
bool sameBits(const std::vector<Real>& own, const Real* other, std::int64_t count) {
    return static_cast<std::int64_t>(own.size()) == count &&
           std::memcmp(own.data(), other, own.size() * sizeof(Real)) == 0;
}

/// The scores and statuses of the engine for one method, planned as the library does.
method::MatchMap engineMap(const method::Problem& problem, const char* name,
                           const base::AnyImage& scene, const base::AnyImage& templ) {
    base::TilePool pool(2);
    plan::Request request;
    request.planning = plan::Planning::Estimate;
    request.limits.threads = 2;
    request.method = name;
    request.device = "cpu";
    const auto plan = plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool).plan;
    method::Session session = plan->session();
    session.prepare({base::viewOf(templ)}, pool);
    method::MatchMap map(method::mapExtents(problem),
                         problem.precision == method::Precision::Double);
    (void)session.run(base::viewOf(scene), {.pool = pool, .stop = {}, .regionFinished = {}},
                      method::viewOf(map));
    return map;
}

struct Shape {
    Extents scene;
    Extents templ;
};
const std::vector<Shape> kShapes{{{41, 30, 1}, {7, 5, 1}}, {{14, 12, 11}, {4, 3, 5}}};

} // namespace

class LibraryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void sizesBeyondAnyMachineAreRefusedAtOnce() {
        for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 63, SIZE_MAX - 64,
                                        SIZE_MAX - 4096, SIZE_MAX / 2, SIZE_MAX / 2 + 1}) {
            QVERIFY(flcc_malloc(bytes) == nullptr);
            QVERIFY(std::strlen(flcc_last_error()) > 0);
        }
        flcc_options options{};
        options.planning = "estimate";
        flcc_lcorr* plan = nullptr;
        const flcc_extents templ{5, 5, 1};
        const std::int64_t large = std::int64_t{1} << 40;
        QCOMPARE(wrong(lcorr_plan(&plan, {large, 19, 1}, templ, &options), FLCC_MEMORY, "scene"),
                 QByteArray());
        flcc_conv* convolution = nullptr;
        QCOMPARE(
            wrong(conv_plan(&convolution, {large, 19, 1}, templ, &options), FLCC_MEMORY, "scene"),
            QByteArray());
        options.extent = "full";
        const std::int64_t half = std::int64_t{1} << 21;
        QCOMPARE(wrong(lcorr_plan(&plan, {half, half, 1}, templ, &options), FLCC_MEMORY, "map"),
                 QByteArray());
        options.extent = nullptr;
        options.threads = 2147483647;
        QCOMPARE(wrong(lcorr_plan(&plan, {40, 30, 1}, templ, &options), FLCC_ARGUMENT, "threads"),
                 QByteArray());
        QCOMPARE(
            wrong(conv_plan(&convolution, {40, 30, 1}, templ, &options), FLCC_ARGUMENT, "threads"),
            QByteArray());
        options.threads = 1;
        QCOMPARE(
            wrong(lcorr_plan(&plan, {40, 30, 1}, {1, 1, 1}, &options), FLCC_PROBLEM, "two voxels"),
            QByteArray());
    }

    // Lengths of transforms near 2^37 are found without a search from one to the next.
    void aPlanOfAHugeSceneTakesNoTime() {
        flcc_options options{};
        options.planning = "estimate";
        options.memory = std::int64_t{1} << 30;
        flcc_lcorr* plan = nullptr;
        QCOMPARE(wrong(lcorr_plan(&plan, {std::int64_t{1} << 37, 19, 1}, {5, 5, 1}, &options),
                       FLCC_MEMORY, "memory"),
                 QByteArray());
    }

    void scoresAreThoseOfTheEngine_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("extent");
        QTest::addColumn<bool>("inDouble");
        QTest::newRow("direct") << "direct"
                                << "valid" << false;
        QTest::newRow("tiled, same") << "tiled"
                                     << "same" << false;
        QTest::newRow("tiled, double") << "tiled"
                                       << "valid" << true;
        QTest::newRow("direct, double, full") << "direct"
                                              << "full" << true;
    }

    // Three scenes: a stream must equal single calls, and those the engine, bit by bit.
    void scoresAreThoseOfTheEngine() {
        QFETCH(QString, method);
        QFETCH(QString, extent);
        QFETCH(bool, inDouble);
        const QByteArray name = method.toUtf8();
        const QByteArray covered = extent.toUtf8();
        for (const Shape& shape : kShapes) {
            const std::int64_t voxels = base::voxelCount(shape.scene);
            const base::AnyImage scenes =
                test::texture(PixelType::UInt16, {voxels, 3, 1}, 1); // three scenes in a row
            const base::AnyImage templ = test::noise(PixelType::Float64, shape.templ, 2);
            flcc_options options{};
            options.method = name.constData();
            options.extent = covered.constData();
            options.planning = "estimate";
            options.precision = inDouble ? "double" : "single";
            options.scene_type = FLCC_UINT16;
            options.template_type = FLCC_FLOAT64;
            options.threads = 2;
            const Lcorr one = lcorrPlan(shape.scene, shape.templ, options);
            QVERIFY2(one, flcc_last_error());
            options.scenes = 3;
            const Lcorr stream = lcorrPlan(shape.scene, shape.templ, options);
            QVERIFY2(stream, flcc_last_error());

            method::Problem problem;
            problem.extent = extent == "same"   ? method::Extent::Same
                             : extent == "full" ? method::Extent::Full
                                                : method::Extent::Valid;
            problem.scene = shape.scene;
            problem.templ = shape.templ;
            problem.scenePixel = PixelType::UInt16;
            problem.templPixel = PixelType::Float64;
            problem.precision = inDouble ? method::Precision::Double : method::Precision::Single;
            const Extents map = method::mapExtents(problem);
            const flcc_extents told = lcorr_extents(one.get());
            QVERIFY((Extents{told.x, told.y, told.z}) == map);
            const std::int64_t count = base::voxelCount(map);
            const auto bytes = static_cast<std::size_t>(count) * (inDouble ? 8 : 4);
            std::vector<char> all(3 * bytes);
            std::vector<std::uint8_t> allStatus(static_cast<std::size_t>(3 * count), 77);
            QCOMPARE(lcorr_exec(stream.get(), dataOf(scenes), dataOf(templ), all.data(),
                                allStatus.data()),
                     FLCC_OK);
            for (std::int64_t i = 0; i < 3; ++i) {
                const auto* const voxel =
                    std::get<base::Image<std::uint16_t>>(scenes).data() + i * voxels;
                std::vector<char> single(bytes);
                // The template of the first call stays for the others; no statuses are asked for.
                QCOMPARE(lcorr_exec(one.get(), voxel, i == 0 ? dataOf(templ) : nullptr,
                                    single.data(), nullptr),
                         FLCC_OK);
                QVERIFY(std::memcmp(single.data(), &all[static_cast<std::size_t>(i) * bytes],
                                    bytes) == 0);
                const base::AnyImage scene =
                    base::copyOf(base::View<const std::uint16_t>(voxel, shape.scene));
                const method::MatchMap expected =
                    engineMap(problem, name.constData(), scene, templ);
                const void* const scores = inDouble
                                               ? static_cast<const void*>(expected.exact.data())
                                               : expected.value.data();
                QVERIFY(std::memcmp(single.data(), scores, bytes) == 0);
                QVERIFY(std::memcmp(&allStatus[static_cast<std::size_t>(i * count)],
                                    expected.status.data(), static_cast<std::size_t>(count)) == 0);
            }
        }
    }

    // The planner's choice, with default options, against the definition.
    void scoresKeepThePromise() {
        for (const Shape& shape : kShapes) {
            const base::AnyImage scene = test::texture(PixelType::Float32, shape.scene, 3);
            const base::AnyImage templ = test::noise(PixelType::Float32, shape.templ, 4);
            flcc_lcorr* made = nullptr;
            QCOMPARE(lcorr_plan(&made, plain(shape.scene), plain(shape.templ), nullptr), FLCC_OK);
            const Lcorr plan(made);
            const reference::ScoreMap expected = reference::Lcc(templ).map(scene);
            const Extents map = base::validExtents(shape.scene, shape.templ);
            std::vector<float> scores(static_cast<std::size_t>(base::voxelCount(map)));
            QCOMPARE(lcorr_exec(plan.get(), dataOf(scene), dataOf(templ), scores.data(), nullptr),
                     FLCC_OK);
            constexpr double kPromise = 1e-4;
            for (std::size_t i = 0; i < scores.size(); ++i) {
                QVERIFY(std::abs(double{scores[i]} - expected.value.data()[i]) <= kPromise);
            }
        }
    }

    void convolutionsAreThoseOfTheEngine_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("border");
        QTest::addColumn<QString>("extent");
        QTest::addColumn<bool>("inDouble");
        QTest::newRow("direct") << "direct"
                                << "zero"
                                << "valid" << false;
        QTest::newRow("direct, mirror") << "direct"
                                        << "mirror"
                                        << "same" << true;
        QTest::newRow("tiled, wrap") << "tiled"
                                     << "wrap"
                                     << "same" << false;
        QTest::newRow("fourier, replicate") << "fourier"
                                            << "replicate"
                                            << "full" << true;
    }

    void convolutionsAreThoseOfTheEngine() {
        QFETCH(bool, inDouble);
        inDouble ? compareConvolutions<double>() : compareConvolutions<float>();
    }

    // A kernel that is an outer product can use methods that others cannot, and the other way
    // round.
    void everyKernelFindsItsMethod() {
        const Extents n{60, 50, 1};
        const Extents m{9, 9, 1};
        const base::AnyImage scene = test::noise(PixelType::Float32, n, 5);
        base::Image<float> outer(m);
        for (std::int64_t i = 0; i < outer.count(); ++i) {
            outer.data()[i] = static_cast<float>((1 + i % 9) * (2 + i / 9));
        }
        flcc_options options{};
        options.planning = "estimate";
        const Conv both = convPlan(n, m, options);
        QVERIFY2(both, flcc_last_error());
        const base::AnyImage other = test::noise(PixelType::Float32, m, 6);
        std::vector<float> result(60 * 50);
        for (const void* const weights : {static_cast<const void*>(outer.data()), dataOf(other)}) {
            QCOMPARE(conv_exec(both.get(), dataOf(scene), weights, result.data()), FLCC_OK);
            const base::View<const float> seen(static_cast<const float*>(weights), m);
            const filter::Kernel kernel("kernel", seen, method::Precision::Single);
            const filter::Problem problem =
                test::problemOf(scene, kernel, method::Extent::Same, filter::Border::Zero,
                                method::Precision::Single);
            base::Image<float> pixels(n);
            std::copy(result.begin(), result.end(), pixels.data());
            const filter::Plan plan =
                filter::makePlan(problem, kernel, {}, {}, {.timing = filter::Wanted::Timing::None},
                                 base::viewOf(scene), test::testPool());
            filter::Convolved judged = filter::convolve(problem, kernel, plan.chosen()->candidate,
                                                        base::viewOf(scene), test::testPool());
            judged.pixels = std::move(pixels);
            QCOMPARE(test::faultOf(judged, problem, kernel, scene), std::string());
        }
        // With a method for one kind alone the other kind is refused.
        options.method = "separable";
        const Conv separable = convPlan(n, m, options);
        QVERIFY2(separable, flcc_last_error());
        QCOMPARE(conv_exec(separable.get(), dataOf(scene), outer.data(), result.data()), FLCC_OK);
        const QByteArray fault =
            wrong(conv_exec(separable.get(), dataOf(scene), dataOf(other), result.data()),
                  FLCC_PROBLEM, "separable");
        QVERIFY2(fault.isEmpty(), fault.constData());
    }

    void aFilterByNameNeedsNoWeights() {
        const Extents n{40, 30, 1};
        const base::AnyImage scene = test::texture(PixelType::UInt8, n, 7);
        flcc_options options{};
        options.kernel = "gaussian:2";
        options.border = "mirror";
        options.method = "separable";
        options.scene_type = FLCC_UINT8;
        const Conv plan = convPlan(n, {0, 0, 0}, options);
        QVERIFY2(plan, flcc_last_error());
        std::vector<float> result(40 * 30);
        QCOMPARE(conv_exec(plan.get(), dataOf(scene), nullptr, result.data()), FLCC_OK);
        const filter::Kernel kernel = filter::kernelByName("gaussian:2", n, {});
        const filter::Problem problem{n,
                                      PixelType::UInt8,
                                      kernel.extents(),
                                      method::Extent::Same,
                                      filter::Border::Mirror,
                                      method::Precision::Single};
        base::TilePool pool(1);
        const filter::Plan chosen =
            filter::makePlan(problem, kernel, {}, {},
                             {.method = "separable", .timing = filter::Wanted::Timing::None},
                             base::viewOf(scene), pool);
        const filter::Convolved expected = filter::convolve(
            problem, kernel, chosen.chosen()->candidate, base::viewOf(scene), pool);
        QVERIFY(sameBits(result, std::get<base::Image<float>>(expected.pixels).data(), 40 * 30));
        const QByteArray fault =
            wrong(conv_exec(plan.get(), dataOf(scene), dataOf(scene), result.data()), FLCC_ARGUMENT,
                  "gaussian:2");
        QVERIFY2(fault.isEmpty(), fault.constData());
    }

    void wrongOptionsAreRefused_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* field, const char* value, flcc_code code,
                            const char* words) {
            QTest::addRow("%s %s", field, value) << field << value << int{code} << words;
        };
        row("border", "round", FLCC_ARGUMENT, "mirror");
        row("extent", "most", FLCC_ARGUMENT, "valid");
        row("method", "magic", FLCC_ARGUMENT, "magic");
        row("planning", "never", FLCC_ARGUMENT, "measure");
        row("precision", "half", FLCC_ARGUMENT, "double");
        row("kernel", "gaussian:0", FLCC_ARGUMENT, "above 0");
        row("kernel", "gaussian:-1", FLCC_ARGUMENT, "above 0");
        row("kernel", "gaussian:nan", FLCC_ARGUMENT, "above 0");
        row("kernel", "blur:2", FLCC_ARGUMENT, "blur");
        row("kernel", "", FLCC_ARGUMENT, "kernel");
        row("kernel", "sobel:z", FLCC_PROBLEM, "two axes");
        row("threads", "-1", FLCC_ARGUMENT, "threads");
        row("scenes", "-2", FLCC_ARGUMENT, "scenes");
        row("memory", "-3", FLCC_ARGUMENT, "memory");
        row("memory", "10", FLCC_MEMORY, "memory limit");
        row("scene_type", "10", FLCC_ARGUMENT, "scene_type");
        row("template_type", "-1", FLCC_ARGUMENT, "template_type");
    }

    void wrongOptionsAreRefused() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(int, code);
        QFETCH(QString, words);
        const QByteArray text = value.toUtf8();
        flcc_options options{};
        options.planning = "estimate";
        const std::map<QString, const char * flcc_options::*> texts{
            {"border", &flcc_options::border}, {"extent", &flcc_options::extent},
            {"method", &flcc_options::method}, {"planning", &flcc_options::planning},
            {"kernel", &flcc_options::kernel}, {"precision", &flcc_options::precision}};
        if (const auto found = texts.find(field); found != texts.end()) {
            options.*(found->second) = text.constData();
        }
        const int number = value.toInt();
        options.threads = field == "threads" ? number : 0;
        options.scenes = field == "scenes" ? number : 0;
        options.memory = field == "memory" ? number : 0;
        options.scene_type = field == "scene_type" ? number : 0;
        options.template_type = field == "template_type" ? number : 0;
        flcc_conv* conv = reinterpret_cast<flcc_conv*>(1);
        QByteArray fault = wrong(conv_plan(&conv, {30, 20, 1}, {5, 5, 1}, &options),
                                 flcc_code(code), words.toUtf8().constData());
        QVERIFY2(fault.isEmpty(), fault.constData());
        QCOMPARE(conv, nullptr);
        flcc_lcorr* lcorr = reinterpret_cast<flcc_lcorr*>(1);
        const bool convolutionOnly = field == "kernel" || field == "border";
        fault = wrong(lcorr_plan(&lcorr, {30, 20, 1}, {5, 5, 1}, &options),
                      convolutionOnly ? FLCC_ARGUMENT : flcc_code(code),
                      field == "kernel" ? "kernel" : words.toUtf8().constData());
        QVERIFY2(fault.isEmpty(), fault.constData());
        QCOMPARE(lcorr, nullptr);
    }

    void aBorderIsRefusedForScores() {
        flcc_options options{};
        options.border = "zero";
        flcc_lcorr* plan = nullptr;
        const QByteArray fault = wrong(lcorr_plan(&plan, {30, 20, 1}, {5, 5, 1}, &options),
                                       FLCC_ARGUMENT, "convolutions only");
        QVERIFY2(fault.isEmpty(), fault.constData());
    }

    void wrongExtentsAreRefused() {
        flcc_conv* conv = nullptr;
        flcc_lcorr* lcorr = nullptr;
        flcc_options valid{};
        valid.extent = "valid";
        valid.planning = "estimate";
        QByteArray fault =
            wrong(conv_plan(&conv, {5, 5, 1}, {9, 9, 1}, &valid), FLCC_PROBLEM, "9x9x1");
        QVERIFY2(fault.isEmpty(), fault.constData());
        fault = wrong(lcorr_plan(&lcorr, {5, 5, 1}, {9, 9, 1}, nullptr), FLCC_PROBLEM, "9x9x1");
        QVERIFY2(fault.isEmpty(), fault.constData());
        for (const flcc_extents& none :
             {flcc_extents{0, 5, 1}, flcc_extents{5, 5, 0}, flcc_extents{5, -1, 1}}) {
            fault = wrong(conv_plan(&conv, none, {3, 3, 1}, &valid), FLCC_PROBLEM, "scene");
            QVERIFY2(fault.isEmpty(), fault.constData());
            fault = wrong(conv_plan(&conv, {5, 5, 1}, none, &valid), FLCC_PROBLEM, "kernel");
            QVERIFY2(fault.isEmpty(), fault.constData());
            fault = wrong(lcorr_plan(&lcorr, none, {3, 3, 1}, &valid), FLCC_PROBLEM, "scene");
            QVERIFY2(fault.isEmpty(), fault.constData());
            fault = wrong(lcorr_plan(&lcorr, {5, 5, 1}, none, &valid), FLCC_PROBLEM, "template");
            QVERIFY2(fault.isEmpty(), fault.constData());
        }
        const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
        fault = wrong(lcorr_plan(&lcorr, {huge, huge, 1}, {3, 3, 1}, &valid), FLCC_PROBLEM, "");
        QVERIFY2(fault.isEmpty(), fault.constData());
    }

    void nullPointersAreRefused() {
        const Extents n{20, 20, 1};
        const Extents m{3, 3, 1};
        std::vector<float> image(400);
        flcc_options options{};
        options.planning = "estimate";
        const Conv conv = convPlan(n, m, options);
        const Lcorr lcorr = lcorrPlan(n, m, options);
        const auto check = [](flcc_code code, const char* argument) {
            const QByteArray fault = wrong(code, FLCC_ARGUMENT, argument);
            QVERIFY2(fault.isEmpty(), fault.constData());
        };
        check(conv_plan(nullptr, plain(n), plain(m), nullptr), "plan");
        check(lcorr_plan(nullptr, plain(n), plain(m), nullptr), "plan");
        check(conv_exec(nullptr, image.data(), image.data(), image.data()), "plan");
        check(conv_exec(conv.get(), nullptr, image.data(), image.data()), "scenes");
        check(conv_exec(conv.get(), image.data(), nullptr, image.data()), "kernel");
        check(conv_exec(conv.get(), image.data(), image.data(), nullptr), "results");
        check(lcorr_exec(nullptr, image.data(), image.data(), image.data(), nullptr), "plan");
        check(lcorr_exec(lcorr.get(), nullptr, image.data(), image.data(), nullptr), "scenes");
        check(lcorr_exec(lcorr.get(), image.data(), nullptr, image.data(), nullptr), "templ");
        check(lcorr_exec(lcorr.get(), image.data(), image.data(), nullptr, nullptr), "scores");
        conv_destroy(nullptr);
        lcorr_destroy(nullptr);
        flcc_free(nullptr);
        QCOMPARE(conv_extents(nullptr).x, std::int64_t{0});
        QCOMPARE(lcorr_extents(nullptr).x, std::int64_t{0});
    }

    void aConstantTemplateAndBadWeightsAreRefused() {
        const Extents n{20, 20, 1};
        const Extents m{3, 3, 1};
        flcc_options options{};
        options.planning = "estimate";
        const Conv conv = convPlan(n, m, options);
        const Lcorr lcorr = lcorrPlan(n, m, options);
        std::vector<float> image(400, 1.0F);
        std::vector<float> result(400);
        QByteArray fault =
            wrong(lcorr_exec(lcorr.get(), image.data(), image.data(), result.data(), nullptr),
                  FLCC_PROBLEM, "template");
        QVERIFY2(fault.isEmpty(), fault.constData());
        for (const float weight : {0.0F, std::numeric_limits<float>::quiet_NaN(), 3e38F}) {
            const std::vector<float> weights(9, weight);
            fault = wrong(conv_exec(conv.get(), image.data(), weights.data(), result.data()),
                          FLCC_PROBLEM, "kernel");
            QVERIFY2(fault.isEmpty(), fault.constData());
        }
        // The plan can be used after an error, and success empties the sentence.
        const std::vector<float> ones(9, 1.0F);
        QCOMPARE(conv_exec(conv.get(), image.data(), ones.data(), result.data()), FLCC_OK);
        QCOMPARE(result[21], 9.0F);
        QCOMPARE(QByteArray(flcc_last_error()), QByteArray());
    }

    void memoryIsAlignedOrRefused() {
        void* const data = flcc_malloc(1000);
        QVERIFY(data != nullptr);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(data) % 64, std::uintptr_t{0});
        flcc_free(data);
        if (test::kSanitized) {
            QSKIP("the address sanitizer ends a program that asks for so much");
        }
        QVERIFY(flcc_malloc(std::numeric_limits<std::size_t>::max() / 2) == nullptr);
        const QByteArray fault = wrong(FLCC_MEMORY, FLCC_MEMORY, "memory");
        QVERIFY2(fault.isEmpty(), fault.constData());
        // Larger than any machine's memory: the random scene of a measuring plan.
        flcc_lcorr* plan = nullptr;
        const QByteArray tooMuch =
            wrong(lcorr_plan(&plan, {1 << 20, 1 << 20, 1 << 10}, {5, 5, 5}, nullptr), FLCC_MEMORY,
                  "memory");
        QVERIFY2(tooMuch.isEmpty(), tooMuch.constData());
    }

  private:
    template <class Real> void compareConvolutions() {
        QFETCH(QString, method);
        QFETCH(QString, border);
        QFETCH(QString, extent);
        const QByteArray name = method.toUtf8();
        const QByteArray edge = border.toUtf8();
        const QByteArray covered = extent.toUtf8();
        for (const Shape& shape : kShapes) {
            const std::int64_t voxels = base::voxelCount(shape.scene);
            const base::AnyImage scenes = test::texture(PixelType::Int16, {voxels, 2, 1}, 8);
            const base::AnyImage weights = test::noise(PixelType::Float32, shape.templ, 9);
            flcc_options options{};
            options.method = name.constData();
            options.border = edge.constData();
            options.extent = covered.constData();
            options.precision = std::is_same_v<Real, double> ? "double" : "single";
            options.planning = "estimate";
            options.scene_type = FLCC_INT16;
            options.scenes = 2;
            options.threads = 2;
            const Conv stream = convPlan(shape.scene, shape.templ, options);
            QVERIFY2(stream, flcc_last_error());
            options.scenes = 0;
            const Conv one = convPlan(shape.scene, shape.templ, options);
            QVERIFY2(one, flcc_last_error());

            const auto precision = std::is_same_v<Real, double> ? method::Precision::Double
                                                                : method::Precision::Single;
            const filter::Kernel kernel("kernel", base::viewOf(weights), precision);
            const filter::Problem problem{shape.scene,
                                          PixelType::Int16,
                                          shape.templ,
                                          extent == "same"   ? method::Extent::Same
                                          : extent == "full" ? method::Extent::Full
                                                             : method::Extent::Valid,
                                          border == "zero"     ? filter::Border::Zero
                                          : border == "mirror" ? filter::Border::Mirror
                                          : border == "wrap"   ? filter::Border::Wrap
                                                               : filter::Border::Replicate,
                                          precision};
            const Extents result = filter::resultExtents(problem);
            const flcc_extents told = conv_extents(one.get());
            QVERIFY((Extents{told.x, told.y, told.z}) == result);
            const std::int64_t count = base::voxelCount(result);
            std::vector<Real> all(static_cast<std::size_t>(2 * count));
            QCOMPARE(conv_exec(stream.get(), dataOf(scenes), dataOf(weights), all.data()), FLCC_OK);
            base::TilePool pool(2);
            for (std::int64_t i = 0; i < 2; ++i) {
                const auto* const voxel =
                    std::get<base::Image<std::int16_t>>(scenes).data() + i * voxels;
                std::vector<Real> single(static_cast<std::size_t>(count));
                QCOMPARE(
                    conv_exec(one.get(), voxel, i == 0 ? dataOf(weights) : nullptr, single.data()),
                    FLCC_OK);
                QVERIFY(sameBits(single, all.data() + i * count, count));
                const base::View<const std::int16_t> scene(voxel, shape.scene);
                method::Limits limits;
                limits.threads = 2;
                const filter::Plan plan = filter::makePlan(
                    problem, kernel, limits, {},
                    {.method = name.constData(), .timing = filter::Wanted::Timing::None}, scene,
                    pool);
                const filter::Convolved expected =
                    filter::convolve(problem, kernel, plan.chosen()->candidate, scene, pool);
                QVERIFY(
                    sameBits(single, std::get<base::Image<Real>>(expected.pixels).data(), count));
            }
        }
    }
};

const flcc::test::TestClass<LibraryTest> kLibraryTest;
#include "library_test.moc"
