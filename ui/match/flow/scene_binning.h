#pragma once

#include <QObject>

#include "ui/base/message_bar.h"

namespace flcc::ui {

class Document;
class MatchPanel;
class RunController;
class ViewsPanel;

/// "Bin by 2": the answer to a job that does not fit into the memory.
class SceneBinning : public QObject {
    Q_OBJECT

  public:
    SceneBinning(Document& document, RunController& controller, MatchPanel& panel,
                 ViewsPanel& views, QObject* parent);

    /// Puts a scene and templates of half the resolution in the place of those that are there.
    void bin();

  Q_SIGNALS:
    void message(flcc::ui::MessageBar::Kind kind, const QString& text);

  private:
    Document& m_document;
    RunController& m_controller;
    MatchPanel& m_panel;
    ViewsPanel& m_views;
};

} // namespace flcc::ui
