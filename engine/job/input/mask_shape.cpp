#include "engine/job/mask_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/input/masks.h"

namespace flcc::job {
namespace {

constexpr std::string_view kSphere = "sphere:";
constexpr std::string_view kCylinder = "cylinder:";
constexpr std::string_view kBox = "box:";

/// A number of voxels, at least 0; empty if the text is none.
std::optional<double> lengthOf(std::string_view text) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && rest == text.data() + text.size();
    return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The lengths between separators; empty if one of them is none.
std::vector<double> numbersOf(std::string_view text, char between) {
    std::vector<double> numbers;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(between, from), text.size());
        const std::optional<double> number = lengthOf(text.substr(from, end - from));
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
        from = end + 1;
    }
    return numbers;
}

std::string voxelText(double value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end};
}

/// Calls `visit(x, y, z)` for the voxels from `low` to `high` that lie inside.
template <class Visit>
void forVoxels(const base::Extents& extents, const base::Point& low, const base::Point& high,
               const Visit& visit) {
    const std::array<std::int64_t, 3> n{extents.x, extents.y, extents.z};
    std::array<std::int64_t, 3> first{};
    std::array<std::int64_t, 3> end{};
    for (std::size_t a = 0; a < 3; ++a) {
        const double most = static_cast<double>(n[a]);
        first[a] = static_cast<std::int64_t>(std::ceil(std::clamp(low[a], 0.0, most)));
        end[a] = static_cast<std::int64_t>(std::floor(std::clamp(high[a], -1.0, most - 1))) + 1;
    }
    for (std::int64_t z = first[2]; z < end[2]; ++z) {
        for (std::int64_t y = first[1]; y < end[1]; ++y) {
            for (std::int64_t x = first[0]; x < end[0]; ++x) {
                visit(x, y, z);
            }
        }
    }
}

} // namespace

std::string MaskShape::text() const {
    const std::string edge = soft > 0 ? "," + voxelText(soft) : "";
    if (round && height > 0) {
        return std::string(kCylinder) + voxelText(radius) + "," + voxelText(height) + edge;
    }
    if (round) {
        return std::string(kSphere) + voxelText(radius) + edge;
    }
    if (sides == std::array<double, 3>{}) {
        return "box";
    }
    return std::string(kBox) + voxelText(sides[0]) + "x" + voxelText(sides[1]) +
           (sides[2] != 1 ? "x" + voxelText(sides[2]) : "") + edge;
}

std::optional<MaskShape> maskShapeOf(const std::filesystem::path& mask) {
    const std::string text = mask.string();
    if (text == "box" || text == "none") {
        return MaskShape{};
    }
    const auto refuse = [&] {
        return base::Error(
            base::ErrorCode::CommandLine,
            "--mask must be sphere:R[,SOFT], cylinder:R,H[,SOFT] or box:XxYxZ[,SOFT] with numbers "
            "of voxels of at least 0, box, or a file, not \"" +
                base::excerpt(text) + "\"");
    };
    const auto shapeFrom = [&](std::string_view name) {
        return numbersOf(std::string_view(text).substr(name.size()), ',');
    };
    if (text.starts_with(kSphere)) {
        const auto numbers = shapeFrom(kSphere);
        if (numbers.empty() || numbers.size() > 2) {
            throw refuse();
        }
        return MaskShape{true, numbers[0], numbers.size() > 1 ? numbers[1] : 0};
    }
    if (text.starts_with(kCylinder)) {
        const auto numbers = shapeFrom(kCylinder);
        if (numbers.size() < 2 || numbers.size() > 3 || numbers[1] == 0) {
            throw refuse();
        }
        return MaskShape{true, numbers[0], numbers.size() > 2 ? numbers[2] : 0, numbers[1]};
    }
    if (text.starts_with(kBox)) {
        const std::string_view rest = std::string_view(text).substr(kBox.size());
        const std::size_t comma = rest.find(',');
        const auto sides = numbersOf(rest.substr(0, comma), 'x');
        const auto soft = comma == std::string_view::npos ? std::vector<double>{0}
                                                          : numbersOf(rest.substr(comma + 1), ',');
        if (sides.size() < 2 || sides.size() > 3 || soft.size() != 1 ||
            std::find(sides.begin(), sides.end(), 0.0) != sides.end()) {
            throw refuse();
        }
        return MaskShape{
            false, 0, soft[0], 0, {sides[0], sides[1], sides.size() > 2 ? sides[2] : 1}};
    }
    return std::nullopt;
}

