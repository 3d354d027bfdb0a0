#pragma once

#include <string>
#include <vector>

#include "engine/plan/planner.h"
#include "ui/match/fields/field_group.h"

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace flcc::ui {

class TextFields;

/// Where a run computes: device, threads and memory.
class ComputationFields : public FieldGroup {
    Q_OBJECT

  public:
    ComputationFields(FoldingForm& form, job::Job& job, TextFields& texts,
                      std::vector<plan::Device> devices);

    void read(job::Job& job) const; ///< but for the memory limit
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
    void readMemory();

    TextFields& m_texts;
    std::vector<plan::Device> m_devices;
    QComboBox* m_device = nullptr;
    QSpinBox* m_threads = nullptr;
    QLineEdit* m_memory = nullptr;
};

} // namespace flcc::ui
