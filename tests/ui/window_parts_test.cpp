#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListView>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include "engine/cuda/plugin/engine.h"
#include "engine/io/image_file.h"
#include "tests/engine/cuda/device_double.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/base/text.h"
#include "ui/match/match_flow.h"
#include "ui/open/data_model.h"
#include "ui/results/exporter.h"
#include "ui/views/views_panel.h"

using namespace flcc;

class WindowPartsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void theStartPageNeedsNoHorizontalScrollBar_data();
    void theStartPageNeedsNoHorizontalScrollBar();
    void theSamplesFitIntoASmallScreen();
    void withoutABoxItsFieldsAreEmpty();
    void typedNumbersMakeABox();
    void exportedPeaksAreThoseShown();
    void aRemovedResultGivesItsMemoryBack();
    void errorsOfOpeningAreLogged();
    void theColourNoteIsLoggedOnce();
    void namesThatAreNoUtf8Open();
    void openingEndsARunThatWaits();
    void workOfUnknownLengthHasNoAnimation();
    void unitsAreWrittenAlikeEverywhere();
    void extentsAndTypeAreNotCutOff();
    void aboutListsTheLibrariesOfTheViews();
    void aMachineWithoutADriverSaysSo();

  private:
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    [[nodiscard]] QString log() {
        QTest::qWait(1); // lines come through the event loop
        return test::child<QPlainTextEdit>(*m_window, "logText").toPlainText();
    }
    [[nodiscard]] QString sentence() {
        return test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    }
    void runOnNoise();
    /// Details of the results in the data panel.
    [[nodiscard]] QStringList resultDetails();

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

/// A machine that has the GPU engine, and no driver.
void WindowPartsTest::initTestCase() {
    test::deviceDouble().start = {cuda::kDriverTooOld, 0, 13000, 0};
    cuda::Engine::standIn(&test::doubleTable());
}

void WindowPartsTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = test::shownWindow();
}

void WindowPartsTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowPartsTest::runOnNoise() {
    ui::Document& document = m_window->document();
    if (!document.hasScene()) {
        document.setScene(test::noiseScene({200, 160, 1}, 21));
        document.setBox(base::Box{{30, 40, 0}, {17, 15, 1}});
        document.cutTemplate();
        test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.1);
    }
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

QStringList WindowPartsTest::resultDetails() {
    QStringList details;
    const QAbstractItemModel& model = *test::child<QListView>(*m_window, "dataList").model();
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.index(row, 0).data(ui::DataModel::ResultRole).toInt() >= 0) {
            details << model.index(row, 0).data(ui::DataModel::DetailRole).toString();
        }
    }
    return details;
}

void WindowPartsTest::theStartPageNeedsNoHorizontalScrollBar_data() {
    QTest::addColumn<int>("width");
    for (const int width : {1000, 1200, 1600}) {
        QTest::newRow(qPrintable(QString::number(width))) << width;
    }
}

void WindowPartsTest::theStartPageNeedsNoHorizontalScrollBar() {
    QFETCH(int, width);
    m_window->resize(width, 760);
    QTRY_COMPARE(m_window->width(), width);
    QTest::qWait(50);
    auto& page = test::child<QWidget>(*m_window, "startPage");
    auto* area = page.findChild<QScrollArea*>();
    QVERIFY(area != nullptr);
    for (const char* name : {"sample_cells", "sample_tomogram", "sample_tiny"}) {
        const auto& card = test::child<QWidget>(page, name);
        const int right = card.mapTo(&page, card.rect().bottomRight()).x();
        QVERIFY2(right < area->viewport()->width(),
                 qPrintable(QString("%1 ends at %2").arg(QLatin1String(name)).arg(right)));
    }
    QVERIFY(!area->horizontalScrollBar()->isVisible());
    QTRY_VERIFY(area->widget()->width() <= area->viewport()->width());
}

void WindowPartsTest::theSamplesFitIntoASmallScreen() {
    m_window = test::shownWindow(test::Panel::AsShipped);
    m_window->resize(1280, 800 - 20); // with a title bar on 1280x800
    m_window->tell(ui::MessageBar::Kind::Info, QStringLiteral("Words of it. ").repeated(16));
    QTest::qWait(50);
    auto& page = test::child<QWidget>(*m_window, "startPage");
    const auto* area = page.findChild<QScrollArea*>();
    for (const char* name : {"sample_cells", "sample_tomogram", "sample_tiny"}) {
        const auto& card = test::child<QWidget>(page, name);
        const auto bottom = [&] {
            return card.mapTo(area->viewport(), card.rect().bottomLeft()).y();
        };
        QTRY_VERIFY2(bottom() < area->viewport()->height(),
                     qPrintable(QString("%1 ends at %2").arg(QLatin1String(name)).arg(bottom())));
    }
}

