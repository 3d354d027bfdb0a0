#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/reference/match_operation.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/random_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
using job::Job;
using method::Extent;
using method::MaskedView;
using method::Operation;
using method::Outside;

namespace {

bool isFloat(PixelType type) { return type == PixelType::Float32 || type == PixelType::Float64; }

/// A random job with its images.
struct RandomJob {
    Job job;
    job::JobImages images;
    std::vector<base::AnyImage> inverted; ///< templates that are matched
    std::string text;                     ///< what it is, for messages
};

class Maker {
  public:
    explicit Maker(std::uint64_t seed) : m_random(seed) {}

    RandomJob make() {
        RandomJob made;
        Job& job = made.job;
        job.operation = Operation(
            static_cast<std::size_t>(m_random.below(std::ssize(method::operationTable()))));
        const bool volume = chance(0.3);
        const Extents n = volume ? Extents{one(5, 12), one(4, 11), one(3, 9)}
                                 : Extents{one(6, 44), one(5, 40), 1};
        const bool regional = chance(0.2);
        const base::Box box = regional ? part(n) : base::Box{{}, n};
        const Extents& r = box.extents;
        const Extents m{one(1, std::min<std::int64_t>(r.x, 9)),
                        one(1, std::min<std::int64_t>(r.y, 9)),
                        one(1, std::min<std::int64_t>(r.z, 4))};
        if (regional) {
            job.region = box;
        }
        const PixelType sceneType = type();
        const double apart = chance(0.5) ? 0 : 1;
        const double common = power();
        auto scene = std::make_shared<job::SceneImage>();
        scene->source = "memory";
        scene->pixels = image(sceneType, n, common);
        const int count = chance(0.25) ? static_cast<int>(one(2, 3)) : 1;
        made.text = std::string(method::name(job.operation)) + " of " +
                    std::string(base::name(sceneType)) + " " + base::toString(n);
        for (int i = 0; i < count; ++i) {
            auto templ = std::make_shared<job::SceneImage>();
            templ->source = "memory template";
            const PixelType own = chance(0.5) ? sceneType : type();
            templ->pixels = image(own, m, common * (apart > 0 ? power() : 1));
            if (chance(0.4) && own == sceneType) {
                test::paste(scene->pixels, templ->pixels, m_random.corner(n, m));
            }
            made.text += ", template " + std::string(base::name(own)) + " " + base::toString(m);
            made.images.templates.push_back(std::move(templ));
        }
        if (isFloat(sceneType) && chance(0.15)) {
            test::setVoxel(scene->pixels, m_random.corner(n, {1, 1, 1}),
                           chance(0.5) ? std::nan("") : HUGE_VAL);
        }
        made.images.scene = std::move(scene);
        if (chance(0.3)) {
            auto own = mask(m);
            if (chance(0.5)) {
                weigh(*own);
            }
            made.images.masks.push_back(std::move(own));
        }
        if (chance(0.2)) {
            made.images.sceneMask = mask(n);
        }
        choose(job, regional);
        made.text += std::string(", ") + std::string(method::name(job.extent)) +
                     (job.invert ? ", inverted" : "") +
                     (made.images.masks.empty()                    ? ""
                      : made.images.masks.front()->weights.empty() ? ", mask"
                                                                   : ", weights") +
                     (made.images.sceneMask ? ", scene mask" : "") + ", " + job.method;
        for (const auto& templ : made.images.templates) {
            made.inverted.push_back(mirrored(made, templ->pixels));
        }
        return made;
    }

  private:
    [[nodiscard]] bool chance(double share) { return m_random.uniform() < share; }
    [[nodiscard]] std::int64_t one(std::int64_t least, std::int64_t most) {
        return least + m_random.below(most - least + 1);
    }
    /// A size from 1e-15 to 1e15.
    [[nodiscard]] double power() { return std::pow(10.0, 30 * m_random.uniform() - 15); }
    [[nodiscard]] PixelType type() {
        return chance(0.5) ? (chance(0.5) ? PixelType::Float32 : PixelType::Float64)
                           : static_cast<PixelType>(m_random.below(10));
    }

    [[nodiscard]] base::Box part(const Extents& n) {
        const Extents e{one((n.x + 1) / 2, n.x), one((n.y + 1) / 2, n.y), one((n.z + 1) / 2, n.z)};
        return {m_random.corner(n, e), e};
    }

