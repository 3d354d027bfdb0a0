#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/base/finite.h"
#include "engine/job/input/inputs.h"

namespace flcc::job::detail {

namespace {

/// Mirrors every voxel between `low` and `high`, which may be any two values of the same sum.
template <class T> void mirror(base::Image<T>& image, T low, T high) {
    T* const first = image.data();
    T* const last = first + image.count();
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        // Modulo 2^n, so that the sum cannot overflow; the result lies between low and high.
        const auto sum =
            static_cast<Unsigned>(static_cast<Unsigned>(low) + static_cast<Unsigned>(high));
        std::transform(first, last, first, [sum](T v) {
            return static_cast<T>(static_cast<Unsigned>(sum - static_cast<Unsigned>(v)));
        });
    } else {
        const long double sum = static_cast<long double>(low) + static_cast<long double>(high);
        std::transform(first, last, first,
                       [sum](T v) { return static_cast<T>(sum - static_cast<long double>(v)); });
    }
}

/// The smallest and the largest voxel of a support, of all voxels if that is empty.
template <class T>
std::pair<T, T> rangeOf(const base::Image<T>& image, const base::View<const std::uint8_t>& mask) {
    std::optional<std::pair<T, T>> range;
    const base::Extents& n = image.extents();
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const base::Index at{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
        const T value = image.data()[i];
        if ((mask.data() != nullptr && mask.at(at) == 0) || !base::finite(value)) {
            continue;
        }
        range = range ? std::pair(std::min(range->first, value), std::max(range->second, value))
                      : std::pair(value, value);
    }
    return range.value_or(std::pair(T{0}, T{0}));
}

} // namespace

base::AnyImage invertedTemplate(const method::MaskedView& templ, method::Operation operation) {
    base::AnyImage copy = base::copyOf(templ.pixels);
    std::visit(
        [&](auto& image) {
            using T = std::remove_cvref_t<decltype(*image.data())>;
            if (!operation.traits().ignoresContrast) {
                const auto [low, high] = rangeOf(image, templ.mask);
                mirror(image, low, high);
            } else if constexpr (std::is_integral_v<T>) {
                const auto [low, high] = rangeOf(image, {});
                mirror(image, low, high);
            } else {
                // The score does not see the constant, without which nothing is rounded.
                std::transform(image.data(), image.data() + image.count(), image.data(),
                               [](T value) { return -value; });
            }
        },
        copy);
    return copy;
}

} // namespace flcc::job::detail
