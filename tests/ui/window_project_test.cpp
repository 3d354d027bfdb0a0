#include <QAction>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/project/project_commands.h"
#include "ui/project/project_keeper.h"
#include "ui/project/project_value.h"
#include "ui/project/unsaved_work.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"

// A day's work is saved, opened again, and found after the program was killed.

using namespace flcc;
using match::Decision;
namespace fs = std::filesystem;

class WindowProjectTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aProjectComesBackAsItWas();
    void aMadeSceneComesBackToo();
    void theTitleSaysWhatIsNotSaved();
    void quittingAsksBeforeWorkIsLost();
    void aMovedFileIsFoundOrAskedFor();
    void aChangedFileIsNotTakenInSilence();
    void workOutlivesAKill();
    void unsavedWorkOnAFileIsOffered();
    void twoWindowsDoNotWriteOneFile();
    void anEarlierVersionOpensAsUnsaved();
    void aBrokenFileLosesNothing();
    void aFullDiskIsToldOnce();

  private:
    [[nodiscard]] fs::path path(const char* name) const {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    /// All that is work, with the voxels of templates and masks.
    [[nodiscard]] std::string digest() {
        return job::toText(ui::workOf(ui::snapshotOf(document(), m_window->matchPanel().settings(),
                                                     QStringLiteral("{}"))
                                          .project),
                           {});
    }
    [[nodiscard]] QString sentence() {
        return test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    }
    void work();
    void decide(int peak, Decision decision);
    [[nodiscard]] Decision decision(int peak) {
        const ui::ResultEntry& result = *document().result();
        return result.decisions.of(match::keyOf(result.job->peaks[static_cast<std::size_t>(peak)]));
    }
    [[nodiscard]] bool save(const fs::path& file);
    void renew() {
        m_window.reset();
        m_window = test::shownWindow();
    }
    [[nodiscard]] bool open(const fs::path& file) {
        m_window->openFile(QString::fromStdString(file.string()));
        return test::waitUntilIdle(*m_window);
    }
    void answer(const char* question, const char* button);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowProjectTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const ui::SceneEntry scene = test::noiseScene({120, 90, 1}, 3);
    (void)io::writeImage(path("scene.mha"), base::viewOf(scene.image->pixels), {});
    m_window = test::shownWindow();
}

void WindowProjectTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowProjectTest::answer(const char* question, const char* button) {
    QTRY_VERIFY(m_window->findChild<QMessageBox*>(QLatin1String(question)) != nullptr);
    test::click(test::child<QPushButton>(test::child<QMessageBox>(*m_window, question), button));
}

/// A scene, a template, a mask, a run and two decisions.
void WindowProjectTest::work() {
    QVERIFY(open(path("scene.mha")));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    auto mask = std::make_shared<job::MaskImage>();
    mask->support = base::Image<std::uint8_t>({9, 9, 1}, 1);
    mask->support.data()[3] = 0;
    document().setActiveMask({mask, QStringLiteral("drawn"), {}});
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.25);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document().result()->job->peaks.size() > 4);
    decide(1, Decision::Keep);
    decide(3, Decision::Reject);
}

void WindowProjectTest::decide(int peak, Decision decision) {
    const match::Peak& at = document().result()->job->peaks[static_cast<std::size_t>(peak)];
    document().editResult(job::DecisionEdit{{{match::keyOf(at), decision}}},
                          QStringLiteral("decision"));
}

bool WindowProjectTest::save(const fs::path& file) {
    bool done = false;
    bool ok = false;
    m_window->keeper().save(file, [&](bool saved) {
        done = true;
        ok = saved;
    });
    const bool ended = QTest::qWaitFor([&] { return done; });
    if (!ok) {
        qWarning("%s", qPrintable(sentence()));
    }
    return ended && ok;
}

