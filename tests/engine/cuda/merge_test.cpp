#include <QtTest>

#include <array>
#include <cmath>
#include <vector>

#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/merger.h"
#include "engine/method/bank.h"
#include "engine/method/shared/direct_block.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/comparison.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Status;

namespace {

/// Maps of templates: few different scores, so that many are equal, of every status. One voxel in
/// `lowConf` is LOWCONF.
std::vector<method::MatchMap> mapsOf(const Extents& extents, int count, bool inDouble,
                                     std::int64_t lowConf, std::uint64_t seed) {
    test::Random random(seed);
    std::vector<method::MatchMap> maps;
    for (int i = 0; i < count; ++i) {
        method::MatchMap& map = maps.emplace_back(extents, inDouble);
        for (std::int64_t v = 0; v < map.value.count(); ++v) {
            const std::int64_t kind = random.below(12);
            const Status status = random.below(lowConf) == 0 ? Status::LowConf
                                  : kind == 0                ? Status::Flat
                                  : kind == 1                ? Status::NonFinite
                                  : kind == 2                ? Status::NotComputed
                                  : kind < 5                 ? Status::Partial
                                                             : Status::Ok;
            const double score = static_cast<double>(random.below(9) - 4) / 5;
            map.status.data()[v] = status;
            if (base::hasValue(status)) {
                // Doubles that a float cannot tell apart.
                const double exact = score + 1e-12 * static_cast<double>(random.below(3));
                map.value.data()[v] = static_cast<float>(inDouble ? exact : score);
                if (inDouble) {
                    map.exact.data()[v] = exact;
                }
            }
        }
    }
    return maps;
}

/// A bank's map: the best of some.
struct BestMap {
    BestMap(const Extents& extents, bool inDouble) : map(extents, inDouble), index(extents, -1) {}
    [[nodiscard]] method::BankView view() { return {method::viewOf(map), index.view()}; }
    method::MatchMap map;
    base::Image<std::int32_t> index;
};

/// Scores that do not count are taken from `maps`.
BestMap bestOf(std::vector<method::MatchMap>& maps, const method::Counted& counted = {}) {
    BestMap best(maps.front().value.extents(), !maps.front().exact.empty());
    method::BankView view = best.view();
    view.counted = counted;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        (void)method::leaveOut(method::viewOf(maps[i]), static_cast<std::int32_t>(i), counted);
        method::mergeBest(method::viewOf(maps[i]), static_cast<std::int32_t>(i), view);
    }
    return best;
}

/// Of each template another part of the placements.
std::vector<base::Box> placementsOf(const Extents& extents, int count) {
    std::vector<base::Box> boxes;
    for (std::int64_t i = 0; i < count; ++i) {
        boxes.push_back({{5 * i, i % 2, 0},
                         {extents.x - 7 * i - 1, extents.y - 2 * i, extents.z - (i == 1 ? 1 : 0)}});
    }
    return boxes;
}

} // namespace

