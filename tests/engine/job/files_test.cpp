#include <QtTest>

#include <QCryptographicHash>

#include <sys/inotify.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "engine/io/atomic_file.h"
#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "engine/job/listing.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;
using job::Job;

namespace {

/// A scene and a template as files of `folder`.
Job fileJob(const test::Folder& folder) {
    base::AnyImage scene = test::noise(PixelType::UInt16, {90, 80, 1}, 5);
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.5, 1};
    geometry.unit = "um";
    io::writeImage(folder.path("scene-in.mha"), base::viewOf(scene), geometry);
    io::writeImage(folder.path("templ-in.mha"),
                   base::viewOf(test::crop(scene, {{30, 20, 0}, {9, 8, 1}})), geometry);
    Job job;
    job.scene = folder.path("scene-in.mha");
    job.templates = {folder.path("templ-in.mha")};
    return job;
}

test::Thrown failureOf(const Job& job) {
    return test::thrownBy([&] { (void)job::runJob(job); });
}

std::string digestOf(const std::string& bytes) {
    return QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256)
        .toHex()
        .toStdString();
}

std::string sha256Of(const std::filesystem::path& path) { return digestOf(test::bytesOf(path)); }

const std::vector<std::string> kInputs{"scene-in.mha", "templ-in.mha"};

} // namespace

class JobFilesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void outputsHoldWhatTheResultHolds();
    void theSamePlanGivesTheSameBytes();
    void nothingIsWrittenWhenOneOutputCannotBe_data();
    void nothingIsWrittenWhenOneOutputCannotBe();
    void aFullDiskLeavesTheOldFiles();
    void anOutputNeverReplacesAnInput();
    void twoOutputsNeedTwoNames();
    void inputsThatCannotBeReadAreErrors();
    void colourIsTurnedToLuminanceAndSaidSo();
    void whatAFormatDropsIsSaid();
    void digestsAreThoseOfTheFiles();
    void theVoxelsBesideAHeaderHaveTheirDigest();
    void aDigestIsOfThePixelsThatWereRead_data();
    void aDigestIsOfThePixelsThatWereRead();
    void everyOutputIsStagedOnce();
    void samplesAreWrittenWithTheirTruth();
};

void JobFilesTest::outputsHoldWhatTheResultHolds() {
    const test::Folder folder;
    const Job job = test::withOutputs(fileJob(folder), folder);
    const job::JobResult result = job::runJob(job);
    QCOMPARE(folder.names(), (std::vector<std::string>{"heatmap.png", "map.mha", "peaks.csv",
                                                       "report.json", "scene-in.mha", "status.mha",
                                                       "templ-in.mha", "template.mha"}));
    const io::LoadedImage map = io::readImage(job.map);
    QVERIFY((map.info.extents == base::Extents{82, 73, 1}));
    QCOMPARE(map.info.pixel, PixelType::Float32);
    QCOMPARE(map.info.geometry.origin, (base::Point{4 * 0.5, 3.5 * 0.5, 0}));
    QCOMPARE(map.info.geometry.unit, std::string("um"));
    const auto& values = std::get<base::Image<float>>(map.components.front());
    QCOMPARE(std::memcmp(values.data(), result.map->value.data(), 82 * 73 * sizeof(float)), 0);
    const io::LoadedImage status = io::readImage(job.status);
    const auto& codes = std::get<base::Image<std::uint8_t>>(status.components.front());
    QCOMPARE(std::memcmp(codes.data(), result.map->status.data(), 82 * 73), 0);
    const io::LoadedImage templ = io::readImage(job.templateOut);
    QVERIFY((templ.info.extents == base::Extents{9, 8, 1}));
    const io::ImageInfo heatmap = io::readImageInfo(job.heatmap);
    QVERIFY((heatmap.extents == base::Extents{82, 73, 1}));
    QCOMPARE(heatmap.components, 3);
    const std::string peaks = test::bytesOf(job.peaks);
    QVERIFY(peaks.find("\n1,1,30,20,0,") != std::string::npos ||
            peaks.find("\n1,0.9999") != std::string::npos);
}

