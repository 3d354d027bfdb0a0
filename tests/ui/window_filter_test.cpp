#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

#include "engine/filter/kernel.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/convolve_job.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/text.h"
#include "ui/filter/filter_dialog.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"

using namespace flcc;

namespace {

/// One bright voxel, whose filtered scene is the kernel.
std::shared_ptr<job::SceneImage> pulseImage(const base::Extents& extents, const base::Index& at) {
    base::Image<std::uint8_t> image(extents, 0);
    image.view().at(at) = 200;
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(image);
    scene->source = "pulse";
    return scene;
}

ui::SceneEntry pulseScene(const base::Extents& extents = {80, 60, 1},
                          const base::Index& at = {40, 30, 0}) {
    ui::SceneEntry entry;
    entry.image = pulseImage(extents, at);
    entry.name = QStringLiteral("pulse");
    return entry;
}

int brightPixels(const QImage& image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        count += static_cast<int>(
            std::count(image.constScanLine(y), image.constScanLine(y) + image.width(), 255));
    }
    return count;
}

} // namespace

class WindowFilterTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void theCommandPaletteOpensIt();
    void filtersByNameRepeatTheBorder();
    void kernelsAreThoseOfTheEngine();
    void theNewestChangeIsPreviewed();
    void theSliceInViewIsPreviewed();
    void applyAddsASceneThatUndoTakesAway();
    void whatCannotBeDoneIsSaidAndNotApplied();
    void sizesMayBeInTheUnitOfTheScene();
    void aKernelComesFromAFile();
    void theFilteredSceneIsSearchedAndSaved();
    void theJobFileRepeatsIt();
    void aValidResultHasItsOwnExtents();
    void stoppingLeavesTheScenesAsTheyWere();
    void partsAreOfMethodDif();

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] ui::FilterDialog& dialog() {
        return test::child<ui::FilterDialog>(*m_window, "filter");
    }
    template <class Part> [[nodiscard]] Part& part(const char* name) {
        return test::child<Part>(dialog(), name);
    }
    [[nodiscard]] QPushButton& apply() { return part<QPushButton>("filterStart"); }
    [[nodiscard]] QString verdict() { return part<QLabel>("filterVerdict").text(); }
    [[nodiscard]] const QImage& preview() {
        return part<ui::FilterPreview>("filterPreview").filtered();
    }
    void open(ui::SceneEntry scene) {
        document().setScene(std::move(scene));
        QVERIFY(test::waitUntilIdle(*m_window));
        test::child<QAction>(*m_window, "filterAction").trigger();
        QTRY_VERIFY(dialog().isVisible());
        waitForPreview();
    }
    void waitForPreview() {
        QTRY_VERIFY(!dialog().isPreviewDue() && test::waitUntilIdle(*m_window));
    }
    void choose(const char* box, const QString& text) {
        auto& choice = part<QComboBox>(box);
        const int index = choice.findText(text, Qt::MatchStartsWith);
        QVERIFY2(index >= 0, qPrintable(text));
        choice.setFocus();
        choice.setCurrentIndex(index);
    }
    /// Types a number over the old one.
    void type(const char* field, const QString& number) {
        auto& box = part<QDoubleSpinBox>(field);
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, number);
    }
    void applyAndWait() {
        waitForPreview();
        QVERIFY2(apply().isEnabled(), qPrintable(verdict()));
        const std::size_t before = document().scenes().size();
        test::click(apply());
        QTRY_VERIFY(document().scenes().size() == before + 1 && test::waitUntilIdle(*m_window));
    }
    /// Keys reach the window only once it is the active one again.
    void comeBack() {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void answer(QWidget& parent, const char* name, const QString& file) {
        auto& chooser = test::child<QFileDialog>(parent, name);
        QTRY_VERIFY(chooser.isVisible());
        auto& field = test::child<QLineEdit>(chooser, "fileNameEdit");
        field.setText(file);
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(parent.findChild<QFileDialog*>(QLatin1String(name)) == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowFilterTest::partsAreOfMethodDif() {
    open(pulseScene());
    auto& parts = part<QSpinBox>("filterParts");
    auto& table = part<QLabel>("filterPartsTable");
    QVERIFY(!parts.isVisible() && !table.isVisible());
    choose("filterMethod", QStringLiteral("dif"));
    waitForPreview();
    QVERIFY(parts.isVisible() && table.isVisible());
    QCOMPARE(parts.text(), QStringLiteral("Auto"));
    parts.setFocus();
    parts.selectAll();
    QTest::keyClicks(&parts, QStringLiteral("4"));
    waitForPreview();
    QVERIFY(table.text().contains(QStringLiteral("4 parts")));
    QVERIFY(table.text().contains(QStringLiteral("tiling")));
    applyAndWait();
    QVERIFY(base::extentsOf(document().scene().image->pixels) == (base::Extents{80, 60, 1}));
    // More parts than rows are refused in words.
    open(pulseScene());
    choose("filterMethod", QStringLiteral("dif"));
    auto& more = part<QSpinBox>("filterParts");
    more.setFocus();
    more.selectAll();
    QTest::keyClicks(&more, QStringLiteral("5000"));
    waitForPreview();
    QVERIFY(!apply().isEnabled());
    QVERIFY2(verdict().contains(QStringLiteral("parts")), qPrintable(verdict()));
}

void WindowFilterTest::theCommandPaletteOpensIt() {
    QVERIFY(!test::child<QAction>(*m_window, "filterAction").isEnabled()); // without a scene
    document().setScene(pulseScene());
    QVERIFY(test::waitUntilIdle(*m_window));
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    auto& words = test::child<QLineEdit>(*m_window, "commandWords");
    QTRY_VERIFY(words.isVisible());
    QTest::keyClicks(&words, QStringLiteral("filter"));
    QTest::keyClick(&words, Qt::Key_Return);
    QTRY_VERIFY(m_window->findChild<ui::FilterDialog*>() != nullptr);
    QTRY_VERIFY(dialog().isVisible());
    // The style's own icons are dark on every palette.
    const auto* buttons = dialog().findChild<QDialogButtonBox*>();
    QVERIFY(buttons->button(QDialogButtonBox::Close)->icon().isNull());
    QTest::keyClick(&dialog(), Qt::Key_Escape);
    QTRY_VERIFY(m_window->findChild<ui::FilterDialog*>() == nullptr);
}

void WindowFilterTest::filtersByNameRepeatTheBorder() {
    ui::SceneEntry flat = test::noiseScene({40, 30, 1}, 3);
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = base::Image<float>({40, 30, 1}, 100.0F);
    flat.image = image;
    open(flat);
    auto& border = part<QComboBox>("filterBorder");
    QVERIFY2(border.currentText().startsWith(QStringLiteral("Replicate")),
             qPrintable(border.currentText()));
    choose("filterKernel", QStringLiteral("From a file"));
    QVERIFY(border.currentText().startsWith(QStringLiteral("Zero")));
    choose("filterKernel", QStringLiteral("Mean"));
    QVERIFY(border.currentText().startsWith(QStringLiteral("Replicate")));
    applyAndWait();
    const base::AnyView made = base::viewOf(document().scene().image->pixels);
    QCOMPARE(base::valueAt(made, {0, 0, 0}), base::valueAt(made, {20, 15, 0})); // no dark rim
    // What a person chooses stays.
    open(flat);
    part<QComboBox>("filterBorder").setFocus();
    QTest::keyClick(&part<QComboBox>("filterBorder"), Qt::Key_Down);
    QVERIFY(part<QComboBox>("filterBorder").currentText().startsWith(QStringLiteral("Mirror")));
    choose("filterKernel", QStringLiteral("Mean"));
    QVERIFY(part<QComboBox>("filterBorder").currentText().startsWith(QStringLiteral("Mirror")));
}

void WindowFilterTest::kernelsAreThoseOfTheEngine() {
    for (const base::Extents& extents : {base::Extents{40, 30, 1}, base::Extents{20, 18, 16}}) {
        open(pulseScene(extents, {10, 9, extents.z / 2}));
        auto& kernels = part<QComboBox>("filterKernel");
        for (const filter::KernelForm& form : filter::kernelForms()) {
            const bool fits = form.axes == 2 || extents.z > 1;
            const int index = kernels.findText(ui::toQString(form.title));
            QCOMPARE(index >= 0, fits);
            if (fits) {
                kernels.setCurrentIndex(index);
                waitForPreview();
                QVERIFY2(apply().isEnabled(), qPrintable(verdict()));
                QVERIFY2(verdict().contains(ui::toQString(form.name)), qPrintable(verdict()));
            }
        }
        dialog().close();
        QTRY_VERIFY(m_window->findChild<ui::FilterDialog*>() == nullptr);
    }
}

void WindowFilterTest::theNewestChangeIsPreviewed() {
    open(pulseScene());
    choose("filterKernel", QStringLiteral("Mean"));
    for (const char* const size : {"3", "5", "7", "9"}) {
        type("filterSize1", QLatin1String(size)); // without waiting
    }
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 81);
    QCOMPARE(qGray(preview().pixel(44, 34)), 255);
    QCOMPARE(qGray(preview().pixel(45, 34)), 0);
    QVERIFY(verdict().contains(QStringLiteral("pulse – box 9 px")));
    test::click(part<QCheckBox>("filterEachAxis"));
    type("filterSize1y", QStringLiteral("5"));
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 45);
}

void WindowFilterTest::theSliceInViewIsPreviewed() {
    open(pulseScene({40, 30, 20}, {20, 15, 10}));
    choose("filterKernel", QStringLiteral("Mean"));
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 25);
    m_window->views().setCrosshair({20, 15, 13}); // beyond the box of 5
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 0);
    m_window->views().setActiveFrame(m_window->views().frames()[1]); // XZ
    waitForPreview();
    QCOMPARE(preview().size(), QSize(40, 20));
    QCOMPARE(brightPixels(preview()), 25);
    QVERIFY(part<QLabel>("filterCaption").text().contains(QStringLiteral("XZ, slice 15")));
}

