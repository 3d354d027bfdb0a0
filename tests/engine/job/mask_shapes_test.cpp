#include <QtTest>

#include <cmath>
#include <limits>

#include "engine/job/any_job.h"
#include "engine/job/mask_shape.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;

namespace {

constexpr base::Extents kScene{70, 60, 1};
constexpr base::Box kCut{{30, 20, 0}, {12, 10, 1}};

std::int64_t insideOf(const job::MaskImage& mask) {
    return std::count(mask.support.data(), mask.support.data() + mask.support.count(), 1);
}

/// Voxels within `radius` of the middle, counted one by one.
std::int64_t ballCount(const base::Extents& n, double radius) {
    std::int64_t count = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                // Twice the offset from the middle is an integer.
                const std::int64_t d2 = (2 * x - n.x + 1) * (2 * x - n.x + 1) +
                                        (2 * y - n.y + 1) * (2 * y - n.y + 1) +
                                        (2 * z - n.z + 1) * (2 * z - n.z + 1);
                count += static_cast<double>(d2) <= 4 * radius * radius ? 1 : 0;
            }
        }
    }
    return count;
}

} // namespace

class MaskShapesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTextNamesAShape();
    void whatIsNoShapeIsRefused_data();
    void whatIsNoShapeIsRefused();
    void aSphereHasItsVoxelsAndWeights();
    void cylindersAndBoxesHaveTheirVoxelsAndWeights();
    void shapesAreRoundInSpace();
    void lengthsNeedASpacing();
    void aShapeThatItsBoxCutsIsNoted();
    void aShapeIsTheMaskOfEachTemplate();
    void theCommandLineAndTheJobFileKeepShapes();
    void aStrokeABoxAndARangeAreDrawn();
};

void MaskShapesTest::aTextNamesAShape() {
    QVERIFY(job::maskShapeOf("box") == job::MaskShape{});
    QVERIFY((job::maskShapeOf("sphere:12") == job::MaskShape{true, 12, 0}));
    QVERIFY((job::maskShapeOf("sphere:12.5,3") == job::MaskShape{true, 12.5, 3}));
    for (const char* file : {"./box", "mask.mha", "box.mha", "folder/sphere:3", "sphere"}) {
        QVERIFY2(!job::maskShapeOf(file), file);
    }
    QVERIFY((job::maskShapeOf("cylinder:5,8,2") == job::MaskShape{true, 5, 2, 8}));
    QVERIFY((job::maskShapeOf("box:8x6x4,1") == job::MaskShape{false, 0, 1, 0, {8, 6, 4}}));
    for (const char* text : {"box", "sphere:12", "sphere:12.5,3", "sphere:0.1", "cylinder:5,8",
                             "cylinder:5,8.5,2", "box:8x6", "box:8x6x4", "box:8.5x6x4,1.5"}) {
        QCOMPARE(job::maskShapeOf(text)->text(), std::string(text));
    }
}

void MaskShapesTest::whatIsNoShapeIsRefused_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"sphere:", "sphere:x", "sphere:-1", "sphere:nan", "sphere:inf",
                             "sphere:3,", "sphere:3,-1", "sphere:3,1,1", "sphere:3 ", "cylinder:3",
                             "cylinder:3,0", "cylinder:3,2,1,1", "cylinder:3,-2", "box:3",
                             "box:3x0", "box:3x4x5x6", "box:3x4,1,1", "box:3x4,"}) {
        QTest::newRow(text) << QString(text);
    }
}

void MaskShapesTest::whatIsNoShapeIsRefused() {
    QFETCH(QString, text);
    try {
        (void)job::maskShapeOf(text.toStdString());
        QFAIL("accepted");
    } catch (const base::Error& error) {
        QVERIFY(error.code() == base::ErrorCode::CommandLine);
        QVERIFY2(std::string(error.what()).find("sphere:R[,SOFT]") != std::string::npos,
                 error.what());
    }
}