void JobFilesTest::theSamePlanGivesTheSameBytes() {
    const test::Folder folder;
    Job job = fileJob(folder);
    job.minScore = 0.1;
    job.method = "tiled";
    const auto outputs = [&](const std::string& prefix) {
        Job named = job;
        named.map = folder.path(prefix + "map.mha");
        named.status = folder.path(prefix + "status.mha");
        named.peaks = folder.path(prefix + "peaks.csv");
        named.report = folder.path(prefix + "report.json");
        const job::JobResult result = job::runJob(named);
        return std::vector<std::string>{test::bytesOf(named.map), test::bytesOf(named.status),
                                        test::bytesOf(named.peaks)};
    };
    const std::vector<std::string> first = outputs("a");
    job.planReport = folder.path("areport.json");
    job.method = "auto";
    QVERIFY(outputs("b") == first);
    QVERIFY(test::bytesOf(folder.path("breport.json")).find("replayed from a report") !=
            std::string::npos);
    QVERIFY(first[0].size() > 82 * 73 * 4);
}

void JobFilesTest::nothingIsWrittenWhenOneOutputCannotBe_data() {
    QTest::addColumn<QString>("output");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("code");
    const int format = static_cast<int>(ErrorCode::CommandLine);
    const int file = static_cast<int>(ErrorCode::Output);
    QTest::newRow("png cannot hold scores") << "map"
                                            << "map.png" << format;
    QTest::newRow("unknown image format") << "status"
                                          << "status.xyz" << format;
    QTest::newRow("no extension") << "map"
                                  << "map" << format;
    QTest::newRow("peaks") << "peaks"
                           << "peaks.txt" << format;
    QTest::newRow("report") << "report"
                            << "report.csv" << format;
    QTest::newRow("heatmap") << "heatmap"
                             << "heatmap.mha" << format;
    QTest::newRow("no folder") << "map"
                               << "none/map.mha" << file;
    QTest::newRow("no folder for the report") << "report"
                                              << "none/report.json" << file;
    QTest::newRow("a folder") << "peaks"
                              << "folder.csv" << file;
}

void JobFilesTest::nothingIsWrittenWhenOneOutputCannotBe() {
    QFETCH(QString, output);
    QFETCH(QString, name);
    QFETCH(int, code);
    const test::Folder folder;
    std::filesystem::create_directory(folder.path("folder.csv"));
    Job job = test::withOutputs(fileJob(folder), folder);
    const std::filesystem::path path = folder.path(name.toStdString());
    (output == "map"      ? job.map
     : output == "status" ? job.status
     : output == "peaks"  ? job.peaks
     : output == "report" ? job.report
                          : job.heatmap) = path;
    const test::Thrown thrown = failureOf(job);
    QCOMPARE(static_cast<int>(thrown.code), code);
    QVERIFY2(QString::fromStdString(thrown.sentence).contains(name), thrown.sentence.c_str());
    QCOMPARE(folder.names(),
             (std::vector<std::string>{"folder.csv", "scene-in.mha", "templ-in.mha"}));
}

