#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"
#include "engine/search/detail/bounds.h"
#include "engine/search/detail/coarse.h"
#include "engine/search/detail/full_member.h"
#include "engine/search/detail/prepared_bank.h"
#include "engine/search/pruned_search.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;

namespace {

using Bank = std::shared_ptr<const rotation::PoseBank>;

/// A picture, by a value for each place.
template <class T>
base::AnyImage picture(const Extents& n, const std::function<double(double, double)>& value) {
    base::Image<T> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] =
            static_cast<T>(value(static_cast<double>(i % n.x), static_cast<double>(i / n.x)));
    }
    return image;
}

double blobs(double x, double y) {
    return 100 + 40 * std::sin(x / 3.1) * std::cos(y / 4.3) + 25 * std::sin((x + 2 * y) / 9.7) +
           20 * std::cos((x * y) / 300);
}

/// White noise of -1 to 1, the same at the same place.
double noiseAt(double x, double y) {
    std::mt19937 random(static_cast<unsigned>(x * 7919 + y * 104729 + 12345));
    return static_cast<double>(random() % 20001) / 10000 - 1;
}

struct Case {
    std::string name;
    base::AnyImage scene;
    base::AnyImage templ;
};

constexpr Extents kScene{97, 83, 1};

base::AnyImage cut(const base::AnyImage& scene, const base::Box& box) {
    return base::copyOf(base::partOf(base::viewOf(scene), box));
}

/// Pictures with much and with little that cells see, flat parts, and contrasts far apart.
std::vector<Case> cases() {
    const base::Box box{{30, 26, 0}, {24, 17, 1}};
    std::vector<std::pair<std::string, base::AnyImage>> scenes;
    scenes.emplace_back("smooth", picture<std::uint8_t>(kScene, blobs));
    scenes.emplace_back("noise", picture<float>(kScene, noiseAt));
    scenes.emplace_back("fine texture", picture<std::int16_t>(kScene, [](double x, double y) {
                            const bool odd = (static_cast<int>(x) + static_cast<int>(y)) % 2 != 0;
                            return (odd ? 1 : -1) * (900 + 400 * noiseAt(x, y));
                        }));
    scenes.emplace_back("flat about an object",
                        picture<std::uint8_t>(kScene, [](double x, double y) {
                            const bool in = x > 28 && x < 58 && y > 22 && y < 50;
                            return in ? blobs(x, y) : 255.0;
                        }));
    scenes.emplace_back("faint beside bright", picture<double>(kScene, [](double x, double y) {
                            return x > 70 ? 1e6 * noiseAt(x, y) : 1e3 + 0.01 * blobs(x, y);
                        }));
    scenes.emplace_back("stripes", picture<std::uint16_t>(kScene, [](double x, double y) {
                            return std::fmod(x, 8) < 4 ? 1000 : 60'000 - y;
                        }));
    std::vector<Case> all;
    for (auto& [name, scene] : scenes) {
        base::AnyImage templ = cut(scene, box);
        all.push_back({name, std::move(scene), std::move(templ)});
    }
    return all;
}

rotation::Cover coverOf(const char* rotations, std::vector<double> scales = {1},
                        bool mirror = false) {
    rotation::Cover cover =
        rotation::flatCover(rotation::parseRotations(rotations), rotation::pointGroup("C1"));
    cover.scales = std::move(scales);
    cover.mirror = mirror;
    return cover;
}

Bank bankOf(const base::AnyImage& templ, rotation::Cover cover,
            const base::View<const std::uint8_t>& support = {}) {
    std::vector<rotation::Turner> turners;
    turners.emplace_back(base::viewOf(templ), support, true, false);
    return std::make_shared<const rotation::PoseBank>(std::move(turners), std::move(cover));
}

/// The best canonical score of every placement.
struct Exhaustive {
    base::Image<float> value;
    base::Image<base::Status> status;
    base::Image<std::int32_t> index;
    base::Image<double> exact;
    std::vector<method::CanonicalTemplate> members;

