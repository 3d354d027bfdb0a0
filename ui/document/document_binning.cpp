#include <QUndoCommand>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/document/document.h"

// A binned scene takes the place of the scene that it was made of, which is kept aside.

namespace flcc::ui {

class BinCommand : public QUndoCommand {
  public:
    BinCommand(Document& document, SceneEntry scene, RunInputs inputs)
        : m_document(document), m_scene(std::move(scene)), m_inputs(std::move(inputs)),
          m_scenes(document.m_scenes), m_before(document.inputs()), m_box(document.m_box) {
        setText(Document::tr("binning"));
    }
    void redo() override {
        Document& d = m_document;
        d.m_scenes = m_scenes;
        for (SceneEntry& scene : d.m_scenes) {
            scene.aside = true;
        }
        d.m_scenes.insert(d.m_scenes.begin(), m_scene);
        for (ResultEntry& result : d.m_results) {
            ++result.scene;
        }
        std::ranges::move(m_results, std::back_inserter(d.m_results));
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
        m_results.clear();
        std::vector<ResultEntry> others;
        for (ResultEntry& result : d.m_results) {
            (result.scene == 0 ? m_results : others).push_back(std::move(result));
        }
        for (ResultEntry& result : others) {
            --result.scene;
        }
        m_scene = d.m_scenes.front(); // it may have a file by now
        d.m_results = std::move(others);
        d.m_scenes = m_scenes;
        show(m_before, m_box);
    }
    [[nodiscard]] int id() const override { return Document::kSceneStep; }

  private:
    void show(const RunInputs& inputs, const std::optional<base::Box>& box) {
        Document& d = m_document;
        d.m_activeScene = 0;
        d.m_shown = -1;
        d.m_peak = -1;
        d.m_box = box;
        d.m_templates = {inputs.templates, inputs.active};
        d.m_masks = inputs.masks;
        d.m_sceneMask = inputs.sceneMask;
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

void Document::replaceByBinned(SceneEntry scene, RunInputs inputs) {
    describe(scene);
    scene.made = true;
    m_undo.push(new BinCommand(*this, std::move(scene), std::move(inputs)));
}

std::size_t Document::searchedScenes() const {
    const auto aside = std::ranges::find_if(m_scenes, &SceneEntry::aside);
    return static_cast<std::size_t>(aside - m_scenes.begin());
}

} // namespace flcc::ui