void JobFilesTest::aFullDiskLeavesTheOldFiles() {
    // A limit on the size of files fails a write as a full disk does.
    const test::Folder folder;
    const Job job = test::withOutputs(fileJob(folder), folder);
    io::writeText(job.report, "old");
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{.rlim_cur = 10'000, .rlim_max = old.rlim_max};
    std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const test::Thrown thrown = failureOf(job);
    setrlimit(RLIMIT_FSIZE, &old);
    QCOMPARE(thrown.code, ErrorCode::Output);
    QCOMPARE(folder.names(),
             (std::vector<std::string>{"report.json", "scene-in.mha", "templ-in.mha"}));
    QCOMPARE(test::bytesOf(job.report), std::string("old"));
}

void JobFilesTest::anOutputNeverReplacesAnInput() {
    const test::Folder folder;
    Job job = fileJob(folder);
    const std::string before = test::bytesOf(job.scene);
    job.map = folder.path("./scene-in.mha");
    QCOMPARE(failureOf(job).code, ErrorCode::CommandLine);
    std::filesystem::create_symlink(job.templates.front(), folder.path("link.mha"));
    job.map = folder.path("link.mha");
    QCOMPARE(failureOf(job).code, ErrorCode::CommandLine);
    QCOMPARE(test::bytesOf(job.scene), before);
}

void JobFilesTest::twoOutputsNeedTwoNames() {
    const test::Folder folder;
    Job job = fileJob(folder);
    job.map = folder.path("out.mha");
    job.status = folder.path("./out.mha");
    QCOMPARE(failureOf(job).code, ErrorCode::CommandLine);
    QCOMPARE(folder.names(), kInputs);
}

void JobFilesTest::inputsThatCannotBeReadAreErrors() {
    const test::Folder folder;
    io::writeText(folder.path("empty.mha"), "");
    io::writeText(folder.path("text.png"), "no picture at all");
    const Job good = fileJob(folder);
    const std::string whole = test::bytesOf(good.scene);
    io::writeText(folder.path("cut.mha"), std::string_view(whole).substr(0, whole.size() / 2));
    for (const char* name : {"missing.mha", "empty.mha", "text.png", "cut.mha", "."}) {
        Job job = good;
        job.scene = folder.path(name);
        QVERIFY2(failureOf(job).code == ErrorCode::Input, name);
        job = good;
        job.templates = {folder.path(name)};
        QVERIFY2(failureOf(job).code == ErrorCode::Input, name);
    }
    Job job = good;
    job.planReport = folder.path("empty.mha");
    QCOMPARE(failureOf(job).code, ErrorCode::Input);
}

void JobFilesTest::colourIsTurnedToLuminanceAndSaidSo() {
    const test::Folder folder;
    // A picture of scores is an RGB picture.
    method::MatchMap scores({40, 30, 1});
    test::Random random(3);
    for (std::int64_t i = 0; i < scores.value.count(); ++i) {
        scores.value.data()[i] = static_cast<float>(random.uniform());
    }
    scores.status.fill(base::Status::Ok);
    io::writeHeatmap(folder.path("colour.png"), scores.value.view(), scores.status.view(), 0, {});
    Job job;
    job.scene = folder.path("colour.png");
    job.crops = {base::Box{{11, 12, 0}, {7, 6, 1}}};
    const job::JobResult result = job::runJob(job);
    QVERIFY((result.peaks.front().corner == base::Index{11, 12, 0}));
    QVERIFY(!result.notes.empty());
    QVERIFY2(result.notes.front().find("luminance") != std::string::npos,
             result.notes.front().c_str());
}

void JobFilesTest::whatAFormatDropsIsSaid() {
    const test::Folder folder;
    Job job = fileJob(folder);
    job.templateOut = folder.path("cut.png");
    const job::JobResult result = job::runJob(job);
    QCOMPARE(result.notes.size(), std::size_t{1});
    QVERIFY2(result.notes.front().starts_with("cut.png"), result.notes.front().c_str());
    QVERIFY2(result.notes.front().find("spacing") != std::string::npos,
             result.notes.front().c_str());
}

void JobFilesTest::digestsAreThoseOfTheFiles() {
    const test::Folder folder;
    const Job job = fileJob(folder);
    const job::JobResult result = job::runJob(job);
    QCOMPARE(result.report.inputs.size(), std::size_t{2});
    for (const job::InputReport& input : result.report.inputs) {
        QCOMPARE(input.sha256, sha256Of(input.path));
    }
}

void JobFilesTest::theVoxelsBesideAHeaderHaveTheirDigest() {
    const test::Folder folder;
    Job job = fileJob(folder);
    const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 30, 1}, 5);
    const auto& bytes = std::get<base::Image<std::uint8_t>>(scene);
    io::writeText(folder.path("scene.raw"),
                  {reinterpret_cast<const char*>(bytes.data()), std::size_t{1200}});
    io::writeText(folder.path("scene.mhd"), "ObjectType = Image\nNDims = 2\nDimSize = 40 30\n"
                                            "ElementType = MET_UCHAR\n"
                                            "ElementDataFile = scene.raw\n");
    job.scene = folder.path("scene.mhd");
    const job::JobReport report = job::runJob(job).report;
    const job::InputReport& input = report.inputs.front();
    QCOMPARE(input.sha256, sha256Of(folder.path("scene.mhd")));
    QVERIFY(input.dataFile.has_value());
    QCOMPARE(input.dataFile->path.string(), folder.path("scene.raw"));
    QCOMPARE(input.dataFile->sha256, sha256Of(folder.path("scene.raw")));
    QVERIFY(!report.inputs.back().dataFile);
    for (const std::string& text : {job::toText(report), job::toJson(report)}) {
        QVERIFY2(text.find(input.dataFile->sha256) != std::string::npos, text.c_str());
    }
}

void JobFilesTest::aDigestIsOfThePixelsThatWereRead_data() {
    QTest::addColumn<bool>("replaced");
    QTest::newRow("written over") << false;
    QTest::newRow("replaced") << true;
}

