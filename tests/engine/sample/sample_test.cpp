#include <QCryptographicHash>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/rotation/turn.h"
#include "engine/sample/sample.h"
#include "tests/support/test_class.h"

using namespace flcc;

namespace {

QByteArray hashOf(const base::AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            const auto bytes = typed.count() * static_cast<std::int64_t>(sizeof(*typed.data()));
            return QCryptographicHash::hash(
                       QByteArrayView(reinterpret_cast<const char*>(typed.data()), bytes),
                       QCryptographicHash::Sha256)
                .toHex();
        },
        image);
}

/// The voxels as double.
base::Image<double> asDouble(const base::AnyImage& image) {
    base::Image<double> result(base::extentsOf(image));
    std::visit(
        [&](const auto& typed) {
            for (std::int64_t i = 0; i < typed.count(); ++i) {
                result.data()[i] = static_cast<double>(typed.data()[i]);
            }
        },
        image);
    return result;
}

/// LCC of the template at `corner` by its definition.
double correlationAt(const base::Image<double>& scene, const base::Image<double>& templ,
                     const base::Index& corner) {
    const base::View<const double> panel = scene.view().part({corner, templ.extents()});
    const base::Extents& m = templ.extents();
    const auto count = static_cast<double>(templ.count());
    double sceneMean = 0;
    double templMean = 0;
    const auto forEachRow = [&](auto visit) {
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                visit(panel.row(y, z), templ.view().row(y, z));
            }
        }
    };
    forEachRow([&](const double* s, const double* t) {
        for (std::int64_t x = 0; x < m.x; ++x) {
            sceneMean += s[x] / count;
            templMean += t[x] / count;
        }
    });
    double product = 0;
    double scenePower = 0;
    double templPower = 0;
    forEachRow([&](const double* s, const double* t) {
        for (std::int64_t x = 0; x < m.x; ++x) {
            product += (s[x] - sceneMean) * (t[x] - templMean);
            scenePower += (s[x] - sceneMean) * (s[x] - sceneMean);
            templPower += (t[x] - templMean) * (t[x] - templMean);
        }
    });
    return product / std::sqrt(scenePower * templPower);
}

/// The same under a support.
double supportedCorrelation(const base::Image<double>& scene, const base::Image<double>& templ,
                            const base::Image<std::uint8_t>& support, const base::Index& corner) {
    std::vector<std::pair<double, double>> pairs;
    double sceneMean = 0;
    double templMean = 0;
    for (std::int64_t i = 0; i < templ.count(); ++i) {
        const base::Extents& m = templ.extents();
        const base::Index at{corner.x + i % m.x, corner.y + i / m.x % m.y,
                             corner.z + i / (m.x * m.y)};
        if (support.data()[i] != 0 && base::contains(scene.extents(), {at, {1, 1, 1}})) {
            pairs.emplace_back(scene.view().at(at), templ.data()[i]);
            sceneMean += pairs.back().first;
            templMean += pairs.back().second;
        }
    }
    sceneMean /= static_cast<double>(pairs.size());
    templMean /= static_cast<double>(pairs.size());
    double product = 0;
    double scenePower = 0;
    double templPower = 0;
    for (const auto& [s, t] : pairs) {
        product += (s - sceneMean) * (t - templMean);
        scenePower += (s - sceneMean) * (s - sceneMean);
        templPower += (t - templMean) * (t - templMean);
    }
    return product / std::sqrt(scenePower * templPower);
}

/// First voxel of the placement whose centre is nearest to `centre`.
base::Index nearestCorner(const base::Point& centre, const base::Extents& m) {
    const auto corner = [](double middle, std::int64_t length) {
        return static_cast<std::int64_t>(
            std::lround(middle - 0.5 * static_cast<double>(length - 1)));
    };
    return {corner(centre[0], m.x), corner(centre[1], m.y), corner(centre[2], m.z)};
}

