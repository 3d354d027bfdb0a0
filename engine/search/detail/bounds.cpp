#include "engine/search/detail/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/base/widest.h"

namespace flcc::search::detail {

double dot(const CellSums& templ, const CellLevel& scene, std::int64_t x, std::int64_t y) {
    double all = 0;
    base::inWidest([&] {
        constexpr std::int64_t kLanes = CellSums::kLanes;
        const float* sums = templ.sums.data();
        const auto count = std::ssize(templ.runs);
        for (std::int64_t first = 0; first < count; first += kRunsTogether) {
            float lanes[kLanes] = {};
            const std::int64_t last = std::min(count, first + kRunsTogether);
            for (std::int64_t i = first; i < last; ++i) {
                const Run& run = templ.runs[static_cast<std::size_t>(i)];
                const float* means = scene.means.data() + scene.cell(x + run.from, y + run.row);
                for (std::int64_t left = run.to - run.from; left > 0; left -= kLanes) {
                    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                        lanes[lane] += sums[lane] * means[lane];
                    }
                    sums += kLanes;
                    means += kLanes;
                }
            }
            float sum = 0;
            for (const float lane : lanes) {
                sum += lane;
            }
            all += static_cast<double>(sum);
        }
    });
    return all;
}

template <std::size_t kWide>
void dots(const CellSums& templ, const CellLevel& scene, std::int64_t x, std::int64_t y,
          double* to) {
    std::fill_n(to, kWide * kWide, 0.0);
    base::inWidest([&] {
        constexpr std::int64_t kLanes = CellSums::kLanes;
        using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;
        const float* sums = templ.sums.data();
        const auto count = std::ssize(templ.runs);
        for (std::int64_t first = 0; first < count; first += kRunsTogether) {
            Lanes lanes[kWide * kWide] = {};
            const std::int64_t last = std::min(count, first + kRunsTogether);
            for (std::int64_t i = first; i < last; ++i) {
                const Run& run = templ.runs[static_cast<std::size_t>(i)];
                const float* means = scene.means.data() + scene.cell(x + run.from, y + run.row);
                for (std::int64_t left = run.to - run.from; left > 0; left -= kLanes) {
                    Lanes of;
                    std::memcpy(&of, sums, sizeof of);
                    for (std::size_t k = 0; k < kWide * kWide; ++k) {
                        Lanes at;
                        std::memcpy(&at,
                                    means + static_cast<std::int64_t>(k / kWide) * scene.columns +
                                        k % kWide,
                                    sizeof at);
                        lanes[k] += of * at;
                    }
                    sums += kLanes;
                    means += kLanes;
                }
            }
            for (std::size_t k = 0; k < kWide * kWide; ++k) {
                float sum = 0;
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    sum += lanes[k][lane];
                }
                to[k] += static_cast<double>(sum);
            }
        }
    });
}
template void dots<2>(const CellSums&, const CellLevel&, std::int64_t, std::int64_t, double*);
template void dots<3>(const CellSums&, const CellLevel&, std::int64_t, std::int64_t, double*);
template void dots<4>(const CellSums&, const CellLevel&, std::int64_t, std::int64_t, double*);

LocalRest localRest(const CellRemainders& templ, const CellLevel& scene, std::int64_t x,
                    std::int64_t y, double mean) {
    LocalRest all;
    base::inWidest([&] {
        constexpr std::int64_t kLanes = CellSums::kLanes;
        const float* ofSeen = templ.seen.data();
        const float* ofUnseen = templ.unseen.data();
        const auto middle = static_cast<float>(mean);
        float seen[kLanes] = {};
        float unseen[kLanes] = {};
        for (const Run& run : templ.runs) {
            const auto cell = static_cast<std::size_t>(scene.cell(x + run.from, y + run.row));
            const float* means = scene.means.data() + cell;
            const float* norms = scene.norms.data() + cell;
            for (std::int64_t left = run.to - run.from; left > 0; left -= kLanes) {
                for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                    seen[lane] += ofSeen[lane] * std::abs(means[lane] - middle);
                    unseen[lane] += ofUnseen[lane] * norms[lane];
                }
                ofSeen += kLanes;
                ofUnseen += kLanes;
                means += kLanes;
                norms += kLanes;
            }
        }
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            all.seen += static_cast<double>(seen[lane]);
            all.unseen += static_cast<double>(unseen[lane]);
        }
    });
    // All terms are positive: their roundings are at most those of their sum.
    const double rounding =
        static_cast<double>(std::ssize(templ.seen) / CellSums::kLanes + 8) * 0x1p-23;
    return {all.seen * (1 + rounding), all.unseen * (1 + rounding)};
}

namespace {

CellLevel::Sums sumsOver(const Runs& runs, const CellLevel& scene, std::int64_t x, std::int64_t y) {
    // All four sums of a cell at once.
    static_assert(sizeof(CellLevel::Sums) == 4 * sizeof(double));
    CellLevel::Sums all;
    base::inWidest([&] {
        using Four [[gnu::vector_size(4 * sizeof(double))]] = double;
        Four sums{};
        for (const Run& run : runs) {
            const CellLevel::Sums* const row = scene.sums.data() + scene.prefix(x, y + run.row);
            Four to;
            Four from;
            std::memcpy(&to, row + run.to, sizeof to);
            std::memcpy(&from, row + run.from, sizeof from);
            sums += to - from;
        }
        all = {sums[0], sums[1], sums[2], sums[3]};
    });
    return all;
}

/// Pixels of the cells.
double pixelsOf(const Runs& runs, const CellLevel& scene) {
    return static_cast<double>(cellsOf(runs)) * static_cast<double>(scene.edge * scene.edge);
}

} // namespace

