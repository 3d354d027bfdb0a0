#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/hdf5_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using test::Hdf5Writer;

namespace {

double at(const io::LoadedImage& image, std::int64_t x, std::int64_t y, std::int64_t z) {
    return base::valueAt(base::viewOf(image.components.at(0)), {x, y, z});
}

} // namespace

class Hdf5FileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.h5") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    static std::string requireError(const std::filesystem::path& path, ErrorCode code,
                                    const std::string& word, const io::ReadOptions& options = {}) {
        const auto error = test::errorOf([&] { (void)io::readImage(path, options); });
        const std::string sentence = error ? error->what() : "no error";
        if (!error || error->code() != code || sentence.find(word) == std::string::npos ||
            sentence.find("a.h5") == std::string::npos) {
            QTest::qFail(sentence.c_str(), __FILE__, __LINE__);
        }
        return sentence;
    }

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void everyTypeInBothOrdersOfBytes_data() {
        QTest::addColumn<qlonglong>("stored");
        QTest::addColumn<int>("type");
        const auto row = [](const char* name, hid_t stored, PixelType type) {
            QTest::newRow(name) << static_cast<qlonglong>(stored) << static_cast<int>(type);
        };
        row("u8", H5T_STD_U8LE, PixelType::UInt8);
        row("i8", H5T_STD_I8BE, PixelType::Int8);
        row("u16 little", H5T_STD_U16LE, PixelType::UInt16);
        row("u16 big", H5T_STD_U16BE, PixelType::UInt16);
        row("i16 big", H5T_STD_I16BE, PixelType::Int16);
        row("u32 little", H5T_STD_U32LE, PixelType::UInt32);
        row("i32 big", H5T_STD_I32BE, PixelType::Int32);
        row("u64 big", H5T_STD_U64BE, PixelType::UInt64);
        row("i64 little", H5T_STD_I64LE, PixelType::Int64);
        row("f32 little", H5T_IEEE_F32LE, PixelType::Float32);
        row("f32 big", H5T_IEEE_F32BE, PixelType::Float32);
        row("f64 big", H5T_IEEE_F64BE, PixelType::Float64);
    }
    void everyTypeInBothOrdersOfBytes() {
        QFETCH(qlonglong, stored);
        QFETCH(int, type);
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", stored, {4, 5, 6}, {2, 3, 6}));
        }
        const io::LoadedImage image = io::readImage(file(), {.digests = true});
        QCOMPARE(image.info.format, std::string("HDF5"));
        QCOMPARE(static_cast<int>(image.info.pixel), type);
        QVERIFY((image.info.extents == Extents{6, 5, 4}));
        QCOMPARE(at(image, 0, 0, 0), 0.0);
        QCOMPARE(at(image, 1, 2, 3), 103.0);
        QCOMPARE(at(image, 5, 4, 3), 119.0);
        QCOMPARE(image.files.size(), std::size_t{1});
        QCOMPARE(image.files[0].path, file());
        QCOMPARE(image.info.metadata.at("dataset"), std::string("/data"));
    }

    void twoDimensionsAreAnImage() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", H5T_STD_U16LE, {7, 9}));
        }
        const io::LoadedImage image = io::readImage(file());
        QVERIFY((image.info.extents == Extents{9, 7, 1}));
        QCOMPARE(at(image, 8, 6, 0), 62.0);
        QCOMPARE(image.info.geometry.unit, std::string("px"));
    }

    void fourDimensionsAreFrames() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", H5T_STD_U16LE, {3, 2, 4, 5}, {2, 2, 2, 2}));
        }
        const io::ImageInfo info = io::readImageInfo(file());
        QCOMPARE(info.frames, 3);
        QVERIFY((info.extents == Extents{5, 4, 2}));
        const io::LoadedImage image = io::readImage(file(), {.frame = 2});
        QCOMPARE(at(image, 0, 0, 0), 80.0);
        QCOMPARE(at(image, 4, 3, 1), 119.0);
        requireError(file(), ErrorCode::Problem, "holds 3 frames; choose one");
        requireError(file(), ErrorCode::Problem, "there is no frame 3", {.frame = 3});
    }

    void attributesGiveSpacingAndUnit_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("ilastik") << 0;
        QTest::newRow("spacing, fixed text") << 1;
        QTest::newRow("spacing, variable text") << 2;
    }
    void attributesGiveSpacingAndUnit() {
        QFETCH(int, kind);
        {
            const Hdf5Writer out(file());
            const hid_t data = out.add("data", H5T_STD_U8LE, {3, 4, 5});
            if (kind == 0) {
                Hdf5Writer::numbers(data, "element_size_um", {2, 0.5, 0.25});
            } else {
                Hdf5Writer::numbers(data, "spacing", {2, 0.5, 0.25});
                Hdf5Writer::text(data, "units", "micrometer", kind == 2);
            }
            H5Dclose(data);
        }
        const base::Geometry grid = io::readImageInfo(file()).geometry;
        QVERIFY((grid.spacing == base::Point{0.25, 0.5, 2}));
        QCOMPARE(grid.unit, std::string("um"));
        QVERIFY(grid.unitSource == base::UnitSource::Header);
    }

    void severalDatasetsNeedAPath() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("volume", H5T_STD_U8LE, {3, 4, 5}));
            H5Dclose(out.add("group/image", H5T_IEEE_F32LE, {6, 7}));
            H5Dclose(out.add("group/list", H5T_IEEE_F32LE, {6}));
        }
        const std::string sentence =
            requireError(file(), ErrorCode::Problem, "/group/image (6x7), /volume (3x4x5)");
        QVERIFY2(sentence.find("list") == std::string::npos, sentence.c_str());
        const std::vector<io::ImageChoice> datasets = io::imagesIn(file());
        QCOMPARE(datasets.size(), std::size_t{2});
        QCOMPARE(datasets[0].name, std::string("/group/image"));
        QCOMPARE(datasets[1].sizes, std::string("5x4x3")); // x first
        QCOMPARE(datasets[1].kind, std::string("uint8"));
        QVERIFY((io::readImageInfo(datasets[1].path).extents == Extents{5, 4, 3}));
        const io::LoadedImage image =
            io::readImage(file().string() + ":/group/image", {.digests = true});
        QVERIFY((image.info.extents == Extents{7, 6, 1}));
        QCOMPARE(image.files[0].path, file());
        requireError(file().string() + ":/group/none", ErrorCode::Input,
                     "no dataset /group/none; it has /group/image, /volume");
        requireError(file().string() + ":/group", ErrorCode::Input, "no dataset /group;");
        requireError(file().string() + ":/group/list", ErrorCode::Input, "1 dimensions");
    }

    void aListOfManyDatasetsEnds() {
        {
            const Hdf5Writer out(file());
            for (int i = 0; i < 30; ++i) {
                H5Dclose(out.add(("d" + std::to_string(i)).c_str(), H5T_STD_U8LE, {2, 2}));
            }
        }
        const std::string sentence = requireError(file(), ErrorCode::Problem, "30 datasets");
        QCOMPARE(QString::fromStdString(sentence).count("(2x2)"), 20);
    }

    void aFileWithoutImagesIsAnError() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("list", H5T_STD_U8LE, {20}));
        }
        requireError(file(), ErrorCode::Input, "no dataset of 2 dimensions");
    }

    void voxelsInOtherFilesAreNotRead() {
        {
            const Hdf5Writer other(file("b.h5"));
            H5Dclose(other.add("data", H5T_STD_U8LE, {2, 2}));
        }
        {
            const Hdf5Writer out(file());
            H5Lcreate_external("b.h5", "/data", out.file(), "link", H5P_DEFAULT, H5P_DEFAULT);
            const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
            H5Pset_external(creation, "/etc/passwd", 0, 64);
            const std::array<hsize_t, 2> sizes{8, 8};
            const hid_t space = H5Screate_simple(2, sizes.data(), nullptr);
            H5Dclose(H5Dcreate2(out.file(), "raw", H5T_STD_U8LE, space, H5P_DEFAULT, creation,
                                H5P_DEFAULT));
            H5Sclose(space);
            H5Pclose(creation);
        }
        requireError(file().string() + ":/link", ErrorCode::Input, "no dataset /link");
        requireError(file().string() + ":/raw", ErrorCode::Input, "lie in other files");
    }

    void aDatasetOfAnotherFormatIsAnError() {
        test::writeFile(file("a.h5"), std::string("no HDF5 at all"));
        requireError(file().string() + ":/data", ErrorCode::Input, "is not an HDF5 file");
        requireError(file(), ErrorCode::Input, "its content is not that of a .h5 file");
    }

    void prefixesGiveSentences() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", H5T_STD_U16LE, {8, 16, 16}));
        }
        const test::Bytes good = test::readFile(file());
        const std::size_t step = test::kSanitized ? good.size() / 3 : good.size() / 17;
        for (std::size_t length = 16; length < good.size(); length += step) {
            test::writeFile(file(),
                            test::Bytes(good.begin(), good.begin() + std::ptrdiff_t(length)));
            requireError(file(), ErrorCode::Input, "cannot read");
        }
    }

    /// A small file with a chunk of 256 MiB.
    void aMemoryBombIsASentence() {
        if (test::kSanitized) {
            QSKIP("a sanitizer needs more addresses than the limit");
        }
        {
            const Hdf5Writer out(file());
            const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
            const std::array<hsize_t, 2> chunk{16384, 16384};
            H5Pset_chunk(creation, 2, chunk.data());
            H5Pset_deflate(creation, 1);
            const std::array<hsize_t, 2> sizes{64, 64};
            const std::array<hsize_t, 2> most{H5S_UNLIMITED, H5S_UNLIMITED};
            const hid_t space = H5Screate_simple(2, sizes.data(), most.data());
            const hid_t data = H5Dcreate2(out.file(), "data", H5T_STD_U8LE, space, H5P_DEFAULT,
                                          creation, H5P_DEFAULT);
            const std::vector<unsigned char> values(64 * 64, 1);
            H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
            H5Dclose(data);
            H5Sclose(space);
            H5Pclose(creation);
        }
        QCOMPARE(io::readImage(file()).info.extents.x, std::int64_t{64});
        auto& setup = io::detail::readerSetup();
        const std::int64_t before = setup.baseMemory;
        setup.baseMemory = std::int64_t{220} << 20;
        const auto error =
            test::errorOf([&] { (void)io::readImage(file(), {.maxBytes = 1 << 20}); });
        setup.baseMemory = before;
        QVERIFY(error.has_value());
        QVERIFY2(error->code() == ErrorCode::Input, error->what());
        const std::string sentence = error->what();
        QVERIFY2(sentence.find("reader of HDF5 files ended while it read " + file().string() +
                               " (its limit of 221 MiB of memory)") != std::string::npos,
                 sentence.c_str());
    }

    void aVolumeBeyondTheLimitIsNotRead() {
        {
            const Hdf5Writer out(file());
            H5Dclose(out.add("data", H5T_STD_U16LE, {8, 16, 16}));
        }
        requireError(file(), ErrorCode::Memory, "needs 4096 bytes", {.maxBytes = 4095});
    }
};

const flcc::test::TestClass<Hdf5FileTest> kHdf5FileTest;
#include "hdf5_file_test.moc"
