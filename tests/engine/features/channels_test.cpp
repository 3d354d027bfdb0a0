#include <QtTest>

#include <array>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/features/channels.h"
#include "engine/features/detail/levels.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;

class ChannelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void colourGoesToOhtaPlanes();
    void greyIsTheLuminanceOfColour();
    void opacityIsIgnored();
    void componentsThatDoNotFitAreRefused();
    void levelsAreThoseOfTheDefinition();
    void levelsWithoutAValueOfTheirOwnAreShared();
    void valuesThatAreNotFiniteAreRefused();
};

namespace {

base::Image<std::uint8_t> filled(std::uint8_t value) { return {{3, 2, 1}, value}; }

} // namespace

void ChannelsTest::colourGoesToOhtaPlanes() {
    const auto red = filled(200);
    const auto green = filled(100);
    const auto blue = filled(30);
    const ChannelImage image({red.view(), green.view(), blue.view()}, Channels::Auto);
    QCOMPARE(image.count(), 3);
    const std::array<double, 3> expected{330.0 / 3, 85.0, -7.5};
    for (int channel = 0; channel < 3; ++channel) {
        std::array<double, 3> row{};
        image.row(channel, 1, 0, row.data());
        QCOMPARE(row[2], expected[static_cast<std::size_t>(channel)]);
        QCOMPARE(image.nominalRange(channel).low, channel == 0 ? 0.0 : -127.5);
        QCOMPARE(image.nominalRange(channel).high, channel == 0 ? 255.0 : 127.5);
    }
}

void ChannelsTest::greyIsTheLuminanceOfColour() {
    const auto red = filled(200);
    const auto green = filled(100);
    const auto blue = filled(30);
    const ChannelImage image({red.view(), green.view(), blue.view()}, Channels::Grey);
    QCOMPARE(image.count(), 1);
    std::array<double, 3> row{};
    image.row(0, 0, 0, row.data());
    QCOMPARE(row[0], 0.299 * 200 + 0.587 * 100 + 0.114 * 30);
    QVERIFY(image.nominalRange(0).low > image.nominalRange(0).high);
}

void ChannelsTest::opacityIsIgnored() {
    const auto grey = filled(9);
    const auto opacity = filled(0);
    const ChannelImage image({grey.view(), opacity.view()}, Channels::Auto);
    QCOMPARE(image.count(), 1);
    std::array<double, 3> row{};
    image.row(0, 0, 0, row.data());
    QCOMPARE(row[1], 9.0);
}

void ChannelsTest::componentsThatDoNotFitAreRefused() {
    const auto a = filled(1);
    const base::Image<std::uint8_t> other({2, 2, 1}, 1);
    QVERIFY_THROWS_EXCEPTION(base::Error, ChannelImage({a.view()}, Channels::Ohta));
    QVERIFY_THROWS_EXCEPTION(base::Error, ChannelImage({}, Channels::Auto));
    QVERIFY_THROWS_EXCEPTION(base::Error,
                             ChannelImage({a.view(), a.view(), other.view()}, Channels::Auto));
}

void ChannelsTest::levelsAreThoseOfTheDefinition() {
    base::TilePool pool(2);
    base::Image<float> image({40, 5, 3});
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>((i * 7919) % 1000);
    }
    const ChannelImage channels({image.view()}, Channels::Auto);
    const detail::Grid grid(image.extents());
    detail::LevelRange range;
    QVERIFY(detail::findRange(channels, 0, 16, 1, pool, {}, range));
    detail::LevelImage levels(grid);
    QVERIFY(detail::findLevels(channels, 0, range, 16, grid, pool, {}, levels));
    for (std::int64_t row = 0; row < 15; ++row) {
        for (std::int64_t x = 0; x < 40; ++x) {
            const auto value = static_cast<double>(image.view().at(x, row % 5, row / 5));
            int below = 0;
            for (int k = 0; k < 16; ++k) {
                below += range.low + (k + 0.5) * range.step < value ? 1 : 0;
            }
            QCOMPARE(int{levels.rows.data()[row * grid.stride + x]}, below);
            QCOMPARE(int{levels.blocks.data()[(row / 8 * 40 + x) * 8 + row % 8]}, below);
        }
    }
}

void ChannelsTest::levelsWithoutAValueOfTheirOwnAreShared() {
    base::TilePool pool(1);
    base::Image<std::uint8_t> image({8, 8, 1}, 10);
    image.data()[9] = 20;
    image.data()[10] = 110; // range 100: levels 10.5, 11.5, ... 109.5
    const ChannelImage channels({image.view()}, Channels::Auto);
    const detail::Grid grid(image.extents());
    detail::LevelRange range;
    QVERIFY(detail::findRange(channels, 0, 100, 1, pool, {}, range));
    detail::LevelImage levels(grid);
    QVERIFY(detail::findLevels(channels, 0, range, 100, grid, pool, {}, levels));
    QCOMPARE(levels.levels.size(), std::size_t{2});
    QCOMPARE(levels.levels[0].count, 10.0); // 10 is inside, 20 is not
    QCOMPARE(levels.levels[1].count, 90.0);
}

void ChannelsTest::valuesThatAreNotFiniteAreRefused() {
    base::TilePool pool(2);
    base::Image<float> image({8, 9, 2}, 1.0F);
    image.view().at(3, 4, 1) = std::numeric_limits<float>::quiet_NaN();
    image.view().at(5, 7, 1) = std::numeric_limits<float>::infinity();
    const ChannelImage channels({image.view()}, Channels::Auto);
    detail::LevelRange range;
    try {
        (void)detail::findRange(channels, 0, 8, 1, pool, {}, range);
        QFAIL("a NaN was accepted");
    } catch (const base::Error& error) {
        QCOMPARE(error.code(), base::ErrorCode::Problem);
        QVERIFY(QString(error.what()).contains("2 voxels"));
        QVERIFY(QString(error.what()).contains("3,4,1"));
    }
}

const flcc::test::TestClass<ChannelsTest> kChannelsTest;
#include "channels_test.moc"
