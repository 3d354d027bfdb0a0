#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/method/candidate.h"
#include "engine/method/cost_model.h"
#include "engine/method/problem.h"

namespace flcc::plan {

/// A candidate's time on the whole of a problem, as planning measured it.
struct Timing {
    method::Candidate candidate;
    double ms = 0;
};

/// What planning by measurement found for one problem.
struct KnownProblem {
    std::string key; ///< of problemKey()
    std::vector<Timing> timings;
};

/// What was learnt on this machine and is worth keeping between runs (METHODS 5).
struct Knowledge {
    std::optional<method::CostModel> model; ///< empty until calibrated
    std::string wisdomSingle;               ///< FFTW's, float
    std::string wisdomDouble;
    std::vector<KnownProblem> problems; ///< the newest last

    /// The problem of that key, or null.
    [[nodiscard]] const KnownProblem* find(std::string_view key) const;

    /// Adds a problem in place of what was known of it; the oldest ones make room.
    void remember(KnownProblem problem);
};

/// Most problems that are kept.
inline constexpr std::size_t kMostKnownProblems = 256;

/// Names all that a plan depends on: problem, threads, and what the caller fixed. Memory is no part
/// of it: what does not fit is refused anew every time.
[[nodiscard]] std::string problemKey(const method::Problem& problem, const method::Limits& limits,
                                     std::string_view planning, std::string_view method,
                                     std::string_view device, const base::Extents& tile);

/// Names the machine and the libraries that knowledge is true of: processor, instruction set,
/// threads, versions.
[[nodiscard]] std::string machineKey();

/// Knowledge as text (JSON), and back. What cannot be understood or holds impossible values is
/// empty.
[[nodiscard]] std::string toText(const Knowledge& knowledge);
[[nodiscard]] std::optional<Knowledge> knowledgeFromText(std::string_view text);

/// Hands the wisdom to FFTW, from then on used by every plan of this process. FFTW ends the process
/// on some damaged texts: only what a checksum has vouched for may come here.
/// **Threads**: any; no run has to be over. **Cost**: nothing when it is what FFTW has already.
void useWisdom(const Knowledge& knowledge);

/// Keeps all that FFTW has learnt in this process beside what is kept.
void keepWisdom(Knowledge& knowledge);

/// The constants of a model as JSON, for people and programs.
[[nodiscard]] std::string toJson(const method::CostModel& model);

} // namespace flcc::plan
