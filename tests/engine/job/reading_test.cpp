#include <QtTest>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/convolve_job.h"
#include "engine/job/features.h"
#include "engine/job/mask_shape.h"
#include "tests/engine/io/fixtures.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::ErrorCode;
using job::Job;

namespace {

constexpr std::uint32_t kSide = 40;
constexpr std::uint32_t kTempl = 9;
constexpr std::uint32_t kLeft = 21;
constexpr std::uint32_t kTop = 12;

unsigned char sceneValue(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = (x * 7919 + y * 104729 + x * y * 31) * 2654435761U;
    return static_cast<unsigned char>(mixed >> 24);
}

/// Pixels at least this far from the middle are transparent, and hold something else.
bool isOpaque(std::uint32_t x, std::uint32_t y) {
    const auto d = [](std::uint32_t v) {
        return static_cast<int>(2 * v) - static_cast<int>(kTempl - 1);
    };
    return d(x) * d(x) + d(y) * d(y) <= 64;
}

test::TiffRecipe greyScene() {
    test::TiffRecipe recipe;
    recipe.width = kSide;
    recipe.height = kSide;
    test::Bytes page;
    for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
        page.push_back(sceneValue(i % kSide, i / kSide));
    }
    recipe.pages = {page};
    return recipe;
}

/// Cut from the scene; grey and opacity, which is `low` outside of a disc and `high` inside.
test::TiffRecipe discTemplate(unsigned char low, unsigned char high) {
    test::TiffRecipe recipe;
    recipe.width = kTempl;
    recipe.height = kTempl;
    recipe.samples = 2;
    recipe.tags = {{338, 3, 2}};
    test::Bytes page;
    for (std::uint32_t i = 0; i < kTempl * kTempl; ++i) {
        const std::uint32_t x = i % kTempl;
        const std::uint32_t y = i / kTempl;
        const bool opaque = isOpaque(x, y);
        page.push_back(opaque ? sceneValue(kLeft + x, kTop + y)
                              : static_cast<unsigned char>(255 - sceneValue(kLeft + x, kTop + y)));
        page.push_back(opaque ? high : low);
    }
    recipe.pages = {page};
    return recipe;
}

std::int64_t discPixels() {
    std::int64_t count = 0;
    for (std::uint32_t i = 0; i < kTempl * kTempl; ++i) {
        count += isOpaque(i % kTempl, i / kTempl) ? 1 : 0;
    }
    return count;
}

bool says(const std::vector<std::string>& notes, const std::string& words) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

} // namespace

class ReadingTest : public QObject {
    Q_OBJECT

    test::Folder m_folder;

    void write(const char* name, const test::TiffRecipe& recipe) const {
        test::writeFile(m_folder.path(name), test::makeTiff(recipe));
    }
    Job jobWith(std::vector<std::filesystem::path> masks = {}) const {
        Job job;
        job.scene = m_folder.path("scene.tif");
        job.templates = {m_folder.path("template.tif")};
        job.masks = std::move(masks);
        job.minScore = -1;
        job.planning = plan::Planning::Estimate;
        return job;
    }

  private Q_SLOTS:
    void theOpaquePartOfATemplateIsItsMask() {
        write("scene.tif", greyScene());
        for (const auto& [low, high] : {std::pair<int, int>{0, 255}, {127, 128}}) {
            write("template.tif",
                  discTemplate(static_cast<unsigned char>(low), static_cast<unsigned char>(high)));
            for (const Job& job : {jobWith(), jobWith({std::string(job::kOpacityMask)})}) {
                const job::JobResult result = job::runJob(job, {});
                QVERIFY((result.peaks.front().corner == base::Index{kLeft, kTop, 0}));
                QVERIFY(result.peaks.front().score > 1 - 1e-9);
                const auto& support = result.masks.at(0)->support;
                QCOMPARE(std::count(support.data(), support.data() + support.count(), 1),
                         discPixels());
                QVERIFY(says(result.notes, "the opaque part of"));
            }
        }
        const job::JobResult whole = job::runJob(jobWith({"none"}), {});
        QVERIFY(whole.peaks.front().score < 0.9);
        QVERIFY(!says(whole.notes, "opaque"));
    }

    void anOpaqueTemplateHasNoMask() {
        write("scene.tif", greyScene());
        write("template.tif", discTemplate(255, 255));
        const job::JobResult result = job::runJob(jobWith(), {});
        QVERIFY(result.masks.at(0) == nullptr);
        QVERIFY(result.notes.empty());
        const test::Thrown thrown =
            test::thrownBy([&] { (void)job::runJob(jobWith({"alpha"}), {}); });
        QCOMPARE(thrown.code, ErrorCode::Problem);
        write("template.tif", discTemplate(0, 127));
        const test::Thrown none = test::thrownBy([&] { (void)job::runJob(jobWith(), {}); });
        QCOMPARE(none.code, ErrorCode::Problem);
        QVERIFY(none.sentence.find("--mask none") != std::string::npos);
    }

