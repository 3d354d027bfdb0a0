#include "engine/cuda/run/merger.h"

#include <algorithm>

#include "engine/cuda/run/map_run.h"
#include "engine/method/shared/best_score.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using base::Status;
using method::Problem;

std::int64_t blocksOf(const Extents& part) {
    return base::voxelCount(method::shared::blockGrid(part));
}

/// The index of the voxel at offset `at` of a part.
base::Index placeOf(std::int64_t at, const Extents& part) {
    const std::int64_t line = at / part.x;
    return {at % part.x, line % part.y, line / part.y};
}

} // namespace

std::int64_t mergeBytes(const Problem& problem, const Extents& part) {
    if (problem.templates < 2) {
        return 0;
    }
    constexpr std::int64_t kBlock = sizeof(MergedBlock);
    constexpr std::int64_t kOpen = kOpenMost * sizeof(OpenScore);
    constexpr std::int64_t kKept = kKeptMost * sizeof(std::int32_t);
    const std::int64_t index = isReduced(problem) ? blocksOf(part) * kKept : 0;
    return base::byteCount(part, 4) + blocksOf(part) * (problem.templates * kBlock + kOpen) + index;
}

std::int64_t mergedBytes(const Problem& problem, const Extents& part) {
    if (problem.templates < 2) {
        return 0;
    }
    return blocksOf(part) * problem.templates * static_cast<std::int64_t>(sizeof(MergedBlock)) +
           (isReduced(problem) ? 0 : base::byteCount(part, 4));
}

void Merger::start(PartSlot& slot, const PartLaunch& scores, std::size_t templ, std::size_t turn,
                   const Stream& compute) const {
    const std::int64_t blocks = blocksOf(scores.map);
    const auto before = static_cast<std::int64_t>(turn) * blocks;
    const std::int64_t voxels = base::voxelCount(scores.map);
    MergeLaunch launch;
    launch.value = scores.value;
    launch.exact = scores.exact;
    launch.status = scores.status;
    launch.map = scores.map;
    launch.templ = static_cast<std::int32_t>(templ);
    launch.best = slot.value.room(voxels);
    launch.bestExact = isDouble(m_problem) ? slot.exact.room(voxels) : nullptr;
    launch.bestStatus = slot.status.room(voxels);
    launch.index = slot.index.room(voxels);
    launch.open = slot.open.room(blocks * kOpenMost);
    launch.blocks = slot.merged.room(blocks * m_problem.templates) + before;
    launch.before = turn > 0 ? launch.blocks - blocks : nullptr;
    method::Counted counted = m_counted;
    counted.corner = slot.box.corner;
    launch.counted = counted.of(launch.templ, scores.map);
    launch.wholeFirst = counted.wholeFirst;
    compute.merge(launch);
}

std::int64_t Merger::bring(PartSlot& slot, const Stream& download) const {
    const std::int64_t blocks = blocksOf(slot.box.extents);
    std::int64_t all = 0;
    const auto copy = [&](auto* to, const void* from, std::int64_t count) {
        const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(*to));
        download.download({to, bytes, from, bytes, bytes, 1});
        all += bytes;
    };
    const std::int64_t reported = blocks * m_problem.templates;
    copy(slot.mergedOnHost.room(reported), slot.merged.data(), reported);
    slot.openStaged.room(blocks * kOpenMost);
    return all;
}

std::int64_t Merger::receive(PartSlot& slot, const Stream& fetch) const {
    constexpr auto kScore = static_cast<std::int64_t>(sizeof(OpenScore));
    const std::int64_t blocks = blocksOf(slot.box.extents);
    slot.openMost = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
        slot.openMost = std::max(slot.openMost, openOf(slot, block));
    }
    if (slot.openMost == 0 || slot.openMost > kOpenMost) {
        return 0;
    }
    const std::int64_t row = slot.openMost * kScore;
    fetch.download(
        {slot.openStaged.data(), row, slot.open.data(), kOpenMost * kScore, row, blocks});
    fetch.wait("copying uncertain scores from the device");
    return blocks * row;
}

std::int64_t Merger::openOf(const PartSlot& slot, std::int64_t block) const {
    const std::int64_t last = (m_problem.templates - 1) * blocksOf(slot.box.extents);
    return slot.mergedOnHost.data()[last + block].open;
}

bool Merger::isOpen(const PartSlot& slot, std::int64_t block) const {
    return openOf(slot, block) > 0;
}

const OpenScore* Merger::openScores(const PartSlot& slot, std::int64_t block) const {
    return slot.openStaged.data() + block * slot.openMost;
}

method::ScoreTally Merger::scores(const PartSlot& slot) const {
    method::ScoreTally all;
    for (std::int64_t i = 0; i < blocksOf(slot.box.extents) * m_problem.templates; ++i) {
        const MergedBlock& reported = slot.mergedOnHost.data()[i];
        all.count += reported.scores;
        all.sum.add(reported.sum);
        all.squares.add(reported.squares);
    }
    return all;
}

