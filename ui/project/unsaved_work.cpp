#include "ui/project/unsaved_work.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "engine/io/atomic_file.h"
#include "engine/io/digest.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProject = "-autosave";
constexpr std::string_view kJournal = "-journal.";
constexpr std::string_view kLock = "-lock";
constexpr std::string_view kUnsaved = "unsaved-";

fs::path with(const fs::path& base, std::string_view suffix) {
    return base.native() + std::string(suffix);
}

std::string bytesOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::int64_t timeOf(const fs::path& file) {
    const QFileInfo facts(pathText(file));
    return facts.exists() ? facts.lastModified().toSecsSinceEpoch() : 0;
}

} // namespace

UnsavedWork::UnsavedWork(fs::path base)
    : m_base(std::move(base)), m_lock(pathText(with(m_base, kLock))) {
    m_lock.setStaleLockTime(0); // whoever lives has it, however long
    for (const auto& [number, file] : journals()) {
        m_number = std::max(m_number, number);
    }
}

fs::path UnsavedWork::baseOf(const fs::path& file, const fs::path& folder) {
    if (file.empty()) {
        return folder /
               (std::string(kUnsaved) +
                QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString() + ".flcc");
    }
    const fs::path own = file.parent_path();
    const std::string name = file.filename().native();
    if (folder.empty() ||
        QFileInfo(own.empty() ? QStringLiteral(".") : pathText(own)).isWritable()) {
        return own / ("." + name);
    }
    // Files of one name in several folders that cannot be written.
    return folder / ("of-" + io::textDigest(file.native()).substr(0, 12) + "-" + name);
}

std::vector<fs::path> UnsavedWork::leftIn(const fs::path& folder) {
    std::vector<fs::path> bases;
    std::error_code error;
    for (const auto& each : fs::directory_iterator(folder, error)) {
        const std::string name = each.path().filename().native();
        for (const std::string_view suffix : {kProject, kJournal}) {
            const std::size_t at = name.rfind(suffix);
            if (name.starts_with(kUnsaved) && at != std::string::npos) {
                bases.push_back(folder / name.substr(0, at));
            }
        }
    }
    std::ranges::sort(bases);
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    std::erase_if(bases, [](const fs::path& base) {
        UnsavedWork work(base);
        return !work.lock(); // given back by the destructor
    });
    return bases;
}

bool UnsavedWork::lock() { return m_lock.isLocked() || m_lock.tryLock(0); }

QString UnsavedWork::holder() const {
    qint64 process = 0;
    QString host;
    QString program;
    if (!m_lock.getLockInfo(&process, &host, &program)) {
        return {};
    }
    return QCoreApplication::translate("UnsavedWork", "%1, process %2 on %3")
        .arg(program)
        .arg(process)
        .arg(host);
}

fs::path UnsavedWork::project() const { return with(m_base, kProject); }

fs::path UnsavedWork::journal(int number) const {
    return with(m_base, std::string(kJournal) + std::to_string(number));
}

std::vector<std::pair<int, fs::path>> UnsavedWork::journals() const {
    std::vector<std::pair<int, fs::path>> found;
    const std::string begin = m_base.filename().native() + std::string(kJournal);
    const fs::path folder = m_base.parent_path().empty() ? fs::path(".") : m_base.parent_path();
    std::error_code error;
    for (const auto& each : fs::directory_iterator(folder, error)) {
        const std::string name = each.path().filename().native();
        int number = 0;
        if (name.starts_with(begin)) {
            const char* const last = name.data() + name.size();
            const auto read = std::from_chars(name.data() + begin.size(), last, number);
            if (read.ec == std::errc() && read.ptr == last) {
                found.emplace_back(number, each.path());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

void UnsavedWork::append(const std::vector<job::Decided>& decisions) {
    if (decisions.empty()) {
        return;
    }
    const std::scoped_lock lock(m_journal);
    if (!m_open) {
        m_number = std::max(m_number, 1);
        m_open = std::make_shared<job::JournalFile>(journal(m_number));
    }
    m_open->append(decisions);
}

void UnsavedWork::flush() const {
    std::shared_ptr<job::JournalFile> file;
    {
        const std::scoped_lock lock(m_journal);
        file = m_open;
    }
    if (file) {
        file->flush();
    }
}

int UnsavedWork::nextJournal() {
    const std::scoped_lock lock(m_journal);
    m_open.reset(); // a flush that is due is of what the next project holds
    return ++m_number;
}

void UnsavedWork::write(const std::string& text, int number) {
    const std::scoped_lock lock(m_files);
    if (m_removed) {
        return;
    }
    io::AtomicFile file(project());
    io::writeText(file, text);
    file.commit();
    for (const auto& [each, name] : journals()) {
        std::error_code error;
        if (each < number) {
            fs::remove(name, error);
        }
    }
}

void UnsavedWork::forgetBefore(int number) {
    const std::scoped_lock lock(m_files);
    std::error_code error;
    fs::remove(project(), error);
    for (const auto& [each, name] : journals()) {
        if (each < number) {
            fs::remove(name, error);
        }
    }
}

void UnsavedWork::remove() {
    nextJournal();
    {
        const std::scoped_lock lock(m_files);
        m_removed = true;
    }
    forgetBefore(m_number + 1);
}

std::optional<job::Project> UnsavedWork::read(const std::optional<job::Project>& saved) const {
    std::optional<job::Project> found = saved;
    bool unsaved = false;
    if (fs::exists(project())) {
        found = job::readProject(project());
        unsaved = true;
    }
    if (!found) {
        return std::nullopt;
    }
    for (const auto& [number, name] : journals()) {
        const std::vector<job::Decided> decisions = job::journalOf(bytesOf(name));
        unsaved = unsaved || !decisions.empty();
        (void)job::applyJournal(*found, decisions);
    }
    return unsaved ? found : std::nullopt;
}

bool UnsavedWork::exists() const { return when() > 0; }

std::int64_t UnsavedWork::when() const {
    std::int64_t last = timeOf(project());
    for (const auto& [number, name] : journals()) {
        last = std::max(last, timeOf(name));
    }
    return last;
}

} // namespace flcc::ui
