#include "ui/results/search_export.h"

#include <array>

#include "engine/match/search_statistics.h"
#include "ui/document/document.h"
#include "ui/results/exporter.h"
#include "ui/results/result_images.h"

namespace flcc::ui {

void SearchExport::ask(Exporter& exporter, Map map) {
    const ResultEntry* const result = exporter.requireResult();
    if (result == nullptr) {
        return;
    }
    if (!result->job->search) {
        Q_EMIT exporter.failed(tr("There are no statistics of the search: tick \"Statistics of the "
                                  "search\" under Rotations and scales and run again."));
        return;
    }
    const auto at = static_cast<std::size_t>(map);
    const std::array<QString, 3> titles{tr("Export mean over the search"),
                                        tr("Export deviation over the search"),
                                        tr("Export z of the search")};
    const std::array<QString, 3> names{QStringLiteral("search-mean.mha"),
                                       QStringLiteral("search-deviation.mha"),
                                       QStringLiteral("search-z.mha")};
    exporter.ask(titles[at], names[at], imageFilters(),
                 [&exporter, map, job = result->job](const std::filesystem::path& path) {
                     exporter.write(
                         path, [map, job](const io::AtomicFile& file, const std::stop_token& stop) {
                             const match::SearchMaps& search = *job->search;
                             const base::Image<float>& image = map == Map::Mean ? search.mean
                                                               : map == Map::Deviation
                                                                   ? search.deviation
                                                                   : search.z;
                             return io::writeImage(file, image.view(), job->mapGeometry, {}, stop);
                         });
                 });
}

} // namespace flcc::ui
