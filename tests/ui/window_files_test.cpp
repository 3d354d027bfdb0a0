#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDataStream>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFormLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>

#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/report.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/base/settings.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/results/exporter.h"

using namespace flcc;

namespace {

/// An ImageJ stack of 2 channels in 3 frames, 16 x 16, every page filled with its number.
QByteArray hyperstack() {
    constexpr quint32 kSide = 16;
    constexpr quint32 kPages = 6;
    const QByteArray text("ImageJ=1.53\nimages=6\nchannels=2\nframes=3\nhyperstack=true\n");
    QByteArray file;
    QDataStream out(&file, QIODevice::WriteOnly);
    out.setByteOrder(QDataStream::LittleEndian);
    constexpr quint32 kText = 8;
    const quint32 pixels = kText + static_cast<quint32>(text.size());
    const quint32 tables = pixels + kPages * kSide * kSide;
    constexpr quint32 kTable = 2 + 10 * 12 + 4;
    out << quint16{0x4949} << quint16{42} << tables;
    out.writeRawData(text.constData(), static_cast<int>(text.size()));
    for (quint32 page = 0; page < kPages; ++page) {
        const QByteArray plane(kSide * kSide, static_cast<char>(page));
        out.writeRawData(plane.constData(), static_cast<int>(plane.size()));
    }
    for (quint32 page = 0; page < kPages; ++page) {
        const auto tag = [&out](quint16 id, quint16 type, quint32 count, quint32 value) {
            out << id << type << count << value;
        };
        out << quint16{10};
        tag(256, 3, 1, kSide);
        tag(257, 3, 1, kSide);
        tag(258, 3, 1, 8);
        tag(259, 3, 1, 1);
        tag(262, 3, 1, 1);
        tag(270, 2, static_cast<quint32>(text.size()), kText);
        tag(273, 4, 1, pixels + page * kSide * kSide);
        tag(277, 3, 1, 1);
        tag(278, 3, 1, kSide);
        tag(279, 4, 1, kSide * kSide);
        out << (page + 1 < kPages ? tables + (page + 1) * kTable : quint32{0});
    }
    return file;
}

} // namespace

class WindowFilesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void whatOpensIsAnnouncedAndRemembered();
    void aFileThatCannotBeReadIsASentenceAndTheNextOneOpens();
    void aDroppedFileOpens();
    void severalChannelsAndFramesAreAskedForAndNeverInterleaved();
    void aTemplateIsSavedWithItsPlaceAndOpensAgain();
    void exportedFilesReadBackAsTheResult();
    void noExportReplacesAFileOfTheDocument();
    void theExportDialogWritesWhereItSays();
    void thePreviewShowsTheFileThatIsWritten();
    void peaksAndReportAreCopiedAsText();
    void aJobFileComesBackIntoTheControls();
    void theCommandLineReadsBackAsTheJob();

  private:
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return m_folder->filePath(QLatin1String(name)).toStdString();
    }
    /// Writes a noise scene with a spacing and opens it.
    void openScene();
    void cutAndRun();
    bool saved();
    [[nodiscard]] QString sentence() {
        return test::child<ui::MessageBar>(*m_window, "messageBar").sentence();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowFilesTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = test::shownWindow();
}

void WindowFilesTest::cleanup() {
    m_window.reset();
    m_folder.reset();
}

