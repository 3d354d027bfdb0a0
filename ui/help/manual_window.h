#pragma once

#include <QWidget>

#include <vector>

#include "ui/help/manual.h"

class QAction;
class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QStackedWidget;
class QTextBrowser;

namespace flcc::ui {

/// Shows the manual: at the left the list of pages and a search over all pages, at the right one
/// page. Links to the web open in the browser. The window has no parent, so that dialogs of the
/// main window do not block it. It does not keep the program running.
class ManualWindow : public QWidget {
    Q_OBJECT

  public:
    ManualWindow();

    /// Opens the page `name`, shows the window and raises it. If `name` is empty, the page stays.
    void open(const QString& name = {});

  private:
    void reload();
    QWidget* makeSide();
    QWidget* makePage();
    QWidget* makeFindBar();
    QAction* addKey(const char* name, const QString& text, const QList<QKeySequence>& keys);
    void pageShown(const QUrl& url);
    void searchManual(const QString& words);
    void showHit(int row);
    void showFindBar();
    void findInPage(bool backward);

    Manual m_manual;
    std::vector<ManualHit> m_hits;
    QTextBrowser* m_view = nullptr;
    QLineEdit* m_search = nullptr;
    QStackedWidget* m_lists = nullptr;
    QListWidget* m_contents = nullptr;
    QListWidget* m_hitList = nullptr;
    QLabel* m_hitCount = nullptr;
    QWidget* m_findBar = nullptr;
    QLineEdit* m_findText = nullptr;
    QLabel* m_findNote = nullptr;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
};

} // namespace flcc::ui
