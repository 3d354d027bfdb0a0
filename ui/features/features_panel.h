#pragma once

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/features/suggest.h"
#include "engine/io/protected_files.h"
#include "engine/job/features.h"
#include "ui/document/document.h"
#include "ui/features/suggestion_list.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSlider;
class QTableWidget;

namespace flcc::ui {

class FeaturesForm;

/// Blobs of the shown scene: finds them on the background thread, draws them as circles while the
/// scales run, lists those of a strength and size, and makes templates of them.
class FeaturesPanel : public QWidget {
    Q_OBJECT

  public:
    /// `inputs`: the files that a list or a job file may not replace.
    FeaturesPanel(Document& document, RunController& controller, ViewsPanel& views,
                  std::function<io::ProtectedFiles()> inputs, QWidget* parent = nullptr);

    /// Finds the blobs of the shown scene.
    void find();
    /// Shows the controls of a job for the shown scene, and finds its blobs.
    void findAs(const job::FeaturesJob& job);
    /// The blobs that the table lists and the views show.
    [[nodiscard]] const std::vector<features::Blob>& shown() const { return m_shown; }
    [[nodiscard]] const std::vector<features::Suggestion>& suggestions() const {
        return m_best->suggestions();
    }

    /// The job of the panel's controls, without files. **Errors**: CommandLine.
    [[nodiscard]] job::FeaturesJob job() const;

  Q_SIGNALS:
    /// The blobs of two scenes are to be matched.
    void pairsRequested();
    /// A template box was set; cut it.
    void templateRequested();
    void statusMessage(const QString& text);

  private:
    void build();
    QWidget* buildTable();
    QWidget* buildSide();
    void suggest();
    void onFound(std::shared_ptr<const job::FeaturesResult> result);
    void showRunning(std::vector<features::Blob> blobs);
    void clear();
    void applyFilter();
    void fillTable();
    void draw();
    void showMarks(const std::vector<features::Blob>& blobs, std::optional<std::size_t> selected);
    void updateButtons();
    void useBox(const base::Box& box);
    void useSelected();
    void askList();
    [[nodiscard]] bool hasFile();
    void askJobFile();
    /// The job with the names of its files.
    [[nodiscard]] job::FeaturesJob namedJob(const std::filesystem::path& list) const;
    [[nodiscard]] int selectedRow() const;
    [[nodiscard]] double leastStrength() const; ///< of the blobs that the slider shows

    Document& m_document;
    RunController& m_controller;
    ViewsPanel& m_views;
    std::function<io::ProtectedFiles()> m_inputs;
    FeaturesForm* m_form = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_pairs = nullptr;
    QAction* m_saveList = nullptr;
    QPushButton* m_find = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_suggest = nullptr;
    QSlider* m_strength = nullptr; ///< 0..1000, share of the strongest blob
    QLabel* m_strengthText = nullptr;
    QDoubleSpinBox* m_least = nullptr; ///< radii that are shown
    QDoubleSpinBox* m_most = nullptr;
    QComboBox* m_kind = nullptr; ///< light, dark or both
    QLabel* m_summary = nullptr;
    QTableWidget* m_table = nullptr;
    SuggestionList* m_best = nullptr;
    std::shared_ptr<const job::FeaturesResult> m_result; ///< null before the first one
    std::vector<char> m_light; ///< for each blob of the result: 1 if it is light
    std::vector<features::Blob> m_shown;
    std::optional<double> m_wanted; ///< least strength of the job that is run, if it names one
    std::uint64_t m_run = 0;        ///< counts runs, so that news of an older one is ignored
};

} // namespace flcc::ui
