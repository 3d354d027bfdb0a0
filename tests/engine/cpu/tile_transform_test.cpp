#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/random.h"
#include "engine/base/tile_pool.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/cpu/transform/half_beam_transform.h"
#include "engine/cpu/transform/tile_transform.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/extents_column.h"
#include "tests/support/test_class.h"

using namespace flcc;
using base::Extents;
using base::Image;
using base::PixelType;
using cpu::TileTransform;
using cpu::TransformShape;
using method::Transforms;

namespace {

Image<double> random(const Extents& extents, std::uint64_t seed) {
    Image<double> image(extents);
    base::Random random(seed);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<double>(static_cast<float>(random.uniform(-0.5, 0.5)));
    }
    return image;
}

/// The circular correlation by its definition.
double correlation(const Image<double>& tile, const Image<double>& templ, const base::Index& at) {
    const Extents& n = tile.extents();
    const Extents& m = templ.extents();
    long double sum = 0;
    for (std::int64_t k = 0; k < m.z; ++k) {
        for (std::int64_t j = 0; j < m.y; ++j) {
            for (std::int64_t i = 0; i < m.x; ++i) {
                sum += static_cast<long double>(templ.view().at(i, j, k)) *
                       static_cast<long double>(
                           tile.view().at((at.x + i) % n.x, (at.y + j) % n.y, (at.z + k) % n.z));
            }
        }
    }
    return static_cast<double>(sum);
}

/// Buffers of a transform, each as large as what is said of it and no larger.
template <class Real> struct Buffers {
    explicit Buffers(const TransformShape& points)
        : voxels({base::voxelCount(points) + TileTransform<Real>::kZeros, 1, 1}, Real{0}),
          work(unknown(TileTransform<Real>::spectrumValues(points))),
          spectrum(unknown(TileTransform<Real>::spectrumValues(points))),
          to(unknown(base::voxelCount(points))) {}

    static Image<Real> unknown(std::int64_t values) {
        return Image<Real>({values, 1, 1}, std::numeric_limits<Real>::quiet_NaN());
    }

    Image<Real> voxels;
    Image<Real> work;
    Image<Real> spectrum;
    Image<Real> to;
};

template <class Real>
Image<Real> spectrumOf(const TileTransform<Real>& transform, const Buffers<Real>& tile) {
    Image<Real> work({tile.work.count(), 1, 1});
    Image<Real> spectrum({tile.spectrum.count(), 1, 1});
    transform.forward(tile.voxels.data(), work.data(), spectrum.data());
    return spectrum;
}

/// What a transform makes of a tile, and a fault in how it does so.
struct Found {
    std::vector<double> correlation;
    std::vector<double> ofSum;                     ///< the same by way of a sum
    cpu::TileEnergies energies;                    ///< of all of it
    std::vector<method::shared::TileEnergy> parts; ///< of what comes out where partsOf() are wanted
    std::string fault;
};

/// Some boxes from the origin on: all but a column and a slice, about half, one placement.
std::vector<Extents> partsOf(const Extents& points) {
    const auto half = [](std::int64_t length) { return (length + 1) / 2; };
    const auto less = [](std::int64_t length) { return std::max<std::int64_t>(1, length - 1); };
    return {{less(points.x), points.y, less(points.z)},
            {half(points.x), half(points.y), half(points.z)},
            {1, 1, 1}};
}

template <class Real>
bool equalIn(const Extents& part, const Extents& points, const Real* a, const Real* b) {
    for (std::int64_t z = 0; z < part.z; ++z) {
        for (std::int64_t y = 0; y < part.y; ++y) {
            const std::int64_t row = (z * points.y + y) * points.x;
            if (!std::equal(a + row, a + row + part.x, b + row)) {
                return false;
            }
        }
    }
    return true;
}

