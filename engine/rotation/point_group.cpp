#include "engine/rotation/point_group.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <system_error>

#include "engine/base/error.h"

namespace flcc::rotation {

namespace {

constexpr double kSame = 1e-6; ///< degrees

/// All products of the generators.
std::vector<Quaternion> closure(const std::vector<Quaternion>& generators) {
    std::vector<Quaternion> elements{Quaternion{}};
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (const Quaternion& generator : generators) {
            // A product of matrices, so that rounding does not add up along long words.
            const Quaternion next = quaternionOf(matrixOf(product(elements[i], generator)));
            if (std::ranges::none_of(elements, [&](const Quaternion& each) {
                    return angleBetween(each, next) < kSame;
                })) {
                elements.push_back(next);
            }
        }
    }
    return elements;
}

/// n rotations about z, each computed on its own.
std::vector<Quaternion> cyclic(int n) {
    std::vector<Quaternion> elements;
    for (int i = 0; i < n; ++i) {
        elements.push_back(aboutAxis({0, 0, 1}, 360.0 * i / n));
    }
    return elements;
}

std::vector<Quaternion> dihedral(int n) {
    std::vector<Quaternion> elements = cyclic(n);
    const Quaternion flip = aboutAxis({1, 0, 0}, 180);
    for (int i = 0; i < n; ++i) {
        elements.push_back(product(elements[static_cast<std::size_t>(i)], flip));
    }
    return elements;
}

std::vector<Quaternion> icosahedral(bool about) {
    const double golden = std::numbers::phi;
    std::vector<Quaternion> elements =
        closure({aboutAxis({0, 0, 1}, 180), aboutAxis({1, 0, golden}, 72),
                 aboutAxis({0, 1 / golden, golden}, 120)});
    if (about) {
        const Quaternion turn = aboutAxis({0, 1, 0}, 90);
        for (Quaternion& element : elements) {
            element = product(turn, product(element, inverse(turn)));
        }
    }
    return elements;
}

[[noreturn]] void refuseGroup(std::string_view name) {
    throw base::Error(base::ErrorCode::CommandLine,
                      "'" + base::excerpt(name) +
                          "' is no point group; choose C1 to C999, D1 to D999, T, O, I, I1 or I2");
}

} // namespace

PointGroup pointGroup(std::string_view name) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    if (upper == "T") {
        return {upper,
                closure({aboutAxis({0, 0, 1}, 120), aboutAxis({0, std::sqrt(2.0), 1}, 180)})};
    }
    if (upper == "O") {
        return {upper, closure({aboutAxis({0, 0, 1}, 90), aboutAxis({1, 1, 1}, 120)})};
    }
    if (upper == "I" || upper == "I1" || upper == "I2") {
        return {upper, icosahedral(upper == "I1")};
    }
    constexpr int kMost = 999;
    int fold = 0;
    const char* const end = upper.data() + upper.size();
    const bool named = upper.size() > 1 && (upper[0] == 'C' || upper[0] == 'D');
    const auto read = named ? std::from_chars(upper.data() + 1, end, fold)
                            : std::from_chars_result{nullptr, std::errc::invalid_argument};
    if (read.ec != std::errc() || read.ptr != end || fold < 1 || fold > kMost) {
        refuseGroup(name);
    }
    return {upper, upper[0] == 'C' ? cyclic(fold) : dihedral(fold)};
}

bool areEquivalent(const Quaternion& a, const Quaternion& b, const PointGroup& group) {
    return angleBetween(a, b, group) < kSame;
}

double angleBetween(const Quaternion& a, const Quaternion& b, const PointGroup& group) {
    double least = 180;
    for (const Quaternion& element : group.elements) {
        least = std::min(least, angleBetween(product(a, element), b));
    }
    return least;
}

} // namespace flcc::rotation
