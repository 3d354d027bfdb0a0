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

/// Which method of a device the cost model of this machine chooses, over the sides of scene and
/// template, both square or cubic (FLCC Fig. 3).
struct Crossover {
    bool volume = false;
    bool stream = false;                 ///< of a stream of scenes: the template is prepared once
    std::vector<std::int64_t> scenes;    ///< sides, ascending
    std::vector<std::int64_t> templates; ///< sides, ascending
    std::vector<std::string> methods;    ///< that were chosen anywhere
    /// Index into methods, or -1 where the template does not fit; a row for each scene.
    std::vector<std::vector<int>> chosen;
    std::string device = "cpu"; ///< or GPUs as --device names them
};

/// **Cost**: some ten thousand predictions, under a second or two.
[[nodiscard]] Crossover crossover(bool volume, bool stream, int threads,
                                  const std::string& device = "cpu");

/// Told which map is being computed and the share of all of them that is done, 0..1.
using CrossoverProgress = std::function<void(std::string_view doing, double share)>;

/// The maps of 2D and 3D, of single images and streams, as drawn() takes them; none when stopped.
/// `threads` 0 = all. `device`: "cpu", or GPUs as --device names them. **Errors**: Device.
[[nodiscard]] std::vector<Crossover> crossovers(int threads, const std::stop_token& stop = {},
                                                const CrossoverProgress& progress = {},
                                                const std::string& device = "cpu");

/// The maps as one grey picture with axes, ticks and a legend: 2D above, 3D below, single images on
/// the left, streams on the right.
[[nodiscard]] base::Image<std::uint8_t> drawn(const std::vector<Crossover>& maps);

/// Their sides, methods and cells.
[[nodiscard]] std::string toJson(const std::vector<Crossover>& maps);

/// Writes their picture, or to a name that ends in .json their numbers, which every build can.
/// **Errors**: Output, CommandLine for a format in which this build writes no image.
void writeCrossover(const std::filesystem::path& path, const std::vector<Crossover>& maps);

/// Computes all four maps and writes them. `threads` 0 = all. **Errors**: as above.
void writeCrossover(const std::filesystem::path& path, int threads,
                    const std::string& device = "cpu");

} // namespace flcc::job
