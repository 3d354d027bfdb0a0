#pragma once

#include <QObject>
#include <QStringList>

#include <array>
#include <functional>

#include "engine/io/list_file.h"
#include "engine/io/protected_files.h"

class QDockWidget;
class QMainWindow;
class QSplitter;
class QTabWidget;

namespace flcc::ui {

class CockpitPanel;
class ComparePanel;
class DataPanel;
class ExplainPanel;
class Document;
class FeaturesPanel;
class GalleryPanel;
class LogPanel;
class MatchPanel;
class PeaksPanel;
class ReportPanel;
class RunController;
class ViewsPanel;

/// The docks around the views with the panels in them, and their layout.
class Docks : public QObject {
    Q_OBJECT

  public:
    Docks(QMainWindow& window, Document& document, RunController& controller, ViewsPanel& views,
          std::function<io::ProtectedFiles()> inputs, std::function<io::ListUnknowns()> unknowns);

    [[nodiscard]] DataPanel& data() { return *m_data; }
    [[nodiscard]] MatchPanel& match() { return *m_match; }
    [[nodiscard]] PeaksPanel& peaks() { return *m_peaks; }
    [[nodiscard]] CockpitPanel& cockpit() { return *m_cockpit; }
    [[nodiscard]] ComparePanel& compare() { return *m_compare; }
    [[nodiscard]] ExplainPanel& explain() { return *m_explain; }
    [[nodiscard]] GalleryPanel& gallery() { return *m_gallery; }
    [[nodiscard]] FeaturesPanel& features() { return *m_features; }
    [[nodiscard]] ReportPanel& report() { return *m_report; }
    [[nodiscard]] std::array<QDockWidget*, 3> all() const {
        return {m_dataDock, m_matchDock, m_bottomDock};
    }

    /// Docks as at the first start: visible, in their places, in their sizes.
    void reset();
    [[nodiscard]] QStringList tabTitles() const;
    void showTab(int tab); ///< brings a tab to the front and gives it the focus
    void showFeatures();   ///< brings the Blobs tab to the front
    void showCompare();    ///< brings the Compare tab to the front
    void leaveFeatures();  ///< shows Peaks in place of the Blobs tab

  private:
    QDockWidget* dock(const QString& title, const char* name, QWidget* content,
                      Qt::DockWidgetArea area);
    void fillTabs();

    QMainWindow& m_window;
    DataPanel* m_data = nullptr;
    MatchPanel* m_match = nullptr;
    QTabWidget* m_tabs = nullptr;
    PeaksPanel* m_peaks = nullptr;
    QSplitter* m_peaksPage = nullptr; ///< the table, and beside it why a peak is one
    ExplainPanel* m_explain = nullptr;
    GalleryPanel* m_gallery = nullptr;
    CockpitPanel* m_cockpit = nullptr;
    ComparePanel* m_compare = nullptr;
    FeaturesPanel* m_features = nullptr;
    ReportPanel* m_report = nullptr;
    LogPanel* m_log = nullptr;
    QDockWidget* m_dataDock = nullptr;
    QDockWidget* m_matchDock = nullptr;
    QDockWidget* m_bottomDock = nullptr;
};

} // namespace flcc::ui
