#include "ui/results/figure_dialog.h"

#include <QCheckBox>
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
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/work/device_choice.h"

namespace flcc::ui {

FigureDialog::FigureDialog(RunController& controller, std::function<io::ProtectedFiles()> inputs,
                           QWidget* parent)
    : WorkDialog(controller, RunController::Task::Figure, QStringLiteral("figure"),
                 tr("Figures of methods"), parent),
      m_inputs(std::move(inputs)) {
    m_choices = new QWidget(this);
    auto* form = new QFormLayout(m_choices);
    form->setContentsMargins(0, 6, 0, 6);
    m_kind = addChoice(*form, QStringLiteral("figureKind"), tr("Figure"),
                       tr("What is drawn. Both figures measure times on this machine"));
    m_kind->addItem(tr("Chosen method over scene and template size (FLCC Fig. 3)"),
                    static_cast<int>(job::FigureKind::Choices));
    m_kind->addItem(tr("Time over template size (FLCC Fig. 1)"),
                    static_cast<int>(job::FigureKind::Times));
    m_operation = addChoice(*form, QStringLiteral("figureOperation"), tr("Operation"),
                            tr("What the methods compute. Convolutions run on the processor only"));
    m_operation->addItem(tr("Local correlation coefficients (LCC)"),
                         static_cast<int>(job::FigureOperation::Lcc));
    m_operation->addItem(tr("Convolution"), static_cast<int>(job::FigureOperation::Convolve));
    m_device = addChoice(
        *form, QStringLiteral("figureDevice"), tr("Device"),
        tr("Device whose methods are compared. The list says why a device cannot be used"));
    fillDevices(*m_device, plan::devices(plan::DeviceDetail::Names),
                {{}, {}, tr("Every GPU"), tr("Every GPU that can be used")});
    m_quick = new QCheckBox(tr("Quick: small scenes and few sizes"), m_choices);
    m_quick->setObjectName(QStringLiteral("figureQuick"));
    m_quick->setToolTip(tr("Makes a trial figure in some seconds"));
    m_quick->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); // as wide as its text
    form->addRow(QString(), m_quick);
    addContent(m_choices, 0);
    m_picture = new QLabel(this);
    m_picture->setObjectName(QStringLiteral("figurePicture"));
    m_picture->setAccessibleName(tr("The figure"));
    m_picture->setAlignment(Qt::AlignCenter);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_picture);
    addContent(scroll, 1);
    setStartText(tr("Draw"));
    m_save = addButton("Save", tr("Save as …"));
    m_save->setIcon(icon(QStringLiteral("save")));
    m_save->setEnabled(false); // until there is a figure
    connect(m_save, &QPushButton::clicked, this, &FigureDialog::askFile);
    connect(m_operation, &QComboBox::currentIndexChanged, this,
            [this] { m_device->setEnabled(options().operation == job::FigureOperation::Lcc); });
    say(tr("Choose a figure and press Draw. It measures the methods on this machine for up to two "
           "minutes; do nothing else meanwhile."));
    resize(1000, 860);
}

QComboBox* FigureDialog::addChoice(QFormLayout& form, const QString& name, const QString& title,
                                   const QString& tip) {
    auto* box = new QComboBox(m_choices);
    box->setObjectName(name);
    box->setAccessibleName(title);
    box->setToolTip(tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(24);
    auto* label = new QLabel(title, m_choices);
    label->setBuddy(box);
    form.addRow(label, box);
    return box;
}

job::FigureOptions FigureDialog::options() const {
    job::FigureOptions options;
    options.kind = static_cast<job::FigureKind>(m_kind->currentData().toInt());
    options.operation = static_cast<job::FigureOperation>(m_operation->currentData().toInt());
    options.quick = m_quick->isChecked();
    if (options.operation == job::FigureOperation::Lcc) {
        options.device = m_device->currentData().toString().toStdString();
    }
    return options;
}

void FigureDialog::workingChanged(bool working) {
    if (working) {
        m_figure.reset();
        m_picture->clear();
    }
    m_choices->setEnabled(!working);
    m_save->setEnabled(false); // until there is a figure
}

WorkDialog::Work FigureDialog::work() {
    return [this, options = options()](const std::stop_token& stop, const Tell& tell) {
        std::optional<job::Figure> figure = job::makeFigure(options, stop, tell);
        return [this, figure = std::move(figure)] { showFigure(figure); };
    };
}

void FigureDialog::showFigure(std::optional<job::Figure> figure) {
    m_figure = std::move(figure);
    if (!m_figure) {
        say(tr("Stopped before the figure was complete."));
        return;
    }
    base::Image<std::uint8_t> drawn;
    try {
        drawn = io::toPixels(job::drawingOf(*m_figure), 2);
    } catch (const std::exception& error) { // a build without cairo, which can save SVG
        m_save->setEnabled(true);
        say(inWindowWords(error));
        return;
    }
    const base::Extents& size = drawn.extents();
    const QImage image(drawn.data(), static_cast<int>(size.x), static_cast<int>(size.y),
                       static_cast<qsizetype>(drawn.view().rowStride()), QImage::Format_Grayscale8);
    m_picture->setPixmap(QPixmap::fromImage(image)); // a copy
    m_save->setEnabled(true);
    say(meaning());
}

/// What the figure shows, and how reliable it is.
QString FigureDialog::meaning() const {
    if (m_figure->options.kind == job::FigureKind::Times) {
        return tr("Measured times of each method over the side of a square template, for a single "
                  "image and for one image of a stream.");
    }
    const bool gpu = m_figure->options.device != "cpu";
    const QString shown =
        tr("The method chosen for each side length of scene and template (square or cubic), and "
           "the sides from which a Fourier method is faster: by Table II of the FLCC paper, and "
           "measured.");
    return shown + QLatin1Char(' ') +
           (gpu ? tr("The choices on %1 are predicted with built-in constants: GPUs are not "
                     "calibrated.")
                      .arg(m_device->currentText())
            : job::knowledge()->model
                ? tr("The choices are predicted with this machine's calibration.")
                : tr("The choices are predicted with built-in constants: this machine is not "
                     "calibrated."));
}

void FigureDialog::askFile() {
    auto* dialog =
        new QFileDialog(this, tr("Save figure"), Settings::folder(QStringLiteral("export")),
                        tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf);;Numbers, JSON (*.json)"));
    dialog->setObjectName(QStringLiteral("figureFile"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).section(QChar(')'), 0, 0));
    });
    const job::FigureOptions& options = m_figure->options;
    dialog->selectFile(toQString(job::name(options.kind)) + QLatin1Char('-') +
                       toQString(job::name(options.operation)) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::fileSelected, this, &FigureDialog::save);
    dialog->open();
}

void FigureDialog::save(const QString& file) {
    try {
        m_inputs().requireOther(toPath(file));
        job::writeFigure(toPath(file), *m_figure);
        Settings::rememberFolder(QStringLiteral("export"), file);
        say(tr("Saved as %1").arg(file));
    } catch (const std::exception& error) {
        say(inWindowWords(error));
    }
}

} // namespace flcc::ui
