#include "engine/method/method_on_device.h"

#include <string>

#include "engine/base/error.h"

namespace flcc::method {

void MethodOnDevice::requireReduces(const Problem& problem) const {
    if (!reduces(problem)) {
        throw base::Error(base::ErrorCode::Internal,
                          "method " + std::string(name()) +
                              " cannot find the peaks of this problem on its device");
    }
}

} // namespace flcc::method
