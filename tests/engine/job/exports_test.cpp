#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/peak_lists.h"
#include "engine/match/panels.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/drawn.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using Json = nlohmann::json;

namespace {

/// Copies of one template in noise: three inside, one at the border of the scene.
job::JobImages copies(const Extents& scene, const Extents& templ,
                      const std::vector<base::Index>& places) {
    base::AnyImage image = test::noise(PixelType::UInt8, scene, 5);
    base::AnyImage cut = test::noise(PixelType::UInt8, templ, 6);
    auto& to = std::get<base::Image<std::uint8_t>>(image);
    const auto& from = std::get<base::Image<std::uint8_t>>(cut);
    for (const base::Index& at : places) {
        for (base::Index i; i.z < templ.z; ++i.z) {
            for (i.y = 0; i.y < templ.y; ++i.y) {
                for (i.x = 0; i.x < templ.x; ++i.x) {
                    to.view().at(at.x + i.x, at.y + i.y, at.z + i.z) = from.view().at(i);
                }
            }
        }
    }
    base::Geometry geometry;
    geometry.spacing = {2, 2, 2};
    geometry.unit = "nm";
    return test::imagesOf(std::move(image), std::move(cut), geometry);
}

job::JobImages flatCopies() {
    return copies({120, 100, 1}, {9, 8, 1}, {{30, 20, 0}, {60, 50, 0}, {90, 70, 0}, {0, 0, 0}});
}

/// Boxes of a size at the reference voxels of flatCopies().
match::PanelOptions ofTemplate(const Extents& size) {
    return {
        .size = size, .references = {rotation::toReferenceVoxel({9, 8, 1})}, .edges = {2, 2, 2}};
}

base::Image<float> read(const std::filesystem::path& file) {
    io::LoadedImage image = io::readImage(file);
    return std::move(std::get<base::Image<float>>(image.components.at(0)));
}

} // namespace

class JobExportsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void optionsMakeTheSameJob();
    void aPageHoldsAllAndNeedsNothing();
    void aPlanHasAPageWithoutPictures();
    void aPageFoldsSlowerCandidatesAway();
    void aVolumeHasThreeCutsOfEachPeak();
    void aTextReportIsTheText();
    void aStackHoldsTheBoxesOfThePeaks();
    void aListGivesTheStackOfItsRun();
    void aListWithoutItsSceneGivesNoStack();
    void sizesAreForAllAxesOrEach();
    void anAverageIsANewTemplate();
    void anAverageOfBothPolaritiesInvertsTheDarkOnes();
    void aJudgedListGivesBoxesOfItsKeptPeaks();
    void anAverageOfAVolumeIsAVolumeAndNoStack();
    void whatIsWrittenIsReadBack();
    void figuresAreDrawn();
    void whatCannotBeIsRefused_data();
    void whatCannotBeIsRefused();
};

void JobExportsTest::optionsMakeTheSameJob() {
    job::Job job;
    job.scene = "a.mha";
    job.templates = {"b.mha"};
    job.exports = {.figure = "f.pdf",
                   .stack = "s.mrc",
                   .size = Extents{9, 8, 7},
                   .normalise = match::Normalise::ZScore,
                   .subvoxel = true,
                   .average = "m.mrc",
                   .averageVariance = "v.mrc"};
    QVERIFY(test::matchOf(job::toArguments(job)) == job);
    QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    for (const char* const size : {"32", "32x16", "32x16x8"}) {
        const job::Job parsed = test::matchOf({"a", "b", "--stack-size", size});
        QVERIFY(test::matchOf(job::toArguments(parsed)) == parsed);
    }
    for (const char* const size : {"", "0", "x", "8x", "8x8x8x8", "-3", "8 8", "99999999999"}) {
        QCOMPARE(test::thrownBy([&] {
                     (void)job::parseArguments("match", {"a", "b", "--stack-size", size});
                 }).code,
                 ErrorCode::CommandLine);
    }
}

