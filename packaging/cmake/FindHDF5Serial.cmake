# The C library of HDF5 without MPI: the target HDF5Serial::HDF5. CMake's own FindHDF5 also asks for
# the development files of the libraries that HDF5 itself uses.
find_path(HDF5SERIAL_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5SERIAL_LIBRARY NAMES hdf5_serial hdf5)
mark_as_advanced(HDF5SERIAL_INCLUDE_DIR HDF5SERIAL_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5SERIAL_INCLUDE_DIR HDF5SERIAL_LIBRARY)
if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5)
    add_library(HDF5Serial::HDF5 UNKNOWN IMPORTED)
    set_target_properties(HDF5Serial::HDF5 PROPERTIES IMPORTED_LOCATION "${HDF5SERIAL_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${HDF5SERIAL_INCLUDE_DIR}"
        INTERFACE_COMPILE_DEFINITIONS H5_USE_110_API)
endif()
