#include <QtTest>

#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using namespace flcc;
using nlohmann::json;
using test::CliRun;
using test::runCli;
using test::SampleFolder;

namespace {

base::AnyImage read(const SampleFolder& folder, const QString& name) {
    return std::move(io::readImage(folder.path(name).toStdString()).components.front());
}

/// The line on standard error of a run that ends with `code`; empty if it ends otherwise.
QByteArray refused(const CliRun& run, int code) {
    const bool one = run.errors.startsWith("flcc-cli: ") && run.errors.count('\n') == 1;
    return run.code == code && one ? run.errors : QByteArray();
}

} // namespace

class CliConvolveTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { m_folder = std::make_unique<SampleFolder>(QStringLiteral("cells")); }

    void aFilterIsWrittenAndReported() {
        const CliRun run = runCli({"convolve", "scene.mha", "gaussian:2", "--border", "mirror",
                                   "--output", "smooth.mha", "--report", "report.json", "--json"},
                                  m_folder->path());
        QVERIFY2(run.code == 0, run.errors);
        const base::AnyImage scene = read(*m_folder, "scene.mha");
        const base::AnyImage smooth = read(*m_folder, "smooth.mha");
        QVERIFY(base::extentsOf(smooth) == base::extentsOf(scene));
        QVERIFY(base::pixelType(smooth) == base::PixelType::Float32);
        const json report = json::parse(run.output.toStdString());
        QCOMPARE(report["problem"]["operation"].get<std::string>(), std::string("convolve"));
        QCOMPARE(report["problem"]["border"].get<std::string>(), std::string("mirror"));
        QCOMPARE(report["chosen"]["verdict"].get<std::string>(), std::string("chosen"));
        QVERIFY(report["chosen"]["predicted_ms"].get<double>() > 0);
        QVERIFY(report["candidates"].size() > 4);
        QVERIFY(report["map"]["bound_largest"].get<double>() > 0);
        QCOMPARE(report["map"]["nan"].get<int>(), 0);
        // A mean of mirrored voxels keeps the mean.
        double sum = 0;
        const base::Extents n = base::extentsOf(scene);
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                sum += base::valueAt(base::viewOf(scene), {x, y, 0});
            }
        }
        QVERIFY(
            std::abs(report["map"]["mean"].get<double>() - sum / static_cast<double>(n.x * n.y)) <=
            report["map"]["bound_largest"].get<double>() + 1e-3);
        // The report chooses the same candidate again.
        const CliRun again = runCli({"convolve", "scene.mha", "gaussian:2", "--border", "mirror",
                                     "--plan", "report.json", "--output", "again.mha"},
                                    m_folder->path());
        QVERIFY2(again.code == 0, again.errors);
        QCOMPARE(m_folder->bytes("again.mha"), m_folder->bytes("smooth.mha"));
    }

    void aJobFileGivesTheSameResult() {
        const CliRun run = runCli({"convolve", "scene.mha", "template.mha", "--extent", "valid",
                                   "--method", "direct", "--precision", "double", "--region",
                                   "3,4:100,90", "--output", "a.mha", "--save-job", "job.json"},
                                  m_folder->path());
        QVERIFY2(run.code == 0, run.errors);
        const json job = json::parse(m_folder->bytes("job.json").toStdString());
        QCOMPARE(job["command"].get<std::string>(), std::string("convolve"));
        QCOMPARE(job["kernel"].get<std::string>(), std::string("template.mha"));
        const CliRun again =
            runCli({"convolve", "--job", "job.json", "--output", "b.mha"}, m_folder->path());
        QVERIFY2(again.code == 0, again.errors);
        QCOMPARE(m_folder->bytes("b.mha"), m_folder->bytes("a.mha"));
        QVERIFY(!refused(runCli({"match", "--job", "job.json"}, m_folder->path()), 2).isEmpty());
    }

    // The result of the parts is that of the whole transform, and the report has Karas' Table 1.
    void partsGiveTheSameResult() {
        const QStringList whole{"convolve",  "scene.mha",  "template.mha", "--border",
                                "mirror",    "--method",   "fourier",      "--output",
                                "whole.mha", "--planning", "estimate",     "--json"};
        const CliRun once = runCli(whole, m_folder->path());
        QVERIFY2(once.code == 0, once.errors);
        const json wholeReport = json::parse(once.output.toStdString());
        QVERIFY(wholeReport["decompositions"].is_null());
        QCOMPARE(wholeReport["chosen"]["parts"].get<int>(), 0);
        QStringList divided = whole;
        divided[6] = QStringLiteral("dif");
        divided[8] = QStringLiteral("parts.mha");
        divided << "--parts"
                << "4"
                << "--report"
                << "parts.json"
                << "--save-job"
                << "parts-job.json";
        const CliRun run = runCli(divided, m_folder->path());
        QVERIFY2(run.code == 0, run.errors);
        const json report = json::parse(run.output.toStdString());
        QCOMPARE(report["chosen"]["method"].get<std::string>(), std::string("dif"));
        QCOMPARE(report["chosen"]["parts"].get<int>(), 4);
        QCOMPARE(report["decompositions"]["parts"].get<int>(), 4);
        QCOMPARE(report["decompositions"]["rows"].size(), std::size_t{3});
        QCOMPARE(report["decompositions"]["rows"][2]["method"].get<std::string>(),
                 std::string("tiling"));
        const base::AnyImage one = read(*m_folder, "whole.mha");
        const base::AnyImage other = read(*m_folder, "parts.mha");
        const double bound = wholeReport["map"]["bound_largest"].get<double>() +
                             report["map"]["bound_largest"].get<double>();
        const base::Extents n = base::extentsOf(one);
        QVERIFY(base::extentsOf(other) == n);
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                QVERIFY(std::abs(base::valueAt(base::viewOf(one), {x, y, 0}) -
                                 base::valueAt(base::viewOf(other), {x, y, 0})) <= bound);
            }
        }
        // Job file and plan repeat it.
        const CliRun again = runCli({"convolve", "--job", "parts-job.json", "--output", "job.mha"},
                                    m_folder->path());
        QVERIFY2(again.code == 0, again.errors);
        QCOMPARE(m_folder->bytes("job.mha"), m_folder->bytes("parts.mha"));
        const CliRun planned =
            runCli({"convolve", "scene.mha", "template.mha", "--border", "mirror", "--plan",
                    "parts.json", "--output", "plan.mha", "--verbose"},
                   m_folder->path());
        QVERIFY2(planned.code == 0, planned.errors);
        QCOMPARE(m_folder->bytes("plan.mha"), m_folder->bytes("parts.mha"));
        QVERIFY2(planned.output.contains("By formula, in 4 parts"), planned.output);
    }

    // Every frame of the result is that of its frame alone; the job file keeps the switch.
    void framesOfAStackAreConvolvedOneByOne() {
        base::Image<std::uint8_t> voxels({40, 30, 3});
        for (std::int64_t i = 0; i < voxels.count(); ++i) {
            voxels.data()[i] = static_cast<std::uint8_t>(i * i % 251);
        }
        const base::AnyImage stack = std::move(voxels);
        (void)io::writeImage(m_folder->path("stack.mha").toStdString(), base::viewOf(stack), {});
        for (int z = 0; z < 3; ++z) {
            const auto name = QStringLiteral("frame%1.mha").arg(z);
            (void)io::writeImage(m_folder->path(name).toStdString(),
                                 base::partOf(base::viewOf(stack), {{0, 0, z}, {40, 30, 1}}), {});
        }
        const CliRun run =
            runCli({"convolve", "stack.mha", "gaussian:1.5", "--stream", "--method", "separable",
                    "--output", "frames.mha", "--save-job", "frames-job.json", "--json"},
                   m_folder->path());
        QVERIFY2(run.code == 0, run.errors);
        QCOMPARE(json::parse(run.output.toStdString())["frames"].size(), std::size_t{3});
        const base::AnyImage all = read(*m_folder, "frames.mha");
        QVERIFY(base::extentsOf(all) == (base::Extents{40, 30, 3}));
        for (int z = 0; z < 3; ++z) {
            const CliRun alone =
                runCli({"convolve", QStringLiteral("frame%1.mha").arg(z), "gaussian:1.5",
                        "--method", "separable", "--output", "one.mha"},
                       m_folder->path());
            QVERIFY2(alone.code == 0, alone.errors);
            const base::AnyImage one = read(*m_folder, "one.mha");
            for (std::int64_t y = 0; y < 30; ++y) {
                for (std::int64_t x = 0; x < 40; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(all), {x, y, z}),
                             base::valueAt(base::viewOf(one), {x, y, 0}));
                }
            }
        }
        QVERIFY(m_folder->bytes("frames-job.json").contains("\"stream\": true"));
        const CliRun again = runCli(
            {"convolve", "--job", "frames-job.json", "--output", "again.mha"}, m_folder->path());
        QVERIFY2(again.code == 0, again.errors);
        QCOMPARE(m_folder->bytes("again.mha"), m_folder->bytes("frames.mha"));
    }

    void wrongCommandsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        const auto add = [](const char* name, const QStringList& arguments, int code) {
            QTest::newRow(name) << (QStringList{"convolve", "scene.mha"} + arguments) << code;
        };
        add("no kernel", {}, 2);
        add("empty kernel", {""}, 2);
        add("unknown kernel", {"blur:3"}, 2);
        add("sigma 0", {"gaussian:0"}, 2);
        add("negative sigma", {"gaussian:-1"}, 2);
        add("NaN", {"gaussian:nan"}, 2);
        add("three values in an image", {"gaussian:1,1,1"}, 2);
        add("unknown option", {"box:3", "--peaks", "p.csv"}, 2);
        add("unknown border", {"box:3", "--border", "none"}, 2);
        add("third argument", {"box:3", "more"}, 2);
        add("no parts", {"box:3", "--method", "dif", "--parts", "0"}, 2);
        add("one part", {"box:3", "--method", "dif", "--parts", "1"}, 2);
        add("parts of another method", {"box:3", "--method", "tiled", "--parts", "4"}, 2);
        add("parts of any method", {"box:3", "--parts", "4"}, 2);
        add("parts beside a plan", {"box:3", "--plan", "report.json", "--parts", "4"}, 2);
        add("more parts than rows", {"box:3", "--method", "dif", "--parts", "5000"}, 4);
        add("unknown method", {"box:3", "--method", "best"}, 2);
        add("stream to TIFF", {"box:3", "--stream", "--output", "a.tif"}, 2);
        add("output over input", {"box:3", "--output", "scene.mha"}, 2);
        add("output as PNG", {"box:3", "--output", "a.png"}, 2);
        add("missing kernel file", {"none.mha"}, 3);
        add("axis z of an image", {"sobel:z"}, 4);
        add("kernel too large for valid", {"box:5000", "--extent", "valid"}, 4);
        add("method that cannot", {"template.mha", "--method", "recursive"}, 4);
        add("recursive in full", {"gaussian:2", "--method", "recursive", "--extent", "full"}, 4);
        add("region outside", {"box:3", "--region", "0,0:9999,5"}, 4);
        add("too little memory", {"box:3", "--memory", "1000"}, 5);
        add("GPU", {"box:3", "--device", "cuda"}, 6);
        add("folder that is not there", {"box:3", "--output", "none/a.mha"}, 7);
    }

    void wrongCommandsAreRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        const CliRun run = runCli(arguments, m_folder->path());
        QVERIFY2(!refused(run, code).isEmpty(),
                 QByteArray::number(run.code) + ": " + run.errors + run.output);
    }

  private:
    std::unique_ptr<SampleFolder> m_folder;
};

const flcc::test::TestClass<CliConvolveTest> kCliConvolveTest;
#include "convolve_test.moc"