void WindowFilterTest::applyAddsASceneThatUndoTakesAway() {
    open(test::noiseScene({80, 60, 1}, 7));
    const auto before = document().scene().image;
    choose("filterBorder", QStringLiteral("Mirror"));
    type("filterSize1", QStringLiteral("1.5"));
    applyAndWait();
    QCOMPARE(document().scenes().size(), std::size_t{2});
    QVERIFY(document().scenes().front().image == before); // the old one stays
    QCOMPARE(document().activeScene(), 1);
    QCOMPARE(document().scene().name, QStringLiteral("noise – gaussian 1.5 px"));
    const auto filtered = document().scene().image;
    job::ConvolveJob job;
    job.kernel = "gaussian:1.5";
    job.border = filter::Border::Mirror;
    const job::ConvolveResult expected = job::runConvolve(job, {before, nullptr});
    for (const base::Index& at : {base::Index{0, 0, 0}, base::Index{40, 30, 0}}) {
        QVERIFY(std::abs(base::valueAt(base::viewOf(filtered->pixels), at) -
                         base::valueAt(base::viewOf(expected.pixels), at)) <=
                2 * expected.report.result->bound);
    }
    QTRY_VERIFY(m_window->findChild<ui::FilterDialog*>() == nullptr); // its work is done
    comeBack();
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(document().scenes().size(), std::size_t{1});
    QVERIFY(document().scene().image == before);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(document().scenes().size(), std::size_t{2});
    QVERIFY(document().scene().image == filtered);
}

