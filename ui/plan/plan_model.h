#pragma once

#include <QAbstractTableModel>
#include <QString>

#include <vector>

#include "engine/plan/report.h"

namespace flcc::ui {

/// The candidates of a plan report, one row each, with the measured time of the chosen one after a
/// run. For templates of several sizes, the candidates of each size follow one after the other.
class PlanModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        Verdict,
        Method,
        Device,
        Predicted,
        Sampled,
        Parts, ///< upload, compute, download of a GPU
        Memory,
        Operations,
        Bound,
        Reason,
        Templ
    };
    static constexpr int kColumns = Templ + 1;

    explicit PlanModel(QObject* parent = nullptr);
    /// Sets one report, or one for each size of template.
    void setReports(const std::vector<plan::PlanReport>& reports);

    /// True if a candidate runs on a GPU, so that the column Parts has values.
    [[nodiscard]] bool hasParts() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    [[nodiscard]] static QString text(const plan::CandidateReport& row, int column);
    [[nodiscard]] static QString tip(const plan::CandidateReport& row, int column);

    struct Row {
        plan::CandidateReport candidate;
        QString templ; ///< extents
    };
    std::vector<Row> m_rows;
};

/// "chosen", "slower", "refused", "failed" as the window words them.
[[nodiscard]] QString verdictText(plan::CandidateVerdict verdict);

} // namespace flcc::ui
