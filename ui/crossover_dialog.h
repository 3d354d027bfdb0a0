#pragma once

#include <functional>
#include <vector>

#include "engine/io/protected_files.h"
#include "engine/job/crossover.h"
#include "ui/work_dialog.h"

class QComboBox;
class QLabel;

namespace flcc::ui {

/// Draws which method of a device the planner chooses for each size of scene and template, for
/// single images and for streams. Saves the map as a picture or as numbers.
class CrossoverDialog : public WorkDialog {
    Q_OBJECT

  public:
    /// `inputs`: the files that save() must not replace.
    CrossoverDialog(RunController& controller, std::function<io::ProtectedFiles()> inputs,
                    QWidget* parent);

  private:
    [[nodiscard]] Work work() override;
    void workingChanged(bool working) override;
    void showMaps(std::vector<job::Crossover> maps);
    void askFile();
    void save(const QString& file);

    std::function<io::ProtectedFiles()> m_inputs;
    std::vector<job::Crossover> m_maps;
    QComboBox* m_device = nullptr;
    QLabel* m_picture = nullptr;
    QPushButton* m_save = nullptr;
};

} // namespace flcc::ui
