// Datasets of HDF5 files through the HDF5 library.

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using base::PixelType;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::Input, sentence); }

/// An identifier of the library and the function that closes it.
class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {}
    ~Handle() {
        if (m_id >= 0) {
            m_close(m_id);
        }
    }
    Handle(Handle&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle& operator=(Handle&&) = delete;

    [[nodiscard]] hid_t id() const { return m_id; }
    [[nodiscard]] bool valid() const { return m_id >= 0; }

  private:
    hid_t m_id;
    herr_t (*m_close)(hid_t);
};

std::vector<hsize_t> sizesOf(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : 0;
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, rank)));
    if (rank > 0) {
        H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
    }
    return sizes;
}

/// The pixel type of the voxels in memory; nothing if they are no plain numbers.
std::optional<PixelType> typeOf(hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    const std::size_t bytes = type.valid() ? H5Tget_size(type.id()) : 0;
    if (type.valid() && H5Tget_class(type.id()) == H5T_FLOAT) {
        return bytes == 2 || bytes == 4 ? std::optional(PixelType::Float32)
               : bytes == 8             ? std::optional(PixelType::Float64)
                                        : std::nullopt;
    }
    if (type.valid() && H5Tget_class(type.id()) == H5T_INTEGER) {
        const bool sign = H5Tget_sign(type.id()) == H5T_SGN_2;
        switch (bytes) {
        case 1:
            return sign ? PixelType::Int8 : PixelType::UInt8;
        case 2:
            return sign ? PixelType::Int16 : PixelType::UInt16;
        case 4:
            return sign ? PixelType::Int32 : PixelType::UInt32;
        case 8:
            return sign ? PixelType::Int64 : PixelType::UInt64;
        default:
            break;
        }
    }
    return std::nullopt;
}

/// The type of the library in which voxels of `type` lie in memory.
hid_t memoryType(PixelType type) {
    const std::array<hid_t, 10> types{H5T_NATIVE_UINT8,  H5T_NATIVE_INT8,   H5T_NATIVE_UINT16,
                                      H5T_NATIVE_INT16,  H5T_NATIVE_UINT32, H5T_NATIVE_INT32,
                                      H5T_NATIVE_UINT64, H5T_NATIVE_INT64,  H5T_NATIVE_FLOAT,
                                      H5T_NATIVE_DOUBLE};
    return types[static_cast<std::size_t>(type)];
}

bool isImage(hid_t dataset) {
    const std::size_t rank = sizesOf(dataset).size();
    return rank >= 2 && rank <= 4 && typeOf(dataset).has_value();
}

std::string sizeText(const std::vector<hsize_t>& sizes) {
    std::string text;
    for (const hsize_t size : sizes) {
        text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text;
}

/// The paths of the datasets that can be images.
std::vector<std::string> candidatesIn(hid_t file) {
    std::vector<std::string> found;
    const auto visit = [](hid_t root, const char* name, const H5O_info_t* info,
                          void* names) -> herr_t {
        if (info->type == H5O_TYPE_DATASET) {
            const Handle dataset(H5Dopen2(root, name, H5P_DEFAULT), H5Dclose);
            if (dataset.valid() && isImage(dataset.id())) {
                static_cast<std::vector<std::string>*>(names)->push_back(
                    std::string("/") + name + "\n" + sizeText(sizesOf(dataset.id())));
            }
        }
        return 0;
    };
    if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &found, H5O_INFO_BASIC) < 0) {
        refuse("the HDF5 file is damaged");
    }
    return found;
}

/// The only dataset that can be an image. **Errors**: Problem, with a list, if there are several.
std::string onlyDataset(hid_t file) {
    constexpr std::size_t kMostListed = 20;
    std::vector<std::string> found = candidatesIn(file);
    if (found.empty()) {
        refuse("it holds no dataset of 2 to 4 dimensions with integers or floating-point numbers");
    }
    if (found.size() == 1) {
        return found.front().substr(0, found.front().find('\n'));
    }
    std::string list;
    for (std::size_t i = 0; i < found.size() && i < kMostListed; ++i) {
        std::string text = found[i];
        text.replace(text.find('\n'), 1, " (");
        list += (i > 0 ? ", " : "") + text + ")";
    }
    std::vector<std::string> choices;
    for (const std::string& each : found) {
        const std::string name = each.substr(0, each.find('\n'));
        const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
        std::vector<hsize_t> sizes = sizesOf(dataset.id());
        std::reverse(sizes.begin(), sizes.end()); // x first
        const auto type = typeOf(dataset.id());
        choices.push_back(name + "\n" + name + "\n" + (type ? std::string(base::name(*type)) : "") +
                          "\n" + sizeText(sizes) + "\n1");
    }
    throw SeveralImages("holds " + std::to_string(found.size()) + " datasets: " + list +
                            (found.size() > kMostListed ? ", ..." : "") +
                            "; choose one by adding ':' and its path to the name of the file",
                        std::move(choices));
}

