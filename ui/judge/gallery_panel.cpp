#include "ui/judge/gallery_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/judge/gallery_delegate.h"
#include "ui/judge/gallery_view.h"
#include "ui/results/peaks_panel.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

constexpr int kSmallest = 40;
constexpr int kLargest = 200;
constexpr int kUsual = 88;
constexpr std::size_t kMostTemplates = 30; ///< pinned ones

} // namespace

GalleryPanel::GalleryPanel(Document& document, PeaksPanel& peaks, ViewsPanel& views,
                           QWidget* parent)
    : QWidget(parent), m_document(document), m_peaks(peaks), m_views(views) {
    setObjectName(QStringLiteral("galleryPanel"));
    m_bar = new QHBoxLayout;
    m_bar->setContentsMargins(8, 4, 8, 4);
    buildBar();
    auto* label = new QLabel(tr("Sort by"), this);
    label->setBuddy(m_sort);
    m_bar->addWidget(label);
    m_bar->addWidget(m_sort);
    m_bar->addWidget(m_order);
    m_bar->addStretch(1);
    m_bar->addWidget(m_turned);
    m_bar->addWidget(m_ownScale);
    m_bar->addWidget(m_cross);
    m_bar->addWidget(new QLabel(tr("Size"), this));
    m_bar->addWidget(m_size);
    buildList();
    m_templates = new QLabel(this);
    m_templates->setObjectName(QStringLiteral("galleryTemplates"));
    m_templates->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    m_templates->setMargin(4);
    m_templates->setToolTip(tr("The templates of the result, for comparison"));
    m_pinned = new QScrollArea(this);
    m_pinned->setFrameShape(QFrame::NoFrame);
    m_pinned->setWidget(m_templates);
    m_pinned->setWidgetResizable(true);
    m_pinned->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_pinned);
    row->addWidget(m_list, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_bar);
    layout->addLayout(row, 1);
    setFocusProxy(m_list);
    connect(&m_document, &Document::resultShown, this, &GalleryPanel::followResult);
    connect(&m_document, &Document::sceneShown, this, &GalleryPanel::followResult);
    connect(&m_views, &ViewsPanel::viewChanged, this, &GalleryPanel::followContrast);
    followResult();
    followTheme(this, [this] {
        m_delegate->forget();
        showTemplates();
    });
}

void GalleryPanel::buildBar() {
    m_sort = new QComboBox(this);
    m_sort->setObjectName(QStringLiteral("gallerySort"));
    m_sort->setAccessibleName(tr("Sort the gallery by"));
    m_sort->setToolTip(tr("Sorts gallery and table by a column of the table"));
    const PeaksFilter& rows = m_peaks.rows();
    for (int column = 0; column < PeaksModel::kColumns; ++column) {
        m_sort->addItem(rows.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                        column);
    }
    m_sort->setItemText(0, tr("rank"));
    m_order = new QToolButton(this);
    m_order->setObjectName(QStringLiteral("galleryOrder"));
    m_order->setAccessibleName(tr("Descending"));
    m_order->setToolTip(tr("The largest first"));
    m_order->setCheckable(true);
    m_order->setText(QStringLiteral("↓"));
    connect(m_sort, &QComboBox::activated, this, &GalleryPanel::sort);
    connect(m_order, &QToolButton::toggled, this, &GalleryPanel::sort);
    m_size = new QSlider(Qt::Horizontal, this);
    m_size->setObjectName(QStringLiteral("gallerySize"));
    m_size->setAccessibleName(tr("Size of the pictures"));
    m_size->setToolTip(tr("Size of the pictures"));
    m_size->setRange(kSmallest, kLargest);
    m_size->setValue(
        std::clamp(Settings::number(QStringLiteral("gallery/side"), kUsual), kSmallest, kLargest));
    m_size->setMaximumWidth(140);
    m_turned = addSwitch("galleryTurned", tr("Turned back"),
                         tr("Shows each panel as its template lies, whatever its pose"));
    m_turned->setChecked(true);
    m_ownScale = addSwitch("galleryOwnScale", tr("Own scale"),
                           tr("Gives each picture its own contrast, from its darkest to its "
                              "brightest value, in place of that of the views"));
    m_ownScale->setChecked(Settings::flag(QStringLiteral("gallery/ownScale"), false));
    m_cross = addSwitch("galleryCross", tr("Centre"), tr("Marks the centre of each picture"));
}

