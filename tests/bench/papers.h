#pragma once

#include <nlohmann/json.hpp>

namespace flcc::bench {

/// The examples whose times papers state, as jobs of this program on noise: Karas' convolution of a
/// volume in double precision, Gholami's four searches by sums of absolute differences in colour.
/// Prints a table in Markdown and returns its rows. **Cost**: minutes and 4 GB of memory.
[[nodiscard]] nlohmann::json runPapers(int threads, int repeat);

} // namespace flcc::bench
