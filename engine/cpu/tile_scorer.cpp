#include "engine/cpu/tile_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Status;

constexpr double kU24 = 0x1p-24;
constexpr double kU53 = 0x1p-53;

/// Every this many-th bound of the first row of a slice goes into the sample.
constexpr std::int64_t kBoundStep = 16;

/// Longest chain of additions of the window sums (METHODS 2.1).
double chainOf(const Extents& m) {
    return static_cast<double>(m.y > 1 ? m.y : 0) + static_cast<double>(m.z > 1 ? m.z : 0);
}

simd::ScoreConstants constantsOf(const method::Problem& problem, const CentredTile& tile,
                                 const BoundTerms& terms) {
    const Extents& m = problem.templ;
    const double chain = chainOf(m);
    simd::ScoreConstants constants;
    constants.count =
        static_cast<double>(m.x) * static_cast<double>(m.y) * static_cast<double>(m.z);
    constants.exactSums = tile.exactSums;
    constants.unit = tile.unit;
    // Exact sums: below this the rounding of s1^2 / N would show, and the integers decide.
    constants.suspicious = static_cast<float>(tile.exactSums ? 0x1p-20 : 4 * (16 + chain) * kU53);
    constants.boundNumerator = static_cast<float>(terms.numerator);
    constants.boundWorst =
        terms.worst > 0 ? static_cast<float>(terms.worst) : std::numeric_limits<float>::infinity();
    constants.boundScore = static_cast<float>(terms.score);
    constants.boundPanel = static_cast<float>(terms.panel);
    constants.boundSquare = tile.exactSums ? 0.0F : static_cast<float>((8 + chain / 2) * kU53);
    constants.boundConstant = static_cast<float>(4 * kU24);
    constants.promise = static_cast<float>(problem.promise);
    return constants;
}

struct MapPart {
    base::View<float> value;
    base::View<Status> status;
};

/// Calls `change(value, status, i)` for every voxel of a tile, i counting x fastest.
template <class Change> void forVoxels(const MapPart& part, Change&& change) {
    const Extents& extents = part.value.extents();
    std::size_t i = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x, ++i) {
                change(part.value.at(x, y, z), part.status.at(x, y, z), i);
            }
        }
    }
}

/// Voxels whose variance could not be trusted: FLAT where the pixels say so, else LOWCONF with
/// nothing known of their score. Returns how many are LOWCONF.
std::int64_t settleSuspicious(const base::AnyView& scene, const base::Box& footprint,
                              const Extents& m, const MapPart& part) {
    const auto flat = flatPanels(scene, footprint, m);
    std::int64_t unknown = 0;
    forVoxels(part, [&](float& value, Status& status, std::size_t i) {
        if (static_cast<std::uint8_t>(status) == simd::kSuspicious) {
            status = flat[i] != 0 ? Status::Flat : Status::LowConf;
            value = 0;
            unknown += flat[i] != 0 ? 0 : 1;
        }
    });
    return unknown;
}

} // namespace

BoundTerms directTerms(const Extents& m) {
    BoundTerms terms;
    terms.panel = kU24 * (2 + static_cast<double>(simd::directChain(m)) / 2);
    return terms;
}

BoundTerms fourierTerms(std::int64_t points, double rhoIn, double rhoOut, double norm, bool exact) {
    const double root =
        std::sqrt(std::log2(static_cast<double>(std::max<std::int64_t>(2, points))));
    BoundTerms terms;
    terms.numerator = kU24 * 8 * root * (rhoIn + rhoOut);
    terms.worst = kU24 * 2 * root * norm;
    terms.score = kU24 * 64;
    terms.panel = exact ? 0 : kU24;
    return terms;
}

void FactsCollector::addTile(const simd::ScoreTally& tally, const CentredTile& tile) {
    m_facts.overRange += tally.overRange;
    m_facts.largestBound = std::max(m_facts.largestBound, static_cast<double>(tally.largestBound));
    m_facts.largestLowConf =
        std::max(m_facts.largestLowConf, static_cast<double>(tally.largestLowConf));
    m_facts.largestRounding = std::max(m_facts.largestRounding, tile.largestRounding);
}

void FactsCollector::addStatuses(const std::array<std::int64_t, base::kStatusCount>& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        m_facts.statusCounts[i] += counts[i];
    }
}

