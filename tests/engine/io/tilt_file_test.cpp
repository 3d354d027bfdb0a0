#include <QtTest>

#include <QTemporaryDir>

#include <cmath>
#include <fstream>
#include <limits>

#include "engine/base/error.h"
#include "engine/io/tilt_file.h"
#include "tests/support/test_class.h"

using namespace flcc;
using prepare::Tilt;
using prepare::TiltSeries;

namespace {

/// Numbers of files that are sums or products of others: some roundings.
bool near(double a, double b) {
    return std::abs(a - b) <= 8 * std::numeric_limits<double>::epsilon() * std::abs(b);
}

const char* const kMdoc = "PixelSpacing = 1.35\r\n"
                          "Voltage = 300\r\n"
                          "ImageFile = TS_01.mrc\r\n"
                          "DataMode = 1\r\n\r\n"
                          "[T = SerialEM: Digitized on Krios     30-Nov-15  15:14:20    ]\r\n\r\n"
                          "[ZValue = 0]\r\nTiltAngle = 0.00143\r\nStagePosition = 0.25 -0.25\r\n"
                          "ExposureDose = 3.1\r\nDateTime = 05-Nov-15  15:21:38\r\n\r\n"
                          "[ZValue = 1]\r\nTiltAngle = -3.0001\r\nExposureDose = 3.2\r\n"
                          "DateTime = 05-Nov-15  15:24:02\r\n\r\n"
                          "[ZValue = 2]\r\nTiltAngle = 3.0002\r\nExposureDose = 3.3\r\n"
                          "DateTime = 05-Nov-15  15:22:50\r\n";

const char* const kTomograms =
    "\n# version 50001\n\ndata_global\n\nloop_ \n_rlnTomoName #1 \n_rlnVoltage #2 \n"
    "_rlnSphericalAberration #3 \n_rlnAmplitudeContrast #4 \n_rlnTomoHand #5 \n"
    "_rlnTomoTiltSeriesStarFile #6 \n_rlnTomoReconstructedTomogram #7 \n"
    "TS_1   200.000000 2.700000 0.080000 -1.00000 Job/job009/tilt_series/TS_1.star "
    "Job/job009/tomograms/rec_TS_1.mrc \n"
    "TS_10  300.000000 2.600000 0.100000 -1.00000 Job/job009/tilt_series/TS_10.star "
    "Job/job009/tomograms/rec_TS_10.mrc \n \n";

const char* const kTiltSeries =
    "\n# version 50001\n\ndata_TS_10\n\nloop_ \n_rlnMicrographName #1 \n"
    "_rlnTomoNominalStageTiltAngle #2 \n_rlnMicrographPreExposure #3 \n_rlnDefocusU #4 \n"
    "_rlnDefocusV #5 \n_rlnTomoYTilt #6 \n"
    "a.mrc -50.99360 68.200000 24013.296875 22401.580078 -49.99000 \n"
    "b.mrc   0.00846  0.000000 33063.156250 32802.414062   1.01000 \n";

const char* const kWarp =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<TiltSeries DataDirectory=\"/x\" AreAnglesInverted=\"False\">\n"
    "\t<Angles>46\n0.5\n-44.5</Angles>\n\t<Dose>6.5\n0\n3.25</Dose>\n"
    "\t<UseTilt>True\nTrue\nFalse</UseTilt>\n"
    "\t<CTF>\n\t\t<Param Name=\"Voltage\" Value=\"300\" />\n"
    "\t\t<Param Name=\"Cs\" Value=\"2.7\" />\n\t\t<Param Name=\"Amplitude\" Value=\"0.07\" />\n"
    "\t\t<Param Name=\"PhaseShift\" Value=\"0.5\" />\n"
    "\t\t<Param Name=\"Defocus\" Value=\"3.5\" />\n\t</CTF>\n"
    "\t<GridCTF Width=\"2\" Height=\"1\" Depth=\"3\">\n"
    "\t\t<Node X=\"0\" Y=\"0\" Z=\"0\" Value=\"3.0\" />\n"
    "\t\t<Node X=\"1\" Y=\"0\" Z=\"0\" Value=\"3.5\" />\n"
    "\t\t<Node X=\"0\" Y=\"0\" Z=\"1\" Value=\"2.75\" />\n"
    "\t\t<Node X=\"1\" Y=\"0\" Z=\"1\" Value=\"2.75\" />\n"
    "\t\t<Node X=\"0\" Y=\"0\" Z=\"2\" Value=\"2\" />\n"
    "\t\t<Node X=\"1\" Y=\"0\" Z=\"2\" Value=\"2\" />\n\t</GridCTF>\n</TiltSeries>\n";

} // namespace

class TiltFileTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aListHasAnAngleALine() {
        const TiltSeries series = read("a.tlt", "  -51.00 \n 0.00\r\n\n+51\n");
        QCOMPARE(series.tilts.size(), std::size_t{3});
        QCOMPARE(series.tilts[0].angle, -51.0);
        QCOMPARE(series.tilts[2].angle, 51.0);
        QVERIFY(series.hasAngles && !series.tilts[0].dose && !series.voltage);
        const TiltSeries doses = read("b.rawtlt", "# angle dose\n-3 4.5\n0 0\n");
        QCOMPARE(doses.tilts[0].dose, std::optional(4.5));
        QCOMPARE(doses.tilts[1].dose, std::optional(0.0));
    }

    void dosesOfSerialEmAreSummedByTime() {
        const TiltSeries series = read("TS_01.mrc.mdoc", kMdoc);
        QCOMPARE(series.tilts.size(), std::size_t{3});
        QCOMPARE(series.tilts[1].angle, -3.0001);
        QCOMPARE(series.tilts[0].dose, std::optional(0.0));
        QCOMPARE(series.tilts[2].dose, std::optional(3.1)); // the second that was taken
        QVERIFY(near(*series.tilts[1].dose, 6.4));
        QCOMPARE(series.voltage, std::optional(300.0));
        std::string prior = kMdoc;
        for (std::size_t at = 0; (at = prior.find("ExposureDose = 3.", at)) != std::string::npos;) {
            prior.replace(at, 17, "PriorRecordDose = ");
        }
        QCOMPARE(read("p.mdoc", prior).tilts[1].dose, std::optional(2.0));
        std::string none = kMdoc;
        for (std::size_t at = 0; (at = none.find("ExposureDose", at)) != std::string::npos;) {
            none.replace(at, 12, "ExposureXose");
        }
        QVERIFY(!read("n.mdoc", none).tilts[1].dose);
    }

    void relionTellsTheTiltSeriesOfATomogram() {
        QVERIFY(QDir(folder()).mkpath("Job/job009/tilt_series"));
        write("Job/job009/tilt_series/TS_10.star", kTiltSeries);
        write("Job/job009/tomograms.star", kTomograms);
        const std::string file = path("Job/job009/tomograms.star");
        for (const auto& [text, scene] : {std::pair(file, std::string("/data/rec_TS_10.mrc")),
                                          std::pair(file, std::string("TS_10_bin8.mrc")),
                                          std::pair(file + ":TS_10", std::string("other.mrc"))}) {
            const TiltSeries series = io::readTilts(text, scene);
            QCOMPARE(series.name, std::string("TS_10"));
            QCOMPARE(series.tilts.size(), std::size_t{2});
            QCOMPARE(series.tilts[0].angle, -49.99); // aligned, not nominal
            QCOMPARE(series.tilts[0].dose, std::optional(68.2));
            QVERIFY(near(*series.tilts[1].defocus, (33063.156250 + 32802.414062) / 2));
            QCOMPARE(series.voltage, std::optional(300.0));
            QCOMPARE(series.cs, std::optional(2.6));
            QCOMPARE(series.contrast, std::optional(0.1));
        }
        QVERIFY(refused(file, "x.mrc").contains("TS_1, TS_10"));
        QVERIFY(refused(file + ":TS_2", "x.mrc").contains("no tomogram \"TS_2\""));
        QVERIFY(refused(file + ":TS_1", "x.mrc").contains("TS_1.star")); // it is not there
        const TiltSeries alone = io::readTilts(path("Job/job009/tilt_series/TS_10.star"), "x.mrc");
        QCOMPARE(alone.tilts.size(), std::size_t{2});
        QVERIFY(!alone.voltage);
    }

    void micrographsHaveADefocusAndNoTilts() {
        const std::string text = "data_optics\nloop_\n_rlnOpticsGroup #1\n_rlnVoltage #2\n"
                                 "_rlnSphericalAberration #3\n1 200 1.4\n\ndata_micrographs\n"
                                 "loop_\n_rlnMicrographName #1\n_rlnDefocusU #2\n_rlnDefocusV #3\n"
                                 "M/a.mrc 10000 12000\nM/b.mrc 20000 22000\n";
        write("micrographs_ctf.star", text);
        const TiltSeries series = io::readTilts(path("micrographs_ctf.star"), "/x/b.mrc");
        QVERIFY(!series.hasAngles);
        QCOMPARE(series.tilts[0].defocus, std::optional(21000.0));
        QCOMPARE(series.voltage, std::optional(200.0));
        QCOMPARE(series.cs, std::optional(1.4));
    }

    void imodTellsTheDefocusOfTilts() {
        const TiltSeries series =
            read("a.defocus", "1\t1\t-50.99\t-50.99\t  3083   2\n2\t2\t-47.99\t-45.99\t  3084\n");
        QCOMPARE(series.tilts[0].angle, -50.99);
        QVERIFY(near(series.tilts[1].angle, -46.99));
        QVERIFY(near(*series.tilts[0].defocus, 30830));
        const TiltSeries both =
            read("b.defocus", "1 0 0. 0. 0 3\n1 1 -50 -50 3000 2900 20\n2 2 0 0 3100 3050 21\n");
        QCOMPARE(both.tilts.size(), std::size_t{2});
        QVERIFY(near(*both.tilts[0].defocus, 29500));
        // Flags 4 and 8: a phase shift behind the defocus, in radians.
        const auto shifted = read("c.defocus", "4 0 0. 0. 0 3\n1 1 -50 -50 3000 90\n");
        QVERIFY(near(*shifted.tilts[0].phaseShift, 90) && near(*shifted.tilts[0].defocus, 30000));
        const auto radians =
            read("d.defocus", "13 0 0. 0. 0 3\n1 1 -50 -50 3000 2900 20 0.7853981633974483\n");
        QVERIFY(near(*radians.tilts[0].phaseShift, 45) && near(*radians.tilts[0].defocus, 29500));
        QVERIFY(!both.tilts[0].phaseShift);
    }

    void warpTurnsTheOtherWay() {
#ifdef FLCC_READER
        const TiltSeries series = read("TS_3.xml", kWarp);
        QCOMPARE(series.tilts.size(), std::size_t{2}); // the third is not used
        QCOMPARE(series.tilts[0].angle, -46.0);
        QCOMPARE(series.tilts[1].angle, -0.5);
        QCOMPARE(series.tilts[0].dose, std::optional(6.5));
        QVERIFY(near(*series.tilts[0].defocus, 32500));
        QVERIFY(near(*series.tilts[1].defocus, 27500));
        QCOMPARE(series.tilts[1].phaseShift, std::optional(90.0));
        QCOMPARE(series.contrast, std::optional(0.07));
#endif
    }

    void brokenFilesAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* tag, const char* name, const QString& text,
                            const char* says) {
            QTest::newRow(tag) << QString(name) << text << QString(says);
        };
        row("no tilts", "a.tlt", "\n\n", "no tilts");
        row("words", "a.tlt", "-3\nzero\n", "line 2");
        row("three", "a.tlt", "-3 1 2\n", "line 1");
        row("beyond", "a.tlt", "-3\n91\n", "beyond 90");
        row("nan", "a.tlt", "nan\n", "line 1");
        row("negative dose", "a.tlt", "3 -1\n", "dose");
        row("many", "a.tlt", QString("1\n").repeated(1001), "more than 1000");
        row("binary", "a.tlt", QString(QChar(0)).repeated(90), "line 1");
        row("no angle", "a.mdoc", "[ZValue = 0]\nExposureDose = 3\n", "TiltAngle");
        row("no image", "a.mdoc", "Voltage = 300\n", "no tilts");
        row("short row", "a.star", "data_\nloop_\n_rlnTomoYTilt #1\n_rlnDefocusU #2\n3\n",
            "1 values for 2 columns");
        row("no number", "a.star", "data_\nloop_\n_rlnTomoYTilt #1\nx\n", "no number");
        row("no table", "a.star", "data_\n_rlnOther 3\n", "neither tomograms");
        row("no star", "a.star", "3 4\n", "no STAR file");
        row("views", "a.defocus", "1 1 0 0\n", "row of defocus");
