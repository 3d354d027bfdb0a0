#include <QtTest>

#include <cmath>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using namespace flcc;
using test::CliRun;
using Json = nlohmann::json;

/// Which samples `flcc-cli` has, and what it does with the spacing of images.
class CliOpeningTest : public QObject {
    Q_OBJECT

    test::SampleFolder m_sample{QStringLiteral("tiny")};

    [[nodiscard]] CliRun run(const QStringList& arguments) const {
        return test::runCli(arguments, m_sample.path());
    }
    [[nodiscard]] Json json(const QString& name) const {
        return Json::parse(m_sample.bytes(name).toStdString());
    }

  private Q_SLOTS:
    void aStatedSpacingIsInEveryOutput() {
        const CliRun done = run({"match", "scene.mha", "--crop", "10,12:9,9", "--spacing", "0.25um",
                                 "--peaks", "p.csv", "--map", "m.mha", "--template-out", "t.mha",
                                 "--report", "r.json", "--save-job", "j.json", "--quiet"});
        QVERIFY2(done.code == 0, done.errors.constData());
        QVERIFY(m_sample.bytes("p.csv").contains("unit um (user)"));
        QVERIFY(m_sample.bytes("p.csv").contains("# spacing: 0.25 0.25 0.25"));
        const Json report = json("r.json");
        QCOMPARE(report["problem"]["unit_source"].get<std::string>(), std::string("user"));
        QCOMPARE(report["problem"]["unit"].get<std::string>(), std::string("um"));
        const Json& best = report["peaks"][0];
        for (std::size_t axis = 0; axis < 2; ++axis) {
            // The sample's origin is 0.
            QCOMPARE(best["world"][axis].get<double>(), 0.25 * best["centre"][axis].get<double>());
        }
        const base::Geometry map = io::readImageInfo(m_sample.path("m.mha").toStdString()).geometry;
        QCOMPARE(map.unit, std::string("um"));
        QCOMPARE(map.spacing[0], 0.25);
        QCOMPARE(map.origin[0], 4 * 0.25); // the centre of the first placement
        const base::Geometry templ =
            io::readImageInfo(m_sample.path("t.mha").toStdString()).geometry;
        QCOMPARE(templ.origin[1], 12 * 0.25);
        // The job file repeats it.
        QVERIFY(m_sample.bytes("j.json").contains("\"spacing\": \"0.25um\""));
        QCOMPARE(run({"match", "--job", "j.json", "--peaks", "again.csv", "--quiet"}).code, 0);
        QCOMPARE(m_sample.bytes("again.csv"), m_sample.bytes("p.csv"));
    }

