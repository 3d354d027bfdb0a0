#pragma once

#include <string>
#include <vector>

#include "engine/io/list_file.h"
#include "engine/match/peaks.h"

namespace flcc::io::detail {

/// The cells of a peak under peakColumns(); empty where it has no such value. `rank`: from 1.
[[nodiscard]] std::vector<std::string> cellsOf(const match::Peak& peak, std::size_t rank);

/// The same of a position that another program listed, of which less is known. `geometry`: of the
/// scene.
[[nodiscard]] std::vector<std::string> cellsOf(const ListedPosition& position,
                                               const base::Geometry& geometry, std::size_t rank);

} // namespace flcc::io::detail