void JobExportsTest::aPageHoldsAllAndNeedsNothing() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("report.html");
    const job::JobResult result = job::runJob(job, flatCopies());
    QCOMPARE(result.peaks.size(), std::size_t{4});
    const QString page = QString::fromStdString(test::bytesOf(job.report));
    QVERIFY(page.startsWith("<!DOCTYPE html>") && page.endsWith("</html>\n"));
    for (const char* const part :
         {"<h2>Scene and heatmap</h2>", "<h2>Gallery</h2>", "<h2>Peaks</h2>", "<h2>Scores</h2>",
          "<h2>Plan</h2>", "<h2>Stages</h2>", "<h2>Command line</h2>", "<h2>Inputs</h2>",
          "<h2>Environment</h2>", "threshold 0.5", "flcc-cli match", " nm</text>"}) {
        QVERIFY2(page.contains(part), part);
    }
    QVERIFY(page.contains(QString::fromStdString(result.report.mapSha256)));
    for (const plan::CandidateReport& row : result.report.plan.candidates) {
        QVERIFY(page.contains(QString::fromStdString(row.candidate.label())));
    }
    // The only addresses are names of XML, and all pictures lie in the page.
    QString rest = page;
    rest.remove("http://www.w3.org/2000/svg");
    for (const char* const foreign : {"http:", "https:", "<script", "<link", "@import", "url("}) {
        QVERIFY2(!rest.contains(foreign), foreign);
    }
    QCOMPARE(page.count("src=\""), page.count("src=\"data:image/png;base64,"));
    QCOMPARE(page.count("href=\""), page.count("href=\"data:image/png;base64,"));
    QCOMPARE(page.count("<img "), 5); // the template and four peaks
    QVERIFY(page.count("<svg ") == 3 && page.count("</svg>") == 3);
}

void JobExportsTest::aPlanHasAPageWithoutPictures() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("plan.html");
    (void)job::planJob(job, flatCopies());
    const QString page = QString::fromStdString(test::bytesOf(job.report));
    QVERIFY(page.contains("<h2>Plan</h2>") && !page.contains("<img") && !page.contains("<svg"));
}

void JobExportsTest::aPageFoldsSlowerCandidatesAway() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("plan.html");
    const job::JobReport report = job::planJob(job, flatCopies());
    const QString page = QString::fromStdString(test::bytesOf(job.report));
    const QString plan = page.mid(page.indexOf("<h2>Plan</h2>"));
    const auto fold = plan.indexOf("<details>");
    QVERIFY(fold > 0);
    const QString shown = plan.left(fold);
    const QString folded = plan.mid(fold, plan.indexOf("</details>") - fold);
    int slower = 0;
    int refused = 0;
    for (const plan::CandidateReport& row : report.plan.candidates) {
        const QString reason = ">" + QString::fromStdString(row.reason).toHtmlEscaped() + "</td>";
        const bool isSlower = row.verdict == plan::CandidateVerdict::Slower;
        slower += isSlower ? 1 : 0;
        refused += row.verdict == plan::CandidateVerdict::Refused ? 1 : 0;
        QCOMPARE(shown.count(reason), isSlower ? 0 : 1); // alike refusals share a row
        QVERIFY(folded.contains(reason) == isSlower);
        QVERIFY(shown.contains(QString::fromStdString(row.candidate.label())) || isSlower);
    }
    QVERIFY(slower > 0 && refused > 3);
    QCOMPARE(shown.count("class=\"chosen\""), 1);
    QCOMPARE(folded.count("<td>slower</td>"), slower);
    QVERIFY(folded.contains(QString::number(slower) + " slower candidates"));
}

void JobExportsTest::aVolumeHasThreeCutsOfEachPeak() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("report.HTML");
    const auto images = copies({40, 36, 24}, {7, 6, 5}, {{10, 12, 6}, {24, 20, 15}});
    const job::JobResult result = job::runJob(job, images);
    QCOMPARE(result.peaks.size(), std::size_t{2});
    const QString page = QString::fromStdString(test::bytesOf(job.report));
    QCOMPARE(page.count("<img "), 9);
    QVERIFY(page.contains("slice z = " + QString::number(result.peaks[0].corner.z + 2)));
}

