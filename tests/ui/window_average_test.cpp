#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUndoStack>

#include <algorithm>

#include "engine/io/image_file.h"
#include "engine/match/panels.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/judge/average_dialog.h"
#include "ui/results/exporter.h"
#include "ui/results/particle_export.h"
#include "ui/results/particles_dialog.h"
#include "ui/results/peaks_model.h"

// What is made of judged peaks: an average to search for, and a stack of particles.

using namespace flcc;
using match::Decision;

class WindowAverageTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void theAverageOfKeptPeaksIsSearchedFor();
    void darkPeaksAreInverted();
    void particlesAreCutAtKeptPeaks();
    void particlesFoundTurnedAreTurnedBack();

  private:
    [[nodiscard]] QString file(const char* name) const {
        return m_folder.filePath(QLatin1String(name));
    }
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    [[nodiscard]] QTableView& table() { return test::child<QTableView>(*m_window, "peaksTable"); }
    [[nodiscard]] Decision decisionOf(std::size_t peak) {
        const ui::ResultEntry& result = *document().result();
        return result.decisions.of(match::keyOf(result.job->peaks[peak]));
    }
    void trigger(const char* action) { test::child<QAction>(*m_window, action).trigger(); }
    void select(int first, int last);

    QTemporaryDir m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowAverageTest::init() {
    m_window = test::shownWindow();
    document().setScene(test::noiseScene({120, 90, 1}, 3));
    document().setBox(base::Box{{30, 40, 0}, {9, 9, 1}});
    document().cutTemplate();
    test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.25);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(document().result()->job->peaks.size() > 8);
}

/// Clicks a row of the table, then another one with Shift.
void WindowAverageTest::select(int first, int last) {
    const auto at = [this](int row) {
        return table().visualRect(table().model()->index(row, ui::PeaksModel::Score)).center();
    };
    QTest::mouseClick(table().viewport(), Qt::LeftButton, Qt::NoModifier, at(first));
    if (last != first) {
        QTest::mouseClick(table().viewport(), Qt::LeftButton, Qt::ShiftModifier, at(last));
    }
}

