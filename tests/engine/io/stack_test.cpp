#include <QtTest>

#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/io/peak_file.h"
#include "engine/io/stack_reader.h"
#include "engine/io/stack_writer.h"
#ifdef FLCC_READER
#include "engine/io/process/reader_process.h"
#endif
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

base::Geometry stackGeometry() {
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.25, 2};
    geometry.origin = {1, 2, 3};
    geometry.unit = "um";
    geometry.unitSource = base::UnitSource::Header;
    return geometry;
}

base::Image<float> numberedStack(const base::Extents& extents) {
    base::Image<float> stack(extents);
    for (std::int64_t i = 0; i < stack.count(); ++i) {
        stack.data()[i] = static_cast<float>(i) * 0.25F;
    }
    return stack;
}

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

class IoStackTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
#ifdef FLCC_READER // in builds with image libraries
        io::detail::readerSetup().program = FLCC_READER;
#endif
    }
    void everySliceIsThatOfTheVolume_data();
    void everySliceIsThatOfTheVolume();
    void digestsAreThoseOfTheFile();
    void aCancelledReadCanBeRepeated();
    void flatFramesAreImagesToo();
    void slicesWrittenOneByOneMakeTheVolume_data();
    void slicesWrittenOneByOneMakeTheVolume();
    void membersOfAStackAreReadBack_data();
    void membersOfAStackAreReadBack();
    void aStackThatLacksSlicesIsNotFinished();
    void otherFormatsAreRefusedByName();
    void peaksHaveAColumnForTheFrame();
    void everyFormatThatCanSaysTheFrame();
};

void IoStackTest::everySliceIsThatOfTheVolume_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& extension : io::writableExtensions()) {
        // A png file holds no stack; frames of an h5 file cannot be read one at a time.
        if (extension != "png" && extension != "h5") {
            QTest::addRow("%s", extension.c_str()) << QString::fromStdString("s." + extension);
        }
    }
}

void IoStackTest::everySliceIsThatOfTheVolume() {
    QFETCH(QString, name);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(name).toStdString();
    (void)io::writeImage(path, numberedStack({7, 5, 6}).view(), stackGeometry());
    const io::LoadedImage whole = io::readImage(path);
    io::StackReader reader(path, {.digests = true});
    QCOMPARE(reader.count(), 6);
    QVERIFY(reader.info().extents == (base::Extents{7, 5, 1}));
    for (const int z : {0, 1, 2, 5, 4, 0, 3}) { // forward, over some, and back
        const io::LoadedImage slice = reader.read(z);
        QCOMPARE(slice.components.size(), std::size_t{1});
        const base::AnyImage expected = base::copyOf(
            base::partOf(base::viewOf(whole.components.front()), {{0, 0, z}, {7, 5, 1}}));
        const auto& got = std::get<base::Image<float>>(slice.components.front());
        const auto& want = std::get<base::Image<float>>(expected);
        QVERIFY(std::equal(got.data(), got.data() + got.count(), want.data()));
        QVERIFY(slice.info.geometry ==
                base::movedTo(whole.info.geometry, {0, 0, static_cast<double>(z)}));
    }
    QVERIFY_EXCEPTION_THROWN((void)reader.read(6), base::Error);
}

void IoStackTest::digestsAreThoseOfTheFile() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("s.mha").toStdString();
    (void)io::writeImage(path, numberedStack({300, 200, 9}).view(), {});
    const std::string expected = io::readImage(path, {.digests = true}).files.front().sha256;
    for (const std::vector<int>& order : {std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}, {4, 1, 6}}) {
        io::StackReader reader(path, {.digests = true});
        for (const int z : order) {
            (void)reader.read(z);
        }
        QCOMPARE(reader.digests().front().sha256, expected);
    }
    io::StackReader reader(path, {.digests = true});
    (void)reader.read(0);
    std::ofstream(path, std::ios::app) << "more";
    QVERIFY_EXCEPTION_THROWN((void)reader.digests(), base::Error);
}

void IoStackTest::aCancelledReadCanBeRepeated() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("s.mha").toStdString();
    (void)io::writeImage(path, numberedStack({30, 20, 3}).view(), {});
    io::StackReader reader(path, {.digests = true});
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(reader.read(1, stop.get_token()).components.empty());
    const io::LoadedImage again = reader.read(1);
    QCOMPARE(std::get<base::Image<float>>(again.components.at(0)).data()[0], 600 * 0.25F);
}

