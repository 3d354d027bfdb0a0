#include "engine/job/convolve/convolve_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/limits.h"
#include "engine/job/knowledge.h"
#include "engine/job/output/export_files.h"
#include "engine/job/report/machine.h"
#include "engine/job/report/spread.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using base::Extents;

namespace {

/// Why a plan has no chosen candidate.
Error refusalOf(const filter::Plan& plan) {
    std::string reasons;
    bool memory = false;
    for (const plan::CandidateReport& row : plan.candidates) {
        memory = memory || row.forMemory;
        const std::string reason = row.candidate.label() + ": " + row.reason;
        if (reasons.find(reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
    }
    return memory ? Error(ErrorCode::Memory,
                          base::Message("no-method-in-memory",
                                        "no method fits the memory limit ({reasons}); raise "
                                        "{--memory} or use a smaller {--region}",
                                        {{"reasons", reasons}}))
                  : Error(ErrorCode::Problem,
                          base::Message("no-method", "no method can do this: {reasons}",
                                        {{"reasons", reasons}}));
}

} // namespace

base::PixelType resultType(const filter::Problem& problem) {
    return problem.precision == method::Precision::Double ? base::PixelType::Float64
                                                          : base::PixelType::Float32;
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

void requireProcessor(const std::string& device) {
    if (device != "auto" && device != method::kProcessor) {
        throw Error(ErrorCode::Device,
                    base::Message("convolution-on-processor-only",
                                  "convolution runs on the processor only, not on {device}; use "
                                  "{--device cpu}",
                                  {{"device", base::excerpt(device)}}));
    }
}

namespace {

constexpr std::array kConvolveSteps{
    ConvolveStep{.name = "read",
                 .run = [](ConvolveRun& run) { return goIf(run.read()); },
                 .refuse = requireFrames},
    ConvolveStep{.name = "plan",
                 .run = [](ConvolveRun& run) { return goIf(run.plan()); },
                 .refuse = [](const ConvolveJob& job) { requireProcessor(job.device); }},
    ConvolveStep{.name = "choice",
                 .run =
                     [](ConvolveRun& run) {
                         run.requireCandidate();
                         return Next::Go;
                     }},
    ConvolveStep{.name = "run",
                 .run =
                     [](ConvolveRun& run) {
                         return goIf(run.execute([&run](double share) { run.tell(share); }));
                     }},
    ConvolveStep{.name = "write", .run = [](ConvolveRun& run) { return goIf(run.write()); }},
};

} // namespace

std::span<const ConvolveStep> convolveSteps() { return kConvolveSteps; }

ConvolveResult ConvolveRun::run() {
    m_result.cancelled = !detail::take(convolveSteps(), *this, m_job);
    return std::move(m_result);
}

ConvolvePreview ConvolveRun::preview(const filter::Plane& plane) {
    ConvolvePreview preview;
    preview.cancelled = !read();
    const base::Stopwatch watch;
    preview.cancelled = preview.cancelled || !plan();
    if (!preview.cancelled) {
        if (m_plan.chosen() == nullptr) {
            preview.refused = refusalOf(m_plan);
        }
        filter::Convolved shown = filter::convolvePlane(m_result.report.problem, *m_kernel, m_model,
                                                        m_view, plane, *m_pool, m_stop);
        preview.cancelled = shown.cancelled;
        preview.plane = std::move(shown.pixels);
    }
    preview.ms = watch.ms();
    preview.report = std::move(m_result.report);
    return preview;
}

bool ConvolveRun::read() {
    m_sink.enter(Phase::Read);
    const base::Stopwatch watch;
    if (m_job.scene.empty() && !m_images.scene) {
        throw Error(ErrorCode::CommandLine, "no scene given");
    }
    auto scene = m_images.scene ? m_images.scene
                                : loadImage(m_job.scene, m_job.channel, m_job.frame, m_stop,
                                            m_job.memoryBytes, m_job.reading);
    if (!scene || !take(std::move(scene))) {
        return false;
    }
    const filter::Problem& problem = m_result.report.problem;
    if (!m_job.output.empty()) {
        io::requireWritable(m_job.output, resultType(problem), filter::resultExtents(problem));
    }
    m_readMs = watch.ms();
    m_sink.progress(1);
    return !m_stop.stop_requested();
}

bool ConvolveRun::take(std::shared_ptr<const SceneImage> scene) {
    ConvolveReport& report = m_result.report;
    const bool first = !m_scene;
    m_scene = std::move(scene);
    report.scene = base::extentsOf(m_scene->pixels);
    report.region = m_job.region;
    if (m_job.region) {
        requireRegion(report.scene, *m_job.region);
    }
    m_view = base::viewOf(m_scene->pixels);
    m_geometry = statedGeometry(*m_scene, m_job.spacing);
    report.geometry = m_geometry;
    if (m_job.region) {
        m_view = base::partOf(m_view, *m_job.region);
        m_geometry = base::movedTo(m_geometry, pointOf(m_job.region->corner));
    }
    if (first) {
        note(*m_scene);
        report.environment = environment();
        report.commandLine = toCommandLine(m_job);
        report.jobFile = toJobFile(m_job);
        report.inputs.push_back(inputReport("scene", *m_scene));
        if (!readKernel()) {
            return false;
        }
    }
    report.problem = {base::extentsOf(m_view),
                      base::pixelType(m_view),
                      m_kernel->extents(),
                      m_job.extent,
                      m_job.border,
                      m_job.precision};
    (void)filter::resultExtents(report.problem); // refuses what has no result
    return true;
}

bool ConvolveRun::readKernel() {
    ConvolveReport& report = m_result.report;
    if (m_images.kernel || isKernelFile(m_job.kernel)) {
        const std::shared_ptr<const SceneImage> image =
            m_images.kernel ? m_images.kernel
                            : loadCompanion(m_job.kernel, m_job.channel, m_job.frame, m_stop,
                                            m_job.memoryBytes, m_job.reading);
        if (!image) {
            return false;
        }
        note(*image);
        report.inputs.push_back(inputReport("kernel", *image));
        m_kernel.emplace(image->source, base::viewOf(image->pixels), m_job.precision);
    } else {
        m_kernel.emplace(filter::kernelByName(m_job.kernel, base::extentsOf(m_view), m_geometry));
    }
    report.kernel = {m_kernel->name(), m_kernel->extents(),
                     static_cast<int>(m_kernel->terms().size()), m_kernel->residual(),
                     m_kernel->sumOfMagnitudes()};
    return true;
}

bool ConvolveRun::plan() {
    m_sink.enter(Phase::Plan);
    ConvolveReport& report = m_result.report;
    method::Limits limits;
    limits.threads = threadsOf(m_job);
    limits.memoryBytes = memoryOf(m_job);
    limits.transforms = m_job.transforms;
    filter::Wanted wanted{
        .method = m_job.method,
        .tile = m_job.tile,
        .parts = m_job.parts,
        .timing = m_job.planning == plan::Planning::Estimate  ? filter::Wanted::Timing::None
                  : m_job.planning == plan::Planning::Measure ? filter::Wanted::Timing::Sample
                                                              : filter::Wanted::Timing::Whole};
    if (!m_job.planReport.empty()) {
        wanted.candidate = chosenCandidate(m_job.planReport.string());
        requireProcessor(wanted.candidate->device);
        limits.threads = wanted.candidate->threads;
    }
    const std::shared_ptr<const plan::Knowledge> known = knowledge();
    m_model = known->model.value_or(method::CostModel{});
    m_pool.emplace(limits.threads);
    m_plan = filter::makePlan(report.problem, *m_kernel, limits, m_model, wanted, m_view, *m_pool,
                              m_stop);
    report.limits = limits;
    report.planning = m_job.planning;
    report.calibrated = m_model.calibrated;
    report.planningMs = m_plan.planningMs;
    report.candidates = m_plan.candidates;
    const auto dif =
        std::find_if(report.candidates.begin(), report.candidates.end(),
                     [](const plan::CandidateReport& row) { return row.candidate.parts > 0; });
    if (dif != report.candidates.end()) {
        report.parts = dif->candidate.parts;
        report.decompositions = filter::decompositions(report.problem, report.parts);
    }
    return !m_plan.cancelled && !m_stop.stop_requested();
}

void ConvolveRun::requireCandidate() const {
    if (m_plan.chosen() == nullptr) {
        throw refusalOf(m_plan);
    }
}

bool ConvolveRun::execute(const std::function<void(double)>& progress) {
    m_sink.enter(Phase::Run, "convolving");
    ConvolveReport& report = m_result.report;
    const method::Candidate& candidate = m_plan.chosen()->candidate;
    const PeakMeter meter;
    std::vector<double> times;
    filter::Convolved last; // without its pixels
    for (int i = 0; i < m_job.repeat; ++i) {
        m_result.pixels = base::AnyImage();
        const base::Stopwatch watch;
        filter::Convolved one =
            filter::convolve(report.problem, *m_kernel, candidate, m_view, *m_pool, m_stop,
                             [&](double share) { progress((i + share) / m_job.repeat); });
        times.push_back(watch.ms());
        if (one.cancelled) {
            return false;
        }
        m_result.pixels = std::move(one.pixels);
        last = std::move(one);
    }
    RunReport run;
    run.executeMs = run.streamMs = spreadOf(times);
    run.readMs = m_readMs;
    run.peakHostBytes = meter.rise();
    run.threads = candidate.threads;
    run.device = candidate.device;
    report.run = std::move(run);
    report.candidates.front().measuredMs = report.run->executeMs.median;
    report.result = resultOf(m_result.pixels, last.bound);
    report.result->relativeBound = last.relativeBound;
    report.result->repeated = last.repeated;
    const Extents& m = report.problem.kernel;
    const base::Index first = filter::firstVoxel(report.problem);
    // The middle of the kernel lies on the voxel of the result.
    m_result.geometry = base::movedTo(
        m_geometry, pointOf({first.x + m.x - 1 - (m.x - 1) / 2, first.y + m.y - 1 - (m.y - 1) / 2,
                             first.z + m.z - 1 - (m.z - 1) / 2}));
    return !m_stop.stop_requested();
}

bool ConvolveRun::write() {
    m_sink.enter(Phase::Write);
    const base::Stopwatch watch;
    OutputFiles files;
    if (!files.addImage(m_job.output, base::viewOf(m_result.pixels), m_result.geometry,
                        m_result.notes, m_stop) ||
        m_stop.stop_requested()) {
        return false;
    }
    if (!m_job.report.empty()) {
        m_result.report.mapSha256 = imageDigest(base::viewOf(m_result.pixels));
    }
    writeReport(files, watch.ms());
    files.commit();
    m_result.report.run->writeMs = watch.ms();
    return true;
}

void ConvolveRun::writeReport(OutputFiles& files, double writeMs) {
    m_result.report.run->writeMs = writeMs;
    files.addText(m_job.report, [this] { return toJson(m_result.report); });
}

void ConvolveRun::note(const SceneImage& image) {
    if (!image.note.empty()) {
        m_result.notes.push_back(image.source + ": " + image.note);
    }
    if (image.opacity) {
        m_result.notes.push_back(ignoresOpacity(image.source));
    }
}

} // namespace flcc::job::detail
