#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/judge/explain_panel.h"
#include "ui/judge/gallery_delegate.h"
#include "ui/judge/gallery_view.h"
#include "ui/judge/panel_picture.h"
#include "ui/judge/peak_pictures.h"
#include "ui/results/peaks_model.h"
#include "ui/views/views_panel.h"

// The gallery shows the rows of the table as pictures; the explanation says why a peak is one.

using namespace flcc;
using match::Decision;

class WindowGalleryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aPictureShowsThePanel();
    void keysAndShiftWorkAsInTheTable();
    void anEditDoesNotScrollAway();
    void aVolumeHasThreePanels();
    void thousandsOfPeaksCostWhatIsVisible();
    void anExplanationFollowsThePeak();
    void theDifferenceOfACopyIsNothing();

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] QTableView& table() { return test::child<QTableView>(*m_window, "peaksTable"); }
    [[nodiscard]] ui::GalleryView& gallery() {
        return test::child<ui::GalleryView>(*m_window, "gallery");
    }
    [[nodiscard]] ui::GalleryDelegate& delegate() {
        return *dynamic_cast<ui::GalleryDelegate*>(gallery().itemDelegate());
    }
    [[nodiscard]] Decision decision(int peak) {
        const ui::ResultEntry& result = *document().result();
        return result.decisions.of(match::keyOf(result.job->peaks[static_cast<std::size_t>(peak)]));
    }
    void run(const base::Extents& extents, const base::Box& box, double threshold, int most = 100);
    void showTab(const QString& title);
    void clickCell(int row, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        gallery().scrollTo(gallery().model()->index(row, 0));
        QTest::mouseClick(gallery().viewport(), Qt::LeftButton, modifiers,
                          gallery().visualRect(gallery().model()->index(row, 0)).center());
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowGalleryTest::init() { m_window = test::shownWindow(test::Panel::AsShipped); }

void WindowGalleryTest::cleanup() { m_window.reset(); }

void WindowGalleryTest::run(const base::Extents& extents, const base::Box& box, double threshold,
                            int most) {
    document().setScene(test::noiseScene(extents, 5));
    document().setBox(box);
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(threshold);
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(most);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document().result()->job->peaks.size() > 8);
}

void WindowGalleryTest::showTab(const QString& title) {
    auto& tabs = test::child<QTabWidget>(*m_window, "resultTabs");
    for (int i = 0; i < tabs.count(); ++i) {
        if (tabs.tabText(i) == title) {
            tabs.setCurrentIndex(i);
        }
    }
    QTest::qWait(20);
}

void WindowGalleryTest::aPictureShowsThePanel() {
    // Every voxel of the box has its place and its grey; outside is marked.
    const ui::SceneEntry scene = test::noiseScene({9, 7, 5}, 2);
    const base::AnyView view = base::viewOf(scene.image->pixels);
    const viz::GreyWindow window{0, 64};
    const QRgb outside = qRgb(1, 2, 3);
    const base::Box box{{6, 2, 1}, {5, 4, 3}};
    const QImage picture = ui::boxPicture(view, box, window, 50, outside);
    QCOMPARE(ui::panelsOf(box.extents), 3);
    QCOMPARE(picture.size(), QSize(3 * 5, 5));
    const auto grey = [&](const base::Index& at) {
        return static_cast<int>(std::lround(base::valueAt(view, at) / 64 * 255));
    };
    QCOMPARE(qRed(picture.pixel(0, 0)), grey({6, 2, 2})); // XY, middle of z
    QCOMPARE(qRed(picture.pixel(1, 3)), grey({7, 5, 2}));
    QCOMPARE(qRed(picture.pixel(5 + 1, 1 + 2)), grey({7, 4, 3}));      // XZ, middle of y
    QCOMPARE(qRed(picture.pixel(10 + 1 + 2, 0 + 3)), grey({8, 5, 3})); // YZ, middle of x
    QCOMPARE(picture.pixel(4, 0), outside);                            // x = 10
    // A larger box is thinned out to the wanted side.
    QCOMPARE(ui::boxPicture(view, {{0, 0, 2}, {9, 7, 1}}, window, 4, outside).size(), QSize(4, 4));
}

