#include "engine/plan/report.h"

#include <algorithm>
#include <array>

namespace flcc::plan {

std::string_view name(CandidateVerdict verdict) {
    constexpr std::array<std::string_view, 4> kNames{"chosen", "slower", "refused", "failed"};
    return kNames[static_cast<std::size_t>(verdict)];
}

const CandidateReport* PlanReport::chosen() const {
    const auto found =
        std::find_if(candidates.begin(), candidates.end(), [](const CandidateReport& row) {
            return row.verdict == CandidateVerdict::Chosen;
        });
    return found == candidates.end() ? nullptr : &*found;
}

} // namespace flcc::plan
