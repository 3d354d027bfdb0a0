#pragma once

#include <QWidget>

#include <array>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/filter/kernel.h"
#include "engine/job/convolve_job.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace flcc::ui {

class OptionFields;
class TextFields;

/// The controls of a convolution: kernel, its values, border, extent, method, transforms and
/// precision. Kernels and their values are those of filter::kernelForms().
class FilterForm : public QWidget {
    Q_OBJECT

  public:
    explicit FilterForm(QWidget* parent = nullptr);

    /// Offers the kernels and units for scenes like this one.
    void setScene(const base::Extents& extents, const base::Geometry& geometry);
    /// The job, without a scene. The kernel is empty while no file is chosen.
    [[nodiscard]] job::ConvolveJob job() const;
    /// Shows kernel, border, extent, method, transforms and precision of a job for the scene of
    /// setScene().
    /// **Errors**: as filter::kernelByName().
    void setJob(const job::ConvolveJob& job);
    /// "gaussian 2 px", for names of results.
    [[nodiscard]] QString title() const;

  Q_SIGNALS:
    void changed();

  private:
    /// The controls of one value of a kernel.
    struct Value {
        QLabel* label = nullptr;
        QWidget* row = nullptr;
        std::array<QDoubleSpinBox*, 3> sizes{};
        QComboBox* axis = nullptr;
    };
    void build();
    void buildFileRow();
    void buildUnitRow();
    void connectFields();
    Value makeValue(int number);
    void showParts();
    [[nodiscard]] QComboBox& border() const;
    void fillKernels();
    void chooseKernel();
    void showValues(bool usual);
    void showSizes(const filter::KernelValues& shown);
    void changeUnit();
    void askFile();
    [[nodiscard]] bool isFile() const;
    [[nodiscard]] QString usualBorder() const;
    [[nodiscard]] const filter::KernelForm& form() const;
    [[nodiscard]] bool inWorldUnits() const;
    /// The sizes of a value, each followed by `unit`.
    [[nodiscard]] QString sizesText(const Value& value, const QString& separator,
                                    const QString& unit) const;

    TextFields* m_texts;
    OptionFields* m_options; ///< but for kernel and its values
    base::Geometry m_geometry;
    std::size_t m_axes = 2;
    QFormLayout* m_layout = nullptr;
    QComboBox* m_kernel = nullptr;
    QLabel* m_fileLabel = nullptr;
    QWidget* m_fileRow = nullptr;
    QLineEdit* m_file = nullptr;
    std::vector<Value> m_values;
    QLabel* m_unitLabel = nullptr;
    QWidget* m_unitRow = nullptr;
    QComboBox* m_unit = nullptr;
    bool m_wasWorld = false; ///< the unit of the sizes that are shown
    QCheckBox* m_eachAxis = nullptr;
    bool m_borderChosen = false; ///< by a person or a job
};

} // namespace flcc::ui
