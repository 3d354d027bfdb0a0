#include "ui/views/view_frame.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

#include "ui/base/theme.h"

namespace flcc::ui {

ViewFrame::ViewFrame(std::shared_ptr<viz::SliceScene> scene, const QString& title,
                     const QString& name, QWidget* parent)
    : QFrame(parent), m_slice(scene) {
    build(std::move(scene), title, name);
}

ViewFrame::ViewFrame(std::shared_ptr<viz::VolumeScene> scene, const QString& title,
                     const QString& name, QWidget* parent)
    : QFrame(parent), m_volume(scene) {
    build(std::move(scene), title, name);
}

void ViewFrame::build(std::shared_ptr<viz::Scene> scene, const QString& title,
                      const QString& name) {
    setObjectName(name);
    setAccessibleName(tr("View %1").arg(title));
    setFrameStyle(QFrame::Box | QFrame::Plain);

    m_header = new QWidget(this);
    m_title = new QLabel(title, m_header);
    QFont semibold = font();
    semibold.setWeight(QFont::DemiBold);
    m_title->setFont(semibold);
    m_note = new QLabel(m_header);
    m_note->setForegroundRole(kMutedText);
    m_note->setTextInteractionFlags(Qt::NoTextInteraction);
    m_maximise = new QToolButton(m_header);
    m_maximise->setObjectName(name + QStringLiteral("Maximise"));
    m_maximise->setAccessibleName(tr("Maximise view %1").arg(title));
    m_maximise->setAutoRaise(true);
    m_maximise->setIconSize({14, 14});
    m_maximise->setFocusPolicy(Qt::TabFocus);
    connect(m_maximise, &QToolButton::clicked, this, &ViewFrame::maximiseRequested);
    auto* header = new QHBoxLayout(m_header);
    header->setContentsMargins(8, 1, 2, 1);
    header->addWidget(m_title);
    header->addWidget(m_note, 1);
    header->addWidget(m_maximise);

    QWidget* view = makeSceneWidget(std::move(scene), this);
    view->setObjectName(name + QStringLiteral("Scene"));
    view->setAccessibleName(tr("Picture of view %1").arg(title));
    view->setMinimumSize(80, 60);
    m_widget = qobject_cast<SceneWidget*>(view);

    m_sliceRow = new QWidget(this);
    m_slider = new QSlider(Qt::Horizontal, m_sliceRow);
    m_slider->setObjectName(name + QStringLiteral("Slider"));
    m_slider->setAccessibleName(tr("Slice of view %1").arg(title));
    m_slider->setToolTip(tr("Slice shown in %1 (wheel, PgUp, PgDn; Shift: ten slices)").arg(title));
    m_sliceText = new QLabel(m_sliceRow);
    m_sliceText->setForegroundRole(kMutedText);
    m_sliceText->setObjectName(name + QStringLiteral("SliceText"));
    m_sliceText->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* sliceRow = new QHBoxLayout(m_sliceRow);
    sliceRow->setContentsMargins(8, 2, 8, 2);
    sliceRow->addWidget(m_slider, 1);
    sliceRow->addWidget(m_sliceText);
    m_sliceRow->hide();
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int slice) { Q_EMIT sliceRequested(slice); });

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(view, 1);
    layout->addWidget(m_sliceRow);
    setActive(false);
    setMaximised(false);
}

viz::Scene& ViewFrame::scene() const {
    return m_slice ? static_cast<viz::Scene&>(*m_slice) : static_cast<viz::Scene&>(*m_volume);
}

void ViewFrame::updateSlice() {
    if (!m_slice) {
        return;
    }
    const auto count = m_slice->sliceCount();
    m_sliceRow->setVisible(count > 1);
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, static_cast<int>(count) - 1);
    m_slider->setValue(static_cast<int>(m_slice->slice()));
    m_slider->setPageStep(10);
    // From 0, as the status bar and the table count.
    constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};
    const QChar axis(kAxes[viz::axesOf(m_slice->orientation()).depth]);
    const auto text = [&](qint64 slice) {
        return tr("%1 = %2 of 0–%3").arg(axis).arg(slice).arg(count - 1);
    };
    m_sliceText->setMinimumWidth(m_sliceText->fontMetrics().horizontalAdvance(text(count - 1)));
    m_sliceText->setText(text(m_slice->slice()));
    const auto [first, last] = m_slice->slab();
    setNote(last > first ? tr("maximum of %1 = %2–%3").arg(axis).arg(first).arg(last) : QString());
}

void ViewFrame::setNote(const QString& note) { m_note->setText(note); }

void ViewFrame::setActive(bool active) {
    setForegroundRole(active ? QPalette::Highlight : QPalette::Mid); // of the frame
}

void ViewFrame::setMaximised(bool maximised) {
    m_maximise->setIcon(
        icon(maximised ? QStringLiteral("layout-quad") : QStringLiteral("layout-single")));
    m_maximise->setToolTip(maximised ? tr("Show all views (double-click)")
                                     : tr("Maximise this view (double-click)"));
}

void ViewFrame::setTitleVisible(bool visible) { m_header->setVisible(visible); }

} // namespace flcc::ui