void JobExportsTest::aTextReportIsTheText() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("report.txt");
    const job::JobResult result = job::runJob(job, flatCopies());
    // The time of writing is known only afterwards.
    const std::string text = test::bytesOf(job.report);
    const std::string peaks =
        "Peaks: " + std::to_string(result.peaks.size()) + ", geometric centres";
    QVERIFY2(text.find(peaks) != std::string::npos, text.c_str());
    QCOMPARE(text.substr(0, text.find('\n')),
             job::toText(result.report).substr(0, text.find('\n')));
}

void JobExportsTest::aStackHoldsTheBoxesOfThePeaks() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("report.json");
    job.exports.stack = folder.path("stack.mrc");
    job.exports.size = Extents{12, 12, 0};
    const job::JobImages images = flatCopies();
    const job::JobResult result = job::runJob(job, images);
    const base::Image<float> stack = read(job.exports.stack);
    QVERIFY((stack.extents() == Extents{12, 12, 3})); // that of the border is left out
    std::int64_t slice = 0;
    Json ranks;
    for (const match::Peak& peak : result.peaks) {
        const base::Point point = match::referenceOf(peak, ofTemplate({12, 12, 1}));
        const base::Index corner = match::cornerAt(point, {12, 12, 1});
        if (corner.x < 0 || corner.y < 0) {
            continue;
        }
        for (std::int64_t y = 0; y < 12; ++y) {
            for (std::int64_t x = 0; x < 12; ++x) {
                QCOMPARE(static_cast<double>(stack.view().at(x, y, slice)),
                         base::valueAt(base::viewOf(images.scene->pixels),
                                       {corner.x + x, corner.y + y, 0}));
            }
        }
        ++slice;
        ranks.push_back(&peak - result.peaks.data() + 1);
    }
    QCOMPARE(slice, std::int64_t{3});
    const Json report = Json::parse(test::bytesOf(job.report)).at("stack");
    QVERIFY(report.at("count") == 3 && report.at("left_out") == 1 && report.at("ranks") == ranks);
    QVERIFY((report.at("size") == Json{12, 12, 1}) && report.at("interpolation") == "none");
    QVERIFY(std::ranges::any_of(result.notes, [](const std::string& note) {
        return note.find("1 peak is left out") != std::string::npos;
    }));
    QVERIFY(job::toText(result.report).find("Stack: 3 boxes of 12x12x1 voxels") !=
            std::string::npos);
}

void JobExportsTest::sizesAreForAllAxesOrEach() {
    const test::Folder folder;
    const auto images = copies({40, 36, 24}, {7, 6, 5}, {{10, 12, 6}, {24, 20, 15}});
    const auto sizeOf = [&](const std::optional<Extents>& size) {
        job::Job job;
        job.minScore = 0.5;
        job.exports.stack = folder.path("stack.mha");
        job.exports.size = size;
        return job::runJob(job, images).report.stack->size;
    };
    QVERIFY((sizeOf({}) == Extents{7, 6, 5}));
    QVERIFY((sizeOf(Extents{8, 8, 0}) == Extents{8, 8, 8}));
    QVERIFY((sizeOf(Extents{8, 6, 4}) == Extents{8, 6, 4}));
    QCOMPARE(test::thrownBy([&] { (void)sizeOf(Extents{8, 6, 0}); }).code, ErrorCode::Problem);
    QCOMPARE(test::thrownBy([&] { (void)sizeOf(Extents{8, 8, 25}); }).code, ErrorCode::Problem);
    QCOMPARE(folder.names(), std::vector<std::string>{"stack.mha"});
}

