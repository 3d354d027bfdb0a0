#include "engine/cuda/run/reduction.h"

#include <algorithm>
#include <cstdint>

#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/support_tiles.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::KeptVoxel;
using Part = method::ReducedMap::Part;

std::int64_t reducedBlocks(const Extents& part) {
    return base::voxelCount(method::shared::blockGrid(part));
}

/// Bytes of the voxels that are asked for, up to kAskedMost.
std::int64_t askedBytes(const std::vector<base::Index>& asked) {
    return std::min<std::int64_t>(std::ssize(asked), kAskedMost) *
           static_cast<std::int64_t>(sizeof(AskedVoxel));
}

PluginCopy line(void* to, const void* from, std::int64_t bytes) {
    return {to, bytes, from, bytes, bytes, 1};
}

} // namespace

bool isReduced(const method::Problem& problem) { return !problem.onDevice.map; }

std::int64_t reductionBytes(const Extents& part) {
    constexpr std::int64_t kBlock = sizeof(ReducedBlock) + kKeptMost * sizeof(KeptVoxel);
    constexpr std::int64_t kAsked = kAskedMost * sizeof(AskedVoxel);
    return reducedBlocks(part) * kBlock + kAsked;
}

std::int64_t reducedBytes(const method::Problem& problem, const Extents& part) {
    constexpr std::int64_t kTypical = 32; // assumed for the fullest block; all blocks send as many
    constexpr std::int64_t kBlock = sizeof(ReducedBlock) + kTypical * sizeof(KeptVoxel);
    constexpr std::int64_t kOfBank = kTypical * sizeof(std::int32_t);
    return reducedBlocks(part) * (kBlock + (problem.templates > 1 ? kOfBank : 0));
}

Part wholePart(const base::Box& box, bool inDouble) {
    Part part;
    part.box = box;
    part.whole = true;
    part.value = base::Image<float>(box.extents);
    part.status = base::Image<base::Status>(box.extents);
    part.exact = inDouble ? base::Image<double>(box.extents) : base::Image<double>();
    part.index = base::Image<std::int32_t>(box.extents);
    return part;
}

std::vector<base::Index> Reducer::askedIn(const base::Box& box) const {
    std::vector<base::Index> places;
    for (const base::Index& at : m_run.wanted.asked) {
        const base::Index own{at.x - box.corner.x, at.y - box.corner.y, at.z - box.corner.z};
        if (base::contains(box.extents, {own, {1, 1, 1}})) {
            places.push_back(own);
        }
    }
    return places;
}

void Reducer::start(PartSlot& slot, const Stream& compute) const {
    const Extents& extents = slot.box.extents;
    const std::int64_t blocks = reducedBlocks(extents);
    // The error of a score is at most the promise, that of a canonical score at most its own bound.
    std::int64_t most = 0; // voxels of the largest support
    for (const method::CanonicalTemplate* const templ : m_templates) {
        most = std::max(most, templ->count());
    }
    const double own =
        method::canonicalBound(most) + (mayOverlap(m_problem) ? method::kOverlapBound : 0.0);
    const double off = m_problem.promise + 2 * own + kUnitSingle;
    constexpr double kRounding = 1e-6;
    ReduceLaunch launch;
    launch.value = slot.value.data();
    launch.exact = isDouble(m_problem) ? slot.exact.data() : nullptr;
    launch.status = slot.status.data();
    launch.map = extents;
    launch.threshold = static_cast<float>(std::min(m_run.wanted.minScore, 0.0) - off - kRounding);
    launch.margin = static_cast<float>(2 * off + kRounding);
    launch.partial = m_run.wanted.partialPeaks;
    launch.blocks = slot.reduced.room(blocks);
    launch.kept = slot.kept.room(blocks * kKeptMost);
    if (m_templates.size() > 1) {
        launch.index = slot.index.data();
        launch.keptTempl = slot.keptTempl.room(blocks * kKeptMost);
        slot.keptTemplStaged.room(blocks * kKeptMost);
    }
    launch.reported = slot.asked.room(kAskedMost);
    for (const base::Index& at : askedIn(slot.box)) {
        if (launch.askedCount < kAskedMost) { // beyond it, receive() downloads the whole part
            launch.asked[launch.askedCount++] =
                static_cast<std::uint32_t>((at.z * extents.y + at.y) * extents.x + at.x);
        }
    }
    slot.reducedOnHost.room(blocks);
    slot.keptStaged.room(blocks * kKeptMost);
    slot.askedOnHost.room(kAskedMost);
    compute.reduce(launch);
}

void Reducer::bring(PartSlot& slot, const Stream& download) const {
    const auto blocks =
        static_cast<std::int64_t>(sizeof(ReducedBlock)) * reducedBlocks(slot.box.extents);
    const std::int64_t asked = askedBytes(askedIn(slot.box));
    download.download(line(slot.reducedOnHost.data(), slot.reduced.data(), blocks));
    if (asked > 0) {
        download.download(line(slot.askedOnHost.data(), slot.asked.data(), asked));
    }
}

