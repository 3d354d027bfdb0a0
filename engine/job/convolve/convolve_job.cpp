#include "engine/job/convolve_job.h"

#include "engine/job/convolve/convolve_run.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/memory_errors.h"

namespace flcc::job {

namespace {

constexpr const char* kThis = "this convolution";
constexpr const char* kSmaller = "use a smaller {--region}";

} // namespace

ConvolveJob ConvolveJob::asked() const {
    ConvolveJob question;
    static_cast<ConvolveQuestion&>(question) = *this;
    return question;
}

bool isKernelFile(const std::string& kernel) {
    std::error_code error;
    return std::filesystem::exists(kernel, error) || !filter::isKernelName(kernel);
}

io::ProtectedFiles inputFiles(const ConvolveJob& job) {
    io::ProtectedFiles files;
    files.addImage(job.scene);
    if (isKernelFile(job.kernel)) {
        files.addImage(job.kernel);
    }
    files.add(job.planReport);
    return files;
}

std::vector<std::filesystem::path> outputFiles(const ConvolveJob& job) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& file : {job.output, job.report}) {
        if (!file.empty()) {
            files.push_back(file);
        }
    }
    return files;
}

ConvolveResult runConvolve(const ConvolveJob& job, const ConvolveImages& images,
                           std::stop_token stop, JobSink* sink) {
    detail::requireSteps(detail::convolveSteps(), job);
    detail::requireOwnOutputs(inputFiles(job), outputFiles(job));
    JobSink silent;
    return detail::withMemoryErrors(kThis, kSmaller, [&] {
        JobSink& heard = sink != nullptr ? *sink : silent;
        return job.stream ? detail::convolveFrames(job, images, stop, heard)
                          : detail::ConvolveRun(job, images, stop, heard).run();
    });
}

ConvolvePreview previewConvolve(const ConvolveJob& job, const ConvolveImages& images,
                                const filter::Plane& plane, std::stop_token stop) {
    detail::requireProcessor(job.device);
    JobSink silent;
    ConvolveJob estimated = job;
    estimated.planning = plan::Planning::Estimate;
    return detail::withMemoryErrors(kThis, kSmaller, [&] {
        return detail::ConvolveRun(estimated, images, stop, silent).preview(plane);
    });
}

} // namespace flcc::job