/// Replaces a score by its canonical value if that keeps the promise, and merges it into `best`. A
/// score that stays LOWCONF makes the best score LOWCONF.
void Merger::take(const PartSlot& slot, const OpenScore& open, BlockRepair& repaired, Best& best,
                  Settled& settled) const {
    const base::Index first = method::firstPlacement(m_problem);
    const base::Index at = placeOf(open.at, slot.box.extents);
    const base::Index corner{slot.box.corner.x + at.x + first.x, slot.box.corner.y + at.y + first.y,
                             slot.box.corner.z + at.z + first.z};
    const method::CanonicalTemplate& templ = *m_templates[static_cast<std::size_t>(open.templ)];
    const bool repairs = m_problem.recompute &&
                         method::canonicalBound(templ.count()) + m_stored <= m_problem.promise;
    double score = open.value;
    Status status = Status::LowConf;
    if (repairs) {
        const method::CanonicalValue value =
            method::canonicalValue(m_scene, templ, corner, m_problem.outside);
        const double bound = value.bound + m_stored;
        if (bound <= m_problem.promise) {
            const bool whole = method::isWhole(m_scene, templ, corner);
            score = isDouble(m_problem) ? value.score
                                        : static_cast<double>(static_cast<float>(value.score));
            status = whole ? Status::Ok : Status::Partial;
            ++(whole ? repaired.ok : repaired.partial);
            repaired.largestBound = std::max(repaired.largestBound, bound);
        }
    }
    settled.scores.add(static_cast<float>(score));
    const bool doubtful = status == Status::LowConf || best.status == Status::LowConf;
    const bool partial = status == Status::Partial;
    const bool decided =
        m_counted.wholeFirst && best.index >= 0 && partial != (best.status == Status::Partial);
    if (decided ? !partial : method::shared::isBetter(score, open.templ, best.value, best.index)) {
        best = {score, status, open.templ};
    }
    best.status = doubtful ? Status::LowConf : best.status;
}

Settled Merger::settle(const PartSlot& slot, std::int64_t block, const method::BankView& part,
                       const std::stop_token& stop, std::vector<BlockRepair>& repaired) const {
    const std::int64_t blocks = blocksOf(slot.box.extents);
    Settled settled;
    const OpenScore* const open = openScores(slot, block);
    for (std::int64_t i = 0; i < openOf(slot, block) && !stop.stop_requested(); ++i) {
        const base::Index at = placeOf(open[i].at, slot.box.extents);
        float& value = part.map.value.at(at);
        Status& status = part.map.status.at(at);
        std::int32_t& index = part.index.at(at);
        const bool inDouble = part.map.exact.data() != nullptr;
        Best best{inDouble ? part.map.exact.at(at) : static_cast<double>(value),
                  static_cast<Status>(static_cast<std::uint8_t>(status) &
                                      static_cast<std::uint8_t>(~kOpenStatus)),
                  index};
        take(slot, open[i], repaired[static_cast<std::size_t>(open[i].templ * blocks + block)],
             best, settled);
        value = static_cast<float>(best.value);
        status = best.status;
        index = best.index;
        if (inDouble) {
            part.map.exact.at(at) = best.value;
        }
    }
    return settled; // `best` stays empty: the caller counts the whole part
}

Settled Merger::settle(const PartSlot& slot, std::int64_t block, method::ReducedMap::Part& part,
                       const std::stop_token& stop, std::vector<BlockRepair>& repaired) const {
    const std::int64_t blocks = blocksOf(slot.box.extents);
    const auto own = static_cast<std::size_t>(block);
    Settled settled;
    for (std::int64_t i = part.firstOf[own]; i < part.firstOf[own + 1]; ++i) {
        method::KeptVoxel& kept = part.kept[static_cast<std::size_t>(i)];
        if ((kept.marks & method::kOpenMark) == 0) {
            continue;
        }
        std::int32_t& index = part.templ[static_cast<std::size_t>(i)];
        Best best{kept.value, method::statusOf(kept), index};
        const OpenScore* const open = openScores(slot, block);
        for (const OpenScore* one = open; one < open + openOf(slot, block); ++one) {
            if (one->at == kept.at && !stop.stop_requested()) {
                take(slot, *one, repaired[static_cast<std::size_t>(one->templ * blocks + block)],
                     best, settled);
            }
        }
        kept.value = best.value;
        kept.marks = method::marksOf(best.status, kept.marks & method::kNeighbourMarks);
        index = best.index;
        settled.best.add(static_cast<float>(best.value));
        ++settled.statuses[static_cast<std::size_t>(best.status)];
    }
    return settled;
}

} // namespace flcc::cuda
