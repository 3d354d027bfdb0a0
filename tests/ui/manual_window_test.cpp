#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QToolButton>

#include <algorithm>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/theme.h"
#include "ui/help/manual.h"
#include "ui/match/match_panel.h"

using namespace flcc;

namespace {

/// All links of a page, and its pictures.
struct References {
    QStringList links;
    QStringList pictures;
};

References referencesOf(const QTextDocument& page) {
    References all;
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextCharFormat format = part.fragment().charFormat();
            if (format.isImageFormat()) {
                all.pictures.append(format.toImageFormat().name());
            } else if (format.isAnchor()) {
                all.links.append(format.anchorHref());
            }
        }
    }
    all.links.removeDuplicates();
    return all;
}

/// Clicks the first place of the page's text that is a link to `href`.
void clickLink(QTextBrowser& page, const QString& href) {
    const QTextDocument& document = *page.document();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            if (part.fragment().charFormat().anchorHref() == href) {
                QTextCursor cursor(block);
                cursor.setPosition(part.fragment().position() + 1);
                page.setTextCursor(cursor);
                page.ensureCursorVisible();
                const QPoint at = page.cursorRect(cursor).center();
                QTest::mouseClick(page.viewport(), Qt::LeftButton, Qt::NoModifier, at);
                return;
            }
        }
    }
    QFAIL(qPrintable("no link to " + href));
}

/// For people: pictures of the window.
void keepPicture(QWidget& widget, const QString& name) {
    if (const QString folder = qEnvironmentVariable("FLCC_DIALOG_PICTURES"); !folder.isEmpty()) {
        QVERIFY(widget.grab().save(folder + '/' + name + ".png"));
    }
}

} // namespace

class ManualWindowTest : public QObject {
    Q_OBJECT

  public:
    Q_SLOT void opened(const QUrl& url) { m_opened.append(url); }

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void theKeyOpensTheIndexOnceAndBlocksNothing();
    void theMenuOpensIt();
    void thePanelWithTheFocusDecidesThePage();
    void theListOfPagesOpensThem();
    void linksLeadToPagesAndBack();
    void linksToTheWebOpenInTheBrowser();
    void aSearchListsParagraphsAndGoesThere();
    void aWordIsFoundOnThePage();
    void everyPageLinkAndPictureExists();
    void itFollowsTheTheme();
    void itClosesWithTheWindow();

  private:
    QWidget* manual();
    QWidget& openManual();
    QTextBrowser& page() { return test::child<QTextBrowser>(*manual(), "manualPage"); }
    QString shownPage() { return page().source().fileName(); }

    std::unique_ptr<ui::MainWindow> m_window;
    QList<QUrl> m_opened;
};

void ManualWindowTest::init() {
    ui::applyTheme(ui::Theme::Dark);
    m_window = test::shownWindow();
}

QWidget* ManualWindowTest::manual() {
    const QWidgetList all = QApplication::topLevelWidgets();
    const auto found = std::find_if(all.begin(), all.end(), [](const QWidget* widget) {
        return widget->objectName() == QStringLiteral("manualWindow");
    });
    return found == all.end() ? nullptr : *found;
}

QWidget& ManualWindowTest::openManual() {
    QTest::keyClick(m_window.get(), Qt::Key_F1);
    if (manual() == nullptr || !QTest::qWaitForWindowActive(manual())) {
        qFatal("the manual did not open");
    }
    return *manual();
}

