#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <fstream>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/hdf5_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using test::Hdf5Writer;

namespace {

/// Lengths of the axes, each different.
hsize_t lengthOf(char axis) {
    return axis == 'x' ? 5 : axis == 'y' ? 4 : axis == 'z' ? 3 : axis == 't' ? 6 : 2;
}

/// A number that says where a voxel lies.
int valueAt(int x, int y, int z, int channel, int frame) {
    return x + 10 * y + 100 * z + 1000 * channel + 10000 * frame;
}

/// The values of a dataset with these axes, its last axis fastest.
std::vector<int> valuesOf(const std::string& axes) {
    std::size_t count = 1;
    for (const char axis : axes) {
        count *= lengthOf(axis);
    }
    std::vector<int> values;
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t left = i;
        std::array<int, 128> at{};
        for (std::size_t k = axes.size(); k-- > 0;) {
            at[static_cast<std::size_t>(axes[k])] = static_cast<int>(left % lengthOf(axes[k]));
            left /= lengthOf(axes[k]);
        }
        values.push_back(valueAt(at['x'], at['y'], at['z'], at['c'], at['t']));
    }
    return values;
}

std::vector<hsize_t> sizesOf(const std::string& axes) {
    std::vector<hsize_t> sizes;
    for (const char axis : axes) {
        sizes.push_back(lengthOf(axis));
    }
    return sizes;
}

hid_t addAxes(const Hdf5Writer& out, const char* name, const std::string& axes) {
    return out.addValues(name, H5T_STD_I32LE, H5T_NATIVE_INT, sizesOf(axes), valuesOf(axes));
}

void tag(hid_t dataset, const std::string& axes) {
    std::string text = R"({"axes": [)";
    for (const char axis : axes) {
        text += std::string(text.ends_with('[') ? "" : ", ") + R"({"key": ")" + axis +
                R"(", "typeFlags": 2, "resolution": 0, "description": ""})";
    }
    Hdf5Writer::text(dataset, "axistags", (text + "]}").c_str(), true);
}

void label(hid_t dataset, const std::string& axes) {
    std::vector<std::string> names;
    std::vector<const char*> pointers;
    for (const char axis : axes) {
        names.emplace_back(1, axis);
    }
    for (const std::string& name : names) {
        pointers.push_back(name.c_str());
    }
    Hdf5Writer::texts(dataset, "DIMENSION_LABELS", pointers);
}

/// Names the axes by dimension scales: datasets of these names.
void scale(const Hdf5Writer& out, hid_t dataset, const std::string& axes) {
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ);
    const hsize_t count = axes.size();
    std::vector<hobj_ref_t> references(count);
    std::vector<hvl_t> lists(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name(1, axes[i]);
        const hid_t made = out.add(name.c_str(), H5T_IEEE_F32LE, {lengthOf(axes[i])});
        Hdf5Writer::text(made, "CLASS", "DIMENSION_SCALE", false);
        H5Dclose(made);
        H5Rcreate(&references[i], out.file(), name.c_str(), H5R_OBJECT, -1);
        lists[i] = {1, &references[i]};
    }
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t attribute =
        H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, lists.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

} // namespace

