#include "ui/compare/compare_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTextEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "ui/base/option_names.h"
#include "ui/base/save_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/compare/curve_view.h"
#include "ui/compare/difference_model.h"

namespace flcc::ui {
namespace {

constexpr int kWipeSteps = 1000;
constexpr int kBlinkTime = 600; // ms; as fast as eyes compare, slow enough for large maps

/// The three rates with the colours of their curves.
QString ratesText(double precision, double recall, double f1) {
    const auto rate = [](Rate of, const QString& name, double value) {
        return coloured(QStringLiteral("■ "), curveColour(of)) + name +
               QStringLiteral("&nbsp;<b>") + QString::number(value, 'f', 3) +
               QStringLiteral("</b>&nbsp;&nbsp; ");
    };
    return rate(Rate::Precision, ComparePanel::tr("precision"), precision) +
           rate(Rate::Recall, ComparePanel::tr("recall"), recall) +
           rate(Rate::F1, ComparePanel::tr("F1"), f1);
}

/// The table of species and its score.
QString tableText(const job::SpeciesTable& table) {
    QString text = QStringLiteral("<table cellspacing=\"4\">");
    bool head = true;
    for (const std::vector<std::string>& row : job::speciesRows(table)) {
        text += QStringLiteral("<tr>");
        for (std::size_t i = 0; i < row.size(); ++i) {
            const QString tag = head || i == 0 ? QStringLiteral("th") : QStringLiteral("td");
            text += QStringLiteral("<%1 align=\"%2\">%3</%1>")
                        .arg(tag, i == 0 ? QStringLiteral("left") : QStringLiteral("right"),
                             toQString(row[i]).toHtmlEscaped());
        }
        text += QStringLiteral("</tr>");
        head = false;
    }
    return text + QStringLiteral("</table>") + toQString(job::speciesScore(table));
}

} // namespace

ComparePanel::ComparePanel(Document& document, std::function<io::ListUnknowns()> unknowns,
                           std::function<io::ProtectedFiles()> inputs, QWidget* parent)
    : QWidget(parent), m_document(document), m_unknowns(std::move(unknowns)),
      m_inputs(std::move(inputs)) {
    setObjectName(QStringLiteral("comparePanel"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->setSpacing(10);
    layout->addLayout(makeChoices());
    layout->addWidget(makeNumbers(), 4);
    layout->addWidget(makeTable(), 3);
    setFocusProxy(m_table);
    m_blink.setInterval(kBlinkTime);
    connect(&m_blink, &QTimer::timeout, this, [this] {
        m_blinked = !m_blinked;
        Q_EMIT wiped(m_blinked ? 0 : 1);
    });
    connect(&m_document, &Document::resultShown, this, &ComparePanel::fillReferences);
    connect(&m_document, &Document::resultsChanged, this, &ComparePanel::fillReferences);
    connect(&m_document, &Document::sceneChanged, this, [this] {
        m_file.reset();
        fillReferences();
    });
    for (const auto signal : {&Document::peaksReplaced, &Document::decisionsChanged,
                              &Document::peakChoiceChanged, &Document::spacingChanged}) {
        connect(&m_document, signal, this, &ComparePanel::compareNow);
    }
    fillReferences();
    followTheme(this, [this] {
        if (m_comparison) {
            showNumbers();
        }
    });
}

QVBoxLayout* ComparePanel::makeChoices() {
    m_with = new QComboBox(this);
    m_with->setObjectName(QStringLiteral("compareWith"));
    m_with->setAccessibleName(tr("Compare with"));
    m_with->setToolTip(
        tr("Another result of this scene, or a list of positions; a list can also be "
           "dropped into the window while this tab is open"));
    m_with->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_with->setMinimumContentsLength(16);
    connect(m_with, &QComboBox::activated, this, &ComparePanel::choose);
    m_tolerance = new QDoubleSpinBox(this);
    m_tolerance->setObjectName(QStringLiteral("compareTolerance"));
    m_tolerance->setAccessibleName(tr("Largest distance of a pair"));
    m_tolerance->setToolTip(tr("Positions that are nearer than this may be the same"));
    m_tolerance->setRange(0.001, 1e6);
    m_tolerance->setDecimals(3);
    m_tolerance->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_tolerance->setValue(job::Tolerance().distance);
    m_unit = new QComboBox(this);
    m_unit->setObjectName(QStringLiteral("compareUnit"));
    m_unit->setAccessibleName(tr("Unit of the distance"));
    m_unit->setToolTip(tr("Unit of the largest distance of a pair"));
    connect(m_tolerance, &QDoubleSpinBox::valueChanged, this, &ComparePanel::compareNow);
    connect(m_unit, &QComboBox::activated, this, &ComparePanel::compareNow);
    m_maps = new QComboBox(this);
    m_maps->setObjectName(QStringLiteral("compareMaps"));
    m_maps->setAccessibleName(tr("Maps"));
    m_maps->setToolTip(tr("Which map the views show over the scene"));
    m_maps->addItems({tr("Map of this result"), tr("Wipe between both maps"), tr("Blink both maps"),
                      tr("Map of the other")});
    m_wipe = new QSlider(Qt::Horizontal, this);
    m_wipe->setObjectName(QStringLiteral("compareWipe"));
    m_wipe->setAccessibleName(tr("Place of the wipe"));
    m_wipe->setToolTip(tr("Left of the line is the map of this result, right of it the other one"));
    m_wipe->setRange(0, kWipeSteps);
    m_wipe->setPageStep(kWipeSteps / 10);
    m_wipe->setValue(kWipeSteps / 2);
    connect(m_maps, &QComboBox::activated, this, &ComparePanel::showMaps);
    connect(m_wipe, &QSlider::valueChanged, this, &ComparePanel::showMaps);
    m_save = new QPushButton(tr("Save differences …"), this);
    m_save->setObjectName(QStringLiteral("compareSave"));
    m_save->setAccessibleName(tr("Save differences"));
    m_save->setToolTip(tr("Writes all positions with where they were found: CSV, TSV or JSON"));
    connect(m_save, &QPushButton::clicked, this, &ComparePanel::save);
    auto* distance = new QHBoxLayout;
    distance->addWidget(new QLabel(tr("Within"), this));
    distance->addWidget(m_tolerance, 1);
    distance->addWidget(m_unit);
    auto* layout = new QVBoxLayout;
    layout->setSpacing(4);
    layout->addWidget(m_with);
    layout->addLayout(distance);
    layout->addWidget(m_maps);
    layout->addWidget(m_wipe);
    layout->addWidget(m_save);
    layout->addStretch(1);
    return layout;
}

QWidget* ComparePanel::makeNumbers() {
    auto* box = new QWidget(this);
    m_numbers = new QLabel(box);
    m_numbers->setObjectName(QStringLiteral("compareNumbers"));
    m_numbers->setTextFormat(Qt::RichText);
    m_numbers->setWordWrap(true);
    m_numbers->setMinimumWidth(1);
    m_best = new QPushButton(box);
    m_best->setObjectName(QStringLiteral("compareBest"));
    m_best->setAccessibleName(tr("Threshold with the best F1"));
    m_best->setToolTip(tr("Sets the threshold with the largest F1"));
    m_best->hide();
    connect(m_best, &QPushButton::clicked, this, [this] {
        if (m_comparison && m_comparison->lists->comparison.best) {
            Q_EMIT thresholdRequested(m_comparison->lists->comparison.best->threshold);
        }
    });
    m_curve = new CurveView(box);
    m_curve->setObjectName(QStringLiteral("compareCurve"));
    m_curve->setAccessibleName(tr("Precision, recall and F1 against the threshold"));
    connect(m_curve, &CurveView::hovered, this, &ComparePanel::showPoint);
    m_species = new QTextEdit(box);
    m_species->setObjectName(QStringLiteral("compareSpecies"));
    m_species->setAccessibleName(tr("Species and the templates that found them"));
    m_species->setToolTip(tr("Rows: species of the other list; columns: templates of this result"));
    m_species->setReadOnly(true);
    m_species->setTabChangesFocus(true);
    m_species->setLineWrapMode(QTextEdit::NoWrap);
    m_species->hide();
    auto* top = new QHBoxLayout;
    top->addWidget(m_numbers, 1);
    top->addWidget(m_best);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(top);
    layout->addWidget(m_species, 2);
    layout->addWidget(m_curve, 1);
    return box;
}

QWidget* ComparePanel::makeTable() {
    m_model = new DifferenceModel(this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(DifferenceModel::kSortRole);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("compareTable"));
    m_table->setAccessibleName(tr("Positions of both lists"));
    m_table->setToolTip(tr("Positions and where they were found; a row centres the views there"));
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 4);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(DifferenceModel::Found, QHeaderView::Stretch);
    m_table->horizontalHeader()->setResizeContentsPrecision(100);
    m_table->horizontalHeader()->setMinimumSectionSize(24);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                followRow(now.isValid() ? m_sorted->mapToSource(now).row() : -1);
            });
    return m_table;
}

