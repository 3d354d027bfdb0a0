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
        Identical,    ///< every value of the report is the same
        WithinBounds, ///< values differ, but not by more than their stated bounds let them
        Different,
    };
    bool cancelled = false; ///< nothing is known
    Verdict verdict = Verdict::Identical;
    std::string sentence;               ///< the verdict, and the first difference
    std::vector<std::string> notes;     ///< such as on another processor
    std::vector<std::string> unchecked; ///< what of the report is not compared, by name
};
/// "identical", "within the bounds", "different".
[[nodiscard]] std::string_view name(Replay::Verdict verdict);

/// Runs the job of a JSON report of a match, a convolution or a search for blobs again, by the
/// candidate that the report chose, and compares every value of both reports. Writes nothing: what
/// runs is the question of the job without outputs, nothing kept is read (NothingKept,
/// Job::resume), and nothing is kept. Scores may differ by both bounds, what is made of them by
/// what that moves it. Of a map, the digest is compared; where it differs, the voxels of the map's
/// file if that is there, else its statistics. Blobs and their maps have no bounds: they must be
/// the same bit for bit. Inputs are looked for where the report lies (kinds/replayed_inputs.h). A
/// file whose digest the report lacks is not checked; a note says so.
/// **Errors**: Input for a file that is no such report, that names no job, or of which an input is
/// missing or changed: the sentence names each and what is different. Else as run(AnyJob).
[[nodiscard]] Replay replay(const std::filesystem::path& report, const std::stop_token& stop = {},
                            JobSink* sink = nullptr);

} // namespace flcc::job
