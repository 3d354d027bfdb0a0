#pragma once

#include <QComboBox>
#include <QString>

#include <vector>

#include "engine/plan/planner.h"

namespace flcc::ui {

/// A choice of devices, which says when its list is about to be read.
class DeviceBox : public QComboBox {
    Q_OBJECT

  public:
    using QComboBox::QComboBox;
    void showPopup() override;

  Q_SIGNALS:
    void aboutToOpen();
};

/// How a choice of devices words what is no single device.
struct DeviceWords {
    QString automatic; ///< the entry "auto"; empty: there is none
    QString automaticTip;
    QString anyGpu; ///< the entry "cuda", there where a GPU can be used
    QString anyGpuTip;
};

/// Fills `box` with "auto", every device by its name, and "cuda"; the user data is what --device
/// takes. Devices that cannot be used say why and cannot be chosen.
void fillDevices(QComboBox& box, const std::vector<plan::Device>& devices,
                 const DeviceWords& words);

/// What became of the devices since: their memory, and which can still be used. The choice stays.
void refreshDevices(QComboBox& box, const std::vector<plan::Device>& devices);

} // namespace flcc::ui
