#include "engine/job/crossover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/knowledge.h"
#include "engine/method/method_on_device.h"
#include "engine/plan/planner.h"

namespace flcc::job {

namespace {

using base::Extents;
using Picture = base::Image<std::uint8_t>;

constexpr int kStepsPerOctave = 8;
constexpr std::int64_t kCell = 5; ///< pixels a step
constexpr std::uint8_t kWhite = 255;
constexpr std::uint8_t kBlack = 0;

/// Glyphs of 5x7 pixels, a byte a row, the leftmost pixel in bit 4.
struct Glyph {
    char letter;
    std::array<std::uint8_t, 7> rows;
};
constexpr std::array<Glyph, 40> kGlyphs{{
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'a', {0, 0, 14, 1, 15, 17, 15}},    {'b', {16, 16, 22, 25, 17, 17, 30}},
    {'c', {0, 0, 14, 16, 16, 17, 14}},   {'d', {1, 1, 13, 19, 17, 17, 15}},
    {'e', {0, 0, 14, 17, 31, 16, 14}},   {'f', {6, 9, 8, 28, 8, 8, 8}},
    {'g', {0, 15, 17, 17, 15, 1, 14}},   {'h', {16, 16, 22, 25, 17, 17, 17}},
    {'i', {4, 0, 12, 4, 4, 4, 14}},      {'j', {2, 0, 6, 2, 2, 18, 12}},
    {'k', {16, 16, 18, 20, 24, 20, 18}}, {'l', {12, 4, 4, 4, 4, 4, 14}},
    {'m', {0, 0, 26, 21, 21, 17, 17}},   {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}},
    {'q', {0, 0, 13, 19, 15, 1, 1}},     {'r', {0, 0, 22, 25, 16, 16, 16}},
    {'s', {0, 0, 14, 16, 14, 1, 30}},    {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},   {'v', {0, 0, 17, 17, 17, 10, 4}},
    {'w', {0, 0, 17, 17, 21, 21, 10}},   {'x', {0, 0, 17, 10, 4, 10, 17}},
    {'y', {0, 0, 17, 17, 15, 1, 14}},    {'z', {0, 0, 31, 2, 4, 8, 31}},
    {'-', {0, 0, 0, 31, 0, 0, 0}},       {'D', {28, 18, 17, 17, 17, 18, 28}},
    {',', {0, 0, 0, 0, 12, 4, 8}},       {' ', {0, 0, 0, 0, 0, 0, 0}},
}};
constexpr std::int64_t kLetter = 6; ///< from one to the next
constexpr std::int64_t kLine = 8;

std::int64_t widthOf(std::string_view text) {
    return static_cast<std::int64_t>(text.size()) * kLetter;
}

void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
          std::uint8_t grey) {
    for (std::int64_t row = y; row < y + height; ++row) {
        std::fill_n(picture.view().row(row, 0) + x, width, grey);
    }
}

void write(Picture& picture, std::int64_t x, std::int64_t y, std::string_view text) {
    for (const char letter : text) {
        const auto* const glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                               [&](const Glyph& g) { return g.letter == letter; });
        for (std::int64_t row = 0; glyph != kGlyphs.end() && row < 7; ++row) {
            for (std::int64_t column = 0; column < 5; ++column) {
                if ((glyph->rows[static_cast<std::size_t>(row)] >> (4 - column) & 1) != 0) {
                    picture.view().at(x + column, y + row, 0) = kBlack;
                }
            }
        }
        x += kLetter;
    }
}

/// Sides that grow by an eighth of an octave, without repeats.
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

std::uint8_t greyOf(int method, std::size_t methods) {
    return static_cast<std::uint8_t>(235 -
                                     165 * method / std::max(1, static_cast<int>(methods) - 1));
}

struct Place {
    std::int64_t x;
    std::int64_t y;
};

