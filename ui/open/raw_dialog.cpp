#include "ui/open/raw_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "engine/io/image_file.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/thumbnail.h"
#include "ui/open/spacing_fields.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

namespace {

constexpr int kSliceSide = 256;
constexpr int kSliceDelayMs = 150;
constexpr int kMostVoxels = 1'000'000; ///< along an axis

QSpinBox* numberBox(QWidget* parent, const char* name, const QString& label, int most) {
    auto* box = new QSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setToolTip(label);
    box->setRange(1, most);
    return box;
}

} // namespace

RawDialog::RawDialog(std::filesystem::path file, std::int64_t bytes, RunController& controller,
                     QWidget* parent)
    : QDialog(parent), m_file(std::move(file)), m_bytes(bytes), m_controller(controller) {
    setObjectName(QStringLiteral("rawDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Open %1").arg(pathText(m_file.filename())));
    auto* column = new QVBoxLayout(this);
    auto* row = new QHBoxLayout;
    row->addWidget(buildForm(), 1);
    row->addWidget(buildPreview());
    column->addLayout(row);
    m_verdict = new QLabel(this);
    m_verdict->setObjectName(QStringLiteral("rawVerdict"));
    m_verdict->setWordWrap(true);
    column->addWidget(m_verdict);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    m_open = buttons->button(QDialogButtonBox::Open);
    m_open->setObjectName(QStringLiteral("rawOpen"));
    m_open->setToolTip(tr("Opens the voxels as the form says"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    m_delay.setSingleShot(true);
    m_delay.setInterval(kSliceDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &RawDialog::requestPreview);
    guess();
    for (QSpinBox* box : {m_sizes[0], m_sizes[1], m_sizes[2], m_offset}) {
        connect(box, &QSpinBox::valueChanged, this, &RawDialog::change);
    }
    connect(m_type, &QComboBox::currentIndexChanged, this, &RawDialog::change);
    connect(m_order, &QComboBox::currentIndexChanged, this, &RawDialog::change);
    connect(m_spacing, &SpacingFields::changed, this, &RawDialog::change);
    connect(m_slice, &QSlider::valueChanged, this, [this] { m_delay.start(); });
    change();
}

QWidget* RawDialog::buildForm() {
    auto* side = new QWidget(this);
    auto* form = new QFormLayout(side);
    form->setContentsMargins(0, 0, 0, 0);
    const std::array<const char*, 3> names{"rawWidth", "rawHeight", "rawDepth"};
    const std::array<QString, 3> labels{tr("Width"), tr("Height"), tr("Slices")};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        m_sizes[axis] = numberBox(side, names[axis], labels[axis], kMostVoxels);
        form->addRow(labels[axis], m_sizes[axis]);
    }
    m_type = new QComboBox(side);
    m_type->setObjectName(QStringLiteral("rawType"));
    m_type->setAccessibleName(tr("Type of the voxels"));
    m_type->setToolTip(tr("Type of the voxels"));
    for (int i = 0; i <= static_cast<int>(base::PixelType::Float64); ++i) {
        m_type->addItem(toQString(base::name(static_cast<base::PixelType>(i))), i);
    }
    form->addRow(tr("Type"), m_type);
    m_order = new QComboBox(side);
    m_order->setObjectName(QStringLiteral("rawOrder"));
    m_order->setAccessibleName(tr("Byte order"));
    m_order->setToolTip(tr("Order of the bytes of a voxel; most programs of today write the low "
                           "byte first"));
    m_order->addItems({tr("low byte first (little-endian)"), tr("high byte first (big-endian)")});
    form->addRow(tr("Byte order"), m_order);
    m_offset = numberBox(side, "rawOffset", tr("Bytes before the first voxel"),
                         static_cast<int>(std::min<std::int64_t>(m_bytes, INT32_MAX)));
    m_offset->setMinimum(0);
    m_offset->setValue(0);
    form->addRow(tr("Skip bytes"), m_offset);
    m_spacing = new SpacingFields(side);
    form->addRow(tr("Spacing"), m_spacing);
    return side;
}

QWidget* RawDialog::buildPreview() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    m_preview = new QLabel(side);
    m_preview->setObjectName(QStringLiteral("rawPreview"));
    m_preview->setAccessibleName(tr("A slice as the form understands it"));
    m_preview->setFixedSize(kSliceSide, kSliceSide);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setFrameShape(QFrame::StyledPanel);
    column->addWidget(m_preview);
    m_slice = new QSlider(Qt::Horizontal, side);
    m_slice->setObjectName(QStringLiteral("rawSlice"));
    m_slice->setAccessibleName(tr("Slice of the preview"));
    m_slice->setToolTip(tr("Slice of the preview"));
    column->addWidget(m_slice);
    column->addStretch(1);
    return side;
}

