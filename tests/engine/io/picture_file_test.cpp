#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <bit>
#include <cstring>

#include <openjpeg.h>
#include <webp/encode.h>

#include "engine/io/image_file.h"
#include "engine/io/process/reader_process.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using base::Extents;
using base::PixelType;
using test::Bytes;

namespace {

/// The stored numbers of a picture of 5x3, of up to `bits`.
int valueAt(int x, int y, int component = 0) { return 40 * y + 7 * x + 11 * component + 1; }

Bytes joined(const std::string& head, const Bytes& data) {
    Bytes all(head.begin(), head.end());
    all.insert(all.end(), data.begin(), data.end());
    return all;
}

/// A BMP file of 5x3, each pixel `bits` long, the lowest row first.
Bytes bmp(int bits, bool topDown, std::uint32_t packing, const Bytes& table, const Bytes& pixels) {
    test::ByteWriter out;
    const auto offset = static_cast<std::uint32_t>(54 + table.size());
    out.append({'B', 'M'}).put(static_cast<std::uint32_t>(offset + pixels.size()));
    out.put(std::uint32_t{0}).put(offset).put(std::uint32_t{40}).put(std::int32_t{5});
    out.put(std::int32_t{topDown ? -3 : 3}).put(std::uint16_t{1});
    out.put(static_cast<std::uint16_t>(bits)).put(packing);
    for (int i = 0; i < 5; ++i) {
        out.put(std::uint32_t{0});
    }
    return out.append(table).append(pixels).bytes;
}

/// A table of grey colours, or of others.
Bytes table(int colours, bool grey) {
    Bytes bytes;
    for (int i = 0; i < colours; ++i) {
        const auto level = static_cast<std::uint8_t>(i * 255 / (colours - 1));
        const auto other = static_cast<std::uint8_t>(grey ? level : 255 - level);
        bytes.insert(bytes.end(), {level, level, other, 0}); // blue, green, red
    }
    return bytes;
}

/// Indices of `bits` in rows that fill up to four bytes; the index of a pixel is x + 5 y.
Bytes indices(int bits, bool topDown) {
    Bytes bytes;
    for (int row = 0; row < 3; ++row) {
        const int y = topDown ? row : 2 - row;
        Bytes line((5 * bits + 31) / 32 * 4);
        for (int x = 0; x < 5; ++x) {
            const int index = (x + 5 * y) % (1 << bits);
            line[static_cast<std::size_t>(x * bits / 8)] |=
                static_cast<std::uint8_t>(index << (8 - bits - x * bits % 8));
        }
        bytes.insert(bytes.end(), line.begin(), line.end());
    }
    return bytes;
}

/// The packed indices of a GIF picture: codes of 9 bits and a clear code so often that they never
/// grow.
Bytes gifCodes(const Bytes& indices) {
    std::vector<int> codes{256};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (i > 0 && i % 100 == 0) {
            codes.push_back(256);
        }
        codes.push_back(indices[i]);
    }
    codes.push_back(257);
    Bytes bytes;
    std::uint32_t kept = 0;
    int count = 0;
    for (const int code : codes) {
        kept |= static_cast<std::uint32_t>(code) << count;
        for (count += 9; count >= 8; count -= 8) {
            bytes.push_back(static_cast<std::uint8_t>(kept));
            kept >>= 8;
        }
    }
    bytes.push_back(static_cast<std::uint8_t>(kept));
    Bytes blocks{8, static_cast<std::uint8_t>(bytes.size())};
    blocks.insert(blocks.end(), bytes.begin(), bytes.end());
    blocks.push_back(0);
    return blocks;
}

/// A GIF file of 5x3 and 256 colours. `transparent` is an index, or -1.
Bytes gif(int pictures, bool grey, int transparent, bool interlaced, int left = 0) {
    test::ByteWriter out;
    const std::string head = "GIF89a";
    out.append(Bytes(head.begin(), head.end()));
    out.put(static_cast<std::uint16_t>(5 + left)).put(std::uint16_t{3});
    out.append({0xf7, 0, 0});
    for (int i = 0; i < 256; ++i) {
        const auto level = static_cast<std::uint8_t>(i);
        out.append({level, level, static_cast<std::uint8_t>(grey ? level : 255 - level)});
    }
    for (int picture = 0; picture < pictures; ++picture) {
        if (transparent >= 0) {
            out.append({0x21, 0xf9, 4, 1, 0, 0, static_cast<std::uint8_t>(transparent), 0});
        }
        out.append({0x2c}).put(static_cast<std::uint16_t>(left)).put(std::uint16_t{0});
        out.put(std::uint16_t{5}).put(std::uint16_t{3});
        out.append({static_cast<std::uint8_t>(interlaced ? 0x40 : 0)});
        Bytes values;
        for (const int y : interlaced ? std::array{0, 2, 1} : std::array{0, 1, 2}) {
            for (int x = 0; x < 5; ++x) {
                values.push_back(static_cast<std::uint8_t>(valueAt(x, y) + picture));
            }
        }
        out.append(gifCodes(values));
    }
    return out.append({0x3b}).bytes;
}

