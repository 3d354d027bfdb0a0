#pragma once

#include <QAbstractTableModel>

#include <optional>
#include <vector>

#include "ui/compare/comparison.h"

namespace flcc::ui {

/// The positions of a comparison, one row each: pairs, then those of one list alone.
class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Found, Peak, Other, Distance, Score };
    static constexpr int kColumns = Score + 1;
    /// The number itself, for sorting.
    static constexpr int kSortRole = Qt::UserRole + 1;

    struct Row {
        FoundIn found = FoundIn::Both;
        int peak = -1;  ///< number in the shown result's list; -1: only the other list has it
        int other = -1; ///< of the other list; -1: only the shown result has it
        double distance = 0;
        std::optional<double> score{}; ///< of the peak, or of the other position
        base::Point centre{0, 0, 0};   ///< of the peak, or of the other position
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setComparison(const Comparison* comparison); ///< null: none
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    std::vector<Row> m_rows;
    QString m_unit;
};

} // namespace flcc::ui
