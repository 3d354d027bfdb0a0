#include "engine/sample/sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/sample/detail/recipe.h"

// Only +, -, *, / and sqrt are used: IEEE 754 fixes their bits, whereas exp and sin differ between
// libraries.

namespace flcc::sample {

namespace {

using base::Extents;
using base::Point;
using base::Random;
using detail::Ball;
using detail::Recipe;

double squaredDistance(const Point& a, const Point& b) {
    const double x = a[0] - b[0];
    const double y = a[1] - b[1];
    const double z = a[2] - b[2];
    return x * x + y * y + z * z;
}

Point pointAt(std::int64_t x, std::int64_t y, std::int64_t z) {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

Point middleOf(const Extents& extents) {
    return {0.5 * static_cast<double>(extents.x - 1), 0.5 * static_cast<double>(extents.y - 1),
            0.5 * static_cast<double>(extents.z - 1)};
}

/// The shape at a point relative to its centre.
double shapeAt(const Recipe& recipe, const Point& point) {
    double sum = 0;
    for (const Ball& ball : recipe.shape) {
        const double inside =
            (ball.radius - std::sqrt(squaredDistance(point, ball.centre))) / recipe.edge;
        const double t = std::clamp(0.5 + 0.5 * inside, 0.0, 1.0);
        sum += ball.value * (t * t * (3 - 2 * t));
    }
    return sum;
}

/// Where a point of a pose lies in the shape: M^T v / scale.
Point unposed(const rotation::Matrix& m, double scale, const Point& v) {
    return {(m[0] * v[0] + m[3] * v[1] + m[6] * v[2]) / scale,
            (m[1] * v[0] + m[4] * v[1] + m[7] * v[2]) / scale,
            (m[2] * v[0] + m[5] * v[1] + m[8] * v[2]) / scale};
}

/// The extents that a copy may need in any pose.
Extents reachOf(const Recipe& recipe) {
    const Extents& m = recipe.templ;
    if (!recipe.turned) {
        return m;
    }
    const double diagonal =
        recipe.largest *
        std::sqrt(squaredDistance({0, 0, 0}, pointAt(m.x, m.y, m.z > 1 ? m.z : 0)));
    const auto edge = static_cast<std::int64_t>(diagonal) + 1;
    return {edge, edge, m.z > 1 ? edge : 1};
}

/// A random pose: turns are uniform.
rotation::Pose drawPose(const Recipe& recipe, Random& random) {
    rotation::Pose pose;
    const auto part = [&] { return random.uniform(-1, 1); };
    if (recipe.extents.z == 1) {
        double x = part();
        double y = part();
        while (x * x + y * y > 1 || x * x + y * y < 0.01) {
            x = part();
            y = part();
        }
        const double cosine = x / std::sqrt(x * x + y * y);
        const double half = std::sqrt((1 - cosine) / 2);
        pose.turn = {std::sqrt((1 + cosine) / 2), 0, 0, y < 0 ? -half : half};
    } else {
        std::array<double, 4> q{};
        double square = 2;
        while (square > 1 || square < 0.01) {
            square = 0;
            for (double& each : q) {
                each = part();
                square += each * each;
            }
        }
        const double length = std::sqrt(square);
        pose.turn = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    }
    pose.scale = random.uniform(recipe.smallest, recipe.largest);
    return pose;
}

/// Adds amplitude * shape in a pose around `centre`, over a box of the template's extents, or of
/// all poses, and one more voxel.
void plant(base::Image<double>& target, const Recipe& recipe, const Point& centre,
           const rotation::Pose& pose = {}) {
    const rotation::Matrix turn = rotation::matrixOf(pose.turn);
    const auto low = [](double middle, std::int64_t m) {
        return std::max<std::int64_t>(0,
                                      static_cast<std::int64_t>(middle) - (m == 1 ? 0 : m / 2 + 1));
    };
    const auto high = [](double middle, std::int64_t m, std::int64_t n) {
        return std::min(n - 1, static_cast<std::int64_t>(middle) + (m == 1 ? 0 : m / 2 + 2));
    };
    const Extents& n = target.extents();
    const Extents m = reachOf(recipe);
    for (std::int64_t z = low(centre[2], m.z); z <= high(centre[2], m.z, n.z); ++z) {
        for (std::int64_t y = low(centre[1], m.y); y <= high(centre[1], m.y, n.y); ++y) {
            double* row = target.view().row(y, z);
            for (std::int64_t x = low(centre[0], m.x); x <= high(centre[0], m.x, n.x); ++x) {
                const Point voxel = pointAt(x, y, z);
                const Point way{voxel[0] - centre[0], voxel[1] - centre[1], voxel[2] - centre[2]};
                row[x] += recipe.amplitude *
                          shapeAt(recipe, recipe.turned ? unposed(turn, pose.scale, way) : way);
            }
        }
    }
}

double varianceOf(const base::Image<double>& image) {
    const auto count = static_cast<double>(image.count());
    double mean = 0;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        mean += image.data()[i] / count;
    }
    double variance = 0;
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const double difference = image.data()[i] - mean;
        variance += difference * difference / count;
    }
    return variance;
}

/// Returns centres whose template boxes lie inside the scene and that are at least `distance`
/// apart.
std::vector<Point> scatter(const Recipe& recipe, Random& random) {
    const auto coordinate = [&](std::int64_t n, std::int64_t m) {
        const double margin = 0.5 * static_cast<double>(m) + 1; // of the reach of a copy
        return n == 1 ? 0.0 : random.uniform(margin, static_cast<double>(n - 1) - margin);
    };
    const Extents reach = reachOf(recipe);
    std::vector<Point> centres;
    while (static_cast<int>(centres.size()) < recipe.copies) {
        const double x = coordinate(recipe.extents.x, reach.x);
        const double y = coordinate(recipe.extents.y, reach.y);
        const double z = coordinate(recipe.extents.z, reach.z);
        const Point centre{x, y, z};
        const bool free = std::none_of(centres.begin(), centres.end(), [&](const Point& other) {
            return squaredDistance(centre, other) < recipe.distance * recipe.distance;
        });
        if (free) {
            centres.push_back(centre);
        }
    }
    return centres;
}

/// Wide smooth hills, stretched to run from the lowest to the highest value of the recipe.
base::Image<double> makeBackground(const Recipe& recipe, Random& random) {
    constexpr int kHills = 7;
    const Extents& n = recipe.extents;
    const auto longest = static_cast<double>(std::max({n.x, n.y, n.z}));
    std::vector<Ball> hills;
    for (int i = 0; i < kHills; ++i) {
        const double x = random.uniform(-0.1, 1.1) * static_cast<double>(n.x);
        const double y = random.uniform(-0.1, 1.1) * static_cast<double>(n.y);
        const double z = random.uniform(0, 1) * static_cast<double>(n.z - 1);
        const double radius = random.uniform(0.45, 0.7) * longest;
        hills.push_back({{x, y, z}, radius, random.uniform(0.5, 1)});
    }
    base::Image<double> field(n);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                double sum = 0;
                for (const Ball& hill : hills) {
                    const double share = squaredDistance(pointAt(x, y, z), hill.centre) /
                                         (hill.radius * hill.radius);
                    sum += share < 1 ? hill.value * (1 - share) * (1 - share) : 0.0;
                }
                field.view().at(x, y, z) = sum;
                low = std::min(low, sum);
                high = std::max(high, sum);
            }
        }
    }
    const double scale = (recipe.backgroundHigh - recipe.backgroundLow) / (high - low);
    for (std::int64_t i = 0; i < field.count(); ++i) {
        field.data()[i] = recipe.backgroundLow + scale * (field.data()[i] - low);
    }
    return field;
}