/// Axes, ticks at the powers of two, and the cells; (x, y) is the corner of the cells.
void drawMap(Picture& picture, const Crossover& map, const std::vector<std::string>& methods,
             Place at) {
    const auto columns = static_cast<std::int64_t>(map.templates.size());
    const auto rows = static_cast<std::int64_t>(map.scenes.size());
    fill(picture, at.x - 1, at.y - 1, columns * kCell + 2, rows * kCell + 2, kBlack);
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto& chosen = map.chosen[static_cast<std::size_t>(rows - 1 - row)];
        for (std::int64_t column = 0; column < columns; ++column) {
            const int method = chosen[static_cast<std::size_t>(column)];
            std::uint8_t grey = kWhite;
            if (method >= 0) {
                const std::string& name = map.methods[static_cast<std::size_t>(method)];
                const auto index = std::find(methods.begin(), methods.end(), name);
                grey = greyOf(static_cast<int>(index - methods.begin()), methods.size());
            }
            fill(picture, at.x + column * kCell, at.y + row * kCell, kCell, kCell, grey);
        }
    }
    write(picture, at.x, at.y - 2 * kLine,
          std::string(map.volume ? "3D, " : "2D, ") + (map.stream ? "stream" : "single image"));
    const std::int64_t bottom = at.y + rows * kCell;
    for (std::int64_t i = 0; i < columns; i += kStepsPerOctave) {
        const std::string label = std::to_string(map.templates[static_cast<std::size_t>(i)]);
        fill(picture, at.x + i * kCell + kCell / 2, bottom, 1, 4, kBlack);
        write(picture, at.x + i * kCell + kCell / 2 - widthOf(label) / 2, bottom + 6, label);
    }
    for (std::int64_t i = 0; i < rows; i += kStepsPerOctave) {
        const std::string label = std::to_string(map.scenes[static_cast<std::size_t>(i)]);
        const std::int64_t y = bottom - i * kCell - kCell / 2 - 1;
        fill(picture, at.x - 5, y, 4, 1, kBlack);
        write(picture, at.x - 8 - widthOf(label), y - 3, label);
    }
    write(picture, at.x + columns * kCell / 2 - widthOf("template side") / 2, bottom + 18,
          "template side");
    write(picture, at.x - 8 - widthOf("scene"), at.y - 2 * kLine, "scene");
}

/// As crossover(), `goOn` called before each scene side with the share that is done; false
/// ends it.
Crossover crossoverRows(bool volume, bool stream, int threads, const std::string& device,
                        const std::function<bool(double)>& goOn) {
    Crossover map{.volume = volume,
                  .stream = stream,
                  .scenes = sides(volume ? 32 : 64, volume ? 256 : 4096),
                  .templates = sides(2, volume ? 64 : 256),
                  .methods = {},
                  .chosen = {},
                  .device = device};
    const auto known = knowledge();
    const method::CostModel model = known->model.value_or(method::CostModel{});
    method::Limits limits;
    limits.threads = threads;
    const std::vector<const method::Method*> methods = plan::methodsOn(device);
    std::vector<std::int64_t> memory; // of the device of each method, that is free
    for (const method::Method* method : methods) {
        memory.push_back(method::freeMemoryOf(*method));
    }
    const auto bestFor = [&](const method::Problem& problem) {
        std::string best;
        double bestMs = INFINITY;
        for (std::size_t i = 0; i < methods.size(); ++i) {
            const method::Method* const method = methods[i];
            limits.onDevice.memory = memory[i];
            for (const method::Candidate& candidate :
                 method->candidates(problem, limits, {0, 0, 0})) {
                const auto verdict = method->predict(problem, candidate, limits, model, nullptr);
                const auto* prediction = std::get_if<method::Prediction>(&verdict);
                if (prediction == nullptr) {
                    continue;
                }
                const double ms = prediction->ms - (stream ? prediction->setupMs : 0);
                if (ms < bestMs) {
                    bestMs = ms;
                    best = method->name();
                }
            }
        }
        return best;
    };
    for (const std::int64_t scene : map.scenes) {
        if (!goOn(static_cast<double>(map.chosen.size()) /
                  static_cast<double>(map.scenes.size()))) {
            return map;
        }
        std::vector<int> row;
        for (const std::int64_t templ : map.templates) {
            method::Problem problem;
            problem.scene = {scene, scene, volume ? scene : 1};
            problem.templ = {templ, templ, volume ? templ : 1};
            const std::string name = templ > scene ? std::string() : bestFor(problem);
            auto index = std::find(map.methods.begin(), map.methods.end(), name);
            if (!name.empty() && index == map.methods.end()) {
                map.methods.push_back(name);
                index = map.methods.end() - 1;
            }
            row.push_back(name.empty() ? -1 : static_cast<int>(index - map.methods.begin()));
        }
        map.chosen.push_back(std::move(row));
    }
    return map;
}

bool isNumbers(const std::filesystem::path& path) { return path.extension() == ".json"; }

