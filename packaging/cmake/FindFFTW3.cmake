# FFTW in single and double precision: the targets FFTW3::fftw3 and FFTW3::fftw3f.
find_path(FFTW3_INCLUDE_DIR fftw3.h)
find_library(FFTW3_DOUBLE_LIBRARY fftw3)
find_library(FFTW3_SINGLE_LIBRARY fftw3f)
mark_as_advanced(FFTW3_INCLUDE_DIR FFTW3_DOUBLE_LIBRARY FFTW3_SINGLE_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3
    REQUIRED_VARS FFTW3_INCLUDE_DIR FFTW3_DOUBLE_LIBRARY FFTW3_SINGLE_LIBRARY)
if(FFTW3_FOUND AND NOT TARGET FFTW3::fftw3)
    add_library(FFTW3::fftw3 UNKNOWN IMPORTED)
    set_target_properties(FFTW3::fftw3 PROPERTIES IMPORTED_LOCATION "${FFTW3_DOUBLE_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
    add_library(FFTW3::fftw3f UNKNOWN IMPORTED)
    set_target_properties(FFTW3::fftw3f PROPERTIES IMPORTED_LOCATION "${FFTW3_SINGLE_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
endif()
