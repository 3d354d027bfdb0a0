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
