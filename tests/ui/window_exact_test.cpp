#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

#include <cmath>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/base/message_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/plan/plan_card.h"
#include "ui/views/views_panel.h"

using namespace flcc;

namespace {

/// Types a text into a field as a person does.
void enter(QLineEdit& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_Delete);
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
}

/// Noise with one bright row, beside which float32 cannot keep the promise.
ui::SceneEntry stripedScene(const base::Extents& extents = {150, 140, 1}, float bright = 3e5F) {
    ui::SceneEntry entry = test::noiseScene(extents, 6);
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = base::copyOf(base::viewOf(entry.image->pixels));
    scene->source = "memory:stripe";
    auto& pixels = std::get<base::Image<float>>(scene->pixels);
    std::fill_n(pixels.view().row(70, 0), extents.x, bright);
    entry.image = scene;
    return entry;
}

/// What a view shows at a voxel: how far its colour is from grey.
int colourfulness(ui::MainWindow& window, const base::Point& voxel) {
    const ui::ViewFrame& frame = *window.views().frames()[0];
    const viz::Picture picture = frame.widget()->snapshot(true);
    const viz::DisplayPoint at = frame.scene().displayOf(voxel);
    const match::Colour colour =
        picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
    const auto [least, most] = std::minmax_element(colour.begin(), colour.end());
    return *most - *least;
}

} // namespace

class WindowExactTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup();
    void aTypedRegionIsSearchedAloneAndDrawnAtItsPlace();
    void theBoxBecomesTheRegionAndIsCleared();
    void aRegionOutsideTheSceneIsASentence();
    void theCardSaysWhatWasRecomputedAndAudited();
    void lowConfScoresAreMarkedAndExplained();
    void anIncompleteListSaysSo();
    void aPromiseThatIsNoneIsASentence();

  private:
    [[nodiscard]] QLineEdit& region() { return test::child<QLineEdit>(*m_window, "region"); }
    void cut(const ui::SceneEntry& scene, const base::Box& box);

    std::unique_ptr<ui::MainWindow> m_window;
};

void WindowExactTest::init() { m_window = test::shownWindow(); }

void WindowExactTest::cleanup() { m_window.reset(); }

