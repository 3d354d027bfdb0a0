#include "tests/engine/io/picture_fixture.h"

#include <stdexcept>

#include <openjpeg.h>
#include <webp/encode.h>

namespace flcc::test {

int pictureValue(int x, int y, int component) { return 40 * y + 7 * x + 11 * component + 1; }

Bytes withHead(const std::string& head, const Bytes& data) {
    Bytes all(head.begin(), head.end());
    all.insert(all.end(), data.begin(), data.end());
    return all;
}

Bytes makeBmp(int bits, bool topDown, std::uint32_t packing, const Bytes& table,
              const Bytes& pixels) {
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

Bytes bmpTable(int colours, bool grey) {
    Bytes bytes;
    for (int i = 0; i < colours; ++i) {
        const auto level = static_cast<std::uint8_t>(i * 255 / (colours - 1));
        const auto other = static_cast<std::uint8_t>(grey ? level : 255 - level);
        bytes.insert(bytes.end(), {level, level, other, 0}); // blue, green, red
    }
    return bytes;
}

Bytes bmpIndices(int bits, bool topDown) {
    Bytes bytes;
    for (int row = 0; row < 3; ++row) {
        const int y = topDown ? row : 2 - row;
        Bytes line(static_cast<std::size_t>((5 * bits + 31) / 32 * 4));
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
static Bytes gifCodes(const Bytes& indices) {
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

Bytes makeGif(int pictures, bool grey, int transparent, bool interlaced, int left) {
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
                values.push_back(static_cast<std::uint8_t>(pictureValue(x, y) + picture));
            }
        }
        out.append(gifCodes(values));
    }
    return out.append({0x3b}).bytes;
}

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
            const int value = pictureValue(i % 5, i / 5, c);
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
    if (opj_start_compress(codec, image, stream) == 0 || opj_encode(codec, stream) == 0 ||
        opj_end_compress(codec, stream) == 0) {
        throw std::runtime_error("OpenJPEG packs nothing");
    }
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

Bytes makeWebP(int components) {
    Bytes pixels;
    for (int i = 0; i < 15; ++i) {
        for (int c = 0; c < components; ++c) {
            pixels.push_back(
                static_cast<std::uint8_t>(c == 3 ? 200 + i : pictureValue(i % 5, i / 5, c)));
        }
    }
    std::uint8_t* out = nullptr;
    const std::size_t size = components == 4 ? WebPEncodeLosslessRGBA(pixels.data(), 5, 3, 20, &out)
                                             : WebPEncodeLosslessRGB(pixels.data(), 5, 3, 15, &out);
    Bytes bytes(out, out + size);
    WebPFree(out);
    return bytes;
}

} // namespace flcc::test
