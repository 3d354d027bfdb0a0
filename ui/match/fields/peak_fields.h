#pragma once

#include <optional>

#include "ui/match/fields/field_group.h"

class QCheckBox;
class QDoubleSpinBox;
class QSlider;

namespace flcc::ui {

class OperationFields;

/// Which places of a map are peaks: threshold, number and distance.
class PeakFields : public FieldGroup {
    Q_OBJECT

  public:
    PeakFields(FoldingForm& form, job::Job& job, OptionFields& options,
               const OperationFields& operation);

    /// The least score of peaks of lcc, with *Auto* the one that was found last; of another
    /// operation minus infinity, as its list needs no filter.
    [[nodiscard]] double threshold() const;
    void setThreshold(double score); ///< in place of *Auto*
    /// With *Auto*, shows the threshold that the law of the shown map gives.
    void showFound(std::optional<double> score);
    void read(job::Job& job) const; ///< after the operation was read
    void show();
    /// Sets range and value of the threshold to those of the operation.
    void showOperation();
    void setVolume(bool volume); ///< distances are in voxels, not in pixels

  Q_SIGNALS:
    void thresholdChanged(double score);

  private:
    void readThreshold(job::Job& job) const;
    [[nodiscard]] bool isAuto() const;
    void showScore(double score); ///< without a signal
    void tellThreshold();

    const OperationFields& m_operation;
    QCheckBox* m_auto = nullptr;
    QSlider* m_slider = nullptr;
    QDoubleSpinBox* m_minScore = nullptr;
    QDoubleSpinBox* m_distance = nullptr;
    std::optional<double> m_found; ///< by the law of the shown map
};

} // namespace flcc::ui
