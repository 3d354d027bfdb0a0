#pragma once

#include "engine/selftest/detail/scenes.h" // IWYU pragma: export

namespace flcc::test {

using namespace selftest; // what the self-test of the programs and the tests share

} // namespace flcc::test
