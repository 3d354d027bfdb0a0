#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <set>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_model.h"
#include "ui/plan/plan_card.h"
#include "ui/results/exporter.h"
#include "ui/results/peaks_model.h"
#include "ui/window/main_window.h"
#include "ui/work/run_controller.h"

using namespace flcc;
using namespace flcc::ui;

namespace {

constexpr base::Extents kScene{160, 120, 1};
constexpr base::Box kFirst{{60, 50, 0}, {15, 13, 1}};
constexpr base::Box kSecond{{110, 20, 0}, {15, 13, 1}};
constexpr base::Box kLarge{{15, 70, 0}, {29, 25, 1}};

} // namespace

class WindowTemplatesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void cutsAreAddedSearchedAndRemoved();
    void severalFilesAreOpenedAtOnce();
    void filesAreDroppedAsTemplates();
    void aTemplateIsDroppedAtOnceAfterTheScene();
    void aClickShowsATemplate();
    void cuttingReplacesTheActiveOne();
    void removingIsUndone();
    void differentSizesGivePeaksOnly();
    void oneMaskIsForAllOrEachHasItsOwn();
    void theIndexIsExported();
    void aJobFileBringsAllTemplates();

  private:
    [[nodiscard]] QString file(const QString& name) const { return m_folder.filePath(name); }
    template <class Widget> Widget& part(const char* name) {
        return test::child<Widget>(*m_window, name);
    }
    [[nodiscard]] Document& document() { return m_window->document(); }
    /// The box of a template drawn and cut by the button, or added.
    void cut(const base::Box& box, bool add) {
        document().setBox(box);
        test::click(part<QPushButton>(add ? "addCutTemplate" : "cutTemplate"));
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    QString write(const QString& name, const base::Box& box) {
        const auto image = job::cutTemplate(*document().scene().image, box);
        (void)io::writeImage(file(name).toStdString(), base::viewOf(image->pixels), {});
        return file(name);
    }
    /// Names files in the dialog that a button opens.
    void choose(const char* button, const QStringList& names) {
        test::click(part<QToolButton>(button));
        auto& dialog = part<QFileDialog>("openDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& field = test::child<QLineEdit>(dialog, "fileNameEdit");
        field.setText(names.size() == 1
                          ? names.front()
                          : QStringLiteral("\"%1\"").arg(names.join(QStringLiteral("\" \""))));
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("openDialog") == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    [[nodiscard]] QStringList names() {
        QStringList names;
        for (const TemplateEntry& templ : document().templates()) {
            names << templ.name;
        }
        return names;
    }
    /// The corners of the exact copies by their templates.
    [[nodiscard]] std::map<int, base::Index> copies() {
        std::map<int, base::Index> found;
        for (const match::Peak& peak : document().result()->job->peaks) {
            if (peak.score > 1 - 1e-9) {
                found[peak.templ] = peak.corner;
            }
        }
        return found;
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

void WindowTemplatesTest::init() {
    m_window = test::shownWindow();
    document().setScene(test::noiseScene(kScene, 11));
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowTemplatesTest::cutsAreAddedSearchedAndRemoved() {
    auto& add = part<QPushButton>("addCutTemplate");
    document().setBox(kFirst);
    QVERIFY(!add.isVisible()); // there is nothing to add to
    cut(kFirst, false);
    QVERIFY(!part<QWidget>("templateList").isVisible());
    QVERIFY(!add.isEnabled()); // it is one already
    document().setBox(kSecond);
    QVERIFY(add.isVisible() && add.isEnabled());
    cut(kSecond, true);
    QCOMPARE(document().templates().size(), std::size_t{2});
    QVERIFY(part<QWidget>("templateList").isVisible());
    QCOMPARE(part<QLabel>("matchTemplate").text(), QStringLiteral("2 templates"));
    QVERIFY(part<QPushButton>("template1").isChecked());
    QCOMPARE(m_window->flow().report()->plan.problem.templates, 2);
    QVERIFY(m_window->matchPanel().planCard().text().startsWith(QStringLiteral("2 templates")));

    QVERIFY(test::runAndWait(*m_window));
    const auto found = copies();
    QCOMPARE(found.size(), std::size_t{2});
    QVERIFY(found.at(0) == kFirst.corner && found.at(1) == kSecond.corner);
    const auto& map = *document().result()->job->map;
    QVERIFY(map.value.view().at(kFirst.corner) > 0.999F);
    QVERIFY(map.value.view().at(kSecond.corner) > 0.999F);
    auto& table = part<QTableView>("peaksTable");
    QVERIFY(!table.isColumnHidden(PeaksModel::Templ));
    std::set<QString> shown;
    for (int row = 0; row < 2; ++row) {
        shown.insert(table.model()->index(row, PeaksModel::Templ).data().toString());
    }
    QVERIFY((shown == std::set<QString>{QStringLiteral("0"), QStringLiteral("1")}));
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains(
        QStringLiteral("--crop 60,50,0:15,13,1 --crop 110,20,0:15,13,1")));

    test::click(part<QToolButton>("removeTemplate0"));
    QTRY_COMPARE(document().templates().size(), std::size_t{1});
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(!part<QWidget>("templateList").isVisible());
    QCOMPARE(m_window->flow().report()->plan.problem.templates, 1);
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(copies().at(0) == kSecond.corner);
    QVERIFY(table.isColumnHidden(PeaksModel::Templ));
}

void WindowTemplatesTest::severalFilesAreOpenedAtOnce() {
    QVERIFY(!part<QToolButton>("addTemplate").isEnabled());
    const QString a = write(QStringLiteral("a.mha"), kFirst);
    const QString b = write(QStringLiteral("b.mha"), kSecond);
    const QString c = write(QStringLiteral("c.mha"), {{30, 20, 0}, {15, 13, 1}});
    choose("openTemplate", {a, b});
    QCOMPARE(names(), (QStringList{"a.mha", "b.mha"}));
    choose("addTemplate", {c});
    QCOMPARE(names(), (QStringList{"a.mha", "b.mha", "c.mha"}));
    QCOMPARE(document().activeTemplate(), 2);
    // A cut comes first, as in a job.
    cut({{90, 80, 0}, {15, 13, 1}}, true);
    QCOMPARE(document().activeTemplate(), 0);
    QVERIFY(document().templates()[0].crop.has_value());
    QVERIFY(test::runAndWait(*m_window));
    const auto found = copies();
    QVERIFY((found.at(0) == base::Index{90, 80, 0}));
    QVERIFY(found.at(1) == kFirst.corner && found.at(2) == kSecond.corner);
    // Opening one file replaces the active template and no other.
    test::click(part<QPushButton>("template2"));
    QTRY_COMPARE(document().activeTemplate(), 2);
    choose("openTemplate", {c});
    QCOMPARE(names().mid(1), (QStringList{"a.mha", "c.mha", "c.mha"}));
}

void WindowTemplatesTest::filesAreDroppedAsTemplates() {
    const QString a = write(QStringLiteral("a.mha"), kFirst);
    const QString b = write(QStringLiteral("b.mha"), kSecond);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(a), QUrl::fromLocalFile(b)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton,
                          Qt::ShiftModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(m_window.get(), &event);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(names(), (QStringList{"a.mha", "b.mha"}));
}

/// With Shift also at once after a scene was opened, and as in a real drag: after QDragEnterEvent.
void WindowTemplatesTest::aTemplateIsDroppedAtOnceAfterTheScene() {
    const QString scene = write(QStringLiteral("scene.mha"), {{0, 0, 0}, {60, 50, 1}});
    const QString templ = write(QStringLiteral("a.mha"), kFirst);
    m_window->openFile(scene);
    QTRY_COMPARE(m_window->document().scene().name, QStringLiteral("scene.mha"));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(templ)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton,
                          Qt::ShiftModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(m_window.get(), &event);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(names(), QStringList{"a.mha"});
    QCOMPARE(m_window->document().scene().name, QStringLiteral("scene.mha"));
}

void WindowTemplatesTest::aClickShowsATemplate() {
    cut(kFirst, false);
    cut(kLarge, true);
    QVERIFY(document().templateExtents() == kLarge.extents);
    test::click(part<QPushButton>("template0"));
    QTRY_COMPARE(document().activeTemplate(), 0);
    QVERIFY(part<QPushButton>("template0").isChecked());
    QVERIFY(!part<QPushButton>("template1").isChecked());
    QVERIFY(document().templateExtents() == kFirst.extents);
    // In the list of data too.
    auto& list = part<QListView>("dataList");
    QModelIndex row;
    for (int i = 0; i < list.model()->rowCount(); ++i) {
        const QModelIndex at = list.model()->index(i, 0);
        row = at.data(DataModel::TemplateRole).toInt() == 1 ? at : row;
    }
    QVERIFY(row.isValid() && !row.data(DataModel::ShownRole).toBool());
    QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                      list.visualRect(row).center());
    QTRY_COMPARE(document().activeTemplate(), 1);
    QVERIFY(part<QPushButton>("template1").isChecked());
}

void WindowTemplatesTest::cuttingReplacesTheActiveOne() {
    cut(kFirst, false);
    cut(kSecond, true);
    test::click(part<QPushButton>("template0"));
    QTRY_COMPARE(document().activeTemplate(), 0);
    document().setBox(kLarge);
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier);
    QTRY_VERIFY(document().templates()[0].crop == kLarge);
    QVERIFY(document().templates()[1].crop == kSecond);
    document().setBox(kFirst);
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(document().templates().size(), std::size_t{3});
    QVERIFY(document().templates()[2].crop == kFirst);
}

void WindowTemplatesTest::removingIsUndone() {
    cut(kFirst, false);
    cut(kSecond, true);
    cut(kLarge, true);
    test::click(part<QToolButton>("removeTemplate1"));
    QTRY_COMPARE(document().templates().size(), std::size_t{2});
    QVERIFY(document().templates()[1].crop == kLarge);
    QCOMPARE(document().activeTemplate(), 1);
    part<QAction>("undo").trigger();
    QCOMPARE(document().templates().size(), std::size_t{3});
    QVERIFY(document().templates()[1].crop == kSecond);
    QCOMPARE(document().activeTemplate(), 2);
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(m_window->flow().report()->templates.size(), std::size_t{3});
}

void WindowTemplatesTest::differentSizesGivePeaksOnly() {
    cut(kFirst, false);
    cut(kLarge, true);
    const QString planned = m_window->matchPanel().planCard().text();
    QVERIFY2(planned.contains(QStringLiteral("2 templates of 2 sizes")) &&
                 planned.contains(QStringLiteral("peaks only")),
             qPrintable(planned));
    QVERIFY(test::runAndWait(*m_window));
    const auto found = copies();
    QVERIFY(found.at(0) == kFirst.corner && found.at(1) == kLarge.corner);
    QVERIFY(document().result()->job->map == nullptr);
    QVERIFY(!part<QAction>("exportMap").isEnabled());
    QVERIFY(!part<QAction>("exportIndex").isEnabled());
    QVERIFY(part<QAction>("exportPeaks").isEnabled());
    m_window->exporter().writePeaks(file(QStringLiteral("peaks.csv")).toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    QFile peaks(file(QStringLiteral("peaks.csv")));
    QVERIFY(peaks.open(QIODevice::ReadOnly));
    QVERIFY(
        peaks.readAll().contains("# template 1: memory:noise [15 70 0:29 25 1] (29x25x1 voxels)"));
    m_window->exporter().writeMap(file(QStringLiteral("map.mha")).toStdString());
    QVERIFY(part<MessageBar>("messageBar").sentence().contains(QStringLiteral("peaks only")));
}

void WindowTemplatesTest::oneMaskIsForAllOrEachHasItsOwn() {
    const auto mask = [this](const QString& name, int from) {
        base::Image<std::uint8_t> image(kFirst.extents, 1);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] = i % kFirst.extents.x >= from ? 1 : 0;
        }
        (void)io::writeImage(file(name).toStdString(), base::AnyView(image.view()), {});
        return file(name);
    };
    const QString a = mask(QStringLiteral("a.mha"), 5);
    const QString b = mask(QStringLiteral("b.mha"), 9);
    cut(kFirst, false);
    cut(kSecond, true);
    auto& head = part<QToolButton>("foldEdges");
    QTest::mouseClick(&head, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
    choose("maskOpen", {a});
    QCOMPARE(part<QLabel>("mask").text(), QStringLiteral("a.mha"));
    QCOMPARE(m_window->flow().report()->templates[0].support, std::int64_t{130});
    QCOMPARE(m_window->flow().report()->templates[1].support, std::int64_t{130});
    choose("maskOpen", {a, b});
    QCOMPARE(document().masks().size(), std::size_t{2});
    QCOMPARE(m_window->flow().report()->templates[0].support, std::int64_t{130});
    QCOMPARE(m_window->flow().report()->templates[1].support, std::int64_t{78});
    QVERIFY(document().mask() == &document().masks()[1]); // that of the active one
    part<QAction>("copyCommandLine").trigger();
    QVERIFY(QApplication::clipboard()->text().contains(
        QStringLiteral("--mask %1 --mask %2").arg(a, b)));
    cut({{30, 20, 0}, {15, 13, 1}}, true);
    const QString card = m_window->matchPanel().planCard().text();
    QVERIFY2(card.contains(QStringLiteral("2 masks for 3 templates")), qPrintable(card));
    test::click(part<QToolButton>("maskClear"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(document().masks().empty());
    QCOMPARE(m_window->flow().report()->templates.size(), std::size_t{3});
}

void WindowTemplatesTest::theIndexIsExported() {
    cut(kFirst, false);
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(!part<QAction>("exportIndex").isEnabled()); // one template alone
    cut(kSecond, true);
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(part<QAction>("exportIndex").isEnabled());
    m_window->exporter().writeIndex(file(QStringLiteral("index.mha")).toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto index = job::loadImage(file(QStringLiteral("index.mha")).toStdString(), {}, {});
    QCOMPARE(base::pixelType(index->pixels), base::PixelType::Int32);
    QCOMPARE(base::valueAt(base::viewOf(index->pixels), kFirst.corner), 0.0);
    QCOMPARE(base::valueAt(base::viewOf(index->pixels), kSecond.corner), 1.0);
}

void WindowTemplatesTest::aJobFileBringsAllTemplates() {
    const QString scene = file(QStringLiteral("scene.mha"));
    (void)io::writeImage(scene.toStdString(), base::viewOf(document().scene().image->pixels), {});
    job::Job job;
    job.scene = scene.toStdString();
    job.crops = {kFirst, kLarge};
    job.templates = {write(QStringLiteral("a.mha"), kSecond).toStdString(),
                     write(QStringLiteral("b.mha"), {{30, 20, 0}, {9, 9, 1}}).toStdString()};
    io::writeText(file(QStringLiteral("job.json")).toStdString(), job::toJobFile(job));
    m_window->loadJob(file(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().currentJob() == job);
    QCOMPARE(document().activeTemplate(), 0);
    QVERIFY(test::runAndWait(*m_window));
    const auto found = copies();
    QVERIFY(found.at(0) == kFirst.corner && found.at(1) == kLarge.corner);
    QVERIFY(found.at(2) == kSecond.corner);
    QCOMPARE(m_window->flow().report()->groups.size(), std::size_t{3});
}

const flcc::test::TestClass<WindowTemplatesTest> kWindowTemplatesTest;

#include "window_templates_test.moc"
