#include <QtTest>

#include <cstdint>
#include <limits>

#include "engine/job/binned.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

template <class T> job::SceneImage imageOf(const base::Extents& extents, const auto& value) {
    base::Image<T> pixels(extents);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                pixels.view().at(x, y, z) = static_cast<T>(value(x, y, z));
            }
        }
    }
    job::SceneImage image;
    image.pixels = std::move(pixels);
    image.source = "memory:a";
    return image;
}

} // namespace

class BinnedTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void voxelsAreMeans();
    void integersAreRoundedToTheNearest();
    void theSpacingIsDoubledAndTheMiddleStays();
    void aMaskKeepsWhatIsHalfInside();
    void aStopGivesNothing();
};

void BinnedTest::voxelsAreMeans() {
    // Of a plane, the mean of a bin is the value in its middle.
    const auto plane = [](std::int64_t x, std::int64_t y, std::int64_t z) {
        return 3.0 * static_cast<double>(x) - 2.0 * static_cast<double>(y) +
               8.0 * static_cast<double>(z);
    };
    for (const base::Extents& n :
         {base::Extents{9, 6, 1}, base::Extents{9, 6, 5}, base::Extents{1, 6, 4}}) {
        const auto small = job::binned(imageOf<float>(n, plane));
        const base::Extents half = job::binnedExtents(n);
        QVERIFY(base::extentsOf(small->pixels) == half);
        for (std::int64_t z = 0; z < half.z; ++z) {
            for (std::int64_t y = 0; y < half.y; ++y) {
                for (std::int64_t x = 0; x < half.x; ++x) {
                    const double middle = (n.x > 1 ? 3 * (2.0 * static_cast<double>(x) + 0.5) : 0) -
                                          2 * (2.0 * static_cast<double>(y) + 0.5) +
                                          (n.z > 1 ? 8 * (2.0 * static_cast<double>(z) + 0.5) : 0);
                    QCOMPARE(base::valueAt(base::viewOf(small->pixels), {x, y, z}), middle);
                }
            }
        }
    }
    QVERIFY((job::binnedExtents({9, 6, 1}) == base::Extents{4, 3, 1}));
}

void BinnedTest::integersAreRoundedToTheNearest() {
    const auto small = job::binned(
        imageOf<std::uint8_t>({4, 2, 1}, [](std::int64_t x, std::int64_t y, std::int64_t) {
            return x < 2 ? (x + y == 2 ? 1 : 0) : (y == 0 ? 255 : 254 + (x == 3 ? 1 : 0));
        }));
    QCOMPARE(base::pixelType(small->pixels), base::PixelType::UInt8);
    QCOMPARE(base::valueAt(base::viewOf(small->pixels), {0, 0, 0}), 0.0);   // 0.25
    QCOMPARE(base::valueAt(base::viewOf(small->pixels), {1, 0, 0}), 255.0); // 254.75
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto large = job::binned(imageOf<std::int64_t>(
        {2, 2, 1}, [](std::int64_t, std::int64_t, std::int64_t) { return kMost; }));
    QCOMPARE(std::get<base::Image<std::int64_t>>(large->pixels).data()[0], kMost);
}

void BinnedTest::theSpacingIsDoubledAndTheMiddleStays() {
    job::SceneImage image =
        imageOf<float>({8, 6, 4}, [](auto x, auto, auto) { return static_cast<double>(x); });
    image.geometry.spacing = {0.5, 2, 3};
    image.geometry.origin = {100, -50, 7};
    image.geometry.unit = "mm";
    const auto small = job::binned(image);
    QVERIFY((small->geometry.spacing == base::Point{1, 4, 6}));
    QCOMPARE(small->geometry.unit, std::string("mm"));
    // Voxel 1, 1, 1 lies in the middle of voxels 2 and 3.
    const base::Point a = base::toWorld(small->geometry, {1, 1, 1});
    const base::Point b = base::toWorld(image.geometry, {2.5, 2.5, 2.5});
    for (std::size_t axis = 0; axis < 3; ++axis) {
        QCOMPARE(a[axis], b[axis]);
    }
    QVERIFY(small->source.find("binned by 2") != std::string::npos);
}

void BinnedTest::aMaskKeepsWhatIsHalfInside() {
    job::MaskImage mask;
    mask.support = base::Image<std::uint8_t>({4, 2, 1}, std::uint8_t{0});
    mask.support.view().at(0, 0, 0) = 1;
    mask.support.view().at(2, 0, 0) = 1;
    mask.support.view().at(3, 1, 0) = 1;
    const auto small = job::binned(mask);
    QVERIFY((small->support.extents() == base::Extents{2, 1, 1}));
    QCOMPARE(small->support.data()[0], std::uint8_t{0}); // one of four
    QCOMPARE(small->support.data()[1], std::uint8_t{1}); // two of four
}

void BinnedTest::aStopGivesNothing() {
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(job::binned(imageOf<float>({8, 6, 4}, [](auto, auto, auto) { return 1; }),
                        stop.get_token()) == nullptr);
}

const flcc::test::TestClass<BinnedTest> kBinnedTest;

#include "binned_test.moc"
