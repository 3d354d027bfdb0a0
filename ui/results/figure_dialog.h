#pragma once

#include <functional>
#include <optional>

#include "engine/io/protected_files.h"
#include "engine/job/figure.h"
#include "ui/work/work_dialog.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;

namespace flcc::ui {

/// Draws the figures of the FLCC paper for this machine: the time of each method over the size of
/// the template, or the method that the planner chooses for each size of scene and template. Saves
/// a figure as a picture or as numbers.
class FigureDialog : public WorkDialog {
    Q_OBJECT

  public:
    /// `inputs`: the files that save() must not replace.
    FigureDialog(RunController& controller, std::function<io::ProtectedFiles()> inputs,
                 QWidget* parent);

  private:
    [[nodiscard]] QComboBox* addChoice(QFormLayout& form, const QString& name, const QString& title,
                                       const QString& tip);
    [[nodiscard]] job::FigureOptions options() const;
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showFigure(std::optional<job::Figure> figure);
    [[nodiscard]] QString meaning() const;
    void askFile();
    void save(const QString& file);

    std::function<io::ProtectedFiles()> m_inputs;
    std::optional<job::Figure> m_figure;
    QWidget* m_choices = nullptr;
    QComboBox* m_kind = nullptr;
    QComboBox* m_operation = nullptr;
    QComboBox* m_device = nullptr;
    QCheckBox* m_quick = nullptr;
    QLabel* m_picture = nullptr;
    QPushButton* m_save = nullptr;
};

} // namespace flcc::ui