std::int64_t Reducer::receive(PartSlot& slot, const Stream& fetch) const {
    const Extents& extents = slot.box.extents;
    const std::int64_t blocks = reducedBlocks(extents);
    const ReducedBlock* const reported = slot.reducedOnHost.data();
    const std::vector<base::Index> asked = askedIn(slot.box);
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < blocks; ++i) {
        most = std::max<std::int64_t>(most, reported[i].kept);
    }
    Part part;
    const StreamDrain drain{fetch};
    part.box = slot.box;
    const std::int64_t voxels = base::voxelCount(extents);
    const bool bank = m_templates.size() > 1;
    part.whole = most > kKeptMost || std::ssize(asked) > kAskedMost || voxels > UINT32_MAX;
    auto bytes = blocks * static_cast<std::int64_t>(sizeof(ReducedBlock)) + askedBytes(asked);
    if (part.whole) {
        part.value = base::Image<float>(extents);
        part.status = base::Image<base::Status>(extents);
        fetch.download(line(part.value.data(), slot.value.data(), 4 * voxels));
        fetch.download(line(part.status.data(), slot.status.data(), voxels));
        bytes += 5 * voxels;
        if (isDouble(m_problem)) {
            part.exact = base::Image<double>(extents);
            fetch.download(line(part.exact.data(), slot.exact.data(), 8 * voxels));
            bytes += 8 * voxels;
        }
        if (bank) {
            part.index = base::Image<std::int32_t>(extents);
            fetch.download(line(part.index.data(), slot.index.data(), 4 * voxels));
            bytes += 4 * voxels;
        }
        fetch.wait("copying a part of the map from the device");
    } else {
        const auto rows = [&](auto* to, const void* from) {
            constexpr auto kEach = static_cast<std::int64_t>(sizeof(*to));
            fetch.download({to, most * kEach, from, kKeptMost * kEach, most * kEach, blocks});
            bytes += blocks * most * kEach;
        };
        if (most > 0) {
            rows(slot.keptStaged.data(), slot.kept.data());
            if (bank) {
                rows(slot.keptTemplStaged.data(), slot.keptTempl.data());
            }
            fetch.wait("copying maxima from the device");
        }
        part.firstOf.push_back(0);
        for (std::int64_t i = 0; i < blocks; ++i) {
            const KeptVoxel* const first = slot.keptStaged.data() + i * most;
            part.kept.insert(part.kept.end(), first, first + reported[i].kept);
            if (bank) {
                const std::int32_t* const own = slot.keptTemplStaged.data() + i * most;
                part.templ.insert(part.templ.end(), own, own + reported[i].kept);
            }
            part.firstOf.push_back(std::ssize(part.kept));
        }
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const AskedVoxel& voxel = slot.askedOnHost.data()[i];
            part.asked.push_back(
                {asked[i], voxel.value, static_cast<base::Status>(voxel.status), voxel.templ});
        }
    }
    partOf(slot) = std::move(part);
    return bytes;
}

BlockRepair Reducer::repair(Part& part, std::int64_t block, double stored,
                            const std::stop_token& stop, method::ScoreTally& scores) const {
    const Extents& extents = part.box.extents;
    const base::Index first = method::firstPlacement(m_problem);
    const auto at = static_cast<std::size_t>(block);
    BlockRepair done;
    for (std::int64_t i = part.firstOf[at]; i < part.firstOf[at + 1]; ++i) {
        KeptVoxel& kept = part.kept[static_cast<std::size_t>(i)];
        if (method::statusOf(kept) != base::Status::LowConf) {
            continue;
        }
        if (stop.stop_requested()) {
            return done;
        }
        const std::int64_t line = kept.at / extents.x;
        const base::Index corner{part.box.corner.x + first.x + kept.at % extents.x,
                                 part.box.corner.y + first.y + line % extents.y,
                                 part.box.corner.z + first.z + line / extents.y};
        const method::CanonicalValue value =
            m_problem.recompute
                ? method::canonicalValue(m_scene, *m_templates.front(), corner, m_problem.outside)
                : method::CanonicalValue{.bound = 2};
        if (value.bound + stored <= m_problem.promise) {
            const bool whole = method::isWhole(m_scene, *m_templates.front(), corner);
            kept.value = isDouble(m_problem) ? value.score
                                             : static_cast<double>(static_cast<float>(value.score));
            kept.marks = method::marksOf(whole ? base::Status::Ok : base::Status::Partial,
                                         kept.marks & method::kNeighbourMarks);
            ++(whole ? done.ok : done.partial);
            done.largestBound = std::max(done.largestBound, value.bound + stored);
        }
        scores.add(static_cast<float>(kept.value));
    }
    return done;
}

void Reducer::addUp(Part& whole) {
    const Extents& extents = whole.box.extents;
    whole.tally = {};
    for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
        const std::int64_t from = line * extents.x;
        method::addRow(whole.value.data() + from, whole.status.data() + from, extents.x,
                       whole.tally);
    }
}

void Reducer::addUp(const PartSlot& slot, const std::vector<method::ScoreTally>& repaired) const {
    Part& part = partOf(slot);
    if (part.whole) {
        addUp(part);
        return;
    }
    for (std::int64_t i = 0; i < reducedBlocks(part.box.extents); ++i) {
        const ReducedBlock& reported = slot.reducedOnHost.data()[i];
        part.tally.count += reported.scores;
        part.tally.sum.add(reported.sum);
        part.tally.squares.add(reported.squares);
        part.tally.minimum = std::min(part.tally.minimum, reported.minimum);
        part.tally.maximum = std::max(part.tally.maximum, reported.maximum);
    }
    for (const method::ScoreTally& tally : repaired) {
        part.tally.add(tally);
    }
}

} // namespace flcc::cuda
