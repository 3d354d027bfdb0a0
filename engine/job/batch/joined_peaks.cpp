#include "engine/job/batch/joined_peaks.h"

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/list_file.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job::detail {
namespace {

io::ListFormat formatOf(const Batch& batch) {
    return io::chosenListFormat(batch.job.peaksFormat, batch.peaks, "--peaks-format");
}

} // namespace

void requireJoinable(const Batch& batch) {
    if (batch.peaks.empty()) {
        return;
    }
    const io::ListFormat format = formatOf(batch);
    if (!io::namesTomograms(format)) {
        throw base::Error(base::ErrorCode::CommandLine,
                          "--peaks: rows of format " + std::string(io::name(format)) +
                              " do not name their file; write .csv, .tsv, or a format whose rows "
                              "name their tomogram, such as relion5");
    }
}

void writeJoinedPeaks(const Batch& batch, const std::vector<BatchRow>& rows) {
    std::vector<io::PositionList> lists;
    for (const BatchRow& row : rows) {
        if (row.state == BatchState::Done) {
            io::ListPlace place;
            place.scene = row.file.string();
            place.unknowns = batch.job.peaksUnknowns;
            place.unknowns.tomogram = row.name;
            io::PositionList& list =
                lists.emplace_back(io::parseList(row.list, io::ListFormat::Csv, place, row.file));
            list.columns.push_back({"file"});
            for (io::ListedPosition& position : list.positions) {
                position.cells.push_back(row.file.string());
            }
        }
    }
    if (lists.empty()) { // an older one would pass for that of this run
        std::filesystem::remove(batch.peaks);
        return;
    }
    io::AtomicFile file(batch.peaks);
    io::writeJoinedList(file, lists, formatOf(batch));
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
