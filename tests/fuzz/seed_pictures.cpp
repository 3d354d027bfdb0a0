#include <array>
#include <string>
#include <string_view>

#include <tiffio.h>
#include <zlib.h>

#include "tests/engine/io/picture_fixture.h"
#include "tests/fuzz/seeds.h"

namespace flcc::fuzz {

namespace {

void addChunk(test::ByteWriter& out, std::string_view name, const test::Bytes& data) {
    test::Bytes named(name.begin(), name.end());
    named.insert(named.end(), data.begin(), data.end());
    out.put(static_cast<std::uint32_t>(data.size())).append(named);
    out.put(
        static_cast<std::uint32_t>(crc32(0, named.data(), static_cast<unsigned>(named.size()))));
}

test::Bytes makePng(std::uint8_t bits, std::uint8_t colour, std::uint8_t interlaced) {
    test::ByteWriter header(true);
    header.put(std::uint32_t{9}).put(std::uint32_t{7}).append({bits, colour, 0, 0, interlaced});
    test::ByteWriter out(true);
    out.append({0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
    addChunk(out, "IHDR", header.bytes);
    addChunk(out, "pHYs", {0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1});
    if (colour == 3) {
        addChunk(out, "PLTE", test::Bytes(3U << bits, 90));
    }
    if (colour == 0 || colour == 2) {
        addChunk(out, "tRNS", test::Bytes(colour == 0 ? 2 : 6));
    }
    addChunk(out, "tEXt", {'C', 'o', 'm', 'm', 'e', 'n', 't', 0, 'x'});
    const std::size_t values = colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1;
    const std::size_t row = 1 + (9 * values * bits + 7) / 8;
    test::Bytes pixels = varied(interlaced == 0 ? 7 * row : 1024);
    for (std::size_t at = 0; at < pixels.size(); at += interlaced == 0 ? row : 1) {
        pixels[at] = 0; // no filter
    }
    addChunk(out, "IDAT", test::deflated(pixels));
    addChunk(out, "IEND", {});
    return out.bytes;
}

/// A file that libtiff writes: packed, in tiles or in strips.
void packTiff(const std::filesystem::path& path, int compression, bool tiled, int planar) {
    TIFF* const file = TIFFOpen(path.c_str(), "w");
    if (file == nullptr) {
        return;
    }
    constexpr std::uint32_t kSide = 32;
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, kSide);
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, kSide);
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, compression == COMPRESSION_CCITTFAX4 ? 1 : 8);
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, planar == 0 ? 1 : 3);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, planar == 0 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(file, TIFFTAG_COMPRESSION, compression);
    if (planar != 0) {
        TIFFSetField(file, TIFFTAG_PLANARCONFIG, planar);
    }
    test::Bytes data = varied(kSide * kSide * 3);
    if (tiled) {
        TIFFSetField(file, TIFFTAG_TILEWIDTH, 16);
        TIFFSetField(file, TIFFTAG_TILELENGTH, 16);
        for (std::uint32_t tile = 0; tile < TIFFNumberOfTiles(file); ++tile) {
            TIFFWriteEncodedTile(file, tile, data.data(), TIFFTileSize(file));
        }
    } else {
        TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, 16);
        for (std::uint32_t strip = 0; strip < TIFFNumberOfStrips(file); ++strip) {
            TIFFWriteEncodedStrip(file, strip, data.data(), TIFFVStripSize(file, 16));
        }
    }
    TIFFClose(file);
}

} // namespace

