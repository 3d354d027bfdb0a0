#pragma once

#include <QString>

#include <memory>
#include <stop_token>

#include "engine/job/job.h"

namespace flcc::ui {

/// What the heatmap of a search shows: the best score of each placement, or of the scores that all
/// orientations gave it how far the best one stands out, their mean or their deviation
/// (engine/match/search_statistics.h).
enum class SearchValues { Score, Z, Mean, Deviation };

/// "Score", "z", "Mean score", "Deviation".
[[nodiscard]] QString nameOf(SearchValues values);

/// These values as a map, with the statuses of the scores; placements with fewer than two scores
/// are NOT_COMPUTED. `result` must have statistics of the search. Null if stopped.
/// **Threads**: any. **Cost**: a copy of the map.
[[nodiscard]] std::shared_ptr<const method::MatchMap>
mapOfValues(const job::JobResult& result, SearchValues values, const std::stop_token& stop);

/// The value of a peak; its score where it has no statistics.
[[nodiscard]] double valueOf(const match::Peak& peak, SearchValues values);

} // namespace flcc::ui
