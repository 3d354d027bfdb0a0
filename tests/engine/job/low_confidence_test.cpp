#include <QtTest>

#include <nlohmann/json.hpp>

#include "engine/job/kept_map.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;
using Json = nlohmann::json;

namespace {

/// Noise with a row of `bright` at `y`: with a large value, errors of transforms there are larger
/// than the noise.
base::AnyImage stripedNoise(const base::Extents& extents, std::int64_t y, double bright) {
    const base::AnyImage noise = test::noise(PixelType::Float32, extents, 7);
    return test::makeScene(PixelType::Float32, extents, [&](const base::Index& at) {
        return at.y == y ? bright : base::valueAt(base::viewOf(noise), at);
    });
}

std::int64_t lowConfOf(const job::JobResult& result) {
    return result.report.map->facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
}

/// The first difference of two lists; empty when corners, templates and scores have the same bits.
QString difference(const std::vector<match::Peak>& a, const std::vector<match::Peak>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].corner != b[i].corner || a[i].score != b[i].score || a[i].templ != b[i].templ ||
            a[i].bound != b[i].bound || a[i].rival != b[i].rival || a[i].centre != b[i].centre) {
            return QStringLiteral("rank %1: score %2 and %3")
                .arg(i + 1)
                .arg(a[i].score, 0, 'g', 17)
                .arg(b[i].score, 0, 'g', 17);
        }
    }
    return a.size() == b.size() ? QString()
                                : QStringLiteral("%1 and %2 peaks").arg(a.size()).arg(b.size());
}

} // namespace

class JobLowConfidenceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void withoutRecomputingTheListIsTheSame_data();
    void withoutRecomputingTheListIsTheSame();
    void anIncompleteListSaysSoEverywhere();
};

void JobLowConfidenceTest::withoutRecomputingTheListIsTheSame_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("method");
    for (const char* method : {"direct", "tiled", "fourier", "tiled-template", "dif"}) {
        for (const char* kind : {"plain", "volume", "bank"}) {
            QTest::addRow("%s, %s", kind, method) << kind << method;
        }
    }
    for (const char* method : {"direct", "tiled"}) { // no other takes masks and borders
        for (const char* kind : {"same", "full", "masked", "partial peaks"}) {
            QTest::addRow("%s, %s", kind, method) << kind << method;
        }
    }
}

void JobLowConfidenceTest::withoutRecomputingTheListIsTheSame() {
    QFETCH(QString, kind);
    QFETCH(QString, method);
    const bool volume = kind == "volume";
    const base::Extents extents = volume ? base::Extents{40, 36, 20} : base::Extents{120, 110, 1};
    const std::int64_t depth = volume ? 5 : 1;
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = stripedNoise(extents, volume ? 18 : 50, 1e8);
    scene->source = "memory";
    job::JobImages images{scene, {job::cutTemplate(*scene, {{20, 24, 0}, {9, 8, depth}})}};
    if (kind == "bank") {
        images.templates.push_back(job::cutTemplate(*scene, {{70, 80, 0}, {9, 8, 1}}));
    }
    if (kind == "masked") {
        auto mask = std::make_shared<job::MaskImage>();
        mask->support = base::Image<std::uint8_t>({9, 8, 1}, 1);
        mask->support.data()[0] = 0;
        mask->source = "mask";
        images.masks = {mask};
    }
    Job job;
    job.minScore = volume ? 0.1 : 0.25;
    job.extent = kind == "full"                              ? method::Extent::Full
                 : kind == "same" || kind == "partial peaks" ? method::Extent::Same
                                                             : method::Extent::Valid;
    job.partialPeaks = kind == "partial peaks";
    const job::JobResult whole = job::runJob(job, images);
    QVERIFY(whole.peaks.size() > (volume ? 1 : 10));
    job.recompute = false;
    job.method = method.toStdString();
    const job::JobResult marked = job::runJob(job, images);
    const double bound = marked.report.map->facts.largestLowConf;
    QVERIFY2(method == "direct" || (lowConfOf(marked) > 100 && bound > 0.1),
             qPrintable(QString::number(bound)));
    QCOMPARE(marked.report.peaksIncomplete, std::string());
    QCOMPARE(difference(marked.peaks, whole.peaks), QString());
}

void JobLowConfidenceTest::anIncompleteListSaysSoEverywhere() {
    // In one frame with 1e30, noise is rounded to nothing: its scores are unknown.
    base::AnyImage scene = stripedNoise({1050, 1000, 1}, 900, 1e30);
    base::AnyImage templ = test::crop(scene, {{20, 24, 0}, {4, 4, 1}});
    const job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
    const test::Folder folder;
    Job job;
    job.method = "fourier";
    job.recompute = false;
    job.peaks = folder.path("peaks.csv");
    job.report = folder.path("report.json");
    const job::JobResult result = job::runJob(job, images);
    QVERIFY(lowConfOf(result) > 1'000'000);
    const std::string& why = result.report.peaksIncomplete;
    QVERIFY2(why.find("at most 1000000 such voxels") != std::string::npos, why.c_str());
    const std::string sentence = "The list of peaks is incomplete: " + why;
    QVERIFY(job::toSummary(result.report).find(sentence) != std::string::npos);
    QVERIFY(job::toText(result.report).find(sentence) != std::string::npos);
    QVERIFY(test::bytesOf(job.peaks).find("\n# incomplete: ") != std::string::npos);
    const Json json = Json::parse(test::bytesOf(job.report));
    QCOMPARE(json["peaks_incomplete"].get<std::string>(), why);
    // Another search of the map says so as well.
    Job again = job;
    again.peaks.clear();
    again.report.clear();
    QVERIFY(result.map != nullptr);
    const job::FoundPeaks found =
        job::extractPeaks(*job::keepMap(result, again, images.scene), job::thresholdsOf(again));
    QCOMPARE(found.incomplete, why);
    QCOMPARE(difference(found.peaks, result.peaks), QString());
    job.recompute = true;
    QVERIFY(
        Json::parse(job::toJson(job::runJob(job, images).report))["peaks_incomplete"].is_null());
}

const flcc::test::TestClass<JobLowConfidenceTest> kJobLowConfidenceTest;
#include "low_confidence_test.moc"
