#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "engine/features/object_box.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/views/views_panel.h"
#include "ui/window/main_window.h"

using namespace flcc;
using namespace flcc::ui;

namespace {

constexpr base::Extents kScene{160, 120, 1};
constexpr base::Box kCut{{60, 50, 0}, {25, 21, 1}};

std::ptrdiff_t insideOf(const MaskEntry* mask) {
    if (mask == nullptr) {
        return -1;
    }
    const auto& support = mask->image->support;
    return std::count(support.data(), support.data() + support.count(), 1);
}

} // namespace

class WindowDrawMaskTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void theBrushPaintsAndErases();
    void theFirstStrokeSaysWhatItExcludes();
    void aStrokeThatTouchesNothingMakesNoMask();
    void theQualityOfTheBoxTakesTheMask();
    void theSphereIsNamedByTheJob();
    void cylinderAndMiddleBoxAreNamedByTheJob();
    void aBoxIsDrawnAndInverted();
    void theThresholdTakesValues();
    void theMaskOfTheSceneIsDrawn();
    void aBrushInAVolumeIsABall();
    void aSavedMaskIsNamedByTheJob();
    void aJobFileBringsItsSphere();
    void withoutATemplateASentenceSaysSo();

  private:
    void open(const base::Extents& extents = kScene, const base::Box& box = kCut) {
        document().setScene(test::noiseScene(extents, 11));
        document().setBox(box);
        document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(!part<QWidget>("maskBar").isVisible());
        QTest::keyClick(frame(0).widget(), Qt::Key_6);
        QVERIFY(part<QWidget>("maskBar").isVisible());
    }
    [[nodiscard]] Document& document() { return m_window->document(); }
    [[nodiscard]] ViewFrame& frame(std::size_t i) { return *m_window->views().frames()[i]; }
    template <class Widget> Widget& part(const char* name) {
        return test::child<Widget>(*m_window, name);
    }
    void dragTo(const base::Point& from, const base::Point& to,
                Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        test::drag(frame(0), test::pointOf(frame(0), from), test::pointOf(frame(0), to),
                   Qt::LeftButton, modifiers);
    }
    void choose(const char* combo, const QString& word) {
        auto& box = part<QComboBox>(combo);
        box.setFocus();
        while (box.currentText() != word && box.currentIndex() + 1 < box.count()) {
            QTest::keyClick(&box, Qt::Key_Down);
        }
        while (box.currentText() != word && box.currentIndex() > 0) {
            QTest::keyClick(&box, Qt::Key_Up);
        }
        QCOMPARE(box.currentText(), word);
        QTest::qWait(20); // the layout
    }
    void type(const char* field, const QString& text) {
        auto& spin = part<QDoubleSpinBox>(field);
        spin.setFocus();
        spin.selectAll();
        QTest::keyClicks(&spin, text);
        QTest::keyClick(&spin, Qt::Key_Return);
    }
    [[nodiscard]] int at(const MaskEntry& mask, std::int64_t x, std::int64_t y,
                         std::int64_t z = 0) {
        return mask.image->support.view().at(x, y, z);
    }
    [[nodiscard]] int brightness(const base::Point& voxel) {
        const viz::Picture picture = frame(0).widget()->snapshot();
        const viz::DisplayPoint p = frame(0).scene().displayOf(voxel);
        const match::Colour c =
            picture.at(static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y)));
        return c[0] + c[1] + c[2];
    }
    /// Answers the file dialog that is open.
    void answer(const QString& file) {
        auto& dialog = part<QFileDialog>("exportDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& field = test::child<QLineEdit>(dialog, "fileNameEdit");
        field.setText(file);
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("exportDialog") == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void WindowDrawMaskTest::theBrushPaintsAndErases() {
    open();
    const int before = brightness({82, 68, 0});
    dragTo({66, 60, 0}, {76, 60, 0});
    const MaskEntry* mask = document().mask();
    QVERIFY(mask != nullptr && mask->image->support.extents() == kCut.extents);
    // A stroke of radius 5: 5 voxels above it are inside, 7 are not.
    QVERIFY(at(*mask, 6, 10) == 1 && at(*mask, 16, 10) == 1 && at(*mask, 11, 6) == 1);
    QVERIFY(at(*mask, 11, 2) == 0 && at(*mask, 24, 20) == 0);
    const std::ptrdiff_t painted = insideOf(mask);
    QVERIFY2(std::abs(painted - (81 + 10 * 11)) < 40, qPrintable(QString::number(painted)));
    QTRY_VERIFY(brightness({82, 68, 0}) < before); // shaded
    test::keepPictures(*m_window, QStringLiteral("mask-brush"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(m_window->flow().report()->templates[0].support, static_cast<std::int64_t>(painted));
    dragTo({66, 60, 0}, {66, 60, 0}, Qt::ControlModifier);
    QVERIFY(at(*document().mask(), 6, 10) == 0 && at(*document().mask(), 16, 10) == 1);
    // A stroke is one step.
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(insideOf(document().mask()), painted);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(document().mask() == nullptr);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(insideOf(document().mask()), painted);
    // Run uses it: the peak is where it was cut.
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document().result()->job->report.templates[0].masked);
    QVERIFY(document().result()->job->peaks.front().corner == kCut.corner);
    // Another tool hides the bar.
    frame(0).widget()->setFocus();
    QTest::keyClick(frame(0).widget(), Qt::Key_1);
    QVERIFY(!part<QWidget>("maskBar").isVisible());
}

void WindowDrawMaskTest::theFirstStrokeSaysWhatItExcludes() {
    open();
    QVERIFY(part<QDoubleSpinBox>("maskRadius").text().endsWith(QStringLiteral("pixels")));
    auto& bar = part<MessageBar>("messageBar");
    dragTo({66, 60, 0}, {76, 60, 0});
    QVERIFY2(bar.isVisible() && bar.sentence().contains(QStringLiteral("rest of the template")),
             qPrintable(bar.sentence()));
    bar.hide();
    dragTo({66, 64, 0}, {76, 64, 0}); // a second stroke adds to the first
    QVERIFY(!bar.isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(document().mask() == nullptr);
    bar.hide();
    dragTo({66, 60, 0}, {76, 60, 0}, Qt::ControlModifier); // excludes what it draws
    QVERIFY(document().mask() != nullptr && !bar.isVisible());
}

void WindowDrawMaskTest::aStrokeThatTouchesNothingMakesNoMask() {
    open();
    const int steps = document().undoStack().count();
    dragTo({20, 30, 0}, {30, 35, 0}); // beside the template box
    QVERIFY(document().mask() == nullptr);
    QCOMPARE(document().undoStack().count(), steps);
    QVERIFY2(part<MessageBar>("messageBar").sentence().contains(QStringLiteral("changed no voxel")),
             qPrintable(part<MessageBar>("messageBar").sentence()));
    QVERIFY(part<QPushButton>("runButton").isEnabled());
    dragTo({20, 55, 0}, {66, 56, 0}); // into it
    QVERIFY(insideOf(document().mask()) > 0);
}

void WindowDrawMaskTest::theQualityOfTheBoxTakesTheMask() {
    open();
    const auto& verdict = part<QLabel>("boxQualityVerdict");
    const auto& numbers = part<QLabel>("boxQualityNumbers");
    QTRY_VERIFY(verdict.isVisible() && !numbers.text().trimmed().isEmpty());
    QVERIFY(!verdict.toolTip().contains(QStringLiteral("mask")));
    const QString whole = numbers.text();
    dragTo({66, 60, 0}, {70, 60, 0});
    QTRY_VERIFY(verdict.toolTip().contains(QStringLiteral("mask")));
    const features::BoxQuality expected =
        features::boxQuality(base::viewOf(document().scene().image->pixels), kCut, {},
                             document().mask()->image->support.view());
    QVERIFY(numbers.text() != whole);
    QVERIFY2(numbers.text().contains(QStringLiteral("second %1").arg(expected.second, 0, 'f', 2)),
             qPrintable(numbers.text()));
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(numbers.text(), whole);
}

void WindowDrawMaskTest::cylinderAndMiddleBoxAreNamedByTheJob() {
    const base::Box box{{14, 12, 10}, {15, 15, 13}};
    open({48, 40, 32}, box);
    m_window->views().setCrosshair({21, 19, 16});
    choose("maskShape", QStringLiteral("Cylinder"));
    dragTo({21, 19, 16}, {26, 19, 16}); // 5 voxels from the middle
    QVERIFY(std::abs(part<QDoubleSpinBox>("maskRadius").value() - 5) < 0.6);
    type("maskRadius", QStringLiteral("5"));
    type("maskHeight", QStringLiteral("7"));
    type("maskSoft", QStringLiteral("2"));
    test::click(part<QPushButton>("maskApply"));
    QCOMPARE(document().mask()->name, QStringLiteral("cylinder:5,7,2"));
    QVERIFY(at(*document().mask(), 7 + 6, 7, 6) == 1 &&
            at(*document().mask(), 7 + 6, 7 + 6, 6) == 0);
    const double edge = document().mask()->image->weights.view().at(7 + 6, 7, 6);
    QVERIFY(std::abs(edge - 0.5) < 1e-9); // the middle of half a cosine
    test::keepPictures(*m_window, QStringLiteral("mask-cylinder"));
    choose("maskShape", QStringLiteral("Middle box"));
    QVERIFY(!part<QDoubleSpinBox>("maskRadius").isVisible());
    type("maskSidex", QStringLiteral("9"));
    type("maskSidey", QStringLiteral("5"));
    type("maskSidez", QStringLiteral("7"));
    type("maskSoft", QStringLiteral("0"));
    test::click(part<QPushButton>("maskApply"));
    QCOMPARE(document().mask()->name, QStringLiteral("box:9x5x7"));
    QCOMPARE(insideOf(document().mask()), std::ptrdiff_t{9} * 5 * 7);
    dragTo({21, 19, 16}, {24, 21, 16}); // 3 and 2 voxels from the middle; z stays
    QVERIFY(std::abs(part<QDoubleSpinBox>("maskSidex").value() - 6) < 1.2);
    QVERIFY(std::abs(part<QDoubleSpinBox>("maskSidey").value() - 4) < 1.2);
    QCOMPARE(part<QDoubleSpinBox>("maskSidez").value(), 7.0);
    QVERIFY(test::waitUntilIdle(*m_window));
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("--mask box:")));
    // A scene has no middle.
    choose("maskTarget", QStringLiteral("Scene"));
    QCOMPARE(part<QComboBox>("maskShape").currentText(), QStringLiteral("Brush"));
}

void WindowDrawMaskTest::theSphereIsNamedByTheJob() {
    open();
    choose("maskShape", QStringLiteral("Sphere"));
    // From anywhere to 8 voxels right of the middle, which is 72, 60.
    dragTo({70, 62, 0}, {80, 60, 0});
    const double radius = part<QDoubleSpinBox>("maskRadius").value();
    QVERIFY2(std::abs(radius - 8) < 0.6, qPrintable(QString::number(radius)));
    QVERIFY(document().mask() != nullptr);
    QVERIFY(at(*document().mask(), 12, 10) == 1 && at(*document().mask(), 2, 2) == 0);
    type("maskRadius", QStringLiteral("7"));
    type("maskSoft", QStringLiteral("2"));
    test::click(part<QPushButton>("maskApply"));
    QCOMPARE(document().mask()->name, QStringLiteral("sphere:7,2"));
    QVERIFY(test::waitUntilIdle(*m_window));
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("--mask sphere:7,2")));
    QCOMPARE(m_window->flow().report()->templates[0].support,
             static_cast<std::int64_t>(insideOf(document().mask())));
    // A saved soft mask has weights between 0 and 1, and the same voxels count.
    const std::ptrdiff_t inside = insideOf(document().mask());
    const QString file = m_folder.filePath(QStringLiteral("soft.mha"));
    test::click(part<QPushButton>("maskSave"));
    answer(file);
    const auto read = job::loadMask(file.toStdString(), {}, {});
    QCOMPARE(std::count(read->support.data(), read->support.data() + read->support.count(), 1),
             inside);
    const auto image = job::loadImage(file.toStdString(), {}, {});
    const double edge = base::valueAt(base::viewOf(image->pixels), {12 + 8, 10, 0});
    QVERIFY2(std::abs(edge - 0.5) < 1e-6, qPrintable(QString::number(edge)));
}

