#include "engine/method/bank.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>

#include "engine/base/error.h"
#include "engine/method/method.h"
#include "engine/method/shared/best_score.h"

namespace flcc::method {

std::string Method::refusal(const Problem& problem) const {
    const Values makes = traits().makes;
    if (problem.searchSums && !makes.searchSums) {
        return "method " + std::string(name()) + " on " + std::string(device()) +
               " keeps no statistics of a search; use --device cpu";
    }
    const OperationTraits& operation = problem.operation.traits();
    const bool byDefinition = operation.byDefinition;
    const bool made = operation.hasRowScorer ? makes.scores
                      : byDefinition         ? makes.differences
                                             : makes.forms;
    return made ? std::string()
                : "method " + std::string(name()) + " on " + std::string(device()) +
                      " has no operation " + std::string(method::name(problem.operation)) +
                      (byDefinition ? "; use --method direct --device cpu" : "; use --device cpu");
}

std::string withoutTransforms(const Candidate& candidate, const Limits& limits) {
    if (limits.transforms != Transforms::Fftw || candidate.transforms != Transforms::Auto) {
        return {};
    }
    return "method " + candidate.method + " on " + candidate.device +
           " makes no transforms that FFTW could make; leave out --transforms fftw";
}

namespace {

using base::Status;

constexpr std::int32_t kNone = -1;

/// One row of scores, in the type in which they are compared.
template <class Real> struct Row {
    Real* score = nullptr;
    Status* status = nullptr;
};

/// True when all statuses are OK. Has no early return, so that the compiler can vectorise it.
bool allOk(const Status* status, std::int64_t count) {
    unsigned any = 0;
    for (std::int64_t x = 0; x < count; ++x) {
        any |= static_cast<std::uint8_t>(status[x]);
    }
    return any == static_cast<unsigned>(Status::Ok);
}

/// Merges a row whose voxels are all OK, the usual case; the statuses do not change then.
template <class Real>
void mergePlainly(const Real* score, std::int32_t templ, std::int64_t count, Real* best,
                  std::int32_t* index, Real sign) {
    for (std::int64_t x = 0; x < count; ++x) {
        const bool larger =
            (sign * score[x] > sign * best[x]) | ((score[x] == best[x]) & (templ < index[x]));
        index[x] = larger ? templ : index[x];
        best[x] = larger ? score[x] : best[x];
    }
}

/// Whether a score of one status replaces one of another, given what their values say.
bool replaces(Status status, Status best, bool better, const BankView& to) {
    const bool partial = status == Status::Partial;
    const bool decided =
        to.counted.wholeFirst && base::hasValue(best) && partial != (best == Status::Partial);
    return decided ? !partial : better;
}

template <class Real>
void mergeCarefully(const Row<const Real>& row, std::int32_t templ, std::int64_t count,
                    const Row<Real>& best, std::int32_t* index, Real sign, const BankView& to) {
    for (std::int64_t x = 0; x < count; ++x) {
        const Status status = row.status[x];
        if (!base::hasValue(status)) {
            continue;
        }
        const bool doubtful = status == Status::LowConf || best.status[x] == Status::LowConf;
        const bool better =
            shared::isBetter(sign * row.score[x], templ, sign * best.score[x], index[x]);
        if (replaces(status, best.status[x], better, to)) {
            best.score[x] = row.score[x];
            best.status[x] = status;
            index[x] = templ;
        }
        best.status[x] = doubtful ? Status::LowConf : best.status[x];
    }
}

/// Calls `use(y, z)` for every row.
template <class Use> void forRows(const base::Extents& extents, Use&& use) {
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            use(y, z);
        }
    }
}

template <class Real>
void merge(const base::View<Real>& score, const base::View<Status>& status, std::int32_t templ,
           const base::View<Real>& best, const BankView& to, Best which) {
    const std::int64_t count = score.extents().x;
    const Real sign = which == Best::Largest ? Real{1} : Real{-1};
    forRows(score.extents(), [&](std::int64_t y, std::int64_t z) {
        const Row<const Real> from{score.row(y, z), status.row(y, z)};
        const Row<Real> into{best.row(y, z), to.map.status.row(y, z)};
        std::int32_t* const index = to.index.row(y, z);
        if (allOk(from.status, count) && allOk(into.status, count)) {
            mergePlainly(from.score, templ, count, into.score, index, sign);
        } else {
            mergeCarefully(from, templ, count, into, index, sign, to);
        }
    });
}

