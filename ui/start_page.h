#pragma once

#include <QWidget>

#include <vector>

#include "engine/sample/sample.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace flcc::ui {

class SampleCard;

/// What the program shows before an image is open: samples, open, recent files.
class StartPage : public QWidget {
    Q_OBJECT

  public:
    explicit StartPage(QWidget* parent = nullptr);

    /// Lists the recent files anew.
    void refresh();
    void setThumbnail(const QString& sample, const QImage& picture);
    void refreshTheme();

  Q_SIGNALS:
    void openRequested();
    void fileRequested(const QString& file);
    void sampleRequested(const QString& name);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void arrangeCards(int columns);

    QLabel* m_title = nullptr;
    QLabel* m_subtitle = nullptr;
    QVBoxLayout* m_recent = nullptr;
    QWidget* m_recentBox = nullptr;
    std::vector<SampleCard*> m_cards;
    QGridLayout* m_cardGrid = nullptr;
    int m_columns = 0;
};

} // namespace flcc::ui
