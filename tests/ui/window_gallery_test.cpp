#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <array>
#include <cmath>
#include <set>

#include "engine/rotation/orientation.h"
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
    void aClickOnRunAndOnATabLeavesTheKeysToTheGallery();
    void aTurnedObjectIsShownAsItsTemplateLies_data();
    void aTurnedObjectIsShownAsItsTemplateLies();
    void eachPictureCanHaveItsOwnScale();
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
    const QImage picture =
        ui::boxPicture(ui::valuesOf(view, box), box.extents, window, 50, outside);
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
    QCOMPARE(
        ui::boxPicture(ui::valuesOf(view, {{0, 0, 2}, {9, 7, 1}}), {9, 7, 1}, window, 4, outside)
            .size(),
        QSize(4, 4));
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

/// Space is for the peaks; it must not press Run again.
void WindowGalleryTest::aClickOnRunAndOnATabLeavesTheKeysToTheGallery() {
    run({120, 90, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.25);
    QTest::mouseClick(&test::child<QPushButton>(*m_window, "runButton"), Qt::LeftButton);
    QVERIFY(test::waitUntilIdle(*m_window));
    const std::size_t results = document().results().size();
    auto* bar = test::child<QTabWidget>(*m_window, "resultTabs").tabBar();
    const auto clickTab = [bar](const QString& title) {
        for (int i = 0; i < bar->count(); ++i) {
            if (bar->tabText(i) == title) {
                QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
            }
        }
        QTest::qWait(20);
    };
    for (const QString& tab : {QStringLiteral("Gallery"), QStringLiteral("Peaks")}) {
        clickTab(tab);
        document().selectPeak(1);
        const double threshold = test::child<QDoubleSpinBox>(*m_window, "minScore").value();
        QVERIFY2(QApplication::focusWidget() != nullptr &&
                     (QApplication::focusWidget() == &gallery() ||
                      QApplication::focusWidget() == &table()),
                 qPrintable(tab));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(document().results().size(), results);
        QCOMPARE(test::child<QDoubleSpinBox>(*m_window, "minScore").value(), threshold);
        QVERIFY(decision(1) == Decision::Keep);
        document().undoStack().undo();
    }
    // What has no list of peaks takes the keys, too.
    for (const QString& tab :
         {QStringLiteral("Threshold"), QStringLiteral("Compare"), QStringLiteral("Plan report"),
          QStringLiteral("Log"), QStringLiteral("Blobs")}) {
        clickTab(tab);
        QWidget* page = test::child<QTabWidget>(*m_window, "resultTabs").currentWidget();
        QVERIFY2(page->isAncestorOf(QApplication::focusWidget()), qPrintable(tab));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(document().results().size(), results);
    }
    // Nor does another button of the window keep the focus.
    gallery().setFocus();
    for (const QPushButton* button : m_window->findChildren<QPushButton*>()) {
        if (button->isVisible()) {
            QVERIFY2(!(button->focusPolicy() & Qt::ClickFocus), qPrintable(button->objectName()));
        }
    }
}

void WindowGalleryTest::aTurnedObjectIsShownAsItsTemplateLies_data() {
    QTest::addColumn<base::Extents>("templ");
    QTest::addColumn<base::Point>("edges");
    QTest::newRow("odd") << base::Extents{15, 11, 1} << base::Point{1, 1, 1};
    QTest::newRow("even") << base::Extents{14, 10, 1} << base::Point{1, 1, 1};
    QTest::newRow("volume of oblong voxels") << base::Extents{13, 11, 6} << base::Point{1, 1, 2};
}

/// A smooth function of the place in the template, turned by definition into a scene.
void WindowGalleryTest::aTurnedObjectIsShownAsItsTemplateLies() {
    QFETCH(base::Extents, templ);
    QFETCH(base::Point, edges);
    const auto value = [](const base::Point& o) { // in lengths from the middle
        return std::exp(-(o[0] * o[0] / 30 + o[1] * o[1] / 8 + o[2] * o[2] / 12)) + 0.02 * o[0];
    };
    const base::Extents n{40, 36, templ.z > 1 ? 20 : 1};
    match::Peak peak;
    const double tilt = templ.z > 1 ? 0.3 : 0; // a volume is turned about x, too
    const double length = std::sqrt(1 + tilt * tilt + 0.16);
    peak.pose = rotation::Pose{{1 / length, tilt / length, 0, 0.4 / length}, 1, false};
    peak.centre = {19.3, 17.8, templ.z > 1 ? 9.6 : 0.0};
    const rotation::Matrix toTemplate = rotation::transposed(rotation::matrixOf(*peak.pose));
    base::Image<float> scene(n);
    for (std::int64_t i = 0; i < scene.count(); ++i) {
        const std::array<std::int64_t, 3> at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
        base::Point offset{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            offset[axis] = (static_cast<double>(at[axis]) - peak.centre[axis]) * edges[axis];
        }
        scene.data()[i] = static_cast<float>(value(rotation::apply(toTemplate, offset)));
    }
    const base::AnyView image = base::View<const float>(scene.view());
    const ui::BoxValues back = ui::turnedBack(image, peak, templ, edges);
    double worst = 0;
    for (std::int64_t z = 0; z < templ.z; ++z) {
        for (std::int64_t y = 0; y < templ.y; ++y) {
            for (std::int64_t x = 0; x < templ.x; ++x) {
                const base::Point o{
                    (static_cast<double>(x) - static_cast<double>(templ.x - 1) / 2) * edges[0],
                    (static_cast<double>(y) - static_cast<double>(templ.y - 1) / 2) * edges[1],
                    (static_cast<double>(z) - static_cast<double>(templ.z - 1) / 2) * edges[2]};
                worst = std::max(worst, std::abs(back({x, y, z}) - value(o)));
            }
        }
    }
    // Linear interpolation errs by an eighth of the second derivative at most, along each axis:
    // 2/30, 2/8 and 2/12 a length, times the square of the edge.
    const double most =
        (2.0 / 8 + 2.0 / 8 + (templ.z > 1 ? edges[2] * edges[2] * 2.0 / 12 : 0)) / 8;
    QVERIFY2(worst < most, qPrintable(QStringLiteral("%1 of %2").arg(worst).arg(most)));
    // Outside the image there is nothing.
    peak.centre[0] = 1;
    QVERIFY(std::isnan(ui::turnedBack(image, peak, templ, edges)({0, 0, 0})));
}

void WindowGalleryTest::eachPictureCanHaveItsOwnScale() {
    run({120, 90, 1}, {{30, 40, 0}, {9, 9, 1}}, 0.25);
    showTab(QStringLiteral("Gallery"));
    m_window->views().setGreyWindow({1000, 2000}); // all is black
    const auto greys = [this] {
        const QImage image = delegate().templatePicture(0, 1);
        std::set<int> all;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                all.insert(qRed(image.pixel(x, y)));
            }
        }
        return all;
    };
    QCOMPARE(greys().size(), std::size_t{1});
    test::click(test::child<QToolButton>(*m_window, "galleryOwnScale"));
    QVERIFY(greys().contains(0) && greys().contains(255));
    test::click(test::child<QToolButton>(*m_window, "galleryOwnScale"));
    QCOMPARE(greys().size(), std::size_t{1});
    QVERIFY(!test::child<QToolButton>(*m_window, "galleryTurned").isVisible()); // nothing is turned
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
