#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/io/protected_files.h"
#include "engine/job/features.h"
#include "ui/document/document.h"
#include "ui/features/pairs_view.h"
#include "ui/work/work_dialog.h"

class QComboBox;
class QDoubleSpinBox;
class QTableWidget;

namespace flcc::ui {

class ViewsPanel;

/// Matches the blobs of the shown scene with those of another scene of the list or of a file, and
/// shows the pairs as lines between both images and as a table.
class PairsDialog : public WorkDialog {
    Q_OBJECT

  public:
    /// What the dialog asks the window for.
    struct Window {
        std::function<job::FeaturesJob()> job;      ///< how blobs are found; may throw base::Error
        std::function<io::ProtectedFiles()> inputs; ///< files that a list may not replace
    };
    PairsDialog(Document& document, RunController& controller, ViewsPanel& views, Window window,
                QWidget* parent);

    /// Offers a file as second scene and chooses it.
    void addFile(const QString& file);
    void setLeastScore(double score);

    [[nodiscard]] const std::vector<features::Pair>& pairs() const { return m_result->pairs; }

  protected:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;

  private:
    struct Found;

    void fillScenes();
    void showPairs(const std::shared_ptr<Found>& found);
    void fillTable();
    void select(int row);
    void askFile(bool jobFile);
    QString saveList(const QString& file);
    QString saveJob(const QString& file);
    /// The job with the names of its files. **Errors**: Problem where a scene is in no file.
    [[nodiscard]] job::FeaturesJob namedJob(const std::filesystem::path& list) const;
    void askScene();
    /// The second scene; empty without one.
    [[nodiscard]] std::optional<SceneEntry> second() const;
    /// The job of the controls, without files. **Errors**: CommandLine.
    [[nodiscard]] job::FeaturesJob job() const;

    Document& m_document;
    ViewsPanel& m_views;
    Window m_window;
    QComboBox* m_scene = nullptr;
    QPushButton* m_open = nullptr;
    std::vector<std::filesystem::path> m_files; ///< offered beside the scenes of the list
    QDoubleSpinBox* m_least = nullptr;
    PairsView* m_view = nullptr;
    QTableWidget* m_table = nullptr;
    QPushButton* m_saveList = nullptr;
    QPushButton* m_saveJob = nullptr;
    QPushButton* m_copy = nullptr;
    std::shared_ptr<const job::FeaturesResult> m_result; ///< never null
};

} // namespace flcc::ui
