#include <QtTest>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "engine/base/log.h"
#include "engine/io/atomic_file.h"
#include "engine/io/drawing.h"
#include "engine/job/benchmark.h"
#include "engine/job/knowledge.h"
#include "engine/job/report.h"
#include "engine/plan/planner.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
namespace fs = std::filesystem;

namespace {

/// A cache of this test alone.
class OwnCache {
  public:
    OwnCache() { qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8()); }
    [[nodiscard]] fs::path path() const { return m_folder.path().toStdString(); }

  private:
    QTemporaryDir m_folder;
};

/// Counts the lines of the log.
class LogLines {
  public:
    LogLines() {
        base::setLogListener(
            [this](base::LogLevel, std::string_view line) { lines.emplace_back(line); });
    }
    ~LogLines() { base::setLogListener({}); }
    LogLines(const LogLines&) = delete;
    LogLines& operator=(const LogLines&) = delete;

    std::vector<std::string> lines;
};

void learn(double rate) {
    QVERIFY(job::updateKnowledge([&](plan::Knowledge& now) {
        now.model = method::CostModel{};
        now.model->multiplyAddsPerNs = rate;
        now.model->calibrated = true;
    }));
}

void writeBytes(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

job::JobImages noiseImages(const base::Extents& scene, const base::Extents& templ) {
    base::AnyImage image = test::noise(base::PixelType::Float32, scene, 5);
    base::AnyImage cut = test::crop(image, {{3, 2, 0}, templ});
    return test::imagesOf(std::move(image), std::move(cut));
}

/// A job whose method has one candidate: its choice does not depend on times.
job::Job oneCandidate() {
    job::Job job;
    job.method = "direct";
    job.device = "cpu";
    job.tile = {64, 64, 1};
    job.threads = 1;
    return job;
}

/// Puts a time of the plan's chosen candidate into the file, as a busy moment leaves it there.
void plantTime(const plan::PlanReport& report, double ms) {
    const method::Problem& problem = report.problem;
    plan::KnownProblem wrong{plan::problemKey(problem, report.limits, "measure", "direct", "cpu",
                                              {64, 64, 1}, &report.statistics),
                             {{report.chosen()->candidate, ms}},
                             1'700'000'000};
    QVERIFY(job::updateKnowledge([&](plan::Knowledge& now) { now.remember(wrong); }));
}

} // namespace

class JobKnowledgeTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void whatIsLearntIsThereAgain();
    void aDamagedFileIsAMiss_data();
    void aDamagedFileIsAMiss();
    void everyFlippedBitIsNoticed();
    void aLinkIsNotFollowed();
    void whatIsNoFileIsAMiss();
    void aHugeFileIsNotRead();
    void withoutAHomeNothingIsKept();
    void aFolderThatCannotBeMadeIsNoError();
    void processesAtOnceLoseNothing();
    void aProblemSeenBeforeIsNotTimedAgain();
    void aRunCorrectsARememberedTime();
    void aRunOfPosesCorrectsARememberedTime();
    void flatPartsAreAnotherProblem();
    void planningAloneWritesNothing();
    void whatCannotBeKeptStaysInMemory();
    void aStoppedCalibrationKeepsNothing();
    void aCalibrationIsKeptAndNamed();
    void plansThatFftwSearchedForAreKept();
    void theCrossoverMapIsWhatThePlannerChooses();
    void theCrossoverPictureShowsItsMaps();
};

void JobKnowledgeTest::whatIsLearntIsThereAgain() {
    const OwnCache cache;
    QVERIFY(!job::knowledge()->model);
    learn(12.5);
    const auto known = job::knowledge();
    QVERIFY(known->model.has_value());
    QCOMPARE(known->model->multiplyAddsPerNs, 12.5);
    QVERIFY(known->model->calibrated);
    QVERIFY(job::knowledgeFile().string().starts_with(cache.path().string()));
    QVERIFY(job::knowledge() == known); // not read again
    fs::remove(job::knowledgeFile());
    QVERIFY(!job::knowledge()->model);
}

