#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/method/bank.h"
#include "engine/reference/lcc.h"
#include "tests/engine/match/peak_judge.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::PixelType;
using match::PeakOptions;
using method::Extent;
using method::MaskedView;
using method::Outside;

namespace {

/// The best map of a bank with errors up to `bound` in the scores of each template.
struct BankMap {
    std::vector<base::AnyImage> templates;
    std::vector<int> numbers;
    test::MapOf map;
    base::Image<std::int32_t> index;

    BankMap(const base::AnyImage& scene, std::vector<base::AnyImage> images, std::vector<int> own,
            double bound, std::uint64_t seed)
        : templates(std::move(images)), numbers(std::move(own)),
          map(test::mapWithErrors(base::viewOf(scene), base::viewOf(templates[0]), bound, seed)),
          index(map.map.value.extents()) {
        const method::BankView best{method::viewOf(map.map), index.view()};
        method::startBest(best);
        for (std::size_t i = 1; i < templates.size(); ++i) {
            test::MapOf more = test::mapWithErrors(base::viewOf(scene), base::viewOf(templates[i]),
                                                   bound, seed + i);
            method::mergeBest(method::viewOf(more.map), static_cast<std::int32_t>(i), best);
        }
    }

    [[nodiscard]] match::SearchedMap searched() const {
        match::SearchedMap made = test::searchedMap(base::viewOf(templates[0]), map);
        made.templates.assign(templates.begin(), templates.end());
        made.numbers = numbers;
        made.index = index.view();
        return made;
    }
    [[nodiscard]] test::JudgedBank bank() const {
        test::JudgedBank made;
        for (const base::AnyImage& templ : templates) {
            made.templates.push_back(base::viewOf(templ));
        }
        made.numbers = numbers;
        return made;
    }
};

std::vector<match::Peak> peaksOf(const base::AnyImage& scene, const std::vector<BankMap>& banks,
                                 const PeakOptions& options) {
    std::vector<match::SearchedMap> maps;
    for (const BankMap& bank : banks) {
        maps.push_back(bank.searched());
    }
    return match::findPeaks(base::viewOf(scene), maps, {}, options);
}

std::vector<test::Place> judged(const base::AnyImage& scene, const std::vector<BankMap>& banks,
                                const PeakOptions& options) {
    std::vector<test::JudgedBank> made;
    for (const BankMap& bank : banks) {
        made.push_back(bank.bank());
    }
    return test::judgedPeaks(base::viewOf(scene), made, options);
}

std::vector<base::AnyImage> noises(const Extents& extents, std::uint64_t seed, int count) {
    std::vector<base::AnyImage> made;
    for (int i = 0; i < count; ++i) {
        made.push_back(test::noise(PixelType::UInt8, extents, seed + static_cast<unsigned>(i)));
    }
    return made;
}

} // namespace

class BankPeaksTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBankHasTheListOfItsDefinition_data();
    void aBankHasTheListOfItsDefinition();
    void banksOfDifferentExtentsHaveOneList_data();
    void banksOfDifferentExtentsHaveOneList();
    void aTieNamesTheEarlierTemplate();
    void tiesOfTwoMapsGoByCornerThenTemplate();
    void zScoresComeFromTheStatisticsOfAllScores();
    void aPartialTemplateDoesNotHideAWholeOne();
    void aPartialNeighbourDoesNotHideAWholeTemplate();
    void templatesWithTheirOwnMasksAreFound();
    void aScoreOfZeroCounts();
};

void BankPeaksTest::aBankHasTheListOfItsDefinition_data() {
    QTest::addColumn<Extents>("scene");
    QTest::addColumn<Extents>("templ");
    QTest::addColumn<double>("distance");
    QTest::newRow("image") << Extents{70, 60, 1} << Extents{9, 8, 1} << -1.0;
    QTest::newRow("image, all maxima") << Extents{50, 44, 1} << Extents{5, 4, 1} << 0.0;
    QTest::newRow("volume") << Extents{24, 22, 18} << Extents{4, 5, 3} << 3.5;
}

