#include "ui/help/manual_window.h"

#include <QAction>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

QToolButton* buttonOf(QAction* action, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    return button;
}

/// Rules around the cells of tables, space above headings and a ground behind listings, which Qt's
/// Markdown leaves out.
void polish(QTextDocument& document) {
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorder(1);
            format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            format.setBorderBrush(accents().line);
            format.setBorderCollapse(true);
            format.setCellPadding(5);
            format.setTopMargin(6);
            format.setBottomMargin(10);
            table->setFormat(format);
        }
    }
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && block != document.begin()) {
            QTextBlockFormat space;
            space.setTopMargin(18);
            space.setBottomMargin(6);
            QTextCursor(block).mergeBlockFormat(space);
        }
        if (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
            block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage)) {
            QTextBlockFormat ground;
            ground.setBackground(QGuiApplication::palette().window());
            QTextCursor(block).mergeBlockFormat(ground);
        }
    }
}

} // namespace

ManualWindow::ManualWindow() {
    setObjectName(QStringLiteral("manualWindow"));
    setWindowIcon(programIcon());
    setAttribute(Qt::WA_QuitOnClose, false);
    m_back = addKey("manualBack", tr("Back"), QKeySequence::keyBindings(QKeySequence::Back));
    m_forward =
        addKey("manualForward", tr("Forward"), QKeySequence::keyBindings(QKeySequence::Forward));
    auto* splitter = new QSplitter(this);
    splitter->addWidget(makeSide());
    splitter->addWidget(makePage());
    splitter->setStretchFactor(1, 1);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({270, 760});
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(splitter);

    connect(m_back, &QAction::triggered, m_view, &QTextBrowser::backward);
    connect(m_forward, &QAction::triggered, m_view, &QTextBrowser::forward);
    connect(m_view, &QTextBrowser::backwardAvailable, m_back, &QAction::setEnabled);
    connect(m_view, &QTextBrowser::forwardAvailable, m_forward, &QAction::setEnabled);
    connect(m_view, &QTextBrowser::sourceChanged, this, &ManualWindow::pageShown);
    connect(addKey("manualFind", tr("Find in page"), {QKeySequence::Find}), &QAction::triggered,
            this, &ManualWindow::showFindBar);
    connect(addKey("manualFindNext", tr("Next"), {QKeySequence(Qt::Key_F3)}), &QAction::triggered,
            this, [this] { findInPage(false); });
    connect(addKey("manualFindPrevious", tr("Previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}),
            &QAction::triggered, this, [this] { findInPage(true); });
    connect(addKey("manualClose", tr("Close"), {QKeySequence(Qt::Key_Escape)}), &QAction::triggered,
            this, [this] {
                if (m_findBar->isVisible()) {
                    m_findBar->hide();
                    m_view->setFocus();
                } else {
                    close();
                }
            });
    m_back->setIcon(icon(QStringLiteral("back")));
    m_back->setEnabled(false);
    m_forward->setIcon(icon(QStringLiteral("forward")));
    m_forward->setEnabled(false);
    resize(1060, 720);
    followTheme(this, [this] { reload(); });
}

QAction* ManualWindow::addKey(const char* name, const QString& text,
                              const QList<QKeySequence>& keys) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcuts(keys);
    if (!keys.isEmpty()) {
        action->setToolTip(
            QStringLiteral("%1 (%2)").arg(text, keys[0].toString(QKeySequence::NativeText)));
    }
    addAction(action);
    return action;
}

QWidget* ManualWindow::makeSide() {
    auto* side = new QWidget(this);
    m_search = new QLineEdit(side);
    m_search->setObjectName(QStringLiteral("manualSearch"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setPlaceholderText(tr("Search the manual"));
    m_search->setClearButtonEnabled(true);
    m_contents = new QListWidget(side);
    m_contents->setObjectName(QStringLiteral("manualContents"));
    m_contents->setAccessibleName(tr("Pages"));
    m_contents->setSpacing(2);
    for (const ManualPage& page : m_manual.pages()) {
        m_contents->addItem(page.title);
    }
    m_hitList = new QListWidget(side);
    m_hitList->setObjectName(QStringLiteral("manualHits"));
    m_hitList->setAccessibleName(tr("Hits"));
    m_hitList->setWordWrap(true);
    m_hitList->setSpacing(3);
    m_hitList->setAlternatingRowColors(true);
    m_hitList->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_hitCount = new QLabel(side);
    m_hitCount->setObjectName(QStringLiteral("manualHitCount"));
    m_hitCount->hide();
    m_lists = new QStackedWidget(side);
    m_lists->addWidget(m_contents);
    m_lists->addWidget(m_hitList);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_search);
    column->addWidget(m_hitCount);
    column->addWidget(m_lists, 1);
    connect(m_contents, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) {
            m_view->setSource(Manual::urlOf(m_manual.pages()[static_cast<std::size_t>(row)].name));
        }
    });
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::searchManual);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (!m_hits.empty()) {
            m_hitList->setCurrentRow(0);
            m_hitList->setFocus();
        }
    });
    connect(m_hitList, &QListWidget::currentRowChanged, this, &ManualWindow::showHit);
    // Also on a click on the current row, because the reader may have left its page.
    connect(m_hitList, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { showHit(m_hitList->row(item)); });
    return side;
}

