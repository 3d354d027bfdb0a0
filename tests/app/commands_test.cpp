#include <QtTest>

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/job/job.h"
#include "engine/plan/planner.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;
using flcc::test::runShell;
using flcc::test::SampleFolder;
using Json = nlohmann::json;

namespace {

const QStringList kMatch{"match", "scene.mha", "template.mha"};

Json parsed(const QByteArray& text) { return Json::parse(text.begin(), text.end()); }

/// One line on standard error that starts with the program's name; nothing on standard output.
void verifyFailure(const CliRun& run, int code) {
    QVERIFY2(run.code == code, run.errors.constData());
    QVERIFY2(run.errors.startsWith("flcc-cli: "), run.errors.constData());
    QCOMPARE(run.errors.count('\n'), 1);
    QVERIFY2(run.output.isEmpty(), run.output.constData());
}

} // namespace

class CliCommandsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void failuresHaveTheirCodeAndWriteNothing_data();
    void failuresHaveTheirCodeAndWriteNothing();
    void matchWritesEveryOutput();
    void mapsOfSeveralScenesKeepALongExtension();
    void theBestPeaksOfTheSamplesAreThePlantedOnes_data();
    void theBestPeaksOfTheSamplesAreThePlantedOnes();
    void aPlanIsReplayed();
    void aRegionIsSearchedInDoubleAndAudited();
    void masksAndPlacementsBeyondTheSceneAreFiles();
    void theProgramAndTheEngineWriteTheSameBytes();
    void aPatternOfScenesIsSearched();
    void aJobIsSavedAndRunAgain();
    void aPlanWritesNoMapAndNoPeaks();
    void aPlanThatFitsNothingIsPrintedAndFails();
    void jsonIsTheReport();
    void quietPrintsNothing();
    void verboseSaysWhatGoesOn();
    void devicesAreListed();
    void aGpuIsUsedOrItIsSaidWhyNot();
    void theSelfTestReportsEveryInstructionSet();
    void theSelfTestRunsTheCasesAskedFor();
    void helpAndVersion();
    void namesWithOddCharactersWork();
    void theProgramLinksNoQtAndNoVtk();

  private:
    SampleFolder m_tiny{"tiny"};
};

