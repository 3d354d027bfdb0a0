// Datasets and attributes of HDF5 files, as far as images need them.

#include "engine/io/reader/hdf5_file.h"

#include <algorithm>
#include <array>

namespace flcc::io::detail {

namespace {

using base::PixelType;

std::optional<PixelType> numberType(hid_t type) {
    const std::size_t bytes = H5Tget_size(type);
    if (H5Tget_class(type) == H5T_FLOAT) {
        return bytes == 2 || bytes == 4 ? std::optional(PixelType::Float32)
               : bytes == 8             ? std::optional(PixelType::Float64)
                                        : std::nullopt;
    }
    if (H5Tget_class(type) == H5T_INTEGER) {
        const bool sign = H5Tget_sign(type) == H5T_SGN_2;
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

/// An enumeration: the type below it. With the members 0 and 1 only, it is a mask.
std::optional<VoxelType> enumerationOf(hid_t type) {
    constexpr int kMostNamed = 16;
    const Handle below(H5Tget_super(type), H5Tclose);
    const auto pixel = numberType(below.id());
    if (!pixel) {
        return std::nullopt;
    }
    VoxelType found{.pixel = *pixel};
    const int members = H5Tget_nmembers(type);
    bool bits = members >= 1 && members <= 2;
    for (int i = 0; i < members; ++i) {
        std::array<char, 8> bytes{};
        std::int64_t value = 0;
        if (H5Tget_member_value(type, static_cast<unsigned>(i), bytes.data()) < 0 ||
            H5Tconvert(below.id(), H5T_NATIVE_INT64, 1, bytes.data(), nullptr, H5P_DEFAULT) < 0) {
            return std::nullopt;
        }
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&value));
        bits = bits && (value == 0 || value == 1);
        char* const name = H5Tget_member_name(type, static_cast<unsigned>(i));
        if (name != nullptr && i < kMostNamed) {
            found.names += (i > 0 ? ", " : "") + std::string(name) + " = " + std::to_string(value);
        }
        H5free_memory(name);
    }
    if (bits) {
        found.mask = true;
        found.pixel = PixelType::UInt8;
    }
    return found;
}

/// An attribute and what it holds.
struct Attribute {
    Handle id;
    Handle type;
    Handle space;
    hssize_t count;
};

std::optional<Attribute> attributeOf(hid_t object, const char* name, hssize_t most) {
    if (H5Aexists(object, name) <= 0) {
        return std::nullopt;
    }
    Handle id(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    Handle type(H5Aget_type(id.id()), H5Tclose);
    Handle space(H5Aget_space(id.id()), H5Sclose);
    const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : 0;
    if (!id.valid() || !type.valid() || count < 1 || count > most) {
        return std::nullopt;
    }
    return Attribute{std::move(id), std::move(type), std::move(space), count};
}

void trim(std::string& text) {
    text = text.substr(0, text.find('\0'));
    text.resize(text.find_last_not_of(' ') + 1);
}

} // namespace

void refuseHdf5(const std::string& sentence) {
    throw base::Error(base::ErrorCode::Input, sentence);
}

std::vector<hsize_t> sizesOf(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : 0;
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, rank)));
    if (rank > 0) {
        H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
    }
    return sizes;
}

