#include <QtTest>

#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/io/stack_writer.h"
#include "engine/job/any_job.h"
#include "tests/engine/job/stream_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using job::ConvolveJob;
using job::Phase;
using test::kFrame;
using test::sliceOf;
using test::Stack;
using test::Turns;
using Json = nlohmann::json;

namespace {

ConvolveJob jobFor(const Stack& stack, const test::Folder& folder) {
    ConvolveJob job;
    job.scene = stack.path("stack.mha");
    job.stream = true;
    job.threads = 2;
    job.planning = plan::Planning::Estimate;
    job.report = folder.path("report.json");
    job.kernel = "gaussian:1.5";
    job.output = folder.path("result.mha");
    return job;
}

ConvolveJob alone(ConvolveJob job, const Stack& stack, int frame, const test::Folder& folder) {
    job.scene = stack.path("frame" + std::to_string(frame) + ".mha");
    job.stream = false;
    job.report.clear();
    job.output = folder.path("result.mha");
    return job;
}

/// Largest resident memory of this process so far, in bytes.
std::int64_t peakMemory() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmHWM:") {
    }
    std::int64_t kib = 0;
    status >> kib;
    return kib * 1024;
}

} // namespace

class JobConvolveStreamTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyFrameHasTheBitsOfARunAlone_data() {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("extent");
        QTest::newRow("separable") << "gaussian:1.5"
                                   << "separable"
                                   << "same";
        QTest::newRow("tiled, valid") << "template.mha"
                                      << "tiled"
                                      << "valid";
        QTest::newRow("whole, full") << "template.mha"
                                     << "fourier"
                                     << "full";
        QTest::newRow("parts") << "template.mha"
                               << "dif"
                               << "same";
    }

    void everyFrameHasTheBitsOfARunAlone() {
        QFETCH(QString, kernel);
        QFETCH(QString, method);
        QFETCH(QString, extent);
        const Stack stack(4);
        const test::Folder folder;
        ConvolveJob job = jobFor(stack, folder);
        job.kernel =
            kernel == "template.mha" ? stack.path("template.mha").string() : kernel.toStdString();
        job.method = method.toStdString();
        job.extent = extent == "same"    ? method::Extent::Same
                     : extent == "valid" ? method::Extent::Valid
                                         : method::Extent::Full;
        job.border = filter::Border::Mirror;
        job.region = job::parseBox("3,2:60,48");
        Turns turns;
        const job::ConvolveResult result = job::runConvolve(job, {}, {}, &turns);
        QVERIFY(!result.cancelled);
        QCOMPARE(turns.turns, 4);
        QCOMPARE(result.report.frames.size(), std::size_t{4});
        for (int z = 0; z < 4; ++z) {
            const test::Folder own;
            const job::ConvolveResult one = job::runConvolve(alone(job, stack, z, own));
            QVERIFY(sliceOf(job.output, z) == sliceOf(own.path("result.mha"), 0));
            const job::ResultReport& row = result.report.frames[static_cast<std::size_t>(z)].result;
            QCOMPARE(row.mean, one.report.result->mean);
            QCOMPARE(row.bound, one.report.result->bound);
        }
        // The stack stands where the first result does.
        const test::Folder own;
        (void)job::runConvolve(alone(job, stack, 0, own));
        const base::Geometry first = io::readImageInfo(own.path("result.mha")).geometry;
        const base::Geometry all = io::readImageInfo(job.output).geometry;
        QVERIFY(all.origin[0] == first.origin[0] && all.origin[1] == first.origin[1]);
        QCOMPARE(all.origin[2], 3.0);
        QCOMPARE(all.spacing[2], 3.0);
    }

    void theReportHasARowForEachFrame() {
        const Stack stack(5);
        const test::Folder folder;
        const ConvolveJob job = jobFor(stack, folder);
        (void)job::runConvolve(job);
        const Json report = Json::parse(test::bytesOf(folder.path("report.json")));
        QCOMPARE(report.at("frames").size(), std::size_t{5});
        QCOMPARE(report.at("frames").at(3).at("frame").get<int>(), 3);
        QVERIFY(report.at("stream").at("read_ahead").get<bool>());
        QCOMPARE(report.at("map").at("count").get<std::int64_t>(), kFrame.x * kFrame.y * 5);
        QCOMPARE(report.at("inputs").at(0).at("sha256").get<std::string>(),
                 job::loadImage(stack.path("stack.mha"), {}, {})->sha256);
        double mean = 0;
        double largest = -1;
        for (const Json& frame : report.at("frames")) {
            mean += frame.at("mean").get<double>() / 5;
            largest = std::max(largest, frame.at("max").get<double>());
        }
        QVERIFY(std::abs(report.at("map").at("mean").get<double>() - mean) <= 1e-12 * mean);
        QCOMPARE(report.at("map").at("max").get<double>(), largest);
    }

    void littleMemoryChangesNothing() {
        const Stack stack(4);
        const test::Folder folder;
        const job::ConvolveResult result = job::runConvolve(jobFor(stack, folder));
        const test::Folder little;
        ConvolveJob job = jobFor(stack, little);
        // As much as one run is predicted to take: nothing is left for another frame.
        job.memoryBytes = result.report.candidates.front().prediction->hostBytes;
        job.method = result.report.candidates.front().candidate.method;
        QVERIFY(result.report.readAhead);
        QVERIFY(!job::runConvolve(job).report.readAhead);
        QVERIFY(test::bytesOf(folder.path("result.mha")) ==
                test::bytesOf(little.path("result.mha")));
    }

    void memoryDoesNotGrowWithTheFrames() {
        if (test::kSanitized) {
            QSKIP("a sanitizer keeps freed memory");
        }
        const test::Folder folder;
        const auto run = [&](int frames) {
            const std::filesystem::path file = folder.path("large.mha");
            io::AtomicFile target(file);
            io::StackWriter writer(target, base::PixelType::UInt8, {512, 512, frames}, {});
            const base::AnyImage frame = test::noise(base::PixelType::UInt8, {512, 512, 1}, 3);
            for (int z = 0; z < frames; ++z) {
                QVERIFY(writer.append(base::viewOf(frame)));
            }
            writer.finish();
            target.commit();
            ConvolveJob job;
            job.scene = file;
            job.stream = true;
            job.planning = plan::Planning::Estimate;
            job.method = "separable";
            job.kernel = "gaussian:1";
            job.output = folder.path("result.mha");
            (void)job::runConvolve(job);
        };
        run(8);
        const std::int64_t few = peakMemory();
        run(64);
        // Half of what the results of the 56 further frames take.
        const std::int64_t limit = std::int64_t{56} * 512 * 512 * 4 / 2;
        const std::int64_t more = peakMemory() - few;
        QVERIFY2(more < limit, std::to_string(more).c_str());
        const auto kept = test::noise(base::PixelType::Float32, {512, 512, 56}, 4);
        QVERIFY(base::extentsOf(kept).z == 56 && peakMemory() - few > limit); // the measure sees
    }

    void aStackInMemoryIsNotRead() {
        const Stack stack(3);
        const test::Folder folder;
        ConvolveJob job = jobFor(stack, folder);
        (void)job::runConvolve(job);
        job::ConvolveImages images{job::loadImage(job.scene, {}, {}), {}};
        const test::Folder other;
        job = jobFor(stack, other);
        job.scene = "nowhere.mha";
        (void)job::runConvolve(job, images);
        QVERIFY(test::bytesOf(folder.path("result.mha")) ==
                test::bytesOf(other.path("result.mha")));
    }

    void aJobFileKeepsIt() {
        const Stack stack(2);
        const test::Folder folder;
        const ConvolveJob job = jobFor(stack, folder);
        const std::string text = job::toJobFile(job);
        QVERIFY(Json::parse(text).at("stream").get<bool>());
        QVERIFY(job::anyFromJobFile(text) == job::AnyJob(job));
        const test::Thrown thrown = test::thrownBy([] {
            (void)job::anyFromJobFile(
                R"({"command": "convolve", "scene": "a", "kernel": "box:3", "stream": "yes"})");
        });
        QVERIFY(thrown.code == base::ErrorCode::CommandLine);
        QVERIFY(thrown.sentence.find("true or false") != std::string::npos);
    }

    void whatAStreamHasNotIsRefused_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("code");
        QTest::newRow("TIFF") << "output"
                              << "result.tif" << 2;
        QTest::newRow("deep region") << "region"
                                     << "0,0,0:9,9,2" << 2;
        QTest::newRow("kernel with slices") << "kernel"
                                            << "volume.mha" << 4;
        QTest::newRow("no stack") << "scene"
                                  << "none.mha" << 3;
    }

    void whatAStreamHasNotIsRefused() {
        QFETCH(QString, option);
        QFETCH(QString, value);
        QFETCH(int, code);
        const Stack stack(4);
        const test::Folder folder;
        (void)io::writeImage(stack.path("volume.mha"),
                             base::viewOf(test::noise(base::PixelType::UInt8, {3, 3, 2}, 3)), {});
        const test::Thrown thrown = test::thrownBy([&] {
            const ConvolveJob job = jobFor(stack, folder);
            const std::string text = value.toStdString();
            io::writeText(stack.path("job.json"), job::toJobFile(job));
            const std::string given = option == "output"   ? folder.path(text).string()
                                      : option == "region" ? text
                                                           : stack.path(text).string();
            (void)job::run(
                job::parseArguments("convolve", {"--job", stack.path("job.json").string(),
                                                 "--" + option.toStdString(), given})
                    .job);
        });
        QCOMPARE(static_cast<int>(thrown.code), code);
        QVERIFY(folder.names().empty());
    }

    void aDamagedFrameIsNamedAndNothingIsWritten() {
        const Stack stack(4);
        std::filesystem::resize_file(stack.path("stack.mha"),
                                     std::filesystem::file_size(stack.path("stack.mha")) - 100);
        const test::Folder folder;
        const test::Thrown thrown =
            test::thrownBy([&] { (void)job::runConvolve(jobFor(stack, folder)); });
        QVERIFY(thrown.code == base::ErrorCode::Input);
        QVERIFY(folder.names().empty());
    }

    void cancellingLeavesNothing_data() {
        QTest::addColumn<int>("phase");
        QTest::addColumn<int>("turn");
        for (const int turn : {0, 1, 3}) {
            for (const Phase phase : {Phase::Read, Phase::Run, Phase::Write}) {
                QTest::addRow("%s frame %d", std::string(job::name(phase)).c_str(), turn)
                    << static_cast<int>(phase) << turn;
            }
        }
    }

    void cancellingLeavesNothing() {
        QFETCH(int, phase);
        QFETCH(int, turn);
        const Stack stack(4);
        const test::Folder folder;
        std::stop_source source;
        Turns turns;
        turns.onPhase = [&](Phase at, int now) {
            if (static_cast<int>(at) == phase && now == turn) {
                source.request_stop();
            }
        };
        const job::ConvolveResult result =
            job::runConvolve(jobFor(stack, folder), {}, source.get_token(), &turns);
        QVERIFY(source.stop_requested());
        QVERIFY(result.cancelled);
        QVERIFY(result.report.frames.empty());
        QCOMPARE(turns.turns, turn + 1);
        QVERIFY(folder.names().empty());
    }
};

const flcc::test::TestClass<JobConvolveStreamTest> kJobConvolveStreamTest;
#include "convolve_stream_test.moc"