    void eachTemplateHasItsOwnOpacity() {
        write("scene.tif", greyScene());
        write("template.tif", discTemplate(0, 255));
        write("opaque.tif", discTemplate(255, 255));
        Job job = jobWith();
        job.templates.push_back(m_folder.path("opaque.tif"));
        const job::JobResult result = job::runJob(job, {});
        QVERIFY(result.masks.at(0) != nullptr && result.masks.at(1) == nullptr);
        job.masks = {"none", "none"};
        QVERIFY(!method::isMasked({base::viewOf(result.templates.at(0)->pixels),
                                   job::runJob(job, {}).masks.at(0)->support.view()}));
    }

    void theOpacityOfASceneIsSaidToBeIgnored() {
        test::TiffRecipe scene = discTemplate(0, 255);
        write("scene.tif", scene);
        Job job;
        job.scene = m_folder.path("scene.tif");
        job.crops = {{{1, 1, 0}, {5, 5, 1}}};
        QVERIFY(says(job::runJob(job, {}).notes, "the opacity of"));
    }

    void aSceneIsTakenAsTheJobSays() {
        test::TiffRecipe scene = greyScene();
        scene.height = 20;
        scene.pages[0].resize(std::size_t{kSide} * 20);
        scene.tags = {{274, 3, 6}, {296, 3, 2}};
        scene.pixelsPer1000 = 254000;
        write("scene.tif", scene);
        Job job;
        job.scene = m_folder.path("scene.tif");
        job.crops = {{{2, 3, 0}, {8, 9, 1}}};
        job.reading.resolution = true;
        job.report = m_folder.path("report.json");
        QVERIFY((job::runJob(job, {}).report.scene == base::Extents{20, kSide, 1}));
        job.reading.orientation = io::Orientation::Stored;
        const job::JobResult result = job::runJob(job, {});
        QVERIFY((result.report.scene == base::Extents{kSide, 20, 1}));
        QVERIFY(std::abs(result.geometry.spacing[0] - 0.1) < 1e-7);
        const auto json = nlohmann::json::parse(test::bytesOf(m_folder.path("report.json")));
        QCOMPARE(json["inputs"][0]["orientation"].get<std::string>(), std::string("stored"));
        QVERIFY(json["inputs"][0]["note"].get<std::string>().find("was not applied") !=
                std::string::npos);
    }

    void allJobFilesKeepHowFilesAreTaken() {
        io::Reading reading{.orientation = io::Orientation::Stored, .image = 3, .resolution = true};
        Job job = jobWith();
        job.reading = reading;
        QVERIFY(job::fromJobFile(job::toJobFile(job)).reading == reading);
        job::ConvolveJob convolve;
        convolve.scene = "a.tif";
        convolve.kernel = "box:3";
        convolve.reading = reading;
        QVERIFY(std::get<job::ConvolveJob>(job::anyFromJobFile(job::toJobFile(convolve))).reading ==
                reading);
        job::FeaturesJob features;
        features.scene = "a.tif";
        features.reading = reading;
        const auto read = [&] {
            return std::get<job::FeaturesJob>(job::anyFromJobFile(job::toJobFile(features)))
                .reading;
        };
        QVERIFY(read() == reading);
        // Numbers take the place of the resolution.
        features.spacing = base::parseSpacing("2um");
        QVERIFY(!read().resolution);
        const test::Thrown thrown = test::thrownBy([] {
            (void)job::parseArguments("match", {"a.tif", "b.tif", "--orientation", "turned"});
        });
        QCOMPARE(thrown.code, ErrorCode::CommandLine);
    }

    void convolutionAndFeaturesTakeFilesLikewise() {
        test::TiffRecipe scene = greyScene();
        scene.pages.push_back(test::Bytes(6, 1));
        scene.ofPage = {{kSide, kSide, {}}, {3, 2, {{274, 3, 8}}}};
        write("scene.tif", scene);
        job::ConvolveJob convolve;
        convolve.scene = m_folder.path("scene.tif");
        convolve.kernel = "box:1";
        QVERIFY((job::runConvolve(convolve, {}).report.scene == base::Extents{kSide, kSide, 1}));
        convolve.reading.image = 1;
        QVERIFY((job::runConvolve(convolve, {}).report.scene == base::Extents{2, 3, 1}));
        convolve.reading.orientation = io::Orientation::Stored;
        QVERIFY((job::runConvolve(convolve, {}).report.scene == base::Extents{3, 2, 1}));
        job::FeaturesJob features;
        features.reading.image = 1;
        const job::FeaturesImage image =
            job::loadFeaturesImage(features, m_folder.path("scene.tif"));
        QVERIFY((base::extentsOf(*image.components.front()) == base::Extents{2, 3, 1}));
        // A template of one image is read whatever the image of the scene is.
        write("template.tif", discTemplate(0, 255));
        const auto templ = job::loadCompanion(m_folder.path("template.tif"), {}, {}, {}, 0,
                                              {.image = 1, .resolution = true});
        QVERIFY(templ != nullptr && templ->opacity != nullptr);
    }
};

const flcc::test::TestClass<ReadingTest> kReadingTest;
#include "reading_test.moc"