    /// Noise or texture; floats in some size around some level.
    [[nodiscard]] base::AnyImage image(PixelType type, const Extents& n, double size) {
        const std::uint64_t seed = m_random.bits();
        base::AnyImage plain =
            chance(0.5) ? test::noise(type, n, seed) : test::texture(type, n, seed);
        if (!isFloat(type)) {
            return plain;
        }
        const double level = chance(0.3) ? 1000 * m_random.uniform() - 500 : 0;
        const double zeros = chance(0.2) ? 0.5 : -10;
        return test::mapped(plain, type,
                            [&](double v) { return v < zeros ? 0.0 : (v + level) * size; });
    }

    /// Gives a mask weights, some of them 1 and some small.
    void weigh(job::MaskImage& mask) {
        mask.weights = base::Image<double>(mask.support.extents(), 0.0);
        for (std::int64_t i = 0; i < mask.weights.count(); ++i) {
            const double weight = chance(0.3) ? 1 : std::pow(m_random.uniform(), 3) + 1e-3;
            mask.weights.data()[i] = mask.support.data()[i] != 0 ? std::min(1.0, weight) : 0.0;
        }
    }

    [[nodiscard]] std::shared_ptr<job::MaskImage> mask(const Extents& n) {
        auto made = std::make_shared<job::MaskImage>();
        made->support = base::Image<std::uint8_t>(n, 1);
        for (std::int64_t i = 0; i < made->support.count(); ++i) {
            made->support.data()[i] = chance(0.8) ? 1 : 0;
        }
        made->source = "memory mask";
        return made;
    }

    void choose(Job& job, bool regional) {
        job.planning = plan::Planning::Estimate;
        job.extent = chance(0.6) ? Extent::Valid : chance(0.5) ? Extent::Same : Extent::Full;
        if (regional) {
            job.extent = Extent::Valid;
        }
        job.outside = chance(0.6) ? Outside::Zero : Outside::Overlap;
        job.minOverlap = chance(0.5) ? 0.5 : m_random.uniform();
        job.partialPeaks = chance(0.3);
        job.invert = chance(0.4);
        const std::array<const char*, 6> names{"auto",  "auto",    "direct",
                                               "tiled", "fourier", "tiled-template"};
        job.method = job.operation.traits().hasRowScorer
                         ? names[static_cast<std::size_t>(m_random.below(6))]
                         : names[static_cast<std::size_t>(m_random.below(4))];
        job.precision = chance(0.3) ? method::Precision::Double : method::Precision::Single;
        job.promise = chance(0.7) ? 1e-4 : 1e-6;
        job.recompute = chance(0.8);
        job.threads = static_cast<int>(one(1, 2));
    }

    /// The definition of --invert: smallest + largest - v of the values under the mask, rounded
    /// once; for lcc the sign changes.
    [[nodiscard]] static base::AnyImage mirrored(const RandomJob& of, const base::AnyImage& templ) {
        base::AnyImage made = base::copyOf(base::viewOf(templ));
        if (!of.job.invert) {
            return made;
        }
        const std::uint8_t* const support =
            of.images.masks.empty() ? nullptr : of.images.masks.front()->support.data();
        std::visit(
            [&](auto& image) {
                using T = std::remove_cvref_t<decltype(*image.data())>;
                if constexpr (std::is_floating_point_v<T>) {
                    if (of.job.operation.traits().ignoresContrast) {
                        std::transform(image.data(), image.data() + image.count(), image.data(),
                                       [](T value) { return -value; });
                        return;
                    }
                }
                long double low = HUGE_VALL;
                long double high = -HUGE_VALL;
                for (std::int64_t i = 0; i < image.count(); ++i) {
                    if (support == nullptr || support[i] != 0) {
                        low = std::min(low, static_cast<long double>(image.data()[i]));
                        high = std::max(high, static_cast<long double>(image.data()[i]));
                    }
                }
                for (std::int64_t i = 0; i < image.count(); ++i) {
                    if (support == nullptr || support[i] != 0) {
                        image.data()[i] =
                            static_cast<T>(low + high - static_cast<long double>(image.data()[i]));
                    }
                }
            },
            made);
        return made;
    }

    test::Random m_random;
};

/// The definition for one template.
class Definition {
  public:
    Definition(const RandomJob& of, std::size_t templ)
        : m_value(of.job.operation, viewOf(of, templ), of.job.outside, of.job.minOverlap),
          m_absolute(of.job.operation.traits().absolutePromise) {}
    [[nodiscard]] reference::Score at(const MaskedView& scene, const Index& corner) const {
        return m_value.at(scene, corner);
    }
    /// What a value may be off by with that promise; 1e-7 for lcc, whose maps are floats.
    [[nodiscard]] double allowed(const MaskedView& scene, const Index& corner,
                                 double promise) const {
        return m_absolute ? promise + 1e-7
                          : promise * m_value.scaleAt(scene, corner) * (1 + 1e-9) +
                                m_value.errorAt(scene, corner);
    }

