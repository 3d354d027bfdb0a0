#include <algorithm>
#include <string>
#include <string_view>

#include <png.h>
#include <tiffio.h>
#include <zlib.h>

#include "engine/io/image_file.h"

namespace flcc::io {

namespace {

std::string_view itkVersion() {
#ifdef FLCC_ITK
    return ", ITK " FLCC_ITK;
#else
    return ", no ITK: VTK legacy, GIPL and other rare formats cannot be read";
#endif
}

} // namespace

std::string imageLibraryVersion() {
    // libtiff gives several lines: "LIBTIFF, Version 4.5.0" and a copyright.
    std::string tiff = ::TIFFGetVersion();
    tiff.resize(std::min(tiff.find('\n'), tiff.size()));
    return std::string("libpng ") + ::png_get_libpng_ver(nullptr) + ", libtiff " +
           tiff.substr(tiff.find_last_of(' ') + 1) + ", zlib " + ::zlibVersion() +
           std::string(itkVersion());
}

} // namespace flcc::io
