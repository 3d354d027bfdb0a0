#include "ui/device_choice.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QListView>
#include <QStandardItemModel>

#include <algorithm>

#include "ui/text.h"

namespace flcc::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("DeviceChoice", text); }

QStandardItem* choice(const QString& text, const QString& id, const QString& tip) {
    auto* item = new QStandardItem(text);
    item->setData(id, Qt::UserRole);
    item->setToolTip(tip);
    return item;
}

QStandardItem* choiceOf(const plan::Device& device) {
    const bool gpu = device.id != "cpu";
    const QString name =
        !gpu ? tr("CPU: %1, %2").arg(threadsText(device.threads), toQString(device.instructions))
        : device.id == "cuda" ? tr("CUDA")
                              : toQString(device.name);
    if (!device.usable) {
        const QString reason = toQString(device.reason);
        QStandardItem* item = choice(tr("%1: %2").arg(name, reason), toQString(device.id), reason);
        item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
        return item;
    }
    const QString memory =
        device.memoryFree > 0
            ? tr("%1 free of %2").arg(bytesText(device.memoryFree), bytesText(device.memoryTotal))
            : bytesText(device.memoryTotal);
    return choice(name, toQString(device.id), gpu ? memory : toQString(device.name));
}

} // namespace

void fillDevices(QComboBox& box, const std::vector<plan::Device>& devices,
                 const DeviceWords& words) {
    constexpr int kWidest = 560;
    constexpr int kFrame = 24;
    auto* model = new QStandardItemModel(&box);
    model->appendRow(choice(words.automatic, QStringLiteral("auto"), words.automaticTip));
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
    box.view()->setMinimumWidth(std::min(kWidest, box.view()->sizeHintForColumn(0) + kFrame));
}

} // namespace flcc::ui
