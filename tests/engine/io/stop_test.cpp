#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using Clock = std::chrono::steady_clock;

namespace {

/// A volume, or for formats without them an image, that takes a while.
constexpr base::Extents kVolume{500, 400, test::kSanitized ? 10 : 40};
constexpr base::Extents kPicture{3000, 3000, 1};

base::AnyImage ramp(const base::Extents& extents) {
    base::Image<std::uint16_t> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<std::uint16_t>(i / 7);
    }
    return image;
}

test::Bytes largeFile(const std::string& name) {
    const bool volume = name != "png" && name != "jpg" && name != "progressive.jpg";
    const base::AnyImage image = ramp(volume ? kVolume : kPicture);
    const test::Bytes voxels = test::voxelBytes(image);
    const std::string sizes = "500 400 " + std::to_string(kVolume.z);
    const std::string mha = "NDims = 3\nDimSize = " + sizes + "\nElementType = MET_USHORT\n";
    const std::string nrrd =
        "NRRD0004\ntype: uint16\ndimension: 3\nsizes: " + sizes + "\nendian: little\nencoding: ";
    test::NiftiRecipe nifti;
    nifti.sizes = {500, 400, kVolume.z};
    nifti.type = 512;
    nifti.voxels = voxels;
    if (name == "mha") {
        return test::joined(mha + "ElementDataFile = LOCAL\n", voxels);
    }
    if (name == "packed.mha") {
        return test::joined(mha + "CompressedData = True\nElementDataFile = LOCAL\n",
                            test::deflated(voxels));
    }
    if (name == "nrrd") {
        return test::joined(nrrd + "raw\n\n", voxels);
    }
    if (name == "packed.nrrd") {
        return test::joined(nrrd + "gzip\n\n", test::gzip(voxels));
    }
    if (name == "text.nrrd") {
        std::string text;
        for (std::size_t i = 0; i < voxels.size() / 2; ++i) {
            text += "12345 ";
        }
        return test::joined(nrrd + "ascii\n\n", test::Bytes(text.begin(), text.end()));
    }
    if (name == "nii") {
        return test::makeNifti(nifti);
    }
    if (name == "nii.gz") {
        return test::gzip(test::makeNifti(nifti));
    }
    if (name == "mrc") {
        return test::makeMrc(6, kVolume, {500, 400, double(kVolume.z)}, voxels);
    }
    if (name == "tif") { // one strip
        test::TiffRecipe tiff;
        tiff.width = 8000;
        tiff.height = 25 * kVolume.z;
        tiff.bits = 16;
        tiff.pages = {voxels};
        return test::makeTiff(tiff);
    }
    test::Bytes bytes(static_cast<std::size_t>(kPicture.x * kPicture.y));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = voxels[2 * i];
    }
    return test::makeJpeg(3000, 3000, 1, name != "jpg", bytes);
}

/// Asks for a stop a while after it was made.
class LateStop {
  public:
    explicit LateStop(std::chrono::microseconds delay)
        : m_thread([this, delay] {
              std::this_thread::sleep_for(delay);
              m_asked = Clock::now();
              m_source.request_stop();
          }) {}

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// Seconds since the stop was asked for.
    double since() {
        m_thread.join();
        return std::chrono::duration<double>(Clock::now() - m_asked).count();
    }

  private:
    std::stop_source m_source;
    Clock::time_point m_asked;
    std::jthread m_thread;
};

/// Microseconds that an operation takes, as the shortest try so far says: the first one may have
/// waited for a cold disk, and stops placed by it would all come after the end.
class Duration {
  public:
    /// Does `work` and remembers how long it took.
    template <typename Work> auto of(const Work& work) {
        const auto from = Clock::now();
        auto result = work();
        m_shortest = std::min(m_shortest, Clock::now() - from);
        return result;
    }
    /// `part` of `parts` of it.
    [[nodiscard]] std::chrono::microseconds fraction(int part, int parts) const {
        return std::chrono::duration_cast<std::chrono::microseconds>(m_shortest * part / parts);
    }

  private:
    Clock::duration m_shortest = std::chrono::hours(1);
};

double longest() { return qEnvironmentVariableIsSet("ASAN_OPTIONS") ? 8 : 1; }

} // namespace

