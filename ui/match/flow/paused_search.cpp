#include "ui/match/flow/paused_search.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/job/arguments.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

bool isInFiles(const job::Job& job) {
    const auto isNamed = [](const std::filesystem::path& file) { return !file.empty(); };
    return isNamed(job.scene) && std::ranges::all_of(job.furtherScenes, isNamed) &&
           std::ranges::all_of(job.templates, isNamed) && std::ranges::all_of(job.masks, isNamed) &&
           (!job.templates.empty() || !job.crops.empty());
}

QString saidOf(const char* text) {
    return QCoreApplication::translate("flcc::ui::PausedSearch", text);
}

} // namespace

QString pauseSearch(const job::Job& job, std::int64_t searched, std::int64_t of) {
    const QString done = saidOf("The search is paused after %1 of %2 orientations: Run goes on "
                                "from there.")
                             .arg(QLocale().toString(searched), QLocale().toString(of));
    if (!isInFiles(job)) {
        return done;
    }
    const std::filesystem::path file = job.poses.resume / "search.json";
    try {
        io::writeText(file, job::toJobFile(job));
    } catch (const base::Error& error) {
        return done + QChar(' ') + inWindowWords(error);
    }
    return done + QChar(' ') +
           saidOf("After a restart of the program load %1 first (File > Load job).")
               .arg(pathText(file));
}

} // namespace flcc::ui
