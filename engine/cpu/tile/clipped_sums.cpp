#include "engine/cpu/tile/clipped_sums.h"

namespace flcc::cpu {

ClippedSums::ClippedSums(const base::Image<double>& values)
    : m_table({values.extents().x + 1, values.extents().y + 1, values.extents().z + 1}, 0.0) {
    const base::Extents& m = values.extents();
    for (std::int64_t z = 0; z < m.z; ++z) {
        for (std::int64_t y = 0; y < m.y; ++y) {
            const double* const row = values.data() + (z * m.y + y) * m.x;
            double* const to = m_table.view().row(y + 1, z + 1);
            for (std::int64_t x = 0; x < m.x; ++x) {
                to[x + 1] = to[x] + row[x];
            }
        }
        for (std::int64_t y = 0; y < m.y; ++y) {
            const double* const above = m_table.view().row(y, z + 1);
            double* const to = m_table.view().row(y + 1, z + 1);
            for (std::int64_t x = 0; x <= m.x; ++x) {
                to[x] += above[x];
            }
        }
        for (std::int64_t y = 0; y <= m.y; ++y) {
            const double* const before = m_table.view().row(y, z);
            double* const to = m_table.view().row(y, z + 1);
            for (std::int64_t x = 0; x <= m.x; ++x) {
                to[x] += before[x];
            }
        }
    }
}

void ClippedSums::line(std::int64_t y0, std::int64_t y1, std::int64_t z0, std::int64_t z1,
                       double* to) const {
    const auto row = [&](std::int64_t y, std::int64_t z) { return m_table.view().row(y, z); };
    const double* const all = row(y1, z1);
    const double* const above = row(y0, z1);
    const double* const before = row(y1, z0);
    const double* const both = row(y0, z0);
    for (std::int64_t x = 0; x < m_table.extents().x; ++x) {
        to[x] = (all[x] - above[x]) - (before[x] - both[x]);
    }
}

} // namespace flcc::cpu