/// Opens a dataset of this file. A link to another file is not followed.
Handle openDataset(hid_t file, const std::string& path) {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    const auto decline = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                            void*) -> herr_t { return -1; };
    H5Pset_elink_cb(access.id(), decline, nullptr);
    Handle dataset(H5Dopen2(file, path.c_str(), access.id()), H5Dclose);
    if (!dataset.valid()) {
        std::string names;
        const std::vector<std::string> found = candidatesIn(file);
        for (std::size_t i = 0; i < found.size() && i < 20; ++i) {
            names += (i > 0 ? ", " : "; it has ") + found[i].substr(0, found[i].find('\n'));
        }
        refuse("it has no dataset " + path + names);
    }
    const Handle creation(H5Dget_create_plist(dataset.id()), H5Pclose);
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
        refuse("the voxels of the dataset " + path + " lie in other files, which are not read");
    }
    if (!isImage(dataset.id())) {
        refuse("the dataset " + path + " has " + std::to_string(sizesOf(dataset.id()).size()) +
               " dimensions or is not of integers or floating-point numbers; 2 to 4 dimensions "
               "can be read");
    }
    return dataset;
}

/// The numbers of an attribute; empty if there is none or it holds something else.
std::vector<double> numbersOf(hid_t dataset, const char* name) {
    if (H5Aexists(dataset, name) <= 0) {
        return {};
    }
    const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type.id());
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || count < 1 || count > 4) {
        return {};
    }
    std::vector<double> numbers(static_cast<std::size_t>(count));
    if (H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) {
        return {};
    }
    return numbers;
}

/// The text of an attribute, of a list its last one; empty if there is none.
std::string textOf(hid_t dataset, const char* name) {
    if (H5Aexists(dataset, name) <= 0) {
        return {};
    }
    const Handle attribute(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (H5Tget_class(type.id()) != H5T_STRING || count < 1 || count > 4) {
        return {};
    }
    std::string text;
    if (H5Tis_variable_str(type.id()) > 0) {
        std::array<char*, 4> texts{};
        const Handle memory(H5Tcopy(type.id()), H5Tclose); // its character set
        if (H5Aread(attribute.id(), memory.id(), texts.data()) >= 0 &&
            texts[static_cast<std::size_t>(count - 1)] != nullptr) {
            text = texts[static_cast<std::size_t>(count - 1)];
            H5Dvlen_reclaim(memory.id(), space.id(), H5P_DEFAULT, texts.data());
        }
    } else if (const std::size_t length = H5Tget_size(type.id()); length <= 64) {
        std::vector<char> bytes(length * static_cast<std::size_t>(count));
        if (H5Aread(attribute.id(), type.id(), bytes.data()) >= 0) {
            text.assign(bytes.end() - static_cast<std::ptrdiff_t>(length), bytes.end());
        }
    }
    text = text.substr(0, text.find('\0'));
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
}

/// Spacing and unit from the attributes of ilastik (element_size_um) or `spacing` and `units`, all
/// in the order of the dataset's axes: x last.
void setGeometry(hid_t dataset, FoundImage& image) {
    std::vector<double> sizes = numbersOf(dataset, "element_size_um");
    image.unit = sizes.empty() ? textOf(dataset, "units") : "um";
    if (sizes.empty()) {
        sizes = numbersOf(dataset, "spacing");
    }
    const std::size_t axes = image.extents.z > 1 || sizes.size() > 2 ? 3 : 2;
    for (std::size_t axis = 0; axis < axes && !sizes.empty(); ++axis) {
        // One number is for all axes.
        image.geometry.spacing[axis] = sizes.size() == 1     ? sizes[0]
                                       : axis < sizes.size() ? sizes[sizes.size() - 1 - axis]
                                                             : 1;
    }
}

/// Says why the library could not read voxels. **Errors**: std::bad_alloc if memory was the reason.
[[noreturn]] void failVoxels() {
    const auto visit = [](unsigned, const H5E_error2_t* error, void* noMemory) -> herr_t {
        if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) {
            *static_cast<bool*>(noMemory) = true;
        }
        return 0;
    };
    bool noMemory = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &noMemory);
    if (noMemory) {
        throw std::bad_alloc();
    }
    refuse("its voxels are damaged, or packed by a filter that this machine lacks");
}

