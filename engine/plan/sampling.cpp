#include "engine/plan/detail/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>
#include <vector>

#include "engine/base/stopwatch.h"
#include "engine/method/method_on_device.h"
#include "engine/method/session.h"

namespace flcc::plan {

namespace {

using base::Extents;

/// The extents of a part of the scene whose map holds about `share` of the placements, in whole
/// tiles of the candidate: at least one for each thread, if the map has that many.
Extents tiledSample(const method::Traits& traits, const method::Problem& problem,
                    const method::Candidate& candidate, double share) {
    const Extents map = base::validExtents(problem.scene, problem.templ);
    const Extents& m = problem.templ;
    // Placements of a tile: tiles of Fourier methods count points of the transform, those of
    // `direct` placements. If the template does not fit, it is cut into blocks, and half of the
    // points along the axis are placements.
    const auto step = [&](std::int64_t tile, std::int64_t length) {
        const bool points = !traits.byDefinition;
        const bool blocks = traits.cutsTemplate && tile < 2 * length - 1;
        return std::max<std::int64_t>(1, blocks   ? (tile + 1) / 2
                                         : points ? tile - length + 1
                                                  : tile);
    };
    const Extents unit{std::min(map.x, step(candidate.tile.x, m.x)),
                       std::min(map.y, step(candidate.tile.y, m.y)),
                       std::min(map.z, step(candidate.tile.z, m.z))};
    const auto count = [](std::int64_t length, std::int64_t of) { return (length + of - 1) / of; };
    const Extents tiles{count(map.x, unit.x), count(map.y, unit.y), count(map.z, unit.z)};
    const double all = static_cast<double>(tiles.x * tiles.y * tiles.z);
    const int least = candidate.onProcessor() ? candidate.threads : 1;
    auto wanted =
        static_cast<std::int64_t>(std::ceil(std::max(share * all, static_cast<double>(least))));
    Extents taken{1, 1, 1};
    taken.x = std::min(tiles.x, wanted);
    wanted = (wanted + taken.x - 1) / taken.x;
    taken.y = std::min(tiles.y, wanted);
    wanted = (wanted + taken.y - 1) / taken.y;
    taken.z = std::min(tiles.z, wanted);
    const Extents part{std::min(map.x, taken.x * unit.x), std::min(map.y, taken.y * unit.y),
                       std::min(map.z, taken.z * unit.z)};
    return {part.x + m.x - 1, part.y + m.y - 1, part.z + m.z - 1};
}

/// The extents of a part of about `share` of the scene's voxels, for a method with one transform
/// for the whole scene. Axes are halved, so that the lengths of transforms keep their other
/// factors.
Extents wholeSample(const method::Problem& problem, double share) {
    const Extents& n = problem.scene;
    const double wanted = share * static_cast<double>(base::voxelCount(n));
    std::array<std::int64_t, 3> part{n.x, n.y, n.z};
    const std::array<std::int64_t, 3> templ{problem.templ.x, problem.templ.y, problem.templ.z};
    const auto count = [&] { return static_cast<double>(part[0] * part[1] * part[2]); };
    while (count() > 1.5 * wanted) {
        const auto longest =
            static_cast<std::size_t>(std::max_element(part.begin(), part.end()) - part.begin());
        if (part[longest] / 2 < 2 * templ[longest]) {
            break;
        }
        part[longest] /= 2;
    }
    return {part[0], part[1], part[2]};
}

/// Intended duration of a sample, in milliseconds.
double wantedMs(const method::Method& method, double budgetMs) {
    // A transform of a whole scene makes many passes, and threads do not speed up short ones.
    constexpr double kLeastWholeMs = 25;
    return method.traits().wholeScene ? std::max(budgetMs, kLeastWholeMs) : budgetMs;
}

/// The candidate with which a method with one transform for the whole scene is timed on a part. If
/// the caller fixed the tile of `candidate`, its tile is halved as the scene is, so that transforms
/// of the same factors are timed. Otherwise, or if the method refuses that, the method chooses.
method::Candidate wholeCandidate(const method::Method& method, const method::Problem& problem,
                                 const method::Candidate& candidate, const method::Problem& part,
                                 method::Limits limits, const method::CostModel& model) {
    limits.onDevice.memory = candidate.onDevice.memory;
    limits.transforms = candidate.transforms;
    const auto of = [&](const method::Problem& submitted, const Extents& tile) {
        return method.candidates(submitted, limits, tile).front();
    };
    if (!(of(problem, {0, 0, 0}).tile == candidate.tile)) {
        const auto halved = [](std::int64_t tile, std::int64_t all, std::int64_t some) {
            for (; all > some; all /= 2) {
                tile = (tile + 1) / 2;
            }
            return tile;
        };
        const method::Candidate asked =
            of(part, {halved(candidate.tile.x, problem.scene.x, part.scene.x),
                      halved(candidate.tile.y, problem.scene.y, part.scene.y),
                      halved(candidate.tile.z, problem.scene.z, part.scene.z)});
        if (std::holds_alternative<method::Prediction>(
                method.predict(part, asked, limits, model, nullptr))) {
            return asked;
        }
    }
    return of(part, {0, 0, 0});
}

/// The sample that is predicted to run for wantedMs(), with one template.
Sample sampleFor(const method::Method& method, const method::Problem& problem,
                 const method::Candidate& candidate, double predictedMs, double budgetMs,
                 const SampleInput& input) {
    return sampleOf(method, problem, candidate,
                    std::min(1.0, wantedMs(method, budgetMs) / predictedMs), input.limits,
                    input.model, input.lowest);
}

/// True if the sample is the whole problem.
bool isWhole(const method::Problem& problem, const Sample& sample) {
    return sample.part.scene == problem.scene && sample.part.templates == problem.templates &&
           sample.part.extent == problem.extent;
}

/// A sample that takes this many times its intended duration is run only once.
constexpr double kFarTooLong = 6;

/// Times of a run of a sample. Only the time in which threads work grows with the problem; waking
/// threads and waiting for the last one does not.
struct SampleRun {
    double ms = 0;     ///< elapsed time
    double busyMs = 0; ///< working time of all threads, divided by their number

