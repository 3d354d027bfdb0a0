#include <QtTest>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/pixels.h"
#include "engine/base/status.h"
#include "tests/support/test_class.h"

using namespace flcc::base;

namespace {

constexpr std::size_t kTypes = std::variant_size_v<AnyImage>;

/// Every type holds 0 .. count-1.
AnyImage numbered(PixelType type, const Extents& extents) {
    AnyImage image = makeImage(type, extents);
    std::visit(
        [](auto& typed) {
            using Voxel = std::remove_pointer_t<decltype(typed.data())>;
            for (std::int64_t i = 0; i < typed.count(); ++i) {
                typed.data()[i] = static_cast<Voxel>(i);
            }
        },
        image);
    return image;
}

} // namespace

class PixelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTypeIsTheOneItSays_data() {
        QTest::addColumn<int>("type");
        for (std::size_t i = 0; i < kTypes; ++i) {
            QTest::newRow(std::string(name(static_cast<PixelType>(i))).c_str())
                << static_cast<int>(i);
        }
    }

    void everyTypeIsTheOneItSays() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        const AnyImage image = numbered(pixel, {5, 4, 3});
        QVERIFY(pixelType(image) == pixel);
        QVERIFY(pixelType(viewOf(image)) == pixel);
        QVERIFY(extentsOf(image) == (Extents{5, 4, 3}));
        QVERIFY(extentsOf(viewOf(image)) == (Extents{5, 4, 3}));
        std::visit(
            [&](const auto& typed) {
                using Voxel = std::remove_const_t<std::remove_pointer_t<decltype(typed.data())>>;
                QCOMPARE(bytesPerVoxel(pixel), static_cast<std::int64_t>(sizeof(Voxel)));
                QCOMPARE(isInteger(pixel), std::numeric_limits<Voxel>::is_integer);
                const std::string bits = std::to_string(8 * sizeof(Voxel));
                const char* kind = !std::numeric_limits<Voxel>::is_integer ? "float"
                                   : std::numeric_limits<Voxel>::is_signed ? "int"
                                                                           : "uint";
                QCOMPARE(std::string(name(pixel)), kind + bits);
            },
            image);
        QCOMPARE(valueAt(viewOf(image), {4, 3, 2}), 59.0);
    }

    void aPartAndItsCopyShowTheSameVoxels() {
        for (std::size_t type = 0; type < kTypes; ++type) {
            const AnyImage image = numbered(static_cast<PixelType>(type), {5, 4, 3});
            const AnyView part = partOf(viewOf(image), {{1, 2, 1}, {3, 2, 2}});
            const AnyImage copy = copyOf(part);
            QCOMPARE(copy.index(), type);
            QVERIFY(extentsOf(copy) == (Extents{3, 2, 2}));
            QCOMPARE(valueAt(part, {2, 1, 1}), valueAt(viewOf(image), {3, 3, 2}));
            QCOMPARE(valueAt(viewOf(copy), {2, 1, 1}), valueAt(viewOf(image), {3, 3, 2}));
            QCOMPARE(valueAt(viewOf(copy), {0, 0, 0}), valueAt(viewOf(image), {1, 2, 1}));
            QVERIFY(
                std::visit([](const auto& typed) -> const void* { return typed.data(); },
                           viewOf(copy)) !=
                std::visit([](const auto& typed) -> const void* { return typed.data(); }, part));
        }
    }

    void aPartThatLeavesTheImageIsAProblem() {
        const AnyImage image = makeImage(PixelType::UInt8, {5, 4, 3});
        const auto code = [&](const Box& box) {
            try {
                (void)partOf(viewOf(image), box);
            } catch (const Error& error) {
                return error.code();
            }
            return ErrorCode::Internal;
        };
        QVERIFY(code({{1, 0, 0}, {5, 1, 1}}) == ErrorCode::Problem);
        QVERIFY(code({{0, -1, 0}, {1, 1, 1}}) == ErrorCode::Problem);
        QVERIFY(code({{0, 0, 0}, {1, 1, 0}}) == ErrorCode::Problem);
    }

    void theExtremesOfATypeReadBack() {
        Image<std::int8_t> small({1, 1, 1}, std::int8_t{-128});
        QCOMPARE(valueAt(View<const std::int8_t>(small.view()), {0, 0, 0}), -128.0);
        Image<std::uint32_t> large({1, 1, 1}, std::numeric_limits<std::uint32_t>::max());
        QCOMPARE(valueAt(View<const std::uint32_t>(large.view()), {0, 0, 0}), 4294967295.0);
    }

    void everyStatusHasItsOwnName() {
        std::set<std::string> names;
        for (std::size_t i = 0; i < kStatusCount; ++i) {
            names.emplace(name(static_cast<Status>(i)));
        }
        QCOMPARE(names.size(), kStatusCount);
        QCOMPARE(std::string(name(Status::NotComputed)), std::string("NOT_COMPUTED"));
    }

    void onlyComputedNumbersHaveAValue() {
        QVERIFY(hasValue(Status::Ok) && hasValue(Status::Partial) && hasValue(Status::LowConf));
        QVERIFY(!hasValue(Status::Flat) && !hasValue(Status::NonFinite));
        QVERIFY(!hasValue(Status::NotComputed));
    }
};

const flcc::test::TestClass<PixelsTest> kPixelsTest;
#include "pixels_test.moc"
