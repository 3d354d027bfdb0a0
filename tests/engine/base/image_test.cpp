#include <QtTest>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/image.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

namespace {

template <class T> bool isAligned(const Image<T>& image) {
    return reinterpret_cast<std::uintptr_t>(image.data()) % kAlignment == 0;
}

Image<int> numbered(const Extents& extents) {
    Image<int> image(extents);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<int>(i);
    }
    return image;
}

} // namespace

class ImageTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyBufferStartsOnTheBoundary() {
        for (std::int64_t size = 1; size < 70; ++size) {
            QVERIFY(isAligned(Image<std::uint8_t>({size, 1, 1})));
            QVERIFY(isAligned(Image<double>({size, 3, 2})));
        }
    }

    void anImageCanBeMovedButNotCopied() {
        static_assert(!std::is_copy_constructible_v<Image<float>>);
        static_assert(!std::is_copy_assignable_v<Image<float>>);
        Image<int> image = numbered({4, 3, 2});
        const int* voxels = image.data();
        const Image<int> moved = std::move(image);
        QCOMPARE(moved.data(), voxels);
        QCOMPARE(moved.count(), std::int64_t{24});
        QCOMPARE(moved.view().at(3, 2, 1), 23);
    }

    void anImageWithoutVoxelsIsEmpty() {
        QVERIFY(Image<float>().empty());
        QVERIFY(Image<float>().extents() == (Extents{0, 0, 0}));
        QVERIFY(!Image<float>({1, 1, 1}).empty());
    }

    void badExtentsAreAnError() {
        QVERIFY_EXCEPTION_THROWN(Image<float>({0, 4, 4}), Error);
        QVERIFY_EXCEPTION_THROWN(Image<double>({std::int64_t{1} << 31, std::int64_t{1} << 30, 1}),
                                 Error);
    }

    void fillingReachesEveryVoxel() {
        Image<float> image({5, 4, 3}, 2.5F);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            QCOMPARE(image.data()[i], 2.5F);
        }
    }

    void xIsFastestThenYThenZ() {
        const Image<int> image = numbered({4, 3, 2});
        QCOMPARE(image.view().at(1, 0, 0), 1);
        QCOMPARE(image.view().at(0, 1, 0), 4);
        QCOMPARE(image.view().at(0, 0, 1), 12);
        QCOMPARE(image.view().at(Index{3, 2, 1}), 23);
        QCOMPARE(image.view().row(2, 1)[0], 20);
    }

    void aPartShowsTheVoxelsOfItsBox() {
        Image<int> image = numbered({6, 5, 4});
        const View<int> whole = image.view();
        const View<int> part = whole.part({{1, 2, 1}, {4, 2, 3}});
        QVERIFY(part.extents() == (Extents{4, 2, 3}));
        QCOMPARE(part.rowStride(), std::int64_t{6});
        QCOMPARE(part.sliceStride(), std::int64_t{30});
        for (std::int64_t z = 0; z < 3; ++z) {
            for (std::int64_t y = 0; y < 2; ++y) {
                for (std::int64_t x = 0; x < 4; ++x) {
                    QCOMPARE(part.at(x, y, z), whole.at(x + 1, y + 2, z + 1));
                }
            }
        }
        const View<int> again = part.part({{1, 1, 1}, {2, 1, 1}});
        QCOMPARE(again.at(0, 0, 0), whole.at(2, 3, 2));
        again.at(1, 0, 0) = -7;
        QCOMPARE(image.view().at(3, 3, 2), -7);
    }

    void aMutableViewReadsAsAConstantOne() {
        Image<int> image = numbered({3, 3, 1});
        const View<const int> constant = image.view().part({{1, 1, 0}, {2, 2, 1}});
        QCOMPARE(constant.at(1, 1, 0), 8);
        static_assert(!std::is_convertible_v<View<const int>, View<int>>);
    }
};

const flcc::test::TestClass<ImageTest> kImageTest;
#include "image_test.moc"
