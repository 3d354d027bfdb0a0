#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;

namespace {

/// A TIFF file of one page of 8-bit pixels in one tile.
test::Bytes tiledTiff(std::uint32_t side, std::uint32_t tile, std::uint16_t compression,
                      const test::Bytes& stored) {
    constexpr std::uint16_t kShort = 3;
    constexpr std::uint16_t kLong = 4;
    constexpr std::uint16_t kEntries = 10;
    constexpr std::uint32_t kPixels = 8 + 2 + 12 * kEntries + 4;
    test::ByteWriter out;
    out.append({'I', 'I'}).put(std::uint16_t{42}).put(std::uint32_t{8}).put(kEntries);
    const auto entry = [&](std::uint16_t tag, std::uint16_t type, std::uint32_t value) {
        out.put(tag).put(type).put(std::uint32_t{1}).put(value);
    };
    entry(256, kLong, side);
    entry(257, kLong, side);
    entry(258, kShort, 8);
    entry(259, kShort, compression);
    entry(262, kShort, 1);
    entry(277, kShort, 1);
    entry(322, kLong, tile);
    entry(323, kLong, tile);
    entry(324, kLong, kPixels);
    entry(325, kLong, static_cast<std::uint32_t>(stored.size()));
    return out.put(std::uint32_t{0}).append(stored).bytes;
}

/// The check sum of a chunk of a PNG file.
std::uint32_t checkSum(const test::Bytes& bytes) {
    std::uint32_t sum = 0xffffffffU;
    for (const unsigned char byte : bytes) {
        sum ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
        }
    }
    return ~sum;
}

test::Bytes chunk(std::string_view name, const test::Bytes& data) {
    test::Bytes named(name.begin(), name.end());
    named.insert(named.end(), data.begin(), data.end());
    test::ByteWriter out(true); // the other order of bytes: big-endian
    out.put(static_cast<std::uint32_t>(data.size())).append(named).put(checkSum(named));
    return out.bytes;
}

/// A PNG file of 8-bit colours, all black, with `extra` chunks before the pixels.
test::Bytes colourPng(std::uint32_t side, const test::Bytes& extra = {}) {
    test::ByteWriter header(true);
    header.put(side).put(side).append({8, 2, 0, 0, 0});
    test::ByteWriter out;
    out.append({0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
    out.append(chunk("IHDR", header.bytes)).append(extra);
    out.append(chunk("IDAT", test::deflated(test::Bytes(side * (3UL * side + 1)))));
    return out.append(chunk("IEND", {})).bytes;
}

/// Highest resident memory of the process so far, in MiB.
long peakMegabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stol(line.substr(6)) / 1024;
        }
    }
    return 0;
}

void put16(test::Bytes& file, std::size_t at, unsigned value) {
    file[at] = static_cast<unsigned char>(value >> 8);
    file[at + 1] = static_cast<unsigned char>(value);
}

/// Where the frame header of a JPEG file begins.
std::size_t frameOf(const test::Bytes& file) {
    for (const int mark : {0xc0, 0xc2}) {
        const test::Bytes start{0xff, static_cast<unsigned char>(mark), 0};
        const auto at = std::search(file.begin(), file.end(), start.begin(), start.end());
        if (at != file.end()) {
            return static_cast<std::size_t>(at - file.begin());
        }
    }
    return 0;
}

} // namespace

class HostileFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;

    void write(const std::string& name, const test::Bytes& bytes) {
        m_path = std::filesystem::path(m_folder.path().toStdString()) / name;
        test::writeFile(m_path, bytes);
    }
    /// Reading must fail with `code` and a sentence that holds `part`.
    void verifyRefused(const io::ReadOptions& options, ErrorCode code, const char* part) {
        const auto error = test::errorOf([&] { (void)io::readImage(m_path, options); });
        QVERIFY2(error, "it was read");
        QVERIFY2(error->code() == code, error->what());
        QVERIFY2(std::string(error->what()).find(part) != std::string::npos, error->what());
    }
    /// The file is read with the memory of its pixels and `buffers`, and refused with less.
    void verifyCounted(std::int64_t buffers) {
        const io::LoadedImage whole = io::readImage(m_path);
        const std::int64_t pixels =
            static_cast<std::int64_t>(whole.components.size()) *
            base::byteCount(whole.info.extents, base::bytesPerVoxel(whole.info.pixel));
        verifyRefused({.maxBytes = pixels + buffers - 1}, ErrorCode::Memory, "to decode it");
        verifyRefused({.maxBufferBytes = buffers - 1}, ErrorCode::Memory, "to decode it");
        const io::LoadedImage fits = io::readImage(
            m_path, {.maxBytes = pixels + 2 * buffers, .maxBufferBytes = 2 * buffers});
        QVERIFY(test::sameBits(fits.components.front(), whole.components.front()));
    }

  private Q_SLOTS:
    void aTiffTileOfGigabytesInAFewBytesIsRefused_data() {
        QTest::addColumn<int>("compression");
        QTest::newRow("none") << 1;
        QTest::newRow("LZW") << 5;
        QTest::newRow("deflate") << 8;
        QTest::newRow("pack bits") << 32773;
    }
    void aTiffTileOfGigabytesInAFewBytesIsRefused() {
        QFETCH(int, compression);
        write("tile.tif",
              tiledTiff(10, 65520, static_cast<std::uint16_t>(compression), test::Bytes(280)));
        verifyRefused({}, ErrorCode::Input, "more than the file can hold");
        QVERIFY(test::errorOf([&] { (void)io::readImageInfo(m_path); }));
    }

    void theTileOfATiffFileIsCounted() {
        constexpr std::uint32_t kTile = 4096;
        write("tile.tif",
              tiledTiff(16, kTile, 8, test::deflated(test::Bytes(std::size_t{kTile} * kTile, 7))));
        verifyCounted(std::int64_t{kTile} * kTile);
    }

    void aTiffCompressionThatCannotBeCountedIsRefused() {
        constexpr std::uint16_t kLzma = 34925;
        write("lzma.tif", tiledTiff(16, 16, kLzma, test::Bytes(256)));
        verifyRefused({}, ErrorCode::Input, "compression");
    }

    void anIgnoredDescriptionIsAnError() {
        // The description stands at the end, where a truncated file loses it first.
        test::TiffRecipe recipe;
        recipe.width = 12;
        recipe.height = 10;
        recipe.pages = std::vector<test::Bytes>(6, test::Bytes(120, 1));
        recipe.description =
            "<OME><Image><Pixels DimensionOrder=\"XYZCT\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"1\">"
            "<TiffData/></Pixels></Image></OME>";
        test::Bytes file = test::makeTiff(recipe);
        test::ByteWriter entry;
        entry.put(std::uint16_t{270}).put(std::uint16_t{2});
        const auto at =
            std::search(file.begin(), file.end(), entry.bytes.begin(), entry.bytes.end());
        QVERIFY(at != file.end());
        const auto value = static_cast<std::size_t>(at - file.begin()) + 8;
        test::ByteWriter end;
        end.put(static_cast<std::uint32_t>(file.size()));
        std::copy(end.bytes.begin(), end.bytes.end(),
                  file.begin() + static_cast<std::ptrdiff_t>(value));
        file.insert(file.end(), recipe.description.begin(), recipe.description.end());
        file.push_back(0);
        write("ome.tif", file);
        const io::ImageInfo info = io::readImageInfo(m_path);
        QCOMPARE(info.channels, 2);
        QVERIFY((info.extents == base::Extents{12, 10, 3}));
        for (const std::size_t lost : {std::size_t{1}, std::size_t{20}}) {
            write("ome.tif",
                  test::Bytes(file.begin(), file.end() - static_cast<std::ptrdiff_t>(lost)));
            verifyRefused({}, ErrorCode::Input, "ImageDescription");
            QVERIFY(test::errorOf([&] { (void)io::readImageInfo(m_path); }));
        }
    }

    void theCoefficientsOfAProgressiveJpegAreCounted() {
        constexpr unsigned kSide = 1200;
        const test::Bytes black(std::size_t{3} * kSide * kSide);
        write("p.jpg", test::makeJpeg(kSide, kSide, 3, true, black));
        // 16 bits for each coefficient: one plane, and two of half the resolution.
        verifyCounted(std::int64_t{kSide} * kSide * 2 * 3 / 2);
        write("b.jpg", test::makeJpeg(kSide, kSide, 3, false, black));
        QVERIFY(!io::readImage(m_path, {.maxBytes = 3 * std::int64_t{kSide} * kSide})
                     .components.empty());
    }

    void aJpegHeaderThatPromisesTooMuchIsRefused() {
        for (const bool progressive : {false, true}) {
            test::Bytes file = test::makeJpeg(64, 64, 1, progressive, test::Bytes(64 * 64));
            const std::size_t frame = frameOf(file);
            QVERIFY(frame > 0);
            put16(file, frame + 5, 60000);
            put16(file, frame + 7, 60000);
            write("huge.jpg", file);
            verifyRefused({}, ErrorCode::Input, "more pixels than the file can hold");
        }
    }

    void scansWithoutContentAreLimited() {
        constexpr unsigned kSide = 2048;
        const test::Bytes whole =
            test::makeJpeg(kSide, kSide, 1, true, test::Bytes(std::size_t{kSide} * kSide));
        const auto withScans = [&](int count) {
            // Of one coefficient; without a bit of data.
            const test::Bytes scan{0xff, 0xda, 0, 8, 1, 1, 0, 1, 1, 0};
            test::Bytes file(whole.begin(), whole.end() - 2);
            for (int i = 0; i < count; ++i) {
                file.insert(file.end(), scan.begin(), scan.end());
            }
            file.insert(file.end(), {0xff, 0xd9});
            return file;
        };
        write("scans.jpg", withScans(1000));
        verifyRefused({}, ErrorCode::Input, "may have at most");
        write("whole.jpg", whole);
        QVERIFY(!io::readImage(m_path).components.empty());
    }

    void theRowsOfAColourPngAreCounted() {
        constexpr std::uint32_t kSide = 1300;
        write("c.png", colourPng(kSide));
        verifyCounted(std::int64_t{3} * kSide * kSide);
    }

    void packedTextsOfAPngAreNotUnpacked() {
        if constexpr (test::kSanitized) {
            QSKIP("a sanitizer keeps freed memory");
        }
        test::Bytes text{'a', 0, 0};
        const test::Bytes packed = test::deflated(test::Bytes(7'900'000, 'x'));
        text.insert(text.end(), packed.begin(), packed.end());
        test::Bytes extra;
        for (int i = 0; i < 60; ++i) {
            const test::Bytes one = chunk("zTXt", text);
            extra.insert(extra.end(), one.begin(), one.end());
        }
        write("texts.png", colourPng(20, extra));
        const long before = peakMegabytes();
        QVERIFY(before > 0);
        QVERIFY(!io::readImage(m_path).components.empty());
        QVERIFY2(peakMegabytes() < before + 100, qPrintable(QString::number(peakMegabytes())));
    }
};

const flcc::test::TestClass<HostileFileTest> kHostileFileTest;
#include "hostile_file_test.moc"
