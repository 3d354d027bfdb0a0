#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <array>
#include <cmath>

#include "engine/io/atomic_file.h"
#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"

using namespace flcc;

namespace {

constexpr base::Extents kScene{160, 120, 1};
constexpr base::Box kCut{{60, 50, 0}, {15, 13, 1}};

/// 0 in the columns left of `first`, else 1.
base::Image<std::uint8_t> rightOf(const base::Extents& extents, std::int64_t first) {
    base::Image<std::uint8_t> mask(extents, std::uint8_t{0});
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        mask.data()[i] = i % extents.x >= first ? 1 : 0;
    }
    return mask;
}

/// The colour a view shows at a voxel.
match::Colour colourAt(ui::MainWindow& window, std::size_t view, const base::Point& voxel) {
    const ui::ViewFrame& frame = *window.views().frames()[view];
    const viz::Picture picture = frame.widget()->snapshot();
    const viz::DisplayPoint at = frame.scene().displayOf(voxel);
    return picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
}

int brightness(const match::Colour& colour) { return colour[0] + colour[1] + colour[2]; }

/// Pixels of a view that are green as the outline of a region is.
int greenPixels(ui::MainWindow& window, std::size_t view) {
    const ui::ViewFrame& frame = *window.views().frames()[view];
    const viz::Picture picture = frame.widget()->snapshot();
    const match::Colour& green = frame.scene().colours().region;
    int count = 0;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            const match::Colour c = picture.at(x, y);
            count +=
                std::abs(c[0] - green[0]) + std::abs(c[1] - green[1]) + std::abs(c[2] - green[2]) <
                        40
                    ? 1
                    : 0;
        }
    }
    return count;
}

} // namespace

class WindowMasksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void aSectionFoldsAndStaysSo();
    void aFoldedSectionSaysThatItWasChanged();
    void thePlanStaysInSight();
    void theRegionIsOutlinedInEveryView();
    void aMaskIsOpenedShownAndRemoved();
    void theMaskOfTheSceneIsShaded();
    void theMasksOfAVolumeAreShownInSpace();
    void aMaskThatDoesNotFitIsASentenceOnTheCard();
    void whatIsNoMaskIsASentence();
    void theFieldsOfEdgesArePartOfTheJob();
    void aJobFileBringsItsMasks();
    void theHeatmapLiesOnItsPlacements_data();
    void theHeatmapLiesOnItsPlacements();
    void theExportedHeatmapIsTheSliceInView();

  private:
    [[nodiscard]] QString file(const char* name) const {
        return m_folder.filePath(QLatin1String(name));
    }
    void write(const char* name, const base::Image<std::uint8_t>& image) const {
        (void)io::writeImage(file(name).toStdString(), base::AnyView(image.view()), {});
    }
    void open() {
        m_window->document().setScene(test::noiseScene(kScene, 11));
        m_window->document().setBox(kCut);
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    template <class Widget> Widget& part(const char* name) {
        return test::child<Widget>(*m_window, name);
    }
    /// Opens a section with a click, unless it is open.
    void unfold(const char* name) {
        auto& head = part<QToolButton>(name);
        if (!head.isChecked()) {
            clickHead(head);
        }
        QVERIFY(head.isChecked());
    }
    /// Scrolls to the heading of a section and clicks it.
    void clickHead(QToolButton& head) {
        QTest::qWait(1); // the layout
        part<QScrollArea>("matchScroll").ensureWidgetVisible(&head);
        QTest::mouseClick(&head, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
    }
    /// Names a file in the dialog that a button or a line of a menu opens.
    void choose(const char* button, const QString& name) {
        if (auto* action = m_window->findChild<QAction*>(QLatin1String(button))) {
            QVERIFY(action->isEnabled());
            action->trigger();
        } else {
            test::click(part<QToolButton>(button));
        }
        auto& dialog = part<QFileDialog>("openDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& field = test::child<QLineEdit>(dialog, "fileNameEdit");
        field.setText(name);
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("openDialog") == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    [[nodiscard]] job::Job settings() const { return m_window->matchPanel().settings(); }

    QTemporaryDir m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowMasksTest::init() { m_window = test::shownWindow(); }

void WindowMasksTest::aSectionFoldsAndStaysSo() {
    QVERIFY(!part<QComboBox>("precision").isVisible());
    QVERIFY(!part<QLabel>("mask").isVisible());
    QVERIFY(part<QComboBox>("device").isVisible());
    unfold("foldExactness");
    QVERIFY(part<QComboBox>("precision").isVisible() && part<QComboBox>("audit").isVisible());
    QVERIFY(part<QDoubleSpinBox>("minScore").isVisible());
    const int left = part<QDoubleSpinBox>("minScore").x();
    QTest::mouseClick(&part<QToolButton>("foldComputation"), Qt::LeftButton, Qt::NoModifier,
                      QPoint(20, 8));
    QVERIFY(!part<QComboBox>("device").isVisible());
    QTest::qWait(50); // the layout
    QCOMPARE(part<QDoubleSpinBox>("minScore").x(), left);
    QVERIFY(part<QComboBox>("precision").isVisible());
    m_window = std::make_unique<ui::MainWindow>(); // with the settings of the first
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QVERIFY(part<QComboBox>("precision").isVisible());
    QVERIFY(!part<QComboBox>("device").isVisible());
}

void WindowMasksTest::aFoldedSectionSaysThatItWasChanged() {
    auto& head = part<QToolButton>("foldExactness");
    QCOMPARE(head.text(), QStringLiteral("Exactness"));
    unfold("foldExactness");
    part<QCheckBox>("recompute").click();
    QCOMPARE(head.text(), QStringLiteral("Exactness, changed"));
    part<QCheckBox>("recompute").click();
    QCOMPARE(head.text(), QStringLiteral("Exactness"));
    QCOMPARE(part<QToolButton>("foldEdges").text(), QStringLiteral("Masks and edges"));
    unfold("foldEdges");
    part<QComboBox>("extent").setCurrentIndex(2);
    QCOMPARE(part<QToolButton>("foldEdges").text(), QStringLiteral("Masks and edges, changed"));
}

/// In a window of 1280 x 800, as it comes up.
void WindowMasksTest::thePlanStaysInSight() {
    const auto whole = [this](const char* name) {
        const auto& widget = part<QWidget>(name);
        return widget.visibleRegion().boundingRect() == widget.rect();
    };
    open();
    QCOMPARE(m_window->size(), QSize(1280, 800));
    QVERIFY(test::runAndWait(*m_window));
    const auto planIsSeen = [&] {
        return whole("planHeadline") && whole("planTimeMeasured") && whole("planMemoryMeasured") &&
               whole("planMemoryPredicted") && whole("planCalibration");
    };
    QTRY_VERIFY(planIsSeen());
    QTRY_VERIFY(whole("device") && whole("minDistance") && whole("runButton"));
    // What is long is shortened or scrolled, and the name of a cut template is not.
    const auto& name = part<QLabel>("matchTemplate");
    QCOMPARE(name.text(), QStringLiteral("cut at 60, 50"));
    for (const char* usual : {"cut at 600, 500, 70", "the template box", "100 templates"}) {
        QVERIFY2(name.fontMetrics().horizontalAdvance(QLatin1String(usual)) <= name.width(), usual);
    }
    for (const char* section : {"foldEdges", "foldMethod", "foldExactness"}) {
        unfold(section);
    }
    QTRY_VERIFY(whole("minDistance") && planIsSeen());
    // A refusal shows its reasons.
    auto& memory = part<QLineEdit>("memory");
    memory.setFocus();
    QTest::keyClicks(&memory, QStringLiteral("1000"));
    QTest::keyClick(&memory, Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    QTRY_VERIFY(whole("planHeadline") && whole("planCalibration"));
    QVERIFY(!part<QLabel>("planOther1").visibleRegion().isEmpty());
    // Where there is room nothing of the card is scrolled, and nothing is left blank.
    // Without the box, whose judgement takes rows, and a button of the refusal with it.
    m_window->document().setBox(std::nullopt);
    test::click(part<QPushButton>("planButton"));
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->resize(1500, 1040);
    for (const char* section : {"foldEdges", "foldMethod", "foldExactness"}) {
        clickHead(part<QToolButton>(section));
    }
    auto& card = m_window->matchPanel().planCard();
    QTRY_COMPARE(card.height(), card.fullHeight(card.width()));
    QTRY_VERIFY(whole("minDistance") && whole("planOther4"));
}

void WindowMasksTest::theRegionIsOutlinedInEveryView() {
    m_window->document().setScene(test::noiseScene({60, 50, 40}, 5));
    QVERIFY(test::waitUntilIdle(*m_window));
    std::array<int, 4> before{}; // the letter of an axis is green too
    for (std::size_t view = 0; view < 4; ++view) {
        before[view] = greenPixels(*m_window, view);
    }
    auto& field = part<QLineEdit>("region");
    field.setFocus();
    QTest::keyClicks(&field, QStringLiteral("10,12,8:40,30,24"));
    QTest::keyClick(&field, Qt::Key_Return);
    for (std::size_t view = 0; view < 4; ++view) {
        QTRY_VERIFY2(greenPixels(*m_window, view) > before[view] + 40,
                     qPrintable(QString::number(view)));
    }
    // Dashed: on the edge some pixels are green and some are those of the scene.
    int dashes = 0;
    for (int x = 11; x < 49; ++x) {
        const match::Colour c = colourAt(*m_window, 0, {static_cast<double>(x), 11.5, 20});
        dashes += c[1] > c[0] + 40 ? 1 : 0;
    }
    QVERIFY2(dashes > 5 && dashes < 33, qPrintable(QString::number(dashes)));
    QVERIFY(field.toolTip().contains(QStringLiteral("green")));
    test::click(part<QToolButton>("regionClear"));
    for (std::size_t view = 0; view < 4; ++view) {
        QTRY_COMPARE(greenPixels(*m_window, view), before[view]);
    }
    // It belongs to its scene.
    QTest::keyClicks(&field, QStringLiteral("10,12,8:40,30,24"));
    QTest::keyClick(&field, Qt::Key_Return);
    m_window->document().setScene(test::noiseScene({60, 50, 40}, 6));
    QTRY_COMPARE(greenPixels(*m_window, 0), before[0]);
}

void WindowMasksTest::aMaskIsOpenedShownAndRemoved() {
    write("mask.mha", rightOf(kCut.extents, 8));
    open();
    unfold("foldEdges");
    const base::Point outside{63, 53, 0};
    const base::Point inside{71, 53, 0};
    const int before = brightness(colourAt(*m_window, 0, outside));
    const int beside = brightness(colourAt(*m_window, 0, inside));
    choose("maskOpen", file("mask.mha"));
    QCOMPARE(part<QLabel>("mask").text(), QStringLiteral("mask.mha"));
    QCOMPARE(part<ui::MessageBar>("messageBar").sentence(),
             QStringLiteral("mask.mha: mask of 15 × 13 pixels, 91 of them inside, yes or no"));
    QTRY_VERIFY(brightness(colourAt(*m_window, 0, outside)) < before);
    QCOMPARE(brightness(colourAt(*m_window, 0, inside)), beside);
    QVERIFY(m_window->flow().report()->plan.problem.mask);
    QCOMPARE(m_window->flow().report()->templates[0].support, std::int64_t{91});
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains("--mask " + file("mask.mha")));
    test::click(part<QToolButton>("maskClear"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(part<QLabel>("mask").text(), QStringLiteral("none"));
    QCOMPARE(brightness(colourAt(*m_window, 0, outside)), before);
    QVERIFY(!m_window->flow().report()->plan.problem.mask);
}

void WindowMasksTest::theMaskOfTheSceneIsShaded() {
    write("scene-mask.mha", rightOf(kScene, 80));
    open();
    unfold("foldEdges");
    const base::Point outside{30, 90, 0};
    const match::Colour before = colourAt(*m_window, 0, outside);
    const match::Colour beside = colourAt(*m_window, 0, {120, 90, 0});
    QVERIFY(!part<QComboBox>("outside").isEnabled());
    choose("sceneMaskOpen", file("scene-mask.mha"));
    QTRY_VERIFY(colourAt(*m_window, 0, outside) != before);
    const match::Colour shaded = colourAt(*m_window, 0, outside);
    QVERIFY(shaded[2] > shaded[0] + 10);
    QVERIFY(colourAt(*m_window, 0, {120, 90, 0}) == beside);
    QVERIFY(m_window->flow().report()->plan.problem.sceneMask);
    QVERIFY(part<QComboBox>("outside").isEnabled()); // some panels leave the mask
    // A new scene has none.
    m_window->document().setScene(test::noiseScene(kScene, 12));
    QCOMPARE(part<QLabel>("sceneMask").text(), QStringLiteral("none"));
}

void WindowMasksTest::theMasksOfAVolumeAreShownInSpace() {
    constexpr base::Extents kVolume{40, 36, 30};
    constexpr base::Box kBox{{4, 20, 3}, {11, 9, 7}}; // before the slice planes
    write("mask.mha", rightOf(kBox.extents, 6));
    write("scene-mask.mha", rightOf(kVolume, 20));
    m_window->document().setScene(test::noiseScene(kVolume, 9));
    m_window->document().setBox(kBox);
    m_window->document().cutTemplate();
    m_window->views().chooseVolumeView(
        [](ui::VolumeView& view) { view.content = viz::VolumeContent::None; });
    QVERIFY(!part<QAction>("openMaskAction").toolTip().isEmpty());
    unfold("foldEdges");
    QVERIFY(test::waitUntilIdle(*m_window));
    const base::Point inside{12.5, 24, 2.5}; // on the box's first face
    const base::Point outside{8, 30, 15};    // on the XY plane
    const match::Colour before = colourAt(*m_window, 3, inside);
    choose("openMaskAction", file("mask.mha"));
    QTRY_VERIFY(colourAt(*m_window, 3, inside) != before);
    const match::Colour plane = colourAt(*m_window, 3, outside);
    choose("openSceneMaskAction", file("scene-mask.mha"));
    QTRY_VERIFY(colourAt(*m_window, 3, outside) != plane);
    QVERIFY(colourAt(*m_window, 3, outside)[2] > colourAt(*m_window, 3, outside)[0] + 10);
    test::click(part<QToolButton>("maskClear"));
    QTRY_VERIFY(colourAt(*m_window, 3, inside)[2] >= before[2]);
}

void WindowMasksTest::aMaskThatDoesNotFitIsASentenceOnTheCard() {
    write("mask.mha", rightOf({15, 12, 1}, 8));
    open();
    unfold("foldEdges");
    choose("maskOpen", file("mask.mha"));
    const QString text = m_window->matchPanel().planCard().text();
    QVERIFY2(text.contains(QStringLiteral("15 × 12")) && text.contains(QStringLiteral("15 × 13")),
             qPrintable(text));
}

void WindowMasksTest::whatIsNoMaskIsASentence() {
    write("empty.mha", rightOf(kCut.extents, 15));
    open();
    unfold("foldEdges");
    choose("maskOpen", file("empty.mha"));
    const auto& bar = part<ui::MessageBar>("messageBar");
    QCOMPARE(bar.kind(), ui::MessageBar::Kind::Error);
    QVERIFY2(bar.sentence().contains(QStringLiteral("no voxel inside")),
             qPrintable(bar.sentence()));
    QCOMPARE(part<QLabel>("mask").text(), QStringLiteral("none"));
}

void WindowMasksTest::theFieldsOfEdgesArePartOfTheJob() {
    open();
    unfold("foldEdges");
    unfold("foldExactness");
    auto& outside = part<QComboBox>("outside");
    auto& overlap = part<QDoubleSpinBox>("minOverlap");
    auto& partial = part<QCheckBox>("partialPeaks");
    QVERIFY(!outside.isEnabled() && !overlap.isEnabled() && !partial.isEnabled());
    auto& extent = part<QComboBox>("extent");
    extent.setFocus();
    QTest::keyClick(&extent, Qt::Key_End);
    QVERIFY(outside.isEnabled() && !overlap.isEnabled() && partial.isEnabled());
    outside.setFocus();
    QTest::keyClick(&outside, Qt::Key_End);
    QVERIFY(overlap.isEnabled());
    overlap.setFocus();
    overlap.selectAll();
    QTest::keyClicks(&overlap, QStringLiteral("0.25"));
    QTest::keyClick(&overlap, Qt::Key_Return);
    partial.click();
    part<QComboBox>("statistics").setCurrentIndex(2);
    const job::Job job = settings();
    QVERIFY(job.extent == method::Extent::Full);
    QVERIFY(job.outside == method::Outside::Overlap);
    QVERIFY(job.statistics == method::WindowStatistics::Fourier);
    QCOMPARE(job.minOverlap, 0.25);
    QVERIFY(job.partialPeaks);
    m_window->matchPanel().setSettings(job::Job{});
    QVERIFY(settings() == job::Job{});
    m_window->matchPanel().setSettings(job);
    QVERIFY(settings() == job);
}

void WindowMasksTest::aJobFileBringsItsMasks() {
    const ui::SceneEntry scene = test::noiseScene(kScene, 11);
    (void)io::writeImage(file("scene.mha").toStdString(), base::viewOf(scene.image->pixels), {});
    write("mask.mha", rightOf(kCut.extents, 3));
    write("scene-mask.mha", rightOf(kScene, 20));
    job::Job job;
    job.scene = file("scene.mha").toStdString();
    job.crops = {kCut};
    job.masks = {file("mask.mha").toStdString()};
    job.sceneMask = file("scene-mask.mha").toStdString();
    job.extent = method::Extent::Same;
    io::writeText(file("job.json").toStdString(), job::toJobFile(job));
    m_window->loadJob(file("job.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().currentJob() == job);
    QVERIFY(m_window->flow().report()->plan.problem.mask);
    QVERIFY(m_window->flow().report()->plan.problem.sceneMask);
}

void WindowMasksTest::theHeatmapLiesOnItsPlacements_data() {
    QTest::addColumn<int>("extent");
    QTest::newRow("valid") << 0;
    QTest::newRow("same") << 1;
    QTest::newRow("full") << 2;
}

void WindowMasksTest::theHeatmapLiesOnItsPlacements() {
    QFETCH(int, extent);
    open();
    unfold("foldEdges");
    part<QComboBox>("extent").setCurrentIndex(extent);
    part<QComboBox>("outside").setCurrentIndex(2);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const job::JobResult& result = *m_window->document().result()->job;
    const base::Extents& map = result.map->value.extents();
    QCOMPARE(map.x, 160 + (extent == 0 ? -14 : extent == 1 ? 0 : 14));
    QVERIFY(m_window->views().shownCorner() == result.mapCorner);
    QVERIFY(!result.peaks.empty());
    QVERIFY(result.peaks.front().corner == kCut.corner);
    // The voxel of the best score is drawn where the peak's centre is, one voxel wide.
    m_window->document().setBox({});
    m_window->views().setLayerVisible(ui::ViewsPanel::Layer::Peaks, false);
    m_window->views().setOverlayOpacity(1);
    const auto& frame = *m_window->views().frames()[0];
    frame.slice()->setCrosshair({});
    const match::Colour top = match::colourOf(m_window->views().mapScale(), 1);
    const auto isTop = [&](double x, double y) {
        const match::Colour c = colourAt(*m_window, 0, {x, y, 0});
        return std::abs(c[0] - top[0]) + std::abs(c[1] - top[1]) + std::abs(c[2] - top[2]) < 30;
    };
    QTRY_VERIFY(isTop(67, 56));
    QVERIFY(isTop(67.3, 55.7));
    for (const auto& [x, y] : {std::pair(66.0, 56.0), {68.0, 56.0}, {67.0, 55.0}, {67.0, 57.0}}) {
        QVERIFY2(!isTop(x, y), qPrintable(QString("%1 %2").arg(x).arg(y)));
    }
    // Placements beyond the edge are drawn at their middle: in all of the scene.
    const match::Colour corner = colourAt(*m_window, 0, {2, 60, 0});
    const bool coloured = std::abs(corner[0] - corner[1]) + std::abs(corner[1] - corner[2]) > 10;
    QCOMPARE(coloured, extent > 0);
}

void WindowMasksTest::theExportedHeatmapIsTheSliceInView() {
    m_window->document().setScene(test::noiseScene({40, 36, 30}, 9));
    m_window->document().setBox(base::Box{{12, 10, 16}, {7, 7, 5}});
    m_window->document().cutTemplate();
    job::Job job = settings();
    job.region = base::Box{{4, 4, 8}, {32, 28, 18}};
    m_window->matchPanel().setSettings(job);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const job::JobResult& result = *m_window->document().result()->job;
    QVERIFY((result.peaks.front().corner == base::Index{12, 10, 16}));
    // The crosshair is on the best peak: its slice of the map is exported.
    m_window->exporter().writeHeatmap(file("heatmap.png").toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    (void)io::writeHeatmap(file("expected.png").toStdString(), result.map->value.view(),
                           result.map->status.view(), 16 - 8, m_window->views().mapScale());
    QVERIFY(QImage(file("heatmap.png")) == QImage(file("expected.png")));
    (void)io::writeHeatmap(file("other.png").toStdString(), result.map->value.view(),
                           result.map->status.view(), 9, m_window->views().mapScale());
    QVERIFY(QImage(file("heatmap.png")) != QImage(file("other.png")));
}

const flcc::test::TestClass<WindowMasksTest> kWindowMasksTest;

#include "window_masks_test.moc"