    [[nodiscard]] double scaled(double factor) const { return ms + busyMs * (factor - 1); }
};

SampleRun sampleRun(double ms, const method::StagesMs& stages, const method::Candidate& candidate) {
    if (!candidate.onProcessor()) {
        return {ms, ms};
    }
    double sum = 0;
    for (const auto& [stage, stageMs] : stages) {
        sum += stageMs;
    }
    return {ms, std::min(ms, sum / std::max(1, candidate.threads))};
}

/// Runs a candidate as the real run will: without copying the map back if reduce() applies.
method::Outcome runOnce(method::Session& session, const method::MaskedView& scene,
                        const method::Execution& execution, method::MatchMap& map) {
    return session.reducer() != nullptr ? session.reduce(scene, execution, {})
                                        : session.run(scene, execution, method::viewOf(map));
}

/// The milliseconds of a whole run, preparing included; negative when cancelled.
double turnMs(const method::Method& method, const method::Problem& problem,
              const method::Candidate& candidate, const method::MaskedView& scene,
              const SampleInput& input, method::MatchMap& map) {
    const method::Execution execution{input.pool, input.stop, {}};
    const base::Stopwatch watch;
    method::Session session(method, problem, candidate);
    session.prepare({input.templ}, input.pool);
    const method::Outcome outcome = runOnce(session, scene, execution, map);
    return outcome.cancelled ? -1 : watch.ms();
}

/// The milliseconds of a problem that is its own sample: the shortest of several whole runs. The
/// first one counts only if it is alone, since it allocates lasting buffers and meets cold caches.
double shortestTurnMs(const method::Method& method, const method::Problem& problem,
                      const method::Candidate& candidate, double sampleMs,
                      const SampleInput& input) {
    constexpr int kTurns = 2;
    method::MatchMap map(method::mapExtents(problem));
    double all = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < kTurns; ++turn) {
        const double ms = turnMs(method, problem, candidate, input.scene, input, map);
        if (ms < 0) {
            return ms;
        }
        all += ms;
        shortest = turn == 1 ? ms : std::min(shortest, ms);
        if (ms > kFarTooLong * sampleMs || (turn > 0 && all + ms > kTurns * sampleMs)) {
            break;
        }
    }
    return shortest;
}

} // namespace