void WindowDrawMaskTest::aBoxIsDrawnAndInverted() {
    open();
    choose("maskShape", QStringLiteral("Box"));
    dragTo({64, 54, 0}, {73, 59, 0});
    const std::ptrdiff_t inside = insideOf(document().mask());
    QVERIFY2(std::abs(inside - 10 * 6) <= 16, qPrintable(QString::number(inside)));
    QVERIFY(at(*document().mask(), 6, 6) == 1 && at(*document().mask(), 16, 12) == 0);
    test::click(part<QPushButton>("maskInvert"));
    QCOMPARE(insideOf(document().mask()), 25 * 21 - inside);
    test::click(part<QPushButton>("maskClearDrawn"));
    QVERIFY(document().mask() == nullptr);
    QVERIFY(!part<QPushButton>("maskSave").isEnabled());
    // Erasing begins with a full mask.
    test::click(part<QToolButton>("maskErase"));
    dragTo({64, 54, 0}, {73, 59, 0});
    // Pixels of the screen are whole: each side of the box may lie one voxel elsewhere.
    const std::ptrdiff_t erased = 25 * 21 - insideOf(document().mask());
    QVERIFY2(std::abs(erased - 10 * 6) <= 16, qPrintable(QString::number(erased)));
    QVERIFY(at(*document().mask(), 6, 6) == 0 && at(*document().mask(), 16, 12) == 1);
}