void BankPeaksTest::aBankHasTheListOfItsDefinition() {
    QFETCH(Extents, scene);
    QFETCH(Extents, templ);
    QFETCH(double, distance);
    const base::AnyImage image = test::noise(PixelType::UInt8, scene, 3);
    PeakOptions options{.minScore = -0.2, .maxPeaks = 300};
    if (distance >= 0) {
        options.minDistance = distance;
    }
    for (const int count : {1, 2, 5}) {
        std::vector<int> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        const std::vector<base::AnyImage> templates = noises(templ, 20, count);
        std::vector<match::Peak> before;
        for (const double bound : {1e-9, 1e-4, 0.02}) {
            std::vector<BankMap> banks;
            std::vector<base::AnyImage> copies;
            for (const base::AnyImage& each : templates) {
                copies.push_back(base::copyOf(base::viewOf(each)));
            }
            banks.emplace_back(image, std::move(copies), numbers, bound,
                               static_cast<std::uint64_t>(count));
            const std::vector<match::Peak> peaks = peaksOf(image, banks, options);
            QVERIFY(peaks.size() > 20);
            const std::string wrong = test::firstDifference(peaks, judged(image, banks, options));
            QVERIFY2(wrong.empty(), wrong.c_str());
            const bool last = std::any_of(peaks.begin(), peaks.end(), [&](const auto& peak) {
                return peak.templ == count - 1;
            });
            QVERIFY(last);
            // Errors of the map within its bound change nothing.
            if (!before.empty()) {
                const std::string other = test::firstDifference(peaks, before);
                QVERIFY2(other.empty(), other.c_str());
            }
            before = peaks;
        }
    }
}

void BankPeaksTest::banksOfDifferentExtentsHaveOneList_data() {
    QTest::addColumn<double>("distance");
    QTest::addColumn<int>("most");
    QTest::newRow("auto") << -1.0 << 300;
    QTest::newRow("auto, few") << -1.0 << 7;
    QTest::newRow("3.5 voxels") << 3.5 << 300;
    QTest::newRow("all maxima") << 0.0 << 2000;
    QTest::newRow("far") << 1e300 << 50;
}

void BankPeaksTest::banksOfDifferentExtentsHaveOneList() {
    QFETCH(double, distance);
    QFETCH(int, most);
    const base::AnyImage scene = test::noise(PixelType::UInt8, {64, 56, 1}, 3);
    PeakOptions options{.minScore = 0.15, .maxPeaks = most};
    if (distance >= 0) {
        options.minDistance = distance;
    }
    std::vector<BankMap> banks;
    banks.emplace_back(scene, noises({9, 8, 1}, 30, 2), std::vector{0, 3}, 1e-3, 1);
    banks.emplace_back(scene, noises({5, 5, 1}, 40, 2), std::vector{1, 4}, 1e-3, 2);
    banks.emplace_back(scene, noises({12, 3, 1}, 50, 1), std::vector{2}, 1e-3, 3);
    const std::vector<match::Peak> peaks = peaksOf(scene, banks, options);
    const std::string wrong = test::firstDifference(peaks, judged(scene, banks, options));
    QVERIFY2(wrong.empty(), wrong.c_str());
    QCOMPARE(peaks.size() == 1, distance > 1e9);
    if (most >= 300 && distance <= 1e9) {
        for (int templ = 0; templ < 5; ++templ) {
            QVERIFY(std::any_of(peaks.begin(), peaks.end(),
                                [&](const auto& peak) { return peak.templ == templ; }));
        }
    }
    // The order of the maps does not matter, only the numbers do.
    std::swap(banks[0], banks[2]);
    const std::string other = test::firstDifference(peaksOf(scene, banks, options), peaks);
    QVERIFY2(other.empty(), other.c_str());
}

