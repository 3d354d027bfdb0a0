#include <QtTest>

#include "engine/io/list_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using io::ListFormat;

namespace {

/// A list of one position in the scene of a name.
io::PositionList listIn(const char* scene, const char* tomogram = "") {
    io::PositionList list;
    list.place.scene = scene;
    list.place.extents = {60, 50, 40};
    list.place.geometry.unit = "A";
    list.place.geometry.unitSource = base::UnitSource::Header;
    list.place.geometry.spacing = {10, 10, 10};
    list.place.unknowns = {.binning = 4,
                           .unbinnedPixel = 2.5,
                           .unbinnedSize = base::Extents{240, 200, 160},
                           .tomogram = tomogram};
    io::ListedPosition& position = list.positions.emplace_back();
    position.centre = {20, 21, 22};
    position.box = {9, 9, 9};
    position.score = 0.5;
    io::fillPeakCells(list);
    return list;
}

io::PositionList read(const std::string& text, ListFormat format, const char* scene,
                      const char* tomogram = "") {
    return io::parseList(text, format, listIn(scene, tomogram).place, "picks");
}

std::string refusalOf(const std::string& text, ListFormat format, const char* scene,
                      const char* tomogram = "") {
    const auto error = test::errorOf([&] { (void)read(text, format, scene, tomogram); });
    return error ? error->what() : "";
}

/// Rows of three series: one, two and three positions.
std::string rowsOfThree(const std::string& name, const std::string& ending) {
    std::string text = "data_\n\nloop_\n_" + name +
                       " #1\n_rlnCoordinateX #2\n_rlnCoordinateY #3\n_rlnCoordinateZ #4\n";
    for (int series = 3; series >= 1; --series) {
        for (int i = 0; i < series; ++i) {
            text += "TS_0" + std::to_string(series) + ending + " " +
                    std::to_string(10 * series + i) + " 20 30\n";
        }
    }
    return text;
}

} // namespace

class ListTomogramTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void starFilesAreReadAsTheirFormatSays() {
        io::ListPlace place;
        place.extents = {100, 100, 100};
        place.unknowns.binning = 1;
        place.unknowns.box = base::Extents{9, 9, 9};
        const auto read = [&](const std::string& text) {
            return io::parseList(text, ListFormat::Relion4, place, "l.star").positions;
        };
        const std::string names = "_rlnCoordinateX #1\n_rlnCoordinateY #2\n_rlnCoordinateZ #3\n";
        const auto first = read("data_particles\n\nloop_\n" + names + "10.5 20.25 5\n");
        QCOMPARE(first.size(), std::size_t{1});
        for (const std::string& text :
             {"# made elsewhere\n\ndata_\nloop_ \n" + names +
                  "_rlnMicrographName\n  1.05e+01\t+20.25 5.0\t\"TS 01 x.mrc\" # the first\n\n",
              "data_particles\nloop_\n_rlnMicrographName\n" + names +
                  "'grid \"2\" 3 4.mrc' 10.5 20.25 5\n",
              std::string("data_a\n_rlnCoordinateX 10.5\n_rlnCoordinateY 20.25\n_rlnCoordinateZ "
                          "5 #\n"),
              "data_optics\nloop_\n_rlnOpticsGroup #1\n1\n\ndata_particles\r\nloop_\r\n" + names +
                  "10.5 20.25 5\r\n",
              "data_all\nloop_\n_other\n7\nloop_\n" + names + "10.5 20.25 5\n"}) {
            const auto positions = read(text);
            QCOMPARE(positions.size(), std::size_t{1});
            QVERIFY2(positions[0].centre == first[0].centre, text.c_str());
        }
        const auto refused = [&](const std::string& text, const char* words) {
            const auto error = test::errorOf([&] { (void)read(text); });
            return error && std::string(error->what()).find(words) != std::string::npos;
        };
        QVERIFY(refused("data_\nloop_\n" + names + "1 2\n", "2 values for 3 columns"));
        QVERIFY(refused("data_\nloop_\n" + names + "1 2 \"3\n", "not closed"));
        QVERIFY(refused("data_\nloop_\n_orig_x\n_orig_y\n1 2\n", "no column _rlnCoordinateX"));
        QVERIFY(refused("data_\nloop_\n_orig_x\n_orig_y\n1 2\n", "_orig_x, _orig_y"));
    }

    void aNameWithBlanksIsOneValueOfAStarFile() {
        const io::PositionList list = listIn("TS 01 of \"A\".mrc");
        for (const ListFormat format : {ListFormat::Relion4, ListFormat::Relion5}) {
            const std::string text = io::listText(list, format);
            QCOMPARE(io::parseList(text, format, list.place, "l.star").positions.size(),
                     list.positions.size());
        }
    }

    void aRowOfAStarFileBeginsWithNoWordOfTheFormat() {
        for (const char* scene : {"_tomo.mrc", "data_tomo.mrc", "loop_.mrc"}) {
            const io::PositionList list = listIn(scene);
            for (const ListFormat format : {ListFormat::Relion4, ListFormat::Relion5}) {
                const std::string text = io::listText(list, format);
                QCOMPARE(io::parseList(text, format, list.place, "l.star").positions.size(),
                         list.positions.size());
            }
        }
    }

    void theSeriesOfAFileIsItsNameWithoutWhatProgramsAdd_data() {
        QTest::addColumn<QString>("series");
        for (const char* name :
             {"TS_01.mrc", "rec_TS_01.mrc", "TS_01_10.00Apx.mrc", "TS_01_Vol.mrc", "TS_01_rec.mrc",
              "TS_01_bin4_rec.mrc", "folder/TS_01.tomostar", "TS_01.rec", "TS_01_b4_EVN.mrc"}) {
            QTest::newRow(name) << QStringLiteral("TS_01");
        }
        // A name that is only an ending, or has one within it, stays.
        QTest::newRow("_rec.mrc") << QStringLiteral("_rec");
        QTest::newRow("rec_.mrc") << QStringLiteral("rec_");
        QTest::newRow("record.mrc") << QStringLiteral("record");
        QTest::newRow("TS_rec_2.mrc") << QStringLiteral("TS_rec_2");
        QTest::newRow("tomo_0.25.mrc") << QStringLiteral("tomo_0.25");
    }

    void theSeriesOfAFileIsItsNameWithoutWhatProgramsAdd() {
        QFETCH(QString, series);
        QCOMPARE(QString::fromStdString(io::seriesOf(QTest::currentDataTag())), series);
    }

    void rowsOfTheScenesSeriesAreRead_data() {
        QTest::addColumn<QString>("column");
        QTest::addColumn<QString>("ending");
        QTest::newRow("relion") << "rlnTomoName"
                                << "";
        QTest::newRow("warp") << "rlnTomoName"
                              << ".tomostar";
        QTest::newRow("warp before July 2024") << "rlnMicrographName"
                                               << ".tomostar";
    }

    void rowsOfTheScenesSeriesAreRead() {
        QFETCH(QString, column);
        QFETCH(QString, ending);
        const std::string text = rowsOfThree(column.toStdString(), ending.toStdString());
        for (const char* scene : {"TS_02.mrc", "a/rec_TS_02.mrc", "TS_02_10.00Apx.mrc"}) {
            const io::PositionList list = read(text, ListFormat::Warp, scene);
            QCOMPARE(list.positions.size(), std::size_t{2});
            QCOMPARE(list.positions[1].centre[0], 21.0);
            QCOMPARE(list.notes.size() > 0 && list.notes[0].starts_with("of 6 rows 2 are of"),
                     true);
        }
        // What the option names counts, whatever the scene is called.
        for (const char* scene : {"TS_02.mrc", "scene.mha", ""}) {
            for (const char* wanted : {"TS_03", "TS_01"}) {
                QCOMPARE(read(text, ListFormat::Warp, scene, wanted).positions.size(),
                         wanted[4] == '3' ? std::size_t{3} : std::size_t{1});
            }
        }
    }

    void rowsOfNoSeriesOfTheSceneAreRefusedByTheirNames() {
        const std::string text = rowsOfThree("rlnTomoName", "");
        const std::string other = refusalOf(text, ListFormat::Warp, "TS_04.mrc");
        QVERIFY2(other.find("3 tomograms (TS_01, TS_02, TS_03)") != other.npos, other.c_str());
        QVERIFY2(other.find("--tomogram") != other.npos, other.c_str());
        // "TS_0" begins the names of all, and is none of them.
        QVERIFY(!refusalOf(text, ListFormat::Warp, "TS_0.mrc").empty());
        QVERIFY(!refusalOf(text, ListFormat::Warp, "").empty());
        QVERIFY(!refusalOf(text, ListFormat::Warp, "TS_02.mrc", "TS_04").empty());
    }

    void theNameItselfGoesBeforeThoseThatLeadToIt() {
        const std::string head =
            "data_\nloop_\n_rlnTomoName\n_rlnCoordinateX\n_rlnCoordinateY\n_rlnCoordinateZ\n";
        const std::string text = head + "TS_01 1 2 3\nTS_01_rec 4 5 6\n\"\" 7 8 9\n";
        const auto firstOf = [&](const char* scene, const char* wanted = "") {
            const io::PositionList list = read(text, ListFormat::Warp, scene, wanted);
            return list.positions.size() == 1 ? list.positions[0].centre[0] : -1;
        };
        QCOMPARE(firstOf("TS_01.mrc"), 1.0);
        QCOMPARE(firstOf("TS_01_rec.mrc"), 4.0);
        QCOMPARE(firstOf("rec_TS_01.mrc"), -1.0); // both lead to it: two rows
        QCOMPARE(firstOf("other.mrc", "TS_01"), 1.0);
        QVERIFY(!refusalOf(text, ListFormat::Warp, "").empty()); // no name is not that of no scene
    }

    void oneSeriesNeedsNotBeNamedAsTheScene() {
        const std::string text = io::listText(listIn("TS_01.mrc"), ListFormat::Relion5);
        QCOMPARE(read(text, ListFormat::Relion5, "copy.mrc").positions.size(), std::size_t{1});
        QVERIFY(!refusalOf(text, ListFormat::Relion5, "copy.mrc", "TS_07").empty());
    }

    void tablesOfDynamoNumberTheirTomograms() {
        const std::string row = io::listText(listIn("TS_01.mrc"), ListFormat::Dynamo);
        std::string second = row;
        // Column 20 is the number of the tomogram.
        std::size_t at = 0;
        for (int column = 1; column < 20; ++column) {
            at = second.find(' ', at) + 1;
        }
        QCOMPARE(second.substr(at, 2), std::string("1 "));
        second[at] = '7';
        const std::string text = row + second + second;
        const std::string refusal = refusalOf(text, ListFormat::Dynamo, "TS_01.mrc");
        QVERIFY2(refusal.find("2 tomograms (1, 7)") != refusal.npos, refusal.c_str());
        QCOMPARE(read(text, ListFormat::Dynamo, "TS_01.mrc", "7").positions.size(), std::size_t{2});
        QCOMPARE(read(text, ListFormat::Dynamo, "TS_01.mrc", "1").positions.size(), std::size_t{1});
    }

    void theNameIsTheOneThatIsSaidOrProposed() {
        for (const auto format :
             {ListFormat::Relion4, ListFormat::Relion5, ListFormat::Warp, ListFormat::M}) {
            QVERIFY(io::infoOf(format).named);
            const io::PositionList bare = listIn("rec_TS_01.mrc");
            const std::vector<std::string> notes = io::listNotes(bare, format);
            QVERIFY(std::ranges::any_of(notes, [](const std::string& note) {
                return note.find("if its series is TS_01, say so by --tomogram") != note.npos;
            }));
            const io::PositionList said = listIn("rec_TS_01.mrc", "TS_01");
            const std::string text = io::listText(said, format);
            const char* const written =
                format == ListFormat::Warp ? "\nTS_01.tomostar\t" : "\nTS_01\t";
            QVERIFY2(text.find(written) != text.npos, text.c_str());
            QVERIFY(std::ranges::none_of(io::listNotes(said, format), [](const std::string& note) {
                return note.find("--tomogram") != note.npos;
            }));
        }
        QVERIFY(!io::infoOf(ListFormat::Imod).named && !io::infoOf(ListFormat::Dynamo).named);
    }
};

const flcc::test::TestClass<ListTomogramTest> kListTomogramTest;
#include "list_tomogram_test.moc"
