#include "tests/engine/cpu/bound_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/support/comparison.h"
#include "tests/support/oracle.h"

namespace flcc::test {

namespace {

using base::Extents;
using base::Index;
using base::PixelType;

/// One of each method and some more, by chance.
std::vector<Way> someWays(const Submitted& submitted, Random& random) {
    std::vector<Way> ways;
    for (const Way& way : waysFor(submitted.scene, submitted.templ)) {
        if (way.precision == method::Precision::Single &&
            (!way.recompute || random.below(4) == 0)) { // !recompute: the first of each method
            ways.push_back(way);
            ways.back().recompute = false;
        } else if (way.precision == method::Precision::Double && !way.recompute &&
                   random.below(3) == 0) {
            ways.push_back(way);
        }
    }
    return ways;
}

/// The largest and smallest value of a pixel type that scenes may use.
std::pair<double, double> rangeOf(PixelType type) {
    switch (type) {
    case PixelType::UInt8:
        return {0, 255};
    case PixelType::Int8:
        return {-128, 127};
    case PixelType::UInt16:
        return {0, 65535};
    case PixelType::Int16:
        return {-32768, 32767};
    case PixelType::UInt32:
        return {0, 4294967295.0};
    case PixelType::Int32:
        return {-2147483648.0, 2147483647.0};
    case PixelType::UInt64:
        return {0, 0x1p62};
    case PixelType::Int64:
        return {-0x1p62, 0x1p62};
    default:
        return {-1e12, 1e12};
    }
}

Extents randomExtents(Random& random, bool volume) {
    const auto side = [&random](double largest) { // log-uniform
        return static_cast<std::int64_t>(std::exp(random.uniform() * std::log(largest + 0.99)));
    };
    return volume ? Extents{side(36), side(36), side(30)} : Extents{side(170), side(150), 1};
}

/// `scene` with contrast and offset by chance, as voxels of `type`.
base::AnyImage inRange(const base::AnyImage& scene, PixelType type, Random& random) {
    const auto [low, high] = rangeOf(type);
    const bool whole = base::isInteger(type);
    const double contrast = whole ? std::exp2(random.uniform() * std::log2((high - low) / 60))
                                  : std::exp2(80 * random.uniform() - 40);
    const double offset =
        whole ? low + random.uniform() * (high - low)
              : (random.uniform() - 0.5) * contrast * std::exp2(30 * random.uniform());
    return mapped(scene, type, [&](double v) { return offset + contrast * v; });
}

/// A pattern of 0 and 1 that repeats along the axes it varies along, or steps once, or is 1 on one
/// line or plane, often where the roots of unity are simple.
class Pattern {
  public:
    Pattern(const Extents& extents, Random& random) : m_checks(random.below(3) == 0) {
        const std::array<std::int64_t, 3> lengths{extents.x, extents.y, extents.z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t length = lengths.at(axis);
            const auto kind = random.below(4);
            m_periods.at(axis) =
                kind < 2 ? 2 * length : 2 + random.below(std::min(length, kLongest));
            m_high.at(axis) = 1 + random.below(std::min(m_periods.at(axis) - 1, length));
            if (kind == 0) {
                m_high.at(axis) = 1;
                m_first.at(axis) =
                    random.below(3) > 0 ? random.below(4) * length / 4 : random.below(length);
            }
        }
        m_axis = extents.z > 1 ? random.below(3) : random.below(2);
    }

    [[nodiscard]] bool at(const Index& i) const {
        const auto isHigh = [this](std::int64_t at, std::size_t axis) {
            return (at - m_first.at(axis) + m_periods.at(axis)) % m_periods.at(axis) <
                   m_high.at(axis);
        };
        const std::array<bool, 3> high{isHigh(i.x, 0), isHigh(i.y, 1), isHigh(i.z, 2)};
        return m_checks ? high[0] != high[1] : high.at(static_cast<std::size_t>(m_axis));
    }

