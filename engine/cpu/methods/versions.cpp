#include <fftw3.h>
#include <hwy/highway.h>

#include "engine/cpu/methods/methods.h"

namespace flcc::cpu {

std::vector<std::pair<std::string, std::string>> libraryVersions() {
    return {{"FFTW", fftwf_version},
            {"Highway", std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
                            std::to_string(HWY_PATCH)}};
}

} // namespace flcc::cpu
