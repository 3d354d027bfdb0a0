#include "engine/method/method_on_device.h"

#include <string>

#include "engine/base/error.h"

namespace flcc::method {

void MethodOnDevice::requireReduces(const Problem& problem) const {
    if (!reduces(problem)) {
        throw base::Error(base::ErrorCode::Internal,
                          "the method " + std::string(name()) + " brings its maps back whole");
    }
}

} // namespace flcc::method