/// What the axes of a dataset are, as the programs say that wrote it.
class Hdf5AxesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.h5") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    /// Compares every voxel of a volume, or of a picture where `axes` has no z.
    static void requireVolume(const io::LoadedImage& image, const std::string& axes, int channel,
                              int frame) {
        const int depth = axes.find('z') == std::string::npos ? 1 : 3;
        QVERIFY((image.info.extents == Extents{5, 4, depth}));
        for (int z = 0; z < depth; ++z) {
            for (int y = 0; y < 4; ++y) {
                for (int x = 0; x < 5; ++x) {
                    QCOMPARE(base::valueAt(base::viewOf(image.components.at(0)), {x, y, z}),
                             static_cast<double>(valueAt(x, y, z, channel, frame)));
                }
            }
        }
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

    void axesHaveTheOrderThatTheFileNames_data() {
        QTest::addColumn<QByteArray>("axes");
        for (const char* axes : {"zyx", "xyz", "zxy", "yx", "xy", "yxc", "cyx", "xyt", "zyxc",
                                 "zcyx", "xyzt", "tzyxc", "tczyx", "cxtyz", "tyx"}) {
            QTest::newRow(axes) << QByteArray(axes);
        }
    }
    void axesHaveTheOrderThatTheFileNames() {
        QFETCH(QByteArray, axes);
        const std::string order = axes.toStdString();
        {
            const Hdf5Writer out(file("tags.h5"));
            const hid_t data = addAxes(out, "data", order);
            tag(data, order);
            H5Dclose(data);
            const Hdf5Writer second(file("labels.h5"));
            const hid_t labelled = addAxes(second, "data", order);
            label(labelled, order);
            H5Dclose(labelled);
            const Hdf5Writer third(file("scales.h5"));
            const hid_t scaled = addAxes(third, "data", order);
            scale(third, scaled, order);
            H5Dclose(scaled);
        }
        const bool channels = axes.contains('c');
        const bool frames = axes.contains('t');
        for (const char* name : {"tags.h5", "labels.h5", "scales.h5"}) {
            io::ReadOptions options;
            options.channel = channels ? std::optional(1) : std::nullopt;
            options.frame = frames ? std::optional(4) : std::nullopt;
            requireVolume(io::readImage(file(name), options), order, channels ? 1 : 0,
                          frames ? 4 : 0);
            const io::ImageInfo info = io::readImageInfo(file(name));
            QCOMPARE(info.channels, channels ? 2 : 1);
            QCOMPARE(info.frames, frames ? 6 : 1);
            QVERIFY(info.notes.empty());
        }
        if (channels || frames) {
            const std::string sentence = errorOf(file("tags.h5"), ErrorCode::Problem);
            QVERIFY2(sentence.find(channels ? "--channel" : "--frame") != std::string::npos,
                     sentence.c_str());
        }
    }

    void axesWithoutNamesAreNoted() {
        {
            const Hdf5Writer out(file());
            H5Dclose(addAxes(out, "data", "tczyx"));
        }
        const io::LoadedImage image = io::readImage(file(), {.channel = 1, .frame = 3});
        requireVolume(image, "zyx", 1, 3);
        QVERIFY(test::holds(image.info.notes, "taken as frame, channel, z, y, x"));
    }

    void axesThatMakeNoImageAreRefused_data() {
        QTest::addColumn<QByteArray>("tags");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("too few") << QByteArray("zy") << QByteArray("has 3 axes and names 2");
        QTest::newRow("two x") << QByteArray("xxy") << QByteArray("are named x, x, y");
    }
    void axesThatMakeNoImageAreRefused() {
        QFETCH(QByteArray, tags);
        QFETCH(QByteArray, words);
        {
            const Hdf5Writer out(file());
            const hid_t data = addAxes(out, "data", "zyx");
            tag(data, tags.toStdString());
            H5Dclose(data);
        }
        const std::string sentence = errorOf(file(), ErrorCode::Input);
        QVERIFY2(sentence.find(words.toStdString()) != std::string::npos, sentence.c_str());
    }

    void spacingFollowsItsAxes() {
        {
            const Hdf5Writer out(file());
            const hid_t data = addAxes(out, "data", "xyz");
            tag(data, "xyz");
            Hdf5Writer::numbers(data, "spacing", {0.25, 0.5, 2}); // in the order of the dataset
            Hdf5Writer::text(data, "units", "um", false);
            H5Dclose(data);
            const Hdf5Writer second(file("b.h5"));
            const hid_t ilastik = addAxes(second, "data", "xyz");
            tag(ilastik, "xyz");
            Hdf5Writer::numbers(ilastik, "element_size_um", {2, 0.5, 0.25}); // always z, y, x
            H5Dclose(ilastik);
        }
        for (const char* name : {"a.h5", "b.h5"}) {
            const base::Geometry grid = io::readImageInfo(file(name)).geometry;
            QCOMPARE(grid.spacing, (base::Point{0.25, 0.5, 2}));
            QCOMPARE(grid.unit, std::string("um"));
        }
    }

    void arraysOfMatlabAreTurned() {
        {
            // MATLAB's first axis runs fastest: rows (y), columns (x), third axis (z).
            const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
            H5Pset_userblock(creation, 512);
            H5Fclose(H5Fcreate(file("a.mat").c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
            H5Pclose(creation);
            const Hdf5Writer out(Hdf5Writer::open(file("a.mat")));
            const hid_t data = addAxes(out, "volume", "zxy");
            Hdf5Writer::text(data, "MATLAB_class", "double", false);
            H5Dclose(data);
            const hid_t name = out.addValues("name", H5T_STD_U16LE, H5T_NATIVE_INT, {1, 3},
                                             std::vector<int>{'a', 'b', 'c'});
            Hdf5Writer::text(name, "MATLAB_class", "char", false); // no image
            H5Dclose(name);
        }
        std::fstream(file("a.mat"), std::ios::in | std::ios::out | std::ios::binary)
            << "MATLAB 7.3 MAT-file";
        const io::LoadedImage image = io::readImage(file("a.mat"));
        requireVolume(image, "zyx", 0, 0);
        QVERIFY(test::holds(image.info.notes, "array of MATLAB"));
        test::writeFile(file("old.mat"), "MATLAB 5.0 MAT-file" + std::string(200, ' '));
        const std::string sentence = errorOf(file("old.mat"), ErrorCode::Input);
        QVERIFY2(sentence.find("-v7.3") != std::string::npos, sentence.c_str());
    }
};

const flcc::test::TestClass<Hdf5AxesTest> kHdf5AxesTest;
#include "hdf5_axes_test.moc"
