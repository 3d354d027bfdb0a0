// Whatever format the manual names is written, or read, through the command line.

#include <QRegularExpression>
#include <QtTest>

#include <array>
#include <fstream>
#include <functional>
#include <map>

#include "engine/io/image_file.h"
#include "tests/app/cli_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/engine/io/eer_fixture.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/hdf5_fixture.h"
#include "tests/engine/io/instrument_fixture.h"
#include "tests/engine/io/picture_fixture.h"
#include "tests/engine/io/scanner_fixture.h"
#include "tests/engine/io/slide_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using std::filesystem::path;
using test::Bytes;
using test::CliRun;

namespace {

/// The rows of the tables of a page of the manual below a heading, each with its cells.
QList<QStringList> tableOf(const QString& page, const QString& heading) {
    QFile file(QStringLiteral(FLCC_SOURCE "/resources/manual/") + page);
    QList<QStringList> rows;
    bool below = false;
    const QStringList lines = file.open(QIODevice::ReadOnly)
                                  ? QString::fromUtf8(file.readAll()).split('\n')
                                  : QStringList();
    for (const QString& line : lines) {
        below = line.startsWith('#') ? line == heading : below;
        if (below && line.startsWith('|') && !line.startsWith("|--")) {
            rows << line.mid(1, line.size() - 2).split('|');
        }
    }
    return rows.mid(1); // without their titles
}

/// The words in backticks that begin so.
QStringList named(const QString& cell, const QString& beginning) {
    QStringList words;
    for (const auto& match :
         QRegularExpression(QStringLiteral("`([^` ]+)[^`]*`")).globalMatch(cell)) {
        if (match.captured(1).startsWith(beginning)) {
            words << match.captured(1);
        }
    }
    return words;
}

void writePnm(const path& file) {
    const std::string kind = file.extension().string();
    const Bytes grey(15, 7);
    test::writeFile(
        file,
        kind == ".pbm"   ? test::withHead("P4\n5 3\n", Bytes(3, 0xa8))
        : kind == ".pgm" ? test::withHead("P5\n5 3\n255\n", grey)
        : kind == ".ppm" ? test::withHead("P6\n5 3\n255\n", Bytes(45, 9))
        : kind == ".pam"
            ? test::withHead("P7\nWIDTH 5\nHEIGHT 3\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\n"
                             "ENDHDR\n",
                             grey)
            : test::withHead("Pf\n5 3\n-1.0\n", Bytes(60, 0)));
}

void writeNifti(const path& file) {
    test::NiftiRecipe nifti;
    nifti.sizes = {5, 3, 2};
    nifti.voxels = Bytes(60, 1);
    const Bytes bytes = test::makeNifti(nifti);
    const std::string name = file.string();
    if (name.ends_with(".gz")) {
        test::writeFile(file, test::gzip(bytes));
    } else if (name.ends_with(".nii")) {
        test::writeFile(file, bytes);
    } else { // a pair: the voxels lie in a file of their own, from its beginning
        Bytes header(bytes.begin(), bytes.begin() + 348);
        header.resize(352);
        test::put(header, 108, 0.0F);
        test::put(header, 344, std::array<char, 4>{'n', 'i', '1', 0});
        test::writeFile(path(file).replace_extension(".hdr"), header);
        test::writeFile(path(file).replace_extension(".img"), nifti.voxels);
    }
}

void writeMrc(const path& file) {
    const Bytes bytes = test::makeMrc(1, {5, 3, 2}, {50, 30, 20}, Bytes(60, 1));
    test::writeFile(file, file.extension() == ".gz" ? test::gzip(bytes) : bytes);
}

void writeHdf5(const path& file) {
    const std::string kind = file.extension().string();
    if (kind == ".mat") {
        const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
        H5Pset_userblock(creation, 512);
        H5Fclose(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
        H5Pclose(creation);
    } else {
        const test::Hdf5Writer empty(file);
    }
    {
        const test::Hdf5Writer out(test::Hdf5Writer::open(file));
        const std::string channel = "DataSet/ResolutionLevel 0/TimePoint 0/Channel 0";
        const hid_t data = out.add(kind == ".ims" ? (channel + "/Data").c_str() : "data",
                                   H5T_IEEE_F32LE, {2, 3, 5});
        if (kind == ".mat") {
            test::Hdf5Writer::text(data, "MATLAB_class", "single", false);
        }
        H5Dclose(data);
        if (kind == ".ims") {
            const hid_t group = H5Gopen2(out.file(), channel.c_str(), H5P_DEFAULT);
            for (const auto& [name, size] :
                 {std::pair("ImageSizeX", "5"), {"ImageSizeY", "3"}, {"ImageSizeZ", "2"}}) {
                test::Hdf5Writer::letters(group, name, size);
            }
            H5Gclose(group);
        }
    }
    if (kind == ".mat") {
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
            << "MATLAB 7.3 MAT-file";
    }
}

void writeDetached(const path& file) {
    test::writeFile(path(file).replace_extension(".raw"), Bytes(30, 1));
    test::writeFile(file, file.extension() == ".mhd"
                              ? std::string("NDims = 3\nDimSize = 5 3 2\nElementType = MET_UCHAR\n"
                                            "ElementDataFile = in.raw\n")
                              : std::string("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 3 2\n"
                                            "encoding: raw\ndata file: in.raw\n"));
}

void writeOurs(const path& file) {
    (void)io::writeImage(file, base::viewOf(test::patternImage(base::PixelType::UInt8, {5, 3, 1})),
                         {});
}

/// A pyramid that OpenSlide knows by its pages, whatever the extension.
[[maybe_unused]] void writeSlide(const path& file) {
    test::writeSlide(file, {.levels = {{130, 70}}, .description = {}});
}

/// Formats of programs and instruments.
void writeInstrument(const path& file) {
    const std::string name = file.filename().string();
    const test::Bytes voxels(60, 1);
    const auto header = [&]() -> test::Bytes {
        if (name.ends_with(".em")) {
            return test::makeEm({5, 4, 3}, 1, 0, false);
        }
        if (name.ends_with(".spi")) {
            return test::makeSpider({5, 3, 1}, 1, {});
        }
        if (name.ends_with(".hed")) {
            test::writeFile(path(file).replace_extension(".img"), voxels);
            return test::makeImagic({5, 4, 3}, "PACK", 3, false);
        }
        if (name.find(".dm") != std::string::npos) {
            return test::makeGatan({.version = name.back() - '0',
                                    .lengths = {5, 4, 3},
                                    .type = 6,
                                    .kind = 10,
                                    .voxels = voxels,
                                    .width = 1});
        }
        if (name.ends_with(".ser")) {
            return test::makeSer(test::patternImage(base::PixelType::UInt8, {5, 4, 1}), {});
        }
        if (name.find(".f") != std::string::npos) {
            return test::makeFits({"BITPIX = 8", "NAXIS = 2", "NAXIS1 = 5", "NAXIS2 = 4"}, voxels);
        }
        return test::makeMgh({5, 4, 3, 1}, 0);
    }();
    test::Bytes bytes = header;
    bytes.insert(bytes.end(), voxels.begin(), voxels.end());
    if (name.ends_with(".hed") || name.find(".dm") != std::string::npos || name.ends_with(".ser") ||
        name.find(".f") != std::string::npos) {
        bytes = header;
    }
    test::writeFile(file, name.ends_with(".mgz") ? test::gzip(bytes) : bytes);
}

/// VTK legacy, GIPL, BioRad, Stimulate and a slice of a scanner.
void writeScanner(const path& file) {
    const std::string name = file.filename().string();
    Bytes bytes = name.ends_with(".vtk")   ? test::joined(test::vtkHead("SCALARS s char"), {})
                  : name.ends_with(".pic") ? test::bioRadHead(5, 3, 2, true, false)
                  : name.ends_with(".spr") ? test::joined("dim: 5 3 2 1\ndataType: BYTE\n", {})
                  : name.ends_with(".MR")  ? test::ge5Slice(0)
                                           : test::giplHead({5, 3, 2, 1}, 8);
    if (name.ends_with(".spr")) {
        test::writeFile(path(file).replace_extension(".sdt"), Bytes(30, 1));
    } else if (!name.ends_with(".MR")) {
        bytes.resize(bytes.size() + 30);
    }
    test::writeFile(file, name.ends_with(".gz") ? test::gzip(bytes) : bytes);
}

/// How a file of each extension that the manual names as readable is made.
const std::map<QString, std::function<void(const path&)>>& makers() {
    static const std::map<QString, std::function<void(const path&)>> all{
        {".mha", writeOurs},
        {".mhd", writeDetached},
        {".nrrd", writeOurs},
        {".nhdr", writeDetached},
        {".tif", writeOurs},
        {".png", writeOurs},
        {".nii", writeNifti},
        {".nii.gz", writeNifti},
        {".hdr", writeNifti},
        {".img", writeNifti},
        {".mrc", writeMrc},
        {".mrcs", writeMrc},
        {".map", writeMrc},
        {".rec", writeMrc},
        {".st", writeMrc},
        {".ali", writeMrc},
        {".mrc.gz", writeMrc},
        {".h5", writeHdf5},
        {".hdf5", writeHdf5},
        {".nc", writeHdf5},
        {".ims", writeHdf5},
        {".mat", writeHdf5},
        {".pbm", writePnm},
        {".pgm", writePnm},
        {".ppm", writePnm},
        {".pam", writePnm},
        {".pfm", writePnm},
        {".jpg",
         [](const path& file) {
             test::writeFile(file, test::makeJpeg(5, 3, 1, false, Bytes(15, 8)));
         }},
        {".bmp",
         [](const path& file) {
             test::writeFile(file, test::makeBmp(8, false, 0, test::bmpTable(256, true),
                                                 test::bmpIndices(8, false)));
         }},
        {".gif",
         [](const path& file) { test::writeFile(file, test::makeGif(1, true, -1, false)); }},
        {".webp", [](const path& file) { test::writeFile(file, test::makeWebP(3)); }},
        {".jp2", [](const path& file) { test::writeJpeg2000(file, 1, 8, false, true); }},
        {".j2k", [](const path& file) { test::writeJpeg2000(file, 1, 8, false, false); }},
        {".dcm",
         [](const path& file) {
             test::DicomRecipe recipe;
             recipe.pixels = Bytes(24, 1);
             test::writeFile(file, test::makeDicom(recipe));
         }},
        {".mgh", writeInstrument},
        {".mgz", writeInstrument},
        {".em", writeInstrument},
        {".spi", writeInstrument},
        {".hed", writeInstrument},
        {".dm3", writeInstrument},
        {".dm4", writeInstrument},
        {".ser", writeInstrument},
        {".eer", [](const path& file) { test::writeFile(file, test::makeEer({})); }},
#ifdef FLCC_OPENSLIDE
        {".svs", writeSlide},
        {".ndpi", writeSlide},
        {".scn", writeSlide},
        {".bif", writeSlide},
#endif
#ifdef FLCC_FITS
        {".fits", writeInstrument},
        {".fit", writeInstrument},
        {".fts", writeInstrument},
#endif
#ifdef FLCC_ITK
        {".vtk", writeScanner},
        {".gipl", writeScanner},
        {".gipl.gz", writeScanner},
        {".pic", writeScanner},
        {".spr", writeScanner},
        {".MR", writeScanner},
#endif
        {".raw", [](const path& file) { test::writeFile(file, Bytes(15, 1)); }}};
    return all;
}

/// The extensions of a row of the table of formats; those of kinds that it names by a word alone.
QStringList extensionsIn(const QString& cell) {
    QStringList extensions = named(cell, ".");
    if (!extensions.isEmpty()) {
        return extensions;
    }
    for (const auto& [word, extension] : {std::pair("TIFF", ".tif"),
                                          {"PNG", ".png"},
                                          {"JPEG", ".jpg"},
                                          {"BMP", ".bmp"},
                                          {"PBM", ".pbm"},
                                          {"PGM", ".pgm"},
                                          {"PPM", ".ppm"},
                                          {"PAM", ".pam"},
                                          {"PFM", ".pfm"},
                                          {"GIF", ".gif"},
                                          {"WebP", ".webp"},
                                          {"DICOM", ".dcm"},
                                          {"GE Signa", ".MR"}}) {
        if (cell.contains(word)) {
            extensions << extension;
        }
    }
    return extensions;
}

} // namespace

class CliExtensionsTest : public QObject {
    Q_OBJECT

