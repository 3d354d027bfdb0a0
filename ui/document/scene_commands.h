#pragma once

#include <QUndoCommand>

#include <memory>
#include <optional>
#include <vector>

#include "ui/document/document.h"

// Undo steps that change the list of scenes.

namespace flcc::ui {

/// A made scene and, while it is undone, its results.
class MadeSceneCommand : public QUndoCommand {
  public:
    MadeSceneCommand(Document& document, SceneEntry scene)
        : m_document(document), m_scene(std::move(scene)), m_before(document.scene().image) {
        setText(Document::tr("filter"));
    }
    void redo() override {
        m_document.m_scenes.push_back(m_scene);
        Q_EMIT m_document.scenesChanged();
        const auto index = static_cast<int>(m_document.m_scenes.size()) - 1;
        for (ResultEntry& result : m_results) {
            result.scene = index;
            m_document.m_results.all().push_back(std::move(result));
        }
        m_results.clear();
        m_document.showScene(index, m_scene.image);
        Q_EMIT m_document.resultsChanged();
    }
    void undo() override {
        const int index = m_document.indexOf(m_scene.image);
        if (index <= 0) { // removed from the list, or the only one that is left of it
            setObsolete(true);
            return;
        }
        m_scene = m_document.m_scenes[static_cast<std::size_t>(index)]; // it may have a file by now
        for (const ResultEntry& result : m_document.m_results.all()) {
            if (result.scene == index) {
                m_results.push_back(result);
            }
        }
        const int before = m_document.indexOf(m_before);
        if (m_document.m_activeScene == index && before >= 0) {
            m_document.showScene(before, m_before);
        }
        m_document.removeScene(index);
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    Document& m_document;
    SceneEntry m_scene;
    std::shared_ptr<const job::SceneImage> m_before; ///< the scene that was shown
    std::vector<ResultEntry> m_results;
};

/// A binned scene in the place of the scene that it was made of, which is kept aside.
class BinCommand : public QUndoCommand {
  public:
    BinCommand(Document& document, SceneEntry scene, RunInputs inputs)
        : m_document(document), m_scene(std::move(scene)), m_inputs(std::move(inputs)),
          m_scenes(document.m_scenes), m_before(document.inputs()), m_box(document.m_box) {
        setText(Document::tr("binning"));
    }
    void redo() override {
        Document& d = m_document;
        if (d.m_scenes.front().image != m_scenes.front().image) { // it was removed since
            setObsolete(true);
            return;
        }
        d.m_scenes = m_scenes;
        for (SceneEntry& scene : d.m_scenes) {
            scene.aside = true;
        }
        d.m_scenes.insert(d.m_scenes.begin(), m_scene);
        for (ResultEntry& result : d.m_results.all()) {
            ++result.scene;
        }
        std::ranges::move(m_results, std::back_inserter(d.m_results.all()));
        m_results.clear();
        std::optional<base::Box> box;
        if (m_box) {
            const auto half = [](std::int64_t n) { return n > 1 ? n / 2 : n; };
            const base::Box& old = *m_box;
            box = base::Box{{old.corner.x / 2, old.corner.y / 2, old.corner.z / 2},
                            {half(old.extents.x), half(old.extents.y), half(old.extents.z)}};
        }
        show(m_inputs, box);
    }
    void undo() override {
        Document& d = m_document;
        if (d.m_scenes.front().image != m_scene.image) { // it was removed since
            setObsolete(true);
            return;
        }
        m_results.clear();
        std::vector<ResultEntry> others;
        for (ResultEntry& result : d.m_results.all()) {
            (result.scene == 0 ? m_results : others).push_back(std::move(result));
        }
        for (ResultEntry& result : others) {
            --result.scene;
        }
        m_scene = d.m_scenes.front(); // it may have a file by now
        d.m_results.all() = std::move(others);
        d.m_scenes = m_scenes;
        show(m_before, m_box);
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    void show(const RunInputs& inputs, const std::optional<base::Box>& box) {
        Document& d = m_document;
        d.m_activeScene = 0;
        d.m_results.show(-1);
        d.m_peak = -1;
        d.m_box = box;
        d.m_templates = {inputs.templates, inputs.active};
        d.m_masks.templates = inputs.masks;
        d.m_masks.scene = inputs.sceneMask;
        Q_EMIT d.sceneShown();
        Q_EMIT d.scenesChanged();
        Q_EMIT d.boxChanged();
        Q_EMIT d.templateChanged();
        Q_EMIT d.masksChanged();
        Q_EMIT d.resultsChanged();
        d.showResult(d.lastResultOf(0));
    }

    Document& m_document;
    SceneEntry m_scene;
    RunInputs m_inputs;
    std::vector<SceneEntry> m_scenes; ///< before
    RunInputs m_before;
    std::optional<base::Box> m_box;
    std::vector<ResultEntry> m_results; ///< of the binned scene while it is undone
};

} // namespace flcc::ui
