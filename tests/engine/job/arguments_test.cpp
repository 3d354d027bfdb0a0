#include <QFile>
#include <QtTest>

#include <algorithm>
#include <clocale>

#include "engine/io/atomic_file.h"
#include "engine/job/any_job.h"
#include "engine/job/command_line.h"
#include "engine/job/input/inputs.h"
#include "engine/job/peak_lists.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using job::Job;
using Arguments = std::vector<std::string>;

namespace {

/// A job in which every member differs from its default but the plan report, which excludes others.
Job fullJob() {
    Job job;
    job.scene = "a scene.mha";
    job.furtherScenes = {"-next.mha", "last scene.mha"};
    job.templates = {"-leading/dash.mha", "-second.mha", "third one.mha"};
    job.templateOut = "out.mha";
    job.invert = true;
    job.masks = {"support.mha", "-b.mha", "c.mha"};
    job.sceneMask = "scene support.mha";
    job.poses = {"-30:30:5", "0.9,1.1", true, "C2", true};
    job.extent = method::Extent::Full;
    job.outside = method::Outside::Eibl;
    job.minOverlap = 0.625;
    job.statistics = method::WindowStatistics::Fourier;
    job.partialPeaks = true;
    job.channel = 2;
    job.frame = 0;
    job.stream = true;
    job.region = base::Box{{1, 2, 3}, {40, 50, 60}};
    job.precision = method::Precision::Double;
    job.promise = 2.5e-7;
    job.recompute = false;
    job.audit = job::Audit::On;
    job.method = "tiled";
    job.tile = {128, 64, 32};
    job.transforms = method::Transforms::Fftw;
    job.device = "cuda:1";
    job.threads = 3;
    job.memoryBytes = 123456789;
    job.planning = plan::Planning::Estimate;
    job.repeat = 5;
    job.minScore = -0.125;
    job.maxPeaks = 7;
    job.minDistance = 2.75;
    job.map = "it's.mha";
    job.status = "status\nline.mha";
    job.index = "index.mha";
    job.peaks = "\xc3\xa4.csv";
    job.report = "r.json";
    job.heatmap = "h.png";
    job.slice = 4;
    return job;
}

Job parsed(const Arguments& args) { return test::matchOf(args); }

ErrorCode codeOf(const Arguments& args) {
    return test::thrownBy([&] { (void)job::parseArguments("match", args); }).code;
}

} // namespace

class JobArgumentsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyWayOfPlanningHasAName();
    void argumentsReadBackToTheSameJob();
    void theJobFileReadsBackToTheSameJob();
    void distancesHaveUnits();
    void numbersDoNotDependOnTheLocale();
    void onlyWhatDiffersFromTheDefaultIsWritten();
    void aPlanReportExcludesWhatItDecides();
    void theCommandLineIsQuotedForAShell();
    void plainArgumentsAreSceneAndTemplate();
    void whatIsWrongIsNamed_data();
    void whatIsWrongIsNamed();
    void outOfRangeValuesAreRefused_data();
    void outOfRangeValuesAreRefused();
    void theCommandLineReplacesTheJobFile();
    void badJobFilesAreRefused_data();
    void badJobFilesAreRefused();
    void aJobFileHasALargestSize();
    void boxesAreRead();
    void tilesAreRead();
    void sizesAreRead();
    void everyOptionIsInTheHelp();
    void judgedPeaksAreChosenByDecision();
};

void JobArgumentsTest::argumentsReadBackToTheSameJob() {
    QVERIFY(parsed(job::toArguments(fullJob())).minDistance == fullJob().minDistance);
    QVERIFY(parsed(job::toArguments(fullJob())) == fullJob());
    Job expected = fullJob();
    expected.furtherScenes.clear(); // then the template is a plain argument
    Job plain = expected;
    expected.templates[0] = "./-leading/dash.mha"; // so that it is not taken for an option
    QVERIFY(parsed(job::toArguments(plain)) == expected);
    Job crop;
    crop.scene = "s.png";
    crop.crops = {base::Box{{3, 4, 5}, {6, 7, 8}}};
    QVERIFY(parsed(job::toArguments(crop)) == crop);
    crop.crops.push_back({{0, 1, 2}, {3, 4, 5}});
    crop.templates = {"t.mha", "u.mha"};
    QVERIFY(parsed(job::toArguments(crop)) == crop);
    QVERIFY(parsed(job::toArguments(Job{})) == Job{});
}

