#include "ui/results/peaks_export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/peak_lists.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"

namespace flcc::ui {
namespace {

constexpr QLatin1String kFormatKey("peaksFormat");
constexpr int kPreviewLines = 40;
constexpr std::size_t kPreviewPeaks = 20;

/// The first lines, or what a binary file holds.
QString beginOf(const std::string& bytes) {
    if (bytes.find('\0') != std::string::npos) {
        return QObject::tr("(binary file, %1 bytes)").arg(bytes.size());
    }
    return toQString(bytes).split(QChar('\n')).mid(0, kPreviewLines).join(QChar('\n'));
}

bool isOfTomography(io::ListNeed need) {
    return need == io::ListNeed::Binning || need == io::ListNeed::UnbinnedPixel ||
           need == io::ListNeed::UnbinnedSize || need == io::ListNeed::VoxelSize;
}

} // namespace

PeaksExportDialog::PeaksExportDialog(io::PositionList list, const io::ListUnknowns& unknowns,
                                     int scenes, QWidget* parent)
    : QDialog(parent), m_list(std::move(list)), m_scenes(scenes) {
    setObjectName(QStringLiteral("peaksExportDialog"));
    setWindowTitle(tr("Export peaks"));
    m_list.place.unknowns = unknowns;
    m_format = new QComboBox(this);
    m_format->setObjectName(QStringLiteral("peaksFormat"));
    m_format->setAccessibleName(tr("Format of the peaks"));
    m_format->setToolTip(tr("Program that reads the list; the preview shows what is written"));
    for (const io::ListFormatInfo& info : io::listFormats()) {
        m_format->addItem(
            QStringLiteral("%1 (*%2)")
                .arg(toQString(std::string(info.title)), toQString(std::string(info.extension))),
            static_cast<int>(info.format));
    }
    const std::string last = Settings::text(kFormatKey, QStringLiteral("csv")).toStdString();
    for (const io::ListFormatInfo& info : io::listFormats()) {
        if (info.name == last) {
            m_format->setCurrentIndex(m_format->findData(static_cast<int>(info.format)));
        }
    }
    buildOnly();
    m_joined = new QCheckBox(tr("All %1 scenes in one list").arg(scenes), this);
    m_joined->setObjectName(QStringLiteral("peaksJoined"));
    m_joined->setToolTip(tr("One file whose rows name their scene or tomogram; switched off, each "
                            "scene has a file of its own"));
    m_convention = new QLabel(this);
    m_convention->setWordWrap(true);
    buildFields();
    m_notes = new QLabel(this);
    m_notes->setObjectName(QStringLiteral("peaksExportNotes"));
    m_notes->setWordWrap(true);
    m_preview = new QPlainTextEdit(this);
    m_preview->setObjectName(QStringLiteral("peaksPreview"));
    m_preview->setAccessibleName(tr("Preview of the file"));
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_preview->setMinimumSize(520, 180);
    m_buttons = new QDialogButtonBox(this);
    m_buttons->addButton(tr("Save …"), QDialogButtonBox::AcceptRole);
    m_buttons->addButton(QDialogButtonBox::Cancel);
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        Settings::setText(kFormatKey, toQString(std::string(io::infoOf(format()).name)));
        accept();
    });
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    for (QWidget* each : {static_cast<QWidget*>(m_format), static_cast<QWidget*>(m_only),
                          static_cast<QWidget*>(m_joined), static_cast<QWidget*>(m_convention),
                          m_fields, static_cast<QWidget*>(m_notes)}) {
        layout->addWidget(each);
    }
    layout->addWidget(m_preview, 1);
    layout->addWidget(m_buttons);

    connect(m_format, &QComboBox::currentIndexChanged, this, &PeaksExportDialog::refresh);
    connect(m_joined, &QCheckBox::toggled, this, [this] {
        readFields();
        refresh();
    });
    readFields();
    refresh();
}

