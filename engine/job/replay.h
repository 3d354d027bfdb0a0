#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job {

/// What came of running the job of a report again.
struct Replay {
    enum class Verdict {
        Identical,    ///< lists and maps are the same, bit for bit
        WithinBounds, ///< scores differ, but not by more than their stated bounds
        Different,
    };
    bool cancelled = false; ///< nothing is known
    Verdict verdict = Verdict::Identical;
    std::string sentence;           ///< the verdict, and the first difference
    std::vector<std::string> notes; ///< such as on another processor
};
/// "identical", "within the bounds", "different".
[[nodiscard]] std::string_view name(Replay::Verdict verdict);

/// Runs the job of a JSON report of a match, a convolution or a search for blobs again, by the
/// candidate that the report chose, and compares what both reports hold. Writes nothing. A list of
/// peaks must have the same peaks in the same order, their scores within both bounds. Of a map, the
/// digest is compared; where it differs, the voxels of the map's file if that is there, else its
/// statistics. Blobs and their maps have no bounds: they must be the same bit for bit. A file whose
/// digest the report lacks is not checked; a note says so.
/// **Errors**: Input for a file that is no such report, that names no job, or of which an input is
/// missing or changed: the sentence names each and what is different. Else as run(AnyJob).
[[nodiscard]] Replay replay(const std::filesystem::path& report, const std::stop_token& stop = {},
                            JobSink* sink = nullptr);

} // namespace flcc::job
