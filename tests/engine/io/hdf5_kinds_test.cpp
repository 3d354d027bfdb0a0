#include <QTemporaryDir>
#include <QtTest>

#include <array>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/hdf5_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using test::Hdf5Writer;

/// Kinds of HDF5 files and datasets: masks, Imaris, packings, newer files.
class Hdf5KindsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.h5") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    std::string errorOf(const std::filesystem::path& path, ErrorCode code) const {
        const auto error = test::errorOf([&] { (void)io::readImage(path); });
        return error && error->code() == code ? error->what() : "no such error";
    }

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void boolIsAMask() {
        {
            const Hdf5Writer out(file());
            const hid_t type = H5Tenum_create(H5T_STD_I8LE); // as h5py stores bool
            for (const signed char value : std::array<signed char, 2>{0, 1}) {
                H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value);
            }
            H5Dclose(out.addValues("mask", type, type, {2, 3},
                                   std::vector<signed char>{0, 1, 1, 0, 0, 1}));
            H5Tclose(type);
            const Hdf5Writer second(file("named.h5"));
            const hid_t labels = H5Tenum_create(H5T_NATIVE_USHORT);
            for (const unsigned short value : std::array<unsigned short, 3>{0, 7, 9}) {
                H5Tenum_insert(labels, value == 0 ? "none" : value == 7 ? "cell" : "wall", &value);
            }
            H5Dclose(second.addValues("labels", labels, labels, {1, 3},
                                      std::vector<unsigned short>{9, 0, 7}));
            H5Tclose(labels);
            const Hdf5Writer third(file("bits.h5"));
            H5Dclose(third.addValues("bits", H5T_STD_B8LE, H5T_NATIVE_B8, {1, 3},
                                     std::vector<unsigned char>{1, 0, 1}));
        }
        const io::LoadedImage mask = io::readImage(file());
        QCOMPARE(mask.info.pixel, base::PixelType::UInt8);
        QVERIFY(std::get<base::Image<std::uint8_t>>(mask.components.at(0)).data()[4] == 0);
        const auto at = [](const io::LoadedImage& image, int x, int y) {
            return base::valueAt(base::viewOf(image.components.at(0)), {x, y, 0});
        };
        QCOMPARE(at(mask, 1, 0), 1.0);
        QCOMPARE(at(mask, 2, 1), 1.0);
        QCOMPARE(at(mask, 0, 1), 0.0);
        QVERIFY(test::holds(mask.info.notes, "bool"));
        const io::LoadedImage labels = io::readImage(file("named.h5"));
        QCOMPARE(labels.info.pixel, base::PixelType::UInt16);
        QCOMPARE(at(labels, 0, 0), 9.0);
        QVERIFY(test::holds(labels.info.notes, "none = 0, cell = 7, wall = 9"));
        QCOMPARE(at(io::readImage(file("bits.h5")), 2, 0), 1.0);
    }

    void numbersThatAreNoImageAreNamed() {
        {
            const Hdf5Writer out(file());
            const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
            H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
            H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
            H5Dclose(out.addValues("wave", type, type, {2, 2}, std::vector<double>(8)));
            H5Tclose(type);
        }
        QVERIFY(errorOf(file(), ErrorCode::Input).find("/wave holds pairs of numbers") !=
                std::string::npos);
        QVERIFY(errorOf(file().string() + ":/wave", ErrorCode::Input).find("complex") !=
                std::string::npos);
    }

    /// Two levels, time points and channels; the datasets are padded to chunks.
    void imarisFilesHaveTheirOwnExtents() {
        {
            const Hdf5Writer out(file("a.ims"));
            for (int level = 0; level < 2; ++level) {
                for (int number = 0; number < 4; ++number) {
                    const std::string group = "DataSet/ResolutionLevel " + std::to_string(level) +
                                              "/TimePoint " + std::to_string(number / 2) +
                                              "/Channel " + std::to_string(number % 2);
                    std::vector<int> values;
                    for (int i = 0; i < 4 * 8 * 8; ++i) {
                        values.push_back(i % 8 + 10 * (i / 8 % 8) + 100 * (i / 64) + 1000 * number +
                                         10000 * level);
                    }
                    H5Dclose(out.addValues((group + "/Data").c_str(), H5T_STD_U16LE, H5T_NATIVE_INT,
                                           {4, 8, 8}, values));
                    const hid_t channel = H5Gopen2(out.file(), group.c_str(), H5P_DEFAULT);
                    Hdf5Writer::letters(channel, "ImageSizeX", level == 0 ? "6" : "3");
                    Hdf5Writer::letters(channel, "ImageSizeY", level == 0 ? "5" : "2");
                    Hdf5Writer::letters(channel, "ImageSizeZ", "3");
                    H5Gclose(channel);
                }
            }
            H5Dclose(out.add("Thumbnail/Data", H5T_STD_U8LE, {8, 8}));
            H5Gclose(H5Gcreate2(out.file(), "DataSetInfo", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            const hid_t info =
                H5Gcreate2(out.file(), "DataSetInfo/Image", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            for (const auto& [name, value] :
                 std::array<std::array<const char*, 2>, 7>{{{"ExtMin0", "-3.5"},
                                                            {"ExtMin1", "1"},
                                                            {"ExtMin2", "0"},
                                                            {"ExtMax0", "-0.5"},
                                                            {"ExtMax1", "2"},
                                                            {"ExtMax2", "6"},
                                                            {"Unit", "um"}}}) {
                Hdf5Writer::letters(info, name, value);
            }
            H5Gclose(info);
        }
        const io::LoadedImage image = io::readImage(file("a.ims"), {.channel = 1, .frame = 1});
        QVERIFY((image.info.extents == Extents{6, 5, 3}));
        QCOMPARE(image.info.channels, 2);
        QCOMPARE(image.info.frames, 2);
        QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {5, 4, 2}), 3245.0);
        QCOMPARE(image.info.geometry.spacing, (base::Point{0.5, 0.2, 2}));
        QCOMPARE(image.info.geometry.origin, (base::Point{-3.25, 1.1, 1}));
        QCOMPARE(image.info.geometry.unit, std::string("um"));
        QVERIFY(test::holds(image.info.notes, "level 0 of 2"));
        const io::LoadedImage coarse = io::readImage(
            file("a.ims").string() + ":/DataSet/ResolutionLevel 1", {.channel = 0, .frame = 1});
        QVERIFY((coarse.info.extents == Extents{3, 2, 3}));
        QCOMPARE(coarse.info.geometry.spacing, (base::Point{1, 0.5, 2}));
        QCOMPARE(base::valueAt(base::viewOf(coarse.components.at(0)), {2, 1, 1}), 12112.0);
        const std::string one = ":/DataSet/ResolutionLevel 0/TimePoint 0/Channel 1/Data";
        const io::LoadedImage named = io::readImage(file("a.ims").string() + one);
        QVERIFY((named.info.extents == Extents{6, 5, 3}));
        QCOMPARE(base::valueAt(base::viewOf(named.components.at(0)), {0, 0, 0}), 1000.0);
        QVERIFY(errorOf(file("a.ims"), ErrorCode::Problem).find("--channel") != std::string::npos);
    }

    void aFilterThatThisMachineLacksIsNamed() {
        {
            const Hdf5Writer out(file());
            const std::array<hsize_t, 2> sizes{4, 4};
            const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
            const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
            H5Pset_chunk(creation, 2, sizes.data());
            // A filter of this process only, with the number of Zstandard.
            const H5Z_class2_t filter{H5Z_CLASS_T_VERS,
                                      32015,
                                      1,
                                      1,
                                      "zstd",
                                      nullptr,
                                      nullptr,
                                      [](unsigned, std::size_t, const unsigned*, std::size_t count,
                                         std::size_t*, void**) { return count; }};
            H5Zregister(&filter);
            H5Pset_filter(creation, 32015, 0, 0, nullptr);
            const hid_t data = H5Dcreate2(out.file(), "data", H5T_STD_U8LE, space, H5P_DEFAULT,
                                          creation, H5P_DEFAULT);
            const std::vector<unsigned char> values(16, 3);
            H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
            H5Dclose(data);
            H5Pclose(creation);
            H5Sclose(space);
        }
        const std::string sentence = errorOf(file(), ErrorCode::Input);
        QVERIFY2(sentence.find("Zstandard (number 32015)") != std::string::npos, sentence.c_str());
    }

    /// A chunk of the filter LZF: a literal run of three bytes, then a copy of them over and over.
    void packedChunksOfLzfAreRead() {
        {
            const Hdf5Writer out(file());
            const std::array<hsize_t, 2> sizes{2, 6};
            const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
            const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
            H5Pset_chunk(creation, 2, sizes.data());
            const H5Z_class2_t filter{H5Z_CLASS_T_VERS,
                                      32000,
                                      1,
                                      1,
                                      "lzf",
                                      nullptr,
                                      nullptr,
                                      [](unsigned, std::size_t, const unsigned*, std::size_t count,
                                         std::size_t*, void**) { return count; }};
            H5Zregister(&filter);
            const std::array<unsigned, 3> parameters{4, 0x105, 12};
            H5Pset_filter(creation, 32000, H5Z_FLAG_OPTIONAL, 3, parameters.data());
            const hid_t data = H5Dcreate2(out.file(), "data", H5T_STD_U8LE, space, H5P_DEFAULT,
                                          creation, H5P_DEFAULT);
            // 3 literals; a copy of 9 bytes (7 + 2) from 3 behind: length 7, then 9 - 2 - 7 = 0.
            const std::vector<unsigned char> chunk{2, 10, 20, 30, 0xe0, 0, 2};
            const std::array<hsize_t, 2> corner{0, 0};
            H5Dwrite_chunk(data, H5P_DEFAULT, 0, corner.data(), chunk.size(), chunk.data());
            H5Dclose(data);
            H5Pclose(creation);
            H5Sclose(space);
        }
        const io::LoadedImage image = io::readImage(file());
        for (int y = 0; y < 2; ++y) {
            for (int x = 0; x < 6; ++x) {
                QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {x, y, 0}),
                         10.0 * (1 + x % 3));
            }
        }
    }

    void aNewerFileSaysSo() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", H5T_STD_U8LE, {2, 2}));
        }
        test::Bytes bytes = test::readFile(file());
        bytes[8] = 9; // the version of the first block
        test::writeFile(file(), bytes);
        const std::string sentence = errorOf(file(), ErrorCode::Input);
        QVERIFY2(sentence.find("newer library than HDF5") != std::string::npos, sentence.c_str());
    }
};

const flcc::test::TestClass<Hdf5KindsTest> kHdf5KindsTest;
#include "hdf5_kinds_test.moc"