double varianceOf(const base::AnyView& view) {
    const base::Extents n = base::extentsOf(view);
    const auto count = static_cast<double>(base::voxelCount(n));
    double sum = 0;
    double squares = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const double value = base::valueAt(view, {x, y, z});
                sum += value;
                squares += value * value;
            }
        }
    }
    return squares / count - sum / count * (sum / count);
}

/// The shift within a voxel at which the parabola through three scores is highest.
double parabolaTop(double before, double middle, double after) {
    return 0.5 * (before - after) / (before - 2 * middle + after);
}

} // namespace

class SampleTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everySample_data() {
        QTest::addColumn<QString>("name");
        for (const sample::SampleInfo& info : sample::sampleList()) {
            QTest::newRow(std::string(info.name).c_str())
                << QString::fromStdString(std::string(info.name));
        }
    }

    void everyUprightSample_data() {
        QTest::addColumn<QString>("name");
        for (const sample::SampleInfo& info : sample::sampleList()) {
            if (!info.turned) {
                QTest::newRow(std::string(info.name).c_str())
                    << QString::fromStdString(std::string(info.name));
            }
        }
    }

    void theListNamesFiveSamplesWithTitles() {
        QCOMPARE(sample::sampleList().size(), std::size_t{5});
        for (const sample::SampleInfo& info : sample::sampleList()) {
            QVERIFY(!info.title.empty());
        }
    }

    void theBitsNeverChange_data() { everySample_data(); }
    void theBitsNeverChange() {
        QFETCH(QString, name);
        const std::map<std::string, QByteArray> expected{
            {"cells", "aad0bd494c6acf625ca34e9bf3cd7323938775da236cab78c5612e58f0ddcc7c"},
            {"tomogram", "4e5ffb41cc128efd4fd15e18301e55ea85353bc4b4291e49d8b8a11d39f7d406"},
            {"turned-cells", "686bb7eb3acfa8f4ed1d05669d5330595de83c86bf6f35f19524d621b7796b71"},
            {"turned-complexes",
             "fa456a7af6ab6731761aa703b7aff5af4c8d847c1102322e63b6031eaabe0810"},
            {"tiny", "8c0751b446ea3bb8b4ee5be804bd0939bc3d54db2ee5c92133b459df93bfbbbf"}};
        const sample::Sample sample = sample::makeSample(name.toStdString());
        QCOMPARE(hashOf(sample.scene), expected.at(name.toStdString()));
    }

    void extentsAndTypesAreThoseOfTheList() {
        const sample::Sample cells = sample::makeSample("cells");
        QVERIFY((base::extentsOf(cells.scene) == base::Extents{1024, 1024, 1}));
        QCOMPARE(base::pixelType(cells.scene), base::PixelType::UInt16);
        QCOMPARE(cells.centres.size(), std::size_t{40});
        const sample::Sample tomogram = sample::makeSample("tomogram");
        QVERIFY((base::extentsOf(tomogram.scene) == base::Extents{192, 192, 96}));
        QCOMPARE(base::pixelType(tomogram.scene), base::PixelType::Float32);
        QCOMPARE(tomogram.centres.size(), std::size_t{30});
        const sample::Sample tiny = sample::makeSample("tiny");
        QCOMPARE(base::pixelType(tiny.scene), base::PixelType::UInt8);
        for (const sample::SampleInfo& info : sample::sampleList()) {
            QVERIFY(base::extentsOf(sample::makeSample(info.name).scene) == info.extents);
        }
    }

    void copiesLieInsideAndApart_data() { everySample_data(); }
    void copiesLieInsideAndApart() {
        QFETCH(QString, name);
        const sample::Sample sample = sample::makeSample(name.toStdString());
        const base::Extents m = base::extentsOf(sample.templ);
        const base::Extents n = base::extentsOf(sample.scene);
        for (std::size_t i = 0; i < sample.centres.size(); ++i) {
            const base::Index corner = nearestCorner(sample.centres[i], m);
            QVERIFY(base::contains(n, {corner, m}));
            for (std::size_t k = 0; k < i; ++k) {
                const base::Point& a = sample.centres[i];
                const base::Point& b = sample.centres[k];
                const bool apart = std::abs(a[0] - b[0]) > static_cast<double>(m.x) ||
                                   std::abs(a[1] - b[1]) > static_cast<double>(m.y) ||
                                   std::abs(a[2] - b[2]) > static_cast<double>(m.z);
                QVERIFY2(apart, qPrintable(QString("copies %1 and %2").arg(i).arg(k)));
            }
        }
    }

    void theCorrelationIsHighestAtEveryPlantedPlace_data() { everyUprightSample_data(); }
    void theCorrelationIsHighestAtEveryPlantedPlace() {
        QFETCH(QString, name);
        const sample::Sample sample = sample::makeSample(name.toStdString());
        const base::Image<double> scene = asDouble(sample.scene);
        const base::Image<double> templ = asDouble(sample.templ);
        const base::Extents m = base::extentsOf(sample.templ);
        double meanError = 0;
        for (const base::Point& centre : sample.centres) {
            const base::Index nearest = nearestCorner(centre, m);
            base::Index best = nearest;
            double top = -2;
            const std::int64_t depth = m.z > 1 ? 1 : 0;
            for (std::int64_t z = -depth; z <= depth; ++z) {
                for (std::int64_t y = -1; y <= 1; ++y) {
                    for (std::int64_t x = -1; x <= 1; ++x) {
                        const base::Index corner{nearest.x + x, nearest.y + y, nearest.z + z};
                        const bool inside = base::contains(scene.extents(), base::Box{corner, m});
                        const double score = inside ? correlationAt(scene, templ, corner) : -1;
                        if (score > top) {
                            top = score;
                            best = corner;
                        }
                    }
                }
            }
            // One part signal and the stated noise: sqrt(1/2) and sqrt(1/5); far above 0.2.
            QVERIFY2(top > 0.3, qPrintable(QString::number(top)));
            const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                return correlationAt(scene, templ, {best.x + x, best.y + y, best.z + z});
            };
            double squared = 0;
            const auto addAxis = [&](double before, double after, std::int64_t corner,
                                     std::int64_t length, double truth) {
                const double found = static_cast<double>(corner) +
                                     0.5 * static_cast<double>(length - 1) +
                                     parabolaTop(before, top, after);
                squared += (found - truth) * (found - truth);
            };
            addAxis(at(-1, 0, 0), at(1, 0, 0), best.x, m.x, centre[0]);
            addAxis(at(0, -1, 0), at(0, 1, 0), best.y, m.y, centre[1]);
            if (m.z > 1) {
                addAxis(at(0, 0, -1), at(0, 0, 1), best.z, m.z, centre[2]);
            }
            QVERIFY2(std::sqrt(squared) < 0.5, qPrintable(QString::number(std::sqrt(squared))));
            meanError += std::sqrt(squared) / static_cast<double>(sample.centres.size());
        }
        QVERIFY2(meanError < 0.2, qPrintable(QString::number(meanError)));
    }

    void noPlaceWithoutACopyScoresNearAPlantedOne() {
        // Every placement of the small picture; the large ones are searched by the tests of jobs.
        const sample::Sample sample = sample::makeSample("tiny");
        const base::Image<double> scene = asDouble(sample.scene);
        const base::Image<double> templ = asDouble(sample.templ);
        const base::Extents m = templ.extents();
        const base::Extents map = base::validExtents(scene.extents(), m);
        double planted = 2;
        for (const base::Point& centre : sample.centres) {
            planted = std::min(planted, correlationAt(scene, templ, nearestCorner(centre, m)));
        }
        double elsewhere = -2;
        for (std::int64_t y = 0; y < map.y; ++y) {
            for (std::int64_t x = 0; x < map.x; ++x) {
                const bool near = std::any_of(
                    sample.centres.begin(), sample.centres.end(), [&](const base::Point& centre) {
                        const base::Index corner = nearestCorner(centre, m);
                        return std::abs(corner.x - x) <= m.x / 2 &&
                               std::abs(corner.y - y) <= m.y / 2;
                    });
                if (!near) {
                    elsewhere = std::max(elsewhere, correlationAt(scene, templ, {x, y, 0}));
                }
            }
        }
        QVERIFY2(planted > elsewhere + 0.2,
                 qPrintable(QString("%1 %2").arg(planted).arg(elsewhere)));
    }

    void everyTurnedCopyLiesAsItsPoseSays_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("image") << "turned-cells";
        QTest::newRow("volume") << "turned-complexes";
    }
    void everyTurnedCopyLiesAsItsPoseSays() {
        QFETCH(QString, name);
        const sample::Sample sample = sample::makeSample(name.toStdString());
        QCOMPARE(sample.poses.size(), sample.centres.size());
        const base::Image<double> scene = asDouble(sample.scene);
        const bool flat = scene.extents().z == 1;
        const rotation::Turner turner(base::viewOf(sample.templ), {}, flat, true);
        for (std::size_t i = 0; i < sample.centres.size(); ++i) {
            // As it lies, and half a step of ten degrees and more away from it.
            const auto scoreOf = [&](const rotation::Quaternion& by) {
                rotation::Pose pose = sample.poses[i];
                pose.turn = rotation::product(by, pose.turn);
                const rotation::Frame frame = turner.frameOf(pose);
                const rotation::TurnedTemplate made = turner.turned(pose, frame);
                const auto corner = [&](std::size_t axis) {
                    return std::llround(sample.centres[i][axis] - frame.centre[axis]);
                };
                return supportedCorrelation(scene, std::get<base::Image<double>>(made.pixels),
                                            made.support,
                                            base::Index{corner(0), corner(1), corner(2)});
            };
            const double right = scoreOf({});
            QVERIFY2(right > 0.5, qPrintable(QString::number(right)));
            for (const double degrees : {-40.0, 40.0, 180.0}) {
                for (const base::Point& axis :
                     {base::Point{0, 0, 1}, base::Point{1, 0, 0}, base::Point{0, 1, 0}}) {
                    if (!flat || axis[2] == 1) {
                        QVERIFY(scoreOf(rotation::aboutAxis(axis, degrees)) < right);
                    }
                }
            }
        }
    }

    void theNoiseIsAsStrongAsSaid() {
        // Differences of neighbours along x in a part without copies: twice the noise variance,
        // times the square of the light, which is between 0.55 and 1.
        const sample::Sample tomogram = sample::makeSample("tomogram");
        const auto& scene = std::get<base::Image<float>>(tomogram.scene);
        double power = 0;
        std::int64_t count = 0;
        for (std::int64_t z = 0; z < 96; ++z) {
            for (std::int64_t x = 0; x < 192; x += 2) {
                const double difference = static_cast<double>(scene.view().at(x, 0, z)) -
                                          static_cast<double>(scene.view().at(x + 1, 0, z));
                power += difference * difference;
                ++count;
            }
        }
        const double noise = power / (2 * static_cast<double>(count));
        const double ratio = noise / varianceOf(base::viewOf(tomogram.templ));
        // The relative deviation of a variance of n normal numbers is sqrt(2/n); five of them.
        QVERIFY2(std::abs(ratio / 4 - 1) < 5 * std::sqrt(2.0 / static_cast<double>(count)),
                 qPrintable(QString::number(ratio)));
    }

    void anUnknownNameIsRefusedWithTheKnownOnes() {
        try {
            (void)sample::makeSample("nothing");
            QFAIL("no error");
        } catch (const base::Error& error) {
            QCOMPARE(error.code(), base::ErrorCode::CommandLine);
            QVERIFY(std::string(error.what()).find("tomogram") != std::string::npos);
        }
    }
};

const flcc::test::TestClass<SampleTest> kSampleTest;
#include "sample_test.moc"