void MaskShapesTest::aSphereHasItsVoxelsAndWeights() {
    for (const base::Extents& n : {base::Extents{21, 20, 1}, base::Extents{15, 12, 11}}) {
        for (const double radius : {0.8, 3.0, 5.5, 40.0}) {
            QCOMPARE(insideOf(*job::makeMask({true, radius, 0}, n)), ballCount(n, radius));
        }
    }
    const base::Extents n{41, 41, 1};
    const auto weights = job::maskWeights({true, 10, 4}, n);
    const auto at = [&](std::int64_t off) { return weights.view().at(20 + off, 20, 0); };
    QVERIFY(at(0) == 1.0F && at(10) == 1.0F && at(14) == 0.0F && at(15) == 0.0F);
    QVERIFY(std::abs(at(12) - 0.5F) < 1e-6F); // half way
    QVERIFY(at(11) > at(12) && at(12) > at(13) && at(13) > 0);
    // Each voxel with a weight counts.
    const auto mask = job::makeMask({true, 10, 4}, n);
    for (std::int64_t i = 0; i < mask->support.count(); ++i) {
        QCOMPARE(mask->support.data()[i] != 0, weights.data()[i] != 0.0F);
    }
    QCOMPARE(mask->source, std::string("sphere:10,4"));
    // and by its weight.
    for (std::int64_t i = 0; i < mask->support.count(); ++i) {
        QCOMPARE(mask->weights.data()[i], weights.data()[i]);
    }
    QVERIFY(job::makeMask({true, 10, 0}, n)->weights.empty());
    // No voxel of an even side lies within a third of a voxel from the middle.
    QVERIFY_EXCEPTION_THROWN((void)job::makeMask({true, 0.3, 0}, {10, 10, 1}), base::Error);
}

// The middle of the template is the middle of a voxel here, so all lengths are odd.
void MaskShapesTest::cylindersAndBoxesHaveTheirVoxelsAndWeights() {
    const base::Extents n{21, 21, 21};
    QCOMPARE(insideOf(*job::makeMask({false, 0, 0, 0, {5, 3, 7}}, n)), 5 * 3 * 7);
    QCOMPARE(insideOf(*job::makeMask({true, 4, 0, 7}, n)), 7 * ballCount({21, 21, 1}, 4));
    const auto box = job::maskWeights({false, 0, 4, 0, {5, 3, 7}}, n);
    const auto rod = job::maskWeights({true, 4, 4, 7}, n);
    const auto at = [&](const base::Image<double>& of, std::int64_t x, std::int64_t y,
                        std::int64_t z) { return of.view().at(10 + x, 10 + y, 10 + z); };
    QVERIFY(at(box, 2, 1, 3) == 1 && at(rod, 4, 0, 3) == 1);
    // Two voxels beyond an end are half way; ends lie half a voxel beyond the last voxel.
    QVERIFY(at(box, 4, 0, 0) > 0.5F && at(box, 5, 0, 0) < 0.5F && at(box, 7, 0, 0) == 0);
    QVERIFY(std::abs(at(rod, 6, 0, 0) - 0.5F) < 1e-6F && at(rod, 0, 0, 8) == 0);
    QVERIFY(at(box, 5, 4, 0) < at(box, 5, 0, 0) && at(rod, 6, 0, 5) < at(rod, 6, 0, 0));
}

namespace {

/// Voxels of 2 x 1 x 3 mm.
base::Geometry oblong() {
    base::Geometry grid;
    grid.spacing = {2, 1, 3};
    grid.unit = "mm";
    grid.unitSource = base::UnitSource::Header;
    return grid;
}

} // namespace