namespace {

/// How far a voxel, given by its distances from the middle, lies beyond a shape.
double beyondOf(const MaskShape& shape, double x, double y, double z) {
    const auto past = [](double at, double length) {
        return std::max(0.0, std::abs(at) - length / 2);
    };
    if (shape.round && shape.height > 0) {
        return std::hypot(std::max(0.0, std::hypot(x, y) - shape.radius), past(z, shape.height));
    }
    return shape.round ? std::hypot(x, y, z) - shape.radius
                       : std::hypot(past(x, shape.sides[0]), past(y, shape.sides[1]),
                                    past(z, shape.sides[2]));
}

} // namespace

base::Image<float> maskWeights(const MaskShape& shape, const base::Extents& templ) {
    base::Image<float> weights(templ, 1.0F);
    if (!shape.round && shape.sides == std::array<double, 3>{}) {
        return weights;
    }
    const auto off = [](std::int64_t i, std::int64_t n) {
        return static_cast<double>(i) - static_cast<double>(n - 1) / 2;
    };
    for (std::int64_t z = 0; z < templ.z; ++z) {
        for (std::int64_t y = 0; y < templ.y; ++y) {
            for (std::int64_t x = 0; x < templ.x; ++x) {
                const double beyond =
                    beyondOf(shape, off(x, templ.x), off(y, templ.y), off(z, templ.z));
                const double weight =
                    beyond <= 0 ? 1
                    : beyond < shape.soft
                        ? (1 + std::cos(std::numbers::pi * beyond / shape.soft)) / 2
                        : 0;
                weights.view().at(x, y, z) = static_cast<float>(weight);
            }
        }
    }
    return weights;
}

std::shared_ptr<const MaskImage> makeMask(const MaskShape& shape, const base::Extents& templ) {
    const base::Image<float> weights = maskWeights(shape, templ);
    return detail::weightedMask(base::AnyView(base::View<const float>(weights.view())),
                                shape.text());
}

void drawStroke(base::Image<std::uint8_t>& support, const base::Point& from, const base::Point& to,
                double radius, std::uint8_t value) {
    base::Point low{};
    base::Point high{};
    base::Point along{};
    double length2 = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        low[a] = std::min(from[a], to[a]) - radius;
        high[a] = std::max(from[a], to[a]) + radius;
        along[a] = to[a] - from[a];
        length2 += along[a] * along[a];
    }
    forVoxels(support.extents(), low, high, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const base::Point p{static_cast<double>(x) - from[0], static_cast<double>(y) - from[1],
                            static_cast<double>(z) - from[2]};
        const double inner = p[0] * along[0] + p[1] * along[1] + p[2] * along[2];
        const double share = length2 > 0 ? std::clamp(inner / length2, 0.0, 1.0) : 0.0;
        if (std::hypot(p[0] - share * along[0], p[1] - share * along[1], p[2] - share * along[2]) <=
            radius) {
            support.view().at(x, y, z) = value;
        }
    });
}

void drawBox(base::Image<std::uint8_t>& support, const base::Box& box, std::uint8_t value) {
    const auto end = [](std::int64_t corner, std::int64_t size) {
        return static_cast<double>(corner + size - 1);
    };
    const base::Index& c = box.corner;
    forVoxels(support.extents(),
              {static_cast<double>(c.x), static_cast<double>(c.y), static_cast<double>(c.z)},
              {end(c.x, box.extents.x), end(c.y, box.extents.y), end(c.z, box.extents.z)},
              [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                  support.view().at(x, y, z) = value;
              });
}

void drawRange(base::Image<std::uint8_t>& support, const base::AnyView& pixels, double low,
               double high, std::uint8_t value) {
    std::visit(
        [&](const auto& view) {
            const base::Extents& extents = support.extents();
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    const auto* const row = view.row(y, z);
                    std::uint8_t* const out = support.view().row(y, z);
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        const auto here = static_cast<double>(row[x]);
                        out[x] = here >= low && here <= high ? value : out[x];
                    }
                }
            }
        },
        pixels);
}

} // namespace flcc::job
