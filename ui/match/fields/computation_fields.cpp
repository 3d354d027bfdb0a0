#include "ui/match/fields/computation_fields.h"

#include <QComboBox>
#include <QSpinBox>
#include <QStandardItemModel>

#include <algorithm>
#include <utility>

#include "engine/base/tile_pool.h"
#include "ui/base/text.h"
#include "ui/work/device_choice.h"

namespace flcc::ui {

ComputationFields::ComputationFields(FoldingForm& form, job::Job& job, OptionFields& options,
                                     std::vector<plan::Device> devices)
    : FieldGroup(form, job), m_options(options), m_devices(std::move(devices)) {
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
    m_options.addRow(m_form, "threads");
    auto& threads = m_options.field<QSpinBox>("threads");
    threads.setMaximum(base::availableThreads());
    threads.setSpecialValueText(tr("all (%1)").arg(base::availableThreads()));
    m_options.addRow(m_form, "memory");
    connect(m_device, &QComboBox::currentIndexChanged, this, &ComputationFields::changed);
}

void ComputationFields::read(job::Job& job) const {
    job.device = m_device->currentData().toString().toStdString();
}

void ComputationFields::show() {
    m_job.threads = std::min(m_job.threads, base::availableThreads());
    showDevice();
}

void ComputationFields::setEnabled(bool on) {
    m_device->setEnabled(on);
    m_options.field<QSpinBox>("threads").setEnabled(on);
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

} // namespace flcc::ui
