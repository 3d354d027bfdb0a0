#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/slide_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

#ifdef FLCC_OPENSLIDE
constexpr bool kOpenSlide = true;
#else
constexpr bool kOpenSlide = false;
#endif

/// The second level is a quarter of the first, its sizes rounded down.
const test::SlideRecipe kAperio{
    .levels = {{.width = 402, .height = 303}, {.width = 100, .height = 75}},
    .description = "Aperio Image Library v10.0.51\r\n402x303 (64x64) RAW|AppMag = 20|MPP = 0.25"};

} // namespace

/// Whole-slide pictures, which flcc-reader reads by OpenSlide.
class SlideFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    static io::LoadedImage read(const std::filesystem::path& path, std::optional<int> level,
                                std::optional<base::Box> part = {},
                                std::int64_t maxBytes = INT64_MAX) {
        io::ReadOptions options;
        options.maxBytes = maxBytes;
        options.reading.image = level;
        options.reading.part = part;
        return io::readImage(path, options);
    }
    static void requireColours(const io::LoadedImage& image, int level, const base::Box& box) {
        QVERIFY2(image.info.extents == box.extents, base::toString(image.info.extents).c_str());
        QCOMPARE(image.components.size(), std::size_t{3});
        for (int c = 0; c < 3; ++c) {
            const auto& plane =
                std::get<base::Image<std::uint8_t>>(image.components[static_cast<std::size_t>(c)]);
            for (std::int64_t y = 0; y < box.extents.y; ++y) {
                for (std::int64_t x = 0; x < box.extents.x; ++x) {
                    QCOMPARE(plane.view().at(x, y, 0),
                             test::slideValue(level, box.corner.x + x, box.corner.y + y, c));
                }
            }
        }
    }

  private Q_SLOTS:
    void initTestCase() {
        io::detail::readerSetup().program = FLCC_READER;
        if (!kOpenSlide) {
            test::writeVmu(at("v.vmu"), 16, 12);
            const auto error = test::errorOf([&] { (void)io::readImageInfo(at("v.vmu")); });
            QVERIFY(error && std::string(error->what()).find("built without OpenSlide") !=
                                 std::string::npos);
            QSKIP("built without OpenSlide");
        }
        test::writeSlide(at("a.svs"), kAperio);
    }

    void aLevelIsAnImage() {
        const io::LoadedImage first = read(at("a.svs"), {});
        requireColours(first, 0, {{0, 0, 0}, {402, 303, 1}});
        QCOMPARE(first.info.format, std::string("slide"));
        QCOMPARE(first.info.images, 2);
        QCOMPARE(first.info.image, 0);
        QVERIFY(first.info.regions == io::RegionAccess::Box);
        QCOMPARE(first.info.geometry.unit, std::string("um"));
        QCOMPARE(first.info.geometry.spacing, (base::Point{0.25, 0.25, 1}));
        QCOMPARE(first.info.geometry.origin, (base::Point{0, 0, 0}));
        QCOMPARE(first.info.metadata.at("openslide.vendor"), std::string("aperio"));
        QVERIFY(test::holds(first.info.notes, "0: 402x303, 1: 100x75 pixels; level 0 was taken, "
                                              "the largest of at most 67 million pixels"));
        const io::LoadedImage second = read(at("a.svs"), 1);
        QVERIFY(second.info.extents == (base::Extents{100, 75, 1}));
        QCOMPARE(second.info.image, 1);
        QCOMPARE(second.info.geometry.spacing, (base::Point{1, 1, 1})); // 402 / 100 was rounded
        QCOMPARE(second.info.geometry.origin, (base::Point{0.375, 0.375, 0}));
        QVERIFY(test::holds(second.info.notes, "level 1 was taken"));
        QVERIFY(test::holds(second.info.notes, "no whole number"));
        const auto missing = test::errorOf([&] { (void)read(at("a.svs"), 2); });
        QVERIFY(missing && missing->code() == ErrorCode::Problem);
        QVERIFY(io::verifyImage(at("a.svs")).complete);
    }

    void aPartIsReadWithoutTheRest() {
        const std::vector<base::Box> boxes{{{0, 0, 0}, {1, 1, 1}},
                                           {{401, 302, 0}, {1, 1, 1}},
                                           {{60, 50, 0}, {70, 90, 1}},
                                           {{0, 100, 0}, {402, 3, 1}},
                                           {{333, 0, 0}, {69, 303, 1}}};
        for (const base::Box& box : boxes) {
            const std::int64_t bytes = 3 * base::voxelCount(box.extents);
            const io::LoadedImage part = read(at("a.svs"), 0, box, bytes);
            requireColours(part, 0, box);
            QCOMPARE(part.info.geometry.origin,
                     (base::Point{0.25 * static_cast<double>(box.corner.x),
                                  0.25 * static_cast<double>(box.corner.y), 0}));
            io::ReadOptions options;
            options.reading.image = 0;
            requireColours(io::readRegion(at("a.svs"), box, options), 0, box);
        }
        const auto whole = test::errorOf([&] { (void)read(at("a.svs"), 0, {}, 300000); });
        QVERIFY(whole && whole->code() == ErrorCode::Memory);
        QVERIFY(std::string(whole->what()).find("(--image) or a part of it (--part)") !=
                std::string::npos);
        const auto outside = test::errorOf([&] {
            (void)read(at("a.svs"), 1, base::Box{{90, 0, 0}, {11, 5, 1}});
        });
        QVERIFY(outside && outside->code() == ErrorCode::Problem);
    }

    void oblongPixelsStayOblong() {
        test::writeVmu(at("v.vmu"), 16, 12);
        const io::LoadedImage first = read(at("v.vmu"), 0);
        requireColours(first, 0, {{0, 0, 0}, {16, 12, 1}});
        QCOMPARE(first.info.geometry.spacing, (base::Point{0.5, 0.25, 1}));
        const io::LoadedImage second = read(at("v.vmu"), 1);
        requireColours(second, 1, {{0, 0, 0}, {8, 6, 1}});
        QCOMPARE(second.info.geometry.spacing, (base::Point{1, 0.5, 1}));
        QCOMPARE(second.info.geometry.origin, (base::Point{0.25, 0.125, 0}));
        QCOMPARE(io::filesBeside(at("v.vmu")),
                 (std::vector<std::filesystem::path>{at("a.ngr"), at("b.ngr")}));
    }

    void aLargePyramidInTiffShowsTheLevelThatFits() {
        test::writeSlide(at("large.tif"), {.levels = {{8256, 8192}, {2064, 2048}},
                                           .description = {},
                                           .tile = 1024,
                                           .packed = true});
        const io::ImageInfo info = io::readImageInfo(at("large.tif"));
        QCOMPARE(info.format, std::string("slide"));
        QCOMPARE(info.image, 1);
        QVERIFY(info.extents == (base::Extents{2064, 2048, 1}));
        QVERIFY(test::holds(info.notes, "does not state the size of its pixels"));
        const base::Box box{{8200, 8150, 0}, {56, 42, 1}};
        requireColours(read(at("large.tif"), 0, box, 3 * 56 * 42), 0, box);
        // libtiff reads smaller ones, with the resolution that they state.
        test::writeSlide(at("small.tif"), {.levels = {{402, 303}, {100, 75}}, .description = {}});
        QCOMPARE(io::readImageInfo(at("small.tif")).format, std::string("TIFF"));
    }

    void damagedSlidesAreRefused() {
        const test::Bytes whole = test::readFile(at("a.svs"));
        for (std::size_t size = 8; size < whole.size(); size += whole.size() / 37) {
            test::writeFile(
                at("cut.svs"),
                test::Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            io::LoadedImage left;
            const auto error = test::errorOf([&] { left = read(at("cut.svs"), 0); });
            QVERIFY2(error ? error->code() == ErrorCode::Input : size > whole.size() * 9 / 10,
                     std::to_string(size).c_str());
            if (!error) { // what is cut belongs to level 1
                requireColours(left, 0, {{0, 0, 0}, {402, 303, 1}});
            }
        }
        test::writeFile(at("plain.svs"), test::makeTiff(test::numberedTiff(1, 4, 4)));
        const auto plain = test::errorOf([&] { (void)io::readImageInfo(at("plain.svs")); });
        QVERIFY(plain && std::string(plain->what()).find("extension .tif") != std::string::npos);
        std::filesystem::copy_file(at("v.vmu"), at("alone.vmu"));
        std::filesystem::remove(at("b.ngr"));
        const auto alone = test::errorOf([&] { (void)io::readImageInfo(at("alone.vmu")); });
        QVERIFY(alone && alone->code() == ErrorCode::Input);
    }
};

const flcc::test::TestClass<SlideFileTest> kSlideFileTest;
#include "slide_file_test.moc"
