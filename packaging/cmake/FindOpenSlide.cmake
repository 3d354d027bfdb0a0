# The library of whole-slide pictures: the target OpenSlide::OpenSlide.
find_path(OpenSlide_INCLUDE_DIR openslide.h PATH_SUFFIXES openslide)
find_library(OpenSlide_LIBRARY openslide)
mark_as_advanced(OpenSlide_INCLUDE_DIR OpenSlide_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenSlide REQUIRED_VARS OpenSlide_INCLUDE_DIR OpenSlide_LIBRARY)
if(OpenSlide_FOUND AND NOT TARGET OpenSlide::OpenSlide)
    add_library(OpenSlide::OpenSlide UNKNOWN IMPORTED)
    set_target_properties(OpenSlide::OpenSlide PROPERTIES IMPORTED_LOCATION "${OpenSlide_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${OpenSlide_INCLUDE_DIR}")
endif()
