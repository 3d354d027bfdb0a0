#include <QtTest>

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
        add("dif", {"box:3", "--method", "dif"}, 2);
        add("unknown method", {"box:3", "--method", "best"}, 2);
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
