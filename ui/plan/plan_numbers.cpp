#include "ui/plan/plan_numbers.h"

#include <QGridLayout>
#include <QLabel>

#include <algorithm>

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

PlanNumbers::PlanNumbers(QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 2, 0, 2);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    auto* predicted = makeHead("planPredictedHead", tr("predicted"), Qt::AlignRight);
    m_measuredHead = makeHead("planMeasuredHead", tr("measured"), Qt::AlignRight);
    auto* time = makeHead("planTimeHead", tr("Time"));
    auto* memory = makeHead("planMemoryHead", tr("Memory"));
    m_timePredicted = makeLabel("planTimePredicted", Qt::AlignRight);
    m_timeMeasured = makeLabel("planTimeMeasured", Qt::AlignRight);
    m_streamHead = makeHead("planStreamHead", tr("Next scene"));
    m_streamPredicted = makeLabel("planStreamPredicted", Qt::AlignRight);
    m_streamMeasured = makeLabel("planStreamMeasured", Qt::AlignRight);
    m_streamPredicted->setToolTip(
        tr("Predicted time of each further scene. The templates are already prepared. Reading and "
           "writing files is not included"));
    m_streamMeasured->setToolTip(tr(
        "Measured time of the run with the scene that is shown, without preparing the templates"));
    m_memoryPredicted = makeLabel("planMemoryPredicted", Qt::AlignRight);
    m_memoryMeasured = makeLabel("planMemoryMeasured", Qt::AlignRight);
    m_timePredicted->setToolTip(
        tr("Predicted time to prepare and run, of both hands where they are compared, without "
           "reading and writing files"));
    m_timeMeasured->setToolTip(tr(
        "Measured time to prepare and run, of both hands where they are compared, without reading "
        "and writing files"));
    m_memoryPredicted->setToolTip(tr("Predicted largest memory without the scene: map, status and "
                                     "buffers. With several scenes, the maps of all scenes"));
    m_memoryMeasured->setToolTip(
        tr("Measured increase of the program's largest memory during the run"));
    grid->addWidget(predicted, 0, 1);
    grid->addWidget(m_measuredHead, 0, 2);
    grid->addWidget(time, 1, 0);
    grid->addWidget(m_timePredicted, 1, 1);
    grid->addWidget(m_timeMeasured, 1, 2);
    grid->addWidget(m_streamHead, 2, 0);
    grid->addWidget(m_streamPredicted, 2, 1);
    grid->addWidget(m_streamMeasured, 2, 2);
    const int row = addParts(grid, 3);
    grid->addWidget(memory, row, 0);
    grid->addWidget(m_memoryPredicted, row, 1);
    grid->addWidget(m_memoryMeasured, row, 2);
}

QLabel* PlanNumbers::makeLabel(const char* name, Qt::Alignment alignment) {
    auto* made = new QLabel(this);
    made->setObjectName(QLatin1String(name));
    made->setAlignment(alignment | Qt::AlignVCenter);
    return made;
}

QLabel* PlanNumbers::makeHead(const char* name, const QString& text, Qt::Alignment alignment) {
    QLabel* made = makeLabel(name, alignment);
    made->setForegroundRole(kMutedText);
    made->setText(text);
    return made;
}

/// Returns the row below.
int PlanNumbers::addParts(QGridLayout* grid, int row) {
    constexpr std::array<const char*, 3> kParts{"Upload", "Compute", "Download"};
    const std::array<QString, 3> words{tr("Upload"), tr("Compute"), tr("Download")};
    const std::array<QString, 3> tips{
        tr("Time of copies of the scene to the GPU. One copy serves all templates of one size if "
           "they fit into the GPU's memory. Copies and computation overlap, so the run takes less "
           "than the sum"),
        tr("Time of the kernels on the GPU. Copies and computation overlap"),
        tr("Time of copies of the map from the GPU. Copies and computation overlap")};
    for (std::size_t i = 0; i < m_parts.size(); ++i, ++row) {
        PartRow& part = m_parts[i];
        const QString name = QStringLiteral("plan") + QLatin1String(kParts[i]);
        part.head = makeHead(qPrintable(name + QStringLiteral("Head")), words[i]);
        part.head->setToolTip(tips[i]);
        part.predicted = makeLabel(qPrintable(name + QStringLiteral("Predicted")), Qt::AlignRight);
        part.measured = makeLabel(qPrintable(name + QStringLiteral("Measured")), Qt::AlignRight);
        grid->addWidget(part.head, row, 0);
        grid->addWidget(part.predicted, row, 1);
        grid->addWidget(part.measured, row, 2);
    }
    return row;
}

void PlanNumbers::showPredicted(double milliseconds, std::int64_t bytes) {
    m_timePredicted->setText(durationText(milliseconds));
    m_memoryPredicted->setText(bytesText(bytes));
}

void PlanNumbers::showParts(const std::optional<method::DeviceTimes>& predicted,
                            const std::optional<method::DeviceTimes>& measured) {
    using Times = method::DeviceTimes;
    constexpr std::array<double Times::*, 3> kTimes{&Times::upload, &Times::compute,
                                                    &Times::download};
    const int uploads =
        std::max(predicted ? predicted->uploads : 1, measured ? measured->uploads : 1);
    m_parts.front().head->setText(uploads > 1 ? tr("Upload, %1 times").arg(uploads) : tr("Upload"));
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const auto show = [time = kTimes[i]](QLabel* label, const std::optional<Times>& times) {
            label->setVisible(times.has_value());
            label->setText(times ? durationText((*times).*time) : QString());
        };
        show(m_parts[i].predicted, predicted);
        show(m_parts[i].measured, measured);
        m_parts[i].head->setVisible(predicted || measured);
    }
}

void PlanNumbers::showFurther(double milliseconds) {
    const bool several = m_sceneCount > 1;
    m_streamHead->setVisible(several);
    m_streamPredicted->setVisible(several);
    m_streamPredicted->setText(durationText(milliseconds));
}

void PlanNumbers::showMeasured(const job::JobReport& report) {
    const bool ran = report.run.has_value();
    m_timeMeasured->setText(
        ran ? durationText(report.run->executeMs.median + job::msOf(report.others)) : QString());
    m_memoryMeasured->setText(ran ? bytesText(report.run->peakHostBytes) : QString());
    for (QLabel* label : {m_measuredHead, m_timeMeasured, m_memoryMeasured}) {
        label->setVisible(ran);
    }
    m_streamMeasured->setText(ran ? durationText(report.run->streamMs.median) : QString());
    m_streamMeasured->setVisible(ran && m_sceneCount > 1);
}

QString PlanNumbers::timeText(bool ran) const {
    return (ran ? m_timeMeasured : m_timePredicted)->text();
}

QString PlanNumbers::memoryText(bool ran) const {
    return (ran ? m_memoryMeasured : m_memoryPredicted)->text();
}

} // namespace flcc::ui
