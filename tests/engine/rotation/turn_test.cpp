#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/rotation/cover.h"
#include "engine/rotation/point_group.h"
#include "engine/rotation/pose_bank.h"
#include "engine/rotation/turn.h"
#include "tests/support/effort.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using rotation::Pose;
using rotation::TurnedTemplate;
using rotation::Turner;

namespace {

template <class T> base::AnyImage randomImage(const Extents& n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> values(900, 1100);
    base::Image<T> image(n);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<T>(values(random));
    }
    return image;
}

Turner turnerOf(const base::AnyImage& image, bool flat,
                const base::View<const std::uint8_t>& support = {}) {
    return {base::viewOf(image), support, flat, false};
}

/// A box with the template's centre in its middle.
rotation::Frame about(const Extents& n) {
    return {n,
            {static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
             static_cast<double>(n.z - 1) / 2}};
}

const base::Image<float>& floats(const TurnedTemplate& made) {
    return std::get<base::Image<float>>(made.pixels);
}

std::int64_t countOf(const base::Image<std::uint8_t>& support) {
    return std::count(support.data(), support.data() + support.count(), 1);
}

double keys(double x) {
    const double d = std::abs(x);
    return d >= 2   ? 0
           : d <= 1 ? 1.5 * d * d * d - 2.5 * d * d + 1
                    : -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
}

/// Of interpolation by the kernel of Keys along one axis: the error of a function is at most
/// `third` times its largest third derivative, because the kernel reproduces polynomials of degree
/// 2, and values grow by at most `growth`.
struct Limits {
    double third = 0;
    double growth = 0;
};
Limits keysLimits() {
    Limits limits;
    for (int i = 0; i <= 100; ++i) {
        const double place = i / 100.0;
        double third = 0;
        double growth = 0;
        for (int tap = -1; tap <= 2; ++tap) {
            const double weight = std::abs(keys(tap - place));
            third += weight * std::pow(std::abs(tap - place), 3) / 6;
            growth += weight;
        }
        limits = {std::max(limits.third, third), std::max(limits.growth, growth)};
    }
    return limits;
}

/// The value of a pose at a place by the text of turn.h, at scale 1 or more.
template <class T>
double valueByDefinition(const base::Image<float>& image, const base::Image<T>& values,
                         const base::Image<std::uint8_t>& mask, const base::Point& place, bool flat,
                         bool isWeight) {
    const Extents& n = image.extents();
    const auto mean = [&](const auto& kernel, bool& all) {
        double sum = 0;
        double weights = 0;
        all = true;
        for (std::int64_t z = flat ? 0 : -3; z < n.z + (flat ? 0 : 3); ++z) {
            for (std::int64_t y = -3; y < n.y + 3; ++y) {
                for (std::int64_t x = -3; x < n.x + 3; ++x) {
                    const double weight = kernel(static_cast<double>(x) - place[0]) *
                                          kernel(static_cast<double>(y) - place[1]) *
                                          (flat ? 1 : kernel(static_cast<double>(z) - place[2]));
                    const bool counts = x >= 0 && y >= 0 && z >= 0 && x < n.x && y < n.y &&
                                        z < n.z && mask.view().at(x, y, z) != 0;
                    if (std::abs(weight) > 1e-12 && !counts) {
                        all = false;
                    } else if (counts) {
                        sum += weight * static_cast<double>(values.view().at(x, y, z));
                        weights += weight;
                    }
                }
            }
        }
        return sum / weights;
    };
    bool all = false;
    const double smooth = mean(keys, all);
    if (all && !isWeight) {
        return smooth;
    }
    return mean([](double d) { return std::max(0.0, 1 - std::abs(d)); }, all);
}

} // namespace

class TurnTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// A pose between those of a bank may reach beyond the members' box: nothing of it is lost,
    /// whether members are prepared or not.
    void aPoseBeyondTheBoxStaysWhole() {
        const base::AnyImage image = randomImage<float>({21, 9, 1});
        const auto bankOf = [&] {
            std::vector<Turner> turners;
            turners.push_back(turnerOf(image, true));
            return rotation::PoseBank(
                std::move(turners),
                rotation::flatCover(rotation::parseRotations("90"), rotation::pointGroup("C1")));
        };
        rotation::PoseBank prepared = bankOf();
        const rotation::PoseBank plain = bankOf();
        prepared.prepareBy([](TurnedTemplate& member) {
            auto& values = std::get<base::Image<float>>(member.pixels);
            std::for_each_n(values.data(), values.count(), [](float& value) { value *= 2; });
        });
        const Pose between{rotation::inPlane(25)};
        const auto whole = plain.turnedWhole(0, between);
        const auto made = prepared.turnedWhole(0, between);
        const Extents box = whole.templ.support.extents();
        QVERIFY(box.x > plain.box().x || box.y > plain.box().y);
        QVERIFY(made.templ.support.extents() == box && made.shift == whole.shift);
        QCOMPARE(countOf(made.templ.support), countOf(whole.templ.support));
        for (std::int64_t i = 0; i < floats(whole.templ).count(); ++i) {
            QCOMPARE(floats(made.templ).data()[i], 2 * floats(whole.templ).data()[i]);
        }
        QVERIFY(countOf(prepared.turned(0, between).support) < countOf(made.templ.support));
    }

    static void aQuarterTurnMovesVoxelsBitForBit() {
        const base::AnyImage image = randomImage<float>({7, 5, 1});
        const Turner turner = turnerOf(image, true);
        const Pose pose{rotation::inPlane(90)};
        const rotation::Frame frame = turner.frameOf(pose);
        QVERIFY((frame.extents == Extents{5, 7, 1} && frame.centre == base::Point{2, 3, 0}));
        QVERIFY(turner.turned(pose, frame).whole && turner.isWhole(pose, frame));
        const rotation::Frame box = about({7, 7, 1});
        const TurnedTemplate made = turner.turned(pose, box);
        QCOMPARE(countOf(made.support), 35);
        QVERIFY(!made.whole && !turner.isWhole(pose, box));
        for (int y = -2; y <= 2; ++y) {
            for (int x = -3; x <= 3; ++x) {
                // Counter-clockwise on a screen with y down: right goes up.
                QCOMPARE(floats(made).view().at(3 + y, 3 - x, 0),
                         std::get<base::Image<float>>(image).view().at(3 + x, 2 + y, 0));
                QCOMPARE(int(made.support.view().at(3 + y, 3 - x, 0)), 1);
            }
        }
    }

    static void allTurnsOfACubeMoveVoxelsBitForBit() {
        const base::AnyImage image = randomImage<std::uint16_t>({6, 6, 6});
        const auto& from = std::get<base::Image<std::uint16_t>>(image);
        const Turner turner = turnerOf(image, false);
        for (const bool mirrored : {false, true}) {
            for (const rotation::Quaternion& q : rotation::pointGroup("O").elements) {
                const Pose pose{q, 1, mirrored};
                const rotation::Frame frame = turner.frameOf(pose);
                QVERIFY(frame.extents == turner.extents());
                const TurnedTemplate made = turner.turned(pose, frame);
                QVERIFY(made.whole && turner.isWhole(pose, frame));
                const rotation::Matrix m = rotation::matrixOf(pose);
                const auto moved = [&m](std::size_t row, int x, int y, int z) {
                    return std::lround(m[3 * row] * (x - 2.5) + m[3 * row + 1] * (y - 2.5) +
                                       m[3 * row + 2] * (z - 2.5) + 2.5);
                };
                for (int i = 0; i < 216; ++i) {
                    const int x = i % 6;
                    const int y = i / 6 % 6;
                    const int z = i / 36;
                    QCOMPARE(floats(made).view().at(moved(0, x, y, z), moved(1, x, y, z),
                                                    moved(2, x, y, z)),
                             static_cast<float>(from.view().at(x, y, z)));
                }
            }
        }
    }

    static void aSmoothPictureIsTurnedWithinTheErrorOfTheKernel_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<double>("scale");
        QTest::addColumn<bool>("mirrored");
        QTest::newRow("image") << true << 1.0 << false;
        QTest::newRow("image, mirrored and larger") << true << 1.3 << true;
        QTest::newRow("volume") << false << 1.0 << false;
        QTest::newRow("volume, mirrored and larger") << false << 1.15 << true;
    }

    static void aSmoothPictureIsTurnedWithinTheErrorOfTheKernel() {
        QFETCH(bool, flat);
        QFETCH(double, scale);
        QFETCH(bool, mirrored);
        // A Gaussian off the centre: exp(-(x - c)^2 / 2 s^2) along each axis.
        constexpr double kSigma = 3;
        const base::Point middle{1.5, -2.25, 0.75};
        const auto value = [&](const base::Point& offset) {
            double square = 0;
            for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
                square += (offset[axis] - middle[axis]) * (offset[axis] - middle[axis]);
            }
            return std::exp(-square / (2 * kSigma * kSigma));
        };
        const Extents n{18, 17, flat ? 1 : 16};
        base::Image<float> image(n);
        const base::Point centre{8.5, 8, flat ? 0 : 7.5};
        for (std::int64_t i = 0; i < image.count(); ++i) {
            image.data()[i] =
                static_cast<float>(value({static_cast<double>(i % n.x) - centre[0],
                                          static_cast<double>(i / n.x % n.y) - centre[1],
                                          static_cast<double>(i / (n.x * n.y)) - centre[2]}));
        }
        const base::AnyImage source = std::move(image);
        const Turner turner = turnerOf(source, flat);
        const rotation::Quaternion turn =
            flat ? rotation::inPlane(33) : rotation::fromEuler({20, 50, -70});
        const Pose pose{turn, scale, mirrored};
        const rotation::Frame frame = turner.frameOf(pose);
        const Extents box = frame.extents;
        const TurnedTemplate made = turner.turned(pose, frame);
        // |g'''| of exp(-x^2 / 2) is at most 1.3802.
        const Limits limits = keysLimits();
        const double axis = limits.third * 1.3802 / (kSigma * kSigma * kSigma);
        const double tolerance =
            axis * (1 + limits.growth + (flat ? 0 : limits.growth * limits.growth)) +
            4 * std::numeric_limits<float>::epsilon();
        QVERIFY(tolerance < 0.02);
        const rotation::Matrix m = rotation::matrixOf(pose);
        int checked = 0;
        for (std::int64_t i = 0; i < made.support.count(); ++i) {
            const base::Point o{static_cast<double>(i % box.x) - frame.centre[0],
                                static_cast<double>(i / box.x % box.y) - frame.centre[1],
                                static_cast<double>(i / (box.x * box.y)) - frame.centre[2]};
            // The inverse of scale M F is its transpose divided by the square of the scale.
            base::Point p{};
            bool inside = true;
            bool deep = true;
            for (std::size_t a = 0; a < 3; ++a) {
                p[a] = (m[a] * o[0] + m[3 + a] * o[1] + m[6 + a] * o[2]) / (scale * scale);
                if (flat && a == 2) {
                    continue;
                }
                const double place = std::abs(p[a]);
                inside = inside && place <= centre[a] + 0.5;
                deep = deep && place <= centre[a] - 1;
            }
            QCOMPARE(made.support.data()[i] != 0, inside);
            if (deep) {
                ++checked;
                const double error = std::abs(floats(made).data()[i] - value(p));
                QVERIFY2(error <= tolerance, qPrintable(QString::number(error)));
            }
        }
        QVERIFY(checked > 100);
    }

    static void everyVoxelIsThatOfTheDefinition_data() {
        QTest::addColumn<bool>("flat");
        QTest::addColumn<QString>("shape");
        QTest::addColumn<bool>("weighted");
        for (const bool flat : {true, false}) {
            for (const char* shape : {"whole", "round", "uneven"}) {
                for (const bool weighted : {false, true}) {
                    QTest::addRow("%s %s%s", flat ? "image" : "volume", shape,
                                  weighted ? " weighted" : "")
                        << flat << QString(shape) << weighted;
                }
            }
        }
    }

    static void everyVoxelIsThatOfTheDefinition() {
        QFETCH(bool, flat);
        QFETCH(QString, shape);
        QFETCH(bool, weighted);
        const Extents n = flat ? Extents{11, 8, 1} : Extents{8, 7, 6};
        const base::AnyImage source = randomImage<float>(n);
        const auto& image = std::get<base::Image<float>>(source);
        const base::Point centre{static_cast<double>(n.x - 1) / 2, static_cast<double>(n.y - 1) / 2,
                                 static_cast<double>(n.z - 1) / 2};
        constexpr double kRadius = 2.6;
        base::Image<std::uint8_t> mask(n, 1);
        base::Image<double> weights(n);
        for (std::int64_t i = 0; i < mask.count(); ++i) {
            const double x = static_cast<double>(i % n.x) - centre[0];
            const double y = static_cast<double>(i / n.x % n.y) - centre[1];
            const double z = static_cast<double>(i / (n.x * n.y)) - centre[2];
            const bool in = shape == "whole" ||
                            (shape == "round" && std::hypot(x, y, z) <= kRadius) ||
                            (shape == "uneven" && x + 2 * y < 3 && x > -4);
            mask.data()[i] = in ? 1 : 0;
            weights.data()[i] = in ? 0.1 + static_cast<double>(i % 7) / 10 : 0;
        }
        // The farthest voxel within the radius is the radius that turn.h speaks of.
        double radius = 0;
        for (std::int64_t i = 0; i < mask.count() && shape == "round"; ++i) {
            const double distance = std::hypot(static_cast<double>(i % n.x) - centre[0],
                                               static_cast<double>(i / n.x % n.y) - centre[1],
                                               static_cast<double>(i / (n.x * n.y)) - centre[2]);
            radius = mask.data()[i] != 0 ? std::max(radius, distance) : radius;
        }
        const Turner turner(base::viewOf(source),
                            shape == "whole" ? base::View<const std::uint8_t>{} : mask.view(), flat,
                            false, weighted ? weights.view() : base::View<const double>{});
        std::vector<Pose> poses;
        test::Thinned some(3);
        for (const double degrees : {0.0, 23.0, 90.0, 181.5, 300.0}) {
            if (!some.next()) {
                continue;
            }
            poses.push_back({flat ? rotation::inPlane(degrees)
                                  : rotation::fromEuler({degrees, 40 + degrees, 2 * degrees}),
                             degrees == 23 ? 1.25 : 1.0, degrees == 300});
        }
        // Sums of floats: a value may be off by its rounding and that of the places.
        const double growth = keysLimits().growth;
        const double tolerance =
            1100 * growth * growth * growth *
            (1e-7 + static_cast<double>(std::numeric_limits<float>::epsilon()));
        std::int64_t compared = 0;
        for (const Pose& pose : poses) {
            const rotation::Frame frame = turner.frameOf(pose);
            const Extents box = frame.extents;
            const TurnedTemplate made = turner.turned(pose, frame);
            const bool all = std::ranges::count(made.support.data(),
                                                made.support.data() + made.support.count(), 0) == 0;
            QCOMPARE(made.whole, all && !weighted);
            const rotation::Matrix m = rotation::matrixOf(pose);
            for (std::int64_t i = 0; i < made.support.count(); ++i) {
                const base::Point o{
                    static_cast<double>(i % box.x) - frame.centre[0],
                    static_cast<double>(i / box.x % box.y) - frame.centre[1],
                    flat ? 0 : static_cast<double>(i / (box.x * box.y)) - frame.centre[2]};
                base::Point p{};
                bool inside = true;
                bool isDecided = true; // no rounding may decide what counts
                std::int64_t nearest[3] = {};
                const std::int64_t lengths[3] = {n.x, n.y, n.z};
                for (std::size_t a = 0; a < 3; ++a) {
                    p[a] = (m[a] * o[0] + m[3 + a] * o[1] + m[6 + a] * o[2]) /
                               (pose.scale * pose.scale) +
                           centre[a];
                    p[a] = std::abs(p[a] - std::round(p[a])) < 1e-9 ? std::round(p[a]) : p[a];
                    if (flat && a == 2) {
                        p[a] = 0;
                    }
                    nearest[a] = static_cast<std::int64_t>(std::floor(p[a] + 0.5));
                    inside = inside && nearest[a] >= 0 && nearest[a] < lengths[a];
                    isDecided = isDecided && std::abs(p[a] - std::floor(p[a]) - 0.5) > 1e-6;
                }
                if (shape == "round") {
                    const double distance = std::hypot(o[0], o[1], o[2]);
                    isDecided = std::abs(distance - radius * pose.scale) > 1e-6;
                    inside = distance < radius * pose.scale;
                } else if (inside) {
                    inside = mask.view().at(nearest[0], nearest[1], nearest[2]) != 0;
                }
                if (!isDecided) {
                    continue;
                }
                QCOMPARE(made.support.data()[i] != 0, inside);
                if (!inside) {
                    QCOMPARE(floats(made).data()[i], 0.0F);
                    continue;
                }
                ++compared;
                const double value = valueByDefinition(image, image, mask, p, flat, false);
                QVERIFY2(std::abs(static_cast<double>(floats(made).data()[i]) - value) <= tolerance,
                         qPrintable(QString("%1 %2").arg(floats(made).data()[i]).arg(value)));
                if (weighted) {
                    const double weight = valueByDefinition(image, weights, mask, p, flat, true);
                    QVERIFY(std::abs(made.weights.data()[i] - weight) <= 1e-6);
                }
            }
        }
        QVERIFY(compared > 25);
    }

    static void aSmallerTemplateIsBandLimited() {
        // Stripes of one voxel: half the size cannot show them.
        base::Image<float> stripes({41, 41, 1});
        for (std::int64_t i = 0; i < stripes.count(); ++i) {
            stripes.data()[i] = i % 41 % 2 == 0 ? 1.0F : -1.0F;
        }
        const base::AnyImage source = std::move(stripes);
        const Turner turner = turnerOf(source, true);
        double most = 0; // of the stretched kernel, wherever it stands
        for (int i = 0; i < 100; ++i) {
            double sum = 0;
            double weights = 0;
            for (int tap = -6; tap <= 6; ++tap) {
                const double weight = keys((tap - i / 100.0) / 2);
                sum += tap % 2 == 0 ? weight : -weight;
                weights += weight;
            }
            most = std::max(most, std::abs(sum / weights));
        }
        QVERIFY(most < 0.05);
        const Pose half{rotation::inPlane(0), 0.5};
        QVERIFY((turner.frameOf(half).extents == Extents{21, 21, 1}));
        const TurnedTemplate made = turner.turned(half, about(turner.extents()));
        QCOMPARE(countOf(made.support), 21 * 21);
        for (std::int64_t y = 13; y < 27; ++y) {
            for (std::int64_t x = 13; x < 27; ++x) {
                QVERIFY(std::abs(floats(made).view().at(x, y, 0)) <= most + 1e-6);
            }
        }
    }

    static void nothingFromOutsideOfAMaskEnters() {
        // NaN where the mask is 0; values between 900 and 1100 elsewhere. Corners of the box that
        // are no part of the template do not count.
        base::Image<float> image(
            std::get<base::Image<float>>(randomImage<float>({20, 14, 1})).extents());
        base::Image<std::uint8_t> mask({20, 14, 1}, 0);
        const base::AnyImage drawn = randomImage<float>({20, 14, 1});
        for (std::int64_t y = 0; y < 14; ++y) {
            for (std::int64_t x = 0; x < 20; ++x) {
                const bool in = x >= 4 && y < 11 && (x < 12 || y > 5);
                mask.view().at(x, y, 0) = in ? 1 : 0;
                image.view().at(x, y, 0) =
                    in ? std::get<base::Image<float>>(drawn).view().at(x, y, 0)
                       : std::numeric_limits<float>::quiet_NaN();
            }
        }
        const std::int64_t area = countOf(mask);
        const base::AnyImage source = std::move(image);
        const Turner turner = turnerOf(source, true, mask.view());
        // Values grow at most by the sum of the absolute weights, about their middle.
        const double growth = keysLimits().growth;
        const double reach = 100 * growth * growth + 1e-3;
        for (const double degrees : {0.0, 17.0, 45.0, 90.0, 211.0}) {
            const Pose pose{rotation::inPlane(degrees)};
            const TurnedTemplate made = turner.turned(pose, turner.frameOf(pose));
            for (std::int64_t i = 0; i < made.support.count(); ++i) {
                const double value = floats(made).data()[i];
                QVERIFY(made.support.data()[i] != 0 ? std::abs(value - 1000) <= reach : value == 0);
            }
            // Each voxel of the mask covers as much area as before, up to its rim.
            QVERIFY(std::abs(countOf(made.support) - area) < 2 * (16 + 11));
        }
        const TurnedTemplate same = turner.turned({}, about(turner.extents()));
        QCOMPARE(countOf(same.support), area);
    }

    static void aRoundMaskStaysAsItIs() {
        const base::AnyImage source = randomImage<float>({15, 15, 15});
        base::Image<std::uint8_t> mask({15, 15, 15}, 0);
        for (std::int64_t i = 0; i < mask.count(); ++i) {
            const double x = static_cast<double>(i % 15) - 7;
            const double y = static_cast<double>(i / 15 % 15) - 7;
            const double z = static_cast<double>(i / 225) - 7;
            mask.data()[i] = x * x + y * y + z * z <= 36 ? 1 : 0;
        }
        const Turner turner = turnerOf(source, false, mask.view());
        for (const rotation::Quaternion& q :
             rotation::spaceCover(rotation::parseRotations("60"), {}).turns) {
            QVERIFY((turner.frameOf({q}).extents == Extents{13, 13, 13}));
            const TurnedTemplate made = turner.turned({q}, about(turner.extents()));
            QVERIFY(std::equal(mask.data(), mask.data() + mask.count(), made.support.data()));
        }
        QVERIFY(turner.frameOf({{}, 1.5}).extents ==
                (Extents{19, 19, 19})); // 9 voxels to each side
    }

    /// All voxels but the corners lie within 5 of the centre, but so do places outside.
    static void aSquareWithoutCornersIsNotRound() {
        const base::AnyImage source = randomImage<float>({9, 9, 1});
        base::Image<std::uint8_t> mask({9, 9, 1}, 1);
        for (const std::int64_t corner : {0, 8, 72, 80}) {
            mask.data()[corner] = 0;
        }
        const Turner turner = turnerOf(source, true, mask.view());
        QCOMPARE(countOf(turner.turned({}, about({11, 11, 1})).support), 77);
    }

    static void aBoxBeyondTheTemplateIsNotWhole() {
        const base::AnyImage source = randomImage<float>({9, 9, 1});
        const Turner turner = turnerOf(source, true);
        QVERIFY(turner.turned({}, about({9, 9, 1})).whole);
        for (const Extents& box : {Extents{9, 17, 1}, Extents{17, 9, 1}, Extents{11, 11, 1}}) {
            const TurnedTemplate made = turner.turned({}, about(box));
            QCOMPARE(countOf(made.support), 81);
            QVERIFY(!made.whole);
        }
    }

    static void weightsTurnWithTheTemplate() {
        // A ramp along x: a straight line is interpolated exactly, up to the rim, where the weights
        // of the outermost voxels stay.
        const base::AnyImage source = randomImage<float>({21, 21, 1});
        base::Image<double> weights({21, 21, 1});
        for (std::int64_t i = 0; i < weights.count(); ++i) {
            weights.data()[i] = static_cast<double>(i % 21 + 1) / 21;
        }
        const Turner turner(base::viewOf(source), {}, true, false, weights.view());
        const rotation::Quaternion turn = rotation::inPlane(30);
        const TurnedTemplate made = turner.turned({turn}, about({31, 31, 1}));
        const rotation::Matrix m = rotation::matrixOf(turn);
        for (std::int64_t i = 0; i < made.weights.count(); ++i) {
            const auto x = static_cast<double>(i % 31) - 15;
            const auto y = static_cast<double>(i / 31) - 15;
            const double place = std::clamp(m[0] * x + m[3] * y + 10, 0.0, 20.0);
            const double expected = made.support.data()[i] == 0 ? 0 : (place + 1) / 21;
            QVERIFY(std::abs(made.weights.data()[i] - expected) <=
                    4 * std::numeric_limits<float>::epsilon());
        }
        QVERIFY(countOf(made.support) > 400);
    }

    static void theBoxHoldsTheWholeTemplate() {
        const base::AnyImage source = randomImage<float>({64, 64, 1});
        const Turner turner = turnerOf(source, true);
        const Pose pose{rotation::inPlane(45)};
        QVERIFY((turner.frameOf(pose).extents == Extents{90, 90, 1})); // 64 sqrt(2) = 90.5
        const TurnedTemplate made = turner.turned(pose, about({94, 94, 1}));
        for (std::int64_t i = 0; i < 94; ++i) {
            for (const std::int64_t edge : {0, 1, 92, 93}) {
                QVERIFY(made.support.view().at(i, edge, 0) == 0);
                QVERIFY(made.support.view().at(edge, i, 0) == 0);
            }
        }
        // The area of the template, up to half a voxel along its rim.
        QVERIFY(std::abs(countOf(made.support) - 64 * 64) < 2 * 64);
    }

    static void channelsOfColourTurnInTheirPlane() {
        const base::AnyImage source = randomImage<float>({8, 8, 3});
        const Turner turner = turnerOf(source, true);
        const Pose pose{rotation::inPlane(180)};
        const TurnedTemplate made = turner.turned(pose, turner.frameOf(pose));
        QVERIFY(made.support.extents() == (Extents{8, 8, 3}));
        const auto& from = std::get<base::Image<float>>(source);
        for (std::int64_t z = 0; z < 3; ++z) {
            QCOMPARE(floats(made).view().at(1, 2, z), from.view().at(6, 5, z));
        }
    }
};

const flcc::test::TestClass<TurnTest> kTurnTest;
#include "turn_test.moc"
