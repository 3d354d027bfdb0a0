#pragma once

#include <QWidget>

#include <vector>

#include "engine/job/features.h"

class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;

namespace flcc::ui {

class OptionFields;
class TextFields;

/// The controls of finding blobs: scales, levels, channels and memory limit.
class FeaturesForm : public QWidget {
    Q_OBJECT

  public:
    explicit FeaturesForm(QWidget* parent = nullptr);

    /// The job of the controls, without files. **Errors**: CommandLine for a memory limit that is
    /// not a size.
    [[nodiscard]] job::FeaturesJob job() const;

    /// Shows scales, levels, channels and memory limit of a job. `extents` are those of its image,
    /// which choose the scales where the job does not.
    void setJob(const job::FeaturesJob& job, const base::Extents& extents);

    /// The fields of scales; their tooltips have %1 in place of pixels or voxels.
    [[nodiscard]] std::vector<QWidget*> scaleFields() const { return {m_first, m_last}; }

  private:
    TextFields* m_texts;
    OptionFields* m_options; ///< levels, channels, memory limit
    QDoubleSpinBox* m_first = nullptr;
    QDoubleSpinBox* m_last = nullptr;
    QSpinBox* m_scales = nullptr;
    double m_overlap; ///< of the last job: it has no control
};

/// A number of voxels with one decimal.
[[nodiscard]] QDoubleSpinBox* voxelField(const char* name, const QString& label, const QString& tip,
                                         double least, double most, double value, QWidget* parent);

} // namespace flcc::ui
