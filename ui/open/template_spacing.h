#pragma once

#include <QObject>

#include <vector>

#include "ui/document/entries.h"
#include "ui/open/opening.h"

namespace flcc::ui {

class Document;
class RunController;

/// Templates whose spacing differs from that of the scene.
class TemplateSpacing : public QObject {
    Q_OBJECT

  public:
    TemplateSpacing(Document& document, RunController& controller, QObject* parent)
        : QObject(parent), m_document(document), m_controller(controller) {}

    /// The entry with its axes turned to those of the scene.
    [[nodiscard]] TemplateEntry turned(TemplateEntry entry) const;
    /// A mask of template `number`, or of the scene if that is -1.
    [[nodiscard]] MaskEntry turned(MaskEntry mask, int number) const;
    /// Takes template `number` as its file stores it.
    void keepStored(int number);
    /// True if spacing or directions of template `number` differ from those of the scene.
    [[nodiscard]] bool differs(int number) const;
    /// Warns if template `number` differs from the scene; tells that it was turned.
    bool warn(int number);
    void warnOfFirst(); ///< of the first template that differs
    /// Adds template `number` with the spacing of the scene; the old one stays beside it.
    void resample(int number);
    /// Brings every opened template to the spacing of the scene.
    void resampleAll(const ThenOpened& then);

  Q_SIGNALS:
    void opened(const QString& announcement);
    void failed(const QString& sentence);
    void resampleOffered(const QString& sentence, int number);
    void storedOffered(const QString& sentence, int number);

  private:
    void offerStored(int number);
    void resample(const std::vector<int>& numbers, bool beside, const ThenOpened& then);

    Document& m_document;
    RunController& m_controller;
};

} // namespace flcc::ui