void ManualWindowTest::theKeyOpensTheIndexOnceAndBlocksNothing() {
    QVERIFY(manual() == nullptr);
    QWidget& first = openManual();
    QCOMPARE(shownPage(), QStringLiteral("index.md"));
    QVERIFY(page().toPlainText().contains(QStringLiteral("FLCC manual")));
    QVERIFY(!first.isModal());
    keepPicture(first, "manual-index");
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QCOMPARE(&openManual(), &first);
    // A dialog of the main window leaves it usable.
    test::child<QAction>(*m_window, "about").trigger();
    QTest::keyClick(&page(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(test::child<QWidget>(first, "manualFindBar").isVisible());
    QTest::keyClick(&first, Qt::Key_Escape);
    QVERIFY(!test::child<QWidget>(first, "manualFindBar").isVisible());
    QTest::keyClick(&first, Qt::Key_Escape);
    QVERIFY(!first.isVisible());
}

void ManualWindowTest::theMenuOpensIt() {
    auto& action = test::child<QAction>(*m_window, "manual");
    QVERIFY(action.shortcuts().contains(QKeySequence(Qt::Key_F1)));
    QMenu* help = nullptr;
    for (QAction* entry : m_window->menuBar()->actions()) {
        help = entry->menu() != nullptr && entry->menu()->actions().contains(&action)
                   ? entry->menu()
                   : help;
    }
    QVERIFY(help != nullptr);
    help->popup(m_window->mapToGlobal(QPoint(10, 10)));
    QTest::mouseClick(help, Qt::LeftButton, Qt::NoModifier, help->actionGeometry(&action).center());
    QTRY_VERIFY(manual() != nullptr && manual()->isVisible());
}

void ManualWindowTest::thePanelWithTheFocusDecidesThePage() {
    QWidget& threads = test::child<QWidget>(*m_window, "threads");
    threads.setFocus();
    QTRY_VERIFY(threads.hasFocus());
    QTest::keyClick(&threads, Qt::Key_F1);
    QTRY_VERIFY(manual() != nullptr);
    QCOMPARE(shownPage(), QStringLiteral("matching.md"));
    QVERIFY(manual()->windowTitle().startsWith(QStringLiteral("Matching")));
}

void ManualWindowTest::theListOfPagesOpensThem() {
    QWidget& window = openManual();
    auto& list = test::child<QListWidget>(window, "manualContents");
    const ui::Manual pages;
    QCOMPARE(list.count(), static_cast<int>(pages.pages().size()));
    for (int row = list.count() - 1; row >= 0; --row) {
        list.scrollToItem(list.item(row));
        QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                          list.visualItemRect(list.item(row)).center());
        const ui::ManualPage& expected = pages.pages()[static_cast<std::size_t>(row)];
        QCOMPARE(shownPage(), expected.name + QStringLiteral(".md"));
        QCOMPARE(list.item(row)->text(), expected.title);
        QVERIFY(page().toPlainText().startsWith(expected.title));
        keepPicture(window, "manual-" + expected.name);
    }
}

void ManualWindowTest::linksLeadToPagesAndBack() {
    QWidget& window = openManual();
    auto& back = test::child<QToolButton>(window, "manualBackButton");
    auto& forward = test::child<QToolButton>(window, "manualForwardButton");
    QVERIFY(!back.isEnabled() && !forward.isEnabled());
    clickLink(page(), QStringLiteral("matching.md"));
    QCOMPARE(shownPage(), QStringLiteral("matching.md"));
    QCOMPARE(test::child<QListWidget>(window, "manualContents").currentItem()->text(),
             QStringLiteral("Matching"));
    test::click(back);
    QCOMPARE(shownPage(), QStringLiteral("index.md"));
    test::click(forward);
    QCOMPARE(shownPage(), QStringLiteral("matching.md"));
    QTest::keyClick(&page(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(shownPage(), QStringLiteral("index.md"));
}

void ManualWindowTest::linksToTheWebOpenInTheBrowser() {
    (void)openManual();
    QDesktopServices::setUrlHandler(QStringLiteral("https"), this, "opened");
    QTextCursor cursor(page().document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertHtml(QStringLiteral("<br><a href=\"https://www.fftw.org\">FFTW home page</a>"));
    clickLink(page(), QStringLiteral("https://www.fftw.org"));
    QDesktopServices::unsetUrlHandler(QStringLiteral("https"));
    QCOMPARE(m_opened, QList<QUrl>{QUrl(QStringLiteral("https://www.fftw.org"))});
    QCOMPARE(shownPage(), QStringLiteral("index.md"));
}

void ManualWindowTest::aSearchListsParagraphsAndGoesThere() {
    QWidget& window = openManual();
    auto& search = test::child<QLineEdit>(window, "manualSearch");
    auto& hits = test::child<QListWidget>(window, "manualHits");
    QVERIFY(!hits.isVisible());
    QTest::mouseClick(&search, Qt::LeftButton);
    QTest::keyClicks(&search, QStringLiteral("nonfinite infinity"));
    QVERIFY(hits.isVisible());
    QVERIFY(hits.count() > 0);
    QVERIFY(!test::child<QLabel>(window, "manualHitCount").text().isEmpty());
    QTest::mouseClick(hits.viewport(), Qt::LeftButton, Qt::NoModifier,
                      hits.visualItemRect(hits.item(0)).center());
    const QString title = hits.item(0)->text().section(QChar('\n'), 0, 0);
    QVERIFY(page().toPlainText().startsWith(title));
    QCOMPARE(page().textCursor().selectedText().toLower(), QStringLiteral("nonfinite"));
    QVERIFY(page().viewport()->rect().contains(page().cursorRect().center()));
    keepPicture(window, "manual-search");
    QTest::keyClicks(&search, QStringLiteral(" xyzzy"));
    QCOMPARE(hits.count(), 0);
    QCOMPARE(test::child<QLabel>(window, "manualHitCount").text(), QStringLiteral("Nothing found"));
    search.selectAll();
    QTest::keyClick(&search, Qt::Key_Delete);
    QVERIFY(!hits.isVisible());
    QVERIFY(test::child<QListWidget>(window, "manualContents").isVisible());
}

void ManualWindowTest::aWordIsFoundOnThePage() {
    QWidget& window = openManual();
    clickLink(page(), QStringLiteral("glossary.md"));
    QTest::keyClick(&page(), Qt::Key_F, Qt::ControlModifier);
    auto& text = test::child<QLineEdit>(window, "manualFindText");
    QTRY_VERIFY(text.hasFocus());
    QTest::keyClicks(&text, QStringLiteral("template"));
    const int first = page().textCursor().selectionStart();
    QCOMPARE(page().textCursor().selectedText().toLower(), QStringLiteral("template"));
    QTest::keyClick(&window, Qt::Key_F3);
    QVERIFY(page().textCursor().selectionStart() > first);
    QTest::keyClick(&window, Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(page().textCursor().selectionStart(), first);
    // Beyond the first match is the last one.
    QTest::keyClick(&window, Qt::Key_F3, Qt::ShiftModifier);
    QVERIFY(page().textCursor().selectionStart() > first);
    QTest::keyClick(&window, Qt::Key_F3);
    QCOMPARE(page().textCursor().selectionStart(), first);
    keepPicture(window, "manual-find");
    QTest::keyClicks(&text, QStringLiteral("xyzzy"));
    QCOMPARE(test::child<QLabel>(window, "manualFindNote").text(),
             QStringLiteral("Not on this page"));
}

void ManualWindowTest::everyPageLinkAndPictureExists() {
    const ui::Manual manual;
    QStringList names;
    for (const ui::ManualPage& each : manual.pages()) {
        names.append(each.name + QStringLiteral(".md"));
        QVERIFY2(!each.title.isEmpty(), qPrintable(each.name));
    }
    // The index names every page, and every page is there.
    QStringList files = QDir(QStringLiteral(":/manual")).entryList({"*.md"});
    QVERIFY(files.size() > 10);
    std::sort(names.begin(), names.end());
    std::sort(files.begin(), files.end());
    QCOMPARE(names, files);
    QStringList used;
    for (const QString& name : names) {
        QFile file(QStringLiteral(":/manual/") + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QTextDocument document;
        document.setMarkdown(QString::fromUtf8(file.readAll()));
        const References all = referencesOf(document);
        for (const QString& link : all.links) {
            const QUrl url(link);
            const bool good =
                url.isRelative() ? names.contains(link) : url.scheme() == QStringLiteral("https");
            QVERIFY2(good, qPrintable(name + ": " + link));
        }
        for (const QString& picture : all.pictures) {
            const QImage image(QStringLiteral(":/manual/") + picture);
            QVERIFY2(!image.isNull(), qPrintable(name + ": " + picture));
            QVERIFY2(image.width() <= 720, qPrintable(picture + " is too wide for the window"));
            used.append(picture.section(QChar('/'), -1));
        }
    }
    std::sort(used.begin(), used.end());
    QCOMPARE(QDir(QStringLiteral(":/manual/pictures")).entryList(QDir::Files, QDir::Name), used);
}

void ManualWindowTest::itFollowsTheTheme() {
    QWidget& window = openManual();
    clickLink(page(), QStringLiteral("troubleshooting.md"));
    page().verticalScrollBar()->setValue(60);
    ui::applyTheme(ui::Theme::Light);
    QCOMPARE(page().verticalScrollBar()->value(), 60);
    QCOMPARE(shownPage(), QStringLiteral("troubleshooting.md"));
    QColor link;
    for (QTextBlock block = page().document()->begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            if (part.fragment().charFormat().isAnchor()) {
                link = part.fragment().charFormat().foreground().color();
            }
        }
    }
    QCOMPARE(link, QApplication::palette().color(QPalette::Link));
    QTRY_COMPARE(page().palette().color(QPalette::Base),
                 QApplication::palette().color(QPalette::Base));
    keepPicture(window, "manual-light");
}

void ManualWindowTest::itClosesWithTheWindow() {
    QWidget& window = openManual();
    m_window->close();
    QVERIFY(!window.isVisible());
}

const flcc::test::TestClass<ManualWindowTest> kManualWindowTest;

#include "manual_window_test.moc"
