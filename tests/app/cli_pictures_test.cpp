#include <QtTest>

#include <QFileInfo>

#include <nlohmann/json.hpp>

#include "tests/app/cli_process.h"

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

QTEST_GUILESS_MAIN(CliPicturesTest)
#include "cli_pictures_test.moc"
