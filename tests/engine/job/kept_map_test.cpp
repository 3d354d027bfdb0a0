#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <nlohmann/json.hpp>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/explain.h"
#include "engine/job/result.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;
using job::PeakThresholds;
using match::Decision;

namespace {

/// The first difference of two lists; empty if all members have the same bits.
QString difference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const match::Peak& p = a[i];
        const match::Peak& q = b[i];
        if (p.score != q.score || p.bound != q.bound || p.status != q.status ||
            p.corner != q.corner || p.centre != q.centre || p.world != q.world ||
            p.shift != q.shift || p.curvature != q.curvature || p.templ != q.templ ||
            p.rival != q.rival || p.zscore != q.zscore) {
            return QStringLiteral("rank %1: score %2 and %3, z-score %4 and %5")
                .arg(i + 1)
                .arg(p.score, 0, 'g', 17)
                .arg(q.score, 0, 'g', 17)
                .arg(p.zscore.value_or(-99), 0, 'g', 17)
                .arg(q.zscore.value_or(-99), 0, 'g', 17);
        }
    }
    return a.size() == b.size() ? QString()
                                : QStringLiteral("%1 and %2 peaks").arg(a.size()).arg(b.size());
}

/// A job with files in a folder of its own: a scene of noise, and templates that are parts of it.
struct Case {
    test::Folder folder;
    Job job;

    explicit Case(const QString& kind) {
        const bool volume = kind == "volume";
        const base::Extents extents = volume ? base::Extents{30, 26, 14} : base::Extents{90, 80, 1};
        const base::Extents templ = volume ? base::Extents{5, 4, 3} : base::Extents{9, 8, 1};
        const PixelType type =
            kind == "whole numbers" || kind == "sad" ? PixelType::UInt8 : PixelType::Float32;
        const base::AnyImage scene = test::noise(type, extents, 7);
        const auto put = [&](const std::string& name, const base::AnyView& pixels) {
            base::Geometry geometry;
            geometry.spacing = {0.5, 0.5, 2};
            (void)io::writeImage(folder.path(name), pixels, geometry);
            return folder.path(name);
        };
        const auto support = [&](const std::string& name, const base::Extents& of, int every) {
            base::Image<std::uint8_t> mask(of, 1);
            for (std::int64_t i = 0; i < mask.count(); i += every) {
                mask.data()[i] = 0;
            }
            return put(name, mask.view());
        };
        job.scene = put("scene.mha", base::viewOf(scene));
        job.templates = {
            put("t0.mha", base::partOf(base::viewOf(scene), {{11, 9, 2 * volume}, templ}))};
        job.threads = 1;
        job.planning = plan::Planning::Estimate;
        job.minScore = 0.3;
        if (kind == "bank" || kind == "masked bank") {
            job.templates.push_back(
                put("t1.mha", base::partOf(base::viewOf(scene), {{40, 33, 0}, templ})));
        }
        if (kind == "mask") {
            job.masks = {support("mask.mha", templ, 5)};
        }
        if (kind == "masked bank") {
            job.masks = {support("m0.mha", templ, 5), support("m1.mha", templ, 7)};
        }
        if (kind == "scene mask") {
            job.sceneMask = support("scene-mask.mha", extents, 701);
        }
        if (kind == "borders" || kind == "masked bank") {
            job.extent = method::Extent::Same;
        }
        if (kind == "region") {
            job.region = base::Box{{7, 5, 0}, {70, 60, 1}};
            job.invert = true;
            job.minScore = 0.25;
        }
        if (kind == "whole numbers" || kind == "sad" || kind == "floats") {
            job.operation = *method::operationNamed(kind == "sad" ? "sad" : "ssd");
            job.minScore.reset();
            job.maxPeaks = 12;
        }
        if (kind == "double") {
            job.precision = method::Precision::Double;
        }
        job.map = folder.path("map.mha");
        job.status = folder.path("status.mha");
        job.report = folder.path("report.json");
        if (job.templates.size() > 1) {
            job.index = folder.path("index.mha");
        }
    }

