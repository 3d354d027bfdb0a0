#include "ui/open/data_model.h"

#include <QRegularExpression>

#include "ui/base/text.h"
#include "ui/document/thumbnail.h"

namespace flcc::ui {
namespace {

QString unitBadge(const base::Geometry& geometry) {
    const QString unit = geometry.unitSource == base::UnitSource::Missing ? QStringLiteral("px")
                                                                          : unitText(geometry);
    return geometry.unitSource == base::UnitSource::User ? DataModel::tr("%1, user").arg(unit)
                                                         : unit;
}

} // namespace

DataModel::DataModel(Document& document, QObject* parent)
    : QAbstractListModel(parent), m_document(document) {
    connect(&m_document, &Document::scenesChanged, this, &DataModel::rebuild);
    connect(&m_document, &Document::templateChanged, this, &DataModel::rebuild);
    connect(&m_document, &Document::boxChanged, this, [this] {
        if (m_hasBox != m_document.box().has_value()) { // a box that is dragged changes no row
            rebuild();
        }
    });
    connect(&m_document, &Document::resultsChanged, this, &DataModel::rebuild);
    connect(&m_document, &Document::peakChoiceChanged, this, &DataModel::countPeaks);
    connect(&m_document, &Document::resultShown, this, [this] {
        if (!m_rows.empty()) {
            Q_EMIT dataChanged(index(0), index(rowCount() - 1));
        }
    });
    rebuild();
}

void DataModel::rebuild() {
    m_hasBox = m_document.box().has_value();
    beginResetModel();
    m_rows.clear();
    addScenes();
    addTemplates();
    addResults();
    endResetModel();
}

void DataModel::addScenes() {
    const std::vector<SceneEntry>& scenes = m_document.scenes();
    m_rows.push_back({Kind::Heading, scenes.size() > 1 ? tr("Scenes") : tr("Scene")});
    if (!m_document.hasScene()) {
        m_rows.push_back({Kind::Hint, tr("Open an image or a sample")});
        return;
    }
    for (const SceneEntry& scene : scenes) {
        const auto number = static_cast<int>(&scene - scenes.data());
        Row row{Kind::Scene,
                scenes.size() > 1 ? tr("%1: %2").arg(number).arg(scene.name) : scene.name};
        row.scene = number;
        row.thumbnail = scene.thumbnail;
        row.detail = extentsText(scene.extents);
        row.type = toQString(base::name(scene.type));
        if (scene.image) {
            const base::Geometry geometry = m_document.geometryOf(scene);
            row.badge = unitBadge(geometry);
            row.tip = announcement(toQString(scene.image->source), *scene.image, geometry);
        } else {
            row.badge = scene.thumbnail.isNull() ? tr("not read") : QString();
            row.tip = tr("%1 is read when it is shown or searched. Click to show the scene and its "
                         "result")
                          .arg(pathText(scene.path));
        }
        row.badge = scene.aside ? tr("not searched") : row.badge;
        m_rows.push_back(std::move(row));
    }
}

void DataModel::addTemplates() {
    const std::vector<TemplateEntry>& templates = m_document.templates();
    m_rows.push_back({Kind::Heading, templates.size() > 1 ? tr("Templates") : tr("Template")});
    if (templates.empty()) {
        m_rows.push_back({Kind::Hint, m_document.box()        ? tr("Cut from the box in the view")
                                      : m_document.hasScene() ? tr("Press 4 and drag a box")
                                                              : tr("None yet")});
    }
    for (const TemplateEntry& templ : templates) {
        const auto number = static_cast<int>(&templ - templates.data());
        Row row{Kind::Template,
                templates.size() > 1 ? tr("%1: %2").arg(number).arg(templ.name) : templ.name};
        row.templ = number;
        row.thumbnail = thumbnailOf(base::viewOf(templ.image->pixels), kThumbnailSide);
        row.detail = extentsText(base::extentsOf(templ.image->pixels));
        row.type = toQString(base::name(base::pixelType(templ.image->pixels)));
        const base::Geometry geometry = m_document.geometryOf(templ);
        row.badge = unitBadge(geometry);
        row.tip = announcement(templ.name, *templ.image, geometry);
        if (!templ.place.isEmpty()) {
            row.tip += QChar('\n') + templ.place;
        }
        m_rows.push_back(std::move(row));
    }
}

void DataModel::addResults() {
    const int scene = m_document.activeScene();
    m_rows.push_back({Kind::Heading, m_document.scenes().size() > 1
                                         ? tr("Results of scene %1").arg(scene)
                                         : tr("Results")});
    if (m_document.lastResultOf(scene) < 0) {
        m_rows.push_back({Kind::Hint, tr("None yet")});
    }
    for (const ResultEntry& entry : m_document.results()) {
        if (entry.scene != scene) {
            continue;
        }
        Row row{Kind::Result, entry.title};
        row.result = static_cast<int>(&entry - m_document.results().data());
        // A result that never had a map has the scene's thumbnail: its peaks are shown on the
        // scene.
        row.thumbnail = entry.thumbnail.isNull() ? m_document.scene().thumbnail : entry.thumbnail;
        describe(row, entry);
        m_rows.push_back(std::move(row));
    }
}

void DataModel::describe(Row& row, const ResultEntry& entry) const {
    const auto all = static_cast<std::int64_t>(entry.job->peaks.size());
    const std::int64_t shown = m_document.shownPeaks(row.result);
    const bool verified = job::isVerified(entry.job->report);
    const bool unfinished = job::isUnfinished(entry.job->report);
    row.detail = entry.job->cancelled && !unfinished
                     ? (verified ? tr("cancelled") : tr("cancelled, not verified"))
                 : shown == all ? peaksText(all)
                                : tr("%1 of %2 peaks").arg(shown).arg(all);
    const auto kept =
        entry.decisions.counts(entry.job->peaks)[static_cast<std::size_t>(match::Decision::Keep)];
    if (kept > 0) {
        row.detail += tr(", %1 kept").arg(kept);
    }
    row.badge = unfinished             ? tr("unfinished")
                : entry.job->cancelled ? tr("partial")
                : entry.mapReleased    ? tr("no map")
                                       : QString();
    row.tip = tr("%1: %2%3. Click the result to show it in the views. Press Del to remove it.")
                  .arg(entry.title, row.detail,
                       unfinished ? tr(", %1").arg(searchedText(entry.job->report)) : QString());
}

void DataModel::countPeaks() {
    for (Row& row : m_rows) {
        if (row.result >= 0 && row.result < static_cast<int>(m_document.results().size())) {
            describe(row, m_document.results()[static_cast<std::size_t>(row.result)]);
        }
    }
    Q_EMIT dataChanged(index(0), index(rowCount() - 1));
}

int DataModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant DataModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= static_cast<int>(m_rows.size())) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return row.title;
    case Qt::DecorationRole:
        return row.thumbnail.isNull() ? QVariant() : QVariant(row.thumbnail);
    case Qt::ToolTipRole:
        return row.tip.isEmpty() ? QVariant() : QVariant(row.tip);
    case Qt::AccessibleTextRole:
        return QStringList({row.title, row.detail, row.type, row.badge})
            .filter(QRegularExpression(QStringLiteral(".")))
            .join(QStringLiteral(", "));
    case KindRole:
        return static_cast<int>(row.kind);
    case DetailRole:
        return row.detail;
    case TypeRole:
        return row.type;
    case BadgeRole:
        return row.badge;
    case ResultRole:
        return row.result;
    case TemplateRole:
        return row.templ;
    case SceneRole:
        return row.scene;
    case ShownRole:
        return (row.result >= 0 && row.result == m_document.shownResult()) ||
               (row.scene >= 0 && m_document.scenes().size() > 1 &&
                row.scene == m_document.activeScene()) ||
               (row.templ >= 0 && m_document.templates().size() > 1 &&
                row.templ == m_document.activeTemplate());
    default:
        return {};
    }
}

Qt::ItemFlags DataModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) {
        return Qt::NoItemFlags;
    }
    const Kind kind = m_rows[static_cast<std::size_t>(index.row())].kind;
    return kind == Kind::Heading || kind == Kind::Hint ? Qt::ItemIsEnabled
                                                       : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

} // namespace flcc::ui
