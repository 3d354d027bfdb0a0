#pragma once

#include <optional>
#include <string>
#include <vector>

#include <hdf5.h>

#include "engine/io/reader/hdf5_axes.h"
#include "engine/io/reader/reader_answer.h"

/// What programs leave beside a dataset, where HDF5 has no word for it: EMAN2, UCSF Chimera, EMD of
/// Berkeley, Velox, NeXus, netCDF, MINC 2.
namespace flcc::io::detail {

/// The axes of a dataset whose program always orders them in one way; empty for others.
[[nodiscard]] std::optional<Hdf5Axes> programAxes(hid_t file, const std::string& path,
                                                  const std::vector<hsize_t>& sizes);

/// Sets spacing, unit and, where it is stated, the origin that a program left beside the dataset.
/// True if it left any. Adds notes.
bool setProgramGeometry(hid_t file, hid_t dataset, const std::string& path, const Hdf5Axes& axes,
                        FoundImage& image);

/// Of several datasets the one that the file itself names as its image (NeXus, EMD); empty without
/// such a mark. Coarser copies (Chimera) and tables (Velox) are taken from `paths`.
[[nodiscard]] std::string namedDataset(hid_t file, std::vector<std::string>& paths);

} // namespace flcc::io::detail
