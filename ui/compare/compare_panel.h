#pragma once

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <functional>
#include <optional>

#include "engine/io/protected_files.h"
#include "ui/base/latest_work.h"
#include "ui/compare/comparison.h"

class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QSlider;
class QSortFilterProxyModel;
class QTableView;
class QTextEdit;
class QVBoxLayout;

namespace flcc::ui {

class CurveView;
class DifferenceModel;

/// The shown result beside another result of its scene, or a list of positions: counts, precision,
/// recall and F1, which template found which species, the positions in a table, their colours in
/// the views, and both maps by wiping or blinking. Positions are paired on a thread of its own
/// while the panel is shown.
class ComparePanel : public QWidget {
    Q_OBJECT

  public:
    /// `unknowns`: what lists of other programs need and no file tells. `inputs`: files that a
    /// saved list may not replace.
    ComparePanel(Document& document, std::function<io::ListUnknowns()> unknowns,
                 std::function<io::ProtectedFiles()> inputs, QWidget* parent = nullptr);

    /// Whether a file that is dropped into the window is compared with the shown result: it has the
    /// extension of a list that no image or job has; while this panel is shown, that of any list.
    [[nodiscard]] bool takes(const std::filesystem::path& file) const;
    /// Compares with a list of positions.
    void compareWith(const std::filesystem::path& file);
    [[nodiscard]] bool isBusy() const { return m_work.isBusy(); }
    [[nodiscard]] const std::optional<Comparison>& comparison() const { return m_comparison; }

  Q_SIGNALS:
    void compared(const flcc::ui::ComparedView& view);
    void wiped(double share); ///< see viz::SliceScene::setWipe
    void placeRequested(const flcc::base::Point& voxel);
    void thresholdRequested(double score);
    void told(const QString& sentence);
    void refused(const QString& sentence);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    enum class Maps { Shown, Wipe, Blink, Other };

    QVBoxLayout* makeChoices();
    QWidget* makeNumbers();
    QWidget* makeTable();
    void fillReferences();
    void choose(int row);
    void askFile();
    void compareNow();
    void show(Comparison comparison);
    void clear(const QString& text);
    void showView();
    void showMaps();
    void showNumbers();
    void showPoint(const std::optional<match::ThresholdPoint>& point);
    void followRow(int row);
    void save();
    [[nodiscard]] Maps maps() const;
    [[nodiscard]] job::Tolerance tolerance() const;

    Document& m_document;
    std::function<io::ListUnknowns()> m_unknowns;
    std::function<io::ProtectedFiles()> m_inputs;
    QComboBox* m_with = nullptr;
    QDoubleSpinBox* m_tolerance = nullptr;
    QComboBox* m_unit = nullptr;
    QComboBox* m_maps = nullptr;
    QSlider* m_wipe = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_best = nullptr;
    QLabel* m_numbers = nullptr;
    QTextEdit* m_species = nullptr; ///< the table of species; hidden without one
    CurveView* m_curve = nullptr;
    QTableView* m_table = nullptr;
    DifferenceModel* m_model = nullptr;
    QSortFilterProxyModel* m_sorted = nullptr;
    LatestWork m_work;
    QTimer m_blink;
    bool m_blinked = false; ///< the other map is shown
    std::vector<Reference> m_references;
    std::optional<Reference> m_file; ///< the list that was opened last
    std::optional<Comparison> m_comparison;
    bool m_filling = false;
};

} // namespace flcc::ui
