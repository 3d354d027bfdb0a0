#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/io/image_file.h"
#include "engine/job/job.h"
#include "engine/job/made_of.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using Json = nlohmann::json;

// Several templates have an average each: boxes of different objects would blur one another.

namespace {

const std::array<Extents, 3> kExtents{{{9, 8, 1}, {5, 5, 1}, {6, 7, 1}}};
const std::array<std::vector<base::Index>, 3> kPlaces{{{{30, 20, 0}, {62, 50, 0}, {95, 71, 0}},
                                                       {}, // not in the scene
                                                       {{14, 60, 0}, {80, 18, 0}}}};

/// Noise with copies of the first and the third template.
job::JobImages threeTemplates() {
    base::AnyImage image = test::noise(PixelType::UInt8, {120, 100, 1}, 5);
    auto& to = std::get<base::Image<std::uint8_t>>(image);
    std::vector<base::AnyImage> cuts;
    for (std::size_t t = 0; t < kExtents.size(); ++t) {
        cuts.push_back(test::noise(PixelType::UInt8, kExtents[t], 6 + static_cast<unsigned>(t)));
        const auto& from = std::get<base::Image<std::uint8_t>>(cuts.back());
        for (const base::Index& at : kPlaces[t]) {
            for (std::int64_t i = 0; i < from.count(); ++i) {
                to.view().at(at.x + i % kExtents[t].x, at.y + i / kExtents[t].x, 0) =
                    from.data()[i];
            }
        }
    }
    job::JobImages images = test::imagesOf(std::move(image), std::move(cuts[0]));
    for (std::size_t t = 1; t < cuts.size(); ++t) {
        auto templ = std::make_shared<job::SceneImage>();
        templ->pixels = std::move(cuts[t]);
        templ->source = "template " + std::to_string(t);
        images.templates.push_back(templ);
    }
    return images;
}

/// The kernel of Keys with a = -1/2 by its definition.
double keys(double t) {
    t = std::abs(t);
    return t < 1   ? 1.5 * t * t * t - 2.5 * t * t + 1
           : t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2
                   : 0;
}

/// The value of the scene between voxels: the sum over all voxels.
double valueAt(const base::AnyView& scene, double x, double y) {
    double sum = 0;
    for (std::int64_t j = 0; j < base::extentsOf(scene).y; ++j) {
        const double weight = keys(y - static_cast<double>(j));
        for (std::int64_t i = 0; i < base::extentsOf(scene).x && weight != 0; ++i) {
            sum += weight * keys(x - static_cast<double>(i)) * base::valueAt(scene, {i, j, 0});
        }
    }
    return sum;
}

/// What the average and the variance of template `templ` are at a voxel of its box: by definition,
/// over the peaks of this template alone. The middle voxel size / 2 of the box lies on the voxel
/// m / 2 of the template of m voxels.
std::pair<double, double> expectedAt(const base::AnyView& scene,
                                     const std::vector<match::Peak>& peaks, int templ,
                                     const Extents& size, std::int64_t x, std::int64_t y) {
    std::vector<double> values;
    const Extents& m = kExtents[static_cast<std::size_t>(templ)];
    for (const match::Peak& peak : peaks) {
        if (peak.templ == templ) {
            const auto at = [&](double centre, std::int64_t edge, std::int64_t box,
                                std::int64_t i) {
                const double middle =
                    centre - static_cast<double>(edge - 1) / 2 + static_cast<double>(edge / 2);
                return middle + static_cast<double>(i - box / 2);
            };
            values.push_back(valueAt(scene, at(peak.centre[0], m.x, size.x, x),
                                     at(peak.centre[1], m.y, size.y, y)));
        }
    }
    double mean = 0;
    for (const double value : values) {
        mean += value / static_cast<double>(values.size());
    }
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean) / static_cast<double>(values.size() - 1);
    }
    return {mean, squares};
}

base::Image<float> read(const std::filesystem::path& file) {
    io::LoadedImage image = io::readImage(file);
    return std::move(std::get<base::Image<float>>(image.components.at(0)));
}

job::Job averagingJob(const test::Folder& folder) {
    job::Job job;
    job.minScore = 0.9;
    job.report = folder.path("report.json");
    job.peaks = folder.path("peaks.csv");
    job.exports.average = folder.path("average.mha");
    job.exports.averageVariance = folder.path("variance.mha");
    return job;
}

} // namespace

class JobAveragesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTemplateHasItsAverage_data();
    void everyTemplateHasItsAverage();
    void aTemplateWithoutPeaksHasNoFileAndIsNamed();
    void everyAverageMarksItsOwnPeaks();
    void aListGivesTheAveragesOfItsRun();
    void scalesAndRotationsAreOneAverage();
    void namesThatClashAreRefused();
};

void JobAveragesTest::everyTemplateHasItsAverage_data() {
    QTest::addColumn<bool>("stated");
    QTest::newRow("size of its template") << false;
    QTest::newRow("stated size") << true;
}

