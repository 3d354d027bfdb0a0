#include "ui/open_question.h"

#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

#include "ui/document.h"

namespace flcc::ui {
namespace {

QString tr(const char* text) { return Document::tr(text); }

QMessageBox* makeBox(QWidget& window, const char* name, const QString& title, const QString& text) {
    auto* box = new QMessageBox(QMessageBox::Question, title, text, QMessageBox::Cancel, &window);
    box->setObjectName(QLatin1String(name));
    box->setAttribute(Qt::WA_DeleteOnClose);
    return box;
}

QPushButton* addButton(QMessageBox& box, const char* name, const QString& text, const QString& tip,
                       const std::function<void()>& chosen) {
    QPushButton* button = box.addButton(text, QMessageBox::ActionRole);
    button->setObjectName(QLatin1String(name));
    button->setAccessibleName(text);
    button->setToolTip(tip);
    QObject::connect(button, &QPushButton::clicked, &box, chosen);
    return button;
}

/// "2 templates, 1 mask and 3 results".
QString lossText(const Document& document) {
    const auto count = [](std::size_t number, const QString& one, const QString& several) {
        return number == 0   ? QStringList()
               : number == 1 ? QStringList(one)
                             : QStringList(several.arg(number));
    };
    const auto made =
        static_cast<std::size_t>(std::ranges::count_if(document.scenes(), &SceneEntry::made));
    QStringList parts = count(made, tr("the filtered scene"), tr("%1 filtered scenes")) +
                        count(document.templates().size(), tr("the template"), tr("%1 templates")) +
                        count(document.masks().size() + (document.sceneMask() ? 1 : 0),
                              tr("the mask"), tr("%1 masks")) +
                        count(document.results().size(), tr("the result"), tr("%1 results"));
    const QString last = parts.isEmpty() ? QString() : parts.takeLast();
    return parts.isEmpty() ? last : tr("%1 and %2").arg(parts.join(QStringLiteral(", ")), last);
}

} // namespace

void askBeforeOpening(QWidget& window, const Document& document, const QString& name, bool canAdd,
                      bool running, bool onlyNew, const std::function<void(OpenAs)>& then) {
    if (!document.holdsWork() && !running) {
        then(OpenAs::New);
        return;
    }
    QStringList losses;
    if (running) {
        losses << tr("ends the run");
    }
    if (document.holdsWork()) {
        losses << tr("removes %1").arg(lossText(document));
    }
    const QString text = tr("Opening %1 as a new scene %2.").arg(name, losses.join(tr(" and ")));
    QMessageBox* box = makeBox(window, "openQuestion", tr("Open %1").arg(name), text);
    const auto add = [&](const char* button, const QString& word, const QString& tip, OpenAs as) {
        return addButton(*box, button, word, tip, [then, as] { then(as); });
    };
    QPushButton* fresh = add("openNew", tr("New scene"), text, OpenAs::New);
    if (!onlyNew) {
        if (canAdd && !running) {
            add("openAdd", tr("Add"),
                tr("Adds it to the list of scenes. All scenes are searched for the same templates"),
                OpenAs::Add);
        }
        add("openKeep", tr("Keep the templates"),
            tr("Opens it as a new scene and keeps the templates. The results are removed"),
            OpenAs::KeepTemplates)
            ->setEnabled(!document.templates().empty());
    }
    box->setDefaultButton(fresh);
    box->open();
}

void askBeforeQuitting(QWidget& window, const std::function<void()>& quit) {
    QMessageBox* box = makeBox(window, "quitQuestion", tr("Quit"),
                               tr("A run is not finished. If you quit now, its map is lost."));
    QPushButton* leave =
        addButton(*box, "quitNow", tr("Quit"), tr("Ends the run and the program"), quit);
    box->setDefaultButton(leave);
    box->open();
}

} // namespace flcc::ui
