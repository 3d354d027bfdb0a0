#include "ui/help/self_test_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

#include <algorithm>
#include <mutex>
#include <vector>

#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/work/device_choice.h"

namespace flcc::ui {

namespace {

/// All instruction sets of one case, method, device and precision in one row.
struct Line {
    selftest::Row row;
    int sets = 0;
};

enum Column { Case, Method, Device, Precision, Sets, Runs, Error, OverBound, Verdict };

std::vector<Line> linesOf(const selftest::Report& report) {
    std::vector<Line> lines;
    for (const selftest::Row& row : report.rows) {
        const auto known = std::ranges::find_if(lines, [&](const Line& line) {
            return line.row.name == row.name && line.row.method == row.method &&
                   line.row.device == row.device && line.row.precision == row.precision;
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

/// The cases that have ended; it may outlive the dialog.
struct SelfTestDialog::Ended {
    std::mutex mutex;
    std::vector<selftest::Row> rows; ///< guarded by mutex
};

SelfTestDialog::SelfTestDialog(RunController& controller, QWidget* parent)
    : WorkDialog(controller, RunController::Task::SelfTest, QStringLiteral("selfTest"),
                 tr("Self-test"), parent) {
    auto* choice = new QWidget(this);
    auto* form = new QFormLayout(choice);
    form->setContentsMargins(0, 6, 0, 6);
    m_device = new QComboBox(choice);
    m_device->setObjectName(QStringLiteral("selfTestDevice"));
    m_device->setAccessibleName(tr("Device"));
    m_device->setToolTip(tr("Device to test. The list says why a device cannot be used"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setMinimumContentsLength(24);
    fillDevices(*m_device, plan::devices(plan::DeviceDetail::Names),
                {tr("All"), tr("The CPU and every GPU that can be used"), tr("Every GPU"),
                 tr("Every GPU that can be used")});
    auto* label = new QLabel(tr("Device"), choice);
    label->setBuddy(m_device);
    form->addRow(label, m_device);
    addContent(choice, 0);

    m_table = new QTableWidget(0, Verdict + 1, this);
    m_table->setObjectName(QStringLiteral("selfTestTable"));
    m_table->setAccessibleName(tr("Results of the self-test"));
    m_table->setHorizontalHeaderLabels({tr("Case"), tr("Method"), tr("Device"), tr("Precision"),
                                        tr("Instruction sets"), tr("Runs"), tr("Largest error"),
                                        tr("Error over empirical bound"), tr("Verdict")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);

    setStartText(tr("Run again"));
    m_copy = addButton("Copy", tr("Copy"));
    m_copy->setToolTip(tr("Copies the results as text"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(toQString(selftest::toText(m_report))); });
    addContent(m_table, 1);
    resize(900, 600);
    start();
}

void SelfTestDialog::workingChanged(bool working) {
    if (working) {
        m_report = {};
        m_table->setRowCount(0);
    }
    m_device->setEnabled(!working);
    m_copy->setEnabled(false); // until there is a report
}

WorkDialog::Work SelfTestDialog::work() {
    const std::string device = m_device->currentData().toString().toStdString();
    m_ended = std::make_shared<Ended>();
    return [this, device, ended = m_ended](const std::stop_token& stop, const Tell& tell) {
        selftest::Options options;
        options.methods = plan::methodsOn(device);
        const selftest::Report report =
            selftest::runSelfTest(options, stop, tell, [&](const std::vector<selftest::Row>& rows) {
                const std::scoped_lock lock(ended->mutex);
                ended->rows.insert(ended->rows.end(), rows.begin(), rows.end());
            });
        return [this, report] { showReport(report); };
    };
}

void SelfTestDialog::showSoFar() {
    {
        const std::scoped_lock lock(m_ended->mutex);
        if (m_ended->rows.size() == m_report.rows.size()) {
            return;
        }
        m_report.rows = m_ended->rows;
    }
    showRows();
}

void SelfTestDialog::showRows() {
    const std::vector<Line> lines = linesOf(m_report);
    m_table->setRowCount(static_cast<int>(lines.size()));
    for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
        const selftest::Row& row = lines[static_cast<std::size_t>(i)].row;
        const int sets = row.instructionSet.empty() ? 0 : lines[static_cast<std::size_t>(i)].sets;
        const QStringList texts{toQString(row.name),
                                toQString(row.method),
                                deviceText(row.device),
                                toQString(method::name(row.precision)),
                                sets > 0 ? QString::number(sets) : QString(),
                                QString::number(row.runs),
                                QString::number(row.largestError, 'g', 2),
                                QString::number(row.overBound, 'g', 2),
                                row.fault.empty() ? tr("passed")
                                                  : tr("failed: %1").arg(toQString(row.fault))};
        for (int column = 0; column < static_cast<int>(texts.size()); ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            const bool figure = column >= Sets && column <= OverBound;
            item->setTextAlignment((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(texts[column]);
            m_table->setItem(i, column, item);
        }
    }
    m_table->resizeColumnsToContents();
}

void SelfTestDialog::showReport(const selftest::Report& report) {
    m_report = report;
    showRows();
    int runs = 0;
    for (const selftest::Row& row : report.rows) {
        runs += row.runs;
    }
    const QString words = report.cancelled  ? tr("Stopped before all cases had run")
                          : report.passed() ? tr("Passed")
                                            : tr("Failed");
    m_copy->setEnabled(!report.rows.empty());
    say(tr("%1: %2 runs in %3 s, compared with scores computed in exact integers.")
            .arg(words)
            .arg(runs)
            .arg(report.ms / 1000, 0, 'f', 1));
}

} // namespace flcc::ui
