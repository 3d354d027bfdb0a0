#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <string>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/dicom_fixture.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

/// Changes count and value of an entry of a TIFF file with one directory; a value of 0 stays.
test::Bytes changed(test::Bytes file, std::uint16_t tag, std::uint32_t count,
                    std::uint32_t value = 0) {
    const auto at = [&](std::size_t offset, std::size_t bytes) {
        std::size_t number = 0;
        for (std::size_t i = bytes; i-- > 0;) {
            number = number * 256 + file[offset + i];
        }
        return number;
    };
    const std::size_t directory = at(4, 4);
    for (std::size_t i = 0; i < at(directory, 2); ++i) {
        const std::size_t entry = directory + 2 + 12 * i;
        if (at(entry, 2) == tag) {
            test::put(file, entry + 4, count);
            if (value != 0) {
                test::put(file, entry + 8, value);
            }
        }
    }
    return file;
}

test::TiffRecipe picture(std::uint16_t samples, std::uint16_t photometric) {
    test::TiffRecipe recipe;
    recipe.width = 8;
    recipe.height = 6;
    recipe.samples = samples;
    recipe.photometric = photometric;
    recipe.pages = {test::Bytes(std::size_t{48} * samples, 7)};
    return recipe;
}

test::Bytes withTag(test::TiffRecipe recipe, std::uint16_t tag, std::uint32_t value) {
    recipe.tags = {{tag, 3, value}};
    return test::makeTiff(recipe);
}

test::Bytes described(test::TiffRecipe recipe, const std::string& pixels) {
    recipe.description = R"(<OME><Image><Pixels DimensionOrder="XYZCT" SizeZ="1" SizeT="1" )" +
                         pixels + "<TiffData/></Pixels></Image></OME>";
    return test::makeTiff(recipe);
}

test::Bytes metaImage(const std::string& lines, const test::Bytes& voxels = test::Bytes(192, 1)) {
    return test::joined("NDims = 3\nDimSize = 8 6 4\nElementType = MET_UCHAR\n" + lines +
                            "ElementDataFile = LOCAL\n",
                        voxels);
}

test::Bytes nrrd(const std::string& lines) {
    return test::joined("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 8 6 4\nencoding: raw\n" +
                            lines + "\n",
                        test::Bytes(192, 1));
}

test::Bytes nifti(std::int16_t bits) {
    test::NiftiRecipe recipe;
    recipe.sizes = {8, 6, 4};
    recipe.type = 2;
    recipe.bits = bits;
    recipe.voxels = test::Bytes(192, 1);
    return test::makeNifti(recipe);
}

test::Bytes pam(const std::string& type, int depth) {
    return test::joined("P7\nWIDTH 8\nHEIGHT 6\nDEPTH " + std::to_string(depth) +
                            "\nMAXVAL 255\nTUPLTYPE " + type + "\nENDHDR\n",
                        test::Bytes(static_cast<std::size_t>(48 * depth), 1));
}

} // namespace