void WindowFilesTest::openScene() {
    const ui::SceneEntry scene = test::noiseScene({140, 110, 1}, 9);
    base::Geometry geometry;
    geometry.spacing = {0.5, 0.5, 1};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    io::writeImage(file("scene.mha"), base::viewOf(scene.image->pixels), geometry);
    m_window->openFile(m_folder->filePath(QStringLiteral("scene.mha")));
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFilesTest::cutAndRun() {
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
}

bool WindowFilesTest::saved() {
    return test::waitUntilIdle(*m_window) && sentence().startsWith(QStringLiteral("Saved"));
}

void WindowFilesTest::whatOpensIsAnnouncedAndRemembered() {
    openScene();
    const QString text = sentence();
    for (const char* part : {"scene.mha", "140 × 110", "float32", "0.5 × 0.5", "header"}) {
        QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
    }
    QCOMPARE(ui::Settings::recentFiles().value(0), m_folder->filePath(QStringLiteral("scene.mha")));
    QVERIFY(ui::Opener::filters().startsWith(QStringLiteral("All images")));
}

void WindowFilesTest::aFileThatCannotBeReadIsASentenceAndTheNextOneOpens() {
    QFile broken(m_folder->filePath(QStringLiteral("broken.png")));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.close();
    QSignalSpy failed(&m_window->opener(), &ui::Opener::failed);
    m_window->openFile(broken.fileName());
    QTRY_COMPARE(failed.count(), 1);
    const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
    QVERIFY(bar.isVisible());
    QCOMPARE(bar.kind(), ui::MessageBar::Kind::Error);
    QVERIFY2(bar.sentence().contains(QStringLiteral("broken.png")), qPrintable(bar.sentence()));
    QVERIFY(!m_window->document().hasScene());
    openScene();
    QVERIFY(m_window->document().hasScene());
}

void WindowFilesTest::aDroppedFileOpens() {
    const ui::SceneEntry scene = test::noiseScene({30, 20, 1}, 9);
    io::writeImage(file("dropped.mha"), base::viewOf(scene.image->pixels), {});
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_folder->filePath(QStringLiteral("dropped.mha")))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_VERIFY(m_window->document().hasScene());
    QCOMPARE(m_window->document().scene().name, QStringLiteral("dropped.mha"));
}

void WindowFilesTest::severalChannelsAndFramesAreAskedForAndNeverInterleaved() {
    QFile stack(m_folder->filePath(QStringLiteral("stack.tif")));
    QVERIFY(stack.open(QIODevice::WriteOnly));
    stack.write(hyperstack());
    stack.close();
    m_window->openFile(stack.fileName());
    QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("choiceDialog")) != nullptr);
    auto& dialog = test::child<QDialog>(*m_window, "choiceDialog");
    QTRY_VERIFY(dialog.isVisible());
    QVERIFY(!m_window->document().hasScene());
    test::child<QSpinBox>(dialog, "choiceChannel").setValue(1);
    test::child<QSpinBox>(dialog, "choiceFrame").setValue(2);
    QTest::keyClick(&dialog, Qt::Key_Return);
    QTRY_VERIFY(m_window->document().hasScene());
    QVERIFY(m_window->document().sceneExtents() == (base::Extents{16, 16, 1}));
    // Channels run fastest: frame 2 of channel 1 is page 5.
    QCOMPARE(base::valueAt(base::viewOf(m_window->document().scene().image->pixels), {7, 9, 0}),
             5.0);
    QCOMPARE(m_window->flow().currentJob().channel.value_or(-1), 1);
    QCOMPARE(m_window->flow().currentJob().frame.value_or(-1), 2);
}

void WindowFilesTest::aTemplateIsSavedWithItsPlaceAndOpensAgain() {
    openScene();
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    m_window->document().cutTemplate();
    const ui::TemplateEntry cut = *m_window->document().templ();
    m_window->exporter().writeTemplate(file("template.mha"));
    QVERIFY(saved());
    m_window->opener().open(ui::Opener::Target::Template, file("template.mha"));
    QVERIFY(test::waitUntilIdle(*m_window));
    const ui::TemplateEntry& opened = *m_window->document().templ();
    QCOMPARE(opened.name, QStringLiteral("template.mha"));
    QVERIFY(!opened.crop);
    QVERIFY2(opened.place.contains(QStringLiteral("20,30,0:12,10,1")), qPrintable(opened.place));
    QVERIFY(opened.place.contains(QStringLiteral("scene.mha")));
    const base::AnyView before = base::viewOf(cut.image->pixels);
    const base::AnyView after = base::viewOf(opened.image->pixels);
    QVERIFY(base::extentsOf(before) == base::extentsOf(after));
    for (std::int64_t y = 0; y < 10; ++y) {
        for (std::int64_t x = 0; x < 12; ++x) {
            QCOMPARE(base::valueAt(after, {x, y, 0}), base::valueAt(before, {x, y, 0}));
        }
    }
    // The origin is where it was cut.
    QCOMPARE(opened.image->geometry.origin[0], 20 * 0.5);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result()->job->peaks.front().corner == (base::Index{20, 30, 0}));
}

