// Reads the voxels of HDF5 datasets block by block, whatever the order of their axes.

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <lzf.h>

#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

constexpr H5Z_filter_t kLzf = 32000;

/// The name of a filter that this machine lacks and that a chunk of the dataset may need; empty if
/// there is none.
std::string missingFilter(hid_t dataset) {
    struct Known {
        H5Z_filter_t id;
        const char* name;
    };
    constexpr std::array<Known, 11> kKnown{{{4, "szip"},
                                            {307, "bzip2"},
                                            {32001, "Blosc"},
                                            {32004, "LZ4"},
                                            {32008, "bitshuffle"},
                                            {32013, "ZFP"},
                                            {32015, "Zstandard"},
                                            {32016, "FPZIP"},
                                            {32017, "SZ"},
                                            {32026, "Blosc2"},
                                            {32028, "JPEG"}}};
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    const int filters = creation.valid() ? H5Pget_nfilters(creation.id()) : 0;
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0;
        unsigned config = 0;
        std::size_t values = 0;
        std::array<char, 64> name{};
        const H5Z_filter_t id =
            H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &values, nullptr,
                           name.size() - 1, name.data(), &config);
        if (id < 0 || H5Zfilter_avail(id) > 0) {
            continue;
        }
        const auto* const known = std::find_if(kKnown.begin(), kKnown.end(),
                                               [&](const Known& each) { return each.id == id; });
        const std::string title = known != kKnown.end() ? known->name
                                  : name[0] != '\0'     ? name.data()
                                                        : "without a name";
        return title + " (number " + std::to_string(id) + ")";
    }
    return {};
}

/// Says why the library could not read voxels. **Errors**: std::bad_alloc if memory was the reason.
[[noreturn]] void failVoxels(hid_t dataset) {
    const auto visit = [](unsigned, const H5E_error2_t* error, void* noMemory) -> herr_t {
        if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) {
            *static_cast<bool*>(noMemory) = true;
        }
        return 0;
    };
    bool noMemory = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &noMemory);
    const std::string filter = missingFilter(dataset);
    if (!filter.empty()) {
        refuseHdf5("its voxels are packed by the filter " + filter +
                   ", which this machine lacks; store them again with gzip, for example by "
                   "h5repack -f GZIP=4 where that filter is installed");
    }
    if (noMemory) {
        throw std::bad_alloc();
    }
    refuseHdf5("its voxels are damaged");
}

/// The length of the chunks along an axis; 1 if the dataset has no chunks.
std::int64_t chunkAlong(hid_t dataset, std::size_t rank, std::size_t axis) {
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (!creation.valid() || H5Pget_layout(creation.id()) != H5D_CHUNKED) {
        return 1;
    }
    std::vector<hsize_t> chunk(rank);
    H5Pget_chunk(creation.id(), static_cast<int>(rank), chunk.data());
    return static_cast<std::int64_t>(std::min<hsize_t>(chunk[axis], std::int64_t{1} << 40));
}

/// Number of slices that are read at once: those of a chunk, so that each chunk is unpacked once.
/// More of them where slices are not the slowest axis: reading one then visits most of the file.
std::int64_t slicesAtOnce(const Hdf5Place& place, const Hdf5Image& image, std::size_t rank) {
    const base::Extents& n = image.found.extents;
    const bool inOrder = place.axes[2] < place.axes[1] && place.axes[1] < place.axes[0];
    const std::int64_t block = std::int64_t{1} << (inOrder ? 24 : 28);
    const std::int64_t plane =
        base::byteCount({n.x, n.y, 1}, base::bytesPerVoxel(image.found.pixel));
    std::int64_t slices = std::max<std::int64_t>(1, block / plane);
    if (place.axes[2] >= 0) {
        const std::int64_t depth = std::min(
            n.z, chunkAlong(place.dataset.id(), rank, static_cast<std::size_t>(place.axes[2])));
        slices = std::max<std::int64_t>(1, slices / depth) * depth;
    }
    return std::min(slices, n.z);
}

/// Copies the voxels of a block, whose axes lie `steps` voxels apart, into x, y, z order.
template <class Voxel>
void transpose(const Voxel* from, const std::array<std::int64_t, 3>& steps,
               const base::Extents& extents, Voxel* to) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const Voxel* row = from + z * steps[2] + y * steps[1];
            for (std::int64_t x = 0; x < extents.x; ++x) {
                *to++ = row[x * steps[0]];
            }
        }
    }
}

/// Sends stored numbers as values. `to` has space for them.
template <class Number>
void sendScaled(const Number* from, std::int64_t count, const Hdf5Image& image, base::AnyImage& to,
                ReaderAnswer& answer) {
    std::visit(
        [&](auto& values) {
            using Value = std::decay_t<decltype(*values.data())>;
            std::transform(from, from + count, values.data(), [&](Number number) {
                return static_cast<Value>(static_cast<double>(number) * image.slope +
                                          image.intercept);
            });
            answer.voxels(values.data(), count * static_cast<std::int64_t>(sizeof(Value)));
        },
        to);
}

