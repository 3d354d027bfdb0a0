#include "engine/match/detail/assignment.h"

#include <queue>
#include <utility>

namespace flcc::match::detail {

std::optional<std::size_t> Assignment::columnOf(std::size_t row) const {
    const std::size_t column = m_column[row];
    return column < m_columns ? std::optional(column) : std::nullopt;
}

void Assignment::addRow(std::vector<Edge> edges) {
    const std::size_t row = m_edges.size();
    m_edges.push_back(std::move(edges));
    m_column.push_back(kNone);
    m_owner.push_back(kNone); // the column in which the row is alone
    m_rowPrice.emplace_back();
    m_columnPrice.resize(m_owner.size());
    m_nodes.resize(m_owner.size());
    ++m_epoch;

    using Reached = std::pair<Cost, std::size_t>;
    const auto later = [](const Reached& a, const Reached& b) {
        return b.first < a.first || (!(a.first < b.first) && b.second < a.second);
    };
    std::priority_queue<Reached, std::vector<Reached>, decltype(later)> queue(later);
    std::vector<std::size_t> done;
    std::size_t from = row;
    Cost sofar;
    std::size_t end = kNone;
    while (end == kNone) {
        const auto reach = [&](std::size_t column, const Cost& cost) {
            Node& node = m_nodes[column];
            const Cost distance = sofar + cost - m_rowPrice[from] - m_columnPrice[column];
            if (node.epoch != m_epoch) {
                node = {distance, from, m_epoch, false};
            } else if (!node.done && distance < node.distance) {
                node.distance = distance;
                node.from = from;
            } else {
                return;
            }
            queue.emplace(distance, column);
        };
        for (const Edge& edge : m_edges[from]) {
            reach(edge.column, {0, edge.cost});
        }
        reach(m_columns + from, {1, 0});
        while (m_nodes[queue.top().second].done) {
            queue.pop();
        }
        const std::size_t column = queue.top().second;
        queue.pop();
        m_nodes[column].done = true;
        sofar = m_nodes[column].distance;
        if (m_owner[column] == kNone) {
            end = column;
        } else {
            done.push_back(column);
            from = m_owner[column];
        }
    }
    m_rowPrice[row] = m_rowPrice[row] + sofar;
    for (const std::size_t column : done) {
        const Cost rest = sofar - m_nodes[column].distance;
        m_columnPrice[column] = m_columnPrice[column] - rest;
        m_rowPrice[m_owner[column]] = m_rowPrice[m_owner[column]] + rest;
    }
    m_pairs += end < m_columns ? 1 : 0;
    augment(row, end);
}

void Assignment::augment(std::size_t row, std::size_t column) {
    for (std::size_t from = kNone; from != row;) {
        from = m_nodes[column].from;
        m_owner[column] = from;
        std::swap(m_column[from], column);
    }
}

} // namespace flcc::match::detail