void JobExportsTest::anAverageIsANewTemplate() {
    const test::Folder folder;
    job::Job job;
    job.minScore = 0.5;
    job.report = folder.path("report.json");
    job.exports.average = folder.path("mean.mha");
    job.exports.averageVariance = folder.path("variance.mha");
    const job::JobImages images = flatCopies();
    const job::JobResult result = job::runJob(job, images);
    const match::Average expected =
        match::averageOf(base::viewOf(images.scene->pixels), result.peaks, ofTemplate({9, 8, 1}));
    const base::Image<float> mean = read(job.exports.average);
    const base::Image<float> variance = read(job.exports.averageVariance);
    for (std::int64_t i = 0; i < mean.count(); ++i) {
        QCOMPARE(mean.data()[i], static_cast<float>(expected.mean.data()[i]));
        QCOMPARE(variance.data()[i], static_cast<float>(expected.variance.data()[i]));
    }
    const Json report = Json::parse(test::bytesOf(job.report)).at("average");
    QCOMPARE(report.at("count").get<std::int64_t>(), expected.count);
    QCOMPARE(report.at("halves").at("kind").get<std::string>(), std::string("frc"));
    QCOMPARE(report.at("halves").at("correlation").size(), std::size_t{5});
    // It finds what it was made of.
    job::Job again;
    again.minScore = 0.5;
    job::JobImages other = images;
    auto templ = std::make_shared<job::SceneImage>();
    templ->pixels = read(job.exports.average);
    templ->source = "mean.mha";
    other.templates = {templ};
    QCOMPARE(job::runJob(again, other).peaks.size(), std::size_t{4});
}

/// Half of the particles are dark: without inverting them nothing would be left.
void JobExportsTest::anAverageOfBothPolaritiesInvertsTheDarkOnes() {
    const test::Folder folder;
    base::Image<float> scene({80, 40, 1});
    base::Image<float> templ({9, 9, 1});
    std::mt19937 random(5);
    const auto noise = [&] { return static_cast<float>(random() % 1000) / 1000.0F; };
    std::generate_n(scene.data(), scene.count(), noise);
    std::generate_n(templ.data(), templ.count(), noise);
    for (int copy = 0; copy < 4; ++copy) {
        const float sign = copy % 2 == 0 ? 3.0F : -3.0F;
        for (std::int64_t i = 0; i < templ.count(); ++i) {
            scene.view().at(8 + copy * 17 + i % 9, 12 + i / 9, 0) += sign * templ.data()[i];
        }
    }
    job::Job job;
    job.minScore = 0.7;
    job.preparation.polarity = job::Polarity::Both;
    job.report = folder.path("report.json");
    job.exports.average = folder.path("mean.mha");
    base::Image<float> copy({9, 9, 1});
    std::copy_n(templ.data(), templ.count(), copy.data());
    const job::JobResult result =
        job::runJob(job, test::imagesOf(std::move(scene), std::move(copy)));
    QCOMPARE(result.peaks.size(), std::size_t{4});
    const Json report = Json::parse(test::bytesOf(job.report)).at("average");
    QCOMPARE(report.at("inverted").get<int>(), 2);
    QVERIFY(job::toText(result.report).find("; 2 dark boxes inverted") != std::string::npos);
    // The mean of four copies with independent noise is the template.
    const base::Image<float> mean = read(job.exports.average);
    double a = 0;
    double b = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        a += mean.data()[i] / 81.0;
        b += templ.data()[i] / 81.0;
    }
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        ab += (mean.data()[i] - a) * (templ.data()[i] - b);
        aa += (mean.data()[i] - a) * (mean.data()[i] - a);
        bb += (templ.data()[i] - b) * (templ.data()[i] - b);
    }
    // Signal 3, a quarter of the noise's variance: 0.986, less five deviations of the noise.
    QVERIFY2(ab / std::sqrt(aa * bb) > 0.95, qPrintable(QString::number(ab / std::sqrt(aa * bb))));
}