void IoStackTest::flatFramesAreImagesToo() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("s.nrrd").toStdString();
    std::ofstream(path, std::ios::binary)
        << "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 2 1 3\nencoding: raw\n\nabcdefghijkl";
    io::StackReader reader(path);
    QCOMPARE(reader.count(), 3);
    QCOMPARE(int{std::get<base::Image<std::uint8_t>>(reader.read(2).components.at(0)).data()[0]},
             int{'i'});
    QCOMPARE(io::StackReader(path, {.frame = 1}).count(), 1);
    QCOMPARE(int{std::get<base::Image<std::uint8_t>>(
                     io::StackReader(path, {.frame = 1}).read(0).components.at(0))
                     .data()[0]},
             int{'e'});
}

void IoStackTest::slicesWrittenOneByOneMakeTheVolume_data() {
    QTest::addColumn<QString>("extension");
    QTest::addColumn<int>("slices");
    for (const char* extension : {".mha", ".nrrd"}) {
        for (const int slices : {1, 4}) {
            QTest::addRow("%d, %s", slices, extension) << extension << slices;
        }
    }
}

void IoStackTest::slicesWrittenOneByOneMakeTheVolume() {
    QFETCH(QString, extension);
    QFETCH(int, slices);
    const QTemporaryDir folder;
    const auto at = [&](const char* name) {
        return std::filesystem::path(folder.filePath(name + extension).toStdString());
    };
    const base::Extents extents{9, 4, slices};
    const base::Image<float> stack = numberedStack(extents);
    (void)io::writeImage(at("whole"), stack.view(), stackGeometry());
    io::AtomicFile file(at("parts"));
    io::StackWriter writer(file, base::PixelType::Float32, extents, stackGeometry());
    for (int z = 0; z < slices; ++z) {
        QVERIFY(writer.append(stack.view().part({{0, 0, z}, {9, 4, 1}})));
    }
    QVERIFY_EXCEPTION_THROWN((void)writer.append(stack.view().part({{}, {9, 4, 1}})), base::Error);
    writer.finish();
    file.commit();
    QVERIFY(contents(at("parts")) == contents(at("whole")));
}

void IoStackTest::membersOfAStackAreReadBack_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("depth");
    for (const std::string& extension : io::writableExtensions()) {
        if (extension.starts_with("mrc") || extension == "h5") {
            for (const int depth : {1, 2}) {
                QTest::addRow("%s of %d", extension.c_str(), depth)
                    << QString::fromStdString("s." + extension) << depth;
            }
        }
    }
}