QToolButton* GalleryPanel::addSwitch(const char* name, const QString& text, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setAccessibleName(text);
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    return button;
}

void GalleryPanel::buildList() {
    m_delegate = new GalleryDelegate(m_document, m_peaks.rows(), m_peaks.peaks(), this);
    m_delegate->setSide(m_size->value());
    m_list = new GalleryView(this);
    m_list->setObjectName(QStringLiteral("gallery"));
    m_list->setAccessibleName(tr("Gallery of peaks"));
    m_list->setToolTip(
        tr("Space keeps, X rejects, U marks as unsure; N and P step; Shift extends"));
    m_list->setItemDelegate(m_delegate);
    m_list->setModel(&m_peaks.rows());
    m_list->setSelectionModel(&m_peaks.selection());
    connect(m_size, &QSlider::valueChanged, this, [this](int side) {
        Settings::setNumber(QStringLiteral("gallery/side"), side);
        m_delegate->setSide(side);
        m_list->doItemsLayout();
        showTemplates();
    });
    m_delegate->setOwnScale(m_ownScale->isChecked());
    connect(m_cross, &QToolButton::toggled, this, [this](bool on) {
        m_delegate->setCross(on);
        m_list->viewport()->update();
    });
    connect(m_turned, &QToolButton::toggled, this, [this](bool on) {
        m_delegate->setTurned(on);
        m_list->viewport()->update();
    });
    connect(m_ownScale, &QToolButton::toggled, this, [this](bool on) {
        Settings::setFlag(QStringLiteral("gallery/ownScale"), on);
        m_delegate->setOwnScale(on);
        m_list->viewport()->update();
        showTemplates();
    });
}

void GalleryPanel::addKey(QAction* action) { m_list->addAction(action); }

void GalleryPanel::addButton(QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    m_bar->insertWidget(m_bar->indexOf(m_cross), button);
}

void GalleryPanel::followResult() {
    const ResultEntry* result = m_document.result();
    m_turned->setVisible(result != nullptr && result->job->report.poses.has_value());
    m_delegate->forget();
    m_delegate->setWindow(m_views.greyWindow());
    m_list->doItemsLayout(); // the cells may have other panels
    showTemplates();
}

void GalleryPanel::followContrast() {
    m_delegate->setWindow(m_views.greyWindow());
    if (isVisible()) {
        m_list->viewport()->update();
        showTemplates();
    }
}

/// One under the other, with their numbers.
void GalleryPanel::showTemplates() {
    const ResultEntry* result = m_document.result();
    if (result == nullptr) {
        m_templates->clear();
        m_pinned->setFixedWidth(0);
        return;
    }
    const std::size_t count = std::min(result->job->templates.size(), kMostTemplates);
    const QSize cell = m_delegate->cellSize(font());
    const double ratio = devicePixelRatioF();
    QPixmap pixmap(QSize(cell.width(), cell.height() * static_cast<int>(count)) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    for (std::size_t i = 0; i < count; ++i) {
        const QImage picture = m_delegate->templatePicture(static_cast<int>(i), ratio);
        const int side = m_size->value();
        const int top = static_cast<int>(i) * cell.height();
        m_delegate->drawPanels(painter, picture, QRect(5, top, cell.width() - 10, side));
        painter.setPen(QApplication::palette().color(QPalette::WindowText));
        painter.drawText(QRect(0, top + side, cell.width(), cell.height() - side), Qt::AlignCenter,
                         result->job->templates.size() > 1 ? tr("template %1").arg(i)
                                                           : tr("template"));
    }
    m_templates->setPixmap(pixmap);
    m_pinned->setFixedWidth(cell.width() + 12);
}

void GalleryPanel::sort() {
    m_peaks.sortBy(m_sort->currentData().toInt(),
                   m_order->isChecked() ? Qt::DescendingOrder : Qt::AscendingOrder);
}

} // namespace flcc::ui