void JobExportsTest::aJudgedListGivesBoxesOfItsKeptPeaks() {
    const test::Folder folder;
    const base::AnyImage scene = test::noise(PixelType::UInt8, {60, 50, 1}, 5);
    io::writeImage(folder.path("s.mha"), base::viewOf(scene), {});
    QFile list(QString::fromStdString(folder.path("judged.csv")));
    QVERIFY(list.open(QIODevice::WriteOnly));
    list.write("rank,score,cx,cy,cz,decision\n1,0.9,20.25,20,0,keep\n2,0.8,30,30,0,reject\n"
               "3,0.7,40,25.5,0,keep\n4,0.6,1,1,0,keep\n");
    list.close();
    job::ListConversion conversion{.input = folder.path("judged.csv")};
    const auto set = [&](const job::GivenOptions& values) {
        job::setListOptions(conversion, values);
    };
    set({{"only", {"keep"}},
         {"average", {folder.path("a.mha")}},
         {"average-variance", {folder.path("v.mha")}},
         {"stack-subvoxel", {""}}});
    // Boxes need the scene and a size.
    const auto refused = [&](ErrorCode code, const std::string& word) {
        const test::Thrown thrown = test::thrownBy([&] { (void)job::convertList(conversion); });
        QVERIFY(thrown.code == code);
        QVERIFY2(thrown.sentence.find(word) != std::string::npos, thrown.sentence.c_str());
    };
    set({{"stack", {folder.path("p.mrc")}}});
    refused(ErrorCode::Problem, "--scene");
    set({{"scene", {folder.path("s.mha")}}});
    refused(ErrorCode::Problem, "--stack-size");
    set({{"stack-size", {"7x5"}}, {"stack-normalise", {"mean"}}});
    std::vector<match::Peak> kept(3);
    kept[0].centre = {20.25, 20, 0};
    kept[1].centre = {40, 25.5, 0};
    kept[2].centre = {1, 1, 0}; // its box leaves the scene
    const match::PanelOptions options{{7, 5, 1}, match::Normalise::Mean, true};
    const match::Panels panels = match::cutPanels(base::viewOf(scene), kept, options);
    const match::Average average = match::averageOf(base::viewOf(scene), kept, options);
    for (const char* name : {"p.mrc", "p.tif", "p.mha", "p.nrrd", "p.nii"}) {
        set({{"stack", {folder.path(name)}}});
        const job::ConvertedList done = job::convertList(conversion);
        QVERIFY(done.text.empty()); // nothing is to be printed
        QVERIFY(done.stack && done.stack->count == 2 && done.stack->leftOut == 1);
        QVERIFY(done.averages.size() == 1 && done.averages[0].count == 2);
        const base::Image<float> stack = read(folder.path(name));
        QVERIFY(stack.extents() == (Extents{7, 5, 2}));
        QVERIFY(std::equal(stack.data(), stack.data() + stack.count(), panels.voxels.data()));
    }
    const base::Image<float> mean = read(folder.path("a.mha"));
    const base::Image<float> variance = read(folder.path("v.mha"));
    for (std::int64_t i = 0; i < mean.count(); ++i) {
        QCOMPARE(mean.data()[i], static_cast<float>(average.mean.data()[i]));
        QCOMPARE(variance.data()[i], static_cast<float>(average.variance.data()[i]));
    }
    set({{"stack", {folder.path("judged.csv")}}});
    refused(ErrorCode::CommandLine, "judged.csv");
}

void JobExportsTest::anAverageOfAVolumeIsAVolumeAndNoStack() {
    const test::Folder folder;
    const base::AnyImage scene = test::noise(PixelType::UInt8, {20, 18, 16}, 5);
    io::writeImage(folder.path("s.mha"), base::viewOf(scene), {});
    io::writeText(folder.path("l.csv"), "rank,score,cx,cy,cz\n1,0.9,8,8,8\n");
    job::ListConversion conversion{.input = folder.path("l.csv")};
    job::setListOptions(conversion, {{"scene", {folder.path("s.mha")}},
                                     {"stack-size", {"5"}},
                                     {"stack", {folder.path("p.mrc")}},
                                     {"average", {folder.path("a.mrc")}}});
    (void)job::convertList(conversion);
    const auto group = [&](const char* name) { // ISPG, bytes 88 to 91
        const std::string bytes = test::bytesOf(folder.path(name));
        return static_cast<unsigned char>(bytes.at(88)) +
               256 * static_cast<unsigned char>(bytes.at(89));
    };
    QCOMPARE(group("p.mrc"), 401);
    QCOMPARE(group("a.mrc"), 1);
}