void JobAveragesTest::everyTemplateHasItsAverage() {
    QFETCH(bool, stated);
    const test::Folder folder;
    const job::JobImages images = threeTemplates();
    job::Job job = averagingJob(folder);
    if (stated) {
        job.exports.size = Extents{10, 11, 0};
    }
    const job::JobResult result = job::runJob(job, images);
    QCOMPARE(result.peaks.size(), std::size_t{5});
    const base::AnyView scene = base::viewOf(images.scene->pixels);
    for (const int t : {0, 2}) {
        const std::string number = "-" + std::to_string(t) + ".mha";
        const base::Image<float> mean = read(folder.path("average" + number));
        const base::Image<float> variance = read(folder.path("variance" + number));
        const Extents size = stated ? Extents{10, 11, 1} : kExtents[static_cast<std::size_t>(t)];
        QVERIFY(mean.extents() == size && variance.extents() == size);
        for (std::int64_t i = 0; i < mean.count(); ++i) {
            const auto [expected, squares] =
                expectedAt(scene, result.peaks, t, size, i % size.x, i / size.x);
            // Values below 256, weights of at most 1.25 on an axis, 16 products; places below 128
            // are known to 2^-46, and the kernel changes by less than 2 a voxel; then float.
            const double wrong = 256 * 16 * 1.6 * (20 * 0x1p-53 + 2 * 0x1p-46);
            QVERIFY2(std::abs(static_cast<double>(mean.data()[i]) - expected) <=
                         wrong + std::abs(expected) * 0x1p-24,
                     qPrintable(QString("%1, not %2").arg(mean.data()[i]).arg(expected)));
            // A square of differences below 512 changes by 4 * 512 times what they are off by.
            QVERIFY(std::abs(static_cast<double>(variance.data()[i]) - squares) <=
                    4 * 512 * wrong + squares * 0x1p-24);
        }
    }
    const Json report = Json::parse(test::bytesOf(job.report));
    QVERIFY(report.at("average").is_null());
    const Json& averages = report.at("averages");
    QCOMPARE(averages.size(), std::size_t{3});
    for (const std::size_t t : {0U, 2U}) {
        const Json& each = averages.at(t);
        QCOMPARE(each.at("template").get<std::size_t>(), t);
        QCOMPARE(each.at("count").get<std::size_t>(), kPlaces[t].size());
        QVERIFY(
            each.at("path").get<std::string>().ends_with("average-" + std::to_string(t) + ".mha"));
        // The halves are those of the peaks of this template.
        std::vector<match::Peak> own;
        std::ranges::copy_if(result.peaks, std::back_inserter(own), [&](const match::Peak& peak) {
            return peak.templ == static_cast<int>(t);
        });
        const match::Average alone =
            match::averageOf(scene, own,
                             {.size = stated ? Extents{10, 11, 1} : kExtents[t],
                              .references = {rotation::toReferenceVoxel(kExtents[0]),
                                             rotation::toReferenceVoxel(kExtents[1]),
                                             rotation::toReferenceVoxel(kExtents[2])}});
        const Json& rings = each.at("halves").at("correlation");
        QCOMPARE(rings.size(), alone.halves.correlation.size());
        for (std::size_t r = 0; r < rings.size(); ++r) {
            // The same sums by the same transform, but plans of FFTW may differ.
            QVERIFY(std::abs(rings.at(r).get<double>() - alone.halves.correlation[r]) <=
                    1000 * 0x1p-52);
        }
    }
}

void JobAveragesTest::aTemplateWithoutPeaksHasNoFileAndIsNamed() {
    const test::Folder folder;
    std::ofstream(folder.path("average-1.mha")) << "of an earlier run";
    std::ofstream(folder.path("average-1.mha.json")) << "of an earlier run";
    const job::JobResult result = job::runJob(averagingJob(folder), threeTemplates());
    QVERIFY((folder.names() == std::vector<std::string>{"average-0.mha", "average-0.mha.json",
                                                        "average-2.mha", "average-2.mha.json",
                                                        "peaks.csv", "report.json",
                                                        "variance-0.mha", "variance-2.mha"}));
    const Json none = Json::parse(test::bytesOf(folder.path("report.json"))).at("averages").at(1);
    QCOMPARE(none.at("template").get<int>(), 1);
    QCOMPARE(none.at("count").get<int>(), 0);
    QVERIFY(none.at("path").is_null() && none.at("halves").is_null());
    const auto isNoted = [&](const std::string& sentence) {
        return std::ranges::count(result.notes, sentence) == 1;
    };
    QVERIFY(isNoted("average-1.mha is not written: no peak of template 1 has its box inside the "
                    "scene; the older file of this name is removed"));
    QVERIFY(isNoted("variance-1.mha is not written: no peak of template 1 has its box inside the "
                    "scene"));
    for (const std::string& text : {job::toText(result.report), job::toSummary(result.report)}) {
        for (const char* const line :
             {"Average of template 0: of 3 boxes of 9x8x1 voxels",
              "Average of template 1: none, no peak has its box of 5x5x1 voxels inside the scene",
              "Average of template 2: of 2 boxes of 6x7x1 voxels"}) {
            QVERIFY2(text.find(line) != std::string::npos, text.c_str());
        }
    }
}

