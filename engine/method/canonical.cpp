#include "engine/method/canonical.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"

namespace flcc::method {

namespace {

using base::View;

constexpr double kUnitRoundoff = 0x1p-53;

/// Sums in 8 fixed lanes and one fixed tree, whatever the compiler makes of it.
class LaneSum {
  public:
    void addRow(const double* values, std::int64_t count) {
        std::int64_t i = 0;
        for (; i + 8 <= count; i += 8) {
            for (std::int64_t lane = 0; lane < 8; ++lane) {
                m_lanes[static_cast<std::size_t>(lane)] += values[i + lane];
            }
        }
        for (std::int64_t lane = 0; i < count; ++i, ++lane) {
            m_lanes[static_cast<std::size_t>(lane)] += values[i];
        }
    }

    [[nodiscard]] double total() const {
        return ((m_lanes[0] + m_lanes[4]) + (m_lanes[2] + m_lanes[6])) +
               ((m_lanes[1] + m_lanes[5]) + (m_lanes[3] + m_lanes[7]));
    }

  private:
    std::array<double, 8> m_lanes{};
};

/// v - reference without overflow and, for integers, exactly before the one rounding.
template <class T> double difference(T v, T reference, double scale) {
    if constexpr (std::is_same_v<T, double>) {
        return v * scale - reference * scale;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        const auto distance = [](T larger, T smaller) {
            return static_cast<double>(static_cast<std::uint64_t>(larger) -
                                       static_cast<std::uint64_t>(smaller));
        };
        return v >= reference ? distance(v, reference) : -distance(reference, v);
    } else {
        return static_cast<double>(v) - static_cast<double>(reference);
    }
}

template <class T> bool finite(T v) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(v);
    } else {
        return true;
    }
}

/// What the first look at a panel tells: whether it can have a score, and the power of two that
/// brings a double panel near 1 so that no square overflows or vanishes.
struct PanelFacts {
    bool usable = false;
    double scale = 1;
};

template <class T> PanelFacts look(const View<const T>& panel) {
    const base::Extents& extents = panel.extents();
    const T first = panel.at(0, 0, 0);
    bool differs = false;
    double largest = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const T* row = panel.row(y, z);
            for (std::int64_t x = 0; x < extents.x; ++x) {
                if (!finite(row[x])) {
                    return {};
                }
                differs = differs || row[x] != first;
                if constexpr (std::is_same_v<T, double>) {
                    largest = std::max(largest, std::abs(row[x]));
                }
            }
        }
    }
    PanelFacts facts;
    facts.usable = differs;
    if (std::is_same_v<T, double> && largest > 0) {
        facts.scale = std::ldexp(1.0, std::clamp(-std::ilogb(largest) - 1, -1022, 1022));
    }
    return facts;
}

/// Calls `use(y, z, row)` with every row of differences to the first voxel.
template <class T, class Use>
void forRows(const View<const T>& panel, double scale, std::vector<double>& row, Use&& use) {
    const base::Extents& extents = panel.extents();
    const T first = panel.at(0, 0, 0);
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const T* source = panel.row(y, z);
            for (std::int64_t x = 0; x < extents.x; ++x) {
                row[static_cast<std::size_t>(x)] = difference(source[x], first, scale);
            }
            use(y, z, row.data());
        }
    }
}

template <class T>
double scoreOf(const View<const T>& panel, const CanonicalTemplate& templ, std::vector<double>& row,
               std::vector<double>& product) {
    const base::Extents& extents = panel.extents();
    const double count = static_cast<double>(extents.x * extents.y * extents.z);
    const PanelFacts facts = look(panel);
    if (!facts.usable) {
        return 0;
    }
    LaneSum sum;
    double largest = 0;
    forRows(panel, facts.scale, row, [&](std::int64_t, std::int64_t, const double* values) {
        sum.addRow(values, extents.x);
        for (std::int64_t x = 0; x < extents.x; ++x) {
            largest = std::max(largest, std::abs(values[x]));
        }
    });
    // Differences far below the values of a double panel would lose their squares; the power of two
    // is exact.
    const double zoom =
        std::is_same_v<T, double> ? std::ldexp(1.0, std::min(1022, -std::ilogb(largest))) : 1.0;
    const double mean = sum.total() / count;
    LaneSum numerator;
    LaneSum squares;
    LaneSum rest;
    const auto that = templ.values().view();
    forRows(panel, facts.scale, row, [&](std::int64_t y, std::int64_t z, double* values) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            values[x] = (values[x] - mean) * zoom;
        }
        rest.addRow(values, extents.x);
        const double* weights = that.row(y, z);
        for (std::int64_t x = 0; x < extents.x; ++x) {
            product[static_cast<std::size_t>(x)] = values[x] * weights[x];
        }
        numerator.addRow(product.data(), extents.x);
        for (std::int64_t x = 0; x < extents.x; ++x) {
            product[static_cast<std::size_t>(x)] = values[x] * values[x];
        }
        squares.addRow(product.data(), extents.x);
    });
    const double remainder = rest.total();
    const double variance = squares.total() - remainder * remainder / count;
    if (!(variance > 0)) {
        return 0;
    }
    return std::clamp(numerator.total() / std::sqrt(variance), -1.0, 1.0);
}

} // namespace

