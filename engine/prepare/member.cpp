#include "engine/prepare/member.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/method/shared/smooth_length.h"
#include "engine/prepare/detail/spectrum.h"

namespace flcc::prepare {

namespace {

/// An even length, so that rows of different boxes are alike.
std::int64_t zeroedLength(std::int64_t extent) {
    return extent > 1 ? 2 * method::shared::nextSmooth(extent) : 1;
}

/// The weight of a voxel.
struct Weights {
    base::View<const std::uint8_t> support;
    base::View<const double> weights;

    [[nodiscard]] double at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        if (support.data() != nullptr && support.at(x, y, z) == 0) {
            return 0;
        }
        return weights.data() != nullptr ? weights.at(x, y, z) : 1;
    }
};

template <class Visit> void forVoxels(const base::Extents& n, const Visit& visit) {
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                visit(x, y, z);
            }
        }
    }
}

/// Writes w (v - mean), scaled, into the corner of a box of zeros.
template <class View>
void load(const View& pixels, const Weights& weights, const base::Extents& n, detail::Box& box) {
    double sum = 0;
    double all = 0;
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double weight = weights.at(x, y, z);
        if (weight > 0) {
            sum += weight * static_cast<double>(pixels.at(x, y, z));
            all += weight;
        }
    });
    const double mean = all > 0 ? sum / all : 0;
    std::fill_n(box.values.data(), box.values.count(), 0.0);
    double largest = 0;
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const double weight = weights.at(x, y, z);
        if (weight > 0) {
            const double value = weight * (static_cast<double>(pixels.at(x, y, z)) - mean);
            box.row(y, z)[x] = value;
            largest = std::max(largest, std::abs(value));
        }
    });
    if (largest > 0 && std::isfinite(largest)) {
        const int exponent = -std::ilogb(largest) - 1;
        forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            box.row(y, z)[x] = std::ldexp(box.row(y, z)[x], exponent);
        });
    }
}

} // namespace

struct MemberFilter::Transform {
    detail::OwnPlans plans;
    std::vector<double> response; ///< of each pair of the half spectrum, over the points
};

MemberFilter::MemberFilter(const base::Extents& box, const base::Point& spacing,
                           const Response& response)
    : m_box(box), m_points{zeroedLength(box.x), zeroedLength(box.y), zeroedLength(box.z)},
      m_transform(new Transform{detail::plansOf(m_points), {}}) {
    const detail::Frequencies frequencies(m_points, spacing);
    const auto count = static_cast<double>(base::voxelCount(m_points));
    m_transform->response.reserve(static_cast<std::size_t>(cpu::pairsOf(m_points)));
    for (std::int64_t z = 0; z < m_points.z; ++z) {
        for (std::int64_t y = 0; y < m_points.y; ++y) {
            for (std::int64_t x = 0; x <= m_points.x / 2; ++x) {
                m_transform->response.push_back(frequencies.response(response, x, y, z) / count);
            }
        }
    }
}

MemberFilter::~MemberFilter() = default;

std::int64_t MemberFilter::bytes(const base::Extents& box, int threads) {
    const std::int64_t pairs =
        cpu::pairsOf({zeroedLength(box.x), zeroedLength(box.y), zeroedLength(box.z)});
    return 8 * pairs + threads * (8 * 2 * pairs + 8 * base::voxelCount(box));
}

base::Image<double> MemberFilter::filtered(const base::AnyView& pixels,
                                           const base::View<const std::uint8_t>& support,
                                           const base::View<const double>& weights) const {
    const Weights own{support, weights};
    const base::Extents n = base::extentsOf(pixels);
    detail::Box box(m_points);
    std::visit([&](const auto& view) { load(view, own, n, box); }, pixels);
    m_transform->plans->forward(box.values.data());
    const double* factor = m_transform->response.data();
    const double* const end = factor + m_transform->response.size();
    for (double* pair = box.values.data(); factor != end; ++factor, pair += 2) {
        pair[0] *= *factor;
        pair[1] *= *factor;
    }
    m_transform->plans->inverse(box.values.data());
    base::Image<double> made(n);
    forVoxels(n, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        made.view().at(x, y, z) = own.at(x, y, z) > 0 ? box.row(y, z)[x] : 0;
    });
    return made;
}

void MemberFilter::apply(rotation::TurnedTemplate& member) const {
    const base::Image<double> made =
        filtered(base::viewOf(member.pixels), member.support.view(), member.weights.view());
    std::visit(
        [&](auto& image) {
            using T = std::remove_cvref_t<decltype(*image.data())>;
            std::transform(made.data(), made.data() + made.count(), image.data(),
                           [](double value) { return static_cast<T>(value); });
        },
        member.pixels);
}

} // namespace flcc::prepare
