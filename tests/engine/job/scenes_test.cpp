#include <QtTest>

#include <map>
#include <stop_token>

#include <nlohmann/json.hpp>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/input/inputs.h"
#include "engine/job/job.h"
#include "engine/job/match/group_run.h"
#include "tests/engine/job/job_cases.h"
#include "tests/engine/job/scene_folder.h"
#include "tests/support/comparison.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using job::Job;
using job::Phase;
using test::kCut;
using test::kScene;
using test::placeIn;
using test::Scenes;
using Json = nlohmann::json;

namespace {

/// Counts scenes and phases, and does what a test asks for when a scene starts.
class Watcher : public job::JobSink {
  public:
    std::vector<std::string> scenes;
    std::map<int, job::JobResult> finished;
    int runs = 0;
    std::function<void(int)> onScene;
    std::function<void(Phase, int)> onPhase;

    void sceneStarted(const job::SceneTurn& at) override {
        QCOMPARE(at.turn, static_cast<int>(scenes.size()));
        QVERIFY(at.turn < at.count);
        scenes.push_back(at.scene.filename().string());
        if (onScene) {
            onScene(at.turn);
        }
    }
    void sceneFinished(const job::SceneTurn& at, const job::JobResult& result) override {
        QCOMPARE(at.turn, static_cast<int>(finished.size()));
        finished[at.number] = result;
    }
    void phase(Phase phase) override {
        runs += phase == Phase::Run ? 1 : 0;
        if (onPhase) {
            onPhase(phase, static_cast<int>(scenes.size()) - 1);
        }
    }
};

} // namespace

class JobScenesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everySceneHasTheBytesOfARunAlone_data();
    void everySceneHasTheBytesOfARunAlone();
    void whatWasPreparedIsNotPreparedAgain();
    void theReportSaysWhatWasShared();
    void repeatsOfTheFirstScenePrepareAgain();
    void scenesAlikeAreDoneTogether();
    void everySceneIsReportedWhenItIsFinished();
    void theNextSceneIsReadAheadWhereThereIsRoom();
    void templatesAreReadOnce();
    void cropsAreCutFromTheFirstScene();
    void severalTemplatesAreSharedToo();
    void aSceneMaskIsForAll();
    void aBrokenSceneIsNamedAndNothingIsWritten_data();
    void aBrokenSceneIsNamedAndNothingIsWritten();
    void aWrongTemplateIsNotBlamedOnAScene();
    void aRefusedSceneIsNamed();
    void outputsThatMeetAreRefused();
    void cancellingLeavesNothing_data();
    void cancellingLeavesNothing();
    void plansAreMadeForEveryKind();
    void scenesInMemoryNeedNoFiles();
};

void JobScenesTest::everySceneHasTheBytesOfARunAlone_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<int>("tile");
    QTest::addColumn<bool>("inDouble");
    for (const bool inDouble : {false, true}) {
        const auto row = [&](const char* method, int tile) {
            QTest::addRow("%s%s", method, inDouble ? ", double" : "") << method << tile << inDouble;
        };
        row("direct", 64);
        row("tiled", 64);
        row("fourier", 0);
        row("tiled-template", 0);
        row("dif", 0);
    }
}