void WindowFilesTest::exportedFilesReadBackAsTheResult() {
    openScene();
    cutAndRun();
    const job::JobResult& result = *m_window->document().result()->job;
    ui::Exporter& exporter = m_window->exporter();

    exporter.writeMap(file("map.mha"));
    QVERIFY(saved());
    const io::LoadedImage map = io::readImage(file("map.mha"));
    const auto& values = std::get<base::Image<float>>(map.components.front());
    QVERIFY(values.extents() == result.map->value.extents());
    QVERIFY(std::equal(values.data(), values.data() + values.count(), result.map->value.data()));

    exporter.writeStatus(file("status.mha"));
    QVERIFY(saved());
    const io::LoadedImage status = io::readImage(file("status.mha"));
    const auto& marks = std::get<base::Image<std::uint8_t>>(status.components.front());
    for (std::int64_t i = 0; i < marks.count(); ++i) {
        QCOMPARE(marks.data()[i], static_cast<std::uint8_t>(result.map->status.data()[i]));
    }

    exporter.writePeaks(file("peaks.csv"));
    QVERIFY(saved());
    QFile peaks(m_folder->filePath(QStringLiteral("peaks.csv")));
    QVERIFY(peaks.open(QIODevice::ReadOnly));
    QStringList rows;
    for (const QString& line : QString::fromUtf8(peaks.readAll()).split(QChar('\n'))) {
        if (!line.isEmpty() && !line.startsWith(QChar('#'))) {
            rows << line;
        }
    }
    QCOMPARE(rows.size(), static_cast<qsizetype>(result.peaks.size()) + 1);
    QVERIFY(rows.front().startsWith(QStringLiteral("rank,score,x,y,z")));
    QCOMPARE(rows[1].split(QChar(',')).mid(2, 3), QStringList({"20", "30", "0"}));

    exporter.writeReport(file("report.json"));
    QVERIFY(saved());
    const method::Candidate chosen = job::chosenCandidate(file("report.json").string());
    QVERIFY(chosen == result.report.plan.chosen()->candidate);

    exporter.writeReport(file("report.html"));
    QVERIFY(saved());
    QFile page(m_folder->filePath(QStringLiteral("report.html")));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray html = page.readAll();
    QVERIFY(html.contains("<h2>Gallery</h2>") && html.contains("<h2>Scores</h2>"));
    QCOMPARE(html.count("<img "), static_cast<qsizetype>(1 + result.peaks.size()));

    for (const char* const name : {"figure.png", "figure.svg", "figure.pdf"}) {
        exporter.writeFigure(file(name));
        QVERIFY(saved());
    }
    // Two panels of 210 points and a colour bar, at 300 pixels on an inch.
    QVERIFY(QImage(m_folder->filePath(QStringLiteral("figure.png"))).width() > 2 * 210 * 300 / 72);

    exporter.writeHeatmap(file("heatmap.png"));
    QVERIFY(saved());
    const QImage heatmap(m_folder->filePath(QStringLiteral("heatmap.png")));
    QCOMPARE(heatmap.width(), static_cast<int>(result.map->value.extents().x));
    QVERIFY(heatmap.pixel(20, 30) != heatmap.pixel(60, 60));

    exporter.writeScreenshot(file("views.png"));
    QVERIFY(saved());
    const QImage views(m_folder->filePath(QStringLiteral("views.png")));
    QVERIFY(views.width() > 300);
    QVERIFY(views.pixel(views.width() / 2, views.height() / 2) != views.pixel(4, 4));
}