void WindowFilterTest::whatCannotBeDoneIsSaidAndNotApplied() {
    open(pulseScene());
    QVERIFY(apply().isEnabled());
    const auto refusedWith = [this](const QString& words) {
        waitForPreview();
        QVERIFY2(verdict().contains(words), qPrintable(verdict()));
        QVERIFY(!apply().isEnabled());
    };
    type("filterSize1", QStringLiteral("0"));
    refusedWith(QStringLiteral("above 0"));
    type("filterSize1", QStringLiteral("30"));
    waitForPreview();
    QVERIFY(apply().isEnabled());
    choose("filterExtent", QStringLiteral("Valid"));
    refusedWith(QStringLiteral("larger than"));
    choose("filterExtent", QStringLiteral("Same"));
    choose("filterMethod", QStringLiteral("recursive"));
    choose("filterKernel", QStringLiteral("Sobel"));
    refusedWith(QStringLiteral("recursive"));
    choose("filterMethod", QStringLiteral("Auto"));
    waitForPreview();
    QVERIFY(apply().isEnabled());
    auto& memory = test::child<QLineEdit>(*m_window, "memory");
    memory.setText(QStringLiteral("1000"));
    QTest::keyClick(&memory, Qt::Key_Return);
    choose("filterKernel", QStringLiteral("Mean"));
    refusedWith(QStringLiteral("\"Memory limit\""));
}

