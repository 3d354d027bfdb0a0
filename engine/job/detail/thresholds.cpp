#include <cmath>

#include "engine/base/error.h"
#include "engine/job/detail/options.h"
#include "engine/job/detail/text.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

void requireThreshold(const Job& job) {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    if (largest ? job.maxScore.has_value() : job.minScore.has_value()) {
        throw Error(ErrorCode::CommandLine,
                    "operation " + std::string(traits.name) +
                        (largest ? " lists its largest values; use --min-score, not --max-score"
                                 : " lists its smallest values; use --max-score, not --min-score"));
    }
    const std::optional<double>& given = largest ? job.minScore : job.maxScore;
    const bool within = !given || (*given >= traits.lowest && *given <= traits.highest);
    if (!within) {
        const bool open = std::isinf(traits.highest);
        throw Error(ErrorCode::CommandLine, std::string(largest ? "--min-score" : "--max-score") +
                                                " must be a number from " +
                                                shortest(traits.lowest) +
                                                (open ? " up" : " to " + shortest(traits.highest)) +
                                                ", not \"" + shortest(*given) + "\"");
    }
}

} // namespace flcc::job::detail