void JobKnowledgeTest::aDamagedFileIsAMiss_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("empty") << 0;
    QTest::newRow("one byte") << 1;
    QTest::newRow("only the head") << 2;
    QTest::newRow("cut in the middle") << 3;
    QTest::newRow("one byte short") << 4;
    QTest::newRow("one byte long") << 5;
    QTest::newRow("foreign") << 6;
    QTest::newRow("of another machine") << 7;
    QTest::newRow("of another version") << 8;
    QTest::newRow("zeros") << 9;
}

void JobKnowledgeTest::aDamagedFileIsAMiss() {
    QFETCH(int, kind);
    const OwnCache cache;
    learn(12.5);
    const fs::path file = job::knowledgeFile();
    const std::string good = test::bytesOf(file);
    const std::size_t head = good.find('\n') + 1;
    // Whole and with a digest that fits, but of a machine with another name.
    std::string body = good.substr(head);
    body.replace(body.find(" threads"), 8, " Threads");
    const QByteArray digest =
        QCryptographicHash::hash(QByteArray::fromStdString(body), QCryptographicHash::Sha256);
    const std::string other =
        good.substr(0, head - 65) + digest.toHex().toStdString() + "\n" + body;
    std::string newer = good;
    newer.replace(newer.find("knowledge 1"), 11, "knowledge 2");
    const std::vector<std::string> contents{"",
                                            good.substr(0, 1),
                                            good.substr(0, head),
                                            good.substr(0, good.size() / 2),
                                            good.substr(0, good.size() - 1),
                                            good + "x",
                                            "PNG and so on, no knowledge at all",
                                            other,
                                            newer,
                                            std::string(good.size(), '\0')};
    writeBytes(file, contents[static_cast<std::size_t>(kind)]);
    const LogLines log;
    QVERIFY(!job::knowledge()->model);
    QVERIFY(!job::knowledge()->model);
    QCOMPARE(log.lines.size(), std::size_t{1}); // once, not at every job
    QVERIFY(log.lines[0].find(file.string()) != std::string::npos);
    learn(13.5);
    QCOMPARE(job::knowledge()->model->multiplyAddsPerNs, 13.5);
}

void JobKnowledgeTest::everyFlippedBitIsNoticed() {
    const OwnCache cache;
    learn(12.5);
    const fs::path file = job::knowledgeFile();
    const std::string good = test::bytesOf(file);
    base::setLogLevel(base::LogLevel::Error);
    for (std::size_t at = 0; at < good.size(); at += at < 200 ? 1 : 37) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
        fs::remove(file); // a new file, so that no date hides the change
        writeBytes(file, bad);
        QVERIFY2(!job::knowledge()->model, qPrintable(QString::number(at)));
    }
    base::setLogLevel(base::LogLevel::Warning);
}

void JobKnowledgeTest::aLinkIsNotFollowed() {
    const OwnCache cache;
    learn(12.5);
    const fs::path file = job::knowledgeFile();
    const fs::path elsewhere = cache.path() / "elsewhere";
    fs::rename(file, elsewhere);
    const std::string before = test::bytesOf(elsewhere);
    fs::create_symlink(elsewhere, file);
    {
        const LogLines log;
        QVERIFY(!job::knowledge()->model);
        QCOMPARE(log.lines.size(), std::size_t{1});
    }
    learn(14.5);
    QVERIFY(test::bytesOf(elsewhere) == before); // what it led to is as it was
    QVERIFY(!fs::is_symlink(file));
    QCOMPARE(job::knowledge()->model->multiplyAddsPerNs, 14.5);
}

