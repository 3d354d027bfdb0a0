// HDF5 files with one contiguous dataset. Format: "HDF5 File Format Specification Version 3.0",
// superblock 0, version 1 object headers, a link message in the root group. Every reader of HDF5
// 1.8 (2008) or newer knows these.

#include <array>
#include <bit>

#include "engine/io/format/backends.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

constexpr std::uint64_t kUndefined = ~std::uint64_t{0};
constexpr std::size_t kSuperblockBytes = 96;
constexpr const char* kDatasetName = "image";

// Types of messages.
constexpr std::uint16_t kDataspace = 0x1;
constexpr std::uint16_t kLinkInfo = 0x2;
constexpr std::uint16_t kDatatype = 0x3;
constexpr std::uint16_t kFillValue = 0x5;
constexpr std::uint16_t kLink = 0x6;
constexpr std::uint16_t kLayout = 0x8;
constexpr std::uint16_t kGroupInfo = 0xa;
constexpr std::uint16_t kAttribute = 0xc;

/// Bytes that grow by numbers, least significant byte first.
class Block {
  public:
    template <class T> Block& put(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            m_bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
        }
        return *this;
    }
    Block& bytes(std::initializer_list<int> values) {
        for (const int value : values) {
            m_bytes += static_cast<char>(value);
        }
        return *this;
    }
    Block& text(std::string_view text) {
        m_bytes += text;
        return *this;
    }
    /// Zeros up to a multiple of eight bytes.
    Block& padded() {
        m_bytes.resize((m_bytes.size() + 7) / 8 * 8, '\0');
        return *this;
    }
    [[nodiscard]] const std::string& all() const { return m_bytes; }

  private:
    std::string m_bytes;
};

/// Messages of one object.
class Messages {
  public:
    void add(std::uint16_t type, Block data) {
        data.padded();
        m_block.put(type)
            .put(static_cast<std::uint16_t>(data.all().size()))
            .bytes({0, 0, 0, 0})
            .text(data.all());
        ++m_count;
    }
    [[nodiscard]] std::string object() const {
        return Block()
            .bytes({1, 0})
            .put(m_count)
            .put(std::uint32_t{1})
            .put(static_cast<std::uint32_t>(m_block.all().size()))
            .padded()
            .text(m_block.all())
            .all();
    }

  private:
    Block m_block;
    std::uint16_t m_count = 0;
};

Block dataspace(const std::vector<std::uint64_t>& lengths) {
    Block block;
    block.bytes({1, static_cast<int>(lengths.size()), 0, 0, 0, 0, 0, 0});
    for (const std::uint64_t length : lengths) {
        block.put(length);
    }
    return block;
}

constexpr int kBigEndian = std::endian::native == std::endian::big ? 1 : 0;

Block datatype(base::PixelType type) {
    const auto bytes = static_cast<std::uint32_t>(base::bytesPerVoxel(type));
    const auto bits = static_cast<std::uint16_t>(8 * bytes);
    Block block;
    if (base::isInteger(type)) {
        constexpr int kSigned = 8;
        const bool isSigned = base::name(type).front() == 'i';
        block.bytes({0x10, kBigEndian | (isSigned ? kSigned : 0), 0, 0});
        return block.put(bytes).put(std::uint16_t{0}).put(bits);
    }
    const bool single = type == base::PixelType::Float32;
    // IEEE 754: sign above exponent above mantissa, whose highest bit is implied.
    constexpr int kImplied = 0x20;
    block.bytes({0x11, kBigEndian | kImplied, bits - 1, 0});
    block.put(bytes).put(std::uint16_t{0}).put(bits);
    const int mantissa = single ? 23 : 52;
    block.bytes({mantissa, single ? 8 : 11, 0, mantissa});
    return block.put(std::uint32_t{single ? 127U : 1023U});
}

Block attribute(const std::string& name, Block type, Block space, const std::string& value) {
    Block block;
    block.bytes({1, 0})
        .put(static_cast<std::uint16_t>(name.size() + 1))
        .put(static_cast<std::uint16_t>(type.all().size()))
        .put(static_cast<std::uint16_t>(space.all().size()));
    block.text(name).bytes({0}).padded();
    block.text(type.padded().all()).text(space.padded().all()).text(value);
    return block;
}

