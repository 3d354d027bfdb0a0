#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"

namespace flcc::test {

const std::vector<const method::Method*>& judgedMethods() { return plan::methods(); }

} // namespace flcc::test
