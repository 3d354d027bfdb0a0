#include "ui/judge/kept_source.h"

namespace flcc::ui {

std::shared_ptr<const job::KeptMap> KeptSource::map(const std::stop_token& stop) const {
    return kept ? kept : job::keepMap(*result, settings, scene, stop);
}

std::optional<KeptSource> keptSource(const Document& document) {
    const ResultEntry* result = document.result();
    if (result == nullptr || !result->job->map || !result->job->report.map ||
        !job::isWhole(*result->job) || !job::isVerified(result->job->report) ||
        !document.hasScene()) {
        return std::nullopt;
    }
    return KeptSource{result->id, result->job, result->settings, document.scene().image,
                      result->kept};
}

bool isStill(const Document& document, const KeptSource& source) {
    const ResultEntry* now = document.result();
    return now != nullptr && now->id == source.id && now->job->map == source.result->map &&
           now->settings.spacing == source.settings.spacing &&
           now->settings.world == source.settings.world;
}

} // namespace flcc::ui
