#include <QtTest>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUrl>

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
#include "ui/views/views_panel.h"
#include "ui/window/startup.h"

using namespace flcc;
using namespace flcc::ui;

namespace {

constexpr base::Extents kScene{160, 120, 1};
constexpr base::Box kCut{{60, 50, 0}, {15, 13, 1}};

/// Where scene `number` holds the template.
base::Index placeIn(int number) { return {kCut.corner.x - 20 * number, kCut.corner.y + number, 0}; }

} // namespace

class WindowScenesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void filesAreAListAndEachIsSearched();
    void scenesAreDroppedAddedAndRemoved();
    void aRemovedSceneComesBackWithItsWork();
    void pagesAndFiguresOfSeveralScenesAreDrawn();
    void whatDoesNotFitTheListIsRefused();
    void exportsAreThoseOfTheCommandLine();
    void aJobFileComesAndGoes();
    void cancellingKeepsWhatIsFinished();
    void aBrokenSceneIsNamedAndNothingIsShown();
    void mapsBeyondTheMemoryLimitAreRefused();
    void theCommandLineTakesSeveral();

  private:
    [[nodiscard]] QString file(const QString& name) const { return m_folder->filePath(name); }
    [[nodiscard]] QString scene(int number) const {
        return file(QStringLiteral("scene%1.mha").arg(number));
    }
    template <class Widget> Widget& part(const QString& name) {
        return test::child<Widget>(*m_window, name.toLatin1().constData());
    }
    [[nodiscard]] Document& document() { return m_window->document(); }
    [[nodiscard]] QString sentence() { return part<MessageBar>("messageBar").sentence(); }
    [[nodiscard]] QString card() { return m_window->matchPanel().planCard().text(); }
    void writeScene(const QString& name, const base::Extents& extents, unsigned seed) {
        const SceneEntry made = test::noiseScene(extents, seed);
        (void)io::writeImage(file(name).toStdString(), base::viewOf(made.image->pixels), {});
    }
    /// Opens the first `count` scenes as somebody who drops them.
    void drop(int count) {
        QMimeData data;
        QList<QUrl> urls;
        for (int i = 0; i < count; ++i) {
            urls << QUrl::fromLocalFile(scene(i));
        }
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &event);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(document().scenes().size(), static_cast<std::size_t>(count));
    }
    void cut() {
        document().setBox(kCut);
        test::click(part<QPushButton>("cutTemplate"));
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    /// Names files in the dialog that is open.
    void choose(const QStringList& names) {
        auto& dialog = part<QFileDialog>("openDialog");
        QTRY_VERIFY(dialog.isVisible());
        auto& field = test::child<QLineEdit>(dialog, "fileNameEdit");
        field.setText(QStringLiteral("\"%1\"").arg(names.join(QStringLiteral("\" \""))));
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("openDialog") == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    void run() {
        test::click(part<QPushButton>("runButton"));
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    void show(int number) {
        test::click(part<QPushButton>(QStringLiteral("scene%1").arg(number)));
        QTRY_COMPARE(document().activeScene(), number);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    [[nodiscard]] job::Job fileJob(int count) const {
        job::Job job;
        job.scene = scene(0).toStdString();
        for (int i = 1; i < count; ++i) {
            job.furtherScenes.emplace_back(scene(i).toStdString());
        }
        job.crops = {kCut};
        job.method = "direct";
        return job;
    }
    [[nodiscard]] QByteArray bytesOf(const QString& name) {
        QFile read(file(name));
        return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;
};

/// All scenes hold the first one's template, each at a place of its own.
void WindowScenesTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const SceneEntry first = test::noiseScene(kScene, 11);
    const auto templ = job::cutTemplate(*first.image, kCut);
    for (int i = 0; i < 3; ++i) {
        base::Image<float> image(kScene);
        const SceneEntry noise = test::noiseScene(kScene, 11 + static_cast<unsigned>(i));
        const base::AnyView from = base::viewOf(noise.image->pixels);
        const base::AnyView pasted = base::viewOf(templ->pixels);
        for (std::int64_t n = 0; n < image.count(); ++n) {
            const base::Index at{n % kScene.x, n / kScene.x, 0};
            const base::Index in{at.x - placeIn(i).x, at.y - placeIn(i).y, 0};
            const bool inside = base::contains(kCut.extents, {in, {1, 1, 1}});
            image.data()[n] =
                static_cast<float>(inside ? base::valueAt(pasted, in) : base::valueAt(from, at));
        }
        (void)io::writeImage(scene(i).toStdString(), base::AnyView(image.view()), {});
    }
    m_window = test::shownWindow();
}

void WindowScenesTest::filesAreAListAndEachIsSearched() {
    part<QAction>("open").trigger();
    choose({scene(0), scene(1), scene(2)});
    QCOMPARE(document().scenes().size(), std::size_t{3});
    QCOMPARE(part<QLabel>("matchScene").text(), QStringLiteral("3 scenes"));
    QVERIFY(part<QWidget>("sceneList").isVisible());
    QVERIFY(part<QPushButton>("scene0").isChecked());
    QVERIFY(document().scenes()[0].image && !document().scenes()[1].image);
    cut();
    auto& audit = part<QComboBox>("audit");
    audit.setCurrentIndex(audit.findData(QStringLiteral("on")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(card().contains(QStringLiteral("3 scenes, planned once: ")), qPrintable(card()));
    QVERIFY(part<QLabel>("planStreamPredicted").isVisible());

    QSignalSpy phases(&m_window->controller(), &RunController::phaseChanged);
    QSignalSpy maps(&m_window->controller(), &RunController::mapStarted);
    run();
    QVERIFY(std::ranges::any_of(phases, [](const QList<QVariant>& phase) {
        return phase[0].toString() == QLatin1String("scene 2 of 3, matching");
    }));
    QCOMPARE(maps.size(), 3);
    QCOMPARE(document().results().size(), std::size_t{3});
    for (const int number : {0, 2, 1}) {
        if (number > 0) {
            show(number);
        }
        const ResultEntry& result = *document().result();
        QCOMPARE(result.scene, number);
        QVERIFY(result.job->peaks.front().corner == placeIn(number));
        QVERIFY(result.job->map->value.view().at(placeIn(number)) > 0.999F);
        QCOMPARE(m_window->views().shownMap(), result.job->map.get());
        // The views show its own pixels, the table its peaks, the card its verdict and times.
        const base::AnyView pixels = base::viewOf(document().scene().image->pixels);
        const auto own = job::loadImage(scene(number).toStdString(), {}, {});
        QCOMPARE(base::valueAt(pixels, {7, 9, 0}),
                 base::valueAt(base::viewOf(own->pixels), {7, 9, 0}));
        QCOMPARE(part<QTableView>("peaksTable").model()->rowCount(),
                 static_cast<int>(result.job->peaks.size()));
        QVERIFY2(card().contains(QStringLiteral("Self-audit passed")), qPrintable(card()));
        QVERIFY(!part<QLabel>("planStreamMeasured").text().isEmpty());
        QCOMPARE(m_window->flow().report()->stream->scene, number);
        // The pixels of what is not shown are given back, but for the first one.
        for (int i = 1; i < 3; ++i) {
            QCOMPARE(document().scenes()[static_cast<std::size_t>(i)].image != nullptr,
                     i == number);
        }
    }
    // The list of data shows the same, and shows another one by a click.
    auto& list = part<QListView>("dataList");
    const auto rowOf = [&list](int role, int value) {
        for (int i = 0; i < list.model()->rowCount(); ++i) {
            if (list.model()->index(i, 0).data(role).toInt() == value) {
                return list.model()->index(i, 0);
            }
        }
        return QModelIndex();
    };
    QVERIFY(rowOf(DataModel::SceneRole, 1).data(DataModel::ShownRole).toBool());
    QVERIFY(rowOf(DataModel::ResultRole, 1).isValid() &&
            !rowOf(DataModel::ResultRole, 2).isValid());
    QVERIFY(!rowOf(DataModel::SceneRole, 2).data(Qt::DecorationRole).value<QImage>().isNull());
    QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                      list.visualRect(rowOf(DataModel::SceneRole, 2)).center());
    QTRY_COMPARE(document().activeScene(), 2);
    // The views stay where they were, and templates are cut from the first one alone.
    document().setBox(base::Box{{3, 4, 0}, {9, 9, 1}});
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY2(sentence().contains(QStringLiteral("first scene")), qPrintable(sentence()));
    QCOMPARE(document().templates().size(), std::size_t{1});
}

void WindowScenesTest::scenesAreDroppedAddedAndRemoved() {
    drop(3);
    QCOMPARE(document().activeScene(), 0);
    drop(1); // another list in the place of this one
    QVERIFY(!part<QWidget>("sceneList").isVisible());
    QCOMPARE(part<QLabel>("matchScene").text(), QStringLiteral("scene0.mha"));
    cut();
    QVERIFY(part<QToolButton>("addScenes").isEnabled());
    test::click(part<QToolButton>("addScenes"));
    choose({scene(1), scene(2)});
    QCOMPARE(document().scenes().size(), std::size_t{3});
    QCOMPARE(document().templates().size(), std::size_t{1}); // the list goes on
    run();
    show(2);
    test::click(part<QToolButton>("removeScene1"));
    QTRY_COMPARE(document().scenes().size(), std::size_t{2});
    QCOMPARE(document().activeScene(), 1);
    QCOMPARE(document().results().size(), std::size_t{2});
    QCOMPARE(document().result()->scene, 1);
    QVERIFY(document().result()->job->peaks.front().corner == placeIn(2));
    // The first one takes along what was cut from it, and the box: another cut would be another
    // template.
    test::click(part<QToolButton>("removeScene0"));
    QTRY_COMPARE(document().scenes().size(), std::size_t{1});
    QCOMPARE(document().scene().name, QStringLiteral("scene2.mha"));
    QVERIFY(document().templates().empty() && !document().box());
    QVERIFY(!part<QPushButton>("runButton").isEnabled());
    QVERIFY2(sentence().contains(
                 QStringLiteral("scene0.mha was removed from the list, and with it the result, the "
                                "template cut from it and the template box.")),
             qPrintable(sentence()));
    QVERIFY(document().result()->job->peaks.front().corner == placeIn(2));
    QVERIFY(test::waitUntilIdle(*m_window));
    cut(); // from what is the first one now
    QCOMPARE(document().templates().size(), std::size_t{1});
}

void WindowScenesTest::aRemovedSceneComesBackWithItsWork() {
    drop(3);
    cut();
    run();
    for (const int number : {1, 0}) { // the last one shown is the first of the list
        if (number > 0) {
            show(number);
        }
        document().selectPeak(0);
        job::DecisionEdit edit;
        edit.decisions.emplace_back(match::keyOf(document().result()->job->peaks[0]),
                                    match::Decision::Keep);
        document().editResult(edit, QStringLiteral("decision"));
    }
    const auto state = [this] {
        QStringList all;
        for (const SceneEntry& scene : document().scenes()) {
            all << scene.name;
        }
        for (const ResultEntry& result : document().results()) {
            all << QStringLiteral("%1 of %2, %3 decided")
                       .arg(result.title,
                            document().scenes()[static_cast<std::size_t>(result.scene)].name)
                       .arg(result.decisions.all().size());
        }
        all << QString::number(document().templates().size())
            << (document().box() ? QStringLiteral("box") : QString());
        return all.join(QChar('\n'));
    };
    const QString before = state();
    for (const int number : {1, 2, 0}) {
        test::click(part<QToolButton>(QStringLiteral("removeScene%1").arg(number)));
        QTRY_COMPARE(document().scenes().size(), std::size_t{2});
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(document().results().size(), std::size_t{2});
        QVERIFY(part<QPushButton>("messageAccept").isVisible());
        if (number == 1) { // by the menu
            part<QAction>("undo").trigger();
        } else { // by the button of the message
            test::click(part<QPushButton>("messageAccept"));
        }
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(state(), before);
        QVERIFY(!part<MessageBar>("messageBar").isVisible());
    }
    QCOMPARE(document().activeScene(), 0); // what came back is shown
    QVERIFY(document().result()->job->peaks.front().corner == placeIn(0));
    // The work goes on, and can be removed and brought back again.
    part<QAction>("redo").trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().scenes().size(), std::size_t{2});
    QCOMPARE(document().scene().name, QStringLiteral("scene1.mha"));
    QVERIFY(document().scenes().front().image != nullptr);
    part<QAction>("undo").trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(state(), before);
    run();
    QCOMPARE(document().results().size(), std::size_t{6});
    // A step after the removal takes the offer away, which would undo that step.
    test::click(part<QToolButton>("removeScene2"));
    QTRY_COMPARE(document().scenes().size(), std::size_t{2});
    document().setBox(base::Box{{3, 4, 0}, {9, 9, 1}});
    QVERIFY(!part<MessageBar>("messageBar").isVisible());
}

/// The run keeps no pixels of the scenes; pages and figures read them again.
void WindowScenesTest::pagesAndFiguresOfSeveralScenesAreDrawn() {
    drop(3);
    cut();
    run();
    show(1);
    const auto path = [this](const char* name) { return file(QLatin1String(name)).toStdString(); };
    for (const char* name : {"page.html", "figure.png", "figure.svg"}) {
        const bool page = QLatin1String(name).endsWith(QLatin1String("html"));
        page ? m_window->exporter().writeReport(path(name))
             : m_window->exporter().writeFigure(path(name));
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY2(sentence().startsWith(QStringLiteral("Saved 3 files")), qPrintable(sentence()));
    }
    for (int i = 0; i < 3; ++i) {
        const QByteArray page = bytesOf(QStringLiteral("page-%1.html").arg(i));
        QVERIFY(page.contains("<h2>Gallery</h2>") && page.contains("<svg"));
        QVERIFY(QImage(file(QStringLiteral("figure-%1.png").arg(i))).width() > 500);
    }
    // Each shows its own pixels.
    QVERIFY(bytesOf(QStringLiteral("figure-0.png")) != bytesOf(QStringLiteral("figure-2.png")));
    // A file that has become another one is not drawn as the one that was searched.
    writeScene(QStringLiteral("scene2.mha"), kScene, 99);
    m_window->exporter().writeFigure(path("again.png"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(sentence().contains(QStringLiteral("scene2.mha has changed since it was searched")),
             qPrintable(sentence()));
    QVERIFY(!QFile::exists(file(QStringLiteral("again-0.png"))));
}

void WindowScenesTest::whatDoesNotFitTheListIsRefused() {
    writeScene(QStringLiteral("small.mha"), {90, 70, 1}, 3);
    io::writeText(file(QStringLiteral("text.mha")).toStdString(), "no image");
    drop(1);
    for (const char* name : {"small.mha", "text.mha", "missing.mha"}) {
        m_window->opener().openScenes({file(QLatin1String(name)).toStdString()}, true);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(document().scenes().size(), std::size_t{1});
        QVERIFY2(sentence().contains(QLatin1String(name)), qPrintable(sentence()));
    }
    m_window->opener().openSample(QStringLiteral("cells"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(!part<QToolButton>("addScenes").isEnabled()); // a sample is no file
    QVERIFY(!part<QAction>("addScenesAction").isEnabled());
}

void WindowScenesTest::exportsAreThoseOfTheCommandLine() {
    job::Job job = fileJob(3);
    job.minScore = 0.3;
    job.audit = job::Audit::On; // whose verdict does not depend on times
    job.map = file(QStringLiteral("a-map.mha")).toStdString();
    job.status = file(QStringLiteral("a-status.mha")).toStdString();
    job.peaks = file(QStringLiteral("a-peaks.csv")).toStdString();
    (void)job::runJob(job);
    job.map.clear();
    job.status.clear();
    job.peaks.clear();
    io::writeText(file(QStringLiteral("job.json")).toStdString(), job::toJobFile(job));
    m_window->loadJob(file(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
    run();
    show(1);
    const auto path = [this](const char* name) { return file(QLatin1String(name)).toStdString(); };
    m_window->exporter().writeMap(path("b-map.mha"));
    m_window->exporter().writeStatus(path("b-status.mha"));
    m_window->exporter().writePeaks(path("b-peaks.csv"));
    m_window->exporter().writeReport(path("b-report.json"));
    QVERIFY(test::waitUntilIdle(*m_window));
    for (int i = 0; i < 3; ++i) {
        for (const char* name : {"-map-%1.mha", "-status-%1.mha", "-peaks-%1.csv"}) {
            const QString end = QString::fromLatin1(name).arg(i);
            const QByteArray bytes = bytesOf(QLatin1Char('a') + end);
            QVERIFY2(!bytes.isEmpty() && bytes == bytesOf(QLatin1Char('b') + end), qPrintable(end));
        }
        const QByteArray report = bytesOf(QStringLiteral("b-report-%1.json").arg(i));
        QVERIFY(report.contains(QStringLiteral("scene%1.mha").arg(i).toUtf8()));
        QVERIFY(report.contains("\"stream_ms\""));
    }
    QVERIFY(!QFile::exists(file(QStringLiteral("b-map.mha"))));
    // One list of all scenes, by its field in the dialog.
    test::click(part<QWidget>("peaksExport"));
    auto& formats = part<QDialog>("peaksExportDialog");
    QTRY_VERIFY(formats.isVisible());
    auto& joined = test::child<QCheckBox>(formats, "peaksJoined");
    QVERIFY(joined.isVisible());
    auto& format = test::child<QComboBox>(formats, "peaksFormat");
    format.setCurrentIndex(format.findData(static_cast<int>(io::ListFormat::Imod)));
    QVERIFY(!joined.isVisible()); // whose rows name no scene
    format.setCurrentIndex(format.findData(static_cast<int>(io::ListFormat::Csv)));
    QTest::keyClick(&joined, Qt::Key_Space);
    QVERIFY(joined.isChecked());
    test::click(*formats.findChild<QDialogButtonBox*>()->buttons().front());
    auto& dialog = part<QFileDialog>("exportDialog");
    QTRY_VERIFY(dialog.isVisible());
    auto& name = test::child<QLineEdit>(dialog, "fileNameEdit");
    name.setText(file(QStringLiteral("all.csv")));
    QTest::keyClick(&name, Qt::Key_Return);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(QFile::exists(file(QStringLiteral("all.csv"))), qPrintable(sentence()));
    for (const char* scene : {"scene0", "scene1", "scene2"}) {
        QVERIFY(bytesOf(QStringLiteral("all.csv")).contains(QByteArray(",") + scene + '\n'));
    }
    // All of them or none.
    QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("c-map-2.mha")));
    m_window->exporter().writeMap(path("c-map.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(part<MessageBar>("messageBar").kind(), MessageBar::Kind::Error);
    QVERIFY(!QFile::exists(file(QStringLiteral("c-map-0.mha"))));
}

void WindowScenesTest::aJobFileComesAndGoes() {
    job::Job job = fileJob(3);
    job.map = file(QStringLiteral("map.mha")).toStdString();
    io::writeText(file(QStringLiteral("job.json")).toStdString(), job::toJobFile(job));
    m_window->loadJob(file(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().currentJob() == job);
    show(2); // which changes nothing of the job
    m_window->exporter().writeJob(file(QStringLiteral("again.json")).toStdString());
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(job::fromJobFile(job::readJobFile(file(QStringLiteral("again.json")).toStdString())) ==
            job);
    part<QAction>("copyCommandLine").trigger();
    const QString command = QApplication::clipboard()->text();
    QVERIFY2(
        command.contains(
            QStringLiteral("match %1 --scene %2 --scene %3").arg(scene(0), scene(1), scene(2))),
        qPrintable(command));
    run();
    for (int i = 0; i < 3; ++i) {
        QVERIFY(QFile::exists(file(QStringLiteral("map-%1.mha").arg(i))));
    }
}

void WindowScenesTest::cancellingKeepsWhatIsFinished() {
    drop(3);
    cut();
    // The button, as soon as the second scene is begun.
    auto& button = part<QPushButton>("runButton");
    connect(&m_window->controller(), &RunController::sceneStarted, &button, [&button](int number) {
        if (number == 1) {
            test::click(button);
        }
    });
    // Long enough for the second one to be under way then.
    job::Job settings = m_window->matchPanel().settings();
    settings.repeat = 5000;
    m_window->matchPanel().setSettings(settings);
    QVERIFY(test::waitUntilIdle(*m_window));
    run();
    QVERIFY2(sentence().contains(QStringLiteral("1 of 3 scenes are finished")),
             qPrintable(sentence()));
    QVERIFY(!document().results().empty() && document().results().size() <= 2);
    QVERIFY(!document().results()[0].job->cancelled);
    QVERIFY(document().result()->job->peaks.front().corner == placeIn(0));
    QCOMPARE(document().lastResultOf(2), -1);
    for (const ResultEntry& each : document().results()) {
        QVERIFY(each.scene == 0 || each.job->cancelled);
    }
    show(2);
    QVERIFY(document().result() == nullptr && m_window->views().shownMap() == nullptr);
    settings.repeat = 1;
    m_window->matchPanel().setSettings(settings);
    disconnect(&m_window->controller(), &RunController::sceneStarted, &button, nullptr);
    QVERIFY(test::waitUntilIdle(*m_window));
    run(); // all is usable
    QVERIFY(document().result()->job->peaks.front().corner == placeIn(2));
}

void WindowScenesTest::aBrokenSceneIsNamedAndNothingIsShown() {
    drop(3);
    cut();
    QVERIFY(QFile::remove(scene(2)));
    run();
    QVERIFY2(sentence().contains(QStringLiteral("scene2.mha")), qPrintable(sentence()));
    QVERIFY(document().results().empty());
    QVERIFY(m_window->views().shownMap() == nullptr);
    test::click(part<QPushButton>("scene2"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().activeScene(), 0);
    QVERIFY(part<QPushButton>("scene0").isChecked() && !part<QPushButton>("scene2").isChecked());
    test::click(part<QToolButton>("removeScene2"));
    QTRY_COMPARE(document().scenes().size(), std::size_t{2});
    QVERIFY(test::waitUntilIdle(*m_window));
    run();
    QCOMPARE(document().results().size(), std::size_t{2});
}

/// They stay beside each other, which the plan of one scene knows nothing of.
void WindowScenesTest::mapsBeyondTheMemoryLimitAreRefused() {
    drop(3);
    cut();
    const plan::PlanReport& plan = m_window->flow().report()->plan;
    const std::int64_t one = plan.chosen()->prediction->hostBytes;
    job::Job settings = m_window->matchPanel().settings();
    settings.method = plan.chosen()->candidate.method;
    settings.tile = plan.chosen()->candidate.tile;
    settings.memoryBytes = one + method::mapBytes(plan.problem) / 2;
    m_window->matchPanel().setSettings(settings);
    QVERIFY(test::waitUntilIdle(*m_window));
    run();
    QVERIFY2(sentence().contains(QStringLiteral("maps of 3 scenes")), qPrintable(sentence()));
    QVERIFY(document().results().empty());
    for (const char* name : {"removeScene2", "removeScene1"}) {
        const std::size_t before = document().scenes().size();
        test::click(part<QToolButton>(QLatin1String(name)));
        QTRY_COMPARE(document().scenes().size(), before - 1);
    }
    QVERIFY(test::waitUntilIdle(*m_window));
    run();
    QCOMPARE(document().results().size(), std::size_t{1});
}

void WindowScenesTest::theCommandLineTakesSeveral() {
    const auto read = [](const QStringList& arguments) {
        return readStartOptions(QStringList{QStringLiteral("flcc")} + arguments);
    };
    const StartOptions both = read({"a.mha", "t.mha", "--scene", "b.mha", "c.mha", "--run"});
    QCOMPARE(both.scenes, (QStringList{"a.mha", "b.mha", "c.mha"}));
    QCOMPARE(both.templ, QStringLiteral("t.mha"));
    QVERIFY(both.run && !both.end);
    const StartOptions alone = read({"--scene", "a.mha", "b.mha", "--crop", "1,2:3,4"});
    QCOMPARE(alone.scenes, (QStringList{"a.mha", "b.mha"}));
    QVERIFY(alone.crop.has_value() && alone.templ.isEmpty());
    StartOptions options = read({"--scene", scene(0), scene(1), "--crop", "60,50:15,13", "--run"});
    Startup startup(*m_window, options);
    startup.begin();
    QTRY_COMPARE(document().results().size(), std::size_t{2});
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(document().results()[1].job->peaks.front().corner == placeIn(1));
}

const flcc::test::TestClass<WindowScenesTest> kWindowScenesTest;

#include "window_scenes_test.moc"
