#include "ui/match/images/scene_rows.h"

#include <QToolButton>

#include "ui/base/elided_label.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/match/images/scene_list.h"

namespace flcc::ui {

SceneRows::SceneRows(FoldingForm& form, job::Job& job, Document& document)
    : FieldGroup(form, job), m_document(document) {
    m_scene = new ElidedLabel(&m_form);
    m_scene->setObjectName(QStringLiteral("matchScene"));
    m_scene->setAccessibleName(tr("Scene"));
    m_add = m_form.smallButton("addScenes", icon(QStringLiteral("add")), tr("Add scenes"),
                               tr("Adds more scenes of the same extents from files. All scenes are "
                                  "searched for the same templates, one after the other"));
    m_form.addRowWithButtons(tr("Scene"), tr("Image or volume that is searched"), m_scene, {m_add});
    m_scenes = new SceneList(m_document, &m_form);
    connect(m_add, &QToolButton::clicked, this, &SceneRows::addRequested);
    connect(m_scenes, &RowList::chosen, this, &SceneRows::chosen);
    connect(m_scenes, &RowList::removed, this, &SceneRows::removeRequested);
    m_form.add(m_scenes);
}

void SceneRows::show(bool running) {
    const bool scene = m_document.hasScene();
    const auto scenes = static_cast<int>(m_document.searchedScenes());
    m_scene->showText(scenes > 1 ? tr("%1 scenes").arg(scenes)
                      : scene    ? m_document.scene().name
                                 : tr("none"));
    // Only a list that starts with a file can grow.
    m_add->setEnabled(scene && !m_document.scenes().front().path.empty() && !running);
    m_scenes->setEnabled(!running);
}

} // namespace flcc::ui