void WindowExactTest::cut(const ui::SceneEntry& scene, const base::Box& box) {
    m_window->document().setScene(scene);
    m_window->document().setBox(box);
    m_window->document().cutTemplate();
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowExactTest::aTypedRegionIsSearchedAloneAndDrawnAtItsPlace() {
    cut(test::noiseScene({160, 120, 1}, 11), {{60, 50, 0}, {15, 13, 1}});
    enter(region(), QStringLiteral("40,30:80,60"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY((m_window->flow().report()->plan.problem.scene == base::Extents{80, 60, 1}));
    QVERIFY(test::runAndWait(*m_window));
    const job::JobResult& result = *m_window->document().result()->job;
    QVERIFY((result.map->value.extents() == base::Extents{66, 48, 1}));
    QVERIFY((result.peaks.front().corner == base::Index{60, 50, 0}));
    QVERIFY((m_window->views().shownCorner() == base::Index{40, 30, 0}));
    // The first placement's centre is voxel 47, 36; the last one's 112, 83.
    const auto drawn = [&](double x, double y) { return colourfulness(*m_window, {x, y, 0}) > 10; };
    QTRY_VERIFY(drawn(50, 40));
    QVERIFY(drawn(109, 80));
    QVERIFY(!drawn(20, 20));
    QVERIFY(!drawn(44, 60));
    QVERIFY(!drawn(116, 60));
    QVERIFY(!drawn(90, 88));
}

void WindowExactTest::theBoxBecomesTheRegionAndIsCleared() {
    auto& use = test::child<QToolButton>(*m_window, "regionUseBox");
    auto& clear = test::child<QToolButton>(*m_window, "regionClear");
    m_window->document().setScene(test::noiseScene({160, 120, 1}, 11));
    QVERIFY(!use.isEnabled() && !clear.isEnabled());
    m_window->document().setBox(base::Box{{20, 10, 0}, {70, 60, 1}});
    test::click(use);
    QCOMPARE(region().text(), QStringLiteral("20,10:70,60"));
    QVERIFY((m_window->matchPanel().settings().region == base::Box{{20, 10, 0}, {70, 60, 1}}));
    test::click(clear);
    QVERIFY(region().text().isEmpty());
    QVERIFY(!m_window->matchPanel().settings().region);
    // A region belongs to its scene; that of a volume has three axes.
    test::click(use);
    m_window->document().setScene(test::noiseScene({40, 30, 20}, 3));
    QVERIFY(!m_window->matchPanel().settings().region);
    m_window->document().setBox(base::Box{{2, 3, 4}, {20, 18, 9}});
    test::click(use);
    QCOMPARE(region().text(), QStringLiteral("2,3,4:20,18,9"));
}

void WindowExactTest::aRegionOutsideTheSceneIsASentence() {
    cut(test::noiseScene({160, 120, 1}, 11), {{60, 50, 0}, {15, 13, 1}});
    enter(region(), QStringLiteral("10,10:100,100"));
    for (const char* wrong : {"100,10:100,50", "10,10", "everything"}) {
        enter(region(), QString::fromLatin1(wrong));
        const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
        QVERIFY(bar.isVisible());
        QCOMPARE(bar.kind(), ui::MessageBar::Kind::Error);
        QCOMPARE(region().text(), QString::fromLatin1(wrong)); // it stays, and nothing runs
        QVERIFY(!m_window->matchPanel().reasonAgainstRun().isEmpty());
    }
    // One that is smaller than the template is known when it is planned.
    enter(region(), QStringLiteral("10,10:12,12"));
    QVERIFY(test::waitUntilIdle(*m_window));
    const QString text = m_window->matchPanel().planCard().text();
    QVERIFY2(text.contains(QStringLiteral("larger than the region")), qPrintable(text));
}

void WindowExactTest::theCardSaysWhatWasRecomputedAndAudited() {
    cut(stripedScene(), {{60, 20, 0}, {15, 13, 1}});
    auto& audit = test::child<QComboBox>(*m_window, "audit");
    audit.setCurrentIndex(audit.findText(QStringLiteral("On")));
    auto& method = test::child<QComboBox>(*m_window, "method");
    method.setCurrentIndex(method.findData(QStringLiteral("tiled")));
    QVERIFY(test::waitUntilIdle(*m_window));
    auto& exactness = test::child<QLabel>(*m_window, "planExactness");
    QVERIFY(!exactness.isVisible()); // nothing ran yet
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY(m_window->document().result()->job->report.map->facts.recomputed > 0);
    QVERIFY(exactness.isVisible());
    const QString text = exactness.text();
    QVERIFY2(text.contains(QStringLiteral("Recomputed in double")), qPrintable(text));
    QVERIFY2(!text.contains(QStringLiteral("Recomputed in double: 0 %")), qPrintable(text));
    QVERIFY2(!text.contains(QStringLiteral("LOWCONF")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Self-audit passed")), qPrintable(text));
}

void WindowExactTest::lowConfScoresAreMarkedAndExplained() {
    cut(stripedScene(), {{60, 20, 0}, {15, 13, 1}});
    auto& method = test::child<QComboBox>(*m_window, "method");
    method.setCurrentIndex(method.findData(QStringLiteral("tiled")));
    enter(test::child<QLineEdit>(*m_window, "promise"), QStringLiteral("1e-5"));
    test::child<QCheckBox>(*m_window, "recompute").setChecked(false);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    const job::JobResult& result = *m_window->document().result()->job;
    QCOMPARE(result.report.plan.problem.promise, 1e-5);
    const std::int64_t lowConf =
        result.report.map->facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
    QVERIFY(lowConf > 0);
    const auto& exactness = test::child<QLabel>(*m_window, "planExactness");
    QVERIFY2(exactness.text().contains(QStringLiteral("LOWCONF: %1").arg(lowConf)),
             qPrintable(exactness.text()));
    QVERIFY(exactness.toolTip().contains(QStringLiteral("of these scores breaks the promise")));
    // A marked voxel is drawn redder than green, which no score of the colour scale is below 0.5.
    std::int64_t marked = 0;
    while (result.map->status.data()[marked] != base::Status::LowConf) {
        ++marked;
    }
    const base::Point centre{static_cast<double>(marked % 136 + 7),
                             static_cast<double>(marked / 136 + 6), 0};
    const ui::ViewFrame& frame = *m_window->views().frames()[0];
    const auto pink = [&] {
        const viz::Picture picture = frame.widget()->snapshot(true);
        const viz::DisplayPoint at = frame.scene().displayOf(centre);
        const match::Colour c =
            picture.at(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
        return c[0] > c[1] + 30 && c[2] > c[1] + 10;
    };
    QTRY_VERIFY(pink());
}

void WindowExactTest::anIncompleteListSaysSo() {
    cut(stripedScene({1050, 1000, 1}, 1e30F), {{60, 20, 0}, {4, 4, 1}});
    auto& method = test::child<QComboBox>(*m_window, "method");
    method.setCurrentIndex(method.findData(QStringLiteral("fourier")));
    const auto& summary = test::child<QLabel>(*m_window, "peaksSummary");
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY2(!summary.text().contains(QStringLiteral("ncomplete")), qPrintable(summary.text()));
    test::child<QCheckBox>(*m_window, "recompute").setChecked(false);
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(test::runAndWait(*m_window));
    QVERIFY2(summary.text().startsWith(QStringLiteral("Incomplete: ")), qPrintable(summary.text()));
    QVERIFY(summary.toolTip().contains(QStringLiteral("voxels are LOWCONF")));
}

void WindowExactTest::aPromiseThatIsNoneIsASentence() {
    auto& field = test::child<QLineEdit>(*m_window, "promise");
    enter(field, QStringLiteral("1e-6"));
    QCOMPARE(m_window->matchPanel().settings().promise, 1e-6);
    for (const char* wrong : {"0", "-1", "5", "much"}) {
        enter(field, QString::fromLatin1(wrong));
        const auto& bar = test::child<ui::MessageBar>(*m_window, "messageBar");
        QCOMPARE(bar.kind(), ui::MessageBar::Kind::Error);
        QCOMPARE(m_window->matchPanel().settings().promise, 1e-6);
        QCOMPARE(field.text(), QString::fromLatin1(wrong));
    }
    enter(field, QString());
    QCOMPARE(m_window->matchPanel().settings().promise, 1e-4);
}

const flcc::test::TestClass<WindowExactTest> kWindowExactTest;

#include "window_exact_test.moc"
