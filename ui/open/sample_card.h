#pragma once

#include <QAbstractButton>
#include <QImage>

namespace flcc::ui {

/// A large button with a picture, a title and a line of text.
class SampleCard : public QAbstractButton {
    Q_OBJECT

  public:
    SampleCard(const QString& name, const QString& title, const QString& detail,
               QWidget* parent = nullptr);

    [[nodiscard]] const QString& name() const { return m_name; }
    void setPicture(const QImage& picture);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    QString m_name;
    QString m_title;
    QString m_detail;
    QImage m_picture;
};

} // namespace flcc::ui
