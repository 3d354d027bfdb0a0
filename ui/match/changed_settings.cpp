#include "ui/match/changed_settings.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>

#include "engine/job/any_job.h"

namespace flcc::ui {

std::set<Section> changedSections(const job::Job& job) {
    std::set<Section> changed;
    for (const Section section : sections()) {
        if (std::ranges::any_of(optionsOf(section), [&](std::string_view option) {
                return job::isOptionSet(job, option);
            })) {
            changed.insert(section);
        }
    }
    return changed;
}

QString textOf(const std::set<Section>& changed) {
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("ChangedSettings", text);
    };
    const std::array<QString, 9> names{tr("operation"),
                                       tr("peaks"),
                                       tr("rotations and scales"),
                                       tr("noise"),
                                       tr("law of the threshold"),
                                       tr("edges"),
                                       tr("computation"),
                                       tr("method"),
                                       tr("exactness")};
    QStringList words;
    for (const Section section : changed) {
        words << names[static_cast<std::size_t>(section)];
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
