#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "engine/job/batch.h"
#include "ui/document/document.h"
#include "ui/work/work_dialog.h"

class QCheckBox;
class QLineEdit;
class QPushButton;
class QTableView;

namespace flcc::ui {

class BatchModel;

/// Runs the match of the window on many files: a list with the state of each. A folder gets the
/// job, its templates, a list of peaks for each file and one of all. What is stopped goes on where
/// it was.
class BatchDialog : public WorkDialog {
    Q_OBJECT

  public:
    /// `job`: the current job of the window.
    BatchDialog(Document& document, RunController& controller, std::function<job::Job()> job,
                QWidget* parent);
    ~BatchDialog() override;

    /// Images, and folders of images.
    void addFiles(const std::vector<std::filesystem::path>& files);
    void setFolder(const QString& folder);
    [[nodiscard]] const BatchModel& model() const { return *m_model; }

  Q_SIGNALS:
    void openRequested(const QString& file); ///< a row was double-clicked

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    struct SoFar;

    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showSoFar() override;
    void build();
    void askFiles();
    void askFolder();
    void askResults();
    void removeRows();
    void update();
    void showEnd(const job::BatchReport& report);

    Document& m_document;
    std::function<job::Job()> m_job;
    BatchModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QLineEdit* m_folder = nullptr;
    QCheckBox* m_maps = nullptr;
    std::vector<QPushButton*> m_edits; ///< that change the list, not during a run
    std::shared_ptr<SoFar> m_soFar;
};

} // namespace flcc::ui
