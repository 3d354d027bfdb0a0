#pragma once

#include <QWidget>

#include <vector>

#include "engine/sample/sample.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace flcc::ui {

class SampleCard;

/// The page that is shown before an image is open: samples, open button, recent files.
class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent = nullptr);

    /// Updates the list of recent files.
    void refresh();
    void setThumbnail(const QString& sample, const QImage& picture);

  Q_SIGNALS:
    void openRequested();
    void fileRequested(const QString& file);
    void sampleRequested(const QString& name);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void arrangeCards(int columns);

    QLabel* m_title = nullptr;
    QVBoxLayout* m_recent = nullptr;
    QWidget* m_recentBox = nullptr;
    std::vector<SampleCard*> m_cards;
    QGridLayout* m_cardGrid = nullptr;
    int m_columns = 0;
};

} // namespace flcc::ui
