#include "ui/results/peaks_model.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"

namespace flcc::ui {

PeaksModel::PeaksModel(QObject* parent) : QAbstractTableModel(parent) {}

void PeaksModel::setPeaks(std::vector<match::Peak> peaks, base::Geometry geometry, bool volume) {
    beginResetModel();
    m_peaks = std::move(peaks);
    m_decisions.clear();
    m_geometry = std::move(geometry);
    m_volume = volume;
    endResetModel();
}

void PeaksModel::setDecisions(std::vector<match::Decision> decisions) {
    m_decisions = std::move(decisions);
    if (!m_peaks.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    }
}

void PeaksModel::setAdded(std::vector<match::PeakKey> added) { m_added = std::move(added); }

bool PeaksModel::isAdded(int row) const {
    const match::PeakKey key = match::keyOf(m_peaks[static_cast<std::size_t>(row)]);
    return std::ranges::find(m_added, key) != m_added.end();
}

match::Decision PeaksModel::decision(int row) const {
    const auto at = static_cast<std::size_t>(row);
    return at < m_decisions.size() ? m_decisions[at] : match::Decision::Undecided;
}

int PeaksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_peaks.size());
}

int PeaksModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant PeaksModel::number(const match::Peak& peak, int row, int column) const {
    switch (column) {
    case Rank:
        return row + 1;
    case Score:
        return peak.score;
    case X:
        return static_cast<qlonglong>(peak.corner.x);
    case Y:
        return static_cast<qlonglong>(peak.corner.y);
    case Z:
        return static_cast<qlonglong>(peak.corner.z);
    case CentreX:
    case CentreY:
    case CentreZ:
        return peak.centre[static_cast<std::size_t>(column - CentreX)];
    case WorldX:
    case WorldY:
    case WorldZ:
        return peak.world[static_cast<std::size_t>(column - WorldX)];
    case ZScore:
        return peak.zscore.value_or(-std::numeric_limits<double>::infinity());
    case FalsePositives:
        return peak.falsePositives.value_or(-1);
    case Rival:
        return peak.rival.value_or(-1);
    case Bound:
        return peak.bound;
    case Templ:
        return peak.templ;
    case Pose:
        return peak.pose ? rotation::roundedInPlane(peak.pose->turn, 0.1) : 0;
    case SearchZ:
        return peak.search ? peak.search->z : -std::numeric_limits<double>::infinity();
    case Decision:
        return static_cast<int>(decision(row));
    default:
        return toQString(base::name(peak.status));
    }
}

QString PeaksModel::text(const match::Peak& peak, int row, int column) const {
    const QVariant value = number(peak, row, column);
    switch (column) {
    case Score:
        return QString::number(peak.score, 'f', 4);
    case CentreX:
    case CentreY:
    case CentreZ:
        return QString::number(value.toDouble(), 'f', 2);
    case WorldX:
    case WorldY:
    case WorldZ:
        return numberText(value.toDouble());
    case ZScore:
        return peak.zscore ? QString::number(*peak.zscore, 'f', 1) : QString();
    case FalsePositives:
        return peak.falsePositives ? QString::number(*peak.falsePositives, 'g', 2) : QString();
    case Rival:
        return peak.rival ? QString::number(*peak.rival, 'f', 2) : QString();
    case Bound:
        return QString::number(peak.bound, 'g', 2);
    case Pose:
        return toQString(job::poseText(peak, !m_volume));
    case SearchZ:
        return peak.search ? QString::number(peak.search->z, 'f', 1) : QString();
    case Decision:
        return decisionText(decision(row));
    default:
        return value.toString();
    }
}

QVariant PeaksModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= static_cast<int>(m_peaks.size())) {
        return {};
    }
    const match::Peak& peak = m_peaks[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(peak, index.row(), index.column());
    case kSortRole:
        return number(peak, index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter |
                          (index.column() == Mark || index.column() == Decision ? Qt::AlignLeft
                                                                                : Qt::AlignRight)));
    case Qt::ForegroundRole:
        return inkOf(index.row(), index.column());
    case Qt::ToolTipRole:
        return tr("Peak %1: score %2, centre %3 in %4 from 0")
                   .arg(index.row() + 1)
                   .arg(peak.score, 0, 'f', 4)
                   .arg(centreText(peak), voxelsWord(m_volume)) +
               (peak.dark ? (*peak.dark ? tr("; found with the other sign")
                                        : tr("; found with the sign of the template"))
                          : QString()) +
               (peak.madeOf ? tr("; the template was made of it, so its score is too high")
                            : QString()) +
               (peak.sharpness ? tr("; sharpness %1: height above its surroundings")
                                     .arg(*peak.sharpness, 0, 'f', 3)
                               : QString()) +
               (peak.overlap ? tr("; overlaps a better peak by %1 % of the smaller template: its "
                                  "false positives do not count the slope of that peak's scores")
                                   .arg(100 * peak.overlap->share, 0, 'f', 0)
                             : QString());
    default:
        return {};
    }
}

