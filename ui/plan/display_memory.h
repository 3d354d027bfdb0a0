#pragma once

#include <QWidget>

#include <cstdint>

class QLabel;

namespace flcc::ui {

/// The memory of the views, with a button that releases most of it.
class DisplayMemory : public QWidget {
    Q_OBJECT

  public:
    explicit DisplayMemory(QWidget* parent = nullptr);

    /// 0: hides it. Returns whether it was shown or hidden.
    bool setBytes(std::int64_t bytes);

  Q_SIGNALS:
    void releaseRequested();

  private:
    QLabel* m_text = nullptr;
};

} // namespace flcc::ui
