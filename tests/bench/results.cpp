#include "tests/bench/results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;
using Rows = std::vector<json>;

constexpr std::string_view kIntroduction =
    R"(# Results

`flcc-bench --results > tests/bench/RESULTS.md` makes this page from `tests/bench/results`. *Ratio*: time of the peer over ours,
unless the line names another ratio; in brackets least and most of the runs. A line that stands for several rows has
their geometric mean, least and most. *Ours*: median, from memory to memory, without planning and files.
)";

std::string joined(const Texts& texts, std::string_view between) {
    std::string all;
    for (const std::string& text : texts) {
        all += (all.empty() ? "" : std::string(between)) + text;
    }
    return all;
}

/// A line of a table, or of its head.
std::string tableLine(const Texts& cells) { return "| " + joined(cells, " | ") + " |\n"; }

std::string tableHead(const Texts& cells) {
    return tableLine(cells) + tableLine(Texts(cells.size(), "---"));
}

/// Three digits, or all before the point.
std::string number(double value) {
    constexpr double kHundred = 100;
    constexpr double kTen = 10;
    constexpr double kTenth = 0.1;
    const double size = std::abs(value);
    const int digits = size >= kHundred ? 0 : size >= kTen ? 1 : size >= kTenth ? 2 : 3;
    return fixed(value, digits);
}

/// "0.22" or "0.22 to 0.57".
std::string range(double least, double most) {
    const std::string first = number(least);
    const std::string last = number(most);
    return first == last ? first : first + " to " + last;
}

/// The different texts of `key`, in the order of the rows.
Texts textsOf(const Rows& rows, const char* key) {
    Texts found;
    for (const json& row : rows) {
        const std::string text = row.value(key, "");
        if (!text.empty() && std::ranges::find(found, text) == found.end()) {
            found.push_back(text);
        }
    }
    return found;
}

/// All of a few, else the first and the last of them.
std::string span(const Texts& texts) {
    constexpr std::size_t kFew = 2;
    return texts.size() <= kFew ? joined(texts, ", ") : texts.front() + " to " + texts.back();
}

/// Sizes as a span of those in 2D and one of those in 3D, each in the order of the first number.
std::string sizes(const Texts& texts) {
    std::map<std::ptrdiff_t, Texts> byDimensions;
    for (const std::string& text : texts) {
        byDimensions[std::ranges::count(text, 'x')].push_back(text);
    }
    Texts spans;
    for (auto& [dimensions, some] : byDimensions) {
        std::ranges::stable_sort(some, {},
                                 [](const std::string& text) { return std::atoi(text.c_str()); });
        spans.push_back(span(some));
    }
    return joined(spans, ", ");
}

/// "≥ 8", "≤ 1.3" and how many rows missed it.
std::string goalOf(const Rows& rows) {
    Texts goals;
    int missed = 0;
    for (const json& row : rows) {
        Texts limits;
        bool isMissed = false;
        if (row.contains("goal")) {
            limits.push_back("≥ " + row.at("goal").dump());
            isMissed = row.at("ratio") < row.at("goal");
        }
        if (row.contains("goal_most")) {
            limits.push_back("≤ " + row.at("goal_most").dump());
            isMissed = isMissed || row.at("ratio") > row.at("goal_most");
        }
        const std::string text = joined(limits, ", ");
        if (!text.empty() && std::ranges::find(goals, text) == goals.end()) {
            goals.push_back(text);
        }
        missed += isMissed ? 1 : 0;
    }
    std::string text = joined(goals, "; ");
    if (missed > 0) {
        text += rows.size() == 1 ? ": missed"
                                 : ": missed by " + std::to_string(missed) + " of " +
                                       std::to_string(rows.size());
    }
    return text;
}

std::string ratioOf(const Rows& rows) {
    std::vector<double> ratios;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const json& row : rows) {
        if (!row.contains("ratio")) {
            return "";
        }
        const double ratio = row.at("ratio");
        ratios.push_back(ratio);
        least = std::min(least, row.value("least", ratio));
        most = std::max(most, row.value("most", ratio));
    }
    const std::string mean = number(geometricMean(ratios));
    const json& first = rows.front();
    if (rows.size() == 1 && !(first.contains("least") && first.contains("most"))) {
        return mean + (first.contains("least")  ? " (least " + number(least) + ")"
                       : first.contains("most") ? " (most " + number(most) + ")"
                                                : " (not recorded)");
    }
    return mean + " (" + range(least, most) + ")";
}

std::string oursOf(const Rows& rows) {
    Rows timed;
    std::ranges::copy_if(rows, std::back_inserter(timed),
                         [](const json& row) { return row.contains("ours"); });
    if (timed.empty()) {
        return "";
    }
    const auto [least, most] = std::ranges::minmax(
        timed, {}, [](const json& row) { return row.at("ours").get<double>(); });
    const std::string unit = timed.front().value("unit", "");
    return range(least.at("ours"), most.at("ours")) + (unit.empty() ? "" : " " + unit);
}

