#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "engine/io/image_file.h"
#include "engine/job/made_of.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/drawn.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::PixelType;
using Json = nlohmann::json;

/// Peaks that their own template was made of.
class MadeOfTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    static void anAverageMarksThePeaksThatItWasMadeOf() {
        const test::Folder folder;
        base::AnyImage pixels = test::noise(PixelType::Float32, {90, 60, 1}, 5);
        base::AnyImage cut = test::crop(pixels, {{20, 20, 0}, {9, 9, 1}});
        auto& scene = std::get<base::Image<float>>(pixels);
        const auto& templ = std::get<base::Image<float>>(cut);
        for (std::int64_t i = 0; i < templ.count(); ++i) { // a second copy
            scene.view().at(60 + i % 9, 30 + i / 9, 0) = templ.data()[i];
        }
        job::JobImages images = test::imagesOf(std::move(pixels), std::move(cut));
        job::Job job;
        job.minScore = 0.7;
        job.exports.average = folder.path("mean.mrc");
        QCOMPARE(job::runJob(job, images).peaks.size(), std::size_t{2});
        auto average = std::make_shared<job::SceneImage>();
        io::LoadedImage read = io::readImage(job.exports.average);
        average->pixels = std::move(read.components.at(0));
        average->source = job.exports.average.string();
        images.templates = {average};
        job.exports.average.clear();
        job.report = folder.path("again.json");
        const auto marked = [&] {
            const auto peaks = job::runJob(job, images).peaks;
            return std::pair(std::ssize(peaks), std::ranges::count_if(peaks, &match::Peak::madeOf));
        };
        using Counts = std::pair<std::ptrdiff_t, std::ptrdiff_t>;
        QCOMPARE(marked(), Counts(2, 2));
        const Json report = Json::parse(test::bytesOf(job.report));
        QVERIFY(report.at("peaks")[0].at("made_of").get<bool>());
        QVERIFY(report.at("warnings").dump().find("2 of 2 peaks lie where") != std::string::npos);
        // Not with another template of this name, unless it says in memory what it was made of.
        std::get<base::Image<float>>(average->pixels).data()[0] += 0.01F;
        QCOMPARE(marked(), Counts(2, 0));
        average->madeOf = job::readMadeOf(average->source);
        QCOMPARE(marked(), Counts(2, 2));
        // Nor in another scene.
        auto other = std::make_shared<job::SceneImage>();
        other->pixels = base::copyOf(base::viewOf(images.scene->pixels));
        other->geometry = images.scene->geometry;
        std::get<base::Image<float>>(other->pixels).data()[0] += 0.01F;
        images.scene = other;
        QCOMPARE(marked(), Counts(2, 0));
    }
};

const flcc::test::TestClass<MadeOfTest> kMadeOfTest;
#include "made_of_test.moc"
