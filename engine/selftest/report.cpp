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

/// The devices of the rows in the order in which they ran.
std::vector<std::string> devicesOf(const std::vector<Row>& rows) {
    std::vector<std::string> devices;
    for (const Row& row : rows) {
        if (std::find(devices.begin(), devices.end(), row.device) == devices.end()) {
            devices.push_back(row.device);
        }
    }
    return devices;
}

/// Name of a device; for the processor also the instruction sets that ran.
std::string nameOf(const std::string& id, const Report& report) {
    std::set<std::string> sets;
    for (const Row& row : report.rows) {
        if (row.device == id && !row.instructionSet.empty()) {
            sets.insert(row.instructionSet);
        }
    }
    std::string name;
    for (const plan::Device& device : plan::devices(plan::DeviceDetail::Names)) {
        name = device.id == id ? device.name : name;
    }
    for (const std::string& set : sets) {
        name += (set == *sets.begin() ? ", " : " ") + set;
    }
    return name;
}

/// All rows of one case on one device as one line.
std::string lineOf(const CaseName& name, const std::string& device, const std::vector<Row>& rows) {
    int runs = 0;
    double error = 0;
    double over = 0;
    double ms = 0;
    bool fine = true;
    for (const Row& row : rows) {
        if (row.name == name.name && row.device == device) {
            runs += row.runs;
            error = std::max(error, row.largestError);
            over = std::max(over, row.overBound);
            ms += row.ms;
            fine = fine && row.fault.empty();
        }
    }
    return runs == 0
               ? std::string()
               : padded(name.name, 16) + padded(device, 8) + padded(fine ? "passed" : "FAILED", 8) +
                     padded(std::to_string(runs), 7) + padded(figure(error, 2), 13) +
                     padded(figure(over, 2), 22) + seconds(ms) + "\n";
}

} // namespace

std::string headText() {
    return padded("case", 16) + padded("device", 8) + padded("verdict", 8) + padded("runs", 7) +
           padded("error", 13) + padded("over empirical bound", 22) + "time\n";
}

std::string toText(const std::vector<Row>& rows) {
    std::string text;
    const std::vector<std::string> devices = devicesOf(rows);
    for (const CaseName& name : caseNames()) {
        for (const std::string& device : devices) {
            text += lineOf(name, device, rows);
        }
    }
    return text;
}

std::string toText(const Report& report) {
    return headText() + toText(report.rows) + verdictText(report);
}

std::string verdictText(const Report& report) {
    std::string text;
    int runs = 0;
    for (const Row& row : report.rows) {
        runs += row.runs;
        if (!row.fault.empty()) {
            text += "FAILED " + row.name + ", " +
                    (row.instructionSet.empty() ? row.device : row.instructionSet) + ": " +
                    row.fault + "\n";
        }
    }
    for (const std::string& device : devicesOf(report.rows)) {
        text += device + ": " + nameOf(device, report) + "\n";
    }
    return text + verdictOf(report) + ": " + std::to_string(runs) + " runs in " +
           seconds(report.ms) + "\n";
}

std::string toJson(const Report& report) {
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    for (const Row& row : report.rows) {
        rows.push_back({{"case", row.name},
                        {"method", row.method},
                        {"device", row.device},
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
    Json devices = Json::object();
    for (const std::string& device : devicesOf(report.rows)) {
        devices[device] = nameOf(device, report);
    }
    const Json json{{"verdict", verdictOf(report)},
                    {"ms", report.ms},
                    {"devices", devices},
                    {"cases", about},
                    {"rows", rows}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::selftest
