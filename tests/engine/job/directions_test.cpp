#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/scene_grid.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using job::Job;

namespace {

using Matrix = std::array<double, 9>;

constexpr base::Extents kScene{26, 24, 22};
constexpr base::Box kCut{{9, 5, 7}, {7, 6, 5}};

/// Columns: axes of a scanner that is turned about all three axes of space.
Matrix oblique(double degrees) {
    const double a = degrees * std::numbers::pi / 180;
    const double c = std::cos(a);
    const double s = std::sin(a);
    // About z, then about x.
    return {c, -s * c, s * s, s, c * c, -c * s, 0, s, c};
}

base::Geometry geometryOf(const Matrix& direction, const base::Point& spacing) {
    base::Geometry geometry;
    geometry.direction = direction;
    geometry.spacing = spacing;
    geometry.origin = {-30, 12, 7};
    geometry.unit = "mm";
    geometry.unitSource = base::UnitSource::Header;
    return geometry;
}

/// The image as another program stores it: its axis a is axis order[a] of the image, from the other
/// end where `back`. Written without the functions under test.
std::shared_ptr<job::SceneImage> stored(const job::SceneImage& image,
                                        const std::array<std::size_t, 3>& order,
                                        const std::array<bool, 3>& back) {
    const auto& from = std::get<base::Image<float>>(image.pixels);
    const base::Extents& n = from.extents();
    const std::array<std::int64_t, 3> lengths{n.x, n.y, n.z};
    base::Image<float> to({lengths[order[0]], lengths[order[1]], lengths[order[2]]});
    auto made = std::make_shared<job::SceneImage>();
    made->geometry = image.geometry;
    base::Point first{0, 0, 0};
    for (std::size_t a = 0; a < 3; ++a) {
        made->geometry.spacing[a] = image.geometry.spacing[order[a]];
        for (std::size_t row = 0; row < 3; ++row) {
            made->geometry.direction[3 * row + a] =
                (back[a] ? -1 : 1) * image.geometry.direction[3 * row + order[a]];
        }
        first[order[a]] = back[a] ? static_cast<double>(lengths[order[a]] - 1) : 0;
    }
    made->geometry.origin = base::movedTo(image.geometry, first).origin;
    for (std::int64_t z = 0; z < to.extents().z; ++z) {
        for (std::int64_t y = 0; y < to.extents().y; ++y) {
            for (std::int64_t x = 0; x < to.extents().x; ++x) {
                const std::array<std::int64_t, 3> at{x, y, z};
                std::array<std::int64_t, 3> source{};
                for (std::size_t a = 0; a < 3; ++a) {
                    source[order[a]] = back[a] ? lengths[order[a]] - 1 - at[a] : at[a];
                }
                to.view().at(x, y, z) = from.view().at(source[0], source[1], source[2]);
            }
        }
    }
    made->pixels = std::move(to);
    made->source = "memory:stored";
    made->directed = image.directed;
    return made;
}

job::JobImages noiseImages(const Matrix& direction = oblique(20)) {
    base::AnyImage scene = test::noise(PixelType::Float32, kScene, 31);
    base::AnyImage templ = test::crop(scene, kCut);
    job::JobImages images =
        test::imagesOf(std::move(scene), std::move(templ), geometryOf(direction, {1, 1.5, 2}));
    auto whole = std::make_shared<job::SceneImage>();
    whole->pixels = base::copyOf(base::viewOf(images.scene->pixels));
    whole->geometry = images.scene->geometry;
    whole->source = "memory:scene";
    whole->directed = true;
    images.scene = whole;
    auto part = std::make_shared<job::SceneImage>();
    part->pixels = base::copyOf(base::viewOf(images.templates[0]->pixels));
    part->geometry = base::movedTo(whole->geometry, {9, 5, 7});
    part->source = "memory:template";
    part->directed = true;
    images.templates = {part};
    return images;
}

void verifyFound(const job::JobResult& result) {
    QVERIFY(result.peaks.front().corner == kCut.corner);
    QVERIFY2(std::abs(result.peaks.front().score - 1) < 1e-12,
             qPrintable(QString::number(result.peaks.front().score, 'g', 16)));
}

bool says(const std::vector<std::string>& sentences, const std::string& what) {
    return std::ranges::any_of(
        sentences, [&](const std::string& each) { return each.find(what) != std::string::npos; });
}

/// A smooth thing in space, known everywhere.
double thing(const base::Point& p) {
    return 100 * std::exp(-(p[0] * p[0] / 30 + p[1] * p[1] / 60 + p[2] * p[2] / 18)) +
           60 * std::exp(-((p[0] - 5) * (p[0] - 5) + p[1] * p[1] + (p[2] + 4) * (p[2] + 4)) / 15);
}

std::shared_ptr<job::SceneImage> sampled(const base::Geometry& geometry, const base::Extents& n) {
    base::Image<float> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(thing(base::toWorld(
            geometry, {static_cast<double>(i % n.x), static_cast<double>(i / n.x % n.y),
                       static_cast<double>(i / (n.x * n.y))})));
    }
    auto made = std::make_shared<job::SceneImage>();
    made->pixels = std::move(image);
    made->geometry = geometry;
    made->directed = true;
    made->source = "memory:sampled";
    return made;
}

