#include "tests/bench/record.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/contestants.h"
#include "tests/bench/text.h"

namespace flcc::bench {

namespace {

using nlohmann::json;
using Times = std::vector<double>;

/// Adds ratio, range and our time to a row: peer[i] and own[i] were measured one after the other.
json timed(json row, const Times& own, const Times& peer) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        least = std::min(least, peer[i] / own[i]);
        most = std::max(most, peer[i] / own[i]);
    }
    row["ratio"] = median(peer) / median(own);
    row["least"] = least;
    row["most"] = most;
    row["ours"] = median(own);
    return row;
}

std::string openCv() { return std::string("OpenCV ") + OpenCvRun::version(); }

// --- Rows of each table as rows of the page ------------------------------------------------------

/// How many times faster this program was in all cells of a table: of several contents, noise and a
/// picture, the worse.
json worseOfContents(const json& page) {
    std::map<std::string, double> cells;
    std::vector<std::string> contents;
    for (const json& row : page) {
        const double ratio = row.at("ratio");
        const std::string content = row.at("content");
        double& least = cells.try_emplace(row.at("scene").dump() + row.at("template").dump(), ratio)
                            .first->second;
        least = std::min(least, ratio);
        if (std::ranges::find(contents, content) == contents.end()) {
            contents.push_back(content);
        }
    }
    Times ratios;
    for (const auto& [cell, ratio] : cells) {
        ratios.push_back(ratio);
    }
    json row = page.front();
    row["what"] = "lcc, the worse of " + contents.front() + " and " + contents.back();
    for (const char* const key : {"scene", "template"}) {
        const std::string first = page.front().at(key);
        const std::string last = page.back().at(key);
        row[key] = first == last ? first : first + " to " + last;
    }
    row["ratio"] = geometricMean(ratios);
    row["least"] = std::ranges::min(ratios);
    row["most"] = std::ranges::max(ratios);
    for (const char* const key : {"content", "ours", "line"}) {
        row.erase(key);
    }
    return row;
}

json besideOpenCv(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        const std::string type = row.at("pixel");
        const std::string scene = row.at("scene_extents");
        page.push_back(timed({{"what", "lcc"},
                              {"type", type},
                              {"scene", scene},
                              {"content", row.at("scene")},
                              {"template", row.at("template_extents")},
                              {"peer", row.at("peer")},
                              {"line", type + " " + scene}},
                             row.at("own_ms"),
                             row.at(row.contains("ipp_ms") ? "ipp_ms" : "opencv_ms")));
    }
    page.push_back(worseOfContents(page));
    return page;
}

json besideSkimage(const json& rows) {
    json page = json::array();
    json cells = json::array();
    for (const char* const times : {"skimage_ms", "skimage_one_thread_ms"}) {
        const bool isAlone = std::string_view(times) != "skimage_ms";
        for (const json& row : rows) {
            const std::string threads = isAlone ? "one thread" : "as many threads";
            page.push_back(timed({{"what", "lcc"},
                                  {"type", "float32"},
                                  {"scene", row.at("scene_extents")},
                                  {"content", row.at("scene")},
                                  {"template", row.at("template_extents")},
                                  {"peer", "match_template of " +
                                               row.at("peer").get<std::string>() + ", " + threads},
                                  {"line", threads}},
                                 row.at("own_ms"), row.at(times)));
            if (!isAlone && row.at("scene_extents") != "513x513x513") {
                cells.push_back(page.back());
            }
        }
    }
    page.push_back(worseOfContents(cells));
    return page;
}

json besideFilters(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        json one{{"what", row.at("filter")},
                 {"type", "float32"},
                 {"scene", row.at("scene_extents")},
                 {"content", "noise"},
                 {"ours", median(row.at("own_ms").get<Times>())}};
        if (!row.at("opencv_ms").is_null()) {
            one["peer"] = openCv();
            one = timed(one, row.at("own_ms"), row.at("opencv_ms"));
        }
        page.push_back(one);
    }
    return page;
}

json besideOperations(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        const std::string peer = row.at("peer");
        page.push_back(timed({{"what", row.at("operation")},
                              {"type", row.at("pixel")},
                              {"scene", row.at("scene_extents")},
                              {"content", "noise"},
                              {"template", row.at("template_extents")},
                              {"peer", peer == "OpenCV" ? openCv() : peer},
                              {"line", row.at("operation")}},
                             row.at("own_ms"), row.at("peer_ms")));
    }
    return page;
}

json besidePapers(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        for (const json& peer : row.at("peers")) {
            page.push_back({{"section", row.at("section")},
                            {"what", row.at("what")},
                            {"type", row.at("pixel")},
                            {"scene", row.at("scene_extents")},
                            {"template", row.at("template_extents")},
                            {"peer", peer.at("name")},
                            {"ratio", peer.at("ms").get<double>() / row.at("own_ms").get<double>()},
                            {"ours", row.at("own_ms")},
                            {"line", peer.at("name")}});
        }
    }
    return page;
}

json besideLimits(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        json one{{"type", "float32"}, {"scene", "2000x2000"}, {"content", row.at("scene")}};
        if (row.contains("fftw_ms")) {
            one.update({{"what", "`tiled`"},
                        {"template", row.at("template_extents")},
                        {"peer", "FFTW 3 on its tiles alone"},
                        {"line", "tiled"}});
            page.push_back(timed(one, row.at("total_ms"), row.at("fftw_ms")));
            continue;
        }
        if (row.at("scene") != "noise") {
            continue; // integers, whose peak was not measured
        }
        one.update({{"template", "16x16"}, {"threads", row.at("threads")}});
        json share = one;
        share.update({{"what", "`direct`, its multiply-adds"},
                      {"peer", "peak in registers"},
                      {"ratio", row.at("numerators_per_ns").get<double>() /
                                    median(row.at("peak_per_ns").get<Times>())},
                      {"ours", median(row.at("numerator_ms").get<Times>())},
                      {"line", "peak"}});
        one.update(
            {{"what", "`direct`"}, {"peer", "its multiply-adds alone"}, {"line", "whole run"}});
        page.push_back(share);
        page.push_back(timed(one, row.at("total_ms"), row.at("numerator_ms")));
    }
    return page;
}

