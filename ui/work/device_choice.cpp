#include "ui/work/device_choice.h"

#include <QCoreApplication>
#include <QListView>
#include <QStandardItemModel>

#include <algorithm>

#include "ui/base/text.h"

namespace flcc::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("DeviceChoice", text); }

QStandardItem* choice(const QString& text, const QString& id, const QString& tip) {
    auto* item = new QStandardItem(text);
    item->setData(id, Qt::UserRole);
    item->setToolTip(tip);
    return item;
}

/// Fills in the text and tooltip of a device: its name, and for a GPU its memory. Free memory is
/// included only if it was queried.
void describe(QStandardItem& item, const plan::Device& device) {
    const bool gpu = device.id != "cpu";
    const QString name =
        !gpu ? tr("CPU: %1, %2").arg(threadsText(device.threads), toQString(device.instructions))
        : device.id == "cuda" ? tr("CUDA")
                              : toQString(device.name);
    const QString memory =
        device.memoryFree > 0
            ? tr("%1 free of %2").arg(bytesText(device.memoryFree), bytesText(device.memoryTotal))
            : bytesText(device.memoryTotal);
    const QString reason = toQString(device.reason);
    const Qt::ItemFlags usable = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (device.usable) {
        item.setFlags(item.flags() | usable);
        item.setText(gpu ? tr("%1, %2").arg(name, memory) : name);
        item.setToolTip(gpu ? tr("%1, %2").arg(toQString(device.instructions), memory)
                            : toQString(device.name));
    } else {
        item.setFlags(item.flags() & ~usable);
        item.setText(tr("%1: %2").arg(name, reason));
        item.setToolTip(reason);
    }
}

QStandardItem* choiceOf(const plan::Device& device) {
    QStandardItem* item = choice({}, toQString(device.id), {});
    describe(*item, device);
    return item;
}

/// The list is as wide as its texts.
void widen(QComboBox& box) {
    constexpr int kWidest = 560;
    constexpr int kFrame = 24;
    box.view()->setMinimumWidth(std::min(kWidest, box.view()->sizeHintForColumn(0) + kFrame));
}

} // namespace

void fillDevices(QComboBox& box, const std::vector<plan::Device>& devices,
                 const DeviceWords& words) {
    auto* model = new QStandardItemModel(&box);
    if (!words.automatic.isEmpty()) {
        model->appendRow(choice(words.automatic, QStringLiteral("auto"), words.automaticTip));
    }
    for (const plan::Device& device : devices) {
        model->appendRow(choiceOf(device));
    }
    if (std::any_of(devices.begin(), devices.end(), [](const plan::Device& device) {
            return device.usable && device.id != "cpu";
        })) {
        model->appendRow(choice(words.anyGpu, QStringLiteral("cuda"), words.anyGpuTip));
    }
    box.setModel(model);
    box.view()->setTextElideMode(Qt::ElideRight);
    widen(box);
}

void refreshDevices(QComboBox& box, const std::vector<plan::Device>& devices) {
    auto* model = qobject_cast<QStandardItemModel*>(box.model());
    for (const plan::Device& device : devices) {
        if (const int row = box.findData(toQString(device.id)); row >= 0 && device.id != "cuda") {
            describe(*model->item(row), device);
        }
    }
    widen(box);
}

void DeviceBox::showPopup() {
    Q_EMIT aboutToOpen();
    QComboBox::showPopup();
}

} // namespace flcc::ui