void WindowDrawMaskTest::theThresholdTakesValues() {
    open();
    choose("maskShape", QStringLiteral("Threshold"));
    const auto view = base::viewOf(document().templ()->image->pixels);
    const auto count = [&view](double low, double high) {
        std::ptrdiff_t inside = 0;
        for (std::int64_t y = 0; y < 21; ++y) {
            for (std::int64_t x = 0; x < 25; ++x) {
                const double value = base::valueAt(view, {x, y, 0});
                inside += value >= low && value <= high ? 1 : 0;
            }
        }
        return inside;
    };
    auto& low = part<QLineEdit>("maskLow");
    low.setFocus();
    QTest::keyClicks(&low, QStringLiteral("20"));
    auto& high = part<QLineEdit>("maskHigh");
    high.setFocus();
    QTest::keyClicks(&high, QStringLiteral("40"));
    test::click(part<QPushButton>("maskApply"));
    QTRY_COMPARE(insideOf(document().mask()), count(20, 40));
    // A click takes the value under the cursor.
    dragTo({70, 60, 0}, {70, 60, 0});
    const double under = base::valueAt(view, {10, 10, 0});
    QTRY_COMPARE(insideOf(document().mask()), count(under, 1e9));
}

void WindowDrawMaskTest::theMaskOfTheSceneIsDrawn() {
    open();
    choose("maskTarget", QStringLiteral("Scene"));
    choose("maskShape", QStringLiteral("Sphere"));
    dragTo({40, 90, 0}, {55, 90, 0});
    QVERIFY(document().sceneMask() && document().mask() == nullptr);
    QVERIFY(document().sceneMask()->image->support.extents() == kScene);
    const std::ptrdiff_t inside = insideOf(&*document().sceneMask());
    QVERIFY2(std::abs(inside - 709) < 70, qPrintable(QString::number(inside))); // radius 15
    QVERIFY(at(*document().sceneMask(), 40, 90) == 1 && at(*document().sceneMask(), 120, 20) == 0);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().report()->plan.problem.sceneMask);
    test::keepPictures(*m_window, QStringLiteral("mask-scene"));
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!document().sceneMask());
}