/// Unpacks a chunk of h5py's filter LZF; the third parameter of the filter is the chunk's length.
std::size_t unpackLzf(unsigned flags, std::size_t count, const unsigned* values, std::size_t bytes,
                      std::size_t* length, void** buffer) {
    constexpr std::size_t kMost = std::size_t{1} << 32;
    if ((flags & H5Z_FLAG_REVERSE) == 0 || count < 3 || values[2] == 0 || bytes > kMost) {
        return 0; // nothing is packed here
    }
    const std::size_t unpacked = values[2];
    void* const out = H5allocate_memory(unpacked, false);
    if (out == nullptr) {
        return 0;
    }
    if (lzf_decompress(*buffer, static_cast<unsigned>(bytes), out,
                       static_cast<unsigned>(unpacked)) != unpacked) {
        H5free_memory(out);
        return 0;
    }
    H5free_memory(*buffer);
    *buffer = out;
    *length = unpacked;
    return unpacked;
}

} // namespace

void registerLzf() {
    static const H5Z_class2_t kFilter{H5Z_CLASS_T_VERS, kLzf,    0,        1, "lzf",
                                      nullptr,          nullptr, unpackLzf};
    H5Zregister(&kFilter);
}

void sendHdf5(const Hdf5Place& place, const Hdf5Image& image, ReaderAnswer& answer) {
    const hid_t dataset = place.dataset.id();
    const std::size_t rank = place.corner.size();
    const base::Extents& n = image.found.extents;
    const std::array<std::int64_t, 3> extents{n.x, n.y, n.z};
    const std::int64_t step = slicesAtOnce(place, image, rank);
    const std::int64_t width = n.x * image.found.components;
    base::AnyImage block = base::makeImage(image.type.pixel, {width, n.y, step});
    const bool inOrder = place.axes[2] < place.axes[1] && place.axes[1] < place.axes[0];
    base::AnyImage turned = base::makeImage(
        image.type.pixel, inOrder ? base::Extents{1, 1, 1} : base::Extents{n.x, n.y, step});
    base::AnyImage scaled = base::makeImage(
        image.found.pixel, image.scaled ? base::Extents{width, n.y, step} : base::Extents{1, 1, 1});
    const Handle space(H5Dget_space(dataset), H5Sclose);
    for (std::int64_t z = 0; z < n.z; z += step) {
        const std::int64_t count = std::min(step, n.z - z);
        std::vector<hsize_t> corner = place.corner;
        std::vector<hsize_t> sizes(rank, 1);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (place.axes[axis] >= 0) {
                sizes[static_cast<std::size_t>(place.axes[axis])] =
                    static_cast<hsize_t>(axis == 2 ? count : extents[axis]);
            }
        }
        if (place.compound) { // adjacent, as they are sent
            sizes.back() = static_cast<hsize_t>(image.found.components);
        }
        if (place.axes[2] >= 0) {
            corner[static_cast<std::size_t>(place.axes[2])] += static_cast<hsize_t>(z);
        }
        std::array<std::int64_t, 3> steps{};
        std::int64_t behind = 1; // voxels of all axes behind this one
        for (std::size_t at = rank; at-- > 0;) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (place.axes[axis] == static_cast<int>(at)) {
                    steps[axis] = behind;
                }
            }
            behind *= static_cast<std::int64_t>(sizes[at]);
        }
        const Handle memory(H5Screate_simple(static_cast<int>(rank), sizes.data(), nullptr),
                            H5Sclose);
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, corner.data(), nullptr, sizes.data(),
                            nullptr);
        std::visit(
            [&](auto& voxels) {
                using Plane = std::decay_t<decltype(voxels)>;
                if (H5Dread(dataset, memoryType(image.type), memory.id(), space.id(), H5P_DEFAULT,
                            voxels.data()) < 0) {
                    failVoxels(dataset);
                }
                auto* out = voxels.data();
                if (!inOrder) {
                    out = std::get<Plane>(turned).data();
                    transpose(voxels.data(), steps, {n.x, n.y, count}, out);
                }
                if (image.type.mask) {
                    std::for_each(out, out + n.x * n.y * count,
                                  [](auto& voxel) { voxel = voxel != 0 ? 1 : 0; });
                }
                const std::int64_t values = width * n.y * count;
                if (image.scaled) {
                    sendScaled(out, values, image, scaled, answer);
                } else {
                    answer.voxels(out, values * static_cast<std::int64_t>(sizeof(*out)));
                }
            },
            block);
    }
}

} // namespace flcc::io::detail