/// The results of the scene that is shown, and the list that was opened.
void ComparePanel::fillReferences() {
    const int before = m_with->currentIndex();
    const std::optional<Reference> chosen =
        before > 0 && before <= static_cast<int>(m_references.size())
            ? std::optional(m_references[static_cast<std::size_t>(before - 1)])
            : std::nullopt;
    m_filling = true;
    m_with->clear();
    m_references.clear();
    m_with->addItem(tr("Compare with …"));
    int now = 0;
    const auto add = [&](const Reference& reference) {
        m_references.push_back(reference);
        m_with->addItem(reference.name);
        if (chosen && chosen->result == reference.result && chosen->sample == reference.sample &&
            chosen->list.has_value() == reference.list.has_value()) {
            now = m_with->count() - 1;
        }
    };
    const ResultEntry* shown = m_document.result();
    for (const ResultEntry& each : m_document.results()) {
        if (shown != nullptr && each.scene == shown->scene && each.id != shown->id) {
            add({.name = each.title, .result = each.id});
        }
    }
    if (const QString& sample = m_document.scene().sample; !sample.isEmpty()) {
        add({.name = tr("True positions of the sample"), .sample = sample.toStdString()});
    }
    if (m_file) {
        add(*m_file);
    }
    m_with->addItem(tr("Open a list …"));
    m_with->setCurrentIndex(now);
    m_with->setEnabled(shown != nullptr);
    const QString unit = unitText(m_document.geometry());
    const int chosenUnit = m_unit->currentIndex();
    m_unit->clear();
    m_unit->addItem(QStringLiteral("px"), QStringLiteral("px"));
    if (m_document.hasScene() && m_document.geometry().unit != "px") {
        m_unit->addItem(unit, toQString(m_document.geometry().unit));
    }
    m_unit->setCurrentIndex(std::clamp(chosenUnit, 0, m_unit->count() - 1));
    m_filling = false;
    compareNow();
}

