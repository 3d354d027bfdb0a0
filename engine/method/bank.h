#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// The best score of the templates of a bank, voxel by voxel, and which one gave it, from 0 in
/// their order; -1 where there is no score (METHODS 6). **Shapes**: index as the map.
struct BankView {
    MapView map;
    base::View<std::int32_t> index;
};

/// The part of a bank's map inside `box`; without an index where that has none.
[[nodiscard]] inline BankView partOf(const BankView& bank, const base::Box& box) {
    return {partOf(bank.map, box),
            bank.index.data() == nullptr ? bank.index : bank.index.part(box)};
}

/// Takes the scores of template `templ` for a part of the map into the best ones. Template 0 comes
/// first and replaces what is there; the order of the others is free.
///
/// A voxel without a score of any template has the status of template 0, value 0 and index -1. Any
/// other has the largest score, of equal ones that of the earliest template, with its index and
/// status; but it is LOWCONF when it is so for any template, since the best is then not certain.
/// Scores are compared in double where both maps have them so.
/// **Shapes**: scores and best alike.
void mergeBest(const MapView& scores, std::int32_t templ, const BankView& best);

/// Makes the map of template 0 the best so far: what mergeBest() does, with no copy.
void startBest(const BankView& best);

/// Makes a part as it was before a run: 0, NOT_COMPUTED, -1.
void clearBest(const BankView& part);

/// Sums over the scores of a part of a map. They are multiples of 2^-20, so that sums over the
/// parts of maps of less than 2^33 voxels do not depend on the order of the parts.
[[nodiscard]] ScoreSums scoreSums(const MapView& part);
/// Sums over a part, taken elsewhere, as such multiples.
[[nodiscard]] ScoreSums ofPart(const ScoreSums& sums);

/// Adds the statuses of a part to `facts`.
void addStatuses(const MapView& part, MapFacts& facts);

/// Adds what is known of a template's run to the facts of its bank: the sums of counts of voxels,
/// the largest of bounds. Not the statuses, which are those of the best map.
void addTemplate(const MapFacts& templ, MapFacts& bank);

/// Adds the times of stages to those of the same name.
void addStages(const StagesMs& from, StagesMs& to);

/// Throws Problem unless `count` templates are those of `problem`, at least one.
void requireTemplates(const Problem& problem, std::size_t count);

} // namespace flcc::method