void PeaksExportDialog::buildFields() {
    m_fields = new QWidget(this);
    m_fields->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); // as high as what is shown
    auto* form = new QFormLayout(m_fields);
    form->setContentsMargins(0, 0, 0, 0);
    const io::ListUnknowns& given = m_list.place.unknowns;
    const auto line = [&](const char* name, const QString& label, const QString& tip,
                          const QString& text) {
        auto* field = new QLineEdit(text, m_fields);
        field->setObjectName(QLatin1String(name));
        field->setAccessibleName(label);
        field->setToolTip(tip);
        form->addRow(label, field);
        connect(field, &QLineEdit::textChanged, this, [this] {
            readFields();
            refresh();
        });
        return field;
    };
    m_binning = line("peaksBinning", tr("Binning"),
                     tr("Voxels of the tilt series along one voxel of the scene; 1 if the scene is "
                        "not binned"),
                     given.binning ? QString::number(*given.binning, 'g', 17) : QString());
    m_pixel =
        line("peaksUnbinnedPixel", tr("Pixel of the tilt series (Å)"),
             tr("Edge of an unbinned pixel in angstrom"),
             given.unbinnedPixel ? QString::number(*given.unbinnedPixel, 'g', 17) : QString());
    const auto& size = given.unbinnedSize;
    m_size =
        line("peaksUnbinnedSize", tr("Unbinned size"),
             tr("Size of the tomogram in voxels of the tilt series: X,Y,Z"),
             size ? QStringLiteral("%1,%2,%3").arg(size->x).arg(size->y).arg(size->z) : QString());
    m_offered = toQString(io::tomogramOf(m_list.place, io::ListFormat::Relion4));
    m_tomogram = line("peaksTomogram", tr("Tomogram"), {}, // refresh() says what it is
                      given.tomogram.empty() ? m_offered : toQString(given.tomogram));
    // The series, without what programs add to its name.
    auto* names = new QCompleter({m_offered, toQString(io::seriesOf(m_list.place.scene))}, this);
    names->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_tomogram->setCompleter(names);
    m_binnedBy = new QComboBox(m_fields);
    m_binnedBy->setObjectName(QStringLiteral("peaksBinnedBy"));
    m_binnedBy->setAccessibleName(tr("Binned by"));
    m_binnedBy->setToolTip(tr("Crop: a smaller reconstruction or a cropped transform, the middles "
                              "agree. Average: means of blocks, such as those of binvol"));
    m_binnedBy->addItem(tr("Crop of a transform"), QStringLiteral("crop"));
    m_binnedBy->addItem(tr("Average of blocks"), QStringLiteral("average"));
    m_binnedBy->setCurrentIndex(given.binnedBy == io::BinnedBy::Average ? 1 : 0);
    form->addRow(tr("Binned by"), m_binnedBy);
    connect(m_binnedBy, &QComboBox::currentIndexChanged, this, [this] {
        readFields();
        refresh();
    });
}

/// Which peaks are written. The choice is there where something was decided.
void PeaksExportDialog::buildOnly() {
    using match::Decision;
    m_only = new QComboBox(this);
    m_only->setObjectName(QStringLiteral("peaksOnly"));
    m_only->setAccessibleName(tr("Which peaks"));
    m_only->setToolTip(tr("Which peaks are written. Formats with a place for decisions have a "
                          "column of them"));
    const auto count = [this](Decision decision) {
        return static_cast<int>(
            std::ranges::count(m_list.positions, decision, &io::ListedPosition::decision));
    };
    const auto all = static_cast<int>(m_list.positions.size());
    const int kept = count(Decision::Keep);
    const int rejected = count(Decision::Reject);
    m_only->addItem(tr("All peaks (%1)").arg(all));
    m_only->addItem(tr("All but rejected ones (%1)").arg(all - rejected));
    m_only->addItem(tr("Kept ones only (%1)").arg(kept));
    m_only->setCurrentIndex(rejected > 0 ? 1 : 0);
    m_only->setVisible(kept + rejected + count(Decision::Unsure) > 0);
    connect(m_only, &QComboBox::currentIndexChanged, this, &PeaksExportDialog::refresh);
}

std::vector<match::Decision> PeaksExportDialog::only() const {
    using match::Decision;
    switch (m_only->currentIndex()) {
    case 1:
        return {Decision::Undecided, Decision::Keep, Decision::Unsure};
    case 2:
        return {Decision::Keep};
    default:
        return {};
    }
}

io::ListFormat PeaksExportDialog::format() const {
    return static_cast<io::ListFormat>(m_format->currentData().toInt());
}

void PeaksExportDialog::readFields() {
    io::ListUnknowns unknowns;
    m_wrong.clear();
    // Sizes are written in many ways: 768x768x384, 768 × 768 × 384, 768 768 384.
    static const QRegularExpression kBetween(QStringLiteral("\\s*[x×*,;\\s]\\s*"));
    const std::pair<const char*, QString> fields[]{
        {"binning", m_binning->text()},
        {"unbinned-pixel", m_pixel->text()},
        {"unbinned-size", m_size->text().trimmed().replace(kBetween, QStringLiteral(","))},
        {"tomogram", m_tomogram->text()},
        {"binned-by", m_binnedBy->currentData().toString()}};
    for (const auto& [option, text] : fields) {
        try {
            if (!text.trimmed().isEmpty()) {
                job::setListUnknown(unknowns, option, text.trimmed().toStdString());
            }
        } catch (const base::Error& error) {
            m_wrong = inWindowWords(error.what());
        }
    }
    if (toQString(unknowns.tomogram) == m_offered || joined()) {
        unknowns.tomogram.clear(); // lists of other scenes have their own names
    }
    m_list.place.unknowns = unknowns;
    derive();
}

