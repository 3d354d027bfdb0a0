#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/kept_map.h"
#include "engine/job/project.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/schema_checker.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::Job;
using job::Project;
using match::Decision;

namespace {

namespace fs = std::filesystem;

/// A folder with a scene and a project of one run on it.
struct Case {
    test::Folder folder;
    Project project;

    explicit Case(const std::vector<std::string>& options = {}, bool volume = false) {
        const base::Extents extents = volume ? base::Extents{30, 26, 14} : base::Extents{90, 80, 1};
        const base::Extents templ = volume ? base::Extents{5, 4, 3} : base::Extents{9, 8, 1};
        const base::AnyImage pixels = test::noise(base::PixelType::Float32, extents, 7);
        base::Geometry geometry;
        geometry.spacing = {0.5, 0.5, 2};
        geometry.unit = "um";
        (void)io::writeImage(folder.path("scene.mha"), base::viewOf(pixels), geometry);
        std::vector<std::string> arguments{folder.path("scene.mha").string(), "--threads", "1",
                                           "--planning", "estimate"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        Job job = test::matchOf(arguments);
        job.crops.push_back({{11, 9, volume ? 2 : 0}, templ});
        const job::JobResult result = job::runJob(job);

        job::ProjectScene scene;
        scene.name = "scene.mha";
        scene.file.path = folder.path("scene.mha");
        scene.extents = extents;
        scene.picture = std::string("\x89PNG\0\xff", 6);
        project.scenes.push_back(scene);
        project.spacing = base::Spacing{{0.5, 0.5, 2}, "um"};
        project.box = job.crops.front();
        project.settings = job;
        project.notes = "ribosomes, \"first\" grid\nsecond line";
        project.views = R"({"slice": 3})";
        project.inputs.templates.push_back({result.templates.front(), "cut", {}, project.box, {}});
        project.inputs.active = 0;
        auto mask = std::make_shared<job::MaskImage>();
        mask->support = base::Image<std::uint8_t>(templ, 1);
        mask->weights = base::Image<double>(templ, 0.25);
        project.inputs.masks.push_back({mask, "drawn", {}});

        job::ProjectResult entry;
        entry.result.job = std::make_shared<job::JobResult>(result);
        entry.result.settings = job;
        entry.result.settings.masks = {""}; // drawn
        entry.title = "scene · 1 template";
        entry.id = 4;
        entry.inputs = project.inputs;
        for (const match::Peak& peak : result.peaks) {
            entry.result.decisions.set(match::keyOf(peak),
                                       peak.score > 0.5 ? Decision::Keep : Decision::Reject);
        }
        match::Peak added = result.peaks.front();
        added.corner.x += 1;
        entry.result.added.push_back(added);
        entry.result.found = std::make_shared<const std::vector<match::Peak>>(result.peaks);
        project.results.push_back(entry);
        project.shownResult = 0;
    }

    [[nodiscard]] std::string text() const { return job::toText(project, folder.path("")); }
};

/// Every report of a result: what a person sees of it.
std::vector<std::string> told(const job::JobResult& result) {
    return {job::toJson(result.report), job::toText(result.report), job::toSummary(result.report),
            job::toHtml(result.report)};
}

std::string sentenceOf(const std::string& text) {
    return test::thrownBy([&] { (void)job::projectOf(text); }).sentence;
}

} // namespace

class JobProjectTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void comesBackAsItWas_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<bool>("volume");
        QTest::newRow("image") << QStringList() << false;
        QTest::newRow("volume") << QStringList{"--audit", "on"} << true;
        QTest::newRow("turned") << QStringList{"--rotations", "90", "--null", "mirror"} << false;
        QTest::newRow("ssd") << QStringList{"--operation", "ssd"} << false;
        QTest::newRow("prepared") << QStringList{"--band", "2,20", "--whiten"} << false;
    }

    // Reports of a result that was stored are those of the result, letter by letter.
    void comesBackAsItWas() {
        QFETCH(const QStringList, options);
        QFETCH(const bool, volume);
        std::vector<std::string> arguments;
        for (const QString& each : options) {
            arguments.push_back(each.toStdString());
        }
        const Case made(arguments, volume);
        const std::string text = made.text();
        QVERIFY(text.starts_with("{\"format\": \"flcc project\", \"version\": \"1.0\",\n"));
        const std::string fault = test::SchemaChecker(test::schemaOf("project.schema.json"))
                                      .fault(nlohmann::json::parse(text));
        QVERIFY2(fault.empty(), fault.c_str());
        const Project back = job::projectOf(text);
        QCOMPARE(job::toText(back, made.folder.path("")), text);

        const job::ProjectResult& a = made.project.results.front();
        const job::ProjectResult& b = back.results.front();
        QVERIFY(told(*a.result.job) == told(*b.result.job));
        QVERIFY(a.result.settings == b.result.settings);
        QVERIFY(a.result.decisions == b.result.decisions);
        QCOMPARE(b.result.added.size(), std::size_t{1});
        QCOMPARE(b.result.found->size(), a.result.found->size());
        QCOMPARE(b.title, a.title);
        QVERIFY(back.settings == made.project.settings);
        QVERIFY(back.box == made.project.box);
        QVERIFY(back.spacing == made.project.spacing);
        QCOMPARE(back.notes, made.project.notes);
        QCOMPARE(back.scenes.front().picture, made.project.scenes.front().picture);
        QCOMPARE(job::decisionsIn(back), job::decisionsIn(made.project));
        // One image for the list of templates, the result and its inputs.
        QCOMPARE(b.inputs.templates.front().image, back.inputs.templates.front().image);
        QCOMPARE(b.result.job->templates.front(), back.inputs.templates.front().image);
        const auto& before =
            std::get<base::Image<float>>(made.project.inputs.templates.front().image->pixels);
        const auto& after =
            std::get<base::Image<float>>(back.inputs.templates.front().image->pixels);
        QVERIFY(std::equal(before.data(), before.data() + before.count(), after.data()));
        QCOMPARE(back.inputs.masks.front().image->weights.view().at(0, 0, 0), 0.25);
    }

    void numbersWithoutAWordInJsonComeBack() {
        Case made;
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        auto result = std::make_shared<job::JobResult>(*made.project.results.front().result.job);
        job::AuditReport& set = result->report.audit.emplace();
        set.largestDeviation = kInfinity;
        set.largestOverBound = -kInfinity;
        set.medianOverBound = std::numeric_limits<double>::quiet_NaN();
        made.project.results.front().result.job = result;
        const Project back = job::projectOf(made.text());
        const job::AuditReport& audit = *back.results.front().result.job->report.audit;
        QCOMPARE(audit.largestDeviation, kInfinity);
        QCOMPARE(audit.largestOverBound, -kInfinity);
        QVERIFY(std::isnan(audit.medianOverBound));
    }

    void whatANewerVersionStoredIsKept() {
        const Case made;
        nlohmann::ordered_json json = nlohmann::ordered_json::parse(made.text());
        json["version"] = "1.7";
        json["tomorrow"] = {{"a", 1}};
        Project back = job::projectOf(json.dump());
        QVERIFY(!back.fromNewer);
        const auto again = nlohmann::ordered_json::parse(job::toText(back, made.folder.path("")));
        QCOMPARE(again.at("tomorrow").dump(), std::string(R"({"a":1})"));
        json["version"] = "2.0";
        QVERIFY(job::projectOf(json.dump()).fromNewer);
    }

    void largeImagesAreKeptByTheirPlace() {
        Case made;
        auto large = std::make_shared<job::SceneImage>();
        large->pixels = base::Image<float>({4097, 4096, 1});
        made.project.inputs.templates.front().image = large;
        const Project back = job::projectOf(made.text());
        QCOMPARE(base::pixelType(back.inputs.templates.front().image->pixels),
                 base::PixelType::UInt8); // without voxels
        QVERIFY(back.inputs.templates.front().crop == made.project.box);
    }

    void contradictionsAreRefused_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::newRow("peak of no template") << "/results/0/result/peaks/0/templ"
                                             << "5";
        QTest::newRow("peak far away") << "/results/0/result/peaks/0/corner/x"
                                       << "9e18";
        QTest::newRow("peak nowhere") << "/results/0/result/peaks/0/centre/0"
                                      << "\"nan\"";
        QTest::newRow("no scene") << "/scenes"
                                  << "[]";
        QTest::newRow("result of no scene") << "/results/0/scene"
                                            << "3";
        QTest::newRow("no result") << "/result"
                                   << "7";
        QTest::newRow("no template") << "/inputs/active"
                                     << "1";
        QTest::newRow("no image") << "/inputs/templates/0/image"
                                  << "44";
        QTest::newRow("circle") << "/images/images/0/finer"
                                << "0";
        QTest::newRow("too many voxels") << "/images/images/0/voxels/extents/x"
                                         << "4000000000";
        QTest::newRow("overflow") << "/images/images/0/voxels/extents/y"
                                  << "9000000000000000000";
        QTest::newRow("no base64") << "/images/images/0/voxels/base64"
                                   << "\"a*b\"";
        QTest::newRow("an unknown word") << "/results/0/result/peaks/0/status"
                                         << "\"GOOD\"";
        QTest::newRow("an unknown option") << "/match/colour"
                                           << "true";
        QTest::newRow("another type") << "/scenes/0/name"
                                      << "[1]";
        QTest::newRow("no version") << "/version"
                                    << "\"one\"";
        QTest::newRow("another format") << "/format"
                                        << "\"report\"";
    }

    void contradictionsAreRefused() {
        QFETCH(const QString, path);
        QFETCH(const QString, value);
        const Case made;
        nlohmann::ordered_json json = nlohmann::ordered_json::parse(made.text());
        json[nlohmann::ordered_json::json_pointer(path.toStdString())] =
            nlohmann::ordered_json::parse(value.toStdString());
        const std::string sentence = sentenceOf(json.dump());
        QVERIFY2(sentence.starts_with("the project cannot be read: "), sentence.c_str());
    }

    void hostileTextsEndInASentence() {
        QVERIFY(sentenceOf(std::string(100'000, '[')).find("nested") != std::string::npos);
        QVERIFY(!sentenceOf("").empty());
        QVERIFY(!sentenceOf("[]").empty());
        const std::string text = Case().text();
        for (std::size_t cut = 1; cut < text.size(); cut += text.size() / 97) {
            QVERIFY(!sentenceOf(text.substr(0, cut)).empty());
        }
        const test::Folder folder;
        std::ofstream(folder.path("large.flcc")) << text;
        fs::resize_file(folder.path("large.flcc"), std::uintmax_t{10} << 30); // without blocks
        const auto large =
            test::thrownBy([&] { (void)job::readProject(folder.path("large.flcc")); });
        QVERIFY2(large.sentence.find("at most") != std::string::npos, large.sentence.c_str());
        std::mt19937 random(5);
        for (int i = 0; i < 400; ++i) { // any answer but a crash
            std::string changed = text;
            for (int k = 0; k < 3; ++k) {
                changed[random() % changed.size()] = static_cast<char>(random() % 96 + 32);
            }
            (void)sentenceOf(changed);
        }
    }

    void savingKeepsThreeEarlierVersions() {
        Case made;
        const fs::path file = made.folder.path("p.flcc");
        for (int i = 0; i < 5; ++i) {
            made.project.notes = std::to_string(i);
            job::saveProject(file, made.text());
        }
        QCOMPARE(job::readProject(file).notes, std::string("4"));
        const auto earlier = job::earlierVersions(file);
        QCOMPARE(earlier.size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(job::readProject(earlier[i].file).notes, std::to_string(3 - i));
            QVERIFY(earlier[i].bytes > 0);
            QVERIFY(earlier[i].when > 0);
        }
        QVERIFY(job::isProject(file));
        QVERIFY(!job::isProject(made.folder.path("scene.mha")));
        // What does not read does not take the place of what does.
        QVERIFY(!test::thrownBy([&] { job::saveProject(file, "{}"); }).sentence.empty());
        QCOMPARE(job::readProject(file).notes, std::string("4"));
        QVERIFY(!test::thrownBy([&] {
                     job::saveProject(made.folder.path("none/p.flcc"), made.text());
                 }).sentence.empty());
    }

    void aJournalIsReadUpToItsTornLine() {
        Case made;
        Project& project = made.project;
        const match::Peak& peak = project.results.front().result.job->peaks.front();
        const std::vector<job::Decided> all{{4, match::keyOf(peak), Decision::Unsure},
                                            {9, match::keyOf(peak), Decision::Keep},
                                            {4, {{-1, 2, 0}, 0}, Decision::Reject},
                                            {4, {{-1, 2, 0}, 0}, Decision::Undecided}};
        std::string text;
        for (const job::Decided& each : all) {
            text += job::journalLine(each);
        }
        QVERIFY(job::journalOf(text) == all);
        QCOMPARE(job::applyJournal(project, all), std::int64_t{1}); // there is no result 9
        const job::Result& result = project.results.front().result;
        QCOMPARE(result.decisions.of(match::keyOf(peak)), Decision::Unsure);
        QCOMPARE(result.decisions.of({{-1, 2, 0}, 0}), Decision::Undecided);
        for (std::size_t cut = 0; cut < text.size(); ++cut) {
            const auto read = job::journalOf(text.substr(0, cut));
            QVERIFY(read.size() < all.size());
            QVERIFY(std::equal(read.begin(), read.end(), all.begin()));
        }
        text[text.size() / 3] ^= 1; // in the second line
        QCOMPARE(job::journalOf(text).size(), std::size_t{1});
    }

    void filesAreFoundByTheirBytes() {
        const Case made;
        const fs::path folder = made.folder.path("");
        job::KnownFile known{made.folder.path("scene.mha"),
                             job::identityOf(made.folder.path("scene.mha"))};
        using How = job::FoundFile::How;
        QCOMPARE(job::findFile(known, folder, folder).how, How::Found);
        // Project and scene moved together; then the scene alone beside the project.
        const fs::path moved = made.folder.path("moved");
        fs::create_directories(moved / "data");
        known.path = folder / "data" / "scene.mha";
        fs::rename(made.folder.path("scene.mha"), moved / "data" / "scene.mha");
        job::FoundFile found = job::findFile(known, folder, moved);
        QCOMPARE(found.how, How::Found);
        QCOMPARE(found.path, moved / "data" / "scene.mha");
        fs::rename(found.path, moved / "scene.mha");
        QCOMPARE(job::findFile(known, folder, moved).path, moved / "scene.mha");
        fs::rename(moved / "scene.mha", folder / "scene.mha");
        QCOMPARE(job::findFile(known, folder, moved).how, How::Missing);
        QCOMPARE(job::findFile(known, folder, moved, {folder}).path, folder / "scene.mha");
        // Another file of that name is not taken.
        std::ofstream(folder / "scene.mha", std::ios::app) << "x";
        QCOMPARE(job::findFile(known, folder, moved, {folder}).how, How::Changed);
        // Names of datasets and of raw voxels.
        std::ofstream(folder / "a.raw") << std::string(64, 'a');
        known = {folder / "a.raw:8x8:uint8:le:0", job::identityOf(folder / "a.raw:8x8:uint8:le:0")};
        QVERIFY(known.identity.has_value());
        QCOMPARE(job::findFile(known, folder, folder).path, folder / "a.raw:8x8:uint8:le:0");
    }
};

const flcc::test::TestClass<JobProjectTest> kJobProjectTest;

#include "project_test.moc"
