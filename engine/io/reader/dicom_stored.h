#pragma once

#include <vector>

#include <gdcmPixelFormat.h>

#include "engine/io/reader/dicom_series.h"

namespace flcc::io::detail {

/// The pixels of one file, unpacked.
struct Unpacked {
    std::vector<char> values;
    gdcm::PixelFormat format;
    bool luma = false; ///< the components are luminance and two differences of colour
};

/// Pixels that are read here from the bytes of the file, since GDCM does not read them right: masks
/// of one bit, pairs that share their colour, numbers that do not begin at the lowest bit.
[[nodiscard]] inline bool readsStored(const DicomFile& file) {
    return file.bits || file.halves || file.shift > 0;
}
/// **Shapes**: readsStored(). **Errors**: Input.
[[nodiscard]] Unpacked unpackStored(const DicomFile& file);

} // namespace flcc::io::detail
