#include "engine/job/batch/queue.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <ranges>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/job/project/fields.h"

namespace flcc::job {

namespace detail::project {
template <> inline constexpr int kValues<BatchState> = 4;
FLCC_FIELDS(FileIdentity, size, ends)
FLCC_FIELDS(BatchRow, file, name, state, peaks, reason, ms, outputs, earlier, list)
} // namespace detail::project

namespace detail {

using project::Json;

namespace {

constexpr std::string_view kHead = R"({"format": "flcc queue", "version": 1})";

[[noreturn]] void failQueue(const std::filesystem::path& file, base::ErrorCode code,
                            const std::string& why) {
    throw base::Error(
        code, std::string(code == base::ErrorCode::Input ? "cannot read " : "cannot write ") +
                  file.string() + ": " + why);
}

/// Writes all of it and puts it on the disk.
bool put(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const auto count = ::write(descriptor, text.data(), text.size());
        if (count <= 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return ::fdatasync(descriptor) == 0;
}

} // namespace

BatchQueue::BatchQueue(std::filesystem::path file, bool goOn) : m_file(std::move(file)) {
    if (m_file.empty()) {
        return;
    }
    const bool there = std::filesystem::exists(m_file);
    if (there && goOn) {
        read();
    }
    const int begin = there && goOn ? O_APPEND : O_TRUNC;
    m_open = base::Descriptor(::open(m_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | begin,
                                     S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
    // A line that a kill has torn ends here.
    const std::string text = there && goOn ? std::string("\n") : std::string(kHead) + "\n";
    if (!m_open.valid() || !put(m_open.number(), text)) {
        failQueue(m_file, base::ErrorCode::Output, std::generic_category().message(errno));
    }
}

void BatchQueue::read() {
    std::ifstream stream = base::openFile(m_file);
    std::string line;
    if (!std::getline(stream, line) || line != kHead) {
        failQueue(m_file, base::ErrorCode::Input, "it is no queue of flcc-cli batch");
    }
    while (std::getline(stream, line)) {
        try {
            const Json json = Json::parse(line);
            FinishedFile finished;
            project::Reader reader(json);
            reader("identity", finished.identity);
            reader("job", finished.job);
            reader("row", finished.row);
            if (finished.row.state == BatchState::Done ||
                finished.row.state == BatchState::Failed) {
                m_finished.push_back(std::move(finished));
            }
        } catch (const base::Error&) { // a torn line, or of a newer version: it is done again
            continue;
        } catch (const nlohmann::json::exception&) {
            continue;
        }
    }
}

const FinishedFile* BatchQueue::find(const FileIdentity& identity, const std::string& job) const {
    for (const FinishedFile& each : std::views::reverse(m_finished)) {
        if (each.identity == identity && each.job == job) {
            return each.row.state == BatchState::Done ? &each : nullptr;
        }
    }
    return nullptr;
}

void BatchQueue::append(const BatchRow& row, const std::optional<FileIdentity>& identity,
                        const std::string& job) {
    if (m_file.empty()) {
        return;
    }
    project::Writer writer;
    FileIdentity bytes = identity.value_or(FileIdentity{});
    std::string digest = job;
    BatchRow copy = row;
    writer("identity", bytes);
    writer("job", digest);
    writer("row", copy);
    if (!put(m_open.number(), writer.json.dump() + "\n")) {
        failQueue(m_file, base::ErrorCode::Output, std::generic_category().message(errno));
    }
}

} // namespace detail
} // namespace flcc::job
