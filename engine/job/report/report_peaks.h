#pragma once

#include <filesystem>
#include <optional>

#include "engine/io/list_file.h"

namespace flcc::job::detail {

/// The peaks of a JSON report of a match, with all that io::peakList() gives to a list; empty for
/// files that are none. `place`: the scene, where it is known. **Errors**: Input for a report that
/// is damaged, or of a stream, whose peaks are in its list.
[[nodiscard]] std::optional<io::PositionList> peaksOfReport(const std::filesystem::path& file,
                                                            const io::ListPlace& place);

} // namespace flcc::job::detail