Energies energiesOf(const CellLevel::Sums& outer, double outerPixels, const CellLevel::Sums& inner,
                    double innerPixels, double slack) {
    // Of sums in double of at most 2^31 terms; the sums over rows before a run take part in it.
    constexpr double kRounding = 1e-12;
    Energies made;
    const double squares = std::max(0.0, outer.squares) * (1 + kRounding) + slack;
    const double scatter = squares - outer.pixels * outer.pixels / outerPixels * (1 - kRounding);
    const double fine = std::clamp(outer.fine + slack, 0.0, squares);
    made.seen = std::sqrt(std::max(0.0, scatter - fine + 2 * kRounding * squares + 2 * slack));
    made.unseen = std::sqrt(fine + kRounding * squares);
    made.whole = std::sqrt(squares);
    made.mean = outer.pixels / outerPixels;
    if (innerPixels > 0) {
        const double rest = inner.squares - inner.pixels * inner.pixels / innerPixels -
                            4 * kRounding * std::max(0.0, inner.squares) - 2 * slack;
        made.contrast = std::sqrt(std::max(0.0, rest));
    }
    return made;
}

bool isFlat(const Runs& runs, const CellLevel& scene, std::int64_t x, std::int64_t y) {
    float value = 0;
    bool first = true;
    for (const Run& run : runs) {
        const auto cell = static_cast<std::size_t>(scene.cell(x + run.from, y + run.row));
        const CellLevel::Sums* const row = scene.sums.data() + scene.prefix(x, y + run.row);
        if (scene.constant[cell] == 0 || row[run.to].uneven != row[run.from + 1].uneven ||
            (!first && scene.means[cell] != value)) {
            return false;
        }
        value = scene.means[cell];
        first = false;
    }
    return true;
}

Energies energiesOf(const Regions& regions, const CellLevel& scene, std::int64_t x,
                    std::int64_t y) {
    Energies made = energiesOf(sumsOver(regions.outer, scene, x, y), pixelsOf(regions.outer, scene),
                               sumsOver(regions.inner, scene, x, y), pixelsOf(regions.inner, scene),
                               scene.slack);
    made.flat = made.contrast <= 1e-5 * made.whole && isFlat(regions.outer, scene, x, y);
    return made;
}

Energies nodeEnergies(const Regions& node, const CellLevel& cells, const Runs& around,
                      const CellLevel& large, std::int64_t x, std::int64_t y) {
    Energies made = energiesOf(node, cells, x, y);
    const Energies of = energiesOf(sumsOver(around, large, x / 2, y / 2), pixelsOf(around, large),
                                   {}, 0, large.slack);
    made.low = of.seen;
    // The region of larger cells holds the other: the energies are those of parts of a sum.
    made.high = std::sqrt(std::max(0.0, of.unseen * of.unseen - made.unseen * made.unseen) +
                          4e-12 * of.whole * of.whole + 2 * (large.slack + cells.slack));
    return made;
}

double nodeLimit(const MemberCells& member, const std::vector<CellLevel>& levels, std::int64_t x,
                 std::int64_t y, double trust, const std::optional<Known>& known,
                 const std::function<const CellRemainders&()>& remainders) {
    const CellLevel& scene = levels[1];
    const double rounding = member.coarse.rounding + kSumRounding;
    const auto unseen = static_cast<double>(member.unseen);
    const double least = known ? known->least : 0;
    std::array<double, 4> products{};
    dots<2>(member.coarse, scene, x, y, products.data());
    const double product = *std::ranges::max_element(products);
    std::optional<LocalRest> local;
    const auto limitBy = [&](const Energies& energies) {
        const auto with = [&](double rest) {
            return limitOf(product, energies, rest, rounding, trust);
        };
        const double limit = with(restOf(energies, member.seen, unseen));
        if (limit < least || !remainders) {
            return limit;
        }
        if (!local) {
            local = localRest(remainders(), scene, x, y, energies.mean);
        }
        return with(restOf(energies, member.seen, unseen, *local));
    };
    constexpr double kNone = -1;
    // The energies of a member take longer than the rest.
    if (known && limitBy(known->energies) < least) {
        return kNone;
    }
    const Energies energies =
        nodeEnergies(member.node, scene, member.sector.outer, levels[2], x, y);
    if (energies.flat ||
        (known && limitOf(known->product, energies, restOf(energies, member.between, unseen),
                          rounding, trust) < least)) {
        return kNone;
    }
    return limitBy(energies);
}

void placeWeights(std::int64_t place, std::int64_t edge, double* weights) {
    const double share = static_cast<double>(place) / static_cast<double>(edge);
    const auto cubic = [](double d) {
        return d <= 1 ? (1.5 * d - 2.5) * d * d + 1 : ((-0.5 * d + 2.5) * d - 4) * d + 2;
    };
    weights[0] = cubic(1 + share);
    weights[1] = cubic(share);
    weights[2] = cubic(1 - share);
    weights[3] = cubic(2 - share);
}

} // namespace flcc::search::detail
