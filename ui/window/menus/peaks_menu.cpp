#include "ui/window/menus/peaks_menu.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <array>

#include "ui/base/actions.h"
#include "ui/base/settings.h"
#include "ui/judge/explain_panel.h"
#include "ui/judge/gallery_panel.h"
#include "ui/judge/judge.h"
#include "ui/match/match_panel.h"
#include "ui/results/peaks_panel.h"
#include "ui/views/views_panel.h"
#include "ui/window/parts/dialogs.h"

namespace flcc::ui {
namespace {

using Scope = Actions::Scope;

} // namespace

PeaksMenu::PeaksMenu(const Parts& parts, Dialogs& dialogs) : m_parts(parts), m_dialogs(dialogs) {
    QMenu* menu = m_parts.window.menuBar()->addMenu(tr("&Peaks"));
    addSteps(menu);
    menu->addSeparator();
    addDecisions(menu);
    menu->addSeparator();
    addEdits(menu);
    menu->addSeparator();
    addExplain(menu);
    addAverage(menu);
    menu->addSeparator();
    addThresholds(menu);
}

/// Keys of the views that also work in the table and the gallery.
void PeaksMenu::addKey(QAction* action) {
    m_parts.peaks.addKey(action);
    m_parts.gallery.addKey(action);
}

void PeaksMenu::addSteps(QMenu* menu) {
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        int key;
        int step;
    };
    const std::array<Entry, 2> entries{
        {{"nextPeak", tr("&Next peak"), tr("Goes to the next peak"), Qt::Key_N, 1},
         {"previousPeak", tr("Pre&vious peak"), tr("Goes to the previous peak"), Qt::Key_P, -1}}};
    for (const Entry& entry : entries) {
        addKey(m_parts.actions.add(
            menu,
            {entry.name, entry.text, entry.tip, {QKeySequence(entry.key)}, nullptr, Scope::Views},
            [this, step = entry.step](bool) { m_parts.peaks.step(step); }));
    }
}

void PeaksMenu::addDecisions(QMenu* menu) {
    struct Entry {
        const char* name;
        QString text;
        QString tip;
        int key;
        match::Decision decision;
    };
    const std::array<Entry, 3> entries{
        {{"keepPeaks", tr("&Keep"), tr("Keeps the selected peaks, or takes that back"),
          Qt::Key_Space, match::Decision::Keep},
         {"rejectPeaks", tr("Re&ject"),
          tr("Rejects the selected peaks, or takes that back; they stay, grey"), Qt::Key_X,
          match::Decision::Reject},
         {"unsurePeaks", tr("&Unsure"),
          tr("Marks the selected peaks as unsure, or takes that back"), Qt::Key_U,
          match::Decision::Unsure}}};
    for (const Entry& entry : entries) {
        addKey(m_parts.actions.add(
            menu,
            {entry.name, entry.text, entry.tip, {QKeySequence(entry.key)}, nullptr, Scope::Views},
            [this, decision = entry.decision](bool) {
                m_parts.judge.decide(m_parts.peaks.selectedPeaks(), decision);
            }));
    }
}

void PeaksMenu::addEdits(QMenu* menu) {
    m_parts.actions.add(menu,
                        {"addPeak",
                         tr("&Add a peak at the crosshair"),
                         tr("Adds the peak nearest to the crosshair, whatever its score. With tool "
                            "5, Ctrl+click does it, too"),
                         {QKeySequence(Qt::Key_Insert)},
                         nullptr,
                         Scope::Views},
                        [this](bool) { m_parts.judge.addAt(m_parts.views.crosshair()); });
    m_parts.peaks.addKey(
        m_parts.actions.add(menu,
                            {"removePeaks",
                             tr("&Delete"),
                             tr("Rejects the selected peaks; removes those that you added"),
                             {QKeySequence(Qt::Key_Delete)},
                             nullptr,
                             Scope::Views},
                            [this](bool) { m_parts.judge.remove(m_parts.peaks.selectedPeaks()); }));
}

void PeaksMenu::addExplain(QMenu* menu) {
    QAction* explain =
        m_parts.actions.add(menu,
                            {"explainPeak",
                             tr("&Explain the peak"),
                             tr("Shows beside the table why the selected peak is one"),
                             {QKeySequence(Qt::Key_E)},
                             nullptr,
                             Scope::Views,
                             true},
                            [this](bool on) {
                                Settings::setFlag(QStringLiteral("peaks/explain"), on);
                                m_parts.explain.setVisible(on);
                            });
    addKey(explain);
    m_parts.peaks.addButton(explain);
    if (Settings::flag(QStringLiteral("peaks/explain"), false)) {
        explain->trigger();
    }
    QAction* blink = m_parts.actions.add(menu,
                                         {"blinkPeak",
                                          tr("&Blink panel and template"),
                                          tr("Shows panel and template in turns, at one place"),
                                          {QKeySequence(Qt::Key_B)},
                                          nullptr,
                                          Scope::Views,
                                          true},
                                         [this, explain](bool on) {
                                             if (on && !explain->isChecked()) {
                                                 explain->trigger();
                                             }
                                             m_parts.explain.setBlinking(on);
                                         });
    addKey(blink);
}

void PeaksMenu::addAverage(QMenu* menu) {
    QAction* average = m_parts.actions.add(
        menu,
        {"averagePeaks",
         tr("A&verage …"),
         tr("Averages kept or selected peaks; the average can become the template"),
         {}},
        [this](bool) { m_dialogs.showAverage(); });
    m_parts.gallery.addButton(average);
}

void PeaksMenu::addThresholds(QMenu* menu) {
    m_parts.actions.add(
        menu,
        {"thresholdDown",
         tr("&Lower threshold"),
         tr("Lowers the threshold, so that more peaks are shown"),
         {QKeySequence(Qt::Key_Comma)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.match.setThreshold(m_parts.match.threshold() - 0.01); });
    m_parts.actions.add(
        menu,
        {"thresholdUp",
         tr("&Higher threshold"),
         tr("Raises the threshold, so that fewer peaks are shown"),
         {QKeySequence(Qt::Key_Period)},
         nullptr,
         Scope::Views},
        [this](bool) { m_parts.match.setThreshold(m_parts.match.threshold() + 0.01); });
}

} // namespace flcc::ui
