#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include <optional>

#include "engine/base/extents.h"

class QLabel;
class QProgressBar;
class QStatusBar;
class QTimer;
class QToolButton;

namespace flcc::ui {

class Document;
class ViewsPanel;

/// The status bar: the voxel under the cursor, the zoom and slice of the view, the device that ran
/// the last job, and the current work with its cancel button.
class StatusLine : public QWidget {
    Q_OBJECT

  public:
    StatusLine(QStatusBar& bar, Document& document, ViewsPanel& views);

    /// Shows index, world position, value and score of a position; empty: of the crosshair.
    void showPosition(const std::optional<base::Point>& voxel);
    void updateView();
    /// Shows what a tool does or did in the place of position and view, for some seconds.
    void showHint(const QString& sentence);
    /// Shows the device that ran the last job.
    void setDevice(const QString& device, const QString& tip);
    void showWork(const QString& title);
    void showPhase(const QString& phase);
    void showProgress(double share);
    /// Of a search over poses: shows how many are searched, and how many a second.
    void showSearched(std::int64_t members, std::int64_t of);
    /// Shows that the CPU has not verified the scores of a GPU yet.
    void showUnverified(bool unverified);
    void showUnfinished(); ///< of the shown result
    void hideWork();

  Q_SIGNALS:
    void cancelRequested();

  private:
    [[nodiscard]] QString scoreText(const base::Point& point) const;
    void endHint();
    void updateWork();
    [[nodiscard]] QString remainingText() const;
    [[nodiscard]] QString searchedText() const;
    QLabel* label(const char* name, const QString& tip, const QString& widest);

    Document& m_document;
    ViewsPanel& m_views;
    QLabel* m_hint = nullptr;
    QTimer* m_hintEnd = nullptr;
    QLabel* m_index = nullptr;
    QLabel* m_world = nullptr;
    QLabel* m_value = nullptr;
    QLabel* m_score = nullptr;
    QLabel* m_view = nullptr;
    QLabel* m_device = nullptr;
    QLabel* m_unverified = nullptr;
    QLabel* m_unfinished = nullptr;
    QLabel* m_work = nullptr;
    QProgressBar* m_progress = nullptr;
    QToolButton* m_cancel = nullptr;
    QString m_title;
    QString m_phase;
    QElapsedTimer m_since;
    QElapsedTimer m_phaseSince;
    double m_share = 0; ///< finished share of the phase
    std::int64_t m_searched = 0;
    std::int64_t m_toSearch = 0;      ///< 0: no search over poses
    std::int64_t m_firstSearched = 0; ///< when m_searchSince began, which may be those of before
    QElapsedTimer m_searchSince;
    qint64 m_searchMs = 0; ///< that m_searched took
    QTimer* m_tick = nullptr;
};

} // namespace flcc::ui
