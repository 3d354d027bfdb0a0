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
        : m_document(document), m_image(scene.image), m_before(document.scene().image) {
        m_taken.scene = std::move(scene);
        setText(Document::tr("filter"));
    }
    void redo() override {
        m_document.putScene(static_cast<int>(m_document.m_scenes.size()), std::move(m_taken));
    }
    void undo() override {
        const int index = m_document.indexOf(m_image);
        const int before = m_document.indexOf(m_before);
        if (m_document.m_activeScene == index && before >= 0) {
            m_document.showScene(before, m_before);
        }
        m_taken = m_document.takeScene(index);
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    Document& m_document;
    Document::TakenScene m_taken; ///< the scene while it is not in the list
    std::shared_ptr<const job::SceneImage> m_image;
    std::shared_ptr<const job::SceneImage> m_before; ///< the scene that was shown
};

/// The removal of a scene. Its pixels stay in memory if they were.
class RemoveSceneCommand : public QUndoCommand {
  public:
    RemoveSceneCommand(Document& document, int index) : m_document(document), m_index(index) {
        setText(Document::tr("remove scene"));
    }
    void redo() override {
        Document& d = m_document;
        if (m_index == 0) { // the next one becomes the first, whose pixels are in memory
            SceneEntry& next = d.m_scenes[1];
            next.image = next.image ? next.image : m_nextImage;
            m_nextAside = std::exchange(next.aside, false);
        }
        if (m_index == 0 && d.m_activeScene == 0) {
            d.showScene(1, d.m_scenes[1].image);
        }
        m_taken = d.takeScene(m_index);
        for (auto& [number, result] : m_taken.results) {
            if (resultBytes(*result.job) > d.m_mostResultBytes / kRemovedShare) {
                releaseMap(result);
            }
        }
        if (m_index == 0) {
            m_templates = d.m_templates;
            m_box = d.m_box;
            TemplateSet left = d.m_templates;
            left.removeCut();
            d.applyTemplates(left);
            d.applyBox({});
        }
    }
    void undo() override {
        Document& d = m_document;
        if (m_index == 0) {
            d.m_scenes.front().aside = m_nextAside;
            m_nextImage = d.m_scenes.front().image;
        }
        d.putScene(m_index, std::move(m_taken));
        if (m_index == 0) {
            d.applyTemplates(m_templates);
            d.applyBox(m_box);
        }
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    Document& m_document;
    int m_index;
    Document::TakenScene m_taken;
    // Of the removal of the first scene.
    TemplateSet m_templates; ///< before
    std::optional<base::Box> m_box;
    std::shared_ptr<const job::SceneImage> m_nextImage;
    bool m_nextAside = false;
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
