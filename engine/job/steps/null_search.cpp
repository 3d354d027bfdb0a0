#include "engine/job/steps/null_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "engine/base/pixels.h"
#include "engine/job/report/text.h"
#include "engine/job/steps/threshold.h"
#include "engine/match/null_template.h"
#include "engine/match/score_law.h"
#include "engine/method/problem.h"

namespace flcc::job::detail {

namespace {

using match::NullTemplate;

/// A null that explains so much of the template is the template.
constexpr double kItself = 0.98;
/// A null that is as good at fewer peaks than this is not judged by them.
constexpr std::int64_t kFewMatched = 3;
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

base::View<const std::uint8_t> supportOf(const MaskImage* mask) {
    return mask != nullptr ? mask->support.view() : base::View<const std::uint8_t>();
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

std::shared_ptr<const SceneImage> nullOf(const SceneImage& templ, const MaskImage* mask,
                                         const base::Point& edges, NullTemplate kind,
                                         std::uint64_t seed) {
    auto made = std::make_shared<SceneImage>();
    if (kind == NullTemplate::Mirror) {
        made->pixels = std::visit(
            [](const auto& image) { return base::AnyImage(match::mirrored(image.view())); },
            templ.pixels);
    } else if (kind == NullTemplate::Sphere) {
        const base::Image<double> values = inDouble(templ.pixels);
        match::Ball ball =
            match::ballLike(values.view(), supportOf(mask), edges, templ.channels > 0);
        for (std::int64_t i = 0; i < ball.image.count() && ball.correlation < 0; ++i) {
            ball.image.data()[i] = 1 - ball.image.data()[i];
        }
        made->pixels = std::move(ball.image);
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
    const base::Point edges =
        base::voxelEdges(inputs.geometry, base::extentsOf(inputs.templates.front()->pixels).z > 1);
    for (std::size_t i = 0; i < inputs.templates.size(); ++i) {
        std::shared_ptr<const MaskImage>& mask = images.masks[i];
        images.templates.push_back(nullOf(*inputs.templates[i], mask.get(), edges, kind, i + 1));
        if (mask && kind == NullTemplate::Mirror) {
            mask = mirroredMask(*mask);
        }
    }
    return images;
}

/// A search with these parts of the job for templates in memory: it measures, checks, compares and
/// writes nothing, and lists all peaks.
template <class... Part> Job searchOf(const Job& job) {
    Job search =
        chosen<SceneFile, Resources, Choice, Numbers, Question, Variants, Listing, Part...>(job);
    search.region = job.region; // frames are scenes here
    search.ignoreDirections = job.ignoreDirections;
    search.planning = plan::Planning::Estimate;
    search.audit = Audit::Off;
    return allPeaks(std::move(search));
}

/// The same for the null template, whose peaks are counted. A sphere looks alike in all turns.
Job nullSearchOf(const Job& job) {
    Job search = searchOf<StatedVoxels>(job);
    const double wanted = 4 * falsePositivesOf(job).value_or(1);
    search.maxPeaks =
        static_cast<std::int64_t>(std::clamp(std::ceil(wanted), kLeastScores, kMostScores));
    if (isRoundNull(job)) {
        search.poses.rotations.clear();
        search.poses.symmetry.clear();
        search.poses.mirror = false;
    }
    return search;
}

} // namespace

bool isRoundNull(const Job& job) {
    return job.null == NullTemplate::Sphere &&
           std::ranges::all_of(job.masks, [](const std::filesystem::path& mask) {
               return mask.string().starts_with("sphere");
           });
}

Job allPeaks(Job job) {
    job.falsePositives.reset();
    job.zscore.reset();
    job.minScore = -1;
    job.poses.refine = false;
    return job;
}

namespace {

/// A template under its support: less its mean, by the root of its weights.
struct Values {
    double squares = 0; ///< their sum
    double rim = 0;     ///< the median value of voxels at the border of the support
};

Values valuesOf(const base::Image<double>& image, const MaskImage* mask, bool slices) {
    const base::Extents& n = image.extents();
    const base::View<const std::uint8_t> support = supportOf(mask);
    const auto inside = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return x >= 0 && x < n.x && y >= 0 && y < n.y && z >= 0 && z < n.z &&
               (support.data() == nullptr || support.at(x, y, z) != 0);
    };
    const bool volume = n.z > 1 && !slices;
    double weights = 0, sum = 0, squares = 0;
    std::vector<double> rim;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                if (!inside(x, y, z)) {
                    continue;
                }
                const double w = mask != nullptr && !mask->weights.empty()
                                     ? mask->weights.view().at(x, y, z)
                                     : 1;
                const double value = image.view().at(x, y, z);
                weights += w;
                sum += w * value;
                squares += w * value * value;
                const bool surrounded = inside(x - 1, y, z) && inside(x + 1, y, z) &&
                                        inside(x, y - 1, z) && inside(x, y + 1, z) &&
                                        (!volume || (inside(x, y, z - 1) && inside(x, y, z + 1)));
                if (!surrounded) {
                    rim.push_back(value);
                }
            }
        }
    }
    const auto middle = rim.begin() + std::ssize(rim) / 2;
    std::ranges::nth_element(rim, middle);
    return {std::max(0.0, squares - sum * sum / weights), rim.empty() ? 0 : *middle};
}

