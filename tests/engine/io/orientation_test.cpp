#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

constexpr std::int64_t kWidth = 5;
constexpr std::int64_t kHeight = 3;

/// Where pixel (x, y) of the file is shown, by the words of the EXIF standard: which side of the
/// shown picture row 0 and column 0 of the file are.
base::Index shownAt(int orientation, std::int64_t x, std::int64_t y) {
    switch (orientation) {
    case 2: // row 0 top, column 0 right
        return {kWidth - 1 - x, y, 0};
    case 3: // bottom, right
        return {kWidth - 1 - x, kHeight - 1 - y, 0};
    case 4: // bottom, left
        return {x, kHeight - 1 - y, 0};
    case 5: // left, top
        return {y, x, 0};
    case 6: // right, top
        return {kHeight - 1 - y, x, 0};
    case 7: // right, bottom
        return {kHeight - 1 - y, kWidth - 1 - x, 0};
    case 8: // left, bottom
        return {y, kWidth - 1 - x, 0};
    default:
        return {x, y, 0};
    }
}

base::Extents shownExtents(int orientation) {
    return orientation < 5 ? base::Extents{kWidth, kHeight, 1} : base::Extents{kHeight, kWidth, 1};
}

/// An EXIF block: a directory with the orientation, and that of a thumbnail with another one.
test::Bytes exifBlock(std::uint16_t orientation, bool big, std::uint16_t type = 3) {
    test::ByteWriter out(big == (std::endian::native == std::endian::little));
    out.append(big ? test::Bytes{'M', 'M'} : test::Bytes{'I', 'I'});
    out.put(std::uint16_t{42}).put(std::uint32_t{8});
    for (const std::uint16_t value : {orientation, std::uint16_t{3}}) {
        out.put(std::uint16_t{2});
        out.put(std::uint16_t{256}).put(std::uint16_t{4}).put(std::uint32_t{1});
        out.put(std::uint32_t{99});
        out.put(std::uint16_t{274}).put(type).put(std::uint32_t{1});
        if (type == 3) {
            out.put(value).put(std::uint16_t{0});
        } else {
            out.put(std::uint32_t{value});
        }
        out.put(std::uint32_t{value == orientation && out.bytes.size() < 40 ? 38U : 0U});
    }
    return out.bytes;
}

/// A JPEG file of 16 x 8 pixels in two blocks of grey, 60 and 200, with a segment after its start.
test::Bytes jpegWith(const test::Bytes& segment) {
    test::Bytes pixels(std::size_t{16} * 8);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = i % 16 < 8 ? 60 : 200;
    }
    test::Bytes file = test::makeJpeg(16, 8, 1, false, pixels);
    file.insert(file.begin() + 2, segment.begin(), segment.end());
    return file;
}

test::Bytes exifSegment(const test::Bytes& block) {
    test::Bytes segment{0xff, 0xe1, 0, static_cast<unsigned char>(block.size() + 8)};
    for (const char letter : {'E', 'x', 'i', 'f', '\0', '\0'}) {
        segment.push_back(static_cast<unsigned char>(letter));
    }
    segment.insert(segment.end(), block.begin(), block.end());
    return segment;
}

std::uint32_t crc(const test::Bytes& bytes) {
    std::uint32_t sum = 0xffffffff;
    for (const unsigned char byte : bytes) {
        sum ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            sum = (sum >> 1) ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
        }
    }
    return ~sum;
}

void appendBlock(test::ByteWriter& png, const std::string& name, const test::Bytes& content,
                 bool damaged = false) {
    test::Bytes named(name.begin(), name.end());
    named.insert(named.end(), content.begin(), content.end());
    png.put(static_cast<std::uint32_t>(content.size())).append(named);
    png.put(crc(named) + (damaged ? 1U : 0U));
}

