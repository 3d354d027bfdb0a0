#include "ui/match/changed_settings.h"

#include <QCoreApplication>
#include <QStringList>

#include <utility>
#include <vector>

namespace flcc::ui {

ChangedSettings changedSettings(const job::Job& now) {
    const job::Job usual;
    ChangedSettings changed;
    changed.operation = now.operation != usual.operation || now.invert != usual.invert;
    changed.peaks = now.minScore != usual.minScore || now.maxScore != usual.maxScore ||
                    now.maxPeaks != usual.maxPeaks || now.minDistance != usual.minDistance;
    changed.poses = now.poses != usual.poses || now.searchStatistics != usual.searchStatistics ||
                    now.handedness != usual.handedness;
    changed.noise = now.preparation != usual.preparation;
    changed.law = now.falsePositives != usual.falsePositives || now.zscore != usual.zscore ||
                  now.null != usual.null || now.maxOverlap != usual.maxOverlap;
    changed.edges = now.extent != usual.extent || now.outside != usual.outside ||
                    now.partialPeaks != usual.partialPeaks;
    changed.computation = now.device != usual.device || now.threads != usual.threads ||
                          now.memoryBytes != usual.memoryBytes;
    changed.method = now.method != usual.method || now.tile != usual.tile ||
                     now.planning != usual.planning || !now.planReport.empty() ||
                     now.transforms != usual.transforms;
    changed.exactness = now.precision != usual.precision || now.promise != usual.promise ||
                        now.recompute != usual.recompute || now.audit != usual.audit ||
                        now.statistics != usual.statistics;
    return changed;
}

QString textOf(const ChangedSettings& changed) {
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("ChangedSettings", text);
    };
    QStringList words;
    for (const auto& [differs, word] :
         std::vector<std::pair<bool, QString>>{{changed.operation, tr("operation")},
                                               {changed.peaks, tr("peaks")},
                                               {changed.poses, tr("rotations and scales")},
                                               {changed.noise, tr("noise")},
                                               {changed.law, tr("law of the threshold")},
                                               {changed.edges, tr("edges")},
                                               {changed.computation, tr("computation")},
                                               {changed.method, tr("method")},
                                               {changed.exactness, tr("exactness")}}) {
        words << (differs ? QStringList(word) : QStringList());
    }
    return words.join(QStringLiteral(", "));
}

job::Job forAnotherScene(const job::Job& job) {
    job::Job next =
        job::chosen<job::Common, job::Choice, job::Repetition, job::Numbers, job::MatchImages,
                    job::Question, job::Listing, job::Sums, job::Checks>(job);
    next.minScore.reset(); // a score that stood out in one picture may be common in the next
    next.maxScore.reset();
    next.poses = job.poses;
    return next;
}

} // namespace flcc::ui
