#pragma once

#include <QApplication>
#include <QString>

namespace flcc::ui {

/// The application of the window. Qt does not expect exceptions from event handlers: std::bad_alloc
/// of one ends here, with a message instead of the end of the program.
class Application : public QApplication {
    Q_OBJECT

  public:
    Application(int& argc, char** argv);

    bool notify(QObject* receiver, QEvent* event) override;

  Q_SIGNALS:
    /// An event was given up for lack of memory. The sentence was made at the start.
    void memoryFailed(const QString& sentence);

  private:
    QString m_sentence;
};

} // namespace flcc::ui