  private:
    static MaskedView viewOf(const RandomJob& of, std::size_t templ) {
        MaskedView view(base::viewOf(of.inverted[templ]));
        if (!of.images.masks.empty()) {
            const job::MaskImage& mask = *of.images.masks.front();
            view.mask = mask.support.view();
            if (!mask.weights.empty()) {
                view.weights = mask.weights.view();
            }
        }
        return view;
    }

    reference::MatchOperation m_value;
    bool m_absolute;
};

class Judge {
  public:
    Judge(const RandomJob& of, const job::JobResult& result)
        : m_of(of), m_result(result), m_sign(of.job.operation.traits().sign()),
          m_scene(base::viewOf(of.images.scene->pixels)) {
        if (of.images.sceneMask) {
            m_scene.mask = of.images.sceneMask->support.view();
        }
        if (of.job.region) {
            m_scene = method::partOf(m_scene, *of.job.region);
        }
        for (std::size_t i = 0; i < of.inverted.size(); ++i) {
            m_definitions.emplace_back(of, i);
        }
    }

    [[nodiscard]] std::string fault() {
        const method::MatchMap& map = *m_result.map;
        const Extents n = map.value.extents();
        const Index shift = m_of.job.region ? m_of.job.region->corner : Index{};
        const Index first{m_result.mapCorner.x - shift.x, m_result.mapCorner.y - shift.y,
                          m_result.mapCorner.z - shift.z};
        for (std::int64_t i = 0; i < map.value.count(); ++i) {
            const Index at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
            const std::string fault = faultAt(i, {at.x + first.x, at.y + first.y, at.z + first.z});
            if (!fault.empty()) {
                return "placement " + base::toString(at) + ": " + fault;
            }
        }
        const std::string wrong = statisticsFault();
        return wrong.empty() ? peaksFault() : wrong;
    }

  private:
    [[nodiscard]] double valueOf(std::int64_t i) const {
        return m_result.map->exact.empty() ? static_cast<double>(m_result.map->value.data()[i])
                                           : m_result.map->exact.data()[i];
    }

    [[nodiscard]] std::string faultAt(std::int64_t i, const Index& corner) {
        const Status status = m_result.map->status.data()[i];
        const double value = valueOf(i);
        reference::Score best;
        double allowed = 0;
        std::optional<double> ofIndex;
        const std::int32_t index = m_result.index ? m_result.index->data()[i] : 0;
        const double promise = status == Status::LowConf ? 0 : m_of.job.promise;
        for (std::size_t k = 0; k < m_definitions.size(); ++k) {
            const reference::Score one = m_definitions[k].at(m_scene, corner);
            const double own = m_definitions[k].allowed(m_scene, corner, promise);
            if (base::hasValue(one.status)) {
                allowed = std::max(allowed, own);
            }
            if (index == static_cast<std::int32_t>(k)) {
                ofIndex = one.value;
            }
            const bool better =
                base::hasValue(one.status) &&
                (!base::hasValue(best.status) || m_sign * one.value > m_sign * best.value);
            best = k == 0 || better ? one : best;
        }
        if (status == Status::LowConf) {
            // In a bank the mark may be another template's. Bounds of sums are absolute.
            const method::MapFacts& facts = m_result.report.map->facts;
            allowed += std::max(facts.largestLowConf, facts.largestBound);
        }
        const bool same =
            status == Status::LowConf ? base::hasValue(best.status) : status == best.status;
        if (!same) {
            return "status " + std::string(base::name(status)) + ", not " +
                   std::string(base::name(best.status));
        }
        if (!base::hasValue(status)) {
            return value == 0 ? "" : "a value without a status";
        }
        m_values.push_back(value);
        const bool whole = best.status == Status::Ok;
        if ((whole || m_of.job.partialPeaks) &&
            (!m_best || m_sign * best.value > m_sign * *m_best)) {
            m_best = best.value;
        }
        if (!(std::abs(value - best.value) <= allowed) ||
            (ofIndex && !(std::abs(*ofIndex - best.value) <= 2 * allowed))) {
            return text(value) + ", not " + text(best.value) + " within " + text(allowed) +
                   (ofIndex ? ", template " + std::to_string(index) + " has " + text(*ofIndex)
                            : std::string());
        }
        return {};
    }