/// Reading and writing end soon after a stop was asked for.
class StopTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

  private Q_SLOTS:
    void readingEndsHalfWay_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mha", "packed.mha", "nrrd", "packed.nrrd", "text.nrrd", "nii",
                                 "nii.gz", "mrc", "tif", "png", "jpg", "progressive.jpg"}) {
            QTest::newRow(name) << name;
        }
    }
    void readingEndsHalfWay() {
        QFETCH(QString, name);
        const auto path = at("large." + name.toStdString());
        if (name == "png") {
            const base::AnyImage image = ramp(kPicture);
            io::writeImage(path, base::viewOf(image), {});
        } else {
            test::writeFile(path, largeFile(name.toStdString()));
        }
        Duration whole;
        QVERIFY(!whole.of([&] { return io::readImage(path); }).components.empty());
        // The stop comes while the file is read, and the rest is not.
        int stopped = 0;
        for (int attempt = 0; attempt < 300 && stopped == 0; ++attempt) {
            LateStop stop(whole.fraction(1 + attempt % 8, 10));
            const io::LoadedImage loaded =
                whole.of([&] { return io::readImage(path, {.stop = stop.token()}); });
            QVERIFY2(stop.since() < longest(), "too late");
            stopped += loaded.components.empty() ? 1 : 0;
        }
        QVERIFY(stopped > 0);
        std::filesystem::remove(path);
    }

    void whatIsStoppedBeforeItBeginsGivesNothing() {
        std::stop_source source;
        source.request_stop();
        const base::AnyImage image = ramp({40, 30, 1});
        for (const char* name : {"a.mha", "a.nrrd", "a.tif", "a.png"}) {
            io::writeImage(at(name), base::viewOf(image), {});
            QVERIFY(io::readImage(at(name), {.stop = source.get_token()}).components.empty());
            QVERIFY(!io::readImage(at(name)).components.empty());
        }
        QVERIFY(io::readImageInfo(at("a.tif"), source.get_token()).format.empty());
        io::LoadedImage colour;
        for (int i = 0; i < 3; ++i) {
            colour.components.emplace_back(base::Image<std::uint8_t>({2, 1, 1}, 9));
        }
        const io::ScalarImage grey = io::toScalar(std::move(colour), source.get_token());
        QCOMPARE(std::visit([](const auto& plane) { return plane.count(); }, grey.pixels),
                 std::int64_t{0});
    }

    void verifyingAPackedFileEnds() {
        test::NiftiRecipe nifti;
        nifti.sizes = {500, 400, 100, 2};
        nifti.voxels.assign(std::size_t{2} * 500 * 400 * 200, 0);
        const auto path = at("verified.nii.gz");
        test::writeFile(path, test::gzip(test::makeNifti(nifti)));
        Duration whole;
        QVERIFY(whole.of([&] { return io::verifyImage(path); }).complete);
        bool stopped = false;
        for (int attempt = 0; attempt < 300 && !stopped; ++attempt) {
            LateStop stop(whole.fraction(1, 4));
            stopped = whole.of([&] { return io::verifyImage(path, stop.token()); }).format.empty();
            QVERIFY(stop.since() < longest());
        }
        QVERIFY(stopped);
    }

    void writingEndsHalfWayAndLeavesTheOldFile_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"w.mha", "w.nrrd", "w.nii", "w.nii.gz", "w.mrc", "w.tif", "w.png", "heatmap"}) {
            QTest::newRow(name) << name;
        }
    }
    void writingEndsHalfWayAndLeavesTheOldFile() {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        const bool heatmap = name == "heatmap";
        const auto path = std::filesystem::path(folder.path().toStdString()) /
                          (heatmap ? "h.png" : name.toStdString());
        const base::AnyImage image = ramp(heatmap ? base::Extents{1, 1, 1} : kPicture);
        const base::Image<float> value(base::Extents{2000, 2000, 1}, 0.5F);
        const base::Image<base::Status> status(base::Extents{2000, 2000, 1}, base::Status::Ok);
        const auto write = [&](const std::stop_token& stop) {
            return heatmap ? io::writeHeatmap(path, value.view(), status.view(), 0, {}, stop)
                           : io::writeImage(path, base::viewOf(image), {}, {}, stop).has_value();
        };
        Duration whole;
        QVERIFY(whole.of([&] { return write({}); }));
        int stopped = 0;
        for (int attempt = 0; attempt < 300 && stopped == 0; ++attempt) {
            test::writeFile(path, std::string("old"));
            LateStop stop(whole.fraction(1 + attempt % 5, 12));
            const bool written = whole.of([&] { return write(stop.token()); });
            QVERIFY(stop.since() < longest());
            QCOMPARE(test::readFile(path).size() == 3, !written);
            QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
            stopped += written ? 0 : 1;
        }
        QVERIFY(stopped > 0);
    }
};

const flcc::test::TestClass<StopTest> kStopTest;
#include "stop_test.moc"