/// Adds noise and multiplies by the light, which falls off from a lamp beside the middle.
void addNoiseAndLight(base::Image<double>& scene, const Recipe& recipe, double deviation,
                      Random& random) {
    const Extents& n = scene.extents();
    const Point middle = middleOf(n);
    const Point lamp{0.8 * middle[0], 0.9 * middle[1], middle[2]};
    const double farthest = squaredDistance(pointAt(n.x, n.y, n.z), lamp);
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            double* row = scene.view().row(y, z);
            for (std::int64_t x = 0; x < n.x; ++x) {
                const double light =
                    1 - recipe.vignette * squaredDistance(pointAt(x, y, z), lamp) / farthest;
                row[x] = light * (row[x] + deviation * random.normal());
            }
        }
    }
}

/// Rounds to integers, and clamps, where the pixel type asks for it.
base::AnyImage converted(const base::Image<double>& source, base::PixelType type) {
    base::AnyImage result = base::makeImage(type, source.extents());
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            for (std::int64_t i = 0; i < source.count(); ++i) {
                if constexpr (std::is_integral_v<Voxel>) {
                    constexpr auto kLow = static_cast<double>(std::numeric_limits<Voxel>::lowest());
                    constexpr auto kHigh = static_cast<double>(std::numeric_limits<Voxel>::max());
                    const double rounded = std::floor(source.data()[i] + 0.5);
                    image.data()[i] = static_cast<Voxel>(std::clamp(rounded, kLow, kHigh));
                } else {
                    image.data()[i] = static_cast<Voxel>(source.data()[i]);
                }
            }
        },
        result);
    return result;
}

Sample make(const Recipe& recipe) {
    Random random(recipe.seed);
    Sample sample;
    sample.name = recipe.name;
    sample.title = recipe.title;
    sample.geometry = recipe.geometry;
    sample.centres = scatter(recipe, random);

    base::Image<double> templ(recipe.templ, recipe.backgroundLow);
    plant(templ, recipe, middleOf(recipe.templ));
    base::Image<double> scene = makeBackground(recipe, random);
    for (const Point& centre : sample.centres) {
        if (recipe.turned) {
            sample.poses.push_back(drawPose(recipe, random));
        }
        plant(scene, recipe, centre, recipe.turned ? sample.poses.back() : rotation::Pose{});
    }
    addNoiseAndLight(scene, recipe, std::sqrt(recipe.noiseVariance * varianceOf(templ)), random);
    sample.scene = converted(scene, recipe.pixel);
    sample.templ = converted(templ, recipe.pixel);
    return sample;
}

} // namespace

const std::vector<SampleInfo>& sampleList() {
    static const std::vector<SampleInfo> kList = [] {
        std::vector<SampleInfo> list;
        for (const Recipe& recipe : detail::recipes()) {
            list.push_back({recipe.name, recipe.title, recipe.extents, recipe.turned,
                            recipe.rotations, recipe.scales, recipe.mask});
        }
        return list;
    }();
    return kList;
}

Sample makeSample(std::string_view name) {
    std::string known;
    for (const Recipe& recipe : detail::recipes()) {
        if (recipe.name == name) {
            return make(recipe);
        }
        known += (known.empty() ? "" : ", ") + std::string(recipe.name);
    }
    throw base::Error(base::ErrorCode::CommandLine,
                      "there is no sample \"" + base::excerpt(name) + "\"; choose one of " + known);
}

} // namespace flcc::sample
