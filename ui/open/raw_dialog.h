#pragma once

#include <QDialog>
#include <QTimer>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/base/spacing.h"
#include "engine/io/raw_volume.h"

class QComboBox;
class QImage;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;

namespace flcc::ui {

class RunController;
class SpacingFields;

/// Asks what the bytes of a file without a header mean, and shows a slice as they are understood.
class RawDialog : public QDialog {
    Q_OBJECT

  public:
    RawDialog(std::filesystem::path file, std::int64_t bytes, RunController& controller,
              QWidget* parent);
    [[nodiscard]] io::RawVolume volume() const;
    /// Empty: none was stated.
    [[nodiscard]] std::optional<base::Spacing> spacing() const;

  private:
    [[nodiscard]] QWidget* buildForm();
    [[nodiscard]] QWidget* buildPreview();
    /// Fills the fields with what the name of the file says: "head_256x256x99_uint16.raw".
    void guess();
    void change();
    void requestPreview();
    void showPreview(const QImage& picture);

    std::filesystem::path m_file;
    std::int64_t m_bytes;
    RunController& m_controller;
    std::array<QSpinBox*, 3> m_sizes{};
    QComboBox* m_type = nullptr;
    QComboBox* m_order = nullptr;
    QSpinBox* m_offset = nullptr;
    SpacingFields* m_spacing = nullptr;
    QLabel* m_verdict = nullptr;
    QLabel* m_preview = nullptr;
    QSlider* m_slice = nullptr;
    QPushButton* m_open = nullptr;
    QTimer m_delay;
    int m_wanted = 0; ///< number of the last preview that was asked for
};

} // namespace flcc::ui