void JobScenesTest::everySceneHasTheBytesOfARunAlone() {
    QFETCH(QString, method);
    QFETCH(int, tile);
    QFETCH(bool, inDouble);
    const Scenes scenes;
    Job job = scenes.job();
    job.method = method.toStdString();
    job.tile = {tile, tile, tile};
    job.precision = inDouble ? method::Precision::Double : method::Precision::Single;
    const bool beyond = method == "direct" || method == "tiled"; // the others keep inside
    job.extent = beyond ? method::Extent::Same : method::Extent::Valid;
    job.audit = job::Audit::On;
    const test::Folder folder;
    const Job all = test::withOutputs(job, folder);
    const job::JobResult result = job::runJob(all);
    std::vector<std::string> names;
    for (const char* name :
         {"heatmap-%1.png", "map-%1.mha", "peaks-%1.csv", "report-%1.json", "status-%1.mha"}) {
        for (int i = 0; i < 3; ++i) {
            names.push_back(QString(name).arg(i).toStdString());
        }
    }
    names.emplace_back("template.mha");
    QCOMPARE(folder.names(), names);
    QCOMPARE(result.report.scenes.size(), std::size_t{3});
    const std::vector<Job> each = job::scenesOf(all);
    for (int i = 0; i < 3; ++i) {
        const test::Folder own;
        Job alone = test::withOutputs(job, own);
        alone.scene = scenes.path("scene" + std::to_string(i) + ".mha");
        alone.furtherScenes.clear();
        const job::JobResult single = job::runJob(alone);
        const Job& asked = each[static_cast<std::size_t>(i)];
        for (auto output : {&Job::map, &Job::status, &Job::peaks, &Job::heatmap}) {
            QVERIFY2(test::bytesOf(asked.*output) == test::bytesOf(alone.*output),
                     (asked.*output).c_str());
            QVERIFY(!test::bytesOf(alone.*output).empty());
        }
        const job::JobReport& report = result.report.scenes[static_cast<std::size_t>(i)];
        QCOMPARE(report.peaks.size(), std::size_t{1});
        QVERIFY(report.peaks[0].corner == placeIn(i));
        QCOMPARE(report.audit->verdict, job::AuditVerdict::Passed);
        QCOMPARE(report.stream->preparedOf, i == 0 ? std::nullopt : std::optional(0));
        QCOMPARE(Json::parse(test::bytesOf(asked.report))["inputs"][0]["path"].get<std::string>(),
                 alone.scene.string());
    }
}

/// Preparing another template would give another map: that of the second scene is the map of the
/// template that was prepared for the first. Its image is the same one, with other pixels to match.
void JobScenesTest::whatWasPreparedIsNotPreparedAgain() {
    const Scenes scenes;
    Job job = scenes.job({"scene1.mha"});
    job::detail::Inputs inputs = job::detail::readInputs(job, {}, "", {});
    const job::detail::Inputs turned = job::detail::readInputs(job, {}, "", {});
    job.templates = {scenes.path("second.mha")};
    const job::detail::Inputs others = job::detail::readInputs(job, {}, "", {});
    job::detail::TemplateInput& templ = inputs.templates.front();
    templ.changed = base::copyOf(base::viewOf(templ.image->pixels));
    templ.image = others.templates.front().image;
    const job::detail::GroupRun::Progress silent{[](const base::Box&) {}, [](double) {}};
    plan::Request request;
    request.limits.threads = 2;
    request.planning = plan::Planning::Estimate;
    const auto runOf = [&](job::detail::GroupRun& group) {
        QVERIFY(group.plan(request, true, {}));
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!group.makeMap(stopped.get_token()) && group.map() == nullptr);
        QVERIFY(group.makeMap({}));
        QVERIFY(group.execute(silent, {}));
    };
    for (const bool keeps : {true, false}) {
        job::detail::GroupRun first(job, others, {0}, {.keeps = keeps}, {});
        runOf(first);
        QVERIFY(!first.planOf() && !first.preparedOf());
        job::detail::Shared left = first.leave(7);
        job::detail::GroupRun second(job, inputs, {0}, {.keeps = keeps}, {});
        QVERIFY(second.problem() == left.problem);
        second.takeOver(std::move(left));
        QCOMPARE(second.planOf(), std::optional(7));
        QCOMPARE(second.preparedOf(), keeps ? std::optional(7) : std::nullopt);
        runOf(second);
        const std::string difference = test::firstDifferentBit(*first.map(), *second.map(),
                                                               {{}, first.map()->value.extents()});
        QCOMPARE(difference.empty(), keeps);
        QCOMPARE(second.leave(8).scene, 7);
        // Another image, such as a template that this scene turns, is prepared anew.
        job::detail::GroupRun third(job, turned, {0}, {.keeps = keeps}, {});
        job::detail::GroupRun again(job, others, {0}, {.keeps = keeps}, {});
        runOf(again);
        third.takeOver(again.leave(9));
        QVERIFY(third.planOf() == 9 && !third.preparedOf());
    }
}

