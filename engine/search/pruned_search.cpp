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
        const bool hasRoom =
            std::ranges::any_of(part.prepared->members, [&](const detail::MemberCells& member) {
                return member.reach.extents.x <= n.x && member.reach.extents.y <= n.y;
            });
        if (!hasRoom) {
            throw Error(ErrorCode::Problem, "template " +
                                                base::toString(part.prepared->bank->box()) +
                                                " is larger than scene " + base::toString(n));
        }
    }
}

double placementsOf(const Prepared& prepared, const detail::Frame& frame) {
    double count = 0;
    for (const detail::MemberCells& member : prepared.members) {
        const detail::Corners corners = frame.cornersOf(member.reach);
        if (!corners.isEmpty()) {
            count += static_cast<double>(corners.right - corners.left + 1) *
                     static_cast<double>(corners.bottom - corners.top + 1);
        }
    }
    return count;
}

} // namespace

Found searchPruned(const method::MaskedView& scene, const std::vector<Part>& parts,
                   const base::Geometry& geometry, const Options& options, base::TilePool& pool,
                   const std::stop_token& cancel, const std::function<void(double)>& share) {
    requireSearchable(scene, parts, options);
    std::stop_source source;
    const std::stop_callback passOn(cancel, [&source] { source.request_stop(); });
    const std::stop_token stop = source.get_token();
    constexpr double kCoarse = 0.7; // of the time, as far as anybody can say before
    Found found;
    Facts& facts = found.facts;
    base::Stopwatch watch;
    std::vector<const Prepared*> banks;
    for (const Part& part : parts) {
        banks.push_back(part.prepared.get());
    }
    const detail::Frame frame = detail::frameOf(banks, scene.extents());
    const base::AnyImage pixels = detail::framed(scene.pixels, frame);
    std::map<std::int64_t, detail::SceneCells> cells;
    for (const Part& part : parts) {
        const std::int64_t edge = part.prepared->edge;
        if (!cells.contains(edge)) {
            cells.emplace(edge, detail::cellsOf(base::viewOf(pixels), edge / 2, pool));
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
        if (!detail::makeSpectra(prepared, frame.extents, pool, stop)) {
            break;
        }
        const std::function<void(double)> tell = [&](double part) {
            if (share) {
                share(kCoarse * (static_cast<double>(i) + part) /
                      static_cast<double>(parts.size()));
            }
        };
        // The list holds a peak whose score lies below the threshold by its bound.
        const double least =
            options.minScore - 2 * method::canonicalBound(base::voxelCount(prepared.bank->box()));
        std::vector<detail::Node> nodes =
            detail::coarseNodes(prepared, frame, own, least, options.trust, pool, stop, tell);
        const base::Extents nodesOfBase = detail::nodesOf(prepared, frame.extents);
        facts.members += prepared.bank->count();
        facts.edge = facts.edge == 0 ? prepared.edge : facts.edge;
        facts.nodes += nodesOfBase.x * nodesOfBase.y * std::ssize(prepared.clusters);
        facts.placements += placementsOf(prepared, frame);
        searched.push_back({&parts[i], &prepared, &own, std::move(nodes)});
    }
    facts.coarseMs = watch.ms();
    watch = {};
    if (!stop.stop_requested()) {
        detail::BestFirst search(base::viewOf(pixels), frame, std::move(searched), options, pool,
                                 stop);
        const auto workMs = [&] { return search.workMs() / pool.threads(); };
        found.peaks = search.peaks(facts, [&] {
            if (workMs() > options.mostMs) {
                source.request_stop();
            }
        });
        facts.dividingMs = workMs();
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