void JobExportsTest::whatIsWrittenIsReadBack() {
    const test::Folder folder;
    base::Image<float> boxes({4, 3, 2});
    for (std::int64_t i = 0; i < boxes.count(); ++i) {
        boxes.data()[i] = static_cast<float>(i) / 3;
    }
    boxes.data()[5] = std::nanf("");
    const io::AtomicFile file(folder.path("p.mrc"));
    io::writeImage(file, base::AnyView(boxes.view()), {});
    QVERIFY(io::checkWritten(file, boxes.view()));
    boxes.data()[23] = std::nextafter(boxes.data()[23], 0.0F);
    const test::Thrown other = test::thrownBy([&] { (void)io::checkWritten(file, boxes.view()); });
    QVERIFY(other.code == ErrorCode::Output);
    QVERIFY2(other.sentence.find("3,2,1") != std::string::npos, other.sentence.c_str());
    const base::Image<float> less({4, 3, 1});
    QVERIFY(test::thrownBy([&] { (void)io::checkWritten(file, less.view()); }).code ==
            ErrorCode::Output);
}

namespace {

/// A run from files with its list and its stack.
job::Job runFromFiles(const test::Folder& folder) {
    const job::JobImages images = flatCopies();
    job::Job job;
    job.scene = folder.path("scene.mha");
    job.templates = {folder.path("template.mha")};
    (void)io::writeImage(job.scene, base::viewOf(images.scene->pixels), images.scene->geometry);
    (void)io::writeImage(job.templates[0], base::viewOf(images.templates[0]->pixels), {});
    job.minScore = 0.5;
    job.peaks = folder.path("peaks.csv");
    job.exports.stack = folder.path("stack.mrc");
    job.exports.normalise = match::Normalise::Mean;
    job.exports.subvoxel = true;
    (void)job::runJob(job);
    return job;
}

/// The list with the column of decisions: the second and the third peak are kept.
std::string judged(const std::string& list) {
    std::string text;
    int row = -1;
    for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = list.find('\n', at);
        const std::string line = list.substr(at, end - at);
        const bool head = line.starts_with("rank");
        const bool comment = line.starts_with("#");
        row += comment || head ? 0 : 1;
        text += line + (comment                ? ""
                        : head                 ? ",decision"
                        : row == 1 || row == 2 ? ",keep"
                                               : ",reject");
        text += '\n';
        at = end + 1;
    }
    return text;
}

} // namespace

void JobExportsTest::aListGivesTheStackOfItsRun() {
    const test::Folder folder;
    const job::Job job = runFromFiles(folder);
    job::ListConversion conversion{.input = job.peaks};
    conversion.exports = job.exports;
    conversion.exports.stack = folder.path("again.mrc");
    const job::ConvertedList done = job::convertList(conversion);
    QCOMPARE(done.stack->count + done.stack->leftOut, std::int64_t{4});
    QVERIFY(test::bytesOf(conversion.exports.stack) == test::bytesOf(job.exports.stack));
    io::writeText(folder.path("judged.csv"), judged(test::bytesOf(job.peaks)));
    conversion.input = folder.path("judged.csv");
    conversion.only = {match::Decision::Keep};
    conversion.output = folder.path("kept.csv");
    const job::ConvertedList kept = job::convertList(conversion);
    QCOMPARE(kept.positions, std::size_t{2});
    QVERIFY(kept.stack->count >= 1 && kept.stack->count + kept.stack->leftOut == 2);
    const base::Image<float> all = read(job.exports.stack);
    const base::Image<float> some = read(conversion.exports.stack);
    QCOMPARE(some.extents().z, kept.stack->count);
    // Each kept box is one of the whole stack, in the same order.
    const std::int64_t voxels = some.extents().x * some.extents().y;
    std::int64_t next = 0;
    for (std::int64_t box = 0; box < some.extents().z; ++box, ++next) {
        const float* const first = some.data() + box * voxels;
        while (next < all.extents().z &&
               !std::equal(first, first + voxels, all.data() + next * voxels)) {
            ++next;
        }
        QVERIFY(next < all.extents().z);
    }
}