void JobScenesTest::theReportSaysWhatWasShared() {
    const Scenes scenes;
    const job::JobReport report = job::runJob(scenes.job()).report;
    const Json json = Json::parse(job::toJson(report));
    QCOMPARE(json["scenes"].size(), std::size_t{3});
    for (int i = 0; i < 3; ++i) {
        const Json& scene = json["scenes"][static_cast<std::size_t>(i)];
        QCOMPARE(scene["stream"]["scene"].get<int>(), i);
        QCOMPARE(scene["stream"]["scenes"].get<int>(), 3);
        QCOMPARE(scene["stream"]["path"].get<std::string>(),
                 scenes.path("scene" + std::to_string(i) + ".mha").string());
        QVERIFY(scene["stream"]["plan_of"] == (i == 0 ? Json(nullptr) : Json(0)));
        QVERIFY(scene["stream"]["prepared_of"] == (i == 0 ? Json(nullptr) : Json(0)));
        QVERIFY(scene["run"]["stream_ms"]["median"].get<double>() > 0);
        QVERIFY(scene["run"]["execute_ms"]["median"] >= scene["run"]["stream_ms"]["median"]);
        QVERIFY(i == 0 || scene["run"]["planning_ms"].get<double>() == 0);
        QVERIFY(scene["chosen"]["tile"] == json["scenes"][0]["chosen"]["tile"]);
        QCOMPARE(scene["chosen"]["measured_ms"], scene["run"]["execute_ms"]["median"]);
    }
    const std::string shared = "scene2.mha; uses the plan and prepared templates of scene 0\n";
    QVERIFY(job::toText(report).find(shared) != std::string::npos);
    const std::string summary = job::toSummary(report);
    QVERIFY2(summary.find("Scene 0: ") == 0 && summary.find(shared) != std::string::npos,
             summary.c_str());
    // A scene alone says nothing of others.
    const job::JobReport one = job::runJob(scenes.job({"scene0.mha"})).report;
    QVERIFY(Json::parse(job::toJson(one))["stream"].is_null());
    QVERIFY(one.scenes.empty());
}

/// By its number, whatever the order they are done in; the cancelled one with what it has.
void JobScenesTest::everySceneIsReportedWhenItIsFinished() {
    const Scenes scenes;
    scenes.write("floats.mha", test::noise(PixelType::Float32, kScene, 9));
    const Job job = scenes.job({"scene0.mha", "floats.mha", "scene2.mha"});
    Watcher watcher;
    const job::JobResult all = job::runJob(job, {}, {}, &watcher);
    QCOMPARE(watcher.finished.size(), std::size_t{3});
    for (const int number : {0, 2}) {
        const job::JobResult& one = watcher.finished.at(number);
        QVERIFY(!one.cancelled && one.scene && one.map);
        QCOMPARE(one.report.stream->scene, number);
        QCOMPARE(one.peaks.size(), std::size_t{1});
        QVERIFY(one.peaks[0].corner == placeIn(number));
        QVERIFY(one.map->value.view().at(placeIn(number)) > 0.999F);
    }
    QCOMPARE(all.report.scenes[2].peaks.size(), std::size_t{1});
    std::stop_source stop;
    Watcher stopper;
    stopper.onPhase = [&](Phase phase, int turn) {
        if (phase == Phase::Peaks && turn == 1) {
            stop.request_stop();
        }
    };
    QVERIFY(job::runJob(job, {}, stop.get_token(), &stopper).cancelled);
    QCOMPARE(stopper.finished.size(), std::size_t{2});
    QVERIFY(!stopper.finished.at(0).cancelled && stopper.finished.at(2).cancelled);
}

