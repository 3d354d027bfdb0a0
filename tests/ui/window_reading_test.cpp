#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include "engine/io/atomic_file.h"
#include "engine/io/process/reader_process.h"
#include "engine/job/job.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/io/slide_fixture.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"

using namespace flcc;

/// How files are taken: orientation, one of several images, opacity, resolution.
class WindowReadingTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { io::detail::readerSetup().program = FLCC_READER; }
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void aPictureIsTurnedAndSaidSo();
    void oneOfSeveralImagesIsChosen();
    void levelAndPartOfASlideAreChosen();
    void theOpacityOfATemplateIsItsMaskUntilRemoved();
    void theResolutionOfTheFileFillsTheSpacing();
    void aJobFileTakesFilesAsItSays();

  private:
    [[nodiscard]] QString file(const char* name) const {
        return m_folder.filePath(QLatin1String(name));
    }
    void write(const char* name, const test::TiffRecipe& recipe) const {
        test::writeFile(file(name).toStdString(), test::makeTiff(recipe));
    }
    void open(const char* name) {
        m_window->openFile(file(name));
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    [[nodiscard]] QString sentence() {
        return test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    }
    [[nodiscard]] static test::TiffRecipe picture(std::uint32_t width, std::uint32_t height,
                                                  std::uint16_t samples = 1) {
        test::TiffRecipe recipe;
        recipe.width = width;
        recipe.height = height;
        recipe.samples = samples;
        test::Bytes page;
        for (std::uint32_t i = 0; i < width * height * samples; ++i) {
            page.push_back(static_cast<unsigned char>((i * 2654435761U) >> 24));
        }
        recipe.pages = {page};
        return recipe;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowReadingTest::aPictureIsTurnedAndSaidSo() {
    test::TiffRecipe recipe = picture(30, 20);
    recipe.tags = {{274, 3, 6}};
    write("turned.tif", recipe);
    open("turned.tif");
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{20, 30, 1}));
    QVERIFY2(sentence().contains(QStringLiteral("turned by 90 degrees to the right")),
             qPrintable(sentence()));
    auto& action = test::child<QAction>(*m_window, "orientationAction");
    QVERIFY(action.isChecked());
    action.trigger();
    open("turned.tif");
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{30, 20, 1}));
    QVERIFY(sentence().contains(QStringLiteral("was not applied")));
    QVERIFY(m_window->flow().currentJob().reading.orientation == io::Orientation::Stored);
    // Templates are taken as the scene.
    recipe = picture(9, 6);
    recipe.tags = {{274, 3, 8}};
    write("template.tif", recipe);
    m_window->openFile(file("template.tif"), true);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().templateExtents() == (base::Extents{9, 6, 1}));
    test::child<QAction>(*m_window, "copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("--orientation stored")));
}

void WindowReadingTest::oneOfSeveralImagesIsChosen() {
    test::TiffRecipe recipe = picture(30, 20);
    recipe.pages.push_back(picture(8, 7).pages.front());
    recipe.ofPage = {{30, 20, {}}, {8, 7, {}}};
    write("two.tif", recipe);
    m_window->openFile(file("two.tif"));
    QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("choiceDialog")) != nullptr);
    auto& dialog = test::child<QDialog>(*m_window, "choiceDialog");
    QTRY_VERIFY(dialog.isVisible());
    QVERIFY(m_window->findChild<QSpinBox*>(QStringLiteral("choiceChannel")) == nullptr);
    QCOMPARE(test::child<QSpinBox>(dialog, "choiceImage").value(), 0);
    test::child<QSpinBox>(dialog, "choiceImage").setValue(1);
    QTest::keyClick(&dialog, Qt::Key_Return);
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{8, 7, 1}));
    QVERIFY(m_window->flow().currentJob().reading.image == 1);
    QVERIFY(sentence().contains(QStringLiteral("30x20 pixels of 8 bits was not read")));
}

