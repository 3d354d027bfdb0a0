#include "engine/cuda/run/map_run.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Problem;
namespace shared = method::shared;

/// Waits for all work in flight when a run ends, also by an error or a stop.
struct Drain {
    const Pipeline& pipe;
    ~Drain() { pipe.drain(); }
};

std::int64_t blocksOf(const PartSlot& slot) {
    return base::voxelCount(shared::blockGrid(slot.box.extents));
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

base::Index moved(const base::Index& at, const base::Index& by) {
    return {at.x + by.x, at.y + by.y, at.z + by.z};
}

} // namespace

method::MaskedView withoutIdleMask(const Problem& problem, const method::MaskedView& scene) {
    if (!method::isMasked(scene)) {
        return scene.pixels;
    }
    if (!problem.sceneMask) {
        throw base::Error(base::ErrorCode::Problem,
                          "the scene has a mask that the problem does not name");
    }
    return scene;
}

void requireUnmasked(const method::CanonicalTemplate& templ) {
    if (!templ.support().empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          "the template has a mask that the problem does not name");
    }
}

method::Outcome MapRun::operator()(const std::string& what, const Lane& lane) {
    const auto giveBack = [this] {
        for (const PartSlot* slot : m_underWay) {
            m_parts.giveBack(slot->box);
        }
        m_underWay.clear();
    };
    try {
        const Drain drain{lane.pipe};
        const base::Stopwatch watch;
        lane.prepare();
        if (m_merger) { // sized once: kernels in flight use them
            PartLaunch largest;
            largest.map = m_parts.largest();
            scoreIn(lane.pipe.scores, largest);
        }
        lane.pipe.compute.wait("preparing the template");
        m_times.setup += watch.ms();
        m_times.uploads = m_held == nullptr || m_held->slabs() == 0 ? 1 : 0;
        share(what, lane);
    } catch (...) {
        giveBack();
        throw;
    }
    giveBack();
    m_times.upload += lane.pipe.toDevice.takeMs();
    m_times.download += lane.pipe.fromDevice.takeMs();
    method::Outcome outcome;
    outcome.stagesMs = {{"setup", m_times.setup},       {"packing", m_times.packing},
                        {"upload", m_times.upload},     {"kernel", m_times.compute},
                        {"download", m_times.download}, {"joining", m_times.joining},
                        {"recomputation", m_repairMs}};
    outcome.onDevice.times = m_times;
    outcome.onDevice.times->joining += m_repairMs;
    return outcome;
}

/// Computes parts until none is left or a stop is requested.
void MapRun::share(const std::string& what, const Lane& lane) {
    for (std::size_t sent = 0; !m_execution.stop.stop_requested();) {
        std::optional<base::Box> taken;
        PartSlot* free = nullptr;
        if (std::ssize(m_underWay) < lane.inFlight) {
            // Make the slot before a part is taken: if this throws, no part is lost from the queue.
            free = &lane.pipe.slot(sent % static_cast<std::size_t>(lane.inFlight));
            taken = m_parts.take(m_underWay.empty());
        }
        if (taken) {
            free->box = *taken;
            m_underWay.push_back(free);
            send(*free, lane);
            ++sent;
        } else if (m_underWay.empty()) {
            return;
        } else {
            PartSlot& slot = *m_underWay.front();
            receive(slot, what, lane);
            if (m_merger ? !finishBank(slot, what, lane) : !finish(slot)) {
                return;
            }
            m_underWay.pop_front();
        }
    }
}

/// Stages a part and starts its upload, kernels and downloads.
void MapRun::send(PartSlot& slot, const Lane& lane) {
    const base::Box& box = slot.box;
    const std::int64_t blocks = base::voxelCount(shared::blockGrid(box.extents));
    PartLaunch launch;
    m_copies.bringScene(slot, launch, lane.pipe);
    launch.pixel = stagedPixel(m_problem.scenePixel);
    launch.templ = m_problem.templ;
    launch.map = box.extents;
    if (m_merger) {
        scoreIn(lane.pipe.scores, launch);
    } else {
        scoreIn(slot, launch);
    }
    const std::int64_t tallies = blocks * std::ssize(m_templates);
    launch.tallies = slot.tallies.room(tallies);
    slot.launch = launch;
    slot.reported.room(tallies);

    const auto& upload = lane.pipe.upload;
    const auto& compute = lane.pipe.compute;
    const auto& download = lane.pipe.download;
    upload.record(slot.uploaded);
    compute.follow(slot.uploaded);
    compute.record(slot.start);
    startAll(slot, lane);
    if (m_reducer) {
        m_reducer->start(slot, compute);
    }
    compute.record(slot.computed);
    download.follow(slot.computed);
    download.record(slot.download);
    const auto bring = [&](auto* to, const void* from, std::int64_t count) {
        const std::int64_t size = count * static_cast<std::int64_t>(sizeof(*to));
        download.download({to, size, from, size, size, 1});
        m_times.downloaded += size;
    };
    if (m_reducer) {
        m_reducer->bring(slot, download);
    }
    if (m_merger) {
        m_times.downloaded += m_merger->bring(slot, download);
    }
    bring(slot.reported.data(), launch.tallies, tallies);
    download.record(slot.downloaded);
}

