#include "ui/plan/plan_exactness.h"

#include <algorithm>
#include <vector>

#include "engine/match/colour_map.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

PlanExactness PlanExactness::of(const job::JobReport& report) {
    std::vector<job::MapReport> maps;
    if (report.map) {
        maps.push_back(*report.map);
    }
    for (const job::GroupReport& group : report.groups) {
        if (group.map) {
            maps.push_back(*group.map);
        }
    }
    if (maps.empty()) {
        return {};
    }
    const auto countOf = [&maps](base::Status status) {
        std::int64_t count = 0;
        for (const job::MapReport& map : maps) {
            count += map.facts.statusCounts[static_cast<std::size_t>(status)];
        }
        return count;
    };
    QStringList lines;
    QString tip;
    if (report.audit) {
        const bool failed = report.audit->verdict == job::AuditVerdict::Failed;
        const bool passed = report.audit->verdict == job::AuditVerdict::Passed;
        const QColor colour = failed ? accents().bad : passed ? accents().good : accents().muted;
        const QString all = tr("Self-audit %1").arg(toQString(job::auditText(*report.audit)));
        lines << coloured(passed ? tr("Self-audit passed: largest deviation %1")
                                       .arg(report.audit->largestDeviation, 0, 'g', 2)
                                 : all,
                          colour);
        tip = all + QChar('\n');
    }
    const bool recompute = report.plan.problem.recompute;
    tip += (recompute ? tr("Scores whose empirical error bound breaks the promise of %1 were "
                           "recomputed in double.")
                      : tr("Recompute in double is off: scores whose empirical error bound breaks "
                           "the promise of %1 are marked LOWCONF."))
               .arg(report.plan.problem.promise, 0, 'g', 6);
    const std::int64_t lowConf = countOf(base::Status::LowConf);
    if (lowConf > 0) {
        const match::Colour& pink = match::kLowConf;
        lines << coloured(QStringLiteral("■ "), QColor(pink[0], pink[1], pink[2])) +
                     coloured(tr("LOWCONF: %1 scores, pink in the heatmap").arg(lowConf),
                              accents().warning);
        tip += QChar(' ') +
               tr("LOWCONF: the empirical error bound of these scores breaks the promise. Turn on "
                  "Recompute in double, choose the precision Double, or set a larger promise.");
    }
    if (recompute) {
        const auto most = std::ranges::max_element(maps, {}, job::recomputedShare);
        lines << tr("Recomputed in double: %1 of the scores")
                     .arg(percentText(job::recomputedShare(*most)));
    }
    const std::int64_t partial = countOf(base::Status::Partial);
    if (partial > 0) {
        lines
            << tr("PARTIAL: %1 scores of placements that leave the scene or its mask").arg(partial);
    }
    return {lines.join(QStringLiteral("<br>")), tip};
}

} // namespace flcc::ui
