#include "engine/match/search_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

namespace flcc::match {

namespace {

constexpr std::int32_t kLeastScores = 2;

struct Term {
    double mean = 0;
    double deviation = 0;
    double z = 0;
};

Term termOf(double best, double sum, double squares, std::int32_t count) {
    Term place;
    if (count < kLeastScores) {
        return place;
    }
    const auto members = static_cast<double>(count);
    place.mean = sum / members;
    const double meanOfSquares = squares / members;
    const double variance = meanOfSquares - place.mean * place.mean;
    // Each of the sums is off by at most its additions, of what they add up to.
    const double rounding = (members + 4) * std::numeric_limits<double>::epsilon() * meanOfSquares;
    if (variance > 2 * rounding) {
        place.deviation = std::sqrt(variance);
        place.z = (best - place.mean) / place.deviation;
    }
    return place;
}

} // namespace

SearchMaps searchMaps(const method::MapView& best, const method::SearchSums& sums,
                      base::TilePool& pool) {
    const base::Extents& extents = best.value.extents();
    SearchMaps maps(extents);
    (void)pool.run(extents.z * extents.y, [&](std::int64_t row, int) {
        const std::int64_t y = row % extents.y;
        const std::int64_t z = row / extents.y;
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const double score = best.exact.data() != nullptr
                                     ? best.exact.at(x, y, z)
                                     : static_cast<double>(best.value.at(x, y, z));
            const Term place = termOf(score, sums.sum.at(x, y, z), sums.squares.at(x, y, z),
                                      sums.count.at(x, y, z));
            maps.mean.view().at(x, y, z) = static_cast<float>(place.mean);
            maps.deviation.view().at(x, y, z) = static_cast<float>(place.deviation);
            maps.z.view().at(x, y, z) = static_cast<float>(place.z);
        }
    });
    return maps;
}

SearchFigures searchFigures(const SearchMaps& maps, const method::SearchSums& sums) {
    SearchFigures figures;
    figures.largestZ = -std::numeric_limits<double>::infinity();
    const base::Extents& extents = maps.z.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                if (sums.count.at(x, y, z) < kLeastScores) {
                    continue;
                }
                ++figures.voxels;
                figures.mean += static_cast<double>(maps.mean.view().at(x, y, z));
                figures.deviation += static_cast<double>(maps.deviation.view().at(x, y, z));
                const auto out = static_cast<double>(maps.z.view().at(x, y, z));
                if (out > figures.largestZ) {
                    figures.largestZ = out;
                    figures.at = {x, y, z};
                }
            }
        }
    }
    if (figures.voxels == 0) {
        return {};
    }
    figures.mean /= static_cast<double>(figures.voxels);
    figures.deviation /= static_cast<double>(figures.voxels);
    return figures;
}

void setSearchStatistics(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps) {
    for (Peak& peak : peaks) {
        const auto map = std::ranges::find_if(maps, [&peak](const SearchedMap& each) {
            return std::ranges::find(each.numbers, peak.templ) != each.numbers.end();
        });
        if (map == maps.end() || map->search.z.data() == nullptr) {
            continue;
        }
        const base::Index& first = map->firstPlacement;
        const base::Index at{peak.corner.x - first.x, peak.corner.y - first.y,
                             peak.corner.z - first.z};
        const PeakSearch search{static_cast<double>(map->search.mean.at(at)),
                                static_cast<double>(map->search.deviation.at(at)),
                                static_cast<double>(map->search.z.at(at))};
        if (search.mean != 0 || search.deviation != 0) {
            peak.search = search;
        }
    }
}

namespace {

/// A member as it is added: (value - mean) * scale, times the root of the voxel's weight.
struct Unit {
    double mean = 0;
    double scale = 0; ///< 0 of a flat member
};

template <class T> struct Voxels {
    base::View<const T> pixels;
    const method::MaskedView& member;

    [[nodiscard]] double weight(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return member.mask.data() != nullptr && member.mask.at(x, y, z) == 0 ? 0.0
               : member.weights.data() != nullptr ? member.weights.at(x, y, z)
                                                  : 1.0;
    }
    /// Calls `use(value, weight, x, y, z)` for the voxels that count of rows `first` to `last`.
    template <class Use> void forEach(std::int64_t first, std::int64_t last, Use&& use) const {
        const base::Extents& n = pixels.extents();
        for (std::int64_t row = first; row < last; ++row) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const double by = weight(x, row % n.y, row / n.y);
                if (by > 0) {
                    use(static_cast<double>(pixels.at(x, row % n.y, row / n.y)), by, x, row % n.y,
                        row / n.y);
                }
            }
        }
    }
};

Unit unitOf(const method::MaskedView& member) {
    return std::visit(
        [&](const auto& pixels) {
            const Voxels<std::remove_const_t<std::remove_pointer_t<decltype(pixels.data())>>> all{
                pixels, member};
            const std::int64_t rows = pixels.extents().y * pixels.extents().z;
            double sum = 0;
            double weights = 0;
            all.forEach(0, rows, [&](double value, double by, auto...) {
                sum += by * value;
                weights += by;
            });
            Unit unit{weights > 0 ? sum / weights : 0, 0};
            double squares = 0;
            all.forEach(0, rows, [&](double value, double by, auto...) {
                squares += by * (value - unit.mean) * (value - unit.mean);
            });
            unit.scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
            return unit;
        },
        member.pixels);
}

} // namespace

void Likeness::add(const std::vector<method::MaskedView>& members, base::TilePool& pool) {
    std::vector<Unit> units(members.size());
    (void)pool.run(std::ssize(members), [&](std::int64_t i, int) {
        units[static_cast<std::size_t>(i)] = unitOf(members[static_cast<std::size_t>(i)]);
    });
    const base::Extents& n = m_sum.extents();
    const std::int64_t rows = n.y * n.z;
    constexpr std::int64_t kRows = 64;
    const base::View<double> sum = m_sum.view();
    (void)pool.run((rows + kRows - 1) / kRows, [&](std::int64_t part, int) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            std::visit(
                [&](const auto& pixels) {
                    const Voxels<
                        std::remove_const_t<std::remove_pointer_t<decltype(pixels.data())>>>
                        all{pixels, members[i]};
                    const Unit& unit = units[i];
                    all.forEach(part * kRows, std::min(rows, (part + 1) * kRows),
                                [&](double value, double by, std::int64_t x, std::int64_t y,
                                    std::int64_t z) {
                                    sum.at(x, y, z) +=
                                        std::sqrt(by) * (value - unit.mean) * unit.scale;
                                });
                },
                members[i].pixels);
        }
    });
    m_members += std::ssize(members);
}

double Likeness::value() const {
    double squares = 0;
    for (std::int64_t i = 0; i < m_sum.count(); ++i) {
        squares += m_sum.data()[i] * m_sum.data()[i];
    }
    const auto members = static_cast<double>(std::max<std::int64_t>(1, m_members));
    return squares / (members * members);
}

} // namespace flcc::match
