#include <QtTest>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/error.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"
#include "engine/search/detail/bounds.h"
#include "engine/search/detail/coarse.h"
#include "engine/search/detail/frame.h"
#include "engine/search/detail/full_member.h"
#include "engine/search/detail/prepared_bank.h"
#include "engine/search/pruned_search.h"
#include "tests/engine/search/search_pictures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::test;

namespace {

/// A case with all its scores.
struct Judged {
    Case picture;
    Bank bank;
    Exhaustive all;
};
std::vector<Judged> judged(const char* rotations) {
    std::vector<Judged> made;
    test::Thinned some(3);
    for (Case& each : cases()) {
        if (some.next()) {
            Bank bank = bankOf(each.templ, coverOf(rotations));
            Exhaustive all(each.scene, *bank);
            made.push_back({std::move(each), std::move(bank), std::move(all)});
        }
    }
    return made;
}

/// With members between bases.
const std::vector<Judged>& denselyTurned() {
    static const std::vector<Judged> kAll = judged("0:100:4.5");
    return kAll;
}

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
        // Adding the margin to a centre and taking it away again rounds.
        const bool same = a.score == b.score && a.corner == b.corner &&
                          std::abs(a.centre[0] - b.centre[0]) < 1e-12 &&
                          std::abs(a.centre[1] - b.centre[1]) < 1e-12 && a.shift == b.shift &&
                          a.curvature == b.curvature;
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
    /// By their definition in README.md, pixel by pixel.
    void remaindersAreThoseOfTheirDefinition_data() {
        QTest::addColumn<int>("edge");
        for (const int edge : {2, 4, 8, 16}) {
            QTest::addRow("cells of %d", edge) << edge;
        }
    }
    void remaindersAreThoseOfTheirDefinition() {
        QFETCH(int, edge);
        const Bank bank = bankOf(cases()[3].templ, coverOf("33"));
        search::detail::CellMaker maker(bank->box(), edge);
        const search::detail::MemberCells made = maker.take(search::detail::placedMember(*bank, 1));
        const rotation::TurnedTemplate member = bank->member(1);
        const auto sums = [&, values = unitOf(member)](int column, int row, int right, int down) {
            double sum = 0; // of a cell, with the template moved
            for (int i = 0; i < edge * edge; ++i) {
                const int x = column * edge + i % edge - right;
                const int y = row * edge + i / edge - down;
                if (x >= 0 && y >= 0 && x < bank->box().x && y < bank->box().y) {
                    sum += values[static_cast<std::size_t>(y * bank->box().x + x)];
                }
            }
            return sum;
        };
        const auto unseenOf = [&, values = unitOf(member)](int column, int row, int right,
                                                           int down) {
            double squares = 0; // of pixels about their mean
            for (int i = 0; i < edge * edge; ++i) {
                const int x = column * edge + i % edge - right;
                const int y = row * edge + i / edge - down;
                if (x >= 0 && y >= 0 && x < bank->box().x && y < bank->box().y) {
                    const double value = values[static_cast<std::size_t>(y * bank->box().x + x)];
                    squares += value * value;
                }
            }
            const double sum = sums(column, row, right, down);
            return std::max(0.0, squares - sum * sum / (edge * edge));
        };
        const int cells = static_cast<int>(std::max(bank->box().x, bank->box().y)) / edge + 4;
        double whole = 0;
        double low = 0;
        double high = 0;
        double seen = 1;
        std::map<std::array<int, 2>, std::array<double, 2>> most; // of each cell, both remainders
        for (int d = 0; d < edge * edge; ++d) {
            const double across = static_cast<double>(d % edge) / edge;
            const double down = static_cast<double>(d / edge) / edge;
            std::map<std::array<int, 3>, double> large; // alignment, column, row
            double squares = 0;
            double all = 0;
            for (int at = 0; at < cells * cells; ++at) {
                const int x = at % cells - 1;
                const int y = at / cells - 1;
                const double own = sums(x, y, d % edge, d / edge);
                const double rest =
                    own -
                    (1 - down) * ((1 - across) * sums(x, y, 0, 0) + across * sums(x, y, edge, 0)) -
                    down * ((1 - across) * sums(x, y, 0, edge) + across * sums(x, y, edge, edge));
                auto& [ofSeen, ofUnseen] = most[{x, y}];
                ofSeen = std::max(ofSeen, std::abs(rest));
                ofUnseen = std::max(ofUnseen, std::sqrt(unseenOf(x, y, d % edge, d / edge)));
                all += own * own / (edge * edge);
                squares += rest * rest / (edge * edge);
                for (int to = 0; to < 4; ++to) {
                    large[{to, (x + 2 + to % 2) / 2, (y + 2 + to / 2) / 2}] += rest;
                }
            }
            std::array<double, 4> lows{};
            for (const auto& [place, rest] : large) {
                lows[static_cast<std::size_t>(place[0])] += rest * rest / (4 * edge * edge);
            }
            whole = std::max(whole, squares);
            low = std::max(low, *std::ranges::max_element(lows));
            high = std::max(high, squares - *std::ranges::min_element(lows));
            seen = std::min(seen, all);
        }
        const auto isLimit = [](float got, double squares) { // from above, and close
            const double want = std::sqrt(squares);
            const auto value = static_cast<double>(got);
            return value >= want && value < want * 1.001 + 1e-4;
        };
        const search::detail::CellRemainders local =
            maker.takeRemainders(search::detail::placedMember(*bank, 1));
        std::size_t at = 0;
        for (const search::detail::Run& run : local.runs) {
            for (int x = run.from; x < run.to; ++x, ++at) {
                const auto found = most.find({x, run.row});
                const auto want = found == most.end() ? std::array<double, 2>{} : found->second;
                // Floats are sums of up to 256 pixels of a template of norm 1.
                constexpr double kRounding = 1e-6;
                QVERIFY(std::abs(static_cast<double>(local.seen[at]) - want[0]) < kRounding);
                QVERIFY(static_cast<double>(local.unseen[at]) > want[1] - kRounding);
                QVERIFY(static_cast<double>(local.unseen[at]) < want[1] + 2e-3);
                most[{x, run.row}] = {};
            }
            at = (at + 15) / 16 * 16;
        }
        for (const auto& [place, rest] : most) { // nothing is left outside
            QVERIFY(rest[0] < 1e-12 && rest[1] < 1e-12);
        }
        QVERIFY(isLimit(made.seen.whole, whole));
        QVERIFY(isLimit(made.seen.low, low));
        QVERIFY(isLimit(made.seen.high, high));
        QVERIFY(isLimit(made.unseen, 1 - seen));
        QVERIFY(made.seen.low < 0.8F * made.seen.whole);
    }