Sample sampleOf(const method::Method& method, const method::Problem& problem,
                const method::Candidate& candidate, double share, const method::Limits& limits,
                const method::CostModel& model, const std::vector<base::Index>& lowest) {
    const bool whole = method.traits().wholeScene;
    Sample sample{problem, candidate, {}};
    sample.part.scene = whole ? wholeSample(problem, share)
                              : tiledSample(method.traits(), problem, candidate, share);
    // Other templates and placements beyond the scene are added by the predictions.
    sample.part.templates = 1;
    sample.part.ownMasks = false;
    sample.part.extent = method::Extent::Valid;
    if (whole && share < 1) {
        sample.candidate = wholeCandidate(method, problem, candidate, sample.part, limits, model);
    }
    sample.box = representativeBox(problem.scene, sample.part.scene, problem.templ, lowest);
    return sample;
}

base::Box representativeBox(const Extents& scene, const Extents& sample, const Extents& templ,
                            const std::vector<base::Index>& lowest) {
    const Extents free{scene.x - sample.x, scene.y - sample.y, scene.z - sample.z};
    const Extents map = base::validExtents(scene, templ);
    const Extents part = base::validExtents(sample, templ);
    const double expected = static_cast<double>(lowest.size()) *
                            static_cast<double>(base::voxelCount(part)) /
                            static_cast<double>(base::voxelCount(map));
    constexpr std::array<std::int64_t, 5> kQuarters{2, 1, 3, 0, 4}; // ties go to the middle
    base::Box best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::int64_t z : kQuarters) {
        for (const std::int64_t y : kQuarters) {
            for (const std::int64_t x : kQuarters) {
                const base::Index at{free.x * x / 4, free.y * y / 4, free.z * z / 4};
                const auto inside =
                    std::count_if(lowest.begin(), lowest.end(), [&](const base::Index& place) {
                        return place.x >= at.x && place.x < at.x + part.x && place.y >= at.y &&
                               place.y < at.y + part.y && place.z >= at.z &&
                               place.z < at.z + part.z;
                    });
                const double off = std::abs(static_cast<double>(inside) - expected);
                if (off < least) {
                    least = off;
                    best = {at, sample};
                }
            }
        }
    }
    return best;
}

std::vector<std::size_t> timingOrder(const std::vector<Guess>& guesses, std::size_t most,
                                     bool calibrated) {
    const double close = calibrated ? 1.5 : 2;
    enum class Rank { First, Among, Late };
    std::vector<bool> leads(guesses.size());
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        leads[i] = std::none_of(guesses.begin(), guesses.begin() + static_cast<std::ptrdiff_t>(i),
                                [&](const Guess& one) {
                                    return one.method == guesses[i].method &&
                                           one.transforms == guesses[i].transforms;
                                });
    }
    const auto leaders = static_cast<std::size_t>(std::count(leads.begin(), leads.end(), true));
    std::size_t free = most - std::min(most, leaders);
    std::vector<Rank> ranks;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        if (leads[i]) {
            const bool near = guesses[i].ms < close * guesses.front().ms;
            ranks.push_back(near ? Rank::First : Rank::Among);
        } else {
            ranks.push_back(free > 0 ? Rank::Among : Rank::Late);
            free -= std::min<std::size_t>(free, 1);
        }
    }
    std::vector<std::size_t> order(guesses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    return order;
}

std::vector<std::size_t> doubtful(const std::vector<Timed>& timed) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const Timed& one : timed) {
        smallest = std::min(smallest, one.ms / one.predictedMs);
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; timed.size() > 1 && i < timed.size(); ++i) {
        if (timed[i].ms > kContradicts * smallest * timed[i].predictedMs) {
            found.push_back(i);
        }
    }
    return found;
}

std::vector<std::size_t> nearFastest(const std::vector<Timed>& timed) {
    constexpr double kClose = 1.15;
    constexpr std::size_t kMost = 3;
    double least = std::numeric_limits<double>::infinity();
    for (const Timed& one : timed) {
        least = std::min(least, one.ms);
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; timed.size() > 1 && i < timed.size() && found.size() < kMost; ++i) {
        if (timed[i].ms < kClose * least) {
            found.push_back(i);
        }
    }
    return found;
}

std::size_t fastestOf(const std::vector<Timed>& timed, double separates) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Timed& one : timed) {
        least = std::min(least, one.ms);
    }
    for (std::size_t i = 0; i < timed.size(); ++i) {
        const bool close = timed[i].ms <= separates * least;
        const bool better =
            timed[best].ms > separates * least || timed[i].predictedMs < timed[best].predictedMs;
        best = close && better ? i : best;
    }
    return best;
}

