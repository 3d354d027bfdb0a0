#pragma once

#include <QWidget>

#include <array>

#include "engine/base/spacing.h"

class QComboBox;

namespace flcc::ui {

class SizeBox;

/// Fields for the spacing along x, y and z and its unit.
class SpacingFields : public QWidget {
    Q_OBJECT

  public:
    explicit SpacingFields(QWidget* parent = nullptr);
    /// An image has no field for z.
    void setVolume(bool volume);
    void setSpacing(const base::Spacing& spacing);
    /// Of an image, z is 1.
    [[nodiscard]] base::Spacing spacing() const;
    /// True if all numbers are above 0.
    [[nodiscard]] bool isValid() const;

  Q_SIGNALS:
    void changed();

  private:
    std::array<SizeBox*, 3> m_sizes{};
    QComboBox* m_unit = nullptr;
    bool m_volume = true;
};

} // namespace flcc::ui
