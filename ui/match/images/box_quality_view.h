#pragma once

#include <QWidget>

#include <memory>

#include "engine/features/object_box.h"
#include "ui/document/document.h"

class QLabel;

namespace flcc::ui {

class ElidedLabel;
class LatestWork;

/// How well a match can find the template box again: its self-correlation as a picture, width of
/// the main peak, second peak and contrast, judged in green, amber or red with the reason. Follows
/// the box while it is dragged, with the mask of the active template if both have the same
/// extents. Hidden without a box.
class BoxQualityView : public QWidget {
    Q_OBJECT

  public:
    explicit BoxQualityView(Document& document, QWidget* parent = nullptr);
    /// Time of the last computation in milliseconds.
    [[nodiscard]] double computedIn() const { return m_milliseconds; }

  Q_SIGNALS:
    void shown(); ///< the newest result is shown

  private:
    void request();
    [[nodiscard]] std::shared_ptr<const job::MaskImage> maskOf(const base::Box& box) const;
    void colourVerdict();
    void showQuality(const features::BoxQuality& quality, bool masked);

    Document& m_document;
    LatestWork* m_work = nullptr;
    QLabel* m_picture = nullptr;
    ElidedLabel* m_verdict = nullptr;
    QLabel* m_numbers = nullptr;
    features::BoxVerdict m_shown = features::BoxVerdict::Good;
    double m_milliseconds = 0;
};

} // namespace flcc::ui