void WindowGalleryTest::keysAndShiftWorkAsInTheTable() {
    run({120, 90, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.25);
    showTab(QStringLiteral("Gallery"));
    QCOMPARE(gallery().model()->rowCount(),
             static_cast<int>(document().result()->job->peaks.size()));
    clickCell(0);
    QCOMPARE(document().selectedPeak(), 0);
    // The click centred the views.
    const match::Peak& best = document().result()->job->peaks.front();
    QCOMPARE(m_window->views().crosshair()[0], best.centre[0]);
    clickCell(2, Qt::ShiftModifier);
    QCOMPARE(table().selectionModel()->selectedRows().size(), 3);
    gallery().setFocus();
    QTest::keyClick(&gallery(), Qt::Key_Space);
    QVERIFY(decision(0) == Decision::Keep && decision(2) == Decision::Keep);
    QVERIFY(decision(3) == Decision::Undecided);
    clickCell(3);
    QTest::keyClick(&gallery(), Qt::Key_X);
    QVERIFY(decision(3) == Decision::Reject);
    QTest::keyClick(&gallery(), Qt::Key_N);
    QCOMPARE(document().selectedPeak(), 4);
    QTest::keyClick(&gallery(), Qt::Key_U);
    QVERIFY(decision(4) == Decision::Unsure);
    QTest::keyClick(&gallery(), Qt::Key_P);
    QCOMPARE(document().selectedPeak(), 3);
    // The template is pinned.
    QVERIFY(!test::child<QLabel>(*m_window, "galleryTemplates").pixmap().isNull());
    test::keepPictures(*m_window, QStringLiteral("gallery"));
}

void WindowGalleryTest::anEditDoesNotScrollAway() {
    run({300, 200, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.1, 1000);
    showTab(QStringLiteral("Gallery"));
    // By decision, the row under the key keeps its place until it is sorted again.
    auto& sort = test::child<QComboBox>(*m_window, "gallerySort");
    sort.setCurrentIndex(sort.findData(ui::PeaksModel::Decision));
    Q_EMIT sort.activated(sort.currentIndex());
    clickCell(150);
    const int place = gallery().verticalScrollBar()->value();
    QVERIFY(place > 0);
    const int row = gallery().currentIndex().row();
    const int peak = document().selectedPeak();
    gallery().setFocus();
    QTest::keyClick(&gallery(), Qt::Key_Space);
    QVERIFY(decision(peak) == Decision::Keep);
    QCOMPARE(gallery().verticalScrollBar()->value(), place);
    QCOMPARE(gallery().currentIndex().row(), row);
    QCOMPARE(document().selectedPeak(), peak);
    document().undoStack().undo();
    QCOMPARE(gallery().verticalScrollBar()->value(), place);
    // Descending by score puts the worst last.
    sort.setCurrentIndex(sort.findData(ui::PeaksModel::Score));
    Q_EMIT sort.activated(sort.currentIndex());
    const auto scoreAt = [this](int at) {
        return gallery().model()->index(at, ui::PeaksModel::Score).data().toDouble();
    };
    QVERIFY(scoreAt(0) < scoreAt(10));
    test::click(test::child<QToolButton>(*m_window, "galleryOrder"));
    QVERIFY(scoreAt(0) > scoreAt(10));
}

void WindowGalleryTest::aVolumeHasThreePanels() {
    run({48, 40, 24}, {{20, 18, 9}, {6, 6, 6}}, 0.2);
    showTab(QStringLiteral("Gallery"));
    const QSize cell = delegate().cellSize(gallery().font());
    QVERIFY(cell.width() > 2 * cell.height());
    clickCell(1);
    // N and P keep zoom and contrast of the slices.
    m_window->views().zoom(1.5);
    m_window->views().setGreyWindow({5, 50});
    const ui::ViewFrame& slice = *m_window->views().frames()[1];
    const double zoom = slice.slice()->zoom();
    gallery().setFocus();
    QTest::keyClick(&gallery(), Qt::Key_N);
    QCOMPARE(document().selectedPeak(), 2);
    QCOMPARE(slice.slice()->zoom(), zoom);
    QCOMPARE(m_window->views().greyWindow().low, 5.0);
    const base::Point& centre = document().result()->job->peaks[2].centre;
    QCOMPARE(m_window->views().crosshair()[2], centre[2]);
    // In a slice, too.
    slice.widget()->setFocus();
    QTest::keyClick(slice.widget(), Qt::Key_X);
    QVERIFY(decision(2) == Decision::Reject);
    test::keepPictures(*m_window, QStringLiteral("gallery-volume"));
}

void WindowGalleryTest::thousandsOfPeaksCostWhatIsVisible() {
    run({1200, 1000, 1}, {{30, 40, 0}, {5, 5, 1}}, -1, 20'000);
    QCOMPARE(document().result()->job->peaks.size(), std::size_t{20'000});
    showTab(QStringLiteral("Gallery"));
    QCOMPARE(gallery().model()->rowCount(), 20'000);
    QTRY_VERIFY(delegate().pictures() > 0);
    const QSize cell = delegate().cellSize(gallery().font());
    const QSize room = gallery().viewport()->size();
    const int visible = (room.width() / cell.width() + 1) * (room.height() / cell.height() + 2);
    QVERIFY2(delegate().pictures() <= visible, qPrintable(QString::number(delegate().pictures())));
    // A step of the scroll bar makes the pictures that come into view.
    QScrollBar& bar = *gallery().verticalScrollBar();
    QElapsedTimer timer;
    timer.start();
    constexpr int kFrames = 60;
    for (int frame = 1; frame <= kFrames; ++frame) {
        bar.setValue(frame * cell.height());
        gallery().viewport()->repaint();
    }
    qInfo("%.1f ms a frame", static_cast<double>(timer.elapsed()) / kFrames);
    QVERIFY(delegate().pictures() <= visible * (kFrames + 1));
    bar.setValue(bar.maximum());
    gallery().viewport()->repaint();
    timer.restart();
    clickCell(19'990);
    gallery().setFocus();
    QTest::keyClick(&gallery(), Qt::Key_Space);
    qInfo("%lld ms to select and decide", static_cast<long long>(timer.elapsed()));
    QVERIFY(decision(19'990) == Decision::Keep);
}

void WindowGalleryTest::anExplanationFollowsThePeak() {
    run({120, 90, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.25);
    showTab(QStringLiteral("Peaks"));
    auto& panel = test::child<ui::ExplainPanel>(*m_window, "explainPanel");
    QVERIFY(!panel.isVisible());
    test::click(test::child<QToolButton>(*m_window, "explainPeakButton"));
    QVERIFY(panel.isVisible());
    QTest::mouseClick(
        table().viewport(), Qt::LeftButton, Qt::NoModifier,
        table().visualRect(table().model()->index(1, ui::PeaksModel::Score)).center());
    auto& text = test::child<QLabel>(*m_window, "explainText");
    const match::Peak& second = document().result()->job->peaks[1];
    QTRY_VERIFY(
        text.text().contains(QStringLiteral("Score ") + QString::number(second.score, 'f', 4)));
    // The best other peak of the second one is the first one; the link goes there.
    QVERIFY2(text.text().contains(QStringLiteral("href=\"peak:0\"")), qPrintable(text.text()));
    Q_EMIT text.linkActivated(QStringLiteral("peak:0"));
    QCOMPARE(document().selectedPeak(), 0);
    QTRY_VERIFY(text.text().contains(QStringLiteral("href=\"peak:1\"")));
    QVERIFY(text.text().contains(QStringLiteral("Panel: mean")));
    // B blinks.
    const QImage before = test::child<QLabel>(*m_window, "explainPictures").pixmap().toImage();
    QWidget& view = *m_window->views().frames()[0]->widget();
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_B);
    QVERIFY(panel.isBlinking());
    QTRY_VERIFY(test::child<QLabel>(*m_window, "explainPictures").pixmap().toImage() != before);
    QTest::keyClick(&view, Qt::Key_B);
    QVERIFY(!panel.isBlinking());
    test::keepPictures(*m_window, QStringLiteral("explain"));
    // Without its map, a result still shows panel, template and difference.
    QVERIFY(test::runAndWait(*m_window));
    document().setMostResultBytes(1);
    document().showResult(0);
    QVERIFY(document().result()->mapReleased);
    document().selectPeak(1);
    QTRY_VERIFY(text.text().contains(QStringLiteral("map of this result is not there")));
    QVERIFY(!test::child<QLabel>(*m_window, "explainPictures").pixmap().isNull());
}

void WindowGalleryTest::theDifferenceOfACopyIsNothing() {
    run({120, 90, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.25);
    const ui::ResultEntry& result = *document().result();
    const auto pictures = [&](std::size_t peak) {
        return ui::picturesOf(*document().scene().image, *result.job, result.job->peaks[peak], 64,
                              qRgb(1, 2, 3));
    };
    const ui::PeakPictures copy = pictures(0); // where the template was cut
    QVERIFY(std::abs(copy.gain - 1) < 1e-12);
    QCOMPARE(copy.panel, copy.templ);
    for (int y = 0; y < copy.difference.height(); ++y) {
        for (int x = 0; x < copy.difference.width(); ++x) {
            QVERIFY(std::abs(qRed(copy.difference.pixel(x, y)) - 127.5) <= 0.5);
        }
    }
    // Elsewhere, gain is score * deviation of the panel / deviation of the template.
    const ui::PeakPictures other = pictures(3);
    QVERIFY(other.gain > 0 && other.gain < 1);
    QVERIFY(other.difference != copy.difference);
}

const flcc::test::TestClass<WindowGalleryTest> kWindowGalleryTest;

#include "window_gallery_test.moc"