/// A grid whose middle lies at the origin of space.
base::Geometry centred(base::Geometry geometry, const base::Extents& n) {
    geometry.origin = {0, 0, 0};
    const base::Point at =
        base::toWorld(geometry, {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
                                 static_cast<double>(n.z - 1) / 2});
    geometry.origin = {-at[0], -at[1], -at[2]};
    return geometry;
}

} // namespace

class DirectionsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyOrderOfTheAxesIsTurnedBack() {
        const job::JobImages images = noiseImages();
        const job::SceneImage& templ = *images.templates.front();
        const auto& pixels = std::get<base::Image<float>>(templ.pixels);
        std::array<std::size_t, 3> order{0, 1, 2};
        int orders = 0;
        do {
            for (unsigned signs = 0; signs < 8; ++signs) {
                const auto other =
                    stored(templ, order, {(signs & 1U) != 0, (signs & 2U) != 0, (signs & 4U) != 0});
                const auto turned = job::turnedToScene(*other, *images.scene);
                QCOMPARE(turned == nullptr, orders == 0); // the first one is as the scene
                const job::SceneImage& made = turned ? *turned : *other;
                const auto& got = std::get<base::Image<float>>(made.pixels);
                QVERIFY(got.extents() == pixels.extents());
                QVERIFY(std::equal(got.data(), got.data() + got.count(), pixels.data()));
                for (std::size_t i = 0; i < 9; ++i) {
                    QVERIFY(std::abs(made.geometry.direction[i] - templ.geometry.direction[i]) <
                            1e-15);
                }
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    QCOMPARE(made.geometry.spacing[axis], templ.geometry.spacing[axis]);
                    QVERIFY(std::abs(made.geometry.origin[axis] - templ.geometry.origin[axis]) <
                            1e-12);
                }
                ++orders;
            }
        } while (std::next_permutation(order.begin(), order.end()));
        QCOMPARE(orders, 48);
    }

    void aRunTurnsTemplatesAndMasksAndSaysSo() {
        job::JobImages images = noiseImages();
        job::SceneImage weights;
        base::Image<float> ramp(kCut.extents);
        for (std::int64_t i = 0; i < ramp.count(); ++i) {
            ramp.data()[i] = static_cast<float>(i % 11) / 11;
        }
        weights.pixels = std::move(ramp);
        weights.geometry = images.templates[0]->geometry;
        weights.directed = true;
        weights.source = "memory:weights";
        const std::array<std::size_t, 3> order{1, 2, 0}; // sagittal
        const std::array<bool, 3> back{true, false, true};
        const auto templ = images.templates[0];
        images.masks = {job::maskOf(weights)};
        const job::JobResult plain = job::runJob({}, images);
        verifyFound(plain);
        const auto other = stored(*templ, order, back);
        const auto otherWeights = stored(weights, order, back);
        images.templates = {other};
        images.masks = {job::maskOf(*otherWeights)};
        const job::JobResult both = job::runJob({}, images);
        // "-z x -y" of the file run along x, y, z of the scene.
        QVERIFY(
            says(both.notes, "axes of memory:stored were turned to those of the scene: -z -x y") ||
            says(both.notes, "were turned"));
        // A mask without directions of its own goes with its template; one of the scene's
        // directions stays.
        otherWeights->directed = false;
        images.masks = {job::maskOf(*otherWeights)};
        const job::JobResult silent = job::runJob({}, images);
        images.masks = {job::maskOf(weights)};
        const job::JobResult own = job::runJob({}, images);
        for (const job::JobResult* result : {&both, &silent, &own}) {
            verifyFound(*result);
            QVERIFY(std::equal(plain.map->value.data(),
                               plain.map->value.data() + plain.map->value.count(),
                               result->map->value.data()));
        }
        // As stored the box is another one.
        Job job;
        job.ignoreDirections = true;
        images.masks.clear();
        const job::JobResult ignored = job::runJob(job, images);
        QVERIFY(ignored.peaks.empty() || ignored.peaks.front().score < 0.9);
        QVERIFY(!says(ignored.notes, "turned"));
        auto unstated = std::make_shared<job::SceneImage>();
        unstated->pixels = base::copyOf(base::viewOf(templ->pixels));
        unstated->source = "memory:picture"; // the direction of its geometry is a default
        images.templates = {unstated};
        verifyFound(job::runJob({}, images));
    }

    void filesStateTheirDirections_data() {
        QTest::addColumn<QString>("extension");
        for (const char* extension : {"nii", "nrrd", "mha"}) {
            QTest::newRow(extension) << extension;
        }
    }

    void filesStateTheirDirections() {
        QFETCH(QString, extension);
        const test::Folder folder;
        const auto file = [&](const char* name) {
            return folder.path(name + ("." + extension.toStdString()));
        };
        const job::JobImages images = noiseImages(oblique(0));
        const auto other = stored(*images.templates[0], {2, 0, 1}, {false, true, true});
        base::Image<float> half(kScene, 0.0F);
        for (std::int64_t i = 0; i < half.count(); ++i) {
            half.data()[i] = i % kScene.x < 18 ? 1 : 0;
        }
        job::SceneImage mask;
        mask.pixels = std::move(half);
        mask.geometry = images.scene->geometry;
        const auto otherMask = stored(mask, {0, 1, 2}, {true, false, true});
        for (const auto& [name, image] :
             {std::pair("scene", images.scene.get()),
              std::pair("templ", static_cast<const job::SceneImage*>(other.get())),
              std::pair("half", static_cast<const job::SceneImage*>(otherMask.get()))}) {
            (void)io::writeImage(file(name), base::viewOf(image->pixels), image->geometry);
        }
        Job job;
        job.scene = file("scene");
        job.templates = {file("templ")};
        job.sceneMask = file("half");
        job.outside = method::Outside::Overlap;
        job.minOverlap = 1;
        job.templateOut = file("out");
        const job::JobResult result = job::runJob(job);
        verifyFound(result);
        QVERIFY(says(result.notes, "axes of " + job.templates[0].string() + " were turned"));
        QVERIFY(says(result.notes, "axes of " + job.sceneMask.string() + " were turned"));
        // The written template has the axes of the scene and lies where it was cut.
        const auto out = job::loadImage(job.templateOut, {}, {});
        QVERIFY(base::extentsOf(out->pixels) == kCut.extents);
        const base::Point place = base::toWorld(out->geometry, {0, 0, 0});
        const base::Point right = base::toWorld(images.scene->geometry, {9, 5, 7});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            QVERIFY(std::abs(std::abs(place[axis]) - std::abs(right[axis])) < 1e-4);
        }
    }

    void obliqueTemplatesAreRefusedOrResampled() {
        const base::Extents n{41, 39, 37};
        const base::Extents m{17, 19, 21}; // on the grid of the scene 23 x 23 x 29: no half voxels
        job::JobImages images;
        images.scene = sampled(centred(geometryOf(oblique(0), {1, 1.2, 0.9}), n), n);
        const auto templ = sampled(centred(geometryOf(oblique(15), {1, 1, 1}), m), m);
        images.templates = {templ};
        const test::Thrown refused = test::thrownBy([&] { (void)job::runJob({}, images); });
        QCOMPARE(refused.code, base::ErrorCode::Problem);
        QVERIFY2(refused.sentence.find("--resample") != std::string::npos,
                 refused.sentence.c_str());
        Job job;
        job.resample = true;
        job.audit = job::Audit::On;
        const job::JobResult result = job::runJob(job, images);
        // The middle of both lies at the origin of space: voxel (20, 19, 18) of the scene.
        const base::Point middle{20, 19, 18};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            QVERIFY2(std::abs(result.peaks.front().centre[axis] - middle[axis]) < 0.1,
                     qPrintable(QString::number(result.peaks.front().centre[axis])));
        }
        QVERIFY2(result.peaks.front().score > 0.999,
                 qPrintable(QString::number(result.peaks.front().score)));
        QVERIFY(result.report.templates[0].masked); // the corners of the turned box do not count
        QVERIFY(result.report.audit->verdict == job::AuditVerdict::Passed);
        // Not turned it fits worse: the test can fail.
        job.ignoreDirections = true;
        QVERIFY(job::runJob(job, images).peaks.front().score < 0.99);
        // A mask of its file goes with it.
        job.ignoreDirections = false;
        job::SceneImage inside;
        base::Image<float> ball(m);
        for (std::int64_t i = 0; i < ball.count(); ++i) {
            const auto off = [](std::int64_t at, std::int64_t of) {
                return static_cast<double>(2 * at - of + 1) / 2;
            };
            ball.data()[i] = std::hypot(off(i % m.x, m.x), off(i / m.x % m.y, m.y),
                                        off(i / (m.x * m.y), m.z)) <= 8
                                 ? 1
                                 : 0;
        }
        inside.pixels = std::move(ball);
        inside.source = "memory:ball";
        images.masks = {job::maskOf(inside)};
        const job::JobResult masked = job::runJob(job, images);
        QVERIFY(masked.peaks.front().score > 0.999);
        // The volume of the ball in voxels of the scene, to its rim.
        const double voxels = 4 * std::numbers::pi / 3 * 512 / (1 * 1.2 * 0.9);
        QVERIFY(std::abs(static_cast<double>(masked.report.templates[0].support) / voxels - 1) <
                0.05);
    }

    void aSagittalSliceFitsAVolume() {
        job::JobImages images = noiseImages();
        // One slice across x of the scene, stored as a picture.
        base::AnyImage slice = test::crop(images.scene->pixels, {{12, 5, 7}, {1, 9, 8}});
        job::SceneImage flat;
        flat.pixels = std::move(slice);
        flat.geometry = base::movedTo(images.scene->geometry, {12, 5, 7});
        flat.directed = true;
        images.templates = {stored(flat, {1, 2, 0}, {false, true, false})};
        QVERIFY((base::extentsOf(images.templates[0]->pixels) == base::Extents{9, 8, 1}));
        const job::JobResult result = job::runJob({}, images);
        QVERIFY((result.peaks.front().corner == base::Index{12, 5, 7}));
        QVERIFY(std::abs(result.peaks.front().score - 1) < 1e-12);
    }

    void aMaskOfTheSceneThatLiesElsewhereIsToldOrResampled() {
        job::JobImages images = noiseImages(oblique(0));
        job::SceneImage mask;
        base::Image<float> part(kScene, 0.0F);
        for (std::int64_t i = 0; i < part.count(); ++i) {
            part.data()[i] = i % kScene.x < 20 ? 1 : 0;
        }
        mask.pixels = std::move(part);
        mask.source = "memory:elsewhere";
        mask.directed = true;
        mask.geometry = base::movedTo(images.scene->geometry, {3, 0, 0});
        images.sceneMask = job::maskOf(mask);
        const job::JobResult told = job::runJob({}, images);
        QVERIFY(says(told.warnings, "lies elsewhere"));
        Job job;
        job.resample = true;
        const job::JobResult moved = job::runJob(job, images);
        QVERIFY(says(moved.notes, "resampled in space") &&
                moved.warnings.size() < told.warnings.size());
        const base::Image<std::uint8_t>& support = moved.sceneMask->support;
        for (std::int64_t i = 0; i < support.count(); ++i) {
            const std::int64_t x = i % kScene.x;
            QCOMPARE(support.data()[i] != 0, x >= 3 && x < 23);
        }
        mask.geometry = images.scene->geometry;
        images.sceneMask = job::maskOf(mask);
        QVERIFY(!says(job::runJob({}, images).warnings, "elsewhere"));
    }

    void eachSceneOfAJobTurnsTheTemplate() {
        const test::Folder folder;
        const job::JobImages images = noiseImages(oblique(0));
        const auto write = [&](const char* name, const job::SceneImage& image) {
            (void)io::writeImage(folder.path(name), base::viewOf(image.pixels), image.geometry);
            return folder.path(name);
        };
        Job job;
        job.scene = write("a.nrrd", *images.scene);
        job.furtherScenes = {
            write("b.nrrd", *stored(*images.scene, {0, 1, 2}, {true, true, false}))};
        job.templates = {write("t.nrrd", *images.templates[0])};
        const job::JobResult result = job::runJob(job);
        QCOMPARE(result.report.scenes.size(), std::size_t{2});
        for (const job::JobReport& scene : result.report.scenes) {
            QVERIFY2(std::abs(scene.peaks.front().score - 1) < 1e-12,
                     qPrintable(QString::number(scene.peaks.front().score)));
        }
        QVERIFY((result.report.scenes[1].peaks.front().corner ==
                 base::Index{kScene.x - 9 - 7, kScene.y - 5 - 6, 7}));
    }
};

const flcc::test::TestClass<DirectionsTest> kDirectionsTest;
#include "directions_test.moc"