void MaskShapesTest::shapesAreRoundInSpace() {
    const base::Extents n{15, 25, 11};
    const auto inside = [&](const job::MaskShape& shape) {
        return job::maskWeights(shape, n, oblong());
    };
    const auto sphere = inside({true, 9, 4});
    const auto rod = inside({true, 9, 0, 3}); // three slices
    const auto box = inside({false, 0, 0, 0, {3, 5, 7}});
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const double dx = 2 * static_cast<double>(x - 7);
                const auto dy = static_cast<double>(y - 12);
                const double dz = 3 * static_cast<double>(z - 5);
                const double beyond = std::sqrt(dx * dx + dy * dy + dz * dz) - 9;
                const double weight = beyond <= 0  ? 1
                                      : beyond < 4 ? (1 + std::cos(M_PI * beyond / 4)) / 2
                                                   : 0;
                QVERIFY(std::abs(sphere.view().at(x, y, z) - weight) < 1e-14);
                const bool inRod = dx * dx + dy * dy <= 81 && std::abs(z - 5) <= 1;
                QCOMPARE(rod.view().at(x, y, z), inRod ? 1.0 : 0.0);
                // Sides of a box are voxels of their axes.
                const bool inBox =
                    std::abs(x - 7) <= 1 && std::abs(y - 12) <= 2 && std::abs(z - 5) <= 3;
                QCOMPARE(box.view().at(x, y, z), inBox ? 1.0 : 0.0);
            }
        }
    }
    // A stroke, too: the ball of the same radius without its soft edge.
    base::Image<std::uint8_t> drawn(n, std::uint8_t{0});
    job::drawStroke(drawn, {7, 12, 5}, {7, 12, 5}, 9, 1, {2, 1, 3});
    for (std::int64_t i = 0; i < drawn.count(); ++i) {
        QCOMPARE(drawn.data()[i] == 1, sphere.data()[i] == 1);
    }
}

void MaskShapesTest::lengthsNeedASpacing() {
    QVERIFY((job::maskShapeOf("sphere:12nm") == job::MaskShape{true, 12, 0, 0, {}, "nm"}));
    QCOMPARE(job::maskShapeOf("sphere:12nm,3nm")->text(), std::string("sphere:12,3nm"));
    QCOMPARE(job::maskShapeOf("box:8x6x4mm,1")->text(), std::string("box:8x6x4,1mm"));
    for (const char* text : {"sphere:12parsec", "sphere:12nm,3mm", "sphere:mm"}) {
        QVERIFY_EXCEPTION_THROWN((void)job::maskShapeOf(text), base::Error);
    }
    const base::Extents n{15, 25, 11};
    const auto voxels = job::makeMask({true, 9, 0}, n, oblong());
    const auto lengths = job::makeMask(*job::maskShapeOf("sphere:0.9cm"), n, oblong());
    QVERIFY(std::equal(voxels->support.data(), voxels->support.data() + voxels->support.count(),
                       lengths->support.data()));
    const test::Thrown thrown = test::thrownBy(
        [&] { (void)job::makeMask(*job::maskShapeOf("sphere:9mm"), n, base::Geometry{}); });
    QCOMPARE(thrown.code, base::ErrorCode::Problem);
    QVERIFY(thrown.sentence.find("--spacing") != std::string::npos);
}

void MaskShapesTest::aShapeThatItsBoxCutsIsNoted() {
    const base::Extents n{24, 24, 24};
    QVERIFY(job::makeMask({true, 12, 0}, n)->note.empty());
    QVERIFY(!job::makeMask({true, 12.5, 0}, n)->note.empty());
    QVERIFY(!job::makeMask({true, 10, 3}, n)->note.empty()); // its edge
    QVERIFY(job::makeMask({true, 5, 0, 24}, n)->note.empty());
    QVERIFY(!job::makeMask({true, 5, 0, 25}, n)->note.empty());
    QVERIFY(!job::makeMask({false, 0, 0, 0, {8, 8, 25}}, n)->note.empty());
    QVERIFY(job::makeMask({true, 12, 0}, {24, 24, 1})->note.empty()); // a disc
    QVERIFY(job::makeMask({}, n)->note.empty());
}

