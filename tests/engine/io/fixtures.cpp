#include "tests/engine/io/fixtures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>

#include <cstdio>

#include <jpeglib.h>
#include <zlib.h>

namespace flcc::test {

Bytes readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void writeFile(const std::filesystem::path& path, const Bytes& bytes) {
    // A new file each time: some file systems flush one that is cut to nothing and written again.
    std::filesystem::remove(path);
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void writeFile(const std::filesystem::path& path, const std::string& text) {
    writeFile(path, Bytes(text.begin(), text.end()));
}

std::optional<base::Error> errorOf(const std::function<void()>& call) {
    try {
        call();
    } catch (const base::Error& error) {
        return error;
    }
    return std::nullopt;
}

base::AnyImage patternImage(base::PixelType type, const base::Extents& extents) {
    base::AnyImage result = base::makeImage(type, extents);
    std::visit(
        [](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            std::uint64_t state = 1;
            for (std::int64_t i = 0; i < image.count(); ++i) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                if constexpr (std::is_integral_v<Voxel>) {
                    image.data()[i] = static_cast<Voxel>(state >> (64 - 8 * sizeof(Voxel)));
                } else {
                    image.data()[i] = static_cast<Voxel>(
                        (static_cast<double>(state >> 11) / 4503599627370496.0 - 1) * 1e6);
                }
            }
            image.data()[0] = std::numeric_limits<Voxel>::lowest();
            image.data()[image.count() - 1] = std::numeric_limits<Voxel>::max();
        },
        result);
    return result;
}

Bytes voxelBytes(const base::AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            const auto* first = reinterpret_cast<const unsigned char*>(typed.data());
            return Bytes(first,
                         first + typed.count() * static_cast<std::int64_t>(sizeof(*typed.data())));
        },
        image);
}

bool sameBits(const base::AnyImage& a, const base::AnyImage& b) {
    return a.index() == b.index() && base::extentsOf(a) == base::extentsOf(b) &&
           voxelBytes(a) == voxelBytes(b);
}

Bytes swapped(Bytes bytes, std::size_t width) {
    for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(width)) {
        std::reverse(at, at + static_cast<std::ptrdiff_t>(width));
    }
    return bytes;
}

namespace {

/// One entry of a directory: classic or big.
void putEntry(ByteWriter& out, bool big, std::uint16_t tag, std::uint16_t type, std::uint64_t count,
              std::uint64_t value) {
    out.put(tag).put(type);
    if (big) {
        out.put(count);
    } else {
        out.put(static_cast<std::uint32_t>(count));
    }
    const std::size_t room = out.bytes.size() + (big ? 8 : 4);
    if (type == 3 && count == 1) {
        out.put(static_cast<std::uint16_t>(value));
    } else if (type == 4 || !big) {
        out.put(static_cast<std::uint32_t>(value));
    } else {
        out.put(value);
    }
    out.padTo(room);
}

} // namespace