template <class T> void copy(const base::View<T>& from, const base::View<T>& to) {
    forRows(from.extents(), [&](std::int64_t y, std::int64_t z) {
        std::copy_n(from.row(y, z), from.extents().x, to.row(y, z));
    });
}

template <class T> void fill(const base::View<T>& view, T value) {
    forRows(view.extents(), [&](std::int64_t y, std::int64_t z) {
        std::fill_n(view.row(y, z), view.extents().x, value);
    });
}

/// Converts doubles to floats.
void round(const base::View<double>& from, const base::View<float>& to) {
    forRows(from.extents(), [&](std::int64_t y, std::int64_t z) {
        std::transform(from.row(y, z), from.row(y, z) + from.extents().x, to.row(y, z),
                       [](double value) { return static_cast<float>(value); });
    });
}

/// The sums of one row. Sums of single rows stay small, which keeps the digits of long parts; the
/// lanes let the compiler vectorise. `kAll`: every voxel has a score.
template <bool kAll, class Real>
ScoreSums sumsOfRow(const Real* score, const Status* status, std::int64_t count) {
    constexpr std::int64_t kLanes = 8;
    double sum[kLanes] = {};
    double squares[kLanes] = {};
    ScoreSums sums;
    const auto add = [&](std::int64_t x, std::int64_t lane) {
        const bool counts = kAll || base::hasValue(status[x]);
        const double value = counts ? static_cast<double>(score[x]) : 0.0;
        sums.count += counts ? 1 : 0;
        sum[lane] += value;
        squares[lane] += value * value;
    };
    std::int64_t x = 0;
    for (; x + kLanes <= count; x += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            add(x + lane, lane);
        }
    }
    for (; x < count; ++x) {
        add(x, 0);
    }
    sums.sum = std::accumulate(std::begin(sum), std::end(sum), 0.0);
    sums.squares = std::accumulate(std::begin(squares), std::end(squares), 0.0);
    return sums;
}

template <class Real>
ScoreSums sumsOf(const base::View<Real>& score, const base::View<Status>& status) {
    ScoreSums all;
    forRows(score.extents(), [&](std::int64_t y, std::int64_t z) {
        const Real* const row = score.row(y, z);
        const Status* const kept = status.row(y, z);
        const std::int64_t count = score.extents().x;
        const ScoreSums sums = allOk(kept, count) ? sumsOfRow<true>(row, kept, count)
                                                  : sumsOfRow<false>(row, kept, count);
        all.count += sums.count;
        all.sum += sums.sum;
        all.squares += sums.squares;
    });
    return all;
}

/// 1 for the voxels of the map that a region covers, else 0.
base::Image<std::uint8_t> coveredBy(const std::vector<base::Box>& regions,
                                    const base::Extents& map) {
    base::Image<std::uint8_t> covered(map, std::uint8_t{0});
    for (const base::Box& box : regions) {
        fill(covered.view().part(box), std::uint8_t{1});
    }
    return covered;
}

/// Resets all voxels that no finished region covers (clearBest).
void clearOutside(const std::vector<base::Box>& regions, const BankView& bank) {
    const base::Extents& map = bank.map.value.extents();
    const base::Image<std::uint8_t> covered = coveredBy(regions, map);
    forRows(map, [&](std::int64_t y, std::int64_t z) {
        const std::uint8_t* const done = covered.view().row(y, z);
        for (std::int64_t x = 0; x < map.x;) {
            const std::int64_t end =
                std::find_if(done + x, done + map.x,
                             [&](std::uint8_t one) { return one != done[x]; }) -
                done;
            if (done[x] == 0) {
                clearBest(partOf(bank, {{x, y, z}, {end - x, 1, 1}}));
            }
            x = end;
        }
    });
}

} // namespace

