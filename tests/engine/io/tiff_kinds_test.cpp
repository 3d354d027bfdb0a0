#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "engine/io/image_file.h"
#include "engine/io/stack_reader.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

constexpr std::uint32_t kWidth = 5;
constexpr std::uint32_t kHeight = 3;

std::vector<int> slicesOf(const io::LoadedImage& loaded) {
    const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components.at(0));
    std::vector<int> numbers;
    for (std::int64_t z = 0; z < image.extents().z; ++z) {
        numbers.push_back(image.view().at(0, 0, z));
    }
    return numbers;
}

/// The value of a float of 1 + `exponentBits` + `fractionBits` bits, by its definition.
double floatValue(std::uint32_t raw, int exponentBits, int fractionBits) {
    const double sign = (raw >> (exponentBits + fractionBits)) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(raw >> fractionBits) & ((1 << exponentBits) - 1);
    const double fraction =
        static_cast<double>(raw & ((1U << fractionBits) - 1)) / std::pow(2.0, fractionBits);
    const int bias = (1 << (exponentBits - 1)) - 1;
    if (exponent == (1 << exponentBits) - 1) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    return exponent == 0 ? sign * fraction * std::pow(2.0, 1 - bias)
                         : sign * (1 + fraction) * std::pow(2.0, exponent - bias);
}

} // namespace

class TiffKindsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    void write(const test::TiffRecipe& recipe) { test::writeFile(m_path, test::makeTiff(recipe)); }
    io::LoadedImage read(std::optional<int> channel = {}, std::optional<int> frame = {},
                         std::optional<int> image = {}) const {
        io::ReadOptions options;
        options.channel = channel;
        options.frame = frame;
        options.reading.image = image;
        return io::readImage(m_path, options);
    }

  private Q_SLOTS:
    void initTestCase() { m_path = std::filesystem::path(m_folder.path().toStdString()) / "a.tif"; }

    void aPartOfAnImageJStackIsWhatIsThere() {
        test::TiffRecipe recipe = test::numberedTiff(1, kWidth, kHeight);
        recipe.description = "ImageJ=1.53t\nimages=4\nslices=4\n";
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{0}));
        QVERIFY(io::readImageInfo(m_path).notes.at(0).find("promises 1 channel, 4 slices") !=
                std::string::npos);
        recipe = test::numberedTiff(3, kWidth, kHeight);
        recipe.description = "ImageJ=1.53t\nimages=8\nslices=8\n";
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{0, 1, 2}));
        recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\n"; // pages were appended
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{0, 1, 2}));
        // Whole slices of two channels, then whole frames.
        recipe = test::numberedTiff(4, kWidth, kHeight);
        recipe.description = "ImageJ=1.53t\nimages=10\nchannels=2\nslices=5\nhyperstack=true\n";
        write(recipe);
        QCOMPARE(slicesOf(read(1)), (std::vector<int>{1, 3}));
        recipe.description =
            "ImageJ=1.53t\nimages=12\nchannels=2\nslices=1\nframes=6\nhyperstack=true\n";
        write(recipe);
        QCOMPARE(slicesOf(read(1, 1)), (std::vector<int>{3}));
        // Neither: nobody knows what the pages are.
        recipe.description =
            "ImageJ=1.53t\nimages=18\nchannels=3\nslices=2\nframes=3\nhyperstack=true\n";
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{0, 1, 2, 3}));
    }

    void smallPagesBesideTheImageAreCounted() {
        test::TiffRecipe recipe = test::numberedTiff(4, kWidth, kHeight);
        recipe.pages[1] = test::Bytes(6, 9);
        recipe.pages[3] = test::Bytes(6, 8);
        recipe.ofPage = {{kWidth, kHeight, {}}, {3, 2, {}}, {kWidth, kHeight, {}}, {3, 2, {}}};
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{0, 2}));
        const io::ImageInfo info = io::readImageInfo(m_path);
        QCOMPARE(info.images, 2);
        QVERIFY(info.notes.at(0).find("2 pages of 3x2 pixels of 8 bits were not read") !=
                std::string::npos);
        QCOMPARE(slicesOf(read({}, {}, 1)), (std::vector<int>{9, 8}));
        // A thumbnail that comes first, and one that is marked.
        recipe = test::numberedTiff(3, kWidth, kHeight);
        recipe.pages[0] = test::Bytes(6, 9);
        recipe.pages[2] = test::Bytes(6, 8);
        recipe.ofPage = {{3, 2, {}}, {kWidth, kHeight, {}}, {3, 2, {{254, 4, 1}}}};
        write(recipe);
        QCOMPARE(slicesOf(read()), (std::vector<int>{1}));
        QCOMPARE(io::readImageInfo(m_path).image, 1);
        QCOMPARE(io::readImageInfo(m_path).notes.size(), std::size_t{2});
    }

    void pagesOfOneSizeThatDifferAreAskedFor() {
        test::TiffRecipe recipe = test::numberedTiff(2, kWidth, kHeight);
        recipe.ofPage = {{kWidth, kHeight, {}}, {kHeight, kWidth, {}}};
        write(recipe);
        const auto error = test::errorOf([&] { (void)read(); });
        QVERIFY(error && error->code() == ErrorCode::Problem);
        QVERIFY(std::string(error->what()).find("--image") != std::string::npos);
        QVERIFY((read({}, {}, 1).info.extents == base::Extents{kHeight, kWidth, 1}));
    }

    void everyHalfFloatIsExact() {
        for (const bool turned : {false, true}) {
            test::TiffRecipe recipe;
            recipe.width = 256;
            recipe.height = 256;
            recipe.bits = 16;
            recipe.sampleFormat = 3;
            recipe.turned = turned;
            test::ByteWriter bytes;
            for (std::uint32_t raw = 0; raw < 65536; ++raw) {
                bytes.put(static_cast<std::uint16_t>(raw));
            }
            recipe.pages = {bytes.bytes};
            write(recipe);
            const io::LoadedImage loaded = read();
            const auto& image = std::get<base::Image<float>>(loaded.components.at(0));
            for (std::uint32_t raw = 0; raw < 65536; ++raw) {
                const double right = floatValue(raw, 5, 10);
                const auto value = static_cast<double>(image.data()[raw]);
                QVERIFY(std::isnan(right) ? std::isnan(value) : value == right);
                QVERIFY(std::isnan(right) || std::signbit(value) == std::signbit(right));
            }
        }
    }

    void floatsOf24BitsAreExact() {
        for (const bool turned : {false, true}) {
            test::TiffRecipe recipe;
            recipe.width = 4;
            recipe.height = 2;
            recipe.bits = 24;
            recipe.sampleFormat = 3;
            recipe.turned = turned;
            const std::vector<std::uint32_t> raws{0,        0x3f0000, 0xbf8000, 1,
                                                  0x7f0000, 0xff0000, 0x7f0001, 0x7effff};
            test::Bytes bytes;
            for (const std::uint32_t raw : raws) {
                for (int i = 0; i < 3; ++i) {
                    bytes.push_back(static_cast<unsigned char>(raw >> (8 * i)));
                }
            }
            recipe.pages = {bytes};
            write(recipe);
            const io::LoadedImage loaded = read();
            const auto& image = std::get<base::Image<float>>(loaded.components.at(0));
            for (std::size_t i = 0; i < raws.size(); ++i) {
                const double right = floatValue(raws[i], 7, 16);
                const auto value = static_cast<double>(image.data()[i]);
                QVERIFY(std::isnan(right) ? std::isnan(value) : value == right);
            }
        }
    }

    void imageDepthIsTheNumberOfSlices() {
        // One strip of all rows for each slice: the list of strips has four entries.
        const auto image = test::patternImage(base::PixelType::UInt16, {kWidth, kHeight, 4});
        const test::Bytes all = test::voxelBytes(image);
        test::TiffRecipe recipe;
        recipe.width = kWidth;
        recipe.height = kHeight;
        recipe.bits = 16;
        recipe.tags = {{32997, 4, 4}};
        recipe.pages = {all};
        test::Bytes file = test::makeTiff(recipe);
        const auto lists = static_cast<std::uint32_t>(file.size());
        test::ByteWriter tail;
        for (std::uint32_t z = 0; z < 4; ++z) {
            const auto at = std::search(file.begin(), file.end(), all.begin(), all.end());
            tail.put(static_cast<std::uint32_t>(at - file.begin()) + z * 2 * kWidth * kHeight);
        }
        for (int z = 0; z < 4; ++z) {
            tail.put(std::uint32_t{2 * kWidth * kHeight});
        }
        for (const auto& [tag, at] : {std::pair{273, lists}, std::pair{279, lists + 16}}) {
            test::ByteWriter before;
            before.put(static_cast<std::uint16_t>(tag)).put(std::uint16_t{4}).put(std::uint32_t{1});
            const auto place =
                std::search(file.begin(), file.end(), before.bytes.begin(), before.bytes.end());
            QVERIFY(place != file.end());
            test::ByteWriter entry;
            entry.put(std::uint32_t{4}).put(at);
            std::copy(entry.bytes.begin(), entry.bytes.end(), place + 4);
        }
        file.insert(file.end(), tail.bytes.begin(), tail.bytes.end());
        test::writeFile(m_path, file);
        QVERIFY(test::sameBits(read().components.front(), image));
        QVERIFY(io::verifyImage(m_path).complete);
        io::StackReader stack(m_path);
        QCOMPARE(stack.count(), 4);
        const auto third = stack.read(2);
        QCOMPARE(std::memcmp(std::get<base::Image<std::uint16_t>>(third.components[0]).data(),
                             all.data() + std::size_t{2} * 2 * kWidth * kHeight,
                             std::size_t{2} * kWidth * kHeight),
                 0);
        for (std::size_t length = lists; length < file.size(); ++length) { // the lists are cut
            test::writeFile(m_path,
                            test::Bytes(file.begin(), file.begin() + static_cast<long>(length)));
            QVERIFY(test::errorOf([&] { (void)read(); }));
        }
    }

    /// GDAL writes the value of pixels without data as a text.
    void pixelsWithoutDataAreNaN() {
        const std::string text = " -9999 ";
        const test::TiffTag tag{42113, 2, 0, static_cast<std::uint32_t>(text.size() + 1),
                                test::Bytes(text.begin(), text.end() + 1)};
        test::TiffRecipe recipe;
        recipe.width = 3;
        recipe.height = 2;
        recipe.bits = 32;
        recipe.sampleFormat = 3;
        recipe.tags = {tag};
        test::ByteWriter pixels;
        for (const float value : {1.0F, -9999.0F, 3.0F, 4.0F, 5.0F, -9999.0F}) {
            pixels.put(value);
        }
        recipe.pages = {pixels.bytes};
        write(recipe);
        const io::LoadedImage loaded = read();
        QVERIFY(test::holds(loaded.info.notes, "-9999"));
        const float* const values = std::get<base::Image<float>>(loaded.components[0]).data();
        for (const std::size_t i : {0U, 2U, 3U, 4U}) {
            QCOMPARE(values[i], static_cast<float>(i + 1));
        }
        QVERIFY(std::isnan(values[1]) && std::isnan(values[5]));
        recipe.bits = 8;
        recipe.sampleFormat = 1;
        recipe.pages = {{1, 2, 3, 4, 5, 6}};
        write(recipe);
        QVERIFY(test::holds(read().info.notes, "count as they are"));
        QCOMPARE(int{std::get<base::Image<std::uint8_t>>(read().components[0]).data()[1]}, 2);
    }

    void valuesAreDividedByAssociatedOpacity() {
        test::TiffRecipe recipe;
        recipe.width = 3;
        recipe.height = 1;
        recipe.samples = 4;
        recipe.photometric = 2;
        recipe.tags = {{338, 3, 1}}; // associated
        recipe.pages = {{50, 100, 0, 100, 255, 7, 8, 255, 0, 0, 0, 0}};
        write(recipe);
        const io::LoadedImage loaded = read();
        const std::array<std::array<int, 3>, 4> right{
            {{128, 255, 0}, {255, 7, 0}, {0, 8, 0}, {100, 255, 0}}}; // 50 * 255 / 100 = 127.5
        for (std::size_t plane = 0; plane < 4; ++plane) {
            for (std::size_t i = 0; i < 3; ++i) {
                QCOMPARE(
                    int{std::get<base::Image<std::uint8_t>>(loaded.components[plane]).data()[i]},
                    right[plane][i]);
            }
        }
        recipe.tags = {{338, 3, 2}}; // not associated
        write(recipe);
        QCOMPARE(int{std::get<base::Image<std::uint8_t>>(read().components[0]).data()[0]}, 50);
        recipe.tags = {{338, 3, 0}}; // anything
        write(recipe);
        QCOMPARE(read().info.components, 3);
        QVERIFY(read().info.notes.at(0).find("fourth sample") != std::string::npos);
    }
};

const flcc::test::TestClass<TiffKindsTest> kTiffKindsTest;
#include "tiff_kinds_test.moc"
