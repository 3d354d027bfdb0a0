#pragma once

#include <QFrame>

#include <array>
#include <optional>

#include "engine/job/report.h"
#include "ui/theme.h"

class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace flcc::ui {

/// What would run, what it would cost and why not otherwise; after a run the same card shows
/// measured next to predicted. What does not fit its height below headline, numbers and calibration
/// is scrolled.
class PlanCard : public QFrame {
    Q_OBJECT

  public:
    explicit PlanCard(QWidget* parent = nullptr);

    void showNothing(const QString& hint);
    void showPlanning();
    /// A job that cannot be planned at all, and why.
    void showProblem(const QString& sentence);
    /// How many scenes the plan is for, and of how many pixel types; counts from the next report.
    void setScenes(int count, int types);
    /// Before a run (report.run empty) or after it; of one of several scenes.
    void showReport(const job::JobReport& report);
    void refreshTheme();
    /// All texts of the card, a line each: for tests and for reading aloud.
    [[nodiscard]] QString text() const;
    /// Of these widths: what shows all but a rest that may be scrolled, and what shows all.
    [[nodiscard]] int leastHeight(int width) const;
    [[nodiscard]] int fullHeight(int width) const;

  Q_SIGNALS:
    /// There is more or less to show.
    void contentChanged();
    /// The link beside "not calibrated" was followed.
    void calibrateRequested();

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeNumbers();
    QLabel* makeLabel(const char* name, Qt::Alignment alignment = Qt::AlignLeft);
    void finish();
    [[nodiscard]] int innerWidth(int width) const;
    [[nodiscard]] int headHeight(int width) const;
    void setHeadline(const QString& headline, QColor Accents::*colour);
    void applyTheme();
    void showNumbers(const job::JobReport& report, const plan::CandidateReport& chosen);
    void showExactness(const job::JobReport& report);
    void showGroups(const job::JobReport& report);
    void showMeasured(const job::JobReport& report);
    void showParts(const std::optional<method::DeviceTimes>& predicted,
                   const std::optional<method::DeviceTimes>& measured);
    void showScenes(double firstMs, double furtherMs);
    void addOther(const plan::CandidateReport& row, bool named);
    void showOthers(const plan::PlanReport& report);
    void clearOthers();

    QVBoxLayout* m_head = nullptr; ///< always in sight
    QScrollArea* m_area = nullptr;
    QVBoxLayout* m_rest = nullptr; ///< in the area
    QLabel* m_headline = nullptr;
    QLabel* m_detail = nullptr;
    QWidget* m_numbers = nullptr;
    QLabel* m_measuredHead = nullptr;
    QLabel* m_timePredicted = nullptr;
    QLabel* m_timeMeasured = nullptr;
    QLabel* m_scenes = nullptr;
    QLabel* m_streamHead = nullptr;
    QLabel* m_streamPredicted = nullptr;
    QLabel* m_streamMeasured = nullptr;
    /// Of a GPU: upload, compute, download.
    struct PartRow {
        QLabel* head = nullptr;
        QLabel* predicted = nullptr;
        QLabel* measured = nullptr;
    };
    std::array<PartRow, 3> m_parts;
    QLabel* m_memoryPredicted = nullptr;
    QLabel* m_memoryMeasured = nullptr;
    QLabel* m_exactness = nullptr;
    QLabel* m_groups = nullptr;
    QLabel* m_calibration = nullptr;
    QVBoxLayout* m_others = nullptr;
    std::optional<job::JobReport> m_report;
    int m_sceneCount = 1;
    int m_sceneTypes = 1;
    QString m_hint;
    QColor Accents::*m_headlineColour = nullptr; ///< null: that of window texts
};

} // namespace flcc::ui
