#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/match/exclusion.h"
#include "engine/match/peaks.h"

namespace flcc::match {

/// What a null template says beside the template: its peaks compete with those of the template for
/// their places, and the higher one has the place.
struct NullCompetition {
    /// The scores of the null that are counted as false positives, best first: of its peaks that
    /// have their places, and of the template's peaks that lost theirs to one of them.
    std::vector<double> scores;
    /// Places, of the best 1000, where the template reaches the threshold, and those of them that
    /// the null has.
    std::int64_t peaks = 0;
    std::int64_t matched = 0;
    double ratio = 0; ///< median over these places of the null's score over the template's
    /// Whether the template scores clearly more at the best places, however many: the sum of the
    /// differences is above 3.1 times the deviation that it has if both score alike and their noise
    /// is independent. Copies of the template do not count.
    bool better = false;
};

/// Lets the peaks of a template and of its null compete. Where a scene holds no template, both
/// lists are alike, and for each pair of peaks at one place that both reach a score there is one
/// that the null wins and one that it loses. So the peaks of the null that lose may be left out,
/// and objects with them, if the lower peaks of the pairs that it wins are counted in their place.
/// Of equal scores the null's is the higher one.
///
/// `zone`: the template of a peak as it lies there. A peak is at the place of a higher one if its
/// centre lies within half of the extents of that template on each of its axes. `largest`: a box
/// that holds every zone. `deviation`: of the scores of noise. Both lists are sorted, best first.
/// **Source**: Elias and Gygi, Nature Methods 4, 2007, who let spectra of proteins and of decoys
/// compete.
[[nodiscard]] NullCompetition compete(const std::vector<Peak>& peaks,
                                      const std::vector<Peak>& nulls, double threshold,
                                      double deviation, const base::Extents& largest,
                                      const std::function<Exclusion::Turned(const Peak&)>& zone);

} // namespace flcc::match
