#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cstring>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "engine/io/process/reader_protocol.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/picture_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using test::Bytes;

namespace {

/// A chunk of a RIFF file.
Bytes webPChunk(const std::string& name, const Bytes& content) {
    test::ByteWriter out;
    out.append(Bytes(name.begin(), name.end()));
    out.put(static_cast<std::uint32_t>(content.size())).append(content);
    if (content.size() % 2 != 0) {
        out.append({0});
    }
    return out.bytes;
}

/// The lengths of a side less 1, of 24 bits each.
Bytes webPSizes(std::uint32_t width, std::uint32_t height) {
    Bytes bytes;
    for (const std::uint32_t side : {width - 1, height - 1}) {
        for (int byte = 0; byte < 3; ++byte) {
            bytes.push_back(static_cast<std::uint8_t>(side >> (8 * byte)));
        }
    }
    return bytes;
}

/// A WebP file of chunks behind a header with flags and a canvas.
Bytes webPOf(std::uint8_t flags, std::uint32_t width, std::uint32_t height,
             const std::vector<Bytes>& chunks) {
    Bytes head{flags, 0, 0, 0};
    const Bytes sizes = webPSizes(width, height);
    head.insert(head.end(), sizes.begin(), sizes.end());
    test::ByteWriter body;
    body.append({'W', 'E', 'B', 'P'}).append(webPChunk("VP8X", head));
    for (const Bytes& chunk : chunks) {
        body.append(chunk);
    }
    return webPChunk("RIFF", body.bytes);
}

/// The chunk of pixels of makeWebP().
Bytes webPPixels() {
    const Bytes file = test::makeWebP(3);
    return {file.begin() + 12, file.end()};
}

/// 5x3 pixels whose EXIF block states an orientation.
Bytes webPTurned(std::uint16_t orientation) {
    test::ByteWriter exif;
    exif.append({'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0});
    exif.put(std::uint16_t{274}).put(std::uint16_t{3}).put(std::uint32_t{1});
    exif.put(std::uint32_t{orientation}).put(std::uint32_t{0});
    return webPOf(8, 5, 3, {webPPixels(), webPChunk("EXIF", exif.bytes)});
}

/// One picture of 5x3 pixels on a canvas.
Bytes webPOnCanvas(std::uint32_t width, std::uint32_t height) {
    Bytes frame(6, 0); // its place
    const Bytes sizes = webPSizes(5, 3);
    frame.insert(frame.end(), sizes.begin(), sizes.end());
    frame.insert(frame.end(), {100, 0, 0, 0});
    const Bytes pixels = webPPixels();
    frame.insert(frame.end(), pixels.begin(), pixels.end());
    return webPOf(2, width, height,
                  {webPChunk("ANIM", {0, 0, 0, 0, 0, 0}), webPChunk("ANMF", frame)});
}

/// A BMP file of runs of 8 bits with two colours.
Bytes bmpOfRuns(std::uint32_t width, std::uint32_t height, const Bytes& runs) {
    test::ByteWriter out;
    out.append({'B', 'M'}).put(std::uint32_t{0}).put(std::uint32_t{0}).put(std::uint32_t{62});
    out.put(std::uint32_t{40}).put(width).put(height).put(std::uint16_t{1}).put(std::uint16_t{8});
    out.put(std::uint32_t{1}).put(std::uint32_t{0}).put(std::uint32_t{0}).put(std::uint32_t{0});
    out.put(std::uint32_t{2}).put(std::uint32_t{0});
    return out.append({0, 0, 0, 0, 255, 255, 255, 0}).append(runs).bytes;
}

/// A GIF file of one colour: codes of LZW that grow by a pixel each, packed into blocks.
Bytes gifOfOneColour(std::uint16_t width, std::uint16_t height) {
    test::ByteWriter out;
    out.append({'G', 'I', 'F', '8', '9', 'a'}).put(width).put(height).append({0x80, 0, 0});
    out.append({0, 0, 0, 255, 255, 255, 0x2c}).put(std::uint32_t{0}).put(width).put(height);
    out.append({0, 2}); // codes of 3 bits and more: 4 clears, 5 ends
    Bytes bytes;
    std::uint32_t kept = 0;
    int count = 0;
    const auto put = [&](std::uint32_t code, int bits) {
        kept |= code << count;
        for (count += bits; count >= 8; count -= 8) {
            bytes.push_back(static_cast<std::uint8_t>(kept));
            kept >>= 8;
        }
    };
    std::int64_t left = std::int64_t{width} * height;
    while (left > 0) {
        put(4, bytes.empty() ? 3 : 12);
        int bits = 3;
        std::uint32_t next = 6; // the code that the next one defines
        for (std::int64_t run = 1; left > 0 && next < 4095; ++run) {
            const std::int64_t length = std::min(run, left);
            put(length == 1 ? 1 : static_cast<std::uint32_t>(4 + length), bits);
            left -= length;
            if (run > 1 && next++ == (1U << bits) - 1 && bits < 12) {
                ++bits;
            }
            if (left == 0) {
                put(5, bits);
            }
        }
    }
    bytes.push_back(static_cast<std::uint8_t>(kept));
    for (std::size_t at = 0; at < bytes.size(); at += 255) {
        const auto length =
            static_cast<std::uint8_t>(std::min<std::size_t>(255, bytes.size() - at));
        out.append({length});
        out.append(Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + length)));
    }
    return out.append({0, 0x3b}).bytes;
}

} // namespace

