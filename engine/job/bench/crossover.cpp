#include "engine/job/benchmark.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "engine/job/bench/figure_file.h"
#include "engine/job/bench/method_times.h"

namespace flcc::job {

namespace {

using base::Extents;
using detail::MethodTime;
using detail::MethodTimes;

constexpr double kPredictingShare = 0.2; ///< of the progress, if sides are measured too

/// Sides that grow by an eighth of an octave. Small ones repeat.
std::vector<std::int64_t> sides(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> list;
    for (int step = 0;; ++step) {
        const double side =
            static_cast<double>(first) * std::exp2(static_cast<double>(step) / kStepsPerOctave);
        if (side > static_cast<double>(last) + 0.5) {
            return list;
        }
        list.push_back(std::llround(side));
    }
}

Extents cube(std::int64_t side, bool volume) { return {side, side, volume ? side : 1}; }

/// The fastest method of those for which `isWanted` is true; null if there is none.
template <class Wanted>
const MethodTime* fastest(const std::vector<MethodTime>& times, bool stream,
                          const Wanted& isWanted) {
    const MethodTime* best = nullptr;
    for (const MethodTime& time : times) {
        if (isWanted(time) && (best == nullptr || timeOf(time, stream) < timeOf(*best, stream))) {
            best = &time;
        }
    }
    return best;
}

/// Whether the best method in the Fourier domain is faster than the best by definition.
bool fourierWins(const std::vector<MethodTime>& times, bool stream) {
    const auto* const direct =
        fastest(times, stream, [](const MethodTime& time) { return time.byDefinition; });
    const auto* const fourier =
        fastest(times, stream, [](const MethodTime& time) { return !time.byDefinition; });
    return fourier != nullptr && std::isfinite(timeOf(*fourier, stream)) &&
           (direct == nullptr || timeOf(*fourier, stream) < timeOf(*direct, stream));
}

/// The smallest side from 2 to `most` for which `wins` is true, if it is true for all larger ones.
/// Looks near `start` first. Empty if there is none.
template <class Wins>
std::optional<std::int64_t> crossing(std::int64_t most, std::int64_t start, const Wins& wins) {
    std::int64_t low = 1; // loses
    std::int64_t high = most + 1;
    std::int64_t at = std::clamp<std::int64_t>(start, 2, most);
    for (std::int64_t step = 1; high - low > 1; step *= 2) {
        const bool won = wins(at);
        (won ? high : low) = at;
        at = low > 1 && high <= most ? (low + high) / 2
             : won                   ? std::max(low + 1, at - step)
                                     : std::min(high - 1, at + step);
    }
    return high <= most ? std::optional(high) : std::nullopt;
}

/// The two maps (single images, streams) of images or volumes.
class MapPair {
  public:
    MapPair(const CrossoverOptions& options, bool volume, MethodTimes& times)
        : m_options(options), m_volume(volume), m_times(times) {
        const bool quick = options.quick;
        const std::vector<std::int64_t> scenes =
            volume ? sides(quick ? 16 : 32, quick ? 32 : 256) : sides(32, quick ? 128 : 4096);
        const std::vector<std::int64_t> templates =
            volume ? sides(2, quick ? 8 : 64) : sides(2, quick ? 32 : 256);
        for (const bool stream : {false, true}) {
            m_maps.push_back({.volume = volume,
                              .stream = stream,
                              .scenes = scenes,
                              .templates = templates,
                              .methods = {},
                              .chosen = {},
                              .device = options.device,
                              .operation = options.operation});
        }
    }

    /// `goOn` is called before each scene side with the share that is done; false ends the work.
    template <class GoOn> void predict(const GoOn& goOn) {
        const std::vector<std::int64_t>& scenes = m_maps.front().scenes;
        for (std::size_t i = 0; i < scenes.size(); ++i) {
            if (!goOn(static_cast<double>(i) / static_cast<double>(scenes.size()))) {
                return;
            }
            for (Crossover& map : m_maps) {
                map.chosen.emplace_back();
            }
            for (const std::int64_t templ : m_maps.front().templates) {
                const std::vector<MethodTime> times =
                    templ > scenes[i]
                        ? std::vector<MethodTime>()
                        : m_times.predicted(cube(scenes[i], m_volume), cube(templ, m_volume));
                for (Crossover& map : m_maps) {
                    const MethodTime* const best =
                        fastest(times, map.stream, [](const MethodTime&) { return true; });
                    map.chosen.back().push_back(best == nullptr ? -1 : indexOf(map, best->method));
                }
            }
        }
    }

    /// Sides of the scenes that are measured.
    [[nodiscard]] std::vector<std::int64_t> measuredScenes() const {
        std::vector<std::int64_t> list = m_maps.front().scenes;
        std::erase_if(list, [](std::int64_t side) { return (side & (side - 1)) != 0; });
        return list;
    }

