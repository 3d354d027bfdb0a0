#include "ui/filter/filter_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

#include "ui/base/settings.h"
#include "ui/base/size_box.h"
#include "ui/base/text.h"
#include "ui/forms/option_fields.h"
#include "ui/forms/text_fields.h"
#include "ui/open/opener.h"

namespace flcc::ui {
namespace {

constexpr int kFile = -1; ///< data of the entry for a file, beside numbers of kernels
constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

double spacingOf(const base::Geometry& geometry, std::size_t axis) {
    const double spacing = geometry.spacing[axis];
    return spacing > 0 ? spacing : 1;
}

} // namespace

FilterForm::FilterForm(QWidget* parent)
    : QWidget(parent), m_texts(new TextFields(this)),
      m_options(new OptionFields("convolve", *m_texts, QStringLiteral("filter"), this)) {
    setObjectName(QStringLiteral("filterForm"));
    build();
    fillKernels();
    showValues(true);
}

FilterForm::Value FilterForm::makeValue(int number) {
    Value value;
    value.row = new QWidget(this);
    auto* row = new QHBoxLayout(value.row);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    for (std::size_t axis = 0; axis < value.sizes.size(); ++axis) {
        auto* box = new SizeBox(value.row);
        box->setObjectName(QStringLiteral("filterSize%1%2")
                               .arg(number)
                               .arg(QLatin1String(axis == 0 ? "" : kAxisNames[axis])));
        row->addWidget(box, 1);
        connect(box, &QDoubleSpinBox::valueChanged, this, &FilterForm::changed);
        value.sizes[axis] = box;
    }
    value.axis = new QComboBox(value.row);
    value.axis->setObjectName(QStringLiteral("filterAxis%1").arg(number));
    row->addWidget(value.axis, 1);
    connect(value.axis, &QComboBox::currentIndexChanged, this, &FilterForm::changed);
    value.label = new QLabel(this);
    value.label->setBuddy(value.sizes.front());
    m_layout->addRow(value.label, value.row);
    return value;
}

void FilterForm::build() {
    m_layout = new QFormLayout(this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setVerticalSpacing(5);
    m_layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_kernel = new QComboBox(this);
    m_kernel->setObjectName(QStringLiteral("filterKernel"));
    m_kernel->setAccessibleName(tr("Kernel"));
    m_kernel->setToolTip(tr("The weights of the convolution"));
    m_kernel->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kernel->setMinimumContentsLength(12);
    m_layout->addRow(tr("Kernel"), m_kernel);
    buildFileRow();
    std::size_t most = 0;
    for (const filter::KernelForm& form : filter::kernelForms()) {
        most = std::max(most, form.parameters.size());
    }
    for (std::size_t i = 0; i < most; ++i) {
        m_values.push_back(makeValue(static_cast<int>(i + 1)));
    }
    buildUnitRow();
    for (const char* const option :
         {"border", "extent", "method", "parts", "transforms", "precision"}) {
        m_options->addRow(*m_layout, option);
    }
    m_options->show(job::ConvolveJob());
    border().setCurrentIndex(border().findData(usualBorder()));
    showParts();
    connectFields();
}

void FilterForm::buildFileRow() {
    m_fileLabel = new QLabel(tr("File"), this);
    m_fileRow = new QWidget(this);
    auto* fileRow = new QHBoxLayout(m_fileRow);
    fileRow->setContentsMargins(0, 0, 0, 0);
    m_file = new QLineEdit(m_fileRow);
    m_file->setObjectName(QStringLiteral("filterFile"));
    m_file->setAccessibleName(tr("File of the kernel"));
    m_file->setToolTip(tr("An image or volume; every voxel is a weight"));
    m_file->setReadOnly(true);
    m_file->setPlaceholderText(tr("none chosen"));
    auto* choose = new QPushButton(tr("Choose …"), m_fileRow);
    choose->setObjectName(QStringLiteral("filterChooseFile"));
    choose->setAccessibleName(tr("Choose the file of the kernel"));
    choose->setToolTip(tr("Chooses an image or volume, whose voxels are the weights"));
    choose->setAutoDefault(false);
    fileRow->addWidget(m_file, 1);
    fileRow->addWidget(choose);
    m_layout->addRow(m_fileLabel, m_fileRow);
    connect(choose, &QPushButton::clicked, this, &FilterForm::askFile);
}

void FilterForm::buildUnitRow() {
    m_unitRow = new QWidget(this);
    auto* unitRow = new QHBoxLayout(m_unitRow);
    unitRow->setContentsMargins(0, 0, 0, 0);
    m_unit = new QComboBox(m_unitRow);
    m_unit->setObjectName(QStringLiteral("filterUnit"));
    m_unit->setAccessibleName(tr("Unit of the sizes"));
    m_unit->setToolTip(tr("Sizes in a unit of length are divided by the spacing of each axis"));
    m_eachAxis = new QCheckBox(tr("Each axis"), m_unitRow);
    m_eachAxis->setObjectName(QStringLiteral("filterEachAxis"));
    m_eachAxis->setToolTip(tr("One size for each axis instead of one for all"));
    unitRow->addWidget(m_unit, 1);
    unitRow->addWidget(m_eachAxis);
    m_unitLabel = new QLabel(tr("Unit"), this);
    m_unitLabel->setBuddy(m_unit);
    m_layout->addRow(m_unitLabel, m_unitRow);
}

QComboBox& FilterForm::border() const { return m_options->field<QComboBox>("border"); }

/// Parts are of a method that divides the transform.
void FilterForm::showParts() {
    m_layout->setRowVisible(&m_options->field<QWidget>("parts"),
                            filter::hasParts(m_options->text("method").value()));
}

void FilterForm::connectFields() {
    connect(m_kernel, &QComboBox::currentIndexChanged, this, &FilterForm::chooseKernel);
    connect(m_kernel, &QComboBox::activated, this, [this] {
        if (isFile() && m_file->text().isEmpty()) {
            askFile();
        }
    });
    connect(m_unit, &QComboBox::currentIndexChanged, this, &FilterForm::changeUnit);
    connect(&border(), &QComboBox::activated, this, [this] { m_borderChosen = true; });
    connect(m_eachAxis, &QCheckBox::toggled, this, [this] {
        for (const Value& value : m_values) {
            for (QDoubleSpinBox* size : value.sizes) {
                const QSignalBlocker quiet(size);
                size->setValue(value.sizes.front()->value());
            }
        }
        showValues(false);
        Q_EMIT changed();
    });
    connect(m_options, &OptionFields::changed, this, [this] {
        showParts();
        Q_EMIT changed();
    });
}

void FilterForm::fillKernels() {
    const QSignalBlocker quiet(m_kernel);
    const QString before = m_kernel->currentText();
    m_kernel->clear();
    const auto& forms = filter::kernelForms();
    for (std::size_t i = 0; i < forms.size(); ++i) {
        if (forms[i].axes <= m_axes) {
            m_kernel->addItem(toQString(forms[i].title), static_cast<int>(i));
        }
    }
    m_kernel->insertSeparator(m_kernel->count());
    m_kernel->addItem(tr("From a file …"), kFile);
    m_kernel->setCurrentIndex(before.isEmpty() ? 0 : std::max(0, m_kernel->findText(before)));
    m_kernel->setMaxVisibleItems(m_kernel->count());
}

void FilterForm::setScene(const base::Extents& extents, const base::Geometry& geometry) {
    const QString kernel = m_kernel->currentText();
    const QString unit = unitText(geometry);
    const bool sameUnit = m_unit->count() > 0 &&
                          filter::hasLength(geometry) == (m_unit->count() > 1) &&
                          (m_unit->count() == 1 || m_unit->itemText(1) == unit);
    m_geometry = geometry;
    m_axes = base::isFlat2D(extents) ? 2 : 3;
    fillKernels();
    if (!sameUnit) {
        const QSignalBlocker quiet(m_unit);
        m_unit->clear();
        m_unit->addItem(QString());
        if (filter::hasLength(geometry)) {
            m_unit->addItem(unit);
        }
        m_wasWorld = false;
    }
    m_unit->setItemText(0, tr("%1 (px)").arg(voxelsWord(m_axes == 3)));
    showValues(!sameUnit || m_kernel->currentText() != kernel);
    Q_EMIT changed();
}

bool FilterForm::isFile() const { return m_kernel->currentData().toInt() == kFile; }

const filter::KernelForm& FilterForm::form() const {
    const int number = std::max(0, m_kernel->currentData().toInt());
    return filter::kernelForms()[static_cast<std::size_t>(number)];
}

bool FilterForm::inWorldUnits() const { return m_unit->currentIndex() > 0; }

void FilterForm::chooseKernel() {
    if (!m_borderChosen) {
        const QSignalBlocker quiet(&border()); // one change
        border().setCurrentIndex(border().findData(usualBorder()));
    }
    showValues(true);
    Q_EMIT changed();
}

/// The border until a person chooses one. Zeros beyond the scene darken the rim of what a filter by
/// name makes; a kernel from a file is convolved as the command line does it.
QString FilterForm::usualBorder() const {
    return isFile() ? QStringLiteral("zero") : QStringLiteral("replicate");
}

/// Shows the controls of the kernel's values; `usual`: with the values to begin with.
void FilterForm::showValues(bool usual) {
    using Kind = filter::KernelParameter::Kind;
    const bool file = isFile();
    const auto show = [](QWidget* label, QWidget* row, bool on) {
        label->setVisible(on);
        row->setVisible(on);
    };
    show(m_fileLabel, m_fileRow, file);
    bool sizes = false;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const Value& value = m_values[i];
        const bool used = !file && i < form().parameters.size();
        show(value.label, value.row, used);
        if (!used) {
            continue;
        }
        const filter::KernelParameter& parameter = form().parameters[i];
        const bool axis = parameter.kind == Kind::Axis;
        sizes = sizes || !axis;
        value.label->setText(toQString(parameter.title));
        value.axis->setVisible(axis);
        value.axis->setAccessibleName(toQString(parameter.title));
        value.axis->setToolTip(tr("Axis of the kernel"));
        if (axis && value.axis->count() != static_cast<int>(m_axes)) {
            const QSignalBlocker quiet(value.axis);
            value.axis->clear();
            for (std::size_t each = 0; each < m_axes; ++each) {
                value.axis->addItem(QLatin1String(kAxisNames[each]));
            }
        }
        for (std::size_t each = 0; each < value.sizes.size(); ++each) {
            auto* box = value.sizes[each];
            const QSignalBlocker quiet(box);
            const bool all = !m_eachAxis->isChecked();
            box->setVisible(!axis && (each == 0 || (!all && each < m_axes)));
            const QString title = toQString(parameter.title);
            const QString along = QLatin1String(kAxisNames[each]);
            box->setAccessibleName(all ? title : tr("%1 along %2").arg(title, along));
            box->setToolTip(all ? tr("%1, for all axes").arg(title)
                                : tr("%1 along %2").arg(title, along));
            const bool count = parameter.kind == Kind::Count && !inWorldUnits();
            box->setDecimals(count ? 0 : 6);
            box->setStepType(count ? QAbstractSpinBox::DefaultStepType
                                   : QAbstractSpinBox::AdaptiveDecimalStepType);
            box->setSingleStep(2); // of counts, which are odd as a rule
            if (usual) {
                const double spacing = inWorldUnits() ? spacingOf(m_geometry, all ? 0 : each) : 1;
                box->setValue(parameter.usual * spacing);
            }
        }
    }
    show(m_unitLabel, m_unitRow, sizes);
    m_unit->setEnabled(m_unit->count() > 1);
}

void FilterForm::changeUnit() {
    if (inWorldUnits() == m_wasWorld) {
        return;
    }
    m_wasWorld = inWorldUnits();
    showValues(false); // decimals before values
    for (const Value& value : m_values) {
        for (std::size_t axis = 0; axis < value.sizes.size(); ++axis) {
            const QSignalBlocker quiet(value.sizes[axis]);
            const double spacing = spacingOf(m_geometry, m_eachAxis->isChecked() ? axis : 0);
            const double size = value.sizes[axis]->value();
            value.sizes[axis]->setValue(m_wasWorld ? size * spacing : size / spacing);
        }
    }
    Q_EMIT changed();
}

void FilterForm::askFile() {
    auto* dialog = new QFileDialog(this, tr("Open kernel"),
                                   Settings::folder(QStringLiteral("kernel")), Opener::filters());
    dialog->setObjectName(QStringLiteral("filterKernelDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        Settings::rememberFolder(QStringLiteral("kernel"), file);
        m_file->setText(file);
        m_file->setToolTip(file);
        Q_EMIT changed();
    });
    dialog->open();
}

QString FilterForm::sizesText(const Value& value, const QString& separator,
                              const QString& unit) const {
    QStringList sizes;
    for (std::size_t axis = 0; axis < (m_eachAxis->isChecked() ? m_axes : 1); ++axis) {
        sizes << QString::number(value.sizes[axis]->value(), 'g', 10) + unit;
    }
    return sizes.join(separator);
}

job::ConvolveJob FilterForm::job() const {
    job::ConvolveJob job;
    if (isFile()) {
        job.kernel = toPath(m_file->text()).string();
    } else {
        job.kernel = form().name;
        const QString unit = inWorldUnits() ? toQString(m_geometry.unit) : QString();
        for (std::size_t i = 0; i < form().parameters.size(); ++i) {
            const bool axis = form().parameters[i].kind == filter::KernelParameter::Kind::Axis;
            const Value& value = m_values[i];
            job.kernel += ":" + (axis ? value.axis->currentText()
                                      : sizesText(value, QStringLiteral(","), unit))
                                    .toStdString();
        }
    }
    m_options->read(job);
    if (!filter::hasParts(job.method)) {
        job.parts = 0;
    }
    return job;
}

void FilterForm::setJob(const job::ConvolveJob& job) {
    const bool file = job::isKernelFile(job.kernel);
    filter::KernelValues shown;
    if (!file) {
        const base::Extents scene{2, 2, m_axes == 2 ? 1 : 2}; // only its axes matter
        shown = filter::kernelValues(job.kernel, scene, m_geometry);
    }
    blockSignals(true); // one change for all
    m_kernel->setCurrentIndex(m_kernel->findData(file ? kFile : static_cast<int>(shown.form)));
    if (file) {
        m_file->setText(pathText(job.kernel));
        m_file->setToolTip(m_file->text());
    } else {
        showSizes(shown);
    }
    m_borderChosen = true;
    m_options->show(job);
    showParts();
    blockSignals(false);
    Q_EMIT changed();
}

/// Fills the controls of the kernel's values.
void FilterForm::showSizes(const filter::KernelValues& shown) {
    const bool length = shown.inLength && m_unit->count() > 1;
    bool different = false;
    for (std::size_t i = 0; i < shown.values.size(); ++i) {
        for (std::size_t axis = 1; axis < m_axes; ++axis) {
            const auto size = [&](std::size_t of) {
                return shown.values[i][of] * (length ? spacingOf(m_geometry, of) : 1);
            };
            different = different || std::abs(size(axis) - size(0)) > 1e-9 * size(0);
        }
    }
    m_eachAxis->setChecked(different);
    m_unit->setCurrentIndex(length ? 1 : 0);
    showValues(false); // decimals before values
    for (std::size_t i = 0; i < shown.values.size(); ++i) {
        m_values[i].axis->setCurrentIndex(static_cast<int>(shown.values[i][0]));
        for (std::size_t axis = 0; axis < m_axes; ++axis) {
            m_values[i].sizes[axis]->setValue(shown.values[i][axis] *
                                              (length ? spacingOf(m_geometry, axis) : 1));
        }
    }
}

QString FilterForm::title() const {
    if (isFile()) {
        return pathText(toPath(m_file->text()).filename());
    }
    QStringList values;
    bool sizes = false;
    for (std::size_t i = 0; i < form().parameters.size(); ++i) {
        const bool axis = form().parameters[i].kind == filter::KernelParameter::Kind::Axis;
        sizes = sizes || !axis;
        values << (axis ? m_values[i].axis->currentText()
                        : sizesText(m_values[i], QStringLiteral(" × "), {}));
    }
    QString title = toQString(form().name) + QChar(' ') + values.join(tr(" and "));
    if (sizes) {
        title += QChar(' ') + (inWorldUnits() ? unitText(m_geometry) : QStringLiteral("px"));
    }
    return title;
}

} // namespace flcc::ui
