#pragma once

#include <QObject>
#include <QStringList>

#include "engine/job/job.h"
#include "ui/base/message_bar.h"

namespace flcc::ui {

class Document;
class MatchPanel;

/// What there is to say of a run that has ended: messages, its device, and the name of its result.
class RunNotes : public QObject {
    Q_OBJECT

  public:
    RunNotes(Document& document, MatchPanel& panel, QObject* parent);

    /// Shows a sentence, and which maps went for the result.
    void say(MessageBar::Kind kind, const QString& text);
    void tellDevice(const job::JobReport& report);
    /// Shows the last warning, such as that another device than planned did the run.
    void tellWarnings(const job::JobResult& all);
    /// Logs the notes of a job; `result` is the result of one of its scenes.
    static void logNotes(const job::JobResult& all, const job::JobResult& result);
    /// What tells the result for scene `scene` from others: scene, what is unusual about its job,
    /// and the time.
    [[nodiscard]] QString titleOf(std::size_t scene, const job::Job& job,
                                  const job::JobReport& report) const;

  Q_SIGNALS:
    void message(flcc::ui::MessageBar::Kind kind, const QString& text);
    void deviceUsed(const QString& device, const QString& tip);

  private:
    void onMapsReleased(const QStringList& released, const QStringList& removed);

    Document& m_document;
    MatchPanel& m_panel;
    QString m_released; ///< which maps went for the result that is being added
};

} // namespace flcc::ui
