#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTest>
#include <QToolButton>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_panel.h"

// The section "Prepared for noise" of the Match panel.

using namespace flcc;

class WindowNoiseTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_window = test::shownWindow();
        m_window->document().setScene(test::noiseScene({40, 36, 30}, 5));
        m_window->document().setBox(base::Box{{10, 10, 10}, {14, 14, 14}});
        m_window->document().cutTemplate();
        QVERIFY(test::waitUntilIdle(*m_window));
        auto& head = test::child<QToolButton>(*m_window, "foldNoise");
        if (!head.isChecked()) {
            QTest::qWait(1); // the layout
            test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&head);
            QTest::mouseClick(&head, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
        }
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

  private:
    ui::MatchPanel& panel() { return m_window->matchPanel(); }
    QString state() { return test::child<QLabel>(*m_window, "prepared").text(); }
    QImage spectrum() {
        return test::child<QLabel>(*m_window, "preparedSpectrum").pixmap().toImage();
    }
    void type(const char* name, const char* text) {
        auto& field = test::child<QLineEdit>(*m_window, name);
        test::child<QScrollArea>(*m_window, "matchScroll").ensureWidgetVisible(&field);
        field.setFocus();
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClicks(&field, QLatin1String(text));
        QTest::keyClick(&field, Qt::Key_Return);
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

const flcc::test::TestClass<WindowNoiseTest> kWindowNoiseTest;
#include "window_noise_test.moc"
