#include <QtTest>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/cuda/bank_again.h"
#include "tests/engine/cuda/uneven_bank.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Box;
using base::Extents;
using base::Status;
using test::Bank;
using test::kDirect;
using test::kTiled;
using test::makerOf;
using test::Merged;
using test::smallDevice;
using test::tileOf;
using test::uneven;

namespace {

/// Under a second bright line, so that parts in several rows are set aside.
Bank twiceUneven() {
    Bank bank = uneven();
    for (std::int64_t x = 0; x < base::extentsOf(bank.scene).x; ++x) {
        test::setVoxel(bank.scene, {x, 66, 0}, 4e5);
    }
    return bank;
}

/// Such a bank on one device, of which parts that were set aside are done a few at a time.
struct Posed {
    explicit Posed(int kind)
        : bank(twiceUneven()), method(makerOf(kind)(engine, 0, {})), problem(bank.problem()),
          candidate(method->candidates(problem, {2}, tileOf(kind)).front()), scene(bank.view()) {
        for (const method::MaskedView& templ : bank.views()) {
            prepared.push_back(method->prepare(problem, candidate, templ, pool));
        }
        workspace = method->makeWorkspace(problem, candidate);
        part = method->partOf(problem, candidate);
    }

    Bank bank;
    cuda::Engine engine{&test::doubleTable()};
    std::unique_ptr<cuda::DeviceMethod> method;
    method::Problem problem;
    method::Candidate candidate;
    method::MaskedView scene;
    method::PreparedTemplates prepared;
    std::unique_ptr<method::Workspace> workspace;
    base::TilePool pool{2};
    Extents part;
};

/// A run of that with so many voxels at a time at least.
struct InBatches {
    /// `sharing` is told before a template is done in the parts of a batch, how many were.
    InBatches(Posed& posed, std::int64_t least, bool reduced = false,
              const std::function<void(std::size_t)>& sharing = {},
              const std::stop_token& stop = {})
        : map(method::mapExtents(posed.problem)), index(method::mapExtents(posed.problem), -1) {
        const method::Execution execution{posed.pool, stop, [this](const Box& box) {
                                              regions.push_back(box);
                                              batchOf.push_back(shares / kTemplates);
                                          }};
        method::Problem problem = posed.problem;
        problem.map = !reduced;
        const auto run = [&](const cuda::RunInput& input) {
            cuda::PartQueue parts(map.value.extents(), posed.part, execution, problem.templates);
            const cuda::OpenPartsCleared cleared{input, parts};
            method::Outcome done = posed.method->run(input, *posed.workspace, parts);
            aside = parts.aside().size();
            cuda::doSetAside(
                input, parts, [&] { cuda::DeviceMethod::dropBuffers(*posed.workspace); },
                [&](const cuda::RunInput& one, cuda::PartQueue& own) {
                    if (shares == aside * kTemplates) {
                        endless = true;
                        return method::Outcome{}; // as when stopped
                    }
                    if (sharing) {
                        sharing(shares);
                    }
                    ++shares;
                    return posed.method->run(one, *posed.workspace, own);
                },
                done, least);
            cuda::settle(done, problem, parts);
            return done;
        };
        const cuda::RunInput input{problem,        posed.candidate,
                                   posed.prepared, posed.scene,
                                   execution,      {method::viewOf(map), index.view()}};
        outcome = reduced ? cuda::reduceTo(problem, posed.part, {0.5, false, asked()},
                                           [&](const cuda::ReducedRun& to) {
                                               return run({problem,
                                                           posed.candidate,
                                                           posed.prepared,
                                                           posed.scene,
                                                           execution,
                                                           {},
                                                           &to});
                                           })
                          : run(input);
    }

    [[nodiscard]] std::vector<base::Index> asked() const {
        return test::someVoxels(map.value.extents());
    }
    /// The parts of each batch that was done.
    [[nodiscard]] std::vector<std::vector<Box>> batches() const {
        std::vector<std::vector<Box>> all(shares / kTemplates);
        for (std::size_t i = 0; i < regions.size(); ++i) {
            if (batchOf[i] > 0) {
                all.at(batchOf[i] - 1).push_back(regions[i]);
            }
        }
        return all;
    }