/// The largest mean square of the columns along y, and the largest sum of these in a plane; of what
/// lies in a part, the largest energies of rows and of lines across several slices.
struct Brightest {
    double column = 0;
    double plane = 0;
    double row = 0;
    double pillar = 0;
};
Brightest brightestOf(const std::vector<double>& values, const Extents& points,
                      const Extents& part) {
    Brightest brightest;
    for (std::int64_t x = 0; x < points.x; ++x) {
        double plane = 0;
        for (std::int64_t z = 0; z < points.z; ++z) {
            double column = 0;
            for (std::int64_t y = 0; y < points.y; ++y) {
                const double value =
                    values[static_cast<std::size_t>((z * points.y + y) * points.x + x)];
                column += value * value / static_cast<double>(points.y);
            }
            plane += column;
            brightest.column = std::max(brightest.column, column);
        }
        brightest.plane = std::max(brightest.plane, plane);
    }
    const auto square = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double value = values[static_cast<std::size_t>((z * points.y + y) * points.x + x)];
        return value * value;
    };
    for (std::int64_t y = 0; y < part.y; ++y) {
        for (std::int64_t z = 0; z < part.z; ++z) {
            double row = 0;
            for (std::int64_t x = 0; x < part.x; ++x) {
                row += square(x, y, z);
            }
            brightest.row = std::max(brightest.row, row);
        }
        for (std::int64_t x = 0; part.z > 1 && x < part.x; ++x) {
            double pillar = 0;
            for (std::int64_t z = 0; z < part.z; ++z) {
                pillar += square(x, y, z);
            }
            brightest.pillar = std::max(brightest.pillar, pillar);
        }
    }
    return brightest;
}

template <class Real>
Found correlated(const TransformShape& points, const Image<double>& tile,
                 const Image<double>& weights) {
    const auto transform = TileTransform<Real>::of(points);
    Buffers<Real> buffers(points);
    std::transform(tile.data(), tile.data() + tile.count(), buffers.voxels.data(),
                   [](double value) { return static_cast<Real>(value); });
    Found found;
    const auto expect = [&](bool holds, const char* what) {
        found.fault += holds ? "" : std::string(what) + "; ";
    };
    Image<double> work({TileTransform<Real>::spectrumValues(points), 1, 1}, std::nan(""));
    Image<Real> templ = Buffers<Real>::unknown(TileTransform<Real>::spectrumValues(points));
    transform->templateSpectrum(weights.view(), cpu::oneAfterTheOther(), work.data(), templ.data());
    base::TilePool pool(3);
    const Image<Real> shared = transform->templateSpectrum(weights.view(), cpu::itemsOf(pool));
    expect(std::equal(templ.data(), templ.data() + templ.count(), shared.data()),
           "threads change the template's spectrum");
    const std::vector<Real> before(buffers.voxels.data(),
                                   buffers.voxels.data() + buffers.voxels.count());
    const cpu::TileEnergies energies = transform->correlate(
        templ.data(), buffers.voxels.data(), buffers.work.data(), buffers.to.data(), points);
    expect(std::equal(before.begin(), before.end(), buffers.voxels.data()), "the tile is not kept");
    found.correlation.assign(buffers.to.data(), buffers.to.data() + buffers.to.count());
    found.energies = energies;
    const auto same = [](const method::shared::TileEnergy& a, const method::shared::TileEnergy& b) {
        return a.largestMeanSquare == b.largestMeanSquare &&
               a.largestGathered == b.largestGathered && a.largestCrossing == b.largestCrossing &&
               a.total == b.total;
    };
    // Of a part, by several threads.
    for (const Extents& wanted : partsOf(points)) {
        Buffers<Real> part(points);
        const cpu::ForItems each = cpu::itemsOf(pool);
        const auto some = transform->correlate({each, 3}, templ.data(), buffers.voxels.data(),
                                               part.work.data(), part.to.data(), wanted);
        expect(some.has_value(), "nobody stopped it");
        expect(same(some->in, energies.in), "threads change the tile's energy");
        expect(std::abs(some->out.total - energies.out.total) <= 1e-5 * energies.out.total,
               "a part has another energy");
        expect(equalIn(wanted, points, part.to.data(), buffers.to.data()),
               "a part is not a part of the whole");
        expect(std::all_of(part.to.data() + TileTransform<Real>::writtenValues(points, wanted),
                           part.to.data() + part.to.count(),
                           [](Real value) { return std::isnan(value); }),
               "more is written than is said");
        found.parts.push_back(some->out);
        Buffers<Real> two(points);
        transform->inverse(templ.data(), spectrumOf(*transform, buffers).data(), two.work.data(),
                           two.to.data(), wanted);
        expect(equalIn(wanted, points, two.to.data(), buffers.to.data()),
               "in two steps a part is not one of the whole");
    }
    // Stopped before its last pass; the next one is whole again, where the template was.
    {
        int passes = 0;
        const cpu::ForItems stopped = [&](std::int64_t count, const auto& item) {
            return ++passes < 3 && cpu::oneAfterTheOther()(count, item);
        };
        Buffers<Real> part(points);
        const auto none = transform->correlate({stopped, 1}, templ.data(), buffers.voxels.data(),
                                               part.work.data(), part.to.data(), points);
        expect(none.has_value() == (passes < 3), "a stop is not told");
        Image<Real> both({templ.count(), 1, 1});
        std::copy_n(templ.data(), templ.count(), both.data());
        transform->correlate(both.data(), buffers.voxels.data(), part.work.data(), both.data(),
                             points);
        expect(equalIn(points, points, both.data(), buffers.to.data()),
               "where the template was it is another one");
    }
    expect(same(transform->forward(buffers.voxels.data(), buffers.work.data(),
                                   buffers.spectrum.data()),
                energies.in),
           "a tile has another energy in two steps");
    // By way of a sum of products, in two parts, for which nothing is known.
    Image<Real> sum({buffers.spectrum.count(), 1, 1}, Real{0});
    Image<Real> box({base::voxelCount(points), 1, 1}, std::numeric_limits<Real>::quiet_NaN());
    const std::int64_t half =
        buffers.spectrum.count() / 2 / transform->kTogether * transform->kTogether;
    for (const auto& [from, to] : {std::pair{std::int64_t{0}, half}, {half, sum.count()}}) {
        transform->addProduct(templ.data() + from, buffers.spectrum.data() + from, to - from,
                              sum.data() + from);
    }
    transform->inverse(sum.data(), buffers.work.data(), box.data(), points);
    found.ofSum.assign(box.data(), box.data() + box.count());
    // The result may lie where the template was.
    const method::shared::TileEnergy out = transform->inverse(
        templ.data(), buffers.spectrum.data(), buffers.work.data(), templ.data(), points);
    expect(same(out, energies.out), "in two steps it has another energy");
    expect(std::equal(buffers.to.data(), buffers.to.data() + buffers.to.count(), templ.data()),
           "in two steps it is another one");
    return found;
}

} // namespace

class TileTransformTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aTileIsCorrelated_data() {
        QTest::addColumn<Extents>("points");
        QTest::addColumn<Extents>("templ");
        QTest::addColumn<bool>("own");
        const auto row = [](const Extents& points, const Extents& templ, bool own) {
            QCOMPARE(cpu::hasHalfBeamTransform(points), own);
            for (const bool fftw : {false, true}) {
                if (fftw || own) {
                    QTest::addRow("%s with %s%s", base::toString(points).c_str(),
                                  base::toString(templ).c_str(), fftw ? " by FFTW" : "")
                        << points << templ << !fftw;
                }
            }
        };
        // Volumes: one group of columns, two, a part of one, odd numbers of slices; halves of
        // 8 elements, which have an idle one beside them.
        row({16, 16, 16}, {3, 4, 5}, true);
        row({32, 8, 6}, {5, 3, 2}, true);
        row({32, 14, 5}, {17, 3, 2}, true);
        row({40, 12, 7}, {20, 3, 7}, true);
        row({24, 15, 9}, {24, 15, 9}, true);
        row({9, 21, 10}, {2, 7, 3}, true);
        row({28, 30, 3}, {3, 3, 3}, true);
        row({48, 14, 1}, {33, 5, 1}, true);
        row({28, 15, 1}, {10, 5, 1}, true);
        row({56, 27, 3}, {31, 5, 2}, true);
        row({8, 5, 144}, {3, 2, 5}, true);
        // Pictures and lines.
        row({64, 48, 1}, {16, 16, 1}, true);
        row({80, 45, 1}, {7, 9, 1}, true);
        row({175, 6, 1}, {9, 2, 1}, true);
        row({144, 1, 1}, {11, 1, 1}, true);
        row({16, 2, 1}, {3, 1, 1}, true);
        row({10, 256, 1}, {3, 20, 1}, true);
        row({12, 1, 20}, {3, 1, 4}, true);
        // FFTW's: narrow ones, and other factors.
        row({1, 1, 1}, {1, 1, 1}, false);
        row({7, 30, 1}, {2, 3, 1}, false);
        row({17, 24, 4}, {3, 3, 2}, false);
        row({18, 12, 4}, {3, 3, 2}, true);
        row({33, 26, 1}, {3, 4, 1}, false);
        row({22, 10, 3}, {3, 4, 2}, false);
    }
    void aTileIsCorrelated() {
        QFETCH(Extents, points);
        QFETCH(Extents, templ);
        QFETCH(bool, own);
        const TransformShape shape(points, own ? Transforms::Own : Transforms::Fftw);
        QCOMPARE(shape.fftw, !own);
        const Image<double> tile = random(points, 3); // of floats
        const Image<double> weights = random(templ, 4);
        std::vector<double> exact;
        double energies[2] = {0, 0};
        for (std::int64_t i = 0; i < tile.count(); ++i) {
            exact.push_back(correlation(
                tile, weights, {i % points.x, i / points.x % points.y, i / points.x / points.y}));
            energies[0] += tile.data()[i] * tile.data()[i];
        }
        for (std::int64_t i = 0; i < weights.count(); ++i) {
            energies[1] += weights.data()[i] * weights.data()[i];
        }
        const double points2 = std::max(2.0, static_cast<double>(tile.count()));
        // `worst` of the error bound (engine/method/NUMERICS.md, section 5) with a template's
        // spectrum of the same precision, in units of the roundoff.
        const double guarantee =
            6 * std::sqrt(std::log2(points2)) * std::sqrt(energies[0] * energies[1]);
        const auto worst = [&](const Found& found) {
            double largest = 0;
            for (const std::vector<double>& values : {found.correlation, found.ofSum}) {
                for (std::size_t i = 0; i < exact.size(); ++i) {
                    const double error = std::abs(values[i] - exact[i]);
                    largest = std::max(largest, std::isnan(error) ? HUGE_VAL : error);
                }
            }
            return largest / guarantee;
        };
        const std::vector<double> voxels(tile.data(), tile.data() + tile.count());
        const auto energyFault = [&](const Found& found, double error) {
            const auto holds = [&](double value, double least, double most) {
                return value >= least * (1 - error) && value <= most * (1 + error);
            };
            const auto total = [](const std::vector<double>& values) {
                return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
            };
            // Of columns that are not transformed across slices the sum over their plane may count;
            // where the order of the transforms is not known all lines do.
            const auto isOf = [&](const method::shared::TileEnergy& energy,
                                  const std::vector<double>& values, const Extents& part) {
                const Brightest brightest = brightestOf(values, points, part);
                const auto meanOf = [](double sum, std::int64_t length, std::int64_t least) {
                    return sum / static_cast<double>(std::max(length, least));
                };
                const double crossing = std::max(meanOf(brightest.row, points.x, 16),
                                                 meanOf(brightest.pillar, points.z, 16));
                const double any = std::max({brightest.column, meanOf(brightest.row, points.x, 1),
                                             meanOf(brightest.pillar, points.z, 1)});
                const double least = own ? brightest.column : any;
                const double gathered = energy.largestMeanSquare + // of short lines
                                        (brightest.row + brightest.pillar) / 256;
                return holds(energy.largestMeanSquare, least,
                             part == points ? least : brightest.plane) &&
                       holds(energy.largestCrossing, crossing, crossing) &&
                       holds(energy.largestGathered, gathered, gathered);
            };
            const auto& [in, out] = found.energies;
            bool all = holds(in.total, total(voxels), total(voxels)) && isOf(in, voxels, points) &&
                       holds(out.total, total(exact), total(exact)) && isOf(out, exact, points);
            const std::vector<Extents> parts = partsOf(points);
            for (std::size_t i = 0; own && i < parts.size(); ++i) {
                all = all && isOf(found.parts[i], exact, parts[i]);
            }
            return all ? std::string() : std::string("energies");
        };
        for (const std::string& set : cpu::simd::instructionSets()) {
            cpu::simd::forceInstructionSet(set);
            const Found single = correlated<float>(shape, tile, weights);
            QCOMPARE(energyFault(single, 1e-5), std::string());
            QVERIFY2(single.fault.empty(), (set + " float: " + single.fault).c_str());
            QVERIFY2(worst(single) <= 0x1p-24 / 10, set.c_str());
            const Found inDouble = correlated<double>(shape, tile, weights);
            QCOMPARE(energyFault(inDouble, 1e-13), std::string());
            QVERIFY2(inDouble.fault.empty(), (set + " double: " + inDouble.fault).c_str());
            QVERIFY2(worst(inDouble) <= 0x1p-53 / 10, set.c_str());
        }
        cpu::simd::forceInstructionSet("");
    }

    // Errors of rows reach all of a tile: all there is is where nothing is wanted.
    void whatIsNotWantedCounts() {
        for (const TransformShape points :
             {TransformShape({64, 16, 4}), TransformShape({64, 16, 3}),
              TransformShape({80, 16, 1})}) {
            const std::int64_t count = base::voxelCount(points);
            Image<double> weights({1, 1, 1}, 1.0); // the correlation is the tile
            Buffers<float> own(points);
            for (std::int64_t i = points.x - 5; i < count; i += points.x) {
                own.voxels.data()[i] = 1;
            }
            const auto transform = TileTransform<float>::of(points);
            const auto templ = transform->templateSpectrum(weights.view(), cpu::oneAfterTheOther());
            const auto energies =
                transform->correlate(templ.data(), own.voxels.data(), own.work.data(),
                                     own.to.data(), {16, 16, std::min<std::int64_t>(2, points.z)});
            const double total = static_cast<double>(points.y * points.z);
            for (const method::shared::TileEnergy& energy : {energies.in, energies.out}) {
                QVERIFY(std::abs(energy.total - total) <= 1e-5 * total);
            }
            QVERIFY(std::abs(energies.in.largestMeanSquare - 1) <= 1e-5);
            // Its slices are spectra still, of which all but one are 0.
            QVERIFY(std::abs(energies.out.largestMeanSquare - 1) <= 1e-5);
        }
    }

    // Of shapes of our own transforms and of FFTW's: 11 is a length of none of ours.
    void transformsOutOfUseAreReleased() {
        using Transform = TileTransform<float>;
        constexpr std::array<std::int64_t, 10> kLengths{16, 18, 20, 21, 24, 25, 27, 28, 30, 32};
        constexpr std::size_t kShapes = kLengths.size() * kLengths.size();
        static_assert(kShapes > Transform::kKeptShapes + 3);
        for (const bool own : {true, false}) {
            const auto shape = [&](std::size_t i) {
                return TransformShape(own ? Extents{32 * kLengths[i / kLengths.size()],
                                                    kLengths[i % kLengths.size()], 1}
                                          : Extents{11, 11 + static_cast<std::int64_t>(i), 1});
            };
            QCOMPARE(shape(0).fftw, !own);
            const auto held = Transform::of(shape(0));
            const std::weak_ptr<const Transform> unused = Transform::of(shape(1));
            const std::weak_ptr<const Transform> asked = Transform::of(shape(2));
            for (std::size_t i = 3; i < kShapes; ++i) {
                (void)Transform::of(shape(i));
                (void)Transform::of(shape(2));
            }
            QVERIFY(unused.expired());
            QVERIFY(!asked.expired());
            QCOMPARE(Transform::of(shape(0)), held);
        }
    }

    // With rows that end within a vector, and voxels that are not finite.
    void whatIsKnownOfATileChangesNoBit_data() {
        QTest::addColumn<int>("type");
        for (int type = 0; type < 10; ++type) {
            QTest::newRow(std::string(base::name(static_cast<PixelType>(type))).c_str()) << type;
        }
    }
    void whatIsKnownOfATileChangesNoBit() {
        QFETCH(int, type);
        const auto pixel = static_cast<PixelType>(type);
        for (const double step : {1.0, 0.3}) { // of floats: integers, and what needs rounding
            base::AnyImage image =
                test::mapped(test::noise(pixel, {41, 9, 4}, 5), pixel,
                             [&](double v) { return base::isInteger(pixel) ? v : step * v; });
            if (!base::isInteger(pixel)) {
                test::setVoxel(image, {7, 3, 1}, std::nan(""));
                test::setVoxel(image, {39, 8, 3}, HUGE_VAL);
            }
            const base::AnyView scene = base::viewOf(image);
            const base::Box box{{2, 1, 0}, {38, 8, 4}};
            const std::int64_t count = base::voxelCount(box.extents);
            Image<float> single({count, 1, 1}, 0.0F);
            Image<double> fresh({count, 1, 1}, 0.0);
            Image<double> again({count, 1, 1}, 0.0);
            for (const std::string& set : cpu::simd::instructionSets()) {
                cpu::simd::forceInstructionSet(set);
                const auto boxOf = [&](auto& voxels) {
                    return cpu::simd::VoxelBox<std::remove_reference_t<decltype(*voxels.data())>>{
                        voxels.data(), box.extents.x, box.extents.x * box.extents.y};
                };
                const cpu::CentredTile known = cpu::loadCentred(scene, box, 30, boxOf(single));
                const cpu::CentredTile one = cpu::loadCentred(scene, box, 30, boxOf(fresh));
                const cpu::CentredTile two = cpu::loadCentred(scene, box, 30, boxOf(again), &known);
                QVERIFY(std::equal(fresh.data(), fresh.data() + count, again.data()));
                QCOMPARE(two.unit, one.unit);
                QCOMPARE(two.level, one.level);
                QCOMPARE(two.quantum, one.quantum);
                QCOMPARE(two.steps, one.steps);
                QCOMPARE(two.exactSums, one.exactSums);
                QCOMPARE(two.exact, one.exact);
                QVERIFY(two.largestRounding == one.largestRounding);
                QCOMPARE(two.nonFinite, one.nonFinite);
                for (std::int64_t i = 0; i < count; ++i) {
                    const base::Index at{2 + i % 38, 1 + i / 38 % 8, i / (38 * 8)};
                    const double value = base::valueAt(scene, at);
                    const double wanted =
                        std::isfinite(value) ? (value - one.level) / one.unit : 0.0;
                    QVERIFY(std::abs(fresh.data()[i] - wanted) <= 0x1p-52);
                }
            }
            cpu::simd::forceInstructionSet("");
        }
    }

    void energiesAreThoseOfAllLines() {
        for (const Extents& n : {Extents{1, 1, 1}, {5, 3, 1}, {33, 7, 1}, {19, 6, 5}, {16, 1, 9}}) {
            const Image<double> tile = random(n, 6);
            std::vector<double> lines[3];
            lines[0].resize(static_cast<std::size_t>(n.y * n.z));
            lines[1].resize(static_cast<std::size_t>(n.x * n.z));
            lines[2].resize(static_cast<std::size_t>(n.x * n.y));
            double total = 0;
            for (std::int64_t i = 0; i < tile.count(); ++i) {
                const std::int64_t x = i % n.x;
                const std::int64_t y = i / n.x % n.y;
                const std::int64_t z = i / n.x / n.y;
                const double square = tile.data()[i] * tile.data()[i];
                total += square;
                lines[0][static_cast<std::size_t>(z * n.y + y)] +=
                    square / static_cast<double>(n.x);
                lines[1][static_cast<std::size_t>(z * n.x + x)] +=
                    square / static_cast<double>(n.y);
                lines[2][static_cast<std::size_t>(y * n.x + x)] +=
                    square / static_cast<double>(n.z);
            }
            double largest = 0;
            for (std::size_t axis = 0; axis < (n.z > 1 ? 3U : 2U); ++axis) {
                largest =
                    std::max(largest, *std::max_element(lines[axis].begin(), lines[axis].end()));
            }
            for (const std::string& set : cpu::simd::instructionSets()) {
                cpu::simd::forceInstructionSet(set);
                const method::shared::TileEnergy found = cpu::simd::lineEnergy(tile.data(), n);
                QVERIFY(std::abs(found.largestMeanSquare - largest) <= 1e-14 * largest);
                QVERIFY(std::abs(found.total - total) <= 1e-14 * total);
            }
            cpu::simd::forceInstructionSet("");
        }
    }

    // Each line in turn is the only bright one.
    void noLineIsLeftOutOfTheEnergies() {
        for (const Extents& n : {Extents{5, 3, 1}, {33, 7, 1}, {19, 6, 5}, {3, 2, 4}}) {
            const std::int64_t lengths[] = {n.x, n.y, n.z};
            const std::int64_t steps[] = {1, n.x,
                                          n.x * n.y}; // from one voxel of a line to the next
            Image<double> tile({base::voxelCount(n), 1, 1});
            Image<float> single({base::voxelCount(n), 1, 1});
            for (std::size_t axis = 0; axis < (n.z > 1 ? 3U : 2U); ++axis) {
                for (std::int64_t i = 0; i < tile.count(); ++i) {
                    if (i / steps[axis] % lengths[axis] != 0) {
                        continue; // no line begins here
                    }
                    tile.fill(0.0);
                    single.fill(0.0F);
                    for (std::int64_t k = 0; k < lengths[axis]; ++k) {
                        tile.data()[i + k * steps[axis]] = 1;
                        single.data()[i + k * steps[axis]] = 1;
                    }
                    for (const std::string& set : cpu::simd::instructionSets()) {
                        cpu::simd::forceInstructionSet(set);
                        const auto energies = {cpu::simd::lineEnergy(tile.data(), n),
                                               cpu::simd::lineEnergy(single.data(), n)};
                        for (const method::shared::TileEnergy& found : energies) {
                            QCOMPARE(found.largestMeanSquare, 1.0);
                            QCOMPARE(found.total, static_cast<double>(lengths[axis]));
                        }
                    }
                    cpu::simd::forceInstructionSet("");
                }
            }
        }
    }
};

const flcc::test::TestClass<TileTransformTest> kTileTransformTest;
#include "tile_transform_test.moc"
