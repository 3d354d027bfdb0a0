#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/any_job.h"
#include "engine/job/explain.h"
#include "engine/job/kept_map.h"
#include "engine/job/preparation.h"
#include "engine/prepare/member.h"
#include "engine/prepare/scene.h"
#include "engine/sample/sample.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/stream_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using job::Job;
using job::JobResult;

namespace {

Job quick() {
    Job job;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.minScore = 0.5;
    return job;
}

base::Geometry angstroms(double edge) {
    base::Geometry geometry;
    geometry.spacing = {edge, edge, edge};
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    return geometry;
}

base::AnyImage copyOf(const base::AnyImage& image) { return base::copyOf(base::viewOf(image)); }

job::JobImages sampleOf(base::AnyImage scene, const sample::Sample& from) {
    return test::imagesOf(std::move(scene), copyOf(from.templ), from.geometry);
}

double scoreNear(const JobResult& result, const base::Point& centre) {
    for (const match::Peak& peak : result.peaks) {
        if (std::hypot(peak.centre[0] - centre[0], peak.centre[1] - centre[1],
                       peak.centre[2] - centre[2]) < 1.5) {
            return peak.score;
        }
    }
    return 0;
}

} // namespace

/// Jobs whose templates and scene are prepared for noise.
class PreparationTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void textsAreReadOrRefused() {
        const job::BandText band = job::parseBand("30,400A");
        QVERIFY(band.band == (prepare::Band{30, 400}));
        QCOMPARE(band.unit, std::string("A"));
        QVERIFY(job::parseBand("3,0").band == (prepare::Band{3, 0}));
        QCOMPARE(job::parseBand("3,40").unit, std::string("px"));
        QVERIFY(job::parseWedge("60,45.5").range == (prepare::TiltRange{60, 45.5}));
        QCOMPARE(job::parseWedge("a/b.tlt").file, std::string("a/b.tlt"));
        QCOMPARE(job::parseCtf("flipped:2.5,200").lens->defocus, 25000.0);
        QVERIFY(job::parseCtf("flipped:2.5,200").flipped);
        QCOMPARE(job::parseCtf("2.5,200").lens->cs, 2.7);
        QCOMPARE(job::parseCtf("flipped:t.star:TS_1").file, std::string("t.star:TS_1"));
        const auto codeOf = [](const char* option, const char* value) {
            return test::thrownBy([&] {
                       (void)job::parseArguments("match",
                                                 {"scene.mha", "templ.mha", option, value});
                   })
                .code;
        };
        for (const auto& [option, value] :
             {std::pair("--band", "40,3"), std::pair("--band", "3"), std::pair("--band", "0,0"),
              std::pair("--band", "nan,3"), std::pair("--band", "-1,3"),
              std::pair("--band", "3,40parsec"), std::pair("--wedge", "60"),
              std::pair("--wedge", "60,91"), std::pair("--wedge", "-1,60"),
              std::pair("--wedge", ""), std::pair("--ctf", "3,0"), std::pair("--ctf", "flipped:"),
              std::pair("--ctf", "1,300,2.7,1.5"), std::pair("--ctf", "1,300,2.7,0.1,4"),
              std::pair("--polarity", "grey")}) {
            QVERIFY2(codeOf(option, value) == ErrorCode::CommandLine, value);
        }
    }

    static void jobsWithoutAMeaningAreRefused_data() {
        QTest::addColumn<job::Preparation>("preparation");
        QTest::addColumn<bool>("flat");
        QTest::addColumn<bool>("lcc");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* tag, job::Preparation preparation, bool flat, bool lcc,
                            const char* says) {
            QTest::newRow(tag) << preparation << flat << lcc << QString(says);
        };
        job::Preparation wedge;
        wedge.wedge = "60,60";
        row("wedge of an image", wedge, true, true, "no missing wedge");
        row("operation", wedge, false, false, "operation lcc");
        job::Preparation ctf;
        ctf.ctf = "2,300";
        row("ctf without lengths", ctf, true, true, "--spacing");
        job::Preparation band;
        band.band = "3,40nm";
        row("band without lengths", band, true, true, "--spacing");
        job::Preparation nothing;
        nothing.band = "0.1,0.2";
        row("nothing is left", nothing, true, true, "template");
    }
    static void jobsWithoutAMeaningAreRefused() {
        QFETCH(job::Preparation, preparation);
        QFETCH(bool, flat);
        QFETCH(bool, lcc);
        QFETCH(QString, says);
        Job job = quick();
        job.preparation = preparation;
        job.minScore.reset();
        if (!lcc) {
            job.operation = method::operationNamed("ssd").value();
        }
        const std::int64_t depth = flat ? 1 : 12;
        const auto thrown = test::thrownBy([&] {
            (void)job::runJob(
                job,
                test::imagesOf(test::noise(base::PixelType::Float32, {24, 20, depth}, 1),
                               test::noise(base::PixelType::Float32, {6, 5, flat ? 1 : 4}, 2)));
        });
        QVERIFY2(thrown.code == ErrorCode::Problem, thrown.sentence.c_str());
        QVERIFY2(QString::fromStdString(thrown.sentence).contains(says), thrown.sentence.c_str());
    }

    /// The map is the LCC of the prepared images: that of a job to which these are given.
    static void scoresAreThoseOfPreparedImages() {
        const base::AnyImage scene = test::texture(base::PixelType::Float32, {40, 36, 30}, 3);
        const base::AnyImage templ = test::crop(scene, {{9, 8, 7}, {9, 8, 10}});
        const base::Geometry geometry = angstroms(8);
        Job job = quick();
        job.method = "direct";
        job.precision = method::Precision::Double;
        job.audit = job::Audit::On;
        job.preparation.band = "20,200A";
        job.preparation.whiten = true;
        job.preparation.wedge = "60,50";
        const JobResult result =
            job::runJob(job, test::imagesOf(copyOf(scene), copyOf(templ), geometry));
        QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                 result.report.audit->reason.c_str());
        QVERIFY(result.report.preparation->points == (Extents{18, 16, 20}));

        base::TilePool pool(1);
        prepare::SceneTransform transform(base::viewOf(scene), {}, geometry.spacing, pool);
        prepare::Recipe recipe;
        recipe.band = prepare::Band{20, 200};
        recipe.spectrum = transform.spectrum();
        base::AnyImage prepared(transform.filtered(prepare::Response(recipe)));
        recipe.range = prepare::TiltRange{60, 50};
        recipe.thickness = 80;
        const prepare::MemberFilter filter({9, 8, 10}, geometry.spacing, prepare::Response(recipe));
        const base::Image<double> made = filter.filtered(base::viewOf(templ), {}, {});
        base::Image<float> single(made.extents());
        std::transform(made.data(), made.data() + made.count(), single.data(),
                       [](double value) { return static_cast<float>(value); });
        job.preparation = {};
        const JobResult expected =
            job::runJob(job, test::imagesOf(std::move(prepared), std::move(single), geometry));
        for (std::int64_t i = 0; i < expected.map->exact.count(); ++i) {
            QCOMPARE(result.map->exact.data()[i], expected.map->exact.data()[i]);
        }
        QCOMPARE(result.peaks.size(), expected.peaks.size());
    }

    static void membersOfASearchAreFilteredToo() {
        const base::AnyImage scene = test::texture(base::PixelType::Float32, {30, 28, 26}, 5);
        Job job = quick();
        job.poses.rotations = "90";
        job.preparation.band = "3,0";
        job.preparation.wedge = "50,50";
        job.audit = job::Audit::On; // makes members anew and compares with the definition
        job.minScore = 0.2;
        const JobResult result = job::runJob(
            job, test::imagesOf(copyOf(scene), test::crop(scene, {{9, 8, 7}, {7, 7, 7}})));
        QVERIFY2(result.report.audit->verdict == job::AuditVerdict::Passed,
                 result.report.audit->reason.c_str());
        QVERIFY(!result.peaks.empty());
        const auto kept = job::keepMap(result, job, result.scene);
        const auto again = job::extractPeaks(*kept, job::thresholdsOf(job));
        QCOMPARE(again.peaks.size(), result.peaks.size());
        for (std::size_t i = 0; i < again.peaks.size(); ++i) {
            QCOMPARE(again.peaks[i].score, result.peaks[i].score);
        }
        QVERIFY(job::explain(*kept, result.peaks[0], job::thresholdsOf(job)).has_value());
    }

    /// Each copy loses the frequencies of a wedge; a template that lost them too is more like it.
    static void aWedgeRaisesTheScoresOfATomogram() {
        const sample::Sample from = sample::makeSample("turned-complexes");
        prepare::Recipe recipe;
        recipe.range = prepare::TiltRange{50, 50};
        recipe.thickness = 170;
        base::TilePool pool(2);
        prepare::SceneTransform transform(base::viewOf(from.scene), {}, from.geometry.spacing,
                                          pool);
        const base::AnyImage scene(transform.filtered(prepare::Response(recipe)));
        const test::Folder folder;
        {
            std::ofstream list(folder.path("poses.txt"));
            for (const rotation::Pose& pose : from.poses) {
                list << pose.turn.w << " " << pose.turn.x << " " << pose.turn.y << " "
                     << pose.turn.z << "\n";
            }
        }
        {
            std::ofstream tilts(folder.path("tilts.rawtlt"));
            for (int angle = -50; angle <= 50; angle += 2) {
                tilts << angle << "\n";
            }
        }
        Job job = quick();
        job.poses.rotations = "list:" + folder.path("poses.txt").string();
        job.masks = {"sphere:8"};
        job.minScore = 0.2;
        job.maxPeaks = 12;
        const auto scoresWith = [&](const std::string& wedge) {
            job.preparation.wedge = wedge;
            const JobResult result = job::runJob(job, sampleOf(copyOf(scene), from));
            std::vector<double> scores;
            for (const base::Point& centre : from.centres) {
                scores.push_back(scoreNear(result, centre));
            }
            return scores;
        };
        const std::vector<double> plain = scoresWith("");
        const std::vector<double> wedged = scoresWith("50,50");
        const std::vector<double> tilted = scoresWith(folder.path("tilts.rawtlt").string());
        const std::vector<double> wrong = scoresWith("10,10");
        double gain = 0;
        for (std::size_t i = 0; i < plain.size(); ++i) {
            QVERIFY2(wedged[i] > plain[i],
                     qPrintable(QString("%1 %2 %3").arg(i).arg(plain[i]).arg(wedged[i])));
            QVERIFY(tilted[i] > plain[i]);
            QVERIFY(wrong[i] < wedged[i]);
            gain += wedged[i] / std::max(plain[i], 0.2) / static_cast<double>(plain.size());
        }
        QVERIFY2(gain > 1.05, qPrintable(QString::number(gain)));
    }

    static void bothSignsAreFound_data() {
        QTest::addColumn<bool>("poses");
        QTest::newRow("templates") << false;
        QTest::newRow("poses") << true;
    }
    static void bothSignsAreFound() {
        QFETCH(bool, poses);
        base::Image<float> scene({64, 60, 1});
        const base::AnyImage noise = test::noise(base::PixelType::Float32, {64, 60, 1}, 4);
        std::copy_n(std::get<base::Image<float>>(noise).data(), scene.count(), scene.data());
        const base::AnyImage templ = test::noise(base::PixelType::Float32, {8, 8, 1}, 9);
        const auto& piece = std::get<base::Image<float>>(templ);
        for (std::int64_t y = 0; y < 8; ++y) {
            for (std::int64_t x = 0; x < 8; ++x) {
                scene.view().at(10 + x, 12 + y, 0) = piece.view().at(x, y, 0);
                scene.view().at(40 + x, 30 + y, 0) = 2 - piece.view().at(x, y, 0);
            }
        }
        const base::AnyImage whole(std::move(scene));
        Job job = quick();
        job.minScore = 0.9;
        job.audit = job::Audit::On;
        job.poses.rotations = poses ? "90" : "";
        job.preparation.polarity = job::Polarity::Both;
        const JobResult both = job::runJob(job, test::imagesOf(copyOf(whole), copyOf(templ)));
        QVERIFY2(both.report.audit->verdict == job::AuditVerdict::Passed,
                 both.report.audit->reason.c_str());
        QCOMPARE(both.peaks.size(), std::size_t{2});
        for (const match::Peak& peak : both.peaks) {
            QCOMPARE(peak.templ, 0);
            QCOMPARE(peak.dark, std::optional(peak.corner.x > 30));
        }
        const auto kept = job::keepMap(both, job, both.scene);
        QCOMPARE(job::extractPeaks(*kept, job::thresholdsOf(job)).peaks[1].dark,
                 both.peaks[1].dark);
        for (const auto& [polarity, x] :
             {std::pair(job::Polarity::Bright, 10), std::pair(job::Polarity::Dark, 40)}) {
            job.preparation.polarity = polarity;
            const JobResult one = job::runJob(job, test::imagesOf(copyOf(whole), copyOf(templ)));
            QCOMPARE(one.peaks.size(), std::size_t{1});
            QVERIFY(!one.peaks[0].dark);
            QVERIFY(std::abs(static_cast<double>(one.peaks[0].corner.x - x)) < 1);
        }
    }

    /// Every frame has a whitening filter of its own.
    static void framesAreScenesOfTheirOwn() {
        const test::Stack stack(3);
        Job job = stack.job();
        job.minScore = 0.4;
        job.preparation.whiten = true;
        job.preparation.band = "3,0";
        const JobResult all = job::runJob(job);
        for (int frame = 0; frame < 3; ++frame) {
            Job alone = stack.alone(frame);
            alone.minScore = job.minScore;
            alone.preparation = job.preparation;
            const JobResult one = job::runJob(alone);
            QVERIFY(!one.peaks.empty());
            const auto& map = one.map->value;
            for (std::int64_t i = 0; i < map.count(); ++i) {
                QCOMPARE(all.map->value.data()[i + frame * map.count()], map.data()[i]);
            }
        }
        const auto kept = job::keepMap(all, job, nullptr);
        const auto again = job::extractPeaks(*kept, job::thresholdsOf(job));
        QCOMPARE(again.peaks.size(), all.peaks.size());
        for (std::size_t i = 0; i < again.peaks.size(); ++i) {
            QCOMPARE(again.peaks[i].score, all.peaks[i].score);
        }
    }

    static void whatIsNotFiniteStaysSo() {
        base::AnyImage scene = test::texture(base::PixelType::Float32, {40, 30, 1}, 3);
        const base::AnyImage templ = test::crop(scene, {{9, 8, 0}, {9, 8, 1}});
        std::get<base::Image<float>>(scene).view().at(30, 20, 0) =
            std::numeric_limits<float>::quiet_NaN();
        Job job = quick();
        job.preparation.whiten = true;
        const JobResult result = job::runJob(job, test::imagesOf(std::move(scene), copyOf(templ)));
        const auto marked = std::count(result.map->status.data(),
                                       result.map->status.data() + result.map->status.count(),
                                       base::Status::NonFinite);
        QCOMPARE(marked, std::ptrdiff_t{9 * 8});
        QCOMPARE(result.peaks[0].corner.x, std::int64_t{9});
    }

    static void filesOfTheOptionsAreInputs() {
        const test::Folder folder;
        std::ofstream(folder.path("tilts.mdoc"))
            << "Voltage = 200\n[ZValue = 0]\nTiltAngle = -40\nPriorRecordDose = 20\n"
               "[ZValue = 1]\nTiltAngle = 40\nPriorRecordDose = 0\n";
        std::ofstream(folder.path("a.defocus")) << "1 1 -40 -40 3000 2\n2 2 40 40 3200\n";
        const base::AnyImage scene = test::texture(base::PixelType::Float32, {30, 28, 26}, 5);
        Job job = quick();
        job.preparation.wedge = folder.path("tilts.mdoc").string();
        job.preparation.ctf = "flipped:" + folder.path("a.defocus").string();
        job.report = folder.path("report.json");
        const auto images = [&](const base::Geometry& geometry) {
            return test::imagesOf(copyOf(scene), test::crop(scene, {{9, 8, 7}, {7, 7, 7}}),
                                  geometry);
        };
        const JobResult result = job::runJob(job, images(angstroms(10)));
        const job::PreparationReport& report = *result.report.preparation;
        QCOMPARE(report.tilts, 2);
        QCOMPARE(report.dose, std::optional(20.0));
        QVERIFY(std::abs(report.lens->defocus - 31000) < 1e-6);
        QVERIFY(report.flipped && QString::fromStdString(report.assumed).contains("voltage"));
        const auto role = [&](const char* name) {
            return std::ranges::count(result.report.inputs, name, &job::InputReport::role);
        };
        QVERIFY(role("wedge") == 1 && role("ctf") == 1);
        QCOMPARE(result.report.inputs[0].role, std::string("scene"));
        const std::string text = job::toText(result.report);
        QVERIFY(QString::fromStdString(text).contains("2 tilts from -40.0 to 40.0"));
        // Doses need lengths.
        job.preparation.ctf.clear();
        const auto thrown = test::thrownBy([&] { (void)job::runJob(job, images({})); });
        QCOMPARE(thrown.code, ErrorCode::Problem);
        QVERIFY(QString::fromStdString(thrown.sentence).contains("doses"));
        // No output may replace them.
        job.map = folder.path("tilts.mdoc");
        QCOMPARE(test::thrownBy([&] { (void)job::runJob(job, images(angstroms(10))); }).code,
                 ErrorCode::CommandLine);
        job.map.clear();
        // Files of two tilt series.
        std::ofstream(folder.path("b.defocus")) << "1 1 -30 -30 3000 2\n2 2 40 40 3200\n";
        job.preparation.ctf = folder.path("b.defocus").string();
        QVERIFY(QString::fromStdString(
                    test::thrownBy([&] { (void)job::runJob(job, images(angstroms(10))); }).sentence)
                    .contains("one tilt series"));
    }

    static void theTemplateIsShownWithItsSpectrum() {
        const base::AnyImage scene = test::noise(base::PixelType::Float32, {30, 28, 26}, 5);
        auto images = test::imagesOf(copyOf(scene), test::crop(scene, {{3, 3, 3}, {16, 16, 16}}));
        Job job;
        job.preparation.wedge = "45,45";
        const auto made = job::preparedTemplate(job, images.scene, images.templates[0], nullptr);
        QVERIFY(made->pixels.extents() == (Extents{16, 16, 16}));
        QVERIFY(made->spectrum.extents() == (Extents{32, 32, 1}));
        double along = 0;
        double beam = 0;
        for (int i = 6; i < 14; ++i) { // off the middle, along x and along z
            along += static_cast<double>(made->spectrum.view().at(16 + i, 16, 0));
            beam += static_cast<double>(made->spectrum.view().at(16, 16 + i, 0));
        }
        QVERIFY2(along > beam + 1, qPrintable(QString("%1 %2").arg(along).arg(beam)));
    }
};

const flcc::test::TestClass<PreparationTest> kPreparationTest;

#include "preparation_test.moc"
