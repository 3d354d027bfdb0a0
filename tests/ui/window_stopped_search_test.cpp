#include <QAction>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"
#include "ui/work/run_controller.h"

// Searches over poses that a person stops: what is shown of them, and how they go on.

using namespace flcc;

class WindowStoppedSearchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window = test::windowWithTemplate({160, 120, 1}, {{70, 50, 0}, {13, 11, 1}}, "foldPoses");
    }
    void cleanup() { m_window.reset(); }

    void aPausedSearchGoesOn() {
        const QTemporaryDir folder;
        const QString kept = folder.filePath("kept");
        const std::filesystem::path scene = folder.filePath("scene.mha").toStdString();
        (void)io::writeImage(scene, base::viewOf(test::noiseScene({300, 240, 1}, 5).image->pixels),
                             {});
        bool opened = false;
        m_window->opener().openScenes({scene}, false, [&opened](bool) { opened = true; });
        QTRY_VERIFY(opened);
        m_window->document().setBox(base::Box{{70, 50, 0}, {33, 31, 1}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        type("rotations", "1");
        type("scales", "0.9,0.92,0.94,0.96,0.98,1,1.02,1.04,1.06,1.08");
        type("resume", kept.toLocal8Bit().constData());
        const auto& button = test::child<QPushButton>(*m_window, "runButton");
        std::int64_t first = 0; // orientations that a run begins with
        connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                [&](std::int64_t members, std::int64_t) { first = first > 0 ? first : members; });
        test::child<QAction>(*m_window, "run").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(first > 0, 60'000);
        QCOMPARE(button.text(), QString("Pause"));
        m_window->flow().cancel();
        QVERIFY(test::waitUntilIdle(*m_window));
        const auto& bar = test::child<QLabel>(*m_window, "messageText");
        QVERIFY2(bar.text().contains("paused after"), qPrintable(bar.text()));
        QVERIFY(bar.text().contains("search.json"));
        // As after a restart: another window, and the job that the folder holds.
        m_window = test::shownWindow();
        bool loaded = false;
        connect(&m_window->document(), &ui::Document::templateChanged, this,
                [&] { loaded = true; });
        m_window->loadJob(kept + "/search.json");
        QTRY_VERIFY_WITH_TIMEOUT(loaded, 20'000);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(panel().settings().resume, std::filesystem::path(kept.toStdString()));
        std::int64_t again = 0;
        connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                [&](std::int64_t members, std::int64_t) { again = again > 0 ? again : members; });
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY2(again >= first, qPrintable(QString("%1, %2").arg(first).arg(again)));
        const auto& result = *m_window->document().result()->job;
        QVERIFY(!result.cancelled && !result.peaks.empty());
        QVERIFY(result.peaks.front().score > 0.999); // the template itself
    }

    /// Pixels that only this window holds: another start finds them beside the finished part.
    void aPausedSearchKeepsImagesThatAreInNoFile() {
        const QTemporaryDir folder;
        const std::string kept = folder.filePath("kept").toStdString();
        m_window->document().setScene(test::noiseScene({300, 240, 1}, 5));
        const auto templ = test::noiseScene({33, 31, 1}, 6).image;
        m_window->document().addTemplate(
            {.image = templ, .name = "pasted", .path = {}, .crop = {}, .place = {}});
        QVERIFY(test::waitUntilIdle(*m_window));
        searchManyPoses();
        type("resume", kept.c_str());
        stopSearch();
        const auto& bar = test::child<QLabel>(*m_window, "messageText");
        QVERIFY2(bar.text().contains("paused after") && bar.text().contains("search.json"),
                 qPrintable(bar.text()));
        const std::int64_t done = m_window->document().result()->job->report.poses->done;
        QVERIFY(done > 0);
        m_window = test::shownWindow();
        bool loaded = false;
        connect(&m_window->document(), &ui::Document::templateChanged, this,
                [&] { loaded = true; });
        m_window->loadJob(QString::fromStdString(kept + "/search.json"));
        QTRY_VERIFY_WITH_TIMEOUT(loaded, 20'000);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(test::runAndWait(*m_window));
        const auto& result = *m_window->document().result()->job;
        QVERIFY(!result.cancelled && result.report.poses->kept >= done);
    }

    void aStoppedSearchShowsTheBestScoresSoFar() {
        m_window->document().setScene(test::noiseScene({300, 240, 1}, 5));
        m_window->document().setBox(base::Box{{70, 50, 0}, {33, 31, 1}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        searchManyPoses();
        stopSearch();
        const ui::ResultEntry* entry = m_window->document().result();
        QVERIFY(entry != nullptr && entry->job->cancelled && entry->job->map && entry->job->index);
        QVERIFY(job::isUnfinished(entry->job->report));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->document().result()->job->peaks.empty(), 20'000);
        QVERIFY(test::waitUntilIdle(*m_window));
        entry = m_window->document().result();
        const job::PosesReport& poses = *entry->job->report.poses;
        const QString part = QString("%1 of %2 orientations")
                                 .arg(QLocale().toString(qlonglong(poses.done)),
                                      QLocale().toString(qlonglong(poses.members)));
        const auto text = [this](const char* name) {
            return test::child<QLabel>(*m_window, name).text();
        };
        QVERIFY2(text("messageText").contains("stopped after " + part), qPrintable(part));
        QVERIFY(test::child<QLabel>(*m_window, "statusUnfinished").isVisible());
        QCOMPARE(text("statusUnfinished"), "unfinished: " + part);
        QVERIFY2(text("planLine").contains("unfinished: " + part), qPrintable(text("planLine")));
        QVERIFY(text("planLine").contains("stopped after"));
        QVERIFY2(text("peaksSummary").contains("Incomplete: unfinished"),
                 qPrintable(text("peaksSummary")));
        QVERIFY(m_window->views().frames()[0]->slice()->mapNote().find("unfinished") !=
                std::string::npos);
        test::keepPictures(*m_window, "poses-unfinished");
        // Every export says it.
        const QTemporaryDir folder;
        const auto written = [&](const QString& name, const auto& write) {
            const QString file = folder.filePath(name);
            write(file.toStdString());
            if (!QTest::qWaitFor([&] { return QFileInfo::exists(file); }, 20'000) ||
                !test::waitUntilIdle(*m_window)) {
                return QByteArray();
            }
            QFile in(file);
            return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
        };
        ui::Exporter& exporter = m_window->exporter();
        for (const char* name : {"p.csv", "p.json"}) {
            QVERIFY(written(name, [&](const auto& file) {
                        exporter.writePeaks(file);
                    }).contains("unfinished: "));
        }
        for (const char* name : {"r.json", "r.txt", "r.html"}) {
            const QByteArray report =
                written(name, [&](const auto& file) { exporter.writeReport(file); });
            QVERIFY(report.contains("unfinished: "));
        }
        QVERIFY(written("m.mha", [&](const auto& file) { exporter.writeMap(file); })
                    .left(4000)
                    .contains("unfinished: "));
        QVERIFY(text("messageText").contains("It is unfinished"));
        QVERIFY(written("f.svg", [&](const auto& file) {
                    exporter.writeFigure(file);
                }).contains("unfinished: "));
        // A finished run leaves no mark.
        type("scales", "");
        type("rotations", "90");
        QVERIFY(test::runAndWait(*m_window));
        QVERIFY(!test::child<QLabel>(*m_window, "statusUnfinished").isVisible());
        QVERIFY(!text("planLine").contains("unfinished"));
        QVERIFY(!text("peaksSummary").contains("Incomplete"));
        QCOMPARE(m_window->views().frames()[0]->slice()->mapNote(), std::string());
    }

    void theBestScoresSoFarAreShown() {
        const base::Extents n{148, 110, 1};
        const auto mapOf = [&](float score) {
            auto map = std::make_shared<method::MatchMap>();
            map->value = base::Image<float>(n, score);
            map->status = base::Image<base::Status>(n, score > 0 ? base::Status::Ok
                                                                 : base::Status::NotComputed);
            return map;
        };
        ui::ViewsPanel& views = m_window->views();
        const auto picture = [&] {
            QTest::qWait(20);
            return views.frames()[0]->widget()->snapshot().rgba;
        };
        views.showRunningMap(mapOf(0), {13, 11, 1}, {0, 0, 0}, {});
        const auto before = picture();
        views.showBestSoFar(mapOf(0.3F));
        const auto some = picture();
        views.showBestSoFar(mapOf(0.9F));
        const auto more = picture();
        views.endRunningMap();
        const auto after = picture();
        QVERIFY(before != some && some != more && more != after);
        views.showBestSoFar(mapOf(0.9F)); // of a run that has ended
        QVERIFY(picture() == after);
    }

  private:
    void searchManyPoses() {
        type("rotations", "1");
        type("scales", "0.9,0.92,0.94,0.96,0.98,1,1.02,1.04,1.06,1.08");
    }

    /// Runs until some orientations are searched.
    void stopSearch() {
        std::int64_t first = 0;
        const auto told =
            connect(&m_window->controller(), &ui::RunController::searchedChanged, this,
                    [&](std::int64_t members, std::int64_t) { first = members; });
        test::child<QAction>(*m_window, "run").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(first > 0, 60'000);
        m_window->flow().cancel();
        QVERIFY(test::waitUntilIdle(*m_window));
        disconnect(told);
    }

    ui::MatchPanel& panel() { return m_window->matchPanel(); }
    void type(const char* name, const char* text) { test::type(*m_window, name, text); }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowStoppedSearchTest> kWindowStoppedSearchTest;
#include "window_stopped_search_test.moc"
