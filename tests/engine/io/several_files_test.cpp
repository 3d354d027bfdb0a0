#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cctype>

#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

namespace {

const std::string kNrrd = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 5 4 3\nendian: little\n";
const std::string kMha = "NDims = 3\nDimSize = 5 4 3\nElementType = MET_SHORT\n";

} // namespace

/// Headers that spread voxels over several files, and axes that are none of space.
class SeveralFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    base::AnyImage m_image = test::patternImage(PixelType::Int16, {5, 4, 3});
    test::Bytes m_voxels = test::voxelBytes(m_image);

    /// Part `number` of `count`.
    test::Bytes part(std::size_t number, std::size_t count) const {
        const auto size = static_cast<std::ptrdiff_t>(m_voxels.size() / count);
        const auto begin = m_voxels.begin() + static_cast<std::ptrdiff_t>(number) * size;
        return {begin, begin + size};
    }

  private Q_SLOTS:
    void listsAndPatternsAreRead_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("header");
        QTest::addColumn<QStringList>("files");
        const auto row = [](const char* name, const std::string& header, const QString& files) {
            QTest::newRow(name) << (header.starts_with("NRRD") ? "h.nhdr" : "h.mhd")
                                << QString::fromStdString(header) << files.split(' ');
        };
        const std::string nrrd = kNrrd + "encoding: raw\ndata file: ";
        const std::string mha = kMha + "ElementDataFile = ";
        row("NRRD list", nrrd + "LIST\na.raw\nb.raw\nc.raw\n", "a.raw b.raw c.raw");
        row("NRRD list without an end", nrrd + "LIST\na.raw\r\nb.raw\r\nc.raw",
            "a.raw b.raw c.raw");
        row("NRRD list of rows", nrrd + "LIST 1\n1 2\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
            "1_2 1 2 3 4 5 6 7 8 9 10 11");
        row("NRRD list of slices", nrrd + "LIST 2\nz\ny\nx\n", "z y x");
        row("NRRD list of parts of the last axis", nrrd + "LIST 3\nall\n", "all");
        row("NRRD pattern", nrrd + "s%d.raw 1 3 1\n", "s1.raw s2.raw s3.raw");
        row("NRRD pattern with zeros", nrrd + "s%03d.raw 8 10 1\n", "s008.raw s009.raw s010.raw");
        row("NRRD pattern by 5", nrrd + "s%02d.raw 5 16 5 2\n", "s05.raw s10.raw s15.raw");
        row("NRRD pattern downwards", nrrd + "s%d.raw 2 0 -1\n", "s2.raw s1.raw s0.raw");
        row("NRRD pattern of two percents", nrrd + "%%s%i 1 3 1\n", "%s1 %s2 %s3");
        row("NRRD name that begins as a list", nrrd + "LISTED\n", "LISTED");
        row("NRRD name with a percent", nrrd + "50%.raw\n", "50%.raw");
        row("MetaImage name that begins as a list", mha + "LISTED\n", "LISTED");
        row("MetaImage list", mha + "LIST\na.raw\nb.raw\nc.raw\n", "a.raw b.raw c.raw");
        row("MetaImage list of slices", mha + "LIST 2D\na\nb\nc\n", "a b c");
        row("MetaImage list of volumes", mha + "LIST 3\na\n", "a");
        row("MetaImage pattern", mha + "p%03d.raw 1 3 1\n", "p001.raw p002.raw p003.raw");
        row("MetaImage pattern from 0", mha + "p%d.raw 0 2\n", "p0.raw p1.raw p2.raw");
        row("MetaImage pattern without a range", mha + "p%d.raw\n", "p1.raw p2.raw p3.raw");
    }
    void listsAndPatternsAreRead() {
        QFETCH(QString, name);
        QFETCH(QString, header);
        QFETCH(QStringList, files);
        const auto count = static_cast<std::size_t>(files.size());
        const auto nameOf = [&](std::size_t i) {
            return files[static_cast<int>(i)].replace('_', ' ').toStdString();
        };
        for (std::size_t i = 0; i < count; ++i) {
            test::writeFile(at(nameOf(i)), part(i, count));
        }
        const auto path = at(name.toStdString());
        test::writeFile(path, header.toStdString());
        for (const bool digests : {false, true}) {
            const io::LoadedImage loaded = io::readImage(path, {.digests = digests});
            QVERIFY(test::sameBits(loaded.components.front(), m_image));
            QVERIFY(loaded.info.complete);
            QCOMPARE(test::holds(loaded.info.notes, "lie in " + std::to_string(count) + " files"),
                     count > 1);
            QCOMPARE(loaded.files.size(), digests ? count + 1 : std::size_t{0});
        }
        QVERIFY(io::verifyImage(path).complete);
        io::ProtectedFiles inputs;
        inputs.addImage(path);
        for (std::size_t i = 0; i < count; ++i) {
            QVERIFY(inputs.find(at(nameOf(i))) != nullptr);
        }
        // A file that is too short, or missing.
        test::Bytes shorter = part(count - 1, count);
        shorter.pop_back();
        test::writeFile(at(nameOf(count - 1)), shorter);
        QVERIFY(test::errorOf([&] { (void)io::readImage(path); }));
        std::filesystem::remove(at(nameOf(count - 1)));
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
    }

    void severalFilesMayBePackedOrHaveHeaders() {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string number = std::to_string(i);
            test::writeFile(at("g" + number), test::gzip(part(i, 3)));
            test::writeFile(at("d" + number), test::deflated(part(i, 3)));
            test::Bytes after{'a', '\n', 'b', '\n'};
            after.resize(4 + i * 0);
            for (const unsigned char byte : part(i, 3)) {
                after.push_back(byte);
            }
            test::writeFile(at("l" + number), after);
            test::Bytes end(10 * (i + 1), 'x'); // another number of bytes in each
            for (const unsigned char byte : part(i, 3)) {
                end.push_back(byte);
            }
            test::writeFile(at("e" + number), end);
        }
        const auto verify = [&](const char* name, const std::string& header) {
            test::writeFile(at(name), header);
            QVERIFY2(test::sameBits(io::readImage(at(name)).components.front(), m_image),
                     header.c_str());
        };
        verify("p.nhdr", kNrrd + "encoding: gzip\ndata file: g%d 0 2 1\n");
        verify("p.nhdr", kNrrd + "encoding: raw\nline skip: 2\ndata file: l%d 0 2 1\n");
        verify("p.nhdr", kNrrd + "encoding: raw\nbyte skip: 4\ndata file: l%d 0 2 1\n");
        verify("p.nhdr", kNrrd + "encoding: raw\nbyte skip: -1\ndata file: e%d 0 2 1\n");
        verify("p.mhd", kMha + "CompressedData = True\nElementDataFile = d%d 0 2 1\n");
        verify("p.mhd", kMha + "HeaderSize = -1\nElementDataFile = e%d 0 2 1\n");
        verify("p.mhd", kMha + "HeaderSize = 4\nElementDataFile = l%d 0 2 1\n");
    }

    void manyFilesNeedNoDescriptorEach() {
        constexpr int kFiles = 1500; // more than a process may have open, usually 1024
        std::string names;
        for (int i = 0; i < kFiles; ++i) {
            const std::string name = "m" + std::to_string(i);
            test::writeFile(at(name), test::Bytes{static_cast<unsigned char>(i % 251)});
            names += name + "\n";
        }
        test::writeFile(at("m.mhd"), "NDims = 3\nDimSize = 1 1 1500\nElementType = MET_UCHAR\n"
                                     "ElementDataFile = LIST\n" +
                                         names);
        const io::LoadedImage loaded = io::readImage(at("m.mhd"), {.digests = true});
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {0, 0, kFiles - 1}),
                 static_cast<double>((kFiles - 1) % 251));
        QCOMPARE(loaded.files.size(), std::size_t{kFiles + 1});
        QCOMPARE(loaded.files.back().sha256.size(), std::size_t{64});
    }

    void whatDoesNotFitIsRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("last");
        QTest::addColumn<QString>("word");
        for (const bool nrrd : {true, false}) {
            const auto row = [&](const char* last, const char* word) {
                QTest::addRow("%s %s", nrrd ? "NRRD" : "MetaImage", last)
                    << (nrrd ? "r.nhdr" : "r.mhd") << last << word;
            };
            row("LIST\nf1\nf2\n", "2 files");
            row("LIST\nf1\nf2\nf3\nf1\n", "4 files");
            row("LIST\n", "0 files");
            row("LIST\nf1\n../f2\nf3\n", "another folder");
            row("LIST\nf1\n/etc/passwd\nf3\n", "another folder");
            row("f%d 1 4 1\n", "need 3 files");
            row("f%d 1 9000000000000000000 1\n", "need 3 files");
            row("f%d 1 3 0\n", "");
            row("f%d -9223372036854775808 3 1\n", "need 3 files");
            row("f%d 9223372036854775807\n", "");
            row("f%s 1 3 1\n", "not one number");
            row("f%d%d 1 3 1\n", "not one number");
            row("f%99999999999d 1 3 1\n", "not one number");
            row("f%n 1 3 1\n", "not one number");
            row("../f%d 1 3 1\n", "another folder");
        }
        QTest::newRow("huge") << "huge"
                              << "f%d 1 1000000000 1\n"
                              << "";
    }
    void whatDoesNotFitIsRefused() {
        QFETCH(QString, name);
        QFETCH(QString, last);
        QFETCH(QString, word);
        for (const char* file : {"f1", "f2", "f3"}) {
            test::writeFile(at(file), part(0, 3));
        }
        std::string header =
            name == "r.nhdr" ? kNrrd + "encoding: raw\ndata file: " : kMha + "ElementDataFile = ";
        if (name == "huge") {
            header = "NDims = 3\nDimSize = 1 1 1000000000\nElementType = MET_UCHAR\n"
                     "ElementDataFile = ";
        }
        test::writeFile(at(name.toStdString() + ".mhd"), header + last.toStdString());
        const auto error =
            test::errorOf([&] { (void)io::readImage(at(name.toStdString() + ".mhd")); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        QVERIFY2(QString::fromStdString(error->what()).contains(word), error->what());
    }

    void textElementsOfMetaImageAreRead() {
        test::writeFile(at("t.mha"), "NDims = 2\nBinaryData = False\nDimSize = 3 2\n"
                                     "ElementType = MET_SHORT\nElementDataFile = LOCAL\n"
                                     "1 -2 3\n4.0 1.5e+01 600\n");
        const io::LoadedImage loaded = io::readImage(at("t.mha"));
        const std::array<double, 6> right{1, -2, 3, 4, 15, 600};
        for (std::size_t i = 0; i < 6; ++i) {
            QCOMPARE(base::valueAt(
                         base::viewOf(loaded.components[0]),
                         {static_cast<std::int64_t>(i % 3), static_cast<std::int64_t>(i / 3), 0}),
                     right[i]);
        }
        for (const char* bad : {"1 2 3 4 5\n", "1 2 3 4 5 x\n", "1 2 3 4 5 6.5\n",
                                "1 2 3 4 5 40000\n", "1 2 3 4 5 4e9\n"}) {
            test::writeFile(at("t.mha"), "NDims = 2\nBinaryData = False\nDimSize = 3 2\n"
                                         "ElementType = MET_SHORT\nElementDataFile = LOCAL\n" +
                                             std::string(bad));
            QVERIFY2(test::errorOf([&] { (void)io::readImage(at("t.mha")); }), bad);
        }
        test::writeFile(at("t.mhd"), "NDims = 2\nBinaryData = False\nDimSize = 2 1\n"
                                     "ElementNumberOfChannels = 3\nElementType = MET_UCHAR\n"
                                     "ElementDataFile = t.txt\n");
        test::writeFile(at("t.txt"), std::string("1 2 3 4 5 6"));
        QCOMPARE(base::valueAt(base::viewOf(io::readImage(at("t.mhd")).components[1]), {1, 0, 0}),
                 5.0);
    }

    /// Sizes 5 4 2 of space, 3 of another axis, at each place among them.
    void axesThatAreNoneOfSpaceMayStandAnywhere_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("place");
        QTest::addColumn<bool>("packed");
        for (const char* kind :
             {"time", "list", "vector", "none", "RGB-color", "3-vector", "???"}) {
            for (int place = 0; place < 4; ++place) {
                QTest::addRow("%s at %d", kind, place) << kind << place << (place % 2 == 1);
            }
        }
    }
    void axesThatAreNoneOfSpaceMayStandAnywhere() {
        QFETCH(QString, kind);
        QFETCH(int, place);
        QFETCH(bool, packed);
        const auto value = [](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c) {
            return static_cast<unsigned char>(x + 5 * y + 20 * z + 50 * c);
        };
        std::array<std::int64_t, 4> sizes{5, 4, 2, 3}; // x, y, z, c
        std::array<std::size_t, 4> order{0, 1, 2, 3};
        std::rotate(order.begin() + place, order.begin() + 3, order.end());
        std::string lengths;
        std::string kinds;
        std::string directions;
        const std::array<std::string, 3> vectors{"(2,0,0)", "(0,3,0)", "(0,0,4)"};
        for (const std::size_t axis : order) {
            lengths += " " + std::to_string(sizes[axis]);
            kinds += " " + (axis == 3 ? kind.toStdString() : std::string("space"));
            directions += " " + (axis == 3 ? std::string("none") : vectors[axis]);
        }
        test::Bytes voxels;
        std::array<std::int64_t, 4> at4{};
        for (std::int64_t i = 0; i < 120; ++i) {
            std::int64_t left = i;
            for (const std::size_t axis : order) {
                at4[axis] = left % sizes[axis];
                left /= sizes[axis];
            }
            voxels.push_back(value(at4[0], at4[1], at4[2], at4[3]));
        }
        if (packed) {
            voxels = test::gzip(voxels);
        }
        const std::string header =
            "NRRD0004\ntype: uint8\ndimension: 4\nspace: right-anterior-superior\nsizes:" +
            lengths + "\nspace directions:" + directions + "\nkinds:" + kinds +
            "\nencoding: " + (packed ? "gzip" : "raw") + "\n\n";
        test::Bytes file(header.begin(), header.end());
        file.insert(file.end(), voxels.begin(), voxels.end());
        test::writeFile(at("a.nrrd"), file);
        const io::ImageInfo info = io::readImageInfo(at("a.nrrd"));
        QVERIFY((info.extents == base::Extents{5, 4, 2}));
        QCOMPARE(info.geometry.spacing, (base::Point{2, 3, 4}));
        QCOMPARE(info.geometry.direction, (std::array<double, 9>{-1, 0, 0, 0, -1, 0, 0, 0, 1}));
        const bool colour = kind == "RGB-color";
        const bool frame = kind == "time" || kind == "none" || kind == "???";
        QCOMPARE(info.frames, frame ? 3 : 1);
        QCOMPARE(info.channels, !frame && !colour ? 3 : 1);
        QCOMPARE(info.components, colour ? 3 : 1);
        QCOMPARE(test::holds(info.notes, frame ? "read as 3 frames" : "read as 3 channels"),
                 !colour);
        for (int c = 0; c < 3; ++c) {
            io::ReadOptions options;
            options.frame = frame ? std::optional(c) : std::nullopt;
            options.channel = !frame && !colour ? std::optional(c) : std::nullopt;
            const io::LoadedImage loaded = io::readImage(at("a.nrrd"), options);
            const auto view =
                base::viewOf(loaded.components[colour ? static_cast<std::size_t>(c) : 0]);
            for (std::int64_t i = 0; i < 40; ++i) {
                const base::Index index{i % 5, i / 5 % 4, i / 20};
                QCOMPARE(base::valueAt(view, index),
                         static_cast<double>(value(index.x, index.y, index.z, c)));
            }
        }
    }

    void spacesWithTimeAreTurnedToo() {
        test::writeFile(at("t.nrrd"),
                        "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\n"
                        "space: right-anterior-superior-time\nspace origin: (1,2,3,4)\n"
                        "space directions: (0,0,0,1) (2,0,0,0) (0,3,0,0) (0,0,4,0)\n"
                        "encoding: raw\n\nabcdefghijklmnopqrstuvwx");
        const io::LoadedImage loaded = io::readImage(at("t.nrrd"), {.frame = 1});
        QCOMPARE(loaded.info.frames, 2);
        QVERIFY((loaded.info.extents == base::Extents{3, 2, 2}));
        QCOMPARE(loaded.info.geometry.origin, (base::Point{-1, -2, 3}));
        QCOMPARE(loaded.info.geometry.spacing, (base::Point{2, 3, 4}));
        QCOMPARE(loaded.info.geometry.direction,
                 (std::array<double, 9>{-1, 0, 0, 0, -1, 0, 0, 0, 1}));
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {2, 1, 1}),
                 static_cast<double>('x'));
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {1, 0, 0}),
                 static_cast<double>('d'));
    }

    void channelsAndFramesMayBothStandInTheFile() {
        // list, x, time, y: 2, 3, 2, 2
        test::writeFile(at("b.nrrd"), "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\n"
                                      "kinds: list domain time domain\nencoding: raw\n\n"
                                      "abcdefghijklmnopqrstuvwx");
        const io::LoadedImage loaded = io::readImage(at("b.nrrd"), {.channel = 1, .frame = 1});
        QVERIFY((loaded.info.extents == base::Extents{3, 2, 1}));
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {2, 1, 0}),
                 static_cast<double>('a' + 1 + 2 * 2 + 6 * 1 + 12 * 1));
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {1, 0, 0}),
                 static_cast<double>('a' + 1 + 2 * 1 + 6 * 1));
    }
};

const flcc::test::TestClass<SeveralFilesTest> kSeveralFilesTest;
#include "several_files_test.moc"
