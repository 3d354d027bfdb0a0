#include "engine/job/match/null_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/base/pixels.h"
#include "engine/job/match/scene_work.h"
#include "engine/job/report/text.h"
#include "engine/method/problem.h"

namespace flcc::job::detail {

namespace {

using match::NullTemplate;

/// A template that correlates more with its null is found by it.
constexpr double kMostAlike = 0.5;
constexpr double kLeastScores = 1000;
constexpr double kMostScores = 1e6;

/// Only the progress of the search counts outside.
class NullSink : public JobSink {
  public:
    explicit NullSink(JobSink& outer) : m_outer(outer) {}
    [[nodiscard]] bool wantsMaps() const override { return false; }
    void phase(Phase phase) override { m_runs = phase == Phase::Run; }
    void progress(double share) override {
        if (m_runs) {
            m_outer.progress(share);
        }
    }

  private:
    JobSink& m_outer;
    bool m_runs = false;
};

base::Image<double> inDouble(const base::AnyImage& pixels) {
    return std::visit(
        [](const auto& image) {
            base::Image<double> made(image.extents());
            std::transform(image.data(), image.data() + image.count(), made.data(),
                           [](auto value) { return static_cast<double>(value); });
            return made;
        },
        pixels);
}

std::shared_ptr<const MaskImage> mirroredMask(const MaskImage& mask) {
    auto made = std::make_shared<MaskImage>();
    made->support = match::mirrored(mask.support.view());
    if (!mask.weights.empty()) {
        made->weights = match::mirrored(mask.weights.view());
    }
    made->counts = mask.counts;
    made->source = mask.source;
    return made;
}

std::shared_ptr<const SceneImage> nullOf(const SceneImage& templ, NullTemplate kind,
                                         std::uint64_t seed) {
    auto made = std::make_shared<SceneImage>();
    if (kind == NullTemplate::Mirror) {
        made->pixels = std::visit(
            [](const auto& image) { return base::AnyImage(match::mirrored(image.view())); },
            templ.pixels);
    } else {
        made->pixels =
            match::phaseScrambled(inDouble(templ.pixels).view(), seed, templ.channels > 0);
    }
    made->geometry = templ.geometry;
    made->directed = templ.directed;
    made->inside =
        templ.inside && kind == NullTemplate::Mirror ? mirroredMask(*templ.inside) : templ.inside;
    made->channels = templ.channels;
    made->source = std::string(match::name(kind)) + " null of " + templ.source;
    return made;
}

/// The images of the job's own search with null templates of this kind.
JobImages nullImages(const JobResult& inputs, NullTemplate kind) {
    JobImages images{inputs.scene, {}, inputs.masks, inputs.sceneMask};
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        images.templates.push_back(nullOf(*inputs.templates[i], kind, i + 1));
        std::shared_ptr<const MaskImage>& mask = images.masks[i];
        if (mask && kind == NullTemplate::Mirror) {
            mask = mirroredMask(*mask);
        }
    }
    return images;
}

/// Options that belong to the files, the timing or the outputs of the job itself are left out.
Job searchOf(const Job& job) {
    Job search = job;
    search.null = NullTemplate::None;
    search.crops.clear();
    search.templates.clear();
    search.masks.clear();
    search.sceneMask.clear();
    search.templateOut.clear();
    search.furtherScenes.clear();
    search.stream = false;
    search.resample = false;
    search.planReport.clear();
    search.planning = plan::Planning::Estimate;
    search.repeat = 1;
    search.audit = Audit::Off;
    search.searchStatistics = false;
    search.searchMaps.clear();
    search.handedness = false;
    search.poses.resume.clear();
    for (std::filesystem::path* const output :
         {&search.report, &search.map, &search.status, &search.index, &search.peaks,
          &search.heatmap, &search.truth, &search.comparison}) {
        output->clear();
    }
    search.slice.reset();
    search.exports = {};
    return allPeaks(std::move(search));
}

/// The same for the null template, whose peaks are counted.
Job nullSearchOf(const Job& job) {
    Job search = searchOf(job);
    const double wanted = 4 * falsePositivesOf(job).value_or(1);
    search.maxPeaks =
        static_cast<std::int64_t>(std::clamp(std::ceil(wanted), kLeastScores, kMostScores));
    return search;
}

} // namespace

Job allPeaks(Job job) {
    job.falsePositives.reset();
    job.zscore.reset();
    job.minScore = -1;
    job.poses.refine = false;
    return job;
}

std::vector<double> nullScores(const Job& job, JobResult& inputs, const std::stop_token& stop,
                               JobSink& sink) {
    sink.phase(Phase::Run);
    sink.doing("matching the null template");
    const JobImages images = nullImages(inputs, job.null);
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        const SceneImage& templ = *inputs.templates[i];
        const std::shared_ptr<const MaskImage>& mask = inputs.masks[i];
        const double alike = match::correlation(
            inDouble(templ.pixels).view(), inDouble(images.templates[i]->pixels).view(),
            mask ? mask->support.view() : base::View<const std::uint8_t>());
        if (std::abs(alike) > kMostAlike) {
            const std::string number =
                inputs.templates.size() > 1 ? " " + std::to_string(i) : std::string();
            addWarning(inputs, "template" + number + " and its " +
                                   std::string(match::name(job.null)) +
                                   " null have a correlation of " + fixed(alike, 2) +
                                   ": the threshold is too high where the null finds the objects");
        }
    }
    NullSink quiet(sink);
    const JobResult result = runJob(nullSearchOf(job), images, stop, &quiet);
    std::vector<double> scores;
    for (const match::Peak& peak : result.peaks) {
        scores.push_back(peak.score);
    }
    return scores;
}

std::vector<match::Peak> mirroredPeaks(const Job& job, const JobResult& inputs,
                                       const std::stop_token& stop, JobSink& sink) {
    sink.phase(Phase::Run);
    sink.doing("matching the mirrored template");
    NullSink quiet(sink);
    return runJob(searchOf(job), nullImages(inputs, NullTemplate::Mirror), stop, &quiet).peaks;
}

} // namespace flcc::job::detail
