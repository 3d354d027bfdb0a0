#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>

#include <cmath>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/features_panel.h"
#include "ui/views_panel.h"

using namespace flcc;

class WindowFeaturesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void theMenuFindsBlobs();
    void aMemoryLimitIsKept();
    void theSliderHidesWeakBlobsAtOnce();
    void aSelectedBlobMovesTheViewsAndBecomesATemplate();
    void suggestionsAreBoxesThatAMatchCanFind();
    void anotherSceneHasNoBlobsYet();

  private:
    [[nodiscard]] ui::FeaturesPanel& panel() {
        return test::child<ui::FeaturesPanel>(*m_window, "featuresPanel");
    }
    void find() {
        test::child<QAction>(*m_window, "featuresAction").trigger();
        QVERIFY(test::waitUntilIdle(*m_window));
    }

    std::unique_ptr<ui::MainWindow> m_window;
};

namespace {

template <class Child> Child& childOf(QObject& parent, const char* name) {
    return *parent.findChild<Child*>(QLatin1String(name));
}

/// Discs of several sizes and brightnesses on a flat ground.
ui::SceneEntry discScene() {
    base::Image<std::uint8_t> image({240, 180, 1}, 60);
    struct Disc {
        double x = 0;
        double y = 0;
        double radius = 0;
        int value = 0;
    };
    for (const Disc& disc : {Disc{60, 50, 6, 220}, Disc{170, 60, 10, 160}, Disc{80, 130, 14, 130},
                             Disc{190, 130, 5, 80}}) {
        for (std::int64_t y = 0; y < 180; ++y) {
            for (std::int64_t x = 0; x < 240; ++x) {
                if (std::hypot(static_cast<double>(x) - disc.x, static_cast<double>(y) - disc.y) <=
                    disc.radius) {
                    image.view().at(x, y, 0) = static_cast<std::uint8_t>(disc.value);
                }
            }
        }
    }
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(image);
    scene->source = "discs";
    return {scene, "discs", {}, {}, {}, {}};
}

} // namespace

void WindowFeaturesTest::init() {
    m_window = test::shownWindow();
    m_window->document().setScene(discScene());
    QVERIFY(test::waitUntilIdle(*m_window));
}

void WindowFeaturesTest::theMenuFindsBlobs() {
    QVERIFY(panel().shown().empty());
    find();
    QVERIFY(test::child<QTabWidget>(*m_window, "resultTabs").currentWidget() == &panel());
    QVERIFY(panel().shown().size() >= 3);
    const features::Blob& best = panel().shown().front();
    QVERIFY(std::fabs(best.centre[0] - 60) < 0.5 && std::fabs(best.centre[1] - 50) < 0.5);
    QVERIFY(std::fabs(best.radius - 6) < 0.5);
    QCOMPARE(static_cast<std::size_t>(childOf<QTableWidget>(panel(), "blobTable").rowCount()),
             panel().shown().size());
}

void WindowFeaturesTest::aMemoryLimitIsKept() {
    auto& field = childOf<QLineEdit>(panel(), "blobMemory");
    field.setText(QStringLiteral("1 MiB"));
    find();
    QVERIFY(panel().shown().empty());
    const auto& log = test::child<QPlainTextEdit>(*m_window, "logText");
    QTRY_VERIFY(log.toPlainText().contains(QStringLiteral("the limit of 1.0 MiB")));
    field.setText(QStringLiteral("much")); // is said, and nothing is run
    find();
    QVERIFY(panel().shown().empty());
    field.setText(QStringLiteral("1 GiB"));
    find();
    QVERIFY(panel().shown().size() >= 3);
}

void WindowFeaturesTest::theSliderHidesWeakBlobsAtOnce() {
    find();
    const std::size_t before = panel().shown().size();
    auto& slider = childOf<QSlider>(panel(), "blobStrength");
    slider.setValue(900); // 90 % of the strongest
    QCOMPARE(panel().shown().size(), std::size_t{1});
    slider.setValue(0);
    QVERIFY(panel().shown().size() >= before);
    QCOMPARE(childOf<QTableWidget>(panel(), "blobTable").rowCount(),
             static_cast<int>(panel().shown().size()));
    childOf<QDoubleSpinBox>(panel(), "blobLeastRadius").setValue(8);
    for (const features::Blob& blob : panel().shown()) {
        QVERIFY(blob.radius >= 8);
    }
}

void WindowFeaturesTest::aSelectedBlobMovesTheViewsAndBecomesATemplate() {
    find();
    QVERIFY(!childOf<QPushButton>(panel(), "blobTemplate").isEnabled());
    auto& table = childOf<QTableWidget>(panel(), "blobTable");
    table.selectRow(1);
    const features::Blob blob = panel().shown()[1];
    QVERIFY(std::fabs(m_window->views().crosshair()[0] - blob.centre[0]) <= 1);
    test::click(childOf<QPushButton>(panel(), "blobTemplate"));
    const ui::TemplateEntry* templ = m_window->document().templ();
    QVERIFY(templ != nullptr && templ->crop);
    const base::Box& box = *templ->crop;
    QVERIFY(box.extents.x % 2 == 1);
    QVERIFY(static_cast<double>(box.extents.x) >= 3 * blob.radius);
    QVERIFY(std::fabs(static_cast<double>(box.corner.x) +
                      static_cast<double>(box.extents.x - 1) / 2 - blob.centre[0]) <= 1);
}

void WindowFeaturesTest::suggestionsAreBoxesThatAMatchCanFind() {
    find();
    test::click(childOf<QPushButton>(panel(), "suggestTemplates"));
    QVERIFY(test::waitUntilIdle(*m_window));
    const auto& suggestions = panel().suggestions();
    QVERIFY(suggestions.size() >= 3);
    QVERIFY(suggestions.size() <= 10);
    for (std::size_t i = 1; i < suggestions.size(); ++i) {
        QVERIFY(suggestions[i - 1].merit >= suggestions[i].merit);
    }
    auto& list = childOf<QListWidget>(panel(), "blobSuggestions");
    QCOMPARE(static_cast<std::size_t>(list.count()), suggestions.size());
    QVERIFY(!list.item(0)->icon().isNull());
    list.setCurrentRow(0);
    QVERIFY(m_window->document().box() == suggestions[0].box);
}

void WindowFeaturesTest::anotherSceneHasNoBlobsYet() {
    find();
    m_window->document().setScene(test::noiseScene({80, 70, 1}, 3));
    QVERIFY(panel().shown().empty());
    QVERIFY(!childOf<QPushButton>(panel(), "suggestTemplates").isEnabled());
}

const flcc::test::TestClass<WindowFeaturesTest> kWindowFeaturesTest;
#include "window_features_test.moc"