/// A file that goes when the scene before it was matched is missed only where it was not read.
void JobScenesTest::theNextSceneIsReadAheadWhereThereIsRoom() {
    for (const bool room : {true, false}) {
        const Scenes scenes;
        Job job = scenes.job();
        job.threads = 1;
        job.method = "direct";
        job.tile = {64, 64, 1};
        Job alone = job;
        alone.furtherScenes.clear();
        const std::int64_t needed = job::planJob(alone).plan.chosen()->prediction->hostBytes;
        job.memoryBytes = needed + base::byteCount(kScene, 1) - (room ? 0 : 1);
        Watcher watcher;
        watcher.onPhase = [&](Phase phase, int turn) {
            if (phase == Phase::Write && turn == 0) {
                std::filesystem::remove(scenes.path("scene1.mha"));
            }
        };
        job::JobReport report;
        const test::Thrown thrown =
            test::thrownBy([&] { report = job::runJob(job, {}, {}, &watcher).report; });
        QCOMPARE(watcher.finished.at(0).report.stream->readAhead, std::optional(room));
        QCOMPARE(thrown.sentence.empty(), room);
        if (!room) {
            QVERIFY2(thrown.sentence.find("scene1.mha") != std::string::npos,
                     thrown.sentence.c_str());
            continue;
        }
        QVERIFY(report.scenes[1].peaks[0].corner == placeIn(1));
        QCOMPARE(report.scenes[1].inputs[0].sha256.size(), std::size_t{64});
        QVERIFY(!report.scenes[2].stream->readAhead);
        QVERIFY(job::toText(report).find("the next scene was read meanwhile") != std::string::npos);
        const Json json = Json::parse(job::toJson(report));
        QVERIFY(json["scenes"][0]["stream"]["read_ahead"] == Json(true));
    }
}

/// Their spread is that of single runs; of the others there is nothing but the stream.
void JobScenesTest::repeatsOfTheFirstScenePrepareAgain() {
    const Scenes scenes;
    Job job = scenes.job({"scene0.mha", "scene1.mha"});
    job.method = "fourier"; // whose workspace takes longer to make than a clock ticks
    job.repeat = 3;
    const job::JobReport report = job::runJob(job).report;
    const job::RunReport& first = *report.scenes[0].run;
    const job::RunReport& second = *report.scenes[1].run;
    const auto preparing = [](const job::RunReport& run) {
        return run.executeMs.min - run.streamMs.min;
    };
    QVERIFY(preparing(first) > 0);
    QVERIFY2(preparing(second) < preparing(first) / 4,
             qPrintable(QString("%1 and %2 ms").arg(preparing(first)).arg(preparing(second))));
}

void JobScenesTest::scenesAlikeAreDoneTogether() {
    const Scenes scenes;
    scenes.write("small.mha", test::noise(PixelType::UInt8, {100, 80, 1}, 9));
    scenes.write("floats.mha", test::noise(PixelType::Float32, kScene, 9));
    Watcher watcher;
    const Job job = scenes.job({"scene0.mha", "small.mha", "floats.mha", "scene1.mha"});
    const job::JobReport report = job::runJob(job, {}, {}, &watcher).report;
    QCOMPARE(watcher.scenes,
             (std::vector<std::string>{"scene0.mha", "scene1.mha", "small.mha", "floats.mha"}));
    const std::array<std::optional<int>, 4> planOf{std::nullopt, std::nullopt, std::nullopt, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE(report.scenes[i].stream->planOf, planOf[i]);
        QCOMPARE(report.scenes[i].stream->preparedOf, planOf[i]);
    }
    QVERIFY((report.scenes[1].plan.problem.scene == Extents{100, 80, 1}));
    QCOMPARE(report.scenes[2].plan.problem.scenePixel, PixelType::Float32);
    QCOMPARE(report.scenes[3].peaks.size(), std::size_t{1});
    // Searched in a box, scenes of other extents pose the same problem.
    Job part = job;
    part.region = base::Box{{5, 6, 0}, {70, 60, 1}};
    part.furtherScenes.resize(1);
    QCOMPARE(job::runJob(part).report.scenes[1].stream->preparedOf, std::optional(0));
}

void JobScenesTest::templatesAreReadOnce() {
    const Scenes scenes;
    Job job = scenes.job();
    job.invert = true;
    const base::AnyImage support = test::noise(PixelType::UInt8, kCut.extents, 1);
    scenes.write("mask.mha", support);
    job.masks = {scenes.path("mask.mha")};
    Watcher watcher;
    watcher.onScene = [&](int turn) {
        if (turn == 1) {
            std::filesystem::remove(job.templates[0]);
            std::filesystem::remove(job.masks[0]);
        }
    };
    const job::JobReport report = job::runJob(job, {}, {}, &watcher).report;
    QCOMPARE(watcher.scenes.size(), std::size_t{3});
    QCOMPARE(report.scenes[2].inputs.size(), std::size_t{3});
    QCOMPARE(report.scenes[2].inputs[1].path, job.templates[0].string());
    QCOMPARE(report.scenes[2].inputs[1].sha256.size(), std::size_t{64});
}

