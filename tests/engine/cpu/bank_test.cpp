#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/method/bank.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cpu/masks.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Status;
using method::MaskedView;

namespace {

using test::Mask;

/// A scene and the templates searched for in it; masks without voxels are none.
struct Bank {
    base::AnyImage scene;
    Mask sceneMask;
    std::vector<base::AnyImage> templs;
    std::vector<Mask> masks;

    [[nodiscard]] MaskedView view() const {
        return {base::viewOf(scene),
                sceneMask.empty() ? base::View<const std::uint8_t>{} : sceneMask.view()};
    }
    [[nodiscard]] MaskedView templ(std::size_t i) const {
        return {base::viewOf(templs[i]), masks.empty() || masks[i].empty()
                                             ? base::View<const std::uint8_t>{}
                                             : masks[i].view()};
    }
    /// True when some template has a mask that counts.
    [[nodiscard]] bool masked() const {
        bool masked = false;
        for (std::size_t i = 0; i < templs.size(); ++i) {
            masked = masked || method::isMasked(templ(i));
        }
        return masked;
    }
};

struct BankRun {
    test::MethodRun run;
    base::Image<std::int32_t> index;
};

method::Problem problemOf(const test::Way& way, const Bank& bank) {
    method::Problem problem = way.of(test::problemOf(bank.view(), bank.templ(0), way.asked));
    problem.mask = bank.masked();
    problem.templates = static_cast<int>(bank.templs.size());
    return problem;
}

struct Prepared {
    method::Problem problem;
    method::Candidate candidate;
    std::vector<std::shared_ptr<const method::Prepared>> templs;
    std::unique_ptr<method::Workspace> workspace;
};

Prepared prepare(const test::Way& way, const Bank& bank, int threads) {
    Prepared made{problemOf(way, bank), way.candidate, {}, nullptr};
    made.candidate.threads = threads;
    way.method->warmUp(made.problem, made.candidate);
    base::TilePool pool(threads);
    for (std::size_t i = 0; i < bank.templs.size(); ++i) {
        made.templs.push_back(
            way.method->prepare(made.problem, made.candidate, bank.templ(i), pool));
    }
    made.workspace = way.method->makeWorkspace(made.problem, made.candidate);
    return made;
}

/// Runs all templates of `bank` at once into a map that holds what no run left there.
BankRun runBank(const test::Way& way, const Bank& bank, const test::RunOptions& options) {
    const Prepared made = prepare(way, bank, options.threads);
    const method::Problem& problem = made.problem;
    const Extents map = method::mapExtents(problem);
    BankRun done{{method::MatchMap(map, way.precision == method::Precision::Double),
                  {},
                  {},
                  problem.sceneMask || problem.extent != method::Extent::Valid},
                 base::Image<std::int32_t>(map, 77)};
    base::TilePool pool(options.threads);
    const method::Execution execution{
        pool, options.stop, [&](const base::Box& box) {
            done.run.regions.push_back(box);
            if (options.finished) {
                options.finished(static_cast<std::int64_t>(done.run.regions.size()));
            }
        }};
    if (options.stop.stop_possible()) {
        done.index.fill(-1); // as a caller hands it over; finished voxels are all overwritten
    }
    done.run.outcome =
        way.method->executeBank(problem, made.candidate, made.templs, bank.view(), *made.workspace,
                                execution, {method::viewOf(done.run.map), done.index.view()});
    return done;
}

/// The maps of the single templates.
std::vector<test::MethodRun> runEach(const test::Way& way, const Bank& bank) {
    std::vector<test::MethodRun> runs;
    for (std::size_t i = 0; i < bank.templs.size(); ++i) {
        const Prepared made = prepare(way, bank, 1);
        base::TilePool pool(1);
        test::MethodRun run{method::MatchMap(method::mapExtents(made.problem),
                                             way.precision == method::Precision::Double),
                            {},
                            {},
                            false};
        run.outcome =
            way.method->execute(made.problem, made.candidate, *made.templs[i], bank.view(),
                                *made.workspace, {pool, {}, {}}, method::viewOf(run.map));
        runs.push_back(std::move(run));
    }
    return runs;
}

/// The first voxel of `bank` inside `box` that is not the best of `runs`; empty when there is none.
std::string voxelFault(const BankRun& bank, const std::vector<test::MethodRun>& runs,
                       const base::Box& box) {
    const Extents& map = bank.index.extents();
    const bool inDouble = !bank.run.map.exact.empty();
    for (std::int64_t n = 0; n < base::voxelCount(box.extents); ++n) {
        const base::Index at{box.corner.x + n % box.extents.x,
                             box.corner.y + n / box.extents.x % box.extents.y,
                             box.corner.z + n / (box.extents.x * box.extents.y)};
        const auto i = at.x + map.x * (at.y + map.y * at.z);
        const auto score = [&](const method::MatchMap& of) {
            return inDouble ? of.exact.data()[i] : static_cast<double>(of.value.data()[i]);
        };
        int best = -1;
        Status status = runs.front().map.status.data()[i];
        bool doubtful = false;
        for (std::size_t t = 0; t < runs.size(); ++t) {
            const Status here = runs[t].map.status.data()[i];
            doubtful = doubtful || here == Status::LowConf;
            if (base::hasValue(here) &&
                (best < 0 ||
                 score(runs[t].map) > score(runs[static_cast<std::size_t>(best)].map))) {
                best = static_cast<int>(t);
                status = here;
            }
        }
        status = doubtful ? Status::LowConf : status;
        const double expected = best < 0 ? 0 : score(runs[static_cast<std::size_t>(best)].map);
        if (bank.index.data()[i] != best || bank.run.map.status.data()[i] != status ||
            score(bank.run.map) != expected ||
            bank.run.map.value.data()[i] != static_cast<float>(expected)) {
            return "voxel " + base::toString(at) + " is " + std::to_string(score(bank.run.map)) +
                   " " + std::string(base::name(bank.run.map.status.data()[i])) + " of template " +
                   std::to_string(bank.index.data()[i]) + ", not " + std::to_string(expected) +
                   " " + std::string(base::name(status)) + " of " + std::to_string(best);
        }
    }
    return {};
}

/// What the facts of a bank say against those of its templates.
std::string factsFault(const BankRun& bank, const std::vector<test::MethodRun>& runs) {
    const method::MapFacts& facts = bank.run.outcome.facts;
    method::MapFacts expected;
    for (const test::MethodRun& run : runs) {
        method::MapFacts one = run.outcome.facts;
        one.scores = {};
        for (std::int64_t i = 0; i < run.map.value.count(); ++i) {
            if (base::hasValue(run.map.status.data()[i])) {
                const double score = run.map.exact.empty()
                                         ? static_cast<double>(run.map.value.data()[i])
                                         : run.map.exact.data()[i];
                ++one.scores.count;
                one.scores.sum += score;
                one.scores.squares += score * score;
            }
        }
        method::addTemplate(one, expected);
    }
    // Each part of a map is rounded to 2^-20 once a template.
    const double most = 0x1p-20 * static_cast<double>(bank.run.regions.size() * runs.size());
    if (facts.recomputed != expected.recomputed || facts.overRange != expected.overRange) {
        return "recomputed or out of range: not the sums over the templates";
    }
    if (facts.largestBound != expected.largestBound ||
        facts.largestLowConf != expected.largestLowConf ||
        facts.largestRounding != expected.largestRounding) {
        return "bounds: not the largest of the templates";
    }
    if (facts.scores.count != expected.scores.count ||
        std::abs(facts.scores.sum - expected.scores.sum) > most ||
        std::abs(facts.scores.squares - expected.scores.squares) > most) {
        return "sums over " + std::to_string(facts.scores.count) + " scores, not " +
               std::to_string(expected.scores.count) + ", or not theirs";
    }
    return {};
}

std::string firstOf(std::initializer_list<std::string> faults) {
    for (const std::string& fault : faults) {
        if (!fault.empty()) {
            return fault;
        }
    }
    return {};
}

std::vector<test::Way> waysOf(const Bank& bank, const test::Asked& asked) {
    // A mask on any template makes the problem one with masks.
    std::size_t masked = 0;
    while (masked + 1 < bank.templs.size() && !method::isMasked(bank.templ(masked))) {
        ++masked;
    }
    const MaskedView templ = bank.templ(bank.masked() ? masked : 0);
    const bool flat = base::isFlat2D(base::extentsOf(bank.scene));
    std::vector<test::Way> ways = test::waysFor(bank.view(), templ, {0, 0, 0}, asked);
    // One candidate a method is enough beside the small tiles.
    std::vector<test::Way> some;
    for (const test::Way& way : ways) {
        const bool known = std::any_of(some.begin(), some.end(), [&](const test::Way& one) {
            return one.method == way.method && one.precision == way.precision &&
                   one.recompute == way.recompute;
        });
        if (!known) {
            some.push_back(way);
        }
    }
    for (const test::Way& way : test::waysFor(
             bank.view(), templ, flat ? Extents{32, 24, 1} : Extents{16, 16, 12}, asked)) {
        some.push_back(way);
    }
    return some;
}

std::vector<base::AnyImage> templatesIn(const base::AnyImage& scene, const Extents& m, int count,
                                        std::uint64_t seed) {
    test::Random random(seed);
    std::vector<base::AnyImage> templs;
    for (int i = 0; i < count; ++i) {
        templs.push_back(i % 2 == 0
                             ? test::noise(base::pixelType(base::viewOf(scene)), m,
                                           seed + static_cast<std::uint64_t>(i))
                             : test::crop(scene, {random.corner(base::extentsOf(scene), m), m}));
    }
    return templs;
}

Bank plainBank(PixelType type, const Extents& n, const Extents& m, int count) {
    Bank bank{test::texture(type, n, 5), {}, {}, {}};
    bank.templs = templatesIn(bank.scene, m, count, 9);
    return bank;
}

/// NaN, an infinity, a flat patch, and a patch so weak under a hot voxel that its scores need
/// double precision.
Bank roughBank() {
    Bank bank{test::noise(PixelType::Float32, {90, 70, 1}, 6), {}, {}, {}};
    bank.templs = templatesIn(bank.scene, {7, 6, 1}, 3, 12);
    for (std::int64_t y = 40; y < 60; ++y) {
        for (std::int64_t x = 20; x < 45; ++x) {
            test::setVoxel(bank.scene, {x, y, 0}, 3);
            test::setVoxel(bank.scene, {x + 25, y, 0}, 3 + 1e-3 * static_cast<double>(x * y % 7));
        }
    }
    test::setVoxel(bank.scene, {55, 30, 0}, 3e5);
    test::setVoxel(bank.scene, {10, 10, 0}, std::numeric_limits<double>::quiet_NaN());
    test::setVoxel(bank.scene, {80, 65, 0}, std::numeric_limits<double>::infinity());
    return bank;
}

/// Whole numbers with a corner a thousand times darker, whose scores are made again: of two
/// templates in integers, of the one between them in double.
Bank darkBank() {
    constexpr Extents kTempl{17, 15, 1};
    test::Random random(3);
    Bank bank{test::makeScene(PixelType::Float32, {150, 130, 1},
                              [&](const base::Index& at) {
                                  const double noise = 2 * random.uniform() - 1;
                                  const bool dark = at.x < 100 && at.y < 87;
                                  return std::round(dark ? 4 * noise + 1500 : 4000 * noise);
                              }),
              {},
              {},
              {}};
    const auto templ = [&](unsigned seed, double step) {
        const base::AnyImage noise = test::noise(PixelType::Float32, kTempl, seed);
        return test::mapped(noise, PixelType::Float32, [&](double value) {
            return step > 0 ? std::round(value / step) : value;
        });
    };
    bank.templs.push_back(templ(5, 0.05));
    bank.templs.push_back(templ(6, 0));
    bank.templs.push_back(templ(7, 0.05));
    return bank;
}

Bank maskedBank(bool scene, bool templ) {
    Bank bank = plainBank(PixelType::Float32, {75, 58, 1}, {9, 8, 1}, 3);
    if (scene) {
        bank.sceneMask = test::someOf({75, 58, 1}, 0.75, 21);
        for (std::int64_t i = 0; i < 40 * 75; ++i) { // more than a tile without a hole
            bank.sceneMask.data()[i] = 1;
        }
    }
    if (templ) { // the second one is all ones: not masked
        bank.masks.push_back(test::someOf({9, 8, 1}, 0.75, 22));
        bank.masks.emplace_back(Extents{9, 8, 1}, std::uint8_t{1});
        bank.masks.push_back(test::someOf({9, 8, 1}, 0.75, 23));
    }
    return bank;
}

struct Case {
    const char* name;
    Bank (*bank)();
    test::Asked asked;
};

const std::vector<Case>& cases() {
    using method::Extent;
    using method::Outside;
    static const std::vector<Case> all{
        {"float",
         [] {
             return plainBank(PixelType::Float32, {101, 67, 1}, {9, 8, 1}, 4);
         },
         {}},
        {"bytes",
         [] {
             return plainBank(PixelType::UInt8, {101, 67, 1}, {9, 8, 1}, 4);
         },
         {}},
        {"one template",
         [] {
             return plainBank(PixelType::UInt16, {101, 67, 1}, {9, 8, 1}, 1);
         },
         {}},
        {"volume",
         [] {
             return plainBank(PixelType::Float32, {33, 30, 27}, {5, 4, 6}, 3);
         },
         {}},
        {"NaN, flat and weak panels", roughBank, {}},
        {"integers beside darkness", darkBank, {}},
        {"same",
         [] {
             return plainBank(PixelType::Float32, {70, 57, 1}, {9, 8, 1}, 3);
         },
         {Extent::Same, Outside::Zero}},
        {"full of a volume",
         [] {
             return plainBank(PixelType::UInt8, {24, 21, 17}, {5, 4, 4}, 3);
         },
         {Extent::Full, Outside::Eibl}},
        {"overlap",
         [] {
             return plainBank(PixelType::UInt8, {70, 57, 1}, {9, 8, 1}, 3);
         },
         {Extent::Same, Outside::Overlap, 0.4}},
        {"masked templates", [] { return maskedBank(false, true); }, {}},
        {"masked templates over the border",
         [] { return maskedBank(false, true); },
         {Extent::Same, Outside::Zero}},
        {"masked scene", [] { return maskedBank(true, false); }, {}},
        {"statistics fourier",
         [] { return maskedBank(false, false); },
         {Extent::Valid, Outside::Zero, 0.5, method::WindowStatistics::Fourier}},
    };
    return all;
}

} // namespace

class BankTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBankIsTheBestOfItsTemplates_data() { addCases(); }

    void aBankIsTheBestOfItsTemplates() {
        QFETCH(int, number);
        const Case& one = cases()[static_cast<std::size_t>(number)];
        const Bank bank = one.bank();
        const std::vector<test::Way> ways = waysOf(bank, one.asked);
        QVERIFY(!ways.empty());
        for (const test::Way& way : ways) {
            const std::vector<test::MethodRun> runs = runEach(way, bank);
            for (const int threads : {1, 2, 3}) {
                test::RunOptions options;
                options.threads = threads;
                const BankRun all = runBank(way, bank, options);
                const std::string fault =
                    firstOf({test::runFault(all.run),
                             voxelFault(all, runs, {{0, 0, 0}, all.index.extents()}),
                             factsFault(all, runs)});
                QVERIFY2(fault.empty(), (way.words() + ": " + fault).c_str());
            }
        }
    }

    // A row of sums longer than a strip, weak in its first one: what is kept of it is of all
    // strips.
    void aWideTileIsWeakWhereOneOfItsStripsIs() {
        constexpr Extents kScene{1400, 30, 1};
        test::Random random(4);
        Bank bank{
            test::makeScene(PixelType::Float32, kScene,
                            [&](const base::Index& at) {
                                const double noise = 2 * random.uniform() - 1;
                                const bool flat = at.x < 900 && at.y < 9;
                                const bool weak = at.x < 900 && at.y / 9 == 2;
                                return 3000 + std::round(flat ? 0 : weak ? noise : 4000 * noise);
                            }),
            {},
            {},
            {}};
        bank.templs = templatesIn(bank.scene, {9, 8, 1}, 3, 12);
        std::int64_t weak = 0;
        for (const test::Way& way : test::waysFor(bank.view(), bank.templ(0), kScene, {})) {
            const std::vector<test::MethodRun> runs = runEach(way, bank);
            test::RunOptions options;
            options.threads = 1;
            const BankRun all = runBank(way, bank, options);
            const std::string fault = voxelFault(all, runs, {{0, 0, 0}, all.index.extents()});
            QVERIFY2(fault.empty(), (way.words() + ": " + fault).c_str());
            weak += all.run.outcome.facts.statusCounts[static_cast<std::size_t>(Status::LowConf)];
        }
        QVERIFY(weak > 0);
    }

    void aStoppedBankKeepsWhatAllTemplatesFinished_data() { addCases(); }

    void aStoppedBankKeepsWhatAllTemplatesFinished() {
        QFETCH(int, number);
        const Case& one = cases()[static_cast<std::size_t>(number)];
        const Bank bank = one.bank();
        int stoppedHalfWay = 0;
        bool onProcessor = false; // a device may do such a small map at once
        for (const test::Way& way : waysOf(bank, one.asked)) {
            onProcessor = onProcessor || way.candidate.device == "cpu";
            const std::vector<test::MethodRun> runs = runEach(way, bank);
            for (const int threads : {1, 2}) {
                std::stop_source source;
                test::RunOptions options;
                options.threads = threads;
                options.stop = source.get_token();
                options.finished = [&](std::int64_t) { source.request_stop(); };
                const BankRun all = runBank(way, bank, options);
                std::string fault = test::runFault(all.run);
                for (const base::Box& region : all.run.regions) {
                    fault = firstOf({fault, voxelFault(all, runs, region)});
                }
                for (std::int64_t i = 0; i < all.index.count(); ++i) {
                    if (!base::hasValue(all.run.map.status.data()[i]) &&
                        all.index.data()[i] != -1) {
                        fault = firstOf({fault, "a voxel without a score has an index"});
                    }
                }
                QVERIFY2(fault.empty(), (way.words() + ": " + fault).c_str());
                stoppedHalfWay += all.run.outcome.cancelled ? 1 : 0;
            }
        }
        QVERIFY(stoppedHalfWay > 0 || !onProcessor);
    }

    void theRoughBankHasVoxelsOfEveryKind() {
        const Bank bank = roughBank();
        std::int64_t recomputed = 0;
        std::array<std::int64_t, base::kStatusCount> counts{};
        for (const test::Way& way : waysOf(bank, {})) {
            test::RunOptions options;
            options.threads = 1;
            const method::MapFacts facts = runBank(way, bank, options).run.outcome.facts;
            recomputed += facts.recomputed;
            for (std::size_t i = 0; i < counts.size(); ++i) {
                counts[i] += facts.statusCounts[i];
            }
        }
        QVERIFY(recomputed > 0);
        for (const Status status : {Status::Ok, Status::Flat, Status::NonFinite, Status::LowConf}) {
            QVERIFY2(counts[static_cast<std::size_t>(status)] > 0,
                     std::string(base::name(status)).c_str());
        }
    }

    void everyInstructionSetGivesTheBestOfItsTemplates() {
        const Bank bank = cases().front().bank();
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            for (const test::Way& way : waysOf(bank, {})) {
                test::RunOptions options;
                options.threads = 2;
                const BankRun all = runBank(way, bank, options);
                const std::vector<test::MethodRun> runs = runEach(way, bank);
                const std::string fault =
                    firstOf({voxelFault(all, runs, {{0, 0, 0}, all.index.extents()}),
                             factsFault(all, runs)});
                QVERIFY2(fault.empty(), (set + " " + way.words() + ": " + fault).c_str());
            }
        }
    }

    void cleanup() { cpu::simd::forceInstructionSet({}); }

    void aStopThatCameFirstLeavesNothing() {
        const Bank bank = cases().front().bank();
        std::stop_source source;
        source.request_stop();
        for (const test::Way& way : waysOf(bank, {})) {
            test::RunOptions options;
            options.threads = 2;
            options.stop = source.get_token();
            const BankRun all = runBank(way, bank, options);
            QVERIFY(all.run.outcome.cancelled);
            QVERIFY(all.run.regions.empty());
            const std::string fault = test::runFault(all.run);
            QVERIFY2(fault.empty(), (way.words() + ": " + fault).c_str());
        }
    }

    void anotherNumberOfTemplatesIsAnError() {
        const Bank bank = cases().front().bank();
        for (const test::Way& way : waysOf(bank, {})) {
            Prepared made = prepare(way, bank, 1);
            made.templs.pop_back();
            method::MatchMap map(method::mapExtents(made.problem),
                                 way.precision == method::Precision::Double);
            base::Image<std::int32_t> index(map.value.extents());
            base::TilePool pool(1);
            const auto run = [&] {
                (void)way.method->executeBank(made.problem, made.candidate, made.templs,
                                              bank.view(), *made.workspace, {pool, {}, {}},
                                              {method::viewOf(map), index.view()});
            };
            QVERIFY_THROWS_EXCEPTION(base::Error, run());
        }
    }

  private:
    static void addCases() {
        QTest::addColumn<int>("number");
        for (std::size_t i = 0; i < cases().size(); i += test::kSanitized ? 3 : 1) {
            QTest::newRow(cases()[i].name) << static_cast<int>(i);
        }
    }
};

const flcc::test::TestClass<BankTest> kBankTest;
#include "bank_test.moc"
