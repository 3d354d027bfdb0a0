#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/report.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"
#include "ui/results/peaks_model.h"
#include "ui/views/views_panel.h"

// The Match panel says what it means, and stays in reach.

using namespace flcc;

class WindowPanelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void memoryIsTypedAsTheWindowWritesIt();
    void fftwIsChosenForAMethod();
    void anInvalidFieldStaysAndStopsTheRun();
    void refusalsNameControls();
    void threadsEndAtTheMachine();
    void theThresholdIsAlwaysVisible();
    void theRegionIsDrawnWhileItIsTyped();
    void aFlatTemplateDisablesRun();
    void thePlanIsOneLineUntilWhyIsClicked();
    void aRefusalHasAButtonThatHelps();
    void binningMakesTheJobFit();
    void advancedIsRemembered();
    void resetLayoutBringsBackLostPanels();
    void textsFollowTheThemeWhileRunning();
    void theKeySheetListsTheMouse();
    void slicesCountFromZero();
    void aNiftiHeadStandsUpright();
    void worldPositionsNameTheirAxes();
    void theTransferFunctionHasPresetsAndSliders();
    void thePaletteFindsAndRunsACommand();

  private:
    void openWithTemplate();
    [[nodiscard]] ui::MessageBar& bar() {
        return test::child<ui::MessageBar>(*m_window, "messageBar");
    }
    void type(const char* field, const char* text);

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowPanelTest::init() { m_window = test::shownWindow(); }

void WindowPanelTest::cleanup() { m_window.reset(); }