/// The template on even ground of half its extents on all sides.
std::shared_ptr<const SceneImage> alone(const SceneImage& templ, const base::Image<double>& values,
                                        const MaskImage* mask, double ground) {
    const base::Extents& n = values.extents();
    const bool volume = n.z > 1 && templ.channels == 0;
    const auto margin = [](std::int64_t length) { return length > 1 ? (length + 1) / 2 : 0; };
    const base::Index at{margin(n.x), margin(n.y), volume ? margin(n.z) : 0};
    base::Image<float> image({n.x + 2 * at.x, n.y + 2 * at.y, n.z + 2 * at.z});
    image.fill(static_cast<float>(ground));
    const base::View<const std::uint8_t> support = supportOf(mask);
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                if (support.data() == nullptr || support.at(x, y, z) != 0) {
                    image.view().at(x + at.x, y + at.y, z + at.z) =
                        static_cast<float>(values.view().at(x, y, z));
                }
            }
        }
    }
    auto made = std::make_shared<SceneImage>();
    made->pixels = std::move(image);
    made->geometry = templ.geometry;
    made->directed = templ.directed;
    made->channels = templ.channels;
    made->source = "alone " + templ.source;
    return made;
}

/// NullCheck::likeness of one template: the largest covariance that the null has with the template
/// on even ground.
double likenessOf(const Job& job, const SceneImage& templ, const MaskImage* mask,
                  const std::shared_ptr<const SceneImage>& null,
                  const std::shared_ptr<const MaskImage>& nullMask, SceneSearch searchScene,
                  const std::stop_token& stop) {
    const bool slices = templ.channels > 0;
    const base::Image<double> values = inDouble(templ.pixels);
    const Values own = valuesOf(values, mask, slices);
    const Values other = valuesOf(inDouble(null->pixels), nullMask.get(), slices);
    if (own.squares <= 0 || other.squares <= 0) {
        return 0;
    }
    Job search = searchOf(job);
    static_cast<Question&>(search) = {.operation = *method::operationNamed("covariance")};
    search.recompute = false;                             // a digit or two are enough
    search.minScore = std::numeric_limits<double>::max(); // the largest value is asked for, no list
    search.region.reset();
    search.preparation = {};
    search.poses.scales.clear();
    search.device = Job().device;
    JobSink silent;
    const JobResult result = searchScene(
        search, {alone(templ, values, mask, own.rim), {null}, {nullMask}, {}}, stop, silent);
    return result.report.map ? std::clamp(result.report.map->statistics.maximum /
                                              std::sqrt(own.squares * other.squares),
                                          0.0, 1.0)
                             : 0;
}

} // namespace

bool NullSearch::search(const Job& job, const JobResult& so, SceneSearch searchScene,
                        const std::stop_token& stop, JobSink& sink) {
    if (job.null == NullTemplate::None) {
        return true;
    }
    m_peaks.clear();
    m_check = {};
    sink.phase(Phase::Run);
    sink.doing("matching the null template");
    const JobImages images = nullImages(so, job.null);
    for (std::size_t i = 0; i < so.templates.size() && !stop.stop_requested(); ++i) {
        // A sphere that was fitted is nowhere more alike.
        const double alike =
            job.null == NullTemplate::Sphere
                ? match::correlation(inDouble(so.templates[i]->pixels).view(),
                                     inDouble(images.templates[i]->pixels).view(),
                                     supportOf(so.masks[i].get()))
                : likenessOf(job, *so.templates[i], so.masks[i].get(), images.templates[i],
                             images.masks[i], searchScene, stop);
        m_check.likeness = std::max(m_check.likeness, alike);
        m_check.withdrawn =
            m_check.withdrawn || (alike > kItself && job.null != NullTemplate::Sphere);
    }
    if (!m_check.withdrawn && !stop.stop_requested()) {
        NullSink quiet(sink);
        m_peaks = searchScene(nullSearchOf(job), images, stop, quiet).peaks;
    }
    return !stop.stop_requested();
}