    /// Looser and stricter ones than those of the job.
    [[nodiscard]] std::vector<PeakThresholds> thresholds(const job::JobResult& result) const {
        const PeakThresholds own = job::thresholdsOf(job);
        const bool smallest = job.operation.traits().best == method::Best::Smallest;
        const double worst = result.peaks.back().score;
        const double best = result.peaks.front().score;
        std::vector<PeakThresholds> all(6, own);
        all[1].threshold = smallest ? worst : 0.15; // looser for lcc
        all[2].threshold = smallest ? (best + worst) / 2 : 0.5;
        all[3].maxPeaks = 3;
        all[4].maxPeaks = 1000;
        all[4].minDistance = 2;
        all[4].threshold = smallest ? worst * 1.2 : 0.2;
        all[5].partialPeaks = true;
        return all;
    }
};

job::JobResult freshRun(Job job, const PeakThresholds& thresholds) {
    job.map.clear();
    job.status.clear();
    job.index.clear();
    job.report.clear();
    return job::runJob(job::withThresholds(std::move(job), thresholds));
}

} // namespace

class JobKeptMapTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void otherThresholdsGiveTheListOfARun_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"image", "volume", "bank", "mask", "masked bank", "scene mask",
                                 "borders", "region", "whole numbers", "sad", "floats", "double"}) {
            QTest::newRow(kind) << kind;
        }
    }
    void otherThresholdsGiveTheListOfARun() {
        QFETCH(QString, kind);
        const Case one(kind);
        const job::JobResult result = job::runJob(one.job);
        QVERIFY2(result.peaks.size() > 3, std::to_string(result.peaks.size()).c_str());
        const auto kept = job::keepMap(result, one.job, result.scene);
        const auto loaded = job::loadKeptMap(one.job);
        QVERIFY(loaded->corner == kept->corner && kept->corner == result.mapCorner);
        std::size_t fewest = 1000;
        std::size_t most = 0;
        for (const PeakThresholds& thresholds : one.thresholds(result)) {
            const std::vector<match::Peak> expected = freshRun(one.job, thresholds).peaks;
            fewest = std::min(fewest, expected.size());
            most = std::max(most, expected.size());
            QCOMPARE(difference(job::extractPeaks(*kept, thresholds).peaks, expected), QString());
            QCOMPARE(difference(job::extractPeaks(*loaded, thresholds).peaks, expected), QString());
        }
        QVERIFY(fewest < result.peaks.size() && most > result.peaks.size());
    }

    void aStricterListIsTheBeginOfALooserOne_data() { otherThresholdsGiveTheListOfARun_data(); }
    void aStricterListIsTheBeginOfALooserOne() {
        QFETCH(QString, kind);
        const Case one(kind);
        const job::JobResult result = job::runJob(one.job);
        const auto kept = job::keepMap(result, one.job, result.scene);
        const double sign = one.job.operation.traits().sign();
        PeakThresholds looser = job::thresholdsOf(one.job);
        looser.threshold = -sign * std::numeric_limits<double>::max();
        looser.maxPeaks = 150;
        const job::FoundPeaks pool = job::extractPeaks(*kept, looser);
        QVERIFY(pool.peaks.size() > 20);
        // Thresholds between two peaks, above all, and smaller numbers of peaks.
        std::size_t told = 0;
        for (const std::size_t rank : {0U, 1U, 2U, 5U, 12U, 19U}) {
            const double at = pool.peaks[rank].score;
            const double next = pool.peaks[rank + 1].score;
            for (const double threshold :
                 {(at + next) / 2, at + sign * 1e-6 * std::max(1.0, std::abs(at)), at}) {
                for (const std::int64_t most : {3, 100}) {
                    PeakThresholds wanted = looser;
                    wanted.threshold = threshold;
                    wanted.maxPeaks = most;
                    const auto list = job::stricterPeaks(*kept, pool, looser, wanted);
                    const job::FoundPeaks expected = job::extractPeaks(*kept, wanted);
                    if (!list) { // errors of scores may decide
                        QVERIFY(threshold == at || at == next);
                        continue;
                    }
                    ++told;
                    QCOMPARE(difference(list->peaks, expected.peaks), QString());
                    for (std::size_t i = 0; i < list->peaks.size(); ++i) {
                        QVERIFY(list->peaks[i].falsePositives == expected.peaks[i].falsePositives);
                        QVERIFY(list->peaks[i].sharpness == expected.peaks[i].sharpness);
                    }
                    QCOMPARE(list->threshold.has_value(), expected.threshold.has_value());
                    if (list->threshold) {
                        QCOMPARE(list->threshold->value, expected.threshold->value);
                        QCOMPARE(list->threshold->falsePositives,
                                 expected.threshold->falsePositives);
                    }
                }
            }
        }
        QVERIFY(told > 8);
        // More peaks than the list has, another distance, a looser threshold.
        PeakThresholds wanted = looser;
        wanted.maxPeaks = 151;
        QVERIFY(pool.peaks.size() < 150 || !job::stricterPeaks(*kept, pool, looser, wanted));
        wanted = looser;
        wanted.minDistance = 1;
        QVERIFY(!job::stricterPeaks(*kept, pool, looser, wanted));
        QVERIFY(!job::stricterPeaks(*kept, job::extractPeaks(*kept, one.thresholds(result)[2]),
                                    one.thresholds(result)[2], one.thresholds(result)[1]));
    }

    void filesThatDoNotBelongTogetherAreRefused() {
        const Case one("image");
        (void)job::runJob(one.job);
        const auto refused = [](const Job& job, base::ErrorCode code, const char* words) {
            const test::Thrown thrown = test::thrownBy([&] { (void)job::loadKeptMap(job); });
            return thrown.code == code && thrown.sentence.find(words) != std::string::npos;
        };
        Job without = one.job;
        without.status.clear();
        QVERIFY(refused(without, base::ErrorCode::CommandLine, "--status"));
        const Case other("scene mask");
        (void)job::runJob(other.job);
        Job mixed = one.job;
        mixed.map = other.job.map;
        QVERIFY(refused(mixed, base::ErrorCode::Input, "is not that of the report"));
        Job same = one.job;
        same.outside = method::Outside::Eibl;
        QVERIFY(refused(same, base::ErrorCode::Input, "of another job"));
        Job small = one.job;
        small.map = small.templates.front();
        QVERIFY(refused(small, base::ErrorCode::Input, "is not of the run"));
        Job text = one.job;
        text.report = text.map;
        QVERIFY(refused(text, base::ErrorCode::Input, "is no report of a finished match"));
        std::filesystem::copy_file(other.job.templates.front(), one.job.scene,
                                   std::filesystem::copy_options::overwrite_existing);
        const test::Thrown changed = test::thrownBy([&] { (void)job::loadKeptMap(one.job); });
        QVERIFY(changed.code != base::ErrorCode::Internal);
        const base::AnyImage noise = test::noise(PixelType::Float32, {90, 80, 1}, 8);
        (void)io::writeImage(one.job.scene, base::viewOf(noise), {});
        QVERIFY(refused(one.job, base::ErrorCode::Input, "was changed after the run"));
    }

    void decisionsFindTheirPeaksInANewList() {
        const Case one("bank");
        job::Result result{std::make_shared<job::JobResult>(job::runJob(one.job)), one.job};
        result.kept = job::keepMap(*result.job, one.job, result.job->scene);
        const std::vector<match::Peak> before = result.job->peaks;
        const match::Peak& best = before.front();
        const match::Peak& worst = before.back();
        const job::ResultEdit undo =
            job::apply(result, job::DecisionEdit{{{match::keyOf(best), Decision::Keep},
                                                  {match::keyOf(worst), Decision::Reject},
                                                  {match::keyOf(worst), Decision::Unsure}}});
        QCOMPARE(result.decisions.of(match::keyOf(worst)), Decision::Unsure);
        QCOMPARE(result.decisions.counts(before)[1], std::int64_t{1});
        // A peak of another template at the same place is another one.
        const match::PeakKey beside{best.corner, best.templ + 1};
        QCOMPARE(result.decisions.of(beside), Decision::Undecided);
        // A strict list lacks the worst peak, whose decision comes back with it.
        const auto list = [&](double least) {
            PeakThresholds thresholds = job::thresholdsOf(one.job);
            thresholds.threshold = least;
            return job::apply(result, job::PeaksEdit{job::extractPeaks(*result.kept, thresholds),
                                                     job::withThresholds(one.job, thresholds)});
        };
        const job::ResultEdit strict = list(best.score);
        QCOMPARE(result.job->peaks.size(), std::size_t{2}); // both templates are in the scene
        QCOMPARE(*result.settings.minScore, best.score);
        QCOMPARE(result.decisions.of(result.job->peaks),
                 (std::vector{Decision::Keep, Decision::Undecided}));
        (void)list(0.15);
        QVERIFY(result.job->peaks.size() > before.size());
        const auto counts = result.decisions.counts(result.job->peaks);
        QCOMPARE(counts[1], std::int64_t{1});
        QCOMPARE(counts[3], std::int64_t{1});
        // Edits are undone by what apply() returned.
        (void)job::apply(result, strict);
        QCOMPARE(difference(result.job->peaks, before), QString());
        QVERIFY(result.settings == one.job);
        (void)job::apply(result, undo);
        QVERIFY(result.decisions == match::DecisionList());
        QVERIFY(match::decisionNamed("unsure") == Decision::Unsure);
        QVERIFY(!match::decisionNamed("Keep"));
    }

    void anAddedPeakStaysInEveryListUntilItIsUndone() {
        const Case one("volume");
        job::Result result{std::make_shared<job::JobResult>(job::runJob(one.job)), one.job};
        result.kept = job::keepMap(*result.job, one.job, result.job->scene);
        PeakThresholds strict = job::thresholdsOf(one.job);
        const auto list = [&] {
            return job::apply(result, job::PeaksEdit{job::extractPeaks(*result.kept, strict),
                                                     job::withThresholds(one.job, strict)});
        };
        const std::vector<match::Peak> wide = result.job->peaks;
        strict.threshold = wide.front().score;
        (void)list();
        QCOMPARE(result.job->peaks.size(), std::size_t{1});
        // A click beside a peak finds it with the score, the place and the statistics of a run.
        const match::Peak& wanted = wide[2];
        const auto found = job::peakNear(
            *result.kept, {wanted.corner.x + 1, wanted.corner.y, wanted.corner.z}, 1, strict);
        QVERIFY(found.has_value());
        match::Peak same = *found;
        QVERIFY(!same.rival);
        same.rival = wanted.rival; // stays empty
        QCOMPARE(difference({same}, {wanted}), QString());
        QVERIFY(same.sharpness == wanted.sharpness && same.sharpness);
        QVERIFY(same.falsePositives == wanted.falsePositives && same.falsePositives);
        const job::ResultEdit undo = job::apply(
            result, job::AddedEdit{{*found}, {{{match::keyOf(*found), Decision::Keep}}}});
        QCOMPARE(result.job->peaks.size(), std::size_t{2});
        QVERIFY(result.job->peaks[1].corner == wanted.corner);
        QCOMPARE(result.job->report.peaks.size(), std::size_t{2});
        // A looser list has it once, a stricter one still has it.
        strict.threshold = 0.2;
        const job::ResultEdit before = list();
        QCOMPARE(std::ranges::count(result.job->peaks, match::keyOf(*found), match::keyOf), 1);
        (void)job::apply(result, before);
        QCOMPARE(result.job->peaks.size(), std::size_t{2});
        (void)job::apply(result, undo);
        QCOMPARE(result.job->peaks.size(), std::size_t{1});
        QVERIFY(result.decisions == match::DecisionList());
        QVERIFY(result.added.empty() && !result.found);
        // A peak that the map gives, too, stays when it is no longer an added one.
        strict.threshold = 0.2;
        (void)list();
        const std::size_t all = result.job->peaks.size();
        (void)job::apply(result, job::AddedEdit{{*found}});
        QCOMPARE(result.job->peaks.size(), all);
        (void)job::apply(result, job::AddedEdit{});
        QCOMPARE(result.job->peaks.size(), all);
    }

    void anExplanationIsThatOfTheDefinition_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"image", "volume", "mask", "bank", "region", "sad", "borders"}) {
            QTest::newRow(kind) << kind;
        }
    }

    void anExplanationIsThatOfTheDefinition() {
        QFETCH(QString, kind);
        const Case one(kind);
        const job::JobResult result = job::runJob(one.job);
        const auto kept = job::keepMap(result, one.job, result.scene);
        const PeakThresholds thresholds = job::thresholdsOf(one.job);
        QVERIFY(result.peaks.size() > 2);
        for (const std::size_t number : {std::size_t{0}, std::size_t{1}}) {
            const match::Peak& peak = result.peaks[number];
            const auto made = job::explain(*kept, peak, thresholds);
            QVERIFY(made.has_value());
            // Another peak is the best one beside it.
            const match::Peak& other = result.peaks[1 - number];
            QVERIFY(made->runnerUp.has_value());
            QVERIFY(made->runnerUp->corner == other.corner);
            if (peak.rival) {
                QCOMPARE(*peak.rival, peak.score / other.score);
            }
            // The profiles are values of the map, and meet in the peak.
            for (const job::ScoreProfile& profile : made->profiles) {
                QVERIFY(profile.first <= 0);
                const auto at = static_cast<std::size_t>(-profile.first);
                QVERIFY(at < profile.scores.size() && profile.scores[at].has_value());
                const double value = *profile.scores[at];
                const double tolerance = one.job.operation.traits().absolutePromise
                                             ? one.job.promise
                                             : 1e-5 * std::abs(value);
                QVERIFY(std::abs(value - peak.score) <= tolerance);
            }
            // Nothing that is suppressed is listed, and all of it is lower.
            const double sign = one.job.operation.traits().sign();
            for (const match::Peak& each : made->suppressed) {
                QVERIFY(sign * each.score <= sign * peak.score);
                QCOMPARE(std::ranges::count(result.peaks, match::keyOf(each), match::keyOf), 0);
            }
            // The first template was cut at the best peak: both have its mean.
            if (number == 0 && one.job.operation.traits().ignoresContrast && !one.job.invert) {
                QVERIFY(std::abs(made->panelMean - made->templateMean) <= 1e-9);
                QVERIFY(std::abs(made->panelDeviation - made->templateDeviation) <= 1e-9);
                QVERIFY(made->panelDeviation > 0);
            }
        }
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!job::explain(*kept, result.peaks.front(), thresholds, stop.get_token()));
    }

    void aStopGivesNoPeaks() {
        const Case one("image");
        const job::JobResult result = job::runJob(one.job);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!job::keepMap(result, one.job, result.scene, stop.get_token()));
        QVERIFY(!job::loadKeptMap(one.job, stop.get_token()));
        const auto kept = job::keepMap(result, one.job, result.scene);
        QVERIFY(job::extractPeaks(*kept, {}, stop.get_token()).peaks.empty());
    }

    void aJobFileKeepsItsKind() {
        job::ConvolveJob convolve;
        convolve.scene = "a.mha";
        convolve.kernel = "box:3";
        convolve.stream = true;
        job::FeaturesJob features;
        features.scene = "b.mha";
        features.threads = 3;
        Job match;
        match.scene = "c.mha";
        match.channel = job::kAllChannels;
        for (const job::AnyJob& any :
             {job::AnyJob(convolve), job::AnyJob(features), job::AnyJob(match)}) {
            QVERIFY(job::anyFromJobFile(job::toJobFile(any)) == any);
            QCOMPARE(job::jobFileCommand(job::toJobFile(any)), std::string(job::commandOf(any)));
        }
        const std::string named = R"({"command": "match", "scene": "c.mha", "channel": "all"})";
        QVERIFY(job::anyFromJobFile(named) == job::AnyJob(match));
        const test::Thrown wrong =
            test::thrownBy([&] { (void)job::fromJobFile(job::toJobFile(features)); });
        QVERIFY(wrong.sentence.find("run flcc-cli features --job") != std::string::npos);
    }
};

const flcc::test::TestClass<JobKeptMapTest> kJobKeptMapTest;

#include "kept_map_test.moc"