void BankPeaksTest::aTieNamesTheEarlierTemplate() {
    const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 40, 1}, 3);
    std::vector<base::AnyImage> same;
    for (int i = 0; i < 3; ++i) {
        same.push_back(test::crop(scene, {{10, 12, 0}, {8, 8, 1}}));
    }
    std::vector<BankMap> banks;
    banks.emplace_back(scene, std::move(same), std::vector{2, 4, 7}, 1e-3, 9);
    const auto peaks = peaksOf(scene, banks, {.minScore = 0.1});
    QVERIFY(peaks.size() > 1);
    QVERIFY((peaks[0].corner == base::Index{10, 12, 0}));
    for (const match::Peak& peak : peaks) {
        QCOMPARE(peak.templ, 2);
    }
}

void BankPeaksTest::tiesOfTwoMapsGoByCornerThenTemplate() {
    base::AnyImage scene = test::noise(PixelType::UInt8, {60, 40, 1}, 3);
    const base::AnyImage part = test::crop(scene, {{10, 22, 0}, {8, 8, 1}});
    test::paste(scene, part, {40, 5, 0});
    std::vector<BankMap> banks;
    for (const int number : {1, 0}) {
        std::vector<base::AnyImage> one;
        one.push_back(base::copyOf(base::viewOf(part)));
        banks.emplace_back(scene, std::move(one), std::vector{number}, 1e-3, 9);
    }
    const PeakOptions options{.minScore = 0.9, .minDistance = 0};
    const auto peaks = peaksOf(scene, banks, options);
    QCOMPARE(peaks.size(), std::size_t{4});
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE(peaks[i].score, peaks[0].score);
        QVERIFY((peaks[i].corner == (i < 2 ? base::Index{40, 5, 0} : base::Index{10, 22, 0})));
        QCOMPARE(peaks[i].templ, static_cast<int>(i % 2));
    }
}

void BankPeaksTest::zScoresComeFromTheStatisticsOfAllScores() {
    const base::AnyImage scene = test::noise(PixelType::UInt8, {40, 40, 1}, 3);
    std::vector<BankMap> banks;
    banks.emplace_back(scene, noises({8, 8, 1}, 5, 2), std::vector{0, 1}, 1e-3, 9);
    match::SearchedMap map = banks[0].searched();
    map.statistics.mean = 0.125;
    map.statistics.standardDeviation = 0.5;
    const auto peaks = match::findPeaks(base::viewOf(scene), {map}, {}, {.minScore = 0.1});
    QVERIFY(!peaks.empty());
    for (const match::Peak& peak : peaks) {
        QCOMPARE(peak.zscore.value_or(0), (peak.score - 0.125) / 0.5);
    }
}

namespace {

/// The best map of templates with masks as the definition gives it.
struct MaskedBank {
    method::MatchMap map;
    base::Image<std::int32_t> index;
    method::MapFacts facts;
    base::Index first;

    MaskedBank(const MaskedView& scene, const std::vector<MaskedView>& templates, Extent extent) {
        facts.largestBound = 0x1p-24 + 1e-11;
        for (std::size_t i = 0; i < templates.size(); ++i) {
            const reference::ScoreMap judged =
                reference::Lcc(templates[i], Outside::Zero).map(scene, extent);
            method::MatchMap own(judged.value.extents());
            for (std::int64_t v = 0; v < own.value.count(); ++v) {
                own.value.data()[v] = static_cast<float>(judged.value.data()[v]);
                own.status.data()[v] = judged.status.data()[v];
            }
            if (i == 0) {
                map = std::move(own);
                index = base::Image<std::int32_t>(map.value.extents());
                method::startBest({method::viewOf(map), index.view()});
            } else {
                method::mergeBest(method::viewOf(own), static_cast<std::int32_t>(i),
                                  {method::viewOf(map), index.view()});
            }
        }
        method::Problem problem;
        problem.scene = scene.extents();
        problem.templ = templates.front().extents();
        problem.extent = extent;
        first = method::firstPlacement(problem);
    }

