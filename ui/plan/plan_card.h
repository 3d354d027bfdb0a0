#pragma once

#include <QFrame>

#include <array>
#include <cstdint>
#include <optional>

#include "engine/job/report.h"
#include "ui/base/theme.h"
#include "ui/plan/plan_fixes.h"

class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace flcc::ui {

class DisplayMemory;
class PlanNumbers;
class PlanOthers;

/// Shows the plan as one line (method, time, memory, device). Its link "why" opens the rest: the
/// chosen candidate, its predicted time and memory, and why the others were not chosen. After a
/// run, measured values stand beside the predicted ones. Headline, numbers and calibration of an
/// open card are always visible; what is below them scrolls if the card is too low.
class PlanCard : public QFrame {
    Q_OBJECT

  public:
    explicit PlanCard(QWidget* parent = nullptr);

    void showNothing(const QString& hint);
    void showPlanning();
    /// Shows that a job runs whose plan was never shown; `plan`: what runs, once it is known.
    void showRunning(const plan::PlanReport* plan = nullptr);
    /// Shows that the job cannot be planned, and why.
    void showProblem(const QString& sentence);
    /// Sets the number of scenes of the plan and the number of their pixel types. Applies to the
    /// next report.
    void setScenes(int count, int types);
    /// Shows the report of a plan (report.run is empty) or of a run. For several scenes, the report
    /// of one of them. `refusal`: why no candidate was chosen, where that is not job::refusal().
    void showReport(const job::JobReport& report, const QString& refusal = {});
    /// Buttons below the line that may make a refused job possible; empty: none.
    void setFixes(const std::vector<PlanFix>& fixes);
    /// Gives the first of these buttons the focus, or the line if there is none.
    void focusFixes();
    [[nodiscard]] const std::optional<job::JobReport>& report() const { return m_report; }
    /// Number of candidates that the card names beside the chosen one; the report has all.
    void setMostOthers(int count);
    /// Shows the memory of the views, with a button that releases most of it; 0: hides both.
    void setDisplayBytes(std::int64_t bytes);
    /// All texts of the card, one per line, for tests and screen readers.
    [[nodiscard]] QString text() const;
    /// Heights for a width: leastHeight() leaves a part to scroll, fullHeight() shows everything.
    [[nodiscard]] int leastHeight(int width) const;
    [[nodiscard]] int fullHeight(int width) const;

  Q_SIGNALS:
    /// The content has changed, so the height may have to change.
    void contentChanged();
    void reportShown(); ///< showReport() has ended
    /// The user pressed the button of a fix.
    void fixChosen(const flcc::ui::PlanFix& fix);
    /// The user clicked the link beside "not calibrated".
    void calibrateRequested();
    void releaseDisplayRequested();
    void timeAgainRequested(); ///< the user clicked the link beside where the time comes from

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QLabel* makeLabel(const char* name, Qt::Alignment alignment = Qt::AlignLeft);
    void finish();
    [[nodiscard]] int innerWidth(int width) const;
    [[nodiscard]] int headHeight(int width) const;
    void setHeadline(const QString& headline, QColor Accents::*colour);
    void colour();
    void showTexts();
    void showNumbers(const job::JobReport& report, const plan::CandidateReport& chosen);
    void showExactness(const job::JobReport& report);
    void showGroups(const job::JobReport& report);
    void showTimes(const plan::TimesFrom& times);
    void showScenes(double firstMs, double furtherMs);

    void showLine();
    void setOpen(bool open);

    bool m_open = false;
    QLabel* m_line = nullptr;
    QString m_lineText; ///< plain text of the line, without the link
    QWidget* m_fixes = nullptr;
    QVBoxLayout* m_top = nullptr; ///< line and fixes
    QWidget* m_headWidget = nullptr;
    QVBoxLayout* m_head = nullptr; ///< visible while the card is open
    QScrollArea* m_area = nullptr;
    QVBoxLayout* m_rest = nullptr; ///< scrolls
    QLabel* m_headline = nullptr;
    QLabel* m_detail = nullptr;
    PlanNumbers* m_numbers = nullptr;
    QLabel* m_times = nullptr; ///< where the predicted time comes from
    QLabel* m_scenes = nullptr;
    DisplayMemory* m_display = nullptr;
    QLabel* m_exactness = nullptr;
    QLabel* m_groups = nullptr;
    QLabel* m_calibration = nullptr;
    PlanOthers* m_others = nullptr;
    std::optional<job::JobReport> m_report;
    QString m_refusal; ///< of m_report, if it was given
    int m_sceneCount = 1;
    int m_sceneTypes = 1;
    QString m_hint;
    QColor Accents::*m_headlineColour = nullptr; ///< null: the colour of window text
};

} // namespace flcc::ui
