#include "engine/search/detail/full_member.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/base/widest.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::search::detail {

namespace {

constexpr std::int64_t kLanes = 16;

struct Sums {
    double product = 0;
    double sum = 0;
    double squares = 0;
};

/// Adds the sums of a run of pixels less `level`, in floats in kLanes lanes.
template <class T>
[[gnu::always_inline]] inline void addRun(const T* row, const float* templ, std::int64_t count,
                                          float level, Sums& to) {
    float product[kLanes] = {};
    float sum[kLanes] = {};
    float squares[kLanes] = {};
    std::int64_t x = 0;
    for (; x + kLanes <= count; x += kLanes) {
        for (std::int64_t i = 0; i < kLanes; ++i) {
            float value;
            if constexpr (sizeof(T) == 8 || (sizeof(T) == 4 && std::is_integral_v<T>)) {
                value = static_cast<float>(static_cast<double>(row[x + i]) -
                                           static_cast<double>(level));
            } else {
                value = static_cast<float>(row[x + i]) - level;
            }
            product[i] += value * templ[x + i];
            sum[i] += value;
            squares[i] += value * value;
        }
    }
    double rest[3] = {};
    for (; x < count; ++x) {
        const double value = static_cast<double>(row[x]) - static_cast<double>(level);
        rest[0] += value * static_cast<double>(templ[x]);
        rest[1] += value;
        rest[2] += value * value;
    }
    float all[3] = {};
    for (std::int64_t i = 0; i < kLanes; ++i) {
        all[0] += product[i];
        all[1] += sum[i];
        all[2] += squares[i];
    }
    to.product += static_cast<double>(all[0]) + rest[0];
    to.sum += static_cast<double>(all[1]) + rest[1];
    to.squares += static_cast<double>(all[2]) + rest[2];
}

} // namespace

FullMember::FullMember(const rotation::PoseBank& bank, std::int64_t number)
    : m_bank(bank), m_number(number), m_placed(placedMember(bank, number)) {
    const Scatter of = scatterOf(m_placed.templ);
    m_count = of.count;
    m_values.resize(static_cast<std::size_t>(m_count));
    const double scale = 1 / std::sqrt(of.squares);
    float* next = m_values.data();
    const auto take = [&](const auto* values, std::int64_t count, std::int64_t x, std::int64_t y) {
        const std::int64_t from = x + m_placed.shift.x;
        m_runs.push_back({static_cast<std::int32_t>(y + m_placed.shift.y),
                          static_cast<std::int32_t>(from),
                          static_cast<std::int32_t>(from + count)});
        m_longest = std::max(m_longest, count);
        base::inWidest([&] {
            float* const to = next;
            const double mean = of.mean;
            const double factor = scale;
            for (std::int64_t i = 0; i < count; ++i) {
                to[i] = static_cast<float>((static_cast<double>(values[i]) - mean) * factor);
            }
        });
        next += count;
    };
    forRuns(m_placed.templ, take);
}

method::CanonicalValue FullMember::score(const method::MaskedView& scene, std::int64_t x,
                                         std::int64_t y) const {
    // In the box of all members: the order of additions depends on it.
    std::call_once(m_once, [&] {
        const rotation::TurnedTemplate member = m_bank.member(m_number);
        m_canonical.emplace(method::viewOf(member));
    });
    return method::canonicalValue(scene, *m_canonical, {x, y, 0}, method::Outside::Zero);
}

double FullMember::limit(const base::AnyView& scene, std::int64_t x, std::int64_t y,
                         double level) const {
    Sums sums;
    const auto near = static_cast<float>(level);
    std::visit(
        [&](const auto& view) {
            base::inWidest([&] {
                const float* templ = m_values.data();
                for (const Run& run : m_runs) {
                    const std::int64_t count = run.to - run.from;
                    addRun(view.row(y + run.row, 0) + x + run.from, templ, count, near, sums);
                    templ += count;
                }
            });
        },
        scene);
    // A sum of n floats in lanes has at most n / lanes + lanes roundings in each of its terms; the
    // values, the template and the products have one each.
    const double rounding = static_cast<double>(m_longest / kLanes + kLanes + 6) * 0x1p-24;
    const auto count = static_cast<double>(m_count);
    const double variance =
        sums.squares - sums.sum * sums.sum / count - 4 * rounding * sums.squares;
    if (!(variance > 0)) {
        return 2; // rounding hides whether the pixels differ
    }
    return std::max(0.0, sums.product + 2 * rounding * std::sqrt(sums.squares)) /
           std::sqrt(variance);
}

std::shared_ptr<const FullMember> FullMembers::get(std::int64_t number) {
    std::shared_ptr<Entry> entry;
    {
        const std::lock_guard lock(m_lock);
        std::shared_ptr<Entry>& known = m_entries[number];
        if (!known) {
            known = std::make_shared<Entry>();
            m_order.push_back(number);
            ++m_made;
        }
        entry = known;
        if (m_order.size() > m_most) {
            m_entries.erase(m_order.front());
            m_order.pop_front();
        }
    }
    std::call_once(entry->once,
                   [&] { entry->member = std::make_shared<const FullMember>(m_bank, number); });
    return entry->member;
}

} // namespace flcc::search::detail