/// A grey PNG file whose pixel (x, y) is 10 y + x, with an EXIF block behind the pixels.
test::Bytes pngWith(const test::Bytes& exif, bool damaged = false,
                    const test::Bytes& physical = {}) {
    test::ByteWriter png(std::endian::native == std::endian::little);
    png.append({0x89, 'P', 'N', 'G', 13, 10, 26, 10});
    appendBlock(png, "IHDR", {0, 0, 0, kWidth, 0, 0, 0, kHeight, 8, 0, 0, 0, 0});
    if (!physical.empty()) {
        appendBlock(png, "pHYs", physical);
    }
    test::Bytes rows;
    for (std::int64_t y = 0; y < kHeight; ++y) {
        rows.push_back(0);
        for (std::int64_t x = 0; x < kWidth; ++x) {
            rows.push_back(static_cast<unsigned char>(10 * y + x));
        }
    }
    appendBlock(png, "IDAT", test::deflated(rows));
    if (!exif.empty()) {
        appendBlock(png, "eXIf", exif, damaged);
    }
    appendBlock(png, "IEND", {});
    return png.bytes;
}

bool isTurned(const io::LoadedImage& loaded, int orientation) {
    const auto& image = std::get<base::Image<std::uint8_t>>(loaded.components.front());
    if (image.extents() != shownExtents(orientation)) {
        return false;
    }
    for (std::int64_t y = 0; y < kHeight; ++y) {
        for (std::int64_t x = 0; x < kWidth; ++x) {
            const base::Index at = shownAt(orientation, x, y);
            if (image.view().at(at.x, at.y, 0) != 10 * y + x) {
                return false;
            }
        }
    }
    return true;
}

io::ReadOptions stored() {
    io::ReadOptions options;
    options.reading.orientation = io::Orientation::Stored;
    return options;
}

} // namespace

class OrientationTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    test::TiffRecipe tiff(std::uint16_t orientation, std::uint16_t bits, bool turned) {
        test::TiffRecipe recipe;
        recipe.width = kWidth;
        recipe.height = kHeight;
        recipe.bits = bits;
        recipe.turned = turned;
        recipe.tags = {{274, 3, orientation}};
        test::ByteWriter page;
        for (std::int64_t i = 0; i < kWidth * kHeight; ++i) {
            const auto value = static_cast<unsigned char>(10 * (i / kWidth) + i % kWidth);
            if (bits == 8) {
                page.put(value);
            } else {
                page.put(static_cast<std::uint16_t>(value));
            }
        }
        recipe.pages = {page.bytes};
        return recipe;
    }

  private Q_SLOTS:
    /// The blocks of an animation stand before the pixels of the picture that is read.
    void anAnimationIsSaid() {
        const QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "a.png";
        const test::Bytes still = pngWith({});
        for (const bool apart : {false, true}) {
            test::ByteWriter blocks(std::endian::native == std::endian::little);
            appendBlock(blocks, "acTL", {0, 0, 0, 3, 0, 0, 0, 0});
            if (!apart) {
                appendBlock(blocks, "fcTL", test::Bytes(26));
            }
            test::Bytes animated = still;
            animated.insert(animated.begin() + 33, blocks.bytes.begin(), blocks.bytes.end());
            test::writeFile(file, animated);
            QVERIFY(test::holds(io::readImageInfo(file).notes,
                                apart ? "its still picture; the 3 of its animation"
                                      : "the first of its 3 pictures"));
        }
        test::writeFile(file, still);
        QVERIFY(io::readImageInfo(file).notes.empty());
    }

    void allOrientationsOfPngAreApplied() {
        for (std::uint16_t orientation = 1; orientation <= 8; ++orientation) {
            for (const bool big : {false, true}) {
                test::writeFile(file("a.png"), pngWith(exifBlock(orientation, big)));
                const io::LoadedImage shown = io::readImage(file("a.png"));
                QVERIFY2(isTurned(shown, orientation), qPrintable(QString::number(orientation)));
                QCOMPARE(shown.info.notes.size(), std::size_t{orientation == 1 ? 0U : 1U});
                QVERIFY(isTurned(io::readImage(file("a.png"), stored()), 1));
                QVERIFY(io::readImageInfo(file("a.png")).extents == shownExtents(orientation));
                QVERIFY(io::verifyImage(file("a.png")).extents == shownExtents(orientation));
            }
        }
    }

    void allOrientationsOfTiffAreApplied() {
        for (std::uint16_t orientation = 1; orientation <= 8; ++orientation) {
            for (const bool turned : {false, true}) {
                test::writeFile(file("a.tif"), test::makeTiff(tiff(orientation, 8, turned)));
                QVERIFY(isTurned(io::readImage(file("a.tif")), orientation));
                QVERIFY(isTurned(io::readImage(file("a.tif"), stored()), 1));
            }
        }
    }

    void allOrientationsOfJpegAreApplied() {
        for (std::uint16_t orientation = 1; orientation <= 8; ++orientation) {
            for (const bool big : {false, true}) {
                for (const std::uint16_t type : {std::uint16_t{3}, std::uint16_t{4}}) {
                    test::writeFile(file("a.jpg"),
                                    jpegWith(exifSegment(exifBlock(orientation, big, type))));
                    const io::LoadedImage loaded = io::readImage(file("a.jpg"));
                    const auto& image =
                        std::get<base::Image<std::uint8_t>>(loaded.components.front());
                    const bool upright = orientation >= 5;
                    QVERIFY((image.extents() ==
                             (upright ? base::Extents{8, 16, 1} : base::Extents{16, 8, 1})));
                    // The dark half is on the left of the file.
                    const bool first = orientation == 1 || orientation == 4 || orientation == 5 ||
                                       orientation == 6;
                    const int dark = image.view().at(upright ? 4
                                                     : first ? 2
                                                             : 13,
                                                     upright ? (first ? 2 : 13) : 4, 0);
                    QVERIFY2(std::abs(dark - 60) <= 2, qPrintable(QString::number(orientation)));
                }
            }
        }
    }

    void theSpacingTurnsWithThePicture() {
        test::TiffRecipe recipe = tiff(6, 8, false);
        recipe.description =
            "<OME><Image><Pixels DimensionOrder=\"XYZCT\" SizeX=\"5\" SizeY=\"3\" SizeZ=\"1\" "
            "SizeC=\"1\" SizeT=\"1\" PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.25\"/></Image></OME>";
        test::writeFile(file("a.ome.tif"), test::makeTiff(recipe));
        QCOMPARE(io::readImageInfo(file("a.ome.tif")).geometry.spacing,
                 (base::Point{0.25, 0.5, 1}));
        io::Reading reading;
        reading.orientation = io::Orientation::Stored;
        QCOMPARE(io::readImageInfo(file("a.ome.tif"), {}, reading).geometry.spacing,
                 (base::Point{0.5, 0.25, 1}));
    }

    void aResolutionIsTheSpacingOnlyWhereAskedFor() {
        // 4000 and 2000 pixels on a metre.
        test::writeFile(file("a.png"), pngWith(exifBlock(8, true), false,
                                               {0, 0, 0x0f, 0xa0, 0, 0, 0x07, 0xd0, 1}));
        QVERIFY(io::readImageInfo(file("a.png")).geometry == base::Geometry{});
        io::Reading reading;
        reading.resolution = true;
        const io::ImageInfo info = io::readImageInfo(file("a.png"), {}, reading);
        QCOMPARE(info.geometry.spacing, (base::Point{0.5, 0.25, 1}));
        QCOMPARE(info.geometry.unit, std::string("mm"));
        test::TiffRecipe recipe = tiff(1, 8, false);
        recipe.pixelsPer1000 = 254000;
        for (const auto& [unit, right] : {std::pair{2U, 0.1}, std::pair{3U, 10 / 254.0}}) {
            recipe.tags = {{296, 3, unit}};
            test::writeFile(file("a.tif"), test::makeTiff(recipe));
            QVERIFY(io::readImageInfo(file("a.tif")).geometry == base::Geometry{});
            const double spacing =
                io::readImageInfo(file("a.tif"), {}, reading).geometry.spacing[0];
            QVERIFY(std::abs(spacing - right) < 1e-6 * right); // a float in libtiff
        }
        recipe.tags = {{296, 3, 1}}; // no unit
        test::writeFile(file("a.tif"), test::makeTiff(recipe));
        const auto none =
            test::errorOf([&] { (void)io::readImageInfo(file("a.tif"), {}, reading); });
        QVERIFY(none && none->code() == base::ErrorCode::Input);
        recipe.tags = {{296, 3, 2}};
        recipe.pages.push_back(recipe.pages.front());
        test::writeFile(file("a.tif"), test::makeTiff(recipe));
        const auto volume =
            test::errorOf([&] { (void)io::readImageInfo(file("a.tif"), {}, reading); });
        QVERIFY(volume && volume->code() == base::ErrorCode::Problem);
    }

    void anOrientationThatIsNoneIsSaidAndIgnored() {
        for (const std::uint16_t orientation : {std::uint16_t{0}, std::uint16_t{9}}) {
            test::writeFile(file("a.png"), pngWith(exifBlock(orientation, false)));
            const io::LoadedImage loaded = io::readImage(file("a.png"));
            QVERIFY(isTurned(loaded, 1));
            QVERIFY(loaded.info.notes.at(0).find("was ignored") != std::string::npos);
            test::writeFile(file("a.tif"), test::makeTiff(tiff(orientation, 8, false)));
            QVERIFY(isTurned(io::readImage(file("a.tif")), 1));
        }
    }

    void damagedExifTurnsNothing() {
        test::writeFile(file("a.png"), pngWith(exifBlock(6, false), true));
        const io::LoadedImage loaded = io::readImage(file("a.png"));
        QVERIFY(isTurned(loaded, 1));
        QVERIFY(loaded.info.notes.at(0).find("damaged") != std::string::npos);
        const test::Bytes block = exifBlock(6, true);
        for (std::size_t length = 0; length < block.size(); ++length) {
            const test::Bytes cut(block.begin(),
                                  block.begin() + static_cast<std::ptrdiff_t>(length));
            test::writeFile(file("a.jpg"), jpegWith(exifSegment(cut)));
            // The entry of the orientation ends at byte 34.
            const io::ImageInfo info = io::readImageInfo(file("a.jpg"));
            QCOMPARE(info.extents.x, length < 32 ? 16 : 8);
            QVERIFY(length >= 10 || info.notes.at(0).find("damaged") != std::string::npos);
        }
    }

    void aBlockBeforeExifIsPassed() {
        test::Bytes segments{0xff, 0xe1, 0, 6, 'h', 't', 't', 'p'};
        const test::Bytes exif = exifSegment(exifBlock(6, true));
        segments.insert(segments.end(), exif.begin(), exif.end());
        test::writeFile(file("a.jpg"), jpegWith(segments));
        QCOMPARE(io::readImageInfo(file("a.jpg")).extents.x, 8);
    }

    void theSlicesOfAStackAreTurnedAlike() {
        test::TiffRecipe recipe = tiff(6, 16, true);
        recipe.pages.push_back(recipe.pages.front());
        test::writeFile(file("a.tif"), test::makeTiff(recipe));
        const io::LoadedImage loaded = io::readImage(file("a.tif"));
        const auto& image = std::get<base::Image<std::uint16_t>>(loaded.components.front());
        QVERIFY((image.extents() == base::Extents{kHeight, kWidth, 2}));
        for (std::int64_t z = 0; z < 2; ++z) {
            const base::Index at = shownAt(6, 4, 1);
            QCOMPARE(int{image.view().at(at.x, at.y, z)}, 14);
        }
    }
};

const flcc::test::TestClass<OrientationTest> kOrientationTest;
#include "orientation_test.moc"