base::Box Counted::of(std::int32_t templ, const base::Extents& part) const {
    if (placements.empty()) {
        return {{0, 0, 0}, part};
    }
    const base::Box& all = placements[static_cast<std::size_t>(templ)];
    const auto low = [](std::int64_t from, std::int64_t own) {
        return std::max<std::int64_t>(0, from - own);
    };
    const auto high = [](std::int64_t from, std::int64_t length, std::int64_t own,
                         std::int64_t most) { return std::min(most, from + length - own); };
    const base::Index first{low(all.corner.x, corner.x), low(all.corner.y, corner.y),
                            low(all.corner.z, corner.z)};
    const base::Index end{high(all.corner.x, all.extents.x, corner.x, part.x),
                          high(all.corner.y, all.extents.y, corner.y, part.y),
                          high(all.corner.z, all.extents.z, corner.z, part.z)};
    const bool any = first.x < end.x && first.y < end.y && first.z < end.z;
    return any ? base::Box{first, {end.x - first.x, end.y - first.y, end.z - first.z}}
               : base::Box{{0, 0, 0}, {0, 0, 0}};
}

bool leaveOut(const MapView& scores, std::int32_t templ, const Counted& counted) {
    const base::Extents& n = scores.value.extents();
    const base::Box in = counted.of(templ, n);
    if (in.extents == n) {
        return false;
    }
    forRows(n, [&](std::int64_t y, std::int64_t z) {
        const auto clear = [&](std::int64_t from, std::int64_t to) {
            std::fill(scores.value.row(y, z) + from, scores.value.row(y, z) + to, 0.0F);
            std::fill(scores.status.row(y, z) + from, scores.status.row(y, z) + to,
                      Status::NotComputed);
            if (scores.exact.data() != nullptr) {
                std::fill(scores.exact.row(y, z) + from, scores.exact.row(y, z) + to, 0.0);
            }
        };
        const bool row = y >= in.corner.y && y < in.corner.y + in.extents.y && z >= in.corner.z &&
                         z < in.corner.z + in.extents.z;
        clear(0, row ? in.corner.x : n.x);
        clear(row ? in.corner.x + in.extents.x : n.x, n.x);
    });
    return true;
}

void mergeBest(const MapView& scores, std::int32_t templ, const BankView& best, Best which) {
    if (templ == 0) {
        copy(scores.value, best.map.value);
        copy(scores.status, best.map.status);
        if (best.map.exact.data() != nullptr) {
            copy(scores.exact, best.map.exact);
        }
        startBest(best);
        return;
    }
    if (best.map.exact.data() != nullptr) {
        merge(scores.exact, scores.status, templ, best.map.exact, best, which);
        round(best.map.exact, best.map.value);
    } else {
        merge(scores.value, scores.status, templ, best.map.value, best, which);
    }
}

namespace {

/// Merges a row of another bank. Equal scores stay, since the templates before have lower numbers.
template <class Real>
void mergeRow(const Row<const Real>& row, const std::int32_t* from, std::int32_t first,
              std::int64_t count, const Row<Real>& best, std::int32_t* index, Real sign,
              const BankView& to) {
    if (allOk(row.status, count) && allOk(best.status, count)) {
        for (std::int64_t x = 0; x < count; ++x) {
            const bool better = sign * row.score[x] > sign * best.score[x];
            index[x] = better ? first + from[x] : index[x];
            best.score[x] = better ? row.score[x] : best.score[x];
        }
        return;
    }
    for (std::int64_t x = 0; x < count; ++x) {
        const Status status = row.status[x];
        if (!base::hasValue(status)) {
            continue;
        }
        const bool doubtful = status == Status::LowConf || best.status[x] == Status::LowConf;
        const bool better = index[x] == kNone || sign * row.score[x] > sign * best.score[x];
        if (replaces(status, best.status[x], better, to)) {
            best.score[x] = row.score[x];
            best.status[x] = status;
            index[x] = first + from[x];
        }
        best.status[x] = doubtful ? Status::LowConf : best.status[x];
    }
}

template <class Real>
void mergeRows(const base::View<Real>& score, const BankView& from, std::int32_t first,
               const base::View<Real>& best, const BankView& to, Best which) {
    forRows(score.extents(), [&](std::int64_t y, std::int64_t z) {
        mergeRow<Real>({score.row(y, z), from.map.status.row(y, z)}, from.index.row(y, z), first,
                       score.extents().x, {best.row(y, z), to.map.status.row(y, z)},
                       to.index.row(y, z), which == Best::Largest ? Real{1} : Real{-1}, to);
    });
}

} // namespace