void WindowFilesTest::noExportReplacesAFileOfTheDocument() {
    // The scene is a header with its voxels beside it.
    const ui::SceneEntry scene = test::noiseScene({140, 110, 1}, 9);
    io::writeImage(file("voxels.mha"), base::viewOf(scene.image->pixels), {});
    QFile voxels(m_folder->filePath(QStringLiteral("voxels.mha")));
    QVERIFY(voxels.open(QIODevice::ReadOnly));
    const QByteArray bytes = voxels.readAll();
    QFile header(m_folder->filePath(QStringLiteral("scene.mhd")));
    QVERIFY(header.open(QIODevice::WriteOnly));
    header.write(bytes.left(bytes.indexOf("ElementDataFile")) +
                 "HeaderSize = -1\nElementDataFile = voxels.mha\n");
    header.close();
    io::writeText(file("job.json"),
                  R"({"scene": ")" + file("scene.mhd").string() + R"(", "crop": "20,30:12,10"})");
    QVERIFY(
        QFile::link(QStringLiteral("voxels.mha"), m_folder->filePath(QStringLiteral("link.mha"))));
    m_window->loadJob(m_folder->filePath(QStringLiteral("job.json")), true);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->document().result() != nullptr);
    ui::Exporter& exporter = m_window->exporter();
    const QSignalSpy saved(&exporter, &ui::Exporter::saved);
    const auto refused = [&] {
        return test::waitUntilIdle(*m_window) && saved.isEmpty() &&
               sentence().contains(QStringLiteral("would replace the input"));
    };
    exporter.writeMap(file("voxels.mha"));
    QVERIFY2(refused(), qPrintable(sentence()));
    exporter.writeStatus(file("link.mha"));
    QVERIFY2(refused(), qPrintable(sentence()));
    exporter.writeReport(file("job.json"));
    QVERIFY2(refused(), qPrintable(sentence()));
    QVERIFY(voxels.seek(0));
    QCOMPARE(voxels.readAll(), bytes);
    exporter.writeJob(file("job.json")); // which replaces the job that was loaded
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(saved.count(), 1);
}

void WindowFilesTest::theExportDialogWritesWhereItSays() {
    openScene();
    cutAndRun();
    test::click(test::child<QWidget>(*m_window, "peaksExport"));
    auto& formats = test::child<QDialog>(*m_window, "peaksExportDialog");
    QTRY_VERIFY(formats.isVisible());
    test::click(*formats.findChild<QDialogButtonBox*>()->buttons().front());
    auto& dialog = test::child<QFileDialog>(*m_window, "exportDialog");
    QTRY_VERIFY(dialog.isVisible());
    auto& name = test::child<QLineEdit>(dialog, "fileNameEdit");
    name.setText(m_folder->filePath(QStringLiteral("by dialog")));
    QTest::keyClick(&name, Qt::Key_Return);
    QTRY_VERIFY(QFile::exists(m_folder->filePath(QStringLiteral("by dialog.csv"))));
    QVERIFY(saved());
    QCOMPARE(ui::Settings::folder(QStringLiteral("export")), m_folder->path());
}

