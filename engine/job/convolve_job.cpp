#include "engine/job/convolve_job.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/median.h"
#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/base/tile_pool.h"
#include "engine/io/image_file.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/detail/machine.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/detail/text.h"
#include "engine/job/knowledge.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using base::Extents;

namespace {

void requireProcessor(const std::string& device) {
    if (device != "auto" && device != method::kProcessor) {
        throw Error(ErrorCode::Device, "convolution runs on the processor only, not on " +
                                           base::excerpt(device) + "; use --device cpu");
    }
}

InputReport inputOf(std::string role, const SceneImage& image) {
    return {std::move(role), image.source, image.sha256, image.dataFile, image.series};
}

/// The rows of a plan in the words of plan reports.
std::vector<plan::CandidateReport> rowsOf(const filter::Plan& plan) {
    std::vector<plan::CandidateReport> rows;
    for (const filter::Considered& row : plan.candidates) {
        rows.push_back({.candidate = row.candidate,
                        .verdict = row.chosen       ? plan::CandidateVerdict::Chosen
                                   : row.prediction ? plan::CandidateVerdict::Slower
                                                    : plan::CandidateVerdict::Refused,
                        .reason = row.reason,
                        .prediction = row.prediction,
                        .measuredMs = row.measuredMs,
                        .sampleMs = row.sampleMs});
    }
    return rows;
}

/// Why a plan has no chosen candidate.
Error refusalOf(const filter::Plan& plan) {
    std::string reasons;
    bool memory = false;
    for (const filter::Considered& row : plan.candidates) {
        memory = memory || row.forMemory;
        const std::string reason = row.candidate.method + ": " + row.reason;
        if (reasons.find(reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
    }
    return memory ? Error(ErrorCode::Memory, "no method fits the memory limit (" + reasons +
                                                 "); raise --memory or use a smaller --region")
                  : Error(ErrorCode::Problem, "no method can do this: " + reasons);
}

ResultReport resultOf(const base::AnyImage& pixels, double bound) {
    ResultReport report;
    report.bound = bound;
    report.minimum = HUGE_VAL;
    report.maximum = -HUGE_VAL;
    double sum = 0;
    double squares = 0;
    std::visit(
        [&](const auto& image) {
            // The first value is taken away, so that squares do not cancel.
            double first = 0;
            for (std::int64_t i = 0; i < image.count(); ++i) {
                const auto value = static_cast<double>(image.data()[i]);
                if (std::isnan(value)) {
                    ++report.nan;
                    continue;
                }
                first = report.count == 0 ? value : first;
                ++report.count;
                report.minimum = std::min(report.minimum, value);
                report.maximum = std::max(report.maximum, value);
                sum += value - first;
                squares += (value - first) * (value - first);
            }
            if (report.count > 0) {
                const auto count = static_cast<double>(report.count);
                report.mean = first + sum / count;
                report.standardDeviation =
                    std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
            } else {
                report.minimum = report.maximum = 0;
            }
        },
        pixels);
    return report;
}

Spread spreadOf(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return {ms.front(), base::median(ms), ms.back()};
}

class ConvolveRun {
  public:
    ConvolveRun(const ConvolveJob& job, const ConvolveImages& images, const std::stop_token& stop,
                JobSink& sink)
        : m_job(job), m_images(images), m_stop(stop), m_sink(sink) {}

    ConvolveResult run() {
        m_result.cancelled = !(read() && plan() && requireCandidate() && execute() && write());
        return std::move(m_result);
    }

    ConvolvePreview preview(const filter::Plane& plane) {
        ConvolvePreview preview;
        preview.cancelled = !read();
        const base::Stopwatch watch;
        preview.cancelled = preview.cancelled || !plan();
        if (!preview.cancelled) {
            if (m_plan.chosen() == nullptr) {
                preview.refused = refusalOf(m_plan);
            }
            filter::Convolved shown = filter::convolvePlane(
                m_result.report.problem, *m_kernel, m_model, m_view, plane, *m_pool, m_stop);
            preview.cancelled = shown.cancelled;
            preview.plane = std::move(shown.pixels);
        }
        preview.ms = watch.ms();
        preview.report = std::move(m_result.report);
        return preview;
    }

  private:
    [[nodiscard]] const Job& common() const { return m_job.run; }
    [[nodiscard]] bool inDouble() const { return common().precision == method::Precision::Double; }

    bool read() {
        m_sink.phase(Phase::Read);
        const base::Stopwatch watch;
        if (common().scene.empty() && !m_images.scene) {
            throw Error(ErrorCode::CommandLine, "no scene given");
        }
        m_scene = m_images.scene ? m_images.scene
                                 : loadImage(common().scene, common().channel, common().frame,
                                             m_stop, common().memoryBytes);
        if (!m_scene) {
            return false;
        }
        note(*m_scene);
        ConvolveReport& report = m_result.report;
        report.environment = environment();
        report.inputs.push_back(inputOf("scene", *m_scene));
        report.scene = base::extentsOf(m_scene->pixels);
        report.region = common().region;
        if (common().region && !base::contains(report.scene, *common().region)) {
            throw Error(ErrorCode::Problem,
                        "the region " + base::toString(*common().region) + " leaves the scene " +
                            base::toString(report.scene) + "; choose a box inside it");
        }
        m_view = base::viewOf(m_scene->pixels);
        m_geometry = m_scene->geometry;
        if (common().region) {
            m_view = base::partOf(m_view, *common().region);
            m_geometry = base::movedTo(m_geometry, detail::pointOf(common().region->corner));
        }
        if (!readKernel()) {
            return false;
        }
        m_readMs = watch.ms();
        m_sink.progress(1);
        return !m_stop.stop_requested();
    }

    bool readKernel() {
        ConvolveReport& report = m_result.report;
        if (m_images.kernel || isKernelFile(m_job.kernel)) {
            const std::shared_ptr<const SceneImage> image =
                m_images.kernel ? m_images.kernel
                                : loadCompanion(m_job.kernel, common().channel, common().frame,
                                                m_stop, common().memoryBytes);
            if (!image) {
                return false;
            }
            note(*image);
            report.inputs.push_back(inputOf("kernel", *image));
            m_kernel.emplace(image->source, base::viewOf(image->pixels), common().precision);
        } else {
            m_kernel.emplace(
                filter::kernelByName(m_job.kernel, base::extentsOf(m_view), m_geometry));
        }
        report.kernel = {m_kernel->name(), m_kernel->extents(),
                         static_cast<int>(m_kernel->terms().size()), m_kernel->residual(),
                         m_kernel->sumOfMagnitudes()};
        report.problem = {base::extentsOf(m_view),
                          base::pixelType(m_view),
                          m_kernel->extents(),
                          m_job.extent,
                          m_job.border,
                          common().precision};
        const Extents result = filter::resultExtents(report.problem);
        if (!m_job.output.empty()) {
            io::requireWritable(m_job.output,
                                inDouble() ? base::PixelType::Float64 : base::PixelType::Float32,
                                result);
        }
        return true;
    }

    bool plan() {
        m_sink.phase(Phase::Plan);
        ConvolveReport& report = m_result.report;
        method::Limits limits;
        limits.threads = common().threads > 0 ? common().threads : base::availableThreads();
        limits.memoryBytes =
            common().memoryBytes > 0 ? common().memoryBytes : detail::availableMemory();
        filter::Wanted wanted{.method = common().method,
                              .tile = common().tile,
                              .parts = m_job.parts,
                              .timing = common().planning == plan::Planning::Estimate
                                            ? filter::Wanted::Timing::None
                                        : common().planning == plan::Planning::Measure
                                            ? filter::Wanted::Timing::Sample
                                            : filter::Wanted::Timing::Whole};
        if (!common().planReport.empty()) {
            wanted.candidate = chosenCandidate(common().planReport.string());
            requireProcessor(wanted.candidate->device);
            limits.threads = wanted.candidate->threads;
        }
        const std::shared_ptr<const plan::Knowledge> known = knowledge();
        m_model = known->model.value_or(method::CostModel{});
        m_pool.emplace(limits.threads);
        m_plan = filter::makePlan(report.problem, *m_kernel, limits, m_model, wanted, m_view,
                                  *m_pool, m_stop);
        report.limits = limits;
        report.planning = common().planning;
        report.calibrated = m_model.calibrated;
        report.planningMs = m_plan.planningMs;
        report.candidates = rowsOf(m_plan);
        const auto dif = std::find_if(
            report.candidates.begin(), report.candidates.end(),
            [](const plan::CandidateReport& row) { return row.candidate.parts > 0; });
        if (dif != report.candidates.end()) {
            report.parts = dif->candidate.parts;
            report.decompositions = filter::decompositions(report.problem, report.parts);
        }
        return !m_plan.cancelled && !m_stop.stop_requested();
    }

    [[nodiscard]] bool requireCandidate() const {
        if (m_plan.chosen() == nullptr) {
            throw refusalOf(m_plan);
        }
        return true;
    }

    bool execute() {
        m_sink.phase(Phase::Run);
        ConvolveReport& report = m_result.report;
        const method::Candidate& candidate = m_plan.chosen()->candidate;
        const detail::PeakMeter meter;
        std::vector<double> times;
        double bound = 0;
        for (int i = 0; i < common().repeat; ++i) {
            m_result.pixels = base::AnyImage();
            const base::Stopwatch watch;
            filter::Convolved one = filter::convolve(
                report.problem, *m_kernel, candidate, m_view, *m_pool, m_stop,
                [&](double share) { m_sink.progress((i + share) / common().repeat); });
            times.push_back(watch.ms());
            if (one.cancelled) {
                return false;
            }
            m_result.pixels = std::move(one.pixels);
            bound = one.bound;
        }
        RunReport run;
        run.executeMs = run.streamMs = spreadOf(times);
        run.readMs = m_readMs;
        run.peakHostBytes = meter.rise();
        run.threads = candidate.threads;
        run.device = candidate.device;
        report.run = std::move(run);
        report.candidates.front().measuredMs = report.run->executeMs.median;
        report.result = resultOf(m_result.pixels, bound);
        const Extents& m = report.problem.kernel;
        const base::Index first = filter::firstVoxel(report.problem);
        // The middle of the kernel lies on the voxel of the result.
        m_result.geometry =
            base::movedTo(m_geometry, detail::pointOf({first.x + m.x - 1 - (m.x - 1) / 2,
                                                       first.y + m.y - 1 - (m.y - 1) / 2,
                                                       first.z + m.z - 1 - (m.z - 1) / 2}));
        return !m_stop.stop_requested();
    }

    bool write() {
        m_sink.phase(Phase::Write);
        const base::Stopwatch watch;
        detail::OutputFiles files;
        if (!m_job.output.empty() && !files.add(m_job.output, [&](const io::AtomicFile& file) {
                const auto dropped = io::writeImage(file, base::viewOf(m_result.pixels),
                                                    m_result.geometry, {}, m_stop);
                for (const std::string& sentence : dropped.value_or(std::vector<std::string>{})) {
                    m_result.notes.push_back(m_job.output.filename().string() + ": " + sentence);
                }
                return dropped.has_value();
            })) {
            return false;
        }
        if (!common().report.empty() && !files.add(common().report, [&](const auto& file) {
                m_result.report.run->writeMs = watch.ms();
                io::writeText(file, toJson(m_result.report));
                return true;
            })) {
            return false;
        }
        if (m_stop.stop_requested()) {
            return false;
        }
        files.commit();
        m_result.report.run->writeMs = watch.ms();
        return true;
    }

    void note(const SceneImage& image) {
        if (!image.note.empty()) {
            m_result.notes.push_back(image.source + ": " + image.note);
        }
    }

    const ConvolveJob& m_job;
    const ConvolveImages& m_images;
    std::stop_token m_stop;
    JobSink& m_sink;
    std::shared_ptr<const SceneImage> m_scene;
    base::AnyView m_view;
    base::Geometry m_geometry;
    std::optional<filter::Kernel> m_kernel;
    std::optional<base::TilePool> m_pool;
    method::CostModel m_model;
    filter::Plan m_plan;
    double m_readMs = 0;
    ConvolveResult m_result;
};

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
    requireProcessor(job.run.device);
    requireOwnFiles(inputFiles(job), outputFiles(job));
    for (const std::filesystem::path& file : outputFiles(job)) {
        detail::requireFolder(file);
    }
    JobSink silent;
    return withMemoryErrorsOfConvolve(
        [&] { return ConvolveRun(job, images, stop, sink ? *sink : silent).run(); });
}

ConvolvePreview previewConvolve(const ConvolveJob& job, const ConvolveImages& images,
                                const filter::Plane& plane, std::stop_token stop) {
    requireProcessor(job.run.device);
    JobSink silent;
    ConvolveJob estimated = job;
    estimated.run.planning = plan::Planning::Estimate;
    return withMemoryErrorsOfConvolve(
        [&] { return ConvolveRun(estimated, images, stop, silent).preview(plane); });
}

} // namespace flcc::job
