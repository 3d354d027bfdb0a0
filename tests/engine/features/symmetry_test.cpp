#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <vector>

#include "engine/features/detector.h"
#include "tests/engine/features/pictures.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::features;
using blob_pictures::detectGrey;
using blob_pictures::hills;

class SymmetryTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTurnedImageHasTheSameBlobsToTheBit_data();
    void aTurnedImageHasTheSameBlobsToTheBit();
    void aTurnedVolumeHasTheSameBlobsToTheBit_data();
    void aTurnedVolumeHasTheSameBlobsToTheBit();
    void anAddedConstantChangesNothing();
    void aFactorScalesTheStrength();
    void aPowerOfTwoScalesEveryBit();
};

namespace {

/// A turn of the grid: axis a of the new image is axis from[a] of the old one, mirrored if flip[a].
struct Turn {
    std::array<std::size_t, 3> from{0, 1, 2};
    std::array<bool, 3> flip{};
};

std::array<std::int64_t, 3> sides(const base::Extents& n) { return {n.x, n.y, n.z}; }

base::Extents turnedExtents(const base::Extents& n, const Turn& turn) {
    const auto old = sides(n);
    return {old[turn.from[0]], old[turn.from[1]], old[turn.from[2]]};
}

/// The position in the old image of a position in the new one.
template <class T>
std::array<T, 3> back(const std::array<T, 3>& position, const base::Extents& n, const Turn& turn) {
    const auto old = sides(n);
    std::array<T, 3> result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t to = turn.from[axis];
        result[to] =
            turn.flip[axis] ? static_cast<T>(old[to] - 1) - position[axis] : position[axis];
    }
    return result;
}

base::Image<double> turned(const base::Image<double>& image, const Turn& turn) {
    base::Image<double> result(turnedExtents(image.extents(), turn));
    const base::Extents& n = result.extents();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const auto at = back<std::int64_t>({x, y, z}, image.extents(), turn);
                result.view().at(x, y, z) = image.view().at(at[0], at[1], at[2]);
            }
        }
    }
    return result;
}

using Row = std::array<double, 6>;

std::vector<Row> rows(const std::vector<Blob>& blobs, const base::Extents& old, const Turn& turn) {
    std::vector<Row> list;
    for (const Blob& blob : blobs) {
        const auto at = back(blob.centre, old, turn);
        list.push_back({blob.strength, at[0], at[1], at[2], blob.sigma, blob.radius});
    }
    std::sort(list.begin(), list.end());
    return list;
}

void compareTurned(const base::Image<double>& image, const Turn& turn,
                   const DetectorOptions& options, std::size_t least) {
    const Detection first = detectGrey(image, options);
    const Detection second = detectGrey(turned(image, turn), options);
    QVERIFY(first.blobs.size() >= least);
    QCOMPARE(second.found, first.found);
    const auto expected = rows(first.blobs, image.extents(), {});
    QVERIFY(rows(second.blobs, image.extents(), turn) == expected);
    // The maps have the same bits too.
    const auto& old = first.strength;
    const auto& now = second.strength;
    for (std::int64_t z = 0; z < now.extents().z; ++z) {
        for (std::int64_t y = 0; y < now.extents().y; ++y) {
            for (std::int64_t x = 0; x < now.extents().x; ++x) {
                const auto at = back<std::int64_t>({x, y, z}, image.extents(), turn);
                QVERIFY(now.view().at(x, y, z) == old.view().at(at[0], at[1], at[2]));
            }
        }
    }
}

} // namespace

void SymmetryTest::aTurnedImageHasTheSameBlobsToTheBit_data() {
    QTest::addColumn<int>("number");
    for (int number = 1; number < 8; ++number) {
        QTest::addRow("%s%s%s", (number & 1) != 0 ? "transposed " : "",
                      (number & 2) != 0 ? "mirrored in x " : "",
                      (number & 4) != 0 ? "mirrored in y" : "")
            << number;
    }
}

