#include "engine/job/report/report_parts.h"

namespace flcc::job::detail::json {

namespace {

/// The pose of a peak; null where templates were matched as they are.
Json poseJson(const std::optional<rotation::Pose>& pose) {
    if (!pose) {
        return nullptr;
    }
    const rotation::Quaternion& q = pose->turn;
    return {{"euler", toJson(rotation::eulerOf(q))}, // rot, tilt and psi of RELION
            {"quaternion", {q.w, q.x, q.y, q.z}},
            {"scale", pose->scale},
            {"mirrored", pose->mirrored}};
}

} // namespace

Json toJson(const match::Peak& peak, std::size_t rank, std::optional<std::size_t> under,
            match::Decision decision) {
    return {{"rank", rank},
            {"score", peak.score},
            {"bound", peak.bound},
            {"status", base::name(peak.status)},
            {"corner", toJson(peak.corner)},
            {"centre", toJson(peak.centre)},
            {"world", toJson(peak.world)},
            {"shift", toJson(peak.shift)},
            {"curvature", toJson(peak.curvature)},
            {"placed_by", match::name(peak.placedBy)},
            {"error", peak.error ? toJson(*peak.error) : Json(nullptr)},
            {"template", peak.templ},
            {"pose", poseJson(peak.pose)},
            {"refinement", peak.refinement
                               ? Json{{"score", peak.refinement->score},
                                      {"searched", poseJson(peak.refinement->searched)},
                                      {"turn_error", toJson(peak.refinement->turnError)},
                                      {"scale_error", peak.refinement->scaleError},
                                      {"scale_ends", peak.refinement->scaleEnds}}
                               : Json(nullptr)},
            {"rival", orNull(peak.rival)},
            {"zscore", orNull(peak.zscore)},
            {"false_positives", orNull(peak.falsePositives)},
            {"overlap",
             under ? Json{{"share", peak.overlap->share}, {"under", *under}} : Json(nullptr)},
            {"sharpness", orNull(peak.sharpness)},
            {"search", peak.search ? Json{{"mean", peak.search->mean},
                                          {"deviation", peak.search->deviation},
                                          {"z", peak.search->z}}
                                   : Json(nullptr)},
            {"made_of", peak.madeOf},
            {"decision",
             decision == match::Decision::Undecided ? Json(nullptr) : Json(match::name(decision))},
            {"polarity", peak.dark ? Json(*peak.dark ? "dark" : "bright") : Json(nullptr)}};
}

} // namespace flcc::job::detail::json
