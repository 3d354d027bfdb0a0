#include <QtTest>

#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/app/cli_process.h"
#include "tests/support/test_class.h"

using flcc::test::CliRun;
using flcc::test::runCli;
using Json = nlohmann::json;

namespace {

constexpr const char* kPictures = "/usr/lib/python3/dist-packages/skimage/data/";
constexpr const char* kVolume = "/usr/share/mricron/templates/ch2bet.nii.gz";

void verifyBestIs(const QString& scene, const std::vector<std::int64_t>& corner,
                  const std::vector<std::int64_t>& extents) {
    if (!QFileInfo::exists(scene)) {
        QSKIP("this picture is not installed");
    }
    const auto list = [](const std::vector<std::int64_t>& numbers) {
        QStringList words;
        for (const std::int64_t number : numbers) {
            words << QString::number(number);
        }
        return words.join(',');
    };
    const CliRun run =
        runCli({"match", scene, "--crop", list(corner) + ":" + list(extents), "--json"}, ".");
    QVERIFY2(run.code == 0, run.errors.constData());
    const Json report = Json::parse(run.output.begin(), run.output.end());
    const Json& best = report["peaks"][0];
    for (std::size_t axis = 0; axis < corner.size(); ++axis) {
        QCOMPARE(best["corner"][axis].get<std::int64_t>(), corner[axis]);
    }
    QVERIFY(best["score"].get<double>() > 1 - 1e-9);
    QCOMPARE(report["map"]["over_range"].get<int>(), 0);
}

} // namespace

class CliPicturesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theBestPeakIsTheCut_data();
    void theBestPeakIsTheCut();
    void severalCutsAreFoundByTheirNumbers_data();
    void severalCutsAreFoundByTheirNumbers();
    void theBestPeakOfAVolumeIsTheCut_data();
    void theBestPeakOfAVolumeIsTheCut();
};

void CliPicturesTest::theBestPeakIsTheCut_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<std::vector<std::int64_t>>("corner");
    QTest::addColumn<std::vector<std::int64_t>>("extents");
    using List = std::vector<std::int64_t>;
    const auto row = [](const char* name, List corner, List extents) {
        QTest::newRow(name) << name << std::move(corner) << std::move(extents);
    };
    row("camera.png", {200, 100}, {32, 32});
    row("coins.png", {40, 60}, {41, 37});
    row("moon.png", {300, 250}, {24, 24});
    row("page.png", {100, 60}, {50, 20});
    row("brick.png", {111, 222}, {32, 48});
    row("grass.png", {64, 64}, {16, 16});
    row("gravel.png", {400, 17}, {33, 31});
    row("astronaut.png", {180, 80}, {64, 64});
    row("coffee.png", {250, 150}, {40, 40});
    row("chelsea.png", {150, 100}, {30, 20});
    row("hubble_deep_field.jpg", {500, 400}, {25, 25});
    row("retina.jpg", {700, 650}, {48, 48});
    row("rocket.jpg", {300, 200}, {20, 60});
}

void CliPicturesTest::theBestPeakIsTheCut() {
    QFETCH(QString, name);
    QFETCH(std::vector<std::int64_t>, corner);
    QFETCH(std::vector<std::int64_t>, extents);
    verifyBestIs(kPictures + name, corner, extents);
}

void CliPicturesTest::severalCutsAreFoundByTheirNumbers_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("boxes");
    QTest::newRow("camera, one size")
        << "camera.png" << QStringList{"200,100:32,32", "60,300:32,32", "310,222:32,32"};
    QTest::newRow("coins, two sizes")
        << "coins.png" << QStringList{"40,60:41,37", "200,150:30,30", "120,230:41,37"};
    QTest::newRow("brick, all different")
        << "brick.png" << QStringList{"111,222:32,48", "300,40:17,16", "20,400:64,20"};
}

