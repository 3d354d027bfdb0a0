#pragma once

#include <string>
#include <vector>

#include "engine/plan/planner.h"
#include "ui/match/fields/field_group.h"

class QComboBox;

namespace flcc::ui {

/// Where a run computes: device, threads and memory.
class ComputationFields : public FieldGroup {
    Q_OBJECT

  public:
    ComputationFields(FoldingForm& form, job::Job& job, OptionFields& options,
                      std::vector<plan::Device> devices);

    void read(job::Job& job) const; ///< the device
    void show();
    void setEnabled(bool on); ///< device and threads, which a plan report decides
    void setDevices(std::vector<plan::Device> devices);
    /// The name of the device `id`; empty if there is no such device.
    [[nodiscard]] QString deviceName(const std::string& id) const;
    /// Why a job's device cannot run; empty when it can.
    [[nodiscard]] QString reasonAgainst(const std::string& device) const;

  Q_SIGNALS:
    void deviceMemoryRequested(); ///< the list of devices is about to open

  private:
    void showDevice();

    OptionFields& m_options;
    std::vector<plan::Device> m_devices;
    QComboBox* m_device = nullptr;
};

} // namespace flcc::ui
