#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/input/inputs.h"
#include "engine/job/options/options.h"
#include "engine/job/world_axes.h"

namespace flcc::job {

base::Geometry statedGeometry(const SceneImage& image, const std::optional<base::Spacing>& spacing,
                              const std::optional<base::WorldAxes>& world) {
    const base::Geometry own = withAxes(image.geometry, world);
    return spacing ? base::withSpacing(own, *spacing, base::extentsOf(image.pixels)) : own;
}

void restate(JobResult& result, const std::optional<base::Spacing>& spacing,
             const std::optional<base::WorldAxes>& world) {
    // Not statedGeometry(): the result of one of several scenes has no pixels.
    const base::Geometry own = withAxes(result.scene->geometry, world);
    result.geometry = spacing ? base::withSpacing(own, *spacing, result.report.scene) : own;
    result.report.geometry = result.geometry;
    const base::Point corner = detail::pointOf(result.mapCorner);
    const base::Point half = detail::halfOf(result.report.plan.problem.templ);
    result.mapGeometry = base::movedTo(
        result.geometry, {corner[0] + half[0], corner[1] + half[1], corner[2] + half[2]});
    for (std::vector<match::Peak>* peaks : {&result.peaks, &result.report.peaks}) {
        for (match::Peak& peak : *peaks) {
            peak.world = base::toWorld(result.geometry, peak.centre);
        }
    }
    for (FrameReport& frame : result.report.frames) {
        if (frame.best) {
            base::Point centre = frame.best->centre; // in its frame
            centre[2] = frame.frame;
            frame.best->world = base::toWorld(result.geometry, centre);
        }
    }
}

namespace detail {

Option spacingOption() {
    return {.name = "spacing",
            .kind = ValueKind::Text,
            .value = "X[,Y[,Z]][UNIT]|resolution",
            .help = "spacing of the scenes in place of their files', such as 0.5um or 0.2,0.2,1mm; "
                    "resolution: the pixels per inch or centimetre that pictures state",
            .get =
                [](const Job& job) {
                    return job.spacing              ? std::optional(base::toString(*job.spacing))
                           : job.reading.resolution ? std::optional<std::string>("resolution")
                                                    : std::nullopt;
                },
            .set =
                [](Job& job, const std::string& text) {
                    job.reading.resolution = text == "resolution";
                    job.spacing = job.reading.resolution ? std::nullopt
                                                         : std::optional(base::parseSpacing(text));
                },
            .positional = false};
}

Option orientationOption() {
    return {.name = "orientation",
            .kind = ValueKind::Text,
            .value = "applied|stored",
            .help =
                "turn pictures as their files say (EXIF, TIFF), or leave rows as they are stored",
            .get =
                [](const Job& job) {
                    return job.reading.orientation == io::Orientation::Stored
                               ? std::optional<std::string>("stored")
                               : std::nullopt;
                },
            .set =
                [](Job& job, const std::string& text) {
                    if (text != "applied" && text != "stored") {
                        throw base::Error(base::ErrorCode::CommandLine,
                                          "--orientation must be one of applied|stored, not \"" +
                                              base::excerpt(text) + "\"");
                    }
                    job.reading.orientation =
                        text == "stored" ? io::Orientation::Stored : io::Orientation::Applied;
                },
            .positional = false};
}

Option imageOption() {
    return {.name = "image",
            .kind = ValueKind::Integer,
            .value = "N",
            .help = "image of a TIFF file with several images, from 0 (default: the main one)",
            .get =
                [](const Job& job) {
                    return job.reading.image ? std::optional(std::to_string(*job.reading.image))
                                             : std::nullopt;
                },
            .set =
                [](Job& job, const std::string& text) {
                    int number = -1;
                    const char* const end = text.data() + text.size();
                    const auto [rest, error] = std::from_chars(text.data(), end, number);
                    if (error != std::errc{} || rest != end || number < 0) {
                        throw base::Error(base::ErrorCode::CommandLine,
                                          "--image must be a whole number of at least 0, not \"" +
                                              base::excerpt(text) + "\"");
                    }
                    job.reading.image = number;
                },
            .positional = false};
}

} // namespace detail

} // namespace flcc::job
