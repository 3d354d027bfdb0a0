#pragma once

#include <QTimer>
#include <QWidget>

#include <optional>

#include "engine/job/explain.h"
#include "ui/base/latest_work.h"
#include "ui/document/document.h"
#include "ui/judge/peak_pictures.h"

class QGridLayout;
class QLabel;

namespace flcc::ui {

class PoseCurveView;
class ProfileView;

/// Why the selected peak is one: panel, template and difference, scores beside it, what it
/// suppressed, the runner-up. Made on a thread of its own while the panel is shown.
class ExplainPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ExplainPanel(Document& document, QWidget* parent = nullptr);

    /// Begins or ends to show panel and template in turns, at one place.
    void setBlinking(bool on);
    [[nodiscard]] bool isBlinking() const { return m_blink.isActive(); }

  Q_SIGNALS:
    void peakRequested(int peak);                        ///< a number of the list
    void placeRequested(const flcc::base::Point& voxel); ///< of a peak that is not listed

  protected:
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] QSize sizeHint() const override { return {560, 160}; }
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Shown {
        match::Peak peak;
        PeakPictures pictures;
        std::optional<job::Explanation> explanation; ///< empty without a map
    };

    void follow();
    void show(Shown shown);
    void clear();
    void drawPictures();
    void follow(const QString& link);
    void placeProfile();
    [[nodiscard]] QFont nameFont() const;
    [[nodiscard]] int planes() const;
    [[nodiscard]] int sideOf() const;
    [[nodiscard]] QString textOf(const Shown& shown) const;
    [[nodiscard]] QString linkTo(const match::Peak& peak) const;

    Document& m_document;
    QGridLayout* m_layout = nullptr;
    QLabel* m_pictures = nullptr;
    QWidget* m_plots = nullptr; ///< beside or below each other
    ProfileView* m_profile = nullptr;
    PoseCurveView* m_poseCurves = nullptr;
    QLabel* m_text = nullptr;
    LatestWork m_work;
    QTimer m_blink;
    bool m_swapped = false; ///< the template stands in the place of the panel
    std::optional<Shown> m_shown;
};

} // namespace flcc::ui
