#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <bit>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/picture_fixture.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using test::Bytes;

/// BMP, PNM, PFM, GIF, WebP and JPEG 2000.
class PictureFileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path file(const std::string& name = "a.bin") const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    io::LoadedImage read(const Bytes& bytes) const {
        test::writeFile(file(), bytes);
        return io::readImage(file());
    }
    /// Compares every value of a picture of 5x3 with `right(x, y, component)`.
    template <class Right>
    static void require(const io::LoadedImage& image, const char* format, PixelType type,
                        int components, Right right) {
        QCOMPARE(image.info.format, std::string(format));
        QVERIFY((image.info.extents == Extents{5, 3, 1}));
        QCOMPARE(image.info.pixel, type);
        QCOMPARE(image.info.components, components);
        for (int c = 0; c < components; ++c) {
            for (int i = 0; i < 15; ++i) {
                QCOMPARE(
                    base::valueAt(base::viewOf(image.components.at(static_cast<std::size_t>(c))),
                                  {i % 5, i / 5, 0}),
                    static_cast<double>(right(i % 5, i / 5, c)));
            }
        }
    }

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void bmpOfIndices() {
        for (const int bits : {1, 2, 4, 8}) {
            const int colours = 1 << bits;
            for (const bool topDown : {false, true}) {
                const auto level = [&](int x, int y, int) {
                    return (x + 5 * y) % colours * 255 / (colours - 1);
                };
                require(read(test::makeBmp(bits, topDown, 0, test::bmpTable(colours, true),
                                           test::bmpIndices(bits, topDown))),
                        "BMP", PixelType::UInt8, 1, level);
                require(read(test::makeBmp(bits, topDown, 0, test::bmpTable(colours, false),
                                           test::bmpIndices(bits, topDown))),
                        "BMP", PixelType::UInt8, 3, [&](int x, int y, int c) {
                            return c == 0 ? 255 - level(x, y, c) : level(x, y, c);
                        });
            }
        }
    }

    void bmpOfColours() {
        Bytes rows24;
        Bytes rows32;
        Bytes rows16;
        for (int y = 2; y >= 0; --y) {
            for (int x = 0; x < 5; ++x) {
                for (const int c : {2, 1, 0}) {
                    rows24.push_back(static_cast<std::uint8_t>(test::pictureValue(x, y, c)));
                    rows32.push_back(static_cast<std::uint8_t>(test::pictureValue(x, y, c)));
                }
                rows32.push_back(99); // means nothing
                const int pixel = (x + 5 * y) << 10 | (31 - x) << 5 | y;
                rows16.push_back(static_cast<std::uint8_t>(pixel & 255));
                rows16.push_back(static_cast<std::uint8_t>(pixel >> 8));
            }
            rows24.push_back(0);
            rows16.insert(rows16.end(), 2, 0);
        }
        require(read(test::makeBmp(24, false, 0, {}, rows24)), "BMP", PixelType::UInt8, 3,
                test::pictureValue);
        require(read(test::makeBmp(32, false, 0, {}, rows32)), "BMP", PixelType::UInt8, 3,
                test::pictureValue);
        require(read(test::makeBmp(16, false, 0, {}, rows16)), "BMP", PixelType::UInt8, 3,
                [](int x, int y, int c) {
                    return (c == 0 ? x + 5 * y : c == 1 ? 31 - x : y) * 255 / 31;
                });
        // Masks of colour that exchange red and blue.
        test::ByteWriter masks;
        masks.put(std::uint32_t{0xff}).put(std::uint32_t{0xff00}).put(std::uint32_t{0xff0000});
        require(read(test::makeBmp(32, false, 3, masks.bytes, rows32)), "BMP", PixelType::UInt8, 3,
                [](int x, int y, int c) { return test::pictureValue(x, y, 2 - c); });
    }

    void bmpOfRuns() {
        // Rows 2, 1, 0: a run; literal pixels; a step right, then a run. Skipped pixels are 0.
        const Bytes runs8{5, 7, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 2, 3, 0, 2, 9, 0, 1};
        const std::array<std::array<int, 5>, 3> right{
            {{0, 0, 0, 9, 9}, {1, 2, 3, 4, 5}, {7, 7, 7, 7, 7}}};
        const auto at = [&](int x, int y, int) {
            return right[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
        };
        require(read(test::makeBmp(8, false, 1, test::bmpTable(256, true), runs8)), "BMP",
                PixelType::UInt8, 1, at);
        const Bytes runs4{5, 0x77, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0,
                          0, 0,    0, 2, 3, 0, 2,    0x99, 0,    1};
        require(read(test::makeBmp(4, false, 2, test::bmpTable(16, true), runs4)), "BMP",
                PixelType::UInt8, 1, [&](int x, int y, int c) { return at(x, y, c) * 17; });
        for (const Bytes& damaged : {Bytes{6, 7, 0, 1}, Bytes{5, 7, 0}, Bytes{0, 2, 9, 9, 1, 1}}) {
            test::writeFile(file(), test::makeBmp(8, false, 1, test::bmpTable(256, true), damaged));
            QVERIFY(test::errorOf([&] { (void)io::readImage(file()); }).has_value());
        }
    }

    void pnmOfEveryKind() {
        const auto text = [](int components, int most) {
            std::string numbers;
            for (int i = 0; i < 15; ++i) {
                for (int c = 0; c < components; ++c) {
                    numbers +=
                        std::to_string(most == 1 ? i % 2 : test::pictureValue(i % 5, i / 5, c)) +
                        " ";
                }
            }
            numbers.pop_back(); // it may end with a number
            return numbers;
        };
        Bytes grey;
        Bytes colour;
        Bytes wide;
        for (int i = 0; i < 15; ++i) {
            grey.push_back(static_cast<std::uint8_t>(test::pictureValue(i % 5, i / 5)));
            wide.push_back(static_cast<std::uint8_t>(i)); // the high byte first
            wide.push_back(static_cast<std::uint8_t>(test::pictureValue(i % 5, i / 5)));
            for (int c = 0; c < 3; ++c) {
                colour.push_back(static_cast<std::uint8_t>(test::pictureValue(i % 5, i / 5, c)));
            }
        }
        const auto u8 = PixelType::UInt8;
        const auto wideAt = [](int x, int y, int) {
            return 256 * (x + 5 * y) + test::pictureValue(x, y);
        };
        require(read(test::withHead("P1 5 3\n" + text(1, 1), {})), "PNM", u8, 1,
                [](int x, int y, int) { return 1 - (x + 5 * y) % 2; }); // 1 is black
        require(read(test::withHead("P2\n# text\n5 3 255\n" + text(1, 255), {})), "PNM", u8, 1,
                test::pictureValue);
        require(read(test::withHead("P3 5 3 255\n" + text(3, 255), {})), "PNM", u8, 3,
                test::pictureValue);
        require(read(test::withHead("P4 5 3\n", {0x50, 0xa8, 0x50})), "PNM", u8, 1,
                [](int x, int y, int) { return y == 1 ? x % 2 : 1 - x % 2; });
        require(read(test::withHead("P5 5 3 255\n", grey)), "PNM", u8, 1, test::pictureValue);
        require(read(test::withHead("P6 5 3 255\n", colour)), "PNM", u8, 3, test::pictureValue);
        require(read(test::withHead("P5 5 3 65535\n", wide)), "PNM", PixelType::UInt16, 1, wideAt);
        const io::LoadedImage few = read(test::withHead("P5 5 3 4095\n", wide));
        require(few, "PNM", PixelType::UInt16, 1, wideAt);
        QVERIFY(test::holds(few.info.notes, "4095 is white"));
        require(read(test::withHead(
                    "P7\nWIDTH 5\nHEIGHT 3\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n", colour)),
                "PNM", u8, 3, test::pictureValue);
        const io::LoadedImage two = read(test::withHead("P5 5 3 255\n", test::withHead("", [&] {
                                                            Bytes both = grey;
                                                            both.push_back('P');
                                                            return both;
                                                        }())));
        QVERIFY(test::holds(two.info.notes, "1 bytes behind its first picture"));
    }

    void pfmOfBothOrdersOfBytes() {
        for (const bool little : {true, false}) {
            Bytes rows;
            for (int y = 2; y >= 0; --y) { // the last row is stored first
                for (int x = 0; x < 5; ++x) {
                    const auto bits = std::bit_cast<std::uint32_t>(
                        static_cast<float>(test::pictureValue(x, y)) / 4 - 20);
                    for (int i = 0; i < 4; ++i) {
                        rows.push_back(
                            static_cast<std::uint8_t>(bits >> (8 * (little ? i : 3 - i))));
                    }
                }
            }
            const io::LoadedImage image = read(
                test::withHead(std::string("Pf\n5 3\n") + (little ? "-2.5\n" : "2.5\n"), rows));
            require(image, "PNM", PixelType::Float32, 1,
                    [](int x, int y, int) { return test::pictureValue(x, y) / 4.0 - 20; });
            QVERIFY(test::holds(image.info.notes, "scale of 2.5"));
        }
    }

    void gifIsItsFirstPicture() {
        const auto u8 = PixelType::UInt8;
        for (const bool interlaced : {false, true}) {
            require(read(test::makeGif(1, true, -1, interlaced)), "GIF", u8, 1, test::pictureValue);
            require(read(test::makeGif(1, false, -1, interlaced)), "GIF", u8, 3,
                    [](int x, int y, int c) {
                        return c == 2 ? 255 - test::pictureValue(x, y) : test::pictureValue(x, y);
                    });
        }
        const io::LoadedImage three = read(test::makeGif(3, true, -1, false));
        require(three, "GIF", u8, 1, test::pictureValue);
        QVERIFY(test::holds(three.info.notes, "the first of its 3 pictures"));
        require(read(test::makeGif(1, true, test::pictureValue(2, 1), false)), "GIF", u8, 2,
                [](int x, int y, int c) {
                    return c == 0 ? test::pictureValue(x, y) : x == 2 && y == 1 ? 0 : 255;
                });
        const io::LoadedImage beside =
            read(test::makeGif(1, true, -1, false, 2)); // on a larger canvas
        QVERIFY((beside.info.extents == Extents{7, 3, 1}));
        QCOMPARE(base::valueAt(base::viewOf(beside.components.at(0)), {2, 0, 0}), 1.0);
        QCOMPARE(base::valueAt(base::viewOf(beside.components.at(1)), {1, 0, 0}), 0.0);
    }

    void webpHasColourAndOpacity() {
        require(read(test::makeWebP(3)), "WebP", PixelType::UInt8, 3, test::pictureValue);
        require(read(test::makeWebP(4)), "WebP", PixelType::UInt8, 4, [](int x, int y, int c) {
            return c == 3 ? 200 + x + 5 * y : test::pictureValue(x, y, c);
        });
    }

    void jpeg2000OfEveryDepth() {
        for (const bool boxes : {false, true}) {
            for (const int components : {1, 2, 3, 4}) {
                for (const int bits : {8, 12, 16}) {
                    test::writeJpeg2000(file(), components, bits, false, boxes);
                    const io::LoadedImage image = io::readImage(file());
                    require(image, "JPEG 2000", bits > 8 ? PixelType::UInt16 : PixelType::UInt8,
                            components, test::pictureValue);
                    QCOMPARE(test::holds(image.info.notes, "12 bits"), bits == 12);
                }
            }
            test::writeJpeg2000(file(), 1, 9, true, boxes);
            require(io::readImage(file()), "JPEG 2000", PixelType::Int16, 1,
                    [](int x, int y, int) { return 60 - test::pictureValue(x, y); });
            test::writeJpeg2000(file(), 6, 8, false, boxes);
            QCOMPARE(io::readImageInfo(file()).channels, 6);
            require(io::readImage(file(), {.channel = 4}), "JPEG 2000", PixelType::UInt8, 1,
                    [](int x, int y, int) { return test::pictureValue(x, y, 4); });
        }
    }

    void prefixesGiveSentences_data() {
        QTest::addColumn<Bytes>("bytes");
        QTest::newRow("BMP") << test::makeBmp(8, false, 0, test::bmpTable(256, true),
                                              test::bmpIndices(8, false));
        QTest::newRow("BMP of runs") << test::makeBmp(8, false, 1, test::bmpTable(256, true),
                                                      {5, 7, 0, 0, 5, 7, 0, 0, 5, 7, 0, 1});
        QTest::newRow("PNM") << test::withHead("P5 5 3 255\n", Bytes(15, 7));
        QTest::newRow("PFM") << test::withHead("Pf\n5 3\n-1\n", Bytes(60));
        QTest::newRow("GIF") << test::makeGif(1, true, -1, false);
        QTest::newRow("WebP") << test::makeWebP(3);
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString() + "/a.jp2";
        test::writeJpeg2000(path, 1, 8, false, true);
        QTest::newRow("JPEG 2000") << test::readFile(path);
    }
    void prefixesGiveSentences() {
        QFETCH(Bytes, bytes);
        test::writeFile(file(), bytes);
        (void)io::readImage(file());
        const std::size_t step = std::max<std::size_t>(1, bytes.size() / 17);
        for (std::size_t length = 16; length + 6 < bytes.size(); length += step) {
            test::writeFile(file(), Bytes(bytes.begin(), bytes.begin() + std::ptrdiff_t(length)));
            const auto error = test::errorOf([&] { (void)io::readImage(file()); });
            QVERIFY2(error && error->code() == ErrorCode::Input, std::to_string(length).c_str());
            QVERIFY2(std::string(error->what()).find("cannot read") != std::string::npos,
                     error->what());
        }
    }

    void aPictureBeyondTheLimitIsNotRead() {
        test::writeFile(file(), test::withHead("P5 5 3 255\n", Bytes(15)));
        const auto error = test::errorOf([&] { (void)io::readImage(file(), {.maxBytes = 14}); });
        QVERIFY(error && error->code() == ErrorCode::Memory);
        // Some bytes that promise 4 GB.
        Bytes bomb = test::makeGif(1, true, -1, false);
        const std::ptrdiff_t at = 13 + 768 + 5;
        std::fill(bomb.begin() + at, bomb.begin() + at + 4, 0xff);
        test::writeFile(file(), bomb);
        const auto refused = test::errorOf([&] { (void)io::readImageInfo(file()); });
        QVERIFY(refused && std::string(refused->what()).find("cannot hold") != std::string::npos);
    }
};

const flcc::test::TestClass<PictureFileTest> kPictureFileTest;
#include "picture_file_test.moc"
