#include "tests/bench/record.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
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

// --- A row of each table as rows of the page
// ------------------------------------------------------

json besideOpenCv(const json& row) {
    return json::array({timed({{"what", "lcc"},
                               {"type", row.at("pixel")},
                               {"scene", row.at("scene_extents")},
                               {"content", row.at("scene")},
                               {"template", row.at("template_extents")},
                               {"peer", openCv()}},
                              row.at("own_ms"), row.at("opencv_ms"))});
}

json besideSkimage(const json& row) {
    const auto one = [&](const char* times, const char* threads) {
        return timed({{"what", "lcc"},
                      {"type", "float32"},
                      {"scene", row.at("scene_extents")},
                      {"content", row.at("scene")},
                      {"template", row.at("template_extents")},
                      {"peer", std::string("match_template of scikit-image, ") + threads}},
                     row.at("own_ms"), row.at(times));
    };
    return {one("skimage_ms", "as many threads"), one("skimage_one_thread_ms", "one thread")};
}

json besideFilters(const json& row) {
    json page{{"what", row.at("filter")},
              {"type", "float32"},
              {"scene", row.at("scene_extents")},
              {"ours", median(row.at("own_ms").get<Times>())}};
    if (!row.at("opencv_ms").is_null()) {
        page["peer"] = openCv();
        page = timed(page, row.at("own_ms"), row.at("opencv_ms"));
    }
    return json::array({page});
}

json besideOperations(const json& row) {
    const std::string peer = row.at("peer");
    return json::array({timed({{"what", row.at("operation")},
                               {"type", row.at("pixel")},
                               {"scene", row.at("scene_extents")},
                               {"content", "noise"},
                               {"template", row.at("template_extents")},
                               {"peer", peer == "OpenCV" ? openCv() : peer}},
                              row.at("own_ms"), row.at("peer_ms"))});
}

json besidePapers(const json& row) {
    return json::array(
        {{{"section", row.at("section")},
          {"what", row.at("what")},
          {"peer", row.at("paper")},
          {"ratio", row.at("paper_ms").get<double>() / row.at("own_ms").get<double>()},
          {"ours", row.at("own_ms")}}});
}

json besideLimits(const json& row) {
    json page{{"type", "float32"}, {"scene", "2000x2000"}, {"content", row.at("scene")}};
    if (row.contains("fftw_ms")) {
        page.update({{"what", "`tiled`"},
                     {"template", row.at("template_extents")},
                     {"peer", "FFTW 3 on its tiles alone"}});
        return json::array({timed(page, row.at("total_ms"), row.at("fftw_ms"))});
    }
    page["template"] = "16x16";
    json share = page;
    share.update({{"what", "`direct`, its multiply-adds"},
                  {"peer", "peak in registers"},
                  {"ratio", row.at("numerators_per_ns").get<double>() /
                                median(row.at("peak_per_ns").get<Times>())},
                  {"ours", median(row.at("numerator_ms").get<Times>())}});
    page.update({{"what", "`direct`"}, {"peer", "its multiply-adds alone"}});
    return {share, timed(page, row.at("total_ms"), row.at("numerator_ms"))};
}

json besideMemory(const json& row) {
    constexpr double kMiB = 1024.0 * 1024.0;
    const std::string method = row.at("method");
    return json::array(
        {{{"what", "predicted over measured, `" + method.substr(0, method.find(' ')) + "`"},
          {"type", row.at("pixel")},
          {"scene", row.at("scene_extents")},
          {"content", row.at("filling")},
          {"template", row.at("template_extents")},
          {"peer", "prediction"},
          {"ratio",
           row.at("predicted_bytes").get<double>() / row.at("measured_bytes").get<double>()},
          {"ours", row.at("measured_bytes").get<double>() / kMiB},
          {"unit", "MiB"}}});
}

json besidePredictions(const json& row) {
    const std::string planning = row.at("planning");
    return json::array({{{"what", "measured over predicted, `" + planning + "`"},
                         {"type", row.at("pixel")},
                         {"scene", row.at("scene_extents")},
                         {"template", row.at("template_extents")},
                         {"peer", "prediction"},
                         {"ratio", row.at("ratio")},
                         {"ours", median(row.at("measured_ms").get<Times>())}}});
}

json besideChoices(const json& row) {
    json pages = json::array();
    for (const std::string planning : {"measure", "estimate"}) {
        const double ratio = row.at(planning + "_ratio");
        pages.push_back({{"what", "chosen over best, `" + planning + "`"},
                         {"type", "float32"},
                         {"scene", row.at("scene")},
                         {"template", row.at("template")},
                         {"peer", "best candidate"},
                         {"ratio", ratio},
                         {"ours", ratio * row.at("best_ms").get<double>()}});
    }
    return pages;
}

struct Form {
    std::string_view section;
    json (*page)(const json&);
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

// --- The file
// -------------------------------------------------------------------------------------

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

bool isSameRow(const json& a, const json& b) {
    return std::ranges::all_of(
        std::vector<const char*>{"what", "type", "scene", "content", "template", "peer"},
        [&](const char* key) { return a.value(key, "") == b.value(key, ""); });
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
    json page = json::array();
    for (const json& row : rows) {
        for (const json& one : form.page(row)) {
            page.push_back(one);
        }
    }
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
