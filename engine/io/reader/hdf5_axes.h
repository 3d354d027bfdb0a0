#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <hdf5.h>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"

namespace flcc::io::detail {

/// What an axis of a dataset counts.
enum class Axis { X, Y, Z, Channel, Frame, Component };

/// What the axes of a dataset are.
struct Hdf5Axes {
    std::vector<Axis> kinds;        ///< one an axis of the dataset
    std::vector<std::string> names; ///< as the file writes them
    bool colour = false;            ///< the channels are red, green, blue (and opacity)
    /// Spacing of x, y, z that the names of the axes come with; 0: none.
    base::Point spacing{};
    std::vector<std::string> notes; ///< what was assumed
};

/// Reads the axes from what the program left that wrote the dataset: axistags (ilastik, vigra),
/// DIMENSION_LABELS, names of dimension scales, classes of MATLAB, or the image specification of
/// HDF5. Without these, the last axes are z, y, x; before them, four axes have frames and five have
/// frames and channels. **Errors**: Input where the axes make no image.
[[nodiscard]] Hdf5Axes axesOf(hid_t dataset, const std::string& path);

/// Visits the first dimension scale of each axis that has one; false if the dataset has none.
bool visitScales(hid_t dataset, std::size_t rank,
                 const std::function<void(std::size_t axis, hid_t scale)>& visit);

/// The dataset in which ITK stores an image.
inline constexpr const char* kItkVoxels = "/ITKImage/0/VoxelData";
/// The axes of that dataset, of these sizes: those of the image, the slowest first, and behind them
/// the components of a voxel if there are several. Three or four integers of up to 16 bits are a
/// colour, as in MetaImage; others are channels. Empty if ITK's number of axes is missing.
/// **Errors**: Input where it contradicts the sizes.
[[nodiscard]] std::optional<Hdf5Axes> itkAxes(hid_t file, const std::vector<hsize_t>& sizes,
                                              base::PixelType pixel);
/// Sets spacing, origin and direction that ITK stores beside its voxels.
void setItkGeometry(hid_t file, base::Geometry& geometry);

} // namespace flcc::io::detail
