#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/digest.h"
#include "engine/job/project.h"
#include "engine/job/project/report_fields.h"

namespace flcc::job {

namespace detail::project {
FLCC_FIELDS(Decided, result, peak, decision)
} // namespace detail::project

using detail::project::Json;

namespace {

constexpr std::size_t kDigits = 8; ///< of the SHA-256 of a line

} // namespace

std::string journalLine(const Decided& decided) {
    const std::string text = detail::project::written(decided).dump();
    return io::textDigest(text).substr(0, kDigits) + " " + text + "\n";
}

JournalFile::JournalFile(const std::filesystem::path& file)
    : m_file(file), m_descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                                        S_IRUSR | S_IWUSR)) {
    if (m_descriptor < 0) {
        throw base::Error(base::ErrorCode::Output, "cannot write " + m_file.string() + ": " +
                                                       std::generic_category().message(errno));
    }
}

JournalFile::~JournalFile() { ::close(m_descriptor); }

void JournalFile::append(const std::vector<Decided>& decisions) {
    std::string lines;
    for (const Decided& each : decisions) {
        lines += journalLine(each);
    }
    if (::write(m_descriptor, lines.data(), lines.size()) != std::ssize(lines)) {
        throw base::Error(base::ErrorCode::Output, "cannot write " + m_file.string() + ": " +
                                                       std::generic_category().message(errno));
    }
}

void JournalFile::flush() const { ::fdatasync(m_descriptor); }

std::vector<Decided> journalOf(std::string_view text) {
    std::vector<Decided> all;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.size() <= kDigits || io::textDigest(line.substr(kDigits + 1)).substr(0, kDigits) !=
                                          line.substr(0, kDigits)) {
            break;
        }
        try {
            const Json json = Json::parse(line.substr(kDigits + 1));
            Decided decided;
            detail::project::read(json, decided);
            all.push_back(decided);
        } catch (const base::Error&) {
            break;
        } catch (const nlohmann::json::exception&) {
            break;
        }
    }
    return all;
}

std::int64_t applyJournal(Project& project, const std::vector<Decided>& journal) {
    std::int64_t leftOut = 0;
    for (const Decided& each : journal) {
        const auto found = std::ranges::find(project.results, each.result, &ProjectResult::id);
        if (found == project.results.end()) {
            ++leftOut;
            continue;
        }
        found->result.decisions.set(each.peak, each.decision);
    }
    return leftOut;
}

} // namespace flcc::job
