#pragma once

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <string>

namespace flcc::ui {

class Document;
class MatchPanel;
class RunController;

/// Searches the peaks of a map that is there anew: another threshold, number or distance needs no
/// run.
class PeakRefresh : public QObject {
    Q_OBJECT

  public:
    PeakRefresh(Document& document, RunController& controller, MatchPanel& panel, QObject* parent);

    /// Lists all peaks of the shown result's map that reach its threshold.
    void showAll();
    [[nodiscard]] bool isDue() const { return m_delay.isActive(); }
    void stop() { m_delay.stop(); }

  Q_SIGNALS:
    /// The map of the shown result has `total` peaks that reach its threshold, or `more`.
    void counted(std::int64_t total, bool more);

  private:
    void schedule();
    void search();

    Document& m_document;
    RunController& m_controller;
    MatchPanel& m_panel;
    QTimer m_delay;           ///< until the peaks of the shown map are searched again
    std::string m_countedFor; ///< options of the last count of peaks, and its result's map
};

} // namespace flcc::ui