void WindowFilterTest::sizesMayBeInTheUnitOfTheScene() {
    ui::SceneEntry scene = pulseScene();
    auto image = pulseImage({80, 60, 1}, {40, 30, 0});
    image->geometry.spacing = {0.5, 0.25, 1};
    image->geometry.unit = "mm";
    image->geometry.unitSource = base::UnitSource::Header;
    scene.image = image;
    open(scene);
    choose("filterUnit", QStringLiteral("mm"));
    choose("filterKernel", QStringLiteral("Mean"));
    type("filterSize1", QStringLiteral("2.5"));
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 5 * 10);
    QVERIFY(verdict().contains(QStringLiteral("box 2.5 mm")));
    document().setScene(pulseScene()); // without a spacing
    waitForPreview();
    QVERIFY(!part<QComboBox>("filterUnit").isEnabled());
    QVERIFY2(verdict().contains(QStringLiteral("box 5 px")), qPrintable(verdict()));
}

void WindowFilterTest::aKernelComesFromAFile() {
    const QTemporaryDir folder;
    base::Image<float> weights({3, 1, 1}, 0);
    weights.data()[0] = 1;
    const QString file = folder.filePath(QStringLiteral("shift.mha"));
    (void)io::writeImage(file.toStdString(), base::AnyView(std::as_const(weights).view()), {});
    open(pulseScene());
    choose("filterKernel", QStringLiteral("From a file"));
    waitForPreview();
    QVERIFY(!apply().isEnabled() && verdict().contains(QStringLiteral("Choose a file")));
    test::click(part<QPushButton>("filterChooseFile"));
    answer(dialog(), "filterKernelDialog", file);
    waitForPreview();
    QCOMPARE(brightPixels(preview()), 1);
    QCOMPARE(qGray(preview().pixel(39, 30)), 255);
    applyAndWait();
    QCOMPARE(document().scene().name, QStringLiteral("pulse – shift.mha"));
}

