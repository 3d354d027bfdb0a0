#include "engine/cuda/bank_again.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/base/stopwatch.h"
#include "engine/method/bank.h"

namespace flcc::cuda {

namespace {

using base::Box;
using base::Extents;

/// Scores that are held at a time, of extents `part` each: an eighth of the map, so that what a
/// run is planned to need stays near what most take, but `least` where it has as many.
std::int64_t voxelsAtOnce(const method::Problem& problem, const Extents& part, std::int64_t least) {
    constexpr std::int64_t kShare = 8;
    const std::int64_t map = base::voxelCount(method::mapExtents(problem));
    return std::max(base::voxelCount(part), std::min(map, std::max(least, map / kShare)));
}

/// The first ones that are held at once.
std::vector<Box> batchOf(std::vector<Box> boxes, std::int64_t most) {
    std::size_t count = 0;
    for (std::int64_t voxels = 0; count < boxes.size(); ++count) {
        voxels += base::voxelCount(boxes[count].extents);
        if (count > 0 && voxels > most) {
            break;
        }
    }
    boxes.resize(count);
    return boxes;
}

/// What the best scores of a part and those of all templates come to.
struct Best {
    method::MapFacts facts;
    method::ScoreTally scores;
};

/// Takes the scores of a template into the best ones of a part.
void take(const method::MapView& scores, std::int32_t templ, const method::BankView& part,
          Best& best) {
    method::mergeBest(scores, templ, part);
    const Extents& extents = scores.value.extents();
    for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
        method::addRow(scores.value.row(line % extents.y, line / extents.y),
                       scores.status.row(line % extents.y, line / extents.y), extents.x,
                       best.scores);
    }
}

/// Does some parts. False when stopped.
bool doParts(const RunInput& bank, const std::vector<Box>& boxes, PartQueue& parts,
             const std::function<method::Outcome(const RunInput&, PartQueue&)>& share,
             method::Outcome& outcome) {
    const method::Problem one = oneOf(bank.problem);
    base::TilePool& pool = bank.execution.pool;
    const method::Execution quiet{pool, bank.execution.stop, {}};
    const PartScores scores(boxes);
    std::vector<Best> best(boxes.size());
    std::vector<Tally> told; // counts once all templates are done
    if (bank.reduced != nullptr) {
        for (const Box& box : boxes) {
            bank.reduced->to.partAt(box.corner) = wholePart(box, false);
        }
    }
    for (std::size_t templ = 0; templ < bank.prepared.size(); ++templ) {
        const method::PreparedTemplates alone{bank.prepared[templ]};
        PartQueue own(boxes, quiet);
        RunInput input{one, bank.candidate, alone, bank.scene, quiet, {}};
        input.held = bank.held;
        input.bank = &bank.problem;
        input.scores = &scores;
        const method::Outcome done = share(input, own);
        if (done.times) {
            outcome.times->add(*done.times);
        }
        if (!own.isDone()) {
            return false;
        }
        told.push_back(own.tally());
        pool.run(std::ssize(boxes), [&](std::int64_t item, int) {
            const auto i = static_cast<std::size_t>(item);
            take(scores.viewOf(boxes[i]), static_cast<std::int32_t>(templ), viewOf(bank, boxes[i]),
                 best[i]);
        });
    }
    parts.addAside(told);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        method::addStatuses(viewOf(bank, boxes[i]).map, best[i].facts);
        if (bank.reduced != nullptr) {
            Reducer::addUp(bank.reduced->to.partAt(boxes[i].corner));
        }
        parts.finishedAside(boxes[i], {nullptr, {}, best[i].facts.statusCounts, best[i].scores});
    }
    return true;
}

} // namespace

std::int64_t setAsideBytes(const method::Problem& posed, const Extents& part, std::int64_t least) {
    constexpr std::int64_t kScore = 5; // and status
    return posed.templates > 1 ? kScore * voxelsAtOnce(posed, part, least) : 0;
}

void doSetAside(const RunInput& bank, PartQueue& parts, const std::function<void()>& drop,
                const std::function<method::Outcome(const RunInput&, PartQueue&)>& share,
                method::Outcome& outcome, std::int64_t least) {
    std::vector<Box> left = parts.aside();
    if (left.empty() || bank.execution.stop.stop_requested()) {
        return;
    }
    const base::Stopwatch watch;
    const int uploads = outcome.times->uploads;
    // Devices set parts aside in any order.
    std::sort(left.begin(), left.end(), [](const Box& a, const Box& b) {
        return std::tie(a.corner.z, a.corner.y, a.corner.x) <
               std::tie(b.corner.z, b.corner.y, b.corner.x);
    });
    const std::int64_t most = voxelsAtOnce(bank.problem, left.front().extents, least);
    drop();
    while (!left.empty() && !bank.execution.stop.stop_requested()) {
        const std::vector<Box> boxes = batchOf(left, most);
        if (!doParts(bank, boxes, parts, share, outcome)) {
            break;
        }
        left.erase(left.begin(), left.begin() + std::ssize(boxes));
    }
    drop();                           // made for one template
    outcome.times->uploads = uploads; // beside it, of some parts alone
    method::addStages({{"recomputation", watch.ms()}}, outcome.stagesMs);
}

} // namespace flcc::cuda