void WindowPanelTest::openWithTemplate() {
    m_window->document().setScene(test::noiseScene({200, 160, 1}, 4));
    m_window->document().setBox(base::Box{{10, 10, 0}, {16, 16, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::type(const char* field, const char* text) {
    auto& edit = test::child<QLineEdit>(*m_window, field);
    edit.setFocus();
    edit.selectAll();
    QTest::keyClicks(&edit, QLatin1String(text));
}

void WindowPanelTest::memoryIsTypedAsTheWindowWritesIt() {
    openWithTemplate();
    for (const char* text : {"200 MiB", "200MiB", " 200 mib "}) {
        type("memory", text);
        QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
        QCOMPARE(m_window->matchPanel().settings().memoryBytes, std::int64_t{200} << 20);
    }
    job::Job job = m_window->matchPanel().settings();
    m_window->matchPanel().setSettings(job);
    QCOMPARE(test::child<QLineEdit>(*m_window, "memory").text(), QStringLiteral("200 MiB"));
    type("tile", "64 , 32");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "tile"), Qt::Key_Return);
    QVERIFY(m_window->matchPanel().settings().tile == (base::Extents{64, 32, 0}));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::fftwIsChosenForAMethod() {
    openWithTemplate();
    auto& method = test::child<QComboBox>(*m_window, "method");
    auto& transforms = test::child<QComboBox>(*m_window, "transforms");
    method.setCurrentIndex(method.findData(QStringLiteral("fourier")));
    transforms.setCurrentIndex(transforms.findText(QStringLiteral("FFTW")));
    QVERIFY(m_window->matchPanel().settings().transforms == method::Transforms::Fftw);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const plan::CandidateReport* chosen = m_window->document().result()->job->report.plan.chosen();
    QVERIFY(chosen != nullptr);
    QCOMPARE(chosen->candidate.label(), std::string("fourier, FFTW"));
    QVERIFY(ui::candidateText(chosen->candidate).endsWith(QStringLiteral(", FFTW")));
    // A method without transforms says which control refuses it.
    method.setCurrentIndex(method.findData(QStringLiteral("direct")));
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString line = test::child<QLabel>(*m_window, "planLine").text();
    QVERIFY2(line.contains(QStringLiteral("\"Transforms\" \"FFTW\"").toHtmlEscaped()),
             qPrintable(line));
}

void WindowPanelTest::anInvalidFieldStaysAndStopsTheRun() {
    openWithTemplate();
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    QVERIFY(run.isEnabled());
    type("memory", "much");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QCOMPARE(test::child<QLineEdit>(*m_window, "memory").text(), QStringLiteral("much"));
    QVERIFY(!run.isEnabled());
    QVERIFY(!test::child<QAction>(*m_window, "run").isEnabled());
    QVERIFY2(run.toolTip().contains(QStringLiteral("much")), qPrintable(run.toolTip()));
    type("memory", "1 GiB");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(run.isEnabled());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::refusalsNameControls() {
    QCOMPARE(
        ui::inWindowWords("needs 3 MiB; raise --memory, use fewer --threads or a smaller scene"),
        QStringLiteral("needs 3 MiB; raise \"Memory limit\", use fewer \"Threads\" or a smaller "
                       "scene"));
    // A message says itself which of its words are options; the values are not read.
    const base::Error error(base::ErrorCode::Memory,
                            base::Message("too-small",
                                          "{file} of {extents} needs {needed}; raise {--memory} or "
                                          "use {--device cpu} or {--nothing}",
                                          {{"file", "a --memory.mha"},
                                           {"extents", base::Extents{70, 60, 1}},
                                           {"needed", std::int64_t{3}}}));
    QCOMPARE(ui::inWindowWords(error.within("template 1: ")),
             QStringLiteral("template 1: a --memory.mha of 70 × 60 needs 3; raise \"Memory limit\" "
                            "or use \"Device\" \"CPU\" or --nothing"));
    QCOMPARE(ui::inWindowWords("--statistics fourier does not work with method direct"),
             QStringLiteral("\"Sums\" \"Correlations\" does not work with method direct"));
    openWithTemplate();
    type("memory", "1000");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString line = test::child<QLabel>(*m_window, "planLine").text();
    QVERIFY2(line.contains(QStringLiteral("\"Memory limit\"").toHtmlEscaped()) &&
                 !line.contains(QStringLiteral("--")),
             qPrintable(line));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::threadsEndAtTheMachine() {
    QCOMPARE(test::child<QSpinBox>(*m_window, "threads").maximum(), base::availableThreads());
    job::Job job;
    job.threads = 4000;
    m_window->matchPanel().setSettings(job);
    QCOMPARE(m_window->matchPanel().settings().threads, base::availableThreads());
}

void WindowPanelTest::theThresholdIsAlwaysVisible() {
    openWithTemplate();
    m_window->resize(1280, 720);
    QTest::qWait(30);
    for (const char* name : {"foldEdges", "foldMethod", "foldExactness"}) {
        test::child<QToolButton>(*m_window, name).click();
    }
    QTest::qWait(30);
    const QRect panel(QPoint(), m_window->matchPanel().size());
    for (const char* name : {"minScoreSlider", "minScore", "maxPeaks", "minDistance", "region",
                             "runButton", "planLine"}) {
        const auto& field = test::child<QWidget>(*m_window, name);
        const QRect at(field.mapTo(&m_window->matchPanel(), QPoint()), field.size());
        QVERIFY2(field.isVisible() && panel.contains(at) &&
                     field.visibleRegion().boundingRect() == field.rect(),
                 name);
    }
    auto& slider = test::child<QSlider>(*m_window, "minScoreSlider");
    slider.setValue(730);
    QCOMPARE(m_window->matchPanel().threshold(), 0.73);
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.25);
    QCOMPARE(slider.value(), 250);
}

void WindowPanelTest::theRegionIsDrawnWhileItIsTyped() {
    openWithTemplate();
    QTest::qWait(100);
    const ui::ViewFrame& view = *m_window->views().frames()[0];
    const QImage before = view.widget()->grabFramebuffer();
    type("region", "20, 30 : 60, 50");
    QTest::qWait(50);
    QVERIFY(view.widget()->grabFramebuffer() != before);
    QVERIFY(!m_window->matchPanel().settings().region);
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "region"), Qt::Key_Return);
    QVERIFY(m_window->matchPanel().settings().region == (base::Box{{20, 30, 0}, {60, 50, 1}}));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::aFlatTemplateDisablesRun() {
    ui::SceneEntry scene = test::noiseScene({100, 80, 1}, 2);
    base::Image<float> pixels({100, 80, 1});
    const auto& noise = std::get<base::Image<float>>(scene.image->pixels);
    std::copy(noise.data(), noise.data() + noise.count(), pixels.data());
    for (std::int64_t y = 0; y < 20; ++y) {
        std::fill_n(pixels.view().row(y, 0), 20, 3.0F);
    }
    auto flat = std::make_shared<job::SceneImage>();
    flat->pixels = std::move(pixels);
    scene.image = flat;
    m_window->document().setScene(scene);
    m_window->document().setBox(base::Box{{2, 2, 0}, {9, 9, 1}});
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto& run = test::child<QPushButton>(*m_window, "runButton");
    QVERIFY(!run.isEnabled());
    QVERIFY(!test::child<QAction>(*m_window, "run").isEnabled());
    QVERIFY2(run.toolTip().contains(QStringLiteral("constant")), qPrintable(run.toolTip()));
    const QString line = test::child<QLabel>(*m_window, "planLine").text();
    QVERIFY2(line.contains(QStringLiteral("constant")), qPrintable(line));
    m_window->document().setBox(base::Box{{50, 40, 0}, {9, 9, 1}});
    QVERIFY(run.isEnabled());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::thePlanIsOneLineUntilWhyIsClicked() {
    m_window.reset();
    QSettings().clear();
    m_window = test::shownWindow(test::Panel::AsShipped);
    openWithTemplate();
    auto& line = test::child<QLabel>(*m_window, "planLine");
    const auto& headline = test::child<QLabel>(*m_window, "planHeadline");
    const auto* chosen = m_window->flow().report()->plan.chosen();
    QVERIFY2(line.text().contains(QString::fromStdString(chosen->candidate.method)) &&
                 line.text().contains(QStringLiteral("iB, CPU")) &&
                 line.text().contains(QStringLiteral("CPU")),
             qPrintable(line.text()));
    QVERIFY(!headline.isVisible());
    line.setFocus();
    QTest::keyClick(&line, Qt::Key_Tab); // to the link
    Q_EMIT line.linkActivated(QStringLiteral("why"));
    QVERIFY(headline.isVisible());
    Q_EMIT line.linkActivated(QStringLiteral("why"));
    QVERIFY(!headline.isVisible());
}

void WindowPanelTest::aRefusalHasAButtonThatHelps() {
    openWithTemplate();
    type("memory", "1000");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().report()->plan.chosen() == nullptr);
    auto& fix = test::child<QPushButton>(*m_window, "planFix0");
    QVERIFY2(fix.text().startsWith(QStringLiteral("Limit ")), qPrintable(fix.text()));
    const std::int64_t least = *job::leastMemory(m_window->flow().report()->plan);
    test::click(fix);
    QTest::qWait(1);
    const std::int64_t limit = m_window->matchPanel().settings().memoryBytes;
    QVERIFY2(limit >= least && static_cast<double>(limit) < 1.02 * static_cast<double>(least),
             qPrintable(QStringLiteral("%1 for %2").arg(limit).arg(least)));
    const QString typed = test::child<QLineEdit>(*m_window, "memory").text();
    QVERIFY2(typed.endsWith(QStringLiteral("iB")), qPrintable(typed));
    QTest::qWait(1);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().report()->plan.chosen() != nullptr);
    QVERIFY(!test::child<QWidget>(*m_window, "planFixes").isVisible());
    QVERIFY(test::runAndWait(*m_window));
}

void WindowPanelTest::binningMakesTheJobFit() {
    openWithTemplate();
    ui::Document& document = m_window->document();
    const base::Extents before = document.sceneExtents();
    const base::Extents templ = document.templateExtents();
    type("memory", "1000");
    QTest::keyClick(&test::child<QLineEdit>(*m_window, "memory"), Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().report()->plan.chosen() == nullptr);
    QPushButton* bin = nullptr;
    for (QPushButton* button :
         test::child<QWidget>(*m_window, "planFixes").findChildren<QPushButton*>()) {
        bin = button->text() == QStringLiteral("Bin by 2") ? button : bin;
    }
    QVERIFY(bin != nullptr);
    test::click(*bin);
    QTRY_COMPARE(document.scenes().size(), std::size_t{2});
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY((document.sceneExtents() == base::Extents{before.x / 2, before.y / 2, 1}));
    QVERIFY((document.templateExtents() == base::Extents{templ.x / 2, templ.y / 2, 1}));
    QCOMPARE(document.scene().image->geometry.spacing[0], 2.0);
    test::keepPictures(*m_window, QStringLiteral("binned"));
    QVERIFY(document.scenes()[1].aside && !document.scenes()[0].aside);
    QCOMPARE(document.searchedScenes(), std::size_t{1});
    // With memory for the small one, it alone is searched.
    auto& memory = test::child<QLineEdit>(*m_window, "memory");
    memory.setFocus();
    memory.clear();
    QTest::keyClick(&memory, Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document.result()->job->report.scene == document.sceneExtents());
    QCOMPARE(document.result()->scene, 0);
    // Back, and forth again with the result. The field comes first.
    m_window->findChild<QAction*>(QStringLiteral("undo"))->trigger();
    QVERIFY(!memory.text().isEmpty());
    m_window->findChild<QAction*>(QStringLiteral("undo"))->trigger();
    QVERIFY(document.sceneExtents() == before && document.templateExtents() == templ);
    QCOMPARE(document.scenes().size(), std::size_t{1});
    QVERIFY(document.result() == nullptr && document.results().empty());
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window->findChild<QAction*>(QStringLiteral("redo"))->trigger();
    QVERIFY(document.result() != nullptr && document.scenes().size() == 2);
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::advancedIsRemembered() {
    m_window.reset();
    m_window = test::shownWindow(test::Panel::AsShipped);
    auto* device = &test::child<QWidget>(*m_window, "device");
    QVERIFY(!device->isVisible());
    test::click(test::child<QToolButton>(*m_window, "foldAdvanced"));
    QVERIFY(device->isVisible());
    m_window.reset();
    m_window = std::make_unique<ui::MainWindow>();
    m_window->show();
    QVERIFY(test::child<QWidget>(*m_window, "device").isVisible());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowPanelTest::resetLayoutBringsBackLostPanels() {
    auto& dock = test::child<QDockWidget>(*m_window, "matchDock");
    dock.setFloating(true);
    dock.move(20'000, 20'000);
    test::child<QDockWidget>(*m_window, "dataDock").hide();
    test::child<QAction>(*m_window, "resetLayout").trigger();
    QVERIFY(!dock.isFloating());
    QVERIFY(test::child<QDockWidget>(*m_window, "dataDock").isVisible());
    QVERIFY(m_window->rect().contains(dock.geometry()));
}

void WindowPanelTest::textsFollowTheThemeWhileRunning() {
    m_window->opener().openSample(QStringLiteral("tiny")); // says what was opened
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto lightness = [](const QWidget& widget) {
        // The colour that differs most from the background is the text.
        const QImage picture = const_cast<QWidget&>(widget).grab().toImage();
        const int ground = picture.pixelColor(picture.width() - 1, 0).lightness();
        int text = ground;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x) {
                const int here = picture.pixelColor(x, y).lightness();
                text = std::abs(here - ground) > std::abs(text - ground) ? here : text;
            }
        }
        return std::pair(text, ground);
    };
    for (const char* theme : {"theme1", "theme2"}) {
        test::child<QAction>(*m_window, theme).trigger();
        QTest::qWait(20);
        const bool dark = theme[5] == '2';
        for (const char* name : {"foldAdvanced", "foldBox", "foldComputation", "planHeadline",
                                 "planLine", "planCalibration"}) {
            const auto [text, ground] = lightness(test::child<QWidget>(*m_window, name));
            QVERIFY2(dark ? text > ground + 60 : text < ground - 60,
                     qPrintable(QStringLiteral("%1 %2: %3 on %4")
                                    .arg(QLatin1String(theme), QLatin1String(name))
                                    .arg(text)
                                    .arg(ground)));
        }
        // A message that was shown before has the colour of links of the new theme.
        const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
        QVERIFY(bar.isVisible());
        QVERIFY2(bar.styleSheet().contains(QGuiApplication::palette().color(QPalette::Link).name()),
                 qPrintable(bar.styleSheet()));
    }
}

void WindowPanelTest::theKeySheetListsTheMouse() {
    test::child<QAction>(*m_window, "keySheet").trigger();
    auto& sheet = test::child<QDialog>(*m_window, "keySheet");
    QStringList texts;
    for (const QLabel* label : sheet.findChildren<QLabel*>()) {
        texts << label->text();
    }
    QVERIFY(texts.contains(QStringLiteral("Ctrl+wheel")));
    QVERIFY(texts.contains(QStringLiteral("Double-click")));
    sheet.close();
}

void WindowPanelTest::slicesCountFromZero() {
    m_window->document().setScene(test::noiseScene({20, 30, 16}, 4));
    m_window->views().setCrosshair({3, 4, 5});
    QVERIFY(test::child<QLabel>(*m_window, "statusIndex").text().endsWith(QStringLiteral(", 5")));
    const QString view = test::child<QLabel>(*m_window, "statusView").text();
    QVERIFY2(view.contains(QString::fromUtf8("slice 5 of 0–15")), qPrintable(view));
    const QString slice = test::child<QLabel>(*m_window, "viewXYSliceText").text();
    QCOMPARE(slice, QString::fromUtf8("z = 5 of 0–15"));
}

void WindowPanelTest::thePaletteFindsAndRunsACommand() {
    openWithTemplate();
    auto& overlay = test::child<QAction>(*m_window, "overlay");
    QVERIFY(overlay.isChecked());
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    auto& palette = test::child<QDialog>(*m_window, "commandPalette");
    QTRY_VERIFY(palette.isVisible());
    const auto& list = test::child<QListWidget>(palette, "commandList");
    QVERIFY(list.count() > 50);
    auto& words = test::child<QLineEdit>(palette, "commandWords");
    QTest::keyClicks(&words, QStringLiteral("show heat"));
    QVERIFY2(list.currentItem()->text().contains(QStringLiteral("Show heatmap (on)    S")),
             qPrintable(list.currentItem()->text()));
    QTest::keyClick(&words, Qt::Key_Return);
    QTRY_VERIFY(!overlay.isChecked());
}

void WindowPanelTest::aNiftiHeadStandsUpright() {
    const QTemporaryDir folder;
    const ui::SceneEntry scene = test::noiseScene({20, 22, 24}, 3);
    base::Geometry geometry; // to the right, to the front, to the head
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    const QString file = folder.filePath(QStringLiteral("head.nii"));
    io::writeImage(file.toStdString(), base::viewOf(scene.image->pixels), geometry);
    m_window->openFile(file);
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto& frames = m_window->views().frames();
    const auto higher = [&](std::size_t view, const base::Point& a, const base::Point& b) {
        return frames[view]->scene().displayOf(a).y < frames[view]->scene().displayOf(b).y;
    };
    QVERIFY(higher(1, {10, 11, 20}, {10, 11, 3}));
    QVERIFY(higher(2, {10, 11, 20}, {10, 11, 3}));
    QVERIFY(higher(0, {10, 20, 12}, {10, 3, 12})); // the face
    // The arrow keys move as the picture shows.
    m_window->views().setCrosshair({10, 11, 12});
    m_window->views().setActiveFrame(frames[1]);
    m_window->tools().nudge(0, -1);
    QVERIFY(m_window->views().crosshair() == (base::Point{10, 11, 13}));
    test::child<QAction>(*m_window, "upright").trigger();
    QVERIFY(higher(1, {10, 11, 3}, {10, 11, 20}));
}

void WindowPanelTest::worldPositionsNameTheirAxes() {
    const QTemporaryDir folder;
    base::Geometry geometry;
    geometry.origin = {75, 107, -69.5};
    geometry.direction = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    geometry.unit = "mm";
    const QString file = folder.filePath(QStringLiteral("head.nii"));
    const ui::SceneEntry scene = test::noiseScene({24, 22, 20}, 3);
    io::writeImage(file.toStdString(), base::viewOf(scene.image->pixels), geometry);
    m_window->openFile(file);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(bar().sentence().contains(QStringLiteral("positions in RAS")));
    m_window->document().setBox(base::Box{{4, 5, 6}, {9, 7, 5}});
    m_window->document().cutTemplate();
    QVERIFY(test::runAndWait(*m_window));
    m_window->views().setCrosshair({8, 8, 8});
    const auto& world = test::child<QLabel>(*m_window, "statusWorld");
    QCOMPARE(world.text(), QStringLiteral("-67, -99, -61.5 mm RAS"));
    auto& table = test::child<QTableView>(*m_window, "peaksTable");
    const auto heads = [&table] {
        QStringList names;
        for (int place = 0; place < table.horizontalHeader()->count(); ++place) {
            const int column = table.horizontalHeader()->logicalIndex(place);
            if (!table.isColumnHidden(column)) {
                names << table.model()->headerData(column, Qt::Horizontal).toString();
            }
        }
        return names.join(QChar('|'));
    };
    QVERIFY2(heads().contains(QStringLiteral("centre x|centre y|centre z|z-score")),
             qPrintable(heads()));
    test::click(test::child<QToolButton>(*m_window, "peaksWorld"));
    QVERIFY2(heads().contains(QStringLiteral("z [0-based]|R [mm]|A [mm]|S [mm]|z-score")),
             qPrintable(heads()));
    const auto first = [&table] {
        return table.model()->index(0, ui::PeaksModel::WorldX).data().toDouble();
    };
    QVERIFY(std::abs(first() + 67) < 0.2);
    test::child<QAction>(*m_window, "worldAxes2").trigger();
    QVERIFY(std::abs(first() - 67) < 0.2);
    QVERIFY(heads().contains(QStringLiteral("L [mm]|P [mm]|S [mm]")));
    QVERIFY(world.text().endsWith(QStringLiteral("mm LPS")));
    QVERIFY(m_window->flow().currentJob().world == base::WorldAxes::Lps);
    // A job chooses them, and the menu shows it.
    const QString jobFile = folder.filePath(QStringLiteral("job.json"));
    job::Job job = m_window->flow().currentJob();
    job.world = base::WorldAxes::Ras;
    QFile out(jobFile);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(job::toJobFile(job)));
    out.close();
    m_window->loadJob(jobFile);
    QVERIFY(test::waitUntilIdle(*m_window));
    QTRY_VERIFY(test::child<QAction>(*m_window, "worldAxes1").isChecked());
    QVERIFY(m_window->document().worldAxes() == base::WorldAxes::Ras);
}

void WindowPanelTest::theTransferFunctionHasPresetsAndSliders() {
    m_window->document().setScene(test::noiseScene({20, 22, 24}, 3));
    test::child<QAction>(*m_window, "volumeEditorAction").trigger();
    auto& editor = test::child<QDialog>(*m_window, "volumeEditor");
    test::child<QComboBox>(editor, "volumeLook").setCurrentIndex(2);
    test::child<QSlider>(editor, "volumeThreshold").setValue(40);
    test::child<QSlider>(editor, "volumeOpacity").setValue(75);
    const viz::VolumeTransfer now = m_window->views().volumeTransfer();
    QVERIFY((now == viz::VolumeTransfer{viz::VolumeLook::Ct, 0.4, 0.75}));
    editor.close();
    QTest::qWait(350); // the fine picture
}

const flcc::test::TestClass<WindowPanelTest> kWindowPanelTest;

#include "window_panel_test.moc"
