#include "engine/base/open_file.h"

#include <unistd.h>

namespace flcc::base {

Descriptor::~Descriptor() {
    if (m_number >= 0) {
        ::close(m_number);
    }
}

} // namespace flcc::base