void WindowFilesTest::thePreviewShowsTheFileThatIsWritten() {
    openScene();
    cutAndRun();
    test::click(test::child<QWidget>(*m_window, "peaksExport"));
    auto& formats = test::child<QDialog>(*m_window, "peaksExportDialog");
    QTRY_VERIFY(formats.isVisible());
    formats.activateWindow(); // until then keys are for the views
    QTRY_COMPARE(QApplication::activeWindow(), &formats);
    auto& format = test::child<QComboBox>(formats, "peaksFormat");
    auto& preview = test::child<QPlainTextEdit>(formats, "peaksPreview");
    auto& save = *formats.findChild<QDialogButtonBox*>()->buttons().front();
    QVERIFY(preview.toPlainText().contains(QStringLiteral("rank,score,x,y,z")));
    QVERIFY(!test::child<QWidget>(formats, "peaksBinning").isVisible());
    QVERIFY(!test::child<QWidget>(formats, "peaksTomogram").isVisible());
    QVERIFY(format.currentText().startsWith(QStringLiteral("CSV"))); // none was chosen before
    for (int i = 0; i < 4; ++i) {                                    // to RELION 5
        QTest::keyClick(&format, Qt::Key_Down);
    }
    QVERIFY2(format.currentText().startsWith(QStringLiteral("RELION 5")),
             qPrintable(format.currentText()));
    QVERIFY(test::child<QWidget>(formats, "peaksBinning").isVisible());
    QVERIFY(!save.isEnabled());
    QVERIFY(test::child<QLabel>(formats, "peaksExportNotes")
                .text()
                .contains(QStringLiteral("\"Unbinned size\"")));
    QVERIFY(preview.geometry().bottom() <= save.parentWidget()->geometry().top());
    QTest::keyClicks(&test::child<QLineEdit>(formats, "peaksBinning"), QStringLiteral("4"));
    auto& size = test::child<QLineEdit>(formats, "peaksUnbinnedSize");
    const base::Extents n = m_window->document().sceneExtents();
    // Voxels of 0.5 mm: pixel and size follow from the scene.
    auto& pixel = test::child<QLineEdit>(formats, "peaksUnbinnedPixel");
    QCOMPARE(size.placeholderText(),
             QStringLiteral("%1,%2,1 (from the scene)").arg(4 * n.x).arg(4 * n.y));
    QCOMPARE(pixel.placeholderText(), QStringLiteral("1.25e+06 (from the scene)"));
    QVERIFY(save.isEnabled());
    auto& notes = test::child<QLabel>(formats, "peaksExportNotes");
    QVERIFY2(notes.text().contains(QStringLiteral("From the scene: pixel of the tilt series")) &&
                 notes.text().contains(QStringLiteral("unbinned size")),
             qPrintable(notes.text()));
    QTest::keyClicks(&pixel, QStringLiteral("1.35"));
    QVERIFY(!save.isEnabled()); // of other voxels
    QVERIFY2(notes.text().contains(QStringLiteral("make voxels of 5.4 angstrom")),
             qPrintable(notes.text()));
    pixel.clear();
    QTest::keyClicks(&size, QStringLiteral("400 x 300x1"));
    QVERIFY(!save.isEnabled()); // another scene has that size
    QVERIFY2(notes.text().contains(QStringLiteral("is expected")), qPrintable(notes.text()));
    size.clear();
    QTest::keyClicks(&size, QStringLiteral("%1 x %2x1").arg(4 * n.x + 2).arg(4 * n.y));
    QVERIFY(save.isEnabled());
    auto& tomogram = test::child<QLineEdit>(formats, "peaksTomogram");
    const std::filesystem::path scene = m_window->document().scene().image->source;
    QCOMPARE(tomogram.text(), QString::fromStdString(scene.stem().string())); // offered
    tomogram.clear();
    QTest::keyClicks(&tomogram, QStringLiteral("TS_01"));
    // The label says what the rows name.
    const auto labelFor = [&](io::ListFormat kind) {
        auto& choice = test::child<QComboBox>(formats, "peaksFormat");
        choice.setCurrentIndex(choice.findData(static_cast<int>(kind)));
        const auto* form = qobject_cast<QFormLayout*>(tomogram.parentWidget()->layout());
        return static_cast<QLabel*>(form->labelForField(&tomogram))->text();
    };
    QCOMPARE(labelFor(io::ListFormat::Micrograph), QStringLiteral("Micrograph"));
    QCOMPARE(labelFor(io::ListFormat::Relion5), QStringLiteral("Tomogram"));
    const QString shown = preview.toPlainText();
    QVERIFY(shown.contains(QStringLiteral("_rlnCenteredCoordinateXAngst")));
    QVERIFY(shown.contains(QStringLiteral("TS_01")));
    test::click(save);
    auto& dialog = test::child<QFileDialog>(*m_window, "exportDialog");
    QTRY_VERIFY(dialog.isVisible());
    auto& name = test::child<QLineEdit>(dialog, "fileNameEdit");
    name.setText(m_folder->filePath(QStringLiteral("picks")));
    QTest::keyClick(&name, Qt::Key_Return);
    QFile written(m_folder->filePath(QStringLiteral("picks.star")));
    QTRY_VERIFY(written.exists());
    QVERIFY(saved());
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(QString::fromUtf8(written.readAll()).startsWith(shown.trimmed()));
    // The next list needs the same facts.
    QTRY_VERIFY(m_window->findChild<QDialog*>(QStringLiteral("peaksExportDialog")) == nullptr);
    test::click(test::child<QWidget>(*m_window, "peaksExport"));
    auto& again = test::child<QDialog>(*m_window, "peaksExportDialog");
    QCOMPARE(test::child<QLineEdit>(again, "peaksUnbinnedSize").text(),
             QStringLiteral("%1,%2,1").arg(4 * n.x + 2).arg(4 * n.y));
    QCOMPARE(test::child<QLineEdit>(again, "peaksTomogram").text(),
             QString::fromStdString(scene.stem().string())); // that of one scene is not kept
    QVERIFY(test::child<QComboBox>(again, "peaksFormat")
                .currentText()
                .startsWith(QStringLiteral("RELION 5"))); // the last one
    again.close();
}