void WindowProjectTest::aProjectComesBackAsItWas() {
    work();
    m_window->views().setCrosshair({17, 23, 0});
    m_window->views().setOverlayOpacity(0.25);
    document().renameResult(0, QStringLiteral("first try"));
    const std::string before = digest();
    const std::size_t peaks = document().result()->job->peaks.size();
    const std::string report = job::toJson(document().result()->job->report);
    QVERIFY(save(path("day.flcc")));
    QVERIFY(!m_window->keeper().isModified());

    renew();
    QVERIFY(open(path("day.flcc")));
    QCOMPARE(document().results().size(), std::size_t{1});
    QCOMPARE(digest(), before);
    QCOMPARE(document().result()->title, QStringLiteral("first try"));
    QCOMPARE(document().result()->job->peaks.size(), peaks);
    QCOMPARE(job::toJson(document().result()->job->report), report);
    QCOMPARE(decision(1), Decision::Keep);
    QCOMPARE(decision(3), Decision::Reject);
    QCOMPARE(document().mask()->name, QStringLiteral("drawn"));
    QCOMPARE(m_window->views().crosshair(), (base::Point{17, 23, 0}));
    QCOMPARE(m_window->views().overlayOpacity(), 0.25);
    QVERIFY(!m_window->keeper().isModified());
    QVERIFY2(m_window->windowTitle().startsWith(QStringLiteral("day.flcc")),
             qPrintable(m_window->windowTitle()));
    test::keepPictures(*m_window, QStringLiteral("project"));

    // Its job makes the map again, with the same peaks.
    const auto first = document().result()->job;
    QVERIFY(test::runAndWait(*m_window));
    QCOMPARE(document().results().size(), std::size_t{2});
    QVERIFY(document().result()->job->map != nullptr);
    for (std::size_t i = 0; i < peaks; ++i) {
        QCOMPARE(document().result()->job->peaks[i].score, first->peaks[i].score);
    }
}

void WindowProjectTest::aMadeSceneComesBackToo() {
    QVERIFY(open(path("scene.mha")));
    ui::SceneEntry made = test::noiseScene({120, 90, 1}, 8);
    made.name = QStringLiteral("smoothed");
    const auto pixels = made.image;
    document().addMadeScene(made);
    QVERIFY(save(path("day.flcc")));
    renew();
    QVERIFY(open(path("day.flcc")));
    QCOMPARE(document().scenes().size(), std::size_t{2});
    QVERIFY(document().scenes()[1].made);
    QCOMPARE(document().activeScene(), 1);
    QCOMPARE(base::valueAt(base::viewOf(document().scene().image->pixels), {5, 6, 0}),
             base::valueAt(base::viewOf(pixels->pixels), {5, 6, 0}));
}

void WindowProjectTest::theTitleSaysWhatIsNotSaved() {
    work();
    QTRY_VERIFY(m_window->windowTitle().contains(QStringLiteral("(modified)")));
    QVERIFY(save(path("day.flcc")));
    QVERIFY(!m_window->windowTitle().contains(QStringLiteral("(modified)")));
    decide(2, Decision::Unsure);
    QTRY_VERIFY(m_window->windowTitle().contains(QStringLiteral("(modified)")));
    document().undoStack().undo(); // what is saved is there again
    QTRY_VERIFY(!m_window->windowTitle().contains(QStringLiteral("(modified)")));
    // Looking at something is no change; a field of the Match panel is one.
    m_window->views().setCrosshair({3, 4, 0});
    document().selectPeak(2);
    QVERIFY(!m_window->keeper().isModified());
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(7);
    QVERIFY(m_window->keeper().isModified());
}

void WindowProjectTest::quittingAsksBeforeWorkIsLost() {
    m_window->close(); // nothing is lost
    QVERIFY(!m_window->isVisible());
    renew();
    work();
    m_window->close();
    QVERIFY(m_window->isVisible());
    auto& question = test::child<QMessageBox>(*m_window, "loseQuestion");
    QVERIFY2(question.text().contains(QStringLiteral("2 decisions")), qPrintable(question.text()));
    QCOMPARE(question.defaultButton()->objectName(), QStringLiteral("saveFirst"));
    test::keepPictures(*m_window, QStringLiteral("quit"));
    question.reject();
    QVERIFY(m_window->isVisible());
    QVERIFY(save(path("day.flcc")));
    decide(0, Decision::Keep);
    m_window->close();
    answer("loseQuestion", "saveFirst");
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(job::decisionsIn(job::readProject(path("day.flcc"))), std::int64_t{3});
    renew();
    QVERIFY(open(path("day.flcc")));
    decide(0, Decision::Reject);
    m_window->close();
    answer("loseQuestion", "loseIt");
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(job::decisionsIn(job::readProject(path("day.flcc"))), std::int64_t{3});
}

