#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "engine/io/image_file.h"
#include "engine/io/protected_files.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

constexpr std::uint32_t kWidth = 5;
constexpr std::uint32_t kHeight = 3;

test::TiffRecipe numberedFloats(int count) {
    test::TiffRecipe recipe = test::numberedTiff(0, kWidth, kHeight);
    recipe.bits = 32;
    recipe.sampleFormat = 3;
    for (int page = 0; page < count; ++page) {
        test::ByteWriter bytes;
        for (std::uint32_t i = 0; i < kWidth * kHeight; ++i) {
            bytes.put(static_cast<float>(page) + 0.5F);
        }
        recipe.pages.push_back(bytes.bytes);
    }
    return recipe;
}

std::string pixels(const std::string& attributes, const std::string& inside) {
    return "<Image ID=\"I\"><Pixels SizeX=\"5\" SizeY=\"3\" " + attributes + ">" + inside +
           "</Pixels></Image>";
}

std::string ome(const std::string& inside, const std::string& attributes = {}) {
    return "<?xml version=\"1.0\"?><OME "
           "xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"" +
           attributes + ">" + inside + "</OME>";
}

std::string sizes(int z, int c, int t, const std::string& order) {
    return "SizeZ=\"" + std::to_string(z) + "\" SizeC=\"" + std::to_string(c) + "\" SizeT=\"" +
           std::to_string(t) + "\" DimensionOrder=\"" + order + "\"";
}

io::ReadOptions chosen(std::optional<int> channel, std::optional<int> frame,
                       std::optional<int> image = {}) {
    io::ReadOptions options;
    options.channel = channel;
    options.frame = frame;
    options.reading.image = image;
    return options;
}

/// The pages that became the slices.
std::vector<int> slicesOf(const io::LoadedImage& loaded) {
    std::vector<int> numbers;
    const base::Extents n = base::extentsOf(loaded.components.at(0));
    for (std::int64_t z = 0; z < n.z; ++z) {
        numbers.push_back(
            std::get<base::Image<std::uint8_t>>(loaded.components[0]).view().at(0, 0, z));
    }
    return numbers;
}

