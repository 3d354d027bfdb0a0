#include <QtTest>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <random>

#include <nlohmann/json.hpp>

#include "engine/io/image_file.h"
#include "engine/job/any_job.h"
#include "engine/job/difference.h"
#include "engine/job/job.h"
#include "tests/engine/job/job_cases.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

using Counts = std::vector<std::vector<std::int64_t>>;

void put(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// Three shapes of noise of different sizes, on weak noise: alpha and gamma twice, beta once.
void writeBank(const test::Folder& folder) {
    base::AnyImage scene = test::noise(base::PixelType::Float32, {160, 96, 1}, 1);
    const auto plant = [&](const char* name, std::int64_t edge, std::uint64_t seed,
                           const std::vector<base::Index>& corners) {
        const base::AnyImage shape = test::noise(base::PixelType::Float32, {edge, edge, 1}, seed);
        for (const base::Index& corner : corners) {
            test::paste(scene, shape, corner);
        }
        (void)io::writeImage(folder.path(name), base::viewOf(shape), {});
    };
    plant("template-alpha.mha", 9, 2, {{10, 10, 0}, {40, 10, 0}});
    plant("template-beta.mha", 11, 3, {{70, 10, 0}});
    plant("template-gamma.mha", 13, 4, {{100, 10, 0}, {130, 10, 0}});
    (void)io::writeImage(folder.path("scene.mha"), base::viewOf(scene), {});
    // What alpha finds at 44, 14 is called beta; there is a gamma at 30, 70 that nobody planted,
    // and one that was planted is not in the list.
    put(folder.path("truth.csv"), "name,cx,cy,cz\nalpha,14,14,0\nbeta,44,14,0\nbeta,75,15,0\n"
                                  "gamma,106,16,0\ngamma,30,70,0\n");
}

job::Job bankJob(const test::Folder& folder) {
    job::Job job;
    job.scene = folder.path("scene.mha");
    for (const char* name : {"alpha", "beta", "gamma"}) {
        job.templates.push_back(folder.path(std::string("template-") + name + ".mha"));
    }
    job.truth = folder.path("truth.csv");
    job.minScore = 0.9;
    job.planning = plan::Planning::Estimate;
    job.audit = job::Audit::Off;
    return job;
}

constexpr std::int64_t kSmall = 5;
constexpr std::int64_t kLarge = 41;

base::Image<float> gaussianNoise(const base::Extents& extents, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    base::Image<float> image(extents);
    std::generate(image.data(), image.data() + image.count(), [&] { return normal(random); });
    return image;
}

/// A small and a large template, and a scene of noise in which each lies `copies` times: the small
/// one far above the noise, the large one below it.
job::JobImages smallAndLarge(unsigned seed, int copies) {
    base::Image<float> scene = gaussianNoise({260, 180, 1}, seed);
    job::JobImages images;
    std::int64_t y = 20;
    for (const auto& [edge, strength] : {std::pair(kSmall, 5.0F), std::pair(kLarge, 0.3F)}) {
        base::Image<float> shape =
            gaussianNoise({edge, edge, 1}, 1000 + static_cast<unsigned>(edge));
        for (int copy = 0; copy < copies; ++copy) {
            for (std::int64_t i = 0; i < shape.count(); ++i) {
                scene.view().at(20 + 60 * copy + i % edge, y + i / edge, 0) +=
                    strength * shape.data()[i];
            }
        }
        y += 60;
        auto templ = std::make_shared<job::SceneImage>();
        templ->pixels = std::move(shape);
        images.templates.push_back(std::move(templ));
    }
    auto whole = std::make_shared<job::SceneImage>();
    whole->pixels = std::move(scene);
    images.scene = std::move(whole);
    return images;
}

// alpha, beta, gamma, nothing; the last column counts those that are missed.
const Counts kCounts{{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 0}};

} // namespace

class SpeciesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBankSaysWhichSpeciesItTookForWhich() {
        const test::Folder folder;
        writeBank(folder);
        job::Job job = bankJob(folder);
        job.report = folder.path("report.json");
        job.peaks = folder.path("peaks.csv");
        const job::JobResult result = job::runJob(job);
        QVERIFY(result.report.truth->table.has_value());
        const job::SpeciesTable& table = *result.report.truth->table;
        QVERIFY(table.confusion.counts == kCounts);
        // alpha: 1 of 2 right, 1 of 1 found; beta: 1 of 1, 1 of 2; gamma: 1 of 2, 1 of 2.
        const double f4 = (17.0 / (2 + 16) + 17.0 / (1 + 32) + 17.0 / (2 + 32)) / 3;
        QCOMPARE(table.confusion.f4, f4);
        const auto json = nlohmann::json::parse(test::bytesOf(job.report))["truth"]["species"];
        QCOMPARE(json["f4"].get<double>(), f4);
        QCOMPARE(json["rows"][1]["counts"], (nlohmann::json{1, 1, 0}));
        QCOMPARE(json["rows"][2]["missed"].get<int>(), 1);
        QCOMPARE(json["nothing"], (nlohmann::json{0, 0, 1}));
        const std::string text = job::toSummary(result.report);
        QVERIFY2(text.find("beta                  1              1               0       0"
                           "      1.000   0.500  0.667  0.515\n") != std::string::npos,
                 text.c_str());
        QVERIFY(text.find("F4 0.653, mean of 3 species") != std::string::npos);
        QVERIFY(job::toHtml(result.report).find("<td>nothing</td><td class=\"n\">0</td>") !=
                std::string::npos);
        // Both lists that a run writes name the templates.
        for (const auto& list : {job.peaks, job.report}) {
            const job::ComparedLists again = job::diffLists({.a = list, .b = job.truth});
            QVERIFY(again.table && again.table->confusion.counts == kCounts);
            const job::ComparedLists same = job::diffLists({.a = list, .b = job.peaks});
            QVERIFY(same.table && same.table->confusion.f4 == 1);
        }
    }

    // A small template reaches scores by chance that a large one does not reach on its objects.
    void templatesOfDifferentExtentsCompeteByHowRareTheirScoresAre() {
        job::Job job;
        job.planning = plan::Planning::Estimate;
        job.falsePositives = 0.01;
        const job::JobResult result = job::runJob(job, smallAndLarge(1, 3));
        QCOMPARE(std::ssize(result.peaks), 6);
        for (std::size_t i = 0; i < 6; ++i) {
            const match::Peak& peak = result.peaks[i];
            QCOMPARE(peak.templ, i < 3 ? 1 : 0);
            QVERIFY(i < 3 ? peak.score < 0.4 : peak.score > 0.9);
            QVERIFY(i == 0 || *peak.falsePositives >= *result.peaks[i - 1].falsePositives);
            QCOMPARE(peak.corner.y, i < 3 ? 80 : 20);
            QCOMPARE((peak.corner.x - 20) % 60, 0);
        }
        const job::ThresholdReport& threshold = *result.report.threshold;
        QCOMPARE(std::ssize(threshold.values), 2);
        QVERIFY(threshold.values[0] > 0.7 && threshold.values[1] < 0.2);
        QCOMPARE(threshold.value, threshold.values[0]);
        QVERIFY(*threshold.falsePositives <= 0.01 && *threshold.falsePositives > 0.0098);
        // A threshold that is given holds for all of them; the order stays.
        job.falsePositives.reset();
        job.minScore = 0.25;
        const std::vector<match::Peak> above = job::runJob(job, smallAndLarge(1, 3)).peaks;
        QVERIFY(std::ssize(above) > 20);
        for (std::size_t i = 0; i < 6; ++i) {
            QVERIFY(above[i].corner == result.peaks[i].corner);
        }
    }

    void eachTemplateHasItsShareOfFalsePositives() {
        std::array<int, 2> found{};
        job::Job job;
        job.planning = plan::Planning::Estimate;
        job.falsePositives = 20;
        for (unsigned seed = 10; seed < 15; ++seed) {
            for (const match::Peak& peak : job::runJob(job, smallAndLarge(seed, 0)).peaks) {
                ++found[static_cast<std::size_t>(peak.templ)];
            }
        }
        // 50 each. Places near each other are suppressed, which takes a few of the large ones.
        const std::string counts = std::to_string(found[0]) + ", " + std::to_string(found[1]);
        QVERIFY2(found[0] > 25 && found[0] < 100 && found[1] > 25 && found[1] < 100,
                 counts.c_str());
    }

    void templatesGetNamesByAnOption() {
        const test::Folder folder;
        writeBank(folder);
        put(folder.path("truth.csv"), "species,cx,cy,cz\nring,14,14,0\nrod,44,14,0\n"
                                      "rod,75,15,0\ndisc,106,16,0\ndisc,30,70,0\n");
        job::Job job = bankJob(folder);
        const std::string without = job::toSummary(job::runJob(job).report);
        QVERIFY2(without.find("none of A (template-alpha, template-beta, template-gamma) has the "
                              "name of one of B (ring, rod, disc)") != std::string::npos,
                 without.c_str());
        job.species = {"ring", "rod", "disc"};
        job.peaks = folder.path("peaks.csv");
        job.report = folder.path("report.json");
        QVERIFY(job::fromJobFile(job::toJobFile(job)) == job);
        const job::JobResult named = job::runJob(job);
        QVERIFY(named.report.truth->table &&
                named.report.truth->table->confusion.counts == kCounts);
        for (const auto& list : {job.peaks, job.report}) {
            QVERIFY(job::diffLists({.a = list, .b = job.truth}).table->confusion.counts == kCounts);
        }
        // Numbers of templates are names as well.
        put(folder.path("truth.csv"), "cx,cy,cz,template\n14,14,0,0\n44,14,0,1\n75,15,0,1\n"
                                      "106,16,0,2\n30,70,0,2\n");
        QVERIFY(job::runJob(job).report.truth->table->confusion.counts == kCounts);
        // The names are those of the job, not of the searches inside it.
        job.null = match::NullTemplate::Sphere;
        job.handedness = true;
        QVERIFY(job::runJob(job).report.truth->table.has_value());
        job.null = match::NullTemplate::None;
        job.handedness = false;
        job.species.pop_back();
        QVERIFY(test::thrownBy([&] { (void)job::runJob(job); }).code == base::ErrorCode::Problem);
        job.truth.clear();
        QVERIFY(test::thrownBy([&] { (void)job::runJob(job); }).sentence.find("--species") !=
                std::string::npos);
    }

    /// Names that are all different name positions, not species; a list of one species has no
    /// table.
    void aListMayStateNoSpecies() {
        const io::PositionList points =
            io::parseList("name,cx,cy,cz\np1,1,2,3\np2,4,5,6\n", io::ListFormat::Auto, {}, "a.csv");
        QVERIFY(points.species.empty() && points.positions[0].species == -1);
        const io::PositionList named = io::parseList(
            "name,x,y\nrod,1,2\nring,4,5\nrod,7,8\n", io::ListFormat::Auto,
            {.scene = {}, .geometry = {}, .unknowns = {.anchor = io::Anchor::Centre}}, "a.csv");
        QVERIFY((named.species == std::vector<std::string>{"rod", "ring"}));
        QCOMPARE(named.positions[2].species, 0);
        const io::PositionList copick = io::parseList(
            R"({"pickable_object_name": "ribosome", "points": [{"location": {"x": 1, "y": 2, "z": 3}}]})",
            io::ListFormat::Auto,
            {.scene = {},
             .geometry = {.spacing = {1, 1, 1},
                          .unit = "nm",
                          .unitSource = base::UnitSource::Header}},
            "a.json");
        QVERIFY((copick.species == std::vector<std::string>{"ribosome"}));
        QVERIFY(!job::compared(named, points, {}).table);
        QVERIFY(!job::compared(copick, copick, {}).table);
    }
};

const flcc::test::TestClass<SpeciesTest> kSpeciesTest;
#include "species_test.moc"