    [[nodiscard]] std::vector<match::Peak> peaks(const MaskedView& scene,
                                                 const std::vector<MaskedView>& templates,
                                                 const PeakOptions& options) const {
        std::vector<int> numbers(templates.size());
        std::iota(numbers.begin(), numbers.end(), 0);
        return match::findPeaks(
            scene,
            {{.templates = templates,
              .numbers = numbers,
              .value = map.value.view(),
              .status = map.status.view(),
              .facts = facts,
              .statistics = match::mapStatistics(map.value.view(), map.status.view()),
              .firstPlacement = first,
              .index = index.view()}},
            {}, options);
    }
};

/// A box of ones in zeros.
base::Image<std::uint8_t> support(const Extents& extents, const base::Box& inside) {
    base::Image<std::uint8_t> mask(extents, 0);
    for (std::int64_t y = 0; y < inside.extents.y; ++y) {
        for (std::int64_t x = 0; x < inside.extents.x; ++x) {
            mask.view().at(inside.corner.x + x, inside.corner.y + y, 0) = 1;
        }
    }
    return mask;
}

} // namespace

void BankPeaksTest::aPartialTemplateDoesNotHideAWholeOne() {
    const Extents extents{10, 10, 1};
    base::AnyImage scene = test::noise(PixelType::UInt8, {50, 40, 1}, 8);
    // The first template's left half continues the scene beyond its edge, where 0 counts: its best
    // placement leaves the scene. The second one's support is the right half and stays inside.
    base::AnyImage first = test::noise(PixelType::UInt8, extents, 9);
    const base::AnyImage right = test::crop(scene, {{0, 20, 0}, {5, 10, 1}});
    for (std::int64_t y = 0; y < 10; ++y) {
        for (std::int64_t x = 0; x < 10; ++x) {
            const double value = x < 5 ? 0 : base::valueAt(base::viewOf(right), {x - 5, y, 0});
            test::setVoxel(first, {x, y, 0}, value);
        }
    }
    base::AnyImage second = base::copyOf(base::viewOf(first));
    test::setVoxel(second, {7, 4, 0}, 0); // not quite as good
    const base::Image<std::uint8_t> mask = support(extents, {{5, 0, 0}, {5, 10, 1}});
    const std::vector<MaskedView> templates{base::viewOf(first),
                                            {base::viewOf(second), mask.view()}};
    const MaskedView view(base::viewOf(scene));
    const MaskedBank bank(view, templates, Extent::Same);
    const base::Index at{0, 25, 0}; // of the map: the corner is -5, 20
    QCOMPARE(bank.map.status.view().at(at), base::Status::Partial);
    QCOMPARE(bank.index.view().at(at), 0);

    const auto whole = bank.peaks(view, templates, {.minScore = 0.6});
    QVERIFY(!whole.empty());
    QVERIFY((whole[0].corner == base::Index{-5, 20, 0}));
    QCOMPARE(whole[0].templ, 1);
    QCOMPARE(whole[0].status, base::Status::Ok);
    const MaskedBank alone(view, {templates[1]}, Extent::Same);
    QCOMPARE(whole[0].score, alone.peaks(view, {templates[1]}, {.minScore = 0.6})[0].score);

    const auto any = bank.peaks(view, templates, {.minScore = 0.6, .partialPeaks = true});
    QVERIFY((any[0].corner == base::Index{-5, 20, 0}));
    QCOMPARE(any[0].templ, 0);
    QCOMPARE(any[0].status, base::Status::Partial);
    QVERIFY(any[0].score > 1 - 1e-9);
}