void WindowAverageTest::theAverageOfKeptPeaksIsSearchedFor() {
    const std::vector<match::Peak> peaks = document().result()->job->peaks;
    // Peaks 2 to 4, whose boxes lie inside the scene.
    select(1, 3);
    QTest::keyClick(&table(), Qt::Key_Space);
    select(0, 0);
    trigger("averagePeaks");
    auto& dialog = test::child<ui::AverageDialog>(*m_window, "averageDialog");
    auto& of = test::child<QComboBox>(dialog, "averageOf");
    auto& text = test::child<QLabel>(dialog, "averageText");
    auto& use = test::child<QPushButton>(dialog, "averageUse");
    const auto averaged = [&](std::size_t first, std::size_t last) {
        const std::vector<match::Peak> meant(peaks.begin() + static_cast<std::ptrdiff_t>(first),
                                             peaks.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        return match::averageOf(base::viewOf(document().scene().image->pixels), meant,
                                {{9, 9, 1}, match::Normalise::None, true});
    };
    QTRY_VERIFY(use.isEnabled());
    QCOMPARE(of.currentText(), QStringLiteral("Kept peaks (3)"));
    QVERIFY2(text.text().contains(QStringLiteral("Mean of 3 peaks")), qPrintable(text.text()));
    test::keepPictures(*m_window, QStringLiteral("average"));
    if (const QByteArray folder = qgetenv("FLCC_TEST_PICTURES"); !folder.isEmpty()) {
        QVERIFY(dialog.grab().save(QString::fromLocal8Bit(folder + "/average-dialog.png")));
    }
    // It follows decisions, and several selected peaks.
    // Without a window manager the first request may come to nothing.
    QVERIFY(QTest::qWaitFor(
        [this] {
            m_window->activateWindow();
            return QApplication::activeWindow() == m_window.get();
        },
        30'000));
    select(3, 3);
    QTest::keyClick(&table(), Qt::Key_X);
    QVERIFY(decisionOf(3) == Decision::Reject);
    QTRY_VERIFY2(text.text().contains(QStringLiteral("Mean of 2 peaks")),
                 qPrintable(text.text() + of.currentText()));
    select(1, 3);
    QTRY_VERIFY(text.text().contains(QStringLiteral("Mean of 3 peaks")));
    QCOMPARE(of.currentText(), QStringLiteral("Selected peaks (3)"));
    QTRY_VERIFY(use.isEnabled());
    // As a template it is one undo step.
    const int steps = document().undoStack().count();
    const auto before = document().templ()->image;
    test::click(use);
    QCOMPARE(document().undoStack().count(), steps + 1);
    QVERIFY(!document().templ()->crop);
    const auto& made = std::get<base::Image<float>>(document().templ()->image->pixels);
    const match::Average expected = averaged(1, 3);
    QCOMPARE(expected.count, 3);
    for (std::int64_t i = 0; i < made.count(); ++i) {
        QCOMPARE(made.data()[i], static_cast<float>(expected.mean.data()[i]));
    }
    trigger("undo");
    QVERIFY(document().templ()->image == before);
    // One click searches for it.
    const std::size_t results = document().results().size();
    test::click(test::child<QPushButton>(dialog, "averageSearch"));
    QVERIFY(!dialog.isVisible());
    QTRY_COMPARE(document().results().size(), results + 1);
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto& searched = document().result()->job->templates.front()->pixels;
    QVERIFY(base::pixelType(searched) == base::PixelType::Float32);
    QCOMPARE(std::get<base::Image<float>>(searched).data()[40],
             static_cast<float>(expected.mean.data()[40]));
}

/// Peaks of both signs do not cancel each other.
void WindowAverageTest::darkPeaksAreInverted() {
    test::child<QComboBox>(*m_window, "polarity").setCurrentIndex(2);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const auto& peaks = document().result()->job->peaks;
    const auto dark = std::ranges::count_if(
        peaks, [](const match::Peak& peak) { return peak.dark.value_or(false); });
    QVERIFY(dark > 0 && dark < std::ssize(peaks));
    trigger("averagePeaks");
    auto& dialog = test::child<ui::AverageDialog>(*m_window, "averageDialog");
    auto& text = test::child<QLabel>(dialog, "averageText");
    QTRY_VERIFY(test::child<QPushButton>(dialog, "averageUse").isEnabled());
    const match::Average expected =
        match::averageOf(base::viewOf(document().scene().image->pixels), peaks,
                         {{9, 9, 1}, match::Normalise::None, true});
    QVERIFY(expected.inverted > 0);
    QVERIFY2(text.text().contains(QStringLiteral("; %1 dark ones inverted").arg(expected.inverted)),
             qPrintable(text.text()));
}

void WindowAverageTest::particlesAreCutAtKeptPeaks() {
    select(1, 3);
    QTest::keyClick(&table(), Qt::Key_Space);
    trigger("exportParticles");
    auto& dialog = test::child<ui::ParticlesDialog>(*m_window, "particlesDialog");
    QCOMPARE(test::child<QComboBox>(dialog, "particlesOnly").currentText(),
             QStringLiteral("Kept ones only (3)"));
    QCOMPARE(dialog.only(), std::vector{Decision::Keep});
    auto& size = test::child<QLineEdit>(dialog, "particlesSize");
    QCOMPARE(size.text(), QStringLiteral("9x9"));
    const auto& summary = test::child<QLabel>(dialog, "particlesSummary");
    QVERIFY2(summary.text().startsWith(QStringLiteral("3 boxes")), qPrintable(summary.text()));
    auto* const save = test::child<QDialogButtonBox>(dialog, "particlesButtons").buttons().front();
    for (const char* wrong : {"", "0", "9x", "121", "9x9x2"}) {
        size.setText(QLatin1String(wrong));
        QVERIFY2(!save->isEnabled(), wrong);
    }
    size.setText(QStringLiteral("7x5"));
    QVERIFY(save->isEnabled());
    test::child<QComboBox>(dialog, "particlesNormalise").setCurrentIndex(2);
    test::child<QCheckBox>(dialog, "particlesSubvoxel").setChecked(true);
    if (const QByteArray folder = qgetenv("FLCC_TEST_PICTURES"); !folder.isEmpty()) {
        QVERIFY(dialog.grab().save(QString::fromLocal8Bit(folder + "/particles-dialog.png")));
    }
    const match::PanelOptions options = dialog.options();
    QVERIFY(options.size == (base::Extents{7, 5, 1}));
    QVERIFY(options.normalise == match::Normalise::ZScore && options.subvoxel);
    QCOMPARE(dialog.extension(), QStringLiteral(".mrc"));
    dialog.reject();
    QSignalSpy saved(&m_window->exporter(), &ui::Exporter::saved);
    m_window->particles().write(file("p.mrc").toStdString(), options, {Decision::Keep});
    QVERIFY(test::waitUntilIdle(*m_window));
    QCOMPARE(saved.size(), 1);
    const QString sentence = saved.front().front().toString();
    QVERIFY2(sentence.contains(QStringLiteral("3 boxes of 7x5x1")), qPrintable(sentence));
    const auto& peaks = document().result()->job->peaks;
    const match::Panels panels =
        match::cutPanels(base::viewOf(document().scene().image->pixels),
                         std::vector(peaks.begin() + 1, peaks.begin() + 4), options);
    const io::LoadedImage read = io::readImage(file("p.mrc").toStdString());
    const auto& stack = std::get<base::Image<float>>(read.components.front());
    QVERIFY(stack.extents() == panels.voxels.extents());
    QVERIFY(std::equal(stack.data(), stack.data() + stack.count(), panels.voxels.data()));
    // Nothing is saved where no box lies inside the scene.
    QSignalSpy refused(&m_window->exporter(), &ui::Exporter::saved);
    m_window->particles().write(file("none.mrc").toStdString(), {{120, 90, 1}}, {Decision::Keep});
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(refused.isEmpty());
    QVERIFY(!QFile::exists(file("none.mrc")));
}

void WindowAverageTest::particlesFoundTurnedAreTurnedBack() {
    // No peak was turned: there is nothing to ask.
    trigger("exportParticles");
    auto& plain = test::child<ui::ParticlesDialog>(*m_window, "particlesDialog");
    QVERIFY(!test::child<QCheckBox>(plain, "particlesTurned").isVisible());
    QVERIFY(!plain.options().turnedBack);
    plain.reject();
    ui::ParticlesDialog dialog({.decisions = {Decision::Undecided},
                                .templ = {9, 9, 1},
                                .scene = {120, 90, 1},
                                .turned = true},
                               m_window.get());
    dialog.show();
    auto& turned = test::child<QCheckBox>(dialog, "particlesTurned");
    auto& subvoxel = test::child<QCheckBox>(dialog, "particlesSubvoxel");
    QVERIFY(turned.isVisible() && !turned.isChecked() && subvoxel.isEnabled());
    QVERIFY(!dialog.options().turnedBack && !dialog.options().subvoxel);
    test::click(turned);
    QVERIFY(dialog.options().turnedBack && dialog.options().subvoxel);
    QVERIFY(!subvoxel.isEnabled()); // what is turned is interpolated
}

const flcc::test::TestClass<WindowAverageTest> kWindowAverageTest;

#include "window_average_test.moc"
