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
            {"ranks", stack.ranks},
            {"normalise", match::name(stack.normalise)},
            {"interpolation", stack.subvoxel ? "cubic" : "none"},
            {"turned", stack.turned},
            {"layout",
             "box i, from 0, has the slices from i * size[2]; boxes have the order of the "
             "peaks, without those left out"}};
}

namespace {

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
                  {"threshold", prepare::kRingThreshold},
                  {"resolution_voxels", orNull(average.halves.resolution)},
                  {"resolution", orNull(average.resolution)},
                  {"unit", average.unit}};
    }
    return {{"path", average.file.empty() ? Json(nullptr) : Json(average.file)},
            {"size", json::toJson(average.size)},
            {"count", average.count},
            {"left_out", average.leftOut},
            {"inverted", average.inverted},
            {"normalise", match::name(average.normalise)},
            {"interpolation", "cubic"},
            {"mean_variance", average.count > 0 ? Json(average.meanVariance) : Json(nullptr)},
            {"halves", halves}};
}

} // namespace

Json averageJson(const std::vector<AverageReport>& averages) {
    return averages.size() == 1 && averages.front().count > 0 ? toJson(averages.front())
                                                              : Json(nullptr);
}

Json averagesJson(const std::vector<AverageReport>& averages) {
    if (averages.size() < 2) {
        return nullptr;
    }
    Json list = Json::array();
    for (const AverageReport& average : averages) {
        Json entry{{"template", average.templ}};
        entry.update(toJson(average));
        list.push_back(std::move(entry));
    }
    return list;
}

Json settingsJson(const std::string& jobFile) {
    return jobFile.empty() ? Json(nullptr) : restored(Json::parse(jobFile));
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
    return (report.stack ? textOf(*report.stack) : std::string()) + textOf(report.averages);
}

} // namespace flcc::job::detail

namespace flcc::job {

std::string textOf(const StackReport& stack) {
    return "Stack: " + std::to_string(stack.count) +
           (stack.count == 1 ? " box of " : " boxes of ") + base::toString(stack.size) +
           " voxels, " + detail::normaliseText(stack.normalise) +
           (stack.turned     ? ", turned back by their poses"
            : stack.subvoxel ? ", interpolated at sub-voxel centres"
                             : ", on whole voxels") +
           detail::leftOutText(stack.leftOut) + "\n";
}

namespace {

std::string textOf(const AverageReport& average, bool several) {
    const std::string name =
        several ? "Average of template " + std::to_string(average.templ) + ": " : "Average: ";
    if (average.count == 0) {
        return name + "none, no peak has its box of " + base::toString(average.size) +
               " voxels inside the scene" + detail::leftOutText(average.leftOut) + "\n";
    }
    std::string text =
        name + "of " + std::to_string(average.count) +
        (average.count == 1 ? " box of " : " boxes of ") + base::toString(average.size) +
        " voxels at sub-voxel centres, " + detail::normaliseText(average.normalise) +
        "; mean variance " + detail::shortest(average.meanVariance) +
        detail::leftOutText(average.leftOut) +
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

} // namespace

std::string textOf(const std::vector<AverageReport>& averages) {
    std::string text;
    for (const AverageReport& average : averages) {
        text += textOf(average, averages.size() > 1);
    }
    return text;
}

} // namespace flcc::job
