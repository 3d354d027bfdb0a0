#pragma once

#include <QWidget>

#include <array>
#include <optional>

#include "engine/job/job.h"

class QGridLayout;
class QLabel;

namespace flcc::ui {

/// Time and memory of a job, predicted and measured.
class PlanNumbers : public QWidget {
    Q_OBJECT

  public:
    explicit PlanNumbers(QWidget* parent = nullptr);

    /// The numbers of the next report are those of the first one of several scenes.
    void setScenes(int count) { m_sceneCount = count; }
    void showPredicted(double milliseconds, std::int64_t bytes);
    /// Shows upload, compute and download times of a GPU.
    void showParts(const std::optional<method::DeviceTimes>& predicted,
                   const std::optional<method::DeviceTimes>& measured);
    void showFurther(double milliseconds); ///< the time of each further scene
    void showMeasured(const job::JobReport& report);
    /// Time and memory in one line; `ran`: as measured.
    [[nodiscard]] QString timeText(bool ran) const;
    [[nodiscard]] QString memoryText(bool ran) const;

  private:
    QLabel* makeLabel(const char* name, Qt::Alignment alignment = Qt::AlignLeft);
    QLabel* makeHead(const char* name, const QString& text,
                     Qt::Alignment alignment = Qt::AlignLeft);
    int addParts(QGridLayout* grid, int row);
    /// A row of GPU times: upload, compute or download.
    struct PartRow {
        QLabel* head = nullptr;
        QLabel* predicted = nullptr;
        QLabel* measured = nullptr;
    };

    int m_sceneCount = 1;
    QLabel* m_measuredHead = nullptr;
    QLabel* m_timePredicted = nullptr;
    QLabel* m_timeMeasured = nullptr;
    QLabel* m_streamHead = nullptr;
    QLabel* m_streamPredicted = nullptr;
    QLabel* m_streamMeasured = nullptr;
    std::array<PartRow, 3> m_parts;
    QLabel* m_memoryPredicted = nullptr;
    QLabel* m_memoryMeasured = nullptr;
};

} // namespace flcc::ui
