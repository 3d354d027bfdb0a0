#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/random.h"
#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/features/features_panel.h"
#include "ui/features/pairs_dialog.h"
#include "ui/views/views_panel.h"

using namespace flcc;

class WindowFeaturesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init();
    void cleanup() { m_window.reset(); }
    void theMenuFindsBlobs();
    void explanationsSayPixelsOrVoxels();
    void aMemoryLimitIsKept();
    void theSliderHidesWeakBlobsAtOnce();
    void aSelectedBlobMovesTheViewsAndBecomesATemplate();
    void suggestionsAreBoxesThatAMatchCanFind();
    void darkGapsCanBeChosen();
    void anotherSceneHasNoBlobsYet();
    void coloursOfAFileAreUsed();
    void listAndJobFileAreSaved();
    void pairsWithAFileAreLines();

  private:
    [[nodiscard]] ui::FeaturesPanel& panel() {
        return test::child<ui::FeaturesPanel>(*m_window, "featuresPanel");
    }
    void find() {
        test::child<QAction>(*m_window, "featuresAction").trigger();
        QVERIFY(test::waitUntilIdle(*m_window));
    }

    void answer(QWidget& parent, const char* name, const QString& file) {
        auto& chooser = test::child<QFileDialog>(parent, name);
        QTRY_VERIFY(chooser.isVisible());
        auto& field = test::child<QLineEdit>(chooser, "fileNameEdit");
        field.setText(file);
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(parent.findChild<QFileDialog*>(QLatin1String(name)) == nullptr);
        QVERIFY(test::waitUntilIdle(*m_window));
    }
    void open(const QString& file) {
        m_window->opener().openScenes({file.toStdString()}, false);
        QVERIFY(test::waitUntilIdle(*m_window));
        QVERIFY(m_window->document().hasScene());
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

void WindowFeaturesTest::explanationsSayPixelsOrVoxels() {
    const auto says = [this](const QString& word) {
        for (const char* name : {"blobTable", "blobLeastRadius", "blobMostRadius", "blobFirstScale",
                                 "blobLastScale"}) {
            if (!childOf<QWidget>(panel(), name).toolTip().contains(word)) {
                return QString::fromLatin1(name);
            }
        }
        return test::child<QWidget>(*m_window, "peaksWorld").toolTip().contains(word)
                   ? QString()
                   : QStringLiteral("peaksWorld");
    };
    QCOMPARE(says(QStringLiteral("pixels")), QString());
    m_window->document().setScene(test::noiseScene({20, 20, 20}, 3));
    QCOMPARE(says(QStringLiteral("voxels")), QString());
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

void WindowFeaturesTest::darkGapsCanBeChosen() {
    // Two light and two dark discs.
    base::Image<std::uint8_t> image({240, 180, 1}, 120);
    const std::array<std::array<int, 3>, 4> discs{
        {{60, 50, 230}, {170, 60, 10}, {80, 130, 20}, {190, 130, 220}}};
    for (const auto& [cx, cy, value] : discs) {
        for (std::int64_t y = -8; y <= 8; ++y) {
            for (std::int64_t x = -8; x <= 8; ++x) {
                if (x * x + y * y <= 64) {
                    image.view().at(cx + x, cy + y, 0) = static_cast<std::uint8_t>(value);
                }
            }
        }
    }
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(image);
    m_window->document().setScene({scene, "gaps", {}, {}, {}, {}});
    find();
    const std::size_t both = panel().shown().size();
    auto& kind = test::child<QComboBox>(*m_window, "blobKind");
    kind.setFocus();
    QTest::keyClick(&kind, Qt::Key_Down);
    QCOMPARE(kind.currentText(), QStringLiteral("Light only"));
    const std::size_t light = panel().shown().size();
    QTest::keyClick(&kind, Qt::Key_Down);
    QCOMPARE(kind.currentText(), QStringLiteral("Dark only"));
    QCOMPARE(light + panel().shown().size(), both);
    const auto at = [](const features::Blob& blob, int x, int y) {
        return std::hypot(blob.centre[0] - x, blob.centre[1] - y) < 2;
    };
    QVERIFY(panel().shown().size() >= 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const features::Blob& blob = panel().shown()[i];
        QVERIFY(at(blob, 170, 60) || at(blob, 80, 130));
    }
    test::click(childOf<QPushButton>(panel(), "suggestTemplates"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QVERIFY(!panel().suggestions().empty());
    const base::Box& best = panel().suggestions().front().box;
    const auto holds = [&best](std::int64_t x, std::int64_t y) {
        return x >= best.corner.x && x < best.corner.x + best.extents.x && y >= best.corner.y &&
               y < best.corner.y + best.extents.y;
    };
    QVERIFY(holds(170, 60) || holds(80, 130));
    test::keepPictures(*m_window, QStringLiteral("blobs-dark"));
}

void WindowFeaturesTest::anotherSceneHasNoBlobsYet() {
    find();
    m_window->document().setScene(test::noiseScene({80, 70, 1}, 3));
    QVERIFY(panel().shown().empty());
    QVERIFY(!childOf<QPushButton>(panel(), "suggestTemplates").isEnabled());
}

/// Ground and disc have the same luminance to 0.02.
QString colouredDisc(const QString& folder) {
    QImage image(120, 100, QImage::Format_RGB32);
    image.fill(qRgb(100, 100, 100));
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (std::hypot(x - 70, y - 40) <= 7) {
                image.setPixel(x, y, qRgb(200, 57, 59));
            }
        }
    }
    const QString file = folder + QStringLiteral("/disc.png");
    return image.save(file) ? file : QString();
}

void WindowFeaturesTest::coloursOfAFileAreUsed() {
    const QTemporaryDir folder;
    open(colouredDisc(folder.path()));
    find();
    QVERIFY(!panel().shown().empty());
    const features::Blob best = panel().shown().front();
    QVERIFY(std::fabs(best.centre[0] - 70) < 0.5 && std::fabs(best.centre[1] - 40) < 0.5);
    QVERIFY(best.strength > 20);
    auto& channels = childOf<QComboBox>(panel(), "blobChannels");
    channels.setCurrentIndex(channels.findText(QStringLiteral("Grey")));
    find();
    QVERIFY(panel().shown().empty() || panel().shown().front().strength < 1);
}

void WindowFeaturesTest::listAndJobFileAreSaved() {
    const QTemporaryDir folder;
    const QString scene = folder.filePath(QStringLiteral("scene.mha"));
    io::writeImage(scene.toStdString(), base::viewOf(std::as_const(discScene().image->pixels)), {});
    open(scene);
    childOf<QSpinBox>(panel(), "blobScales").setValue(10);
    childOf<QSpinBox>(panel(), "blobLevels").setValue(64);
    find();
    const std::size_t listed = panel().shown().size();
    QVERIFY(listed >= 3);
    const QList<QAction*> entries = childOf<QPushButton>(panel(), "saveBlobs").menu()->actions();
    entries.at(0)->trigger();
    answer(panel(), "blobListDialog", folder.filePath(QStringLiteral("list.csv")));
    const auto lines = [&](const char* name) {
        QFile file(folder.filePath(QLatin1String(name)));
        QByteArrayList rows =
            file.open(QIODevice::ReadOnly) ? file.readAll().split('\n') : QByteArrayList();
        rows.removeIf([](const QByteArray& row) { return row.isEmpty() || row.startsWith('#'); });
        return rows;
    };
    QCOMPARE(static_cast<std::size_t>(lines("list.csv").size()), listed + 1);
    entries.at(1)->trigger();
    answer(panel(), "blobJobDialog", folder.filePath(QStringLiteral("job.json")));
    const auto job = std::get<job::FeaturesJob>(job::anyFromJobFile(
        job::readJobFile(folder.filePath(QStringLiteral("job.json")).toStdString())));
    QCOMPARE(job.detector.scales.count, 10);
    QCOMPARE(job.detector.levels, 64);
    QVERIFY(job.scene == scene.toStdString());
    QVERIFY(!job::runFeatures(job).cancelled); // as flcc-cli does
    QCOMPARE(lines("job.csv"), lines("list.csv"));
    entries.at(2)->trigger();
    job::FeaturesJob copied = job;
    copied.blobs = "blobs.csv";
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QString::fromStdString(job::toCommandLine(copied)));
}

/// Hills of many sizes, whose surroundings differ.
base::Image<std::uint8_t> landscape(const base::Extents& extents) {
    base::Random random(4);
    base::Image<double> sum(extents, 100.0);
    for (int i = 0; i < 60; ++i) {
        const double x = random.uniform(0, static_cast<double>(extents.x));
        const double y = random.uniform(0, static_cast<double>(extents.y));
        const double width = random.uniform(3, 11);
        const double height = random.uniform(-20, 40);
        for (std::int64_t j = 0; j < extents.y; ++j) {
            for (std::int64_t k = 0; k < extents.x; ++k) {
                const double r = std::hypot(static_cast<double>(k) - x, static_cast<double>(j) - y);
                sum.view().at(k, j, 0) += height * std::exp(-r * r / (2 * width * width));
            }
        }
    }
    base::Image<std::uint8_t> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<std::uint8_t>(std::clamp(sum.data()[i], 0.0, 255.0));
    }
    return image;
}