void checkName(const std::filesystem::path& path) {
    if (isNumbers(path)) {
        return;
    }
    try {
        io::requireWritable(path, base::PixelType::UInt8, {1, 1, 1});
    } catch (const base::Error& refused) {
        throw base::Error(refused.code(),
                          std::string(refused.what()) +
                              "; the numbers of a crossover map can be written as .json");
    }
}

} // namespace

Crossover crossover(bool volume, bool stream, int threads, const std::string& device) {
    return crossoverRows(volume, stream, threads, device, [](double) { return true; });
}

std::vector<Crossover> crossovers(int threads, const std::stop_token& stop,
                                  const CrossoverProgress& progress, const std::string& device) {
    const int all = threads > 0 ? threads : base::availableThreads();
    std::vector<Crossover> maps;
    for (const bool volume : {false, true}) {
        for (const bool stream : {false, true}) {
            maps.push_back(crossoverRows(volume, stream, all, device, [&](double share) {
                if (progress) {
                    progress(volume ? "predicting volumes" : "predicting images",
                             (static_cast<double>(maps.size()) + share) / 4);
                }
                return !stop.stop_requested();
            }));
            if (stop.stop_requested()) {
                return {};
            }
        }
    }
    return maps;
}

Picture drawn(const std::vector<Crossover>& maps) {
    constexpr std::int64_t kLeft = 48;
    constexpr std::int64_t kTop = 28;
    constexpr std::int64_t kBelow = 40;
    constexpr std::int64_t kRight = 16;
    std::vector<std::string> methods;
    std::int64_t widest = 0;
    std::vector<std::int64_t> heights;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        for (const std::string& name : maps[i].methods) {
            if (std::find(methods.begin(), methods.end(), name) == methods.end()) {
                methods.push_back(name);
            }
        }
        widest = std::max(widest, static_cast<std::int64_t>(maps[i].templates.size()) * kCell);
        const auto height = static_cast<std::int64_t>(maps[i].scenes.size()) * kCell;
        if (i % 2 == 0) {
            heights.push_back(height);
        } else {
            heights.back() = std::max(heights.back(), height);
        }
    }
    std::sort(methods.begin(), methods.end());
    const std::int64_t columnWidth = kLeft + widest + kRight;
    std::int64_t height = kTop;
    for (const std::int64_t row : heights) {
        height += kTop + row + kBelow;
    }
    Picture picture({2 * columnWidth, height, 1}, kWhite);
    std::int64_t x = kLeft;
    for (std::size_t i = 0; i < methods.size(); ++i) { // the legend
        fill(picture, x - 1, kTop / 2 - 1, 14, 11, kBlack);
        fill(picture, x, kTop / 2, 12, 9, greyOf(static_cast<int>(i), methods.size()));
        write(picture, x + 18, kTop / 2 + 1, methods[i]);
        x += 18 + widthOf(methods[i]) + 18;
    }
    std::int64_t y = kTop;
    for (std::size_t i = 0; i < maps.size(); ++i) {
        drawMap(picture, maps[i], methods, {kLeft + (i % 2 == 0 ? 0 : columnWidth), y + kTop});
        y += i % 2 == 0 ? 0 : kTop + heights[i / 2] + kBelow;
    }
    return picture;
}

std::string toJson(const std::vector<Crossover>& maps) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Crossover& map : maps) {
        list.push_back({{"device", map.device},
                        {"volume", map.volume},
                        {"stream", map.stream},
                        {"scenes", map.scenes},
                        {"templates", map.templates},
                        {"methods", map.methods},
                        {"chosen", map.chosen}});
    }
    return Json{{"maps", list}}.dump() + "\n";
}

void writeCrossover(const std::filesystem::path& path, const std::vector<Crossover>& maps) {
    checkName(path);
    if (isNumbers(path)) {
        io::writeText(path, toJson(maps));
        return;
    }
    const Picture picture = drawn(maps);
    (void)io::writeImage(path, base::AnyView(picture.view()), {});
}

void writeCrossover(const std::filesystem::path& path, int threads, const std::string& device) {
    checkName(path);        // before the work
    if (device == "auto") { // the picture distinguishes methods, not devices
        throw base::Error(
            base::ErrorCode::CommandLine,
            "a crossover map cannot be made with --device auto; use --device cpu or cuda");
    }
    writeCrossover(path, crossovers(threads, {}, {}, device));
}

} // namespace flcc::job
