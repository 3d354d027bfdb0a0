# The library of the Netpbm programs: the target Netpbm::Netpbm.
find_path(NETPBM_INCLUDE_DIR netpbm/pam.h)
find_library(NETPBM_LIBRARY netpbm)
mark_as_advanced(NETPBM_INCLUDE_DIR NETPBM_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Netpbm REQUIRED_VARS NETPBM_INCLUDE_DIR NETPBM_LIBRARY)
if(Netpbm_FOUND AND NOT TARGET Netpbm::Netpbm)
    add_library(Netpbm::Netpbm UNKNOWN IMPORTED)
    set_target_properties(Netpbm::Netpbm PROPERTIES IMPORTED_LOCATION "${NETPBM_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${NETPBM_INCLUDE_DIR}")
endif()
