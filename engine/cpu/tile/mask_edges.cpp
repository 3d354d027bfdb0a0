#include "engine/cpu/tile/mask_edges.h"

#include <algorithm>
#include <array>
#include <map>

namespace flcc::cpu {

namespace {

using Term = MaskEdges::Term;

/// Two neighbours: both parts, and the way from the first to the second.
using Pair = std::array<std::int64_t, 4>;

Pair pairAt(const std::vector<Term>& terms, std::size_t i) {
    const Term& a = terms[i];
    const Term& b = terms[i + 1];
    return {a.part, b.part, b.x - a.x, b.y - a.y};
}

/// Counts the pairs that do not overlap.
void count(const std::vector<Term>& terms, std::map<Pair, std::int64_t>& to) {
    Pair last{-1, -1, 0, 0};
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
        const Pair pair = pairAt(terms, i);
        if (pair == last) {
            last = {-1, -1, 0, 0};
            continue;
        }
        ++to[pair];
        last = pair;
    }
}

/// Puts `part`, whose first term begins at column `x`, in place of a pair.
void replace(const Pair& pair, std::int64_t part, std::int64_t x, std::vector<Term>& terms) {
    std::vector<Term> result;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (i + 1 < terms.size() && pairAt(terms, i) == pair) {
            result.push_back({part, terms[i].x - x, terms[i].y});
            ++i;
        } else {
            result.push_back(terms[i]);
        }
    }
    terms = std::move(result);
}

} // namespace

MaskEdges::MaskEdges(const std::vector<SupportTemplate::Run>& runs, std::int64_t height)
    : m_runs(std::ssize(runs)) {
    for (const SupportTemplate::Run& run : runs) {
        m_subtracted.push_back({0, run.start.x, run.start.y});
        m_added.push_back({0, run.start.x + run.length, run.start.y});
    }
    while (joinMostFrequent()) {
    }
    findNeeds(height);
}

/// Makes a part of the pair that occurs most often. False if none is worth its own addition.
bool MaskEdges::joinMostFrequent() {
    std::map<Pair, std::int64_t> pairs;
    count(m_added, pairs);
    count(m_subtracted, pairs);
    const auto most =
        std::max_element(pairs.begin(), pairs.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    constexpr std::int64_t kLeast = 6; // a row of a part costs as much as four that are added up
    if (most == pairs.end() || most->second < kLeast) {
        return false;
    }
    const Pair& pair = most->first;
    const std::int64_t x = std::max<std::int64_t>(0, -pair[2]); // no column lies before 0
    m_parts.push_back({{pair[0], x, 0},
                       {pair[1], x + pair[2], pair[3]},
                       std::max(height(pair[0]), pair[3] + height(pair[1]))});
    replace(pair, std::ssize(m_parts), x, m_added);
    replace(pair, std::ssize(m_parts), x, m_subtracted);
    return true;
}

void MaskEdges::findNeeds(std::int64_t height) {
    m_needs.resize(m_parts.size() + 1);
    // `by` rows of prefix sums end where the last one of the term is needed.
    const auto use = [&](const Term& term, std::int64_t by, std::int64_t columns) {
        Need& need = m_needs[static_cast<std::size_t>(term.part)];
        need.columns = std::max(need.columns, term.x + columns);
        need.rows = std::max(need.rows, by - this->height(term.part) - term.y + 1);
    };
    for (const std::vector<Term>* terms : {&m_added, &m_subtracted}) {
        for (const Term& term : *terms) {
            use(term, height, 0);
        }
    }
    for (std::size_t i = m_parts.size(); i-- > 0;) {
        const Part& part = m_parts[i];
        const std::int64_t columns = m_needs[i + 1].columns;
        use(part.first, part.height, columns);
        use(part.second, part.height, columns);
    }
}

} // namespace flcc::cpu
