#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/base/random.h"
#include "engine/match/detail/plain_scores.h"
#include "engine/match/detail/score_tiles.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::match::detail {

namespace {

constexpr std::int64_t kMostKinds = 32;
constexpr std::int64_t kMostTurns = 32; // of all kinds: turns at a place have like scores
constexpr double kVoxels = 4e7;         // that are compared, if that gives kLeastPlaces in a tile
constexpr double kLeastPlaces = 4;
constexpr double kMostPlaces = 400;

/// Members that differ in their turns and hands alone.
struct Kind {
    std::vector<std::int64_t> scored; ///< numbers of some members
    double members = 0;
};

/// About `count` of the numbers 0 to `all` - 1, evenly.
std::vector<std::int64_t> someOf(std::int64_t all, std::int64_t count) {
    std::vector<std::int64_t> some;
    const std::int64_t most = std::min(all, std::max<std::int64_t>(1, count));
    for (std::int64_t i = 0; i < most; ++i) {
        some.push_back((2 * i + 1) * all / (2 * most));
    }
    return some;
}

std::vector<Kind> kindsOf(const SearchedMap& map) {
    std::vector<Kind> kinds;
    if (!map.poses) {
        const std::int64_t all = std::ssize(map.templates);
        for (const std::int64_t i : someOf(all, kMostKinds)) {
            kinds.push_back({{i}, 0});
        }
        for (Kind& kind : kinds) {
            kind.members = static_cast<double>(all) / static_cast<double>(kinds.size());
        }
        return kinds;
    }
    const rotation::Cover& cover = map.poses->cover();
    const std::int64_t turns = std::ssize(cover.turns);
    const std::int64_t hands = cover.mirror ? 2 : 1;
    const std::int64_t scales = std::ssize(cover.scales);
    const std::int64_t all = map.poses->count() / (turns * hands); // templates times scales
    for (const std::int64_t i : someOf(all, kMostKinds)) {
        Kind kind;
        kind.members = static_cast<double>(map.poses->count());
        const std::int64_t first = i / scales * cover.count() + i % scales * turns;
        for (const std::int64_t j : someOf(turns * hands, kMostTurns / all)) {
            kind.scored.push_back(first + j / turns * scales * turns + j % turns);
        }
        kinds.push_back(std::move(kind));
    }
    for (Kind& kind : kinds) {
        kind.members /= static_cast<double>(kinds.size());
    }
    return kinds;
}

/// Some placements of a tile that count.
std::vector<base::Index> placesIn(const SearchedMap& map, const base::Box& box, double count,
                                  bool partial, base::Random& random) {
    std::vector<base::Index> places;
    const auto below = [&random](std::int64_t end) {
        return std::min(end - 1,
                        static_cast<std::int64_t>(random.uniform(0, static_cast<double>(end))));
    };
    for (int tries = 0;
         tries < 20 * static_cast<int>(count) && static_cast<double>(places.size()) < count;
         ++tries) {
        const base::Index at{box.corner.x + below(box.extents.x),
                             box.corner.y + below(box.extents.y),
                             box.corner.z + below(box.extents.z)};
        if (countsIn(map.status.at(at), partial)) {
            places.push_back(at);
        }
    }
    return places;
}

} // namespace

ScoreSample sampleScores(const SearchedMap& map, const method::MaskedView& scene,
                         const ScoreTiles& tiles, double origin, const PeakOptions& options) {
    ScoreSample sample;
    if (scene.extents().x == 0 || tiles.tiles.empty()) {
        return sample;
    }
    const std::vector<Kind> kinds = kindsOf(map);
    double members = 0;
    for (const Kind& kind : kinds) {
        members += static_cast<double>(kind.scored.size());
    }
    const base::Extents extents = map.poses ? map.poses->box() : map.templates.front().extents();
    sample.places = std::clamp(kVoxels / (static_cast<double>(tiles.tiles.size()) * members *
                                          static_cast<double>(base::voxelCount(extents))),
                               kLeastPlaces, kMostPlaces);
    if (map.poses && map.poses->cover().turns.size() > 1) {
        sample.turns = map.poses->cover().flat ? 1 : 3;
    }
    base::Random random(1);
    std::vector<std::vector<base::Index>> places;
    for (const ScoreTile& tile : tiles.tiles) {
        places.push_back(placesIn(map, tile.box, sample.places, options.partialPeaks, random));
    }
    const base::Index& first = map.firstPlacement;
    for (const Kind& kind : kinds) {
        SampledKind made{.members = kind.members,
                         .squares = std::vector<double>(places.size()),
                         .fourths = std::vector<double>(places.size())};
        std::vector<double> counts(places.size());
        for (const std::int64_t number : kind.scored) {
            std::optional<rotation::TurnedTemplate> turned;
            if (map.poses) {
                turned = map.poses->member(number);
            }
            const method::CanonicalTemplate templ(
                turned ? method::viewOf(*turned) : map.templates[static_cast<std::size_t>(number)]);
            const PlainScores plain(templ);
            for (std::size_t t = 0; t < places.size(); ++t) {
                for (const base::Index& at : places[t]) {
                    const base::Index corner{at.x + first.x, at.y + first.y, at.z + first.z};
                    std::optional<double> score = plain.at(scene, corner);
                    if (!score) {
                        const method::CanonicalValue value =
                            method::canonicalValue(scene, templ, corner, options.outside);
                        score = value.scored ? std::optional(value.score) : std::nullopt;
                    }
                    if (score) {
                        const double square = (*score - origin) * (*score - origin);
                        made.squares[t] += square;
                        made.fourths[t] += square * square;
                        counts[t] += 1;
                    }
                }
            }
        }
        for (std::size_t t = 0; t < places.size(); ++t) {
            made.squares[t] /= std::max(1.0, counts[t]);
            made.fourths[t] /= std::max(1.0, counts[t]);
        }
        sample.kinds.push_back(std::move(made));
    }
    return sample;
}

} // namespace flcc::match::detail
