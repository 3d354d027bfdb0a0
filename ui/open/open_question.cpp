#include "ui/open/open_question.h"

#include <QMessageBox>
#include <QPushButton>

#include "ui/base/question.h"
#include "ui/document/document.h"
#include "ui/open/losses.h"

namespace flcc::ui {
namespace {

QString tr(const char* text) { return Document::tr(text); }

} // namespace

void askBeforeOpening(QWidget& window, const Document& document, const QString& name,
                      const OpenOffers& offers, const std::function<void(OpenAs)>& then) {
    if (!document.holdsWork() && !offers.running) {
        then(OpenAs::New);
        return;
    }
    QStringList losses;
    if (offers.running) {
        losses << tr("ends the run");
    }
    if (document.holdsWork()) {
        losses << tr("removes %1").arg(lossText(document));
    }
    const QString text = tr("Opening %1 as a new scene %2.").arg(name, losses.join(tr(" and ")));
    QMessageBox* box = makeQuestion(window, "openQuestion", tr("Open %1").arg(name), text);
    const auto add = [&](const char* button, const QString& word, const QString& tip, OpenAs as) {
        return addAnswer(*box, button, word, tip, [then, as] { then(as); });
    };
    add("openNew", tr("New scene"), text, OpenAs::New);
    QPushButton* usual = qobject_cast<QPushButton*>(box->button(QMessageBox::Cancel));
    if (!offers.onlyNew) {
        if (offers.add && !offers.running) {
            usual = add("openAdd", tr("Add"),
                        tr("Adds it to the list of scenes. All scenes are searched for the same "
                           "templates"),
                        OpenAs::Add);
        }
        QPushButton* keep =
            add("openKeep", tr("Keep the templates"),
                offers.keep || document.templates().empty()
                    ? tr("Opens it as a new scene and keeps the templates. The results are removed")
                    : tr("No template fits into %1").arg(name),
                OpenAs::KeepTemplates);
        keep->setEnabled(offers.keep && !document.templates().empty());
    }
    box->setDefaultButton(usual); // Return removes nothing
    box->open();
}

void askBeforeQuitting(QWidget& window, const std::function<void()>& quit) {
    QMessageBox* box = makeQuestion(window, "quitQuestion", tr("Quit"),
                                    tr("A run is not finished. If you quit now, its map is lost."));
    QPushButton* leave =
        addAnswer(*box, "quitNow", tr("Quit"), tr("Ends the run and the program"), quit);
    box->setDefaultButton(leave);
    box->open();
}

} // namespace flcc::ui