void WindowDrawMaskTest::aBrushInAVolumeIsABall() {
    const base::Box box{{14, 12, 10}, {15, 15, 13}};
    open({48, 40, 32}, box);
    type("maskRadius", QStringLiteral("3"));
    m_window->views().setCrosshair({21, 19, 16});
    dragTo({21, 19, 16}, {21, 19, 16});
    const MaskEntry* mask = document().mask();
    QVERIFY(mask != nullptr && mask->image->support.extents() == box.extents);
    QVERIFY(at(*mask, 7, 7, 6) == 1 && at(*mask, 7, 7, 4) == 1 && at(*mask, 7, 7, 8) == 1);
    QVERIFY(at(*mask, 7, 7, 10) == 0 && at(*mask, 7, 7, 2) == 0);
    const std::ptrdiff_t inside = insideOf(mask);
    QVERIFY2(std::abs(inside - 113) < 30, qPrintable(QString::number(inside))); // 4/3 pi 27
    // In another plane too.
    test::drag(frame(1), test::pointOf(frame(1), {26, 19, 20}),
               test::pointOf(frame(1), {26, 19, 20}));
    QVERIFY(at(*document().mask(), 12, 7, 10) == 1);
    test::keepPictures(*m_window, QStringLiteral("mask-volume"));
}