    test::SampleFolder m_sample{QStringLiteral("tiny")};

    [[nodiscard]] CliRun run(const QStringList& arguments) const {
        return test::runCli(arguments, m_sample.path());
    }

  private Q_SLOTS:
    void everyOutputIsWrittenAndRead();
    void everyListIsWrittenAndRead();
    void everyInputIsRead();
};

void CliExtensionsTest::everyOutputIsWrittenAndRead() {
    const auto rows = tableOf("exporting.md", "## From the command line");
    QVERIFY(rows.size() > 10);
    QMap<QString, QStringList> filesOf; // by extension: options and files
    QStringList ofMap;
    for (const QStringList& row : rows) {
        QStringList extensions = named(row[2], ".");
        for (const QString& option : named(row[0], "--")) {
            ofMap = option == "--map" ? extensions : ofMap;
            const bool asMap = row[2].contains("as the map") || row[2].contains("image formats");
            for (const QString& extension : asMap ? extensions + ofMap : extensions) {
                filesOf[extension] << option << option.mid(2) + extension;
            }
        }
    }
    QVERIFY(filesOf.contains(".pdf") && filesOf.contains(".mrcs") && filesOf.contains(".html"));
    for (auto it = filesOf.cbegin(); it != filesOf.cend(); ++it) {
        const CliRun done = run(QStringList{"match", "scene.mha", "template.mha", "--quiet",
                                            "--rotations", "180", "--min-score", "0.5"} +
                                it.value());
        QVERIFY2(done.code == 0, done.errors.constData());
        for (qsizetype i = 0; i < it.value().size(); i += 2) {
            const QString& option = it.value()[i];
            const QString& file = it.value()[i + 1];
            if (option == "--search-statistics") {
                QVERIFY(QFile::exists(m_sample.path("search-statistics-mean" + it.key())));
                continue;
            }
            QVERIFY2(QFile(m_sample.path(file)).size() > 0, qPrintable(file));
            const bool isText =
                option == "--report" || (option == "--figure" && it.key() != ".png");
            if (!isText) {
                const CliRun read = option.endsWith("peaks") ? run({"peaks", file, "--to", "json"})
                                                             : run({"info", "--verify", file});
                QVERIFY2(read.code == 0, read.errors.constData());
            }
        }
    }
}

void CliExtensionsTest::everyListIsWrittenAndRead() {
    // A scene that states its spacing, as lists in angstrom need.
    QCOMPARE(run({"convolve", "scene.mha", "box:1", "--spacing", "10A", "--output", "angstrom.mha",
                  "--quiet"})
                 .code,
             0);
    const QStringList tomogram{"--binning",       "2",        "--unbinned-pixel", "5",
                               "--unbinned-size", "192,128,2"};
    const QStringList match{"match",       "angstrom.mha", "template.mha",
                            "--min-score", "0.5",          "--quiet"};
    QCOMPARE(run(match + QStringList{"--peaks", "all.csv"}).code, 0);
    int formats = 0;
    for (const QStringList& row : tableOf("lists.md", "# Lists for other programs")) {
        const QString extension = named(row[1], ".").value(0);
        for (const QString& format : named(row[0], "")) {
            const bool own = QStringList{"csv", "tsv", "json"}.contains(format);
            const QString file = "list-" + format + (own ? "." + format : extension);
            const CliRun written =
                run(QStringList{"peaks", "all.csv", "--scene", "angstrom.mha", "--to", format,
                                "--output", file, "--box", "11,9", "--quiet"} +
                    tomogram);
            QVERIFY2(written.code == 0, (format.toUtf8() + written.errors).constData());
            const CliRun read =
                run(QStringList{"peaks", file, "--from", format, "--scene", "angstrom.mha", "--box",
                                "11,9", "--output", "read.csv", "--quiet"} +
                    tomogram);
            QVERIFY2(read.code == 0, (format.toUtf8() + read.errors).constData());
            const CliRun same = run({"diff", "read.csv", "all.csv", "--tolerance", "1"});
            QVERIFY2(same.code == 0, (format.toUtf8() + same.output + same.errors).constData());
            ++formats;
        }
    }
    QCOMPARE(formats, 23);
    for (const QString extension : {".csv", ".tsv", ".json"}) { // of comparisons
        QCOMPARE(
            run(match + QStringList{"--truth", "all.csv", "--comparison", "c" + extension}).code,
            0);
        QCOMPARE(run({"diff", "all.csv", "all.csv", "--output", "d" + extension}).code, 0);
        for (const QString name : {"c", "d"}) {
            const CliRun read = run({"peaks", name + extension, "--to", "json"});
            QVERIFY2(read.code == 0, read.errors.constData());
        }
    }
}

void CliExtensionsTest::everyInputIsRead() {
    const auto rows = tableOf("opening-images.md", "## Formats");
    QVERIFY(rows.size() > 10);
    QStringList read;
    for (const QStringList& row : rows) {
#ifndef FLCC_OPENSLIDE
        if (row[0].contains("whole slides")) {
            continue;
        }
#endif
#ifndef FLCC_FITS
        if (row[0].contains("FITS")) {
            continue;
        }
#endif
#ifndef FLCC_ITK
        if (row[0].contains("VTK") || row[0].contains("Bruker")) {
            continue;
        }
#endif
        const QStringList extensions = extensionsIn(row[0]);
        QVERIFY2(!extensions.isEmpty(), qPrintable(row[0]));
        for (const QString& extension : extensions) {
            const auto maker = makers().find(extension);
            QVERIFY2(maker != makers().end(), qPrintable(extension));
            const QString file = "in" + extension;
            maker->second(path(m_sample.path(file).toStdString()));
            const QString shape = extension == ".raw" ? ":5x3:uint8" : "";
            const CliRun done = run({"info", "--verify", file + shape});
            QVERIFY2(done.code == 0 && done.output.contains("\"complete\": true"),
                     (file.toUtf8() + ": " + done.errors + done.output).constData());
            read << extension;
        }
    }
    for (const auto& [extension, maker] : makers()) {
        QVERIFY2(read.contains(extension), qPrintable(extension));
    }
}

const flcc::test::TestClass<CliExtensionsTest> kCliExtensionsTest;
#include "extensions_test.moc"
