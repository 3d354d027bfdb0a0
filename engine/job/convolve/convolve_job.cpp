#include "engine/job/convolve_job.h"

#include <new>

#include "engine/base/error.h"
#include "engine/job/convolve/convolve_run.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/machine.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

/// Calls `body` and turns failed allocations into the error they are.
template <class Body> auto withMemoryErrorsOfConvolve(const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Memory,
                    "the machine has too little free memory for this convolution (" +
                        detail::bytesText(detail::availableMemory()) +
                        " left); close other programs or use a smaller --region");
    }
}

} // namespace

bool isKernelFile(const std::string& kernel) {
    std::error_code error;
    return std::filesystem::exists(kernel, error) || !filter::isKernelName(kernel);
}

io::ProtectedFiles inputFiles(const ConvolveJob& job) {
    io::ProtectedFiles files;
    files.addImage(job.run.scene);
    if (isKernelFile(job.kernel)) {
        files.addImage(job.kernel);
    }
    files.add(job.run.planReport);
    return files;
}

std::vector<std::filesystem::path> outputFiles(const ConvolveJob& job) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::path& file : {job.output, job.run.report}) {
        if (!file.empty()) {
            files.push_back(file);
        }
    }
    return files;
}

ConvolveResult runConvolve(const ConvolveJob& job, const ConvolveImages& images,
                           std::stop_token stop, JobSink* sink) {
    detail::requireProcessor(job.run.device);
    detail::requireFrames(job);
    requireOwnFiles(inputFiles(job), outputFiles(job));
    for (const std::filesystem::path& file : outputFiles(job)) {
        detail::requireFolder(file);
    }
    JobSink silent;
    return withMemoryErrorsOfConvolve([&] {
        JobSink& heard = sink != nullptr ? *sink : silent;
        return job.run.stream ? detail::convolveFrames(job, images, stop, heard)
                              : detail::ConvolveRun(job, images, stop, heard).run();
    });
}

ConvolvePreview previewConvolve(const ConvolveJob& job, const ConvolveImages& images,
                                const filter::Plane& plane, std::stop_token stop) {
    detail::requireProcessor(job.run.device);
    JobSink silent;
    ConvolveJob estimated = job;
    estimated.run.planning = plan::Planning::Estimate;
    return withMemoryErrorsOfConvolve(
        [&] { return detail::ConvolveRun(estimated, images, stop, silent).preview(plane); });
}

} // namespace flcc::job
