#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/cuda/run/map_run.h"
#include "engine/method/shared/direct_block.h"

// The members of MapRun for banks, that is runs of several templates.

namespace flcc::cuda {

using base::Extents;

namespace {

std::int64_t blocksOf(const PartSlot& slot) {
    return base::voxelCount(method::shared::blockGrid(slot.box.extents));
}

void add(const Settled& one, Settled& all) {
    all.scores.add(one.scores);
    all.best.add(one.best);
    std::transform(one.statuses.begin(), one.statuses.end(), all.statuses.begin(),
                   all.statuses.begin(), std::plus<>());
}

/// Counts the statuses of the best scores of a part whose map stayed on the device. Voxels that
/// were LOWCONF on the device are not counted.
std::array<std::int64_t, base::kStatusCount> statusesOf(const PartSlot& slot) {
    std::array<std::int64_t, base::kStatusCount> counts{};
    const auto count = [&](base::Status status, std::int64_t voxels) {
        counts[static_cast<std::size_t>(status)] += voxels;
    };
    for (std::int64_t i = 0; i < blocksOf(slot); ++i) {
        const ReducedBlock& reported = slot.reducedOnHost.data()[i];
        count(base::Status::Ok, reported.ok);
        count(base::Status::Partial, reported.scores - reported.ok);
        count(base::Status::Flat, reported.flat);
        count(base::Status::NonFinite, reported.nonFinite);
        count(base::Status::NotComputed, reported.notComputed);
    }
    return counts;
}

} // namespace

std::vector<std::size_t> firstOfSupport(const Templates& templates) {
    const auto alike = [](const base::Image<std::uint8_t>& a, const base::Image<std::uint8_t>& b) {
        return a.count() == b.count() && std::equal(a.data(), a.data() + a.count(), b.data());
    };
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < templates.size(); ++i) {
        std::size_t other = 0;
        while (other < i && !(first[other] == other &&
                              alike(templates[other]->support(), templates[i]->support()))) {
            ++other;
        }
        first.push_back(other);
    }
    return first;
}

