// JPEG 2000 through OpenJPEG.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include <openjpeg.h>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

template <class Thing> using Owned = std::unique_ptr<Thing, void (*)(Thing*)>;

/// What is done with a file in one go.
struct Decoding {
    Owned<opj_stream_t> stream{nullptr, [](opj_stream_t* it) { opj_stream_destroy(it); }};
    Owned<opj_codec_t> codec{nullptr, [](opj_codec_t* it) { opj_destroy_codec(it); }};
    Owned<opj_image_t> image{nullptr, opj_image_destroy};
    std::string complaints; ///< of the library: errors, and warnings that pixels are missing
};

/// The library goes on where packed pixels are missing or damaged and warns only.
void keepWarning(const char* message, void* complaints) {
    const std::string_view text(message);
    for (const std::string_view word :
         {"truncated", "not enough", "missing", "premature", "too small", "expected", "corrupt",
          "incomplete", "invalid", "stream too short", "Failed", "skip"}) {
        if (text.find(word) != std::string_view::npos) {
            *static_cast<std::string*>(complaints) += text;
            return;
        }
    }
}
void keepError(const char* message, void* complaints) {
    *static_cast<std::string*>(complaints) += message;
}

/// The first bytes, with the boxes of a .jp2 file before its pixels.
std::string beginOf(const std::filesystem::path& path) {
    std::string bytes(1 << 16, '\0');
    std::ifstream stream = base::openFile(path);
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    return bytes;
}

void openPicture(Decoding& decoding, const std::filesystem::path& path, bool boxes) {
    decoding.stream.reset(opj_stream_create_default_file_stream(path.c_str(), OPJ_TRUE));
    decoding.codec.reset(opj_create_decompress(boxes ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K));
    if (!decoding.stream || !decoding.codec) {
        refuse("the file cannot be opened");
    }
    opj_set_error_handler(decoding.codec.get(), keepError, &decoding.complaints);
    opj_set_warning_handler(decoding.codec.get(), keepWarning, &decoding.complaints);
    opj_dparameters_t parameters{};
    opj_set_default_decoder_parameters(&parameters);
    opj_image_t* image = nullptr;
    const bool good = opj_setup_decoder(decoding.codec.get(), &parameters) != 0 &&
                      opj_decoder_set_strict_mode(decoding.codec.get(), OPJ_TRUE) != 0 &&
                      opj_read_header(decoding.stream.get(), decoding.codec.get(), &image) != 0;
    decoding.image.reset(image);
    if (!good || image == nullptr || image->numcomps < 1 || image->comps == nullptr) {
        refuse("the header of the JPEG 2000 file is truncated or damaged");
    }
}

void decode(Decoding& decoding) {
    decoding.complaints.clear();
    if (opj_decode(decoding.codec.get(), decoding.stream.get(), decoding.image.get()) == 0 ||
        opj_end_decompress(decoding.codec.get(), decoding.stream.get()) == 0 ||
        !decoding.complaints.empty()) {
        refuse("the pixels of the JPEG 2000 file are truncated or damaged");
    }
}

/// Checks that the components are of one size and type, and says what picture they are.
FoundImage describe(const opj_image_t& image) {
    constexpr OPJ_UINT32 kMostBits = 16;
    const opj_image_comp_t& first = image.comps[0];
    for (OPJ_UINT32 i = 0; i < image.numcomps; ++i) {
        const opj_image_comp_t& each = image.comps[i];
        if (each.w != first.w || each.h != first.h || each.dx != first.dx || each.dy != first.dy) {
            refuse("its components differ in size (" + std::to_string(first.w) + "x" +
                   std::to_string(first.h) + " and " + std::to_string(each.w) + "x" +
                   std::to_string(each.h) +
                   "), which cannot be read; store it without subsampled "
                   "colour");
        }
        if (each.prec != first.prec || each.sgnd != first.sgnd) {
            refuse("its components differ in type (" + std::to_string(first.prec) + " and " +
                   std::to_string(each.prec) +
                   " bits), which cannot be read; store them in files "
                   "of their own");
        }
    }
    if (first.prec > kMostBits) {
        refuse("its values have " + std::to_string(first.prec) +
               " bits; JPEG 2000 of up to 16 bits can be read");
    }
    if (image.color_space == OPJ_CLRSPC_CMYK || image.color_space == OPJ_CLRSPC_EYCC) {
        refuse("its colours are CMYK or e-sYCC, which cannot be read; store it as RGB");
    }
    FoundImage found;
    found.extents = {first.w, first.h, 1};
    found.pixel = first.sgnd != 0  ? first.prec > 8 ? base::PixelType::Int16 : base::PixelType::Int8
                  : first.prec > 8 ? base::PixelType::UInt16
                                   : base::PixelType::UInt8;
    if (image.numcomps <= 4) {
        found.components = static_cast<int>(image.numcomps);
    } else {
        found.channels = static_cast<int>(std::min<OPJ_UINT32>(image.numcomps, 1 << 20));
    }
    if (first.prec != 8 && first.prec != 16) {
        found.notes.push_back("its values have " + std::to_string(first.prec) + " bits");
    }
    return found;
}