void ComparePanel::choose(int row) {
    if (row == m_with->count() - 1) {
        m_with->setCurrentIndex(0);
        askFile();
        return;
    }
    compareNow();
}

void ComparePanel::askFile() {
    auto* dialog = new QFileDialog(this, tr("Open a list of positions"),
                                   Settings::folder(QStringLiteral("compare")));
    dialog->setObjectName(QStringLiteral("compareDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        Settings::rememberFolder(QStringLiteral("compare"), file);
        compareWith(toPath(file));
    });
    dialog->open();
}

bool ComparePanel::takes(const std::filesystem::path& file) const {
    if (m_document.result() == nullptr) {
        return false;
    }
    const std::string name = toPath(pathText(file.filename()).toLower()).string();
    const bool list = io::hasListName(file);
    const bool elsewhere = name.ends_with(".json") || name.ends_with(".txt");
    return list && (isVisible() || !elsewhere);
}

void ComparePanel::compareWith(const std::filesystem::path& file) {
    try {
        m_file = referenceFrom(file, m_document, m_unknowns());
    } catch (const base::Error& error) {
        Q_EMIT refused(inWindowWords(error));
        return;
    }
    fillReferences();
    m_with->setCurrentIndex(m_with->count() - 2);
    Q_EMIT told(tr("%1 has %2 positions.").arg(m_file->name).arg(m_file->list->positions.size()));
    compareNow();
}