void WindowReadingTest::levelAndPartOfASlideAreChosen() {
#ifndef FLCC_OPENSLIDE
    QSKIP("built without OpenSlide");
#endif
    test::writeSlide(file("slide.svs").toStdString(),
                     {.levels = {{400, 300}, {100, 75}}, .description = {}});
    m_window->openFile(file("slide.svs"));
    QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("choiceDialog")) != nullptr);
    auto& dialog = test::child<QDialog>(*m_window, "choiceDialog");
    QTRY_VERIFY(dialog.isVisible());
    QString said;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        said += label->text();
    }
    QVERIFY2(said.contains(QStringLiteral("0: 400x300, 1: 100x75 pixels")), qPrintable(said));
    test::child<QSpinBox>(dialog, "choiceImage").setValue(1);
    auto& part = test::child<QLineEdit>(dialog, "choicePart");
    QPushButton* open = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    QTest::keyClicks(&part, QStringLiteral("20,10"));
    QVERIFY(!open->isEnabled());
    QTest::keyClicks(&part, QStringLiteral(": 40, 30"));
    QVERIFY(open->isEnabled());
    test::click(*open);
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{40, 30, 1}));
    const job::Job job = m_window->flow().currentJob();
    QVERIFY(job.reading.image == 1);
    QVERIFY(job.reading.part == (base::Box{{20, 10, 0}, {40, 30, 1}}));
    // A job file takes level and part, and does not ask.
    io::writeText(file("job.json").toStdString(),
                  R"({"scene": ")" + file("slide.svs").toStdString() +
                      R"(", "crop": "3,4:9,8", "image": 0, "part": "100,50:60,40"})");
    m_window->loadJob(file("job.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{60, 40, 1}));
}

void WindowReadingTest::theOpacityOfATemplateIsItsMaskUntilRemoved() {
    write("scene.tif", picture(60, 50));
    open("scene.tif");
    test::TiffRecipe recipe = picture(9, 6, 2);
    recipe.tags = {{338, 3, 2}};
    for (std::size_t i = 0; i < std::size_t{9} * 6; ++i) {
        recipe.pages[0][2 * i + 1] = i % 9 < 3 ? 0 : 255;
    }
    write("template.tif", recipe);
    m_window->openFile(file("template.tif"), true);
    QTRY_VERIFY(m_window->document().templ() != nullptr);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(sentence().contains(QStringLiteral("opaque part is its mask")));
    QVERIFY(m_window->document().mask() != nullptr);
    auto& label = test::child<QLabel>(*m_window, "mask");
    QCOMPARE(label.text(), QStringLiteral("opacity of template.tif"));
    QVERIFY(m_window->flow().report()->plan.problem.mask);
    QCOMPARE(m_window->flow().report()->templates[0].support, std::int64_t{36});
    QVERIFY(m_window->flow().currentJob().masks.empty()); // what a job does without a mask
    auto& clear = test::child<QToolButton>(*m_window, "maskClear");
    QVERIFY(clear.isEnabled());
    clear.click();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(label.text(), QStringLiteral("none"));
    QVERIFY(!clear.isEnabled());
    QVERIFY(!m_window->flow().report()->plan.problem.mask);
    QCOMPARE(m_window->flow().currentJob().masks.front().string(), std::string("none"));
    m_window->document().undoStack().undo();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().report()->plan.problem.mask);
}

void WindowReadingTest::theResolutionOfTheFileFillsTheSpacing() {
    test::TiffRecipe recipe = picture(60, 50);
    recipe.pixelsPer1000 = 254000;
    recipe.tags = {{296, 3, 2}};
    write("scene.tif", recipe);
    open("scene.tif");
    QVERIFY(m_window->document().geometry() == base::Geometry{});
    test::child<QAction>(*m_window, "setSpacing").trigger();
    auto& dialog = test::child<QDialog>(*m_window, "spacingDialog");
    QTRY_VERIFY(dialog.isVisible());
    test::click(test::child<QPushButton>(dialog, "spacingOfResolution"));
    test::click(test::child<QPushButton>(dialog, "spacingSet"));
    const base::Geometry now = m_window->document().geometry();
    QCOMPARE(now.unit, std::string("mm"));
    QVERIFY(std::abs(now.spacing[0] - 0.1) < 1e-6);
}

void WindowReadingTest::aJobFileTakesFilesAsItSays() {
    test::TiffRecipe recipe = picture(60, 50);
    recipe.pages.push_back(picture(30, 20).pages.front());
    recipe.ofPage = {{60, 50, {}}, {30, 20, {{274, 3, 6}}}};
    write("scene.tif", recipe);
    test::TiffRecipe templ = picture(9, 6, 2);
    templ.tags = {{338, 3, 2}};
    write("template.tif", templ);
    io::writeText(file("job.json").toStdString(),
                  R"({"scene": ")" + file("scene.tif").toStdString() + R"(", "template": ")" +
                      file("template.tif").toStdString() +
                      R"(", "image": 1, "orientation": "stored", "mask": "none"})");
    m_window->loadJob(file("job.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{30, 20, 1}));
    const job::Job job = m_window->flow().currentJob();
    QVERIFY(job.reading.image == 1);
    QVERIFY(job.reading.orientation == io::Orientation::Stored);
    QCOMPARE(job.masks.size(), std::size_t{1});
    QVERIFY(!m_window->flow().report()->plan.problem.mask);
}

const flcc::test::TestClass<WindowReadingTest> kWindowReadingTest;
#include "window_reading_test.moc"