json besideMemory(const json& rows) {
    constexpr double kMiB = 1024.0 * 1024.0;
    json page = json::array();
    for (const json& row : rows) {
        const std::string method = row.at("method");
        const std::string name = "`" + method.substr(0, method.find(' ')) + "`";
        page.push_back({{"what", name},
                        {"type", row.at("pixel")},
                        {"scene", row.at("scene_extents")},
                        {"content", row.at("filling")},
                        {"template", row.at("template_extents")},
                        {"peer", "prediction over measured"},
                        {"ratio", row.at("predicted_bytes").get<double>() /
                                      row.at("measured_bytes").get<double>()},
                        {"ours", row.at("measured_bytes").get<double>() / kMiB},
                        {"unit", "MiB"},
                        {"line", name}});
    }
    return page;
}

json besidePredictions(const json& rows) {
    json page = json::array();
    for (const json& row : rows) {
        const std::string planning = "`" + row.at("planning").get<std::string>() + "`";
        page.push_back({{"what", "measured over predicted, " + planning},
                        {"type", row.at("pixel")},
                        {"scene", row.at("scene_extents")},
                        {"template", row.at("template_extents")},
                        {"peer", "prediction"},
                        {"ratio", row.at("ratio")},
                        {"ours", median(row.at("measured_ms").get<Times>())},
                        {"line", planning}});
    }
    return page;
}

json besideChoices(const json& rows) {
    json page = json::array();
    for (const std::string planning : {"estimate", "measure"}) {
        Times ratios;
        for (const json& row : rows) {
            ratios.push_back(row.at(planning + "_ratio"));
        }
        page.push_back({{"what", "chosen over best, `" + planning + "`"},
                        {"type", "float32"},
                        {"scene", std::to_string(rows.size()) + " problems in 2D and 3D"},
                        {"peer", "best candidate"},
                        {"ratio", geometricMean(ratios)},
                        {"least", std::ranges::min(ratios)},
                        {"most", std::ranges::max(ratios)}});
    }
    return page;
}

struct Form {
    std::string_view section;
    json (*page)(const json& rows);
};
const std::map<std::string_view, Form>& forms() {
    static const std::map<std::string_view, Form> all{
        {"", {"matching", besideOpenCv}},
        {"--grid", {"matching", besideOpenCv}},
        {"--volumes", {"matching", besideSkimage}},
        {"--limits", {"matching", besideLimits}},
        {"--filters", {"filters", besideFilters}},
        {"--operations", {"operations", besideOperations}},
        {"--papers", {"operations", besidePapers}},
        {"--memory", {"memory", besideMemory}},
        {"--predictions", {"planning", besidePredictions}},
        {"--choices", {"planning", besideChoices}},
    };
    return all;
}

// --- The file ------------------------------------------------------------------------------------

/// "2 threads of AMD EPYC 9B14".
std::string machine(int threads) {
    std::ifstream cpus("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpus, line) && !line.starts_with("model name")) {
    }
    const std::size_t colon = line.find(": ");
    return std::to_string(threads) + " threads of " +
           (colon == std::string::npos ? "an unknown processor" : line.substr(colon + 2));
}

std::string today() {
    const std::chrono::year_month_day day{
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    const auto two = [](unsigned value) {
        return (value < 10 ? "-0" : "-") + std::to_string(value);
    };
    return std::to_string(static_cast<int>(day.year())) + two(static_cast<unsigned>(day.month())) +
           two(static_cast<unsigned>(day.day()));
}

/// A peer without its version, which may change.
std::string withoutVersion(std::string peer) {
    std::erase_if(peer, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    return peer;
}

bool isSameRow(const json& a, const json& b) {
    constexpr std::array kKeys{"what", "type", "scene", "content", "template"};
    return std::ranges::all_of(
               kKeys, [&](const char* key) { return a.value(key, "") == b.value(key, ""); }) &&
           withoutVersion(a.value("peer", "")) == withoutVersion(b.value("peer", ""));
}

/// What was written to `file` by hand.
void keepGoals(json& rows, const json& old) {
    for (json& row : rows) {
        const auto same =
            std::ranges::find_if(old, [&](const json& before) { return isSameRow(row, before); });
        for (const char* const key : {"goal", "goal_most", "line"}) {
            if (same != old.end() && same->contains(key)) {
                row[key] = same->at(key);
            }
        }
    }
}

} // namespace

void record(const std::filesystem::path& file, std::string_view table, const json& rows,
            const std::string& command, int threads) {
    const Form& form = forms().at(table);
    json page = form.page(rows);
    if (std::filesystem::exists(file)) {
        keepGoals(page, json::parse(std::ifstream(file)).at("rows"));
    }
    std::ofstream to(file);
    to << "{\"section\": " << json(form.section) << ",\n \"command\": " << json(command)
       << ",\n \"machine\": " << json(machine(threads)) << ",\n \"date\": " << json(today())
       << ",\n \"rows\": [";
    for (std::size_t i = 0; i < page.size(); ++i) {
        to << (i == 0 ? "\n  " : ",\n  ") << page[i];
    }
    to << "]}\n";
    if (!to.flush()) {
        throw std::runtime_error(file.string() + " cannot be written");
    }
}

} // namespace flcc::bench