void writePng(const std::filesystem::path& folder) {
    for (const auto& [bits, colour] : std::array<std::array<std::uint8_t, 2>, 8>{
             {{1, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {4, 3}, {16, 4}, {8, 6}}}) {
        for (const std::uint8_t interlaced : {std::uint8_t{0}, std::uint8_t{1}}) {
            test::writeFile(folder / (std::to_string(bits) + "-" + std::to_string(colour) + "-" +
                                      std::to_string(interlaced) + ".png"),
                            makePng(bits, colour, interlaced));
        }
    }
}

void writeTiff(const std::filesystem::path& folder) {
    test::TiffRecipe recipe;
    recipe.width = 6;
    recipe.height = 5;
    recipe.pages.assign(2, varied(30));
    recipe.pixelsPer1000 = 2500;
    recipe.description = "ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=2\n";
    test::writeFile(folder / "imagej.tif", test::makeTiff(recipe));
    recipe.turned = true;
    test::writeFile(folder / "turned.tif", test::makeTiff(recipe));
    recipe.description = R"(<?xml version="1.0"?><OME><Image ID="Image:0"><Pixels ID="Pixels:0" )"
                         R"(DimensionOrder="XYZCT" SizeX="6" SizeY="5" SizeZ="2" SizeC="1" )"
                         R"(SizeT="1" PhysicalSizeX="0.5" PhysicalSizeXUnit="µm" Type="uint8">)"
                         R"(<TiffData IFD="0" FirstZ="0" PlaneCount="2"/></Pixels></Image></OME>)";
    recipe.turned = false;
    recipe.big = true;
    test::writeFile(folder / "ome.tif", test::makeTiff(recipe));
    recipe.big = false;
    recipe.description.clear();
    recipe.samples = 3;
    recipe.photometric = 2;
    recipe.pages.assign(1, varied(90));
    test::writeFile(folder / "colour.tif", test::makeTiff(recipe));
    // Fields that contradict each other: samples, extra samples and the bits of each.
    recipe.tags = {{338, 3, 1}};
    test::writeFile(folder / "extra.tif", test::makeTiff(recipe));
    recipe.samples = 4;
    recipe.pages.assign(1, varied(120));
    test::writeFile(folder / "opacity.tif", test::makeTiff(recipe));
    recipe.tags = {{338, 3, 0x20001, 2}};
    test::writeFile(folder / "extras.tif", test::makeTiff(recipe));
    recipe.tags.clear();
    recipe.samples = 1;
    test::writeFile(folder / "one-colour.tif", test::makeTiff(recipe));
    recipe.photometric = 3;
    recipe.palette = varied(3 * 256 * 2);
    recipe.pages.assign(1, varied(30));
    test::writeFile(folder / "palette.tif", test::makeTiff(recipe));
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                  COMPRESSION_PACKBITS, COMPRESSION_JPEG, COMPRESSION_CCITTFAX4}) {
        const std::string name = std::to_string(compression);
        packTiff(folder / ("strips-" + name + ".tif"), compression, false, 0);
        packTiff(folder / ("tiles-" + name + ".tif"), compression, true, 0);
    }
    packTiff(folder / "together.tif", COMPRESSION_LZW, true, PLANARCONFIG_CONTIG);
    packTiff(folder / "planes.tif", COMPRESSION_LZW, false, PLANARCONFIG_SEPARATE);
}

void writeJpeg(const std::filesystem::path& folder) {
    for (const bool progressive : {false, true}) {
        for (const int components : {1, 3}) {
            const test::Bytes pixels = varied(24U * 18U * static_cast<unsigned>(components));
            test::writeFile(folder / ((progressive ? "progressive-" : "baseline-") +
                                      std::to_string(components) + ".jpg"),
                            test::makeJpeg(24, 18, components, progressive, pixels));
        }
    }
}

void writeExif(const std::filesystem::path& folder) {
    for (const bool turned : {false, true}) {
        test::ByteWriter out(turned);
        const bool little = (std::endian::native == std::endian::little) != turned;
        out.append(little ? test::Bytes{'I', 'I'} : test::Bytes{'M', 'M'});
        out.put(std::uint16_t{42}).put(std::uint32_t{8}).put(std::uint16_t{2});
        out.put(std::uint16_t{271}).put(std::uint16_t{2}).put(std::uint32_t{4});
        out.put(std::uint32_t{0x646363});
        out.put(std::uint16_t{274}).put(std::uint16_t{3}).put(std::uint32_t{1});
        out.put(std::uint16_t{6}).put(std::uint16_t{0}).put(std::uint32_t{0});
        test::writeFile(folder / (turned ? "turned" : "plain"), out.bytes);
    }
}