void JobKnowledgeTest::whatIsNoFileIsAMiss() {
    const OwnCache cache;
    learn(12.5);
    const fs::path file = job::knowledgeFile();
    fs::remove(file);
    QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    {
        const LogLines log;
        QVERIFY(!job::knowledge()->model); // and does not wait for a writer
        QCOMPARE(log.lines.size(), std::size_t{1});
    }
    fs::remove(file);
    fs::create_directory(file);
    QVERIFY(!job::knowledge()->model);
    fs::remove(file);
    learn(12.5);
    if (::geteuid() != 0) {
        fs::permissions(file, fs::perms::none);
        QVERIFY(!job::knowledge()->model);
    }
}

void JobKnowledgeTest::aHugeFileIsNotRead() {
    const OwnCache cache;
    learn(12.5);
    fs::resize_file(job::knowledgeFile(), std::uintmax_t{1} << 40U);
    const LogLines log;
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!job::knowledge()->model);
    QVERIFY(timer.elapsed() < 1000);
    QCOMPARE(log.lines.size(), std::size_t{1});
}

void JobKnowledgeTest::withoutAHomeNothingIsKept() {
    const QByteArray home = qgetenv("HOME");
    qunsetenv("XDG_CACHE_HOME");
    qunsetenv("HOME");
    const LogLines log;
    QVERIFY(job::knowledgeFile().empty());
    QVERIFY(!job::knowledge()->model);
    QVERIFY(!job::updateKnowledge([](plan::Knowledge&) {}));
    QVERIFY(log.lines.empty());
    qputenv("HOME", "/somewhere");
    QVERIFY(job::knowledgeFile().string().starts_with("/somewhere/.cache/flcc/"));
    qputenv("XDG_CACHE_HOME", "not/absolute");
    QVERIFY(job::knowledgeFile().string().starts_with("/somewhere/.cache/flcc/"));
    qputenv("HOME", home);
}

void JobKnowledgeTest::aFolderThatCannotBeMadeIsNoError() {
    qputenv("XDG_CACHE_HOME", "/dev/null/cache");
    QVERIFY(!job::knowledge()->model);
    QVERIFY(!job::updateKnowledge([](plan::Knowledge&) {}));
}

void JobKnowledgeTest::processesAtOnceLoseNothing() {
    const OwnCache cache;
    constexpr int kProcesses = 16;
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const bool kept = job::updateKnowledge([&](plan::Knowledge& now) {
                now.remember({"problem " + std::to_string(i), {{{"direct"}, 1.0 + i}}});
            });
            ::_exit(kept ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }
    const auto known = job::knowledge();
    QCOMPARE(known->problems.size(), static_cast<std::size_t>(kProcesses));
    for (int i = 0; i < kProcesses; ++i) {
        QVERIFY(known->find("problem " + std::to_string(i)) != nullptr);
    }
    // Nothing is left lying about.
    std::set<fs::path> names;
    for (const auto& entry : fs::directory_iterator(job::knowledgeFile().parent_path())) {
        names.insert(entry.path().filename());
    }
    QVERIFY((names == std::set<fs::path>{"lock", job::knowledgeFile().filename()}));
}

void JobKnowledgeTest::aProblemSeenBeforeIsNotTimedAgain() {
    const OwnCache cache;
    const job::JobImages images = noiseImages({400, 300, 1}, {12, 12, 1});
    const plan::PlanReport first = job::planJob({}, images).plan;
    QVERIFY(!first.known);
    const plan::PlanReport again = job::planJob({}, images).plan;
    QVERIFY(again.known);
    QVERIFY(again.chosen()->candidate == first.chosen()->candidate);
    QCOMPARE(*again.chosen()->measuredMs, *first.chosen()->measuredMs);
    QVERIFY(again.chosen()->reason.find(plan::toText(again.times)) != std::string::npos);
    QVERIFY(again.times.remembered && !first.times.remembered);
    // Another size, method or number of threads is another problem.
    QVERIFY(!job::planJob({}, noiseImages({400, 301, 1}, {12, 12, 1})).plan.known);
    job::Job forced;
    forced.method = "tiled";
    QVERIFY(!job::planJob(forced, images).plan.known);
    job::Job narrow;
    narrow.threads = 1;
    QVERIFY(!job::planJob(narrow, images).plan.known);
    // What does not fit any more is refused all the same.
    job::Job tight;
    tight.memoryBytes = first.chosen()->prediction->hostBytes - 1;
    const plan::PlanReport refused = job::planJob(tight, images).plan;
    QVERIFY(refused.chosen() == nullptr ||
            !(refused.chosen()->candidate == first.chosen()->candidate));
}