void JobScenesTest::cropsAreCutFromTheFirstScene() {
    const Scenes scenes;
    Job job = scenes.job();
    job.templates.clear();
    job.crops = {kCut};
    const job::JobReport report = job::runJob(job).report;
    for (int i = 0; i < 3; ++i) {
        const job::JobReport& scene = report.scenes[static_cast<std::size_t>(i)];
        QCOMPARE(scene.peaks.size(), std::size_t{1});
        QVERIFY(scene.peaks[0].corner == placeIn(i));
        QVERIFY(scene.templates[0].source.find("scene0.mha [") != std::string::npos);
    }
}

void JobScenesTest::severalTemplatesAreSharedToo() {
    const Scenes scenes;
    for (const bool groups : {false, true}) {
        Job job = scenes.job({"scene0.mha", "scene1.mha"});
        job.templates.push_back(scenes.path(groups ? "large.mha" : "second.mha"));
        job.minScore = 0.2;
        const test::Folder folder;
        job.peaks = folder.path("peaks.csv");
        job.index = groups ? "" : folder.path("index.mha");
        const job::JobReport report = job::runJob(job).report;
        QCOMPARE(report.scenes[1].groups.size(), std::size_t(groups ? 2 : 0));
        QCOMPARE(report.scenes[1].stream->planOf, std::optional(0));
        // What is prepared of several groups would have to stay in memory beside the others.
        QCOMPARE(report.scenes[1].stream->preparedOf, groups ? std::nullopt : std::optional(0));
        const test::Folder own;
        Job alone = job;
        alone.scene = job.furtherScenes[0];
        alone.furtherScenes.clear();
        alone.peaks = own.path("peaks.csv");
        alone.index = groups ? "" : own.path("index.mha");
        QVERIFY(job::runJob(alone).peaks.size() > 5);
        QVERIFY(test::bytesOf(folder.path("peaks-1.csv")) == test::bytesOf(alone.peaks));
        QVERIFY(groups || test::bytesOf(folder.path("index-1.mha")) == test::bytesOf(alone.index));
    }
}

void JobScenesTest::aSceneMaskIsForAll() {
    const Scenes scenes;
    base::AnyImage mask = base::Image<std::uint8_t>(kScene, 1);
    for (std::int64_t y = 0; y < kScene.y; ++y) {
        test::setVoxel(mask, {35, y, 0}, 0); // through the copy in the second scene
    }
    scenes.write("mask.mha", mask);
    Job job = scenes.job();
    job.sceneMask = scenes.path("mask.mha");
    const job::JobReport report = job::runJob(job).report;
    QCOMPARE(report.scenes[0].peaks.size(), std::size_t{1});
    QCOMPARE(report.scenes[1].peaks.size(), std::size_t{0});
    QCOMPARE(report.scenes[2].peaks.size(), std::size_t{1});
    QVERIFY(report.scenes[2].plan.problem.sceneMask);
    scenes.write("small.mha", test::noise(PixelType::UInt8, {100, 80, 1}, 9));
    job.furtherScenes.back() = scenes.path("small.mha");
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
    QCOMPARE(thrown.code, ErrorCode::Problem);
    QVERIFY2(thrown.sentence.find("small.mha") != std::string::npos, thrown.sentence.c_str());
}

void JobScenesTest::aBrokenSceneIsNamedAndNothingIsWritten_data() {
    QTest::addColumn<QString>("broken");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("runs"); // of other scenes before it is found
    for (const bool first : {true, false}) {
        const auto row = [&](const char* name, const char* broken, ErrorCode code, int runs) {
            QTest::addRow("%s, %s", name, first ? "first" : "last")
                << (first ? "first " : "last ") + QString(broken) << static_cast<int>(code)
                << (first ? 0 : runs);
        };
        row("missing", "missing.mha", ErrorCode::Input, 0);
        row("no image", "text.mha", ErrorCode::Input, 0);
        row("cut short", "short.mha", ErrorCode::Input, 0);
        row("smaller than the template", "tiny.mha", ErrorCode::Problem, 2);
        row("smaller than the region", "narrow.mha", ErrorCode::Problem, 2);
    }
}