void WindowFilesTest::peaksAndReportAreCopiedAsText() {
    openScene();
    cutAndRun();
    test::click(test::child<QWidget>(*m_window, "peaksCopy"));
    const QString peaks = QApplication::clipboard()->text();
    QVERIFY2(peaks.contains(QStringLiteral("\t20\t30\t")), qPrintable(peaks));
    QVERIFY(peaks.contains(QStringLiteral("x [0-based]")));
    test::child<QTabWidget>(*m_window, "resultTabs").setCurrentIndex(1);
    test::click(test::child<QWidget>(*m_window, "reportCopy"));
    QCOMPARE(QApplication::clipboard()->text(),
             QString::fromStdString(job::toText(*m_window->flow().report())));
}

void WindowFilesTest::aJobFileComesBackIntoTheControls() {
    openScene();
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    m_window->document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.35);
    test::child<QSpinBox>(*m_window, "maxPeaks").setValue(7);
    const job::Job before = m_window->flow().currentJob();
    m_window->exporter().writeJob(file("job.json"));
    QVERIFY(saved());
    m_window = test::shownWindow();
    m_window->loadJob(m_folder->filePath(QStringLiteral("job.json")));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(m_window->flow().currentJob() == before);
}

void WindowFilesTest::theCommandLineReadsBackAsTheJob() {
    openScene();
    m_window->document().setBox(base::Box{{20, 30, 0}, {12, 10, 1}});
    m_window->document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.35);
    test::child<QAction>(*m_window, "copyCommandLine").trigger();
    const QString line = QApplication::clipboard()->text();
    QVERIFY2(line.startsWith(QStringLiteral("flcc-cli match ")), qPrintable(line));
    QCOMPARE(line, QString::fromStdString(job::toCommandLine(m_window->flow().currentJob())));
    QVERIFY(line.contains(QStringLiteral("--crop 20,30,0:12,10,1")) ||
            line.contains(QStringLiteral("--crop 20,30:12,10")));
}

const flcc::test::TestClass<WindowFilesTest> kWindowFilesTest;

#include "window_files_test.moc"
