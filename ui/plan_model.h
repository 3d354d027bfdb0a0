#pragma once

#include <QAbstractTableModel>

#include <optional>

#include "engine/plan/report.h"

namespace flcc::ui {

/// The candidates of a plan report, one row each, and what the run measured for the chosen one.
class PlanModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Verdict, Method, Device, Predicted, Sampled, Memory, Operations, Bound, Reason };
    static constexpr int kColumns = Reason + 1;

    explicit PlanModel(QObject* parent = nullptr);
    void setReport(std::optional<plan::PlanReport> report);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    [[nodiscard]] static QString text(const plan::CandidateReport& row, int column);
    [[nodiscard]] static QString tip(const plan::CandidateReport& row, int column);

    std::optional<plan::PlanReport> m_report;
};

/// "chosen", "slower", "refused", "failed" as the window words them.
[[nodiscard]] QString verdictText(plan::CandidateVerdict verdict);

} // namespace flcc::ui
