#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"
#include "engine/method/problem.h"

namespace flcc::plan {

/// The time of a candidate on a whole problem: as planning measured or extrapolated it, or the
/// least of its last runs.
struct Timing {
    method::Candidate candidate;
    double ms = 0;
    std::vector<double> runs{}; ///< what its last runs took, the newest last, at most kMostRuns

    /// Adds the time of a run.
    void addRun(double runMs);
};

/// Largest number of runs in a Timing.
inline constexpr std::size_t kMostRuns = 3;

/// The times that planning and runs measured for one problem.
struct KnownProblem {
    std::string key; ///< problemKey() of the problem
    std::vector<Timing> timings;
    std::int64_t when = 0; ///< seconds since 1970 when the last of these times was measured

    /// Corrects the times by a run of the whole problem with this candidate. The samples of the
    /// other candidates, which have not run, are scaled alike, so that the choice stays.
    void correct(const method::Candidate& ran, double ms);
};

/// Measurements of this machine that are kept between runs of the program.
struct Knowledge {
    std::optional<method::CostModel> model; ///< empty until calibrate() has measured it
    std::string wisdomSingle;               ///< FFTW's wisdom for float
    std::string wisdomDouble;               ///< FFTW's wisdom for double
    std::vector<KnownProblem> problems;     ///< the newest last, at most kMostKnownProblems

    /// The problem with this key, or null.
    [[nodiscard]] const KnownProblem* find(std::string_view key) const;

    /// Adds a problem, or replaces the one with the same key. Drops the oldest problems above
    /// kMostKnownProblems.
    void remember(KnownProblem problem);
};

/// Largest number of problems in a Knowledge.
inline constexpr std::size_t kMostKnownProblems = 256;

/// The key of a problem: names everything that its time depends on, which is the problem, the
/// number of threads, the caller's choices and the class of the scene's content: its flat parts in
/// eighths, voxels that are not finite, and in powers of 4 its lowest contrast (predictedK) and its
/// number of levels. Memory limits are left out, since a candidate that does not fit is refused in
/// every planning. `statistics` of the scene may be null.
[[nodiscard]] std::string problemKey(const method::Problem& problem, const method::Limits& limits,
                                     std::string_view planning, std::string_view method,
                                     std::string_view device, const base::Extents& tile,
                                     const method::SceneStatistics* statistics = nullptr);

/// The key of this machine: processor, instruction set, threads, usable GPUs, and the versions of
/// the program and its libraries. Knowledge is valid only for the key with which it was measured.
[[nodiscard]] std::string machineKey();

/// Knowledge as JSON text, and back. Text that is malformed or holds impossible values gives an
/// empty result.
[[nodiscard]] std::string toText(const Knowledge& knowledge);
[[nodiscard]] std::optional<Knowledge> knowledgeFromText(std::string_view text);

/// Replaces FFTW's wisdom by that of `knowledge`, for all later plans of this process. FFTW ends
/// the process on some damaged texts, so check the text's checksum before this call.
/// **Threads**: any; runs may be under way. **Cost**: none if FFTW already has this wisdom.
void useWisdom(const Knowledge& knowledge);

/// Adds the wisdom that FFTW has gathered in this process to `knowledge`.
void keepWisdom(Knowledge& knowledge);

/// The constants of a model as JSON text.
[[nodiscard]] std::string toJson(const method::CostModel& model);

} // namespace flcc::plan
