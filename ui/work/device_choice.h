#pragma once

#include <QComboBox>
#include <QString>

#include <vector>

#include "engine/plan/planner.h"

namespace flcc::ui {

/// A combo box of devices. It emits aboutToOpen() before its list opens, so that the list can be
/// brought up to date.
class DeviceBox : public QComboBox {
    Q_OBJECT

  public:
    using QComboBox::QComboBox;
    void showPopup() override;

  Q_SIGNALS:
    void aboutToOpen();
};

/// Texts of the entries that stand for more than one device.
struct DeviceWords {
    QString automatic; ///< text of the entry "auto"; empty: no such entry
    QString automaticTip;
    QString anyGpu; ///< text of the entry "cuda", which exists if a GPU can be used
    QString anyGpuTip;
};

/// Fills `box` with "auto", every device by its name, and "cuda". The user data of an entry is the
/// value of --device. A device that cannot be used shows the reason and cannot be chosen.
void fillDevices(QComboBox& box, const std::vector<plan::Device>& devices,
                 const DeviceWords& words);

/// Updates the entries of `devices`: their memory, and whether they can still be used. The chosen
/// entry stays.
void refreshDevices(QComboBox& box, const std::vector<plan::Device>& devices);

} // namespace flcc::ui
