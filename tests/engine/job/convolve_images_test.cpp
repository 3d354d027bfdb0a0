#include <QtTest>

#include <variant>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
#include "engine/job/convolve_job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;

namespace {

std::shared_ptr<const job::SceneImage> sceneOf(base::AnyImage pixels) {
    auto scene = std::make_shared<job::SceneImage>();
    scene->pixels = std::move(pixels);
    scene->geometry.spacing = {0.5, 0.5, 2};
    scene->geometry.unit = "mm";
    scene->source = "in memory";
    return scene;
}

job::ConvolveJob jobFor(const std::string& kernel) {
    job::ConvolveJob job;
    job.kernel = kernel;
    job.planning = plan::Planning::Estimate;
    return job;
}

} // namespace

class JobConvolveImagesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void imagesInMemoryNeedNoFiles() {
        const test::Folder folder;
        const job::ConvolveImages images{sceneOf(test::noise(PixelType::UInt8, {30, 20, 5}, 1)),
                                         sceneOf(test::noise(PixelType::Float32, {3, 5, 1}, 2))};
        for (const auto& [name, image] :
             {std::pair{"scene.mha", images.scene}, std::pair{"kernel.mha", images.kernel}}) {
            (void)io::writeImage(folder.path(name), base::viewOf(image->pixels), image->geometry);
        }
        job::ConvolveJob files = jobFor(folder.path("kernel.mha").string());
        files.scene = folder.path("scene.mha");
        const job::ConvolveResult expected = job::runConvolve(files);
        const job::ConvolveResult result = job::runConvolve(jobFor("nowhere.mha"), images);
        const auto& a = std::get<base::Image<float>>(result.pixels);
        const auto& b = std::get<base::Image<float>>(expected.pixels);
        QVERIFY(a.extents() == b.extents());
        QVERIFY(std::equal(a.data(), a.data() + a.count(), b.data()));
        QVERIFY(result.geometry == images.scene->geometry);
    }

    void aPreviewHasThePlanAndThePlane() {
        const job::ConvolveImages images{sceneOf(test::noise(PixelType::UInt8, {30, 20, 9}, 3)),
                                         {}};
        const job::ConvolvePreview preview =
            job::previewConvolve(jobFor("gaussian:1mm"), images, {1, 7});
        QVERIFY(!preview.cancelled && !preview.refused);
        QVERIFY(base::extentsOf(preview.plane) == (base::Extents{30, 9, 1}));
        QVERIFY(preview.report.candidates.front().verdict == plan::CandidateVerdict::Chosen);
        QVERIFY(!preview.report.candidates.front().measuredMs);
        QVERIFY(preview.report.kernel.extents == (base::Extents{25, 25, 7}));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(
            job::previewConvolve(jobFor("gaussian:2"), images, {2, 0}, stop.get_token()).cancelled);
    }

    void aPreviewSaysWhyNothingCanBeDone() {
        const job::ConvolveImages images{sceneOf(test::noise(PixelType::UInt8, {300, 200, 1}, 4)),
                                         {}};
        job::ConvolveJob job = jobFor("gaussian:2");
        job.memoryBytes = 1000;
        const job::ConvolvePreview preview = job::previewConvolve(job, images, {});
        QVERIFY(preview.refused && preview.refused->code() == base::ErrorCode::Memory);
        QVERIFY(base::extentsOf(preview.plane) == (base::Extents{300, 200, 1}));
        QVERIFY_THROWS_EXCEPTION(base::Error,
                                 (void)job::previewConvolve(jobFor("gaussian:0"), images, {}));
        QVERIFY_THROWS_EXCEPTION(base::Error, (void)job::runConvolve(jobFor("gaussian:1")));
    }
};

const flcc::test::TestClass<JobConvolveImagesTest> kJobConvolveImagesTest;
#include "convolve_images_test.moc"
