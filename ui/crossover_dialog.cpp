#include "ui/crossover_dialog.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

#include <exception>
#include <utility>

#include "engine/job/knowledge.h"
#include "engine/plan/planner.h"
#include "ui/device_choice.h"
#include "ui/settings.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {

CrossoverDialog::CrossoverDialog(RunController& controller,
                                 std::function<io::ProtectedFiles()> inputs, QWidget* parent)
    : WorkDialog(controller, RunController::Task::Crossover, QStringLiteral("crossover"),
                 tr("Crossover map"), parent),
      m_inputs(std::move(inputs)) {
    auto* choice = new QWidget(this);
    auto* form = new QFormLayout(choice);
    form->setContentsMargins(0, 6, 0, 6);
    m_device = new QComboBox(choice);
    m_device->setObjectName(QStringLiteral("crossoverDevice"));
    m_device->setAccessibleName(tr("Device"));
    m_device->setToolTip(
        tr("Device whose methods are compared. The list says why a device cannot be used"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(24);
    fillDevices(*m_device, plan::devices(plan::DeviceDetail::Names),
                {{}, {}, tr("Every GPU"), tr("Every GPU that can be used")});
    auto* label = new QLabel(tr("Device"), choice);
    label->setBuddy(m_device);
    form->addRow(label, m_device);
    addContent(choice, 0);
    m_picture = new QLabel(this);
    m_picture->setObjectName(QStringLiteral("crossoverPicture"));
    m_picture->setAccessibleName(tr("Method chosen for each side of scene and template"));
    m_picture->setAlignment(Qt::AlignCenter);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_picture);
    addContent(scroll, 1);
    setStartText(tr("Draw again"));
    m_save = addButton("Save", tr("Save as …"));
    m_save->setIcon(icon(QStringLiteral("save")));
    connect(m_save, &QPushButton::clicked, this, &CrossoverDialog::askFile);
    resize(780, 720);
    start();
}

void CrossoverDialog::workingChanged(bool working) {
    if (working) {
        m_maps.clear();
        m_picture->clear();
    }
    m_device->setEnabled(!working);
    m_save->setEnabled(false); // until there is a map
}

WorkDialog::Work CrossoverDialog::work() {
    return [this, device = m_device->currentData().toString().toStdString()](
               const std::stop_token& stop, const Tell& tell) {
        std::vector<job::Crossover> maps = job::crossovers(0, stop, tell, device);
        return [this, maps = std::move(maps)] { showMaps(maps); };
    };
}

void CrossoverDialog::showMaps(std::vector<job::Crossover> maps) {
    m_maps = std::move(maps);
    if (m_maps.empty()) {
        say(tr("Stopped before the map was complete."));
        return;
    }
    const base::Image<std::uint8_t> drawn = job::drawn(m_maps);
    const base::Extents& size = drawn.extents();
    const QImage image(drawn.data(), static_cast<int>(size.x), static_cast<int>(size.y),
                       static_cast<qsizetype>(drawn.view().rowStride()), QImage::Format_Grayscale8);
    m_picture->setPixmap(QPixmap::fromImage(image)); // a copy
    m_save->setEnabled(true);
    const bool gpu = m_device->currentData().toString() != QStringLiteral("cpu");
    say(gpu ? tr("The method chosen on %1 for each side length of scene and template (square or "
                 "cubic). Times are predicted with built-in constants: GPUs are not calibrated.")
                  .arg(m_device->currentText())
        : job::knowledge()->model
            ? tr("The method chosen for each side length of scene and template (square or cubic). "
                 "Times are predicted with this machine's calibration.")
            : tr("The method chosen for each side length of scene and template (square or cubic). "
                 "Times are predicted with built-in constants: this machine is not calibrated."));
}

void CrossoverDialog::askFile() {
    auto* dialog =
        new QFileDialog(this, tr("Save crossover map"), Settings::folder(QStringLiteral("export")),
                        tr("PNG (*.png);;Numbers, JSON (*.json)"));
    dialog->setObjectName(QStringLiteral("crossoverFile"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const bool numbers = filter.contains(QStringLiteral("*.json"));
        dialog->setDefaultSuffix(numbers ? QStringLiteral("json") : QStringLiteral("png"));
    });
    dialog->selectFile(QStringLiteral("crossover.png"));
    connect(dialog, &QFileDialog::fileSelected, this, &CrossoverDialog::save);
    dialog->open();
}

void CrossoverDialog::save(const QString& file) {
    try {
        m_inputs().requireOther(toPath(file));
        job::writeCrossover(toPath(file), m_maps);
        Settings::rememberFolder(QStringLiteral("export"), file);
        say(tr("Saved as %1").arg(file));
    } catch (const std::exception& error) {
        say(toQString(error.what()));
    }
}

} // namespace flcc::ui
