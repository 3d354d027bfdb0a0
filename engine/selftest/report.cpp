#include <algorithm>
#include <locale>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/selftest/self_test.h"

namespace flcc::selftest {

namespace {

const char* verdictOf(const Report& report) {
    return report.cancelled ? "interrupted" : report.passed() ? "passed" : "failed";
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string figure(double value, int digits) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(digits);
    text << value;
    return text.str();
}

std::string seconds(double ms) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(1);
    text << std::fixed << ms / 1000 << " s";
    return text.str();
}

/// All rows of one case as one line.
std::string lineOf(const CaseName& name, const std::vector<Row>& rows) {
    int runs = 0;
    double error = 0;
    double over = 0;
    double ms = 0;
    bool fine = true;
    for (const Row& row : rows) {
        if (row.name == name.name) {
            runs += row.runs;
            error = std::max(error, row.largestError);
            over = std::max(over, row.overBound);
            ms += row.ms;
            fine = fine && row.fault.empty();
        }
    }
    return runs == 0 ? std::string()
                     : padded(name.name, 16) + padded(fine ? "passed" : "FAILED", 8) +
                           padded(std::to_string(runs), 7) + padded(figure(error, 2), 13) +
                           padded(figure(over, 2), 13) + seconds(ms) + "\n";
}

} // namespace

std::string toText(const Report& report) {
    std::string text = padded("case", 16) + padded("verdict", 8) + padded("runs", 7) +
                       padded("error", 13) + padded("over bound", 13) + "time\n";
    int runs = 0;
    std::set<std::string> sets;
    for (const CaseName& name : caseNames()) {
        text += lineOf(name, report.rows);
    }
    for (const Row& row : report.rows) {
        runs += row.runs;
        sets.insert(row.instructionSet);
        if (!row.fault.empty()) {
            text += "FAILED " + row.name + ", " + row.instructionSet + ": " + row.fault + "\n";
        }
    }
    text += std::string(verdictOf(report)) + ": " + std::to_string(runs) + " runs on";
    for (const std::string& set : sets) {
        text += " " + set;
    }
    return text + " in " + seconds(report.ms) + "\n";
}

std::string toJson(const Report& report) {
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    for (const Row& row : report.rows) {
        rows.push_back({{"case", row.name},
                        {"method", row.method},
                        {"instructions", row.instructionSet},
                        {"precision", method::name(row.precision)},
                        {"verdict", row.fault.empty() ? "passed" : "failed"},
                        {"fault", row.fault},
                        {"runs", row.runs},
                        {"largest_error", row.largestError},
                        {"over_bound", row.overBound},
                        {"ms", row.ms}});
    }
    Json about = Json::object();
    for (const CaseName& name : caseNames()) {
        about[name.name] = name.about;
    }
    const Json json{
        {"verdict", verdictOf(report)}, {"ms", report.ms}, {"cases", about}, {"rows", rows}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::selftest