void FactsCollector::addBound(float bound) {
    if (bound > 0) {
        const double step = 8 * (std::log2(static_cast<double>(bound)) + 32);
        ++m_bounds[static_cast<std::size_t>(std::clamp(step, 0.0, 511.0))];
    }
}

void FactsCollector::merge(const FactsCollector& other) {
    addStatuses(other.m_facts.statusCounts);
    m_facts.overRange += other.m_facts.overRange;
    m_facts.recomputed += other.m_facts.recomputed;
    m_facts.largestBound = std::max(m_facts.largestBound, other.m_facts.largestBound);
    m_facts.largestLowConf = std::max(m_facts.largestLowConf, other.m_facts.largestLowConf);
    m_facts.largestRounding = std::max(m_facts.largestRounding, other.m_facts.largestRounding);
    for (std::size_t i = 0; i < m_bounds.size(); ++i) {
        m_bounds[i] += other.m_bounds[i];
    }
}

method::MapFacts FactsCollector::facts() const {
    method::MapFacts facts = m_facts;
    std::int64_t total = 0;
    for (const std::int64_t count : m_bounds) {
        total += count;
    }
    std::int64_t below = 0;
    for (std::size_t i = 0; i < m_bounds.size() && total > 0; ++i) {
        below += m_bounds[i];
        if (2 * below >= total) {
            facts.boundMedian = std::min(std::exp2((static_cast<double>(i) + 0.5) / 8 - 32),
                                         std::max(facts.largestBound, facts.largestLowConf));
            break;
        }
    }
    return facts;
}

TileScorer::TileScorer(const Extents& m, const Extents& tile)
    : m_scratch({simd::scoreScratch(m, tile), 1, 1}, 0.0),
      m_bounds({tile.x + simd::kSlack, 1, 1}, 0.0F) {}

std::int64_t TileScorer::bytes(const Extents& m, const Extents& tile) {
    return 8 * simd::scoreScratch(m, tile) + 4 * (tile.x + simd::kSlack);
}

void TileScorer::score(const method::Problem& problem, const base::AnyView& scene,
                       const base::Box& out, const simd::FloatBox& x,
                       const simd::FloatBox& numerator, const CentredTile& tile,
                       const BoundTerms& terms, const method::MapView& map,
                       FactsCollector& collector) {
    const MapPart part{map.value.part(out), map.status.part(out)};
    simd::ScoreArguments arguments;
    arguments.x = x;
    arguments.num = numerator;
    arguments.m = problem.templ;
    arguments.out = out.extents;
    arguments.value = part.value.data();
    arguments.status = reinterpret_cast<std::uint8_t*>(part.status.data());
    arguments.mapRowStride = part.value.rowStride();
    arguments.mapSliceStride = part.value.sliceStride();
    arguments.bounds = m_bounds.data();
    arguments.scratch = m_scratch.data();
    simd::ScoreTally tally = simd::scoreTile(arguments, constantsOf(problem, tile, terms));
    for (std::int64_t i = 0; i < out.extents.x; i += kBoundStep) {
        collector.addBound(m_bounds.data()[i]);
    }
    const base::Box seen{out.corner,
                         {out.extents.x + problem.templ.x - 1, out.extents.y + problem.templ.y - 1,
                          out.extents.z + problem.templ.z - 1}};
    if (tile.nonFinite > 0) {
        const auto touched = nonFinitePanels(scene, seen, problem.templ);
        forVoxels(part, [&](float& value, Status& status, std::size_t i) {
            if (touched[i] != 0) {
                value = 0;
                status = Status::NonFinite;
            }
        });
    }
    if (tally.suspicious > 0 && settleSuspicious(scene, seen, problem.templ, part) > 0) {
        tally.largestLowConf = std::max(tally.largestLowConf, 2.0F); // the range of a score
    }
    collector.addTile(tally, tile);
    std::array<std::int64_t, base::kStatusCount> counts{};
    if (tally.marked == 0 && tile.nonFinite == 0) {
        counts[static_cast<std::size_t>(Status::Ok)] = base::voxelCount(out.extents);
    } else {
        forVoxels(part, [&](const float&, const Status& status, std::size_t) {
            ++counts[static_cast<std::size_t>(status)];
        });
    }
    collector.addStatuses(counts);
}

} // namespace flcc::cpu
