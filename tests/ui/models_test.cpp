#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_class.h"
#include "tests/ui/window_support.h"
#include "ui/document/thumbnail.h"
#include "ui/open/data_model.h"
#include "ui/open/opener.h"
#include "ui/plan/plan_model.h"
#include "ui/results/peaks_model.h"

using namespace flcc;

namespace {

std::vector<match::Peak> somePeaks(int count) {
    std::vector<match::Peak> peaks;
    for (int i = 0; i < count; ++i) {
        match::Peak peak;
        peak.score = 0.95 - 0.1 * i;
        peak.corner = {100 - i, 7 * i, 0};
        peak.centre = {103.25 - i, 7.0 * i + 3, 0};
        peaks.push_back(peak);
    }
    return peaks;
}

plan::PlanReport someReport() {
    plan::PlanReport report;
    plan::CandidateReport chosen;
    chosen.candidate.method = "tiled";
    chosen.candidate.tile = {96, 64, 1};
    chosen.verdict = plan::CandidateVerdict::Chosen;
    chosen.reason = "shortest predicted time";
    chosen.prediction.emplace();
    chosen.prediction->ms = 12.4;
    chosen.prediction->operations = 1e9;
    chosen.prediction->hostBytes = 4 << 20;
    chosen.prediction->errorBound = 1e-6;
    chosen.prediction->fftPlanning = "measure";
    plan::CandidateReport refused;
    refused.candidate.method = "direct";
    refused.verdict = plan::CandidateVerdict::Refused;
    refused.reason = "needs 2 GiB, the limit is 1 GiB";
    report.candidates = {chosen, refused};
    return report;
}

enum class Kind { Complete, Partial };

/// With a map in double and an index of 20x10 voxels, of scene 0.
ui::ResultEntry someResult(const QString& title, Kind kind = Kind::Complete,
                           std::vector<match::Peak> peaks = {}) {
    const base::Extents extents{20, 10, 1};
    auto result = std::make_shared<job::JobResult>();
    result->cancelled = kind == Kind::Partial;
    result->peaks = std::move(peaks);
    result->map = std::make_shared<method::MatchMap>(extents, true);
    result->index = std::make_shared<base::Image<std::int32_t>>(extents);
    return {{result, {}}, title};
}

QStringList titlesOf(const ui::Document& document) {
    QStringList titles;
    for (const ui::ResultEntry& each : document.results()) {
        titles << each.title;
    }
    return titles;
}

/// The results that have a map.
QStringList mapsOf(const ui::Document& document) {
    QStringList titles;
    for (const ui::ResultEntry& each : document.results()) {
        titles << (each.job->map ? QStringList(each.title) : QStringList());
    }
    return titles;
}

QString cell(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void peaksModelKeepsTheRulesOfModels();
    void peaksAreSortedByNumberAndFilteredByScoreAndText();
    void peakHeadersSayThatVoxelsCountFromZero();
    void planModelShowsEveryCandidateWithItsReason();
    void dataModelFollowsTheDocument();
    void boxChangesOfOneGestureAreOneUndoStep();
    void aBoxStaysInsideTheScene();
    void oldMapsGoWhenTheyExceedTheLimitAndPeaksStay();
    void partialMapsGoBeforeCompleteOnes();
    void aThumbnailAveragesWhatAPixelCovers_data();
    void aThumbnailAveragesWhatAPixelCovers();
    void explanationsOfPeaksSayPixelsOrVoxels();
    void dialogsThatOpenImagesListNetCdf();
};

void ModelsTest::peaksModelKeepsTheRulesOfModels() {
    ui::PeaksModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    ui::PeaksFilter filter;
    filter.setSourceModel(&model);
    const QAbstractItemModelTester filterTester(
        &filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPeaks(somePeaks(5));
    QCOMPARE(model.rowCount(), 5);
    filter.setMinScore(0.7);
    QCOMPARE(filter.rowCount(), 3);
    model.setPeaks({});
    QCOMPARE(filter.rowCount(), 0);
}

void ModelsTest::explanationsOfPeaksSayPixelsOrVoxels() {
    ui::PeaksModel model;
    for (const bool volume : {false, true}) {
        model.setPeaks(somePeaks(1), {}, volume);
        const QString word = volume ? QStringLiteral("voxel") : QStringLiteral("pixel");
        const QString other = volume ? QStringLiteral("pixel") : QStringLiteral("voxel");
        const QString row = model.index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(row.contains(word) && !row.contains(other), qPrintable(row));
        QCOMPARE(row.count(QChar(',')), volume ? 3 : 2); // a pixel has two coordinates
        for (const int column : {ui::PeaksModel::X, ui::PeaksModel::CentreX}) {
            const QString head =
                model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
            QVERIFY2(head.contains(word) && !head.contains(other), qPrintable(head));
        }
    }
}

void ModelsTest::dialogsThatOpenImagesListNetCdf() {
    QVERIFY(ui::Opener::filters().contains(QStringLiteral("*.nc ")));
}

void ModelsTest::peaksAreSortedByNumberAndFilteredByScoreAndText() {
    ui::PeaksModel model;
    model.setPeaks(somePeaks(4));
    ui::PeaksFilter filter;
    filter.setSourceModel(&model);
    // As text "100" sorts before "97"; as a number it comes last.
    filter.sort(ui::PeaksModel::X, Qt::AscendingOrder);
    QCOMPARE(cell(filter, 0, ui::PeaksModel::X), QStringLiteral("97"));
    QCOMPARE(cell(filter, 3, ui::PeaksModel::X), QStringLiteral("100"));
    filter.setText(QStringLiteral("103.25"));
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(cell(filter, 0, ui::PeaksModel::Rank), QStringLiteral("1"));
}

void ModelsTest::peakHeadersSayThatVoxelsCountFromZero() {
    const ui::PeaksModel model;
    for (const int column : {ui::PeaksModel::X, ui::PeaksModel::Y, ui::PeaksModel::Z}) {
        QVERIFY(model.headerData(column, Qt::Horizontal, Qt::DisplayRole)
                    .toString()
                    .contains(QStringLiteral("0-based")));
    }
}

void ModelsTest::planModelShowsEveryCandidateWithItsReason() {
    ui::PlanModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setReports({someReport()});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(cell(model, 0, ui::PlanModel::Verdict), QStringLiteral("chosen"));
    QCOMPARE(cell(model, 0, ui::PlanModel::Method), QStringLiteral("tiled 96 × 64"));
    QCOMPARE(cell(model, 0, ui::PlanModel::Predicted), QStringLiteral("12 ms"));
    QCOMPARE(cell(model, 0, ui::PlanModel::Memory), QStringLiteral("4.0 MiB"));
    QVERIFY(!model.hasParts());
    QCOMPARE(cell(model, 1, ui::PlanModel::Verdict), QStringLiteral("refused"));
    QCOMPARE(cell(model, 1, ui::PlanModel::Predicted), QString());
    QCOMPARE(cell(model, 1, ui::PlanModel::Reason),
             QStringLiteral("needs 2 GiB, the limit is 1 GiB"));
    // A sample was timed: that is what is predicted then, on the card as well.
    plan::PlanReport sampled = someReport();
    sampled.candidates[0].sampleMs = 20;
    sampled.candidates[0].prediction->onDevice.times =
        method::DeviceTimes{.upload = 1, .compute = 9};
    model.setReports({sampled});
    QCOMPARE(cell(model, 0, ui::PlanModel::Predicted), QStringLiteral("20 ms"));
    QVERIFY(model.hasParts());
    QCOMPARE(cell(model, 0, ui::PlanModel::Parts), QStringLiteral("1.0 ms / 9.0 ms / 0.00 ms"));
    QCOMPARE(cell(model, 1, ui::PlanModel::Parts), QString());
    model.setReports({});
    QCOMPARE(model.rowCount(), 0);
}

void ModelsTest::dataModelFollowsTheDocument() {
    ui::Document document;
    ui::DataModel model(document);
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto titles = [&model] {
        QStringList all;
        for (int row = 0; row < model.rowCount(); ++row) {
            all << model.index(row).data().toString();
        }
        return all;
    };
    QVERIFY(!titles().contains(QStringLiteral("noise")));
    document.setScene(test::noiseScene({40, 30, 1}, 1));
    QVERIFY(titles().contains(QStringLiteral("noise")));
    const auto hints = [&](const char* words) { return titles().contains(QLatin1String(words)); };
    QVERIFY(hints("Press 4 and drag a box"));
    document.setBox(base::Box{{3, 4, 0}, {8, 6, 1}});
    QVERIFY(hints("Cut from the box in the view") && !hints("Press 4 and drag a box"));
    document.setBox({});
    QVERIFY(hints("Press 4 and drag a box"));
    document.setBox(base::Box{{3, 4, 0}, {8, 6, 1}});
    document.cutTemplate();
    QVERIFY(titles().contains(QStringLiteral("cut at 3, 4")));
    document.undoStack().undo();
    QVERIFY(!titles().contains(QStringLiteral("cut at 3, 4")));
}

void ModelsTest::boxChangesOfOneGestureAreOneUndoStep() {
    ui::Document document;
    document.setScene(test::noiseScene({40, 30, 1}, 1));
    const base::Box first{{1, 1, 0}, {5, 5, 1}};
    document.setBox(first);
    const int gesture = document.newGesture();
    for (int i = 2; i < 9; ++i) {
        document.setBox(base::Box{{i, 1, 0}, {5, 5, 1}}, gesture);
    }
    QCOMPARE(document.undoStack().count(), 2);
    document.undoStack().undo();
    QVERIFY(document.box() == first);
    document.undoStack().undo();
    QVERIFY(!document.box());
    document.undoStack().redo();
    document.undoStack().redo();
    QVERIFY(document.box() == (base::Box{{8, 1, 0}, {5, 5, 1}}));
}

void ModelsTest::aBoxStaysInsideTheScene() {
    ui::Document document;
    document.setScene(test::noiseScene({40, 30, 1}, 1));
    document.setBox(base::Box{{38, -7, 2}, {10, 50, 3}});
    QVERIFY(document.box() == (base::Box{{30, 0, 0}, {10, 30, 1}}));
}

void ModelsTest::oldMapsGoWhenTheyExceedTheLimitAndPeaksStay() {
    ui::Document document;
    document.setScene(test::noiseScene({40, 30, 1}, 1));
    const ui::DataModel model(document);
    const std::int64_t each = ui::resultBytes(*someResult("0").job);
    QCOMPARE(each, std::int64_t{20 * 10 * (4 + 8 + 1 + 4)}); // scores, doubles, statuses, index
    document.setMostResultBytes(3 * each);
    QSignalSpy released(&document, &ui::Document::mapsReleased);
    const std::weak_ptr<const method::MatchMap> first = [&] {
        const ui::ResultEntry result = someResult("0");
        document.addResult(result);
        return result.job->map;
    }();
    document.addResult(someResult("1", Kind::Complete, somePeaks(2)));
    document.showResult(0);
    document.addResult(someResult("2"));
    document.showResult(0); // what is shown stays, though it is the oldest
    QCOMPARE(document.resultBytes(), 3 * each);
    document.addResult({{someResult("3").job, {}}, "3", 1}); // of a scene that is not shown
    QCOMPARE(mapsOf(document), (QStringList{"0", "2", "3"}));
    QCOMPARE(titlesOf(document), (QStringList{"0", "1", "2", "3"}));
    QCOMPARE(document.results()[1].job->peaks.size(), std::size_t{2});
    QVERIFY(document.results()[1].mapReleased && !document.results()[0].mapReleased);
    QCOMPARE(document.result()->title, QStringLiteral("0"));
    QCOMPARE(document.resultBytes(), 3 * each);
    QCOMPARE(released.size(), 1);
    QCOMPARE(released.front().at(0).toStringList(), QStringList{"1"});
    QVERIFY(released.front().at(1).toStringList().isEmpty());
    document.addResult(someResult("4"));
    QCOMPARE(mapsOf(document), (QStringList{"2", "3", "4"}));
    QVERIFY(first.expired()); // its memory is given back
    // One alone may be larger than the limit.
    document.setMostResultBytes(each / 2);
    QCOMPARE(mapsOf(document), (QStringList{"3", "4"})); // the last ones of two scenes
    QCOMPARE(document.results().size(), std::size_t{5});
}

void ModelsTest::partialMapsGoBeforeCompleteOnes() {
    ui::Document document;
    document.setScene(test::noiseScene({40, 30, 1}, 1));
    document.setMostResultBytes(2 * ui::resultBytes(*someResult("").job));
    document.addResult(someResult("whole", Kind::Complete, somePeaks(3)));
    document.addResult(someResult("part 1", Kind::Partial));
    QSignalSpy released(&document, &ui::Document::mapsReleased);
    QSignalSpy shown(&document, &ui::Document::resultShown);
    document.addResult(someResult("part 2", Kind::Partial));
    QCOMPARE(titlesOf(document), (QStringList{"whole", "part 2"}));
    QCOMPARE(document.result()->title, QStringLiteral("part 2"));
    // A new partial map does not replace a complete one, and what is shown is one that is there.
    document.setMostResultBytes(ui::resultBytes(*someResult("").job));
    QCOMPARE(titlesOf(document), QStringList{"whole"});
    QCOMPARE(mapsOf(document), QStringList{"whole"});
    QCOMPARE(document.result()->title, QStringLiteral("whole"));
    QCOMPARE(shown.size(), 2); // part 2, then whole
    QCOMPARE(released.size(), 2);
    QCOMPARE(released.back().at(1).toStringList(), QStringList{"part 2"});
    // A partial result with peaks keeps these.
    document.addResult(someResult("part 3", Kind::Partial, somePeaks(1)));
    QCOMPARE(titlesOf(document), (QStringList{"whole", "part 3"}));
    QCOMPARE(mapsOf(document), QStringList{"whole"});
    // Without a complete one, the newest partial map stays.
    ui::Document other;
    other.setScene(test::noiseScene({40, 30, 1}, 1));
    other.setMostResultBytes(1);
    other.addResult(someResult("a", Kind::Partial));
    other.addResult(someResult("b", Kind::Partial));
    QCOMPARE(titlesOf(other), QStringList{"b"});
}

void ModelsTest::aThumbnailAveragesWhatAPixelCovers_data() {
    QTest::addColumn<int>("pitch"); // voxels a pixel and a period of the stripes
    QTest::newRow("every voxel") << 6;
    QTest::newRow("64 of its voxels") << 40;
}

void ModelsTest::aThumbnailAveragesWhatAPixelCovers() {
    QFETCH(int, pitch);
    constexpr int kSize = 50;
    // Half of each pixel is white, where a regular choice of one voxel finds white or black only.
    base::Image<std::uint8_t> image({kSize * pitch, kSize * pitch, 1});
    for (std::int64_t y = 0; y < image.extents().y; ++y) {
        for (std::int64_t x = 0; x < image.extents().x; ++x) {
            image.view().at(x, y, 0) = x % pitch < pitch / 2 ? 200 : 0;
        }
    }
    // The window ends at the values. Of 8x8 parts of a pixel only those are in doubt that hold an
    // edge, which is none of them here: the edge lies between two parts.
    const base::AnyImage any(std::move(image));
    const QImage picture = ui::thumbnailOf(base::viewOf(any), kSize);
    QCOMPARE(picture.size(), QSize(kSize, kSize));
    for (int y = 0; y < kSize; ++y) {
        for (int x = 0; x < kSize; ++x) {
            QCOMPARE(qRed(picture.pixel(x, y)), 128);
        }
    }
    // Two colours in another place of the same pixels: the best score is kept.
    const auto shared =
        std::make_shared<method::MatchMap>(base::Extents{kSize * pitch, kSize * pitch, 1});
    method::MatchMap& map = *shared;
    map.value.fill(0.0F);
    map.status.fill(base::Status::Ok);
    job::JobResult result;
    QVERIFY(ui::thumbnailOf(result, kSize).isNull());
    result.map = shared;
    const QImage none = ui::thumbnailOf(result, kSize);
    for (std::int64_t y = 0; y < pitch; ++y) {
        for (std::int64_t x = 0; x<pitch; x += pitch> 8 ? 1 : pitch) {
            map.value.view().at(x, y, 0) = 1.0F;
        }
    }
    const QImage found = ui::thumbnailOf(result, kSize);
    const match::Colour yellow = match::colourOf({}, 1.0);
    QCOMPARE(found.pixel(0, 0), qRgb(yellow[0], yellow[1], yellow[2]));
    QCOMPARE(found.pixel(1, 0), none.pixel(1, 0));
    // Of differences the smallest is the best, and has the bright colour.
    result.report.plan.problem.operation = method::operationNamed("ssd").value();
    result.report.map.emplace();
    result.report.map->statistics.minimum = 0;
    result.report.map->statistics.maximum = 1;
    const QImage differences = ui::thumbnailOf(result, kSize);
    QCOMPARE(differences.pixel(1, 0), found.pixel(0, 0));
}

const flcc::test::TestClass<ModelsTest> kModelsTest;

#include "models_test.moc"