#ifdef FLCC_READER
        row("xml", "a.xml", "<TiltSeries><Angles>3", "no XML");
        row("root", "a.xml", "<Movie></Movie>", "TiltSeries");
        row("counts", "a.xml", "<TiltSeries><Angles>3\n4</Angles><Dose>1</Dose></TiltSeries>",
            "2 Angles");
        row("angle", "a.xml", "<TiltSeries><Angles>x</Angles></TiltSeries>", "no number");
        row("node", "a.xml",
            "<TiltSeries><Angles>3</Angles><GridCTF><Node Z=\"a\" Value=\"1\"/></GridCTF>"
            "</TiltSeries>",
            "GridCTF");
#endif
    }
    void brokenFilesAreRefused() {
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(QString, says);
        write(name.toStdString(), text.toStdString());
        const QString sentence = refused(path(name.toStdString()), "x.mrc");
        QVERIFY2(sentence.contains(says), qPrintable(sentence));
        QVERIFY2(sentence.contains(name), qPrintable(sentence));
    }

    void whatIsNoFileIsRefused() {
        QVERIFY(refused(path("missing.tlt"), "x").contains("missing.tlt"));
        QVERIFY(!refused("/dev/zero", "x").isEmpty());
        QVERIFY(!refused(folder().toStdString(), "x").isEmpty());
    }

    void everyCutOfAFileIsReadOrRefused() {
        for (const auto& [name, text] :
             {std::pair("c.mdoc", kMdoc), std::pair("c.star", kTiltSeries),
              std::pair("c.xml", kWarp)}) {
            const std::string all = text;
            for (std::size_t end = 1; end < all.size(); end += 7) {
                write(name, all.substr(0, end));
                (void)refused(path(name), "x.mrc"); // nothing but an error of input is thrown
            }
        }
    }

  private:
    QString folder() { return m_folder.path(); }
    std::string path(const std::string& name) {
        return m_folder.filePath(QString::fromStdString(name)).toStdString();
    }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(path(name), std::ios::binary) << text;
    }
    TiltSeries read(const std::string& name, const std::string& text) {
        write(name, text);
        return io::readTilts(path(name), "scene.mrc");
    }
    QString refused(const std::string& file, const std::string& scene) {
        try {
            (void)io::readTilts(file, scene);
        } catch (const base::Error& error) {
            return error.code() == base::ErrorCode::Input ? QString(error.what()) : QString();
        }
        return {};
    }

    QTemporaryDir m_folder;
};

const flcc::test::TestClass<TiltFileTest> kTiltFileTest;

#include "tilt_file_test.moc"
