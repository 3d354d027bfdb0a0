#include "ui/results/peaks_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <set>

#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/voxel_tips.h"
#include "ui/results/peak_columns.h"

namespace flcc::ui {

PeaksPanel::PeaksPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("peaksPanel"));
    m_model = new PeaksModel(this);
    m_filter = new PeaksFilter(this);
    m_filter->setSourceModel(m_model);
    makeButtons();
    makeTable();
    setFocusProxy(m_table);
    m_bar = new QHBoxLayout;
    m_bar->setContentsMargins(8, 4, 8, 4);
    m_bar->addWidget(m_summary, 1);
    m_bar->addWidget(m_all);
    m_bar->addWidget(m_text);
    m_bar->addWidget(m_world);
    m_bar->addWidget(m_copy);
    m_bar->addWidget(m_export);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_bar);
    layout->addWidget(m_table, 1);
    connectTable();
    connect(&m_document, &Document::resultShown, this, &PeaksPanel::onResultShown);
    connect(&m_document, &Document::peaksReplaced, this, &PeaksPanel::showPeaks);
    connect(&m_document, &Document::decisionsChanged, this, &PeaksPanel::showDecisions);
    connect(&m_document, &Document::peakSelected, this, &PeaksPanel::onPeakSelected);
    onResultShown();
}

/// The fields above the table.
void PeaksPanel::makeButtons() {
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("peaksSummary"));
    m_summary->setForegroundRole(kMutedText);
    m_summary->setMinimumWidth(1); // clipped where there is no room
    m_text = new QLineEdit(this);
    m_text->setObjectName(QStringLiteral("peaksFilter"));
    m_text->setAccessibleName(tr("Filter peaks"));
    m_text->setPlaceholderText(tr("Filter"));
    m_text->setToolTip(tr("Shows the rows that hold this text in any column"));
    m_text->setClearButtonEnabled(true);
    m_text->setMaximumWidth(180);
    m_text->setMinimumWidth(60);
    m_all = new QToolButton(this);
    m_all->setObjectName(QStringLiteral("peaksAll"));
    m_all->setAccessibleName(tr("List all peaks"));
    m_all->setText(tr("All"));
    m_all->setToolTip(tr("Lists all peaks of the map that reach the threshold"));
    connect(m_all, &QToolButton::clicked, this, &PeaksPanel::allPeaksRequested);
    m_world = new QToolButton(this);
    m_world->setObjectName(QStringLiteral("peaksWorld"));
    m_world->setAccessibleName(tr("World units"));
    m_world->setText(tr("World"));
    m_world->setCheckable(true);
    m_world->setChecked(Settings::flag(QStringLiteral("peaks/world"), false));
    (new VoxelTips(m_document, this))
        ->set(m_world, tr("Shows centres in world units instead of %1 (View > World positions "
                          "chooses the axes)"));
    connect(m_world, &QToolButton::toggled, this, [this](bool on) {
        Settings::setFlag(QStringLiteral("peaks/world"), on);
        showColumns();
    });
    m_copy = new QToolButton(this);
    m_copy->setObjectName(QStringLiteral("peaksCopy"));
    m_copy->setAccessibleName(tr("Copy peaks"));
    m_copy->setText(tr("Copy as TSV"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setToolTip(
        tr("Copies the selected rows, or all shown, as tab-separated text with the columns of the "
           "table (Ctrl+C in the table)"));
    m_export = new QToolButton(this);
    m_export->setObjectName(QStringLiteral("peaksExport"));
    m_export->setAccessibleName(tr("Export peaks"));
    m_export->setText(tr("Export …"));
    m_export->setIcon(icon(QStringLiteral("export")));
    m_export->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_export->setToolTip(
        tr("Writes the peaks for a program that you choose (File > Export > Peaks)"));
    connect(m_export, &QToolButton::clicked, this, &PeaksPanel::exportRequested);
}

void PeaksPanel::makeTable() {
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("peaksTable"));
    m_table->setAccessibleName(tr("Peaks"));
    m_table->setToolTip(tr("A row centres every view on its peak (Up, Down; in a view N, P)"));
    m_table->setModel(m_filter);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(PeaksModel::Rank, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
    m_columns = new PeakColumns(*m_table);
}

void PeaksPanel::connectTable() {
    auto* copyAction = new QAction(tr("Copy as TSV"), m_table);
    copyAction->setShortcut(QKeySequence::Copy);
    copyAction->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(copyAction);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copyAction, &QAction::triggered, this, &PeaksPanel::copy);
    connect(m_copy, &QToolButton::clicked, this, &PeaksPanel::copy);
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setText(text);
        refresh();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_following) {
                    const int peak = current.isValid() ? m_filter->mapToSource(current).row() : -1;
                    m_leading = true;
                    m_document.selectPeak(peak);
                    m_leading = false;
                    Q_EMIT peakActivated(peak);
                }
            });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { Q_EMIT selectionChanged(selectedRows()); });
    // A click on the current row moves the views back to its peak.
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        m_document.selectPeak(m_filter->mapToSource(index).row());
        Q_EMIT peakActivated(m_filter->mapToSource(index).row());
    });
}

