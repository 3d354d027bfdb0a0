#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

/// Throws Input.
[[noreturn]] void refuseHdf5(const std::string& sentence);

/// An identifier of the HDF5 library and the function that closes it.
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

/// Lengths of the axes, as stored: the last one runs fastest.
[[nodiscard]] std::vector<hsize_t> sizesOf(hid_t dataset);
/// "3x4x5".
[[nodiscard]] std::string sizeText(const std::vector<hsize_t>& sizes);

/// How the voxels of a dataset are read.
struct VoxelType {
    base::PixelType pixel = base::PixelType::UInt8;
    bool mask = false;     ///< 0 and 1: bool of h5py, bit field of one bit
    bool bitField = false; ///< the library converts those to no number
    bool recast = false;   ///< stored as the type of the other sign, of whose bits `pixel` is meant
    std::string names{};   ///< of an enumeration: "background = 0, cell = 1"
};
/// Nothing if the values are no plain numbers.
[[nodiscard]] std::optional<VoxelType> voxelTypeOf(hid_t dataset);
/// What the values are that are no plain numbers: "complex numbers", "texts" ...
[[nodiscard]] std::string valueKind(hid_t dataset);
/// The type of the library in which voxels of `type` lie in memory.
[[nodiscard]] hid_t memoryType(const VoxelType& type);

/// The numbers of an attribute, up to 16; empty if there is none or it holds something else.
[[nodiscard]] std::vector<double> numbersOf(hid_t object, const char* name);
/// The texts of an attribute, up to 32; empty if there is none or it holds something else. With
/// `letters`, an array of single characters is one text.
[[nodiscard]] std::vector<std::string> textsOf(hid_t object, const char* name,
                                               bool letters = false);
/// The only text, or the last one of a list; empty if there is none.
[[nodiscard]] std::string textOf(hid_t object, const char* name, bool letters = false);

/// Opens a dataset of this file; a link to another file is not followed. Not valid if there is none
/// or the library cannot open it.
[[nodiscard]] Handle openDataset(hid_t file, const std::string& path);
/// True if `path` names an object of this file.
[[nodiscard]] bool hasObject(hid_t file, const std::string& path);

/// Where the voxels of one frame and channel lie.
struct Hdf5Place {
    Handle dataset;
    std::vector<hsize_t> corner; ///< indices of the first voxel, an axis of the dataset each
    std::array<int, 3> axes;     ///< which axes of the dataset are x, y, z; -1: none
    bool compound = false;       ///< the last axis counts the components of a voxel
};

/// An image of a file.
struct Hdf5Image {
    FoundImage found;
    VoxelType type;
    bool scaled = false; ///< value = slope * stored number + intercept
    double slope = 1;
    double intercept = 0;
    std::function<Hdf5Place(int frame, int channel)> place;
};

/// Sets the pixel type of the image and how its values follow from the stored numbers, as the
/// program meant them that wrote the dataset: netCDF (_Unsigned, scale_factor, add_offset,
/// _FillValue) and BigDataViewer. Adds notes. **Shapes**: `image.type` is set. **Errors**: Input.
void setValues(hid_t file, hid_t dataset, const std::string& path, Hdf5Image& image);
/// True for the tables that BigDataViewer stores beside its images.
[[nodiscard]] bool isBigDataViewerTable(const std::string& path);

/// The image that the Imaris file stores at `path`, or its full resolution where the path is empty;
/// nothing if the file is not of Imaris or the path names something else. **Errors**: Input.
[[nodiscard]] std::optional<Hdf5Image> imarisImage(hid_t file, const std::string& path);

/// Sends the voxels of `place`. **Errors**: Input; std::bad_alloc.
void sendHdf5(const Hdf5Place& place, const Hdf5Image& image, ReaderAnswer& answer);

/// Lets the library unpack the chunks of h5py's filter LZF.
void registerLzf();

} // namespace flcc::io::detail
