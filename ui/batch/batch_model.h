#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "engine/job/batch.h"

namespace flcc::ui {

/// The files of a batch with their states.
class BatchModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { File, State, Peaks, Time, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    [[nodiscard]] const std::vector<job::BatchRow>& rows() const { return m_rows; }
    [[nodiscard]] std::vector<std::filesystem::path> files() const;
    /// Adds files that are not in the list.
    void add(const std::vector<std::filesystem::path>& files);
    void remove(std::vector<int> rows);
    /// All wait again, as before a run.
    void reset();
    void setRow(std::size_t number, const job::BatchRow& row);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    std::vector<job::BatchRow> m_rows;
};

} // namespace flcc::ui
