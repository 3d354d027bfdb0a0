#include "engine/match/detail/plain_scores.h"

#include <cmath>
#include <type_traits>

#include "engine/base/widest.h"

namespace flcc::match::detail {

namespace {

struct Sums {
    double product = 0;
    double plain = 0;
    double squares = 0;
};

constexpr std::size_t kLanes = 8;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

/// `counts`: how much each voxel of the template counts.
template <class T>
void addPanel(const base::View<const T>& panel, const double* values, const double* counts,
              Sums& sums) {
    base::inWidest([&] {
        const base::Extents& n = panel.extents();
        const auto shift = static_cast<double>(panel.at(n.x / 2, n.y / 2, n.z / 2));
        Lanes product{};
        Lanes plain{};
        Lanes squares{};
        for (std::int64_t line = 0; line < n.y * n.z; ++line) {
            const T* const from = panel.row(line % n.y, line / n.y);
            const double* const that = values + line * n.x;
            const double* const each = counts + line * n.x;
            const auto take = [&](std::int64_t x, auto lanes) {
                Lanes value{};
                Lanes own{};
                Lanes templ{};
                for (std::size_t i = 0; i < lanes; ++i) {
                    const std::int64_t at = x + static_cast<std::int64_t>(i);
                    value[i] = static_cast<double>(from[at]) - shift;
                    own[i] = each[at];
                    templ[i] = that[at];
                }
                own *= value;
                product += templ * value;
                plain += own;
                squares += own * value;
            };
            const std::int64_t whole = n.x - n.x % static_cast<std::int64_t>(kLanes);
            for (std::int64_t x = 0; x < whole; x += std::int64_t{kLanes}) {
                take(x, std::integral_constant<std::size_t, kLanes>{});
            }
            take(whole, static_cast<std::size_t>(n.x - whole));
        }
        for (std::size_t i = 0; i < kLanes; ++i) {
            sums.product += product[i];
            sums.plain += plain[i];
            sums.squares += squares[i];
        }
    });
}

} // namespace

PlainScores::PlainScores(const method::CanonicalTemplate& templ) : m_templ(templ) {
    m_counts = base::Image<double>(templ.extents(), 1.0);
    for (std::int64_t i = 0; i < m_counts.count(); ++i) {
        m_counts.data()[i] = !templ.weights().empty()   ? templ.weights().data()[i]
                             : !templ.support().empty() ? templ.support().data()[i]
                                                        : 1.0;
    }
}

std::optional<double> PlainScores::at(const method::MaskedView& scene,
                                      const base::Index& corner) const {
    if (scene.mask.data() != nullptr ||
        !base::contains(scene.extents(), {corner, m_templ.extents()})) {
        return std::nullopt;
    }
    Sums sums;
    std::visit(
        [&](const auto& view) {
            addPanel(view.part({corner, m_templ.extents()}), m_templ.values().data(),
                     m_counts.data(), sums);
        },
        scene.pixels);
    const double square = sums.squares - sums.plain * sums.plain / m_templ.total();
    constexpr double kLeast = 1e-6; // of what cancels out
    return square > kLeast * sums.squares ? std::optional(sums.product / std::sqrt(square))
                                          : std::nullopt;
}

} // namespace flcc::match::detail