void CliCommandsTest::failuresHaveTheirCodeAndWriteNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const QStringList& arguments, int code) {
        QTest::newRow(name) << arguments << code;
    };
    const auto match = [](const QStringList& more) { return kMatch + more; };
    row("no command", {}, 2);
    row("unknown command", {"find", "a", "b"}, 2);
    row("unknown option", match({"--support", "m.mha"}), 2);
    row("unknown extent", match({"--extent", "most"}), 2);
    row("overlap of more than all", match({"--min-overlap", "1.5"}), 2);
    row("region with panels that leave it", match({"--region", "9,6:40,40", "--extent", "same"}),
        2);
    row("option of a later version", match({"--phase-plate", "60"}), 2);
    row("rotations by nothing", match({"--rotations", "0"}), 2);
    row("symmetry without rotations", match({"--symmetry", "C2"}), 2);
    row("wedge beyond 90 degrees", match({"--wedge", "60,91"}), 2);
    row("wedge of an image", match({"--wedge", "60,60"}), 4);
    row("band the wrong way round", match({"--band", "40,3"}), 2);
    row("missing list of tilts", match({"--ctf", "missing.star"}), 3);
    row("rotations of a missing list", match({"--rotations", "list:none.txt"}), 3);
    row("more orientations than without --yes", match({"--rotations", "0.03"}), 2);
    row("scale larger than the scene", match({"--scales", "9"}), 4);
    row("promise of nothing", match({"--promise", "0"}), 2);
    row("recompute perhaps", match({"--recompute", "perhaps"}), 2);
    row("format that cannot hold doubles", match({"--precision", "double", "--map", "m.png"}), 2);
    row("doubled option", match({"--map", "a.mha", "--map", "b.mha"}), 2);
    row("threshold NaN", match({"--min-score", "nan"}), 2);
    row("unknown operation", match({"--operation", "mutual"}), 2);
    row("format that cannot hold the type", match({"--map", "map.png"}), 2);
    row("info without a file", {"info"}, 2);
    row("info of two files", {"info", "scene.mha", "template.mha"}, 2);
    row("info of a name that looks like an option", {"info", "-x.mha"}, 2);
    row("missing file after the end of options", {"info", "--", "-none.mha"}, 3);
    row("devices with an argument", {"devices", "--", "cpu"}, 2);
    row("version with an argument", {"--version", "x"}, 2);
    row("slice without a heatmap", match({"--slice", "0"}), 2);
    row("replay of no report", {"replay"}, 2);
    row("replay of a missing report", {"replay", "nothing.json"}, 3);
    row("replay of a scene", {"replay", "scene.mha"}, 3);
    row("a stack size without a stack", match({"--stack-size", "8"}), 2);
    row("list of samples with a name", {"sample", "--list", "tiny"}, 2);
    row("info that verifies no file", {"info", "--verify"}, 2);
    row("info with an unknown option", {"info", "--check", "scene.mha"}, 2);
    row("MRC that cannot hold doubles", match({"--precision", "double", "--map", "m.mrc"}), 2);
    row("unknown sample", {"sample", "none", "--output", "x"}, 2);
    row("sample without a folder", {"sample", "tiny"}, 2);
    row("unknown option of devices", {"devices", "--all"}, 2);
    row("unknown option of selftest", {"selftest", "--all"}, 2);
    row("unknown device of selftest", {"selftest", "--device", "gpu"}, 2);
    row("selftest of two devices", {"selftest", "--device", "cpu", "--device=cuda"}, 2);
    row("unknown case of selftest", {"selftest", "--case", "anchor", "--case", "none"}, 2);
    row("empty case of selftest", {"selftest", "--case", ""}, 2);
    row("selftest of no device", {"selftest", "--device"}, 2);
    row("missing scene", {"match", "none.mha", "template.mha"}, 3);
    row("missing second scene", match({"--scene", "scene.mha", "none.mha"}), 3);
    row("second scene smaller than the template",
        {"match", "scene.mha", "--crop", "9,6:60,40", "--scene", "template.mha"}, 4);
    row("missing scene of info", {"info", "none.mha"}, 3);
    row("text as scene", {"match", "truth.csv", "template.mha"}, 3);
    row("missing job file", {"match", "--job", "none.json"}, 3);
    row("missing plan", match({"--plan", "none.json"}), 3);
    row("template larger than the scene", {"match", "template.mha", "scene.mha"}, 4);
    row("crop outside the scene", {"match", "scene.mha", "--crop", "90,60:20,20"}, 4);
    row("region outside the scene", match({"--region", "90,60:20,20"}), 4);
    row("region smaller than the template", match({"--region", "10,10:3,3"}), 4);
    row("missing mask", match({"--mask", "none.mha"}), 3);
    row("mask of other extents", match({"--mask", "scene.mha"}), 4);
    row("mask of the scene of other extents", match({"--scene-mask", "template.mha"}), 4);
    row("one voxel", {"match", "scene.mha", "--crop", "9,6:1,1"}, 4);
    row("method that refuses", match({"--method", "tiled", "--tile", "4"}), 4);
    row("memory", match({"--memory", "2KiB"}), 5);
    row("device", match({"--device", "cuda:999"}), 6); // whatever the machine has
    row("device of selftest", {"selftest", "--device", "cuda:999"}, 6);
    row("no folder", match({"--map", "none/map.mha"}), 7);
    row("sample into a file", {"sample", "tiny", "--output", "truth.csv"}, 7);
}

void CliCommandsTest::failuresHaveTheirCodeAndWriteNothing() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    if (arguments.size() > 2 && arguments.front() == "match") {
        arguments << "--peaks"
                  << "peaks.csv"
                  << "--report"
                  << "report.json"
                  << "--save-job"
                  << "job.json";
    }
    verifyFailure(runCli(arguments, m_tiny.path()), code);
    QVERIFY2(m_tiny.added().isEmpty(), qPrintable(m_tiny.added().join(' ')));
}

