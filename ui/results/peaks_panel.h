#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

#include "ui/document/document.h"
#include "ui/results/peaks_model.h"

class QAction;
class QItemSelectionModel;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;
class QToolButton;

namespace flcc::ui {

class PeakColumns;

/// The peaks of the shown result as a table; its current row is the document's selected peak.
class PeaksPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PeaksPanel(Document& document, QWidget* parent = nullptr);

    /// Hides the peaks below a score, without a new run.
    void setThreshold(double score);
    /// Selects the next (+1) or previous (-1) row and emits peakActivated().
    void step(int rows);
    /// The selected rows, or all shown rows if fewer than two are selected, as tab-separated text
    /// with a header.
    [[nodiscard]] QString asTsv() const;
    /// Indices of the selected rows into the result's list, ascending; without one, that of the
    /// document's selected peak.
    [[nodiscard]] std::vector<int> selectedPeaks() const;
    /// Selects the rows of peaks, beside those that are selected if `more`. The views stay.
    void selectPeaks(const std::vector<int>& peaks, bool more);
    /// The rows as they are sorted and filtered, and what is selected of them, for other views.
    [[nodiscard]] PeaksFilter& rows() { return *m_filter; }
    [[nodiscard]] const PeaksModel& peaks() const { return *m_model; }
    [[nodiscard]] QItemSelectionModel& selection() const;
    void sortBy(int column, Qt::SortOrder order);
    /// A button of this action above the table.
    void addButton(QAction* action);
    /// The key of this action works in the table, too.
    void addKey(QAction* action);
    /// Indices of the shown rows into the result's list, in the order of the list.
    [[nodiscard]] std::vector<int> visiblePeaks() const;
    /// Number of peaks of the shown result's map that reach its threshold; may be larger than its
    /// list. `more`: there are even more, which were not counted.
    void setTotal(std::int64_t total, bool more);

  Q_SIGNALS:
    void allPeaksRequested(); ///< the user asked to list them all
    void exportRequested();
    void visiblePeaksChanged(const std::vector<int>& peaks);
    /// Other rows are selected: their peaks, ascending.
    void selectionChanged(const std::vector<int>& peaks);
    /// The user asked to centre the views on this peak.
    void peakActivated(int peak);
    void statusMessage(const QString& text);

  private:
    [[nodiscard]] std::vector<int> selectedRows() const;
    void makeButtons();
    void makeTable();
    void connectTable();
    void onResultShown();
    void showPeaks();
    void showColumns();
    void showDecisions();
    [[nodiscard]] QString decidedText() const;
    void onPeakSelected(int peak);
    /// Updates the summary, the document's choice of peaks and the views after the rows have
    /// changed.
    void refresh();
    void copy();

    Document& m_document;
    QHBoxLayout* m_bar = nullptr;
    PeaksModel* m_model = nullptr;
    PeaksFilter* m_filter = nullptr;
    QTableView* m_table = nullptr;
    PeakColumns* m_columns = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_summary = nullptr;
    QToolButton* m_all = nullptr;
    QToolButton* m_world = nullptr;
    QToolButton* m_copy = nullptr;
    QToolButton* m_export = nullptr;
    std::int64_t m_total = 0;
    bool m_more = false;
    bool m_following = false; ///< true while the table follows the document's selection
    bool m_leading = false;   ///< true while the document follows the table's
    double m_threshold = -2;
};

} // namespace flcc::ui
