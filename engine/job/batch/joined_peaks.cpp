#include "engine/job/batch/joined_peaks.h"

#include <algorithm>
#include <ranges>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/list_file.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {
namespace {

/// The rows of a list of peaks by the names of its columns.
struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
            cells.back() += c;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

Table tableOf(const std::string& csv) {
    Table table;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        table.columns.empty() ? void(table.columns = cellsOf(line))
                              : void(table.rows.push_back(cellsOf(line)));
    }
    return table;
}

/// A cell of CSV, in quotes where it needs them.
std::string cell(const std::string& text, char separator) {
    if (text.find_first_of(std::string("\"\n\r") + separator) == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

std::string joinedTable(const std::vector<BatchRow>& rows, char separator) {
    std::vector<Table> tables;
    std::vector<std::string> columns; // of all lists: some have columns that others lack
    for (const BatchRow& row : rows) {
        tables.push_back(row.state == BatchState::Done ? tableOf(row.list) : Table{});
        for (const std::string& column : tables.back().columns) {
            if (std::ranges::count(columns, column) == 0) {
                columns.push_back(column);
            }
        }
    }
    std::string text = "file";
    for (const std::string& column : columns) {
        text += separator + column;
    }
    text += "\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const std::vector<std::string>& cells : tables[i].rows) {
            text += cell(base::storedText(rows[i].file.native()), separator);
            for (const std::string& column : columns) {
                const auto at = std::ranges::find(tables[i].columns, column);
                text += separator;
                text += at == tables[i].columns.end()
                            ? ""
                            : cells[static_cast<std::size_t>(at - tables[i].columns.begin())];
            }
            text += "\n";
        }
    }
    return text;
}

io::ListFormat formatOf(const Batch& batch) {
    return io::chosenListFormat(batch.job.peaksFormat, batch.peaks, "--peaks-format");
}

} // namespace

void requireJoinable(const Batch& batch) {
    if (batch.peaks.empty()) {
        return;
    }
    const io::ListFormat format = formatOf(batch);
    if (format != io::ListFormat::Csv && format != io::ListFormat::Tsv &&
        !io::namesTomograms(format)) {
        throw base::Error(base::ErrorCode::CommandLine,
                          "--peaks: rows of format " + std::string(io::name(format)) +
                              " do not name their file; write .csv, .tsv, or a format whose rows "
                              "name their tomogram, such as relion5");
    }
}

void writeJoinedPeaks(const Batch& batch, const std::vector<BatchRow>& rows) {
    const io::ListFormat format = formatOf(batch);
    if (format == io::ListFormat::Csv || format == io::ListFormat::Tsv) {
        io::writeText(batch.peaks, joinedTable(rows, format == io::ListFormat::Csv ? ',' : '\t'));
        return;
    }
    std::vector<io::PositionList> lists;
    for (const BatchRow& row : rows) {
        if (row.state == BatchState::Done) {
            io::ListPlace place;
            place.scene = row.file.string();
            place.unknowns = batch.job.peaksUnknowns;
            lists.push_back(io::parseList(row.list, io::ListFormat::Csv, place, row.file));
        }
    }
    io::AtomicFile file(batch.peaks);
    io::writeJoinedList(file, lists, format);
    file.commit();
}

std::string rowsJson(const BatchReport& report) {
    json::Json files = json::Json::array();
    for (const BatchRow& row : report.rows) {
        json::Json outputs = json::Json::array();
        for (const std::filesystem::path& each : row.outputs) {
            outputs.push_back(each.string());
        }
        files.push_back({{"file", row.file.string()},
                         {"state", std::string(name(row.state))},
                         {"peaks", row.peaks},
                         {"reason", json::orNull(row.reason)},
                         {"ms", row.ms},
                         {"earlier", row.earlier},
                         {"outputs", outputs}});
    }
    return json::fileText({{"version", json::kReportVersion},
                           {"command", "batch"},
                           {"cancelled", report.cancelled},
                           {"files", files}});
}

} // namespace flcc::job::detail
