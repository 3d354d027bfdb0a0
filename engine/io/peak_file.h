#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/io/atomic_file.h"
#include "engine/match/peaks.h"

namespace flcc::io {

/// A template that peaks belong to.
struct PeakTemplate {
    std::string source; ///< path, or the crop box
    base::Extents extents;
    std::string mask{}; ///< path of its mask; may be empty
};

/// What a list of peaks belongs to; stated in the file's comment lines.
struct PeakContext {
    std::string scene;                   ///< path or sample name
    std::vector<PeakTemplate> templates; ///< in the order of their numbers
    std::string sceneMask{};             ///< path; may be empty
    base::Extents sceneExtents;
    base::Geometry geometry; ///< of the scene
    std::string extent{};    ///< "valid", "same", "full", and what lies outside counts for:
    std::string outside{};   ///< "zero", "eibl", "overlap"; said where panels may leave the scene
    std::string audit{};     ///< what the self-audit of the run came to; may be empty
};

/// The list as CSV (`separator` ',') or TSV ('\t'): comment lines that begin with '#' and state
/// index base, axis order, corner and centre, unit, spacing and origin; a line of column names; one
/// row a peak. Numbers have a point and read back as the same double; what is not computed is
/// empty. **Cost**: O(peaks).
[[nodiscard]] std::string peaksAsText(const std::vector<match::Peak>& peaks,
                                      const PeakContext& context, char separator);

/// Writes a list to the temporary name of `file`, .csv or .tsv; commit() is the caller's.
/// **Errors**: CommandLine for another extension; Output.
void writePeaks(const AtomicFile& file, const std::vector<match::Peak>& peaks,
                const PeakContext& context);

/// Likewise to `path`, whole or not at all.
void writePeaks(const std::filesystem::path& path, const std::vector<match::Peak>& peaks,
                const PeakContext& context);

} // namespace flcc::io
