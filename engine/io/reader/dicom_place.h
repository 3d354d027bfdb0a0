#pragma once

#include <gdcmFile.h>

#include "engine/io/reader/dicom_series.h"

namespace flcc::io::detail {

/// Sets position, direction and spacing of `file` from its own elements, whatever its class: GDCM
/// looks at other elements for each class. Sequences that describe single frames are not read
/// (dicom_frames.h). Sets the note on which element gives the spacing. **Shapes**: `file` has
/// extents.
void setFilePlace(DicomFile& file, const gdcm::File& content);

} // namespace flcc::io::detail