void CliCommandsTest::matchWritesEveryOutput() {
#ifndef FLCC_IMAGE_IO
    QSKIP("this build writes no png and nii.gz files");
#endif
    const SampleFolder folder("tiny");
    const CliRun run =
        runCli(kMatch + QStringList{"--map", "map.nrrd", "--status", "status.png", "--peaks",
                                    "peaks.tsv", "--report", "report.json", "--heatmap",
                                    "heatmap.png", "--template-out", "out.tif", "--save-job",
                                    "job.json", "--repeat", "3", "--threads", "2"},
               folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QCOMPARE(folder.added(), (QStringList{"heatmap.png", "job.json", "map.nrrd", "out.tif",
                                          "peaks.tsv", "report.json", "status.png"}));
    QVERIFY(run.output.contains("Peaks: 5"));
    const Json report = parsed(folder.bytes("report.json"));
    QCOMPARE(report["peaks"].size(), std::size_t{5});
    QCOMPARE(report["run"]["threads"].get<int>(), 2);
    QVERIFY(report["run"]["execute_ms"]["min"] < report["run"]["execute_ms"]["max"]);
    QCOMPARE(report["inputs"][0]["sha256"].get<std::string>().size(), std::size_t{64});
    const Json info = parsed(runCli({"info", "map.nrrd"}, folder.path()).output);
    QVERIFY((info["extents"] == Json{86, 56, 1}));
    QCOMPARE(info["type"].get<std::string>(), std::string("float32"));
    QVERIFY(info["complete"] == Json(true)); // the bytes of the voxels were counted
    const Json picture = parsed(runCli({"info", "status.png"}, folder.path()).output);
    QVERIFY(picture["complete"].is_null());
    const Json verified = parsed(runCli({"info", "--verify", "status.png"}, folder.path()).output);
    QVERIFY(verified["complete"] == Json(true));
}

void CliCommandsTest::mapsOfSeveralScenesKeepALongExtension() {
#ifndef FLCC_IMAGE_IO
    QSKIP("this build writes no png and nii.gz files");
#endif
    const SampleFolder folder("tiny");
    const CliRun run = runCli({"match", "scene.mha", "template.mha", "--scene", "scene.mha",
                               "--map", "map.nii.gz", "--quiet"},
                              folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QCOMPARE(folder.added(), (QStringList{"map-0.nii.gz", "map-1.nii.gz"}));
    const Json info = parsed(runCli({"info", "--verify", "map-1.nii.gz"}, folder.path()).output);
    QVERIFY((info["extents"] == Json{86, 56, 1}));
}

void CliCommandsTest::theBestPeaksOfTheSamplesAreThePlantedOnes_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("count");
    QTest::addColumn<double>("meanError");
    QTest::newRow("cells") << "cells" << 40 << 0.2;
    QTest::newRow("tomogram") << "tomogram" << 30 << 0.5;
}

void CliCommandsTest::theBestPeaksOfTheSamplesAreThePlantedOnes() {
    QFETCH(QString, name);
    QFETCH(int, count);
    QFETCH(double, meanError);
    const SampleFolder folder(name);
    const CliRun run = runCli(kMatch + QStringList{"--min-score", "0.2", "--json"}, folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const Json report = parsed(run.output);
    QList<QByteArray> truth = folder.bytes("truth.csv").trimmed().split('\n').mid(1);
    QCOMPARE(truth.size(), count);
    QVERIFY(report["peaks"].size() >= static_cast<std::size_t>(count));
    double sum = 0;
    for (int rank = 0; rank < count; ++rank) {
        const Json& centre = report["peaks"][static_cast<std::size_t>(rank)]["centre"];
        const auto planted = std::find_if(truth.begin(), truth.end(), [&](const QByteArray& line) {
            const QList<QByteArray> cells = line.split(',');
            bool near = true;
            for (int axis = 0; axis < 3; ++axis) {
                near = near && std::abs(centre[static_cast<std::size_t>(axis)].get<double>() -
                                        cells[3 + axis].toDouble()) <= 0.5;
            }
            return near;
        });
        QVERIFY2(planted != truth.end(), qPrintable(QString("rank %1").arg(rank + 1)));
        const QList<QByteArray> cells = planted->split(',');
        sum += std::hypot(centre[0].get<double>() - cells[3].toDouble(),
                          centre[1].get<double>() - cells[4].toDouble(),
                          centre[2].get<double>() - cells[5].toDouble());
        truth.erase(planted); // each copy once
    }
    QVERIFY2(sum / count < meanError, qPrintable(QString::number(sum / count)));
}

void CliCommandsTest::aPlanIsReplayed() {
    const SampleFolder folder("tiny");
    const QStringList forced{"--method", "tiled", "--tile", "40,36", "--threads", "1"};
    QCOMPARE(runCli(kMatch + forced +
                        QStringList{"--map", "a.mha", "--peaks", "a.csv", "--report", "a.json"},
                    folder.path())
                 .code,
             0);
    const CliRun replay = runCli(kMatch + QStringList{"--plan", "a.json", "--map", "b.mha",
                                                      "--peaks", "b.csv", "--report", "b.json"},
                                 folder.path());
    QVERIFY2(replay.code == 0, replay.errors.constData());
    QCOMPARE(folder.bytes("a.mha"), folder.bytes("b.mha"));
    QCOMPARE(folder.bytes("a.csv"), folder.bytes("b.csv"));
    const Json chosen = parsed(folder.bytes("b.json"))["chosen"];
    QCOMPARE(chosen["method"].get<std::string>(), std::string("tiled"));
    QVERIFY((chosen["tile"] == Json{40, 36, 1}));
}

void CliCommandsTest::aRegionIsSearchedInDoubleAndAudited() {
    const SampleFolder folder("tiny");
    const Json all =
        parsed(runCli(kMatch + QStringList{"--json", "--quiet"}, folder.path()).output);
    const Json best = all["peaks"][0];
    const int x = best["corner"][0].get<int>();
    const int y = best["corner"][1].get<int>();
    const QString region = QString("%1,%2:20,16").arg(std::max(0, x - 2)).arg(std::max(0, y - 1));
    const CliRun run =
        runCli(kMatch + QStringList{"--region", region, "--precision", "double", "--promise",
                                    "1e-9", "--recompute", "off", "--audit", "on", "--map",
                                    "map.mha", "--peaks", "peaks.csv", "--json"},
               folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const Json report = parsed(run.output);
    QVERIFY(report["peaks"][0]["corner"] == best["corner"]);
    QVERIFY(report["peaks"][0]["score"] == best["score"]);
    QCOMPARE(report["problem"]["promise"].get<double>(), 1e-9);
    QCOMPARE(report["problem"]["recompute"].get<bool>(), false);
    QCOMPARE(report["audit"]["verdict"].get<std::string>(), std::string("passed"));
    QVERIFY(folder.bytes("peaks.csv").contains("\n# audit: passed; "));
    const Json info = parsed(runCli({"info", "map.mha"}, folder.path()).output);
    QCOMPARE(info["type"].get<std::string>(), std::string("float64"));
    QVERIFY(info["extents"][0].get<int>() < 20);
}

void CliCommandsTest::masksAndPlacementsBeyondTheSceneAreFiles() {
    const SampleFolder folder("tiny");
    const QStringList job = kMatch + QStringList{"--extent",        "full",          "--outside",
                                                 "overlap",         "--min-overlap", "0.6",
                                                 "--partial-peaks", "--mask",        "mask.mha"};
    const Json info = parsed(runCli({"info", "template.mha"}, folder.path()).output);
    const int width = info["extents"][0].get<int>();
    const int height = info["extents"][1].get<int>();
    QByteArray mask = "ObjectType = Image\nNDims = 2\nBinaryData = True\n"
                      "BinaryDataByteOrderMSB = False\nDimSize = " +
                      QByteArray::number(width) + " " + QByteArray::number(height) +
                      "\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
    QByteArray voxels(width * height, '\x07');
    voxels[0] = '\0';
    QFile file(folder.path("mask.mha"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(mask + voxels) > 0);
    file.close();
    const CliRun run = runCli(job + QStringList{"--map", "map.mha", "--status", "status.mha",
                                                "--peaks", "peaks.csv", "--report", "report.json",
                                                "--audit", "on", "--save-job", "job.json"},
                              folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const Json report = parsed(folder.bytes("report.json"));
    QCOMPARE(report["problem"]["extent"].get<std::string>(), std::string("full"));
    QCOMPARE(report["problem"]["support"].get<int>(), width * height - 1);
    QVERIFY(report["map"]["status"]["PARTIAL"].get<int>() > 0);
    QVERIFY(report["map"]["status"]["NOT_COMPUTED"].get<int>() > 0); // too small an overlap
    QCOMPARE(report["audit"]["verdict"].get<std::string>(), std::string("passed"));
    QCOMPARE(report["inputs"][2]["role"].get<std::string>(), std::string("mask"));
    const Json map = parsed(runCli({"info", "map.mha"}, folder.path()).output);
    QVERIFY((map["extents"] == Json{96 + width - 1, 64 + height - 1, 1}));
    const Json scene = parsed(runCli({"info", "scene.mha"}, folder.path()).output);
    const double spacing = scene["spacing"][0].get<double>();
    QVERIFY(std::abs(map["origin"][0].get<double>() -
                     (scene["origin"][0].get<double>() - spacing * (width - 1) / 2)) < 1e-9);
    const QByteArray peaks = folder.bytes("peaks.csv");
    QVERIFY2(peaks.contains("# mask: mask.mha\n") && peaks.contains("# extent: full; outside "),
             peaks.constData());
    // The saved job is the same; so is the plan that ran, replayed.
    const QByteArray first = folder.bytes("map.mha");
    QCOMPARE(runCli({"match", "--job", "job.json", "--quiet"}, folder.path()).code, 0);
    QCOMPARE(folder.bytes("peaks.csv"), peaks);
    QCOMPARE(
        runCli(job + QStringList{"--plan", "report.json", "--map", "map.mha"}, folder.path()).code,
        0);
    QCOMPARE(folder.bytes("map.mha"), first);
}

void CliCommandsTest::theProgramAndTheEngineWriteTheSameBytes() {
    const SampleFolder folder("tiny");
    QCOMPARE(runCli(kMatch + QStringList{"--map", "a.mha", "--status", "a-status.mha", "--peaks",
                                         "a.csv", "--report", "a.json", "--min-score", "0.1"},
                    folder.path())
                 .code,
             0);
    // The names stand in the list of peaks, so they must be the same.
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(folder.path()));
    flcc::job::Job job;
    job.scene = "scene.mha";
    job.templates = {"template.mha"};
    job.minScore = 0.1;
    job.planReport = "a.json";
    job.map = "b.mha";
    job.status = "b-status.mha";
    job.peaks = "b.csv";
    (void)flcc::job::runJob(job);
    QVERIFY(QDir::setCurrent(before));
    QCOMPARE(folder.bytes("a.mha"), folder.bytes("b.mha"));
    QCOMPARE(folder.bytes("a-status.mha"), folder.bytes("b-status.mha"));
    QCOMPARE(folder.bytes("a.csv"), folder.bytes("b.csv"));
}

void CliCommandsTest::aPatternOfScenesIsSearched() {
    const SampleFolder folder("tiny");
    QVERIFY(QFile::copy(folder.path("scene.mha"), folder.path("scene1.mha")));
    QVERIFY(QFile::copy(folder.path("scene.mha"), folder.path("scene2.mha")));
    const QString outputs = " --planning estimate --map map.mha --peaks peaks.csv --report r.json";
    const CliRun run = runShell(
        "\"$CLI\" match --scene scene*.mha --template template.mha --save-job job.json" + outputs,
        folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    const QStringList written{"job.json",    "map-0.mha",   "map-1.mha",   "map-2.mha",
                              "peaks-0.csv", "peaks-1.csv", "peaks-2.csv", "r-0.json",
                              "r-1.json",    "r-2.json",    "scene1.mha",  "scene2.mha"};
    QCOMPARE(folder.added(), written);
    QVERIFY2(run.output.startsWith("Scene 0: scene.mha; the next scene was read meanwhile\n") &&
                 run.output.count("Peaks: 5") == 3 &&
                 run.output.contains("Scene 2: scene2.mha; uses the plan and prepared templates of "
                                     "scene 0\n"),
             run.output.constData());
    QCOMPARE(folder.bytes("map-2.mha"), folder.bytes("map-0.mha"));
    QVERIFY(folder.bytes("peaks-1.csv").contains("# scene: scene1.mha"));
    QVERIFY((parsed(folder.bytes("job.json"))["scene"] ==
             Json{"scene.mha", "scene1.mha", "scene2.mha"}));
    const QByteArray peaks = folder.bytes("peaks-2.csv");
    QVERIFY(QFile::remove(folder.path("peaks-2.csv")));
    const CliRun again = runCli({"match", "--job", "job.json", "--json"}, folder.path());
    const Json report = parsed(again.output);
    QCOMPARE(report["scenes"].size(), std::size_t{3});
    QCOMPARE(report["scenes"][2]["stream"]["prepared_of"].get<int>(), 0);
    QVERIFY(report["scenes"][2]["run"]["stream_ms"]["median"].get<double>() > 0);
    QCOMPARE(folder.bytes("peaks-2.csv"), peaks);
    const CliRun taken =
        runCli({"match", "--job", "job.json", "--save-job", "map-1.mha"}, folder.path());
    QCOMPARE(taken.code, 2);
    QVERIFY2(taken.errors.contains("map-1.mha"), taken.errors.constData());
    const CliRun planned = runCli({"plan", "--job", "job.json"}, folder.path());
    QCOMPARE(planned.code, 0);
    QCOMPARE(planned.output.count("Plan (estimate"), 3);
}

void CliCommandsTest::aJobIsSavedAndRunAgain() {
    const SampleFolder folder("tiny");
    const CliRun first =
        runCli({"match", "scene.mha", "--crop", "20,30:9,8", "--invert", "--min-score", "0.3",
                "--min-distance", "4.5", "--method", "direct", "--planning", "estimate", "--peaks",
                "peaks.csv", "--save-job", "job.json"},
               folder.path());
    QVERIFY2(first.code == 0, first.errors.constData());
    const Json job = parsed(folder.bytes("job.json"));
    QCOMPARE(job["crop"].get<std::string>(), std::string("20,30,0:9,8,1"));
    QCOMPARE(job["min-distance"].get<double>(), 4.5);
    QCOMPARE(job["invert"].get<bool>(), true);
    QVERIFY(!job.contains("threads"));
    const QByteArray peaks = folder.bytes("peaks.csv");
    QVERIFY(QFile::remove(folder.path("peaks.csv")));
    QCOMPARE(runCli({"match", "--job", "job.json"}, folder.path()).code, 0);
    QCOMPARE(folder.bytes("peaks.csv"), peaks);
    QCOMPARE(runCli({"match", "--job", "job.json", "--max-peaks", "7", "--save-job", "job.json"},
                    folder.path())
                 .code,
             0);
    QCOMPARE(parsed(folder.bytes("job.json"))["max-peaks"].get<int>(), 7);
}

void CliCommandsTest::aPlanWritesNoMapAndNoPeaks() {
    const SampleFolder folder("tiny");
    const CliRun run = runCli({"plan", "scene.mha", "template.mha", "--map", "map.mha", "--peaks",
                               "peaks.csv", "--report", "plan.json", "--planning", "estimate"},
                              folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QCOMPARE(folder.added(), QStringList{"plan.json"});
    QVERIFY(run.output.contains("chosen"));
    const Json plan = parsed(folder.bytes("plan.json"));
    QVERIFY(plan["run"].is_null());
    QVERIFY(plan["chosen"]["measured_ms"].is_null());
    // It can be replayed.
    QCOMPARE(runCli(kMatch + QStringList{"--plan", "plan.json"}, folder.path()).code, 0);
}

void CliCommandsTest::aPlanThatFitsNothingIsPrintedAndFails() {
    const CliRun run =
        runCli({"plan", "scene.mha", "template.mha", "--memory", "2KiB", "--json"}, m_tiny.path());
    QCOMPARE(run.code, 5);
    const Json report = parsed(run.output);
    QVERIFY(report["chosen"].is_null());
    QCOMPARE(report["candidates"][0]["verdict"].get<std::string>(), std::string("refused"));
}

void CliCommandsTest::jsonIsTheReport() {
    const CliRun run = runCli(kMatch + QStringList{"--json"}, m_tiny.path());
    QCOMPARE(run.code, 0);
    QVERIFY2(run.errors.isEmpty(), run.errors.constData());
    const Json report = parsed(run.output);
    for (const char* key : {"problem", "candidates", "chosen", "run", "map", "audit", "peaks",
                            "environment", "inputs"}) {
        QVERIFY2(report.contains(key), key);
    }
}

void CliCommandsTest::quietPrintsNothing() {
    const CliRun run = runCli(kMatch + QStringList{"--quiet"}, m_tiny.path());
    QCOMPARE(run.code, 0);
    QVERIFY(run.output.isEmpty() && run.errors.isEmpty());
}

void CliCommandsTest::verboseSaysWhatGoesOn() {
    const CliRun run = runCli(kMatch + QStringList{"--verbose"}, m_tiny.path());
    QCOMPARE(run.code, 0);
    for (const char* phase : {"reading", "planning", "matching", "finding peaks", "writing"}) {
        QVERIFY2(run.errors.contains(phase), phase);
    }
    QVERIFY(run.output.contains("Plan (measure"));
}

void CliCommandsTest::devicesAreListed() {
    const CliRun text = runCli({"devices"}, m_tiny.path());
    QCOMPARE(text.code, 0);
    QVERIFY(text.output.startsWith("cpu: "));
    const Json list = parsed(runCli({"devices", "--json"}, m_tiny.path()).output);
    QVERIFY(list[0]["usable"].get<bool>());
    // The reason is the one that a run on the device ends with.
    for (const Json& device : list) {
        if (!device["usable"].get<bool>()) {
            const auto reason = QByteArray::fromStdString(device["reason"].get<std::string>());
            QVERIFY(!reason.isEmpty() && text.output.contains(reason));
            const CliRun run =
                runCli(kMatch + QStringList{"--device", QString::fromStdString(device["id"])},
                       m_tiny.path());
            QVERIFY2(run.errors.contains(reason), run.errors.constData());
        }
    }
}

// True on machines with a GPU and on those without.
void CliCommandsTest::aGpuIsUsedOrItIsSaidWhyNot() {
    const SampleFolder folder("tiny");
    bool usable = false;
    std::string reason;
    for (const auto& device : parsed(runCli({"devices", "--json"}, folder.path()).output)) {
        if (device["id"].get<std::string>().starts_with("cuda")) {
            usable = usable || device["usable"].get<bool>();
            reason = device["reason"].is_null() ? reason : device["reason"].get<std::string>();
        }
    }
    const CliRun run =
        runCli(kMatch + QStringList{"--device", "cuda", "--report", "report.json"}, folder.path());
    if (usable) {
        QVERIFY2(run.code == 0, run.errors.constData());
        const Json report = parsed(folder.bytes("report.json"));
        QVERIFY(report["run"]["device"].get<std::string>().starts_with("cuda"));
        QVERIFY(report["audit"]["verdict"] == "passed");
    } else {
        verifyFailure(run, 6);
        QVERIFY2(!reason.empty() && run.errors.contains(reason.c_str()), run.errors.constData());
        QVERIFY(folder.added().isEmpty());
    }
}

// All cases take 20 s; selftest_test runs them.
void CliCommandsTest::theSelfTestReportsEveryInstructionSet() {
    const CliRun run =
        runCli({"selftest", "--device", "cpu", "--case", "copies", "--case", "hot-pixel", "--json"},
               m_tiny.path());
    QVERIFY2(run.code == 0, run.output.constData());
    const Json report = parsed(run.output);
    QCOMPARE(report.at("verdict").get<std::string>(), std::string("passed"));
    std::set<std::string> sets;
    for (const Json& row : report.at("rows")) {
        sets.insert(row.at("instructions").get<std::string>());
        QCOMPARE(row.at("device").get<std::string>(), std::string("cpu"));
        QVERIFY(row.at("over_bound").get<double>() <= 1);
        QVERIFY(report.at("cases").contains(row.at("case").get<std::string>()));
    }
    QCOMPARE(sets.size(), flcc::plan::instructionSets().size());
}

void CliCommandsTest::theSelfTestRunsTheCasesAskedFor() {
    const auto casesOf = [&](const QStringList& more) {
        const CliRun run = runCli(QStringList{"selftest", "--device", "cpu"} + more, m_tiny.path());
        QStringList names;
        for (const QByteArray& line : run.output.split('\n').mid(1)) {
            if (line.contains("passed  ")) {
                names << line.split(' ').front();
            }
        }
        return run.code == 0 ? names : QStringList{run.errors};
    };
    QCOMPARE(casesOf({"--case", "copies", "--case=anchor", "--case", "anchor"}),
             (QStringList{"anchor", "copies"}));
    QCOMPARE(casesOf({"--case", "ancho"}), QStringList{"anchor"});
    const CliRun unknown = runCli({"selftest", "--case", "none"}, m_tiny.path());
    QVERIFY2(unknown.errors.contains("\"none\"") && unknown.errors.contains("hot-pixel, "),
             unknown.errors.constData());
}

void CliCommandsTest::helpAndVersion() {
    for (const QStringList& arguments :
         {QStringList{"--help"}, QStringList{"match", "--help"}, QStringList{"-h"}}) {
        const CliRun run = runCli(arguments, m_tiny.path());
        QCOMPARE(run.code, 0);
        for (const char* word : {"match", "plan", "info", "sample", "devices", "--min-distance",
                                 "--save-job", "130"}) {
            QVERIFY2(run.output.contains(word), word);
        }
    }
    QVERIFY(runCli({"--version"}, m_tiny.path()).output.startsWith("flcc-cli "));
    const QByteArray verbose = runCli({"--version", "--verbose"}, m_tiny.path()).output;
    for (const char* word : {"FFTW", "General Public License, version 3 or later"}) {
        QVERIFY2(verbose.startsWith("flcc-cli ") && verbose.contains(word), verbose.constData());
    }
}

void CliCommandsTest::namesWithOddCharactersWork() {
    const SampleFolder folder("tiny");
    const QString scene = QString::fromUtf8("-s\303\266 'x'\n.mha");
    QVERIFY(QFile::rename(folder.path("scene.mha"), folder.path(scene)));
    const CliRun run =
        runCli({"match", "--peaks=-p [1].csv", "--", scene, "template.mha"}, folder.path());
    QVERIFY2(run.code == 0, run.errors.constData());
    QVERIFY(folder.added().contains("-p [1].csv"));
    QVERIFY(QFile::copy(folder.path("template.mha"), folder.path("-x.mha")));
    const CliRun info = runCli({"info", "--", "-x.mha"}, folder.path());
    QVERIFY2(info.code == 0, info.errors.constData());
    const CliRun sample = runCli({"sample", "--output", "-new", "--", "tiny"}, folder.path());
    QVERIFY2(sample.code == 0, sample.errors.constData());
    const CliRun missing = runCli({"match", "a\nb.mha", "template.mha"}, folder.path());
    verifyFailure(missing, 3);
}

void CliCommandsTest::theProgramLinksNoQtAndNoVtk() {
    const CliRun run = runShell("ldd \"$CLI\"", m_tiny.path());
    QVERIFY(run.output.contains("libfftw3f"));
    QVERIFY(!run.output.contains("libQt") && !run.output.contains("libvtk"));
}

const flcc::test::TestClass<CliCommandsTest> kCliCommandsTest;
#include "commands_test.moc"