/// Pictures of flcc-reader that promise more than they hold, are turned, or end lines with CR LF.
class PictureKindsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.bin") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    io::LoadedImage read(const Bytes& bytes, const io::ReadOptions& options = {}) const {
        test::writeFile(file(), bytes);
        return io::readImage(file(), options);
    }
    std::string refusalOf(const Bytes& bytes) const {
        test::writeFile(file(), bytes);
        const auto error = test::errorOf([&] { (void)io::readImageInfo(file()); });
        return error && error->code() == ErrorCode::Input ? error->what() : "no such error";
    }
    static double at(const io::LoadedImage& image, std::int64_t x, std::int64_t y,
                     std::size_t component = 0) {
        return base::valueAt(base::viewOf(image.components.at(component)), {x, y, 0});
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aCanvasFarBeyondTheFileIsRefused() {
        Bytes gif = test::makeGif(1, true, -1, false);
        std::fill(gif.begin() + 6, gif.begin() + 10, std::uint8_t{0xff}); // of the canvas
        QVERIFY(refusalOf(gif).find("cannot fill its canvas of 65535x65535") != std::string::npos);
        QVERIFY(refusalOf(webPOnCanvas(65000, 65000)).find("cannot fill its canvas") !=
                std::string::npos);
        QVERIFY(refusalOf(bmpOfRuns(30000, 30000, {0, 1})).find("cannot hold 30000x30000x1") !=
                std::string::npos);
    }

    void picturesOfOneColourAreRead() {
        const io::LoadedImage gif = read(gifOfOneColour(2000, 2000));
        QVERIFY((gif.info.extents == Extents{2000, 2000, 1}));
        QCOMPARE(at(gif, 1999, 1999), 255.0);
        const io::LoadedImage canvas = read(webPOnCanvas(1000, 1000));
        QVERIFY((canvas.info.extents == Extents{1000, 1000, 1}));
        QCOMPARE(at(canvas, 4, 2), static_cast<double>(test::pictureValue(4, 2)));
        QCOMPARE(at(canvas, 999, 999, 3), 0.0);
        Bytes runs;
        for (int y = 0; y < 255; ++y) {
            runs.insert(runs.end(), {255, 1, 255, 1, 0, 0});
        }
        runs.insert(runs.end(), {0, 1});
        const io::LoadedImage bmp = read(bmpOfRuns(510, 255, runs));
        QVERIFY((bmp.info.extents == Extents{510, 255, 1}));
        QCOMPARE(at(bmp, 509, 254), 255.0);
        QCOMPARE(at(read(bmpOfRuns(2000, 2000, {0, 1})), 1999, 0), 0.0); // nothing but its end
    }

    void pixelsBeyondTheLimitOfMemoryAreNotUnpacked() {
        test::writeFile(file(), bmpOfRuns(2000, 1000, {0, 1}));
        for (const int memory : {1999999, 2000000}) {
            QProcess reader;
            reader.start(FLCC_READER, {"bmp", "read", file().c_str(), "", "-1", "-1", "-1", "",
                                       QString::number(memory)});
            QVERIFY(reader.waitForFinished());
            const QByteArray answer = reader.readAllStandardOutput();
            io::ReaderHeader header;
            QVERIFY(static_cast<std::size_t>(answer.size()) >= sizeof(header));
            std::memcpy(&header, answer.constData(), sizeof(header));
            const bool enough = memory == 2000000;
            QCOMPARE(header.code, 0);
            QCOMPARE(header.voxelBytes, std::int64_t{enough ? 2000000 : 0});
            QCOMPARE(answer.size() > 2000000, enough);
            const auto error = test::errorOf(
                [&] { (void)io::readImage(file(), {.maxBytes = std::int64_t{memory}}); });
            QCOMPARE(error.has_value(), !enough);
            QVERIFY(enough || error->code() == ErrorCode::Memory);
        }
    }

    void webPIsTurnedAsItsExifSays() {
        io::ReadOptions stored;
        stored.reading.orientation = io::Orientation::Stored;
        for (std::uint16_t orientation = 0; orientation <= 9; ++orientation) {
            test::writeFile(file(), webPTurned(orientation));
            const io::LoadedImage shown = io::readImage(file());
            const bool upright = orientation >= 5 && orientation <= 8;
            const Extents extents = upright ? Extents{3, 5, 1} : Extents{5, 3, 1};
            QVERIFY(shown.info.extents == extents);
            QVERIFY(io::readImageInfo(file()).extents == extents);
            QVERIFY(io::verifyImage(file()).extents == extents);
            // Where the stored pixel (1, 0) is shown, by the words of the EXIF standard.
            const std::array<std::array<int, 2>, 10> places{
                {{1, 0}, {1, 0}, {3, 0}, {3, 2}, {1, 2}, {0, 1}, {2, 1}, {2, 3}, {0, 3}, {1, 0}}};
            for (std::size_t c = 0; c < 3; ++c) {
                QCOMPARE(at(shown, places[orientation][0], places[orientation][1], c),
                         static_cast<double>(test::pictureValue(1, 0, static_cast<int>(c))));
            }
            QCOMPARE(shown.info.notes.size(), std::size_t{orientation == 1 ? 0U : 1U});
            const io::LoadedImage left = io::readImage(file(), stored);
            QVERIFY((left.info.extents == Extents{5, 3, 1}));
            QCOMPARE(at(left, 4, 1), static_cast<double>(test::pictureValue(4, 1)));
        }
    }

    void linesThatEndWithCrLf() {
        test::ByteWriter floats;
        for (int i = 0; i < 15; ++i) {
            floats.put(static_cast<float>(i));
        }
        const std::string pfm = "Pf\r\n5 3\r\n-1.0\r\n";
        const io::LoadedImage real = read(test::withHead(pfm, floats.bytes));
        QCOMPARE(at(real, 0, 2), 0.0);
        QCOMPARE(at(real, 4, 0), 14.0);
        QVERIFY(test::holds(real.info.notes, "CR LF"));
        const Bytes pixels{10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
        const io::LoadedImage lines = read(test::withHead("P5\r\n5 3\r\n255\r\n", pixels));
        QCOMPARE(at(lines, 0, 0), 10.0);
        QCOMPARE(at(lines, 4, 2), 14.0);
        QVERIFY(test::holds(lines.info.notes, "CR LF"));
        // The first pixel is 10, as LF is.
        const io::LoadedImage pixel = read(test::withHead("P5\n5 3\n255\r", pixels));
        QCOMPARE(at(pixel, 0, 0), 10.0);
        QCOMPARE(at(pixel, 4, 2), 14.0);
        QVERIFY(pixel.info.notes.empty());
        Bytes longer = floats.bytes;
        longer.push_back(0);
        QVERIFY(refusalOf(test::withHead(pfm, longer)).find("ends with CR LF") !=
                std::string::npos);
        QVERIFY(test::holds(read(test::withHead("Pf\n5 3\n-1.0\n", longer)).info.notes,
                            "the 1 bytes behind its pixels"));
    }
};

const flcc::test::TestClass<PictureKindsTest> kPictureKindsTest;
#include "picture_kinds_test.moc"
