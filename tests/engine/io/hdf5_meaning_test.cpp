#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <limits>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/hdf5_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using base::Point;
using test::Hdf5Writer;

/// What writers of HDF5 files mean by their numbers and axes: ITK, netCDF, BigDataViewer.
class Hdf5MeaningTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.h5") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    static double at(const io::LoadedImage& image, std::int64_t x, std::int64_t y,
                     std::int64_t z = 0, std::size_t component = 0) {
        return base::valueAt(base::viewOf(image.components.at(component)), {x, y, z});
    }
    /// An image as ITK stores it, of the values 0, 1, 2, ...
    void writeItk(hid_t type, const std::vector<hsize_t>& voxels, hsize_t axes) const {
        const Hdf5Writer out(file());
        const auto numbers = [&](const char* name, const std::vector<double>& values) {
            const std::string path = std::string("ITKImage/0/") + name;
            H5Dclose(out.addValues(path.c_str(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()},
                                   values));
        };
        H5Dclose(out.add("ITKImage/0/VoxelData", type, voxels));
        // x first; the components of a voxel are no axis
        std::vector<double> lengths(voxels.begin(),
                                    voxels.begin() + static_cast<std::ptrdiff_t>(axes));
        std::reverse(lengths.begin(), lengths.end());
        numbers("Dimension", lengths);
        const std::vector<double> all{0.5, 0.25, 2, 7};
        numbers("Spacing", {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(axes)});
        numbers("Origin", {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(axes)});
        std::vector<double> direction(axes * axes, 0);
        for (std::size_t i = 0; i < axes; ++i) {
            direction[i * axes + i] = i < 2 ? -1 : 1;
        }
        numbers("Directions", direction);
    }
    /// A dataset of 2x3 numbers that netCDF would write.
    template <class Value>
    io::LoadedImage netCdf(hid_t type, hid_t memory, const std::vector<Value>& values,
                           const std::function<void(hid_t)>& attributes) const {
        {
            const Hdf5Writer out(file());
            const hid_t data = out.addValues("v", type, memory, {2, 3}, values);
            attributes(data);
            H5Dclose(data);
        }
        return io::readImage(file());
    }

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void coloursOfItkAreComponents() {
        for (const hsize_t components : {hsize_t{1}, hsize_t{3}, hsize_t{4}}) {
            writeItk(H5T_STD_U8LE, {3, 4, components}, 2);
            const io::LoadedImage image = io::readImage(file());
            const int count = static_cast<int>(components);
            QVERIFY((image.info.extents == Extents{4, 3, 1}));
            QCOMPARE(image.info.components, count);
            QCOMPARE(image.info.channels, 1);
            QVERIFY((image.info.geometry.spacing == Point{0.5, 0.25, 1}));
            QVERIFY((image.info.geometry.origin == Point{0.5, 0.25, 0}));
            QCOMPARE(image.info.geometry.direction[0], -1.0);
            for (int c = 0; c < count; ++c) {
                QCOMPARE(at(image, 2, 1, 0, static_cast<std::size_t>(c)),
                         static_cast<double>((4 + 2) * count + c));
            }
        }
        writeItk(H5T_STD_U8LE, {2, 3, 4, 3}, 3);
        const io::LoadedImage volume = io::readImage(file());
        QVERIFY((volume.info.extents == Extents{4, 3, 2}));
        QCOMPARE(at(volume, 1, 2, 1, 2), (12 + 8 + 1) * 3 + 2.0);
    }

    void vectorsOfItkAreChannels() {
        const std::array<std::pair<hid_t, hsize_t>, 3> kinds{
            {{H5T_STD_U8LE, 2}, {H5T_STD_U8LE, 6}, {H5T_IEEE_F32LE, 3}}};
        for (const auto& [type, components] : kinds) {
            writeItk(type, {3, 4, components}, 2);
            const io::LoadedImage image = io::readImage(file(), {.channel = 1});
            QVERIFY((image.info.extents == Extents{4, 3, 1}));
            QCOMPARE(image.info.channels, static_cast<int>(components));
            QCOMPARE(at(image, 2, 1), static_cast<double>(6 * components + 1));
        }
    }

    void fourAxesOfItkKeepTheirGeometry() {
        writeItk(H5T_STD_U8LE, {2, 2, 3, 4}, 4);
        const io::LoadedImage image = io::readImage(file(), {.frame = 1});
        QVERIFY((image.info.extents == Extents{4, 3, 2}));
        QCOMPARE(image.info.frames, 2);
        QVERIFY((image.info.geometry.spacing == Point{0.5, 0.25, 2}));
        QVERIFY((image.info.geometry.origin == Point{0.5, 0.25, 2}));
        QVERIFY(
            (image.info.geometry.direction == std::array<double, 9>{-1, 0, 0, 0, -1, 0, 0, 0, 1}));
        QVERIFY(image.info.notes.empty());
        QCOMPARE(at(image, 0, 0), 24.0);
    }

    void axesThatContradictItkAreRefused() {
        writeItk(H5T_STD_U8LE, {2, 2, 3, 4}, 2);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(file()); });
        QVERIFY(error &&
                std::string(error->what()).find("Dimension states 2") != std::string::npos);
    }

    void numbersOfNetCdfAreUnsigned() {
        const std::vector<signed char> bytes{-56, 0, 1, 127, -128, -1};
        const io::LoadedImage image = netCdf(H5T_STD_I8LE, H5T_NATIVE_SCHAR, bytes, [](hid_t data) {
            Hdf5Writer::text(data, "_Unsigned", "true", false);
            Hdf5Writer::numbers(data, "_FillValue", {-1});
        });
        QCOMPARE(image.info.pixel, PixelType::UInt8);
        QCOMPARE(at(image, 0, 0), 200.0);
        QCOMPARE(at(image, 1, 1), 128.0);
        QVERIFY(test::holds(image.info.notes, "stored as int8 and were read as uint8"));
        QVERIFY(test::holds(image.info.notes, "the value 255 (_FillValue), which was left"));
        const io::LoadedImage same = netCdf(H5T_STD_I8LE, H5T_NATIVE_SCHAR, bytes, [](hid_t data) {
            Hdf5Writer::text(data, "_Unsigned", "false", false);
        });
        QCOMPARE(same.info.pixel, PixelType::Int8);
        QVERIFY(same.info.notes.empty());
    }

    void scalesOfNetCdfAreApplied() {
        const std::vector<short> values{-56, 0, 1, 2, 3, -999};
        const io::LoadedImage image =
            netCdf(H5T_STD_I16BE, H5T_NATIVE_SHORT, values, [](hid_t data) {
                Hdf5Writer::numbers(data, "scale_factor", {0.5});
                Hdf5Writer::numbers(data, "add_offset", {10});
                Hdf5Writer::numbers(data, "_FillValue", {-999});
            });
        QCOMPARE(image.info.pixel, PixelType::Float32);
        QCOMPARE(at(image, 0, 0), -18.0);
        QCOMPARE(at(image, 0, 1), 11.0);
        QVERIFY(test::holds(image.info.notes, "multiplied by 0.5 and moved by 10"));
        QVERIFY(test::holds(image.info.notes, "the value -489.5 (_FillValue)"));
        const io::LoadedImage both =
            netCdf(H5T_STD_I16LE, H5T_NATIVE_SHORT, values, [](hid_t data) {
                Hdf5Writer::text(data, "_Unsigned", "true", true);
                Hdf5Writer::numbers(data, "scale_factor", {2});
            });
        QCOMPARE(at(both, 0, 0), 2.0 * (65536 - 56));
        const io::LoadedImage plain =
            netCdf(H5T_STD_I16LE, H5T_NATIVE_SHORT, values,
                   [](hid_t data) { Hdf5Writer::numbers(data, "scale_factor", {1}); });
        QCOMPARE(plain.info.pixel, PixelType::Int16);
        QVERIFY(plain.info.notes.empty());
        const auto error = test::errorOf([&] {
            (void)netCdf(H5T_STD_I16LE, H5T_NATIVE_SHORT, values,
                         [](hid_t data) { Hdf5Writer::numbers(data, "scale_factor", {0}); });
        });
        QVERIFY(error && std::string(error->what()).find("scale_factor") != std::string::npos);
    }

    /// Spacing and unit as EMAN2, Chimera, EMD and NeXus leave them beside the voxels.
    void programsLeaveTheSpacingBesideTheVoxels() {
        const auto read = [&](const std::string& dataset) {
            return io::readImageInfo(file().string() + dataset);
        };
        const auto group = [](const Hdf5Writer& out, const char* path) {
            return H5Oopen(out.file(), path, H5P_DEFAULT);
        };
        const auto series = [](const Hdf5Writer& out, const char* name,
                               const std::vector<double>& values, const char* unit) {
            const hid_t data =
                out.addValues(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values);
            Hdf5Writer::text(data, "units", unit, true);
            H5Dclose(data);
        };
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("MDF/images/0/image", H5T_IEEE_F32LE, {2, 3, 4}));
            const hid_t own = group(out, "MDF/images/0");
            Hdf5Writer::numbers(own, "EMAN.apix_x", {2.5});
            Hdf5Writer::numbers(own, "EMAN.apix_y", {2.5});
            Hdf5Writer::numbers(own, "EMAN.apix_z", {3});
            H5Oclose(own);
        }
        QVERIFY((read("").geometry.spacing == base::Point{2.5, 2.5, 3}));
        QCOMPARE(read("").geometry.unit, std::string("A"));
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("Chimera/image1/data_zyx", H5T_IEEE_F32LE, {2, 4, 6}));
            const hid_t coarse = out.add("Chimera/image1/data_zyx_2", H5T_IEEE_F32LE, {1, 2, 3});
            Hdf5Writer::numbers(coarse, "subsample_spacing", {2, 2, 2});
            H5Dclose(coarse);
            const hid_t own = group(out, "Chimera/image1");
            Hdf5Writer::numbers(own, "step", {2, 2, 3});
            Hdf5Writer::numbers(own, "origin", {-1, -2, -3});
            H5Oclose(own);
        }
        QVERIFY((read("").geometry.spacing == base::Point{2, 2, 3})); // the finest one
        QVERIFY((read("").geometry.origin == base::Point{-1, -2, -3}));
        QVERIFY((read(":/Chimera/image1/data_zyx_2").geometry.spacing == base::Point{4, 4, 6}));
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data/volume/data", H5T_IEEE_F32LE, {2, 3, 4}));
            const hid_t own = group(out, "data/volume");
            Hdf5Writer::numbers(own, "emd_group_type", {1});
            H5Oclose(own);
            series(out, "data/volume/dim1", {0, 3}, "[n_m]");
            series(out, "data/volume/dim2", {5, 7, 9}, "[n_m]");
            series(out, "data/volume/dim3", {0, 1, 3, 4}, "[n_m]"); // uneven
        }
        const io::ImageInfo emd = read("");
        QVERIFY((emd.geometry.spacing == base::Point{1, 2, 3}) && emd.geometry.origin[1] == 5);
        QCOMPARE(emd.geometry.unit, std::string("nm"));
        QVERIFY(test::holds(emd.notes, "along x are not evenly spaced"));
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("entry/data/image", H5T_IEEE_F32LE, {2, 3, 4}));
            H5Dclose(out.add("entry/mask", H5T_STD_U8LE, {3, 4}));
            series(out, "entry/data/z", {0, 3}, "um");
            series(out, "entry/data/y", {4, 2, 0}, "um"); // falling
            series(out, "entry/data/x", {0, 0.5, 1, 1.5}, "um");
            const hid_t root = group(out, "/");
            Hdf5Writer::text(root, "default", "entry", true);
            const hid_t entry = group(out, "entry");
            Hdf5Writer::text(entry, "default", "data", true);
            const hid_t data = group(out, "entry/data");
            Hdf5Writer::text(data, "NX_class", "NXdata", true);
            Hdf5Writer::text(data, "signal", "image", true);
            Hdf5Writer::texts(data, "axes", {"z", "y", "x"});
            for (const hid_t each : {root, entry, data}) {
                H5Oclose(each);
            }
        }
        const io::ImageInfo nexus = read("");
        QVERIFY((nexus.geometry.spacing == base::Point{0.5, 2, 3}));
        QVERIFY((nexus.extents == base::Extents{4, 3, 2}));
        QVERIFY(test::holds(nexus.notes, "along y fall"));
    }

    /// Frames of Velox are the last axis, and a text of JSON has the size of a pixel in metres.
    void framesOfVeloxAreTheLastAxis() {
        const std::string json =
            R"({"BinaryResult": {"PixelSize": {"width": "2e-10", "height": "4e-10"}}})";
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("Data/Image/0a1b/Data", H5T_STD_I16LE, {3, 4, 2}));
            std::vector<char> text(json.begin(), json.end());
            text.resize(100);
            H5Dclose(out.addValues("Data/Image/0a1b/Metadata", H5T_STD_U8LE, H5T_NATIVE_CHAR,
                                   {100, 1}, text));
        }
        const io::LoadedImage image = io::readImage(file(), {.frame = 1});
        QVERIFY((image.info.extents == base::Extents{4, 3, 1}) && image.info.frames == 2);
        QCOMPARE(at(image, 1, 0), 3.0);
        QVERIFY((image.info.geometry.spacing == base::Point{0.2, 0.4, 1}));
        QCOMPARE(image.info.geometry.unit, std::string("nm"));
    }

    /// MINC 2: steps of the axes; that the values are the stored ones is said.
    void stepsOfMincAreItsSpacing() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("minc-2.0/image/0/image", H5T_STD_U16LE, {2, 3, 4}));
            for (const auto& [axis, step] :
                 {std::pair("xspace", -1.5), std::pair("yspace", 2.0), std::pair("zspace", 3.0)}) {
                const std::string name = std::string("minc-2.0/dimensions/") + axis;
                const hid_t scale = out.addValues(name.c_str(), H5T_STD_I32LE, H5T_NATIVE_INT, {1},
                                                  std::vector<int>{0});
                Hdf5Writer::numbers(scale, "step", {step});
                Hdf5Writer::text(scale, "units", "mm", true);
                H5Dclose(scale);
            }
        }
        const io::ImageInfo info = io::readImageInfo(file());
        QVERIFY((info.geometry.spacing == base::Point{1.5, 2, 3}));
        QCOMPARE(info.geometry.unit, std::string("mm"));
        QVERIFY(test::holds(info.notes, "MINC"));
    }

    void bigDataViewerMeansUnsignedNumbers() {
        const auto write = [&](const char* cells) {
            const Hdf5Writer out(file());
            H5Dclose(out.addValues(cells, H5T_STD_I16LE, H5T_NATIVE_SHORT, {1, 2, 2},
                                   std::vector<short>{-25536, 1, 2, 3}));
            H5Dclose(out.add("s00/resolutions", H5T_IEEE_F64LE, {1, 3}));
            H5Dclose(out.add("s00/subdivisions", H5T_STD_I32LE, {1, 3}));
        };
        write("t00000/s00/0/cells");
        const io::LoadedImage image = io::readImage(file());
        QCOMPARE(image.info.pixel, PixelType::UInt16);
        QCOMPARE(at(image, 0, 0), 40000.0);
        QVERIFY(test::holds(image.info.notes, "BigDataViewer"));
        write("t00000/s00/0/others");
        QCOMPARE(at(io::readImage(file()), 0, 0), -25536.0);
    }

    void linesOfColoursAreChannels() {
        {
            const Hdf5Writer out(file());
            const hid_t data = out.add("v", H5T_STD_U8LE, {4, 3, 5});
            Hdf5Writer::text(data, "CLASS", "IMAGE", false);
            Hdf5Writer::text(data, "IMAGE_SUBCLASS", "IMAGE_TRUECOLOR", false);
            Hdf5Writer::text(data, "INTERLACE_MODE", "INTERLACE_LINE", false);
            H5Dclose(data);
        }
        const io::LoadedImage image = io::readImage(file(), {.channel = 2});
        QVERIFY((image.info.extents == Extents{5, 4, 1}));
        QCOMPARE(image.info.channels, 3);
        QCOMPARE(at(image, 1, 3), 3 * 15 + 2 * 5 + 1.0);
        QVERIFY(test::holds(image.info.notes, "red, green and blue"));
    }
};

const flcc::test::TestClass<Hdf5MeaningTest> kHdf5MeaningTest;
#include "hdf5_meaning_test.moc"
