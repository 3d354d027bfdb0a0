#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include <filesystem>
#include <fstream>

#include "engine/io/image_file.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/batch/batch_dialog.h"
#include "ui/batch/batch_model.h"

// One match on many files from the window.

using namespace flcc;
using job::BatchState;
namespace fs = std::filesystem;

class WindowBatchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void manyFilesAreSearchedAndAFailureStopsNothing();

  private:
    [[nodiscard]] fs::path path(const char* name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }

    QTemporaryDir m_folder;
};

void WindowBatchTest::manyFilesAreSearchedAndAFailureStopsNothing() {
    fs::create_directories(path("in"));
    for (const char* name : {"in/a.mha", "in/b.mha", "in/c.mha"}) {
        const ui::SceneEntry scene = test::noiseScene({120, 90, 1}, 3);
        (void)io::writeImage(path(name), base::viewOf(scene.image->pixels), {});
    }
    fs::resize_file(path("in/b.mha"), 700);
    const auto window = test::shownWindow();
    window->openFile(QString::fromStdString(path("in/a.mha").string()));
    QVERIFY(test::waitUntilIdle(*window));
    window->document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    window->document().cutTemplate();
    auto mask = std::make_shared<job::MaskImage>();
    mask->support = base::Image<std::uint8_t>({9, 9, 1}, 1);
    mask->support.data()[3] = 0;
    window->document().setActiveMask({mask, QStringLiteral("drawn"), {}});
    QVERIFY(test::waitUntilIdle(*window));
    test::child<QAction>(*window, "batchAction").trigger();
    auto& dialog = *window->findChild<ui::BatchDialog*>();
    auto& start = test::child<QPushButton>(dialog, "batchStart");
    QVERIFY(!start.isEnabled());
    dialog.addFiles({path("in")});
    QCOMPARE(dialog.model().rowCount(), 3);
    test::child<QLineEdit>(dialog, "batchFolder")
        .setText(QString::fromStdString(path("out").string()));
    test::child<QCheckBox>(dialog, "batchMaps").setChecked(true);
    QVERIFY(start.isEnabled());
    test::click(start);
    const auto ended = [&] {
        return std::ranges::none_of(dialog.model().rows(), [](const job::BatchRow& row) {
            return row.state == BatchState::Waiting;
        });
    };
    QTRY_VERIFY_WITH_TIMEOUT(ended(), 20'000);
    QVERIFY(test::waitUntilIdle(*window));
    const auto& rows = dialog.model().rows();
    QCOMPARE(rows[0].state, BatchState::Done);
    QVERIFY(rows[0].peaks >= 1);
    QCOMPARE(rows[1].state, BatchState::Failed);
    QCOMPARE(rows[2].peaks, rows[0].peaks); // the same pixels
    const auto& table = test::child<QTableView>(dialog, "batchTable");
    QVERIFY(table.model()
                ->index(1, ui::BatchModel::State)
                .data()
                .toString()
                .startsWith(QStringLiteral("failed: ")));
    QVERIFY(test::child<QLabel>(dialog, "batchVerdict").text().contains(QStringLiteral("2 of 3")));
    test::keepPictures(*window, QStringLiteral("batch"));
    for (const char* name : {"out/a-peaks.csv", "out/c-map.mha", "out/all-peaks.csv",
                             "out/job.json", "out/template-0.mha", "out/mask-0.mha"}) {
        QVERIFY2(fs::exists(path(name)), name);
    }
    QVERIFY(!fs::exists(path("out/b-peaks.csv")));
    // Again: what is done stays done, what failed is tried.
    fs::copy_file(path("in/a.mha"), path("in/b.mha"), fs::copy_options::overwrite_existing);
    test::click(start);
    QTRY_VERIFY_WITH_TIMEOUT(dialog.model().rows()[1].state == BatchState::Done, 20'000);
    QVERIFY(test::waitUntilIdle(*window));
    QVERIFY(dialog.model().rows()[0].earlier);
    QVERIFY(!dialog.model().rows()[1].earlier);
    dialog.close();
}

const flcc::test::TestClass<WindowBatchTest> kWindowBatchTest;

#include "window_batch_test.moc"
