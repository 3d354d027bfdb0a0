#include "engine/search/pruned_search.h"

#include <algorithm>
#include <map>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/search/detail/best_first.h"
#include "engine/search/detail/coarse.h"
#include "engine/search/detail/prepared_bank.h"

namespace flcc::search {

namespace {

using base::Error;
using base::ErrorCode;

void requireSearchable(const method::MaskedView& scene, const std::vector<Part>& parts,
                       const Options& options) {
    const base::Extents n = scene.extents();
    if (n.z > 1) {
        throw Error(ErrorCode::Problem, "the pruned search is for pictures of one slice, not for " +
                                            base::toString(n) + "; use --search exhaustive");
    }
    if (method::isMasked(scene)) {
        throw Error(ErrorCode::Problem, "the pruned search cannot leave pixels of the scene out; "
                                        "use --search exhaustive with a scene mask");
    }
    if (!(options.minScore > 0)) {
        throw Error(ErrorCode::CommandLine,
                    "the pruned search needs a --min-score above 0, which leaves placements out");
    }
    for (const Part& part : parts) {
        const base::Extents& box = part.prepared->bank->box();
        if (box.x > n.x || box.y > n.y) {
            throw Error(ErrorCode::Problem, "template " + base::toString(box) +
                                                " is larger than scene " + base::toString(n));
        }
    }
}

} // namespace

Found searchPruned(const method::MaskedView& scene, const std::vector<Part>& parts,
                   const base::Geometry& geometry, const Options& options, base::TilePool& pool,
                   const std::stop_token& cancel, const std::function<void(double)>& share) {
    requireSearchable(scene, parts, options);
    std::stop_source source;
    const std::stop_callback passOn(cancel, [&source] { source.request_stop(); });
    const std::stop_token stop = source.get_token();
    const base::Stopwatch all;
    const std::function<void()> look = [&] {
        if (options.mostMs && all.ms() > *options.mostMs) {
            source.request_stop();
        }
    };
    constexpr double kCoarse = 0.7; // of the time, as far as anybody can say before
    Found found;
    Facts& facts = found.facts;
    base::Stopwatch watch;
    std::map<std::int64_t, detail::SceneCells> cells;
    for (const Part& part : parts) {
        const std::int64_t edge = part.prepared->edge;
        if (!cells.contains(edge)) {
            cells.emplace(edge, detail::cellsOf(scene.pixels, edge / 2, pool));
            if (!cells.at(edge).finite) {
                throw Error(ErrorCode::Problem,
                            "the pruned search needs a scene without NaN and Inf, and squares of "
                            "its values that a double holds; use --search exhaustive");
            }
        }
    }
    facts.cellsMs = watch.ms();
    watch = {};
    std::vector<detail::Searched> searched;
    for (std::size_t i = 0; i < parts.size() && !stop.stop_requested(); ++i) {
        const Prepared& prepared = *parts[i].prepared;
        const detail::SceneCells& own = cells.at(prepared.edge);
        const base::Extents n = scene.extents();
        if (!detail::makeSpectra(prepared, n, pool, stop)) {
            break;
        }
        const std::function<void(double)> tell = [&](double part) {
            look();
            if (share) {
                share(kCoarse * (static_cast<double>(i) + part) /
                      static_cast<double>(parts.size()));
            }
        };
        // The list holds a peak whose score lies below the threshold by its bound.
        const double least =
            options.minScore - 2 * method::canonicalBound(base::voxelCount(prepared.bank->box()));
        std::vector<detail::Node> nodes =
            detail::coarseNodes(prepared, n, own, least, options.trust, pool, stop, tell);
        const base::Extents nodesOfBase = detail::nodesOf(prepared, n);
        const base::Extents& box = prepared.bank->box();
        facts.members += prepared.bank->count();
        facts.edge = facts.edge == 0 ? prepared.edge : facts.edge;
        facts.nodes += nodesOfBase.x * nodesOfBase.y * std::ssize(prepared.clusters);
        facts.placements += static_cast<double>(prepared.bank->count()) *
                            static_cast<double>(n.x - box.x + 1) *
                            static_cast<double>(n.y - box.y + 1);
        searched.push_back({&parts[i], &prepared, &own, std::move(nodes)});
    }
    facts.coarseMs = watch.ms();
    watch = {};
    if (!stop.stop_requested()) {
        detail::BestFirst search(scene, std::move(searched), options, pool, stop);
        found.peaks = search.peaks(facts, look);
    }
    for (match::Peak& peak : found.peaks) {
        peak.world = base::toWorld(geometry, peak.centre);
    }
    facts.fineMs = watch.ms();
    found.cancelled = cancel.stop_requested();
    found.gaveUp = !found.cancelled && stop.stop_requested();
    if (share) {
        share(1);
    }
    return found;
}

} // namespace flcc::search
