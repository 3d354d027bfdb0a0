#include "ui/window/parts/docks.h"

#include <QApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QSplitter>
#include <QTabWidget>

#include <utility>

#include "engine/plan/planner.h"
#include "ui/compare/compare_panel.h"
#include "ui/features/features_panel.h"
#include "ui/help/log_panel.h"
#include "ui/help/manual.h"
#include "ui/judge/cockpit_panel.h"
#include "ui/judge/explain_panel.h"
#include "ui/judge/gallery_panel.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_panel.h"
#include "ui/results/peaks_panel.h"
#include "ui/results/report_panel.h"

namespace flcc::ui {

Docks::Docks(QMainWindow& window, Document& document, RunController& controller, ViewsPanel& views,
             std::function<io::ProtectedFiles()> inputs, std::function<io::ListUnknowns()> unknowns)
    : QObject(&window), m_window(window) {
    window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window.setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    m_data = new DataPanel(document, &window);
    m_dataDock = dock(tr("Data"), "dataDock", m_data, Qt::LeftDockWidgetArea);
    m_match = new MatchPanel(document, plan::devices(plan::DeviceDetail::Names), &window);
    m_matchDock = dock(tr("Match"), "matchDock", m_match, Qt::RightDockWidgetArea);
    m_tabs = new QTabWidget(&window);
    m_tabs->setObjectName(QStringLiteral("resultTabs"));
    m_tabs->setDocumentMode(true);
    m_peaksPage = new QSplitter(Qt::Horizontal, m_tabs);
    m_peaks = new PeaksPanel(document, m_peaksPage);
    m_explain = new ExplainPanel(document, m_peaksPage);
    m_peaksPage->setChildrenCollapsible(false);
    m_peaksPage->setStretchFactor(0, 1);
    m_peaksPage->setStretchFactor(1, 1);
    m_peaksPage->setSizes({1000, 1000}); // halves, once the second one is shown
    m_peaksPage->setFocusProxy(m_peaks);
    m_explain->hide();
    m_gallery = new GalleryPanel(document, *m_peaks, views, m_tabs);
    m_cockpit = new CockpitPanel(document, m_tabs);
    m_compare = new ComparePanel(document, std::move(unknowns), inputs, m_tabs);
    m_features = new FeaturesPanel(document, controller, views, std::move(inputs), m_tabs);
    m_report = new ReportPanel(m_tabs);
    m_log = new LogPanel(m_tabs);
    fillTabs();
    m_bottomDock = dock(tr("Results"), "resultsDock", m_tabs, Qt::BottomDockWidgetArea);
    reset();
}

QDockWidget* Docks::dock(const QString& title, const char* name, QWidget* content,
                         Qt::DockWidgetArea area) {
    auto* made = new QDockWidget(title, &m_window);
    made->setObjectName(QLatin1String(name));
    made->setWidget(content);
    m_window.addDockWidget(area, made);
    return made;
}

void Docks::fillTabs() {
    const auto add = [this](QWidget* page, const QString& title, const QString& tip) {
        m_tabs->setTabToolTip(m_tabs->addTab(page, title), tip);
    };
    add(m_peaksPage, tr("Peaks"), tr("Peaks of the result that is shown"));
    add(m_gallery, tr("Gallery"), tr("The same peaks as pictures"));
    add(m_cockpit, tr("Threshold"), tr("Scores of the map, and a threshold to drag"));
    add(m_compare, tr("Compare"), tr("The result beside another one, or a list of positions"));
    add(m_report, tr("Plan report"),
        tr("Every candidate of the plan, and why it was chosen or not"));
    add(m_log, tr("Log"), tr("Messages of the program"));
    add(m_features, tr("Blobs"),
        tr("Places that differ from their surroundings, to cut templates from"));
    setManualPage(*m_match, "matching");
    setManualPage(*m_peaks, "results-and-peaks");
    setManualPage(*m_explain, "judging-peaks");
    setManualPage(*m_gallery, "judging-peaks");
    setManualPage(*m_cockpit, "judging-peaks");
    setManualPage(*m_compare, "comparing");
    setManualPage(*m_report, "matching");
    setManualPage(*m_features, "blobs");
    // Where a tab is switched while another tab's page has the focus, and where a tab is clicked,
    // the page's list gets it, never its text field: letters are keys.
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        QWidget* const page = m_tabs->currentWidget();
        if (page->isAncestorOf(QApplication::focusWidget())) {
            page->setFocus();
        }
    });
    connect(
        m_tabs, &QTabWidget::tabBarClicked, this,
        [this](int tab) {
            if (tab >= 0) {
                m_tabs->widget(tab)->setFocus();
            }
        },
        Qt::QueuedConnection); // it becomes the current one after this signal
}

void Docks::reset() {
    for (QDockWidget* dock : {m_dataDock, m_matchDock, m_bottomDock}) {
        dock->setFloating(false);
        dock->show();
    }
    m_window.addDockWidget(Qt::LeftDockWidgetArea, m_dataDock);
    m_window.addDockWidget(Qt::RightDockWidgetArea, m_matchDock);
    m_window.addDockWidget(Qt::BottomDockWidgetArea, m_bottomDock);
    m_window.resizeDocks({m_dataDock, m_matchDock}, {210, 310}, Qt::Horizontal);
    m_window.resizeDocks({m_bottomDock}, {200}, Qt::Vertical);
}

QStringList Docks::tabTitles() const {
    QStringList titles;
    for (int i = 0; i < m_tabs->count(); ++i) {
        titles << m_tabs->tabText(i).remove(QChar('&'));
    }
    return titles;
}

void Docks::showTab(int tab) {
    m_bottomDock->show();
    m_tabs->setCurrentIndex(tab);
    m_tabs->widget(tab)->setFocus();
}

void Docks::showFeatures() {
    m_bottomDock->show();
    m_tabs->setCurrentWidget(m_features);
}

void Docks::showCompare() {
    m_bottomDock->show();
    m_tabs->setCurrentWidget(m_compare);
}

void Docks::leaveFeatures() {
    if (m_tabs->currentWidget() == m_features) {
        m_tabs->setCurrentWidget(m_peaksPage);
    }
}

} // namespace flcc::ui