void CliPicturesTest::severalCutsAreFoundByTheirNumbers() {
    QFETCH(QString, name);
    QFETCH(QStringList, boxes);
    const QString scene = kPictures + name;
    if (!QFileInfo::exists(scene)) {
        QSKIP("this picture is not installed");
    }
    const QTemporaryDir folder;
    QStringList files;
    QStringList sizes;
    for (const QString& box : boxes) {
        files << folder.filePath(QString::number(files.size()) + ".mha");
        sizes << box.section(':', 1);
        const CliRun cut =
            runCli({"match", scene, "--crop", box, "--template-out", files.back(), "--quiet"},
                   folder.path());
        QVERIFY2(cut.code == 0, cut.errors.constData());
    }
    sizes.removeDuplicates();
    // By name after the scene, by option, and the first one cut; in both orders.
    for (const bool turned : {false, true}) {
        if (turned) {
            std::reverse(files.begin(), files.end());
            std::reverse(boxes.begin(), boxes.end());
        }
        for (const bool crop : {false, true}) {
            QStringList words{"match", scene};
            words << (crop ? QStringList{"--crop", boxes[0]} : QStringList{files[0]});
            words << "--template" << files[1] << "--template" << files[2];
            words << "--min-score"
                  << "0.999999"
                  << "--peaks"
                  << "peaks.csv"
                  << "--json";
            if (sizes.size() == 1) {
                words << "--index"
                      << "index.mha"
                      << "--map"
                      << "map.mha";
            }
            const CliRun run = runCli(words, folder.path());
            QVERIFY2(run.code == 0, run.errors.constData());
            const Json report = Json::parse(run.output.begin(), run.output.end());
            QCOMPARE(report["peaks"].size(), std::size_t{3});
            QCOMPARE(report["groups"].size(), std::size_t(sizes.size() == 1 ? 0 : sizes.size()));
            std::set<int> found;
            for (const Json& peak : report["peaks"]) {
                const int templ = peak["template"].get<int>();
                const QString corner = QString::number(peak["corner"][0].get<int>()) + ',' +
                                       QString::number(peak["corner"][1].get<int>());
                QCOMPARE(corner, boxes[templ].section(':', 0, 0));
                found.insert(templ);
            }
            QCOMPARE(found.size(), std::size_t{3});
        }
    }
    QCOMPARE(QFileInfo::exists(folder.filePath("index.mha")), sizes.size() == 1);
    if (sizes.size() > 1) {
        const CliRun refused = runCli({"match", scene, files[0], "--template", files[1],
                                       "--template", files[2], "--map", "map.mha"},
                                      folder.path());
        QCOMPARE(refused.code, 4);
        QVERIFY2(refused.errors.startsWith("flcc-cli: --map"), refused.errors.constData());
        QVERIFY(!QFileInfo::exists(folder.filePath("map.mha")));
        return;
    }
    const CliRun info = runCli({"info", "index.mha"}, folder.path());
    const Json index = Json::parse(info.output.begin(), info.output.end());
    QCOMPARE(index["type"].get<std::string>(), std::string("int32"));
    // Masks: one for all, one each, and a number that fits neither.
    const auto masked = [&](const QStringList& masks) {
        QStringList words{"plan",   scene,        files[0],  "--template",
                          files[1], "--planning", "estimate"};
        for (const QString& mask : masks) {
            words << "--mask" << mask;
        }
        return runCli(words, folder.path()).code;
    };
    QCOMPARE(masked({files[2]}), 0);
    QCOMPARE(masked({files[2], files[1]}), 0);
    QCOMPARE(masked({files[2], files[1], files[0]}), 2);
}

void CliPicturesTest::theBestPeakOfAVolumeIsTheCut_data() {
    QTest::addColumn<std::vector<std::int64_t>>("corner");
    QTest::addColumn<std::vector<std::int64_t>>("extents");
    using List = std::vector<std::int64_t>;
    QTest::newRow("middle") << List{80, 100, 80} << List{20, 21, 22};
    QTest::newRow("off the middle") << List{50, 60, 95} << List{12, 12, 12};
    QTest::newRow("thin") << List{60, 120, 70} << List{30, 28, 5};
}

void CliPicturesTest::theBestPeakOfAVolumeIsTheCut() {
    QFETCH(std::vector<std::int64_t>, corner);
    QFETCH(std::vector<std::int64_t>, extents);
    verifyBestIs(kVolume, corner, extents);
}

const flcc::test::TestClass<CliPicturesTest> kCliPicturesTest;
#include "pictures_test.moc"