QWidget* ManualWindow::makePage() {
    auto* page = new QWidget(this);
    m_view = new QTextBrowser(page);
    m_view->setObjectName(QStringLiteral("manualPage"));
    m_view->setAccessibleName(tr("Page"));
    m_view->setOpenExternalLinks(true);
    m_view->document()->setDocumentMargin(16);
    auto* bar = new QHBoxLayout;
    bar->addWidget(buttonOf(m_back, page));
    bar->addWidget(buttonOf(m_forward, page));
    bar->addStretch(1);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(bar);
    column->addWidget(m_view, 1);
    column->addWidget(makeFindBar());
    return page;
}

QWidget* ManualWindow::makeFindBar() {
    m_findBar = new QWidget(this);
    m_findBar->setObjectName(QStringLiteral("manualFindBar"));
    m_findText = new QLineEdit(m_findBar);
    m_findText->setObjectName(QStringLiteral("manualFindText"));
    m_findText->setAccessibleName(tr("Find in page"));
    m_findText->setPlaceholderText(tr("Find in page"));
    m_findText->setClearButtonEnabled(true);
    m_findNote = new QLabel(m_findBar);
    m_findNote->setObjectName(QStringLiteral("manualFindNote"));
    auto* row = new QHBoxLayout(m_findBar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_findText, 1);
    row->addWidget(m_findNote);
    connect(m_findText, &QLineEdit::textEdited, this, [this] {
        // From the start of the current match, so that it grows while the word is typed.
        QTextCursor cursor = m_view->textCursor();
        cursor.setPosition(cursor.selectionStart());
        m_view->setTextCursor(cursor);
        findInPage(false);
    });
    connect(m_findText, &QLineEdit::returnPressed, this, [this] { findInPage(false); });
    m_findBar->hide();
    return m_findBar;
}

void ManualWindow::open(const QString& name) {
    if (!name.isEmpty()) {
        m_view->setSource(Manual::urlOf(name));
    } else if (m_view->source().isEmpty()) {
        m_view->setSource(Manual::urlOf(m_manual.pages().front().name));
    }
    if (!isVisible()) {
        m_view->setFocus();
    }
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void ManualWindow::reload() {
    if (!m_view->source().isEmpty()) {
        const int position = m_view->verticalScrollBar()->value();
        m_view->reload(); // the colours of links are part of the document
        m_view->verticalScrollBar()->setValue(position);
    }
}

void ManualWindow::pageShown(const QUrl& url) {
    polish(*m_view->document());
    const int page = m_manual.numberOf(url);
    const QSignalBlocker quiet(m_contents);
    m_contents->setCurrentRow(page);
    setWindowTitle(
        page > 0
            ? tr("%1 — FLCC manual").arg(m_manual.pages()[static_cast<std::size_t>(page)].title)
            : tr("FLCC manual"));
    m_findNote->clear();
}

void ManualWindow::searchManual(const QString& words) {
    const QSignalBlocker quiet(m_hitList);
    m_hits = m_manual.search(words);
    m_hitList->clear();
    for (const ManualHit& hit : m_hits) {
        m_hitList->addItem(m_manual.pages()[static_cast<std::size_t>(hit.page)].title +
                           QStringLiteral("\n") + m_manual.excerpt(hit));
    }
    const bool searching = !words.trimmed().isEmpty();
    m_hitCount->setVisible(searching);
    m_hitCount->setText(m_hits.empty()       ? tr("Nothing found")
                        : m_hits.size() == 1 ? tr("1 hit")
                                             : tr("%1 hits").arg(m_hits.size()));
    m_lists->setCurrentWidget(searching ? m_hitList : m_contents);
}

void ManualWindow::showHit(int row) {
    if (row < 0 || row >= static_cast<int>(m_hits.size())) {
        return;
    }
    const ManualHit& hit = m_hits[static_cast<std::size_t>(row)];
    m_view->setSource(Manual::urlOf(m_manual.pages()[static_cast<std::size_t>(hit.page)].name));
    QTextCursor cursor(m_view->document());
    cursor.setPosition(m_manual.positionOf(hit));
    cursor.setPosition(m_manual.positionOf(hit) + hit.length, QTextCursor::KeepAnchor);
    m_view->setTextCursor(cursor);
    // Not at the very edge of the page, where a reader would miss it.
    QScrollBar& bar = *m_view->verticalScrollBar();
    bar.setValue(bar.value() + m_view->cursorRect().top() - m_view->viewport()->height() / 3);
}

void ManualWindow::showFindBar() {
    m_findBar->show();
    m_findText->setFocus();
    m_findText->selectAll();
}

void ManualWindow::findInPage(bool backward) {
    const QString text = m_findText->text();
    if (text.isEmpty()) {
        m_findNote->clear();
        showFindBar();
        return;
    }
    const auto flags = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    bool found = m_view->find(text, flags);
    if (!found) {
        const QTextCursor before = m_view->textCursor();
        m_view->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
        found = m_view->find(text, flags);
        if (!found) {
            m_view->setTextCursor(before);
        }
    }
    m_findNote->setText(found ? QString() : tr("Not on this page"));
}

} // namespace flcc::ui