void mergeBanks(const BankView& scores, std::int32_t first, const BankView& best, Best which) {
    if (best.map.exact.data() != nullptr) {
        mergeRows(scores.map.exact, scores, first, best.map.exact, best, which);
        round(best.map.exact, best.map.value);
    } else {
        mergeRows(scores.map.value, scores, first, best.map.value, best, which);
    }
}

void startBest(const BankView& best) {
    const std::int64_t count = best.index.extents().x;
    forRows(best.index.extents(), [&](std::int64_t y, std::int64_t z) {
        const Status* const status = best.map.status.row(y, z);
        std::transform(status, status + count, best.index.row(y, z),
                       [](Status one) { return base::hasValue(one) ? 0 : kNone; });
    });
}

namespace {

template <class Real>
void addRows(const base::View<Real>& score, const base::View<Status>& status,
             const SearchSums& sums) {
    forRows(score.extents(), [&](std::int64_t y, std::int64_t z) {
        const Real* const from = score.row(y, z);
        const Status* const kept = status.row(y, z);
        double* const sum = sums.sum.row(y, z);
        double* const squares = sums.squares.row(y, z);
        std::int32_t* const count = sums.count.row(y, z);
        if (allOk(kept, score.extents().x)) { // the usual case, which the compiler can vectorise
            for (std::int64_t x = 0; x < score.extents().x; ++x) {
                const auto value = static_cast<double>(from[x]);
                sum[x] += value;
                squares[x] += value * value;
                ++count[x];
            }
            return;
        }
        for (std::int64_t x = 0; x < score.extents().x; ++x) {
            if (base::hasValue(kept[x])) {
                const auto value = static_cast<double>(from[x]);
                sum[x] += value;
                squares[x] += value * value;
                ++count[x];
            }
        }
    });
}

} // namespace

void addScores(const MapView& scores, const SearchSums& sums) {
    if (!sums.wanted()) {
        return;
    }
    if (scores.exact.data() != nullptr) {
        addRows(scores.exact, scores.status, sums);
    } else {
        addRows(scores.value, scores.status, sums);
    }
}

void clearSums(const SearchSums& part) {
    if (part.wanted()) {
        fill(part.sum, 0.0);
        fill(part.squares, 0.0);
        fill(part.count, std::int32_t{0});
    }
}

void clearBest(const BankView& part) {
    clearSums(part.sums);
    fill(part.map.value, 0.0F);
    fill(part.map.status, Status::NotComputed);
    fill(part.index, kNone);
    if (part.map.exact.data() != nullptr) {
        fill(part.map.exact, 0.0);
    }
}

ScoreSums scoreSums(const MapView& part) {
    return ofPart(part.exact.data() != nullptr ? sumsOf(part.exact, part.status)
                                               : sumsOf(part.value, part.status));
}

ScoreSums valueSums(const MapView& part) {
    const bool inDouble = part.exact.data() != nullptr;
    double largest = 0;
    forRows(part.status.extents(), [&](std::int64_t y, std::int64_t z) {
        const Status* const status = part.status.row(y, z);
        for (std::int64_t x = 0; x < part.status.extents().x; ++x) {
            const double value =
                inDouble ? part.exact.at(x, y, z) : static_cast<double>(part.value.at(x, y, z));
            largest = base::hasValue(status[x]) ? std::max(largest, std::abs(value)) : largest;
        }
    });
    constexpr int kFar = 400; // squares stay in range
    ScoreSums sums;
    sums.anyRange = true;
    sums.exponent = largest > 0 && std::abs(std::ilogb(largest)) > kFar ? std::ilogb(largest) : 0;
    const double unit = std::ldexp(1.0, -sums.exponent / 2);
    const double rest = std::ldexp(1.0, -(sums.exponent - sums.exponent / 2));
    forRows(part.status.extents(), [&](std::int64_t y, std::int64_t z) {
        const Status* const status = part.status.row(y, z);
        for (std::int64_t x = 0; x < part.status.extents().x; ++x) {
            if (base::hasValue(status[x])) {
                const double value = (inDouble ? part.exact.at(x, y, z)
                                               : static_cast<double>(part.value.at(x, y, z))) *
                                     unit * rest;
                sums.count += 1;
                sums.sum += value;
                sums.squares += value * value;
            }
        }
    });
    return sums;
}