    static constexpr std::size_t kTemplates = 3;
    method::MatchMap map;
    base::Image<std::int32_t> index;
    std::vector<Box> regions;
    std::vector<std::size_t> batchOf; ///< of each, from 1; 0 for those that were not set aside
    std::size_t aside = 0;            ///< parts
    std::size_t shares = 0;
    bool endless = false; ///< parts were done once more
    method::Outcome outcome;
};

std::int64_t voxelsOf(const std::vector<Box>& boxes) {
    std::int64_t voxels = 0;
    for (const Box& box : boxes) {
        voxels += base::voxelCount(box.extents);
    }
    return voxels;
}

} // namespace

/// Parts of a bank that are done one template after the other, some at a time, on a device that is
/// stood in for.
class BankBatchesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void anEighthOfALargeMapIsHeldAtOnce() {
        method::Problem problem = uneven().problem();
        problem.scene = {(1 << 13) + problem.templ.x - 1, (1 << 13) + problem.templ.y - 1, 1};
        const Extents part{64, 32, 1};
        QCOMPARE(cuda::setAsideBytes(problem, part), std::int64_t{5} << 23);
        QCOMPARE(cuda::setAsideBytes(problem, {1 << 12, 1 << 12, 1}), std::int64_t{5} << 24);
        problem.scene.y = (1 << 11) + problem.templ.y - 1;
        QCOMPARE(cuda::setAsideBytes(problem, part), std::int64_t{5} << 22);
        problem.scene.y = (1 << 7) + problem.templ.y - 1; // all of it
        QCOMPARE(cuda::setAsideBytes(problem, part), std::int64_t{5} << 20);
        QCOMPARE(cuda::setAsideBytes(problem, part, 1), std::int64_t{5} << 17);
        problem.templates = 1;
        QCOMPARE(cuda::setAsideBytes(problem, part), std::int64_t{0});
    }

    void everyBatchHasTheScoresOfItsTemplates_data() { everyKind(); }

    void everyBatchHasTheScoresOfItsTemplates() {
        QFETCH(int, kind);
        QFETCH(int, partsAtOnce);
        smallDevice(kind);
        const Merged expected(test::OnDouble(makerOf(kind)), twiceUneven(), tileOf(kind));
        Posed posed(kind);
        const std::int64_t least = partsAtOnce * base::voxelCount(posed.part);
        for (int turn = 0; turn < 2; ++turn) { // a workspace serves further scenes
            const InBatches found(posed, least);
            QVERIFY(!found.outcome.cancelled && !found.endless);
            QCOMPARE(otherThan(expected, found), std::string());
            QCOMPARE(found.outcome.times->uploads, 1);
            QVERIFY(found.batches().size() >= 2);
            QVERIFY(found.shares < found.aside * InBatches::kTemplates || partsAtOnce == 1);
        }
        const InBatches whole(posed, least);
        const InBatches reduced(posed, least, true);
        QVERIFY(!reduced.outcome.cancelled);
        QCOMPARE(reduced.shares, whole.shares);
        QVERIFY(test::same(reduced.outcome.facts, whole.outcome.facts));
        for (const base::Index& at : reduced.asked()) {
            const auto voxel = reduced.outcome.reduced->asked(at);
            QVERIFY(voxel.known);
            QCOMPARE(voxel.status, whole.map.status.view().at(at));
            QCOMPARE(voxel.templ, whole.index.view().at(at));
            QCOMPARE(voxel.value, static_cast<double>(whole.map.value.view().at(at)));
        }
    }

    void batchesFillWhatIsPredicted_data() { everyKind(); }

    void batchesFillWhatIsPredicted() {
        QFETCH(int, kind);
        QFETCH(int, partsAtOnce);
        smallDevice(kind);
        Posed posed(kind);
        const std::int64_t least = partsAtOnce * base::voxelCount(posed.part);
        const InBatches found(posed, least);
        const std::int64_t predicted = cuda::setAsideBytes(posed.problem, posed.part, least);
        const auto bytesOf = [](const std::vector<Box>& boxes) { // a float and a status
            return voxelsOf(boxes) * static_cast<std::int64_t>(sizeof(float) + sizeof(Status));
        };
        const std::vector<std::vector<Box>> batches = found.batches();
        std::size_t parts = 0;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            parts += batches[i].size();
            QVERIFY(!batches[i].empty() && bytesOf(batches[i]) <= predicted);
            if (i + 1 < batches.size()) { // no room for one more
                QVERIFY(bytesOf(batches[i]) + bytesOf({batches[i + 1].front()}) > predicted);
            }
        }
        QVERIFY(!found.endless);
        QCOMPARE(parts, found.aside);
    }

    void aStopLeavesWholeBatches_data() { everyKind(); }

    // Before each template of each batch.
    void aStopLeavesWholeBatches() {
        QFETCH(int, kind);
        QFETCH(int, partsAtOnce);
        smallDevice(kind);
        Posed posed(kind);
        const std::int64_t least = partsAtOnce * base::voxelCount(posed.part);
        const InBatches full(posed, least);
        QVERIFY(!full.endless);
        const auto stopped = [&](std::size_t at, bool reduced) {
            std::stop_source stop;
            const auto stopAt = [&](std::size_t shares) {
                if (shares == at) {
                    stop.request_stop();
                }
            };
            return InBatches(posed, least, reduced, stopAt, stop.get_token());
        };
        method::MapFacts before; // of what is in the map
        for (std::size_t at = 0; at < full.shares; ++at) {
            const InBatches found = stopped(at, false);
            QVERIFY(found.outcome.cancelled);
            const method::MapFacts& facts = found.outcome.facts;
            const bool first = at % InBatches::kTemplates == 0;
            QVERIFY(first ? at == 0 || facts.recomputed > before.recomputed
                          : test::same(facts, before));
            before = facts;
            QCOMPARE(found.shares, at + 1);
            const auto isLeft = [&](std::size_t region) {
                return full.batchOf[region] <= at / InBatches::kTemplates;
            };
            for (std::size_t i = 0; i < full.regions.size(); ++i) {
                const Box& box = full.regions[i];
                const auto told =
                    std::count_if(found.regions.begin(), found.regions.end(),
                                  [&](const Box& one) { return one.corner == box.corner; });
                QCOMPARE(told, isLeft(i) ? 1 : 0);
                for (std::int64_t v = 0; v < base::voxelCount(box.extents); ++v) {
                    const base::Index voxel{box.corner.x + v % box.extents.x,
                                            box.corner.y + v / box.extents.x, 0};
                    QCOMPARE(found.map.value.view().at(voxel),
                             isLeft(i) ? full.map.value.view().at(voxel) : 0.0F);
                    QCOMPARE(found.map.status.view().at(voxel),
                             isLeft(i) ? full.map.status.view().at(voxel) : Status::NotComputed);
                    QCOMPARE(found.index.view().at(voxel),
                             isLeft(i) ? full.index.view().at(voxel) : -1);
                }
            }
            const InBatches reduced = stopped(at, true);
            QVERIFY(reduced.outcome.cancelled && reduced.outcome.reduced == nullptr);
            QVERIFY(test::same(reduced.outcome.facts, facts));
            QCOMPARE(reduced.regions.size(), found.regions.size());
        }
    }

  private:
    static void everyKind() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("partsAtOnce");
        for (const int kind : {kDirect, kTiled}) {
            for (const int parts : {1, 2, 3}) {
                QTest::addRow("%d, %d at once", kind, parts) << kind << parts;
            }
        }
    }
};

const flcc::test::TestClass<BankBatchesTest> kTests;
#include "bank_batches_test.moc"
