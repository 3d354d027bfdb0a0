#pragma once

#include <QString>

#include <functional>
#include <optional>
#include <vector>

#include "engine/job/job.h"

namespace flcc::ui {

/// One change of the settings that may make a refused job possible.
struct PlanFix {
    QString text; ///< of a button
    QString tip;
    std::function<void(job::Job&)> change; ///< empty: bin scene and templates by 2
};

/// What may help against the refusal of a plan without a chosen candidate. `box`: the template box
/// if it can serve as a region. `mayBin`: the scene is the only one.
[[nodiscard]] std::vector<PlanFix> planFixes(const plan::PlanReport& plan, const job::Job& job,
                                             const std::optional<base::Box>& box, bool mayBin);

} // namespace flcc::ui