std::string sizeText(const std::vector<hsize_t>& sizes) {
    std::string text;
    for (const hsize_t size : sizes) {
        text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text;
}

std::optional<VoxelType> voxelTypeOf(hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    if (!type.valid()) {
        return std::nullopt;
    }
    switch (H5Tget_class(type.id())) {
    case H5T_ENUM:
        return enumerationOf(type.id());
    case H5T_BITFIELD:
        return H5Tget_size(type.id()) == 1
                   ? std::optional(VoxelType{.mask = true, .bitField = true})
                   : std::nullopt;
    default:
        break;
    }
    const auto pixel = numberType(type.id());
    return pixel ? std::optional(VoxelType{.pixel = *pixel}) : std::nullopt;
}

std::string valueKind(hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    switch (type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS) {
    case H5T_COMPOUND:
        return H5Tget_nmembers(type.id()) == 2 &&
                       numberType(Handle(H5Tget_member_type(type.id(), 0), H5Tclose).id())
                   ? "pairs of numbers, such as complex numbers (store a real part or a magnitude)"
                   : "records of several values (store one of them as a dataset of its own)";
    case H5T_STRING:
        return "texts";
    case H5T_REFERENCE:
        return "references to other objects";
    case H5T_VLEN:
    case H5T_ARRAY:
        return "lists";
    case H5T_FLOAT:
    case H5T_INTEGER:
        return "numbers of " + std::to_string(H5Tget_size(type.id())) + " bytes";
    default:
        return "values of a type that this program does not know";
    }
}

hid_t memoryType(const VoxelType& type) {
    const std::array<hid_t, 10> types{H5T_NATIVE_UINT8,  H5T_NATIVE_INT8,   H5T_NATIVE_UINT16,
                                      H5T_NATIVE_INT16,  H5T_NATIVE_UINT32, H5T_NATIVE_INT32,
                                      H5T_NATIVE_UINT64, H5T_NATIVE_INT64,  H5T_NATIVE_FLOAT,
                                      H5T_NATIVE_DOUBLE};
    // Unsigned and signed integers alternate.
    return type.bitField ? H5T_NATIVE_B8
                         : types[static_cast<std::size_t>(type.pixel) ^ (type.recast ? 1U : 0U)];
}

std::vector<double> numbersOf(hid_t object, const char* name) {
    const auto attribute = attributeOf(object, name, 16);
    if (!attribute) {
        return {};
    }
    const H5T_class_t kind = H5Tget_class(attribute->type.id());
    std::vector<double> numbers(static_cast<std::size_t>(attribute->count));
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) ||
        H5Aread(attribute->id.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) {
        return {};
    }
    return numbers;
}

std::vector<std::string> textsOf(hid_t object, const char* name, bool letters) {
    constexpr std::size_t kLongest = 1 << 16;
    const auto attribute = attributeOf(object, name, letters ? 256 : 32);
    if (!attribute || H5Tget_class(attribute->type.id()) != H5T_STRING) {
        return {};
    }
    const auto count = static_cast<std::size_t>(attribute->count);
    std::vector<std::string> texts(count);
    if (H5Tis_variable_str(attribute->type.id()) > 0) {
        std::vector<char*> pointers(count, nullptr);
        const Handle memory(H5Tcopy(attribute->type.id()), H5Tclose); // its character set
        if (H5Aread(attribute->id.id(), memory.id(), pointers.data()) < 0) {
            return {};
        }
        for (std::size_t i = 0; i < count; ++i) {
            texts[i] = pointers[i] == nullptr ? "" : pointers[i];
        }
        H5Dvlen_reclaim(memory.id(), attribute->space.id(), H5P_DEFAULT, pointers.data());
    } else {
        const std::size_t length = H5Tget_size(attribute->type.id());
        if (length > kLongest) {
            return {};
        }
        std::vector<char> bytes(length * count);
        if (H5Aread(attribute->id.id(), attribute->type.id(), bytes.data()) < 0) {
            return {};
        }
        for (std::size_t i = 0; i < count; ++i) {
            texts[i].assign(bytes.data() + i * length, length);
        }
        if (letters && length == 1) {
            return {std::string(bytes.begin(), bytes.end())};
        }
    }
    std::for_each(texts.begin(), texts.end(), trim);
    return texts;
}

std::string textOf(hid_t object, const char* name, bool letters) {
    const std::vector<std::string> texts = textsOf(object, name, letters);
    return texts.empty() ? "" : texts.back();
}

Handle openDataset(hid_t file, const std::string& path) {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    const auto decline = [](const char*, const char*, const char*, const char*, unsigned*, hid_t,
                            void*) -> herr_t { return -1; };
    H5Pset_elink_cb(access.id(), decline, nullptr);
    return {H5Dopen2(file, path.c_str(), access.id()), H5Dclose};
}

bool hasObject(hid_t file, const std::string& path) {
    for (std::size_t end = path.find('/', 1); !path.empty();
         end = end == std::string::npos ? end : path.find('/', end + 1)) {
        // Each group on the way: a missing one is an error of the library.
        if (H5Lexists(file, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) {
            return path == "/";
        }
        if (end == std::string::npos) {
            return true;
        }
    }
    return false;
}

} // namespace flcc::io::detail
