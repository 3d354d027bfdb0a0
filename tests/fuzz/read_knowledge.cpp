// Reads the bytes as the text of the file of knowledge.

#include <cstdint>
#include <string_view>

#include "engine/plan/knowledge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)flcc::plan::knowledgeFromText({reinterpret_cast<const char*>(data), size});
    return 0;
}