    /// No score of a node or a placement is above its limit.
    void limitsHoldForEveryPlacement() {
        for (const auto& [each, bank, all] : denselyTurned()) {
            base::TilePool pool(1);
            const auto prepared = search::prepare(bank, kScene, pool);
            const search::detail::Frame frame = search::detail::frameOf({prepared.get()}, kScene);
            const base::AnyImage framed = search::detail::framed(base::viewOf(each.scene), frame);
            const auto cells =
                search::detail::cellsOf(base::viewOf(framed), prepared->edge / 2, pool);
            QVERIFY(frame.extents == all.margin.extents);
            for (std::size_t i = 0; i < all.members.size(); i += test::kSanitized ? 8 : 2) {
                const search::detail::FullMember full(*bank, static_cast<std::int64_t>(i));
                search::detail::CellMaker maker(bank->box(), prepared->edge);
                const search::detail::CellRemainders remainders =
                    maker.takeRemainders(full.placed());
                for (std::int64_t at = 0; at < all.value.count(); ++at) {
                    const std::int64_t x = at % all.value.extents().x;
                    const std::int64_t y = at / all.value.extents().x;
                    const auto score = all.score(i, at);
                    if (!score.scored) {
                        continue;
                    }
                    const double least = score.score - score.bound;
                    const double node =
                        search::detail::nodeLimit(prepared->members[i], cells.levels,
                                                  x / prepared->edge, y / prepared->edge, 1);
                    const double local = search::detail::nodeLimit(
                        prepared->members[i], cells.levels, x / prepared->edge, y / prepared->edge,
                        1, {},
                        [&]() -> const search::detail::CellRemainders& { return remainders; });
                    const double close = full.limit(base::viewOf(framed), x, y, cells.level);
                    if (node < least || local < least || close < least) {
                        QFAIL(qPrintable(QString("%1: member %2 at %3,%4: %5, limits %6 and %7")
                                             .arg(each.name.c_str())
                                             .arg(i)
                                             .arg(x)
                                             .arg(y)
                                             .arg(score.score)
                                             .arg(std::min(node, local))
                                             .arg(close)));
                    }
                }
            }
        }
    }