void PeaksPanel::onResultShown() {
    m_total = 0;
    m_more = false;
    showPeaks();
}

void PeaksPanel::setTotal(std::int64_t total, bool more) {
    m_total = total;
    m_more = more;
    refresh();
}

void PeaksPanel::showPeaks() {
    const ResultEntry* result = m_document.result();
    Q_EMIT selectionChanged({}); // the rows go without a word
    m_following = true;
    std::vector<match::PeakKey> added;
    for (const match::Peak& each : result == nullptr ? std::vector<match::Peak>() : result->added) {
        added.push_back(match::keyOf(each));
    }
    m_model->setAdded(std::move(added));
    m_model->setPeaks(result == nullptr ? std::vector<match::Peak>() : result->job->peaks,
                      result == nullptr ? base::Geometry{} : result->job->geometry,
                      m_document.isVolume());
    m_following = false;
    if (result != nullptr) {
        m_model->setDecisions(result->decisions.of(result->job->peaks));
    }
    m_columns->fit();
    showColumns();
    refresh();
}

/// Centres in voxels or in world units; the third axis for volumes; what the result has.
void PeaksPanel::showColumns() {
    const ResultEntry* result = m_document.result();
    std::set<int> columns{PeaksModel::Rank,           PeaksModel::Score,   PeaksModel::ZScore,
                          PeaksModel::FalsePositives, PeaksModel::Rival,   PeaksModel::Bound,
                          PeaksModel::Mark,           PeaksModel::Decision};
    const int first = m_world->isChecked() ? PeaksModel::WorldX : PeaksModel::CentreX;
    for (int axis = 0; axis < (m_document.isVolume() ? 3 : 2); ++axis) {
        columns.insert({PeaksModel::X + axis, first + axis});
    }
    const auto add = [&](PeaksModel::Column column, bool there) {
        if (there) {
            columns.insert(column);
        }
    };
    add(PeaksModel::Templ, result != nullptr && result->job->templates.size() > 1);
    add(PeaksModel::Pose, result != nullptr && result->job->report.poses);
    add(PeaksModel::SearchZ, result != nullptr && result->job->report.search);
    m_columns->setAvailable(std::move(columns));
}

void PeaksPanel::showDecisions() {
    if (const ResultEntry* result = m_document.result()) {
        m_model->setDecisions(result->decisions.of(result->job->peaks));
        refresh();
    }
}

/// "12 kept, 3 rejected"; empty as long as nothing is decided.
QString PeaksPanel::decidedText() const {
    const ResultEntry* result = m_document.result();
    if (result == nullptr) {
        return {};
    }
    const auto counts = result->decisions.counts(result->job->peaks);
    QStringList parts;
    const auto add = [&](match::Decision decision, const QString& text) {
        const std::int64_t count = counts[static_cast<std::size_t>(decision)];
        if (count > 0) {
            parts << text.arg(count);
        }
    };
    add(match::Decision::Keep, tr("%1 kept"));
    add(match::Decision::Reject, tr("%1 rejected"));
    add(match::Decision::Unsure, tr("%1 unsure"));
    return parts.join(QStringLiteral(", "));
}