bool says(const io::ImageInfo& info, const std::string& words) {
    return std::any_of(info.notes.begin(), info.notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

} // namespace

class OmeFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file(const std::string& name = "a.ome.tif") const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    void write(test::TiffRecipe recipe, const std::string& description,
               const std::string& name = "a.ome.tif") const {
        recipe.description = description;
        test::writeFile(file(name), test::makeTiff(recipe));
    }

  private Q_SLOTS:
    void xmlIsReadAsXml() {
        write(test::numberedTiff(3, kWidth, kHeight),
              "<?xml version=\"1.0\"?><!-- <OME><Image><Pixels/></Image></OME> -->"
              "<o:OME xmlns:o='http://www.openmicroscopy.org/Schemas/OME/2016-06'>"
              "<o:StructuredAnnotations><![CDATA[<Pixels SizeZ=\"9\"/>]]></o:StructuredAnnotations>"
              "<o:Image><!-- <o:Pixels/> --><o:Pixels Name=\"a>b\" SizeZ = '3' SizeC=\"1\" "
              "SizeT=\"&#49;\" DimensionOrder=\"XYZCT\" PhysicalSizeX=\"0.5\" "
              "PhysicalSizeXUnit=\"&#xb5;m\" PhysicalSizeY=\"500\" PhysicalSizeYUnit=\"nm\" "
              "PhysicalSizeZ=\"0.002\" PhysicalSizeZUnit=\"mm\">"
              "<o:TiffData/></o:Pixels></o:Image></o:OME>");
        const io::LoadedImage loaded = io::readImage(file());
        QCOMPARE(slicesOf(loaded), (std::vector<int>{0, 1, 2}));
        QCOMPARE(loaded.info.geometry.unit, std::string("um"));
        const base::Point right{0.5, 0.5, 2};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            QVERIFY(std::abs(loaded.info.geometry.spacing[axis] - right[axis]) < 1e-12);
        }
    }

    void blocksOfPlanesFollowTheOrderOfDimensions() {
        // Six planes; the second half of them lies before the first.
        for (const std::string order : {"XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTZC", "XYTCZ"}) {
            const std::array<int, 3> lengths{2, 3, 1}; // C, Z, T
            std::array<int, 3> strides{};
            int stride = 1;
            for (const char letter : order.substr(2)) {
                const auto axis = std::string("CZT").find(letter);
                strides[axis] = stride;
                stride *= lengths[axis];
            }
            const auto first = [&](std::size_t axis) {
                return std::to_string(3 / strides[axis] % lengths[axis]);
            };
            const std::string halves = "<TiffData IFD=\"3\" PlaneCount=\"3\"/><TiffData FirstC=\"" +
                                       first(0) + "\" FirstZ=\"" + first(1) + "\" FirstT=\"" +
                                       first(2) + "\" IFD=\"0\" PlaneCount=\"3\"/>";
            write(test::numberedTiff(6, kWidth, kHeight),
                  ome(pixels(sizes(3, 2, 1, order), halves)));
            for (int channel = 0; channel < 2; ++channel) {
                std::vector<int> right;
                for (int slice = 0; slice < 3; ++slice) {
                    right.push_back((channel * strides[0] + slice * strides[1] + 3) % 6);
                }
                QCOMPARE(slicesOf(io::readImage(file(), chosen(channel, {}))), right);
            }
        }
    }

    void planesThatWereNotRecordedAreSaid() {
        const std::string all = "<TiffData IFD=\"0\" PlaneCount=\"12\"/>";
        // Of two frames with two channels and three slices, a frame and four planes are there.
        write(test::numberedTiff(10, kWidth, kHeight), ome(pixels(sizes(3, 2, 2, "XYZCT"), all)));
        const io::ImageInfo info = io::readImageInfo(file());
        QCOMPARE(info.channels, 2);
        QCOMPARE(info.frames, 2);
        QVERIFY(says(info, "2 of 12 planes"));
        QCOMPARE(slicesOf(io::readImage(file(), chosen(1, 0))), (std::vector<int>{3, 4, 5}));
        QCOMPARE(slicesOf(io::readImage(file(), chosen(0, 1))), (std::vector<int>{6, 7, 8}));
        const auto error = test::errorOf([&] { (void)io::readImage(file(), chosen(1, 1)); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        QVERIFY(std::string(error->what()).find("no slice 1 of channel 1") != std::string::npos);
        QVERIFY(io::verifyImage(file()).complete);
        // A frame that never began is none.
        write(test::numberedTiff(6, kWidth, kHeight), ome(pixels(sizes(3, 2, 2, "XYZCT"), all)));
        QCOMPARE(io::readImageInfo(file()).frames, 1);
        QCOMPARE(slicesOf(io::readImage(file(), chosen(1, {}))), (std::vector<int>{3, 4, 5}));
        // Slices that no channel has are none.
        write(test::numberedTiff(2, kWidth, kHeight),
              ome(pixels(sizes(5, 1, 1, "XYZCT"), "<TiffData/>")));
        QCOMPARE(slicesOf(io::readImage(file())), (std::vector<int>{0, 1}));
        QVERIFY(says(io::readImageInfo(file()), "2 of 5 slices"));
    }

    void missingSlicesOfFloatsAreNan() {
        write(numberedFloats(2), ome(pixels(sizes(3, 1, 1, "XYZCT"), "<TiffData/>")));
        const io::LoadedImage loaded = io::readImage(file());
        const auto& image = std::get<base::Image<float>>(loaded.components.at(0));
        QVERIFY((image.extents() == base::Extents{kWidth, kHeight, 3}));
        for (std::int64_t i = 0; i < image.count(); ++i) {
            const std::int64_t slice = i / (kWidth * kHeight);
            QVERIFY(slice == 2 ? std::isnan(image.data()[i])
                               : image.data()[i] == static_cast<float>(slice) + 0.5F);
        }
        QVERIFY(says(loaded.info, "NaN"));
    }

    void aSecondImageIsReadByItsNumber() {
        const std::string two =
            ome(pixels(sizes(2, 1, 1, "XYZCT"), "<TiffData IFD=\"0\" PlaneCount=\"2\"/>") +
                pixels(sizes(3, 1, 1, "XYZCT"), "<TiffData IFD=\"2\" PlaneCount=\"3\"/>"));
        write(test::numberedTiff(5, kWidth, kHeight), two);
        QCOMPARE(slicesOf(io::readImage(file())), (std::vector<int>{0, 1}));
        QVERIFY(says(io::readImageInfo(file()), "2 images"));
        QCOMPARE(io::readImageInfo(file()).images, 2);
        QCOMPARE(slicesOf(io::readImage(file(), chosen({}, {}, 1))), (std::vector<int>{2, 3, 4}));
        const auto error = test::errorOf([&] { (void)io::readImage(file(), chosen({}, {}, 2)); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
    }

    void theFilesOfASetAreReadTogether() {
        std::string blocks;
        for (int t = 0; t < 3; ++t) {
            const std::string number = std::to_string(t);
            blocks += "<TiffData FirstT=\"" + number +
                      "\" IFD=\"0\" PlaneCount=\"2\"><UUID FileName=\"" + number +
                      ".ome.tif\">urn:uuid:" + number + "</UUID></TiffData>";
        }
        const std::string inside = pixels(sizes(2, 1, 3, "XYZCT"), blocks);
        write(test::numberedTiff(2, kWidth, kHeight, 0), ome(inside, " UUID=\"urn:uuid:0\""),
              "0.ome.tif");
        write(test::numberedTiff(2, kWidth, kHeight, 20), ome(inside, " UUID=\"urn:uuid:2\""),
              "2.ome.tif");
        // The file in the middle is missing: its frame has no plane.
        const io::ImageInfo info = io::readImageInfo(file("0.ome.tif"));
        QCOMPARE(info.frames, 3);
        QCOMPARE(info.files, 2);
        QVERIFY(says(info, "1.ome.tif"));
        QCOMPARE(slicesOf(io::readImage(file("0.ome.tif"), chosen({}, 2))),
                 (std::vector<int>{20, 21}));
        QVERIFY(test::errorOf([&] { (void)io::readImage(file("0.ome.tif"), chosen({}, 1)); }));
        write(test::numberedTiff(2, kWidth, kHeight, 10), ome(inside, " UUID=\"urn:uuid:1\""),
              "1.ome.tif");
        for (const std::string name : {"0.ome.tif", "1.ome.tif", "2.ome.tif"}) {
            io::ReadOptions options = chosen({}, 1);
            options.digests = true;
            const io::LoadedImage loaded = io::readImage(file(name), options);
            QCOMPARE(slicesOf(loaded), (std::vector<int>{10, 11}));
            QCOMPARE(loaded.files.size(), std::size_t{3});
            QVERIFY(loaded.info.notes.empty());
        }
        io::ProtectedFiles inputs;
        inputs.addImage(file("0.ome.tif"));
        QVERIFY(test::errorOf([&] { inputs.requireOther(file("2.ome.tif")); }));
        // Files in other folders are never read.
        const std::string outside =
            ome(pixels(sizes(2, 1, 1, "XYZCT"), "<TiffData IFD=\"0\" PlaneCount=\"1\"/><TiffData "
                                                "FirstZ=\"1\"><UUID FileName=\"../x.tif\">"
                                                "urn:uuid:9</UUID></TiffData>"));
        write(test::numberedTiff(1, kWidth, kHeight), outside);
        QCOMPARE(slicesOf(io::readImage(file())), (std::vector<int>{0}));
        QVERIFY(says(io::readImageInfo(file()), "../x.tif"));
    }

    void aDescriptionInAnotherFileIsFollowed() {
        const std::string only =
            ome("<BinaryOnly MetadataFile=\"all.companion.ome\" UUID=\"urn:uuid:b\"/>");
        write(test::numberedTiff(4, kWidth, kHeight), only, "b.ome.tif");
        QCOMPARE(slicesOf(io::readImage(file("b.ome.tif"))), (std::vector<int>{0, 1, 2, 3}));
        QVERIFY(says(io::readImageInfo(file("b.ome.tif")), "all.companion.ome"));
        test::writeFile(
            file("all.companion.ome"),
            ome(pixels(
                sizes(2, 2, 1, "XYCZT"),
                "<TiffData IFD=\"0\" PlaneCount=\"4\"><UUID FileName=\"b.ome.tif\">urn:uuid:b"
                "</UUID></TiffData>")));
        QCOMPARE(slicesOf(io::readImage(file("b.ome.tif"), chosen(1, {}))),
                 (std::vector<int>{1, 3}));
    }

    void aRenamedFileIsItsOwn() {
        write(test::numberedTiff(2, kWidth, kHeight),
              ome(pixels(sizes(2, 1, 1, "XYZCT"),
                         "<TiffData IFD=\"0\" PlaneCount=\"2\"><UUID "
                         "FileName=\"before.ome.tif\">urn:uuid:1</UUID></TiffData>")));
        QCOMPARE(slicesOf(io::readImage(file())), (std::vector<int>{0, 1}));
        QVERIFY(io::readImageInfo(file()).notes.empty());
    }

    void largeNumbersCostNothing() {
        const std::string large = sizes(1000000, 1000, 1000000, "XYZCT");
        const int most = 1'000'000'000;
        write(test::numberedTiff(2, kWidth, kHeight),
              ome(pixels(sizes(most, most, most, "XYZCT"),
                         "<TiffData FirstZ=\"999999999\" FirstC=\"999999999\" "
                         "FirstT=\"999999999\" IFD=\"0\"/>")));
        QVERIFY(test::errorOf([&] { (void)io::readImageInfo(file()); }));
        for (const std::string blocks :
             {"<TiffData IFD=\"0\" PlaneCount=\"1000000000\"/>", "<TiffData/>",
              "<TiffData FirstZ=\"999999\" FirstC=\"999\" FirstT=\"999999\" IFD=\"0\"/>",
              "<TiffData IFD=\"1000000000\"/>"}) {
            write(test::numberedTiff(2, kWidth, kHeight), ome(pixels(large, blocks)));
            QElapsedTimer timer;
            timer.start();
            (void)test::errorOf([&] { (void)io::readImage(file(), chosen(0, 0)); });
            QVERIFY(timer.elapsed() < 5000);
        }
    }
};

const flcc::test::TestClass<OmeFileTest> kOmeFileTest;
#include "ome_file_test.moc"