    Exhaustive(const base::AnyImage& scene, const rotation::PoseBank& bank)
        : value(mapOf(scene, bank), 0), status(mapOf(scene, bank), base::Status::Flat),
          index(mapOf(scene, bank), -1), exact(mapOf(scene, bank), -2) {
        for (std::int64_t i = 0; i < bank.count(); ++i) {
            const rotation::TurnedTemplate made = bank.member(i);
            members.emplace_back(method::viewOf(made));
        }
        for (std::int64_t at = 0; at < value.count(); ++at) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                const auto found = method::canonicalValue(
                    scene, members[i], {at % value.extents().x, at / value.extents().x, 0},
                    method::Outside::Zero);
                if (found.scored && found.score > exact.data()[at]) {
                    exact.data()[at] = found.score;
                    value.data()[at] = static_cast<float>(found.score);
                    status.data()[at] = base::Status::Ok;
                    index.data()[at] = static_cast<std::int32_t>(i);
                }
            }
        }
    }
    static Extents mapOf(const base::AnyImage& scene, const rotation::PoseBank& bank) {
        const Extents n = base::extentsOf(scene);
        return {n.x - bank.box().x + 1, n.y - bank.box().y + 1, 1};
    }
    [[nodiscard]] std::vector<match::Peak> peaks(const base::AnyImage& scene, const Bank& bank,
                                                 const match::PeakOptions& options) const {
        match::SearchedMap map;
        map.value = value.view();
        map.status = status.view();
        map.index = index.view();
        map.poses = bank;
        return match::findPeaks(scene, {map}, {}, options);
    }
};

search::Found pruned(const base::AnyImage& scene, const Bank& bank, const search::Options& options,
                     int threads = 2) {
    base::TilePool pool(threads);
    const auto prepared = search::prepare(bank, base::extentsOf(scene), pool);
    return search::searchPruned(scene, {{prepared, {0}}}, {}, options, pool);
}

/// Empty if both lists are the same. Members may differ where their scores are equal within their
/// bounds.
std::string difference(const std::vector<match::Peak>& want, const std::vector<match::Peak>& got) {
    if (want.size() != got.size()) {
        return std::to_string(got.size()) + " peaks in place of " + std::to_string(want.size());
    }
    for (std::size_t i = 0; i < want.size(); ++i) {
        const match::Peak& a = want[i];
        const match::Peak& b = got[i];
        const bool same = a.score == b.score && a.corner == b.corner && a.centre == b.centre &&
                          a.shift == b.shift && a.curvature == b.curvature;
        if (!same || (a.pose != b.pose && a.bound == 0) ||
            (want.size() > 1 && a.rival != b.rival)) {
            return "peak " + std::to_string(i) + ": score " + std::to_string(b.score) + " at " +
                   std::to_string(b.corner.x) + "," + std::to_string(b.corner.y) + " in place of " +
                   std::to_string(a.score) + " at " + std::to_string(a.corner.x) + "," +
                   std::to_string(a.corner.y);
        }
    }
    return {};
}

} // namespace

class PrunedSearchTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// No score of a node or a placement is above its limit.
    void limitsHoldForEveryPlacement() {
        test::Thinned some(3);
        for (const Case& each : cases()) {
            if (!some.next()) {
                continue;
            }
            const Bank bank = bankOf(each.templ, coverOf("0:100:4.5")); // with members between
            base::TilePool pool(1);
            const auto prepared = search::prepare(bank, kScene, pool);
            const auto cells =
                search::detail::cellsOf(base::viewOf(each.scene), prepared->edge / 2, pool);
            const Exhaustive all(each.scene, *bank);
            for (std::size_t i = 0; i < all.members.size(); i += test::kSanitized ? 8 : 2) {
                const search::detail::FullMember full(*bank, static_cast<std::int64_t>(i));
                for (std::int64_t at = 0; at < all.value.count(); ++at) {
                    const std::int64_t x = at % all.value.extents().x;
                    const std::int64_t y = at / all.value.extents().x;
                    const auto score = method::canonicalValue(each.scene, all.members[i], {x, y, 0},
                                                              method::Outside::Zero);
                    if (!score.scored) {
                        continue;
                    }
                    const double least = score.score - score.bound;
                    const double node =
                        search::detail::nodeLimit(prepared->members[i], cells.levels[1],
                                                  x / prepared->edge, y / prepared->edge, 1);
                    const double close = full.limit(base::viewOf(each.scene), x, y, cells.level);
                    if (node < least || close < least) {
                        QFAIL(qPrintable(QString("%1: member %2 at %3,%4: %5, limits %6 and %7")
                                             .arg(each.name.c_str())
                                             .arg(i)
                                             .arg(x)
                                             .arg(y)
                                             .arg(score.score)
                                             .arg(node)
                                             .arg(close)));
                    }
                }
            }
        }
    }

    /// Of all members of a cluster at once; regions of a sector are larger than those of a member.
    void limitsOfClustersAreAboveThoseOfTheirMembers() {
        using namespace search::detail;
        for (const Case& each : cases()) {
            const Bank bank = bankOf(each.templ, coverOf("0:100:4.5")); // with members between
            base::TilePool pool(1);
            const auto prepared = search::prepare(bank, kScene, pool);
            QVERIFY(std::ssize(prepared->clusters) < bank->count());
            const SceneCells cells = cellsOf(base::viewOf(each.scene), prepared->edge / 2, pool);
            const std::vector<Node> nodes =
                coarseNodes(*prepared, kScene, cells, 0.3, 1, pool, {}, {});
            QVERIFY(!nodes.empty());
            for (const Node& node : nodes) {
                const auto& cluster =
                    prepared->clusters[static_cast<std::size_t>(-1 - node.member)];
                for (std::int64_t i = cluster.first; i < cluster.end; ++i) {
                    const MemberCells& member = prepared->members[static_cast<std::size_t>(i)];
                    const Energies of = energiesOf(member.node, cells.levels[1], node.x, node.y);
                    const double limit = limitOf(
                        static_cast<double>(node.product), of, static_cast<double>(member.between),
                        static_cast<double>(member.unseen), kSumRounding, 1);
                    QVERIFY2(of.flat || static_cast<double>(node.limit) >= std::min(limit, 2.0),
                             qPrintable(QString("%1: %2 at %3,%4: %5 for %6")
                                            .arg(each.name.c_str())
                                            .arg(i)
                                            .arg(node.x)
                                            .arg(node.y)
                                            .arg(static_cast<double>(node.limit))
                                            .arg(limit)));
                }
            }
        }
    }

    void peaksAreThoseOfAllScores_data() {
        QTest::addColumn<double>("minScore");
        QTest::addColumn<double>("minDistance"); // below 0: auto
        QTest::newRow("high") << 0.8 << -1.0;
        QTest::newRow("low") << 0.35 << -1.0;
        QTest::newRow("near peaks") << 0.5 << 2.0;
        QTest::newRow("every maximum") << 0.6 << 0.0;
    }
    void peaksAreThoseOfAllScores() {
        QFETCH(double, minScore);
        QFETCH(double, minDistance);
        const std::optional<double> distance =
            minDistance < 0 ? std::nullopt : std::optional(minDistance);
        struct Searched {
            Case picture;
            Bank bank;
            Exhaustive all;
        };
        static const std::vector<Searched> kSearched = [] {
            std::vector<Searched> made;
            test::Thinned some(3);
            for (Case& each : cases()) {
                if (some.next()) {
                    Bank bank = bankOf(each.templ, coverOf("20"));
                    Exhaustive all(each.scene, *bank);
                    made.push_back({std::move(each), std::move(bank), std::move(all)});
                }
            }
            return made;
        }();
        for (const auto& [each, bank, all] : kSearched) {
            const auto want =
                all.peaks(each.scene, bank, {.minScore = minScore, .minDistance = distance});
            const auto got =
                pruned(each.scene, bank, {.minScore = minScore, .minDistance = distance});
            QVERIFY2(!want.empty() || minScore > 0.5, each.name.c_str());
            const std::string wrong = difference(want, got.peaks);
            QVERIFY2(wrong.empty(), (each.name + ": " + wrong).c_str());
        }
    }

    void scalesHandsAndMasksToo() {
        const base::AnyImage scene = picture<std::uint8_t>(kScene, blobs);
        const base::AnyImage templ = cut(scene, {{41, 30, 0}, {20, 21, 1}});
        base::Image<std::uint8_t> mask({20, 21, 1}, 1);
        for (std::int64_t i = 0; i < 60; ++i) { // a corner and a hole
            mask.data()[i] = i % 20 < 9 ? 0 : 1;
            mask.view().at(8 + i % 4, 8 + i / 4 % 3, 0) = 0;
        }
        const Bank bank =
            bankOf(templ, coverOf("-20:200:20", {0.8, 1, 1.15}, true), std::as_const(mask).view());
        const Exhaustive all(scene, *bank);
        const auto want = all.peaks(scene, bank, {.minScore = 0.55});
        QVERIFY(want.size() > 2);
        const std::string wrong = difference(want, pruned(scene, bank, {.minScore = 0.55}).peaks);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void threadsChangeNothing() {
        const Case each = std::move(cases()[1]);
        const Bank bank = bankOf(each.templ, coverOf("10"));
        const auto one = pruned(each.scene, bank, {.minScore = 0.3}, 1);
        const auto three = pruned(each.scene, bank, {.minScore = 0.3}, 3);
        QVERIFY(!one.peaks.empty());
        QCOMPARE(difference(one.peaks, three.peaks), std::string());
    }

    void itGivesUpInTime() {
        const Case each = std::move(cases()[1]);
        const Bank bank = bankOf(each.templ, coverOf("10"));
        const auto found = pruned(each.scene, bank, {.minScore = 0.3, .mostMs = 0.0});
        QVERIFY(found.gaveUp && !found.cancelled && found.peaks.empty());
    }

    /// The search would not be worth its name if it looked at every placement.
    void mostPlacementsAreLeftOut() {
        const Case each = std::move(cases()[0]);
        const Bank bank = bankOf(each.templ, coverOf("10"));
        const auto found = pruned(each.scene, bank, {.minScore = 0.9});
        QVERIFY(!found.peaks.empty());
        QVERIFY(static_cast<double>(found.facts.limits) < found.facts.placements / 100);
    }

    void whatItCannotSearchIsRefused() {
        const Case each = std::move(cases()[1]);
        const Bank bank = bankOf(each.templ, coverOf("90"));
        const auto codeOf = [&](const base::AnyImage& scene, double minScore) {
            try {
                (void)pruned(scene, bank, {.minScore = minScore});
            } catch (const base::Error& error) {
                return error.code();
            }
            return base::ErrorCode::Internal;
        };
        QCOMPARE(codeOf(each.scene, 0), base::ErrorCode::CommandLine);
        base::AnyImage scene = base::copyOf(base::viewOf(each.scene));
        std::get<base::Image<float>>(scene).data()[77] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(codeOf(scene, 0.5), base::ErrorCode::Problem);
        QCOMPARE(codeOf(cut(each.scene, {{0, 0, 0}, {20, 20, 1}}), 0.5), base::ErrorCode::Problem);
    }
};

const flcc::test::TestClass<PrunedSearchTest> kPrunedSearchTest;
#include "pruned_search_test.moc"
