#include "ui/match/images/scene_list.h"

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

SceneList::SceneList(Document& document, QWidget* parent)
    : RowList(QStringLiteral("scene"), QStringLiteral("removeScene"), parent),
      m_document(document) {
    setObjectName(QStringLiteral("sceneList"));
    setAccessibleName(tr("Scenes"));
    for (const auto signal :
         {&Document::scenesChanged, &Document::resultsChanged, &Document::peakChoiceChanged}) {
        connect(&m_document, signal, this, &SceneList::rebuild);
    }
    followTheme(this, [this] { rebuild(); });
}

void SceneList::rebuild() {
    std::vector<Row> rows;
    for (const SceneEntry& scene : m_document.scenes()) {
        const auto index = static_cast<int>(rows.size());
        const int last = m_document.lastResultOf(index);
        QString word;
        if (last >= 0) {
            const bool partial =
                m_document.results()[static_cast<std::size_t>(last)].job->cancelled;
            word = partial ? tr("partial") : peaksText(m_document.shownPeaks(last));
        }
        word = scene.aside && last < 0 ? tr("not searched") : word;
        const QString file = scene.path.empty() ? scene.name : pathText(scene.path);
        rows.push_back(
            {.name = tr("%1: %2").arg(index).arg(scene.name),
             .spoken = tr("Scene %1: %2").arg(index).arg(scene.name),
             .tip = tr("Scene %1: %2. Its outputs have the number of the scene. Click to show the "
                       "scene and its result%3")
                        .arg(QString::number(index), file,
                             index == 0 ? tr(". Templates are cut from this scene") : QString()),
             .word = word,
             .removeSpoken = tr("Remove scene %1").arg(index),
             .removeTip = index == 0 ? tr("Removes the scene, its results, the box and the "
                                          "templates cut from it; Undo brings them back")
                                     : tr("Removes the scene and its results; Undo brings "
                                          "them back")});
    }
    setRows(rows, m_document.activeScene());
}

} // namespace flcc::ui