void JobArgumentsTest::theJobFileReadsBackToTheSameJob() {
    QVERIFY(job::fromJobFile(job::toJobFile(fullJob())) == fullJob());
    QVERIFY(job::fromJobFile(job::toJobFile(Job{})) == Job{});
    QVERIFY(job::fromJobFile(R"({"min-distance": "auto", "invert": false})") == Job{});
    // One template is a text, as before there were several.
    Job one;
    one.scene = "s.mha";
    one.templates = {"t.mha"};
    QVERIFY(job::fromJobFile(R"({"scene": "s.mha", "template": "t.mha"})") == one);
    QVERIFY(job::fromJobFile(R"({"scene": "s.mha", "template": ["t.mha"]})") == one);
    QVERIFY(job::toJobFile(one).find(R"("template": "t.mha")") != std::string::npos);
    QVERIFY(job::toJobFile(one).find(R"("scene": "s.mha")") != std::string::npos);
    one.furtherScenes = {"u.mha"};
    QVERIFY(job::fromJobFile(R"({"scene": ["s.mha", "u.mha"], "template": "t.mha"})") == one);
    QVERIFY(job::fromJobFile(job::toJobFile(one)) == one);
    Job cut;
    cut.crops = {base::Box{{1, 2, 0}, {3, 4, 1}}};
    cut.templates = {"t.mha", "u.mha"};
    QVERIFY(job::fromJobFile(R"({"crop": "1,2:3,4", "template": ["t.mha", "u.mha"]})") == cut);
}

void JobArgumentsTest::distancesHaveUnits() {
    const Job job = parsed({"s", "t", "--min-distance", "0.6cm", "--ignore-directions"});
    QCOMPARE(job.minDistance.value_or(0), 0.6);
    QCOMPARE(job.distanceUnit, std::string("cm"));
    QVERIFY(job.ignoreDirections);
    QVERIFY(parsed(job::toArguments(job)) == job);
    QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    QVERIFY(parsed({"s", "t", "--min-distance", "6"}).distanceUnit.empty());
    for (const char* text : {"6parsec", "cm", "6 cm", "-6cm"}) {
        QVERIFY2(codeOf({"s", std::string("--min-distance=") + text}) == ErrorCode::CommandLine,
                 text);
    }
    // Voxels of 3 x 2 x 1 mm, whose third edge counts in volumes alone.
    base::Geometry geometry;
    geometry.spacing = {3, 2, 1};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    const auto near = [](const std::optional<double>& value, double right) {
        return value && std::abs(*value - right) < 1e-12;
    };
    QVERIFY(near(job::detail::minDistanceOf(job, geometry, true), 6));
    QVERIFY(near(job::detail::minDistanceOf(job, geometry, false), 3));
    const match::PeakOptions options = job::detail::peakOptions(job, geometry, true);
    QVERIFY((options.edges == base::Point{3, 2, 1}) && near(options.minDistance, 6));
    geometry.unitSource = base::UnitSource::Missing;
    QVERIFY_EXCEPTION_THROWN((void)job::detail::minDistanceOf(job, geometry, true), base::Error);
}

void JobArgumentsTest::numbersDoNotDependOnTheLocale() {
    const bool set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    const Job fromArguments = parsed({"s", "t", "--min-score", "0.25"});
    const Job back = job::fromJobFile(job::toJobFile(fullJob()));
    std::setlocale(LC_ALL, "C");
    QCOMPARE(fromArguments.minScore, 0.25);
    QVERIFY(back == fullJob());
    if (!set) {
        QSKIP("the locale de_DE.UTF-8 is not installed; tried in the C locale");
    }
}

