#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

constexpr const char* kVolume = "type: uint8\ndimension: 3\nsizes: 4 3 2\nencoding: raw\n";

std::string withHeader(const std::string& lines, std::size_t bytes = 24) {
    std::string file = "NRRD0005\n" + lines + "\n";
    for (std::size_t i = 0; i < bytes; ++i) {
        file += static_cast<char>('a' + i % 24);
    }
    return file;
}

bool close(const base::Point& a, const base::Point& b) {
    return std::abs(a[0] - b[0]) < 1e-12 && std::abs(a[1] - b[1]) < 1e-12 &&
           std::abs(a[2] - b[2]) < 1e-12;
}

} // namespace

class NrrdFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    base::Geometry gridOf(const std::string& lines) const {
        test::writeFile(at("g.nrrd"), withHeader(lines));
        return io::readImageInfo(at("g.nrrd")).geometry;
    }

  private Q_SLOTS:
    void everySpellingOfATypeReads_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("type");
        const auto row = [](const char* words, PixelType type) {
            QTest::newRow(std::string(base::name(type)).c_str()) << words << static_cast<int>(type);
        };
        row("signed char,int8,int8_t", PixelType::Int8);
        row("uchar,unsigned char,uint8,uint8_t,UInt8", PixelType::UInt8);
        row("short,short int,signed short,signed short int,int16,int16_t", PixelType::Int16);
        row("ushort,unsigned short,unsigned short int,uint16,uint16_t", PixelType::UInt16);
        row("int,signed int,int32,int32_t", PixelType::Int32);
        row("uint,unsigned int,uint32,uint32_t", PixelType::UInt32);
        row("longlong,long long,long long int,signed long long,signed long long int,int64,int64_t",
            PixelType::Int64);
        row("ulonglong,unsigned long long,unsigned long long int,uint64,uint64_t",
            PixelType::UInt64);
        row("float,FLOAT", PixelType::Float32);
        row("double", PixelType::Float64);
    }
    void everySpellingOfATypeReads() {
        QFETCH(QString, words);
        QFETCH(int, type);
        for (const QString& word : words.split(',')) {
            test::writeFile(at("t.nrrd"),
                            withHeader("type: " + word.toStdString() +
                                           "\ndimension: 1\nsizes: 3\nendian: little\n"
                                           "encoding: raw\n",
                                       24));
            QCOMPARE(static_cast<int>(io::readImageInfo(at("t.nrrd")).pixel), type);
        }
    }

    void spacesAreTurnedToLeftPosteriorSuperior_data() {
        QTest::addColumn<QString>("space");
        QTest::addColumn<double>("x");
        QTest::addColumn<double>("y");
        for (const auto& [name, x, y] :
             {std::tuple{"right-anterior-superior", -1, -1}, std::tuple{"RAS", -1, -1},
              std::tuple{"left-anterior-superior", 1, -1}, std::tuple{"LAS", 1, -1},
              std::tuple{"left-posterior-superior", 1, 1}, std::tuple{"lps", 1, 1},
              std::tuple{"scanner-xyz", 1, 1}, std::tuple{"3D-right-handed", 1, 1}}) {
            QTest::newRow(name) << name << 1.0 * x << 1.0 * y;
        }
    }
    void spacesAreTurnedToLeftPosteriorSuperior() {
        QFETCH(QString, space);
        QFETCH(double, x);
        QFETCH(double, y);
        const base::Geometry grid =
            gridOf(kVolume + ("space: " + space.toStdString()) +
                   "\nspace directions: (0.5,0,0) (0,0.6,0.8) (0,-1.6,1.2)\n"
                   "space origin: (1,2,3)\n");
        QVERIFY(close(grid.spacing, {0.5, 1, 2}));
        QVERIFY(close(grid.origin, {x * 1, y * 2, 3}));
        const std::array<double, 9> expected{x, 0, 0, 0, y * 0.6, y * -0.8, 0, 0.8, 0.6};
        for (std::size_t i = 0; i < 9; ++i) {
            QVERIFY(std::abs(grid.direction[i] - expected[i]) < 1e-15);
        }
        QVERIFY(grid.unitSource == base::UnitSource::Missing);
    }

    void theOriginFollowsFromTheEndsOfTheAxes_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<double>("x");
        QTest::addColumn<double>("y");
        QTest::addColumn<double>("z");
        QTest::newRow("mins alone") << "axis mins: 1 2 3" << 0.0 << 0.0 << 0.0;
        QTest::newRow("mins and spacings")
            << "axis mins: 1 2 3\nspacings: 2 3 4" << 2.0 << 3.5 << 5.0;
        QTest::newRow("mins and maxs") << "axis mins: 1 2 3\naxis maxs: 9 8 7" << 2.0 << 3.0 << 4.0;
        QTest::newRow("nodes") << "axis mins: 1 2 3\naxis maxs: 9 8 7\ncenters: node node node"
                               << 1.0 << 2.0 << 3.0;
        QTest::newRow("unknown") << "axis mins: 1 2 3\nspacings: 2 nan 4" << 0.0 << 0.0 << 0.0;
    }
    void theOriginFollowsFromTheEndsOfTheAxes() {
        QFETCH(QString, lines);
        QFETCH(double, x);
        QFETCH(double, y);
        QFETCH(double, z);
        QCOMPARE(gridOf(kVolume + lines.toStdString() + "\n").origin, (base::Point{x, y, z}));
    }

    void theEndsOfTheAxesGiveTheSpacing() {
        const std::string ends = "axis mins: 0 0 0\naxis maxs: 80 60 40\n";
        base::Geometry grid = gridOf(kVolume + ends + "centers: cell cell cell\n");
        QVERIFY(close(grid.spacing, {20, 20, 20}));
        QVERIFY(close(grid.origin, {10, 10, 10}));
        grid = gridOf(kVolume + ends + "centers: node node node\n"); // one step less
        QVERIFY(close(grid.spacing, {80.0 / 3, 30, 40}));
        QVERIFY(close(grid.origin, {0, 0, 0}));
    }

    void everyAxisHasItsOwnUnit() {
        const std::string spacings = "spacings: 0.5 0.5 2\n";
        base::Geometry grid = gridOf(kVolume + spacings + "units: \"um\" \"um\" \"mm\"\n");
        QCOMPARE(grid.unit, std::string("um"));
        QVERIFY(close(grid.spacing, {0.5, 0.5, 2000}));
        // The first axis is of colours and has no unit.
        test::writeFile(at("u.nrrd"),
                        withHeader("type: uint8\ndimension: 4\nsizes: 3 2 2 2\nencoding: raw\n"
                                   "kinds: RGB-color domain domain domain\n"
                                   "spacings: nan .5 .5 .5\nunits: \"\" \"um\" \"um\" \"um\"\n"));
        grid = io::readImageInfo(at("u.nrrd")).geometry;
        QCOMPARE(grid.unit, std::string("um"));
        QVERIFY(close(grid.spacing, {0.5, 0.5, 0.5}));
        const std::string space = "space dimension: 3\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n";
        QCOMPARE(gridOf(kVolume + space + "space units: \"nm\" \"nm\" \"nm\"\n").unit,
                 std::string("nm"));
        const auto error = test::errorOf(
            [&] { (void)gridOf(kVolume + space + "space units: \"nm\" \"nm\" \"mm\"\n"); });
        QVERIFY(error && std::string(error->what()).find("different units") != std::string::npos);
    }

    void textsAndUnusedFieldsAreNoHindrance() {
        test::writeFile(at("f.nrrd"),
                        withHeader(std::string("# a comment\n") + kVolume +
                                   "content: a volume\nnumber: 24\nmin: 0\nmax: 9\noldmin: 0\n"
                                   "old max: 1\nlabels: \"a\" \"b\" \"c\"\nthicknesses: 1 1 nan\n"
                                   "sample units: K\ncenterings: cell ??? none\nkey:=a value\n"
                                   "two\\nlines:=a\\\\b\n"));
        const io::ImageInfo info = io::readImageInfo(at("f.nrrd"));
        QVERIFY((info.extents == base::Extents{4, 3, 2}));
        QCOMPARE(info.metadata,
                 (std::map<std::string, std::string>{{"key", "a value"}, {"two\nlines", "a\\b"}}));
        QVERIFY(info.complete);
    }

    /// ITK's parser wrote beyond a buffer on refused lines of about 956 characters.
    void aLongLineIsReadOrRefused_data() {
        QTest::addColumn<QString>("field");
        for (const char* field : {"#",
                                  "content: ",
                                  "number: ",
                                  "type: ",
                                  "block size: ",
                                  "dimension: ",
                                  "space: ",
                                  "space dimension: ",
                                  "sizes: ",
                                  "spacings: ",
                                  "thicknesses: ",
                                  "axis mins: ",
                                  "axis maxs: ",
                                  "space directions: ",
                                  "centers: ",
                                  "kinds: ",
                                  "labels: ",
                                  "units: ",
                                  "min: ",
                                  "max: ",
                                  "old min: ",
                                  "old max: ",
                                  "endian: ",
                                  "encoding: ",
                                  "line skip: ",
                                  "byte skip: ",
                                  "sample units: ",
                                  "space units: ",
                                  "space origin: ",
                                  "measurement frame: ",
                                  "data file: ",
                                  "key:=",
                                  "nonsense",
                                  ""}) {
            QTest::newRow(field) << field;
        }
    }
    void aLongLineIsReadOrRefused() {
        QFETCH(QString, field);
        for (const int length : {100, 900, 956, 1000, 1100, 2000, 4100, 8192, 9000, 100000}) {
            for (const char* fill : {"x", " ", "1 ", "(", "\"", "%", "\xff"}) {
                std::string value;
                while (value.size() < static_cast<std::size_t>(length)) {
                    value += fill;
                }
                for (const bool first : {false, true}) {
                    const std::string line = field.toStdString() + value + "\n";
                    test::writeFile(at("l.nrrd"),
                                    withHeader(first ? line + kVolume : kVolume + line));
                    const auto error = test::errorOf([&] { (void)io::readImage(at("l.nrrd")); });
                    QVERIFY(!error || error->code() == ErrorCode::Input);
                    QVERIFY(!error || std::string(error->what()).size() < 400);
                    const bool free = field == "#" || field == "key:=";
                    QVERIFY(!free || !error);
                }
            }
        }
    }

    void whatContradictsItselfIsRefused_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("word");
        const QString volume = kVolume;
        const auto row = [](const char* name, const QString& lines, const char* word) {
            QTest::newRow(name) << lines << word;
        };
        row("unknown field", volume + "foo: bar\n", "foo: bar");
        row("a field twice", volume + "type: uint8\n", "twice");
        row("spacing and space", volume + "spacings: 1 1 1\nspace: LPS\n", "contradict");
        row("directions without space", volume + "space directions: (1,0,0) (0,1,0) (0,0,1)\n",
            "without a space");
        row("origin without space", volume + "space origin: (1,0,0)\n", "without a space");
        row("few directions", volume + "space: LPS\nspace directions: (1,0,0) (0,1,0)\n",
            "space directions");
        row("short direction", volume + "space: LPS\nspace directions: (1,0) (0,1,0) (0,0,1)\n",
            "space directions");
        row("open direction", volume + "space: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1\n",
            "space directions");
        row("NaN direction", volume + "space: LPS\nspace directions: (1,0,0) (0,nan,0) (0,0,1)\n",
            "space directions");
        row("huge direction",
            volume + "space: LPS\nspace directions: (1,0,0) (0,1e300,0) (0,0,1)\n", "1e300");
        row("NaN origin", volume + "space: LPS\nspace origin: (1,nan,0)\n", "space origin");
        row("zero direction", volume + "space: LPS\nspace directions: (0,0,0) (0,1,0) (0,0,1)\n",
            "spacing of 0");
        row("unknown space", volume + "space: outer\n", "outer");
        row("space of other dimension",
            "type: uint8\ndimension: 2\nsizes: 4 3\nencoding: raw\nspace: LPS\n", "3 dimensions");
        row("space dimension 0", volume + "space dimension: 0\n", "space dimension");
        row("space dimension 9", volume + "space dimension: 9\n", "space dimension");
        row("zero spacing", volume + "spacings: 1 0 1\n", "spacing of 0");
        row("negative spacing", volume + "spacings: 1 -1 1\n", "spacing of -1");
        row("infinite spacing", volume + "spacings: 1 inf 1\n", "inf");
        row("no number", volume + "spacings: 1 a 1\n", "a");
        row("few spacings", volume + "spacings: 1 1\n", "3 dimensions");
        row("unknown kind", volume + "kinds: domain domain colour\n", "colour");
        row("kind of other size", volume + "kinds: RGB-color domain domain\n", "RGB-color");
        row("two axes of colours",
            "type: uint8\ndimension: 3\nsizes: 3 3 2\nkinds: RGB-color RGB-color domain\n"
            "encoding: raw\n",
            "several");
        row("complex",
            "type: float\ndimension: 2\nsizes: 2 3\nkinds: complex domain\n"
            "endian: little\nencoding: raw\n",
            "complex");
        row("values alone", "type: uint8\ndimension: 1\nsizes: 24\nkinds: vector\nencoding: raw\n",
            "0 axes");
        row("no byte order", "type: int16\ndimension: 1\nsizes: 3\nencoding: raw\n", "endian");
        row("unknown byte order", volume + "endian: middle\n", "middle");
        row("no type", "dimension: 1\nsizes: 3\nencoding: raw\n", "type");
        row("no sizes", "type: uint8\ndimension: 1\nencoding: raw\n", "sizes");
        row("no dimension", "type: uint8\nsizes: 3\nencoding: raw\n", "dimension");
        row("17 dimensions",
            "type: uint8\ndimension: 17\nsizes: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
            "encoding: raw\n",
            "17");
        row("negative size", "type: uint8\ndimension: 2\nsizes: 4 -3\nencoding: raw\n", "-3");
        row("huge",
            "type: uint8\ndimension: 3\nsizes: 2147483647 2147483647 2147483647\n"
            "encoding: raw\n",
            "2147483647");
        row("huge and packed",
            "type: uint8\ndimension: 3\nsizes: 2147483647 2147483647 2147483647\n"
            "encoding: gzip\n",
            "2147483647");
        row("more channels than fit",
            "type: uint8\ndimension: 2\nsizes: 99999999999 1\nkinds: list domain\nencoding: gzip\n",
            "99999999999");
        row("bzip2", "type: uint8\ndimension: 1\nsizes: 3\nencoding: bzip2\n", "bzip2");
        row("packed from the end",
            "type: uint8\ndimension: 1\nsizes: 3\nencoding: gzip\n"
            "byte skip: -1\n",
            "byte skip");
        row("negative line skip", volume + "line skip: -1\n", "line skip");
        row("more lines than there are", volume + "line skip: 99999999999\n", "truncated");
        row("more bytes than there are", volume + "byte skip: 9223372036854775807\n", "truncated");
    }
    void whatContradictsItselfIsRefused() {
        QFETCH(QString, lines);
        QFETCH(QString, word);
        test::writeFile(at("c.nrrd"), withHeader(lines.toStdString()));
        const auto error = test::errorOf([&] { (void)io::readImage(at("c.nrrd")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY2(QString::fromStdString(error->what()).contains(word), error->what());
    }

    void aHeaderWithoutAnEndIsRefused() {
        test::writeFile(at("e.nrrd"), "NRRD0004\n" + std::string(kVolume));
        QVERIFY(test::errorOf([&] { (void)io::readImage(at("e.nrrd")); }));
        // With the voxels in a file of their own, the header needs none.
        test::writeFile(at("e.nhdr"), "NRRD0004\n" + std::string(kVolume) + "data file: e.raw");
        test::writeFile(at("e.raw"), std::string(24, 'x'));
        QVERIFY(!io::readImage(at("e.nhdr")).components.empty());
        std::string header = "NRRD0004\n" + std::string(kVolume);
        for (int i = 0; header.size() < (std::size_t{1} << 20) + 100; ++i) {
            header += "# a line that makes the header long\n";
        }
        test::writeFile(at("e.nrrd"), header + "\n" + std::string(24, 'x'));
        const auto error = test::errorOf([&] { (void)io::readImage(at("e.nrrd")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void otherVersionsAreRefused() {
        for (const char* magic : {"NRRD0006", "NRRD0000", "NRRD0004x"}) {
            test::writeFile(at("m.nrrd"),
                            std::string(magic) + "\n" + kVolume + "\n" + std::string(24, 'x'));
            QVERIFY(test::errorOf([&] { (void)io::readImage(at("m.nrrd")); }));
        }
        test::writeFile(at("m.nrrd"),
                        std::string("NRRD0001\r\n") +
                            "type: uint8\r\ndimension: 1\r\nsizes: 3\r\nencoding: raw\r\n\r\nabc");
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(at("m.nrrd")).components[0]), {2, 0, 0}),
                 static_cast<double>('c'));
    }

    void aLinkThatLeadsElsewhereIsRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("header");
        QTest::newRow("MetaImage") << "a.mhd"
                                   << "NDims = 2\nDimSize = 5 2\nElementType = MET_UCHAR\n"
                                      "ElementDataFile = link.raw\n";
        QTest::newRow("NRRD") << "a.nhdr"
                              << "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 5 2\n"
                                 "encoding: raw\ndata file: link.raw\n";
    }
    void aLinkThatLeadsElsewhereIsRefused() {
        QFETCH(QString, name);
        QFETCH(QString, header);
        const QTemporaryDir other;
        const std::filesystem::path secret =
            std::filesystem::path(other.path().toStdString()) / "secret.raw";
        test::writeFile(secret, std::string(10, 's'));
        test::writeFile(at("inside.raw"), std::string(10, 'i'));
        test::writeFile(at(name.toStdString()), header.toStdString());
        const auto link = at("link.raw");
        std::filesystem::remove(link);
        std::filesystem::create_symlink(secret, link);
        for (const bool digests : {false, true}) {
            const auto error = test::errorOf(
                [&] { (void)io::readImage(at(name.toStdString()), {.digests = digests}); });
            QVERIFY(error && error->code() == ErrorCode::Input);
            QVERIFY2(std::string(error->what()).find("link.raw is a link to") != std::string::npos,
                     error->what());
        }
        // A link in the folder, and a folder that is reached by a link, are allowed.
        std::filesystem::remove(link);
        std::filesystem::create_symlink("inside.raw", link);
        QVERIFY(!io::readImage(at(name.toStdString())).components.empty());
        const auto folder = std::filesystem::path(other.path().toStdString()) / "folder";
        std::filesystem::create_directory_symlink(m_folder.path().toStdString(), folder);
        QVERIFY(!io::readImage(folder / name.toStdString()).components.empty());
        std::filesystem::remove(link);
    }
};

const flcc::test::TestClass<NrrdFileTest> kNrrdFileTest;
#include "nrrd_file_test.moc"
