#include "engine/job/report/export_report.h"

#include <cmath>

#include "engine/base/spacing.h"
#include "engine/job/boxes.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

namespace json {

Json toJson(const StackReport& stack) {
    return {{"path", stack.file},
            {"size", toJson(stack.size)},
            {"count", stack.count},
            {"left_out", stack.leftOut},
            {"normalise", match::name(stack.normalise)},
            {"interpolation", stack.subvoxel ? "cubic" : "none"},
            {"layout",
             "box i, from 0, has the slices from i * size[2]; boxes have the order of the "
             "peaks, without those left out"}};
}

Json toJson(const AverageReport& average) {
    Json halves = nullptr;
    if (!average.halves.frequency.empty()) {
        Json values = Json::array();
        for (const double value : average.halves.correlation) {
            values.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
        }
        halves = {{"kind", average.size.z > 1 ? "fsc" : "frc"},
                  {"frequency", average.halves.frequency},
                  {"correlation", values},
                  {"threshold", match::kRingThreshold},
                  {"resolution_voxels", orNull(average.halves.resolution)},
                  {"resolution", orNull(average.resolution)},
                  {"unit", average.unit}};
    }
    return {{"path", average.file},
            {"size", toJson(average.size)},
            {"count", average.count},
            {"left_out", average.leftOut},
            {"inverted", average.inverted},
            {"normalise", match::name(average.normalise)},
            {"interpolation", "cubic"},
            {"mean_variance", average.meanVariance},
            {"halves", halves}};
}

Json settingsJson(const std::string& jobFile) {
    return jobFile.empty() ? Json(nullptr) : Json::parse(jobFile);
}

} // namespace json

namespace {

std::string normaliseText(match::Normalise normalise) {
    return normalise == match::Normalise::None ? "values as they are"
           : normalise == match::Normalise::Mean
               ? "each without its mean"
               : "each without its mean, divided by its deviation";
}

std::string leftOutText(std::int64_t leftOut) {
    return leftOut == 0 ? std::string()
                        : "; " + std::to_string(leftOut) + (leftOut == 1 ? " peak" : " peaks") +
                              " left out, because the box leaves the scene";
}

} // namespace

std::string exportsText(const JobReport& report) {
    return (report.stack ? textOf(*report.stack) : std::string()) +
           (report.average ? textOf(*report.average) : std::string());
}

} // namespace flcc::job::detail

namespace flcc::job {

std::string textOf(const StackReport& stack) {
    return "Stack: " + std::to_string(stack.count) +
           (stack.count == 1 ? " box of " : " boxes of ") + base::toString(stack.size) +
           " voxels, " + detail::normaliseText(stack.normalise) +
           (stack.subvoxel ? ", interpolated at sub-voxel centres" : ", on whole voxels") +
           detail::leftOutText(stack.leftOut) + "\n";
}

std::string textOf(const AverageReport& average) {
    std::string text =
        "Average: of " + std::to_string(average.count) + " boxes of " +
        base::toString(average.size) + " voxels at sub-voxel centres, " +
        detail::normaliseText(average.normalise) + "; mean variance " +
        detail::shortest(average.meanVariance) + detail::leftOutText(average.leftOut) +
        (average.inverted > 0 ? "; " + std::to_string(average.inverted) +
                                    (average.inverted == 1 ? " dark box" : " dark boxes") +
                                    " inverted about the mean of each"
                              : std::string()) +
        "\n";
    if (average.halves.frequency.empty()) {
        return text;
    }
    const auto& resolution = average.halves.resolution;
    text +=
        std::string("  halves: ") + (average.size.z > 1 ? "FSC " : "FRC ") +
        (resolution
             ? "falls below 0.143 at " + detail::fixed(*resolution, 2) + " voxels" +
                   (average.resolution && average.unit != "px"
                        ? " (" + detail::fixed(*average.resolution, 2) + " " + average.unit + ")"
                        : std::string())
             : std::string("stays above 0.143 up to 2 voxels")) +
        "; both halves are placed by one template, so this is an upper limit\n";
    return text;
}

} // namespace flcc::job