void requireUsableTemplate(const base::AnyView& templ) {
    using base::Error;
    using base::ErrorCode;
    const base::Extents extents = base::extentsOf(templ);
    if (base::voxelCount(extents) < 2) {
        throw Error(ErrorCode::Problem, "template " + base::toString(extents) +
                                            " has one voxel; a score needs at least two");
    }
    std::visit(
        [&](const auto& view) {
            bool differs = false;
            for (std::int64_t z = 0; z < extents.z; ++z) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    const auto* row = view.row(y, z);
                    for (std::int64_t x = 0; x < extents.x; ++x) {
                        if (!finite(row[x])) {
                            throw Error(ErrorCode::Problem,
                                        "template holds a NaN or infinite value at voxel " +
                                            base::toString(base::Index{x, y, z}));
                        }
                        differs = differs || row[x] != view.at(0, 0, 0);
                    }
                }
            }
            if (!differs) {
                throw Error(ErrorCode::Problem,
                            "template " + base::toString(extents) + " is constant (value " +
                                std::to_string(static_cast<double>(view.at(0, 0, 0))) +
                                "); choose a place with contrast");
            }
        },
        templ);
}

CanonicalTemplate::CanonicalTemplate(const base::AnyView& templ) {
    requireUsableTemplate(templ);
    m_values = base::Image<double>(base::extentsOf(templ));
    const base::Extents& extents = m_values.extents();
    const double count = static_cast<double>(m_values.count());
    std::vector<double> row(static_cast<std::size_t>(extents.x));
    std::visit(
        [&](const auto& view) {
            forRows(view, look(view).scale, row,
                    [&](std::int64_t y, std::int64_t z, const double* values) {
                        std::copy_n(values, extents.x, m_values.view().row(y, z));
                    });
        },
        templ);
    double* const values = m_values.data();
    const auto each = [&](auto&& change) {
        for (std::int64_t i = 0; i < m_values.count(); ++i) {
            change(values[i]);
        }
    };
    double largest = 0;
    each([&](double& v) { largest = std::max(largest, std::abs(v)); });
    const double scale = std::ldexp(1.0, std::min(1022, -std::ilogb(largest)));
    each([&](double& v) { v *= scale; });
    // Twice: the first mean leaves a rounding error that the second one removes (METHODS 2).
    for (int pass = 0; pass < 2; ++pass) {
        LaneSum sum;
        for (std::int64_t i = 0; i < m_values.count(); i += extents.x) {
            sum.addRow(values + i, extents.x);
        }
        const double mean = sum.total() / count;
        each([&](double& v) { v -= mean; });
    }
    LaneSum squares;
    for (std::int64_t i = 0; i < m_values.count(); i += extents.x) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            row[static_cast<std::size_t>(x)] = values[i + x] * values[i + x];
        }
        squares.addRow(row.data(), extents.x);
    }
    const double norm = std::sqrt(squares.total());
    each([&](double& v) { v /= norm; });
}

double canonicalScore(const base::AnyView& scene, const CanonicalTemplate& templ,
                      const base::Index& corner) {
    thread_local std::vector<double> row;
    thread_local std::vector<double> product;
    const auto width = static_cast<std::size_t>(templ.extents().x);
    row.resize(std::max(row.size(), width));
    product.resize(std::max(product.size(), width));
    return std::visit(
        [&](const auto& view) {
            return scoreOf(view.part({corner, templ.extents()}), templ, row, product);
        },
        scene);
}

double canonicalBound(std::int64_t count) {
    return (2.0 * static_cast<double>(count) + 16.0) * kUnitRoundoff;
}

} // namespace flcc::method