void WindowPartsTest::withoutABoxItsFieldsAreEmpty() {
    ui::Document& document = m_window->document();
    const auto texts = [this] {
        QStringList all;
        for (const char* name : {"boxX", "boxY", "boxW", "boxH"}) {
            all << test::child<QSpinBox>(*m_window, name).text();
        }
        return all.join(QChar(' '));
    };
    document.setScene(test::noiseScene({120, 90, 1}, 1));
    QCOMPARE(texts(), QString::fromUtf8("– – – –"));
    document.setBox(base::Box{{0, 7, 0}, {1, 20, 1}});
    QCOMPARE(texts(), QStringLiteral("0 7 1 20"));
    document.setScene(test::noiseScene({60, 50, 1}, 1));
    QCOMPARE(texts(), QString::fromUtf8("– – – –"));
    QCOMPARE(test::child<QLabel>(*m_window, "boxSize").text(), QStringLiteral("No box"));
}

void WindowPartsTest::typedNumbersMakeABox() {
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({120, 90, 1}, 1));
    const auto type = [this](const char* name, const char* number) {
        auto& field = test::child<QSpinBox>(*m_window, name);
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QLatin1String(number));
        QTest::keyClick(&field, Qt::Key_Return);
    };
    type("boxX", "0");
    type("boxY", "12");
    type("boxW", "30");
    QVERIFY(!document.box());
    QCOMPARE(test::child<QSpinBox>(*m_window, "boxW").value(), 30);
    type("boxH", "25");
    QVERIFY(document.box() == (base::Box{{0, 12, 0}, {30, 25, 1}}));
}

