#include <QCheckBox>
#include <QSlider>
#include <QTableView>
#include <QTest>

#include <set>

#include "engine/base/pixels.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"
#include "ui/views/views_panel.h"

using namespace flcc;

class WindowStreamTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { m_window = test::shownWindow(); }
    void cleanup() { m_window.reset(); }
    void slicesAreSearchedAndSteppedThrough();
    void onlyAStackCanBeAStream();
    void aThickTemplateIsRefused();

  private:
    [[nodiscard]] ui::Document& document() { return m_window->document(); }
    QCheckBox& box() { return test::child<QCheckBox>(*m_window, "stream"); }
    void check() {
        box().setFocus();
        QTest::keyClick(&box(), Qt::Key_Space);
        QVERIFY(box().isChecked());
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowStreamTest::slicesAreSearchedAndSteppedThrough() {
    constexpr base::Extents kStack{64, 48, 5};
    const base::Box cut{{20, 15, 2}, {13, 11, 1}};
    document().setScene(test::noiseScene(kStack, 11));
    document().setBox(cut);
    check();
    QVERIFY(test::runAndWait(*m_window));
    const ui::ResultEntry* result = document().result();
    QVERIFY(result != nullptr);
    QVERIFY(result->settings.stream);
    const job::JobResult& stream = *result->job;
    QVERIFY(stream.map->value.extents() == (base::Extents{52, 38, 5}));
    QCOMPARE(stream.report.frames.size(), std::size_t{5});
    QVERIFY((stream.peaks.at(0).corner == base::Index{20, 15, 2}));
    QCOMPARE(stream.peaks[0].score, 1.0);
    // Each slice is the map of this slice alone.
    const auto& scene = document().scene().image;
    for (std::int64_t z = 0; z < kStack.z; ++z) {
        auto slice = std::make_shared<job::SceneImage>();
        slice->pixels = base::copyOf(
            base::partOf(base::viewOf(scene->pixels), {{0, 0, z}, {kStack.x, kStack.y, 1}}));
        job::Job alone = result->settings;
        alone.stream = false;
        alone.crops.clear();
        job::JobImages images;
        images.scene = slice;
        images.templates = stream.templates;
        const job::JobResult one = job::runJob(alone, images);
        const float* values = stream.map->value.data() + z * one.map->value.count();
        // The plans may differ, so that values differ by both bounds, which keep the promise.
        for (std::int64_t i = 0; i < one.map->value.count(); ++i) {
            QVERIFY(std::abs(values[i] - one.map->value.data()[i]) <= 2 * alone.promise);
        }
    }
    // The slice slider steps through the frames; at that of the best peak the map is its map.
    auto& slider = test::child<QSlider>(*m_window, "viewXYSlider");
    QCOMPARE(slider.value(), 2); // the best peak is selected
    QCOMPARE(slider.maximum(), 4);
    slider.setFocus();
    QTest::keyClick(&slider, Qt::Key_Home);
    QTRY_COMPARE(m_window->views().crosshair()[2], 0.0);
    // Another threshold gives the peaks of every frame, and no peaks across frames.
    const std::size_t few = stream.peaks.size();
    job::Job lower = m_window->matchPanel().settings();
    lower.minScore = 0.2;
    m_window->matchPanel().setSettings(lower);
    QTRY_VERIFY_WITH_TIMEOUT(document().result()->job->peaks.size() > few, 10'000);
    QVERIFY(test::waitUntilIdle(*m_window));
    const std::vector<match::Peak>& many = document().result()->job->peaks;
    std::set<std::int64_t> frames;
    for (const match::Peak& peak : many) {
        frames.insert(peak.corner.z);
        QCOMPARE(peak.centre[2], static_cast<double>(peak.corner.z));
    }
    QCOMPARE(frames.size(), std::size_t{5});
}

void WindowStreamTest::onlyAStackCanBeAStream() {
    document().setScene(test::noiseScene({64, 48, 4}, 11));
    QVERIFY(box().isEnabled());
    check();
    QVERIFY(m_window->matchPanel().settings().stream);
    document().setScene(test::noiseScene({64, 48, 1}, 11));
    QVERIFY(!box().isEnabled());
    QVERIFY(!m_window->matchPanel().settings().stream);
}

void WindowStreamTest::aThickTemplateIsRefused() {
    document().setScene(test::noiseScene({64, 48, 4}, 11));
    document().setBox(base::Box{{20, 15, 1}, {13, 11, 2}});
    check();
    QTRY_VERIFY_WITH_TIMEOUT(
        m_window->matchPanel().planCard().text().contains(QStringLiteral("has 2 slices")), 10'000);
}

const flcc::test::TestClass<WindowStreamTest> kWindowStreamTest;
#include "window_stream_test.moc"
