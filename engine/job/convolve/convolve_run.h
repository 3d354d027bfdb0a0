#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "engine/base/tile_pool.h"
#include "engine/filter/planner.h"
#include "engine/job/convolve_job.h"
#include "engine/job/output/outputs.h"
#include "engine/job/steps/step.h"

namespace flcc::job::detail {

/// A job of `convolve` while it runs. Its steps are taken in their order; each is false if
/// cancelled. Frames of a stack take the same kernel and the plan of the first one.
/// `job`, `images` and `sink` must outlive it. **Errors**: as runConvolve().
class ConvolveRun {
  public:
    ConvolveRun(const ConvolveJob& job, const ConvolveImages& images, const std::stop_token& stop,
                JobSink& sink)
        : m_job(job), m_images(images), m_stop(stop), m_sink(sink) {}

    /// Takes the steps of a convolution.
    [[nodiscard]] ConvolveResult run();
    [[nodiscard]] ConvolvePreview preview(const filter::Plane& plane);

    [[nodiscard]] bool read();
    /// Convolves `scene` from now on; reads the kernel for the first one.
    [[nodiscard]] bool take(std::shared_ptr<const SceneImage> scene);
    [[nodiscard]] bool plan();
    void requireCandidate() const;
    [[nodiscard]] bool execute(const std::function<void(double)>& progress);
    [[nodiscard]] bool write();
    /// Writes the report as one of `files`.
    void writeReport(OutputFiles& files, double writeMs);

    void tell(double share) { m_sink.progress(share); }
    [[nodiscard]] ConvolveResult& result() { return m_result; }
    /// The chosen candidate. Call requireCandidate() before.
    [[nodiscard]] const method::Prediction& prediction() const {
        return *m_plan.chosen()->prediction;
    }

  private:
    [[nodiscard]] bool readKernel();
    void note(const SceneImage& image);

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

/// The steps of a convolution of one scene. Those of a frame are the same ones but for reading and
/// writing, which go on beside them.
using ConvolveStep = Step<ConvolveRun, ConvolveJob>;
[[nodiscard]] std::span<const ConvolveStep> convolveSteps();

/// **Errors**: Device for another device than the processor.
void requireProcessor(const std::string& device);

/// The pixel type of the result.
[[nodiscard]] base::PixelType resultType(const filter::Problem& problem);

/// What a report says of a result.
[[nodiscard]] ResultReport resultOf(const base::AnyImage& pixels, double bound);

/// Runs a job whose scene is a stack, frame by frame: the next one is read and the last one written
/// while one is computed, if memory allows. **Errors**: as runConvolve(), naming the frame.
[[nodiscard]] ConvolveResult convolveFrames(const ConvolveJob& job, const ConvolveImages& images,
                                            const std::stop_token& stop, JobSink& sink);

/// Throws for a job with frames that has other scenes, a region that is not flat, or an output that
/// is not written frame by frame. **Errors**: CommandLine.
void requireFrames(const ConvolveJob& job);

} // namespace flcc::job::detail