/// Rows of one file with the same "line", which become one line of the page.
std::string ratiosLine(const Rows& rows) {
    Texts scene{sizes(textsOf(rows, "scene"))};
    if (const Texts content = textsOf(rows, "content"); !content.empty()) {
        scene.push_back(joined(content, ", "));
    }
    return tableLine({joined(textsOf(rows, "what"), ", "), joined(textsOf(rows, "type"), ", "),
                      joined(scene, " "), sizes(textsOf(rows, "template")), goalOf(rows),
                      span(textsOf(rows, "peer")), ratioOf(rows), oursOf(rows),
                      joined(textsOf(rows, "machine"), "; "), span(textsOf(rows, "date"))});
}

/// Rows by their "line" and file, in the order of the first of each.
std::vector<Rows> linesOf(const Rows& rows) {
    std::vector<Rows> lines;
    for (const json& row : rows) {
        const auto same = std::ranges::find_if(lines, [&](const Rows& line) {
            return row.contains("line") && line.front().value("line", "") == row.at("line") &&
                   line.front().at("file") == row.at("file");
        });
        if (same == lines.end()) {
            lines.push_back({row});
        } else {
            same->push_back(row);
        }
    }
    return lines;
}

std::string ratiosTable(const Rows& rows) {
    std::string text = tableHead({"what", "type", "scene", "template or kernel", "goal", "peer",
                                  "ratio", "ours, ms", "machine", "date"});
    for (const Rows& line : linesOf(rows)) {
        text += ratiosLine(line);
    }
    return text;
}

std::string figuresTable(const Rows& rows) {
    std::string text = tableHead({"what", "figure", "machine", "date"});
    for (const json& row : rows) {
        text += tableLine({row.at("what"), row.at("figure"), row.at("machine"), row.at("date")});
    }
    return text;
}

/// Several counts beside each other, column by column.
std::string countsTable(const Rows& rows) {
    constexpr std::size_t kBeside = 6;
    Texts head;
    for (std::size_t i = 0; i < kBeside; ++i) {
        head.insert(head.end(), {"format", "variants"});
    }
    std::string text = tableHead(head);
    const std::size_t lines = (rows.size() + kBeside - 1) / kBeside;
    for (std::size_t line = 0; line < lines; ++line) {
        Texts cells;
        for (std::size_t i = line; i < rows.size(); i += lines) {
            const int failing = rows[i].at("failing");
            cells.push_back(rows[i].at("what"));
            cells.push_back(rows[i].at("count").dump() +
                            (failing > 0 ? ", failing " + std::to_string(failing) : ""));
        }
        cells.resize(head.size());
        text += tableLine(cells);
    }
    return text;
}

// --- GPUs ---------------------------------------------------------------------------------------

/// The median of `key` of a row that was run.
double medianOf(const json& row, const char* key) {
    return median(row.at(key).get<std::vector<double>>());
}

/// "2048^2, 8^2" of the first two or three extents.
std::string problemText(const json& row) {
    const auto power = [](const json& extents) {
        const bool flat = extents.size() == 2 || extents.at(2) == 1;
        return std::to_string(extents.at(0).get<int>()) + (flat ? "^2" : "^3");
    };
    return power(row.at("scene")) + ", " + power(row.at("template"));
}

/// The rows of one problem on one device, and their ratios.
class OnDevice {
  public:
    OnDevice(const json& file, const std::string& problem) {
        for (const char* const list : {"flcc", "peers"}) {
            for (const json& row : file.at(list)) {
                if (problemText(row) == problem && row.value("not_run", "").empty()) {
                    (row.contains("peer") ? m_peers : m_own).push_back(row);
                }
            }
        }
    }

    [[nodiscard]] bool empty() const { return m_own.empty(); }

    /// In the order of the table's head.
    [[nodiscard]] Texts cells() const {
        const auto kernel = [](const json& row) {
            return row.at("stages_ms").at("kernel").get<double>();
        };
        const json& stream = *std::ranges::min_element(
            m_own, {}, [](const json& row) { return medianOf(row, "stream_ms"); });
        const json& kernels = *std::ranges::min_element(m_own, {}, kernel);
        const json& fourier = *std::ranges::find(
            m_own, "fourier", [](const json& row) { return row.at("method").get<std::string>(); });
        const double singleMs = std::ranges::min(m_own | std::views::transform([](const json& row) {
                                                     return medianOf(row, "single_ms");
                                                 }));
        const double streamMs = medianOf(stream, "stream_ms");
        const double kernelMs = kernel(kernels);
        const auto method = [](const json& row) { return row.at("method").get<std::string>(); };
        return {method(stream) + " " + number(streamMs),
                number(singleMs),
                number(peerMs("CuPy", "end_to_end_ms") / streamMs),
                number(peerMs("match_template, torch", "end_to_end_ms") / streamMs),
                method(kernels) + " " + number(kernelMs),
                number(peerMs("CuPy", "kernel_ms") / kernelMs),
                number(peerMs("match_template, torch", "kernel_ms") / kernelMs),
                number(peerMs("cuFFT product", "kernel_ms") / kernelMs),
                number(kernel(fourier) / fourier.at("transforms_ms").get<double>())};
    }

