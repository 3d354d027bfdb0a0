#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/method/match_map.h"
#include "engine/method/problem.h"

namespace flcc::method {

/// Sums over the scores that the members of a search gave a voxel. Where scores are merged they are
/// added in the order of the members, so that neither batches nor tiles nor threads change a digit.
/// **Shapes**: those of the map; without voxels where nobody asks for them.
struct SearchSums {
    base::View<double> sum;
    base::View<double> squares;
    base::View<std::int32_t> count; ///< members that have a score there

    [[nodiscard]] bool wanted() const { return count.data() != nullptr; }
};

/// Memory for SearchSums.
struct SearchTotals {
    base::Image<double> sum;
    base::Image<double> squares;
    base::Image<std::int32_t> count;

    explicit SearchTotals(const base::Extents& map) : sum(map), squares(map), count(map) {}
    [[nodiscard]] SearchSums view() { return {sum.view(), squares.view(), count.view()}; }
};

/// Which scores of the templates of a bank count, for a part of the map.
struct Counted {
    /// Of each template, the box of placements that count, in voxels of the whole map; empty where
    /// all do. Others get no score: NOT_COMPUTED.
    std::span<const base::Box> placements{};
    base::Index corner{}; ///< of the part in the map
    /// A score of a support that lies inside goes before any PARTIAL one, whatever their values.
    bool wholeFirst = false;

    /// The placements of a template, in voxels of this part, which has these extents; may be empty.
    [[nodiscard]] base::Box of(std::int32_t templ, const base::Extents& part) const;
};

/// Takes the scores of a template at placements that do not count from a part of a map. True if
/// there are any.
bool leaveOut(const MapView& scores, std::int32_t templ, const Counted& counted);

/// The map of a bank: for each voxel the best score of all templates, and the index of the template
/// that gave it. Templates count from 0 in their order; the index is -1 where there is no score.
/// **Shapes**: `index` has the extents of the map.
struct BankView {
    MapView map;
    base::View<std::int32_t> index;
    SearchSums sums{}; ///< not cleared before: a run adds its scores to what they hold
    Counted counted{};
};

[[nodiscard]] inline SearchSums partOf(const SearchSums& sums, const base::Box& box) {
    return sums.wanted()
               ? SearchSums{sums.sum.part(box), sums.squares.part(box), sums.count.part(box)}
               : sums;
}

/// The part of a bank's map inside `box`. `index` and `sums` stay without voxels if they have none.
[[nodiscard]] inline BankView partOf(const BankView& bank, const base::Box& box) {
    Counted counted = bank.counted;
    counted.corner = {counted.corner.x + box.corner.x, counted.corner.y + box.corner.y,
                      counted.corner.z + box.corner.z};
    return {partOf(bank.map, box), bank.index.data() == nullptr ? bank.index : bank.index.part(box),
            partOf(bank.sums, box), counted};
}

/// Adds the scores of one member to the sums of the same part, if they are wanted. Call it for the
/// members in their order, before mergeBest() changes a map that holds the scores.
void addScores(const MapView& scores, const SearchSums& sums);

/// Sets the sums of a part to 0, if they are wanted.
void clearSums(const SearchSums& part);

/// Merges the scores of template `templ` into the best scores so far, for a part of the map. Merge
/// template 0 first, since it overwrites `best`; the order of the others does not change the
/// result.
///
/// A voxel that has a score for some template gets the best score, the largest or the smallest,
/// with the index and status of its template (but see Counted::wholeFirst); of equal scores that of
/// the lowest index. Its status
/// is LOWCONF if any template's is, since the best score is then uncertain. A voxel without any
/// score has value 0, the status of template 0 and index -1. Scores are compared in double if the
/// map holds doubles.
/// **Shapes**: `scores` and `best` have the same extents.
void mergeBest(const MapView& scores, std::int32_t templ, const BankView& best,
               Best which = Best::Largest);

/// Merges the best scores of templates `first`, `first` + 1, ... into those of the templates before
/// them: the result is that of one bank. `scores.index` counts its templates from 0.
/// **Shapes**: as mergeBest().
void mergeBanks(const BankView& scores, std::int32_t first, const BankView& best,
                Best which = Best::Largest);

/// Does what mergeBest() does for template 0 when its scores are already in `best.map`: sets the
/// index.
void startBest(const BankView& best);

/// Resets a part to the state before a run: value 0, NOT_COMPUTED, index -1, sums 0.
void clearBest(const BankView& part);

/// Sums over the scores of a part of a map, rounded by ofPart().
[[nodiscard]] ScoreSums scoreSums(const MapView& part);
/// The same for values of any range, not rounded.
[[nodiscard]] ScoreSums valueSums(const MapView& part);
/// The sums of a part rounded to multiples of 2^-20, which makes totals over the parts of a map of
/// less than 2^33 voxels independent of the order of the parts (NUMERICS.md, section 9).
[[nodiscard]] ScoreSums ofPart(const ScoreSums& sums);

/// Adds the number of voxels of each status in a part to `facts.statusCounts`.
void addStatuses(const MapView& part, MapFacts& facts);

/// Adds the facts of the run of one template to those of its bank: counts and score sums are added,
/// of bounds the largest stays. Status counts are not added, since they belong to the best map.
void addTemplate(const MapFacts& templ, MapFacts& bank);

/// Adds the times of `from` to the stages of the same name in `to`; appends stages that `to` lacks.
void addStages(const StagesMs& from, StagesMs& to);

/// **Errors**: Problem unless `count` is the number of templates of `problem` and at least 1.
void requireTemplates(const Problem& problem, std::size_t count);

} // namespace flcc::method
