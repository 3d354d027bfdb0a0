# The library of WebP and the one that divides its files into pictures: the target WebP::WebPDemux.
find_path(WEBPDEMUX_INCLUDE_DIR webp/demux.h)
find_library(WEBPDEMUX_LIBRARY webpdemux)
find_library(WEBP_LIBRARY webp)
mark_as_advanced(WEBPDEMUX_INCLUDE_DIR WEBPDEMUX_LIBRARY WEBP_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(WebPDemux REQUIRED_VARS WEBPDEMUX_INCLUDE_DIR WEBPDEMUX_LIBRARY WEBP_LIBRARY)
if(WebPDemux_FOUND AND NOT TARGET WebP::WebPDemux)
    add_library(WebP::WebPDemux UNKNOWN IMPORTED)
    set_target_properties(WebP::WebPDemux PROPERTIES IMPORTED_LOCATION "${WEBPDEMUX_LIBRARY}"
        INTERFACE_LINK_LIBRARIES "${WEBP_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${WEBPDEMUX_INCLUDE_DIR}")
endif()
