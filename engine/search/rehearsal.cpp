// What a search is expected to take, by a part of its members.

#include <algorithm>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/search/detail/prepared_bank.h"
#include "engine/search/detail/work.h"
#include "engine/search/pruned_search.h"

namespace flcc::search {

namespace {

using Clusters = std::vector<Prepared::Cluster>;

std::int64_t membersOf(const Clusters& clusters) {
    std::int64_t count = 0;
    for (const Prepared::Cluster& cluster : clusters) {
        count += cluster.end - cluster.first;
    }
    return count;
}

/// Every twentieth one, from the middle of each twenty; of few, four.
Clusters sampleOf(const Clusters& all) {
    constexpr std::size_t kEvery = 20;
    const std::size_t count =
        std::clamp<std::size_t>(all.size() / kEvery, std::min<std::size_t>(4, all.size()), 100);
    Clusters sample;
    for (std::size_t i = 0; i < count; ++i) {
        sample.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
    }
    return sample;
}

} // namespace

std::optional<Expected>
rehearse(const method::MaskedView& scene,
         const std::vector<std::shared_ptr<const rotation::PoseBank>>& banks,
         const Options& options, double mostMs, base::TilePool& pool, const std::stop_token& stop) {
    const base::Extents extents = scene.extents();
    const double threads = pool.threads();
    const base::Stopwatch watch;
    double sampled = detail::cellsMs(extents) / threads; // expected, of the sample
    Expected expected{.beforeMs = sampled};
    double members = 0;
    double all = 0;
    std::vector<Part> parts;
    for (const auto& bank : banks) {
        const Clusters clusters = detail::clustersOf(*bank);
        const Clusters sample = sampleOf(clusters);
        const auto beforeDividing = [&](const Clusters& of) {
            return (detail::preparingMs(*bank, of, extents) +
                    detail::coarseMs(*bank, of, extents)) /
                   threads;
        };
        all += static_cast<double>(membersOf(clusters));
        members += static_cast<double>(membersOf(sample));
        expected.beforeMs += beforeDividing(clusters);
        sampled += beforeDividing(sample);
        if (expected.beforeMs > mostMs) {
            expected.isMore = true;
            return expected;
        }
        Part& part = parts.emplace_back();
        part.prepared = detail::prepareClusters(bank, sample, extents, pool, stop, {});
        if (!part.prepared) {
            return std::nullopt;
        }
    }
    Options some = options;
    some.mostMs = (mostMs - expected.beforeMs) * members / all;
    const Found found = searchPruned(scene, parts, {}, some, pool, stop);
    if (found.cancelled) {
        return std::nullopt;
    }
    expected.dividingMs = found.facts.dividingMs * all / members;
    expected.isMore = found.gaveUp;
    expected.slower = watch.ms() / std::max(1e-3, sampled + found.facts.dividingMs);
    return expected;
}

} // namespace flcc::search