void JobArgumentsTest::aPlanReportExcludesWhatItDecides() {
    const Arguments replay{"scene.mha", "templ.mha", "--plan", "plan.json", "--memory", "1GiB"};
    Job job = parsed(replay);
    QCOMPARE(job.planReport.string(), std::string("plan.json"));
    QVERIFY(parsed(job::toArguments(job)) == job);
    QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    const std::vector<Arguments> decided{{"--method", "auto"},     {"--tile", "64"},
                                         {"--transforms", "fftw"}, {"--device", "cpu"},
                                         {"--threads", "2"},       {"--planning", "measure"}};
    for (const Arguments& option : decided) {
        Arguments both = replay;
        both.insert(both.end(), option.begin(), option.end());
        QVERIFY2(codeOf(both) == ErrorCode::CommandLine, option.front().c_str());
    }
    const auto failure = test::thrownBy(
        [] { (void)job::fromJobFile(R"({"scene": "a", "plan": "p.json", "threads": 2})"); });
    QCOMPARE(failure.code, ErrorCode::CommandLine);
    QVERIFY(failure.sentence.find("--threads") != std::string::npos);
    job.threads = 2;
    QCOMPARE(test::thrownBy([&] { (void)job::planJob(job); }).code, ErrorCode::CommandLine);

    // The command line replaces what a job file says of the same thing.
    const test::Folder folder;
    const std::string file = folder.path("job.json");
    io::writeText(file, R"({"scene": "a", "method": "direct", "threads": 2, "transforms": "own"})");
    job = parsed({"--job", file, "--plan", "p.json"});
    QCOMPARE(job.method, std::string("auto"));
    QCOMPARE(job.threads, 0);
    io::writeText(file, R"({"scene": "a", "plan": "p.json"})");
    job = parsed({"--job", file, "--threads", "3"});
    QVERIFY(job.planReport.empty());
    QCOMPARE(job.threads, 3);
}

void JobArgumentsTest::onlyWhatDiffersFromTheDefaultIsWritten() {
    Job job;
    job.scene = "s.mha";
    job.templates = {"t.mha"};
    QCOMPARE(job::toArguments(job), (Arguments{"s.mha", "t.mha"}));
    QCOMPARE(QByteArray::fromStdString(job::toJobFile(Job{})), QByteArray("{}\n"));
}

void JobArgumentsTest::theCommandLineIsQuotedForAShell() {
    Job job;
    job.scene = "my scene.mha";
    job.templates = {"it's.mha"};
    job.minScore = 0.2;
    QCOMPARE(QString::fromStdString(job::toCommandLine(job)),
             QString(R"(flcc-cli match 'my scene.mha' 'it'\''s.mha' --min-score 0.2)"));
}

void JobArgumentsTest::plainArgumentsAreSceneAndTemplate() {
    using Files = std::vector<std::filesystem::path>;
    QVERIFY((parsed({"s", "t"}).templates == Files{"t"}));
    QVERIFY((parsed({"--threads", "2", "s", "--template", "t"}).templates == Files{"t"}));
    // The plain one is the first wherever it stands, the others keep their order.
    QVERIFY(
        (parsed({"--template", "u", "s", "t", "--template=v"}).templates == Files{"t", "u", "v"}));
    QVERIFY((parsed({"s", "--mask", "m", "t", "--mask", "n"}).masks == Files{"m", "n"}));
    QVERIFY(parsed({"--", "-s", "-t"}).scene == "-s");
    // --scene takes all names that follow, and may be repeated; the plain one is the first.
    for (const Arguments& args : std::vector<Arguments>{
             {"s", "t", "--scene", "u", "v", "w", "--threads", "2"},
             {"--scene", "u", "v", "--threads", "2", "s", "t", "--scene=w"},
             {"--scene", "s", "u", "--template", "t", "--threads", "2", "--scene", "v", "w"}}) {
        const Job job = parsed(args);
        QVERIFY(job.scene == "s");
        QVERIFY((job.furtherScenes == Files{"u", "v", "w"}));
        QVERIFY((job.templates == Files{"t"}));
        QVERIFY(parsed(job::toArguments(job)) == job);
    }
    QVERIFY(parsed({"s", "--template=--t", "--map", "-.mha"}).templates == Files{"--t"});
    QVERIFY(parsed({"s", "t", "--min-score", "-.5"}).minScore == -0.5);
    QVERIFY(parsed({"s", "t", "--min-score", "-0.5"}).minScore == -0.5);
    QVERIFY(parsed({"s", "t", "--min-score=-0.5"}).minScore == -0.5);
}