/// Red, green and blue of luminance and differences, in place.
void toColour(const opj_image_t& image) {
    const double half = std::ldexp(1.0, static_cast<int>(image.comps[0].prec) - 1);
    const double most = 2 * half - 1;
    const auto bounded = [&](double value) {
        return static_cast<OPJ_INT32>(std::clamp(std::floor(value + 0.5), 0.0, most));
    };
    const std::int64_t count = std::int64_t{image.comps[0].w} * image.comps[0].h;
    for (std::int64_t i = 0; i < count; ++i) {
        const double y = image.comps[0].data[i];
        const double blue = image.comps[1].data[i] - half;
        const double red = image.comps[2].data[i] - half;
        image.comps[0].data[i] = bounded(y + 1.402 * red);
        image.comps[1].data[i] = bounded(y - 0.344136 * blue - 0.714136 * red);
        image.comps[2].data[i] = bounded(y + 1.772 * blue);
    }
}

void send(const opj_image_t& image, const FoundImage& found, int channel, ReaderAnswer& answer) {
    const auto components = static_cast<std::int64_t>(found.components);
    const std::int64_t first = found.channels > 1 ? channel : 0;
    base::AnyImage row = base::makeImage(found.pixel, {found.extents.x * components, 1, 1});
    for (std::int64_t y = 0; y < found.extents.y; ++y) {
        std::visit(
            [&](auto& values) {
                using Value = std::decay_t<decltype(*values.data())>;
                for (std::int64_t c = 0; c < components; ++c) {
                    const OPJ_INT32* from = image.comps[first + c].data + y * found.extents.x;
                    for (std::int64_t x = 0; x < found.extents.x; ++x) {
                        values.data()[x * components + c] = static_cast<Value>(from[x]);
                    }
                }
                answer.voxels(values.data(),
                              values.count() * static_cast<std::int64_t>(sizeof(Value)));
            },
            row);
    }
}

} // namespace

void answerJpeg2000(const Request& request, ReaderAnswer& answer) {
    const std::string begin = beginOf(request.path);
    const bool boxes = !begin.starts_with("\xff\x4f");
    const std::size_t pixels = begin.find("jp2c");
    const std::size_t table = begin.find("pclr");
    // What is an index in the header becomes a colour when it is decoded.
    const bool indexed =
        boxes && table != std::string::npos && (pixels == std::string::npos || table < pixels);
    Decoding decoding;
    openPicture(decoding, request.path, boxes);
    if (indexed) {
        decode(decoding);
    }
    const FoundImage found = describe(*decoding.image);
    const bool sends = request.picks(found);
    answer.header(found, sends);
    if (!sends) {
        return;
    }
    if (!indexed) {
        decode(decoding);
    }
    const FoundImage decoded = describe(*decoding.image);
    if (decoded.extents != found.extents || decoded.pixel != found.pixel ||
        decoded.components != found.components || decoded.channels != found.channels) {
        refuse("the header of the JPEG 2000 file contradicts its pixels");
    }
    for (OPJ_UINT32 i = 0; i < decoding.image->numcomps; ++i) {
        if (decoding.image->comps[i].data == nullptr) {
            refuse("the pixels of the JPEG 2000 file are truncated or damaged");
        }
    }
    if (decoding.image->color_space == OPJ_CLRSPC_SYCC && found.components >= 3) {
        toColour(*decoding.image);
    }
    send(*decoding.image, found, std::max(request.channel, 0), answer);
}

} // namespace flcc::io::detail
