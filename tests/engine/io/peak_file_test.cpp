#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <clocale>
#include <cmath>
#include <map>

#include "engine/io/peak_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

match::Peak examplePeak() {
    match::Peak peak;
    peak.score = 0.1 + 0.2; // 0.30000000000000004: seventeen digits
    peak.bound = 1e-7;
    peak.corner = {5'000'000'000, 2, 3};
    peak.centre = {5'000'000'007.25, 1.0 / 3, 4};
    peak.world = {-1.5, 2e-10, 1e22};
    peak.zscore = 12.5;
    return peak;
}

io::PeakContext exampleContext() {
    io::PeakContext context;
    context.scene = "=scene,\"one\"\n.mha";
    context.templates = {{"@templ", {9, 8, 1}, "mask.mha"}};
    context.sceneExtents = {100, 90, 1};
    context.geometry.spacing = {0.65, 0.65, 1};
    context.geometry.unit = "um";
    context.geometry.unitSource = base::UnitSource::Header;
    return context;
}

QStringList rowsOf(const std::string& text) {
    QStringList rows = QString::fromStdString(text).split('\n', Qt::SkipEmptyParts);
    rows.removeIf([](const QString& row) { return row.startsWith('#'); });
    return rows;
}

} // namespace

class PeakFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void theColumnsAreThoseOfTheInterface() {
        const QStringList rows = rowsOf(io::peaksAsText({}, exampleContext(), ','));
        QCOMPARE(rows.size(), 1);
        QCOMPARE(
            rows[0],
            QString(
                "rank,score,x,y,z,cx,cy,cz,wx,wy,wz,template,rotation,scale,"
                "zscore,false_positives,status,bound,rival,phi,theta,psi,sharpness,"
                "mirror,refined_score,search_mean,search_deviation,search_z,polarity,"
                "error_x,error_y,error_z,placed_by,error_rotation,error_scale,scale_end,made_of"));
    }

    /// Each value differs from all others, so that none can stand under another's name.
    void everyValueStandsUnderItsName() {
        match::Peak peak;
        peak.score = 0.5;
        peak.bound = 0.25;
        peak.status = base::Status::Partial;
        peak.corner = {11, 12, 13};
        peak.centre = {14.5, 15.5, 16.5};
        peak.world = {21, 22, 23};
        peak.error = {{0.125, 0.375, 0.625}};
        peak.placedBy = match::PlacedBy::Surface;
        peak.templ = 4;
        peak.pose = rotation::Pose{rotation::fromEuler({30, 40, 50}), 1.25, true};
        peak.refinement = match::Refinement{{}, 0.75, {1, 3, 2}, 0.0625, true};
        peak.dark = true;
        peak.rival = 1.5;
        peak.zscore = 6;
        peak.falsePositives = 0.03125;
        peak.sharpness = 0.4375;
        peak.search = match::PeakSearch{0.1875, 0.3125, 7};
        peak.madeOf = true;
        const QStringList rows = rowsOf(io::peaksAsText({peak}, exampleContext(), ','));
        const QStringList names = rows[0].split(',');
        const QStringList cells = rows[1].split(',');
        QCOMPARE(cells.size(), names.size());
        const std::map<QString, QString> words{{"rank", "1"},
                                               {"score", "0.5"},
                                               {"x", "11"},
                                               {"y", "12"},
                                               {"z", "13"},
                                               {"cx", "14.5"},
                                               {"cy", "15.5"},
                                               {"cz", "16.5"},
                                               {"wx", "21"},
                                               {"wy", "22"},
                                               {"wz", "23"},
                                               {"template", "4"},
                                               {"rotation", ""},
                                               {"scale", "1.25"},
                                               {"zscore", "6"},
                                               {"status", "PARTIAL"},
                                               {"false_positives", "0.03125"},
                                               {"bound", "0.25"},
                                               {"rival", "1.5"},
                                               {"sharpness", "0.4375"},
                                               {"mirror", "1"},
                                               {"search_z", "7"},
                                               {"refined_score", "0.75"},
                                               {"search_mean", "0.1875"},
                                               {"polarity", "dark"},
                                               {"search_deviation", "0.3125"},
                                               {"error_x", "0.125"},
                                               {"error_y", "0.375"},
                                               {"error_z", "0.625"},
                                               {"placed_by", "surface"},
                                               {"error_rotation", "3"},
                                               {"error_scale", "0.0625"},
                                               {"scale_end", "1"},
                                               {"made_of", "1"}};
        const std::map<QString, double> angles{{"phi", 30}, {"theta", 40}, {"psi", 50}};
        for (qsizetype i = 0; i < names.size(); ++i) {
            const auto angle = angles.find(names[i]);
            if (angle != angles.end()) {
                QVERIFY2(std::abs(cells[i].toDouble() - angle->second) < 1e-9,
                         qPrintable(names[i]));
            } else {
                QVERIFY2(words.contains(names[i]), qPrintable(names[i]));
                QCOMPARE(cells[i], words.at(names[i]));
            }
        }
    }

    void theAuditIsACommentLine() {
        io::PeakContext context = exampleContext();
        QVERIFY(io::peaksAsText({}, context, ',').find("# audit") == std::string::npos);
        context.audit = "failed; voxel 3,4,0\nhas 0.5";
        const QStringList lines =
            QString::fromStdString(io::peaksAsText({}, context, ',')).split('\n');
        const qsizetype at = lines.indexOf(QRegularExpression("^# audit: .*"));
        QVERIFY(at > 0);
        QVERIFY(lines[at].contains("failed; voxel 3 4 0") && lines[at].endsWith("has 0.5"));
        QVERIFY(lines[at + 1].startsWith("rank,"));
    }

    void numbersReadBackAsTheSameDoubles() {
        const match::Peak peak = examplePeak();
        for (const char separator : {',', '\t'}) {
            const QStringList rows = rowsOf(io::peaksAsText({peak}, exampleContext(), separator));
            const QStringList cells = rows[1].split(separator);
            QCOMPARE(cells.size(), 37);
            QCOMPARE(cells[0], QString("1"));
            QCOMPARE(cells[1].toDouble(), peak.score);
            QCOMPARE(cells[2], QString("5000000000"));
            for (int axis = 0; axis < 3; ++axis) {
                const auto i = static_cast<std::size_t>(axis);
                QCOMPARE(cells[5 + axis].toDouble(), peak.centre[i]);
                QCOMPARE(cells[8 + axis].toDouble(), peak.world[i]);
            }
            QCOMPARE(cells[16], QString("OK"));
        }
    }

    void whatIsNotComputedIsEmpty() {
        match::Peak peak = examplePeak();
        QStringList cells = rowsOf(io::peaksAsText({peak}, exampleContext(), ','))[1].split(',');
        for (const int column : {12, 13, 15, 18, 19, 20, 21, 22, 24, 25, 26, 27}) {
            QVERIFY2(cells[column].isEmpty(), qPrintable(QString::number(column)));
        }
        peak.rival = 1.25;
        peak.falsePositives = 0.0625;
        peak.sharpness = 0.375;
        peak.search = match::PeakSearch{0.125, 0.25, 3.5};
        QCOMPARE(cells[14], QString("12.5"));
        peak.zscore.reset();
        cells = rowsOf(io::peaksAsText({peak}, exampleContext(), ','))[1].split(',');
        QCOMPARE(cells[18], QString("1.25"));
        QVERIFY(cells[14].isEmpty());
        QCOMPARE(cells[15], QString("0.0625"));
        QCOMPARE(cells[22], QString("0.375"));
        QCOMPARE(cells.mid(25, 3), QStringList({"0.125", "0.25", "3.5"}));
    }

    void theAxesOfTheWorldAreNamed() {
        io::PeakContext context = exampleContext();
        context.geometry.origin = {75, 107, -69.5};
        const auto text = [&] { return QString::fromStdString(io::peaksAsText({}, context, ',')); };
        QVERIFY(!text().contains("axes LPS") && !text().contains("axes RAS"));
        QVERIFY(text().contains("# origin: 75 107 -69.5\n"));
        context.geometry.axes = base::WorldAxes::Ras;
        QVERIFY2(text().contains("(header); axes RAS: x to the right; y to the front"),
                 qPrintable(text()));
        QVERIFY(text().contains("# origin: -75 -107 -69.5\n"));
        QVERIFY(text().contains("# direction (rows): -1 0 0 0 -1 0 0 0 1\n"));
        context.geometry.axes = base::WorldAxes::Lps;
        QVERIFY(text().contains("axes LPS: x to the left"));
        QVERIFY(text().contains("# origin: 75 107 -69.5\n"));
    }

    void theConventionsAreStated() {
        const QString text = QString::fromStdString(io::peaksAsText({}, exampleContext(), ','));
        for (const char* word :
             {"start at 0", "corner", "centre", "x is fastest", "unit um (header)",
              "spacing: 0.65 0.65 1", "origin: 0 0 0", "100x90x1", "9x8x1"}) {
            QVERIFY2(text.contains(word), word);
        }
    }

    void commentsKeepTheirSeparators() {
        io::PeakContext context = exampleContext();
        context.audit = "off; it would take 3.11 ms, more than 2 % of the run";
        context.incomplete = "1100000 voxels, bounds of up to 2";
        const auto has = [&](char separator, const char* line) {
            return io::peaksAsText({}, context, separator).find(line) != std::string::npos;
        };
        QVERIFY(has(',', "\n# audit: off; it would take 3.11 ms; more than 2 % of the run\n"));
        QVERIFY(has('\t', "\n# audit: off; it would take 3.11 ms, more than 2 % of the run\n"));
        QVERIFY(has(',', "\n# incomplete: 1100000 voxels; bounds of up to 2\n"));
        QVERIFY(has('\t', "\n# incomplete: 1100000 voxels, bounds of up to 2\n"));
    }

    void noTextBecomesAFormulaOrACellOfItsOwn() {
        for (const char separator : {',', '\t'}) {
            const std::string text = io::peaksAsText({examplePeak()}, exampleContext(), separator);
            for (const QString& line : QString::fromStdString(text).split('\n')) {
                for (const QString& cell : line.split(separator)) {
                    // A negative number is the only thing that may begin with a sign.
                    bool number = false;
                    (void)cell.toDouble(&number);
                    QVERIFY2(cell.isEmpty() || number || !QString("=+-@").contains(cell.front()),
                             qPrintable(cell));
                }
            }
        }
    }

    void theExtensionChoosesTheSeparator() {
        const std::filesystem::path folder = m_folder.path().toStdString();
        io::writePeaks(folder / "p.csv", {examplePeak()}, exampleContext());
        io::writePeaks(folder / "p.tsv", {examplePeak()}, exampleContext());
        const auto commas = test::readFile(folder / "p.csv");
        const auto tabs = test::readFile(folder / "p.tsv");
        QCOMPARE(std::string(commas.begin(), commas.end()),
                 io::peaksAsText({examplePeak()}, exampleContext(), ','));
        QCOMPARE(std::string(tabs.begin(), tabs.end()),
                 io::peaksAsText({examplePeak()}, exampleContext(), '\t'));
        const auto error = test::errorOf(
            [&] { io::writePeaks(folder / "p.xls", {examplePeak()}, exampleContext()); });
        QVERIFY(error && error->code() == base::ErrorCode::CommandLine);
    }
};

const flcc::test::TestClass<PeakFileTest> kPeakFileTest;
#include "peak_file_test.moc"
