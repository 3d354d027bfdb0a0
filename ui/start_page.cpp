#include "ui/start_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/sample_card.h"
#include "ui/settings.h"
#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {
namespace {

constexpr int kRecentShown = 6;

} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("startPage"));
    m_title = new QLabel(tr("Find a template in an image or a volume"), this);
    QFont big = font();
    big.setPointSizeF(big.pointSizeF() * 1.7);
    big.setBold(true);
    m_title->setFont(big);
    m_title->setWordWrap(true);
    m_subtitle =
        new QLabel(tr("Open a file, drop one here, or start with a sample: one click opens "
                      "it with its template, the next one on Run finds the copies."),
                   this);
    m_subtitle->setWordWrap(true);

    auto* open = new QPushButton(icon(QStringLiteral("open")), tr("Open image or volume …"), this);
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
    auto* cards = new QHBoxLayout;
    cards->setSpacing(14);
    for (const sample::SampleInfo& info : sample::sampleList()) {
        auto* card = new SampleCard(toQString(info.name), toQString(info.title),
                                    extentsText(info.extents), this);
        connect(card, &SampleCard::clicked, this,
                [this, card] { Q_EMIT sampleRequested(card->name()); });
        cards->addWidget(card);
        m_cards.push_back(card);
    }
    cards->addStretch(1);
    m_recentBox = new QWidget(this);
    m_recent = new QVBoxLayout(m_recentBox);
    m_recent->setContentsMargins(0, 0, 0, 0);
    m_recent->setSpacing(2);

    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(28, 26, 28, 20);
    column->setSpacing(8);
    column->addWidget(m_title);
    column->addWidget(m_subtitle);
    column->addSpacing(8);
    column->addWidget(open, 0, Qt::AlignLeft);
    column->addSpacing(14);
    column->addWidget(heading(tr("Samples")));
    column->addLayout(cards);
    column->addSpacing(14);
    column->addWidget(m_recentBox);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    refreshTheme();
    refresh();
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

void StartPage::refreshTheme() {
    m_subtitle->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
    refresh();
}

} // namespace flcc::ui