job::Tolerance ComparePanel::tolerance() const {
    return {m_tolerance->value(), m_unit->currentData().toString().toStdString()};
}

/// Pairs the lists of the choices, if the panel is shown.
void ComparePanel::compareNow() {
    if (m_filling || !isVisible()) {
        return;
    }
    const int row = m_with->currentIndex() - 1;
    if (m_document.result() == nullptr) {
        clear(tr("No result yet: choose a template and press Run."));
        return;
    }
    if (row < 0 || row >= static_cast<int>(m_references.size())) {
        clear(m_references.empty()
                  ? tr("Open a list of true positions, or run again with other settings and "
                       "compare the two results.")
                  : tr("Choose what this result is compared with."));
        return;
    }
    auto inputs = inputsOf(m_document, m_references[static_cast<std::size_t>(row)], tolerance());
    if (!inputs) {
        clear({});
        return;
    }
    m_work.start(
        [this, inputs = std::move(*inputs)](const std::stop_token&) -> std::function<void()> {
            try {
                return [this, comparison = compare(inputs)] { show(comparison); };
            } catch (const base::Error& error) {
                return [this, sentence = inWindowWords(error)] {
                    clear(sentence);
                    Q_EMIT refused(sentence);
                };
            }
        });
}

void ComparePanel::show(Comparison comparison) {
    m_comparison = std::move(comparison);
    m_model->setComparison(&*m_comparison);
    showNumbers();
    showView();
}

void ComparePanel::clear(const QString& text) {
    m_work.cancel();
    m_comparison.reset();
    m_model->setComparison(nullptr);
    m_numbers->setText(text);
    m_best->hide();
    m_species->hide();
    m_curve->setCurve({}, {});
    m_save->setEnabled(false);
    showView();
}

/// The colours, marks and maps in the views.
void ComparePanel::showView() {
    ComparedView view;
    const int row = m_with->currentIndex() - 1;
    if (isVisible() && m_comparison && row >= 0 && row < static_cast<int>(m_references.size())) {
        view = viewOf(*m_comparison, m_document);
        addMap(view, m_document, m_references[static_cast<std::size_t>(row)]);
    }
    const bool both = view.map != nullptr;
    m_maps->setEnabled(both);
    m_maps->setToolTip(both ? tr("Which map the views show over the scene")
                            : tr("The map of another result can be shown here"));
    Q_EMIT compared(view);
    showMaps();
}

ComparePanel::Maps ComparePanel::maps() const {
    return isVisible() && m_maps->isEnabled() ? static_cast<Maps>(m_maps->currentIndex())
                                              : Maps::Shown;
}

void ComparePanel::showMaps() {
    const Maps now = maps();
    m_wipe->setEnabled(now == Maps::Wipe);
    if (now == Maps::Blink) {
        if (!m_blink.isActive()) {
            m_blinked = false;
            m_blink.start();
            Q_EMIT wiped(1);
        }
        return;
    }
    m_blink.stop();
    Q_EMIT wiped(now == Maps::Wipe    ? static_cast<double>(m_wipe->value()) / kWipeSteps
                 : now == Maps::Other ? 0
                                      : 1);
}