void WindowFilterTest::theFilteredSceneIsSearchedAndSaved() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("noise.mha"));
    (void)io::writeImage(file.toStdString(),
                         base::viewOf(test::noiseScene({80, 60, 1}, 7).image->pixels), {});
    m_window->opener().open(ui::Opener::Target::Scene, file.toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    test::child<QAction>(*m_window, "filterAction").trigger();
    applyAndWait();
    document().setBox(base::Box{{30, 20, 0}, {12, 10, 1}}); // on the filtered scene
    test::click(test::child<QPushButton>(*m_window, "cutTemplate"));
    QVERIFY(document().templ() != nullptr && !document().templ()->crop);
    QVERIFY(test::waitUntilIdle(*m_window));
    test::click(test::child<QPushButton>(*m_window, "runButton"));
    QTRY_COMPARE(document().results().size(), std::size_t{2}); // of both scenes
    QVERIFY(test::waitUntilIdle(*m_window));
    const ui::ResultEntry* found = document().result();
    QVERIFY(found != nullptr && found->scene == 1 && !found->job->peaks.empty());
    QVERIFY((found->job->peaks.front().corner == base::Index{30, 20, 0}));
    QVERIFY(found->job->peaks.front().score > 0.999);
    // Undo takes scene and result away, redo brings both back.
    document().undoStack().undo(); // the template
    document().undoStack().undo(); // the box
    document().undoStack().undo();
    QCOMPARE(document().results().size(), std::size_t{1});
    document().undoStack().redo();
    QCOMPARE(document().results().size(), std::size_t{2});
    QCOMPARE(document().result()->scene, 1);

    const QSignalSpy refused(&m_window->exporter(), &ui::Exporter::failed);
    m_window->exporter().saveJob();
    QCOMPARE(refused.count(), 1);
    QVERIFY(refused.front().front().toString().contains(QStringLiteral("Export > Scene")));
    test::child<QAction>(*m_window, "exportScene").trigger();
    const QString saved = folder.filePath(QStringLiteral("smooth.mha"));
    answer(*m_window, "exportDialog", saved);
    const auto read = job::loadImage(saved.toStdString(), {}, {});
    QCOMPARE(base::valueAt(base::viewOf(read->pixels), {40, 30, 0}),
             base::valueAt(base::viewOf(document().scene().image->pixels), {40, 30, 0}));
    QVERIFY(!document().scene().made && document().scene().path == saved.toStdString());
    m_window->exporter().writeJob(folder.filePath(QStringLiteral("job.json")).toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    const job::Job job = job::fromJobFile(
        job::readJobFile(folder.filePath(QStringLiteral("job.json")).toStdString()));
    QCOMPARE(job.furtherScenes.size(), std::size_t{1});
    QVERIFY(job.furtherScenes.front() == saved.toStdString());
}

void WindowFilterTest::theJobFileRepeatsIt() {
    const QTemporaryDir folder;
    open(pulseScene());
    test::click(part<QPushButton>("filterSaveJob"));
    QVERIFY(verdict().contains(QStringLiteral("not in a file")));
    const QString file = folder.filePath(QStringLiteral("pulse.mha"));
    (void)io::writeImage(file.toStdString(), base::viewOf(pulseScene().image->pixels), {});
    m_window->opener().open(ui::Opener::Target::Scene, file.toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    choose("filterKernel", QStringLiteral("Difference"));
    type("filterSize2", QStringLiteral("4"));
    choose("filterBorder", QStringLiteral("Wrap"));
    choose("filterPrecision", QStringLiteral("Double"));
    choose("filterTransforms", QStringLiteral("FFTW"));
    waitForPreview();
    test::click(part<QPushButton>("filterSaveJob"));
    answer(dialog(), "filterJobDialog", folder.filePath(QStringLiteral("dog.json")));
    const auto job = std::get<job::ConvolveJob>(job::anyFromJobFile(
        job::readJobFile(folder.filePath(QStringLiteral("dog.json")).toStdString())));
    QCOMPARE(job.kernel, std::string("dog:2:4"));
    QVERIFY(job.border == filter::Border::Wrap && job.extent == method::Extent::Same);
    QVERIFY(job.precision == method::Precision::Double);
    QVERIFY(job.transforms == method::Transforms::Fftw);
    QVERIFY(job.scene == file.toStdString());
    QVERIFY(job.output == folder.filePath(QStringLiteral("dog.mha")).toStdString());
    QVERIFY(!job::runConvolve(job).cancelled); // as flcc-cli does
    test::click(part<QPushButton>("filterCopyLine"));
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("flcc-cli convolve %1 dog:2:4 --output filtered.mha --border wrap "
                            "--transforms fftw --precision double")
                 .arg(file));
}

void WindowFilterTest::aValidResultHasItsOwnExtents() {
    open(test::noiseScene({40, 30, 20}, 3));
    choose("filterKernel", QStringLiteral("Mean"));
    choose("filterExtent", QStringLiteral("Valid"));
    applyAndWait();
    QVERIFY((document().sceneExtents() == base::Extents{36, 26, 16}));
    QVERIFY((document().scenes().front().extents == base::Extents{40, 30, 20}));
    QVERIFY((document().scene().image->geometry.origin == base::Point{2, 2, 2}));
    QVERIFY((m_window->views().frames()[0]->slice()->extents() == base::Extents{36, 26, 16}));
    comeBack();
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY((document().sceneExtents() == base::Extents{40, 30, 20}));
    QVERIFY((m_window->views().frames()[0]->slice()->extents() == base::Extents{40, 30, 20}));
}

void WindowFilterTest::stoppingLeavesTheScenesAsTheyWere() {
    open(test::noiseScene({1200, 1000, 1}, 5));
    choose("filterKernel", QStringLiteral("Gaussian, second derivative along x"));
    type("filterSize1", QStringLiteral("60"));
    choose("filterMethod", QStringLiteral("separable"));
    choose("filterPrecision", QStringLiteral("Double"));
    waitForPreview();
    test::click(apply());
    QTRY_VERIFY(m_window->controller().isRunning(ui::RunController::Task::Filter));
    QVERIFY(!apply().isEnabled());
    test::click(part<QPushButton>("filterCancel"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(verdict().contains(QStringLiteral("no scene was added")), qPrintable(verdict()));
    QCOMPARE(document().scenes().size(), std::size_t{1});
    QVERIFY(apply().isEnabled());
}

const flcc::test::TestClass<WindowFilterTest> kWindowFilterTest;
#include "window_filter_test.moc"
