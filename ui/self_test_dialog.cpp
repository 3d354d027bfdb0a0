#include "ui/self_test_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <mutex>
#include <stop_token>
#include <string>

#include "ui/text.h"
#include "ui/theme.h"

namespace flcc::ui {

/// What the background thread tells; it may outlive the dialog.
struct SelfTestDialog::Shared {
    std::stop_source stop;
    std::mutex mutex;
    std::string name; ///< guarded by mutex
    double share = 0; ///< guarded by mutex
};

namespace {

/// All instruction sets of one case, method and precision in one row.
struct Line {
    selftest::Row row;
    int sets = 0;
};

std::vector<Line> linesOf(const selftest::Report& report) {
    std::vector<Line> lines;
    for (const selftest::Row& row : report.rows) {
        const auto known = std::ranges::find_if(lines, [&](const Line& line) {
            return line.row.name == row.name && line.row.method == row.method &&
                   line.row.precision == row.precision;
        });
        if (known == lines.end()) {
            lines.push_back({row, 1});
            continue;
        }
        ++known->sets;
        known->row.runs += row.runs;
        known->row.ms += row.ms;
        known->row.largestError = std::max(known->row.largestError, row.largestError);
        known->row.overBound = std::max(known->row.overBound, row.overBound);
        if (known->row.fault.empty()) {
            known->row.fault = row.fault;
        }
    }
    return lines;
}

} // namespace

SelfTestDialog::SelfTestDialog(RunController& controller, QWidget* parent)
    : QDialog(parent), m_controller(controller) {
    setObjectName(QStringLiteral("selfTest"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Self-test"));
    m_verdict = new QLabel(this);
    m_verdict->setObjectName(QStringLiteral("selfTestVerdict"));
    m_verdict->setWordWrap(true);
    m_bar = new QProgressBar(this);
    m_bar->setObjectName(QStringLiteral("selfTestBar"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_table = new QTableWidget(0, 8, this);
    m_table->setObjectName(QStringLiteral("selfTestTable"));
    m_table->setAccessibleName(tr("Results of the self-test"));
    m_table->setHorizontalHeaderLabels({tr("Case"), tr("Method"), tr("Precision"),
                                        tr("Instruction sets"), tr("Runs"), tr("Largest error"),
                                        tr("Error over bound"), tr("Verdict")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_again = buttons->addButton(tr("Run again"), QDialogButtonBox::ActionRole);
    m_again->setObjectName(QStringLiteral("selfTestAgain"));
    m_copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    m_copy->setObjectName(QStringLiteral("selfTestCopy"));
    m_copy->setToolTip(tr("Copies the results as text"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_cancel = buttons->addButton(tr("Cancel"), QDialogButtonBox::ActionRole);
    m_cancel->setObjectName(QStringLiteral("selfTestCancel"));
    connect(m_again, &QPushButton::clicked, this, &SelfTestDialog::start);
    connect(m_cancel, &QPushButton::clicked, this, &SelfTestDialog::stop);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(toQString(selftest::toText(m_report))); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&m_controller, &RunController::failed, this,
            [this](RunController::Task task, const QString& sentence) {
                if (task == RunController::Task::SelfTest) {
                    showReport({});
                    m_verdict->setText(sentence);
                }
            });

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_verdict);
    layout->addWidget(m_bar);
    layout->addWidget(m_table, 1);
    layout->addWidget(buttons);
    resize(820, 560);
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &SelfTestDialog::showProgress);
    timer->start(100);
    start();
}

SelfTestDialog::~SelfTestDialog() { stop(); }

void SelfTestDialog::start() {
    m_shared = std::make_shared<Shared>();
    m_report = {};
    m_table->setRowCount(0);
    m_bar->show();
    m_again->setEnabled(false);
    m_copy->setEnabled(false);
    m_cancel->setEnabled(true);
    m_verdict->setText(tr("Waiting for the work under way ..."));
    const QPointer<SelfTestDialog> self(this);
    m_controller.start(
        RunController::Task::SelfTest, tr("Self-test"),
        [self, shared = m_shared](const std::stop_token& stop, job::JobSink* sink) {
            // Either the dialog or the window ends it.
            const std::stop_callback ended(stop, [&] { shared->stop.request_stop(); });
            auto report = std::make_shared<selftest::Report>(selftest::runSelfTest(
                {}, shared->stop.get_token(), [&](std::string_view name, double share) {
                    sink->progress(share);
                    const std::scoped_lock lock(shared->mutex);
                    shared->name = name;
                    shared->share = share;
                }));
            return RunController::Done([self, report] {
                if (self) {
                    self->showReport(*report);
                }
            });
        });
}

void SelfTestDialog::stop() { m_shared->stop.request_stop(); }

void SelfTestDialog::showProgress() {
    const std::scoped_lock lock(m_shared->mutex);
    if (m_cancel->isEnabled() && !m_shared->name.empty()) {
        m_bar->setValue(static_cast<int>(m_shared->share * 1000));
        m_verdict->setText(m_shared->stop.stop_requested()
                               ? tr("Ending ...")
                               : tr("Running: %1").arg(toQString(m_shared->name)));
    }
}

void SelfTestDialog::showReport(const selftest::Report& report) {
    m_report = report;
    const std::vector<Line> lines = linesOf(report);
    m_table->setRowCount(static_cast<int>(lines.size()));
    int runs = 0;
    for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
        const selftest::Row& row = lines[static_cast<std::size_t>(i)].row;
        runs += row.runs;
        const QStringList texts{toQString(row.name),
                                toQString(row.method),
                                toQString(method::name(row.precision)),
                                QString::number(lines[static_cast<std::size_t>(i)].sets),
                                QString::number(row.runs),
                                QString::number(row.largestError, 'g', 2),
                                QString::number(row.overBound, 'g', 2),
                                row.fault.empty() ? tr("passed")
                                                  : tr("failed: %1").arg(toQString(row.fault))};
        for (int column = 0; column < static_cast<int>(texts.size()); ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            const bool figure = column >= 3 && column <= 6;
            item->setTextAlignment((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(texts[column]);
            m_table->setItem(i, column, item);
        }
    }
    m_table->resizeColumnsToContents();
    m_bar->hide();
    m_again->setEnabled(true);
    m_copy->setEnabled(!report.rows.empty());
    m_cancel->setEnabled(false);
    const QString words = report.cancelled  ? tr("Ended before all cases had run")
                          : report.passed() ? tr("Passed")
                                            : tr("Failed");
    m_verdict->setText(tr("%1: %2 runs in %3 s, compared with scores taken in exact integers.")
                           .arg(words)
                           .arg(runs)
                           .arg(report.ms / 1000, 0, 'f', 1));
}

} // namespace flcc::ui