void JobScenesTest::aBrokenSceneIsNamedAndNothingIsWritten() {
    QFETCH(QString, broken);
    QFETCH(int, code);
    QFETCH(int, runs);
    const Scenes scenes;
    io::writeText(scenes.path("text.mha"), "no image");
    const std::string bytes = test::bytesOf(scenes.path("scene2.mha"));
    io::writeText(scenes.path("short.mha"), bytes.substr(0, bytes.size() / 2));
    scenes.write("tiny.mha", test::noise(PixelType::UInt8, {9, 9, 1}, 9));
    scenes.write("narrow.mha", test::noise(PixelType::UInt8, {50, 96, 1}, 9));
    const std::string name = broken.section(' ', 1).toStdString();
    std::vector<std::string> names{"scene0.mha", "scene1.mha"};
    names.insert(broken.startsWith("first") ? names.begin() : names.end(), name);
    const test::Folder folder;
    Job job = test::withOutputs(scenes.job(names), folder);
    if (name == "narrow.mha") {
        job.region = base::Box{{5, 6, 0}, {70, 60, 1}};
    }
    io::writeText(folder.path("peaks-0.csv"), "old");
    Watcher watcher;
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job, {}, {}, &watcher); });
    QCOMPARE(static_cast<int>(thrown.code), code);
    QVERIFY2(thrown.sentence.find(name) != std::string::npos, thrown.sentence.c_str());
    QCOMPARE(watcher.runs, runs);
    QCOMPARE(folder.names(), std::vector<std::string>{"peaks-0.csv"});
    QCOMPARE(test::bytesOf(folder.path("peaks-0.csv")), std::string("old"));
}

void JobScenesTest::aWrongTemplateIsNotBlamedOnAScene() {
    const Scenes scenes;
    scenes.write("flat.mha", base::Image<std::uint8_t>(kCut.extents, 7));
    Job job = scenes.job();
    for (const char* templ : {"flat.mha", "missing.mha"}) {
        job.templates = {scenes.path(templ)};
        const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
        QVERIFY(!thrown.sentence.empty());
        QVERIFY2(thrown.sentence.find("scene0") == std::string::npos, thrown.sentence.c_str());
    }
}

void JobScenesTest::aRefusedSceneIsNamed() {
    const Scenes scenes;
    scenes.write("large-scene.mha", test::noise(PixelType::UInt8, {600, 500, 1}, 9));
    Job job = scenes.job({"scene0.mha", "large-scene.mha"});
    job.threads = 1;
    job.method = "direct";
    job.memoryBytes = 1 << 20; // enough for the first alone
    const test::Thrown thrown = test::thrownBy([&] { (void)job::runJob(job); });
    QCOMPARE(thrown.code, ErrorCode::Memory);
    QVERIFY2(thrown.sentence.find("large-scene.mha: ") != std::string::npos,
             thrown.sentence.c_str());
    // A plan says so in its report.
    const job::JobReport report = job::planJob(job);
    QVERIFY(report.scenes[0].plan.chosen() != nullptr);
    QVERIFY(report.scenes[1].plan.chosen() == nullptr);
    const std::optional<base::Error> refused = job::refusal(report);
    QVERIFY(refused && refused->code() == ErrorCode::Memory);
    QVERIFY(std::string(refused->what()).find("large-scene.mha: ") != std::string::npos);
}

void JobScenesTest::outputsThatMeetAreRefused() {
    const Scenes scenes;
    Watcher watcher;
    const auto codeOf = [&](const Job& job) {
        return test::thrownBy([&] { (void)job::runJob(job, {}, {}, &watcher); }).code;
    };
    Job job = scenes.job();
    job.map = scenes.path("scene.mha");
    job.furtherScenes[0] = scenes.path("scene-0.mha"); // what the first map is called
    QCOMPARE(codeOf(job), ErrorCode::CommandLine);
    job = scenes.job();
    job.map = scenes.path("out.mha");
    job.templateOut = scenes.path("out-2.mha");
    QCOMPARE(codeOf(job), ErrorCode::CommandLine);
    QVERIFY(watcher.scenes.empty());
    job.templateOut = scenes.path("out.mha");
    QVERIFY(!job::runJob(job).cancelled);
}