/// A JPEG 2000 file of 5x3 with the values of valueAt(), packed without loss.
void writeJpeg2000(const std::filesystem::path& path, int components, int bits, bool sign,
                   bool boxes) {
    std::vector<opj_image_cmptparm_t> parameters(static_cast<std::size_t>(components));
    for (opj_image_cmptparm_t& each : parameters) {
        each = {};
        each.dx = each.dy = 1;
        each.w = 5;
        each.h = 3;
        each.prec = static_cast<OPJ_UINT32>(bits);
        each.sgnd = sign ? 1 : 0;
    }
    opj_image_t* image = opj_image_create(static_cast<OPJ_UINT32>(components), parameters.data(),
                                          components >= 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    image->x1 = 5;
    image->y1 = 3;
    for (int c = 0; c < components; ++c) {
        for (int i = 0; i < 15; ++i) {
            const int value = valueAt(i % 5, i / 5, c);
            image->comps[c].data[i] = sign ? 60 - value : value;
        }
    }
    opj_cparameters_t how{};
    opj_set_default_encoder_parameters(&how);
    how.numresolution = 1;
    how.tcp_numlayers = 1;
    how.cp_disto_alloc = 1;
    opj_codec_t* codec = opj_create_compress(boxes ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    opj_setup_encoder(codec, &how, image);
    opj_stream_t* stream = opj_stream_create_default_file_stream(path.c_str(), OPJ_FALSE);
    QVERIFY(opj_start_compress(codec, image, stream) != 0);
    QVERIFY(opj_encode(codec, stream) != 0);
    QVERIFY(opj_end_compress(codec, stream) != 0);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

/// A WebP file of 5x3, packed without loss, with opacity if `components` is 4.
Bytes webp(int components) {
    Bytes pixels;
    for (int i = 0; i < 15; ++i) {
        for (int c = 0; c < components; ++c) {
            pixels.push_back(
                static_cast<std::uint8_t>(c == 3 ? 200 + i : valueAt(i % 5, i / 5, c)));
        }
    }
    std::uint8_t* out = nullptr;
    const std::size_t size = components == 4 ? WebPEncodeLosslessRGBA(pixels.data(), 5, 3, 20, &out)
                                             : WebPEncodeLosslessRGB(pixels.data(), 5, 3, 15, &out);
    Bytes bytes(out, out + size);
    WebPFree(out);
    return bytes;
}

bool anyNote(const io::ImageInfo& info, const std::string& words) {
    return std::any_of(info.notes.begin(), info.notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

} // namespace

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
        QCOMPARE(image.info.extents, (Extents{5, 3, 1}));
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
                require(read(bmp(bits, topDown, 0, table(colours, true), indices(bits, topDown))),
                        "BMP", PixelType::UInt8, 1, level);
                require(read(bmp(bits, topDown, 0, table(colours, false), indices(bits, topDown))),
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
                    rows24.push_back(static_cast<std::uint8_t>(valueAt(x, y, c)));
                    rows32.push_back(static_cast<std::uint8_t>(valueAt(x, y, c)));
                }
                rows32.push_back(99); // means nothing
                const int pixel = (x + 5 * y) << 10 | (31 - x) << 5 | y;
                rows16.push_back(static_cast<std::uint8_t>(pixel & 255));
                rows16.push_back(static_cast<std::uint8_t>(pixel >> 8));
            }
            rows24.push_back(0);
            rows16.insert(rows16.end(), 2, 0);
        }
        require(read(bmp(24, false, 0, {}, rows24)), "BMP", PixelType::UInt8, 3, valueAt);
        require(read(bmp(32, false, 0, {}, rows32)), "BMP", PixelType::UInt8, 3, valueAt);
        require(read(bmp(16, false, 0, {}, rows16)), "BMP", PixelType::UInt8, 3,
                [](int x, int y, int c) {
                    return (c == 0 ? x + 5 * y : c == 1 ? 31 - x : y) * 255 / 31;
                });
        // Masks of colour that exchange red and blue.
        test::ByteWriter masks;
        masks.put(std::uint32_t{0xff}).put(std::uint32_t{0xff00}).put(std::uint32_t{0xff0000});
        require(read(bmp(32, false, 3, masks.bytes, rows32)), "BMP", PixelType::UInt8, 3,
                [](int x, int y, int c) { return valueAt(x, y, 2 - c); });
    }

    void bmpOfRuns() {
        // Rows 2, 1, 0: a run; literal pixels; a step right, then a run. Skipped pixels are 0.
        const Bytes runs8{5, 7, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 0, 2, 3, 0, 2, 9, 0, 1};
        const std::array<std::array<int, 5>, 3> right{
            {{0, 0, 0, 9, 9}, {1, 2, 3, 4, 5}, {7, 7, 7, 7, 7}}};
        const auto at = [&](int x, int y, int) {
            return right[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
        };
        require(read(bmp(8, false, 1, table(256, true), runs8)), "BMP", PixelType::UInt8, 1, at);
        const Bytes runs4{5, 0x77, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0,
                          0, 0,    0, 2, 3, 0, 2,    0x99, 0,    1};
        require(read(bmp(4, false, 2, table(16, true), runs4)), "BMP", PixelType::UInt8, 1,
                [&](int x, int y, int c) { return at(x, y, c) * 17; });
        for (const Bytes& damaged : {Bytes{6, 7, 0, 1}, Bytes{5, 7, 0}, Bytes{0, 2, 9, 9, 1, 1}}) {
            test::writeFile(file(), bmp(8, false, 1, table(256, true), damaged));
            QVERIFY(test::errorOf([&] { (void)io::readImage(file()); }).has_value());
        }
    }

    void pnmOfEveryKind() {
        const auto text = [](int components, int most) {
            std::string numbers;
            for (int i = 0; i < 15; ++i) {
                for (int c = 0; c < components; ++c) {
                    numbers += std::to_string(most == 1 ? i % 2 : valueAt(i % 5, i / 5, c)) + " ";
                }
            }
            numbers.pop_back(); // it may end with a number
            return numbers;
        };
        Bytes grey;
        Bytes colour;
        Bytes wide;
        for (int i = 0; i < 15; ++i) {
            grey.push_back(static_cast<std::uint8_t>(valueAt(i % 5, i / 5)));
            wide.push_back(static_cast<std::uint8_t>(i)); // the high byte first
            wide.push_back(static_cast<std::uint8_t>(valueAt(i % 5, i / 5)));
            for (int c = 0; c < 3; ++c) {
                colour.push_back(static_cast<std::uint8_t>(valueAt(i % 5, i / 5, c)));
            }
        }
        const auto u8 = PixelType::UInt8;
        const auto wideAt = [](int x, int y, int) { return 256 * (x + 5 * y) + valueAt(x, y); };
        require(read(joined("P1 5 3\n" + text(1, 1), {})), "PNM", u8, 1,
                [](int x, int y, int) { return 1 - (x + 5 * y) % 2; }); // 1 is black
        require(read(joined("P2\n# text\n5 3 255\n" + text(1, 255), {})), "PNM", u8, 1, valueAt);
        require(read(joined("P3 5 3 255\n" + text(3, 255), {})), "PNM", u8, 3, valueAt);
        require(read(joined("P4 5 3\n", {0x50, 0xa8, 0x50})), "PNM", u8, 1,
                [](int x, int y, int) { return y == 1 ? x % 2 : 1 - x % 2; });
        require(read(joined("P5 5 3 255\n", grey)), "PNM", u8, 1, valueAt);
        require(read(joined("P6 5 3 255\n", colour)), "PNM", u8, 3, valueAt);
        require(read(joined("P5 5 3 65535\n", wide)), "PNM", PixelType::UInt16, 1, wideAt);
        const io::LoadedImage few = read(joined("P5 5 3 4095\n", wide));
        require(few, "PNM", PixelType::UInt16, 1, wideAt);
        QVERIFY(anyNote(few.info, "4095 is white"));
        require(read(joined("P7\nWIDTH 5\nHEIGHT 3\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n",
                            colour)),
                "PNM", u8, 3, valueAt);
        const io::LoadedImage two = read(joined("P5 5 3 255\n", joined("", [&] {
                                                    Bytes both = grey;
                                                    both.push_back('P');
                                                    return both;
                                                }())));
        QVERIFY(anyNote(two.info, "1 bytes behind its first picture"));
    }

    void pfmOfBothOrdersOfBytes() {
        for (const bool little : {true, false}) {
            Bytes rows;
            for (int y = 2; y >= 0; --y) { // the last row is stored first
                for (int x = 0; x < 5; ++x) {
                    const auto bits =
                        std::bit_cast<std::uint32_t>(static_cast<float>(valueAt(x, y)) / 4 - 20);
                    for (int i = 0; i < 4; ++i) {
                        rows.push_back(
                            static_cast<std::uint8_t>(bits >> (8 * (little ? i : 3 - i))));
                    }
                }
            }
            const io::LoadedImage image =
                read(joined(std::string("Pf\n5 3\n") + (little ? "-2.5\n" : "2.5\n"), rows));
            require(image, "PNM", PixelType::Float32, 1,
                    [](int x, int y, int) { return valueAt(x, y) / 4.0 - 20; });
            QVERIFY(anyNote(image.info, "scale of 2.5"));
        }
    }

    void gifIsItsFirstPicture() {
        const auto u8 = PixelType::UInt8;
        for (const bool interlaced : {false, true}) {
            require(read(gif(1, true, -1, interlaced)), "GIF", u8, 1, valueAt);
            require(read(gif(1, false, -1, interlaced)), "GIF", u8, 3, [](int x, int y, int c) {
                return c == 2 ? 255 - valueAt(x, y) : valueAt(x, y);
            });
        }
        const io::LoadedImage three = read(gif(3, true, -1, false));
        require(three, "GIF", u8, 1, valueAt);
        QVERIFY(anyNote(three.info, "the first of its 3 pictures"));
        require(read(gif(1, true, valueAt(2, 1), false)), "GIF", u8, 2, [](int x, int y, int c) {
            return c == 0 ? valueAt(x, y) : x == 2 && y == 1 ? 0 : 255;
        });
        const io::LoadedImage beside = read(gif(1, true, -1, false, 2)); // on a larger canvas
        QCOMPARE(beside.info.extents, (Extents{7, 3, 1}));
        QCOMPARE(base::valueAt(base::viewOf(beside.components.at(0)), {2, 0, 0}), 1.0);
        QCOMPARE(base::valueAt(base::viewOf(beside.components.at(1)), {1, 0, 0}), 0.0);
    }

    void webpHasColourAndOpacity() {
        require(read(webp(3)), "WebP", PixelType::UInt8, 3, valueAt);
        require(read(webp(4)), "WebP", PixelType::UInt8, 4,
                [](int x, int y, int c) { return c == 3 ? 200 + x + 5 * y : valueAt(x, y, c); });
    }

    void jpeg2000OfEveryDepth() {
        for (const bool boxes : {false, true}) {
            for (const int components : {1, 2, 3, 4}) {
                for (const int bits : {8, 12, 16}) {
                    writeJpeg2000(file(), components, bits, false, boxes);
                    const io::LoadedImage image = io::readImage(file());
                    require(image, "JPEG 2000", bits > 8 ? PixelType::UInt16 : PixelType::UInt8,
                            components, valueAt);
                    QCOMPARE(anyNote(image.info, "12 bits"), bits == 12);
                }
            }
            writeJpeg2000(file(), 1, 9, true, boxes);
            require(io::readImage(file()), "JPEG 2000", PixelType::Int16, 1,
                    [](int x, int y, int) { return 60 - valueAt(x, y); });
            writeJpeg2000(file(), 6, 8, false, boxes);
            QCOMPARE(io::readImageInfo(file()).channels, 6);
            require(io::readImage(file(), {.channel = 4}), "JPEG 2000", PixelType::UInt8, 1,
                    [](int x, int y, int) { return valueAt(x, y, 4); });
        }
    }

    void prefixesGiveSentences_data() {
        QTest::addColumn<Bytes>("bytes");
        QTest::newRow("BMP") << bmp(8, false, 0, table(256, true), indices(8, false));
        QTest::newRow("BMP of runs")
            << bmp(8, false, 1, table(256, true), {5, 7, 0, 0, 5, 7, 0, 0, 5, 7, 0, 1});
        QTest::newRow("PNM") << joined("P5 5 3 255\n", Bytes(15, 7));
        QTest::newRow("PFM") << joined("Pf\n5 3\n-1\n", Bytes(60));
        QTest::newRow("GIF") << gif(1, true, -1, false);
        QTest::newRow("WebP") << webp(3);
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString() + "/a.jp2";
        writeJpeg2000(path, 1, 8, false, true);
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
        test::writeFile(file(), joined("P5 5 3 255\n", Bytes(15)));
        const auto error = test::errorOf([&] { (void)io::readImage(file(), {.maxBytes = 14}); });
        QVERIFY(error && error->code() == ErrorCode::Memory);
        // Some bytes that promise 4 GB.
        Bytes bomb = gif(1, true, -1, false);
        const std::size_t at = 13 + 768 + 5;
        std::fill(bomb.begin() + at, bomb.begin() + at + 4, 0xff);
        test::writeFile(file(), bomb);
        const auto refused = test::errorOf([&] { (void)io::readImageInfo(file()); });
        QVERIFY(refused && std::string(refused->what()).find("cannot hold") != std::string::npos);
    }
};

const flcc::test::TestClass<PictureFileTest> kPictureFileTest;
#include "picture_file_test.moc"