void JobKnowledgeTest::aRunCorrectsARememberedTime() {
    const OwnCache cache;
    const job::JobImages images = noiseImages({200, 150, 1}, {12, 12, 1});
    constexpr double kWrong = 22e3;
    plantTime(job::planJob(oneCandidate(), images).plan, kWrong);
    const plan::PlanReport wrong = job::planJob(oneCandidate(), images).plan;
    QCOMPARE(*wrong.chosen()->expectedMs(), kWrong);
    QCOMPARE(plan::toText(wrong.times),
             std::string("timed on a sample of the scene on 2023-11-14"));
    const auto json = nlohmann::json::parse(job::toJson(job::planJob(oneCandidate(), images)));
    QCOMPARE(json["times"]["date"].get<std::string>(), std::string("2023-11-14"));
    QCOMPARE(json["times"]["from"].get<std::string>(), std::string("sample"));
    const job::JobReport ran = job::runJob(oneCandidate(), images).report;
    const plan::PlanReport right = job::planJob(oneCandidate(), images).plan;
    QCOMPARE(*right.chosen()->expectedMs(), ran.run->executeMs.median);
    QVERIFY(right.known && right.times.kind == plan::TimesFrom::Kind::Run);
    // A plan that times again forgets it. One candidate alone is not timed: the model predicts it.
    job::Job again = oneCandidate();
    again.timeAgain = true;
    const plan::PlanReport anew = job::planJob(again, images).plan;
    QVERIFY(!anew.known && anew.times.kind == plan::TimesFrom::Kind::Model);
}

void JobKnowledgeTest::aRunOfPosesCorrectsARememberedTime() {
    const OwnCache cache;
    const job::JobImages images = noiseImages({100, 80, 1}, {12, 12, 1});
    job::Job job = oneCandidate();
    job.method = "tiled";
    job.poses.rotations = "45";
    const double timed = *job::planJob(job, images).poses->predictedMs;
    QVERIFY(job::keepLearnt());
    QVERIFY(job::updateKnowledge([&](plan::Knowledge& now) {
        for (plan::KnownProblem& problem : now.problems) {
            for (plan::Timing& timing : problem.timings) {
                timing.ms *= 1000;
            }
        }
    }));
    // Only what is not in memory comes from the file, as for the next program.
    QVERIFY(*job::planJob(job, images).poses->predictedMs > 900 * timed);
    const job::JobReport ran = job::runJob(job, images).report;
    const job::JobReport right = job::planJob(job, images);
    const double off = *right.poses->predictedMs / ran.run->executeMs.median;
    QVERIFY2(std::abs(off - 1) < 1e-5, qPrintable(QString::number(off)));
    QVERIFY(right.plan.times.kind == plan::TimesFrom::Kind::Run);
}

void JobKnowledgeTest::flatPartsAreAnotherProblem() {
    const OwnCache cache;
    job::JobImages images = noiseImages({200, 150, 1}, {12, 12, 1});
    QVERIFY(!job::planJob({}, images).plan.known);
    QVERIFY(job::planJob({}, images).plan.known);
    base::AnyImage pixels = test::noise(base::PixelType::Float32, {200, 150, 1}, 5);
    base::AnyImage templ = test::crop(pixels, {{3, 2, 0}, {12, 12, 1}});
    auto& half = std::get<base::Image<float>>(pixels);
    std::fill_n(half.data() + half.count() / 2, half.count() / 2, 0.0F);
    images = test::imagesOf(std::move(pixels), std::move(templ));
    QVERIFY(!job::planJob({}, images).plan.known);
    QVERIFY(job::planJob({}, images).plan.known);
}

