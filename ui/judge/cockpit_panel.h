#pragma once

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

#include "ui/base/latest_work.h"
#include "ui/document/document.h"
#include "ui/judge/kept_source.h"
#include "ui/judge/score_counts.h"

class QLabel;
class QPushButton;

namespace flcc::ui {

class HandView;
class HistogramView;

/// The scores of the shown result's map, with a threshold to drag. Each step takes its list from
/// that of the best peaks of any score; where that does not tell, from the map on a thread of its
/// own, and of several steps the last one counts. While the panel is shown,
/// peaks below the threshold are marked grey in the views.
class CockpitPanel : public QWidget {
    Q_OBJECT

  public:
    explicit CockpitPanel(Document& document, QWidget* parent = nullptr);

    /// The threshold that the Match panel has, which filters the list.
    void setThreshold(double score);
    /// Takes the peaks that reach a score from the map, as one undo step.
    void takeAt(double score);
    /// Whether a step or the counts are being computed.
    [[nodiscard]] bool isBusy() const { return m_step.isBusy() || m_count.isBusy(); }
    /// Marks below the threshold are twice as many as peaks above it, within these limits: more
    /// would hide the picture.
    static constexpr std::size_t kLeastBelow = 20;
    static constexpr std::size_t kMostBelow = 300;

  Q_SIGNALS:
    /// The list has the peaks of these thresholds now.
    void thresholdsChosen(const flcc::job::Job& settings);
    void belowChanged(const std::vector<flcc::match::Peak>& peaks);
    void refused(const QString& sentence);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void showLegend();
    void followResult();
    void followPeaks();
    void count();
    void take(double score);
    void list(const KeptSource& source, const std::shared_ptr<const job::KeptMap>& kept,
              job::FoundPeaks found, const job::PeakThresholds& thresholds, int gesture);
    void showCounts(const ScoreHistogram& histogram, const PeakPool& pool);
    void showLaw();
    [[nodiscard]] match::SearchLaw law() const;
    void showBelow();
    void showNumbers(std::optional<double> score);
    [[nodiscard]] double stepOf() const;
    [[nodiscard]] double current() const;

    Document& m_document;
    HistogramView* m_view = nullptr;
    HandView* m_hand = nullptr; ///< shown where a run compared the hands
    QLabel* m_numbers = nullptr;
    QLabel* m_law = nullptr; ///< what the law is, and its warnings
    QLabel* m_legend = nullptr;
    QPushButton* m_suggest = nullptr;
    LatestWork m_step;
    LatestWork m_count;
    std::optional<KeptSource> m_source; ///< of the counts
    PeakPool m_pool;
    bool m_counted = false;
    int m_gesture = 0;
    double m_threshold = 0;
    double m_suggestion = 0;
};

} // namespace flcc::ui
