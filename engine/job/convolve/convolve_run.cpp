#include "engine/job/convolve/convolve_run.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/median.h"
#include "engine/base/stopwatch.h"
#include "engine/base/text.h"
#include "engine/io/image_file.h"
#include "engine/job/input/inputs.h"
#include "engine/job/knowledge.h"
#include "engine/job/report/machine.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using base::Extents;

namespace {

InputReport inputOf(std::string role, const SceneImage& image) {
    return {.role = std::move(role),
            .path = image.source,
            .sha256 = image.sha256,
            .dataFile = image.dataFile,
            .series = image.series,
            .note = image.note,
            .reading = image.reading};
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
        const std::string reason = row.candidate.label() + ": " + row.reason;
        if (reasons.find(reason) == std::string::npos) {
            reasons += (reasons.empty() ? "" : "; ") + reason;
        }
    }
    return memory ? Error(ErrorCode::Memory, "no method fits the memory limit (" + reasons +
                                                 "); raise --memory or use a smaller --region")
                  : Error(ErrorCode::Problem, "no method can do this: " + reasons);
}

Spread spreadOf(std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    return {ms.front(), base::median(ms), ms.back()};
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
        throw Error(ErrorCode::Device, "convolution runs on the processor only, not on " +
                                           base::excerpt(device) + "; use --device cpu");
    }
}

ConvolveResult ConvolveRun::run() {
    m_result.cancelled = !(read() && plan() && (requireCandidate(), true) &&
                           execute([this](double share) { m_sink.progress(share); }) && write());
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
    m_sink.phase(Phase::Read);
    const base::Stopwatch watch;
    if (common().scene.empty() && !m_images.scene) {
        throw Error(ErrorCode::CommandLine, "no scene given");
    }
    auto scene = m_images.scene ? m_images.scene
                                : loadImage(common().scene, common().channel, common().frame,
                                            m_stop, common().memoryBytes, common().reading);
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
    report.region = common().region;
    if (common().region && !base::contains(report.scene, *common().region)) {
        throw Error(ErrorCode::Problem, "the region " + base::toString(*common().region) +
                                            " leaves the scene " + base::toString(report.scene) +
                                            "; choose a box inside it");
    }
    m_view = base::viewOf(m_scene->pixels);
    m_geometry = statedGeometry(*m_scene, common().spacing);
    report.geometry = m_geometry;
    if (common().region) {
        m_view = base::partOf(m_view, *common().region);
        m_geometry = base::movedTo(m_geometry, pointOf(common().region->corner));
    }
    if (first) {
        note(*m_scene);
        report.environment = environment();
        report.inputs.push_back(inputOf("scene", *m_scene));
        if (!readKernel()) {
            return false;
        }
    }
    report.problem = {base::extentsOf(m_view),
                      base::pixelType(m_view),
                      m_kernel->extents(),
                      m_job.extent,
                      m_job.border,
                      common().precision};
    (void)filter::resultExtents(report.problem); // refuses what has no result
    return true;
}

bool ConvolveRun::readKernel() {
    ConvolveReport& report = m_result.report;
    if (m_images.kernel || isKernelFile(m_job.kernel)) {
        const std::shared_ptr<const SceneImage> image =
            m_images.kernel ? m_images.kernel
                            : loadCompanion(m_job.kernel, common().channel, common().frame, m_stop,
                                            common().memoryBytes, common().reading);
        if (!image) {
            return false;
        }
        note(*image);
        report.inputs.push_back(inputOf("kernel", *image));
        m_kernel.emplace(image->source, base::viewOf(image->pixels), common().precision);
    } else {
        m_kernel.emplace(filter::kernelByName(m_job.kernel, base::extentsOf(m_view), m_geometry));
    }
    report.kernel = {m_kernel->name(), m_kernel->extents(),
                     static_cast<int>(m_kernel->terms().size()), m_kernel->residual(),
                     m_kernel->sumOfMagnitudes()};
    return true;
}

bool ConvolveRun::plan() {
    m_sink.phase(Phase::Plan);
    ConvolveReport& report = m_result.report;
    method::Limits limits;
    limits.threads = common().threads > 0 ? common().threads : base::availableThreads();
    limits.memoryBytes = common().memoryBytes > 0 ? common().memoryBytes : availableMemory();
    limits.transforms = common().transforms;
    filter::Wanted wanted{
        .method = common().method,
        .tile = common().tile,
        .parts = m_job.parts,
        .timing = common().planning == plan::Planning::Estimate  ? filter::Wanted::Timing::None
                  : common().planning == plan::Planning::Measure ? filter::Wanted::Timing::Sample
                                                                 : filter::Wanted::Timing::Whole};
    if (!common().planReport.empty()) {
        wanted.candidate = chosenCandidate(common().planReport.string());
        requireProcessor(wanted.candidate->device);
        limits.threads = wanted.candidate->threads;
    }
    const std::shared_ptr<const plan::Knowledge> known = knowledge();
    m_model = known->model.value_or(method::CostModel{});
    m_pool.emplace(limits.threads);
    m_plan = filter::makePlan(report.problem, *m_kernel, limits, m_model, wanted, m_view, *m_pool,
                              m_stop);
    report.limits = limits;
    report.planning = common().planning;
    report.calibrated = m_model.calibrated;
    report.planningMs = m_plan.planningMs;
    report.candidates = rowsOf(m_plan);
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
    m_sink.phase(Phase::Run);
    ConvolveReport& report = m_result.report;
    const method::Candidate& candidate = m_plan.chosen()->candidate;
    const PeakMeter meter;
    std::vector<double> times;
    filter::Convolved last; // without its pixels
    for (int i = 0; i < common().repeat; ++i) {
        m_result.pixels = base::AnyImage();
        const base::Stopwatch watch;
        filter::Convolved one =
            filter::convolve(report.problem, *m_kernel, candidate, m_view, *m_pool, m_stop,
                             [&](double share) { progress((i + share) / common().repeat); });
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
    m_sink.phase(Phase::Write);
    const base::Stopwatch watch;
    OutputFiles files;
    if (!m_job.output.empty() && !files.add(m_job.output, [&](const io::AtomicFile& file) {
            const auto dropped =
                io::writeImage(file, base::viewOf(m_result.pixels), m_result.geometry, {}, m_stop);
            for (const std::string& sentence : dropped.value_or(std::vector<std::string>{})) {
                m_result.notes.push_back(m_job.output.filename().string() + ": " + sentence);
            }
            return dropped.has_value();
        })) {
        return false;
    }
    if (!writeReport(files, watch.ms()) || m_stop.stop_requested()) {
        return false;
    }
    files.commit();
    m_result.report.run->writeMs = watch.ms();
    return true;
}

bool ConvolveRun::writeReport(OutputFiles& files, double writeMs) {
    return common().report.empty() || files.add(common().report, [&](const io::AtomicFile& file) {
        m_result.report.run->writeMs = writeMs;
        io::writeText(file, toJson(m_result.report));
        return true;
    });
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