void JobKnowledgeTest::planningAloneWritesNothing() {
    const OwnCache cache;
    const job::JobImages images = noiseImages({410, 300, 1}, {12, 12, 1});
    QVERIFY(!job::planJob({}, images).plan.known);
    QVERIFY(!fs::exists(job::knowledgeFile().parent_path()));
    QVERIFY(job::planJob({}, images).plan.known); // from memory
    const job::JobReport report = job::runJob({}, images).report;
    QVERIFY(report.plan.known);
    QVERIFY(fs::exists(job::knowledgeFile()));
    const auto inFile = plan::knowledgeFromText([] {
        const std::string bytes = test::bytesOf(job::knowledgeFile());
        return bytes.substr(bytes.find('\0') + 1);
    }());
    QVERIFY(inFile.has_value());
    QCOMPARE(inFile->problems.size(), std::size_t{1});
    const fs::file_time_type written = fs::last_write_time(job::knowledgeFile());
    QVERIFY(job::keepLearnt()); // nothing is left to be written
    QCOMPARE(fs::last_write_time(job::knowledgeFile()), written);
}

void JobKnowledgeTest::whatCannotBeKeptStaysInMemory() {
    const OwnCache cache;
    const fs::path folder = job::knowledgeFile().parent_path();
    writeBytes(folder, "a file where the folder should be");
    job::learn({"a problem", {{{"direct"}, 1.0}}}, false);
    {
        const LogLines log;
        base::setLogLevel(base::LogLevel::Info);
        QVERIFY(!job::keepLearnt());
        base::setLogLevel(base::LogLevel::Warning);
        QCOMPARE(log.lines.size(), std::size_t{1});
    }
    QVERIFY(job::knowledge()->find("a problem") != nullptr);
    fs::remove(folder);
    QVERIFY(job::keepLearnt());
    QVERIFY(fs::exists(job::knowledgeFile()));
    QVERIFY(job::knowledge()->find("a problem") != nullptr);
}

void JobKnowledgeTest::aStoppedCalibrationKeepsNothing() {
    const OwnCache cache;
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(job::calibrate(1, 10, stop.get_token()).cancelled);
    QVERIFY(!fs::exists(job::knowledgeFile()));
}

void JobKnowledgeTest::aCalibrationIsKeptAndNamed() {
    if (qEnvironmentVariableIsSet("ASAN_OPTIONS") || qEnvironmentVariableIsSet("TSAN_OPTIONS")) {
        QSKIP("under a sanitizer the measurements alone take minutes");
    }
    const OwnCache cache;
    const job::JobImages images = noiseImages({400, 300, 1}, {40, 40, 1});
    QVERIFY(!job::planJob({}, images).plan.calibrated);
    std::vector<double> shares;
    const job::Calibrated calibrated =
        job::calibrate(0, 4, {}, [&](std::string_view doing, double share) {
            QVERIFY(!doing.empty());
            shares.push_back(share);
        });
    QVERIFY(!calibrated.cancelled);
    QCOMPARE(calibrated.file, job::knowledgeFile());
    QVERIFY(std::is_sorted(shares.begin(), shares.end()) && shares.back() <= 1);
    const auto known = job::knowledge();
    QVERIFY(known->model->calibrated);
    QVERIFY(!known->model->shapeTimes.empty());
    QVERIFY(known->problems.empty()); // the time of the plan above went with the old model
    for (const auto& constant : method::CostModel::constants()) {
        QVERIFY2((*known->model).*constant.value >= 0, constant.name.data());
    }
    job::Job job;
    job.method = "tiled";
    const job::JobReport report = job::runJob(job, images).report;
    QVERIFY(report.plan.calibrated);
    QCOMPARE(report.plan.chosen()->prediction->fftPlanning, std::string("own"));
}