void JobArgumentsTest::whatIsWrongIsNamed_data() {
    QTest::addColumn<Arguments>("args");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, Arguments args, const char* named) {
        QTest::newRow(name) << std::move(args) << named;
    };
    row("unknown", {"s", "t", "--support", "m.mha"}, "--support");
    row("unknown with value", {"s", "t", "--support=m.mha"}, "--support");
    row("unknown short", {"s", "t", "-x"}, "-x");
    row("shortened", {"s", "t", "--min-scor", "0.5"}, "--min-scor");
    row("doubled", {"s", "t", "--map", "a.mha", "--map", "b.mha"}, "--map");
    row("doubled flag", {"s", "t", "--invert", "--invert"}, "--invert");
    row("doubled switch", {"s", "t", "--json", "--json"}, "--json");
    row("third file", {"s", "t", "u"}, "--scene");
    row("no second scene", {"s", "t", "--scene"}, "--scene");
    row("no second template", {"s", "t", "--template"}, "--template");
    row("plain template and crop", {"s", "t", "--crop", "1,2:3,4"}, "--crop");
    row("no value", {"s", "t", "--map"}, "--map");
    row("an option for a value", {"s", "t", "--map", "--json"}, "--map=--json");
    row("two dashes for a value", {"s", "t", "--map", "--", "u"}, "--map");
    row("empty name", {"s", "t", "--map", ""}, "--map");
    row("quiet and verbose", {"s", "t", "--quiet", "--verbose"}, "--quiet");
    row("flag with a value", {"s", "t", "--invert=maybe"}, "--invert");
}

void JobArgumentsTest::whatIsWrongIsNamed() {
    QFETCH(Arguments, args);
    QFETCH(QString, named);
    const test::Thrown thrown = test::thrownBy([&] { (void)job::parseArguments("match", args); });
    QCOMPARE(thrown.code, ErrorCode::CommandLine);
    QVERIFY2(QString::fromStdString(thrown.sentence).contains(named), thrown.sentence.c_str());
}

