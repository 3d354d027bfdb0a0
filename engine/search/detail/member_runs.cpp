#include "engine/search/detail/member_runs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include "engine/base/widest.h"

namespace flcc::search::detail {

namespace {

constexpr std::int64_t kLanes = 8; // sums of their own, so that loops become vectors
using Lanes = std::array<double, kLanes>;

double added(const Lanes& lanes) { return std::accumulate(lanes.begin(), lanes.end(), 0.0); }

/// Adds the values less `level` to `sums` and their squares to `squares`.
template <class T>
void addTo(Lanes& sums, Lanes& squares, const T* values, std::int64_t count, double level) {
    base::inWidest([&] {
        Lanes sum{};
        Lanes square{};
        const double mean = level;
        std::int64_t i = 0;
        for (; i + kLanes <= count; i += kLanes) {
            for (std::int64_t k = 0; k < kLanes; ++k) {
                const double value = static_cast<double>(values[i + k]) - mean;
                sum[static_cast<std::size_t>(k)] += value;
                square[static_cast<std::size_t>(k)] += value * value;
            }
        }
        for (; i < count; ++i) {
            const double value = static_cast<double>(values[i]) - mean;
            sum[0] += value;
            square[0] += value * value;
        }
        for (std::size_t k = 0; k < kLanes; ++k) {
            sums[k] += sum[k];
            squares[k] += square[k];
        }
    });
}

} // namespace

Scatter scatterOf(const rotation::TurnedTemplate& member) {
    Scatter made;
    const auto pass = [&](double level, Lanes& sums, Lanes& squares) {
        made.count = 0;
        forRuns(member, [&](const auto* values, std::int64_t count, std::int64_t, std::int64_t) {
            made.count += count;
            addTo(sums, squares, values, count, level);
        });
    };
    Lanes sums{};
    Lanes unused{};
    pass(0, sums, unused);
    const auto count = static_cast<double>(made.count);
    made.mean = added(sums) / count;
    Lanes rests{};
    Lanes squares{};
    pass(made.mean, rests, squares);
    made.rest = added(rests) / count;
    made.squares = added(squares) - added(rests) * made.rest;
    return made;
}

CellCounts countsOf(const base::Extents& box, const rotation::TurnedTemplate& member,
                    const base::Index& shift, std::int64_t edge) {
    CellCounts made{edge, (box.x + edge - 1) / edge, (box.y + edge - 1) / edge, {}};
    made.counts.assign(static_cast<std::size_t>(made.columns * made.rows), 0);
    const int bits = std::countr_zero(static_cast<std::uint64_t>(edge));
    forRuns(member, [&](const auto*, std::int64_t length, std::int64_t x, std::int64_t y) {
        std::int32_t* const to = made.counts.data() + ((y + shift.y) >> bits) * made.columns;
        const std::int64_t end = x + shift.x + length;
        for (std::int64_t from = x + shift.x; from < end;) {
            const std::int64_t next = std::min(end, ((from >> bits) + 1) << bits);
            to[from >> bits] += static_cast<std::int32_t>(next - from);
            from = next;
        }
    });
    return made;
}

CellCounts pooled(const CellCounts& small) {
    CellCounts made{2 * small.edge, (small.columns + 1) / 2, (small.rows + 1) / 2, {}};
    made.counts.resize(static_cast<std::size_t>(made.columns * made.rows));
    for (std::int64_t y = 0; y < made.rows; ++y) {
        for (std::int64_t x = 0; x < made.columns; ++x) {
            made.counts[static_cast<std::size_t>(y * made.columns + x)] =
                small.at(2 * x, 2 * y) + small.at(2 * x + 1, 2 * y) + small.at(2 * x, 2 * y + 1) +
                small.at(2 * x + 1, 2 * y + 1);
        }
    }
    return made;
}

Runs touched(const CellCounts& counts) {
    Runs runs;
    for (std::int64_t y = 0; y < counts.rows; ++y) {
        std::int64_t from = 0;
        std::int64_t to = counts.columns;
        while (from < to && counts.at(from, y) == 0) {
            ++from;
        }
        while (to > from && counts.at(to - 1, y) == 0) {
            --to;
        }
        if (from < to) {
            runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(from),
                            static_cast<std::int32_t>(to)});
        }
    }
    return runs;
}

Runs unionOf(const Runs& a, const Runs& b) {
    std::map<std::int32_t, Run> rows;
    for (const Runs* each : {&a, &b}) {
        for (const Run& run : *each) {
            const auto [at, isNew] = rows.try_emplace(run.row, run);
            if (!isNew) {
                at->second.from = std::min(at->second.from, run.from);
                at->second.to = std::max(at->second.to, run.to);
            }
        }
    }
    Runs runs;
    for (const auto& [row, run] : rows) {
        runs.push_back(run);
    }
    return runs;
}

Runs widened(const Runs& runs, std::int32_t before, std::int32_t after) {
    Runs all;
    for (std::int32_t down = -before; down <= after; ++down) {
        Runs moved = runs;
        for (Run& run : moved) {
            run = {run.row + down, run.from - before, run.to + after};
        }
        all = unionOf(all, moved);
    }
    return all;
}

Runs alwaysInside(const CellCounts& counts) {
    const auto whole = static_cast<std::int32_t>(counts.edge * counts.edge);
    const bool one = counts.edge == 1;
    Runs runs;
    for (std::int64_t y = 0; y < counts.rows; ++y) {
        bool open = false;
        for (std::int64_t x = 0; x < counts.columns; ++x) {
            const bool in = counts.at(x, y) == whole &&
                            (one || (counts.at(x - 1, y) == whole && counts.at(x, y - 1) == whole &&
                                     counts.at(x - 1, y - 1) == whole));
            if (in && !open) {
                runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), 0});
            }
            if (in) {
                runs.back().to = static_cast<std::int32_t>(x + 1);
            }
            open = in;
        }
    }
    return runs;
}

Runs commonOf(const Runs& a, const Runs& b) {
    Runs runs;
    for (const Run& one : a) {
        for (const Run& other : b) {
            const Run both{one.row, std::max(one.from, other.from), std::min(one.to, other.to)};
            if (other.row == one.row && both.from < both.to) {
                runs.push_back(both);
            }
        }
    }
    return runs;
}

std::int64_t cellsOf(const Runs& runs) {
    std::int64_t count = 0;
    for (const Run& run : runs) {
        count += run.to - run.from;
    }
    return count;
}

} // namespace flcc::search::detail
