#pragma once

#include <QObject>

#include <array>
#include <set>

#include "ui/results/peaks_model.h"

class QTableView;

namespace flcc::ui {

/// The columns of the table of peaks: their widths, and which of them are shown. A column is as
/// wide as its head and its texts. Where the table is too narrow for all, those that say least are
/// left out, so that score, angles and place stand side by side. A right click on a head shows a
/// list in which a person chooses columns; the choice is kept between starts.
class PeakColumns : public QObject {
    Q_OBJECT

  public:
    explicit PeakColumns(QTableView& table);

    /// Columns that the shown result has.
    void setAvailable(std::set<int> columns);
    /// Call it when the rows have changed.
    void fit();
    /// Those that are shown, and those that are left out for lack of space, in the order of the
    /// table.
    [[nodiscard]] std::vector<int> listed() const;

  private:
    enum class Wish { None, Show, Hide };

    bool eventFilter(QObject* watched, QEvent* event) override;
    void arrange();
    void showMenu(const QPoint& place);
    void wish(int column, Wish wish);
    [[nodiscard]] int widthOf(int column) const;
    [[nodiscard]] std::vector<int> leastImportant() const;

    QTableView& m_table;
    std::set<int> m_available;
    std::array<int, PeaksModel::kColumns> m_widths{};
    std::array<Wish, PeaksModel::kColumns> m_wishes{};
};

} // namespace flcc::ui