QItemSelectionModel& PeaksPanel::selection() const { return *m_table->selectionModel(); }

void PeaksPanel::sortBy(int column, Qt::SortOrder order) { m_table->sortByColumn(column, order); }

void PeaksPanel::addButton(QAction* action) {
    auto* button = new QToolButton(this);
    action->setIconText(tr("Explain")); // the button is short
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    m_bar->addWidget(button);
}

void PeaksPanel::addKey(QAction* action) { m_table->addAction(action); }

std::vector<int> PeaksPanel::selectedPeaks() const {
    std::vector<int> peaks = selectedRows();
    if (peaks.empty() && m_document.selectedPeak() >= 0) {
        peaks.push_back(m_document.selectedPeak());
    }
    return peaks;
}

/// By ranges: QItemSelectionModel::selectedRows() is slow where many rows are selected.
std::vector<int> PeaksPanel::selectedRows() const {
    std::set<int> peaks;
    for (const QItemSelectionRange& range : selection().selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            peaks.insert(m_filter->mapToSource(m_filter->index(row, 0)).row());
        }
    }
    return {peaks.begin(), peaks.end()};
}

void PeaksPanel::selectPeaks(const std::vector<int>& peaks, bool more) {
    std::vector<int> rows;
    for (const int peak : peaks) {
        const QModelIndex row = m_filter->mapFromSource(m_model->index(peak, 0));
        if (row.isValid()) {
            rows.push_back(row.row());
        }
    }
    std::ranges::sort(rows);
    QItemSelection chosen;
    for (std::size_t first = 0; first < rows.size();) {
        std::size_t last = first;
        while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) {
            ++last;
        }
        chosen.append(QItemSelectionRange(m_filter->index(rows[first], 0),
                                          m_filter->index(rows[last], PeaksModel::kColumns - 1)));
        first = last + 1;
    }
    m_following = true; // the views are not centred on the current row
    m_leading = true;
    if (!rows.empty()) {
        selection().setCurrentIndex(m_filter->index(rows.front(), 0),
                                    QItemSelectionModel::NoUpdate);
        m_table->scrollTo(m_filter->index(rows.front(), 0));
    }
    selection().select(chosen,
                       more ? QItemSelectionModel::Select : QItemSelectionModel::ClearAndSelect);
    if (!more || m_document.selectedPeak() < 0) {
        const bool held = std::ranges::find(peaks, m_document.selectedPeak()) != peaks.end();
        m_document.selectPeak(held ? m_document.selectedPeak() : -1);
    }
    m_following = false;
    m_leading = false;
}

void PeaksPanel::setThreshold(double score) {
    m_threshold = score;
    m_filter->setMinScore(score);
    refresh();
}

