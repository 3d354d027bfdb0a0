#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace flcc::match::detail {

/// Pairs rows with columns one to one, one row after the other. After each row the number of pairs
/// is the largest and the sum of their costs the smallest that the rows so far allow.
/// **Source**: Jonker and Volgenant, Computing 38 (1987): shortest augmenting paths with
/// potentials.
class Assignment {
  public:
    struct Edge {
        std::size_t column = 0;
        double cost = 0;
    };

    explicit Assignment(std::size_t columns) : m_columns(columns), m_owner(columns, kNone) {}

    /// Adds a row that may be paired with the columns of its edges.
    void addRow(std::vector<Edge> edges);

    [[nodiscard]] std::size_t pairs() const { return m_pairs; }
    /// The column of a row; empty if it has none.
    [[nodiscard]] std::optional<std::size_t> columnOf(std::size_t row) const;

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    /// Rows that stay alone count first, then the sum of costs.
    struct Cost {
        long alone = 0;
        double sum = 0;

        friend Cost operator+(const Cost& a, const Cost& b) {
            return {a.alone + b.alone, a.sum + b.sum};
        }
        friend Cost operator-(const Cost& a, const Cost& b) {
            return {a.alone - b.alone, a.sum - b.sum};
        }
        friend bool operator<(const Cost& a, const Cost& b) {
            return a.alone != b.alone ? a.alone < b.alone : a.sum < b.sum;
        }
    };
    struct Node {
        Cost distance{};
        std::size_t from = kNone; ///< the row before
        std::size_t epoch = 0;    ///< of the search that reached it
        bool done = false;
    };

    void augment(std::size_t row, std::size_t column);

    std::size_t m_columns;             ///< each row has one more of its own, in which it is alone
    std::vector<std::size_t> m_owner;  ///< the row of a column
    std::vector<std::size_t> m_column; ///< the column of a row
    std::vector<std::vector<Edge>> m_edges;
    std::vector<Cost> m_rowPrice;
    std::vector<Cost> m_columnPrice;
    std::vector<Node> m_nodes;
    std::size_t m_epoch = 0;
    std::size_t m_pairs = 0;
};

} // namespace flcc::match::detail
