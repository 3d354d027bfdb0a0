#include "ui/open/start_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/open/sample_card.h"

namespace flcc::ui {
namespace {

constexpr int kRecentShown = 6;
constexpr int kSpacing = 14; // between cards
constexpr int kMargin = 20;

} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("startPage"));
    m_title = new QLabel(tr("Find a template in an image or a volume"), this);
    QFont big = font();
    big.setPointSizeF(big.pointSizeF() * 1.7);
    big.setBold(true);
    m_title->setFont(big);
    m_title->setWordWrap(true);
    auto* subtitle =
        new QLabel(tr("Open a file, drop one here, or start with a sample. A click on a sample "
                      "opens it with its template; then press Run to find the copies."),
                   this);
    subtitle->setForegroundRole(kMutedText);
    subtitle->setWordWrap(true);

    auto* open = new QPushButton(tr("Open image or volume …"), this);
    open->setIcon(icon(QStringLiteral("open")));
    open->setObjectName(QStringLiteral("startOpen"));
    open->setAccessibleName(tr("Open"));
    open->setToolTip(tr("Opens an image or a volume (Ctrl+O)"));
    open->setMinimumHeight(34);
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);

    const auto heading = [this](const QString& text) {
        auto* label = new QLabel(text, this);
        QFont bold = font();
        bold.setBold(true);
        label->setFont(bold);
        return label;
    };
    m_cardGrid = new QGridLayout;
    m_cardGrid->setSpacing(kSpacing);
    for (const sample::SampleInfo& info : sample::sampleList()) {
        auto* card = new SampleCard(toQString(info.name), toQString(info.title),
                                    extentsText(info.extents), this);
        connect(card, &SampleCard::clicked, this,
                [this, card] { Q_EMIT sampleRequested(card->name()); });
        m_cards.push_back(card);
    }
    m_recentBox = new QWidget(this);
    m_recent = new QVBoxLayout(m_recentBox);
    m_recent->setContentsMargins(0, 0, 0, 0);
    m_recent->setSpacing(2);

    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(kMargin, 18, kMargin, 8);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(subtitle);
    column->addSpacing(4);
    column->addWidget(open, 0, Qt::AlignLeft);
    column->addSpacing(8);
    column->addWidget(heading(tr("Samples")));
    column->addLayout(m_cardGrid);
    column->addWidget(m_recentBox);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    arrangeCards(static_cast<int>(m_cards.size()));
    followTheme(this, [this] { refresh(); });
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    const int room = width() - 2 * kMargin - bar + kSpacing;
    const int card = m_cards.empty() ? room : m_cards.front()->sizeHint().width() + kSpacing;
    arrangeCards(std::clamp(room / card, 1, static_cast<int>(m_cards.size())));
}

/// As many cards a row as fit.
void StartPage::arrangeCards(int columns) {
    if (columns == m_columns) {
        return;
    }
    for (int column = 0; column <= m_columns; ++column) {
        m_cardGrid->setColumnStretch(column, 0);
    }
    m_columns = columns;
    for (int i = 0; i < static_cast<int>(m_cards.size()); ++i) {
        m_cardGrid->addWidget(m_cards[static_cast<std::size_t>(i)], i / columns, i % columns);
    }
    m_cardGrid->setColumnStretch(columns, 1);
}

void StartPage::refresh() {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const QStringList files = Settings::recentFiles().mid(0, kRecentShown);
    m_recentBox->setVisible(!files.isEmpty());
    auto* heading = new QLabel(tr("Recent files"), m_recentBox);
    QFont bold = font();
    bold.setBold(true);
    heading->setFont(bold);
    m_recent->addWidget(heading);
    for (const QString& file : files) {
        const QFileInfo info(file);
        auto* link = new QLabel(m_recentBox);
        link->setTextFormat(Qt::RichText);
        link->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        link->setText(QStringLiteral("<a href='f' style='text-decoration:none'>%1</a> "
                                     "<span style='color:%2'>%3</span>")
                          .arg(info.fileName().toHtmlEscaped(), accents().muted.name(),
                               info.absolutePath().toHtmlEscaped()));
        link->setToolTip(tr("Opens %1").arg(file));
        link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(link, &QLabel::linkActivated, this, [this, file] { Q_EMIT fileRequested(file); });
        m_recent->addWidget(link);
    }
}

void StartPage::setThumbnail(const QString& sample, const QImage& picture) {
    for (SampleCard* card : m_cards) {
        if (card->name() == sample) {
            card->setPicture(picture);
        }
    }
}

} // namespace flcc::ui