Bytes makeTiff(const TiffRecipe& recipe) {
    constexpr std::uint16_t kAscii = 2;
    constexpr std::uint16_t kShort = 3;
    constexpr std::uint16_t kLong = 4;
    constexpr std::uint16_t kRational = 5;
    const bool big = recipe.big;
    const bool little = (std::endian::native == std::endian::little) != recipe.turned;
    ByteWriter out(recipe.turned);
    out.append(little ? Bytes{'I', 'I'} : Bytes{'M', 'M'});
    out.put(static_cast<std::uint16_t>(big ? 43 : 42));
    const std::uint64_t head = big ? 16 : 8;
    // Texts and numbers first, then the pixels, then the directories.
    std::uint64_t at = head;
    const std::uint64_t textAt = at;
    at += recipe.description.size() + 1;
    const std::uint64_t resolutionAt = at;
    at += 8;
    const std::uint64_t bitsAt = at;
    at += std::uint64_t{2} * recipe.samples;
    const std::uint64_t paletteAt = at;
    at += recipe.palette.size();
    std::vector<std::uint64_t> tagAt;
    for (const TiffTag& tag : recipe.tags) {
        tagAt.push_back(at);
        at += tag.bytes.size();
    }
    std::vector<std::uint64_t> pageAt;
    for (const Bytes& page : recipe.pages) {
        pageAt.push_back(at);
        at += page.size();
    }
    if (big) {
        out.put(std::uint16_t{8}).put(std::uint16_t{0}).put(at);
    } else {
        out.put(static_cast<std::uint32_t>(at));
    }
    out.append(Bytes(recipe.description.begin(), recipe.description.end()));
    out.append({0});
    out.put(recipe.pixelsPer1000).put(std::uint32_t{1000});
    for (int sample = 0; sample < recipe.samples; ++sample) {
        out.put(recipe.bits);
    }
    out.append(recipe.turned ? swapped(recipe.palette, 2) : recipe.palette);
    for (const TiffTag& tag : recipe.tags) {
        out.append(tag.bytes);
    }
    for (const Bytes& page : recipe.pages) {
        const std::size_t width = recipe.bits / 8U;
        out.append(recipe.turned && width > 1 ? swapped(page, width) : page);
    }
    for (std::size_t i = 0; i < recipe.pages.size(); ++i) {
        const bool first = i == 0;
        TiffRecipe::Page page{recipe.width, recipe.height, {}};
        if (i < recipe.ofPage.size()) {
            page = recipe.ofPage[i];
        }
        struct Entry {
            std::uint16_t tag;
            std::uint16_t type;
            std::uint64_t count;
            std::uint64_t value;
        };
        // A list of shorts lies in the entry if it fits.
        const bool bitsInside = recipe.samples <= (big ? 4 : 2);
        const std::uint64_t bits = recipe.bits * (big ? 0x1000100010001U : 0x10001U);
        std::vector<Entry> entries{
            {256, kLong, 1, page.width},
            {257, kLong, 1, page.height},
            {258, kShort, recipe.samples, bitsInside ? bits : bitsAt},
            {259, kShort, 1, 1},
            {262, kShort, 1, recipe.photometric},
            {273, static_cast<std::uint16_t>(big ? 16 : kLong), 1, pageAt[i]},
            {277, kShort, 1, recipe.samples},
            {278, kLong, 1, page.height},
            {279, kLong, 1, recipe.pages[i].size()},
            {339, kShort, 1, recipe.sampleFormat}};
        if (first && !recipe.description.empty()) {
            entries.push_back({270, kAscii, recipe.description.size() + 1, textAt});
        }
        if (recipe.pixelsPer1000 > 0) {
            entries.push_back({282, kRational, 1, resolutionAt});
            entries.push_back({283, kRational, 1, resolutionAt});
        }
        if (!recipe.palette.empty()) {
            entries.push_back({320, kShort, recipe.palette.size() / 2, paletteAt});
        }
        for (std::size_t k = 0; k < recipe.tags.size(); ++k) {
            const TiffTag& tag = recipe.tags[k];
            entries.push_back(
                {tag.tag, tag.type, tag.count, tag.bytes.empty() ? tag.value : tagAt[k]});
        }
        for (const TiffTag& tag : page.tags) {
            entries.push_back({tag.tag, tag.type, 1, tag.value});
        }
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return a.tag < b.tag; });
        const std::uint64_t start = out.bytes.size();
        if (big) {
            out.put(std::uint64_t{entries.size()});
        } else {
            out.put(static_cast<std::uint16_t>(entries.size()));
        }
        const std::uint64_t size =
            big ? 8U + 20U * entries.size() + 8U : 2U + 12U * entries.size() + 4U;
        for (const Entry& entry : entries) {
            putEntry(out, big, entry.tag, entry.type, entry.count, entry.value);
        }
        const std::uint64_t next = i + 1 < recipe.pages.size() ? start + size : 0;
        if (big) {
            out.put(next);
        } else {
            out.put(static_cast<std::uint32_t>(next));
        }
    }
    return out.bytes;
}

TiffRecipe numberedTiff(int count, std::uint32_t width, std::uint32_t height, int first) {
    TiffRecipe recipe;
    recipe.width = width;
    recipe.height = height;
    for (int page = first; page < first + count; ++page) {
        recipe.pages.emplace_back(std::size_t{width} * height, static_cast<unsigned char>(page));
    }
    return recipe;
}

Bytes makeMrc(int mode, const base::Extents& extents, const base::Point& lengths,
              const Bytes& voxels, bool turned) {
    ByteWriter out(turned);
    for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
        out.put(static_cast<std::int32_t>(length));
    }
    out.put(std::int32_t{mode});
    out.put(0).put(0).put(0);
    for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
        out.put(static_cast<std::int32_t>(length));
    }
    for (const double length : lengths) {
        out.put(static_cast<float>(length));
    }
    out.put(90.0F).put(90.0F).put(90.0F);
    out.put(1).put(2).put(3);
    out.padTo(208);
    out.append({'M', 'A', 'P', ' '});
    const bool little = (std::endian::native == std::endian::little) != turned;
    out.append(little ? Bytes{0x44, 0x44, 0, 0} : Bytes{0x11, 0x11, 0, 0});
    out.padTo(1024);
    const std::size_t width = mode == 0 ? 1 : mode == 2 ? 4 : 2;
    out.append(turned ? swapped(voxels, width) : voxels);
    return out.bytes;
}

