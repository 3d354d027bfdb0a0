#include <QtTest>

#include <cmath>
#include <limits>
#include <string>

#include "engine/method/method.h"
#include "engine/reference/lcc.h"
#include "tests/support/comparison.h"
#include "tests/support/method_run.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;

namespace {

/// What is wrong with the method below.
enum class Defect {
    None,
    MarksSomeLowConf, // allowed
    OneScoreOff,
    OneScoreNan,
    OneScoreAboveOne,
    Shifted,
    Flips,
    MissesAFlatPanel,
    FlatInNoise,
    ValueInAFlatPanel,
    MissesNan,
    ForgetsAVoxel,
    LosesARegion,
    DoublesARegion,
    RegionOutsideTheMap,
    Miscounts,
    OutOfRange,
    BoundTooSmall,
    WritesAfterTheStop,
};

struct KeptTemplate final : method::Prepared {
    explicit KeptTemplate(const base::AnyView& templ) : pixels(base::copyOf(templ)) {}
    base::AnyImage pixels;
};

struct NoScratch final : method::Workspace {};

/// The reference dressed as a method, with one defect; two regions, left and right.
class DefectiveMethod final : public method::Method {
  public:
    explicit DefectiveMethod(Defect defect) : m_defect(defect) {}

    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Direct", .byDefinition = true, .makes = {.scores = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }
    [[nodiscard]] std::vector<method::Candidate> candidates(const method::Problem&,
                                                            const method::Limits& limits,
                                                            const Extents& tile) const override {
        return {{"direct", "cpu", tile, limits.threads}};
    }
    [[nodiscard]] method::Verdict predict(const method::Problem&, const method::Candidate&,
                                          const method::Limits&, const method::CostModel&,
                                          const method::SceneStatistics*) const override {
        return method::Prediction{};
    }
    void warmUp(const method::Problem&, const method::Candidate&) const override {}
    [[nodiscard]] std::shared_ptr<const method::Prepared> prepare(const method::Problem&,
                                                                  const method::Candidate&,
                                                                  const method::MaskedView& templ,
                                                                  base::TilePool&) const override {
        return std::make_shared<KeptTemplate>(templ.pixels);
    }
    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const method::Problem&, const method::Candidate&) const override {
        return std::make_unique<NoScratch>();
    }

    method::Outcome execute(const method::Problem& problem, const method::Candidate&,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace&, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& kept = dynamic_cast<const KeptTemplate&>(prepared);
        const base::AnyImage templ = m_defect == Defect::Flips
                                         ? test::flipped(kept.pixels, true, false, false)
                                         : base::copyOf(base::viewOf(kept.pixels));
        const reference::Lcc judge(base::viewOf(templ));
        const Extents extents = method::mapExtents(problem);
        const std::int64_t half = extents.x / 2;
        method::Outcome outcome;
        outcome.facts.largestBound = m_defect == Defect::BoundTooSmall ? 0 : 1e-6;
        outcome.facts.largestLowConf = 1e-6;
        for (std::int64_t part = 0; part < 2; ++part) {
            if (execution.stop.stop_requested()) {
                outcome.cancelled = true;
                if (m_defect == Defect::WritesAfterTheStop) {
                    map.value.at(half, 0, 0) = 0.5F;
                }
                return outcome;
            }
            const base::Box region{{part * half, 0, 0},
                                   {part == 0 ? half : extents.x - half, extents.y, extents.z}};
            fill(judge, scene.pixels, region, map, outcome);
            report(region, part, extents, execution);
        }
        spoilOutcome(outcome);
        return outcome;
    }

  private:
    void fill(const reference::Lcc& judge, const base::AnyView& scene, const base::Box& region,
              const method::MapView& map, method::Outcome& outcome) const {
        const Extents last = base::extentsOf(scene);
        for (std::int64_t y = 0; y < region.extents.y; ++y) {
            for (std::int64_t i = 0; i < region.extents.x; ++i) {
                const std::int64_t x = region.corner.x + i;
                const bool shift = m_defect == Defect::Shifted && x + 1 < last.x - 4;
                reference::Score score = judge.at(scene, {shift ? x + 1 : x, y, 0});
                if (spoil(score, {x, y, 0})) {
                    continue;
                }
                map.value.at(x, y, 0) = static_cast<float>(score.value);
                map.status.at(x, y, 0) = score.status;
                ++outcome.facts.statusCounts[static_cast<std::size_t>(score.status)];
            }
        }
    }

    /// True when the voxel is left out.
    bool spoil(reference::Score& score, const Index& at) const {
        const bool here = at == Index{7, 3, 0};
        switch (m_defect) {
        case Defect::MarksSomeLowConf:
            score.status = score.status == Status::Ok && at.y == 3 ? Status::LowConf : score.status;
            break;
        case Defect::OneScoreOff:
            score.value += here ? 2e-4 : 0;
            break;
        case Defect::OneScoreNan:
            score.value = here ? std::nan("") : score.value;
            break;
        case Defect::OneScoreAboveOne:
            score.value += score.value > 0.999 ? 1e-6 : 0;
            break;
        case Defect::MissesAFlatPanel:
            score.status = score.status == Status::Flat ? Status::Ok : score.status;
            break;
        case Defect::FlatInNoise:
            score = here ? reference::Score{0, Status::Flat} : score;
            break;
        case Defect::ValueInAFlatPanel:
            score.value = score.status == Status::Flat ? 1e-9 : score.value;
            break;
        case Defect::MissesNan:
            score.status = score.status == Status::NonFinite ? Status::Ok : score.status;
            break;
        case Defect::ForgetsAVoxel:
            return here;
        default:
            break;
        }
        return false;
    }

