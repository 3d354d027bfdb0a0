#include "ui/plan/plan_model.h"

#include <QCoreApplication>
#include <QFont>

#include <algorithm>
#include <array>
#include <utility>

#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

QString verdictText(plan::CandidateVerdict verdict) {
    const auto say = [](const char* text) {
        return QCoreApplication::translate("flcc::ui::PlanModel", text);
    };
    switch (verdict) {
    case plan::CandidateVerdict::Chosen:
        return say("chosen");
    case plan::CandidateVerdict::Slower:
        return say("slower");
    case plan::CandidateVerdict::Refused:
        return say("refused");
    case plan::CandidateVerdict::Failed:
        break;
    }
    return say("failed");
}

PlanModel::PlanModel(QObject* parent) : QAbstractTableModel(parent) {}

void PlanModel::setReports(const std::vector<plan::PlanReport>& reports) {
    beginResetModel();
    m_rows.clear();
    for (const plan::PlanReport& report : reports) {
        for (const plan::CandidateReport& candidate : report.candidates) {
            m_rows.push_back({candidate, extentsText(report.problem.templ)});
        }
    }
    endResetModel();
}

bool PlanModel::hasParts() const {
    return std::ranges::any_of(m_rows, [](const Row& row) {
        return row.candidate.prediction && row.candidate.prediction->onDevice.times;
    });
}

int PlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString PlanModel::text(const plan::CandidateReport& row, int column) {
    switch (column) {
    case Verdict:
        return verdictText(row.verdict);
    case Method:
        return candidateText(row.candidate);
    case Device:
        return tr("%1, %2").arg(deviceText(row.candidate.device),
                                threadsText(row.candidate.threads));
    case Predicted:
        return row.expectedMs() ? durationText(*row.expectedMs()) : QString();
    case Parts: {
        const auto* times = row.prediction && row.prediction->onDevice.times
                                ? &*row.prediction->onDevice.times
                                : nullptr;
        return times == nullptr
                   ? QString()
                   : tr("%1 / %2 / %3")
                         .arg(durationText(times->upload), durationText(times->compute),
                              durationText(times->download));
    }
    case Sampled:
        return row.measuredMs ? durationText(*row.measuredMs) : QString();
    case Memory:
        return row.prediction ? bytesText(row.prediction->hostBytes) : QString();
    case Operations:
        return row.prediction ? QString::number(row.prediction->operations, 'g', 3) : QString();
    case Bound:
        return row.prediction ? QString::number(row.prediction->errorBound, 'g', 2) : QString();
    default:
        return inWindowWords(row.reason);
    }
}

QString PlanModel::tip(const plan::CandidateReport& row, int column) {
    const bool fourier = row.prediction && !row.prediction->fftPlanning.empty();
    if (column == Memory && row.prediction) {
        return tr("Includes the buffers of %n tile(s) in flight", nullptr,
                  static_cast<int>(row.prediction->tilesInFlight));
    }
    if (column == Predicted && row.prediction) {
        return row.sampleMs ? tr("From a timed sample. The cost model predicts %1")
                                  .arg(durationText(row.prediction->ms))
                            : tr("From the cost model");
    }
    if (column == Parts && row.prediction && row.prediction->onDevice.times) {
        const method::DeviceTimes& times = *row.prediction->onDevice.times;
        return tr("Upload, compute and download overlap. One after the other, with %1 of setup, "
                  "they would take %2 (Karas, equation 33)")
            .arg(durationText(times.setup), durationText(times.oneAfterTheOther()));
    }
    if ((column == Method || column == Operations) && fourier) {
        return tr("%1 % of the transformed points belong to no placement. FFT plan: %2")
            .arg(100 * row.prediction->paddingWaste, 0, 'f', 0)
            .arg(toQString(row.prediction->fftPlanning));
    }
    return inWindowWords(row.reason);
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto& [row, templ] = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Templ ? templ : text(row, index.column());
    case Qt::ToolTipRole:
        return tip(row, index.column());
    case Qt::ForegroundRole:
        if (row.verdict == plan::CandidateVerdict::Chosen && index.column() == Verdict) {
            return accents().good;
        }
        if (row.verdict == plan::CandidateVerdict::Refused ||
            row.verdict == plan::CandidateVerdict::Failed) {
            return index.column() == Verdict ? accents().bad : accents().muted;
        }
        return {};
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.verdict == plan::CandidateVerdict::Chosen);
        return font;
    }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (index.column() >= Predicted && index.column() <= Bound
                                                  ? Qt::AlignRight
                                                  : Qt::AlignLeft)));
    default:
        return {};
    }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) {
        return {};
    }
    const std::array<QString, kColumns> names{
        tr("verdict"),   tr("method"),     tr("device"),
        tr("predicted"), tr("measured"),   tr("up / compute / down"),
        tr("memory"),    tr("operations"), tr("bound"),
        tr("reason"),    tr("template")};
    const std::array<QString, kColumns> tips{
        tr("Whether the candidate was chosen, slower, refused or failed"),
        tr("Method and tile"),
        tr("Device and threads of the candidate"),
        tr("Predicted time of the whole run, from a timed sample if there is one, else from the "
           "cost model"),
        tr("Measured time of the whole run. Before the run: the time from a timed sample"),
        tr("Upload, compute and download times of a GPU, from the cost model"),
        tr("Largest memory of the run, without the scene"),
        tr("Number of multiplications and additions"),
        tr("Predicted empirical bound on the error of a score"),
        tr("Why the candidate was chosen, slower, refused or failed"),
        tr("Extents of the candidate's templates")};
    if (role == Qt::DisplayRole) {
        return names[static_cast<std::size_t>(section)];
    }
    return role == Qt::ToolTipRole ? QVariant(tips[static_cast<std::size_t>(section)]) : QVariant();
}

} // namespace flcc::ui