/// Takes what follows from the scene for fields that are empty: binning times the pixel of the tilt
/// series is the voxel of the scene, and its extents times binning are the unbinned size.
void PeaksExportDialog::derive() {
    io::ListUnknowns& facts = m_list.place.unknowns;
    const base::Geometry& geometry = m_list.place.geometry;
    base::Geometry angstrom;
    angstrom.unit = "A";
    m_derived.clear();
    const auto number = [](double value) { return QString::number(value, 'g', 6); };
    if (geometry.unitSource != base::UnitSource::Missing && geometry.unit != "px") {
        const double voxel = base::spacingRatio(geometry, angstrom)[0];
        if (facts.binning && !facts.unbinnedPixel) {
            facts.unbinnedPixel = voxel / *facts.binning;
            m_derived << tr("pixel of the tilt series %1 Å").arg(number(*facts.unbinnedPixel));
        } else if (facts.unbinnedPixel && !facts.binning) {
            facts.binning = voxel / *facts.unbinnedPixel;
            m_derived << tr("binning %1").arg(number(*facts.binning));
        }
    }
    const base::Extents& n = m_list.place.extents;
    if (facts.binning && !facts.unbinnedSize && n.x > 0) {
        const auto unbinned = [&](std::int64_t length) {
            return std::max<std::int64_t>(
                1, std::llround(static_cast<double>(length) * *facts.binning));
        };
        facts.unbinnedSize =
            base::Extents{unbinned(n.x), unbinned(n.y), n.z > 1 ? unbinned(n.z) : 1};
        const base::Extents& size = *facts.unbinnedSize;
        m_derived << tr("unbinned size %1,%2,%3").arg(size.x).arg(size.y).arg(size.z);
    }
}

/// Shows in empty fields what they are taken as.
void PeaksExportDialog::showDerived() {
    const io::ListUnknowns& facts = m_list.place.unknowns;
    const auto show = [this](QLineEdit* field, const std::optional<QString>& value,
                             const QString& otherwise) {
        field->setPlaceholderText(value ? tr("%1 (from the scene)").arg(*value) : otherwise);
    };
    const auto number = [](const std::optional<double>& value) {
        return value ? std::optional(QString::number(*value, 'g', 6)) : std::nullopt;
    };
    const auto& size = facts.unbinnedSize;
    show(m_binning, number(facts.binning), tr("such as 4"));
    show(m_pixel, number(facts.unbinnedPixel), QString());
    show(m_size,
         size ? std::optional(QStringLiteral("%1,%2,%3").arg(size->x).arg(size->y).arg(size->z))
              : std::nullopt,
         tr("X,Y,Z"));
    m_tomogram->setPlaceholderText(m_offered);
}

bool PeaksExportDialog::joined() const {
    return m_scenes > 1 && io::namesTomograms(format()) && m_joined->isChecked();
}

void PeaksExportDialog::refresh() {
    const io::ListFormatInfo& info = io::infoOf(format());
    m_joined->setVisible(m_scenes > 1 && io::namesTomograms(format()));
    m_convention->setText(toQString(io::conventionText(info)));
    const bool binned = std::ranges::any_of(info.needs, isOfTomography);
    auto& form = static_cast<QFormLayout&>(*m_fields->layout());
    for (QWidget* field : std::initializer_list<QWidget*>{m_binning, m_pixel, m_size, m_binnedBy}) {
        form.setRowVisible(field, binned);
    }
    form.setRowVisible(m_tomogram, info.named && !joined());
    const bool micrograph = info.format == io::ListFormat::Micrograph;
    const QString what = micrograph ? tr("Micrograph") : tr("Tomogram");
    static_cast<QLabel*>(form.labelForField(m_tomogram))->setText(what);
    m_tomogram->setAccessibleName(what);
    m_tomogram->setToolTip(
        micrograph ? tr("Path of the micrograph, as the other program knows it; empty: the name of "
                        "the scene's file")
                   : tr("Name of the tilt series, as the other program knows it; empty: the name "
                        "of the scene's file"));
    m_fields->setVisible(binned || (info.named && !joined()));
    showDerived();
    io::PositionList first = m_list;
    if (!only().empty()) {
        io::leaveDecided(first, only());
    }
    first.positions.resize(std::min(first.positions.size(), kPreviewPeaks));
    QString wrong = m_wrong;
    QString text;
    QStringList notes;
    if (!m_derived.isEmpty() && binned) {
        notes << tr("From the scene: %1").arg(m_derived.join(QStringLiteral(", ")));
    }
    try {
        if (binned) {
            io::requireConsistent(first.place);
        }
        text = beginOf(io::listText(first, format()));
        for (const std::string& note : io::listNotes(first, format())) {
            notes << toQString(note);
        }
    } catch (const base::Error& error) {
        wrong = wrong.isEmpty() ? inWindowWords(error.what()) : wrong;
    }
    m_preview->setPlainText(text);
    m_notes->setText(wrong.isEmpty() ? notes.join(QStringLiteral(". ")) : wrong);
    m_notes->setVisible(!m_notes->text().isEmpty());
    m_buttons->buttons().front()->setEnabled(wrong.isEmpty());
    if (isVisible()) { // a sentence of two lines would push the buttons out
        layout()->activate();
        resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
    }
}

} // namespace flcc::ui