FoundImage imageOf(hid_t dataset, const std::string& path) {
    const std::vector<hsize_t> sizes = sizesOf(dataset);
    for (const hsize_t size : sizes) {
        if (size < 1 || size > static_cast<hsize_t>(INT64_MAX)) {
            refuse("the dataset " + path + " has the size " + sizeText(sizes));
        }
    }
    const auto fromEnd = [&](std::size_t axis) {
        return axis < sizes.size() ? static_cast<std::int64_t>(sizes[sizes.size() - 1 - axis]) : 1;
    };
    FoundImage image;
    image.pixel = *typeOf(dataset);
    image.extents = {fromEnd(0), fromEnd(1), fromEnd(2)};
    if (fromEnd(3) > 1'000'000'000) {
        refuse("the dataset " + path + " has too many frames");
    }
    image.frames = static_cast<int>(fromEnd(3));
    image.metadata["dataset"] = path;
    setGeometry(dataset, image);
    return image;
}

/// Number of slices that are read at once: those of a chunk, so that each chunk is unpacked once.
std::int64_t slicesAtOnce(hid_t dataset, const FoundImage& image, std::size_t rank) {
    constexpr std::int64_t kBlock = std::int64_t{1} << 24;
    const std::int64_t plane =
        base::byteCount({image.extents.x, image.extents.y, 1}, base::bytesPerVoxel(image.pixel));
    std::int64_t slices = std::max<std::int64_t>(1, kBlock / plane);
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (rank > 2 && H5Pget_layout(creation.id()) == H5D_CHUNKED) {
        std::vector<hsize_t> chunk(rank);
        H5Pget_chunk(creation.id(), static_cast<int>(rank), chunk.data());
        const auto depth = static_cast<std::int64_t>(
            std::min(chunk[rank - 3], static_cast<hsize_t>(image.extents.z)));
        slices = std::max<std::int64_t>(1, slices / depth) * depth;
    }
    return std::min(slices, image.extents.z);
}

void sendVoxels(hid_t dataset, const FoundImage& image, int frame, ReaderAnswer& answer) {
    const std::size_t rank = sizesOf(dataset).size();
    const base::Extents& n = image.extents;
    const std::int64_t step = slicesAtOnce(dataset, image, rank);
    base::AnyImage block = base::makeImage(image.pixel, {n.x, n.y, step});
    const Handle space(H5Dget_space(dataset), H5Sclose);
    for (std::int64_t z = 0; z < n.z; z += step) {
        const std::int64_t count = std::min(step, n.z - z);
        const std::array<hsize_t, 4> corner{static_cast<hsize_t>(frame), static_cast<hsize_t>(z), 0,
                                            0};
        const std::array<hsize_t, 4> sizes{1, static_cast<hsize_t>(count),
                                           static_cast<hsize_t>(n.y), static_cast<hsize_t>(n.x)};
        const std::size_t first = 4 - rank;
        const Handle memory(H5Screate_simple(static_cast<int>(rank), sizes.data() + first, nullptr),
                            H5Sclose);
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, corner.data() + first, nullptr,
                            sizes.data() + first, nullptr);
        std::visit(
            [&](auto& voxels) {
                if (H5Dread(dataset, memoryType(image.pixel), memory.id(), space.id(), H5P_DEFAULT,
                            voxels.data()) < 0) {
                    failVoxels();
                }
                answer.voxels(voxels.data(), n.x * n.y * count *
                                                 static_cast<std::int64_t>(sizeof(*voxels.data())));
            },
            block);
    }
}

} // namespace

void answerHdf5(const std::filesystem::path& path, const std::string& dataset, int frame,
                bool withVoxels, ReaderAnswer& answer) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.valid()) {
        refuse("the HDF5 file is truncated or damaged, or another program is writing it");
    }
    const std::string chosen = dataset.empty() ? onlyDataset(file.id()) : dataset;
    const Handle open = openDataset(file.id(), chosen);
    const FoundImage image = imageOf(open.id(), chosen);
    const bool sends = withVoxels && frame < image.frames && (frame >= 0 || image.frames == 1);
    answer.header(image, sends);
    if (sends) {
        sendVoxels(open.id(), image, std::max(frame, 0), answer);
    }
}

} // namespace flcc::io::detail