    void measure(std::int64_t scene, const std::stop_token& stop) {
        const Extents extents = cube(scene, m_volume);
        const std::int64_t most = std::min(scene, m_maps.front().templates.back());
        std::map<std::int64_t, std::vector<MethodTime>> known; // by side, for both maps
        for (Crossover& map : m_maps) {
            const auto predicted = [&](std::int64_t side) {
                return m_times.predicted(extents, cube(side, m_volume));
            };
            const auto measured = [&](std::int64_t side) {
                auto found = known.find(side);
                if (found == known.end()) {
                    const std::vector<MethodTime> all = predicted(side);
                    std::vector<std::string> rivals;
                    for (const bool byDefinition : {true, false}) {
                        const MethodTime* const rival =
                            fastest(all, map.stream, [&](const MethodTime& time) {
                                return time.byDefinition == byDefinition;
                            });
                        if (rival != nullptr) {
                            rivals.push_back(rival->method);
                        }
                    }
                    found = known
                                .emplace(side, m_times.measured(extents, cube(side, m_volume),
                                                                rivals, m_options.repeat, stop))
                                .first;
                }
                return fourierWins(found->second, map.stream);
            };
            CriticalSide critical{
                .scene = scene,
                .table = tableTwoSide(m_options.operation, m_volume, map.stream, scene)};
            critical.predicted = crossing(most, std::llround(critical.table), [&](auto side) {
                return fourierWins(predicted(side), map.stream);
            });
            // What is measured after a stop means nothing, and nobody sees it.
            critical.measured =
                crossing(most, critical.predicted.value_or(most), [&](std::int64_t side) {
                    return stop.stop_requested() || measured(side);
                });
            map.critical.push_back(critical);
        }
    }

    [[nodiscard]] std::vector<Crossover> take() { return std::move(m_maps); }

  private:
    static int indexOf(Crossover& map, const std::string& method) {
        auto found = std::find(map.methods.begin(), map.methods.end(), method);
        if (found == map.methods.end()) {
            map.methods.push_back(method);
            found = map.methods.end() - 1;
        }
        return static_cast<int>(found - map.methods.begin());
    }

    const CrossoverOptions& m_options;
    bool m_volume;
    MethodTimes& m_times;
    std::vector<Crossover> m_maps;
};

} // namespace

double tableTwoSide(FigureOperation operation, bool volume, bool stream, std::int64_t scene) {
    const double factor =
        operation == FigureOperation::Lcc ? (stream ? 6.25 : 8.75) : (stream ? 5.0 : 7.5);
    const int axes = volume ? 3 : 2;
    const double voxels = factor * axes * std::log2(static_cast<double>(scene));
    return std::pow(voxels, 1.0 / axes);
}

std::vector<Crossover> crossovers(const CrossoverOptions& options, const std::stop_token& stop,
                                  const CrossoverProgress& progress) {
    const std::unique_ptr<MethodTimes> times =
        detail::methodTimes(options.operation, options.threads, options.device);
    const auto goOn = [&](std::string_view doing, double share) {
        if (progress) {
            progress(doing, share);
        }
        return !stop.stop_requested();
    };
    std::vector<MapPair> pairs;
    double voxels = 0; // of all scenes to measure
    for (const bool volume : {false, true}) {
        MapPair& pair = pairs.emplace_back(options, volume, *times);
        const double most = options.measured ? kPredictingShare : 1;
        pair.predict([&](double share) {
            return goOn(volume ? "predicting volumes" : "predicting images",
                        most * ((volume ? 1 : 0) + share) / 2);
        });
        for (const std::int64_t side : pair.measuredScenes()) {
            voxels += static_cast<double>(base::voxelCount(cube(side, volume)));
        }
    }
    double done = 0;
    for (std::size_t i = 0; options.measured && i < pairs.size(); ++i) {
        for (const std::int64_t side : pairs[i].measuredScenes()) {
            if (!goOn(i == 1 ? "measuring volumes" : "measuring images",
                      kPredictingShare + (1 - kPredictingShare) * done / voxels)) {
                return {};
            }
            pairs[i].measure(side, stop);
            done += static_cast<double>(base::voxelCount(cube(side, i == 1)));
        }
    }
    std::vector<Crossover> maps;
    for (MapPair& pair : pairs) {
        for (Crossover& map : pair.take()) {
            maps.push_back(std::move(map));
        }
    }
    return stop.stop_requested() ? std::vector<Crossover>() : maps;
}

void writeCrossover(const std::filesystem::path& path, const CrossoverOptions& options) {
    detail::checkFigureFile(path, options.device); // before the work
    const std::vector<Crossover> maps = crossovers(options);
    detail::writeFigureFile(path, toJson(maps), drawingOf(maps));
}

} // namespace flcc::job