void RawDialog::guess() {
    static const QRegularExpression extents(QStringLiteral(
        "(?<![0-9])([1-9][0-9]{0,5})[xX]([1-9][0-9]{0,5})(?:[xX]([1-9][0-9]{0,5}))?"));
    static const QRegularExpression type(
        QStringLiteral("(uint8|int8|uint16|int16|uint32|int32|uint64|int64|float32|float64)"));
    const QString name = pathText(m_file.filename()).toLower();
    if (const auto match = type.match(name); match.hasMatch()) {
        m_type->setCurrentText(match.captured(1));
    }
    if (const auto match = extents.match(name); match.hasMatch()) {
        for (int axis = 0; axis < 3; ++axis) {
            const QString number = match.captured(axis + 1);
            m_sizes[static_cast<std::size_t>(axis)]->setValue(
                number.isEmpty() ? 1 : std::min(number.toInt(), kMostVoxels));
        }
        return;
    }
    const std::int64_t each = base::bytesPerVoxel(volume().type);
    const auto side = static_cast<int>(
        std::min<double>(kMostVoxels, std::floor(std::sqrt(static_cast<double>(m_bytes / each)))));
    m_sizes[0]->setValue(std::max(1, side));
    m_sizes[1]->setValue(std::max(1, side));
}

io::RawVolume RawDialog::volume() const {
    io::RawVolume volume;
    volume.file = m_file;
    volume.extents = {m_sizes[0]->value(), m_sizes[1]->value(), m_sizes[2]->value()};
    volume.type = static_cast<base::PixelType>(m_type->currentData().toInt());
    volume.bigEndian = m_order->currentIndex() == 1;
    volume.offset = m_offset->value();
    return volume;
}

std::optional<base::Spacing> RawDialog::spacing() const {
    const base::Spacing stated = m_spacing->spacing();
    return stated == base::Spacing{} ? std::nullopt : std::optional(stated);
}

void RawDialog::change() {
    const io::RawVolume now = volume();
    m_spacing->setVolume(now.extents.z > 1);
    m_slice->setRange(0, static_cast<int>(now.extents.z) - 1);
    m_slice->setVisible(now.extents.z > 1);
    m_order->setEnabled(base::bytesPerVoxel(now.type) > 1);
    const std::int64_t needed = io::bytesNeeded(now);
    const bool fits = needed <= m_bytes;
    const QString both = tr("The voxels need %L1 bytes, the file has %L2").arg(needed).arg(m_bytes);
    m_verdict->setText(
        needed == m_bytes ? tr("%1: it fits.").arg(both)
        : fits ? tr("%1: %L2 bytes at its end are not read.").arg(both).arg(m_bytes - needed)
               : tr("%1: it is too short. Make the extents, the type or the number "
                    "of skipped bytes smaller.")
                     .arg(both));
    QPalette palette = this->palette();
    if (!fits) {
        palette.setColor(QPalette::WindowText, accents().bad);
    } else if (needed < m_bytes) {
        palette.setColor(QPalette::WindowText, accents().warning);
    }
    m_verdict->setPalette(palette);
    m_open->setEnabled(fits && m_spacing->isValid());
    if (fits) {
        m_delay.start();
    } else {
        m_delay.stop();
        ++m_wanted;
        showPreview({});
    }
}

void RawDialog::requestPreview() {
    io::RawVolume slice = volume();
    const std::int64_t voxels = slice.extents.x * slice.extents.y;
    slice.offset += m_slice->value() * voxels * base::bytesPerVoxel(slice.type);
    slice.extents.z = 1;
    const QPointer<RawDialog> self(this);
    m_controller.start(
        RunController::Task::Preview, tr("Reading a slice"),
        [self, slice, number = ++m_wanted](const std::stop_token& stop,
                                           job::JobSink*) -> RunController::Done {
            QImage picture;
            try {
                const io::LoadedImage image = io::readImage(io::rawPath(slice), {.stop = stop});
                if (image.components.empty()) {
                    return {};
                }
                picture = thumbnailOf(base::viewOf(image.components.front()), kSliceSide - 2);
            } catch (const std::exception&) { // what the file lacks is said on
                                              // opening
            }
            return [self, picture, number] {
                if (self && self->m_wanted == number) {
                    self->showPreview(picture);
                }
            };
        });
}

void RawDialog::showPreview(const QImage& picture) {
    if (picture.isNull()) {
        m_preview->setText(tr("no preview"));
        return;
    }
    m_preview->setPixmap(QPixmap::fromImage(picture.scaled(
        kSliceSide - 2, kSliceSide - 2, Qt::KeepAspectRatio, Qt::FastTransformation)));
}

} // namespace flcc::ui
