// A search over poses, and the poses of peaks, as text.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/job/report/report_parts.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using detail::bytesText;
using detail::fixed;
using detail::shortest;

namespace {

std::string counted(std::int64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string secondsOf(const SearchRow& row) {
    return !row.predictedMs
               ? "a time that is not known"
               : (row.isMore ? "over " : "about ") + fixed(*row.predictedMs / 1000, 2) + " s";
}

/// The chosen way to search, and what became of the others.
std::string searchesText(const PosesReport& poses) {
    std::string text;
    for (const SearchRow& row : poses.searches) {
        if (row.verdict == plan::CandidateVerdict::Chosen) {
            text += row.search == "pruned"
                        ? "; pruned search, with the peaks of an exhaustive one, in "
                    : row.search == "heuristic" ? "; heuristic search, which may miss peaks, in "
                                                : "; all scores in ";
            text += secondsOf(row) + " and " + bytesText(poses.memoryBytes);
        } else if (row.verdict == plan::CandidateVerdict::Slower) {
            text += "; " + row.search + " " + secondsOf(row);
        } else {
            text += "; not " + row.search + ": " + row.reason;
        }
    }
    if (poses.pruned) {
        text += "; prepared in " + fixed(poses.pruned->prepareMs / 1000, 2) + " s, searched in " +
                fixed(poses.pruned->searchMs / 1000, 2) + " s; " +
                counted(poses.pruned->limits, "placement") + " of " +
                fixed(poses.pruned->placements / 1e6, 0) + " million compared pixel by pixel";
    }
    return text;
}

bool areOblong(const PosesReport& poses) {
    constexpr double kSame = 1e-6; // of spacings in files
    const auto differ = [&](std::size_t axis) {
        return std::abs(poses.edges[axis] / poses.edges[0] - 1) > kSame;
    };
    return differ(1) || (!poses.flat && differ(2));
}

} // namespace

std::string posesText(const PosesReport& poses) {
    std::string text = counted(poses.turns, "rotation");
    if (poses.step > 0) {
        text += std::string(poses.flat ? " in the plane" : "") + ", step " + fixed(poses.step, 2) +
                " degrees, every rotation within " + fixed(poses.radius, 2);
    }
    if (poses.nside > 0) {
        text += " (HEALPix nside " + std::to_string(poses.nside) + ", " +
                std::to_string(poses.inPlane) + " angles each)";
    }
    text += poses.symmetry == "C1" ? "" : ", symmetry " + poses.symmetry;
    if (poses.scales.size() > 1) {
        text += ", " + counted(std::ssize(poses.scales), "scale") + " from " +
                fixed(poses.scales.front(), 3) + " to " + fixed(poses.scales.back(), 3);
    } else if (poses.scales.front() != 1) {
        text += ", scale " + fixed(poses.scales.front(), 3);
    }
    text += poses.mirror ? ", both hands" : "";
    text += ": " + counted(poses.members, "member") + " in boxes of " + base::toString(poses.box) +
            " voxels, at most " + std::to_string(poses.batch) + " at once";
    if (areOblong(poses)) {
        text += "; voxels are " + fixed(poses.edges[0], 3) + " x " + fixed(poses.edges[1], 3) +
                (poses.flat ? "" : " x " + fixed(poses.edges[2], 3)) + ", and lengths are turned";
    }
    text += searchesText(poses);
    text += poses.isUnfinished() ? "; unfinished: " + std::to_string(poses.done) + " of " +
                                       counted(poses.members, "member") + " searched"
                                 : "";
    text += poses.kept > 0 ? "; " + counted(poses.kept, "member") + " searched before" : "";
    text += poses.refineMs
                ? "; refining a peak about " + fixed(*poses.refineMs, 1) + " ms on one thread"
                : "";
    return text + (poses.perSecond ? "; " + fixed(*poses.perSecond, 1) + " a second" : "");
}

bool isUnfinished(const JobReport& report) { return report.poses && report.poses->isUnfinished(); }

std::string unfinishedText(const JobReport& report) {
    return isUnfinished(report) ? "unfinished: " + std::to_string(report.poses->done) + " of " +
                                      std::to_string(report.poses->members) +
                                      " orientations are searched, and scores and peaks are the "
                                      "best of these"
                                : std::string();
}

std::string poseText(const rotation::Pose& pose, bool flat) {
    constexpr double kTenth = 0.1;
    const auto degrees = [](double angle) {
        std::string text = fixed(angle, 1);
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    };
    const base::Point euler = rotation::roundedEuler(pose.turn, kTenth);
    std::string text = flat ? degrees(rotation::roundedInPlane(pose.turn, kTenth))
                            : "rot " + degrees(euler[0]) + " tilt " + degrees(euler[1]) + " psi " +
                                  degrees(euler[2]);
    text += pose.scale == 1 ? "" : " x" + fixed(pose.scale, 3);
    return text + (pose.mirrored ? " mirrored" : "");
}

std::string poseText(const match::Peak& peak, bool flat) {
    return !peak.pose        ? std::string()
           : peak.refinement ? poseText(*peak.pose, flat) +
                                   (peak.refinement->scaleEnds ? " (end of the scales)" : "") +
                                   " (" + fixed(peak.refinement->score, 4) + ")"
                             : poseText(*peak.pose, flat);
}

std::string placeErrorText(const match::Peak& peak) {
    return peak.error ? fmt::format("{:.2g}", std::ranges::max(*peak.error)) : std::string();
}

} // namespace flcc::job

namespace flcc::job::detail::json {

namespace {

Json toJson(const PrunedReport& pruned) {
    return {{"cell", pruned.edge},         {"placements", pruned.placements},
            {"nodes", pruned.nodes},       {"kept_nodes", pruned.kept},
            {"points", pruned.points},     {"pixel_comparisons", pruned.limits},
            {"scores", pruned.scores},     {"prepare_ms", pruned.prepareMs},
            {"search_ms", pruned.searchMs}};
}

Json toJson(const std::vector<SearchRow>& rows) {
    Json json = Json::array();
    for (const SearchRow& row : rows) {
        json.push_back({{"search", row.search},
                        {"verdict", plan::name(row.verdict)},
                        {"reason", row.reason},
                        {"predicted_ms", orNull(row.predictedMs)},
                        {"at_least", row.isMore},
                        {"measured_ms", orNull(row.measuredMs)}});
    }
    return json;
}

} // namespace

Json toJson(const PosesReport& poses) {
    const auto number = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    return {{"members", poses.members},
            {"rotations", poses.turns},
            {"scales", poses.scales},
            {"mirror", poses.mirror},
            {"flat", poses.flat},
            {"symmetry", poses.symmetry},
            {"step", number(poses.step)},
            {"radius", number(poses.radius)},
            {"nside", poses.nside > 0 ? Json(poses.nside) : Json(nullptr)},
            {"in_plane", poses.inPlane > 0 ? Json(poses.inPlane) : Json(nullptr)},
            {"voxel_edges", toJson(poses.edges)},
            {"box", toJson(poses.box)},
            {"batch", poses.batch},
            {"memory_bytes", poses.memoryBytes},
            {"search", poses.search},
            {"searches", toJson(poses.searches)},
            {"pruned", poses.pruned ? toJson(*poses.pruned) : Json(nullptr)},
            {"predicted_ms", orNull(poses.predictedMs)},
            {"per_second", orNull(poses.perSecond)},
            {"refine_ms", orNull(poses.refineMs)},
            {"resumed_members", poses.kept},
            {"done_members", poses.done},
            {"unfinished", poses.isUnfinished()}};
}

} // namespace flcc::job::detail::json