QString PeaksModel::decisionText(match::Decision decision) {
    const std::array<QString, match::kDecisionCount> names{QString(), tr("keep"), tr("reject"),
                                                           tr("unsure")};
    return names[static_cast<std::size_t>(decision)];
}

/// The colour of a text: a rejected peak is grey.
QVariant PeaksModel::inkOf(int row, int column) const {
    switch (decision(row)) {
    case match::Decision::Reject:
        return accents().muted;
    case match::Decision::Keep:
        return column == Decision ? QVariant(accents().good) : QVariant();
    case match::Decision::Unsure:
        return column == Decision ? QVariant(accents().warning) : QVariant();
    case match::Decision::Undecided:
        break;
    }
    return {};
}

/// "11.50, 20.25", in a volume with z.
QString PeaksModel::centreText(const match::Peak& peak) const {
    const QString plane =
        QStringLiteral("%1, %2").arg(peak.centre[0], 0, 'f', 2).arg(peak.centre[1], 0, 'f', 2);
    return m_volume ? QStringLiteral("%1, %2").arg(plane).arg(peak.centre[2], 0, 'f', 2) : plane;
}

/// "R [mm]", "world x [µm]".
QString PeaksModel::worldName(int axis) const {
    const QString axes = toQString(base::name(m_geometry.axes));
    const QString letters = QStringLiteral("xyz");
    return QStringLiteral("%1 [%2]").arg(axes.isEmpty() ? tr("world %1").arg(letters[axis])
                                                        : QString(axes[axis]),
                                         unitText(m_geometry));
}

QVariant PeaksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) {
        return {};
    }
    const std::array<QString, kColumns> names{
        tr("#"),        tr("score"),    tr("x [0-based]"), tr("y [0-based]"), tr("z [0-based]"),
        tr("centre x"), tr("centre y"), tr("centre z"),    tr("z-score"),     tr("false pos."),
        tr("contrast"), tr("± error"),  tr("status"),      tr("template"),    tr("pose"),
        tr("search z"), worldName(0),   worldName(1),      worldName(2),      tr("decision")};
    const QString voxel = voxelWord(m_volume);
    const QString voxels = voxelsWord(m_volume);
    const QString first = tr("First %1 of the placement along %2, counted from 0");
    const QString centre = tr("Sub-%1 centre along %2, in %3 counted from 0");
    const std::array<QString, kColumns> tips{
        tr("Rank in the list, counted from 1"),
        tr("Local correlation coefficient, recomputed in double"),
        first.arg(voxel, QChar('x')),
        first.arg(voxel, QChar('y')),
        first.arg(voxel, QChar('z')),
        centre.arg(voxel, QChar('x'), voxels),
        centre.arg(voxel, QChar('y'), voxels),
        centre.arg(voxel, QChar('z'), voxels),
        tr("Distance of the score from the mean of all scores, in standard deviations"),
        tr("Peaks with at least this score that are expected in a scene without the template. "
           "Column false_positives of exports"),
        tr("How far the peak stands out: its score divided by the best score elsewhere (outside "
           "the "
           "exclusion zone); 1 is a tie. Column rival of exports"),
        tr("Largest possible error of the score, which was recomputed in double. Column bound of "
           "exports"),
        tr("OK, PARTIAL or LOWCONF"),
        tr("Number of the template that was found, counted from 0 as in the list"),
        tr("How the template is turned: degrees counter-clockwise, or rot, tilt and psi of RELION; "
           "then its scale and whether it is mirrored"),
        tr("Deviations of the best score above the mean of all orientations or templates at this "
           "place; mean and deviation are in Explain and in exports"),
        tr("The centre in world units, along the first axis of the world"),
        tr("The centre in world units, along the second axis of the world"),
        tr("The centre in world units, along the third axis of the world"),
        tr("keep, reject or unsure: Space, X or U on the selected peaks; the same key again takes "
           "it back")};
    if (role == Qt::DisplayRole) {
        return names[static_cast<std::size_t>(section)];
    }
    if (role == Qt::ToolTipRole) {
        return tips[static_cast<std::size_t>(section)];
    }
    return {};
}

PeaksFilter::PeaksFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(PeaksModel::kSortRole);
    setDynamicSortFilter(false); // a row keeps its place while a person decides on it
}

void PeaksFilter::setMinScore(double score) {
    m_minScore = score;
    invalidate();
}

void PeaksFilter::setText(const QString& text) {
    m_text = text.trimmed();
    invalidate();
}

bool PeaksFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QAbstractItemModel* model = sourceModel();
    const auto* peaks = dynamic_cast<const PeaksModel*>(model);
    if (peaks != nullptr && !reaches(peaks->peaks()[static_cast<std::size_t>(row)], m_minScore) &&
        !peaks->isAdded(row)) {
        return false;
    }
    if (m_text.isEmpty()) {
        return true;
    }
    for (int column = 0; column < model->columnCount(parent); ++column) {
        const QString text =
            model->data(model->index(row, column, parent), Qt::DisplayRole).toString();
        if (text.contains(m_text, Qt::CaseInsensitive)) {
            return true;
        }
    }
    return false;
}

} // namespace flcc::ui