    /// Of all members of a cluster at once, whatever they see together.
    void limitsOfClustersAreAboveTheScoresOfTheirMembers() {
        using namespace search::detail;
        for (const auto& [each, bank, all] : denselyTurned()) {
            base::TilePool pool(1);
            const auto prepared = search::prepare(bank, kScene, pool);
            QVERIFY(std::ssize(prepared->clusters) < bank->count());
            const Frame frame = frameOf({prepared.get()}, kScene);
            const base::AnyImage framed = search::detail::framed(base::viewOf(each.scene), frame);
            const SceneCells cells = cellsOf(base::viewOf(framed), prepared->edge / 2, pool);
            constexpr double kLeast = 0.3;
            std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, float> limits;
            for (const Node& node : coarseNodes(*prepared, frame, cells, kLeast, 1, pool, {}, {})) {
                limits[{node.member, node.x, node.y}] = node.limit;
            }
            QVERIFY(!limits.empty());
            for (std::size_t c = 0; c < prepared->clusters.size(); ++c) {
                const auto& cluster = prepared->clusters[c];
                for (std::int64_t i = cluster.first; i < cluster.end; ++i) {
                    for (std::int64_t at = 0; at < all.value.count(); ++at) {
                        const auto score = all.score(static_cast<std::size_t>(i), at);
                        if (!score.scored || score.score < kLeast) {
                            continue;
                        }
                        const auto x =
                            static_cast<std::int32_t>(at % all.value.extents().x / prepared->edge);
                        const auto y =
                            static_cast<std::int32_t>(at / all.value.extents().x / prepared->edge);
                        const auto found = limits.find({-1 - static_cast<std::int32_t>(c), x, y});
                        const double limit =
                            found == limits.end() ? -1 : static_cast<double>(found->second);
                        QVERIFY2(limit >= score.score - score.bound,
                                 qPrintable(QString("%1: %2 at %3,%4: %5 for %6")
                                                .arg(each.name.c_str())
                                                .arg(i)
                                                .arg(x)
                                                .arg(y)
                                                .arg(limit)
                                                .arg(score.score)));
                    }
                }
            }
        }
    }

    void peaksAreThoseOfAllScores_data() {
        QTest::addColumn<double>("minScore");
        QTest::addColumn<double>("minDistance"); // below 0: auto
        QTest::addColumn<double>("maxOverlap");  // 1: any
        QTest::newRow("high") << 0.8 << -1.0 << 1.0;
        QTest::newRow("low") << 0.35 << -1.0 << 0.3;
        QTest::newRow("near peaks") << 0.5 << 2.0 << 0.6;
        QTest::newRow("every maximum") << 0.6 << 0.0 << 1.0;
    }
    void peaksAreThoseOfAllScores() {
        QFETCH(double, minScore);
        QFETCH(double, minDistance);
        const std::optional<double> distance =
            minDistance < 0 ? std::nullopt : std::optional(minDistance);
        QFETCH(double, maxOverlap);
        const auto overlap = maxOverlap < 1 ? std::optional(maxOverlap) : std::nullopt;
        static const std::vector<Judged> kSearched = judged("20");
        for (const auto& [each, bank, all] : kSearched) {
            const auto want = all.peaks(
                bank, {.minScore = minScore, .minDistance = distance, .maxOverlap = overlap});
            const auto got =
                pruned(each.scene, bank,
                       {.minScore = minScore, .minDistance = distance, .maxOverlap = overlap});
            QVERIFY2(!want.empty() || minScore > 0.5, each.name.c_str());
            const std::string wrong = difference(want, got.peaks);
            QVERIFY2(wrong.empty(), (each.name + ": " + wrong).c_str());
        }
    }

