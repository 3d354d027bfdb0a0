#pragma once

#include <QLockFile>
#include <QString>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/job/project.h"

namespace flcc::ui {

/// Unsaved work on disk: a project (".NAME.flcc-autosave" beside its file, or in the folder of the
/// program's state), and journals of decisions since ("...-journal.1", ".2"). A journal begins when
/// a project is taken and goes when a later one is on disk, so that project and journals together
/// hold every decision at any time. They outlive the program unless remove() is called.
///
/// A lock file beside them tells that a process works on them; no lock outlives its process.
class UnsavedWork {
  public:
    /// `base`: the names above without what follows "-".
    explicit UnsavedWork(std::filesystem::path base);
    UnsavedWork(const UnsavedWork&) = delete;
    UnsavedWork& operator=(const UnsavedWork&) = delete;

    /// Of the project `file`; in `folder` if the file's own cannot be written, or there is none.
    [[nodiscard]] static std::filesystem::path baseOf(const std::filesystem::path& file,
                                                      const std::filesystem::path& folder);
    /// Those of projects without a file in a folder that no living process works on.
    [[nodiscard]] static std::vector<std::filesystem::path>
    leftIn(const std::filesystem::path& folder);

    /// Takes the lock; false if another process has it.
    [[nodiscard]] bool lock();
    /// "flcc, process 1234 on host" of who has it.
    [[nodiscard]] QString holder() const;

    /// Appends decisions to the newest journal: the system has them, whatever happens to this
    /// process. **Errors**: Output.
    void append(const std::vector<job::Decided>& decisions);
    /// Puts them on the disk, whatever happens to the system. **Threads**: any.
    void flush() const;
    /// A project is taken now: decisions from here on go into the next journal. Returns its number.
    int nextJournal();
    /// Writes the project that was taken when journal `number` began, and removes older journals.
    /// **Threads**: any. **Errors**: Output.
    void write(const std::string& text, int number);
    /// The project that was taken when journal `number` began is saved elsewhere: removes what is
    /// older. **Threads**: any.
    void forgetBefore(int number);
    /// Removes all of it; what write() was about to write is dropped. Nothing is written
    /// afterwards.
    void remove();

    /// The project with its journals; `saved`: the project without unsaved work, if there is one.
    /// Empty where nothing unsaved is there. **Errors**: as job::readProject().
    [[nodiscard]] std::optional<job::Project> read(const std::optional<job::Project>& saved) const;
    [[nodiscard]] bool exists() const;
    /// Seconds since 1970 of the last change; 0: nothing is there.
    [[nodiscard]] std::int64_t when() const;

    [[nodiscard]] const std::filesystem::path& base() const { return m_base; }
    [[nodiscard]] std::filesystem::path project() const;

  private:
    [[nodiscard]] std::filesystem::path journal(int number) const;
    [[nodiscard]] std::vector<std::pair<int, std::filesystem::path>> journals() const;

    std::filesystem::path m_base;
    QLockFile m_lock;
    int m_number = 0;                         ///< of the newest journal
    mutable std::mutex m_journal;             ///< of m_open
    std::shared_ptr<job::JournalFile> m_open; ///< null before the first decision
    bool m_removed = false;                   ///< guarded by m_files
    mutable std::mutex m_files;               ///< of write(), forgetBefore(), remove()
};

} // namespace flcc::ui
