#include "ui/batch/batch_model.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ui/base/text.h"

namespace flcc::ui {
namespace {

QString stateText(const job::BatchRow& row) {
    switch (row.state) {
    case job::BatchState::Waiting:
        return BatchModel::tr("waiting");
    case job::BatchState::Running:
        return BatchModel::tr("running");
    case job::BatchState::Done:
        return row.earlier ? BatchModel::tr("done before") : BatchModel::tr("done");
    case job::BatchState::Failed:
        return BatchModel::tr("failed: %1").arg(toQString(row.reason));
    }
    return {};
}

} // namespace

std::vector<std::filesystem::path> BatchModel::files() const {
    std::vector<std::filesystem::path> files;
    for (const job::BatchRow& row : m_rows) {
        files.push_back(row.file);
    }
    return files;
}

void BatchModel::add(const std::vector<std::filesystem::path>& files) {
    const std::vector<std::filesystem::path> listed = this->files();
    std::set<std::filesystem::path> known(listed.begin(), listed.end());
    for (const std::filesystem::path& file : files) {
        if (known.insert(file).second) {
            const auto last = static_cast<int>(m_rows.size());
            beginInsertRows({}, last, last);
            m_rows.push_back({.file = file});
            endInsertRows();
        }
    }
}

void BatchModel::remove(std::vector<int> rows) {
    std::ranges::sort(rows, std::greater<>());
    for (const int row : rows) {
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
}

void BatchModel::reset() {
    beginResetModel();
    for (job::BatchRow& row : m_rows) {
        row = {.file = row.file, .name = row.name};
    }
    endResetModel();
}

void BatchModel::setRow(std::size_t number, const job::BatchRow& row) {
    if (number < m_rows.size()) {
        m_rows[number] = row;
        const auto at = static_cast<int>(number);
        Q_EMIT dataChanged(index(at, 0), index(at, Columns - 1));
    }
}

int BatchModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BatchModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant BatchModel::data(const QModelIndex& index, int role) const {
    const job::BatchRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool ended = row.state == job::BatchState::Done || row.state == job::BatchState::Failed;
    if (role == Qt::ToolTipRole) {
        return pathText(row.file) +
               (row.reason.empty() ? QString() : QChar('\n') + toQString(row.reason));
    }
    if (role == Qt::TextAlignmentRole && index.column() > State) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case File:
        return pathText(row.file.filename());
    case State:
        return stateText(row);
    case Peaks:
        return row.state == job::BatchState::Done ? QVariant(static_cast<qint64>(row.peaks))
                                                  : QVariant();
    case Time:
        return ended && !row.earlier ? QVariant(durationText(row.ms)) : QVariant();
    default:
        return {};
    }
}

QVariant BatchModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == File    ? tr("File")
           : section == State ? tr("State")
           : section == Peaks ? tr("Peaks")
                              : tr("Time");
}

} // namespace flcc::ui
