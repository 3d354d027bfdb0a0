#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <limits>

#include <clocale>
#include <cmath>
#include <cstdlib>

#include <sys/stat.h>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::PixelType;

namespace {

constexpr std::array kTypes{
    PixelType::UInt8, PixelType::Int8,   PixelType::UInt16, PixelType::Int16,   PixelType::UInt32,
    PixelType::Int32, PixelType::UInt64, PixelType::Int64,  PixelType::Float32, PixelType::Float64};

/// A grid that is turned about z and spaced unevenly.
base::Geometry obliqueGrid(const base::Extents& extents) {
    base::Geometry grid;
    const bool flat = base::isFlat2D(extents);
    grid.spacing = {0.878906, 0.75, flat ? 1.0 : 2.5};
    grid.origin = {-12.5, 1e-3, flat ? 0.0 : 300.25};
    grid.direction = {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1};
    grid.unit = "um";
    grid.unitSource = base::UnitSource::Header;
    return grid;
}

double largestDifference(const base::Geometry& a, const base::Geometry& b) {
    double difference = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        difference = std::max({difference, std::abs(a.origin[i] - b.origin[i]),
                               std::abs(a.spacing[i] - b.spacing[i])});
    }
    for (std::size_t i = 0; i < 9; ++i) {
        difference = std::max(difference, std::abs(a.direction[i] - b.direction[i]));
    }
    return difference;
}

bool mentions(const base::Error& error, const std::string& word) {
    return std::string(error.what()).find(word) != std::string::npos;
}

} // namespace

class ImageFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void whatIsWrittenReadsBackBitForBit_data() {
        QTest::addColumn<QString>("extension");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("volume");
        for (const char* extension : {"mha", "nrrd", "nii", "nii.gz", "tif", "png"}) {
            for (const PixelType type : kTypes) {
                for (const bool volume : {false, true}) {
                    const bool png = std::string(extension) == "png";
                    if (png &&
                        (volume || (type != PixelType::UInt8 && type != PixelType::UInt16))) {
                        continue;
                    }
                    QTest::addRow("%s %s %s", extension, std::string(base::name(type)).c_str(),
                                  volume ? "3D" : "2D")
                        << extension << static_cast<int>(type) << volume;
                }
            }
        }
    }
    void whatIsWrittenReadsBackBitForBit() {
        QFETCH(QString, extension);
        QFETCH(int, type);
        QFETCH(bool, volume);
        const base::Extents extents = volume ? base::Extents{13, 7, 5} : base::Extents{31, 17, 1};
        const auto image = test::patternImage(static_cast<PixelType>(type), extents);
        const base::Geometry grid = obliqueGrid(extents);
        const auto path = at("round." + extension.toStdString());
        const auto dropped = io::writeImage(path, base::viewOf(image), grid);
        const io::LoadedImage loaded = io::readImage(path);
        QCOMPARE(loaded.components.size(), std::size_t{1});
        QVERIFY(test::sameBits(loaded.components.front(), image));
        QVERIFY(io::readImageInfo(path).extents == extents);
        const bool nifti = extension.startsWith("nii"); // float32 in the header
        const bool keepsAll = extension == "mha" || extension == "nrrd" || nifti;
        QCOMPARE(dropped->empty(), keepsAll);
        if (keepsAll) {
            // Text holds the shortest digits; a length computed from a direction is off by 2 ulp.
            QVERIFY(largestDifference(loaded.info.geometry, grid) < (nifti ? 2e-6 : 1e-12));
        }
        QCOMPARE(loaded.info.geometry.unit, std::string(extension == "png" ? "px" : "um"));
    }

    void aPartOfAnImageIsWrittenWithoutItsSurroundings() {
        const auto image = test::patternImage(PixelType::UInt16, {40, 30, 1});
        const auto part = base::partOf(base::viewOf(image), {{5, 6, 0}, {11, 9, 1}});
        for (const char* name : {"part.mha", "part.nrrd", "part.nii", "part.nii.gz", "part.mrc",
                                 "part.tif", "part.png"}) {
            (void)io::writeImage(at(name), part, {});
            QVERIFY(test::sameBits(io::readImage(at(name)).components.front(), base::copyOf(part)));
        }
    }

    void tiffKeepsSpacingAndUnit() {
        const auto image = test::patternImage(PixelType::Float32, {6, 5, 4});
        base::Geometry grid;
        grid.spacing = {0.65, 0.7, 1.5};
        grid.unit = "A";
        QVERIFY(io::writeImage(at("s.tif"), base::viewOf(image), grid)->empty());
        const base::Geometry read = io::readImageInfo(at("s.tif")).geometry;
        QCOMPARE(read.unit, std::string("A"));
        QVERIFY(read.unitSource == base::UnitSource::Header);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // The resolution is kept as a float32.
            QVERIFY(std::abs(read.spacing[axis] / grid.spacing[axis] - 1) < std::ldexp(1, -22));
        }
    }

    void textsComeBack() {
        const auto image = test::patternImage(PixelType::UInt8, {4, 4, 1});
        const std::map<std::string, std::string> texts{{"crop", "3,4,0:5,6,1"},
                                                       {"source", "a scene = \"x\".mha"}};
        for (const char* name : {"texts.mha", "texts.nrrd", "texts.tif"}) {
            QVERIFY(io::writeImage(at(name), base::viewOf(image), {}, texts)->empty());
            const auto read = io::readImageInfo(at(name)).metadata;
            for (const auto& [key, value] : texts) {
                QVERIFY2(read.count(key) == 1 && read.at(key) == value, name);
            }
        }
    }

    void aGridWithoutUnitStaysWithoutOne() {
        const auto image = test::patternImage(PixelType::UInt8, {4, 4, 1});
        for (const char* name : {"px.mha", "px.nrrd", "px.tif", "px.png"}) {
            QVERIFY(io::writeImage(at(name), base::viewOf(image), {})->empty());
            QVERIFY2(io::readImageInfo(at(name)).geometry == base::Geometry{}, name);
        }
    }

    void whatPngDropsIsSaid() {
        const auto image = test::patternImage(PixelType::UInt8, {4, 4, 1});
        const auto said =
            io::writeImage(at("d.png"), base::viewOf(image), obliqueGrid({4, 4, 1}), {{"a", "b"}});
        QCOMPARE(said->size(), std::size_t{4});
    }

    void aFormatThatCannotHoldTheTypeIsRefusedBeforeWriting() {
        const auto volume = test::patternImage(PixelType::UInt8, {4, 4, 2});
        const auto real = test::patternImage(PixelType::Float32, {4, 4, 1});
        for (const auto& [name, image] : {std::pair{"v.png", &volume}, std::pair{"f.png", &real},
                                          std::pair{"x.jpg", &real}, std::pair{"noext", &real}}) {
            const auto error =
                test::errorOf([&] { (void)io::writeImage(at(name), base::viewOf(*image), {}); });
            QVERIFY(error && error->code() == ErrorCode::CommandLine);
            QVERIFY(mentions(*error, name));
            QVERIFY(!std::filesystem::exists(at(name)));
        }
        io::requireWritable("a.MHA", PixelType::Int64, {5, 5, 5});
    }

    void whatIsNoFileIsAnInputErrorThatNamesIt_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"missing", "empty", "folder", "fifo", "device", "text", "lying"}) {
            QTest::newRow(kind) << kind;
        }
    }
    void whatIsNoFileIsAnInputErrorThatNamesIt() {
        QFETCH(QString, kind);
        std::filesystem::path path = at(kind.toStdString() + ".png");
        if (kind == "empty") {
            test::writeFile(path, std::string());
        } else if (kind == "folder") {
            std::filesystem::create_directory(path);
        } else if (kind == "fifo") {
            QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        } else if (kind == "device") {
            path = "/dev/zero";
        } else if (kind == "text" || kind == "lying") {
            path = at(kind == "text" ? "text" : "lying.tif");
            test::writeFile(path, std::string("this is no image at all, only words\n"));
        }
        for (const bool whole : {false, true}) {
            const auto error = test::errorOf(
                [&] { whole ? (void)io::readImage(path) : (void)io::readImageInfo(path); });
            QVERIFY(error && error->code() == ErrorCode::Input);
            QVERIFY2(mentions(*error, path.string()), error->what());
            QVERIFY(!mentions(*error, "itk") && !mentions(*error, "0x"));
        }
    }

    /// A format that cannot be read is named, with a way out.
    void foreignFormatsAreNamed_data() {
        QTest::addColumn<QByteArray>("start");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, QByteArray start, const char* named) {
            QTest::newRow(name) << start << QString(named);
        };
        row("a.czi", QByteArray("ZISRAWFILE"), "CZI");
        row("a.nd2", QByteArray("\xda\xce\xbe\x0a"), "ND2");
        row("a.oib", QByteArray("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "OIB");
        row("a.lif", QByteArray("\x70\0\0\0\0\0\0\0\x2a\0\0\0\0<\0", 15), "LIF");
        row("old.ims", QByteArray("\0\x4c\xa1\x0c", 4), "Imaris older than 5.5");
        row("tiff.ims", QByteArray("II*\0\x08", 5), "Imaris older than 5.5");
        row("a.nc", QByteArray("CDF\x01"), "nccopy");
        row("a.vti", QByteArray("<?xml version=\"1.0\"?>\n<VTKFile type="), "VTK");
        row("a.npy", QByteArray("\x93NUMPY\x01"), "NumPy");
        row("a.psd", QByteArray("8BPS"), "PSD");
        row("a.heic",
            QByteArray("\0\0\0\x18"
                       "ftypheic",
                       12),
            "HEIF");
    }
    void foreignFormatsAreNamed() {
        QFETCH(QByteArray, start);
        QFETCH(QString, named);
        const std::string name = QTest::currentDataTag();
        test::writeFile(at(name), start.leftJustified(600, '\0').toStdString());
        if (start.size() > 600) {
            test::writeFile(at(name), start.toStdString());
        }
        const auto error = test::errorOf([&] { (void)io::readImage(at(name)); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY2(mentions(*error, named.toStdString()), error->what());
        QVERIFY2(mentions(*error, "cannot be read; "), error->what());
    }

    void aFolderOfZarrIsNamed() {
        std::filesystem::create_directory(at("image.zarr"));
        test::writeFile(at("image.zarr/.zgroup"), std::string("{}"));
        const auto error = test::errorOf([&] { (void)io::readImage(at("image.zarr")); });
        QVERIFY(error && mentions(*error, "Zarr"));
    }

    void namesOfRelionAreExplained() {
        const auto error =
            test::errorOf([&] { (void)io::readImage("000003@" + at("s.mrcs").string()); });
        QVERIFY(error && mentions(*error, "--frame"));
        const auto other = test::errorOf([&] { (void)io::readImage(at("a@b.mrcs")); });
        QVERIFY(other && !mentions(*other, "--frame"));
    }

    /// One slice that lies somewhere in space keeps three axes; a picture has two.
    void aSliceInSpaceKeepsItsPlace() {
        const auto image = test::patternImage(PixelType::Float32, {9, 8, 1});
        base::Geometry coronal;
        coronal.spacing = {0.5, 0.5, 3};
        coronal.unit = "mm";
        coronal.origin = {10, 20, 30};
        coronal.direction = {1, 0, 0, 0, 0, 1, 0, -1, 0};
        base::Geometry raised; // above the plane z = 0
        raised.origin = {0, 0, 5};
        raised.unit = "mm";
        for (const base::Geometry& geometry : {coronal, raised}) {
            for (const char* name : {"slice.mha", "slice.nrrd"}) {
                (void)io::writeImage(at(name), base::viewOf(image), geometry);
                const base::Geometry read = io::readImage(at(name)).info.geometry;
                QVERIFY(read.origin == geometry.origin && read.direction == geometry.direction);
                QVERIFY(read.spacing == geometry.spacing);
            }
        }
        (void)io::writeImage(at("flat.mha"), base::viewOf(image), {});
        const test::Bytes flat = test::readFile(at("flat.mha"));
        QVERIFY(std::string(flat.begin(), flat.end()).find("NDims = 2") != std::string::npos);
    }

    void theContentDecidesNotTheExtension() {
        const auto image = test::patternImage(PixelType::UInt16, {9, 8, 1});
        (void)io::writeImage(at("real.png"), base::viewOf(image), {});
        std::filesystem::copy(at("real.png"), at("named.tif"));
        const io::LoadedImage loaded = io::readImage(at("named.tif"));
        QCOMPARE(loaded.info.format, std::string("PNG"));
        QVERIFY(test::sameBits(loaded.components.front(), image));
    }

    void unusualNamesAreNamesToo() {
        const auto image = test::patternImage(PixelType::UInt8, {5, 4, 1});
        for (const std::string& stem :
             {std::string("-leading"), std::string("\xc3\xa4\xe6\xbc\xa2"), std::string("a b"),
              std::string("new\nline"), std::string(251, 'n')}) {
            for (const char* extension : {".mha", ".png", ".tif"}) {
                const auto path = at(stem + extension);
                (void)io::writeImage(path, base::viewOf(image), {});
                QVERIFY(test::sameBits(io::readImage(path).components.front(), image));
            }
        }
        const auto error = test::errorOf([&] { (void)io::readImage(at("gone\nline.mha")); });
        QVERIFY(error && !mentions(*error, "\n"));
    }

    void pixelsBeyondTheLimitAreRefused() {
        const auto image = test::patternImage(PixelType::UInt16, {10, 10, 1});
        for (const char* name : {"m.mha", "m.nrrd", "m.tif", "m.png"}) {
            (void)io::writeImage(at(name), base::viewOf(image), {});
            io::ReadOptions options;
            options.maxBytes = 199;
            const auto error = test::errorOf([&] { (void)io::readImage(at(name), options); });
            QVERIFY(error && error->code() == ErrorCode::Memory);
            options.maxBytes = 200;
            (void)io::readImage(at(name), options);
        }
    }

    void verifyingReadsEveryPixel_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("counted"); // the size of the file shows that no pixel is missing
        for (const char* name : {"v.mha", "v.nrrd", "v.nii", "v.mrc"}) {
            QTest::newRow(name) << name << true;
        }
        for (const char* name : {"v.nii.gz", "v.tif", "v.png", "v.jpg"}) {
            QTest::newRow(name) << name << false;
        }
    }
    void verifyingReadsEveryPixel() {
        QFETCH(QString, name);
        QFETCH(bool, counted);
        const auto path = at(name.toStdString());
        const auto image = test::patternImage(PixelType::UInt16, {200, 100, 1});
        if (name == "v.jpg") {
            test::writeFile(path, test::makeJpeg(200, 100, 1, false, test::Bytes(20000, 9)));
        } else {
            (void)io::writeImage(path, base::viewOf(image), {});
        }
        QCOMPARE(io::readImageInfo(path).complete, counted);
        const io::ImageInfo info = io::verifyImage(path);
        QVERIFY(info.complete);
        QVERIFY((info.extents == base::Extents{200, 100, 1}));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(io::verifyImage(path, stop.get_token()).format.empty());
        const test::Bytes whole = test::readFile(path);
        test::writeFile(
            path, test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(
                                                                 whole.size() - whole.size() / 4)));
        const auto error = test::errorOf([&] { (void)io::verifyImage(path); });
        QVERIFY(error && error->code() == ErrorCode::Input);
    }

    void verifyingReadsEveryChannelAndFrame() {
        test::TiffRecipe tiff;
        tiff.width = 7;
        tiff.height = 5;
        tiff.description = "ImageJ=1.53\nimages=6\nchannels=2\nframes=3\nhyperstack=true\n";
        tiff.pages.assign(6, test::Bytes(35, 3));
        test::writeFile(at("c.tif"), test::makeTiff(tiff));
        const io::ImageInfo info = io::verifyImage(at("c.tif"));
        QCOMPARE(info.channels, 2);
        QCOMPARE(info.frames, 3);
        QVERIFY(info.complete);
    }

    void luminanceIsRoundedAndSaid() {
        io::LoadedImage colour;
        colour.info.components = 3;
        for (const std::uint8_t value : {std::uint8_t{255}, std::uint8_t{100}, std::uint8_t{7}}) {
            colour.components.emplace_back(base::Image<std::uint8_t>({2, 1, 1}, value));
        }
        const io::ScalarImage grey = io::toScalar(std::move(colour));
        // 0.299*255 + 0.587*100 + 0.114*7 = 135.743
        QCOMPARE(std::get<base::Image<std::uint8_t>>(grey.pixels).data()[1], std::uint8_t{136});
        QVERIFY(!grey.note.empty());
    }

    void luminanceOfTheLargestNumbersStaysInTheirRange() {
        const auto luminanceOf = [](auto value) {
            io::LoadedImage colour;
            for (int i = 0; i < 3; ++i) {
                colour.components.emplace_back(base::Image<decltype(value)>({1, 1, 1}, value));
            }
            const io::ScalarImage grey = io::toScalar(std::move(colour));
            return std::get<base::Image<decltype(value)>>(grey.pixels).data()[0];
        };
        // As a double the sum may be a step below the largest number, or beyond it.
        const auto most = std::numeric_limits<std::uint64_t>::max();
        QVERIFY(most - luminanceOf(most) < 8192);
        const auto mostSigned = std::numeric_limits<std::int64_t>::max();
        QVERIFY(mostSigned - luminanceOf(mostSigned) < 4096);
        const auto least = std::numeric_limits<std::int64_t>::min();
        QVERIFY(luminanceOf(least) - least < 4096);
        QCOMPARE(luminanceOf(std::int8_t{-128}), std::int8_t{-128});
        QCOMPARE(luminanceOf(std::uint32_t{4294967295U}), std::uint32_t{4294967295U});
    }

    void aScalarImageIsHandedOnWithoutANote() {
        const auto image = test::patternImage(PixelType::Int16, {5, 5, 1});
        (void)io::writeImage(at("s.mha"), base::viewOf(image), {});
        const io::ScalarImage scalar = io::toScalar(io::readImage(at("s.mha")));
        QVERIFY(test::sameBits(scalar.pixels, image));
        QVERIFY(scalar.note.empty());
    }

    void aChannelThatIsNotThereIsAProblem() {
        const auto image = test::patternImage(PixelType::Int16, {5, 5, 1});
        (void)io::writeImage(at("one.nrrd"), base::viewOf(image), {});
        io::ReadOptions options;
        options.channel = 1;
        const auto error = test::errorOf([&] { (void)io::readImage(at("one.nrrd"), options); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        options.channel = 0;
        options.frame = 0;
        (void)io::readImage(at("one.nrrd"), options);
    }

    void numbersHaveAPointInEveryLocale() {
        // Most machines of builders have no locale but C: make one.
        const QString locales = m_folder.path() + "/locales";
        QDir().mkpath(locales);
        QProcess::execute("localedef",
                          {"--no-archive", "-i", "de_DE", "-f", "UTF-8", locales + "/de_DE.UTF-8"});
        qputenv("LOCPATH", locales.toLocal8Bit());
        if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
            QSKIP("no locale with a decimal comma can be made here");
        }
        const struct Restore {
            ~Restore() { std::setlocale(LC_ALL, "C.UTF-8"); }
        } restore;
        QCOMPARE(std::strtod("0,5", nullptr), 0.5);
        const auto image = test::patternImage(PixelType::Float32, {6, 5, 4});
        base::Geometry grid;
        grid.spacing = {0.878906, 0.5, 2.25};
        grid.unit = "mm";
        grid.unitSource = base::UnitSource::Header;
        for (const char* name : {"l.mha", "l.nrrd", "l.tif"}) {
            (void)io::writeImage(at(name), base::viewOf(image), grid);
            const auto read = io::readImageInfo(at(name)).geometry;
            QVERIFY2(std::abs(read.spacing[0] - 0.878906) < 1e-6 &&
                         std::abs(read.spacing[2] - 2.25) < 1e-6,
                     name);
        }
        QCOMPARE(std::strtod("0,5", nullptr), 0.5);
    }
};

const flcc::test::TestClass<ImageFileTest> kImageFileTest;
#include "image_file_test.moc"