void ComparePanel::showNumbers() {
    const match::ListComparison& found = m_comparison->lists->comparison;
    const auto count = [](FoundIn where, std::size_t number) {
        return coloured(QStringLiteral("■ "), colourOf(where)) + QStringLiteral("<b>") +
               QString::number(number) + QStringLiteral("</b>&nbsp;") +
               textOf(where).replace(QLatin1Char(' '), QStringLiteral("&nbsp;"));
    };
    QString text = count(FoundIn::Both, found.pairs.size()) + QStringLiteral(" &nbsp; ") +
                   count(FoundIn::OnlyA, found.onlyA.size()) + QStringLiteral(" &nbsp; ") +
                   count(FoundIn::OnlyB, found.onlyB.size());
    text += QStringLiteral("<br>") + ratesText(found.precision, found.recall, found.f1) +
            tr("F4 %1").arg(found.f4, 0, 'f', 3);
    if (found.distances) {
        text += QStringLiteral("<br>") + tr("distance %1 on average, at most %2 %3")
                                             .arg(found.distances->mean, 0, 'f', 2)
                                             .arg(found.distances->largest, 0, 'f', 2)
                                             .arg(toQString(m_comparison->lists->tolerance.unit));
    }
    for (const std::string& note : job::notesOf(*m_comparison->lists)) {
        text += QStringLiteral("<br>") + toQString(note).toHtmlEscaped();
    }
    m_numbers->setText(text);
    const std::optional<job::SpeciesTable>& table = m_comparison->lists->table;
    m_species->setHtml(table ? tableText(*table) : QString());
    m_species->setVisible(table.has_value());
    m_save->setEnabled(true);
    m_curve->setCurve(found.curve, found.best,
                      tr("There is no curve: the positions of this result have no scores."));
    m_best->setVisible(found.best.has_value());
    if (found.best) {
        m_best->setText(tr("Best F1 %1 at %2")
                            .arg(found.best->f1, 0, 'f', 3)
                            .arg(found.best->threshold, 0, 'f', 3));
    }
}

void ComparePanel::showPoint(const std::optional<match::ThresholdPoint>& point) {
    if (!m_comparison) {
        return;
    }
    if (!point) {
        showNumbers();
        return;
    }
    m_numbers->setText(tr("threshold <b>%1</b>: %2 listed, %3 in both")
                           .arg(point->threshold, 0, 'f', 3)
                           .arg(point->listed)
                           .arg(point->matched) +
                       QStringLiteral("<br>") +
                       ratesText(point->precision, point->recall, point->f1) +
                       QStringLiteral("<br>"));
}

void ComparePanel::followRow(int row) {
    if (row < 0) {
        return;
    }
    const DifferenceModel::Row& chosen = m_model->rows()[static_cast<std::size_t>(row)];
    m_document.selectPeak(chosen.peak);
    Q_EMIT placeRequested(chosen.centre);
}

void ComparePanel::save() {
    askWhereToSave(
        this,
        {.title = tr("Save differences"),
         .filter = tr("Tables (*.csv *.tsv);;JSON (*.json)"),
         .name = "compareSaveDialog",
         .file = QStringLiteral("differences.csv"),
         .folder = "export"},
        [this, lists = m_comparison->lists](const QString& file) {
            const std::filesystem::path path = toPath(file);
            m_inputs().requireOther(path);
            io::AtomicFile out(path);
            const io::PositionList list = job::differenceList(*lists);
            io::writeList(out, list, io::chosenListFormat(io::ListFormat::Auto, path, "--output"));
            out.commit();
            return tr("Saved %1 positions to %2.").arg(list.positions.size()).arg(file);
        },
        [this](const QString& sentence, bool failed) {
            failed ? Q_EMIT refused(sentence) : Q_EMIT told(sentence);
        });
}

void ComparePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    compareNow();
}

void ComparePanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_blink.stop();
    Q_EMIT compared({});
    Q_EMIT wiped(1);
}

} // namespace flcc::ui
