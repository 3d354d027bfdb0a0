#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <string>

#include "engine/job/job.h"
#include "ui/document/document.h"

namespace flcc::ui {

class MatchPanel;

/// Makes a change of a field of the Match panel a step of the document's undo stack, named after
/// the field. Changes of one field that follow each other within a moment are one step. A threshold
/// that lists other peaks of the shown result is a step of that list.
class FieldHistory : public QObject {
    Q_OBJECT

  public:
    FieldHistory(Document& document, MatchPanel& panel, QObject* parent);

  private:
    void note();
    void apply(const job::Job& job);

    Document& m_document;
    MatchPanel& m_panel;
    job::Job m_recorded;   ///< what the fields held after the last step
    std::string m_option;  ///< of the last step
    QElapsedTimer m_since; ///< it
    int m_gesture = 0;
    int m_index = -1; ///< of the stack after it
    bool m_applying = false;
};

} // namespace flcc::ui