void JobAveragesTest::everyAverageMarksItsOwnPeaks() {
    const test::Folder folder;
    job::JobImages images = threeTemplates();
    (void)job::runJob(averagingJob(folder), images);
    for (const std::size_t t : {0U, 2U}) {
        const std::filesystem::path file = folder.path("average-" + std::to_string(t) + ".mha");
        const auto made = job::readMadeOf(file);
        QVERIFY(made);
        QCOMPARE(made->centres.size(), kPlaces[t].size());
        auto templ = std::make_shared<job::SceneImage>();
        templ->pixels = read(file);
        templ->source = file.string();
        images.templates = {templ};
        job::Job again;
        again.minScore = 0.9;
        const job::JobResult found = job::runJob(again, images);
        QCOMPARE(found.peaks.size(), kPlaces[t].size());
        QVERIFY(std::ranges::all_of(found.peaks, &match::Peak::madeOf));
    }
}

void JobAveragesTest::aListGivesTheAveragesOfItsRun() {
    const test::Folder folder;
    const job::JobImages images = threeTemplates();
    job::Job job = averagingJob(folder);
    (void)io::writeImage(folder.path("scene.mha"), base::viewOf(images.scene->pixels), {});
    (void)job::runJob(job, images);
    for (const char* const list : {"peaks.csv", "report.json"}) {
        job::ListConversion conversion{.input = folder.path(list)};
        conversion.scene = folder.path("scene.mha");
        conversion.exports.average = folder.path("again.mha");
        const job::ConvertedList done = job::convertList(conversion);
        QCOMPARE(done.averages.size(), std::size_t{3});
        QCOMPARE(done.averages[0].count, std::int64_t{3});
        QCOMPARE(done.averages[1].count, std::int64_t{0});
        QCOMPARE(done.averages[2].count, std::int64_t{2});
        QVERIFY(!std::filesystem::exists(folder.path("again.mha")));
        QVERIFY(!std::filesystem::exists(folder.path("again-1.mha")));
        for (const char* const number : {"0", "2"}) {
            const base::Image<float> a =
                read(folder.path("average-" + std::string(number) + ".mha"));
            const base::Image<float> b = read(folder.path("again-" + std::string(number) + ".mha"));
            QVERIFY(a.extents() == b.extents());
            for (std::int64_t i = 0; i < a.count(); ++i) {
                // Lists state places to at least 1e-6 voxels; the scene changes by at most 2 * 256
                // a voxel on each axis.
                QVERIFY(std::abs(a.data()[i] - b.data()[i]) <= 2 * 2 * 256 * 1.6e-6F + 0x1p-15F);
            }
            QVERIFY(job::readMadeOf(folder.path("again-" + std::string(number) + ".mha")));
        }
    }
}

void JobAveragesTest::scalesAndRotationsAreOneAverage() {
    const test::Folder folder;
    job::JobImages images = threeTemplates();
    images.templates.resize(1);
    job::Job job = averagingJob(folder);
    job.minScore = 0.3;
    job.poses.rotations = "90";
    const job::JobResult result = job::runJob(job, images);
    QVERIFY(std::ranges::any_of(result.peaks, [&](const match::Peak& peak) {
        return peak.pose != result.peaks.front().pose;
    }));
    QVERIFY(std::filesystem::exists(folder.path("average.mha")));
    QVERIFY(!std::filesystem::exists(folder.path("average-0.mha")));
    const Json report = Json::parse(test::bytesOf(job.report));
    QVERIFY(report.at("averages").is_null());
    QCOMPARE(report.at("average").at("count").get<std::size_t>() +
                 report.at("average").at("left_out").get<std::size_t>(),
             result.peaks.size());
}

void JobAveragesTest::namesThatClashAreRefused() {
    const test::Folder folder;
    for (const char* const name : {"average-1.mha", "average-2.mha.json", "variance-0.mha"}) {
        job::Job job = averagingJob(folder);
        job.peaks = folder.path(name);
        job.peaksFormat = io::ListFormat::Csv;
        const test::Thrown thrown =
            test::thrownBy([&] { (void)job::runJob(job, threeTemplates()); });
        QCOMPARE(thrown.code, base::ErrorCode::CommandLine);
        QVERIFY2(thrown.sentence.find(name) != std::string::npos, thrown.sentence.c_str());
    }
    QVERIFY(folder.names().empty());
    job::Job job = averagingJob(folder);
    job.templates = {"a.mha", "b.mha"};
    job.furtherScenes = {"more.mha"};
    const std::vector<std::filesystem::path> outputs = job::outputFiles(job);
    for (const char* const name : {"average-0-0.mha", "average-0-1.mha", "average-1-0.mha",
                                   "average-1-1.mha", "average-1-1.mha.json"}) {
        QVERIFY2(std::ranges::find(outputs, folder.path(name)) != outputs.end(), name);
    }
}

const flcc::test::TestClass<JobAveragesTest> kJobAveragesTest;
#include "averages_test.moc"
