#include "engine/job/report/report_parts.h"

namespace flcc::job::detail::json {

namespace {

Json countsJson(const std::array<std::int64_t, base::kStatusCount>& counts) {
    Json json = Json::object();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        json[std::string(base::name(static_cast<base::Status>(i)))] = counts[i];
    }
    return json;
}

/// The sums over the scores of all templates of a bank; null for one template.
Json sumsJson(const method::ScoreSums& sums) {
    if (sums.count == 0) {
        return nullptr;
    }
    return {{"count", sums.count},       {"sum", sums.sum},           {"squares", sums.squares},
            {"rounding", sums.rounding}, {"exponent", sums.exponent}, {"any_range", sums.anyRange}};
}

} // namespace

Json toJson(const MapReport& map) {
    return {{"min", map.statistics.minimum},
            {"max", map.statistics.maximum},
            {"mean", map.statistics.mean},
            {"std", map.statistics.standardDeviation},
            {"count", map.statistics.count},
            {"status", countsJson(map.facts.statusCounts)},
            {"over_range", map.facts.overRange},
            {"recomputed", map.facts.recomputed},
            {"recomputed_share", recomputedShare(map)},
            {"bound_kind", "empirical"}, // tests support the bound; parts are not proven
            {"bound_median", map.facts.boundMedian},
            {"bound_largest", map.facts.largestBound},
            {"best", map.best ? Json(map.best->value) : Json(nullptr)},
            {"occurrences", map.best ? Json(map.best->occurrences) : Json(nullptr)},
            {"occurrences_tolerance", map.best ? Json(map.best->tolerance) : Json(nullptr)},
            {"bound_largest_lowconf", map.facts.largestLowConf},
            {"bound_largest_relative", map.facts.largestRelative},
            {"largest_rounding", map.facts.largestRounding},
            {"bank_sums", sumsJson(map.facts.scores)}};
}

Json toJson(const AuditReport& audit) {
    const bool off = audit.verdict == AuditVerdict::Off;
    const auto known = [&](double value) { return off ? Json(nullptr) : Json(value); };
    return {{"verdict", name(audit.verdict)},
            {"reason", audit.reason},
            {"checked", audit.checked},
            {"wrong_status", audit.wrongStatus},
            {"largest_deviation", known(audit.largestDeviation)},
            {"largest_over_bound", known(audit.largestOverBound)},
            {"median_over_bound", known(audit.medianOverBound)},
            {"ms", audit.ms}};
}

Json toJson(const StreamReport& stream) {
    return {{"scene", stream.scene},
            {"scenes", stream.scenes},
            {"path", stream.source},
            {"plan_of", orNull(stream.planOf)},
            {"prepared_of", orNull(stream.preparedOf)},
            {"read_ahead", orNull(stream.readAhead)},
            {"in_flight", stream.inFlight}};
}

Json toJson(const FrameReport& frame) {
    return {{"frame", frame.frame},
            {"execute_ms", frame.executeMs},
            {"stream_ms", frame.streamMs},
            {"peaks_ms", frame.peaksMs},
            {"device", frame.device},
            {"min", frame.statistics.minimum},
            {"max", frame.statistics.maximum},
            {"mean", frame.statistics.mean},
            {"std", frame.statistics.standardDeviation},
            {"count", frame.statistics.count},
            {"status", countsJson(frame.facts.statusCounts)},
            {"recomputed", frame.facts.recomputed},
            {"audit", name(frame.verdict)},
            {"peaks", frame.peaks},
            {"best",
             frame.best ? toJson(*frame.best, 1, {}, match::Decision::Undecided) : Json(nullptr)},
            {"peaks_incomplete",
             frame.peaksIncomplete.empty() ? Json(nullptr) : Json(frame.peaksIncomplete)},
            {"threshold", frame.threshold ? toJson(*frame.threshold) : Json(nullptr)}};
}

} // namespace flcc::job::detail::json