void PeaksPanel::refresh() {
    const ResultEntry* result = m_document.result();
    const int shown = m_filter->rowCount();
    const int all = m_model->rowCount();
    QString text;
    if (result == nullptr) {
        text = tr("No peaks yet: choose a template and press Run.");
    } else if (!job::isWhole(*result->job)) {
        text = tr("The run was cancelled; its map is partial and has no peaks.");
    } else if (all == 0) {
        text = tr("No peak reaches the score %1.").arg(numberText(job::thresholdOf(*result)));
        if (result->job->report.map) {
            text += tr(" The best score of the map is %1: lower the threshold.")
                        .arg(result->job->report.map->statistics.maximum, 0, 'f', 3);
        }
    } else {
        // With a text filter or a higher threshold, the count of the whole map says nothing.
        const bool part = m_total > all && shown == all;
        text = part ? tr("%1 of %2%3 shown")
                          .arg(QString::number(shown), m_more ? tr("more than ") : QString(),
                               QString::number(m_total))
               : shown == all ? peaksText(all)
               : m_filter->hasText()
                   ? tr("%1 of %2 peaks hold the text of the filter").arg(shown).arg(all)
                   : tr("%1 of %2 peaks reach the threshold").arg(shown).arg(all);
        if (const QString decided = decidedText(); !decided.isEmpty()) {
            text += QStringLiteral(" · ") + decided;
        }
        text += m_document.isVolume()
                    ? tr(" · positions in voxels from 0, x y z = first voxel of the placement")
                    : tr(" · positions in pixels from 0, x y = first pixel of the placement");
        if (result->settings.operation.traits().hasThreshold() &&
            m_threshold < job::thresholdOf(*result) - 1e-9 && !result->job->map) {
            text +=
                tr(" · run again for peaks below %1").arg(numberText(job::thresholdOf(*result)));
        }
    }
    const std::string incomplete =
        result == nullptr ? std::string() : result->job->report.peaksIncomplete;
    if (!incomplete.empty()) {
        text = tr("Incomplete: %1").arg(toQString(incomplete)) + QStringLiteral(" · ") + text;
    }
    // A narrow window cuts it off.
    const bool law = result != nullptr && result->job->report.threshold.has_value();
    m_summary->setToolTip(
        law ? tr("%1\nThreshold: %2")
                  .arg(text, toQString(job::thresholdText(*result->job->report.threshold)))
            : text);
    m_summary->setText(text);
    m_all->setVisible(result != nullptr && m_total > all);
    m_copy->setEnabled(shown > 0);
    m_export->setEnabled(shown > 0);
    std::vector<int> peaks = visiblePeaks();
    m_document.setPeakChoice({peaks, m_threshold, m_filter->hasText()});
    Q_EMIT visiblePeaksChanged(peaks);
}

std::vector<int> PeaksPanel::visiblePeaks() const {
    std::vector<int> peaks;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        peaks.push_back(m_filter->mapToSource(m_filter->index(row, 0)).row());
    }
    std::ranges::sort(peaks);
    return peaks;
}

void PeaksPanel::onPeakSelected(int peak) {
    if (m_leading) {
        return; // the table selects further rows itself
    }
    m_following = true;
    const QModelIndex row = m_filter->mapFromSource(m_model->index(peak, 0));
    if (row.isValid()) {
        if (m_table->currentIndex().row() != row.row()) {
            m_table->setCurrentIndex(row);
        }
        m_table->selectRow(row.row());
        m_table->scrollTo(row);
    } else {
        m_table->clearSelection();
        m_table->setCurrentIndex({});
    }
    m_following = false;
}

void PeaksPanel::step(int rows) {
    const int count = m_filter->rowCount();
    if (count == 0) {
        return;
    }
    const QModelIndex current =
        m_filter->mapFromSource(m_model->index(m_document.selectedPeak(), 0));
    int row = rows > 0 ? 0 : count - 1;
    if (current.isValid()) {
        row = (current.row() + rows + count) % count;
    }
    const int peak = m_filter->mapToSource(m_filter->index(row, 0)).row();
    m_document.selectPeak(peak);
    Q_EMIT peakActivated(peak);
}

QString PeaksPanel::asTsv() const {
    const std::vector<int> columns = m_columns->listed();
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) {
        rows.push_back(index.row());
    }
    std::ranges::sort(rows);
    if (rows.size() < 2) {
        rows.resize(static_cast<std::size_t>(m_filter->rowCount()));
        std::iota(rows.begin(), rows.end(), 0);
    }
    if (rows.empty()) {
        return {};
    }
    const auto line = [&columns](const auto& cellOf) {
        QStringList cells;
        for (const int column : columns) {
            cells << cellOf(column);
        }
        return cells.join(QChar('\t')) + QChar('\n');
    };
    QString text = line([this](int column) {
        return m_filter->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    });
    for (const int row : rows) {
        text += line([this, row](int column) {
            return m_filter->index(row, column).data(Qt::DisplayRole).toString();
        });
    }
    return text;
}

void PeaksPanel::copy() {
    const QString text = asTsv();
    if (!text.isEmpty()) {
        QApplication::clipboard()->setText(text);
        Q_EMIT statusMessage(tr("The peaks were copied to the clipboard as tab-separated text."));
    }
}

} // namespace flcc::ui
