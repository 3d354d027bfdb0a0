#include "ui/match/fields/operation_fields.h"

#include <QComboBox>
#include <QSignalBlocker>

#include "ui/base/text.h"

namespace flcc::ui {

OperationFields::OperationFields(FoldingForm& form, job::Job& job) : FieldGroup(form, job) {
    m_operation = new QComboBox(&m_form);
    for (const method::OperationTraits& traits : method::operationTable()) {
        m_operation->addItem(toQString(traits.title), toQString(traits.name));
        m_operation->setItemData(m_operation->count() - 1, toQString(traits.formula),
                                 Qt::ToolTipRole);
    }
    m_operation->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_operation->setMinimumContentsLength(12);
    m_form.addRow(
        tr("Operation"), m_operation, "operation",
        tr("Value computed for every placement of the template. Sums of differences are best "
           "where they are smallest"));
    m_channels = new QComboBox(&m_form);
    m_channels->addItems({tr("Brightness"), tr("Sum over channels")});
    m_form.addRow(
        tr("Channels"), m_channels, "channels",
        tr("What counts of a colour image: its brightness, or all its channels. Scene and "
           "template are read from their files and need the same number of channels"));
    connect(m_channels, &QComboBox::currentIndexChanged, this, &OperationFields::changed);
    connect(m_operation, &QComboBox::currentIndexChanged, this, [this] {
        m_job.minScore.reset();
        m_job.maxScore.reset();
        showChannels();
        Q_EMIT operationChanged();
    });
}

method::Operation OperationFields::operation() const {
    return method::operationNamed(m_operation->currentData().toString().toStdString())
        .value_or(method::Operation());
}

void OperationFields::read(job::Job& job) const {
    job.operation = operation();
    const bool all = job.operation.traits().sumsChannels && m_channels->currentIndex() == 1;
    if (all) {
        job.channel = job::kAllChannels;
    } else if (job.channel == job::kAllChannels) {
        job.channel.reset();
    }
}

void OperationFields::show() {
    const QSignalBlocker quiet(m_operation);
    m_channels->setCurrentIndex(m_job.channel == job::kAllChannels ? 1 : 0);
    m_operation->setCurrentIndex(m_operation->findData(toQString(method::name(m_job.operation))));
    showChannels();
}

void OperationFields::showChannels() {
    m_form.setRowVisible(m_channels, operation().traits().sumsChannels);
}

} // namespace flcc::ui
