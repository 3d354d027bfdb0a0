#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/image.h"

namespace flcc::job {

/// The method that this machine's cost model chooses for one device, over the sides of scene and
/// template, both square or cubic (FLCC Fig. 3).
struct Crossover {
    bool volume = false;
    bool stream = false;                 ///< many scenes with one template, which is prepared once
    std::vector<std::int64_t> scenes;    ///< sides, ascending
    std::vector<std::int64_t> templates; ///< sides, ascending
    std::vector<std::string> methods;    ///< all methods that are chosen somewhere
    /// Index into `methods`, or -1 where the template does not fit; one row for each scene.
    std::vector<std::vector<int>> chosen;
    std::string device = "cpu"; ///< "cpu", or GPUs as in `--device`
};

/// **Cost**: some ten thousand predictions, one to two seconds.
[[nodiscard]] Crossover crossover(bool volume, bool stream, int threads,
                                  const std::string& device = "cpu");

/// Called with the name of the current map and the finished share of all maps, 0..1.
using CrossoverProgress = std::function<void(std::string_view doing, double share)>;

/// The four maps (2D and 3D, single images and streams) in the order that drawn() expects; empty if
/// cancelled. `threads` 0 = all. `device`: "cpu", or GPUs as in `--device`. **Errors**: Device.
[[nodiscard]] std::vector<Crossover> crossovers(int threads, const std::stop_token& stop = {},
                                                const CrossoverProgress& progress = {},
                                                const std::string& device = "cpu");

/// Draws the maps as one grey picture with axes, ticks and a legend: 2D above, 3D below, single
/// images on the left, streams on the right.
[[nodiscard]] base::Image<std::uint8_t> drawn(const std::vector<Crossover>& maps);

/// Sides, methods and cells of the maps.
[[nodiscard]] std::string toJson(const std::vector<Crossover>& maps);

/// Writes the picture of the maps, or their numbers if the name ends in .json, which every build
/// can write. **Errors**: Output; CommandLine for an image format that this build cannot write.
void writeCrossover(const std::filesystem::path& path, const std::vector<Crossover>& maps);

/// Computes all four maps and writes them. `threads` 0 = all. **Errors**: as above, and Device.
void writeCrossover(const std::filesystem::path& path, int threads,
                    const std::string& device = "cpu");

} // namespace flcc::job
