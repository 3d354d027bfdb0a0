#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <numeric>

#include "engine/io/image_file.h"
#include "tests/engine/io/fixtures.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"

using namespace flcc;

/// Opening: what a person states or chooses beside the name of a file.
class WindowOpeningTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aStatedSpacingIsFollowedEverywhereAndTakenBack();
    void aSpacingOfZeroCannotBeSet();
    void theSpacingOfAJobFileIsStated();
    void aTemplateOfAnotherSpacingIsResampledByAButton();
    void whatWasAssumedIsShownWhenAFileOpens();
    void aRawVolumeIsOpenedByAForm();
    void aFormThatDoesNotFitSaysSo();
    void severalFilesAreAListAndByAButtonAStack();

  private:
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    [[nodiscard]] QByteArray bytes(const char* name) const {
        QFile read(m_folder->filePath(QLatin1String(name)));
        return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
    }
    void writeScene(const char* name, const base::Geometry& geometry, unsigned seed = 9) const {
        const ui::SceneEntry scene = test::noiseScene({140, 110, 1}, seed);
        io::writeImage(file(name), base::viewOf(scene.image->pixels), geometry);
    }
    /// Opens a scene with a spacing of 0.5 mm in its header.
    void openScene();
    /// The row of a scene, a template or a result in the Data panel.
    [[nodiscard]] QModelIndex row(ui::DataModel::Role role, int number) const;
    /// Opens the menu of a row and chooses its first entry.
    void chooseFirstOf(const QModelIndex& index);
    /// Types a number into a field of a dialog.
    static void typeNumber(QDialog& dialog, const char* field, const char* number) {
        auto& box = test::child<QDoubleSpinBox>(dialog, field);
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, QLatin1String(number));
    }

    void drop(const QStringList& files);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowOpeningTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = test::shownWindow();
}

void WindowOpeningTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowOpeningTest::openScene() {
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.5, 1};
    geometry.origin = {3, 4, 0};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    writeScene("scene.mha", geometry);
    m_window->openFile(m_folder->filePath(QStringLiteral("scene.mha")));
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowOpeningTest::drop(const QStringList& files) {
    QList<QUrl> urls;
    for (const QString& each : files) {
        urls << QUrl::fromLocalFile(each);
    }
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &dropped);
}

QModelIndex WindowOpeningTest::row(ui::DataModel::Role role, int number) const {
    const QAbstractItemModel& model = *test::child<QListView>(*m_window, "dataList").model();
    for (int i = 0; i < model.rowCount(); ++i) {
        if (model.index(i, 0).data(role).toInt() == number) {
            return model.index(i, 0);
        }
    }
    return {};
}

void WindowOpeningTest::chooseFirstOf(const QModelIndex& index) {
    auto& list = test::child<QListView>(*m_window, "dataList");
    const QPoint at = list.visualRect(index).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, list.viewport()->mapToGlobal(at));
    QApplication::sendEvent(list.viewport(), &event);
    auto& menu = test::child<QMenu>(list, "dataMenu");
    QTRY_VERIFY(menu.isVisible());
    QTest::keyClick(&menu, Qt::Key_Down);
    QTest::keyClick(&menu, Qt::Key_Return);
}