/// Two fields of a header that state one count must agree: nothing says which of them is right.
class ContradictionTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    static void row(const char* what, const char* name, const test::Bytes& bytes, const char* one,
                    const char* other) {
        QTest::newRow(what) << QByteArray(name) << bytes << QByteArray(one) << QByteArray(other);
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }

    void countsThatDifferAreRefused_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<test::Bytes>("bytes");
        QTest::addColumn<QByteArray>("one");
        QTest::addColumn<QByteArray>("other");
        const char* const samples = "SamplesPerPixel is 3";
        const test::TiffRecipe rgb = picture(3, 2);
        const test::TiffRecipe grey = picture(1, 1);
        const test::Bytes colours = test::makeTiff(rgb);
        const test::Bytes plain = test::makeTiff(grey);
        row("extra samples", "a.tif", withTag(rgb, 338, 1), "ExtraSamples has 1 value", samples);
        row("extra sample of one", "a.tif", withTag(grey, 338, 2), "ExtraSamples has 1",
            "SamplesPerPixel is 1");
        row("bits", "a.tif", changed(colours, 258, 4), "BitsPerSample has 4", samples);
        row("samples", "a.tif", changed(colours, 277, 1, 1), "BitsPerSample has 3",
            "SamplesPerPixel is 1");
        row("colours", "a.tif", test::makeTiff(picture(2, 2)), "PhotometricInterpretation 2",
            "SamplesPerPixel is 2");
        row("strips", "a.tif", changed(changed(plain, 273, 2), 279, 2), "StripOffsets has 2",
            "RowsPerStrip make 1 strip");
        row("bytes of a strip", "a.tif", changed(plain, 279, 1, 40), "StripByteCounts gives 40",
            "BitsPerSample need 48");
        row("OME extents", "a.tif",
            described(grey, R"(SizeX="9" SizeY="6" SizeC="1" Type="uint8">)"), "SizeX and SizeY",
            "ImageWidth and ImageLength");
        row("OME samples", "a.tif",
            described(grey, R"(SizeX="8" SizeY="6" SizeC="3"><Channel SamplesPerPixel="3"/>)"),
            "OME description is 3", "its pages is 1");
        row("OME channels", "a.tif",
            described(rgb, R"(SizeX="8" SizeY="6" SizeC="2"><Channel SamplesPerPixel="3"/>)"),
            "SamplesPerPixel", "SizeC is 2");
        row("bitpix", "a.nii", nifti(16), "bitpix is 16", "datatype 2 has 8 bits");
        test::Bytes dimensions = nifti(8);
        test::put(dimensions, 40, std::int16_t{2});
        row("dim", "a.nii", dimensions, "dim[0] is 2", "dim[3] is 4");
        row("DimSize twice", "a.mha", metaImage("DimSize = 8 6 2\n"), "DimSize", "twice");
        row("orders", "a.mha",
            metaImage("BinaryDataByteOrderMSB = True\nElementByteOrderMSB = False\n"),
            "BinaryDataByteOrderMSB", "ElementByteOrderMSB");
        row("HeaderSize", "a.mha", metaImage("HeaderSize = 10\n"), "HeaderSize is 10",
            "header ends at byte");
        const test::Bytes packed = test::deflated(test::Bytes(192, 1));
        row("packed size", "a.mha",
            metaImage("CompressedData = True\nCompressedDataSize = 5\n", packed),
            "CompressedDataSize is 5", "bytes of voxels");
        row("units", "a.nrrd", nrrd("units: \"mm\" \"mm\"\n"), "\"units\"", "3 dimensions");
        row("space units", "a.nrrd",
            nrrd("space: lps\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nspace units: \"mm\"\n"),
            "\"space units\"", "3 dimensions");
        row("axis maxs", "a.nrrd", nrrd("spacings: 1 1 1\naxis mins: 0 0 0\naxis maxs: 80 6 4\n"),
            "\"spacings\"", "\"axis maxs\"");
        row("tuple", "a.pam", pam("GRAYSCALE", 3), "GRAYSCALE has 1", "DEPTH is 3");
        test::DicomRecipe film;
        film.pixels = test::Bytes(48, 1); // two frames
        row("frames", "a.dcm", test::makeDicom(film), "48 bytes of pixels", "make 24");
        film.frames = 2;
        film.extra = {{0x0054, 0x0080, "US", test::dicomNumber(std::uint16_t{1})}};
        row("slices", "a.dcm", test::makeDicom(film), "2 frames", "1 values in its vector");
    }
    void countsThatDifferAreRefused() {
        QFETCH(QByteArray, name);
        QFETCH(test::Bytes, bytes);
        QFETCH(QByteArray, one);
        QFETCH(QByteArray, other);
        test::writeFile(at(name.toStdString()), bytes);
        const auto error = test::errorOf([&] { (void)io::readImage(at(name.toStdString())); });
        QVERIFY(error && error->code() == base::ErrorCode::Input);
        const std::string sentence = error->what();
        QVERIFY2(sentence.find(one.toStdString()) != std::string::npos, error->what());
        QVERIFY2(sentence.find(other.toStdString()) != std::string::npos, error->what());
    }

    /// Indices of one picture that follow each other are no colours, and are not put together.
    void aPaletteBesideAShapeIsReadWhole() {
        test::TiffRecipe recipe = picture(1, 3);
        recipe.pages = {test::Bytes(144, 2)};
        recipe.description = R"({"shape": [3, 6, 8]})";
        recipe.palette = test::Bytes(6 * 256, 5);
        test::writeFile(at("p.tif"), test::makeTiff(recipe));
        const io::LoadedImage image = io::readImage(at("p.tif"));
        QCOMPARE(image.info.components, 3);
        QCOMPARE(image.components.size(), std::size_t{3});
    }

    void bytesBehindTheVoxelsAreCounted() {
        test::writeFile(at("a.mha"), metaImage("", test::Bytes(200, 1)));
        QVERIFY(test::holds(io::readImageInfo(at("a.mha")).notes, "the 8 bytes behind the voxels"));
        test::writeFile(at("a.mha"), metaImage(""));
        QVERIFY(io::readImageInfo(at("a.mha")).notes.empty());
    }
};

const flcc::test::TestClass<ContradictionTest> kContradictionTest;
#include "contradiction_test.moc"
