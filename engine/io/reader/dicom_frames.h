#pragma once

#include <string>
#include <vector>

#include <gdcmFile.h>

#include "engine/io/reader/dicom_series.h"

namespace flcc::io::detail {

/// Adds to `file` its frames with what the file says of each: place, slope, and what tells frames
/// at one place apart. `file` has the place and the slope of the file as a whole. Frames that lie
/// nowhere have no position. Adds notes. **Errors**: Input.
void addFrames(DicomFile& file, const gdcm::File& content, double intercept, double slope);

} // namespace flcc::io::detail
