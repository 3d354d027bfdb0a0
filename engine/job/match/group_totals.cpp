#include <algorithm>

#include "engine/job/match/group_run.h"
#include "engine/method/bank.h"

namespace flcc::job::detail {

namespace {

void add(Spread& sum, const Spread& more) {
    sum.min += more.min;
    sum.median += more.median;
    sum.max += more.max;
}

} // namespace

RunReport totalRun(const std::vector<GroupRun>& groups) {
    RunReport total;
    for (const GroupRun& group : groups) {
        const RunReport& run = *group.report().run;
        add(total.executeMs, run.executeMs);
        add(total.streamMs, run.streamMs);
        total.threads = std::max(total.threads, run.threads);
        total.device = run.device;
        method::addStages(run.stagesMs, total.stagesMs);
        total.failures.insert(total.failures.end(), run.failures.begin(), run.failures.end());
        if (run.times) {
            total.times = total.times.value_or(method::DeviceTimes{});
            total.times->add(*run.times);
        }
    }
    return total;
}

AuditReport totalAudit(const std::vector<GroupRun>& groups) {
    AuditReport total = *groups.front().report().audit;
    for (std::size_t i = 1; i < groups.size(); ++i) {
        const AuditReport& audit = *groups[i].report().audit;
        const auto rank = [](AuditVerdict verdict) { return static_cast<int>(verdict); };
        if (rank(audit.verdict) > rank(total.verdict)) {
            total.verdict = audit.verdict;
            total.reason = audit.reason;
        }
        total.checked += audit.checked;
        total.wrongStatus += audit.wrongStatus;
        total.largestDeviation = std::max(total.largestDeviation, audit.largestDeviation);
        total.largestOverBound = std::max(total.largestOverBound, audit.largestOverBound);
        total.medianOverBound = std::max(total.medianOverBound, audit.medianOverBound);
        total.ms += audit.ms;
    }
    return total;
}

} // namespace flcc::job::detail