void WindowDrawMaskTest::aSavedMaskIsNamedByTheJob() {
    open();
    dragTo({66, 60, 0}, {76, 60, 0});
    const std::ptrdiff_t inside = insideOf(document().mask());
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(part<MessageBar>("messageBar").sentence().contains(QStringLiteral("Save mask")));
    const QString file = m_folder.filePath(QStringLiteral("drawn.mha"));
    part<QAction>("saveMaskAction").trigger();
    answer(file);
    const auto read = job::loadMask(file.toStdString(), {}, {});
    QCOMPARE(std::count(read->support.data(), read->support.data() + read->support.count(), 1),
             inside);
    QCOMPARE(part<QLabel>("mask").text(), QStringLiteral("drawn.mha"));
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains("--mask " + file));
    // Drawing on makes it another mask, which no file holds.
    dragTo({66, 66, 0}, {76, 66, 0});
    QVERIFY(document().mask()->path.empty());
}

void WindowDrawMaskTest::aJobFileBringsItsSphere() {
    open();
    const QString scene = m_folder.filePath(QStringLiteral("scene.mha"));
    (void)io::writeImage(scene.toStdString(), base::viewOf(document().scene().image->pixels), {});
    job::Job job;
    job.scene = scene.toStdString();
    job.crops = {kCut, {{20, 20, 0}, {31, 31, 1}}};
    job.masks = {"sphere:6"};
    const QString file = m_folder.filePath(QStringLiteral("job.json"));
    io::writeText(file.toStdString(), job::toJobFile(job));
    m_window->loadJob(file);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().currentJob() == job);
    QVERIFY(document().mask()->image->support.extents() == kCut.extents);
    // The mask follows the template that is shown.
    document().setActiveTemplate(1);
    QVERIFY(document().mask()->image->support.extents() == job.crops[1].extents);
    QVERIFY(test::runAndWait(*m_window));
    const auto& report = document().result()->job->report;
    QVERIFY(report.templates[0].masked && report.templates[1].masked);
    QCOMPARE(report.templates[0].support, report.templates[1].support);
}

void WindowDrawMaskTest::withoutATemplateASentenceSaysSo() {
    document().setScene(test::noiseScene(kScene, 11));
    QVERIFY(test::waitUntilIdle(*m_window));
    QTest::keyClick(frame(0).widget(), Qt::Key_6);
    QTest::qWait(1);
    dragTo({66, 60, 0}, {76, 60, 0});
    QVERIFY(part<MessageBar>("messageBar").sentence().contains(QStringLiteral("no template")));
    QVERIFY(document().mask() == nullptr);
}

const flcc::test::TestClass<WindowDrawMaskTest> kWindowDrawMaskTest;

#include "window_draw_mask_test.moc"