void BankPeaksTest::aPartialNeighbourDoesNotHideAWholeTemplate() {
    const Extents extents{10, 10, 1};
    const base::AnyImage scene = test::noise(PixelType::UInt8, {50, 40, 1}, 8);
    // As above, but the second one's best placement is one voxel beside the first one's.
    base::AnyImage first = test::noise(PixelType::UInt8, extents, 9);
    base::AnyImage second = test::noise(PixelType::UInt8, extents, 10);
    for (std::int64_t y = 0; y < 10; ++y) {
        for (std::int64_t x = 0; x < 10; ++x) {
            const auto at = [&](std::int64_t from) {
                return base::valueAt(base::viewOf(scene), {from + x - 5, 20 + y, 0});
            };
            test::setVoxel(first, {x, y, 0}, x < 5 ? 0 : at(0));
            if (x >= 5) {
                test::setVoxel(second, {x, y, 0}, at(1));
            }
        }
    }
    test::setVoxel(second, {7, 4, 0}, 0);
    const base::Image<std::uint8_t> mask = support(extents, {{5, 0, 0}, {5, 10, 1}});
    const std::vector<MaskedView> templates{base::viewOf(first),
                                            {base::viewOf(second), mask.view()}};
    const MaskedView view(base::viewOf(scene));
    const MaskedBank bank(view, templates, Extent::Same);
    QVERIFY(bank.map.value.view().at(0, 25, 0) > bank.map.value.view().at(1, 25, 0));
    QCOMPARE(bank.map.status.view().at(0, 25, 0), base::Status::Partial);
    const auto whole = bank.peaks(view, templates, {.minScore = 0.6});
    QVERIFY(!whole.empty());
    QVERIFY((whole[0].corner == base::Index{-4, 20, 0}));
    QCOMPARE(whole[0].templ, 1);
}

void BankPeaksTest::templatesWithTheirOwnMasksAreFound() {
    const Extents extents{10, 10, 1};
    const base::AnyImage scene = test::noise(PixelType::UInt8, {50, 40, 1}, 8);
    const base::AnyImage first = test::crop(scene, {{3, 4, 0}, extents});
    base::AnyImage second = test::crop(scene, {{30, 22, 0}, extents});
    test::setVoxel(second, {0, 0, 0}, 255);
    const base::Image<std::uint8_t> left = support(extents, {{0, 0, 0}, {6, 10, 1}});
    const base::Image<std::uint8_t> rest = support(extents, {{2, 1, 0}, {8, 9, 1}});
    const std::vector<MaskedView> templates{{base::viewOf(first), left.view()},
                                            {base::viewOf(second), rest.view()}};
    const MaskedView view(base::viewOf(scene));
    const auto peaks =
        MaskedBank(view, templates, Extent::Valid).peaks(view, templates, {.minScore = 0.9});
    QCOMPARE(peaks.size(), std::size_t{2});
    for (const match::Peak& peak : peaks) {
        QVERIFY(peak.score > 1 - 1e-9);
        QVERIFY((peak.corner == (peak.templ == 0 ? base::Index{3, 4, 0} : base::Index{30, 22, 0})));
    }
    QVERIFY(peaks[0].templ != peaks[1].templ);
}

// Of one template, where that of the other one is -1.
void BankPeaksTest::aScoreOfZeroCounts() {
    const auto row = [](const std::vector<double>& values) {
        return test::makeScene(PixelType::UInt8, {3, 1, 1}, [&](const base::Index& at) {
            return values[static_cast<std::size_t>(at.x)];
        });
    };
    const base::AnyImage rising = row({0, 1, 2});
    const base::AnyImage scene = row({9, 5, 9});
    const base::Image<std::uint8_t> left = support({3, 1, 1}, {{0, 0, 0}, {2, 1, 1}});
    const std::vector<MaskedView> templates{{base::viewOf(rising), left.view()},
                                            base::viewOf(rising)};
    const MaskedView view(base::viewOf(scene));
    const MaskedBank bank(view, templates, Extent::Valid);
    QCOMPARE(bank.map.value.view().at(0, 0, 0), 0.0F);
    QCOMPARE(bank.map.status.view().at(0, 0, 0), base::Status::Ok);
    const auto peaks = bank.peaks(view, templates, {.minScore = -0.5});
    QCOMPARE(peaks.size(), std::size_t{1});
    QCOMPARE(peaks.front().score, 0.0);
    QCOMPARE(peaks.front().templ, 1);
}

const flcc::test::TestClass<BankPeaksTest> kBankPeaksTest;
#include "bank_peaks_test.moc"
