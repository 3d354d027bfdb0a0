#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

constexpr std::uint32_t kWidth = 5;
constexpr std::uint32_t kHeight = 3;

/// One page with the pixels of `count` planes behind its first pixel.
test::TiffRecipe behindEachOther(int count) {
    test::TiffRecipe recipe = test::numberedTiff(count, kWidth, kHeight);
    test::Bytes all;
    for (const test::Bytes& page : recipe.pages) {
        all.insert(all.end(), page.begin(), page.end());
    }
    recipe.pages = {all};
    return recipe;
}

constexpr std::uint16_t kCentimetre = 3;
test::TiffTag resolutionUnit(std::uint16_t unit) { return {296, 3, unit}; }

} // namespace

/// What programs leave in TIFF files beside OME-XML: ImageJ, tifffile, MetaMorph, Zeiss.
class TiffProgramsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    void write(const test::TiffRecipe& recipe) { test::writeFile(m_path, test::makeTiff(recipe)); }
    io::ImageInfo info() const { return io::readImageInfo(m_path); }
    std::vector<int> slices(std::optional<int> channel = {}, std::optional<int> frame = {}) const {
        io::ReadOptions options;
        options.channel = channel;
        options.frame = frame;
        const io::LoadedImage loaded = io::readImage(m_path, options);
        const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components.at(0));
        std::vector<int> numbers;
        for (std::int64_t z = 0; z < image.extents().z; ++z) {
            numbers.push_back(image.view().at(0, 0, z));
        }
        return numbers;
    }

  private Q_SLOTS:
    void initTestCase() { m_path = std::filesystem::path(m_folder.path().toStdString()) / "a.tif"; }

    void imageJsPixelsOnACentimetreAreThat() {
        test::TiffRecipe recipe = test::numberedTiff(2, kWidth, kHeight);
        recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=0.5\n";
        recipe.pixelsPer1000 = 20'000'000; // 20000 on a centimetre
        recipe.tags = {resolutionUnit(kCentimetre)};
        write(recipe);
        QCOMPARE(info().geometry.unit, std::string("um"));
        QCOMPARE(info().geometry.spacing, (base::Point{0.5, 0.5, 0.5}));
        // Of every other unit the number is that of pixels on the unit.
        recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=nm\nspacing=2\n";
        recipe.pixelsPer1000 = 500;
        write(recipe);
        QCOMPARE(info().geometry.spacing, (base::Point{2, 2, 2}));
    }

    void imageJsAxesHaveUnitsOfTheirOwn() {
        test::TiffRecipe recipe = test::numberedTiff(2, kWidth, kHeight);
        recipe.pixelsPer1000 = 2000;
        recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=micron\nyunit=nm\nzunit=mm\n"
                             "spacing=0.25\nxorigin=2\nyorigin=0\nzorigin=1\n";
        write(recipe);
        const base::Geometry grid = info().geometry;
        QCOMPARE(grid.unit, std::string("um"));
        QCOMPARE(grid.spacing[0], 0.5);
        QVERIFY(std::abs(grid.spacing[1] / 0.0005 - 1) < 1e-12);
        QVERIFY(std::abs(grid.spacing[2] / 250 - 1) < 1e-12);
        QCOMPARE(grid.origin[0], -1.0);
        QCOMPARE(grid.origin[2], -grid.spacing[2]);
    }

    void whatImageJDoesNotSayIsNoted() {
        test::TiffRecipe recipe = test::numberedTiff(2, kWidth, kHeight);
        recipe.pixelsPer1000 = 2000;
        recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=um\ncf=0\nc0=-32768\nc1=1\n";
        write(recipe);
        QVERIFY(test::holds(info().notes, "no distance of slices; 1 um was taken"));
        QVERIFY(test::holds(info().notes, "calibration of its values"));
    }

    void aLookupTableOfImageJLeavesTheValues() {
        test::TiffRecipe recipe = test::numberedTiff(3, kWidth, kHeight);
        recipe.photometric = 3;
        for (int colour = 0; colour < 3; ++colour) {
            for (int i = 0; i < 256; ++i) { // green
                const test::Bytes value =
                    test::ByteWriter()
                        .put(static_cast<std::uint16_t>(colour == 1 ? 257 * i : 0))
                        .bytes;
                recipe.palette.insert(recipe.palette.end(), value.begin(), value.end());
            }
        }
        recipe.description = "ImageJ=1.53t\nimages=3\nslices=3\n";
        write(recipe);
        QCOMPARE(info().components, 1);
        QCOMPARE(slices(), (std::vector<int>{0, 1, 2}));
        QVERIFY(test::holds(info().notes, "lookup table"));
        recipe.description.clear(); // of any other program it is colours
        write(recipe);
        QCOMPARE(info().components, 3);
    }

    void pagesBehindTheFirstAreInvertedAsItIs() {
        test::TiffRecipe recipe = behindEachOther(4);
        recipe.photometric = 0;
        recipe.description = "ImageJ=1.53t\nimages=4\nslices=4\n";
        write(recipe);
        QCOMPARE(slices(), (std::vector<int>{255, 254, 253, 252}));
    }

    void tifffilesAxesAreTaken() {
        test::TiffRecipe recipe = test::numberedTiff(12, kWidth, kHeight);
        recipe.description = R"({"shape": [2, 3, 2, 3, 5], "axes": "TZCYX"})";
        write(recipe);
        QCOMPARE(info().frames, 2);
        QCOMPARE(info().channels, 2);
        QCOMPARE(slices(1, 1), (std::vector<int>{7, 9, 11}));
        recipe.description = R"({"shape": [2, 3, 2, 3, 5], "axes": "CZTYX"})";
        write(recipe);
        QCOMPARE(slices(1, 0), (std::vector<int>{6, 8, 10}));
        recipe.description = R"({"shape": [12, 3, 5], "axes": "CYX"})";
        write(recipe);
        QCOMPARE(info().channels, 12);
        QCOMPARE(slices(7), (std::vector<int>{7}));
    }

    void axesWithoutAMeaningAreSlicesThenFrames() {
        test::TiffRecipe recipe = test::numberedTiff(6, kWidth, kHeight);
        recipe.description = R"({"shape": [2, 3, 3, 5], "axes": "QIYX"})";
        write(recipe);
        QCOMPARE(slices({}, 1), (std::vector<int>{3, 4, 5}));
        QVERIFY(test::holds(info().notes, "its axis I was read as slices"));
        QVERIFY(test::holds(info().notes, "its axis Q was read as frames"));
        recipe.description = R"({"shape": [2, 3, 3, 5]})"; // no names
        write(recipe);
        QCOMPARE(slices({}, 1), (std::vector<int>{3, 4, 5}));
        recipe.description = R"({"shape": [7, 3, 5], "axes": "TYX"})"; // of other pages
        write(recipe);
        QCOMPARE(slices(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
        QVERIFY(test::holds(info().notes, "gives the shape 7x3x5"));
        for (const char* damaged :
             {R"({"shape": [)", R"({"shape": [0, 3]})", R"({"shape": [-2, 3]})",
              R"({"shape": [9999999999, 9999999999, 3, 5]})",
              R"({"shape": [18446744073709551614, 18446744073709551613, 3, 5]})"}) {
            recipe.description = damaged;
            write(recipe);
            QCOMPARE(slices().size(), std::size_t{6});
        }
    }

    void onePageMayStandForAllOfTifffile() {
        test::TiffRecipe recipe = behindEachOther(4);
        recipe.description = R"({"shape": [4, 3, 5], "axes": "ZYX", "truncated": true})";
        write(recipe);
        QCOMPARE(slices(), (std::vector<int>{0, 1, 2, 3}));
    }

    void aMetaMorphStackHasOneDirectory() {
        test::TiffRecipe recipe = behindEachOther(4);
        recipe.tags = {{33629, 5, 0, 4, test::Bytes(std::size_t{4} * 6 * 4)}};
        write(recipe);
        QCOMPARE(slices(), (std::vector<int>{0, 1, 2, 3}));
        QVERIFY(test::holds(info().notes, "MetaMorph"));
        recipe = test::numberedTiff(1, kWidth, kHeight); // the other planes are not there
        recipe.tags = {{33629, 5, 0, 4, test::Bytes(std::size_t{4} * 6 * 4)}};
        write(recipe);
        const auto error = test::errorOf([&] { (void)info(); });
        QVERIFY(error && error->code() == ErrorCode::Input);
        QVERIFY(std::string(error->what()).find("MetaMorph stack of 4 planes") !=
                std::string::npos);
    }

    void zeissSaysSlicesFramesAndSizes() {
        test::ByteWriter header;
        header.put(std::int32_t{0x0400494C}).put(std::int32_t{64});
        header.put(std::int32_t{5}).put(std::int32_t{3}).put(std::int32_t{2}); // x, y, z
        header.put(std::int32_t{1}).put(std::int32_t{3});                      // channels, frames
        header.padTo(40);
        header.put(1e-7).put(2e-7).put(5e-7);
        test::TiffRecipe recipe = test::numberedTiff(6, kWidth, kHeight);
        recipe.tags = {
            {34412, 1, 0, static_cast<std::uint32_t>(header.bytes.size()), header.bytes}};
        write(recipe);
        QCOMPARE(slices({}, 2), (std::vector<int>{4, 5}));
        const base::Geometry grid = info().geometry;
        QCOMPARE(grid.unit, std::string("um"));
        QVERIFY(std::abs(grid.spacing[0] - 0.1) < 1e-12 && std::abs(grid.spacing[2] - 0.5) < 1e-12);
    }

    void theirFilesAreOffered() {
        const auto& readable = io::readableExtensions();
        for (const char* extension : {"tif", "tiff", "stk", "lsm"}) {
            QVERIFY(std::find(readable.begin(), readable.end(), extension) != readable.end());
        }
    }

    void plainPagesAreSlicesAndThatIsSaid() {
        write(test::numberedTiff(3, kWidth, kHeight));
        QCOMPARE(slices(), (std::vector<int>{0, 1, 2}));
        QVERIFY(test::holds(info().notes, "its 3 pages were read as slices"));
    }
};

const flcc::test::TestClass<TiffProgramsTest> kTiffProgramsTest;
#include "tiff_programs_test.moc"