void MaskShapesTest::aShapeIsTheMaskOfEachTemplate() {
    base::AnyImage scene = test::noise(PixelType::Float32, kScene, 21);
    base::AnyImage templ = test::crop(scene, kCut);
    const job::JobImages images = test::imagesOf(std::move(scene), std::move(templ));
    Job job;
    job.audit = job::Audit::On;
    job.masks = {"sphere:4"};
    const job::JobResult shaped = job::runJob(job, images);
    QVERIFY(shaped.report.audit->verdict == job::AuditVerdict::Passed);
    QCOMPARE(shaped.report.templates[0].support, ballCount(kCut.extents, 4));
    QVERIFY(shaped.report.templates[0].masked);
    QVERIFY(shaped.peaks.front().corner == kCut.corner);
    // The same as a mask in memory, to the bit.
    job.masks.clear();
    job::JobImages masked = images;
    masked.masks = {job::makeMask({true, 4, 0}, kCut.extents)};
    const job::JobResult read = job::runJob(job, masked);
    for (std::int64_t i = 0; i < read.map->value.count(); ++i) {
        QCOMPARE(shaped.map->value.data()[i], read.map->value.data()[i]);
    }
    bool named = false;
    for (const auto& input : shaped.report.inputs) {
        named = named || (input.role == "mask" && input.path == "sphere:4");
    }
    QVERIFY(named);
    // Templates of two sizes have a sphere each.
    Job two;
    two.crops = {kCut, {{5, 5, 0}, {20, 18, 1}}};
    two.masks = {"sphere:4"};
    job::JobImages sceneOnly;
    sceneOnly.scene = images.scene;
    const job::JobResult both = job::runJob(two, sceneOnly);
    QCOMPARE(both.report.templates[0].support, ballCount(kCut.extents, 4));
    QCOMPARE(both.report.templates[1].support, ballCount({20, 18, 1}, 4));
    // The whole box is no mask.
    two.masks = {"box"};
    QVERIFY(!job::runJob(two, sceneOnly).report.templates[0].masked);
}

void MaskShapesTest::theCommandLineAndTheJobFileKeepShapes() {
    Job job;
    job.scene = "scene.mha";
    job.crops = {kCut};
    job.masks = {"sphere:4.5,2"};
    const std::string line = job::toCommandLine(job);
    QVERIFY2(line.find("--mask sphere:4.5,2") != std::string::npos, line.c_str());
    QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
    // A shape is no file that an output could replace; one with wrong numbers ends the job.
    job.map = "sphere:4.5,2";
    job::requireOwnFiles(job::inputFiles(job), job::outputFiles(job));
    job.masks = {"sphere:x"};
    QVERIFY_EXCEPTION_THROWN((void)job::runJob(job), base::Error);
}

void MaskShapesTest::aStrokeABoxAndARangeAreDrawn() {
    base::Image<std::uint8_t> support({30, 20, 1}, std::uint8_t{0});
    const auto count = [&support] {
        return std::count(support.data(), support.data() + support.count(), 1);
    };
    job::drawStroke(support, {10, 10, 0}, {10, 10, 0}, 3, 1);
    QCOMPARE(count(), std::ptrdiff_t{29}); // lattice points of a disc of radius 3
    job::drawStroke(support, {10, 10, 0}, {18, 10, 0}, 3, 1);
    QCOMPARE(count(), std::ptrdiff_t{29 + 8 * 7}); // eight columns more
    job::drawStroke(support, {10, 10, 0}, {18, 10, 0}, 3, 0);
    QCOMPARE(count(), std::ptrdiff_t{0});
    job::drawBox(support, {{-3, 15, 0}, {8, 10, 1}}, 1); // beyond the support
    QCOMPARE(count(), std::ptrdiff_t{5 * 5});
    base::Image<float> pixels({30, 20, 1}, 1.0F);
    pixels.view().at(3, 4, 0) = 2.5F;
    pixels.view().at(4, 4, 0) = std::numeric_limits<float>::quiet_NaN();
    support.fill(0);
    job::drawRange(support, base::AnyView(base::View<const float>(pixels.view())), 2, 3, 1);
    QCOMPARE(count(), std::ptrdiff_t{1});
    job::drawRange(support, base::AnyView(base::View<const float>(pixels.view())), 0, 3, 1);
    QCOMPARE(count(), std::ptrdiff_t{599});
    // A ball in a volume.
    base::Image<std::uint8_t> volume({11, 11, 11}, std::uint8_t{0});
    job::drawStroke(volume, {5, 5, 5}, {5, 5, 5}, 2, 1);
    QCOMPARE(std::count(volume.data(), volume.data() + volume.count(), 1), std::ptrdiff_t{33});
}

const flcc::test::TestClass<MaskShapesTest> kMaskShapesTest;

#include "mask_shapes_test.moc"