    /// By the supports of members, voxel by voxel.
    void aListOfLittleOverlapIsThatOfItsDefinition() {
        const std::vector<Case> pictures = cases();
        const Case& each = pictures[0];
        const Bank bank = bankOf(each.templ, coverOf("20"));
        const Exhaustive all(each.scene, *bank);
        const match::PeakOptions any{.minScore = 0.2, .maxPeaks = 400, .minDistance = 0};
        const auto voxelsOf = [&](const match::Peak& peak) {
            std::set<std::pair<std::int64_t, std::int64_t>> voxels;
            const rotation::TurnedTemplate turned = bank->turned(0, *peak.pose);
            const base::Extents& n = turned.support.extents();
            for (std::int64_t i = 0; i < turned.support.count(); ++i) {
                if (turned.support.data()[i] != 0) {
                    voxels.emplace(peak.corner.x + i % n.x, peak.corner.y + i / n.x);
                }
            }
            return voxels;
        };
        std::vector<match::Peak> want;
        std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> taken;
        const std::vector<match::Peak> maxima = all.peaks(bank, any);
        for (const match::Peak& peak : maxima) {
            const auto own = voxelsOf(peak);
            const bool apart = std::ranges::all_of(taken, [&own](const auto& other) {
                const auto common = std::ranges::count_if(
                    own, [&other](const auto& voxel) { return other.contains(voxel); });
                return static_cast<double>(common) <=
                       0.3 * static_cast<double>(std::min(own.size(), other.size()));
            });
            if (apart) {
                want.push_back(peak);
                taken.push_back(own);
            }
        }
        match::PeakOptions little = any;
        little.maxOverlap = 0.3;
        std::vector<match::Peak> got = all.peaks(bank, little);
        QVERIFY(maxima.size() < 400 && want.size() > 3 && maxima.size() > 2 * want.size());
        QCOMPARE(got.size(), want.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            QVERIFY(got[i].corner == want[i].corner && got[i].pose == want[i].pose);
        }
        QCOMPARE(got[1].rival, std::optional(got[1].score / got[0].score));
    }

    /// Large templates have fine cells of several pixels, which smaller ones do not.
    void fineCellsOfSeveralPixelsToo() {
        const auto scene = picture<std::uint8_t>({170, 160, 1}, [](double x, double y) {
            return blobs(x, y) + 30 * noiseAt(std::floor(x / 3), std::floor(y / 3));
        });
        const Bank bank = bankOf(cut(scene, {{21, 17, 0}, {128, 126, 1}}), coverOf("-6:6:4"));
        const Exhaustive all(scene, *bank);
        for (const double distance : {0.0, 6.0}) {
            const auto want = all.peaks(bank, {.minScore = 0.12, .minDistance = distance});
            const auto got = pruned(scene, bank, {.minScore = 0.12, .minDistance = distance});
            QCOMPARE(got.facts.edge, std::int64_t{4});
            QVERIFY(want.size() > 5);
            const std::string wrong = difference(want, got.peaks);
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
    }

    /// In a smooth picture limits are so close that a product at a wrong place leaves the peak out.
    void limitsOfFineCellsHoldAtEveryPlaceOfACell() {
        const auto scene = picture<std::uint8_t>({170, 160, 1}, blobs);
        for (const std::int64_t place : {0, 1, 2, 3, 5, 7, 10, 15}) { // in a coarse cell
            const base::Index corner{20 + place % 4, 16 + place / 4, 0};
            const Bank bank = bankOf(cut(scene, {corner, {128, 126, 1}}), coverOf("0:6:6"));
            const auto got = pruned(scene, bank, {.minScore = 0.999});
            QCOMPARE(got.facts.edge, std::int64_t{4});
            QVERIFY(!got.peaks.empty());
            QCOMPARE(got.peaks[0].corner.x + bank->ownBox(0).corner.x, corner.x);
            QCOMPARE(got.peaks[0].corner.y + bank->ownBox(0).corner.y, corner.y);
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
        const auto want = all.peaks(bank, {.minScore = 0.55});
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
        const auto found = pruned(each.scene, bank, {.minScore = 0.3, .mostMs = 0});
        QVERIFY(found.gaveUp && !found.cancelled && found.peaks.empty());
    }

    void aRehearsalTellsWhatASearchLooksAt_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<double>("least");
        for (int i = 0; i < static_cast<int>(cases().size()); ++i) {
            for (const double least : {0.3, 0.8}) {
                QTest::addRow("%s %.1f", cases()[static_cast<std::size_t>(i)].name.c_str(), least)
                    << i << least;
            }
        }
    }

    /// By counts alone, so that the time that a search takes here decides nothing. Peaks suppress
    /// more in a search than in its rehearsal.
    void aRehearsalTellsWhatASearchLooksAt() {
        QFETCH(int, number);
        QFETCH(double, least);
        const Case each = std::move(cases()[static_cast<std::size_t>(number)]);
        const Bank bank = bankOf(each.templ, coverOf("3"));
        const search::Options options{.minScore = least};
        const auto found = pruned(each.scene, bank, options);
        base::TilePool pool(2);
        const method::MaskedView scene{base::viewOf(each.scene)};
        constexpr double kAny = 1e9;
        const auto expected = search::rehearse(scene, {bank}, options, kAny, pool);
        QVERIFY(expected && !expected->isMore);
        const double is = expected->beforeMs + found.facts.dividingMs;
        const QString both = QString("%1 of %2").arg(expected->ms()).arg(is);
        QVERIFY2(expected->ms() < 5 * is && expected->ms() > is / 2, qPrintable(both));
        // It ends where more does not matter.
        const auto short_ = search::rehearse(scene, {bank}, options, expected->beforeMs / 2, pool);
        QVERIFY(short_ && short_->isMore);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!search::rehearse(scene, {bank}, options, kAny, pool, stop.get_token()));
    }