void JobArgumentsTest::outOfRangeValuesAreRefused_data() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<QStringList>("values");
    QTest::newRow("min-score") << "--min-score"
                               << QStringList{"nan",   "inf", "-inf", "1.5",  "-2",
                                              "1e308", "",    "0,5",  "0.5x", "high"};
    QTest::newRow("max-peaks") << "--max-peaks"
                               << QStringList{"0", "-1", "1.5", "1e3", "99999999999999999999"};
    QTest::newRow("min-distance") << "--min-distance" << QStringList{"nan", "inf", "-1", "1e999"};
    QTest::newRow("threads") << "--threads" << QStringList{"0", "-1", "100000", "all the threads"};
    QTest::newRow("repeat") << "--repeat" << QStringList{"0", "-3", "1e9"};
    QTest::newRow("channel") << "--channel" << QStringList{"-1", "red", "99999999999"};
    QTest::newRow("memory") << "--memory" << QStringList{"0",     "-1",      "nan",  "inf",
                                                         "4GiBs", "4 0 GiB", "1e30", "GiB"};
    QTest::newRow("tile") << "--tile" << QStringList{"0", "-4", "1,2,3,4", "12,", "a"};
    QTest::newRow("promise") << "--promise" << QStringList{"0", "-1e-4", "2", "nan", "small"};
    QTest::newRow("recompute") << "--recompute" << QStringList{"", "yes", "true"};
    QTest::newRow("precision") << "--precision" << QStringList{"", "float", "half"};
    QTest::newRow("audit") << "--audit" << QStringList{"", "always"};
    QTest::newRow("region") << "--region" << QStringList{"1,2", "1,2:0,4", "1,2,3:4,5", "all"};
    QTest::newRow("crop") << "--crop"
                          << QStringList{"1,2",       "1,2:3",     "1:2",         "1,2:0,4",
                                         "1,2:3,-4",  "1,2,3:4,5", "1,2:3,4:5,6", "a,b:c,d",
                                         "1.5,2:3,4", ""};
    QTest::newRow("operation") << "--operation" << QStringList{"ncc", "SSD", "LCC", ""};
    QTest::newRow("extent") << "--extent" << QStringList{"most", "VALID"};
    QTest::newRow("outside") << "--outside" << QStringList{"one"};
    QTest::newRow("overlap") << "--min-overlap" << QStringList{"-0.1", "1.01", "nan"};
    QTest::newRow("statistics") << "--statistics" << QStringList{"sums"};
    QTest::newRow("method") << "--method" << QStringList{"dit", "Direct", ""};
    QTest::newRow("planning") << "--planning" << QStringList{"thorough", ""};
    QTest::newRow("device") << "--device" << QStringList{"gpu", "cuda:", "cuda:x", "cuda:-1"};
}

void JobArgumentsTest::outOfRangeValuesAreRefused() {
    QFETCH(QString, option);
    QFETCH(QStringList, values);
    for (const QString& value : values) {
        const std::string text = (option + "=" + value).toStdString();
        QVERIFY2(codeOf({"s", text}) == ErrorCode::CommandLine, text.c_str());
    }
}

void JobArgumentsTest::theCommandLineReplacesTheJobFile() {
    const test::Folder folder;
    Job stored;
    stored.scene = "stored.mha";
    stored.crops = {base::Box{{1, 2, 0}, {3, 4, 1}}};
    stored.minScore = 0.75;
    stored.threads = 2;
    io::writeText(folder.path("job.json"), job::toJobFile(stored));
    const std::string file = folder.path("job.json").string();
    QVERIFY(parsed({"--job", file}) == stored);
    stored.furtherScenes = {"more.mha"};
    io::writeText(folder.path("job.json"), job::toJobFile(stored));
    QVERIFY(parsed({"--job", file}) == stored);
    QVERIFY(parsed({"--job", file, "other.mha"}).furtherScenes.empty());
    const Job named = parsed({"--job", file, "--scene", "other.mha"});
    QVERIFY(named.scene == "other.mha" && named.furtherScenes.empty());
    const Job changed = parsed({"--job", file, "other.mha", "t.mha", "--min-score", "0.5"});
    QVERIFY(changed.scene == "other.mha");
    QVERIFY((changed.templates == std::vector<std::filesystem::path>{"t.mha"}));
    QVERIFY(changed.crops.empty());
    QCOMPARE(changed.minScore, 0.5);
    QCOMPARE(changed.threads, 2);
    const job::ParsedArguments saved =
        job::parseArguments("match", {"--job", file, "--save-job", "x.json"});
    QVERIFY(saved.saveJob == "x.json");
    QCOMPARE(test::thrownBy([] {
                 (void)job::parseArguments("match", {"--job", "missing.json"});
             }).code,
             ErrorCode::Input);
}

