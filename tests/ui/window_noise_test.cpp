#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTest>
#include <QToolButton>

#include <cstring>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"

// The section "Prepared for noise" of the Match panel.

using namespace flcc;

class WindowNoiseTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window =
            test::windowWithTemplate({40, 36, 30}, {{10, 10, 10}, {14, 14, 14}}, "foldNoise");
    }
    void cleanup() { m_window.reset(); }

    void thePicturesFollowTheFields() {
        QTRY_VERIFY(!spectrum().isNull());
        QCOMPARE(state(), QString("Compared as it is"));
        const QImage before = spectrum();
        type("wedge", "45,45");
        QTRY_VERIFY(state().contains("tilts from -45 to 45"));
        const QImage wedged = spectrum();
        QVERIFY(wedged != before);
        // Along the beam, which is up and down, nothing is left.
        const int middle = wedged.width() / 2;
        const auto grey = [&](int x, int y) { return qGray(wedged.pixel(x, y)); };
        int along = 0;
        int beam = 0;
        for (int i = middle / 2; i < middle - 4; ++i) {
            along += grey(middle + i, middle);
            beam += grey(middle, middle + i);
        }
        QVERIFY2(along > 2 * beam, qPrintable(QString("%1 %2").arg(along).arg(beam)));
        type("band", "4,0");
        test::click(test::child<QCheckBox>(*m_window, "whiten"));
        QTRY_VERIFY(state().contains("whitened"));
        QVERIFY(state().contains("wavelengths above 4 px"));
        QVERIFY(spectrum() != wedged);
        test::keepPictures(*m_window, "noise");
    }

    void settingsAreThoseOfTheFields() {
        type("band", "3,30");
        type("ctf", "flipped:2,300");
        type("wedge", "60,50");
        test::child<QComboBox>(*m_window, "polarity").setCurrentIndex(2);
        test::click(test::child<QCheckBox>(*m_window, "whiten"));
        const job::Preparation& now = panel().settings().preparation;
        QCOMPARE(now.band, std::string("3,30"));
        QCOMPARE(now.ctf, std::string("flipped:2,300"));
        QCOMPARE(now.wedge, std::string("60,50"));
        QVERIFY(now.whiten && now.polarity == job::Polarity::Both);
        QTRY_VERIFY(state().contains("spacing")); // a CTF needs lengths
        job::Job job = panel().settings();
        job.preparation = {};
        panel().setSettings(job);
        QVERIFY(!panel().settings().preparation.filters());
        QVERIFY(test::child<QLineEdit>(*m_window, "wedge").text().isEmpty());
    }

    void aTextWithoutAMeaningKeepsTheRunBack() {
        for (const auto& [name, bad, says] :
             {std::tuple("band", "40,3", "Band"), std::tuple("wedge", "60,91", "Wedge"),
              std::tuple("ctf", "2,0", "CTF")}) {
            type(name, bad);
            QVERIFY2(panel().reasonAgainstRun().contains(says),
                     qPrintable(panel().reasonAgainstRun()));
            type(name, "");
        }
        QVERIFY(panel().reasonAgainstRun().isEmpty());
    }

    void aRunIsPrepared() {
        type("wedge", "50,50");
        QVERIFY(test::runAndWait(*m_window));
        const auto& result = *m_window->document().result()->job;
        QVERIFY(result.report.preparation && result.report.preparation->range);
        QVERIFY(!result.peaks.empty());
    }

    /// Lengths are converted by the spacing: the pictures and the next run follow another one, and
    /// the peaks of the run before stay what they were.
    void anotherSpacingPreparesAnew() {
        m_window->document().setSpacing(base::Spacing{{5, 5, 5}, "A"});
        QVERIFY(test::waitUntilIdle(*m_window));
        type("band", "0,40A");
        QTRY_VERIFY(state().contains("wavelengths"));
        test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.9);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(test::runAndWait(*m_window));
        const auto first = m_window->document().result()->job;
        const double at5 = first->peaks.front().score;
        const QImage before = spectrum();
        m_window->document().setSpacing(base::Spacing{{12, 12, 12}, "A"});
        QTRY_VERIFY(spectrum() != before);
        QVERIFY(test::waitUntilIdle(*m_window));
        // The list of the first run is taken again from its map.
        const std::size_t listed = m_window->document().result()->job->peaks.size();
        test::child<QDoubleSpinBox>(*m_window, "minScore").setValue(0.05);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->document().result()->job->peaks.size() > listed, 20'000);
        QVERIFY(test::waitUntilIdle(*m_window));
        const auto& again = m_window->document().result()->job->peaks;
        for (std::size_t i = 0; i < listed; ++i) {
            QCOMPARE(again[i].score, first->peaks[i].score);
        }
        QCOMPARE(again.front().world[0], 12 * again.front().centre[0]);
        // The next run uses the new spacing: the same as a job that states it.
        QVERIFY(test::runAndWait(*m_window));
        const auto& second = *m_window->document().result()->job;
        job::Job job = m_window->flow().currentJob();
        const job::JobResult expected =
            job::runJob(job, {.scene = m_window->document().scene().image,
                              .templates = {m_window->document().templ()->image}});
        QCOMPARE(second.peaks.front().score, expected.peaks.front().score);
        for (std::int64_t i = 0; i < second.map->value.count(); ++i) {
            QCOMPARE(second.map->value.data()[i], expected.map->value.data()[i]);
        }
        job.spacing = base::Spacing{{5, 5, 5}, "A"};
        const auto& old = *job::runJob(job, {.scene = m_window->document().scene().image,
                                             .templates = {m_window->document().templ()->image}})
                               .map;
        QVERIFY(std::memcmp(old.value.data(), second.map->value.data(),
                            sizeof(float) * static_cast<std::size_t>(old.value.count())) != 0);
        QVERIFY(at5 > 0);
    }

  private:
    ui::MatchPanel& panel() { return m_window->matchPanel(); }
    QString state() { return test::child<QLabel>(*m_window, "prepared").text(); }
    QImage spectrum() {
        return test::child<QLabel>(*m_window, "preparedSpectrum").pixmap().toImage();
    }
    void type(const char* name, const char* text) { test::type(*m_window, name, text); }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowNoiseTest> kWindowNoiseTest;
#include "window_noise_test.moc"