  private:
    [[nodiscard]] double peerMs(std::string_view name, const char* key) const {
        const auto found = std::ranges::find_if(m_peers, [&](const json& row) {
            return row.at("peer").get<std::string>().find(name) != std::string::npos;
        });
        return found == m_peers.end() ? std::nan("") : medianOf(*found, key);
    }

    Rows m_own;
    Rows m_peers;
};

std::string devicesTable(const Rows& files) {
    if (files.empty()) {
        return "";
    }
    Texts devices;
    Texts problems;
    for (const json& file : files) {
        devices.push_back(file.at("device").get<std::string>() + " (" +
                          file.at("date").get<std::string>() + ")");
        for (const json& row : file.at("flcc")) {
            const std::string problem = problemText(row);
            if (std::ranges::find(problems, problem) == problems.end()) {
                problems.push_back(problem);
            }
        }
    }
    std::string text = "Each cell: " + joined(devices, " / ") +
                       ". Times in ms, each of the fastest method, else the peer's time over ours. "
                       "*Stream*: from memory to "
                       "memory\nwith buffers that exist, as the peers' end to end; *single*: "
                       "buffers and plans made anew; "
                       "*kernels*: all data on the device.\n\n";
    text += tableHead({"scene, template", "stream", "single", "CuPy", "torch", "kernels", "CuPy",
                       "torch", "cuFFT product", "`fourier` over its transforms (goal ≤ 1.5)"});
    for (const std::string& problem : problems) {
        std::vector<Texts> columns;
        for (const json& file : files) {
            if (const OnDevice device(file, problem); !device.empty()) {
                const Texts cells = device.cells();
                columns.resize(cells.size());
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    columns[i].push_back(cells[i]);
                }
            }
        }
        Texts line{problem};
        for (const Texts& column : columns) {
            line.push_back(joined(column, " / "));
        }
        text += tableLine(line);
    }
    return text + "\n";
}

// --- The page -----------------------------------------------------------------------------------

struct Section {
    std::string_view name;
    std::string_view title;
    std::string (*table)(const Rows&);
};
constexpr std::array kSections{
    Section{"matching", "Matching on the CPU", ratiosTable},
    Section{"operations", "Operations of a match", ratiosTable},
    Section{"filters", "Convolution and filters", ratiosTable},
    Section{"features", "Features", ratiosTable},
    Section{"memory", "Memory", ratiosTable},
    Section{"planning", "Planning", ratiosTable},
    Section{"gpu", "GPU", ratiosTable},
    Section{"files", "Files of other programs", countsTable},
    Section{"tests", "Fuzzing and random tests", figuresTable},
    Section{"window", "Window", figuresTable},
};

/// All sets of figures of a folder, each with the name of its file.
Rows filesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    Rows files;
    for (const std::filesystem::path& path : paths) {
        try {
            files.push_back(json::parse(std::ifstream(path)));
            files.back()["file"] = path.filename().string();
        } catch (const json::exception& error) {
            throw std::runtime_error(path.string() + ": " + error.what());
        }
    }
    return files;
}

/// The rows of a file that belong to a section, with what the file says of all of them.
Rows rowsOf(const json& file, std::string_view section) {
    Rows rows;
    for (json row : file.value("rows", json::array())) {
        if (row.value("section", file.value("section", "")) == section) {
            for (const char* const key : {"machine", "date", "file"}) {
                if (!row.contains(key)) {
                    row[key] = file.at(key);
                }
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::string sectionText(const Section& section, const Rows& files) {
    Rows rows;
    Rows devices;
    Texts commands;
    std::string facts;
    for (const json& file : files) {
        const bool isDevice = file.contains("device");
        const Rows own = rowsOf(file, section.name);
        if (isDevice && section.name == "gpu") {
            devices.push_back(file);
        }
        rows.insert(rows.end(), own.begin(), own.end());
        if (!own.empty() && file.contains("command")) {
            const std::string command = "`" + file.at("command").get<std::string>() + "`";
            if (std::ranges::find(commands, command) == commands.end()) {
                commands.push_back(command);
            }
        }
        if (file.value("section", "") == section.name) {
            for (const json& fact : file.value("facts", json::array())) {
                facts += "- " + fact.get<std::string>() + "\n";
            }
        }
    }
    if (rows.empty() && devices.empty()) {
        return "";
    }
    std::string text = "\n## " + std::string(section.title) + "\n";
    text += devicesTable(devices) + (rows.empty() ? "" : section.table(rows));
    if (!commands.empty()) {
        text += "- Repeat: " + joined(commands, "; ") + "\n";
    }
    return text + facts;
}

} // namespace

std::string resultsPage(const std::filesystem::path& folder) {
    const Rows files = filesOf(folder);
    std::string page(kIntroduction);
    for (const Section& section : kSections) {
        page += sectionText(section, files);
    }
    return page;
}

} // namespace flcc::bench