std::vector<std::size_t> bySupport(const std::vector<std::size_t>& first) {
    std::vector<std::size_t> order(first.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
    return order;
}

/// Starts the kernels of a part for all templates.
void MapRun::startAll(PartSlot& slot, const Lane& lane) {
    const std::int64_t blocks = blocksOf(slot);
    PartLaunch launch = slot.launch;
    for (std::size_t turn = 0; turn < m_templates.size(); ++turn) {
        const std::size_t i = lane.at(turn);
        launch.tallies = slot.launch.tallies + static_cast<std::int64_t>(i) * blocks;
        lane.start(launch, i);
        if (m_merger) {
            m_merger->start(slot, launch, i, turn, lane.pipe.compute);
        }
    }
}

/// As finish(), for a bank. If a block has more LOWCONF scores than its list holds (kOpenMost),
/// oneByOne() computes the part again.
bool MapRun::finishBank(PartSlot& slot, const std::string& what, const Lane& lane) {
    std::vector<BlockRepair> repaired(static_cast<std::size_t>(blocksOf(slot)) *
                                      m_templates.size());
    Settled settled;
    const bool again = slot.openMost > kOpenMost;
    if (!(again ? oneByOne(slot, what, lane, repaired, settled)
                : settle(slot, repaired, settled))) {
        clearPart(m_input, slot.box);
        return false;
    }
    const base::Stopwatch watch;
    if (m_reducer) {
        m_reducer->addUp(slot, {settled.best});
    }
    PartFacts facts{slot.reported.data(), repaired, settled.statuses, settled.scores};
    if (const method::BankView part = viewOf(m_input, slot.box); part.map.value.data() != nullptr) {
        method::MapFacts counted;
        method::addStatuses(part.map, counted);
        facts.statuses = counted.statusCounts;
    }
    m_times.joining += watch.ms();
    m_parts.finished(slot.box, facts);
    return true;
}

/// Repairs the LOWCONF scores of a part and merges them into the best scores. False if a stop was
/// requested.
bool MapRun::settle(PartSlot& slot, std::vector<BlockRepair>& repaired, Settled& settled) {
    const base::Stopwatch watch;
    std::vector<std::int64_t> open;
    for (std::int64_t block = 0; block < blocksOf(slot); ++block) {
        if (m_merger->isOpen(slot, block)) {
            open.push_back(block);
        }
    }
    const method::BankView part = viewOf(m_input, slot.box);
    std::vector<Settled> each(open.size());
    const std::stop_token& stop = m_execution.stop;
    const bool done = repairEach(std::ssize(open), [&](std::int64_t item) {
        const auto i = static_cast<std::size_t>(item);
        each[i] = part.map.value.data() != nullptr
                      ? m_merger->settle(slot, open[i], part, stop, repaired)
                      : m_merger->settle(slot, open[i], m_reducer->partOf(slot), stop, repaired);
    });
    settled.scores = m_merger->scores(slot);
    if (part.map.value.data() == nullptr) {
        settled.statuses = statusesOf(slot);
    }
    for (const Settled& one : each) {
        add(one, settled);
    }
    m_repairMs += watch.ms();
    return done;
}

/// Computes a part again, one template after the other: downloads all scores of a template, repairs
/// them and merges them. False if a stop was requested.
bool MapRun::oneByOne(PartSlot& slot, const std::string& what, const Lane& lane,
                      std::vector<BlockRepair>& repaired, Settled& settled) {
    const Extents& extents = slot.box.extents;
    const Extents grid = method::shared::blockGrid(extents);
    const std::int64_t blocks = base::voxelCount(grid);
    const Stream& compute = lane.pipe.compute;
    const Stream& fetch = lane.pipe.fetch();
    const bool inDouble = isDouble(m_problem);
    method::MatchMap scores(extents, inDouble);
    const StreamDrain drain{fetch};
    if (m_reducer) {
        m_reducer->partOf(slot) = wholePart(slot.box, inDouble);
    }
    const method::BankView best = viewOf(m_input, slot.box);
    const auto bring = [&](auto* to, const void* from) {
        const std::int64_t bytes = base::byteCount(extents, static_cast<std::int64_t>(sizeof(*to)));
        fetch.download({to, bytes, from, bytes, bytes, 1});
        m_times.downloaded += bytes;
    };
    PartLaunch launch = slot.launch;
    for (std::size_t turn = 0; turn < m_templates.size(); ++turn) {
        const std::size_t i = lane.at(turn);
        launch.tallies = slot.launch.tallies + static_cast<std::int64_t>(i) * blocks;
        compute.record(slot.start);
        lane.start(launch, i);
        compute.record(slot.computed);
        fetch.follow(slot.computed);
        base::Stopwatch watch;
        bring(scores.value.data(), launch.value);
        bring(scores.status.data(), launch.status);
        if (inDouble) {
            bring(scores.exact.data(), launch.exact);
        }
        fetch.wait("running " + what + " for one template");
        m_times.download += watch.ms();
        m_times.compute += slot.computed.since(slot.start);
        watch = {};
        const std::int64_t first = static_cast<std::int64_t>(i) * blocks;
        const method::MapView view = method::viewOf(scores);
        const bool repairing = repairs(*m_templates[i]);
        const bool done = repairEach(blocks, [&](std::int64_t block) {
            if (repairing && slot.reported.data()[first + block].lowConf > 0) {
                repaired[static_cast<std::size_t>(first + block)] = repair(
                    slot.box, *m_templates[i], view, method::shared::blockCorner(block, grid));
            }
        });
        if (!done) {
            return false;
        }
        method::mergeBest(view, static_cast<std::int32_t>(i), best);
        for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
            const std::int64_t from = line * extents.x;
            method::addRow(scores.value.data() + from, scores.status.data() + from, extents.x,
                           settled.scores);
        }
        m_repairMs += watch.ms();
    }
    return true;
}

} // namespace flcc::cuda