void JobScenesTest::cancellingLeavesNothing_data() {
    QTest::addColumn<int>("phase"); // -1: between two scenes
    QTest::addColumn<int>("turn");
    QTest::newRow("headers") << static_cast<int>(Phase::Read) << -1;
    for (const int turn : {0, 1, 2}) {
        QTest::addRow("before scene %d", turn) << -1 << turn;
        for (const Phase phase : {Phase::Read, Phase::Run, Phase::Write}) {
            QTest::addRow("%s scene %d", std::string(job::name(phase)).c_str(), turn)
                << static_cast<int>(phase) << turn;
        }
    }
}

void JobScenesTest::cancellingLeavesNothing() {
    QFETCH(int, phase);
    QFETCH(int, turn);
    const Scenes scenes;
    const test::Folder folder;
    const Job job = test::withOutputs(scenes.job(), folder);
    std::stop_source source;
    Watcher watcher;
    watcher.onScene = [&](int now) {
        if (phase == -1 && now == turn) {
            source.request_stop();
        }
    };
    watcher.onPhase = [&](Phase at, int now) {
        if (static_cast<int>(at) == phase && now == turn) {
            source.request_stop();
        }
    };
    const job::JobResult result = job::runJob(job, {}, source.get_token(), &watcher);
    QVERIFY(source.stop_requested());
    QVERIFY(result.cancelled);
    QVERIFY(result.report.scenes.empty());
    QCOMPARE(static_cast<int>(watcher.scenes.size()), turn + 1);
    QVERIFY(folder.names().empty());
}

void JobScenesTest::plansAreMadeForEveryKind() {
    const Scenes scenes;
    scenes.write("small.mha", test::noise(PixelType::UInt8, {100, 80, 1}, 9));
    const test::Folder folder;
    Job job = scenes.job({"scene0.mha", "scene1.mha", "small.mha"});
    job.map = folder.path("map.mha");
    job.report = folder.path("plan.json");
    const job::JobReport report = job::planJob(job);
    QCOMPARE(folder.names(),
             (std::vector<std::string>{"plan-0.json", "plan-1.json", "plan-2.json"}));
    QCOMPARE(report.scenes[1].stream->planOf, std::optional(0));
    QVERIFY(!report.scenes[1].stream->preparedOf);
    QVERIFY(!report.scenes[2].stream->planOf);
    QVERIFY(!job::refusal(report));
    // Each report is replayed, and so is what all of them are on standard output.
    io::writeText(folder.path("all.json"), job::toJson(report));
    for (const char* name : {"plan-1.json", "all.json"}) {
        QVERIFY(job::chosenCandidate(folder.path(name)) ==
                report.scenes[0].plan.chosen()->candidate);
    }
}

void JobScenesTest::scenesInMemoryNeedNoFiles() {
    const Scenes folder;
    Watcher fromFiles;
    (void)job::runJob(folder.job(), {}, {}, &fromFiles);
    Job job = folder.job();
    job.furtherScenes = {"", folder.path("scene2.mha")}; // the middle one is in memory only
    job::JobImages images;
    images.furtherScenes = {job::loadImage(folder.path("scene1.mha"), {}, {}), nullptr};
    Watcher inMemory;
    (void)job::runJob(job, images, {}, &inMemory);
    QCOMPARE(inMemory.finished.size(), std::size_t{3});
    for (const auto& [number, expected] : fromFiles.finished) {
        const job::JobResult& result = inMemory.finished[number];
        QCOMPARE(result.peaks.size(), expected.peaks.size());
        QVERIFY(std::equal(result.map->value.data(),
                           result.map->value.data() + result.map->value.count(),
                           expected.map->value.data()));
    }
}
const flcc::test::TestClass<JobScenesTest> kJobScenesTest;
#include "scenes_test.moc"