void SymmetryTest::aTurnedImageHasTheSameBlobsToTheBit() {
    QFETCH(int, number);
    Turn turn;
    if ((number & 1) != 0) {
        turn.from = {1, 0, 2};
    }
    turn.flip = {(number & 2) != 0, (number & 4) != 0, false};
    compareTurned(hills({93, 70, 1}, 3), turn,
                  {.scales = {1.5, 8, 6}, .levels = 48, .minStrength = 2.0, .maps = true}, 10);
}

void SymmetryTest::aTurnedVolumeHasTheSameBlobsToTheBit_data() {
    QTest::addColumn<int>("number");
    int number = 0;
    std::array<int, 3> order{0, 1, 2};
    do {
        if (!(test::kSanitized && number > 1)) {
            QTest::addRow("axes %d%d%d", order[0], order[1], order[2]) << number;
        }
        ++number;
    } while (std::next_permutation(order.begin(), order.end()));
}

void SymmetryTest::aTurnedVolumeHasTheSameBlobsToTheBit() {
    QFETCH(int, number);
    Turn turn;
    for (int i = 0; i < number; ++i) {
        std::next_permutation(turn.from.begin(), turn.from.end());
    }
    turn.flip = {(number & 1) != 0, (number & 2) != 0, number == 0};
    compareTurned(hills({30, 25, 27}, 4), turn,
                  {.scales = {1.5, 5, 5}, .levels = 12, .minStrength = 2.0, .maps = true}, 4);
}

void SymmetryTest::anAddedConstantChangesNothing() {
    const base::Image<double> image = hills({90, 80, 1}, 5);
    // Values on a grid of 2^-20 so that the sum is exact.
    base::Image<double> first(image.extents());
    base::Image<double> second(image.extents());
    for (std::int64_t i = 0; i < image.count(); ++i) {
        first.data()[i] = std::round(std::ldexp(image.data()[i], 20)) * 0x1p-20;
        second.data()[i] = first.data()[i] + 1000;
    }
    const DetectorOptions options{.scales = {2, 9, 8}, .minStrength = 2.0};
    const Detection a = detectGrey(first, options);
    const Detection b = detectGrey(second, options);
    QVERIFY(a.blobs.size() >= 10);
    QVERIFY(a.blobs == b.blobs);
}

void SymmetryTest::aFactorScalesTheStrength() {
    const base::Image<double> image = hills({90, 80, 1}, 6);
    base::Image<double> scaled(image.extents());
    for (std::int64_t i = 0; i < image.count(); ++i) {
        scaled.data()[i] = 3.7 * image.data()[i];
    }
    const Detection a = detectGrey(image, {.scales = {2, 9, 8}});
    const Detection b = detectGrey(scaled, {.scales = {2, 9, 8}});
    QVERIFY(a.blobs.size() >= 5);
    QCOMPARE(b.blobs.size(), a.blobs.size());
    // Rounding may move a voxel whose value lies on a level to the next one: one voxel of one
    // level.
    for (std::size_t i = 0; i < a.blobs.size(); ++i) {
        QVERIFY(std::fabs(b.blobs[i].strength / (3.7 * a.blobs[i].strength) - 1) < 1e-3);
        QVERIFY(std::fabs(b.blobs[i].sigma / a.blobs[i].sigma - 1) < 1e-3);
    }
}

void SymmetryTest::aPowerOfTwoScalesEveryBit() {
    const base::Image<double> image = hills({70, 60, 1}, 7);
    base::Image<double> scaled(image.extents());
    for (std::int64_t i = 0; i < image.count(); ++i) {
        scaled.data()[i] = 0x1p-40 * image.data()[i];
    }
    const Detection a = detectGrey(image, {.scales = {2, 7, 6}});
    const Detection b = detectGrey(scaled, {.scales = {2, 7, 6}});
    QVERIFY(a.blobs.size() >= 4);
    QCOMPARE(b.blobs.size(), a.blobs.size());
    for (std::size_t i = 0; i < a.blobs.size(); ++i) {
        QCOMPARE(b.blobs[i].strength, 0x1p-40 * a.blobs[i].strength);
        QVERIFY(b.blobs[i].centre == a.blobs[i].centre);
        QVERIFY(b.blobs[i].sigma == a.blobs[i].sigma);
    }
}

const flcc::test::TestClass<SymmetryTest> kSymmetryTest;
#include "symmetry_test.moc"