  private:
    static constexpr std::int64_t kLongest = 24;
    bool m_checks;
    std::int64_t m_axis = 0;
    std::array<std::int64_t, 3> m_periods{};
    std::array<std::int64_t, 3> m_high{};
    std::array<std::int64_t, 3> m_first{};
};

/// Runs `way` with promises that fall by `step` down to `least`, without recomputing.
void searchWay(Judge& runner, Way way, const Submitted& submitted, const Samples& exact,
               double step, double least, BoundSearch& search) {
    const bool inDouble = way.precision == method::Precision::Double;
    way.recompute = false;
    for (way.promise = inDouble ? 0x1p-14 : 0x1p-2; way.promise >= least; way.promise /= step) {
        const MethodRun run = runner.run(way, base::viewOf(submitted.scene), submitted.masked());
        for (std::size_t i = 0; i < exact.corners.size() && search.fault.empty(); ++i) {
            const Index& corner = exact.corners[i];
            if (run.map.status.view().at(corner) != base::Status::Ok ||
                exact.scores[i].status != base::Status::Ok) {
                continue;
            }
            const double score = inDouble ? run.map.exact.view().at(corner)
                                          : static_cast<double>(run.map.value.view().at(corner));
            const double share = std::fabs(score - exact.scores[i].value) / way.promise;
            if (share > search.worst) {
                search.worst = share;
                search.worstWay = way.words();
            }
            if (!(share <= 1)) {
                search.fault = way.words() + ", voxel " + base::toString(corner) + ", exact " +
                               std::to_string(exact.scores[i].value) + ", error " +
                               std::to_string(share) + " of a bound below " +
                               std::to_string(way.promise);
            }
        }
    }
}

} // namespace

void searchBeyondBounds(const Submitted& submitted, int count, std::uint64_t seed,
                        BoundSearch& search) {
    Random random(seed);
    const base::AnyView scene = base::viewOf(submitted.scene);
    const base::AnyView templ = base::viewOf(submitted.templ);
    Samples exact;
    const Oracle oracle(templ);
    for (int i = 0; i < count; ++i) {
        exact.corners.push_back(random.corner(base::extentsOf(scene), base::extentsOf(templ)));
        exact.scores.push_back(oracle.at(scene, exact.corners.back()));
    }
    Judge runner(plan::methods(), 2);
    for (const Way& way : someWays(submitted, random)) {
        // The oracle is right to 2^-53.
        const bool inDouble = way.precision == method::Precision::Double;
        searchWay(runner, way, submitted, exact, 2, inDouble ? 0x1p-46 : 0x1p-22, search);
    }
    search.voxels += count;
}

void searchWholeMaps(const Submitted& submitted, BoundSearch& search, std::string_view method,
                     double step) {
    Judge runner(plan::methods(), 2);
    Samples exact;
    std::vector<Way> ways = waysFor(submitted.scene, submitted.masked());
    const auto direct = std::find_if(ways.begin(), ways.end(), [](const Way& way) {
        return way.method->name() == "direct" && way.precision == method::Precision::Double;
    });
    const MethodRun run = runner.run(*direct, base::viewOf(submitted.scene), submitted.masked());
    const auto& status = run.map.status.view();
    const Extents& map = status.extents();
    for (std::int64_t i = 0; i < base::voxelCount(map); ++i) {
        const Index at{i % map.x, i / map.x % map.y, i / (map.x * map.y)};
        exact.corners.push_back(at);
        exact.scores.push_back({run.map.exact.view().at(at), status.at(at)});
    }
    for (const Way& way : ways) {
        if (way.precision == method::Precision::Single && way.recompute &&
            (method.empty() || way.method->name() == method)) {
            searchWay(runner, way, submitted, exact, step, 1e-6, search);
        }
    }
    search.voxels += base::voxelCount(map);
}

Submitted problemForBounds(std::uint64_t seed) {
    Random random(seed);
    const bool volume = random.below(4) == 0;
    const Extents n = volume ? Extents{24 + random.below(16), 24 + random.below(16), 20}
                             : Extents{60 + random.below(90), 60 + random.below(90), 1};
    const Extents m = volume ? Extents{3 + random.below(5), 3 + random.below(5), 4}
                             : Extents{3 + random.below(20), 3 + random.below(20), 1};
    const auto kind = static_cast<int>(random.below(kKinds + 4));
    if (kind < kKinds) {
        return problemOfKind(kind, seed);
    }
    if (kind == kKinds || kind == kKinds + 1) {
        const bool wide = kind == kKinds;
        base::AnyImage scene = wide ? oneCountOver(PixelType::Int32, n, 1 << 24, random.bits())
                                    : oneCountOver(PixelType::UInt16, n, 60000, random.bits());
        base::AnyImage templ = templateFor(scene, m, random);
        return {std::move(scene), std::move(templ)};
    }
    const bool along = kind == kKinds + 2;
    const auto stripes = [&](const Extents& extents, double frequency) {
        return makeScene(PixelType::Float32, extents, [&](const Index& i) {
            return std::sin(frequency * static_cast<double>(along ? i.y : i.x));
        });
    };
    return {stripes(n, 3 * random.uniform() + 0.05), stripes(m, 3 * random.uniform() + 0.05)};
}

Submitted problemOfPatterns(std::uint64_t seed) {
    Random random(seed);
    const bool volume = random.below(4) == 0;
    const std::int64_t most = volume ? 40 : 300;
    const auto side = [&] { return most / 3 + random.below(most - most / 3); };
    const auto few = [&] { return 2 + random.below(most / 3); };
    const bool large = random.below(2) == 0;
    const Extents m = large ? Extents{side(), side(), volume ? side() : 1}
                            : Extents{few(), few(), volume ? few() : 1};
    const auto around = [&](std::int64_t length) { return length + 1 + random.below(length + 30); };
    const Extents n{around(m.x), around(m.y), volume ? around(m.z) : 1};
    constexpr std::array kTypes{PixelType::UInt8, PixelType::UInt16, PixelType::Int32,
                                PixelType::Float32};
    const PixelType type = kTypes.at(static_cast<std::size_t>(random.below(kTypes.size())));
    const bool whole = base::isInteger(type);
    const double highest = type == PixelType::UInt8 ? 200 : type == PixelType::UInt16 ? 60000 : 1e6;
    const double height = std::floor(std::exp(std::sqrt(random.uniform()) * std::log(highest)));
    const double contrast = std::floor(std::exp(random.uniform() * std::log(50.0)));
    const double scale = whole ? 1 : 0.1;
    const bool rough = random.below(3) == 0;
    const Pattern levels(n, random);
    base::AnyImage scene = makeScene(type, n, [&](const Index& i) {
        const double level = rough ? std::floor(height * random.uniform()) : height;
        return scale *
               (1 + (levels.at(i) ? level : 0) + std::floor(random.uniform() * (contrast + 1)));
    });
    const Pattern own(m, random);
    const double low = scale * static_cast<double>(random.below(100));
    const double difference = scale * static_cast<double>(1 + random.below(100));
    base::AnyImage templ =
        makeScene(type, m, [&](const Index& i) { return low + (own.at(i) ? difference : 0); });
    setVoxel(templ, {0, 0, 0}, low + (own.at({0, 0, 0}) ? 0 : difference)); // not constant
    return {std::move(scene), std::move(templ)};
}

std::string judgeRandom(std::uint64_t seed) {
    Random random(seed);
    const bool volume = random.below(3) == 0;
    Extents n = randomExtents(random, volume);
    Extents m{1 + random.below(std::min<std::int64_t>(n.x, 40)),
              1 + random.below(std::min<std::int64_t>(n.y, 40)),
              1 + random.below(std::min<std::int64_t>(n.z, 12))};
    if (base::voxelCount(m) < 2) {
        n.x += 2;
        m.x = 2;
    }
    constexpr std::array kTypes{PixelType::UInt8,   PixelType::Int8,   PixelType::UInt16,
                                PixelType::Int16,   PixelType::UInt32, PixelType::Int32,
                                PixelType::UInt64,  PixelType::Int64,  PixelType::Float32,
                                PixelType::Float32, PixelType::Float64};
    const PixelType type = kTypes.at(static_cast<std::size_t>(random.below(kTypes.size())));
    const auto kind = static_cast<int>(random.below(kKinds));
    base::AnyImage scene = inRange(sceneOfKind(kind, n, random.bits()), type, random);
    const base::AnyImage templ = templateFor(scene, m, random);
    if (!base::isInteger(type) && random.below(4) == 0) {
        const double bad = random.below(2) == 0 ? std::nan("") : HUGE_VAL;
        for (std::int64_t i = 1 + random.below(4); i > 0; --i) {
            setVoxel(scene, random.corner(n, {1, 1, 1}), bad);
        }
    }
    const std::vector<std::string> sets = plan::instructionSets();
    const std::string& set =
        sets.at(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(sets.size()))));
    const plan::InstructionSetLimit limit(set);
    const std::string fault = judgeAll(scene, templ);
    return fault.empty() ? fault
                         : "seed " + std::to_string(seed) + ", kind " + std::to_string(kind) +
                               ", " + set + ": " + fault;
}

} // namespace flcc::test