void JobArgumentsTest::badJobFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    const int input = static_cast<int>(ErrorCode::Input);
    const int option = static_cast<int>(ErrorCode::CommandLine);
    QTest::newRow("empty") << QByteArray("") << input;
    QTest::newRow("cut") << QByteArray(R"({"scene": "s)") << input;
    QTest::newRow("a list") << QByteArray("[]") << input;
    QTest::newRow("bytes") << QByteArray("\xff\xfe\x00", 3) << input;
    QTest::newRow("deep") << QByteArray(R"({"scene": )") + QByteArray(100000, '[') << input;
    QTest::newRow("deep and closed")
        << QByteArray(R"({"template": )") + QByteArray(100000, '[') + QByteArray(100000, ']') + "}"
        << input;
    QTest::newRow("long key") << "{\"" + QByteArray(100000, 'k') + "\": 1}" << option;
    QTest::newRow("long key twice")
        << "{\"" + QByteArray(9999, 'k') + "\": 1, \"" + QByteArray(9999, 'k') + "\": 1}" << option;
    QTest::newRow("long value") << R"({"method": ")" + QByteArray(100000, 'v') + "\"}" << option;
    QTest::newRow("long box") << R"({"region": ")" + QByteArray(100000, 'v') + "\"}" << option;
    QTest::newRow("long token") << R"({"scene": )" + QByteArray(100000, '1') + "x}" << input;
    QTest::newRow("key of lines") << QByteArray(R"({"a\nb\u001b[31m": 1})") << option;
    QTest::newRow("unknown") << QByteArray(R"({"support": "m.mha"})") << option;
    QTest::newRow("doubled") << QByteArray(R"({"scene": "a", "scene": "b"})") << option;
    QTest::newRow("text for number") << QByteArray(R"({"threads": "2"})") << option;
    QTest::newRow("number for text") << QByteArray(R"({"scene": 2})") << option;
    QTest::newRow("fraction") << QByteArray(R"({"threads": 1.5})") << option;
    QTest::newRow("text for flag") << QByteArray(R"({"invert": "true"})") << option;
    QTest::newRow("out of range") << QByteArray(R"({"min-score": 3})") << option;
    QTest::newRow("huge") << QByteArray(R"({"min-score": 1e999})") << input;
    QTest::newRow("nested") << QByteArray(R"({"scene": {"a": 1}})") << option;
    QTest::newRow("list of one kind") << QByteArray(R"({"template": ["t", 2]})") << option;
    QTest::newRow("list of lists") << QByteArray(R"({"template": [["t"]]})") << option;
    QTest::newRow("list of maps") << QByteArray(R"({"map": ["a.mha", "b.mha"]})") << option;
}

void JobArgumentsTest::badJobFilesAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    const test::Thrown thrown = test::thrownBy([&] { (void)job::fromJobFile(text.toStdString()); });
    QVERIFY2(!thrown.sentence.empty(), "taken");
    QCOMPARE(static_cast<int>(thrown.code), code);
    QVERIFY(thrown.sentence.size() < 500);
    QVERIFY(std::none_of(thrown.sentence.begin(), thrown.sentence.end(),
                         [](unsigned char c) { return c < 0x20; }));
}

void JobArgumentsTest::boxesAreRead() {
    QVERIFY((job::parseBox("1,2:3,4") == base::Box{{1, 2, 0}, {3, 4, 1}}));
    QVERIFY((job::parseBox("1,2,3:4,5,6") == base::Box{{1, 2, 3}, {4, 5, 6}}));
    // A box outside every scene is a problem of the scene, not of the option.
    QVERIFY((job::parseBox("-1,2:3,4") == base::Box{{-1, 2, 0}, {3, 4, 1}}));
}

void JobArgumentsTest::tilesAreRead() {
    QVERIFY((job::parseTile("64") == base::Extents{64, 64, 64}));
    QVERIFY((job::parseTile("64,32") == base::Extents{64, 32, 0}));
    QVERIFY((job::parseTile("64,32,16") == base::Extents{64, 32, 16}));
    for (const char* text : {"64", "64,32", "64,32,16"}) {
        Job job;
        job.tile = job::parseTile(text);
        QVERIFY(parsed(job::toArguments(job)) == job);
    }
}