double sampleCostMs(const method::Method& method, const method::Problem& problem,
                    const method::Candidate& candidate, double predictedMs, double budgetMs,
                    const SampleInput& input) {
    const Sample sample = sampleFor(method, problem, candidate, predictedMs, budgetMs, input);
    const auto verdict =
        method.predict(sample.part, sample.candidate, input.limits, input.model, nullptr);
    const auto* const prediction = std::get_if<method::Prediction>(&verdict);
    const double ms = prediction != nullptr ? prediction->ms : predictedMs;
    return ms > kFarTooLong * wantedMs(method, budgetMs) ? ms : 2 * ms;
}

double timeOnSample(const method::Method& method, const method::Problem& problem,
                    const method::Candidate& chosen, double predictedMs, double budgetMs,
                    const SampleInput& input) {
    const double sampleMs = wantedMs(method, budgetMs);
    const Sample sample = sampleFor(method, problem, chosen, predictedMs, budgetMs, input);
    const method::Problem& part = sample.part;
    const method::Candidate& candidate = sample.candidate;
    method.warmUp(part, candidate);
    if (isWhole(problem, sample)) {
        return shortestTurnMs(method, part, candidate, sampleMs, input);
    }
    const method::MaskedView scene = method::partOf(input.scene, sample.box);
    const base::Stopwatch watch;
    method::Session session(method, part, candidate);
    session.prepare({input.templ}, input.pool);
    session.makeWorkspace();
    const double prepareMs = watch.ms();
    method::MatchMap map(method::mapExtents(part));
    // Predicted milliseconds of a problem, split into work done once and work that grows with it.
    struct Foreseen {
        double setup = 0;
        double growing = 0;
    };
    const auto foreseen = [&](const method::Problem& of) {
        const auto verdict = method.predict(of, of.scene == part.scene ? candidate : chosen,
                                            input.limits, input.model, nullptr);
        const auto* prediction = std::get_if<method::Prediction>(&verdict);
        return prediction != nullptr
                   ? Foreseen{prediction->setupMs, prediction->ms - prediction->setupMs}
                   : Foreseen{0, predictedMs};
    };
    const method::Execution execution{input.pool, input.stop, {}};
    const Foreseen all = foreseen(problem);
    const Foreseen some = foreseen(part);
    const double scale = std::max(1.0, all.growing / std::max(some.growing, 1e-6));
    const double setupMs = prepareMs + std::max(0.0, all.setup - some.setup);
    // The first run touches the memory that the candidate needs and meets cold caches. The second
    // one counts, unless the first takes far too long: how long the system takes for new pages
    // depends on what else it does.
    std::array<SampleRun, 2> runs;
    for (SampleRun& run : runs) {
        const base::Stopwatch turn;
        const method::Outcome outcome = runOnce(session, scene, execution, map);
        if (outcome.cancelled) {
            return -1;
        }
        run = sampleRun(turn.ms(), outcome.stagesMs, candidate);
        if (run.ms > kFarTooLong * sampleMs) {
            return setupMs + run.scaled(scale);
        }
    }
    return setupMs + runs[1].scaled(scale);
}

double timeOnWhole(const method::Method& method, const method::Problem& problem,
                   const method::Candidate& candidate, const SampleInput& input) {
    method::Problem one = problem;
    one.templates = 1;
    method.warmUp(one, candidate);
    method::MatchMap map(method::mapExtents(one));
    const auto predicted = [&](const method::Problem& of) {
        const auto verdict = method.predict(of, candidate, input.limits, input.model, nullptr);
        const auto* prediction = std::get_if<method::Prediction>(&verdict);
        return prediction != nullptr ? prediction->ms : 1;
    };
    // The first turn meets cold caches and does not count if there are others. Short runs are
    // repeated, since their times vary most.
    constexpr double kLong = 300;
    constexpr std::size_t kTurns = 4;
    std::vector<double> times;
    while (times.size() < kTurns) {
        const double ms = turnMs(method, one, candidate, input.scene, input, map);
        if (ms < 0) {
            return ms;
        }
        times.push_back(ms);
        if (times.back() > kLong) {
            break;
        }
    }
    if (times.size() > 1) {
        times.erase(times.begin());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * predicted(problem) / predicted(one);
}

} // namespace flcc::plan
