// Reads the bytes as the text of the file of knowledge. What was read must be the same text after
// it is written and read again.

#include <cstdint>
#include <string_view>

#include "engine/plan/knowledge.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace plan = flcc::plan;
    if (const auto read = plan::knowledgeFromText({reinterpret_cast<const char*>(data), size})) {
        const std::string text = plan::toText(*read);
        const auto same = plan::knowledgeFromText(text);
        flcc::fuzz::require(same && plan::toText(*same) == text);
    }
    return 0;
}