    void report(const base::Box& region, std::int64_t part, const Extents& extents,
                const method::Execution& execution) const {
        if (m_defect == Defect::LosesARegion && part == 1) {
            return;
        }
        execution.regionFinished(region);
        if (m_defect == Defect::DoublesARegion && part == 1) {
            execution.regionFinished(region);
        }
        if (m_defect == Defect::RegionOutsideTheMap && part == 1) {
            execution.regionFinished({{extents.x, 0, 0}, {1, 1, 1}});
        }
    }

    void spoilOutcome(method::Outcome& outcome) const {
        outcome.facts.statusCounts[0] += m_defect == Defect::Miscounts ? 1 : 0;
        outcome.facts.overRange = m_defect == Defect::OutOfRange ? 1 : 0;
    }

    Defect m_defect;
};

struct Scenario {
    base::AnyImage scene;
    base::AnyImage templ;
};

/// Noise with a constant area, a NaN and the template itself.
Scenario scenario() {
    Scenario made{test::noise(PixelType::Float32, {40, 20, 1}, 1), {}};
    made.templ = test::crop(made.scene, {{3, 12, 0}, {5, 4, 1}});
    const base::AnyImage constant =
        test::makeScene(PixelType::Float32, {8, 8, 1}, [](const Index&) { return 0.1; });
    test::paste(made.scene, constant, {20, 2, 0});
    test::setVoxel(made.scene, {34, 10, 0}, std::nan(""));
    return made;
}

/// The fault the harness finds in a method with the defect.
std::string faultOf(Defect defect) {
    const Scenario made = scenario();
    const base::AnyView scene = base::viewOf(made.scene);
    const base::AnyView templ = base::viewOf(made.templ);
    const DefectiveMethod method(defect);
    const test::Way way{&method, {"direct", "cpu", {0, 0, 0}, 1}};
    const test::MethodRun run = test::runMethod(way, scene, templ);
    if (std::string fault = test::runFault(run); !fault.empty()) {
        return fault;
    }
    return test::mapFault(run, reference::Lcc(templ).map(scene),
                          test::Tolerance(test::problemOf(scene, templ), way.candidate, scene));
}

} // namespace

/// A harness that finds nothing wrong must have been able to.
class HarnessSelfTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aMethodWithoutDefectPasses() {
        QCOMPARE(faultOf(Defect::None), std::string());
        QCOMPARE(faultOf(Defect::MarksSomeLowConf), std::string());
    }

    void everyDefectIsFound_data() {
        QTest::addColumn<int>("defect");
        for (auto defect = static_cast<int>(Defect::OneScoreOff);
             defect < static_cast<int>(Defect::WritesAfterTheStop); ++defect) {
            QTest::newRow(std::to_string(defect).c_str()) << defect;
        }
    }

    void everyDefectIsFound() {
        QFETCH(int, defect);
        QVERIFY(!faultOf(static_cast<Defect>(defect)).empty());
    }

    void whatIsWrittenAfterAStopIsFound() {
        const Scenario made = scenario();
        for (const Defect defect : {Defect::None, Defect::WritesAfterTheStop}) {
            const DefectiveMethod method(defect);
            std::stop_source source;
            test::RunOptions options;
            options.stop = source.get_token();
            options.finished = [&](std::int64_t) { source.request_stop(); };
            const test::MethodRun run =
                test::runMethod({&method, {"direct", "cpu", {0, 0, 0}, 1}},
                                base::viewOf(made.scene), base::viewOf(made.templ), options);
            QVERIFY(run.outcome.cancelled);
            QCOMPARE(test::runFault(run).empty(), defect == Defect::None);
        }
    }

    void aDifferentBitIsFound() {
        method::MatchMap a(Extents{3, 2, 1});
        method::MatchMap b(Extents{3, 2, 1});
        QVERIFY(test::firstDifferentBit(a, b).empty());
        b.value.view().at(2, 1, 0) = std::numeric_limits<float>::denorm_min();
        QVERIFY(!test::firstDifferentBit(a, b).empty());
        QVERIFY(test::firstDifferentBit(a, b, {{0, 0, 0}, {2, 2, 1}}).empty());
        b.value.view().at(2, 1, 0) = 0;
        b.status.view().at(1, 0, 0) = Status::Flat;
        QVERIFY(!test::firstDifferentBit(a, b).empty());
    }

    void tolerancesAreThoseOfTheFormulas() {
        constexpr double u = 0x1p-24;
        QCOMPARE(test::Tolerance::direct({8, 4, 1}, 3), u * ((2 + 6.0) * 3 + 6.0 + 4));
        QCOMPARE(test::Tolerance::direct({8, 4, 2}, 1), u * ((2 + 7.0) + 7.0 + 4));
        QCOMPARE(test::Tolerance::fourier(65536, 0.5, 2), u * (8 * 4 * 0.5 + 64 + 2 + 4));
        QCOMPARE(test::Tolerance::fourierGuarantee(65536, 10), u * (2 * 4 * 10 + 4));
    }
};

const flcc::test::TestClass<HarnessSelfTest> kHarnessSelfTest;
#include "harness_test.moc"
