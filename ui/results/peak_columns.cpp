#include "ui/results/peak_columns.h"

#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>

#include <algorithm>
#include <vector>

#include "ui/base/settings.h"

namespace flcc::ui {
namespace {

constexpr int kMargin = 14;     // of a text in its cell
constexpr int kArrow = 12;      // that the head of a sorted column shows
constexpr int kMeasured = 100;  // rows
constexpr int kMostWidth = 260; // of a column
constexpr int kLeastWidth = 40;

QString keyOf(int column) { return QStringLiteral("peaks/column%1").arg(column); }

} // namespace

PeakColumns::PeakColumns(QTableView& table) : QObject(&table), m_table(table) {
    QHeaderView& header = *m_table.horizontalHeader();
    header.setStretchLastSection(true);
    header.setHighlightSections(false);
    header.setMinimumSectionSize(kLeastWidth);
    header.moveSection(PeaksModel::Templ, PeaksModel::X); // after the score
    header.moveSection(header.visualIndex(PeaksModel::Pose), PeaksModel::X);
    header.moveSection(header.visualIndex(PeaksModel::Decision), PeaksModel::X);
    header.moveSection(header.visualIndex(PeaksModel::SearchZ),
                       header.visualIndex(PeaksModel::FalsePositives));
    for (int axis = 0; axis < 3; ++axis) { // where the centre in voxels stands
        header.moveSection(header.visualIndex(PeaksModel::WorldX + axis),
                           header.visualIndex(PeaksModel::CentreZ) + 1 + axis);
    }
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&header, &QWidget::customContextMenuRequested, this, &PeakColumns::showMenu);
    m_table.viewport()->installEventFilter(this);
    // A decision brings its column back.
    connect(m_table.model(), &QAbstractItemModel::dataChanged, this, &PeakColumns::arrange);
    for (int column = 0; column < PeaksModel::kColumns; ++column) {
        m_wishes[static_cast<std::size_t>(column)] =
            static_cast<Wish>(std::clamp(Settings::number(keyOf(column), 0), 0, 2));
    }
}

void PeakColumns::setAvailable(std::set<int> columns) {
    m_available = std::move(columns);
    arrange();
}

int PeakColumns::widthOf(int column) const {
    const QAbstractItemModel& model = *m_table.model();
    const QFontMetrics& font = m_table.fontMetrics();
    int widest = font.horizontalAdvance(
                     model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
                 kArrow;
    if (column == PeaksModel::Decision) { // keys write into it
        for (std::size_t i = 0; i < match::kDecisionCount; ++i) {
            widest = std::max(widest, font.horizontalAdvance(PeaksModel::decisionText(
                                          static_cast<match::Decision>(i))));
        }
    }
    for (int row = 0; row < std::min(kMeasured, model.rowCount()); ++row) {
        widest = std::max(widest, font.horizontalAdvance(
                                      model.index(row, column).data(Qt::DisplayRole).toString()));
    }
    return std::clamp(widest + kMargin, kLeastWidth, kMostWidth);
}

void PeakColumns::fit() {
    for (int column = 0; column < PeaksModel::kColumns; ++column) {
        m_widths[static_cast<std::size_t>(column)] = widthOf(column);
        m_table.setColumnWidth(column, m_widths[static_cast<std::size_t>(column)]);
    }
    arrange();
}

/// Columns that may be left out, those that say least first.
std::vector<int> PeakColumns::leastImportant() const {
    const QAbstractItemModel& model = *m_table.model();
    const auto all = [&](int column, const QString& text) {
        bool same = true;
        for (int row = 0; row < std::min(kMeasured, model.rowCount()); ++row) {
            same = same && model.index(row, column).data().toString() == text;
        }
        return same;
    };
    std::vector<int> order{PeaksModel::Bound};
    if (all(PeaksModel::Mark, QStringLiteral("OK"))) {
        order.push_back(PeaksModel::Mark);
    }
    for (const int column : {PeaksModel::Rival, PeaksModel::FalsePositives, PeaksModel::ZScore,
                             PeaksModel::Z, PeaksModel::Y, PeaksModel::X, PeaksModel::Mark}) {
        order.push_back(column);
    }
    if (all(PeaksModel::Decision, {})) { // nobody has judged yet
        order.push_back(PeaksModel::Decision);
    }
    return order;
}

/// Shows what there is, what a person wants and what there is space for.
void PeakColumns::arrange() {
    const auto wishOf = [&](int column) { return m_wishes[static_cast<std::size_t>(column)]; };
    std::set<int> shown;
    int width = 0;
    for (const int column : m_available) {
        if (wishOf(column) != Wish::Hide) {
            shown.insert(column);
            width += m_widths[static_cast<std::size_t>(column)];
        }
    }
    for (const int column : leastImportant()) {
        if (width > m_table.viewport()->width() && wishOf(column) == Wish::None &&
            shown.erase(column) > 0) {
            width -= m_widths[static_cast<std::size_t>(column)];
        }
    }
    for (int column = 0; column < PeaksModel::kColumns; ++column) {
        const bool hidden = !shown.contains(column);
        if (m_table.isColumnHidden(column) != hidden) {
            m_table.setColumnHidden(column, hidden);
        }
    }
}

std::vector<int> PeakColumns::listed() const {
    std::vector<int> columns;
    const QHeaderView& header = *m_table.horizontalHeader();
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place);
        if (m_available.contains(column) &&
            m_wishes[static_cast<std::size_t>(column)] != Wish::Hide) {
            columns.push_back(column);
        }
    }
    return columns;
}

bool PeakColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        arrange();
    }
    return QObject::eventFilter(watched, event);
}

void PeakColumns::wish(int column, Wish wish) {
    m_wishes[static_cast<std::size_t>(column)] = wish;
    Settings::setNumber(keyOf(column), static_cast<int>(wish));
}

void PeakColumns::showMenu(const QPoint& place) {
    auto* menu = new QMenu(&m_table);
    menu->setObjectName(QStringLiteral("peakColumns"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QHeaderView& header = *m_table.horizontalHeader();
    for (int at = 0; at < header.count(); ++at) {
        const int column = header.logicalIndex(at);
        if (!m_available.contains(column) || column == PeaksModel::Rank ||
            column == PeaksModel::Score) {
            continue;
        }
        QAction* action = menu->addAction(
            m_table.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setObjectName(QStringLiteral("peakColumn%1").arg(column));
        action->setCheckable(true);
        action->setChecked(!m_table.isColumnHidden(column));
        connect(action, &QAction::triggered, this, [this, column](bool on) {
            wish(column, on ? Wish::Show : Wish::Hide);
            arrange();
        });
    }
    menu->addSeparator();
    QAction* all = menu->addAction(tr("As many as there is space for"));
    all->setObjectName(QStringLiteral("peakColumnsAuto"));
    connect(all, &QAction::triggered, this, [this] {
        for (int column = 0; column < PeaksModel::kColumns; ++column) {
            wish(column, Wish::None);
        }
        arrange();
    });
    menu->popup(header.mapToGlobal(place));
}

} // namespace flcc::ui