void WindowPartsTest::exportedPeaksAreThoseShown() {
    runOnNoise();
    const auto& all = m_window->document().result()->job->peaks;
    QVERIFY(all.size() > 3);
    auto& score = test::child<QDoubleSpinBox>(*m_window, "minScore");
    score.setValue((all[1].score + all[2].score) / 2);
    const auto& table = test::child<QTableView>(*m_window, "peaksTable");
    QCOMPARE(table.model()->rowCount(), 2);
    QCOMPARE(resultDetails(), QStringList(QStringLiteral("2 of %1 peaks").arg(all.size())));
    m_window->exporter().writePeaks(file("peaks.csv"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(sentence().contains(QStringLiteral("2 of %1 peaks, those at or above %2")
                                     .arg(all.size())
                                     .arg(score.value(), 0, 'f', 3)),
             qPrintable(sentence()));
    QFile peaks(m_folder->filePath(QStringLiteral("peaks.csv")));
    QVERIFY(peaks.open(QIODevice::ReadOnly));
    int rows = -1; // the names of the columns
    for (const QByteArray& line : peaks.readAll().split('\n')) {
        rows += !line.isEmpty() && !line.startsWith('#') ? 1 : 0;
    }
    QCOMPARE(rows, 2);
    score.setValue(0.1);
    m_window->exporter().writePeaks(file("peaks.csv"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(sentence().endsWith(QStringLiteral(" %1 peaks.").arg(all.size())),
             qPrintable(sentence()));
}

void WindowPartsTest::aRemovedResultGivesItsMemoryBack() {
    runOnNoise();
    runOnNoise();
    ui::Document& document = m_window->document();
    QCOMPARE(document.results().size(), std::size_t{2});
    const std::weak_ptr<const job::JobResult> second = document.results()[1].job;
    const std::weak_ptr<const job::JobResult> first = document.results()[0].job;
    // Just too large for undo, which then brings back the peaks alone.
    document.setMostResultBytes(ui::resultBytes(*second.lock()) * ui::kRemovedShare - 1);
    auto& list = test::child<QListView>(*m_window, "dataList");
    const auto clickLast = [&list] {
        const QModelIndex last = list.model()->index(list.model()->rowCount() - 1, 0);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                          list.visualRect(last).center());
    };
    clickLast();
    QTest::keyClick(&list, Qt::Key_Delete);
    QCOMPARE(document.results().size(), std::size_t{1});
    QCOMPARE(document.shownResult(), 0);
    QVERIFY(m_window->views().shownMap() == document.result()->job->map.get());
    QTRY_VERIFY(second.expired()); // when the views are drawn without it
    QVERIFY(!first.expired());
    clickLast();
    QTest::keyClick(&list, Qt::Key_Delete);
    QVERIFY(document.results().empty());
    QCOMPARE(document.shownResult(), -1);
    QVERIFY(m_window->views().shownMap() == nullptr);
    QCOMPARE(test::child<QTableView>(*m_window, "peaksTable").model()->rowCount(), 0);
    QTRY_VERIFY(first.expired());
    document.undoStack().undo();
    QCOMPARE(document.results().size(), std::size_t{1});
    QVERIFY(document.result()->mapReleased && !document.result()->job->peaks.empty());
    document.undoStack().redo();
    runOnNoise();
    QCOMPARE(document.results().size(), std::size_t{1});
}

void WindowPartsTest::errorsOfOpeningAreLogged() {
    m_window->openFile(m_folder->filePath(QStringLiteral("missing.mha")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(log().count(QStringLiteral("missing.mha")),
             sentence().count(QStringLiteral("missing.mha")));
    QVERIFY2(log().contains(QStringLiteral("error")), qPrintable(log()));
    // Errors of work that failed are there once as well.
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({50, 40, 1}, 3));
    m_window->exporter().writeScreenshot(file("no/folder/here.png"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(log().count(sentence()), 1);
}

void WindowPartsTest::theColourNoteIsLoggedOnce() {
    QImage colours(80, 60, QImage::Format_RGB32);
    for (int y = 0; y < 60; ++y) {
        for (int x = 0; x < 80; ++x) {
            colours.setPixel(x, y, qRgb(x * 37 % 251, y * 71 % 241, x * y % 239));
        }
    }
    QVERIFY(colours.save(m_folder->filePath(QStringLiteral("colours.png"))));
    m_window->openFile(m_folder->filePath(QStringLiteral("colours.png")));
    QTRY_VERIFY(m_window->document().hasScene());
    m_window->document().setBox(base::Box{{20, 20, 0}, {12, 10, 1}});
    runOnNoise();
    runOnNoise();
    QCOMPARE(log().count(QStringLiteral("luminance")), 1);
}

void WindowPartsTest::namesThatAreNoUtf8Open() {
    const std::filesystem::path odd = file("caf\xe9 \xf0\x9f\x92\x80.mha");
    const ui::SceneEntry scene = test::noiseScene({30, 20, 1}, 9);
    io::writeImage(odd, base::viewOf(scene.image->pixels), {});
    m_window->openFile(ui::pathText(odd));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY2(m_window->document().hasScene(), qPrintable(sentence()));
    QCOMPARE(m_window->flow().currentJob().scene.string(), odd.string());
    for (const char* name :
         {"plain", "\xc3\xa4", "\xf0\x9f\x92\x80\x80", "\xff\xfe", "a\xc3", ""}) {
        QCOMPARE(ui::toPath(ui::pathText(name)).string(), std::string(name));
    }
}

void WindowPartsTest::openingEndsARunThatWaits() {
    const ui::SceneEntry other = test::noiseScene({40, 30, 1}, 2);
    io::writeImage(file("other.mha"), base::viewOf(other.image->pixels), {});
    ui::Document& document = m_window->document();
    document.setScene(test::noiseScene({2000, 2000, 1}, 5));
    document.setBox(base::Box{{100, 200, 0}, {63, 61, 1}});
    QVERIFY(test::waitUntilIdle(*m_window));
    QSignalSpy failed(&m_window->controller(), &ui::RunController::failed);
    QSignalSpy progress(&m_window->controller(), &ui::RunController::mapStarted);
    m_window->flow().run();
    m_window->openFile(m_folder->filePath(QStringLiteral("other.mha")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(document.sceneExtents().x, std::int64_t{40});
    QCOMPARE(progress.count(), 0);
    QCOMPARE(failed.count(), 0);
}

void WindowPartsTest::workOfUnknownLengthHasNoAnimation() {
    auto& bar = test::child<QProgressBar>(*m_window, "statusProgress");
    QSignalSpy started(&m_window->controller(), &ui::RunController::started);
    bool animated = false;
    bool shown = false;
    connect(&m_window->controller(), &ui::RunController::phaseChanged, this,
            [&] { animated = animated || (bar.isVisible() && bar.minimum() == bar.maximum()); });
    connect(&m_window->controller(), &ui::RunController::progressChanged, this,
            [&] { shown = shown || bar.isVisible(); });
    // Long enough that its progress is asked for several times.
    m_window->document().setScene(test::noiseScene({4000, 4000, 1}, 5));
    m_window->document().setBox(base::Box{{100, 200, 0}, {63, 61, 1}});
    runOnNoise();
    QVERIFY(started.count() > 0);
    QVERIFY(!animated);
    QVERIFY(shown); // once a share is known
    QVERIFY(bar.maximum() > bar.minimum());
    QVERIFY(!bar.isVisible());
}

void WindowPartsTest::unitsAreWrittenAlikeEverywhere() {
    ui::SceneEntry scene = test::noiseScene({50, 40, 1}, 3);
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = base::copyOf(base::viewOf(scene.image->pixels));
    image->geometry.unit = "A";
    image->geometry.unitSource = base::UnitSource::Header;
    scene.image = image;
    m_window->document().setScene(scene);
    m_window->document().setBox(base::Box{{4, 5, 0}, {10, 10, 1}});
    m_window->views().setCrosshair({3, 3, 0});
    const QString unit = QString::fromUtf8("Å");
    for (const char* name : {"statusWorld", "boxSize"}) {
        const QString text = test::child<QLabel>(*m_window, name).text();
        QVERIFY2(text.endsWith(QChar(' ') + unit), qPrintable(text));
    }
    const QAbstractItemModel& model = *test::child<QListView>(*m_window, "dataList").model();
    QCOMPARE(model.index(1, 0).data(ui::DataModel::BadgeRole).toString(), unit);
    QVERIFY(ui::announcement(QStringLiteral("a"), *image, image->geometry).contains(unit));
}

void WindowPartsTest::extentsAndTypeAreNotCutOff() {
    // As wide as volumes get today; the third line has room for type and unit beside each other.
    m_window->document().setScene(test::noiseScene({2048, 12, 10}, 3));
    auto& list = test::child<QListView>(*m_window, "dataList");
    QTest::qWait(50);
    const QModelIndex scene = list.model()->index(1, 0);
    const QFontMetrics metrics(list.font());
    const int room = list.visualRect(scene).width() - 74;
    QVERIFY2(metrics.horizontalAdvance(QString::fromUtf8("2048×2048×1024")) <= room,
             qPrintable(QString::number(room)));
    QVERIFY(metrics.horizontalAdvance(scene.data(ui::DataModel::DetailRole).toString()) <= room);
    QVERIFY(metrics.horizontalAdvance(scene.data(ui::DataModel::TypeRole).toString()) + 40 <= room);
    QVERIFY(scene.data(Qt::ToolTipRole).toString().contains(QString::fromUtf8("2048 × 12 × 10")));
}

void WindowPartsTest::aboutListsTheLibrariesOfTheViews() {
    test::child<QAction>(*m_window, "about").trigger();
    auto& box = test::child<QMessageBox>(*m_window, "about");
    for (const char* library : {"Qt 6.", "VTK 9.", "FFTW fftw-3.", "License, version 3 or later"}) {
        QVERIFY2(box.text().contains(QLatin1String(library)), qPrintable(box.text()));
    }
    box.close();
}

void WindowPartsTest::aMachineWithoutADriverSaysSo() {
    const auto& box = test::child<QComboBox>(*m_window, "device");
    const int row = box.findData(QStringLiteral("cuda"));
    QVERIFY(row > 0);
    QCOMPARE(box.itemText(row), QStringLiteral("CUDA: no NVIDIA driver is installed"));
    QVERIFY(!box.model()->flags(box.model()->index(row, 0)).testFlag(Qt::ItemIsEnabled));

    test::child<QAction>(*m_window, "about").trigger();
    auto& about = test::child<QMessageBox>(*m_window, "about");
    for (const char* line :
         {"cpu: ", "cuda: CUDA (cannot be used: no NVIDIA driver is installed)"}) {
        QVERIFY2(about.text().contains(QLatin1String(line)), qPrintable(about.text()));
    }
    about.close();
}

const flcc::test::TestClass<WindowPartsTest> kWindowPartsTest;

#include "window_parts_test.moc"
