#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <charconv>

#include "engine/base/error.h"
#include "engine/job/arguments.h"
#include "ui/match_panel.h"
#include "ui/text.h"

// What of the scene is searched, and how exact the scores are.

namespace flcc::ui {
namespace {

/// The box as --region takes it, the third axis only where there is one.
QString regionText(const std::optional<base::Box>& region, bool volume) {
    if (!region) {
        return {};
    }
    const base::Index& c = region->corner;
    const base::Extents& e = region->extents;
    return volume ? QStringLiteral("%1,%2,%3:%4,%5,%6")
                        .arg(c.x)
                        .arg(c.y)
                        .arg(c.z)
                        .arg(e.x)
                        .arg(e.y)
                        .arg(e.z)
                  : QStringLiteral("%1,%2:%3,%4").arg(c.x).arg(c.y).arg(e.x).arg(e.y);
}

QString promiseText(double promise) { return QString::number(promise, 'g', 12); }

} // namespace

void MatchPanel::addRegion(QFormLayout* form) {
    const QString tip = tr("The box of the scene that is searched, the whole template inside, as "
                           "X,Y:W,H or X,Y,Z:W,H,D in voxels from 0; empty: all of the scene");
    m_region = textField(tr("all of the scene"));
    m_region->setObjectName(QStringLiteral("region"));
    m_region->setAccessibleName(tr("Region"));
    m_region->setToolTip(tip);
    const auto button = [this](const char* name, const QString& text, const QString& hint) {
        auto* made = new QToolButton(this);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(text);
        made->setToolTip(hint);
        made->setAutoRaise(true);
        return made;
    };
    m_useBox = button("regionUseBox", tr("Use the box"),
                      tr("Searches the box that is drawn in the views alone"));
    m_clearRegion = button("regionClear", tr("All of the scene"), tr("Searches all of the scene"));
    connect(m_region, &QLineEdit::editingFinished, this, &MatchPanel::readRegion);
    connect(m_useBox, &QToolButton::clicked, this, [this] { setRegion(m_document.box()); });
    connect(m_clearRegion, &QToolButton::clicked, this, [this] { setRegion({}); });
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(m_region, 1);
    row->addWidget(m_useBox);
    row->addWidget(m_clearRegion);
    auto* label = new QLabel(tr("Region"), this);
    label->setBuddy(m_region);
    label->setToolTip(tip);
    form->addRow(label, row);
}

void MatchPanel::setRegion(const std::optional<base::Box>& region) {
    const bool news = region != m_job.region;
    m_job.region = region;
    showRegion();
    if (news) {
        Q_EMIT settingsChanged();
    }
}

void MatchPanel::showRegion() {
    m_region->setText(regionText(m_job.region, m_document.isVolume()));
    m_region->setEnabled(m_document.hasScene());
    m_useBox->setEnabled(m_document.box().has_value());
    m_clearRegion->setEnabled(m_job.region.has_value());
}

void MatchPanel::readRegion() {
    const QString text = m_region->text().trimmed();
    try {
        std::optional<base::Box> region;
        if (!text.isEmpty()) {
            region = job::parseBox(text.toStdString());
            if (!base::contains(m_document.sceneExtents(), *region)) {
                throw base::Error(base::ErrorCode::Problem,
                                  "the region " + base::toString(*region) + " leaves the scene " +
                                      base::toString(m_document.sceneExtents()) +
                                      "; choose a box inside it");
            }
        }
        setRegion(region);
    } catch (const base::Error& error) {
        showRegion();
        Q_EMIT problem(toQString(error.what()));
    }
}

void MatchPanel::addExactness(QFormLayout* form) {
    addHeading(form, tr("Exactness"));
    m_precision = new QComboBox(this);
    m_precision->addItem(tr("Single"), static_cast<int>(method::Precision::Single));
    m_precision->addItem(tr("Double"), static_cast<int>(method::Precision::Double));
    addRow(form, tr("Precision"), m_precision, "precision",
           tr("Arithmetic of the scores; with Double the map is written as float64"));
    m_promise = textField(promiseText(job::Job{}.promise));
    addRow(form, tr("Promise"), m_promise, "promise",
           tr("Largest error of a score that is not marked LOWCONF, such as 1e-4"));
    m_recompute = new QCheckBox(tr("Recompute in double"), this);
    addRow(form, QString(), m_recompute, "recompute",
           tr("Scores that may break the promise are computed again in double; without it they "
              "are marked LOWCONF, pink in the heatmap"));
    m_recompute->setAccessibleName(tr("Recompute"));
    m_audit = new QComboBox(this);
    m_audit->addItem(tr("Auto"), static_cast<int>(job::Audit::Auto));
    m_audit->addItem(tr("On"), static_cast<int>(job::Audit::On));
    m_audit->addItem(tr("Off"), static_cast<int>(job::Audit::Off));
    addRow(form, tr("Self-audit"), m_audit, "audit",
           tr("Computes peaks and a sample of scores again by the definition after the run and "
              "compares; Auto: when that takes under 2 % of the run"));
    for (QComboBox* combo : {m_precision, m_audit}) {
        connect(combo, &QComboBox::currentIndexChanged, this, &MatchPanel::settingsChanged);
    }
    connect(m_recompute, &QCheckBox::toggled, this, &MatchPanel::settingsChanged);
    connect(m_promise, &QLineEdit::editingFinished, this, &MatchPanel::readPromise);
}

void MatchPanel::readPromise() {
    const std::string text = m_promise->text().trimmed().toStdString();
    double promise = job::Job{}.promise;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, promise);
    const bool good = text.empty() || (error == std::errc{} && rest == end &&
                                       promise >= job::kLeastPromise && promise <= 1);
    if (good && promise != m_job.promise) {
        m_job.promise = promise;
        Q_EMIT settingsChanged();
    }
    m_promise->setText(promiseText(m_job.promise));
    if (!good) {
        Q_EMIT problem(tr("The promise must be a number from %1 to 1, such as 1e-4, not \"%2\".")
                           .arg(promiseText(job::kLeastPromise), toQString(text)));
    }
}

void MatchPanel::readExactness(job::Job& job) const {
    job.precision = static_cast<method::Precision>(m_precision->currentData().toInt());
    job.recompute = m_recompute->isChecked();
    job.audit = static_cast<job::Audit>(m_audit->currentData().toInt());
}

void MatchPanel::showExactness() {
    m_precision->setCurrentIndex(m_precision->findData(static_cast<int>(m_job.precision)));
    m_promise->setText(promiseText(m_job.promise));
    m_recompute->setChecked(m_job.recompute);
    m_audit->setCurrentIndex(m_audit->findData(static_cast<int>(m_job.audit)));
}

} // namespace flcc::ui