void IoStackTest::membersOfAStackAreReadBack() {
    QFETCH(QString, name);
    QFETCH(int, depth);
    constexpr int kMembers = 3;
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(name).toStdString();
    const base::Image<float> voxels = numberedStack({7, 5, kMembers * depth});
    {
        io::AtomicFile file(path);
        (void)io::writeStack(file, voxels.view(), kMembers, stackGeometry());
        file.commit();
    }
    const bool hdf5 = name.endsWith("h5");
    // Images of an MRC stack are the slices of one volume, as its header does not tell them apart.
    const bool slices = !hdf5 && depth == 1;
    const io::ImageInfo info = io::readImageInfo(path);
    QCOMPARE(info.frames, slices ? 1 : kMembers);
    QVERIFY((info.extents == base::Extents{7, 5, slices ? kMembers : depth}));
    // Lengths of HDF5 are in micrometres, of MRC in angstrom as float32.
    QCOMPARE(info.geometry.spacing[0], stackGeometry().spacing[0] * (hdf5 ? 1 : 1e4));
    for (int member = 0; member < info.frames; ++member) {
        const io::LoadedImage read =
            io::readImage(path, {.frame = info.frames > 1 ? std::optional(member) : std::nullopt});
        const auto& got = std::get<base::Image<float>>(read.components.front());
        QVERIFY(
            std::equal(got.data(), got.data() + got.count(), voxels.data() + member * got.count()));
    }
    if (!hdf5) {
        QFile file(QString::fromStdString(path.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray header = file.read(1024);
        const auto number = [&](int word) {
            return qFromLittleEndian<std::int32_t>(header.constData() + 4 * (word - 1));
        };
        QCOMPARE(number(3), kMembers * depth);      // NZ
        QCOMPARE(number(10), depth);                // MZ
        QCOMPARE(number(23), depth == 1 ? 0 : 401); // ISPG
    }
    QVERIFY_EXCEPTION_THROWN((void)io::writeStack(io::AtomicFile(path), voxels.view(), 4, {}),
                             base::Error);
}

void IoStackTest::aStackThatLacksSlicesIsNotFinished() {
    const QTemporaryDir folder;
    const base::Image<float> slice = numberedStack({9, 4, 1});
    {
        const io::AtomicFile file(folder.filePath("s.mha").toStdString());
        io::StackWriter writer(file, base::PixelType::Float32, {9, 4, 2}, {});
        QVERIFY(writer.append(slice.view()));
        QVERIFY_EXCEPTION_THROWN(writer.finish(), base::Error);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!writer.append(slice.view(), stop.get_token()));
    }
    QVERIFY(QDir(folder.path()).isEmpty());
}

void IoStackTest::otherFormatsAreRefusedByName() {
    try {
        io::requireStackWritable("a/map.tif", "--map");
        QFAIL("not refused");
    } catch (const base::Error& error) {
        QVERIFY(error.code() == base::ErrorCode::CommandLine);
        QCOMPARE(QString(error.what()),
                 "--map a/map.tif: a stack is written frame by frame as .mha or "
                 ".nrrd; choose one of these");
    }
}

void IoStackTest::peaksHaveAColumnForTheFrame() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("p.csv").toStdString();
    io::AtomicFile file(path);
    io::PeakContext context;
    context.sceneExtents = {5, 5, 2};
    io::FramePeaks list(file, context);
    match::Peak peak;
    peak.score = 0.75;
    list.append({peak, peak}, 0);
    list.append({}, 1);
    list.append({peak}, 2);
    QVERIFY(list.finish().empty());
    file.commit();
    std::istringstream text(contents(path));
    std::vector<std::string> rows;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#")) {
            rows.push_back(line);
        }
    }
    QCOMPARE(rows.size(), std::size_t{4});
    QVERIFY(rows[0].ends_with(
        ",mirror,refined_score,search_mean,search_deviation,search_z,polarity,"
        "error_x,error_y,error_z,placed_by,error_rotation,error_scale,scale_end,made_of,frame"));
    QVERIFY(rows[1].starts_with("1,0.75,") && rows[1].ends_with(",0"));
    QVERIFY(rows[2].starts_with("2,0.75,") && rows[2].ends_with(",0"));
    QVERIFY(rows[3].starts_with("1,0.75,") && rows[3].ends_with(",2"));
}

void IoStackTest::everyFormatThatCanSaysTheFrame() {
    const QTemporaryDir folder;
    io::PeakContext context;
    context.scene = "stack.mrc";
    context.templates = {{.source = "template.mrc", .extents = {4, 3, 1}}};
    context.sceneExtents = {50, 40, 9};
    context.geometry = stackGeometry();
    int able = 0;
    for (const io::ListFormatInfo& info : io::listFormats()) {
        const std::filesystem::path path =
            folder.filePath("list").toStdString() + std::string(info.extension);
        if (info.frames == io::ListFrames::None) {
            try {
                io::requireFrameFormat(info.format, path);
                QFAIL(info.name.data());
            } catch (const base::Error& error) {
                QVERIFY(error.code() == base::ErrorCode::CommandLine);
                QVERIFY2(QString(error.what()).contains("csv, tsv, json"), error.what());
            }
            continue;
        }
        ++able;
        io::AtomicFile file(path);
        io::FramePeaks list(file, context, info.format);
        for (const int frame : {0, 3, 7}) {
            match::Peak peak;
            peak.corner = {10 + frame, 20, 0};
            peak.centre = {11.5 + frame, 21, 0};
            peak.score = 0.5;
            list.append({peak}, frame);
        }
        (void)list.finish();
        file.commit();
        io::ListPlace place{};
        place.extents = context.sceneExtents;
        place.geometry = context.geometry;
        const io::PositionList read = io::readList(path, info.format, place);
        QCOMPARE(read.positions.size(), std::size_t{3});
        const bool column = info.frames == io::ListFrames::Column;
        QVERIFY(!column || read.columns.back().name == "frame");
        for (std::size_t i = 0; i < 3; ++i) {
            const std::array<int, 3> frames{0, 3, 7};
            const io::ListedPosition& position = read.positions[i];
            QVERIFY2(std::abs(position.centre[0] - (11.5 + frames[i])) < 1e-6, info.name.data());
            if (column) {
                QCOMPARE(position.cells.back(), std::to_string(frames[i]));
            } else {
                QVERIFY2(std::abs(position.centre[2] - frames[i]) < 1e-6, info.name.data());
            }
        }
    }
    QCOMPARE(able, 13);
}

const flcc::test::TestClass<IoStackTest> kIoStackTest;

#include "stack_test.moc"
