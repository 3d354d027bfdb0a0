#pragma once

#include <QDialog>

#include <string>
#include <vector>

#include "engine/match/decision.h"
#include "engine/match/panels.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace flcc::ui {

/// Asks which boxes of the scene are written as a stack, and in which format.
class ParticlesDialog : public QDialog {
    Q_OBJECT

  public:
    /// Peaks that may be written, with what was decided on them.
    struct Peaks {
        std::vector<match::Decision> decisions;
        base::Extents templ{0, 0, 0}; ///< the largest template: the size to begin with
        base::Extents scene{0, 0, 0};
        bool turned = false; ///< some were found turned, scaled or mirrored
    };
    ParticlesDialog(Peaks peaks, QWidget* parent);

    /// Valid after the dialog was accepted.
    [[nodiscard]] match::PanelOptions options() const { return m_options; }
    /// Which peaks are written, by what was decided on them; empty: all.
    [[nodiscard]] std::vector<match::Decision> only() const;
    /// ".mrc".
    [[nodiscard]] QString extension() const;

  private:
    void buildFields();
    void refresh();
    [[nodiscard]] std::int64_t count() const;

    Peaks m_peaks;
    match::PanelOptions m_options;
    QComboBox* m_only = nullptr;
    QLineEdit* m_size = nullptr;
    QComboBox* m_normalise = nullptr;
    QCheckBox* m_subvoxel = nullptr;
    QCheckBox* m_turned = nullptr;
    QComboBox* m_format = nullptr;
    QLabel* m_summary = nullptr;
    QDialogButtonBox* m_buttons = nullptr;
};

} // namespace flcc::ui
