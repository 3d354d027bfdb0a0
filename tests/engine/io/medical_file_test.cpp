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

test::Bytes headerAndData(const std::string& header, const test::Bytes& data) {
    test::Bytes file(header.begin(), header.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
}

io::ReadOptions choose(std::optional<int> channel, std::optional<int> frame) {
    io::ReadOptions options;
    options.channel = channel;
    options.frame = frame;
    return options;
}

} // namespace

/// What MRC, NIfTI, NRRD and MetaImage have in common.
class MedicalFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void mrcModesReadInBothByteOrders_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("turned");
        for (const bool turned : {false, true}) {
            QTest::addRow("bytes are signed %d", turned)
                << 0 << static_cast<int>(PixelType::Int8) << turned;
            QTest::addRow("shorts %d", turned) << 1 << static_cast<int>(PixelType::Int16) << turned;
            QTest::addRow("floats %d", turned)
                << 2 << static_cast<int>(PixelType::Float32) << turned;
            QTest::addRow("unsigned shorts %d", turned)
                << 6 << static_cast<int>(PixelType::UInt16) << turned;
        }
    }
    void mrcModesReadInBothByteOrders() {
        QFETCH(int, mode);
        QFETCH(int, type);
        QFETCH(bool, turned);
        const auto image = test::patternImage(static_cast<PixelType>(type), {7, 6, 5});
        test::writeFile(at("v.mrc"), test::makeMrc(mode, {7, 6, 5}, {17.5, 15, 20},
                                                   test::voxelBytes(image), turned));
        const io::LoadedImage loaded = io::readImage(at("v.mrc"));
        QVERIFY(test::sameBits(loaded.components.front(), image));
        QCOMPARE(loaded.info.geometry.unit, std::string("A"));
        QCOMPARE(loaded.info.geometry.spacing, (base::Point{2.5, 2.5, 4}));
    }

    void mrcModesThatAreNoImageAreRefused() {
        test::writeFile(at("c.mrc"), test::makeMrc(4, {4, 4, 1}, {4, 4, 1}, test::Bytes(128)));
        const auto error = test::errorOf([&] { (void)io::readImage(at("c.mrc")); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY(std::string(error->what()).find("mode 4") != std::string::npos);
    }

    void niftiKeepsItsUnit_data() {
        QTest::addColumn<int>("units");
        QTest::addColumn<QString>("unit");
        QTest::newRow("mm") << 2 << "mm";
        QTest::newRow("um") << 3 << "um";
        QTest::newRow("none is mm") << 0 << "mm";
    }
    void niftiKeepsItsUnit() {
        QFETCH(int, units);
        QFETCH(QString, unit);
        const auto image = test::patternImage(PixelType::Int16, {7, 6, 5});
        test::NiftiRecipe recipe;
        recipe.sizes = {7, 6, 5};
        recipe.spacing = {0.5F, 0.75F, 2.0F};
        recipe.units = static_cast<char>(units);
        recipe.voxels = test::voxelBytes(image);
        test::writeFile(at("u.nii"), test::makeNifti(recipe));
        test::writeFile(at("u.nii.gz"), test::gzip(test::makeNifti(recipe)));
        for (const char* name : {"u.nii", "u.nii.gz"}) {
            const io::LoadedImage loaded = io::readImage(at(name));
            QVERIFY(test::sameBits(loaded.components.front(), image));
            QCOMPARE(loaded.info.geometry.unit, unit.toStdString());
            for (std::size_t axis = 0; axis < 3; ++axis) {
                QVERIFY(std::abs(loaded.info.geometry.spacing[axis] /
                                     static_cast<double>(recipe.spacing[axis]) -
                                 1) < 1e-6);
            }
        }
    }

    void niftiSlopesGiveScaledFloats() {
        const auto image = test::patternImage(PixelType::Int16, {4, 3, 2});
        test::NiftiRecipe recipe;
        recipe.sizes = {4, 3, 2};
        recipe.slope = 0.5F;
        recipe.voxels = test::voxelBytes(image);
        test::writeFile(at("s.nii"), test::makeNifti(recipe));
        const io::LoadedImage loaded = io::readImage(at("s.nii"));
        QVERIFY(!base::isInteger(loaded.info.pixel));
        const base::Index last{3, 2, 1};
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), last),
                 0.5 * base::valueAt(base::viewOf(image), last));
    }

    void theFourthAxisAsksForAFrame_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"t.nii", "t.nii.gz", "t.nrrd", "t.mha", "t.mhd"}) {
            QTest::newRow(name) << name;
        }
    }
    void theFourthAxisAsksForAFrame() {
        QFETCH(QString, name);
        const auto path = at(name.toStdString());
        const auto all = test::patternImage(PixelType::Int16, {5, 4, 3 * 2});
        const test::Bytes voxels = test::voxelBytes(all);
        const std::string meta = "ObjectType = Image\nNDims = 4\nBinaryData = True\n"
                                 "BinaryDataByteOrderMSB = False\nDimSize = 5 4 3 2\n"
                                 "ElementType = MET_SHORT\nElementDataFile = ";
        if (name.startsWith("t.nii")) {
            test::NiftiRecipe recipe;
            recipe.sizes = {5, 4, 3, 2};
            recipe.voxels = voxels;
            const test::Bytes file = test::makeNifti(recipe);
            test::writeFile(path, name == "t.nii" ? file : test::gzip(file));
        } else if (name == "t.nrrd") {
            test::writeFile(path, headerAndData("NRRD0004\ntype: int16\ndimension: 4\n"
                                                "sizes: 5 4 3 2\nendian: little\n"
                                                "encoding: raw\n\n",
                                                voxels));
        } else if (name == "t.mha") {
            test::writeFile(path, headerAndData(meta + "LOCAL\n", voxels));
        } else {
            test::writeFile(path, meta + "t.raw\n");
            test::writeFile(at("t.raw"), voxels);
        }
        const io::ImageInfo info = io::readImageInfo(path);
        QCOMPARE(info.frames, 2);
        QVERIFY((info.extents == base::Extents{5, 4, 3}));
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        for (int frame = 0; frame < 2; ++frame) {
            const auto part = base::partOf(base::viewOf(all), {{0, 0, 3 * frame}, {5, 4, 3}});
            const io::LoadedImage loaded = io::readImage(path, choose({}, frame));
            QVERIFY(test::sameBits(loaded.components.front(), base::copyOf(part)));
        }
    }

    void severalValuesAVoxelAskForAChannel_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"v.nrrd", "v.mha", "v.mhd"}) {
            QTest::newRow(name) << name;
        }
    }
    void severalValuesAVoxelAskForAChannel() {
        QFETCH(QString, name);
        const auto path = at(name.toStdString());
        const auto all = test::patternImage(PixelType::Float32, {2, 5, 4});
        const test::Bytes voxels = test::voxelBytes(all);
        const std::string meta = "ObjectType = Image\nNDims = 2\nBinaryData = True\n"
                                 "BinaryDataByteOrderMSB = False\nDimSize = 5 4\n"
                                 "ElementNumberOfChannels = 2\nElementType = MET_FLOAT\n"
                                 "ElementDataFile = ";
        if (name == "v.nrrd") {
            test::writeFile(path, headerAndData("NRRD0004\ntype: float\ndimension: 3\n"
                                                "sizes: 2 5 4\nkinds: vector domain domain\n"
                                                "endian: little\nencoding: raw\n\n",
                                                voxels));
        } else if (name == "v.mha") {
            test::writeFile(path, headerAndData(meta + "LOCAL\n", voxels));
        } else {
            test::writeFile(path, meta + "v.raw\n");
            test::writeFile(at("v.raw"), voxels);
        }
        QCOMPARE(io::readImageInfo(path).channels, 2);
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        for (int channel = 0; channel < 2; ++channel) {
            const io::LoadedImage loaded = io::readImage(path, choose(channel, {}));
            QCOMPARE(loaded.components.size(), std::size_t{1});
            for (std::int64_t y = 0; y < 4; ++y) {
                for (std::int64_t x = 0; x < 5; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(loaded.components[0]), {x, y, 0}),
                             base::valueAt(base::viewOf(all), {channel, x, y}));
                }
            }
        }
    }

    void nrrdColoursAreComponents() {
        const auto all = test::patternImage(PixelType::UInt8, {3, 5, 4});
        test::writeFile(at("rgb.nrrd"), headerAndData("NRRD0004\ntype: uint8\ndimension: 3\n"
                                                      "sizes: 3 5 4\n"
                                                      "kinds: RGB-color domain domain\n"
                                                      "encoding: raw\n\n",
                                                      test::voxelBytes(all)));
        const io::LoadedImage loaded = io::readImage(at("rgb.nrrd"));
        QCOMPARE(loaded.info.components, 3);
        QCOMPARE(base::valueAt(base::viewOf(loaded.components[2]), {4, 3, 0}),
                 base::valueAt(base::viewOf(all), {2, 4, 3}));
    }

    void bothReadersOfMetaImagePlaceTheGridAlike() {
        const auto image = test::patternImage(PixelType::Int16, {5, 4, 3});
        const std::string header = "ObjectType = Image\nNDims = 3\nBinaryData = True\n"
                                   "BinaryDataByteOrderMSB = False\n"
                                   "TransformMatrix = 0.8 0.6 0 -0.6 0.8 0 0 0 1\n"
                                   "Offset = 1.5 -2 30\nElementSpacing = 0.5 0.75 2\n"
                                   "DimSize = 5 4 3\nElementType = MET_SHORT\nElementDataFile = ";
        test::writeFile(at("one.mha"), headerAndData(header + "LOCAL\n", test::voxelBytes(image)));
        test::writeFile(at("two.mhd"), header + "two.raw\n");
        test::writeFile(at("two.raw"), test::voxelBytes(image));
        const io::LoadedImage own = io::readImage(at("one.mha"));
        const io::LoadedImage library = io::readImage(at("two.mhd"));
        QVERIFY(test::sameBits(own.components[0], library.components[0]));
        QVERIFY(own.info.geometry == library.info.geometry);
        QCOMPARE(own.info.geometry.direction[3], 0.6);
    }

    void linkedVoxelsThatAreMissingOrShortAreRefused() {
        const std::string header = "ObjectType = Image\nNDims = 2\nBinaryData = True\n"
                                   "DimSize = 5 4\nElementType = MET_SHORT\n"
                                   "ElementDataFile = short.raw\n";
        test::writeFile(at("short.mhd"), header);
        std::filesystem::remove(at("short.raw"));
        const auto missing = test::errorOf([&] { (void)io::readImage(at("short.mhd")); });
        QVERIFY(missing && missing->code() == ErrorCode::Input);
        test::writeFile(at("short.raw"), test::Bytes(39));
        const auto shortFile = test::errorOf([&] { (void)io::readImage(at("short.mhd")); });
        QVERIFY(shortFile && shortFile->code() == ErrorCode::Input);
        test::writeFile(at("short.raw"), test::Bytes(40));
        (void)io::readImage(at("short.mhd"));
    }

    void nrrdUnitsAreKept() {
        const auto image = test::patternImage(PixelType::UInt8, {5, 4, 3});
        test::writeFile(
            at("u.nrrd"),
            headerAndData("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\n"
                          "space: left-posterior-superior\n"
                          "space directions: (0.5,0,0) (0,0.5,0) (0,0,2)\n"
                          "space origin: (1,2,3)\nspace units: \"\xc2\xb5m\" \"\xc2\xb5m\" "
                          "\"\xc2\xb5m\"\nencoding: raw\n\n",
                          test::voxelBytes(image)));
        const base::Geometry grid = io::readImageInfo(at("u.nrrd")).geometry;
        QCOMPARE(grid.unit, std::string("um"));
        QCOMPARE(grid.spacing, (base::Point{0.5, 0.5, 2}));
        QCOMPARE(grid.origin, (base::Point{1, 2, 3}));
    }
};

const flcc::test::TestClass<MedicalFileTest> kMedicalFileTest;
#include "medical_file_test.moc"