namespace {

/// Of the groups of templates: the template of a peak as it lies there.
match::Exclusion::Turned zoneOf(const Inputs& inputs, const match::Peak& peak) {
    for (const std::vector<int>& group : inputs.groups) {
        const auto found = std::ranges::find(group, peak.templ);
        if (found == group.end()) {
            continue;
        }
        const auto bank = inputs.bankOf(group);
        if (bank && peak.pose) {
            return {bank->ownExtents(),
                    bank->matrixOf(static_cast<std::size_t>(found - group.begin()), *peak.pose)};
        }
    }
    return {inputs.templates[static_cast<std::size_t>(peak.templ)].extents(),
            {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/// Makes the scores of peaks of several maps comparable, and sorts them again.
void compareScores(std::vector<match::Peak>& peaks, const match::SearchLaw& law,
                   const std::vector<match::SearchedMap>& maps) {
    if (law.rare.empty()) {
        return;
    }
    for (match::Peak& peak : peaks) {
        peak.score = law.inFirst(match::mapNumberOf(maps, peak), peak.score);
    }
    std::ranges::stable_sort(peaks, std::greater<>(), &match::Peak::score);
}

base::Extents largestZone(const Inputs& inputs) {
    base::Extents largest{1, 1, 1};
    for (const std::vector<int>& group : inputs.groups) {
        const auto bank = inputs.bankOf(group);
        const base::Extents n =
            bank ? bank->largestTurned()
                 : inputs.templates[static_cast<std::size_t>(group.front())].extents();
        largest = {std::max(largest.x, n.x), std::max(largest.y, n.y), std::max(largest.z, n.z)};
    }
    return largest;
}

} // namespace

match::SearchLaw NullSearch::law(const Job& job, const Inputs& inputs, const JobResult& so,
                                 const std::vector<match::SearchedMap>& maps, double searches,
                                 const std::stop_token& stop) const {
    match::SearchLaw law{.null = job.null, .check = m_check, .searches = searches};
    if (job.null == NullTemplate::None || m_check.withdrawn) {
        return law;
    }
    match::PeakOptions options = peakOptions(job, inputs.geometry, inputs.isVolume());
    for (const match::SearchedMap& map : maps) {
        law.maps.push_back(match::scoreLaw(map, inputs.sceneView(), options));
    }
    law.compareByRarity();
    const double threshold = law.thresholdFor(falsePositivesOf(job).value_or(1));
    double deviation = 0;
    for (const match::ScoreLaw& each : law.maps) {
        deviation = std::max(deviation, each.deviations().second);
        if (!law.rare.empty()) {
            break; // scores are made those of the first map
        }
    }
    setThreshold({.value = -1, .values = std::vector<double>(maps.size(), -1), .law = law},
                 options);
    options.maxPeaks = std::max(std::ssize(m_peaks), job.maxPeaks);
    std::vector<match::Peak> own =
        match::findPeaks(inputs.sceneView(), maps, so.geometry, options, stop);
    moveToScene(own, inputs, so.geometry);
    std::vector<match::Peak> nulls = m_peaks;
    compareScores(own, law, maps);
    compareScores(nulls, law, maps);
    match::NullCompetition found =
        match::compete(own, nulls, threshold, deviation, largestZone(inputs),
                       [&inputs](const match::Peak& peak) { return zoneOf(inputs, peak); });
    law.nullScores = std::move(found.scores);
    match::NullCheck& check = law.check;
    check.peaks = found.peaks;
    check.matched = found.matched;
    check.ratio = found.ratio;
    const bool same = job.null == NullTemplate::Sphere && check.ratio > match::NullCheck::kSame;
    check.withdrawn = !found.better && (found.matched >= kFewMatched || same);
    if (check.withdrawn) {
        law.nullScores.clear();
    }
    return law;
}

std::vector<match::Peak> mirroredPeaks(const Job& job, const JobResult& inputs,
                                       SceneSearch searchScene, const std::stop_token& stop,
                                       JobSink& sink) {
    sink.phase(Phase::Run);
    sink.doing("matching the mirrored template");
    NullSink quiet(sink);
    return searchScene(searchOf<StatedVoxels>(job), nullImages(inputs, NullTemplate::Mirror), stop,
                       quiet)
        .peaks;
}

} // namespace flcc::job::detail