    /// The search would not be worth its name if it looked at every placement.
    void mostPlacementsAreLeftOut() {
        const Case each = std::move(cases()[0]);
        const Bank bank = bankOf(each.templ, coverOf("10"));
        const auto found = pruned(each.scene, bank, {.minScore = 0.9});
        QVERIFY(!found.peaks.empty());
        QVERIFY(static_cast<double>(found.facts.limits) < found.facts.placements / 100);
    }

    /// Fine cells are made only of members that may hold a peak.
    void fineCellsAreMadeWhereTheyAreNeeded() {
        const std::vector<Case> all = cases();
        const Bank bank = bankOf(all[0].templ, coverOf("4"));
        const auto found = pruned(all[1].scene, bank, {.minScore = 0.8}); // of another picture
        QVERIFY(found.peaks.empty());
        const std::string made =
            std::to_string(found.facts.refined) + " of " + std::to_string(bank->count());
        QVERIFY2(found.facts.refined < bank->count() / 2, made.c_str());
    }

    /// Each with its own box in a corner of the scene, where the box of all members has no room.
    void objectsInTheCornersAreFound() {
        const Case each = std::move(cases()[1]);
        const Bank bank = bankOf(each.templ, coverOf("10"));
        base::Image<float> scene({120, 110, 1});
        for (std::int64_t i = 0; i < scene.count(); ++i) {
            scene.data()[i] = static_cast<float>(
                noiseAt(static_cast<double>(i % 120) + 500, static_cast<double>(i / 120)));
        }
        const std::vector<std::int64_t> turned{0, 4, 9, 22}; // of 0, 40, 90 and 220 degrees
        std::vector<base::Index> corners;
        for (std::size_t k = 0; k < turned.size(); ++k) {
            const base::Box own = Margin::ownOf(*bank, turned[k]);
            const base::Index at{k % 2 == 0 ? 0 : 120 - own.extents.x,
                                 k / 2 == 0 ? 0 : 110 - own.extents.y, 0};
            corners.push_back({at.x - own.corner.x, at.y - own.corner.y, 0});
            const rotation::TurnedTemplate member = bank->member(turned[k]);
            const auto& pixels = std::get<base::Image<float>>(member.pixels);
            for (std::int64_t i = 0; i < pixels.count(); ++i) {
                if (member.support.data()[i] != 0) {
                    scene.view().at(corners[k].x + i % bank->box().x,
                                    corners[k].y + i / bank->box().x, 0) = pixels.data()[i];
                }
            }
        }
        const auto found = pruned(std::move(scene), bank, {.minScore = 0.99});
        QCOMPARE(found.peaks.size(), turned.size());
        for (const match::Peak& peak : found.peaks) {
            const auto at = std::ranges::find(corners, peak.corner);
            QVERIFY(at != corners.end());
            QVERIFY(peak.pose ==
                    bank->pose(turned[static_cast<std::size_t>(at - corners.begin())]));
            QVERIFY(peak.score > 1 - 1e-6);
        }
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
