// Images that ITK stores in HDF5 files.

#include <algorithm>

#include "engine/io/reader/hdf5_axes.h"
#include "engine/io/reader/hdf5_file.h"

namespace flcc::io::detail {

namespace {

/// The numbers of a dataset beside the voxels, up to 64; empty if it is missing or damaged.
std::vector<double> numbersBeside(hid_t file, const std::string& name) {
    constexpr hssize_t kMost = 64;
    const Handle dataset = openDataset(file, "/ITKImage/0/" + name);
    const Handle space(dataset.valid() ? H5Dget_space(dataset.id()) : -1, H5Sclose);
    const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : 0;
    std::vector<double> numbers(static_cast<std::size_t>(std::clamp<hssize_t>(count, 0, kMost)));
    if (count < 1 || count > kMost ||
        H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) <
            0) {
        numbers.clear();
    }
    return numbers;
}

} // namespace

std::optional<Hdf5Axes> itkAxes(hid_t file, const std::vector<hsize_t>& sizes,
                                base::PixelType pixel) {
    const std::vector<double> lengths = numbersBeside(file, "Dimension");
    const std::size_t count = lengths.size();
    if (count == 0) {
        return std::nullopt;
    }
    if (count < 2 || (sizes.size() != count && sizes.size() != count + 1)) {
        refuseHdf5("its voxels have " + std::to_string(sizes.size()) +
                   " axes, and ITK's dataset Dimension states " + std::to_string(count) +
                   "; an image has 2 or more, and one more for the components of a voxel");
    }
    for (std::size_t axis = 0; axis < count; ++axis) { // x first
        const hsize_t stored = sizes[count - 1 - axis];
        if (lengths[axis] != static_cast<double>(stored)) {
            refuseHdf5("ITK's dataset Dimension states " + std::to_string(lengths[axis]) +
                       " voxels along axis " + std::to_string(axis) + ", and VoxelData holds " +
                       std::to_string(stored));
        }
    }
    for (const char* name : {"Spacing", "Origin"}) {
        const std::size_t there = numbersBeside(file, name).size();
        if (there != 0 && there != count) {
            refuseHdf5(std::string("ITK's dataset ") + name + " has " + std::to_string(there) +
                       " numbers, and Dimension " + std::to_string(count));
        }
    }
    Hdf5Axes axes;
    for (std::size_t axis = count; axis-- > 0;) {
        axes.kinds.push_back(axis < 3 ? static_cast<Axis>(axis) : Axis::Frame);
        axes.names.emplace_back(axis < 3 ? std::string(1, "xyz"[axis]) : "frame");
    }
    if (sizes.size() > count) {
        const hsize_t values = sizes.back();
        const bool colour =
            values == 1 || ((values == 3 || values == 4) && base::isInteger(pixel) &&
                            base::bytesPerVoxel(pixel) <= 2);
        axes.kinds.push_back(colour ? Axis::Component : Axis::Channel);
        axes.names.emplace_back("component");
    }
    return axes;
}

void setItkGeometry(hid_t file, base::Geometry& geometry) {
    const std::vector<double> spacing = numbersBeside(file, "Spacing");
    const std::vector<double> origin = numbersBeside(file, "Origin");
    const std::vector<double> direction = numbersBeside(file, "Directions");
    const std::size_t count = spacing.size();
    const std::size_t axes = std::min<std::size_t>(3, count);
    for (std::size_t i = 0; i < axes && origin.size() == count; ++i) {
        geometry.spacing[i] = spacing[i];
        geometry.origin[i] = origin[i];
        for (std::size_t row = 0; row < axes && direction.size() == count * count; ++row) {
            geometry.direction[3 * row + i] = direction[count * i + row];
        }
    }
}

} // namespace flcc::io::detail
