#include <QtTest>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/method/canonical.h"
#include "engine/reference/exact_lcc.h"
#include "engine/reference/lcc.h"
#include "tests/support/oracle.h"
#include "tests/support/scenes.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Index;
using base::PixelType;
using base::Status;
using method::MaskedView;
using method::Outside;

namespace {

using Mask = base::Image<std::uint8_t>;

Mask chance(const Extents& extents, double share, test::Random& random) {
    Mask mask(extents);
    for (std::int64_t i = 0; i < mask.count(); ++i) {
        mask.data()[i] = random.uniform() < share ? 1 : 0;
    }
    return mask;
}

const std::vector<Outside> kRules{Outside::Zero, Outside::Eibl, Outside::Overlap};

} // namespace

/// The judges of masks and of what lies outside, judged in integers of any length; the canonical
/// value too, whose bound is held against them.
class SupportTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theJudgesAgreeWithAnOracle_data() {
        QTest::addColumn<int>("type");
        for (const PixelType type : {PixelType::UInt8, PixelType::Int16, PixelType::Int64,
                                     PixelType::Float32, PixelType::Float64}) {
            QTest::newRow(std::string(base::name(type)).c_str()) << static_cast<int>(type);
        }
    }

    void theJudgesAgreeWithAnOracle() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        test::Random random(1);
        for (int turn = 0; turn < 12; ++turn) {
            const bool volume = turn % 3 == 2;
            const Extents n = volume ? Extents{9, 8, 7} : Extents{15, 12, 1};
            const Extents m = volume ? Extents{4, 3, 3} : Extents{5, 4, 1};
            base::AnyImage pixels = turn % 2 == 0 ? test::noise(pixel, n, random.bits())
                                                  : test::texture(pixel, n, random.bits());
            if (!base::isInteger(pixel)) {
                test::setVoxel(pixels, {7, 5, 0}, std::nan(""));
            }
            const base::AnyImage shape = test::noise(pixel, m, random.bits());
            const Mask sceneMask = chance(n, 0.85, random);
            const Mask mask = chance(m, 0.8, random);
            const MaskedView scene(base::viewOf(pixels), turn % 4 < 2
                                                             ? sceneMask.view()
                                                             : base::View<const std::uint8_t>());
            const MaskedView templ(base::viewOf(shape),
                                   turn % 2 == 0 ? mask.view() : base::View<const std::uint8_t>());
            for (const Outside outside : kRules) {
                compare(scene, templ, outside);
            }
        }
    }

  private:
    static void compare(const MaskedView& scene, const MaskedView& templ, Outside outside) {
        const test::Oracle oracle(templ, outside, 0.3);
        const reference::Lcc judge(templ, outside, 0.3);
        const method::CanonicalTemplate canonical(templ);
        std::optional<reference::ExactLcc> exactly;
        if (base::isInteger(base::pixelType(scene.pixels))) {
            exactly.emplace(templ, outside, 0.3);
        }
        const base::Box all = reference::placementsOf(scene, templ.extents(), method::Extent::Full);
        int scored = 0;
        const reference::ScoreMap map = judge.map(scene, method::Extent::Full);
        for (std::int64_t i = 0; i < map.value.count(); ++i) {
            const Extents& e = all.extents;
            const Index at{i % e.x, i / e.x % e.y, i / (e.x * e.y)};
            const Index corner{all.corner.x + at.x, all.corner.y + at.y, all.corner.z + at.z};
            const reference::Score exact = oracle.at(scene, corner);
            QVERIFY(map.status.data()[i] == exact.status);
            QVERIFY(std::fabs(map.value.data()[i] - exact.value) <= 1e-11);
            if (exactly) {
                const reference::Score whole = exactly->at(scene, corner);
                QVERIFY(whole.status == exact.status);
                QVERIFY(std::fabs(whole.value - exact.value) <= 0x1p-50);
            }
            if (base::hasValue(exact.status)) {
                ++scored;
                const method::CanonicalValue value =
                    method::canonicalValue(scene, canonical, corner, outside);
                QVERIFY(std::fabs(value.score - exact.value) <= value.bound);
                QVERIFY(value.bound < 1e-7);
                QCOMPARE(method::isWhole(scene, canonical, corner), exact.status == Status::Ok);
            }
        }
        QVERIFY(scored > 50);
    }
};

const flcc::test::TestClass<SupportTest> kSupportTest;
#include "support_test.moc"