// Lengths with a factor of 13 are FFTW's.
void JobKnowledgeTest::plansThatFftwSearchedForAreKept() {
    const OwnCache cache;
    const job::JobImages images = noiseImages({60, 50, 1}, {9, 8, 1});
    job::Job job;
    job.method = "tiled";
    job.tile = {26, 26, 1};
    const auto planningOf = [&](plan::Planning planning) {
        job.planning = planning;
        return job::runJob(job, images).report.plan.chosen()->prediction->fftPlanning;
    };
    QCOMPARE(planningOf(plan::Planning::Estimate), std::string("estimate"));
    QVERIFY(job::knowledge()->wisdomSingle.find("fftwf") == std::string::npos);
    QCOMPARE(planningOf(plan::Planning::Exhaustive), std::string("patient"));
    QVERIFY(job::knowledge()->wisdomSingle.find("fftwf") != std::string::npos);
    QCOMPARE(planningOf(plan::Planning::Estimate), std::string("patient"));
}

void JobKnowledgeTest::theCrossoverMapIsWhatThePlannerChooses() {
    const OwnCache cache;
    const job::Crossover map = job::crossovers({.threads = 1}).front();
    QCOMPARE(map.scenes.front(), std::int64_t{32});
    QCOMPARE(map.scenes.back(), std::int64_t{4096});
    QCOMPARE(map.templates.front(), std::int64_t{2});
    QCOMPARE(map.templates.back(), std::int64_t{256});
    base::TilePool pool(1);
    for (std::size_t row = 0; row < map.scenes.size(); row += 7) {
        for (std::size_t column = 0; column < map.templates.size(); column += 5) {
            method::Problem problem;
            problem.scene = {map.scenes[row], map.scenes[row], 1};
            problem.templ = {map.templates[column], map.templates[column], 1};
            const int chosen = map.chosen[row][column];
            QCOMPARE(chosen<0, problem.templ.x> problem.scene.x);
            if (chosen >= 0) {
                plan::Request request;
                request.planning = plan::Planning::Estimate;
                const plan::Planned planned =
                    plan::makePlan(problem, request, nullptr, nullptr, nullptr, pool);
                QCOMPARE(map.methods[static_cast<std::size_t>(chosen)],
                         planned.plan->candidate().method);
            }
        }
    }
}

void JobKnowledgeTest::theCrossoverPictureShowsItsMaps() {
    const auto mapOf = [](bool stream, int method) {
        return job::Crossover{false,
                              stream,
                              {64, 128},
                              {2, 4, 8},
                              {"direct", "tiled"},
                              {{method, method, -1}, {method, method, method}}};
    };
    const io::Drawing drawing = job::drawingOf(std::vector{mapOf(false, 0), mapOf(true, 1)});
    // One grey for each method, in its cells and in the legend. The largest scene is on top.
    std::vector<match::Colour> greys;
    std::vector<match::Colour> legend;
    for (const io::DrawnItem& item : drawing.items) {
        if (const auto* cells = std::get_if<io::DrawnImage>(&item)) {
            QVERIFY(cells->columns == 3 && cells->rows == 2);
            const match::Colour grey = cells->pixels[0];
            greys.push_back(grey);
            QVERIFY((cells->pixels == std::vector{grey, grey, grey, grey, grey, io::kWhite}));
        } else if (const auto* box = std::get_if<io::DrawnPath>(&item); box && box->fill) {
            legend.push_back(*box->fill);
        }
    }
    QVERIFY(greys.size() == 2 && greys[0] != greys[1] && greys[0] != io::kWhite);
    QVERIFY(legend == greys);
    const test::Folder folder;
    job::writeCrossover(folder.path("map.png"), {.threads = 1, .quick = true});
    QVERIFY(base::extentsOf(job::loadImage(folder.path("map.png"), {}, {})->pixels).x > 200);
    QVERIFY(test::thrownBy([&] { job::writeCrossover(folder.path("map.jpg"), {}); }).code ==
            base::ErrorCode::CommandLine);
}

const flcc::test::TestClass<JobKnowledgeTest> kJobKnowledgeTest;
#include "knowledge_test.moc"
