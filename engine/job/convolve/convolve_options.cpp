#include "engine/job/convolve/convolve_options.h"

#include <utility>

#include "engine/job/convolve/convolve_run.h"
#include "engine/job/options/common_options.h"
#include "engine/job/options/option_kinds.h"

namespace flcc::job {

namespace {

using namespace detail::kinds;
namespace rows = detail::rows;

std::vector<detail::Option<ConvolveJob>> makeRows() {
    using filter::Border;
    using method::Extent;
    detail::Option<ConvolveJob> kernel{
        .name = "kernel",
        .value = "KERNEL",
        .help = "a file, or " + std::string(filter::kernelNames()),
        .get =
            [](const ConvolveJob& job) {
                return job.kernel.empty() ? std::nullopt : std::optional(job.kernel);
            },
        .set = [](ConvolveJob& job, const std::string& text) { job.kernel = text; }};
    return {
        rows::scene("scene", "image or volume; may be a plain argument"),
        std::move(kernel),
        fileOption<ConvolveJob>("output", "FILE",
                                "write the result: .mha .nrrd .nii .nii.gz .mrc .tif .h5",
                                &ConvolveJob::output),
        enumOption<ConvolveJob>(
            "extent", "voxels of the result: of the scene, inside it, all reached",
            &ConvolveJob::extent, std::vector{Extent::Same, Extent::Valid, Extent::Full}),
        enumOption<ConvolveJob>(
            "border", "values beyond the borders of the scene", &ConvolveJob::border,
            std::vector{Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap}),
        rows::method("method that computes the result; auto: the plan chooses",
                     filter::methodNames()),
        rows::tile(),
        rows::transforms(),
        countOption<ConvolveJob>("parts", "D",
                                 "parts of method dif; more of them take less memory and more time",
                                 &ConvolveJob::parts, 2, std::int64_t{1} << 20),
        rows::precision("arithmetic of the result; double: the result is float64"),
        rows::device("device that computes; convolution runs on the processor only"),
        rows::threads(),
        rows::memory(),
        rows::planning(),
        rows::plan(),
        rows::repeat(),
        rows::region("convolve this box as if it were the whole scene (default: all)"),
        rows::channel(),
        rows::frame(),
        rows::orientation(),
        rows::image(),
        rows::part(),
        rows::spacing(),
        rows::stream("convolve every slice of the scene, a stack, on its own; one output "
                     "for all, as .mha or .nrrd"),
        rows::report("FILE.json", "write the plan, times and statistics of the result"),
    };
}

void requireSensible(const ConvolveJob& job) {
    detail::requireFrames(job);
    if (job.planReport.empty()) {
        filter::requireParts(job.parts, job.method);
    } else if (job.parts > 0) {
        detail::refuseBesidePlan("parts");
    }
}

} // namespace

const detail::OptionTable<ConvolveJob>& detail::convolveOptions() {
    static const OptionTable<ConvolveJob> kTable(
        {.name = "convolve",
         .places = {{"scene"}, {"kernel"}},
         .usage = "a scene and a kernel: flcc-cli convolve SCENE KERNEL --output FILE",
         .replace = settlePlan,
         .require = requireSensible,
         .isComplete =
             [](const ConvolveJob& job) { return !job.scene.empty() && !job.kernel.empty(); }},
        makeRows());
    return kTable;
}

} // namespace flcc::job
