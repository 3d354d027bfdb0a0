#include <cmath>

#include "engine/base/error.h"
#include "engine/job/options/options.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

void requireThreshold(const Job& job) {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    if (largest ? job.maxScore.has_value() : job.minScore.has_value()) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("threshold-of-other-operation",
                                  largest ? "operation {operation} lists its largest values; use "
                                            "{--min-score}, not {--max-score}"
                                          : "operation {operation} lists its smallest values; use "
                                            "{--max-score}, not {--min-score}",
                                  {{"operation", std::string(traits.name)}}));
    }
    const int chosen = (job.minScore || job.maxScore ? 1 : 0) + (job.falsePositives ? 1 : 0) +
                       (job.zscore ? 1 : 0);
    if (chosen > 1) {
        throw Error(ErrorCode::CommandLine,
                    base::Message("several-thresholds",
                                  "{--min-score}, {--false-positives} and {--zscore} each choose "
                                  "the threshold; give one of them"));
    }
    const bool lawAsked = job.falsePositives || job.zscore || job.null != match::NullTemplate::None;
    if (lawAsked && !traits.hasLaw) {
        throw Error(
            ErrorCode::CommandLine,
            base::Message("law-of-other-operation",
                          std::string("{--false-positives}, {--zscore} and {--null} need the law "
                                      "of the scores of lcc, which operation {operation} does not "
                                      "have; use ") +
                              (largest ? "{--min-score}" : "{--max-score}"),
                          {{"operation", std::string(traits.name)}}));
    }
    const std::optional<double>& given = largest ? job.minScore : job.maxScore;
    const bool within = !given || (*given >= traits.lowest && *given <= traits.highest);
    if (!within) {
        const bool open = std::isinf(traits.highest);
        const std::string option = largest ? "{--min-score}" : "{--max-score}";
        throw Error(ErrorCode::CommandLine,
                    base::Message("threshold-out-of-range",
                                  option + " must be a number from {least}" +
                                      (open ? " up" : " to {most}") + ", not \"{value}\"",
                                  {{"least", shortest(traits.lowest)},
                                   {"most", shortest(traits.highest)},
                                   {"value", shortest(*given)}}));
    }
}

} // namespace flcc::job::detail
