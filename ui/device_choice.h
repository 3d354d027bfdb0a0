#pragma once

#include <QString>

#include <vector>

#include "engine/plan/planner.h"

class QComboBox;

namespace flcc::ui {

/// How a choice of devices words what is no single device.
struct DeviceWords {
    QString automatic; ///< the entry "auto"
    QString automaticTip;
    QString anyGpu; ///< the entry "cuda", there where a GPU can be used
    QString anyGpuTip;
};

/// Fills `box` with "auto", every device by its name, and "cuda"; the user data is what --device
/// takes. Devices that cannot be used say why and cannot be chosen.
void fillDevices(QComboBox& box, const std::vector<plan::Device>& devices,
                 const DeviceWords& words);

} // namespace flcc::ui
