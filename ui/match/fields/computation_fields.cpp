#include "ui/match/fields/computation_fields.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/command_line.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/match/fields/match_fields.h"
#include "ui/match/fields/text_fields.h"
#include "ui/work/device_choice.h"

namespace flcc::ui {

ComputationFields::ComputationFields(FoldingForm& form, job::Job& job, TextFields& texts,
                                     std::vector<plan::Device> devices)
    : FieldGroup(form, job), m_texts(texts), m_devices(std::move(devices)) {
    m_form.addSection(tr("Computation"), "Computation", true);
    auto* device = new DeviceBox(&m_form);
    connect(device, &DeviceBox::aboutToOpen, this, &ComputationFields::deviceMemoryRequested);
    m_device = device;
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(16);
    fillDevices(*m_device, m_devices,
                {tr("Auto"), tr("The device with the shortest predicted time"), tr("Any GPU"),
                 tr("The GPU with the shortest predicted time")});
    m_form.addRow(tr("Device"), m_device, "device",
                  tr("Where the run computes; devices that cannot be used say why"));
    m_threads = new QSpinBox(&m_form);
    m_threads->setRange(0, base::availableThreads());
    m_threads->setSpecialValueText(tr("all (%1)").arg(base::availableThreads()));
    m_form.addRow(tr("Threads"), m_threads, "threads",
                  tr("Threads of the run, at most those of the machine; 0 is all"));
    m_memory = m_texts.make(tr("what is free"), &m_form);
    m_form.addRow(
        tr("Memory limit"), m_memory, "memory",
        tr("Memory the run may take beyond the scene, such as 4 GiB or 500 MB; empty: what the "
           "machine has free"));
    connect(m_device, &QComboBox::currentIndexChanged, this, &ComputationFields::changed);
    connect(m_threads, &QSpinBox::valueChanged, this, &ComputationFields::changed);
    connect(m_memory, &QLineEdit::editingFinished, this, &ComputationFields::readMemory);
}

void ComputationFields::read(job::Job& job) const {
    job.device = m_device->currentData().toString().toStdString();
    job.threads = static_cast<int>(numberOf(*m_threads, m_job.threads));
}

void ComputationFields::show() {
    m_job.threads = std::min(m_job.threads, m_threads->maximum());
    m_texts.accept(m_memory);
    showDevice();
    m_threads->setValue(m_job.threads);
    m_memory->setText(memoryText(m_job.memoryBytes));
}

void ComputationFields::setEnabled(bool on) {
    m_device->setEnabled(on);
    m_threads->setEnabled(on);
}

void ComputationFields::setDevices(std::vector<plan::Device> devices) {
    m_devices = std::move(devices);
    ui::refreshDevices(*m_device, m_devices);
}

QString ComputationFields::deviceName(const std::string& id) const {
    for (const plan::Device& device : m_devices) {
        if (device.id == id) {
            return toQString(device.name);
        }
    }
    return {};
}

QString ComputationFields::reasonAgainst(const std::string& device) const {
    if (device == "auto") {
        return {};
    }
    for (const plan::Device& each : m_devices) {
        if (each.usable &&
            (device == each.id || (device == "cuda" && each.id.starts_with("cuda:")))) {
            return {};
        }
        if (!each.usable && (device == each.id || device.starts_with(each.id + ":"))) {
            return toQString(each.reason);
        }
    }
    for (const plan::Device& each : m_devices) { // none of the GPUs can be used
        if (device == "cuda" && each.id.starts_with("cuda:")) {
            return toQString(each.reason);
        }
    }
    return tr("there is no such device");
}

/// Makes the job's device the current one; a device that is not there gets an entry that says so.
void ComputationFields::showDevice() {
    const QString id = toQString(m_job.device);
    int row = m_device->findData(id);
    if (row < 0) {
        auto* item = new QStandardItem(
            tr("%1: %2").arg(deviceText(m_job.device), reasonAgainst(m_job.device)));
        item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
        item->setData(id, Qt::UserRole);
        item->setToolTip(reasonAgainst(m_job.device));
        auto* model = qobject_cast<QStandardItemModel*>(m_device->model());
        model->appendRow(item);
        row = model->rowCount() - 1;
    }
    m_device->setCurrentIndex(row);
}

void ComputationFields::readMemory() {
    const QString text = m_memory->text().trimmed();
    try {
        const std::int64_t bytes = text.isEmpty() ? 0 : job::parseSize(text.toStdString());
        m_texts.accept(m_memory);
        Q_EMIT fitChanged();
        if (bytes != m_job.memoryBytes) {
            m_job.memoryBytes = bytes;
            Q_EMIT changed();
        }
    } catch (const base::Error& error) {
        m_texts.refuse(m_memory, inWindowWords(error));
    }
}

} // namespace flcc::ui
