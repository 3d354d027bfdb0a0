#pragma once

#include <QObject>

#include <cstdint>
#include <optional>

#include "ui/document.h"

namespace flcc::ui {

class LatestWork;

/// What the tool Template box does beside dragging: fits the box to an object, and changes its
/// size by keys.
class BoxTool : public QObject {
    Q_OBJECT

  public:
    explicit BoxTool(Document& document, QObject* parent = nullptr);

    /// Fits the box to the object at a voxel, in the background.
    void fitTo(const base::Index& voxel);
    /// Gives up the last fitTo(), and takes its box back: the click was the first of two.
    void withdraw();
    /// Lengthens every side by 2 * step voxels around the centre of the box.
    void resize(std::int64_t step);
    /// Makes all sides odd, or even if they are odd.
    void changeParity();

  Q_SIGNALS:
    void message(const QString& sentence);
    void fitted(); ///< the box is the one around an object

  private:
    Document& m_document;
    LatestWork* m_work = nullptr;
    std::optional<base::Box> m_before; ///< the box before the last fit
    int m_gesture = 0;                 ///< of the last fit; 0: none that can be withdrawn
};

} // namespace flcc::ui