/// Another program writes two images in turn while one is read.
void JobFilesTest::aDigestIsOfThePixelsThatWereRead() {
    QFETCH(bool, replaced);
    const test::Folder folder;
    std::array<std::string, 2> bytes;
    for (std::size_t i = 0; i < 2; ++i) {
        base::Image<std::uint8_t> image({1000, 1000, 1});
        std::fill_n(image.data(), image.count(), static_cast<std::uint8_t>(i));
        const std::string path = folder.path(i == 0 ? "0.mha" : "1.mha");
        io::writeImage(path, base::AnyView(image.view()), {});
        bytes[i] = test::bytesOf(path);
    }
    const std::string header = bytes[0].substr(0, bytes[0].size() - 1'000'000);
    const std::string path = folder.path("scene.mha");
    io::writeText(path, bytes[0]);
    const std::jthread writer([&](const std::stop_token& stop) {
        for (std::size_t turn = 1; !stop.stop_requested(); ++turn) {
            if (replaced) {
                std::ofstream(folder.path("new.mha"), std::ios::binary) << bytes[turn % 2];
                std::filesystem::rename(folder.path("new.mha"), path);
            } else {
                std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
                    << bytes[turn % 2];
            }
            const std::size_t pause = (test::kSanitized ? 10 : 1) * (13 * turn % 80);
            std::this_thread::sleep_for(std::chrono::milliseconds(pause));
        }
    });
    int whole = 0;
    const QDeadlineTimer last(60'000); // a busy machine may read slowly
    for (const QDeadlineTimer end(2000); !end.hasExpired() || (whole == 0 && !last.hasExpired());) {
        try {
            const auto scene = job::loadImage(path, {}, {});
            const auto& pixels = std::get<base::Image<std::uint8_t>>(scene->pixels);
            // Half of one and half of the other would be what was read, too.
            const std::string read(reinterpret_cast<const char*>(pixels.data()), 1'000'000);
            QCOMPARE(scene->sha256, digestOf(header + read));
            ++whole;
        } catch (const base::Error& error) {
            QCOMPARE(error.code(), ErrorCode::Input);
            QVERIFY2(std::string(error.what()).find("changed while it was read") !=
                         std::string::npos,
                     error.what());
        }
    }
    qInfo("%d readings met no change", whole);
    QVERIFY(whole > 0);
}

void JobFilesTest::everyOutputIsStagedOnce() {
    const test::Folder folder;
    const Job job = test::withOutputs(fileJob(folder), folder);
    const int events = ::inotify_init1(IN_NONBLOCK);
    QVERIFY(::inotify_add_watch(events, folder.path("").c_str(), IN_CREATE | IN_MOVED_TO) >= 0);
    (void)job::runJob(job);
    alignas(inotify_event) std::array<char, 16384> buffer{};
    const ssize_t got = ::read(events, buffer.data(), buffer.size());
    ::close(events);
    int made = 0;
    int renamed = 0;
    for (ssize_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        made += (event->mask & IN_CREATE) != 0 ? 1 : 0;
        renamed += (event->mask & IN_MOVED_TO) != 0 ? 1 : 0;
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    QCOMPARE(made, 6); // map, status, peaks, report, heatmap and template
    // A file without a name is not renamed; others are where the file system has no such files.
    QVERIFY2(renamed == 0 || renamed == 6, qPrintable(QString::number(renamed)));
}

void JobFilesTest::samplesAreWrittenWithTheirTruth() {
    const test::Folder folder;
    const auto files = job::writeSample("tiny", folder.path("a/b"));
    QCOMPARE(files.size(), std::size_t{3});
    Job job;
    job.scene = files[0];
    job.templates = {files[1]};
    const std::vector<match::Peak> peaks = job::runJob(job).peaks;
    const QStringList truth = QString::fromStdString(test::bytesOf(files[2])).split('\n');
    QCOMPARE(truth.front(), QString("x,y,z,cx,cy,cz,template"));
    QCOMPARE(static_cast<std::size_t>(truth.size()), peaks.size() + 2);
    QStringList corners;
    for (const match::Peak& peak : peaks) {
        corners << QString("%1,%2,%3,").arg(peak.corner.x).arg(peak.corner.y).arg(peak.corner.z);
    }
    for (const QString& line : truth.mid(1, truth.size() - 2)) {
        QVERIFY2(std::any_of(corners.begin(), corners.end(),
                             [&](const QString& corner) { return line.startsWith(corner); }),
                 qPrintable(line));
    }
    QCOMPARE(test::thrownBy([&] { (void)job::writeSample("none", folder.path("c")); }).code,
             ErrorCode::CommandLine);
    io::writeText(folder.path("file"), "");
    QCOMPARE(test::thrownBy([&] { (void)job::writeSample("tiny", folder.path("file")); }).code,
             ErrorCode::Output);
}

const flcc::test::TestClass<JobFilesTest> kJobFilesTest;
#include "files_test.moc"