namespace {

/// Puts numbers of the header's version: `Real` is float or double.
template <class Length, class Code, class Real> Bytes niftiHeader(const NiftiRecipe& recipe) {
    constexpr bool kSecond = sizeof(Real) == 8;
    ByteWriter out(recipe.turned);
    const auto lengths = [&] {
        out.put(static_cast<Length>(recipe.sizes.size()));
        for (std::size_t axis = 0; axis < 7; ++axis) {
            out.put(static_cast<Length>(axis < recipe.sizes.size() ? recipe.sizes[axis] : 1));
        }
    };
    const auto spacings = [&] {
        out.put(static_cast<Real>(recipe.handedness));
        for (std::size_t axis = 0; axis < 7; ++axis) {
            out.put(static_cast<Real>(axis < recipe.spacing.size() ? recipe.spacing[axis] : 1));
        }
    };
    out.put(std::int32_t{kSecond ? 540 : 348});
    if constexpr (kSecond) {
        out.append({'n', '+', '2', 0, '\r', '\n', 26, '\n'});
        out.put(recipe.type).put(recipe.bits);
        lengths();
        out.padTo(104);
        spacings();
        out.put(std::int64_t{544}).put(Real{recipe.slope}).put(Real{0});
        out.padTo(240);
        out.append({'d', 'e', 's', 'c', 'r'});
        out.padTo(344);
    } else {
        out.padTo(40);
        lengths();
        out.padTo(68);
        out.put(static_cast<Code>(recipe.intent)).put(recipe.type).put(recipe.bits);
        out.padTo(76);
        spacings();
        out.put(352.0F).put(recipe.slope).put(0.0F);
        out.padTo(123);
        out.put(recipe.units);
        out.padTo(148);
        out.append({'d', 'e', 's', 'c', 'r'});
        out.padTo(252);
    }
    out.put(static_cast<Code>(recipe.qform)).put(static_cast<Code>(recipe.sform));
    for (const double part : recipe.quaternion) {
        out.put(static_cast<Real>(part));
    }
    for (const double part : recipe.offset) {
        out.put(static_cast<Real>(part));
    }
    for (const double part : recipe.matrix) {
        out.put(static_cast<Real>(part));
    }
    if constexpr (kSecond) {
        out.padTo(500);
        out.put(std::int32_t{recipe.units}).put(std::int32_t{recipe.intent});
        out.padTo(544);
    } else {
        out.padTo(344);
        out.append({'n', '+', '1', 0});
        out.padTo(352);
    }
    return out.bytes;
}

} // namespace

Bytes makeNifti(const NiftiRecipe& recipe) {
    Bytes file = recipe.second ? niftiHeader<std::int64_t, std::int32_t, double>(recipe)
                               : niftiHeader<std::int16_t, std::int16_t, float>(recipe);
    const std::size_t width = recipe.bits == 24 ? 1 : static_cast<std::size_t>(recipe.bits) / 8;
    const Bytes voxels = recipe.turned && width > 1 ? swapped(recipe.voxels, width) : recipe.voxels;
    file.insert(file.end(), voxels.begin(), voxels.end());
    return file;
}

Matrix rotation(const std::array<double, 3>& axis, double angle) {
    Matrix turn{};
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            turn[i][j] = axis[i] * axis[j] * (1 - c) + (i == j ? c : 0);
        }
    }
    turn[0][1] -= s * axis[2];
    turn[0][2] += s * axis[1];
    turn[1][0] += s * axis[2];
    turn[1][2] -= s * axis[0];
    turn[2][0] -= s * axis[1];
    turn[2][1] += s * axis[0];
    return turn;
}

Bytes makeJpeg(unsigned width, unsigned height, int components, bool progressive,
               const Bytes& pixels) {
    jpeg_compress_struct state{};
    jpeg_error_mgr errors{};
    state.err = ::jpeg_std_error(&errors);
    ::jpeg_create_compress(&state);
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    ::jpeg_mem_dest(&state, &memory, &size);
    state.image_width = width;
    state.image_height = height;
    state.input_components = components;
    state.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
    ::jpeg_set_defaults(&state);
    ::jpeg_set_quality(&state, 100, TRUE);
    if (progressive) {
        ::jpeg_simple_progression(&state);
    }
    ::jpeg_start_compress(&state, TRUE);
    for (unsigned y = 0; y < height; ++y) {
        auto* row = const_cast<unsigned char*>(pixels.data()) +
                    std::size_t{y} * width * static_cast<unsigned>(components);
        (void)::jpeg_write_scanlines(&state, &row, 1);
    }
    ::jpeg_finish_compress(&state);
    Bytes file(memory, memory + size);
    ::jpeg_destroy_compress(&state);
    std::free(memory);
    return file;
}

namespace {

Bytes packed(const Bytes& bytes, int windowBits) {
    z_stream stream{};
    (void)deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    Bytes out(deflateBound(&stream, bytes.size()));
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    (void)::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    (void)::deflateEnd(&stream);
    return out;
}

} // namespace

Bytes joined(const std::string& header, const Bytes& data) {
    Bytes file(header.begin(), header.end());
    file.insert(file.end(), data.begin(), data.end());
    return file;
}

Bytes gzip(const Bytes& bytes) { return packed(bytes, 15 + 16); }
Bytes deflated(const Bytes& bytes) { return packed(bytes, 15); }

} // namespace flcc::test