void WindowProjectTest::aMovedFileIsFoundOrAskedFor() {
    work();
    QVERIFY(save(path("day.flcc")));
    renew();
    // Moved with the project: found without a word.
    fs::create_directories(path("moved"));
    fs::rename(path("day.flcc"), path("moved/day.flcc"));
    fs::rename(path("scene.mha"), path("moved/scene.mha"));
    QVERIFY(open(path("moved/day.flcc")));
    QCOMPARE(document().scene().path, path("moved/scene.mha"));
    QVERIFY(!m_window->keeper().isModified());
    // Elsewhere: asked for.
    renew();
    fs::create_directories(path("away"));
    fs::rename(path("moved/scene.mha"), path("away/scene.mha"));
    QVERIFY(open(path("moved/day.flcc")));
    answer("fileQuestion", "openWithout");
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(decision(1), Decision::Keep);
    QVERIFY(m_window->matchPanel().reasonAgainstRun().contains(QStringLiteral("not there")));
    QVERIFY(!test::child<QAction>(*m_window, "exportParticles").isEnabled());
    renew();
    QVERIFY(open(path("moved/day.flcc")));
    answer("fileQuestion", "findFile");
    auto& dialog = test::child<QFileDialog>(*m_window, "findFileDialog");
    Q_EMIT dialog.fileSelected(QString::fromStdString(path("away/scene.mha").string()));
    dialog.close();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document().scene().path, path("away/scene.mha"));
    QVERIFY(m_window->keeper().isModified()); // opening does not write, not even this
    QVERIFY(m_window->matchPanel().reasonAgainstRun().isEmpty());
}

void WindowProjectTest::aChangedFileIsNotTakenInSilence() {
    work();
    QVERIFY(save(path("day.flcc")));
    renew();
    const ui::SceneEntry other = test::noiseScene({120, 90, 1}, 4);
    (void)io::writeImage(path("scene.mha"), base::viewOf(other.image->pixels), {});
    QVERIFY(open(path("day.flcc")));
    auto& question = test::child<QMessageBox>(*m_window, "fileQuestion");
    QVERIFY2(question.text().contains(QStringLiteral("another one")), qPrintable(question.text()));
    test::keepPictures(*m_window, QStringLiteral("changed"));
    QVERIFY(!document().hasScene());
    answer("fileQuestion", "takeChanged");
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(document().hasScene());
}

void WindowProjectTest::workOutlivesAKill() {
    m_window->keeper().storeIn(path("state"));
    m_window->keeper().setPace(50, 50);
    work();
    const auto isStored = [this] {
        const fs::directory_iterator all(path("state"));
        return std::any_of(begin(all), end(all), [](const fs::directory_entry& each) {
            return each.path().native().ends_with("-autosave");
        });
    };
    QTRY_VERIFY(isStored());
    decide(0, Decision::Unsure); // at once in the journal
    const std::string before = digest();
    // As a kill leaves it: nothing is tidied up.
    fs::copy(path("state"), path("killed"), fs::copy_options::recursive);
    for (const auto& each : fs::directory_iterator(path("killed"))) {
        if (each.path().native().ends_with("-lock")) {
            fs::remove(each.path());
        }
    }
    m_window->closeAtOnce();
    renew();
    m_window->keeper().storeIn(path("killed"));
    m_window->projects().offerLeft();
    test::keepPictures(*m_window, QStringLiteral("left"));
    answer("leftQuestion", "recoverWork");
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(document().result() != nullptr, qPrintable(sentence()));
    QCOMPARE(digest(), before);
    QCOMPARE(decision(0), Decision::Unsure);
    QCOMPARE(decision(1), Decision::Keep);
    QVERIFY(m_window->keeper().isModified());
    // It stays until it is saved or thrown away.
    QVERIFY(ui::UnsavedWork::leftIn(path("killed")).empty()); // somebody works on it
    QVERIFY(save(path("day.flcc")));
    QVERIFY(fs::is_empty(path("killed")) || ui::UnsavedWork::leftIn(path("killed")).empty());
    QCOMPARE(job::decisionsIn(job::readProject(path("day.flcc"))), std::int64_t{3});
}

void WindowProjectTest::unsavedWorkOnAFileIsOffered() {
    m_window->keeper().storeIn(path("state"));
    work();
    QVERIFY(save(path("day.flcc")));
    decide(0, Decision::Keep);
    fs::create_directories(path("other"));
    for (const auto& each : fs::directory_iterator(path(""))) { // as a kill leaves it
        const fs::path name = each.path().filename();
        if (each.is_regular_file() && !name.native().ends_with("-lock")) {
            fs::copy(each.path(), path("other") / name);
        }
    }
    for (const char* choice : {"openRecovered", "openSaved"}) {
        const bool recovered = QLatin1String(choice) == QLatin1String("openRecovered");
        renew();
        QVERIFY(open(path("other/day.flcc")));
        const auto& question = test::child<QMessageBox>(*m_window, "recoverQuestion");
        QVERIFY2(question.text().contains(QStringLiteral("3 decisions")),
                 qPrintable(question.text()));
        answer("recoverQuestion", choice);
        QVERIFY(test::waitUntilIdle(*m_window));
        QCOMPARE(decision(0), recovered ? Decision::Keep : Decision::Undecided);
        QCOMPARE(m_window->keeper().isModified(), recovered);
    }
    QCOMPARE(job::decisionsIn(job::readProject(path("other/day.flcc~unsaved"))), std::int64_t{3});
}

