#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <vector>

#include "engine/match/decision.h"
#include "engine/match/peaks.h"

namespace flcc::ui {

/// The peaks of a result, one row for each peak, in the order of the list. Positions are 0-based
/// voxels.
class PeaksModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        Rank,
        Score,
        X,
        Y,
        Z,
        CentreX,
        CentreY,
        CentreZ,
        ZScore,
        FalsePositives,
        Rival,
        Bound,
        Mark,
        Templ,
        Pose,
        SearchZ,
        WorldX,
        WorldY,
        WorldZ,
        Decision
    };
    static constexpr int kColumns = Decision + 1;
    /// The number itself, for sorting.
    static constexpr int kSortRole = Qt::UserRole + 1;

    explicit PeaksModel(QObject* parent = nullptr);

    /// "keep", "reject", "unsure"; empty for an undecided peak.
    [[nodiscard]] static QString decisionText(match::Decision decision);

    /// `geometry`: unit and axes of the world positions. `volume`: the scene is one, so that
    /// explanations say voxels instead of pixels.
    void setPeaks(std::vector<match::Peak> peaks, base::Geometry geometry = {},
                  bool volume = false);
    /// What was decided on them, one for each peak; none: undecided. Rows keep their places, also
    /// where they are sorted by decision.
    void setDecisions(std::vector<match::Decision> decisions);
    /// Peaks that a person added, which are shown whatever their score.
    void setAdded(std::vector<match::PeakKey> added);
    [[nodiscard]] bool isAdded(int row) const;
    [[nodiscard]] match::Decision decision(int row) const;
    [[nodiscard]] const std::vector<match::Peak>& peaks() const { return m_peaks; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    [[nodiscard]] QVariant number(const match::Peak& peak, int row, int column) const;
    [[nodiscard]] QString text(const match::Peak& peak, int row, int column) const;
    [[nodiscard]] QString centreText(const match::Peak& peak) const;
    [[nodiscard]] QString worldName(int axis) const;
    [[nodiscard]] QVariant inkOf(int row, int column) const;

    std::vector<match::Peak> m_peaks;
    std::vector<match::Decision> m_decisions;
    std::vector<match::PeakKey> m_added;
    base::Geometry m_geometry;
    bool m_volume = false;
};

/// Sorts by number. Shows peaks that reach a score and whose row contains a text.
class PeaksFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit PeaksFilter(QObject* parent = nullptr);
    void setMinScore(double score);
    void setText(const QString& text);
    [[nodiscard]] bool hasText() const { return !m_text.isEmpty(); }

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    double m_minScore = -2;
    QString m_text;
};

} // namespace flcc::ui
