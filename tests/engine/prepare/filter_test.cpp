#include <QtTest>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "engine/prepare/member.h"
#include "engine/prepare/scene.h"
#include "tests/support/test_class.h"

using namespace flcc;
using namespace flcc::prepare;
using base::Extents;

namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
using Values = std::vector<std::complex<double>>;

std::size_t placeOf(const Extents& n, std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::size_t>(x + n.x * (y + n.y * z));
}

template <class Visit> void forVoxels(const Extents& n, const Visit& visit) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                visit(x, y, z);
            }
        }
    }
}

/// The discrete Fourier transform by its definition.
Values transformed(const Values& from, const Extents& n, double sign) {
    const auto turn = [sign](std::int64_t a, std::int64_t k, std::int64_t length) {
        return sign * 2 * std::numbers::pi * static_cast<double>(a * k % length) /
               static_cast<double>(length);
    };
    Values to(from.size());
    forVoxels(n, [&](std::int64_t kx, std::int64_t ky, std::int64_t kz) {
        std::complex<double> sum = 0;
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            sum += from[placeOf(n, x, y, z)] *
                   std::polar(1.0, turn(x, kx, n.x) + turn(y, ky, n.y) + turn(z, kz, n.z));
        });
        to[placeOf(n, kx, ky, kz)] = sum;
    });
    return to;
}

double frequencyOf(std::int64_t k, std::int64_t n, double spacing) {
    const std::int64_t own = 2 * k > n ? k - n : k;
    return static_cast<double>(own) / (static_cast<double>(n) * spacing);
}

/// The mean of a response and of its values with the other sign of each half cycle a voxel.
double responseAt(const Response& response, const Extents& n, const base::Point& spacing,
                  std::int64_t kx, std::int64_t ky, std::int64_t kz) {
    double sum = 0;
    double count = 0;
    for (const int sx : {1, -1}) {
        for (const int sy : {1, -1}) {
            for (const int sz : {1, -1}) {
                if ((sx < 0 && 2 * kx != n.x) || (sy < 0 && 2 * ky != n.y) ||
                    (sz < 0 && 2 * kz != n.z)) {
                    continue;
                }
                sum += response.at({sx * frequencyOf(kx, n.x, spacing[0]),
                                    sy * frequencyOf(ky, n.y, spacing[1]),
                                    sz * frequencyOf(kz, n.z, spacing[2])});
                ++count;
            }
        }
    }
    return sum / count;
}

/// Multiplies the spectrum of a box by a response.
Values filteredBy(const Response& response, const Values& box, const Extents& n,
                  const base::Point& spacing) {
    Values spectrum = transformed(box, n, -1);
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        spectrum[placeOf(n, x, y, z)] *= responseAt(response, n, spacing, x, y, z);
    });
    Values back = transformed(spectrum, n, 1);
    for (auto& value : back) {
        value /= static_cast<double>(box.size());
    }
    return back;
}

/// Roundings of the two transforms, ours (a logarithm of the points) and that of the definition
/// (sums of all points), of values whose root of the sum of squares is `norm`.
double toleranceOf(const Extents& n, double norm, double gain) {
    const auto points = static_cast<double>(base::voxelCount(n));
    return (16 * std::log2(points) + 4 * points) * kRounding * norm * gain;
}

base::Image<double> randomImage(const Extents& n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> values(7, 3);
    base::Image<double> image(n);
    std::generate_n(image.data(), image.count(), [&] { return values(random); });
    return image;
}

/// A response with all that depends on the direction.
Response tiltedResponse() {
    Recipe recipe;
    recipe.band = Band{3, 30};
    recipe.tilts = {{.angle = -40, .dose = 60.0, .defocus = 20000.0, .phaseShift = {}},
                    {.angle = 0, .dose = 0.0, .defocus = 21000.0, .phaseShift = {}},
                    {.angle = 25, .dose = 20.0, .defocus = 22000.0, .phaseShift = {}}};
    recipe.lens = Lens{};
    recipe.thickness = 8;
    recipe.angstroms = 10;
    return Response(recipe);
}

rotation::TurnedTemplate memberOf(base::Image<double> pixels) {
    rotation::TurnedTemplate member;
    member.support = base::Image<std::uint8_t>(pixels.extents(), 1);
    member.pixels = std::move(pixels);
    return member;
}

} // namespace

class FilterTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aMemberIsFilteredAsDefined_data() {
        QTest::addColumn<bool>("masked");
        QTest::addColumn<bool>("weighted");
        QTest::newRow("whole") << false << false;
        QTest::newRow("mask") << true << false;
        QTest::newRow("weights") << true << true;
    }
    void aMemberIsFilteredAsDefined() {
        QFETCH(bool, masked);
        QFETCH(bool, weighted);
        const Extents n{5, 6, 4};
        const base::Point spacing{1, 1.5, 2};
        const base::Image<double> image = randomImage(n, 3);
        base::Image<std::uint8_t> support(n, 1);
        base::Image<double> weights(n, 1.0);
        std::mt19937 random(8);
        for (std::int64_t i = 0; i < image.count(); ++i) {
            support.data()[i] = masked && random() % 3 == 0 ? 0 : 1;
            weights.data()[i] = weighted ? static_cast<double>(random() % 8 + 1) / 8 : 1.0;
        }
        const Response response = tiltedResponse();
        const MemberFilter filter(n, spacing, response);
        const base::AnyImage any = base::copyOf(image.view());
        const base::Image<double> made =
            filter.filtered(base::viewOf(any), support.view(),
                            weighted ? weights.view() : base::View<const double>());

        const Extents p = filter.points();
        QVERIFY(p.x >= 10 && p.y >= 12 && p.z >= 8);
        double sum = 0;
        double all = 0;
        for (std::int64_t i = 0; i < image.count(); ++i) {
            const double weight = support.data()[i] * weights.data()[i];
            sum += weight * image.data()[i];
            all += weight;
        }
        Values box(static_cast<std::size_t>(base::voxelCount(p)));
        double largest = 0;
        double squares = 0;
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const double weight = support.view().at(x, y, z) * weights.view().at(x, y, z);
            const double value = weight * (image.view().at(x, y, z) - sum / all);
            box[placeOf(p, x, y, z)] = value;
            largest = std::max(largest, std::abs(value));
            squares += value * value;
        });
        const double scale = std::ldexp(1.0, -std::ilogb(largest) - 1);
        const Values wanted = filteredBy(response, box, p, spacing);
        const double tolerance = toleranceOf(p, scale * std::sqrt(squares), 1);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const double expected =
                support.view().at(x, y, z) != 0 ? scale * wanted[placeOf(p, x, y, z)].real() : 0;
            QVERIFY(std::abs(made.view().at(x, y, z) - expected) <= tolerance);
        });
    }

    /// Without a mask's cut the filtered template has nothing in the wedge: the box of zeros keeps
    /// all of it.
    void nothingIsLeftInTheWedge() {
        const Extents n{12, 12, 12};
        Recipe recipe;
        recipe.range = TiltRange{50, 50};
        recipe.thickness = 12;
        const Response response(recipe);
        const base::Image<double> image = randomImage(n, 4);
        // A template that is periodic in the padded box is not cut: it fills the box of a filter
        // whose points are its own.
        const Extents p{24, 24, 24};
        Values box(static_cast<std::size_t>(base::voxelCount(p)));
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            box[placeOf(p, x, y, z)] = image.view().at(x, y, z);
        });
        base::Image<double> whole(p, 0.0);
        const MemberFilter twice(p, {1, 1, 1}, response);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            whole.view().at(x + 6, y + 6, z + 6) = image.view().at(x, y, z) - 7;
        });
        const base::AnyImage any = base::copyOf(whole.view());
        const base::Image<double> made = twice.filtered(base::viewOf(any), {}, {});
        double inside = 0;
        double outside = 0;
        // Along single lines of the spectrum, by the definition.
        for (const auto& [kx, kz] : {std::pair(1, 9), std::pair(0, 10), std::pair(2, 11),
                                     std::pair(9, 1), std::pair(10, 2), std::pair(8, 0)}) {
            std::complex<double> sum = 0;
            forVoxels(p, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                sum += made.view().at(x, y, z) *
                       std::polar(1.0, -2 * std::numbers::pi *
                                           static_cast<double>(kx * x + kz * z) / 24);
            });
            (kz > kx ? inside : outside) += std::norm(sum);
        }
        // The result reaches beyond the box by the width of the kernel, which is cut there: a
        // thousandth of the power is left.
        QVERIFY(inside < 1e-3 * outside);
    }

    /// A template turned by 90 degrees about y, filtered, is what the filter with the planes turned
    /// back makes of the template, turned.
    void theWedgeStaysWhileTheTemplateTurns() {
        const Extents n{7, 7, 7};
        const base::Image<double> image = randomImage(n, 5);
        base::Image<double> turned(n);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            turned.view().at(z, y, 6 - x) = image.view().at(x, y, z);
        });
        // Tilts of 20 and 70 degrees see the planes of -70 and -20 of the unturned template.
        const auto responseOf = [](double a, double b) {
            Recipe recipe;
            recipe.thickness = 7;
            recipe.range = TiltRange{a, b};
            return Response(recipe);
        };
        rotation::TurnedTemplate first = memberOf(std::move(turned));
        MemberFilter(n, {1, 1, 1}, responseOf(-20, 70)).apply(first);
        rotation::TurnedTemplate second = memberOf(randomImage(n, 5));
        MemberFilter(n, {1, 1, 1}, responseOf(70, -20)).apply(second);
        const auto& a = std::get<base::Image<double>>(first.pixels);
        const auto& b = std::get<base::Image<double>>(second.pixels);
        const double tolerance = toleranceOf({14, 14, 14}, std::sqrt(343.0), 1);
        double size = 0;
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            size = std::max(size, std::abs(b.view().at(x, y, z)));
            QVERIFY(std::abs(a.view().at(z, y, 6 - x) - b.view().at(x, y, z)) <= tolerance);
        });
        QVERIFY(size > 0.05);
    }

    void membersKeepTheTypeOfTheirPixels() {
        const Extents n{6, 6, 1};
        rotation::TurnedTemplate member;
        base::Image<float> pixels(n);
        const base::Image<double> image = randomImage(n, 6);
        std::transform(image.data(), image.data() + image.count(), pixels.data(),
                       [](double value) { return static_cast<float>(value); });
        member.support = base::Image<std::uint8_t>(n, 1);
        member.pixels = std::move(pixels);
        Recipe recipe;
        recipe.band = Band{3, 0};
        MemberFilter(n, {1, 1, 1}, Response(recipe)).apply(member);
        QVERIFY(std::holds_alternative<base::Image<float>>(member.pixels));
    }

    void aSceneIsFilteredAsDefined() {
        const Extents n{7, 6, 1};
        const base::Point spacing{2, 2, 1};
        base::Image<double> image = randomImage(n, 7);
        base::Image<std::uint8_t> mask(n, 1);
        mask.view().at(1, 1, 0) = 0;
        image.view().at(1, 1, 0) = 1e30; // does not count
        image.view().at(4, 3, 0) = std::numeric_limits<double>::infinity();
        const base::AnyImage any = base::copyOf(image.view());
        base::TilePool pool(2);
        SceneTransform transform(base::viewOf(any), mask.view(), spacing, pool);
        const auto spectrum = transform.spectrum();
        Recipe recipe;
        recipe.band = Band{5, 0};
        recipe.spectrum = spectrum;
        const Response response(recipe);
        const base::Image<float> made = transform.filtered(response);

        double sum = 0;
        double count = 0;
        const auto counts = [&](std::int64_t x, std::int64_t y) {
            return mask.view().at(x, y, 0) != 0 && std::isfinite(image.view().at(x, y, 0));
        };
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t) {
            sum += counts(x, y) ? image.view().at(x, y, 0) : 0;
            count += counts(x, y) ? 1 : 0;
        });
        // 7 + 32 and 6 + 32 points or more, in even lengths that transform well.
        const Extents p{40, 40, 1};
        const auto mirrored = [](std::int64_t i, std::int64_t length) {
            while (i < 0 || i >= length) {
                i = i < 0 ? -1 - i : 2 * length - 1 - i;
            }
            return i;
        };
        const auto continued = [&](const auto& value, std::int64_t length, std::int64_t i) {
            if (i < length) {
                return value(i);
            }
            const double share =
                (static_cast<double>(i - length) + 0.5) / static_cast<double>(40 - length);
            return (1 - share) * value(mirrored(i, length)) +
                   share * value(mirrored(i - 40, length));
        };
        double largest = 0;
        const auto voxel = [&](std::int64_t x, std::int64_t y) {
            return counts(x, y) ? image.view().at(x, y, 0) - sum / count : 0.0;
        };
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t) {
            largest = std::max(largest, std::abs(voxel(x, y)));
        });
        const double scale = std::ldexp(1.0, -std::ilogb(largest) - 1);
        Values box(static_cast<std::size_t>(base::voxelCount(p)));
        double squares = 0;
        forVoxels(p, [&](std::int64_t x, std::int64_t y, std::int64_t) {
            const auto atX = [&](std::int64_t line) {
                return continued([&](std::int64_t i) { return voxel(i, line); }, n.x, x);
            };
            box[placeOf(p, x, y, 0)] = scale * continued(atX, n.y, y);
            squares += std::norm(box[placeOf(p, x, y, 0)]);
        });

        const Values power = transformed(box, p, -1);
        std::vector<double> sums(40);
        std::vector<double> counted(40);
        forVoxels(p, [&](std::int64_t x, std::int64_t y, std::int64_t) {
            const double f = std::hypot(frequencyOf(x, 40, 2), frequencyOf(y, 40, 2));
            const auto shell = static_cast<std::size_t>(std::lround(f * 80));
            sums[shell] += std::norm(power[placeOf(p, x, y, 0)]);
            ++counted[shell];
        });
        const double tolerance = toleranceOf(p, std::sqrt(squares), 1);
        QCOMPARE(spectrum->step, 1.0 / 80);
        QCOMPARE(spectrum->amplitudes.size(), std::size_t{29}); // 20 sqrt 2 and the one about 0
        for (std::size_t i = 1; i < spectrum->amplitudes.size(); ++i) {
            const double wanted = std::sqrt(sums[i] / counted[i]);
            QVERIFY(std::abs(spectrum->amplitudes[i] - wanted) <= 40 * tolerance);
        }
        QCOMPARE(spectrum->amplitudes[0], spectrum->amplitudes[1]);

        const Values wanted = filteredBy(response, box, p, spacing);
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t) {
            const float value = made.view().at(x, y, 0);
            if (!std::isfinite(image.view().at(x, y, 0))) {
                QVERIFY(std::isnan(value));
                return;
            }
            const double expected = wanted[placeOf(p, x, y, 0)].real();
            // whitening() is at most 1000; the rest is rounding to float32.
            QVERIFY(std::abs(static_cast<double>(value) - expected) <=
                    1000 * tolerance + std::abs(expected) * 6e-8);
        });
    }

    void aWhitenedSceneIsWhite() {
        const Extents n{96, 96, 1};
        base::Image<double> image = randomImage(n, 9);
        for (int pass = 0; pass < 2; ++pass) {             // strong low frequencies
            const std::int64_t step = pass == 0 ? 1 : n.x; // along each axis
            for (std::int64_t i = step; i < image.count(); ++i) {
                image.data()[i] = 0.9 * image.data()[i - step] + image.data()[i];
            }
        }
        const base::AnyImage any = base::copyOf(image.view());
        base::TilePool pool(1);
        const auto ratio = [](const Spectrum& of) { // of a low to a high frequency
            return of.amplitudes[4] / of.amplitudes[of.amplitudes.size() / 2];
        };
        SceneTransform transform(base::viewOf(any), {}, {1, 1, 1}, pool);
        Recipe recipe;
        recipe.spectrum = transform.spectrum();
        const double before = ratio(*recipe.spectrum);
        const base::AnyImage white(transform.filtered(Response(recipe)));
        const double after =
            ratio(*SceneTransform(base::viewOf(white), {}, {1, 1, 1}, pool).spectrum());
        QVERIFY(before > 10);
        QVERIFY(after > 0.5 && after < 2);
    }

    void theNumberOfThreadsChangesNoBit() {
        const base::AnyImage any = base::copyOf(randomImage({40, 30, 20}, 10).view());
        const auto made = [&](int threads) {
            base::TilePool pool(threads);
            SceneTransform transform(base::viewOf(any), {}, {1, 1, 1}, pool);
            Recipe recipe;
            recipe.spectrum = transform.spectrum();
            return transform.filtered(Response(recipe));
        };
        const base::Image<float> one = made(1);
        const base::Image<float> three = made(3);
        QVERIFY(std::equal(one.data(), one.data() + one.count(), three.data()));
    }
};

const flcc::test::TestClass<FilterTest> kFilterTest;

#include "filter_test.moc"
