#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/job/project.h"
#include "ui/base/latest_work.h"
#include "ui/document/document.h"
#include "ui/project/project_value.h"
#include "ui/project/unsaved_work.h"

namespace flcc::ui {

/// Keeps the work in the window: saves it as a project, knows whether it is saved, and stores what
/// is not (UnsavedWork) where a crash leaves it: decisions at once, everything else within half a
/// minute. Values are taken on the GUI thread; texts are made and written on another one.
class ProjectKeeper : public QObject {
    Q_OBJECT

  public:
    /// What a project has beside the document.
    struct Faces {
        std::function<job::Job()> settings;
        std::function<QString()> views;
    };

    ProjectKeeper(Document& document, Faces faces, QObject* parent = nullptr);
    ~ProjectKeeper() override;

    /// Stores unsaved work of projects without a file in this folder. Before it is called, nothing
    /// is stored unasked.
    void storeIn(const std::filesystem::path& folder);
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] bool isStoring() const { return !m_folder.empty(); }

    [[nodiscard]] const std::filesystem::path& file() const { return m_file; } ///< empty: none yet
    /// Why this file cannot be written over; empty if it can.
    [[nodiscard]] const QString& reasonAgainstSaving() const { return m_readOnly; }
    /// True if closing would lose something. Exact: what was not compared yet is compared now.
    [[nodiscard]] bool isModified();
    /// The same as far as it is known, at most a second old.
    [[nodiscard]] bool wasModified() const { return m_modified; }

    /// Writes the project. `then` is called when it is written or has failed, after saved() or
    /// failed().
    void save(const std::filesystem::path& file, std::function<void(bool ok)> then = {});
    /// Something that is saved may be another one: fields of the Match panel.
    void noteChange() { changed(); }
    /// Calls what fills the document from a project; that is no change.
    void fill(const std::function<void()>& filling);
    /// The document was just filled from `project` of `file`. `recovered`: with unsaved work, which
    /// lies in `work`. `readOnly`: why it cannot be written over.
    void adopt(const job::Project& project, const std::filesystem::path& file, bool recovered,
               std::shared_ptr<UnsavedWork> work, const QString& readOnly);
    /// The person gives up what is not saved.
    void throwAway();
    /// Stores unsaved work before the program ends without a question.
    void storeNow();

    /// Times until work is stored: after the first change, and after each time.
    void setPace(int firstMs, int nextMs);

  Q_SIGNALS:
    void stateChanged(); ///< file(), wasModified() or reasonAgainstSaving()
    void saved(const QString& sentence);
    void failed(const QString& sentence);

  private:
    void changed();
    void compare();
    void compared(const std::string& digest);
    void journal();
    void store();
    void startOver();
    void tellOnce(const QString& reason);
    [[nodiscard]] std::shared_ptr<UnsavedWork> work();
    [[nodiscard]] ProjectSnapshot take() const;

    Document& m_document;
    Faces m_faces;
    std::filesystem::path m_folder;
    std::filesystem::path m_file;
    QString m_readOnly;
    std::string m_savedDigest; ///< job::sessionDigest(); empty: nothing is saved
    bool m_modified = false;
    bool m_adopting = false;
    bool m_compareDue = false;
    bool m_told = false;         ///< that unsaved work cannot be stored
    std::string m_others = "{}"; ///< of the project, from newer versions
    std::string m_notes;
    std::shared_ptr<UnsavedWork> m_unsaved;
    std::map<int, match::DecisionList> m_journaled; ///< by result, as they are stored
    std::vector<int> m_stored;                      ///< results in the last stored project
    int m_firstMs = 15'000;
    int m_nextMs = 30'000;
    QTimer m_compareTimer;
    QTimer m_storeTimer;
    LatestWork m_comparing;
    LatestWork m_writing;
    std::vector<std::function<void(bool)>> m_whenSaved;
};

} // namespace flcc::ui