void writeOme(const std::filesystem::path& folder) {
    const std::string begin = "<?xml version=\"1.0\"?><OME xmlns=\"http://www.openmicroscopy.org/"
                              "Schemas/OME/2016-06\" UUID=\"urn:uuid:1\"><Image ID=\"Image:0\" "
                              "Name=\"a&#181;\"><Pixels SizeX=\"5\" SizeY=\"3\" SizeZ=\"2\" "
                              "SizeC=\"2\" SizeT=\"1\" DimensionOrder=\"XYCZT\" "
                              "PhysicalSizeX=\"0.5\" PhysicalSizeXUnit=\"nm\">";
    const std::string end = "</Pixels></Image></OME>";
    test::writeFile(folder / "plain", begin + "<TiffData/>" + end);
    test::writeFile(folder / "blocks", begin +
                                           "<TiffData FirstC=\"1\" IFD=\"0\" PlaneCount=\"2\"/>"
                                           "<TiffData FirstZ=\"1\" IFD=\"3\"/>" +
                                           end);
    test::writeFile(folder / "set", begin +
                                        "<Channel SamplesPerPixel=\"1\"/><!-- > --><TiffData "
                                        "IFD=\"0\"><UUID FileName=\"b.tif\">urn:uuid:2</UUID>"
                                        "</TiffData>" +
                                        end);
    test::writeFile(folder / "only", std::string("<o:OME xmlns:o=\"x\"><o:BinaryOnly "
                                                 "MetadataFile=\"a.companion.ome\"/></o:OME>"));
}

void writeReaderPictures(const std::filesystem::path& folder) {
    const auto write = [&](const char* name, const test::Bytes& bytes) {
        test::writeFile(folder / name, bytes);
    };
    for (const int bits : {1, 4, 8}) {
        test::writeFile(folder / "bmp" / (std::to_string(bits) + ".bmp"),
                        test::makeBmp(bits, bits == 4, 0, test::bmpTable(1 << bits, bits == 1),
                                      test::bmpIndices(bits, bits == 4)));
    }
    write("bmp/16.bmp", test::makeBmp(16, false, 0, {}, varied(36)));
    write("bmp/24.bmp", test::makeBmp(24, false, 0, {}, varied(48)));
    write("bmp/32.bmp", test::makeBmp(32, true, 0, {}, varied(60)));
    write("bmp/runs.bmp", test::makeBmp(8, false, 1, test::bmpTable(256, true),
                                        {5, 7, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 0, 5, 9, 0, 1}));
    write("pnm/text.pgm", test::withHead("P2\n5 3 255\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", {}));
    write("pnm/bits.pbm", test::withHead("P4\n5 3\n", varied(3)));
    write("pnm/grey.pgm", test::withHead("P5\n5 3\n65535\n", varied(30)));
    write("pnm/colour.ppm", test::withHead("P6\n5 3\n255\n", varied(45)));
    write("pnm/any.pam", test::withHead("P7\nWIDTH 5\nHEIGHT 3\nDEPTH 4\nMAXVAL 255\n"
                                        "TUPLTYPE RGB_ALPHA\nENDHDR\n",
                                        varied(60)));
    write("pnm/real.pfm", test::withHead("Pf\n5 3\n-1.0\n", varied(60)));
    write("gif/grey.gif", test::makeGif(1, true, -1, false));
    write("gif/colour.gif", test::makeGif(2, false, 3, true, 2));
    write("webp/colour.webp", test::makeWebP(3));
    write("webp/opacity.webp", test::makeWebP(4));
    for (const int components : {1, 3, 6}) {
        const std::string name = std::to_string(components);
        test::writeJpeg2000(folder / "jp2" / (name + ".jp2"), components, 8, false, true);
        test::writeJpeg2000(folder / "jp2" / (name + ".j2k"), components, 16, false, false);
    }
}

} // namespace flcc::fuzz
