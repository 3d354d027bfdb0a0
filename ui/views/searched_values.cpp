#include "ui/views/searched_values.h"

#include <QCoreApplication>

#include <algorithm>

#include "engine/match/search_statistics.h"

namespace flcc::ui {
namespace {

template <class Mean, class Deviation, class Z>
auto& chosenOf(SearchValues values, Mean& mean, Deviation& deviation, Z& z) {
    return values == SearchValues::Mean ? mean : values == SearchValues::Deviation ? deviation : z;
}

} // namespace

QString nameOf(SearchValues values) {
    const auto say = [](const char* text) {
        return QCoreApplication::translate("flcc::ui::SearchValues", text);
    };
    return values == SearchValues::Z           ? say("z")
           : values == SearchValues::Mean      ? say("Mean score")
           : values == SearchValues::Deviation ? say("Deviation")
                                               : say("Score");
}

std::shared_ptr<const method::MatchMap>
mapOfValues(const job::JobResult& result, SearchValues values, const std::stop_token& stop) {
    const match::SearchMaps& search = *result.search;
    const base::Image<float>& from = chosenOf(values, search.mean, search.deviation, search.z);
    const base::Extents& extents = from.extents();
    auto map = std::make_shared<method::MatchMap>();
    map->value = base::Image<float>(extents);
    map->status = base::Image<base::Status>(extents);
    const std::int64_t slice = extents.x * extents.y;
    for (std::int64_t first = 0; first < from.count() && !stop.stop_requested(); first += slice) {
        std::copy_n(from.data() + first, slice, map->value.data() + first);
        for (std::int64_t i = first; i < first + slice; ++i) {
            const bool none = search.mean.data()[i] == 0 && search.deviation.data()[i] == 0;
            const base::Status status = result.map->status.data()[i];
            map->status.data()[i] =
                none && base::hasValue(status) ? base::Status::NotComputed : status;
        }
    }
    return stop.stop_requested() ? nullptr : map;
}

double valueOf(const match::Peak& peak, SearchValues values) {
    return values == SearchValues::Score || !peak.search
               ? peak.score
               : chosenOf(values, peak.search->mean, peak.search->deviation, peak.search->z);
}

} // namespace flcc::ui
