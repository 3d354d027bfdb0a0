#include "ui/compare/difference_model.h"

#include <algorithm>

#include "ui/base/text.h"

namespace flcc::ui {

void DifferenceModel::setComparison(const Comparison* comparison) {
    beginResetModel();
    m_rows.clear();
    if (comparison != nullptr) {
        const job::ComparedLists& lists = *comparison->lists;
        m_unit = toQString(lists.tolerance.unit);
        const auto peakOf = [&](int a) { return comparison->peaks[static_cast<std::size_t>(a)]; };
        const auto add = [&](FoundIn found, int a, int b, double distance) {
            const io::ListedPosition& position =
                a >= 0 ? lists.a.positions[static_cast<std::size_t>(a)]
                       : lists.b.positions[static_cast<std::size_t>(b)];
            m_rows.push_back(
                {found, a >= 0 ? peakOf(a) : -1, b, distance, position.score, position.centre});
        };
        for (const match::MatchedPair& pair : lists.comparison.pairs) {
            add(FoundIn::Both, pair.a, pair.b, pair.distance);
        }
        for (const int a : lists.comparison.onlyA) {
            add(FoundIn::OnlyA, a, -1, 0);
        }
        for (const int b : lists.comparison.onlyB) {
            add(FoundIn::OnlyB, -1, b, 0);
        }
    }
    endResetModel();
}

int DifferenceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DifferenceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const {
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Found) {
        return colourOf(row.found);
    }
    if (role == Qt::TextAlignmentRole && index.column() != Found) {
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    }
    const bool sorting = role == kSortRole;
    if (!sorting && role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case Found:
        return sorting ? QVariant(static_cast<int>(row.found)) : textOf(row.found);
    case Peak:
        return row.peak >= 0 ? QVariant(row.peak + 1) : QVariant();
    case Other:
        return row.other >= 0 ? QVariant(row.other + 1) : QVariant();
    case Distance:
        return row.found != FoundIn::Both ? QVariant()
               : sorting                  ? QVariant(row.distance)
                                          : QString::number(row.distance, 'f', 2);
    default:
        return !row.score ? QVariant()
               : sorting  ? QVariant(*row.score)
                          : QString::number(*row.score, 'g', 4);
    }
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Peak:
            return tr("Rank in the list of the shown result");
        case Other:
            return tr("Rank in the other list");
        case Distance:
            return tr("Distance of the two (%1)").arg(m_unit);
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Found:
        return tr("Found");
    case Peak:
        return tr("#");
    case Other:
        return tr("# there");
    case Distance:
        return tr("Apart");
    default:
        return tr("Score");
    }
}

} // namespace flcc::ui