void JobExportsTest::aListWithoutItsSceneGivesNoStack() {
    const test::Folder folder;
    const job::Job job = runFromFiles(folder);
    const auto refusal = [&](job::ListConversion conversion) {
        conversion.exports.stack = folder.path("other.mrc");
        const test::Thrown thrown = test::thrownBy([&] { (void)job::convertList(conversion); });
        const bool written = std::filesystem::exists(conversion.exports.stack);
        return thrown.code == ErrorCode::Problem && !written ? thrown.sentence : "no refusal";
    };
    const auto list = [&](const char* name, const std::string& text) {
        io::writeText(folder.path(name), text);
        return job::ListConversion{.input = folder.path(name)};
    };
    job::ListConversion points = list("points.csv", "cx,cy,cz\n40,40,0\n");
    QVERIFY(refusal(points).find("--scene") != std::string::npos);
    points.scene = job.scene;
    QVERIFY(refusal(points).find("--stack-size") != std::string::npos);
    job::ListConversion frames = list("frames.csv", "frame,cx,cy,cz\n0,40,40,0\n");
    frames.scene = job.scene;
    QVERIFY(refusal(frames).find("column frame") != std::string::npos);
    const auto overwrite = [&](const Extents& extents) {
        (void)io::writeImage(job.scene, base::viewOf(test::noise(PixelType::UInt8, extents, 9)),
                             {});
    };
    overwrite({120, 100, 1});
    QVERIFY(refusal({.input = job.peaks}).find("SHA-256") != std::string::npos);
    overwrite({90, 100, 1});
    QVERIFY(refusal({.input = job.peaks}).find("90x100x1") != std::string::npos);
}

void JobExportsTest::figuresAreDrawn() {
    const test::Folder folder;
    for (const char* const name : {"figure.svg", "figure.png", "figure.pdf"}) {
        if (!test::draws(name)) {
            continue; // a build without cairo
        }
        job::Job job;
        job.minScore = 0.5;
        job.exports.figure = folder.path(name);
        (void)job::runJob(job, flatCopies());
        QVERIFY(test::bytesOf(job.exports.figure).size() > 1000);
    }
    const QString svg = QString::fromStdString(test::bytesOf(folder.path("figure.svg")));
    QVERIFY(svg.contains("20 nm") || svg.contains("50 nm")); // the scale bar
    QVERIFY(svg.count("<image ") == 3);                      // scene, map, colours
    if (!test::draws("figure.png")) {
        QSKIP("this build draws figures as .svg only");
    }
    const io::ImageInfo info = io::readImageInfo(folder.path("figure.png"));
    QVERIFY(info.extents.x > 1500 && info.extents.x < 2200); // two columns at 300 dpi
}

void JobExportsTest::whatCannotBeIsRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("word");
    QTest::newRow("size alone") << QStringList{"--stack-size", "8"} << "--stack-size";
    QTest::newRow("normalise alone")
        << QStringList{"--stack-normalise", "mean"} << "--stack-normalise";
    QTest::newRow("sub-voxel without stack")
        << QStringList{"--stack-subvoxel", "--average", "a.mrc"} << "--stack-subvoxel";
    QTest::newRow("figure of a stream")
        << QStringList{"--stream", "--figure", "a.png"} << "--figure";
    QTest::newRow("stack of a stream") << QStringList{"--stream", "--stack", "a.mrc"} << "--stack";
    QTest::newRow("no figure") << QStringList{"--figure", "a.bmp"} << ".svg";
    QTest::newRow("no stack") << QStringList{"--stack", "a.png"} << "a.png";
    QTest::newRow("no report") << QStringList{"--report", "a.xml"} << "--report";
}

void JobExportsTest::whatCannotBeIsRefused() {
    QFETCH(QStringList, options);
    QFETCH(QString, word);
    std::vector<std::string> arguments{"scene.mha", "template.mha"};
    for (const QString& option : options) {
        arguments.push_back(option.toStdString());
    }
    const test::Thrown thrown =
        test::thrownBy([&] { (void)job::runJob(test::matchOf(arguments), flatCopies()); });
    QCOMPARE(thrown.code, ErrorCode::CommandLine);
    QVERIFY2(thrown.sentence.find(word.toStdString()) != std::string::npos,
             thrown.sentence.c_str());
}

const flcc::test::TestClass<JobExportsTest> kJobExportsTest;
#include "exports_test.moc"