/// Scores of templates taken together on a device, which is stood in for, as method::mergeBest()
/// takes them.
class MergeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { test::deviceDouble().reset(); }

    void theBestScoresAreThoseOfTheHost_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("inDouble");
        QTest::addColumn<int>("lowConf");
        for (const int count : {2, 3, 5}) {
            for (const bool inDouble : {false, true}) {
                for (const int lowConf : {1 << 30, 60, 30}) {
                    QTest::addRow("%d templates%s, one of %d LOWCONF", count,
                                  inDouble ? " in double" : "", lowConf)
                        << count << inDouble << lowConf;
                }
            }
        }
    }

    void theBestScoresAreThoseOfTheHost() {
        QFETCH(int, count);
        QFETCH(bool, inDouble);
        QFETCH(int, lowConf);
        for (const Extents& extents :
             {Extents{64, 16, 1}, Extents{150, 37, 1}, Extents{70, 20, 3}}) {
            for (const bool backwards : {false, true}) {
                test::deviceDouble().backwards = backwards;
                std::vector<method::MatchMap> maps = mapsOf(extents, count, inDouble, lowConf, 5);
                const std::vector<base::Box> placements = placementsOf(extents, count);
                // Of templates that count everywhere, and of poses at the border.
                const method::Counted counted =
                    count == 2
                        ? method::Counted{}
                        : method::Counted{.placements = placements, .wholeFirst = count == 5};
                const Device device(maps, backwards, counted);
                BestMap expected = bestOf(maps, counted);
                QVERIFY(device.slot().openMost <= cuda::kOpenMost);
                BestMap found = device.best();
                QCOMPARE(test::firstDifferentBit(found.map, expected.map), std::string());
                QVERIFY(std::equal(found.index.data(), found.index.data() + found.index.count(),
                                   expected.index.data()));
                method::ScoreTally sums;
                for (const method::MatchMap& map : maps) {
                    method::addRow(map.value.data(), map.status.data(), map.value.count(), sums);
                }
                QCOMPARE(device.scores().count, sums.count);
                QCOMPARE(device.scores().sum.value(), sums.sum.value());
                QCOMPARE(device.scores().squares.value(), sums.squares.value());
            }
        }
    }

    // Of every block as many scores are copied as the fullest one has.
    void whatIsCopiedWasWritten() {
        std::vector<method::MatchMap> maps = mapsOf({128, 16, 1}, 2, false, 1 << 30, 5);
        for (std::int64_t x = 0; x < 9; ++x) {
            maps[1].status.view().at(x, 3, 0) = Status::LowConf;
        }
        const Device device(maps);
        const cuda::PartSlot& slot = device.slot();
        QCOMPARE(slot.openMost, std::int64_t{9});
        const cuda::OpenScore* const copied = slot.openStaged.data();
        QVERIFY(std::all_of(copied, copied + 2 * slot.openMost, // memory begins as -1
                            [](const cuda::OpenScore& score) { return score.templ >= 0; }));
    }

    void moreThanABlockHasRoomForIsReported() {
        const Extents extents{128, 16, 1};
        std::vector<method::MatchMap> maps = mapsOf(extents, 3, false, 1 << 30, 5);
        const auto open = [&](std::int64_t block, std::int64_t voxels) {
            for (std::int64_t i = 0; i < voxels; ++i) { // shared out over the templates
                method::MatchMap& map = maps[static_cast<std::size_t>(i % 3)];
                map.status.view().at(64 * block + i % 64, i / 64, 0) = Status::LowConf;
            }
        };
        open(0, 5);
        open(1, cuda::kOpenMost);
        BestMap expected = bestOf(maps);
        const Device full(maps);
        QCOMPARE(full.slot().openMost, std::int64_t{cuda::kOpenMost});
        BestMap found = full.best();
        QCOMPARE(test::firstDifferentBit(found.map, expected.map), std::string());
        open(1, cuda::kOpenMost + 1);
        const Device fuller(maps);
        QVERIFY(fuller.slot().openMost > cuda::kOpenMost);
    }

    void boundsAreThoseOfEachTemplate() {
        base::TilePool pool(1);
        const method::Execution execution{pool, {}, {}};
        const Extents map{192, 16, 1};
        cuda::PartQueue parts(map, map, execution, 2);
        const std::optional<base::Box> box = parts.take(false);
        std::array<cuda::BlockTally, 6> reported{}; // three blocks of each template
        constexpr std::array<double, 6> kSamples{1, 1, 1, 5, 1, 5};
        for (std::size_t i = 0; i < reported.size(); ++i) {
            reported.at(i).sample = kSamples.at(i);
            reported.at(i).largestBound = 9;
            reported.at(i).ok = 100;
        }
        const std::vector<cuda::BlockRepair> repaired(reported.size());
        cuda::PartFacts facts{reported.data(), repaired};
        facts.statuses[0] = 300;
        facts.scores.add(0.5F);
        parts.finished(*box, facts);
        QCOMPARE(parts.facts().boundMedian, 5.0); // the larger median, not that of both
        QCOMPARE(parts.facts().statusCounts[0], std::int64_t{300});
        QCOMPARE(parts.facts().scores.sum, 0.5);
    }

  private:
    /// Brings the maps of templates to a device one after the other, those after the first one in
    /// their order or from the last one on, and the best ones back.
    class Device {
      public:
        explicit Device(const std::vector<method::MatchMap>& maps, bool lastFirst = false,
                        const method::Counted& counted = {})
            : m_counted(counted), m_scene(test::noise(base::PixelType::UInt8, {200, 60, 5}, 1)),
              m_templ(test::noise(base::PixelType::UInt8, {3, 3, 1}, 2)), m_view(m_scene),
              m_canonical(base::viewOf(m_templ)) {
            const Extents& extents = maps.front().value.extents();
            const bool inDouble = !maps.front().exact.empty();
            m_problem.scene = base::extentsOf(m_scene);
            m_problem.templ = m_canonical.extents();
            m_problem.recompute = false; // what is LOWCONF stays
            m_problem.templates = static_cast<int>(maps.size());
            m_problem.precision = inDouble ? method::Precision::Double : method::Precision::Single;
            m_templates.assign(maps.size(), &m_canonical);
            cuda::PartSlot& slot = m_pipe.slot(0);
            slot.box = {{0, 0, 0}, extents};
            const std::int64_t voxels = base::voxelCount(extents);
            cuda::PartLaunch launch;
            launch.map = extents;
            launch.value = m_pipe.scores.value.room(voxels);
            launch.exact = inDouble ? m_pipe.scores.exact.room(voxels) : nullptr;
            launch.status = m_pipe.scores.status.room(voxels);
            for (std::size_t turn = 0; turn < maps.size(); ++turn) {
                const std::size_t i = lastFirst && turn > 0 ? maps.size() - turn : turn;
                std::copy_n(maps[i].value.data(), voxels, launch.value);
                std::transform(maps[i].status.data(), maps[i].status.data() + voxels, launch.status,
                               [](Status status) { return static_cast<std::uint8_t>(status); });
                if (inDouble) {
                    std::copy_n(maps[i].exact.data(), voxels, launch.exact);
                }
                m_merger.start(slot, launch, i, turn, m_pipe.compute);
            }
            const std::int64_t bytes = m_merger.bring(slot, m_pipe.download);
            m_pipe.download.wait("");
            QCOMPARE(bytes + 4 * voxels, // with the index, which the map brings
                     cuda::mergedBytes(m_problem, extents));
            (void)m_merger.receive(slot, m_pipe.fetch());
        }

        [[nodiscard]] const cuda::PartSlot& slot() const { return m_pipe.slot(0); }

        [[nodiscard]] BestMap best() const {
            const cuda::PartSlot& slot = this->slot();
            const Extents& extents = slot.box.extents;
            const std::int64_t voxels = base::voxelCount(extents);
            BestMap best(extents, cuda::isDouble(m_problem));
            std::copy_n(slot.value.data(), voxels, best.map.value.data());
            std::copy_n(reinterpret_cast<const Status*>(slot.status.data()), voxels,
                        best.map.status.data());
            std::copy_n(slot.index.data(), voxels, best.index.data());
            if (cuda::isDouble(m_problem)) {
                std::copy_n(slot.exact.data(), voxels, best.map.exact.data());
            }
            const std::int64_t blocks = base::voxelCount(method::shared::blockGrid(extents));
            std::vector<cuda::BlockRepair> repaired(static_cast<std::size_t>(blocks) *
                                                    m_templates.size());
            m_scores = m_merger.scores(slot);
            for (std::int64_t block = 0; block < blocks; ++block) {
                if (m_merger.isOpen(slot, block)) {
                    m_scores.add(m_merger.settle(slot, block, best.view(), {}, repaired).scores);
                }
            }
            return best;
        }
        [[nodiscard]] const method::ScoreTally& scores() const { return m_scores; }

      private:
        method::Counted m_counted;
        base::AnyImage m_scene;
        base::AnyImage m_templ;
        method::MaskedView m_view;
        method::CanonicalTemplate m_canonical;
        cuda::Templates m_templates;
        method::Problem m_problem;
        cuda::Engine m_engine{&test::doubleTable()};
        mutable cuda::Pipeline m_pipe{m_engine, 0};
        cuda::Merger m_merger{m_problem, m_templates, m_view, 0x1p-24, m_counted};
        mutable method::ScoreTally m_scores;
    };
};

const flcc::test::TestClass<MergeTest> kMergeTest;
#include "merge_test.moc"
