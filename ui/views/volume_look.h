#pragma once

#include <QObject>

#include <functional>

#include "ui/document/document.h"
#include "ui/views/view_scenes.h"
#include "ui/views/volume_view.h"

namespace flcc::ui {

/// What the 3D view shows of the scene: chosen from the data until a person chooses, and kept for
/// each scene.
class VolumeLook : public QObject {
    Q_OBJECT

  public:
    VolumeLook(Document& document, ViewScenes& scenes, QObject* parent)
        : QObject(parent), m_document(document), m_scenes(scenes) {}

    [[nodiscard]] const VolumeView& view() const { return m_view; }
    void set(const VolumeView& view);
    /// A choice of a person, which is remembered for the scene.
    void choose(const std::function<void(VolumeView&)>& change);
    /// What a person chose for this scene, or what suits it with the grey window computed from its
    /// values. Nothing of another scene stays.
    void chooseFromData(const viz::GreyWindow& automatic);
    /// The picture of a result in space, unless a person has chosen another one: templates where
    /// they were found, nothing before them.
    void suitResult(const ResultEntry* result);

  Q_SIGNALS:
    void slabChanged();
    void changed();

  private:
    [[nodiscard]] QString sceneKey() const;

    Document& m_document;
    ViewScenes& m_scenes;
    VolumeView m_view;
};

} // namespace flcc::ui