void WindowOpeningTest::aStatedSpacingIsFollowedEverywhereAndTakenBack() {
    openScene();
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const base::Point before = m_window->document().result()->job->peaks.front().world;
    chooseFirstOf(row(ui::DataModel::SceneRole, 0));
    auto& dialog = test::child<QDialog>(*m_window, "spacingDialog");
    QTRY_VERIFY(dialog.isVisible());
    dialog.activateWindow(); // until then keys are for the views
    QTRY_COMPARE(QApplication::activeWindow(), &dialog);
    QVERIFY(!test::child<QDoubleSpinBox>(dialog, "spacingZ").isVisible());
    typeNumber(dialog, "spacingX", "0.25");
    typeNumber(dialog, "spacingY", "0.2");
    auto& unit = test::child<QComboBox>(dialog, "spacingUnit");
    unit.setFocus();
    QTest::keyClick(&unit, Qt::Key_Home);
    QTest::keyClick(&unit, Qt::Key_Down);
    QTest::keyClick(&unit, Qt::Key_Down);
    test::click(test::child<QPushButton>(dialog, "spacingSet"));
    const base::Geometry now = m_window->document().geometry();
    QCOMPARE(now.spacing, (base::Point{0.25, 0.2, 1}));
    QCOMPARE(now.unit, std::string("um"));
    const double origin = 3 * (1e-3 / 1e-6); // as base::withSpacing()
    QCOMPARE(now.origin[0], origin);
    QVERIFY(test::child<ui::MessageBar>(*m_window, "messageBar")
                .sentence()
                .contains(QStringLiteral("set by the user")));
    const QString micrometres = QString::fromUtf8("µm");
    for (const auto role : {ui::DataModel::SceneRole, ui::DataModel::TemplateRole}) {
        QCOMPARE(row(role, 0).data(ui::DataModel::BadgeRole).toString(),
                 micrometres + QStringLiteral(", user"));
        QVERIFY(row(role, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("set by the user")));
    }
    QVERIFY(test::child<QLabel>(*m_window, "statusWorld").text().contains(micrometres));
    // The result that is there follows.
    const ui::ResultEntry& result = *m_window->document().result();
    const match::Peak& peak = result.job->peaks.front();
    QCOMPARE(peak.world, base::toWorld(now, peak.centre));
    QCOMPARE(result.job->mapGeometry.origin,
             base::toWorld(now, {(12 - 1) / 2.0, (10 - 1) / 2.0, 0}));
    m_window->exporter().writePeaks(file("peaks.csv"));
    m_window->exporter().writeMap(file("map.mha"));
    m_window->exporter().writeTemplate(file("template.mha"));
    m_window->exporter().writeScene(file("again.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(bytes("peaks.csv").contains("unit um (user)"));
    QCOMPARE(io::readImageInfo(file("map.mha")).geometry.unit, std::string("um"));
    QCOMPARE(io::readImageInfo(file("template.mha")).geometry.origin[1],
             base::toWorld(now, {20, 30, 0})[1]);
    QCOMPARE(io::readImageInfo(file("again.mha")).geometry.spacing[1], 0.2);
    // So does the next run, and the job says it.
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result()->job->report.geometry == now);
    test::child<QAction>(*m_window, "copyCommandLine").trigger();
    QVERIFY2(QApplication::clipboard()->text().contains(QStringLiteral("--spacing 0.25,0.2,1um")),
             qPrintable(QApplication::clipboard()->text()));
    // The selected peak stays selected.
    m_window->activateWindow();
    QTRY_COMPARE(QApplication::activeWindow(), m_window.get());
    m_window->document().selectPeak(0);
    QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(m_window->document().geometry().unit, std::string("mm"));
    QCOMPARE(m_window->document().selectedPeak(), 0);
    QCOMPARE(m_window->document().result()->job->peaks.front().world, before);
    QCOMPARE(row(ui::DataModel::SceneRole, 0).data(ui::DataModel::BadgeRole).toString(),
             QStringLiteral("mm"));
}

void WindowOpeningTest::aSpacingOfZeroCannotBeSet() {
    openScene();
    test::child<QAction>(*m_window, "setSpacing").trigger();
    auto& dialog = test::child<QDialog>(*m_window, "spacingDialog");
    QTRY_VERIFY(dialog.isVisible());
    typeNumber(dialog, "spacingX", "0");
    QVERIFY(!test::child<QPushButton>(dialog, "spacingSet").isEnabled());
    QVERIFY(!test::child<QPushButton>(dialog, "spacingOfFile").isEnabled());
    QTest::keyClick(&dialog, Qt::Key_Escape);
    QVERIFY(!m_window->document().spacing());
}

void WindowOpeningTest::theSpacingOfAJobFileIsStated() {
    openScene();
    io::writeText(file("job.json"), R"({"scene": ")" + file("scene.mha").string() +
                                        R"(", "crop": "20,30:12,10", "spacing": "2nm"})");
    m_window->loadJob(m_folder->filePath(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(m_window->document().geometry().unit, std::string("nm"));
    QVERIFY(m_window->flow().currentJob().spacing == base::parseSpacing("2nm"));
    // Another scene has its own spacing again.
    writeScene("other.mha", {}, 4);
    m_window->openFile(m_folder->filePath(QStringLiteral("other.mha")));
    QTRY_COMPARE(m_window->document().scene().name, QStringLiteral("other.mha"));
    QVERIFY(!m_window->document().spacing());
}

void WindowOpeningTest::aTemplateOfAnotherSpacingIsResampledByAButton() {
    openScene();
    base::Geometry fine;
    fine.spacing = {0.25, 0.25, 1};
    fine.unit = "mm";
    fine.unitSource = base::UnitSource::Header;
    const ui::SceneEntry templ = test::noiseScene({24, 20, 1}, 4);
    io::writeImage(file("fine.mha"), base::viewOf(templ.image->pixels), fine);
    m_window->openFile(m_folder->filePath(QStringLiteral("fine.mha")), true);
    QVERIFY(test::waitUntilIdle(*m_window));
    auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QCOMPARE(bar.kind(), ui::MessageBar::Kind::Warning);
    QVERIFY2(bar.sentence().contains(QStringLiteral("another spacing")),
             qPrintable(bar.sentence()));
    test::click(test::child<QPushButton>(bar, "messageAccept"));
    QVERIFY(test::waitUntilIdle(*m_window));
    ui::Document& document = m_window->document();
    QCOMPARE(document.templates().size(), std::size_t{2});
    QCOMPARE(document.activeTemplate(), 1);
    QVERIFY(document.templateExtents() == (base::Extents{12, 10, 1}));
    QVERIFY(!test::child<QAction>(*m_window, "resampleTemplateAction").isEnabled());
    // A spacing by hand that makes them differ is warned of, too.
    document.setSpacing(base::parseSpacing("0.25mm"));
    QVERIFY(!bar.sentence().contains(QStringLiteral("fine.mha has another")));
    document.setSpacing(std::nullopt);
    QVERIFY2(bar.sentence().startsWith(QStringLiteral("fine.mha has another")),
             qPrintable(bar.sentence()));
    // Both at once are no job of flcc-cli: one file, two templates.
    QVERIFY(!m_window->flow().currentJob().resample);
    document.removeTemplate(0);
    QVERIFY(m_window->flow().currentJob().resample);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document.result()->job->report.warnings.empty());
    const float best = static_cast<float>(document.result()->job->report.map->statistics.maximum);
    // The job file makes the same template.
    m_window->exporter().writeJob(file("job.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    m_window = test::shownWindow();
    m_window->loadJob(m_folder->filePath(QStringLiteral("job.json")), true);
    QTRY_VERIFY(m_window->document().result() != nullptr);
    QVERIFY(m_window->document().templ()->resampled);
    QCOMPARE(static_cast<float>(m_window->document().result()->job->report.map->statistics.maximum),
             best);
}

void WindowOpeningTest::whatWasAssumedIsShownWhenAFileOpens() {
    // Columns, rows and sections run along y, x and z; bytes without extremes.
    test::Bytes voxels(std::size_t{6} * 5 * 4);
    std::iota(voxels.begin(), voxels.end(), static_cast<unsigned char>(0));
    test::Bytes content = test::makeMrc(0, {6, 5, 4}, {6, 5, 4}, voxels);
    test::put(content, 64, std::int32_t{2});
    test::put(content, 68, std::int32_t{1});
    test::writeFile(file("axes.mrc"), content);
    const std::vector<std::string> notes = io::readImageInfo(file("axes.mrc")).notes;
    QVERIFY(notes.size() > 1);
    m_window->openFile(m_folder->filePath(QStringLiteral("axes.mrc")));
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString shown = test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    for (const std::string& note : notes) {
        QVERIFY2(shown.contains(QString::fromStdString(note)), note.c_str());
    }
    // As a further scene, of which the header is read only.
    std::filesystem::copy_file(file("axes.mrc"), file("more.mrc"));
    m_window->opener().openScenes({file("more.mrc")}, true);
    const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QTRY_VERIFY(bar.sentence().contains(QStringLiteral("more.mrc")));
    QVERIFY(bar.sentence().contains(QString::fromStdString(notes.front())));
}

void WindowOpeningTest::aRawVolumeIsOpenedByAForm() {
    // 16-bit voxels, high byte first, behind 5 bytes.
    QByteArray content("head:");
    for (int i = 0; i < 12 * 10 * 6; ++i) {
        content.append(static_cast<char>(i / 256)).append(static_cast<char>(i % 256));
    }
    QFile raw(m_folder->filePath(QStringLiteral("head_12x10x6.raw")));
    QVERIFY(raw.open(QIODevice::WriteOnly));
    raw.write(content);
    raw.close();
    drop({raw.fileName()});
    auto& dialog = test::child<QDialog>(*m_window, "rawDialog");
    QTRY_VERIFY(dialog.isVisible());
    // The name says the extents.
    QCOMPARE(test::child<QSpinBox>(dialog, "rawDepth").value(), 6);
    auto& type = test::child<QComboBox>(dialog, "rawType");
    type.setFocus();
    QTest::keyClicks(&type, QStringLiteral("uint16"));
    QCOMPARE(type.currentText(), QStringLiteral("uint16"));
    auto& order = test::child<QComboBox>(dialog, "rawOrder");
    order.setFocus();
    QTest::keyClick(&order, Qt::Key_Down);
    auto& offset = test::child<QSpinBox>(dialog, "rawOffset");
    offset.setFocus();
    offset.selectAll();
    QTest::keyClicks(&offset, QStringLiteral("5"));
    typeNumber(dialog, "spacingZ", "2.5");
    auto& unit = test::child<QComboBox>(dialog, "spacingUnit");
    unit.setFocus();
    QTest::keyClick(&unit, Qt::Key_Down);
    QVERIFY2(test::child<QLabel>(dialog, "rawVerdict").text().contains(QStringLiteral("it fits")),
             qPrintable(test::child<QLabel>(dialog, "rawVerdict").text()));
    QTRY_VERIFY(!test::child<QLabel>(dialog, "rawPreview").pixmap(Qt::ReturnByValue).isNull());
    test::click(test::child<QPushButton>(dialog, "rawOpen"));
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(test::waitUntilIdle(*m_window));
    ui::Document& document = m_window->document();
    QVERIFY((document.sceneExtents() == base::Extents{12, 10, 6}));
    QCOMPARE(document.scene().name, QStringLiteral("head_12x10x6.raw"));
    QCOMPARE(base::valueAt(base::viewOf(document.scene().image->pixels), {3, 4, 5}),
             5 * 120 + 4 * 12 + 3.0);
    QCOMPARE(document.geometry().spacing, (base::Point{1, 1, 2.5}));
    QCOMPARE(document.geometry().unit, std::string("mm"));
    // flcc-cli opens the same.
    test::child<QAction>(*m_window, "copyCommandLine").trigger();
    const QString line = QApplication::clipboard()->text();
    QVERIFY2(line.contains(QStringLiteral("head_12x10x6.raw:12x10x6:uint16:be:5")) &&
                 line.contains(QStringLiteral("--spacing 1,1,2.5mm")),
             qPrintable(line));
}

void WindowOpeningTest::aFormThatDoesNotFitSaysSo() {
    QFile raw(m_folder->filePath(QStringLiteral("square.raw")));
    QVERIFY(raw.open(QIODevice::WriteOnly));
    raw.write(QByteArray(30 * 30, 'x'));
    raw.close();
    drop({raw.fileName()});
    auto& dialog = test::child<QDialog>(*m_window, "rawDialog");
    QTRY_VERIFY(dialog.isVisible());
    QCOMPARE(test::child<QSpinBox>(dialog, "rawWidth").value(),
             30); // the square that fits
    auto& height = test::child<QSpinBox>(dialog, "rawHeight");
    height.setFocus();
    QTest::keyClick(&height, Qt::Key_Up);
    const auto& verdict = test::child<QLabel>(dialog, "rawVerdict");
    QVERIFY2(verdict.text().contains(QStringLiteral("930")) &&
                 verdict.text().contains(QStringLiteral("900")) &&
                 verdict.text().contains(QStringLiteral("too short")),
             qPrintable(verdict.text()));
    QVERIFY(!test::child<QPushButton>(dialog, "rawOpen").isEnabled());
    QTest::keyClick(&height, Qt::Key_Down);
    QTest::keyClick(&height, Qt::Key_Down);
    QVERIFY2(verdict.text().contains(QStringLiteral("30 bytes at its end")),
             qPrintable(verdict.text()));
    QVERIFY(test::child<QPushButton>(dialog, "rawOpen").isEnabled());
    QTest::keyClick(&dialog, Qt::Key_Escape);
    QVERIFY(!m_window->document().hasScene());
}

void WindowOpeningTest::severalFilesAreAListAndByAButtonAStack() {
    QStringList files;
    for (unsigned i = 0; i < 3; ++i) {
        const QByteArray name = "slice" + QByteArray::number(i) + ".mha";
        writeScene(name.constData(), {}, i + 1);
        files << m_folder->filePath(QString::fromLatin1(name));
    }
    drop(files);
    ui::Document& document = m_window->document();
    QTRY_COMPARE(document.scenes().size(), std::size_t{3});
    QVERIFY(test::waitUntilIdle(*m_window));
    auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QVERIFY2(bar.sentence().contains(QStringLiteral("slices of one stack")),
             qPrintable(bar.sentence()));
    test::click(test::child<QPushButton>(bar, "messageAccept"));
    QTRY_VERIFY((document.sceneExtents() == base::Extents{140, 110, 3}));
    QCOMPARE(document.scenes().size(), std::size_t{1});
    for (unsigned i = 0; i < 3; ++i) {
        const ui::SceneEntry slice = test::noiseScene({140, 110, 1}, i + 1);
        QCOMPARE(base::valueAt(base::viewOf(document.scene().image->pixels), {7, 9, i}),
                 base::valueAt(base::viewOf(slice.image->pixels), {7, 9, 0}));
    }
    QVERIFY(test::waitUntilIdle(*m_window));
}

const flcc::test::TestClass<WindowOpeningTest> kWindowOpeningTest;

#include "window_opening_test.moc"