void JobArgumentsTest::sizesAreRead() {
    QCOMPARE(job::parseSize("1048576"), std::int64_t{1048576});
    QCOMPARE(job::parseSize("4GiB"), std::int64_t{4} << 30);
    QCOMPARE(job::parseSize("4gib"), std::int64_t{4} << 30);
    QCOMPARE(job::parseSize("500MB"), std::int64_t{500'000'000});
    QCOMPARE(job::parseSize("200 MiB"), std::int64_t{200} << 20);
    QCOMPARE(job::parseSize(" 1 k "), std::int64_t{1024});
    QVERIFY_THROWS_EXCEPTION(base::Error, (void)job::parseSize("2 0 MiB"));
    QVERIFY((job::parseTile("64 , 32") == base::Extents{64, 32, 0}));
    QVERIFY((job::parseBox("1, 2 : 3, 4") == base::Box{{1, 2, 0}, {3, 4, 1}}));
    QCOMPARE(job::parseSize("1.5K"), std::int64_t{1536});
    QCOMPARE(job::parseSize("2TiB"), std::int64_t{2} << 40);
    QCOMPARE(job::parseSize("10B"), std::int64_t{10});
}

void JobArgumentsTest::aJobFileHasALargestSize() {
    const test::Folder folder;
    const std::filesystem::path file = folder.path("job.json");
    const std::string text = R"({"scene": "a"})";
    io::writeText(file, text + std::string((std::size_t{64} << 20U) - text.size(), ' '));
    if (!test::kSanitized) { // takes half a minute there
        QCOMPARE(parsed({"--job", file.string()}).scene, std::filesystem::path("a"));
    }
    std::filesystem::resize_file(file, (std::uintmax_t{64} << 20U) + 1);
    const auto thrown = test::thrownBy([&] { (void)parsed({"--job", file.string()}); });
    QCOMPARE(thrown.code, ErrorCode::Input);
    QVERIFY2(thrown.sentence.find("is larger than 64 MiB") != std::string::npos,
             thrown.sentence.c_str());
}

void JobArgumentsTest::everyOptionIsInTheHelp() {
    const QString help = QString::fromStdString(job::helpOf(job::optionsOf("match")));
    for (const std::string& argument : job::toArguments(fullJob())) {
        if (argument.starts_with("--")) {
            QVERIFY2(help.contains(QString::fromStdString(argument.substr(0, argument.find('=')))),
                     argument.c_str());
        }
    }
}

void JobArgumentsTest::everyWayOfPlanningHasAName() {
    for (const plan::Planning planning :
         {plan::Planning::Measure, plan::Planning::Estimate, plan::Planning::Exhaustive}) {
        const std::string name(plan::name(planning));
        const Job job = test::matchOf({"a.png", "b.png", "--planning", name});
        QVERIFY(job.planning == planning);
        QVERIFY(test::matchOf(job::toArguments(job)) == job);
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    }
}

void JobArgumentsTest::judgedPeaksAreChosenByDecision() {
    const test::Folder folder;
    QFile list(QString::fromStdString(folder.path("judged.csv")));
    QVERIFY(list.open(QIODevice::WriteOnly));
    list.write("# scene: s.mha (100x100x1 voxels)\nrank,score,cx,cy,cz,decision\n"
               "1,0.9,10,10,0,keep\n2,0.8,20,20,0,reject\n3,0.7,30,30,0,undecided\n");
    list.close();
    const auto left = [&](const std::string& words) {
        job::ListConversion conversion{.input = folder.path("judged.csv")};
        if (!words.empty()) {
            job::setListOptions(conversion, {{"only", {words}}});
        }
        return job::convertList(conversion).positions;
    };
    QCOMPARE(left(""), std::size_t{3});
    QCOMPARE(left("keep"), std::size_t{1});
    QCOMPARE(left("keep,undecided"), std::size_t{2});
    const test::Thrown wrong = test::thrownBy([&] { (void)left("kept"); });
    QVERIFY(wrong.code == base::ErrorCode::CommandLine);
    QVERIFY(wrong.sentence.find("--only") != std::string::npos);
}

const flcc::test::TestClass<JobArgumentsTest> kJobArgumentsTest;
#include "arguments_test.moc"