    void aPartOfTheFileIsTheScene() {
        const QStringList part{"--part", "6,5:40,36"};
        QCOMPARE(run(QStringList{"info", "scene.mha"} + part).code, 0);
        QCOMPARE(Json::parse(
                     run(QStringList{"info", "scene.mha"} + part).output.toStdString())["extents"],
                 (Json{40, 36, 1}));
        const QStringList match = QStringList{"match", "scene.mha", "--crop", "4,7:9,9"} + part;
        const CliRun done =
            run(match + QStringList{"--peaks", "p.csv", "--report", "r.json", "--map", "m.mha",
                                    "--save-job", "j.json", "--quiet"});
        QVERIFY2(done.code == 0, done.errors.constData());
        // The same template in the whole scene: the same place in the world.
        QCOMPARE(run({"match", "scene.mha", "--crop", "10,12:9,9", "--report", "w.json", "--quiet"})
                     .code,
                 0);
        const Json report = json("r.json");
        const Json best = report["peaks"][0];
        const Json whole = json("w.json")["peaks"][0];
        QCOMPARE(best["corner"], (Json{4, 7, 0}));
        QCOMPARE(whole["corner"], (Json{10, 12, 0}));
        for (std::size_t axis = 0; axis < 2; ++axis) { // pixels of the border may count or not
            QVERIFY(std::abs(best["world"][axis].get<double>() -
                             whole["world"][axis].get<double>()) < 1e-3);
        }
        QCOMPARE(report["problem"]["scene"], (Json{40, 36, 1}));
        QCOMPARE(report["inputs"][0]["part"],
                 (Json{{"corner", {6, 5, 0}}, {"extents", {40, 36, 1}}}));
        QVERIFY(m_sample.bytes("j.json").contains("\"part\": \"6,5,0:40,36,1\""));
        QCOMPARE(run({"match", "--job", "j.json", "--peaks", "again.csv", "--quiet"}).code, 0);
        QCOMPARE(m_sample.bytes("again.csv"), m_sample.bytes("p.csv"));
        QCOMPARE(run({"replay", "r.json", "--quiet"}).code, 0);
        QCOMPARE(run({"match", "scene.mha", "--crop", "1,1:5,5", "--part", "60,60:40,40"}).code, 4);
        QCOMPARE(run({"match", "scene.mha", "--crop", "1,1:5,5", "--part", "1,2"}).code, 2);
        const CliRun convolved = run(
            QStringList{"convolve", "scene.mha", "box:3", "--output", "c.mha", "--quiet"} + part);
        QVERIFY2(convolved.code == 0, convolved.errors.constData());
        const io::ImageInfo box = io::readImageInfo(m_sample.path("c.mha").toStdString());
        QVERIFY(box.extents == (base::Extents{40, 36, 1}));
        QCOMPARE(
            run(QStringList{"features", "scene.mha", "--blobs", "b.csv", "--quiet"} + part).code,
            0);
    }

