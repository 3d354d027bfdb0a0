#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

namespace flcc::bench {

/// Predicted against measured rise of the resident peak, over problems above 256 MiB, each in a
/// process of its own: prints a table in Markdown and returns its rows.
[[nodiscard]] nlohmann::json measureMemory(int threads);

/// Row `index` of the table above, measured in this process, which should have done nothing yet.
[[nodiscard]] nlohmann::json measureMemoryHere(std::size_t index, int threads);

} // namespace flcc::bench