ScoreSums ofPart(const ScoreSums& sums) {
    constexpr double kUnit = 0x1p-20;
    return {sums.count, std::round(sums.sum / kUnit) * kUnit,
            std::round(sums.squares / kUnit) * kUnit, sums.rounding + kUnit / 2};
}

void addStatuses(const MapView& part, MapFacts& facts) {
    const std::int64_t count = part.status.extents().x;
    forRows(part.status.extents(), [&](std::int64_t y, std::int64_t z) {
        const Status* const row = part.status.row(y, z);
        if (allOk(row, count)) {
            facts.statusCounts[static_cast<std::size_t>(Status::Ok)] += count;
            return;
        }
        for (std::size_t i = 0; i < base::kStatusCount; ++i) {
            facts.statusCounts[i] += std::count(row, row + count, static_cast<Status>(i));
        }
    });
}

void addTemplate(const MapFacts& templ, MapFacts& bank) {
    bank.overRange += templ.overRange;
    bank.recomputed += templ.recomputed;
    bank.boundMedian = std::max(bank.boundMedian, templ.boundMedian);
    bank.largestBound = std::max(bank.largestBound, templ.largestBound);
    bank.largestRelative = std::max(bank.largestRelative, templ.largestRelative);
    bank.largestLowConf = std::max(bank.largestLowConf, templ.largestLowConf);
    bank.largestRounding = std::max(bank.largestRounding, templ.largestRounding);
    bank.scores.add(templ.scores);
}

void addStages(const StagesMs& from, StagesMs& to) {
    for (const auto& [stage, ms] : from) {
        const auto known = std::find_if(
            to.begin(), to.end(), [&name = stage](const auto& one) { return one.first == name; });
        if (known == to.end()) {
            to.emplace_back(stage, ms);
        } else {
            known->second += ms;
        }
    }
}

void requireTemplates(const Problem& problem, std::size_t count) {
    const auto wanted = static_cast<std::int64_t>(problem.templates);
    if (wanted < 1 || wanted != static_cast<std::int64_t>(count)) {
        throw base::Error(base::ErrorCode::Problem,
                          "number of templates expected: " + std::to_string(wanted) +
                              "; given: " + std::to_string(count));
    }
}

Outcome Method::executeBank(const Problem& problem, const Candidate& candidate,
                            const std::vector<std::shared_ptr<const Prepared>>& prepared,
                            const MaskedView& scene, Workspace& workspace,
                            const Execution& execution, const BankView& to) const {
    requireTemplates(problem, prepared.size());
    const bool inDouble = to.map.exact.data() != nullptr;
    MatchMap scores(mapExtents(problem), inDouble);
    std::vector<base::Box> finished; // regions into which the last template is merged
    Outcome all;
    for (std::size_t i = 0; i < prepared.size() && !all.cancelled; ++i) {
        const bool last = i + 1 == prepared.size();
        ScoreSums sums;
        const Execution one{execution.pool, execution.stop,
                            [&](const base::Box& box) {
                                const MapView part = partOf(viewOf(scores), box);
                                const BankView best = partOf(to, box);
                                const OperationTraits& traits = problem.operation.traits();
                                addScores(part, best.sums);
                                mergeBest(part, static_cast<std::int32_t>(i), best, traits.best);
                                sums.add(traits.inScoreUnits ? scoreSums(part) : valueSums(part));
                                if (last) {
                                    addStatuses(best.map, all.facts);
                                    finished.push_back(box);
                                    if (execution.regionFinished) {
                                        execution.regionFinished(box);
                                    }
                                }
                            },
                            execution.onDevice};
        Outcome outcome =
            execute(problem, candidate, *prepared[i], scene, workspace, one, viewOf(scores));
        outcome.facts.scores = sums;
        addTemplate(outcome.facts, all.facts);
        addStages(outcome.stagesMs, all.stagesMs);
        all.onDevice.add(outcome.onDevice);
        all.cancelled = outcome.cancelled;
    }
    if (all.cancelled) {
        clearOutside(finished, to);
    }
    return all;
}

} // namespace flcc::method