void WindowProjectTest::twoWindowsDoNotWriteOneFile() {
    work();
    QVERIFY(save(path("day.flcc")));
    m_window->keeper().storeIn(path("state"));
    renew();
    QVERIFY(open(path("day.flcc")));
    const auto second = test::shownWindow();
    second->openFile(QString::fromStdString(path("day.flcc").string()));
    QVERIFY(test::waitUntilIdle(*second));
    QVERIFY(second->document().hasScene());
    QVERIFY2(second->keeper().reasonAgainstSaving().contains(QStringLiteral("another window")),
             qPrintable(second->keeper().reasonAgainstSaving()));
    QVERIFY(second->windowTitle().contains(QStringLiteral("(read only)")));
    bool saved = true;
    second->document().setBox(base::Box{{1, 2, 0}, {5, 5, 1}});
    second->keeper().save(path("other.flcc"), [&](bool ok) { saved = ok; });
    QTRY_VERIFY(second->keeper().file() == path("other.flcc") && saved);
    second->keeper().save(path("day.flcc"),
                          [&](bool ok) { saved = ok; }); // still that of the first
    QTRY_VERIFY(!saved);
    QCOMPARE(job::decisionsIn(job::readProject(path("day.flcc"))), std::int64_t{2});
    second->closeAtOnce();
    // The same window may open its project again, as a way back.
    decide(0, Decision::Keep);
    m_window->openFile(QString::fromStdString(path("day.flcc").string()));
    answer("loseQuestion", "loseIt");
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(m_window->keeper().reasonAgainstSaving().isEmpty(),
             qPrintable(m_window->keeper().reasonAgainstSaving()));
    QCOMPARE(decision(0), Decision::Undecided);
}

void WindowProjectTest::anEarlierVersionOpensAsUnsaved() {
    work();
    QVERIFY(save(path("day.flcc")));
    decide(0, Decision::Keep);
    QVERIFY(save(path("day.flcc")));
    auto& menu = test::child<QMenu>(*m_window, "earlierVersions");
    m_window->projects().fillEarlier(menu);
    QCOMPARE(menu.actions().size(), 1);
    QVERIFY2(menu.actions().front()->text().contains(QStringLiteral("2 decisions")),
             qPrintable(menu.actions().front()->text()));
    menu.actions().front()->trigger();
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(decision(0), Decision::Undecided);
    QVERIFY(m_window->keeper().isModified());
    QCOMPARE(job::decisionsIn(job::readProject(path("day.flcc"))), std::int64_t{3});
}

void WindowProjectTest::aBrokenFileLosesNothing() {
    work();
    const std::string before = digest();
    std::ofstream(path("broken.flcc")) << R"({"format": "flcc project", "version": "1.0",)";
    m_window->openFile(QString::fromStdString(path("broken.flcc").string()));
    answer("loseQuestion", "saveFirst"); // asked first, since opening would replace the work
    auto& dialog = test::child<QFileDialog>(*m_window, "saveProjectDialog");
    dialog.selectFile(QString::fromStdString(path("day.flcc").string()));
    QMetaObject::invokeMethod(&dialog, "accept");
    QTRY_VERIFY(sentence().contains(QStringLiteral("cannot be read")));
    QCOMPARE(digest(), before);
    QVERIFY(fs::exists(path("day.flcc")));
}

void WindowProjectTest::aFullDiskIsToldOnce() {
    if (::access("/dev/full", W_OK) != 0) {
        QSKIP("no /dev/full");
    }
    work();
    // A folder that cannot be written stands for a disk that is full.
    fs::create_directories(path("state"));
    m_window->keeper().storeIn(path("state"));
    m_window->keeper().setPace(30, 30);
    fs::permissions(path("state"), fs::perms::none);
    if (::access(path("state").c_str(), W_OK) == 0) { // root may write anywhere
        fs::permissions(path("state"), fs::perms::all);
        fs::remove_all(path("state"));
    }
    decide(0, Decision::Keep);
    QTRY_VERIFY(sentence().contains(QStringLiteral("cannot be stored")));
    test::child<ui::MessageBar>(*m_window, "messageBar").hide();
    decide(0, Decision::Reject);
    QTest::qWait(300);
    QVERIFY(test::child<ui::MessageBar>(*m_window, "messageBar").isHidden());
    fs::create_directories(path("state"));
    fs::permissions(path("state"), fs::perms::all);
}

const flcc::test::TestClass<WindowProjectTest> kWindowProjectTest;

#include "window_project_test.moc"