    [[nodiscard]] static std::string text(double value) {
        return QString::number(value, 'g', 17).toStdString();
    }

    [[nodiscard]] std::string statisticsFault() const {
        const match::MapStatistics& found = m_result.report.map->statistics;
        if (found.count != std::ssize(m_values)) {
            return "statistics over " + std::to_string(found.count) + " values";
        }
        long double sum = 0;
        long double size = 0; // largest magnitude
        for (const double value : m_values) {
            sum += value;
            size = std::max(size, std::fabs(static_cast<long double>(value)));
        }
        if (m_values.empty()) {
            return {};
        }
        const long double mean = sum / static_cast<long double>(m_values.size());
        long double squares = 0;
        for (const double value : m_values) {
            squares += (value - mean) * (value - mean);
        }
        const auto deviation =
            static_cast<double>(std::sqrt(squares / static_cast<long double>(m_values.size())));
        // Of lcc the sums are in whole multiples of 2^-40 and less.
        const double rounding =
            m_of.job.operation.traits().inScoreUnits ? 1e-5 : 1e-9 * static_cast<double>(size);
        if (m_values.size() == 1 && found.standardDeviation != 0) {
            return "the deviation of one value is " + text(found.standardDeviation);
        }
        return std::abs(found.standardDeviation - deviation) <= rounding &&
                       std::abs(found.mean - static_cast<double>(mean)) <= rounding
                   ? ""
                   : "deviation " + text(found.standardDeviation) + ", not " + text(deviation);
    }

    [[nodiscard]] std::string peaksFault() const {
        const std::optional<job::ThresholdReport>& given = m_result.report.threshold;
        const double threshold = given ? given->value : job::thresholdOf(m_of.job);
        const bool listed =
            m_best &&
            m_sign * *m_best >
                m_sign * threshold + (m_of.job.operation.traits().absolutePromise ? 1e-6 : 0);
        if (!listed) {
            return {};
        }
        if (m_result.peaks.empty()) {
            return "no peak, but the best value is " + text(*m_best);
        }
        const match::Peak& peak = m_result.peaks.front();
        const auto& own = m_definitions[static_cast<std::size_t>(peak.templ)];
        const Index shift = m_of.job.region ? m_of.job.region->corner : Index{};
        const Index corner{peak.corner.x - shift.x, peak.corner.y - shift.y,
                           peak.corner.z - shift.z};
        // Canonical scores of lcc are near 1e-13; the definition in double is no better.
        const double allowed = peak.bound + (m_of.job.operation.traits().absolutePromise
                                                 ? 1e-9
                                                 : own.allowed(m_scene, corner, 1e-12));
        if (!(std::abs(peak.score - own.at(m_scene, corner).value) <= allowed)) {
            return "peak " + text(peak.score) + " where the definition gives " +
                   text(own.at(m_scene, corner).value);
        }
        return m_sign * peak.score >= m_sign * *m_best - allowed
                   ? ""
                   : "the best peak is " + text(peak.score) + ", not " + text(*m_best);
    }

    const RandomJob& m_of;
    const job::JobResult& m_result;
    double m_sign;
    MaskedView m_scene;
    std::vector<Definition> m_definitions;
    std::vector<double> m_values;
    std::optional<double> m_best; ///< by the definition, of placements that may be peaks
};

} // namespace

class JobRandomValuesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyValueIsThatOfTheDefinition() {
        std::int64_t refused = 0;
        std::int64_t run = 0;
        const std::string fault = test::judgeRandomCases(6000, [&](std::uint64_t seed) {
            const RandomJob made = Maker(seed).make();
            job::JobResult result;
            try {
                result = job::runJob(made.job, made.images);
            } catch (const base::Error& error) {
                ++refused;
                return error.code() == base::ErrorCode::Problem ||
                               error.code() == base::ErrorCode::CommandLine
                           ? std::string()
                           : made.text + ": " + error.what();
            }
            ++run;
            const std::string wrong = Judge(made, result).fault();
            return wrong.empty() ? wrong : made.text + ": " + wrong;
        });
        QVERIFY2(fault.empty(), fault.c_str());
        qInfo("%lld run, %lld refused", static_cast<long long>(run),
              static_cast<long long>(refused));
        // Most refusals are constant templates and methods that have no such job.
        QVERIFY(refused <= run);
    }
};

const flcc::test::TestClass<JobRandomValuesTest> kJobRandomValuesTest;
#include "random_values_test.moc"