Block textAttribute(const std::string& name, const std::string& value) {
    constexpr int kString = 0x13;
    Block type;
    type.bytes({kString, 0, 0, 0}).put(static_cast<std::uint32_t>(value.size() + 1));
    return attribute(name, std::move(type), dataspace({}), value + '\0');
}

/// Names of the axes as vigra and ilastik write them.
std::string tagsOf(const std::vector<char>& axes) {
    constexpr int kSpace = 2;
    constexpr int kTime = 8;
    std::string text;
    for (const char axis : axes) {
        text += text.empty() ? "" : ", ";
        text += std::string("{\"key\": \"") + axis +
                "\", \"typeFlags\": " + std::to_string(axis == 't' ? kTime : kSpace) +
                ", \"resolution\": 0, \"description\": \"\"}";
    }
    return "{\"axes\": [" + text + "]}";
}

/// Of x, y and z in micrometres, z first.
std::string sizesOf(const base::Geometry& geometry) {
    const double factor = unitLength(geometry.unit) / unitLength("um");
    Block sizes;
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        const double size = geometry.spacing[axis] * factor;
        const auto raw = std::bit_cast<std::array<char, sizeof(double)>>(size);
        sizes.text({raw.data(), raw.size()});
    }
    return sizes.all();
}

std::string superblock(std::uint64_t rootAt, std::uint64_t fileBytes) {
    Block block;
    block.text("\x89HDF\r\n\x1a\n").bytes({0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0});
    block.put(std::uint64_t{0}).put(kUndefined).put(fileBytes).put(kUndefined);
    block.put(std::uint64_t{0}).put(rootAt).put(std::uint64_t{0}).put(std::uint64_t{0});
    return block.put(std::uint64_t{0}).all();
}

std::string rootGroup(std::uint64_t datasetAt) {
    const std::string name = kDatasetName;
    Messages messages;
    messages.add(kLinkInfo, Block().bytes({0, 0}).put(kUndefined).put(kUndefined));
    messages.add(kGroupInfo, Block().bytes({0, 0}));
    messages.add(kLink,
                 Block().bytes({1, 0, static_cast<int>(name.size())}).text(name).put(datasetAt));
    return messages.object();
}

} // namespace

std::string hdf5Header(base::PixelType type, const base::Extents& extents, std::int64_t members,
                       const base::Geometry& geometry) {
    std::vector<char> axes;
    std::vector<std::uint64_t> lengths;
    const auto add = [&](char name, std::int64_t length) {
        axes.push_back(name);
        lengths.push_back(static_cast<std::uint64_t>(length));
    };
    if (members > 0) {
        add('t', members);
    }
    if (!base::isFlat2D(extents)) {
        add('z', extents.z);
    }
    add('y', extents.y);
    add('x', extents.x);
    std::uint64_t bytes = static_cast<std::uint64_t>(base::bytesPerVoxel(type));
    for (const std::uint64_t length : lengths) {
        bytes *= length;
    }
    const auto dataset = [&](std::uint64_t voxelsAt) {
        Messages messages;
        messages.add(kDataspace, dataspace(lengths));
        messages.add(kDatatype, datatype(type));
        messages.add(kFillValue, Block().bytes({2, 2, 2, 0}));
        messages.add(kLayout, Block().bytes({3, 1}).put(voxelsAt).put(bytes));
        messages.add(kAttribute, textAttribute("axistags", tagsOf(axes)));
        if (!geometry.unit.empty() && geometry.unit != "px") {
            messages.add(kAttribute,
                         attribute("element_size_um", datatype(base::PixelType::Float64),
                                   dataspace({3}), sizesOf(geometry)));
        }
        return messages.object();
    };
    const std::uint64_t datasetAt = kSuperblockBytes + rootGroup(0).size();
    const std::uint64_t voxelsAt = datasetAt + dataset(0).size();
    return superblock(kSuperblockBytes, voxelsAt + bytes) + rootGroup(datasetAt) +
           dataset(voxelsAt);
}

} // namespace flcc::io::detail