    /// A report may come from somebody else; opening a pipe would wait for its writer.
    void aPipeThatAReportNamesIsNoInput() {
        QCOMPARE(
            run({"match", "scene.mha", "template.mha", "--report", "pipe.json", "--quiet"}).code,
            0);
        const QByteArray name = m_sample.path("pipe.mha").toUtf8();
        QCOMPARE(::mkfifo(name.constData(), 0600), 0);
        const QByteArray text = m_sample.bytes("pipe.json").replace("scene.mha", "pipe.mha");
        QFile file(m_sample.path("pipe.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
        file.close();
        QCOMPARE(run({"replay", "pipe.json", "--quiet"}).code, 3);
    }

    void samplesAreListed() {
        const CliRun done = run({"sample", "--list"});
        QCOMPARE(done.code, 0);
        for (const char* name : {"cells", "tomogram", "tiny"}) {
            QVERIFY2(done.output.contains(name), name);
        }
    }

    void theScoresDoNotDependOnIt() {
        const auto peaks = [&](const QStringList& more) {
            const CliRun done = run(
                QStringList{"match", "scene.mha", "template.mha", "--json", "--min-score", "0.2"} +
                more);
            Json list = Json::parse(done.output.toStdString())["peaks"];
            for (Json& peak : list) {
                peak.erase("world");
            }
            return list;
        };
        QVERIFY(peaks({}).size() > 1);
        QVERIFY(peaks({}) == peaks({"--spacing", "3,4nm"}));
    }

    void convolveAndFeaturesTakeItToo() {
        const CliRun done = run({"convolve", "scene.mha", "gaussian:1um", "--spacing", "0.5um",
                                 "--output", "c.mha", "--report", "c.json", "--quiet"});
        QVERIFY2(done.code == 0, done.errors.constData());
        QCOMPARE(run({"convolve", "scene.mha", "gaussian:2", "--output", "d.mha", "--quiet"}).code,
                 0);
        QCOMPARE(json("c.json")["problem"]["unit_source"].get<std::string>(), std::string("user"));
        const io::LoadedImage c = io::readImage(m_sample.path("c.mha").toStdString());
        const io::LoadedImage d = io::readImage(m_sample.path("d.mha").toStdString());
        QCOMPARE(c.info.geometry.spacing[0], 0.5);
        QCOMPARE(base::valueAt(base::viewOf(c.components[0]), {30, 20, 0}),
                 base::valueAt(base::viewOf(d.components[0]), {30, 20, 0}));
        QCOMPARE(run({"features", "scene.mha", "--spacing", "2,3mm", "--blobs", "b.csv", "--report",
                      "b.json", "--quiet"})
                     .code,
                 0);
        QVERIFY(m_sample.bytes("b.csv").contains("(user)"));
        QCOMPARE(json("b.json")["problem"]["unit"].get<std::string>(), std::string("mm"));
    }

    void aTemplateOfAnotherSpacingIsResampledOrWarnedOf() {
        // Smooth hills, as scene voxels of 1 mm and, around 30.5, 22.5, as voxels of 0.5 mm.
        const auto hills = [](double x, double y) {
            return std::sin(x * 0.31) + std::cos(y * 0.23 + x * 0.05) +
                   2 * std::exp(-((x - 28) * (x - 28) + (y - 24) * (y - 24)) / 18);
        };
        base::Image<float> scene({64, 48, 1});
        base::Image<float> templ({24, 24, 1});
        for (std::int64_t y = 0; y < 48; ++y) {
            for (std::int64_t x = 0; x < 64; ++x) {
                scene.view().at(x, y, 0) =
                    static_cast<float>(hills(static_cast<double>(x), static_cast<double>(y)));
            }
        }
        for (std::int64_t y = 0; y < 24; ++y) {
            for (std::int64_t x = 0; x < 24; ++x) {
                templ.view().at(x, y, 0) =
                    static_cast<float>(hills(30.5 + (static_cast<double>(x) - 11.5) / 2,
                                             22.5 + (static_cast<double>(y) - 11.5) / 2));
            }
        }
        base::Geometry grid;
        grid.unit = "mm";
        grid.unitSource = base::UnitSource::Header;
        io::writeImage(m_sample.path("hills.mha").toStdString(), scene.view(), grid);
        grid.spacing = {500, 500, 500};
        grid.unit = "um";
        io::writeImage(m_sample.path("fine.mha").toStdString(), templ.view(), grid);
        const QStringList job{"match", "hills.mha", "fine.mha", "--min-score", "-1", "--report"};
        const CliRun warned = run(job + QStringList{"warned.json"});
        QVERIFY2(warned.code == 0, warned.errors.constData());
        QVERIFY2(warned.errors.contains("warning: the template fine.mha has the spacing"),
                 warned.errors.constData());
        QCOMPARE(json("warned.json")["warnings"].size(), std::size_t{1});
        const CliRun done =
            run(job + QStringList{"done.json", "--resample", "--save-job", "s.json"});
        QVERIFY2(done.code == 0, done.errors.constData());
        QVERIFY2(done.errors.contains("resampled from 24x24x1 to 12x12x1 voxels"),
                 done.errors.constData());
        const Json report = json("done.json");
        QVERIFY(report["warnings"].empty());
        QVERIFY((report["peaks"][0]["corner"] == Json{25, 17, 0}));
        QVERIFY(report["peaks"][0]["score"].get<double>() >
                json("warned.json")["peaks"][0]["score"].get<double>());
        QVERIFY(m_sample.bytes("s.json").contains("\"resample\": true"));
        // Half as wide by hand: now they agree.
        const CliRun agreed = run(job + QStringList{"agreed.json", "--spacing", "0.5mm"});
        QVERIFY2(!agreed.errors.contains("warning"), agreed.errors.constData());
        // Larger than the scene.
        const CliRun large =
            run({"match", "hills.mha", "fine.mha", "--resample", "--spacing", "0.001mm"});
        QCOMPARE(large.code, 4);
        QVERIFY2(large.errors.contains("template 12000x12000x1"), large.errors.constData());
    }

    void aSpacingThatIsNoneIsRefused() {
        for (const char* text : {"0", "1,2,3,4", "-1mm", "1 inch", "mm"}) {
            const CliRun done = run({"match", "scene.mha", "template.mha", "--spacing", text});
            QCOMPARE(done.code, 2);
            QVERIFY2(done.errors.contains("--spacing must be"), done.errors.constData());
        }
    }
};

const flcc::test::TestClass<CliOpeningTest> kCliOpeningTest;
#include "opening_test.moc"