/// Waits for a part and copies its results from the device.
void MapRun::receive(PartSlot& slot, const std::string& what, const Lane& lane) {
    slot.uploaded.wait("copying to the device");
    slot.computed.wait("running " + what);
    slot.downloaded.wait("copying from the device");
    m_times.compute += slot.computed.since(slot.start);
    m_times.download += slot.downloaded.since(slot.download);
    base::Stopwatch watch;
    if (m_merger) {
        m_times.downloaded += m_merger->receive(slot, lane.pipe.fetch());
        m_times.download += watch.ms();
        if (slot.openMost > kOpenMost) {
            return; // finishBank() computes it again
        }
        watch = {};
    }
    if (m_reducer) {
        m_times.downloaded += m_reducer->receive(slot, lane.pipe.fetch());
        m_times.download += watch.ms();
        return;
    }
    m_copies.bringMap(slot, viewOf(m_input, slot.box), lane.pipe);
}

method::BankView viewOf(const RunInput& input, const base::Box& box) {
    if (input.reduced == nullptr) {
        return method::partOf(input.map, box);
    }
    method::ReducedMap::Part& part = input.reduced->to.partAt(box.corner);
    return part.whole ? method::BankView{{part.value.view(), part.status.view(), part.exact.view()},
                                         part.index.view()}
                      : method::BankView{};
}

void clearPart(const RunInput& input, const base::Box& box) {
    if (input.reduced != nullptr) {
        input.reduced->to.partAt(box.corner) = {};
    } else {
        method::clearBest(viewOf(input, box));
    }
}

/// True if recomputation is on and canonical values of a template keep the promise.
bool MapRun::repairs(const method::CanonicalTemplate& templ) const {
    return m_problem.recompute &&
           method::canonicalBound(templ.count()) + m_stored <= m_problem.promise;
}

/// Calls `repairOne` for each of `count` blocks on the threads of the host. Returns false if a stop
/// was requested. Canonical values of a whole block may take long, so `repairOne` ends early at a
/// stop, and its results are then unspecified.
bool MapRun::repairEach(std::int64_t count,
                        const std::function<void(std::int64_t)>& repairOne) const {
    return m_execution.pool.run(
               count, [&](std::int64_t item, int) { repairOne(item); }, m_execution.stop) &&
           !m_execution.stop.stop_requested();
}

/// Replaces the voxels whose bound exceeds the promise by canonical values of the host's pixels,
/// block by block, and reports the part as finished. Returns false if a stop was requested; the
/// part of the map is then reset.
bool MapRun::finish(const PartSlot& slot) {
    const base::Stopwatch watch;
    const base::Box& box = slot.box;
    const method::MapView part = viewOf(m_input, box).map;
    const method::CanonicalTemplate& templ = *m_templates.front();
    const Extents grid = shared::blockGrid(box.extents);
    const BlockTally* const reported = slot.reported.data();
    std::vector<BlockRepair> repaired(static_cast<std::size_t>(base::voxelCount(grid)));
    std::vector<std::int64_t> open;
    std::vector<method::ScoreTally> scores; // of LOWCONF voxels, if the map stays on the device
    const bool looks = part.value.data() != nullptr ? repairs(templ) : m_reducer.has_value();
    for (std::int64_t i = 0; i < base::voxelCount(grid) && looks; ++i) {
        if (reported[i].lowConf > 0) {
            open.push_back(i);
        }
    }
    scores.resize(open.size());
    const bool done = repairEach(std::ssize(open), [&](std::int64_t item) {
        const std::int64_t block = open[static_cast<std::size_t>(item)];
        repaired[static_cast<std::size_t>(block)] =
            part.value.data() != nullptr
                ? repair(box, templ, part, shared::blockCorner(block, grid))
                : m_reducer->repair(m_reducer->partOf(slot), block, m_stored, m_execution.stop,
                                    scores[static_cast<std::size_t>(item)]);
    });
    if (!done) {
        clearPart(m_input, box);
        return false;
    }
    if (m_reducer) {
        m_reducer->addUp(slot, scores);
    }
    m_repairMs += watch.ms();
    m_parts.finished(box, {reported, repaired});
    return true;
}

/// Replaces the LOWCONF voxels of the block at `corner` of a part by canonical values, where these
/// keep the promise.
BlockRepair MapRun::repair(const base::Box& box, const method::CanonicalTemplate& templ,
                           const method::MapView& part, const base::Index& corner) const {
    const std::int64_t right = std::min(box.extents.x, corner.x + shared::kBlockWidth);
    const std::int64_t bottom = std::min(box.extents.y, corner.y + shared::kBlockHeight);
    const base::Index first = moved(box.corner, method::firstPlacement(m_problem));
    BlockRepair done;
    for (std::int64_t y = corner.y; y < bottom; ++y) {
        for (std::int64_t x = corner.x; x < right; ++x) {
            base::Status& status = part.status.at(x, y, corner.z);
            if (status != base::Status::LowConf) {
                continue;
            }
            if (m_execution.stop.stop_requested()) {
                return done;
            }
            const base::Index at = moved(first, {x, y, corner.z});
            const method::CanonicalValue value =
                method::canonicalValue(m_scene, templ, at, m_problem.outside);
            const double bound = value.bound + m_stored;
            if (bound > m_problem.promise) {
                continue;
            }
            part.value.at(x, y, corner.z) = static_cast<float>(value.score);
            if (part.exact.data() != nullptr) {
                part.exact.at(x, y, corner.z) = value.score;
            }
            const bool whole = method::isWhole(m_scene, templ, at);
            status = whole ? base::Status::Ok : base::Status::Partial;
            ++(whole ? done.ok : done.partial);
            done.largestBound = std::max(done.largestBound, bound);
        }
    }
    return done;
}

// --- Banks ---

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
    const Extents grid = shared::blockGrid(extents);
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
                repaired[static_cast<std::size_t>(first + block)] =
                    repair(slot.box, *m_templates[i], view, shared::blockCorner(block, grid));
            }
        });
        if (!done) {
            return false;
        }
        (void)method::leaveOut(view, static_cast<std::int32_t>(i), best.counted);
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