void WindowFeaturesTest::pairsWithAFileAreLines() {
    const QTemporaryDir folder;
    const base::Image<std::uint8_t> all = landscape({300, 220, 1});
    const base::Box cut{{11, 5, 0}, {240, 180, 1}};
    auto part = std::make_shared<job::SceneImage>();
    part->pixels = base::copyOf(base::AnyView(all.view().part(cut)));
    part->source = "part";
    m_window->document().setScene({part, "part", {}, {}, {}, {}});
    const QString file = folder.filePath(QStringLiteral("moved.mha"));
    io::writeImage(file.toStdString(), base::AnyView(all.view()), {});
    test::child<QAction>(*m_window, "pairsAction").trigger();
    auto* dialog = m_window->findChild<ui::PairsDialog*>();
    QVERIFY(dialog != nullptr && QTest::qWaitForWindowExposed(dialog));
    QVERIFY(!childOf<QPushButton>(*dialog, "pairsStart").isEnabled()); // no second image yet
    test::click(childOf<QPushButton>(*dialog, "pairsOpen"));
    answer(*dialog, "pairsOpenDialog", file);
    test::click(childOf<QPushButton>(*dialog, "pairsStart"));
    QVERIFY(test::waitUntilIdle(*m_window));
    QTRY_VERIFY(!dialog->pairs().empty());
    auto& table = childOf<QTableWidget>(*dialog, "pairsTable");
    QCOMPARE(static_cast<std::size_t>(table.rowCount()), dialog->pairs().size());
    const auto cell = [&](int column) { return table.item(0, column)->text().toDouble(); };
    QVERIFY(std::fabs(cell(4) - cell(1) - 11) < 0.3 && std::fabs(cell(5) - cell(2) - 5) < 0.3);
    // A click on an end of the first line selects it; it is drawn in yellow.
    auto& view = childOf<ui::PairsView>(*dialog, "pairsView");
    const QPoint end = view.placeOf(1, {cell(4), cell(5), 0}).toPoint();
    QTest::mouseClick(&view, Qt::LeftButton, {}, end);
    QCOMPARE(view.selected(), 0);
    QCOMPARE(table.currentRow(), 0);
    const QPoint middle =
        ((view.placeOf(0, {cell(1), cell(2), 0}) + view.placeOf(1, {cell(4), cell(5), 0})) / 2)
            .toPoint();
    const QImage drawn = view.grab().toImage();
    int yellow = 0;
    for (int dy = -3; dy <= 3; ++dy) {
        const QColor colour = drawn.pixelColor(middle.x(), middle.y() + dy);
        yellow += colour.red() > 200 && colour.green() > 200 && colour.blue() < 80 ? 1 : 0;
    }
    QVERIFY(yellow > 0);
    test::click(childOf<QPushButton>(*dialog, "pairsSave"));
    answer(*dialog, "pairsListDialog", folder.filePath(QStringLiteral("pairs.csv")));
    QVERIFY(QFileInfo(folder.filePath(QStringLiteral("pairs.csv"))).size() > 200);
}

const flcc::test::TestClass<WindowFeaturesTest> kWindowFeaturesTest;
#include "window_features_test.moc"
