#include "engine/match/list_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/match/detail/assignment.h"

namespace flcc::match {

namespace {

using Edges = std::vector<detail::Assignment::Edge>;

base::Point scaled(const base::Point& centre, const base::Point& voxel) {
    return {centre[0] * voxel[0], centre[1] * voxel[1], centre[2] * voxel[2]};
}

/// The positions of B that lie within the tolerance of others, found by their order along x.
class Neighbours {
  public:
    Neighbours(const std::vector<ComparedPosition>& all, const ComparisonOptions& options)
        : m_options(options) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            m_sorted.push_back({scaled(all[i].centre, options.voxel), i});
        }
        std::ranges::stable_sort(m_sorted, {}, [](const Place& place) { return place.at[0]; });
    }

    [[nodiscard]] Edges of(const ComparedPosition& position) const {
        const base::Point at = scaled(position.centre, m_options.voxel);
        const double tolerance = m_options.tolerance;
        Edges edges;
        const auto xOf = [](const Place& place) { return place.at[0]; };
        for (auto place = std::ranges::lower_bound(m_sorted, at[0] - tolerance, {}, xOf);
             place != m_sorted.end() && place->at[0] <= at[0] + tolerance; ++place) {
            const double distance =
                std::hypot(place->at[0] - at[0], place->at[1] - at[1], place->at[2] - at[2]);
            if (distance <= tolerance) {
                edges.push_back({place->number, distance});
            }
        }
        std::ranges::sort(edges, {}, &detail::Assignment::Edge::column);
        return edges;
    }

  private:
    struct Place {
        base::Point at;
        std::size_t number;
    };
    ComparisonOptions m_options;
    std::vector<Place> m_sorted;
};

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

ListComparison::Distances distancesOf(const std::vector<MatchedPair>& pairs) {
    std::vector<double> all;
    for (const MatchedPair& pair : pairs) {
        all.push_back(pair.distance);
    }
    std::ranges::sort(all);
    const std::size_t half = all.size() / 2;
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    return {sum / static_cast<double>(all.size()),
            all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2, all.back()};
}

} // namespace

ThresholdPoint pointOf(double threshold, std::int64_t listed, std::int64_t matched,
                       std::int64_t all) {
    return {threshold,
            listed,
            matched,
            share(matched, listed),
            share(matched, all),
            share(2 * matched, listed + all),
            share(17 * matched, listed + 16 * all)};
}

ListComparison compareLists(const std::vector<ComparedPosition>& a,
                            const std::vector<ComparedPosition>& b,
                            const ComparisonOptions& options) {
    if (!(options.tolerance >= 0)) {
        throw base::Error(
            base::ErrorCode::CommandLine,
            base::Message("negative-tolerance", "{--tolerance} must be a distance of at least 0"));
    }
    const Neighbours neighbours(b, options);
    const bool scores = std::ranges::all_of(
        a, [](const ComparedPosition& position) { return position.score.has_value(); });
    // In the order of the scores, every prefix is the list of a threshold.
    std::vector<std::size_t> order(a.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (scores) {
        std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
            const double p = *a[one].score;
            const double q = *a[other].score;
            return options.smallestIsBest ? p < q : p > q;
        });
    }
    ListComparison result;
    detail::Assignment assignment(b.size());
    const auto all = static_cast<std::int64_t>(b.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        assignment.addRow(neighbours.of(a[order[i]]));
        if (scores && (i + 1 == order.size() || *a[order[i + 1]].score != *a[order[i]].score)) {
            result.curve.push_back(pointOf(*a[order[i]].score, static_cast<std::int64_t>(i + 1),
                                           static_cast<std::int64_t>(assignment.pairs()), all));
            if (!result.best || result.curve.back().f1 > result.best->f1) {
                result.best = result.curve.back();
            }
        }
    }
    std::vector<bool> found(b.size(), false);
    for (std::size_t row = 0; row < order.size(); ++row) {
        const std::optional<std::size_t> column = assignment.columnOf(row);
        if (!column) {
            result.onlyA.push_back(static_cast<int>(order[row]));
            continue;
        }
        found[*column] = true;
        const base::Point p = scaled(a[order[row]].centre, options.voxel);
        const base::Point q = scaled(b[*column].centre, options.voxel);
        result.pairs.push_back({static_cast<int>(order[row]), static_cast<int>(*column),
                                std::hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2])});
    }
    std::ranges::sort(result.pairs, {}, &MatchedPair::a);
    std::ranges::sort(result.onlyA);
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (!found[i]) {
            result.onlyB.push_back(static_cast<int>(i));
        }
    }
    const ThresholdPoint whole =
        pointOf(0, std::ssize(a), std::ssize(result.pairs), static_cast<std::int64_t>(b.size()));
    result.precision = whole.precision;
    result.recall = whole.recall;
    result.f1 = whole.f1;
    result.f4 = whole.f4;
    if (!result.pairs.empty()) {
        result.distances = distancesOf(result.pairs);
    }
    return result;
}

} // namespace flcc::match
