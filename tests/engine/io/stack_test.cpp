#include <QtTest>

#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/io/peak_file.h"
#include "engine/io/stack_reader.h"
#include "engine/io/stack_writer.h"
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
    void everySliceIsThatOfTheVolume_data();
    void everySliceIsThatOfTheVolume();
    void digestsAreThoseOfTheFile();
    void aCancelledReadCanBeRepeated();
    void flatFramesAreImagesToo();
    void slicesWrittenOneByOneMakeTheVolume_data();
    void slicesWrittenOneByOneMakeTheVolume();
    void aStackThatLacksSlicesIsNotFinished();
    void otherFormatsAreRefusedByName();
    void peaksHaveAColumnForTheFrame();
};

void IoStackTest::everySliceIsThatOfTheVolume_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& extension : io::writableExtensions()) {
        if (extension != "png") { // which holds no stack
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
    list.finish();
    file.commit();
    std::istringstream text(contents(path));
    std::vector<std::string> rows;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#")) {
            rows.push_back(line);
        }
    }
    QCOMPARE(rows.size(), std::size_t{4});
    QVERIFY(rows[0].ends_with(",psi,sharpness,mirror,frame"));
    QVERIFY(rows[1].starts_with("1,0.75,") && rows[1].ends_with(",0"));
    QVERIFY(rows[2].starts_with("2,0.75,") && rows[2].ends_with(",0"));
    QVERIFY(rows[3].starts_with("1,0.75,") && rows[3].ends_with(",2"));
}

const flcc::test::TestClass<IoStackTest> kIoStackTest;

#include "stack_test.moc"
