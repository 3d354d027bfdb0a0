#include "ui/results/report_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

ReportPanel::ReportPanel(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("reportPanel"));
    m_model = new PlanModel(this);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("reportTable"));
    m_table->setAccessibleName(tr("Candidates of the plan"));
    m_table->setToolTip(tr("Every candidate with its prediction and the reason for its verdict"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->moveSection(PlanModel::Templ, 0);
    m_table->setColumnHidden(PlanModel::Templ, true);

    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("reportText"));
    m_text->setAccessibleName(tr("Plan report as text"));
    m_text->setToolTip(tr("The plan report as text"));
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setPlaceholderText(tr("The plan report appears here after planning."));
    m_copy = new QToolButton(this);
    m_copy->setObjectName(QStringLiteral("reportCopy"));
    m_copy->setAccessibleName(tr("Copy report"));
    m_copy->setText(tr("Copy"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copies the plan report as text"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setEnabled(false);
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QApplication::clipboard()->setText(text());
        Q_EMIT statusMessage(tr("The plan report was copied to the clipboard."));
    });

    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_text, 1);
    column->addWidget(m_copy, 0, Qt::AlignRight);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_table);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(splitter);
    setFocusProxy(m_table);
}

void ReportPanel::setReport(const std::optional<job::JobReport>& report) {
    std::vector<plan::PlanReport> plans;
    if (report) {
        for (const job::GroupReport& group : report->groups) {
            plans.push_back(group.plan);
        }
        if (plans.empty()) {
            plans.push_back(report->plan);
        }
    }
    m_model->setReports(plans);
    m_table->setColumnHidden(PlanModel::Templ, plans.size() < 2);
    m_table->setColumnHidden(PlanModel::Parts, !m_model->hasParts());
    m_text->setPlainText(report ? toQString(job::toText(*report)) : QString());
    m_copy->setEnabled(report.has_value());
    m_table->resizeColumnsToContents();
}

QString ReportPanel::text() const { return m_text->toPlainText(); }

} // namespace flcc::ui
